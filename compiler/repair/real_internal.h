// SPDX-License-Identifier: Apache-2.0
// What the files that run kernels in real numbers share.
#ifndef CONGRUENT_REAL_INTERNAL_H
#define CONGRUENT_REAL_INTERNAL_H

#include "compiler/repair/real.h"

// ---- real_run.c -----------------------------------------------------------------------------------------------------

// False, and the block stops at this op.
bool real_fail(RealRun *run, const TirOp *op, const char *problem);
void *real_scratch(RealScratch *scratch, size_t size);
// Elements of a tile of the type: inside a reduction those of all lanes.
uint64_t real_count(const RealRun *run, TirType type);
// Gives a value its memory, kept from the last time that the op ran. `count` elements, to be filled in.
RealValue *real_define(RealRun *run, TirValue value, uint64_t count);
// The operand's elements, `count` of them: one that is a single element is repeated.
const double *real_floats(RealRun *run, TirValue value, uint64_t count);
const int64_t *real_integers(RealRun *run, TirValue value, uint64_t count);
// The integer kept in so many bits.
int64_t real_wrap(int64_t value, unsigned bits);
unsigned real_bits(const RealRun *run, TirType type);
// Copies or shares what a value stands for.
void real_copy(RealRun *run, TirValue to, const RealValue *from);
void real_share(RealRun *run, TirValue to, TirValue from);
// How the ops of a block ended.
typedef enum RealEnd { REAL_FAILED, REAL_YIELDS, REAL_CONTINUES, REAL_BREAKS, REAL_RETURNS } RealEnd;
RealEnd real_ops(RealRun *run, const TirBlock *block, const TirOp **last);

// ---- real_elements.c, real_tiles.c, real_functions.c, real_memory.c: ops -------------------------------------------
// ops-------------------------------------------------------- Each runs an op. *known becomes false if the op is not
// one of the file's; the result then means nothing.
bool real_elements(RealRun *run, const TirOp *op, bool *known);
bool real_tiles(RealRun *run, const TirOp *op, bool *known);
bool real_accesses(RealRun *run, const TirOp *op, bool *known);
bool real_functions(RealRun *run, const TirOp *op, bool *known);
// The first element of a buffer, as a pointer.
int64_t real_pointer(uint32_t buffer);

#endif
