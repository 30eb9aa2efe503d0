// SPDX-License-Identifier: Apache-2.0
// What the parts of a block know of each other: vector clocks.
//
// A part has a number, its time. Where it hands on what it knows, others learn its time, which then grows: so an access
// is known to those who know the time at which it was made. Operations of a queue are numbered; those of queues whose
// operations end in order are known by how many of them are done, copies to shared memory by how many phases of the
// mbarrier that they arrive at are over. All of these numbers only grow, and who knows one knows all below it.
//
// An operation carries what its part knew when it was issued, and whoever learns that it is done learns that, too.
#include "runtime/block.h"

static void join(uint32_t *restrict to, const uint32_t *restrict from, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) to[i] = to[i] > from[i] ? to[i] : from[i];
}

static void join_some(BlockClock *clock, const BlockClock *other, BlockExtent extent) {
    join(clock->time, other->time, extent.parts);
    join(clock->fenced, other->fenced, extent.parts);
    join(clock->done[0], other->done[0], extent.parts * BLOCK_QUEUES);
    join(clock->phases, other->phases, extent.barriers);
}

void block_clock_join(const Block *block, BlockClock *clock, const BlockClock *other) {
    join_some(clock, other, (BlockExtent){block->part_count, block->barrier_count});
}

void block_clock_clear(const Block *block, BlockClock *clock) {
    memset(clock->time, 0, block->part_count * sizeof *clock->time);
    memset(clock->fenced, 0, block->part_count * sizeof *clock->fenced);
    memset(clock->done, 0, block->part_count * sizeof *clock->done);
    memset(clock->phases, 0, block->barrier_count * sizeof *clock->phases);
}

void block_clock_keep(const BlockPart *part, BlockKept *kept) {
    const BlockClock *from = &part->clock;
    const BlockExtent extent = {part->block->part_count, part->block->barrier_count};
    kept->extent = extent;
    memcpy(kept->clock.time, from->time, extent.parts * sizeof *from->time);
    memcpy(kept->clock.fenced, from->fenced, extent.parts * sizeof *from->fenced);
    memcpy(kept->clock.done, from->done, extent.parts * sizeof *from->done);
    memcpy(kept->clock.phases, from->phases, extent.barriers * sizeof *from->phases);
}

void block_clock_learn(BlockClock *clock, const BlockKept *kept) {
    join_some(clock, &kept->clock, kept->extent);
}

void block_release(BlockPart *part, BlockClock *clock) {
    block_clock_join(part->block, clock, &part->clock);
    part->clock.time[part->number]++;
}

uint64_t block_operate_FENCE(const BlockCall *call) {
    BlockClock *clock = &call->part->clock;
    for (uint32_t i = 0; i < BLOCK_PARTS_MAX; i++) block_learn(&clock->fenced[i], clock->time[i]);
    clock->time[call->part->number]++;
    return 0;
}
