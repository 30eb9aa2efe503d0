// SPDX-License-Identifier: Apache-2.0
// Triton's payload algebra as scalar C: profiles, and every rule on one payload (docs/algebra.md). Needs libc only, for
// C and C++.
//
// "Bits" are the encoding of a float in the low bits of a uint64_t. A payload is the integer mod 2^w that stands for
// the float. Bits above the format's lane width are ignored on input and zero on output. No function allocates, prints
// or keeps state.
#ifndef CONGRUENT_FPSAN_H
#define CONGRUENT_FPSAN_H

#include "sanitizer/format/format.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- profile.c: the constants of an algebra, and the text that chooses one ------------------------------------------

// The constants of an algebra; code has no others. They are reduced mod 2^w where they are used.
typedef struct FpsanProfile {
    const char *name;
    uint64_t embed_multiplier;                         // c of the embedding
    uint64_t exp_scale;                                // exp(x) = exp2(x * exp_scale)
    uint64_t tag_multiplier;                           // m of the tag rule
    uint64_t cast_multiplier;                          // of the mixing narrowing cast
    unsigned exp2_shift_divisor;                       // exp2's base is 1 + 2^ceil(w / divisor)
    int circle_real, circle_imaginary, circle_modulus; // cos + i sin of 1 = (real + i imaginary) / modulus
    int8_t tag[FPSAN_RULE_COUNT];                      // tag id of each rule, -1: not a tag rule
} FpsanProfile;

// The profile with that name; NULL if there is none. The profile with that index; NULL past the last. Profile 0 is the
// default.
const FpsanProfile *fpsan_profile_by_name(const char *name);
const FpsanProfile *fpsan_profile_at(size_t index);

typedef enum FpsanCasts { FPSAN_CASTS_MIX, FPSAN_CASTS_HOMOMORPHIC } FpsanCasts;
// "mix" or "homomorphic"; NULL for other numbers. The reverse: false, and *casts stays, if there is no such name.
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
// text ::= "" | "none" | "fpsan" { ",casts=" ("mix" | "homomorphic") | ",profile=" NAME }, each key at most once. NULL
// is "". False on any other text; then `message`, of FPSAN_MESSAGE_SIZE bytes or more, says in one line without a
// newline what was expected.
bool fpsan_parse_instrumentation(const char *text, FpsanInstrumentation *instrumentation, char *message);
// Writes "none" or "fpsan,casts=mix,profile=triton-3.9" to `text`, of FPSAN_MESSAGE_SIZE bytes or more. It parses back
// to the same.
void fpsan_print_instrumentation(const FpsanInstrumentation *instrumentation, char *text);

// libdevice's symbol of a FUNCTION rule at the format's width ("__nv_tanf"); NULL for the other rules.
const char *fpsan_rule_symbol(FpsanRule rule, FpsanFormat format);
// The rule of a symbol of libdevice (`__nv_*`); FPSAN_RULE_EXTERN unless Triton 3.9 has another rule for it.
FpsanRule fpsan_symbol_rule(const char *symbol);

// ---- rules.c: the rules ---------------------------------------------------------------------------------------------

// Bits to payload, and payload to bits, each the inverse of the other, on all bits of the ring (of an f6 too, whose
// payloads may have bits above its own). For f4, e8m0 and fnv8 both are the bits.
uint64_t fpsan_embed(const FpsanProfile *profile, FpsanFormat format, uint64_t bits);
uint64_t fpsan_unembed(const FpsanProfile *profile, FpsanFormat format, uint64_t payload);

// One rule, not EXTERN, on payloads of a format that has rules (fpsan_format_has_rules). `operands` holds as many as
// the rule takes. POWI's second operand is an integer, sign-extended to 64 bits.
uint64_t fpsan_apply(const FpsanProfile *profile, FpsanRule rule, FpsanFormat format, const uint64_t *operands);
// The rule EXTERN. Operand i is widths[i] bits wide (1..64) and is sign-extended or truncated to the ring. `widths`
// NULL: all are as wide as the ring.
uint64_t fpsan_extern(FpsanFormat format, const char *symbol, const uint64_t *operands, const unsigned *widths,
                      size_t count);
// Compare, and classify (a sum of FPSAN_CLASS_*), the real bits behind payloads.
bool fpsan_compare(const FpsanProfile *profile, FpsanFormat format, FpsanPredicate predicate, bool ordered, uint64_t a,
                   uint64_t b);
unsigned fpsan_classify(const FpsanProfile *profile, FpsanFormat format, uint64_t payload);

// ---- cast.c: casts and dots -----------------------------------------------------------------------------------------

// Payload to payload, between any two formats. `rounding` counts only if `to` has no ring (e8m0, fnv8): then the real
// bits are converted, as by fpsan_convert.
uint64_t fpsan_cast(const FpsanAlgebra *algebra, FpsanFormat from, FpsanFormat to, uint64_t payload,
                    FpsanRounding rounding);
// Integer to payload and payload to integer, through the real bits: fpsan_integer_to_bits, fpsan_bits_to_integer.
uint64_t fpsan_from_integer(const FpsanProfile *profile, FpsanFormat to, uint64_t integer, unsigned width,
                            bool is_signed);
uint64_t fpsan_to_integer(const FpsanProfile *profile, FpsanFormat from, uint64_t payload, unsigned width,
                          bool is_signed);

// accumulator + the sum over i < length of a[i * a_stride] * b[i * b_stride]. Operands are first cast to the
// accumulator's ring.
uint64_t fpsan_dot(const FpsanAlgebra *algebra, FpsanFormat a_format, FpsanFormat b_format,
                   FpsanFormat accumulator_format, size_t length, const uint64_t *a, size_t a_stride, const uint64_t *b,
                   size_t b_stride, uint64_t accumulator);

// The 16-bit format in which a block-scaled dot multiplies by scales: f16 if an operand is f16, else bf16.
FpsanFormat fpsan_scaled_compute_format(FpsanFormat a_format, FpsanFormat b_format);
// A scale (a payload; for e8m0 and fnv8 bits) cast to the compute format. But an e8m0 scale whose bits are 0 becomes
// payload 0 in f16, because Triton makes scales there by shifting the byte into f32's exponent field.
uint64_t fpsan_scale_payload(const FpsanAlgebra *algebra, FpsanFormat scale_format, FpsanFormat compute_format,
                             uint64_t scale);
// An operand cast to the compute format and multiplied there by its scale.
uint64_t fpsan_scaled_operand(const FpsanAlgebra *algebra, FpsanFormat format, FpsanFormat scale_format,
                              FpsanFormat compute_format, uint64_t payload, uint64_t scale);

// One operand of a block-scaled dot along k. Element i is data[i * stride], its scale scales[i / block * scale_stride].
// `scales` NULL: the operand is not scaled.
typedef struct FpsanScaled {
    FpsanFormat format, scale_format;
    const uint64_t *data, *scales;
    size_t stride, scale_stride, block;
} FpsanScaled;
// As fpsan_dot, of operands multiplied by their scales (fpsan_scaled_operand).
uint64_t fpsan_scaled_dot(const FpsanAlgebra *algebra, const FpsanScaled *a, const FpsanScaled *b,
                          FpsanFormat accumulator_format, size_t length, uint64_t accumulator);

#ifdef __cplusplus
}
#endif
#endif
