// SPDX-License-Identifier: Apache-2.0
// From an LLVM module to text, an object file, or code in this process, for the host's kind of processor; to PTX and
// cubins for GPUs.
//
// Order of use: target_open or target_open_gpu; target_prepare on an empty module; the lowering fills it; for GPUs
// target_check_calls; target_optimize; then target_emit, jit_add, or for GPUs target_assemble. Two targets may be used
// by two threads at the same time; one target by one thread.
#ifndef CONGRUENT_TARGET_H
#define CONGRUENT_TARGET_H

#include "base/base.h"
#include "compiler/compiler.h"
#include "compiler/target/machine.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>

// ---- host_target.c: the processor
// ----------------------------------------------------------------------------------------

typedef struct Target Target;

// The target for processor `cpu` as LLVM spells it (NULL: this machine's) at optimisation level 0..3. NULL and
// E_TARGET, which lists the known ones, for a name that is not known. target_close(NULL) is fine.
Target *target_open(Diagnostics *diagnostics, const char *cpu, unsigned optimize);
void target_close(Target *target);
const Machine *target_machine(const Target *target);
// Code for it will be run by this process: it may use what the system has to permit (AMX tiles), which is asked for
// that. Only of targets for this machine.
void target_run_here(Target *target);
unsigned target_level(const Target *target);
// This machine's processor ("sapphirerapids"), and LLVM's version ("22.1.8"). Constant for the life of the process.
const char *target_host_cpu(void);
const char *target_llvm_version(void);
// Whether code for that processor can be run by this one: for its own name, and the levels of x86-64 that it has. False
// and E_TARGET otherwise.
bool target_runs_here(Diagnostics *diagnostics, const char *cpu);
// The names that target_open knows: index 0 and up, NULL past the last.
const char *target_cpu_at(size_t index);
// Sets triple and data layout of a new module, and sends what LLVM has to say about its context to `diagnostics`.
void target_prepare(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module);

// ---- nvptx_target.c: GPUs
// ---------------------------------------------------------------------------------------------------

// A row of gpus.def.
typedef struct TargetGpu {
    const char *name;
    unsigned compute, ptx, toolkit; // compute capability, version of PTX, release of CUDA: times 10
    unsigned shared_bytes, threads, registers;
} TargetGpu;

// The target for a GPU ("sm_90"). NULL and E_TARGET, which lists the known ones, for a name that is not known.
Target *target_open_gpu(Diagnostics *diagnostics, const char *name, unsigned optimize);
const TargetGpu *target_gpu(const Target *target); // NULL: a processor
const TargetGpu *target_gpu_at(size_t index);      // NULL past the last
// Whether a kernel or global of a GPU may have the name.
bool target_gpu_name_is_free(const char *name);
// Whether every function that the module calls and does not have is one of libdevice, or something that the GPU can do
// and LLVM can select. E_UNSUPPORTED.
bool target_check_calls(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module);

// ---- libdevice.c: CUDA's math functions
// ---------------------------------------------------------------------------------------

// Functions called __nv_NAME, of libdevice.10.bc: those that the module calls become part of it. After
// target_check_calls, before target_optimize. E_BACKEND where there is no libdevice, or it lacks one.
bool target_is_of_libdevice(const char *function);
bool target_link_libdevice(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module);

// ---- ptxas.c: PTX to a cubin
// ------------------------------------------------------------------------------------------------

// Appends the cubin. Of `options`: save, line_info, debugger, optimize, resources. E_BACKEND where there is no ptxas,
// or too old a one; E_LLVM with what it says.
bool target_assemble(const Target *target, Diagnostics *diagnostics, const CompileOptions *options, const Buffer *ptx,
                     Buffer *out);

// ---- generate_code.c

