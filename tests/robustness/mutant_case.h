// SPDX-License-Identifier: Apache-2.0
// Cases whose kernels of PTX are replaced by mutants, and one mutant's way: read, printed and read again, compiled, run
// with few blocks and rounds.
#ifndef CONGRUENT_MUTANT_CASE_H
#define CONGRUENT_MUTANT_CASE_H

#include "diff/run.h"
#include "tests/robustness/mutation.h"

#define KERNEL_STAGES(X) X(mutate) X(read) X(print) X(run) X(close) X(end)
typedef enum KernelStage {
#define STAGE(name) KERNEL_STAGE_##name,
    KERNEL_STAGES(STAGE)
#undef STAGE
        KERNEL_STAGE_COUNT
} KernelStage;
#define KERNEL_OUTCOMES(X) X(unreadable) X(valid) X(unfit) X(unsupported) X(faulted) X(ran)
typedef enum KernelOutcome {
#define OUTCOME(name) KERNEL_OUTCOME_##name,
    KERNEL_OUTCOMES(OUTCOME)
#undef OUTCOME
        KERNEL_OUTCOME_COUNT
} KernelOutcome;

// A launch of a case.
typedef struct KernelSeed {
    const char *path; // of the case
    uint32_t variant, launch;
    const char *text; // of its module
    size_t size;
} KernelSeed;
typedef struct KernelSeeds {
    Arena arena;
    KernelSeed *items;
    size_t count, capacity;
} KernelSeeds;
// Adds the launches of kernels of PTX of a case (its modules once each), or of the cases in a folder. Modules larger
// than `largest` bytes are left out.
void kernel_seeds_add(KernelSeeds *seeds, const char *path, size_t largest);

// In memory that the processes share.
typedef struct KernelProgress {
    uint64_t number; // of the mutant
    KernelStage stage;
    const char *seed; // its case
    uint64_t counts[KERNEL_OUTCOME_COUNT], defects;
    double slowest[KERNEL_STAGE_COUNT]; // seconds of processor time
    uint64_t slowest_number[KERNEL_STAGE_COUNT];
} KernelProgress;

typedef struct KernelMutant {
    KernelProgress *progress;
    FpdMachine *machine;
    const KernelSeed *seed;
    const char *text; // changed
    size_t size;
    const char *file; // where its text may be written
    FpdMode mode;
    bool run, show; // show: messages are printed
} KernelMutant;
void kernel_mutant_run(const KernelMutant *mutant);
const char *kernel_stage_name(KernelStage stage);

#endif
