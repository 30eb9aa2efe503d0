// SPDX-License-Identifier: Apache-2.0
// Whole ops: kernels of Tile IR that load operand tiles, apply one op and store its result. They are compiled and run
// over arrays of this process.
#ifndef CONGRUENT_ACCURACY_WHOLE_OP_H
#define CONGRUENT_ACCURACY_WHOLE_OP_H

#include "compiler/compiler.h"
#include "compiler/implementation.h"
#include "compiler/tileir/tir.h"

enum { WHOLE_OP_OPERANDS = 3 };

typedef struct WholeOp {
    TirOpKind op;
    TirTypeKind from, to; // of the first operand and of the result; the other operands are like the first
    // Attributes; each counts only for ops that have it.
    uint64_t rounding;
    bool flush, propagate_nan, saturating, is_signed, ordered;
    uint64_t predicate;
    // What a flag, a key or a bound asks for. Ops without the attribute flush, too, as a block math<> says.
    FloatImplementation implementation;
} WholeOp;

typedef struct WholeOps {
    Compiler *compiler;
    CompiledModule *compiled;
    const WholeOp *ops;
    size_t count;
    uint32_t tile; // elements that a block computes
} WholeOps;

// The type of its arrays. Two f4E2M1FN share a byte; so their arrays hold f8E4M3FN, which has all of their numbers, and
// the kernels convert. Other types are their own.
TirTypeKind whole_op_memory(TirTypeKind kind);
TirTypeKind whole_op_operand(const WholeOp *op, uint32_t index); // type of an operand
// Writes the op's name in messages, "addf f32 zero ftz", to `text`, of WHOLE_OP_TEXT bytes, and returns it.
enum { WHOLE_OP_TEXT = 96 };
const char *whole_op_text(const WholeOp *op, char *text);

// Whether the verifier accepts the op on tiles of so many elements (of f4E2M1FN two fill a byte).
bool whole_op_is_legal(const WholeOp *op, uint32_t tile);
// Compiles the ops, which must outlive the result, for tiles of `tile` elements and a processor (NULL: this one). If
// that fails `compiled` is NULL, and there is a diagnostic. `constants`: NULL, or for each op WHOLE_OP_OPERANDS arrays
// of a tile, which the kernel has as constants and does not load.
WholeOps whole_ops_open(Compiler *compiler, Diagnostics *diagnostics, const WholeOp *ops, size_t count, uint32_t tile,
                        void *const (*constants)[WHOLE_OP_OPERANDS], const char *cpu);
void whole_ops_close(WholeOps *ops);
// Runs one of them over `elements` elements, a multiple of the tile; false if a block stops.
bool whole_op_run(const WholeOps *ops, size_t index, const void *const *operands, void *result, size_t elements);
// Read the bits of an element of an array (zero-extended), and write them.
uint64_t whole_op_get(const void *array, TirTypeKind kind, size_t index);
void whole_op_put(void *array, TirTypeKind kind, size_t index, uint64_t bits);

#endif
