// SPDX-License-Identifier: Apache-2.0
// Implementations of `ieee`: approximate functions on every machine against their scalar code, that against MPFR step
// by step, and both against the bounds of implementations.def; functions by doubles; flush_to_zero of every op that
// takes it; and what must be refused.
#include "compiler/target/approximate.h"
#include "numeric_harness.h"

#include <criterion/criterion.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

typedef struct Form {
    FloatOp op;
    unsigned lanes;
    char name[16];
} Form;

enum { COUNT = 96 * 200, FORMS_MAX = 64 };

static uint64_t arrays[3][COUNT], results[COUNT];

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static LLVMValueRef emit_form(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const FloatOp *op = &((const Form *)data)->op;
    NumericValue operands[3], result;
    unsigned count = fpsan_rule_info(op->rule)->operands;
    for (unsigned i = 0; i < count; i++)
        operands[i] = op->rule == FPSAN_RULE_POWI && i == 1 ? (NumericValue){.parts = {inputs[i]}}
                                                            : cx->numeric->from_bits(cx, op->operand, inputs[i]);
    if (!cx->numeric->apply(cx, op, operands, count, &result)) return NULL;
    return cx->numeric->to_bits(cx, op->result, &result);
}

static bool add_form(Harness *h, Form *form, size_t number) {
    unsigned bits = fpsan_format_info(form->op.operand)->lane_bits;
    snprintf(form->name, sizeof form->name, "form%zu", number);
    return harness_add(h, form->name, form->lanes, fpsan_rule_info(form->op.rule)->operands,
                       (unsigned[]){bits, form->op.rule == FPSAN_RULE_POWI ? 32 : bits, bits}, bits, emit_form, form);
}

static void run_form(Harness *h, const Form *form, size_t count) {
    const void *inputs[] = {arrays[0], arrays[1], arrays[2]};
    harness_function(h, form->name)(inputs, results, count / (form->lanes ? form->lanes : 1));
}

// Floats of all sizes; subnormal ones, infinities, NaN and zeros; near 1; multiples of pi; and what is next to those.
static float operand(size_t i, uint64_t *state) {
    const uint64_t random = random_bits(state);
    if (i < 80 || i % 8 == 0) return float_of((uint32_t)sample_bits(FPSAN_F32, i < 80 ? i : 99, state));
    switch (i % 8) {
    case 1: return float_of((uint32_t)random);
    case 2: return float_of((uint32_t)random & 0x807fffff);                              // subnormal
    case 3: return (float)((double)(int64_t)random * 0x1p-56);                           // up to 128
    case 4: return float_of(0x3f800000 + (uint32_t)((int32_t)random >> 20));             // near 1
    case 5: return (float)((double)((int)(random % 400) - 200) * 1.5707963267948966);    // sin and cos are 0 or 1
    case 6: return float_of((uint32_t)(random % 0x1800000) + 0x7e000000);                // 2^125 to 2^128
    default: return float_of(0x00800000 + (uint32_t)((int32_t)(random & 0x7ff) - 1024)); // near 2^-126
    }
}

static void fill(FpsanRule rule) {
    uint64_t state = 7;
    for (size_t i = 0; i < COUNT; i++)
        for (unsigned k = 0; k < 3; k++) {
            size_t number = k == 1 ? (i * 7 + i / 80) % 997 : k == 2 ? (i * 3 + 5) % 991 : i;
            uint32_t bits = bits_of(operand(number, &state));
            if (rule == FPSAN_RULE_POWI && k == 1) bits = (uint32_t)(int32_t)(bits % 64 - 32);
            store_element(arrays[k], 32, i, bits);
        }
}

static float get(const void *array, size_t i) {
    return float_of((uint32_t)load_element(array, 32, i));
}

static bool same(float a, float b) {
    return same_float(FPSAN_F32, bits_of(a), bits_of(b));
}

// ---- approximate forms ----------------------------------------------------------------------------------------------

static const struct ApproximateForm {
    FpsanRule rule;
    FloatImplementation kind;
} approximate_forms[] = {
    {FPSAN_RULE_DIV, FLOAT_APPROXIMATED},        {FPSAN_RULE_DIV, FLOAT_RECIPROCAL},
    {FPSAN_RULE_DIV, FLOAT_FULL_RANGE_DIVISION}, {FPSAN_RULE_SQRT, FLOAT_APPROXIMATED},
    {FPSAN_RULE_RSQRT, FLOAT_APPROXIMATED},      {FPSAN_RULE_EXP2, FLOAT_APPROXIMATED},
    {FPSAN_RULE_EXP, FLOAT_APPROXIMATED},        {FPSAN_RULE_LOG2, FLOAT_APPROXIMATED},
    {FPSAN_RULE_LOG, FLOAT_APPROXIMATED},        {FPSAN_RULE_SIN, FLOAT_APPROXIMATED},
    {FPSAN_RULE_COS, FLOAT_APPROXIMATED},        {FPSAN_RULE_TAN, FLOAT_APPROXIMATED},
    {FPSAN_RULE_TANH, FLOAT_APPROXIMATED},       {FPSAN_RULE_POW, FLOAT_APPROXIMATED},
};

typedef float Instruction(Approximation which, float x, float y);

// What a rule is in approximate instructions.
static float compose(Instruction *f, const FloatOp *op, float x, float y) {
    switch (op->rule) {
    case FPSAN_RULE_DIV:
        return op->implementation == FLOAT_RECIPROCAL            ? f(APPROXIMATE_RCP, y, 0)
               : op->implementation == FLOAT_FULL_RANGE_DIVISION ? f(APPROXIMATE_DIV_FULL, x, y)
                                                                 : f(APPROXIMATE_DIV, x, y);
    case FPSAN_RULE_SQRT: return f(APPROXIMATE_SQRT, x, 0);
    case FPSAN_RULE_RSQRT: return f(APPROXIMATE_RSQRT, x, 0);
    case FPSAN_RULE_EXP2: return f(APPROXIMATE_EX2, x, 0);
    case FPSAN_RULE_EXP: return f(APPROXIMATE_EX2, x * float_of(0x3fb8aa3b), 0);
    case FPSAN_RULE_LOG2: return f(APPROXIMATE_LG2, x, 0);
    case FPSAN_RULE_LOG: return f(APPROXIMATE_LG2, x, 0) * float_of(0x3f317218);
    case FPSAN_RULE_SIN: return f(APPROXIMATE_SIN, x, 0);
    case FPSAN_RULE_COS: return f(APPROXIMATE_COS, x, 0);
    case FPSAN_RULE_TAN: return f(APPROXIMATE_DIV, f(APPROXIMATE_SIN, x, 0), f(APPROXIMATE_COS, x, 0));
    case FPSAN_RULE_TANH: return f(APPROXIMATE_TANH, x, 0);
    case FPSAN_RULE_POW: return f(APPROXIMATE_EX2, f(APPROXIMATE_LG2, x, 0) * y, 0);
    default: cr_assert_fail("no approximate form"); return 0;
    }
}

