// SPDX-License-Identifier: Apache-2.0
// Runs emitted code of the tower: functions are added one by one, compiled together and called.
#ifndef CONGRUENT_TESTS_TOWER_JIT_H
#define CONGRUENT_TESTS_TOWER_JIT_H

#include "sanitizer/tower_llvm.h"

// Part j of operand i (the tower's components, then the state) of lane k is payloads[(i * (length + 1) + j) * lanes +
// k]. `numbers` has the IEEE operands a, then b, each a word of 64 bits for each lane. `result` is laid out like one
// operand.
typedef void TowerJitFunction(const uint32_t *payloads, const uint64_t *numbers, uint32_t *result);

typedef struct TowerJitOptions {
    unsigned chain;  // number of the tower
    bool optimize;   // the passes that kernels get
    const char *cpu; // LLVM's name of a processor; NULL: the host's, "": the oldest of its family
    bool wide;       // as on machines with products of 52 bits
} TowerJitOptions;

typedef struct TowerJit TowerJit;
// Never NULL: if LLVM fails, the installation is broken, and the program ends with LLVM's message.
TowerJit *tower_jit_open(TowerJitOptions options);
void tower_jit_close(TowerJit *jit);
const TowerEmit *tower_jit_emit(const TowerJit *jit);
// Begin a function and give its three parameters; end it.
void tower_jit_begin(TowerJit *jit, const char *name, LLVMValueRef *parameters);
void tower_jit_end(TowerJit *jit);
// Loads a scalar (lanes 0) or a vector from element `index` of an array of iSTORED, and truncates it to iBITS.
LLVMValueRef tower_jit_load(TowerJit *jit, LLVMValueRef array, unsigned stored, unsigned bits, size_t index,
                            unsigned lanes);
TowerValue tower_jit_load_value(TowerJit *jit, LLVMValueRef payloads, unsigned operand, unsigned lanes);
void tower_jit_store_value(TowerJit *jit, LLVMValueRef result, unsigned lanes, const TowerValue *value);
// Compiles what was added (once), and finds a function.
void *tower_jit_find(TowerJit *jit, const char *name);

#endif
