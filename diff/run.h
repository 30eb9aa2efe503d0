// SPDX-License-Identifier: Apache-2.0
// Runs: a variant in a mode, made with settings. A case plans a list of them. Where these plain runs leave a question,
// second runs repeat them with other settings. A run has the results, their records, what is unspecified in it, and
// races.
#ifndef CONGRUENT_FPD_RUN_H
#define CONGRUENT_FPD_RUN_H

#include "diff/machine.h"

typedef struct FpdRun FpdRun;

// ---- records.c: payloads beside the numbers of buffers --------------------------------------------------------------

// HostRecord.store of a record that no kernel stored, but a literal or an argument has.
#define FPD_NO_STORE HOST_NO_STORE
// Origins of unspecified values (tower_origin): a number of FpdRun.stores plus 1, or the number of a buffer without
// `fill` plus this.
#define FPD_ORIGIN_BUFFER (TOWER_ORIGIN_MAX / 2)

// What the case's constants stand for, in its chain: as many as it has meanings.
const TowerMeaning *fpd_chain_meanings(Arena *arena, const FpdCase *cas);
// The record of a float that is read as constants of a program are.
HostRecord fpd_literal_record(const FpdCase *cas, const TowerMeaning *meanings, ElementType type, uint64_t bits);
// Gives each element of a literal buffer its record. `bytes`: the buffer's contents.
void fpd_put_literals(const FpdCase *cas, const TowerMeaning *meanings, const FpdBuffer *buffer, RtDevice *device,
                      RtBuffer *memory, const uint8_t *bytes);
// Gives each finite float of a buffer a record whose components are drawn at random, independently of each other and of
// the number, by the seed and the buffer's index.
void fpd_put_drawn(const FpdCase *cas, uint32_t buffer, const Tower *tower, RtDevice *device, RtBuffer *memory,
                   const uint8_t *bytes);
// Whether elements of the type can have records: floats of at least a byte.
bool fpd_has_records(ElementType type);
// The records of all elements, zeros for one that has none. An unspecified element without a record gets a poisoned one
// that no kernel stored. NULL for integers, unless some are unspecified.
HostRecord *fpd_get_records(Arena *arena, const FpdBuffer *buffer, const RtDevice *device, const RtBuffer *memory);
// Element `index` of buffer compare[compared] of a run in mode wide (without `low`) or wider, as it would be without
// rounding. A float without a record counts as what it is: data, or a value of which nothing is known.
typedef struct FpdUnrounded {
    double high, low;
} FpdUnrounded;
FpdUnrounded fpd_unrounded(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index);
// Whether a launch stored the element with this record.
bool fpd_was_stored(const HostRecord *record);
// What `fpdiff run --payload` writes for an element, in words of 32 bits: four components, the state
// (sanitizer/tower.h), and STORED, LITERAL, or 0 for a value from outside, with TOWER_VERSION above.
enum { FPD_PAYLOAD_SIZE = 24, FPD_PAYLOAD_STORED = 1, FPD_PAYLOAD_LITERAL = 2, FPD_PAYLOAD_VERSION_SHIFT = 8 };
// Appends that for all elements of a buffer of floats; `records` may be NULL.
void fpd_print_payloads(const FpdCase *cas, const FpdBuffer *buffer, const uint8_t *bytes, const HostRecord *records,
                        Buffer *out);

// ---- run_matrix.c: running each variant in each mode ----------------------------------------------------------------

// An op of a launch that stores floats, or one that makes, passes on or depends on unspecified values.
typedef struct FpdStore {
    KernelStore by;     // its texts are the case's: modules are closed earlier
    uint32_t launch;    // of the variant, from 0
    const char *kernel; // of that launch
} FpdStore;

typedef struct FpdDecisions FpdDecisions;

// An op of a launch that makes floats, and what the range census counts of it.
typedef struct FpdCensusSite {
    KernelCensusSite by; // its texts are the case's
    uint32_t launch;     // of the variant, from 0
    const char *kernel;  // of that launch
    KernelCensusCount count;
} FpdCensusSite;

