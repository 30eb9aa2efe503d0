// SPDX-License-Identifier: Apache-2.0
// The functions that wgmma and tcgen05.mma hand to those who run warps (WarpProduct), of every kind, against plain
// loops; and the converters of sums (WarpConvert).
#include "float_lab.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS_MAX = 128, COLUMNS_MAX = 256, DEPTH_MAX = 96, STRIDE = 264 };

typedef struct ProductCase {
    const char *text; // the instruction, with registers of the kernel below
    const char *target;
    unsigned depth;
    FpsanFormat a, b, sum; // FPSAN_FORMAT_COUNT: bytes, sums of 32 bits
    bool signed_a, signed_b, saturate;
    unsigned scales;
    bool scale_ue4m3, by_job;
} ProductCase;

#define WGMMA(types, registers, tail)                                                                                  \
    "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k" types " " registers ", %q0, %q1, %go" tail ";"
#define FOUR         "{%w0, %w1, %w2, %w3}"
#define TWO          "{%w0, %w1}"
#define SIGNS        ", 1, 1"
#define TENSOR(kind) "tcgen05.mma.cta_group::1." kind " [%w0], %q0, %q1, %w1, %go;"
#define SCALED(kind) "tcgen05.mma.cta_group::1." kind " [%w0], %q0, %q1, %w1, [%w2], [%w3], %go;"
#define INTEGER      FPSAN_FORMAT_COUNT
static const ProductCase cases[] = {
    {WGMMA("16.f32.f16.f16", FOUR, SIGNS ", 0, 0"), "sm_90a", 16, FPSAN_F16, FPSAN_F16, .sum = FPSAN_F32},
    {WGMMA("16.f32.bf16.bf16", FOUR, SIGNS ", 0, 0"), "sm_90a", 16, FPSAN_BF16, FPSAN_BF16, .sum = FPSAN_F32},
    {WGMMA("16.f16.f16.f16", TWO, SIGNS ", 0, 0"), "sm_90a", 16, FPSAN_F16, FPSAN_F16, .sum = FPSAN_F16},
    {WGMMA("8.f32.tf32.tf32", FOUR, SIGNS), "sm_90a", 8, FPSAN_TF32, FPSAN_TF32, .sum = FPSAN_F32},
    {WGMMA("32.f32.e4m3.e5m2", FOUR, SIGNS), "sm_90a", 32, FPSAN_F8E4M3FN, FPSAN_F8E5M2, .sum = FPSAN_F32},
    {WGMMA("32.f16.e5m2.e5m2", TWO, SIGNS), "sm_90a", 32, FPSAN_F8E5M2, FPSAN_F8E5M2, .sum = FPSAN_F16},
    {WGMMA("32.s32.s8.u8", FOUR, ""), "sm_90a", 32, INTEGER, INTEGER, .sum = INTEGER, .signed_a = true},
    {WGMMA("32.satfinite.s32.u8.u8", FOUR, ""), "sm_90a", 32, INTEGER, INTEGER, .sum = INTEGER, .saturate = true},
    {TENSOR("kind::f16"), "sm_100a", 16, FPSAN_F16, FPSAN_BF16, .sum = FPSAN_F32, .by_job = true},
    {TENSOR("kind::tf32"), "sm_100a", 8, FPSAN_TF32, FPSAN_TF32, .sum = FPSAN_F32, .by_job = true},
    {TENSOR("kind::f8f6f4"), "sm_100a", 32, FPSAN_F6E2M3FN, FPSAN_F8E5M2, .sum = FPSAN_F32, .by_job = true},
    {TENSOR("kind::f8f6f4"), "sm_100a", 32, FPSAN_F4E2M1FN, FPSAN_F6E3M2FN, .sum = FPSAN_F32, .by_job = true},
    {TENSOR("kind::i8"), "sm_100a", 32, INTEGER, INTEGER, .sum = INTEGER, .signed_b = true, .saturate = true,
     .by_job = true},
    {SCALED("kind::mxf8f6f4.block_scale"), "sm_100a", 32, FPSAN_F8E4M3FN, FPSAN_F4E2M1FN, .sum = FPSAN_F32, .scales = 1,
     .by_job = true},
    {SCALED("kind::mxf4.block_scale"), "sm_100a", 64, FPSAN_F4E2M1FN, FPSAN_F4E2M1FN, .sum = FPSAN_F32, .scales = 2,
     .by_job = true},
    {SCALED("kind::mxf4nvf4.block_scale.block16"), "sm_100a", 64, FPSAN_F4E2M1FN, FPSAN_F4E2M1FN, .sum = FPSAN_F32,
     .scales = 4, .scale_ue4m3 = true, .by_job = true},
    {SCALED("kind::mxf4nvf4.block_scale.block16"), "sm_100a", 96, FPSAN_F4E2M1FN, FPSAN_F4E2M1FN, .sum = FPSAN_F32,
     .scales = 6, .scale_ue4m3 = true, .by_job = true},
};
enum { CASES = BASE_COUNT(cases) };

