// SPDX-License-Identifier: Apache-2.0
// Kernels whose float instructions flush operands (compiler/lower/operand_flushing.c) give the bits of the same kernels
// flushed by integer code. What makes the difference is an op that does not go with it: a sum of bf16 numbers, stored
// elsewhere.
#include "tests/lower/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64, OPERANDS = 3, RESULTS = 4, VALUES_MAX = 64 };
static const TirTypeKind pointees[] = {TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_bf16};
enum { INPUT, OUTPUT, HALVES };

// ---- text -----------------------------------------------------------------------------------------------------------

static void print_pointers(Buffer *out, const char *name, const char *argument, const char *kind, size_t lanes) {
    buffer_print(out, "%%%s1 = reshape %s : tile<ptr<%s>> -> tile<1xptr<%s>>\n", name, argument, kind, kind);
    buffer_print(out, "%%%sn = broadcast %%%s1 : tile<1xptr<%s>> -> tile<%zuxptr<%s>>\n", name, name, kind, lanes,
                 kind);
}

static void print_place(Buffer *out, const char *name, const char *base, const char *index, const char *kind,
                        size_t lanes) {
    buffer_print(out, "%%%s = offset %%%sn, %%%s : tile<%zuxptr<%s>>, tile<%zuxi32> -> tile<%zuxptr<%s>>\n", name, base,
                 index, lanes, kind, lanes, lanes, kind);
}

static void print_head(Buffer *out, const char *settings, size_t lanes) {
    buffer_print(out,
                 "cuda_tile.module @m {\nentry @k(%%in: tile<ptr<f32>>, %%out: tile<ptr<f32>>, %%half: tile<ptr<bf16>>) "
                 "math<%s> {\n",
                 settings);
    buffer_print(out, "%%i = iota : tile<%zuxi32>\n", lanes);
    print_pointers(out, "in", "%in", "f32", lanes);
    print_pointers(out, "out", "%out", "f32", lanes);
    print_pointers(out, "half", "%half", "bf16", lanes);
}

// `apart`: with the op that does not go with it.
static void print_end(Buffer *out, bool apart, size_t lanes) {
    if (apart) {
        print_place(out, "hp", "half", "i", "bf16", lanes);
        buffer_print(out, "%%h, %%ht = load_ptr_tko weak %%hp : tile<%zuxptr<bf16>> -> tile<%zuxbf16>, token\n", lanes,
                     lanes);
        buffer_print(out, "%%hs = addf %%h, %%h : tile<%zuxbf16>\n", lanes);
        buffer_print(out, "%%hu = store_ptr_tko weak %%hp, %%hs : tile<%zuxptr<bf16>>, tile<%zuxbf16> -> token\n",
                     lanes, lanes);
    }
    buffer_print(out, "return\n}\n}\n");
}

static Lab open_text(Buffer *text, unsigned optimize) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, "flushing.mlir", text->data, text->size);
    cr_assert(module, "%s: %s", diagnostics.count ? diagnostics.items[0].message : "", text->data);
    diagnostics_close(&diagnostics);
    Lab lab = lab_open_module(module, BASE_COUNT(pointees), pointees);
    lab.optimize = optimize;
    cr_assert(lab_compile(&lab, COMPILE_IEEE, 0, NULL), "%s: %s", lab.diagnostics.items[0].message, text->data);
    return lab;
}

static bool is_nan(uint32_t bits) {
    return (bits & 0x7fffffff) > 0x7f800000;
}

// Runs both kernels on the input and compares the output.
static void check_same(Lab *labs, size_t elements, const char *what) {
    for (int i = 0; i < 2; i++) cr_assert(lab_run(&labs[i]), "%s", what);
    const uint32_t *a = lab_bytes(&labs[0], OUTPUT), *b = lab_bytes(&labs[1], OUTPUT), *x = lab_bytes(labs, INPUT);
    if (!memcmp(a, b, elements * sizeof *a)) return;
    for (size_t i = 0; i < elements; i++) // the sign of a NaN depends on who computes it, LLVM or the processor
        cr_assert(a[i] == b[i] || (is_nan(a[i]) && is_nan(b[i])), "%s: element %zu (of %08x): %08x, not %08x", what, i,
                  x[i], a[i], b[i]);
}

// ---- every float ----------------------------------------------------------------------------------------------------

enum { WIDE = 1024, STEPS = 1 << 10, BATCH = WIDE * STEPS };
_Static_assert(BATCH * sizeof(float) == LAB_BUFFER_BYTES, "a buffer's");

