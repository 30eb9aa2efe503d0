// SPDX-License-Identifier: Apache-2.0
// Random programs: slices that are inserted, tiles as bytes and back, powers by integers.
#include "tests/lower/programs.h"

TirValue program_insert(RandomProgram *p, TirValue value) {
    ProgramShape whole = program_shape(p, value), part = whole;
    TirValue operands[7] = {TIR_NO_VALUE, value};
    for (uint32_t d = 0; d < whole.rank; d++) {
        if (program_chance(p, 60)) part.sizes[d] >>= program_roll(p, 4);
        if (!part.sizes[d]) part.sizes[d] = 1;
        operands[2 + d] = program_scalar(p, TIR_TYPE_i32, program_roll(p, (uint64_t)(whole.sizes[d] / part.sizes[d])));
    }
    if (program_is_packed(program_kind(p, value)) && program_count(&part) == 1) return value;
    operands[0] = program_want(p, program_tile(p, program_kind(p, value), &part));
    return program_value(p, TIR_OP_insert, program_type(p, value), 2 + whole.rank, operands);
}

static int64_t packed_bits(TirTypeKind kind) {
    return kind == TIR_TYPE_tf32 ? 32 : tir_type_rows[kind].bits;
}

static TirValue flat_value(RandomProgram *p, TirOpKind op, TirTypeKind kind, int64_t count, TirValue value) {
    ProgramShape flat = {.rank = 1, .sizes = {count}};
    return program_value(p, op, program_tile(p, kind, &flat), 1, &value);
}

static TirValue unpack(RandomProgram *p, TirValue bytes, int64_t bits) {
    static const TirTypeKind kinds[] = {TIR_TYPE_i1,  TIR_TYPE_i4,   TIR_TYPE_i16, TIR_TYPE_i32, TIR_TYPE_i64,
                                        TIR_TYPE_f16, TIR_TYPE_bf16, TIR_TYPE_f32, TIR_TYPE_f64, TIR_TYPE_f4E2M1FN};
    static const TirTypeKind wider[] = {TIR_TYPE_i8, TIR_TYPE_i16, TIR_TYPE_i32, TIR_TYPE_i64};
    TirTypeKind kind = kinds[program_roll(p, BASE_COUNT(kinds))];
    int64_t count = bits / packed_bits(kind);
    if (!count || count > PROGRAM_ELEMENTS_MAX) return bytes;
    TirValue value = flat_value(p, TIR_OP_unpack, kind, count, bytes);
    if (kind != TIR_TYPE_i4) return value;
    if (program_chance(p, 30)) // and back
        return flat_value(p, TIR_OP_pack, TIR_TYPE_i8, bits / 8, value);
    value = flat_value(p, TIR_OP_exti, wider[program_roll(p, BASE_COUNT(wider))], count, value);
    program_set(p, value, "signedness", program_roll(p, 2));
    return value;
}

// Bits of a NaN are not known but for payloads, so other floats only go there and back.
TirValue program_repack(RandomProgram *p, TirValue value) {
    TirTypeKind kind = program_kind(p, value);
    ProgramShape shape = program_shape(p, value), flat = {.rank = 1, .sizes = {program_count(&shape)}};
    int64_t bits = packed_bits(kind) * flat.sizes[0];
    if (bits % 8 || (packed_bits(kind) == 8 && kind != TIR_TYPE_i8)) return value;
    TirValue start = program_reshape(p, value, &flat), bytes = start;
    if (kind != TIR_TYPE_i8) bytes = flat_value(p, TIR_OP_pack, TIR_TYPE_i8, bits / 8, start);
    if (kind != TIR_TYPE_i8 && (p->numeric != COMPILE_PAYLOAD ? program_is_float(kind) : program_chance(p, 30)))
        return flat_value(p, TIR_OP_unpack, kind, flat.sizes[0], bytes);
    if (program_chance(p, 40)) bytes = program_binary(p, TIR_OP_xori, bytes, program_want(p, program_type(p, bytes)));
    return program_chance(p, 70) ? unpack(p, bytes, bits) : bytes;
}

// Of payloads: the reference has no library for others.
TirValue program_power(RandomProgram *p, TirValue value) {
    static const TirTypeKind kinds[] = {TIR_TYPE_i1, TIR_TYPE_i8, TIR_TYPE_i16, TIR_TYPE_i32};
    ProgramShape shape = program_shape(p, value);
    TirType exponent = program_tile(p, kinds[program_roll(p, BASE_COUNT(kinds))], &shape);
    return program_value(p, TIR_OP_fpowi, program_type(p, value), 2, (TirValue[]){value, program_want(p, exponent)});
}
