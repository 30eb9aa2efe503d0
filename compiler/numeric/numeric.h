// SPDX-License-Identifier: Apache-2.0
// What a float operation means. A Numeric turns operations on floats into LLVM IR on scalars or on vectors of any lane
// count; it never sees tiles. `ieee` computes with real floats. `payload` computes with integers of Triton's ring in
// their place. `shadow` computes with real floats and carries a payload of the tower (sanitizer/tower.h) beside each;
// `wide` and `wider` carry the number that it would be without rounding.
//
// A float in registers is a NumericValue: numeric->part_count LLVM values ("parts"), all scalars, or all vectors with
// the same number of lanes.
//   ieee     one part. f32 and tf32 are float, f64 is double. Other formats are the integer of their storage width (i8,
//            i16) that holds their bits; f4e2m1fn is an i8 with the bits in the low half.
//   payload  one part: the payload, an integer of the format's lane_bits (formats.def).
//   shadow   six parts: that of ieee, four components (i32), a state (i32).
//   wide     two parts: that of ieee, a double. wider: three, and so a pair of doubles (pair.h)
// An integer or boolean that may come from floats has numeric->integer_parts parts: its value, and in `shadow` its
// marks (NUMERIC_MARK_*).
//
// A float in memory has "planes". Plane 0 holds the real bits, at the float's address. Numerics with records have one
// more plane, of i32, for each word of a HostRecord (host_abi.h) that they and floats of the format use.
//
// The emitted code calls libm (fmod, exp, ...) and, where the machine has it, glibc's vector libm (2.35 or newer); for
// GPUs it calls CUDA's libdevice. Objects need -lmvec -lm; a JIT must resolve both libraries. The emitted code expects
// the default floating-point environment: round to nearest, subnormals kept.
#ifndef CONGRUENT_NUMERIC_H
#define CONGRUENT_NUMERIC_H

#include "base/base.h"
#include "base/host_abi.h"
#include "compiler/implementation.h"
#include "compiler/target/machine.h"
#include "sanitizer/fpsan.h"
#include "sanitizer/tower.h"

#include <llvm-c/Core.h>

enum { NUMERIC_PARTS_MAX = 8, NUMERIC_PLANES_MAX = 1 + HOST_RECORD_WORDS, NUMERIC_LANES_MAX = 4096 };

typedef struct NumericValue {
    LLVMValueRef parts[NUMERIC_PARTS_MAX];
} NumericValue;

// Marks: what an integer or boolean carries of the floats that it was made from. NEAR: a close call decided it.
// ROUNDED: it was rounded from a float. POISON: it is unspecified. A float that it decides gets TOWER_NEAR,
// TOWER_ROUNDED or TOWER_POISON (tower.h). Marks are an i8; an i32 where the context wants more beside them (marks.c):
// with `origins` who made the unspecified value, with `flips` the integer's step: how much larger it would be if close
// calls had fallen otherwise.
enum {
    NUMERIC_MARK_NEAR = 1,
    NUMERIC_MARK_ROUNDED = 2,
    NUMERIC_MARK_POISON = 16,
};

// An operation on floats with everything that is said about it. Definitions say what the result is; a numeric that does
// not honour one refuses it by name (numeric_honours). Licences say what the result need not be: all numerics honour
// them by computing exactly. The implementation is what licences came to: it was chosen before (implementation.h), and
// `ieee` computes by it; payloads never ask for it.
//
// DEFINITION(id, field): FLOAT_<id>, and what FloatOp and messages call it
//   flush_to_zero  subnormal operands and results are zeros of their sign: f32 operands and f32 results, of rules,
//                  comparisons and conversions between f32 and f64. The approximate tanh alone ignores it
//   saturating     what does not fit, infinities too, becomes the nearest number that does, and NaN the largest number
//                  of a float format without NaN. Without it an integer is undefined, and a float is infinity, or what
//                  stands for it (fpsan_encode)
//   propagate_nan  min and max give NaN if an operand is NaN; without it, the other operand
#define FLOAT_DEFINITIONS(DEFINITION)                                                                                  \
    DEFINITION(FLUSH_TO_ZERO, flush_to_zero)                                                                           \
    DEFINITION(SATURATING, saturating)                                                                                 \
    DEFINITION(PROPAGATE_NAN, propagate_nan)
