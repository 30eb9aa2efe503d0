// SPDX-License-Identifier: Apache-2.0
// Dots of integers mod 2^32 in tile registers (AMX): products of operands are sums of products of their bytes, each
// shifted by what the two bytes weigh. A block of 2 x 2 tiles is summed for one weight after the other, all depths at
// once, and left in scratch memory; what the weights make of that is then added to the accumulator.
#include "compiler/lower/dot_internal.h"
#include "compiler/lower/tiles.h"

enum {
    TILE = 1 << DOT_TILE_BITS, // rows, and columns of 32 bits
    TILE_BYTES = 64,           // of a row
    DEPTH_BITS_MAX = 6,        // of one tile
    BLOCK = 2,                 // tiles in each direction
    TILE_A = BLOCK * BLOCK,    // numbers of the tiles: sums first
    TILE_B = TILE_A + BLOCK,
    TILES = TILE_B + BLOCK,
    WEIGHT_BYTES = BLOCK * TILE * BLOCK * TILE_BYTES // of the sums of one weight
};

typedef struct TileDot {
    const DotKernel *kernel;
    unsigned rows, columns; // tiles of a block
    unsigned depth_bits;    // of one tile
    unsigned pieces, weights;
} TileDot;

// By the number of pieces: from which depth on, and how many products, tiles were measured to be faster than vectors.
// Storing the sums of all weights takes long beside few products, and vectors multiply pairs of two bytes well.
// Products of four bytes are the most code: of small tiles they would take longer to compile than they save.
static const struct {
    uint8_t depth_bits, bits;
} least[NUMERIC_PIECES + 1] = {[1] = {5, 13}, [2] = {6, 20}, [4] = {5, 17}};

// Whether rhs lies in memory with neighbours of a column side by side, not of a row.
static bool find_transposed(Emit *e, const DotKernel *kernel, TirValue rhs, bool *transposed) {
    Nest nest;
    TileMap map = map_identity(kernel->batch_bits + kernel->depth_bits + kernel->column_bits);
    nest_init(&nest, map.bits);
    *transposed = false;
    if (!nest_need(e, &nest, rhs, &map)) return false; // finds all tiles that it is computed from
    for (size_t i = 0; i < nest.entry_count; i++) {
        const EmitVal *val = emit_val(e, nest.entries[i].value);
        if (val->kind != EMIT_MEMORY) continue;
        TileMap at = map_compose(&nest.entries[i].map, &val->layout);
        if (at.to[0] > 0 && at.to[kernel->column_bits] == 0) *transposed = true;
    }
    return true;
}

bool dot_choose_tiles(Emit *e, DotKernel *kernel, TirValue rhs) {
    NumericDot plan = kernel->plan;
    if (kernel->row_bits < DOT_TILE_BITS || kernel->column_bits < DOT_TILE_BITS || !kernel->numeric->dots->tiles ||
        !kernel->numeric->dots->tiles(&e->cx, &plan) || kernel->depth_bits < least[plan.pieces].depth_bits ||
        kernel->row_bits + kernel->column_bits + kernel->depth_bits < least[plan.pieces].bits)
        return true;
    if (plan.pieces > 1) { // one byte needs no taking apart
        bool transposed;
        if (!find_transposed(e, kernel, rhs, &transposed)) return false;
        plan.merged = !transposed;
    }
    kernel->plan = plan;
    return true;
}

// ---- packing --------------------------------------------------------------------------------------------------------

static unsigned tile_depth_bits(const DotKernel *kernel) {
    return kernel->depth_bits < DEPTH_BITS_MAX ? kernel->depth_bits : DEPTH_BITS_MAX;
}

static void add_bits(TileMap *map, unsigned first, unsigned count) {
    for (unsigned i = 0; i < count; i++) map->to[map->bits++] = (int8_t)(first + i);
}

// An integer of 32 bits holds four depths, which are a quarter of a tile's depth apart: so neither side has neighbours
// to take apart. lhs: in each row, in each tile's depth, a quarter of it; rhs: panels of columns, in each the tiles'
// depths, in each of those a quarter of it, in each of those the columns.
TileMap dot_merged_packing(const DotKernel *kernel, unsigned side) {
    unsigned columns = kernel->column_bits, rows = kernel->row_bits, depths = kernel->depth_bits,
             quarter = tile_depth_bits(kernel) - 2, depth = side ? columns : 0; // first bit of the depth
    TileMap integers = {0}, map = {0};
    if (side) add_bits(&integers, 0, DOT_TILE_BITS);
    add_bits(&integers, depth, quarter);
    add_bits(&integers, depth + quarter + 2, depths - quarter - 2);
    if (side)
        add_bits(&integers, DOT_TILE_BITS, columns - DOT_TILE_BITS);
    else
        add_bits(&integers, depths, rows);
    add_bits(&integers, depths + (side ? columns : rows), kernel->batch_bits);
    for (unsigned i = 0; i < integers.bits; i++) {
        if (i == DOT_TILE_BITS) add_bits(&map, depth + quarter, 2);
        map.to[map.bits++] = integers.to[i];
    }
    return map;
}

