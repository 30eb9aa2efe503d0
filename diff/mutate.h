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
    FpdMutantClass class;
    const char *reason; // what was found, one line; NULL: nothing
} FpdMutantResult;

typedef struct FpdMutation {
    const FpdCase *cas; // as it is run: its kernels are compiled as they are written
    FpdMutants *mutants;
    const bool *chosen;       // of each mutant: whether it is tried
    FpdMutantResult *results; // of each mutant; UNTRIED where it was not
    uint32_t chosen_count, tried_count;
    bool has_run;            // the case without a mutant; what follows is not known before
    bool as_expected;        // how that came out; if not, no mutant is tried
    uint32_t data_count;     // sets of data that survivors run with, that of the case among them
    uint32_t size_count;     // of these: with other sizes
    const char **data_names; // "seed 2", "N = 100"; NULL of the first
} FpdMutation;

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
// Hears what is found at once. `context` is its own.
typedef struct FpdMutationListener {
    void *context;
    void (*has_run)(void *context, const FpdMutation *mutation); // the case has, and mutants are next
    void (*has_tried)(void *context, uint32_t index, const FpdMutantResult *result); // called by several threads
} FpdMutationListener;
// Lists the mutants of the case, and runs nothing. What it fills in is in the arena; the caller closes
// mutation->mutants (fpd_close_mutants), also where it fails. False and diagnostics if the case cannot be mutated.
bool fpd_plan_mutation(Diagnostics *diagnostics, Arena *arena, FpdPrograms *programs, const FpdMutationOptions *options,
                       FpdMutation *mutation);
// Runs the case, then the mutants that were planned, on as many threads as the machine has jobs. `programs` of the
// runner are those of the plan. `listener` may be NULL. False and diagnostics if the case cannot be run.
bool fpd_try_mutants(const FpdRunner *runner, const FpdMutationOptions *options, const FpdMutationListener *listener,
                     FpdMutation *mutation);

// ---- report_mutants.c -----------------------------------------------------------------------------------------------

// What a report of a mutation says of its run.
typedef struct FpdMutationRun {
    const char *key;    // FpdTasks.key
    const json_t *head; // fpd_session_head
    uint64_t shard, shard_count;
    double threshold;         // percent, less is bad
    const char *source_root;  // as in ReportSettings
    const char *interruption; // why mutants were not tried; NULL: all were
    int status;               // the exit status, but for the threshold
} FpdMutationRun;
#define FPD_MUTATION_SCHEMA    "2"                // "schemaVersion"
#define FPD_MUTATION_FRAMEWORK "congruent fpdiff" // "name" of "framework"
// The report in the documented fields of the mutation testing report schema of Stryker, version 2. What that has no
// field for is in its free "config" (docs/mutants.md).
json_t *fpd_json_mutation(const FpdMutation *mutation, const FpdMutationRun *run);
// The same where mutants could not be listed: without files, and with the case's path and why in "config".
json_t *fpd_json_no_mutation(const char *case_file, const FpdMutationRun *run);

// ---- print_mutants.c: what is in such a report, whether it was just made or read ------------------------------------

// The class that a "statusReason" begins with, and the reason behind it. False: it begins with none.
bool fpd_mutant_class_read(const char *status_reason, FpdMutantClass *class, const char **reason);
// Sets "score" and "thresholds": killed mutants in percent of those that were tried, and are neither equivalent nor
// refused. Null if there are none.
void fpd_set_mutation_score(json_t *report);
// Whether there is a score, and it is below the threshold.
bool fpd_is_weak(const json_t *report);
// Appends the report for people.
void fpd_print_mutation(const json_t *report, Buffer *out);

#endif
