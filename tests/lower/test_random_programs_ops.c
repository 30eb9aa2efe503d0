// SPDX-License-Identifier: Apache-2.0
// Random programs: element-wise ops, ops that move elements, reductions and dots.
#include "tests/lower/programs.h"

// ---- conversions ----------------------------------------------------------------------------------------------------

static unsigned bits_of(TirTypeKind kind) {
    return tir_type_rows[kind].bits;
}

static TirType type_like(RandomProgram *p, TirValue value, TirTypeKind kind) {
    ProgramShape shape = program_shape(p, value);
    return program_tile(p, kind, &shape);
}

static TirValue with_sign(RandomProgram *p, TirValue value) {
    program_set(p, value, "signedness", program_roll(p, 2));
    return value;
}

// What leaves the floats as bits must not be a NaN of unknown sign: only payloads have one encoding.
static bool may_bitcast(RandomProgram *p, TirTypeKind from, TirTypeKind to) {
    return bits_of(from) == bits_of(to) && from != to && (p->numeric == COMPILE_PAYLOAD || !program_is_float(from));
}

TirValue program_convert(RandomProgram *p, TirValue value, TirTypeKind kind) {
    TirTypeKind from = program_kind(p, value);
    if (kind == TIR_TYPE_f8E8M0FNU && !program_is_float(from)) value = program_convert(p, value, TIR_TYPE_f32);
    from = program_kind(p, value);
    TirType type = type_like(p, value, kind);
    if (from == kind) return value;
    if (may_bitcast(p, from, kind) && program_chance(p, 30)) return program_value(p, TIR_OP_bitcast, type, 1, &value);
    if (program_is_float(from) && program_is_float(kind)) {
        value = program_value(p, TIR_OP_ftof, type, 1, &value);
        if (kind == TIR_TYPE_f8E8M0FNU)
            program_set(p, value, "rounding", program_chance(p, 50) ? TIR_rounding_zero : TIR_rounding_positive_inf);
        return value;
    }
    if (program_is_float(from)) return with_sign(p, program_value(p, TIR_OP_ftoi, type, 1, &value));
    if (program_is_float(kind)) return with_sign(p, program_value(p, TIR_OP_itof, type, 1, &value));
    if (bits_of(from) < bits_of(kind)) return with_sign(p, program_value(p, TIR_OP_exti, type, 1, &value));
    return program_value(p, TIR_OP_trunci, type, 1, &value);
}

// ---- element by element ---------------------------------------------------------------------------------------------

#define PICK_OP(p, table) (table)[program_roll(p, BASE_COUNT(table))]

static TirOpKind float_unary(RandomProgram *p) {
    static const TirOpKind exact[] = {TIR_OP_absf, TIR_OP_negf, TIR_OP_floor, TIR_OP_ceil, TIR_OP_sqrt};
    static const TirOpKind all[] = {TIR_OP_absf,  TIR_OP_negf, TIR_OP_floor, TIR_OP_ceil, TIR_OP_sqrt, TIR_OP_exp,
                                    TIR_OP_exp2,  TIR_OP_log,  TIR_OP_log2,  TIR_OP_sin,  TIR_OP_cos,  TIR_OP_tan,
                                    TIR_OP_rsqrt, TIR_OP_sinh, TIR_OP_cosh,  TIR_OP_tanh};
    return p->numeric == COMPILE_PAYLOAD ? PICK_OP(p, all) : PICK_OP(p, exact);
}

static TirOpKind float_binary(RandomProgram *p) {
    static const TirOpKind exact[] = {TIR_OP_addf, TIR_OP_subf, TIR_OP_mulf, TIR_OP_addf, TIR_OP_subf,
                                      TIR_OP_mulf, TIR_OP_divf, TIR_OP_maxf, TIR_OP_minf};
    static const TirOpKind all[] = {TIR_OP_addf, TIR_OP_subf, TIR_OP_mulf, TIR_OP_addf, TIR_OP_subf, TIR_OP_mulf,
                                    TIR_OP_divf, TIR_OP_maxf, TIR_OP_minf, TIR_OP_remf, TIR_OP_pow,  TIR_OP_atan2};
    return p->numeric == COMPILE_PAYLOAD ? PICK_OP(p, all) : PICK_OP(p, exact);
}

