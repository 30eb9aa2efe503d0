// SPDX-License-Identifier: Apache-2.0
// Memory and time of large cases in the tower, from the file to the verdict, as fpdiff runs them: on all processors.
#include "bench/bench_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// At --size 1024, for which the goals are, sizes are those that the case files say.
typedef struct MemoryRow {
    const char *label, *file;
    bool heads; // it has a number of heads H beside its size N
} MemoryRow;

static const MemoryRow rows[] = {
    {"product of two 4096 x 4096, f16", BENCH_DIR "/memory_product.yaml", false},
    {"attention, 2 x 16 heads x 4096 x 128, f16", BENCH_DIR "/memory_attention.yaml", true},
};
enum { SIZE = 4, HEADS = 32, FULL_SIZE = 1024, STEP = 256 };
static const double GIBIBYTES_GOAL = 8, MINUTES_GOAL = 10;

typedef struct MemoryUse {
    double seconds, processor,
        bytes; // processor: of all threads; bytes: the most of fpdiff's processes that it had at any time
} MemoryUse;

// Runs fpdiff on the case. False and a diagnostic if the variants are not equal, or it fails.
static bool run(Bench *bench, const MemoryRow *row, const char *set, MemoryUse *use) {
    const double start = bench_seconds();
    struct rusage usage;
    int status = 0;
    const pid_t pid = fork();
    if (!pid) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        execl(FPDIFF, FPDIFF, row->file, "--set", set, (char *)NULL);
        _exit(127);
    }
    pid_t ended = pid;
    while (pid > 0 && (ended = wait4(pid, &status, 0, &usage)) < 0 && errno == EINTR) {
    }
    if (pid < 0 || ended != pid || !WIFEXITED(status) || WEXITSTATUS(status))
        return diag_fail(&bench->diagnostics, (Location){.file = row->file}, E_RUNTIME, "fpdiff --set %s fails", set);
    const double processor = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                             (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    *use = (MemoryUse){bench_seconds() - start, processor, (double)usage.ru_maxrss * 1024};
    return true;
}

static void add_goals(Bench *bench, Arena *arena, const MemoryRow *row, const MemoryUse *use) {
    bench_goal(bench, arena_format(arena, "%s, two variants in the tower: memory", row->label), use->bytes / (1 << 30),
               " GiB", BENCH_AT_MOST, GIBIBYTES_GOAL);
    bench_goal(bench, arena_format(arena, "%s, two variants in the tower: time", row->label), use->seconds / 60, " min",
               BENCH_AT_MOST, MINUTES_GOAL);
}

bool bench_memory(Bench *bench) {
    Arena arena = {0};
    bool good = true;
    const long long steps = bench->size < STEP ? 1 : bench->size / STEP, size = SIZE * STEP * steps;
    bench_table(bench, "Large cases in the tower", "case\tsizes\tseconds\tof processors\tpeak, GiB");
    for (size_t i = 0; i < BASE_COUNT(rows) && good; i++) {
        const long long heads = HEADS * STEP * steps / FULL_SIZE;
        const char *set =
            rows[i].heads ? arena_format(&arena, "N=%lld,H=%lld", size, heads) : arena_format(&arena, "N=%lld", size);
        MemoryUse use = {0, 0, 0};
        good = run(bench, &rows[i], set, &use);
        if (!good) break;
        bench_row(bench, "%s\t%s\t%.1f\t%.1f\t%.2f", rows[i].label, set, use.seconds, use.processor,
                  use.bytes / (1 << 30));
        if (bench->size == FULL_SIZE) add_goals(bench, &arena, &rows[i], &use);
    }
    if (good)
        bench_note(bench, "two variants each, from the file to the verdict, the chance of a missed difference "
                          "included; wall-clock time, and processor time of all threads; the most memory of a process");
    arena_reset(&arena);
    return good;
}
