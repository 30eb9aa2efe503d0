// SPDX-License-Identifier: Apache-2.0
// The tower algebra emitted as LLVM IR. Each function appends instructions at the builder's position and returns the
// result. tower.h says what the functions mean.
//
// A value is a component for each prime of the tower's chain and a state word, each an i32 or a vector <L x i32>, L up
// to 64; all have one shape. Results equal those of the scalar functions bit for bit, even in missing components.
// Emitted code may branch: then the builder ends in another block of the same function. Code that is rare (signs,
// infinities) or long (inverses, roots, exponentials, logarithms) is in private functions of the module, on 4, 8 or 16
// lanes, made when first needed. Their operands pass through two arrays in the entry block of the caller. Powers, and
// the tables of inverses, roots and logarithms, come from functions of the process, congruent_tower_*: a JIT takes
// their addresses from tower_runtime_address, objects link libfpsan_tower. Other tables are private constants of the
// module.
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
    // sum + the low 52 bits of the product of the low 52 bits of a and b, or (high) the 52 bits above them, in i64
    // lanes; NULL where the machine has no instruction for so many. The member may be NULL.
    LLVMValueRef (*multiply_add_52)(const void *data, bool high, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b);
    // entries[index mod TOWER_PICKED] in i64 lanes; NULL where the machine has no instruction for it. May be NULL, too.
    LLVMValueRef (*pick)(const void *data, const uint64_t *entries, LLVMValueRef index);
    // Whether the process that runs the code has the private function of that name, so that the module only declares
    // it. May be NULL: it has none.
    bool (*is_ready)(const void *data, const char *name);
    const void *data;
} TowerEmit;
enum { TOWER_PICKED = 16 };

typedef struct TowerValue {
    LLVMValueRef component[TOWER_LENGTH_MAX]; // those that the tower has
    LLVMValueRef state;
} TowerValue;

// The IEEE operands beside the payloads: bits of a format (integers of its lane_bits) in the payloads' lanes. `b` is
// NULL for rules that look at one operand. A NULL TowerIeee is allowed: infinite results are then positive, and no
// operand is a mask.
typedef struct TowerIeee {
    FpsanFormat format;
    LLVMValueRef a, b;
} TowerIeee;

// ---- emit_tower.c: values and the field operations ------------------------------------------------------------------

// A constant, with the lanes of `like` (a value of any type).
TowerValue tower_emit_constant(const TowerEmit *e, TowerPayload payload, LLVMValueRef like);
// condition (i1, or a vector of them) ? a : b.
TowerValue tower_emit_select(const TowerEmit *e, LLVMValueRef condition, const TowerValue *a, const TowerValue *b);
// The value with bits of TOWER_CARRIED set in the lanes where `where` (i1, or a vector of them) is true; NULL: in all.
TowerValue tower_emit_mark(const TowerEmit *e, const TowerValue *a, uint32_t bits, LLVMValueRef where);

// `a`, which was made of the operands by code of the caller; where an operand is poison, the first such operand.
TowerValue tower_emit_poisoned(const TowerEmit *e, const TowerValue *operands, unsigned count, const TowerValue *a);
// tower_known_integer, with `most` instead of Tower.integer_max. `most` is below half of the least prime.
typedef struct TowerKnownInteger {
    LLVMValueRef is_known, magnitude, is_negative; // lanes of i1, i32, i1
} TowerKnownInteger;
TowerKnownInteger tower_emit_known_integer(const TowerEmit *e, const TowerValue *a, uint32_t most);
// i1, or a vector of them: tower_goes_first.
LLVMValueRef tower_emit_goes_first(const TowerEmit *e, const TowerValue *a, const TowerValue *b);

TowerValue tower_emit_neg(const TowerEmit *e, const TowerValue *a);
TowerValue tower_emit_add(const TowerEmit *e, const TowerValue *a, const TowerValue *b);
TowerValue tower_emit_sub(const TowerEmit *e, const TowerValue *a, const TowerValue *b);
// `ieee`: a and b.
TowerValue tower_emit_mul(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee);
TowerValue tower_emit_fma(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerValue *c,
                          const TowerIeee *ieee);
TowerValue tower_emit_div(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee);
// a - quotient * b.
TowerValue tower_emit_remainder(const TowerEmit *e, const TowerValue *a, const TowerValue *b,
                                const TowerValue *quotient);

// ---- emit_tower.c: signed towers ------------------------------------------------------------------------------------
//
// All functions of this header take either kind of tower. Operands of products, quotients and powers may have
// TOWER_NEGATIVE.

