// SPDX-License-Identifier: Apache-2.0
// Elements: layout in memory, numbers in text, distance in representable values.
#include "diff/element.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(element, layout_and_round_trip) {
    for (int t = 0; t < ELEMENT_TYPE_COUNT; t++) {
        ElementType type = (ElementType)t;
        uint8_t bytes[8 * 7] = {0};
        uint64_t used = element_info(type)->used;
        for (uint64_t i = 0; i < 7; i++) fpd_element_set(type, bytes, i, (0x0123456789abcdef * (i + 1)) & used);
        for (uint64_t i = 0; i < 7; i++)
            cr_expect_eq(fpd_element_bits(type, bytes, i), (0x0123456789abcdef * (i + 1)) & used, "%s %d",
                         element_info(type)->name, (int)i);
        ElementType found;
        cr_expect(element_by_name(element_info(type)->name, &found) == element_info(type)->in_cases);
        cr_expect(!element_info(type)->in_cases || found == type);
        if (element_is_float(type))
            cr_expect_str_eq(fpsan_format_info(element_format(type))->name, element_info(type)->name);
    }
    cr_expect_eq(fpd_type_bytes(ELEMENT_F4E2M1FN, 7), 4);
    cr_expect_eq(fpd_type_bytes(ELEMENT_I1, 7), 7);
    cr_expect_eq(fpd_type_bytes(ELEMENT_TF32, 7), 28);
    uint8_t nibbles[1] = {0};
    fpd_element_set(ELEMENT_F4E2M1FN, nibbles, 0, 0x3);
    fpd_element_set(ELEMENT_F4E2M1FN, nibbles, 1, 0xc);
    cr_expect_eq(nibbles[0], 0xc3); // the first in the low nibble
}

// The text of every number of the small types, and of samples of the large ones, reads back as the same bits.
Test(element, text_reads_back) {
    for (int t = 0; t < ELEMENT_TYPE_COUNT; t++) {
        ElementType type = (ElementType)t;
        uint64_t used = element_info(type)->used, random = 88172645463325252;
        for (unsigned round = 0; round < 1 << 16; round++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            uint64_t bits = (used <= 0xffff ? round : random) & used, back;
            char text[FPD_TEXT_SIZE];
            const char *expected;
            fpd_element_text(type, bits, text);
            if (element_is_float(type) && isnan(fpd_element_value(type, bits))) {
                cr_assert_str_eq(text, "nan");
                continue;
            }
            cr_assert(fpd_element_parse(type, text, &back, &expected), "%s: %s of 0x%llx", element_info(type)->name,
                      text, (unsigned long long)bits);
            cr_assert_eq(back, bits, "%s: %s of 0x%llx became 0x%llx", element_info(type)->name, text,
                         (unsigned long long)bits, (unsigned long long)back);
        }
    }
}

Test(element, parsing) {
    static const struct {
        ElementType type;
        const char *text;
        bool good;
        uint64_t bits;
    } rows[] = {
        {ELEMENT_F32, "0.125", true, 0x3e000000},
        {ELEMENT_F32, "0x1p-3", true, 0x3e000000},
        {ELEMENT_F32, "-0", true, 0x80000000},
        {ELEMENT_F32, "inf", true, 0x7f800000},
        {ELEMENT_F32, "-inf", true, 0xff800000},
        {ELEMENT_F32, "nan", true, 0x7fc00000},
        {ELEMENT_F32, "0.1", true, 0x3dcccccd},
        {ELEMENT_F32, "1e-50", true, 0},
        {ELEMENT_F32, "1e39", false, 0},
        {ELEMENT_F32, "1 2", false, 0},
        {ELEMENT_F32, "", false, 0},
        {ELEMENT_F32, "1.0f", false, 0},
        {ELEMENT_F32, "nan(1)", false, 0},
        {ELEMENT_F16, "65504", true, 0x7bff},
        {ELEMENT_F16, "65520", false, 0},
        {ELEMENT_F16, "2049", true, 0x6800},
        {ELEMENT_F16, "2051", true, 0x6802},
        {ELEMENT_TF32, "1.0009765625", true, 0x3f802000},
        {ELEMENT_TF32, "1.00048828125", true, 0x3f800000},
        {ELEMENT_F8E4M3FN, "448", true, 0x7e},
        {ELEMENT_F8E4M3FN, "465", false, 0},
        {ELEMENT_F8E4M3FN, "inf", false, 0},
        {ELEMENT_F8E4M3FN, "nan", true, 0x7f},
        {ELEMENT_F8E5M2, "57344", true, 0x7b},
        {ELEMENT_F8E8M0FNU, "2", true, 128},
        {ELEMENT_F8E8M0FNU, "-1", false, 0},
        {ELEMENT_F4E2M1FN, "6", true, 7},
        {ELEMENT_F4E2M1FN, "6.1", false, 0},
        {ELEMENT_F4E2M1FN, "-0.5", true, 9},
        {ELEMENT_I8, "-128", true, 0x80},
        {ELEMENT_I8, "255", true, 0xff},
        {ELEMENT_I8, "256", false, 0},
        {ELEMENT_I8, "0x7f", true, 0x7f},
        {ELEMENT_I8, "1.0", false, 0},
        {ELEMENT_I64, "-9223372036854775808", true, UINT64_C(1) << 63},
        {ELEMENT_I64, "18446744073709551615", true, UINT64_MAX},
        {ELEMENT_I64, "18446744073709551616", false, 0},
        {ELEMENT_I64, "-9223372036854775809", false, 0},
        {ELEMENT_I32, "--1", false, 0},
        {ELEMENT_I1, "true", true, 1},
        {ELEMENT_I1, "0", true, 0},
        {ELEMENT_I1, "2", false, 0},
        {ELEMENT_I1, "-1", false, 0},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        uint64_t bits = 0;
        const char *expected = NULL;
        bool good = fpd_element_parse(rows[i].type, rows[i].text, &bits, &expected);
        cr_expect_eq(good, rows[i].good, "%s %s", element_info(rows[i].type)->name, rows[i].text);
        if (good)
            cr_expect_eq(bits, rows[i].bits, "%s %s is 0x%llx", element_info(rows[i].type)->name, rows[i].text,
                         (unsigned long long)bits);
        else
            cr_expect(expected);
    }
}

Test(element, distance) {
    cr_expect_eq(fpd_element_ulps(ELEMENT_F16, 0x3c00, 0x3c01), 1);
    cr_expect_eq(fpd_element_ulps(ELEMENT_F16, 0x0000, 0x8000), 0);
    cr_expect_eq(fpd_element_ulps(ELEMENT_F16, 0x0001, 0x8001), 2);
    cr_expect_eq(fpd_element_ulps(ELEMENT_F16, 0x7bff, 0xfbff), 2 * 0x7bff);
    cr_expect_eq(fpd_element_ulps(ELEMENT_TF32, 0x3f800000, 0x3f806000), 3);
    cr_expect_eq(fpd_element_ulps(ELEMENT_F64, 0x3ff0000000000000, 0xbff0000000000000),
                 2 * UINT64_C(0x3ff0000000000000));
    cr_expect_eq(fpd_element_ulps(ELEMENT_F8E8M0FNU, 0x7f, 0x82), 3);
    cr_expect_eq(fpd_element_ulps(ELEMENT_F4E2M1FN, 0x1, 0x9), 2);
    // One step from a number to its neighbour, across every exponent of the 8-bit types.
    for (uint64_t bits = 0; bits < 0x7e; bits++) cr_expect_eq(fpd_element_ulps(ELEMENT_F8E4M3FN, bits, bits + 1), 1);
}
