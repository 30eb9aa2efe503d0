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
    fpd_put(s, &text);
    buffer_free(&text);
}

// A comparison of all variants, and what it needs.
typedef struct Comparing {
    Arena arena;
    Diagnostics errors;
    FpdCase *cas;
    FpdRuns *runs;
    FpdOutcome outcome;
    json_t *contents; // of its files
} Comparing;

static void close_comparing(Comparing *c) {
    arena_reset(&c->arena);
    diagnostics_close(&c->errors);
    json_decref(c->contents);
}

// What a comparison is made for.
typedef enum Purpose {
    RUN,    // of --runs
    LOOK,   // a second look at ties: of formulas alone
    LOOK_ON // what such a look has found, in full
} Purpose;

// Data and fields of run `nth`, which are fresh; a second look stays in its fields. SplitMix64.
static void choose_run(FpdCase *cas, uint32_t nth, Purpose purpose) {
    uint64_t z = cas->seed + nth * UINT64_C(0x9e3779b97f4a7c15);
    if (!nth) return;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    cas->seed = z ^ z >> 31;
    if (purpose == RUN) cas->chain = (cas->chain + nth) % TOWER_CHAINS;
}

// What the maps of a case may take. Few cases make a page below 2 MB, 400 one below 20 MB; the reports of many more
// stay in memory, and the page leaves some of their maps out.
static size_t map_bytes(const FpdSession *s) {
    enum { FEW = 2500000, EACH = 36000, ALL = 40000000 };
    const uint64_t tasks = s->task_total;
    if (!s->options.reports[REPORT_html] && !s->options.maps) return 0;
    const uint64_t share = FEW / tasks > EACH ? FEW / tasks : EACH;
    return share < ALL / tasks ? share : ALL / tasks;
}

// All that a report says beside the verdicts.
static bool tell_more(const FpdSession *s, const FpdRunner *runner, FpdOutcome *outcome) {
    bool good = true;
    fpd_find_certainty(runner, outcome);
    outcome->all_ranges = s->options.range;
    fpd_find_ranges(runner->arena, outcome);
    fpd_find_reached(runner, outcome);
    if (s->options.accuracy || outcome->cas->asks_accuracy) fpd_find_accuracy(runner, outcome);
    fpd_explain(runner, outcome);
    if (outcome->builds_failed) good = fpd_find_culprits(runner, outcome);
    return good && (!s->options.reroll || fpd_reroll(runner, outcome));
}

