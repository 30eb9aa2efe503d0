// SPDX-License-Identifier: Apache-2.0
// What tensor cores read of shared memory: whether it is there, who wrote it, and how.
#include "runtime/warp_tensor.h"

void warp_mark_tile(WarpBlock *block, uint32_t place, uint32_t address, uint32_t bytes, uint32_t span) {
    WarpEngines *engines = block->engines;
    const uint32_t first = address / WARP_TILE_BYTES, end = (address + bytes + WARP_TILE_BYTES - 1) / WARP_TILE_BYTES;
    for (uint32_t i = first; i < end && i < BASE_COUNT(engines->tiles); i++)
        engines->tiles[i] = (WarpTileMark){.place = place, .span = (uint8_t)span};
    if (end > engines->tile_end)
        engines->tile_end = end < BASE_COUNT(engines->tiles) ? end : (uint32_t)BASE_COUNT(engines->tiles);
}

// Warns if a tile that still is what the copy engine wrote is read with another swizzle.
static void compare_tile(WarpBlock *block, const WarpSide *side, const WarpMatrix *matrix) {
    const WarpTileMark *mark = &block->engines->tiles[matrix->start / WARP_TILE_BYTES];
    if (!mark->place || mark->span == matrix->span) return;
    const WarpSide writer = warp_writer(block, WARP_SHARED, matrix->start);
    if (writer.place != mark->place) return;
    warp_warn(block, (WarpFault){.kind = WARP_FAULT_MIXED,
                                 .space = WARP_SHARED,
                                 .sides = {*side, writer},
                                 .address = matrix->start,
                                 .numbers = {matrix->span, mark->span}});
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
    if (matrix->start < block->shared_end) compare_tile(block, side, matrix);
}