static void open_function(Lab *labs, const char *op, const char *settings) {
    for (int apart = 0; apart < 2; apart++) {
        Buffer text = {0};
        print_head(&text, settings, WIDE);
        buffer_print(&text, "%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n"
                            "%%many = constant <i32: %d> : tile<i32>\n%%wide = constant <i32: %d> : tile<%dxi32>\n",
                     STEPS, WIDE, WIDE);
        buffer_print(&text, "for %%n in (%%zero to %%many, step %%one) : tile<i32> {\n");
        buffer_print(&text,
                     "%%n1 = reshape %%n : tile<i32> -> tile<1xi32>\n%%nn = broadcast %%n1 : tile<1xi32> -> "
                     "tile<%dxi32>\n%%first = muli %%nn, %%wide : tile<%dxi32>\n%%at = addi %%first, %%i : tile<%dxi32>\n",
                     WIDE, WIDE, WIDE);
        print_place(&text, "ip", "in", "at", "f32", WIDE);
        print_place(&text, "op", "out", "at", "f32", WIDE);
        buffer_print(&text, "%%x, %%t = load_ptr_tko weak %%ip : tile<%dxptr<f32>> -> tile<%dxf32>, token\n", WIDE,
                     WIDE);
        buffer_print(&text, "%%y = %s %%x : tile<%dxf32>\n", op, WIDE);
        buffer_print(&text, "%%u = store_ptr_tko weak %%op, %%y : tile<%dxptr<f32>>, tile<%dxf32> -> token\n", WIDE,
                     WIDE);
        buffer_print(&text, "}\n");
        print_end(&text, apart, WIDE);
        labs[apart] = open_text(&text, 3);
        buffer_free(&text);
    }
}

// Every `step`-th float.
static void check_functions(uint64_t step) {
    static const char *const ops[] = {"exp", "exp2", "log",   "log2",  "sin",  "cos",  "tanh",
                                      "sqrt", "rsqrt", "floor", "ceil", "negf", "absf"};
    static const char *const settings[] = {"ftz", "fast", "ftz,max-error=0.6"};
    for (size_t o = 0; o < BASE_COUNT(ops); o++)
        for (size_t s = 0; s < BASE_COUNT(settings); s++) {
            Lab labs[2];
            open_function(labs, ops[o], settings[s]);
            for (uint64_t first = 0; first <= UINT32_MAX; first += step * BATCH) {
                for (int i = 0; i < 2; i++) {
                    uint32_t *x = lab_bytes(&labs[i], INPUT);
                    for (uint64_t k = 0; k < BATCH; k++) x[k] = (uint32_t)(first + k * step);
                }
                check_same(labs, BATCH, ops[o]);
            }
            for (int i = 0; i < 2; i++) lab_close(&labs[i]);
        }
}

Test(operand_flushing, functions) {
    check_functions(4099); // one batch
}
// CONGRUENT_STEP=1: every float, which takes a quarter of an hour.
Test(operand_flushing, many_floats) {
    const char *step = getenv("CONGRUENT_STEP");
    check_functions(step ? strtoul(step, NULL, 10) : 61);
}

// ---- random programs ------------------------------------------------------------------------------------------------

typedef struct Writer {
    Buffer text;
    uint64_t *state;
    unsigned count; // of values %v0, %v1, ..., tiles of LANES floats
} Writer;

static unsigned roll(Writer *w, unsigned n) {
    return (unsigned)(lab_random(w->state) % n);
}

// Numbers around the smallest normal one, and what makes them.
static float any_float(uint64_t *state) {
    uint64_t bits = lab_random(state);
    const float sign = bits >> 63 ? -1 : 1, fraction = 1 + (float)(bits >> 8 & 0x7fffff) * 0x1p-23F;
    switch (bits % 16) {
    case 0: return sign * 0;
    case 1: return sign * (float)(bits >> 40 & 7);
    case 2: return bits >> 62 ? sign * __builtin_inff() : __builtin_nanf("");
    case 3: return sign * fraction * 0x1p-126F;
    case 4: return sign * fraction * 0x1p-63F;
    case 5: return sign * fraction * 0x1p+64F;
    case 6: return sign * (float)(bits >> 40 & 3) * 0x1p-149F;
    case 7: return sign * (fraction - 1) * 0x1p-126F;
    default: return sign * fraction * __builtin_ldexpf(1, -130 + (int)(bits >> 32 & 15));
    }
}

static unsigned any_value(Writer *w) {
    const unsigned back = roll(w, 3) ? roll(w, w->count < 6 ? w->count : 6) : roll(w, w->count);
    return w->count - 1 - back;
}

static void print_element(Writer *w, const char *result, const char *x, const char *y, const char *type) {
    static const char *const binary[] = {"addf", "subf", "mulf", "divf", "minf", "maxf", "mulf", "addf"};
    static const char *const unary[] = {"negf", "absf", "sqrt", "rsqrt", "exp2", "exp", "log2", "floor", "tanh", "cos"};
    if (roll(w, 3))
        buffer_print(&w->text, "%s = %s %s, %s : %s\n", result, binary[roll(w, BASE_COUNT(binary))], x, y, type);
    else if (roll(w, 2))
        buffer_print(&w->text, "%s = fma %s, %s, %s : %s\n", result, x, y, roll(w, 2) ? x : y, type);
    else
        buffer_print(&w->text, "%s = %s %s : %s\n", result, unary[roll(w, BASE_COUNT(unary))], x, type);
}

