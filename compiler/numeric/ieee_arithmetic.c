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
    case FPSAN_RULE_RSQRT: return FLOAT_FLUSH_TO_ZERO;
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX: return FLOAT_FLUSH_TO_ZERO | FLOAT_PROPAGATE_NAN;
    default: return 0; // those of bits; another one is refused until it is named
    }
}

LLVMValueRef ieee_flush(const NumericContext *cx, LLVMValueRef single) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef bits = ieee_bits(cx, FPSAN_F32, single);
    LLVMValueRef exponent = LLVMBuildAnd(b, bits, vector_integer_like(bits, 32, 0x7f800000), "");
    LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntEQ, exponent, vector_integer_like(bits, 32, 0), "");
    LLVMValueRef zero = LLVMBuildAnd(b, bits, vector_integer_like(bits, 32, 0x80000000), "");
    return ieee_value(cx, FPSAN_F32, LLVMBuildSelect(b, is_small, zero, bits, ""));
}

// ---- rules on bits ------------------------------------------------------------------------------

static LLVMValueRef change_sign(const NumericContext *cx, FpsanRule rule, FpsanFormat format, LLVMValueRef value) {
    unsigned bits = fpsan_format_info(format)->lane_bits;
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

static LLVMValueRef apply_extreme(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands) {
    const FpsanFormat format = op->result;
    LLVMValueRef bits[2], real[2];
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef value = op->flush_to_zero ? ieee_flush(cx, operands[i]) : operands[i];
        bits[i] = ieee_bits(cx, format, value);
        real[i] = format == FPSAN_F64 ? value : ieee_to_single(cx, format, value);
    }
    return ieee_value(cx, format, extreme(cx, op, bits, real));
}

// ---- rules on floats and doubles ----------------------------------------------------------------

// A rule on float or double operands, to nearest even. Rules without code here: NULL.
static LLVMValueRef apply_nearest(const NumericContext *cx, FpsanRule rule, const LLVMValueRef *x) {
    LLVMBuilderRef b = cx->builder;
    if (rule == FPSAN_RULE_REM && !cx->machine.has_libdevice)
        return LLVMBuildFRem(b, x[0], x[1], ""); // inexact on GPUs
    if (*fpsan_rule_info(rule)->library) return ieee_function(cx, rule, x);
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

static LLVMValueRef apply_real(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands,
                               unsigned count) {
    const FpsanRule rule = op->rule;
    const FpsanFormat format = op->result;
    LLVMValueRef x[3] = {0};
    bool directed = is_directed(op->rounding), small = format == FPSAN_F16 || format == FPSAN_BF16;
    if (small && rule == FPSAN_RULE_FMA && !directed) return apply_small_fma(cx, format, operands);
    for (unsigned i = 0; i < count; i++) {
        bool integer = rule == FPSAN_RULE_POWI && i == 1;
        x[i] = small && !integer ? ieee_to_single(cx, format, operands[i]) : operands[i];
        if (op->flush_to_zero && !integer) x[i] = ieee_flush(cx, x[i]);
    }
    LLVMValueRef result = directed ? ieee_directed(cx, rule, op->rounding, x, count) : apply_nearest(cx, rule, x);
    if (!result) return NULL;
    if (op->flush_to_zero) result = ieee_flush(cx, result);
    if (!small) return result;
    return ieee_from_single(cx, format, result, op->rounding);
}

bool ieee_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                NumericValue *result) {
    const FpsanRule rule = op->rule;
    const FpsanFormat format = op->result;
    const char *rule_name = fpsan_rule_info(rule)->name, *format_name = fpsan_format_info(format)->name;
    LLVMValueRef parts[3], value;
    if (!has_arithmetic(format)) return numeric_refuse(cx, "no arithmetic on %s: convert it first", format_name);
    if (count != fpsan_rule_info(rule)->operands || count > BASE_COUNT(parts))
        return numeric_refuse(cx, "%s does not take %u operands", rule_name, count);
    if (!numeric_honours(cx, op, rule_name, roundings_of(rule), flags_of(rule))) return false;
    if (op->flush_to_zero && format != FPSAN_F32)
        return numeric_refuse(cx, "flush_to_zero is for f32, not for %s", format_name);
    for (unsigned i = 0; i < count; i++) parts[i] = operands[i].parts[0];
    switch (rule) {
    case FPSAN_RULE_NEG:
    case FPSAN_RULE_ABS: value = change_sign(cx, rule, format, parts[0]); break;
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
    if (!numeric_honours(cx, op, "comparisons", ROUNDING_NEAREST, 0)) return false;
    if (op->operand != FPSAN_F64) {
        x = ieee_to_single(cx, op->operand, x);
        y = ieee_to_single(cx, op->operand, y);
    }
    result->parts[0] = LLVMBuildFCmp(cx->builder, fpsan_real_predicate(op->predicate, !op->unordered), x, y, "");
    return true;
}
