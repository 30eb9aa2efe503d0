// SPDX-License-Identifier: Apache-2.0
// What the files that run a case share.
#ifndef CONGRUENT_MATRIX_H
#define CONGRUENT_MATRIX_H

#include "diff/run.h"

typedef struct FpdMatrix {
    Diagnostics *diagnostics;
    Arena *arena;
    FpdMachine *machine;
    FpdPrograms *programs;
    const FpdCase *cas;
    Arena beginnings;             // of `initial`
    uint8_t *const *initial;      // per buffer
    RtBuffer **buffers;           // per buffer
    const TowerMeaning *meanings; // profile tower
    const FpdSettings *settings;
    bool keeps_uses;              // of unspecified values, and what the census counts
    bool overlaps, begins_inside; // fpd_has_overlaps, fpd_begins_inside
    bool looks_for_races;
    bool checks_parts;     // of blocks: FpdRun.findings
    FpdRaceSearch *search; // of the run; NULL: races are not looked for
} FpdMatrix;

// ---- run_matrix.c ---------------------------------------------------------------------------------------------------

// One line on the terminal, overwritten.
void fpd_show_progress(const FpdMachine *machine, const char *text);

// ---- plan_runs.c ----------------------------------------------------------------------------------------------------

// The number of the tower that runs with these settings have.
unsigned fpd_run_chain(const FpdSettings *settings);

// ---- compile_runs.c -------------------------------------------------------------------------------------------------
//
// Functions that return bool give false after a diagnostic.

// Compiles what these runs of that mode launch and is not compiled yet.
bool fpd_compile_runs(FpdMatrix *x, FpdMode mode, uint32_t run_count, FpdRun *const *runs);
// The kernel of a launch in the compiled module; NULL after a diagnostic.
const KernelInfo *fpd_find_kernel(const FpdMatrix *x, const FpdRun *run, uint32_t index);
// Who stores: for records (run->stores), for compared buffers, and the kernels whose fma ops were split.
bool fpd_collect_stores(FpdMatrix *x, FpdRun *run);
const FpdStore *fpd_collect_writers(const FpdMatrix *x, uint32_t variant);
const char *fpd_collect_split(const FpdMatrix *x, const FpdRun *run);
// The range census of a run: its sites, what a launch counted, and the sites in the order of the code at the end.
bool fpd_open_census(FpdMatrix *x, FpdRun *run);
void fpd_keep_census(const FpdRun *run, uint32_t launch, const KernelCensusCount *counts);
void fpd_sort_census(FpdRun *run);

// ---- begin_buffers.c: likewise --------------------------------------------------------------------------------------

// Device memory for the buffers.
bool fpd_prepare_buffers(FpdMatrix *x);
// Their initial contents: made, and kept for second runs if they take little memory; or those that were kept.
bool fpd_fill_and_keep(FpdMatrix *x, uint32_t count, FpdRun *const *runs);
bool fpd_begin_as(FpdMatrix *x, const FpdCase *cas, const FpdBeginnings *kept);
// Before the launches of a run. What an earlier run left is gone: not even buffers that no launch seems to have written
// stay as they are, for a store through a pointer of unknown origin may have hit any.
bool fpd_begin_buffers(const FpdMatrix *x, Diagnostics *diagnostics, const FpdRun *run);

#endif
