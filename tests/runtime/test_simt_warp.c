// SPDX-License-Identifier: Apache-2.0
// Warp operations of the emulator against models: shuffles as PTX's pseudo-code has them, mma as plain loops over
// matrices laid out by PTX's formulas for elements, ldmatrix by those for rows.
#include "tests/runtime/simt_lab.h"

#include <criterion/criterion.h>
#include <math.h>

static uint32_t hash3(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t x = a * UINT64_C(0x9E3779B97F4A7C15) + b * UINT64_C(0xC2B2AE3D27D4EB4F) + c * UINT64_C(0x165667B19E3779F9);
    x ^= x >> 29;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(x >> 32);
}

// Kernels count here what is not as it should be (a launch of one thread of the system).
static uint32_t wrong;

// ---- shuffles

// Of the lane: what it reads from, by the text of PTX's description.
static int model_source(int kind, int lane, int b, int c) {
    const int bval = b & 31, cval = c & 31, segmask = c >> 8 & 31;
    const int max_lane = (lane & segmask) | (cval & ~segmask & 31), min_lane = lane & segmask;
    const int j[] = {lane - bval, lane + bval, lane ^ bval, min_lane | (bval & ~segmask)};
    const bool p = kind == SIMT_SHUFFLE_UP ? j[kind] >= max_lane : j[kind] <= max_lane;
    return p ? j[kind] : lane;
}

static void shuffle_all(const uint64_t *arguments) {
    (void)arguments;
    const uint32_t lane = lab_ops->special(SIMT_LANEID), warp = lab_thread() / 32;
    for (uint32_t trial = 0; trial < 2000; trial++) {
        const uint32_t kind = trial % 4, random = hash3(trial, warp, 1);
        static const uint32_t clamps[] = {0x1F, 0x0, 0x101F, 0x1000, 0x181F, 0x1C00, 0x1E1F};
        const uint32_t clamp = trial % 3 ? clamps[random % BASE_COUNT(clamps)] : random & 0x1F1F;
        const uint32_t b = trial % 5 ? random >> 13 & 63 : hash3(trial, lane, 2);
        const uint32_t got = lab_ops->shuffle(kind, UINT32_MAX, hash3(trial, lane, warp), b, clamp, AT_WARP);
        const int source = model_source((int)kind, (int)lane, (int)b, (int)clamp);
        wrong += got != hash3(trial, (uint32_t)source, warp);
    }
}

Test(simt_warp, shuffles_are_those_of_ptx) {
    Lab lab = lab_open(1, shuffle_all, 96, 0);
    cr_assert(lab_run(&lab, 0), "%s", lab.text);
    cr_assert_eq(wrong, 0);
    lab_close(&lab);
}

// Halves, quarters and so on of a warp shuffle among themselves, each at its own pace.
static void shuffle_parts(const uint64_t *arguments) {
    (void)arguments;
    const uint32_t lane = lab_ops->special(SIMT_LANEID);
    for (uint32_t bits = 0; bits <= 5; bits++) {
        const uint32_t size = 1u << bits, first = lane & ~(size - 1);
        const uint32_t mask = (size == 32 ? UINT32_MAX : (1u << size) - 1) << first;
        uint32_t sum = lane;
        for (uint32_t step = size / 2; step; step /= 2)
            sum += lab_ops->shuffle(SIMT_SHUFFLE_BFLY, mask, sum, step, 0x1F, AT_WARP);
        wrong += sum != size * first + size * (size - 1) / 2;
        lab_ops->warp_barrier(mask, AT_WARP);
    }
}

Test(simt_warp, parts_of_a_warp_shuffle_by_themselves) {
    Lab lab = lab_open(1, shuffle_parts, 64, 0);
    cr_assert(lab_run(&lab, 0), "%s", lab.text);
    cr_assert_eq(wrong, 0);
    lab_close(&lab);
}

// ---- what is wrong with an operation: one way for each number

enum {
    WRONG_MASK,
    WRONG_SOURCE,
    WRONG_PLACE,
    WRONG_KIND,
    WRONG_SET,
    WRONG_GONE,
    WRONG_COUNT,
    WRONG_MMA_KINDS,
    WRONG_ROW,
    WRONG_ROW_ALIGNMENT,
    WRONG_EXITED
};

