// SPDX-License-Identifier: Apache-2.0
// FpdPrograms: the modules of a case, what their kernels take, read and write, and what each launch passes to them.
#ifndef CONGRUENT_FPD_PROGRAMS_H
#define CONGRUENT_FPD_PROGRAMS_H

#include "compiler/addresses.h"
#include "compiler/compiler.h"
#include "diff/case.h"
#include "runtime/rt.h"

// ---- entry_name.c, arguments.c: what an entry takes, and what a launch gives it -------------------------------------

// A parameter of a kernel as its author wrote it. An array becomes several parameters of the entry: its pointer, sizes
// and strides.
typedef struct FpdFormal {
    enum { FPD_FORMAL_ARRAY, FPD_FORMAL_SCALAR } kind;
    bool list; // of such arrays: the parameters are the pointer to a table, and the number of arrays
    ElementType type;
    uint32_t rank;
    ElementType index_type; // of sizes and strides
    // What the entry was compiled for, per dimension. Sizes and strides that it was not compiled for are FPD_NOT_FIXED,
    // such divisors 1.
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

// Takes an entry's name apart. False if it is mangled in an unknown way; *problem says how.
bool fpd_read_entry_name(Arena *arena, const char *symbol, FpdEntryName *name, const char **problem);

// The value of one parameter of an entry.
typedef struct FpdValue {
    bool pointer;
    uint32_t buffer;         // of a pointer; FPD_NO_BUFFER: of one to the table of `list`
    uint64_t offset;         // of a pointer: bytes from the buffer's beginning
    bool view;               // it points to a view of the buffer
    uint64_t bits;           // of a number, zero-extended
    const char *text;        // for `show`: "Q", "Q.shape.0 = 2", "f32 0.125"
    const FpdArgument *list; // of arrays, which a pointer to their table stands for; NULL
    uint32_t argument;       // of the launch that it is a part of; from 0
} FpdValue;
#define FPD_NO_BUFFER UINT32_MAX

// An argument as messages call it: "Q, a pointer to f16".
const char *fpd_argument_text(Arena *arena, const FpdCase *cas, const FpdArgument *argument);
// False and E_UNSUPPORTED if a parameter of the kernel is neither a number nor a pointer to numbers.
bool fpd_check_parameters(Diagnostics *diagnostics, const ProgramKernel *kernel);
// Matches the launch's arguments with the kernel's parameters: (*values)[i] is the value of parameter i. False and
// E_ARGUMENT, with the parameter, what was found and what was expected.
bool fpd_match_arguments(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas, const FpdLaunch *launch,
                         const ProgramKernel *kernel, FpdValue **values);

// ---- thread_arguments.c: what a launch gives a kernel of threads ----------------------------------------------------

typedef struct FpdResolvedLaunch FpdResolvedLaunch;
// What is known only when there is memory: an address, or a tensor map.
typedef struct FpdPlaced {
    FpdArgumentKind kind; // BUFFER, SCRATCH or MAP
    bool by_address;      // of a map: the kernel gets the address of one in memory
    uint32_t offset;      // in the parameters
    uint32_t parameter;   // that it is in
    uint32_t buffer;      // of a buffer and of a map
    uint64_t begin;       // of a buffer and of a map: bytes from the buffer's beginning to the address
    uint64_t size;        // of scratch: bytes for all blocks; 0: a null pointer
    const RtMap *map;     // without address
    Location at;
} FpdPlaced;
typedef struct FpdThreads {
    RtThreads launch; // parameters: NULL
    uint32_t parameter_bytes;
    uint8_t *parameters; // with zeros where something is placed
    uint32_t *offsets;   // of each parameter
    uint32_t placed_count;
    FpdPlaced *placed;
} FpdThreads;

// Lays out the launch's arguments as the parameters of a kernel of threads, `resolved->entry`, and decides about its
// threads, clusters and shared memory: sets resolved->threads, and the texts of resolved->values. Messages call the
// kernel `resolved->kernel`. False and a diagnostic with a place in the case: E_ARGUMENT for what does not fit the
// kernel, E_UNSUPPORTED for clusters of several blocks.
bool fpd_match_threads(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas, const FpdLaunch *launch,
                       FpdResolvedLaunch *resolved);

// ---- load_modules.c: the modules of a case, each read once, and its launches resolved -------------------------------

_Static_assert((int)FPD_RANK_MAX == (int)PROGRAM_RANK_MAX, "tiles of arrays are tiles of buffers");
typedef struct FpdGlobal {
    FpdBuffer buffer; // its name, elements and bytes; its type if has_type
    bool has_type;    // buffers of cases may have its type
    uint8_t *initial; // initial contents
    RtBuffer *memory; // while it is open (globals.c)
} FpdGlobal;
typedef struct FpdModule {
    const char *path;
    const Program *program;
    bool *launched;                              // of the program's kernels: those that launches of the case name
    FpdGlobal *globals;                          // in the order of the program; fpd_run_case allocates and fills them
    CompiledModule *(*compiled)[FPD_MODE_COUNT]; // per build; NULL: not compiled; fpd_run_case compiles
} FpdModule;
struct FpdResolvedLaunch {
    uint32_t module;            // index into FpdPrograms.modules
    const ProgramKernel *entry; // what it runs
    const char *kernel;         // the name of that before the mangling
    FpdValue *values;           // one for each parameter
    FpdThreads *threads;        // of kernels of threads; else NULL
    ProgramAddresses addresses; // what `entry` does with them
    uint32_t reached_count;     // buffers that addresses in memory may lead it to
    uint32_t *reached;
    bool ordered; // its blocks run one at a time, because they may race (races.c)
};
typedef struct FpdPrograms {
    const FpdCase *cas;
    uint32_t module_count;
    FpdModule *modules;
    FpdResolvedLaunch **launches; // per variant, per launch
    // Bytes of results that are kept: of the plain runs, which set it, and of second runs, which add to it. Who frees
    // the arena of second runs sets it back.
    uint64_t results;
} FpdPrograms;

// Makes room for the compiled modules of all builds of a case.
void fpd_module_reserve(Arena *arena, const FpdCase *cas, FpdModule *module);
// Reads and verifies each module once, finds the kernels, matches the arguments, checks the numbers of `means`. NULL
// and diagnostics on failure.
FpdPrograms *fpd_load_programs(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas);
// Closes the programs of the modules. Compiled modules do not need them, and are closed by fpd_close_compiled.
void fpd_programs_close(FpdPrograms *programs);
// The tile in which the last launch of the variant that writes the buffer stores it; rank 0 if it is not known.
ProgramUse fpd_stored_tile(const FpdPrograms *programs, uint32_t variant, uint32_t buffer);
// The last launch of the variant whose kernel stores to the buffer; -1: none does.
int64_t fpd_last_store(const FpdPrograms *programs, uint32_t variant, uint32_t buffer);
// How a launch of a variant uses a buffer: whether it reads and writes it, and which op stores to it.
ProgramUse fpd_launch_use(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer);

// ---- trace_addresses.c: which buffers addresses in memory lead launches to ------------------------------------------

// Sets FpdResolvedLaunch.reached of the launches of a variant, which are resolved.
void fpd_trace_addresses(Arena *arena, FpdPrograms *programs, uint32_t variant);
// Whether the buffer may hold addresses, from the case file or from a launch of the variant. They say nothing as
// numbers.
bool fpd_may_hold_addresses(const FpdPrograms *programs, uint32_t variant, uint32_t buffer);
// Whether some launch gets a buffer, or views of it, through two of its pointers, and writes it.
bool fpd_has_overlaps(const FpdPrograms *programs);

// ---- meaning_use.c: the constants of programs, and the numbers of `means` among them --------------------------------

// Calls `see` with every number of the constants, which are in f32 or f64; with one whose elements are all alike, once.
typedef void FpdSeeConstant(void *context, FpsanFormat format, uint64_t bits, Location at);
void fpd_see_constants(const ProgramConstant *constants, uint32_t count, FpdSeeConstant *see, void *context);

// False and E_CASE if a number of `means` is neither a constant of the kernels nor an argument nor in a literal buffer.
bool fpd_check_meanings(Diagnostics *diagnostics, const FpdPrograms *programs);

#endif
