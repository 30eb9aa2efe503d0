// SPDX-License-Identifier: Apache-2.0
// Checks of valid modules: printed and parsed, or written and read, they stay the same. Fuzz targets check the modules
// of their inputs so, tests/generate those that it makes.
#ifndef CONGRUENT_ROUND_TRIP_H
#define CONGRUENT_ROUND_TRIP_H

#include "compiler/tileir/tir.h"

// Each function returns NULL, or as text in `arena` what does not hold. The module must be verified, but for the last.

// Printed, parsed and printed again, the module is the same text. The parsed module is valid. If `locations`, text has
// locations, and the parsed module can be written. Modules that text cannot express are not checked: with floats among
// hints, names of hints that are no words, or extents of different types.
const char *round_trip_text(Arena *arena, const TirModule *module, bool locations);
// Written, read and written again, the module is the same bytes. The module that was read is valid and prints the same
// text. In another version than its own the module may be refused instead, if something in it is newer. *written:
// whether it was written; may be NULL.
const char *round_trip_bytes(Arena *arena, const TirModule *module, uint16_t version, bool *written);
// A module that was read and is not valid is written in its own version, or refused with one message. If it is written,
// it is read, and written again as the same bytes.
const char *round_trip_unverified(Arena *arena, const TirModule *module);

#endif
