// SPDX-License-Identifier: Apache-2.0
// What the files share that describe a module of Tile IR as a Program.
#ifndef CONGRUENT_TIR_PROGRAM_INTERNAL_H
#define CONGRUENT_TIR_PROGRAM_INTERNAL_H

#include "compiler/tileir/tir.h"

// What the entry may do through each of its parameters, and behind them what it may do through addresses that are of
// none: an array in the arena, one element more than there are parameters.
// (trace_memory.c)
ProgramUse *tir_trace_memory(Arena *arena, const TirFunction *entry);
// Whether a view's tiles cover its array without gap or overlap. If so, *rank is the array's rank and `tile` the size
// of a tile in each dimension of the array; else they stay unchanged. (describe_program.c)
bool tir_covering_tiles(const TirFunction *function, TirValue view, uint32_t *rank, int64_t tile[PROGRAM_RANK_MAX]);

#endif
