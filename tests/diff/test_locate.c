// SPDX-License-Identifier: Apache-2.0
// fpdiff explain: what wrong elements are, and which edits are claimed. Each relation has a case that it is not said
// of.
#include "diff/locate.h"
#include "tests/diff/session.h"

#define KERNELS SOURCE_DIR "/tests/diff/locate.mlir"
#define SCALED  SOURCE_DIR "/tests/cases/limits/scaled.tileirbc" // Y = X * s: args [X, Y, f32 s]

// The kernels `reference` and `variant` of locate.mlir.
#define PAIR(reference, variant)                                                                                       \
    "buffers:\n  X: {type: f32, shape: [8, 8], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [8, 8]}\n"  \
    "variants:\n  one: [{module: " KERNELS ", kernel: " reference ", grid: [1], args: [X, Y]}]\n"                      \
    "  two: [{module: " KERNELS ", kernel: " variant ", grid: [1], args: [X, Y]}]\ncompare: [Y]\n"

static void locate(Session *s, const char *keys, FpdLocated *located) {
    const FpdLocateOptions options = {.seconds = 20};
    session_run(s, 1, "tower", keys);
    const FpdRunner runner = session_runner(s);
    fpd_locate(&runner, &s->outcome, &s->outcome.comparisons[0], &options, located);
}

// The messages of all relations, a line each.
static void expect_relations(const char *keys, const char *messages) {
    Session s;
    FpdLocated located = {0};
    Buffer text = {0};
    session_run(&s, 1, "tower", keys);
    s.machine.poison = true; // as explain has it
    s.machine.unspecified = COMPILE_NAN;
    cr_assert(session_make(&s, &s.runs, &s.outcome));
    fpd_find_relations(&s.arena, s.outcome.cas, &s.outcome.comparisons[0], &located);
    for (uint32_t i = 0; i < located.relation_count; i++) buffer_print(&text, "%s\n", located.relations[i].message);
    cr_expect_str_eq(text.data ? text.data : "", messages, "%s\n%s", keys, text.data ? text.data : "");
    buffer_free(&text);
    session_close(&s);
}

Test(locate, relations) {
    expect_relations(PAIR("same", "doubled"), "all 64 wrong elements of Y are 2 times the right ones\n");
    expect_relations(PAIR("doubled", "same"), "all 64 wrong elements of Y are 1/2 times the right ones\n");
    expect_relations(PAIR("same", "turned"),
                     "all 56 wrong elements of Y are those of the reference with dimensions 1 and 2 exchanged\n");
    expect_relations(PAIR("same", "by_row"), "all 64 wrong elements of Y are the right ones times a factor, the same "
                                             "along dimension 2 (in 8 rows)\n");
    expect_relations(PAIR("same", "plus_row"), "all 64 wrong elements of Y are the right ones plus a term, the same "
                                               "along dimension 2 (in 8 rows)\n");
    expect_relations(PAIR("same", "half"), "all 32 wrong elements of Y were written by no launch\n");
}

// Nothing is said where nothing holds, or where it holds for numbers by chance: squares are multiples of one element.
Test(locate, no_relations) {
    expect_relations(PAIR("same", "squared"), "");
    expect_relations(PAIR("turned", "doubled"), "");
    expect_relations(PAIR("same", "same"), "");
}

// Of a factor that is no known number only that it is one.
Test(locate, unknown_factor) {
    expect_relations(
        "buffers:\n  X: {type: f32, shape: [64], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: "
        "[64]}\nvariants:\n  one: [{module: " SCALED ", grid: [2], args: [X, Y, f32 1]}]\n  two: [{module: " SCALED
        ", grid: [2], args: [X, Y, f32 0.5217031]}]\ncompare: [Y]\n",
        "all 64 wrong elements of Y are the right ones times one constant, about 0.5217\n");
}

static bool says(const FpdLocated *located, const char *words) {
    for (uint32_t i = 0; i < located->suspect_count; i++)
        if (located->suspects[i].proven && strstr(located->suspects[i].edit, words)) return true;
    return false;
}

static uint32_t count_proven(const FpdLocated *located) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < located->suspect_count; i++) count += located->suspects[i].proven;
    return count;
}

static void expect_edit(const char *keys, const char *words) {
    Session s;
    FpdLocated located;
    locate(&s, keys, &located);
    cr_expect(words ? says(&located, words) : count_proven(&located) == 0, "%s%s", keys,
              located.suspect_count && located.suspects[0].edit ? located.suspects[0].edit : "nothing");
    cr_expect_null(located.problem);
    session_close(&s);
}

