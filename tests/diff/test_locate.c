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

Test(locate, edits, .timeout = 600) {
    expect_edit(PAIR("same", "doubled"), "the constant 2 should be 1");
    expect_edit(PAIR("same", "by_row"), "mulf should be left out");
    expect_edit(PAIR("plus_row", "by_row"), "mulf should be addf");
    expect_edit(PAIR("same", "turned"), "permute");
    // No single edit leads from one to the other.
    expect_edit(PAIR("turned", "squared"), NULL);
}

// Of small numbers the lesser of x and 1 is x, too: such an edit comes last, and what it is right with is said.
Test(locate, edits_of_small_numbers, .timeout = 600) {
    Session s;
    FpdLocated located;
    locate(&s,
           "buffers:\n  X: {type: f32, shape: [8, 8], fill: {normal: {mean: 0, std: 0.1}}}\n  Y: {type: f32, shape: "
           "[8, 8]}\nvariants:\n  one: [{module: " KERNELS ", kernel: same, grid: [1], args: [X, Y]}]\n"
           "  two: [{module: " KERNELS ", kernel: least, grid: [1], args: [X, Y]}]\ncompare: [Y]\n",
           &located);
    cr_assert(located.suspect_count);
    cr_expect(located.suspects[0].proven && !located.suspects[0].of_size);
    cr_expect_null(strstr(located.suspects[0].edit, "the constant"));
    bool found = false;
    for (uint32_t i = 1; i < located.suspect_count; i++)
        found |= located.suspects[i].of_size && strstr(located.suspects[i].edit, "the constant 0 should be 1");
    cr_expect(found);
    session_close(&s);
}

// Scalars of launches are edited too; the line is the launch's.
Test(locate, launches, .timeout = 600) {
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
