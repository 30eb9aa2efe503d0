// SPDX-License-Identifier: Apache-2.0
// Kernels that use copy engines and tensor cores, as C functions. Floats in registers are in a form of their own:
// from_bits multiplies by an odd number. Products are of integers mod 2^32, of the elements' bits as they are.
#ifndef CONGRUENT_TEST_TENSOR_LAB_H
#define CONGRUENT_TEST_TENSOR_LAB_H

#include "tests/runtime/warp_lab.h"

static const KernelPlace tensor_lab_places[] = {
    {.op = "alloc", .at = {.file = "t.ptx", .line = 1}},      {.op = "dealloc", .at = {.file = "t.ptx", .line = 2}},
    {.op = "relinquish", .at = {.file = "t.ptx", .line = 3}}, {.op = "ld", .at = {.file = "t.ptx", .line = 4}},
    {.op = "st", .at = {.file = "t.ptx", .line = 5}},         {.op = "wait", .at = {.file = "t.ptx", .line = 6}},
    {.op = "mma", .at = {.file = "t.ptx", .line = 7}},        {.op = "mma_b", .at = {.file = "t.ptx", .line = 8}},
    {.op = "cp", .at = {.file = "t.ptx", .line = 9}},         {.op = "shift", .at = {.file = "t.ptx", .line = 10}},
    {.op = "commit", .at = {.file = "t.ptx", .line = 11}},    {.op = "fence", .at = {.file = "t.ptx", .line = 12}},
    {.op = "tma_load", .at = {.file = "t.ptx", .line = 13}},  {.op = "tma_store", .at = {.file = "t.ptx", .line = 14}},
    {.op = "cp.async", .at = {.file = "t.ptx", .line = 15}},  {.op = "group", .at = {.file = "t.ptx", .line = 16}},
    {.op = "wgmma", .at = {.file = "t.ptx", .line = 17}},     {.op = "wgmma_b", .at = {.file = "t.ptx", .line = 18}},
    {.op = "replace", .at = {.file = "t.ptx", .line = 19}},   {.op = "bulk", .at = {.file = "t.ptx", .line = 20}},
    {.op = "st.shared", .at = {.file = "t.ptx", .line = 21}}, {.op = "ld.shared", .at = {.file = "t.ptx", .line = 22}},
    {.op = "mbarrier", .at = {.file = "t.ptx", .line = 23}},
};
enum {
    AT_ALLOC = 1,
    AT_FREE,
    AT_RELINQUISH,
    AT_LD,
    AT_ST,
    AT_WAIT,
    AT_MMA,
    AT_MMA_B,
    AT_CP,
    AT_SHIFT,
    AT_COMMIT,
    AT_FENCE,
    AT_TMA_LOAD,
    AT_TMA_STORE,
    AT_CP_ASYNC,
    AT_GROUP,
    AT_WGMMA,
    AT_WGMMA_B,
    AT_REPLACE,
    AT_BULK,
    AT_STORE,
    AT_LOAD,
    AT_MBARRIER,
};

// ---- numbers

static inline uint32_t tensor_hash(uint32_t a, uint32_t b) {
    uint64_t x = a * UINT64_C(0x9E3779B97F4A7C15) + b * UINT64_C(0xC2B2AE3D27D4EB4F);
    x ^= x >> 29;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(x >> 32);
}

#define FORM_FACTOR UINT32_C(0x9E3779B1)
static inline uint32_t form_inverse(void) {
    uint32_t x = FORM_FACTOR;
    for (int i = 0; i < 5; i++) x *= 2 - FORM_FACTOR * x;
    return x;
}
static inline uint32_t form_from_bits(uint32_t bits) {
    return bits * FORM_FACTOR + 12345;
}
static inline uint32_t form_to_bits(uint32_t form) {
    return (form - 12345) * form_inverse();
}
static inline void lab_from_bits(void *values, uint64_t count) {
    uint32_t *v = values;
    for (uint64_t i = 0; i < count; i++) v[i] = form_from_bits(v[i]);
}
static inline void lab_to_bits(void *values, uint64_t count) {
    uint32_t *v = values;
    for (uint64_t i = 0; i < count; i++) v[i] = form_to_bits(v[i]);
}

