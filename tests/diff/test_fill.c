// SPDX-License-Identifier: Apache-2.0
// Fills: the generator against its published vectors, golden bits computed apart (exact integer arithmetic and another
// implementation of the inverse normal distribution), statistics, files.
#include "diff/case.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The known-answer vectors published with the Random123 library.
Test(fill, philox_known_answers) {
    static const struct {
        uint32_t counter[4], key[2], result[4];
    } answers[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < BASE_COUNT(answers); i++) {
        uint32_t result[4];
        fpd_philox(answers[i].counter, answers[i].key, result);
        cr_expect_arr_eq(result, answers[i].result, sizeof result);
    }
}

Test(fill, philox_of_many_counters) {
    static const uint64_t firsts[] = {0, 1, 0xffffffe0, UINT64_MAX - 31};
    const uint32_t high[2] = {7, 0x9abcdef0}, key[2] = {0xa4093822, 0x299f31d0};
    for (size_t f = 0; f < BASE_COUNT(firsts); f++) {
        uint32_t many[4][FPD_PHILOX_MANY], one[4];
        fpd_philox_many(firsts[f], high, key, many);
        for (uint32_t i = 0; i < FPD_PHILOX_MANY; i++) {
            const uint64_t at = firsts[f] + i;
            const uint32_t counter[4] = {(uint32_t)at, (uint32_t)(at >> 32), high[0], high[1]};
            fpd_philox(counter, key, one);
            for (unsigned w = 0; w < 4; w++) cr_assert_eq(many[w][i], one[w]);
        }
    }
}

Test(fill, logarithm_and_quantile) {
    for (double x = 1e-300; x < 1e300; x *= 3.7) cr_expect_float_eq(fpd_log(x) / log(x), 1, 4e-16, "log %a", x);
    cr_expect_eq(fpd_log(1), 0);
    for (double x = 0.5; x < 2; x += 0.001) cr_expect_float_eq(fpd_log(x), log(x), 3e-16, "log %a", x);
    // Phi(quantile(p)) = p, with the C library's erfc as the judge.
    for (double p = 1e-16; p < 1; p = p < 0.01 ? p * 1.9 : p + 0.0037) {
        double z = fpd_normal_quantile(p);
        cr_expect_float_eq(0.5 * erfc(-z / sqrt(2)) / p, 1, 1e-13, "quantile of %g is %g", p, z);
    }
    cr_expect_eq(fpd_normal_quantile(0.5), 0);
    cr_expect_eq(fpd_normal_quantile(0.25), -fpd_normal_quantile(0.75));
}

static FpdBuffer line_buffer(const char *name, ElementType type, uint64_t elements, FpdFillKind kind) {
    return (FpdBuffer){.name = name,
                       .type = type,
                       .rank = 1,
                       .shape = {(int64_t)elements},
                       .elements = elements,
                       .bytes = fpd_type_bytes(type, elements),
                       .fill = {.kind = kind, .given = true}};
}

static uint8_t *filled(Arena *arena, const FpdBuffer *buffer, uint64_t seed) {
    Diagnostics diagnostics = {0};
    uint8_t *bytes = arena_alloc(arena, buffer->bytes);
    cr_assert(fpd_fill_buffer(&diagnostics, buffer, seed, 1, bytes));
    return bytes;
}

static void expect_bits(const FpdBuffer *buffer, uint64_t seed, size_t count, const uint64_t *bits) {
    Arena arena = {0};
    uint8_t *bytes = filled(&arena, buffer, seed);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(fpd_element_bits(buffer->type, bytes, i), bits[i], "%s[%zu] is 0x%llx, expected 0x%llx",
                     buffer->name, i, (unsigned long long)fpd_element_bits(buffer->type, bytes, i),
                     (unsigned long long)bits[i]);
    arena_reset(&arena);
}

