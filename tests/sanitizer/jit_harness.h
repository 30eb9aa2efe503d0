// SPDX-License-Identifier: Apache-2.0
// Runs emitted code of Triton's algebra: functions are added one by one, compiled together and called on arrays.
#ifndef CONGRUENT_TESTS_JIT_HARNESS_H
#define CONGRUENT_TESTS_JIT_HARNESS_H

#include "sanitizer/fpsan_llvm.h"

enum { JIT_OPERANDS_MAX = 400 };

typedef struct JitOptions {
    unsigned lanes;          // 0: scalar code
    bool optimize, baseline; // with the passes of kernels at level 2; for the oldest processor of the host's family
} JitOptions;

typedef struct Jit Jit;
// Never NULL: if LLVM fails, the installation is broken, and the program ends with LLVM's message.
Jit *jit_open(FpsanAlgebra algebra, JitOptions options);
void jit_close(Jit *jit);

// Emits one operation on operands with the lanes of JitOptions; returns its result. NULL: it is refused.
typedef LLVMValueRef (*JitBody)(const FpsanEmit *e, const void *what, const LLVMValueRef *operands);
// Adds a function with operands of operand_bits[i] bits and a result of result_bits (1..64); returns its index, -1 if
// the body refused. All functions are added before the first call.
int jit_add(Jit *jit, JitBody body, const void *what, unsigned operand_count, const unsigned *operand_bits,
            unsigned result_bits);
// Compiles what was added, once. If nobody calls it, the first jit_call does.
void jit_compile(Jit *jit);
// results[i] = function(operands[0][i], operands[1][i], ...) for i < count.
void jit_call(Jit *jit, int index, size_t count, const uint64_t *const *operands, uint64_t *results);

#endif
