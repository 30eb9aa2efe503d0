// SPDX-License-Identifier: Apache-2.0
// Runs emitted payload code: functions are added one by one, compiled together, and called on arrays of elements.
#ifndef CONGRUENT_TESTS_JIT_HARNESS_H
#define CONGRUENT_TESTS_JIT_HARNESS_H

#include "sanitizer/fpsan_llvm.h"

enum { JIT_OPERANDS_MAX = 400 };

// Machine code for the host's CPU or for the oldest one of its family, after LLVM's -O2 passes or without them.
typedef struct JitOptions {
    unsigned lanes; // 0: scalar code
    bool optimize, baseline;
} JitOptions;

typedef struct Jit Jit;
// Never NULL: what LLVM refuses here is a broken installation, and stops the program with LLVM's message.
Jit *jit_open(FpsanAlgebra algebra, JitOptions options);
void jit_close(Jit *jit);

// Emits the result of one operation from operands of the harness's shape; NULL: refused.
typedef LLVMValueRef (*JitBody)(const FpsanEmit *e, const void *what, const LLVMValueRef *operands);
// Adds a function with operands of operand_bits[i] bits and a result of result_bits (1..64); returns its index, -1 if
// the body refused. All functions are added before the first call.
int jit_add(Jit *jit, JitBody body, const void *what, unsigned operand_count, const unsigned *operand_bits,
            unsigned result_bits);
// Compiles what was added (once; jit_call does it otherwise).
void jit_compile(Jit *jit);
// results[i] = function(operands[0][i], operands[1][i], ...) for i < count.
void jit_call(Jit *jit, int index, size_t count, const uint64_t *const *operands, uint64_t *results);

#endif
