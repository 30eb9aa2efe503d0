// SPDX-License-Identifier: Apache-2.0
// Runs emitted tower code: functions are added one by one, compiled together, and called.
#ifndef CONGRUENT_TESTS_TOWER_JIT_H
#define CONGRUENT_TESTS_TOWER_JIT_H

#include "sanitizer/tower_llvm.h"

// Payloads: operand i's part j (component 0.., state) of lane k at (i * 5 + j) * lanes + k; numbers: a then b, a word
// of 64 bits for each lane; result: as one payload operand.
typedef void TowerJitFunction(const uint32_t *payloads, const uint64_t *numbers, uint32_t *result);

typedef struct TowerJitOptions {
    unsigned chain;
    bool optimize;   // the passes that kernels get
    const char *cpu; // LLVM's name of a processor; NULL: the host's, "": the oldest of its family
} TowerJitOptions;

typedef struct TowerJit TowerJit;
// Never NULL: what LLVM refuses here is a broken installation, and stops the program with LLVM's message.
TowerJit *tower_jit_open(TowerJitOptions options);
void tower_jit_close(TowerJit *jit);
const TowerEmit *tower_jit_emit(const TowerJit *jit);
// Begins a function; its three parameters; ends it.
void tower_jit_begin(TowerJit *jit, const char *name, LLVMValueRef *parameters);
void tower_jit_end(TowerJit *jit);
// A scalar (lanes 0) or vector of iBITS at element `index` of an array of iSTORED.
LLVMValueRef tower_jit_load(TowerJit *jit, LLVMValueRef array, unsigned stored, unsigned bits, size_t index,
                            unsigned lanes);
TowerValue tower_jit_load_value(TowerJit *jit, LLVMValueRef payloads, unsigned operand, unsigned lanes);
void tower_jit_store_value(TowerJit *jit, LLVMValueRef result, unsigned lanes, const TowerValue *value);
// Compiles what was added (once), and finds a function.
void *tower_jit_find(TowerJit *jit, const char *name);

#endif