static void misuse(const uint64_t *arguments) {
    const uint32_t lane = lab_ops->special(SIMT_LANEID);
    uint8_t *shared = lab_ops->shared();
    uint32_t words[4] = {0};
    switch (arguments[2]) {
    case WRONG_MASK: lab_ops->warp_barrier(0xFFFF, AT_WARP); break;
    case WRONG_SOURCE:
        if (lane < 16) lab_ops->shuffle(SIMT_SHUFFLE_IDX, 0xFFFF, lane, 16, 0x1F, AT_WARP);
        break;
    case WRONG_PLACE: lab_ops->warp_barrier(UINT32_MAX, lane == 7 ? AT_ATOMIC : AT_WARP); break;
    case WRONG_KIND: lab_ops->shuffle(lane / 31, UINT32_MAX, 0, 0, 0x1F, AT_WARP); break;
    case WRONG_SET: lab_ops->warp_barrier(lane < 8 ? 0xFF : UINT32_MAX, AT_WARP); break;
    case WRONG_GONE:
        if (lane != 3) lab_ops->warp_barrier(UINT32_MAX, AT_WARP);
        break;
    case WRONG_COUNT: lab_ops->load_matrix(3, false, shared, words, AT_WARP); break;
    case WRONG_MMA_KINDS: lab_ops->mma(SIMT_F16, SIMT_BF16, words, words, words, AT_WARP); break;
    case WRONG_ROW: lab_ops->load_matrix(1, false, shared + lane * 16, words, AT_WARP); break;
    case WRONG_ROW_ALIGNMENT: lab_ops->load_matrix(4, false, shared + 8, words, AT_WARP); break;
    case WRONG_EXITED:
        if (lane == 9) lab_ops->exit();
        lab_ops->mma(SIMT_S8, SIMT_S8, words, words, words, AT_WARP);
        break;
    }
}

static const struct MisuseRow {
    uint64_t number;
    const char *text;
} misuse_rows[] = {
    {WRONG_MASK, "thread 16 waits at a warp barrier in warp_op (k.py:8), but is not in its own mask 0x0000ffff"},
    {WRONG_SOURCE, "thread 0 waits in a shuffle in warp_op (k.py:8) that reads from lane 16, which does not take part"},
    {WRONG_PLACE, "waits at a warp barrier in atomic (k.py:5)"},
    {WRONG_KIND, "thread 31 waits in a shuffle down in warp_op (k.py:8), but thread 0 waits in a shuffle up"},
    {WRONG_SET, "thread 8 waits at a warp barrier in warp_op (k.py:8), but thread 0 has returned"},
    {WRONG_GONE, "thread 0 waits at a warp barrier in warp_op (k.py:8), but thread 3 has returned"},
    {WRONG_COUNT, "thread 0 waits in an ldmatrix in warp_op (k.py:8) with operands that GPUs do not have"},
    {WRONG_MMA_KINDS, "thread 0 waits in an mma in warp_op (k.py:8) with operands that GPUs do not have"},
    {WRONG_ROW, "thread 4 waits in an ldmatrix in warp_op (k.py:8), whose row at address "},
    {WRONG_ROW_ALIGNMENT, "whose row at byte 8 of shared memory is not 16 aligned bytes of shared memory"},
    {WRONG_EXITED, "thread 0 waits in an mma in warp_op (k.py:8), which takes all 32 lanes; there are only those of "
                   "0xfffffdff"},
};

Test(simt_warp, misuse_is_an_error) {
    Lab lab = lab_open(1, misuse, 32, 64);
    for (size_t i = 0; i < BASE_COUNT(misuse_rows); i++) {
        cr_assert_not(lab_run(&lab, misuse_rows[i].number), "row %zu", i);
        cr_expect(strstr(lab.text, misuse_rows[i].text), "row %zu: %s", i, lab.text);
    }
    lab.kernel.threads = 16; // half a warp can shuffle, but not multiply
    cr_assert_not(lab_run(&lab, WRONG_EXITED));
    lab_close(&lab);
}

// ---- tensor cores

static const struct KindRow {
    const char *name;
    uint32_t kind, bits, exponent_bits, mantissa_bits, depth;
} kind_rows[] = {
    {"f16", SIMT_F16, 16, 5, 10, 16}, {"bf16", SIMT_BF16, 16, 8, 7, 16}, {"tf32", SIMT_TF32, 32, 8, 10, 8},
    {"e4m3", SIMT_E4M3, 8, 4, 3, 32}, {"e5m2", SIMT_E5M2, 8, 5, 2, 32},  {"s8", SIMT_S8, 8, 0, 7, 32},
    {"u8", SIMT_U8, 8, 0, 8, 32},
};

