// SPDX-License-Identifier: Apache-2.0
// wgmma: fragments and operands against the formulas for single elements, and what is wrong with how it is used.
#include "tests/runtime/tensor_lab.h"

#include <criterion/criterion.h>

enum { SHARED = 80 << 10, A_AT = 0, B_AT = 32 << 10, SEED = 9, REGISTERS_MAX = 128 + 4, BARRIER_AT = SHARED - 64 };

typedef struct GroupCase {
    const char *name;
    uint32_t n, bits, swizzle; // number of the descriptor: 0, 1 (128 bytes), 2, 3
    bool a_in_registers, half_sums, negate_a, negate_b, transpose_a, transpose_b, accumulate;
    uint32_t stride; // instead of the right one; 0: that
} GroupCase;
static const GroupCase group_cases[] = {
    {"f16 n128", 128, 16, 1, false, false, false, false, false, false, true, 0},
    {"f16 n256", 256, 16, 2, false, false, false, false, false, false, true, 0},
    {"f16 n8", 8, 16, 3, false, false, false, false, false, false, false, 0},
    {"f16 n24 no swizzle", 24, 16, 0, false, false, false, false, false, false, true, 0},
    {"transposed", 64, 16, 1, false, false, false, false, true, true, true, 0},
    {"negated", 64, 16, 1, false, false, true, true, false, false, true, 0},
    {"a in registers", 64, 16, 1, true, false, false, true, false, true, true, 0},
    {"f8", 64, 8, 1, false, false, false, false, false, false, true, 0},
    {"f8 registers", 64, 8, 1, true, false, false, false, false, false, false, 0},
    {"tf32", 64, 32, 1, false, false, false, false, false, false, true, 0},
    {"tf32 registers", 64, 32, 1, true, false, false, false, false, false, true, 0},
    {"f16 sums", 72, 16, 1, false, true, false, false, false, false, true, 0},
    {"f16 sums, registers", 64, 16, 1, true, true, false, false, false, false, false, 0},
};

static uint32_t element_mask(uint32_t bits) {
    return bits == 32 ? UINT32_MAX : (1u << bits) - 1;
}

static uint32_t span_of(const GroupCase *c) {
    return (uint32_t[]){16, 128, 64, 32}[c->swizzle];
}

static void strides_of(const GroupCase *c, bool transposed, uint32_t rows, uint32_t *lead, uint32_t *stride) {
    const uint32_t span = span_of(c);
    *lead = span == 16 ? 128 : transposed ? 8 * span : 0;
    *stride = c->stride    ? c->stride
              : span == 16 ? 256
              : transposed ? (rows * 2 + span - 1) / span * 8 * span
                           : 8 * span;
}

static uint64_t group_matrix(const GroupCase *c, uint32_t start, bool transposed, uint32_t rows) {
    uint32_t lead, stride;
    strides_of(c, transposed, rows, &lead, &stride);
    return (uint64_t)((WARP_SHARED_FIRST + start) >> 4) | (uint64_t)(lead >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           (uint64_t)c->swizzle << 62;
}

static uint32_t model_element(const GroupCase *c, uint32_t start, bool transposed, uint32_t rows, uint32_t r,
                              uint32_t k) {
    const uint32_t span = span_of(c), none = span == 16, bytes = c->bits / 8, kb = k * bytes, rb = r * bytes;
    uint32_t lead, stride, a, value = 0;
    strides_of(c, transposed, rows, &lead, &stride);
    if (transposed)
        a = none ? rb % 16 + rb / 16 * stride + k % 8 * 16 + k / 8 * lead
                 : rb % span + rb / span * lead + k % 8 * span + k / 8 * stride;
    else
        a = r % 8 * span + r / 8 * stride + (none ? kb / 16 * lead + kb % 16 : kb);
    a += WARP_SHARED_FIRST + start;
    a = (a ^ (a >> 7 & (span / 16 - 1)) << 4) - WARP_SHARED_FIRST;
    for (uint32_t i = 0; i < bytes; i++) value |= filled_byte(a + i, SEED) << 8 * i;
    return value;
}

static uint32_t register_word(uint32_t warp, uint32_t index) {
    return tensor_hash(index, warp + 1000);
}

static uint32_t sum_registers(const GroupCase *c) {
    return c->half_sums ? c->n / 4 : c->n / 2;
}

static uint32_t model_a(const GroupCase *c, uint32_t warp, uint32_t r, uint32_t k) {
    if (!c->a_in_registers) return model_element(c, A_AT, c->transpose_a, 64, 16 * (warp % 4) + r, k);
    // mma.m16n8k(32 bytes): register i of lane l has row l / 4 + 8 (i % 2) and `per` elements.
    const uint32_t per = 32 / c->bits, depth = 256 / c->bits;
    const uint32_t i = r / 8 + 2 * (k / (depth / 2)), l = r % 8 * 4 + k % (depth / 2) / per;
    return register_word(warp, (sum_registers(c) + i) * 32 + l) >> k % per * c->bits & element_mask(c->bits);
}

static uint32_t model_sum(const GroupCase *c, uint32_t warp, uint32_t r, uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 256 / c->bits; k++)
        sum += model_a(c, warp, r, k) * model_element(c, B_AT, c->transpose_b, c->n, n, k);
    return c->negate_a != c->negate_b ? 0 - sum : sum;
}

