// SPDX-License-Identifier: Apache-2.0
// Planes: bytes of a map as text of JSON, packed with zlib, in base 64.
#include "report/report.h"

#include <stdlib.h>
#include <zlib.h>

static char *base64(const uint8_t *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    Buffer text = {0};
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t bits = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        const char four[] = {digits[bits >> 18], digits[bits >> 12 & 63], left > 1 ? digits[bits >> 6 & 63] : '=',
                             left > 2 ? digits[bits & 63] : '='};
        buffer_append(&text, four, sizeof four);
    }
    buffer_append(&text, "", 1);
    return text.data;
}

char *report_plane(const void *bytes, size_t size) {
    Arena scratch = {0};
    uLongf packed_size = compressBound((uLong)size);
    uint8_t *packed = arena_alloc(&scratch, packed_size);
    if (compress2(packed, &packed_size, bytes, (uLong)size, Z_BEST_COMPRESSION) != Z_OK) packed_size = 0;
    char *text = base64(packed, packed_size);
    arena_reset(&scratch);
    return text;
}
