// SPDX-License-Identifier: Apache-2.0
// Tiles that threads have written and products read: whether the descriptor fits them. Nothing says how such a tile is
// meant, as a tensor map does. But a descriptor with a wrong swizzle, stride or direction reads some bytes twice, or
// leaves out bytes between those that it reads, which nobody else reads either. So what a product reads of a tile is
// watched until the tile is overwritten, or the block ends; the first times only, in some blocks.
#include "runtime/warp_tensor.h"

#include <string.h>

enum {
    PIECE = 16,
    LINE = 128,
    LINES_MAX = WARP_SHARED_MAX / LINE + 16,
    PLACES_MAX = 32,
    TIMES = 2,
    FIRST_BLOCKS = 4,
    EACH_BLOCK = 8
};

static uint32_t count_pieces(const WarpMatrix *matrix, WarpPiece pieces[WARP_MATRIX_PIECES]) {
    return warp_matrix_pieces(matrix, 0, matrix->rows, pieces);
}

// ---- bytes that are read twice

// A bit for each 16 bytes of shared memory.
typedef struct PieceSet {
    uint64_t bits[LINES_MAX * LINE / PIECE / 64];
} PieceSet;

// Adds pieces. An address that was there already; 0: none.
static uint32_t add_pieces(const WarpPiece *pieces, uint32_t count, PieceSet *set) {
    uint32_t twice = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t at = pieces[i].address; at < pieces[i].address + pieces[i].bytes; at += PIECE) {
            uint64_t *bits = &set->bits[at / PIECE / 64];
            const uint64_t bit = UINT64_C(1) << at / PIECE % 64;
            if (*bits & bit) twice = (uint32_t)at;
            *bits |= bit;
        }
    return twice;
}

static void warn_twice(WarpBlock *block, const WarpSide *side, const WarpMatrix *matrix, uint32_t twice) {
    const WarpSide writer = warp_writer(block, WARP_SHARED, twice);
    if (!writer.place) return;
    warp_warn(block, (WarpFault){.kind = WARP_FAULT_TWICE,
                                 .space = WARP_SHARED,
                                 .sides = {*side, writer},
                                 .address = twice,
                                 .numbers = {matrix->stride, matrix->lead, matrix->span}});
}

// ---- watching

// The lines of the pieces. False: not all of them are in shared memory (other warps will find that).
static bool find_ends(const WarpBlock *block, const WarpPiece *pieces, uint32_t count, uint32_t *first, uint32_t *end) {
    uint64_t lowest = UINT64_MAX, highest = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (pieces[i].address < lowest) lowest = pieces[i].address;
        if (pieces[i].address + pieces[i].bytes > highest) highest = pieces[i].address + pieces[i].bytes;
    }
    if (!count || lowest < WARP_SHARED_FIRST || highest > block->shared_end) return false;
    *first = (uint32_t)lowest / LINE * LINE;
    *end = ((uint32_t)highest + LINE - 1) / LINE * LINE;
    if (*end > block->shared_end) *end = block->shared_end;
    return true;
}

static void find_bounds(WarpBlock *block) {
    const WarpEngines *engines = block->engines;
    block->watch_first = block->watch_end = 0;
    for (uint32_t i = 0; i < engines->watch_count; i++) {
        const WarpWatch *watch = &engines->watches[i];
        if (!i || watch->first < block->watch_first) block->watch_first = watch->first;
        if (watch->end > block->watch_end) block->watch_end = watch->end;
    }
}

static bool is_watched(const WarpEngines *engines, uint32_t first, uint32_t end) {
    for (uint32_t i = 0; i < engines->watch_count; i++)
        if (engines->watches[i].first == first && engines->watches[i].end == end) return true;
    return engines->watch_count == WARP_WATCHES;
}

// The first blocks do all that others do in most kernels; some of the others are watched as well.
static bool is_watching(const WarpBlock *block) {
    return block->number < FIRST_BLOCKS || block->number % EACH_BLOCK == 0;
}

// Other products read some of the same bytes as another part of their matrix.
static void find_shifted(WarpEngines *engines, WarpWatch *watch, const PieceSet *set) {
    for (uint32_t i = 0; i < engines->watch_count; i++) {
        WarpWatch *other = &engines->watches[i];
        WarpPiece pieces[WARP_MATRIX_PIECES];
        if (other->first >= watch->end || other->end <= watch->first || other->first == watch->first) continue;
        PieceSet both = *set;
        if (add_pieces(pieces, count_pieces(&other->matrix, pieces), &both)) watch->shifted = other->shifted = true;
    }
}

