// SPDX-License-Identifier: Apache-2.0
// Tensor views that do not fit their buffer, with sizes and strides from where arithmetic wraps; tile indices outside.
#include "tests/robustness/hostile.h"

#include <stdio.h>
#include <string.h>

#define TWO(n) ((int64_t)(UINT64_C(1) << (n)))

// Loads tile number control[2] of a view of control[0] elements with stride control[1].
static Hostile open_row(void) {
    Hostile x = hostile_open();
    TirValue size = hostile_control(&x, 0), stride = hostile_control(&x, 1), index = hostile_control(&x, 2);
    TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_DATA), 1, &size, &stride);
    TirValue view = hostile_partition(&x, tensor, (int64_t[]){16});
    hostile_output(&x, 0, hostile_load_view(&x, view, &index));
    hostile_compile(&x);
    return x;
}

Test(hostile_views, sizes_and_strides_of_a_row) {
    static const struct {
        size_t bytes;
        int64_t size, stride, index;
        const char *fault; // NULL: the tile is loaded
    } rows[] = {
        {64, 16, 1, 0, NULL},
        {64, 17, 1, 0, "of 68 bytes from byte 0 of buffer data (argument 0, 64 bytes)"},
        {65, 16, 1, 0, NULL},
        {63, 16, 1, 0, "tensor view"},
        {63, 15, 1, 0, NULL},
        {61, 15, 1, 0, NULL},
        {59, 15, 1, 0, "tensor view"},
        {0, 1, 1, 0, "tensor view"},
        {0, 0, 1, 0, "index space"},
        {3, 1, 1, 0, "tensor view"},
        {4, 1, 1, 0, NULL},
        {64, 0, 1, 0, "index space"},
        {64, 0, TWO(62), 0, "index space"},
        {64, -1, 1, 0, "a tensor view with an extent of -1"},
        {64, INT64_MIN, 1, 0, "with an extent of -9223372036854775808"},
        {64, INT64_MAX, 1, 0, "tensor view"},
        {64, INT64_MAX, -1, 0, "tensor view"},
        {64, INT64_MAX, INT64_MAX, 0, "of at least 9223372036854775807 bytes from byte 0 of buffer data"},
        {64, INT64_MAX, INT64_MIN, 0, "bytes from address 0x0 on, which is in no buffer of the launch"},
        {64, 2, INT64_MIN, 0, "tensor view"},
        {64, 2, INT64_MAX, 0, "tensor view"},
        {64, 16, -1, 0, "of 64 bytes from byte -60 of buffer data (argument 0, 64 bytes)"},
        {64, 1, -1, 0, NULL},
        {64, 1, INT64_MIN, 0, NULL}, // one element: the stride says nothing
        {64, 16, 0, 0, NULL},        // one element again and again
        {4, TWO(62), 0, TWO(58) - 1, NULL},
        {4, INT64_MAX, 0, TWO(59) - 1, NULL},
        {4, INT64_MAX, 0, TWO(59), "index space"},
        {64, TWO(62) + 1, TWO(62), 0, "tensor view"}, // times 4 bytes: 2^126 and more
        {64, TWO(62) + 1, TWO(62) + 1, 0, "tensor view"},
        {64, TWO(62) + 1, -TWO(62), 0, "tensor view"},
        {64, 5, TWO(60), 0, "tensor view"}, // 4 * 2^60 * 4 bytes is 0 in 64 bits
        {64, 5, TWO(62), 0, "tensor view"},
        {64, 3, TWO(61) + 1, 0, "tensor view"},
        {128, 32, 1, 1, NULL},
        {128, 32, 1, 2, "index 2 is outside the index space 0 .. 1"},
        {128, 32, 1, -1, "index space"},
        {128, 32, 1, INT64_MIN, "index space"},
        {128, 32, 1, INT64_MAX, "index space"},
        {128, 32, 1, TWO(60), "index space"}, // times 16 is 0 in 64 bits
        {128, 17, 1, 1, NULL},
        {128, 16, 1, 1, "index space"},
    };
    Hostile x = open_row();
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        char what[80];
        snprintf(what, sizeof what, "row %zu: size %lld, stride %lld, index %lld", i, (long long)rows[i].size,
                 (long long)rows[i].stride, (long long)rows[i].index);
        hostile_run(&x, rows[i].bytes, CONTROLS(rows[i].size, rows[i].stride, rows[i].index), rows[i].fault, what);
        for (int64_t k = 0; k < 16 && !rows[i].fault; k++) {
            int64_t element = rows[i].index * 16 + k;
            int64_t expected = element < rows[i].size ? element * rows[i].stride : 0;
            cr_assert_eq(x.output[k], expected, "%s: element %lld is %lld", what, (long long)k, (long long)x.output[k]);
        }
    }
    hostile_close(&x);
}

