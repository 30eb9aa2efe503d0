// SPDX-License-Identifier: Apache-2.0
// The payload algebra as scalar C: float formats, profiles, every rule on one payload. libc only, for C and C++. See
// algebra.md.
//
// Bits are the encoding of a float in the low bits of a uint64_t; a payload is the integer mod 2^w that stands for it.
// Bits above the format's lane width are ignored on input and zero on output. No function here allocates, prints, or
// keeps state.
#ifndef CONGRUENT_FPSAN_H
#define CONGRUENT_FPSAN_H

#include "sanitizer/format/format.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- profile.c: the constants of an algebra, and the text that chooses one ------------------------------------------

// A named set of constants; code takes them from here only. Constants are reduced mod 2^w where they are used.
typedef struct FpsanProfile {
    const char *name;
    uint64_t embed_multiplier;                         // c
    uint64_t exp_scale;                                // exp(x) = exp2(x * exp_scale)
    uint64_t tag_multiplier;                           // m of the tag rule
    uint64_t cast_multiplier;                          // of the default narrowing cast
    unsigned exp2_shift_divisor;                       // exp2's base is 1 + 2^ceil(w / divisor)
    int circle_real, circle_imaginary, circle_modulus; // cos + i sin of 1 = (real + i imaginary) / modulus
    int8_t tag[FPSAN_RULE_COUNT];                      // tag id of each rule, -1: not a tag rule
} FpsanProfile;

// The profile called `name`; NULL if there is none. fpsan_profile_at lists them: NULL past the last. The first is the
// default.
const FpsanProfile *fpsan_profile_by_name(const char *name);
const FpsanProfile *fpsan_profile_at(size_t index);

typedef enum FpsanCasts { FPSAN_CASTS_MIX, FPSAN_CASTS_HOMOMORPHIC } FpsanCasts;
// "mix" or "homomorphic"; NULL for other numbers. Back: false, and `casts` unchanged, if there is no such name.
const char *fpsan_casts_name(FpsanCasts casts);
bool fpsan_casts_by_name(const char *name, FpsanCasts *casts);

// An algebra in force: a profile and how narrowing casts work.
typedef struct FpsanAlgebra {
    const FpsanProfile *profile;
    FpsanCasts casts;
} FpsanAlgebra;
// The first profile with mixing casts.
FpsanAlgebra fpsan_default_algebra(void);

// What --instrument and TILEIRAS_INSTRUMENTATION say.
typedef struct FpsanInstrumentation {
    bool enabled;
    FpsanAlgebra algebra; // the default one if not enabled
} FpsanInstrumentation;

enum { FPSAN_MESSAGE_SIZE = 256 }; // enough for every message and printed instrumentation
// text ::= "" | "none" | "fpsan" { ",casts=" ("mix" | "homomorphic") | ",profile=" NAME }, each key at most once; NULL
// is "". On anything else: false, and one line without newline in `message` (at least FPSAN_MESSAGE_SIZE bytes), naming
// what was expected.
bool fpsan_parse_instrumentation(const char *text, FpsanInstrumentation *instrumentation, char *message);
// Writes "none" or "fpsan,casts=mix,profile=triton-3.9", which parses back to the same. At least FPSAN_MESSAGE_SIZE
// bytes.
void fpsan_print_instrumentation(const FpsanInstrumentation *instrumentation, char *text);

// libdevice's symbol of a FUNCTION rule at the format's width ("__nv_tanf"); NULL for the other rules.
const char *fpsan_rule_symbol(FpsanRule rule, FpsanFormat format);
// The rule of a `__nv_*` symbol: the ones Triton 3.9 knows have their own, every other is FPSAN_RULE_EXTERN.
FpsanRule fpsan_symbol_rule(const char *symbol);

// ---- rules.c: the rules ---------------------------------------------------------------------------------------------

