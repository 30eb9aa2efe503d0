// SPDX-License-Identifier: Apache-2.0
// Running a case: each variant in each mode, second runs where those leave a question, and what is known of a run
// beside its results: records, unspecified values, races.
#ifndef CONGRUENT_FPD_RUN_H
#define CONGRUENT_FPD_RUN_H

#include "diff/machine.h"

// ---- records.c: payloads beside buffers (profile tower) -------------------------------------------------------------

// HostRecord.store of a record that no kernel stored: of a literal or an argument.
#define FPD_NO_STORE UINT32_MAX
// Origins of unspecified values (tower_origin): 1 and the number of a store of the run, or this and the number of a
// buffer without `fill`.
#define FPD_ORIGIN_BUFFER (TOWER_ORIGIN_MAX / 2)
static const uint64_t FPD_RECORD_BYTES_MAX = 4ull << 30; // of all results of a case together

// What the case's constants stand for, in its chain.
const TowerMeaning *fpd_chain_meanings(Arena *arena, const FpdCase *cas);
// The record of a float that is read as constants of the program are.
HostRecord fpd_literal_record(const FpdCase *cas, const TowerMeaning *meanings, ElementType type, uint64_t bits);
// Gives the elements of a literal buffer with these contents such records.
void fpd_put_literals(const FpdCase *cas, const TowerMeaning *meanings, const FpdBuffer *buffer, RtDevice *device,
                      RtBuffer *memory, const uint8_t *bytes);
// Whether records exist for elements of the type: floats of at least a byte.
bool fpd_has_records(ElementType type);
// The records of all elements, zeros where there is none; what is unspecified and has none gets one that no kernel
// stored. Of integers NULL unless some are unspecified.
HostRecord *fpd_get_records(Arena *arena, const FpdBuffer *buffer, const RtDevice *device, const RtBuffer *memory);
// Whether a launch stored the element that the record is of.
bool fpd_was_stored(const HostRecord *record);
// False and E_CASE if the results of `variants` variants have more records than FPD_RECORD_BYTES_MAX.
bool fpd_check_records(Diagnostics *diagnostics, const FpdCase *cas, uint32_t variants);

// ---- run_matrix.c: running each variant in each mode ----------------------------------------------------------------

// An op of a launch that stores floats.
typedef struct FpdStore {
    const char *op; // mnemonic
    Location at;
    uint32_t launch;         // of the variant, from 0
    const char *kernel;      // of that launch
    const char *unspecified; // what makes a value unspecified there, NULL: nothing
    bool passed_on;          // but it was made elsewhere: the op passes it on, or depends on it
} FpdStore;
// One variant in one mode. Arrays have one entry per buffer of `compare`.
typedef struct FpdRun {
    uint8_t **bytes;      // memory bits after the last launch
    HostRecord **records; // tower: one per element, zeros where there is none; NULL for integers
    uint32_t store_count; // tower: what HostRecord.store counts
    const FpdStore *stores;
    // Tower: ops that an unspecified value decided about, for each store of `stores`: 1 + the lowest block, 0: none.
    uint64_t *uses;
    uint32_t *use_origins; // and who made that value (tower_origin); 0: only a run with FpdSettings.origins knows
    // Other modes: elements that are unspecified, the first of them, and of each whether it is; NULL: nobody looked.
    uint64_t *unspecified, *first_unspecified;
    bool **is_unspecified;
    const char *unspecified_error;         // why the run with other unspecified values failed, or NULL
    size_t shadow_bytes;                   // tower: memory for records
    uint64_t *unwritten, *first_unwritten; // elements that no launch wrote, and the first of them
    double seconds;                        // of the launches
    uint32_t race_count;
    const struct FpdRace *races; // between the blocks of its launches
    bool races_incomplete;       // there may be more
} FpdRun;
typedef enum FpdSecond {
#define SECOND(name, ...) FPD_SECOND_##name,
#include "diff/second_runs.def"
#undef SECOND
    FPD_SECOND_COUNT
} FpdSecond;
typedef struct FpdRuns {
    FpdRun *runs[FPD_MODE_COUNT]; // per mode of the case (by mode number), per variant; NULL: not run
    // By FpdSecond, per variant: what fpd_run_second found necessary, in mode fpsan; NULL, or no bytes: not run.
    FpdRun *second[FPD_SECOND_COUNT + 1];
    double compile_seconds[FPD_MODE_COUNT], read_seconds, fill_seconds;
    ProgramUse *tiles; // per compared buffer: the tile of the reference
    bool races_checked;
} FpdRuns;

// Runs what is selected (bit m: mode m; only_variant -1: all). `judge`: also find out which elements were never
// written. Profile tower: where fpsan is among the modes, ieee is the same run.
bool fpd_run_case(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, FpdProgram *program, uint32_t modes,
                  int only_variant, bool judge, FpdRuns *runs);
void fpd_close_compiled(const FpdMachine *machine, FpdProgram *program);