enum {
#define FLOAT_DEFINITION_NUMBER(id, field) FLOAT_NUMBER_##id,
    FLOAT_DEFINITIONS(FLOAT_DEFINITION_NUMBER)
#undef FLOAT_DEFINITION_NUMBER
        FLOAT_DEFINITION_COUNT
};
typedef enum FloatDefinition {
#define FLOAT_DEFINITION_BIT(id, field) FLOAT_##id = 1 << FLOAT_NUMBER_##id,
    FLOAT_DEFINITIONS(FLOAT_DEFINITION_BIT)
#undef FLOAT_DEFINITION_BIT
} FloatDefinition;
typedef enum FloatLicence {
    FLOAT_FAST_ACCUMULATION = 1, // sums of products may be kept in fewer bits
} FloatLicence;
typedef struct FloatOp {
    FpsanRule rule; // of Numeric.apply; FPSAN_RULE_COUNT in conversions
    // Of a call by name (functions.def): if the rule is EXTERN, the function. libdevice's symbol, which in profile
    // triton-3.9 has a rule of its own; NULL: it has that of the op.
    const FpsanFunction *function;
    const char *symbol;          // in a conversion the text of the inline assembly that it was
    FpsanFormat operand, result; // an op with one float has its format in both; of dots the result is the accumulator
    // Definitions.
    FpsanRounding rounding;
#define FLOAT_DEFINITION_FIELD(id, field) bool field;
    FLOAT_DEFINITIONS(FLOAT_DEFINITION_FIELD)
#undef FLOAT_DEFINITION_FIELD
    FpsanPredicate predicate; // of comparisons
    bool unordered;           // of comparisons: true on NaN
    bool is_signed;           // the integer that a conversion takes or makes
    unsigned licences;        // bits of FloatLicence
    // Of a rule that flushes: whatever reads the result reads a subnormal number as zero, so it need not be flushed.
    bool read_flushed;
    FloatImplementation implementation;
    bool below_zero;        // of abs: its payload is negated only where the operand is less than 0
    bool approximate_roots; // of functions: libdevice's own square roots may be approximate (__CUDA_PREC_SQRT is 0)
} FloatOp;
static inline FloatOp float_rule(FpsanRule rule, FpsanFormat format) {
    return (FloatOp){.rule = rule, .operand = format, .result = format};
}
// The conversion of Tile IR's ftof. To formats of 8 bits and less it saturates: it gives neither infinity nor, for a
// number, NaN.
static inline FloatOp float_conversion(FpsanFormat from, FpsanFormat to) {
    return (FloatOp){
        .rule = FPSAN_RULE_COUNT, .operand = from, .result = to, .saturating = fpsan_format_info(to)->bits <= 8};
}

enum { NUMERIC_FLIPS_SETTLED = 3 }; // see NumericContext.flips

typedef struct Numeric Numeric;
typedef struct NumericContext {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder; // positioned where code goes
    // Of the code builder (compiler/lower/code.h): the function that is built, the block that allocas go to, and the
    // allocas for lanes.
    LLVMValueRef function;
    LLVMBasicBlockRef entry_block;
    struct CodeSlots *slots;
    const Numeric *numeric;
    FpsanInstrumentation instrumentation; // profile and casts, of payload
    const Tower *tower;                   // of shadow
    const TowerMeaning *meanings;         // of shadow
    uint32_t meaning_count;
    // Of shadow: what close calls (NUMERIC_MARK_NEAR) of comparisons, min, max and roundings to integers do. Numbers
    // stay the same in any case. 0: they decide payloads as they decide numbers. 1: those whose operands' payloads have
    // an odd hash take the payload of the other choice; 2: those with an even hash. NUMERIC_FLIPS_SETTLED: payloads
    // alone decide, so that the same formula decides alike however it was rounded.
    unsigned flips;
    TowerMasks masks; // of shadow
    Machine machine;
    Diagnostics *diagnostics;
    Location at; // of the op being lowered
    const char *op_name;
    // Of ieee: the function is run while float instructions read subnormal operands as zeros, and its attributes say
    // so. All ops in it have passed Numeric.goes_with_flushing.
    bool flushes_operands;
    bool poison;  // of shadow: results that the dialect leaves undefined are unspecified (tower_poison)
    bool origins; // of shadow: marks say who made an unspecified value; else its origin is lost in integers
    // Of shadow: the origin (i32, a scalar) of what the op being lowered makes poison (tower_poison). `what` and
    // `passed_on` are KernelStore's; the function is given `owner`. NULL: all such origins are 0.
    LLVMValueRef (*origin)(void *owner, const char *what, bool passed_on);
    // Of shadow: asks what a decision of the op being lowered becomes (HostDecider); i64 lanes. NULL: what it is.
    LLVMValueRef (*decide)(void *owner, LLVMValueRef inputs, LLVMValueRef outcomes);
    void *owner;
} NumericContext;

typedef struct NumericDots NumericDots; // numeric_dot.h