// What bits mean, by the definition of the formats.
static double model_value(const struct KindRow *row, uint32_t bits) {
    if (row->kind == SIMT_S8) return bits < 128 ? bits : (double)bits - 256;
    if (row->kind == SIMT_U8) return bits;
    if (row->kind == SIMT_TF32) bits >>= 13;
    const uint32_t exponent = bits >> row->mantissa_bits & ((1u << row->exponent_bits) - 1);
    const uint32_t mantissa = bits & ((1u << row->mantissa_bits) - 1);
    const double sign = bits >> (row->exponent_bits + row->mantissa_bits) & 1 ? -1 : 1;
    const int bias = (1 << (row->exponent_bits - 1)) - 1;
    const bool top = exponent == (1u << row->exponent_bits) - 1;
    if (row->kind == SIMT_E4M3 ? top && mantissa == 7 : top && mantissa) return (double)NAN;
    if (row->kind != SIMT_E4M3 && top) return sign * (double)INFINITY;
    const double fraction = mantissa / (double)(1u << row->mantissa_bits);
    return sign * (exponent ? ldexp(1 + fraction, (int)exponent - bias) : ldexp(fraction, 1 - bias));
}

// The elements of a trial: one position of k holds something, the others zero; then random ones, of all bits and of
// moderate ones.
static uint32_t trial_bits(const struct KindRow *row, uint32_t trial, uint32_t line, uint32_t k, uint32_t side) {
    const uint32_t all = row->bits == 32 ? UINT32_MAX : (1u << row->bits) - 1;
    const uint32_t random = hash3(trial * 2 + side, line, k) & all;
    if (trial < row->depth && k != trial) return 0;
    if (row->exponent_bits < 8 && (trial & 1 || row->exponent_bits == 0)) return random;
    const uint32_t one = ((1u << (row->exponent_bits - 1)) - 1) << row->mantissa_bits; // exponents near that of 1
    const uint32_t sign = 1u << (row->exponent_bits + row->mantissa_bits);
    const uint32_t near = (one + (random & 3) * (1u << row->mantissa_bits) - (2u << row->mantissa_bits)) |
                          (random >> 5 & ((1u << row->mantissa_bits) - 1)) | (random & 4 ? sign : 0);
    return row->kind == SIMT_TF32 ? near << 13 | (random >> 19 & 0x1FFF) : near;
}

// Element i of a lane's fragment of A is at (row, column): PTX ISA, "Matrix Fragments for mma".
static void place_a(uint32_t bits, uint32_t lane, uint32_t i, uint32_t *row, uint32_t *column) {
    const uint32_t group = lane >> 2, thread = lane % 4;
    if (bits == 32) {
        *row = i == 0 || i == 2 ? group : group + 8;
        *column = i < 2 ? thread : thread + 4;
    } else if (bits == 16) {
        *row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
        *column = thread * 2 + (i & 1) + (i < 4 ? 0 : 8);
    } else {
        *row = i < 4 || (i >= 8 && i < 12) ? group : group + 8;
        *column = thread * 4 + (i & 3) + (i < 8 ? 0 : 16);
    }
}

static void place_b(uint32_t bits, uint32_t lane, uint32_t i, uint32_t *row, uint32_t *column) {
    const uint32_t thread = lane % 4;
    *column = lane >> 2;
    if (bits == 32)
        *row = thread + (i ? 4 : 0);
    else if (bits == 16)
        *row = thread * 2 + (i & 1) + (i < 2 ? 0 : 8);
    else
        *row = thread * 4 + (i & 3) + (i < 4 ? 0 : 16);
}

static bool sum_is_right(const struct KindRow *a, const struct KindRow *b, uint32_t trial, uint32_t m, uint32_t n,
                         uint32_t old, uint32_t got) {
    if (a->exponent_bits == 0) {
        uint32_t sum = old;
        for (uint32_t k = 0; k < a->depth; k++)
            sum += (uint32_t)((int32_t)model_value(a, trial_bits(a, trial, m, k, 0)) *
                              (int32_t)model_value(b, trial_bits(b, trial, n, k, 1)));
        return sum == got;
    }
    float start, end;
    memcpy(&start, &old, 4);
    memcpy(&end, &got, 4);
    long double sum = (long double)start, magnitude = fabsl(sum);
    for (uint32_t k = 0; k < a->depth; k++) {
        const long double product = (long double)model_value(a, trial_bits(a, trial, m, k, 0)) *
                                    (long double)model_value(b, trial_bits(b, trial, n, k, 1));
        sum += product;
        magnitude += fabsl(product);
    }
    if (isnan(sum)) return isnan(end);
    if (isinf(sum)) return (long double)end == sum;
    const long double ulp = (long double)nextafterf(fabsf(end), INFINITY) - (long double)fabsf(end);
    return fabsl((long double)end - sum) <= ulp / 2 + magnitude * 0x1p-48L;
}

