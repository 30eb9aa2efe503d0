// SPDX-License-Identifier: Apache-2.0
// Times the launches of cases: time_cases TARGET [--runs=N] CASE.yaml... A line for each variant: milliseconds in
// payload and in IEEE arithmetic (medians of runs that take turns, after one that is not counted), and how many times
// as long the first takes. Exit status 77 where the target is a GPU and there is none.
#include "diff/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 7, RUNS_MAX = 1000, SKIPPED = 77 };
static const FpdMode modes[] = {FPD_MODE_fpsan, FPD_MODE_ieee};

typedef struct Timer {
    FpdMachine machine;
    Diagnostics diagnostics;
    unsigned runs;
} Timer;

static int compare_seconds(const void *a, const void *b) {
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *seconds, unsigned count) {
    qsort(seconds, count, sizeof *seconds, compare_seconds);
    return count % 2 ? seconds[count / 2] : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
}

// One run of all variants in a mode: their seconds in seconds[variant].
static bool run_once(Timer *t, FpdCase *cas, FpdPrograms *programs, FpdMode mode, double *seconds) {
    Arena arena = {0};
    const FpdRunner runner = {&t->diagnostics, &arena, &t->machine, programs};
    cas->mode_count = 1;
    cas->modes[0] = mode;
    FpdRuns runs = fpd_plan_runs(&arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
    bool good = fpd_run_case(&runner, false, &runs);
    for (uint32_t r = 0; good && r < runs.run_count; r++) seconds[runs.runs[r].variant] = runs.runs[r].seconds;
    arena_reset(&arena);
    return good;
}

static bool time_case(Timer *t, const char *path) {
    Arena arena = {0};
    FpdCase *cas = fpd_load_case(&t->diagnostics, &arena, path);
    FpdPrograms *programs = cas ? fpd_load_programs(&t->diagnostics, &arena, cas) : NULL;
    const unsigned turns = t->runs + 1; // the first is not counted
    bool good = programs;
    double *once = good ? arena_array(&arena, double, cas->variant_count) : NULL;
    double *all = good ? arena_array(&arena, double, BASE_COUNT(modes) * cas->variant_count * turns) : NULL;
    for (unsigned turn = 0; turn < turns && good; turn++)
        for (size_t m = 0; m < BASE_COUNT(modes) && good; m++) {
            good = run_once(t, cas, programs, modes[m], once);
            for (uint32_t v = 0; good && v < cas->variant_count; v++)
                all[(m * cas->variant_count + v) * turns + turn] = once[v];
        }
    for (uint32_t v = 0; good && v < cas->variant_count; v++) {
        const double payload = median(all + v * turns + 1, t->runs),
                     numbers = median(all + (cas->variant_count + v) * turns + 1, t->runs);
        printf("%s, %s: fpsan %.3f ms, ieee %.3f ms, %.2f times as long\n", cas->title ? cas->title : path,
               cas->variants[v].name, payload * 1e3, numbers * 1e3, payload / numbers);
    }
    if (programs) fpd_close_compiled(&t->machine, programs);
    fpd_programs_close(programs);
    arena_reset(&arena);
    return good;
}

int main(int count, char **words) {
    Timer t = {.machine = {.optimize = FPD_OPTIMIZE, .keep_compiled = true}, .runs = RUNS};
    int first = 2;
    if (count > 2 && !strncmp(words[2], "--runs=", 7)) {
        t.runs = (unsigned)strtoul(words[2] + 7, NULL, 10);
        first = 3;
    }
    if (count <= first || !fpd_target_by_name(words[1], &t.machine.target) || t.runs < 1 || t.runs > RUNS_MAX) {
        fprintf(stderr, "usage: time_cases host|simt|cuda [--runs=N] CASE.yaml...\n");
        return 2;
    }
    bool good = fpd_machine_open(&t.diagnostics, 0, &t.machine);
    const bool skipped = !good && t.diagnostics.count && t.diagnostics.items[0].code == E_DEVICE;
    if (skipped) printf("SKIPPED: %s\n", t.diagnostics.items[0].message);
    if (good) {
        char day[16];
        const time_t now = time(NULL);
        const char *device = rt_description(t.machine.device);
        strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
        printf("%s, %s\n", day, device ? device : words[1]);
    }
    for (int i = first; i < count && good; i++) good = time_case(&t, words[i]);
    if (!skipped) diagnostics_print(&t.diagnostics);
    fpd_machine_close(&t.machine);
    diagnostics_close(&t.diagnostics);
    return skipped ? SKIPPED : !good;
}