Test(fill, golden_bits) {
    FpdBuffer q = line_buffer("Q", ELEMENT_F32, 6, FPD_FILL_normal);
    q.fill.high = 1;
    expect_bits(&q, 1, 6, (uint64_t[]){0x3e81a6a5, 0x3f27d0bf, 0xbed6455d, 0xbed1370b, 0xbfb93776, 0xbf1a614b});
    FpdBuffer k = line_buffer("K", ELEMENT_F16, 6, FPD_FILL_normal);
    k.fill.low = 0.5, k.fill.high = 2;
    expect_bits(&k, 7, 6, (uint64_t[]){0x37ed, 0xbe85, 0xb166, 0xb24e, 0x380d, 0x3b29});
    FpdBuffer u = line_buffer("U", ELEMENT_F64, 4, FPD_FILL_uniform);
    u.fill.low = -1, u.fill.high = 3;
    expect_bits(&u, 1, 4, (uint64_t[]){0xbfee9b31d6d55ac8, 0xbfd8ba219ed161a8, 0x4002797751144eed, 0x3ff75169d9ab6206});
    FpdBuffer n = line_buffer("N", ELEMENT_I32, 8, FPD_FILL_integers);
    n.fill.first = -10, n.fill.last = 10;
    expect_bits(&n, UINT64_MAX, 8, (uint64_t[]){4, 0xffffffff, 10, 0xfffffffe, 0xfffffffe, 0xfffffff9, 5, 4});
    FpdBuffer b = line_buffer("B", ELEMENT_F16, 6, FPD_FILL_bits);
    expect_bits(&b, 1, 6, (uint64_t[]){0x9266, 0x3a02, 0x3492, 0x40c1, 0x76b6, 0x0c91});
    FpdBuffer t = line_buffer("B", ELEMENT_TF32, 4, FPD_FILL_bits);
    expect_bits(&t, 1, 4, (uint64_t[]){0x01248000, 0x58722000, 0xee932000, 0x2bfb4000});
    FpdBuffer f = line_buffer("B", ELEMENT_F4E2M1FN, 8, FPD_FILL_bits);
    expect_bits(&f, 1, 8, (uint64_t[]){6, 2, 2, 1, 6, 1, 0, 15});
}

static FpdBuffer adversarial_buffer(const char *name, ElementType type, uint32_t rank, const int64_t *shape,
                                    int64_t axis, double scale) {
    FpdBuffer buffer = line_buffer(name, type, 1, FPD_FILL_adversarial);
    buffer.rank = rank;
    for (uint32_t d = 0; d < rank; d++) buffer.elements *= (uint64_t)(buffer.shape[d] = shape[d]);
    buffer.bytes = fpd_type_bytes(type, buffer.elements);
    buffer.fill.first = axis;
    buffer.fill.high = scale;
    return buffer;
}

// Computed apart as well. Element 23 of Q is one of the small ones; row 4 of Q and column 2 of K are nearly constant.
Test(fill, adversarial_bits) {
    FpdBuffer q = adversarial_buffer("Q", ELEMENT_F16, 3, (int64_t[]){1, 8, 4}, 1, 1),
              k = adversarial_buffer("K", ELEMENT_F32, 2, (int64_t[]){3, 5}, 1, 2);
    expect_bits(&q, 1, 32,
                (uint64_t[]){0x2882, 0x2950, 0x2653, 0x265e, 0x241c, 0x2930, 0x2cd5, 0x2bdd, 0x30c6, 0x2643, 0x3250,
                             0x30a6, 0x3606, 0x2a9b, 0x3009, 0x3461, 0x35b6, 0x35b7, 0x35b7, 0x35b6, 0x3c0a, 0x3cd8,
                             0x38ee, 0x1238, 0x3e44, 0x410f, 0x3faa, 0x3c04, 0x4026, 0x3efe, 0x42b7, 0x4261});
    expect_bits(&k, 9, 15,
                (uint64_t[]){0x3d74887a, 0x3ea123b2, 0x3effffff, 0x3f2cf22c, 0x402f1ada, 0x3d8558af, 0x3e5e41c4,
                             0x3effffff, 0x40094b6c, 0x4058d1ed, 0x3da78224, 0x3e9f6528, 0x3f000000, 0x4020c2d5,
                             0x3fdde482});
}

