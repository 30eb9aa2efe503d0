// SPDX-License-Identifier: Apache-2.0
// Tasks run in a child process, which a supervisor gives one after the other: a kernel that never ends can be stopped,
// what a signal or a crash leaves undone is reported, and memory that a case needed is gone where the reports are made.
// The supervisor writes the number of a task to one pipe and reads what it gives from another: the size of a text in
// four bytes, then {"head": ..., "case": ...} as JSON.
#include "diff/command.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Child {
    pid_t pid; // 0: there is none
    int orders, results;
} Child;

typedef struct Supervisor {
    FpdSession *session;
    const FpdTasks *tasks;
    FpdTaskFunction *run;
    Report *report;
    Child child;
    int signals; // a file from which SIGINT and SIGTERM are read
    sigset_t mask_before;
    double begin;
    size_t done;
} Supervisor;

typedef enum Event { EVENT_RESULT, EVENT_END, EVENT_LATE, EVENT_SIGNAL } Event;

// ---- both sides

static bool write_all(int file, const void *bytes, size_t size) {
    const char *from = bytes;
    while (size) {
        const ssize_t count = write(file, from, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        from += count;
        size -= (size_t)count;
    }
    return true;
}

static bool read_all(int file, void *bytes, size_t size) {
    char *to = bytes;
    while (size) {
        const ssize_t count = read(file, to, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        to += count;
        size -= (size_t)count;
    }
    return true;
}

// ---- the child

static bool send_result(int file, json_t *result) {
    char *text = json_dumps(result, JSON_COMPACT);
    const uint32_t size = text ? (uint32_t)strlen(text) : 0;
    const bool good = write_all(file, &size, sizeof size) && write_all(file, text, size);
    free(text);
    json_decref(result);
    return good;
}

// Without a GPU there is one error, not one for each case.
static int check_device(FpdSession *s) {
    Diagnostics diagnostics = {0};
    if (s->options.target == FPD_TARGET_cuda) fpd_session_open(s, &diagnostics, NULL);
    diagnostics_print(&diagnostics);
    const int status = fpd_exit_status(&diagnostics);
    diagnostics_close(&diagnostics);
    return status;
}

static int serve(const Supervisor *v, int orders, int results) {
    const int status = check_device(v->session);
    uint64_t index;
    while (!status && read_all(orders, &index, sizeof index)) {
        json_t *result = json_object();
        json_object_set_new(result, "case", v->run(v->session, &v->tasks->items[index]));
        json_object_set_new(result, "head", fpd_session_head(v->session));
        if (!send_result(results, result)) break;
    }
    return status;
}

// ---- the supervisor

static bool start_child(Supervisor *v) {
    int orders[2], results[2];
    if (pipe2(orders, O_CLOEXEC)) return false;
    if (pipe2(results, O_CLOEXEC)) {
        close(orders[0]), close(orders[1]);
        return false;
    }
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_SETMASK, &v->mask_before, NULL);
        close(orders[1]), close(results[0]), close(v->signals);
        report_close(v->report);
        exit(fpd_session_close(v->session, serve(v, orders[0], results[1])));
    }
    close(orders[0]), close(results[1]);
    if (pid < 0) close(orders[1]), close(results[0]);
    if (pid > 0) v->child = (Child){pid, orders[1], results[0]};
    return pid > 0;
}

// Waits for its end. Returns what waitpid says.
static int end_child(Supervisor *v, bool by_force) {
    int status = 0;
    if (by_force) kill(v->child.pid, SIGKILL);
    close(v->child.orders);
    close(v->child.results);
    while (waitpid(v->child.pid, &status, 0) < 0 && errno == EINTR) continue;
    v->child = (Child){0};
    return status;
}

// Until the child has something to say, or the time for the task is over. Signals go first: a terminal sends them to
// the child, too.
static Event wait_for_child(const Supervisor *v) {
    const double seconds = v->session->options.timeout, end = clock_wall_seconds() + seconds;
    struct signalfd_siginfo signal;
    struct pollfd files[] = {{.fd = v->signals, .events = POLLIN}, {.fd = v->child.results, .events = POLLIN}};
    for (;;) {
        const double left = seconds > 0 ? (end - clock_wall_seconds()) * 1e3 : -1;
        const int wait = seconds <= 0 ? -1 : left <= 0 ? 0 : left > 1e9 ? 1000000000 : (int)ceil(left);
        const int count = poll(files, 2, wait);
        if (count < 0) continue;
        if (!count && seconds > 0 && clock_wall_seconds() >= end) return EVENT_LATE;
        if (files[0].revents && read(v->signals, &signal, sizeof signal) > 0) return EVENT_SIGNAL;
        if (files[1].revents & POLLIN) return EVENT_RESULT;
        if (files[1].revents) return EVENT_END;
    }
}

