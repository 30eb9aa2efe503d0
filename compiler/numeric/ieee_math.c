// SPDX-License-Identifier: Apache-2.0
// Functions of `ieee`: exp, exp2 and tanh of floats by polynomials of ours, tanh of doubles as well, all others through
// the C library in double; for GPUs through libdevice, of floats in float.
//
// Bounds (tests/accuracy/bounds.def): f64 what glibc's libm states (at most 2 ulp; its vector functions reach 3, and
// are not used for f64); f32 and narrower half an ulp and a trifle, as a double with an error of a few of its ulps is
// rounded once; 1 ulp for the polynomials, measured over all floats. Of libdevice what CUDA states, at most 4 ulp.
#include "compiler/numeric/pair.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// ---- the C library ------------------------------------------------------------------------------

enum { LIBRARY_OPERANDS_MAX = 4 };

// A call of a function without side effects. LLVM must not see through the name: it would replace some calls by others
// that round differently (pow by exp2), and so make results depend on the optimisation level.
static LLVMValueRef call_library(const NumericContext *cx, const char *name, LLVMTypeRef type, LLVMValueRef *operands,
                                 unsigned count) {
    static const char *const attributes[] = {"memory", "nounwind", "willreturn", "nobuiltin"};
    LLVMTypeRef parameters[LIBRARY_OPERANDS_MAX];
    for (unsigned i = 0; i < count; i++) parameters[i] = LLVMTypeOf(operands[i]);
    LLVMTypeRef function_type = LLVMFunctionType(type, parameters, count, 0);
    LLVMValueRef function = LLVMGetNamedFunction(cx->module, name);
    if (!function) function = LLVMAddFunction(cx->module, name, function_type);
    LLVMValueRef call = LLVMBuildCall2(cx->builder, function_type, function, operands, count, "");
    for (size_t i = 0; i < BASE_COUNT(attributes); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(cx->context, kind, 0));
    }
    return call;
}

// The function called `name`, with results of the scalar type `real`, for each lane.
static LLVMValueRef call_each_lane(const NumericContext *cx, const char *name, LLVMTypeRef real,
                                   const LLVMValueRef *operands, unsigned count) {
    LLVMTypeRef index = LLVMInt32TypeInContext(cx->context);
    LLVMValueRef copy[LIBRARY_OPERANDS_MAX], result = NULL;
    unsigned lanes = vector_lanes(operands[0]);
    assert(count <= LIBRARY_OPERANDS_MAX);
    if (!lanes) {
        for (unsigned i = 0; i < count; i++) copy[i] = operands[i];
        return call_library(cx, name, real, copy, count);
    }
    result = LLVMGetPoison(LLVMVectorType(real, lanes));
    for (unsigned lane = 0; lane < lanes; lane++) {
        LLVMValueRef at = LLVMConstInt(index, lane, 0);
        for (unsigned i = 0; i < count; i++) copy[i] = LLVMBuildExtractElement(cx->builder, operands[i], at, "");
        LLVMValueRef value = call_library(cx, name, real, copy, count);
        result = LLVMBuildInsertElement(cx->builder, result, value, at, "");
    }
    return result;
}

// The vector functions on doubles whose calls that many lanes fill by more than half; NULL: there are none.
static const MachineVector *vector_library(const Machine *machine, unsigned lanes) {
    const MachineVector *row = machine_vector(machine, MACHINE_VECTOR_LIBRARY, NULL);
    while (row && lanes <= row->lanes / 2) row = machine_vector(machine, MACHINE_VECTOR_LIBRARY, row);
    return row;
}

