// SPDX-License-Identifier: Apache-2.0
// Tiles in scratch memory: allocation, evaluation into them, packing.
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_internal.h"
#include "compiler/lower/tiles.h"

#include <assert.h>

// Memory of one thread.
static LLVMValueRef own_memory(Emit *e, size_t bytes) {
    enum { OWN_BYTES_MAX = 1 << 16, ALIGNMENT = 64 };
    if (bytes > OWN_BYTES_MAX) {
        emit_fail(e, E_LIMIT, "a tile in the body of a reduction needs more than %d bytes", OWN_BYTES_MAX);
        return NULL;
    }
    LLVMValueRef memory = code_alloca(&e->cx, LLVMArrayType2(code_integer_type(&e->cx, 8), bytes), "tile");
    LLVMSetAlignment(memory, ALIGNMENT);
    return memory;
}

static void take(size_t *top, size_t *most, size_t bytes) {
    *top += bytes;
    if (*top > *most) *most = *top;
}

LLVMValueRef emit_scratch(Emit *e, size_t bytes) {
    size_t size = (bytes + 63) / 64 * 64, shared = e->cx.machine.shared_bytes;
    LLVMTypeRef byte = code_integer_type(&e->cx, 8);
    if (e->threads.alone && e->threads.bits) return own_memory(e, size);
    if (e->threads.shared && bytes <= shared && size <= shared - e->scratch_top.shared) {
        LLVMValueRef start = code_i64(&e->cx, (int64_t)e->scratch_top.shared);
        take(&e->scratch_top.shared, &e->scratch_bytes.shared, size);
        return code_pointer_at(&e->cx, byte, e->threads.shared, start);
    }
    size_t start = e->scratch_top.memory;
    if (bytes > EMIT_SCRATCH_MAX || start + size > EMIT_SCRATCH_MAX) {
        emit_fail(e, E_LIMIT, "the tiles of one block need more than %d bytes", EMIT_SCRATCH_MAX);
        return NULL;
    }
    take(&e->scratch_top.memory, &e->scratch_bytes.memory, size);
    return code_pointer_at(&e->cx, byte, e->target->scratch(e), code_i64(&e->cx, (int64_t)start));
}

LLVMValueRef emit_mark_scratch(Emit *e, unsigned bits) {
    return emit_scratch(e, (size_t)numeric_mark_bits(&e->cx) / 8 << bits);
}

void emit_store_tile(Emit *e, const Nest *nest, EmitElement element, const TileMap *map, const EmitVal *tile,
                     const NumericValue *value) {
    for (unsigned p = 0; p < element.parts; p++) {
        LLVMTypeRef memory = emit_memory_type(e, element, p);
        LLVMValueRef part = value->parts[p];
        if (memory != emit_register_type(e, element, p))
            part = LLVMBuildZExt(e->cx.builder, part, vector_type_like(memory, part), "");
        nest_store(e, nest, memory, tile->value.parts[p], map, part);
    }
}

EmitScratch emit_open_temporary(Emit *e) {
    e->temporary++;
    return e->scratch_top;
}

void emit_close_temporary(Emit *e, EmitScratch mark) {
    e->temporary--;
    e->scratch_top = mark;
}

bool emit_tile_alloc(Emit *e, TirType tile, const TileMap *layout, EmitVal *tile_out) {
    return emit_elements_alloc(e, emit_element(e, tile), emit_tile_bits(e, tile), layout, tile_out);
}

bool emit_elements_alloc(Emit *e, EmitElement element, unsigned bits, const TileMap *layout, EmitVal *tile_out) {
    *tile_out = (EmitVal){.kind = EMIT_MEMORY, .layout = layout ? *layout : map_identity(bits), .origin = -1};
    for (unsigned p = 0; p < element.parts; p++) {
        tile_out->value.parts[p] = emit_scratch(e, (size_t)code_type_bits(emit_memory_type(e, element, p)) / 8 << bits);
        if (!tile_out->value.parts[p]) return false;
    }
    return true;
}

