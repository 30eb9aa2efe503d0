// SPDX-License-Identifier: Apache-2.0
// Loop nests over an index space of 2^bits elements, and the evaluation of lazy tiles in them.
#include "compiler/lower/emit.h"

#include <assert.h>

enum { VECTOR_BITS_MAX = 6 };

void nest_init(Nest *nest, unsigned bits) {
    *nest = (Nest){.bits = bits, .widest = 8};
}

// ---- what the body will need: where loops must be split, and how wide elements are
// --------------------------------------------

static bool continues(const TileMap *map, unsigned i) {
    return map->to[i] == (map->to[i - 1] < 0 ? -1 : map->to[i - 1] + 1);
}

void nest_need_memory(Nest *nest, unsigned element_bits, const TileMap *map) {
    if (element_bits > nest->widest) nest->widest = element_bits;
    for (unsigned i = 1; i < map->bits; i++)
        if (!continues(map, i)) nest->breaks |= UINT64_C(1) << i;
}

void nest_touch(Nest *nest, unsigned reads, unsigned writes) {
    nest->reads |= (uint8_t)reads;
    nest->writes |= (uint8_t)writes;
}

static NestEntry *find_entry(Nest *nest, TirValue value, const TileMap *map, bool uniform) {
    for (size_t i = 0; i < nest->entry_count; i++)
        if (nest->entries[i].value == value && nest->entries[i].uniform == uniform &&
            map_equal(&nest->entries[i].map, map))
            return &nest->entries[i];
    return NULL;
}

static NestEntry *add_entry(Emit *e, Nest *nest, TirValue value, const TileMap *map, bool uniform) {
    nest->entries =
        arena_grow(e->arena, nest->entries, nest->entry_count, &nest->entry_capacity, sizeof *nest->entries);
    nest->entries[nest->entry_count] = (NestEntry){.value = value, .map = *map, .uniform = uniform};
    return &nest->entries[nest->entry_count++];
}

// The map at which operand 0 of a MAP op is evaluated for its result at `map`.
TileMap nest_operand_map(const Emit *e, const TirOp *op, const TileMap *map) {
    const TirTypeInfo *result = tir_type(e->module, emit_type_of(e, tir_result(op, 0)));
    const TirTypeInfo *source = tir_type(e->module, emit_type_of(e, op->operands[0]));
    TileMap inner;
    if (op->kind == TIR_OP_broadcast)
        inner = map_broadcast(source, result);
    else if (op->kind == TIR_OP_permute)
        inner = map_permute(source, result, tir_attribute(op, "permutation")->numbers);
    else
        return *map; // reshape keeps the flat order
    return map_compose(map, &inner);
}

static unsigned register_bits(const Emit *e, TirValue value) {
    EmitElement element = emit_element(e, emit_type_of(e, value));
    unsigned widest = 8;
    for (unsigned p = 0; p < element.parts; p++) {
        unsigned bits = emit_type_bits(emit_register_type(e, element, p));
        if (bits > widest) widest = bits;
    }
    return widest;
}

// Whether the nest's lanes and threads have just what the value's have.
static bool is_at_hand(const Nest *nest, const EmitVal *val, const TileMap *map) {
    return nest->vector_fixed && nest->vector_bits == val->register_bits && nest->bits == val->layout.bits &&
           map_equal(map, &val->layout);
}

// Where the nest finds the value.
static const EmitVal *nest_val(Emit *e, const Nest *nest, TirValue value) {
    for (size_t i = 0; i < nest->entry_count; i++)
        if (nest->entries[i].value == value && nest->entries[i].memory) return nest->entries[i].memory;
    return emit_val(e, value);
}

// Registers in memory that only this nest knows of, as it is given back soon.
static const EmitVal *copy_to_memory(Emit *e, TirValue value) {
    EmitVal *memory = arena_new(e->arena, EmitVal);
    bool good = emit_tile_alloc(e, emit_type_of(e, value), NULL, memory) && emit_materialise_to(e, value, memory);
    return good ? memory : NULL;
}

