// SPDX-License-Identifier: Apache-2.0
// Text of the dialect nv_tileaa: what each op becomes, what is printed of it, what is refused.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <string.h>

// An entry with values of several types, and then the line.
static TirModule *parse_line(Diagnostics *diagnostics, const char *line) {
    Arena arena = {0};
    const char *text = arena_format(&arena,
                                    "entry @k() {\n"
                                    "  %%s = constant <f32: 1.0> : tile<4x8xf32>\n"
                                    "  %%d = constant <f64: 1.0> : tile<4xf64>\n"
                                    "  %%i = constant <i32: 1> : tile<4x8xi32>\n"
                                    "  %%a = constant <f8E4M3FN: 1.0> : tile<4x32xf8E4M3FN>\n"
                                    "  %%b = constant <f8E5M2: 1.0> : tile<32x8xf8E5M2>\n"
                                    "  %%sa = constant <f8E8M0FNU: 1.0> : tile<4x1xf8E8M0FNU>\n"
                                    "  %%sb = constant <f8E8M0FNU: 1.0> : tile<1x8xf8E8M0FNU>\n"
                                    "  %s\n}\n",
                                    line);
    TirModule *module = tir_parse_text(diagnostics, "case.mlir", text, strlen(text));
    arena_reset(&arena);
    return module;
}

static const char *first_of(const Diagnostics *diagnostics) {
    return diagnostics->count ? diagnostics->items[0].message : "no message";
}

// The line of the printed text that defines the result.
static void expect_line(const TirModule *module, const char *line, const char *expected) {
    Buffer out = {0};
    tir_print(module, false, &out);
    buffer_append(&out, "", 1);
    char *at = strstr(out.data, "  return");
    at--; // the end of the line before
    while (at > out.data && at[-1] != '\n') at--;
    at[strcspn(at, "\n")] = 0;
    cr_expect_str_eq(at, expected, "%s\n  prints  %s\n  expected %s", line, at, expected);
    buffer_free(&out);
}

static void expect_op(const char *line, TirOpKind kind, uint8_t flags, const char *printed) {
    Diagnostics diagnostics = {0};
    TirModule *module = parse_line(&diagnostics, line);
    cr_assert(module && tir_verify(&diagnostics, module), "%s: %s", line, first_of(&diagnostics));
    const TirOp *op = module->functions[0].body.first->last->previous;
    cr_expect_eq(op->kind, kind, "%s is %s", line, tir_op_info(op->kind)->name);
    cr_expect_eq(op->math.flags, flags, "%s", line);
    expect_line(module, line, printed);
    Buffer text = {0}, again = {0};
    tir_print(module, false, &text);
    TirModule *parsed = tir_parse_text(&diagnostics, "printed", text.data, text.size);
    cr_assert(parsed, "%s: %s", line, first_of(&diagnostics));
    tir_print(parsed, false, &again);
    cr_expect(text.size == again.size && !memcmp(text.data, again.data, text.size), "%s prints in another way", line);
    buffer_free(&text);
    buffer_free(&again);
    tir_module_close(parsed);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}

