// SPDX-License-Identifier: Apache-2.0
// Arithmetic of `ieee`: every rule on f64, f32, f16 and bf16, with rounding and flush-to-zero; comparisons.
//
// f32 and f64 are LLVM's own operations, without any fast-math flag. f16 and bf16 are computed in float and rounded
// once more. For add, sub, mul, div and sqrt to nearest the second rounding is harmless: float has at least 2p + 2 bits
// for their p = 11 and 8 (products are exact but for bf16 ones that are far below its smallest subnormal; quotients
// near a subnormal midpoint are further from it than a float rounds). Directed roundings compose with themselves. fma
// to nearest goes through a sum rounded to odd.
#include "compiler/numeric/numeric_internal.h"

static bool has_arithmetic(FpsanFormat format) {
    return format == FPSAN_F64 || format == FPSAN_F32 || format == FPSAN_F16 || format == FPSAN_BF16;
}

static bool is_directed(FpsanRounding rounding) {
    return ROUNDINGS_DIRECTED >> rounding & 1;
}

// Which roundings a rule takes.
static unsigned roundings_of(FpsanRule rule) {
    switch (rule) {
    case FPSAN_RULE_ADD:
    case FPSAN_RULE_SUB:
    case FPSAN_RULE_MUL:
    case FPSAN_RULE_FMA:
    case FPSAN_RULE_SQRT:
    case FPSAN_RULE_DIV: return ROUNDING_NEAREST | ROUNDINGS_DIRECTED;
    default: return ROUNDING_NEAREST;
    }
}

// Which flags it takes.
static unsigned flags_of(FpsanRule rule) {
    if (*fpsan_rule_info(rule)->library) return FLOAT_FLUSH_TO_ZERO;
    switch (rule) {
    case FPSAN_RULE_ADD:
    case FPSAN_RULE_SUB:
    case FPSAN_RULE_MUL:
    case FPSAN_RULE_FMA:
    case FPSAN_RULE_DIV:
    case FPSAN_RULE_FLOOR:
    case FPSAN_RULE_CEIL:
    case FPSAN_RULE_SQRT:
    case FPSAN_RULE_SQRT_RN:
    case FPSAN_RULE_RSQRT:
    case FPSAN_RULE_NEG:
    case FPSAN_RULE_ABS: return FLOAT_FLUSH_TO_ZERO;
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX: return FLOAT_FLUSH_TO_ZERO | FLOAT_PROPAGATE_NAN;
    default: return 0; // those of bits; another one is refused until it is named
    }
}

// Whether the value is `bits & mask`, in all lanes.
static bool is_masked(LLVMValueRef value, LLVMValueRef bits, uint32_t mask) {
    return LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMAnd &&
           LLVMGetOperand(value, 0) == bits && LLVMGetOperand(value, 1) == vector_integer_like(bits, 32, mask);
}

// Whether the value is what the code below makes of another one: flushing it once more would change nothing.
static bool is_flushed(LLVMValueRef single) {
    LLVMValueRef select = LLVMIsABitCastInst(single) ? LLVMGetOperand(single, 0) : NULL;
    if (!select || !LLVMIsASelectInst(select)) return false;
    LLVMValueRef is_small = LLVMGetOperand(select, 0), bits = LLVMGetOperand(select, 2);
    return LLVMIsAICmpInst(is_small) && LLVMGetICmpPredicate(is_small) == LLVMIntEQ &&
           is_masked(LLVMGetOperand(is_small, 0), bits, 0x7f800000) &&
           LLVMGetOperand(is_small, 1) == vector_integer_like(bits, 32, 0) &&
           is_masked(LLVMGetOperand(select, 1), bits, 0x80000000);
}

