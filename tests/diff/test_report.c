// SPDX-License-Identifier: Apache-2.0
// Comparison, patterns, verdicts and reports on made-up results: no kernel is run here.
#include "tests/diff/report_text.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A case of one f32 buffer Y and variants a (the reference), b, c; the modes and what they compute are set by each
// test.
typedef struct Sample {
    Arena arena;
    FpdCase cas;
    FpdBuffer buffers[2];
    FpdVariant variants[3];
    uint32_t compare[2];
    FpdRuns runs;
    ProgramUse tiles[2];
    FpdOutcome outcome;
} Sample;

static void sample_open(Sample *s, uint32_t rank, const int64_t *shape) {
    *s = (Sample){.cas = {.path = "case.yaml", .title = "a title"}};
    s->buffers[0] = (FpdBuffer){.name = "Y", .type = ELEMENT_F32, .rank = rank, .elements = 1};
    for (uint32_t d = 0; d < rank; d++) s->buffers[0].elements *= (uint64_t)(s->buffers[0].shape[d] = shape[d]);
    s->buffers[0].bytes = s->buffers[0].elements * 4;
    s->buffers[1] = (FpdBuffer){.name = "N", .type = ELEMENT_I32, .rank = 1, .shape = {2}, .elements = 2, .bytes = 8};
    for (int v = 0; v < 3; v++) s->variants[v].name = (const char *[]){"a", "b", "c"}[v];
    s->compare[1] = 1;
    s->cas.buffers = s->buffers, s->cas.buffer_count = 2, s->cas.variants = s->variants, s->cas.variant_count = 2;
    s->cas.compare = s->compare, s->cas.compare_count = 1;
    s->cas.modes[s->cas.mode_count++] = FPD_MODE_fpsan;
    s->cas.modes[s->cas.mode_count++] = FPD_MODE_ieee;
    s->cas.algebra = fpsan_default_algebra();
    s->cas.seed = 1;
    s->cas.variant_count = 3;
    s->runs = fpd_plan_runs(&s->arena, &s->cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
    s->cas.variant_count = 2;
    s->runs.tiles = s->tiles;
    for (uint32_t r = 0; r < s->runs.run_count; r++) {
        FpdRun *run = &s->runs.runs[r];
        run->bytes = arena_array(&s->arena, uint8_t *, 2);
        run->unwritten = arena_array(&s->arena, uint64_t, 2);
        run->first_unwritten = arena_array(&s->arena, uint64_t, 2);
        for (int c = 0; c < 2; c++) run->bytes[c] = arena_alloc(&s->arena, s->buffers[c].bytes);
        for (uint64_t i = 0; i < s->buffers[0].elements; i++) ((float *)run->bytes[0])[i] = (float)i + 1;
    }
}

static float *values(Sample *s, FpdMode mode, int variant) {
    return (float *)fpd_find_run(&s->runs, mode, variant)->bytes[0];
}

static const char *judged_text(Sample *s) {
    Buffer text = {0};
    s->outcome = (FpdOutcome){.path = s->cas.path};
    fpd_plan_comparisons(&s->arena, &s->cas, &s->runs, &s->outcome);
    fpd_judge(&s->arena, &s->outcome);
    fpd_print_outcome(&s->outcome, false, &text);
    const char *kept = arena_text(&s->arena, text.data, text.size);
    buffer_free(&text);
    return kept;
}

Test(report, equal) {
    Sample s;
    sample_open(&s, 2, (int64_t[]){4, 8});
    cr_expect_str_eq(judged_text(&s), "case.yaml: a title\n"
                                      "  a | b  fpsan  EQUAL     32 elements of Y; IEEE identical\n"
                                      "  a | b  ieee   MEASURED  identical\n"
                                      "  OK\n");
    cr_expect_eq(s.outcome.status, 0);
    arena_reset(&s.arena);
}

Test(report, diverged) {
    Sample s;
    sample_open(&s, 2, (int64_t[]){4, 8});
    for (int i = 8; i < 16; i++) values(&s, FPD_MODE_fpsan, 1)[i] = -1;
    values(&s, FPD_MODE_ieee, 1)[8] = nextafterf(9, 10);
    values(&s, FPD_MODE_ieee, 1)[9] = INFINITY;
    uint32_t nine = (uint32_t)fpsan_embed(s.cas.algebra.profile, FPSAN_F32, 0x41100000);
    const char *text = judged_text(&s);
    cr_expect(strstr(text, "  a | b  fpsan  DIVERGED  8 of 32 elements of Y (25.0 %); IEEE at most 9.54e-07 apart "
                           "(relative 1.06e-07, 1 ulp), and 1 "
                           "element NaN or infinite on one side\n      within Y[1:2, 0:8]: all of that region\n"),
              "%s", text);
    cr_expect(
        strstr(text, arena_format(&s.arena, "      [1, 0]  0x%08x  0xffffffff  9          9.00000095  1 ulp\n", nine)),
        "%s", text);
    cr_expect(strstr(text, "11         11          0 ulp\n"), "%s", text);
    cr_expect(strstr(text, "  10         inf\n"), "%s", text);
    cr_expect(strstr(text, "      ... and 3 more\n"), "%s", text);
    cr_expect(strstr(text, "  FAILED: 1 pair diverged\n"), "%s", text);
    cr_expect(s.outcome.status == 1 && s.outcome.diverged == 1 && !s.outcome.expectation_met);
    s.cas.expect_diverge = true;
    cr_expect(strstr(judged_text(&s), "  OK, diverges as expected\n"));
    cr_expect_eq(s.outcome.status, 0);
    arena_reset(&s.arena);
}

Test(report, expected_divergence_that_is_not_there) {
    Sample s;
    sample_open(&s, 1, (int64_t[]){5});
    s.cas.expect_diverge = true;
    cr_expect(strstr(judged_text(&s), "  FAILED: no pair diverged, the case expects one to\n"));
    cr_expect_eq(s.outcome.status, 1);
    arena_reset(&s.arena);
}

// |a - b| <= atol + rtol |reference|; NaN and infinities of one sign agree.
Test(report, tolerance) {
    Sample s;
    sample_open(&s, 1, (int64_t[]){6});
    s.cas.tolerance.given = true, s.cas.tolerance.rtol = 0.25, s.cas.tolerance.atol = 0.5;
    static const float reference[] = {4, 4, NAN, INFINITY, -INFINITY, 0},
                       other[] = {5.5f, 2.5f, NAN, INFINITY, -INFINITY, -0.5f};
    memcpy(values(&s, FPD_MODE_ieee, 0), reference, sizeof reference);
    memcpy(values(&s, FPD_MODE_ieee, 1), other, sizeof other);
    const char *text = judged_text(&s);
    cr_expect(
        strstr(text,
               "ieee   EQUAL     6 elements of Y within rtol 0.25, atol 0.5; at most 1.5 apart (relative 0.375, "),
        "%s", text);
    cr_expect_eq(s.outcome.status, 0);
    static const struct {
        int at;
        float value;
    } beyond[] = {{0, 5.5000005f}, {2, 0}, {3, -INFINITY}, {3, 3e38f}, {5, 0.50000006f}};
    for (size_t i = 0; i < BASE_COUNT(beyond); i++) {
        memcpy(values(&s, FPD_MODE_ieee, 1), other, sizeof other);
        values(&s, FPD_MODE_ieee, 1)[beyond[i].at] = beyond[i].value;
        text = judged_text(&s);
        cr_expect(strstr(text, "ieee   DIVERGED  1 of 6 elements of Y (16.7 %) beyond rtol 0.25, atol 0.5; "),
                  "%zu: %s", i, text);
        cr_expect(strstr(text, "FAILED: 1 pair beyond the IEEE tolerance\n"), "%zu: %s", i, text);
        cr_expect(s.outcome.status == 1 && s.outcome.comparisons[1].differences[0].distance.beyond == 1);
    }
    s.cas.expect_diverge = true; // is about payloads: does not excuse numbers
    for (int i = 0; i < 6; i++) values(&s, FPD_MODE_fpsan, 1)[i] = 0;
    judged_text(&s);
    cr_expect_eq(s.outcome.status, 1);
    arena_reset(&s.arena);
}

// Payloads are compared as bits: two NaNs, or zeros of two signs, are two payloads.
Test(report, payloads_are_bits) {
    Sample s;
    sample_open(&s, 1, (int64_t[]){3});
    values(&s, FPD_MODE_fpsan, 0)[1] = 0.0f;
    values(&s, FPD_MODE_fpsan, 1)[1] = -0.0f;
    judged_text(&s);
    cr_expect_eq(s.outcome.comparisons[0].different, 1);
    ((uint32_t *)values(&s, FPD_MODE_fpsan, 0))[2] = 0x7fc00000;
    ((uint32_t *)values(&s, FPD_MODE_fpsan, 1))[2] = 0x7fc00001;
    judged_text(&s);
    cr_expect_eq(s.outcome.comparisons[0].different, 2);
    arena_reset(&s.arena);
}

Test(report, integers_have_no_tolerance) {
    Sample s;
    sample_open(&s, 1, (int64_t[]){3});
    s.cas.compare_count = 2;
    s.cas.tolerance.given = true, s.cas.tolerance.rtol = 1, s.cas.tolerance.atol = 100;
    int32_t *a = (int32_t *)fpd_find_run(&s.runs, FPD_MODE_ieee, 0)->bytes[1],
            *b = (int32_t *)fpd_find_run(&s.runs, FPD_MODE_ieee, 1)->bytes[1];
    a[0] = 7, a[1] = -3, b[0] = 7, b[1] = -4;
    ((int32_t *)fpd_find_run(&s.runs, FPD_MODE_fpsan, 0)->bytes[1])[0] = 1;
    ((int32_t *)fpd_find_run(&s.runs, FPD_MODE_fpsan, 1)->bytes[1])[0] = 1;
    const char *text = judged_text(&s);
    cr_expect(strstr(text, "ieee   DIVERGED  1 of 2 elements of N (50.0 %) beyond rtol 1, atol 100; at most 1 apart"),
              "%s", text);
    cr_expect(strstr(text, "      [1]  -3  -4\n"), "%s", text);
    cr_expect(strstr(text, "fpsan  EQUAL     3 elements of Y, 2 elements of N; "), "%s", text);
    arena_reset(&s.arena);
}

Test(report, vacuous) {
    Sample s;
    sample_open(&s, 2, (int64_t[]){2, 3});
    fpd_find_run(&s.runs, FPD_MODE_fpsan, 1)->unwritten[0] = 2;
    fpd_find_run(&s.runs, FPD_MODE_fpsan, 1)->first_unwritten[0] = 4;
    fpd_find_run(&s.runs, FPD_MODE_ieee, 1)->unwritten[0] = 2; // said once
    const char *text = judged_text(&s);
    cr_expect(
        strstr(text,
               "  VACUOUS  variant b never writes 2 of 6 elements of Y, the first at [1, 1]\n  FAILED: vacuous\n"),
        "%s", text);
    cr_expect(s.outcome.status == 1 && s.outcome.vacuous_count == 1);
    s.cas.allow_vacuous = true;
    cr_expect(strstr(judged_text(&s), "  OK, vacuous as allowed\n"));
    cr_expect_eq(s.outcome.status, 0);
    s.cas.allow_vacuous = false, s.cas.allow_unwritten = true; // some elements, and not all
    cr_expect(strstr(judged_text(&s), "  OK, vacuous as allowed\n"));
    cr_expect_eq(s.outcome.status, 0);
    fpd_find_run(&s.runs, FPD_MODE_fpsan, 1)->unwritten[0] = 6;
    cr_expect(strstr(judged_text(&s), "variant b never writes Y\n  FAILED: vacuous\n"));
    cr_expect_eq(s.outcome.status, 1);
    arena_reset(&s.arena);

    sample_open(&s, 1, (int64_t[]){3});
    for (int v = 0; v < 2; v++)
        for (int i = 0; i < 3; i++) values(&s, FPD_MODE_fpsan, v)[i] = 0.5f;
    text = judged_text(&s);
    cr_expect(strstr(text, "  VACUOUS  every element of Y is 0.5 after variant a\n"), "%s", text);
    cr_expect(s.outcome.status == 1 && s.outcome.vacuous_count == 1);
    fpd_find_run(&s.runs, FPD_MODE_fpsan, 0)->unwritten[0] = 3;
    text = judged_text(&s);
    cr_expect(strstr(text, "  VACUOUS  variant a never writes Y\n") && s.outcome.vacuous_count == 1, "%s", text);
    arena_reset(&s.arena);

    sample_open(&s, 1, (int64_t[]){1}); // one element is always the same as itself
    judged_text(&s);
    cr_expect(s.outcome.status == 0 && s.outcome.vacuous_count == 0);
    s.cas.variant_count = 1;
    cr_expect(strstr(judged_text(&s), "  VACUOUS  nothing was judged: there is one variant, a comparison needs two\n"));
    s.cas.variant_count = 2, s.cas.mode_count = 1, s.cas.modes[0] = FPD_MODE_ieee;
    cr_expect(
        strstr(judged_text(&s),
               "  VACUOUS  nothing was judged: results in mode ieee are judged only where a tolerance is given\n"));
    cr_expect_eq(s.outcome.status, 1);
    arena_reset(&s.arena);
}

Test(report, three_variants_in_color) {
    Sample s;
    Buffer text = {0};
    sample_open(&s, 1, (int64_t[]){4});
    s.cas.variant_count = 3;
    s.variants[2].name = "longer_name";
    values(&s, FPD_MODE_fpsan, 2)[3] = 0;
    judged_text(&s);
    cr_expect(s.outcome.comparison_count == 4 && s.outcome.diverged == 1);
    fpd_print_outcome(&s.outcome, true, &text);
    cr_expect(!strncmp(text.data, "\033[1m", 4), "the path is bold");
    cr_expect(strstr(text.data, "  a | b            fpsan  \033[1;32mEQUAL   \033[0m  "));
    cr_expect(strstr(text.data, "  a | longer_name  fpsan  \033[1;31mDIVERGED\033[0m  1 of 4 elements"));
    buffer_free(&text);
    arena_reset(&s.arena);
}

// ---- patterns

static const char *pattern_of(Arena *arena, uint32_t rank, const int64_t *shape, const int64_t *tile,
                              bool (*marked)(const int64_t *)) {
    FpdBuffer buffer = {.name = "Y", .type = ELEMENT_I8, .rank = rank, .elements = 1};
    ProgramUse use = {.writes = true, .tile_rank = tile ? rank : 0};
    for (uint32_t d = 0; d < rank; d++) {
        buffer.elements *= (uint64_t)(buffer.shape[d] = shape[d]);
        if (tile) use.tile[d] = tile[d];
    }
    buffer.bytes = buffer.elements;
    uint8_t *a = arena_alloc(arena, buffer.bytes), *b = arena_alloc(arena, buffer.bytes);
    for (uint64_t i = 0, rest; i < buffer.elements; i++) {
        int64_t at[FPD_RANK_MAX];
        rest = i;
        for (uint32_t d = rank; d-- > 0; rest /= (uint64_t)shape[d]) at[d] = (int64_t)(rest % (uint64_t)shape[d]);
        b[i] = marked(at);
    }
    const FpdCase cas = {.buffers = &buffer, .compare = (uint32_t[]){0}};
    const FpdRun left = {.bytes = &a}, right = {.bytes = &b};
    const char *pattern = fpd_compare_bits(arena, &cas, 0, &use, &left, &right).pattern;
    return pattern ? pattern : "none";
}

static bool mark_all(const int64_t *at) {
    return at[0] >= 0;
}
static bool mark_one(const int64_t *at) {
    return at[0] == 3 && at[1] == 5;
}
static bool mark_two(const int64_t *at) {
    return (at[0] == 3 && at[1] == 5) || (at[0] == 7 && at[1] == 1);
}
static bool mark_odd_rows(const int64_t *at) {
    return at[0] % 2 == 1;
}
static bool mark_third_columns(const int64_t *at) {
    return at[1] % 3 == 2 && at[0] > 1;
}
static bool mark_box(const int64_t *at) {
    return at[0] >= 2 && at[0] < 5 && at[1] >= 3 && at[1] < 11;
}
static bool mark_tile(const int64_t *at) {
    return at[0] / 4 == 1 && at[1] / 4 == 2;
}
static bool mark_part_of_tile(const int64_t *at) {
    return at[0] / 4 == 1 && at[1] / 4 == 2 && at[0] % 4 != at[1] % 4;
}
static bool mark_last_columns(const int64_t *at) {
    return at[1] >= 12;
}
static bool mark_second_rows(const int64_t *at) {
    return at[0] / 4 == 1 && (at[0] + at[1]) % 2;
}

Test(report, patterns) {
    Arena arena = {0};
    const int64_t shape[] = {12, 14}, tile[] = {4, 4};
    cr_expect_str_eq(pattern_of(&arena, 2, shape, tile, mark_all), "every element");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, tile, mark_one), "none");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, NULL, mark_two), "none");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, NULL, mark_odd_rows), "every 2nd index of dimension 0 from 1");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, NULL, mark_third_columns), "every 3rd index of dimension 1 from 2");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, NULL, mark_box), "all of that region");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, NULL, mark_tile), "all of that region");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, tile, mark_tile), "one block: tile (1, 2), all of that region");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, tile, mark_part_of_tile), "one block: tile (1, 2)");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, tile, mark_last_columns),
                     "only in the last of 4 tiles of dimension 1, all of that region");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, tile, mark_second_rows), "only in tile 2 of 3 of dimension 0");
    cr_expect_str_eq(pattern_of(&arena, 2, shape, (int64_t[]){12, 14}, mark_box),
                     "all of that region"); // one tile: says nothing
    arena_reset(&arena);
}