// Verifies the module (in every build), gives its functions the target's attributes and runs the passes of the level.
// E_LLVM.
bool target_optimize(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module);
// Appends the module as text (.ll), assembly (of GPUs PTX), or a relocatable object (not of GPUs). E_LLVM.
bool target_emit(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module, CompileOutput output,
                 Buffer *out);

// Appends what tells apart the files that code for GPUs is made by and from: this module, LLVM, ptxas, libdevice.
void target_print_toolchain(Buffer *out);

// ---- simt_module.c, simt_calls.c, simt_access.c: code for GPUs on this processor
// ------------------------------------------------------------------------------------

// The module's variable that points to the emulator's functions.
#define SIMT_TABLE_NAME "congruent_simt"
// Turns a module made and optimised for a GPU into one for `host`, to be optimised (level 1 will do) and added to the
// JIT. Where it had kernels it has functions of the type SimtEntry, and in any case the variables SIMT_TABLE_NAME (of
// type const SimtOps *) and GPU_LAUNCH_NAME, which are 0. The line of an instruction's debug location is the place that
// the emulator is told; after this there is no debug information. False and E_UNSUPPORTED, naming what it is, if the
// module has something that cannot be emulated; it is then good for nothing but LLVMDisposeModule.
bool simt_transform(const Target *host, Diagnostics *diagnostics, LLVMModuleRef module);

// ---- jit.c: code in this process
// ----------------------------------------------------------------------------------------------

typedef struct Jit Jit;

// NULL and E_LLVM on failure. jit_close(NULL) is fine; closing frees all code, which must no longer run.
Jit *jit_open(Diagnostics *diagnostics);
void jit_close(Jit *jit);
// Compiles the module and adds it. The module stays the caller's and is not needed afterwards.
bool jit_add(Jit *jit, Diagnostics *diagnostics, const Target *target, LLVMModuleRef module);
// The address of a function; NULL and E_LLVM, naming what is missing, if it or a symbol it needs cannot be found.
// Symbols of the C library, libm and (where there is one) libmvec are found.
void *jit_lookup(Jit *jit, Diagnostics *diagnostics, const char *name);
// What LLVM's JIT said last without a caller to say it to; "" if nothing.
const char *jit_last_diagnostic(const Jit *jit);

// ---- debug_lines.c: source lines in the output
// -------------------------------------------------------------------------

// Debug information of a module, while it is built. All functions do nothing for NULL, so that callers need not ask.
typedef struct DebugLines DebugLines;
// `path`: the file compiled, NULL if there is none; `debugger`: of GPUs, for one. After target_prepare; debug_close is
// due before the module is verified.
DebugLines *debug_open(LLVMModuleRef module, const char *path, bool debugger);
void debug_close(DebugLines *lines, LLVMBuilderRef builder);
// From here on the builder appends to `function`, which has no body yet and comes from `at`.
void debug_function(DebugLines *lines, LLVMBuilderRef builder, LLVMValueRef function, Location at);
// From here on what the builder appends comes from `at`; no line: from the function as a whole.
void debug_at(DebugLines *lines, LLVMBuilderRef builder, Location at);

// ---- llvm_error.c: what LLVM says becomes a diagnostic
// --------------------------------------------------------------------------

// Each takes what LLVM gave, records E_LLVM with it if it is an error, and frees it. True if there was none.
bool llvm_check(Diagnostics *diagnostics, LLVMErrorRef error, const char *doing);
bool llvm_fail(Diagnostics *diagnostics, char *message, const char *doing); // always false; LLVMDisposeMessage
// Reports of the context go to `diagnostics` from here on. They must live as long as the context is used.
void llvm_install_reports(LLVMContextRef context, Diagnostics *diagnostics);
// Where LLVM cannot go on it calls this process's handler, which prints one line and ends the process with status 5
// (the one exit outside main). The line names what this thread was doing: set it before each op or phase; `op`
// (borrowed) NULL: nothing known.
void llvm_install_fatal_handler(void);
void llvm_now(const char *op, Location at);

#endif