// On GPUs a product with 1 that flushes.
LLVMValueRef ieee_flush(const NumericContext *cx, LLVMValueRef single) {
    LLVMBuilderRef b = cx->builder;
    if (cx->machine.names_rounding) {
        LLVMValueRef one = vector_real_like(single, LLVMFloatTypeInContext(cx->context), 1);
        return ieee_instruction(cx, FPSAN_RULE_MUL, FPSAN_NEAREST_EVEN, true, (LLVMValueRef[]){single, one}, 2);
    }
    if (is_flushed(single)) return single;
    LLVMValueRef bits = ieee_bits(cx, FPSAN_F32, single);
    LLVMValueRef exponent = LLVMBuildAnd(b, bits, vector_integer_like(bits, 32, 0x7f800000), "");
    LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntEQ, exponent, vector_integer_like(bits, 32, 0), "");
    LLVMValueRef zero = LLVMBuildAnd(b, bits, vector_integer_like(bits, 32, 0x80000000), "");
    return ieee_value(cx, FPSAN_F32, LLVMBuildSelect(b, is_small, zero, bits, ""));
}

// ---- where instructions flush what they read (NumericContext.flushes_operands) ------------------

// Whether operands of the rule go to LLVM's float operations as they are; formulas look at their bits, too.
static bool reads_by_instruction(const FloatOp *op) {
    switch (op->rule) {
    case FPSAN_RULE_ADD:
    case FPSAN_RULE_SUB:
    case FPSAN_RULE_MUL:
    case FPSAN_RULE_DIV:
    case FPSAN_RULE_FMA:
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX:
    case FPSAN_RULE_FLOOR:
    case FPSAN_RULE_CEIL: return true;
    case FPSAN_RULE_SQRT:
    case FPSAN_RULE_SQRT_RN:
    case FPSAN_RULE_RSQRT: return op->implementation != FLOAT_BY_DOUBLE;
    default: return op->rule == FPSAN_RULE_COUNT; // comparisons
    }
}

// Formulas whose intermediate results are subnormal only where that makes no difference are those of functions that are
// 1 at 0, of logarithms, of roots, and what is computed in doubles. (The approximate sine of the smallest numbers that
// are not subnormal divides them by 2 pi.)
bool ieee_goes_with_flushing(const FloatOp *op, bool compares) {
    const bool flushes = op->operand == FPSAN_F32 && op->flush_to_zero && op->rounding == FPSAN_NEAREST_EVEN;
    if (op->operand == FPSAN_F64 || op->result == FPSAN_F64) return false;
    if (compares) return flushes || op->operand == FPSAN_F16;
    switch (op->rule) {
    case FPSAN_RULE_COUNT: return op->operand == op->result || op->rounding == FPSAN_NEAREST_EVEN;
    case FPSAN_RULE_NEG:
    case FPSAN_RULE_ABS: return true;
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX: return flushes || op->operand == FPSAN_F16;
    case FPSAN_RULE_EXP:
    case FPSAN_RULE_EXP2:
    case FPSAN_RULE_LOG:
    case FPSAN_RULE_LOG2:
    case FPSAN_RULE_COS:
    case FPSAN_RULE_TANH: return flushes;
    case FPSAN_RULE_SIN: return flushes && op->implementation != FLOAT_APPROXIMATED;
    default: return flushes && reads_by_instruction(op);
    }
}

// LLVM folds what is constant while the code is built, without the function's attributes.
static LLVMValueRef flush_operand(const NumericContext *cx, const FloatOp *op, LLVMValueRef operand) {
    const bool is_read = cx->flushes_operands && reads_by_instruction(op) && !LLVMIsConstant(operand);
    return is_read ? operand : ieee_flush(cx, operand);
}

static LLVMValueRef flush_result(const NumericContext *cx, const FloatOp *op, LLVMValueRef result) {
    return op->read_flushed && !LLVMIsConstant(result) ? result : ieee_flush(cx, result);
}

