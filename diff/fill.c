// SPDX-License-Identifier: Apache-2.0
// Initial contents of buffers. Element i of buffer NAME under seed S is a function of (S, NAME, i) alone: the block of
// Philox with key S and counter (i, FNV-1a 64 of NAME).
#include "diff/fpd.h"

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

static uint64_t integer_element(FpdType type, int64_t value) {
    FpsanFormat format = fpd_type_info(type)->format;
    if (format == FPSAN_FORMAT_COUNT) return (uint64_t)value & fpd_type_info(type)->used;
    return fpsan_integer_to_bits(format, (uint64_t)value, 64, true);
}

// first + floor(random * span / 2^64): every value is as likely as the other to one part in 2^64 / span.
static int64_t random_integer(uint64_t random, int64_t first, int64_t last) {
    uint64_t span = (uint64_t)last - (uint64_t)first + 1; // 0: all of them
    if (!span) return (int64_t)random;
    return (int64_t)((uint64_t)first + (uint64_t)((unsigned __int128)random * span >> 64));
}

static uint64_t fill_element(const FpdBuffer *buffer, const FillStream *stream, uint64_t index) {
    const FpdFill *fill = &buffer->fill;
    FpsanFormat format = fpd_type_info(buffer->type)->format;
    double value;
    switch (fill->kind) {
    case FPD_FILL_constant: return fill->constant;
    case FPD_FILL_uniform: // 53 random bits over 2^53: [0, 1)
        value = (double)(fill_random(stream, index) >> 11) * 0x1p-53;
        return fpsan_encode_nearest(format, fill->low + (fill->high - fill->low) * value);
    case FPD_FILL_normal: // the middles of 2^52 equal parts: never 0 or 1, and symmetric
        value = ((double)(fill_random(stream, index) >> 12) + 0.5) * 0x1p-52;
        return fpsan_encode_nearest(format, fill->low + fill->high * fpd_normal_quantile(value));
    case FPD_FILL_integers:
        return integer_element(buffer->type, random_integer(fill_random(stream, index), fill->first, fill->last));
    case FPD_FILL_bits: return fill_random(stream, index) & fpd_type_info(buffer->type)->used;
    case FPD_FILL_iota: return integer_element(buffer->type, (int64_t)index);
    default: return 0;
    }
}

static bool is_npy(const uint8_t *data, size_t size) {
    return size >= 6 && !memcmp(data, "\x93NUMPY", 6);
}

// Bits of an element that carry no value have to be zero: in i1 all but the lowest, in tf32 the lowest 13.
static bool check_file_elements(Diagnostics *diagnostics, const FpdBuffer *buffer, const uint8_t *bytes) {
    uint64_t unused = ~fpd_type_info(buffer->type)->used;
    const char *what =
        buffer->type == FPD_TYPE_i1 ? "a byte that is 0 or 1" : "zero in the 13 bits below the tf32 value";
    if (buffer->type != FPD_TYPE_i1 && buffer->type != FPD_TYPE_tf32) return true;
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
