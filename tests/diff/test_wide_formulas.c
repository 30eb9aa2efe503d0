// SPDX-License-Identifier: Apache-2.0
// The errors that modes wide and wider find, against MPFR: formulas (wide_formulas.def) are computed again from the
// same inputs and constants, with the decisions that the floats take.
#include "tests/diff/session.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>

enum { COUNT = 256, SIDE = 16, PRECISION = 640, REALS = 1 << 17 };

// ---- real numbers ---------------------------------------------------------------------------------------------------

typedef mpfr_ptr Real;

// Of one process: criterion runs each test in its own. All live until the next formula.
static mpfr_t reals[REALS];
static unsigned real_count, made_count;

static Real new_real(void) {
    cr_assert(real_count < REALS);
    if (real_count == made_count) mpfr_init2(reals[made_count++], PRECISION);
    return reals[real_count++];
}

static Real num(double value) {
    Real r = new_real();
    mpfr_set_d(r, value, MPFR_RNDN);
    return r;
}

#define REAL_1(name, function)                                                                                         \
    static Real name(Real a) {                                                                                         \
        Real r = new_real();                                                                                           \
        function(r, a, MPFR_RNDN);                                                                                     \
        return r;                                                                                                      \
    }
#define REAL_2(name, function)                                                                                         \
    static Real name(Real a, Real b) {                                                                                 \
        Real r = new_real();                                                                                           \
        function(r, a, b, MPFR_RNDN);                                                                                  \
        return r;                                                                                                      \
    }
REAL_1(r_neg, mpfr_neg)
REAL_1(r_exp, mpfr_exp)
REAL_1(r_log, mpfr_log)
REAL_1(r_log2, mpfr_log2)
REAL_1(r_tanh, mpfr_tanh)
REAL_1(r_abs, mpfr_abs)
REAL_1(r_sqrt, mpfr_sqrt)
REAL_1(r_sin, mpfr_sin)
REAL_1(r_cos, mpfr_cos)
REAL_1(r_tan, mpfr_tan)
REAL_2(r_add, mpfr_add)
REAL_2(r_sub, mpfr_sub)
REAL_2(r_mul, mpfr_mul)
REAL_2(r_div, mpfr_div)
REAL_2(r_pow, mpfr_pow)
REAL_2(r_atan2, mpfr_atan2)

static Real r_fma(Real a, Real b, Real c) {
    return r_add(r_mul(a, b), c);
}

// ---- formulas -------------------------------------------------------------------------------------------------------

typedef struct Inputs {
    FpsanFormat format;
    double x[COUNT], y[COUNT], w[COUNT];
    Real X[COUNT], Y[COUNT], W[COUNT];
} Inputs;
typedef void Exact(const Inputs *in, Real *result);

// The constant as the type has it.
static Real constant(const Inputs *in, double value) {
    return num(fpsan_decode(in->format, fpsan_encode_nearest(in->format, value)));
}
#define K(value) constant(in, value)

static Real sum_of(Real *terms) {
    Real sum = num(0);
    for (int i = 0; i < COUNT; i++) sum = r_add(sum, terms[i]);
    return sum;
}

static Real largest_of(const double *numbers) {
    double largest = numbers[0];
    for (int i = 1; i < COUNT; i++) largest = fmax(largest, numbers[i]);
    return num(largest);
}

// A function of each element alone. x, y, w are its inputs; X, Y, W the same as real numbers.
#define EACH(name, ...)                                                                                                \
    static Real name##_of(const Inputs *in, double x, double y, double w, Real X, Real Y, Real W) {                    \
        (void)in, (void)x, (void)y, (void)w, (void)X, (void)Y, (void)W;                                                \
        __VA_ARGS__                                                                                                    \
    }                                                                                                                  \
    static void name(const Inputs *in, Real *result) {                                                                 \
        for (int i = 0; i < COUNT; i++)                                                                                \
            result[i] = name##_of(in, in->x[i], in->y[i], in->w[i], in->X[i], in->Y[i], in->W[i]);                     \
    }

static void softmax(const Inputs *in, Real *result) {
    Real terms[COUNT], largest = largest_of(in->x);
    for (int i = 0; i < COUNT; i++) terms[i] = r_exp(r_sub(in->X[i], largest));
    Real sum = sum_of(terms);
    for (int i = 0; i < COUNT; i++) result[i] = r_div(terms[i], sum);
}