// The same with the plain tower of the chain.
TowerEmit tower_plain_emit(const TowerEmit *e);
// As tower_unsigned.
TowerValue tower_emit_unsigned(const TowerEmit *e, const TowerValue *a);
// A product that will be added to others, so that it needs no phase.
TowerValue tower_emit_dot_product(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee);

// ---- emit_tower_degree.c: the tower of degrees ----------------------------------------------------------------------
//
// All functions of this header take it, but for those of dots: these are for it alone.

// What is either of the two: a where `takes_a`, if `is_told`; else a run with other payloads may take the other one.
TowerValue tower_emit_either(const TowerEmit *e, LLVMValueRef takes_a, LLVMValueRef is_told, const TowerValue *a,
                             const TowerValue *b);
// a power. An exponent that is half of an integer, as a payload, is at most k/2 in magnitude. k: i32 lanes.
TowerValue tower_emit_degree_power(const TowerEmit *e, const TowerValue *a, const TowerValue *exponent, LLVMValueRef k);
// Whether products add to that component in dots whose operands and first term have no denominators.
bool tower_degree_adds(unsigned component);
// Dots whose operands and first term have no denominators: as tower_emit_dot_step, and the component of what the sum
// and the first term are together. All i64 lanes.
LLVMValueRef tower_emit_degree_step(const TowerEmit *e, unsigned component, LLVMValueRef sum, LLVMValueRef a,
                                    LLVMValueRef b);
LLVMValueRef tower_emit_degree_end(const TowerEmit *e, unsigned component, LLVMValueRef sum, LLVMValueRef start);
// A sum that becomes an operand of a dot.
TowerValue tower_emit_degree_summed(const TowerEmit *e, const TowerValue *a);

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
// `ieee->a`: the IEEE result.
TowerValue tower_emit_pow(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee);
// `exponent`: signed integers of at most 32 bits, in the lanes of a.
TowerValue tower_emit_powi(const TowerEmit *e, const TowerValue *a, LLVMValueRef exponent);
TowerValue tower_emit_tag(const TowerEmit *e, const char *name, const TowerValue *operands, unsigned count);

// Makes the private functions of all rules on 4, 8 or 16 lanes, as calls make them: for code that is made beforehand.
void tower_emit_private(const TowerEmit *e, unsigned lanes);

// ---- emit_tower_value.c: values from outside ------------------------------------------------------------------------

// The exact value of a float's bits.
TowerValue tower_emit_embed(const TowerEmit *e, FpsanFormat format, LLVMValueRef bits);
// An integer of 1 to 64 bits.
TowerValue tower_emit_integer(const TowerEmit *e, LLVMValueRef integer, bool is_signed);

// ---- emit_tower.c: dots ---------------------------------------------------------------------------------------------
//
// A sum of products, one component at a time, in i64 lanes that are not reduced at each step. Operands are components
// zero-extended to i64; the first sum is 0 or a component. After at most tower_dot_steps steps the sum must be folded.
enum { TOWER_DOT_STEPS = 1 << 11, TOWER_DEEP_DOT_STEPS = 1 << 9 };
static inline unsigned tower_dot_steps(const Tower *t) {
    return t->length > TOWER_LENGTH ? TOWER_DEEP_DOT_STEPS : TOWER_DOT_STEPS;
}
// sum + a * b, not reduced.
LLVMValueRef tower_emit_dot_step(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b);
// 2^32 modulo the component's prime.
uint32_t tower_dot_power(const Tower *t, unsigned component);
// A smaller number that is congruent to the sum modulo the prime. `power`: tower_dot_power, as i64 in the sum's lanes.
LLVMValueRef tower_emit_dot_fold(const TowerEmit *e, LLVMValueRef power, LLVMValueRef sum);
// The sum modulo the prime: the component, as i32 lanes. The sum need not be folded.
LLVMValueRef tower_emit_dot_end(const TowerEmit *e, unsigned component, LLVMValueRef sum);
// The same of a sum that the caller has made i32 lanes below twice the prime.
LLVMValueRef tower_emit_dot_end_small(const TowerEmit *e, unsigned component, LLVMValueRef sum);

// Where operands may not be plain, a dot sums their states as well. No operand may have SIGN or KIND.
// The state of an operand for that, i32 lanes: with the highest bit set unless the value is a true zero.
LLVMValueRef tower_emit_dot_state(const TowerEmit *e, const TowerValue *a);
// `sum`, the union of the products' states so far (0 at first), with that of a * b.
LLVMValueRef tower_emit_dot_state_step(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b);
// The state of accumulator + the dot.
LLVMValueRef tower_emit_dot_state_end(const TowerEmit *e, LLVMValueRef sum, LLVMValueRef accumulator_state);

#ifdef __cplusplus
}
#endif
#endif
