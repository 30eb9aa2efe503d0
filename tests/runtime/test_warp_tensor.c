// SPDX-License-Identifier: Apache-2.0
// Tensor memory against the formulas for single elements: ld and st in all shapes, products in all layouts of sums,
// scale factors, A in tensor memory, cp, shift. The model has an array of lanes and columns.
#include "sanitizer/format/format.h"
#include "tests/runtime/tensor_lab.h"

#include <criterion/criterion.h>

enum { WARPS = 4, THREADS = 128, SHARED = 100 << 10, RESULT = SHARED - 128, BARRIER_AT = SHARED - 64 };

static uint32_t model[128][512];

// ---- ld and st

typedef struct ShapeCase {
    uint32_t shape, registers, most, rows;
} ShapeCase;
static const ShapeCase shape_cases[] = {
    {WARP_32X32B, 1, 128, 32}, {WARP_16X64B, 1, 128, 16},   {WARP_16X128B, 2, 64, 16},
    {WARP_16X256B, 4, 32, 16}, {WARP_16X32BX2, 1, 128, 16},
};
enum { BX2_OFFSET = 160 };

static void model_place(uint32_t shape, uint32_t l, uint32_t r, uint32_t *row, uint32_t *column) {
    switch (shape) {
    case WARP_32X32B: *row = l, *column = r; break;
    case WARP_16X64B: *row = l / 4 + 8 * (l % 2), *column = l / 2 % 2 + 2 * r; break;
    case WARP_16X128B: *row = l / 4 + 8 * (r % 2), *column = l % 4 + 4 * (r / 2); break;
    case WARP_16X256B: *row = l / 4 + 8 * (r / 2 % 2), *column = r % 2 + 2 * (l % 4) + 8 * (r / 4); break;
    default: *row = l % 16, *column = r + (l >= 16 ? BX2_OFFSET : 0); break;
    }
}

// Number: shape, then which power of two N is, then the half of the lanes, packed.
typedef struct MoveNumber {
    uint32_t shape, times, lane, packed;
} MoveNumber;
static MoveNumber move_number(uint64_t number) {
    return (MoveNumber){number & 7, 1u << (number >> 3 & 7), (number >> 6 & 1) * 16, number >> 7 & 1};
}

static uint32_t registers_of(const MoveNumber *m) {
    return shape_cases[m->shape].registers * m->times;
}

static uint32_t stored_word(uint32_t warp, uint32_t index) {
    return tensor_hash(index, warp + 77);
}

// Each warp fills its lanes with 32x32b, stores in the shape, and reads all back; then the other way round.
static void move_both(WarpState *w) {
    const MoveNumber m = move_number(warp_lab_parameters(w)->number);
    static uint32_t data[WARPS][128 * 32], all[WARPS][128 * 32];
    uint32_t *mine = data[w->warp], *cells = all[w->warp];
    if (!w->warp) tensor_alloc(w, RESULT, 512);
    lab_barrier(w, 0, 0);
    const uint32_t lane = w->warp * 32, from = (lane + m.lane) << 16 | 32;
    for (uint32_t c = 0; c < 512; c += 128) {
        for (uint32_t r = 0; r < 128; r++)
            for (uint32_t l = 0; l < 32; l++) cells[32 * r + l] = tensor_hash(lane + l, c + r);
        tensor_move(w, false, lane << 16 | c, WARP_32X32B, 128, 0, 0, cells);
    }
    tensor_wait(w, true);
    tensor_move(w, true, from, m.shape, m.times, m.packed, BX2_OFFSET, mine);
    tensor_wait(w, false);
    tensor_put(w, mine, registers_of(&m), 0);
    for (uint32_t i = 0; i < registers_of(&m) * 32; i++) mine[i] = stored_word(w->warp, i);
    tensor_move(w, false, from, m.shape, m.times, m.packed, BX2_OFFSET, mine);
    tensor_wait(w, true);
    for (uint32_t c = 0; c < 512; c += 128) {
        tensor_move(w, true, lane << 16 | c, WARP_32X32B, 128, 0, 0, cells);
        for (uint32_t r = 0; r < 128; r++)
            for (uint32_t l = 0; l < 32; l++) model[lane + l][c + r] = cells[32 * r + l];
    }
    tensor_wait(w, false);
    lab_barrier(w, 0, 0);
    if (!w->warp) tensor_free(w, 0, 512);
    lab_end(w);
}

