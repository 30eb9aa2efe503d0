// SPDX-License-Identifier: Apache-2.0
// The laws that the algebra keeps: exhaustive at 8 bits for one and two operands, at 16 bits for one, sampled
// otherwise.
#include "tests/sanitizer/random_bits.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 20000 };

typedef struct Law {
    const FpsanProfile *profile;
    FpsanFormat format;
    unsigned width;
    uint64_t mask, one, minus_one;
} Law;

static Law law_of(FpsanFormat format) {
    const FpsanProfile *profile = fpsan_default_algebra().profile;
    unsigned width = fpsan_format_info(format)->ring_bits;
    return (Law){profile,
                 format,
                 width,
                 fpsan_mask(width),
                 fpsan_embed(profile, format, fpsan_format_info(format)->one),
                 fpsan_mask(width)};
}

static uint64_t apply1(const Law *l, FpsanRule rule, uint64_t x) {
    return fpsan_apply(l->profile, rule, l->format, &x);
}

static uint64_t apply2(const Law *l, FpsanRule rule, uint64_t x, uint64_t y) {
    return fpsan_apply(l->profile, rule, l->format, (uint64_t[]){x, y});
}

#define EXPECT(l, got, want, x, y, z)                                                                                  \
    do {                                                                                                               \
        uint64_t got_ = (got), want_ = (want);                                                                         \
        if (got_ != want_)                                                                                             \
            cr_assert_fail("%s at %llx %llx %llx: %s = %llx, %s = %llx", fpsan_format_info((l)->format)->name,         \
                           (unsigned long long)(x), (unsigned long long)(y), (unsigned long long)(z), #got,            \
                           (unsigned long long)got_, #want, (unsigned long long)want_);                                \
    } while (0)

#define ADD(x, y) apply2(l, FPSAN_RULE_ADD, x, y)
#define SUB(x, y) apply2(l, FPSAN_RULE_SUB, x, y)
#define MUL(x, y) apply2(l, FPSAN_RULE_MUL, x, y)
#define DIV(x, y) apply2(l, FPSAN_RULE_DIV, x, y)
#define NEG(x)    apply1(l, FPSAN_RULE_NEG, x)
#define EXP2(x)   apply1(l, FPSAN_RULE_EXP2, x)
#define EXP(x)    apply1(l, FPSAN_RULE_EXP, x)
#define SIN(x)    apply1(l, FPSAN_RULE_SIN, x)
#define COS(x)    apply1(l, FPSAN_RULE_COS, x)

// Calls the law on one operand (all of 8 and 16 bits, random ones of more), in every format with rules.
static void for_each(void (*law)(const Law *, uint64_t)) {
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        if (!fpsan_format_has_rules(f)) continue;
        Law l = law_of(f);
        uint64_t state = 7;
        if (l.width <= 16)
            for (uint64_t x = 0; x <= l.mask; x++) law(&l, x);
        else
            for (unsigned i = 0; i < SAMPLES; i++)
                law(&l, i % 2 ? random_bits(&state, f) : random_integer(&state, l.width));
    }
}

// On two operands: all of 8 bits, random ones of more.
static void for_each_pair(void (*law)(const Law *, uint64_t, uint64_t)) {
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        if (!fpsan_format_has_rules(f)) continue;
        Law l = law_of(f);
        uint64_t state = 8;
        if (l.width == 8)
            for (uint64_t x = 0; x < 65536; x++) law(&l, x & 255, x >> 8);
        else
            for (unsigned i = 0; i < SAMPLES; i++)
                law(&l, random_integer(&state, l.width), random_integer(&state, l.width));
    }
}

// ---- the embedding --------------------------------------------------------------------------------------------------

