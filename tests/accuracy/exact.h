// SPDX-License-Identifier: Apache-2.0
// The ops whose results IEEE 754 fixes to the last bit: all forms of them that the verifier accepts, and checks against
// the reference.
#ifndef CONGRUENT_ACCURACY_EXACT_H
#define CONGRUENT_ACCURACY_EXACT_H

#include "tests/accuracy/whole_op.h"

typedef enum ExactGroup {
    EXACT_ARITHMETIC,
    EXACT_OTHER,
    EXACT_CONVERT,
    EXACT_CAST,
    EXACT_FROM_INTEGER,
    EXACT_TO_INTEGER,
    EXACT_GROUPS
} ExactGroup;
extern const char *const exact_group_names[EXACT_GROUPS];

// The ops of a group; the caller calls free().
WholeOp *exact_ops(ExactGroup group, size_t *count);

typedef struct ExactResult {
    size_t checked, wrong;
    char first[256]; // what is wrong
} ExactResult;
// Runs an op on about `samples` operands, compares with the reference and adds to *result. An op with one operand of at
// most 16 bits runs on all bit patterns, if these are not more than `samples`. False if the kernel stopped.
bool exact_check(const WholeOps *ops, size_t index, size_t samples, ExactResult *result);
// The same for all ops, compiled together, on a tile of operands that are constants of the kernel: the compiler may
// compute the results itself.
bool exact_check_constants(Compiler *compiler, Diagnostics *diagnostics, const WholeOp *ops, size_t count,
                           uint32_t tile, const char *cpu, ExactResult *result);

#endif
