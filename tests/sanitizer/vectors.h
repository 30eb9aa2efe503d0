// SPDX-License-Identifier: Apache-2.0
// Vector files: rows of an operation, its operands' bits and its result's bits, taken from the real Triton; and their
// check against the scalar and the emitted payload algebra.
//
// A row is: op, operand types joined by |, result type, operand bits..., result bits (bits in hexadecimal). Types are
// Triton's names (fp32, fp8e4nv, ...) or this project's. Ops are those of vectors.c. A dot has many operands of a type:
// `dot,A|B|ACC,RESULT` is followed by k elements of a, k of b, the accumulator and the result.
// `dot_scaled.BLOCK,A|ASCALE|B|BSCALE|ACC,RESULT` by k elements of a, k/BLOCK scales of a (none if ASCALE is `none`),
// the same for b, the accumulator and the result. A suffix _homomorphic on `cast` and the dots chooses homomorphic
// casts.
#ifndef CONGRUENT_TESTS_VECTORS_H
#define CONGRUENT_TESTS_VECTORS_H

#include "sanitizer/fpsan.h"

#include <stdio.h>

typedef struct VectorCounts {
    size_t equal, differ;
} VectorCounts;

// Checks every row of the file twice, scalar and emitted. Rows that differ are printed to `out` (the first three of
// each op and type, then their number). false: the file cannot be read or a row is malformed; `message` then says what
// and in which line (512 bytes).
bool vectors_check(const char *path, FILE *out, VectorCounts *scalar, VectorCounts *emitted, char *message);

#endif