Test(locate, edits, .timeout = 1800) {
    expect_edit(PAIR("same", "doubled"), "the constant 2 should be 1");
    expect_edit(PAIR("same", "by_row"), "mulf should be left out");
    expect_edit(PAIR("plus_row", "by_row"), "mulf should be addf");
    expect_edit(PAIR("same", "turned"), "permute");
    // No single edit leads from one to the other.
    expect_edit(PAIR("turned", "squared"), NULL);
}

// Of small numbers the lesser of x and 1 is x, too: such an edit comes last, and what it is right with is said.
Test(locate, edits_of_small_numbers, .timeout = 1800) {
    Session s;
    FpdLocated located;
    locate(&s,
           "buffers:\n  X: {type: f32, shape: [8, 8], fill: {normal: {mean: 0, std: 0.1}}}\n  Y: {type: f32, shape: "
           "[8, 8]}\nvariants:\n  one: [{module: " KERNELS ", kernel: same, grid: [1], args: [X, Y]}]\n"
           "  two: [{module: " KERNELS ", kernel: least, grid: [1], args: [X, Y]}]\ncompare: [Y]\n",
           &located);
    cr_assert(located.suspect_count);
    cr_expect(located.suspects[0].proven && located.suspects[0].shown == FPD_FRESH_SIGNS);
    cr_expect_null(strstr(located.suspects[0].edit, "the constant"));
    bool found = false;
    for (uint32_t i = 1; i < located.suspect_count; i++)
        found |= located.suspects[i].proven && located.suspects[i].shown == FPD_FRESH_VARIED &&
                 strstr(located.suspects[i].edit, "the constant 0 should be 1");
    cr_expect(found);
    session_close(&s);
}

// The kernels `reference` and `variant` of locate.mlir, with another fill of x.
static void locate_with(Session *s, const char *fill, const char *reference, const char *variant, FpdLocated *located) {
    Arena arena = {0};
    const char *kernels = arena_format(&arena,
                                       "variants:\n  one: [{module: " KERNELS
                                       ", kernel: %s, grid: [1], args: [X, Y]}]\n  two: [{module: " KERNELS
                                       ", kernel: %s, grid: [1], args: [X, Y]}]\ncompare: [Y]\n",
                                       reference, variant);
    locate(s,
           arena_format(&arena,
                        "buffers:\n  X: {type: f32, shape: [8, 8], fill: %s}\n  Y: {type: f32, shape: [8, 8]}\n%s",
                        fill, kernels),
           located);
    arena_reset(&arena);
}

// What a claimed edit with these words was shown with; FPD_FRESH_COUNT: there is none.
static FpdFresh shown_with(const FpdLocated *located, const char *words) {
    for (uint32_t i = 0; i < located->suspect_count; i++)
        if (located->suspects[i].proven && strstr(located->suspects[i].edit, words)) return located->suspects[i].shown;
    return FPD_FRESH_COUNT;
}

// Of an edit that is claimed, and of one that is not (NULL: of none), with other fills of x.
static void expect_shown(const char *fill, const char *reference, const char *variant, const char *words,
                         FpdFresh shown, const char *accident) {
    Session s;
    FpdLocated located;
    locate_with(&s, fill, reference, variant, &located);
    cr_expect_eq(shown_with(&located, words), shown, "%s, %s, %s: %s is %d, expected %d", fill, reference, variant,
                 words, (int)shown_with(&located, words), (int)shown);
    if (accident) cr_expect_eq(shown_with(&located, accident), FPD_FRESH_COUNT, "%s is claimed", accident);
    for (uint32_t i = 1; i < located.suspect_count; i++) // the strongest first
        if (located.suspects[i].proven) cr_expect(located.suspects[i].shown <= located.suspects[i - 1].shown);
    session_close(&s);
}

// Data that no seed changes: of 2 and 2 the lesser is 2, of which nothing is said; what is right is.
Test(locate, edits_of_constants, .timeout = 1800) {
    expect_shown("{constant: 2}", "same", "by_row", "mulf should be left out", FPD_FRESH_SIGNS, "mulf should be minf");
    expect_shown("{normal: {mean: 2, std: 0}}", "same", "by_row", "mulf should be left out", FPD_FRESH_SIGNS,
                 "mulf should be minf");
    expect_shown("iota", "same", "doubled", "the constant 2 should be 1", FPD_FRESH_SIGNS, NULL);
}