static void log_sum_exp(const Inputs *in, Real *result) {
    Real terms[COUNT];
    for (int i = 0; i < COUNT; i++) terms[i] = r_exp(in->X[i]);
    Real log = r_log(sum_of(terms));
    for (int i = 0; i < COUNT; i++) result[i] = r_sub(in->X[i], log);
}

static Real sigmoid_at(Real x) {
    return r_div(num(1), r_add(num(1), r_exp(r_neg(x))));
}

static Real softplus_at(Real x) {
    return r_log(r_add(num(1), r_exp(x)));
}

EACH(sigmoid, return sigmoid_at(X);)
EACH(silu, return r_mul(X, sigmoid_at(X));)
EACH(softplus, return softplus_at(X);)
EACH(mish, return r_mul(X, r_tanh(softplus_at(X)));)
EACH(exp_minus_one, return r_sub(r_exp(X), num(1));)
EACH(log1p_plain, return r_log(r_add(num(1), X));)
EACH(decibels, return r_sub(r_mul(X, Y), X);)

static void entropy(const Inputs *in, Real *result) {
    Real terms[COUNT];
    for (int i = 0; i < COUNT; i++) terms[i] = r_mul(in->X[i], r_log2(in->X[i]));
    Real sum = sum_of(terms);
    for (int i = 0; i < COUNT; i++) result[i] = r_add(sum, in->Y[i]);
}

EACH(gelu_tanh, {
    Real cubed = r_mul(K(0.044715), r_mul(X, r_mul(X, X)));
    return r_mul(r_mul(X, num(0.5)), r_add(num(1), r_tanh(r_mul(K(0.7978846), r_add(X, cubed)))));
})
EACH(gelu_erf, {
    static const double coefficients[] = {1.0614054, -1.4531521, 1.4214138, -0.28449672, 0.2548296};
    Real z = r_mul(X, K(0.70710678)), sum = K(coefficients[0]);
    Real t = r_div(num(1), r_add(r_mul(K(0.3275911), r_abs(z)), num(1)));
    for (int i = 1; i < 5; i++) sum = r_fma(sum, t, K(coefficients[i]));
    Real erf = r_sub(num(1), r_mul(r_mul(sum, t), r_exp(r_neg(r_mul(z, z)))));
    return r_mul(r_mul(X, num(0.5)), r_add(num(1), x < 0 ? r_neg(erf) : erf));
})
EACH(tanh_exact, return r_tanh(X);)
EACH(sinh_exact, return r_mul(num(0.5), r_sub(r_exp(X), r_exp(r_neg(X))));)

// What f32 makes of a * b + c and a * b - c in two steps.
static float product_plus(double a, double b, double c) {
    volatile float product = (float)a * (float)b;
    return product + (float)c;
}

EACH(clamped, {
    const float is = product_plus(x, y, w);
    return is < -1.5F ? num(-1.5) : is > 1.5F ? num(1.5) : r_fma(X, Y, W);
})
EACH(leaky, {
    Real sum = r_sub(r_mul(X, Y), W);
    return product_plus(x, y, -w) > 0 ? sum : r_mul(sum, K(0.01));
})

static Real mean_of(Real *terms) {
    return r_div(sum_of(terms), num(COUNT));
}

// The mean and the variance of x.
static void moments(const Inputs *in, Real *mean, Real *variance) {
    Real terms[COUNT];
    for (int i = 0; i < COUNT; i++) terms[i] = in->X[i];
    *mean = mean_of(terms);
    for (int i = 0; i < COUNT; i++) {
        Real d = r_sub(in->X[i], *mean);
        terms[i] = r_mul(d, d);
    }
    *variance = mean_of(terms);
}

static void layer_norm(const Inputs *in, Real *result) {
    Real mean, variance;
    moments(in, &mean, &variance);
    Real root = r_sqrt(r_add(variance, K(0.00001)));
    for (int i = 0; i < COUNT; i++) result[i] = r_fma(r_div(r_sub(in->X[i], mean), root), in->Y[i], in->W[i]);
}

static void variance(const Inputs *in, Real *result) {
    Real mean, variance;
    moments(in, &mean, &variance);
    for (int i = 0; i < COUNT; i++) result[i] = r_add(variance, in->Y[i]);
}

