// SPDX-License-Identifier: Apache-2.0
// Rules of arithmetic and conversions, and what ops.def says of every op: counts, types, attributes.
#include "verify_cases.h"

#include <stdio.h>

static TirOp *add_float(Case *c, TirOpKind kind, const char *type) {
    TirValue x = value_of(c, type);
    return add(c, kind, type, VALUES(x, x));
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void operand_set(Case *c) {
    set(add_float(c, TIR_OP_addf, "4xi32"), "rounding", 0);
}
static void operand_not_tile(Case *c) {
    add(c, TIR_OP_absf, "f32", VALUES(value_of(c, "token")));
}
static void same_type(Case *c) {
    add(c, TIR_OP_addi, "4xi32", VALUES(value_of(c, "4xi32"), value_of(c, "4xi64")));
}
static void result_type(Case *c) {
    add(c, TIR_OP_absf, "8xf32", VALUES(value_of(c, "4xf32")));
}
static void result_set(Case *c) {
    set(set(add(c, TIR_OP_cmpi, "4xi8", VALUES(value_of(c, "4xi32"), value_of(c, "4xi32"))), "predicate", 0),
        "signedness", 0);
}
static void shape_of(Case *c) {
    set(set(add(c, TIR_OP_cmpi, "8xi1", VALUES(value_of(c, "4xi32"), value_of(c, "4xi32"))), "predicate", 0),
        "signedness", 0);
}
static void element_of(Case *c) {
    add(c, TIR_OP_broadcast, "4xf32", VALUES(value_of(c, "1xf16")));
}
static void rank_of(Case *c) {
    add(c, TIR_OP_broadcast, "4x4xf32", VALUES(value_of(c, "1xf32")));
}
static void tf32_arithmetic(Case *c) {
    add_float(c, TIR_OP_remf, "4xtf32");
}
static void enum_range(Case *c) {
    set(add(c, TIR_OP_maxi, "i32", VALUES(value_of(c, "i32"), value_of(c, "i32"))), "signedness", 2);
}
static void rounding_range(Case *c) {
    set(add_float(c, TIR_OP_addf, "f32"), "rounding", 8);
}
static void missing_attribute(Case *c) {
    add(c, TIR_OP_maxi, "i32", VALUES(value_of(c, "i32"), value_of(c, "i32")));
}
static void unit_value(Case *c) {
    set(add_float(c, TIR_OP_maxf, "f32"), "nan", 2);
}
static void result_count(Case *c) {
    add(c, TIR_OP_absf, "f32 f32", VALUES(value_of(c, "f32")));
}
static void no_result(Case *c) {
    add(c, TIR_OP_absf, NULL, VALUES(value_of(c, "f32")));
}
static void unknown_value(Case *c) {
    add(c, TIR_OP_absf, "f32", VALUES(1000));
}
static void own_result(Case *c) {
    add(c, TIR_OP_absf, "f32", VALUES(c->function->value_count));
}
static void too_new(Case *c) {
    c->module->version = 1301, add_float(c, TIR_OP_atan2, "f32");
}
static void attribute_too_new(Case *c) {
    c->module->version = 1302,
    set(add(c, TIR_OP_exp, "f32", VALUES(value_of(c, "f32"))), "rounding", TIR_rounding_approx);
}
static void type_too_new(Case *c) {
    c->module->version = 1301, add(c, TIR_OP_absi, "i32", VALUES(value_of(c, "i32"))), type_named(c, "f8E8M0FNU");
}
static void optional_twice(Case *c) {
    TirValue t = value_of(c, "token"), p = value_of(c, "*f32");
    const uint32_t segments[] = {1, 0, 0, 2};
    const TirType results[] = {type_named(c, "f32"), type_named(c, "token")};
    set(add_typed(c, TIR_OP_load_ptr_tko, segments, 2, results, 3, (TirValue[]){p, t, t}), "ordering",
        TIR_memory_ordering_weak);
}
static void after_return(Case *c) {
    add(c, TIR_OP_return, NULL, NO_VALUES);
}
static void declaration(Case *c) {
    add(c, TIR_OP_global, NULL, NO_VALUES);
}

Test(verify_arithmetic, rows) {
    static const VerifyCase cases[] = {
        {"operand of a set", operand_set,
         "'addf' op operand 'lhs' is tile<4xi32>, expected tile of f16, bf16, f32 or f64"},
        {"operand that is no tile", operand_not_tile, "'absf' op operand 'source' is token, expected tile of"},
        {"same type", same_type,
         "'addi' op operand 'rhs' is tile<4xi64>, expected the type of 'lhs', which is tile<4xi32>"},
        {"result type", result_type, "'absf' op result 'result' is tile<8xf32>, expected the type of 'source'"},
        {"result of a set", result_set, "'cmpi' op result 'result' is tile<4xi8>, expected tile of i1"},
        {"same shape", shape_of, "expected the shape of 'lhs', which is tile<4xi32>"},
        {"same element type", element_of, "expected the element type of 'source', which is tile<1xf16>"},
        {"same rank", rank_of, "expected the rank of 'source', which is tile<1xf32>"},
        {"no arithmetic on tf32", tf32_arithmetic, "'remf' op operand 'lhs' is tile<4xtf32>"},
        {"enumeration in range", enum_range, "'maxi' op attribute 'signedness' is 2, expected 0 to 1"},
        {"enumeration with default in range", rounding_range, "'addf' op attribute 'rounding' is 8, expected 0 to 7"},
        {"attribute is there", missing_attribute, "'maxi' op attribute 'signedness' is missing"},
        {"flag is 0 or 1", unit_value, "'maxf' op attribute 'nan' is 2, expected 0 or 1"},
        {"one result too many", result_count, "'absf' op has 2 results, expected 1"},
        {"one result too few", no_result, "'absf' op has 0 results, expected 1"},
        {"operand exists", unknown_value, "'absf' op operand 0 is value 1000, but the function has"},
        {"operand is not the op's own result", own_result, "which is not defined before this op"},
        {"op newer than the module", too_new, "'atan2' op needs version 13.2, the module is 13.1"},
        {"attribute newer than the module", attribute_too_new,
         "'exp' op attribute 'rounding' needs version 13.3, the module is 13.2"},
        {"type newer than the module", type_too_new, "needs version 13.2, the module is 13.1"},
        {"optional operand given twice", optional_twice,
         "'load_ptr_tko' op operand 'token' is given 2 times, expected at most once"},
        {"nothing after a terminator", after_return, "'return' op ends its block, but another op follows"},
        {"declarations are no ops", declaration, "'global' op is a declaration"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- rounding and flushing ------------------------------------------------------------------------------------------

static void add_approx(Case *c) {
    set(add_float(c, TIR_OP_addf, "f32"), "rounding", TIR_rounding_approx);
}
static void fma_full(Case *c) {
    TirValue x = value_of(c, "f32");
    set(add(c, TIR_OP_fma, "f32", VALUES(x, x, x)), "rounding", TIR_rounding_full);
}
static void add_ftz(Case *c) {
    set(add_float(c, TIR_OP_addf, "4xf16"), "ftz", 1);
}
static void max_ftz(Case *c) {
    set(add_float(c, TIR_OP_maxf, "f64"), "ftz", 1);
}
static void exp2_ftz(Case *c) {
    set(add(c, TIR_OP_exp2, "bf16", VALUES(value_of(c, "bf16"))), "ftz", 1);
}
static void div_approx(Case *c) {
    set(add_float(c, TIR_OP_divf, "f16"), "rounding", TIR_rounding_approx);
}
static void div_full(Case *c) {
    set(add_float(c, TIR_OP_divf, "f64"), "rounding", TIR_rounding_full);
}
static void div_integer_rounding(Case *c) {
    set(add_float(c, TIR_OP_divf, "f32"), "rounding", TIR_rounding_nearest_int_to_zero);
}
static void sqrt_full(Case *c) {
    set(add(c, TIR_OP_sqrt, "f32", VALUES(value_of(c, "f32"))), "rounding", TIR_rounding_full);
}
static void sqrt_approx(Case *c) {
    set(add(c, TIR_OP_sqrt, "f64", VALUES(value_of(c, "f64"))), "rounding", TIR_rounding_approx);
}
static void tanh_even(Case *c) {
    set(add(c, TIR_OP_tanh, "f32", VALUES(value_of(c, "f32"))), "rounding", TIR_rounding_nearest_even);
}
static void exp_approx(Case *c) {
    set(add(c, TIR_OP_exp, "f16", VALUES(value_of(c, "f16"))), "rounding", TIR_rounding_approx);
}
static void div_fast(Case *c) {
    set(set(add_float(c, TIR_OP_divf, "f32"), "rounding", TIR_rounding_approx), "ftz", 1);
}

Test(verify_arithmetic, modifiers) {
    static const VerifyCase cases[] = {
        {"addf takes the four directions", add_approx,
         "'addf' op has rounding approx, expected one of: nearest_even, zero, negative_inf, positive_inf"},
        {"fma takes the four directions", fma_full, "'fma' op has rounding full, expected one of"},
        {"flush_to_zero of addf needs f32", add_ftz,
         "'addf' op has flush_to_zero, which needs f32 elements, but the result is tile<4xf16>"},
        {"flush_to_zero of maxf needs f32", max_ftz, "'maxf' op has flush_to_zero, which needs f32"},
        {"flush_to_zero of exp2 needs f32", exp2_ftz, "'exp2' op has flush_to_zero, which needs f32"},
        {"approx of divf needs f32", div_approx, "'divf' op has approx, which needs f32"},
        {"full of divf needs f32", div_full, "'divf' op has full, which needs f32"},
        {"divf has no integer rounding", div_integer_rounding,
         "'divf' op has rounding nearest_int_to_zero, expected one of"},
        {"sqrt is never full", sqrt_full, "'sqrt' op has rounding full, expected one of"},
        {"approx of sqrt needs f32", sqrt_approx, "'sqrt' op has approx, which needs f32"},
        {"tanh is full or approx", tanh_even, "'tanh' op has rounding nearest_even, expected one of: approx, full"},
        {"approx of exp needs f32", exp_approx, "'exp' op has approx, which needs f32"},
        {"divf of f32 may be approximate and flush", div_fast, NULL},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- integers and conversions ---------------------------------------------------------------------------------------

static TirOp *add_divi(Case *c, uint64_t sign, uint64_t rounding) {
    return set(set(add_float(c, TIR_OP_divi, "i32"), "signedness", sign), "rounding", rounding);
}
static void divi_even(Case *c) {
    add_divi(c, TIR_signedness_signed, TIR_rounding_nearest_even);
}
static void divi_floor(Case *c) {
    add_divi(c, TIR_signedness_unsigned, TIR_rounding_negative_inf);
}
static void negi_unsigned(Case *c) {
    set(add(c, TIR_OP_negi, "i32", VALUES(value_of(c, "i32"))), "overflow", TIR_overflow_no_unsigned_wrap);
}
static void negi_both(Case *c) {
    set(add(c, TIR_OP_negi, "i32", VALUES(value_of(c, "i32"))), "overflow", TIR_overflow_no_wrap);
}
static void bitcast_width(Case *c) {
    add(c, TIR_OP_bitcast, "4xi32", VALUES(value_of(c, "4xf16")));
}
static void bitcast_tf32(Case *c) {
    add(c, TIR_OP_bitcast, "4xi32", VALUES(value_of(c, "4xtf32")));
}
static void bitcast_pointer(Case *c) {
    add(c, TIR_OP_bitcast, "i64", VALUES(value_of(c, "*f32")));
}
static void exti_same(Case *c) {
    set(add(c, TIR_OP_exti, "i32", VALUES(value_of(c, "i32"))), "signedness", 0);
}
static void trunci_wider(Case *c) {
    add(c, TIR_OP_trunci, "i64", VALUES(value_of(c, "i32")));
}
static void ftoi_rounding(Case *c) {
    set(set(add(c, TIR_OP_ftoi, "i32", VALUES(value_of(c, "f32"))), "signedness", 1), "rounding", TIR_rounding_zero);
}
static void itof_rounding(Case *c) {
    set(set(add(c, TIR_OP_itof, "f32", VALUES(value_of(c, "i32"))), "signedness", 1), "rounding", TIR_rounding_zero);
}
static void itof_scale(Case *c) {
    set(add(c, TIR_OP_itof, "f8E8M0FNU", VALUES(value_of(c, "i32"))), "signedness", 1);
}
static void ftof_same(Case *c) {
    add(c, TIR_OP_ftof, "f32", VALUES(value_of(c, "f32")));
}
static void ftof_scale(Case *c) {
    add(c, TIR_OP_ftof, "f8E8M0FNU", VALUES(value_of(c, "f32")));
}
static void i4_arithmetic(Case *c) {
    add(c, TIR_OP_addi, "4xi4", VALUES(value_of(c, "4xi4"), value_of(c, "4xi4")));
}
static void int_to_ptr_width(Case *c) {
    add(c, TIR_OP_int_to_ptr, "*f32", VALUES(value_of(c, "i32")));
}

Test(verify_arithmetic, integers_and_conversions) {
    static const VerifyCase cases[] = {
        {"divi rounds to zero or an infinity", divi_even,
         "'divi' op has rounding nearest_even, expected one of: zero, negative_inf, positive_inf"},
        {"floor division is signed", divi_floor, "'divi' op is unsigned with rounding negative_inf"},
        {"negi cannot promise no unsigned wrap", negi_unsigned, "'negi' op has overflow no_unsigned_wrap"},
        {"negi may promise both", negi_both, NULL},
        {"bitcast keeps the width", bitcast_width,
         "'bitcast' op goes from 16 bits (tile<4xf16>) to 32 bits (tile<4xi32>)"},
        {"tf32 is 19 bits wide", bitcast_tf32, "'bitcast' op goes from 19 bits"},
        {"bitcast takes no pointers", bitcast_pointer, "'bitcast' op operand 'source' is tile<ptr<f32>>"},
        {"exti widens", exti_same, "'exti' op extends 32 bits to 32 bits"},
        {"trunci narrows", trunci_wider, "'trunci' op truncates 32 bits to 64 bits"},
        {"ftoi has one rounding", ftoi_rounding, "'ftoi' op has rounding zero, expected one of: nearest_int_to_zero"},
        {"itof has one rounding", itof_rounding, "'itof' op has rounding zero, expected one of: nearest_even"},
        {"no integer becomes a scale", itof_scale, "'itof' op converts to f8E8M0FNU"},
        {"ftof converts", ftof_same, "'ftof' op converts f32 to itself"},
        {"ftof to a scale has a direction", ftof_scale,
         "'ftof' op has rounding nearest_even, expected one of: zero, positive_inf (from f32 to f8E8M0FNU)"},
        {"no arithmetic on i4", i4_arithmetic,
         "'addi' op operand 'lhs' is tile<4xi4>, expected tile of i1, i8, i16, i32 or i64"},
        {"a pointer comes from i64", int_to_ptr_width,
         "'int_to_ptr' op operand 'source' is tile<i32>, expected tile of i64"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- every pair of float types and every rounding, as the disassembler judges them ----------------------------------

typedef struct FloatCast {
    char from[16], to[16];
    uint32_t rounding;
} FloatCast;

static void ftof_pair(Case *c) {
    const FloatCast *cast = c->context;
    char type[32];
    snprintf(type, sizeof type, "4x%s", cast->from);
    TirValue source = value_of(c, type);
    snprintf(type, sizeof type, "4x%s", cast->to);
    set(add(c, TIR_OP_ftof, type, VALUES(source)), "rounding", cast->rounding);
}

Test(verify_arithmetic, ftof_roundings) {
    FILE *file = fopen(SOURCE_DIR "/tests/tileir/print/ftof_roundings.txt", "r");
    cr_assert(file);
    char line[256], words[128];
    uint32_t pairs = 0;
    FloatCast cast;
    while (fgets(line, sizeof line, file)) {
        if (*line == '#') continue;
        *words = 0;
        cr_assert_geq(sscanf(line, "%15s %15s %127[^\n]", cast.from, cast.to, words), 2);
        strcat(words, " ");
        for (cast.rounding = 0; cast.rounding < tir_enum_rounding.count; cast.rounding++) {
            char word[32], padded[130];
            snprintf(word, sizeof word, " %s ", tir_enum_word(&tir_enum_rounding, cast.rounding));
            snprintf(padded, sizeof padded, " %s", words);
            VerifyCase test = {line, ftof_pair, strstr(padded, word) ? NULL : "'ftof' op has rounding"};
            run_verify_case(&test, &cast);
        }
        pairs++;
    }
    fclose(file);
    cr_assert_eq(pairs, 90);
}