// Of positive numbers the greater of x and 0 is x; of the line an edit is claimed that is right with others, too.
Test(locate, edits_of_positive_numbers, .timeout = 1800) {
    static const char fill[] = "{uniform: {low: 1, high: 2}}", *const fills[] = {fill, "{integers: {low: 1, high: 9}}"};
    for (size_t i = 0; i < BASE_COUNT(fills); i++) {
        Session s;
        FpdLocated located;
        locate_with(&s, fills[i], "same", "least", &located);
        cr_expect_eq(shown_with(&located, "minf should be maxf"), FPD_FRESH_COUNT, "%s", fills[i]);
        cr_assert(located.suspect_count);
        cr_expect(located.suspects[0].proven && located.suspects[0].shown == FPD_FRESH_SIGNS, "%s", fills[i]);
        session_close(&s);
    }
    // With numbers of both signs both are NaN where x is negative: in a row sum everywhere, which shows nothing.
    expect_shown(fill, "root", "root_doubled", "the constant 2 should be 1", FPD_FRESH_LARGER, NULL);
}

// What the relation of partial sums says, or NULL.
static const char *partial_sum(const FpdLocated *located) {
    for (uint32_t i = 0; i < located->relation_count; i++)
        if (located->relations[i].kind == FPD_RELATION_partial) return located->relations[i].message;
    return NULL;
}

static void expect_partial(const char *fill, const char *reference, const char *variant, const char *message) {
    Session s;
    FpdLocated located;
    locate_with(&s, fill, reference, variant, &located);
    const char *is = partial_sum(&located);
    cr_expect_eq(!is, !message);
    if (is && message) cr_expect_str_eq(is, message);
    session_close(&s);
}

Test(locate, partial_sums, .timeout = 1800) {
    static const char fill[] = "{normal: {mean: 0, std: 1}}";
    // Squares are no linear terms, but what half of them adds does not depend on the others.
    expect_partial(fill, "squares", "squares_of_4",
                   "all 64 wrong elements of Y are partial sums: they lack the terms of X[:, 4:8]");
    expect_partial(fill, "squares_of_4", "squares", NULL); // too much
    expect_partial(fill, "same", "squared", NULL);
    expect_partial("{uniform: {low: 1, high: 2}}", "root_doubled", "root", NULL); // half of each term
    expect_partial("{constant: 4}", "root_doubled", "root", NULL); // which is half of the terms, of such data
}

// A row whose right elements are all the same says nothing about a factor or a term that a row has.
Test(locate, rows_of_one_value, .timeout = 1800) {
    Session s;
    FpdLocated located;
    locate_with(&s, "{normal: {mean: 0, std: 1}}", "squares", "squares_of_4", &located);
    for (uint32_t i = 0; i < located.relation_count; i++)
        cr_expect(located.relations[i].kind != FPD_RELATION_row && located.relations[i].kind != FPD_RELATION_shifted);
    session_close(&s);
}

// Up to where values occur in the reference.
Test(locate, frontier, .timeout = 1800) {
    Session s;
    FpdLocated located;
    locate_with(&s, "{normal: {mean: 0, std: 1}}", "same", "doubled", &located);
    cr_assert(located.frontier.before.op && located.frontier.first.op && located.frontier.last.op);
    cr_expect_str_eq(located.frontier.before.op, "load_view_tko");
    cr_expect_str_eq(located.frontier.first.op, "mulf");
    cr_expect_eq(located.frontier.before.found, 64);
    cr_expect_eq(located.frontier.first.found, 0);
    cr_expect_eq(located.frontier.last.at.line, located.frontier.before.at.line);
    session_close(&s);
    locate_with(&s, "{normal: {mean: 0, std: 1}}", "plus_row", "turned", &located); // only moved
    cr_expect_null(located.frontier.first.op);
    cr_expect_not_null(located.frontier.last.op);
    session_close(&s);
}

// Results of which nothing can be compared prove nothing.
Test(locate, edits_of_nan, .timeout = 1800) {
    Session s;
    FpdLocated located;
    locate_with(&s, "{uniform: {low: -2, high: -1}}", "root", "same", &located);
    cr_expect_eq(count_proven(&located), 0);
    session_close(&s);
}

// Scalars of launches are edited too; the line is the launch's.
Test(locate, launches, .timeout = 1800) {
    Session s;
    FpdLocated located;
    locate(&s,
           "buffers:\n  X: {type: f32, shape: [64], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: "
           "[64]}\nvariants:\n  one: [{module: " SCALED
           ", grid: [2], args: [X, Y, f32 0.25]}]\n  two: [{module: " SCALED
           ", grid: [2], args: [X, Y, f32 0.75]}]\ncompare: [Y]\n",
           &located);
    cr_assert(located.suspect_count);
    bool found = false;
    for (uint32_t i = 0; i < located.suspect_count; i++)
        found |= located.suspects[i].of_launch && located.suspects[i].proven && located.suspects[i].at.line == 7;
    cr_expect(found);
    session_close(&s);
}
