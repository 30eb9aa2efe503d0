// SPDX-License-Identifier: Apache-2.0
// Numbers: float formats and integer types, roundings and comparisons, what others call them, and the exact conversions
// among them. libc only, for C and C++. Every other list of formats in the project is made of these rows (formats.def,
// integers.def, roundings.def, predicates.def).
//
// Bits are the encoding of a number in the low bits of a uint64_t. Bits above the format's lane width are ignored on
// input and zero on output.
#ifndef CONGRUENT_FORMAT_H
#define CONGRUENT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- tables.c: the float formats ------------------------------------------------------------------------------------

typedef enum FpsanFormat {
#define FORMAT(name, ...) FPSAN_##name,
#include "sanitizer/format/formats.def"
#undef FORMAT
    FPSAN_FORMAT_COUNT
} FpsanFormat;

typedef enum FpsanSpecials { FPSAN_IEEE, FPSAN_FN, FPSAN_FINITE, FPSAN_POWER } FpsanSpecials;

// tf32 is carried in f32's layout: value in the upper 19 bits, below them 13 bits that rounding to tf32 makes zero.
// (Tile IR writes tf32 constants as those 19 bits alone: shift them left by 13.) f4 is carried as 0..15 in 8 bits, one
// element each.
typedef struct FpsanFormatInfo {
    const char *name;
    unsigned bits, exponent_bits, mantissa_bits;
    int bias;
    FpsanSpecials specials;
    bool is_signed;
    unsigned storage_bits; // of one element in memory; two f4 share a byte, the first in the low nibble
    unsigned ring_bits;    // w; 0: no ring of its own (e8m0, fnv8): the "payload" is the bits
    unsigned lane_bits;    // width of the integer that carries bits and payloads: 64, 32, 16 or 8
    uint64_t one;          // bits of 1.0
} FpsanFormatInfo;

const FpsanFormatInfo *fpsan_format_info(FpsanFormat format);
// The format called `name` ("f16"); false if there is none.
bool fpsan_format_by_name(const char *name, FpsanFormat *format);
// Whether rules apply to payloads of the format: it has a ring and an embedding (all but f4, e8m0, fnv8, which only
// cast).
bool fpsan_format_has_rules(FpsanFormat format);

// ---- convert.c: exact conversions of real bits ----------------------------------------------------------------------

typedef enum FpsanRounding {
#define ROUNDING(name, ...) FPSAN_##name,
#include "sanitizer/format/roundings.def"
#undef ROUNDING
    FPSAN_ROUNDING_COUNT
} FpsanRounding;
const char *fpsan_rounding_name(FpsanRounding rounding);

// The exact value of the bits. A NaN keeps its sign and the upper bits of its mantissa.
double fpsan_decode(FpsanFormat format, uint64_t bits);
// The bits of `value` rounded to the format, correctly and once. Overflow: IEEE 754's choice of infinity or largest
// finite; NaN stands in for infinity where there is none, and in f4 the largest finite. NaN: the quiet NaN with the
// sign of `value`; f4: negative zero. Formats without a sign take the magnitude (as NVIDIA's conversions do). e8m0 has
// no zero: what is below 2^-127, zero included, becomes 2^-127 in every mode.
uint64_t fpsan_encode(FpsanFormat format, double value, FpsanRounding rounding);
uint64_t fpsan_encode_nearest(FpsanFormat format, double value);
// fpsan_encode of fpsan_decode, with one rounding.
uint64_t fpsan_convert(FpsanFormat from, FpsanFormat to, uint64_t bits, FpsanRounding rounding);
// An integer of `width` bits (1..64), rounded once to nearest even (signed: bit width-1 is the sign, a signed i1 is 0
// or -1).
uint64_t fpsan_integer_to_bits(FpsanFormat to, uint64_t integer, unsigned width, bool is_signed);
// The value toward zero, saturated to the range of the integer type, NaN to 0; in the low `width` bits.
uint64_t fpsan_bits_to_integer(FpsanFormat from, uint64_t bits, unsigned width, bool is_signed);