static void embedding(const Law *l, uint64_t x) {
    uint64_t payload = fpsan_embed(l->profile, l->format, x), sign = (l->mask >> 1) + 1;
    const uint64_t bit = fpsan_layout(l->format).sign; // which f6 has lower than its ring
    EXPECT(l, fpsan_unembed(l->profile, l->format, payload), x, x, 0, 0);
    EXPECT(l, fpsan_embed(l->profile, l->format, fpsan_unembed(l->profile, l->format, x)), x, x, 0, 0);
    EXPECT(l, payload & sign, x & bit ? sign : 0, x, 0, 0);
    // Negating a float negates its payload, except that there is one zero.
    uint64_t negated = fpsan_embed(l->profile, l->format, x ^ bit);
    EXPECT(l, negated, (x & ~bit) ? NEG(payload) : (payload ^ sign), x, 0, 0);
}

Test(identities, embed_and_unembed_are_inverse) {
    for_each(embedding);
}

Test(identities, embedding_is_a_bijection) {
    static unsigned char seen[65536];
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        if (fpsan_format_info(f)->lane_bits > 16) continue;
        const FpsanFormatInfo *info = fpsan_format_info(f);
        uint64_t count = (uint64_t)1 << (info->ring_bits ? info->ring_bits : info->bits);
        memset(seen, 0, sizeof seen);
        for (uint64_t x = 0; x < count; x++) {
            uint64_t payload = fpsan_embed(fpsan_default_algebra().profile, f, x);
            cr_assert(payload < count && !seen[payload]++, "%s: %llx", fpsan_format_info(f)->name,
                      (unsigned long long)x);
        }
    }
}

Test(identities, zero_and_ones_embed_to_themselves) {
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        if (!fpsan_format_has_rules(f)) continue;
        Law law = law_of(f), *l = &law;
        EXPECT(l, fpsan_embed(l->profile, f, 0), 0, 0, 0, 0);
        EXPECT(l, fpsan_embed(l->profile, f, fpsan_encode_nearest(f, 1.0)), 1, 0, 0, 0);
        EXPECT(l, fpsan_embed(l->profile, f, fpsan_encode_nearest(f, -1.0)), l->mask, 0, 0, 0);
    }
}

// ---- ring laws ------------------------------------------------------------------------------------------------------

static void ring_one(const Law *l, uint64_t x) {
    EXPECT(l, ADD(x, 0), x, x, 0, 0);
    EXPECT(l, MUL(x, l->one), x, x, 0, 0);
    EXPECT(l, MUL(x, 0), 0, x, 0, 0);
    EXPECT(l, MUL(x, l->minus_one), NEG(x), x, 0, 0);
    EXPECT(l, ADD(x, NEG(x)), 0, x, 0, 0);
    EXPECT(l, NEG(NEG(x)), x, x, 0, 0);
    EXPECT(l, SUB(x, x), 0, x, 0, 0);
    EXPECT(l, DIV(x, l->one), x, x, 0, 0);
    EXPECT(l, DIV(l->one, DIV(l->one, x)), x, x, 0, 0);
}

Test(identities, ring_laws_of_one_operand) {
    for_each(ring_one);
}

static void ring_two(const Law *l, uint64_t x, uint64_t y) {
    EXPECT(l, ADD(x, y), ADD(y, x), x, y, 0);
    EXPECT(l, MUL(x, y), MUL(y, x), x, y, 0);
    EXPECT(l, SUB(x, y), ADD(x, NEG(y)), x, y, 0);
    EXPECT(l, SUB(ADD(x, y), y), x, x, y, 0);
    if (y & 1) EXPECT(l, MUL(DIV(x, y), y), x, x, y, 0);
    EXPECT(l, DIV(x, y), MUL(x, DIV(l->one, y)), x, y, 0);
    EXPECT(l, DIV(l->one, MUL(x | 1, y | 1)), MUL(DIV(l->one, x | 1), DIV(l->one, y | 1)), x, y, 0);
}

Test(identities, ring_laws_of_two_operands) {
    for_each_pair(ring_two);
}

