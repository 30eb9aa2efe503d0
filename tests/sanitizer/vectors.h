// SPDX-License-Identifier: Apache-2.0
// Vector files, taken from the real Triton, and their check against the scalar and the emitted algebra. A row has an
// operation, the bits of its operands and the bits of its result.
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

// Checks every row of the file twice, scalar and emitted. Prints rows that differ to `out`: the first three of each op
// and type, then how many there are. False if the file cannot be read or a row is malformed; then `message`, of 512
// bytes, says what is wrong and in which line.
bool vectors_check(const char *path, FILE *out, VectorCounts *scalar, VectorCounts *emitted, char *message);

#endif