// ---- JSON

static json_t *json_of(const FpdOutcome *outcomes, size_t count) {
    Buffer text = {0};
    json_error_t error;
    print_report(outcomes, count, &(FpdVersions){"0.1.0", "22.1.0", "a-cpu", "0.2", "2.14", "2", NULL, NULL, NULL},
                 &text);
    cr_assert_eq(text.data[text.size - 1], '\n');
    json_t *root = json_loads(text.data, JSON_REJECT_DUPLICATES, &error);
    cr_assert(root, "%s", error.text);
    buffer_free(&text);
    return root;
}

Test(report, json) {
    Sample s;
    sample_open(&s, 2, (int64_t[]){4, 8});
    s.cas.tolerance.given = true, s.cas.tolerance.rtol = 1e-2;
    s.cas.seed = UINT64_MAX;
    values(&s, FPD_MODE_fpsan, 1)[9] = -1;
    values(&s, FPD_MODE_ieee, 1)[9] = NAN;
    fpd_find_run(&s.runs, FPD_MODE_fpsan, 0)->unwritten[0] = 1;
    judged_text(&s);
    json_t *root = json_of(&s.outcome, 1);
    int version, status, line;
    const char *llvm, *file, *seed, *verdict, *mode, *payload, *bits, *value, *kind, *pattern_kind;
    json_t *cases, *pairs, *vacuous, *times, *first, *pattern;
    double rtol, share;
    cr_assert_eq(json_unpack(root, "{s:i s:i s:{s:s} s:o}", "fpdiff", &version, "status", &status, "versions", "llvm",
                             &llvm, "cases", &cases),
                 0);
    cr_expect(version == 1 && status == 1 && !strcmp(llvm, "22.1.0") && json_array_size(cases) == 1);
    cr_assert_eq(json_unpack(json_array_get(cases, 0), "{s:s s:s s:{s:f} s:o s:o s:o}", "file", &file, "seed", &seed,
                             "tolerance", "rtol", &rtol, "pairs", &pairs, "vacuous", &vacuous, "times", &times),
                 0);
    cr_expect(!strcmp(file, "case.yaml") && !strcmp(seed, "18446744073709551615") && rtol == 1e-2);
    cr_assert_eq(json_array_size(pairs), 2);
    cr_assert_eq(json_unpack(json_array_get(pairs, 0), "{s:s s:s s:[{s:f s:o s:o}]}", "mode", &mode, "verdict",
                             &verdict, "buffers", "share", &share, "first", &first, "pattern", &pattern),
                 0);
    cr_expect(!strcmp(mode, "fpsan") && !strcmp(verdict, "diverged") && share == 1.0 / 32 && json_is_null(pattern));
    cr_assert_eq(json_unpack(json_array_get(first, 0), "{s:[i,i] s:{s:s s:s}}", "index", &line, &version, "variant",
                             "bits", &bits, "payload", &payload),
                 0);
    cr_expect(line == 1 && version == 1 && !strcmp(bits, "0xbf800000") && !strcmp(payload, "0xffffffff"));
    cr_assert_eq(json_unpack(json_array_get(pairs, 1), "{s:s s:[{s:o s:{s:i s:i}}]}", "mode", &mode, "buffers", "first",
                             &first, "distance", "incomparable", &version, "beyond_tolerance", &status),
                 0);
    cr_expect(!strcmp(mode, "ieee") && version == 1 && status == 1);
    cr_assert_eq(json_unpack(json_array_get(first, 0), "{s:{s:s}}", "variant", "value", &value), 0);
    cr_expect_str_eq(value, "nan");
    cr_assert_eq(json_unpack(json_array_get(vacuous, 0), "{s:s s:s}", "kind", &kind, "variant", &pattern_kind), 0);
    cr_expect(!strcmp(kind, "unwritten") && !strcmp(pattern_kind, "a"));
    cr_expect(json_is_object(json_object_get(times, "run")));
    json_decref(root);
    arena_reset(&s.arena);
}

