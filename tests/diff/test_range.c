// SPDX-License-Identifier: Apache-2.0
// The range census: counts that are known (range.mlir), on any number of threads; what refuses it; what is told.
#include "tests/diff/session.h"

#include <math.h>

#define MODULE SOURCE_DIR "/tests/diff/range.mlir"
enum { COUNT = 256, BLOCKS = 3 };

// One kernel as the only variant, on X = 0, 1, ..., 255 or another fill. BLOCKS blocks do the same.
static void take_census(Session *s, unsigned jobs, const char *profile, FpdCensus census, const char *kernel,
                        const char *type, const char *fill) {
    Arena arena = {0};
    session_run(s, jobs, profile,
                arena_format(&arena,
                             "buffers:\n  X: {type: f32, shape: [256], fill: %s}\n  Y: {type: %s, shape: [256]}\n"
                             "variants:\n  a: [{module: " MODULE ", kernel: %s, grid: [%d], args: [X, Y]}]\n"
                             "compare: [Y]\nallow: [vacuous]\n",
                             fill, type, kernel, BLOCKS));
    s->machine.census = census;
    cr_assert(session_make(s, &s->runs, &s->outcome));
    fpd_find_ranges(&s->arena, &s->outcome);
    arena_reset(&arena);
}

typedef struct Expected {
    const char *kernel, *type, *fill; // fill NULL: iota
    const char *op;                   // the last line
    unsigned lines;
    double largest, smallest;
    uint64_t subnormal, not_finite, made, cancelled; // of a block
    unsigned lost;
} Expected;
static const Expected expected[] = {
    // 2^0 .. 2^127; 128 powers are infinite.
    {"powers", "f32", NULL, "exp2", 1, 0x1p127, 1, 0, 128, 128, 0, 0},
    // -255 .. -1 and 0. 254 and 255 have the exponent 7, their difference 0.
    {"difference", "f32", NULL, "subf", 1, 255, 1, 0, 0, 0, 1, 7},
    // 254^2 - 255^2 = -509: the exponents are 15 and 8.
    {"square", "f32", NULL, "fma", 1, 65025, 509, 0, 0, 0, 1, 7},
    {"tiny", "f32", NULL, "mulf", 1, 255 * 0x1p-149, 0x1p-149, 255, 0, 0, 0, 0},
    // From 64 * 1024 on there is no f16.
    {"narrow", "f16", NULL, "ftof", 2, 64512, 1024, 0, 192, 192, 0, 0},
    {"byte", "f8e4m3fn", NULL, "ftof", 2, 448, 448, 0, 0, 0, 0, 0},
    // 1 / 0 is made by the division, and not by the sum.
    {"reciprocal", "f32", NULL, "addf", 2, 2, 1 + 0x1.01010ep-8, 0, 1, 0, 0, 0},
    {"difference", "f32", "{constant: inf}", "subf", 1, 0, 0, 0, 256, 0, 0, 0},
    {"difference", "f32", "{constant: 255}", "subf", 1, 0, 0, 0, 0, 0, 256, 0},
};

static void check(const Session *s, const Expected *e) {
    cr_assert(s->outcome.ranges && s->outcome.ranges[0].run, "%s", e->kernel);
    const FpdRange *range = &s->outcome.ranges[0];
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
    for (size_t w = 0; w < BASE_COUNT(ways); w++)
        for (size_t i = 0; i < BASE_COUNT(expected); i++) {
            const Expected *e = &expected[i];
            Session s;
            take_census(&s, ways[w].jobs, ways[w].profile, FPD_CENSUS_ALL, e->kernel, e->type,
                        e->fill ? e->fill : "iota");
            check(&s, e);
            session_close(&s);
        }
}

Test(range, what_is_told) {
    Session s;
    take_census(&s, 1, "tower", FPD_CENSUS_BESIDE, "reciprocal", "f32", "iota");
    const FpdRange *range = &s.outcome.ranges[0];
    cr_assert(range->made && range->nearest);
    cr_expect_str_eq(range->made->site.by.op, "divf");
    cr_expect_eq(range->not_finite, 1);
    session_close(&s);

    // exp2 of 63 is far from overflow, and 126 is not; of what has overflowed only that is told.
    take_census(&s, 1, "tower", FPD_CENSUS_BESIDE, "powers", "f32", "{integers: {low: 0, high: 60}}");
    cr_expect(!s.outcome.ranges[0].made && s.outcome.ranges[0].not_finite == 0);
    cr_expect(fpd_line_headroom(s.outcome.ranges[0].nearest) > 1);
    session_close(&s);
    take_census(&s, 1, "tower", FPD_CENSUS_BESIDE, "powers", "f32", "{constant: 80}");
    const FpdRangeLine *nearest = s.outcome.ranges[0].nearest;
    cr_expect_float_eq(nearest->to_overflow, 48, 1e-6);
    cr_expect_float_eq(nearest->argument, log2(128.0 / 80), 1e-6);
    cr_expect_eq(fpd_line_headroom(nearest), nearest->argument);
    session_close(&s);
}

Test(range, ops_that_only_choose) {
    Session s;
    take_census(&s, 1, "tower", FPD_CENSUS_BESIDE, "chosen", "f32", "iota");
    cr_assert(s.outcome.ranges && s.outcome.ranges[0].run);
    cr_expect_eq(s.outcome.ranges[0].line_count, 0);
    session_close(&s);
}

Test(range, only_where_it_is_asked) {
    Session s;
    take_census(&s, 1, "tower", FPD_CENSUS_NONE, "powers", "f32", "iota");
    cr_expect_null(s.outcome.ranges);
    session_close(&s);
    take_census(&s, 1, "triton-3.9", FPD_CENSUS_BESIDE, "powers", "f32", "iota");
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
    take_census(&s, 1, "tower", FPD_CENSUS_NONE, "powers", "f32", "iota");
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
