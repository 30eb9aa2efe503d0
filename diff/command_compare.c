// SPDX-License-Identifier: Apache-2.0
// fpdiff CASE.yaml...: compares the variants of cases.
#include "diff/command.h"

#include <string.h>

static const char *describe_target(const FpdSession *s, Arena *arena) {
    const FpdMachine *m = &s->machine;
    if (!m->device || m->target == FPD_TARGET_host) return NULL;
    const char *device = rt_description(m->device);
    return arena_format(arena, "%s: %s", fpd_target_name(m->target),
                        device ? device : arena_format(arena, "code for %s on the host", m->gpu));
}

static void put_outcome(const FpdSession *s, const FpdTask *task, const FpdOutcome *outcome) {
    Buffer text = {0};
    if (s->options.quiet) return;
    if (task->number >= s->options.shard_count) buffer_print(&text, "\n"); // not the first
    fpd_print_outcome(outcome, s->color, &text);
    fpd_put(&text);
    buffer_free(&text);
}

static json_t *compare(FpdSession *s, const FpdTask *task) {
    Arena arena = {0};
    Diagnostics errors = {0};
    FpdCase *cas;
    FpdRuns *runs = arena_new(&arena, FpdRuns);
    FpdParameters parameters;
    const FpdRunner runner = {&errors, &arena, &s->machine,
                              fpd_session_load(s, &errors, &arena, task, &cas, &parameters)};
    FpdOutcome outcome = {.cas = cas,
                          .path = task->path,
                          .parameters = parameters,
                          .errors = &errors,
                          .several_seeds = s->options.seed_count > 1};
    bool good = runner.programs && fpd_session_open(s, &errors, cas);
    if (good) {
        fpd_see_forms(runner.programs, &outcome);
        *runs = fpd_plan_runs(&arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
        fpd_plan_comparisons(&arena, cas, runs, &outcome);
        good = fpd_run_case(&runner, true, runs);
    }
    outcome.target = describe_target(s, &arena);
    if (good) fpd_find_unspecified(&runner, runs);
    good = good && fpd_run_second(&runner, runs, &outcome);
    if (good) fpd_judge(&arena, &outcome);
    if (good) fpd_explain(&runner, &outcome);
    if (good && outcome.builds_failed) good = fpd_find_culprits(&runner, &outcome);
    if (good && s->options.reroll) good = fpd_reroll(&runner, &outcome);
    if (!good) outcome.status = fpd_worse(outcome.status, fpd_exit_status(&errors));
    fpd_programs_close(runner.programs);
    put_outcome(s, task, &outcome);
    if (cas) fpd_put_warnings(cas, runs);
    diagnostics_print(&errors);
    json_t *result = fpd_json_case(&outcome);
    arena_reset(&arena);
    diagnostics_close(&errors);
    return result;
}

int fpd_command_compare(FpdSession *session) {
    Report report = {0};
    FpdTasks tasks;
    Diagnostics diagnostics = {0};
    int status = 2;
    if (fpd_plan_tasks(&diagnostics, &session->arena, &session->options, &tasks)) {
        status = fpd_supervise(session, &tasks, compare, &report);
        status = fpd_worse(status, fpd_write_reports(session, &report));
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    report_close(&report);
    return status;
}
