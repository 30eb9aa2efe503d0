// SPDX-License-Identifier: Apache-2.0
// The markers in the text forms of ops.def, for those who walk them: the printer and the parser.
#ifndef CONGRUENT_TIR_TEXT_FORM_H
#define CONGRUENT_TIR_TEXT_FORM_H

#include <stdbool.h>
#include <stddef.h>

// $x, #x, ^x or @x: what marks it, the mode of ^ (1, = or none), and the name, which is not terminated.
typedef struct TirMarker {
    char marker, mode;
    const char *name;
    size_t length;
} TirMarker;

// Whether a name or word of a text form may hold the character.
bool tir_is_name_char(char c);
// The marker that *at points to; *at moves behind it.
TirMarker tir_take_marker(const char **at);

#endif