// The word of register i of lane l after two products.
static uint32_t model_register(const GroupCase *c, uint32_t warp, uint32_t i, uint32_t l) {
    const uint32_t old = c->accumulate ? register_word(warp, 32 * i + l) : 0;
    if (!c->half_sums) return old + 2 * model_sum(c, warp, l / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (l % 4) + i % 2);
    const uint32_t r = l / 4 + 8 * (i % 2), n = 8 * (i / 2) + 2 * (l % 4);
    const uint32_t low = old + 2 * model_sum(c, warp, r, n), high = (old >> 16) + 2 * model_sum(c, warp, r, n + 1);
    return (low & 0xFFFF) | high << 16;
}

static void half_product(const WarpProductJob *job) {
    for (uint32_t m = 0; m < job->rows; m++)
        for (uint32_t n = 0; n < job->columns; n++) {
            uint16_t *d = (uint16_t *)job->d + m * job->d_stride + n;
            uint32_t sum = job->accumulate ? *d : 0;
            for (uint32_t k = 0; k < job->depth; k++)
                sum += dense_at(job->a, 2, m * job->depth + k) * dense_at(job->b, 2, n * job->depth + k);
            *d = (uint16_t)sum;
        }
}

// ---- operations

static void group_operate(WarpState *w, uint32_t kind, uint32_t detail) {
    tensor_operate(w, w->alive, (WarpOperation){.place = AT_GROUP, .kind = kind, .detail = {detail}}, NULL, 0, NULL);
}

static WarpProduct *product_of(const GroupCase *c) {
    return c->half_sums ? half_product : c->bits == 16 ? lab_product_16 : c->bits == 8 ? lab_product_8 : lab_product_32;
}

static void wgmma(WarpState *w, uint32_t place, const GroupCase *c, bool accumulate, uint32_t *data) {
    const uint64_t operands[] = {group_matrix(c, A_AT, c->transpose_a, 64),
                                 group_matrix(c, B_AT, c->transpose_b, c->n),
                                 accumulate,
                                 c->negate_a ? UINT32_MAX : 1,
                                 c->negate_b ? UINT32_MAX : 1,
                                 c->transpose_a,
                                 c->transpose_b};
    const WarpOperation operation = {
        .place = place,
        .kind = WARP_WGMMA,
        .detail = {c->n, 256 / c->bits, c->bits, c->bits, sum_registers(c), c->a_in_registers, c->half_sums},
        .product = product_of(c)};
    tensor_operate(w, w->alive, operation, operands, 7, data);
}

static uint32_t data[8][REGISTERS_MAX * 32];

static void multiply(WarpState *w) {
    const GroupCase *c = &group_cases[warp_lab_parameters(w)->number];
    uint32_t *mine = data[w->warp];
    fill_shared(w, 64 << 10, SEED);
    lab_barrier(w, 0, 0);
    for (uint32_t i = 0; i < REGISTERS_MAX * 32; i++) mine[i] = register_word(w->warp, i);
    group_operate(w, WARP_WGMMA_FENCE, 0);
    wgmma(w, AT_WGMMA, c, c->accumulate, mine);
    wgmma(w, AT_WGMMA_B, c, true, mine);
    group_operate(w, WARP_WGMMA_COMMIT, 0);
    group_operate(w, WARP_WGMMA_WAIT, 0);
    lab_barrier(w, 0, 0);
    fill_shared(w, 64 << 10, SEED + 1); // nobody reads the operands any more
    lab_end(w);
}

Test(warp_wgmma, fragments_and_operands) {
    WarpLab lab = tensor_lab_open(multiply, 256, SHARED);
    for (int reverse = 0; reverse < 2; reverse++)
        for (size_t i = 0; i < BASE_COUNT(group_cases); i++) {
            const GroupCase *c = &group_cases[i];
            lab.threads.reverse = reverse;
            cr_assert(warp_lab_run(&lab, i), "%s: %s", c->name, lab.text);
            for (uint32_t warp = 0; warp < 8; warp++)
                for (uint32_t word = 0; word < sum_registers(c) * 32; word++)
                    cr_assert_eq(data[warp][word], model_register(c, warp, word / 32, word % 32),
                                 "%s: warp %u register %u lane %u", c->name, warp, word / 32, word % 32);
        }
    warp_lab_close(&lab);
}

