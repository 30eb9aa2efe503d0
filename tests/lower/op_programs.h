// SPDX-License-Identifier: Apache-2.0
// Kernels of one op each, on floats that they load (some have constants). They are made of the rows of
// tests/ops_table/rows.def and op_rows.def, with every type and every modifier that the verifier accepts.
#ifndef CONGRUENT_LOWER_OP_PROGRAMS_H
#define CONGRUENT_LOWER_OP_PROGRAMS_H

#include "compiler/tileir/tir.h"

// Parameters of all kernels: pointers to $T (else i8), i32, $U (else i8), f32, i8 and to the result's elements (else
// i8).
enum { OP_TYPED, OP_INDICES, OP_OTHER, OP_SUMS, OP_BYTES, OP_RESULT, OP_PARAMETERS };

typedef struct OpProgram {
    TirOpKind op;
    int types[2];                     // $T and $U, -1: none
    TirTypeKind kinds[OP_PARAMETERS]; // what the parameters point to
    const char *text;                 // of the body
    bool is_first;                    // the first choice of alternatives of its row for these types, of the usual size
    unsigned choice;                  // number of the choice
    uint32_t results;                 // elements that are stored to OP_RESULT
} OpProgram;

typedef struct OpPrograms {
    Arena arena;
    OpProgram *items;
    size_t count, capacity;
} OpPrograms;

// Makes all programs. Those of the same types follow each other.
void op_programs_open(OpPrograms *programs);
void op_programs_close(OpPrograms *programs);
// A verified module with these as entries.
TirModule *op_programs_module(const OpProgram *const *programs, size_t count);
bool op_is_elementwise(TirOpKind op);
// Whether an op of that kind (TIR_OP_COUNT: any op) has a tile of floats as operand or result.
bool op_takes_floats(const TirModule *module, const TirFunction *function, TirOpKind kind);

#endif
