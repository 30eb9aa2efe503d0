// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of PTX of cases on a GPU and compares them with the emulator, in IEEE arithmetic:
//     native_ptx [--emulated DIR] [--dump DIR] [--only-emulate] [--jobs N] [--seconds N] CASE.yaml...
// --emulated keeps the emulator's results in a folder, and takes those that are there. --dump writes both
// results of variants that are not the same.
//
// Processes take the cases in turn. A kernel that hangs or fails ends its process, and another one goes on behind that
// variant. Exit status 0: nothing differs, is refused, fails or hangs; 1: something does; 77: there is no GPU.
#include "tests/gpu/native.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MAX = 64, SECONDS = 30, JOBS = 4, NO_GPU = 77, POLL_NANOSECONDS = 20 * 1000 * 1000 };

static const struct OutcomeRow {
    bool bad, told;
    const char *text;
} outcome_rows[] = {
#define OUTCOME(id, bad, told, text) {bad, told, text},
#include "tests/gpu/native_outcomes.def"
#undef OUTCOME
};

// What processes share. Each writes what is its own, and takes the next case.
typedef struct Slot {
    pid_t process;                 // 0: none
    uint32_t number, variant;      // the case, and its variant, that it is at
    double began;                  // when it began with that; 0: it does nothing that has to end
    bool at_variant, cannot_go_on; // the driver refuses everything
    bool idle;                     // nothing is left
} Slot;
typedef struct Board {
    atomic_uint next; // case
    atomic_uint_fast64_t outcomes[NATIVE_OUTCOMES], elements, other, nans;
    atomic_uint unreadable; // cases
    atomic_bool no_gpu, described;
    Slot slots[JOBS_MAX];
} Board;

typedef struct Tool {
    Board *board;
    NativeSession session;
    unsigned jobs;
    double seconds;
    uint32_t case_count;
    char *const *cases;
} Tool;

static volatile sig_atomic_t stop; // SIGTERM came: what is known is told

static void on_terminate(int number) {
    (void)number;
    stop = 1;
}

static void tell(NativeOutcome outcome, const char *path, const char *variant, const char *text) {
    if (!outcome_rows[outcome].told) return;
    char line[4096];
    const int size = snprintf(line, sizeof line, "%s, %s: %s%s%s\n", path, variant, outcome_rows[outcome].text,
                              text ? ": " : "", text ? text : "");
    if (size >= (int)sizeof line) line[sizeof line - 2] = '\n';
    fputs(line, stdout);
    fflush(stdout); // whole lines: others print, too
}

// ---- a process ------------------------------------------------------------------------------------------------------

static void check_variant(Tool *p, Slot *slot, NativeCase *opened) {
    NativeCounts counts;
    const char *text;
    slot->began = clock_wall_seconds();
    slot->at_variant = true;
    const NativeOutcome outcome = native_case_check(&p->session, opened, slot->variant, &counts, &text);
    slot->at_variant = false;
    slot->began = 0;
    p->board->outcomes[outcome]++;
    p->board->elements += counts.elements;
    p->board->other += counts.other;
    p->board->nans += counts.nans;
    tell(outcome, opened->cas->path, opened->cas->variants[slot->variant].name, text);
}

// From a variant on.
static void check_case(Tool *p, Slot *slot, uint32_t variant) {
    NativeCase opened;
    if (!native_case_open(&p->session, p->cases[slot->number], &opened)) {
        p->board->unreadable++;
        diagnostics_print(&p->session.diagnostics);
        diagnostics_close(&p->session.diagnostics);
        p->session.diagnostics = (Diagnostics){0};
    } else {
        for (slot->variant = variant; slot->variant < opened.cas->variant_count && !slot->cannot_go_on;
             slot->variant++) {
            check_variant(p, slot, &opened);
            slot->cannot_go_on = p->session.gpu && native_is_stopped(p->session.gpu);
            if (slot->cannot_go_on) break;
        }
    }
    native_case_close(&p->session, &opened);
}

static bool open_gpu(Tool *p, Slot *slot) {
    if (p->session.only_emulate) return true;
    slot->began = clock_wall_seconds();
    p->session.gpu = native_open(&p->session.diagnostics);
    slot->began = 0;
    if (p->session.gpu) {
        if (!atomic_exchange(&p->board->described, true)) printf("on %s\n", native_description(p->session.gpu));
        fflush(stdout);
        return true;
    }
    if (p->session.diagnostics.count && p->session.diagnostics.items[0].code == E_DEVICE) {
        if (!atomic_exchange(&p->board->no_gpu, true)) printf("SKIPPED: %s\n", p->session.diagnostics.items[0].message);
    } else {
        diagnostics_print(&p->session.diagnostics);
    }
    fflush(stdout);
    return false;
}

// `resume`: behind the variant at which the process before it ended.
static _Noreturn void work(Tool *p, Slot *slot, bool resume) {
    int status = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGTERM, SIG_DFL);
    slot->cannot_go_on = slot->at_variant = false;
    if (!open_gpu(p, slot)) _exit(NO_GPU);
    if (resume) check_case(p, slot, slot->variant + 1);
    while (!slot->cannot_go_on && (slot->number = p->board->next++) < p->case_count) check_case(p, slot, 0);
    status = slot->cannot_go_on;
    if (!status) native_session_close(&p->session);
    _exit(status);
}