static void check_move(const MoveNumber *m, const uint32_t *loaded) {
    static uint32_t expected[128][512];
    const uint32_t registers = registers_of(m);
    for (uint32_t lane = 0; lane < 128; lane++)
        for (uint32_t c = 0; c < 512; c++) expected[lane][c] = tensor_hash(lane, c);
    for (uint32_t warp = 0; warp < WARPS; warp++)
        for (uint32_t r = 0; r < registers; r++)
            for (uint32_t l = 0; l < 32; l++) {
                uint32_t row, column;
                model_place(m->shape, l, r, &row, &column);
                const uint32_t lane = warp * 32 + m->lane + row, word = stored_word(warp, 32 * r + l);
                const uint32_t got = loaded[(warp * registers + r) * 32 + l];
                if (m->packed) {
                    // Pairs of columns: those of a second range follow its beginning.
                    const uint32_t base = m->shape == WARP_16X32BX2 && l >= 16 ? BX2_OFFSET : 0;
                    uint32_t *pair = &expected[lane][32 + base + 2 * (column - base)];
                    cr_assert_eq(got, (tensor_hash(lane, 32 + base + 2 * (column - base)) & 0xFFFF) |
                                          tensor_hash(lane, 33 + base + 2 * (column - base)) << 16);
                    pair[0] = (pair[0] & 0xFFFF0000) | (word & 0xFFFF);
                    pair[1] = (pair[1] & 0xFFFF0000) | word >> 16;
                } else {
                    cr_assert_eq(got, tensor_hash(lane, 32 + column), "shape %u lane %u register %u", m->shape, l, r);
                    expected[lane][32 + column] = word;
                }
            }
    cr_assert(!memcmp(expected, model, sizeof model), "shape %u x%u", m->shape, m->times);
}

Test(warp_tensor, ld_and_st_in_all_shapes) {
    WarpLab lab = tensor_lab_open(move_both, THREADS, SHARED);
    for (uint32_t s = 0; s < BASE_COUNT(shape_cases); s++)
        for (uint32_t power = 0; power < 8; power++)
            for (uint32_t rest = 0; rest < 4; rest++) {
                const MoveNumber m = move_number(s | power << 3 | rest << 6);
                uint32_t columns = 0;
                for (uint32_t r = 0; r < registers_of(&m); r++)
                    for (uint32_t l = 0; l < 32; l++) {
                        uint32_t row, column;
                        model_place(s, l, r, &row, &column);
                        if (column + 1 > columns) columns = column + 1;
                    }
                const bool too_many = m.times > shape_cases[s].most || 32 + columns * (1 + m.packed) > 512;
                if (too_many || (s == WARP_32X32B && m.lane)) continue;
                if (s == WARP_16X32BX2 && m.times * (1 + m.packed) > BX2_OFFSET) continue;
                cr_assert(warp_lab_run(&lab, s | power << 3 | rest << 6), "%s", lab.text);
                static uint32_t loaded[WARP_LAB_BUFFER_BYTES / 4];
                warp_lab_words(&lab, 0, loaded, WARPS * registers_of(&m) * 32);
                check_move(&m, loaded);
            }
    warp_lab_close(&lab);
}

static void min_combine(const void *old, const void *operand, const void *swap, void *result) {
    (void)swap;
    const uint32_t a = *(const uint32_t *)old, b = *(const uint32_t *)operand;
    *(uint32_t *)result = a < b ? a : b;
}