void nest_need(Emit *e, Nest *nest, TirValue value, const TileMap *map) {
    const EmitVal *val = nest_val(e, nest, value);
    if (val->kind == EMIT_SCALAR || find_entry(nest, value, map, false)) return;
    if (val->kind == EMIT_REGISTERS) {
        const EmitVal *memory = is_at_hand(nest, val, map) ? NULL
                                : e->temporary             ? copy_to_memory(e, value)
                                                           : emit_materialise(e, value);
        if (!memory) { // where it is not at hand its evaluation fails
            add_entry(e, nest, value, map, false);
            return;
        }
        val = memory;
    }
    if (val->load && !emit_need_load(e, nest, value, map) && !emit_materialise(e, value)) {
        emit_val(e, value)->kind = EMIT_NONE; // its evaluation fails
        return;
    }
    NestEntry *entry = add_entry(e, nest, value, map, false);
    if (val != emit_val(e, value)) entry->memory = val;
    unsigned bits = register_bits(e, value);
    if (val->kind == EMIT_MEMORY) {
        TileMap at = map_compose(map, &val->layout);
        nest_need_memory(nest, bits, &at);
        if (!LLVMIsAGlobalVariable(val->value.parts[0])) nest_touch(nest, EMIT_TILES, 0); // those are constants
        return;
    }
    assert(val->kind == EMIT_LAZY);
    const TirOp *op = tir_value(e->function, value)->definition;
    if (val->load) {
        nest_touch(nest, EMIT_BUFFERS, 0);
        if (bits > nest->widest) nest->widest = bits;
    } else if (op->kind == TIR_OP_iota) {
        nest_need_memory(nest, bits, map);
    } else if (emit_row(op->kind)->class == EMIT_CLASS_MAP) {
        TileMap inner = nest_operand_map(e, op, map);
        nest_need(e, nest, op->operands[0], &inner);
    } else if (emit_restored(e, op) != TIR_NO_VALUE) {
        nest_need(e, nest, emit_restored(e, op), map);
    } else {
        if (bits > nest->widest) nest->widest = bits;
        for (uint32_t i = 0; i < op->operand_count; i++) nest_need(e, nest, op->operands[i], map);
    }
}

// ---- loops
// ----------------------------------------------------------------------------------------------------------------------

static void open_loop(Emit *e, Nest *nest, unsigned first, unsigned count, bool reverse) {
    NestLoop *loop = &nest->loops[nest->loop_count++];
    loop->first = (uint8_t)first;
    loop->count = (uint8_t)count;
    loop->loop = emit_count_open(e, emit_i64(e, (int64_t)1 << count));
    loop->position = loop->loop.index;
    if (reverse)
        loop->position = LLVMBuildSub(e->cx.builder, emit_i64(e, ((int64_t)1 << count) - 1), loop->position, "");
}

void nest_open_bits(Emit *e, Nest *nest, unsigned first, unsigned count, bool reverse) {
    for (unsigned end = first + count; end > first;) {
        unsigned start = end - 1;
        while (start > first && !(nest->breaks >> start & 1)) start--;
        open_loop(e, nest, start, end - start, reverse);
        end = start;
    }
    for (size_t i = 0; i < nest->entry_count; i++) nest->entries[i].done = false; // values of an outer step are stale
}

static unsigned thread_bits(const Emit *e) {
    return e->threads.alone ? 0 : e->threads.bits;
}

// No more than that all threads have some.
unsigned nest_lanes_bits(const Emit *e, unsigned element_bits, unsigned bits) {
    unsigned lanes = e->cx.machine.vector_bits / element_bits, most = map_log2(lanes ? lanes : 1);
    if (most > VECTOR_BITS_MAX) most = VECTOR_BITS_MAX;
    unsigned left = emit_is_gpu(e) ? bits - (bits < thread_bits(e) ? bits : thread_bits(e)) : bits;
    return most < left ? most : left;
}