static TirValue float_op(RandomProgram *p, TirValue a) {
    TirType type = program_type(p, a);
    TirTypeKind kind = program_kind(p, a);
    bool fused = p->numeric == COMPILE_PAYLOAD || kind == TIR_TYPE_f32 || kind == TIR_TYPE_f64;
    if (program_chance(p, 25)) return program_value(p, float_unary(p), type, 1, &a);
    if (fused && program_chance(p, 20))
        return program_value(p, TIR_OP_fma, type, 3, (TirValue[]){a, program_want(p, type), program_want(p, type)});
    if (p->numeric == COMPILE_PAYLOAD && program_chance(p, 10)) return program_power(p, a);
    TirOpKind op = float_binary(p);
    TirValue value = program_binary(p, op, a, program_want(p, type));
    if ((op == TIR_OP_maxf || op == TIR_OP_minf) && program_chance(p, 50)) program_set(p, value, "nan", 1);
    return value;
}

// Neither by zero nor the smallest number by -1.
static TirValue division(RandomProgram *p, TirValue a) {
    static const uint64_t roundings[] = {TIR_rounding_zero, TIR_rounding_positive_inf, TIR_rounding_negative_inf};
    TirType type = program_type(p, a);
    bool is_signed = program_chance(p, 50), remainder = program_chance(p, 40);
    TirValue one = program_splat(p, type, 1), b = program_binary(p, TIR_OP_ori, program_want(p, type), one);
    if (program_chance(p, 30)) b = program_splat(p, type, program_bits(p, program_kind(p, a)) | 1);
    a = program_binary(p, TIR_OP_shri, a, one);
    program_set(p, a, "signedness", is_signed);
    TirValue value = program_binary(p, remainder ? TIR_OP_remi : TIR_OP_divi, a, b);
    program_set(p, value, "signedness", is_signed);
    if (!remainder) program_set(p, value, "rounding", roundings[program_roll(p, is_signed ? 3 : 2)]);
    return value;
}

static TirValue integer_op(RandomProgram *p, TirValue a) {
    static const TirOpKind kinds[] = {TIR_OP_addi, TIR_OP_subi, TIR_OP_muli, TIR_OP_andi, TIR_OP_ori,   TIR_OP_xori,
                                      TIR_OP_maxi, TIR_OP_mini, TIR_OP_shli, TIR_OP_shri, TIR_OP_mulhii};
    TirType type = program_type(p, a);
    if (program_chance(p, 15)) return program_value(p, program_chance(p, 50) ? TIR_OP_absi : TIR_OP_negi, type, 1, &a);
    if (program_kind(p, a) != TIR_TYPE_i1 && program_chance(p, 15)) return division(p, a);
    TirOpKind op = PICK_OP(p, kinds);
    TirValue b = program_want(p, type);
    if ((op == TIR_OP_shli || op == TIR_OP_shri) && program_chance(p, 70))
        b = program_binary(p, TIR_OP_andi, b, program_splat(p, type, 7 & bits_of(program_kind(p, a))));
    TirValue value = program_binary(p, op, a, b);
    if (op == TIR_OP_maxi || op == TIR_OP_mini || op == TIR_OP_shri) with_sign(p, value);
    return value;
}

static TirValue comparison(RandomProgram *p, TirValue a, TirValue b) {
    bool is_float = program_is_float(program_kind(p, a));
    TirValue operands[2] = {a, b};
    TirValue value = program_value(p, is_float ? TIR_OP_cmpf : TIR_OP_cmpi, type_like(p, a, TIR_TYPE_i1), 2, operands);
    program_set(p, value, "predicate", program_roll(p, 6));
    program_set(p, value, is_float ? "ordering" : "signedness", program_roll(p, 2));
    return value;
}

static TirValue selection(RandomProgram *p, TirValue a) {
    TirType type = program_type(p, a);
    TirValue condition = program_want(p, type_like(p, a, TIR_TYPE_i1));
    return program_value(p, TIR_OP_select, type, 3, (TirValue[]){condition, a, program_want(p, type)});
}

static bool has_predicate(RandomProgram *p, TirValue value) {
    TirTypeKind kind = program_kind(p, value);
    return !program_is_float(kind) && kind != TIR_TYPE_i1;
}

static TirValue assumption(RandomProgram *p, TirValue a) {
    static const int64_t numbers[2] = {0, 0};
    TirValue value = program_value(p, TIR_OP_assume, program_type(p, a), 1, &a);
    TirAttribute *predicate = tir_op_set(tir_value(p->function, value)->definition, "predicate");
    predicate->tag = TIR_TAG_BOUNDED;
    predicate->numbers = numbers;
    predicate->length = 2;
    return value;
}

