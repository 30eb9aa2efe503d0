// SPDX-License-Identifier: Apache-2.0
// The range census: counts that are known (range.mlir), on any number of threads; what refuses it; what is told.
#include "tests/diff/session.h"

#include <float.h>
#include <math.h>

#define MODULE SOURCE_DIR "/tests/diff/range.mlir"
enum { COUNT = 256, BLOCKS = 3 };

typedef struct Expected {
    const char *kernel, *to, *from; // `to`, `from`: buffers
    const char *op;                 // the last line
    unsigned lines;
    double largest, smallest;
    uint64_t subnormal, not_finite, made, cancelled; // of a block
    unsigned lost;
} Expected;
static const Expected expected[] = {
    // 2^0 .. 2^127; 128 powers are infinite.
    {"powers", "F32", "IOTA", "exp2", 1, 0x1p127, 1, 0, 128, 128, 0, 0},
    // -255 .. -1 and 0. 254 and 255 have the exponent 7, their difference 0.
    {"difference", "F32", "IOTA", "subf", 1, 255, 1, 0, 0, 0, 1, 7},
    // 254^2 - 255^2 = -509: the exponents are 15 and 8.
    {"square", "F32", "IOTA", "fma", 1, 65025, 509, 0, 0, 0, 1, 7},
    {"tiny", "F32", "IOTA", "mulf", 1, 255 * 0x1p-149, 0x1p-149, 255, 0, 0, 0, 0},
    // From 64 * 1024 on there is no f16.
    {"narrow", "F16", "IOTA", "ftof", 2, 64512, 1024, 0, 192, 192, 0, 0},
    {"byte", "F8", "IOTA", "ftof", 2, 448, 448, 0, 0, 0, 0, 0},
    // 1 / 0 is made by the division, and not by the sum.
    {"reciprocal", "F32", "IOTA", "addf", 2, 2, 1 + 0x1.0102p-8, 0, 1, 0, 0, 0},
    {"difference", "F32", "INF", "subf", 1, 0, 0, 0, 256, 0, 0, 0},
    {"difference", "F32", "SAME", "subf", 1, 0, 0, 0, 0, 0, 256, 0},
    {"largest_or", "F32", "IOTA", "addf", 1, 200, 1, 0, 0, 0, 0, 0},
};

// A variant for each row, in which BLOCKS blocks do the same.
static void take_census(Session *s, unsigned jobs, const char *profile, FpdCensus census, const Expected *rows,
                        size_t count) {
    Arena arena = {0};
    Buffer keys = {0};
    buffer_print(&keys, "buffers:\n"
                        "  IOTA: {type: f32, shape: [256], fill: iota}\n"
                        "  INF: {type: f32, shape: [256], fill: {constant: inf}}\n"
                        "  SAME: {type: f32, shape: [256], fill: {constant: 255}}\n"
                        "  SMALL: {type: f32, shape: [256], fill: {integers: {low: 0, high: 60}}}\n"
                        "  EIGHTY: {type: f32, shape: [256], fill: {constant: 80}}\n"
                        "  F32: {type: f32, shape: [256], fill: zeros}\n"
                        "  F16: {type: f16, shape: [256], fill: zeros}\n"
                        "  F8: {type: f8e4m3fn, shape: [256], fill: zeros}\nvariants:\n");
    for (size_t i = 0; i < count; i++)
        buffer_print(&keys, "  v%zu: [{module: " MODULE ", kernel: %s, grid: [%d], args: [%s, %s]}]\n", i,
                     rows[i].kernel, BLOCKS, rows[i].from, rows[i].to);
    buffer_print(&keys, "compare: [F32, F16, F8]\nallow: [vacuous]\n");
    cr_assert(session_try_census(s, jobs, census, profile, keys.data), "%s",
              s->diagnostics.count ? s->diagnostics.items[0].message : "");
    fpd_find_ranges(&s->arena, &s->outcome);
    buffer_free(&keys);
    arena_reset(&arena);
}

