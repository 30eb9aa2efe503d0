// SPDX-License-Identifier: Apache-2.0
// fpdiff explain: where the bug is.
#include "diff/command.h"
#include "diff/locate.h"

enum { SECONDS = 10 }; // for a search, unless --seconds says otherwise

static bool is_located(const FpdComparison *comparison) {
    return comparison->question == FPD_QUESTION_formula && comparison->verdict == FPD_VERDICT_DIVERGED;
}

static void put_located(const FpdSession *s, const FpdTask *task, const FpdCase *cas, const FpdLocated *located,
                        uint32_t count) {
    Buffer text = {0};
    if (s->options.quiet) return;
    if (task->number >= s->options.shard_count) buffer_print(&text, "\n"); // not the first
    buffer_print(&text, "%s%s%s\n", task->path, cas->title ? ": " : "", cas->title ? cas->title : "");
    for (uint32_t i = 0; i < count; i++) fpd_print_located(cas, &located[i], &text);
    if (!count) buffer_print(&text, "  nothing to explain: no pair diverges\n");
    fpd_put(&text);
    buffer_free(&text);
}

static json_t *explain(FpdSession *s, const FpdTask *task) {
    Arena arena = {0};
    Diagnostics errors = {0};
    FpdCase *cas;
    FpdParameters parameters;
    FpdRuns *runs = arena_new(&arena, FpdRuns);
    const FpdLocateOptions options = {.seconds = s->options.seconds > 0 ? s->options.seconds : SECONDS};
    if (!s->options.has_optimize) s->options.has_optimize = true, s->options.optimize = 0; // compiling takes longest
    const FpdRunner runner = {&errors, &arena, &s->machine,
                              fpd_session_load(s, &errors, &arena, task, &cas, &parameters)};
    json_t *contents = fpd_json_contents(task->path, cas);
    FpdOutcome outcome = {.cas = cas, .path = task->path, .parameters = parameters, .errors = &errors};
    bool good = runner.programs && fpd_session_open(s, &errors, cas);
    if (good) {
        *runs = fpd_plan_runs(&arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
        fpd_plan_comparisons(&arena, cas, runs, &outcome);
        good = fpd_run_case(&runner, true, runs);
    }
    if (good) fpd_find_unspecified(&runner, runs);
    good = good && fpd_run_second(&runner, runs, &outcome);
    if (good) fpd_judge(&arena, &outcome);
    json_t *pairs = json_array();
    FpdLocated *located = arena_array(&arena, FpdLocated, outcome.comparison_count + 1u);
    uint32_t count = 0;
    for (uint32_t i = 0; good && i < outcome.comparison_count; i++) {
        if (!is_located(&outcome.comparisons[i])) continue;
        fpd_locate(&runner, &outcome, &outcome.comparisons[i], &options, &located[count]);
        json_array_append_new(pairs, fpd_json_located(cas, &located[count++]));
    }
    if (good) put_located(s, task, cas, located, count);
    outcome.status = good ? 0 : fpd_exit_status(&errors);
    fpd_programs_close(runner.programs);
    diagnostics_print(&errors);
    json_t *result = fpd_json_case(&outcome);
    json_object_set_new(result, "contents", contents);
    json_object_set_new(result, "explained", pairs);
    arena_reset(&arena);
    diagnostics_close(&errors);
    return result;
}

int fpd_command_explain(FpdSession *session) {
    return fpd_run_tasks(session, explain);
}
