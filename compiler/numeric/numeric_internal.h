// SPDX-License-Identifier: Apache-2.0
// What the numerics share among themselves: small IR builders, the steps of real float arithmetic, the tables of `ieee`
// and `payload`.
#ifndef CONGRUENT_NUMERIC_INTERNAL_H
#define CONGRUENT_NUMERIC_INTERNAL_H

#include "compiler/numeric/numeric.h"
#include "compiler/numeric/numeric_dot.h"
#include "sanitizer/fpsan_llvm.h"

// ---- vector.c -----------------------------------------------------------------------------------

// Records E_UNSUPPORTED at the op: "'addf': ...". Always false.
bool numeric_refuse(const NumericContext *cx, const char *format, ...) BASE_PRINTF(2, 3);
FpsanEmit numeric_emit(const NumericContext *cx);
// False, with a diagnostic that names it, where the op is defined by something that is not honoured: a rounding that is
// not among `roundings` (bit per FpsanRounding), a definition that is set and not in `flags` (of FloatDefinition) and
// in what the numeric of the context honours. Every hook that takes a FloatOp calls it, or a hook of `ieee` that does.
enum {
    ROUNDING_NEAREST = 1u << FPSAN_NEAREST_EVEN,
    ROUNDINGS_DIRECTED = 1u << FPSAN_TOWARD_ZERO | 1u << FPSAN_TOWARD_NEGATIVE | 1u << FPSAN_TOWARD_POSITIVE,
    ROUNDINGS_ALL = (1u << FPSAN_ROUNDING_COUNT) - 1,
};
bool numeric_honours(const NumericContext *cx, const FloatOp *op, const char *what, unsigned roundings, unsigned flags);
// Constant splats with the lanes of `like`: of a float or double value, and of bits read as float (32) or double (64).
LLVMValueRef vector_real_like(LLVMValueRef like, LLVMTypeRef scalar, double value);
// Bitcast, integer resize and intrinsic calls that keep the lanes of the value.
LLVMValueRef vector_bitcast(const NumericContext *cx, LLVMValueRef value, LLVMTypeRef scalar);
LLVMValueRef vector_zext_or_trunc(const NumericContext *cx, LLVMValueRef value, unsigned bits);
// Lanes first .. first+count-1 of a vector, and two vectors of one type one after the other.
LLVMValueRef vector_slice(const NumericContext *cx, LLVMValueRef value, unsigned first, unsigned count);
LLVMValueRef vector_join(const NumericContext *cx, const LLVMValueRef *pieces, unsigned count);
// The vector lengthened to `lanes` (the further lanes repeat lane 0), and lanes first, first + stride, ... of it.
LLVMValueRef vector_pad(const NumericContext *cx, LLVMValueRef value, unsigned lanes);
LLVMValueRef vector_stride(const NumericContext *cx, LLVMValueRef value, unsigned first, unsigned stride);

// ---- ieee.c -------------------------------------------------------------------------------------

// The real bits of a value in registers, as integers of the format's lane width, and back.
LLVMValueRef ieee_bits(const NumericContext *cx, FpsanFormat format, LLVMValueRef value);
LLVMValueRef ieee_value(const NumericContext *cx, FpsanFormat format, LLVMValueRef bits);

// ---- ieee_convert.c -----------------------------------------------------------------------------

// A float of any format in registers (f64 too) converted exactly to float; f64: not allowed. To double: any format.
LLVMValueRef ieee_to_single(const NumericContext *cx, FpsanFormat format, LLVMValueRef value);
LLVMValueRef ieee_to_double(const NumericContext *cx, FpsanFormat format, LLVMValueRef value);
// A float or double rounded to the format.
LLVMValueRef ieee_from_single(const NumericContext *cx, FpsanFormat format, LLVMValueRef single,
                              FpsanRounding rounding);
LLVMValueRef ieee_from_double(const NumericContext *cx, FpsanFormat format, LLVMValueRef value, FpsanRounding rounding);
bool ieee_convert(const NumericContext *cx, const FloatOp *op, const NumericValue *value, NumericValue *result);
bool ieee_from_integer(const NumericContext *cx, const FloatOp *op, const NumericValue *integer, NumericValue *result);
bool ieee_to_integer(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type, const NumericValue *value,
                     NumericValue *result);
LLVMValueRef ieee_fits_integer(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type,
                               const NumericValue *value);

// ---- ieee_arithmetic.c --------------------------------------------------------------------------

// Subnormals of a float to zero with their sign.
LLVMValueRef ieee_flush(const NumericContext *cx, LLVMValueRef single);
bool ieee_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                NumericValue *result);
bool ieee_compare(const NumericContext *cx, const FloatOp *op, const NumericValue *a, const NumericValue *b,
                  NumericValue *result);

// ---- ieee_directed.c ----------------------------------------------------------------------------

// ADD, SUB, MUL, DIV, FMA or SQRT on floats or doubles, rounded toward zero, minus or plus infinity.
LLVMValueRef ieee_directed(const NumericContext *cx, FpsanRule rule, FpsanRounding rounding,
                           const LLVMValueRef *operands, unsigned count);

// ---- ieee_math.c --------------------------------------------------------------------------------

// A rule that the C library has (FpsanRuleInfo.library) on floats or doubles. POWI: operand 1 is an i32.
LLVMValueRef ieee_function(const NumericContext *cx, FpsanRule rule, const LLVMValueRef *operands);

// ---- ieee_dot.c ---------------------------------------------------------------------------------

extern const NumericDots ieee_dots;
bool ieee_dot_plan(const NumericContext *cx, const FloatOp *op, unsigned part, NumericDot *plan);
LLVMValueRef ieee_dot_operand(const NumericContext *cx, const NumericDot *plan, unsigned piece,
                              const NumericValue *value);
LLVMValueRef ieee_dot_begin(const NumericContext *cx, const NumericDot *plan, LLVMValueRef part);
LLVMValueRef ieee_dot_end(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator);
LLVMValueRef ieee_dot_step(const NumericContext *cx, const NumericDot *plan, LLVMValueRef accumulator, LLVMValueRef a,
                           LLVMValueRef b);
bool ieee_dot_matrix(const NumericContext *cx, NumericDot *plan);
FpsanFormat ieee_scaled_format(const NumericContext *cx, FpsanFormat a, FpsanFormat b);
bool ieee_scaled_operand(const NumericContext *cx, const FloatOp *op, FpsanFormat scale_format,
                         const NumericValue *value, const NumericValue *scale, NumericValue *result);

#endif
