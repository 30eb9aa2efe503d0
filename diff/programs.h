// SPDX-License-Identifier: Apache-2.0
// The program of a case: its modules, what their entries take, read and write, and what each launch gives them.
#ifndef CONGRUENT_FPD_PROGRAMS_H
#define CONGRUENT_FPD_PROGRAMS_H

#include "compiler/compiler.h"
#include "diff/case.h"
#include "runtime/rt.h"

// ---- entry_name.c, arguments.c: what an entry takes, and what a launch gives it -------------------------------------

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

// False and E_UNSUPPORTED if a parameter of the kernel is neither a number nor a pointer to numbers.
bool fpd_check_parameters(Diagnostics *diagnostics, const ProgramKernel *kernel);
// Matches the launch's arguments with the parameters of the kernel: a value for each. E_ARGUMENT names the parameter,
// what was found and what was expected.
bool fpd_match_arguments(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas, const FpdLaunch *launch,
                         const ProgramKernel *kernel, FpdValue **values);

// ---- load_modules.c: the modules of a case, each read once, and its launches resolved -------------------------------

_Static_assert((int)FPD_RANK_MAX == (int)PROGRAM_RANK_MAX, "tiles of arrays are tiles of buffers");
typedef struct FpdGlobal {
    FpdBuffer buffer; // name, elements, bytes; the type, if buffers have such a one
    bool has_type;
    uint8_t *initial;
    RtBuffer *memory;
} FpdGlobal;
typedef struct FpdModule {
    const char *path;
    const Program *program;
    FpdGlobal *globals;                       // as the program has them; filled by fpd_run_case
    CompiledModule *compiled[FPD_MODE_COUNT]; // filled by fpd_run_case
} FpdModule;
typedef struct FpdResolvedLaunch {
    uint32_t module;            // index
    const ProgramKernel *entry; // of that module
    const char *kernel;         // its name before the mangling
    FpdValue *values;           // one for each of its parameters
    bool ordered;               // its blocks run one at a time: they may race (races.c)
} FpdResolvedLaunch;
typedef struct FpdPrograms {
    const FpdCase *cas;
    uint32_t module_count;
    FpdModule *modules;
    FpdResolvedLaunch **launches; // per variant, per launch
} FpdPrograms;

// Reads and verifies the modules, finds the entries, matches the arguments, looks for the numbers of `means`. NULL and
// diagnostics on failure.
FpdPrograms *fpd_load_programs(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas);
void fpd_programs_close(FpdPrograms *programs); // after the compiled modules are closed
// The tile that the variants store into the compared buffer, in the last launch that does so; rank 0 if not known.
ProgramUse fpd_stored_tile(const FpdPrograms *programs, uint32_t variant, uint32_t buffer);
// Whether a launch of a variant reads and writes a buffer.
ProgramUse fpd_launch_use(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer);

// ---- meaning_use.c: the constants of programs, and the numbers of `means` among them --------------------------------

// Called with each number of constants in f32 or f64 (of one whose elements are all alike, once).
typedef void FpdSeeConstant(void *context, FpsanFormat format, uint64_t bits, Location at);
void fpd_see_constants(const ProgramConstant *constants, uint32_t count, FpdSeeConstant *see, void *context);

// False and E_CASE if a number of `means` is no constant of the kernels, no argument and no literal.
bool fpd_check_meanings(Diagnostics *diagnostics, const FpdPrograms *programs);

#endif
