// SPDX-License-Identifier: Apache-2.0
// Elements of buffers: their bits in memory, their values and their text.
#ifndef CONGRUENT_FPD_ELEMENT_H
#define CONGRUENT_FPD_ELEMENT_H

#include "base/base.h"
#include "sanitizer/format/format.h"

// ---- element.c: how elements lie in memory, their text --------------------------------------------------------------

enum { FPD_RANK_MAX = 8, FPD_TEXT_SIZE = 40 };
static const uint64_t FPD_BYTES_MAX = 4ull << 30; // all buffers of a case together

// Bytes of `elements` elements in memory.
uint64_t fpd_type_bytes(ElementType type, uint64_t elements);
// The bits of element `index` of a buffer, and writing them.
uint64_t fpd_element_bits(ElementType type, const uint8_t *bytes, uint64_t index);
void fpd_element_set(ElementType type, uint8_t *bytes, uint64_t index, uint64_t bits);
// The value: floats exactly, integers (signed; i1: 0 or 1) rounded to double.
double fpd_element_value(ElementType type, uint64_t bits);
// Bits to text: a decimal that tells elements of the type apart (FPD_TEXT_SIZE bytes), "nan", "inf", "-inf".
void fpd_element_text(ElementType type, uint64_t bits, char *text);
// The bits of a number written in a case ("0.125", "0x1p-3", "-inf", "-3", "true"); rounded to nearest even. False, and
// what was expected in *expected, if `text` is no number of the type or beyond its range.
bool fpd_element_parse(ElementType type, const char *text, uint64_t *bits, const char **expected);
// How many representable values apart two floats are: 0 for equal ones and for +0 and -0. Both must be numbers (not
// NaN).
uint64_t fpd_element_ulps(ElementType type, uint64_t a, uint64_t b);

#endif
