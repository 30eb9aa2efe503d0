// SPDX-License-Identifier: Apache-2.0
// Tensor memory; accesses to memory objects by index; small floats and packed arithmetic.
#include "compiler/triton/objects.h"

// ---- tensor memory --------------------------------------------------------------------------------------------------

// The smallest or largest number of each row; with `abs` of their sizes.
static bool define_extremes(TriTranslation *t, const TriOp *op, TriValue result, TirValue tile) {
    const TriAttribute *abs = tri_attribute(op, "abs"), *nan = tri_attribute(op, "NaN"),
                       *kind = tri_attribute(op, "redOp");
    const TirTypeInfo *info = tir_type(t->module, tri_value_tile(t, tile));
    if (!kind) return tri_fail(t, "a second result without redOp");
    if (info->rank != 2 || tri_kind(t, tri_value_tile(t, tile)) != TIR_TYPE_f32)
        return tri_refuse(t, "redOp of other tiles than those of f32 with rows and columns");
    if (abs && abs->integer) tile = tri_emit1(t, TIR_OP_absf, tri_value_tile(t, tile), tile);
    const TirOpKind combine = kind->integer == TRI_tmem_reduction_min ? TIR_OP_minf : TIR_OP_maxf;
    const TirValue reduced = tri_reduce_with(t, tile, 1, combine);
    TirOp *made = t->function->values[reduced].definition;
    if (nan && nan->integer) tir_op_set(made->regions[0].first->first, "nan")->integer = 1;
    if (tri_value_tile(t, reduced) != tri_type(t, result)) return tri_fail(t, "a second result that does not fit");
    return tri_define(t, result, reduced);
}

bool tri_op_tmem_load(TriTranslation *t, const TriOp *op) {
    TirValue tile;
    const TriValue result = tri_result(op, "result"), red = tri_result(op, "red");
    if (!tri_read_view(t, tri_operand(op, "src"), &tile)) return false;
    if (tri_value_tile(t, tile) != tri_type(t, result)) return tri_fail(t, "a result that does not fit the memory");
    return tri_define(t, result, tile) && (red == TRI_NO_VALUE || define_extremes(t, op, red, tile));
}

bool tri_op_tmem_store(TriTranslation *t, const TriOp *op) {
    TriGuard guard;
    TirValue tile;
    if (!tri_use(t, tri_operand(op, "src"), &tile) || !tri_open_guard(t, tri_operand(op, "pred"), &guard) ||
        !tri_write_view(t, tri_operand(op, "dst"), tile))
        return false;
    tri_close_guard(t, &guard);
    return true;
}

// Loads and stores of tensor memory are done when their op is.
bool tri_op_tmem_wait(TriTranslation *t, const TriOp *op) {
    (void)t, (void)op;
    return true;
}

typedef struct TensorCopy {
    const TriView *from, *to;
} TensorCopy;

static bool tensor_copy_body(TriTranslation *t, const TirValue *parameters, const void *data) {
    const TensorCopy *copy = data;
    tri_store_view(t, copy->to, parameters[1], tri_load_view(t, copy->from, parameters[0]));
    return true;
}

bool tri_op_tmem_copy(TriTranslation *t, const TriOp *op) {
    const TriView *from, *to;
    TirValue offsets[2];
    if (!tri_use_view(t, tri_operand(op, "src"), &offsets[0], &from) ||
        !tri_use_view(t, tri_operand(op, "dst"), &offsets[1], &to))
        return false;
    bool fits = from->rank == to->rank && from->kind == to->kind && !from->tensor && to->tensor;
    for (uint32_t d = 0; fits && d < to->rank; d++) fits = from->shape[d] == to->shape[d];
    if (!fits) return tri_refuse(t, "a copy between memory objects of different shapes");
    const TensorCopy copy = {from, to};
    const TirType i64 = tri_scalar(t->module, TIR_TYPE_i64), types[] = {i64, i64};
    const char *name = tri_name_of_view(t, tri_name_of_view(t, "tcgen05.cp", from), to);
    TriIssue issue = {.queue = BLOCK_TENSOR_CORE, .barrier = TIR_NO_VALUE};
    const uint32_t part = tri_part(t, name, 2, types, tensor_copy_body, &copy);
    if (!part) return false;
    issue.part = tri_integer(t, TIR_TYPE_i64, part);
    for (int i = 0; i < 2; i++) {
        const TirValue access = tri_integer(t, TIR_TYPE_i64, i ? BLOCK_WRITES : BLOCK_READS);
        tri_word(&issue.arguments, offsets[i]);
        if (!tri_words_of_view(t, &issue.pieces, access, i ? to : from, offsets[i], &issue.piece_count)) return false;
    }
    return tri_issue(t, &issue);
}

// ---- accesses by index ----------------------------------------------------------------------------------------------

typedef struct ByIndex {
    const TriView *view;
    TirValue offset, indices, pointers;
} ByIndex;