TirValue program_element_op_on(RandomProgram *p, TirValue a) {
    TirTypeKind kind = program_kind(p, a);
    if (!program_is_packed(kind) && program_chance(p, 12)) return selection(p, a);
    if (program_chance(p, 15) || (program_is_float(kind) && !program_has_arithmetic(kind)))
        return program_convert(p, a, p->kinds[program_roll(p, BASE_COUNT(p->kinds))]);
    if (program_chance(p, 10)) return comparison(p, a, program_want(p, program_type(p, a)));
    if (has_predicate(p, a) && program_chance(p, 8)) return assumption(p, a);
    return program_is_float(kind) ? float_op(p, a) : integer_op(p, a);
}

void program_element_op(RandomProgram *p) {
    program_keep(p, program_element_op_on(p, program_pick_number(p)));
}

// ---- what moves elements --------------------------------------------------------------------------------------------

static TirValue permute(RandomProgram *p, TirValue value) {
    ProgramShape from = program_shape(p, value), to = {.rank = from.rank};
    int64_t *order = arena_array(&p->module->arena, int64_t, from.rank);
    for (uint32_t d = 0; d < from.rank; d++) order[d] = d;
    for (uint32_t d = from.rank; d-- > 1;) {
        uint64_t other = program_roll(p, d + 1);
        int64_t dimension = order[d];
        order[d] = order[other];
        order[other] = dimension;
    }
    for (uint32_t d = 0; d < from.rank; d++) to.sizes[d] = from.sizes[order[d]];
    TirValue result = program_value(p, TIR_OP_permute, program_tile(p, program_kind(p, value), &to), 1, &value);
    TirAttribute *permutation = tir_op_set(tir_value(p->function, result)->definition, "permutation");
    permutation->numbers = order;
    permutation->length = from.rank;
    return result;
}

static TirValue broadcast(RandomProgram *p, TirValue value) {
    ProgramShape shape = program_shape(p, value), to;
    if (shape.rank < 4) { // a new dimension of size 1
        uint64_t at = program_roll(p, shape.rank + 1);
        for (uint32_t d = shape.rank++; d > at; d--) shape.sizes[d] = shape.sizes[d - 1];
        shape.sizes[at] = 1;
        value = program_reshape(p, value, &shape);
    }
    to = shape;
    for (uint32_t d = 0; d < shape.rank; d++) {
        int64_t stretch = (int64_t)1 << program_roll(p, 5);
        if (shape.sizes[d] == 1 && program_count(&to) * stretch <= PROGRAM_ELEMENTS_MAX) to.sizes[d] = stretch;
    }
    return program_value(p, TIR_OP_broadcast, program_tile(p, program_kind(p, value), &to), 1, &value);
}

static TirValue extract(RandomProgram *p, TirValue value) {
    ProgramShape whole = program_shape(p, value), part = whole;
    TirValue operands[6] = {value};
    for (uint32_t d = 0; d < whole.rank; d++) {
        if (program_chance(p, 60)) part.sizes[d] >>= program_roll(p, 4);
        if (!part.sizes[d]) part.sizes[d] = 1;
        int64_t slices = whole.sizes[d] / part.sizes[d];
        ProgramShape scalar = {0};
        TirType i32 = program_tile(p, TIR_TYPE_i32, &scalar);
        operands[1 + d] = program_scalar(p, TIR_TYPE_i32, program_roll(p, (uint64_t)slices));
        if (program_chance(p, 30))
            operands[1 + d] =
                program_binary(p, TIR_OP_andi, program_want(p, i32), program_splat(p, i32, (uint64_t)slices - 1));
    }
    if (program_is_packed(program_kind(p, value)) && program_count(&part) == 1) return value;
    TirType type = program_tile(p, program_kind(p, value), &part);
    return program_value(p, TIR_OP_extract, type, 1 + whole.rank, operands);
}

static TirValue join(RandomProgram *p, TirValue value) {
    ProgramShape shape = program_shape(p, value);
    if (!shape.rank || program_count(&shape) * 2 > PROGRAM_ELEMENTS_MAX) return value;
    uint64_t d = program_roll(p, shape.rank);
    TirValue operands[2] = {value, program_want(p, program_type(p, value))};
    if (program_chance(p, 50)) operands[0] = operands[1], operands[1] = value;
    shape.sizes[d] *= 2;
    TirValue result = program_value(p, TIR_OP_cat, program_tile(p, program_kind(p, value), &shape), 2, operands);
    program_set(p, result, "dim", d);
    return result;
}