// ---- instructions ---------------------------------------------------------------------------------------------------

static LLVMValueRef tile_number(Emit *e, unsigned tile) {
    return LLVMConstInt(code_integer_type(&e->cx, 8), tile, false);
}

static void call(Emit *e, MachineInstruction instruction, const LLVMValueRef *operands, unsigned count) {
    vector_intrinsic_of(&e->cx, machine_instruction(instruction), NULL, 0, operands, count);
}

static void access_tile(Emit *e, MachineInstruction instruction, unsigned tile, LLVMValueRef pointer, int64_t stride) {
    call(e, instruction, (LLVMValueRef[]){tile_number(e, tile), pointer, code_i64(&e->cx, stride)}, 3);
}

// What ldtilecfg reads: palette 1, from byte 16 on the bytes of each tile's rows, from byte 48 on how many rows.
static LLVMValueRef configuration(Emit *e, unsigned depth_bits) {
    const char *name = arena_format(e->arena, "congruent.tiles.%u", depth_bits);
    LLVMValueRef global = LLVMGetNamedGlobal(e->cx.module, name);
    if (global) return global;
    char bytes[64] = {1};
    for (unsigned i = 0; i < TILES; i++) {
        bool is_a = i >= TILE_A && i < TILE_B, is_b = i >= TILE_B;
        bytes[16 + 2 * i] = (char)(is_a ? 1 << depth_bits : TILE_BYTES);
        bytes[48 + i] = (char)(is_b ? 1 << depth_bits >> 2 : TILE);
    }
    LLVMValueRef constant = LLVMConstStringInContext(e->cx.context, bytes, sizeof bytes, true);
    global = LLVMAddGlobal(e->cx.module, LLVMTypeOf(constant), name);
    LLVMSetInitializer(global, constant);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetAlignment(global, sizeof bytes);
    return global;
}

// ---- one block ------------------------------------------------------------------------------------------------------

static bool is_signed(const TileDot *dot, unsigned side, unsigned piece) {
    return piece == dot->pieces - 1 && !dot->kernel->is_unsigned[side];
}

static LLVMValueRef sums_pointer(Emit *e, const TileDot *dot, unsigned weight, unsigned r, unsigned c) {
    int64_t offset = (int64_t)weight * WEIGHT_BYTES + (r * TILE * BLOCK + c) * TILE_BYTES;
    return code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), dot->kernel->sums, code_i64(&e->cx, offset));
}

static void store_sums(Emit *e, const TileDot *dot, unsigned weight, unsigned r, unsigned c) {
    access_tile(e, MACHINE_TILE_STORE, r * BLOCK + c, sums_pointer(e, dot, weight, r, c), BLOCK * TILE_BYTES);
}

// A sum begins: what the weight before left in its tile is stored.
static void begin_sum(Emit *e, const TileDot *dot, unsigned weight, unsigned r, unsigned c) {
    if (weight) store_sums(e, dot, weight - 1, r, c);
    call(e, MACHINE_TILE_ZERO, (LLVMValueRef[]){tile_number(e, r * BLOCK + c)}, 1);
}

// The bytes of one product: where those of the block's first tiles are.
typedef struct TileProduct {
    LLVMValueRef a, b;
    MachineInstruction instruction;
} TileProduct;

static void load_tile(Emit *e, const TileDot *dot, LLVMValueRef base, unsigned first, unsigned index, int64_t stride) {
    int64_t offset = (int64_t)index << DOT_TILE_BITS << dot->kernel->depth_bits;
    access_tile(e, MACHINE_TILE_LOAD, first + index,
                code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), base, code_i64(&e->cx, offset)), stride);
}

