// SPDX-License-Identifier: Apache-2.0
// Initial contents of buffers. Element i of buffer NAME under seed S is a function of (S, NAME, i) alone: the block of
// Philox with key S and counter (i, FNV-1a 64 of NAME).
#include "diff/case.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- random numbers and normal deviates -----------------------------------------------------------------------------
// They have the same bits on every machine: integer arithmetic, and doubles with + - * / and square root alone (the
// build never contracts them).

// Philox4x32-10: ten rounds of two 32 x 32 bit products whose halves are swapped and mixed with a key that steps each
// round.
void fpd_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t result[4]) {
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)c[0] * 0xd2511f53, q = (uint64_t)c[2] * 0xcd9e8d57;
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k[1],
                            (uint32_t)p};
        memcpy(c, next, sizeof c);
        k[0] += 0x9e3779b9;
        k[1] += 0xbb67ae85;
    }
    memcpy(result, c, sizeof c);
}

void fpd_philox_many(uint64_t first, const uint32_t high[2], const uint32_t key[2],
                     uint32_t result[4][FPD_PHILOX_MANY]) {
    enum { LANES = 8 }; // which the compiler keeps in registers
    for (uint32_t from = 0; from < FPD_PHILOX_MANY; from += LANES) {
        uint32_t c[4][LANES], k[2] = {key[0], key[1]};
        for (uint32_t i = 0; i < LANES; i++) {
            c[0][i] = (uint32_t)(first + from + i);
            c[1][i] = (uint32_t)((first + from + i) >> 32);
            c[2][i] = high[0];
            c[3][i] = high[1];
        }
        for (int round = 0; round < 10; round++) {
            for (uint32_t i = 0; i < LANES; i++) {
                const uint64_t p = (uint64_t)c[0][i] * 0xd2511f53, q = (uint64_t)c[2][i] * 0xcd9e8d57;
                c[0][i] = (uint32_t)(q >> 32) ^ c[1][i] ^ k[0];
                c[1][i] = (uint32_t)q;
                c[2][i] = (uint32_t)(p >> 32) ^ c[3][i] ^ k[1];
                c[3][i] = (uint32_t)p;
            }
            k[0] += 0x9e3779b9;
            k[1] += 0xbb67ae85;
        }
        for (uint32_t w = 0; w < 4; w++) memcpy(result[w] + from, c[w], sizeof c[w]);
    }
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)); log x = k log 2 + 2 atanh(s), s = (m-1)/(m+1), |s| < 0.1716: the series to
// s^21 is exact to double precision. k log 2 is added in two parts, the first with trailing zeros, so that it is exact.
double fpd_log(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffff) | UINT64_C(1023) << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        k++;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int n = 21; n >= 3; n -= 2) sum = square * (sum + 1.0 / n);
    return k * 0x1.62e42fefa3800p-1 + (2 * s + (2 * s * sum + k * 0x1.ef35793c76730p-45));
}

// Ratio of two polynomials of degree 7, coefficients from the constant up.
static double normal_ratio(const double *above, const double *below, double x) {
    double p = above[7], q = below[7];
    for (int i = 6; i >= 0; i--) {
        p = p * x + above[i];
        q = q * x + below[i];
    }
    return p / q;
}

double fpd_normal_quantile(double p) {
    static const double centre[2][8] = {
        {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
         4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
        {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3, 2.1213794301586595867e+4,
         3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}};
    static const double middle[2][8] = {
        {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
         1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
        {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
         1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
    static const double tail[2][8] = {
        {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
         2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
        {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
         7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};
    double q = p - 0.5;
    if (fabs(q) <= 0.425) return q * normal_ratio(centre[0], centre[1], 0.180625 - q * q);
    double r = sqrt(-fpd_log(q < 0 ? p : 1 - p));
    double result = r <= 5 ? normal_ratio(middle[0], middle[1], r - 1.6) : normal_ratio(tail[0], tail[1], r - 5);
    return q < 0 ? -result : result;
}

// ---- fills ----------------------------------------------------------------------------------------------------------

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

// The middles of 2^52 equal parts: never 0 or 1, and symmetric.
static double normal_number(uint64_t random) {
    return fpd_normal_quantile(((double)(random >> 12) + 0.5) * 0x1p-52);
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
    const double value = number * (1 + 0.5 * normal_number(random));
    return fpsan_encode_nearest(format, random & 15 ? value : value * 0x1p-10);
}

// ---- numeric trouble: rows that differ little, magnitudes over a wide range

// Of two elements that differ in their row alone: sqrt(correlation) of it is what both have, drawn for the element's
// place in its row, and sqrt(1 - correlation) each has for itself.
static double correlated_number(const FpdBuffer *buffer, const FillStream *stream, uint64_t index) {
    const FpdFill *fill = &buffer->fill;
    const uint64_t common = UINT64_C(1) << 63, rows = (uint64_t)buffer->shape[fill->first]; // no index is that large
    uint64_t inner = 1;
    for (uint32_t d = (uint32_t)fill->first + 1; d < buffer->rank; d++) inner *= (uint64_t)buffer->shape[d];
    const uint64_t in_first_row = index - index / inner % rows * inner;
    const double shared = sqrt(fill->low) * normal_number(fill_random(stream, common | in_first_row)),
                 own = sqrt(1 - fill->low) * normal_number(fill_random(stream, index));
    return fill->high * (shared + own);
}

// A logarithm to base 2 with straight lines within the octaves: exact, where the logarithm depends on a library.
static double octaves_of(double magnitude) {
    int exponent;
    const double significand = frexp(magnitude, &exponent);
    return (exponent - 1) + (2 * significand - 1);
}

// Evenly over that logarithm. The lowest bit is the sign.
static double log_uniform_number(const FpdFill *fill, uint64_t random) {
    const double low = octaves_of(fill->low), high = octaves_of(fill->high),
                 at = low + (high - low) * ((double)(random >> 11) * 0x1p-53), octave = floor(at),
                 magnitude = ldexp(1 + (at - octave), (int)octave);
    return random & 1 && !fill->positive ? -magnitude : magnitude;
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
    case FPD_FILL_normal:
        return fpsan_encode_nearest(format, fill->low + fill->high * normal_number(fill_random(stream, index)));
    case FPD_FILL_correlated: return fpsan_encode_nearest(format, correlated_number(buffer, stream, index));
    case FPD_FILL_log_uniform:
        return fpsan_encode_nearest(format, log_uniform_number(fill, fill_random(stream, index)));
    case FPD_FILL_adversarial: return adversarial_element(buffer, fill_random(stream, index), index);
    case FPD_FILL_integers:
        return integer_element(buffer->type, random_integer(fill_random(stream, index), fill->first, fill->last));
    case FPD_FILL_bits: return fill_random(stream, index) & element_info(buffer->type)->used;
    case FPD_FILL_iota: return integer_element(buffer->type, (int64_t)index);
    case FPD_FILL_addresses: // 0 until there is memory
        return fill->addresses[index].kind == FPD_ARGUMENT_VALUE ? fill->addresses[index].bits : 0;
    case FPD_FILL_zeros:
    case FPD_FILL_file:          // its bytes are put there at once
    case FPD_FILL_offset:        // read as normal,
    case FPD_FILL_near_overflow: // as log_uniform
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
    enum { LEAST = 1 << 13, MOST_PARTS = 64 }; // elements of a part, so that a thread is worth its start
    if (buffer->fill.contents) {
        memcpy(bytes, buffer->fill.contents, buffer->bytes);
        return true;
    }
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