// What a run is made with, beside its variant and mode. Code is compiled for them.
typedef struct FpdSettings {
    unsigned chain;           // of the tower
    unsigned flips;           // CompileOptions.flips
    bool signed_roots;        // of the tower: the chain's signed tower
    bool deep;                // of the tower: a deep tower, see fpd_deep_chain
    bool degrees;             // of the tower: bounds of degrees in place of payloads (TOWER_DEGREES)
    bool quickly;             // compiled without optimisation: the runs are short, their code is made once
    uint8_t *const *contents; // what each buffer begins with; NULL: what the case says
    const bool *drawn;        // of the tower: buffers whose floats begin with payloads drawn at random; NULL: none
    uint64_t iterations;      // as in FpdMachine, if that has no limit
    CompileUnspecified unspecified;
    uint32_t other_values;   // of kernels of threads: which random values unwritten things have, from 0 on
    TowerMasks masks;        // of the tower
    bool origins;            // of the tower: integers know who made unspecified values; blocks run one after the other
    FpdDecisions *decisions; // of the tower: what ops that decide ask (decisions.c); blocks run likewise
    bool reverse;            // RtThreads.reverse
    const CompileReplaced *replaced; // of runs with a census: what if an op made no infinities and NaN? NULL: no op
} FpdSettings;

typedef enum FpdSecond {
#define SECOND(name, ...) FPD_SECOND_##name,
#include "diff/second_runs.def"
#undef SECOND
    FPD_SECOND_COUNT
} FpdSecond;

// What buffers held before the launches of a run, kept for runs that begin with the same.
typedef struct FpdBeginnings {
    const FpdCase *cas; // with its data
    CompileUnspecified unspecified;
    uint8_t *const *bytes; // per buffer of the case
} FpdBeginnings;

// A variant in a mode, and what came of it. Unless said otherwise, arrays have one entry per buffer of `compare`.
struct FpdRun {
    uint32_t variant, build; // of the case
    FpdMode mode;
    const FpdArithmetic *arithmetic; // of the mode, in the case's profile
    FpdSettings settings;
    const Tower *tower;                    // of the payloads beside the numbers; NULL: there are none
    bool has_records;                      // of payloads, or of numbers without rounding
    const FpdRun *numbers_of;              // the run that computes its numbers (FpdArithmetic); NULL: it runs itself
    const FpdRun *again[FPD_SECOND_COUNT]; // its second runs (second_runs.def); NULL: not made
    const FpdBeginnings *beginnings;       // of it and of runs planned by it; NULL: not kept

    uint8_t **bytes;                       // the bytes of each buffer after the last launch
    uint64_t *unwritten, *first_unwritten; // how many elements no launch wrote, and the first of them
    double seconds, processor_seconds;     // of the launches: wall-clock time, processor time of all threads
    uint32_t race_count;
    const struct FpdRace *races; // between the blocks of its launches
    bool races_incomplete;       // there may be more
    const FpdStore *writers;     // the last op in the code that stores to the buffer; `by.op` NULL: not known
    const FpdStore *last_stores; // likewise, of all runs; `writers` are those of cases with builds
    // Kernels that cuTile exported, "a, b", of which this build splits each fma although nobody says so; NULL: none.
    const char *split;
    struct FpdWarnings *warnings;         // of its launches
    struct FpdUnwritten *unwritten_reads; // of its launches of kernels of threads
    struct FpdFindings *findings;         // of its launches of kernels whose blocks have parts
    struct FpdTrace *trace;               // of kernels of threads (thread_trace.c); NULL: it has none
    const struct FpdSchedule *schedule;   // what another schedule changes; NULL: nothing, or nobody asked
    // Of a further build, where payloads or integers differ from those of the first one (decisions.c). NULL: not asked.
    const struct FpdTurns *turns;

    uint32_t census_count;
    FpdCensusSite *census; // of all launches of kernels of tiles, in the order of the code; NULL: nothing is counted
    HostRecord **records;  // with has_records: fpd_get_records
    // With payloads beside the numbers:
    uint32_t store_count;
    const FpdStore *stores; // of all launches, by the numbers in HostRecord.store
    // For each of `stores`: did an unspecified value decide about the op? 0: no; else 1 + the lowest block in which it
    // did. And who made that value (tower_origin; 0: only a run with FpdSettings.origins can know).
    uint64_t *uses;
    uint32_t *use_origins;
    size_t shadow_bytes; // memory for records

    // Without them: how many elements are unspecified, the first of them, and whether each is. NULL: nobody looked.
    uint64_t *unspecified, *first_unspecified;
    bool **is_unspecified;
    const char *unspecified_error; // why the run with other unspecified values failed, or NULL
};
typedef struct FpdRuns {
    uint32_t run_count;
    FpdRun *runs; // in the order of the case's modes, then of its builds, then of its variants
    double compile_seconds[FPD_MODE_COUNT], fill_seconds;
    ProgramUse *tiles; // per compared buffer: the tile in which the reference stores it
    bool races_checked;
} FpdRuns;

// What it takes to make runs.
typedef struct FpdRunner {
    Diagnostics *diagnostics;
    Arena *arena; // of the results
    FpdMachine *machine;
    FpdPrograms *programs;
} FpdRunner;