// What LLVM 22 folds without the function's attributes: calls of intrinsics on constants, of which it may find more
// later; and x + 0, to x, where x cannot be -0, though it may be subnormal and negative. It is not to see that these
// operands are constant.
static void hide_operands(const NumericContext *cx, const FloatOp *op, LLVMValueRef *x) {
    unsigned count = 1;
    switch (op->rule) {
    case FPSAN_RULE_ADD:
    case FPSAN_RULE_SUB: count = 2; break;
    case FPSAN_RULE_FMA:
    case FPSAN_RULE_FLOOR:
    case FPSAN_RULE_CEIL:
    case FPSAN_RULE_SQRT:
    case FPSAN_RULE_SQRT_RN:
    case FPSAN_RULE_RSQRT: break;
    default: return;
    }
    for (unsigned i = 0; i < count && cx->flushes_operands; i++)
        x[i] = vector_intrinsic(cx, "llvm.arithmetic.fence", &x[i], 1);
}

// ---- rules on bits ------------------------------------------------------------------------------

static LLVMValueRef change_sign(const NumericContext *cx, const FloatOp *op, LLVMValueRef value) {
    const FpsanRule rule = op->rule;
    const FpsanFormat format = op->result;
    unsigned bits = fpsan_format_info(format)->lane_bits;
    const char *flushing = machine_flushing(rule, false);
    if (op->flush_to_zero && cx->machine.names_rounding && flushing) return ieee_each_lane(cx, flushing, &value, 1);
    if (op->flush_to_zero) value = flush_result(cx, op, value);
    LLVMValueRef integer = ieee_bits(cx, format, value);
    LLVMValueRef sign = vector_integer_like(integer, bits, UINT64_C(1) << (bits - 1));
    LLVMValueRef others = vector_integer_like(integer, bits, (UINT64_C(1) << (bits - 1)) - 1);
    LLVMValueRef changed = rule == FPSAN_RULE_NEG ? LLVMBuildXor(cx->builder, integer, sign, "")
                                                  : LLVMBuildAnd(cx->builder, integer, others, "");
    return ieee_value(cx, format, changed);
}

// The quiet NaN without sign of an IEEE format.
static uint64_t quiet_nan(FpsanFormat format) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    return ((UINT64_C(2) << info->exponent_bits) - 1) << (info->mantissa_bits - 1);
}

// minimum and maximum (NaN wins) or minimumNumber and maximumNumber (the number wins), -0 below +0, NaN results
// canonical. `bits` are those of both operands, `real` the same values as floats that LLVM can compare.
static LLVMValueRef extreme(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *bits,
                            const LLVMValueRef *real) {
    LLVMBuilderRef builder = cx->builder;
    const FpsanFormat format = op->result;
    const bool is_maximum = op->rule == FPSAN_RULE_MAX, nan_wins = op->propagate_nan;
    LLVMValueRef a = bits[0], b = bits[1], x = real[0], y = real[1];
    LLVMValueRef nan = vector_integer_like(a, fpsan_format_info(format)->lane_bits, quiet_nan(format));
    LLVMValueRef first = LLVMBuildFCmp(builder, is_maximum ? LLVMRealOGT : LLVMRealOLT, x, y, "");
    LLVMValueRef result = LLVMBuildSelect(builder, first, a, b, "");
    // Equal values have equal bits, or are zeros: and makes +0 of unlike zeros, or makes -0.
    LLVMValueRef equal = LLVMBuildFCmp(builder, LLVMRealOEQ, x, y, "");
    LLVMValueRef same = is_maximum ? LLVMBuildAnd(builder, a, b, "") : LLVMBuildOr(builder, a, b, "");
    result = LLVMBuildSelect(builder, equal, same, result, "");
    LLVMValueRef a_is_nan = LLVMBuildFCmp(builder, LLVMRealUNO, x, x, ""),
                 b_is_nan = LLVMBuildFCmp(builder, LLVMRealUNO, y, y, "");
    if (nan_wins) return LLVMBuildSelect(builder, LLVMBuildFCmp(builder, LLVMRealUNO, x, y, ""), nan, result, "");
    result = LLVMBuildSelect(builder, b_is_nan, a, result, ""); // a NaN in `a` alone has chosen b above
    return LLVMBuildSelect(builder, LLVMBuildAnd(builder, a_is_nan, b_is_nan, ""), nan, result, "");
}

