// SPDX-License-Identifier: Apache-2.0
// A reference interpreter of Tile IR for the tests of this folder. It computes whole tiles, one element after the
// other, and is written from the dialect's definition, fpsan.h and tower.h. It shares nothing with the lowering.
#ifndef CONGRUENT_LOWER_REFERENCE_H
#define CONGRUENT_LOWER_REFERENCE_H

#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"

// Parts of a float: real bits or a payload; in COMPILE_SHADOW real bits, the components and the state of a payload.
// An integer that may come from floats has marks as part REFERENCE_MARKS.
// Components of deep towers come behind the state.
enum {
    REFERENCE_COMPONENT = 1,
    REFERENCE_STATE = REFERENCE_COMPONENT + TOWER_LENGTH,
    REFERENCE_PARTS = REFERENCE_COMPONENT + TOWER_LENGTH_MAX + 1,
};
enum { REFERENCE_MARKS = 1 }; // part of an integer: TOWER_NEAR and TOWER_ROUNDED

// What is kept beside the floats in buffers (COMPILE_SHADOW), by address and log2 of the width.
typedef struct ReferenceRecord {
    uint64_t address;
    unsigned width;
    bool valid;
    bool integer; // an integer was stored. If it is the bits of a float there may be a record, which is not modelled
    TowerPayload payload;
    uint32_t line; // of the op that stored it
} ReferenceRecord;
typedef struct ReferenceRecords {
    ReferenceRecord *items; // a hash table
    size_t count, capacity;
} ReferenceRecords;

// One run of a block of an entry of a verified module. It reads and writes the buffers in place.
typedef struct Reference {
    const TirModule *module;
    uint32_t entry; // number of the function
    CompileNumeric numeric;
    FpsanAlgebra algebra;      // of payloads
    bool fused;                // IEEE dots multiply and add with one rounding
    const uint64_t *arguments; // as in HostLaunch
    const HostRange *buffers;
    uint32_t buffer_count;
    unsigned chain;                     // of payloads in COMPILE_SHADOW
    const HostRecord *argument_records; // as in HostLaunch
    ReferenceRecords *records;
    uint32_t block[3], grid[3];
    // NULL, or the real bits of each element of the result of the only op of kind `real_op`, for what the interpreter
    // does not compute: functions that are not the C library's, rounding modes, modifiers.
    const uint64_t *real_results;
    TirOpKind real_op;
    struct ReferenceTile
        *printed; // NULL, or where the first value of a print_tko is left, as long as the arena holds it
    Arena *arena;
} Reference;

// NULL, or in the arena what went wrong: an op that is not known here, an access outside the buffers, ...
const char *reference_run(const Reference *reference);

// ---- what the files of the interpreter share ------------------------------------------------------------------------

// The elements of a tile. They are kept as zero-extended integers: integers, addresses, parts of floats.
typedef struct ReferenceElement {
    bool is_float;
    FpsanFormat format;
    unsigned bits;   // width of integers and real bits; pointers 64
    unsigned bytes;  // in memory
    unsigned parts;  // of a float in this numeric, else 1
    bool is_payload; // part 0 is one of sanitizer/fpsan.h
    bool has_shadow; // a float with a payload
} ReferenceElement;

typedef struct ReferenceTile {
    TirType type;
    uint64_t count;
    uint64_t *parts[REFERENCE_PARTS];
    // views
    uint64_t base;
    int64_t sizes[TIR_RANK_MAX], strides[TIR_RANK_MAX];
} ReferenceTile;

typedef struct ReferenceMachine {
    const Reference *run;
    const TirFunction *function;
    ReferenceTile *tiles;        // by value
    const ReferenceTile *passed; // by the last yield, continue or break
    bool marks_integers;         // the program makes integers of floats, so that integers have marks, not only i1
    const char *problem;
} ReferenceMachine;

ReferenceElement reference_element(const ReferenceMachine *m, TirType tile);
ReferenceTile *reference_tile(ReferenceMachine *m, TirValue value);
ReferenceTile reference_new_tile(const ReferenceMachine *m, TirType type);
ReferenceTile *reference_result(ReferenceMachine *m, const TirOp *op, uint32_t index); // with room for its elements
bool reference_problem(ReferenceMachine *m, const TirOp *op, const char *text);        // false

