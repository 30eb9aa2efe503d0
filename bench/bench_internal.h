// SPDX-License-Identifier: Apache-2.0
// What the files of the benchmark share.
#ifndef CONGRUENT_BENCH_INTERNAL_H
#define CONGRUENT_BENCH_INTERNAL_H

#include "diff/fpd.h"

typedef struct Bench {
    Diagnostics diagnostics;
    FpdMachine machine; // one thread
    unsigned runs;      // of everything; medians are printed
    int64_t size;       // of the matrices
    bool without_tiles; // of matrix products: the processor's tile registers are not used
    const char *only;   // of matrix products: those with this in their label; NULL: all
} Bench;

// ---- timing.c -------------------------------------------------------------------------------------------------------

double bench_seconds(void);                        // of a clock that only goes forward
double bench_processor_seconds(void);              // that this thread has used
double bench_median(double *values, size_t count); // sorts them; NAN if there are none

// ---- bench_matmul.c -------------------------------------------------------------------------------------------------

typedef struct BenchMatmul {
    const char *label, *file, *goal; // the goal as text, empty if there is none
    CompileNumeric numeric;
    double compile_seconds, seconds, rate; // rate in 1e9 multiply-adds/s
    double sgemm;   // speed as a multiple of sgemm's on one thread, timed alternately; NAN without OpenBLAS
    double of_base; // as a multiple of the speed of the product it is compared with; NAN if there is none
    bool reached;   // the goal, if there is one
} BenchMatmul;

typedef struct BenchMatmuls {
    BenchMatmul *rows;
    size_t count;
} BenchMatmuls;

// Times products of two square matrices in every format and mode that is of interest (matmul_rows.def), OpenBLAS's
// sgemm after each of them, and prints a row for each. The results live in the arena. False and diagnostics if
// something fails, wrong results included.
bool bench_time_matmuls(Bench *bench, Arena *arena, BenchMatmuls *results);
// The same with a title, for the one who wants no results.
bool bench_matmuls(Bench *bench);

// ---- bench_blas.c ---------------------------------------------------------------------------------------------------

// Seconds of processor time that OpenBLAS takes for c = a b (row-major squares) on one thread; the name of its library
// in *name. A negative number if it is not installed.
double bench_sgemm(int64_t size, const float *a, const float *b, float *c, const char **name);

// ---- bench_front_end.c ----------------------------------------------------------------------------------------------

// Times reading, verifying, writing, printing and parsing a module of 1 MiB of bytecode, with and without debug
// information.
bool bench_front_end(Bench *bench);

// ---- bench_shadow.c -------------------------------------------------------------------------------------------------

// Times the numeric `shadow` against IEEE arithmetic.
bool bench_shadow(Bench *bench);

// ---- bench_cases.c --------------------------------------------------------------------------------------------------

// Times compiling and running each variant of a case in its modes.
bool bench_case(Bench *bench, const char *path);

#endif
