// SPDX-License-Identifier: Apache-2.0
// Constants, ranges, and what moves elements.
#include "compiler/triton/translate.h"

bool tri_op_constant(TriTranslation *t, const TriOp *op) {
    const TirType type = t->reader->types[op->first_result].tile;
    const TirValue value = tri_emit(t, TIR_OP_constant, type, 0, NULL);
    tir_op_set(t->function->values[value].definition, "value")->constant = op->attributes[0].constant;
    return tri_define(t, op->first_result, value);
}

bool tri_op_poison(TriTranslation *t, const TriOp *op) {
    const TirType type = t->reader->types[op->first_result].tile;
    if (tri_kind(t, type) == TIR_TYPE_ptr) return tri_refuse(t, "a pointer that is poison");
    return tri_define(t, op->first_result, tri_splat_bits(t, type, 0));
}

bool tri_op_program_id(TriTranslation *t, const TriOp *op) {
    const TirType type = tri_scalar(t->module, TIR_TYPE_i32), types[] = {type, type, type};
    const bool number = !strcmp(op->info->name, "tt.get_num_programs");
    if (t->reader->types[op->first_result].tile != type) return tri_fail(t, "a result that is no i32");
    const TirOp *made =
        tri_emit_op(t, &(TirNewOp){.kind = number ? TIR_OP_get_num_tile_blocks : TIR_OP_get_tile_block_id,
                                   .result_count = 3,
                                   .results = types});
    return tri_define(t, op->first_result, made->first_result + (TirValue)op->attributes[0].integer);
}

bool tri_op_range(TriTranslation *t, const TriOp *op) {
    const int64_t start = (int64_t)tri_attribute(op, "start")->integer,
                  end = (int64_t)tri_attribute(op, "end")->integer;
    const TirType type = tri_result_type(t, op);
    const TirTypeInfo *info = tir_type(t->module, type);
    if (tri_kind(t, type) != TIR_TYPE_i32 || info->rank != 1 || start < INT32_MIN || end > INT32_MAX ||
        end - start != info->shape[0])
        return tri_fail(t, "a range that does not fit its type");
    TirValue range = tri_emit(t, TIR_OP_iota, type, 0, NULL);
    if (start) range = tri_emit2(t, TIR_OP_addi, type, range, tri_splat_bits(t, type, (uint64_t)start));
    return tri_define(t, op->first_result, range);
}

// ---- definitions
// -----------------------------------------------------------------------------------------------------

static const TirOp *made_by(const TriTranslation *t, TirValue value, TirOpKind kind) {
    const TirOp *op = t->function->values[value].definition;
    return op && op->kind == kind ? op : NULL;
}

TirValue tri_cast_from(const TriTranslation *t, TirValue value) {
    const TirOp *cast = made_by(t, value, TIR_OP_bitcast);
    return cast && tir_float_format(tri_kind(t, tri_value_tile(t, cast->operands[0]))) != FPSAN_FORMAT_COUNT
               ? cast->operands[0]
               : value;
}

// ---- one operand ----------------------------------------------------------------------------------------------------

static bool same_elements(TriTranslation *t, TirValue from, TirType to) {
    return tir_type(t->module, tri_value_tile(t, from))->element == tir_type(t->module, to)->element ||
           tri_fail(t, "a result of other elements");
}

bool tri_op_splat(TriTranslation *t, const TriOp *op) {
    TirValue x;
    const TirType type = tri_result_type(t, op);
    if (!tri_use(t, op->operands[0], &x) || !same_elements(t, x, type)) return false;
    if (tir_tile_elements(t->module, tri_value_tile(t, x)) != 1) return tri_fail(t, "an operand that is no scalar");
    return tri_define(t, op->first_result, tri_splat(t, x, type));
}

