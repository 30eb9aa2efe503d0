// SPDX-License-Identifier: Apache-2.0
// A fuzz target is one file with LLVMFuzzerTestOneInput; libFuzzer calls it, or replay.c with the files of a corpus.
#ifndef CONGRUENT_FUZZ_H
#define CONGRUENT_FUZZ_H

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Ends the process if `problem` is not NULL.
void fuzz_require_none(const char *problem);
// A success says nothing, a failure says why in at least one line that is not empty; in just one if `single`.
void fuzz_check_messages(const Diagnostics *diagnostics, bool good, bool single);

#endif
