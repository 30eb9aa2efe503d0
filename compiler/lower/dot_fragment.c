// SPDX-License-Identifier: Apache-2.0
// Which elements of a matrix product each thread of a GPU's block computes and keeps in registers. All extents are
// powers of two, so this is a map of bits. Matrix units fix the lowest of them: a warp has tiles of 16 rows and 8
// columns, of which lane 4 g + t has columns 2 t and 2 t + 1 of rows g and g + 8 (PTX ISA, "mma.m16n8k16").
#include "compiler/lower/dot_internal.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

enum {
    TILE_BITS = DOT_MATRIX_ROW_BITS + DOT_MATRIX_COLUMN_BITS,
    TILE_REGISTER_BITS = 2,
    REGISTER_BITS_MAX = 6, // what a thread keeps, of 32 bits
};

static unsigned at_most(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static unsigned bytes_bits(const DotKernel *kernel) {
    return map_log2(code_type_bits(kernel->plan.operand_type) / 8);
}

void dot_choose_matrix(Emit *e, DotKernel *kernel) {
    NumericDot plan = kernel->plan;
    if (kernel->row_bits < DOT_MATRIX_ROW_BITS || kernel->column_bits < DOT_MATRIX_COLUMN_BITS || e->threads.alone ||
        !kernel->numeric->dots->matrix || !kernel->numeric->dots->matrix(&e->cx, &plan))
        return;
    if (kernel->depth_bits + map_log2(code_type_bits(plan.operand_type) / 8) < DOT_STEP_BYTES_BITS) return;
    kernel->plan = plan;
}

// ---- the map --------------------------------------------------------------------------------------------------------

static void add_bit(TileMap *map, unsigned bit) {
    map->to[map->bits++] = (int8_t)bit;
}

// Bits of the result that nobody has yet: of columns from `column`, of rows from `row` on, and of batches.
static void add_rest(const DotKernel *kernel, unsigned row, unsigned column, TileMap *map) {
    for (; row < kernel->row_bits; row++) add_bit(map, kernel->column_bits + row);
    for (; column < kernel->column_bits; column++) add_bit(map, column);
    for (unsigned i = 0; i < kernel->batch_bits; i++) add_bit(map, kernel->column_bits + kernel->row_bits + i);
}

// How many registers are rows and how many columns, of so many left of both.
static void share_registers(DotFragment *fragment, unsigned count, unsigned rows, unsigned columns) {
    fragment->row_bits = at_most(rows, count / 2);
    fragment->column_bits = at_most(columns, count - fragment->row_bits);
    fragment->row_bits = at_most(rows, count - fragment->column_bits);
}

static unsigned registers_max(const DotKernel *kernel) {
    return kernel->memory && code_type_bits(kernel->memory) > 32 ? REGISTER_BITS_MAX - 2 : REGISTER_BITS_MAX;
}

// What is left of `bits` after the threads, at most as many as there may be.
static unsigned spare_registers(unsigned bits, unsigned threads, unsigned most) {
    return at_most(bits > threads ? bits - threads : 0, most);
}

DotFragment dot_fragment(const Emit *e, const DotKernel *kernel) {
    DotFragment fragment = {0};
    TileMap *map = &fragment.layout;
    unsigned all = kernel->batch_bits + kernel->row_bits + kernel->column_bits, most = registers_max(kernel),
             threads = e->threads.alone ? 0 : e->threads.bits, columns = kernel->column_bits;
    if (kernel->plan.matrix) {
        unsigned spare = spare_registers(all - TILE_BITS, threads - EMIT_WARP_BITS, most - TILE_REGISTER_BITS);
        share_registers(&fragment, spare, kernel->row_bits - DOT_MATRIX_ROW_BITS, columns - DOT_MATRIX_COLUMN_BITS);
        add_bit(map, 0);
        add_bit(map, columns + DOT_MATRIX_ROW_BITS - 1);
        for (unsigned i = 0; i < fragment.row_bits; i++) add_bit(map, columns + DOT_MATRIX_ROW_BITS + i);
        for (unsigned i = 0; i < fragment.column_bits; i++) add_bit(map, DOT_MATRIX_COLUMN_BITS + i);
        fragment.register_bits = map->bits;
        for (unsigned i = 1; i < DOT_MATRIX_COLUMN_BITS; i++) add_bit(map, i);
        for (unsigned i = 0; i + 1 < DOT_MATRIX_ROW_BITS; i++) add_bit(map, columns + i);
        add_rest(kernel, DOT_MATRIX_ROW_BITS + fragment.row_bits, DOT_MATRIX_COLUMN_BITS + fragment.column_bits, map);
    } else {
        share_registers(&fragment, spare_registers(all, threads, most), kernel->row_bits, columns);
        for (unsigned i = 0; i < fragment.column_bits; i++) add_bit(map, i);
        for (unsigned i = 0; i < fragment.row_bits; i++) add_bit(map, columns + i);
        fragment.register_bits = map->bits;
        // Neighbouring threads have neighbouring columns.
        for (unsigned i = fragment.column_bits; i < columns; i++) add_bit(map, i);
        add_rest(kernel, fragment.row_bits, columns, map);
    }
    fragment.thread_bits = at_most(all - fragment.register_bits, threads);
    fragment.step_bits = all - fragment.register_bits - fragment.thread_bits;
    return fragment;
}

// ---- packed operands of matrix units --------------------------------------------------------------------------------

// Arrays have the depth innermost, of both sides.
TileMap dot_matrix_packing(const DotKernel *kernel, unsigned side) {
    unsigned depths = kernel->depth_bits, columns = kernel->column_bits;
    if (!side) return map_identity(kernel->batch_bits + kernel->row_bits + depths);
    TileMap packing = {0};
    for (unsigned i = 0; i < depths; i++) add_bit(&packing, columns + i);
    for (unsigned i = 0; i < columns; i++) add_bit(&packing, i);
    for (unsigned i = 0; i < kernel->batch_bits; i++) add_bit(&packing, depths + columns + i);
    return packing;
}

// Neighbouring threads take neighbours of the tile's.
TileMap dot_pack_order(const DotKernel *kernel, unsigned side) {
    const unsigned lanes_bits = DOT_PACK_BITS;
    unsigned depths = kernel->depth_bits, others = side ? kernel->column_bits : kernel->row_bits;
    if (!side) return map_identity(depths + others + kernel->batch_bits);
    TileMap order = {0};
    for (unsigned i = 0; i < lanes_bits; i++) add_bit(&order, i);
    for (unsigned i = 0; i < others; i++) add_bit(&order, depths + i);
    for (unsigned i = lanes_bits; i < depths; i++) add_bit(&order, i);
    for (unsigned i = 0; i < kernel->batch_bits; i++) add_bit(&order, depths + others + i);
    return order;
}

// Eight rows of 16 bytes each, which a warp reads at once, then lie in different banks: shared memory has 128 bytes of
// them.
DotSwizzle dot_swizzle(const DotKernel *kernel) {
    enum { BANKS_BITS = 7, ROWS_BITS = 3 };
    unsigned row = kernel->depth_bits + bytes_bits(kernel);
    return (DotSwizzle){row > BANKS_BITS ? row : BANKS_BITS, DOT_CHUNK_BITS, at_most(ROWS_BITS, row - DOT_CHUNK_BITS)};
}

void dot_swizzle_array(const DotKernel *kernel, EmitPacked *array) {
    DotSwizzle swizzle = dot_swizzle(kernel);
    unsigned bytes = bytes_bits(kernel);
    array->swizzle_from = (uint8_t)(swizzle.from - bytes);
    array->swizzle_to = (uint8_t)(swizzle.to - bytes);
    array->swizzle_count = (uint8_t)swizzle.count;
}
