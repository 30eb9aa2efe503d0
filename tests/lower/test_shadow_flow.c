// SPDX-License-Identifier: Apache-2.0
// Payloads go where the floats go: through branches, loops, reductions and scans. Every float in memory is 1 and has
// the payload of another number, so that a payload made anew from the number would show.
#include "tests/lower/lab.h"

#include <string.h>

enum { SIZE = 32, FROM = 0, OTHER, TO, CONDITION };

static const TirTypeKind kinds[] = {TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_i32};
static const int64_t row = SIZE;

static TowerPayload number(int64_t n) {
    return tower_rational(tower_chain(0), n, 77);
}

// Element i of buffer FROM has the payload (i + 1) / 77, of OTHER (1000 + i) / 77.
static Lab flow_open(void) {
    return lab_open(4, kinds);
}

static void flow_run(Lab *lab, uint64_t condition) {
    lab_return(lab);
    for (uint64_t i = 0; i < SIZE; i++)
        for (uint32_t b = FROM; b <= OTHER; b++) {
            lab_put(lab, b, TIR_TYPE_f32, i, 0x3f800000);
            lab_put_record(lab, b, TIR_TYPE_f32, i, number(b == FROM ? (int64_t)i + 1 : 1000 + (int64_t)i));
        }
    lab_put(lab, CONDITION, TIR_TYPE_i32, 0, condition);
    lab_check(lab, COMPILE_SHADOW);
}

static void expect(Lab *lab, uint64_t i, TowerPayload expected, const char *what) {
    HostRecord record;
    cr_assert(lab_record(lab, TO, TIR_TYPE_f32, i, &record), "%s, element %lu has no record", what, (unsigned long)i);
    cr_assert(lab_same_payload(lab_payload(lab, TO, TIR_TYPE_f32, i), expected), "%s, element %lu", what,
              (unsigned long)i);
}

static TirValue add(Lab *lab, TirValue a, TirValue b) {
    return lab_value(lab, TIR_OP_addf, tir_value_type(lab->module->functions, a), 2, (TirValue[]){a, b});
}

static TirValue integer(Lab *lab, uint64_t value) {
    return lab_constant(lab, lab_tile(lab, TIR_TYPE_i32, 0, NULL), value);
}

// Whether the first element of CONDITION is 0: the compiler does not know.
static TirValue condition(Lab *lab) {
    TirType type = lab_tile(lab, TIR_TYPE_i32, 0, NULL), truth = lab_tile(lab, TIR_TYPE_i1, 0, NULL);
    TirValue value = tir_result(lab_load_op(lab, lab_argument(lab, CONDITION), type, TIR_NO_VALUE, TIR_NO_VALUE), 0);
    TirOp *op = lab_op(lab, TIR_OP_cmpi, 1, &truth, 2, (TirValue[]){value, integer(lab, 0)}, NULL);
    lab_set(op, "predicate", TIR_predicate_equal);
    lab_set(op, "signedness", TIR_signedness_unsigned);
    return tir_result(op, 0);
}

static void yield(Lab *lab, TirOpKind kind, TirValue value) {
    lab_op(lab, kind, 0, NULL, 1, &value, NULL);
}

Test(shadow_flow, branches) {
    for (uint64_t taken = 0; taken < 2; taken++) {
        Lab lab = flow_open();
        TirValue a = lab_load(&lab, FROM, 1, &row), b = lab_load(&lab, OTHER, 1, &row), test = condition(&lab);
        TirType type = tir_value_type(lab.module->functions, a);
        TirOp *op = lab_op(&lab, TIR_OP_if, 1, &type, 1, &test, NULL);
        TirBlock *outside = lab.block;
        lab.block = tir_block_add(&op->regions[0], 0, NULL);
        yield(&lab, TIR_OP_yield, a);
        lab.block = tir_block_add(&op->regions[1], 0, NULL);
        yield(&lab, TIR_OP_yield, add(&lab, b, b));
        lab.block = outside;
        lab_store(&lab, TO, tir_result(op, 0));
        flow_run(&lab, taken);
        for (uint64_t i = 0; i < SIZE; i++)
            expect(&lab, i, taken ? number(2 * (1000 + (int64_t)i)) : number((int64_t)i + 1), "a branch");
        lab_close(&lab);
    }
}