static TirValue count_up(RandomProgram *p) {
    static const TirTypeKind kinds[] = {TIR_TYPE_i8, TIR_TYPE_i16, TIR_TYPE_i32, TIR_TYPE_i64};
    ProgramShape shape = program_likely_shape(p);
    TirTypeKind kind = kinds[program_roll(p, BASE_COUNT(kinds))];
    int64_t count = program_count(&shape);
    if (kind == TIR_TYPE_i8 && count > 256) kind = TIR_TYPE_i32;
    if (count <= 2 && program_chance(p, 20)) kind = TIR_TYPE_i1;
    ProgramShape flat = {.rank = 1, .sizes = {count}};
    TirValue value = program_value(p, TIR_OP_iota, program_tile(p, kind, &flat), 0, NULL);
    return program_chance(p, 60) ? program_reshape(p, value, &shape) : value;
}

static TirValue permute_any(RandomProgram *p, TirValue value) {
    ProgramShape shape = program_shape(p, value);
    if (shape.rank >= 2) return permute(p, value);
    shape = program_random_shape(p, program_count(&shape));
    if (shape.rank < 2) shape = (ProgramShape){.rank = 3, .sizes = {1, program_count(&shape), 1}};
    return permute(p, program_reshape(p, value, &shape));
}

static TirValue reshape_any(RandomProgram *p, TirValue value) {
    ProgramShape shape = program_shape(p, value);
    shape = program_random_shape(p, program_count(&shape));
    return program_reshape(p, value, &shape);
}

TirValue program_move_op_on(RandomProgram *p, TirValue value) {
    switch (p->focused && program_chance(p, 70) ? 7 : program_roll(p, 11)) {
    case 0: value = reshape_any(p, value); break;
    case 1:
    case 2: value = broadcast(p, value); break;
    case 3:
    case 4: value = extract(p, value); break;
    case 5: value = join(p, value); break;
    case 6: value = count_up(p); break;
    case 9: value = program_insert(p, value); break;
    case 10: value = program_repack(p, value); break;
    default: value = permute_any(p, value); break;
    }
    return value;
}

void program_move_op(RandomProgram *p) {
    program_keep(p, program_move_op_on(p, program_pick_number(p)));
}

// ---- reduce and scan ------------------------------------------------------------------------------------------------

static TirAttribute identity(RandomProgram *p, TirTypeKind kind) {
    if (kind == TIR_TYPE_i1) return (TirAttribute){.present = true, .tag = TIR_TAG_BOOL};
    return (TirAttribute){.present = true,
                          .tag = program_is_float(kind) ? TIR_TAG_FLOAT : TIR_TAG_INTEGER,
                          .type = tir_type_scalar(p->module, kind)};
}

// The same as a select, but for marks: an `if`.
static TirValue choice(RandomProgram *p, TirType type, TirValue condition, TirValue a, TirValue b) {
    TirOp *op = program_op(p, TIR_OP_if, 1, &type, 1, &condition, NULL);
    TirBlock *outer = p->block;
    for (int i = 0; i < 2; i++) {
        p->block = tir_block_add(&op->regions[i], 0, NULL);
        program_op(p, TIR_OP_yield, 0, NULL, 1, i ? &b : &a, NULL);
    }
    p->block = outer;
    return tir_result(op, 0);
}

// An op on the scalars that are usable in the body.
static void combining_op(RandomProgram *p, TirType type) {
    TirValue a = program_pick(p, type), b = program_pick(p, type);
    TirTypeKind kind = tir_tile_element_kind(p->module, type);
    if (program_chance(p, 20)) b = program_constant(p, type);
    if (program_chance(p, 20) || (program_is_float(kind) && !program_has_arithmetic(kind))) {
        TirType truth = type_like(p, a, TIR_TYPE_i1);
        TirValue condition = program_pick(p, truth);
        if (program_has_arithmetic(kind) || !program_is_float(kind)) condition = comparison(p, a, b);
        if (condition == TIR_NO_VALUE) condition = program_constant(p, truth);
        if (program_chance(p, 30))
            program_keep(p, choice(p, type, condition, a, b));
        else
            program_keep(p, program_value(p, TIR_OP_select, type, 3, (TirValue[]){condition, a, b}));
    } else if (program_is_float(kind)) {
        program_keep(p, program_binary(p, float_binary(p), a, b));
    } else {
        static const TirOpKind kinds[] = {TIR_OP_addi, TIR_OP_subi, TIR_OP_muli, TIR_OP_xori, TIR_OP_maxi};
        TirOpKind op = PICK_OP(p, kinds);
        if (kind != TIR_TYPE_i1 && program_chance(p, 10)) { // by an odd number
            b = program_binary(p, TIR_OP_ori, b, program_splat(p, type, 1));
            program_set(p, program_keep(p, program_binary(p, TIR_OP_remi, a, b)), "signedness", program_roll(p, 2));
            return;
        }
        TirValue value = program_keep(p, program_binary(p, op, a, b));
        if (op == TIR_OP_maxi) with_sign(p, value);
    }
}

