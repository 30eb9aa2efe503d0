// SPDX-License-Identifier: Apache-2.0
// What launches find wrong with blocks that have parts: the verdict, and what reports say. The runtime's own tests are
// about what it finds; here it is given.
#include "report/report_internal.h"
#include "tests/diff/session.h"

#define KERNELS SOURCE_DIR "/tests/cases/parts/parts.mlir"
#define CASE                                                                                                           \
    "buffers:\n  X: {type: f32, shape: [4], fill: {normal: {mean: 0, std: 1}}}\n  Y: {type: f32, shape: [4]}\n"        \
    "variants:\n  plain: [{module: " KERNELS ", kernel: plain, grid: [1], args: [X, Y]}]\n"                            \
    "  copied: [{module: " KERNELS ", kernel: copied, grid: [1], args: [X, Y]}]\ncompare: [Y]\nmodes: [fpsan, ieee]\n"

static void find(Session *s, uint32_t run, uint32_t line) {
    static const RtFinding finding = {.message = "one\nof two is wrong", .kind = RT_FINDING_RACE, .block = 5};
    RtFindings found = {.count = 1, .items = {finding}};
    found.items[0].at = (Location){.file = "k.py", .line = line, .column = 3};
    found.items[0].other = (Location){.file = "k.py", .line = 7};
    const RtLaunch launch = {.name = "copied", .grid = {2, 3, 1}, .findings = &found};
    cr_assert(s->runs.runs[run].findings);
    fpd_keep_findings(&s->arena, &launch, 0, s->runs.runs[run].findings);
}

static void judge_again(Session *s) {
    const FpdPrograms *programs = s->programs;
    s->outcome = (FpdOutcome){.path = "case.yaml"};
    fpd_see_forms(programs, &s->outcome);
    fpd_plan_comparisons(&s->arena, programs->cas, &s->runs, &s->outcome);
    fpd_judge(&s->arena, &s->outcome);
}

static char *text_of(Session *s) {
    Buffer out = {0};
    fpd_print_outcome(&s->outcome, false, &out);
    char *text = arena_text(&s->arena, (const char *)out.data, out.size);
    buffer_free(&out);
    return text;
}

static uint32_t run_of(const Session *s, const char *variant, const char *mode) {
    for (uint32_t r = 0; r < s->runs.run_count; r++)
        if (!strcmp(s->outcome.cas->variants[s->runs.runs[r].variant].name, variant) &&
            !strcmp(fpd_mode_name(s->runs.runs[r].mode), mode))
            return r;
    cr_assert(false, "%s, %s", variant, mode);
    return 0;
}

Test(findings, none) {
    Session s;
    session_run(&s, 1, "tower", CASE);
    judge_again(&s);
    const char *text = text_of(&s);
    cr_expect_eq(s.outcome.status, 0, "%s", text);
    cr_expect(strstr(text, "  blocks have parts; races between such blocks are not looked for\n"), "%s", text);
    session_close(&s);
}

Test(findings, are_a_failure) {
    Session s;
    session_run(&s, 1, "tower", CASE);
    find(&s, run_of(&s, "copied", "fpsan"), 12);
    find(&s, run_of(&s, "copied", "fpsan"), 14);
    judge_again(&s);
    cr_expect_eq(s.outcome.status, 1);
    const char *text = text_of(&s);
    cr_expect(strstr(text, "  plain | copied  fpsan  MISUSE "), "%s", text);
    cr_expect(strstr(text, "  k.py:12:3: error: variant copied, launch 1, block (1, 2, 0): one?of two is wrong\n"
                           "  k.py:7: note: the other of the two\n"
                           "  k.py:14:3: error: variant copied"),
              "%s", text);
    cr_expect(strstr(text, "FAILED: 2 pairs have misuse\n"), "%s", text);
    json_t *cas = fpd_json_case(&s.outcome), *findings = json_object_get(cas, "findings");
    cr_expect_str_eq(json_string_value(json_object_get(cas, "race_check")), "not looked for");
    const json_t *first = json_array_get(findings, 0);
    cr_expect_str_eq(json_string_value(json_object_get(first, "variant")), "copied");
    cr_expect_str_eq(json_string_value(json_object_get(first, "kind")), "race");
    cr_expect_str_eq(json_string_value(json_object_get(first, "file")), "k.py");
    cr_expect_eq(json_integer_value(json_object_get(first, "line")), 12);
    cr_expect_eq(json_integer_value(json_object_get(json_object_get(first, "other"), "line")), 7);
    Arena arena = {0};
    const ReportFindings all = report_find(&arena, cas);
    cr_assert_eq(all.count, 2, "each mode and pair once: %zu", all.count);
    cr_expect(all.items[0].rule == REPORT_RULE_misuse && all.items[0].level == REPORT_ERROR);
    cr_expect(all.items[0].at.line == 12 && all.items[0].related_count == 1 && all.items[0].related[0].line == 7);
    arena_reset(&arena);
    json_decref(cas);
    session_close(&s);
}

Test(findings, may_be_expected) {
    Session s;
    session_run(&s, 1, "tower", CASE "expect: diverge\n");
    cr_expect_eq(s.outcome.status, 1);
    find(&s, run_of(&s, "copied", "fpsan"), 12);
    judge_again(&s);
    cr_expect_eq(s.outcome.status, 0, "%s", text_of(&s));
    session_close(&s);
}

// Runs that are made again for other reasons do not look for them anew.
Test(findings, of_one_run) {
    Session s;
    session_run(&s, 1, "tower", CASE);
    const uint32_t plain = run_of(&s, "plain", "fpsan");
    cr_expect_not(fpd_has_findings(&s.runs.runs[plain]));
    find(&s, run_of(&s, "copied", "fpsan"), 12);
    cr_expect(fpd_has_findings(&s.runs.runs[run_of(&s, "copied", "ieee")]), "its numbers are those of mode fpsan");
    session_close(&s);
}
