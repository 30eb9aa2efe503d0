// SPDX-License-Identifier: Apache-2.0
// libdevice's functions on the bits of integers and floats: counts, reversals, the sign.
#include "compiler/triton/translate.h"

static TirValue constant(TriTranslation *t, TirValue like, uint64_t bits) {
    return tri_splat_bits(t, tri_value_tile(t, like), bits);
}
static TirValue combine(TriTranslation *t, TirOpKind kind, TirValue x, TirValue y) {
    return tri_emit2(t, kind, tri_value_tile(t, x), x, y);
}
static TirValue shift_right(TriTranslation *t, TirValue x, unsigned count) { // zeros come in
    return tri_set(t, combine(t, TIR_OP_shri, x, constant(t, x, count)), "signedness", TIR_signedness_unsigned);
}
static TirValue shift_left(TriTranslation *t, TirValue x, unsigned count) {
    return combine(t, TIR_OP_shli, x, constant(t, x, count));
}
static unsigned width(TriTranslation *t, TirValue x) {
    return tir_type_rows[tri_kind(t, tri_value_tile(t, x))].bits;
}

// The lower half of each 2 * `count` bits.
static uint64_t lower_halves(unsigned count) {
    return UINT64_MAX / ((UINT64_C(1) << count) + 1);
}

static TirValue count_ones(TriTranslation *t, TirValue x) {
    const unsigned bits = width(t, x);
    for (unsigned count = 1; count < bits; count *= 2) { // sums of neighbours
        const TirValue mask = constant(t, x, lower_halves(count)), low = combine(t, TIR_OP_andi, x, mask),
                       high = combine(t, TIR_OP_andi, shift_right(t, x, count), mask);
        x = combine(t, TIR_OP_addi, low, high);
    }
    return x;
}

static TirValue count_leading_zeros(TriTranslation *t, TirValue x) {
    const unsigned bits = width(t, x);
    for (unsigned count = 1; count < bits; count *= 2) x = combine(t, TIR_OP_ori, x, shift_right(t, x, count));
    return count_ones(t, combine(t, TIR_OP_xori, x, constant(t, x, UINT64_MAX)));
}

// The place of the lowest one, from 1; 0: there is none.
static TirValue find_first(TriTranslation *t, TirValue x) {
    const TirValue lowest = combine(t, TIR_OP_andi, x, combine(t, TIR_OP_subi, constant(t, x, 0), x));
    return combine(t, TIR_OP_subi, constant(t, x, width(t, x)), count_leading_zeros(t, lowest));
}

static TirValue reverse(TriTranslation *t, TirValue x) {
    const unsigned bits = width(t, x);
    for (unsigned count = 1; count < bits; count *= 2) {
        const TirValue mask = constant(t, x, lower_halves(count)),
                       low = shift_left(t, combine(t, TIR_OP_andi, x, mask), count),
                       high = combine(t, TIR_OP_andi, shift_right(t, x, count), mask);
        x = combine(t, TIR_OP_ori, low, high);
    }
    return x;
}

static TirValue magnitude(TriTranslation *t, TirValue x) {
    return tri_emit1(t, TIR_OP_absi, tri_value_tile(t, x), x);
}

static TirValue sign(TriTranslation *t, TirValue x) {
    const TirTypeKind kind = width(t, x) == 64 ? TIR_TYPE_i64 : TIR_TYPE_i32;
    x = tri_emit1(t, TIR_OP_bitcast, tri_with_element(t, tri_value_tile(t, x), kind), x);
    return shift_right(t, x, width(t, x) - 1);
}

static const struct {
    const char *symbol;
    TirTypeKind from, to;
    TirValue (*emit)(TriTranslation *t, TirValue x);
} rows[] = {{"__nv_popc", TIR_TYPE_i32, TIR_TYPE_i32, count_ones},
            {"__nv_popcll", TIR_TYPE_i64, TIR_TYPE_i32, count_ones},
            {"__nv_clz", TIR_TYPE_i32, TIR_TYPE_i32, count_leading_zeros},
            {"__nv_clzll", TIR_TYPE_i64, TIR_TYPE_i32, count_leading_zeros},
            {"__nv_ffs", TIR_TYPE_i32, TIR_TYPE_i32, find_first},
            {"__nv_ffsll", TIR_TYPE_i64, TIR_TYPE_i32, find_first},
            {"__nv_brev", TIR_TYPE_i32, TIR_TYPE_i32, reverse},
            {"__nv_brevll", TIR_TYPE_i64, TIR_TYPE_i64, reverse},
            {"__nv_abs", TIR_TYPE_i32, TIR_TYPE_i32, magnitude},
            {"__nv_llabs", TIR_TYPE_i64, TIR_TYPE_i64, magnitude},
            {"__nv_signbitf", TIR_TYPE_f32, TIR_TYPE_i32, sign},
            {"__nv_signbitd", TIR_TYPE_f64, TIR_TYPE_i32, sign}};

bool tri_emit_bits(TriTranslation *t, const TriOp *op, bool *known) {
    TirValue x;
    const char *symbol = tri_attribute(op, "symbol")->text;
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        if (strcmp(rows[i].symbol, symbol) != 0) continue;
        *known = true;
        const TirType type = tri_result_type(t, op);
        if (op->operand_count != 1) return tri_fail(t, "%u operands", op->operand_count);
        if (!tri_use(t, op->operands[0], &x)) return false;
        const TirType own = tri_value_tile(t, x);
        if (tri_kind(t, own) != rows[i].from || type != tri_with_element(t, own, rows[i].to))
            return tri_fail(t, "operands or a result of another type");
        x = rows[i].emit(t, x);
        if (tri_value_tile(t, x) != type) x = tri_emit1(t, TIR_OP_trunci, type, x);
        return tri_define(t, op->first_result, x);
    }
    *known = false;
    return true;
}