// The steps of iteration bits from `first` on that threads share; the number of the first bit beyond them.
static unsigned open_threads(Emit *e, Nest *nest, unsigned first, unsigned end) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned all = thread_bits(e), count = end - first < all ? end - first : all, next;
    emit_order(e, nest->reads, nest->writes);
    if (nest->writes && !nest->collective && count < all) {
        nest->guard = emit_some_threads_open(e, count);
        nest->guarded = true;
    }
    for (unsigned start = first; start < first + count; start = next) {
        next = start + 1;
        while (next < first + count && !(nest->breaks >> next & 1)) next++;
        LLVMValueRef position = e->threads.index;
        if (start > first) position = LLVMBuildLShr(builder, position, emit_i64(e, start - first), "");
        if (next - first < all)
            position = LLVMBuildAnd(builder, position, emit_i64(e, (INT64_C(1) << (next - start)) - 1), "");
        nest->loops[nest->loop_count++] =
            (NestLoop){(uint8_t)start, (uint8_t)(next - start), .position = position, .is_threads = true};
    }
    return first + count;
}

void nest_open(Emit *e, Nest *nest, unsigned top_bits) {
    if (!nest->vector_fixed) nest->vector_bits = nest_lanes_bits(e, nest->widest, top_bits);
    unsigned first = nest->vector_bits;
    if (emit_is_gpu(e)) first = open_threads(e, nest, first, top_bits);
    nest_open_bits(e, nest, first, top_bits - first, false);
}

void nest_close_to(Emit *e, Nest *nest, unsigned loop_count) {
    while (nest->loop_count > loop_count)
        if (!nest->loops[--nest->loop_count].is_threads) emit_count_close(e, &nest->loops[nest->loop_count].loop);
    for (size_t i = 0; i < nest->entry_count; i++) nest->entries[i].done = false; // does not dominate what follows
}

void nest_close(Emit *e, Nest *nest) {
    nest_close_to(e, nest, 0);
    if (nest->guarded) emit_guard_close(e, &nest->guard, 0, NULL);
}

LLVMValueRef nest_index(Emit *e, const Nest *nest, const TileMap *map) {
    LLVMValueRef index = NULL;
    for (unsigned i = 0; i < nest->loop_count; i++) {
        const NestLoop *loop = &nest->loops[i];
        if (loop->first >= map->bits || map->to[loop->first] < 0) continue;
        LLVMValueRef term = loop->position;
        if (map->to[loop->first]) term = LLVMBuildShl(e->cx.builder, term, emit_i64(e, map->to[loop->first]), "");
        index = index ? LLVMBuildAdd(e->cx.builder, index, term, "") : term;
    }
    return index ? index : emit_i64(e, 0);
}

unsigned nest_lane_offset(const Nest *nest, const TileMap *map, unsigned lane) {
    unsigned offset = 0;
    for (unsigned i = 0; i < nest->vector_bits && i < map->bits; i++)
        if (lane >> i & 1 && map->to[i] >= 0) offset |= 1u << map->to[i];
    return offset;
}

// ---- memory
// ---------------------------------------------------------------------------------------------------------------------

static unsigned alignment_of(unsigned bytes) {
    return bytes > 64 ? 64 : bytes;
}

static bool is_uniform(const Nest *nest, const TileMap *map) {
    for (unsigned i = 0; i < nest->vector_bits && i < map->bits; i++)
        if (map->to[i] >= 0) return false;
    return true;
}

// How many low lane bits are consecutive index bits 0, 1, ..., in that order; all of them: one plain vector access.
static bool is_contiguous(const Nest *nest, const TileMap *map) {
    for (unsigned i = 0; i < nest->vector_bits; i++)
        if (map->to[i] != (int)i) return false;
    return true;
}

// Number c of index bits 0..c-1 that all come from lanes: chunks of 2^c neighbours can be loaded at once.
static unsigned chunk_bits(const Nest *nest, const TileMap *map) {
    unsigned covered = 0;
    for (unsigned i = 0; i < nest->vector_bits; i++)
        if (map->to[i] >= 0) covered |= 1u << map->to[i];
    return (unsigned)__builtin_ctz(~covered);
}

static LLVMValueRef concatenate(Emit *e, LLVMValueRef *chunks, unsigned count, unsigned lanes) {
    for (; count > 1; count /= 2, lanes *= 2) {
        LLVMValueRef order[1 << VECTOR_BITS_MAX];
        for (unsigned i = 0; i < 2 * lanes; i++) order[i] = emit_i32(e, (int32_t)i);
        LLVMValueRef both = LLVMConstVector(order, 2 * lanes);
        for (unsigned i = 0; i < count / 2; i++)
            chunks[i] = LLVMBuildShuffleVector(e->cx.builder, chunks[2 * i], chunks[2 * i + 1], both, "");
    }
    return chunks[0];
}

