// SPDX-License-Identifier: Apache-2.0
// Loop bounds and steps, divisors, shift counts and slice indices from the ends of their types; tiles that need too
// much memory.
#include "tests/robustness/hostile.h"

#include <stdio.h>
#include <string.h>

static TirType scalar(Hostile *x, TirTypeKind kind) {
    return lab_tile(&x->lab, kind, 0, NULL);
}

static TirValue add(Hostile *x, TirType type, TirValue a, TirValue b) {
    TirOp *op = lab_op(&x->lab, TIR_OP_addi, 1, &type, 2, (TirValue[]){a, b}, NULL);
    lab_set(op, "overflow", TIR_overflow_none);
    return tir_result(op, 0);
}

// ---- loops ----------------------------------------------------------------------------------------------------------

// Outputs: the number of rounds, and the sum of the induction variable.
static Hostile open_loop(TirTypeKind kind, bool is_unsigned) {
    Hostile x = hostile_open();
    TirType type = scalar(&x, kind), types[3] = {type, type, type};
    TirValue operands[5];
    for (uint32_t i = 0; i < 3; i++) {
        operands[i] = hostile_control(&x, i);
        if (kind != TIR_TYPE_i64) operands[i] = hostile_narrow(&x, operands[i], kind);
    }
    operands[3] = operands[4] = lab_constant(&x.lab, type, 0);
    TirValue one = lab_constant(&x.lab, type, 1);
    TirOp *loop = lab_op(&x.lab, TIR_OP_for, 2, types, 5, operands, (uint32_t[TIR_OPERANDS_MAX]){1, 1, 1, 2});
    if (is_unsigned) tir_op_set(loop, "unsigned")->integer = 1;
    TirBlock *outer = x.lab.block;
    x.lab.block = tir_block_add(&loop->regions[0], 3, types);
    TirValue first = x.lab.block->first_argument;
    TirValue next[2] = {add(&x, type, first + 1, one), add(&x, type, first + 2, first)};
    lab_op(&x.lab, TIR_OP_continue, 0, NULL, 2, next, NULL);
    x.lab.block = outer;
    for (uint32_t i = 0; i < 2; i++) hostile_output(&x, i, tir_result(loop, i));
    hostile_compile(&x);
    return x;
}

typedef struct LoopRow {
    int64_t lower, upper, step, rounds, sum; // the sum in the bits of the type
    const char *fault;
} LoopRow;

static void run_loops(TirTypeKind kind, bool is_unsigned, size_t count, const LoopRow *rows) {
    Hostile x = open_loop(kind, is_unsigned);
    for (size_t i = 0; i < count; i++) {
        char what[40];
        snprintf(what, sizeof what, "%s row %zu", tir_type_rows[kind].name, i);
        hostile_run(&x, 0, CONTROLS(rows[i].lower, rows[i].upper, rows[i].step), rows[i].fault, what);
        if (rows[i].fault) continue;
        cr_assert_eq(x.output[0], rows[i].rounds, "%s: %lld rounds", what, (long long)x.output[0]);
        cr_assert_eq(x.output[1], rows[i].sum, "%s: sum %lld", what, (long long)x.output[1]);
    }
    hostile_close(&x);
}

Test(hostile_control, loops_of_i64) {
    static const LoopRow rows[] = {
        {0, 10, 3, 4, 18, NULL},
        {0, 0, 1, 0, 0, NULL},
        {5, 4, 1, 0, 0, NULL},
        {INT64_MAX, INT64_MIN, 1, 0, 0, NULL},
        {0, 1, 0, 0, 0, "loop step 0 is not positive"},
        {0, 1, -1, 0, 0, "loop step -1 is not positive"},
        {1, 0, 0, 0, 0, "loop step 0"}, // of no round too
        {0, 1, INT64_MIN, 0, 0, "is not positive"},
        {0, 1, INT64_MAX, 1, 0, NULL},
        {INT64_MIN, INT64_MAX, INT64_MAX, 3, -3, NULL},
        {INT64_MAX - 1, INT64_MAX, 2, 1, INT64_MAX - 1, NULL}, // a counter that is stepped and compared would wrap
        {INT64_MAX - 5, INT64_MAX, 4, 2, -8, NULL},
        {INT64_MIN, INT64_MIN + 2, 1, 2, 1, NULL},
    };
    run_loops(TIR_TYPE_i64, false, BASE_COUNT(rows), rows);
}

