// SPDX-License-Identifier: Apache-2.0
// Matrix products whose operands are not plain tiles: permuted, computed, constant, carried by a loop that updates them
// in place; and integer products.
#include "tests/lower/lab.h"

#include <string.h>

enum { LEFT, RIGHT, START, RESULT };

// The 2-D tile with its dimensions exchanged.
static TirValue exchanged(Lab *lab, TirValue value) {
    const TirTypeInfo *info = tir_type(lab->module, tir_value_type(lab->module->functions, value));
    static const int64_t order[] = {1, 0};
    TirType type = tir_type_tile(lab->module, info->element, 2, (int64_t[]){info->shape[1], info->shape[0]});
    TirOp *op = lab_op(lab, TIR_OP_permute, 1, &type, 1, &value, NULL);
    TirAttribute *permutation = tir_op_set(op, "permutation");
    permutation->numbers = order;
    permutation->length = 2;
    return tir_result(op, 0);
}

static TirValue product(Lab *lab, TirValue a, TirValue b, TirValue c) {
    return lab_value(lab, TIR_OP_mmaf, tir_value_type(lab->module->functions, c), 3, (TirValue[]){a, b, c});
}

static void compile(Lab *lab, CompileNumeric numeric) {
    lab_return(lab);
    cr_assert(lab_compile(lab, numeric, FPSAN_CASTS_MIX, NULL), "%s",
              lab->diagnostics.count ? lab->diagnostics.items[0].message : "");
}

static uint64_t payload(Lab *lab, uint32_t buffer, uint64_t index) {
    TirTypeKind kind = lab->kinds[buffer];
    return fpsan_embed(fpsan_default_algebra().profile, lab_format(kind), lab_get(lab, buffer, kind, index));
}

static void fill(Lab *lab, uint32_t buffer, uint64_t count, uint64_t *state) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = lab_random(state); // an f16 in its low half, or an f32
        lab_put(lab, buffer, lab->kinds[buffer], i, bits);
    }
}

// Payloads beside numbers: against the reference interpreter, some of the numbers with payloads of other numbers and a
// state. Closes the lab.
static void check_shadow(Lab *lab, uint64_t count) {
    const Tower *t = tower_chain(0);
    uint64_t state = 3;
    lab_return(lab);
    for (uint32_t buffer = LEFT; buffer <= START; buffer++)
        for (uint64_t i = 0; i < count; i++) {
            double number = (double)(int64_t)(lab_random(&state) % 513) / 128 - 2;
            lab_put(lab, buffer, lab->kinds[buffer], i, fpsan_encode_nearest(lab_format(lab->kinds[buffer]), number));
            TowerPayload payload = tower_rational(t, (int64_t)(lab_random(&state) % 1000), 77);
            if (count % 64 == 0 && i % 64 == 5) payload = tower_exp2(t, payload, 0); // without component 0
            if (i % 3) lab_put_record(lab, buffer, lab->kinds[buffer], i, payload);
        }
    lab_check(lab, COMPILE_SHADOW);
    lab_close(lab);
}

// ---- operands that are read through maps or computed ----------------------------------------------------------------

typedef struct FormCase {
    const char *label;
    bool left_exchanged, right_exchanged, left_doubled, right_doubled, right_splat;
    enum { LOADED, LOADED_EXCHANGED, COMPUTED, ONE, MINUS_ONE_BROADCAST } start;
} FormCase;

static const FormCase forms[] = {
    {"plain", .start = LOADED},
    {"left exchanged", .left_exchanged = true, .start = LOADED},
    {"right exchanged", .right_exchanged = true, .start = LOADED},
    {"both exchanged, accumulator exchanged", .left_exchanged = true, .right_exchanged = true,
     .start = LOADED_EXCHANGED},
    {"left computed", .left_doubled = true, .start = COMPUTED},
    {"right computed and exchanged", .right_doubled = true, .right_exchanged = true, .start = COMPUTED},
    {"constant accumulator", .start = ONE},
    {"broadcast accumulator", .start = MINUS_ONE_BROADCAST},
    {"constant right", .right_splat = true, .start = LOADED},
};

