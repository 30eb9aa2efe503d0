// SPDX-License-Identifier: Apache-2.0
// Mutants of kernels of Tile IR: single small edits of an op, by the operators of operators.def. A mutant is made alone
// (tile_mutant_alone), or together with others behind a switch: a kernel with one parameter more, an i32 that says
// which mutant it is, 0 for none.
#ifndef CONGRUENT_TILE_MUTANTS_H
#define CONGRUENT_TILE_MUTANTS_H

#include "compiler/tileir/tir.h"

typedef enum TileOperator {
#define OPERATOR(name, ...) TILE_OPERATOR_##name,
#include "compiler/mutate/operators.def"
#undef OPERATOR
    TILE_OPERATOR_COUNT
} TileOperator;

typedef struct TileOperatorInfo { // a row of operators.def
    const char *name;             // "swap_operands"
    const char *ops, *changes;    // for people: which ops are eligible, what becomes of them
} TileOperatorInfo;
const TileOperatorInfo *tile_operator_info(TileOperator operator);

typedef struct TileMutant {
    uint32_t function; // of the module
    uint32_t op;       // TirOp.number
    TileOperator operator;
    uint32_t part;        // which of the operator's edits of this op, from 0 on
    const char *mnemonic; // of the op
    const char *words;    // the edit: "its operands change places"
    Location at;          // of the op
} TileMutant;
typedef struct TileMutants {
    uint32_t count;
    size_t capacity;
    TileMutant *items; // in the order of the code, then of operators.def
} TileMutants;

enum { TILE_MUTANTS_MAX = 1 << 20 }; // of a list

// ---- list_mutants.c

// Appends all mutants of a function of a verified module. Texts are the arena's or the module's, which must outlive
// the list.
void tile_list_mutants(Arena *arena, const TirModule *module, uint32_t function, TileMutants *mutants);

// ---- make_mutants.c

// A verified module with the function alone, mutated. tir_module_close frees it, before the module itself. NULL and
// diagnostics if the edit makes no valid module, which is a mistake of ours.
TirModule *tile_mutant_alone(Diagnostics *diagnostics, const TirModule *module, const TileMutant *mutant);
// The same with `count` mutants of one function behind a switch, its last parameter: mutants[i] is number i + 1.
TirModule *tile_mutants_switched(Diagnostics *diagnostics, const TirModule *module, const TileMutant *mutants,
                                 uint32_t count);

#endif
