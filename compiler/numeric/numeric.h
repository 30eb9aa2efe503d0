// SPDX-License-Identifier: Apache-2.0
// What a float operation means. A Numeric turns operations on floats into LLVM IR on scalars or on vectors of any lane
// count; it never sees tiles. `ieee` computes with real floats, `payload` with FpSan's integers in their place,
// `shadow` with real floats and beside each its payload in the tower algebra (sanitizer/tower.h).
//
// A float in registers is a NumericValue: numeric->part_count LLVM values ("parts"), each a scalar or a vector of the
// same lanes. `ieee`: one part; f32 is float, f64 double, every other format the integer of its storage width (i16, i8)
// holding its bits; tf32 is float. f4e2m1fn: i8 with the nibble in the low four bits. `payload`: one part, the payload
// as the integer type that fpsan_llvm.h uses for the format. `shadow`: the part of ieee, four components and a state,
// i32 each. An integer or boolean that may come from floats has numeric->integer_parts parts: its value, and in
// `shadow` marks (NUMERIC_MARK_*). Memory holds "planes": plane 0 is the real bits at the address itself; `shadow`
// has one more for each word of a HostRecord (host_abi.h) that floats of the format use, all i32.
//
// What the emitted code calls: functions of libm (fmod, exp, ...), and of glibc's vector libm where the machine has it
// (glibc 2.35 or newer); for GPUs of CUDA's libdevice. Objects need -lmvec -lm; a JIT must resolve both libraries. What
// machines have and how it is called is in compiler/target/machine.h. The emitted code expects the default
// floating-point environment: round to nearest, subnormals kept.
#ifndef CONGRUENT_NUMERIC_H
#define CONGRUENT_NUMERIC_H

#include "base/base.h"
#include "base/host_abi.h"
#include "compiler/target/machine.h"
#include "sanitizer/fpsan.h"
#include "sanitizer/tower.h"

#include <llvm-c/Core.h>

enum { NUMERIC_PARTS_MAX = 8, NUMERIC_PLANES_MAX = 1 + HOST_RECORD_WORDS, NUMERIC_LANES_MAX = 4096 };

typedef struct NumericValue {
    LLVMValueRef parts[NUMERIC_PARTS_MAX];
} NumericValue;

// Marks of an integer or boolean: what its making says about results it decides (tower.h: TOWER_NEAR, TOWER_ROUNDED).
// POISON: it is unspecified (TOWER_POISON); a float that it decides is poison. Marks are an i8. Where the context asks
// for more they are an i32 (marks.c): with origins it also says who made what is unspecified; where close calls are
// flipped by how much more the integer would be then, its step.
enum {
    NUMERIC_MARK_NEAR = 1,
    NUMERIC_MARK_ROUNDED = 2,
    NUMERIC_MARK_POISON = 16,
};

// An operation on floats with everything that is said about it. Definitions say what the result is; a numeric that does
// not honour one refuses it by name (numeric_honours). Licences say what it need not be: all are honoured by computing
// exactly.
//
// DEFINITION(id, field): FLOAT_<id>, and what FloatOp and messages call it
//   saturating     what does not fit is the nearest number that does; else it is undefined
//   propagate_nan  of min and max
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
    FLOAT_APPROXIMATE = 1,       // a fast approximation will do
    FLOAT_FULL_RANGE = 2,        // one that is right in the whole range will do
    FLOAT_FAST_ACCUMULATION = 4, // sums of products may be kept in fewer bits
} FloatLicence;
typedef struct FloatOp {
    FpsanRule rule;              // of rules (apply)
    FpsanFormat operand, result; // where there is but one float, both are its format; of dots: the accumulator
    // Definitions, nothing set where they are 0.
    FpsanRounding rounding;
#define FLOAT_DEFINITION_FIELD(id, field) bool field;
    FLOAT_DEFINITIONS(FLOAT_DEFINITION_FIELD)
#undef FLOAT_DEFINITION_FIELD
    FpsanPredicate predicate; // of comparisons
    bool unordered;           // of comparisons: true on NaN
    bool is_signed;           // of integers that it takes or makes
    unsigned licences;        // of FloatLicence
} FloatOp;
static inline FloatOp float_rule(FpsanRule rule, FpsanFormat format) {
    return (FloatOp){.rule = rule, .operand = format, .result = format};
}
static inline FloatOp float_conversion(FpsanFormat from, FpsanFormat to) {
    return (FloatOp){.rule = FPSAN_RULE_COUNT, .operand = from, .result = to};
}

enum { NUMERIC_FLIPS_SETTLED = 3 }; // see NumericContext.flips

