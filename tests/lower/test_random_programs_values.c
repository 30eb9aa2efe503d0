// SPDX-License-Identifier: Apache-2.0
// Random programs: chance, types, and values to compute with.
#include "tests/lower/programs.h"

#include <assert.h>
#include <string.h>

const TirTypeKind program_kinds[PROGRAM_KINDS] = {
    TIR_TYPE_i1,       TIR_TYPE_i8,     TIR_TYPE_i16,       TIR_TYPE_i32,     TIR_TYPE_i64,
    TIR_TYPE_f16,      TIR_TYPE_bf16,   TIR_TYPE_f32,       TIR_TYPE_tf32,    TIR_TYPE_f64,
    TIR_TYPE_f8E4M3FN, TIR_TYPE_f8E5M2, TIR_TYPE_f8E8M0FNU, TIR_TYPE_f4E2M1FN};
const TirTypeKind program_scalar_kinds[PROGRAM_SCALARS] = {TIR_TYPE_i8, TIR_TYPE_i64, TIR_TYPE_f16, TIR_TYPE_f64};

// ---- chance ---------------------------------------------------------------------------------------------------------

uint64_t program_random(RandomProgram *p) { // splitmix64
    uint64_t x = p->state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

uint64_t program_roll(RandomProgram *p, uint64_t n) {
    return program_random(p) % n;
}

bool program_chance(RandomProgram *p, unsigned percent) {
    return program_roll(p, 100) < percent;
}

bool program_format(TirTypeKind kind, FpsanFormat *format) {
    for (*format = 0; *format < FPSAN_FORMAT_COUNT; ++*format)
        if (!strcasecmp(fpsan_format_info(*format)->name, tir_type_rows[kind].name)) return true;
    return false;
}

static uint64_t float_bits(RandomProgram *p, TirTypeKind kind) {
    FpsanFormat format;
    bool known = program_format(kind, &format);
    assert(known);
    (void)known;
    uint64_t lanes = fpsan_format_info(format)->lane_bits, keep = format == FPSAN_TF32 ? 0xffffe000 : UINT64_MAX;
    if (format == FPSAN_F4E2M1FN) return program_roll(p, 16);
    if (p->numeric == COMPILE_PAYLOAD && !program_chance(p, 25)) return program_random(p) >> (64 - lanes) & keep;
    uint64_t roll = program_roll(p, 40);
    double sign = program_chance(p, 50) ? -1 : 1, fraction = 1 + (double)(program_random(p) >> 12) * 0x1p-52;
    double value = roll == 0   ? 0.0
                   : roll == 1 ? __builtin_inf()
                   : roll < 12 ? (double)program_roll(p, 9)
                               : __builtin_ldexp(fraction, (int)program_roll(p, 9) - 5);
    return fpsan_encode_nearest(format, sign * value);
}

uint64_t program_bits(RandomProgram *p, TirTypeKind kind) {
    if (program_is_float(kind)) return float_bits(p, kind);
    uint64_t mask = UINT64_MAX >> (64 - tir_type_rows[kind].bits);
    switch (program_roll(p, 6)) {
    case 0: return program_roll(p, 5) & mask;
    case 1: return -(uint64_t)program_roll(p, 5) & mask;
    case 2: return ((mask >> 1) + program_roll(p, 3) - 1) & mask;
    default: return program_random(p) & mask;
    }
}

// ---- types ----------------------------------------------------------------------------------------------------------

unsigned program_kind_index(TirTypeKind kind) {
    unsigned i = 0;
    while (program_kinds[i] != kind) i++;
    return i;
}

bool program_is_float(TirTypeKind kind) {
    return tir_type_rows[kind].class == TIR_CLASS_FLOAT;
}

bool program_is_packed(TirTypeKind kind) {
    return tir_type_rows[kind].bits == 4;
}

bool program_has_arithmetic(TirTypeKind kind) {
    return kind == TIR_TYPE_f16 || kind == TIR_TYPE_bf16 || kind == TIR_TYPE_f32 || kind == TIR_TYPE_f64;
}

// A tile has an even number of packed elements; one of them is a wider number.
TirType program_tile(RandomProgram *p, TirTypeKind kind, const ProgramShape *shape) {
    if (program_is_packed(kind) && program_count(shape) == 1) kind = TIR_TYPE_f8E4M3FN;
    return tir_type_tile(p->module, tir_type_scalar(p->module, kind), shape->rank, shape->sizes);
}

TirType program_pointer_tile(RandomProgram *p, TirTypeKind pointee, const ProgramShape *shape) {
    TirTypeInfo info = {.kind = TIR_TYPE_ptr, .element = tir_type_scalar(p->module, pointee), .ptr_attr = -1};
    return tir_type_tile(p->module, tir_type_intern(p->module, &info), shape->rank, shape->sizes);
}

TirType program_token_type(RandomProgram *p) {
    return tir_type_intern(p->module, &(TirTypeInfo){.kind = TIR_TYPE_token});
}

TirType program_type(const RandomProgram *p, TirValue value) {
    return tir_value_type(p->function, value);
}

const TirTypeInfo *program_info(const RandomProgram *p, TirValue value) {
    return tir_type(p->module, program_type(p, value));
}

TirTypeKind program_kind(const RandomProgram *p, TirValue value) {
    return tir_tile_element_kind(p->module, program_type(p, value));
}

ProgramShape program_shape(const RandomProgram *p, TirValue value) {
    const TirTypeInfo *info = program_info(p, value);
    ProgramShape shape = {.rank = info->rank};
    assert(info->rank <= 5);
    memcpy(shape.sizes, info->shape, info->rank * sizeof *info->shape);
    return shape;
}

int64_t program_count(const ProgramShape *shape) {
    int64_t count = 1;
    for (uint32_t d = 0; d < shape->rank; d++) count *= shape->sizes[d];
    return count;
}

ProgramShape program_random_shape(RandomProgram *p, int64_t count) {
    ProgramShape shape = {.rank = (uint32_t)program_roll(p, 5)};
    if (!count) count = (int64_t)1 << (program_chance(p, 10) ? program_roll(p, 2) : 2 + program_roll(p, 9));
    if (shape.rank == 0 && count > 1) shape.rank = 1;
    for (uint32_t d = 0; d < shape.rank; d++) shape.sizes[d] = 1;
    for (; count > 1; count /= 2) shape.sizes[program_roll(p, shape.rank)] *= 2;
    return shape;
}

ProgramShape program_likely_shape(RandomProgram *p) {
    return program_chance(p, 85) ? p->shapes[program_roll(p, PROGRAM_SHAPES)] : program_random_shape(p, 0);
}

// ---- ops and values -------------------------------------------------------------------------------------------------

TirValue program_keep(RandomProgram *p, TirValue value) {
    if (p->value_count < PROGRAM_VALUES_MAX) p->values[p->value_count++] = value;
    return value;
}

TirOp *program_op(RandomProgram *p, TirOpKind kind, uint32_t result_count, const TirType *results,
                  uint32_t operand_count, const TirValue *operands, const uint32_t *segments) {
    TirOp *op = tir_op_add(p->block, &(TirNewOp){.kind = kind,
                                                 .operand_count = operand_count,
                                                 .operands = operands,
                                                 .segments = segments,
                                                 .result_count = result_count,
                                                 .results = results});
    op->at = (Location){.file = "random.py", .line = op->number + 1};
    for (uint32_t i = 0; i < operand_count; i++)
        if (operands[i] < PROGRAM_ALL_VALUES_MAX) p->used[operands[i]] = 1;
    return op;
}

TirValue program_value(RandomProgram *p, TirOpKind kind, TirType result, uint32_t operand_count,
                       const TirValue *operands) {
    return tir_result(program_op(p, kind, 1, &result, operand_count, operands, NULL), 0);
}

void program_set(RandomProgram *p, TirValue value, const char *attribute, uint64_t integer) {
    tir_op_set(tir_value(p->function, value)->definition, attribute)->integer = integer;
}

TirValue program_binary(RandomProgram *p, TirOpKind kind, TirValue a, TirValue b) {
    return program_value(p, kind, program_type(p, a), 2, (TirValue[]){a, b});
}

TirValue program_argument(RandomProgram *p, unsigned index) {
    return p->function->body.first->first_argument + index;
}

static bool is_used(const RandomProgram *p, TirValue value) {
    return value >= PROGRAM_ALL_VALUES_MAX || p->used[value];
}

TirValue program_pick(RandomProgram *p, TirType type) {
    uint32_t found = 0;
    TirValue matches[24];
    for (uint32_t i = p->value_count; i-- > 0 && found < 24;)
        if (program_type(p, p->values[i]) == type) matches[found++] = p->values[i];
    if (!found) return TIR_NO_VALUE;
    uint64_t a = program_roll(p, found), b = program_roll(p, found);
    if (is_used(p, matches[a])) a = b;
    return matches[a];
}

static bool is_number(const RandomProgram *p, TirValue value) {
    return program_info(p, value)->kind == TIR_TYPE_tile && program_kind(p, value) != TIR_TYPE_ptr;
}

TirValue program_pick_number(RandomProgram *p) {
    for (int tries = 0;; tries++) {
        uint64_t a = program_roll(p, p->value_count), b = program_roll(p, p->value_count);
        TirValue value = p->values[a > b ? a : b];
        if (!is_number(p, value)) continue;
        if (tries < 3 && tir_tile_elements(p->module, program_type(p, value)) == 1) continue;
        if (tries < 8 && is_used(p, value) && program_chance(p, 60)) continue;
        return value;
    }
}

// ---- constants ------------------------------------------------------------------------------------------------------

static void put_element(uint8_t *bytes, TirTypeKind kind, int64_t i, uint64_t bits) {
    size_t size = kind == TIR_TYPE_tf32 ? 3 : tir_type_rows[kind].storage_bytes;
    if (kind == TIR_TYPE_tf32) bits >>= 13;
    if (kind == TIR_TYPE_i1)
        bytes[i / 8] |= (uint8_t)((bits & 1) << i % 8);
    else
        memcpy(bytes + (size_t)i * size, &bits, size);
}

static TirValue dense(RandomProgram *p, TirType type, int64_t count, const uint64_t *bits) {
    TirTypeKind kind = tir_tile_element_kind(p->module, type);
    size_t size = kind == TIR_TYPE_i1     ? (size_t)(count + 7) / 8
                  : kind == TIR_TYPE_tf32 ? 3 * (size_t)count
                                          : tir_type_rows[kind].storage_bytes * (size_t)count;
    uint8_t *bytes = arena_alloc(&p->module->arena, size + 8);
    for (int64_t i = 0; i < count; i++) put_element(bytes, kind, i, bits[i]);
    if (kind == TIR_TYPE_i1 && count == 1 && bits[0]) bytes[0] = 0xFF;
    TirOp *op = program_op(p, TIR_OP_constant, 1, &type, 0, NULL, NULL);
    tir_op_set(op, "value")->constant = (TirConstant){.bytes = bytes, .size = size};
    return tir_result(op, 0);
}

TirValue program_splat(RandomProgram *p, TirType type, uint64_t bits) {
    return dense(p, type, 1, &bits);
}

TirValue program_constant(RandomProgram *p, TirType type) {
    TirTypeKind kind = tir_tile_element_kind(p->module, type);
    int64_t count = tir_tile_elements(p->module, type);
    uint64_t bits[PROGRAM_ELEMENTS_MAX];
    bool is_splat = count > PROGRAM_ELEMENTS_MAX || program_chance(p, 60);
    if (is_splat) return program_splat(p, type, program_bits(p, kind));
    for (int64_t i = 0; i < count; i++) bits[i] = program_bits(p, kind);
    return dense(p, type, count, bits);
}

// ---- scalars --------------------------------------------------------------------------------------------------------

static TirValue load_control(RandomProgram *p, TirTypeKind kind, uint64_t bits) {
    unsigned index = program_kind_index(kind), slot = p->control_count[index]++;
    ProgramShape scalar = {0};
    TirType i32 = program_tile(p, TIR_TYPE_i32, &scalar);
    TirType results[2] = {program_tile(p, kind, &scalar), program_token_type(p)};
    p->controls[index][slot] = bits;
    TirValue at = program_splat(p, i32, slot);
    TirValue operands[] = {program_argument(p, index), at};
    TirType pointer = program_pointer_tile(p, kind, &scalar);
    TirValue address = tir_result(program_op(p, TIR_OP_offset, 1, &pointer, 2, operands, NULL), 0);
    TirOp *op = program_op(p, TIR_OP_load_ptr_tko, 2, results, 1, &address, (uint32_t[TIR_OPERANDS_MAX]){1});
    tir_op_set(op, "ordering")->integer = TIR_memory_ordering_weak;
    return tir_result(op, 0);
}

TirValue program_scalar(RandomProgram *p, TirTypeKind kind, uint64_t bits) {
    ProgramShape scalar = {0};
    bits &= UINT64_MAX >> (64 - tir_type_rows[kind].storage_bytes * 8);
    bool may_load = !program_is_packed(kind) && p->control_count[program_kind_index(kind)] < PROGRAM_CONTROLS;
    if (may_load && program_chance(p, 30)) return load_control(p, kind, bits);
    return program_splat(p, program_tile(p, kind, &scalar), bits);
}

TirValue program_want_scalar(RandomProgram *p, TirTypeKind kind) {
    ProgramShape scalar = {0};
    TirValue value = program_pick(p, program_tile(p, kind, &scalar));
    return value != TIR_NO_VALUE && program_chance(p, 75) ? value : program_scalar(p, kind, program_bits(p, kind));
}

// ---- a value of a given type ----------------------------------------------------------------------------------------

TirValue program_reshape(RandomProgram *p, TirValue value, const ProgramShape *shape) {
    const TirTypeInfo *info = program_info(p, value);
    TirType type = tir_type_tile(p->module, info->element, shape->rank, shape->sizes);
    return program_value(p, TIR_OP_reshape, type, 1, &value);
}

TirValue program_spread(RandomProgram *p, TirValue scalar, const ProgramShape *shape) {
    ProgramShape ones = {.rank = shape->rank, .sizes = {1, 1, 1, 1, 1}};
    if (!shape->rank) return scalar;
    TirValue one = program_reshape(p, scalar, &ones);
    TirType type = tir_type_tile(p->module, program_info(p, scalar)->element, shape->rank, shape->sizes);
    return program_value(p, TIR_OP_broadcast, type, 1, &one);
}

static bool is_broadcast(const TirTypeInfo *from, const TirTypeInfo *to) {
    if (from->rank != to->rank) return false;
    for (uint32_t d = 0; d < from->rank; d++)
        if (from->shape[d] != to->shape[d] && from->shape[d] != 1) return false;
    return true;
}

// From another value of the same elements (or of the same shape): what one op does.
static TirValue adapt(RandomProgram *p, TirType type) {
    const TirTypeInfo *to = tir_type(p->module, type);
    for (int tries = 0; tries < 12; tries++) {
        TirValue value = program_pick_number(p);
        const TirTypeInfo *from = program_info(p, value);
        ProgramShape shape = {.rank = to->rank};
        memcpy(shape.sizes, to->shape, to->rank * sizeof *to->shape);
        bool same_count = tir_tile_elements(p->module, program_type(p, value)) == tir_tile_elements(p->module, type);
        if (from->element == to->element) {
            if (same_count) return program_reshape(p, value, &shape);
            if (is_broadcast(from, to)) return program_value(p, TIR_OP_broadcast, type, 1, &value);
            if (from->rank == 0) return program_spread(p, value, &shape);
        } else if (same_count && program_chance(p, 50)) {
            if (!is_broadcast(from, to)) value = program_reshape(p, value, &shape);
            return program_convert(p, value, tir_tile_element_kind(p->module, type));
        }
    }
    return TIR_NO_VALUE;
}

// Pointers to what is not near the end, so that offsets of them stay inside.
static TirValue pointer(RandomProgram *p, TirType type) {
    const TirTypeInfo *info = tir_type(p->module, type);
    ProgramShape shape = {.rank = info->rank}, scalar = {0};
    memcpy(shape.sizes, info->shape, info->rank * sizeof *info->shape);
    TirTypeKind pointee = tir_type(p->module, tir_type(p->module, info->element)->element)->kind;
    TirValue operands[2] = {program_argument(p, program_kind_index(pointee)),
                            program_scalar(p, TIR_TYPE_i16, PROGRAM_CONTROLS + program_roll(p, 512))};
    TirValue one = program_value(p, TIR_OP_offset, program_pointer_tile(p, pointee, &scalar), 2, operands);
    return program_keep(p, program_spread(p, one, &shape));
}

TirValue program_want(RandomProgram *p, TirType type) {
    const TirTypeInfo *info = tir_type(p->module, type);
    TirValue value = program_pick(p, type);
    if (info->kind == TIR_TYPE_token)
        return value != TIR_NO_VALUE ? value : program_keep(p, program_value(p, TIR_OP_make_token, type, 0, NULL));
    if (value != TIR_NO_VALUE && program_chance(p, 70)) return value;
    if (tir_tile_element_kind(p->module, type) == TIR_TYPE_ptr) return pointer(p, type);
    value = program_chance(p, 70) ? adapt(p, type) : TIR_NO_VALUE;
    if (value != TIR_NO_VALUE) return program_chance(p, 50) ? program_keep(p, value) : value;
    if (program_chance(p, 30)) return program_constant(p, type);
    return program_keep(p, program_load_of(p, type));
}
