// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include "compiler/triton/translate.h"

// f32 operands as tensor cores see them.
static TirValue to_kind(TriTranslation *t, TirValue x, TirTypeKind kind) {
    const TirType type = tri_with_element(t, tri_value_tile(t, x), kind);
    if (type == tri_value_tile(t, x)) return x;
    return tri_set(t, tri_emit1(t, TIR_OP_ftof, type, x), "rounding", TIR_rounding_nearest_even);
}

static bool is_small(TirTypeKind kind) {
    return kind == TIR_TYPE_f8E4M3FN || kind == TIR_TYPE_f8E5M2;
}

static TirValue emit_product(TriTranslation *t, TirValue a, TirValue b, TirValue c) {
    const TirTypeKind x = tri_kind(t, tri_value_tile(t, a)), y = tri_kind(t, tri_value_tile(t, b));
    const bool integer = x == TIR_TYPE_i8, mixed = x != y && is_small(x) && is_small(y);
    const TirOpKind kind = integer ? TIR_OP_mmai : mixed ? TIR_OP_dot : TIR_OP_mmaf;
    const TirValue value = tri_emit3(t, kind, tri_value_tile(t, c), a, b, c);
    if (integer) {
        tri_set(t, value, "signedness_lhs", TIR_signedness_signed);
        tri_set(t, value, "signedness_rhs", TIR_signedness_signed);
    }
    return value;
}

bool tri_op_dot(TriTranslation *t, const TriOp *op) {
    TirValue used[3];
    const TriAttribute *given = tri_attribute(op, "inputPrecision");
    const uint64_t precision = given ? given->integer : TRI_precision_ieee;
    if (!tri_use_all(t, op, used)) return false;
    const TirType acc = tri_value_tile(t, used[2]);
    if (tri_kind(t, tri_value_tile(t, used[0])) == TIR_TYPE_f32 && precision == TRI_precision_tf32)
        for (uint32_t i = 0; i < 2; i++) used[i] = to_kind(t, used[i], TIR_TYPE_tf32);
    (void)acc;
    return tri_define(t, op->first_result, emit_product(t, used[0], used[1], used[2]));
}

bool tri_op_dot_scaled(TriTranslation *t, const TriOp *op) {
    (void)op;
    return tri_refuse(t, "a block-scaled product");
}