static TirValue form_start(Lab *lab, const FormCase *form, int64_t m, int64_t n) {
    TirType type = lab_tile(lab, TIR_TYPE_f32, 2, (int64_t[]){m, n});
    if (form->start == ONE) return lab_constant(lab, type, 0x3F800000);
    if (form->start == MINUS_ONE_BROADCAST) {
        TirValue one = lab_constant(lab, lab_tile(lab, TIR_TYPE_f32, 2, (int64_t[]){1, 1}), 0xBF800000);
        return lab_value(lab, TIR_OP_broadcast, type, 1, &one);
    }
    if (form->start == LOADED_EXCHANGED) return exchanged(lab, lab_load(lab, START, 2, (int64_t[]){n, m}));
    TirValue start = lab_load(lab, START, 2, (int64_t[]){m, n});
    return form->start == COMPUTED ? lab_binary(lab, TIR_OP_mulf, start, start) : start;
}

static uint32_t form_start_payload(Lab *lab, const FormCase *form, uint64_t row, uint64_t column, uint64_t m,
                                   uint64_t n) {
    if (form->start == ONE) return 1;
    if (form->start == MINUS_ONE_BROADCAST) return UINT32_MAX;
    if (form->start == LOADED_EXCHANGED) return (uint32_t)payload(lab, START, column * m + row);
    uint32_t start = (uint32_t)payload(lab, START, row * n + column);
    return form->start == COMPUTED ? start * start : start;
}

static void run_form(const FormCase *form, CompileNumeric numeric, uint64_t m, uint64_t n, uint64_t k) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f16, TIR_TYPE_f16, TIR_TYPE_f32, TIR_TYPE_f32};
    Lab lab = lab_open(4, kinds);
    int64_t a[2] = {(int64_t)m, (int64_t)k}, b[2] = {(int64_t)k, (int64_t)n};
    TirValue left = form->left_exchanged ? exchanged(&lab, lab_load(&lab, LEFT, 2, (int64_t[]){a[1], a[0]}))
                                         : lab_load(&lab, LEFT, 2, a);
    TirValue right = form->right_splat       ? lab_constant(&lab, lab_tile(&lab, TIR_TYPE_f16, 2, b), 0x3C00)
                     : form->right_exchanged ? exchanged(&lab, lab_load(&lab, RIGHT, 2, (int64_t[]){b[1], b[0]}))
                                             : lab_load(&lab, RIGHT, 2, b);
    if (form->left_doubled) left = lab_binary(&lab, TIR_OP_addf, left, left);
    if (form->right_doubled) right = lab_binary(&lab, TIR_OP_addf, right, right);
    lab_store(&lab, RESULT, product(&lab, left, right, form_start(&lab, form, (int64_t)m, (int64_t)n)));
    if (numeric == COMPILE_SHADOW) {
        uint64_t most = m * k > k * n ? m * k : k * n;
        check_shadow(&lab, most > m * n ? most : m * n);
        return;
    }
    compile(&lab, numeric);
    uint64_t state = 5;
    fill(&lab, LEFT, m * k, &state);
    fill(&lab, RIGHT, k * n, &state);
    fill(&lab, START, m * n, &state);
    cr_assert(lab_run(&lab));
    for (uint64_t row = 0; row < m; row++)
        for (uint64_t column = 0; column < n; column++) {
            uint32_t sum = form_start_payload(&lab, form, row, column, m, n);
            for (uint64_t i = 0; i < k; i++) {
                int16_t x = (int16_t)payload(&lab, LEFT, form->left_exchanged ? i * m + row : row * k + i);
                int16_t y = (int16_t)payload(&lab, RIGHT, form->right_exchanged ? column * k + i : i * n + column);
                if (form->left_doubled) x = (int16_t)(2 * x);
                if (form->right_doubled) y = (int16_t)(2 * y);
                if (form->right_splat) y = 1;
                sum += (uint32_t)(x * y);
            }
            cr_assert_eq((uint32_t)payload(&lab, RESULT, row * n + column), sum,
                         "%s %lux%lux%lu, numeric %d: (%lu, %lu)", form->label, m, n, k, (int)numeric, row, column);
        }
    lab_close(&lab);
}

Test(dot_forms, operands) {
    for (size_t f = 0; f < BASE_COUNT(forms); f++) {
        run_form(&forms[f], COMPILE_PAYLOAD, 16, 64, 32);
        if (f % 3 == 0) run_form(&forms[f], COMPILE_PAYLOAD, 2, 8, 4);
        run_form(&forms[f], COMPILE_SHADOW, 4, 16, 1);
    }
}

