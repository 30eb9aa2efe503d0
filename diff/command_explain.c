// SPDX-License-Identifier: Apache-2.0
// fpdiff explain: where the bug is.
#include "diff/command.h"
#include "diff/locate.h"

enum { SECONDS = 10 }; // for a search, unless --seconds says otherwise

static bool is_located(const FpdComparison *comparison) {
    return comparison->question == FPD_QUESTION_formula && comparison->verdict == FPD_VERDICT_DIVERGED;
}

// Comparisons that diverge in another way, or race, as text and as JSON.
static json_t *list_unexplained(const FpdOutcome *outcome, Buffer *text) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *c = &outcome->comparisons[i];
        const char *why = fpd_unexplained(outcome, c), *left = outcome->cas->variants[c->left->variant].name,
                   *right = outcome->cas->variants[c->right->variant].name;
        char mode[FPD_MODE_TEXT_SIZE];
        if (!why) continue;
        fpd_comparison_mode(c, mode);
        if (c->question == FPD_QUESTION_builds)
            buffer_print(text, "  %s (%s)  not explained: %s\n", right, fpd_build_name(outcome->cas, c->right->build),
                         why);
        else
            buffer_print(text, "  %s | %s (%s)  not explained: %s\n", left, right, mode, why);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:s}", "reference", left, "variant", right, "mode", mode,
                                        "build", fpd_build_name(outcome->cas, c->right->build), "why", why));
    }
    return list;
}

static void put_located(const FpdSession *s, const FpdTask *task, const FpdCase *cas, const FpdLocated *located,
                        uint32_t count, const Buffer *unexplained) {
    Buffer text = {0};
    if (s->options.quiet) return;
    if (task->number >= s->options.shard_count) buffer_print(&text, "\n"); // not the first
    buffer_print(&text, "%s%s%s\n", task->path, cas->title ? ": " : "", cas->title ? cas->title : "");
    for (uint32_t i = 0; i < count; i++) fpd_print_located(cas, &located[i], &text);
    if (unexplained->size) buffer_append(&text, unexplained->data, unexplained->size);
    if (!count) buffer_print(&text, "  nothing to explain: no pair diverges in payloads\n");
    fpd_put(s, &text);
    buffer_free(&text);
}

static json_t *explain(FpdSession *s, const FpdTask *task) {
    const uint32_t unopened = s->unopened;
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
    Buffer text = {0};
    json_t *unexplained = good ? list_unexplained(&outcome, &text) : json_array();
    if (good) put_located(s, task, cas, located, count, &text);
    buffer_free(&text);
    outcome.status = good ? 0 : fpd_exit_status(&errors);
    fpd_programs_close(runner.programs);
    fpd_put_errors(s, unopened, &errors);
    json_t *result = fpd_json_case(&outcome);
    json_object_set_new(result, "contents", contents);
    json_object_set_new(result, "explained", pairs);
    json_object_set_new(result, "not_explained", unexplained);
    arena_reset(&arena);
    diagnostics_close(&errors);
    return result;
}

int fpd_command_explain(FpdSession *session) {
    return fpd_run_tasks(session, explain);
}