// The function on doubles, within a few ulp: good enough where the result is rounded to fewer bits.
static LLVMValueRef call_vectors(const NumericContext *cx, const char *function, const LLVMValueRef *operands,
                                 unsigned operand_count) {
    char name[MACHINE_NAME_SIZE];
    LLVMValueRef pieces[NUMERIC_LANES_MAX / 2], copy[2];
    const unsigned lanes = vector_lanes(operands[0]);
    const MachineVector *vectors = vector_library(&cx->machine, lanes);
    LLVMTypeRef real = LLVMDoubleTypeInContext(cx->context);
    assert(operand_count <= BASE_COUNT(copy));
    if (!vectors) return call_each_lane(cx, function, real, operands, operand_count);
    const unsigned width = vectors->lanes;
    unsigned count = (lanes + width - 1) / width;
    LLVMTypeRef type = LLVMVectorType(real, width);
    snprintf(name, sizeof name, "%s%s_%s", vectors->name, operand_count == 2 ? "vv" : "v", function);
    for (unsigned piece = 0; piece < count; piece++) {
        for (unsigned i = 0; i < operand_count; i++)
            copy[i] = vector_slice(cx, vector_pad(cx, operands[i], count * width), piece * width, width);
        pieces[piece] = call_library(cx, name, type, copy, operand_count);
    }
    return vector_slice(cx, vector_join(cx, pieces, count), 0, lanes);
}

LLVMValueRef ieee_library(const NumericContext *cx, const char *name, bool vectors, const LLVMValueRef *operands,
                          unsigned count) {
    if (vectors) return call_vectors(cx, name, operands, count);
    return call_each_lane(cx, name, LLVMDoubleTypeInContext(cx->context), operands, count);
}

// libdevice's function on floats or doubles, with the arms that the op asks for: those of floats that flush, or whose
// square roots are approximate.
LLVMValueRef ieee_device(const NumericContext *cx, const FloatOp *op, const char *function, LLVMTypeRef real,
                         const LLVMValueRef *operands, unsigned count) {
    char name[MACHINE_NAME_SIZE];
    bool single = LLVMGetTypeKind(real) == LLVMFloatTypeKind;
    const MachineKeys keys = {.flush = op->flush_to_zero, .approximate_roots = op->approximate_roots};
    machine_libdevice(function, single, keys, name);
    return call_each_lane(cx, name, real, operands, count);
}

static LLVMValueRef call_device(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands) {
    const FpsanRuleInfo *function = fpsan_rule_info(op->rule);
    return ieee_device(cx, op, function->library, vector_element(LLVMTypeOf(operands[0])), operands,
                       function->operands);
}

// ---- tanh of doubles ------------------------------------------------------------------------------------------------

// Tile IR allows 1 ulp, which the C library misses (glibc: 2). So this one carries e^(2|x|) - 1 and the quotient in
// pairs of doubles, a number and its error: within 0.7 ulp, without branches and on any lanes.

static LLVMValueRef constant(LLVMValueRef like, double value) {
    return vector_real_like(like, vector_element(LLVMTypeOf(like)), value);
}

static LLVMValueRef fma3(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    return vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){a, b, c}, 3);
}

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, by its series: what is left out is below 2^-56 of r.
static LLVMValueRef series(const NumericContext *cx, LLVMValueRef r) {
    static const double coefficients[] = {0x1.6124613a86d09p-33, 0x1.1eed8eff8d898p-29, 0x1.ae64567f544e4p-26,
                                          0x1.27e4fb7789f5cp-22, 0x1.71de3a556c734p-19, 0x1.a01a01a01a01ap-16,
                                          0x1.a01a01a01a01ap-13, 0x1.6c16c16c16c17p-10, 0x1.1111111111111p-7,
                                          0x1.5555555555555p-5,  0x1.5555555555555p-3,  0x1.p-1};
    LLVMValueRef sum = constant(r, coefficients[0]);
    for (size_t i = 1; i < BASE_COUNT(coefficients); i++) sum = fma3(cx, sum, r, constant(r, coefficients[i]));
    return sum;
}

