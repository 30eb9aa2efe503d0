// SPDX-License-Identifier: Apache-2.0
// What the files that turn modules for GPUs into modules for a processor share.
#ifndef CONGRUENT_SIMT_INTERNAL_H
#define CONGRUENT_SIMT_INTERNAL_H

#include "compiler/target/target_internal.h"

typedef enum SimtOp {
#define OP(field, result, parameters) SIMT_OP_##field,
#include "compiler/target/simt_ops.def"
#undef OP
    SIMT_OP_COUNT
} SimtOp;

// The function that is being translated. Values below `words` are computed once, at its beginning, when first needed.
typedef struct SimtFunction {
    LLVMValueRef function;
    LLVMValueRef start;                                        // an instruction that marks the end of that beginning
    LLVMValueRef words;                                        // memory for the registers of an mma
    LLVMValueRef table, shared;                                // the SimtOps; the block's shared memory
    LLVMValueRef ops[SIMT_OP_COUNT], special[SIMT_LANEID + 1]; // functions of the SimtOps; by SimtSpecial
} SimtFunction;

// Registers (of 32 bits) that each thread of an mma has.
enum { SIMT_MMA_A = 4, SIMT_MMA_B = 2, SIMT_MMA_SUMS = 4 };

typedef struct SimtBuild {
    Diagnostics *diagnostics;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMBuilderRef first; // stands at the beginning of the function `at`
    LLVMTargetDataRef layout;
    LLVMTypeRef none, i32, i64, pointer;
    LLVMValueRef table;  // the variable that points to the SimtOps
    LLVMValueRef shared; // the array in shared memory, NULL if the module has none
    // Functions of the module that announce a range of any size, masked neighbours, and lanes with addresses of their
    // own.
    LLVMValueRef ranged, masked, scattered;
    SimtFunction at;
    const char *kernel; // the kernel that errors name
} SimtBuild;

// ---- simt_calls.c ---------------------------------------------------------------------------------------------------

// Begins and ends the translation of a function, which must have a body. In between, `at` describes it.
void simt_open_function(SimtBuild *build, LLVMValueRef function);
void simt_close_function(SimtBuild *build);
// Calls a function of the emulator where build->builder stands.
LLVMValueRef simt_call_op(SimtBuild *build, SimtOp op, LLVMValueRef *arguments);
// The address of the block's shared memory, in its address space.
LLVMValueRef simt_shared_memory(SimtBuild *build);
LLVMValueRef simt_number(const SimtBuild *build, uint32_t value); // i32
// Replaces a call by code that does the same on a processor (simt_calls.def). False and E_UNSUPPORTED if it cannot.
bool simt_replace_call(SimtBuild *build, LLVMValueRef call);

// ---- simt_access.c --------------------------------------------------------------------------------------------------

// Adds the functions build->ranged, ->masked and ->scattered to the module.
void simt_add_access_functions(SimtBuild *build);
// Announce an access to the emulator (SimtOps.access) before the instruction `at`, unless only this thread can see the
// memory. `flags`: SIMT_READ, SIMT_WRITE, ... The access is of a value of `type`; of `bytes` bytes; of the lanes of a
// vector where `mask` (i1 lanes) holds; of such lanes, each at an address of its own.
void simt_announce(SimtBuild *build, LLVMValueRef at, LLVMValueRef address, LLVMTypeRef type, uint32_t flags);
void simt_announce_range(SimtBuild *build, LLVMValueRef at, LLVMValueRef address, LLVMValueRef bytes, uint32_t flags);
void simt_announce_masked(SimtBuild *build, LLVMValueRef at, LLVMValueRef address, LLVMTypeRef type, LLVMValueRef mask,
                          uint32_t flags);
void simt_announce_scattered(SimtBuild *build, LLVMValueRef at, LLVMValueRef addresses, LLVMTypeRef type,
                             LLVMValueRef mask, uint32_t flags);

#endif