// ---- the processes --------------------------------------------------------------------------------------------------

static void begin(Tool *p, Slot *slot, bool resume) {
    fflush(stdout);
    const pid_t process = fork();
    if (process < 0) exit(2);
    if (!process) work(p, slot, resume);
    slot->process = process;
}

// What a process that ended leaves: a variant that failed or hung, which the next one leaves out.
static void ended(Tool *p, Slot *slot, int status, bool hung) {
    slot->process = 0;
    slot->began = 0;
    const bool usual = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_GPU);
    if (usual) {
        slot->idle = true;
        return;
    }
    if (slot->at_variant) {
        char text[64], variant[32];
        snprintf(text, sizeof text, "the process ended with status 0x%x", (unsigned)status);
        snprintf(variant, sizeof variant, "variant %" PRIu32, slot->variant + 1);
        p->board->outcomes[hung ? NATIVE_hung : NATIVE_failed]++;
        tell(hung ? NATIVE_hung : NATIVE_failed, p->cases[slot->number], variant, hung ? NULL : text);
    } else if (!slot->cannot_go_on) { // between variants: the driver does not even start
        printf("a process ended with status 0x%x\n", (unsigned)status);
        p->board->unreadable++;
        slot->idle = true;
        return;
    }
    begin(p, slot, true);
}

static void watch(Tool *p, Slot *slot) {
    int status;
    bool hung = false;
    if (slot->began > 0 && clock_wall_seconds() - slot->began > p->seconds) {
        hung = true;
        kill(slot->process, SIGKILL);
    }
    if (waitpid(slot->process, &status, hung ? 0 : WNOHANG) == slot->process) ended(p, slot, status, hung);
}

static bool has_work(const Tool *p) {
    for (unsigned i = 0; i < p->jobs; i++)
        if (!p->board->slots[i].idle) return true;
    return false;
}

static int run(Tool *p) {
    const struct timespec pause = {.tv_nsec = POLL_NANOSECONDS};
    for (unsigned i = 0; i < p->jobs; i++) begin(p, &p->board->slots[i], false);
    while (has_work(p) && !stop) {
        nanosleep(&pause, NULL);
        for (unsigned i = 0; i < p->jobs; i++)
            if (p->board->slots[i].process) watch(p, &p->board->slots[i]);
    }
    for (unsigned i = 0; i < p->jobs && stop; i++)
        if (p->board->slots[i].process) kill(p->board->slots[i].process, SIGKILL);
    if (stop) printf("ended early, at case %u of %" PRIu32 "\n", p->board->next, p->case_count);
    if (p->board->no_gpu) return NO_GPU;
    bool bad = p->board->unreadable || stop, any = false;
    printf("%" PRIu32 " cases, %u that cannot be read; variants:\n", p->case_count, p->board->unreadable);
    for (int i = 0; i < NATIVE_OUTCOMES; i++) {
        const uint64_t count = p->board->outcomes[i];
        if (count) printf("%8" PRIu64 " %s\n", count, outcome_rows[i].text);
        bad |= count && outcome_rows[i].bad;
        any |= count && i <= NATIVE_near;
    }
    printf("of %" PRIu64 " elements %" PRIu64 " have other bits, %" PRIu64 " of them NaNs\n",
           (uint64_t)p->board->elements, (uint64_t)p->board->other, (uint64_t)p->board->nans);
    return bad || !any;
}

// ---- the command line -----------------------------------------------------------------------------------------------

static bool read_option(Tool *p, int count, char **words, int *at) {
    const char *word = words[*at];
    if (!strcmp(word, "--only-emulate")) {
        p->session.only_emulate = true;
        return true;
    }
    if (++*at >= count) return false;
    if (!strcmp(word, "--emulated"))
        p->session.emulated = words[*at];
    else if (!strcmp(word, "--dump"))
        p->session.dump = words[*at];
    else if (!strcmp(word, "--jobs"))
        p->jobs = (unsigned)strtoul(words[*at], NULL, 10);
    else if (!strcmp(word, "--seconds"))
        p->seconds = strtod(words[*at], NULL);
    else
        return false;
    return true;
}

int main(int count, char **words) {
    Tool p = {.jobs = JOBS, .seconds = SECONDS};
    int at = 1;
    bool good = true;
    for (; at < count && words[at][0] == '-' && good; at++) good = read_option(&p, count, words, &at);
    if (!good || at >= count || p.jobs < 1 || !(p.seconds > 0)) {
        fprintf(stderr, "usage: native_ptx [--emulated DIR] [--dump DIR] [--only-emulate] [--jobs N] [--seconds N] "
                        "CASE.yaml...\n");
        return 2;
    }
    p.case_count = (uint32_t)(count - at);
    p.cases = words + at;
    if (p.jobs > p.case_count) p.jobs = p.case_count;
    if (p.jobs > JOBS_MAX) p.jobs = JOBS_MAX;
    p.board = mmap(NULL, sizeof *p.board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p.board == MAP_FAILED) return 2;
    signal(SIGTERM, on_terminate);
    const int status = run(&p);
    munmap(p.board, sizeof *p.board);
    return status;
}