Test(report, json_of_a_case_that_failed_to_load) {
    Diagnostics diagnostics = {0};
    diag_fail(&diagnostics, (Location){.file = "c.yaml", .line = 3, .column = 7}, E_CASE, "a message");
    FpdOutcome outcome = {.path = "c\xff.yaml", .status = 2, .errors = &diagnostics};
    json_t *root = json_of(&outcome, 1);
    const char *message, *result;
    int line, column, code;
    cr_assert_eq(json_unpack(root, "{s:[{s:s s:[{s:s s:i s:i s:i}]}]}", "cases", "result", &result, "errors", "message",
                             &message, "line", &line, "column", &column, "code", &code),
                 0);
    cr_expect(!strcmp(result, "wrong input") && !strcmp(message, "a message") && line == 3 && column == 7 &&
              code == 401);
    json_decref(root);
    Buffer text = {0};
    fpd_print_outcome(&outcome, false, &text);
    cr_expect_str_eq(text.data, "c\xff.yaml\n  ERROR: wrong input\n");
    buffer_free(&text);
    diagnostics_close(&diagnostics);
}

Test(report, exit_status_of_errors) {
    static const struct {
        ErrorCode code;
        int status;
    } codes[] = {{E_USAGE, 2},   {E_FILE, 2},   {E_CASE, 2},        {E_ARGUMENT, 2}, {E_BYTECODE, 3},
                 {E_VERSION, 3}, {E_VERIFY, 3}, {E_UNSUPPORTED, 3}, {E_BACKEND, 3},  {E_LIMIT, 3},
                 {E_BOUNDS, 3},  {E_ASSERT, 3}, {E_RUNTIME, 3}};
    for (size_t i = 0; i < BASE_COUNT(codes); i++) {
        Diagnostics diagnostics = {0};
        diag_fail(&diagnostics, (Location){0}, codes[i].code, "x");
        cr_expect_eq(fpd_exit_status(&diagnostics), codes[i].status);
        diagnostics_close(&diagnostics);
    }
}
