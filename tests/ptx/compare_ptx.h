// SPDX-License-Identifier: Apache-2.0
// Whether two modules of PTX are the same list.
#ifndef CONGRUENT_TESTS_COMPARE_PTX_H
#define CONGRUENT_TESTS_COMPARE_PTX_H

#include "compiler/ptx/ptx.h"

// Where they differ, in the arena; NULL: nowhere. Lines of the PTX text do not count.
const char *ptx_difference(Arena *arena, const PtxModule *a, const PtxModule *b);
// Prints the module, reads the text, compares, prints again. What went wrong, in the arena; NULL: nothing.
const char *ptx_round_trip(Arena *arena, const PtxModule *module);

#endif
