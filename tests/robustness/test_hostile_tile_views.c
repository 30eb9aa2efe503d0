// SPDX-License-Identifier: Apache-2.0
// Strided and gather-scatter views, reductions, and what is said to be in bounds, with numbers where arithmetic wraps.
#include "tests/robustness/hostile.h"

#include <stdio.h>
#include <string.h>

#define TWO(n) ((int64_t)(UINT64_C(1) << (n)))

static TirValue zero_of(Hostile *x, TirTypeKind kind) {
    return lab_constant(&x->lab, lab_tile(&x->lab, kind, 0, NULL), 0);
}

// Tile number control[2], of 16 elements, in steps of 7, of control[0] elements with stride control[1]; and how many
// tiles there are.
Test(hostile_tile_views, windows) {
    static const struct {
        int64_t size, stride, index, count;
        const char *fault;
    } rows[] = {
        {1, 1, 0, 1, NULL},
        {7, 1, 0, 1, NULL},
        {8, 1, 1, 2, NULL},
        {64, 1, 9, 10, NULL},
        {64, 1, 10, 0, "tile index 10 is outside the index space 0 .. 9"},
        {64, 1, -1, 0, "index space"},
        {0, 1, 0, 0, "index space"},
        {-1, 1, 0, 0, "an extent of -1"},
        {INT64_MAX, 0, INT64_MAX / 7 - 1, INT64_MAX / 7, NULL},
        {INT64_MAX, 0, INT64_MAX / 7, 0, "index space"},
        {INT64_MAX - 1, 0, (INT64_MAX - 1) / 7, (INT64_MAX - 1) / 7 + 1, NULL}, // the last one has six elements
        {INT64_MAX, 0, TWO(61), 0, "index space"},                              // times 7 wraps
        {INT64_MAX, 1, 0, 0, "tensor view"},
    };
    Hostile x = hostile_open();
    TirValue size = hostile_control(&x, 0), stride = hostile_control(&x, 1), index = hostile_control(&x, 2);
    TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_DATA), 1, &size, &stride);
    TirValue view = hostile_strided(&x, tensor, (int64_t[]){16}, (int64_t[]){7}, TIR_PAD_zero);
    TirType i64 = lab_tile(&x.lab, TIR_TYPE_i64, 0, NULL);
    TirValue count = tir_result(lab_op(&x.lab, TIR_OP_get_index_space_shape, 1, &i64, 1, &view, NULL), 0);
    hostile_output(&x, 0, hostile_load_view(&x, view, &index));
    hostile_output(&x, 16, count);
    hostile_compile(&x);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        char what[20];
        snprintf(what, sizeof what, "row %zu", i);
        hostile_run(&x, 256, CONTROLS(rows[i].size, rows[i].stride, rows[i].index), rows[i].fault, what);
        if (rows[i].fault) continue;
        cr_assert_eq(x.output[16], rows[i].count, "%s: %lld tiles", what, (long long)x.output[16]);
        for (int64_t k = 0; k < 16; k++) {
            int64_t element = rows[i].index * 7 + k;
            bool inside = rows[i].index * 7 < rows[i].size - k;
            cr_assert_eq(x.output[k], inside ? element * rows[i].stride : 0, "%s: element %lld", what, (long long)k);
        }
    }
    hostile_close(&x);
}

// The largest step that a type can have.
Test(hostile_tile_views, far_steps) {
    Hostile x = hostile_open();
    TirValue size = hostile_control(&x, 0), stride = hostile_control(&x, 1), index = hostile_control(&x, 2);
    TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_DATA), 1, &size, &stride);
    TirValue view = hostile_strided(&x, tensor, (int64_t[]){4}, (int64_t[]){INT32_MAX}, TIR_PAD_zero);
    hostile_output(&x, 0, hostile_load_view(&x, view, &index));
    hostile_compile(&x);
    hostile_run(&x, 32, CONTROLS(8, 1, 0), NULL, "one tile");
    cr_assert(x.output[0] == 0 && x.output[3] == 3);
    hostile_run(&x, 32, CONTROLS(8, 1, 1), "index space 0 .. 0", "no second one");
    hostile_run(&x, 32, CONTROLS(INT64_MAX, 0, INT64_MAX / INT32_MAX), NULL, "the last one");
    hostile_run(&x, 32, CONTROLS(INT64_MAX, 0, INT64_MAX / INT32_MAX + 1), "index space", "one more");
    hostile_run(&x, 32, CONTROLS(INT64_MAX, 0, TWO(62)), "index space", "wraps");
    hostile_close(&x);
}

