// SPDX-License-Identifier: Apache-2.0
// Tile IR to LLVM IR, for other rooms: one function per entry of a module, and what is to be known of each.
#ifndef CONGRUENT_LOWER_H
#define CONGRUENT_LOWER_H

#include "base/base.h"
#include "compiler/compiler.h"
#include "compiler/target/machine.h"
#include "compiler/tileir/tir.h"

#include <llvm-c/Core.h>

typedef struct LoweredModule {
    KernelInfo *kernels; // without code, one per entry, in module order
    uint32_t kernel_count, place_count;
    KernelPlace *places; // of code to be run with `simt`: what the lines of its debug locations are, from 1 on
} LoweredModule;

typedef struct LowerRequest {
    const Program *program; // of PROGRAM_TILES
    const CompileOptions *options;
    const Machine *machine;
    bool own_globals; // globals are data of the LLVM module where the launch gives none
    LLVMModuleRef llvm;
} LowerRequest;

// One LLVM function per entry of the program: a HostEntry or, for GPUs, as gpu_abi.h says. Results live in the arena.
// False and a diagnostic with the op's name and source line (E_UNSUPPORTED, E_LIMIT).
bool lower_module(Diagnostics *diagnostics, Arena *arena, const LowerRequest *request, LoweredModule *lowered);

#define EMIT_GLOBAL_NAME "congruent.global.%u" // of own data, by number in the module
#define EMIT_PLACES      "places"              // the file of debug locations that say numbers of places

#endif