static float model(const FloatOp *op, float x, float y) {
    bool flushes = op->flush_to_zero && op->rule != FPSAN_RULE_TANH;
    float result =
        flushes ? compose(approximate, op, approximate_flush(x), approximate_flush(y)) : compose(approximate, op, x, y);
    return flushes ? approximate_flush(result) : result;
}

static size_t list_forms(Form *forms, unsigned lanes) {
    size_t count = 0;
    for (size_t i = 0; i < BASE_COUNT(approximate_forms); i++)
        for (unsigned flush = 0; flush < 2; flush++) {
            FloatOp op = float_rule(approximate_forms[i].rule, FPSAN_F32);
            op.implementation = approximate_forms[i].kind;
            op.flush_to_zero = flush;
            forms[count++] = (Form){.op = op, .lanes = lanes};
        }
    return count;
}

static void check_forms(const MachineRow *row, unsigned lanes, size_t elements) {
    static Form forms[FORMS_MAX];
    Harness h;
    harness_open(&h, &numeric_ieee, row->machine);
    harness_restrict(&h, row->features);
    const size_t count = list_forms(forms, lanes);
    for (size_t i = 0; i < count; i++) cr_assert(add_form(&h, &forms[i], i));
    harness_finish(&h);
    fill(FPSAN_RULE_COUNT);
    for (size_t i = 0; i < count; i++) {
        const FloatOp *op = &forms[i].op;
        run_form(&h, &forms[i], elements);
        for (size_t k = 0; k < elements; k++) {
            float x = get(arrays[0], k), y = get(arrays[1], k), want = model(op, x, y), got = get(results, k);
            cr_assert(same(got, want), "%s, %u lanes: %s %s%s of %a, %a is %a, not %a", row->name, lanes,
                      float_implementation_name(op->implementation), fpsan_rule_info(op->rule)->name,
                      op->flush_to_zero ? " ftz" : "", (double)x, (double)y, (double)got, (double)want);
        }
    }
    harness_close(&h);
}

// The same bits on every machine, in lanes and without.
Test(implementations, approximations_are_alike_everywhere) {
    static const unsigned lanes[] = {16, 0, 3, 8, 4};
    for (size_t row = 0; machine_row(row); row++)
        if (machine_row(row)->runs)
            check_forms(machine_row(row), lanes[row % BASE_COUNT(lanes)], row ? 96 * 40 : COUNT);
}

// ---- the formulas, step by step in MPFR -----------------------------------------------------------------------------

typedef enum Step { ADD, MULTIPLY, DIVIDE, FUSE, ROOT } Step;

// One operation of floats: MPFR with their precision and range.
static float step(Step what, float x, float y, float z) {
    mpfr_t a, b, c, out;
    int inexact = 0;
    mpfr_inits2(24, a, b, c, out, (mpfr_ptr)0);
    mpfr_set_flt(a, x, MPFR_RNDN);
    mpfr_set_flt(b, y, MPFR_RNDN);
    mpfr_set_flt(c, z, MPFR_RNDN);
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    switch (what) {
    case ADD: inexact = mpfr_add(out, a, b, MPFR_RNDN); break;
    case MULTIPLY: inexact = mpfr_mul(out, a, b, MPFR_RNDN); break;
    case DIVIDE: inexact = mpfr_div(out, a, b, MPFR_RNDN); break;
    case FUSE: inexact = mpfr_fma(out, a, b, c, MPFR_RNDN); break;
    case ROOT: inexact = mpfr_sqrt(out, a, MPFR_RNDN); break;
    }
    inexact = mpfr_check_range(out, inexact, MPFR_RNDN);
    mpfr_subnormalize(out, inexact, MPFR_RNDN);
    mpfr_set_emin(MPFR_EMIN_DEFAULT);
    mpfr_set_emax(MPFR_EMAX_DEFAULT);
    float result = mpfr_get_flt(out, MPFR_RNDN);
    mpfr_clears(a, b, c, out, (mpfr_ptr)0);
    return result;
}

static float steps_of_polynomial(float x, const float *coefficients, size_t count) {
    float sum = coefficients[0];
    for (size_t i = 1; i < count; i++) sum = step(ADD, step(MULTIPLY, sum, x, 0), coefficients[i], 0);
    return sum;
}

static float steps_of_power(float x) {
    if (isnan(x)) return x;
    if (x > 130) return INFINITY;
    if (x < -160) return 0;
    float n = rintf(x), f = step(ADD, x, -n, 0), sum = approximate_ex2[0];
    for (size_t i = 1; i <= EX2_TERMS; i++) sum = step(FUSE, sum, f, i < EX2_TERMS ? approximate_ex2[i] : 1);
    return (float)ldexp((double)sum, (int)n);
}

static float steps_of_logarithm(float x) {
    int n;
    if (isnan(x) || x < 0) return NAN;
    if (x == 0 || isinf(x)) return x == 0 ? -INFINITY : x;
    float m = (float)frexp((double)x, &n); // in [1/2, 1)
    if (bits_of(m) < APPROXIMATE_LEAST_OF_LOG2) m *= 2, n--;
    float f = step(ADD, m, -1, 0);
    return step(ADD, (float)n, step(MULTIPLY, f, steps_of_polynomial(f, approximate_lg2, LG2_TERMS), 0), 0);
}

static float steps_of_turn(float x, bool cosine) {
    float t = step(MULTIPLY, x, float_of(0x3e22f983), 0);
    float r = fabsf(t) < 0x1p22F ? step(ADD, t, -rintf(t), 0) : step(MULTIPLY, t, 0, 0);
    if (t == 0) r = t; // with its sign
    float s = cosine             ? step(ADD, 0.25F, -fabsf(r), 0)
              : fabsf(r) > 0.25F ? copysignf(step(ADD, 0.5F, -fabsf(r), 0), r)
                                 : r;
    return step(MULTIPLY, s, steps_of_polynomial(step(MULTIPLY, s, s, 0), approximate_sine, SINE_TERMS), 0);
}

static float steps_of_tanh(float x) {
    if (isnan(x) || fabsf(x) < 0x1p-126F) return x;
    if (fabsf(x) > APPROXIMATE_TANH_END) return copysignf(1, x);
    float square = step(MULTIPLY, x, x, 0), over, under;
    over = step(MULTIPLY, steps_of_polynomial(square, approximate_tanh_over, TANH_TERMS), square, 0);
    under = step(MULTIPLY, steps_of_polynomial(square, approximate_tanh_under, TANH_TERMS), square, 0);
    over = step(DIVIDE, step(ADD, over, 1, 0), step(ADD, under, 1, 0), 0);
    mpfr_t rounded; // to 12 bits; ties away from 0, which mpfr_round_nearest_away makes of any function
    mpfr_init2(rounded, 12);
    float product = step(MULTIPLY, x, over, 0);
    mpfr_round_nearest_away(mpfr_set_d, rounded, (double)product);
    product = mpfr_get_flt(rounded, MPFR_RNDN);
    mpfr_clear(rounded);
    return product;
}