Test(dot_forms, operands_in_all_shapes) {
    for (size_t f = 0; f < BASE_COUNT(forms); f++) {
        run_form(&forms[f], COMPILE_PAYLOAD, 2, 8, 4);
        run_form(&forms[f], COMPILE_SHADOW, 16, 64, 32);
    }
}

// ---- loops ----------------------------------------------------------------------------------------------------------

enum { SIDE = 32, TRIPS = 3 };

typedef enum LoopForm { ADDED_TO, LEFT_TOO, RIGHT_TOO, EXCHANGED, SCALED, SCALED_BY_ITSELF, KEPT, LOOP_FORMS } LoopForm;

// for i in 0..TRIPS carrying a square x (and y for KEPT): x = what `form` says of the loaded squares a, b and x.
static void build_loop(Lab *lab, LoopForm form) {
    int64_t shape[2] = {SIDE, SIDE};
    TirType square = lab_tile(lab, TIR_TYPE_f32, 2, shape), integer = lab_tile(lab, TIR_TYPE_i32, 0, NULL);
    TirValue a = lab_load(lab, LEFT, 2, shape), b = lab_load(lab, RIGHT, 2, shape),
             start = lab_load(lab, START, 2, shape);
    TirValue bounds[3] = {lab_constant(lab, integer, 0), lab_constant(lab, integer, TRIPS),
                          lab_constant(lab, integer, 1)};
    uint32_t carried = form == KEPT ? 2 : 1;
    TirValue operands[5] = {bounds[0], bounds[1], bounds[2], start, start};
    uint32_t segments[TIR_OPERANDS_MAX] = {1, 1, 1, carried};
    TirOp *loop = lab_op(lab, TIR_OP_for, carried, (TirType[]){square, square}, 3 + carried, operands, segments);
    TirBlock *outside = lab->block;
    lab->block = tir_block_add(&loop->regions[0], 1 + carried, (TirType[]){integer, square, square});
    TirValue x = lab->block->first_argument + 1, next = TIR_NO_VALUE;
    switch (form) {
    case ADDED_TO: next = product(lab, a, b, x); break;
    case LEFT_TOO: next = product(lab, x, b, x); break;
    case RIGHT_TOO: next = product(lab, a, x, x); break;
    case EXCHANGED: next = product(lab, a, b, exchanged(lab, x)); break;
    case SCALED: next = product(lab, a, b, lab_binary(lab, TIR_OP_mulf, x, a)); break;
    case SCALED_BY_ITSELF:
        next = product(lab, lab_binary(lab, TIR_OP_addf, x, a), exchanged(lab, x), lab_binary(lab, TIR_OP_mulf, x, x));
        break;
    default: next = product(lab, a, b, x); break;
    }
    lab_op(lab, TIR_OP_continue, 0, NULL, carried, (TirValue[]){next, x}, NULL);
    lab->block = outside;
    lab_store(lab, RESULT, tir_result(loop, form == KEPT));
}

typedef uint32_t Square[SIDE][SIDE];

static void reference_trip(LoopForm form, Square a, Square b, Square x) {
    static Square next;
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            uint32_t sum = x[row][column];
            if (form == EXCHANGED) sum = x[column][row];
            if (form == SCALED) sum *= a[row][column];
            if (form == SCALED_BY_ITSELF) sum *= sum;
            for (int i = 0; i < SIDE; i++) {
                uint32_t left = form == LEFT_TOO ? x[row][i] : a[row][i],
                         right = form == RIGHT_TOO ? x[i][column] : b[i][column];
                if (form == SCALED_BY_ITSELF) {
                    left = x[row][i] + a[row][i];
                    right = x[column][i];
                }
                sum += left * right;
            }
            next[row][column] = sum;
        }
    memcpy(x, next, sizeof next);
}

static void run_loop(LoopForm form, CompileNumeric numeric) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_f32};
    static Square a, b, x;
    Lab lab = lab_open(4, kinds);
    build_loop(&lab, form);
    if (numeric == COMPILE_SHADOW) {
        check_shadow(&lab, SIDE * SIDE);
        return;
    }
    compile(&lab, numeric);
    uint64_t state = 9;
    for (uint32_t buffer = LEFT; buffer <= START; buffer++) fill(&lab, buffer, SIDE * SIDE, &state);
    cr_assert(lab_run(&lab));
    for (uint64_t i = 0; i < SIDE * SIDE; i++) {
        a[i / SIDE][i % SIDE] = (uint32_t)payload(&lab, LEFT, i);
        b[i / SIDE][i % SIDE] = (uint32_t)payload(&lab, RIGHT, i);
        x[i / SIDE][i % SIDE] = (uint32_t)payload(&lab, START, i);
    }
    for (int trip = 0; trip < TRIPS - (form == KEPT); trip++)
        reference_trip(form, a, b, x); // KEPT: the square before the last trip
    for (uint64_t i = 0; i < SIDE * SIDE; i++)
        cr_assert_eq((uint32_t)payload(&lab, RESULT, i), x[i / SIDE][i % SIDE], "loop form %d, numeric %d: element %lu",
                     (int)form, (int)numeric, i);
    lab_close(&lab);
}

