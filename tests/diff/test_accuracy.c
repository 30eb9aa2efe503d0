// SPDX-License-Identifier: Apache-2.0
// How accurate variants are: rounding errors that are known (accuracy.mlir), bounds, and what the report says.
#include "tests/diff/session.h"

#include <math.h>

#define MODULE SOURCE_DIR "/tests/diff/accuracy.mlir"
enum { COUNT = 256 };

// Runs the case of this profile and these keys, and finds how accurate its variants are.
static void measure_case(Session *s, const char *profile, const char *keys) {
    session_run(s, 1, profile, keys);
    const FpdRunner runner = session_runner(s);
    fpd_find_accuracy(&runner, &s->outcome);
}

// `launches`: of variant b; variant a copies.
static void measure_in(Session *s, const char *modes, const char *profile, const char *type, const char *fill,
                       const char *copy, const char *launches, const char *keys) {
    Arena arena = {0};
    measure_case(s, profile,
                 arena_format(&arena,
                              "buffers:\n  X: {type: %s, shape: [256], fill: %s}\n  T: {type: %s, shape: [256]}\n"
                              "  Y: {type: %s, shape: [256]}\n"
                              "variants:\n  a: [{module: " MODULE ", kernel: %s, grid: [1], args: [X, Y]}]\n"
                              "  b: [%s]\ncompare: [Y]\nmodes: [%s]\n%s",
                              type, fill, type, type, copy, launches, modes, keys));
    cr_assert(s->outcome.accuracy && !s->outcome.accuracy->none, "%s", s->outcome.accuracy->none);
    arena_reset(&arena);
}

static void measure(Session *s, const char *profile, const char *type, const char *fill, const char *copy,
                    const char *launches, const char *keys) {
    measure_in(s, "ieee", profile, type, fill, copy, launches, keys);
}

#define LAUNCH(kernel, from, to) "{module: " MODULE ", kernel: " kernel ", grid: [1], args: [" from ", " to "]}"

static void read_inputs(Session *s, float *x) {
    const FpdBuffer *buffer = &s->programs->cas->buffers[0];
    memset(x, 0, COUNT * sizeof *x);
    cr_assert(fpd_fill_buffer(&s->diagnostics, buffer, s->programs->cas->seed, 1, (uint8_t *)x));
}

typedef float Rounded(float x);

static float shifted(float x) {
    volatile float sum = x + 4096.0f;
    return sum - 4096.0f;
}

static float halved(float x) {
    return (float)fpsan_decode(FPSAN_F16, fpsan_encode_nearest(FPSAN_F16, (double)x));
}

// The numbers without rounding are those of X.
static void check_errors(Session *s, Rounded *rounded) {
    float x[COUNT];
    double largest = 0, sum = 0, row = 0, relative = 0, errors[COUNT];
    uint64_t farthest = 0, above = 0;
    const FpdError *e = &s->outcome.accuracy->variants[1].errors[0],
                   *reference = &s->outcome.accuracy->variants[0].errors[0];
    read_inputs(s, x);
    for (int i = 0; i < COUNT; i++) row = fmax(row, fabs((double)x[i]));
    for (int i = 0; i < COUNT; i++) {
        const double unit = ldexp(1, ilogb((double)x[i]) - 23), error = fabs((double)rounded(x[i]) - (double)x[i]);
        errors[i] = error / unit;
        if (errors[i] > largest) largest = errors[i], farthest = (uint64_t)i;
        relative = fmax(relative, error / row);
        sum += errors[i];
    }
    uint64_t unusual = 0, nearly = 0; // e->usual is at most 2^-6 too large
    for (int i = 0; i < COUNT; i++) unusual += errors[i] > e->usual, nearly += errors[i] >= e->usual / (1 + 0x1p-6);
    cr_expect(unusual <= COUNT / 4 && nearly > COUNT / 4, "%g: %d and %d", e->usual, (int)unusual, (int)nearly);
    for (int i = 0; i < COUNT; i++) above += errors[i] > e->most;
    cr_expect_eq(e->elements, COUNT);
    cr_expect(e->unknown == 0 && e->infinite == 0);
    cr_expect_float_eq(e->largest, largest, 1e-9 * largest, "%g, expected %g", e->largest, largest);
    cr_expect_float_eq(e->mean, sum / COUNT, 1e-9 * sum / COUNT, "%g, expected %g", e->mean, sum / COUNT);
    cr_expect_float_eq(e->relative, relative, 1e-9 * relative, "%g, expected %g", e->relative, relative);
    cr_expect_eq(e->farthest, farthest);
    cr_expect_eq(above, 0, "of 256 elements 99.9 %% are all");
    cr_expect_leq(e->most, e->largest);
    cr_expect(reference->largest == 0 && reference->mean == 0 && reference->elements == COUNT);
}

