// SPDX-License-Identifier: Apache-2.0
// fpdiff: reads a case, runs its variants in every mode, compares the results and reports. One block per file, in
// reading order.
//
// A case is read into an FpdCase, run into FpdRuns, compared into an FpdOutcome and printed from that; each step is a
// function that can be used (and is tested) without the others. Everything lives in the arena given to it; errors go to
// the Diagnostics given.
#ifndef CONGRUENT_FPD_H
#define CONGRUENT_FPD_H

#include "base/base.h"
#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"
#include "runtime/cache.h"
#include "runtime/rt.h"
#include "sanitizer/format/format.h"
#include "sanitizer/fpsan.h"

#include <stdio.h>

// ---- element.c: how elements lie in memory, their text --------------------------------------------------------------

enum { FPD_RANK_MAX = 8, FPD_TEXT_SIZE = 40 };
static const uint64_t FPD_BYTES_MAX = 4ull << 30; // all buffers of a case together

// Bytes of `elements` elements in memory.
uint64_t fpd_type_bytes(ElementType type, uint64_t elements);
// The bits of element `index` of a buffer, and writing them.
uint64_t fpd_element_bits(ElementType type, const uint8_t *bytes, uint64_t index);
void fpd_element_set(ElementType type, uint8_t *bytes, uint64_t index, uint64_t bits);
// The value: floats exactly, integers (signed; i1: 0 or 1) rounded to double.
double fpd_element_value(ElementType type, uint64_t bits);
// Bits to text: a decimal that tells elements of the type apart (FPD_TEXT_SIZE bytes), "nan", "inf", "-inf".
void fpd_element_text(ElementType type, uint64_t bits, char *text);
// The bits of a number written in a case ("0.125", "0x1p-3", "-inf", "-3", "true"); rounded to nearest even. False, and
// what was expected in *expected, if `text` is no number of the type or beyond its range.
bool fpd_element_parse(ElementType type, const char *text, uint64_t *bits, const char **expected);
// How many representable values apart two floats are: 0 for equal ones and for +0 and -0. Both must be numbers (not
// NaN).
uint64_t fpd_element_ulps(ElementType type, uint64_t a, uint64_t b);

// ---- case_nodes.c: YAML as a tree
// ---------------------------------------------------------------------------------------

typedef struct FpdNode FpdNode;
struct FpdNode {
    enum { FPD_SCALAR, FPD_LIST, FPD_MAPPING } kind;
    const char *text; // of a scalar
    uint32_t column;  // of the scalar's first character; 0 if its characters are not one column each in one line
    uint32_t count;   // items of a list, pairs of a mapping
    FpdNode *items;   // list items, values of a mapping
    FpdNode *keys;    // of a mapping: scalars, no two alike
    Location at;
};
enum { FPD_DEPTH_MAX = 8, FPD_CASE_SIZE_MAX = 1 << 20, FPD_ITEMS_MAX = 4096 };

// Reads YAML of one document without anchors, aliases, tags and duplicate keys. NULL and one diagnostic (E_CASE with
// line and column) otherwise. `path` is what messages name; `text` is not kept.
FpdNode *fpd_parse_nodes(Diagnostics *diagnostics, Arena *arena, const char *path, const uint8_t *text, size_t size);

// ---- load_case.c, case_keys.c, case_buffers.c, meaning.c: case files
// --------------------------------------------------------------------------------------------

typedef enum FpdFillKind {
#define FILL(name, ...) FPD_FILL_##name,
#include "diff/fills.def"
#undef FILL
    FPD_FILL_COUNT
} FpdFillKind;

typedef struct FpdFill {
    FpdFillKind kind;
    bool given;          // the case says so; otherwise zeros
    uint64_t constant;   // bits
    double low, high;    // uniform; normal: mean and standard deviation; adversarial: high is the scale
    int64_t first, last; // integers, both included; adversarial: first is the axis
    const char *file;    // path
    Location at;
} FpdFill;

typedef struct FpdBuffer {
    const char *name;
    ElementType type;
    uint32_t rank;
    int64_t shape[FPD_RANK_MAX];
    uint64_t elements, bytes;
    FpdFill fill;
    bool literal; // tower: its elements are read as constants of the program are
    Location at;
} FpdBuffer;

typedef enum FpdArgumentKind {
    FPD_ARGUMENT_BUFFER,
    FPD_ARGUMENT_POINTER,
    FPD_ARGUMENT_SHAPE,
    FPD_ARGUMENT_STRIDE,
    FPD_ARGUMENT_VALUE
} FpdArgumentKind;
typedef struct FpdArgument {
    FpdArgumentKind kind;
    const char *text;   // as written
    uint32_t buffer;    // index into the case's buffers
    uint32_t dimension; // of a shape or stride
    ElementType type;   // of a value
    uint64_t bits;      // of a value
    Location at;
} FpdArgument;