// e^y - 1 for 0 <= y <= 46. y = n ln(2) + r; ln(2) in two parts, the first short, so that n times it is exact.
static Pair exponential_less_one(const NumericContext *cx, LLVMValueRef y) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(cx->context), real = vector_element(LLVMTypeOf(y));
    // The nearest integer: adding 1.5 * 2^52 leaves it in the low bits of the sum.
    LLVMValueRef shift = constant(y, 0x1.8p52);
    LLVMValueRef shifted = LLVMBuildFAdd(b, LLVMBuildFMul(b, y, constant(y, 0x1.71547652b82fep0), ""), shift, "");
    LLVMValueRef n = LLVMBuildFSub(b, shifted, shift, ""), bits = vector_bitcast(cx, shifted, i64);
    LLVMValueRef exponent = LLVMBuildAdd(b, bits, vector_integer_like(bits, 64, 1023), "");
    LLVMValueRef power = vector_bitcast(cx, LLVMBuildShl(b, exponent, vector_integer_like(bits, 64, 52), ""), real);
    LLVMValueRef first = fma3(cx, n, constant(y, -0x1.62e42feep-1), y);
    LLVMValueRef second = LLVMBuildFMul(b, n, constant(y, -0x1.a39ef35793c76p-33), "");
    Pair r = pair_sum(cx, first, second);
    LLVMValueRef square = LLVMBuildFMul(b, r.high, r.high, "");
    Pair less_one = pair_sum(cx, r.high, LLVMBuildFMul(b, square, series(cx, r.high), ""));
    LLVMValueRef low = LLVMBuildFAdd(b, less_one.low, fma3(cx, r.low, less_one.high, r.low), "");
    // 2^n e^r - 1 = (2^n - 1) + 2^n (e^r - 1)
    Pair sum = pair_sum(cx, LLVMBuildFSub(b, power, constant(y, 1), ""), LLVMBuildFMul(b, power, less_one.high, ""));
    sum.low = fma3(cx, power, low, sum.low);
    return sum;
}

// tanh(|x|) = e / (e + 2), e = e^(2|x|) - 1: a quotient and what its remainder adds to it.
static LLVMValueRef ieee_tanh(const NumericContext *cx, LLVMValueRef x) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef magnitude = vector_intrinsic(cx, "llvm.fabs", &x, 1), most = constant(x, 23); // 1 from 19.1
    LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealOGT, magnitude, most, "");
    magnitude = LLVMBuildSelect(b, large, most, magnitude, ""); // NaN stays NaN
    Pair e = exponential_less_one(cx, LLVMBuildFAdd(b, magnitude, magnitude, ""));
    Pair divisor = pair_sum(cx, e.high, constant(x, 2));
    divisor.low = LLVMBuildFAdd(b, divisor.low, e.low, "");
    LLVMValueRef quotient = LLVMBuildFDiv(b, e.high, divisor.high, "");
    LLVMValueRef negative = LLVMBuildFNeg(b, quotient, "");
    LLVMValueRef rest = fma3(cx, negative, divisor.high, e.high);
    rest = LLVMBuildFAdd(b, rest, fma3(cx, negative, divisor.low, e.low), "");
    quotient = LLVMBuildFAdd(b, quotient, LLVMBuildFDiv(b, rest, divisor.high, ""), "");
    return vector_intrinsic(cx, "llvm.copysign", (LLVMValueRef[]){quotient, x}, 2);
}

// ---- exp, exp2 and tanh of floats -----------------------------------------------------------------------------------

static LLVMValueRef fma_constant(const NumericContext *cx, LLVMValueRef x, LLVMValueRef y, double constant) {
    LLVMValueRef operands[3] = {x, y, vector_real_like(x, LLVMFloatTypeInContext(cx->context), constant)};
    return vector_intrinsic(cx, "llvm.fma", operands, 3);
}

