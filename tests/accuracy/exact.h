// SPDX-License-Identifier: Apache-2.0
// The ops whose results IEEE 754 fixes to the last bit: a list of all forms that the verifier accepts, and a check of
// one against the reference.
#ifndef CONGRUENT_ACCURACY_EXACT_H
#define CONGRUENT_ACCURACY_EXACT_H

#include "tests/accuracy/whole_op.h"

typedef enum ExactGroup {
    EXACT_ARITHMETIC,
    EXACT_OTHER,
    EXACT_CONVERT,
    EXACT_FROM_INTEGER,
    EXACT_TO_INTEGER,
    EXACT_GROUPS
} ExactGroup;
extern const char *const exact_group_names[EXACT_GROUPS];

// The ops of a group, for free().
WholeOp *exact_ops(ExactGroup group, size_t *count);

typedef struct ExactResult {
    size_t checked, wrong;
    char first[256]; // what is wrong
} ExactResult;
// Runs an op on about `samples` operands, or on all bit patterns where it has one operand of at most 16 bits and
// `samples` is at least as many, and compares with the reference; adds to *result. False: the kernel stopped.
bool exact_check(const WholeOps *ops, size_t index, size_t samples, ExactResult *result);
// The same for a tile of operands that are constants of the kernel, which the compiler may compute with itself; of all
// ops, compiled together.
bool exact_check_constants(Compiler *compiler, Diagnostics *diagnostics, const WholeOp *ops, size_t count,
                           uint32_t tile, const char *cpu, ExactResult *result);

#endif