static void print_comparison(Writer *w, unsigned n, unsigned a, unsigned b) {
    static const char *const predicates[] = {"less_than", "greater_than", "equal", "not_equal", "less_than_or_equal"};
    buffer_print(&w->text, "%%c%u = cmpf %s ordered %%v%u, %%v%u : tile<64xf32> -> tile<64xi1>\n", n,
                 predicates[roll(w, BASE_COUNT(predicates))], a, b);
    if (roll(w, 2)) a = any_value(w), b = any_value(w);
    buffer_print(&w->text, "%%v%u = select %%c%u, %%v%u, %%v%u : tile<64xi1>, tile<64xf32>\n", n, n, a, b);
}

static void print_fold(Writer *w, unsigned n, unsigned a) {
    const bool scan = !roll(w, 3);
    buffer_print(&w->text, "%%m%u = reshape %%v%u : tile<64xf32> -> tile<8x8xf32>\n", n, a);
    buffer_print(&w->text, "%%f%u = %s %%m%u dim=%u%s identities=[0.0 : f32] : tile<8x8xf32> -> tile<8%sxf32> "
                           "(%%a%u: tile<f32>, %%b%u: tile<f32>) {\n",
                 n, scan ? "scan" : "reduce", n, roll(w, 2), scan ? " reverse=false" : "", scan ? "x8" : "", n, n);
    char result[16], x[16], y[16];
    snprintf(result, sizeof result, "%%y%u", n);
    snprintf(x, sizeof x, "%%a%u", n);
    snprintf(y, sizeof y, "%%b%u", n);
    print_element(w, result, x, y, "tile<f32>");
    buffer_print(&w->text, "yield %%y%u : tile<f32>\n}\n", n);
    if (!scan) {
        buffer_print(&w->text, "%%g%u = reshape %%f%u : tile<8xf32> -> tile<8x1xf32>\n", n, n);
        buffer_print(&w->text, "%%h%u = broadcast %%g%u : tile<8x1xf32> -> tile<8x8xf32>\n", n, n);
    }
    buffer_print(&w->text, "%%v%u = reshape %%%c%u : tile<8x8xf32> -> tile<64xf32>\n", n, scan ? 'f' : 'h', n);
}

// a * 1 + b, which is rounded once however the product is computed.
static void print_product(Writer *w, unsigned n, unsigned a, unsigned b) {
    buffer_print(&w->text, "%%ma%u = reshape %%v%u : tile<64xf32> -> tile<8x8xf32>\n", n, a);
    buffer_print(&w->text, "%%mb%u = reshape %%v%u : tile<64xf32> -> tile<8x8xf32>\n", n, b);
    buffer_print(&w->text, "%%mc%u = mmaf %%ma%u, %%unit, %%mb%u : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>\n", n, n,
                 n);
    buffer_print(&w->text, "%%v%u = reshape %%mc%u : tile<8x8xf32> -> tile<64xf32>\n", n, n);
}

static void print_loop(Writer *w, unsigned n, unsigned a, unsigned b) {
    buffer_print(&w->text,
                 "%%v%u = for %%n%u in (%%zero to %%three, step %%one) : tile<i32> iter_values(%%k%u = %%v%u) -> "
                 "(tile<64xf32>) {\n",
                 n, n, n, a);
    char result[16], x[16], y[16];
    snprintf(result, sizeof result, "%%y%u", n);
    snprintf(x, sizeof x, "%%k%u", n);
    snprintf(y, sizeof y, "%%v%u", b);
    print_element(w, result, x, y, "tile<64xf32>");
    buffer_print(&w->text, "continue %%y%u : tile<64xf32>\n}\n", n);
}

static void print_conversion(Writer *w, unsigned n, unsigned a) {
    const char *const kind = roll(w, 2) ? "f16" : "bf16";
    if (roll(w, 2)) {
        buffer_print(&w->text, "%%r%u = ftof %%v%u : tile<64xf32> -> tile<64x%s>\n", n, a, kind);
        buffer_print(&w->text, "%%v%u = ftof %%r%u : tile<64x%s> -> tile<64xf32>\n", n, n, kind);
    } else {
        buffer_print(&w->text, "%%r%u = bitcast %%v%u : tile<64xf32> -> tile<64xi32>\n", n, a);
        buffer_print(&w->text, "%%s%u = xori %%r%u, %%bits : tile<64xi32>\n", n, n);
        buffer_print(&w->text, "%%v%u = bitcast %%s%u : tile<64xi32> -> tile<64xf32>\n", n, n);
    }
}