// The polynomial in x, highest power first.
static LLVMValueRef polynomial(const NumericContext *cx, LLVMValueRef x, const double *coefficients, size_t count) {
    LLVMValueRef sum = vector_real_like(x, LLVMFloatTypeInContext(cx->context), coefficients[0]);
    for (size_t i = 1; i < count; i++) sum = fma_constant(cx, sum, x, coefficients[i]);
    return sum;
}

// 2^n for an integer n in [-126, 127], given as i32.
static LLVMValueRef power_of_two(const NumericContext *cx, LLVMValueRef n) {
    LLVMValueRef exponent = LLVMBuildAdd(cx->builder, n, vector_integer_like(n, 32, 127), "");
    LLVMValueRef bits = LLVMBuildShl(cx->builder, exponent, vector_integer_like(n, 32, 23), "");
    return vector_bitcast(cx, bits, LLVMFloatTypeInContext(cx->context));
}

// By an instruction where there is one; else the power is applied as two factors, so that only the last multiplication
// can round.
LLVMValueRef ieee_scale(const NumericContext *cx, LLVMValueRef x, LLVMValueRef n) {
    LLVMBuilderRef b = cx->builder;
    const MachineVector *instruction = NULL;
    do instruction = machine_vector(&cx->machine, MACHINE_SCALE, instruction);
    while (instruction && vector_lanes(x) < instruction->lanes);
    if (instruction)
        return vector_intrinsic_of(cx, instruction->name, (LLVMTypeRef[]){LLVMTypeOf(x), LLVMTypeOf(n)}, 2,
                                   (LLVMValueRef[]){x, n}, 2);
    LLVMValueRef halves[2];
    halves[0] = LLVMBuildAShr(b, n, vector_integer_like(n, 32, 1), "");
    halves[1] = LLVMBuildSub(b, n, halves[0], "");
    for (unsigned i = 0; i < 2; i++) x = LLVMBuildFMul(b, x, power_of_two(cx, halves[i]), "");
    return x;
}

LLVMValueRef ieee_clamp(const NumericContext *cx, LLVMValueRef x, double low, double high) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef single = LLVMFloatTypeInContext(cx->context);
    LLVMValueRef least = vector_real_like(x, single, low), most = vector_real_like(x, single, high);
    x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, least, ""), least, x, "");
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, most, ""), most, x, "");
}

// Adding 1.5 * 2^23 leaves it in the low bits of the sum.
LLVMValueRef ieee_nearest_integer(const NumericContext *cx, LLVMValueRef y, LLVMValueRef *integer) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef single = LLVMFloatTypeInContext(cx->context);
    LLVMValueRef shift = vector_real_like(y, single, 0x1.8p23), sum = LLVMBuildFAdd(b, y, shift, "");
    LLVMValueRef bits = vector_bitcast(cx, sum, LLVMInt32TypeInContext(cx->context));
    *integer = LLVMBuildSub(b, bits, vector_integer_like(bits, 32, 0x4b400000), "");
    return LLVMBuildFSub(b, sum, shift, "");
}

// 2^(n + f), |f| <= 1/2: 2^f = 1 + f * q(f), q of degree 5 fitted for the least relative error (3e-9, with coefficients
// that are floats); exact for f = 0.
static LLVMValueRef exp2_single(const NumericContext *cx, LLVMValueRef x) {
    static const double coefficients[] = {
        0x1.41785cp-13, 0x1.5f0958p-10, 0x1.3b2dd4p-7, 0x1.c6af7ap-5, 0x1.ebfbdcp-3, 0x1.62e43p-1, 1.0};
    LLVMValueRef n;
    x = ieee_clamp(cx, x, -160, 130); // 0 below -150, infinity from 128
    LLVMValueRef f = LLVMBuildFSub(cx->builder, x, ieee_nearest_integer(cx, x, &n), "");
    return ieee_scale(cx, polynomial(cx, f, coefficients, BASE_COUNT(coefficients)), n);
}