// ---- misuse

enum {
    WITHOUT_FENCE = 1,
    WITHOUT_PROXY_FENCE,
    WITHOUT_WAIT,
    WITHOUT_COMMIT,
    WAIT_FOR_FEWER,
    DIFFERENT_DESCRIPTORS,
    DIFFERENT_PLACES,
    MISSING_WARP,
    OUTSIDE,
    FAR_ROWS, // those of the first warp are inside
    NEVER_WAITED,
};

static void misuse(WarpState *w) {
    const uint64_t number = warp_lab_parameters(w)->number;
    GroupCase c = group_cases[0];
    uint32_t *mine = data[w->warp];
    for (uint32_t i = w->warp * 128; i < 64 << 10; i += w->warps * 128)
        lab_store(w, w->alive, AT_STORE, i, 4, lab_all(i));
    if (number != WITHOUT_PROXY_FENCE) lab_fence_async(w, w->alive);
    lab_barrier(w, 0, 0);
    if (number == MISSING_WARP && w->warp == 2) {
        lab_end(w);
        return;
    }
    if (number != WITHOUT_FENCE) group_operate(w, WARP_WGMMA_FENCE, 0);
    if (number == DIFFERENT_DESCRIPTORS && w->warp == 1) c.negate_b = true;
    if (number == OUTSIDE) c.n = 256, c.swizzle = 0;
    if (number == FAR_ROWS) c.n = 32, c.a_in_registers = true, c.stride = 0x3FFF0;
    wgmma(w, number == DIFFERENT_PLACES && w->warp == 3 ? AT_WGMMA_B : AT_WGMMA, &c, false, mine);
    if (number != WITHOUT_COMMIT) group_operate(w, WARP_WGMMA_COMMIT, 0);
    if (number != WITHOUT_WAIT && number != NEVER_WAITED) group_operate(w, WARP_WGMMA_WAIT, number == WAIT_FOR_FEWER);
    lab_barrier(w, 0, 0);
    if (number != NEVER_WAITED) lab_store(w, w->alive, AT_STORE, B_AT + w->warp * 128, 4, lab_all(1));
    lab_end(w);
}

Test(warp_wgmma, what_is_wrong_is_found) {
    EXPECT_MISUSE(misuse, 128, SHARED, WITHOUT_FENCE, "wgmma (t.ptx:17): no wgmma.fence comes before it");
    EXPECT_MISUSE(misuse, 128, SHARED, WITHOUT_PROXY_FENCE,
                  "wgmma (t.ptx:17) at byte 0 of shared memory, which warp 0 lane 0 in st.shared (t.ptx:21) wrote; a "
                  "fence.proxy.async is missing");
    EXPECT_MISUSE(misuse, 128, SHARED, WITHOUT_WAIT, "is known that what wgmma (t.ptx:17) does there is done");
    EXPECT_MISUSE(misuse, 128, SHARED, WITHOUT_COMMIT, "is known that what wgmma (t.ptx:17) does there is done");
    EXPECT_MISUSE(misuse, 128, SHARED, WAIT_FOR_FEWER, "is known that what wgmma (t.ptx:17) does there is done");
    EXPECT_MISUSE(misuse, 128, SHARED, DIFFERENT_DESCRIPTORS, "but operand 4 is 0xffffffff and 0x1");
    EXPECT_MISUSE(misuse, 128, SHARED, DIFFERENT_PLACES, "are different instructions");
    EXPECT_MISUSE(misuse, 128, SHARED, MISSING_WARP, "of its warpgroup: warp 2 has not come");
    EXPECT_MISUSE(misuse, 96, SHARED, 0, "takes all four warps of a warpgroup, but warp 3 has ended or does not exist");
    EXPECT_MISUSE(misuse, 128, 48 << 10, OUTSIDE, "of shared memory");
    EXPECT_MISUSE(misuse, 128, SHARED, FAR_ROWS, "warp 1 in wgmma (t.ptx:17) at byte 294784 of shared memory");
    EXPECT_MISUSE(misuse, 128, SHARED, NEVER_WAITED, "the warp ends without a wgmma.wait_group for it");
    WarpLab lab = tensor_lab_open(misuse, 128, SHARED);
    cr_expect(warp_lab_run(&lab, 0), "%s", lab.text);
    warp_lab_close(&lab);
}