#define FPD_ALL_MODES UINT32_MAX
enum { FPD_ALL_VARIANTS = -1 };
// Plans the runs that a case asks for, in these modes (bit m: mode m), of this variant or of all. A run whose numbers a
// planned run in another mode computes (FpdArithmetic.numbers_of) will not run itself.
FpdRuns fpd_plan_runs(Arena *arena, const FpdCase *cas, uint32_t modes, int variant);
// The run in the first build, or in this one. NULL: there is none.
FpdRun *fpd_find_run(const FpdRuns *runs, FpdMode mode, uint32_t variant);
FpdRun *fpd_find_build_run(const FpdRuns *runs, FpdMode mode, uint32_t variant, uint32_t build);
// Makes the planned runs. `judge`: also finds the elements that were never written, and races. False and diagnostics if
// a run fails.
bool fpd_run_case(const FpdRunner *runner, bool judge, FpdRuns *runs);
// Copies results and races of run->numbers_of, which has been made, into the run.
void fpd_share_numbers(FpdRun *run);

// The settings of plain runs.
FpdSettings fpd_plain_settings(const FpdMachine *machine, const FpdCase *cas);
// Which of the deep towers goes with a chain: there are fewer of them.
unsigned fpd_deep_chain(unsigned chain);
// Plans a run of the same variant in the same mode with other settings.
FpdRun *fpd_plan_again(Arena *arena, const FpdRun *plain, const FpdSettings *settings);
// Makes such runs, all with the same settings. Kernels print nothing, and unwritten elements are not looked for. False
// and diagnostics if a run fails.
bool fpd_run_again(const FpdRunner *runner, uint32_t count, FpdRun *const *runs);

// ---- memory.c -------------------------------------------------------------------------------------------------------

// Bytes of the results of runs, with their records.
uint64_t fpd_result_bytes(const FpdCase *cas, uint32_t count, FpdRun *const *runs);
// False and a diagnostic, which says how many bytes, if these runs, beside the results of earlier ones
// (FpdPrograms.results), need more memory than FpdMachine.memory. `again`: they are second runs.
bool fpd_check_memory(Diagnostics *diagnostics, const FpdMachine *machine, const FpdPrograms *programs, bool again,
                      uint32_t count, FpdRun *const *runs);

// ---- run_addresses.c: addresses in memory ---------------------------------------------------------------------------

typedef struct FpdAddresses {
    Arena *arena; // of what is returned
    RtDevice *device;
    const FpdCase *cas;
    RtBuffer *const *buffers; // of the case
} FpdAddresses;
// Writes the addresses that the buffer is filled with, if it is. False and a diagnostic where the device fails, here
// and below.
bool fpd_put_addresses(const FpdAddresses *addresses, Diagnostics *diagnostics, uint32_t buffer);
// Memory that only this launch has: for each of its lists of arrays, in the order of parameters, a table as cuTile has
// it (of each array its address, sizes and strides, in words of 64 bits); then NULL. NULL: a diagnostic says why.
RtBuffer **fpd_open_tables(const FpdAddresses *addresses, Diagnostics *diagnostics, const FpdResolvedLaunch *launch);
void fpd_close_tables(const FpdAddresses *addresses, RtBuffer **tables);
// False and E_CASE if a compared buffer of i64 into which a launch of the variant may have stored addresses has one.
// `results`: what compared buffers hold.
bool fpd_check_addresses(const FpdAddresses *addresses, Diagnostics *diagnostics, const FpdPrograms *programs,
                         uint32_t variant, uint8_t *const *results);
// Memory of FpdResolvedLaunch.reached.
RtBuffer **fpd_reached_buffers(const FpdAddresses *addresses, const FpdResolvedLaunch *launch);

// Whether a view begins where no buffer could: what kernels assume of where their arrays begin need not hold then.
bool fpd_begins_inside(const FpdCase *cas);

// ---- run_threads.c: launches of kernels of threads ------------------------------------------------------------------

// What such a launch has while it runs.
typedef struct FpdThreadLaunch {
    Arena arena;
    RtDevice *device;
    RtThreads threads; // parameters and sizes are set
    uint32_t own_count;
    RtBuffer **own; // memory of the launch alone
} FpdThreadLaunch;
// Allocates and fills in what the parameters lack. fpd_close_threads is due also where it fails.
bool fpd_open_threads(FpdThreadLaunch *opened, Diagnostics *diagnostics, RtDevice *device,
                      const FpdResolvedLaunch *resolved, const KernelInfo *kernel, RtBuffer *const *buffers);