typedef struct FpdLaunch {
    const char *module; // path as written
    const char *path;   // resolved against the case file
    const char *kernel; // or NULL
    uint32_t grid[3];
    uint32_t argument_count;
    FpdArgument *arguments;
    Location at, module_at, kernel_at, arguments_at;
} FpdLaunch;

typedef struct FpdVariant {
    const char *name;
    uint32_t launch_count;
    FpdLaunch *launches;
    Location at;
} FpdVariant;

typedef enum FpdMode {
#define MODE(name, ...) FPD_MODE_##name,
#include "diff/modes.def"
#undef MODE
    FPD_MODE_COUNT
} FpdMode;

// `means: {NUMBER: EXPRESSION}`: what a constant of the program stands for.
typedef struct FpdMeaning {
    const char *number, *expression; // as written
    double value;
    TowerPayload payload[TOWER_COUNT]; // of the expression, in each tower
    Location at;
} FpdMeaning;

typedef struct FpdCase {
    const char *path, *title; // the title may be NULL
    uint32_t buffer_count, variant_count, compare_count, mode_count;
    FpdBuffer *buffers;
    FpdVariant *variants; // the first is the reference
    uint32_t *compare;    // indices of buffers
    FpdMode modes[FPD_MODE_COUNT];
    bool tower; // profile tower: mode fpsan carries payloads beside IEEE values, and mode ieee is read off the same run
    bool profile_given;   // the case file names the profile
    unsigned chain;       // of the tower
    FpsanAlgebra algebra; // of other profiles
    uint32_t meaning_count;
    FpdMeaning *meanings;
    uint64_t seed;
    bool has_tolerance; // of the IEEE mode
    double rtol, atol;
    bool expect_diverge;
    bool allow_vacuous, allow_roots, allow_unspecified;
} FpdCase;

const char *fpd_mode_name(FpdMode mode);
bool fpd_mode_by_name(const char *name, FpdMode *mode);
bool fpd_mode_is_payload(FpdMode mode);

// Reads a case file; NULL and one diagnostic (E_CASE with line and column, E_FILE) if it is wrong. Files it names must
// exist.
FpdCase *fpd_load_case(Diagnostics *diagnostics, Arena *arena, const char *path);
// The same of text that lies in memory; the files it names are looked for beside `path`.
FpdCase *fpd_parse_case(Diagnostics *diagnostics, Arena *arena, const char *path, const uint8_t *text, size_t size);

// ---- random.c, fill.c, npy.c: initial contents of buffers
// ---------------------------------------------------------------

// 128 random bits of a counter: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2,
// 3", SC 2011).
void fpd_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t result[4]);
// The inverse of the normal distribution function at 0 < p < 1, in plain double arithmetic (no math library), error
// below 1e-15 relative: Wichura, "Algorithm AS 241", Applied Statistics 37 (1988), 477-484, with a logarithm of its
// own.
double fpd_normal_quantile(double p);
double fpd_log(double x); // natural logarithm of a positive normal number, the same bits on every machine

// Writes the initial contents of the buffer to `bytes` (buffer->bytes of them, zeroed). Random fills depend on seed,
// buffer name and element index only; up to `jobs` threads work. False and a diagnostic if a file is missing or does
// not fit.
bool fpd_fill_buffer(Diagnostics *diagnostics, const FpdBuffer *buffer, uint64_t seed, unsigned jobs, uint8_t *bytes);
// The data of a .npy file whose type and shape must be the buffer's; *data points into `file`.
bool fpd_read_npy(Diagnostics *diagnostics, const FpdBuffer *buffer, const uint8_t *file, size_t size,
                  const uint8_t **data);

// ---- entry_name.c, arguments.c: what an entry takes, and what a launch gives it
// -----------------------------------------

typedef struct FpdParameter {
    bool pointer;
    ElementType type; // of the number, or of the pointee
} FpdParameter;

// A parameter of a kernel as its author wrote it: an array becomes several parameters of the entry.
typedef struct FpdFormal {
    enum { FPD_FORMAL_ARRAY, FPD_FORMAL_SCALAR } kind;
    ElementType type;
    uint32_t rank;
    ElementType index_type;
    // What the entry was compiled for, per dimension; FPD_NOT_FIXED where nothing was. Divisors are 1 where nothing
    // was.
    int64_t size[FPD_RANK_MAX], stride[FPD_RANK_MAX], stride_min[FPD_RANK_MAX];
    int64_t size_divisor[FPD_RANK_MAX], stride_divisor[FPD_RANK_MAX], base_divisor;
} FpdFormal;
#define FPD_NOT_FIXED INT64_MIN