static void mean(const Inputs *in, Real *result) {
    Real mean, variance;
    moments(in, &mean, &variance);
    for (int i = 0; i < COUNT; i++) result[i] = r_add(mean, in->Y[i]);
}

static Real squares(const Inputs *in) {
    Real terms[COUNT];
    for (int i = 0; i < COUNT; i++) terms[i] = r_mul(in->X[i], in->X[i]);
    return sum_of(terms);
}

static void rms_norm(const Inputs *in, Real *result) {
    Real root = r_sqrt(r_add(r_div(squares(in), num(COUNT)), K(0.000001)));
    for (int i = 0; i < COUNT; i++) result[i] = r_mul(r_div(in->X[i], root), in->Y[i]);
}

static void norm_2(const Inputs *in, Real *result) {
    Real root = r_sqrt(squares(in));
    for (int i = 0; i < COUNT; i++) result[i] = r_div(in->X[i], root);
}

EACH(welford, {
    Real mean = r_div(r_add(X, r_add(Y, W)), num(3));
    Real a = r_sub(X, mean), b = r_sub(Y, mean), c = r_sub(W, mean);
    return r_div(r_fma(a, a, r_fma(b, b, r_mul(c, c))), num(3));
})
EACH(rotary, {
    Real angle = r_mul(W, num(5000));
    return r_sub(r_mul(X, r_cos(angle)), r_mul(Y, r_sin(angle)));
})
EACH(complex_product, return r_sub(r_mul(X, Y), r_mul(X, r_mul(Y, W)));)
EACH(quadratic_root, {
    Real root = r_sqrt(r_sub(r_mul(Y, Y), r_mul(num(4), r_mul(X, W))));
    return r_div(r_sub(root, Y), r_mul(X, num(2)));
})
EACH(hypot_exact, return r_sqrt(r_fma(X, X, r_mul(Y, Y)));)
EACH(sqrt_difference, return r_sub(r_sqrt(r_add(X, num(1))), r_sqrt(X));)
EACH(rsqrt_newton, return r_div(num(1), r_sqrt(X));) // the step leaves it as it is
EACH(angle, return r_atan2(X, r_neg(Y));)
EACH(power, return r_pow(X, Y);)
EACH(tangent, return r_tan(r_mul(X, Y));)
EACH(versine, return r_div(r_sub(num(1), r_cos(X)), r_mul(X, X));)
EACH(remainder_exact, {
    const float is = (float)x * (float)w, left = fmodf(is, (float)y);
    const double quotient = rint(((double)is - (double)left) / y);
    return r_sub(r_mul(X, W), r_mul(num(quotient), Y));
})
EACH(reduction, {
    const float quotient = (float)x / (float)y;
    return r_sub(X, r_mul(num(floor((double)quotient)), Y));
})

EACH(horner, {
    Real d = r_sub(X, num(1)), square = r_mul(d, d);
    return r_mul(d, r_mul(square, square));
})
EACH(fma_chain, {
    Real a = r_fma(X, Y, W), b = r_fma(a, X, Y), c = r_fma(b, Y, X);
    return r_sub(a, r_mul(c, W));
})
EACH(compensated, return r_add(X, r_add(Y, W));)
EACH(two_sum, return num(0);)

static void cumulative_sum(const Inputs *in, Real *result) {
    for (int i = 0; i < COUNT; i++) result[i] = i ? r_add(result[i - 1], in->X[i]) : in->X[i];
}

static void cumulative_product(const Inputs *in, Real *result) {
    for (int i = 0; i < COUNT; i++) result[i] = i ? r_mul(result[i - 1], in->X[i]) : in->X[i];
}

static Real map_logistic(Real x, int times) {
    for (int i = 0; i < times; i++) x = r_mul(num(4), r_mul(x, r_sub(num(1), x)));
    return x;
}
EACH(logistic_map, return map_logistic(X, 45);)

static void dot(const Inputs *in, Real *result) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            Real sum = num(0);
            for (int k = 0; k < SIDE; k++) sum = r_fma(in->X[i * SIDE + k], in->Y[k * SIDE + j], sum);
            result[i * SIDE + j] = sum;
        }
}

EACH(cast_chain, return r_fma(X, Y, X);) // nothing is beyond the range of f16
EACH(quantise, {
    const float is = (float)x * (float)y; // what is beyond the range is cut
    return fabsf(is) > 448 ? r_div(num(copysign(448, x)), Y) : X;
})
EACH(narrow, return r_fma(X, Y, W);)
EACH(integers, {
    const float quotient = (float)x * (float)y;
    return r_mul(r_sub(r_mul(X, Y), num(trunc((double)quotient))), X);
})

