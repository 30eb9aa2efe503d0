// SPDX-License-Identifier: Apache-2.0
// Numbers: float formats, integer types, roundings, comparisons, float rules, what others call them, and exact
// conversions. Needs libc only, for C and C++. Every other list of them in the project is made of the rows here
// (formats.def, integers.def, roundings.def, predicates.def, rules.def).
//
// "Bits" are the encoding of a number in the low bits of a uint64_t. Bits above the format's lane width are ignored on
// input and zero on output.
#ifndef CONGRUENT_FORMAT_H
#define CONGRUENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
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

typedef enum FpsanSpecials { FPSAN_IEEE, FPSAN_FN, FPSAN_FNUZ, FPSAN_FINITE, FPSAN_POWER } FpsanSpecials;

// A tf32 has f32's layout: its value is in the upper 19 bits; the 13 bits below are zero after rounding to tf32. (Tile
// IR writes tf32 constants as the 19 bits alone: shift them left by 13.) An f4 is 0..15, an f6 0..63, alone in 8 bits;
// the bits of a lane above those of an f6 mean nothing.
typedef struct FpsanFormatInfo {
    const char *name;
    unsigned bits, exponent_bits, mantissa_bits;
    int bias;
    FpsanSpecials specials;
    bool is_signed;
    unsigned storage_bits; // of one element in memory; two f4 share a byte, the first in the low nibble
    unsigned padding_bits; // below the encoding in memory: tf32 13
    unsigned ring_bits;    // w; 0: it has no ring (e8m0, fnv8), its "payload" is its bits
    unsigned lane_bits;    // width of the integer that holds bits or a payload: 64, 32, 16 or 8
    uint64_t one;          // bits of 1.0
} FpsanFormatInfo;

const FpsanFormatInfo *fpsan_format_info(FpsanFormat format);
// The format with that name ("f16"). False if there is none.
bool fpsan_format_by_name(const char *name, FpsanFormat *format);
// Whether rules apply to payloads of the format. False for f4, e8m0 and fnv8, which can only be cast.
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
// The bits of `value` rounded once to the format. Overflow gives infinity or the largest finite number, as IEEE 754
// says for the rounding; formats without infinity have NaN in its place, f4 and f6 their largest number. NaN gives the
// quiet NaN with the sign of `value`; in f4 and f6 negative zero. Formats without a sign take the magnitude, as
// NVIDIA's conversions do. FNUZ formats have one NaN and one zero. e8m0 has no zero: all below 2^-127, zero included,
// becomes 2^-127 in every rounding.
uint64_t fpsan_encode(FpsanFormat format, double value, FpsanRounding rounding);
uint64_t fpsan_encode_nearest(FpsanFormat format, double value); // to nearest even
// The same, but what is beyond the largest number, infinity too, gives that with its sign, as does NaN (the positive
// one) in a format that has none.
uint64_t fpsan_encode_saturating(FpsanFormat format, double value, FpsanRounding rounding);
// fpsan_encode of fpsan_decode.
uint64_t fpsan_convert(FpsanFormat from, FpsanFormat to, uint64_t bits, FpsanRounding rounding);
// An integer of `width` bits (1..64), rounded once to nearest even. If signed, its sign is bit width-1, so a signed i1
// is 0 or -1.
uint64_t fpsan_integer_to_bits(FpsanFormat to, uint64_t integer, unsigned width, bool is_signed);
// The value truncated to an integer of `width` bits and saturated to its range, in the low bits. NaN gives 0.
uint64_t fpsan_bits_to_integer(FpsanFormat from, uint64_t bits, unsigned width, bool is_signed);

typedef enum FpsanPredicate {
#define PREDICATE(name, ...) FPSAN_##name,
#include "sanitizer/format/predicates.def"
#undef PREDICATE
    FPSAN_PREDICATE_COUNT
} FpsanPredicate;
// IEEE comparison of real bits. With a NaN operand an ordered comparison is false, an unordered one true.
bool fpsan_compare_bits(FpsanFormat format, FpsanPredicate predicate, bool ordered, uint64_t a, uint64_t b);

// Classes of real bits. A set of classes is their sum.
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

// The types of elements. Those of floats come first, so that an ElementType below FPSAN_FORMAT_COUNT is a FpsanFormat.
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
    unsigned bits;         // of its value (i1: 1, tf32: 19)
    unsigned storage_bits; // of an element in memory (i1: 8, tf32: 32, i4 and f4e2m1fn: 4)
    uint64_t used;         // mask of the bits in memory that belong to the value
    bool in_cases;         // buffers and arguments of cases may have the type
    // Its names elsewhere; "": it has none. Dtypes of .npy files, separated by blanks; the name in the mangled names of
    // cuTile's entries, and that of the unsigned integer; Triton's name; of floats PTX's.
    const char *numpy, *cutile, *cutile_unsigned, *triton, *ptx;
} ElementInfo;