static void load_reduced(WarpState *w) {
    uint32_t data[17 * 32];
    const uint32_t lane = w->warp * 32;
    if (!w->warp) tensor_alloc(w, RESULT, 32);
    lab_barrier(w, 0, 0);
    for (uint32_t i = 0; i < 16 * 32; i++) data[i] = tensor_hash(i, w->warp);
    tensor_move(w, false, lane << 16, WARP_32X32B, 16, 0, 0, data);
    tensor_wait(w, true);
    memset(data, 0, sizeof data);
    const WarpOperation operation = {
        .place = AT_LD, .kind = WARP_TENSOR_LOAD, .detail = {WARP_32X32B, 16, 0, 1, 0, 16}, .combine = min_combine};
    tensor_operate(w, w->alive, operation, (const uint64_t[]){lane << 16, 0}, 2, data);
    tensor_wait(w, false);
    tensor_put(w, data, 17, 0);
    lab_barrier(w, 0, 0);
    if (!w->warp) tensor_free(w, 0, 32);
    lab_end(w);
}

Test(warp_tensor, ld_reduces_the_row_of_each_lane) {
    WarpLab lab = tensor_lab_open(load_reduced, THREADS, SHARED);
    cr_assert(warp_lab_run(&lab, 0), "%s", lab.text);
    static uint32_t words[WARPS * 17 * 32];
    warp_lab_words(&lab, 0, words, BASE_COUNT(words));
    for (uint32_t warp = 0; warp < WARPS; warp++)
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t least = UINT32_MAX;
            for (uint32_t r = 0; r < 16; r++) {
                const uint32_t word = words[(warp * 17 + r) * 32 + l];
                cr_assert_eq(word, tensor_hash(32 * r + l, warp));
                least = word < least ? word : least;
            }
            cr_assert_eq(words[(warp * 17 + 16) * 32 + l], least);
        }
    warp_lab_close(&lab);
}

// ---- products

typedef struct ProductCase {
    const char *name;
    uint32_t kind, flags, m, n, lane; // lane of d
    uint32_t sums, type_a, type_b;    // numbers of the instruction descriptor
    uint32_t bits, depth;
    uint32_t swizzle; // number of the descriptor: 0, 2 (128 bytes), 4, 6
    bool mn_major_a, mn_major_b;
    uint32_t more; // bits of the instruction descriptor
    uint32_t scales, id_a, id_b;
    uint32_t scale_d;
} ProductCase;
static const ProductCase product_cases[] = {
    {"f16 128x128", WARP_KIND_F16, 0, 128, 128, 0, 1, 0, 0, 16, 16, 2, false, false, 0, 0, 0, 0, 0},
    {"f16 128x256", WARP_KIND_F16, 0, 128, 256, 0, 1, 0, 0, 16, 16, 4, false, false, 0, 0, 0, 0, 0},
    {"bf16 64x72", WARP_KIND_F16, 0, 64, 72, 0, 1, 1, 1, 16, 16, 6, false, false, 0, 0, 0, 0, 0},
    {"f16 64x64 upper", WARP_KIND_F16, 0, 64, 64, 16, 1, 0, 1, 16, 16, 0, false, false, 0, 0, 0, 0, 0},
    {"f16 transposed", WARP_KIND_F16, 0, 128, 64, 0, 1, 0, 0, 16, 16, 2, true, true, 3 << 15, 0, 0, 0, 0},
    {"f16 b transposed, negated", WARP_KIND_F16, 0, 128, 64, 0, 1, 0, 0, 16, 16, 2, false, true, 1 << 16 | 3 << 13, 0,
     0, 0, 0},
    {"f16 scaled sums", WARP_KIND_F16, 2, 128, 16, 0, 1, 0, 0, 16, 16, 2, false, false, 0, 0, 0, 0, 5},
    {"f16 some lanes", WARP_KIND_F16, 4, 128, 32, 0, 1, 0, 0, 16, 16, 2, false, false, 0, 0, 0, 0, 0},
    {"f16 64 some lanes", WARP_KIND_F16, 4, 64, 32, 0, 1, 0, 0, 16, 16, 2, false, false, 0, 0, 0, 0, 0},
    {"tf32", WARP_KIND_TF32, 0, 128, 32, 0, 1, 2, 2, 32, 8, 2, false, false, 0, 0, 0, 0, 0},
    {"e4m3, e5m2", WARP_KIND_F8F6F4, 0, 128, 32, 0, 1, 0, 1, 8, 32, 4, false, false, 0, 0, 0, 0, 0},
    {"s8", WARP_KIND_I8, 0, 128, 32, 0, 2, 1, 1, 8, 32, 2, false, false, 8, 0, 0, 0, 0},
    {"ws 32", WARP_KIND_F16, 8, 32, 128, 0, 1, 0, 0, 16, 16, 2, false, false, 0, 0, 0, 0, 0},
    {"ws 64", WARP_KIND_F16, 8, 64, 64, 0, 1, 0, 0, 16, 16, 2, false, false, 0, 0, 0, 0, 0},
    {"ws 128", WARP_KIND_F16, 8, 128, 64, 0, 1, 0, 0, 16, 16, 2, false, false, 0, 0, 0, 0, 0},
    {"a in tensor memory", WARP_KIND_F16, 1, 128, 64, 0, 1, 0, 0, 16, 16, 2, false, false, 0, 0, 0, 0, 0},
    {"f8 a in tensor memory", WARP_KIND_F8F6F4, 1, 128, 64, 0, 1, 0, 0, 8, 32, 2, false, false, 0, 0, 0, 0, 0},
    {"mxf8", WARP_KIND_MXF8F6F4, 0, 128, 128, 0, 0, 0, 0, 8, 32, 2, false, false, 1 << 23, 1, 2, 1, 0},
    {"mxf8 24 columns", WARP_KIND_MXF8F6F4, 0, 128, 24, 0, 0, 0, 0, 8, 32, 2, false, false, 1 << 23, 1, 3, 0, 0},
    {"mxf4", WARP_KIND_MXF4, 0, 128, 64, 0, 0, 1, 1, 4, 64, 2, false, false, 1 << 23, 2, 2, 0, 0},
    {"nvf4", WARP_KIND_MXF4NVF4, 0, 128, 64, 0, 0, 1, 1, 4, 64, 2, false, false, 0, 4, 0, 0, 0},
    {"mxfp4 padded", WARP_KIND_F8F6F4, 0, 128, 64, 0, 1, 5, 5, 4, 32, 2, false, false, 0, 0, 0, 0, 0},
};
enum { A_AT = 0, B_AT = 40 << 10, D_COLUMN = 64, A_COLUMN = 384, SCALES_COLUMN = 448, SEED = 5 };

