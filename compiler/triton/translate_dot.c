// SPDX-License-Identifier: Apache-2.0
// Products of matrices, also block-scaled ones.
#include "compiler/triton/objects.h"

// ---- dot ------------------------------------------------------------------------------------------------------------

TirValue tri_convert_float(TriTranslation *t, TirValue x, TirTypeKind kind) {
    const TirType type = tri_with_element(t, tri_value_tile(t, x), kind);
    if (type == tri_value_tile(t, x)) return x;
    return tri_set(t, tri_emit1(t, TIR_OP_ftof, type, x), "rounding", TIR_rounding_nearest_even);
}

static bool is_f8(TirTypeKind kind) {
    return kind == TIR_TYPE_f8E4M3FN || kind == TIR_TYPE_f8E5M2;
}

// Bytes are signed; operands of two kinds of f8 multiply each other.
TirValue tri_emit_product(TriTranslation *t, TirValue a, TirValue b, TirValue c) {
    const TirTypeKind x = tri_kind(t, tri_value_tile(t, a)), y = tri_kind(t, tri_value_tile(t, b));
    const bool integer = x == TIR_TYPE_i8, mixed = x != y && is_f8(x) && is_f8(y);
    const TirOpKind kind = integer ? TIR_OP_mmai : mixed ? TIR_OP_dot : TIR_OP_mmaf;
    const TirValue value = tri_emit3(t, kind, tri_value_tile(t, c), a, b, c);
    if (integer) {
        tri_set(t, value, "signedness_lhs", TIR_signedness_signed);
        tri_set(t, value, "signedness_rhs", TIR_signedness_signed);
    }
    return value;
}

bool tri_op_dot(TriTranslation *t, const TriOp *op) {
    static const uint8_t splits[] = {[TRI_precision_tf32x3] = TIR_SPLIT_TF32X3,
                                     [TRI_precision_bf16x3] = TIR_SPLIT_BF16X3,
                                     [TRI_precision_bf16x6] = TIR_SPLIT_BF16X6};
    TirValue used[3];
    const TriAttribute *given = tri_attribute(op, "inputPrecision");
    const uint64_t precision = given ? given->integer : TRI_precision_ieee;
    if (!tri_use_all(t, op, used)) return false;
    const bool single = tri_kind(t, tri_value_tile(t, used[0])) == TIR_TYPE_f32;
    if (single && precision == TRI_precision_tf32)
        for (uint32_t i = 0; i < 2; i++) used[i] = tri_convert_float(t, used[i], TIR_TYPE_tf32);
    const TirValue value = tri_emit_product(t, used[0], used[1], used[2]);
    if (single && precision < BASE_COUNT(splits)) t->function->values[value].definition->math.split = splits[precision];
    return tri_define(t, op->first_result, value);
}

// ---- dot_scaled -----------------------------------------------------------------------------------------------------

typedef struct Scaled {    // an operand of a block-scaled product
    TirValue value, scale; // scale: TIR_NO_VALUE, all ones
    uint64_t kind;         // TRI_scaled_..
    bool left, k_pack;
} Scaled;

// Exchanges the last two dimensions.
TirValue tri_emit_transpose(TriTranslation *t, TirValue x) {
    const TirTypeInfo info = *tir_type(t->module, tri_value_tile(t, x));
    int64_t shape[TIR_RANK_MAX], *order = arena_array(&t->module->arena, int64_t, info.rank);
    for (uint32_t i = 0; i < info.rank; i++) {
        order[i] = i + 2 < info.rank ? i : 2 * info.rank - 3 - i;
        shape[i] = info.shape[order[i]];
    }
    const TirValue value = tri_emit1(t, TIR_OP_permute, tir_type_tile(t->module, info.element, info.rank, shape), x);
    TirAttribute *permutation = tir_op_set(t->function->values[value].definition, "permutation");
    permutation->numbers = order;
    permutation->length = info.rank;
    return value;
}

// Bytes with two numbers each, low half first, neighbours along the last dimension.
TirValue tri_unpack_last(TriTranslation *t, TirValue x) {
    const TirTypeInfo info = *tir_type(t->module, tri_value_tile(t, x));
    const TirType f4 = tir_type_scalar(t->module, TIR_TYPE_f4E2M1FN);
    int64_t bytes = tir_tile_elements(t->module, tri_value_tile(t, x)), numbers = 2 * bytes, shape[TIR_RANK_MAX];
    for (uint32_t i = 0; i < info.rank; i++) shape[i] = info.shape[i];
    shape[info.rank - 1] *= 2;
    const TirValue flat = tri_reshape(t, x, tir_type_tile(t->module, info.element, 1, &bytes));
    return tri_reshape(t, tri_emit1(t, TIR_OP_unpack, tir_type_tile(t->module, f4, 1, &numbers), flat),
                       tir_type_tile(t->module, f4, info.rank, shape));
}