// What it is for: in each tile of 64 keys some score is larger than all before, for every query; magnitudes from
// subnormal to large; one row whose elements are a few units apart; negative ones too.
Test(fill, adversarial_scores_ascend) {
    enum { QUERIES = 96, KEYS = 450, DEPTH = 64, TILE = 64 };
    FpdBuffer q = adversarial_buffer("Q", ELEMENT_F16, 2, (int64_t[]){QUERIES, DEPTH}, 0, 1),
              k = adversarial_buffer("K", ELEMENT_F16, 2, (int64_t[]){KEYS, DEPTH}, 0, 1);
    Arena arena = {0};
    const uint8_t *queries = filled(&arena, &q, 5), *keys = filled(&arena, &k, 5);
    uint64_t changes = 0, small = 0, large = 0, negative = 0;
    for (uint64_t i = 0; i < QUERIES; i++) {
        double running = -INFINITY;
        for (uint64_t tile = 0; tile < KEYS; tile += TILE) {
            double largest = -INFINITY;
            for (uint64_t j = tile; j < tile + TILE && j < KEYS; j++) {
                double score = 0;
                for (uint64_t c = 0; c < DEPTH; c++)
                    score += fpd_element_value(q.type, fpd_element_bits(q.type, queries, i * DEPTH + c)) *
                             fpd_element_value(k.type, fpd_element_bits(k.type, keys, j * DEPTH + c));
                if (score > largest) largest = score;
            }
            if (tile + TILE <= KEYS) changes += largest > running; // the last one has two keys
            if (largest > running) running = largest;
        }
    }
    cr_expect_eq(changes, QUERIES * 7, "the maximum changes in %llu of %d tiles", (unsigned long long)changes,
                 QUERIES * 7);
    uint64_t least = UINT64_MAX, most = 0;
    for (uint64_t i = 0; i < k.elements; i++) {
        uint64_t bits = fpd_element_bits(k.type, keys, i);
        double value = fpd_element_value(k.type, bits);
        small += fabs(value) < 0x1p-14; // subnormal in f16
        large += value > 4;
        negative += value < 0;
        if (i / DEPTH != KEYS / 2) continue;
        if (bits < least) least = bits;
        if (bits > most) most = bits;
    }
    cr_expect(small > 100 && large > 10 && negative > 100, "%llu small, %llu large, %llu negative",
              (unsigned long long)small, (unsigned long long)large, (unsigned long long)negative);
    cr_expect_eq(most - least, 2);
    arena_reset(&arena);
}

// Every type of floats, shapes of one row, a scale at the end of the range: never NaN, and no sign turned by a step.
Test(fill, adversarial_of_every_type) {
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        if (!element_is_float((ElementType)type) || type == ELEMENT_F8E8M0FNU) continue;
        for (int64_t rows = 1; rows <= 6; rows++)
            for (double scale = 0x1p-140; scale < 0x1p120; scale *= 0x1p4) {
                Arena arena = {0};
                FpdBuffer buffer = adversarial_buffer("A", (ElementType)type, 2, (int64_t[]){rows, 8}, 0, scale);
                const uint8_t *bytes = filled(&arena, &buffer, 1);
                for (uint64_t i = 0; i < buffer.elements; i++) {
                    uint64_t bits = fpd_element_bits(buffer.type, bytes, i);
                    double value = fpd_element_value(buffer.type, bits),
                           most = 8 * scale +
                                  fpd_element_value((ElementType)type, element_info((ElementType)type)->used &
                                                                           -element_info((ElementType)type)->used);
                    bool near = rows >= 4 && (int64_t)i / 8 == rows / 2;
                    cr_expect_eq(bits & ~element_info(buffer.type)->used, 0);
                    if (most > 6) continue; // beyond the range of f4e2m1fn
                    cr_expect(fabs(value) <= most && !(near && value < 0), "%s: %g of %g",
                              element_info(buffer.type)->name, value, scale);
                }
                arena_reset(&arena);
            }
    }
}

