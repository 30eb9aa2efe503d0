// SPDX-License-Identifier: Apache-2.0
// What the files of this room share.
#ifndef CONGRUENT_TARGET_INTERNAL_H
#define CONGRUENT_TARGET_INTERNAL_H

#include "compiler/target/target.h"

#include <llvm-c/TargetMachine.h>

struct Target {
    LLVMTargetMachineRef llvm;
    LLVMTargetDataRef layout;
    char *triple; // of LLVM's allocator
    Machine machine;
    bool is_host;
    const TargetGpu *gpu; // NULL: a processor
    unsigned level;
};

// ---- host_target.c -------------------------------------------------------------------------------------------------

// Sets target->llvm and ->layout for `cpu` with LLVM's `features`; triple, level and gpu are set. False and E_LLVM if
// LLVM cannot generate code for it.
bool target_open_machine(Target *target, Diagnostics *diagnostics, const char *cpu, const char *features);

// A row of pipelines.def.
typedef struct TargetPipeline {
    LLVMCodeGenOptLevel code_generator;
    const char *passes, *gpu_passes;
} TargetPipeline;
// TARGET_STACK_MAX: the bytes of stack that a kernel may take; threads have 2 MiB where the system sets no limit.
enum { TARGET_LEVELS = 4, TARGET_STACK_MAX = 1 << 20 };
extern const TargetPipeline target_pipelines[TARGET_LEVELS];

// ---- precompiled.c --------------------------------------------------------------------------------------------------

// Functions that were made beforehand for processors like this machine's; NULL: there are none.
const MachineFunction *precompiled_here(void);

#endif