// ---- kernels

static void open_lab(Lab *lab, const ProductCase *c, CompileNumeric numeric) {
    Buffer text = {0}, messages = {0};
    buffer_print(&text,
                 ".version 9.2\n.target %s\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%w<4>;\n"
                 ".reg .b64 %%q<2>; .reg .pred %%go;\nsetp.eq.u32 %%go, 1, 1;\n%s\nret;\n}\n",
                 c->target, c->text);
    const bool good = lab_open(lab, text.data, numeric);
    if (!good) diag_print(&lab->diagnostics.items[0], &messages);
    cr_assert(good, "%s\n%s", messages.data, text.data);
    buffer_free(&text);
    buffer_free(&messages);
}

// ---- jobs

typedef struct Work {
    const ProductCase *c;
    bool payload;
    uint64_t state;
    WarpProductJob job;
    _Alignas(64) uint8_t a[ROWS_MAX * DEPTH_MAX * 4], b[COLUMNS_MAX * DEPTH_MAX * 4];
    uint8_t scale_a[ROWS_MAX * 8], scale_b[COLUMNS_MAX * 8];
    uint32_t before[ROWS_MAX * STRIDE], d[ROWS_MAX * STRIDE];
} Work;
static Work work;

static unsigned bytes_of(FpsanFormat format) {
    return format == INTEGER ? 1 : (fpsan_format_info(format)->storage_bits + 7) / 8;
}

static uint64_t element_at(const uint8_t *elements, FpsanFormat format, size_t index) {
    uint64_t bits = 0;
    memcpy(&bits, elements + index * bytes_of(format), bytes_of(format));
    return bits;
}

static unsigned sum_bytes(const ProductCase *c) {
    return c->sum == FPSAN_F16 ? 2 : 4;
}

static uint64_t sum_at(const uint32_t *sums, const ProductCase *c, size_t index) {
    uint64_t bits = 0;
    memcpy(&bits, (const char *)sums + index * sum_bytes(c), sum_bytes(c));
    return bits;
}

static void fill_elements(uint8_t *elements, FpsanFormat format, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = lab_random(&work.state);
        if (format != INTEGER) bits = sample_float(format == FPSAN_TF32 ? FPSAN_F32 : format, &work.state);
        // Few infinities and NaNs.
        if (format != INTEGER && fpsan_format_info(format)->bits >= 16 && lab_random(&work.state) % 1024)
            bits = fpsan_encode_nearest(format == FPSAN_TF32 ? FPSAN_F32 : format, ldexp((double)(int8_t)bits, -6));
        memcpy(elements + i * bytes_of(format), &bits, bytes_of(format));
    }
}

static void fill_sums(void) {
    const ProductCase *c = work.c;
    for (size_t i = 0; i < BASE_COUNT(work.before); i++) {
        uint64_t bits = lab_random(&work.state);
        if (!work.payload && c->sum != INTEGER) bits = fpsan_encode_nearest(c->sum, ldexp((double)(int8_t)bits, 2));
        if (c->saturate && bits % 2) bits = bits % 4 == 1 ? INT32_MAX - bits % 1000 : INT32_MIN + bits % 1000;
        memcpy((char *)work.before + i * sum_bytes(c), &bits, sum_bytes(c));
        if (i * sum_bytes(c) + 4 >= sizeof work.before) break;
    }
}

static void make_job(unsigned rows, unsigned columns, bool plain) {
    const ProductCase *c = work.c;
    fill_elements(work.a, c->a, (size_t)rows * c->depth);
    fill_elements(work.b, c->b, (size_t)columns * c->depth);
    fill_sums();
    for (size_t i = 0; i < sizeof work.scale_b; i++) {
        const uint8_t scale = (uint8_t)((c->scale_ue4m3 ? 0x30 : 120) + lab_random(&work.state) % 12);
        work.scale_b[i] = lab_random(&work.state) % 16 ? scale : 0;
        if (i < sizeof work.scale_a) work.scale_a[i] = (uint8_t)(scale ^ (i & 3));
    }
    const bool floats = c->sum != INTEGER;
    work.job = (WarpProductJob){.rows = rows,
                                .columns = columns,
                                .depth = c->depth,
                                .a = work.a,
                                .b = work.b,
                                .d = work.d,
                                .d_stride = STRIDE,
                                .accumulate = plain || lab_random(&work.state) % 4,
                                .negate_a = !plain && floats && lab_random(&work.state) % 2,
                                .negate_b = !plain && floats && lab_random(&work.state) % 4 == 0,
                                .scale_a = c->scales ? work.scale_a : NULL,
                                .scale_b = c->scales ? work.scale_b : NULL,
                                .scale_count = c->scales,
                                .scale_ue4m3 = c->scale_ue4m3};
    if (!plain && c->by_job && c->sum == FPSAN_F32 && !c->scales) work.job.scale_input_d = lab_random(&work.state) % 16;
    if (!c->by_job) return;
    work.job.format_a = c->a;
    work.job.format_b = c->b;
    work.job.signed_a = c->signed_a;
    work.job.signed_b = c->signed_b;
    work.job.saturate = c->saturate;
}