Test(hostile_control, loops_of_i8) {
    static const LoopRow rows[] = {
        {-128, 127, 1, 255, 129, NULL}, // -128 .. 126: -255 = 1 mod 256; see below
        {-128, 127, 127, 3, 253, NULL},
        {120, 127, 4, 2, 244, NULL},
        {0, 127, -128, 0, 0, "loop step -128"},
    };
    LoopRow copy[BASE_COUNT(rows)];
    memcpy(copy, rows, sizeof rows);
    int sum = 0;
    for (int i = -128; i < 127; i++) sum += i;
    copy[0].sum = (uint8_t)sum;
    copy[1].sum = (uint8_t)(-128 - 1 + 126);
    copy[2].sum = (uint8_t)(120 + 124);
    run_loops(TIR_TYPE_i8, false, BASE_COUNT(copy), copy);
}

Test(hostile_control, unsigned_loops) {
    static const LoopRow rows[] = {
        {0, -1, INT64_MIN, 2, INT64_MIN, NULL}, // 0, 2^63
        {-2, -1, 1, 1, -2, NULL},
        {-1, 0, 1, 0, 0, NULL},
        {0, 1, -1, 1, 0, NULL},
        {0, 1, 0, 0, 0, "loop step 0 is not positive"},
    };
    run_loops(TIR_TYPE_i64, true, BASE_COUNT(rows), rows);
}

// ---- division -------------------------------------------------------------------------------------------------------

static TirValue divide(Hostile *x, TirOpKind kind, TirType type, TirValue a, TirValue b, uint64_t signedness) {
    TirOp *op = lab_op(&x->lab, kind, 1, &type, 2, (TirValue[]){a, b}, NULL);
    lab_set(op, "signedness", signedness);
    if (kind == TIR_OP_divi) tir_op_set(op, "rounding")->integer = TIR_rounding_zero;
    return tir_result(op, 0);
}

Test(hostile_control, divisions) {
    static const struct {
        TirOpKind kind;
        uint64_t signedness;
        int64_t a, b, result;
        const char *fault;
    } rows[] = {
        {TIR_OP_divi, TIR_signedness_signed, 7, 0, 0, "division by zero"},
        {TIR_OP_divi, TIR_signedness_signed, INT64_MIN, -1, 0, "quotient too large"},
        {TIR_OP_divi, TIR_signedness_signed, INT64_MIN, 1, INT64_MIN, NULL},
        {TIR_OP_divi, TIR_signedness_signed, INT64_MIN, INT64_MIN, 1, NULL},
        {TIR_OP_divi, TIR_signedness_unsigned, INT64_MIN, -1, 0, NULL},
        {TIR_OP_divi, TIR_signedness_unsigned, -1, 0, 0, "division by zero"},
        {TIR_OP_remi, TIR_signedness_signed, 7, 0, 0, "division by zero"},
        {TIR_OP_remi, TIR_signedness_signed, INT64_MIN, -1, 0, NULL},
        {TIR_OP_remi, TIR_signedness_signed, INT64_MIN, INT64_MAX, -1, NULL},
        {TIR_OP_remi, TIR_signedness_unsigned, -1, 0, 0, "division by zero"},
        {TIR_OP_remi, TIR_signedness_unsigned, -1, -1, 0, NULL},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Hostile x = hostile_open();
        TirType i64 = scalar(&x, TIR_TYPE_i64);
        TirValue a = hostile_control(&x, 0), b = hostile_control(&x, 1);
        hostile_output(&x, 0, divide(&x, rows[i].kind, i64, a, b, rows[i].signedness));
        // and in vectors: elements 8 .. 15 of a tile of which only one is bad
        TirType tile = lab_tile(&x.lab, TIR_TYPE_i64, 1, (int64_t[]){8});
        TirValue numbers = tir_result(
            lab_load_op(&x.lab, lab_pointers(&x.lab, HOSTILE_CONTROLS, 0, 8), tile, TIR_NO_VALUE, TIR_NO_VALUE), 0);
        TirValue divisors = tir_result(
            lab_load_op(&x.lab, lab_pointers(&x.lab, HOSTILE_CONTROLS, 1, 8), tile, TIR_NO_VALUE, TIR_NO_VALUE), 0);
        hostile_output(&x, 8, divide(&x, rows[i].kind, tile, numbers, divisors, rows[i].signedness));
        hostile_compile(&x);
        char what[20];
        snprintf(what, sizeof what, "row %zu", i);
        hostile_run(&x, 0, CONTROLS(rows[i].a, rows[i].b, 3, 2, 1, 9, 8, 7, 6), rows[i].fault, what);
        if (!rows[i].fault) cr_assert(x.output[0] == rows[i].result && x.output[8] == rows[i].result, "%s", what);
        hostile_run(&x, 0, CONTROLS(6, 3, rows[i].a, rows[i].b, 3, 2, 1, 9, 8), rows[i].fault, what);
        if (!rows[i].fault)
            cr_assert(x.output[0] == 2 % 3 * (rows[i].kind == TIR_OP_divi) && x.output[10] == rows[i].result, "%s",
                      what);
        hostile_close(&x);
    }
}