static void store_registers(Emit *e, EmitElement element, const EmitVal *registers, const EmitVal *memory) {
    Nest nest;
    TileMap to = map_compose(&registers->layout, &memory->layout);
    nest_init(&nest, to.bits);
    nest.vector_fixed = true;
    nest.vector_bits = registers->register_bits;
    nest_need_memory(&nest, 8, &to);
    nest_touch(&nest, 0, EMIT_TILES);
    nest_open(e, &nest, nest.bits);
    emit_store_tile(e, &nest, element, &to, memory, &registers->value);
    nest_close(e, &nest);
}

bool emit_to_registers(Emit *e, TirValue value, const TileMap *layout, unsigned register_bits, EmitVal *registers) {
    Nest nest;
    *registers = (EmitVal){.kind = EMIT_REGISTERS,
                           .layout = *layout,
                           .register_bits = register_bits,
                           .origin = emit_val(e, value)->origin};
    nest_init(&nest, layout->bits);
    nest.vector_fixed = true;
    nest.vector_bits = register_bits;
    if (!nest_need(e, &nest, value, layout)) return false;
    nest_open(e, &nest, nest.bits);
    bool good = nest_eval(e, &nest, value, layout, &registers->value);
    nest_close(e, &nest);
    return good;
}

bool emit_materialise_to(Emit *e, TirValue value, const EmitVal *destination) {
    assert(destination->kind == EMIT_MEMORY);
    const EmitVal *val = emit_val(e, value);
    if (val->kind == EMIT_REGISTERS) {
        store_registers(e, emit_element(e, emit_type_of(e, value)), val, destination);
        return true;
    }
    if (val->kind == EMIT_MEMORY && val->value.parts[0] == destination->value.parts[0]) return true;
    EmitElement element = emit_element(e, emit_type_of(e, value));
    Nest nest;
    nest_init(&nest, destination->layout.bits);
    // Iterate in the order of the memory that is written.
    TileMap from = map_invert(&destination->layout), to = map_identity(destination->layout.bits);
    if (!nest_need(e, &nest, value, &from)) return false;
    nest_touch(&nest, 0, EMIT_TILES);
    nest_open(e, &nest, nest.bits);
    NumericValue lanes;
    if (!nest_eval(e, &nest, value, &from, &lanes)) return false;
    emit_store_tile(e, &nest, element, &to, destination, &lanes);
    nest_close(e, &nest);
    return true;
}

EmitVal *emit_materialise(Emit *e, TirValue value) {
    EmitVal *val = emit_val(e, value);
    if (val->kind == EMIT_MEMORY || (val->kind == EMIT_SCALAR && emit_is_scalar(e, value))) return val;
    if (val->load) return emit_load_now(e, value) ? val : NULL;
    if (!emit_keep_float_of_bits(e, value)) return NULL;
    EmitVal tile;
    if (!emit_tile_alloc(e, emit_type_of(e, value), NULL, &tile) || !emit_materialise_to(e, value, &tile)) return NULL;
    tile.origin = val->origin;
    if (tir_value(e->function, value)->block != e->block) { // made in one branch: not there for others
        val = arena_new(e->arena, EmitVal);
    }
    *val = tile;
    return val;
}

static void store_packed(Emit *e, const Nest *nest, const EmitPacked *array, const TileMap *to, LLVMValueRef lanes) {
    LLVMBuilderRef builder = e->cx.builder;
    if (!array->swizzle_count) {
        nest_store(e, nest, array->type, array->base, to, lanes);
        return;
    }
    LLVMValueRef index = nest_index(e, nest, to);
    LLVMValueRef key = LLVMBuildLShr(builder, index, code_i64(&e->cx, array->swizzle_from), "");
    key = LLVMBuildAnd(builder, key, code_i64(&e->cx, (1 << array->swizzle_count) - 1), "");
    key = LLVMBuildShl(builder, key, code_i64(&e->cx, array->swizzle_to), "");
    index = LLVMBuildXor(builder, index, key, "");
    code_store(&e->cx, lanes, code_pointer_at(&e->cx, array->type, array->base, index),
               code_type_bits(array->type) / 8 << nest->vector_bits);
}