typedef struct FpdEntryName {
    bool mangled;     // by cuTile: "NAME_Kt1_..."
    const char *name; // before the mangling
    uint32_t formal_count;
    FpdFormal *formals; // constants left out, tuples flattened
} FpdEntryName;

// Takes apart an entry's name. False, and why in *problem, if it is mangled in a way that is not known.
bool fpd_read_entry_name(Arena *arena, const char *symbol, FpdEntryName *name, const char **problem);

// The value of one entry parameter.
typedef struct FpdValue {
    bool pointer;
    uint32_t buffer;  // of a pointer
    uint64_t bits;    // of a number, zero-extended
    const char *text; // for `show`: "Q", "Q.shape.0 = 2", "f32 0.125"
} FpdValue;

// The entry's parameters.
bool fpd_entry_parameters(Diagnostics *diagnostics, Arena *arena, const TirFunction *entry, uint32_t *count,
                          FpdParameter **parameters);
// Matches the launch's arguments with the parameters of the entry called `symbol`: `count` values. E_ARGUMENT names the
// parameter, what was found and what was expected.
bool fpd_match_arguments(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas, const FpdLaunch *launch,
                         const char *symbol, uint32_t count, const FpdParameter *parameters, FpdValue **values);

// ---- memory_use.c: what a kernel reads and writes
// ---------------------------------------------------------------------

typedef struct FpdUse {
    bool reads, writes;
    uint32_t tile_rank;         // of the tiles it stores through a view, 0 if not known
    int64_t tile[FPD_RANK_MAX]; // per dimension of the array
} FpdUse;
// One per parameter of the entry, from following its pointers through the function: what may be read or written.
FpdUse *fpd_memory_use(Arena *arena, const TirFunction *entry);

// ---- load_modules.c: the modules of a case, each read once, and its launches resolved
// --------------------------------------

typedef struct FpdGlobal {
    FpdBuffer buffer; // name, elements, bytes; the type, if buffers have such a one
    bool has_type;
    uint8_t *initial;
    RtBuffer *memory;
} FpdGlobal;
typedef struct FpdModule {
    const char *path;
    TirModule *tir;
    FpdGlobal *globals;                       // as the module has them; filled by fpd_run_case
    CompiledModule *compiled[FPD_MODE_COUNT]; // filled by fpd_run_case
} FpdModule;
typedef struct FpdResolvedLaunch {
    uint32_t module, function; // indices; function: into the module's functions
    const char *kernel;        // name before the mangling
    uint32_t value_count;
    FpdValue *values;
    FpdUse *uses;
    bool ordered; // its blocks run one at a time: they may race (races.c)
} FpdResolvedLaunch;
typedef struct FpdProgram {
    const FpdCase *cas;
    uint32_t module_count;
    FpdModule *modules;
    FpdResolvedLaunch **launches; // per variant, per launch
} FpdProgram;

// Reads and verifies the modules, finds the entries, matches the arguments, looks for the numbers of `means`. NULL and
// diagnostics on failure.
FpdProgram *fpd_load_program(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas);
void fpd_program_close(FpdProgram *program); // after the compiled modules are closed
// The tile that the variants store into the compared buffer, in the last launch that does so; rank 0 if not known.
FpdUse fpd_stored_tile(const FpdProgram *program, uint32_t variant, uint32_t buffer);

// ---- meaning_use.c: the constants of programs, and the numbers of `means` among them
// ----------------------------------------------------------------

// Called for each element of a constant in f32 or f64 (of one whose elements are all alike, once).
typedef void FpdSeeConstant(void *context, FpsanFormat format, uint64_t bits, Location at);
void fpd_see_elements(const TirModule *module, TirType type, const TirConstant *constant, Location at,
                      FpdSeeConstant *see, void *context);
void fpd_see_constants(const TirFunction *function, FpdSeeConstant *see, void *context); // of all its ops

// False and E_CASE if a number of `means` is no constant of the kernels, no argument and no literal.
bool fpd_check_meanings(Diagnostics *diagnostics, const FpdProgram *program);

// ---- records.c: payloads beside buffers (profile tower)
// -----------------------------------------------------------------------

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

// ---- run_matrix.c: running each variant in each mode
// ----------------------------------------------------------------------

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
    FpdUse *tiles; // per compared buffer: the tile of the reference
    bool races_checked;
} FpdRuns;

// ---- machine.c

