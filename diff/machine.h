// SPDX-License-Identifier: Apache-2.0
// What runs kernels: a compiler and a device, the modules compiled for it, and what is kept of them.
#ifndef CONGRUENT_FPD_MACHINE_H
#define CONGRUENT_FPD_MACHINE_H

#include "diff/programs.h"
#include "runtime/cache.h"

#include <stdio.h>

// ---- machine.c ------------------------------------------------------------------------------------------------------

typedef enum FpdTarget {
#define TARGET(name, open) FPD_TARGET_##name,
#include "diff/targets.def"
#undef TARGET
} FpdTarget;
const char *fpd_target_name(FpdTarget target);
bool fpd_target_by_name(const char *name, FpdTarget *target);
#define FPD_SIMT_GPU "sm_90" // whose code target simt runs by default

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
    uint64_t iterations;   // that all loops of a block together may make (CompileOptions.iterations)
    bool check_assume, outside_tiles;
    CompileUnspecified unspecified; // of cases that do not allow unspecified values
    bool poison;                    // find them
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

// ---- globals.c ------------------------------------------------------------------------------------------------------
// Memory for the globals of all modules; its contents before a variant runs, with the records of constants (`shadow`);
// and its end, due also where fpd_open_globals failed.
bool fpd_open_globals(Diagnostics *diagnostics, Arena *arena, RtDevice *device, const FpdPrograms *programs);
bool fpd_fill_globals(Diagnostics *diagnostics, RtDevice *device, const FpdPrograms *programs,
                      const TowerMeaning *meanings, bool shadow);
void fpd_close_globals(RtDevice *device, const FpdPrograms *programs);

// ---- compile_modules.c ----------------------------------------------------------------------------------------------
// Compiles the modules in a mode, on up to as many threads as the machine has jobs. False and the errors of the first
// that cannot be compiled.
typedef struct FpdCompileWork {
    FpdModule **modules;
    uint32_t count;
    FpdMode mode;
    const CompileOptions *options;
} FpdCompileWork;
bool fpd_compile_modules(Diagnostics *diagnostics, Arena *arena, const FpdMachine *machine, const FpdCompileWork *work);
// Closes what was compiled of the program, in all modes.
void fpd_close_compiled(const FpdMachine *machine, FpdPrograms *programs);
// The key of what compiling the program with the options gives, on this machine. False: that is not known well enough.
bool fpd_compile_key(const FpdMachine *machine, const Program *program, const CompileOptions *options, CacheKey *key);
// Modules that this process has compiled for the host. fpd_kept_close closes them all; close(NULL) is fine.
FpdKept *fpd_kept_open(Compiler *compiler);
void fpd_kept_close(FpdKept *kept);
// NULL: there is none. What is found, or added, is used by one more until it is released, which is false where the
// module is not among them. One that nobody uses may be closed when others come. Threads may call them at the same
// time.
CompiledModule *fpd_kept_find(FpdKept *kept, CacheKey key);
void fpd_kept_add(FpdKept *kept, CacheKey key, CompiledModule *module);
bool fpd_kept_release(FpdKept *kept, const CompiledModule *module);

#endif