Test(hostile_views, a_view_may_run_backwards_from_the_end) {
    Hostile x = hostile_open();
    TirValue size = hostile_control(&x, 0), stride = hostile_control(&x, 1), last = hostile_control(&x, 2);
    TirValue zero = lab_constant(&x.lab, lab_tile(&x.lab, TIR_TYPE_i32, 0, NULL), 0);
    TirValue tensor =
        hostile_tensor(&x, hostile_offset(&x, lab_argument(&x.lab, HOSTILE_DATA), last), 1, &size, &stride);
    hostile_output(&x, 0, hostile_load_view(&x, hostile_partition(&x, tensor, (int64_t[]){8}), &zero));
    hostile_compile(&x);
    hostile_run(&x, 32, CONTROLS(8, -1, 7), NULL, "whole");
    for (int k = 0; k < 8; k++) cr_assert_eq(x.output[k], 7 - k);
    hostile_run(&x, 32, CONTROLS(4, -2, 7), NULL, "every other");
    cr_assert(x.output[0] == 7 && x.output[3] == 1 && x.output[4] == 0);
    hostile_run(&x, 32, CONTROLS(8, -1, 6), "tensor view", "one too far down");
    hostile_run(&x, 32, CONTROLS(8, -1, 8), "tensor view", "from beyond the end");
    hostile_run(&x, 32, CONTROLS(1, 1, -1), "tensor view", "before the buffer");
    hostile_run(&x, 32, CONTROLS(1, 1, TWO(61)), "tensor view", "far away");
    hostile_run(&x, 32, CONTROLS(0, 1, TWO(61)), "index space", "far away, but of no element");
    hostile_close(&x);
}

// Two dimensions: the sum of reaches, not each of them, must fit.
Test(hostile_views, planes) {
    static const struct {
        int64_t sizes[2], strides[2];
        const char *fault;
    } rows[] = {
        {{4, 4}, {4, 1}, NULL},
        {{4, 4}, {1, 4}, NULL},
        {{4, 5}, {4, 1}, "tensor view"},
        {{5, 4}, {4, 1}, "tensor view"},
        {{4, 4}, {5, 1}, "tensor view"},
        {{4, 4}, {4, -1}, "tensor view"},
        {{4, 4}, {0, 1}, NULL},
        {{TWO(62), 4}, {TWO(62), 1}, "tensor view"},
        {{5, 5}, {TWO(60), -TWO(60)}, "tensor view"}, // cancel out in 64 bits and in sum
        {{TWO(62) + 1, TWO(62) + 1}, {TWO(62), -TWO(62)}, "tensor view"},
        {{TWO(62) + 1, TWO(62) + 1}, {TWO(62), TWO(62)}, "tensor view"},
        {{INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MAX}, "tensor view"},
        {{INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN}, "tensor view"},
        {{INT64_MAX, 0}, {INT64_MAX, 1}, "index space"},
        {{-1, -1}, {1, 1}, "tensor view"},
    };
    Hostile x = hostile_open();
    TirValue sizes[2] = {hostile_control(&x, 0), hostile_control(&x, 1)},
             strides[2] = {hostile_control(&x, 2), hostile_control(&x, 3)};
    TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_DATA), 2, sizes, strides);
    TirValue zero = lab_constant(&x.lab, lab_tile(&x.lab, TIR_TYPE_i32, 0, NULL), 0), zeros[2] = {zero, zero};
    TirValue tile = hostile_load_view(&x, hostile_partition(&x, tensor, (int64_t[]){4, 4}), zeros);
    hostile_output(&x, 0,
                   lab_value(&x.lab, TIR_OP_reshape, lab_tile(&x.lab, TIR_TYPE_f32, 1, (int64_t[]){16}), 1, &tile));
    hostile_compile(&x);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        char what[20];
        snprintf(what, sizeof what, "row %zu", i);
        hostile_run(&x, 64, CONTROLS(rows[i].sizes[0], rows[i].sizes[1], rows[i].strides[0], rows[i].strides[1]),
                    rows[i].fault, what);
        for (int64_t k = 0; k < 16 && !rows[i].fault; k++)
            cr_assert_eq(x.output[k], k / 4 * rows[i].strides[0] + k % 4 * rows[i].strides[1], "%s: element %lld", what,
                         (long long)k);
    }
    hostile_close(&x);
}