Test(accuracy, errors_of_floats) {
    static const char *const profiles[] = {"tower", "triton-3.9"};
    for (int p = 0; p < 2; p++) {
        Session s;
        measure(&s, profiles[p], "f32", "{uniform: {low: 1, high: 3}}", "copy", LAUNCH("shifted", "X", "Y"), "");
        check_errors(&s, shifted);
        session_close(&s);
        measure(&s, profiles[p], "f32", "{normal: {mean: 0, std: 1}}", "copy", LAUNCH("halved", "X", "Y"), "");
        check_errors(&s, halved);
        session_close(&s);
    }
}

// Elements of short rows stand beside those of the next ones.
Test(accuracy, short_rows) {
    static const char *const shapes[] = {"256", "256, 1", "128, 1, 2", "64, 4"};
    double relative[BASE_COUNT(shapes)];
    for (size_t i = 0; i < BASE_COUNT(shapes); i++) {
        Session s;
        Arena arena = {0};
        measure_case(
            &s, "tower",
            arena_format(&arena,
                         "buffers:\n  X: {type: f32, shape: [256], fill: {log_uniform: {low: 1, high: 0x1p30}}}\n"
                         "  Y: {type: f32, shape: [%s]}\nvariants:\n  a: [" LAUNCH("copy", "X", "Y") "]\n  b: [" LAUNCH(
                             "shifted", "X", "Y") "]\ncompare: [Y]\n",
                         shapes[i]));
        relative[i] = s.outcome.accuracy->variants[1].errors[0].relative;
        arena_reset(&arena);
        session_close(&s);
    }
    cr_expect(relative[0] > 0 && relative[3] > relative[0], "%g %g", relative[0], relative[3]);
    cr_expect(relative[1] == relative[0] && relative[2] == relative[0], "%g %g", relative[1], relative[2]);
}

// What is without rounding goes through memory, too.
Test(accuracy, errors_of_two_launches) {
    Session s;
    measure(&s, "tower", "f32", "{uniform: {low: 1, high: 3}}", "copy",
            LAUNCH("up", "X", "T") ", " LAUNCH("down", "T", "Y"), "");
    check_errors(&s, shifted);
    session_close(&s);
}

#define THREADS(kernel)                                                                                                \
    "{module: " SOURCE_DIR "/tests/diff/accuracy.ptx, kernel: " kernel ", grid: [1], block: [256], args: [X, Y]}"

// PTX has no such modes: what it computes is measured by the numbers of tiles with the same formula.
Test(accuracy, errors_of_threads) {
    Session s;
    Buffer text = {0};
    measure_in(&s, "fpsan, ieee", "triton-3.9", "f32", "{uniform: {low: 1, high: 3}}", "copy", THREADS("shifted"), "");
    check_errors(&s, shifted);
    fpd_print_outcome(&s.outcome, false, &text);
    cr_expect(strstr(text.data, "      b is PTX, measured by the numbers of a\n"), "%s", text.data);
    json_t *cas = fpd_json_case(&s.outcome), *variants = json_object_get(json_object_get(cas, "accuracy"), "variants"),
           *a = json_array_get(variants, 0), *b = json_array_get(variants, 1);
    cr_expect(!json_object_get(a, "measured_by"));
    cr_expect_str_eq(json_string_value(json_object_get(b, "measured_by")), "a");
    json_decref(cas);
    buffer_free(&text);
    session_close(&s);
}