// `builds`: of LOOK, how many run.
static void compare_once(FpdSession *s, const FpdTask *task, uint32_t nth, Purpose purpose, uint32_t builds,
                         Comparing *c) {
    FILE *output;
    FpdParameters parameters;
    *c = (Comparing){.runs = NULL};
    FpdPrograms *programs = fpd_session_load(s, &c->errors, &c->arena, task, &c->cas, &parameters);
    c->contents = fpd_json_contents(task->path, c->cas);
    const FpdRunner runner = {&c->errors, &c->arena, &s->machine, programs};
    FpdOutcome *outcome = &c->outcome;
    c->runs = arena_new(&c->arena, FpdRuns);
    *outcome = (FpdOutcome){.cas = c->cas,
                            .path = task->path,
                            .parameters = parameters,
                            .errors = &c->errors,
                            .several_seeds = s->options.seed_count > 1,
                            .map_bytes = map_bytes(s)};
    outcome->second_look = purpose != RUN;
    if (s->options.run_count > 1 && purpose == RUN) outcome->run = nth + 1, outcome->run_count = s->options.run_count;
    bool good = programs && fpd_session_open(s, &c->errors, c->cas);
    output = s->machine.output;
    const bool races = s->machine.races;
    if (purpose == LOOK) s->machine.races = false; // with the case's own data they were looked for
    if (nth) s->machine.output = NULL;             // what kernels print was shown the first time
    if (good) {
        outcome->own_seed = c->cas->seed;
        choose_run(c->cas, nth, purpose);
        if (purpose == LOOK) fpd_look_at_formulas(c->cas, builds);
        fpd_see_forms(programs, outcome);
        *c->runs = fpd_plan_runs(&c->arena, c->cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
        fpd_plan_comparisons(&c->arena, c->cas, c->runs, outcome);
        if (purpose == LOOK) fpd_look_at_pairs(outcome);
        good = fpd_run_case(&runner, true, c->runs);
    }
    outcome->target = describe_target(s, &c->arena);
    if (good) fpd_find_unspecified(&runner, c->runs);
    good = good && fpd_run_second(&runner, c->runs, outcome);
    if (good) fpd_judge(&c->arena, outcome);
    if (good && purpose != LOOK) good = tell_more(s, &runner, outcome);
    if (!good) outcome->status = fpd_worse(outcome->status, fpd_exit_status(&c->errors));
    s->machine.output = output;
    s->machine.races = races;
    fpd_programs_close(programs);
}

// Whether no further run can change the result: something diverges, or fails although nothing should. What only the
// spare chains do not know is no failure: they lack roots of unity that the first one has.
static bool is_decided(const FpdOutcome *outcome) {
    const bool vacuous = fpd_vacuous_reason(outcome);
    if (!outcome->judged || outcome->diverged || outcome->races || outcome->misuses || outcome->schedules ||
        outcome->builds_failed)
        return true;
    if (outcome->cas->chain && outcome->unknown && !vacuous) return false;
    return outcome->status && !outcome->cas->expect_diverge;
}

static void replace(Comparing *first, const Comparing *next) {
    close_comparing(first);
    *first = *next;
    first->outcome.errors = &first->errors;
}

// A second look at pairs that are equal with ties. What it finds to be another formula is reported instead, in full.
static void look_again(FpdSession *s, const FpdTask *task, Comparing *first) {
    if (!first->outcome.judged || is_decided(&first->outcome) || !fpd_plan_look(&first->arena, &first->outcome)) return;
    const uint32_t builds = fpd_look_builds(&first->outcome);
    for (uint32_t nth = s->options.run_count; nth < s->options.run_count + FPD_LOOKS; nth++) {
        Comparing next;
        compare_once(s, task, nth, LOOK, builds, &next);
        const bool diverges = next.outcome.judged && fpd_look_diverges(&next.outcome);
        if (next.outcome.judged && !diverges) fpd_add_look(&first->outcome, &next.outcome);
        close_comparing(&next);
        if (!diverges) continue;
        compare_once(s, task, nth, LOOK_ON, 0, &next);
        replace(first, &next);
        return;
    }
}

// All runs of the task. The one that decides is reported; if none does the first one, which the others make surer.
static void compare_runs(FpdSession *s, const FpdTask *task, Comparing *first) {
    compare_once(s, task, 0, RUN, 0, first);
    for (uint32_t nth = 1; nth < s->options.run_count && !is_decided(&first->outcome); nth++) {
        Comparing next;
        compare_once(s, task, nth, RUN, 0, &next);
        if (is_decided(&next.outcome)) {
            replace(first, &next);
            return;
        }
        fpd_add_certainty(&first->outcome, &next.outcome);
        close_comparing(&next);
    }
    first->outcome.run = 0;
    look_again(s, task, first);
}

static json_t *compare(FpdSession *s, const FpdTask *task) {
    Comparing c;
    const uint32_t unopened = s->unopened;
    compare_runs(s, task, &c);
    put_outcome(s, task, &c.outcome);
    if (c.cas) fpd_put_warnings(s, c.cas, c.runs);
    fpd_put_errors(s, unopened, &c.errors);
    if (s->host && s->host->see_outcome) s->host->see_outcome(s->host->data, &c.outcome);
    json_t *result = fpd_json_case(&c.outcome);
    json_object_set(result, "contents", c.contents);
    if (map_bytes(s)) report_add_sources(result, s->options.source_root);
    close_comparing(&c);
    return result;
}

int fpd_command_compare(FpdSession *session) {
    return fpd_run_tasks(session, compare);
}