typedef enum FpdTarget {
#define TARGET(name, open) FPD_TARGET_##name,
#include "diff/targets.def"
#undef TARGET
} FpdTarget;
const char *fpd_target_name(FpdTarget target);
bool fpd_target_by_name(const char *name, FpdTarget *target);
#define FPD_SIMT_GPU "sm_90" // whose code target simt runs, if not told otherwise

typedef struct FpdKept FpdKept;
enum { FPD_OPTIMIZE = 3 }; // the level that is compiled with if nothing else is said

typedef struct FpdMachine { // what runs kernels; opened once for all cases
    Compiler *compiler;
    FpdKept *kept; // what was compiled for the host, closed with the machine; NULL: all is compiled again
    RtDevice *device;
    FpdTarget target;
    const char *gpu;       // to compile for; of cuda that of the device, of simt NULL for FPD_SIMT_GPU, of host NULL
    unsigned device_index; // of cuda
    Cache cache;           // of cubins
    bool progress;         // to standard error
    FILE *output;          // where kernels print; NULL: nowhere
    unsigned jobs;         // as given to fpd_machine_open
    bool shadow;           // the device has shadow memory; a case that needs it opens the device anew where not
    const char *cpu;       // to compile for; NULL: this machine's
    unsigned optimize;     // level, 0 to 3
    uint64_t rounds;       // as CompileOptions has them
    bool check_assume, outside_tiles;
    CompileUnspecified unspecified; // of cases that do not allow unspecified values
    bool poison;                    // find them, in profile tower
    bool races;                     // target host: fpd_run_case also looks for races, where it judges
    // fpd_run_case leaves the modules compiled, for further runs of the same program with the same options;
    // fpd_close_compiled is due.
    bool keep_compiled;
} FpdMachine;

// Opens compiler and device of the machine's target.
bool fpd_machine_open(Diagnostics *diagnostics, unsigned jobs, FpdMachine *machine);
void fpd_machine_close(FpdMachine *machine);
// The device has shadow memory from here on.
bool fpd_open_shadow(Diagnostics *diagnostics, FpdMachine *machine);
// False and E_USAGE if the target cannot run the case's profile.
bool fpd_check_target(Diagnostics *diagnostics, const FpdMachine *machine, const FpdCase *cas);

// ---- globals.c
// Memory for the globals of all modules; its contents before a variant runs, in profile tower (`shadow`) with the
// payloads of constants; and its end, after fpd_open_globals also where that failed.
bool fpd_open_globals(Diagnostics *diagnostics, Arena *arena, RtDevice *device, const FpdProgram *program);
bool fpd_fill_globals(Diagnostics *diagnostics, RtDevice *device, const FpdProgram *program,
                      const TowerMeaning *meanings, bool shadow);
void fpd_close_globals(RtDevice *device, const FpdProgram *program);

// ---- compile_modules.c
// Compiles the modules in a mode, on up to as many threads as the machine has jobs. False and the errors of the first
// that cannot be compiled.
bool fpd_compile_modules(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, FpdModule **modules,
                         uint32_t count, FpdMode mode, const CompileOptions *options);

// ---- compile_key.c
// The key of what compiling the module with the options gives, on this machine. False: that is not known well enough.
bool fpd_compile_key(const FpdMachine *machine, const TirModule *tir, const CompileOptions *options, CacheKey *key);

// ---- kept_modules.c
// Modules that this process has compiled. fpd_kept_close closes them all; close(NULL) is fine.
FpdKept *fpd_kept_open(Compiler *compiler);
void fpd_kept_close(FpdKept *kept);
// NULL: there is none. What is found, or added, is used by one more until it is released, which is false where the
// module is not among them. One that nobody uses may be closed when others come. Threads may call them at the same
// time.
CompiledModule *fpd_kept_find(FpdKept *kept, CacheKey key);
void fpd_kept_add(FpdKept *kept, CacheKey key, CompiledModule *module);
bool fpd_kept_release(FpdKept *kept, const CompiledModule *module);

// ---- compile_cubin.c
// A module for target cuda: its cubin, and what that says about the kernels.
CompiledModule *fpd_cubin_load(Diagnostics *diagnostics, const FpdMachine *machine, const TirModule *tir,
                               const CompileOptions *options);
void fpd_cubin_close(const FpdMachine *machine, CompiledModule *module);

// ---- kernel_output.c
// What one launch prints. Between open and close the device prints to the machine's output, the label first.
typedef struct FpdKernelOutput {
    const FpdMachine *machine;
    const char *label;
    char last; // character; 0: nothing was printed
} FpdKernelOutput;
void fpd_output_open(FpdKernelOutput *output, const FpdMachine *machine, const char *label);
void fpd_output_close(FpdKernelOutput *output);

