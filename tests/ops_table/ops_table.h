// SPDX-License-Identifier: Apache-2.0
// What the files of ops_table share.
#ifndef CONGRUENT_OPS_TABLE_H
#define CONGRUENT_OPS_TABLE_H

#include "diff/machine.h"
#include "tests/ops_table/program_text.h"

enum { MODE_IEEE, MODE_PAYLOAD, MODE_TOWER, MODE_COUNT };
enum { GLOBALS_MAX = 1, BUFFER_BYTES = 4096 };

// One op with one $T and one $U (-1: none).
typedef struct Cell {
    TirOpKind op;
    int types[2];
    uint32_t programs, runs[MODE_COUNT]; // runs: where not all do
    const char *problem[MODE_COUNT];     // NULL: all run
} Cell;

typedef struct Table {
    Arena arena;
    Diagnostics diagnostics;
    Compiler *compiler;
    RtDevice *device;
    Cell *cells;
    size_t cell_count, cell_capacity;
    size_t printed;
    unsigned faults;
    bool programs_only; // nothing is compiled
} Table;

// ---- programs.c: texts of programs ----------------------------------------------------------------------------------

typedef struct Programs {
    int types[2];
    const char **bodies; // of entries; each is a valid program
    uint32_t count;
    size_t capacity;
} Programs;

// Adds the programs of a row that the verifier accepts, one for each choice of alternatives; none if the row has not
// the letters ($T, $U) that the programs have types for.
void program_expand(Table *table, const ProgramRow *row, Programs *programs);
// A module with `count` of the programs as entries; NULL if it is not valid. To be closed.
TirModule *program_module(Table *table, const Programs *programs, uint32_t first, uint32_t count);

#endif