// All functions that can fail record a diagnostic (E_UNSUPPORTED with cx->at and cx->op_name) and return false.
struct Numeric {
    const char *name; // "ieee", "payload", "shadow", "wide", "wider"
    unsigned honours; // bits of FloatDefinition that at least some of its ops honour; all ops refuse the others
    unsigned part_count, integer_parts;
    bool has_records;         // floats in memory have planes beyond the first
    HostRecords records;      // with records: what they are of
    unsigned component_words; // with records: how many words of HostRecord.component it uses
    // Steps of loops have lanes as if parts had so many bits, where they have more; 0: as they have.
    unsigned lane_bits;
    bool prints_payloads; // print_tko shows parts[0] as it is, not a number
    bool exact_addition;  // the sum of several numbers does not depend on their order
    // The scalar LLVM type of a part in registers and in tile memory.
    LLVMTypeRef (*part_type)(const NumericContext *cx, FpsanFormat format, unsigned part);
    // A scalar constant with these real bits; padding, identities and masks are constants too.
    NumericValue (*constant)(const NumericContext *cx, FpsanFormat format, uint64_t bits);
    // The plane that has the part in memory that keeps parts (numeric_keeps). NULL: there is but one part.
    unsigned (*plane_of_part)(unsigned part);
    // The value that a load makes of planes, and the planes that a store makes of a value. Plane 0 has integers of the
    // storage width.
    NumericValue (*from_planes)(const NumericContext *cx, FpsanFormat format, const LLVMValueRef *planes);
    void (*to_planes)(const NumericContext *cx, FpsanFormat format, const NumericValue *value, LLVMValueRef *planes);
    // The real bits that a bitcast, a print or an integer use sees, and a value from such bits.
    LLVMValueRef (*to_bits)(const NumericContext *cx, FpsanFormat format, const NumericValue *value);
    NumericValue (*from_bits)(const NumericContext *cx, FpsanFormat format, LLVMValueRef bits);
    // op->rule(operands...), all of one format: add, fma, exp2, ... POWI's exponent is parts[0] of operand 1, a signed
    // i32 or a vector of them; so are the integers among the operands of op->function.
    bool (*apply)(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                  NumericValue *result);
    bool (*convert)(const NumericContext *cx, const FloatOp *op, const NumericValue *value, NumericValue *result);
    bool (*from_integer)(const NumericContext *cx, const FloatOp *op, const NumericValue *integer,
                         NumericValue *result);
    // `type`: scalar integer type of the result; i1 too. What does not fit becomes the nearest integer that does, also
    // where the op does not say `saturating`.
    bool (*to_integer)(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type, const NumericValue *value,
                       NumericValue *result);
    // i1 lanes: whether the float, rounded towards zero, is an integer of that type. NULL where floats are payloads.
    LLVMValueRef (*fits_integer)(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type,
                                 const NumericValue *value);
    // The integer plus the step of its marks: what it would be if close calls had fallen otherwise. NULL, or a result
    // of NULL: there are no steps.
    LLVMValueRef (*flipped)(const NumericContext *cx, const NumericValue *integer);
    // Gives `result` (parts[0]), a min or max of a and b that code outside has chosen, the payload that min and max
    // give. is_a and is_b (i1 lanes): `result` is the number of a, of b, or of both. NULL: numbers need no payload.
    NumericValue (*choose)(const NumericContext *cx, FpsanFormat format, LLVMValueRef result, LLVMValueRef is_a,
                           LLVMValueRef is_b, const NumericValue *a, const NumericValue *b);
    // `result` is an i1 or a vector of them.
    bool (*compare)(const NumericContext *cx, const FloatOp *op, const NumericValue *a, const NumericValue *b,
                    NumericValue *result);
    // The value with the marks of what decided it added to its state. NULL where integers have no marks.
    NumericValue (*mark)(const NumericContext *cx, const NumericValue *value, LLVMValueRef marks);
    // The scalar value as one that nobody specified (tower_poison); `origin` is an i32. NULL where there is no poison.
    NumericValue (*poison)(const NumericContext *cx, const NumericValue *value, LLVMValueRef origin);
    // Fills planes 1 and up for unspecified floats whose bits are `bits` (plane 0).
    // `origins`: an i32 for each lane of `bits`. NULL where `poison` is NULL.
    void (*poison_planes)(const NumericContext *cx, LLVMValueRef bits, LLVMValueRef origins, LLVMValueRef *planes);
    // Whether the op, a comparison (`compares`), a conversion or one of `apply`, has the same result where
    // NumericContext.flushes_operands. NULL: none has.
    bool (*goes_with_flushing)(const FloatOp *op, bool compares);
    // The marks of an integer that is the float's bits. NULL where integers have no marks.
    LLVMValueRef (*marks)(const NumericContext *cx, const NumericValue *value);
    const NumericDots *dots;
};

