// SPDX-License-Identifier: Apache-2.0
// Decoding, rounding and integer conversions against MPFR and against values written out by hand.
#include "tests/sanitizer/random_bits.h"

#include <criterion/criterion.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 20000 };

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

Test(formats, table_is_consistent) {
    static const uint64_t ones[FPSAN_FORMAT_COUNT] = {[FPSAN_F64] = 0x3ff0000000000000,
                                                      [FPSAN_F32] = 0x3f800000,
                                                      [FPSAN_TF32] = 0x3f800000,
                                                      [FPSAN_F16] = 0x3c00,
                                                      [FPSAN_BF16] = 0x3f80,
                                                      [FPSAN_F8E4M3FN] = 0x38,
                                                      [FPSAN_F8E5M2] = 0x3c,
                                                      [FPSAN_F8E8M0FNU] = 127,
                                                      [FPSAN_F4E2M1FN] = 2,
                                                      [FPSAN_FNV8E5M3FNU] = 0x78,
                                                      [FPSAN_F8E4M3FNUZ] = 0x40,
                                                      [FPSAN_F8E5M2FNUZ] = 0x40,
                                                      [FPSAN_F6E2M3FN] = 8,
                                                      [FPSAN_F6E3M2FN] = 12};
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        const FpsanFormatInfo *info = fpsan_format_info(f);
        FpsanFormat found = FPSAN_FORMAT_COUNT;
        cr_assert(fpsan_format_by_name(info->name, &found) && found == f);
        cr_assert_eq(info->one, ones[f], "%s", info->name);
        cr_assert_eq(fpsan_decode(f, info->one), 1.0, "%s", info->name);
    }
    FpsanFormat none;
    cr_assert_not(fpsan_format_by_name("f8", &none));
    cr_assert_not(fpsan_format_by_name("", &none));
}

// Of PTX ISA 8.7, fundamental and alternate floating-point types.
Test(formats, types_of_ptx) {
    static const char *const types[FPSAN_FORMAT_COUNT] = {
        [FPSAN_F64] = "f64",       [FPSAN_F32] = "f32",       [FPSAN_TF32] = "tf32",   [FPSAN_F16] = "f16",
        [FPSAN_BF16] = "bf16",     [FPSAN_F8E4M3FN] = "e4m3", [FPSAN_F8E5M2] = "e5m2", [FPSAN_F8E8M0FNU] = "ue8m0",
        [FPSAN_F4E2M1FN] = "e2m1", [FPSAN_FNV8E5M3FNU] = "",  [FPSAN_F8E4M3FNUZ] = "", [FPSAN_F8E5M2FNUZ] = "",
        [FPSAN_F6E2M3FN] = "e2m3", [FPSAN_F6E3M2FN] = "e3m2",
    };
    for (int f = 0; f < FPSAN_FORMAT_COUNT; f++)
        cr_expect_str_eq(element_info((ElementType)f)->ptx, types[f], "%s", element_info((ElementType)f)->name);
}

// Largest, smallest normal, smallest subnormal.
Test(formats, limits) {
    static const struct {
        FpsanFormat format;
        double largest, normal, least;
    } rows[] = {{FPSAN_F64, 0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074},
                {FPSAN_F32, 0x1.fffffep127, 0x1p-126, 0x1p-149},
                {FPSAN_TF32, 0x1.ffcp127, 0x1p-126, 0x1p-136},
                {FPSAN_F16, 65504, 0x1p-14, 0x1p-24},
                {FPSAN_BF16, 0x1.fep127, 0x1p-126, 0x1p-133},
                {FPSAN_F8E4M3FN, 448, 0x1p-6, 0x1p-9},
                {FPSAN_F8E5M2, 57344, 0x1p-14, 0x1p-16},
                {FPSAN_F8E8M0FNU, 0x1p127, 0x1p-127, 0x1p-127},
                {FPSAN_F4E2M1FN, 6, 1, 0.5},
                {FPSAN_FNV8E5M3FNU, 114688, 0x1p-14, 0x1p-17},
                {FPSAN_F8E4M3FNUZ, 240, 0x1p-7, 0x1p-10},
                {FPSAN_F8E5M2FNUZ, 57344, 0x1p-15, 0x1p-17},
                {FPSAN_F6E2M3FN, 7.5, 1, 0.125},
                {FPSAN_F6E3M2FN, 28, 0.25, 0.0625}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FpsanFormat f = rows[i].format;
        FpsanLayout layout = fpsan_layout(f);
        cr_assert_eq(fpsan_decode(f, layout.largest), rows[i].largest, "%s", fpsan_format_info(f)->name);
        cr_assert_eq(fpsan_encode_nearest(f, rows[i].largest), layout.largest);
        cr_assert_eq(fpsan_decode(f, fpsan_encode_nearest(f, rows[i].normal)), rows[i].normal);
        cr_assert_eq(fpsan_decode(f, fpsan_encode_nearest(f, rows[i].least)), rows[i].least);
        cr_assert_eq(fpsan_classify_bits(f, fpsan_encode_nearest(f, rows[i].normal)), FPSAN_CLASS_NORMAL);
    }
}

