// SPDX-License-Identifier: Apache-2.0
// Tile IR to LLVM IR, for other rooms: an LLVM function and a KernelInfo for each entry of a module.
#ifndef CONGRUENT_LOWER_H
#define CONGRUENT_LOWER_H

#include "base/base.h"
#include "compiler/compiler.h"
#include "compiler/numeric/numeric.h"
#include "compiler/tileir/tir.h"

#include <llvm-c/Core.h>

typedef struct LoweredModule {
    KernelInfo *kernels; // without code, one per entry, in module order; parts are part of these
    uint32_t kernel_count, place_count;
    // Of ops of kernels whose blocks have parts; with CompileOptions.simt of all ops: debug locations of the code then
    // have the line 1 + an index of these.
    KernelPlace *places;
} LoweredModule;

typedef struct LowerRequest {
    const Program *program; // of PROGRAM_TILES
    const CompileOptions *options;
    const Machine *machine;
    bool own_globals;   // the LLVM module has the globals as data, for launches that give none (HostLaunch.globals)
    LLVMModuleRef llvm; // after target_prepare; the code is added to it
} LowerRequest;

// Adds an LLVM function for each entry of the program: a HostEntry; for GPUs a kernel as gpu_abi.h says. Results live
// in the arena. False and a diagnostic with the op's name and source line (E_UNSUPPORTED, E_LIMIT).
bool lower_module(Diagnostics *diagnostics, Arena *arena, const LowerRequest *request, LoweredModule *lowered);

// The functions of precompiled.def that kernels share, in the module of the context, as kernels that call them have
// them. The arena is for its work.
void lower_shared_functions(const NumericContext *cx, Arena *arena);

#define EMIT_GLOBAL_NAME "congruent.global.%u" // with own_globals: symbol of a global's data, by its number
#define EMIT_PLACES      "places"              // the file that those debug locations name

#endif