static void check(const Session *s, uint32_t variant, const Expected *e) {
    cr_assert(s->outcome.ranges && s->outcome.ranges[variant].run, "%s", e->kernel);
    const FpdRange *range = &s->outcome.ranges[variant];
    cr_assert_eq(range->line_count, e->lines, "%s: %u lines", e->kernel, range->line_count);
    const FpdRangeLine *line = &range->lines[e->lines - 1];
    const uint64_t *counters = line->site.count.counters;
    cr_expect_str_eq(line->site.by.op, e->op);
    cr_expect(line->largest == e->largest, "%s: largest %a, expected %a", e->kernel, line->largest, e->largest);
    cr_expect(line->smallest == e->smallest, "%s: smallest %a, expected %a", e->kernel, line->smallest, e->smallest);
    cr_expect_eq(counters[CENSUS_RESULTS], BLOCKS * COUNT, "%s", e->kernel);
    cr_expect_eq(counters[CENSUS_SUBNORMAL], BLOCKS * e->subnormal, "%s", e->kernel);
    cr_expect_eq(counters[CENSUS_NOT_FINITE], BLOCKS * e->not_finite, "%s", e->kernel);
    cr_expect_eq(counters[CENSUS_MADE], BLOCKS * e->made, "%s", e->kernel);
    cr_expect_eq(counters[CENSUS_CANCELLED], BLOCKS * e->cancelled, "%s", e->kernel);
    cr_expect_eq(line->lost, e->lost, "%s: lost %u, expected %u", e->kernel, line->lost, e->lost);
    cr_expect_gt(line->site.by.at.line, 0);
}

Test(range, counts) {
    static const struct {
        const char *profile;
        unsigned jobs;
    } ways[] = {{"tower", 1}, {"tower", 3}, {"triton-3.9", 2}};
    for (size_t w = 0; w < BASE_COUNT(ways); w++) {
        Session s;
        take_census(&s, ways[w].jobs, ways[w].profile, FPD_CENSUS_ALL, expected, BASE_COUNT(expected));
        for (uint32_t i = 0; i < BASE_COUNT(expected); i++) check(&s, i, &expected[i]);
        session_close(&s);
    }
}

Test(range, what_is_told) {
    static const Expected rows[] = {{.kernel = "reciprocal", .from = "IOTA", .to = "F32"},
                                    {.kernel = "powers", .from = "SMALL", .to = "F32"},
                                    {.kernel = "powers", .from = "EIGHTY", .to = "F32"},
                                    {.kernel = "byte", .from = "IOTA", .to = "F8"},
                                    {.kernel = "chosen", .from = "IOTA", .to = "F32"}};
    Session s;
    take_census(&s, 2, "tower", FPD_CENSUS_BESIDE, rows, BASE_COUNT(rows));
    const FpdRange *ranges = s.outcome.ranges;
    cr_assert(ranges && ranges[0].made && ranges[0].nearest);
    cr_expect_str_eq(ranges[0].made->site.by.op, "divf", "1 / 0 is infinite");
    cr_expect_eq(ranges[0].not_finite, 1);

    cr_expect(!ranges[1].made && ranges[1].not_finite == 0);
    cr_expect_gt(fpd_line_headroom(ranges[1].nearest), 1, "twice 60 is below 128");
    cr_expect_float_eq(ranges[2].nearest->to_overflow, 48, 1e-6);
    cr_expect_float_eq(ranges[2].nearest->argument, log2(128.0 / 80), 1e-6);
    cr_expect_eq(fpd_line_headroom(ranges[2].nearest), ranges[2].nearest->argument);

    cr_expect_str_eq(ranges[3].nearest->site.by.op, "mulf", "types of 8 bits are left out");
    cr_assert_eq(ranges[3].type_count, 2, "f32 and f8");
    cr_expect(ranges[3].types[0].largest == 255 * 1024 && ranges[3].types[1].largest == 448);
    cr_assert_eq(ranges[0].type_count, 1);
    cr_expect(ranges[0].types[0].largest == 2 && ranges[0].types[0].smallest == ranges[0].lines[0].smallest);
    cr_expect_eq(ranges[0].types[0].site.count.counters[CENSUS_MADE], BLOCKS);
    cr_expect_eq(ranges[4].line_count, 0, "ops that only choose make no numbers");
    session_close(&s);
}