// A compiled kernel of the module as the runtime wants it, for the host; it borrows from `compiled`, its sites are in
// the arena. The second: for any target.
RtKernel fpd_runtime_kernel(Arena *arena, const char *name, const CompiledKernel *compiled);
RtKernel fpd_target_kernel(Arena *arena, const char *name, const CompiledModule *module,
                           const CompiledKernel *compiled);

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

// ---- find_unspecified.c: values that nobody specified
// Whether what no launch writes into the buffer is unspecified.
bool fpd_leaves_unfilled(const FpdMachine *machine, const FpdCase *cas, uint32_t buffer);
// What stands in such a buffer.
void fpd_fill_unspecified(const FpdBuffer *buffer, CompileUnspecified unspecified, uint8_t *bytes);
// In modes whose runs do not know what is unspecified: runs the variants once more with other unspecified values, where
// there may be any, and finds the elements that change (FpdRun.unspecified).
bool fpd_find_unspecified(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, const FpdProgram *program,
                          FpdRuns *runs);

// ---- unspecified_origin.c: who made them, in mode fpsan of profile tower
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

// ---- races.c: races between the blocks of a launch

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

// Before and after a launch; `state` is what the kernel's `races` points to in between. With `search` NULL nothing is
// looked for, and launches that are ordered stay so.
void fpd_races_before(const FpdRaceSearch *search, const FpdResolvedLaunch *launch, RtKernel *kernel, RtRaces *state);
void fpd_races_after(FpdRaceSearch *search, uint32_t launch, const RtKernel *kernel, const RtRaces *state,
                     RtBuffer *const *buffers);
// What was found so far is nothing.
void fpd_races_forget(FpdRaceSearch *search);
// Whether the run has races that change something.
bool fpd_has_races(const FpdRun *run);

// ---- second_runs.c
// The second runs (second_runs.def) that the plain ones ask for; fpd_judge then knows what they say.
bool fpd_run_second(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, const FpdProgram *program,
                    FpdRuns *runs);

// ---- compare.c, compare_tower.c, pattern.c: two results
// ------------------------------------------------------------------------------------

enum { FPD_FIRST_MAX = 5 };

// RACE: blocks of a launch race in one of the variants, so that its result is an accident.
// UNKNOWN: profile tower, nothing differs, but of some elements there is no field that both variants know.
typedef enum FpdVerdict {
    FPD_VERDICT_EQUAL,
    FPD_VERDICT_DIVERGED,
    FPD_VERDICT_REPORTED,
    FPD_VERDICT_UNKNOWN,
    FPD_VERDICT_RACE
} FpdVerdict;

// How far apart two buffers are as numbers. NaN equals NaN, infinities of one sign are equal.
typedef struct FpdDistance {
    bool known;                // false: there was no IEEE run
    uint64_t different;        // elements that are not equal as numbers
    uint64_t incomparable;     // of them: NaN or an infinity on one side only
    double absolute, relative; // largest; relative to the reference where that is not 0
    uint64_t ulps;             // largest; 0 for integers
    uint64_t beyond;           // elements beyond the tolerance, if there is one
} FpdDistance;

// Profile tower: what becomes of the elements (tower.md). They sum up to all elements of floats; an integer element is
// EQUAL or DIFFER.
typedef enum FpdElementVerdict {
#define VERDICT(name, ...) FPD_ELEMENT_##name,
#include "diff/verdicts.def"
#undef VERDICT
    FPD_ELEMENT_COUNT
} FpdElementVerdict;
typedef struct FpdElementVerdictInfo {
    const char *text;
    enum { FPD_DIVERGES_NEVER, FPD_DIVERGES_ALWAYS, FPD_DIVERGES_ROOTS, FPD_DIVERGES_TIES } divergence;
    const char *meaning, *advice; // the advice may be NULL
} FpdElementVerdictInfo;
typedef struct FpdElementCount {
    bool diverges; // these elements are judged as a divergence
    uint64_t count;
    uint32_t first_count;
    uint64_t first[FPD_FIRST_MAX]; // linear indices
} FpdElementCount;

typedef struct FpdDifference {        // two variants, one buffer, one mode
    uint32_t buffer;                  // index into the case's buffers
    const uint8_t *reference, *other; // the bytes
    uint64_t elements,
        different; // payload: memory bits differ; IEEE: beyond the tolerance, or not equal where there is none
    uint32_t first_count;
    uint64_t first[FPD_FIRST_MAX];                 // linear indices
    int64_t low[FPD_RANK_MAX], high[FPD_RANK_MAX]; // bounding box, both included; valid if different
    const char *pattern;                           // or NULL
    FpdDistance distance;                          // IEEE mode and profile tower: of these bytes
    // Profile tower, mode fpsan; `different` then counts what is judged as a divergence.
    const HostRecord *reference_records, *other_records; // NULL for integers
    FpdElementCount verdicts[FPD_ELEMENT_COUNT];
    const uint8_t *verdict_of; // of each element
    uint64_t nothing_known[2]; // elements of the reference and of the other that are neither NaN nor known in any field
} FpdDifference;

