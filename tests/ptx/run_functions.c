// SPDX-License-Identifier: Apache-2.0
// Runs the functions of kernels.cu in IEEE arithmetic, each a kernel of its own, and compares them with the C library
// in wider arithmetic: ptx_functions FOLDER [--table] [--dump DIR] [BUILD...]
//
// FOLDER holds what make_cuda.sh makes; a build is one of its files, without `kernels.` and `.ptx`. Functions, inputs
// and bounds are rows of ieee_functions.def. --table prints the largest error of each. --dump writes inputs and results
// for check_functions.py. Exit status 1: a result is beyond its bound; 77: there are no builds, because CUDA is
// missing.
#include "tests/ptx/cuda_builds.h"

#include <stdio.h>
#include <string.h>
#include <tgmath.h>

enum { ELEMENTS = 4096, THREADS = 128, INPUTS = 2 };

// ---- references: what stands in rows of ieee_functions.def, beside functions of the C library -----------------------

typedef struct Reference {
    long double value;
    double ulp, absolute, fast_ulp, fast_absolute;
} Reference;

#define where(condition, yes, no) ((condition) ? (yes) : (no))
#define f32(x)                    ((double)(float)(x))
#define f64(x)                    ((double)(x))
#define round_away(x)             round(x)
#define fused(x, y, z)            _Generic((x), double : fused_f32, long double : fused_f64)((x), (y), (z))

static double fused_f32(double x, double y, double z) {
    return fmaf((float)x, (float)y, (float)z);
}

static long double fused_f64(long double x, long double y, long double z) {
    return (fma)((double)x, (double)y, (double)z);
}

static double towards_zero(double x) {
    float nearest = (float)x;
    return fabs((double)nearest) > fabs(x) ? nextafterf(nearest, 0) : nearest;
}

static double mantissa(double x) {
    int exponent;
    return frexp(x, &exponent);
}

static double saturate(double x) {
    return isnan(x) ? 0 : fmin(fmax(x, 0.0), 1.0);
}

