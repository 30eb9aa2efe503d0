// SPDX-License-Identifier: Apache-2.0
// Float literals: what is printed reads back to the same bits, and the three forms appear where they should.
#include "compiler/tileir/print_internal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_literal(TirTypeKind kind, uint64_t bits, const char *expected) {
    Buffer out = {0};
    tir_print_literal(kind, bits, &out);
    cr_expect_str_eq(out.data, expected, "%s 0x%llx", tir_type_rows[kind].name, (unsigned long long)bits);
    buffer_free(&out);
}

// As tileirdisasm 13.4 prints them.
Test(print_numbers, forms) {
    expect_literal(TIR_TYPE_f32, 0x3F800000, "1.000000e+00");
    expect_literal(TIR_TYPE_f32, 0x80000000, "-0.000000e+00");
    expect_literal(TIR_TYPE_f32, 0x40490FDB, "3.14159274");
    expect_literal(TIR_TYPE_f32, 0x4B800000, "0x4B800000");
    expect_literal(TIR_TYPE_f32, 0x7F800000, "0x7F800000");
    expect_literal(TIR_TYPE_f32, 0x807FFFFF, "-1.17549421E-38");
    expect_literal(TIR_TYPE_f32, 0x00000001, "1.401300e-45");
    expect_literal(TIR_TYPE_f64, 0x7FEFFFFFFFFFFFFF, "1.7976931348623157E+308");
    expect_literal(TIR_TYPE_f64, 0x3FD3333333333334, "0.30000000000000004");
    expect_literal(TIR_TYPE_f64, 1, "4.940660e-324");
    expect_literal(TIR_TYPE_f16, 0x7E00, "0x7E00");
    expect_literal(TIR_TYPE_tf32, 0x3FC00, "0x3FC00");
    expect_literal(TIR_TYPE_f8E8M0FNU, 0xFF, "0xFF");
    expect_literal(TIR_TYPE_i1, 1, "true");
    expect_literal(TIR_TYPE_i8, 0x80, "-128");
    expect_literal(TIR_TYPE_i64, UINT64_C(1) << 63, "-9223372036854775808");
}

static uint64_t next_random(uint64_t *state) { // splitmix64
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static uint64_t read_literal(TirTypeKind kind, const char *text) {
    if (!strncmp(text, "0x", 2)) return strtoull(text, NULL, 16);
    uint32_t single;
    uint64_t wide;
    if (kind == TIR_TYPE_f32) {
        float value = strtof(text, NULL);
        memcpy(&single, &value, sizeof value);
        return single;
    }
    double value = strtod(text, NULL);
    memcpy(&wide, &value, sizeof value);
    return wide;
}

static void expect_round_trip(TirTypeKind kind, uint64_t bits) {
    Buffer out = {0};
    tir_print_literal(kind, bits, &out);
    cr_assert_eq(read_literal(kind, out.data), bits, "%s 0x%llx printed as %s", tir_type_rows[kind].name,
                 (unsigned long long)bits, out.data);
    buffer_free(&out);
}

Test(print_numbers, f32_and_f64_read_back) {
    uint64_t state = 1;
    for (uint32_t i = 0; i < 100000; i++) {
        uint64_t bits = next_random(&state);
        expect_round_trip(TIR_TYPE_f32, bits >> 32);
        if (i % 4 == 0) expect_round_trip(TIR_TYPE_f64, bits);
    }
    // Around powers of two, where the neighbour below is nearer than the one above.
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (int step = -2; step <= 2; step++)
            expect_round_trip(TIR_TYPE_f32, ((uint64_t)exponent << 23) + (uint64_t)(step + 2));
    for (uint64_t exponent = 0; exponent < 2047; exponent += 3)
        for (uint64_t step = 0; step <= 4; step++)
            expect_round_trip(TIR_TYPE_f64, (exponent << 52) + step - (exponent ? 2 : 0));
}

// A short decimal of a 16-bit float must lie nearer to it than to its neighbours.
static double half_value(uint32_t bits) {
    int exponent = bits >> 10 & 31;
    double mantissa = bits & 1023;
    double value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return bits >> 15 ? -value : value;
}

Test(print_numbers, every_f16_reads_back) {
    for (uint32_t bits = 0; bits < 0x7C00; bits++) {
        Buffer out = {0};
        tir_print_literal(TIR_TYPE_f16, bits, &out);
        double read = strtod(out.data, NULL), value = half_value(bits);
        double above = half_value(bits + 1) - value, below = bits ? value - half_value(bits - 1) : above;
        cr_assert(read - value < above / 2 && value - read < below / 2, "0x%04X printed as %s", bits, out.data);
        buffer_free(&out);
    }
}

Test(print_numbers, exact_integers) {
    uint64_t value = 7;
    cr_expect(tir_float_is_integer(TIR_TYPE_f32, 0, &value) && value == 0);
    cr_expect(tir_float_is_integer(TIR_TYPE_f32, 0x4B800000, &value) && value == 16777216);
    cr_expect(tir_float_is_integer(TIR_TYPE_f64, 0x43E0000000000000, &value) && value == UINT64_C(1) << 63);
    cr_expect_not(tir_float_is_integer(TIR_TYPE_f64, 0x43F0000000000000, &value)); // 2^64
    cr_expect_not(tir_float_is_integer(TIR_TYPE_f32, 0x80000000, &value));
    cr_expect_not(tir_float_is_integer(TIR_TYPE_f32, 0x3F000000, &value));
    cr_expect_not(tir_float_is_integer(TIR_TYPE_f32, 0x7F800000, &value));
}