// A mask near the edge is no number of the op that adds it: an exp without its maximum is what is named.
Test(range, masks_are_not_near_the_edge) {
    static const Expected rows[] = {{.kernel = "masked", .from = "EIGHTY", .to = "F32"},
                                    {.kernel = "masked_bare", .from = "EIGHTY", .to = "F32"},
                                    {.kernel = "masked_less", .from = "EIGHTY", .to = "F32"},
                                    {.kernel = "masked_f16", .from = "SMALL", .to = "F32"}};
    const double largest = (double)FLT_MAX;
    Session s;
    Buffer text = {0};
    take_census(&s, 2, "tower", FPD_CENSUS_BESIDE, rows, BASE_COUNT(rows));
    const FpdRange *ranges = s.outcome.ranges;
    fpd_print_outcome(&s.outcome, false, &text);
    for (uint32_t v = 0; v < 3; v++) {
        const FpdRangeLine *sum = &ranges[v].lines[0];
        cr_expect_str_eq(sum->site.by.op, "addf");
        cr_expect_eq(sum->largest, v < 2 ? largest : (double)2.4e38f, "what there is, is told");
        cr_expect(sum->own == 0 && isinf(sum->own_to_overflow), "80 + 0 is no larger than 80");
    }
    cr_expect_gt(fpd_line_headroom(ranges[0].nearest), 100, "%s", text.data);
    cr_expect_str_eq(ranges[1].nearest->site.by.op, "exp");
    cr_expect_float_eq(fpd_line_headroom(ranges[1].nearest), log2(128 / log2(exp(80))), 1e-6);
    cr_expect(ranges[1].nearest->own == ranges[1].nearest->largest);
    cr_expect(!strstr(text.data, "RANGE  v0"), "%s", text.data);
    cr_expect(strstr(text.data, "RANGE  v1: exp at "), "%s", text.data);
    cr_expect(strstr(text.data, "RANGE  v2: exp at "), "%s", text.data);
    // In f16 neither the mask's conversion is the op's own number nor its sum; exp(60) is an f32.
    cr_expect(ranges[3].lines[0].largest == 65504 && ranges[3].lines[0].own == 0);
    cr_expect(ranges[3].lines[2].largest == 65504 && ranges[3].lines[2].own == 0);
    cr_expect(ranges[3].lines[3].largest == 65504 && ranges[3].lines[3].own == 0, "f32 has all numbers of f16");
    cr_expect(strstr(text.data, "RANGE  v3: exp at "), "%s", text.data);
    buffer_free(&text);
    session_close(&s);
}

// Nothing is its own of an op that makes nothing larger: a product with a constant of at most 1, and tanh.
Test(range, scaled_masks_are_not_their_own) {
    static const Expected rows[] = {{.kernel = "masked_scaled", .from = "EIGHTY", .to = "F32"}};
    static const double own[] = {0, 0, 0, 120, 121}, largest[] = {FLT_MAX, FLT_MAX / 2, 1, 120, 121};
    Session s;
    take_census(&s, 2, "tower", FPD_CENSUS_BESIDE, rows, BASE_COUNT(rows));
    const FpdRange *range = &s.outcome.ranges[0];
    cr_assert_eq(range->line_count, BASE_COUNT(own));
    for (uint32_t l = 0; l < BASE_COUNT(own); l++) {
        cr_expect_eq(range->lines[l].own, own[l], "line %u: %g", l, range->lines[l].own);
        cr_expect_eq(range->lines[l].largest, largest[l], "line %u: %g", l, range->lines[l].largest);
    }
    session_close(&s);
}

// An op that has overflowed does not hide one that is about to.
Test(range, beyond_the_edge_and_near_it) {
    static const Expected rows[] = {{.kernel = "beyond_and_near", .from = "EIGHTY", .to = "F32"}};
    Session s;
    Buffer text = {0};
    take_census(&s, 1, "tower", FPD_CENSUS_BESIDE, rows, BASE_COUNT(rows));
    const FpdRange *range = &s.outcome.ranges[0];
    cr_assert(range->made && range->nearest);
    cr_expect_str_eq(range->made->site.by.op, "exp2");
    cr_expect_str_eq(range->nearest->site.by.op, "exp");
    fpd_print_outcome(&s.outcome, false, &text);
    cr_expect(strstr(text.data, "exp2 at ") && strstr(text.data, "exp at "), "%s", text.data);
    buffer_free(&text);
    session_close(&s);
}

