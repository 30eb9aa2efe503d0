// SPDX-License-Identifier: Apache-2.0
// Matrices in shared memory as tensor cores read them: what a descriptor says, and where each 16 bytes are.
//
// Rows are those of A, or columns of B. With kb, rb the byte along the depth and along the rows, the place of an
// element before the swizzle is
//   K-major   span > 16  start + (r % 8) span + (r / 8) stride + kb
//             span 16    start + (r % 8) 16 + (r / 8) stride + (kb / 16) lead + kb % 16
//   MN-major  span > 16  start + rb % span + (rb / span) lead + (k % 8) span + (k / 8) stride
//             span 16    start + rb % 16 + (rb / 16) stride + (k % 8) 16 + (k / 8) lead
// and the swizzle changes bits of that address.
#include "runtime/warp_engines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 16 }; // bytes that stay together in all layouts

static bool refuse_matrix(WarpProblem *problem, ErrorCode code, const char *format, uint64_t number) {
    problem->code = code;
    snprintf(problem->text, sizeof problem->text, format, number);
    return false;
}

// ---- descriptors

// Fields of 14 bits, in units of 16 bytes.
static uint32_t address_field(uint64_t descriptor, unsigned bit) {
    return (uint32_t)(descriptor >> bit & 0x3FFF) << 4;
}

// What bits 61 to 63 (tcgen05) and 62 to 63 (wgmma) say. 0: nothing.
static uint32_t span_of(uint64_t descriptor, bool tcgen05) {
    static const uint8_t tensor[8] = {16, 0, 128, 0, 64, 0, 32, 0}, group[4] = {16, 128, 64, 32};
    return tcgen05 ? tensor[descriptor >> 61] : group[descriptor >> 62];
}

bool warp_matrix_read(uint64_t descriptor, bool tcgen05, WarpMatrix *matrix, WarpProblem *problem) {
    const uint64_t reserved = tcgen05 ? UINT64_C(0x1FE00000C000C000) : UINT64_C(0x3FF1C000C000C000);
    if (descriptor & reserved)
        return refuse_matrix(problem, E_RUNTIME,
                             "matrix descriptor 0x%016" PRIx64 " has reserved bits that are not zero", descriptor);
    if (tcgen05 && (descriptor >> 46 & 7) != 1)
        return refuse_matrix(problem, E_RUNTIME,
                             "matrix descriptor 0x%016" PRIx64 " is not of version 1 (bits 46 to 48)", descriptor);
    if (descriptor >> 49 & 7)
        return refuse_matrix(problem, E_UNSUPPORTED, "a matrix descriptor with base offset %" PRIu64,
                             descriptor >> 49 & 7);
    if (tcgen05 && descriptor >> 52 & 1)
        return refuse_matrix(problem, E_UNSUPPORTED,
                             "matrix descriptor 0x%016" PRIx64 ", whose leading dimension is an address", descriptor);
    if (tcgen05 && descriptor >> 61 == 1)
        return refuse_matrix(problem, E_UNSUPPORTED,
                             "matrix descriptor 0x%016" PRIx64 ", swizzled by 128 bytes in atoms of 32", descriptor);
    const uint32_t span = span_of(descriptor, tcgen05);
    if (!span)
        return refuse_matrix(problem, E_RUNTIME, "matrix descriptor with swizzle %" PRIu64 ", which there is not",
                             descriptor >> 61);
    *matrix = (WarpMatrix){.start = address_field(descriptor, 0),
                           .lead = address_field(descriptor, 16),
                           .stride = address_field(descriptor, 32),
                           .span = span};
    return true;
}

bool warp_matrix_check(const WarpMatrix *matrix, WarpProblem *problem) {
    if (matrix->mn_major && matrix->bits == 32)
        return refuse_matrix(problem, E_UNSUPPORTED, "an MN-major matrix of %" PRIu64 "-bit elements", matrix->bits);
    if (matrix->mn_major && (matrix->padded || matrix->bits < 8))
        return refuse_matrix(problem, E_UNSUPPORTED, "an MN-major matrix of elements of less than 8 bits", 0);
    return true;
}

