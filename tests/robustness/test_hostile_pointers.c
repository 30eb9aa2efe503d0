// SPDX-License-Identifier: Apache-2.0
// Pointers that lead out of their buffer, by offsets that wrap, through integers, into other buffers; masks; atomics.
#include "tests/robustness/hostile.h"

#include <stdio.h>
#include <string.h>

#define TWO(n) ((int64_t)(UINT64_C(1) << (n)))

static TirType scalar(Hostile *x, TirTypeKind kind) {
    return lab_tile(&x->lab, kind, 0, NULL);
}

static TirValue load(Hostile *x, TirValue pointer, TirType type) {
    return tir_result(lab_load_op(&x->lab, pointer, type, TIR_NO_VALUE, TIR_NO_VALUE), 0);
}

// Byte address of a pointer plus a control, as a pointer to f32.
static TirValue address(Hostile *x, uint32_t argument, TirValue bytes) {
    TirType i64 = scalar(x, TIR_TYPE_i64);
    TirValue base = lab_value(&x->lab, TIR_OP_ptr_to_int, i64, 1, (TirValue[]){lab_argument(&x->lab, argument)});
    TirOp *sum = lab_op(&x->lab, TIR_OP_addi, 1, &i64, 2, (TirValue[]){base, bytes}, NULL);
    lab_set(sum, "overflow", TIR_overflow_none);
    return lab_value(&x->lab, TIR_OP_int_to_ptr, lab_pointer_tile(&x->lab, TIR_TYPE_f32, 0, NULL), 1,
                     (TirValue[]){tir_result(sum, 0)});
}

Test(hostile_pointers, offsets) {
    static const struct {
        int64_t offset;
        const char *fault;
    } rows[] = {{0, NULL},
                {15, NULL},
                {16, "byte 64 of buffer data (argument 0, 64 bytes)"},
                {-1, "byte -4 of buffer data"},
                {TWO(40), "load"},
                {TWO(61), "load"},
                {-TWO(61), "load"},
                {TWO(62), NULL}, // times 4 bytes: back at the beginning
                {INT64_MIN, NULL},
                {INT64_MAX, "byte -4 of buffer data"}};
    Hostile x = hostile_open();
    TirValue pointer = hostile_offset(&x, lab_argument(&x.lab, HOSTILE_DATA), hostile_control(&x, 0));
    hostile_output(&x, 0, load(&x, pointer, scalar(&x, TIR_TYPE_f32)));
    hostile_compile(&x);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        char what[20];
        snprintf(what, sizeof what, "row %zu", i);
        hostile_run(&x, 64, CONTROLS(rows[i].offset), rows[i].fault, what);
    }
    hostile_close(&x);
}

// Addresses that are no multiple of the element's size may be used; no byte beyond the buffer may.
Test(hostile_pointers, single_bytes) {
    Hostile x = hostile_open();
    hostile_output(&x, 0, load(&x, address(&x, HOSTILE_DATA, hostile_control(&x, 0)), scalar(&x, TIR_TYPE_f32)));
    hostile_compile(&x);
    for (int64_t size = 0; size < 10; size++)
        for (int64_t at = -5; at < 12; at++)
            hostile_run(&x, (size_t)size, CONTROLS(at), at >= 0 && at + 4 <= size ? NULL : "load", "a byte");
    const int64_t far[] = {TWO(12), -TWO(12), TWO(20), TWO(40), -TWO(40), TWO(63), INT64_MAX, INT64_MAX - 8};
    for (size_t i = 0; i < BASE_COUNT(far); i++) hostile_run(&x, 64, CONTROLS(far[i]), "load", "far away");
    hostile_close(&x);
}

// A pointer made of an integer may be in any buffer of the launch, but must be in one.
Test(hostile_pointers, made_of_integers) {
    Hostile x = hostile_open();
    TirType pointer = lab_pointer_tile(&x.lab, TIR_TYPE_f32, 0, NULL);
    TirValue control = hostile_control(&x, 0), made = lab_value(&x.lab, TIR_OP_int_to_ptr, pointer, 1, &control);
    hostile_output(&x, 0, load(&x, made, scalar(&x, TIR_TYPE_f32)));
    hostile_compile(&x);
    const int64_t addresses[] = {
        0, 1, 4, 4096, -1, -4, -8, INT64_MIN, INT64_MAX, (int64_t)(uintptr_t)&x, (int64_t)(uintptr_t)hostile_run};
    for (size_t i = 0; i < BASE_COUNT(addresses); i++)
        hostile_run(&x, 64, CONTROLS(addresses[i]), "in no buffer of the launch", "an address");
    hostile_close(&x);
}