const ElementInfo *element_info(ElementType type);
// The type with that name in case files. False if there is none.
bool element_by_name(const char *name, ElementType *type);
bool element_is_float(ElementType type);
// FPSAN_FORMAT_COUNT if the type is an integer.
static inline FpsanFormat element_format(ElementType type) {
    return (unsigned)type < FPSAN_FORMAT_COUNT ? (FpsanFormat)type : FPSAN_FORMAT_COUNT;
}

// ---- tables.c: what is computed with floats -------------------------------------------------------------------------

typedef enum FpsanRule {
#define RULE(name, ...) FPSAN_RULE_##name,
#include "sanitizer/format/rules.def"
#undef RULE
    FPSAN_RULE_COUNT
} FpsanRule;

typedef enum FpsanRuleKind { // see rules.def
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
    const char *library;              // the C library's function, or ""
    const char *narrow, *wide, *fast; // libdevice's symbols that Triton has this rule for, or ""
} FpsanRuleInfo;
const FpsanRuleInfo *fpsan_rule_info(FpsanRule rule);
bool fpsan_rule_by_name(const char *name, FpsanRule *rule);

// ---- functions.c: functions that are called by name -----------------------------------------------------------------

typedef enum FpsanWidths { FPSAN_WIDTHS_BOTH, FPSAN_WIDTHS_SINGLE, FPSAN_WIDTHS_DOUBLE } FpsanWidths;
typedef enum FpsanWay {
    FPSAN_WAY_RULE,
    FPSAN_WAY_LIBRARY,
    FPSAN_WAY_VECTORS,
    FPSAN_WAY_LLVM,
    FPSAN_WAY_FORMULA,
    FPSAN_WAY_NONE
} FpsanWay;
typedef enum FpsanLaw {
    FPSAN_LAW_RULE,
    FPSAN_LAW_TAG,
    FPSAN_LAW_ODD,
    FPSAN_LAW_EVEN,
    FPSAN_LAW_TRUNC,
    FPSAN_LAW_NEAREST,
    FPSAN_LAW_REMAINDER, // x - n y, n the integer that IEEE arithmetic chose
    FPSAN_LAW_COPYSIGN,  // x or -x, as in IEEE arithmetic
    FPSAN_LAW_FDIM,      // x - y or 0, as in IEEE arithmetic
    FPSAN_LAW_SCALE,     // x * 2^n
    FPSAN_LAW_LOG1P,     // log(1 + x)
    FPSAN_LAW_EXPM1,     // exp(x) - 1
    FPSAN_LAW_LOG10,     // log2(x) / log2(10)
    FPSAN_LAW_EXP10,     // exp2(x log2(10))
    FPSAN_LAW_ERFC,      // 1 - erf(x)
    FPSAN_LAW_NORMCDF,   // (1 + erf(x / sqrt(2))) / 2
    FPSAN_LAW_RCBRT,     // 1 / cbrt(x)
    FPSAN_LAW_NORM,      // sqrt(x^2 + y^2 + ..)
    FPSAN_LAW_RNORM,     // 1 / sqrt(x^2 + y^2 + ..)
    FPSAN_LAW_COUNT
} FpsanLaw;
typedef struct FpsanFunction { // a row of functions.def
    const char *name;
    FpsanWidths widths;
    const char *parameters; // a letter each
    FpsanRule rule;         // EXTERN: none
    FpsanWay way;
    const char *library;
    FpsanLaw law;
} FpsanFunction;
enum { FPSAN_FUNCTION_OPERANDS_MAX = 4 };
// The function of that name, or with that symbol (`__nv_<name>`), on floats of the format, f32 or f64; of f32 also the
// one that a text of assembly.def computes. NULL: there is none.
const FpsanFunction *fpsan_function(const char *name, FpsanFormat format);
// Behind blanks and comments of PTX.
const char *fpsan_skip_blanks(const char *text, const char *end);
// Whether the texts of inline assembly are the same but for blanks, comments and semicolons.
bool fpsan_same_assembly(const char *text, size_t length, const char *row);
// The text of assembly.def that is the same, of those that kernels may have or of any. NULL: there is none.
const char *fpsan_assembly(const char *text, size_t length, bool any);
// libdevice's symbol of the function, of at most `size` - 1 characters.
void fpsan_function_symbol(const FpsanFunction *function, FpsanFormat format, char *symbol, size_t size);
// All rows by number, from 0 on; NULL behind the last. The number of a row.
const FpsanFunction *fpsan_function_row(unsigned number);
unsigned fpsan_function_number(const FpsanFunction *function);

#ifdef __cplusplus
}
#endif

#endif
