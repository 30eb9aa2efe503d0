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

// ---- host_target.c: the target machine of `cpu`; target->triple is set. E_LLVM.
bool target_open_machine(Target *target, Diagnostics *diagnostics, const char *cpu, const char *features);

// A row of pipelines.def.
typedef struct TargetPipeline {
    LLVMCodeGenOptLevel code_generator;
    const char *passes;
} TargetPipeline;
// Bytes of stack that a kernel may take; threads have 2 MiB where the system sets no limit.
enum { TARGET_LEVELS = 4, TARGET_STACK_MAX = 1 << 20 };
extern const TargetPipeline target_pipelines[TARGET_LEVELS];

#endif
