// SPDX-License-Identifier: Apache-2.0
// Functions of `ieee` that kernels call by name (sanitizer/format/functions.def) and that are no rules: by LLVM's
// intrinsics, the C library's functions on doubles, or formulas on doubles; results of floats are rounded once more.
// On GPUs libdevice's, but for formulas.
//
// f32 is within half an ulp and a trifle; f64 within what glibc's libm states, formulas within a few ulps, where
// results are not near to zeros of theirs (tests/cases/expect_own.py).
#include "compiler/numeric/numeric_internal.h"

#include <string.h>

// How doubles are computed.
typedef struct Doubles {
    const NumericContext *cx;
    bool near; // the result is rounded to fewer bits
} Doubles;

static LLVMValueRef real(LLVMValueRef like, double value) {
    return vector_real_like(like, vector_element(LLVMTypeOf(like)), value);
}

static LLVMValueRef call_of(const Doubles *d, const char *name, const LLVMValueRef *x, unsigned count) {
    const FloatOp op = float_rule(FPSAN_RULE_EXTERN, FPSAN_F64);
    if (!d->cx->machine.has_libdevice) return ieee_library(d->cx, name, d->near, x, count);
    return ieee_device(d->cx, &op, name, LLVMDoubleTypeInContext(d->cx->context), x, count);
}

static LLVMValueRef call(const Doubles *d, const char *name, LLVMValueRef x) {
    return call_of(d, name, &x, 1);
}

static LLVMValueRef subtract(const Doubles *d, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildFSub(d->cx->builder, x, y, "");
}

static LLVMValueRef multiply(const Doubles *d, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildFMul(d->cx->builder, x, y, "");
}

static LLVMValueRef divide(const Doubles *d, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildFDiv(d->cx->builder, x, y, "");
}

static LLVMValueRef scale(const Doubles *d, LLVMValueRef x, double factor) {
    return multiply(d, x, real(x, factor));
}

static LLVMValueRef multiply_add(const Doubles *d, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z) {
    return vector_intrinsic(d->cx, "llvm.fma", (LLVMValueRef[]){x, y, z}, 3);
}

static LLVMValueRef intrinsic(const Doubles *d, const char *name, LLVMValueRef x) {
    return vector_intrinsic(d->cx, name, &x, 1);
}

static LLVMValueRef with_sign(const Doubles *d, LLVMValueRef size, LLVMValueRef sign) {
    return vector_intrinsic(d->cx, "llvm.copysign", (LLVMValueRef[]){size, sign}, 2);
}

// x < y ? a : b
static LLVMValueRef less(const Doubles *d, LLVMValueRef x, LLVMValueRef y, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(d->cx->builder, LLVMBuildFCmp(d->cx->builder, LLVMRealOLT, x, y, ""), a, b, "");
}

// ---- norms and roots ------------------------------------------------------------------------------------------------

// The C library's hypot neither overflows nor underflows on the way.
static LLVMValueRef norm(const Doubles *d, const LLVMValueRef *x, unsigned count) {
    LLVMValueRef sum = x[0];
    for (unsigned i = 1; i < count; i++) sum = call_of(d, "hypot", (LLVMValueRef[]){sum, x[i]}, 2);
    return sum;
}

static LLVMValueRef formula_norm(const Doubles *d, const LLVMValueRef *x, unsigned count) {
    return norm(d, x, count);
}

static LLVMValueRef formula_rnorm(const Doubles *d, const LLVMValueRef *x, unsigned count) {
    return divide(d, real(x[0], 1), norm(d, x, count));
}

static LLVMValueRef formula_rcbrt(const Doubles *d, const LLVMValueRef *x, unsigned count) {
    (void)count;
    return divide(d, real(x[0], 1), call(d, "cbrt", x[0]));
}

// ---- multiples of pi ------------------------------------------------------------------------------------------------

static const double pi = 0x1.921fb54442d18p1;

// x - 2 floor(x / 2 + 1/2): from -1 to 1 or hardly more, and exact.
static LLVMValueRef part_of_turn(const Doubles *d, LLVMValueRef x) {
    LLVMValueRef turns = intrinsic(d, "llvm.floor", multiply_add(d, x, real(x, 0.5), real(x, 0.5)));
    return multiply_add(d, turns, real(x, -2), x);
}

// sin(pi r) = sin(pi (1 - r)), so that the sine is of a quarter of a turn at most. A zero has the sign of x.
static LLVMValueRef formula_sinpi(const Doubles *d, const LLVMValueRef *x, unsigned count) {
    (void)count;
    LLVMValueRef r = part_of_turn(d, x[0]), size = intrinsic(d, "llvm.fabs", r);
    LLVMValueRef rest = subtract(d, real(r, 1), size);
    size = less(d, real(r, 0.5), size, rest, size);
    LLVMValueRef sine = with_sign(d, call(d, "sin", scale(d, size, pi)), r);
    LLVMValueRef is_zero = LLVMBuildFCmp(d->cx->builder, LLVMRealOEQ, size, real(r, 0), "");
    return LLVMBuildSelect(d->cx->builder, is_zero, with_sign(d, size, x[0]), sine, "");
}