// ---- places

// Of 16 bytes: those of row `row` from byte 16 * piece of its depth on.
static uint32_t row_piece(const WarpMatrix *m, uint32_t row, uint32_t piece) {
    const uint32_t at = m->start + row % 8 * m->span + row / 8 * m->stride;
    return warp_swizzle(at + piece * (m->span > PIECE ? PIECE : m->lead), m->span);
}

// Of 16 bytes: those at depth k of the rows from byte 16 * piece on.
static uint32_t column_piece(const WarpMatrix *m, uint32_t k, uint32_t piece) {
    const uint32_t rb = piece * PIECE;
    const uint32_t along = rb % m->span + rb / m->span * (m->span > PIECE ? m->lead : m->stride);
    const uint32_t across = k % 8 * m->span + k / 8 * (m->span > PIECE ? m->stride : m->lead);
    return warp_swizzle(m->start + along + across, m->span);
}

// Pieces of 16 bytes along the depth, or along the rows of an MN-major matrix.
static uint32_t piece_count(const WarpMatrix *m) {
    if (m->mn_major) return (m->rows * m->bits + 127) / 128;
    return m->padded ? m->depth / 16 : (m->depth * m->bits + 127) / 128;
}

static bool exists(uint32_t address, uint32_t end, uint32_t *outside) {
    if (address >= WARP_SHARED_FIRST && address + PIECE <= end) return true;
    *outside = address;
    return false;
}

// ---- gathering

// Elements of 8 bits and more.
static bool gather_rows(const WarpMatrix *matrix, const uint8_t *shared, uint32_t end, uint8_t *dense,
                        uint32_t *outside) {
    const WarpMatrix m = *matrix; // as in warp_matrix_pieces
    const uint32_t pieces = piece_count(&m);
    for (uint32_t row = 0; row < m.rows; row++)
        for (uint32_t piece = 0; piece < pieces; piece++, dense += PIECE) {
            const uint32_t at = row_piece(&m, row, piece);
            if (!exists(at, end, outside)) return false;
            memcpy(dense, shared + at, PIECE);
        }
    return true;
}

// 16 elements of 4 or 6 bits, of which the first is in the lowest bits.
static void unpack(const uint8_t *packed, uint32_t bits, uint8_t *elements) {
    uint64_t word[2] = {0, 0};
    memcpy(word, packed, 2 * bits);
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t bit = i * bits;
        uint64_t value = word[bit / 64] >> bit % 64;
        if (bit % 64 + bits > 64) value |= word[1] << (64 - bit % 64);
        elements[i] = (uint8_t)(value & ((1u << bits) - 1));
    }
}

static void unpack_piece(const WarpMatrix *m, const uint8_t *piece, uint8_t *elements) {
    if (m->padded) {
        unpack(piece, m->bits, elements);
        return;
    }
    for (uint32_t i = 0; i < PIECE; i++) {
        elements[2 * i] = piece[i] & 15;
        elements[2 * i + 1] = piece[i] >> 4;
    }
}

// Elements of less than 8 bits, each to a byte.
static bool gather_small(const WarpMatrix *m, const uint8_t *shared, uint32_t end, uint8_t *dense, uint32_t *outside) {
    const uint32_t pieces = piece_count(m);
    for (uint32_t row = 0; row < m->rows; row++)
        for (uint32_t piece = 0; piece < pieces; piece++, dense += m->depth / pieces) {
            const uint32_t at = row_piece(m, row, piece);
            if (!exists(at, end, outside)) return false;
            unpack_piece(m, shared + at, dense);
        }
    return true;
}

typedef uint16_t Halves __attribute__((vector_size(16)));