// The instruction of GPUs that flushes, with the NaN that is ours.
static LLVMValueRef flushing_extreme(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands) {
    LLVMValueRef result = ieee_each_lane(cx, machine_flushing(op->rule, op->propagate_nan), operands, 2);
    LLVMValueRef is_nan = LLVMBuildFCmp(cx->builder, LLVMRealUNO, result, result, "");
    LLVMValueRef nan = vector_integer_like(result, 32, quiet_nan(FPSAN_F32));
    return LLVMBuildSelect(cx->builder, is_nan, ieee_value(cx, FPSAN_F32, nan), result, "");
}

static LLVMValueRef apply_extreme(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands) {
    const FpsanFormat format = op->result;
    LLVMValueRef bits[2], real[2];
    if (op->flush_to_zero && cx->machine.names_rounding) return flushing_extreme(cx, op, operands);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef value = op->flush_to_zero ? flush_operand(cx, op, operands[i]) : operands[i];
        bits[i] = ieee_bits(cx, format, value);
        real[i] = format == FPSAN_F64 ? value : ieee_to_single(cx, format, value);
    }
    LLVMValueRef result = ieee_value(cx, format, extreme(cx, op, bits, real));
    return op->flush_to_zero && cx->flushes_operands ? flush_result(cx, op, result) : result;
}

// ---- rules on floats and doubles ----------------------------------------------------------------

// A rule on float or double operands, to nearest even. Rules without code here: NULL.
static LLVMValueRef apply_nearest(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *x) {
    LLVMBuilderRef b = cx->builder;
    const FpsanRule rule = op->rule;
    if (rule == FPSAN_RULE_REM && !cx->machine.has_libdevice)
        return LLVMBuildFRem(b, x[0], x[1], ""); // inexact on GPUs
    if (*fpsan_rule_info(rule)->library) return ieee_function(cx, op, x);
    switch (rule) {
    case FPSAN_RULE_ADD: return LLVMBuildFAdd(b, x[0], x[1], "");
    case FPSAN_RULE_SUB: return LLVMBuildFSub(b, x[0], x[1], "");
    case FPSAN_RULE_MUL: return LLVMBuildFMul(b, x[0], x[1], "");
    case FPSAN_RULE_DIV: return LLVMBuildFDiv(b, x[0], x[1], "");
    case FPSAN_RULE_FMA: return vector_intrinsic(cx, "llvm.fma", x, 3);
    case FPSAN_RULE_FLOOR: return vector_intrinsic(cx, "llvm.floor", x, 1);
    case FPSAN_RULE_CEIL: return vector_intrinsic(cx, "llvm.ceil", x, 1);
    case FPSAN_RULE_SQRT:
    case FPSAN_RULE_SQRT_RN: return vector_intrinsic(cx, "llvm.sqrt", x, 1);
    case FPSAN_RULE_RSQRT: { // two roundings: within 1.5 ulp
        LLVMValueRef one = vector_real_like(x[0], vector_element(LLVMTypeOf(x[0])), 1.0);
        return LLVMBuildFDiv(b, one, vector_intrinsic(cx, "llvm.sqrt", x, 1), "");
    }
    default: return NULL; // the rule is refused by name
    }
}