// Bits to payload and back; inverse of each other. f4, e8m0 and fnv8: the bits themselves.
uint64_t fpsan_embed(const FpsanProfile *profile, FpsanFormat format, uint64_t bits);
uint64_t fpsan_unembed(const FpsanProfile *profile, FpsanFormat format, uint64_t payload);

// One rule (not EXTERN) on payloads of a format with rules; `operands` holds as many as the rule takes. POWI's exponent
// is an integer, sign-extended to 64 bits.
uint64_t fpsan_apply(const FpsanProfile *profile, FpsanRule rule, FpsanFormat format, const uint64_t *operands);
// The extern rule. widths[i] is operand i's width in bits (1..64), from which it is sign-extended or truncated; NULL:
// all have the format's.
uint64_t fpsan_extern(FpsanFormat format, const char *symbol, const uint64_t *operands, const unsigned *widths,
                      size_t count);
// Comparison and classes (a sum of FPSAN_CLASS_*) of the real bits behind payloads.
bool fpsan_compare(const FpsanProfile *profile, FpsanFormat format, FpsanPredicate predicate, bool ordered, uint64_t a,
                   uint64_t b);
unsigned fpsan_classify(const FpsanProfile *profile, FpsanFormat format, uint64_t payload);

// ---- cast.c: casts and dots -----------------------------------------------------------------------------------------

// Payload to payload between any two formats. `rounding` counts only where the destination has no ring (e8m0, fnv8):
// there the real bits are converted, as fpsan_convert does.
uint64_t fpsan_cast(const FpsanAlgebra *algebra, FpsanFormat from, FpsanFormat to, uint64_t payload,
                    FpsanRounding rounding);
// Integer to payload and payload to integer, through the real bits (see fpsan_integer_to_bits, fpsan_bits_to_integer).
uint64_t fpsan_from_integer(const FpsanProfile *profile, FpsanFormat to, uint64_t integer, unsigned width,
                            bool is_signed);
uint64_t fpsan_to_integer(const FpsanProfile *profile, FpsanFormat from, uint64_t payload, unsigned width,
                          bool is_signed);

// accumulator + sum over i < length of a[i * a_stride] * b[i * b_stride], operands cast to the accumulator's ring.
uint64_t fpsan_dot(const FpsanAlgebra *algebra, FpsanFormat a_format, FpsanFormat b_format,
                   FpsanFormat accumulator_format, size_t length, const uint64_t *a, size_t a_stride, const uint64_t *b,
                   size_t b_stride, uint64_t accumulator);

// The 16-bit format in which a block-scaled dot multiplies by scales: f16 if an operand is f16, else bf16.
FpsanFormat fpsan_scaled_compute_format(FpsanFormat a_format, FpsanFormat b_format);
// A scale (payload or, for e8m0 and fnv8, bits) as a payload of the compute format: the cast, but an e8m0 scale of 0 is
// payload 0 in f16, because Triton makes the scale there by shifting the byte into f32's exponent field.
uint64_t fpsan_scale_payload(const FpsanAlgebra *algebra, FpsanFormat scale_format, FpsanFormat compute_format,
                             uint64_t scale);
// An operand cast to the compute format and multiplied there by its scale.
uint64_t fpsan_scaled_operand(const FpsanAlgebra *algebra, FpsanFormat format, FpsanFormat scale_format,
                              FpsanFormat compute_format, uint64_t payload, uint64_t scale);

// One side of a block-scaled dot along k: element i at data[i * stride], its scale at scales[i / block * scale_stride];
// scales NULL: not scaled.
typedef struct FpsanScaled {
    FpsanFormat format, scale_format;
    const uint64_t *data, *scales;
    size_t stride, scale_stride, block;
} FpsanScaled;
uint64_t fpsan_scaled_dot(const FpsanAlgebra *algebra, const FpsanScaled *a, const FpsanScaled *b,
                          FpsanFormat accumulator_format, size_t length, uint64_t accumulator);

#ifdef __cplusplus
}
#endif
#endif