static void aggregate_body(RandomProgram *p, TirOp *op, uint32_t count, const TirType *scalars) {
    TirType arguments[8];
    TirValue yielded[4];
    TirBlock *outer = p->block;
    uint32_t visible = p->value_count;
    for (uint32_t i = 0; i < 2 * count; i++) arguments[i] = scalars[i / 2];
    p->block = tir_block_add(&op->regions[0], 2 * count, arguments);
    for (uint32_t i = 0; i < 2 * count; i++) program_keep(p, p->block->first_argument + i);
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t n = 1 + program_roll(p, 2); n > 0; n--) combining_op(p, scalars[i]);
    for (uint32_t i = 0; i < count; i++) yielded[i] = program_pick(p, scalars[i]);
    program_op(p, TIR_OP_yield, 0, NULL, count, yielded, NULL);
    p->block = outer;
    p->value_count = visible;
}

void program_aggregate(RandomProgram *p) {
    TirValue operands[4] = {program_pick_number(p)};
    ProgramShape shape = program_shape(p, operands[0]), scalar = {0}, reduced;
    if (!shape.rank || program_is_packed(program_kind(p, operands[0]))) return; // bodies have tiles of one element
    bool scans = program_chance(p, 40);
    uint32_t count = program_chance(p, 30) ? 2 + (uint32_t)program_roll(p, 2) : 1;
    uint64_t dim = program_roll(p, shape.rank);
    TirType results[4], scalars[4];
    TirAttribute *identities = arena_array(&p->module->arena, TirAttribute, 4);
    reduced = shape;
    for (uint32_t d = (uint32_t)dim; !scans && d + 1 < reduced.rank; d++) reduced.sizes[d] = reduced.sizes[d + 1];
    if (!scans) reduced.rank--;
    for (uint32_t i = 0; i < count; i++) {
        TirTypeKind kind = i ? p->kinds[program_roll(p, BASE_COUNT(p->kinds))] : program_kind(p, operands[0]);
        if (program_is_packed(kind)) kind = TIR_TYPE_f16;
        if (i) operands[i] = program_want(p, program_tile(p, kind, &shape));
        results[i] = program_tile(p, kind, &reduced);
        scalars[i] = program_tile(p, kind, &scalar);
        identities[i] = identity(p, kind);
    }
    TirOp *op = program_op(p, scans ? TIR_OP_scan : TIR_OP_reduce, count, results, count, operands, NULL);
    tir_op_set(op, "dim")->integer = dim;
    if (scans) tir_op_set(op, "reverse")->integer = program_roll(p, 2);
    TirAttribute *attribute = tir_op_set(op, "identities");
    attribute->items = identities;
    attribute->length = count;
    aggregate_body(p, op, count, scalars);
    for (uint32_t i = 0; i < count; i++) program_keep(p, tir_result(op, i));
}

// ---- dots -----------------------------------------------------------------------------------------------------------

static TirTypeKind operand_kind(RandomProgram *p, TirTypeKind accumulator) {
    static const TirTypeKind for_f16[] = {TIR_TYPE_f8E4M3FN, TIR_TYPE_f8E5M2, TIR_TYPE_f16};
    static const TirTypeKind for_f32[] = {TIR_TYPE_f8E4M3FN, TIR_TYPE_f8E5M2, TIR_TYPE_f16,
                                          TIR_TYPE_bf16,     TIR_TYPE_tf32,   TIR_TYPE_f32};
    switch (accumulator) {
    case TIR_TYPE_f16: return for_f16[program_roll(p, BASE_COUNT(for_f16))];
    case TIR_TYPE_f64: return TIR_TYPE_f64;
    case TIR_TYPE_i32: return TIR_TYPE_i8;
    default: return for_f32[program_roll(p, BASE_COUNT(for_f32))];
    }
}

