// SPDX-License-Identifier: Apache-2.0
// Elements: layout in memory, numbers in text, distance in representable values.
#include "diff/fpd.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(element, layout_and_round_trip) {
    for (int t = 0; t < FPD_TYPE_COUNT; t++) {
        FpdType type = (FpdType)t;
        uint8_t bytes[8 * 7] = {0};
        uint64_t used = fpd_type_info(type)->used;
        for (uint64_t i = 0; i < 7; i++) fpd_element_set(type, bytes, i, (0x0123456789abcdef * (i + 1)) & used);
        for (uint64_t i = 0; i < 7; i++)
            cr_expect_eq(fpd_element_bits(type, bytes, i), (0x0123456789abcdef * (i + 1)) & used, "%s %d",
                         fpd_type_info(type)->name, (int)i);
        FpdType found;
        cr_expect(fpd_type_by_name(fpd_type_info(type)->name, &found) && found == type);
        if (fpd_type_is_float(type))
            cr_expect_str_eq(fpsan_format_info(fpd_type_info(type)->format)->name, fpd_type_info(type)->name);
    }
    cr_expect_eq(fpd_type_bytes(FPD_TYPE_f4e2m1fn, 7), 4);
    cr_expect_eq(fpd_type_bytes(FPD_TYPE_i1, 7), 7);
    cr_expect_eq(fpd_type_bytes(FPD_TYPE_tf32, 7), 28);
    uint8_t nibbles[1] = {0};
    fpd_element_set(FPD_TYPE_f4e2m1fn, nibbles, 0, 0x3);
    fpd_element_set(FPD_TYPE_f4e2m1fn, nibbles, 1, 0xc);
    cr_expect_eq(nibbles[0], 0xc3); // the first in the low nibble
}

// The text of every number of the small types, and of samples of the large ones, reads back as the same bits.
Test(element, text_reads_back) {
    for (int t = 0; t < FPD_TYPE_COUNT; t++) {
        FpdType type = (FpdType)t;
        uint64_t used = fpd_type_info(type)->used, random = 88172645463325252;
        for (unsigned round = 0; round < 1 << 16; round++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            uint64_t bits = (used <= 0xffff ? round : random) & used, back;
            char text[FPD_TEXT_SIZE];
            const char *expected;
            fpd_element_text(type, bits, text);
            if (fpd_type_is_float(type) && isnan(fpd_element_value(type, bits))) {
                cr_assert_str_eq(text, "nan");
                continue;
            }
            cr_assert(fpd_element_parse(type, text, &back, &expected), "%s: %s of 0x%llx", fpd_type_info(type)->name,
                      text, (unsigned long long)bits);
            cr_assert_eq(back, bits, "%s: %s of 0x%llx became 0x%llx", fpd_type_info(type)->name, text,
                         (unsigned long long)bits, (unsigned long long)back);
        }
    }
}

