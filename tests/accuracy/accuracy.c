// SPDX-License-Identifier: Apache-2.0
// accuracy [LOG2_SAMPLES]: checks IEEE arithmetic against MPFR on many operands and prints docs/accuracy.md. Exit 1 if
// a result is wrong or a bound is missed, 2 if it cannot run.
#include "tests/accuracy/every_float.h"
#include "tests/accuracy/exact.h"
#include "tests/accuracy/functions.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 256, CONSTANTS = 16, BATCH = 64, USUAL_LOG2_SAMPLES = 16 };

// NULL: this machine's processor.
static const char *const processors[] = {NULL, "x86-64-v3", "x86-64"};

typedef struct Run {
    Compiler *compiler;
    Diagnostics diagnostics;
    size_t samples;
    size_t failures;
} Run;

static const char *processor_name(const Run *run, size_t index) {
    return processors[index] ? processors[index] : compiler_host_cpu(run->compiler);
}

static void stop(const Run *run, const char *what) {
    fprintf(stderr, "accuracy: %s%s%s\n", what, run->diagnostics.count ? ": " : "",
            run->diagnostics.count ? run->diagnostics.items[0].message : "");
    exit(2);
}

// Few processors can run code for others: an older machine leaves out what it lacks.
static WholeOps open_ops(Run *run, const WholeOp *ops, size_t count, size_t processor) {
    WholeOps compiled = whole_ops_open(run->compiler, &run->diagnostics, ops, count, TILE, NULL, processors[processor]);
    if (!compiled.compiled) stop(run, "the kernels do not compile");
    return compiled;
}

// ---- exact results --------------------------------------------------------------------------------------------------

static ExactResult check_group(Run *run, const WholeOp *ops, size_t count, size_t processor, size_t samples) {
    ExactResult result = {0};
    for (size_t at = 0; at < count; at += BATCH) {
        size_t batch = count - at < BATCH ? count - at : BATCH;
        WholeOps compiled = open_ops(run, ops + at, batch, processor);
        for (size_t i = 0; i < batch; i++)
            if (!exact_check(&compiled, i, samples, &result)) stop(run, "a kernel stops");
        whole_ops_close(&compiled);
    }
    // A few operands that the compiler knows.
    for (size_t at = 0; at < count; at += BATCH)
        if (!exact_check_constants(run->compiler, &run->diagnostics, ops + at, count - at < BATCH ? count - at : BATCH,
                                   CONSTANTS, processors[processor], &result))
            stop(run, "kernels of constants do not run");
    if (result.wrong) fprintf(stderr, "accuracy: %s: %s\n", processor_name(run, processor), result.first);
    run->failures += result.wrong;
    return result;
}

static void print_exact(Run *run) {
    printf("| ops | forms |");
    for (size_t p = 0; p < BASE_COUNT(processors); p++) printf(" results, %s | wrong |", processor_name(run, p));
    printf("\n|---|---|");
    for (size_t p = 0; p < BASE_COUNT(processors); p++) printf("---|---|");
    printf("\n");
    for (ExactGroup group = 0; group < EXACT_GROUPS; group++) {
        size_t count;
        WholeOp *ops = exact_ops(group, &count);
        printf("| %s | %zu |", exact_group_names[group], count);
        for (size_t p = 0; p < BASE_COUNT(processors); p++) {
            // All bits of 16-bit operands; elsewhere an eighth of that.
            size_t samples = run->samples / 4 < 1 << 16 ? 1 << 16 : run->samples / 4;
            ExactResult result = check_group(run, ops, count, p, p ? samples / 8 : samples);
            printf(" %zu | %zu |", result.checked, result.wrong);
            fflush(stdout);
        }
        printf("\n");
        free(ops);
    }
}

// ---- functions ------------------------------------------------------------------------------------------------------