Test(formats, f4_values) {
    static const double values[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    for (uint64_t i = 0; i < 16; i++) {
        double value = fpsan_decode(FPSAN_F4E2M1FN, i);
        cr_assert_eq(value, i & 8 ? -values[i & 7] : values[i & 7]);
        cr_assert_eq(!signbit(value), !(i & 8));
    }
}

// Every bit pattern decodes and comes back; NaN comes back as the quiet NaN of its sign.
Test(formats, decode_then_encode) {
    uint64_t state = 3;
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        unsigned width = fpsan_format_info(f)->lane_bits <= 16 ? fpsan_format_info(f)->bits : 0;
        FpsanLayout layout = fpsan_layout(f);
        for (uint64_t i = 0; i < (width ? (uint64_t)1 << width : SAMPLES); i++) {
            uint64_t x = width ? i : random_bits(&state, f);
            if (f == FPSAN_TF32) x &= ~(uint64_t)0x1fff;
            bool nan = (x & layout.magnitude) > layout.nan_above ||
                       (fpsan_format_info(f)->specials == FPSAN_FNUZ && x == 0x80);
            uint64_t want = nan ? layout.nan | (x & layout.sign) : x;
            for (FpsanRounding rounding = 0; rounding <= FPSAN_NEAREST_AWAY; rounding++)
                if (fpsan_encode(f, fpsan_decode(f, x), rounding) != want)
                    cr_assert_fail("%s %llx", fpsan_format_info(f)->name, (unsigned long long)x);
            cr_assert_eq(nan, (fpsan_classify_bits(f, x) & FPSAN_CLASS_NAN) != 0);
        }
    }
}

// ---- rounding against MPFR ------------------------------------------------------------------------------------------

// A value rounded to the format's precision and least exponent, without a largest exponent.
static double round_unbounded(FpsanFormat f, mpfr_t exact, mpfr_rnd_t mode) {
    const FpsanFormatInfo *info = fpsan_format_info(f);
    bool power = info->specials == FPSAN_POWER;
    int least = power ? -info->bias : 1 - info->bias - (int)info->mantissa_bits; // exponent of the least number
    mpfr_exp_t old = mpfr_get_emin();
    mpfr_t y;
    mpfr_init2(y, info->mantissa_bits + 1);
    mpfr_set_emin(least + 1); // MPFR's numbers are 0.1xxx * 2^e
    int inexact = mpfr_set(y, exact, mode);
    inexact = mpfr_check_range(y, inexact, mode);
    mpfr_subnormalize(y, inexact, mode);
    double result = mpfr_get_d(y, MPFR_RNDN);
    mpfr_set_emin(old);
    mpfr_clear(y);
    return result;
}

// Whichever of low and high, the values around `exact`, is nearer; high, the larger in magnitude, if both are.
static double nearer_away(mpfr_t exact, double low, double high) {
    if (low == high) return low;
    mpfr_t below, above;
    mpfr_init2(below, 3000); // the differences of doubles, exactly
    mpfr_init2(above, 3000);
    mpfr_sub_d(below, exact, low, MPFR_RNDN);
    mpfr_d_sub(above, high, exact, MPFR_RNDN);
    double result = mpfr_cmpabs(below, above) < 0 ? low : high;
    mpfr_clear(below);
    mpfr_clear(above);
    return result;
}