typedef enum FpsanPredicate {
#define PREDICATE(name, ...) FPSAN_##name,
#include "sanitizer/format/predicates.def"
#undef PREDICATE
    FPSAN_PREDICATE_COUNT
} FpsanPredicate;
// IEEE comparison of real bits. With a NaN operand an ordered comparison is false, an unordered one true.
bool fpsan_compare_bits(FpsanFormat format, FpsanPredicate predicate, bool ordered, uint64_t a, uint64_t b);

// Classes of real bits; a set of them is their sum.
enum {
    FPSAN_CLASS_NAN = 1,
    FPSAN_CLASS_INFINITE = 2,
    FPSAN_CLASS_NORMAL = 4,
    FPSAN_CLASS_SUBNORMAL = 8,
    FPSAN_CLASS_ZERO = 16,
    FPSAN_CLASS_NEGATIVE = 32 // the sign bit is set, beside one of the above
};
unsigned fpsan_classify_bits(FpsanFormat format, uint64_t bits);

// ---- tables.c: numbers in memory and as arguments, floats and integers ----------------------------------------------

// The formats first, in their order: an ElementType below FPSAN_FORMAT_COUNT is a FpsanFormat.
typedef enum ElementType {
#define FORMAT(name, ...) ELEMENT_##name,
#include "sanitizer/format/formats.def"
#undef FORMAT
#define INTEGER(name, ...) ELEMENT_##name,
#include "sanitizer/format/integers.def"
#undef INTEGER
    ELEMENT_TYPE_COUNT
} ElementType;

typedef struct ElementInfo {
    const char *name;      // as in case files
    unsigned bits;         // that carry the value (i1: 1, tf32: 19)
    unsigned storage_bits; // of an element in memory (i1: 8, tf32: 32, i4 and f4e2m1fn: 4)
    uint64_t used;         // which bits of an element in memory carry its value
    bool in_cases;         // buffers and arguments of cases may have it
    // Names elsewhere, "" where it has none: the dtypes of .npy files, between blanks; in the mangled names of cuTile's
    // entries, of unsigned integers too; of Triton.
    const char *numpy, *cutile, *cutile_unsigned, *triton;
} ElementInfo;

const ElementInfo *element_info(ElementType type);
// The type that case files call `name`; false if they have none.
bool element_by_name(const char *name, ElementType *type);
bool element_is_float(ElementType type);
static inline FpsanFormat element_format(ElementType type) { // FPSAN_FORMAT_COUNT: an integer
    return (unsigned)type < FPSAN_FORMAT_COUNT ? (FpsanFormat)type : FPSAN_FORMAT_COUNT;
}

// ---- tables.c: what is computed with floats -------------------------------------------------------------------------

typedef enum FpsanRule {
#define RULE(name, ...) FPSAN_RULE_##name,
#include "sanitizer/format/rules.def"
#undef RULE
    FPSAN_RULE_COUNT
} FpsanRule;

typedef enum FpsanRuleKind {
    FPSAN_KIND_RING,
    FPSAN_KIND_TAG,
    FPSAN_KIND_BITS,
    FPSAN_KIND_FUNCTION,
    FPSAN_KIND_EXTERN
} FpsanRuleKind;

typedef struct FpsanRuleInfo {
    const char *name;
    unsigned operands; // 0: any number
    FpsanRuleKind kind;
    const char *library;             // the C library's function, or ""
    const char *narrow, *wide, *fast; // libdevice's symbols that are this rule, or ""
} FpsanRuleInfo;
const FpsanRuleInfo *fpsan_rule_info(FpsanRule rule);
bool fpsan_rule_by_name(const char *name, FpsanRule *rule);

#ifdef __cplusplus
}
#endif

#endif
