// SPDX-License-Identifier: Apache-2.0
// From an LLVM module to text, an object file, or code in this process; for GPUs to PTX and cubins.
//
// Order of use: target_open or target_open_gpu; target_prepare on an empty module; the lowering fills it; for GPUs
// target_check_calls and target_link_libdevice; target_optimize; then jit_add, or target_emit, whose PTX
// target_assemble makes a cubin of. Two threads may use two targets at the same time, but not the same one.
#ifndef CONGRUENT_TARGET_H
#define CONGRUENT_TARGET_H

#include "base/base.h"
#include "compiler/compiler.h"
#include "compiler/target/machine.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>

// ---- host_target.c: the processor -----------------------------------------------------------------------------------

typedef struct Target Target;

// The target for processor `cpu` as LLVM spells it (NULL: this machine's), at optimisation level 0..3; higher ones are
// 3. NULL and E_TARGET, which lists the known names, if the name is not known. target_close(NULL) is fine.
Target *target_open(Diagnostics *diagnostics, const char *cpu, unsigned optimize);
void target_close(Target *target);
const Machine *target_machine(const Target *target);
// Says that this process will run code for the target, before any is made. It asks the system to permit this process
// AMX tiles, and code may use them if it does. Changes nothing in targets that are not for this machine's processor.
void target_run_here(Target *target);
// Says that this process will run code that target_run_here was asked for before, here or in another process.
void target_run_made(void);
// Appends a line for keys of caches: this machine's processor, its features, and what the system permits here.
void target_print_host(Buffer *out);
unsigned target_level(const Target *target); // of optimisation
// This machine's processor ("sapphirerapids"), and LLVM's version ("22.1.8"). Constant for the life of the process.
const char *target_host_cpu(void);
const char *target_llvm_version(void);
// Whether this machine can run code for that processor: its own (or NULL), or a level of x86-64 whose features it has.
// False and E_TARGET otherwise.
bool target_runs_here(Diagnostics *diagnostics, const char *cpu);
// The names that target_open knows: index 0 and up, NULL past the last.
const char *target_cpu_at(size_t index);
// Sets triple and data layout of a new module, and sends what LLVM reports about its context to `diagnostics`.
void target_prepare(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module);

// ---- nvptx_target.c: GPUs -------------------------------------------------------------------------------------------

// A row of gpus.def.
typedef struct TargetGpu {
    const char *name;
    unsigned compute, ptx, toolkit;
    unsigned shared_bytes, threads, registers;
} TargetGpu;

// The target for a GPU ("sm_90"). NULL and E_TARGET, which lists the known names, if the name is not known.
Target *target_open_gpu(Diagnostics *diagnostics, const char *name, unsigned optimize);
const TargetGpu *target_gpu(const Target *target); // NULL: a processor
const TargetGpu *target_gpu_at(size_t index);      // NULL past the last
// Whether a kernel or global may have the name in PTX: an identifier that neither PTX nor CUDA's libraries define.
bool target_gpu_name_is_free(const char *name);
// Checks each function that the module calls and does not define: it must be of libdevice, or an intrinsic that the GPU
// has and that LLVM can select (intrinsics.def). False and E_UNSUPPORTED otherwise.
bool target_check_calls(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module);

// ---- libdevice.c: CUDA's math functions -----------------------------------------------------------------------------

// Whether the name is one of libdevice's: __nv_NAME.
bool target_is_of_libdevice(const char *function);
// Copies those that the module calls from libdevice.10.bc into it, once for each set of keys that is behind their names
// (MachineKeys): what bodies ask by __nvvm_reflect is answered by these and the GPU. After target_check_calls, before
// target_optimize. False and E_BACKEND if there is no libdevice, it lacks one of them, or asks an unknown key.
bool target_link_libdevice(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module);

// ---- ptxas.c: PTX to a cubin ----------------------------------------------------------------------------------------

// Appends the cubin that ptxas makes of `ptx`. Reads from `options`: save, line_info, debugger, optimize, resources.
// False and E_BACKEND if ptxas is missing or too old; E_LLVM with its words if it refuses.
bool target_assemble(const Target *target, Diagnostics *diagnostics, const CompileOptions *options, const Buffer *ptx,
                     Buffer *out);

// ---- generate_code.c

// Verifies the module (in every build), gives its functions the target's attributes and runs the passes of the level.
// False and E_LLVM if the module is not valid.
bool target_optimize(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module);
// For a module that is optimised: what its loops count in each step alone is computed behind them. As target_optimize.
bool target_take_counts_out(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module);
// Appends the module as text (.ll), assembly (PTX for GPUs), or a relocatable object (not for GPUs). False and E_LLVM
// if LLVM cannot.
bool target_emit(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module, CompileOutput output,
                 Buffer *out);

