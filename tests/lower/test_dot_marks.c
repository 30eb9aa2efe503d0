// SPDX-License-Identifier: Apache-2.0
// Integers made of floats keep what was decided by a few units in the last place: an element of a dot that of its row,
// its column and its element of the accumulator, and of no other.
#include "tests/lower/lab.h"

enum { LEFT, RIGHT, START, RESULT };

typedef struct DotShape {
    int64_t batch, rows, columns, depth; // batch 0: no such dimension
} DotShape;

static TirValue whole(Lab *lab, uint32_t buffer, TirTypeKind kind, uint32_t rank, const int64_t *shape) {
    TirOp *op = lab_op(lab, TIR_OP_ftoi, 1, (TirType[]){lab_tile(lab, kind, rank, shape)}, 1,
                       (TirValue[]){lab_load(lab, buffer, rank, shape)}, NULL);
    lab_set(op, "signedness", TIR_signedness_signed);
    lab_set(op, "rounding", TIR_rounding_nearest_int_to_zero);
    return tir_result(op, 0);
}

// Integers, one in `rare` of which is no more exact than that it may be another one.
static void put_integers(Lab *lab, uint32_t buffer, uint64_t count, unsigned rare, uint64_t *state) {
    for (uint64_t i = 0; i < count; i++) {
        double number = (double)(lab_random(state) % 200) - 100;
        lab_put(lab, buffer, TIR_TYPE_f32, i, fpsan_encode_nearest(FPSAN_F32, number));
        if (lab_random(state) % rare == 0)
            lab_put_record(lab, buffer, TIR_TYPE_f32, i, tower_rational(tower_chain(0), 5, 77));
    }
}

static void check_marks(DotShape s, unsigned rare, bool starts_at_zero) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_f32};
    const int64_t left[] = {s.batch, s.rows, s.depth}, right[] = {s.batch, s.depth, s.columns},
                  result[] = {s.batch, s.rows, s.columns};
    const uint32_t rank = s.batch ? 3 : 2, first = 3 - rank;
    const int64_t batch = s.batch ? s.batch : 1;
    Lab lab = lab_open(4, kinds);
    TirValue a = whole(&lab, LEFT, TIR_TYPE_i8, rank, left + first),
             b = whole(&lab, RIGHT, TIR_TYPE_i8, rank, right + first);
    TirValue start = starts_at_zero ? lab_constant(&lab, lab_tile(&lab, TIR_TYPE_i32, rank, result + first), 0)
                                    : whole(&lab, START, TIR_TYPE_i32, rank, result + first);
    TirType type = lab_tile(&lab, TIR_TYPE_i32, rank, result + first);
    TirOp *dot = lab_op(&lab, TIR_OP_mmai, 1, &type, 3, (TirValue[]){a, b, start}, NULL);
    lab_set(dot, "signedness_lhs", TIR_signedness_signed);
    lab_set(dot, "signedness_rhs", TIR_signedness_signed);
    TirOp *real = lab_op(&lab, TIR_OP_itof, 1, (TirType[]){lab_tile(&lab, TIR_TYPE_f32, rank, result + first)}, 1,
                         (TirValue[]){tir_result(dot, 0)}, NULL);
    lab_set(real, "signedness", TIR_signedness_signed);
    lab_set(real, "rounding", TIR_rounding_nearest_even);
    lab_store(&lab, RESULT, tir_result(real, 0));
    lab_return(&lab);
    uint64_t state = rare;
    put_integers(&lab, LEFT, (uint64_t)(batch * s.rows * s.depth), rare, &state);
    put_integers(&lab, RIGHT, (uint64_t)(batch * s.depth * s.columns), rare, &state);
    put_integers(&lab, START, (uint64_t)(batch * s.rows * s.columns), rare, &state);
    lab_check(&lab, COMPILE_SHADOW);
    lab_close(&lab);
}

static const DotShape shapes[] = {{0, 1, 1, 1},   {0, 8, 4, 2},  {0, 32, 32, 64}, {0, 16, 64, 1},
                                  {0, 64, 1, 16}, {0, 1, 64, 8}, {4, 8, 16, 8},   {2, 16, 16, 32}};

Test(dot_marks, of_rows_and_columns) {
    for (size_t i = 0; i < BASE_COUNT(shapes); i += 2) {
        check_marks(shapes[i], 100, false);
        check_marks(shapes[i + 1], 30, true);
    }
}

Test(dot_marks, of_all_shapes) {
    for (size_t i = 0; i < BASE_COUNT(shapes); i++) {
        check_marks(shapes[i], 100, false);
        check_marks(shapes[i], 30, true);
    }
}

Test(dot_marks, of_none) {
    check_marks((DotShape){0, 16, 16, 16}, 1 << 30, false);
}