// a * b + c of f16 or bf16 numbers held in doubles, rounded to odd: as double when exact, else the neighbour with an
// odd last bit. A double has more than two bits more than the formats, so rounding the result again to a format is
// correct. The product is exact, and so is the sum's error (nothing here over- or underflows).
static LLVMValueRef fma_to_odd(const NumericContext *cx, const LLVMValueRef *x) {
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(cx->context), real = vector_element(LLVMTypeOf(x[0]));
    LLVMValueRef product = LLVMBuildFMul(b, x[0], x[1], ""), sum = LLVMBuildFAdd(b, product, x[2], "");
    // The error of the sum: (product - (sum - c')) + (c - c'), c' = sum - product.
    LLVMValueRef part = LLVMBuildFSub(b, sum, product, "");
    LLVMValueRef error = LLVMBuildFAdd(b, LLVMBuildFSub(b, product, LLVMBuildFSub(b, sum, part, ""), ""),
                                       LLVMBuildFSub(b, x[2], part, ""), "");
    LLVMValueRef zero = vector_real_like(sum, real, 0.0);
    LLVMValueRef bits = vector_bitcast(cx, sum, i64), one = vector_integer_like(bits, 64, 1);
    LLVMValueRef inexact = LLVMBuildFCmp(b, LLVMRealONE, error, zero, ""); // false for the NaN that infinities make
    LLVMValueRef even =
        LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, bits, one, ""), vector_integer_like(bits, 64, 0), "");
    // Away from zero if the error has the sum's sign.
    LLVMValueRef unlike = LLVMBuildXor(b, vector_bitcast(cx, error, i64), bits, "");
    LLVMValueRef inward = LLVMBuildICmp(b, LLVMIntSLT, unlike, vector_integer_like(bits, 64, 0), "");
    LLVMValueRef step = LLVMBuildSelect(b, inward, vector_integer_like(bits, 64, ~UINT64_C(0)), one, "");
    LLVMValueRef odd = LLVMBuildAdd(b, bits, step, "");
    return vector_bitcast(cx, LLVMBuildSelect(b, LLVMBuildAnd(b, inexact, even, ""), odd, bits, ""), real);
}

static LLVMValueRef apply_small_fma(const NumericContext *cx, FpsanFormat format, const LLVMValueRef *operands) {
    LLVMValueRef x[3];
    for (unsigned i = 0; i < 3; i++) x[i] = ieee_to_double(cx, format, operands[i]);
    return ieee_from_double(cx, format, fma_to_odd(cx, x), FPSAN_NEAREST_EVEN);
}

// The reciprocal root of doubles, rounded once to floats.
static LLVMValueRef root_by_double(const NumericContext *cx, LLVMValueRef x) {
    LLVMTypeRef scalar = LLVMDoubleTypeInContext(cx->context);
    LLVMValueRef wide = LLVMBuildFPExt(cx->builder, x, vector_type_like(scalar, x), "");
    LLVMValueRef root = vector_intrinsic(cx, "llvm.sqrt", &wide, 1);
    root = LLVMBuildFDiv(cx->builder, vector_real_like(wide, scalar, 1.0), root, "");
    return LLVMBuildFPTrunc(cx->builder, root, LLVMTypeOf(x), "");
}

// A rule on float or double operands as the op says, without flushing.
static LLVMValueRef apply_as_said(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *x, unsigned count) {
    if (is_directed(op->rounding)) return ieee_directed(cx, op->rule, op->rounding, x, count);
    switch (op->implementation) {
    case FLOAT_APPROXIMATED:
    case FLOAT_RECIPROCAL:
    case FLOAT_FULL_RANGE_DIVISION: return ieee_approximate(cx, op, x);
    case FLOAT_BY_DOUBLE:
        if (op->rule == FPSAN_RULE_RSQRT) return root_by_double(cx, x[0]);
        break;
    case FLOAT_EXACT:
    case FLOAT_IMPLEMENTATION_COUNT: break;
    }
    return apply_nearest(cx, op, x);
}

