// SPDX-License-Identifier: Apache-2.0
// The arithmetic of tensor cores: mma.sync m16n8k16 (f16, bf16), m16n8k8 (tf32) and m16n8k32 (8 bits), row.col, with
// PTX's fragments. Lane 4 g + t holds of row g and g + 8 of A (words 0 and 2, 1 and 3) and of column g of B the
// elements of word t of the row's, or column's, first half (words 0, 1 of A and 0 of B) and second half; of the sums
// elements 2 t and 2 t + 1 of rows g and g + 8.
//
// Integers are exact mod 2^32. Floats: products are exact; their sum and the old one is taken in double, in the order
// of k, the old sum first, and rounded to f32 once. While no sum leaves the range of f32, that is within half an ulp of
// f32, plus 2^-48 of the sum of all magnitudes, of the exact sum. A GPU adds with fewer bits: within about 2^-22 of the
// sum of the magnitudes for f16, bf16 and tf32 (an H200: 2^-21.98, for 8-bit floats 2^-22.2; wgmma of 8-bit floats
// keeps 13 bits); so the two differ by about that. docs/gpu.md has the GPU's sums bit for bit.
#include "runtime/simt.h"
#include "sanitizer/format/format.h"

#include <string.h>

enum { MMA_M = 16, MMA_N = 8, MMA_K_MAX = 32 };

// The type of an element, as the registers hold it; whether it is an integer without sign.
#define OPERAND_ROWS(OPERAND)                                                                                          \
    OPERAND(F16, F16, false)                                                                                           \
    OPERAND(BF16, BF16, false)                                                                                         \
    OPERAND(TF32, TF32, false)                                                                                         \
    OPERAND(E4M3, F8E4M3FN, false)                                                                                     \
    OPERAND(E5M2, F8E5M2, false)                                                                                       \
    OPERAND(S8, I8, false)                                                                                             \
    OPERAND(U8, I8, true)
#define OPERAND_BIT(kind, ...) | BASE_BIT(SIMT_##kind)
_Static_assert((0 OPERAND_ROWS(OPERAND_BIT)) == BASE_BITS(SIMT_OPERANDS), "a row for each kind");
#define OPERAND_ROW(kind, type, is_unsigned) [SIMT_##kind] = {ELEMENT_##type, is_unsigned},
static const struct OperandRow {
    ElementType type;
    bool is_unsigned;
} operand_rows[SIMT_OPERANDS] = {OPERAND_ROWS(OPERAND_ROW)};

bool simt_mma_exists(uint32_t kind_a, uint32_t kind_b) {
    if (kind_a >= BASE_COUNT(operand_rows) || kind_b >= BASE_COUNT(operand_rows)) return false;
    const ElementType a = operand_rows[kind_a].type, b = operand_rows[kind_b].type;
    const bool bytes = element_info(a)->storage_bits == 8 && element_info(b)->storage_bits == 8;
    return kind_a == kind_b || (bytes && element_is_float(a) == element_is_float(b));
}

// ---- elements

static float bits_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t sum_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ---- fragments: lines of A and columns of B as words, 8 of them, each lane's in its place

typedef struct MmaWords {
    uint32_t a[MMA_M][8], b[MMA_N][8];
} MmaWords;

static void gather_words(const uint32_t *const a[SIMT_WARP], const uint32_t *const b[SIMT_WARP], MmaWords *words) {
    for (uint32_t lane = 0; lane < SIMT_WARP; lane++) {
        const uint32_t g = lane / 4, t = lane % 4;
        words->a[g][t] = a[lane][0];
        words->a[g + 8][t] = a[lane][1];
        words->a[g][t + 4] = a[lane][2];
        words->a[g + 8][t + 4] = a[lane][3];
        words->b[g][t] = b[lane][0];
        words->b[g][t + 4] = b[lane][1];
    }
}

static void widen_bytes(uint32_t kind, const uint32_t words[8], int16_t out[MMA_K_MAX]) {
    uint8_t bytes[MMA_K_MAX];
    for (uint32_t k = 0; k < MMA_K_MAX; k++) bytes[k] = (uint8_t)(words[k / 4] >> k % 4 * 8);
    if (!operand_rows[kind].is_unsigned)
        for (uint32_t k = 0; k < MMA_K_MAX; k++) out[k] = (int8_t)bytes[k];
    else
        for (uint32_t k = 0; k < MMA_K_MAX; k++) out[k] = bytes[k];
}

static void compute_integers(uint32_t kind_a, uint32_t kind_b, const MmaWords *words, uint32_t *const sums[SIMT_WARP]) {
    int16_t a[MMA_M][MMA_K_MAX], b[MMA_N][MMA_K_MAX];
    for (uint32_t m = 0; m < MMA_M; m++) widen_bytes(kind_a, words->a[m], a[m]);
    for (uint32_t n = 0; n < MMA_N; n++) widen_bytes(kind_b, words->b[n], b[n]);
    for (uint32_t m = 0; m < MMA_M; m++)
        for (uint32_t n = 0; n < MMA_N; n++) {
            int32_t sum = 0; // at most 32 * 255 * 255
            for (uint32_t k = 0; k < MMA_K_MAX; k++) sum += a[m][k] * b[n][k];
            sums[m % 8 * 4 + n / 2][m / 8 * 2 + n % 2] += (uint32_t)sum;
        }
}

static void widen_floats(uint32_t kind, const uint32_t words[8], double *out) {
    const ElementInfo *info = element_info(operand_rows[kind].type);
    const uint32_t bits = info->storage_bits, in_word = 32 / bits;
    for (uint32_t k = 0; k < 8 * in_word; k++) // bits below those of tf32 are not looked at
        out[k] = fpsan_decode(element_format(operand_rows[kind].type),
                              words[k / in_word] >> k % in_word * bits & info->used);
}

static void compute_floats(uint32_t kind_a, uint32_t kind_b, const MmaWords *words, uint32_t *const sums[SIMT_WARP]) {
    double a[MMA_M][MMA_K_MAX], b[MMA_N][MMA_K_MAX], columns[MMA_K_MAX][MMA_N];
    const uint32_t depth = 8 * (32 / element_info(operand_rows[kind_a].type)->storage_bits);
    for (uint32_t m = 0; m < MMA_M; m++) widen_floats(kind_a, words->a[m], a[m]);
    for (uint32_t n = 0; n < MMA_N; n++) {
        widen_floats(kind_b, words->b[n], b[n]);
        for (uint32_t k = 0; k < depth; k++) columns[k][n] = b[n][k];
    }
    for (uint32_t m = 0; m < MMA_M; m++) {
        double line[MMA_N];
        for (uint32_t n = 0; n < MMA_N; n++) line[n] = (double)bits_float(sums[m % 8 * 4 + n / 2][m / 8 * 2 + n % 2]);
        for (uint32_t k = 0; k < depth; k++)
            for (uint32_t n = 0; n < MMA_N; n++) line[n] += a[m][k] * columns[k][n];
        for (uint32_t n = 0; n < MMA_N; n++) sums[m % 8 * 4 + n / 2][m / 8 * 2 + n % 2] = sum_bits((float)line[n]);
    }
}

void simt_mma_compute(uint32_t kind_a, uint32_t kind_b, const uint32_t *const a[SIMT_WARP],
                      const uint32_t *const b[SIMT_WARP], uint32_t *const sums[SIMT_WARP]) {
    MmaWords words;
    gather_words(a, b, &words);
    if (!element_is_float(operand_rows[kind_a].type))
        compute_integers(kind_a, kind_b, &words, sums);
    else
        compute_floats(kind_a, kind_b, &words, sums);
}
