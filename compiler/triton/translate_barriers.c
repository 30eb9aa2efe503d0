// SPDX-License-Identifier: Apache-2.0
// mbarriers, fences, groups of asynchronous operations, barriers of clusters, cluster launch control.
#include "compiler/triton/objects.h"

enum { WARP_THREADS = 32 };

// ---- mbarriers ------------------------------------------------------------------------------------------------------

bool tri_use_barrier(TriTranslation *t, TriValue value, TirValue *offset) {
    const TriView *view;
    if (!tri_use_view(t, value, offset, &view)) return false;
    return (view->kind == TIR_TYPE_i64 && !view->tensor) || tri_fail(t, "a barrier that is no i64 in shared memory");
}

// Of a cluster: barriers of other blocks.
static bool refuse_others(TriTranslation *t, const TriOp *op) {
    static const char *const names[] = {"fromCTA", "multicastCTA"};
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (tri_attribute(op, names[i])) return tri_refuse(t, "%s", names[i]);
    return true;
}

bool tri_op_init_barrier(TriTranslation *t, const TriOp *op) {
    TirValue barrier;
    if (!tri_use_barrier(t, tri_operand(op, "alloc"), &barrier)) return false;
    const int64_t count = (int64_t)tri_attribute(op, "count")->integer;
    tri_operate2(t, BLOCK_INIT, barrier, tri_integer(t, TIR_TYPE_i64, count));
    return true;
}

bool tri_op_inval_barrier(TriTranslation *t, const TriOp *op) {
    TirValue barrier;
    if (!tri_use_barrier(t, tri_operand(op, "alloc"), &barrier)) return false;
    tri_operate1(t, BLOCK_INVALIDATE, barrier);
    return true;
}

// An operation on a barrier with a number, if the predicate holds.
static bool operate_if(TriTranslation *t, const TriOp *op, BlockOperation operation, const char *number) {
    TriGuard guard;
    TirValue barrier;
    if (!refuse_others(t, op) || !tri_open_guard(t, tri_operand(op, "pred"), &guard) ||
        !tri_use_barrier(t, tri_operand(op, "alloc"), &barrier))
        return false;
    const int64_t given = (int64_t)tri_attribute(op, number)->integer;
    tri_operate2(t, operation, barrier, tri_integer(t, TIR_TYPE_i64, given));
    tri_close_guard(t, &guard);
    return true;
}

bool tri_op_barrier_expect(TriTranslation *t, const TriOp *op) {
    return operate_if(t, op, BLOCK_EXPECT, "size");
}

bool tri_op_arrive_barrier(TriTranslation *t, const TriOp *op) {
    return operate_if(t, op, BLOCK_ARRIVE, "count");
}

bool tri_op_wait_barrier(TriTranslation *t, const TriOp *op) {
    TriGuard guard;
    TirValue barrier, phase;
    if (!tri_use(t, tri_operand(op, "phase"), &phase)) return false;
    if (tri_value_tile(t, phase) != tri_scalar(t->module, TIR_TYPE_i32)) return tri_fail(t, "a phase that is no i32");
    if (!tri_open_guard(t, tri_operand(op, "pred"), &guard) || !tri_use_barrier(t, tri_operand(op, "alloc"), &barrier))
        return false;
    tri_operate2(t, BLOCK_WAIT, barrier, phase);
    tri_close_guard(t, &guard);
    return true;
}

bool tri_op_async_copy_mbarrier_arrive(TriTranslation *t, const TriOp *op) {
    TirValue barrier;
    const TriAttribute *keeps = tri_attribute(op, "noIncrement");
    if (!tri_use_barrier(t, tri_operand(op, "barrier"), &barrier)) return false;
    TriWords words = {0};
    tri_word(&words, barrier);
    tri_number(t, &words, !(keeps && keeps->integer));
    tri_number(t, &words, (int64_t)t->warps * WARP_THREADS);
    tri_operate(t, BLOCK_COPIES_ARRIVE, &words);
    return true;
}

// ---- fences ---------------------------------------------------------------------------------------------------------

bool tri_op_fence_async_shared(TriTranslation *t, const TriOp *op) {
    (void)op;
    tri_operate(t, BLOCK_FENCE, &(TriWords){0});
    return true;
}

// What initialises barriers is known to all that the kernel forks; blocks of a cluster are one here.
bool tri_op_fence_mbarrier_init_release_cluster(TriTranslation *t, const TriOp *op) {
    (void)t, (void)op;
    return true;
}

// ---- groups ---------------------------------------------------------------------------------------------------------

void tri_end_group(TriTranslation *t, BlockQueue queue) {
    tri_operate1(t, BLOCK_GROUP, tri_integer(t, TIR_TYPE_i64, queue));
}