typedef struct Formula {
    const char *name;
    Exact *exact;
    FpsanFormat format, result;
    const char *fills[3], *body;
} Formula;
static const Formula formulas[] = {
#undef K
#define FORMULA(name, exact, type, result, x, y, w, body) {#name, exact, FPSAN_##type, FPSAN_##result, {x, y, w}, body},
#include "tests/diff/wide_formulas.def"
};

// ---- the module and the case of a formula ---------------------------------------------------------------------------

static const char *type_name(FpsanFormat format) {
    return fpsan_format_info(format)->name;
}

// A formula's text as Tile IR: see wide_formulas.def.
static void print_body(Buffer *out, const Formula *f, const char *text) {
    for (; *text; text++) switch (*text) {
        case '#': buffer_print(out, "%s", type_name(f->format)); break;
        case '@': buffer_print(out, "tile<%s>", type_name(f->format)); break;
        case '$': buffer_print(out, "tile<256x%s>", type_name(f->format)); break;
        case '&': buffer_print(out, "tile<256x%s>", type_name(f->result)); break;
        case ';': buffer_print(out, "\n"); break;
        default: buffer_append(out, text, 1);
        }
}

static void print_pointers(Buffer *out, const char *name, const char *type) {
    buffer_print(out,
                 "%%%s_1 = reshape %%%s : tile<ptr<%s>> -> tile<1xptr<%s>>\n"
                 "%%%s_n = broadcast %%%s_1 : tile<1xptr<%s>> -> tile<256xptr<%s>>\n"
                 "%%%s_p = offset %%%s_n, %%at : tile<256xptr<%s>>, tile<256xi32> -> tile<256xptr<%s>>\n",
                 name, name, type, type, name, name, type, type, name, name, type, type);
}

static void print_module(Buffer *out, const Formula *f) {
    static const char *const inputs[] = {"x", "y", "w"};
    const char *type = type_name(f->format), *result = type_name(f->result);
    buffer_print(out,
                 "cuda_tile.module @formula {\nentry @%s(%%xa: tile<ptr<%s>>, %%ya: tile<ptr<%s>>, %%wa: "
                 "tile<ptr<%s>>, %%ra: tile<ptr<%s>>) {\n%%at = iota : tile<256xi32>\n",
                 f->name, type, type, type, result);
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "%sa", inputs[i]);
        print_pointers(out, name, type);
        buffer_print(out, "%%%s, %%%s_t = load_ptr_tko weak %%%s_p : tile<256xptr<%s>> -> tile<256x%s>, token\n",
                     inputs[i], inputs[i], name, type, type);
    }
    print_body(out, f, f->body);
    print_pointers(out, "ra", result);
    buffer_print(out,
                 "%%done = store_ptr_tko weak %%ra_p, %%r : tile<256xptr<%s>>, tile<256x%s> -> token\nreturn\n}\n}\n",
                 result, result);
}

static void load(Session *s, const Formula *f) {
    char path[] = "/tmp/congruent-formula-XXXXXX.mlir";
    Buffer module = {0};
    Arena arena = {0};
    print_module(&module, f);
    const int handle = mkstemps(path, 5);
    cr_assert(handle >= 0 && write(handle, module.data, module.size) == (ssize_t)module.size);
    close(handle);
    const char *type = type_name(f->format);
    const bool loaded = session_load(
        s, 1, FPD_CENSUS_NONE, "tower",
        arena_format(&arena,
                     "buffers:\n  X: {type: %s, shape: [256], fill: %s}\n  Y: {type: %s, shape: [256], fill: %s}\n"
                     "  W: {type: %s, shape: [256], fill: %s}\n  R: {type: %s, shape: [256]}\n"
                     "variants:\n  a: [{module: %s, kernel: %s, grid: [1], args: [X, Y, W, R]}]\ncompare: [R]\n",
                     type, f->fills[0], type, f->fills[1], type, f->fills[2], type_name(f->result), path, f->name));
    unlink(path);
    cr_assert(loaded, "%s: %s\n%s", f->name, s->diagnostics.count ? s->diagnostics.items[0].message : "", module.data);
    buffer_free(&module);
    arena_reset(&arena);
}