// Also for elements of which two share a byte, and a count that the threads cannot share evenly.
Test(fill, the_same_for_every_number_of_threads) {
    static const ElementType types[] = {ELEMENT_F16, ELEMENT_F4E2M1FN};
    for (size_t t = 0; t < BASE_COUNT(types); t++) {
        FpdBuffer buffer = line_buffer("B", types[t], 1000002, FPD_FILL_bits);
        Arena arena = {0};
        uint8_t *one = filled(&arena, &buffer, 3);
        for (unsigned jobs = 0; jobs <= 1024; jobs = jobs * 2 + 3) {
            Diagnostics diagnostics = {0};
            uint8_t *bytes = arena_alloc(&arena, buffer.bytes);
            cr_assert(fpd_fill_buffer(&diagnostics, &buffer, 3, jobs, bytes));
            cr_expect_arr_eq(bytes, one, buffer.bytes, "%u threads", jobs);
        }
        arena_reset(&arena);
    }
}

Test(fill, plain_ones) {
    FpdBuffer zeros = line_buffer("Z", ELEMENT_F32, 3, FPD_FILL_zeros);
    expect_bits(&zeros, 1, 3, (uint64_t[]){0, 0, 0});
    FpdBuffer constant = line_buffer("C", ELEMENT_BF16, 3, FPD_FILL_constant);
    constant.fill.constant = 0x3f80;
    expect_bits(&constant, 1, 3, (uint64_t[]){0x3f80, 0x3f80, 0x3f80});
    FpdBuffer iota = line_buffer("I", ELEMENT_F8E4M3FN, 20, FPD_FILL_iota);
    expect_bits(&iota, 1, 4, (uint64_t[]){0x00, 0x38, 0x40, 0x44});
    FpdBuffer count = line_buffer("I", ELEMENT_I16, 400, FPD_FILL_iota);
    Arena arena = {0};
    cr_expect_eq(fpd_element_bits(ELEMENT_I16, filled(&arena, &count, 1), 399), 399);
    FpdBuffer wide = line_buffer("W", ELEMENT_I64, 1000, FPD_FILL_integers);
    wide.fill.first = INT64_MIN, wide.fill.last = INT64_MAX; // a span of 2^64
    uint8_t *bytes = filled(&arena, &wide, 1);
    cr_expect_neq(fpd_element_bits(ELEMENT_I64, bytes, 0) >> 32, fpd_element_bits(ELEMENT_I64, bytes, 1) >> 32);
    arena_reset(&arena);
}

// Every random fill: other bits for another seed, name and index, the same for the same; a longer buffer starts like a
// shorter one.
Test(fill, keyed_by_seed_name_and_index) {
    Arena arena = {0};
    FpdBuffer a = line_buffer("A", ELEMENT_F64, 1000, FPD_FILL_uniform),
              b = line_buffer("B", ELEMENT_F64, 1000, FPD_FILL_uniform);
    FpdBuffer longer = line_buffer("A", ELEMENT_F64, 2000, FPD_FILL_uniform);
    a.fill.high = b.fill.high = longer.fill.high = 1;
    uint8_t *first = filled(&arena, &a, 1), *other_seed = filled(&arena, &a, 2), *other_name = filled(&arena, &b, 1);
    cr_expect_arr_eq(first, filled(&arena, &a, 1), a.bytes);
    cr_expect_arr_eq(first, filled(&arena, &longer, 1), a.bytes);
    for (uint64_t i = 0; i < a.elements; i++) {
        uint64_t bits = fpd_element_bits(ELEMENT_F64, first, i);
        cr_expect(bits != fpd_element_bits(ELEMENT_F64, other_seed, i) &&
                  bits != fpd_element_bits(ELEMENT_F64, other_name, i));
        cr_expect(i == 0 || bits != fpd_element_bits(ELEMENT_F64, first, i - 1));
    }
    arena_reset(&arena);
}