// ---- shifts ---------------------------------------------------------------------------------------------------------

Test(hostile_control, shifts) {
    Hostile x = hostile_open();
    TirType i64 = scalar(&x, TIR_TYPE_i64), i8 = scalar(&x, TIR_TYPE_i8);
    TirValue wide[2] = {hostile_control(&x, 0), hostile_control(&x, 1)}, narrow[2];
    for (int i = 0; i < 2; i++) narrow[i] = hostile_narrow(&x, wide[i], TIR_TYPE_i8);
    for (uint32_t w = 0; w < 2; w++) {
        TirOp *left = lab_op(&x.lab, TIR_OP_shli, 1, w ? &i8 : &i64, 2, w ? narrow : wide, NULL);
        tir_op_set(left, "overflow")->integer = TIR_overflow_none;
        hostile_output(&x, 3 * w, tir_result(left, 0));
        for (uint32_t s = 0; s < 2; s++) {
            TirOp *right = lab_op(&x.lab, TIR_OP_shri, 1, w ? &i8 : &i64, 2, w ? narrow : wide, NULL);
            lab_set(right, "signedness", s ? TIR_signedness_signed : TIR_signedness_unsigned);
            hostile_output(&x, 3 * w + 1 + s, tir_result(right, 0));
        }
    }
    hostile_compile(&x);
    const int64_t counts[] = {0, 1, 7, 8, 9, 63, 64, 65, 127, 128, -1, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < BASE_COUNT(counts); i++) {
        hostile_run(&x, 0, CONTROLS(-3, counts[i]), NULL, "a shift");
        uint64_t by = (uint64_t)counts[i], narrow_by = by & 0xFF, bits = (uint64_t)-3;
        const int64_t expected[6] = {
            by < 64 ? (int64_t)(bits << by) : 0,
            by < 64 ? (int64_t)(bits >> by) : 0,
            (int64_t)-3 >> (by < 64 ? by : 63),
            narrow_by < 8 ? (int64_t)(uint8_t)(bits << narrow_by) : 0,
            narrow_by < 8 ? (int64_t)((bits & 0xFF) >> narrow_by) : 0,
            (int64_t)(uint8_t)((int64_t)-3 >> (narrow_by < 8 ? narrow_by : 7)),
        };
        for (int k = 0; k < 6; k++)
            cr_assert_eq(x.output[k], expected[k], "by %lld: output %d is %lld", (long long)counts[i], k,
                         (long long)x.output[k]);
    }
    hostile_close(&x);
}

// ---- slices ---------------------------------------------------------------------------------------------------------

Test(hostile_control, slices) {
    for (int splat = 0; splat < 2; splat++) {
        Hostile x = hostile_open();
        TirType whole = lab_tile(&x.lab, TIR_TYPE_f32, 1, (int64_t[]){16}),
                part = lab_tile(&x.lab, TIR_TYPE_f32, 1, (int64_t[]){4});
        TirValue source =
            splat ? lab_constant(&x.lab, whole, 0x3F800000) : lab_load(&x.lab, HOSTILE_DATA, 1, (int64_t[]){16});
        TirValue index = hostile_narrow(&x, hostile_control(&x, 0), TIR_TYPE_i32);
        TirOp *op = lab_op(&x.lab, TIR_OP_extract, 1, &part, 2, (TirValue[]){source, index},
                           (uint32_t[TIR_OPERANDS_MAX]){1, 1});
        hostile_output(&x, 0, tir_result(op, 0));
        hostile_compile(&x);
        const int64_t wrong[] = {4, 5, -1, INT32_MIN, INT32_MAX, 1 << 30};
        for (int64_t i = 0; i < 4; i++) {
            hostile_run(&x, 64, CONTROLS(i), NULL, "a slice");
            cr_assert_eq(x.output[1], splat ? 0x3F800000 : 4 * i + 1);
        }
        for (size_t i = 0; i < BASE_COUNT(wrong); i++)
            hostile_run(&x, 64, CONTROLS(wrong[i]), "index space 0 .. 3", "no such slice");
        hostile_close(&x);
    }
}