static void read_input(Session *s, unsigned index, double *numbers, Real *exact) {
    const FpdBuffer *buffer = &s->programs->cas->buffers[index];
    uint8_t bytes[COUNT * sizeof(double)] = {0};
    cr_assert(fpd_fill_buffer(&s->diagnostics, buffer, s->programs->cas->seed, 1, bytes));
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = fpd_element_value(buffer->type, fpd_element_bits(buffer->type, bytes, (uint64_t)i));
        exact[i] = num(numbers[i]);
    }
}

// ---- the comparison -------------------------------------------------------------------------------------------------

// What came of one formula. Errors count where they are more than half a unit.
typedef struct Found {
    unsigned unknown, infinite, counted;
    double largest, worst; // of errors in units; how far an estimate is from the error, relative to it
} Found;

static void compare(Found *found, const Formula *f, const FpdElementError *estimate, double value, const Real exact,
                    int index) {
    Real error = r_abs(r_sub(num(value), exact));
    const double units = mpfr_get_d(error, MPFR_RNDN) / estimate->unit;
    if (estimate->known != FPD_KNOWN_ERROR) {
        found->unknown += estimate->known == FPD_UNKNOWN_ERROR;
        found->infinite += estimate->known == FPD_INFINITE_RESULT;
        return;
    }
    found->largest = fmax(found->largest, units);
    if (units <= 0.5) {
        cr_expect_leq(estimate->error / estimate->unit, 0.505, "%s %d", f->name, index);
        return;
    }
    const double off = fabs(estimate->error / estimate->unit - units) / units;
    found->counted++;
    found->worst = fmax(found->worst, off);
    cr_expect_leq(off, 0.01, "%s %d: %.17g is off by %g units of %g, estimated as %g", f->name, index, value, units,
                  estimate->unit, estimate->error / estimate->unit);
}

static Found check(const Formula *f) {
    static Inputs in;
    Session s;
    Real exact[COUNT];
    Found found = {0};
    real_count = 0;
    load(&s, f);
    in.format = f->format;
    read_input(&s, 0, in.x, in.X);
    read_input(&s, 1, in.y, in.Y);
    read_input(&s, 2, in.w, in.W);
    const FpdRunner runner = session_runner(&s);
    FpdRun *const *wide = fpd_run_wide(&runner, FPD_MODE_wide), *const *wider = fpd_run_wide(&runner, FPD_MODE_wider);
    cr_assert(wide && wider, "%s: %s", f->name, s.diagnostics.count ? s.diagnostics.items[0].message : "");
    f->exact(&in, exact);
    const ElementType type = s.programs->cas->buffers[3].type;
    uint8_t initial[COUNT * sizeof(double)] = {0}, *contents = initial;
    cr_assert(s.programs->cas->buffers[3].bytes <= sizeof initial);
    const FpdMeasured measured = {.wide = wide[0], .wider = wider[0], .floats = wider[0]->bytes, .initial = &contents};
    for (int i = 0; i < COUNT; i++) {
        const FpdElementError e = fpd_element_error(s.programs->cas, &measured, 0, (uint64_t)i);
        const double value = fpd_element_value(type, fpd_element_bits(type, wide[0]->bytes[0], (uint64_t)i));
        compare(&found, f, &e, value, exact[i], i);
    }
    session_close(&s);
    printf("%-24s %3u above half a unit, the largest %.3g; worst estimate %.2g %%; %u unknown, %u infinite\n", f->name,
           found.counted, found.largest, found.worst * 100, found.unknown, found.infinite);
    cr_expect_eq(found.unknown + found.infinite, 0, "%s: %u unknown", f->name, found.unknown);
    return found;
}

// Of every `stride`-th formula.
static void check_formulas(size_t stride) {
    unsigned counted = 0, told = 0;
    for (size_t i = 0; i < BASE_COUNT(formulas); i += stride) {
        const Found found = check(&formulas[i]);
        counted += found.counted;
        told += found.counted > COUNT / 16;
    }
    cr_expect(told >= 50 / stride && counted > 8000 / stride, "%u formulas, %u errors", told, counted);
}

Test(wide_formulas, errors_are_those_of_mpfr) {
    check_formulas(4);
}
Test(wide_formulas, all_errors_are_those_of_mpfr) {
    check_formulas(1);
}