// Bits of floats are moved as floats and cast behind that, with their payloads.
bool tri_op_reshape(TriTranslation *t, const TriOp *op) {
    TirValue x;
    if (!tri_use(t, op->operands[0], &x)) return false;
    const TirType type = tri_result_type(t, op);
    const TirValue source = tri_cast_from(t, x);
    if (source == x) return tri_define(t, op->first_result, tri_reshape(t, x, type));
    const TirType own = tri_with_element(t, type, tri_kind(t, tri_value_tile(t, source)));
    return same_elements(t, x, type) &&
           tri_define(t, op->first_result, tri_emit1(t, TIR_OP_bitcast, type, tri_reshape(t, source, own)));
}

bool tri_op_broadcast(TriTranslation *t, const TriOp *op) {
    TirValue x;
    const TirType type = tri_result_type(t, op);
    if (!tri_use(t, op->operands[0], &x)) return false;
    return tri_define(t, op->first_result, tri_value_tile(t, x) == type ? x : tri_emit1(t, TIR_OP_broadcast, type, x));
}

bool tri_op_transpose(TriTranslation *t, const TriOp *op) {
    TirValue x;
    const TriAttribute *order = tri_attribute(op, "order");
    if (!tri_use(t, op->operands[0], &x)) return false;
    int64_t *numbers = arena_array(&t->module->arena, int64_t, order->length + 1);
    for (size_t i = 0; i < order->length; i++) numbers[i] = order->numbers[i];
    const TirValue value = tri_emit1(t, TIR_OP_permute, tri_result_type(t, op), x);
    TirAttribute *permutation = tir_op_set(t->function->values[value].definition, "permutation");
    permutation->numbers = numbers;
    permutation->length = order->length;
    return tri_define(t, op->first_result, value);
}

// ---- two tiles ------------------------------------------------------------------------------------------------------

static TirValue emit_cat(TriTranslation *t, TirValue lhs, TirValue rhs, uint32_t dim, TirType type) {
    return tri_set(t, tri_emit2(t, TIR_OP_cat, type, lhs, rhs), "dim", dim);
}

bool tri_op_cat(TriTranslation *t, const TriOp *op) {
    TirValue used[2];
    return tri_use_all(t, op, used) &&
           tri_define(t, op->first_result, emit_cat(t, used[0], used[1], 0, tri_result_type(t, op)));
}

// The shape of the tile with a dimension of `last` behind it.
static TirType with_last(TriTranslation *t, const TirTypeInfo *info, uint32_t rank, int64_t last) {
    int64_t shape[TIR_RANK_MAX];
    for (uint32_t i = 0; i < rank; i++) shape[i] = info->shape[i];
    shape[rank] = last;
    return tir_type_tile(t->module, info->element, rank + 1, shape);
}

TirValue tri_emit_pair(TriTranslation *t, TirValue x, TirValue y) {
    const TirTypeInfo info = *tir_type(t->module, tri_value_tile(t, x));
    const TirType one = with_last(t, &info, info.rank, 1);
    x = tri_emit1(t, TIR_OP_reshape, one, x);
    y = tri_emit1(t, TIR_OP_reshape, one, y);
    return emit_cat(t, x, y, info.rank, with_last(t, &info, info.rank, 2));
}

bool tri_op_join(TriTranslation *t, const TriOp *op) {
    TirValue used[2];
    if (!tri_use_all(t, op, used)) return false;
    const TirTypeInfo info = *tir_type(t->module, tri_value_tile(t, used[0]));
    if (info.rank == TIR_RANK_MAX || tri_value_tile(t, used[0]) != tri_value_tile(t, used[1]))
        return tri_fail(t, "operands that do not fit");
    if (tri_result_type(t, op) != with_last(t, &info, info.rank, 2)) return tri_fail(t, "a result of another shape");
    return tri_define(t, op->first_result, tri_emit_pair(t, used[0], used[1]));
}