static void multiply(const uint64_t *arguments) {
    const struct KindRow *a = &kind_rows[arguments[2] % 8], *b = &kind_rows[arguments[2] / 8];
    const uint32_t lane = lab_ops->special(SIMT_LANEID), in_word = 32 / a->bits;
    for (uint32_t trial = 0; trial < a->depth + 40; trial++) {
        uint32_t words_a[4] = {0}, words_b[2] = {0}, sums[4], old[4], row, column;
        for (uint32_t i = 0; i < 4 * in_word; i++) {
            place_a(a->bits, lane, i, &row, &column);
            words_a[i / in_word] |= trial_bits(a, trial, row, column, 0) << i % in_word * a->bits;
        }
        for (uint32_t i = 0; i < 2 * in_word; i++) {
            place_b(b->bits, lane, i, &row, &column);
            words_b[i / in_word] |= trial_bits(b, trial, column, row, 1) << i % in_word * b->bits;
        }
        for (uint32_t i = 0; i < 4; i++) {
            const float number = (float)(int32_t)hash3(trial, lane, i) * 0x1p-30f;
            sums[i] = hash3(trial, lane, i);
            if (a->exponent_bits) memcpy(&sums[i], &number, 4);
            old[i] = sums[i];
        }
        lab_ops->mma(a->kind, b->kind, words_a, words_b, sums, AT_WARP);
        for (uint32_t i = 0; i < 4; i++)
            wrong += !sum_is_right(a, b, trial, i < 2 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1), old[i],
                                   sums[i]);
    }
}

Test(simt_warp, mma_is_a_product_of_matrices, .timeout = 100) {
    Lab lab = lab_open(1, multiply, 32, 0);
    int pairs = 0;
    for (uint32_t a = 0; a < BASE_COUNT(kind_rows); a++)
        for (uint32_t b = 0; b < BASE_COUNT(kind_rows); b++) {
            const bool floats = kind_rows[a].exponent_bits && kind_rows[b].exponent_bits;
            const bool integers = !kind_rows[a].exponent_bits && !kind_rows[b].exponent_bits;
            if (a != b && !((floats || integers) && kind_rows[a].bits == 8 && kind_rows[b].bits == 8)) continue;
            wrong = 0;
            cr_assert(lab_run(&lab, a + 8 * b), "%s", lab.text);
            cr_expect_eq(wrong, 0, "%s x %s: %u sums", kind_rows[a].name, kind_rows[b].name, wrong);
            pairs++;
        }
    cr_assert_eq(pairs, 11);
    lab_close(&lab);
}

// ---- ldmatrix

// Matrix i lies at a place of its own, its rows in a scattered order; element (r, c) is 64 i + 8 r + c.
static void load_matrices(const uint64_t *arguments) {
    (void)arguments;
    const uint32_t lane = lab_ops->special(SIMT_LANEID);
    uint16_t *shared = lab_ops->shared();
    for (uint32_t i = 0; i < 256 / 32; i++) {
        const uint32_t element = i * 32 + lane, at = element / 8 * 11 % 32 * 8 + element % 8;
        lab_ops->access(&shared[at], 2, SIMT_WRITE, AT_STORE_A);
        shared[at] = (uint16_t)element;
    }
    for (uint32_t count = 1; count <= 4; count *= 2)
        for (uint32_t transposed = 0; transposed < 2; transposed++) {
            uint32_t words[4] = {0};
            const void *row = lane < 8 * count ? &shared[lane * 11 % 32 * 8] : NULL;
            lab_ops->load_matrix(count, transposed, row, words, AT_LOAD_A);
            for (uint32_t i = 0; i < 4; i++) {
                const uint32_t r = lane / 4, c = lane % 4 * 2;
                const uint32_t low = 64 * i + (transposed ? 8 * c + r : 8 * r + c),
                               high = 64 * i + (transposed ? 8 * (c + 1) + r : 8 * r + c + 1);
                wrong += words[i] != (i < count ? high << 16 | low : 0);
            }
        }
}

Test(simt_warp, ldmatrix_loads_matrices) {
    Lab lab = lab_open(1, load_matrices, 32, 512);
    cr_assert(lab_run(&lab, 0), "%s", lab.text);
    cr_assert_eq(wrong, 0);
    lab_close(&lab);
}