// Element-wise ops. *known is false if `op` is none.
bool reference_elementwise(ReferenceMachine *m, const TirOp *op, bool *known);
// Views, loads and stores.
bool reference_memory(ReferenceMachine *m, const TirOp *op, bool *known);
// insert; pack and unpack (reference_bits.c).
void reference_insert(ReferenceMachine *m, const TirOp *op);
void reference_repack(ReferenceMachine *m, const TirOp *op);
// The real bits of an element from part 0.
uint64_t reference_to_bits(const ReferenceMachine *m, const ReferenceElement *element, uint64_t value);
// Set all parts of element i: to a value from outside, or to a constant of the program.
void reference_set_bits(const ReferenceMachine *m, ReferenceTile *tile, uint64_t i, uint64_t bits);
void reference_set_constant(const ReferenceMachine *m, ReferenceTile *tile, uint64_t i, uint64_t bits);
// Gives the rule of an element-wise float op; false if `kind` is none.
bool reference_float_rule(TirOpKind kind, FpsanRule *rule);
// sum over k of a[k * a_stride] * b[k * b_stride], added to `start`: part 0 of a float dot.
uint64_t reference_dot(const ReferenceMachine *m, const ReferenceElement *operand, const ReferenceElement *accumulator,
                       uint64_t length, const uint64_t *a, uint64_t a_stride, const uint64_t *b, uint64_t b_stride,
                       uint64_t start);
// The format in which a block-scaled dot multiplies, and part 0 of an operand times its scale in it.
FpsanFormat reference_scaled_format(const ReferenceMachine *m, FpsanFormat a, FpsanFormat b);
uint64_t reference_scaled(const ReferenceMachine *m, const ReferenceElement *operand, const ReferenceElement *scale,
                          FpsanFormat format, uint64_t x, uint64_t factor);
// Part 0 of a sum.
uint64_t reference_sum(const ReferenceMachine *m, const ReferenceElement *element, uint64_t a, uint64_t b);

// ---- reference_shadow.c: payloads beside real bits, by the functions of sanitizer/tower.h

const Tower *reference_tower(const ReferenceMachine *m);
TowerPayload reference_payload(const ReferenceTile *tile, uint64_t i);
void reference_set_payload(ReferenceTile *tile, uint64_t i, TowerPayload payload);
// Sets the payload or the marks of element i of an element-wise op's result, whose part 0 is set. False if the op is
// not known.
bool reference_shadow_element(const ReferenceMachine *m, const TirOp *op, const ReferenceTile *const *operands,
                              ReferenceTile *result, uint64_t i);
// The payload of element i of an operand times element j of its scales.
TowerPayload reference_shadow_scaled(const ReferenceMachine *m, const ReferenceTile *operand, uint64_t i,
                                     const ReferenceTile *scale, uint64_t j);
TowerPayload reference_shadow_sum(const ReferenceMachine *m, FpsanFormat format, TowerPayload a, TowerPayload b);
// Sets parts 1 and up of a dot's result. a and b are [batch][rows][depth] and [batch][depth][columns].
typedef struct ReferenceDot {
    const ReferenceTile *a, *b, *start;
    FpsanFormat format; // of part 0 of a and b
    uint64_t rows, depth, columns;
} ReferenceDot;
void reference_shadow_dot(const ReferenceMachine *m, const ReferenceDot *dot, ReferenceTile *result);
// The record that a load finds; NULL: none. Whether an integer was stored there. What a store leaves: the payload of a
// float, or NULL for anything else.
const ReferenceRecord *reference_record(const ReferenceRecords *records, uint64_t address, unsigned bytes);
bool reference_is_integer(const ReferenceRecords *records, uint64_t address, unsigned bytes);
void reference_store_record(ReferenceRecords *records, uint64_t address, unsigned bytes, const TowerPayload *payload,
                            uint32_t line);
// Puts a record there before the program runs.
void reference_put_record(ReferenceRecords *records, uint64_t address, unsigned bytes, const TowerPayload *payload);
void reference_records_close(ReferenceRecords *records);

static inline uint64_t reference_mask(unsigned bits) {
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}
static inline int64_t reference_signed(uint64_t value, unsigned bits) {
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

#endif