typedef struct Numeric Numeric;
typedef struct NumericContext {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder; // positioned where code goes
    // Of the lowering (compiler/lower/code.h): the function it stands in, the block that allocas go to, slots for
    // lanes.
    LLVMValueRef function;
    LLVMBasicBlockRef entry_block;
    struct CodeSlots *slots;
    const Numeric *numeric;
    FpsanInstrumentation instrumentation; // profile and casts, of payload
    const Tower *tower;                   // of shadow
    const TowerMeaning *meanings;         // of shadow
    uint32_t meaning_count;
    // Of shadow: 0, or every comparison, min, max and rounding to an integer that was a close call (NUMERIC_MARK_NEAR)
    // gives the payload of the other choice in the half of all cases that a hash of its operands' payloads tells: 1 in
    // one half, 2 in the other. Numbers stay what they are. To decisions between the same two payloads it does the
    // same. NUMERIC_FLIPS_SETTLED: payloads alone decide all close calls, so that they fall alike wherever the same is
    // computed, however it was rounded.
    unsigned flips;
    TowerMasks masks; // of shadow
    Machine machine;
    Diagnostics *diagnostics;
    Location at; // of the op being lowered
    const char *op_name;
    bool poison;  // of shadow: results that the dialect leaves undefined are unspecified (tower_poison)
    bool origins; // of shadow: marks say who made what is unspecified; else nobody knows once integers passed it on
    // Of shadow: the op being lowered as who makes something poison (tower_poison), an i32 scalar; `what` and
    // `passed_on` are KernelStore's, `owner` is the function's own. NULL: 0.
    LLVMValueRef (*origin)(void *owner, const char *what, bool passed_on);
    void *owner;
} NumericContext;

typedef struct NumericDots NumericDots; // numeric_dot.h

// All functions that can fail record a diagnostic (E_UNSUPPORTED with cx->at and cx->op_name) and return false.
struct Numeric {
    const char *name; // "ieee", "payload", "shadow"
    unsigned honours; // of FloatDefinition: what at least some of its ops take; all others are refused
    unsigned part_count, integer_parts;
    bool has_records;     // floats in memory have planes beyond the first
    bool prints_payloads; // print_tko shows parts[0] as it is, not a number
    bool exact_addition;  // the sum of several numbers does not depend on their order
    // The scalar LLVM type of a part in registers and in tile memory.
    LLVMTypeRef (*part_type)(const NumericContext *cx, FpsanFormat format, unsigned part);
    // A scalar constant from real bits. Also padding, identities, masks.
    NumericValue (*constant)(const NumericContext *cx, FpsanFormat format, uint64_t bits);
    // Planes (plane 0: integers of the storage width) to a value and back. What loads and stores do. The plane of
    // HostRecord.store is the caller's.
    NumericValue (*from_planes)(const NumericContext *cx, FpsanFormat format, const LLVMValueRef *planes);
    void (*to_planes)(const NumericContext *cx, FpsanFormat format, const NumericValue *value, LLVMValueRef *planes);
    // The real bits that a bitcast, a print or an integer use sees, and a value from such bits.
    LLVMValueRef (*to_bits)(const NumericContext *cx, FpsanFormat format, const NumericValue *value);
    NumericValue (*from_bits)(const NumericContext *cx, FpsanFormat format, LLVMValueRef bits);
    // op->rule(operands...), all of one format: add, fma, exp2, ... POWI's exponent comes as parts[0] of operand 1, an
    // i32 vector read as signed.
    bool (*apply)(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                  NumericValue *result);
    bool (*convert)(const NumericContext *cx, const FloatOp *op, const NumericValue *value, NumericValue *result);
    bool (*from_integer)(const NumericContext *cx, const FloatOp *op, const NumericValue *integer,
                         NumericValue *result);
    // `type`: scalar integer type of the result; i1 too. Saturates in payload; in ieee too (the dialect leaves overflow
    // undefined).
    bool (*to_integer)(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type, const NumericValue *value,
                       NumericValue *result);
    // i1 lanes: whether the float, rounded towards zero, is an integer of that type. NULL where floats are no numbers.
    LLVMValueRef (*fits_integer)(const NumericContext *cx, const FloatOp *op, LLVMTypeRef type,
                                 const NumericValue *value);
    // The integer with what its marks say it would be; NULL where none do.
    LLVMValueRef (*flipped)(const NumericContext *cx, const NumericValue *integer);
    // The number `result` (parts[0]) as one that is a's, or b's, or both's; the payload is that of min and max. NULL
    // where there are none.
    NumericValue (*choose)(const NumericContext *cx, FpsanFormat format, LLVMValueRef result, LLVMValueRef is_a,
                           LLVMValueRef is_b, const NumericValue *a, const NumericValue *b);
    // i1 or vector of i1.
    bool (*compare)(const NumericContext *cx, const FloatOp *op, const NumericValue *a, const NumericValue *b,
                    NumericValue *result);
    // The value with the marks of what decided it. NULL where there are none.
    NumericValue (*mark)(const NumericContext *cx, const NumericValue *value, LLVMValueRef marks);
    // The scalar value as one that nobody specified (tower_poison); `origin` is an i32. NULL where there is none.
    NumericValue (*poison)(const NumericContext *cx, const NumericValue *value, LLVMValueRef origin);
    // Planes 1 and up (but that of HostRecord.store) of floats with these bits (plane 0) that nobody specified;
    // `origins` has their lanes. NULL where `poison` is.
    void (*poison_planes)(const NumericContext *cx, LLVMValueRef bits, LLVMValueRef origins, LLVMValueRef *planes);
    // Marks of bits that are the float's. NULL where integers have none.
    LLVMValueRef (*marks)(const NumericContext *cx, const NumericValue *value);
    const NumericDots *dots;
};

