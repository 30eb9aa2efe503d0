// SPDX-License-Identifier: Apache-2.0
// Telling a regular set of elements in words: all of them, one tile or the last one, every k-th index of a dimension, a
// solid region.
#include "diff/compare.h"

#include <string.h>

static bool is_marked(const uint8_t *marks, uint64_t index) {
    return marks[index / 8] >> index % 8 & 1;
}

static const char *tile_word(Arena *arena, int64_t tile, int64_t tiles) {
    if (tile == tiles - 1) return arena_format(arena, "the last of %lld tiles", (long long)tiles);
    return arena_format(arena, "tile %lld of %lld", (long long)tile + 1, (long long)tiles);
}

// Differences that stay within one tile along some dimension.
static const char *tile_pattern(Arena *arena, const FpdBuffer *buffer, const ProgramUse *tile, const int64_t *low,
                                const int64_t *high) {
    const char *position = NULL, *along = NULL;
    bool all = true;
    for (uint32_t d = 0; d < buffer->rank; d++) {
        int64_t tiles = (buffer->shape[d] + tile->tile[d] - 1) / tile->tile[d], first = low[d] / tile->tile[d];
        position = position ? arena_format(arena, "%s, %lld", position, (long long)first)
                            : arena_format(arena, "%lld", (long long)first);
        if (tiles == 1) continue;
        if (high[d] / tile->tile[d] != first) {
            all = false;
            continue;
        }
        const char *word = arena_format(arena, "%s of dimension %u", tile_word(arena, first, tiles), d);
        along = along ? arena_format(arena, "%s, %s", along, word) : word;
    }
    if (!along) return NULL;
    return all ? arena_format(arena, "one block: tile (%s)", position) : arena_format(arena, "only in %s", along);
}

// The indices of dimension d at which something is marked: step k >= 2 from edge to edge?
static bool regular_steps(Arena *scratch, const FpdBuffer *buffer, const uint8_t *marks, uint32_t d, int64_t *step,
                          int64_t *start) {
    int64_t size = buffer->shape[d], previous = -1, count = 0;
    uint64_t inner = 1;
    uint8_t *seen = arena_alloc(scratch, (size_t)size);
    for (uint32_t e = d + 1; e < buffer->rank; e++) inner *= (uint64_t)buffer->shape[e];
    for (uint64_t i = 0; i < buffer->elements; i++)
        if (is_marked(marks, i)) seen[i / inner % (uint64_t)size] = 1;
    *step = 0;
    for (int64_t i = 0; i < size; i++) {
        if (!seen[i]) continue;
        if (count == 0) *start = i;
        if (count == 1) *step = i - previous;
        if (count > 1 && i - previous != *step) return false;
        previous = i;
        count++;
    }
    return count >= 3 && *step >= 2 && *start < *step && previous + *step >= size;
}

const char *fpd_pattern(Arena *arena, const FpdBuffer *buffer, const ProgramUse *tile, const uint8_t *marks,
                        uint64_t count, const int64_t *low, const int64_t *high) {
    const char *words = NULL;
    uint64_t volume = 1;
    if (count == buffer->elements) return buffer->elements > 1 ? "every element" : NULL;
    if (count == 1) return NULL;
    if (tile && tile->tile_rank == buffer->rank) words = tile_pattern(arena, buffer, tile, low, high);
    for (uint32_t d = 0; d < buffer->rank; d++) {
        Arena scratch = {0};
        int64_t step = 0, start = 0;
        if (buffer->shape[d] >= 3 && regular_steps(&scratch, buffer, marks, d, &step, &start)) {
            const char *word = arena_format(arena, "every %lld%s index of dimension %u from %lld", (long long)step,
                                            step == 2   ? "nd"
                                            : step == 3 ? "rd"
                                                        : "th",
                                            d, (long long)start);
            words = words ? arena_format(arena, "%s, %s", words, word) : word;
        }
        arena_reset(&scratch);
    }
    for (uint32_t d = 0; d < buffer->rank; d++) volume *= (uint64_t)(high[d] - low[d] + 1);
    if (!words && volume == count) return "all of that region";
    return words && volume == count ? arena_format(arena, "%s, all of it", words) : words;
}
