// SPDX-License-Identifier: Apache-2.0
// What nobody has written: what registers, local and shared memory hold then, and whether memory is read that way. It
// is zeros, or numbers that depend on the seed of the launch and on the place alone: so they are the same in every
// schedule. Both halves of a word, as floats of any format, are of the size of 1, with either sign; as integers they
// are neither 0 nor small; the bytes are none of them 0. Of seeds 2k - 1 and 2k all signs are opposite.
#include "runtime/warp.h"

#include <string.h>

enum { WORD_BYTES = 4 };
#define WORD_RANDOM UINT32_C(0x80FF80FF)
#define WORD_FIXED  UINT32_C(0x3F013F01)
#define WORD_SIGNS  UINT32_C(0x80008000)
// Of a seed of words: their signs are the opposite; it is none of 0.
#define SEED_FLIPS UINT64_C(1)
#define SEED_SOME  UINT64_C(2)

static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

// Of a block's memory: what the words of one kind begin with. 0: they are zeros.
typedef enum UnwrittenKind { UNWRITTEN_SHARED = 1, UNWRITTEN_LOCAL, UNWRITTEN_FRAME, UNWRITTEN_RESULT } UnwrittenKind;
static uint64_t seed_of(const WarpBlock *block, UnwrittenKind kind, uint32_t warp) {
    const uint64_t number = block->launch->threads->unspecified, pair = (number + 1) / 2;
    if (!number) return 0;
    return (mix(mix(pair << 32 | (uint64_t)kind << 16 | warp) + block->number) & ~SEED_FLIPS) | SEED_SOME |
           (number & 1 ? 0 : SEED_FLIPS);
}

static uint32_t word_at(uint64_t seed, uint64_t number) {
    if (!seed) return 0;
    const uint32_t word = (uint32_t)mix((seed & ~SEED_FLIPS) + number * UINT64_C(0x9E3779B97F4A7C15));
    return ((word & WORD_RANDOM) | WORD_FIXED) ^ (seed & SEED_FLIPS ? WORD_SIGNS : 0);
}

static void fill_words(uint64_t seed, void *memory, uint32_t bytes) {
    uint32_t *words = memory;
    if (!seed)
        memset(memory, 0, bytes);
    else
        for (uint32_t i = 0; i < bytes / WORD_BYTES; i++) words[i] = word_at(seed, i);
}

// ---- a block

static void begin_warp(const WarpBlock *block, Warp *warp) {
    const uint64_t result = seed_of(block, UNWRITTEN_RESULT, warp->number);
    memset(warp->local_written, 0, warp->local_used * sizeof *warp->local_written);
    warp->local_used = 0;
    warp->state.unspecified = (uint64_t)word_at(result, 1) << 32 | word_at(result, 2);
}

void warp_unwritten_begin(WarpBlock *block) {
    uint8_t *shared = block->shared + WARP_SHARED_FIRST;
    const uint32_t bytes = block->shared_end - WARP_SHARED_FIRST, whole = bytes / WORD_BYTES * WORD_BYTES;
    const uint64_t seed = seed_of(block, UNWRITTEN_SHARED, 0);
    const uint32_t last = word_at(seed, whole / WORD_BYTES);
    fill_words(seed, shared, whole);
    memcpy(shared + whole, &last, bytes - whole);
    block->unwritten[0] = false;
    block->unwritten_shared = block->unwritten_local = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) begin_warp(block, &block->warps[i]);
}

static void note_lowest(uint32_t place, uint64_t block, uint32_t *lowest, uint64_t *lowest_block) {
    if (!place || block >= *lowest_block) return;
    *lowest = place;
    *lowest_block = block;
}

void warp_unwritten_end(WarpBlock *block) {
    WarpLaunch *launch = block->launch;
    pthread_mutex_lock(&launch->mutex);
    RtUnwritten *all = &launch->unwritten;
    note_lowest(block->unwritten_shared, block->number, &all->shared, &launch->unwritten_shared_block);
    note_lowest(block->unwritten_local, block->number, &all->local, &launch->unwritten_local_block);
    if (all->rounds < block->rounds) all->rounds = block->rounds;
    pthread_mutex_unlock(&launch->mutex);
}

void warp_update_shared(WarpBlock *block, uint64_t offset, uint32_t bytes, uint32_t place) {
    for (uint32_t i = 0; i < bytes && !block->unwritten[0]; i++) {
        if (warp_write_record(block, WARP_SHARED, offset + i)) continue;
        block->unwritten[0] = true;
        block->unwritten_shared = place;
    }
}

// ---- functions

void warp_enter(WarpState *state, void *frame, uint32_t bytes, uint32_t local) {
    Warp *warp = (Warp *)(void *)state;
    const uint32_t first = state->local_top - local;
    fill_words(seed_of(warp->block, UNWRITTEN_FRAME, warp->number), frame, bytes);
    // What lay there belonged to a function that has returned.
    if (first < warp->local_used)
        memset(warp->local_written + first, 0, (warp->local_used - first) * sizeof *warp->local_written);
    if (warp->local_used > first) warp->local_used = first;
}

// ---- local memory

void warp_write_local(Warp *warp, uint32_t lanes, uint64_t offset, uint32_t bytes) {
    if (warp->local_used < offset + bytes) warp->local_used = (uint32_t)offset + bytes;
    for (uint32_t i = 0; i < bytes; i++) warp->local_written[offset + i] |= lanes;
}

static void put_local(const Warp *warp, uint64_t seed, uint32_t lane, uint64_t offset) {
    const uint64_t number = offset / WORD_BYTES * WARP_LANES + lane;
    const uint32_t word = word_at(seed, number);
    warp->local[number * WORD_BYTES + offset % WORD_BYTES] = (uint8_t)(word >> 8 * (offset % WORD_BYTES));
}

void warp_read_local(Warp *warp, uint32_t lanes, uint64_t offset, uint32_t bytes, uint32_t place) {
    uint32_t missing = 0;
    for (uint32_t i = 0; i < bytes; i++) missing |= lanes & ~warp->local_written[offset + i];
    if (!missing) return;
    const uint64_t seed = seed_of(warp->block, UNWRITTEN_LOCAL, warp->number);
    for (uint32_t i = 0; i < bytes; i++)
        for (uint32_t rest = lanes & ~warp->local_written[offset + i]; rest; rest &= rest - 1)
            put_local(warp, seed, (uint32_t)__builtin_ctz(rest), offset + i);
    warp_write_local(warp, lanes, offset, bytes);
    if (!warp->block->unwritten_local) warp->block->unwritten_local = place;
}