// One past the largest offset of a lane.
static unsigned lane_span(const Nest *nest, const TileMap *map) {
    return nest_lane_offset(nest, map, (1u << nest->vector_bits) - 1) + 1;
}

// Lanes that lie within a few vectors' length: vectors of all that lies there are loaded, the last one up to the last
// lane, and shuffled into place two at a time.
static LLVMValueRef load_within(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef start, const TileMap *map) {
    unsigned lanes = 1u << nest->vector_bits, span = lane_span(nest, map), bytes = emit_type_bits(type) / 8;
    LLVMTypeRef vector = LLVMVectorType(type, lanes);
    LLVMValueRef result = NULL;
    for (unsigned first = 0; first < span; first += 2 * lanes) {
        LLVMValueRef pair[2] = {NULL, LLVMGetUndef(vector)}, order[1 << VECTOR_BITS_MAX], blend[1 << VECTOR_BITS_MAX];
        unsigned begin[2] = {0, 0};
        for (unsigned i = 0; i < 2 && first + i * lanes < span; i++) {
            begin[i] = first + i * lanes + lanes <= span ? first + i * lanes : span - lanes;
            pair[i] = emit_load(e, vector, emit_pointer_at(e, type, start, emit_i64(e, begin[i])), bytes);
        }
        for (unsigned lane = 0; lane < lanes; lane++) {
            unsigned offset = nest_lane_offset(nest, map, lane), i = offset / lanes & 1;
            bool here = offset / (2 * lanes) == first / (2 * lanes);
            order[lane] = here ? emit_i32(e, (int32_t)(offset - begin[i] + i * lanes)) : emit_i32(e, 0);
            blend[lane] = emit_i32(e, (int32_t)(lane + (here ? lanes : 0)));
        }
        LLVMValueRef placed =
            LLVMBuildShuffleVector(e->cx.builder, pair[0], pair[1], LLVMConstVector(order, lanes), "");
        result =
            result ? LLVMBuildShuffleVector(e->cx.builder, result, placed, LLVMConstVector(blend, lanes), "") : placed;
    }
    return result;
}

// Single elements, far apart.
static LLVMValueRef load_elements(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef start, const TileMap *map) {
    unsigned lanes = 1u << nest->vector_bits;
    LLVMValueRef result = LLVMGetUndef(LLVMVectorType(type, lanes));
    for (unsigned lane = 0; lane < lanes; lane++) {
        LLVMValueRef pointer = emit_pointer_at(e, type, start, emit_i64(e, nest_lane_offset(nest, map, lane)));
        LLVMValueRef one = emit_load(e, type, pointer, emit_type_bits(type) / 8);
        result = LLVMBuildInsertElement(e->cx.builder, result, one, emit_i32(e, (int32_t)lane), "");
    }
    return result;
}