// A pointer that is known to come from an argument may not reach another argument's buffer.
Test(hostile_pointers, from_one_buffer_into_another) {
    for (int through_integer = 0; through_integer < 2; through_integer++) {
        Hostile x = hostile_open();
        TirType i64 = scalar(&x, TIR_TYPE_i64);
        TirValue ends[2];
        for (int i = 0; i < 2; i++)
            ends[i] = lab_value(&x.lab, TIR_OP_ptr_to_int, i64, 1,
                                (TirValue[]){lab_argument(&x.lab, i ? HOSTILE_OTHER : HOSTILE_DATA)});
        TirOp *distance = lab_op(&x.lab, TIR_OP_subi, 1, &i64, 2, (TirValue[]){ends[1], ends[0]}, NULL);
        lab_set(distance, "overflow", TIR_overflow_none);
        TirOp *elements = lab_op(&x.lab, TIR_OP_divi, 1, &i64, 2,
                                 (TirValue[]){tir_result(distance, 0), lab_constant(&x.lab, i64, 4)}, NULL);
        lab_set(elements, "signedness", TIR_signedness_signed);
        tir_op_set(elements, "rounding")->integer = TIR_rounding_zero;
        TirValue pointer = through_integer
                               ? address(&x, HOSTILE_DATA, tir_result(distance, 0))
                               : hostile_offset(&x, lab_argument(&x.lab, HOSTILE_DATA), tir_result(elements, 0));
        hostile_output(&x, 0, load(&x, pointer, scalar(&x, TIR_TYPE_f32)));
        hostile_compile(&x);
        hostile_run(&x, 64, 0, NULL, through_integer ? NULL : "load", "into the other buffer");
        if (through_integer) cr_assert_eq(x.output[0], 1000);
        hostile_close(&x);
    }
}

// ---- tiles ----------------------------------------------------------------------------------------------------------

// first + step * (0 .. 15) elements from the beginning of data.
static TirValue pointer_row(Hostile *x, TirValue first, TirValue step) {
    const int64_t one = 1, count = 16;
    TirType numbers = lab_tile(&x->lab, TIR_TYPE_i64, 1, &count),
            pointers = lab_pointer_tile(&x->lab, TIR_TYPE_f32, 1, &count);
    TirValue values[3] = {first, step, lab_argument(&x->lab, HOSTILE_DATA)};
    for (int i = 0; i < 3; i++) {
        TirType single =
            i == 2 ? lab_pointer_tile(&x->lab, TIR_TYPE_f32, 1, &one) : lab_tile(&x->lab, TIR_TYPE_i64, 1, &one);
        values[i] = lab_value(&x->lab, TIR_OP_reshape, single, 1, &values[i]);
        values[i] = lab_value(&x->lab, TIR_OP_broadcast, i == 2 ? pointers : numbers, 1, &values[i]);
    }
    TirValue index = lab_value(&x->lab, TIR_OP_iota, numbers, 0, NULL);
    TirOp *scaled = lab_op(&x->lab, TIR_OP_muli, 1, &numbers, 2, (TirValue[]){index, values[1]}, NULL);
    lab_set(scaled, "overflow", TIR_overflow_none);
    TirOp *sum = lab_op(&x->lab, TIR_OP_addi, 1, &numbers, 2, (TirValue[]){tir_result(scaled, 0), values[0]}, NULL);
    lab_set(sum, "overflow", TIR_overflow_none);
    return lab_value(&x->lab, TIR_OP_offset, pointers, 2, (TirValue[]){values[2], tir_result(sum, 0)});
}

// The lanes below a limit.
static TirValue mask_below(Hostile *x, TirValue limit) {
    const int64_t one = 1, count = 16;
    TirType numbers = lab_tile(&x->lab, TIR_TYPE_i64, 1, &count), bits = lab_tile(&x->lab, TIR_TYPE_i1, 1, &count);
    limit = lab_value(&x->lab, TIR_OP_reshape, lab_tile(&x->lab, TIR_TYPE_i64, 1, &one), 1, &limit);
    limit = lab_value(&x->lab, TIR_OP_broadcast, numbers, 1, &limit);
    TirOp *op = lab_op(&x->lab, TIR_OP_cmpi, 1, &bits, 2,
                       (TirValue[]){lab_value(&x->lab, TIR_OP_iota, numbers, 0, NULL), limit}, NULL);
    lab_set(op, "predicate", TIR_predicate_less_than);
    lab_set(op, "signedness", TIR_signedness_signed);
    return tir_result(op, 0);
}