// One step of a nest that packs; `from`: where it finds the values.
static bool pack_step(Emit *e, Nest *nest, const EmitSource *source, const TileMap *from, const EmitPacked *arrays,
                      unsigned count) {
    const TileMap to = source->order ? *source->order : map_identity(nest->bits);
    NumericValue values[2], lanes;
    for (unsigned v = 0; v < 2 && (!v || (source->combine && !source->alone)); v++)
        if (!nest_eval(e, nest, source->values[v], &from[v], &values[v])) return false;
    if (!source->combine)
        lanes = values[0];
    else if (!source->combine(e, source->data, values, &lanes))
        return false;
    for (unsigned i = 0; i < count; i++)
        store_packed(e, nest, &arrays[i], &to, arrays[i].convert(e, arrays[i].data, &lanes));
    return true;
}

// ---- what is loaded row by row as it is packed ----------------------------------------------------------------------

// A step loads 2^row_bits rows, of which the lanes are neighbours in memory, and packs them together: one behind the
// other, or element by element side by side.
typedef struct PackedRows {
    unsigned row_bits, lane_bits; // log2
    bool interleaved;
    TileMap order; // iteration bits (lanes, rows of a step, the others) to index bits of the arrays
} PackedRows;

static TileMap order_of_rows(unsigned bits, unsigned group_bits, unsigned lane_bits) {
    TileMap order = map_identity(bits);
    for (unsigned i = 0; i < lane_bits; i++) order.to[i] = (int8_t)(group_bits + i);
    for (unsigned i = 0; i < group_bits; i++) order.to[lane_bits + i] = (int8_t)i;
    return order;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

// Whether the source is a load of a small tile that a nest could not evaluate in the order of the arrays with all of
// its lanes and would copy to memory of its own, but can evaluate with these rows; or of one so small that the masks of
// its steps count. Of large tiles the copy costs less than rows that are read in parts.
static bool choose_rows(Emit *e, const EmitSource *source, const EmitPacked *arrays, unsigned count, PackedRows *rows) {
    enum { ROW_BITS_MAX = 2, BYTES_MIN = 16, SMALL = 8192, SMALL_BITS = 10 }; // bytes: of a row of a step, of a tile
    const EmitVal *val = emit_val(e, source->values[0]);
    const TileMap *map = &source->maps[0];
    const EmitElement element = emit_element(e, emit_type_of(e, source->values[0]));
    Nest nest;
    nest_init(&nest, map->bits);
    if (e->threads.bits || e->cx.numeric->has_records || e->options->census || source->combine || source->vector_bits ||
        source->order || val->kind != EMIT_LAZY || !val->load || element.parts > 1 ||
        (uint64_t)val->load->bytes << map->bits > SMALL ||
        (map->bits > SMALL_BITS && emit_load_fits(e, &nest, val->load, map)))
        return false;
    for (unsigned i = 0; i < count; i++)
        nest_need_memory(&nest, arrays[i].lane_bits ? arrays[i].lane_bits : code_type_bits(arrays[i].type), map);
    const unsigned bits = code_type_bits(emit_register_type(e, element, 0));
    const unsigned most = nest_lanes_bits(e, bits > nest.widest ? bits : nest.widest, map->bits);
    for (unsigned group = 0; group <= ROW_BITS_MAX && group < map->bits; group++)
        for (unsigned lanes = least(most, map->bits - group); lanes && val->load->bytes << lanes >= BYTES_MIN;
             lanes--) {
            const TileMap order = order_of_rows(map->bits, group, lanes), from = map_compose(&order, map);
            if (!emit_view_is_contiguous(val->load, &from, lanes)) continue;
            const unsigned together = lanes < most ? most - lanes : count == 1; // rows in vectors, or several vectors
            *rows = (PackedRows){.row_bits = group ? group : least(least(together, ROW_BITS_MAX), map->bits - lanes),
                                 .lane_bits = lanes,
                                 .interleaved = group,
                                 .order = order};
            return true;
        }
    return false;
}

static bool pack_all_rows(Emit *e, const ViewAccess *load, const TileMap *map, const EmitPacked *arrays, unsigned count,
                          const PackedRows *rows) {
    Nest nest;
    const TileMap from = map_compose(&rows->order, map);
    NumericValue lanes;
    nest_init(&nest, from.bits);
    nest.vector_fixed = true;
    nest.vector_bits = rows->lane_bits;
    nest.copy_bits = rows->row_bits;
    if (!emit_view_need(e, &nest, load, &from)) return false;
    nest_need_memory(&nest, 8, &rows->order);
    nest_touch(&nest, EMIT_BUFFERS, EMIT_TILES);
    nest_open(e, &nest, nest.bits);
    if (!emit_eval_load_rows(e, &nest, load, &from, rows->interleaved, &lanes)) return false;
    LLVMValueRef index = nest_index(e, &nest, &rows->order);
    for (unsigned i = 0; i < count; i++) {
        const unsigned bytes = code_type_bits(arrays[i].type) / 8 << (rows->lane_bits + rows->row_bits);
        code_store(&e->cx, arrays[i].convert(e, arrays[i].data, &lanes),
                   code_pointer_at(&e->cx, arrays[i].type, arrays[i].base, index), bytes < 64 ? bytes : 64);
    }
    nest_close(e, &nest);
    return true;
}

// Without masks where the whole tile lies in the tensor.
static bool pack_rows(Emit *e, const EmitSource *source, const EmitPacked *arrays, unsigned count,
                      const PackedRows *rows) {
    LLVMBuilderRef builder = e->cx.builder;
    ViewAccess load = *emit_val(e, source->values[0])->load;
    LLVMBasicBlockRef ways[2] = {code_block(&e->cx, "whole"), code_block(&e->cx, "in_part")},
                      packed = code_block(&e->cx, "packed");
    LLVMBuildCondBr(builder, emit_view_is_whole(e, &load), ways[0], ways[1]);
    for (unsigned i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(builder, ways[i]);
        load.whole = i == 0;
        if (!pack_all_rows(e, &load, &source->maps[0], arrays, count, rows)) return false;
        LLVMBuildBr(builder, packed);
    }
    LLVMPositionBuilderAtEnd(builder, packed);
    return true;
}

bool emit_pack(Emit *e, const EmitSource *source, const EmitPacked *arrays, unsigned count) {
    Nest nest;
    PackedRows rows;
    if (choose_rows(e, source, arrays, count, &rows)) return pack_rows(e, source, arrays, count, &rows);
    unsigned bits = source->maps[0].bits, value_count = source->combine && !source->alone ? 2 : 1;
    nest_init(&nest, bits);
    nest.vector_fixed = source->vector_bits;
    nest.vector_bits = source->vector_bits;
    TileMap to = source->order ? *source->order : map_identity(bits), from[2];
    for (unsigned v = 0; v < value_count; v++) {
        from[v] = map_compose(&to, &source->maps[v]);
        if (!nest_need(e, &nest, source->values[v], &from[v])) return false;
    }
    for (unsigned i = 0; i < count; i++)
        nest_need_memory(&nest, arrays[i].lane_bits ? arrays[i].lane_bits : code_type_bits(arrays[i].type), &to);
    nest_touch(&nest, 0, EMIT_TILES);
    if (count == 1 && !e->threads.bits) nest.copy_bits = NEST_COPY_BITS;
    nest_open(e, &nest, nest.bits);
    for (unsigned copy = 0; copy < 1u << nest.copy_bits; copy++) {
        nest_copy(e, &nest, copy);
        if (!pack_step(e, &nest, source, from, arrays, count)) return false;
    }
    nest_close(e, &nest);
    return true;
}
