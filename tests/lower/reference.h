// SPDX-License-Identifier: Apache-2.0
// A reference interpreter of Tile IR for the tests of this folder: whole tiles, one element after the other, written
// from the dialect's definition and sanitizer/fpsan.h. It shares nothing with the lowering.
#ifndef CONGRUENT_LOWER_REFERENCE_H
#define CONGRUENT_LOWER_REFERENCE_H

#include "compiler/compiler.h"

enum { REFERENCE_PARTS = 2 };

// One run of block `block` of the first entry of a verified module. It reads and writes the buffers where they are.
typedef struct Reference {
    const TirModule *module;
    CompileNumeric numeric;
    FpsanAlgebra algebra;      // of payloads
    bool fused;                // IEEE dots multiply and add with one rounding
    const uint64_t *arguments; // as in HostLaunch
    const HostRange *buffers;
    uint32_t buffer_count;
    int64_t shadow; // from plane 0 to plane 1
    uint32_t block[3], grid[3];
    Arena *arena;
} Reference;

// NULL, or what cannot be done (arena-held): an op that is not known here, an access outside the buffers, ...
const char *reference_run(const Reference *reference);

// ---- what the files of the interpreter share ------------------------------------------------------------------------

// What a tile's elements are. Elements are kept as integers: zero-extended integers, addresses, and per part of a float
// real bits or a payload.
typedef struct ReferenceElement {
    bool is_float;
    FpsanFormat format;
    unsigned bits;  // width of integers and real bits; pointers 64
    unsigned bytes; // in memory
    unsigned parts; // of a float in this numeric, else 1
    bool is_payload[REFERENCE_PARTS];
} ReferenceElement;

typedef struct ReferenceTile {
    TirType type;
    uint64_t count;
    uint64_t *parts[REFERENCE_PARTS];
    // tensor and partition views
    uint64_t base;
    int64_t sizes[TIR_RANK_MAX], strides[TIR_RANK_MAX];
} ReferenceTile;

typedef struct ReferenceMachine {
    const Reference *run;
    const TirFunction *function;
    ReferenceTile *tiles;        // by value
    const ReferenceTile *passed; // by the last yield, continue or break
    const char *problem;
} ReferenceMachine;

ReferenceElement reference_element(const ReferenceMachine *m, TirType tile);
ReferenceTile *reference_tile(ReferenceMachine *m, TirValue value);
ReferenceTile *reference_result(ReferenceMachine *m, const TirOp *op, uint32_t index); // with room for its elements
bool reference_problem(ReferenceMachine *m, const TirOp *op, const char *text);        // false

// Element-wise ops; *known is false if `op` is none.
bool reference_elementwise(ReferenceMachine *m, const TirOp *op, bool *known);
// Views, loads and stores.
bool reference_memory(ReferenceMachine *m, const TirOp *op, bool *known);
// Real bits of an element (of plane `part`) to the part's form, and back.
uint64_t reference_from_bits(const ReferenceMachine *m, const ReferenceElement *element, unsigned part, uint64_t bits);
uint64_t reference_to_bits(const ReferenceMachine *m, const ReferenceElement *element, unsigned part, uint64_t value);
// sum over k of a[k * a_stride] * b[k * b_stride], added to `start`, for one part of a float dot.
uint64_t reference_dot(const ReferenceMachine *m, const ReferenceElement *operand, const ReferenceElement *accumulator,
                       unsigned part, uint64_t length, const uint64_t *a, uint64_t a_stride, const uint64_t *b,
                       uint64_t b_stride, uint64_t start);

uint64_t reference_sum(const ReferenceMachine *m, const ReferenceElement *element, unsigned part, uint64_t a,
                       uint64_t b);

static inline uint64_t reference_mask(unsigned bits) {
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}
static inline int64_t reference_signed(uint64_t value, unsigned bits) {
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

#endif