// The same of floats by instructions of GPUs that flush. NULL: there are none.
static LLVMValueRef apply_flushing(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *x, unsigned count) {
    if (op->implementation == FLOAT_BY_DOUBLE) return NULL;
    if (op->implementation != FLOAT_EXACT) return ieee_approximate(cx, op, x);
    if (op->rule == FPSAN_RULE_RSQRT) {
        LLVMValueRef quotient[2] = {vector_real_like(x[0], LLVMFloatTypeInContext(cx->context), 1.0)};
        quotient[1] = ieee_instruction(cx, FPSAN_RULE_SQRT, FPSAN_NEAREST_EVEN, true, x, 1);
        return ieee_instruction(cx, FPSAN_RULE_DIV, FPSAN_NEAREST_EVEN, true, quotient, 2);
    }
    const char *name = machine_flushing(op->rule, false);
    if (name) return ieee_each_lane(cx, name, x, count);
    return ieee_instruction(cx, op->rule == FPSAN_RULE_SQRT_RN ? FPSAN_RULE_SQRT : op->rule, op->rounding, true, x,
                            count);
}

// Functions that are 1 at 0 are 1 at subnormal operands, too.
static bool sees_subnormals(FpsanRule rule) {
    return rule != FPSAN_RULE_EXP && rule != FPSAN_RULE_EXP2 && rule != FPSAN_RULE_COS && rule != FPSAN_RULE_COSH;
}

// Whether results can be subnormal where no operand is. sin, tan, sinh and tanh cannot where they round their exact
// value: no float but 0 is that near to one of their zeros.
static bool makes_subnormals(const FloatOp *op) {
    switch (op->rule) {
    case FPSAN_RULE_FLOOR:
    case FPSAN_RULE_CEIL:
    case FPSAN_RULE_SQRT:
    case FPSAN_RULE_SQRT_RN:
    case FPSAN_RULE_RSQRT:
    case FPSAN_RULE_LOG:
    case FPSAN_RULE_LOG2:
    case FPSAN_RULE_COS:
    case FPSAN_RULE_COSH: return false;
    case FPSAN_RULE_SIN:
    case FPSAN_RULE_TAN:
    case FPSAN_RULE_SINH:
    case FPSAN_RULE_TANH: return op->implementation == FLOAT_APPROXIMATED;
    case FPSAN_RULE_EXP:
    case FPSAN_RULE_EXP2:
    case FPSAN_RULE_POW: return op->implementation != FLOAT_APPROXIMATED; // which flushes itself
    default: return true;
    }
}

// On floats, with flush_to_zero. On processors without flushing what cannot be subnormal.
static LLVMValueRef apply_flushed(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands,
                                  unsigned count) {
    LLVMValueRef x[3] = {0}, result = NULL;
    // GPUs have no approximate tanh that flushes.
    if (op->rule == FPSAN_RULE_TANH && op->implementation == FLOAT_APPROXIMATED)
        return apply_as_said(cx, op, operands, count);
    const bool is_gpu = cx->machine.names_rounding;
    if (is_gpu) result = apply_flushing(cx, op, operands, count);
    if (result) return result;
    for (unsigned i = 0; i < count; i++) {
        bool integer = op->rule == FPSAN_RULE_POWI && i == 1, kept = !is_gpu && !sees_subnormals(op->rule);
        x[i] = integer || kept ? operands[i] : flush_operand(cx, op, operands[i]);
    }
    hide_operands(cx, op, x);
    result = apply_as_said(cx, op, x, count);
    return result && (is_gpu || makes_subnormals(op)) ? flush_result(cx, op, result) : result;
}

static LLVMValueRef apply_real(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands,
                               unsigned count) {
    const FpsanRule rule = op->rule;
    const FpsanFormat format = op->result;
    LLVMValueRef x[3] = {0};
    bool small = format == FPSAN_F16 || format == FPSAN_BF16;
    if (small && rule == FPSAN_RULE_FMA && !is_directed(op->rounding)) return apply_small_fma(cx, format, operands);
    if (op->flush_to_zero) return apply_flushed(cx, op, operands, count);
    for (unsigned i = 0; i < count; i++) {
        bool integer = rule == FPSAN_RULE_POWI && i == 1;
        x[i] = small && !integer ? ieee_to_single(cx, format, operands[i]) : operands[i];
    }
    LLVMValueRef result = apply_as_said(cx, op, x, count);
    return result && small ? ieee_from_single(cx, format, result, op->rounding) : result;
}

