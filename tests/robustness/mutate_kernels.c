// SPDX-License-Identifier: Apache-2.0
// Kernels of PTX changed at random, the same on every run: mutate_kernels [options] CASE|FOLDER...
// Mutant number n is made of seed n modulo the number of seeds: a launch of a case. Exit status 1 if anything went
// wrong. The work is done in child processes, so that a crash is one line of the report:
//   --mutants=N    how many (1000)       --first=N    the number of the first one (0)
//   --seed=N       of all choices (1)    --run=N      of the valid ones, one in N is compiled and run (1); 0: none
//   --largest=N    bytes of a module; larger ones are left out (24000)
//   --batch=N      mutants per process (500): leaks are looked for at its end
//   --rounds=N     of loops of a block (300)
//   --print        shows the text of mutants and messages; with --mutants=1
#include "tests/robustness/mutant_case.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Options {
    uint64_t mutants, first, seed, run, largest, batch, rounds;
    bool print;
} Options;

static void do_mutant(const KernelSeeds *seeds, const Options *options, KernelMutant *mutant, uint64_t number) {
    Arena arena = {0};
    const KernelSeed *seed = &seeds->items[number % seeds->count];
    Random random = random_of_mutant(seed->path, options->seed, number);
    const KernelSeed *other = &seeds->items[random_below(&random, seeds->count)];
    mutant->progress->number = number;
    mutant->progress->stage = KERNEL_STAGE_mutate;
    mutant->progress->seed = seed->path;
    mutant->seed = seed;
    mutant->text = mutate_ptx(&arena, &random, seed->text, seed->size, other->text, other->size, &mutant->size);
    mutant->mode = random_below(&random, 2) ? FPD_MODE_fpsan : FPD_MODE_ieee;
    mutant->run = options->run && !random_below(&random, options->run);
    mutant->show = options->print;
    if (options->print) fwrite(mutant->text, 1, mutant->size, stdout);
    kernel_mutant_run(mutant);
    arena_reset(&arena);
}

static int work(const KernelSeeds *seeds, const Options *options, KernelProgress *progress, uint64_t first,
                uint64_t end, const char *file) {
    Diagnostics diagnostics = {0};
    FpdMachine machine = {
        .target = FPD_TARGET_host, .optimize = 1, .keep_compiled = true, .iterations = options->rounds};
    KernelMutant mutant = {.progress = progress, .machine = &machine, .file = file};
    const bool good = fpd_machine_open(&diagnostics, 1, &machine);
    for (uint64_t number = first; good && number < end; number++) do_mutant(seeds, options, &mutant, number);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    fpd_machine_close(&machine);
    if (good) progress->stage = KERNEL_STAGE_end;
    return !good;
}

static void report_end(KernelProgress *progress, int status) {
    progress->defects++;
    printf("DEFECT mutant %llu of %s: %s: ", (unsigned long long)progress->number,
           progress->seed ? short_path(progress->seed) : "none", kernel_stage_name(progress->stage));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        printf("does not end\n");
    else if (WIFSIGNALED(status))
        printf("%s\n", strsignal(WTERMSIG(status)));
    else
        printf("the process ends with status %d%s\n", WEXITSTATUS(status),
               progress->stage == KERNEL_STAGE_end ? " (a leak?)" : "");
}

static bool run_all(const KernelSeeds *seeds, const Options *options, KernelProgress *progress, const char *file) {
    const uint64_t end = options->first + options->mutants;
    for (uint64_t next = options->first; next < end;) {
        const uint64_t batch_end = end - next < options->batch ? end : next + options->batch;
        fflush(stdout);
        progress->number = next;
        const pid_t child = fork();
        if (child < 0) return false;
        if (!child) exit(work(seeds, options, progress, next, batch_end, file));
        int status;
        waitpid(child, &status, 0);
        const bool complete = progress->stage == KERNEL_STAGE_end;
        if (!complete || !WIFEXITED(status) || WEXITSTATUS(status)) report_end(progress, status);
        next = complete ? batch_end : progress->number + 1;
    }
    return true;
}

static void report(const Options *options, const KernelSeeds *seeds, const KernelProgress *progress) {
    static const char *const names[] = {
#define OUTCOME(name) #name,
        KERNEL_OUTCOMES(OUTCOME)
#undef OUTCOME
    };
    printf("%llu mutants of %zu kernels:", (unsigned long long)options->mutants, seeds->count);
    for (int i = 0; i < KERNEL_OUTCOME_COUNT; i++)
        printf(" %llu %s%s", (unsigned long long)progress->counts[i], names[i], i + 1 < KERNEL_OUTCOME_COUNT ? "," : "\n");
    printf("slowest (ms, mutant):");
    for (int i = KERNEL_STAGE_read; i <= KERNEL_STAGE_run; i++)
        printf(" %s %.1f (%llu)", kernel_stage_name((KernelStage)i), progress->slowest[i] * 1e3,
               (unsigned long long)progress->slowest_number[i]);
    printf("\n%llu defects\n", (unsigned long long)progress->defects);
}

static bool take_option(const char *text, Options *options) {
    const struct {
        const char *name;
        uint64_t *number;
    } rows[] = {{"--mutants=", &options->mutants}, {"--first=", &options->first},     {"--seed=", &options->seed},
                {"--run=", &options->run},         {"--largest=", &options->largest}, {"--batch=", &options->batch},
                {"--rounds=", &options->rounds}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (!strncmp(text, rows[i].name, strlen(rows[i].name))) {
            *rows[i].number = strtoull(text + strlen(rows[i].name), NULL, 10);
            return true;
        }
    options->print |= !strcmp(text, "--print");
    return !strcmp(text, "--print");
}

int main(int count, char **texts) {
    Options options = {.mutants = 1000, .seed = 1, .run = 1, .largest = 24000, .batch = 500, .rounds = 300};
    KernelSeeds seeds = {0};
    int at = 1;
    for (; at < count && !strncmp(texts[at], "--", 2); at++)
        if (!take_option(texts[at], &options)) return 2;
    for (; at < count; at++) kernel_seeds_add(&seeds, texts[at], options.largest);
    KernelProgress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char folder[] = "/tmp/mutants-XXXXXX";
    if (!seeds.count || !options.batch || progress == MAP_FAILED || !mkdtemp(folder)) {
        fprintf(stderr, "usage: mutate_kernels [options] CASE|FOLDER... (see the head of mutate_kernels.c)\n");
        return 2;
    }
    const char *file = arena_format(&seeds.arena, "%s/mutant.ptx", folder);
    const bool good = run_all(&seeds, &options, progress, file);
    report(&options, &seeds, progress);
    unlink(file);
    rmdir(folder);
    arena_reset(&seeds.arena);
    return !good || progress->defects;
}
