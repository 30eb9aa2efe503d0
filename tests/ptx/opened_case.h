// SPDX-License-Identifier: Apache-2.0
// A case file whose variants tests run one by one, each in the mode that they choose.
#ifndef CONGRUENT_TESTS_OPENED_CASE_H
#define CONGRUENT_TESTS_OPENED_CASE_H

#include "diff/run.h"

typedef struct OpenedCase {
    Diagnostics *diagnostics;
    FpdMachine *machine; // open, with keep_compiled
    Arena arena;
    FpdCase *cas;
    FpdPrograms *programs;
} OpenedCase;

// Loads the file and its modules. False and diagnostics on failure; opened_case_close is due in any case.
bool opened_case_load(OpenedCase *opened, const char *path);
// Runs a variant. The run lives as long as the case; NULL and diagnostics on failure.
const FpdRun *opened_case_run(OpenedCase *opened, uint32_t variant, FpdMode mode);
// Prints and forgets the diagnostics, and releases everything.
void opened_case_close(OpenedCase *opened);
// The variant of that name, or -1.
int opened_case_variant(const OpenedCase *opened, const char *name);
// The bytes of a buffer of `compare` after the run, and the buffer. NULL: there is none of that name.
uint8_t *opened_case_output(const OpenedCase *opened, const FpdRun *run, const char *name, const FpdBuffer **buffer);

#endif
