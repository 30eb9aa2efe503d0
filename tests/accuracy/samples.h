// SPDX-License-Identifier: Apache-2.0
// Operands that are hard to round: edges, ties and near ties, subnormal and overflowing results, cancellation.
#ifndef CONGRUENT_ACCURACY_SAMPLES_H
#define CONGRUENT_ACCURACY_SAMPLES_H

#include "tests/accuracy/reference.h"

uint64_t samples_random(uint64_t *state);
// Sets x[i], i < count, to the operands of sample `index` of an op on floats. They depend on index and *state alone.
void samples_operands(const ReferenceFormat *format, unsigned count, size_t index, uint64_t *state, uint64_t *x);
// A float of the format that is hard for a conversion: to fewer bits, a smaller range, or an integer.
uint64_t samples_number(const ReferenceFormat *format, size_t index, uint64_t *state);
uint64_t samples_integer(unsigned width, size_t index, uint64_t *state);

#endif
