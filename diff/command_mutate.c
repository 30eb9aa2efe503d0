// SPDX-License-Identifier: Apache-2.0
// fpdiff mutate CASE.yaml: how strong is the case? Mutants are listed here and tried by a child, which says at once
// what became of each: a report can be written of those that were tried, whatever ends the child.
#include "diff/child.h"
#include "diff/command.h"
#include "diff/mutate.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Mutate {
    FpdSession *session;
    Diagnostics diagnostics;
    Arena arena;
    FpdPrograms *programs;
    FpdMutation mutation;
    FpdMutationOptions options;
    FpdTasks tasks; // for their key
    json_t *head;   // of the session of the child; NULL: not known yet
    FpdWatch watch;
    FpdChild child;           // of this process, or this process as it sees itself
    pthread_mutex_t sending;  // in the child
    bool crashed;             // the child did
    const char *interruption; // why mutants were not tried
    int status;
} Mutate;

// ---- the child ------------------------------------------------------------------------------------------------------

static void send_run(void *context, const FpdMutation *mutation) {
    Mutate *m = context;
    json_t *names = json_array();
    for (uint32_t d = 1; d < mutation->data_count; d++)
        json_array_append_new(names, fpd_json_text(mutation->data_names[d]));
    fpd_child_send(&m->child, json_pack("{s:o, s:b, s:o}", "head", fpd_session_head(m->session), "asExpected",
                                        (int)mutation->as_expected, "data", names));
}

static void send_mutant(void *context, uint32_t index, const FpdMutantResult *result) {
    Mutate *m = context;
    pthread_mutex_lock(&m->sending);
    fpd_child_send(&m->child, json_pack("{s:I, s:i, s:o}", "mutant", (json_int_t)index, "class", (int)result->class,
                                        "reason", fpd_json_text(result->reason)));
    pthread_mutex_unlock(&m->sending);
}

static void try_all(Mutate *m) {
    const FpdMutationListener listener = {m, send_run, send_mutant};
    const FpdRunner runner = {&m->diagnostics, &m->arena, &m->session->machine, m->programs};
    pthread_mutex_init(&m->sending, NULL);
    if (fpd_session_open(m->session, &m->diagnostics, m->programs->cas))
        fpd_try_mutants(&runner, &m->options, &listener, &m->mutation);
    pthread_mutex_destroy(&m->sending);
}

// ---- its parent -----------------------------------------------------------------------------------------------------

static void take_result(Mutate *m, const json_t *result) {
    size_t d;
    json_t *name;
    FpdMutation *mutation = &m->mutation;
    const json_t *mutant = json_object_get(result, "mutant");
    if (mutant) {
        const char *reason = json_string_value(json_object_get(result, "reason"));
        mutation->results[json_integer_value(mutant)] = (FpdMutantResult){
            (FpdMutantClass)json_integer_value(json_object_get(result, "class")), arena_keep(&m->arena, reason)};
        mutation->tried_count++;
        return;
    }
    m->head = json_incref(json_object_get(result, "head"));
    mutation->has_run = true;
    mutation->as_expected = json_is_true(json_object_get(result, "asExpected"));
    json_array_foreach(json_object_get(result, "data"), d, name) {
        mutation->data_names[d + 1] = arena_keep(&m->arena, json_string_value(name));
        mutation->data_count = (uint32_t)d + 2;
    }
}

// Takes what the child says until it has nothing more to say.
static void take_rest(Mutate *m) {
    for (json_t *result; (result = fpd_child_read(&m->child)); json_decref(result)) take_result(m, result);
}

static void interrupt(Mutate *m) {
    m->interruption = "interrupted";
    m->status = REPORT_STATUS_INTERRUPTED;
}

static void end_child(Mutate *m) {
    const int status = fpd_child_end(&m->child, false);
    if (m->interruption) return;
    if (WIFEXITED(status)) {
        m->status = WEXITSTATUS(status);
        if (m->status) m->interruption = "an error came first";
    } else if (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM) {
        interrupt(m);
    } else {
        m->crashed = true;
        m->interruption =
            arena_format(&m->arena, "the process that tried them ended by signal: %s", strsignal(WTERMSIG(status)));
        diag_fail(&m->diagnostics, (Location){.file = m->programs->cas->path}, E_RUNTIME, "%s", m->interruption);
        m->status = fpd_exit_status(&m->diagnostics);
    }
}

// Until the child has ended, or has been ended by a signal.
static void listen_to_child(Mutate *m) {
    FpdEvent event;
    while ((event = fpd_child_wait(&m->watch, &m->child, 0)) == FPD_EVENT_RESULT) {
        json_t *result = fpd_child_read(&m->child);
        if (!result) break;
        take_result(m, result);
        json_decref(result);
    }
    if (event == FPD_EVENT_SIGNAL) {
        interrupt(m);
        kill(m->child.pid, SIGKILL);
        take_rest(m);
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K"); // what the child has drawn
    }
    end_child(m);
}

// ---- reports --------------------------------------------------------------------------------------------------------

static int write_json(const FpdSession *s, Diagnostics *diagnostics, const json_t *report) {
    char *text = json_dumps(report, JSON_INDENT(2));
    Buffer out = {0};
    buffer_print(&out, "%s\n", text);
    const int status = fpd_write_text(s, diagnostics, s->options.reports[REPORT_json], &out) ? 0 : 2;
    buffer_free(&out);
    free(text);
    return status;
}

