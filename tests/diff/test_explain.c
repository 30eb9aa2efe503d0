// SPDX-License-Identifier: Apache-2.0
// Notes beside verdicts: each says what is so, and none is there where it is not.
#include "tests/diff/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY    SOURCE_DIR "/tests/bad/copy_aligned.tileirbc"      // 64 elements a block: args [X, Y]
#define SCATTER SOURCE_DIR "/tests/bad/scatter_unchecked.tileirbc" // Y[I] = X: args [X, I, Y]
#define DEVICES SOURCE_DIR "/tests/cases/devices/devices.mlir"
#define SCALED  SOURCE_DIR "/tests/cases/limits/scaled.tileirbc" // Y = X * s: args [X, Y, f32 s]

static const FpdNote *note_of(Session *s, FpdNoteKind kind) {
    const FpdComparison *pair = &s->outcome.comparisons[0];
    const FpdNote *found = NULL;
    const FpdRunner runner = session_runner(s);
    fpd_explain(&runner, &s->outcome);
    for (uint32_t n = 0; n < pair->note_count; n++)
        if (pair->notes[n].kind == kind) found = &pair->notes[n];
    return found;
}

// The message of the note in the first pair of the case; "" where there is none.
static void expect_note(const char *profile, FpdNoteKind kind, const char *keys, const char *message) {
    Session s;
    session_run(&s, 1, profile, keys);
    const FpdNote *note = note_of(&s, kind);
    char *text = arena_text(&s.arena, note ? note->message : "", note ? strlen(note->message) : 0);
    for (char *at = text; (at = strstr(at, "congruent-run-")); at += 4) { // the case file of the session
        memcpy(at, "case", 4);
        memmove(at + 4, at + 20, strlen(at + 20) + 1);
    }
    cr_expect_str_eq(text, message, "%s\n%s", keys, text);
    session_close(&s);
}

#define COPIES(size)                                                                                                   \
    "buffers:\n  X: {type: f32, shape: [" size "], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [" size \
    "]}\nvariants:\n  one: [{module: " COPY ", grid: [3], args: [X, Y]}]\n  two: [{module: " COPY                      \
    ", grid: [3], args: [X, Y]}]\ncompare: [Y]\n"

Test(explain, whole_tiles) {
    static const char *const profiles[] = {"triton-3.9", "tower"};
    for (int p = 0; p < 2; p++) {
        expect_note(profiles[p], FPD_NOTE_whole_tiles, COPIES("192"),
                    "all sizes are multiples of their tiles (X 192 in 64, Y 192 in 64): no tail, and no mask of one, "
                    "was tested\n");
        expect_note(profiles[p], FPD_NOTE_whole_tiles, COPIES("144"), "");
    }
    // Through pointers: what masks them is not known.
    expect_note("tower", FPD_NOTE_whole_tiles,
                "buffers:\n  X: {type: f32, shape: [64], fill: iota}\n  I: {type: i32, shape: [64], fill: iota}\n  Y: "
                "{type: f32, shape: [64]}\nvariants:\n  one: [{module: " SCATTER
                ", grid: [1], args: [X, I, Y]}]\n  two: [{module: " COPY ", grid: [1], args: [X, Y]}]\ncompare: [Y]\n",
                "");
}

#define ALL_REDUCE                                                                                                     \
    "buffers:\n  X: {type: f32, shape: [512], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [512]}\n"    \
    "variants:\n  plain: [{module: " DEVICES                                                                           \
    ", kernel: copy_f32, grid: [8], args: [X, Y]}]\n  devices: [{module: " DEVICES                                     \
    ", kernel: all_reduce_f32, grid: [8], args: [X, Y]}]\ncompare: [Y]\n"
#define ON_ONE                                                                                                         \
    "all_reduce_f32 in devices is for the memory of several devices, and ran on one: what other devices add, or get, " \
    "was not tested\n"

Test(explain, one_device) {
    expect_note("tower", FPD_NOTE_one_device, ALL_REDUCE, ON_ONE);
    expect_note("tower", FPD_NOTE_one_device, COPIES("192"), "");
    // Numbers that are equal, or measured.
    expect_note("tower", FPD_NOTE_one_device, ALL_REDUCE "modes: [ieee]\ntolerance: {ieee: {rtol: 0, atol: 0}}\n",
                ON_ONE);
    expect_note("tower", FPD_NOTE_one_device, ALL_REDUCE "modes: [ieee]\n", ON_ONE);
    expect_note("triton-3.9", FPD_NOTE_one_device, ALL_REDUCE "modes: [ieee]\n", ON_ONE);
}