static uint32_t span_of_case(const ProductCase *c) {
    return (uint32_t[]){16, 0, 128, 0, 64, 0, 32, 0}[c->swizzle];
}

// Strides of a tile whose rows are dense; `rows` of it.
static void strides_of(const ProductCase *c, bool mn_major, uint32_t rows, uint32_t *lead, uint32_t *stride) {
    const uint32_t span = span_of_case(c);
    if (span == 16) { // cores of 8 rows of 16 bytes
        *lead = 128;
        *stride = 256;
    } else if (mn_major) {
        const uint32_t eights = (rows * c->bits / 8 + span - 1) / span; // columns of 8 k
        *lead = 8 * span;
        *stride = eights * 8 * span;
    } else {
        *lead = 0;
        *stride = 8 * span;
    }
}

// Bits of an element of a filled matrix, by the ISA's address formulas.
static uint32_t model_operand(const ProductCase *c, uint32_t start, bool mn_major, uint32_t rows, uint32_t r,
                              uint32_t k) {
    const uint32_t span = span_of_case(c), none = span == 16, mask = span / 16 - 1;
    uint32_t lead, stride, a, shift = 0;
    strides_of(c, mn_major, rows, &lead, &stride);
    if (mn_major) {
        const uint32_t rb = r * c->bits / 8;
        a = none ? rb % 16 + rb / 16 * stride + k % 8 * 16 + k / 8 * lead
                 : rb % span + rb / span * lead + k % 8 * span + k / 8 * stride;
    } else {
        uint32_t kb = k * c->bits / 8;
        if (c->bits == 4) shift = k % 2 * 4;
        if (c->bits == 4 && c->depth == 32) kb = k / 16 * 16 + k % 16 / 2;
        a = r % 8 * span + r / 8 * stride + (none ? kb / 16 * lead + kb % 16 : kb);
    }
    a += WARP_SHARED_FIRST + start;
    a = (a ^ (a >> 7 & mask) << 4) - WARP_SHARED_FIRST;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < (c->bits + 7) / 8; i++) bits |= filled_byte(a + i, SEED) << 8 * i;
    return c->bits == 4 ? bits >> shift & 15 : bits;
}