// What fpsan_encode promises for the value.
static double rounded_by_mpfr(FpsanFormat f, mpfr_t exact, FpsanRounding rounding) {
    static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};
    const FpsanFormatInfo *info = fpsan_format_info(f);
    double largest = fpsan_decode(f, fpsan_layout(f).largest), result;
    bool negative = mpfr_signbit(exact);
    if (info->specials == FPSAN_POWER && mpfr_cmp_ui_2exp(exact, 1, -127) < 0) return 0x1p-127;
    if (rounding == FPSAN_NEAREST_AWAY)
        result = nearer_away(exact, round_unbounded(f, exact, MPFR_RNDZ),
                             round_unbounded(f, exact, negative ? MPFR_RNDD : MPFR_RNDU));
    else
        result = round_unbounded(f, exact, modes[rounding]);
    if (info->specials == FPSAN_FNUZ && result == 0) return 0;
    if (fabs(result) <= largest) return result;
    bool cut = rounding == FPSAN_TOWARD_ZERO || (rounding == FPSAN_TOWARD_NEGATIVE && !negative) ||
               (rounding == FPSAN_TOWARD_POSITIVE && negative);
    if (cut || info->specials == FPSAN_FINITE) return negative ? -largest : largest;
    return copysign(info->specials == FPSAN_IEEE ? INFINITY : NAN, negative ? -1.0 : 1.0);
}

static double random_double(uint64_t *state, FpsanFormat near) {
    uint64_t r = random_next(state);
    if (r % 8 == 0) return double_of(random_next(state));
    // Near a value of the format: the value, a midpoint of two, or one unit in the last place of double beside them.
    double value = fpsan_decode(near, random_bits(state, near));
    double next = fpsan_decode(near, random_bits(state, near));
    if (r % 8 == 1) return value * double_of((uint64_t)1023 << 52 | random_next(state) >> 12);
    uint64_t neighbour = fpsan_encode_nearest(near, value) + ((uint64_t)1 << fpsan_layout(near).padding);
    next = fpsan_decode(near, neighbour & fpsan_mask(fpsan_format_info(near)->lane_bits));
    double middle = r & 8 ? value : value / 2 + next / 2;
    return r & 16 ? middle : double_of(bits_of(middle) + (r >> 8) % 3 - 1);
}

Test(formats, encode_rounds_as_mpfr) {
    mpfr_t exact;
    mpfr_init2(exact, 64);
    for (FpsanFormat f = 1; f < FPSAN_FORMAT_COUNT; f++) {
        uint64_t state = 100 + f;
        bool is_signed = fpsan_format_info(f)->is_signed;
        for (unsigned i = 0; i < SAMPLES; i++) {
            double value = random_double(&state, f);
            if (isnan(value) || isinf(value)) continue; // test overflow_and_nan
            if (!is_signed) value = fabs(value);
            mpfr_set_d(exact, value, MPFR_RNDN);
            for (FpsanRounding rounding = 0; rounding <= FPSAN_NEAREST_AWAY; rounding++) {
                double want = rounded_by_mpfr(f, exact, rounding),
                       got = fpsan_decode(f, fpsan_encode(f, value, rounding));
                bool same = isnan(want) ? isnan(got)
                                        : want == got && (isnan(got) || !is_signed || !signbit(want) == !signbit(got));
                if (!same)
                    cr_assert_fail("%s %a rounding %d: %a, MPFR %a", fpsan_format_info(f)->name, value, rounding, got,
                                   want);
                if (!is_signed) cr_assert_eq(fpsan_encode(f, -value, rounding), fpsan_encode(f, value, rounding));
            }
        }
    }
    mpfr_clear(exact);
}

Test(formats, integers_round_as_mpfr) {
    mpfr_t exact;
    mpfr_init2(exact, 64);
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        uint64_t state = 200 + f;
        if (f == FPSAN_F8E8M0FNU) continue; // 0 has no e8m0 value; the dialect has no such conversion
        for (unsigned i = 0; i < SAMPLES; i++) {
            unsigned width = (unsigned[]){1, 8, 16, 32, 64, 33}[i % 6];
            uint64_t x = random_integer(&state, width);
            for (unsigned is_signed = 0; is_signed <= fpsan_format_info(f)->is_signed; is_signed++) {
                if (is_signed)
                    mpfr_set_sj(exact, (int64_t)fpsan_sign_extend(x, width), MPFR_RNDN);
                else
                    mpfr_set_uj(exact, x, MPFR_RNDN);
                double want = rounded_by_mpfr(f, exact, FPSAN_NEAREST_EVEN);
                double got = fpsan_decode(f, fpsan_integer_to_bits(f, x, width, is_signed));
                if (!(isnan(want) ? isnan(got) : want == got))
                    cr_assert_fail("%s %llx of %u bits: %a, MPFR %a", fpsan_format_info(f)->name, (unsigned long long)x,
                                   width, got, want);
            }
        }
    }
    mpfr_clear(exact);
}

