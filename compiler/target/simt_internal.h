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

// What is known of the function in work: values computed once, at its beginning.
typedef struct SimtFunction {
    LLVMValueRef function;
    LLVMValueRef start; // a mark: what comes first stands before it
    LLVMValueRef words; // memory for the registers of an mma
    LLVMValueRef table, shared;
    LLVMValueRef ops[SIMT_OP_COUNT], special[SIMT_LANEID + 1];
} SimtFunction;

enum { SIMT_MMA_A = 4, SIMT_MMA_B = 2, SIMT_MMA_SUMS = 4 }; // words of a thread

typedef struct SimtBuild {
    Diagnostics *diagnostics;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMBuilderRef first; // stands at the beginning of the function in work
    LLVMTargetDataRef layout;
    LLVMTypeRef none, i32, i64, pointer;
    LLVMValueRef table;  // the variable that points to the SimtOps
    LLVMValueRef shared; // the array in shared memory, NULL if the module has none
    // Functions of the module: access to what is not one range of fixed size.
    LLVMValueRef ranged, masked, scattered;
    SimtFunction at;
    const char *kernel; // of whose code errors speak
} SimtBuild;

// ---- simt_calls.c ---------------------------------------------------------------------------------------------------

// The beginning and the end of the code of a function, which must have a body. In between `at` says what is there.
void simt_open_function(SimtBuild *build, LLVMValueRef function);
void simt_close_function(SimtBuild *build);
// Calls a function of the emulator where the builder stands.
LLVMValueRef simt_call_op(SimtBuild *build, SimtOp op, LLVMValueRef *arguments);
// The address of the block's shared memory, in its address space.
LLVMValueRef simt_shared_memory(SimtBuild *build);
LLVMValueRef simt_number(const SimtBuild *build, uint32_t value);
// Replaces a call by what does the same on a processor. False and E_UNSUPPORTED if there is no such thing.
bool simt_replace_call(SimtBuild *build, LLVMValueRef call);

// ---- simt_access.c --------------------------------------------------------------------------------------------------

// Adds `ranged`, `masked` and `scattered`.
void simt_add_access_functions(SimtBuild *build);
// Announce an access before `at`, unless only this thread can see what it touches.
void simt_announce(SimtBuild *build, LLVMValueRef at, LLVMValueRef address, LLVMTypeRef type, uint32_t flags);
void simt_announce_range(SimtBuild *build, LLVMValueRef at, LLVMValueRef address, LLVMValueRef bytes, uint32_t flags);
void simt_announce_masked(SimtBuild *build, LLVMValueRef at, LLVMValueRef address, LLVMTypeRef type, LLVMValueRef mask,
                          uint32_t flags);
void simt_announce_scattered(SimtBuild *build, LLVMValueRef at, LLVMValueRef addresses, LLVMTypeRef type,
                             LLVMValueRef mask, uint32_t flags);

#endif