static float without_last_bit(float x) {
    return float_of(bits_of(x) & ~UINT32_C(1));
}

static float by_steps(Approximation which, float x, float y) {
    switch (which) {
    case APPROXIMATE_DIV:
    case APPROXIMATE_DIV_FULL: return without_last_bit(step(DIVIDE, x, y, 0));
    case APPROXIMATE_RCP: return without_last_bit(step(DIVIDE, 1, x, 0));
    case APPROXIMATE_SQRT: return without_last_bit(step(ROOT, x, 0, 0));
    case APPROXIMATE_RSQRT: return without_last_bit(step(DIVIDE, 1, step(ROOT, x, 0, 0), 0));
    case APPROXIMATE_EX2: return steps_of_power(x);
    case APPROXIMATE_LG2: return steps_of_logarithm(x);
    case APPROXIMATE_SIN:
    case APPROXIMATE_COS: return steps_of_turn(x, which == APPROXIMATE_COS);
    case APPROXIMATE_TANH: return steps_of_tanh(x);
    case APPROXIMATION_COUNT: break;
    }
    cr_assert_fail("no formula");
    return 0;
}

Test(implementations, formulas_are_as_stated) {
    fill(FPSAN_RULE_COUNT);
    for (unsigned which = 0; which < APPROXIMATION_COUNT; which++)
        for (size_t i = 0; i < COUNT / 4; i++) {
            float x = get(arrays[0], i), y = get(arrays[1], i);
            float got = approximate((Approximation)which, x, y), want = by_steps((Approximation)which, x, y);
            cr_assert(same(got, want), "%s of %a, %a is %a, not %a",
                      approximate_instruction((Approximation)which, false), (double)x, (double)y, (double)got,
                      (double)want);
        }
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

static void exact_value(mpfr_ptr out, FpsanRule rule, float x, float y) {
    mpfr_t a, b;
    mpfr_inits2(24, a, b, (mpfr_ptr)0);
    mpfr_set_flt(a, x, MPFR_RNDN);
    mpfr_set_flt(b, y, MPFR_RNDN);
    switch (rule) {
    case FPSAN_RULE_DIV: mpfr_div(out, a, b, MPFR_RNDN); break;
    case FPSAN_RULE_SQRT: mpfr_sqrt(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_RSQRT: mpfr_rec_sqrt(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_EXP2: mpfr_exp2(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_EXP: mpfr_exp(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_LOG2: mpfr_log2(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_LOG: mpfr_log(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_SIN: mpfr_sin(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_COS: mpfr_cos(out, a, MPFR_RNDN); break;
    case FPSAN_RULE_TANH: mpfr_tanh(out, a, MPFR_RNDN); break;
    default: cr_assert_fail("no reference");
    }
    if (rule == FPSAN_RULE_RSQRT && x == 0) mpfr_set_inf(out, signbit(x) ? -1 : 1); // IEEE 754
    mpfr_clears(a, b, (mpfr_ptr)0);
}

// |got - exact| times 2^scale.
static double distance(float got, mpfr_srcptr exact, long scale) {
    mpfr_t difference;
    mpfr_init2(difference, 128);
    mpfr_set_flt(difference, got, MPFR_RNDN);
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, scale, MPFR_RNDN);
    double result = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return result;
}

// In units in the last place of a float at the exact value; infinity counts as 2^128.
static double error_in_ulps(float got, mpfr_srcptr exact) {
    if (mpfr_nan_p(exact) || isnan(got)) return mpfr_nan_p(exact) && isnan(got) ? 0 : INFINITY;
    if (!!mpfr_signbit(exact) != !!signbit(got)) return INFINITY;
    long exponent = mpfr_zero_p(exact) ? -126 : mpfr_inf_p(exact) ? 128 : mpfr_get_exp(exact) - 1;
    if (exponent >= 128) return isinf(got) ? 0 : INFINITY;
    if (exponent < -126) exponent = -126;
    if (!isinf(got)) return distance(got, exact, 23 - exponent);
    return distance(copysignf(0x1p127F, got), exact, 23 - exponent) >= 0x1p23
               ? INFINITY
               : 0x1p24 * ldexp(1, 127 - (int)exponent) - distance(0, exact, 23 - exponent);
}

// The bounds of section "approximate functions" of docs/numeric-modes.md that are no single number of units.
static bool within_stated(FpsanRule rule, float x, float got, mpfr_srcptr exact) {
    const float magnitude = fabsf(x);
    switch (rule) {
    case FPSAN_RULE_EXP: return error_in_ulps(got, exact) <= 3 + floor(1.173 * fmin((double)magnitude, 104));
    case FPSAN_RULE_LOG2:
        if (x > 0.5F && x < 2) return distance(got, exact, 22) <= 1;
        return error_in_ulps(got, exact) <= 2.5;
    case FPSAN_RULE_LOG:
        if (x >= 0.5F && x <= 2) return distance(got, exact, 0) <= exp2(-21.4);
        return error_in_ulps(got, exact) <= 3.5;
    case FPSAN_RULE_SIN:
    case FPSAN_RULE_COS:
        if (isnan(x) || isinf(x)) return isnan(got);
        if ((double)magnitude > 100 * 3.141592653589793) return fabsf(got) <= 1;
        return distance(got, exact, 0) <= exp2((double)magnitude <= 6.283185307179586 ? -20.5 : -14.7);
    default: return false;
    }
}

static bool has_bound(FpsanRule rule, FloatImplementation kind, double *bound) {
    Implementation found;
    cr_assert(implementation_of(rule, FPSAN_F32, false, kind, &found), "%s", fpsan_rule_info(rule)->name);
    *bound = found.bound;
    return isfinite(found.bound) && rule != FPSAN_RULE_EXP;
}

static void check_bound(Harness *h, const Form *form) {
    const FloatOp *op = &form->op;
    double bound, worst = 0;
    const bool bounded = has_bound(op->rule, op->implementation, &bound);
    mpfr_t exact;
    mpfr_init2(exact, 100);
    run_form(h, form, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        float x = get(arrays[0], i), y = get(arrays[1], i), got = get(results, i);
        if (op->implementation == FLOAT_RECIPROCAL) x = 1;
        exact_value(exact, op->rule, x, y);
        double error = bounded ? error_in_ulps(got, exact) : 0;
        if (error > worst) worst = error;
        cr_assert(bounded ? error <= bound : within_stated(op->rule, x, got, exact), "%s %s of %a, %a is %a: %g ulp",
                  float_implementation_name(op->implementation), fpsan_rule_info(op->rule)->name, (double)x, (double)y,
                  (double)got, error_in_ulps(got, exact));
    }
    // A bound of half of what is stated would be missed: the samples are where functions are far off.
    if (bounded && bound < 100) cr_expect_gt(worst, bound / 4, "%s: %g", fpsan_rule_info(op->rule)->name, worst);
    mpfr_clear(exact);
}

static const struct ApproximateForm double_forms[] = {
    {FPSAN_RULE_RSQRT, FLOAT_BY_DOUBLE},
    {FPSAN_RULE_EXP2, FLOAT_BY_DOUBLE},
    {FPSAN_RULE_EXP, FLOAT_BY_DOUBLE},
    {FPSAN_RULE_TANH, FLOAT_BY_DOUBLE},
};

// Of division in its range, of tangents and powers no bound is stated.
Test(implementations, approximations_and_doubles_are_within_bounds) {
    static Form forms[FORMS_MAX];
    Harness h;
    size_t count = 0;
    harness_open(&h, &numeric_ieee, native_machine());
    for (size_t i = 0; i < BASE_COUNT(approximate_forms) + BASE_COUNT(double_forms); i++) {
        const struct ApproximateForm *form = i < BASE_COUNT(approximate_forms)
                                                 ? &approximate_forms[i]
                                                 : &double_forms[i - BASE_COUNT(approximate_forms)];
        const bool open = form->rule == FPSAN_RULE_TAN || form->rule == FPSAN_RULE_POW ||
                          (form->rule == FPSAN_RULE_DIV && form->kind == FLOAT_APPROXIMATED);
        if (open) continue;
        forms[count] = (Form){.op = float_rule(form->rule, FPSAN_F32), .lanes = 16};
        forms[count].op.implementation = form->kind;
        cr_assert(add_form(&h, &forms[count], count));
        count++;
    }
    harness_finish(&h);
    fill(FPSAN_RULE_COUNT);
    for (size_t i = 0; i < count; i++) check_bound(&h, &forms[i]);
    harness_close(&h);
}

// The exact value in double, whose own error is a billionth of a float's last place; of rules whose bound is no number
// of units. The others: accuracy --floats.
static bool in_double(FpsanRule rule, double x, double *value) {
    switch (rule) {
    case FPSAN_RULE_EXP: *value = exp(x); return true;
    case FPSAN_RULE_LOG2: *value = log2(x); return true;
    case FPSAN_RULE_LOG: *value = log(x); return true;
    case FPSAN_RULE_SIN: *value = sin(x); return fabs(x) <= 100 * 3.141592653589793;
    case FPSAN_RULE_COS: *value = cos(x); return fabs(x) <= 100 * 3.141592653589793;
    default: return false;
    }
}

static void check_every_float(Harness *h, const Form *form, uint64_t stride) {
    static uint32_t operands[COUNT], got[COUNT];
    const FloatOp *op = &form->op;
    double value;
    mpfr_t exact;
    mpfr_init2(exact, 53);
    for (uint64_t start = 0; start >> 32 == 0; start += COUNT * stride) {
        for (size_t k = 0; k < COUNT; k++) operands[k] = (uint32_t)(start + k * stride);
        harness_function(h, form->name)((const void *[]){operands, operands}, got, COUNT / form->lanes);
        for (size_t k = 0; k < COUNT; k++) {
            float x = float_of(operands[k]), y = float_of(got[k]), want = model(op, x, x);
            cr_assert(same(y, want), "%s of %a", fpsan_rule_info(op->rule)->name, (double)x);
            // What is nearly the right number needs no closer look.
            if (!in_double(op->rule, (double)x, &value) || fabs((double)y - value) <= 0x1p-24 * fabs(value)) continue;
            mpfr_set_d(exact, value, MPFR_RNDN);
            cr_assert(within_stated(op->rule, x, y, exact), "%s of %a is %a", fpsan_rule_info(op->rule)->name,
                      (double)x, (double)y);
        }
    }
    mpfr_clear(exact);
}

// Floats all over, in the functions of one operand: what is emitted is the scalar code, within its bounds.
Test(implementations, millions_of_floats) {
    static Form forms[FORMS_MAX];
    Harness h;
    harness_open(&h, &numeric_ieee, native_machine());
    const size_t count = list_forms(forms, 16);
    for (size_t i = 0; i < count; i++) cr_assert(add_form(&h, &forms[i], i));
    harness_finish(&h);
    for (size_t i = 0; i < count; i++) {
        const FloatOp *op = &forms[i].op;
        if (op->flush_to_zero || (fpsan_rule_info(op->rule)->operands > 1 && op->implementation != FLOAT_RECIPROCAL))
            continue;
        check_every_float(&h, &forms[i], 61);
    }
    harness_close(&h);
}

// ---- flush_to_zero --------------------------------------------------------------------------------------------------

static const FpsanRule flushing_rules[] = {
    FPSAN_RULE_ADD,  FPSAN_RULE_SUB,   FPSAN_RULE_MUL,   FPSAN_RULE_DIV,  FPSAN_RULE_FMA,   FPSAN_RULE_SQRT,
    FPSAN_RULE_MIN,  FPSAN_RULE_MAX,   FPSAN_RULE_NEG,   FPSAN_RULE_ABS,  FPSAN_RULE_FLOOR, FPSAN_RULE_CEIL,
    FPSAN_RULE_REM,  FPSAN_RULE_EXP2,  FPSAN_RULE_EXP,   FPSAN_RULE_LOG2, FPSAN_RULE_LOG,   FPSAN_RULE_SIN,
    FPSAN_RULE_COS,  FPSAN_RULE_TAN,   FPSAN_RULE_SINH,  FPSAN_RULE_COSH, FPSAN_RULE_TANH,  FPSAN_RULE_POW,
    FPSAN_RULE_POWI, FPSAN_RULE_ATAN2, FPSAN_RULE_RSQRT,
};

// What the processor computes; false: it does not have the rule.
static bool arithmetic(FpsanRule rule, const float *x, float *result) {
    switch (rule) {
    case FPSAN_RULE_ADD: *result = x[0] + x[1]; return true;
    case FPSAN_RULE_SUB: *result = x[0] - x[1]; return true;
    case FPSAN_RULE_MUL: *result = x[0] * x[1]; return true;
    case FPSAN_RULE_DIV: *result = x[0] / x[1]; return true;
    case FPSAN_RULE_FMA: *result = fmaf(x[0], x[1], x[2]); return true;
    case FPSAN_RULE_SQRT: *result = sqrtf(x[0]); return true;
    case FPSAN_RULE_NEG: *result = -x[0]; return true;
    case FPSAN_RULE_ABS: *result = fabsf(x[0]); return true;
    case FPSAN_RULE_FLOOR: *result = floorf(x[0]); return true;
    case FPSAN_RULE_CEIL: *result = ceilf(x[0]); return true;
    case FPSAN_RULE_REM: *result = fmodf(x[0], x[1]); return true;
    default: return false;
    }
}

// Sums, products and quotients that are subnormal, beside what `fill` makes.
static void fill_small(FpsanRule rule) {
    uint64_t state = 3;
    fill(rule);
    for (size_t i = 0; i < COUNT && rule != FPSAN_RULE_POWI; i += 3) {
        float x = float_of((uint32_t)random_bits(&state)), near = (float)(1 + (double)(random_bits(&state) % 64) / 64);
        uint32_t sign = random_bits(&state) & 1 ? 0x80000000 : 0;
        if (!isnormal(x)) continue;
        float other = rule == FPSAN_RULE_MUL || rule == FPSAN_RULE_FMA ? near * 0x1p-127F / x
                      : rule == FPSAN_RULE_DIV                         ? x / (near * 0x1p-127F)
                                                                       : x * near;
        if (rule == FPSAN_RULE_ADD || rule == FPSAN_RULE_SUB)
            x = float_of((bits_of(x) & 0x007fffff) | 0x01000000), other = -x * near;
        store_element(arrays[0], 32, i, bits_of(x));
        store_element(arrays[1], 32, i, bits_of(other) ^ sign);
        if (rule == FPSAN_RULE_FMA) store_element(arrays[2], 32, i, sign);
    }
}

static void check_flushing(Harness *h, const Form *flushing, const Form *plain) {
    const FpsanRule rule = flushing->op.rule;
    static uint64_t flushed[COUNT];
    size_t operands = 0, outcomes = 0;
    fill_small(rule);
    run_form(h, flushing, COUNT);
    memcpy(flushed, results, sizeof flushed);
    for (size_t i = 0; i < COUNT; i++)
        for (unsigned k = 0; k < 3; k++) {
            if (rule == FPSAN_RULE_POWI && k == 1) continue;
            float x = get(arrays[k], i), zero = approximate_flush(x);
            operands += !same(x, zero);
            store_element(arrays[k], 32, i, bits_of(zero));
        }
    run_form(h, plain, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        float x[3] = {get(arrays[0], i), get(arrays[1], i), get(arrays[2], i)}, computed, got = get(flushed, i);
        float before = get(results, i), want = approximate_flush(before);
        outcomes += !same(before, want);
        cr_assert(same(got, want), "%s ftz of %a, %a, %a is %a, not %a", fpsan_rule_info(rule)->name, (double)x[0],
                  (double)x[1], (double)x[2], (double)got, (double)want);
        if (arithmetic(rule, x, &computed)) cr_assert(same(got, approximate_flush(computed)));
    }
    cr_expect_gt(operands, COUNT / 20);
    bool can_be_small = rule == FPSAN_RULE_ADD || rule == FPSAN_RULE_SUB || rule == FPSAN_RULE_MUL ||
                        rule == FPSAN_RULE_DIV || rule == FPSAN_RULE_FMA || rule == FPSAN_RULE_EXP2;
    if (can_be_small) cr_expect_gt(outcomes, 10, "%s: %zu", fpsan_rule_info(rule)->name, outcomes);
}

// Subnormal operands are zeros of their sign, then the op, then its subnormal results are.
Test(implementations, every_op_flushes) {
    static Form flushing[FORMS_MAX], plain[FORMS_MAX];
    Harness h;
    harness_open(&h, &numeric_ieee, native_machine());
    for (size_t i = 0; i < BASE_COUNT(flushing_rules); i++) {
        plain[i] = flushing[i] = (Form){.op = float_rule(flushing_rules[i], FPSAN_F32), .lanes = i % 2 ? 16 : 0};
        flushing[i].op.flush_to_zero = true;
        cr_assert(add_form(&h, &flushing[i], i) && add_form(&h, &plain[i], 100 + i));
    }
    harness_finish(&h);
    for (size_t i = 0; i < BASE_COUNT(flushing_rules); i++) check_flushing(&h, &flushing[i], &plain[i]);
    harness_close(&h);
}

static LLVMValueRef emit_comparison(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    NumericValue a = cx->numeric->from_bits(cx, FPSAN_F32, inputs[0]),
                 b = cx->numeric->from_bits(cx, FPSAN_F32, inputs[1]), result;
    if (!cx->numeric->compare(cx, data, &a, &b, &result)) return NULL;
    return LLVMBuildZExt(cx->builder, result.parts[0], LLVMInt8TypeInContext(cx->context), "");
}

static LLVMValueRef emit_conversion(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const FloatOp *op = data;
    NumericValue x = cx->numeric->from_bits(cx, op->operand, inputs[0]), result;
    return cx->numeric->convert(cx, op, &x, &result) ? cx->numeric->to_bits(cx, op->result, &result) : NULL;
}

Test(implementations, comparisons_and_conversions_flush) {
    static const float numbers[] = {
        0,          -0.F,       0x1p-149F,       -0x1p-149F, 0x1.fffffcp-127F, -0x1.fffffcp-127F, 0x1p-126F,
        -0x1p-126F, (float)NAN, (float)INFINITY, 1};
    static const double doubles[] = {0x1p-127, -0x1p-140,  0x1.ffffffp-127,   0x1.fffffefp-127,
                                     0x1p-126, 0x1.8p-126, -0x1.fffffefp-127, 1.5,
                                     -0.,      0x1p-1060};
    enum { NUMBERS = BASE_COUNT(numbers), DOUBLES = BASE_COUNT(doubles) };
    FloatOp less = {.operand = FPSAN_F32, .predicate = FPSAN_LESS_THAN, .flush_to_zero = true}, equal = less;
    FloatOp widen = float_conversion(FPSAN_F32, FPSAN_F64), narrow = float_conversion(FPSAN_F64, FPSAN_F32), up;
    Harness h;
    uint32_t a[NUMBERS * NUMBERS], b[NUMBERS * NUMBERS], narrowed[DOUBLES];
    uint8_t first[NUMBERS * NUMBERS], second[NUMBERS * NUMBERS];
    double widened[NUMBERS];
    equal.predicate = FPSAN_EQUAL;
    widen.flush_to_zero = narrow.flush_to_zero = true;
    up = narrow;
    up.rounding = FPSAN_TOWARD_POSITIVE;
    harness_open(&h, &numeric_ieee, native_machine());
    cr_assert(harness_add(&h, "less", 0, 2, (unsigned[]){32, 32}, 8, emit_comparison, &less));
    cr_assert(harness_add(&h, "equal", 0, 2, (unsigned[]){32, 32}, 8, emit_comparison, &equal));
    cr_assert(harness_add(&h, "widen", 0, 1, (unsigned[]){32}, 64, emit_conversion, &widen));
    cr_assert(harness_add(&h, "narrow", 0, 1, (unsigned[]){64}, 32, emit_conversion, &narrow));
    cr_assert(harness_add(&h, "up", 0, 1, (unsigned[]){64}, 32, emit_conversion, &up));
    harness_finish(&h);
    for (size_t i = 0; i < NUMBERS * NUMBERS; i++)
        a[i] = bits_of(numbers[i / NUMBERS]), b[i] = bits_of(numbers[i % NUMBERS]);
    harness_function(&h, "less")((const void *[]){a, b}, first, NUMBERS * NUMBERS);
    harness_function(&h, "equal")((const void *[]){a, b}, second, NUMBERS * NUMBERS);
    for (size_t i = 0; i < NUMBERS * NUMBERS; i++) {
        float x = approximate_flush(float_of(a[i])), y = approximate_flush(float_of(b[i]));
        cr_expect_eq(first[i], x < y, "%a < %a", (double)float_of(a[i]), (double)float_of(b[i]));
        cr_expect_eq(second[i], x == y, "%a = %a", (double)float_of(a[i]), (double)float_of(b[i]));
    }
    harness_function(&h, "widen")((const void *[]){numbers}, widened, NUMBERS);
    for (size_t i = 0; i < NUMBERS; i++) {
        double want = (double)approximate_flush(numbers[i]);
        cr_expect(isnan(want) ? isnan(widened[i]) : !memcmp(&want, &widened[i], sizeof want), "%a", widened[i]);
    }
    harness_function(&h, "narrow")((const void *[]){doubles}, narrowed, DOUBLES);
    for (size_t i = 0; i < DOUBLES; i++)
        cr_expect(same(float_of(narrowed[i]), approximate_flush((float)doubles[i])), "%a", doubles[i]);
    harness_function(&h, "up")((const void *[]){doubles}, narrowed, DOUBLES);
    for (size_t i = 0; i < DOUBLES; i++) {
        float to_nearest = (float)doubles[i];
        float above = (double)to_nearest < doubles[i] ? nextafterf(to_nearest, INFINITY) : to_nearest;
        cr_expect(same(float_of(narrowed[i]), approximate_flush(above)), "%a", doubles[i]);
    }
    harness_close(&h);
}

// ---- what is refused ------------------------------------------------------------------------------------------------

Test(implementations, others_are_refused) {
    static const struct {
        FloatOp op;
        const char *message;
    } rows[] = {
        {{.rule = FPSAN_RULE_FLOOR, .operand = FPSAN_F32, .result = FPSAN_F32, .implementation = FLOAT_APPROXIMATED},
         "'test': floor of f32, rounded nearest_even, has no approximate implementation"},
        {{.rule = FPSAN_RULE_SIN, .operand = FPSAN_F64, .result = FPSAN_F64, .implementation = FLOAT_APPROXIMATED},
         "'test': sin of f64, rounded nearest_even, has no approximate implementation"},
        {{.rule = FPSAN_RULE_SIN, .operand = FPSAN_F32, .result = FPSAN_F32, .implementation = FLOAT_BY_DOUBLE},
         "'test': sin of f32, rounded nearest_even, has no double implementation"},
        {{.rule = FPSAN_RULE_DIV,
          .operand = FPSAN_F32,
          .result = FPSAN_F32,
          .rounding = FPSAN_TOWARD_ZERO,
          .implementation = FLOAT_FULL_RANGE_DIVISION},
         "'test': div of f32, rounded zero, has no full range implementation"},
        {{.rule = FPSAN_RULE_NEG, .operand = FPSAN_F16, .result = FPSAN_F16, .flush_to_zero = true},
         "'test': flush_to_zero is for f32, not for f16"},
    };
    Harness h;
    harness_open(&h, &numeric_ieee, native_machine());
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Form form = {.op = rows[i].op};
        size_t before = h.diagnostics.count;
        cr_expect_not(add_form(&h, &form, i));
        cr_assert_eq(h.diagnostics.count, before + 1);
        cr_expect_str_eq(h.diagnostics.items[before].message, rows[i].message);
    }
    FloatOp half = float_conversion(FPSAN_F32, FPSAN_F16);
    half.flush_to_zero = true;
    size_t before = h.diagnostics.count;
    cr_expect_not(harness_add(&h, "half", 0, 1, (unsigned[]){32}, 16, emit_conversion, &half));
    cr_assert_eq(h.diagnostics.count, before + 1);
    cr_expect_str_eq(h.diagnostics.items[before].message,
                     "'test': flush_to_zero is for conversions between f32 and f64, not from f32 to f16");
    harness_close(&h);
}

// Each row is that of a rule that `ieee` has, and choosing takes the cheapest that meets the limit.
Test(implementations, choosing) {
    static const struct {
        ImplementationQuery query;
        FloatImplementation kind;
        bool found;
        const char *name;
    } rows[] = {
        {{FPSAN_RULE_SQRT, FPSAN_F32, true, false, true, 2}, FLOAT_APPROXIMATED, true, "sqrt.approx"},
        {{FPSAN_RULE_SQRT, FPSAN_F32, true, false, true, 0.5}, FLOAT_EXACT, true, "sqrt.rn"},
        {{FPSAN_RULE_SQRT, FPSAN_F32, true, false, false, 2}, FLOAT_EXACT, true, "sqrt.rn"},
        {{FPSAN_RULE_SIN, FPSAN_F32, true, false, true, 0.5}, FLOAT_BY_DOUBLE, false, "__nv_sin"},
        {{FPSAN_RULE_SIN, FPSAN_F32, true, false, true, 1}, FLOAT_BY_DOUBLE, true, "__nv_sin"},
        {{FPSAN_RULE_SIN, FPSAN_F32, true, false, true, 1000}, FLOAT_EXACT, true, "__nv_sinf"},
        {{FPSAN_RULE_SIN, FPSAN_F16, true, false, true, 1}, FLOAT_EXACT, true, "__nv_sinf"},
        {{FPSAN_RULE_SIN, FPSAN_F32, false, false, true, 0.51}, FLOAT_EXACT, true, "double"},
        {{FPSAN_RULE_DIV, FPSAN_F32, false, false, true, 2}, FLOAT_EXACT, true, "div"},
        {{FPSAN_RULE_DIV, FPSAN_F32, false, true, true, 2}, FLOAT_RECIPROCAL, true, "short quotient"},
        {{FPSAN_RULE_DIV, FPSAN_F32, true, false, true, 2.5}, FLOAT_FULL_RANGE_DIVISION, true, "div.full"},
        {{FPSAN_RULE_DIV, FPSAN_BF16, true, false, true, 0.5}, FLOAT_EXACT, true, "div.rn"},
        {{FPSAN_RULE_EXP, FPSAN_F32, false, false, true, 0.6}, FLOAT_BY_DOUBLE, true, "double"},
        {{FPSAN_RULE_EXP, FPSAN_F32, false, false, true, 124}, FLOAT_APPROXIMATED, true, "short polynomial"},
        {{FPSAN_RULE_EXP, FPSAN_F64, true, false, true, 1}, FLOAT_EXACT, false, "__nv_exp"},
        {{FPSAN_RULE_ADD, FPSAN_F64, true, false, true, 0.5}, FLOAT_EXACT, true, "correctly rounded"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Implementation found;
        cr_expect_eq(implementation_choose(&rows[i].query, &found), rows[i].found, "row %zu", i);
        cr_expect_eq(found.kind, rows[i].kind, "row %zu", i);
        cr_expect_str_eq(found.name, rows[i].name, "row %zu", i);
    }
}

// ---- payloads -------------------------------------------------------------------------------------------------------

// A form in `shadow`, or `payload`, on floats with payloads of their own: outputs are the parts of the result.
enum { SHADOW_WORDS = TOWER_LENGTH + 2, SHADOW_INPUTS = 3 * SHADOW_WORDS };

static bool emit_shadow(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const FloatOp *op = &((const Form *)data)->op;
    NumericValue operands[3], result;
    const unsigned count = fpsan_rule_info(op->rule)->operands;
    for (unsigned k = 0; k < count; k++) {
        operands[k] = numeric_ieee.from_bits(cx, FPSAN_F32, inputs[k * SHADOW_WORDS]);
        for (unsigned p = 1; p < SHADOW_WORDS; p++) operands[k].parts[p] = inputs[k * SHADOW_WORDS + p];
    }
    if (op->rule == FPSAN_RULE_POWI) operands[1] = (NumericValue){.parts = {inputs[SHADOW_WORDS]}};
    if (!cx->numeric->apply(cx, op, operands, count, &result)) return false;
    outputs[0] = cx->numeric->to_bits(cx, FPSAN_F32, &result);
    for (unsigned p = 1; p < SHADOW_WORDS; p++) outputs[p] = result.parts[p];
    return true;
}

static void add_shadow(Harness *h, Form *form, size_t number) {
    unsigned inputs[SHADOW_INPUTS], outputs[SHADOW_WORDS];
    for (unsigned i = 0; i < SHADOW_INPUTS; i++) inputs[i] = 32;
    for (unsigned i = 0; i < SHADOW_WORDS; i++) outputs[i] = 32;
    snprintf(form->name, sizeof form->name, "form%zu", number);
    cr_assert(harness_add_many(h, form->name, 0, fpsan_rule_info(form->op.rule)->operands * SHADOW_WORDS, inputs,
                               SHADOW_WORDS, outputs, emit_shadow, form));
}

enum { SHADOWED = 512 };
static uint32_t shadow_inputs[SHADOW_INPUTS][SHADOWED];

static void run_shadow(Harness *h, const Form *form, uint32_t (*outputs)[SHADOWED]) {
    const void *inputs[SHADOW_INPUTS];
    void *results_of[SHADOW_WORDS];
    for (unsigned i = 0; i < SHADOW_INPUTS; i++) inputs[i] = shadow_inputs[i];
    for (unsigned i = 0; i < SHADOW_WORDS; i++) results_of[i] = outputs[i];
    harness_function(h, form->name)(inputs, results_of, SHADOWED);
}

// A state that does not say whether an exponential is 0 as a number, which flushing makes of small ones.
static uint32_t without_vanished(unsigned part, uint32_t word) {
    return part == SHADOW_WORDS - 1 ? word & ~(uint32_t)TOWER_VANISHED : word;
}

// Numbers are those of `ieee` with the same implementation. Payloads are those of the exact op, but for what numbers
// decide: the integers that floor and ceil make, and remainders, maxima and minima of numbers that were flushed.
Test(implementations, payloads_are_untouched) {
    static Form plain[FORMS_MAX], said[FORMS_MAX], numbers[FORMS_MAX];
    static uint32_t exact[SHADOW_WORDS][SHADOWED], got[SHADOW_WORDS][SHADOWED], ieee[SHADOWED];
    size_t count = list_forms(said, 0);
    for (size_t i = 0; i < BASE_COUNT(flushing_rules); i++) {
        said[count] = (Form){.op = float_rule(flushing_rules[i], FPSAN_F32)};
        said[count++].op.flush_to_zero = true;
    }
    cr_assert_leq(count, FORMS_MAX);
    Harness shadow, real;
    harness_open(&shadow, &numeric_shadow, native_machine());
    harness_open(&real, &numeric_ieee, native_machine());
    for (size_t i = 0; i < count; i++) {
        numbers[i] = said[i];
        plain[i] = (Form){.op = float_rule(said[i].op.rule, FPSAN_F32)};
        add_shadow(&shadow, &said[i], i);
        add_shadow(&shadow, &plain[i], 1000 + i);
        cr_assert(add_form(&real, &numbers[i], i));
    }
    harness_finish(&shadow);
    harness_finish(&real);
    uint64_t state = 5;
    for (size_t i = 0; i < SHADOWED; i++)
        for (unsigned k = 0; k < 3; k++) {
            shadow_inputs[k * SHADOW_WORDS][i] = bits_of(operand(80 + i + k, &state));
            for (unsigned c = 0; c < TOWER_LENGTH; c++)
                shadow_inputs[k * SHADOW_WORDS + 1 + c][i] = (uint32_t)(random_bits(&state) % 1000) + 2;
            shadow_inputs[k * SHADOW_WORDS + 1 + TOWER_LENGTH][i] = 0;
        }
    for (size_t i = 0; i < count; i++) {
        const FpsanRule rule = said[i].op.rule;
        const bool decided = rule == FPSAN_RULE_FLOOR || rule == FPSAN_RULE_CEIL || rule == FPSAN_RULE_REM ||
                             rule == FPSAN_RULE_MIN || rule == FPSAN_RULE_MAX;
        uint32_t integers[SHADOWED];
        memcpy(integers, shadow_inputs[SHADOW_WORDS], sizeof integers);
        for (size_t k = 0; rule == FPSAN_RULE_POWI && k < SHADOWED; k++)
            shadow_inputs[SHADOW_WORDS][k] = shadow_inputs[SHADOW_WORDS][k] % 16;
        run_shadow(&shadow, &plain[i], exact);
        run_shadow(&shadow, &said[i], got);
        harness_function(&real, numbers[i].name)(
            (const void *[]){shadow_inputs[0], shadow_inputs[SHADOW_WORDS], shadow_inputs[2 * SHADOW_WORDS]}, ieee,
            SHADOWED);
        memcpy(shadow_inputs[SHADOW_WORDS], integers, sizeof integers);
        for (size_t k = 0; k < SHADOWED; k++) {
            cr_assert(same(float_of(got[0][k]), float_of(ieee[k])), "%s", fpsan_rule_info(rule)->name);
            for (unsigned p = 1; !decided && p < SHADOW_WORDS; p++)
                cr_assert_eq(without_vanished(p, got[p][k]), without_vanished(p, exact[p][k]),
                             "%s %s%s of %a, %a: part %u is %#x, not %#x",
                             float_implementation_name(said[i].op.implementation), fpsan_rule_info(rule)->name,
                             said[i].op.flush_to_zero ? " ftz" : "", (double)float_of(shadow_inputs[0][k]),
                             (double)float_of(shadow_inputs[SHADOW_WORDS][k]), p, got[p][k], exact[p][k]);
        }
    }
    harness_close(&shadow);
    harness_close(&real);
}

// In the ring nothing of this changes anything: also not where the op has no such implementation.
Test(implementations, the_ring_knows_none_of_this) {
    static Form forms[3];
    static uint64_t exact[COUNT];
    Harness h;
    harness_open(&h, &numeric_payload, native_machine());
    for (size_t i = 0; i < BASE_COUNT(forms); i++) {
        forms[i] = (Form){.op = float_rule(FPSAN_RULE_EXP, FPSAN_F32), .lanes = 16};
        forms[i].op.implementation = i == 1 ? FLOAT_APPROXIMATED : FLOAT_EXACT;
        forms[i].op.flush_to_zero = i == 2;
        cr_assert(add_form(&h, &forms[i], i));
    }
    harness_finish(&h);
    fill(FPSAN_RULE_COUNT);
    for (size_t i = 0; i < BASE_COUNT(forms); i++) {
        run_form(&h, &forms[i], COUNT);
        if (i) cr_expect_arr_eq(results, exact, COUNT * sizeof(float));
        memcpy(exact, results, sizeof exact);
    }
    harness_close(&h);
}

// What one op has flushed, the next does not flush again: of a * b + c, operands three times and results twice.
Test(implementations, nothing_is_flushed_twice) {
    Harness h;
    harness_open(&h, &numeric_ieee, native_machine());
    FloatOp product = float_rule(FPSAN_RULE_MUL, FPSAN_F32), sum = float_rule(FPSAN_RULE_ADD, FPSAN_F32);
    product.flush_to_zero = sum.flush_to_zero = true;
    for (unsigned lanes = 0; lanes <= 16; lanes += 16) {
        LLVMTypeRef type = vector_type(LLVMFloatTypeInContext(h.cx.context), lanes), types[] = {type, type, type};
        LLVMValueRef function =
            LLVMAddFunction(h.cx.module, lanes ? "lanes" : "scalar", LLVMFunctionType(type, types, 3, false));
        LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(h.cx.context, function, "");
        LLVMPositionBuilderAtEnd(h.cx.builder, block);
        NumericValue x[3], result;
        for (unsigned i = 0; i < 3; i++) x[i] = (NumericValue){.parts = {LLVMGetParam(function, i)}};
        cr_assert(numeric_ieee.apply(&h.cx, &product, x, 2, &result));
        cr_assert(numeric_ieee.apply(&h.cx, &sum, (NumericValue[]){result, x[2]}, 2, &result));
        LLVMBuildRet(h.cx.builder, result.parts[0]);
        unsigned flushes = 0;
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            flushes += LLVMIsASelectInst(at) != NULL;
        cr_expect_eq(flushes, 5, "%u lanes: %u", lanes, flushes);
    }
    harness_finish(&h);
    harness_close(&h);
}

// Bounds of libdevice's functions are the maximal errors of CUDA's programming guide, which counts from the correctly
// rounded result, and a half; each function of floats is there in doubles, too.
Test(implementations, bounds_of_libdevice) {
    static const struct {
        FpsanRule rule;
        unsigned single, wide; // 0: this project's own code
    } rows[] = {
        {FPSAN_RULE_EXP, 0, 1},  {FPSAN_RULE_EXP2, 0, 1}, {FPSAN_RULE_LOG, 1, 1},   {FPSAN_RULE_LOG2, 1, 1},
        {FPSAN_RULE_SIN, 2, 2},  {FPSAN_RULE_COS, 2, 2},  {FPSAN_RULE_TAN, 4, 2},   {FPSAN_RULE_SINH, 3, 2},
        {FPSAN_RULE_COSH, 2, 1}, {FPSAN_RULE_POW, 4, 2},  {FPSAN_RULE_ATAN2, 3, 2}, {FPSAN_RULE_TANH, 0, 0},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        char wide[MACHINE_NAME_SIZE], single[MACHINE_NAME_SIZE];
        const char *library = fpsan_rule_info(rows[i].rule)->library;
        Implementation found;
        machine_libdevice(library, false, (MachineKeys){0}, wide);
        machine_libdevice(library, true, (MachineKeys){0}, single);
        cr_assert(implementation_of(rows[i].rule, FPSAN_F32, true, FLOAT_EXACT, &found), "%s", library);
        cr_expect_eq(found.bound, rows[i].single ? rows[i].single + 0.5 : 1, "%s: %g", library, found.bound);
        cr_expect_str_eq(found.name, rows[i].single ? single : "polynomial");
        cr_assert(implementation_of(rows[i].rule, FPSAN_F64, true, FLOAT_EXACT, &found), "%s", library);
        cr_expect_eq(found.bound, rows[i].wide ? rows[i].wide + 0.5 : 1, "%s: %g", library, found.bound);
        cr_expect_str_eq(found.name, rows[i].wide ? wide : "polynomial");
        cr_assert(implementation_of(rows[i].rule, FPSAN_F32, true, FLOAT_BY_DOUBLE, &found), "%s", library);
        cr_expect_eq(found.bound, 0.51, "%s: %g", library, found.bound);
        cr_expect_str_eq(found.name, rows[i].wide ? wide : "double");
        // On processors all of f64, and by doubles what is not so already.
        cr_assert(implementation_of(rows[i].rule, FPSAN_F64, false, FLOAT_EXACT, &found), "%s", library);
        cr_expect_eq(implementation_of(rows[i].rule, FPSAN_F32, false, FLOAT_BY_DOUBLE, &found), !rows[i].single, "%s",
                     library);
    }
}

// Every approximate form is a row, with the bound that NVIDIA states for the instruction.
Test(implementations, bounds_of_instructions) {
    static const double bounds[] = {INFINITY, 1.5,      2.5,      1.5,      2.5,      2.5,  124,
                                    INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 8193, INFINITY};
    _Static_assert(BASE_COUNT(bounds) == BASE_COUNT(approximate_forms), "one for each");
    for (size_t i = 0; i < BASE_COUNT(bounds); i++)
        for (unsigned gpu = 0; gpu < 2; gpu++) {
            Implementation found;
            const FpsanRule rule = approximate_forms[i].rule;
            cr_assert(implementation_of(rule, FPSAN_F32, gpu, approximate_forms[i].kind, &found));
            cr_expect_eq(found.bound, bounds[i], "%s: %g", fpsan_rule_info(rule)->name, found.bound);
            cr_assert(implementation_of(rule, FPSAN_F16, gpu, approximate_forms[i].kind, &found));
            cr_expect_eq(found.bound, 0.5 + bounds[i] / 8192, "%s", fpsan_rule_info(rule)->name);
            cr_expect_not(implementation_of(rule, FPSAN_F64, gpu, approximate_forms[i].kind, &found));
        }
}