static uint32_t count_notes(const char *keys, FpdNoteKind kind) {
    Session s;
    uint32_t count = 0;
    session_run(&s, 1, "tower", keys);
    const FpdRunner runner = session_runner(&s);
    fpd_explain(&runner, &s.outcome);
    for (uint32_t i = 0; i < s.outcome.comparison_count; i++)
        for (uint32_t n = 0; n < s.outcome.comparisons[i].note_count; n++)
            count += s.outcome.comparisons[i].notes[n].kind == kind;
    session_close(&s);
    return count;
}

// Once for two variants, whatever they are compared in.
Test(explain, one_device_once) {
    static const char *const more[] = {"", "modes: [ieee]\n", "math: [ieee, fast]\n",
                                       "modes: [ieee]\nmath: [ieee, fast]\n"};
    for (size_t i = 0; i < BASE_COUNT(more); i++) {
        char *keys = NULL;
        cr_assert(asprintf(&keys, "%s%s", ALL_REDUCE, more[i]) > 0);
        const uint32_t count = count_notes(keys, FPD_NOTE_one_device);
        cr_expect_eq(count, 1, "%s: %u notes", more[i], count);
        free(keys);
    }
}

#define TWICE(name, a, b)                                                                                              \
    "  " name ": [{module: " COPY ", grid: [2], args: [" a ", H]}, {module: " COPY ", grid: [2], args: [" b            \
    ", S]}, {module: " COPY ", grid: [2], args: [H, Y]}]\n"
#define EARLIER(variants)                                                                                              \
    "buffers:\n  X: {type: f32, shape: [128], fill: {normal: {mean: 0, std: 1}}}\n  Z: {type: f32, shape: [128], "     \
    "fill: {normal: {mean: 0, std: 1}}}\n  H: {type: f32, shape: [128]}\n  S: {type: f32, shape: [128]}\n"             \
    "  Y: {type: f32, shape: [128]}\nvariants:\n" variants "compare: [Y]\n"

Test(explain, earlier_buffers) {
    expect_note("tower", FPD_NOTE_earlier_buffers, EARLIER(TWICE("one", "X", "X") TWICE("two", "Z", "X")),
                "H, which both write too, differs already: 128 of 128 elements (100 %), the first at [0]; look there "
                "first\n    stored by one: launch 1 of 3, copy_tile, kernels.py:11, by two: launch 1 of 3, copy_tile, "
                "kernels.py:11\nS, which both write too, is equal\n");
    expect_note("triton-3.9", FPD_NOTE_earlier_buffers, EARLIER(TWICE("one", "X", "X") TWICE("two", "Z", "X")),
                "H, which both write too, differs already: 128 of 128 elements (100 %), the first at [0]; look there "
                "first\nS, which both write too, is equal\n");
    // Nothing is said of pairs that agree, and of buffers that one of the two writes.
    expect_note("tower", FPD_NOTE_earlier_buffers, EARLIER(TWICE("one", "X", "X") TWICE("two", "X", "Z")), "");
    expect_note("tower", FPD_NOTE_earlier_buffers,
                EARLIER("  one: [{module: " COPY ", grid: [2], args: [X, H]}, {module: " COPY
                        ", grid: [2], args: [H, Y]}]\n  two: [{module: " COPY ", grid: [2], args: [Z, Y]}]\n"),
                "");
}

#define SCALES(a, b, more)                                                                                             \
    "buffers:\n  X: {type: f32, shape: [64], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [64]}\n"      \
    "variants:\n  one: [{module: " SCALED ", grid: [2], args: [X, Y, f32 " a "]}]\n  two: [{module: " SCALED           \
    ", grid: [2], args: [X, Y, f32 " b "]}]\ncompare: [Y]\n" more
#define HEAD                                                                                                           \
    "constants of one variant that are read bit for bit; was one rounded, or folded on the host, the case may say "    \
    "from what:\n    means:\n"

