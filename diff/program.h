// SPDX-License-Identifier: Apache-2.0
// The program of a case: its modules, what their entries take, read and write, and what each launch gives them.
#ifndef CONGRUENT_FPD_PROGRAM_H
#define CONGRUENT_FPD_PROGRAM_H

#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"
#include "diff/case.h"
#include "runtime/rt.h"

// ---- entry_name.c, arguments.c: what an entry takes, and what a launch gives it -------------------------------------

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

// ---- memory_use.c: what a kernel reads and writes -------------------------------------------------------------------

typedef struct FpdUse {
    bool reads, writes;
    uint32_t tile_rank;         // of the tiles it stores through a view, 0 if not known
    int64_t tile[FPD_RANK_MAX]; // per dimension of the array
} FpdUse;
// One per parameter of the entry, from following its pointers through the function: what may be read or written.
FpdUse *fpd_memory_use(Arena *arena, const TirFunction *entry);

// ---- load_modules.c: the modules of a case, each read once, and its launches resolved -------------------------------

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

// ---- meaning_use.c: the constants of programs, and the numbers of `means` among them --------------------------------

// Called for each element of a constant in f32 or f64 (of one whose elements are all alike, once).
typedef void FpdSeeConstant(void *context, FpsanFormat format, uint64_t bits, Location at);
void fpd_see_elements(const TirModule *module, TirType type, const TirConstant *constant, Location at,
                      FpdSeeConstant *see, void *context);
void fpd_see_constants(const TirFunction *function, FpdSeeConstant *see, void *context); // of all its ops

// False and E_CASE if a number of `means` is no constant of the kernels, no argument and no literal.
bool fpd_check_meanings(Diagnostics *diagnostics, const FpdProgram *program);

#endif