// Lanes that are spread: chunks of neighbours are loaded, joined, and shuffled into place.
static LLVMValueRef load_spread(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef start, const TileMap *map) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned lanes = 1u << nest->vector_bits, chunk = chunk_bits(nest, map),
             bytes = (emit_type_bits(type) / 8) << chunk;
    unsigned far[VECTOR_BITS_MAX], far_count = 0; // index bits beyond the chunk
    for (unsigned i = 0; i < nest->vector_bits; i++)
        if (map->to[i] >= (int)chunk) far[far_count++] = (unsigned)map->to[i];
    unsigned span = lane_span(nest, map), vectors = (span + lanes - 1) / lanes;
    if (span >= lanes && 2 * vectors <= 1u << far_count) return load_within(e, nest, type, start, map);
    if (!chunk && 1u << far_count == lanes) return load_elements(e, nest, type, start, map);
    LLVMValueRef chunks[1 << VECTOR_BITS_MAX];
    for (unsigned c = 0; c < 1u << far_count; c++) {
        unsigned offset = 0;
        for (unsigned i = 0; i < far_count; i++)
            if (c >> i & 1) offset |= 1u << far[i];
        LLVMTypeRef loaded = chunk ? LLVMVectorType(type, 1u << chunk) : type;
        LLVMValueRef pointer = emit_pointer_at(e, type, start, emit_i64(e, offset));
        chunks[c] = emit_load(e, loaded, pointer, alignment_of(bytes));
        if (!chunk) { // a scalar becomes the only lane of a vector
            LLVMValueRef one = LLVMGetUndef(LLVMVectorType(type, 1));
            chunks[c] = LLVMBuildInsertElement(builder, one, chunks[c], emit_i32(e, 0), "");
        }
    }
    LLVMValueRef all = concatenate(e, chunks, 1u << far_count, 1u << chunk);
    LLVMValueRef order[1 << VECTOR_BITS_MAX];
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned from = nest_lane_offset(nest, map, lane) & ((1u << chunk) - 1);
        unsigned offset = nest_lane_offset(nest, map, lane);
        for (unsigned i = 0; i < far_count; i++)
            if (offset >> far[i] & 1) from |= 1u << (chunk + i);
        order[lane] = emit_i32(e, (int32_t)from);
    }
    return LLVMBuildShuffleVector(builder, all, LLVMGetUndef(LLVMTypeOf(all)), LLVMConstVector(order, lanes), "");
}

LLVMValueRef nest_load(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef base, const TileMap *map) {
    LLVMValueRef start = emit_pointer_at(e, type, base, nest_index(e, nest, map));
    unsigned lanes = 1u << nest->vector_bits, bytes = emit_type_bits(type) / 8;
    if (nest->vector_bits == 0) return emit_load(e, type, start, bytes);
    if (is_uniform(nest, map)) return vector_splat(e->cx.builder, emit_load(e, type, start, bytes), lanes);
    if (is_contiguous(nest, map)) return emit_load(e, LLVMVectorType(type, lanes), start, alignment_of(bytes * lanes));
    return load_spread(e, nest, type, start, map);
}

void nest_store(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef base, const TileMap *map,
                LLVMValueRef lanes) {
    LLVMValueRef start = emit_pointer_at(e, type, base, nest_index(e, nest, map));
    unsigned count = 1u << nest->vector_bits, bytes = emit_type_bits(type) / 8;
    if (nest->vector_bits == 0 || is_contiguous(nest, map)) {
        emit_store(e, lanes, start, alignment_of(bytes * count));
        return;
    }
    unsigned chunk = 0; // log2 of how many lanes are neighbours
    while (map->to[chunk] == (int)chunk) chunk++;
    for (unsigned lane = 0; lane < count; lane += 1u << chunk) {
        LLVMValueRef pointer = emit_pointer_at(e, type, start, emit_i64(e, nest_lane_offset(nest, map, lane)));
        emit_store(e, emit_lanes(e, lanes, lane, 1u << chunk), pointer, alignment_of(bytes << chunk));
    }
}

// ---- evaluation
// -----------------------------------------------------------------------------------------------------------------

static NumericValue splat_parts(Emit *e, const NumericValue *scalar, unsigned parts, unsigned lanes) {
    NumericValue value = {0};
    for (unsigned p = 0; p < parts; p++) value.parts[p] = vector_splat(e->cx.builder, scalar->parts[p], lanes);
    return value;
}

static NumericValue load_tile(Emit *e, const Nest *nest, const EmitVal *tile, EmitElement element, const TileMap *map) {
    TileMap at = map_compose(map, &tile->layout);
    NumericValue lanes = {0};
    for (unsigned p = 0; p < element.parts; p++) {
        LLVMTypeRef memory = emit_memory_type(e, element, p), type = emit_register_type(e, element, p);
        LLVMValueRef part = nest_load(e, nest, memory, tile->value.parts[p], &at);
        lanes.parts[p] = memory == type ? part : LLVMBuildTrunc(e->cx.builder, part, vector_type_like(type, part), "");
    }
    return lanes;
}