// The report of a case of these variants.
static void print_threads(const char *modes, const char *variants, Buffer *text) {
    Session s;
    Arena arena = {0};
    measure_case(&s, "triton-3.9",
                 arena_format(&arena,
                              "buffers:\n  X: {type: f32, shape: [256], fill: {uniform: {low: 1, high: 3}}}\n"
                              "  Y: {type: f32, shape: [256]}\nvariants:\n%scompare: [Y]\nmodes: [%s]\n"
                              "accuracy: {ulp: 5000}\n",
                              variants, modes));
    fpd_print_outcome(&s.outcome, false, text);
    const FpdAccuracy *accuracy = s.outcome.accuracy;
    cr_expect_eq(accuracy->none || accuracy->variants[1].none, s.outcome.status == 1,
                 "a bound that nothing is known of");
    arena_reset(&arena);
    session_close(&s);
}

// Numbers of tiles are those of the kernel of threads only where the formulas are equal.
Test(accuracy, threads_without_numbers) {
    static const struct {
        const char *modes, *variants, *found;
    } rows[] = {
        {"fpsan, ieee", "  a: [" THREADS("shifted") "]\n  b: [" LAUNCH("copy", "X", "Y") "]\n",
         "      a is PTX, measured by the numbers of b\n"},
        {"fpsan, ieee", "  a: [" THREADS("shifted") "]\n  b: [" THREADS("shifted") "]\n",
         "not known: mode wide has no PTX yet, and no variant without PTX is found to have the formula of a\n"},
        {"fpsan, ieee", "  a: [" THREADS("twice") "]\n  b: [" LAUNCH("copy", "X", "Y") "]\n",
         "not known: mode wide has no PTX yet, and no variant without PTX is found to have the formula of a\n"},
        {"fpsan, ieee", "  a: [" LAUNCH("copy", "X", "Y") "]\n  b: [" THREADS("twice") "]\n",
         "      b is not known: mode wide has no PTX yet, and b is not found to have the formula of a\n"},
        {"ieee", "  a: [" LAUNCH("copy", "X", "Y") "]\n  b: [" THREADS("shifted") "]\n",
         "      b is not known: mode wide has no PTX yet, and b is not found to have the formula of a\n"},
        {"fpsan", "  a: [" LAUNCH("copy", "X", "Y") "]\n  b: [" THREADS("shifted") "]\n",
         "      b is not known: mode wide has no PTX yet, and of b there is no run in mode ieee to measure\n"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Buffer text = {0};
        print_threads(rows[i].modes, rows[i].variants, &text);
        cr_expect(strstr(text.data, rows[i].found), "%s", text.data);
        buffer_free(&text);
    }
}

// A variant of which nothing is known hides nothing of the others.
Test(accuracy, threads_of_another_formula) {
    Buffer text = {0};
    print_threads(
        "fpsan, ieee",
        "  a: [" LAUNCH("copy", "X", "Y") "]\n  b: [" THREADS("twice") "]\n  c: [" LAUNCH("shifted", "X", "Y") "]\n",
        &text);
    static const char *const found[] = {
        "a | b  fpsan  DIVERGED  error not known", "a | c  fpsan  EQUAL, LESS ACCURATE  error 0 | ",
        "b is not known: mode wide has no PTX yet", "FAILED: 1 pair diverged, the accuracy is not known"};
    for (size_t i = 0; i < BASE_COUNT(found); i++)
        cr_expect(strstr(text.data, found[i]), "%s: %s", found[i], text.data);
    buffer_free(&text);
}

// Of what was stored as an integer nothing is known, whoever is measured by it; what was not stored is data.
Test(accuracy, integers_and_data) {
    static const struct {
        const char *reference, *variant;
        uint64_t unknown;
        bool exact;
    } rows[] = {{LAUNCH("copy", "X", "Y"), LAUNCH("copy_bits", "X", "Y"), COUNT, false},
                {LAUNCH("copy_bits", "X", "Y"), THREADS("shifted"), COUNT, false},
                {LAUNCH("nothing", "X", "X"), LAUNCH("nothing", "X", "X"), 0, true},
                {LAUNCH("nothing", "X", "X"),
                 "{module: " SOURCE_DIR "/tests/diff/accuracy.ptx, kernel: shifted, "
                 "grid: [1], block: [256], args: [X, X]}",
                 0, false}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Session s;
        Arena arena = {0};
        measure_case(&s, "triton-3.9",
                     arena_format(&arena,
                                  "buffers:\n  X: {type: f32, shape: [256], fill: {uniform: {low: 1, high: 3}}}\n"
                                  "  Y: {type: f32, shape: [256]}\nvariants:\n  a: [%s]\n  b: [%s]\ncompare: [%s]\n"
                                  "allow: [vacuous]\n",
                                  rows[i].reference, rows[i].variant, i < 2 ? "Y" : "X"));
        cr_assert(s.outcome.accuracy->variants && !s.outcome.accuracy->variants[1].none);
        const FpdError *e = &s.outcome.accuracy->variants[1].errors[0];
        cr_expect_eq(e->unknown, rows[i].unknown, "row %zu", i);
        cr_expect_eq(e->elements, COUNT - rows[i].unknown, "row %zu", i);
        cr_expect(rows[i].unknown || (rows[i].exact ? e->largest == 0 : e->largest > 1000), "row %zu: %g", i,
                  e->largest);
        arena_reset(&arena);
        session_close(&s);
    }
}

// exp(100) is infinite as f32, and infinity by infinity is no number; without rounding it is 1.
Test(accuracy, infinities) {
    Session s;
    measure(&s, "tower", "f32", "{constant: 100}", "copy", LAUNCH("unbounded", "X", "Y"), "allow: [vacuous]\n");
    const FpdError *e = &s.outcome.accuracy->variants[1].errors[0];
    cr_expect(e->infinite == COUNT && e->first_infinite == 0 && !e->elements && !e->unknown);
    cr_expect(s.outcome.accuracy->variants[1].much_worse);
    json_t *cas = fpd_json_case(&s.outcome), *pair = json_array_get(json_object_get(cas, "pairs"), 0),
           *buffer = json_array_get(json_object_get(json_object_get(pair, "accuracy"), "buffers"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(buffer, "nearer")), "reference");
    json_decref(cas);
    session_close(&s);
}

// NaN beside NaN, and infinities: where payloads, or data, say that the formula is so, there is no error; else it is
// not known, because doubles overflow, too: exp(1000) / exp(1000) is 1, and log(exp(1000)) 1000.
Test(accuracy, nan_without_rounding) {
    static const struct {
        const char *modes, *kernel, *fill;
        bool known;
    } rows[] = {
        {"fpsan, ieee", "without_itself", "inf", true}, // infinity less infinity
        {"ieee", "without_itself", "inf", false},
        {"fpsan, ieee", "copy", "nan", true},
        {"fpsan, ieee", "unbounded", "1000", false},
        {"fpsan, ieee", "logarithm", "-1", false},
        {"ieee", "logarithm", "-1", false},
        {"fpsan, ieee", "there_and_back", "1000", false}, // an infinity beside an infinity
        {"ieee", "there_and_back", "1000", false},
        {"fpsan, ieee", "there_and_back", "inf", true},
        {"fpsan, ieee", "copy", "-inf", true},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Session s;
        char fill[64], launch[512];
        snprintf(fill, sizeof fill, "{constant: %s}", rows[i].fill);
        snprintf(launch, sizeof launch, LAUNCH("%s", "X", "Y"), rows[i].kernel);
        measure_in(&s, rows[i].modes, "tower", "f32", fill, rows[i].kernel, launch, "allow: [vacuous]\n");
        const FpdError *e = &s.outcome.accuracy->variants[1].errors[0];
        cr_expect_eq(e->elements, rows[i].known ? COUNT : 0, "%s of %s", rows[i].kernel, rows[i].fill);
        cr_expect_eq(e->unknown, rows[i].known ? 0 : COUNT, "%s of %s", rows[i].kernel, rows[i].fill);
        cr_expect(e->largest == 0 && e->mean == 0 && e->infinite == 0);
        session_close(&s);
    }
}

// log(exp(1000)) is infinite, also in doubles: how far it is off is not known, but x itself is better.
Test(accuracy, worse_beyond_doubles) {
    Session s;
    measure(&s, "tower", "f32", "{constant: 1000}", "copy", LAUNCH("there_and_back", "X", "Y"), "allow: [vacuous]\n");
    const FpdError *e = &s.outcome.accuracy->variants[1].errors[0];
    cr_expect(e->unknown == COUNT && e->lost == COUNT && !e->infinite);
    cr_expect(s.outcome.accuracy->variants[1].much_worse && !s.outcome.accuracy->variants[0].much_worse);
    session_close(&s);
}

// What is said of each variant stands in its own row, and nothing else does.
Test(accuracy, rows_of_infinities) {
    Session s;
    Buffer text = {0};
    measure(&s, "tower", "f32", "{constant: 100}", "unbounded", LAUNCH("unbounded", "X", "Y"), "allow: [vacuous]\n");
    fpd_print_outcome(&s.outcome, false, &text);
    static const char *const names[] = {"\n      a ", "\n      b "};
    for (size_t v = 0; v < BASE_COUNT(names); v++) {
        const char *row = strstr(text.data, names[v]), *said = row ? strstr(row + 1, "256 NaN or infinite\n") : NULL;
        cr_expect(said && said < row + 1 + strcspn(row + 1, "\n"), "%s", text.data);
    }
    buffer_free(&text);
    session_close(&s);
}

// Beside f64 a double tells nothing. A pair of doubles does; exp(1000) is too large for it, too.
Test(accuracy, errors_of_doubles) {
    Session s;
    measure(&s, "tower", "f64", "{uniform: {low: 1000, high: 1001}}", "shifted_f64", LAUNCH("unbounded_f64", "X", "Y"),
            "");
    const FpdError *known = &s.outcome.accuracy->variants[0].errors[0],
                   *unbounded = &s.outcome.accuracy->variants[1].errors[0];
    cr_expect_eq(known->elements, COUNT);
    // x + 2^60 rounds to 2^60 + 1024; 1024 - x is up to 24, of units of 2^-43.
    cr_expect(known->largest > 23 * 0x1p43 && known->largest <= 24 * 0x1p43, "%g", known->largest);
    cr_expect(unbounded->unknown == COUNT && !unbounded->elements);
    session_close(&s);
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

static int status_of(const char *bound, const char *found) {
    Session s;
    Buffer text = {0};
    measure(&s, "tower", "f32", "{uniform: {low: 1, high: 3}}", "up", LAUNCH("shifted", "X", "Y"), bound);
    fpd_print_outcome(&s.outcome, false, &text);
    if (found) cr_expect(strstr(text.data, found), "%s: %s", bound, text.data);
    const int status = s.outcome.status;
    buffer_free(&text);
    session_close(&s);
    return status;
}

// "up" rounds once, half a unit at most; "shifted" is off by up to 2^11 units.
Test(accuracy, bounds) {
    cr_expect_eq(status_of("allow: [vacuous]\n", "accuracy: how far"), 0);
    cr_expect_eq(status_of("accuracy: {ulp: 4096}\n", NULL), 0);
    cr_expect_eq(status_of("accuracy: {ulp: 4}\n", "beyond the case's bound (4 ulp): b\n"), 1);
    cr_expect_eq(status_of("accuracy: {ulp: 0.25}\n", "b; no variant meets it, the best has 0."), 1);
    cr_expect_eq(status_of("accuracy: {times_reference: 4000}\n", NULL), 0);
    cr_expect_eq(
        status_of("accuracy: {times_reference: 2}\n", "beyond the case's bound (2 times the reference's error): b"), 1);
    // Not even the reference has a tenth of its own error, of which half a unit counts as one.
    cr_expect_eq(status_of("accuracy: {times_reference: 0.1}\n", "the reference's error): b; no variant meets it\n"),
                 1);
    // The reference, of half a unit, is no worse than itself.
    cr_expect_eq(status_of("accuracy: {ulp: 1, times_reference: 0.25}\n", "the reference's error): b\n"), 1);
}

// The report of a case whose variants copy X to Y: `variants` and what is behind them.
static int report_of(const char *type, const char *size, const char *variants, Buffer *text) {
    Session s;
    Arena arena = {0};
    measure_case(
        &s, "tower",
        arena_format(&arena,
                     "buffers:\n  X: {type: f32, shape: [256], fill: {uniform: {low: 1, high: 3}}}\n"
                     "  Y: {type: f32, shape: [256]}\n  N: {type: %s, shape: [%s], fill: zeros}\nvariants:\n%s",
                     type, size, variants));
    fpd_print_outcome(&s.outcome, false, text);
    const int status = s.outcome.status;
    arena_reset(&arena);
    session_close(&s);
    return status;
}

#define COPIES "  a: [" LAUNCH("copy", "X", "Y") "]\n  b: [" LAUNCH("copy", "X", "Y") "]\n"

// A buffer without floats, or without elements, has no errors, and stands in no table.
Test(accuracy, nothing_to_measure) {
    static const char *const types[][2] = {{"i32", "4"}, {"f32", "3, 0"}};
    for (int i = 0; i < 2; i++) {
        Buffer text = {0};
        report_of(types[i][0], types[i][1], COPIES "compare: [N]\nallow: [vacuous]\naccuracy: {ulp: 1}\n", &text);
        cr_expect(strstr(text.data, "accuracy: nothing to measure: no compared buffer has floats"), "%s", text.data);
        cr_expect_null(strstr(text.data, "error "));
        buffer_free(&text);
        report_of(types[i][0], types[i][1], COPIES "compare: [N, Y]\nallow: [vacuous]\naccuracy: {ulp: 1}\n", &text);
        cr_expect(strstr(text.data, "error 0 | 0 ulp"), "%s", text.data);
        cr_expect(!strstr(text.data, "      N ") && strstr(text.data, "      Y "), "%s", text.data);
        buffer_free(&text);
    }
}

// Of one variant a bound in units says something, a multiple of its own error does not.
Test(accuracy, bounds_of_one_variant) {
    static const struct {
        const char *keys;
        int status;
    } rows[] = {{"compare: [Y]\naccuracy: {ulp: 1}\n", 0},
                {"compare: [Y]\naccuracy: {times_reference: 2}\n", 1},
                {"compare: [N]\naccuracy: {ulp: 1}\n", 1}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Buffer text = {0};
        Arena arena = {0};
        const int status =
            report_of("i32", "4", arena_format(&arena, "  a: [" LAUNCH("copy", "X", "Y") "]\n%s", rows[i].keys), &text);
        cr_expect_eq(status, rows[i].status, "%s", text.data);
        cr_expect_eq(strstr(text.data, "nothing was judged: there is one variant") != NULL, rows[i].status == 1, "%s",
                     text.data);
        buffer_free(&text);
        arena_reset(&arena);
    }
}

// Mode wide is for the host, and says so by its name.
Test(accuracy, refused_on_gpus) {
    Session s;
    measure(&s, "triton-3.9", "f32", "{uniform: {low: 1, high: 3}}", "up", LAUNCH("shifted", "X", "Y"), "");
    FpdMachine simt = s.machine;
    simt.target = FPD_TARGET_simt;
    FpdRunner runner = session_runner(&s);
    runner.machine = &simt;
    fpd_find_accuracy(&runner, &s.outcome);
    cr_expect_str_eq(s.outcome.accuracy->none, "mode wide is for the host, found --target simt");
    session_close(&s);
}

// A variant that is the reference is no worse than it, whatever that is; and one that is NaN where it is not, is.
Test(accuracy, bounds_of_nan) {
    static const struct {
        const char *reference, *kernel, *fill, *bound;
        int status;
    } rows[] = {
        {"unbounded", "unbounded", "100", "times_reference: 1", 0},
        {"unbounded", "unbounded", "1000", "times_reference: 1", 0},
        {"unbounded", "unbounded", "1000", "ulp: 1000", 1},
        {"logarithm", "logarithm", "-1", "times_reference: 1", 0},
        {"logarithm", "logarithm", "-1", "ulp: 1", 1},
        {"without_itself", "without_itself", "inf", "times_reference: 1", 0},
        {"without_itself", "without_itself", "inf", "times_reference: 1, ulp: 1", 0},
        {"copy", "unbounded", "100", "times_reference: 1000", 1},
        {"copy", "logarithm", "-1", "times_reference: 1000", 1},
        {"logarithm", "copy", "-1", "times_reference: 1", 0},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Session s;
        char fill[64], launch[512], keys[128];
        snprintf(fill, sizeof fill, "{constant: %s}", rows[i].fill);
        snprintf(launch, sizeof launch, LAUNCH("%s", "X", "Y"), rows[i].kernel);
        snprintf(keys, sizeof keys, "allow: [vacuous]\naccuracy: {%s}\n", rows[i].bound);
        measure_in(&s, "fpsan, ieee", "tower", "f32", fill, rows[i].reference, launch, keys);
        cr_expect_eq(s.outcome.accuracy->variants[1].exceeds, rows[i].status, "%s | %s of %s: %s", rows[i].reference,
                     rows[i].kernel, rows[i].fill, rows[i].bound);
        session_close(&s);
    }
}

Test(accuracy, wrong_bounds) {
    static const struct {
        const char *bound, *why;
    } rows[] = {
        {"accuracy: {}\n", "says no bound"},
        {"accuracy: {ulp: 0}\n", "ulp is '0', expected more than 0"},
        {"accuracy: {ulp: 0, times_reference: 2}\n", "ulp is '0', expected more than 0"},
        {"accuracy: {ulp: 1, times_reference: 0}\n", "times_reference is '0', expected more than 0"},
        {"accuracy: {ulp: -1}\n", "expected more than 0"},
        {"accuracy: {ulps: 1}\n", "ulps"},
        {"accuracy: 3\n", "expected a mapping"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        const char *text =
            arena_format(&arena, "buffers: {X: {type: f32, shape: [256]}}\nvariants:\n  a: [%s]\ncompare: [X]\n%s",
                         LAUNCH("copy", "X", "X"), rows[i].bound);
        cr_expect_null(fpd_parse_case(&diagnostics, &arena, "case.yaml", (const uint8_t *)text, strlen(text)));
        cr_assert(diagnostics.count);
        cr_expect(strstr(diagnostics.items[0].message, rows[i].why), "%s", diagnostics.items[0].message);
        diagnostics_close(&diagnostics);
        arena_reset(&arena);
    }
}

// ---- equal as a formula, and much less accurate ---------------------------------------------------------------------

Test(accuracy, less_accurate) {
    Session s;
    Buffer text = {0};
    measure(&s, "tower", "f32", "{uniform: {low: 1, high: 3}}", "copy", LAUNCH("shifted", "X", "Y"), "");
    session_close(&s);
    Arena arena = {0};
    measure_case(&s, "tower",
                 "buffers:\n  X: {type: f32, shape: [256], fill: {uniform: {low: 1, high: 3}}}\n"
                 "  Y: {type: f32, shape: [256]}\nvariants:\n  a: [" LAUNCH("copy", "X", "Y") "]\n  b: [" LAUNCH(
                     "shifted", "X", "Y") "]\ncompare: [Y]\n");
    fpd_print_outcome(&s.outcome, false, &text);
    cr_expect(strstr(text.data, "fpsan  EQUAL, LESS ACCURATE  error 0 | "), "%s", text.data);
    cr_expect(strstr(text.data, "ieee   MEASURED  error 0 | "), "%s", text.data);
    json_t *cas = fpd_json_case(&s.outcome), *pair = json_array_get(json_object_get(cas, "pairs"), 0);
    if (!pair) pair = json_array_get(json_object_get(cas, "comparisons"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(pair, "verdict")), "equal");
    cr_expect(json_is_true(json_object_get(json_object_get(pair, "accuracy"), "less_accurate")));
    json_t *all = json_object_get(cas, "accuracy"), *b = json_array_get(json_object_get(all, "variants"), 1);
    cr_expect_null(json_object_get(all, "bound"));
    cr_expect_str_eq(json_string_value(json_object_get(b, "variant")), "b");
    cr_expect(json_is_true(json_object_get(b, "less_accurate")) && json_is_false(json_object_get(b, "exceeds")));
    cr_expect_eq(s.outcome.status, 0);
    json_decref(cas);
    buffer_free(&text);
    arena_reset(&arena);
    session_close(&s);
}

// ---- errors in two bytes, as maps keep them -------------------------------------------------------------------------

static double decoded(uint16_t code) {
    const uint32_t bits = (uint32_t)code << 15;
    float error;
    memcpy(&error, &bits, sizeof error);
    return (double)error;
}

Test(accuracy, errors_in_two_bytes) {
    uint16_t before = 0;
    cr_expect(fpd_error_code(0) == 0 && fpd_error_level(0) == 0);
    for (double error = 1e-30; error < 1e38; error *= 1.01) {
        const uint16_t code = fpd_error_code(error);
        cr_expect(fabs(decoded(code) - error) <= 0x1p-9 * error, "%g is %g", error, decoded(code));
        cr_expect(code >= before && code <= FPD_ERROR_MOST);
        const uint8_t level = fpd_error_level(code);
        const double most = ldexp(1, level - 2), least = level == 1 ? 0 : most / 2;
        cr_expect(decoded(code) > least && decoded(code) <= most, "%g has level %u", decoded(code), level);
        before = code;
    }
    static const struct {
        double error;
        uint16_t code;
        uint8_t level;
    } rows[] = {{0.5, 126 << 8, 1},
                {0.50390625, (126 << 8) + 2, 2},
                {1, 127 << 8, 2},
                {2, 128 << 8, 3},
                {0x1p127, 254 << 8, 129},
                {1e300, FPD_ERROR_MOST, 130},
                {1e-300, 1, 1},
                {INFINITY, FPD_ERROR_INFINITE, FPD_LEVEL_INFINITE},
                {NAN, FPD_ERROR_UNKNOWN, FPD_LEVEL_UNKNOWN}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        cr_expect_eq(fpd_error_code(rows[i].error), rows[i].code, "%g: %x", rows[i].error,
                     fpd_error_code(rows[i].error));
        cr_expect_eq(fpd_error_level(rows[i].code), rows[i].level, "%g", rows[i].error);
    }
}