static void ring_three(const Law *l, uint64_t x, uint64_t y, uint64_t z) {
    EXPECT(l, ADD(ADD(x, y), z), ADD(x, ADD(y, z)), x, y, z);
    EXPECT(l, MUL(MUL(x, y), z), MUL(x, MUL(y, z)), x, y, z);
    EXPECT(l, MUL(x, ADD(y, z)), ADD(MUL(x, y), MUL(x, z)), x, y, z);
    EXPECT(l, fpsan_apply(l->profile, FPSAN_RULE_FMA, l->format, (uint64_t[]){x, y, z}), ADD(MUL(x, y), z), x, y, z);
}

Test(identities, ring_laws_of_three_operands) {
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        if (!fpsan_format_has_rules(f)) continue;
        Law l = law_of(f);
        uint64_t state = 9;
        for (unsigned i = 0; i < 5 * SAMPLES; i++)
            ring_three(&l, random_integer(&state, l.width), random_integer(&state, l.width),
                       random_integer(&state, l.width));
    }
}

static void order(const Law *l, uint64_t x, uint64_t y) {
    uint64_t low = apply2(l, FPSAN_RULE_MIN, x, y), high = apply2(l, FPSAN_RULE_MAX, x, y);
    EXPECT(l, low, apply2(l, FPSAN_RULE_MIN, y, x), x, y, 0);
    EXPECT(l, high, apply2(l, FPSAN_RULE_MAX, y, x), x, y, 0);
    EXPECT(l, ADD(low, high), ADD(x, y), x, y, 0);
    EXPECT(l, (int64_t)fpsan_sign_extend(low, l->width) <= (int64_t)fpsan_sign_extend(high, l->width), true, x, y, 0);
}

Test(identities, minimum_and_maximum_follow_the_signed_order) {
    for_each_pair(order);
}

// x = q (y|1) + r with |r| < |y|1| and the sign of x.
static void remainder_law(const Law *l, uint64_t x, uint64_t y) {
    int64_t r = (int64_t)fpsan_sign_extend(apply2(l, FPSAN_RULE_REM, x, y), l->width);
    int64_t dividend = (int64_t)fpsan_sign_extend(x, l->width), divisor = (int64_t)fpsan_sign_extend(y | 1, l->width);
    uint64_t size = divisor < 0 ? -(uint64_t)divisor : (uint64_t)divisor, absolute = r < 0 ? -(uint64_t)r : (uint64_t)r;
    EXPECT(l, absolute < size, true, x, y, r);
    EXPECT(l, r == 0 || (r < 0) == (dividend < 0), true, x, y, r);
    uint64_t distance = dividend < 0 ? (uint64_t)r - (uint64_t)dividend : (uint64_t)dividend - (uint64_t)r;
    EXPECT(l, distance % size, 0, x, y, r);
}

Test(identities, remainder_is_the_truncated_one) {
    for_each_pair(remainder_law);
}

// ---- exponentials and circle ----------------------------------------------------------------------------------------

static void exponential_one(const Law *l, uint64_t x) {
    EXPECT(l, MUL(EXP2(x), EXP2(NEG(x))), l->one, x, 0, 0);
    EXPECT(l, EXP2(ADD(x, x)), MUL(EXP2(x), EXP2(x)), x, 0, 0);
    EXPECT(l, EXP(x), EXP2(MUL(x, l->profile->exp_scale & l->mask)), x, 0, 0);
    EXPECT(l, ADD(MUL(COS(x), COS(x)), MUL(SIN(x), SIN(x))), l->one, x, 0, 0);
    EXPECT(l, COS(NEG(x)), COS(x), x, 0, 0);
    EXPECT(l, SIN(NEG(x)), NEG(SIN(x)), x, 0, 0);
}

Test(identities, exponential_and_circle_of_one_operand) {
    for_each(exponential_one);
}

static void exponential_two(const Law *l, uint64_t x, uint64_t y) {
    EXPECT(l, EXP2(ADD(x, y)), MUL(EXP2(x), EXP2(y)), x, y, 0);
    EXPECT(l, EXP(ADD(x, y)), MUL(EXP(x), EXP(y)), x, y, 0);
    EXPECT(l, COS(ADD(x, y)), SUB(MUL(COS(x), COS(y)), MUL(SIN(x), SIN(y))), x, y, 0);
    EXPECT(l, SIN(ADD(x, y)), ADD(MUL(SIN(x), COS(y)), MUL(COS(x), SIN(y))), x, y, 0);
}