// x = FROM; 3 times: x = x + OTHER.
Test(shadow_flow, counted_loops) {
    Lab lab = flow_open();
    TirValue a = lab_load(&lab, FROM, 1, &row), b = lab_load(&lab, OTHER, 1, &row);
    TirType type = tir_value_type(lab.module->functions, a), scalar = lab_tile(&lab, TIR_TYPE_i32, 0, NULL);
    TirValue operands[] = {integer(&lab, 0), integer(&lab, 3), integer(&lab, 1), a};
    TirOp *loop = lab_op(&lab, TIR_OP_for, 1, &type, 4, operands, NULL);
    TirBlock *outside = lab.block;
    lab.block = tir_block_add(&loop->regions[0], 2, (TirType[]){scalar, type});
    yield(&lab, TIR_OP_continue, add(&lab, lab.block->first_argument + 1, b));
    lab.block = outside;
    lab_store(&lab, TO, tir_result(loop, 0));
    flow_run(&lab, 0);
    for (uint64_t i = 0; i < SIZE; i++) expect(&lab, i, number((int64_t)i + 1 + 3 * (1000 + (int64_t)i)), "for");
    lab_close(&lab);
}

// A loop that carries one element and ends with another.
Test(shadow_flow, loops_that_break) {
    Lab lab = flow_open();
    TirType one = lab_tile(&lab, TIR_TYPE_f32, 0, NULL);
    TirValue a = tir_result(lab_load_op(&lab, lab_argument(&lab, FROM), one, TIR_NO_VALUE, TIR_NO_VALUE), 0);
    TirValue b = tir_result(lab_load_op(&lab, lab_argument(&lab, OTHER), one, TIR_NO_VALUE, TIR_NO_VALUE), 0);
    TirOp *loop = lab_op(&lab, TIR_OP_loop, 1, &one, 1, &a, NULL);
    TirBlock *outside = lab.block, *body;
    lab.block = body = tir_block_add(&loop->regions[0], 1, &one);
    TirValue carried = body->first_argument, test = condition(&lab);
    TirOp *op = lab_op(&lab, TIR_OP_if, 0, NULL, 1, &test, NULL);
    lab.block = tir_block_add(&op->regions[0], 0, NULL);
    yield(&lab, TIR_OP_break, add(&lab, carried, b));
    lab.block = body;
    yield(&lab, TIR_OP_continue, carried);
    lab.block = outside;
    TirValue result = tir_result(loop, 0);
    lab_store(&lab, TO, lab_value(&lab, TIR_OP_reshape, lab_tile(&lab, TIR_TYPE_f32, 1, (int64_t[]){1}), 1, &result));
    flow_run(&lab, 0);
    expect(&lab, 0, number(1001), "loop");
    lab_close(&lab);
}

// The sum of all elements, and the sums of all up to each.
static void run_aggregate(TirOpKind kind) {
    Lab lab = flow_open();
    TirValue a = lab_load(&lab, FROM, 1, &row);
    TirType scalar = lab_tile(&lab, TIR_TYPE_f32, 0, NULL);
    TirType type = kind == TIR_OP_scan ? tir_value_type(lab.module->functions, a) : scalar;
    TirOp *op = lab_op(&lab, kind, 1, &type, 1, &a, NULL);
    TirAttribute identity = {.present = true, .tag = TIR_TAG_FLOAT, .type = tir_type_scalar(lab.module, TIR_TYPE_f32)};
    lab_set(op, "dim", 0);
    if (kind == TIR_OP_scan) lab_set(op, "reverse", 0);
    tir_op_set(op, "identities")->items = &identity;
    tir_op_set(op, "identities")->length = 1;
    TirBlock *outside = lab.block;
    lab.block = tir_block_add(&op->regions[0], 2, (TirType[]){scalar, scalar});
    yield(&lab, TIR_OP_yield, add(&lab, lab.block->first_argument, lab.block->first_argument + 1));
    lab.block = outside;
    TirValue result = tir_result(op, 0);
    if (kind == TIR_OP_reduce)
        result = lab_value(&lab, TIR_OP_reshape, lab_tile(&lab, TIR_TYPE_f32, 1, (int64_t[]){1}), 1, &result);
    lab_store(&lab, TO, result);
    flow_run(&lab, 0);
    for (int64_t i = kind == TIR_OP_scan ? 0 : SIZE - 1; i < SIZE; i++)
        expect(&lab, kind == TIR_OP_scan ? (uint64_t)i : 0, number((i + 1) * (i + 2) / 2), "a sum");
    lab_close(&lab);
}

Test(shadow_flow, reductions) {
    run_aggregate(TIR_OP_reduce);
}

Test(shadow_flow, scans) {
    run_aggregate(TIR_OP_scan);
}
