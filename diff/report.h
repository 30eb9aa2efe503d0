// SPDX-License-Identifier: Apache-2.0
// Reports of outcomes, for people and as JSON; and what `fpdiff show` writes.
#ifndef CONGRUENT_FPD_REPORT_H
#define CONGRUENT_FPD_REPORT_H

#include "diff/judge.h"

// ---- report_text.c, report_tower.c, report_threads.c, report_json.c, show_case.c
// ------------------------------------------------------

typedef struct FpdVersions {
    const char *congruent, *llvm, *cpu, *libyaml, *jansson; // llvm and cpu: NULL if the compiler was not opened
    const char *target, *gpu, *device;                      // NULL: the host; no GPU; not known
} FpdVersions;

// Appends a line for each warning of the runs; what a variant had in several modes once.
void fpd_print_warnings(const FpdCase *cas, const FpdRuns *runs, Buffer *out);
void fpd_print_outcome(const FpdOutcome *outcome, bool color, Buffer *out);
// The report of all cases as JSON text, ending in a newline.
void fpd_print_json(const FpdOutcome *outcomes, size_t count, int status, const FpdVersions *versions, Buffer *out);
void fpd_print_programs(const FpdPrograms *programs, Buffer *out);
// Appends an index of several dimensions, "[0, 3, 17]", for a linear one.
void fpd_print_index(const FpdBuffer *buffer, uint64_t linear, Buffer *out);

#endif
