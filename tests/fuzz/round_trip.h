// SPDX-License-Identifier: Apache-2.0
// What must hold for every valid module: it survives being printed and parsed, written and read. The fuzz targets ask
// it of what they are given, tests/generate of what it makes.
#ifndef CONGRUENT_ROUND_TRIP_H
#define CONGRUENT_ROUND_TRIP_H

#include "compiler/tileir/tir.h"

// Each takes a verified module and returns NULL, or what does not hold, as text in `arena`.

// Printed, parsed and printed again it is the same text; what was parsed is valid and, asked with locations only,
// survives being written. Not asked of modules that text does not say: with floats among hints or names of
// hints that are no words, or with extents of different types.
const char *round_trip_text(Arena *arena, const TirModule *module, bool locations);
// Written, read and written again it is the same bytes, and what was read is valid and prints the same text. In a
// version other than the module's it may be refused instead, if something that it has is newer.
// `written`: whether it was; may be NULL.
const char *round_trip_bytes(Arena *arena, const TirModule *module, uint16_t version, bool *written);
// What was read and is not valid can be written in its own version or is refused with one message; written, it is read
// and written again as it was.
const char *round_trip_unverified(Arena *arena, const TirModule *module);

#endif