// Bounds of six standard deviations of each estimate: with fixed seeds these cannot fail by chance.
Test(fill, statistics) {
    Arena arena = {0};
    const uint64_t n = 200000;
    FpdBuffer normal = line_buffer("X", ELEMENT_F32, n, FPD_FILL_normal),
              uniform = line_buffer("X", ELEMENT_F64, n, FPD_FILL_uniform);
    FpdBuffer integers = line_buffer("X", ELEMENT_I8, n, FPD_FILL_integers);
    normal.fill.low = 3, normal.fill.high = 2;
    uniform.fill.low = -2, uniform.fill.high = 5;
    integers.fill.first = -3, integers.fill.last = 6;
    uint8_t *x = filled(&arena, &normal, 1), *u = filled(&arena, &uniform, 1), *k = filled(&arena, &integers, 1);
    double sum = 0, squares = 0, cubes = 0, pairs = 0, uniform_sum = 0, previous = 0;
    uint64_t counts[10] = {0}, beyond_two = 0;
    for (uint64_t i = 0; i < n; i++) {
        double z = (fpd_element_value(ELEMENT_F32, fpd_element_bits(ELEMENT_F32, x, i)) - 3) / 2;
        double v = fpd_element_value(ELEMENT_F64, fpd_element_bits(ELEMENT_F64, u, i));
        sum += z, squares += z * z, cubes += z * z * z, pairs += z * previous, previous = z;
        beyond_two += fabs(z) > 2;
        cr_assert(v >= -2 && v < 5);
        uniform_sum += v;
        counts[(int)fpd_element_value(ELEMENT_I8, fpd_element_bits(ELEMENT_I8, k, i)) + 3]++;
    }
    double deviation = 6 / sqrt((double)n);
    cr_expect_lt(fabs(sum / n), deviation);
    cr_expect_lt(fabs(squares / n - 1), deviation * sqrt(2));
    cr_expect_lt(fabs(cubes / n), deviation * sqrt(15));
    cr_expect_lt(fabs(pairs / n), deviation);
    cr_expect_lt(fabs((double)beyond_two / n - 0.0455), deviation * 0.21);
    cr_expect_lt(fabs(uniform_sum / n - 1.5), deviation * 7 / sqrt(12));
    for (int i = 0; i < 10; i++) cr_expect_lt(fabs((double)counts[i] / n - 0.1), deviation * 0.3);
    arena_reset(&arena);
}

// ---- fresh data of fills for numeric trouble

Test(fill, fresh_trouble) {
    FpdBuffer buffers[] = {line_buffer("C", ELEMENT_F32, 64, FPD_FILL_correlated),
                           line_buffer("L", ELEMENT_F32, 64, FPD_FILL_log_uniform),
                           line_buffer("E", ELEMENT_F8E8M0FNU, 64, FPD_FILL_log_uniform)};
    buffers[0].fill.low = 0.5, buffers[0].fill.high = 0.25;
    buffers[1].fill.low = 0x1p-120, buffers[1].fill.high = 0x1p120;
    buffers[2].fill.low = 0x1p-12, buffers[2].fill.high = 0x1p12;
    buffers[1].fill.positive = buffers[2].fill.positive = true;
    for (int level = FPD_FRESH_SEED; level < FPD_FRESH_COUNT; level++)
        for (size_t b = 0; b < BASE_COUNT(buffers); b++) {
            Arena arena = {0};
            Diagnostics diagnostics = {0};
            FpdCase cas = {.buffer_count = 1, .buffers = &buffers[b], .seed = 1};
            const bool differs = fpd_fresh_differs(&cas, (FpdFresh)level);
            const bool expected[] = {level == FPD_FRESH_SEED || level == FPD_FRESH_LARGER,
                                     level == FPD_FRESH_SEED || level == FPD_FRESH_SIGNS, level == FPD_FRESH_SEED};
            cr_expect_eq(differs, expected[b], "%s at level %d", buffers[b].name, level);
            cr_assert(fpd_make_fresh(&diagnostics, &arena, (FpdFresh)level, &cas));
            const FpdFill *fill = &cas.buffers[0].fill;
            cr_expect_eq(fill->kind, buffers[b].fill.kind);
            cr_expect_eq(fill->low, buffers[b].fill.low); // a range, and a correlation, are what the fill is for
            cr_expect_eq(fill->high, b || level < FPD_FRESH_LARGER ? buffers[b].fill.high : 8);
            cr_expect_eq(fill->positive, b == 2 || (b == 1 && level < FPD_FRESH_SIGNS));
            const uint8_t *bytes = filled(&arena, cas.buffers, 2);
            for (uint64_t i = 0; i < 64; i++) {
                const double value = fpd_element_value(buffers[b].type, fpd_element_bits(buffers[b].type, bytes, i));
                cr_expect(isfinite(value) && value != 0 && (value > 0 || !fill->positive));
            }
            arena_reset(&arena);
        }
}