void warp_watch(WarpBlock *block, const WarpSide *side, const WarpMatrix *matrix) {
    WarpEngines *engines = block->engines;
    uint8_t *times = &engines->watched[(matrix->start / PIECE * 31 + side->place) % WARP_WATCHED];
    WarpPiece pieces[WARP_MATRIX_PIECES];
    WarpWatch watch = {
        .matrix = *matrix, .side = *side, .forgotten = block->records.first, .next = block->records.next};
    if (*times >= TIMES || !is_watching(block)) return;
    const uint32_t count = count_pieces(matrix, pieces);
    if (!find_ends(block, pieces, count, &watch.first, &watch.end)) return;
    if (is_watched(engines, watch.first, watch.end)) return;
    PieceSet set = {0};
    const uint32_t twice = add_pieces(pieces, count, &set);
    if (twice && !*times) warn_twice(block, side, matrix, twice);
    find_shifted(engines, &watch, &set);
    ++*times;
    engines->watches[engines->watch_count++] = watch;
    find_bounds(block);
}

// ---- what nobody has read

// What is known of the lines of a tile, each 128 bytes.
typedef struct TileLine {
    uint8_t mine, read, unread; // pieces: that the product reads; of all, that somebody has read, or not
} TileLine;

typedef struct Tile {
    WarpBlock *block;
    const WarpWatch *watch;
    TileLine lines[LINES_MAX];
    uint32_t line_count;
    uint32_t places[PLACES_MAX], place_count; // of those who wrote what the product reads
    uint32_t read, unread, first_unread;      // pieces that these wrote; the address of one; 0: none
} Tile;

// Who wrote a piece before the product read the tile; 0: nobody, as far as is known.
static uint32_t find_place(const Tile *tile, uint32_t address) {
    const uint32_t record = warp_write_record(tile->block, WARP_SHARED, address);
    return record && record < tile->watch->next ? warp_writer(tile->block, WARP_SHARED, address).place : 0;
}

static bool has_place(const Tile *tile, uint32_t place) {
    for (uint32_t i = 0; i < tile->place_count; i++)
        if (tile->places[i] == place) return true;
    return false;
}

static void add_own(Tile *tile) {
    WarpPiece pieces[WARP_MATRIX_PIECES];
    const uint32_t count = count_pieces(&tile->watch->matrix, pieces);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < pieces[i].bytes; j += PIECE) {
            const uint32_t at = (uint32_t)pieces[i].address + j, place = find_place(tile, at);
            tile->lines[(at - tile->watch->first) / LINE].mine++;
            if (place && !has_place(tile, place) && tile->place_count < PLACES_MAX)
                tile->places[tile->place_count++] = place;
        }
}

static void add_others(Tile *tile) {
    for (uint32_t at = tile->watch->first; at < tile->watch->end; at += PIECE) {
        TileLine *line = &tile->lines[(at - tile->watch->first) / LINE];
        const uint32_t place = at < WARP_SHARED_FIRST ? 0 : find_place(tile, at);
        if (!place) continue;
        const bool read = warp_was_read(tile->block, WARP_SHARED, at);
        ++*(read ? &line->read : &line->unread);
        if (!has_place(tile, place)) continue;
        ++*(read ? &tile->read : &tile->unread);
        if (!read && !tile->first_unread) tile->first_unread = at;
    }
}

static bool is_whole(const TileLine *line) {
    return line->read + line->unread == LINE / PIECE;
}

// Lines between those that the product reads: the first one of a gap of which half or more are read less than the
// product's own lines; line_count: there is none.
static uint32_t find_gap(const Tile *tile) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < tile->line_count; i++)
        if (tile->lines[i].mine && tile->lines[i].read > most) most = tile->lines[i].read;
    for (uint32_t i = 1; i < tile->line_count; i++) {
        const uint32_t begin = i;
        uint32_t less = 0, first = 0;
        for (; i < tile->line_count && !tile->lines[i].mine; i++)
            if (is_whole(&tile->lines[i]) && tile->lines[i].read < most && !less++) first = i;
        if (i < tile->line_count && less && 2 * less >= i - begin) return first;
    }
    return tile->line_count;
}

static void judge(WarpBlock *block, const WarpWatch *watch) {
    Tile tile = {.block = block, .watch = watch, .line_count = (watch->end - watch->first + LINE - 1) / LINE};
    if (watch->forgotten != block->records.first) return;
    add_own(&tile);
    add_others(&tile);
    const uint32_t line = find_gap(&tile);
    uint32_t at = tile.first_unread;
    const bool half = watch->shifted && tile.unread && tile.unread >= tile.read;
    if (line == tile.line_count && !half) return;
    if (line < tile.line_count)
        for (at = watch->first + line * LINE; warp_was_read(block, WARP_SHARED, at);) at += PIECE;
    warp_warn(block, (WarpFault){.kind = WARP_FAULT_PARTLY_READ,
                                 .space = WARP_SHARED,
                                 .sides = {watch->side, warp_writer(block, WARP_SHARED, at)},
                                 .address = at});
}

void warp_end_watches(WarpBlock *block, uint64_t address, uint64_t end) {
    WarpEngines *engines = block->engines;
    for (uint32_t i = engines->watch_count; i--;) {
        const WarpWatch watch = engines->watches[i];
        if (watch.first >= end || watch.end <= address) continue;
        judge(block, &watch);
        engines->watches[i] = engines->watches[--engines->watch_count];
    }
    find_bounds(block);
}
