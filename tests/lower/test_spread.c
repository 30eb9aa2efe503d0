// SPDX-License-Identifier: Apache-2.0
// Elements that a vector's lanes find far apart: every permutation of tiles of three dimensions, for each width.
#include "tests/lower/lab.h"

enum { RANK = 3, ORDERS = 6 };

static const int64_t orders[ORDERS][RANK] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const TirTypeKind kinds[] = {TIR_TYPE_i8, TIR_TYPE_i16, TIR_TYPE_f32, TIR_TYPE_f64};
static const int64_t shapes[][RANK] = {{64, 4, 2}, {16, 32, 8}, {2, 8, 16}};
static const char *const processors[] = {"x86-64-v2", "x86-64-v3", NULL};

static TirValue permute(Lab *lab, TirValue value, TirTypeKind kind, const int64_t *shape, const int64_t *order) {
    TirType type = lab_tile(lab, kind, RANK, (int64_t[]){shape[order[0]], shape[order[1]], shape[order[2]]});
    TirOp *op = lab_op(lab, TIR_OP_permute, 1, &type, 1, &value, NULL);
    TirAttribute *permutation = tir_op_set(op, "permutation");
    permutation->numbers = order;
    permutation->length = RANK;
    return tir_result(op, 0);
}

// Row-major number of the element at `at` in the source of the result's element number `index`.
static int64_t source_of(int64_t index, const int64_t *shape, const int64_t *order) {
    int64_t at[RANK];
    for (int d = RANK - 1; d >= 0; d--) {
        at[order[d]] = index % shape[order[d]];
        index /= shape[order[d]];
    }
    return (at[0] * shape[1] + at[1]) * shape[2] + at[2];
}

static void check_shape(TirTypeKind kind, const int64_t *shape, const char *cpu) {
    TirTypeKind pointees[ORDERS + 1];
    for (int i = 0; i <= ORDERS; i++) pointees[i] = kind;
    Lab lab = lab_open(ORDERS + 1, pointees);
    int64_t count = shape[0] * shape[1] * shape[2];
    for (int64_t i = 0; i < count; i++) lab_put(&lab, 0, kind, (uint64_t)i, (uint64_t)(i * 37 + 1) & 0x7f);
    TirValue tile = lab_load(&lab, 0, RANK, shape);
    for (uint32_t o = 0; o < ORDERS; o++) lab_store(&lab, o + 1, permute(&lab, tile, kind, shape, orders[o]));
    lab_return(&lab);
    cr_assert(lab_compile(&lab, COMPILE_PAYLOAD, FPSAN_CASTS_MIX, cpu) && lab_run(&lab));
    for (uint32_t o = 0; o < ORDERS; o++)
        for (int64_t i = 0; i < count; i++) {
            uint64_t from = (uint64_t)source_of(i, shape, orders[o]);
            cr_assert_eq(lab_get(&lab, o + 1, kind, (uint64_t)i), lab_get(&lab, 0, kind, from), "%s, %s, order %u: %ld",
                         tir_type_rows[kind].name, cpu ? cpu : "host", o, (long)i);
        }
    lab_close(&lab);
}

static void check_shapes(size_t stride) {
    for (size_t k = 0; k < BASE_COUNT(kinds); k++)
        for (size_t s = 0; s < BASE_COUNT(shapes); s++)
            for (size_t p = 0; p < BASE_COUNT(processors); p++)
                if ((k + s + p) % stride == 0) check_shape(kinds[k], shapes[s], processors[p]);
}

Test(spread, permutations) {
    check_shapes(3);
}
Test(spread, all_permutations) {
    check_shapes(1);
}