void tri_wait_groups(TriTranslation *t, BlockQueue queue, uint64_t pendings, bool read_only, bool ends) {
    TriWords words = {0};
    if (ends) tri_end_group(t, queue);
    tri_number(t, &words, queue);
    tri_number(t, &words, (int64_t)pendings);
    tri_number(t, &words, read_only);
    tri_operate(t, BLOCK_WAIT_GROUPS, &words);
}

bool tri_op_async_commit_group(TriTranslation *t, const TriOp *op) {
    (void)op;
    tri_end_group(t, BLOCK_COPIES);
    return true;
}

bool tri_op_async_wait(TriTranslation *t, const TriOp *op) {
    tri_wait_groups(t, BLOCK_COPIES, tri_attribute(op, "num")->integer, false, false);
    return true;
}

bool tri_op_async_tma_store_wait(TriTranslation *t, const TriOp *op) {
    const TriAttribute *read_only = tri_attribute(op, "read_only");
    tri_wait_groups(t, BLOCK_STORES, tri_attribute(op, "pendings")->integer, read_only && read_only->integer, false);
    return true;
}

// ---- clusters -------------------------------------------------------------------------------------------------------

// A program is a cluster: its blocks do not run side by side here, so nobody has to wait for another one.
bool tri_op_cluster_barrier(TriTranslation *t, const TriOp *op) {
    (void)op;
    tri_join(t);
    return true;
}
bool tri_op_cluster_arrive(TriTranslation *t, const TriOp *op) {
    return tri_op_cluster_barrier(t, op);
}
bool tri_op_cluster_wait(TriTranslation *t, const TriOp *op) {
    return tri_op_cluster_barrier(t, op);
}

// ---- cluster launch control -----------------------------------------------------------------------------------------

bool tri_op_clc_try_cancel(TriTranslation *t, const TriOp *op) {
    TirValue barrier, response;
    const TriView *view;
    if (!tri_use_view(t, tri_operand(op, "result"), &response, &view) ||
        !tri_use_barrier(t, tri_operand(op, "mbarrier"), &barrier))
        return false;
    tri_operate2(t, BLOCK_TRY_CANCEL, response, barrier);
    return true;
}

bool tri_op_clc_try_cancel_sync(TriTranslation *t, const TriOp *op) {
    (void)op;
    return tri_refuse(t, "a request without a barrier");
}

// An answer is kept in 64 bits: the place of the block in the grid along x, y and z, whose sizes have at most 31, 16
// and 16 bits, and whether there is one.
static const struct { uint32_t first, bits; } answer_fields[] = {{0, 31}, {31, 16}, {47, 16}, {63, 1}};

bool tri_op_clc_load_result(TriTranslation *t, const TriOp *op) {
    TirValue response, answer = TIR_NO_VALUE;
    const TriView *view;
    const TirType i64 = tri_scalar(t->module, TIR_TYPE_i64);
    if (!tri_use_view(t, tri_operand(op, "src"), &response, &view) || !tri_touch(t, BLOCK_READ, view, response))
        return false;
    for (uint32_t i = 0; i < BASE_COUNT(answer_fields); i++) {
        const TirValue field = i < 3 ? tri_operate2(t, BLOCK_CANCELED_ID, response, tri_integer(t, TIR_TYPE_i64, i))
                                     : tri_operate1(t, BLOCK_CANCELED, response);
        const TirValue shift = tri_integer(t, TIR_TYPE_i64, answer_fields[i].first);
        const TirValue moved = tri_emit2(t, TIR_OP_shli, i64, field, shift);
        answer = i ? tri_emit2(t, TIR_OP_ori, i64, answer, moved) : moved;
    }
    return tri_define(t, op->first_result, answer);
}

static bool define_field(TriTranslation *t, const TriOp *op, uint32_t field) {
    TirValue answer;
    const TirType i64 = tri_scalar(t->module, TIR_TYPE_i64);
    if (!t->reader->types[op->operands[0]].wide) return tri_fail(t, "an operand that is no answer");
    if (!tri_use(t, op->operands[0], &answer)) return false;
    answer = tri_emit2(t, TIR_OP_shri, i64, answer, tri_integer(t, TIR_TYPE_i64, answer_fields[field].first));
    tri_set(t, answer, "signedness", TIR_signedness_unsigned);
    const int64_t mask = (INT64_C(1) << answer_fields[field].bits) - 1;
    answer = tri_emit2(t, TIR_OP_andi, i64, answer, tri_integer(t, TIR_TYPE_i64, mask));
    return tri_define(t, op->first_result, tri_emit1(t, TIR_OP_trunci, tri_result_type(t, op), answer));
}

bool tri_op_clc_is_canceled(TriTranslation *t, const TriOp *op) {
    return define_field(t, op, 3);
}

bool tri_op_clc_get_program_id(TriTranslation *t, const TriOp *op) {
    return define_field(t, op, (uint32_t)tri_attribute(op, "dim")->integer % 3);
}