// sums += a * b for all tiles of the block. `begins`: the sums are the first of their weight. Each tile is loaded, and
// an older sum stored, just before it is needed, so that the processor does this while it multiplies.
static void multiply(Emit *e, const TileDot *dot, const TileProduct *product, unsigned weight, bool begins) {
    for (unsigned r = 0; r < dot->rows; r++)
        for (unsigned c = 0; c < dot->columns; c++) {
            if (c == 0) load_tile(e, dot, product->a, TILE_A, r, (int64_t)1 << dot->kernel->depth_bits);
            if (r == 0) load_tile(e, dot, product->b, TILE_B, c, TILE_BYTES);
            if (begins) begin_sum(e, dot, weight, r, c);
            call(
                e, product->instruction,
                (LLVMValueRef[]){tile_number(e, r * BLOCK + c), tile_number(e, TILE_A + r), tile_number(e, TILE_B + c)},
                3);
        }
}

static TileProduct product_of(Emit *e, const TileDot *dot, LLVMValueRef a, unsigned piece_a, LLVMValueRef b,
                              unsigned piece_b, LLVMValueRef depth) {
    static const MachineInstruction products[2][2] = {{MACHINE_TILE_U8_U8, MACHINE_TILE_U8_S8},
                                                      {MACHINE_TILE_S8_U8, MACHINE_TILE_S8_S8}};
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef byte = code_integer_type(&e->cx, 8);
    LLVMValueRef in_a = LLVMBuildShl(builder, depth, code_i64(&e->cx, dot->depth_bits), ""),
                 in_b = LLVMBuildShl(builder, in_a, code_i64(&e->cx, DOT_TILE_BITS), "");
    return (TileProduct){code_pointer_at(&e->cx, byte, a, in_a), code_pointer_at(&e->cx, byte, b, in_b),
                         products[is_signed(dot, 0, piece_a)][is_signed(dot, 1, piece_b)]};
}

// The sums of all products of one weight.
static void sum_weight(Emit *e, const TileDot *dot, const LLVMValueRef *a, const LLVMValueRef *b, unsigned weight) {
    unsigned trips_bits = dot->kernel->depth_bits - dot->depth_bits;
    unsigned first = weight < dot->pieces ? 0 : weight - dot->pieces + 1;
    for (unsigned r = 0; trips_bits && r < dot->rows; r++)
        for (unsigned c = 0; c < dot->columns; c++) begin_sum(e, dot, weight, r, c);
    CodeLoop depth = code_loop_open(&e->cx, code_i64(&e->cx, (int64_t)1 << trips_bits));
    for (unsigned i = first; i < dot->pieces && i <= weight; i++) {
        TileProduct product = product_of(e, dot, a[i], i, b[weight - i], weight - i, depth.index);
        multiply(e, dot, &product, weight, !trips_bits && i == first);
    }
    code_loop_close(&e->cx, &depth);
}

// The result of some columns in a row of the block from the sums of all weights; index: of the first in the result.
static void finish_lanes(Emit *e, const TileDot *dot, LLVMValueRef row, unsigned column, LLVMValueRef index) {
    LLVMBuilderRef builder = e->cx.builder;
    const DotKernel *kernel = dot->kernel;
    LLVMTypeRef i32 = code_integer_type(&e->cx, 32), lanes = LLVMVectorType(i32, TILE),
                memory = LLVMVectorType(kernel->memory, TILE);
    unsigned align = code_type_bits(kernel->memory) / 8 * TILE;
    LLVMValueRef at = LLVMBuildShl(builder, row, code_i64(&e->cx, DOT_TILE_BITS + 1), ""), sum = NULL;
    at = LLVMBuildAdd(builder, at, code_i64(&e->cx, (int64_t)column * TILE), "");
    for (unsigned w = 0; w < dot->weights; w++) {
        LLVMValueRef pointer =
            code_pointer_at(&e->cx, i32, kernel->sums, code_i64(&e->cx, (int64_t)w * WEIGHT_BYTES / 4));
        LLVMValueRef part = code_load(&e->cx, lanes, code_pointer_at(&e->cx, i32, pointer, at), TILE_BYTES);
        if (w) part = LLVMBuildShl(builder, part, vector_integer_like(part, 32, 8 * w), "");
        sum = sum ? LLVMBuildAdd(builder, sum, part, "") : part;
    }
    index = LLVMBuildAdd(builder, index, code_i64(&e->cx, (int64_t)column * TILE), "");
    if (memory != lanes) sum = LLVMBuildTrunc(builder, sum, memory, "");
    LLVMValueRef start =
        kernel->start ? code_load(&e->cx, memory, code_pointer_at(&e->cx, kernel->memory, kernel->start, index), align)
                      : vector_splat(builder, kernel->start_part, TILE);
    code_store(&e->cx, LLVMBuildAdd(builder, sum, start, ""),
               code_pointer_at(&e->cx, kernel->memory, kernel->result, index), align);
}

