// SPDX-License-Identifier: Apache-2.0
// Initial contents of buffers. Element i of buffer NAME under seed S is a function of (S, NAME, i) alone: the block of
// Philox with key S and counter (i, FNV-1a 64 of NAME).
#include "diff/fpd.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct FillStream {
    uint32_t key[2], name[2];
} FillStream;

static FillStream fill_stream(const char *name, uint64_t seed) {
    uint64_t hash = 0xcbf29ce484222325;
    for (; *name; name++) hash = (hash ^ (uint8_t)*name) * 0x100000001b3;
    return (FillStream){{(uint32_t)seed, (uint32_t)(seed >> 32)}, {(uint32_t)hash, (uint32_t)(hash >> 32)}};
}

static uint64_t fill_random(const FillStream *stream, uint64_t index) {
    uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), stream->name[0], stream->name[1]}, result[4];
    fpd_philox(counter, stream->key, result);
    return (uint64_t)result[1] << 32 | result[0];
}

static uint64_t integer_element(ElementType type, int64_t value) {
    FpsanFormat format = element_format(type);
    if (format == FPSAN_FORMAT_COUNT) return (uint64_t)value & element_info(type)->used;
    return fpsan_integer_to_bits(format, (uint64_t)value, 64, true);
}

// first + floor(random * span / 2^64): every value is as likely as the other to one part in 2^64 / span.
static int64_t random_integer(uint64_t random, int64_t first, int64_t last) {
    uint64_t span = (uint64_t)last - (uint64_t)first + 1; // 0: all of them
    if (!span) return (int64_t)random;
    return (int64_t)((uint64_t)first + (uint64_t)((unsigned __int128)random * span >> 64));
}

// ---- adversarial: what breaks attention and norms that are wrong
//
// Along the axis the rows grow from std/32 to 2 std (evenly, a straight line within each octave), so the scores of one
// row with all others ascend and the running maximum changes in every tile. Elements are normal around their row's
// number, with half of it as deviation; one in sixteen is 2^-10 of that. The row in the middle is its number, or a
// neighbour of that.

enum { ADVERSARIAL_OCTAVES = 6, ADVERSARIAL_LEAST = 4 }; // rows that it takes to have one that is nearly constant

static double row_number(const FpdBuffer *buffer, int64_t row) {
    int64_t rows = buffer->shape[buffer->fill.first];
    double at = rows > 1 ? (double)row * ADVERSARIAL_OCTAVES / (double)(rows - 1) : 0;
    int octave = (int)at;
    return buffer->fill.high * 0x1p-5 * (double)(1 << octave) * (1 + (at - octave));
}

// The number, or the one before or after it.
static uint64_t nearly(ElementType type, double number, uint64_t random) {
    const uint64_t used = element_info(type)->used, unit = used & -used;
    uint64_t bits = fpsan_encode_nearest(element_format(type), number), moved = bits + (random % 3) * unit - unit;
    double value = fpsan_decode(element_format(type), moved);
    return value > 0 && isfinite(value) ? moved : bits;
}

static uint64_t adversarial_element(const FpdBuffer *buffer, uint64_t random, uint64_t index) {
    FpsanFormat format = element_format(buffer->type);
    int64_t rows = buffer->shape[buffer->fill.first], row;
    uint64_t inner = 1;
    for (uint32_t d = (uint32_t)buffer->fill.first + 1; d < buffer->rank; d++) inner *= (uint64_t)buffer->shape[d];
    row = (int64_t)(index / inner % (uint64_t)rows);
    double number = row_number(buffer, row);
    if (rows >= ADVERSARIAL_LEAST && row == rows / 2) return nearly(buffer->type, number, random & 0xfff);
    double value = ((double)(random >> 12) + 0.5) * 0x1p-52; // as in normal
    value = number * (1 + 0.5 * fpd_normal_quantile(value));
    return fpsan_encode_nearest(format, random & 15 ? value : value * 0x1p-10);
}

