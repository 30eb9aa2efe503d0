// SPDX-License-Identifier: Apache-2.0
// Tasks run in a child process, which a supervisor gives one after the other: a kernel that never ends can be stopped,
// what a signal or a crash leaves undone is reported, and memory that a case needed is gone where the reports are made.
// A result is {"head": ..., "case": ...}.
#include "diff/child.h"
#include "diff/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Supervisor {
    FpdSession *session;
    const FpdTasks *tasks;
    FpdTaskFunction *run;
    Report *report;
    FpdChild child;
    FpdWatch watch;
    double begin;
    size_t done;
} Supervisor;

// ---- the child

// Without a GPU there is one error, not one for each case.
static int check_device(FpdSession *s) {
    Diagnostics diagnostics = {0};
    if (s->options.target == FPD_TARGET_cuda) fpd_session_open(s, &diagnostics, NULL);
    fpd_put_diagnostics(s, &diagnostics);
    const int status = fpd_exit_status(&diagnostics);
    diagnostics_close(&diagnostics);
    return status;
}

static int serve(const Supervisor *v, const FpdChild *self) {
    const int status = check_device(v->session);
    uint64_t index;
    if (!status) compiler_prepare(); // while cases are read
    while (!status && fpd_child_take_order(self, &index)) {
        json_t *result = json_object();
        json_object_set_new(result, "case", v->run(v->session, &v->tasks->items[index]));
        json_object_set_new(result, "head", fpd_session_head(v->session));
        if (!fpd_child_send(self, result)) break;
    }
    return status;
}

// ---- the supervisor

static bool start_child(Supervisor *v) {
    FpdChild self;
    const pid_t pid = fpd_child_start(&v->watch, &self);
    if (!pid) {
        report_close(v->report);
        fpd_session_exit(v->session, serve(v, &self));
    }
    if (pid > 0) v->child = self;
    return pid > 0;
}

// Of a case that was not run: the parameters that it would have had.
static void set_parameters(const Supervisor *v, const FpdTask *task, json_t *cas) {
    FpdCombination combination = {.index = task->combination, .set = v->session->options.set};
    Diagnostics ignored = {0};
    Arena arena = {0};
    fpd_load_combination(&ignored, &arena, task->path, &combination);
    if (combination.parameters.count)
        json_object_set_new(cas, "parameters", fpd_json_parameters(&combination.parameters));
    arena_reset(&arena);
    diagnostics_close(&ignored);
}

static void add_case(Supervisor *v, json_t *cas) {
    json_object_set_new(cas, "task", json_integer((json_int_t)v->tasks->items[v->done].number));
    report_add(v->report, cas);
    v->done++;
}

static void take_result(Supervisor *v, json_t *result) {
    json_decref(v->report->head);
    v->report->head = json_incref(json_object_get(result, "head"));
    add_case(v, json_incref(json_object_get(result, "case")));
    json_decref(result);
}

static void add_failure(Supervisor *v, const char *format, const char *what) {
    Diagnostics diagnostics = {0};
    const FpdOutcome outcome = {.path = v->tasks->items[v->done].path, .errors = &diagnostics, .status = 3};
    diag_fail(&diagnostics, (Location){.file = outcome.path}, E_RUNTIME, format, what);
    fpd_put_diagnostics(v->session, &diagnostics);
    json_t *cas = fpd_json_case(&outcome);
    set_parameters(v, &v->tasks->items[v->done], cas);
    add_case(v, cas);
    diagnostics_close(&diagnostics);
}

static void add_late(Supervisor *v) {
    char text[32];
    snprintf(text, sizeof text, "%g", v->session->options.timeout);
    add_failure(v, "was stopped after %s seconds (--timeout)", text);
}

// The rest of the tasks. `is_known`: the user has been told why.
static void skip(Supervisor *v, const char *reason, bool is_known) {
    const size_t count = v->tasks->count - v->done;
    if (count && !is_known)
        fprintf(v->session->err, "fpdiff: %s: %zu of %zu cases were not checked\n", reason, count, v->tasks->count);
    while (v->done < v->tasks->count) {
        json_t *cas = json_object();
        json_object_set_new(cas, "file", fpd_json_text(v->tasks->items[v->done].path));
        set_parameters(v, &v->tasks->items[v->done], cas);
        json_object_set_new(cas, "status", json_integer(3));
        json_object_set_new(cas, "result", json_string(REPORT_NOT_CHECKED));
        json_object_set_new(cas, "reason", json_string(reason));
        add_case(v, cas);
    }
}

static void show_progress(const Supervisor *v) {
    const FpdTask *task = &v->tasks->items[v->done];
    const double seconds = clock_wall_seconds() - v->begin;
    if (v->tasks->count < 2 || v->session->options.quiet || !isatty(STDERR_FILENO)) return;
    fprintf(v->session->err, "[%zu of %zu", v->done + 1, v->tasks->count);
    if (v->done) {
        const double left = seconds / (double)v->done * (double)(v->tasks->count - v->done);
        fprintf(v->session->err, left < 120 ? ", about %.0f s left" : ", about %.0f min left",
                left < 120 ? left : left / 60);
    }
    fprintf(v->session->err, "] %s\n", task->path);
}

