// SPDX-License-Identifier: Apache-2.0
// What the numerics share among themselves: helpers that build IR, and the functions of `ieee` that `shadow` calls.
#ifndef CONGRUENT_NUMERIC_INTERNAL_H
#define CONGRUENT_NUMERIC_INTERNAL_H

#include "compiler/numeric/numeric.h"
#include "compiler/numeric/numeric_dot.h"
#include "sanitizer/fpsan_llvm.h"

#include <stddef.h>

// ---- vector.c -----------------------------------------------------------------------------------

// Records E_UNSUPPORTED at the op: "'addf': ...". Always false.
bool numeric_refuse(const NumericContext *cx, const char *format, ...) BASE_PRINTF(2, 3);
// What the functions of fpsan_llvm.h are given in this context.
FpsanEmit numeric_emit(const NumericContext *cx);
// Whether all definitions of the op are honoured: its rounding is among `roundings` (bit per FpsanRounding), and each
// definition that is set is among `flags` (of FloatDefinition) and among cx->numeric->honours. If not, a diagnostic
// names the first that is not, and `what`. Every hook that takes a FloatOp calls it, or a hook of `ieee` that does.
enum {
    ROUNDING_NEAREST = 1u << FPSAN_NEAREST_EVEN,
    ROUNDINGS_DIRECTED = 1u << FPSAN_TOWARD_ZERO | 1u << FPSAN_TOWARD_NEGATIVE | 1u << FPSAN_TOWARD_POSITIVE,
    ROUNDINGS_ALL = (1u << FPSAN_ROUNDING_COUNT) - 1,
};
bool numeric_honours(const NumericContext *cx, const FloatOp *op, const char *what, unsigned roundings, unsigned flags);
// A constant of type `scalar` (float or double), in as many lanes as `like` has.
LLVMValueRef vector_real_like(LLVMValueRef like, LLVMTypeRef scalar, double value);
// Bitcast and unsigned resize, lane by lane.
LLVMValueRef vector_bitcast(const NumericContext *cx, LLVMValueRef value, LLVMTypeRef scalar);
LLVMValueRef vector_zext_or_trunc(const NumericContext *cx, LLVMValueRef value, unsigned bits);
// Lanes first .. first + count - 1 of a vector.
LLVMValueRef vector_slice(const NumericContext *cx, LLVMValueRef value, unsigned first, unsigned count);
// `count` vectors one after the other; none may be longer than those before it together.
LLVMValueRef vector_join(const NumericContext *cx, const LLVMValueRef *pieces, unsigned count);
// The vector lengthened to `lanes` lanes; the new ones repeat lane 0.
LLVMValueRef vector_pad(const NumericContext *cx, LLVMValueRef value, unsigned lanes);
// Lanes first, first + stride, ... of a vector.
LLVMValueRef vector_stride(const NumericContext *cx, LLVMValueRef value, unsigned first, unsigned stride);

// ---- planes.c ---------------------------------------------------------------------------------

// Plane of a word of HostRecord.
#define NUMERIC_PLANE_OF(member) (1 + offsetof(HostRecord, member) / sizeof(uint32_t))
enum {
    NUMERIC_PLANE_STATE = NUMERIC_PLANE_OF(state),
    NUMERIC_PLANE_COMPONENT = NUMERIC_PLANE_OF(component),
    NUMERIC_PLANE_LOW = NUMERIC_PLANE_OF(low),
    NUMERIC_PLANE_STORE = NUMERIC_PLANE_OF(store),
    NUMERIC_PLANE_HIGH = NUMERIC_PLANE_OF(high),
};
// i1 lanes: where the record is valid and belongs to the bits in plane 0.
LLVMValueRef numeric_record_holds(const NumericContext *cx, const LLVMValueRef *planes);
// Fills plane 0, the state (HOST_RECORD_VALID; of compact records host_record_check) and the bits of a record;
// NUMERIC_PLANE_HIGH becomes NULL where the floats have no memory for it.
void numeric_record_open(const NumericContext *cx, LLVMValueRef bits, LLVMValueRef *planes);
// The high words of integers of 64 bits.
LLVMValueRef numeric_high_word(const NumericContext *cx, LLVMValueRef bits);

// ---- ieee.c -------------------------------------------------------------------------------------

// The real bits of a value in registers, as integers of the format's lane_bits, and the value of such bits.
LLVMValueRef ieee_bits(const NumericContext *cx, FpsanFormat format, LLVMValueRef value);
LLVMValueRef ieee_value(const NumericContext *cx, FpsanFormat format, LLVMValueRef bits);

// ---- ieee_convert.c -----------------------------------------------------------------------------

// A value in registers as a float, which is exact; its format is not f64.
LLVMValueRef ieee_to_single(const NumericContext *cx, FpsanFormat format, LLVMValueRef value);
// A value in registers of any format as a double, which is exact.
LLVMValueRef ieee_to_double(const NumericContext *cx, FpsanFormat format, LLVMValueRef value);
// A float, or a double, rounded once to the format.
LLVMValueRef ieee_from_single(const NumericContext *cx, FpsanFormat format, LLVMValueRef single,
                              FpsanRounding rounding);