Test(explain, constants) {
    expect_note("tower", FPD_NOTE_constants, SCALES("0.5", "-0.5217031", ""),
                HEAD "      0.521703124: ...  # in two, case:7\n");
    expect_note("tower", FPD_NOTE_constants, SCALES("0.5217031", "0.5217032", ""),
                HEAD "      0.521703124: ...  # in one, case:6\n"
                     "      0.521703184: ...  # in two, case:7\n");
    // Not where they are understood, or said, or the same in both, or nothing diverges.
    expect_note("tower", FPD_NOTE_constants, SCALES("0.1", "0.33333334", ""), "");
    expect_note("tower", FPD_NOTE_constants, SCALES("0.5", "0.5217031", "means: {0.5217031: 1 - 0.9^7}\n"), "");
    expect_note("tower", FPD_NOTE_constants, SCALES("0.5217031", "-0.5217031", ""), "");
    expect_note("tower", FPD_NOTE_constants, SCALES("0.5217031", "0.5217031", ""), "");
    expect_note("triton-3.9", FPD_NOTE_constants, SCALES("0.5", "0.5217031", ""), "");
}

// What the note says to write is taken by `means`.
Test(explain, constants_can_be_copied) {
    expect_note("tower", FPD_NOTE_constants, SCALES("0.5", "-0.5217031", "means: {0.521703124: 1 - 0.9^7}\n"), "");
}

#define LIMITS     SOURCE_DIR "/tests/cases/limits/"
#define SKIPPED    "{module: " LIMITS "softmax.tileirbc, grid: [2], args: [X, Y, i32 20]}"
#define MASKED(by) "{module: " LIMITS "softmax_masked.tileirbc, grid: [2], args: [X, Y, i32 20, f32 " by "]}"
#define SOFTMAX(a, b)                                                                                                  \
    "buffers:\n  X: {type: f32, shape: [64], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [64]}\n"      \
    "variants:\n  one: [" a "]\n  two: [" b "]\ncompare: [Y]\n"

Test(explain, masks) {
    expect_note("tower", FPD_NOTE_masks, SOFTMAX(MASKED("-inf"), MASKED("-10000")),
                "64 of 64 elements are equal only because exp of an operand at or below -8192 counts as 0, as masks "
                "do\n");
    expect_note("tower", FPD_NOTE_masks, SOFTMAX(SKIPPED, MASKED("-1000")),
                "64 of 64 elements diverge only because of an exp that is 0 as a number, but not as a payload: its "
                "operand is above -8192; mask with -inf or -1e6\n");
    // The rule decides nothing where both mask alike, or by -inf.
    expect_note("tower", FPD_NOTE_masks, SOFTMAX(MASKED("-10000"), MASKED("-10000")), "");
    expect_note("tower", FPD_NOTE_masks, SOFTMAX(SKIPPED, MASKED("-inf")), "");
    expect_note("triton-3.9", FPD_NOTE_masks, SOFTMAX(SKIPPED, MASKED("-10000")), "");
}

// exp below -8192 in one, exp2 above it in the other: -6000 log2 e.
Test(explain, masks_of_another_base) {
    static const char folder[] = LIMITS;
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdMachine machine = {0};
    FpdOutcome outcome = {0};
    FpdCase *cas = fpd_load_case(&diagnostics, &arena, arena_format(&arena, "%salarm_mask_base.yaml", folder));
    FpdPrograms *programs = cas ? fpd_load_programs(&diagnostics, &arena, cas) : NULL;
    const FpdRunner runner = {&diagnostics, &arena, &machine, programs};
    cr_assert(programs && fpd_machine_open(&diagnostics, 1, &machine));
    FpdRuns runs = fpd_plan_runs(&arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
    fpd_plan_comparisons(&arena, cas, &runs, &outcome);
    cr_assert(fpd_run_case(&runner, true, &runs));
    fpd_judge(&arena, &outcome);
    fpd_explain(&runner, &outcome);
    const FpdComparison *pair = &outcome.comparisons[0];
    const char *found = "";
    for (uint32_t n = 0; n < pair->note_count; n++)
        if (pair->notes[n].kind == FPD_NOTE_masks) found = pair->notes[n].message;
    cr_expect_str_eq(found,
                     "64 of 64 elements diverge only because exp of an operand at or below -8192 counts as 0, as masks "
                     "do: in one of the two it lies above\n");
    fpd_programs_close(programs);
    fpd_machine_close(&machine);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
}
