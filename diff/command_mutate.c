// SPDX-License-Identifier: Apache-2.0
// fpdiff mutate CASE.yaml: how strong is the case?
#include "diff/command.h"
#include "diff/mutate.h"

#include <stdlib.h>

static int write_json(const FpdSession *s, Diagnostics *diagnostics, const FpdMutation *mutation) {
    json_t *root = fpd_json_mutation(mutation, s->options.threshold);
    char *text = json_dumps(root, JSON_INDENT(2));
    Buffer out = {0};
    buffer_print(&out, "%s\n", text);
    const int status = fpd_write_text(diagnostics, s->options.reports[REPORT_json], &out) ? 0 : 2;
    buffer_free(&out);
    free(text);
    json_decref(root);
    return status;
}

static int report(const FpdSession *s, Diagnostics *diagnostics, const FpdMutation *mutation) {
    const bool weak = !mutation->as_expected || fpd_mutation_score(mutation) < s->options.threshold;
    if (!s->options.quiet) {
        Buffer text = {0};
        fpd_print_mutation(mutation, &text);
        fpd_put(&text);
        buffer_free(&text);
    }
    return fpd_worse(weak, s->options.reports[REPORT_json] ? write_json(s, diagnostics, mutation) : 0);
}

enum { OTHERS_MAX = 6 };

// The case with other combinations of its parameters, for survivors. False and diagnostics if one cannot be read.
static bool load_others(FpdSession *s, Diagnostics *diagnostics, Arena *arena, FpdMutationOptions *options) {
    FpdTask task = {.path = s->options.cases[0]};
    const uint32_t count = s->options.quick ? 1 : fpd_count_combinations(task.path, &s->options.set);
    FpdMutationOther *others = arena_array(arena, FpdMutationOther, OTHERS_MAX);
    options->others = others;
    for (task.combination = 1; task.combination < count && options->other_count < OTHERS_MAX; task.combination++) {
        FpdCase *cas;
        FpdParameters parameters;
        FpdPrograms *programs = fpd_session_load(s, diagnostics, arena, &task, &cas, &parameters);
        if (!programs) return false;
        others[options->other_count++] = (FpdMutationOther){programs, fpd_parameters_text(arena, &parameters)};
    }
    return true;
}

int fpd_command_mutate(FpdSession *s) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdCase *cas;
    FpdMutation mutation = {0};
    FpdMutationOptions options = {.shard = s->options.shard, .shard_count = s->options.shard_count};
    const FpdTask task = {.path = s->options.cases[0]};
    const FpdRunner runner = {&diagnostics, &arena, &s->machine,
                              fpd_session_load(s, &diagnostics, &arena, &task, &cas, NULL)};
    int status = 0;
    if (runner.programs && load_others(s, &diagnostics, &arena, &options) && fpd_session_open(s, &diagnostics, cas) &&
        fpd_mutate_case(&runner, &options, &mutation))
        status = report(s, &diagnostics, &mutation);
    fpd_close_mutants(&s->machine, mutation.mutants);
    for (uint32_t i = 0; i < options.other_count; i++) fpd_programs_close(options.others[i].programs);
    fpd_programs_close(runner.programs);
    diagnostics_print(&diagnostics);
    status = fpd_worse(status, fpd_exit_status(&diagnostics));
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return status;
}