// Four rows, controls 5 to 8, from column control[4] on, of a plane with these sizes and strides.
Test(hostile_tile_views, rows) {
    static const struct {
        int64_t sizes[2], strides[2], column, rows[4];
        const char *fault;
    } cases[] = {
        {{8, 8}, {8, 1}, 0, {0, 7, 3, 3}, NULL},
        {{8, 8}, {8, 1}, 7, {0, 7, 8, 1}, NULL},
        {{8, 8}, {8, 1}, 8, {0, 7, 3, 3}, "load_view_tko (index 1): tile index 8 is outside the index space 0 .. 7"},
        {{8, 8}, {8, 1}, -1, {0, 7, 3, 3}, NULL}, // begins before the tensor
        {{8, 8}, {8, 1}, -3, {0, 7, 8, 3}, NULL},
        {{8, 8}, {8, 1}, -4, {0, 7, 3, 3}, "tile index -4 is outside the index space 0 .. 7"},
        {{8, 8}, {8, 1}, INT64_MIN, {0, 7, 3, 3}, "index space"},
        {{8, 2}, {8, 1}, -1, {0, 7, 3, 3}, NULL}, // on both sides
        {{4, INT64_MAX}, {1, 0}, -2, {0, 1, 3, 3}, NULL},
        {{4, INT64_MAX}, {1, 0}, INT64_MAX - 2, {0, 1, 3, 3}, NULL},
        {{8, 0}, {8, 1}, -1, {0, 7, 3, 3}, NULL}, // nothing there
        {{8, 8}, {8, 1}, TWO(61), {0, 7, 3, 3}, "index space"},
        {{8, 8}, {8, 1}, 2, {-1, INT64_MIN, INT64_MAX, 8}, NULL},
        {{8, 8}, {8, 1}, 2, {TWO(61), TWO(62) + 1, TWO(32), TWO(59)}, NULL}, // times 32 bytes: back in the buffer
        {{8, 8}, {1, 8}, 5, {7, 6, 5, 9}, NULL},
        {{8, 8}, {-8, -1}, 0, {0, 1, 2, 3}, "tensor view"},
        {{8, 9}, {8, 1}, 0, {0, 1, 2, 3}, "tensor view"},
        {{TWO(40), 4}, {0, 1}, 1, {TWO(40) - 1, TWO(40), 0, 5}, NULL},
        {{0, 8}, {8, 1}, 0, {0, 1, 2, 3}, NULL}, // no row at all
        {{8, 0}, {8, 1}, 0, {0, 1, 2, 3}, "index space"},
        {{-1, 8}, {8, 1}, 0, {0, 1, 2, 3}, "an extent of -1"},
    };
    Hostile x = hostile_open();
    TirValue sizes[2] = {hostile_control(&x, 0), hostile_control(&x, 1)},
             strides[2] = {hostile_control(&x, 2), hostile_control(&x, 3)};
    TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_DATA), 2, sizes, strides);
    TirType four = lab_tile(&x.lab, TIR_TYPE_i64, 1, (int64_t[]){4});
    TirValue pointers = lab_pointers(&x.lab, HOSTILE_CONTROLS, 5, 4);
    TirValue indices[2] = {tir_result(lab_load_op(&x.lab, pointers, four, TIR_NO_VALUE, TIR_NO_VALUE), 0),
                           hostile_control(&x, 4)};
    TirValue tile = hostile_load_view(&x, hostile_gather(&x, tensor, (int64_t[]){4, 4}, 0), indices);
    hostile_output(&x, 0,
                   lab_value(&x.lab, TIR_OP_reshape, lab_tile(&x.lab, TIR_TYPE_f32, 1, (int64_t[]){16}), 1, &tile));
    hostile_compile(&x);
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        char what[20];
        snprintf(what, sizeof what, "case %zu", i);
        const int64_t *r = cases[i].rows;
        hostile_run(&x, 256,
                    CONTROLS(cases[i].sizes[0], cases[i].sizes[1], cases[i].strides[0], cases[i].strides[1],
                             cases[i].column, r[0], r[1], r[2], r[3]),
                    cases[i].fault, what);
        for (int64_t k = 0; k < 16 && !cases[i].fault; k++) {
            int64_t row = r[k / 4], column = (int64_t)((uint64_t)cases[i].column + (uint64_t)k % 4);
            bool inside = row >= 0 && row < cases[i].sizes[0] && column >= 0 && column < cases[i].sizes[1];
            int64_t expected = inside ? row * cases[i].strides[0] + column * cases[i].strides[1] : 0;
            cr_assert_eq(x.output[k], expected, "%s: element %lld", what, (long long)k);
        }
    }
    hostile_close(&x);
}

