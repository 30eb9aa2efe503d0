// SPDX-License-Identifier: Apache-2.0
// What the files of this room share.
#ifndef CONGRUENT_TARGET_INTERNAL_H
#define CONGRUENT_TARGET_INTERNAL_H

#include "compiler/target/target.h"

#include <llvm-c/TargetMachine.h>

struct Target {
    LLVMTargetMachineRef machine;
    LLVMTargetDataRef layout;
    char *triple; // of LLVM's allocator
    NumericMachine numeric;
    unsigned level;
};

// A row of pipelines.def.
typedef struct TargetPipeline {
    LLVMCodeGenOptLevel code_generator;
    const char *passes;
} TargetPipeline;
enum { TARGET_LEVELS = 4 };
extern const TargetPipeline target_pipelines[TARGET_LEVELS];

#endif
