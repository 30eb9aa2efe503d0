// SPDX-License-Identifier: Apache-2.0
// The code builder: pieces of LLVM IR that every lowering needs. It knows a NumericContext, which says where code goes
// (builder, function) and for which machine, and nothing of tiles or Tile IR.
#ifndef CONGRUENT_CODE_H
#define CONGRUENT_CODE_H

#include "compiler/numeric/numeric.h"

#include <llvm-c/Core.h>

// ---- types and constants

LLVMTypeRef code_integer_type(const NumericContext *cx, unsigned bits);
LLVMValueRef code_i64(const NumericContext *cx, int64_t value);
LLVMValueRef code_i32(const NumericContext *cx, int32_t value);
// Bits of a scalar LLVM number type.
unsigned code_type_bits(LLVMTypeRef type);

// ---- memory

// In the function's entry block, so that mem2reg promotes it.
LLVMValueRef code_alloca(const NumericContext *cx, LLVMTypeRef type, const char *name);
// &base[index].
LLVMValueRef code_pointer_at(const NumericContext *cx, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef index);
// `align` in bytes, a power of two.
LLVMValueRef code_load(const NumericContext *cx, LLVMTypeRef type, LLVMValueRef pointer, unsigned align);
void code_store(const NumericContext *cx, LLVMValueRef value, LLVMValueRef pointer, unsigned align);
// A field of 8 bytes that never changes, at an offset from `launch`.
LLVMValueRef code_launch_field(const NumericContext *cx, LLVMValueRef launch, size_t offset, LLVMTypeRef type);
// An address (i64 or a vector of them) as a pointer into any memory.
LLVMValueRef code_pointer_of(const NumericContext *cx, LLVMValueRef address);
// `count` neighbours of a vector's lanes; one alone is a scalar, as is one of a scalar.
LLVMValueRef code_lanes(const NumericContext *cx, LLVMValueRef vector, unsigned first, unsigned count);

// Allocas for the lanes of one access, by type and number. All accesses of a function share them.
typedef struct CodeSlot {
    LLVMTypeRef type;
    unsigned index;
    LLVMValueRef slot;
} CodeSlot;
typedef struct CodeSlots { // NumericContext.slots
    Arena *arena;
    CodeSlot *items;
    size_t count, capacity;
} CodeSlots;
// Stores lanes in slot number `index` of their type. Its pointer.
LLVMValueRef code_spill(const NumericContext *cx, LLVMValueRef lanes, unsigned index);

// Loads or stores the lanes of a mask (i1 or a vector of them): neighbours from a pointer on, or each through a pointer
// of its own. Lanes that are not loaded are 0.
LLVMValueRef code_masked_load(const NumericContext *cx, LLVMTypeRef scalar, LLVMValueRef pointer, LLVMValueRef mask,
                              unsigned align);
void code_masked_store(const NumericContext *cx, LLVMValueRef value, LLVMValueRef pointer, LLVMValueRef mask,
                       unsigned align);

// ---- control flow

LLVMBasicBlockRef code_block(const NumericContext *cx, const char *name);

// Code that runs only where `condition` (i1) holds. After it `values` are 0 where it did not run.
typedef struct CodeGuard {
    LLVMBasicBlockRef before, join;
} CodeGuard;
CodeGuard code_guard_open(const NumericContext *cx, LLVMValueRef condition);
void code_guard_close(const NumericContext *cx, const CodeGuard *guard, unsigned count, LLVMValueRef *values);

// A counted loop 0 .. count-1 (count i64, at least 1): between open and close the code of the body, `index` i64.
typedef struct CodeLoop {
    LLVMBasicBlockRef body;
    LLVMValueRef index, count;
} CodeLoop;
CodeLoop code_loop_open(const NumericContext *cx, LLVMValueRef count);
void code_loop_close(const NumericContext *cx, const CodeLoop *loop);

// Code that the kernels of a module share, as a function of their LLVM module. True if there is none of that name yet:
// then the builder, and cx->function, stand in a new one until it is closed. Names begin with "congruent.".
typedef struct CodeShared {
    LLVMValueRef function, caller;
    LLVMBasicBlockRef here;
    LLVMMetadataRef line;
} CodeShared;
bool code_shared_open(NumericContext *cx, const char *name, LLVMTypeRef type, CodeShared *shared);
void code_shared_close(NumericContext *cx, const CodeShared *shared);

#endif