static void emit_tile_block(Emit *e, const TileDot *dot, const LLVMValueRef *a, const LLVMValueRef *b,
                            LLVMValueRef index) {
    for (unsigned w = 0; w < dot->weights; w++) sum_weight(e, dot, a, b, w);
    for (unsigned r = 0; r < dot->rows; r++)
        for (unsigned c = 0; c < dot->columns; c++) store_sums(e, dot, dot->weights - 1, r, c);
    CodeLoop row = code_loop_open(&e->cx, code_i64(&e->cx, (int64_t)dot->rows * TILE));
    LLVMValueRef first = LLVMBuildShl(e->cx.builder, row.index, code_i64(&e->cx, dot->kernel->column_bits), "");
    first = LLVMBuildAdd(e->cx.builder, index, first, "");
    for (unsigned c = 0; c < dot->columns; c++) finish_lanes(e, dot, row.index, c, first);
    code_loop_close(&e->cx, &row);
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static void emit_tile_loops(Emit *e, const TileDot *dot) {
    LLVMBuilderRef builder = e->cx.builder;
    const DotKernel *kernel = dot->kernel;
    unsigned rows = kernel->row_bits, columns = kernel->column_bits, depths = kernel->depth_bits,
             block_rows = DOT_TILE_BITS + (dot->rows > 1), block_columns = DOT_TILE_BITS + (dot->columns > 1);
    LLVMValueRef a[NUMERIC_PIECES], b[NUMERIC_PIECES], block_a[NUMERIC_PIECES], block_b[NUMERIC_PIECES];
    CodeLoop batch = code_loop_open(&e->cx, code_i64(&e->cx, (int64_t)1 << kernel->batch_bits));
    dot_advance(e, kernel, kernel->a, batch.index, rows + depths, a);
    dot_advance(e, kernel, kernel->b, batch.index, columns + depths, b);
    CodeLoop column = code_loop_open(&e->cx, code_i64(&e->cx, (int64_t)1 << (columns - block_columns)));
    dot_advance(e, kernel, b, column.index, block_columns + depths, block_b);
    CodeLoop row = code_loop_open(&e->cx, code_i64(&e->cx, (int64_t)1 << (rows - block_rows)));
    dot_advance(e, kernel, a, row.index, block_rows + depths, block_a);
    LLVMValueRef index = LLVMBuildShl(builder, batch.index, code_i64(&e->cx, rows + columns), "");
    index =
        LLVMBuildAdd(builder, index, LLVMBuildShl(builder, row.index, code_i64(&e->cx, block_rows + columns), ""), "");
    index = LLVMBuildAdd(builder, index, LLVMBuildShl(builder, column.index, code_i64(&e->cx, block_columns), ""), "");
    emit_tile_block(e, dot, block_a, block_b, index);
    code_loop_close(&e->cx, &row);
    code_loop_close(&e->cx, &column);
    code_loop_close(&e->cx, &batch);
}

// How many weights leave something in the result.
static unsigned weight_count(const DotKernel *kernel) {
    unsigned bytes = code_type_bits(kernel->memory) / 8, weights = 2 * kernel->plan.pieces - 1;
    return weights < bytes ? weights : bytes;
}

static void emit_body(Emit *e, const DotKernel *kernel) {
    TileDot dot = {.kernel = kernel, .pieces = kernel->plan.pieces, .weights = weight_count(kernel)};
    dot.rows = kernel->row_bits > DOT_TILE_BITS ? BLOCK : 1;
    dot.columns = kernel->column_bits > DOT_TILE_BITS ? BLOCK : 1;
    dot.depth_bits = tile_depth_bits(kernel);
    call(e, MACHINE_TILES_CONFIGURE, (LLVMValueRef[]){configuration(e, dot.depth_bits)}, 1);
    emit_tile_loops(e, &dot);
    call(e, MACHINE_TILES_RELEASE, NULL, 0);
}

bool dot_tiles_emit(Emit *e, const DotKernel *kernel) {
    DotKernel with_sums = *kernel;
    EmitScratch mark = e->scratch_top;
    // [weight][row][column] of i32
    with_sums.sums = emit_scratch(e, (size_t)weight_count(kernel) * WEIGHT_BYTES);
    if (!with_sums.sums) return false;
    dot_call(e, &with_sums, emit_body);
    e->scratch_top = mark;
    return true;
}