LLVMValueRef ieee_from_double(const NumericContext *cx, FpsanFormat format, LLVMValueRef value, FpsanRounding rounding);
// Hooks of Numeric.
bool ieee_convert(const NumericContext *cx, const FloatOp *op, const NumericValue *value, NumericValue *result);
bool ieee_from_integer(const NumericContext *cx, const FloatOp *op, const NumericValue *integer, NumericValue *result);
bool ieee_to_integer(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type, const NumericValue *value,
                     NumericValue *result);
LLVMValueRef ieee_fits_integer(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type,
                               const NumericValue *value);

// ---- ieee_arithmetic.c --------------------------------------------------------------------------

// i1 lanes: where a value in registers is NaN.
LLVMValueRef ieee_is_nan(const NumericContext *cx, FpsanFormat format, LLVMValueRef value);
// A float, or the zero of its sign if it is subnormal.
LLVMValueRef ieee_flush(const NumericContext *cx, LLVMValueRef single);
// Hooks of Numeric.
bool ieee_goes_with_flushing(const FloatOp *op, bool compares);
bool ieee_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                NumericValue *result);
bool ieee_compare(const NumericContext *cx, const FloatOp *op, const NumericValue *a, const NumericValue *b,
                  NumericValue *result);

// ---- ieee_directed.c ----------------------------------------------------------------------------

// ADD, SUB, MUL, DIV, FMA or SQRT on floats or doubles, rounded toward zero, minus or plus infinity.
LLVMValueRef ieee_directed(const NumericContext *cx, FpsanRule rule, FpsanRounding rounding,
                           const LLVMValueRef *operands, unsigned count);
// Of GPUs: the instruction that names the rounding (machine_directed) and, on floats, `flush`. NULL: there is none.
LLVMValueRef ieee_instruction(const NumericContext *cx, FpsanRule rule, FpsanRounding rounding, bool flush,
                              const LLVMValueRef *operands, unsigned count);
// An instruction of one type, for each lane: LLVM's intrinsic of that name, or the line of PTX ("op $0, $1;").
LLVMValueRef ieee_each_lane(const NumericContext *cx, const char *name, const LLVMValueRef *operands, unsigned count);

// ---- ieee_math.c --------------------------------------------------------------------------------

// op->rule, which the C library has (FpsanRuleInfo.library), on floats or doubles. POWI: operand 1 is an i32. Computed
// in doubles if the op says FLOAT_BY_DOUBLE; neither other implementations nor flush_to_zero are looked at, but for
// the keys of libdevice.
LLVMValueRef ieee_function(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands);
// Such a function on doubles, POWI's exponent among them, by the C library's vector functions: within 4 units in the
// last place of a double.
LLVMValueRef ieee_function_near(const NumericContext *cx, FpsanRule rule, const LLVMValueRef *operands);
// The C library's function of that name on doubles (integers too, if it takes them); `vectors`: its vector form where
// there is one, which is within 4 units in the last place. libdevice's function on floats or doubles, as `real` says.
LLVMValueRef ieee_library(const NumericContext *cx, const char *name, bool vectors, const LLVMValueRef *operands,
                          unsigned count);
LLVMValueRef ieee_device(const NumericContext *cx, const FloatOp *op, const char *function, LLVMTypeRef real,
                         const LLVMValueRef *operands, unsigned count);
// x or the nearer of the bounds, NaN stays NaN. The nearest integer of |y| < 2^21, as a float and as an i32. x * 2^n
// for an i32 n in [-200, 200], rounded once. All on floats.
LLVMValueRef ieee_clamp(const NumericContext *cx, LLVMValueRef x, double low, double high);
LLVMValueRef ieee_nearest_integer(const NumericContext *cx, LLVMValueRef y, LLVMValueRef *integer);
LLVMValueRef ieee_scale(const NumericContext *cx, LLVMValueRef x, LLVMValueRef n);

// ---- ieee_function.c ----------------------------------------------------------------------------

// op->function, whose rule is EXTERN, on floats and doubles; parts[0] of each operand, integers too. False, with a
// diagnostic, if IEEE arithmetic does not know it.
bool ieee_apply_function(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                         NumericValue *result);
// The same on doubles, within a few units in the last place.
bool ieee_function_of_doubles(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands, unsigned count,
                              LLVMValueRef *result);

// ---- ieee_approximate.c -------------------------------------------------------------------------

// op->rule on floats by its approximate instructions, or the formulas that stand for them. On GPUs with flush_to_zero;
// elsewhere exponentials and powers alone flush their results. NULL: the rule has none of op->implementation.
LLVMValueRef ieee_approximate(const NumericContext *cx, const FloatOp *op, const LLVMValueRef *operands);

// ---- ieee_dot.c ---------------------------------------------------------------------------------

extern const NumericDots ieee_dots; // has the hooks that follow
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