// The worst error of one type over all processors.
static FunctionError measure(Run *run, const FunctionBound *bound, size_t type) {
    FunctionError worst = {0};
    WholeOp op = function_op(bound, type);
    for (size_t p = 0; p < BASE_COUNT(processors); p++) {
        FunctionError error = {0};
        WholeOps compiled = open_ops(run, &op, 1, p);
        if (!function_measure(&compiled, 0, p ? run->samples / 4 : run->samples, &error)) stop(run, "a kernel stops");
        whole_ops_close(&compiled);
        size_t samples = worst.samples + error.samples;
        if (error.worst >= worst.worst) worst = error;
        worst.samples = samples;
    }
    char text[WHOLE_OP_TEXT];
    if (!(worst.worst <= function_bound(bound, type))) {
        fprintf(stderr, "accuracy: %s: %.4f ulp at %a, %a: %a\n", whole_op_text(&op, text), worst.worst, worst.x,
                worst.y, worst.got);
        run->failures++;
    }
    return worst;
}

static void print_functions(Run *run) {
    size_t samples = 0;
    printf("| function |");
    for (size_t type = 0; type < FUNCTION_TYPES; type++)
        printf(" %s bound | found |", tir_type_rows[function_types[type]].name);
    printf("\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < function_bound_count; i++) {
        const FunctionBound *bound = &function_bounds[i];
        bool usual = bound->rounding == TIR_rounding_nearest_even || bound->rounding == TIR_rounding_full;
        const bool exact = bound->implementation == FLOAT_EXACT;
        printf("| %s%s%s%s%s%s |", tir_op_info(bound->op)->name, usual ? "" : " ",
               usual ? "" : tir_enum_word(&tir_enum_rounding, bound->rounding), bound->flush ? " flush_to_zero" : "",
               exact ? "" : ", ", exact ? "" : float_implementation_name(bound->implementation));
        for (size_t type = 0; type < FUNCTION_TYPES; type++) {
            if (function_bound(bound, type) <= 0) {
                printf(" | |");
                continue;
            }
            FunctionError error = measure(run, bound, type);
            samples += error.samples;
            printf(" %.6g | %.4f |", function_bound(bound, type), error.worst);
            fflush(stdout);
        }
        printf("\n");
    }
    printf("\n%zu samples in all.\n", samples);
}

// All implementations of f32 that do not flush.
static void measure_floats(Run *run, const char *name) {
    enum { SINGLE = 1 }; // in function_types
    size_t i = 0;
    while (i < every_float_count && strcmp(tir_op_info(every_float_functions[i].op)->name, name)) i++;
    if (i == every_float_count) stop(run, "no such function of one operand");
    for (size_t row = 0; row < function_bound_count; row++) {
        const FunctionBound *form = &function_bounds[row];
        const double bound = function_bound(form, SINGLE);
        if (form->op != every_float_functions[i].op || form->flush || form->rounding == TIR_rounding_approx) continue;
        FunctionError error = {0};
        WholeOp op = function_op(form, SINGLE);
        WholeOps compiled = open_ops(run, &op, 1, 0);
        if (!every_float_measure(&compiled, 0, &every_float_functions[i], &error)) stop(run, "a kernel stops");
        whole_ops_close(&compiled);
        printf("%s, %s: %.4f ulp at %a, bound %g, %zu floats\n", name, float_implementation_name(form->implementation),
               error.worst, error.x, bound, error.samples);
        fflush(stdout);
        run->failures += !(error.worst <= bound);
    }
}

// ---- the page -------------------------------------------------------------------------------------------------------

static const char introduction[] = "# Accuracy of IEEE arithmetic\n"
                                   "\n"
                                   "Printed by `make accuracy`, which runs kernels of one op each and compares with\n"
                                   "[MPFR](https://www.mpfr.org). `make test` does the same on fewer operands.\n"
                                   "\n";
static const char exact_text[] =
    "## Results with one right answer\n"
    "\n"
    "Every form of these ops that the verifier accepts (types, roundings, flush_to_zero, propagate_nan,\n"
    "signedness), and what denormal-fp-math makes of the others, compared bit for bit. Ops with one\n"
    "operand of 8 or 16 bits get all operands. The others get edges in all pairs, ties, near ties,\n"
    "subnormal and overflowing results, cancellation and random bits; and operands that are constants,\n"
    "with which the compiler computes.\n"
    "\n";