static uint32_t tensor_cell(uint32_t lane, uint32_t column) { // what 32x32b stores put there
    // Scale factors are the same in all quarters.
    return tensor_hash(column >= SCALES_COLUMN ? lane % 32 : lane, column);
}

static uint32_t disabled_word(uint32_t i) {
    return tensor_hash(i, 99);
}

static uint32_t model_a(const ProductCase *c, uint32_t r, uint32_t k) {
    if (!(c->flags & 1)) return model_operand(c, A_AT, c->mn_major_a, c->m, r, k);
    const uint32_t per = 32 / c->bits;
    return tensor_cell(r, A_COLUMN + k / per) >> k % per * c->bits & ((1u << c->bits) - 1);
}

static uint32_t model_scale(const ProductCase *c, uint32_t column, uint32_t id, uint32_t row, uint32_t k) {
    if (!c->scales) return 1;
    const uint32_t i = k / (c->depth / c->scales);
    return tensor_cell(row % 32, column + row / 32) >> 8 * (id + i) & 255;
}

// Lane and column of a sum.
static void model_sum_place(const ProductCase *c, uint32_t r, uint32_t n, uint32_t *lane, uint32_t *column) {
    *lane = r;
    *column = n;
    if (c->m == 64 && !(c->flags & 8)) *lane = r % 16 + 32 * (r / 16) + c->lane;
    if (c->m == 64 && c->flags & 8) *lane = r + 64 * (n / (c->n / 2)), *column = n % (c->n / 2);
    if (c->m == 32) *lane = r + 32 * (n / (c->n / 4)), *column = n % (c->n / 4);
    *column += D_COLUMN;
}

static uint32_t extra_of(const ProductCase *c) {
    static const uint32_t formats[][6] = {{FPSAN_F16, FPSAN_BF16}, {0}, {FPSAN_F8E4M3FN, FPSAN_F8E5M2}};
    uint32_t format = 0;
    if (c->kind == WARP_KIND_F16) format = formats[0][c->type_a];
    if (c->kind == WARP_KIND_TF32) format = FPSAN_TF32;
    if (c->kind == WARP_KIND_F8F6F4 || c->kind == WARP_KIND_MXF8F6F4)
        format = c->type_a == 5 ? FPSAN_F4E2M1FN : formats[2][c->type_a];
    if (c->kind == WARP_KIND_MXF4 || c->kind == WARP_KIND_MXF4NVF4) format = FPSAN_F4E2M1FN;
    return format * 13 + (c->kind == WARP_KIND_I8 ? 7 + 11 : 0);
}

// d = a b, then d = d 2^-s + a b (the lab's product shifts to the left), on bits as the registers have them.
static void model_product(const ProductCase *c) {
    const bool integers = c->kind == WARP_KIND_I8, negate = c->more >> 13 & 1;
    for (uint32_t r = 0; r < c->m; r++)
        for (uint32_t n = 0; n < c->n; n++) {
            uint32_t sum = 0, lane, column;
            for (uint32_t k = 0; k < c->depth; k++) {
                const uint32_t x =
                    model_a(c, r, k) * (negate ? UINT32_MAX : 1) * model_scale(c, SCALES_COLUMN, c->id_a, r, k);
                const uint32_t y = model_operand(c, B_AT, c->mn_major_b, c->n, n, k) *
                                   (c->more >> 14 & 1 ? UINT32_MAX : 1) *
                                   model_scale(c, SCALES_COLUMN + 16, c->id_b, n, k);
                sum += x * y;
            }
            model_sum_place(c, r, n, &lane, &column);
            sum += extra_of(c);
            sum = (sum << c->scale_d) + sum;
            if (c->flags & 4 && disabled_word(lane / 32) >> lane % 32 & 1) continue;
            model[lane][column] = integers ? sum : form_to_bits(sum);
        }
}

static uint32_t read_back[128][512];