// ---- texts ----------------------------------------------------------------------------------------------------------

// Messages of assertions are one field of one line in objects, and one line of a report.
Test(hostile_control, messages_with_control_characters) {
    static const char message[] = "a\tb\nc\033[31m";
    Hostile x = hostile_open();
    TirValue condition = hostile_narrow(&x, hostile_control(&x, 0), TIR_TYPE_i1);
    TirOp *op = lab_op(&x.lab, TIR_OP_assert, 0, NULL, 1, &condition, NULL);
    *tir_op_set(op, "message") = (TirAttribute){.present = true, .text = message, .length = strlen(message)};
    hostile_compile(&x);
    hostile_run(&x, 0, CONTROLS(1), NULL, "it holds");
    hostile_run(&x, 0, CONTROLS(0), "a?b?c?[31m", "it does not");
    Buffer text = {0};
    cr_assert(compiler_emit(x.lab.compiler, &x.lab.diagnostics, tir_program(x.lab.module), &(CompileOptions){0},
                            COMPILE_LLVM, &text));
    cr_assert(strstr(text.data, "\\09a?b?c?[31m\\0A\\00"));
    buffer_free(&text);
    hostile_close(&x);
}

// ---- memory of tiles ------------------------------------------------------------------------------------------------

// Nine tiles of 2^24 f64 that are all in use take 1.125 GiB.
Test(hostile_control, too_much_scratch) {
    for (int count = 2; count <= 9; count += 7) {
        Hostile x = hostile_open();
        TirType tile = lab_tile(&x.lab, TIR_TYPE_f64, 1, (int64_t[]){1 << 24}),
                whole = lab_tile(&x.lab, TIR_TYPE_i64, 1, (int64_t[]){1 << 24});
        TirType small = lab_tile(&x.lab, TIR_TYPE_f64, 1, (int64_t[]){1});
        TirValue tiles[9];
        for (int i = 0; i < count; i++) { // loads through pointers that are all the same
            TirType pointers = lab_pointer_tile(&x.lab, TIR_TYPE_f64, 1, (int64_t[]){1 << 24});
            TirValue addresses =
                lab_value(&x.lab, TIR_OP_int_to_ptr, pointers, 1, (TirValue[]){lab_constant(&x.lab, whole, 64)});
            tiles[i] = tir_result(lab_load_op(&x.lab, addresses, tile, TIR_NO_VALUE, TIR_NO_VALUE), 0);
        }
        for (int i = 0; i < count; i++) {
            TirOp *op = lab_op(&x.lab, TIR_OP_extract, 1, &small, 2,
                               (TirValue[]){tiles[i], lab_constant(&x.lab, scalar(&x, TIR_TYPE_i32), 0)},
                               (uint32_t[TIR_OPERANDS_MAX]){1, 1});
            TirValue bits = lab_value(&x.lab, TIR_OP_bitcast, lab_tile(&x.lab, TIR_TYPE_i64, 1, (int64_t[]){1}), 1,
                                      (TirValue[]){tir_result(op, 0)});
            lab_store_op(&x.lab, lab_pointers(&x.lab, HOSTILE_OUTPUT, i, 1), bits, TIR_NO_VALUE);
        }
        if (count < 9) {
            hostile_compile(&x);
            hostile_run(&x, 0, 0, NULL, "in no buffer", "an address that is none");
        } else {
            lab_return(&x.lab);
            cr_assert(tir_verify(&x.lab.diagnostics, x.lab.module));
            CompiledModule *compiled = compiler_load(x.lab.compiler, &x.lab.diagnostics, tir_program(x.lab.module),
                                                     &(CompileOptions){.optimize = 1});
            cr_assert(!compiled && x.lab.diagnostics.count == 1);
            cr_assert_eq(x.lab.diagnostics.items[0].code, E_LIMIT);
            cr_assert(strstr(x.lab.diagnostics.items[0].message, "need more than 1073741824 bytes"), "%s",
                      x.lab.diagnostics.items[0].message);
        }
        hostile_close(&x);
    }
}
