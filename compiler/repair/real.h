// SPDX-License-Identifier: Apache-2.0
// Kernels of Tile IR run in real numbers: op by op, without code. Every float is an f64 that no format ever rounds, so
// that two kernels that compute the same agree to about 1e-12, whatever their order and formats. That is no verdict,
// but it is fast: a block of small tiles takes less than a millisecond, and a changed kernel need not be compiled. It
// is for trying many changes (repair.h); those that look right are then run as always.
#ifndef CONGRUENT_REAL_H
#define CONGRUENT_REAL_H

#include "compiler/tileir/tir.h"

// ---- real_memory.c --------------------------------------------------------------------------------------------------

// A buffer of numbers. Floats that nobody wrote are NaN.
typedef struct RealBuffer {
    TirTypeKind kind; // of its elements
    uint64_t count;
    union {
        double *floats;
        int64_t *integers; // sign-extended; of i1 0 and 1
    };
} RealBuffer;
typedef struct RealChange { // what an element was before a store
    uint32_t buffer;
    const TirOp *by;
    uint64_t index;
    union {
        double real;
        int64_t integer;
    };
} RealChange;
// Which blocks need what others stored: filled in while they run, if a memory has it.
typedef struct RealTrace {
    uint32_t block, block_count; // the one that runs
    uint32_t **writers;          // 1 + the last block that stored each element of each buffer; 0: none
    bool *uses;                  // of each block: for each block whether it read what that stored
} RealTrace;
// The buffers of a case. Stores are kept in a journal, so that they can be undone. real_memory_close frees all of it.
typedef struct RealMemory {
    uint32_t buffer_count;
    RealBuffer *buffers;
    size_t change_count, change_capacity;
    RealChange *changes;
    RealTrace *trace; // NULL: nobody asks
} RealMemory;
// All floats NaN, all integers 0. The kinds: numbers of up to 8 bytes.
void real_memory_open(RealMemory *memory, uint32_t count, const TirTypeKind *kinds, const uint64_t *elements);
void real_memory_close(RealMemory *memory);
// Undoes the stores since the journal had `count` changes.
void real_undo(RealMemory *memory, size_t count);
// Whether two elements are the same within so much of the larger of their magnitudes and `scale`. NaN is NaN.
bool real_close(double a, double b, double relative, double scale);

// The number that a constant of a program stands for, if it was rounded to f32: a short decimal, a fraction, or one of
// those times log2(e), ln 2, pi or sqrt(2 / pi), or a root. Else the number itself.
double real_meant(FpsanFormat format, double number);

// ---- real_run.c -----------------------------------------------------------------------------------------------------

// What stands for a value of a function.
typedef struct RealView {
    int64_t base; // a pointer
    int64_t sizes[TIR_RANK_MAX], strides[TIR_RANK_MAX];
} RealView;
typedef struct RealValue {
    enum { REAL_NOTHING, REAL_FLOATS, REAL_INTEGERS, REAL_VIEW } kind;
    bool borrowed; // its memory is another run's
    uint64_t count;
    union {
        double *floats;
        int64_t *integers; // pointers too
        RealView *view;
    };
} RealValue;

typedef struct RealArgument {
    bool pointer;
    uint32_t buffer; // of a pointer
    int64_t offset;  // of a pointer: elements from the buffer's beginning
    uint64_t bits;   // of a number
} RealArgument;

// Memory that is used again for every run, without ever being cleared. Zeros are valid; real_scratch_close frees it.
typedef struct RealScratch {
    struct RealPiece *pieces;
    uint32_t count, current;
    size_t capacity, used;
} RealScratch;
void real_scratch_close(RealScratch *scratch);

typedef struct RealRun RealRun;
struct RealRun {
    // Given by the caller:
    const TirFunction *function;
    const RealArgument *arguments; // as many as it has parameters
    uint32_t grid[3];
    RealMemory *memory;
    RealScratch *scratch;
    uint64_t budget; // elements that blocks may compute; what is left of it
    // Called after each op that gives floats, unless NULL.
    void (*tap)(void *context, const TirOp *op, const RealValue *value);
    void *context;
    // What the buffers have to hold at the end, unless NULL: a store of anything else to one that has elements there
    // stops the block, with `wrong`.
    const RealBuffer *expected;
    double relative, *scales; // as in real_close, a scale for each buffer
    bool keep;                // real_block leaves the values of the block in `values`, for real_resume
    // Of the run:
    bool wrong;
    const TirOp *failed; // where and why a block stopped
    const char *problem;
    const TirModule *module;
    uint32_t block[3];
    RealValue *values;
    uint64_t lanes; // inside a reduction: how many of them are made at once; else 0
};
// Starts: from then on `values` are there. Call it once for each function, then real_block for each block.
void real_open(RealRun *run);
// Runs a block. False if it cannot: then run->problem says why. Its stores until then stay.
bool real_block(RealRun *run, uint32_t x, uint32_t y, uint32_t z);
// Goes on in a block whose values are known up to the top-level op `first`, from there on. They are not changed: what
// runs gets other memory.
bool real_resume(RealRun *run, const RealValue *known, uint32_t known_count, const TirOp *first,
                 const uint32_t block[3]);

#endif
