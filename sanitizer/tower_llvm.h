// SPDX-License-Identifier: Apache-2.0
// The tower algebra emitted as LLVM IR: each function appends instructions at the builder's position and returns the
// result. tower.h says what they mean.
//
// A value is four components and a state word, each an i32 or a vector <L x i32> (L up to 64; one shape for all).
// Results are the scalar functions' bit for bit, in the components that MISSING marks too. Emitted code may branch: the
// builder ends in another block of the same function. What is rare (signs, infinities) or long (inverses, roots,
// exponentials, logarithms) is in private functions of the module, on 4, 8 or 16 lanes, made when first needed; they
// use two arrays in the entry block of the caller. Inverses, roots and logarithms read tables of the process, powers
// are computed by it: they call congruent_tower_*. tower_runtime_address gives a JIT the addresses; objects link
// libfpsan_tower. Other tables are private constants of the module.
#ifndef CONGRUENT_TOWER_LLVM_H
#define CONGRUENT_TOWER_LLVM_H

#include <llvm-c/Core.h>

#include "sanitizer/tower.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where and what to emit. Everything is borrowed; the builder must be positioned in a function of the module.
typedef struct TowerEmit {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    const Tower *tower;
} TowerEmit;

typedef struct TowerValue {
    LLVMValueRef component[TOWER_LENGTH];
    LLVMValueRef state;
} TowerValue;

// The IEEE operands beside the payloads, as bits of a format (integers of its lane_bits, the payloads' lanes); b NULL
// where a rule looks at one. Where a rule takes a TowerIeee, NULL is allowed: an infinite result is then positive, an
// operand no mask.
typedef struct TowerIeee {
    FpsanFormat format;
    LLVMValueRef a, b;
} TowerIeee;

// ---- emit_tower.c: values and the field operations ------------------------------------------------------------------

// A constant, with the lanes of `like` (a value of any type).
TowerValue tower_emit_constant(const TowerEmit *e, TowerPayload payload, LLVMValueRef like);
// condition (i1, or a vector of them) ? a : b; min, max, select and what else moves payloads.
TowerValue tower_emit_select(const TowerEmit *e, LLVMValueRef condition, const TowerValue *a, const TowerValue *b);
// The value with bits of TOWER_CARRIED set: everywhere, or in the lanes of `where` (i1, or a vector of them; NULL:
// everywhere).
TowerValue tower_emit_mark(const TowerEmit *e, const TowerValue *a, uint32_t bits, LLVMValueRef where);

// `a`, which was made of operands by other means than these functions; the first of them that is poison, where one is.
TowerValue tower_emit_poisoned(const TowerEmit *e, const TowerValue *operands, unsigned count, const TowerValue *a);
// Whether all components are one integer, of at most `most` in magnitude (i1 lanes; `most` is below half of the least
// prime), and which (i32, i1 lanes). tower_known_integer has TOWER_INTEGER_MAX.
typedef struct TowerKnownInteger {
    LLVMValueRef is_known, magnitude, is_negative;
} TowerKnownInteger;
TowerKnownInteger tower_emit_known_integer(const TowerEmit *e, const TowerValue *a, uint32_t most);
// i1, or a vector of them: tower_goes_first.
LLVMValueRef tower_emit_goes_first(const TowerEmit *e, const TowerValue *a, const TowerValue *b);

TowerValue tower_emit_neg(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_add(const TowerEmit *e, const TowerValue *a, const TowerValue *b);
TowerValue tower_emit_sub(const TowerEmit *e, const TowerValue *a, const TowerValue *b);
// `ieee`: the operands a and b.
TowerValue tower_emit_mul(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee);
TowerValue tower_emit_fma(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerValue *c,
                          const TowerIeee *ieee);
TowerValue tower_emit_div(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee);
// a - quotient * b.
TowerValue tower_emit_remainder(const TowerEmit *e, const TowerValue *a, const TowerValue *b,
                                const TowerValue *quotient);

// ---- emit_tower.c: signed towers ------------------------------------------------------------------------------------
//
// All functions here take either kind of tower. Operands of products, quotients and powers may have TOWER_NEGATIVE.

// For the plain tower of the same chain.
TowerEmit tower_plain_emit(const TowerEmit *e);
// The value without phases.
TowerValue tower_emit_unsigned(const TowerEmit *e, const TowerValue *a);
// A product that becomes a term of a sum of others: its phase is not asked for.
TowerValue tower_emit_dot_product(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee);

// ---- emit_tower_call.c: functions -----------------------------------------------------------------------------------

// `ieee->a`: the operand.
TowerValue tower_emit_exp2(const TowerEmit *e, const TowerValue *a, const TowerIeee *ieee);
TowerValue tower_emit_exp(const TowerEmit *e, const TowerValue *a, const TowerIeee *ieee);
TowerValue tower_emit_log2(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_log(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_sqrt(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_rsqrt(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_tanh(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_sinh(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_cosh(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_sin(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_cos(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_tan(const TowerEmit *e, const TowerValue *a);
// `ieee->a`: the power, the result.
TowerValue tower_emit_pow(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee);
// The exponent is an integer of at most 32 bits with the lanes of a, read as signed.
TowerValue tower_emit_powi(const TowerEmit *e, const TowerValue *a, LLVMValueRef exponent);
TowerValue tower_emit_tag(const TowerEmit *e, const char *name, const TowerValue *operands, unsigned count);

// ---- emit_tower_value.c: values from outside ------------------------------------------------------------------------

// The exact value of a float's bits.
TowerValue tower_emit_embed(const TowerEmit *e, FpsanFormat format, LLVMValueRef bits);
// An integer of 1 to 64 bits.
TowerValue tower_emit_integer(const TowerEmit *e, LLVMValueRef integer, bool is_signed);

// ---- emit_tower.c: dots ---------------------------------------------------------------------------------------------
//
// A sum of products, one component at a time: i64 lanes that are reduced rarely. Operands are components zero-extended
// to i64. At most TOWER_DOT_STEPS steps may follow each other without a fold; the first sum is 0 or a component.
enum { TOWER_DOT_STEPS = 64 };
// sum + a * b, not reduced.
LLVMValueRef tower_emit_dot_step(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b);
// 2^32 modulo the component's prime; and a smaller number that is the same as the sum modulo that prime, `power` being
// it in the sum's lanes.
uint32_t tower_dot_power(const Tower *t, unsigned component);
LLVMValueRef tower_emit_dot_fold(const TowerEmit *e, LLVMValueRef power, LLVMValueRef sum);
// The component (i32 lanes) that a sum stands for; it need not be folded.
LLVMValueRef tower_emit_dot_end(const TowerEmit *e, unsigned component, LLVMValueRef sum);

// States go beside them where not all operands are plain, if no operand has SIGN or KIND.
// A dot's operand is packed into one i32: the state, and whether it is another value than a true zero; i32 lanes.
LLVMValueRef tower_emit_dot_state(const TowerEmit *e, const TowerValue *a);
// The union of the states of products: i32 lanes, 0 at first.
LLVMValueRef tower_emit_dot_state_step(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b);
// The state of the dot plus `accumulator`'s, whose state it is given. Neither has SIGN or KIND.
LLVMValueRef tower_emit_dot_state_end(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef accumulator_state);

#ifdef __cplusplus
}
#endif
#endif