// The largest rank: 32 reaches of nearly 2^126 elements of 4 bytes.
Test(hostile_views, the_largest_rank) {
    Hostile x = hostile_open();
    TirValue size = hostile_control(&x, 0), stride = hostile_control(&x, 1), sizes[TIR_RANK_MAX], strides[TIR_RANK_MAX];
    TirValue zero = lab_constant(&x.lab, lab_tile(&x.lab, TIR_TYPE_i64, 0, NULL), 0), zeros[TIR_RANK_MAX];
    int64_t tile[TIR_RANK_MAX];
    for (int d = 0; d < TIR_RANK_MAX; d++) {
        sizes[d] = size;
        strides[d] = stride;
        zeros[d] = zero;
        tile[d] = d < 4 ? 2 : 1;
    }
    TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_DATA), TIR_RANK_MAX, sizes, strides);
    TirValue loaded = hostile_load_view(&x, hostile_partition(&x, tensor, tile), zeros);
    hostile_output(&x, 0,
                   lab_value(&x.lab, TIR_OP_reshape, lab_tile(&x.lab, TIR_TYPE_f32, 1, (int64_t[]){16}), 1, &loaded));
    hostile_compile(&x);
    hostile_run(&x, 4 * 33, CONTROLS(2, 1), NULL, "fits");
    cr_assert(x.output[15] == 4 && x.output[8] == 1);
    hostile_run(&x, 4 * 32, CONTROLS(2, 1), "tensor view", "one element too many");
    hostile_run(&x, 4 * 33, CONTROLS(1, TWO(62)), NULL, "one element");
    for (int64_t k = 0; k < 64; k++) // 32 * 2^k * 2^62 * 4 is a multiple of 2^64, and from some k on of 2^128
        hostile_run(&x, 4 * 33, CONTROLS(k < 63 ? TWO(k) + 1 : INT64_MAX, TWO(62)), "tensor view", "powers of two");
    hostile_run(&x, 4 * 33, CONTROLS(INT64_MAX, INT64_MAX), "tensor view", "largest");
    hostile_run(&x, 4 * 33, CONTROLS(INT64_MAX, INT64_MIN), "tensor view", "farthest down");
    hostile_close(&x);
}

Test(hostile_views, stores_leave_what_is_outside_alone) {
    Hostile x = hostile_open();
    TirValue size = hostile_control(&x, 0), stride = hostile_control(&x, 1), index = hostile_control(&x, 2);
    TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_OTHER), 1, &size, &stride);
    TirValue view = hostile_partition(&x, tensor, (int64_t[]){8});
    hostile_store_view(&x, view, &index, lab_load(&x.lab, HOSTILE_DATA, 1, (int64_t[]){8}));
    hostile_output(&x, 0, lab_load(&x.lab, HOSTILE_OTHER, 1, (int64_t[]){HOSTILE_OTHER_ELEMENTS}));
    hostile_compile(&x);
    hostile_run(&x, 32, CONTROLS(13, 1, 1), NULL, "a tile that sticks out");
    for (int k = 0; k < 16; k++) cr_assert_eq(x.output[k], k >= 8 && k < 13 ? k - 8 : 1000 + k, "element %d", k);
    hostile_run(&x, 32, CONTROLS(17, 1, 1), "tensor view", "too large");
    hostile_run(&x, 32, CONTROLS(13, 1, 2), "index space", "no such tile");
    hostile_run(&x, 28, CONTROLS(13, 1, 1), "load", "data end before the tile that is loaded");
    hostile_close(&x);
}

// Numbers known when the kernel is compiled are checked like others.
Test(hostile_views, constants) {
    static const int64_t sizes[] = {-1, INT64_MIN, 17, INT64_MAX, 16};
    for (size_t i = 0; i < BASE_COUNT(sizes); i++) {
        Hostile x = hostile_open();
        TirType i64 = lab_tile(&x.lab, TIR_TYPE_i64, 0, NULL);
        TirValue size = lab_constant(&x.lab, i64, (uint64_t)sizes[i]), one = lab_constant(&x.lab, i64, 1);
        TirValue zero = lab_constant(&x.lab, i64, 0);
        TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_DATA), 1, &size, &one);
        hostile_output(&x, 0, hostile_load_view(&x, hostile_partition(&x, tensor, (int64_t[]){16}), &zero));
        hostile_compile(&x);
        hostile_run(&x, 64, 0, NULL, sizes[i] == 16 ? NULL : "a tensor view", "a constant size");
        hostile_close(&x);
    }
}

// i32 sizes and indices are unsigned.
Test(hostile_views, narrow_numbers) {
    Hostile x = hostile_open();
    TirValue size = hostile_narrow(&x, hostile_control(&x, 0), TIR_TYPE_i32),
             stride = hostile_narrow(&x, hostile_control(&x, 1), TIR_TYPE_i32);
    TirValue index = hostile_narrow(&x, hostile_control(&x, 2), TIR_TYPE_i32);
    TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_DATA), 1, &size, &stride);
    hostile_output(&x, 0, hostile_load_view(&x, hostile_partition(&x, tensor, (int64_t[]){4}), &index));
    hostile_compile(&x);
    hostile_run(&x, 64, CONTROLS(16, 1, 3), NULL, "fits");
    cr_assert_eq(x.output[3], 15);
    hostile_run(&x, 64, CONTROLS(16, 1, -1), "index 4294967295 is outside", "index -1");
    hostile_run(&x, 64, CONTROLS(-1, 1, 0), "tensor view", "size -1");
    hostile_run(&x, 64, CONTROLS(-1, 0, 0x3FFFFFFF), NULL, "2^32 - 1 elements of stride 0");
    hostile_run(&x, 64, CONTROLS(-1, 0, 0x40000000), "index space", "2^32 - 1 elements of stride 0, beyond");
    hostile_run(&x, 64, CONTROLS(2, INT32_MIN, 0), "tensor view", "smallest stride");
    hostile_close(&x);
}
