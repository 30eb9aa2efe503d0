// SPDX-License-Identifier: Apache-2.0
// One variant in several builds: the verdict of each element and of the comparison, when a build fails its case, and
// the reports. Results are made up, but for the culprits and the entries that are split.
#include "tests/diff/report_text.h"
#include "tests/diff/session.h"
#include "tests/diff/tower_sample.h"

#include <jansson.h>

enum { ELEMENTS = 300, BUILDS = 3 };
// Variant a of buffers Y (1, 2, ...) and N (two i32) in builds ieee, precise and fast, which agree until a test changes
// something. `records`: of Y, per build.
typedef struct BuildSample {
    Arena arena;
    FpdCase cas;
    FpdBuffer buffers[2];
    FpdVariant variants[2];
    FpdBuild builds[BUILDS];
    uint32_t compare[2];
    FpdRuns runs;
    ProgramUse tiles[2];
    FpdOutcome outcome;
    HostRecord *records[2][BUILDS];
} BuildSample;

static FpdRun *run_of(BuildSample *s, uint32_t variant, uint32_t build) {
    return fpd_find_build_run(&s->runs, FPD_MODE_fpsan, variant, build);
}

static void set_payload(BuildSample *s, uint32_t build, uint64_t index, unsigned other, uint32_t state) {
    TowerPayload payload = tower_embed_integer(tower_chain(0), index + 1, 64, false);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) payload.component[i] += other >> i & 1;
    payload.state = state;
    s->records[0][build][index] = record_of(((float *)run_of(s, 0, build)->bytes[0])[index], payload, 0);
}

static void set_number(BuildSample *s, uint32_t build, uint64_t index, float value) {
    ((float *)run_of(s, 0, build)->bytes[0])[index] = value;
    s->records[0][build][index].low = float_bits(value);
}

static void set_integer(BuildSample *s, uint32_t build, uint64_t index, int32_t value) {
    ((int32_t *)run_of(s, 0, build)->bytes[1])[index] = value;
}

