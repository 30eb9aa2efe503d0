// SPDX-License-Identifier: Apache-2.0
// Random programs: loads, stores and atomics through pointers; and loads and stores of either sort.
#include "tests/lower/programs.h"

#include <string.h>

enum { FAR = 3072 }; // one more than the largest index from a pointer that is not a parameter

TirTypeKind program_index_kind(RandomProgram *p) {
    static const TirTypeKind kinds[] = {TIR_TYPE_i32, TIR_TYPE_i64, TIR_TYPE_i32, TIR_TYPE_i16};
    return kinds[program_roll(p, BASE_COUNT(kinds))];
}

void program_set_ordering(RandomProgram *p, TirOp *op, uint64_t strong) {
    bool weak = program_chance(p, 85);
    uint64_t ordering = program_chance(p, 50) ? strong : TIR_memory_ordering_relaxed;
    tir_op_set(op, "ordering")->integer = weak ? TIR_memory_ordering_weak : ordering;
    if (!weak) tir_op_set(op, "scope")->integer = program_roll(p, 3);
}

bool program_takes_token(RandomProgram *p, TirValue *token) {
    *token = program_pick(p, program_token_type(p));
    return *token != TIR_NO_VALUE && program_chance(p, 50);
}

// ---- pointers -------------------------------------------------------------------------------------------------------

// Indices 0 .. limit - 1 of buffer elements: in order, in steps, or anywhere.
static TirValue indices(RandomProgram *p, const ProgramShape *shape, uint64_t limit) {
    TirTypeKind kind = program_index_kind(p);
    TirType type = program_tile(p, kind, shape);
    uint64_t count = (uint64_t)program_count(shape), step = 1 + program_roll(p, 3);
    if (program_chance(p, 25)) { // anywhere
        TirValue mask = program_splat(p, type, 1023);
        return program_binary(p, TIR_OP_andi, program_want(p, type), mask);
    }
    if (program_chance(p, 60) || count * step > limit) step = 1;
    ProgramShape flat = {.rank = 1, .sizes = {(int64_t)count}};
    TirValue value = program_value(p, TIR_OP_iota, program_tile(p, kind, &flat), 0, NULL);
    value = program_reshape(p, value, shape);
    if (step > 1) value = program_binary(p, TIR_OP_muli, value, program_splat(p, type, step));
    uint64_t start = program_roll(p, limit - count * step + 1);
    TirValue first = program_spread(p, program_scalar(p, kind, start), shape);
    return program_chance(p, 70) ? program_binary(p, TIR_OP_addi, value, first) : value;
}

static unsigned bytes_of(TirTypeKind kind) {
    return tir_type_rows[kind].storage_bytes;
}

// Pointers to integers in a buffer of floats: what is stored there makes records invalid.
static TirValue pointers_into_floats(RandomProgram *p, TirTypeKind kind, const ProgramShape *shape) {
    static const TirTypeKind floats[] = {TIR_TYPE_f16, TIR_TYPE_f32, TIR_TYPE_f64, TIR_TYPE_f8E5M2};
    static const ProgramShape scalar = {0};
    TirTypeKind buffer;
    do buffer = floats[program_roll(p, BASE_COUNT(floats))];
    while (bytes_of(buffer) * 2 < bytes_of(kind)); // room for the largest tile
    TirValue operands[2] = {program_argument(p, program_kind_index(buffer)),
                            program_scalar(p, TIR_TYPE_i32, PROGRAM_CONTROLS)};
    TirValue base = program_value(p, TIR_OP_offset, program_pointer_tile(p, buffer, &scalar), 2, operands);
    base = program_value(p, TIR_OP_ptr_to_ptr, program_pointer_tile(p, kind, &scalar), 1, &base);
    uint64_t limit = (PROGRAM_BUFFER_ELEMENTS - PROGRAM_CONTROLS) * bytes_of(buffer) / bytes_of(kind);
    operands[0] = program_spread(p, base, shape);
    operands[1] = indices(p, shape, limit);
    return program_value(p, TIR_OP_offset, program_pointer_tile(p, kind, shape), 2, operands);
}