// The value toward zero, saturated, NaN to 0.
Test(formats, floats_to_integers) {
    uint64_t state = 5;
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++)
        for (unsigned i = 0; i < SAMPLES; i++) {
            unsigned width = (unsigned[]){1, 8, 16, 32, 64}[i % 5];
            uint64_t bits = random_bits(&state, f);
            long double value = truncl(fpsan_decode(f, bits)); // a long double holds every 64-bit integer
            long double top = ldexpl(1, (int)width - 1);
            int64_t want_signed = isnan(value)    ? 0
                                  : value >= top  ? (int64_t)fpsan_mask(width - 1)
                                  : value <= -top ? (int64_t)-top
                                                  : (int64_t)value;
            uint64_t want = isnan(value) || value <= 0 ? 0 : value >= 2 * top ? fpsan_mask(width) : (uint64_t)value;
            cr_assert_eq(fpsan_bits_to_integer(f, bits, width, true), (uint64_t)want_signed & fpsan_mask(width),
                         "%s %llx", fpsan_format_info(f)->name, (unsigned long long)bits);
            cr_assert_eq(fpsan_bits_to_integer(f, bits, width, false), want, "%s %llx", fpsan_format_info(f)->name,
                         (unsigned long long)bits);
        }
}

// ---- corners by hand ------------------------------------------------------------------------------------------------

Test(formats, overflow_and_nan) {
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F16, 65520), 0x7c00);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F16, 65519.99), 0x7bff);
    cr_assert_eq(fpsan_encode(FPSAN_F16, 1e300, FPSAN_TOWARD_ZERO), 0x7bff);
    cr_assert_eq(fpsan_encode(FPSAN_F16, -1e300, FPSAN_TOWARD_POSITIVE), 0xfbff);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F8E4M3FN, 464), 0x7e); // the tie goes to 448
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F8E4M3FN, 465), 0x7f);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F8E4M3FN, -INFINITY), 0xff);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F8E5M2, 61440), 0x7c);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F8E5M2, NAN), 0x7e);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F4E2M1FN, 1e9), 7);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F4E2M1FN, -INFINITY), 15);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F4E2M1FN, NAN), 8);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F4E2M1FN, 2.5), 4);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F4E2M1FN, 5), 6);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F4E2M1FN, -0.25), 8);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_TF32, 1.0 + 0x1p-11), 0x3f800000);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_TF32, 1.0 + 0x3p-11), 0x3f804000);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_TF32, 0x1.fff8p127), 0x7f800000);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_FNV8E5M3FNU, 114688 * 1.1), 0xff);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F6E3M2FN, -INFINITY), 0x3f);
    cr_assert_eq(fpsan_encode_nearest(FPSAN_F6E2M3FN, -0.0), 0x20);
}

Test(formats, one_zero_and_one_nan) {
    static const FpsanFormat formats[] = {FPSAN_F8E4M3FNUZ, FPSAN_F8E5M2FNUZ};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        FpsanFormat f = formats[i];
        cr_assert_eq(fpsan_encode_nearest(f, -0.0), 0);
        cr_assert_eq(fpsan_encode(f, -0x1p-30, FPSAN_TOWARD_ZERO), 0);
        cr_assert_eq(fpsan_encode_nearest(f, -INFINITY), 0x80);
        cr_assert_eq(fpsan_encode_nearest(f, NAN), 0x80);
        cr_assert_eq(fpsan_encode_nearest(f, 1e9), 0x80);
        cr_assert(isnan(fpsan_decode(f, 0x80)));
        cr_assert_eq(fpsan_classify_bits(f, 0x80) & ~(unsigned)FPSAN_CLASS_NEGATIVE, FPSAN_CLASS_NAN);
        cr_assert_eq(fpsan_classify_bits(f, 0x81), FPSAN_CLASS_SUBNORMAL | FPSAN_CLASS_NEGATIVE);
        cr_assert_eq(fpsan_classify_bits(f, 0x7f), FPSAN_CLASS_NORMAL);
        cr_assert_not(fpsan_compare_bits(f, FPSAN_EQUAL, true, 0x80, 0x80));
        cr_assert(fpsan_compare_bits(f, FPSAN_LESS_THAN, true, 0x81, 0));
    }
}