// One element of an operand. `bytes`: of an element.
static inline uint32_t dense_at(const void *dense, uint32_t bytes, uint32_t index) {
    uint32_t value = 0;
    memcpy(&value, (const uint8_t *)dense + (size_t)index * bytes, bytes);
    return value;
}

static inline void lab_multiply(const WarpProductJob *job, uint32_t bytes_a, uint32_t bytes_b) {
    for (uint32_t m = 0; m < job->rows; m++)
        for (uint32_t n = 0; n < job->columns; n++) {
            uint32_t *d = (uint32_t *)job->d + (size_t)m * job->d_stride + n, sum = 0;
            for (uint32_t k = 0; k < job->depth; k++) {
                uint32_t x = dense_at(job->a, bytes_a, m * job->depth + k) * (job->negate_a ? UINT32_MAX : 1);
                uint32_t y = dense_at(job->b, bytes_b, n * job->depth + k) * (job->negate_b ? UINT32_MAX : 1);
                if (job->scale_a) {
                    x *= job->scale_a[m * job->scale_count + k / (job->depth / job->scale_count)];
                    y *= job->scale_b[n * job->scale_count + k / (job->depth / job->scale_count)];
                }
                sum += x * y;
            }
            const uint32_t old = job->accumulate ? *d << job->scale_input_d : 0;
            *d = old + sum + job->saturate * 7 + job->signed_a * 11 + job->format_a * 13;
        }
}
static inline void lab_product_16(const WarpProductJob *job) {
    lab_multiply(job, 2, 2);
}
static inline void lab_product_8(const WarpProductJob *job) {
    lab_multiply(job, 1, 1);
}
static inline void lab_product_32(const WarpProductJob *job) {
    lab_multiply(job, 4, 4);
}

// ---- launches

static const WarpFunctions tensor_lab_functions = {.from_bits_f32 = lab_from_bits, .to_bits_f32 = lab_to_bits};

static inline WarpLab tensor_lab_open(WarpEntry *entry, uint32_t threads, uint32_t shared) {
    WarpLab lab = warp_lab_open(1, entry, threads, shared);
    lab.kernel.places = tensor_lab_places;
    lab.kernel.place_count = BASE_COUNT(tensor_lab_places);
    lab.kernel.warp_functions = &tensor_lab_functions;
    return lab;
}

// The launch fails with this text, in both schedules.
#define EXPECT_MISUSE(entry, threads, shared, number, expected)                                                        \
    do {                                                                                                               \
        WarpLab lab_ = tensor_lab_open(entry, threads, shared);                                                        \
        cr_expect_not(warp_lab_run(&lab_, number), "%s", expected);                                                    \
        cr_expect(strstr(lab_.text, expected), "%s\nis not in\n%s", expected, lab_.text);                              \
        warp_lab_close(&lab_);                                                                                         \
    } while (0)

// ---- operations

// `operands`: the same for all lanes.
static inline uint32_t tensor_operate(WarpState *w, uint32_t mask, WarpOperation operation, const uint64_t *operands,
                                      uint32_t count, void *data) {
    WarpLanes all[WARP_OPERANDS_MAX] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t l = 0; l < WARP_LANES; l++) all[i][l] = operands[i];
    return w->ops->operate(w, mask, &operation, all, data);
}
static inline uint32_t tensor_alloc(WarpState *w, uint32_t at, uint32_t columns) {
    const uint32_t details[] = {WARP_SHARED, 1};
    WarpOperation operation = {.place = AT_ALLOC, .kind = WARP_TENSOR_ALLOC};
    memcpy(operation.detail, details, sizeof details);
    const uint64_t operands[] = {WARP_SHARED_FIRST + at, columns};
    tensor_operate(w, w->alive, operation, operands, 2, NULL);
    return lab_load(w, w->alive, AT_LOAD, at, 0).lane[0];
}
static inline void tensor_free(WarpState *w, uint32_t address, uint32_t columns) {
    const uint64_t operands[] = {address, columns};
    tensor_operate(w, w->alive, (WarpOperation){.place = AT_FREE, .kind = WARP_TENSOR_FREE, .detail = {0, 1}}, operands,
                   2, NULL);
}
static inline void tensor_move(WarpState *w, bool load, uint32_t address, uint32_t shape, uint32_t times,
                               uint32_t packed, uint32_t offset, uint32_t *data) {
    const uint64_t operands[] = {address, offset};
    const WarpOperation operation = {.place = load ? AT_LD : AT_ST,
                                     .kind = load ? WARP_TENSOR_LOAD : WARP_TENSOR_STORE,
                                     .detail = {shape, times, packed}};
    tensor_operate(w, w->alive, operation, operands, 2, data);
}
static inline void tensor_wait(WarpState *w, bool store) {
    tensor_operate(w, w->alive, (WarpOperation){.place = AT_WAIT, .kind = WARP_TENSOR_WAIT, .detail = {store}}, NULL, 0,
                   NULL);
}
static inline void tensor_commit(WarpState *w, uint32_t at) {
    const uint64_t operands[] = {WARP_SHARED_FIRST + at, 0};
    const WarpOperation operation = {.place = AT_COMMIT, .kind = WARP_TENSOR_COMMIT, .detail = {WARP_SHARED, 1}};
    tensor_operate(w, 1, operation, operands, 2, NULL);
}