// What is stored to rows outside the tensor is stored nowhere.
Test(hostile_tile_views, scattered_rows) {
    Hostile x = hostile_open();
    TirValue sizes[2] = {hostile_control(&x, 0), hostile_control(&x, 1)},
             strides[2] = {hostile_control(&x, 1), lab_constant(&x.lab, lab_tile(&x.lab, TIR_TYPE_i64, 0, NULL), 1)};
    TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_OTHER), 2, sizes, strides);
    TirType four = lab_tile(&x.lab, TIR_TYPE_i64, 1, (int64_t[]){4});
    TirValue pointers = lab_pointers(&x.lab, HOSTILE_CONTROLS, 2, 4);
    TirValue indices[2] = {tir_result(lab_load_op(&x.lab, pointers, four, TIR_NO_VALUE, TIR_NO_VALUE), 0),
                           zero_of(&x, TIR_TYPE_i64)};
    TirValue tile = lab_load(&x.lab, HOSTILE_DATA, 2, (int64_t[]){4, 4});
    hostile_store_view(&x, hostile_gather(&x, tensor, (int64_t[]){4, 4}, 0), indices, tile);
    hostile_output(&x, 0, lab_load(&x.lab, HOSTILE_OTHER, 1, (int64_t[]){HOSTILE_OTHER_ELEMENTS}));
    hostile_compile(&x);
    hostile_run(&x, 64, CONTROLS(4, 4, 2, -1, 0, TWO(60)), NULL, "two rows");
    for (int k = 0; k < 16; k++) {
        int row = k / 4, stored = row == 2 ? k % 4 : row == 0 ? 8 + k % 4 : 1000 + k;
        cr_assert_eq(x.output[k], stored, "element %d", k);
    }
    hostile_run(&x, 64, CONTROLS(5, 3, 4, 3, 4, 5), NULL, "a row twice, cut off: the last one stays");
    cr_assert(x.output[12] == 8 && x.output[14] == 10 && x.output[15] == 1015 && x.output[9] == 4);
    hostile_run(&x, 64, CONTROLS(6, 3, 0, 1, 2, 3), "tensor view", "too large");
    hostile_close(&x);
}

Test(hostile_tile_views, said_to_be_inbounds) {
    static const struct {
        int64_t size, index;
        const char *fault;
    } rows[] = {
        {16, 0, NULL},
        {15, 0, "load_view_tko (index 0): 0 is not inbounds, the tensor is smaller than a tile"},
        {0, 0, "smaller than a tile"},
        {22, 1, "1 is not inbounds, only 0 .. 0 are"},
        {23, 1, NULL},
        {23, 2, "not inbounds"},
        {23, -1, "not inbounds"},
        {INT64_MAX, (INT64_MAX - 16) / 7, NULL},
        {INT64_MAX, (INT64_MAX - 16) / 7 + 1, "not inbounds"},
        {-1, 0, "an extent of -1"},
    };
    Hostile x = hostile_open();
    TirValue size = hostile_control(&x, 0), index = hostile_control(&x, 1), stride = zero_of(&x, TIR_TYPE_i64);
    TirValue tensor = hostile_tensor(&x, lab_argument(&x.lab, HOSTILE_DATA), 1, &size, &stride);
    TirValue view = hostile_strided(&x, tensor, (int64_t[]){16}, (int64_t[]){7}, TIR_PAD_zero);
    TirValue tile = hostile_load_view(&x, view, &index);
    hostile_inbounds(&x, 1, (int64_t[]){1});
    hostile_output(&x, 0, tile);
    hostile_compile(&x);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        char what[20];
        snprintf(what, sizeof what, "row %zu", i);
        hostile_run(&x, 64, CONTROLS(rows[i].size, rows[i].index), rows[i].fault, what);
    }
    hostile_close(&x);
}

