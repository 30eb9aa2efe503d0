// SPDX-License-Identifier: Apache-2.0
// Runs: a variant in a mode, made with settings. A case plans a list of them; second runs are made where those leave a
// question. Beside its results a run has records, what is unspecified in it, and races.
#ifndef CONGRUENT_FPD_RUN_H
#define CONGRUENT_FPD_RUN_H

#include "diff/machine.h"

// ---- records.c: payloads beside the numbers of buffers --------------------------------------------------------------

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
// Of what `run --payload` writes, the words of an element: four components, the state (sanitizer/tower.h), and one of
// these, or 0 for a value from outside.
enum { FPD_PAYLOAD_SIZE = 24, FPD_PAYLOAD_STORED = 1, FPD_PAYLOAD_LITERAL = 2 };
// Appends all elements of a buffer of floats; `records` may be NULL.
void fpd_print_payloads(const FpdCase *cas, const FpdBuffer *buffer, const uint8_t *bytes, const HostRecord *records,
                        Buffer *out);

// ---- run_matrix.c: running each variant in each mode ----------------------------------------------------------------

// An op of a launch that stores floats, or has to do with unspecified values.
typedef struct FpdStore {
    KernelStore by;     // its texts are the case's: modules are closed earlier
    uint32_t launch;    // of the variant, from 0
    const char *kernel; // of that launch
} FpdStore;

// What a run is made with. Code is compiled for all of it.
typedef struct FpdSettings {
    unsigned chain;           // of the tower
    unsigned flips;           // of CompileOptions
    bool signed_roots;        // the chain's signed tower
    uint8_t *const *contents; // what the buffers begin with, one for each; NULL: what the case fills in
    uint64_t iterations;      // as in FpdMachine, where that has none
    CompileUnspecified unspecified;
    TowerMasks masks; // of the tower
    bool origins;     // of the tower: integers know who made what is unspecified; blocks run one after the other
} FpdSettings;

typedef enum FpdSecond {
#define SECOND(name, ...) FPD_SECOND_##name,
#include "diff/second_runs.def"
#undef SECOND
    FPD_SECOND_COUNT
} FpdSecond;

// A variant in a mode, and what came of it. Arrays have one entry per buffer of `compare`.
typedef struct FpdRun FpdRun;
struct FpdRun {
    uint32_t variant;
    FpdMode mode;
    const FpdArithmetic *arithmetic; // of the mode, in the case's profile
    FpdSettings settings;
    const Tower *tower;                    // what the payloads beside the numbers are in; NULL: there are none
    const FpdRun *numbers_of;              // the run that has its numbers (FpdArithmetic); NULL: it runs itself
    const FpdRun *again[FPD_SECOND_COUNT]; // the same with the settings of second_runs.def; NULL: not run

    uint8_t **bytes;                       // memory bits after the last launch
    uint64_t *unwritten, *first_unwritten; // elements that no launch wrote, and the first of them
    double seconds;                        // of the launches
    uint32_t race_count;
    const struct FpdRace *races; // between the blocks of its launches
    bool races_incomplete;       // there may be more

    // With payloads beside the numbers:
    HostRecord **records; // one per element, zeros where there is none; NULL for integers
    uint32_t store_count; // what HostRecord.store counts
    const FpdStore *stores;
    // Ops that an unspecified value decided about, for each store of `stores`: 1 + the lowest block, 0: none.
    uint64_t *uses;
    uint32_t *use_origins; // and who made that value (tower_origin); 0: only a run with FpdSettings.origins knows
    size_t shadow_bytes;   // memory for records

    // Without: elements that are unspecified, the first of them, and of each whether it is; NULL: nobody looked.
    uint64_t *unspecified, *first_unspecified;
    bool **is_unspecified;
    const char *unspecified_error; // why the run with other unspecified values failed, or NULL
};
typedef struct FpdRuns {
    uint32_t run_count;
    FpdRun *runs; // in the order of the case's modes, then of its variants
    double compile_seconds[FPD_MODE_COUNT], fill_seconds;
    ProgramUse *tiles; // per compared buffer: the tile of the reference
    bool races_checked;
} FpdRuns;

// What running takes.
typedef struct FpdRunner {
    Diagnostics *diagnostics;
    Arena *arena; // of the results
    FpdMachine *machine;
    FpdPrograms *programs;
} FpdRunner;

#define FPD_ALL_MODES UINT32_MAX
enum { FPD_ALL_VARIANTS = -1 };
// The runs that a case asks for, in these modes (bit m: mode m) and of this variant. A mode whose numbers another one
// has (FpdArithmetic.numbers_of) makes no runs of its own where that one is among them.
FpdRuns fpd_plan_runs(Arena *arena, const FpdCase *cas, uint32_t modes, int variant);
// NULL: there is none.
FpdRun *fpd_find_run(const FpdRuns *runs, FpdMode mode, uint32_t variant);
// Fills the runs. `judge`: also finds out which elements were never written, and races. False and diagnostics if one
// cannot be run.
bool fpd_run_case(const FpdRunner *runner, bool judge, FpdRuns *runs);
// Gives a run that does not run itself the results that it shares.
void fpd_share_numbers(FpdRun *run);

// Those of the plain run.
FpdSettings fpd_plain_settings(const FpdMachine *machine, const FpdCase *cas);
// A run of the same variant in the same mode with other settings, to be run by fpd_run_again.
FpdRun *fpd_plan_again(Arena *arena, const FpdRun *plain, const FpdSettings *settings);
// Fills planned runs, all with the same settings: the one way to a second run. Nothing is printed; what was never
// written is not looked for.
bool fpd_run_again(const FpdRunner *runner, uint32_t count, FpdRun *const *runs);

// ---- unspecified.c: values that nobody specified --------------------------------------------------------------------
// Whether what no launch writes into the buffer is unspecified.
bool fpd_leaves_unfilled(const FpdMachine *machine, const FpdCase *cas, uint32_t buffer);
// What stands in such a buffer.
void fpd_fill_unspecified(const FpdBuffer *buffer, CompileUnspecified unspecified, uint8_t *bytes);
// Whether a launch of the variant reads the buffer, which neither the case nor an earlier launch has written.
bool fpd_reads_unfilled(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer);
// That it does, as a line; `where`: "here".
void fpd_print_unfilled(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer,
                        const char *where, Buffer *out);
// In modes whose runs do not know what is unspecified: runs the variants once more with other unspecified values, where
// there may be any, and finds the elements that change (FpdRun.unspecified).
void fpd_find_unspecified(const FpdRunner *runner, FpdRuns *runs);

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
FpdOrigin fpd_element_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index);
FpdOrigin fpd_use_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, uint32_t use);
// Sets the entries of the buffers without `fill` that such elements and uses come from.
void fpd_find_origin_buffers(const FpdCase *cas, const FpdRun *run, bool *buffers);

// ---- races.c: races between the blocks of a launch ------------------------------------------------------------------

// One of two accesses that race.
typedef struct FpdRaceSide {
    uint32_t block[3];
    uint32_t number; // of the op among those of the kernel
    KernelAccess by; // its texts are the case's
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
    FpdPrograms *programs; // `ordered` of its launches is set
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

#endif
