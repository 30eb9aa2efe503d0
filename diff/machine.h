// SPDX-License-Identifier: Apache-2.0
// FpdMachine: a compiler and a device with settings. Modules are compiled for it, and kept.
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
#define FPD_SIMT_GPU "sm_90" // the GPU whose code target simt runs by default

typedef struct FpdKept FpdKept;
enum { FPD_OPTIMIZE = 3 }; // the default level of optimisation

typedef enum FpdScheduleKind { FPD_SCHEDULE_FORWARD, FPD_SCHEDULE_REVERSE, FPD_SCHEDULE_BOTH } FpdScheduleKind;

// Which plain runs have a range census: none; those that carry payloads beside the numbers; all that compute numbers.
typedef enum FpdCensus { FPD_CENSUS_NONE, FPD_CENSUS_BESIDE, FPD_CENSUS_ALL } FpdCensus;

typedef struct FpdMachine { // opened once, for all cases
    Compiler *compiler;
    FpdKept *kept; // modules compiled for the host, closed with the machine; NULL: none are kept
    RtDevice *device;
    FpdTarget target;
    const char *gpu;       // the GPU to compile for: of cuda the device; of simt NULL for FPD_SIMT_GPU; of host NULL
    unsigned device_index; // of cuda
    Cache cache;           // of cubins
    bool progress;         // shown on standard error
    FILE *output;          // where kernels print; NULL: nowhere
    unsigned jobs;         // as given to fpd_machine_open
    bool shadow;           // the device has shadow memory; if not, a case that needs it opens the device anew
    const char *cpu;       // the processor to compile for; NULL: this machine's
    unsigned optimize;     // level, 0 to 3
    uint64_t iterations;   // CompileOptions.iterations: what all loops of a block together may make; 0: any number
    bool check_assume, outside_tiles; // CompileOptions
    CompileUnspecified unspecified;   // for cases that do not allow unspecified values
    bool poison;                      // look for unspecified values
    FpdScheduleKind schedule;         // of kernels of threads; BOTH: forward, and payload modes reverse as well
    bool check_fences;                // RtThreads
    bool async_early;                 // RtLaunch
    bool by_element;                  // CompileOptions.by_element
    FpdCensus census;                 // target host: the range census
    bool races;                       // target host: fpd_run_case looks for races when it judges
    // fpd_run_case leaves the modules compiled, for further runs of the same case with the same options. The caller
    // then calls fpd_close_compiled.
    bool keep_compiled;
    uint64_t memory; // bytes that runs may need in all (fpd_check_memory); 0: as many as the process may have
} FpdMachine;

// Opens the compiler and the device of machine->target. False and diagnostics on failure.
bool fpd_machine_open(Diagnostics *diagnostics, unsigned jobs, FpdMachine *machine);
// Gives a copy of a machine that is open a device of its own, which the caller closes (rt_close).
bool fpd_open_device(Diagnostics *diagnostics, unsigned jobs, FpdMachine *copy);
void fpd_machine_close(FpdMachine *machine);
// Gives the device shadow memory. If it has none, it is opened anew, and its buffers are gone. False and diagnostics on
// failure.
bool fpd_open_shadow(Diagnostics *diagnostics, FpdMachine *machine);
// False and E_USAGE if the target cannot run the case's profile.
bool fpd_check_target(Diagnostics *diagnostics, const FpdMachine *machine, const FpdCase *cas);

// False and E_USAGE if the target cannot run a module of the case.
bool fpd_check_modules(Diagnostics *diagnostics, const FpdMachine *machine, const FpdPrograms *programs);

// ---- globals.c: the globals of modules as buffers of the device -----------------------------------------------------

// Allocates the globals of all modules; fills them before a variant runs, if `shadow` with the records of constants;
// frees them, also after fpd_open_globals has failed.
bool fpd_open_globals(Diagnostics *diagnostics, Arena *arena, RtDevice *device, const FpdPrograms *programs);
bool fpd_fill_globals(Diagnostics *diagnostics, RtDevice *device, const FpdPrograms *programs,
                      const TowerMeaning *meanings, bool shadow);
void fpd_close_globals(RtDevice *device, const FpdPrograms *programs);

// ---- compile_modules.c: compiling the modules of a case -------------------------------------------------------------

// Compiles modules in a mode, on up to machine->jobs threads. False and the errors of the first module that cannot be
// compiled.
typedef struct FpdCompileWork {
    FpdModule **modules;
    uint32_t count;
    FpdMode mode;
    uint32_t build; // index into the case's builds
    const CompileOptions *options;
} FpdCompileWork;
bool fpd_compile_modules(Diagnostics *diagnostics, Arena *arena, const FpdMachine *machine, const FpdCompileWork *work);
// Closes the compiled modules of the case, in all modes.
void fpd_close_compiled(const FpdMachine *machine, FpdPrograms *programs);
// The key of a compilation: a hash of the program, the options and the toolchain. Compilations with equal keys give
// equal code. False if the toolchain is not known well enough.
bool fpd_compile_key(const FpdMachine *machine, const Program *program, const CompileOptions *options, CacheKey *key);
// The modules that this process has compiled for the host, by their keys. fpd_kept_close closes them all;
// fpd_kept_close(NULL) is fine.
FpdKept *fpd_kept_open(Compiler *compiler);
void fpd_kept_close(FpdKept *kept);
// Finds a module (NULL: there is none) or adds one; it then has one user more, until that releases it. A module without
// users may be closed when another is added. fpd_kept_release is false if the module is not kept here. Threads may call
// these functions at the same time.
CompiledModule *fpd_kept_find(FpdKept *kept, CacheKey key);
void fpd_kept_add(FpdKept *kept, CacheKey key, CompiledModule *module);
bool fpd_kept_release(FpdKept *kept, const CompiledModule *module);

#endif