static LLVMValueRef iota_lanes(Emit *e, const Nest *nest, EmitElement element, const TileMap *map) {
    LLVMTypeRef type = emit_integer_type(e, element.bits);
    LLVMValueRef start = LLVMBuildIntCast2(e->cx.builder, nest_index(e, nest, map), type, false, "");
    if (nest->vector_bits == 0) return start;
    LLVMValueRef offsets[1 << VECTOR_BITS_MAX];
    unsigned lanes = 1u << nest->vector_bits;
    for (unsigned lane = 0; lane < lanes; lane++)
        offsets[lane] = LLVMConstInt(type, nest_lane_offset(nest, map, lane), false);
    return LLVMBuildAdd(e->cx.builder, vector_splat(e->cx.builder, start, lanes), LLVMConstVector(offsets, lanes), "");
}

static bool eval_lazy(Emit *e, Nest *nest, TirValue value, const TileMap *map, NumericValue *lanes) {
    const TirOp *op = tir_value(e->function, value)->definition;
    const EmitRow *row = emit_row(op->kind);
    EmitElement element = emit_element(e, emit_type_of(e, value));
    if (emit_val(e, value)->load) {
        const EmitPlace outer = emit_enter(e, op);
        bool good = emit_eval_load(e, nest, value, map, lanes);
        emit_leave(e, outer);
        return good;
    }
    if (op->kind == TIR_OP_iota) {
        *lanes = emit_unmarked(e, element, iota_lanes(e, nest, element, map));
        return true;
    }
    if (row->class == EMIT_CLASS_MAP) {
        TileMap inner = nest_operand_map(e, op, map);
        return nest_eval(e, nest, op->operands[0], &inner, lanes);
    }
    if (emit_restored(e, op) != TIR_NO_VALUE) return nest_eval(e, nest, emit_restored(e, op), map, lanes);
    FpsanFormat format;
    if (emit_is_float_of_bits(e, op, &format)) return emit_eval_bits(e, nest, op->operands[0], map, format, lanes);
    NumericValue operands[TIR_OPERANDS_MAX];
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!nest_eval(e, nest, op->operands[i], map, &operands[i])) return false;
    const EmitPlace outer = emit_enter(e, op); // errors inside name the op that is evaluated, not the one that needs it
    bool good = emit_call_element(e, op, operands, lanes);
    emit_leave(e, outer);
    return good;
}

void nest_eval_tile(Emit *e, const Nest *nest, const EmitVal *tile, EmitElement element, const TileMap *map,
                    NumericValue *lanes) {
    *lanes = tile->kind == EMIT_SCALAR
                 ? splat_parts(e, &tile->value, element.parts, nest->vector_bits ? 1u << nest->vector_bits : 0)
                 : load_tile(e, nest, tile, element, map);
}

bool nest_eval(Emit *e, Nest *nest, TirValue value, const TileMap *map, NumericValue *lanes) {
    const EmitVal *val = nest_val(e, nest, value);
    EmitElement element = emit_element(e, emit_type_of(e, value));
    unsigned count = nest->vector_bits ? 1u << nest->vector_bits : 0;
    if (val->kind == EMIT_NONE) return false;
    if (val->kind == EMIT_REGISTERS) {
        *lanes = val->value;
        return is_at_hand(nest, val, map);
    }
    if (val->kind == EMIT_SCALAR) {
        *lanes = splat_parts(e, &val->value, element.parts, count);
        return true;
    }
    NestEntry *entry = find_entry(nest, value, map, count == 0);
    if (!entry) entry = add_entry(e, nest, value, map, count == 0);
    size_t index = (size_t)(entry - nest->entries); // the array may move below
    if (!entry->done) {
        NumericValue result = {0};
        if (count && is_uniform(nest, map)) { // the same for all lanes: evaluated once, as a scalar
            unsigned vector_bits = nest->vector_bits;
            nest->vector_bits = 0;
            bool good = nest_eval(e, nest, value, map, &result);
            nest->vector_bits = vector_bits;
            if (!good) return false;
            result = splat_parts(e, &result, element.parts, count);
        } else if (val->kind == EMIT_MEMORY) {
            result = load_tile(e, nest, val, element, map);
        } else if (!eval_lazy(e, nest, value, map, &result)) {
            return false;
        }
        nest->entries[index].lanes = result;
        nest->entries[index].done = true;
    }
    *lanes = nest->entries[index].lanes;
    return true;
}