void fpd_close_threads(FpdThreadLaunch *opened);
// Whether some launch of the variant runs a kernel of threads.
bool fpd_has_threads(const FpdPrograms *programs, uint32_t variant);

typedef struct FpdWarning {
    uint32_t launch; // of the variant, from 0
    Location at;
    const char *message;
} FpdWarning;
typedef struct FpdWarnings {
    uint32_t count;
    size_t capacity;
    FpdWarning *items;
} FpdWarnings;
// Adds what a launch warned of, without the launch's label, unless it is there.
void fpd_keep_warnings(Arena *arena, const char *label, uint32_t launch, const Diagnostics *found,
                       FpdWarnings *warnings);
// Whether two warnings of a variant are alike: of one line, and the same but for numbers.
bool fpd_same_warning(const FpdWarning *a, const FpdWarning *b);

// ---- findings.c: what is wrong with how the parts of a block work together ------------------------------------------

typedef struct FpdFinding { // RtFinding
    uint32_t launch;        // of the variant, from 0
    const char *kernel, *kind, *message;
    Location at, other;
    uint32_t block[3]; // the lowest that has it
} FpdFinding;
typedef struct FpdFindings {
    uint32_t count;
    size_t capacity;
    FpdFinding *items;
    bool more; // than a launch keeps
} FpdFindings;
// Adds what launch `index` of the variant has found.
void fpd_keep_findings(Arena *arena, const RtLaunch *launch, uint32_t index, FpdFindings *findings);
// Whether two findings of a variant are the same, but for the block.
bool fpd_same_finding(const FpdFinding *a, const FpdFinding *b);
bool fpd_has_findings(const FpdRun *run);

// ---- run_threads.c again --------------------------------------------------------------------------------------------

// What kernels of threads may have read although nobody had written it: registers, local and shared memory.
typedef struct FpdUnwrittenRead {
    FpdStore by;      // the instruction that reads
    const char *what; // "%f3, which is not written on every way there"
} FpdUnwrittenRead;
typedef struct FpdUnwritten {
    uint32_t count;
    size_t capacity;
    FpdUnwrittenRead *items;
    uint64_t rounds; // of the block that looped most, as in RtThreads
} FpdUnwritten;
// Adds what the launch `index` of the variant has read, unless it is there.
void fpd_keep_unwritten(Arena *arena, const KernelInfo *kernel, const char *name, uint32_t index,
                        const RtUnwritten *found, FpdUnwritten *reads);

// Elements of compared buffers that are others under another schedule.
typedef struct FpdSchedule {
    uint64_t different, first; // the first: an element of `buffer`
    uint32_t buffer;           // of the case
} FpdSchedule;
// NULL: there are none, or there was no second run.
const FpdSchedule *fpd_compare_schedules(Arena *arena, const FpdCase *cas, const FpdRun *run);

// ---- thread_trace.c: who stored what kernels of threads leave -------------------------------------------------------

// A store, and the kinds of losses (bits by KernelLossKind) that what it stores may depend on.
typedef struct FpdTraced {
    FpdStore store;
    uint32_t losses;
} FpdTraced;
typedef struct FpdLoss {
    uint32_t launch;    // of the variant, from 0
    const char *kernel; // of that launch
    KernelLossKind kind;
    const char *op; // mnemonic
    Location at;
} FpdLoss;
typedef struct FpdTraceLaunch {
    const KernelInfo *kernel;
    const char *name;
    uint32_t launch, base; // RtThreads.writer_base
} FpdTraceLaunch;
typedef struct FpdTrace {
    Arena *arena;
    RtWriters *writers; // for each compared buffer. After the last launch `places` are 1 + numbers of `stores`
    uint32_t writer_count, base;
    FpdTraced *stores;
    FpdLoss *losses; // of all launches, in the order of the text; in payload arithmetic
    FpdTraceLaunch *launches;
    size_t store_count, store_capacity, loss_count, loss_capacity, launch_count, launch_capacity;
} FpdTrace;
FpdTrace *fpd_open_trace(Arena *arena, const FpdCase *cas, RtBuffer *const *buffers);
void fpd_trace_begin(FpdTrace *trace); // before the first launch
void fpd_trace_clear(FpdTrace *trace); // another launch may have stored anywhere
// Before a launch of threads: sets RtThreads.writers, and keeps what the kernel lost. `name`: of the kernel.
void fpd_trace_launch(FpdTrace *trace, const KernelInfo *kernel, const char *name, uint32_t launch, RtThreads *threads);
void fpd_trace_end(FpdTrace *trace); // after the last launch, while its kernels are there
// Who stored the element; NULL: not known.
const FpdTraced *fpd_traced(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index);
// Kinds of losses (bits by KernelLossKind) of the run that a comparison with `other` tells of.
uint32_t fpd_told_losses(const FpdRun *run, const FpdRun *other, bool diverged);

