// SPDX-License-Identifier: Apache-2.0
// The evaluation of values in a nest: what it needs before the loops are opened, and the lanes of a step.
#include "compiler/lower/emit.h"

#include <assert.h>

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
    LLVMValueRef offsets[1 << NEST_VECTOR_BITS_MAX];
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
        if (count && nest_is_uniform(nest, map)) { // the same for all lanes: evaluated once, as a scalar
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