static const struct TileRow {
    size_t bytes;
    int64_t first, step, active;
    const char *fault; // of a load; stores fault alike
} tile_rows[] = {
    {64, 0, 1, 16, NULL},
    {63, 0, 1, 16, "byte 60 of buffer data (argument 0, 63 bytes)"},
    {63, 0, 1, 15, NULL},
    {0, 0, 1, 0, NULL},
    {0, 0, 1, 1, "byte 0 of buffer data (argument 0, 0 bytes)"},
    {64, 1, 1, 16, "byte 64"},
    {64, 1, 1, 15, NULL},
    {64, -1, 1, 16, "byte -4"},
    {64, 15, -1, 16, NULL},
    {64, 15, -1, 17, NULL},
    {64, 14, -1, 16, "byte -4"},
    {64, 5, 0, 16, NULL},
    {64, 16, 0, 16, "byte 64"},
    {64, 0, 2, 8, NULL},
    {64, 0, 2, 9, "byte 64"},
    {64, 0, TWO(62), 16, NULL}, // all the first element
    {64, 0, TWO(60), 1, NULL},
    {64, 0, TWO(60), 2, "load"},
    {64, TWO(61), 1, 16, "load"},
    {64, TWO(61), 1, 0, NULL},
    {64, INT64_MIN, INT64_MAX, 1, NULL},
    {64, INT64_MIN, INT64_MAX, 2, "byte -4"},
};

Test(hostile_pointers, tiles_that_are_loaded) {
    Hostile x = hostile_open();
    TirType type = lab_tile(&x.lab, TIR_TYPE_f32, 1, (int64_t[]){16});
    TirValue pointers = pointer_row(&x, hostile_control(&x, 0), hostile_control(&x, 1));
    TirOp *op = lab_load_op(&x.lab, pointers, type, mask_below(&x, hostile_control(&x, 2)), TIR_NO_VALUE);
    hostile_output(&x, 0, tir_result(op, 0));
    hostile_compile(&x);
    for (size_t i = 0; i < BASE_COUNT(tile_rows); i++) {
        const struct TileRow *row = &tile_rows[i];
        char what[20];
        snprintf(what, sizeof what, "row %zu", i);
        hostile_run(&x, row->bytes, CONTROLS(row->first, row->step, row->active), row->fault, what);
        for (int64_t k = 0; k < 16 && !row->fault; k++) {
            int64_t at = (int64_t)((uint64_t)row->first + (uint64_t)k * (uint64_t)row->step);
            cr_assert_eq(x.output[k], k < row->active ? (at & (TWO(62) - 1)) : 0, "%s: element %lld", what,
                         (long long)k);
        }
    }
    hostile_close(&x);
}

Test(hostile_pointers, tiles_that_are_stored) {
    Hostile x = hostile_open();
    TirValue pointers = pointer_row(&x, hostile_control(&x, 0), hostile_control(&x, 1));
    lab_store_op(&x.lab, pointers, lab_load(&x.lab, HOSTILE_OTHER, 1, (int64_t[]){16}),
                 mask_below(&x, hostile_control(&x, 2)));
    hostile_compile(&x);
    for (size_t i = 0; i < BASE_COUNT(tile_rows); i++) {
        char what[20], fault[80];
        snprintf(what, sizeof what, "row %zu", i);
        const char *expected = tile_rows[i].fault;
        snprintf(fault, sizeof fault, "%s", expected && !strcmp(expected, "load") ? "store" : expected ? expected : "");
        hostile_run(&x, tile_rows[i].bytes, CONTROLS(tile_rows[i].first, tile_rows[i].step, tile_rows[i].active),
                    expected ? fault : NULL, what);
    }
    hostile_close(&x);
}

// ---- atomics --------------------------------------------------------------------------------------------------------

Test(hostile_pointers, atomics) {
    Hostile x = hostile_open();
    TirType f32 = scalar(&x, TIR_TYPE_f32), results[2] = {f32, tir_type_scalar(x.lab.module, TIR_TYPE_token)};
    TirValue operands[2] = {address(&x, HOSTILE_DATA, hostile_control(&x, 0)), lab_constant(&x.lab, f32, 0x3F800000)};
    TirOp *op = lab_op(&x.lab, TIR_OP_atomic_rmw_tko, 2, results, 2, operands, (uint32_t[TIR_OPERANDS_MAX]){1, 1});
    lab_set(op, "ordering", TIR_memory_ordering_relaxed);
    lab_set(op, "scope", TIR_memory_scope_device);
    lab_set(op, "mode", TIR_atomic_mode_xchg);
    hostile_output(&x, 0, tir_result(op, 0));
    hostile_compile(&x);
    hostile_run(&x, 64, CONTROLS(60), NULL, "the last element");
    cr_assert_eq(x.output[0], 15);
    hostile_run(&x, 64, CONTROLS(64), "atomic access", "one beyond");
    hostile_run(&x, 64, CONTROLS(-4), "atomic access", "one before");
    hostile_run(&x, 62, CONTROLS(60), "atomic access", "half of one");
    for (int64_t at = 1; at < 4; at++) hostile_run(&x, 64, CONTROLS(at), "no multiple of its size", "between two");
    hostile_close(&x);
}