// ---- files

static bool fill_with(Arena *arena, FpdBuffer *buffer, const void *file, size_t size, uint8_t **bytes,
                      const char **message) {
    char path[] = "/tmp/congruent-fill-XXXXXX";
    Diagnostics diagnostics = {0};
    int handle = mkstemp(path);
    cr_assert(handle >= 0 && write(handle, file, size) == (ssize_t)size);
    close(handle);
    buffer->fill.file = path;
    *bytes = arena_alloc(arena, buffer->bytes);
    bool good = fpd_fill_buffer(&diagnostics, buffer, 1, 1, *bytes);
    cr_assert_eq(diagnostics.count, good ? 0 : 1);
    if (!good) *message = arena_text(arena, diagnostics.items[0].message, strlen(diagnostics.items[0].message));
    diagnostics_close(&diagnostics);
    unlink(path);
    return good;
}

Test(fill, raw_files) {
    Arena arena = {0};
    uint8_t *bytes;
    const char *message;
    FpdBuffer i16 = line_buffer("R", ELEMENT_I16, 2, FPD_FILL_file),
              i1 = line_buffer("T", ELEMENT_I1, 2, FPD_FILL_file);
    FpdBuffer tf32 = line_buffer("S", ELEMENT_TF32, 1, FPD_FILL_file);
    cr_expect(fill_with(&arena, &i16, "\x01\x02\x03\x84", 4, &bytes, &message));
    cr_expect(fpd_element_bits(ELEMENT_I16, bytes, 0) == 0x0201 && fpd_element_bits(ELEMENT_I16, bytes, 1) == 0x8403);
    cr_expect_not(fill_with(&arena, &i16, "\x01\x02\x03", 3, &bytes, &message));
    cr_expect(strstr(message, "holds 3 bytes, expected 4 for buffer R"));
    cr_expect(fill_with(&arena, &i1, "\x01\x00", 2, &bytes, &message));
    cr_expect_not(fill_with(&arena, &i1, "\x01\x02", 2, &bytes, &message));
    cr_expect(strstr(message, "element 1 of T") && strstr(message, "is 0x2, expected a byte that is 0 or 1"));
    cr_expect(fill_with(&arena, &tf32, "\x00\x20\x80\x3f", 4, &bytes, &message));
    cr_expect_not(fill_with(&arena, &tf32, "\x00\x10\x80\x3f", 4, &bytes, &message));
    cr_expect(strstr(message, "13 bits below the tf32 value"));
    arena_reset(&arena);
}

// A .npy file of version 1 with the given header and `data_size` bytes 0, 1, 2, ...
static size_t npy_file(uint8_t *file, const char *header, size_t data_size) {
    size_t length = strlen(header);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (uint8_t)length, file[9] = (uint8_t)(length >> 8);
    memcpy(file + 10, header, length);
    for (size_t i = 0; i < data_size; i++) file[10 + length + i] = (uint8_t)i;
    return 10 + length + data_size;
}