static TirValue pointers(RandomProgram *p, TirTypeKind kind, const ProgramShape *shape, bool stores) {
    static const ProgramShape scalar = {0};
    TirType one = program_pointer_tile(p, kind, &scalar), many = program_pointer_tile(p, kind, shape);
    TirValue base = program_pick(p, one), index, tile = program_pick(p, many);
    if (shape->rank && tile != TIR_NO_VALUE && program_chance(p, 50)) return tile;
    uint64_t limit = FAR;
    if (base == TIR_NO_VALUE || program_chance(p, 60)) {
        TirValue start = program_scalar(p, TIR_TYPE_i32, stores ? PROGRAM_CONTROLS : 0);
        base =
            program_value(p, TIR_OP_offset, one, 2, (TirValue[]){program_argument(p, program_kind_index(kind)), start});
        if (stores) program_keep(p, base);
        limit = PROGRAM_BUFFER_ELEMENTS - PROGRAM_CONTROLS;
    }
    index = indices(p, shape, limit);
    base = program_spread(p, base, shape);
    tile = tir_result(program_op(p, TIR_OP_offset, 1, &many, 2, (TirValue[]){base, index}, NULL), 0);
    if (shape->rank && (stores || limit == FAR)) program_keep(p, tile);
    return tile;
}

static TirValue load_pointers(RandomProgram *p, TirType type) {
    const TirTypeInfo *info = tir_type(p->module, type);
    ProgramShape shape = {.rank = info->rank};
    memcpy(shape.sizes, info->shape, info->rank * sizeof *info->shape);
    TirTypeKind kind = tir_tile_element_kind(p->module, type);
    TirValue mask, padding, operands[4] = {pointers(p, kind, &shape, false)};
    uint32_t segments[TIR_OPERANDS_MAX] = {1}, count = 1;
    bool masked = program_chance(p, 40), padded = masked && program_chance(p, 70);
    mask = masked ? program_want(p, program_tile(p, TIR_TYPE_i1, &shape)) : TIR_NO_VALUE;
    padding = padded ? program_want(p, type) : TIR_NO_VALUE;
    if (masked) operands[count++] = mask, segments[1] = 1;
    if (padded) operands[count++] = padding, segments[2] = 1;
    if (program_takes_token(p, &operands[count])) count++, segments[3] = 1;
    TirType results[2] = {type, program_token_type(p)};
    TirOp *op = program_op(p, TIR_OP_load_ptr_tko, 2, results, count, operands, segments);
    program_set_ordering(p, op, TIR_memory_ordering_acquire);
    program_keep(p, tir_result(op, 1));
    if (masked && !padded) // what is masked off is not specified: it is not looked at
        return program_value(p, TIR_OP_select, type, 3, (TirValue[]){mask, tir_result(op, 0), program_want(p, type)});
    return tir_result(op, 0);
}

static void store_pointers(RandomProgram *p, TirValue value) {
    ProgramShape shape = program_shape(p, value);
    bool over_floats =
        p->numeric == COMPILE_SHADOW && !program_is_float(program_kind(p, value)) && program_chance(p, 40);
    TirValue operands[4] = {over_floats ? pointers_into_floats(p, program_kind(p, value), &shape)
                                        : pointers(p, program_kind(p, value), &shape, true),
                            value};
    uint32_t segments[TIR_OPERANDS_MAX] = {1, 1}, count = 2;
    if (program_chance(p, 40)) {
        operands[count++] = program_want(p, program_tile(p, TIR_TYPE_i1, &shape));
        segments[2] = 1;
    }
    if (program_takes_token(p, &operands[count])) count++, segments[3] = 1;
    TirType result = program_token_type(p);
    TirOp *op = program_op(p, TIR_OP_store_ptr_tko, 1, &result, count, operands, segments);
    program_set_ordering(p, op, TIR_memory_ordering_release);
    program_keep(p, tir_result(op, 0));
}

// ---- atomics --------------------------------------------------------------------------------------------------------