static void load_all(WarpState *w, uint32_t *cells) {
    const uint32_t lane = w->warp * 32;
    for (uint32_t c = 0; c < 512; c += 128) {
        tensor_move(w, true, lane << 16 | c, WARP_32X32B, 128, 0, 0, cells);
        for (uint32_t r = 0; r < 128; r++)
            for (uint32_t l = 0; l < 32; l++) read_back[lane + l][c + r] = cells[32 * r + l];
    }
    tensor_wait(w, false);
}

static LabMma mma_of_case(const ProductCase *c, uint32_t base) {
    uint32_t lead, stride;
    strides_of(c, c->mn_major_a, c->m, &lead, &stride);
    LabMma mma = {.kind = c->kind,
                  .flags = c->flags,
                  .product = c->bits == 32   ? lab_product_32
                             : c->bits == 16 ? lab_product_16
                                             : lab_product_8,
                  .d = base + D_COLUMN + (c->lane << 16),
                  .a = c->flags & 1 ? base + A_COLUMN : tensor_matrix(A_AT, lead, stride, c->swizzle),
                  .instruction = tensor_instruction(c->m, c->n, c->sums, c->type_a, c->type_b) | c->more |
                                 c->id_b << 4 | c->id_a << 29,
                  .scale_d = c->scale_d,
                  .scales_a = base + SCALES_COLUMN,
                  .scales_b = base + SCALES_COLUMN + 16,
                  .scale_vectors = c->scales};
    strides_of(c, c->mn_major_b, c->n, &lead, &stride);
    mma.b = tensor_matrix(B_AT, lead, stride, c->swizzle);
    for (uint32_t i = 0; i < 4; i++) mma.lanes[i] = disabled_word(i);
    return mma;
}

// A product, and one that adds to it; then all of tensor memory.
static void multiply_twice(WarpState *w) {
    static uint32_t cells[WARPS][128 * 32];
    const ProductCase *c = &product_cases[warp_lab_parameters(w)->number];
    const uint32_t lane = w->warp * 32;
    if (!w->warp) {
        lab_init(w, 1, BARRIER_AT, 1);
        tensor_alloc(w, RESULT, 512);
    }
    fill_shared(w, 80 << 10, SEED);
    lab_barrier(w, 0, 0);
    for (uint32_t column = 0; column < 512; column += 128) {
        for (uint32_t r = 0; r < 128; r++)
            for (uint32_t l = 0; l < 32; l++) cells[w->warp][32 * r + l] = tensor_cell(lane + l, column + r);
        tensor_move(w, false, lane << 16 | column, WARP_32X32B, 128, 0, 0, cells[w->warp]);
    }
    tensor_wait(w, true);
    lab_barrier(w, 0, 0);
    if (!w->warp) {
        LabMma mma = mma_of_case(c, 0);
        tensor_mma(w, 1, &mma);
        mma.accumulate = 1;
        tensor_mma(w, 1, &mma);
        tensor_commit(w, BARRIER_AT);
    }
    lab_wait(w, w->alive, BARRIER_AT, 0);
    load_all(w, cells[w->warp]);
    lab_barrier(w, 0, 0);
    if (!w->warp) tensor_free(w, 0, 512);
    lab_end(w);
}

static void check_products(bool reverse) {
    WarpLab lab = tensor_lab_open(multiply_twice, THREADS, SHARED);
    lab.threads.reverse = reverse;
    for (size_t i = 0; i < BASE_COUNT(product_cases); i++) {
        for (uint32_t lane = 0; lane < 128; lane++)
            for (uint32_t c = 0; c < 512; c++) model[lane][c] = tensor_cell(lane, c);
        model_product(&product_cases[i]);
        cr_assert(warp_lab_run(&lab, i), "%s: %s", product_cases[i].name, lab.text);
        for (uint32_t lane = 0; lane < 128; lane++)
            for (uint32_t c = 0; c < 512; c++)
                cr_assert_eq(read_back[lane][c], model[lane][c], "%s: lane %u column %u: %08x, not %08x",
                             product_cases[i].name, lane, c, read_back[lane][c], model[lane][c]);
    }
    warp_lab_close(&lab);
}

Test(warp_tensor, products_in_all_layouts) {
    check_products(false);
}