// Compares two results of a buffer; memory bits decide if `payload`, else numbers and, where has_tolerance, the
// tolerance.
FpdDifference fpd_compare_buffers(Arena *arena, const FpdBuffer *buffer, uint32_t index, bool payload,
                                  bool has_tolerance, double rtol, double atol, const FpdUse *tile,
                                  const uint8_t *reference, const uint8_t *other);
FpdDistance fpd_distance(ElementType type, uint64_t elements, bool has_tolerance, double rtol, double atol,
                         const uint8_t *reference, const uint8_t *other);
// Integers: equal. Floats: |a - b| <= atol + rtol * |a| if there is a tolerance, else equal as numbers; NaN equals NaN.
bool fpd_element_within(ElementType type, uint64_t a, uint64_t b, bool has_tolerance, double rtol, double atol);
// Marks `index` (which are given in ascending order) as different: count, first ones, bounding box.
void fpd_mark_different(const FpdBuffer *buffer, uint64_t index, uint8_t *marks, FpdDifference *difference);
// Whether all elements have the same bits, or all are NaN as `numbers` (a buffer of one element: false).
bool fpd_is_constant(const FpdBuffer *buffer, bool numbers, const uint8_t *bytes);

// An element of a tower run: its IEEE bits and its payload; of integers the bits alone.
typedef struct FpdShadowed {
    uint64_t bits;
    TowerPayload payload;
    const HostRecord *record; // NULL: a value from outside, its payload is that of its bits
} FpdShadowed;
const FpdElementVerdictInfo *fpd_element_verdict_info(FpdElementVerdict verdict);
// Element `index` of a buffer; `records` may be NULL.
FpdShadowed fpd_shadowed(const Tower *tower, ElementType type, const uint8_t *bytes, const HostRecord *records,
                         uint64_t index);
// What becomes of a pair of elements; the tolerance is the case's. `largest`: the largest magnitude in the element's
// row. `explained`: close calls that payloads decide make the payloads equal.
FpdElementVerdict fpd_element_verdict(const FpdCase *cas, ElementType type, FpdShadowed a, FpdShadowed b, double largest,
                                      bool explained);
// How many fields decide about two finite payloads, and in how many of those they agree.
unsigned fpd_fields(TowerPayload a, TowerPayload b, unsigned *agree);
// The store that wrote an element of a run; NULL for a value from outside.
const FpdStore *fpd_stored_by(const FpdRun *run, FpdShadowed element);
// A variant's second run; NULL: not run.
const FpdRun *fpd_second_run(const FpdRuns *runs, FpdSecond second, uint32_t variant);
// The runs of a variant: the plain one, and those in which close calls fall otherwise (in the last payloads alone
// decide them), and in which roots know their signs (NULL: not run).
enum { FPD_SETTLED = 2, FPD_FLIPS };
typedef struct FpdSide {
    const FpdRun *run, *flipped[FPD_FLIPS], *signed_roots;
} FpdSide;
FpdSide fpd_side(const FpdRuns *runs, uint32_t variant);
// Compares results `compared` (an index of `compare`) of two variants of a tower case.
FpdDifference fpd_compare_tower(Arena *arena, const FpdCase *cas, uint32_t compared, const FpdUse *tile,
                                const FpdSide *reference, const FpdSide *other);
// Whether some element of theirs would be a tie if runs in which close calls fall otherwise explained it.
bool fpd_may_tie(const FpdCase *cas, uint32_t compared, const FpdRun *reference, const FpdRun *other);
// Whether signed roots could make them equal: in some elements payloads differ, and in all of these the numbers agree.
bool fpd_may_be_signs(const FpdCase *cas, const FpdRun *reference, const FpdRun *other);
// Whether element `index` is among those that make two results of a buffer diverge.
bool fpd_element_diverges(const FpdDifference *d, uint64_t index);
// The regularity of a set of elements (one bit each in `marks`) within its bounding box: NULL if there is none to tell.
const char *fpd_pattern(Arena *arena, const FpdBuffer *buffer, const FpdUse *tile, const uint8_t *marks, uint64_t count,
                        const int64_t *low, const int64_t *high);

