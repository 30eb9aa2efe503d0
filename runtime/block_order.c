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

void block_clock_join(BlockClock *clock, const BlockClock *other) {
    uint32_t *to = clock->time;
    const uint32_t *from = other->time;
    _Static_assert(sizeof *clock % sizeof *to == 0, "a clock is numbers");
    for (size_t i = 0; i < sizeof *clock / sizeof *to; i++) to[i] = to[i] > from[i] ? to[i] : from[i];
}

void block_release(BlockPart *part, BlockClock *clock) {
    block_clock_join(clock, &part->clock);
    part->clock.time[part->number]++;
}

uint64_t block_operate_FENCE(const BlockCall *call) {
    BlockClock *clock = &call->part->clock;
    for (uint32_t i = 0; i < BLOCK_PARTS_MAX; i++) block_learn(&clock->fenced[i], clock->time[i]);
    clock->time[call->part->number]++;
    return 0;
}
