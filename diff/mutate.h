// SPDX-License-Identifier: Apache-2.0
// How strong is a case? Every mutant of its variants is compared with the other variants as the case says, and should
// not come out as expected.
#ifndef CONGRUENT_FPD_MUTATE_H
#define CONGRUENT_FPD_MUTATE_H

#include "diff/mutants.h"

#include <jansson.h>

// ---- mutate_case.c, try_mutant.c ------------------------------------------------------------------------------------

typedef enum FpdMutantClass {
#define CLASS(name, ...) FPD_MUTANT_##name,
#include "diff/mutant_classes.def"
#undef CLASS
    FPD_MUTANT_COUNT
} FpdMutantClass;
typedef struct FpdMutantClassInfo { // a row of mutant_classes.def
    const char *word, *status, *meaning;
} FpdMutantClassInfo;
const FpdMutantClassInfo *fpd_mutant_class_info(FpdMutantClass class);

typedef struct FpdMutantResult {
    bool tried; // false: it is another shard's
    FpdMutantClass class;
    const char *reason; // what was found, one line; NULL: nothing
} FpdMutantResult;

typedef struct FpdMutation {
    const FpdCase *cas;
    FpdMutants *mutants;
    FpdMutantResult *results; // of each mutant
    uint32_t tried, counts[FPD_MUTANT_COUNT];
    uint32_t data_count;     // sets of data that survivors ran with, that of the case among them
    uint32_t size_count;     // of these: with other sizes
    const char **data_names; // "seed 2", "N = 100"; NULL of the first
    bool as_expected;        // the case itself, without a mutant; if not, no mutant was tried
    const FpdOutcome *plain; // of that
} FpdMutation;
// Killed mutants in percent of all that are not equivalent; 100 if there are none.
double fpd_mutation_score(const FpdMutation *mutation);

// The case with other parameters.
typedef struct FpdMutationOther {
    FpdPrograms *programs;
    const char *name; // "N = 100"
} FpdMutationOther;
typedef struct FpdMutationOptions {
    const FpdMutationOther *others; // that survivors are tried with
    uint32_t other_count;
    uint64_t shard, shard_count; // 1 of 1: all mutants
    bool alone;                  // each is built alone, without a switch: for tests
    const bool *chosen;          // of each mutant: whether it is tried; NULL: all are
} FpdMutationOptions;
// Runs the case, then its mutants on as many threads as the machine has jobs. What it fills in is the runner's arena's;
// the caller closes mutation->mutants (fpd_close_mutants), also where it fails. False and diagnostics if the case
// cannot be run, or cannot be mutated.
bool fpd_mutate_case(const FpdRunner *runner, const FpdMutationOptions *options, FpdMutation *mutation);

// ---- report_mutants.c -----------------------------------------------------------------------------------------------

// Appends the report for people.
void fpd_print_mutation(const FpdMutation *mutation, Buffer *out);
// The report in the documented fields of the mutation testing report schema of Stryker, version 2. `threshold`:
// percent, less is bad.
json_t *fpd_json_mutation(const FpdMutation *mutation, double threshold);

#endif