Test(element, parsing) {
    static const struct {
        FpdType type;
        const char *text;
        bool good;
        uint64_t bits;
    } rows[] = {
        {FPD_TYPE_f32, "0.125", true, 0x3e000000},
        {FPD_TYPE_f32, "0x1p-3", true, 0x3e000000},
        {FPD_TYPE_f32, "-0", true, 0x80000000},
        {FPD_TYPE_f32, "inf", true, 0x7f800000},
        {FPD_TYPE_f32, "-inf", true, 0xff800000},
        {FPD_TYPE_f32, "nan", true, 0x7fc00000},
        {FPD_TYPE_f32, "0.1", true, 0x3dcccccd},
        {FPD_TYPE_f32, "1e-50", true, 0},
        {FPD_TYPE_f32, "1e39", false, 0},
        {FPD_TYPE_f32, "1 2", false, 0},
        {FPD_TYPE_f32, "", false, 0},
        {FPD_TYPE_f32, "1.0f", false, 0},
        {FPD_TYPE_f32, "nan(1)", false, 0},
        {FPD_TYPE_f16, "65504", true, 0x7bff},
        {FPD_TYPE_f16, "65520", false, 0},
        {FPD_TYPE_f16, "2049", true, 0x6800},
        {FPD_TYPE_f16, "2051", true, 0x6802},
        {FPD_TYPE_tf32, "1.0009765625", true, 0x3f802000},
        {FPD_TYPE_tf32, "1.00048828125", true, 0x3f800000},
        {FPD_TYPE_f8e4m3fn, "448", true, 0x7e},
        {FPD_TYPE_f8e4m3fn, "465", false, 0},
        {FPD_TYPE_f8e4m3fn, "inf", false, 0},
        {FPD_TYPE_f8e4m3fn, "nan", true, 0x7f},
        {FPD_TYPE_f8e5m2, "57344", true, 0x7b},
        {FPD_TYPE_f8e8m0fnu, "2", true, 128},
        {FPD_TYPE_f8e8m0fnu, "-1", false, 0},
        {FPD_TYPE_f4e2m1fn, "6", true, 7},
        {FPD_TYPE_f4e2m1fn, "6.1", false, 0},
        {FPD_TYPE_f4e2m1fn, "-0.5", true, 9},
        {FPD_TYPE_i8, "-128", true, 0x80},
        {FPD_TYPE_i8, "255", true, 0xff},
        {FPD_TYPE_i8, "256", false, 0},
        {FPD_TYPE_i8, "0x7f", true, 0x7f},
        {FPD_TYPE_i8, "1.0", false, 0},
        {FPD_TYPE_i64, "-9223372036854775808", true, UINT64_C(1) << 63},
        {FPD_TYPE_i64, "18446744073709551615", true, UINT64_MAX},
        {FPD_TYPE_i64, "18446744073709551616", false, 0},
        {FPD_TYPE_i64, "-9223372036854775809", false, 0},
        {FPD_TYPE_i32, "--1", false, 0},
        {FPD_TYPE_i1, "true", true, 1},
        {FPD_TYPE_i1, "0", true, 0},
        {FPD_TYPE_i1, "2", false, 0},
        {FPD_TYPE_i1, "-1", false, 0},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        uint64_t bits = 0;
        const char *expected = NULL;
        bool good = fpd_element_parse(rows[i].type, rows[i].text, &bits, &expected);
        cr_expect_eq(good, rows[i].good, "%s %s", fpd_type_info(rows[i].type)->name, rows[i].text);
        if (good)
            cr_expect_eq(bits, rows[i].bits, "%s %s is 0x%llx", fpd_type_info(rows[i].type)->name, rows[i].text,
                         (unsigned long long)bits);
        else
            cr_expect(expected);
    }
}

Test(element, distance) {
    cr_expect_eq(fpd_element_ulps(FPD_TYPE_f16, 0x3c00, 0x3c01), 1);
    cr_expect_eq(fpd_element_ulps(FPD_TYPE_f16, 0x0000, 0x8000), 0);
    cr_expect_eq(fpd_element_ulps(FPD_TYPE_f16, 0x0001, 0x8001), 2);
    cr_expect_eq(fpd_element_ulps(FPD_TYPE_f16, 0x7bff, 0xfbff), 2 * 0x7bff);
    cr_expect_eq(fpd_element_ulps(FPD_TYPE_tf32, 0x3f800000, 0x3f806000), 3);
    cr_expect_eq(fpd_element_ulps(FPD_TYPE_f64, 0x3ff0000000000000, 0xbff0000000000000),
                 2 * UINT64_C(0x3ff0000000000000));
    cr_expect_eq(fpd_element_ulps(FPD_TYPE_f8e8m0fnu, 0x7f, 0x82), 3);
    cr_expect_eq(fpd_element_ulps(FPD_TYPE_f4e2m1fn, 0x1, 0x9), 2);
    // One step from a number to its neighbour, across every exponent of the 8-bit types.
    for (uint64_t bits = 0; bits < 0x7e; bits++) cr_expect_eq(fpd_element_ulps(FPD_TYPE_f8e4m3fn, bits, bits + 1), 1);
}