// cos(pi r) = sin(pi (1/2 - r)), which is exact where the cosine is small.
static LLVMValueRef formula_cospi(const Doubles *d, const LLVMValueRef *x, unsigned count) {
    (void)count;
    LLVMValueRef size = intrinsic(d, "llvm.fabs", part_of_turn(d, x[0]));
    LLVMValueRef cosine = call(d, "cos", scale(d, size, pi));
    LLVMValueRef sine = call(d, "sin", scale(d, subtract(d, real(size, 0.5), size), pi));
    return less(d, size, real(size, 0.25), cosine, sine);
}

// ---- error functions ------------------------------------------------------------------------------------------------

static const double root_pi = 0x1.c5bf891b4ef6bp0, root_half = 0x1.6a09e667f3bcdp-1, root_2 = 0x1.6a09e667f3bcdp0;

// e^(x^2) erfc(x). The square in two parts, so that its error does not grow in the power. From 25 on the series
// (1 - 1/(2x^2) + 3/(2x^2)^2 - ..) / (x sqrt(pi)), whose eighth term is below 2^-54.
static LLVMValueRef formula_erfcx(const Doubles *d, const LLVMValueRef *operands, unsigned count) {
    (void)count;
    LLVMValueRef x = operands[0], one = real(x, 1), bound = real(x, 25);
    LLVMValueRef square = multiply(d, x, x);
    LLVMValueRef minus = LLVMBuildFNeg(d->cx->builder, square, ""), rest = multiply_add(d, x, x, minus);
    LLVMValueRef power = call(d, "exp", square);
    LLVMValueRef corrected = multiply_add(d, power, rest, power);
    // An infinite power has no rest.
    corrected = less(d, power, real(x, __builtin_inf()), corrected, power);
    LLVMValueRef product = multiply(d, corrected, call(d, "erfc", x));
    LLVMValueRef step = divide(d, real(x, -0.5), square), sum = one;
    for (int k = 7; k > 0; k--) sum = multiply_add(d, scale(d, step, 2 * k - 1), sum, one);
    LLVMValueRef series = divide(d, sum, scale(d, x, root_pi));
    return less(d, bound, x, series, product);
}

static LLVMValueRef formula_normcdf(const Doubles *d, const LLVMValueRef *x, unsigned count) {
    (void)count;
    return scale(d, call(d, "erfc", scale(d, x[0], -root_half)), 0.5);
}

// The y with erf(y) = t, for |t| <= 1/2: Newton's method from the first terms of the series.
static LLVMValueRef inverse_near_0(const Doubles *d, LLVMValueRef t) {
    LLVMValueRef square = multiply(d, t, t);
    LLVMValueRef y = multiply_add(d, square, real(t, 7 * pi * pi / 480), real(t, pi / 12));
    y = multiply_add(d, square, y, real(t, 1));
    y = multiply(d, y, scale(d, t, root_pi / 2));
    for (unsigned i = 0; i < 3; i++) {
        LLVMValueRef error = subtract(d, call(d, "erf", y), t);
        LLVMValueRef slope = scale(d, call(d, "exp", multiply(d, y, y)), root_pi / 2);
        y = subtract(d, y, multiply(d, error, slope));
    }
    return y;
}

// The y with erfc(y) = q, for q <= 1/2: Newton's method for the logarithms, which are nearly a parabola, from
// y^2 = -log(q) - log(y sqrt(pi)).
static LLVMValueRef inverse_of_tail(const Doubles *d, LLVMValueRef q) {
    LLVMValueRef size = LLVMBuildFNeg(d->cx->builder, call(d, "log", q), "");
    LLVMValueRef y = subtract(d, size, scale(d, call(d, "log", scale(d, size, pi)), 0.5));
    y = intrinsic(d, "llvm.sqrt", y);
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef value = call(d, "erfc", y), error = call(d, "log", divide(d, value, q));
        LLVMValueRef power = call(d, "exp", multiply(d, y, y));
        y = multiply_add(d, multiply(d, value, scale(d, power, root_pi / 2)), error, y);
    }
    return less(d, real(q, 0), q, y, divide(d, real(q, 1), q)); // infinity at 0; NaN below, by the logarithm
}

// The y with erf(y) = t and erfc(|y|) = q.
static LLVMValueRef inverse(const Doubles *d, LLVMValueRef t, LLVMValueRef q) {
    LLVMValueRef near = inverse_near_0(d, t), tail = with_sign(d, inverse_of_tail(d, q), t);
    LLVMValueRef nan = real(t, __builtin_nan(""));
    tail = less(d, q, real(q, 0), nan, tail);
    return less(d, intrinsic(d, "llvm.fabs", t), real(t, 0.5), near, tail);
}

static LLVMValueRef formula_erfinv(const Doubles *d, const LLVMValueRef *x, unsigned count) {
    (void)count;
    return inverse(d, x[0], subtract(d, real(x[0], 1), intrinsic(d, "llvm.fabs", x[0])));
}