// As compiler_toolchain.
void target_print_toolchain(bool for_gpu, Buffer *out);

// ---- simt_module.c, simt_calls.c, simt_access.c: code for GPUs on this processor ------------------------------------

// The module's variable that points to the emulator's functions.
#define SIMT_TABLE_NAME "congruent_simt"
// Turns a module that was made and optimised for a GPU into one for `host`, which the caller optimises (level 1 will
// do) and adds to the JIT. Its kernels become functions of type SimtEntry. It gets the variables SIMT_TABLE_NAME (a
// const SimtOps *) and GPU_LAUNCH_NAME, both 0 at first. The lines of its debug locations become the places that the
// emulator is given (SimtOps), and the debug information goes. False and E_UNSUPPORTED, which names what cannot be
// emulated; the module may then only be disposed of.
bool simt_transform(const Target *host, Diagnostics *diagnostics, LLVMModuleRef module);

// ---- precompiled.c: functions that were made when the project was built ---------------------------------------------

// A row of precompiled.def.
typedef struct PrecompiledSet {
    const char *table; // symbol of its MachineFunctions
    const char *cpu;
} PrecompiledSet;
const PrecompiledSet *precompiled_set(size_t index); // NULL past the last
// The set's functions in this program; NULL if it has none.
const MachineFunction *precompiled_functions(size_t index);
// Whether this machine can run them.
bool precompiled_runs_here(size_t index);

// ---- jit.c: code in this process ------------------------------------------------------------------------------------

typedef struct Jit Jit;

// NULL and E_LLVM on failure. jit_close(NULL) is fine; closing frees all code, which must no longer run.
Jit *jit_open(Diagnostics *diagnostics);
void jit_close(Jit *jit);
// Compiles the module and adds its code. The module stays the caller's and is not needed afterwards. False and E_LLVM
// on failure.
bool jit_add(Jit *jit, Diagnostics *diagnostics, const Target *target, LLVMModuleRef module);
// Adds the code of an object file, whose bytes are copied.
bool jit_add_object(Jit *jit, Diagnostics *diagnostics, const void *bytes, size_t size);
// The address of a function. NULL and E_LLVM, which names what is missing, if the function or a symbol that it needs
// cannot be found. Symbols of the C library, libm and (where there is one) libmvec are found.
void *jit_lookup(Jit *jit, Diagnostics *diagnostics, const char *name);
// The last report of LLVM's JIT that no call above could give to its caller; "" if there was none.
const char *jit_last_diagnostic(const Jit *jit);

// ---- debug_lines.c: source lines in the output ----------------------------------------------------------------------

// Debug information of a module, while it is built. With `lines` NULL the functions do nothing.
typedef struct DebugLines DebugLines;
// Call it after target_prepare, and debug_close before the module is verified. `path`: the file that is compiled, NULL
// if there is none. `debugger`: CompileOptions.debugger.
DebugLines *debug_open(LLVMModuleRef module, const char *path, bool debugger);
void debug_close(DebugLines *lines, LLVMBuilderRef builder);
// From here on the builder builds `function`, which has no body yet and comes from `at`.
void debug_function(DebugLines *lines, LLVMBuilderRef builder, LLVMValueRef function, Location at);
// From here on the builder's instructions come from `at`; if that has no line, from the function as a whole.
void debug_at(DebugLines *lines, LLVMBuilderRef builder, Location at);

// ---- llvm_error.c: what LLVM says becomes a diagnostic --------------------------------------------------------------

// If `error` is one, records E_LLVM with it and frees it. True if there was none. `doing` ("finding the target") is
// what failed, in the message.
bool llvm_check(Diagnostics *diagnostics, LLVMErrorRef error, const char *doing);
// Records E_LLVM with LLVM's message and frees that. Always false.
bool llvm_fail(Diagnostics *diagnostics, char *message, const char *doing);
// Reports of the context go to `diagnostics` from here on, which must live as long as the context is used.
void llvm_install_reports(LLVMContextRef context, Diagnostics *diagnostics);
// At an error that is fatal to LLVM, prints one line and ends the process with status 5 (the one exit outside main).
void llvm_install_fatal_handler(void);
// What this thread now does, for that line: called before each op or phase. `op` is kept, not copied; NULL: not known.
void llvm_now(const char *op, Location at);

#endif