// What tells a run from the plain one of its case. Each is a field; code is compiled for all of them.
typedef struct FpdSettings {
    unsigned chain;           // of the tower
    unsigned flips;           // of CompileOptions
    bool signed_roots;        // the chain's signed tower
    uint8_t *const *contents; // what the buffers begin with, one for each; NULL: what the case fills in
    uint64_t rounds;          // as FpdMachine has them, where that has none
    CompileUnspecified unspecified;
    TowerMasks masks; // of the tower
    bool origins;     // of the tower: integers know who made what is unspecified; blocks run one after the other
} FpdSettings;
// Those of the plain run.
FpdSettings fpd_plain_settings(const FpdMachine *machine, const FpdCase *cas);
// Runs variants (an entry of `variants` and of `runs` for each) once more in a mode, with other settings: the one way
// to a second run. Nothing is printed; what was never written is not looked for. The results are in the arena.
bool fpd_run_again(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, const FpdProgram *program, FpdMode mode,
                   const FpdSettings *settings, const bool *variants, FpdRun *runs);

// ---- find_unspecified.c: values that nobody specified ---------------------------------------------------------------
// Whether what no launch writes into the buffer is unspecified.
bool fpd_leaves_unfilled(const FpdMachine *machine, const FpdCase *cas, uint32_t buffer);
// What stands in such a buffer.
void fpd_fill_unspecified(const FpdBuffer *buffer, CompileUnspecified unspecified, uint8_t *bytes);
// In modes whose runs do not know what is unspecified: runs the variants once more with other unspecified values, where
// there may be any, and finds the elements that change (FpdRun.unspecified).
bool fpd_find_unspecified(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, const FpdProgram *program,
                          FpdRuns *runs);

// ---- unspecified_origin.c: who made them, in mode fpsan of profile tower --------------------------------------------
// Whether ops depended on something unspecified in the plain run, or compared elements that are so came from integers:
// then only a run with FpdSettings.origins says who made it.
bool fpd_needs_origins(const FpdCase *cas, const FpdRun *run);
// What made something unspecified: what that is, and the op, NULL where it is none. Of several the first in the code,
// and buffers after all ops.
typedef struct FpdOrigin {
    const char *what; // NULL: nothing is unspecified, or nobody knows more than the plain run does
    const FpdStore *op;
} FpdOrigin;
// Of an element of result `compared` (an index of `compare`), and of what op `use` of FpdRun.uses depended on.
FpdOrigin fpd_element_origin(Arena *arena, const FpdCase *cas, const FpdRuns *runs, uint32_t variant, uint32_t compared,
                             uint64_t index);
FpdOrigin fpd_use_origin(Arena *arena, const FpdCase *cas, const FpdRuns *runs, uint32_t variant, uint32_t use);
// Sets the entries of the buffers without `fill` that such elements and uses come from.
void fpd_find_origin_buffers(const FpdCase *cas, const FpdRuns *runs, uint32_t variant, bool *buffers);

// ---- races.c: races between the blocks of a launch ------------------------------------------------------------------

// One of two accesses that race.
typedef struct FpdRaceSide {
    uint32_t block[3];
    uint32_t number; // of the op among those of the kernel
    const char *op;  // mnemonic
    Location at;
    bool writes;
} FpdRaceSide;
// All races in a buffer of one launch between the same two ops.
typedef struct FpdRace {
    uint32_t variant, launch; // from 0 on
    const char *kernel;       // name before the mangling
    const char *name;         // of the buffer or global
    int64_t buffer;           // index into the case's buffers; -1: a global
    uint64_t first;           // linear index of an element; of a global the byte
    uint64_t elements;        // that race
    bool harmless;            // in any order memory ends the same and the same is read
    FpdRaceSide sides[2];     // at that element
} FpdRace;

// What is looked for in the launches of one variant, and what was found.
typedef struct FpdRaceSearch {
    Arena *arena;
    FpdProgram *program; // `ordered` of its launches is set
    uint32_t variant;
    FpdRun *run;
    bool again;     // some launch has to run again, ordered, and the variant with it
    bool back;      // some ordered launch has to run from the last block to the first, too
    bool backwards; // those do
} FpdRaceSearch;

// Before and after launch `index` of the variant; `state` is what `races` of the launch points to in between. With
// `search` NULL nothing is looked for, and launches that are ordered stay so.
void fpd_races_before(const FpdRaceSearch *search, const FpdResolvedLaunch *resolved, RtLaunch *launch, RtRaces *state);
void fpd_races_after(FpdRaceSearch *search, uint32_t index, const RtLaunch *launch, RtBuffer *const *buffers);
// What was found so far is nothing.
void fpd_races_forget(FpdRaceSearch *search);
// Whether the run has races that change something.
bool fpd_has_races(const FpdRun *run);

// ---- second_runs.c --------------------------------------------------------------------------------------------------
// The second runs (second_runs.def) that the plain ones ask for; fpd_judge then knows what they say.
bool fpd_run_second(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, const FpdProgram *program,
                    FpdRuns *runs);

#endif
