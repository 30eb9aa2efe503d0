// SPDX-License-Identifier: Apache-2.0
// The code builder: pieces of LLVM IR that every lowering needs. A NumericContext says where code goes (builder,
// function) and for which machine. Tiles and Tile IR are not known here.
#ifndef CONGRUENT_CODE_H
#define CONGRUENT_CODE_H

#include "compiler/numeric/numeric.h"

#include <llvm-c/Core.h>

// ---- types and constants

LLVMTypeRef code_integer_type(const NumericContext *cx, unsigned bits);
// Constants.
LLVMValueRef code_i64(const NumericContext *cx, int64_t value);
LLVMValueRef code_i32(const NumericContext *cx, int32_t value);
// The width of an integer, float or double type.
unsigned code_type_bits(LLVMTypeRef type);

// ---- memory

// Goes to the function's entry block, so that mem2reg promotes it.
LLVMValueRef code_alloca(const NumericContext *cx, LLVMTypeRef type, const char *name);
// The address of number `index` (i64) of an array of `element`.
LLVMValueRef code_pointer_at(const NumericContext *cx, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef index);
// `align` in bytes, a power of two.
LLVMValueRef code_load(const NumericContext *cx, LLVMTypeRef type, LLVMValueRef pointer, unsigned align);
void code_store(const NumericContext *cx, LLVMValueRef value, LLVMValueRef pointer, unsigned align);
// Loads a field of 8 bytes that never changes while the kernel runs, at an offset from `launch`.
LLVMValueRef code_launch_field(const NumericContext *cx, LLVMValueRef launch, size_t offset, LLVMTypeRef type);
// An address (i64 or a vector of them) as a pointer into any memory.
LLVMValueRef code_pointer_of(const NumericContext *cx, LLVMValueRef address);
// `count` neighbouring lanes of a vector; a scalar if count is 1. Of a scalar (count 1) the scalar.
LLVMValueRef code_lanes(const NumericContext *cx, LLVMValueRef vector, unsigned first, unsigned count);

// An alloca for the lanes of one access. All accesses of a function share those of one type and number.
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
// Stores lanes in slot number `index` of their type and gives its pointer.
LLVMValueRef code_spill(const NumericContext *cx, LLVMValueRef lanes, unsigned index);

// Loads or stores the lanes where `mask` (i1 or a vector of them) holds. `pointer`: of the first of neighbouring lanes,
// or a vector with a pointer for each lane. Lanes that are not loaded are 0. `align` is that of an element, in bytes.
LLVMValueRef code_masked_load(const NumericContext *cx, LLVMTypeRef scalar, LLVMValueRef pointer, LLVMValueRef mask,
                              unsigned align);
void code_masked_store(const NumericContext *cx, LLVMValueRef value, LLVMValueRef pointer, LLVMValueRef mask,
                       unsigned align);

// ---- control flow

// Appends a block to the function. The builder stays where it is.
LLVMBasicBlockRef code_block(const NumericContext *cx, const char *name);
// Asks for the line of memory at a pointer, before it is loaded or stored. `level`: of the caches.
typedef enum CodePrefetch { CODE_PREFETCH_READ, CODE_PREFETCH_WRITE } CodePrefetch;
enum { CODE_SECOND_LEVEL = 2, CODE_FIRST_LEVEL = 3 };
void code_prefetch(const NumericContext *cx, LLVMValueRef pointer, CodePrefetch what, int level);
// How often a conditional branch goes to its first block, and to its second one.
void code_set_odds(const NumericContext *cx, LLVMValueRef branch, unsigned first, unsigned second);

// The code between open and close runs only if `condition` (i1) holds. Behind close each of the `values`, which that
// code made, is a value for both ways: 0 if the code did not run.
typedef struct CodeGuard {
    LLVMBasicBlockRef before, join;
} CodeGuard;
CodeGuard code_guard_open(const NumericContext *cx, LLVMValueRef condition);
void code_guard_close(const NumericContext *cx, const CodeGuard *guard, unsigned count, LLVMValueRef *values);

// A loop over `index` (i64) from 0 to count - 1; `count` is an i64, at least 1. The body is built between open and
// close.
typedef struct CodeLoop {
    LLVMBasicBlockRef body;
    LLVMValueRef index, count;
} CodeLoop;
CodeLoop code_loop_open(const NumericContext *cx, LLVMValueRef count);
void code_loop_close(const NumericContext *cx, const CodeLoop *loop);

// A function that the kernels of an LLVM module share; its name begins with "congruent.". Opening finds or adds it.
// True if it was added: the caller then builds its body, where builder and cx->function now stand, and closes it.
// False: it is there already, or was made beforehand (precompiled.def), and there is nothing to close.
typedef struct CodeShared {
    LLVMValueRef function, caller;
    LLVMBasicBlockRef here;
    LLVMMetadataRef line;
} CodeShared;
bool code_shared_open(NumericContext *cx, const char *name, LLVMTypeRef type, CodeShared *shared);
void code_shared_close(NumericContext *cx, const CodeShared *shared);

#endif
