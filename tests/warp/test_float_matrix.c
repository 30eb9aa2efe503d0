// SPDX-License-Identifier: Apache-2.0
// mma.sync and wmma against plain loops over matrices that are taken from registers by the ISA's formulas.
#include "float_lab.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { M_MAX = 32, N_MAX = 32, K_MAX = 256, REGISTERS_MAX = 16 };

// Elements of a matrix, in the lowest bits; integers as they are.
typedef struct Element {
    FpsanFormat format; // FPSAN_FORMAT_COUNT: integers
    unsigned bits, shift;
    bool is_signed;
} Element;

typedef struct MatrixCase {
    const char *op;
    unsigned m, n, k;
    Element a, b;
    FpsanFormat sum; // FPSAN_FORMAT_COUNT: s32
    bool saturate, exclusive, a_by_column, b_by_column;
    unsigned scales, byte_a, thread_a, byte_b, thread_b; // block scales
    FpsanFormat scale;
} MatrixCase;

#define INTEGER FPSAN_FORMAT_COUNT
#define F16_                                                                                                           \
    { FPSAN_F16, 16, 0, true }
#define BF16_                                                                                                          \
    { FPSAN_BF16, 16, 0, true }
#define TF32_                                                                                                          \
    { FPSAN_TF32, 32, 0, true }
#define F64_                                                                                                           \
    { FPSAN_F64, 64, 0, true }
#define E4M3_                                                                                                          \
    { FPSAN_F8E4M3FN, 8, 0, true }
#define E5M2_                                                                                                          \
    { FPSAN_F8E5M2, 8, 0, true }
#define E2M3_                                                                                                          \
    { FPSAN_F6E2M3FN, 8, 0, true }
#define E3M2_                                                                                                          \
    { FPSAN_F6E3M2FN, 8, 0, true }
#define E2M1_                                                                                                          \
    { FPSAN_F4E2M1FN, 8, 2, true }
#define NIBBLE                                                                                                         \
    { FPSAN_F4E2M1FN, 4, 0, true }
#define S8_                                                                                                            \
    { INTEGER, 8, 0, true }
#define U8_                                                                                                            \
    { INTEGER, 8, 0, false }
#define S4_                                                                                                            \
    { INTEGER, 4, 0, true }
#define U4_                                                                                                            \
    { INTEGER, 4, 0, false }
#define B1_                                                                                                            \
    { INTEGER, 1, 0, false }