static TirValue as_kind(TriTranslation *t, TirValue x, TirTypeKind kind) {
    const TirType type = tri_with_element(t, tri_value_tile(t, x), kind);
    return tri_value_tile(t, x) == type ? x : tri_emit1(t, TIR_OP_bitcast, type, x);
}

static bool open_operand(TriTranslation *t, Scaled *x) {
    static const TirTypeKind kinds[] = {[TRI_scaled_e4m3] = TIR_TYPE_f8E4M3FN,
                                        [TRI_scaled_e5m2] = TIR_TYPE_f8E5M2,
                                        [TRI_scaled_e2m1] = TIR_TYPE_f4E2M1FN,
                                        [TRI_scaled_bf16] = TIR_TYPE_bf16,
                                        [TRI_scaled_fp16] = TIR_TYPE_f16};
    const TirTypeKind found = tri_kind(t, tri_value_tile(t, x->value));
    if (tir_type(t->module, tri_value_tile(t, x->value))->rank < 2)
        return tri_fail(t, "an operand of less than rank 2");
    if (x->kind == TRI_scaled_e2m3 || x->kind == TRI_scaled_e3m2) return tri_refuse(t, "a float of six bits");
    const TirTypeKind kind = kinds[x->kind];
    if (kind == TIR_TYPE_f4E2M1FN) {
        if (found != TIR_TYPE_i8) return tri_fail(t, "an operand of e2m1 that is no i8");
        const bool turns = x->left != x->k_pack; // packed along the last dimension: the left one's depth
        if (turns) x->value = tri_emit_transpose(t, x->value);
        x->value = tri_unpack_last(t, x->value);
        if (turns) x->value = tri_emit_transpose(t, x->value);
    } else if (found == TIR_TYPE_i8 && is_f8(kind)) {
        x->value = as_kind(t, x->value, kind);
    } else if (found != kind) {
        return tri_fail(t, "an operand of %s, expected %s", tir_type_rows[found].name, tir_type_rows[kind].name);
    }
    return true;
}

// Scales lie in rows of the operand's rows (left) or columns (right), one for each block of the depth.
static bool open_scale(TriTranslation *t, Scaled *x, int64_t depth, int64_t block) {
    if (x->scale == TIR_NO_VALUE) {
        const TirTypeInfo info = *tir_type(t->module, tri_value_tile(t, x->value));
        int64_t shape[TIR_RANK_MAX];
        for (uint32_t i = 0; i < info.rank; i++) shape[i] = info.shape[i];
        shape[x->left ? info.rank - 1 : info.rank - 2] = depth / block;
        const TirType e8 = tir_type_scalar(t->module, TIR_TYPE_f8E8M0FNU);
        x->scale = tri_splat_bits(t, tir_type_tile(t->module, e8, info.rank, shape), 127);
        return true;
    }
    const TirTypeKind kind = tri_kind(t, tri_value_tile(t, x->scale));
    if (kind == TIR_TYPE_i8)
        x->scale = as_kind(t, x->scale, TIR_TYPE_f8E8M0FNU);
    else if (kind != TIR_TYPE_f8E4M3FN && kind != TIR_TYPE_f8E8M0FNU)
        return tri_fail(t, "scales of %s", tir_type_rows[kind].name);
    if (!x->left) x->scale = tri_emit_transpose(t, x->scale);
    return true;
}

static int64_t depth_of(const TriTranslation *t, const Scaled *a) {
    const TirTypeInfo *info = tir_type(t->module, tri_value_tile(t, a->value));
    return info->shape[info->rank - 1];
}

// The operand times its scales, in f16 or bf16: what a product with a float of 16 bits is made of.
static TirValue scale_operand(TriTranslation *t, const Scaled *x, TirTypeKind kind) {
    const TirTypeKind own = tri_kind(t, tri_value_tile(t, x->value));
    TirValue value = own == kind ? x->value : tri_convert_float(t, x->value, kind);
    if (x->scale == TIR_NO_VALUE) return value;
    TirValue scale = x->scale;
    if (tri_kind(t, tri_value_tile(t, scale)) == TIR_TYPE_i8) scale = as_kind(t, scale, TIR_TYPE_f8E8M0FNU);
    // bf16 has all powers of two of a scale; f16 is rounded from f32, which Triton's algebra sees.
    scale = tri_convert_float(t, kind == TIR_TYPE_bf16 ? scale : tri_convert_float(t, scale, TIR_TYPE_f32), kind);
    // rows x blocks -> rows x blocks x 1 -> rows x blocks x block -> rows x depth
    if (!x->left) value = tri_emit_transpose(t, value);
    const TirTypeInfo whole = *tir_type(t->module, tri_value_tile(t, value)),
                      blocks = *tir_type(t->module, tri_value_tile(t, scale));
    int64_t shape[TIR_RANK_MAX];
    for (uint32_t i = 0; i < blocks.rank; i++) shape[i] = blocks.shape[i];
    shape[blocks.rank] = 1;
    scale = tri_reshape(t, scale, tir_type_tile(t->module, blocks.element, blocks.rank + 1, shape));
    shape[blocks.rank] = whole.shape[whole.rank - 1] / blocks.shape[blocks.rank - 1];
    scale = tri_emit1(t, TIR_OP_broadcast, tir_type_tile(t->module, blocks.element, blocks.rank + 1, shape), scale);
    scale = tri_reshape(t, scale, tri_value_tile(t, value));
    value = tri_set(t, tri_emit2(t, TIR_OP_mulf, tri_value_tile(t, value), value, scale), "rounding",
                    TIR_rounding_nearest_even);
    return x->left ? value : tri_emit_transpose(t, value);
}