Test(identities, exponential_and_circle_of_sums) {
    for_each_pair(exponential_two);
}

Test(identities, exponential_and_circle_at_zero_and_one) {
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        if (!fpsan_format_has_rules(f)) continue;
        Law law = law_of(f), *l = &law;
        EXPECT(l, EXP2(0), l->one, 0, 0, 0);
        EXPECT(l, EXP(0), l->one, 0, 0, 0);
        EXPECT(l, COS(0), l->one, 0, 0, 0);
        EXPECT(l, SIN(0), 0, 0, 0, 0);
        EXPECT(l, EXP2(1), 1 + ((uint64_t)1 << (l->width + 3) / 4), 1, 0, 0);
        EXPECT(l, MUL(COS(1), 5), NEG(3), 1, 0, 0); // (-3 + 4i) / 5
        EXPECT(l, MUL(SIN(1), 5), 4, 1, 0, 0);
    }
}

// ---- tags and functions ---------------------------------------------------------------------------------------------

static void tags_differ(const Law *l, uint64_t x) {
    uint64_t results[FPSAN_RULE_COUNT];
    unsigned count = 0;
    for (FpsanRule rule = 0; rule < FPSAN_RULE_COUNT; rule++)
        if (fpsan_rule_info(rule)->kind == FPSAN_KIND_TAG) results[count++] = apply1(l, rule, x);
    cr_assert_eq(count, 8);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            if (results[i] == results[j]) cr_assert_fail("tags %u and %u agree at %llx", i, j, (unsigned long long)x);
}

Test(identities, different_tags_differ) {
    for_each(tags_differ);
}

Test(identities, tags_lose_nothing) {
    static unsigned char seen[65536];
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        if (!fpsan_format_has_rules(f) || fpsan_format_info(f)->ring_bits > 16) continue;
        Law l = law_of(f);
        for (FpsanRule rule = 0; rule < FPSAN_RULE_COUNT; rule++) {
            if (fpsan_rule_info(rule)->kind != FPSAN_KIND_TAG) continue;
            memset(seen, 0, sizeof seen);
            for (uint64_t x = 0; x <= l.mask; x++) cr_assert(!seen[apply1(&l, rule, x)]++);
        }
    }
}

Test(identities, functions_differ_by_name_and_operand_order) {
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        if (!fpsan_format_has_rules(f)) continue;
        Law l = law_of(f);
        for (FpsanRule a = FPSAN_RULE_TAN; a < FPSAN_RULE_EXTERN; a++)
            for (FpsanRule b = FPSAN_RULE_TAN; b < a; b++) {
                uint64_t x[2] = {5, 0};
                cr_assert_neq(fpsan_apply(l.profile, a, f, x), fpsan_apply(l.profile, b, f, x), "%s %s at %u bits",
                              fpsan_rule_info(a)->name, fpsan_rule_info(b)->name, l.width);
            }
        cr_assert_neq(apply2(&l, FPSAN_RULE_POW, 3, 4), apply2(&l, FPSAN_RULE_POW, 4, 3));
    }
}

Test(identities, function_operands_of_other_widths_are_resized) {
    uint64_t wide[2] = {0x123456789, 0xfd}, resized[2] = {0x23456789, 0xfffffffd};
    cr_assert_eq(fpsan_extern(FPSAN_F32, "f", wide, (unsigned[]){64, 8}, 2),
                 fpsan_extern(FPSAN_F32, "f", resized, NULL, 2));
    cr_assert_str_eq(fpsan_rule_symbol(FPSAN_RULE_TANH, FPSAN_F64), "__nv_tanh");
    cr_assert_str_eq(fpsan_rule_symbol(FPSAN_RULE_TANH, FPSAN_F32), "__nv_tanhf");
    cr_assert_str_eq(fpsan_rule_symbol(FPSAN_RULE_TANH, FPSAN_BF16), "__nv_tanhf");
    cr_assert_str_eq(fpsan_rule_symbol(FPSAN_RULE_POWI, FPSAN_F32), "__nv_powif");
    cr_assert_null(fpsan_rule_symbol(FPSAN_RULE_ADD, FPSAN_F32));
}

