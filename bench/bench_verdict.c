// SPDX-License-Identifier: Apache-2.0
// fpdiff on the example of attention, from its file to its verdict, as a process of its own on two threads: with
// nothing compiled before, and with everything.
#include "bench/bench_internal.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXAMPLE BENCH_DIR "/../examples/attention/attention.yaml"

extern char **environ;

static bool run_once(Bench *bench, double *seconds) {
    char *words[] = {FPDIFF, "--jobs", "2", "--quiet", EXAMPLE, NULL};
    pid_t process;
    int status = 0;
    const double start = bench_seconds();
    if (posix_spawn(&process, FPDIFF, NULL, NULL, words, environ) || waitpid(process, &status, 0) != process || status)
        return diag_fail(&bench->diagnostics, (Location){.file = EXAMPLE}, E_RUNTIME, "fpdiff fails");
    *seconds = bench_seconds() - start;
    return true;
}

static bool time_runs(Bench *bench, const char *cache, double *seconds) {
    Arena arena = {0};
    double *all = arena_array(&arena, double, bench->runs), first;
    bool good = !setenv("CONGRUENT_CACHE", cache, 1) && run_once(bench, &first); // which fills the cache
    for (unsigned r = 0; r < bench->runs && good; r++) good = run_once(bench, &all[r]);
    if (good) *seconds = bench_median(all, bench->runs);
    arena_reset(&arena);
    return good;
}

static void remove_folder(const char *folder) {
    char *words[] = {"rm", "-rf", (char *)folder, NULL};
    pid_t process;
    if (!posix_spawnp(&process, words[0], NULL, NULL, words, environ)) waitpid(process, NULL, 0);
}

bool bench_verdicts(Bench *bench) {
    char folder[] = "/tmp/congruent-bench-XXXXXX";
    const char *before = getenv("CONGRUENT_CACHE");
    char *kept = before ? strdup(before) : NULL;
    double cold, warm;
    if (!mkdtemp(folder))
        return diag_fail(&bench->diagnostics, (Location){.file = folder}, E_RUNTIME, "cannot be made");
    const bool good = time_runs(bench, "off", &cold) && time_runs(bench, folder, &warm);
    if (kept)
        setenv("CONGRUENT_CACHE", kept, 1);
    else
        unsetenv("CONGRUENT_CACHE");
    free(kept);
    remove_folder(folder);
    if (!good) return false;
    bench_goal(bench, "attention example, file to verdict on two threads, nothing compiled before", cold, " s",
               BENCH_AT_MOST, 0.3);
    bench_goal(bench, "attention example, file to verdict on two threads, nothing changed", warm, " s", BENCH_AT_MOST,
               0.1);
    printf(
        "\nverdict: the attention example from file to verdict on two threads: %.0f ms, with all code kept %.0f ms\n",
        cold * 1e3, warm * 1e3);
    return true;
}