// ---- one element

static double number_at(const uint8_t *elements, FpsanFormat format, size_t index, const uint8_t *scale) {
    uint64_t bits = element_at(elements, format, index);
    if (format == FPSAN_TF32) bits &= ~UINT64_C(0x1fff);
    double value = fpsan_decode(format, bits);
    if (scale) value *= fpsan_decode(work.c->scale_ue4m3 ? FPSAN_F8E4M3FN : FPSAN_F8E8M0FNU, *scale);
    return value;
}

static const uint8_t *scale_at(const uint8_t *scales, unsigned line, unsigned k) {
    const ProductCase *c = work.c;
    return c->scales ? &scales[line * c->scales + k * c->scales / c->depth] : NULL;
}

static uint64_t real_sum(unsigned row, unsigned column, uint64_t old) {
    const ProductCase *c = work.c;
    const double sign = work.job.negate_a == work.job.negate_b ? 1 : -1;
    double sum = work.job.accumulate ? ldexp(fpsan_decode(c->sum, old), -(int)work.job.scale_input_d) : 0;
    for (unsigned k = 0; k < c->depth; k++)
        sum = fma(sign * number_at(work.a, c->a, row * c->depth + k, scale_at(work.scale_a, row, k)),
                  number_at(work.b, c->b, column * c->depth + k, scale_at(work.scale_b, column, k)), sum);
    return fpsan_encode_nearest(c->sum, sum);
}

static int64_t integer_at(const uint8_t *elements, size_t index, bool is_signed) {
    return is_signed ? (int64_t)(int8_t)elements[index] : elements[index];
}