static uint64_t fill_element(const FpdBuffer *buffer, const FillStream *stream, uint64_t index) {
    const FpdFill *fill = &buffer->fill;
    FpsanFormat format = element_format(buffer->type);
    double value;
    switch (fill->kind) {
    case FPD_FILL_constant: return fill->constant;
    case FPD_FILL_uniform: // 53 random bits over 2^53: [0, 1)
        value = (double)(fill_random(stream, index) >> 11) * 0x1p-53;
        return fpsan_encode_nearest(format, fill->low + (fill->high - fill->low) * value);
    case FPD_FILL_normal: // the middles of 2^52 equal parts: never 0 or 1, and symmetric
        value = ((double)(fill_random(stream, index) >> 12) + 0.5) * 0x1p-52;
        return fpsan_encode_nearest(format, fill->low + fill->high * fpd_normal_quantile(value));
    case FPD_FILL_adversarial: return adversarial_element(buffer, fill_random(stream, index), index);
    case FPD_FILL_integers:
        return integer_element(buffer->type, random_integer(fill_random(stream, index), fill->first, fill->last));
    case FPD_FILL_bits: return fill_random(stream, index) & element_info(buffer->type)->used;
    case FPD_FILL_iota: return integer_element(buffer->type, (int64_t)index);
    case FPD_FILL_zeros:
    case FPD_FILL_file: // its bytes are put there at once
    case FPD_FILL_COUNT: break;
    }
    return 0;
}

static bool is_npy(const uint8_t *data, size_t size) {
    return size >= 6 && !memcmp(data, "\x93NUMPY", 6);
}

// Bits of an element that carry no value have to be zero: in i1 all but the lowest, in tf32 the lowest 13.
static bool check_file_elements(Diagnostics *diagnostics, const FpdBuffer *buffer, const uint8_t *bytes) {
    uint64_t unused = ~element_info(buffer->type)->used;
    const char *what =
        buffer->type == ELEMENT_I1 ? "a byte that is 0 or 1" : "zero in the 13 bits below the tf32 value";
    if (buffer->type != ELEMENT_I1 && buffer->type != ELEMENT_TF32) return true;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t bits = fpd_element_bits(buffer->type, bytes, i);
        if (bits & unused)
            return diag_fail(diagnostics, buffer->fill.at, E_CASE, "element %llu of %s in %s is 0x%llx, expected %s",
                             (unsigned long long)i, buffer->name, buffer->fill.file, (unsigned long long)bits, what);
    }
    return true;
}

static bool fill_from_file(Diagnostics *diagnostics, const FpdBuffer *buffer, uint8_t *bytes) {
    Arena arena = {0};
    uint8_t *file;
    const uint8_t *data;
    size_t size;
    bool good = file_read(diagnostics, &arena, buffer->fill.file, &file, &size);
    data = file;
    if (good && is_npy(file, size)) {
        good = fpd_read_npy(diagnostics, buffer, file, size, &data);
    } else if (good && size != buffer->bytes) {
        good = diag_fail(diagnostics, buffer->fill.at, E_CASE, "%s holds %zu bytes, expected %llu for buffer %s",
                         buffer->fill.file, size, (unsigned long long)buffer->bytes, buffer->name);
    }
    good = good && check_file_elements(diagnostics, buffer, data);
    if (good) memcpy(bytes, data, buffer->bytes);
    arena_reset(&arena);
    return good;
}

// Elements begin .. end - 1; both even where two elements share a byte, so that no two parts write to one.
typedef struct FillPart {
    const FpdBuffer *buffer;
    const FillStream *stream;
    uint8_t *bytes;
    uint64_t begin, end;
    pthread_t thread;
} FillPart;

static void *fill_part(void *argument) {
    const FillPart *part = argument;
    for (uint64_t i = part->begin; i < part->end; i++)
        fpd_element_set(part->buffer->type, part->bytes, i, fill_element(part->buffer, part->stream, i));
    return NULL;
}

bool fpd_fill_buffer(Diagnostics *diagnostics, const FpdBuffer *buffer, uint64_t seed, unsigned jobs, uint8_t *bytes) {
    enum { LEAST = 1 << 16, MOST_PARTS = 64 }; // elements of a part, so that a thread is worth its start
    if (buffer->fill.kind == FPD_FILL_zeros) return true;
    if (buffer->fill.kind == FPD_FILL_file) return fill_from_file(diagnostics, buffer, bytes);
    FillStream stream = fill_stream(buffer->name, seed);
    FillPart parts[MOST_PARTS];
    uint64_t count = buffer->elements / LEAST;
    if (count > jobs) count = jobs;
    if (count > MOST_PARTS) count = MOST_PARTS;
    if (count == 0) count = 1;
    uint64_t size = buffer->elements / count & ~(uint64_t)1, threads = 0;
    for (uint64_t p = 0; p < count; p++)
        parts[p] = (FillPart){buffer, &stream, bytes, p * size, p + 1 < count ? (p + 1) * size : buffer->elements, 0};
    // What gets no thread of its own is done here.
    while (threads + 1 < count && !pthread_create(&parts[threads].thread, NULL, fill_part, &parts[threads])) threads++;
    for (uint64_t p = threads; p < count; p++) fill_part(&parts[p]);
    for (uint64_t p = 0; p < threads; p++) pthread_join(parts[p].thread, NULL);
    return true;
}