int fpd_put_mutation(const FpdSession *s, Diagnostics *diagnostics, const json_t *report) {
    const json_t *config = json_object_get(report, "config");
    int status = fpd_worse((int)json_integer_value(json_object_get(config, "status")), fpd_is_weak(report));
    if (!s->options.quiet) {
        Buffer text = {0};
        fpd_print_mutation(report, &text);
        fpd_put(s, &text);
        buffer_free(&text);
    }
    return s->options.reports[REPORT_json] ? fpd_worse(status, write_json(s, diagnostics, report)) : status;
}

static void report(Mutate *m) {
    const FpdOptions *o = &m->session->options;
    if (!m->head) m->head = fpd_session_head(m->session);
    if (m->mutation.has_run && !m->mutation.as_expected) m->status = fpd_worse(m->status, 1);
    const bool tried_all = m->mutation.tried_count == m->mutation.chosen_count;
    const FpdMutationRun run = {.key = m->tasks.key,
                                .head = m->head,
                                .shard = o->shard,
                                .shard_count = o->shard_count,
                                .threshold = o->threshold,
                                .source_root = o->source_root,
                                .interruption = tried_all ? NULL : m->interruption,
                                .status = m->status};
    json_t *made = fpd_json_mutation(&m->mutation, &run);
    if (m->mutation.has_run || m->crashed || m->status == REPORT_STATUS_INTERRUPTED)
        m->status = fpd_put_mutation(m->session, &m->diagnostics, made);
    else if (o->reports[REPORT_json]) // the error is all there is to read
        m->status = fpd_worse(m->status, write_json(m->session, &m->diagnostics, made));
    json_decref(made);
}

// There are no mutants, but a report that stood there says nothing of this run.
static void report_error(Mutate *m) {
    const FpdOptions *o = &m->session->options;
    m->status = fpd_worse(m->status, fpd_exit_status(&m->diagnostics));
    if (!o->reports[REPORT_json]) return;
    const FpdMutationRun run = {.shard = o->shard,
                                .shard_count = o->shard_count,
                                .threshold = o->threshold,
                                .interruption = m->diagnostics.items[0].message,
                                .status = m->status};
    json_t *made = fpd_json_no_mutation(o->cases[0], &run);
    m->status = fpd_worse(m->status, write_json(m->session, &m->diagnostics, made));
    json_decref(made);
}

// ---- the case -------------------------------------------------------------------------------------------------------

enum { OTHERS_MAX = 6 };

// The case with other combinations of its parameters, for survivors. False and diagnostics if one cannot be read.
static bool load_others(Mutate *m) {
    FpdSession *s = m->session;
    FpdTask task = {.path = s->options.cases[0]};
    const uint32_t count = s->options.quick ? 1 : fpd_count_combinations(task.path, &s->options.set);
    FpdMutationOther *others = arena_array(&m->arena, FpdMutationOther, OTHERS_MAX);
    m->options.others = others;
    for (task.combination = 1; task.combination < count && m->options.other_count < OTHERS_MAX; task.combination++) {
        FpdCase *cas;
        FpdParameters parameters;
        FpdPrograms *programs = fpd_session_load(s, &m->diagnostics, &m->arena, &task, &cas, &parameters);
        if (!programs) return false;
        others[m->options.other_count++] = (FpdMutationOther){programs, fpd_parameters_text(&m->arena, &parameters)};
    }
    return true;
}

static bool load(Mutate *m) {
    FpdSession *s = m->session;
    FpdCase *cas;
    const FpdTask task = {.path = s->options.cases[0]};
    m->options = (FpdMutationOptions){.shard = s->options.shard, .shard_count = s->options.shard_count};
    m->programs = fpd_session_load(s, &m->diagnostics, &m->arena, &task, &cas, NULL);
    return m->programs && load_others(m) && fpd_plan_tasks(&m->diagnostics, &m->arena, &s->options, &m->tasks) &&
           fpd_plan_mutation(&m->diagnostics, &m->arena, m->programs, &m->options, &m->mutation);
}

// Returns true in the child, when all is done.
static bool mutate(Mutate *m) {
    if (!load(m)) {
        report_error(m);
        return false;
    }
    const pid_t pid = fpd_child_start(&m->watch, &m->child);
    if (!pid) {
        try_all(m);
        return true;
    }
    if (pid < 0) {
        diag_fail(&m->diagnostics, (Location){0}, E_RUNTIME, "no process can be started for mutants");
        report_error(m);
        return false;
    }
    listen_to_child(m);
    report(m);
    return false;
}

int fpd_command_mutate(FpdSession *s) {
    Mutate m = {.session = s};
    if (s->host) {
        diag_fail(&m.diagnostics, (Location){0}, E_USAGE,
                  "mutate runs kernels that may never end, in a process of their own: the program fpdiff can do it");
        fpd_put_diagnostics(s, &m.diagnostics);
        diagnostics_close(&m.diagnostics);
        return 2;
    }
    fpd_watch_begin(&m.watch);
    const bool is_child = mutate(&m);
    if (!is_child) fpd_watch_end(&m.watch);
    fpd_close_mutants(&s->machine, m.mutation.mutants);
    for (uint32_t i = 0; i < m.options.other_count; i++) fpd_programs_close(m.options.others[i].programs);
    fpd_programs_close(m.programs);
    fpd_put_diagnostics(s, &m.diagnostics);
    const int status = fpd_worse(m.status, fpd_exit_status(&m.diagnostics));
    diagnostics_close(&m.diagnostics);
    json_decref(m.head);
    arena_reset(&m.arena);
    if (is_child) exit(fpd_session_close(s, status));
    return status;
}