extern const Numeric numeric_ieee, numeric_payload, numeric_shadow, numeric_wide, numeric_wider;
// `shadow` for deep towers (NumericContext.tower), and for the tower of degrees.
extern const Numeric numeric_deep_shadow, numeric_degree_shadow;

// How many planes a float of the format has in memory, plane 0 included. Those without numeric_has_plane have a number,
// but are neither loaded nor stored.
unsigned numeric_planes(const Numeric *numeric, FpsanFormat format);
bool numeric_has_plane(const Numeric *numeric, unsigned plane);
// Whether memory of which a kernel alone knows can keep floats as their parts, one in each plane: then loads and stores
// compute nothing, and kernels of dots add to what is there. A value of such planes, and back.
bool numeric_keeps(const NumericContext *cx, FpsanFormat format);
NumericValue numeric_kept_value(const NumericContext *cx, FpsanFormat format, const LLVMValueRef *planes);
void numeric_kept_planes(const NumericContext *cx, FpsanFormat format, const NumericValue *value,
                         LLVMValueRef *planes);
// Puts HostRecord.store (an i32) into the planes where it is in memory, and drops it.
void numeric_pack_planes(const NumericContext *cx, LLVMValueRef store, LLVMValueRef *planes);
void numeric_unpack_planes(const NumericContext *cx, LLVMValueRef *planes);

// ---- marks.c: marks of integers, in lanes

// The width of marks: 8 or 32.
unsigned numeric_mark_bits(const NumericContext *cx);
// Constant marks (bits of NUMERIC_MARK_*) without origin or step, with the lanes of `like`.
LLVMValueRef numeric_marks_like(const NumericContext *cx, LLVMValueRef like, unsigned marks);
// For code with NumericContext.flips: the marks with the step from integers `is` to integers `other` in place of their
// own. Steps are between -2^23 and 2^23; one that is further becomes the last before.
LLVMValueRef numeric_with_step(const NumericContext *cx, LLVMValueRef marks, LLVMValueRef is, LLVMValueRef other);
// The step in marks, as integers of that many bits (modulo 2^bits).
LLVMValueRef numeric_step(const NumericContext *cx, LLVMValueRef marks, unsigned bits);
LLVMValueRef numeric_without_step(const NumericContext *cx, LLVMValueRef marks);
// i1 lanes: where one of the marks in `mark` is set.
LLVMValueRef numeric_has_mark(const NumericContext *cx, LLVMValueRef marks, unsigned mark);
// The marks of both. Of two origins it keeps the lower one. If both have a step, that of the result means nothing.
LLVMValueRef numeric_unite_marks(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b);
// The marks of all lanes, a scalar.
LLVMValueRef numeric_unite_lanes(const NumericContext *cx, LLVMValueRef marks);
// NUMERIC_MARK_POISON in the lanes of `where` (i1), with `origins` (i32, a scalar or lanes) as who made it. These are
// components of a poison, TOWER_ORIGIN_COMPONENT, which may be negative in their field (tower_poison).
LLVMValueRef numeric_poison_marks(const NumericContext *cx, LLVMValueRef where, LLVMValueRef origins);
// Who made what is unspecified (i32 lanes); 0 where nothing is unspecified or the origin is not known.
LLVMValueRef numeric_mark_origins(const NumericContext *cx, LLVMValueRef marks);

// ---- vector.c: helpers for values that are a scalar or a vector of lanes; compiler/lower uses them too

unsigned vector_lanes(LLVMValueRef value);                           // 0 for scalars
LLVMTypeRef vector_type_like(LLVMTypeRef scalar, LLVMValueRef like); // scalar, or a vector with the lanes of `like`
LLVMTypeRef vector_type(LLVMTypeRef scalar, unsigned lanes);         // lanes 0: the scalar itself
LLVMTypeRef vector_element(LLVMTypeRef type);                        // the scalar type of a scalar or vector type
// A constant integer of that many bits, in as many lanes as `like` has.
LLVMValueRef vector_integer_like(LLVMValueRef like, unsigned bits, uint64_t value);
LLVMValueRef vector_splat(LLVMBuilderRef builder, LLVMValueRef scalar, unsigned lanes); // lanes 0: the scalar
// Calls an overloaded LLVM intrinsic ("llvm.fma"), overloaded on the type of the first operand.
LLVMValueRef vector_intrinsic(const NumericContext *cx, const char *name, const LLVMValueRef *operands, unsigned count);
// Calls an intrinsic with the given overload types.
LLVMValueRef vector_intrinsic_of(const NumericContext *cx, const char *name, LLVMTypeRef *overloads,
                                 unsigned overload_count, const LLVMValueRef *operands, unsigned count);

#endif