static void open_sample(BuildSample *s, uint32_t variants) {
    static const FpdStore stores[] = {{.by = {.op = "store_view_tko", .at = {.file = "/src/a.py", .line = 41}}}},
                          writers[2] = {
                              {.by = {.op = "store_view_tko", .at = {.file = "/src/a.py", .line = 41}}},
                              {.by = {.op = "store_view_tko", .at = {.file = "/src/a.py", .line = 43}}},
                          };
    *s = (BuildSample){.cas = {.path = "case.yaml", .family = FPD_FAMILY_tower, .seed = 1}};
    s->buffers[0] = (FpdBuffer){"Y", ELEMENT_F32, 1, {ELEMENTS}, ELEMENTS, ELEMENTS * 4, {0}, false, {0}};
    s->buffers[1] = (FpdBuffer){"N", ELEMENT_I32, 1, {2}, 2, 8, {0}, false, {0}};
    s->variants[0].name = "a", s->variants[1].name = "b";
    s->builds[0] = (FpdBuild){.name = "ieee"};
    s->builds[1] = (FpdBuild){.name = "precise", .settings.command.mode = MATH_precise + 1};
    s->builds[2] = (FpdBuild){.name = "fast", .settings.command.mode = MATH_fast + 1};
    s->compare[1] = 1;
    s->cas.buffers = s->buffers, s->cas.buffer_count = 2, s->cas.variants = s->variants;
    s->cas.variant_count = variants, s->cas.compare = s->compare, s->cas.compare_count = 2;
    s->cas.builds = s->builds, s->cas.build_count = s->cas.run_build_count = BUILDS;
    s->cas.modes[0] = FPD_MODE_fpsan, s->cas.mode_count = 1;
    s->cas.algebra = fpsan_default_algebra();
    s->runs = fpd_plan_runs(&s->arena, &s->cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
    s->runs.tiles = s->tiles;
    for (uint32_t v = 0; v < variants; v++)
        for (uint32_t b = 0; b < BUILDS; b++) {
            FpdRun *run = run_of(s, v, b);
            s->records[v][b] = arena_array(&s->arena, HostRecord, ELEMENTS);
            run->records = arena_array(&s->arena, HostRecord *, 2);
            run->records[0] = s->records[v][b];
            run->stores = stores, run->store_count = 1, run->shadow_bytes = 4096, run->writers = writers;
            run->bytes = arena_array(&s->arena, uint8_t *, 2);
            run->unwritten = arena_array(&s->arena, uint64_t, 2);
            run->first_unwritten = arena_array(&s->arena, uint64_t, 2);
            for (int c = 0; c < 2; c++) run->bytes[c] = arena_alloc(&s->arena, s->buffers[c].bytes);
            ((int32_t *)run->bytes[1])[1] = 1;
            for (uint64_t i = 0; i < ELEMENTS; i++) {
                ((float *)run->bytes[0])[i] = (float)i + 1;
                s->records[v][b][i] = record_of((float)i + 1, tower_embed_integer(tower_chain(0), i + 1, 64, false), 0);
            }
        }
}

static void judge(BuildSample *s) {
    s->outcome = (FpdOutcome){.path = s->cas.path};
    fpd_plan_comparisons(&s->arena, &s->cas, &s->runs, &s->outcome);
    fpd_judge(&s->arena, &s->outcome);
}

static const char *text_of(BuildSample *s) {
    Buffer text = {0};
    fpd_print_outcome(&s->outcome, false, &text);
    const char *kept = arena_text(&s->arena, text.data, text.size);
    buffer_free(&text);
    return kept;
}

// The comparison of variant a in build fast with that in ieee.
static const FpdComparison *fast_of(BuildSample *s) {
    judge(s);
    for (uint32_t i = 0; i < s->outcome.comparison_count; i++) {
        const FpdComparison *comparison = &s->outcome.comparisons[i];
        if (comparison->question == FPD_QUESTION_builds && comparison->right->build == 2 && !comparison->right->variant)
            return comparison;
    }
    cr_assert_fail("no comparison of builds");
    return NULL;
}

static void expect_verdict(BuildSample *s, const char *what, FpdVerdict verdict, bool fails) {
    const FpdComparison *comparison = fast_of(s);
    cr_expect_eq(comparison->verdict, verdict, "%s: %d", what, comparison->verdict);
    cr_expect_eq(comparison->fails, fails, "%s", what);
    cr_expect_eq(s->outcome.status, fails, "%s", what);
    cr_expect_eq(s->outcome.builds_failed, fails, "%s", what);
    arena_reset(&s->arena);
}

static FpdTolerance within(double atol) {
    return (FpdTolerance){.given = true, .atol = atol};
}

// ---- verdicts

Test(builds, identical) {
    BuildSample s;
    open_sample(&s, 1);
    expect_verdict(&s, "the same", FPD_VERDICT_IDENTICAL, false);
    open_sample(&s, 1);
    s.records[0][0][7].state |= TOWER_NEAR | TOWER_MISSING, s.records[0][2][7].state |= TOWER_NEAR | TOWER_MISSING;
    expect_verdict(&s, "nothing known of a close call with the same bits", FPD_VERDICT_IDENTICAL, false);
}

// A number that is NaN may have a finite payload, as the logarithm of -2 has: then that says whether the formula is the
// same.
Test(builds, nan_in_both) {
    static const struct {
        const char *what;
        uint32_t state;
        FpdVerdict verdict;
    } rows[] = {{"another payload", 0, FPD_VERDICT_REWRITE},
                {"another payload after a close call", TOWER_NEAR, FPD_VERDICT_IDENTICAL},
                {"nothing known", TOWER_MISSING, FPD_VERDICT_IDENTICAL},
                {"NaN in the algebra, too", TOWER_NAN << TOWER_KIND_SHIFT, FPD_VERDICT_IDENTICAL}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        BuildSample s;
        open_sample(&s, 1);
        for (uint32_t b = 0; b < BUILDS; b++) set_number(&s, b, 7, NAN);
        for (unsigned k = 0; k < TOWER_LENGTH; k++) s.records[0][2][7].component[k] ^= 1;
        s.records[0][2][7].state |= rows[i].state;
        expect_verdict(&s, rows[i].what, rows[i].verdict, rows[i].verdict == FPD_VERDICT_REWRITE);
    }
    BuildSample s;
    open_sample(&s, 1);
    for (uint32_t b = 0; b < BUILDS; b++) set_number(&s, b, 7, b == 2 ? -NAN : NAN);
    expect_verdict(&s, "another NaN of the same payload", FPD_VERDICT_NUMERIC, false);
}

Test(builds, numeric_fails_beyond_the_tolerance_only) {
    static const struct {
        const char *what;
        float value;
        FpdTolerance tolerance;
        bool fails;
    } rows[] = {{"no tolerance", 9.5f, {0}, false},
                {"within", 8.25f, {true, 0, 0.25}, false},
                {"beyond", 8.5f, {true, 0, 0.25}, true},
                {"infinite, no tolerance", INFINITY, {0}, false},
                {"infinite is beyond each tolerance", INFINITY, {true, 1, 1}, true}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        BuildSample s;
        open_sample(&s, 1);
        s.cas.tolerance = rows[i].tolerance;
        set_number(&s, 2, 7, rows[i].value);
        expect_verdict(&s, rows[i].what, FPD_VERDICT_NUMERIC, rows[i].fails);
    }
}

// A zero of the other sign is the same number, and other bits.
Test(builds, signs_of_zeros) {
    BuildSample s;
    open_sample(&s, 1);
    for (uint32_t b = 0; b < BUILDS; b++) set_number(&s, b, 7, b == 2 ? -0.0f : 0.0f);
    s.cas.tolerance = within(0);
    judge(&s);
    cr_expect(strstr(text_of(&s), "NUMERIC    the same numbers, other signs of zeros or bits of NaN\n"));
    expect_verdict(&s, "-0", FPD_VERDICT_NUMERIC, false);
}

Test(builds, decisions_fail_beyond_the_tolerance_or_their_share) {
    static const struct {
        const char *what;
        uint32_t state;
        uint64_t count;
        float apart;
        bool fails;
    } rows[] = {{"one close call", TOWER_NEAR, 1, 0, false},
                {"one rounding to an integer", TOWER_ROUNDED, 1, 0.125f, false},
                {"as many as ties may be", TOWER_NEAR, 3, 0.125f, false},
                {"more", TOWER_NEAR, 4, 0.125f, true},
                {"one beyond", TOWER_NEAR, 1, 0.5f, true}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        for (unsigned fields = 1; fields < 16; fields += 7) { // one field differs, or some, or all
            BuildSample s;
            open_sample(&s, 1);
            s.cas.tolerance = within(0.25);
            for (uint64_t k = 0; k < rows[i].count; k++) {
                set_number(&s, 2, 40 + k, (float)k + 41 + rows[i].apart);
                set_payload(&s, 2, 40 + k, fields, rows[i].state);
            }
            expect_verdict(&s, rows[i].what, FPD_VERDICT_DECISION, rows[i].fails);
        }
}

// An integer tells nothing but its bits: half of two elements are more than ties may be. Tolerances are for floats.
Test(builds, integers_are_decisions) {
    BuildSample s;
    open_sample(&s, 1);
    set_integer(&s, 2, 1, 7);
    expect_verdict(&s, "one of two", FPD_VERDICT_DECISION, true);
    open_sample(&s, 1);
    s.buffers[1].elements = 1, s.buffers[1].shape[0] = 1;
    s.cas.compare_count = 1;
    set_integer(&s, 2, 1, 7);
    expect_verdict(&s, "not compared", FPD_VERDICT_IDENTICAL, false);
}

// What `fast` becomes with the decisions of `ieee`; element 5 has the payload of the latter, or another one.
static void set_turns(BuildSample *s, bool same, uint32_t count) {
    static const FpdTurn items[5] = {
        {{.by = {.op = "cmpf", .at = {.file = "/src/a.py", .line = 12}}}, 1},
        {{.by = {.op = "maxf", .at = {.file = "/src/a.py", .line = 14}}}, 2},
    };
    FpdRun *replayed = arena_new(&s->arena, FpdRun), *fast = run_of(s, 0, 2);
    FpdTurns *turns = arena_new(&s->arena, FpdTurns);
    *replayed = *fast;
    replayed->records = arena_array(&s->arena, HostRecord *, 2);
    replayed->records[0] = s->records[0][same ? 0 : 2];
    *turns = (FpdTurns){count, items, replayed};
    fast->turns = turns;
}

// A payload that is another one only until all is decided as in the first build is a decision, whatever its state says.
Test(builds, decisions_explain) {
    static const struct {
        bool same;
        uint32_t count;
        FpdVerdict verdict;
    } rows[] = {{true, 1, FPD_VERDICT_DECISION}, {false, 1, FPD_VERDICT_REWRITE}, {true, 0, FPD_VERDICT_REWRITE}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        BuildSample s;
        open_sample(&s, 1);
        set_payload(&s, 2, 5, 15, 0);
        set_turns(&s, rows[i].same, rows[i].count);
        expect_verdict(&s, "replayed", rows[i].verdict, rows[i].verdict == FPD_VERDICT_REWRITE);
    }
}

Test(builds, asks_for_decisions) {
    BuildSample s;
    open_sample(&s, 1);
    const FpdRun *ieee = run_of(&s, 0, 0), *fast = run_of(&s, 0, 2);
    set_number(&s, 2, 7, 8.5f);
    cr_expect_not(fpd_may_have_turned(&s.cas, ieee, fast), "numbers alone");
    set_integer(&s, 2, 1, 7);
    cr_expect(fpd_may_have_turned(&s.cas, ieee, fast), "an integer");
    set_integer(&s, 2, 1, 1);
    set_payload(&s, 2, 5, 15, 0);
    cr_expect(fpd_may_have_turned(&s.cas, ieee, fast), "a payload");
    arena_reset(&s.arena);
}

// An op takes over what was decided about the same payloads and other numbers. The low word of an input is of payloads,
// the high one of numbers.
Test(builds, which_decisions_are_taken_over) {
    static const struct {
        const char *what;
        uint64_t input, outcome, input_then, outcome_then, becomes;
    } rows[] = {{"other numbers", 0x100000007, 1, 0x200000007, 0, 1},
                {"alike", 0x100000007, 1, 0x200000007, 1, 1},
                {"the same numbers: the op is another one", 0x100000007, 1, 0x100000007, 0, 0},
                {"other payloads: the formula is another one", 0x100000007, 1, 0x200000008, 0, 0},
                {"an integer", 0x100000007, 41, 0x200000007, 42, 41}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        FpdDecisions all = {0};
        FpdStore op = {.by = {.op = "cmpf", .at = {.file = "a.py", .line = 12}}, .kernel = "k"}, other = op;
        other.by.at.line = 13;
        uint64_t inputs[2] = {rows[i].input, rows[i].input}, outcomes[2] = {rows[i].outcome, rows[i].outcome};
        HostDecider *first = fpd_decider(&all, &op), *second = fpd_decider(&all, &other);
        cr_expect_neq(first, second);
        cr_expect_eq(fpd_decider(&all, &op), first);
        other.launch = 1;
        cr_expect_neq(fpd_decider(&all, &other), second);
        first->decide(first, 2, inputs, outcomes);
        all.replays = true;
        for (int k = 0; k < 3; k++) { // the log has two
            uint64_t input = rows[i].input_then, outcome = rows[i].outcome_then;
            first->decide(first, 1, &input, &outcome);
            cr_expect_eq(outcome, k < 2 ? rows[i].becomes : rows[i].outcome_then, "%s", rows[i].what);
            outcome = rows[i].outcome_then;
            second->decide(second, 1, &input, &outcome);
            cr_expect_eq(outcome, rows[i].outcome_then, "another op");
        }
        arena_reset(&all.arena);
    }
}

// Payloads differ and nothing was decided closely: whatever the numbers say, and in one field, too.
Test(builds, rewrite) {
    for (unsigned fields = 1; fields < 16; fields++) {
        BuildSample s;
        open_sample(&s, 1);
        s.cas.tolerance = within(100);
        set_payload(&s, 2, 5, fields, 0);
        expect_verdict(&s, "one payload", FPD_VERDICT_REWRITE, true);
        open_sample(&s, 1);
        set_payload(&s, 2, 5, fields, 0);
        for (uint64_t k = 0; k < 20; k++) set_payload(&s, 2, 40 + k, fields, TOWER_NEAR);
        expect_verdict(&s, "among close calls", FPD_VERDICT_REWRITE, true);
    }
}

Test(builds, what_nobody_can_tell_fails) {
    BuildSample s;
    open_sample(&s, 1);
    set_number(&s, 2, 7, NAN);
    expect_verdict(&s, "NaN in one", FPD_VERDICT_UNKNOWN, true);
    open_sample(&s, 1);
    s.records[0][2][7] = record_of(8.5f, (TowerPayload){.state = TOWER_MISSING}, 0);
    ((float *)run_of(&s, 0, 2)->bytes[0])[7] = 8.5f;
    expect_verdict(&s, "nothing known", FPD_VERDICT_UNKNOWN, true);
    open_sample(&s, 1);
    s.records[0][0][7].state = s.records[0][2][7].state = 0;
    ((float *)run_of(&s, 0, 2)->bytes[0])[7] = 8.5f;
    expect_verdict(&s, "no records", FPD_VERDICT_UNKNOWN, true);
    open_sample(&s, 1);
    s.records[0][2][7] = record_of(8, tower_poison(1), 0);
    expect_verdict(&s, "unspecified", FPD_VERDICT_DIVERGED, true);
    open_sample(&s, 1);
    static const FpdRace race = {.kernel = "k", .name = "Y"};
    run_of(&s, 0, 2)->races = &race, run_of(&s, 0, 2)->race_count = 1;
    judge(&s);
    cr_expect_eq(fast_of(&s)->verdict, FPD_VERDICT_RACE);
    cr_expect(fast_of(&s)->fails);
    arena_reset(&s.arena);
}

// Numbers without payloads and without a tolerance are no reason to fail, whether they differ or not: such a case is
// vacuous.
Test(builds, without_payloads_and_tolerance_nothing_is_judged) {
    for (int differ = 0; differ < 2; differ++)
        for (int tolerance = 0; tolerance < 2; tolerance++) {
            BuildSample s;
            open_sample(&s, 1);
            if (tolerance) s.cas.tolerance = within(100);
            for (uint32_t r = 0; r < s.runs.run_count; r++) {
                s.runs.runs[r].arithmetic = fpd_arithmetic(FPD_FAMILY_tower, FPD_MODE_ieee);
                s.runs.runs[r].tower = NULL, s.runs.runs[r].records = NULL;
            }
            if (differ) ((float *)run_of(&s, 0, 2)->bytes[0])[7] = 9;
            judge(&s);
            cr_expect_eq(s.outcome.status, !tolerance, "%d %d", differ, tolerance);
            cr_expect_eq(s.outcome.vacuous_count, !tolerance);
            s.cas.tolerance = (FpdTolerance){.given = true};
            judge(&s);
            cr_expect_eq(s.outcome.status, differ);
            if (differ)
                cr_expect(strstr(text_of(&s), "      Y    ieee  fast\n      [7]  8     9     "), "%s", text_of(&s));
            if (tolerance)
                s.cas.tolerance = within(100);
            else
                s.cas.tolerance.given = false;
            judge(&s);
            if (!tolerance)
                cr_expect_str_eq(s.outcome.vacuous[0].message, "nothing was judged: results in mode ieee are judged "
                                                               "only where a tolerance is given");
            arena_reset(&s.arena);
        }
}

// Of the ring no rounding is known: other bits are another formula. Without payloads numbers are measured.
Test(builds, without_records) {
    for (int ring = 0; ring < 2; ring++)
        for (int tolerance = 0; tolerance < 2; tolerance++) {
            BuildSample s;
            open_sample(&s, 1);
            if (tolerance) s.cas.tolerance = within(0.25);
            for (uint32_t r = 0; r < s.runs.run_count; r++) {
                FpdRun *run = &s.runs.runs[r];
                run->arithmetic = fpd_arithmetic(FPD_FAMILY_ring, ring ? FPD_MODE_fpsan : FPD_MODE_ieee);
                run->tower = NULL, run->records = NULL;
            }
            judge(&s);
            cr_expect_eq(fast_of(&s)->verdict, FPD_VERDICT_IDENTICAL);
            ((float *)run_of(&s, 0, 2)->bytes[0])[7] = 9;
            const FpdComparison *fast = fast_of(&s);
            cr_expect_eq(fast->verdict, ring ? FPD_VERDICT_REWRITE : FPD_VERDICT_REPORTED);
            cr_expect_eq(fast->fails, ring || tolerance);
            arena_reset(&s.arena);
        }
}

// `expect: diverge` is about variants: a build that changes the formula fails all the same.
Test(builds, expect_diverge_excuses_no_build) {
    BuildSample s;
    open_sample(&s, 2);
    s.cas.expect_diverge = true;
    for (uint32_t b = 0; b < BUILDS; b++)
        s.records[1][b][5].component[0] ^= 1, s.records[1][b][5].component[1] ^= 1,
            s.records[1][b][5].component[2] ^= 1, s.records[1][b][5].component[3] ^= 1;
    judge(&s);
    cr_expect_eq(s.outcome.status, 0);
    set_payload(&s, 2, 9, 15, 0);
    judge(&s);
    cr_expect_eq(s.outcome.status, 1);
    arena_reset(&s.arena);
}

// ---- reports

static void expect_text(BuildSample *s, const char *expected) {
    judge(s);
    const char *text = text_of(s);
    cr_expect_str_eq(text, expected, "\n%s\n%s", text, expected);
}

Test(builds, text) {
    BuildSample s;
    open_sample(&s, 1);
    s.cas.tolerance = within(1);
    set_number(&s, 2, 9, 10.5f), set_number(&s, 2, 8, 9.5f), set_number(&s, 2, 63, 64.5f);
    expect_text(&s,
                "case.yaml\n"
                "  a  precise  IDENTICAL  the same numbers\n"
                "  a  fast     NUMERIC    3 of 302 elements (1.0 %) at most 0.5 apart (relative 0.0556, 524288 ulp), "
                "most at Y[8], a.py:41; within rtol 0, atol 1\n"
                "      from ieee  precise  fast\n"
                "      a          0 ulp    524288 ulp, 1.0 %\n"
                "  shadow memory: a 4.0 KiB\n"
                "  OK\n");
    s.cas.tolerance = within(0.25);
    expect_text(&s,
                "case.yaml\n"
                "  a  precise  IDENTICAL  the same numbers\n"
                "  a  fast     NUMERIC    3 of 302 elements (1.0 %) at most 0.5 apart (relative 0.0556, 524288 ulp), "
                "most at Y[8], a.py:41; 3 beyond rtol 0, atol 0.25\n"
                "      within Y[8:64]\n"
                "      numeric  3 of Y (1.0 %)  payloads agree, numbers differ: the same formula; the first at [8]\n"
                "      Y     ieee  fast\n"
                "      [8]   9     9.5   524288 ulp  4 of 4 fields agree\n"
                "      [9]   10    10.5  524288 ulp  4 of 4 fields agree\n"
                "      [63]  64    64.5  65536 ulp   4 of 4 fields agree\n"
                "      stored by both: a.py:41\n"
                "      from ieee  precise  fast\n"
                "      a          0 ulp    524288 ulp, 1.0 %\n"
                "  shadow memory: a 4.0 KiB\n"
                "  FAILED: 1 build changes more than the case allows\n");
    arena_reset(&s.arena);
}

// Tolerances are for floats: of integers nothing is within one. Two that are one number as doubles are 1 apart.
Test(builds, text_of_integers) {
    BuildSample s;
    open_sample(&s, 1);
    s.cas.tolerance = within(100);
    s.buffers[1].type = ELEMENT_I64, s.buffers[1].elements = 1, s.buffers[1].shape[0] = 1;
    for (uint32_t b = 0; b < BUILDS; b++) {
        const int64_t integer = INT64_MAX - 1 + (b == 2);
        memcpy(run_of(&s, 0, b)->bytes[1], &integer, 8);
    }
    judge(&s);
    cr_expect(strstr(text_of(&s), "  a  fast     DECISION   1 of 301 elements (0.3 %) at most 1 apart, most at N[0], "
                                  "a.py:43\n"),
              "%s", text_of(&s));
    cr_expect(strstr(text_of(&s), "1 apart, 0.3 %\n"), "%s", text_of(&s));
    set_number(&s, 2, 8, 9.5f);
    judge(&s);
    cr_expect(strstr(text_of(&s), ", a.py:41; within rtol 0, atol 100\n"), "%s", text_of(&s));
    arena_reset(&s.arena);
}

// A decision has a table whether it fails or not; of an integer the line is that of the code.
Test(builds, text_of_decisions) {
    BuildSample s;
    open_sample(&s, 1);
    set_number(&s, 2, 9, 10.5f), set_payload(&s, 2, 9, 15, TOWER_NEAR), set_integer(&s, 2, 1, 3);
    expect_text(&s,
                "case.yaml\n"
                "  a  precise  IDENTICAL  the same numbers\n"
                "  a  fast     DECISION   2 of 302 elements (0.7 %) at most 2 apart (relative 2, 524288 ulp), "
                "most at Y[9], a.py:41\n"
                "      decision  1 of Y (0.3 %)  a comparison, a maximum or a rounding to an integer fell otherwise; "
                "the first at [9], stored at a.py:41\n"
                "      within N[1:2]\n"
                "      decision  1 of N (50.0 %)  a comparison, a maximum or a rounding to an integer fell otherwise; "
                "more than 1 % is no accident, stored at a.py:43\n"
                "      N    ieee  fast\n"
                "      [1]  1     3\n"
                "      from ieee  precise  fast\n"
                "      a          0 ulp    524288 ulp, 0.7 %\n"
                "  shadow memory: a 4.0 KiB\n"
                "  FAILED: 1 build changes more than the case allows\n");
    arena_reset(&s.arena);
}

Test(builds, ops_that_decide_otherwise) {
    BuildSample s;
    open_sample(&s, 1);
    set_payload(&s, 2, 5, 15, 0);
    set_turns(&s, true, 2);
    judge(&s);
    cr_expect(strstr(text_of(&s), "      fell otherwise: cmpf at a.py:12, 1 time\n"
                                  "      fell otherwise: maxf at a.py:14, 2 times\n"
                                  "      from ieee"),
              "%s", text_of(&s));
    set_turns(&s, true, 5);
    judge(&s);
    cr_expect(strstr(text_of(&s), " times\n      ... and 1 more op\n"), "%s", text_of(&s));
    arena_reset(&s.arena);
}

Test(builds, text_of_rewrite_nan_and_split) {
    BuildSample s;
    open_sample(&s, 1);
    set_payload(&s, 2, 9, 15, 0), set_number(&s, 2, 3, NAN);
    run_of(&s, 0, 1)->split = "flash, score";
    judge(&s);
    const char *text = text_of(&s);
    static const char *const parts[] = {
        "  a  fast     REWRITE    1 of 302 elements (0.3 %) 1 element NaN or infinite on one side, the first at Y[3], "
        "a.py:41\n",
        "      NaN in one  1 of Y (0.3 %)  NaN in one build only\n",
        "      rewrite     1 of Y (0.3 %)  payloads differ, and no decision that fell otherwise explains it: the "
        "compiler changed the formula\n",
        "NaN or inf, 0.3 %\n",
        "  NOTE  a, precise: each fma that cuTile made in flash, score is a product and a sum again\n"};
    for (size_t i = 0; i < BASE_COUNT(parts); i++) cr_expect(strstr(text, parts[i]), "%s\n%s", parts[i], text);
    arena_reset(&s.arena);
}

static json_t *json_case(BuildSample *s) {
    Buffer text = {0};
    const FpdVersions versions = {.congruent = "0"};
    print_report(&s->outcome, 1, &versions, &text);
    json_t *root = json_loads(text.data, 0, NULL);
    cr_assert(root, "%s", text.data);
    buffer_free(&text);
    json_t *first = json_incref(json_array_get(json_object_get(root, "cases"), 0));
    json_decref(root);
    return first;
}

static void expect_json(const json_t *object, const char *key, const char *expected) {
    char *text = json_dumps(json_object_get(object, key), JSON_ENCODE_ANY | JSON_SORT_KEYS);
    cr_expect(text && !strcmp(text, expected), "%s: %s, expected %s", key, text ? text : "missing", expected);
    free(text);
}

Test(builds, json_of_ops_that_decide_otherwise) {
    BuildSample s;
    open_sample(&s, 1);
    set_payload(&s, 2, 5, 15, 0);
    set_turns(&s, true, 2);
    judge(&s);
    json_t *object = json_case(&s), *builds = json_object_get(object, "builds");
    cr_expect_null(json_object_get(json_array_get(builds, 0), "turned"));
    const json_t *turned = json_object_get(json_array_get(builds, 1), "turned"), *second = json_array_get(turned, 1);
    cr_assert_eq(json_array_size(turned), 2);
    expect_json(second, "op", "\"maxf\"");
    expect_json(second, "line", "14");
    expect_json(second, "launch", "1");
    expect_json(second, "times", "2");
    json_decref(object);
    arena_reset(&s.arena);
}

Test(builds, json) {
    BuildSample s;
    open_sample(&s, 1);
    s.cas.tolerance = within(0.25);
    set_number(&s, 2, 9, 10.5f);
    run_of(&s, 0, 1)->split = "flash";
    judge(&s);
    json_t *object = json_case(&s), *builds = json_object_get(object, "builds"), *fast = json_array_get(builds, 1);
    cr_expect_eq(json_array_size(builds), 2);
    expect_json(object, "math",
                "[{\"name\": \"ieee\", \"settings\": \"math=ieee\"}, {\"name\": \"precise\", \"settings\": "
                "\"math=precise\"}, {\"name\": \"fast\", \"settings\": \"math=fast\"}]");
    expect_json(object, "split", "[{\"build\": \"precise\", \"kernels\": \"flash\", \"variant\": \"a\"}]");
    expect_json(json_array_get(builds, 0), "verdict", "\"identical\"");
    cr_expect_null(json_object_get(json_array_get(builds, 0), "farthest"));
    expect_json(fast, "variant", "\"a\"");
    expect_json(fast, "build", "\"fast\"");
    expect_json(fast, "reference_build", "\"ieee\"");
    expect_json(fast, "mode", "\"fpsan\"");
    expect_json(fast, "verdict", "\"numeric\"");
    expect_json(fast, "fails", "true");
    expect_json(fast, "changed", "1");
    expect_json(fast, "ulps", "524288");
    expect_json(fast, "incomparable", "0");
    expect_json(fast, "beyond_tolerance", "1");
    expect_json(fast, "farthest",
                "{\"buffer\": \"Y\", \"index\": [9], \"stored\": {\"file\": \"/src/a.py\", \"kernel\": null, "
                "\"launch\": 1, \"line\": 41, \"op\": \"store_view_tko\"}}");
    cr_expect_float_eq(json_real_value(json_object_get(fast, "share")), 1 / 302.0, 1e-15);
    cr_expect_eq(json_array_size(json_object_get(fast, "buffers")), 2);
    json_decref(object);
    arena_reset(&s.arena);
}

// The matrix has a row for each variant. Pairs of variants are compared in each build.
Test(builds, matrix) {
    BuildSample s;
    open_sample(&s, 2);
    set_number(&s, 2, 9, 10.5f);
    judge(&s);
    const char *text = text_of(&s);
    cr_expect(strstr(text, "      from ieee  precise  fast\n"
                           "      a          0 ulp    524288 ulp, 0.3 %\n"
                           "      b          0 ulp    0 ulp\n"),
              "%s", text);
    cr_expect(strstr(text, "  a | b  fpsan  precise  EQUAL "), "%s", text);
    cr_expect(strstr(text, "  a | b  fpsan  fast     EQUAL "), "%s", text);
    arena_reset(&s.arena);
}

// It has each variant and each build, also where one table is too small.
Test(builds, large_matrix) {
    enum { VARIANTS = 30, MANY_BUILDS = 20 };
    Arena arena = {0};
    static const FpdStore store = {.by = {.op = "store_view_tko"}};
    FpdBuffer buffer = {"N", ELEMENT_I32, 1, {2}, 2, 8, {0}, false, {0}};
    FpdVariant variants[VARIANTS] = {{0}};
    FpdBuild builds[MANY_BUILDS] = {{0}};
    uint32_t compare[1] = {0};
    ProgramUse tiles[1] = {{0}};
    FpdCase cas = {.path = "case.yaml", .family = FPD_FAMILY_tower, .seed = 1, .algebra = fpsan_default_algebra()};
    cas.buffers = &buffer, cas.buffer_count = 1, cas.compare = compare, cas.compare_count = 1;
    cas.variants = variants, cas.variant_count = VARIANTS;
    cas.builds = builds, cas.build_count = cas.run_build_count = MANY_BUILDS;
    cas.modes[0] = FPD_MODE_ieee, cas.mode_count = 1;
    for (uint32_t v = 0; v < VARIANTS; v++) variants[v].name = arena_format(&arena, "v%u", v);
    for (uint32_t b = 0; b < MANY_BUILDS; b++) builds[b].name = arena_format(&arena, "b%u", b);
    FpdRuns runs = fpd_plan_runs(&arena, &cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
    runs.tiles = tiles;
    for (uint32_t v = 0; v < VARIANTS; v++)
        for (uint32_t b = 0; b < MANY_BUILDS; b++) {
            FpdRun *run = fpd_find_build_run(&runs, FPD_MODE_ieee, v, b);
            run->stores = &store, run->store_count = 1;
            run->bytes = arena_array(&arena, uint8_t *, 1);
            run->bytes[0] = arena_alloc(&arena, 8);
            run->unwritten = arena_array(&arena, uint64_t, 1), run->first_unwritten = arena_array(&arena, uint64_t, 1);
            ((int32_t *)run->bytes[0])[1] = b ? (int32_t)(1000 * v + b) : 0;
        }
    FpdOutcome outcome = {.path = cas.path};
    fpd_plan_comparisons(&arena, &cas, &runs, &outcome);
    fpd_judge(&arena, &outcome);
    Buffer text = {0};
    fpd_print_outcome(&outcome, false, &text);
    const char *matrix = strstr(text.data, "      from b0");
    cr_assert(matrix);
    for (uint32_t v = 0; v < VARIANTS; v++)
        for (uint32_t b = 1; b < MANY_BUILDS; b++)
            cr_expect(strstr(matrix, arena_format(&arena, " %.3g apart, 50.0 %%", 1000.0 * v + b)), "v%u b%u", v, b);
    for (uint32_t b = 1; b < MANY_BUILDS; b++) cr_expect(strstr(matrix, builds[b].name), "%s", builds[b].name);
    for (uint32_t v = 0; v < VARIANTS; v++)
        cr_expect(strstr(matrix, arena_format(&arena, "      %s ", variants[v].name)), "%s", variants[v].name);
    buffer_free(&text);
    arena_reset(&arena);
}

// ---- with kernels: splits, culprits, launches of their own build, scopes

#define CROSS                                                                                                          \
    "buffers:\n  X: {type: f32, shape: [256], fill: {normal: {mean: 0, std: 1}}}\n"                                    \
    "  Y: {type: f32, shape: [256], fill: {normal: {mean: 0, std: 1}}}\n"                                              \
    "  W: {type: i32, shape: [256], fill: {integers: {low: 0, high: 1}}}\n"                                            \
    "  Z: {type: f32, shape: [256]}\ncompare: [Z]\ntolerance: {ieee: {rtol: 1.0e-6}}\n"                                \
    "variants:\n  a: [{module: " SOURCE_DIR "/examples/modes/cross.tileirbc, grid: [4], args: [X, Y, W, Z]"

static const FpdCulprit *find_culprit(const FpdComparison *comparison, const char *name) {
    for (uint32_t i = 0; i < comparison->culprit_count; i++)
        if (!strcmp(comparison->culprits[i].name, name)) return &comparison->culprits[i];
    cr_assert_fail("no culprit %s", name);
    return NULL;
}

Test(builds, culprits_of_a_cross_product) {
    Session s;
    session_run(&s, 2, "tower", "math: [strict, precise, fast]\n" CROSS "}]\n");
    const FpdRunner runner = session_runner(&s);
    cr_assert(fpd_find_culprits(&runner, &s.outcome));
    cr_assert_eq(s.outcome.comparison_count, 2); // of each further build with the first; in mode ieee there is no more
    const FpdComparison *precise = &s.outcome.comparisons[0], *fast = &s.outcome.comparisons[1];
    cr_assert_eq(fast->right->build, 2);
    cr_expect(precise->verdict == FPD_VERDICT_IDENTICAL && !precise->culprit_count);
    cr_expect(fast->verdict == FPD_VERDICT_NUMERIC && fast->fails);
    static const char *const blamed[] = {"contract", "fma kept"}, *const others[] = {"reassoc", "afn", "ftz", "nsz"};
    for (size_t i = 0; i < BASE_COUNT(blamed); i++)
        cr_expect(find_culprit(fast, blamed[i])->comparison->fails, "%s", blamed[i]);
    for (size_t i = 0; i < BASE_COUNT(others); i++)
        cr_expect_eq(find_culprit(fast, others[i])->comparison->verdict, FPD_VERDICT_IDENTICAL, "%s", others[i]);
    cr_expect_str_eq(fpd_find_build_run(&s.runs, FPD_MODE_fpsan, 0, 0)->split, "cross");
    cr_expect_str_eq(fpd_find_build_run(&s.runs, FPD_MODE_fpsan, 0, 1)->split, "cross");
    cr_expect_null(fpd_find_build_run(&s.runs, FPD_MODE_fpsan, 0, 2)->split);
    session_close(&s);
}

// What strict clears is a licence, too.
Test(builds, written_flags) {
    Session s;
    session_run(&s, 2, "tower",
                "math: [strict, ieee]\ntolerance: {ieee: {}}\ncompare: [Z]\nbuffers:\n"
                "  X: {type: f32, shape: [64], fill: {normal: {mean: 0, std: 1}}}\n"
                "  Z: {type: f32, shape: [64]}\n"
                "variants: {a: [{module: " SOURCE_DIR "/tests/cases/modes/kernels.mlir, kernel: written, grid: [1], "
                "args: [X.ptr, Z.ptr]}]}\n");
    const FpdRunner runner = session_runner(&s);
    cr_assert(fpd_find_culprits(&runner, &s.outcome));
    const FpdComparison *ieee = &s.outcome.comparisons[0];
    cr_expect(ieee->verdict == FPD_VERDICT_NUMERIC && ieee->fails);
    cr_expect_eq(ieee->culprit_count, 1);
    cr_expect(find_culprit(ieee, "flags as written")->comparison->fails);
    session_close(&s);
}

// A launch with a build of its own runs in it in each build.
Test(builds, pinned_launch) {
    Session s;
    session_run(&s, 2, "tower", "math: [ieee, fast]\n" CROSS ", math: strict}]\n");
    cr_expect_eq(s.outcome.status, 0);
    cr_expect_eq(s.outcome.comparisons[0].verdict, FPD_VERDICT_IDENTICAL);
    cr_expect_eq(s.outcome.comparisons[0].right->build, 1);
    cr_expect_str_eq(fpd_find_build_run(&s.runs, FPD_MODE_fpsan, 0, 1)->split, "cross");
    session_close(&s);
}