// ---- judge.c: verdicts of a case
// ------------------------------------------------------------------------------------------

// What a report says beside a verdict, so that it can be understood (explain.c).
typedef enum FpdNoteKind {
#define NOTE(name, ...) FPD_NOTE_##name,
#include "diff/notes.def"
#undef NOTE
    FPD_NOTE_COUNT
} FpdNoteKind;
typedef struct FpdNoteConstant { // a constant or a scalar argument of a variant
    uint32_t variant;
    FpsanFormat format;
    uint64_t bits;
    Location at;
} FpdNoteConstant;
typedef struct FpdNoteView { // the tiles of a buffer, as a kernel takes them
    const char *buffer;      // NULL: not known
    uint32_t rank;
    int64_t tile[FPD_RANK_MAX], extent[FPD_RANK_MAX];
} FpdNoteView;
typedef struct FpdNoteRead {          // of a buffer that nothing filled in
    uint32_t variant, launch, buffer; // of the variant, from 0; of the case
    bool in_part;                     // an earlier launch may have written some of it
} FpdNoteRead;
typedef struct FpdNoteBuffer { // of a buffer that is not compared
    FpdDifference difference;
    const FpdStore *stored[2]; // of the first element that differs: who stored it; NULL: not known
} FpdNoteBuffer;
typedef struct FpdNote {
    FpdNoteKind kind;
    const char *message; // lines for people
    uint32_t left;       // how many more constants, views, buffers or reads there are
    uint32_t constant_count, view_count, buffer_count, read_count;
    const FpdNoteConstant *constants;
    const FpdNoteView *views;
    const FpdNoteBuffer *buffers;
    const FpdNoteRead *reads;
    uint64_t elements; // of masks: how many
} FpdNote;
const char *fpd_note_text(FpdNoteKind kind); // for programs

typedef struct FpdPair {
    uint32_t variant; // against the reference, variant 0
    FpdMode mode;
    FpdVerdict verdict;
    FpdDifference *differences;   // per compared buffer
    uint64_t elements, different; // over all compared buffers
    // Profile tower: the reference, and the variant, wrote floats of which no field is known in any: nothing is left of
    // what was computed.
    bool lost[2];
    uint64_t unspecified; // tower: ops that an unspecified value decided about; else elements; of both variants
    // Mode ieee: of the elements beyond the tolerance those that are so though nothing about them is unspecified.
    uint64_t beyond;
    bool all_unspecified; // profile tower: every compared element is, in one of the two
    // Of --reroll: in how many spare chains a divergence was repeated, and the elements that diverge in all chains.
    uint32_t reroll_count;
    uint64_t reroll_different;
    uint32_t note_count;
    FpdNote notes[FPD_NOTE_COUNT]; // of each kind at most one
} FpdPair;

typedef enum FpdVacuousKind { FPD_VACUOUS_UNWRITTEN, FPD_VACUOUS_CONSTANT, FPD_VACUOUS_NOTHING } FpdVacuousKind;
typedef struct FpdVacuous {
    FpdVacuousKind kind;
    FpdMode mode;
    uint32_t variant, buffer; // of UNWRITTEN and CONSTANT
    uint64_t count, first;    // of UNWRITTEN
    const char *message;      // one line
} FpdVacuous;

typedef struct FpdOutcome {
    const FpdCase *cas; // NULL: the case could not be read
    const char *path;
    const FpdRuns *runs; // NULL: the case could not be run
    uint32_t pair_count, vacuous_count;
    FpdPair *pairs; // by variant, then mode
    FpdVacuous *vacuous;
    uint32_t diverged;         // judged pairs that diverged
    uint32_t unknown;          // pairs whose verdict is UNKNOWN
    uint32_t races;            // runs, one of a variant in a mode, in which blocks race
    bool expectation_met;      // of `expect` and the IEEE tolerance
    int status;                // exit status of the case: 0, 1, 2, 3
    bool several_seeds;        // the case was compared with others, too
    const char *target;        // on what it ran, for people; NULL: the host
    bool races_checked;        // races between blocks were looked for
    const Diagnostics *errors; // where status is 2 or 3
} FpdOutcome;

// Compares all pairs of a case that was run, and decides.
void fpd_judge(Arena *arena, const FpdCase *cas, const FpdRuns *runs, FpdOutcome *outcome);
// The exit status that diagnostics ask for: 2 wrong usage, case or a missing file, 3 anything else; 0 if there are
// none.
int fpd_exit_status(const Diagnostics *diagnostics);

// ---- explain.c, explain_constants.c, explain_masks.c, explain_tiles.c, explain_unfilled.c: why
// ---------------------------------------------------------------------