// A mode of atomic_rmw for the kind; -1 if there is none.
int program_atomic_mode(RandomProgram *p, TirTypeKind kind) {
    static const int integers[] = {TIR_atomic_mode_and,  TIR_atomic_mode_or,   TIR_atomic_mode_xor,
                                   TIR_atomic_mode_add,  TIR_atomic_mode_max,  TIR_atomic_mode_min,
                                   TIR_atomic_mode_umax, TIR_atomic_mode_umin, TIR_atomic_mode_xchg};
    if (kind == TIR_TYPE_i32 || kind == TIR_TYPE_i64) return integers[program_roll(p, BASE_COUNT(integers))];
    if (kind == TIR_TYPE_f16 || kind == TIR_TYPE_bf16) return TIR_atomic_mode_addf;
    if (kind != TIR_TYPE_f32 && kind != TIR_TYPE_f64) return -1;
    return program_chance(p, 50) ? TIR_atomic_mode_addf : TIR_atomic_mode_xchg;
}

TirValue program_atomic(RandomProgram *p, TirValue argument) {
    ProgramShape shape = program_shape(p, argument);
    TirTypeKind kind = program_kind(p, argument);
    TirType type = program_type(p, argument);
    int mode = program_atomic_mode(p, kind);
    if (mode < 0 || program_count(&shape) > 64) return TIR_NO_VALUE;
    // A comparison sees the bits of a NaN.
    bool integers = kind == TIR_TYPE_i32 || kind == TIR_TYPE_i64, swaps = integers && program_chance(p, 30);
    bool masked = program_chance(p, 40);
    TirValue mask = masked ? program_want(p, program_tile(p, TIR_TYPE_i1, &shape)) : TIR_NO_VALUE, operands[5];
    uint32_t segments[TIR_OPERANDS_MAX] = {1, 1, 0}, count = 0;
    operands[count++] = pointers(p, kind, &shape, true);
    if (swaps) operands[count++] = program_want(p, type), segments[2] = 1;
    operands[count++] = argument;
    if (masked) operands[count++] = mask, segments[swaps ? 3 : 2] = 1;
    if (program_takes_token(p, &operands[count])) count++, segments[swaps ? 4 : 3] = 1;
    TirType results[2] = {type, program_token_type(p)};
    TirOpKind op_kind = swaps ? TIR_OP_atomic_cas_tko : TIR_OP_atomic_rmw_tko;
    TirOp *op = program_op(p, op_kind, 2, results, count, operands, segments);
    tir_op_set(op, "ordering")->integer = TIR_memory_ordering_relaxed;
    tir_op_set(op, "scope")->integer = TIR_memory_scope_device;
    if (!swaps) tir_op_set(op, "mode")->integer = (uint64_t)mode;
    program_keep(p, tir_result(op, 1));
    if (!masked || swaps) return tir_result(op, 0);
    return program_value(p, TIR_OP_select, type, 3, (TirValue[]){mask, tir_result(op, 0), program_want(p, type)});
}

// ---- either ---------------------------------------------------------------------------------------------------------

TirValue program_load_of(RandomProgram *p, TirType type) {
    const TirTypeInfo *info = tir_type(p->module, type);
    ProgramShape shape = {.rank = info->rank};
    memcpy(shape.sizes, info->shape, info->rank * sizeof *info->shape);
    bool packed = program_is_packed(tir_tile_element_kind(p->module, type));
    if (packed && !shape.rank) return program_constant(p, type);
    return packed || (shape.rank && program_chance(p, 60)) ? program_load_view(p, type, &shape)
                                                           : load_pointers(p, type);
}

void program_load(RandomProgram *p) {
    ProgramShape shape = program_likely_shape(p);
    program_keep(p, program_load_of(p, program_tile(p, p->kinds[program_roll(p, BASE_COUNT(p->kinds))], &shape)));
}

void program_store(RandomProgram *p, TirValue value) {
    ProgramShape shape = program_shape(p, value);
    bool packed = program_is_packed(program_kind(p, value));
    if (packed && !shape.rank) {
        shape = (ProgramShape){.rank = 1, .sizes = {1}};
        value = program_reshape(p, value, &shape);
    }
    if (packed || (shape.rank && program_chance(p, 60)))
        program_store_view(p, value, &shape);
    else
        store_pointers(p, value);
}