Test(warp_tensor, products_as_late_as_they_may_be) {
    check_products(true);
}

// ---- cp and shift

static const uint32_t copy_rows[] = {128, 4, 128, 64, 64, 32}, copy_columns[] = {8, 8, 4, 4, 4, 4};

static void model_copy(uint32_t shape, uint32_t column) {
    for (uint32_t r = 0; r < copy_rows[shape]; r++)
        for (uint32_t copy = 0; copy < 4; copy++) {
            uint32_t lane = r;
            if (copy && (shape == WARP_COPY_128X256B || shape == WARP_COPY_128X128B || shape == WARP_COPY_4X256B))
                continue;
            if (shape == WARP_COPY_4X256B) lane = 32 * r;
            if (shape == WARP_COPY_64X128B_02_13) lane = r + 64 * copy;
            if (shape == WARP_COPY_64X128B_01_23) lane = r % 32 + 64 * (r / 32) + 32 * copy;
            if (shape == WARP_COPY_32X128B) lane = r + 32 * copy;
            if (copy > 1 && shape != WARP_COPY_32X128B) continue;
            for (uint32_t c = 0; c < copy_columns[shape]; c++) {
                uint32_t a = WARP_SHARED_FIRST + r % 8 * 128 + r / 8 * 1024 + 4 * c;
                a = (a ^ (a >> 7 & 7) << 4) - WARP_SHARED_FIRST;
                model[lane][column + c] = tensor_hash(a / 4, SEED);
            }
        }
}

static void copy_and_shift(WarpState *w) {
    static uint32_t cells[WARPS][128 * 32];
    const uint32_t shape = (uint32_t)warp_lab_parameters(w)->number, lane = w->warp * 32;
    if (!w->warp) {
        lab_init(w, 1, BARRIER_AT, 1);
        tensor_alloc(w, RESULT, 512);
    }
    fill_shared(w, 80 << 10, SEED);
    for (uint32_t column = 0; column < 512; column += 128) {
        for (uint32_t r = 0; r < 128; r++)
            for (uint32_t l = 0; l < 32; l++) cells[w->warp][32 * r + l] = tensor_cell(lane + l, column + r);
        if (!w->warp) lab_sync(w, w->alive);
        lab_barrier(w, 0, 0);
        tensor_move(w, false, lane << 16 | column, WARP_32X32B, 128, 0, 0, cells[w->warp]);
    }
    tensor_wait(w, true);
    lab_barrier(w, 0, 0);
    if (!w->warp) {
        const uint64_t copy[] = {100, tensor_matrix(0, 0, 1024, 2)}, shift[] = {64 << 16 | 100};
        tensor_operate(w, 1, (WarpOperation){.place = AT_CP, .kind = WARP_TENSOR_COPY_IN, .detail = {shape, 1}}, copy, 2, NULL);
        tensor_operate(w, 1, (WarpOperation){.place = AT_SHIFT, .kind = WARP_TENSOR_SHIFT, .detail = {0, 1}}, shift, 1, NULL);
        tensor_commit(w, BARRIER_AT);
    }
    lab_wait(w, w->alive, BARRIER_AT, 0);
    load_all(w, cells[w->warp]);
    lab_barrier(w, 0, 0);
    if (!w->warp) tensor_free(w, 0, 512);
    lab_end(w);
}

Test(warp_tensor, cp_in_all_shapes_and_shift) {
    WarpLab lab = tensor_lab_open(copy_and_shift, THREADS, SHARED);
    for (uint32_t shape = 0; shape <= WARP_COPY_32X128B; shape++) {
        for (uint32_t lane = 0; lane < 128; lane++)
            for (uint32_t c = 0; c < 512; c++) model[lane][c] = tensor_cell(lane, c);
        model_copy(shape, 100);
        for (uint32_t i = 31; i; i--) memcpy(&model[64 + i][100], &model[64 + i - 1][100], 32);
        cr_assert(warp_lab_run(&lab, shape), "%s", lab.text);
        cr_assert(!memcmp(model, read_back, sizeof model), "shape %u", shape);
    }
    warp_lab_close(&lab);
}
