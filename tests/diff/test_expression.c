// SPDX-License-Identifier: Apache-2.0
// Integer expressions: the values that Python gives (expressions.txt), and a table of wrong ones, each with what is
// said and where.
#include "diff/case.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const FpdParameter parameters[] = {{"N", 100, {0}}, {"D", 64, {0}},          {"M", -7, {0}},
                                          {"Z", 0, {0}},   {"BIG", INT64_MAX, {0}}, {"LEAST", INT64_MIN, {0}}};
static const FpdParameters all_parameters = {BASE_COUNT(parameters), parameters};

static void check_line(Arena *arena, const char *text, const char *expected) {
    const FpdEvaluated found = fpd_evaluate(arena, text, &all_parameters);
    if (!strcmp(expected, "beyond"))
        cr_assert(found.problem && strstr(found.problem, "beyond 64 bits"), "%s: %s, %" PRId64, text,
                  found.problem ? found.problem : "no problem", found.value);
    else if (!strcmp(expected, "zero"))
        cr_assert(found.problem && strstr(found.problem, "by zero"), "%s: %s, %" PRId64, text,
                  found.problem ? found.problem : "no problem", found.value);
    else
        cr_assert(!found.problem && found.value == strtoll(expected, NULL, 10), "%s: %s, %" PRId64 ", expected %s",
                  text, found.problem ? found.problem : "no problem", found.value, expected);
}

Test(expression, as_in_python) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    uint8_t *text;
    size_t size;
    unsigned count = 0;
    cr_assert(file_read(&diagnostics, &arena, SOURCE_DIR "/tests/diff/expressions.txt", &text, &size));
    for (char *line = strtok(arena_text(&arena, (char *)text, size), "\n"); line; line = strtok(NULL, "\n")) {
        char *equals = strstr(line, " = ");
        cr_assert(equals, "%s", line);
        *equals = 0;
        check_line(&arena, line, equals + 3);
        count++;
    }
    cr_assert(count > 1500, "%u", count);
    arena_reset(&arena);
}

// The problem stands where ~ is.
static const struct {
    const char *text, *problem;
} wrong_rows[] = {
    {"N + ~M2", "unknown name 'M2', expected N, D, M, Z, BIG, LEAST, min, max or cdiv"},
    {"N ~/ 2", "'/' would be no integer, '//' rounds down"},
    {"N ~** 2", "'**' is no operator"},
    {"N ~2", "found '2', expected an operator"},
    {"(N + 1~", "the expression ends, expected ')'"},
    {"N +~", "the expression ends, expected a number or a name"},
    {"N + ~)", "found ')', expected a number or a name"},
    {"min(1~)", "found ')', expected ','"},
    {"cdiv(1, 2~, 3)", "found ', 3)', expected ')'"},
    {"cdiv ~N", "found 'N', expected '('"},
    {"~010", "'010' is no integer"},
    {"~0x", "'0x' is no integer"},
    {"N * ~1.5", "'1.5' is no integer"},
    {"~12a", "'12a' is no integer"},
    {"N ~// (D - 64)", "division by zero"},
    {"N ~% Z", "% by zero"},
    {"2 * ~cdiv(N, Z)", "division by zero"},
    {"1 ~+ BIG + N", "beyond 64 bits"},
    {"N + ~9223372036854775808", "9223372036854775808 is beyond 64 bits"},
    {"-~LEAST", "-(-9223372036854775808) is beyond 64 bits"},
    {"N ~& 1", "found '& 1', expected an operator"},
};

Test(expression, problems_and_their_places) {
    Arena arena = {0};
    for (size_t i = 0; i < BASE_COUNT(wrong_rows); i++) {
        char text[64] = {0};
        const char *mark = strchr(wrong_rows[i].text, '~');
        const size_t offset = (size_t)(mark - wrong_rows[i].text);
        memcpy(text, wrong_rows[i].text, offset);
        strcpy(text + offset, mark + 1);
        const FpdEvaluated found = fpd_evaluate(&arena, text, &all_parameters);
        cr_assert(found.problem, "%s", text);
        cr_expect(strstr(found.problem, wrong_rows[i].problem), "%s: %s", text, found.problem);
        cr_expect_eq(found.offset, offset, "%s: %zu", text, found.offset);
    }
    arena_reset(&arena);
}

// Neither deep nor long texts do harm.
Test(expression, large_texts) {
    enum { SIZE = 1 << 20 };
    static char text[SIZE];
    Arena arena = {0};
    const char *const units[] = {"(", "-", "1+", "min(", "((-"};
    for (size_t u = 0; u < BASE_COUNT(units); u++) {
        const size_t length = strlen(units[u]);
        for (size_t i = 0; i + length < SIZE; i += length) memcpy(text + i, units[u], length + 1);
        cr_expect(fpd_evaluate(&arena, text, &all_parameters).problem);
    }
    arena_reset(&arena);
}

Test(expression, which_parameters_are_used) {
    Arena arena = {0};
    cr_expect_eq(fpd_evaluate(&arena, "min(N, 0) * LEAST // BIG", &all_parameters).used, 0x31);
    cr_expect_eq(fpd_evaluate(&arena, "1 + 1", &all_parameters).used, 0);
    arena_reset(&arena);
}