// Whether an infinity reaches results is tried: with 1 in its place. exp2(160) is one, and so is exp(160).
Test(range, what_comes_of_infinities) {
    static const struct {
        const char *kernel, *from, *op;
        uint64_t not_finite, finite, changed;
        const char *said;
    } rows[] = {
        {"beyond_and_near", "EIGHTY", "exp2", 256, 256, 256, "with 1 in place of each, 256 of them are finite\n"},
        {"reciprocal", "IOTA", "divf", 1, 1, 1, "with 1 in place of each, 1 of them is finite\n"},
        {"inverted", "EIGHTY", "exp2", 0, 0, 256,
         "is infinite or NaN; with 1 in place of each, 256 results are others"},
        {"bounded", "EIGHTY", "exp2", 0, 0, 0, "is infinite or NaN; with 1 in place of each, no result is another\n"},
        {"twice", "EIGHTY", "exp2", 256, 0, 0, "are infinite or NaN; with 1 in place of each, no result is another\n"},
        {"product", "EIGHTY", "mmaf", 256, 256, 256, "with 1 in place of each, 256 of them are finite\n"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        const Expected row = {.kernel = rows[i].kernel, .from = rows[i].from, .to = "F32"};
        Session s;
        Buffer text = {0};
        take_census(&s, 1, "tower", FPD_CENSUS_BESIDE, &row, 1);
        const FpdRunner runner = session_runner(&s);
        fpd_find_reached(&runner, &s.outcome);
        const FpdRange *range = &s.outcome.ranges[0];
        cr_assert(range->made && range->tried, "%s", rows[i].kernel);
        cr_expect_str_eq(range->made->site.by.op, rows[i].op);
        cr_expect_eq(range->not_finite, rows[i].not_finite, "%s", rows[i].kernel);
        cr_expect_eq(range->finite, rows[i].finite, "%s", rows[i].kernel);
        cr_expect_eq(range->changed, rows[i].changed, "%s", rows[i].kernel);
        fpd_print_outcome(&s.outcome, false, &text);
        cr_expect(strstr(text.data, rows[i].said), "%s", text.data);
        buffer_free(&text);
        session_close(&s);
    }
}

Test(range, only_where_it_is_asked) {
    Session s;
    take_census(&s, 1, "tower", FPD_CENSUS_NONE, expected, 1);
    cr_expect_null(s.outcome.ranges);
    session_close(&s);
    take_census(&s, 1, "triton-3.9", FPD_CENSUS_BESIDE, expected, 1);
    cr_expect_null(s.outcome.ranges, "its payloads are not beside the numbers");
    session_close(&s);
}

Test(range, refused) {
    static const struct {
        CompileOptions options;
        const char *what;
    } wrong[] = {{{.numeric = COMPILE_IEEE, .gpu = "sm_90", .simt = true, .census = true}, "not for GPUs"},
                 {{.numeric = COMPILE_PAYLOAD, .census = true}, "payloads are none"}};
    Session s;
    take_census(&s, 1, "tower", FPD_CENSUS_NONE, expected, 1);
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        Diagnostics errors = {0};
        CompileOptions options = wrong[i].options;
        options.instrumentation = (FpsanInstrumentation){options.numeric == COMPILE_PAYLOAD, fpsan_default_algebra()};
        cr_expect_null(compiler_load(s.machine.compiler, &errors, s.programs->modules[0].program, &options));
        cr_assert_eq(errors.count, 1);
        cr_expect_eq(errors.items[0].code, E_UNSUPPORTED);
        cr_expect(strstr(errors.items[0].message, wrong[i].what), "%s", errors.items[0].message);
        diagnostics_close(&errors);
    }
    session_close(&s);
}
