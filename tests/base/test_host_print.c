// SPDX-License-Identifier: Apache-2.0
// The text of prints: conversions on every kind of value, tiles, and formats that no compiler wrote.
#include "base/base.h"
#include "base/host_print.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_text(const char *expected, const char *format, const HostPrintValue *values, uint64_t count) {
    HostPrint print = {format, strlen(format), values, count};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    host_print(out, &print);
    fclose(out);
    cr_expect_str_eq(text, expected, "%s gives %s, expected %s", format, text, expected);
    free(text);
}

Test(host_print, conversions) {
    static const int16_t number = -300;
    static const uint8_t half = 0xa, bit = 1;
    static const uint64_t large = UINT64_C(0xfedcba9876543210);
    static const float small = 1.5f, nan_of_sign = -NAN;
    static const double fine = -1e-300;
    static const struct {
        const char *format, *expected;
        HostPrintValue value;
    } cases[] = {
        {"%d", "-300", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}},
        {"[%8d]", "[    -300]", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}},
        {"[%-8i]", "[-300    ]", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}},
        {"%08lld", "-0000300", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}},
        {"%u", "65236", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}},
        {"%#x %%", "0xfed4 %", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}},
        {"%f", "-300", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}}, // in its own way
        {"%s", "-300", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}},
        {"%n", "-300", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}},
        {"%d", "-6", {HOST_PRINT_INTEGER, 4, 0, NULL, &half}},
        {"%u", "10", {HOST_PRINT_INTEGER, 4, 0, NULL, &half}},
        {"%d", "1", {HOST_PRINT_INTEGER, 1, 0, NULL, &bit}},
        {"%d", "-81985529216486896", {HOST_PRINT_INTEGER, 64, 0, NULL, &large}},
        {"%llX", "FEDCBA9876543210", {HOST_PRINT_INTEGER, 64, 0, NULL, &large}},
        {"%f", "1.500000", {HOST_PRINT_FLOAT, 32, 0, NULL, &small}},
        {"%+.1e", "+1.5e+00", {HOST_PRINT_FLOAT, 32, 0, NULL, &small}},
        {"%5.0f|", "    2|", {HOST_PRINT_FLOAT, 32, 0, NULL, &small}},
        {"%d", "1.5", {HOST_PRINT_FLOAT, 32, 0, NULL, &small}},
        {"%a", "0x1.8p+0", {HOST_PRINT_FLOAT, 32, 0, NULL, &small}},
        {"%f %%", "nan %", {HOST_PRINT_FLOAT, 32, 0, NULL, &nan_of_sign}},
        {"%g", "-1e-300", {HOST_PRINT_FLOAT, 64, 0, NULL, &fine}},
        {"%.3f", "0x0a", {HOST_PRINT_PAYLOAD, 8, 0, NULL, &half}},
        {"%6f|", "   0xa|", {HOST_PRINT_PAYLOAD, 4, 0, NULL, &half}},
        {"%p", "0xfedcba9876543210", {HOST_PRINT_POINTER, 64, 0, NULL, &large}},
        {"%5%", " -300", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}}, // one conversion, as the verifier counts
        {"%*d", "-300", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}},
        {"%--++  ##00-5d|", "-300 |", {HOST_PRINT_INTEGER, 16, 0, NULL, &number}},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) expect_text(cases[i].expected, cases[i].format, &cases[i].value, 1);
}

Test(host_print, wide_fields_are_bounded) {
    static const double one = 1;
    HostPrintValue value = {HOST_PRINT_FLOAT, 64, 0, NULL, &one};
    HostPrint print = {"%99999999999999999999.88888888888888888888f", 43, &value, 1};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    host_print(out, &print);
    fclose(out);
    cr_expect_eq(size, 101); // 1.000 with 99 places
    free(text);
}

Test(host_print, tiles) {
    static const int32_t items[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const int64_t one[] = {1}, line[] = {8}, plane[] = {2, 4}, column[] = {4, 1}, cube[] = {2, 2, 2};
    const HostPrintValue values[] = {
        {HOST_PRINT_INTEGER, 32, 1, one, items},   {HOST_PRINT_INTEGER, 32, 1, line, items},
        {HOST_PRINT_INTEGER, 32, 2, plane, items}, {HOST_PRINT_INTEGER, 32, 2, column, items},
        {HOST_PRINT_INTEGER, 32, 3, cube, items},
    };
    expect_text("[0]", "%d", &values[0], 1);
    expect_text("[0, 1, 2, 3, 4, 5, 6, 7]", "%d", &values[1], 1);
    expect_text("[[0, 1, 2, 3], [4, 5, 6, 7]]", "%d", &values[2], 1);
    expect_text("[[0], [1], [2], [3]]", "%d", &values[3], 1);
    expect_text("[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]", "%d", &values[4], 1);
    expect_text("a [0] b [[0], [1], [2], [3]]\n", "a %d b %d\n", (HostPrintValue[]){values[0], values[3]}, 2);
    expect_text("50% of nothing", "50%% of nothing", NULL, 0);
}