// ---- decisions.c: what another build decides otherwise --------------------------------------------------------------

// An op of a launch, and how often a build decided otherwise than the first one about the same payloads.
typedef struct FpdTurn {
    FpdStore op;
    uint64_t count;
} FpdTurn;
typedef struct FpdTurns {
    uint32_t count;
    const FpdTurn *items;   // in the order of launches and of the code
    const FpdRun *replayed; // the build, once more, with the decisions of the first one
} FpdTurns;

// The decisions of a run, op by op. It starts as zeros; arena_reset(&arena) frees it.
struct FpdDecisions {
    Arena arena;
    bool replays; // ops take over what is there; else it is recorded
    size_t logged, count, capacity;
    struct FpdDecider **deciders; // in the order of launches and of the code
};
// What an op that decides asks in the run with these decisions.
HostDecider *fpd_decider(FpdDecisions *decisions, const FpdStore *op);
// Runs both builds of a variant again if fpd_may_have_turned, and sets right->turns.
void fpd_find_turns(const FpdRunner *runner, const FpdRun *left, FpdRun *right);

// ---- unspecified.c: values that nobody specified --------------------------------------------------------------------

// Whether the buffer is unspecified until a launch writes it: it has no `fill`, and unspecified values are looked for.
bool fpd_leaves_unfilled(const FpdMachine *machine, const FpdCase *cas, uint32_t buffer);
// Writes what a buffer holds before the first launch of a plain run to `bytes`, which are buffer->bytes zeros. False
// and a diagnostic if a file is missing or does not fit.
bool fpd_fill_initial(Diagnostics *diagnostics, const FpdMachine *machine, const FpdCase *cas, uint32_t buffer,
                      CompileUnspecified unspecified, uint8_t *bytes);
// Whether a launch of the variant reads the buffer although neither the case nor an earlier launch has written it.
bool fpd_reads_unfilled(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer);
// Appends a line that says so. `where`: how it calls the launch ("here").
void fpd_print_unfilled(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer,
                        const char *where, Buffer *out);
// For runs without records: runs the variants that may have unspecified values again, with other such values, until
// elements change, and finds those (FpdRun.unspecified).
void fpd_find_unspecified(const FpdRunner *runner, FpdRuns *runs);
// How many elements that found; if the second run failed, one more.
uint64_t fpd_count_unspecified(const FpdCase *cas, const FpdRun *run);

// Whether unspecified values decided about ops of the plain run, or reached a compared element through integers. Then
// only a run with FpdSettings.origins knows who made them.
bool fpd_needs_origins(const FpdCase *cas, const FpdRun *run);
// Who made an unspecified value. If several did, it is the first op in the code, or a buffer if no op did.
typedef struct FpdOrigin {
    const char *what;   // what is unspecified; NULL: nothing is, or it is not known
    const FpdStore *op; // NULL: no op made it, but a buffer, or it is not known who did
} FpdOrigin;
// Who made element `index` of buffer compare[compared], and the value that decided about op stores[use].
FpdOrigin fpd_element_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index);
FpdOrigin fpd_use_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, uint32_t use);
// Sets buffers[i] for each buffer of the case that made such an element or value.
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
    bool harmless;            // memory ends the same and the same is read, in either order
    FpdRaceSide sides[2];     // at that element
} FpdRace;

// The search for races in the launches of one variant.
typedef struct FpdRaceSearch {
    Arena *arena;
    FpdPrograms *programs; // the search sets FpdResolvedLaunch.ordered
    FpdRun *run;
    bool again;     // the variant has to run again, because a launch has to run ordered
    bool back;      // the variant has to run once more, with ordered launches from the last block to the first
    bool backwards; // this is that run
} FpdRaceSearch;

// To be called before and after launch `index` of the variant. RtLaunch.races points to *state in between. If `search`
// is NULL nothing is looked for, but ordered launches stay ordered.
void fpd_races_before(const FpdRaceSearch *search, const FpdResolvedLaunch *resolved, RtLaunch *launch, RtRaces *state);
void fpd_races_after(FpdRaceSearch *search, uint32_t index, const RtLaunch *launch, RtBuffer *const *buffers);
// Drops what was found so far.
void fpd_races_forget(FpdRaceSearch *search);
// Whether the run has races that are not harmless.
bool fpd_has_races(const FpdRun *run);

#endif