// ---- real bits ------------------------------------------------------------------------------------------------------

static void absolute(const Law *l, uint64_t x) {
    uint64_t a = apply1(l, FPSAN_RULE_ABS, x);
    EXPECT(l, fpsan_unembed(l->profile, l->format, a),
           fpsan_unembed(l->profile, l->format, x) & ~fpsan_layout(l->format).sign, x, 0, 0);
    EXPECT(l, apply1(l, FPSAN_RULE_ABS, a), a, x, 0, 0);
}

Test(identities, absolute_value_clears_the_sign_of_the_real_bits) {
    for_each(absolute);
}

static void comparisons(const Law *l, uint64_t x, uint64_t y) {
    double a = fpsan_decode(l->format, fpsan_unembed(l->profile, l->format, x));
    double b = fpsan_decode(l->format, fpsan_unembed(l->profile, l->format, y));
    bool nan = a != a || b != b;
    const bool want[6] = {a == b, a < b || a > b, a<b, a <= b, a> b, a >= b};
    for (unsigned p = 0; p < 6; p++) {
        EXPECT(l, fpsan_compare(l->profile, l->format, (FpsanPredicate)p, true, x, y), want[p], x, y, p);
        EXPECT(l, fpsan_compare(l->profile, l->format, (FpsanPredicate)p, false, x, y), want[p] || nan, x, y, p);
    }
}

Test(identities, comparisons_are_those_of_the_real_values) {
    for_each_pair(comparisons);
}

// ---- casts ----------------------------------------------------------------------------------------------------------

static uint64_t cast(FpsanCasts casts, FpsanFormat from, FpsanFormat to, uint64_t x) {
    FpsanAlgebra algebra = {fpsan_default_algebra().profile, casts};
    return fpsan_cast(&algebra, from, to, x, FPSAN_NEAREST_EVEN);
}

Test(identities, widening_then_narrowing_gives_back) {
    uint64_t state = 11;
    for (FpsanFormat narrow = 0; narrow < FPSAN_FORMAT_COUNT; narrow++)
        for (FpsanFormat wide = 0; wide < FPSAN_FORMAT_COUNT; wide++) {
            unsigned d = fpsan_format_info(narrow)->ring_bits, w = fpsan_format_info(wide)->ring_bits;
            if (!d || w < d) continue;
            uint64_t count = d <= 16 ? (uint64_t)1 << d : SAMPLES;
            for (uint64_t i = 0; i < count; i++)
                for (unsigned casts = 0; casts < 2; casts++) {
                    uint64_t x = d <= 16 ? i : random_integer(&state, d);
                    uint64_t y = cast((FpsanCasts)casts, wide, narrow, cast((FpsanCasts)casts, narrow, wide, x));
                    if (y != x)
                        cr_assert_fail("%s %s %llx", fpsan_format_info(narrow)->name, fpsan_format_info(wide)->name,
                                       (unsigned long long)x);
                }
        }
}

Test(identities, equal_widths_keep_the_payload) {
    for (uint64_t x = 0; x < 65536; x++) {
        cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_F16, FPSAN_BF16, x), x);
        cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_BF16, FPSAN_F16, x), x);
        cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_F8E4M3FN, FPSAN_F8E5M2, x & 255), x & 255);
        cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_F32, FPSAN_TF32, x << 13), x << 13);
    }
}

