// SPDX-License-Identifier: Apache-2.0
// The markers in the text forms of ops.def, for the printer and the parser. (op_table.c)
#ifndef CONGRUENT_TIR_TEXT_FORM_H
#define CONGRUENT_TIR_TEXT_FORM_H

#include <stdbool.h>
#include <stddef.h>

// $x, #x, ^x or @x.
typedef struct TirMarker {
    char marker, mode; // mode: of ^1x and ^=x the '1' or '=', else 0
    const char *name;  // not terminated
    size_t length;
} TirMarker;

// Whether names and words of a text form may have the character.
bool tir_is_name_char(char c);
// Takes the marker at *at, and moves *at behind it.
TirMarker tir_take_marker(const char **at);

#endif