static const char rules_text[] =
    "\n"
    "What the dialect leaves open or says elsewhere, and what is done here:\n"
    "\n"
    "- Division and square root with rounding `approx` or `full` are correctly rounded to nearest, but\n"
    "  in mode `fast` ([numeric-modes.md](numeric-modes.md)).\n"
    "- `flush_to_zero` turns subnormal operands, and results that are subnormal after rounding, into\n"
    "  zeros of the same sign.\n"
    "- Conversions to f16, bf16, tf32, f32 and f64 that overflow give infinity or the largest number, as\n"
    "  IEEE 754 says for the rounding. Conversions to f8E4M3FN, f8E5M2, f8E8M0FNU and f4E2M1FN saturate\n"
    "  at the largest number, also from infinity and with `itof` (NVIDIA's documentation of Tile IR says\n"
    "  so for the first two, and its compiler emits SATFINITE for all four). A NaN stays a NaN; in\n"
    "  f4E2M1FN, which has none, it becomes the largest number.\n"
    "- f8E8M0FNU takes magnitudes; what is below its least number, 2^-127, becomes that number, zero too.\n"
    "- `ftoi` saturates with or without `saturating`; a NaN becomes 0.\n"
    "- Which NaN an op gives is not fixed, except that `minf` and `maxf` give the quiet one without sign.\n"
    "\n";
static const char functions_text[] =
    "## Functions\n"
    "\n"
    "The largest distance from the exact value, in units in the last place of the type (0.5: correctly\n"
    "rounded), and the bound that is tested (compiler/implementations.def). f16 and bf16 with one\n"
    "operand: all numbers. Others: the whole range, with more samples where functions are neither\n"
    "constant nor the identity: near 0 and 1, up to overflow, next to multiples of pi/2. Infinities,\n"
    "NaNs, zeros and signs are as in C (`rsqrt` of -0: minus infinity).\n"
    "\n"
    "f64 functions are those of the C library, except `tanh`. The other types use its vector functions on\n"
    "doubles, rounded once or twice, and polynomials in f32 for `exp`, `exp2` and `tanh`. So the figures\n"
    "belong to the library named above. Where an op takes `approx`, it is computed as without, but in\n"
    "mode `fast`. `build/release/bin/accuracy --floats exp exp2` measures functions of f32 over all 2^32\n"
    "floats.\n"
    "\n"
    "*approximate*, *full range* and *double* are implementations that a licence or a bound asks for. The\n"
    "bound of `exp`, approximate, is that at the end of its range: 3 + floor(1.173 |x|). Approximate\n"
    "`log2` and `log` are within 2^-22 and 2^-21.4 of the exact value for x in [1/2, 2], elsewhere within\n"
    "2.5 and 3.5 ulp; `sin` and `cos` within 2^-20.5 up to 2 pi, 2^-14.7 up to 100 pi; `tan`, `pow` and\n"
    "approximate division have none (tests/numeric/test_implementations.c).\n"
    "\n";

static void print_page(Run *run) {
    printf("%s%s with glibc %s and LLVM %s.\n\n%s", introduction, compiler_host_cpu(run->compiler),
           gnu_get_libc_version(), compiler_llvm_version(run->compiler), exact_text);
    print_exact(run);
    printf("%s%s", rules_text, functions_text);
    print_functions(run);
}

int main(int argc, char **argv) {
    bool floats = argc > 1 && !strcmp(argv[1], "--floats");
    Run run = {.samples = (size_t)1 << (argc > 1 && !floats ? strtoul(argv[1], NULL, 10) % 40 : USUAL_LOG2_SAMPLES)};
    run.compiler = compiler_open(&run.diagnostics);
    if (!run.compiler) stop(&run, "no compiler");
    if (!floats) print_page(&run);
    for (int i = 2; i < argc && floats; i++) measure_floats(&run, argv[i]);
    compiler_close(run.compiler);
    diagnostics_close(&run.diagnostics);
    return run.failures ? 1 : 0;
}