Test(hostile_tile_views, reductions) {
    Hostile x = hostile_open();
    TirValue size = hostile_control(&x, 0), stride = hostile_control(&x, 1), index = hostile_control(&x, 2);
    TirValue base = lab_argument(&x.lab, HOSTILE_OTHER), data = lab_load(&x.lab, HOSTILE_DATA, 1, (int64_t[]){8});
    base = lab_value(&x.lab, TIR_OP_ptr_to_ptr, lab_pointer_tile(&x.lab, TIR_TYPE_i32, 0, NULL), 1, &base);
    TirValue tensor = hostile_tensor(&x, base, 1, &size, &stride);
    TirValue view = hostile_strided(&x, tensor, (int64_t[]){8}, (int64_t[]){5}, TIR_PAD_none);
    data = lab_value(&x.lab, TIR_OP_bitcast, lab_tile(&x.lab, TIR_TYPE_i32, 1, (int64_t[]){8}), 1, &data);
    hostile_reduce_view(&x, view, index, data);
    hostile_output(&x, 0, lab_load(&x.lab, HOSTILE_OTHER, 1, (int64_t[]){HOSTILE_OTHER_ELEMENTS}));
    hostile_compile(&x);
    hostile_run(&x, 32, CONTROLS(13, 1, 2), NULL, "three elements");
    for (int k = 0; k < 16; k++)
        cr_assert_eq(x.output[k], 1000 + k + (k >= 10 && k < 13 ? k - 10 : 0), "element %d", k);
    hostile_run(&x, 32, CONTROLS(8, 0, 0), NULL, "one element eight times");
    cr_assert_eq(x.output[0], 1000 + 28);
    hostile_run(&x, 32, CONTROLS(17, 1, 0), "tensor view", "too large");
    hostile_run(&x, 32, CONTROLS(13, 1, 3), "atomic_red_view_tko (index 0): tile index 3", "no such tile");
    hostile_run(&x, 32, CONTROLS(INT64_MAX, 0, INT64_MIN), "index space", "far away");
    hostile_close(&x);
}

// Elements of four bits: two share a byte, and a view ends with the byte of its last one.
Test(hostile_tile_views, halves_of_bytes) {
    static const struct {
        size_t bytes;
        int64_t size, stride, index;
        const char *fault;
    } rows[] = {
        {16, 32, 1, 1, NULL},
        {16, 31, 1, 1, NULL},
        {16, 33, 1, 0, "of 17 bytes from byte 0 of buffer data (argument 0, 16 bytes)"},
        {16, 32, 1, 2, "index space"},
        {1, 2, 1, 0, NULL},
        {1, 3, 1, 0, "tensor view"},
        {0, 1, 1, 0, "tensor view"},
        {16, 11, 3, 0, NULL}, // its last element is number 30
        {16, 12, 3, 0, "tensor view"},
        {16, 2, -1, 0, "of 2 bytes from byte -1 of buffer data"},
        {16, INT64_MAX, 0, 5, NULL},
        {16, INT64_MAX, 1, 0, "tensor view"},
        {16, INT64_MAX, INT64_MIN, 0, "tensor view"},
    };
    Hostile x = hostile_open();
    TirValue size = hostile_control(&x, 0), stride = hostile_control(&x, 1), index = hostile_control(&x, 2);
    TirValue base = lab_argument(&x.lab, HOSTILE_DATA);
    base = lab_value(&x.lab, TIR_OP_ptr_to_ptr, lab_pointer_tile(&x.lab, TIR_TYPE_f4E2M1FN, 0, NULL), 1, &base);
    TirValue view = hostile_partition(&x, hostile_tensor(&x, base, 1, &size, &stride), (int64_t[]){16});
    hostile_store_view(&x, view, &index, hostile_load_view(&x, view, &index));
    hostile_output(&x, 0, size);
    hostile_compile(&x);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        char what[20];
        snprintf(what, sizeof what, "row %zu", i);
        hostile_run(&x, rows[i].bytes, CONTROLS(rows[i].size, rows[i].stride, rows[i].index), rows[i].fault, what);
    }
    hostile_close(&x);
}
