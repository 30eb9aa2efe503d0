// SPDX-License-Identifier: Apache-2.0
// A fuzz target is a file with LLVMFuzzerTestOneInput. libFuzzer calls it, or replay.c with the files of a corpus.
#ifndef CONGRUENT_FUZZ_H
#define CONGRUENT_FUZZ_H

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
// Targets that change inputs in a way of their own have this function. It changes the input in place and returns its
// new size. LLVMFuzzerMutate is libFuzzer's way; in replays it is replay.c's.
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

// Ends the process if `problem` is not NULL.
void fuzz_require_none(const char *problem);
// Checks that a success has no diagnostics and that a failure has at least one, if `single` just one; messages are
// lines that are not empty.
void fuzz_check_messages(const Diagnostics *diagnostics, bool good, bool single);

#endif