// e^x = 2^n e^r, x = n ln(2) + r, e^r = 1 + (r + tail).
typedef struct Exponential {
    LLVMValueRef n, r, tail; // n: i32
} Exponential;

// For |x| <= 110. The first part of ln(2) is so short that what it leaves is exact; the second makes a rest that is
// carried along. tail = r^2 p(r) + rest, p of degree 4 fitted for the least error (3e-9).
static Exponential split_exponential(const NumericContext *cx, LLVMValueRef x) {
    static const double coefficients[] = {0x1.6a494cp-10, 0x1.12399ap-7, 0x1.5558b4p-5, 0x1.555492p-3, 0x1.fffffcp-2};
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef single = LLVMFloatTypeInContext(cx->context);
    LLVMValueRef n, high = vector_real_like(x, single, -0x1.62e43p-1), low = vector_real_like(x, single, 0x1.05c61p-29);
    LLVMValueRef whole = LLVMBuildFMul(b, x, vector_real_like(x, single, 0x1.715476p+0), "");
    whole = ieee_nearest_integer(cx, whole, &n);
    LLVMValueRef first = vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){whole, high, x}, 3);
    LLVMValueRef r = vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){whole, low, first}, 3);
    LLVMValueRef rest =
        vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){whole, low, LLVMBuildFSub(b, first, r, "")}, 3);
    LLVMValueRef p = polynomial(cx, r, coefficients, BASE_COUNT(coefficients)), square = LLVMBuildFMul(b, r, r, "");
    return (Exponential){n, r, vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){square, p, rest}, 3)};
}

// The two sums round, half an ulp and a quarter, what is in them hardly.
static LLVMValueRef exp_single(const NumericContext *cx, LLVMValueRef x) {
    LLVMBuilderRef b = cx->builder;
    Exponential e = split_exponential(cx, ieee_clamp(cx, x, -110, 90)); // 0 below -104, infinity from 88.8
    LLVMValueRef one = vector_real_like(x, LLVMFloatTypeInContext(cx->context), 1);
    return ieee_scale(cx, LLVMBuildFAdd(b, one, LLVMBuildFAdd(b, e.r, e.tail, ""), ""), e.n);
}

// The sum of a and b, |a| >= |b| or a = 0, and what was lost by rounding it.
static LLVMValueRef sum_and_rest(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *rest) {
    LLVMValueRef sum = LLVMBuildFAdd(cx->builder, a, b, "");
    *rest = LLVMBuildFSub(cx->builder, b, LLVMBuildFSub(cx->builder, sum, a, ""), "");
    return sum;
}