// Words of shared memory: word i is a hash of it. The warps share the work.
static inline void fill_shared(WarpState *w, uint32_t bytes, uint32_t seed) {
    for (uint32_t i = w->warp * 128; i < bytes; i += w->warps * 128) {
        LabWords words;
        for (uint32_t l = 0; l < WARP_LANES; l++) words.lane[l] = tensor_hash(i / 4 + l, seed);
        lab_store(w, w->alive, AT_STORE, i, 4, words);
    }
    lab_fence_async(w, w->alive);
}
static inline uint32_t filled_byte(uint32_t offset, uint32_t seed) {
    return tensor_hash(offset / 4, seed) >> offset % 4 * 8 & 255;
}

// A descriptor of tcgen05; `start` counts from the first byte of shared memory on.
static inline uint64_t tensor_matrix(uint32_t start, uint32_t lead, uint32_t stride, uint32_t swizzle) {
    return (uint64_t)(((WARP_SHARED_FIRST + start) >> 4) & 0x3FFF) | (uint64_t)(lead >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | UINT64_C(1) << 46 | (uint64_t)swizzle << 61;
}
static inline uint32_t tensor_instruction(uint32_t m, uint32_t n, uint32_t sums, uint32_t a, uint32_t b) {
    return sums << 4 | a << 7 | b << 10 | n / 8 << 17 | m / 16 << 24;
}

typedef struct LabMma {
    uint32_t place, kind, flags, scale_vectors;
    WarpProduct *product;
    uint64_t d, a, b, instruction, accumulate, scale_d, scales_a, scales_b, lanes[8];
} LabMma;
static inline void tensor_mma(WarpState *w, uint32_t mask, const LabMma *mma) {
    const uint64_t operands[] = {mma->d,          mma->a,        mma->b,        mma->instruction,
                                 mma->accumulate, mma->scale_d,  mma->scales_a, mma->scales_b,
                                 mma->lanes[0],   mma->lanes[1], mma->lanes[2], mma->lanes[3]};
    const WarpOperation operation = {.place = mma->place ? mma->place : AT_MMA,
                                     .kind = WARP_TENSOR_PRODUCT,
                                     .detail = {mma->kind, 1, mma->flags, mma->scale_vectors},
                                     .product = mma->product ? mma->product : lab_product_16};
    tensor_operate(w, mask, operation, operands, 12, NULL);
}

// Writes registers to buffer a: register r of lane l of warp w is word (w * registers + r) * 32 + l.
static inline void tensor_put(WarpState *w, const uint32_t *data, uint32_t registers, uint32_t first_word) {
    for (uint32_t r = 0; r < registers; r++) {
        LabWords words;
        memcpy(words.lane, data + WARP_LANES * r, sizeof words.lane);
        const uint64_t at = warp_lab_parameters(w)->a + (first_word + (w->warp * registers + r) * WARP_LANES) * 4ull;
        lab_store_as(w, w->alive, AT_STORE, WARP_GLOBAL, 0, at, 4, words);
    }
}

#endif
