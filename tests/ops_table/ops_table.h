// SPDX-License-Identifier: Apache-2.0
// Shared by the files of ops_table.
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
    uint32_t programs, runs[MODE_COUNT]; // how many programs there are; if not all run, how many do
    const char *problem[MODE_COUNT];     // why one does not run; NULL: all run
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

// Adds the programs of a row that the verifier accepts, one for each choice of alternatives. Adds none if the row does
// not have exactly those of $T and $U that programs->types has types for.
void program_expand(Table *table, const ProgramRow *row, Programs *programs);
// A module with programs first .. first + count - 1 as entries, which the caller closes. NULL if it is not valid.
TirModule *program_module(Table *table, const Programs *programs, uint32_t first, uint32_t count);

#endif