// Whether there is such an implementation of the rule, for the rounding.
static bool has_implementation(const NumericContext *cx, const FloatOp *op) {
    Implementation implementation;
    if (op->implementation == FLOAT_EXACT) return true;
    return !is_directed(op->rounding) && implementation_of(op->rule, op->result, cx->machine.kind == MACHINE_GPU,
                                                           op->implementation, &implementation);
}

bool ieee_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                NumericValue *result) {
    const FpsanRule rule = op->rule;
    const FpsanFormat format = op->result;
    const char *rule_name = fpsan_rule_info(rule)->name, *format_name = fpsan_format_info(format)->name;
    LLVMValueRef parts[3], value;
    if (op->function) return ieee_apply_function(cx, op, operands, count, result);
    if (!has_arithmetic(format)) return numeric_refuse(cx, "no arithmetic on %s: convert it first", format_name);
    if (count != fpsan_rule_info(rule)->operands || count > BASE_COUNT(parts))
        return numeric_refuse(cx, "%s does not take %u operands", rule_name, count);
    if (!numeric_honours(cx, op, rule_name, roundings_of(rule), flags_of(rule))) return false;
    if (op->flush_to_zero && format != FPSAN_F32)
        return numeric_refuse(cx, "flush_to_zero is for f32, not for %s", format_name);
    if (!has_implementation(cx, op))
        return numeric_refuse(cx, "%s of %s, rounded %s, has no %s implementation", rule_name, format_name,
                              fpsan_rounding_name(op->rounding), float_implementation_name(op->implementation));
    for (unsigned i = 0; i < count; i++) parts[i] = operands[i].parts[0];
    switch (rule) {
    case FPSAN_RULE_NEG:
    case FPSAN_RULE_ABS: value = change_sign(cx, op, parts[0]); break;
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX: value = apply_extreme(cx, op, parts); break;
    default: value = apply_real(cx, op, parts, count); break;
    }
    if (!value) return numeric_refuse(cx, "no %s in IEEE arithmetic", rule_name);
    *result = (NumericValue){.parts = {value}};
    return true;
}

bool ieee_compare(const NumericContext *cx, const FloatOp *op, const NumericValue *a, const NumericValue *b,
                  NumericValue *result) {
    LLVMValueRef x = a->parts[0], y = b->parts[0];
    if (!numeric_honours(cx, op, "comparisons", ROUNDING_NEAREST, FLOAT_FLUSH_TO_ZERO)) return false;
    if (op->flush_to_zero && op->operand != FPSAN_F32)
        return numeric_refuse(cx, "flush_to_zero is for f32, not for %s", fpsan_format_info(op->operand)->name);
    if (op->flush_to_zero) {
        x = flush_operand(cx, op, x);
        y = flush_operand(cx, op, y);
    }
    if (op->operand != FPSAN_F64) {
        x = ieee_to_single(cx, op->operand, x);
        y = ieee_to_single(cx, op->operand, y);
    }
    result->parts[0] = LLVMBuildFCmp(cx->builder, fpsan_real_predicate(op->predicate, !op->unordered), x, y, "");
    return true;
}

LLVMValueRef ieee_is_nan(const NumericContext *cx, FpsanFormat format, LLVMValueRef value) {
    const FloatOp differs = {.operand = format, .predicate = FPSAN_NOT_EQUAL, .unordered = true};
    NumericValue operand = {.parts = {value}}, result;
    numeric_ieee.compare(cx, &differs, &operand, &operand, &result);
    return result.parts[0];
}