static bool can_accumulate(TirTypeKind kind) {
    return kind == TIR_TYPE_f16 || kind == TIR_TYPE_f32 || kind == TIR_TYPE_f64 || kind == TIR_TYPE_i32;
}

TirType program_accumulator_type(RandomProgram *p) {
    if (p->focused) return program_tile(p, p->kinds[0], &p->shapes[0]);
    static const TirTypeKind kinds[] = {TIR_TYPE_f16, TIR_TYPE_f32, TIR_TYPE_f64, TIR_TYPE_i32, TIR_TYPE_f32};
    ProgramShape shape = {.rank = program_chance(p, 80) ? 2 : 3};
    for (uint32_t d = 0; d < shape.rank; d++) shape.sizes[d] = (int64_t)1 << program_roll(p, 5);
    if (program_chance(p, 40)) shape.sizes[shape.rank - 1] = shape.sizes[shape.rank - 2]; // it may be an operand too
    if (shape.rank == 3) shape.sizes[0] = (int64_t)1 << program_roll(p, 3);
    return program_tile(p, kinds[program_roll(p, BASE_COUNT(kinds))], &shape);
}

enum { SCALE_BLOCK = 32 }; // f8 operands that share a scale

static bool can_be_scaled(TirTypeKind operand, TirTypeKind accumulator) {
    return accumulator == TIR_TYPE_f32 && (operand == TIR_TYPE_f8E4M3FN || operand == TIR_TYPE_f8E5M2);
}

static TirValue scaled_dot(RandomProgram *p, const TirValue *operands) {
    ProgramShape left = program_shape(p, operands[0]), right = program_shape(p, operands[1]);
    left.sizes[left.rank - 1] /= SCALE_BLOCK;
    right.sizes[right.rank - 2] /= SCALE_BLOCK;
    TirValue all[5] = {operands[0], operands[1], operands[2],
                       program_want(p, program_tile(p, TIR_TYPE_f8E8M0FNU, &left)),
                       program_want(p, program_tile(p, TIR_TYPE_f8E8M0FNU, &right))};
    return program_value(p, TIR_OP_mmaf_scaled, program_type(p, operands[2]), 5, all);
}

TirValue program_dot(RandomProgram *p, TirValue accumulator) {
    if (accumulator == TIR_NO_VALUE) {
        accumulator = program_pick_number(p);
        uint32_t rank = program_info(p, accumulator)->rank;
        if ((rank != 2 && rank != 3) || !can_accumulate(program_kind(p, accumulator)))
            accumulator = program_want(p, program_accumulator_type(p));
    }
    ProgramShape result = program_shape(p, accumulator), left = result, right = result;
    uint32_t row = result.rank - 2, column = result.rank - 1;
    TirTypeKind kind = operand_kind(p, program_kind(p, accumulator));
    bool square = p->focused || program_chance(p, 40);
    int64_t depth = square ? result.sizes[row] : (int64_t)1 << program_roll(p, 6);
    if (p->focused && program_chance(p, 70)) kind = program_kind(p, accumulator);
    if (kind == TIR_TYPE_i32) kind = TIR_TYPE_i8;
    if (can_be_scaled(kind, program_kind(p, accumulator)) && program_chance(p, 70))
        depth = SCALE_BLOCK << program_roll(p, 2);
    if (program_count(&result) / result.sizes[column] * depth > PROGRAM_ELEMENTS_MAX ||
        program_count(&result) / result.sizes[row] * depth > PROGRAM_ELEMENTS_MAX)
        depth = 1;
    left.sizes[column] = right.sizes[row] = depth;
    TirValue operands[3] = {program_want(p, program_tile(p, kind, &left)),
                            program_want(p, program_tile(p, kind, &right)), accumulator};
    if (can_be_scaled(kind, program_kind(p, accumulator)) && depth % SCALE_BLOCK == 0) return scaled_dot(p, operands);
    bool integers = kind == TIR_TYPE_i8;
    TirValue value = program_value(p, integers ? TIR_OP_mmai : TIR_OP_mmaf, program_type(p, accumulator), 3, operands);
    if (!integers) return value;
    program_set(p, value, "signedness_lhs", program_roll(p, 2));
    program_set(p, value, "signedness_rhs", program_roll(p, 2));
    return value;
}