// Adds notes to the pairs of a case that was judged; variants run again where only that can tell. What cannot be found
// out is not said.
void fpd_explain(Arena *arena, FpdMachine *machine, const FpdProgram *program, FpdOutcome *outcome);
// Whether a launch of the variant reads the buffer, which neither the case nor an earlier launch has written.
bool fpd_reads_unfilled(const FpdProgram *program, uint32_t variant, uint32_t launch, uint32_t buffer);
// That it does, as a line; `where`: "here".
void fpd_print_unfilled(const FpdProgram *program, uint32_t variant, uint32_t launch, uint32_t buffer,
                        const char *where, Buffer *out);

// ---- reroll.c: divergences again in other fields
// ---------------------------------------------------------------------

// Repeats the pairs of a tower case that diverged in the spare chains and fills their reroll_ fields; other cases are
// left alone. `program` is the case's. False and diagnostics if something cannot be run.
bool fpd_reroll(Diagnostics *diagnostics, FpdMachine *machine, const FpdProgram *program, FpdOutcome *outcome);

// ---- report_text.c, report_tower.c, report_json.c, show_case.c
// ---------------------------------------------------------------------------

typedef struct FpdVersions {
    const char *congruent, *llvm, *cpu, *libyaml, *jansson; // llvm and cpu: NULL if the compiler was not opened
    const char *target, *gpu, *device;                      // NULL: host; none; not known
} FpdVersions;

void fpd_print_outcome(const FpdOutcome *outcome, bool color, Buffer *out);
// The report of all cases as JSON text, ending in a newline.
void fpd_print_json(const FpdOutcome *outcomes, size_t count, int status, const FpdVersions *versions, Buffer *out);
void fpd_print_program(const FpdProgram *program, Buffer *out);
// Index "[0, 3, 17]" of a linear index, and a region "[0:2, 64:128]".
void fpd_print_index(const FpdBuffer *buffer, uint64_t linear, Buffer *out);
void fpd_print_region(const FpdBuffer *buffer, const int64_t *low, const int64_t *high, Buffer *out);

// ---- payload_file.c: what `run --payload` writes
// ---------------------------------------------------------------------

// Words of an element: four components, the state (sanitizer/tower.h), and one of these, or 0 for a value from outside.
enum { FPD_PAYLOAD_SIZE = 24, FPD_PAYLOAD_STORED = 1, FPD_PAYLOAD_LITERAL = 2 };
// Appends all elements of a buffer of floats; `records` may be NULL.
void fpd_print_payloads(const FpdCase *cas, const FpdBuffer *buffer, const uint8_t *bytes, const HostRecord *records,
                        Buffer *out);

// ---- command_line.c
// ---------------------------------------------------------------------------------------------------------

typedef enum FpdCommand { FPD_COMPARE, FPD_RUN, FPD_SHOW } FpdCommand;
typedef struct FpdOptions {
    FpdCommand command;
    const char **cases;
    size_t case_count;
    const char *variant, *output; // of run
    bool has_mode, has_casts, quiet, help, version, reroll, payload;
    FpdMode mode;
    bool tower;                  // --profile tower
    const FpsanProfile *profile; // --profile of another; NULL: not given
    FpsanCasts casts;
    FpdTarget target;
    const char *cpu; // NULL: this machine's
    bool has_optimize;
    unsigned optimize;
    const char *gpu; // of simt; NULL: FPD_SIMT_GPU
    unsigned device; // of cuda
    bool no_cache;
    uint64_t rounds;           // 0: any number
    uint64_t seed, seed_count; // the first, and how many there are from it on
    bool has_seed;
    bool check_assume, outside_tiles, no_races;
    bool has_unspecified;
    CompileUnspecified unspecified;
    unsigned jobs; // 0: one per processor
    const char *json;
    enum { FPD_COLOR_AUTO, FPD_COLOR_ALWAYS, FPD_COLOR_NEVER } color;
} FpdOptions;

// False and E_USAGE on a wrong command line; the message says what exists.
bool fpd_read_command_line(Diagnostics *diagnostics, Arena *arena, int count, char **words, FpdOptions *options);
void fpd_print_help(Buffer *out);

// ---- choose_profile.c: which profile a case runs in -----------------------------------------------------------------

#define FPD_TOWER "tower"
const char *fpd_profile_list(Arena *arena); // "tower, triton-3.9"
bool fpd_casts_by_name(const char *name, FpsanCasts *casts);
// --profile and --casts over what the case says. False and E_USAGE if --casts meets a case that asks for the tower.
bool fpd_override_profile(Diagnostics *diagnostics, FpdCase *cas, const FpdOptions *options);

#endif
