// SPDX-License-Identifier: Apache-2.0
// Programs made of the rows of rows.def. ops_table finds out which run, tests/lower what they compute.
#ifndef CONGRUENT_PROGRAM_TEXT_H
#define CONGRUENT_PROGRAM_TEXT_H

#include "compiler/tileir/tir.h"

typedef struct ProgramRow {
    TirOpKind op;
    const char *text, *sink; // `sink`: the type of the result %r; NULL: there is none to look at
} ProgramRow;

// Tiles that rows use by name. Later ones may use earlier ones.
typedef struct ProgramValue {
    const char *name, *text;
} ProgramValue;
enum { PROGRAM_TEXT_VALUES = 64 };
typedef struct ProgramValues {
    const ProgramValue *items;
    size_t count;
    // Makes the value; $T and $U are types[0] and types[1], -1: none.
    void (*append)(Arena *arena, const ProgramValue *value, const int *types, Buffer *out);
} ProgramValues;

// Whether $T or $U (`letter`) is in the text, in the sink or in the tiles that the text uses.
bool program_mentions(const ProgramValues *values, const char *text, const char *sink, char letter);
// Appends code that makes the tiles that the text uses.
void program_append_values(const ProgramValues *values, Arena *arena, const char *text, const int *types, Buffer *out);
// Appends the text with its $WORDs replaced.
void program_append_typed(Arena *arena, const char *text, const int *types, Buffer *out);
// Calls `visit` with the text for each choice of alternatives.
void program_choices(Arena *arena, const char *text, void (*visit)(void *data, const char *text), void *data);

#endif