#define MMA "mma.sync.aligned."
static const MatrixCase cases[] = {
    {MMA "m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, F16_, F16_, .sum = FPSAN_F32},
    {MMA "m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, F16_, F16_, .sum = FPSAN_F32},
    {MMA "m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, F16_, F16_, .sum = FPSAN_F16},
    {MMA "m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, F16_, F16_, .sum = FPSAN_F16},
    {MMA "m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, BF16_, BF16_, .sum = FPSAN_F32},
    {MMA "m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, BF16_, BF16_, .sum = FPSAN_F32},
    {MMA "m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, TF32_, TF32_, .sum = FPSAN_F32},
    {MMA "m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, TF32_, TF32_, .sum = FPSAN_F32},
    {MMA "m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, F64_, F64_, .sum = FPSAN_F64},
    {MMA "m16n8k4.row.col.f64.f64.f64.f64", 16, 8, 4, F64_, F64_, .sum = FPSAN_F64},
    {MMA "m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, F64_, F64_, .sum = FPSAN_F64},
    {MMA "m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, F64_, F64_, .sum = FPSAN_F64},
    {MMA "m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 8, 32, E4M3_, E5M2_, .sum = FPSAN_F32},
    {MMA "m16n8k16.row.col.f32.e5m2.e5m2.f32", 16, 8, 16, E5M2_, E5M2_, .sum = FPSAN_F32},
    {MMA "m16n8k32.row.col.f16.e4m3.e4m3.f16", 16, 8, 32, E4M3_, E4M3_, .sum = FPSAN_F16},
    {MMA "m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e3m2.f32", 16, 8, 32, E2M3_, E3M2_, .sum = FPSAN_F32},
    {MMA "m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e4m3.f32", 16, 8, 32, E2M1_, E4M3_, .sum = FPSAN_F32},
    {MMA "m8n8k4.row.col.f32.f16.f16.f32", 8, 8, 4, F16_, F16_, .sum = FPSAN_F32, .b_by_column = true},
    {MMA "m8n8k4.col.row.f32.f16.f16.f32", 8, 8, 4, F16_, F16_, .sum = FPSAN_F32, .a_by_column = true},
    {MMA "m8n8k4.row.row.f16.f16.f16.f16", 8, 8, 4, F16_, F16_, .sum = FPSAN_F16},
    {MMA "m8n8k4.col.col.f16.f16.f16.f16", 8, 8, 4, F16_, F16_, .sum = FPSAN_F16, .a_by_column = true,
     .b_by_column = true},
    {MMA "m8n8k16.row.col.s32.s8.u8.s32", 8, 8, 16, S8_, U8_, .sum = INTEGER},
    {MMA "m16n8k16.row.col.s32.u8.u8.s32", 16, 8, 16, U8_, U8_, .sum = INTEGER},
    {MMA "m16n8k32.row.col.satfinite.s32.s8.s8.s32", 16, 8, 32, S8_, S8_, .sum = INTEGER, .saturate = true},
    {MMA "m8n8k32.row.col.s32.s4.u4.s32", 8, 8, 32, S4_, U4_, .sum = INTEGER},
    {MMA "m16n8k32.row.col.s32.u4.s4.s32", 16, 8, 32, U4_, S4_, .sum = INTEGER},
    {MMA "m16n8k64.row.col.satfinite.s32.s4.s4.s32", 16, 8, 64, S4_, S4_, .sum = INTEGER, .saturate = true},
    {MMA "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 8, 128, B1_, B1_, .sum = INTEGER, .exclusive = true},
    {MMA "m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 8, 128, B1_, B1_, .sum = INTEGER},
    {MMA "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 256, B1_, B1_, .sum = INTEGER, .exclusive = true},
    {MMA "m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0", 16, 8, 64, NIBBLE, NIBBLE,
     .sum = FPSAN_F32, .scales = 2, .byte_a = 2, .thread_a = 1, .thread_b = 3, .scale = FPSAN_F8E8M0FNU},
    {MMA "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", 16, 8, 64, NIBBLE, NIBBLE,
     .sum = FPSAN_F32, .scales = 4, .thread_b = 1, .scale = FPSAN_F8E4M3FN},
    {MMA "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e5m2.e2m1.f32.ue8m0", 16, 8, 32, E5M2_, E2M1_,
     .sum = FPSAN_F32, .scales = 1, .byte_a = 3, .byte_b = 1, .thread_b = 2, .scale = FPSAN_F8E8M0FNU},
};
enum { CASES = BASE_COUNT(cases) };

// ---- registers

static unsigned width_of(Element element) {
    return element.bits == 64 ? 64 : 32;
}

static unsigned sum_bits(const MatrixCase *c) {
    return c->sum == INTEGER ? 32 : fpsan_format_info(c->sum)->bits;
}

static unsigned sum_parts(const MatrixCase *c) {
    return sum_bits(c) == 16 ? 2 : 1;
}

static bool is_old(const MatrixCase *c) {
    return c->m == 8 && c->k == 4 && c->a.bits == 16;
}

static unsigned registers_of(const MatrixCase *c, unsigned which) { // 0: a, 1: b, 2: sums
    if (is_old(c)) return which < 2 ? 2 : sum_bits(c) == 16 ? 4 : 8;
    if (which == 2) return c->m * c->n * sum_bits(c) / 32 / (sum_bits(c) == 64 ? 64 : 32);
    const Element element = which ? c->b : c->a;
    return (which ? c->n : c->m) * c->k * element.bits / 32 / width_of(element);
}

typedef struct Registers {
    uint64_t a[32][REGISTERS_MAX], b[32][REGISTERS_MAX], c[32][REGISTERS_MAX], d[32][REGISTERS_MAX];
    uint32_t scale_a[32], scale_b[32];
} Registers;
static Registers registers;

// ---- matrices, by the ISA's formulas for element i of lane l

typedef struct Matrices {
    uint64_t a[M_MAX][K_MAX], b[N_MAX][K_MAX], c[M_MAX][N_MAX];
} Matrices;

static uint64_t element_in(const uint64_t *words, Element element, unsigned i) {
    const unsigned per = width_of(element) / element.bits;
    const uint64_t word = words[i / per] >> (i % per * element.bits);
    const uint64_t all = element.bits == 64 ? word : word & ((UINT64_C(1) << element.bits) - 1);
    if (element.format == INTEGER) return all;
    const unsigned bits =
        fpsan_format_info(element.format)->storage_bits == 8 ? fpsan_format_info(element.format)->bits : element.bits;
    return (all >> element.shift) &
           (bits == 4 || element.bits == 8 ? (1u << fpsan_format_info(element.format)->bits) - 1 : UINT64_MAX);
}

static void gather(const MatrixCase *c, Matrices *out) {
    for (unsigned l = 0; l < 32; l++) {
        const unsigned g = l / 4, t = l % 4;
        const unsigned per = width_of(c->a) / c->a.bits;
        for (unsigned i = 0; i < registers_of(c, 0) * per; i++) {
            const unsigned reg = i / per, row = g + (c->m == 16 && reg % 2 ? 8 : 0), block = c->m == 16 ? reg / 2 : reg;
            out->a[row][block * 4 * per + t * per + i % per] = element_in(registers.a[l], c->a, i);
        }
        for (unsigned i = 0; i < registers_of(c, 1) * per; i++)
            out->b[g][i / per * 4 * per + t * per + i % per] = element_in(registers.b[l], c->b, i);
    }
}

static Element sum_element(const MatrixCase *c) {
    return (Element){c->sum, sum_bits(c), 0, true};
}

// Row and column of element i of lane l of the sums.
static void place_sum(const MatrixCase *c, unsigned l, unsigned i, unsigned *row, unsigned *column) {
    (void)c;
    *row = l / 4 + (i >= 2 ? 8 : 0);
    *column = l % 4 * 2 + (i & 1);
}

// ---- the products of m8n8k4, of which four quads of lanes have one each

static void gather_old(const MatrixCase *c, unsigned quad, Matrices *out) {
    for (unsigned l = 0; l < 32; l++) {
        if (l % 16 / 4 != quad) continue;
        for (unsigned i = 0; i < 4; i++) {
            const unsigned high = l < 16 ? 0 : 4;
            const uint64_t a = element_in(registers.a[l], c->a, i), b = element_in(registers.b[l], c->b, i);
            if (c->a_by_column)
                out->a[i % 4 + high][l % 4] = a;
            else
                out->a[l % 4 + high][i] = a;
            if (c->b_by_column)
                out->b[l % 4 + high][i] = b;
            else
                out->b[i + high][l % 4] = b;
        }
    }
}

static void place_old(const MatrixCase *c, unsigned l, unsigned i, unsigned *row, unsigned *column) {
    if (sum_bits(c) == 16) {
        *row = l % 4 + (l < 16 ? 0 : 4);
        *column = i;
    } else {
        *row = (l & 1) + (i & 2) + (l < 16 ? 0 : 4);
        *column = (i & 4) + (l & 2) + (i & 1);
    }
}

// ---- one element of the result

static uint64_t integer_sum(const MatrixCase *c, const uint64_t *a, const uint64_t *b, uint64_t start) {
    int64_t sum = 0;
    for (unsigned k = 0; k < c->k; k++) {
        int64_t x = (int64_t)a[k], y = (int64_t)b[k];
        if (c->a.is_signed && x >> (c->a.bits - 1)) x -= INT64_C(1) << c->a.bits;
        if (c->b.is_signed && y >> (c->b.bits - 1)) y -= INT64_C(1) << c->b.bits;
        sum += c->exclusive ? x ^ y : x * y;
    }
    sum += (int32_t)start;
    if (c->saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static uint64_t scale_of(const MatrixCase *c, bool of_b, unsigned line, unsigned k) {
    const unsigned number = k * c->scales / c->k;
    if (of_b) return registers.scale_b[4 * line + c->thread_b] >> (8 * (c->byte_b + number)) & 255;
    return registers.scale_a[4 * (line % 8) + 2 * c->thread_a + line / 8] >> (8 * (c->byte_a + number)) & 255;
}

static uint64_t payload_sum(const MatrixCase *c, unsigned row, unsigned column, const Matrices *m, uint64_t start) {
    const FpsanAlgebra algebra = fpsan_default_algebra();
    const FpsanFormat fa = c->a.format, fb = c->b.format;
    uint64_t a[K_MAX], b[K_MAX], sa[4], sb[4];
    for (unsigned k = 0; k < c->k; k++) {
        a[k] = fpsan_embed(algebra.profile, fa, m->a[row][k]);
        b[k] = fpsan_embed(algebra.profile, fb, m->b[column][k]);
    }
    uint64_t sum = fpsan_embed(algebra.profile, c->sum, start);
    if (!c->scales) {
        sum = fpsan_dot(&algebra, fa, fb, c->sum, c->k, a, 1, b, 1, sum);
    } else {
        for (unsigned i = 0; i < c->scales; i++) {
            sa[i] = fpsan_embed(algebra.profile, c->scale, scale_of(c, false, row, i * c->k / c->scales));
            sb[i] = fpsan_embed(algebra.profile, c->scale, scale_of(c, true, column, i * c->k / c->scales));
        }
        const FpsanScaled x = {fa, c->scale, a, sa, 1, 1, c->k / c->scales},
                          y = {fb, c->scale, b, sb, 1, 1, c->k / c->scales};
        sum = fpsan_scaled_dot(&algebra, &x, &y, c->sum, c->k, sum);
    }
    return fpsan_unembed(algebra.profile, c->sum, sum);
}

static double factor(const MatrixCase *c, Element element, bool of_b, unsigned line, unsigned k, uint64_t bits) {
    if (element.format == FPSAN_TF32) bits &= ~UINT64_C(0x1fff);
    double value = fpsan_decode(element.format, bits);
    if (c->scales) value *= fpsan_decode(c->scale, scale_of(c, of_b, line, k));
    return value;
}

// Products are exact, the sum is rounded to the format once.
static uint64_t real_sum(const MatrixCase *c, unsigned row, unsigned column, const Matrices *m, uint64_t start) {
    double sum = fpsan_decode(c->sum, start);
    for (unsigned k = 0; k < c->k; k++)
        sum = fma(factor(c, c->a, false, row, k, m->a[row][k]), factor(c, c->b, true, column, k, m->b[column][k]), sum);
    return fpsan_encode_nearest(c->sum, sum);
}

// ---- kernels

static void print_list(Buffer *out, const char *prefix, unsigned count) {
    buffer_print(out, "{");
    for (unsigned i = 0; i < count; i++) buffer_print(out, "%s%s%u", i ? ", " : "", prefix, i);
    buffer_print(out, "}");
}

static const char *sum_prefix(const MatrixCase *c) {
    return sum_bits(c) == 64 ? "%y" : "%d";
}

// Each array has REGISTERS_MAX words of 64 bits for each lane.
static void print_kernel(Buffer *out, const MatrixCase *c, unsigned number) {
    static const char *const names[] = {"a", "b", "c"};
    buffer_print(out,
                 ".visible .entry k%u(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3,\n"
                 ".param .u64 p4, .param .u64 p5)\n{\n.reg .b32 %%a<16>, %%b<16>, %%d<16>, %%t, %%s<2>;\n"
                 ".reg .b64 %%w<16>, %%x<16>, %%y<16>, %%q<6>;\nmov.u32 %%t, %%tid.x;\n",
                 number);
    for (unsigned i = 0; i < 6; i++)
        buffer_print(out, "ld.param.u64 %%q%u, [p%u];\nmad.wide.u32 %%q%u, %%t, %u, %%q%u;\n", i, i, i,
                     i < 4 ? 8 * REGISTERS_MAX : 4, i);
    for (unsigned w = 0; w < 3; w++)
        for (unsigned i = 0; i < registers_of(c, w); i++) {
            const bool wide = w == 2 ? sum_bits(c) == 64 : c->a.bits == 64;
            const char *prefix = wide ? (w == 0 ? "%w" : w == 1 ? "%x" : "%y") : w == 2 ? "%d" : w ? "%b" : "%a";
            buffer_print(out, "ld.global.b%d %s%u, [%%q%u+%u]; // %s\n", wide ? 64 : 32, prefix, i, w, 8 * i, names[w]);
        }
    buffer_print(out, "ld.global.b32 %%s0, [%%q4];\nld.global.b32 %%s1, [%%q5];\n%s ", c->op);
    print_list(out, sum_prefix(c), registers_of(c, 2));
    buffer_print(out, ", ");
    print_list(out, c->a.bits == 64 ? "%w" : "%a", registers_of(c, 0));
    buffer_print(out, ", ");
    print_list(out, c->a.bits == 64 ? "%x" : "%b", registers_of(c, 1));
    buffer_print(out, ", ");
    print_list(out, sum_prefix(c), registers_of(c, 2));
    if (c->scales)
        buffer_print(out, ", %%s0, {%u, %u}, %%s1, {%u, %u}", c->byte_a, c->thread_a, c->byte_b, c->thread_b);
    buffer_print(out, ";\n");
    for (unsigned i = 0; i < registers_of(c, 2); i++)
        buffer_print(out, "st.global.b%d [%%q3+%u], %s%u;\n", sum_bits(c) == 64 ? 64 : 32, 8 * i, sum_prefix(c), i);
    buffer_print(out, "ret;\n}\n");
}

static void open_lab(Lab *lab, CompileNumeric numeric) {
    Buffer text = {0}, messages = {0};
    buffer_print(&text, ".version 9.2\n.target sm_120a\n.address_size 64\n");
    for (unsigned i = 0; i < CASES; i++) print_kernel(&text, &cases[i], i);
    const bool good = lab_open(lab, text.data, numeric);
    if (!good) diag_print(&lab->diagnostics.items[0], &messages);
    cr_assert(good, "%s\n", messages.data);
    buffer_free(&text);
    buffer_free(&messages);
}

// ---- comparing

static uint64_t random_element(const MatrixCase *c, Element element, uint64_t *state) {
    (void)c;
    if (element.format == INTEGER) return lab_random(state);
    const FpsanFormatInfo *info = fpsan_format_info(element.format);
    uint64_t bits = sample_float(element.format, state);
    // Most numbers near 1, so that few sums are infinite or NaN.
    if (info->bits >= 16 && lab_random(state) % 64)
        bits = (bits & ((UINT64_C(1) << info->mantissa_bits) - 1)) |
               (info->one ^ (lab_random(state) & 1) << info->mantissa_bits) |
               (lab_random(state) & 1) << (info->bits - 1);
    if (element.format == FPSAN_TF32) bits = sample_float(FPSAN_F32, state);
    return bits << element.shift;
}

static void fill_words(const MatrixCase *c, uint64_t words[32][REGISTERS_MAX], unsigned count, Element element,
                       uint64_t *state) {
    const unsigned per = element.bits == 64 ? 1 : 32 / element.bits;
    for (unsigned l = 0; l < 32; l++)
        for (unsigned i = 0; i < count; i++) {
            words[l][i] = 0;
            for (unsigned e = 0; e < per; e++)
                words[l][i] |=
                    (element.bits == 64 ? random_element(c, element, state)
                                        : random_element(c, element, state) & ((UINT64_C(1) << element.bits) - 1))
                    << (e * element.bits);
        }
}

static void fill_registers(const MatrixCase *c, uint64_t *state) {
    fill_words(c, registers.a, registers_of(c, 0), c->a, state);
    fill_words(c, registers.b, registers_of(c, 1), c->b, state);
    fill_words(c, registers.c, registers_of(c, 2), sum_element(c), state);
    for (unsigned l = 0; l < 32; l++)
        for (unsigned i = 0; i < 4; i++) {
            // Scales near 1, and some of the ends.
            const uint8_t near = (uint8_t)((c->scale == FPSAN_F8E8M0FNU ? 120 : 0x30) + lab_random(state) % 16);
            const uint8_t end = c->scale == FPSAN_F8E8M0FNU && lab_random(state) % 2 ? 0 : 1;
            registers.scale_a[l] = registers.scale_a[l] << 8 | (lab_random(state) % 32 ? near : end);
            registers.scale_b[l] = registers.scale_b[l] << 8 | near;
        }
}

static uint64_t expected_sum(const MatrixCase *c, bool payload, unsigned row, unsigned column, const Matrices *m,
                             uint64_t start) {
    if (c->sum == INTEGER) return integer_sum(c, m->a[row], m->b[column], start);
    return payload ? payload_sum(c, row, column, m, start) : real_sum(c, row, column, m, start);
}

static void check_sums(const MatrixCase *c, bool payload, unsigned first, const Matrices *m) {
    for (unsigned l = 0; l < 32; l++) {
        if (is_old(c) && l % 16 / 4 != first) continue;
        for (unsigned i = 0; i < registers_of(c, 2) * sum_parts(c); i++) {
            unsigned row, column;
            (is_old(c) ? place_old : place_sum)(c, l, i, &row, &column);
            const uint64_t start = element_in(registers.c[l], sum_element(c), i);
            const uint64_t got = element_in(registers.d[l], sum_element(c), i);
            const uint64_t want = expected_sum(c, payload, row, column, m, start);
            const bool same = !payload && c->sum != INTEGER ? are_same(c->sum, got, want) : got == want;
            cr_assert(same, "%s: lane %u, element %u is %#lx, not %#lx", c->op, l, i, got, want);
        }
    }
}

static void check_product(const MatrixCase *c, bool payload) {
    static Matrices m;
    if (!is_old(c)) {
        gather(c, &m);
        check_sums(c, payload, 0, &m);
    }
    for (unsigned quad = 0; quad < 4 && is_old(c); quad++) {
        gather_old(c, quad, &m);
        check_sums(c, payload, quad, &m);
    }
}

static void check_all(CompileNumeric numeric) {
    static LabRun run;
    static Lab lab;
    uint64_t state = 3;
    open_lab(&lab, numeric);
    for (unsigned i = 0; i < CASES; i++)
        for (unsigned turn = 0; turn < 20; turn++) {
            char name[16];
            snprintf(name, sizeof name, "k%u", i);
            fill_registers(&cases[i], &state);
            run = (LabRun){0};
            const void *const arrays[] = {registers.a, registers.b,       registers.c,
                                          registers.d, registers.scale_a, registers.scale_b};
            for (unsigned k = 0; k < BASE_COUNT(arrays); k++) run.arguments[k] = (uint64_t)(uintptr_t)arrays[k];
            cr_assert(lab_run(&lab, name, &run));
            check_product(&cases[i], numeric == COMPILE_PAYLOAD);
        }
    lab_close(&lab);
}

Test(float_matrix, mma_is_that_of_doubles) {
    check_all(COMPILE_IEEE);
}

Test(float_matrix, mma_is_that_of_the_algebra) {
    check_all(COMPILE_PAYLOAD);
}
