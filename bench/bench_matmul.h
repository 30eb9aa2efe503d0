// SPDX-License-Identifier: Apache-2.0
// Shared by bench_matmul.c and bench_matmul_data.c: one product of matrices and its memory.
#ifndef CONGRUENT_BENCH_MATMUL_H
#define CONGRUENT_BENCH_MATMUL_H

#include "bench/bench_internal.h"

enum { MATMUL_X, MATMUL_Y, MATMUL_Z, MATMUL_X_SCALES, MATMUL_Y_SCALES, MATMUL_ARRAYS };

typedef struct MatmulOperand { // see matmul_rows.def
    FpsanFormat storage, computed, scale;
    unsigned block;
    bool by_rows, is_integer, is_signed;
} MatmulOperand;

typedef struct MatmulRow { // see matmul_rows.def
    const char *file;
    const MatmulOperand *operands[2];
    FpsanFormat result;
    uint32_t tile_m, tile_n, trim;
    unsigned threads;
    double rate, fpsan, ieee;
    const char *base;
    double of_base;
} MatmulRow;

// One product: its code and its memory.
typedef struct Matmul {
    Bench *bench;
    FpdMachine *machine;
    const MatmulRow *row;
    CompileNumeric numeric;
    int64_t size;
    Arena arena;
    const Program *program;
    CompiledModule *compiled;
    unsigned arrays; // 3, with scales 5
    RtBuffer *buffers[MATMUL_ARRAYS];
    uint8_t *bytes[MATMUL_ARRAYS];
    int64_t shape[MATMUL_ARRAYS][2]; // in elements of the kernel's arrays
    unsigned element_bytes[MATMUL_ARRAYS];
} Matmul;

// ---- bench_matmul_data.c --------------------------------------------------------------------------------------------

// Sets shapes, allocates memory and fills the operands: numbers between -1 and 1, scales near 1.
bool matmul_allocate(Matmul *matmul);
// Compares some elements of the result with the definition. False and a diagnostic if one is wrong.
bool matmul_check(Matmul *matmul);

#endif
