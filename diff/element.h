// SPDX-License-Identifier: Apache-2.0
// Elements of buffers: their bits in memory, their values and their text.
#ifndef CONGRUENT_FPD_ELEMENT_H
#define CONGRUENT_FPD_ELEMENT_H

#include "base/base.h"
#include "sanitizer/format/format.h"

#include <string.h>

// ---- element.c: how elements lie in memory, their text --------------------------------------------------------------

enum { FPD_RANK_MAX = 8, FPD_TEXT_SIZE = 40 };
static const uint64_t FPD_BYTES_MAX = 4ull << 30; // all buffers of a case together

// Bytes of `elements` elements in memory.
uint64_t fpd_type_bytes(ElementType type, uint64_t elements);
// Read and write the bits of element `index` of a buffer.
uint64_t fpd_element_bits(ElementType type, const uint8_t *bytes, uint64_t index);
void fpd_element_set(ElementType type, uint8_t *bytes, uint64_t index, uint64_t bits);
// The value: of floats the exact one, of integers rounded to double (they are signed; i1: 0 or 1).
double fpd_element_value(ElementType type, uint64_t bits);
// Writes "nan", "inf", "-inf" or a decimal with digits enough to tell elements of the type apart. `text`: FPD_TEXT_SIZE
// bytes.
void fpd_element_text(ElementType type, uint64_t bits, char *text);
// Reads a number of a case file ("0.125", "0x1p-3", "-inf", "-3", "true"), rounded to nearest even. False if `text` is
// no number of the type or out of its range; *expected then says what was expected.
bool fpd_element_parse(ElementType type, const char *text, uint64_t *bits, const char **expected);
// How far apart two values are, as numbers; integers of 64 bits, too.
double fpd_element_apart(ElementType type, uint64_t a, uint64_t b);
// How many representable values two floats are apart; 0 for +0 and -0. Neither may be NaN.
uint64_t fpd_element_ulps(ElementType type, uint64_t a, uint64_t b);

// Of formats of IEEE kind, as they lie in memory: the bits of the exponent, which are all set of infinities and NaN
// alone. Below that, magnitudes are ordered as their bits. 0: the type is none of these.
static inline uint64_t fpd_exponent_mask(ElementType type) {
    const FpsanFormatInfo *info = element_is_float(type) ? fpsan_format_info(element_format(type)) : NULL;
    if (!info || info->specials != FPSAN_IEEE || info->storage_bits < 8) return 0;
    return ((UINT64_C(1) << info->exponent_bits) - 1) << (info->mantissa_bits + info->padding_bits);
}

// As fpd_element_bits, of elements of `width` bytes.
static inline uint64_t fpd_bits_at(const uint8_t *bytes, unsigned width, uint64_t index) {
    uint64_t bits = 0;
    memcpy(&bits, bytes + index * width, width); // the lowest byte is the first
    return bits;
}

#endif
