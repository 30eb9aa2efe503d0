// SPDX-License-Identifier: Apache-2.0
// What the files of this room share.
#ifndef CONGRUENT_REWRITE_INTERNAL_H
#define CONGRUENT_REWRITE_INTERNAL_H

#include "compiler/rewrite/rewrite.h"

typedef struct Rewriting {
    Diagnostics *diagnostics;
    const RewriteRequest *request;
    TirModule *module; // the copy
} Rewriting;

// Records E_UNSUPPORTED at the op. Always false.
bool rewrite_fail(const Rewriting *r, const TirOp *op, const char *format, ...) BASE_PRINTF(3, 4);

static inline MathOpName rewrite_op_name(TirOpKind kind) {
    return (MathOpName){tir_op_info(kind)->name, tir_op_info(kind)->text_name};
}

// ---- decide.c: steps 1 to 4 of the order of decisions ---------------------------------------------------------------

// The flags, bounds, keys and flushing of each op, with fma ops split; checks that they agree.
bool rewrite_decide(Rewriting *r);
// Whether f32 operands and results of the op are flushed, by its attribute or by the function.
bool rewrite_flushes(const TirOp *op);

// ---- choose.c: step 9, and what is reported of the ops --------------------------------------------------------------

// Sets TirMath.implementation of each op. False and E_UNSUPPORTED if a bound cannot be met.
bool rewrite_choose(Rewriting *r);
// Appends a line for each op that may have flags: its place, type, flags, implementation and bound.
void rewrite_report(const Rewriting *r, Buffer *out);

#endif
