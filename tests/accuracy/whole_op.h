// SPDX-License-Identifier: Apache-2.0
// Whole ops: for each a kernel of Tile IR that loads operand tiles, applies the op and stores the result, compiled and
// run over arrays of this process.
#ifndef CONGRUENT_ACCURACY_WHOLE_OP_H
#define CONGRUENT_ACCURACY_WHOLE_OP_H

#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"

enum { WHOLE_OP_OPERANDS = 3 };

typedef struct WholeOp {
    TirOpKind op;
    TirTypeKind from, to; // of the first operand and of the result; the other operands are like the first
    uint64_t rounding;    // of ops that have it, as all that follows
    bool flush, propagate_nan, saturating, is_signed, ordered;
    uint64_t predicate;
} WholeOp;

typedef struct WholeOps {
    Compiler *compiler;
    CompiledModule *compiled;
    const WholeOp *ops;
    size_t count;
    uint32_t tile; // elements that a block computes
} WholeOps;

// The type in memory: f4E2M1FN, of which two share a byte, is there as f8E4M3FN, which has all of its numbers; the
// kernels convert.
TirTypeKind whole_op_memory(TirTypeKind kind);
TirTypeKind whole_op_operand(const WholeOp *op, uint32_t index);
// "addf f32 zero ftz": what messages call it, in `text`.
enum { WHOLE_OP_TEXT = 96 };
const char *whole_op_text(const WholeOp *op, char *text);

// Whether the verifier accepts it.
bool whole_op_is_legal(const WholeOp *op);
// Compiles the ops (borrowed) for tiles of `tile` elements, for a processor (NULL: this one). NULL in .compiled and a
// diagnostic if that fails. `constants`: NULL, or for each op WHOLE_OP_OPERANDS arrays of a tile, which the kernel then
// has as constants instead of loading them.
WholeOps whole_ops_open(Compiler *compiler, Diagnostics *diagnostics, const WholeOp *ops, size_t count, uint32_t tile,
                        void *const (*constants)[WHOLE_OP_OPERANDS], const char *cpu);
void whole_ops_close(WholeOps *ops);
// Runs one of them over `elements` elements, a multiple of the tile; false if a block stops.
bool whole_op_run(const WholeOps *ops, size_t index, const void *const *operands, void *result, size_t elements);
// The element of an array as bits, zero-extended, and back.
uint64_t whole_op_get(const void *array, TirTypeKind kind, size_t index);
void whole_op_put(void *array, TirTypeKind kind, size_t index, uint64_t bits);

#endif
