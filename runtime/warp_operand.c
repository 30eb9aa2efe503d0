// SPDX-License-Identifier: Apache-2.0
// What tensor cores read of shared memory: whether it is there, who wrote it, and how.
#include "runtime/warp_tensor.h"

static bool is_part(const WarpTileMark *mark, const WarpTileMark *tile) {
    return mark->place == tile->place && mark->first == tile->first;
}

static void end_tile(WarpBlock *block, const WarpTileMark *tile) {
    const WarpTileMark *marks = block->engines->tiles;
    uint32_t reader = 0, unread = 0;
    for (uint32_t i = tile->first / WARP_TILE_BYTES; i <= (tile->end - 1) / WARP_TILE_BYTES; i++)
        if (is_part(&marks[i], tile) && marks[i].reader) reader = marks[i].reader;
    for (uint32_t address = tile->first; reader && !unread && address < tile->end; address += 16)
        if (is_part(&marks[address / WARP_TILE_BYTES], tile) &&
            warp_unread_writer(block, WARP_SHARED, address) == tile->place)
            unread = address;
    if (!unread) return;
    warp_warn(block, (WarpFault){.kind = WARP_FAULT_PARTLY_READ,
                                 .space = WARP_SHARED,
                                 .sides = {{.place = reader}, {.place = tile->place}},
                                 .address = unread});
}

void warp_end_tiles(WarpBlock *block, uint32_t address, uint32_t end) {
    WarpEngines *engines = block->engines;
    const uint32_t last = (end + WARP_TILE_BYTES - 1) / WARP_TILE_BYTES;
    for (uint32_t i = address / WARP_TILE_BYTES; i < last && i < engines->tile_end; i++) {
        const WarpTileMark tile = engines->tiles[i];
        if (!tile.place) continue;
        end_tile(block, &tile);
        for (uint32_t at = tile.first; at < tile.end; at += WARP_TILE_BYTES)
            if (engines->tiles[at / WARP_TILE_BYTES].first == tile.first)
                engines->tiles[at / WARP_TILE_BYTES] = (WarpTileMark){0};
    }
}

void warp_mark_tile(WarpBlock *block, uint32_t place, uint32_t address, uint32_t bytes, uint32_t span, uint32_t row) {
    WarpEngines *engines = block->engines;
    const uint32_t first = address / WARP_TILE_BYTES, end = (address + bytes + WARP_TILE_BYTES - 1) / WARP_TILE_BYTES;
    for (uint32_t i = first; i < end && i < BASE_COUNT(engines->tiles); i++)
        engines->tiles[i] = (WarpTileMark){
            .place = place, .first = address, .end = address + bytes, .span = (uint8_t)span, .dense = row == span};
    if (end > engines->tile_end)
        engines->tile_end = end < BASE_COUNT(engines->tiles) ? end : (uint32_t)BASE_COUNT(engines->tiles);
}

// Whether groups of eight rows are apart by another number of bytes than in the tile that has them.
static bool has_other_stride(const WarpMatrix *matrix, const WarpTileMark *mark) {
    const uint32_t next = matrix->start + matrix->stride;
    return mark->dense && matrix->span > 16 && (matrix->mn_major ? matrix->depth : matrix->rows) > 8 &&
           matrix->stride != 8 * matrix->span && next > mark->first && next < mark->end;
}

// Warns if a tile that still is what the copy engine wrote is read with another swizzle or stride. Watches what threads
// wrote.
static void compare_tile(WarpBlock *block, const WarpSide *side, const WarpMatrix *matrix) {
    const WarpTileMark *mark = &block->engines->tiles[matrix->start / WARP_TILE_BYTES];
    const bool swizzle = mark->span != matrix->span;
    const WarpSide writer = warp_writer(block, WARP_SHARED, matrix->start);
    if (!mark->place || writer.place != mark->place) {
        if (writer.place) warp_watch(block, side, matrix);
        return;
    }
    if (!swizzle && !has_other_stride(matrix, mark)) return;
    warp_warn(block, (WarpFault){.kind = swizzle ? WARP_FAULT_MIXED : WARP_FAULT_STRIDE,
                                 .space = WARP_SHARED,
                                 .sides = {*side, writer},
                                 .address = matrix->start,
                                 .numbers = {swizzle ? matrix->span : matrix->stride, mark->span * (swizzle ? 1 : 8)}});
}

void warp_matrix_touch(WarpBlock *block, const WarpSide *side, const WarpDeed *deed, const WarpMatrix *matrix,
                       uint32_t first, uint32_t rows) {
    WarpPiece pieces[WARP_MATRIX_PIECES];
    const uint32_t count = warp_matrix_pieces(matrix, first, rows, pieces);
    for (uint32_t i = 0; i < count; i++) {
        const WarpPiece *piece = &pieces[i];
        if (piece->address < WARP_SHARED_FIRST || piece->address + piece->bytes > block->shared_end)
            warp_fail(block,
                      (WarpFault){.kind = WARP_FAULT_BOUNDS,
                                  .space = WARP_SHARED,
                                  .sides = {*side},
                                  .address = piece->address < WARP_SHARED_FIRST || piece->address > block->shared_end
                                                 ? piece->address
                                                 : block->shared_end});
    }
    warp_touch_pieces(block, deed, WARP_SHARED, pieces, count);
    for (uint32_t i = 0; i < count && block->engines->tile_end; i++)
        block->engines->tiles[pieces[i].address / WARP_TILE_BYTES].reader = side->place;
    if (matrix->start < block->shared_end) compare_tile(block, side, matrix);
}
