// SPDX-License-Identifier: Apache-2.0
// A case given as text, run and judged.
#include "diff/report.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

typedef struct Session {
    Arena arena;
    Diagnostics diagnostics;
    FpdMachine machine;
    FpdPrograms *programs;
    FpdRuns runs;
    FpdOutcome outcome;
} Session;

static inline FpdRunner session_runner(Session *s) {
    return (FpdRunner){&s->diagnostics, &s->arena, &s->machine, s->programs};
}

// Plans, runs and judges the session's program.
static inline bool session_make(Session *s, FpdRuns *runs, FpdOutcome *outcome) {
    const FpdCase *cas = s->programs->cas;
    const FpdRunner runner = session_runner(s);
    *runs = fpd_plan_runs(&s->arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
    *outcome = (FpdOutcome){.path = cas->path};
    fpd_plan_comparisons(&s->arena, cas, runs, outcome);
    if (!fpd_run_case(&runner, true, runs) || !fpd_run_second(&runner, runs, outcome)) return false;
    fpd_judge(&s->arena, outcome);
    return true;
}

// What was compiled in a test serves its other sessions, as in fpdiff: compiling is most of what they do. A test is a
// process of its own, which ends with it.
static inline FpdKept *session_kept(void) {
    static FpdKept *kept;
    static Diagnostics diagnostics;
    if (!kept) kept = fpd_kept_open(compiler_open(&diagnostics));
    return kept;
}

// Loads the case of this profile and these other keys, and opens a machine with that census for it.
static inline bool session_load(Session *s, unsigned jobs, FpdCensus census, const char *profile, const char *keys) {
    char path[] = "/tmp/congruent-run-XXXXXX";
    int handle = mkstemp(path);
    *s = (Session){.machine.census = census};
    const char *text = arena_format(&s->arena, "profile: %s\n%s", profile, keys);
    cr_assert(handle >= 0 && write(handle, text, strlen(text)) == (ssize_t)strlen(text));
    close(handle);
    FpdCase *cas = fpd_load_case(&s->diagnostics, &s->arena, path);
    unlink(path);
    cr_assert(cas, "%s", s->diagnostics.count ? s->diagnostics.items[0].message : "");
    cas->path = "case.yaml"; // the same in every run
    s->programs = fpd_load_programs(&s->diagnostics, &s->arena, cas);
    if (!s->programs || !fpd_machine_open(&s->diagnostics, jobs, &s->machine)) return false;
    s->machine.kept = session_kept();
    return true;
}

// The same; runs and judges it. False: it cannot be compiled or run.
static inline bool session_try_census(Session *s, unsigned jobs, FpdCensus census, const char *profile,
                                      const char *keys) {
    return session_load(s, jobs, census, profile, keys) && session_make(s, &s->runs, &s->outcome);
}

static inline bool session_try(Session *s, unsigned jobs, const char *profile, const char *keys) {
    return session_try_census(s, jobs, FPD_CENSUS_NONE, profile, keys);
}

// The same; fails the test if something cannot be run.
static inline void session_run(Session *s, unsigned jobs, const char *profile, const char *keys) {
    cr_assert(session_try(s, jobs, profile, keys), "%s", s->diagnostics.count ? s->diagnostics.items[0].message : "");
}

static inline void session_close(Session *s) {
    fpd_programs_close(s->programs);
    s->machine.kept = NULL; // stays
    fpd_machine_close(&s->machine);
    diagnostics_close(&s->diagnostics);
    arena_reset(&s->arena);
}