// tanh(|x|) = t / (t + 2), t = e^(2|x|) - 1 = (2^n - 1) + 2^n (r + tail), as the sum of two floats; where that is more
// than a half, 1 - 2 / (t + 2). To a quotient q comes what its remainder makes, divided by t + 2.
static LLVMValueRef tanh_single(const NumericContext *cx, LLVMValueRef x) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef single = LLVMFloatTypeInContext(cx->context);
    LLVMValueRef half = vector_real_like(x, single, 0.5), one = vector_real_like(x, single, 1),
                 two = vector_real_like(x, single, 2), zero = vector_real_like(x, single, 0);
    LLVMValueRef magnitude = ieee_clamp(cx, vector_intrinsic(cx, "llvm.fabs", &x, 1), 0, 10); // 1 from 9.02 on
    Exponential e = split_exponential(cx, LLVMBuildFAdd(b, magnitude, magnitude, ""));
    LLVMValueRef power = power_of_two(cx, e.n), low, negative;
    LLVMValueRef t = sum_and_rest(cx, LLVMBuildFSub(b, power, one, ""), LLVMBuildFMul(b, power, e.r, ""), &low);
    low = vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){power, e.tail, low}, 3);
    t = sum_and_rest(cx, t, low, &low);
    LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealOGT, t, two, "");
    LLVMValueRef dividend = LLVMBuildSelect(b, large, two, t, ""), divisor = LLVMBuildFAdd(b, t, two, "");
    LLVMValueRef q = LLVMBuildFDiv(b, dividend, divisor, "");
    // The rest of the divisor: what rounding took from t, and from 2, and low.
    LLVMValueRef part = LLVMBuildFSub(b, divisor, t, "");
    LLVMValueRef rest = LLVMBuildFSub(b, t, LLVMBuildFSub(b, divisor, part, ""), "");
    rest = LLVMBuildFAdd(b, rest, LLVMBuildFAdd(b, LLVMBuildFSub(b, two, part, ""), low, ""), "");
    negative = LLVMBuildFNeg(b, q, "");
    LLVMValueRef remainder = vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){negative, divisor, dividend}, 3);
    remainder = LLVMBuildFAdd(b, remainder, LLVMBuildSelect(b, large, zero, low, ""), "");
    remainder = vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){negative, rest, remainder}, 3);
    // 1 / (t + 2) is half of 2 / (t + 2), which is q or 1 - q.
    LLVMValueRef twice = LLVMBuildSelect(b, large, q, LLVMBuildFSub(b, one, q, ""), "");
    q = vector_intrinsic(cx, "llvm.fma", (LLVMValueRef[]){remainder, LLVMBuildFMul(b, twice, half, ""), q}, 3);
    q = LLVMBuildSelect(b, large, LLVMBuildFSub(b, one, q, ""), q, "");
    return vector_intrinsic(cx, "llvm.copysign", (LLVMValueRef[]){q, x}, 2);
}

// The function on doubles. `rounded`: the result will be rounded to fewer bits.
static LLVMValueRef function_of_doubles(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *x,
                                        bool rounded) {
    const FpsanRuleInfo *function = fpsan_rule_info(op->rule);
    if (op->rule == FPSAN_RULE_TANH) return ieee_tanh(cx, x[0]);
    if (cx->machine.has_libdevice) return call_device(cx, op, x);
    return ieee_library(cx, function->library, rounded, x, function->operands);
}

LLVMValueRef ieee_function_near(const NumericContext *cx, FpsanRule rule, const LLVMValueRef *operands) {
    const FloatOp op = float_rule(rule, FPSAN_F64);
    return function_of_doubles(cx, &op, operands, true);
}

LLVMValueRef ieee_function(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands) {
    const FpsanRule rule = op->rule;
    LLVMTypeRef scalar = LLVMDoubleTypeInContext(cx->context);
    LLVMValueRef wide[2];
    bool single = LLVMGetTypeKind(vector_element(LLVMTypeOf(operands[0]))) == LLVMFloatTypeKind,
         floats = single && op->implementation != FLOAT_BY_DOUBLE;
    assert(fpsan_rule_info(rule));
    if (floats && rule == FPSAN_RULE_EXP) return exp_single(cx, operands[0]);
    if (floats && rule == FPSAN_RULE_EXP2) return exp2_single(cx, operands[0]);
    if (floats && rule == FPSAN_RULE_TANH) return tanh_single(cx, operands[0]);
    if (floats && cx->machine.has_libdevice && rule != FPSAN_RULE_POWI) return call_device(cx, op, operands);
    for (unsigned i = 0; i < fpsan_rule_info(rule)->operands; i++) {
        LLVMTypeRef type = vector_type_like(scalar, operands[i]);
        if (rule == FPSAN_RULE_POWI && i == 1)
            wide[i] = LLVMBuildSIToFP(cx->builder, operands[i], type, "");
        else
            wide[i] = single ? LLVMBuildFPExt(cx->builder, operands[i], type, "") : operands[i];
    }
    LLVMValueRef result = function_of_doubles(cx, op, wide, single);
    return single ? LLVMBuildFPTrunc(cx->builder, result, LLVMTypeOf(operands[0]), "") : result;
}