Test(parse_tileaa, arithmetic_is_that_of_cuda_tile) {
    static const struct {
        const char *line;
        TirOpKind kind;
        uint8_t flags;
        const char *printed;
    } cases[] = {
        {"%r = nv_tileaa.addf %s, %s : tile<4 x 8 x f32>", TIR_OP_addf, 0,
         "  %0 = addf %cst_1_f32, %cst_1_f32  : tile<4x8xf32>"},
        {"%r = nv_tileaa.subf %s, %s {rounding = #rz, ftz = true} : tile<4x8xf32>", TIR_OP_subf, 0,
         "  %0 = subf %cst_1_f32, %cst_1_f32 rounding<zero> flush_to_zero : tile<4x8xf32>"},
        {"%r = nv_tileaa.mulf %s, %s : tile<4 x 8xf32> {rounding = #rm}", TIR_OP_mulf, 0,
         "  %0 = mulf %cst_1_f32, %cst_1_f32 rounding<negative_inf> : tile<4x8xf32>"},
        {"%r = nv_tileaa.divf %s, %s {rounding = #full} : tile<4x8xf32>", TIR_OP_divf, 0,
         "  %0 = divf %cst_1_f32, %cst_1_f32 rounding<full> : tile<4x8xf32>"},
        {"%r = nv_tileaa.fma %s, %s, %s {rounding = #rp, fastmath = #fastmath<contract, nsz>} : tile<4x8xf32>",
         TIR_OP_fma, MATH_FLAG_contract | MATH_FLAG_nsz,
         "  %0 = fma %cst_1_f32, %cst_1_f32, %cst_1_f32 rounding<positive_inf> fastmath<nsz, contract> : "
         "tile<4x8xf32>"},
        {"%r = nv_tileaa.sqrt %s {rounding = #approx, satf = false} : tile<4x8xf32>", TIR_OP_sqrt, 0,
         "  %0 = sqrt %cst_1_f32 rounding<approx> : tile<4x8xf32>"},
        {"%r = nv_tileaa.rsqrt %s : tile<4x8xf32>", TIR_OP_rsqrt, 0, "  %0 = rsqrt %cst_1_f32 : tile<4x8xf32>"},
        {"%r = nv_tileaa.exp %s {fastmath = #fastmath<fast>} : tile<4x8xf32>", TIR_OP_exp, MATH_FLAGS_ALL,
         "  %0 = exp %cst_1_f32  fastmath<fast> : tile<4x8xf32>"},
        {"%r = nv_tileaa.exp2 %s : tile<4x8xf32>", TIR_OP_exp2, 0, "  %0 = exp2 %cst_1_f32 : tile<4x8xf32>"},
        {"%r = nv_tileaa.tanh %s {rounding = #approx} : tile<4x8xf32>", TIR_OP_tanh, 0,
         "  %0 = tanh %cst_1_f32 rounding<approx> : tile<4x8xf32>"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++)
        expect_op(cases[i].line, cases[i].kind, cases[i].flags, cases[i].printed);
}

Test(parse_tileaa, casts) {
    expect_op("%r = nv_tileaa.cast %s : tile<4 x 8 x f32> to tile<4x8xf8E5M2>", TIR_OP_cast, 0,
              "  %0 = nv_tileaa.cast %cst_1_f32 : tile<4x8xf32> to tile<4x8xf8E5M2>");
    expect_op("%r = nv_tileaa.fp_to_fp %s : tile<4x8xf32> to tile<4x8xf6E3M2FN> {satf = true, rounding = #rna}",
              TIR_OP_cast, 0,
              "  %0 = nv_tileaa.cast %cst_1_f32 : tile<4x8xf32> to tile<4x8xf6E3M2FN> {rounding = #rna, satf = true}");
    expect_op("%r = nv_tileaa.cast %s {satf = true} : tile<4x8xf32> to tile<4x8xf16>", TIR_OP_cast, 0,
              "  %0 = nv_tileaa.cast %cst_1_f32 : tile<4x8xf32> to tile<4x8xf16> {satf = true}");
    expect_op("%r = nv_tileaa.cast %s {rounding = #rp, satf = false} : tile<4x8xf32> to tile<4x8xf8E8M0FNU>",
              TIR_OP_cast, 0,
              "  %0 = nv_tileaa.cast %cst_1_f32 : tile<4x8xf32> to tile<4x8xf8E8M0FNU> {rounding = #rp}");
}

Test(parse_tileaa, dots) {
    expect_op(
        "%r = nv_tileaa.dot %a, %b, %s : tile<4 x 32 x f8E4M3FN>, tile<32x8xf8E5M2>, tile<4x8xf32> -> tile<4x8xf32>",
        TIR_OP_dot, 0,
        "  %0 = nv_tileaa.dot %cst_1_f8E4M3FN, %cst_1_f8E5M2, %cst_1_f32 : tile<4x32xf8E4M3FN>, "
        "tile<32x8xf8E5M2>, tile<4x8xf32> -> tile<4x8xf32>");
    expect_op("%r = nv_tileaa.dot %a, %b, %s sfa(%sa) sfb(%sb) : tile<4x32xf8E4M3FN>, tile<32x8xf8E5M2>, "
              "tile<4x8xf32>, sfa: tile<4x1xe8m0>, sfb: tile<1 x 8 x f8E8M0FNU> -> tile<4x8xf32>",
              TIR_OP_dot, 0,
              "  %0 = nv_tileaa.dot %cst_1_f8E4M3FN, %cst_1_f8E5M2, %cst_1_f32 sfa(%cst_1_f8E8M0FNU) "
              "sfb(%cst_1_f8E8M0FNU_0) : tile<4x32xf8E4M3FN>, tile<32x8xf8E5M2>, tile<4x8xf32> sfa: "
              "tile<4x1xf8E8M0FNU>, sfb: tile<1x8xf8E8M0FNU> -> tile<4x8xf32>");
}

// Each function, on both types; the fast forms have the flag afn.
Test(parse_tileaa, symbols) {
    static const struct {
        const char *symbol;
        TirOpKind kind;
        unsigned operands;
    } cases[] = {
        {"__nv_sin", TIR_OP_sin, 1},
        {"__nv_cosf", TIR_OP_cos, 1},
        {"__nv_tanf", TIR_OP_tan, 1},
        {"__nv_tanh", TIR_OP_tanh, 1},
        {"__nv_expf", TIR_OP_exp, 1},
        {"__nv_log", TIR_OP_log, 1},
        {"__nv_log2f", TIR_OP_log2, 1},
        {"__nv_powf", TIR_OP_pow, 2},
        {"__nv_exp2f", TIR_OP_exp2, 1},
        {"__nv_sinhf", TIR_OP_sinh, 1},
        {"__nv_coshf", TIR_OP_cosh, 1},
        {"__nv_atan2f", TIR_OP_atan2, 2},
        {"__nv_sqrtf", TIR_OP_sqrt, 1},
        {"__nv_rsqrt", TIR_OP_rsqrt, 1},
        {"__nv_fmodf", TIR_OP_remf, 2},
        {"__nv_powif", TIR_OP_fpowi, 0},
        {"__nv_fast_sinf", TIR_OP_sin, 1},
        {"__nv_fast_cosf", TIR_OP_cos, 1},
        {"__nv_fast_tanf", TIR_OP_tan, 1},
        {"__nv_fast_tanhf", TIR_OP_tanh, 1},
        {"__nv_fast_expf", TIR_OP_exp, 1},
        {"__nv_fast_logf", TIR_OP_log, 1},
        {"__nv_fast_log2f", TIR_OP_log2, 1},
        {"__nv_fast_powf", TIR_OP_pow, 2},
        {"__nv_fast_fdividef", TIR_OP_divf, 2},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Diagnostics diagnostics = {0};
        Arena arena = {0};
        const char *symbol = cases[i].symbol;
        const bool single = symbol[strlen(symbol) - 1] == 'f', fast = strstr(symbol, "fast") != NULL;
        const char *value = single ? "%s" : "%d", *tile = single ? "tile<4x8xf32>" : "tile<4xf64>";
        const char *more = cases[i].operands == 1   ? ""
                           : cases[i].operands == 2 ? arena_format(&arena, ", %s", value)
                                                    : ", %i",
                   *more_types = cases[i].operands == 1   ? ""
                                 : cases[i].operands == 2 ? arena_format(&arena, ", %s", tile)
                                                          : ", tile<4x8xi32>";
        TirModule *module = parse_line(
            &diagnostics, arena_format(&arena, "%%r = nv_tileaa.extern_elementwise %s%s {symbol = \"%s\"} : %s%s -> %s",
                                       value, more, symbol, tile, more_types, tile));
        cr_assert(module && tir_verify(&diagnostics, module), "%s: %s", symbol, first_of(&diagnostics));
        const TirOp *op = module->functions[0].body.first->last->previous;
        cr_expect_eq(op->kind, cases[i].kind, "%s", symbol);
        cr_expect_eq(op->math.flags, fast ? MATH_FLAG_afn : 0, "%s", symbol);
        tir_module_close(module);
        diagnostics_close(&diagnostics);
        arena_reset(&arena);
    }
    expect_op("%r = nv_tileaa.extern_elementwise %s {symbol = \"__nv_fast_sinf\", fastmath = #fastmath<nnan>} : "
              "tile<4x8xf32> -> tile<4x8xf32>",
              TIR_OP_sin, MATH_FLAG_afn | MATH_FLAG_nnan, "  %0 = sin %cst_1_f32 fastmath<nnan, afn> : tile<4x8xf32>");
}

Test(parse_tileaa, errors) {
    static const struct {
        const char *line;
        const char *message; // a part of it; of the parser or the verifier
        uint32_t column;
    } cases[] = {
        {"%r = nv_tileaa.negf %s : tile<4x8xf32>", "expected an op of nv_tileaa: addf, subf, mulf, divf, fma, sqrt,",
         8},
        {"%r = nv_tileaa.addf %s : tile<4x8xf32>", "nv_tileaa.addf has 1 operands, expected 2", 8},
        {"%r = nv_tileaa.addf %s, %s {speed = 1} : tile<4x8xf32>",
         "unknown attribute 'speed' of nv_tileaa; known are: rounding, satf, fastmath, ftz, symbol, propagate_nan", 31},
        {"%r = nv_tileaa.addf %s, %s {rounding = #rx} : tile<4x8xf32>",
         "expected a rounding (#rne, #rna, #rz, #rp, #rm, #approx, #full)", 42},
        {"%r = nv_tileaa.addf %s, %s {rounding} : tile<4x8xf32>", "'rounding' has no value", 31},
        {"%r = nv_tileaa.addf %s, %s {satf = true} : tile<4x8xf32>", "nv_tileaa.addf has no satf", 31},
        {"%r = nv_tileaa.exp %s {ftz = true} : tile<4x8xf32>", "nv_tileaa.exp has no ftz", 26},
        {"%r = nv_tileaa.rsqrt %s {rounding = #rne} : tile<4x8xf32>", "nv_tileaa.rsqrt has no rounding", 28},
        {"%r = nv_tileaa.mulf %s, %s {propagate_nan = true} : tile<4x8xf32>", "nv_tileaa.mulf has no propagate_nan",
         31},
        {"%r = nv_tileaa.mulf %s, %s {ftz = maybe} : tile<4x8xf32>", "found 'maybe'", 37},
        {"%r = nv_tileaa.mulf %s, %s {symbol = \"__nv_sinf\"} : tile<4x8xf32>", "nv_tileaa.mulf has no symbol", 31},
        {"%r = nv_tileaa.mulf %s, %s {fastmath = #fastmath<quick>} : tile<4x8xf32>", "expected a flag: reassoc", 52},
        {"%r = nv_tileaa.mulf %s, %s {fastmath = 1} : tile<4x8xf32>", "expected #fastmath<", 42},
        {"%r = nv_tileaa.mulf %s, %s {ftz = true} : tile<4x8xf32> {ftz = true}",
         "attributes stand before the types and behind them", 59},
        {"%r = nv_tileaa.mulf %s, %s {ftz = true, ftz = true} : tile<4x8xf32>", "'ftz' is there twice", 43},
        {"%r = nv_tileaa.cast %s {fastmath = #fastmath<nnan>} : tile<4x8xf32> to tile<4x8xf16>",
         "nv_tileaa.cast has no fastmath", 27},
        {"%r = nv_tileaa.cast %s : tile<4x8xf32> -> tile<4x8xf16>", "expected 'to'", 42},
        {"%r = nv_tileaa.cast %s : tile<4x8xf32> to tile<4 x 8 f16>", "expected 'x' and the next size", 56},
        {"%r = nv_tileaa.cast %s : tile<4x8xf32> to tile<3 x f16>", "expected a power of two", 45},
        {"%r = nv_tileaa.cast %s : tile<4x8xf32> to tile<4x8xe4m3>", "expected a type", 54},
        {"%r = nv_tileaa.cast %s : tile<4x8xf32> to tile<99999999999999999999xf16>", "does not fit in 64 bits", 50},
        {"%r = nv_tileaa.cast %s : tile<4x8xf32> to f16", "expected a tile", 45},
        {"%r = nv_tileaa.extern_elementwise %s : tile<4x8xf32> -> tile<4x8xf32>",
         "expected {symbol = \"__nv_...\"} before the types", 40},
        {"%r = nv_tileaa.extern_elementwise %s {symbol = __nv_sinf} : tile<4x8xf32> -> tile<4x8xf32>",
         "expected a symbol in quotes", 50},
        {"%r = nv_tileaa.extern_elementwise %s {symbol = \"__nv_erff\"} : tile<4x8xf32> -> tile<4x8xf32>",
         "unknown symbol '__nv_erff'; known are: __nv_sin, ", 50},
        {"%r = nv_tileaa.extern_elementwise %s {symbol = \"__nv_sin\"} : tile<4x8xf32> -> tile<4x8xf32>",
         "__nv_sin is of f64, not of f32", 50},
        {"%r = nv_tileaa.extern_elementwise %s {symbol = \"__nv_powf\"} : tile<4x8xf32> -> tile<4x8xf32>",
         "nv_tileaa.extern_elementwise has 1 operands, expected 2", 8},
        {"%r = nv_tileaa.extern_elementwise %s {rounding = #rne, symbol = \"__nv_sinf\"} : tile<4x8xf32> -> "
         "tile<4x8xf32>",
         "nv_tileaa.extern_elementwise has no rounding", 41},
        {"%r = nv_tileaa.dot %a, %b, %s sfa(%sa) : tile<4x32xf8E4M3FN>, tile<32x8xf8E5M2>, tile<4x8xf32>, sfa: "
         "tile<4x1xe8m0> -> tile<4x8xf32>",
         "'nv_tileaa.dot' op has sfa without sfb", 8},
        {"%r = nv_tileaa.dot %a, %b, %s : tile<4x32xf8E4M3FN>, tile<32x8xf8E5M2>, tile<4x8xf32>, sfa: tile<4x1xe8m0> "
         "-> "
         "tile<4x8xf32>",
         "expected '->'", 88},
        {"%r = nv_tileaa.dot %a, %b, %s sfa %sa : tile<4x32xf8E4M3FN>", "expected '('", 37},
        {"%r = nv_tileaa.dot %a, %s, %s : tile<4x32xf8E4M3FN>, tile<4x8xf32>, tile<4x8xf32> -> tile<4x8xf32>",
         "expected dimension 1 of lhs and 0 of rhs to be equal", 8},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Diagnostics diagnostics = {0};
        TirModule *module = parse_line(&diagnostics, cases[i].line);
        if (module) cr_expect_not(tir_verify(&diagnostics, module), "accepted: %s", cases[i].line);
        cr_expect(strstr(first_of(&diagnostics), cases[i].message), "%s\n  message  %s\n  expected %s", cases[i].line,
                  first_of(&diagnostics), cases[i].message);
        if (diagnostics.count) {
            const Location at = diagnostics.items[0].at;
            cr_expect(at.line == 9 && at.column == cases[i].column, "%s: at %u:%u, expected 9:%u", cases[i].line,
                      at.line, at.column, cases[i].column);
        }
        tir_module_close(module);
        diagnostics_close(&diagnostics);
    }
}