static uint64_t integer_sum(unsigned row, unsigned column, uint64_t old) {
    const ProductCase *c = work.c;
    int64_t sum = work.job.accumulate ? (int32_t)old : 0;
    for (unsigned k = 0; k < c->depth; k++)
        sum += integer_at(work.a, row * c->depth + k, c->signed_a) *
               integer_at(work.b, column * c->depth + k, c->signed_b);
    if (c->saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

// The payload of a factor, cast to the ring of the sum.
static uint64_t payload_at(const uint8_t *elements, FpsanFormat format, size_t index, const uint8_t *scale,
                           bool negate) {
    const FpsanAlgebra algebra = fpsan_default_algebra();
    const FpsanFormat scale_format = work.c->scale_ue4m3 ? FPSAN_F8E4M3FN : FPSAN_F8E8M0FNU;
    FpsanFormat ring = format;
    uint64_t p = fpsan_embed(algebra.profile, format, element_at(elements, format, index));
    if (scale) {
        p = fpsan_scaled_operand(&algebra, format, scale_format, FPSAN_BF16, p,
                                 fpsan_embed(algebra.profile, scale_format, *scale));
        ring = FPSAN_BF16;
    }
    p = fpsan_cast(&algebra, ring, work.c->sum, p, FPSAN_NEAREST_EVEN);
    return negate ? 0 - p : p;
}

static uint64_t payload_sum(unsigned row, unsigned column, uint64_t old) {
    const ProductCase *c = work.c;
    const uint64_t factor =
        fpsan_embed(fpsan_default_algebra().profile, FPSAN_F32, (127 - (uint64_t)work.job.scale_input_d) << 23);
    uint64_t sum = work.job.accumulate ? old * (c->sum == FPSAN_F32 ? factor : 1) : 0;
    for (unsigned k = 0; k < c->depth; k++)
        sum += payload_at(work.a, c->a, row * c->depth + k, scale_at(work.scale_a, row, k), work.job.negate_a) *
               payload_at(work.b, c->b, column * c->depth + k, scale_at(work.scale_b, column, k), work.job.negate_b);
    return sum & (c->sum == FPSAN_F16 ? 0xffff : UINT32_MAX);
}

static void check_job(void) {
    const ProductCase *c = work.c;
    for (unsigned m = 0; m < work.job.rows; m++)
        for (unsigned n = 0; n < STRIDE; n++) {
            const uint64_t old = sum_at(work.before, c, m * STRIDE + n), got = sum_at(work.d, c, m * STRIDE + n);
            const bool outside = n >= work.job.columns;
            const uint64_t want = outside             ? old
                                  : c->sum == INTEGER ? integer_sum(m, n, old)
                                  : work.payload      ? payload_sum(m, n, old)
                                                      : real_sum(m, n, old);
            const bool real = !work.payload && !outside && c->sum != INTEGER;
            cr_assert(real ? are_same(c->sum, got, want) : got == want, "%s: row %u, column %u is %#lx, not %#lx",
                      c->text, m, n, got, want);
        }
}

static uint32_t try_product(LabRun *run, uint32_t mask, const WarpOperation *operation, WarpLanes *operands,
                            void *data) {
    static const unsigned shapes[][2] = {{64, 8}, {128, 24}, {32, 64}, {64, 256}};
    (void)run, (void)operands, (void)data;
    if (operation->kind == WARP_WGMMA_FENCE) return mask;
    cr_assert(operation->kind == WARP_WGMMA || operation->kind == WARP_TENSOR_PRODUCT);
    for (size_t i = 0; i < BASE_COUNT(shapes); i++) {
        make_job(shapes[i][0], shapes[i][1], false);
        memcpy(work.d, work.before, sizeof work.d);
        operation->product(&work.job);
        check_job();
    }
    return mask;
}

static void check_all(CompileNumeric numeric, LabOperate *operate) {
    static LabRun run;
    for (unsigned i = 0; i < CASES; i++) {
        Lab lab;
        work.c = &cases[i];
        work.payload = numeric == COMPILE_PAYLOAD;
        open_lab(&lab, &cases[i], numeric);
        run = (LabRun){.operate = operate};
        cr_assert(lab_run(&lab, "k", &run) && run.call_count >= 1);
        lab_close(&lab);
    }
}

Test(float_product, is_that_of_doubles) {
    check_all(COMPILE_IEEE, try_product);
}

Test(float_product, is_that_of_the_algebra) {
    check_all(COMPILE_PAYLOAD, try_product);
}

// ---- converters

Test(float_product, sums_become_bits_and_back) {
    enum { COUNT = 77 };
    static const ProductCase tensor = {TENSOR("kind::f16"), "sm_100a", 16, FPSAN_F16, FPSAN_F16, .sum = FPSAN_F32};
    const FpsanProfile *profile = fpsan_default_algebra().profile;
    uint32_t bits[COUNT], values[COUNT];
    uint64_t state = 8;
    Lab lab;
    open_lab(&lab, &tensor, COMPILE_PAYLOAD);
    const WarpFunctions *functions = lab.module->kernels[0].warp_functions;
    for (unsigned i = 0; i < COUNT; i++) values[i] = bits[i] = (uint32_t)sample_float(FPSAN_F32, &state);
    functions->from_bits_f32(values, COUNT - 1);
    for (unsigned i = 0; i < COUNT - 1; i++) cr_assert(values[i] == fpsan_embed(profile, FPSAN_F32, bits[i]));
    cr_assert(values[COUNT - 1] == bits[COUNT - 1]);
    functions->to_bits_f32(values, COUNT - 1);
    cr_assert(!memcmp(values, bits, sizeof bits));
    lab_close(&lab);
    open_lab(&lab, &tensor, COMPILE_IEEE);
    cr_assert(!lab.module->kernels[0].warp_functions->from_bits_f32);
    lab_close(&lab);
}

// ---- speed: CONGRUENT_TIME=1 prints it

static uint32_t time_product(LabRun *run, uint32_t mask, const WarpOperation *operation, WarpLanes *operands,
                             void *data) {
    enum { TURNS = 2000 };
    struct timespec from, to;
    (void)run, (void)operands, (void)data;
    make_job(128, 128, true);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (unsigned i = 0; i < TURNS; i++) operation->product(&work.job);
    clock_gettime(CLOCK_MONOTONIC, &to);
    const double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    printf("%-95.95s %6.2f us, %6.1f G multiply-adds a second\n", work.c->text, 1e6 * seconds / TURNS,
           128. * 128 * work.c->depth * TURNS / seconds * 1e-9);
    return mask;
}

Test(float_product, speed) {
    if (!getenv("CONGRUENT_TIME")) return;
    check_all(COMPILE_PAYLOAD, time_product);
    check_all(COMPILE_IEEE, time_product);
}