// What the child has written. NULL: it has ended instead.
static json_t *read_result(const Supervisor *v) {
    uint32_t size;
    if (!read_all(v->child.results, &size, sizeof size)) return NULL;
    char *text = malloc((size_t)size + 1);
    json_t *result = NULL;
    if (text && read_all(v->child.results, text, size)) result = json_loadb(text, size, 0, NULL);
    free(text);
    return result;
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
    diagnostics_print(&diagnostics);
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
        fprintf(stderr, "fpdiff: %s: %zu of %zu cases were not checked\n", reason, count, v->tasks->count);
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
    fprintf(stderr, "[%zu of %zu", v->done + 1, v->tasks->count);
    if (v->done) {
        const double left = seconds / (double)v->done * (double)(v->tasks->count - v->done);
        fprintf(stderr, left < 120 ? ", about %.0f s left" : ", about %.0f min left", left < 120 ? left : left / 60);
    }
    fprintf(stderr, "] %s\n", task->path);
}

// The child has ended by itself before its task did. False: no further child would do better.
static bool take_end(Supervisor *v) {
    const int status = end_child(v, false);
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
    Event event = write_all(v->child.orders, &index, sizeof index) ? wait_for_child(v) : EVENT_END;
    if (event == EVENT_SIGNAL) return false;
    if (event == EVENT_LATE) {
        end_child(v, true);
        add_late(v);
        return true;
    }
    if (event == EVENT_RESULT) result = read_result(v);
    if (!result) return take_end(v);
    take_result(v, result);
    return true;
}

static void set_campaign(Supervisor *v) {
    const FpdOptions *options = &v->session->options;
    json_t *campaign = json_object();
    json_object_set_new(campaign, "tasks", json_integer((json_int_t)v->tasks->total));
    json_object_set_new(campaign, "key", json_string(v->tasks->key));
    json_object_set_new(campaign, "shard",
                        json_pack("[I,I]", (json_int_t)options->shard, (json_int_t)options->shard_count));
    json_t *contents = json_object();
    for (size_t c = 0; c < options->case_count; c++)
        fpd_json_add_hash(contents, options->cases[c], v->tasks->hashes[c]);
    json_object_set_new(campaign, "contents", contents);
    json_object_set_new(v->report->head, "campaign", campaign);
}

// The report has a head and a case for each task afterwards. Returns the exit status.
static int supervise(FpdSession *session, const FpdTasks *tasks, FpdTaskFunction *run, Report *report) {
    Supervisor v = {.session = session, .tasks = tasks, .run = run, .report = report, .begin = clock_wall_seconds()};
    sigset_t mask;
    struct sigaction pipe_before;
    bool going = true;
    sigemptyset(&mask);
    sigaddset(&mask, SIGINT);
    sigaddset(&mask, SIGTERM);
    sigprocmask(SIG_BLOCK, &mask, &v.mask_before);
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &pipe_before);
    v.signals = signalfd(-1, &mask, SFD_CLOEXEC);
    while (going && v.done < tasks->count) going = run_next(&v);
    if (v.done < tasks->count) {
        skip(&v, "interrupted", false);
        report->status = REPORT_STATUS_INTERRUPTED;
    }
    if (v.child.pid) {
        const int status = end_child(&v, !going);
        if (going) report->status = fpd_worse(report->status, WIFEXITED(status) ? WEXITSTATUS(status) : 3);
    }
    if (!report->head) report->head = fpd_session_head(session);
    set_campaign(&v);
    close(v.signals);
    sigaction(SIGPIPE, &pipe_before, NULL);
    // What is left to do is to write the reports, and those are to be whole. Signals that wait are gone, too.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    sigprocmask(SIG_SETMASK, &v.mask_before, NULL);
    return report->status;
}

int fpd_run_tasks(FpdSession *session, FpdTaskFunction *run) {
    Report report = {0};
    FpdTasks tasks;
    Diagnostics diagnostics = {0};
    int status = 2;
    if (fpd_plan_tasks(&diagnostics, &session->arena, &session->options, &tasks)) {
        session->task_total = tasks.total;
        status = supervise(session, &tasks, run, &report);
        status = fpd_worse(status, fpd_write_reports(session, &report));
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    report_close(&report);
    return status;
}
