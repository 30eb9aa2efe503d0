// SPDX-License-Identifier: Apache-2.0
// What the files share that describe a module of Tile IR as a program.
#ifndef CONGRUENT_TIR_PROGRAM_INTERNAL_H
#define CONGRUENT_TIR_PROGRAM_INTERNAL_H

#include "compiler/tileir/tir.h"

// What the entry may do through each of its parameters, from following its pointers through the function.
ProgramUse *tir_trace_memory(Arena *arena, const TirFunction *entry);
// Of a view whose tiles cover its array without gap or overlap: the array's rank, and the size of a tile in each of its
// dimensions. False, and nothing is changed, for all others.
bool tir_covering_tiles(const TirFunction *function, TirValue view, uint32_t *rank, int64_t tile[PROGRAM_RANK_MAX]);

#endif
