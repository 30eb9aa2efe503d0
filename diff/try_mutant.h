// SPDX-License-Identifier: Apache-2.0
// Trying one mutant: shared by the files that try mutants.
#ifndef CONGRUENT_FPD_TRY_MUTANT_H
#define CONGRUENT_FPD_TRY_MUTANT_H

#include "diff/mutate.h"

// The case with some data, and its plain runs.
typedef struct FpdMutationData {
    FpdCase cas;
    FpdPrograms programs; // of `cas`
    const char *name;     // "seed 2"
    bool other_sizes;
    FpdRuns runs;
    FpdOutcome outcome;
} FpdMutationData;

// A copy of the case whose kernels are compiled as they are written, whatever its builds say. A build may license
// rewrites, which a switch would keep from happening.
FpdCase fpd_case_as_written(Arena *arena, const FpdCase *cas);
// Runs data->programs without a mutant, and keeps the contents of the case's buffers. False and diagnostics if they
// cannot be run. Of the runner's programs nothing is used.
bool fpd_run_plain(const FpdRunner *runner, FpdMutationData *data);
// Runs programs in which `variant` is mutated and compares it with the plain runs of the others. Always gives a class;
// SURVIVED: all is as expected. The reason is in `arena`; runner->arena and the diagnostics are only for the runs.
FpdMutantResult fpd_try_programs(const FpdRunner *runner, Arena *arena, const FpdMutationData *data, uint32_t variant);

#endif
