// SPDX-License-Identifier: Apache-2.0
// Shared by bench_triton.c, bench_gluon.c and bench_pair.c: two kernels that compute the same.
#ifndef CONGRUENT_BENCH_PAIR_H
#define CONGRUENT_BENCH_PAIR_H

#include "bench/bench_internal.h"

enum { PAIR_ARRAYS_MAX = 4, PAIR_ARGUMENTS_MAX = 40, PAIR_RANK_MAX = 3, PAIR_TURNS = 9, PAIR_SIDES = 2 };

typedef struct PairArray {
    FpsanFormat format;
    unsigned rank;
    const char *shape; // "4N N/64 12"; N: the --size
} PairArray;

typedef struct PairKernel {
    const char *name, *file; // of whom it is, in messages; in bench/
    const char *grid;        // "X Y", as shapes
    const char *scalars;     // what comes behind the arrays: i32 as in shapes, f32 with a point
    bool sized;              // arrays are a pointer, sizes and strides, not only a pointer
    bool unchecked;          // RtLaunch.unchecked
} PairKernel;

// The ratio is that of the second kernel over the first.
typedef struct PairRow {
    const char *label; // numbers may have N behind them
    PairKernel kernels[PAIR_SIDES];
    PairArray arrays[PAIR_ARRAYS_MAX]; // the last one is the result
} PairRow;

typedef struct PairArithmetic {
    const char *name;
    CompileOptions options;
} PairArithmetic;

enum { PAIR_IEEE, PAIR_PAYLOAD, PAIR_TOWER, PAIR_ARITHMETICS };
// The tower with what fpdiff looks for.
extern const PairArithmetic pair_arithmetics[PAIR_ARITHMETICS];

typedef struct PairTimes {
    double seconds[PAIR_SIDES], ratio;
} PairTimes;

// Runs both in turn, and compiles both in turn if `compile` is not NULL. False and a diagnostic if something fails, or
// the results differ: numbers nearly, payloads at all.
bool pair_measure(Bench *bench, const PairRow *row, const PairArithmetic *arithmetic, PairTimes *run,
                  PairTimes *compile);
// How often both take their turn: once if everything is run once.
unsigned pair_turns(const Bench *bench);
// The label with the size in place of N.
const char *pair_label(const Bench *bench, Arena *arena, const PairRow *row);

#endif