static bool is_half(uint64_t kind) {
    return kind == TRI_scaled_bf16 || kind == TRI_scaled_fp16;
}

static bool scale_fits(TriTranslation *t, const Scaled *x, int64_t depth) {
    if (x->scale == TIR_NO_VALUE) return true;
    const TirTypeInfo *scale = tir_type(t->module, tri_value_tile(t, x->scale)),
                      *value = tir_type(t->module, tri_value_tile(t, x->value));
    return (scale->rank == value->rank && scale->rank < TIR_RANK_MAX && scale->shape[scale->rank - 1] <= depth) ||
           tri_fail(t, "scales that do not fit their operand");
}

bool tri_emit_scaled_product(TriTranslation *t, const TriScaledProduct *given, TirValue *product) {
    Scaled a = {given->a, given->a_scale, given->a_kind, true, given->a_k_pack},
           b = {given->b, given->b_scale, given->b_kind, false, given->b_k_pack};
    const TirValue c = given->c;
    if (!open_operand(t, &a) || !open_operand(t, &b)) return false;
    const int64_t depth = depth_of(t, &a);
    if (!scale_fits(t, &a, depth) || !scale_fits(t, &b, depth)) return false;
    if (is_half(a.kind) || is_half(b.kind)) {
        const TirTypeKind kind = a.kind == TRI_scaled_fp16 || b.kind == TRI_scaled_fp16 ? TIR_TYPE_f16 : TIR_TYPE_bf16;
        const TirValue x = scale_operand(t, &a, kind), y = scale_operand(t, &b, kind);
        *product = tri_emit_product(t, x, y, c);
        return true;
    }
    if (a.scale == TIR_NO_VALUE && b.scale == TIR_NO_VALUE && a.kind != TRI_scaled_e2m1 && b.kind != TRI_scaled_e2m1) {
        *product = tri_emit_product(t, a.value, b.value, c);
        return true;
    }
    const TirValue scale = a.scale != TIR_NO_VALUE ? a.scale : b.scale;
    int64_t block = 32;
    if (scale != TIR_NO_VALUE) {
        const TirTypeInfo *info = tir_type(t->module, tri_value_tile(t, scale));
        block = depth / info->shape[info->rank - 1];
    }
    if (!block || !open_scale(t, &a, depth, block) || !open_scale(t, &b, depth, block)) return block && false;
    const bool same = tri_kind(t, tri_value_tile(t, a.value)) == tri_kind(t, tri_value_tile(t, b.value));
    *product = tri_emit(t, same ? TIR_OP_mmaf_scaled : TIR_OP_dot, tri_value_tile(t, c), 5,
                        (TirValue[]){a.value, b.value, c, a.scale, b.scale});
    return true;
}

bool tri_op_dot_scaled(TriTranslation *t, const TriOp *op) {
    const TriAttribute *lhs_pack = tri_attribute(op, "lhs_k_pack"), *rhs_pack = tri_attribute(op, "rhs_k_pack");
    const TriValue a_scale = tri_operand(op, "a_scale"), b_scale = tri_operand(op, "b_scale");
    TriScaledProduct given = {.a_scale = TIR_NO_VALUE,
                              .b_scale = TIR_NO_VALUE,
                              .a_kind = tri_attribute(op, "a_elem_type")->integer,
                              .b_kind = tri_attribute(op, "b_elem_type")->integer,
                              .a_k_pack = !lhs_pack || lhs_pack->integer,
                              .b_k_pack = !rhs_pack || rhs_pack->integer};
    TirValue product;
    return tri_use(t, op->operands[0], &given.a) && tri_use(t, op->operands[1], &given.b) &&
           tri_use(t, op->operands[2], &given.c) && (a_scale == TRI_NO_VALUE || tri_use(t, a_scale, &given.a_scale)) &&
           (b_scale == TRI_NO_VALUE || tri_use(t, b_scale, &given.b_scale)) &&
           tri_emit_scaled_product(t, &given, &product) && tri_define(t, op->first_result, product);
}