static LLVMValueRef inverse_erfc(const Doubles *d, LLVMValueRef y) {
    LLVMValueRef one = real(y, 1), other = subtract(d, real(y, 2), y);
    return inverse(d, subtract(d, one, y), less(d, y, one, y, other));
}

static LLVMValueRef formula_erfcinv(const Doubles *d, const LLVMValueRef *x, unsigned count) {
    (void)count;
    return inverse_erfc(d, x[0]);
}

static LLVMValueRef formula_normcdfinv(const Doubles *d, const LLVMValueRef *x, unsigned count) {
    (void)count;
    return scale(d, inverse_erfc(d, scale(d, x[0], 2)), -root_2);
}

static const struct FormulaRow {
    const char *name;
    LLVMValueRef (*compute)(const Doubles *d, const LLVMValueRef *x, unsigned count);
} formulas[] = {
    {"rcbrt", formula_rcbrt},           {"rhypot", formula_rnorm},    {"norm3d", formula_norm},
    {"rnorm3d", formula_rnorm},         {"norm4d", formula_norm},     {"rnorm4d", formula_rnorm},
    {"sinpi", formula_sinpi},           {"cospi", formula_cospi},     {"erfcx", formula_erfcx},
    {"erfinv", formula_erfinv},         {"erfcinv", formula_erfcinv}, {"normcdf", formula_normcdf},
    {"normcdfinv", formula_normcdfinv},
};

// ---- all functions --------------------------------------------------------------------------------------------------

// NULL: none that IEEE arithmetic knows.
static LLVMValueRef function_of_doubles(const Doubles *d, const FpsanFunction *function, const LLVMValueRef *x,
                                        unsigned count) {
    switch (function->way) {
    case FPSAN_WAY_LIBRARY: return ieee_library(d->cx, function->library, false, x, count);
    case FPSAN_WAY_VECTORS: return ieee_library(d->cx, function->library, d->near, x, count);
    case FPSAN_WAY_LLVM: return vector_intrinsic(d->cx, function->library, x, count);
    case FPSAN_WAY_FORMULA:
        for (size_t i = 0; i < BASE_COUNT(formulas); i++)
            if (!strcmp(formulas[i].name, function->name)) return formulas[i].compute(d, x, count);
        return NULL;
    case FPSAN_WAY_RULE:
    case FPSAN_WAY_NONE: break;
    }
    return NULL;
}

bool ieee_function_of_doubles(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands, unsigned count,
                              LLVMValueRef *result) {
    const Doubles d = {cx, true};
    *result = function_of_doubles(&d, op->function, operands, count);
    return *result || numeric_refuse(cx, "IEEE arithmetic has no function %s", op->function->name);
}

static bool is_float(const FloatOp *op, unsigned operand) {
    return op->function->parameters[operand] == 'x';
}

// libdevice's function, but for those of one width, which no EXTERN needs: they are the same as others.
static LLVMValueRef device_function(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *x,
                                    unsigned count) {
    const bool only = op->function->widths != FPSAN_WIDTHS_BOTH;
    return ieee_device(cx, op, only ? op->function->library : op->function->name,
                       numeric_ieee.part_type(cx, op->result, 0), x, count);
}

bool ieee_apply_function(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                         NumericValue *result) {
    const FpsanFunction *function = op->function;
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef x[FPSAN_FUNCTION_OPERANDS_MAX], value;
    LLVMTypeRef wide = LLVMDoubleTypeInContext(cx->context);
    const bool single = op->result == FPSAN_F32;
    if (!single && op->result != FPSAN_F64)
        return numeric_refuse(cx, "no function %s of %s", function->name, fpsan_format_info(op->result)->name);
    if (!numeric_honours(cx, op, function->name, ROUNDING_NEAREST, single ? FLOAT_FLUSH_TO_ZERO : 0)) return false;
    for (unsigned i = 0; i < count; i++) {
        x[i] = operands[i].parts[0];
        if (op->flush_to_zero && is_float(op, i)) x[i] = ieee_flush(cx, x[i]);
    }
    if (cx->machine.has_libdevice && function->way != FPSAN_WAY_FORMULA) {
        value = device_function(cx, op, x, count);
    } else if (function->way == FPSAN_WAY_LLVM) { // exact on floats
        value = vector_intrinsic(cx, function->library, x, count);
    } else {
        const Doubles d = {cx, single};
        for (unsigned i = 0; single && i < count; i++)
            if (is_float(op, i)) x[i] = LLVMBuildFPExt(b, x[i], vector_type_like(wide, x[i]), "");
        value = function_of_doubles(&d, function, x, count);
        if (!value) return numeric_refuse(cx, "IEEE arithmetic has no function %s", function->name);
        LLVMTypeRef type = vector_type_like(LLVMFloatTypeInContext(cx->context), value);
        if (single) value = LLVMBuildFPTrunc(b, value, type, "");
    }
    if (op->flush_to_zero) value = ieee_flush(cx, value);
    *result = (NumericValue){.parts = {value}};
    return true;
}
