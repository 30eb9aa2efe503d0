// SPDX-License-Identifier: Apache-2.0
// Matrices in shared memory against the address of each element, as the ISA's canonical layouts have it.
#include "runtime/warp_engines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { SHARED_END = 64 << 10 };
static uint8_t shared[SHARED_END];

static uint64_t random_state = 1;
static uint32_t draw(uint32_t count) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % count;
}

static void fill_shared(void) {
    for (uint32_t i = 0; i < SHARED_END; i++) shared[i] = (uint8_t)draw(256);
}

// The descriptor of a matrix; `code`: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
static uint64_t descriptor(bool tcgen05, uint32_t start, uint32_t lead, uint32_t stride, uint32_t code) {
    static const uint64_t tensor[] = {0, 2, 4, 6};
    return (uint64_t)(start >> 4) | (uint64_t)(lead >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           (tcgen05 ? UINT64_C(1) << 46 | tensor[code] << 61 : (uint64_t)code << 62);
}

// Of the bit where an element begins: 8 times its byte address, and the bit in the byte.
static uint32_t model_bit(const WarpMatrix *m, uint32_t r, uint32_t k) {
    const uint32_t S = m->span, none = S == 16, mask = S / 16 - 1;
    uint32_t a, bit = 0;
    if (m->mn_major) {
        const uint32_t rb = r * m->bits / 8;
        a = none ? rb % 16 + rb / 16 * m->stride + k % 8 * 16 + k / 8 * m->lead
                 : rb % S + rb / S * m->lead + k % 8 * S + k / 8 * m->stride;
    } else {
        uint32_t kb = k * m->bits / 8;
        bit = k * m->bits % 8;
        if (m->padded) {
            kb = k / 16 * 16 + k % 16 * m->bits / 8;
            bit = k % 16 * m->bits % 8;
        }
        a = r % 8 * S + r / 8 * m->stride + (none ? kb / 16 * m->lead + kb % 16 : kb);
    }
    a += m->start;
    return (a ^ (a >> 7 & mask) << 4) * 8 + bit;
}

static uint32_t model_element(const WarpMatrix *m, uint32_t r, uint32_t k) {
    const uint32_t bit = model_bit(m, r, k);
    uint64_t word = 0;
    memcpy(&word, shared + bit / 8, 5);
    return (uint32_t)(word >> bit % 8 & ((UINT64_C(1) << m->bits) - 1));
}

typedef struct Form {
    uint32_t bits, depth;
    bool padded, mn_major;
} Form;
static const Form forms[] = {
    {16, 16, false, false}, {8, 32, false, false}, {32, 8, false, false}, {4, 64, false, false},
    {4, 32, true, false},   {6, 32, true, false},  {16, 16, false, true}, {8, 32, false, true},
};

static WarpMatrix draw_matrix(bool *tcgen05) {
    const Form f = forms[draw(BASE_COUNT(forms))];
    *tcgen05 = draw(2);
    const uint32_t code = draw(4), span = (uint32_t[]){16, 128, 64, 32}[code];
    const uint32_t start = 1024 + draw(64) * (draw(2) ? 16 * (span > 16 && !f.mn_major ? 2 : 1) : 1024) % 8192;
    uint32_t inside = start; // rows of K-major matrices do not leave their 32, 64 or 128 bytes
    if (span > 16 && !f.mn_major && inside % span > span - 32) inside -= inside % span;
    WarpMatrix m;
    WarpProblem problem;
    cr_assert(
        warp_matrix_read(descriptor(*tcgen05, inside, 16 * draw(128), 16 * draw(80), code), *tcgen05, &m, &problem),
        "%s", problem.text);
    cr_assert_eq(m.span, span);
    m.bits = f.bits;
    m.depth = f.depth;
    m.padded = f.padded;
    m.mn_major = f.mn_major;
    m.rows = 8 * (1 + draw(f.mn_major ? 16 : 32));
    return m;
}

static uint32_t dense_element(const WarpMatrix *m, const uint8_t *dense, uint32_t r, uint32_t k) {
    const uint32_t bytes = m->bits < 8 ? 1 : m->bits / 8;
    uint32_t value = 0;
    memcpy(&value, dense + (r * m->depth + k) * bytes, bytes);
    return value;
}

Test(warp_matrix, each_element_is_where_the_layout_says) {
    static _Alignas(64) uint8_t dense[WARP_MATRIX_BYTES];
    fill_shared();
    int gathered = 0;
    for (int trial = 0; trial < 3000; trial++) {
        bool tcgen05;
        const WarpMatrix m = draw_matrix(&tcgen05);
        uint32_t outside, end = 0;
        for (uint32_t r = 0; r < m.rows; r++)
            for (uint32_t k = 0; k < m.depth; k++)
                if (model_bit(&m, r, k) / 8 > end) end = model_bit(&m, r, k) / 8;
        const bool fits = end < SHARED_END - 16;
        if (!fits) continue;
        gathered++;
        cr_assert(warp_matrix_gather(&m, shared, SHARED_END, dense, &outside));
        for (uint32_t r = 0; r < m.rows; r++)
            for (uint32_t k = 0; k < m.depth; k++)
                cr_assert_eq(dense_element(&m, dense, r, k), model_element(&m, r, k), "%d: %u %u of %u", trial, r, k,
                             m.bits);
    }
    cr_assert_gt(gathered, 1000);
}

// The pieces hold all elements, and nothing that is more than 16 bytes from one.
Test(warp_matrix, pieces_are_what_is_read) {
    static uint8_t read[SHARED_END + 8192], listed[SHARED_END + 8192];
    for (int trial = 0; trial < 1000; trial++) {
        bool tcgen05;
        const WarpMatrix m = draw_matrix(&tcgen05);
        if (m.start + m.rows / 8 * m.stride + 4 * m.lead + 16 * m.lead > SHARED_END) continue;
        memset(read, 0, sizeof read);
        memset(listed, 0, sizeof listed);
        const uint32_t first = draw(2) ? m.rows / 16 * 8 : 0, rows = m.rows - first;
        if (m.mn_major && first * m.bits % 128) continue;
        for (uint32_t r = first; r < first + rows; r++)
            for (uint32_t k = 0; k < m.depth; k++) read[model_bit(&m, r, k) / 8 / 16] = 1;
        WarpPiece pieces[WARP_MATRIX_PIECES];
        const uint32_t count = warp_matrix_pieces(&m, first, rows, pieces);
        cr_assert_lt(count, WARP_MATRIX_PIECES);
        for (uint32_t i = 0; i < count; i++)
            for (uint64_t a = pieces[i].address; a < pieces[i].address + pieces[i].bytes; a += 16) listed[a / 16] = 1;
        cr_assert(!memcmp(read, listed, sizeof read), "%d", trial);
    }
}

Test(warp_matrix, what_is_outside_is_named) {
    static _Alignas(64) uint8_t dense[WARP_MATRIX_BYTES];
    WarpMatrix m;
    WarpProblem problem;
    cr_assert(warp_matrix_read(descriptor(true, 60 << 10, 16, 1024, 1), true, &m, &problem));
    m.rows = 128;
    m.depth = 16;
    m.bits = 16;
    uint32_t outside = 0;
    cr_assert_not(warp_matrix_gather(&m, shared, SHARED_END, dense, &outside));
    cr_assert_eq(outside, 64 << 10);
    m.start = 512;
    cr_assert_not(warp_matrix_gather(&m, shared, SHARED_END, dense, &outside));
    cr_assert_eq(outside, 512 ^ 64); // the swizzle changes it
}

static void refused(uint64_t bits, bool tcgen05, ErrorCode code, const char *text) {
    WarpMatrix m;
    WarpProblem problem;
    cr_assert_not(warp_matrix_read(bits, tcgen05, &m, &problem));
    cr_assert_eq(problem.code, code, "%s", problem.text);
    cr_assert(strstr(problem.text, text), "%s", problem.text);
}

Test(warp_matrix, descriptors_that_are_not_allowed) {
    const uint64_t tensor = descriptor(true, 1024, 16, 1024, 1), group = descriptor(false, 1024, 16, 1024, 1);
    for (unsigned bit = 0; bit < 64; bit++) {
        const bool of_tensor = bit == 14 || bit == 15 || bit == 30 || bit == 31 || (bit >= 53 && bit <= 60);
        const bool of_group =
            bit == 14 || bit == 15 || bit == 30 || bit == 31 || (bit >= 46 && bit <= 48) || (bit >= 52 && bit <= 61);
        if (of_tensor) refused(tensor | UINT64_C(1) << bit, true, E_RUNTIME, "reserved bits");
        if (of_group) refused(group | UINT64_C(1) << bit, false, E_RUNTIME, "reserved bits");
    }
    refused(group, true, E_RUNTIME, "is not of version 1");
    refused(tensor | UINT64_C(3) << 49, true, E_UNSUPPORTED, "base offset 3");
    refused(group | UINT64_C(1) << 49, false, E_UNSUPPORTED, "base offset 1");
    refused(tensor | UINT64_C(1) << 52, true, E_UNSUPPORTED, "whose leading dimension is an address");
    refused((tensor & ~(UINT64_C(7) << 61)) | UINT64_C(1) << 61, true, E_UNSUPPORTED, "in atoms of 32");
    refused((tensor & ~(UINT64_C(7) << 61)) | UINT64_C(5) << 61, true, E_RUNTIME, "swizzle 5, which there is not");
}

Test(warp_matrix, orders_that_nobody_confirmed) {
    WarpProblem problem;
    cr_assert_not(warp_matrix_check(&(WarpMatrix){.mn_major = true, .bits = 32}, &problem));
    cr_assert_not(warp_matrix_check(&(WarpMatrix){.mn_major = true, .bits = 4}, &problem));
    cr_assert(warp_matrix_check(&(WarpMatrix){.mn_major = true, .bits = 16}, &problem));
    cr_assert(warp_matrix_check(&(WarpMatrix){.bits = 32}, &problem));
}