static double gelu_tanh(double x) {
    return 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

#define BODY(type, name, reference, ulp, absolute, fast_ulp, fast_absolute)                                            \
    static Reference name(long double x, long double y) {                                                              \
        const type a = (type)x, b = (type)y;                                                                           \
        (void)a, (void)b;                                                                                              \
        return (Reference){(reference), (double)(ulp), (double)(absolute), (double)(fast_ulp),                         \
                           (double)(fast_absolute)};                                                                   \
    }
#define UNARY(kernel, low, high, all, ...)                 BODY(double, reference_u_##kernel, __VA_ARGS__)
#define BINARY(kernel, low, high, b_low, b_high, all, ...) BODY(double, reference_b_##kernel, __VA_ARGS__)
#define DOUBLE(kernel, low, high, all, ...)                BODY(long double, reference_d_##kernel, __VA_ARGS__)
#include "tests/ptx/ieee_functions.def"
#undef UNARY
#undef BINARY
#undef DOUBLE

typedef struct Function {
    const char *kernel;
    int inputs;
    bool is_double, all;
    double low[INPUTS], high[INPUTS];
    Reference (*reference)(long double a, long double b);
} Function;
static const Function functions[] = {
#define UNARY(kernel, low, high, all, ...) {"u_" #kernel, 1, false, all, {low}, {high}, reference_u_##kernel},
#define BINARY(kernel, low, high, b_low, b_high, all, ...)                                                             \
    {"b_" #kernel, 2, false, all, {low, b_low}, {high, b_high}, reference_b_##kernel},
#define DOUBLE(kernel, low, high, all, ...) {"d_" #kernel, 1, true, all, {low}, {high}, reference_d_##kernel},
#include "tests/ptx/ieee_functions.def"
#undef UNARY
#undef BINARY
#undef DOUBLE
};

enum { EXACT, FAST }; // FAST: the bounds of fast builds; subnormal numbers may be zeros
// Not those that keep names outside the module (keep): in IEEE arithmetic nobody has the functions.
static const CudaBuild builds[] = {
    {"nvcc.sm_80", EXACT},           {"nvcc.sm_90", EXACT},  {"nvcc.sm_100", EXACT}, {"clang.sm_80", EXACT},
    {"clang_noinline.sm_80", EXACT}, {"calls.sm_90", EXACT}, {"fast.sm_90", FAST},   {"ftz.sm_90", FAST}};

// Functions that a build makes less exact although it is not a fast one: clang calls the libdevice whose square root is
// approximate; the compiler that keeps calls contracts nothing.
static const struct {
    const char *builds, *kernel; // builds whose names begin so
} fast_functions[] = {{"clang", "u_sqrtf"}, {"calls", "b_contract"}, {"calls", "d_fma"}};

static bool has_fast_bounds(const CudaBuild *build, const Function *function) {
    bool fast = build->kind == FAST;
    for (size_t i = 0; i < BASE_COUNT(fast_functions); i++)
        fast |= !strncmp(build->name, fast_functions[i].builds, strlen(fast_functions[i].builds)) &&
                !strcmp(function->kernel, fast_functions[i].kernel);
    return fast;
}

// ---- the case: each function is a variant, and another with random bits as inputs -----------------------------------

static void write_buffers(FILE *out) {
    for (size_t f = 0; f < BASE_COUNT(functions); f++)
        for (int i = 0; i < functions[f].inputs; i++)
            fprintf(out, "  %c_%s: {type: %s, shape: [%d], fill: {uniform: {low: %.9g, high: %.9g}}}\n", 'a' + i,
                    functions[f].kernel, functions[f].is_double ? "f64" : "f32", ELEMENTS, functions[f].low[i],
                    functions[f].high[i]);
    fprintf(out, "  a_all: {type: f32, shape: [%d], fill: bits}\n  b_all: {type: f32, shape: [%d], fill: bits}\n",
            ELEMENTS, ELEMENTS);
    fprintf(out, "  a_all_f64: {type: f64, shape: [%d], fill: bits}\n", ELEMENTS);
    fprintf(out, "  z: {type: f32, shape: [%d], fill: zeros}\n  z_f64: {type: f64, shape: [%d], fill: zeros}\n",
            ELEMENTS, ELEMENTS);
}

static void write_variant(FILE *out, const CudaBuild *build, const Function *function, bool all) {
    fprintf(out, "  %s%s:\n    - {module: kernels.%s.ptx, kernel: %s, grid: [%d], block: [%d], args: [",
            function->kernel, all ? "_all" : "", build->name, function->kernel, ELEMENTS / THREADS, THREADS);
    for (int i = 0; i < function->inputs; i++)
        if (all)
            fprintf(out, "%c_all%s, ", 'a' + i, function->is_double ? "_f64" : "");
        else
            fprintf(out, "%c_%s, ", 'a' + i, function->kernel);
    fprintf(out, "z%s]}\n", function->is_double ? "_f64" : "");
}

// A case file in memory; the caller frees it.
static char *write_case(const CudaBuild *build, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    fputs("profile: triton-3.9\nmodes: [ieee]\nseed: 1\nbuffers:\n", out);
    write_buffers(out);
    fputs("variants:\n", out);
    for (size_t f = 0; f < BASE_COUNT(functions); f++) {
        write_variant(out, build, &functions[f], false);
        if (functions[f].all && build->kind != FAST) write_variant(out, build, &functions[f], true);
    }
    fputs("compare: [z, z_f64]\n", out);
    fclose(out);
    return text;
}

// ---- comparing ------------------------------------------------------------------------------------------------------

static double number_at(const uint8_t *bytes, bool is_double, size_t i) {
    float single;
    double number;
    if (is_double)
        memcpy(&number, bytes + i * sizeof number, sizeof number);
    else
        memcpy(&single, bytes + i * sizeof single, sizeof single), number = single;
    return number;
}

// Numbers of the type in their order: neighbours differ by 1.
static int64_t order_of(double number, bool is_double) {
    float single = (float)number;
    int64_t bits = 0;
    int32_t word;
    if (is_double)
        memcpy(&bits, &number, sizeof bits);
    else
        memcpy(&word, &single, sizeof word), bits = word;
    const int64_t least = is_double ? INT64_MIN : INT32_MIN;
    return bits < 0 ? least - bits : bits;
}

static double steps_between(double found, long double reference, bool is_double) {
    const double wanted = is_double ? (double)reference : (double)(float)reference;
    if (isnan(found) || isnan(wanted)) return isnan(found) && isnan(wanted) ? 0 : HUGE_VAL;
    return fabs((double)(order_of(found, is_double) - order_of(wanted, is_double)));
}

static bool is_within(const Reference *reference, double steps, double found, bool fast) {
    const double ulp = fast ? reference->fast_ulp : reference->ulp;
    const double absolute = fast ? reference->fast_absolute : reference->absolute;
    if (steps <= ulp || fabs((double)(found - reference->value)) <= absolute) return true;
    return fast && !found && fabs(reference->value) < 0x1p-126L; // flushed
}

typedef struct Worst {
    size_t wrong, element; // how many are beyond the bound, and the first of them
    double steps;          // the most, of results that are not right by their distance alone
    Reference reference;
} Worst;

static Worst compare(const Function *function, const uint8_t *const inputs[INPUTS], const uint8_t *found, bool fast) {
    Worst worst = {0};
    for (size_t i = 0; i < ELEMENTS; i++) {
        double a = number_at(inputs[0], function->is_double, i), b = 0;
        if (function->inputs > 1) b = number_at(inputs[1], false, i);
        const Reference reference = function->reference(a, b);
        const double result = number_at(found, function->is_double, i);
        const double steps = steps_between(result, reference.value, function->is_double);
        if (steps > worst.steps && fabs((double)(result - reference.value)) > reference.absolute) worst.steps = steps;
        if (is_within(&reference, steps, result, fast) || worst.wrong++) continue;
        worst.element = i;
        worst.reference = reference;
    }
    return worst;
}

// ---- running --------------------------------------------------------------------------------------------------------

typedef struct Output {
    const char *dump; // a folder
    bool table;
} Output;

static const Function *function_of(const FpdVariant *variant) {
    for (size_t f = 0; f < BASE_COUNT(functions); f++)
        if (!strcmp(functions[f].kernel, variant->launches[0].kernel)) return &functions[f];
    return NULL;
}

static bool dump_bytes(CudaTest *test, Arena *arena, const char *variant, char what, const FpdBuffer *buffer,
                       const uint8_t *bytes) {
    const Output *output = test->owner;
    return !output->dump ||
           file_write(&test->diagnostics,
                      arena_format(arena, "%s/%s.%s.%c.bin", output->dump, test->build->name, variant, what), bytes,
                      buffer->bytes);
}

static void report(CudaTest *test, const FpdVariant *variant, const Function *function,
                   const uint8_t *const inputs[INPUTS], const uint8_t *found, const Worst *worst) {
    const size_t i = worst->element;
    if (((const Output *)test->owner)->table)
        printf("| %s | %s | %.0f |\n", test->build->name, variant->name, worst->steps);
    *(worst->wrong ? &test->wrong : &test->right) += 1;
    if (!worst->wrong) return;
    const bool fast = has_fast_bounds(test->build, function);
    printf("%s: %s of %.9g", test->build->name, variant->name, number_at(inputs[0], function->is_double, i));
    if (function->inputs > 1) printf(" and %.9g", number_at(inputs[1], false, i));
    printf(" is %.17g, not %.17Lg (allowed: %g ulp or %g); %zu of %d are wrong\n",
           number_at(found, function->is_double, i), worst->reference.value,
           fast ? worst->reference.fast_ulp : worst->reference.ulp,
           fast ? worst->reference.fast_absolute : worst->reference.absolute, worst->wrong, ELEMENTS);
}

static bool check_run(CudaTest *test, Arena *arena, const FpdCase *cas, const FpdRun *run) {
    const FpdVariant *variant = &cas->variants[run->variant];
    const Function *function = function_of(variant);
    uint8_t *inputs[INPUTS] = {NULL};
    for (int i = 0; i < function->inputs; i++) {
        const FpdBuffer *buffer = &cas->buffers[variant->launches[0].arguments[i].buffer];
        inputs[i] = arena_alloc(arena, buffer->bytes);
        if (!fpd_fill_buffer(&test->diagnostics, buffer, cas->seed, 1, inputs[i]) ||
            !dump_bytes(test, arena, variant->name, (char)('a' + i), buffer, inputs[i]))
            return false;
    }
    const uint32_t c = function->is_double; // in `compare`
    const Worst worst =
        compare(function, (const uint8_t *const *)inputs, run->bytes[c], has_fast_bounds(test->build, function));
    report(test, variant, function, (const uint8_t *const *)inputs, run->bytes[c], &worst);
    return dump_bytes(test, arena, variant->name, 'z', &cas->buffers[cas->compare[c]], run->bytes[c]);
}

int main(int count, char **words) {
    Output output = {0};
    CudaTest test = {.name = "functions",
                     .right_are = "are within their bounds",
                     .wrong_are = "are not",
                     .builds = builds,
                     .build_count = BASE_COUNT(builds),
                     .write_case = write_case,
                     .check_run = check_run,
                     .owner = &output};
    int at = 2;
    for (; at < count && words[at][0] == '-'; at++) {
        if (!strcmp(words[at], "--table")) output.table = true;
        if (!strcmp(words[at], "--dump") && at + 1 < count) output.dump = words[++at];
    }
    return cuda_builds_test(&test, count > 1 ? words[1] : NULL, count - at, words + at);
}