// The child has ended by itself before its task did. False: no further child would do better.
static bool take_end(Supervisor *v) {
    const int status = fpd_child_end(&v->child, false);
    if (WIFEXITED(status) && !v->report->head && v->session->options.target == FPD_TARGET_cuda) { // check_device
        v->report->status = fpd_worse(v->report->status, WEXITSTATUS(status) ? WEXITSTATUS(status) : 3);
        skip(v, "there is no device", true);
        return false;
    }
    if (WIFEXITED(status)) { // out of memory, or LLVM gave up
        char text[32];
        snprintf(text, sizeof text, "%d", WEXITSTATUS(status));
        add_failure(v, "the process that ran it ended with status %s", text);
        return true;
    }
    if (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM) return false;
    add_failure(v, "the process that ran it ended by signal: %s", strsignal(WTERMSIG(status)));
    return true;
}

// Runs the next task. False: the run was interrupted.
static bool run_next(Supervisor *v) {
    const uint64_t index = v->done;
    if (!v->child.pid && !start_child(v)) {
        add_failure(v, "no process can be started for it: %s", strerror(errno));
        return true;
    }
    show_progress(v);
    json_t *result = NULL;
    FpdEvent event = fpd_child_order(&v->child, index)
                         ? fpd_child_wait(&v->watch, &v->child, v->session->options.timeout)
                         : FPD_EVENT_END;
    if (event == FPD_EVENT_SIGNAL) return false;
    if (event == FPD_EVENT_LATE) {
        fpd_child_end(&v->child, true);
        add_late(v);
        return true;
    }
    if (event == FPD_EVENT_RESULT) result = fpd_child_read(&v->child);
    if (!result) return take_end(v);
    take_result(v, result);
    return true;
}

static void set_campaign(const FpdSession *session, const FpdTasks *tasks, Report *report) {
    const FpdOptions *options = &session->options;
    json_t *campaign = json_object();
    json_object_set_new(campaign, "tasks", json_integer((json_int_t)tasks->total));
    json_object_set_new(campaign, "key", json_string(tasks->key));
    json_object_set_new(campaign, "shard",
                        json_pack("[I,I]", (json_int_t)options->shard, (json_int_t)options->shard_count));
    json_t *contents = json_object();
    for (size_t c = 0; c < options->case_count; c++) fpd_json_add_hash(contents, options->cases[c], tasks->hashes[c]);
    json_object_set_new(campaign, "contents", contents);
    json_object_set_new(report->head, "campaign", campaign);
}

// All in this process: with a host.
static int run_here(FpdSession *session, Diagnostics *diagnostics, const FpdTasks *tasks, FpdTaskFunction *run,
                    Report *report) {
    if (session->options.timeout > 0) {
        diag_fail(diagnostics, (Location){0}, E_USAGE,
                  "--timeout stops the process that runs a case, which is this one: the program fpdiff can do it");
        return report->status = 2;
    }
    for (size_t i = 0; i < tasks->count; i++) {
        json_t *cas = run(session, &tasks->items[i]);
        json_object_set_new(cas, "task", json_integer((json_int_t)tasks->items[i].number));
        report_add(report, cas);
    }
    report->head = fpd_session_head(session);
    set_campaign(session, tasks, report);
    return report->status;
}

// The report has a head and a case for each task afterwards. Returns the exit status.
static int supervise(FpdSession *session, const FpdTasks *tasks, FpdTaskFunction *run, Report *report) {
    Supervisor v = {.session = session, .tasks = tasks, .run = run, .report = report, .begin = clock_wall_seconds()};
    bool going = true;
    fpd_watch_begin(&v.watch);
    while (going && v.done < tasks->count) going = run_next(&v);
    if (v.done < tasks->count) {
        skip(&v, "interrupted", false);
        report->status = REPORT_STATUS_INTERRUPTED;
    }
    if (v.child.pid) {
        const int status = fpd_child_end(&v.child, !going);
        if (going) report->status = fpd_worse(report->status, WIFEXITED(status) ? WEXITSTATUS(status) : 3);
    }
    if (!report->head) report->head = fpd_session_head(session);
    set_campaign(session, tasks, report);
    fpd_watch_end(&v.watch);
    return report->status;
}

int fpd_run_tasks(FpdSession *session, FpdTaskFunction *run) {
    Report report = {0};
    FpdTasks tasks;
    Diagnostics diagnostics = {0};
    int status = 2;
    if (fpd_plan_tasks(&diagnostics, &session->arena, &session->options, &tasks)) {
        session->task_total = tasks.total;
        status = session->host ? run_here(session, &diagnostics, &tasks, run, &report)
                               : supervise(session, &tasks, run, &report);
        status = fpd_worse(status, fpd_write_reports(session, &report));
        if (session->host && session->host->see_report)
            session->host->see_report(session->host->data, session, &report);
    }
    fpd_put_diagnostics(session, &diagnostics);
    diagnostics_close(&diagnostics);
    report_close(&report);
    return status;
}