Test(fill, npy_files) {
    static const struct {
        ElementType type;
        const char *header;
        size_t data;
        const char *message; // NULL: accepted
    } files[] = {
        {ELEMENT_F16, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }          \n", 12, NULL},
        {ELEMENT_BF16, "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<V2\"}", 12, NULL},
        {ELEMENT_I8, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3,)}", 6, NULL},
        {ELEMENT_F8E5M2, "{'descr': '|V1', 'fortran_order': False, 'shape': (2, 3)}", 6, NULL},
        {ELEMENT_F16, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 24,
         "holds elements of type '<f4', expected those of buffer N, f16"},
        {ELEMENT_F16, "{'descr': '>f2', 'fortran_order': False, 'shape': (2, 3)}", 12, "holds elements of type '>f2'"},
        {ELEMENT_F16, "{'descr': 'f2', 'fortran_order': False, 'shape': (2, 3)}", 12, "holds elements of type 'f2'"},
        {ELEMENT_F16, "{'descr': '<f2', 'fortran_order': True, 'shape': (2, 3)}", 12, "it is in Fortran order"},
        {ELEMENT_F16, "{'descr': '<f2', 'fortran_order': False, 'shape': (3, 2)}", 12,
         "has another shape than buffer N, expected [2, 3]"},
        {ELEMENT_F16, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3, 1)}", 12, "has another shape"},
        {ELEMENT_F16, "{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", 12, "has another shape"},
        {ELEMENT_F16, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3)}", 11,
         "holds 11 bytes of data, expected 12"},
        {ELEMENT_F16, "{'descr': '<f2', 'shape': (2, 3)}", 12, "its header lacks descr, fortran_order or shape"},
        {ELEMENT_F16, "{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (2, 3)}", 12,
         "its elements are structures"},
        {ELEMENT_F16, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, x)}", 12, "its shape cannot be read"},
        {ELEMENT_F16, "{'descr': '<f2'", 12, "its header cannot be read"},
        {ELEMENT_F16, "{'what': 1}", 12, "its header has an unknown key"},
        {ELEMENT_F16, "none", 12, "its header is no dictionary"},
    };
    for (size_t i = 0; i < BASE_COUNT(files); i++) {
        Arena arena = {0};
        uint8_t file[256], *bytes;
        const char *message = "";
        FpdBuffer buffer = {.name = "N",
                            .type = files[i].type,
                            .rank = 2,
                            .shape = {2, 3},
                            .elements = 6,
                            .fill = {.kind = FPD_FILL_file}};
        buffer.bytes = fpd_type_bytes(buffer.type, 6);
        size_t size = npy_file(file, files[i].header, files[i].data);
        bool good = fill_with(&arena, &buffer, file, size, &bytes, &message);
        cr_expect_eq(good, !files[i].message, "file %zu: %s", i, message);
        if (good)
            cr_expect_eq(bytes[buffer.bytes - 1], buffer.bytes - 1);
        else
            cr_expect(files[i].message && strstr(message, files[i].message), "file %zu: '%s'", i, message);
        for (size_t cut = 6; cut < size; cut++)
            cr_expect_not(fill_with(&arena, &buffer, file, cut, &bytes, &message), "file %zu cut at %zu", i, cut);
        arena_reset(&arena);
    }
}

Test(fill, missing_file) {
    Diagnostics diagnostics = {0};
    FpdBuffer buffer = line_buffer("F", ELEMENT_F32, 1, FPD_FILL_file);
    uint8_t bytes[4];
    buffer.fill.file = "/nowhere/f.bin";
    cr_expect_not(fpd_fill_buffer(&diagnostics, &buffer, 1, 1, bytes));
    cr_expect(diagnostics.count == 1 && diagnostics.items[0].code == E_FILE);
    diagnostics_close(&diagnostics);
}