// Homomorphic casts keep sums and products; mixing ones keep them for no pair that matters, but agree on what was
// widened.
Test(identities, homomorphic_casts_keep_sums_and_products) {
    uint64_t state = 12;
    for (FpsanFormat from = 0; from < FPSAN_FORMAT_COUNT; from++)
        for (FpsanFormat to = 0; to < FPSAN_FORMAT_COUNT; to++) {
            if (!fpsan_format_has_rules(from) || !fpsan_format_has_rules(to)) continue;
            unsigned d = fpsan_format_info(to)->ring_bits, w = fpsan_format_info(from)->ring_bits;
            if (w < d) continue;
            for (unsigned i = 0; i < 1000; i++) {
                uint64_t x = random_integer(&state, w), y = random_integer(&state, w);
                Law wide = law_of(from), narrow = law_of(to);
                uint64_t cx = cast(FPSAN_CASTS_HOMOMORPHIC, from, to, x),
                         cy = cast(FPSAN_CASTS_HOMOMORPHIC, from, to, y);
                cr_assert_eq(cast(FPSAN_CASTS_HOMOMORPHIC, from, to, apply2(&wide, FPSAN_RULE_MUL, x, y)),
                             apply2(&narrow, FPSAN_RULE_MUL, cx, cy));
                cr_assert_eq(cast(FPSAN_CASTS_HOMOMORPHIC, from, to, apply2(&wide, FPSAN_RULE_ADD, x, y)),
                             apply2(&narrow, FPSAN_RULE_ADD, cx, cy));
            }
        }
}

// ---- e8m0, fnv8, f4 -------------------------------------------------------------------------------------------------

Test(identities, f4_is_its_nibble) {
    for (uint64_t x = 0; x < 16; x++) {
        cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_F4E2M1FN, FPSAN_BF16, x), x); // zeros, not the sign
        cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_F4E2M1FN, FPSAN_F8E5M2, x), x);
        cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_F32, FPSAN_F4E2M1FN, x), x);
        cr_assert_eq(cast(FPSAN_CASTS_HOMOMORPHIC, FPSAN_F32, FPSAN_F4E2M1FN, x | 0xab0), x);
    }
}

Test(identities, scales_are_the_powers_they_mean) {
    const FpsanProfile *profile = fpsan_default_algebra().profile;
    for (uint64_t b = 0; b < 255; b++) {
        double value = fpsan_decode(FPSAN_F8E8M0FNU, b);
        static const FpsanFormat exact[] = {FPSAN_F64, FPSAN_F32, FPSAN_TF32, FPSAN_BF16};
        for (unsigned i = 0; i < 4; i++)
            cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_F8E8M0FNU, exact[i], b),
                         fpsan_embed(profile, exact[i], fpsan_encode_nearest(exact[i], value)));
        uint64_t wide = fpsan_embed(profile, FPSAN_F32, b ? b << 23 : 0x400000);
        for (unsigned casts = 0; casts < 2; casts++)
            cr_assert_eq(cast((FpsanCasts)casts, FPSAN_F8E8M0FNU, FPSAN_F16, b),
                         cast((FpsanCasts)casts, FPSAN_F32, FPSAN_F16, wide));
    }
    cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_F8E8M0FNU, FPSAN_BF16, 0), fpsan_embed(profile, FPSAN_BF16, 0x0040));
    cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_F8E8M0FNU, FPSAN_BF16, 255), fpsan_embed(profile, FPSAN_BF16, 0x7f80));
    FpsanAlgebra algebra = fpsan_default_algebra();
    cr_assert_eq(fpsan_scale_payload(&algebra, FPSAN_F8E8M0FNU, FPSAN_F16, 0), 0); // as Triton, see fpsan.h
    cr_assert_eq(fpsan_scale_payload(&algebra, FPSAN_F8E8M0FNU, FPSAN_BF16, 0),
                 fpsan_embed(profile, FPSAN_BF16, 0x0040));
    for (uint64_t b = 0; b < 256; b++) // what is widened comes back by its value
        cr_assert_eq(cast(FPSAN_CASTS_MIX, FPSAN_BF16, FPSAN_FNV8E5M3FNU,
                          cast(FPSAN_CASTS_MIX, FPSAN_FNV8E5M3FNU, FPSAN_BF16, b)),
                     b);
}