Test(formats, saturating) {
    static const struct {
        FpsanFormat format;
        double value;
        FpsanRounding rounding;
        uint64_t bits;
    } rows[] = {
        {FPSAN_F8E4M3FN, 464, FPSAN_NEAREST_AWAY, 0x7e},      {FPSAN_F8E4M3FN, -INFINITY, FPSAN_TOWARD_ZERO, 0xfe},
        {FPSAN_F8E4M3FN, NAN, FPSAN_NEAREST_EVEN, 0x7f},      {FPSAN_F8E5M2, INFINITY, FPSAN_NEAREST_EVEN, 0x7b},
        {FPSAN_F8E4M3FNUZ, 1e9, FPSAN_NEAREST_EVEN, 0x7f},    {FPSAN_F8E4M3FNUZ, -0.0, FPSAN_NEAREST_EVEN, 0},
        {FPSAN_F8E4M3FNUZ, NAN, FPSAN_NEAREST_EVEN, 0x80},    {FPSAN_F6E2M3FN, NAN, FPSAN_NEAREST_EVEN, 0x1f},
        {FPSAN_F6E3M2FN, -1e9, FPSAN_TOWARD_POSITIVE, 0x3f},  {FPSAN_F4E2M1FN, -NAN, FPSAN_NEAREST_EVEN, 7},
        {FPSAN_F8E8M0FNU, -INFINITY, FPSAN_TOWARD_ZERO, 254}, {FPSAN_F16, INFINITY, FPSAN_NEAREST_EVEN, 0x7bff},
        {FPSAN_F32, 1e300, FPSAN_TOWARD_POSITIVE, 0x7f7fffff}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(fpsan_encode_saturating(rows[i].format, rows[i].value, rows[i].rounding), rows[i].bits, "%s %a",
                     fpsan_format_info(rows[i].format)->name, rows[i].value);
}

// As NVIDIA's conversions: the sign is ignored, ties go up, what is too small becomes 2^-127.
Test(formats, e8m0) {
    static const struct {
        double value;
        FpsanRounding rounding;
        uint64_t bits;
    } rows[] = {{1, FPSAN_NEAREST_EVEN, 127},
                {1.5, FPSAN_NEAREST_EVEN, 128},
                {1.49, FPSAN_NEAREST_EVEN, 127},
                {3, FPSAN_NEAREST_EVEN, 129},
                {0, FPSAN_TOWARD_ZERO, 0},
                {0x1p-140, FPSAN_TOWARD_POSITIVE, 0},
                {0x1p-127, FPSAN_TOWARD_POSITIVE, 0},
                {0x1.1p-127, FPSAN_TOWARD_POSITIVE, 1},
                {0x1.9p-127, FPSAN_NEAREST_EVEN, 1},
                {1.01, FPSAN_TOWARD_POSITIVE, 128},
                {-1.01, FPSAN_TOWARD_POSITIVE, 128},
                {1.99, FPSAN_TOWARD_ZERO, 127},
                {0x1p127, FPSAN_TOWARD_POSITIVE, 254},
                {0x1.1p127, FPSAN_TOWARD_POSITIVE, 255},
                {1e300, FPSAN_TOWARD_ZERO, 254},
                {INFINITY, FPSAN_TOWARD_ZERO, 255},
                {NAN, FPSAN_TOWARD_ZERO, 255}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(fpsan_encode(FPSAN_F8E8M0FNU, rows[i].value, rows[i].rounding), rows[i].bits, "%a", rows[i].value);
    cr_assert(isnan(fpsan_decode(FPSAN_F8E8M0FNU, 255)));
}

Test(formats, classes) {
    cr_assert_eq(fpsan_classify_bits(FPSAN_F32, 0x80000000), FPSAN_CLASS_ZERO | FPSAN_CLASS_NEGATIVE);
    cr_assert_eq(fpsan_classify_bits(FPSAN_F16, 0xfc00), FPSAN_CLASS_INFINITE | FPSAN_CLASS_NEGATIVE);
    cr_assert_eq(fpsan_classify_bits(FPSAN_F16, 0x7c01), FPSAN_CLASS_NAN);
    cr_assert_eq(fpsan_classify_bits(FPSAN_BF16, 1), FPSAN_CLASS_SUBNORMAL);
    cr_assert_eq(fpsan_classify_bits(FPSAN_F8E4M3FN, 0x7e), FPSAN_CLASS_NORMAL);
    cr_assert_eq(fpsan_classify_bits(FPSAN_F8E4M3FN, 0x7f), FPSAN_CLASS_NAN);
    cr_assert_eq(fpsan_classify_bits(FPSAN_F4E2M1FN, 7), FPSAN_CLASS_NORMAL);
    cr_assert_eq(fpsan_classify_bits(FPSAN_F8E8M0FNU, 0), FPSAN_CLASS_NORMAL);
    cr_assert_eq(fpsan_classify_bits(FPSAN_F8E8M0FNU, 255), FPSAN_CLASS_NAN);
}