// Pointers to the elements whose index along the axis is that of the tile. `mask`: which elements there are;
// TIR_NO_VALUE: all.
static bool open_by_index(TriTranslation *t, const TriOp *op, const char *memory, TirValue mask, ByIndex *access) {
    const uint64_t axis = tri_attribute(op, "axis")->integer;
    if (!tri_use_view(t, tri_operand(op, memory), &access->offset, &access->view) ||
        !tri_use(t, tri_operand(op, "indices"), &access->indices))
        return false;
    const TirTypeInfo *shape = tir_type(t->module, tri_value_tile(t, access->indices));
    const TirTypeKind kind = tri_kind(t, tri_value_tile(t, access->indices));
    bool fits =
        shape->rank == access->view->rank && axis < shape->rank && (kind == TIR_TYPE_i32 || kind == TIR_TYPE_i64);
    for (uint32_t d = 0; fits && d < shape->rank; d++) fits = d == axis || shape->shape[d] == access->view->shape[d];
    if (!fits) return tri_refuse(t, "indices that do not fit the memory");
    if (mask != TIR_NO_VALUE) { // the index of an element that there is not may be any
        const TirType type = tri_value_tile(t, access->indices);
        if (tri_value_tile(t, mask) != tri_with_element(t, type, TIR_TYPE_i1))
            return tri_fail(t, "a mask that does not fit");
        access->indices = tri_emit3(t, TIR_OP_select, type, mask, access->indices, tri_splat_bits(t, type, 0));
    }
    access->pointers = tri_indexed_pointers(t, access->view, access->offset, access->indices, (uint32_t)axis);
    return true;
}

bool tri_op_local_gather(TriTranslation *t, const TriOp *op) {
    ByIndex access;
    if (!open_by_index(t, op, "src", TIR_NO_VALUE, &access) || !tri_touch(t, BLOCK_READ, access.view, access.offset))
        return false;
    const TirType result = tri_result_type(t, op);
    if (result != tri_with_element(t, tri_value_tile(t, access.indices), access.view->kind))
        return tri_fail(t, "a result that does not fit");
    return tri_define(t, op->first_result, tri_emit_load(t, access.pointers, TIR_NO_VALUE, TIR_NO_VALUE, result));
}

bool tri_op_local_scatter(TriTranslation *t, const TriOp *op) {
    ByIndex access;
    TirValue values;
    if (!open_by_index(t, op, "dst", TIR_NO_VALUE, &access) || !tri_use(t, tri_operand(op, "values"), &values))
        return false;
    if (tri_value_tile(t, values) != tri_with_element(t, tri_value_tile(t, access.indices), access.view->kind))
        return tri_fail(t, "values that do not fit");
    if (!tri_touch(t, BLOCK_WRITE, access.view, access.offset)) return false;
    tri_emit_store(t, access.pointers, values, TIR_NO_VALUE);
    return true;
}

bool tri_op_local_atomic_scatter_rmw(TriTranslation *t, const TriOp *op) {
    ByIndex access;
    const TriValue mask = tri_operand(op, "mask");
    TirValue values, masked = TIR_NO_VALUE;
    if ((mask != TRI_NO_VALUE && !tri_use(t, mask, &masked)) || !open_by_index(t, op, "dst", masked, &access) ||
        !tri_use(t, tri_operand(op, "values"), &values))
        return false;
    if (tri_value_tile(t, values) != tri_with_element(t, tri_value_tile(t, access.indices), access.view->kind))
        return tri_fail(t, "values that do not fit");
    if (!tri_touch(t, BLOCK_READ, access.view, access.offset) || !tri_touch(t, BLOCK_WRITE, access.view, access.offset))
        return false;
    return tri_define(t, op->first_result, tri_emit_rmw(t, NULL, access.pointers, tri_rmw_mode(op), values, masked));
}

// ---- small floats, packed arithmetic --------------------------------------------------------------------------------

bool tri_op_fp4_to_fp(TriTranslation *t, const TriOp *op) {
    TirValue value;
    const TirType result = tri_result_type(t, op);
    const TirTypeInfo *to = tir_type(t->module, result);
    if (!tri_use(t, op->operands[0], &value)) return false;
    const uint64_t axis = tri_attribute(op, "axis")->integer;
    if (tri_kind(t, tri_value_tile(t, value)) != TIR_TYPE_i8 ||
        tir_float_format(tri_kind(t, result)) == FPSAN_FORMAT_COUNT)
        return tri_fail(t, "an operand that is no i8, or a result that is no float");
    if (to->rank < 1 || axis >= to->rank || axis + 2 < to->rank) return tri_refuse(t, "that axis");
    const bool turns = axis + 1 != to->rank;
    if (turns) value = tri_emit_transpose(t, value);
    value = tri_unpack_last(t, value);
    if (turns) value = tri_emit_transpose(t, value);
    value = tri_convert_float(t, value, tri_kind(t, result));
    return tri_value_tile(t, value) == result ? tri_define(t, op->first_result, value)
                                              : tri_fail(t, "a result that does not fit");
}

bool tri_op_packed_arith(TriTranslation *t, const TriOp *op) {
    static const struct {
        TirOpKind kind;
        uint32_t operands;
        bool rounds;
    } rows[] = {[TRI_packed_add] = {TIR_OP_addf, 2, true},  [TRI_packed_sub] = {TIR_OP_subf, 2, true},
                [TRI_packed_mul] = {TIR_OP_mulf, 2, true},  [TRI_packed_fma] = {TIR_OP_fma, 3, true},
                [TRI_packed_min] = {TIR_OP_minf, 2, false}, [TRI_packed_max] = {TIR_OP_maxf, 2, false}};
    const uint64_t kind = tri_attribute(op, "op_kind")->integer;
    const TirType result = tri_result_type(t, op);
    TirValue used[3];
    if (op->operand_count != rows[kind].operands) return tri_fail(t, "another number of operands");
    if (!tri_use_all(t, op, used)) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (tri_value_tile(t, used[i]) != result) return tri_refuse(t, "operands of several types");
    const TirValue value = tri_emit(t, rows[kind].kind, result, op->operand_count, used);
    if (rows[kind].rounds) tri_set(t, value, "rounding", TIR_rounding_nearest_even);
    return tri_define(t, op->first_result, value);
}