Test(dot_forms, loops) {
    for (LoopForm form = ADDED_TO; form < LOOP_FORMS; form++) {
        run_loop(form, COMPILE_PAYLOAD);
        if (form % 3 == 2) run_loop(form, COMPILE_SHADOW);
    }
}

Test(dot_forms, all_loops_in_shadow) {
    for (LoopForm form = ADDED_TO; form < LOOP_FORMS; form++) run_loop(form, COMPILE_SHADOW);
}

// ---- integers -------------------------------------------------------------------------------------------------------

static void run_integers(uint64_t m, uint64_t n, uint64_t k, unsigned signs, const char *cpu) {
    static const TirTypeKind kinds[] = {TIR_TYPE_i8, TIR_TYPE_i8, TIR_TYPE_i32, TIR_TYPE_i32};
    Lab lab = lab_open(4, kinds);
    TirValue left = lab_load(&lab, LEFT, 2, (int64_t[]){(int64_t)m, (int64_t)k}),
             right = lab_load(&lab, RIGHT, 2, (int64_t[]){(int64_t)k, (int64_t)n});
    TirValue start = lab_load(&lab, START, 2, (int64_t[]){(int64_t)m, (int64_t)n});
    TirType type = tir_value_type(lab.module->functions, start);
    TirOp *op = lab_op(&lab, TIR_OP_mmai, 1, &type, 3, (TirValue[]){left, right, start}, NULL);
    lab_set(op, "signedness_lhs", signs & 1 ? TIR_signedness_signed : TIR_signedness_unsigned);
    lab_set(op, "signedness_rhs", signs & 2 ? TIR_signedness_signed : TIR_signedness_unsigned);
    lab_store(&lab, RESULT, tir_result(op, 0));
    lab_return(&lab);
    cr_assert(lab_compile(&lab, COMPILE_IEEE, FPSAN_CASTS_MIX, cpu), "%s",
              lab.diagnostics.count ? lab.diagnostics.items[0].message : "");
    uint64_t state = signs;
    for (uint64_t i = 0; i < m * k; i++) lab_put(&lab, LEFT, TIR_TYPE_i8, i, i % 5 ? lab_random(&state) : 0x80);
    for (uint64_t i = 0; i < k * n; i++) lab_put(&lab, RIGHT, TIR_TYPE_i8, i, i % 7 ? lab_random(&state) : 0x80);
    for (uint64_t i = 0; i < m * n; i++) lab_put(&lab, START, TIR_TYPE_i32, i, lab_random(&state));
    cr_assert(lab_run(&lab));
    for (uint64_t i = 0; i < m * n; i++) {
        uint32_t sum = (uint32_t)lab_get(&lab, START, TIR_TYPE_i32, i);
        for (uint64_t d = 0; d < k; d++) {
            uint8_t x = (uint8_t)lab_get(&lab, LEFT, TIR_TYPE_i8, i / n * k + d),
                    y = (uint8_t)lab_get(&lab, RIGHT, TIR_TYPE_i8, d * n + i % n);
            sum += (uint32_t)((signs & 1 ? (int8_t)x : x) * (signs & 2 ? (int8_t)y : y));
        }
        cr_assert_eq((uint32_t)lab_get(&lab, RESULT, TIR_TYPE_i32, i), sum, "%lux%lux%lu, signs %u: element %lu", m, n,
                     k, signs, i);
    }
    lab_close(&lab);
}

Test(dot_forms, integers) {
    for (unsigned signs = 0; signs < 4; signs++) {
        run_integers(32, 32, 64, signs, NULL);
        run_integers(8, 4, 2, signs, NULL);
        run_integers(1, 1, 1, signs, NULL);
        run_integers(16, 64, 1, signs, "x86-64");
        run_integers(4, 16, 32, signs, "x86-64");
    }
}