extern const Numeric numeric_ieee, numeric_payload, numeric_shadow;

// Planes of a float in memory; and which of them is HostRecord.store, 0 if there is none.
unsigned numeric_planes(const Numeric *numeric, FpsanFormat format);
unsigned numeric_store_plane(const Numeric *numeric);

// ---- marks.c: marks of integers, in lanes

unsigned numeric_mark_bits(const NumericContext *cx);
// Constant marks without origin, with the lanes of `like`.
LLVMValueRef numeric_marks_like(const NumericContext *cx, LLVMValueRef like, unsigned marks);
// Where close calls are flipped: marks with the step from integers `is` to `other`, in place of the one they have; the
// step of marks for integers of that many bits, modulo 2^bits. Steps are between -2^23 and 2^23: larger ones become the
// largest. The third: marks without a step, as those are where nothing is flipped.
LLVMValueRef numeric_with_step(const NumericContext *cx, LLVMValueRef marks, LLVMValueRef is, LLVMValueRef other);
LLVMValueRef numeric_step(const NumericContext *cx, LLVMValueRef marks, unsigned bits);
LLVMValueRef numeric_without_step(const NumericContext *cx, LLVMValueRef marks);
// i1 lanes: where one of the marks in `mark` is set.
LLVMValueRef numeric_has_mark(const NumericContext *cx, LLVMValueRef marks, unsigned mark);
// The marks of both; of two origins the lower one, of two steps neither is to be relied on. The second: of all lanes, a
// scalar.
LLVMValueRef numeric_unite_marks(const NumericContext *cx, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef numeric_unite_lanes(const NumericContext *cx, LLVMValueRef marks);
// NUMERIC_MARK_POISON in the lanes of `where` (i1), made by `origins` (i32, a scalar or lanes), which may be negative
// in the field as component 0 of a poison may.
LLVMValueRef numeric_poison_marks(const NumericContext *cx, LLVMValueRef where, LLVMValueRef origins);
// Who made what is unspecified (i32 lanes), 0 where nothing is or nobody knows.
LLVMValueRef numeric_mark_origins(const NumericContext *cx, LLVMValueRef marks);

// ---- vector.c: small helpers on "scalar or vector of lanes", shared by the numerics and by compiler/lower

unsigned vector_lanes(LLVMValueRef value);                           // 0 for scalars
LLVMTypeRef vector_type_like(LLVMTypeRef scalar, LLVMValueRef like); // scalar, or a vector with the lanes of `like`
LLVMTypeRef vector_type(LLVMTypeRef scalar, unsigned lanes);         // lanes 0: the scalar itself
LLVMTypeRef vector_element(LLVMTypeRef type);                        // the scalar type of a scalar or vector type
// Constant splat of an integer of that many bits, with the lanes of `like`.
LLVMValueRef vector_integer_like(LLVMValueRef like, unsigned bits, uint64_t value);
LLVMValueRef vector_splat(LLVMBuilderRef builder, LLVMValueRef scalar, unsigned lanes); // lanes 0: the scalar
// Calls an overloaded LLVM intrinsic ("llvm.fma"), overloaded on the type of the first operand.
LLVMValueRef vector_intrinsic(const NumericContext *cx, const char *name, const LLVMValueRef *operands, unsigned count);
// Calls an intrinsic with the given overload types.
LLVMValueRef vector_intrinsic_of(const NumericContext *cx, const char *name, LLVMTypeRef *overloads,
                                 unsigned overload_count, const LLVMValueRef *operands, unsigned count);

#endif