// Eight rows of eight halves become columns.
static void transpose_halves(const Halves in[8], Halves out[8]) {
    Halves a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const Halves x = a[4 * i + j], y = a[4 * i + 2 + j];
            b[4 * i + j] = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
            b[4 * i + 2 + j] = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        out[i] = __builtin_shufflevector(b[i], b[4 + i], 0, 1, 2, 3, 8, 9, 10, 11);
        out[4 + i] = __builtin_shufflevector(b[i], b[4 + i], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

static bool gather_halves(const WarpMatrix *m, const uint8_t *shared, uint32_t end, uint8_t *dense, uint32_t *outside) {
    const uint32_t pieces = piece_count(m);
    for (uint32_t k = 0; k < m->depth; k += 8)
        for (uint32_t piece = 0; piece < pieces; piece++) {
            Halves in[8], out[8];
            for (uint32_t i = 0; i < 8; i++) {
                const uint32_t at = column_piece(m, k + i, piece);
                if (!exists(at, end, outside)) return false;
                memcpy(&in[i], shared + at, PIECE);
            }
            transpose_halves(in, out);
            for (uint32_t i = 0; i < 8 && 8 * piece + i < m->rows; i++)
                memcpy(dense + ((8 * piece + i) * m->depth + k) * 2, &out[i], PIECE);
        }
    return true;
}

static bool gather_bytes(const WarpMatrix *m, const uint8_t *shared, uint32_t end, uint8_t *dense, uint32_t *outside) {
    const uint32_t pieces = piece_count(m);
    for (uint32_t k = 0; k < m->depth; k++)
        for (uint32_t piece = 0; piece < pieces; piece++) {
            const uint32_t at = column_piece(m, k, piece);
            if (!exists(at, end, outside)) return false;
            for (uint32_t i = 0; i < PIECE && PIECE * piece + i < m->rows; i++)
                dense[(PIECE * piece + i) * m->depth + k] = shared[at + i];
        }
    return true;
}

bool warp_matrix_gather(const WarpMatrix *matrix, const uint8_t *shared, uint32_t end, void *dense, uint32_t *outside) {
    if (!matrix->mn_major) return (matrix->bits < 8 ? gather_small : gather_rows)(matrix, shared, end, dense, outside);
    return (matrix->bits == 16 ? gather_halves : gather_bytes)(matrix, shared, end, dense, outside);
}

// ---- what is read

static uint32_t add_piece(WarpPiece *pieces, uint32_t count, uint32_t address) {
    if (count && pieces[count - 1].address + pieces[count - 1].bytes == address) {
        pieces[count - 1].bytes += PIECE;
        return count;
    }
    if (count && pieces[count - 1].address == address + PIECE) {
        pieces[count - 1].address = address;
        pieces[count - 1].bytes += PIECE;
        return count;
    }
    if (count == WARP_MATRIX_PIECES) return count;
    pieces[count] = (WarpPiece){address, PIECE};
    return count + 1;
}

uint32_t warp_matrix_pieces(const WarpMatrix *matrix, uint32_t first, uint32_t rows,
                            WarpPiece pieces[WARP_MATRIX_PIECES]) {
    const WarpMatrix m = *matrix; // pieces might be a part of it, for all the compiler knows
    uint32_t count = 0;
    if (!m.mn_major) {
        const uint32_t in_row = piece_count(&m);
        for (uint32_t row = first; row < first + rows; row++)
            for (uint32_t piece = 0; piece < in_row; piece++)
                count = add_piece(pieces, count, row_piece(&m, row, piece));
        return count;
    }
    const uint32_t from = first * m.bits / 128, to = ((first + rows) * m.bits + 127) / 128;
    for (uint32_t k = 0; k < m.depth; k++)
        for (uint32_t piece = from; piece < to; piece++) count = add_piece(pieces, count, column_piece(&m, k, piece));
    return count;
}
