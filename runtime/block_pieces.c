// SPDX-License-Identifier: Apache-2.0
// Rectangles of bytes in a block's memory: whether they share a byte, whether one holds the other. Exact for any
// distances between rows.
#include "runtime/block.h"

bool block_read_piece(const uint64_t *operands, uint64_t limit, BlockPiece *piece) {
    *piece = (BlockPiece){operands[0], operands[1], operands[2], operands[3]};
    if (!piece->rows || !piece->bytes) {
        piece->rows = piece->bytes = 0;
        return true;
    }
    if (piece->offset >= limit || piece->bytes > limit - piece->offset) return false;
    if (piece->rows > 1 &&
        (piece->pitch < piece->bytes || piece->rows - 1 > (limit - piece->offset - piece->bytes) / piece->pitch))
        return false;
    if (piece->rows == 1 || piece->pitch == piece->bytes) {
        piece->bytes *= piece->rows;
        piece->rows = 1;
        piece->pitch = piece->bytes;
    }
    return true;
}

// Whether a row [begin, end) shares a byte with the piece.
static bool row_meets(const BlockPiece *piece, uint64_t begin, uint64_t end) {
    if (end <= piece->offset || begin >= block_piece_end(piece)) return false;
    if (begin <= piece->offset) return true;
    const uint64_t row = (begin - piece->offset) / piece->pitch, start = piece->offset + row * piece->pitch;
    return begin < start + piece->bytes || end > start + piece->pitch; // there is a next row: begin is before the end
}

bool block_pieces_meet(const BlockPiece *a, const BlockPiece *b) {
    if (block_piece_end(a) <= b->offset || block_piece_end(b) <= a->offset) return false;
    if (a->rows > b->rows) {
        const BlockPiece *other = a;
        a = b;
        b = other;
    }
    for (uint64_t i = 0, begin = a->offset; i < a->rows; i++, begin += a->pitch)
        if (row_meets(b, begin, begin + a->bytes)) return true;
    return false;
}

bool block_piece_covers(const BlockPiece *outer, const BlockPiece *inner) {
    if (inner->offset < outer->offset || block_piece_end(inner) > block_piece_end(outer)) return false;
    if (outer->rows == 1) return true;
    const bool parallel = inner->pitch == outer->pitch || inner->rows == 1;
    for (uint64_t i = 0, begin = inner->offset; i < (parallel ? 1 : inner->rows); i++, begin += inner->pitch)
        if ((begin - outer->offset) % outer->pitch + inner->bytes > outer->bytes) return false;
    return true;
}