static void print_statement(Writer *w) {
    const unsigned n = w->count, a = any_value(w), b = any_value(w);
    char result[16], x[16], y[16];
    switch (roll(w, 12)) {
    case 0: print_fold(w, n, a); break;
    case 1: print_loop(w, n, a, b); break;
    case 2: print_product(w, n, a, b); break;
    case 3: print_conversion(w, n, a); break;
    case 4:
    case 5: print_comparison(w, n, a, b); break;
    default:
        snprintf(result, sizeof result, "%%v%u", n);
        snprintf(x, sizeof x, "%%v%u", a);
        snprintf(y, sizeof y, "%%v%u", b);
        print_element(w, result, x, y, "tile<64xf32>");
    }
    w->count++;
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// The program of a seed: some operands are constants. Then the compiler computes much of it.
static void print_program(Writer *w, const char *settings, unsigned statements, bool apart) {
    print_head(&w->text, settings, LANES);
    buffer_print(&w->text, "%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n"
                           "%%three = constant <i32: 3> : tile<i32>\n%%bits = constant <i32: 0> : tile<64xi32>\n"
                           "%%unit = constant <f32: [");
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++)
            buffer_print(&w->text, "%s%s%d.0%s", k ? ", " : "[", "", i == k, k < 7 ? "" : i < 7 ? "], " : "]");
    buffer_print(&w->text, "]> : tile<8x8xf32>\n");
    const unsigned constants = roll(w, 4);
    for (unsigned i = 0; i < OPERANDS; i++, w->count++) {
        const uint32_t constant = bits_of(any_float(w->state));
        if (constants > i) {
            buffer_print(&w->text, "%%v%u = constant <f32: 0x%08X> : tile<64xf32>\n", i, constant);
            continue;
        }
        buffer_print(&w->text, "%%o%u = constant <i32: %u> : tile<64xi32>\n", i, i * LANES);
        buffer_print(&w->text, "%%oi%u = addi %%o%u, %%i : tile<64xi32>\n", i, i);
        buffer_print(&w->text, "%%p%u = offset %%inn, %%oi%u : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>\n",
                     i, i);
        buffer_print(&w->text, "%%v%u, %%t%u = load_ptr_tko weak %%p%u : tile<64xptr<f32>> -> tile<64xf32>, token\n", i,
                     i, i);
    }
    for (unsigned i = 0; i < statements; i++) print_statement(w);
    for (unsigned i = 0; i < RESULTS; i++) {
        buffer_print(&w->text, "%%q%u = constant <i32: %u> : tile<64xi32>\n", i, i * LANES);
        buffer_print(&w->text, "%%qi%u = addi %%q%u, %%i : tile<64xi32>\n", i, i);
        buffer_print(&w->text, "%%w%u = offset %%outn, %%qi%u : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>\n",
                     i, i);
        buffer_print(&w->text, "%%u%u = store_ptr_tko weak %%w%u, %%v%u : tile<64xptr<f32>>, tile<64xf32> -> token\n", i,
                     i, w->count - 1 - i);
    }
    print_end(&w->text, apart, LANES);
}

static void check_programs(uint64_t first, unsigned count) {
    for (uint64_t seed = first; seed < first + count; seed++) {
        Lab labs[2];
        Writer writers[2] = {0};
        for (int apart = 0; apart < 2; apart++) {
            uint64_t state = seed * 2654435761u;
            writers[apart].state = &state;
            print_program(&writers[apart], seed % 2 ? "fast" : "ftz", 4 + (unsigned)(seed % 13), apart);
            labs[apart] = open_text(&writers[apart].text, (unsigned)(seed % 4));
        }
        char what[40];
        snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
        for (unsigned run = 0; run < 4; run++) {
            uint64_t state = seed + run;
            for (unsigned i = 0; i < OPERANDS * LANES; i++) {
                const uint32_t bits = bits_of(any_float(&state));
                for (int k = 0; k < 2; k++) ((uint32_t *)lab_bytes(&labs[k], INPUT))[i] = bits;
            }
            check_same(labs, RESULTS * LANES, what);
        }
        for (int apart = 0; apart < 2; apart++) {
            lab_close(&labs[apart]);
            buffer_free(&writers[apart].text);
        }
    }
}

Test(operand_flushing, programs) {
    check_programs(1, 20);
}
Test(operand_flushing, more_programs) {
    const char *seeds = getenv("CONGRUENT_PROGRAMS"); // "FIRST COUNT"
    unsigned long first = 21, count = 1080;
    if (seeds) cr_assert_eq(sscanf(seeds, "%lu %lu", &first, &count), 2);
    check_programs(first, (unsigned)count);
}