// A half of a dimension of 2: that dimension is 1.
static TirValue emit_half(TriTranslation *t, TirValue x, uint32_t dim, int64_t half) {
    TirValue indices[TIR_RANK_MAX + 1];
    int64_t shape[TIR_RANK_MAX];
    const TirTypeInfo info = *tir_type(t->module, tri_value_tile(t, x));
    const TirValue zero = tri_integer(t, TIR_TYPE_i32, 0);
    indices[0] = x;
    for (uint32_t i = 0; i < info.rank; i++) {
        indices[1 + i] = i == dim && half ? tri_integer(t, TIR_TYPE_i32, half) : zero;
        shape[i] = i == dim ? 1 : info.shape[i];
    }
    return tri_emit(t, TIR_OP_extract, tir_type_tile(t->module, info.element, info.rank, shape), info.rank + 1,
                    indices);
}

bool tri_op_split(TriTranslation *t, const TriOp *op) {
    TirValue x;
    if (!tri_use(t, op->operands[0], &x)) return false;
    const TirTypeInfo info = *tir_type(t->module, tri_value_tile(t, x));
    if (!info.rank || info.shape[info.rank - 1] != 2) return tri_fail(t, "an operand whose last dimension is not 2");
    const TirType part = tir_type_tile(t->module, info.element, info.rank - 1, info.shape);
    if (tri_result_type(t, op) != part) return tri_fail(t, "a result of another shape");
    for (uint32_t half = 0; half < 2; half++) {
        const TirValue slice = emit_half(t, x, info.rank - 1, half);
        if (!tri_define(t, op->first_result + half, tri_emit1(t, TIR_OP_reshape, part, slice))) return false;
    }
    return true;
}

// ---- swaps ----------------------------------------------------------------------------------------------------------

// Whether `all` is, in each element, the xor of both elements of x along a dimension of 2.
static bool is_xor_of_both(const TriTranslation *t, TirValue all, TirValue x, uint32_t *dim) {
    const TirTypeInfo *info = tir_type(t->module, tri_value_tile(t, x));
    const TirOp *broadcast = made_by(t, all, TIR_OP_broadcast),
                *reshape = broadcast ? made_by(t, broadcast->operands[0], TIR_OP_reshape) : NULL,
                *reduce = reshape ? made_by(t, reshape->operands[0], TIR_OP_reduce) : NULL;
    if (!reduce || reduce->operand_count != 1 || reduce->operands[0] != x) return false;
    const TirBlock *block = reduce->regions[0].first;
    const TirOp *combine = block->first, *yield = combine->next;
    const TirTypeInfo *kept = tir_type(t->module, tri_value_tile(t, broadcast->operands[0]));
    *dim = (uint32_t)tir_attribute_integer(reduce, "dim");
    if (combine->kind != TIR_OP_xori || yield != block->last || yield->operands[0] != combine->first_result)
        return false;
    if (combine->operands[0] == combine->operands[1] || combine->operands[0] - block->first_argument > 1 ||
        combine->operands[1] - block->first_argument > 1)
        return false;
    if (*dim >= info->rank || info->shape[*dim] != 2 || kept->rank != info->rank) return false;
    for (uint32_t i = 0; i < info->rank; i++)
        if (kept->shape[i] != (i == *dim ? 1 : info->shape[i])) return false;
    return true;
}

// x ^ xor_sum(x, dim) of a dimension of 2, by which tl.flip and tl.sort move elements: each of the two is the other.
// As integers that is all the same, but what is unspecified in one element is so in the other alone, and bits of floats
// keep their payloads.
bool tri_op_xor(TriTranslation *t, const TriOp *op) {
    TirValue used[2];
    const TirType type = tri_result_type(t, op);
    if (!tri_use_all(t, op, used)) return false;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t dim;
        if (!is_xor_of_both(t, used[1 - i], used[i], &dim)) continue;
        const TirValue x = tri_cast_from(t, used[i]); // floats move as such
        const TirValue first = emit_half(t, x, dim, 0), second = emit_half(t, x, dim, 1);
        const TirValue swapped = emit_cat(t, second, first, dim, tri_value_tile(t, x));
        return tri_define(t, op->first_result, x == used[i] ? swapped : tri_emit1(t, TIR_OP_bitcast, type, swapped));
    }
    return tri_define(t, op->first_result, tri_emit(t, TIR_OP_xori, type, 2, used));
}
