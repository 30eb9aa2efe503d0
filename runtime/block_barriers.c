// SPDX-License-Identifier: Apache-2.0
// mbarriers: a phase ends when no arrival is missing and as many bytes have come as were announced. They are known by
// their offset; the bytes there are not touched. Those who wait for a phase learn what those knew who arrived in it.
#include "runtime/block.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

enum { COUNT_MAX = BLOCK_ARRIVALS_MAX, BARRIER_BYTES = 8 };

static uint32_t barrier_at(const Block *block, uint64_t offset) {
    uint32_t i = 0;
    while (i < block->barrier_count && block->barriers[i].offset != offset) i++;
    return i;
}

static void begin_text(const Block *block, uint32_t place, Buffer *text) {
    block_print_place(block, place, text);
    buffer_print(text, " ");
}

// Whether who made or ended it last did so before what the part does now.
static bool knows_barrier(const BlockPart *part, const BlockBarrier *barrier) {
    return part->number == barrier->changer || part->clock.time[barrier->changer] >= barrier->changed;
}

// `verb`: what the running part does; `changes`: what `other` does to the mbarrier.
static void find_unordered(Block *block, const BlockBarrier *barrier, uint32_t place, const char *verb, uint32_t other,
                           const char *changes) {
    if (!block_is_new(block, place, other)) return;
    Buffer text = {0};
    block_print_place(block, place, &text);
    buffer_print(&text, " in ");
    block_print_part(block->current->number, &text);
    buffer_print(&text, " %s an mbarrier that ", verb);
    block_print_place(block, other, &text);
    buffer_print(&text, " in ");
    block_print_part(barrier->changer, &text);
    buffer_print(&text, " %s, and nothing orders the two", changes);
    block_find(block, RT_FINDING_RACE, place, other, &text);
}

uint32_t block_find_barrier(Block *block, uint32_t place, uint64_t offset) {
    const uint32_t number = barrier_at(block, offset);
    if (number == block->barrier_count)
        block_fail(block, place, "uses an mbarrier at offset %" PRIu64 ", but none was made there", offset);
    const BlockBarrier *barrier = &block->barriers[number];
    BlockPart *part = block->current;
    if (barrier->live) {
        if (part->used[number].life != barrier->life && !knows_barrier(part, barrier))
            find_unordered(block, barrier, place, "uses", barrier->made, "makes");
        part->used[number] = (BlockUsed){place, barrier->life, part->clock.time[part->number]};
        return number;
    }
    char ended[BLOCK_PLACE_TEXT];
    block_fail(block, place, "uses an mbarrier that %s has ended", block_place_text(block, barrier->ended, ended));
}

// Parts that wait for the mbarrier, which ends.
static void check_awaited(Block *block, uint32_t number, uint32_t place) {
    for (uint32_t i = 0; i < block->part_count; i++) {
        const BlockPart *part = &block->parts[i];
        if (!part->live || part->wait.kind != BLOCK_AWAITS_BARRIER || part->wait.barrier != number ||
            part->wait.life != block->barriers[number].life || block->barriers[number].phase > part->wait.phase ||
            !block_is_new(block, place, part->wait.place))
            continue;
        Buffer text = {0};
        begin_text(block, place, &text);
        buffer_print(&text, "ends an mbarrier that ");
        block_print_part(i, &text);
        buffer_print(&text, " waits for in ");
        block_print_place(block, part->wait.place, &text);
        block_find(block, RT_FINDING_AWAITED, place, part->wait.place, &text);
    }
}

// Parts that have used the mbarrier, or will: nothing says that they have before it ends.
static void check_used(Block *block, uint32_t number, uint32_t place) {
    const BlockPart *ender = block->current;
    for (uint32_t i = 0; i < block->part_count; i++) {
        const BlockUsed *used = &block->parts[i].used[number];
        if (i == ender->number || used->life != block->barriers[number].life || ender->clock.time[i] >= used->time ||
            !block_is_new(block, place, used->place))
            continue;
        Buffer text = {0};
        begin_text(block, place, &text);
        buffer_print(&text, "in ");
        block_print_part(ender->number, &text);
        buffer_print(&text, " ends an mbarrier that ");
        block_print_place(block, used->place, &text);
        buffer_print(&text, " in ");
        block_print_part(i, &text);
        buffer_print(&text, " uses, and nothing orders the two");
        block_find(block, RT_FINDING_RACE, place, used->place, &text);
    }
}

// Operations that have not arrived there yet, as far as the part knows that ends it.
static void check_arriving(Block *block, uint32_t number, uint32_t place) {
    const uint32_t arriver = block_find_arriver(block->current, number);
    if (!arriver || !block_is_new(block, place, arriver)) return;
    Buffer text = {0};
    begin_text(block, place, &text);
    buffer_print(&text, "ends an mbarrier where ");
    block_print_place(block, arriver, &text);
    buffer_print(&text, " is still to arrive: nothing that ");
    block_print_part(block->current->number, &text);
    buffer_print(&text, " has waited for says that it has");
    block_find(block, RT_FINDING_ENDED_EARLY, place, arriver, &text);
}

static void note_change(BlockBarrier *barrier, const BlockPart *part) {
    barrier->changer = part->number;
    barrier->changed = part->clock.time[part->number];
}

static void end_barrier(Block *block, uint32_t number, uint32_t place) {
    BlockBarrier *barrier = &block->barriers[number];
    if (!barrier->live) return;
    check_awaited(block, number, place);
    check_used(block, number, place);
    check_arriving(block, number, place);
    barrier->live = false;
    barrier->ended = place;
    note_change(barrier, block->current);
}

void block_end_barriers(Block *block, uint32_t place, uint64_t offset, uint64_t bytes) {
    for (uint32_t i = 0; i < block->barrier_count; i++)
        if (block->barriers[i].offset - offset < bytes) end_barrier(block, i, place);
}

uint64_t block_operate_INIT(const BlockCall *call) {
    Block *block = call->block;
    const uint64_t offset = call->operands[0], count = call->operands[1];
    if (offset % BARRIER_BYTES || offset >= block->bytes || block->bytes - offset < BARRIER_BYTES)
        block_fail(block, call->place, "makes an mbarrier at offset %" PRId64 ", where none can be", (int64_t)offset);
    if (count < 1 || count > COUNT_MAX)
        block_fail(block, call->place, "makes an mbarrier for %" PRId64 " arrivals, 1 to %d are possible",
                   (int64_t)count, COUNT_MAX);
    const uint32_t number = barrier_at(block, offset);
    if (number == BLOCK_BARRIERS_MAX)
        block_fail(block, call->place, "makes an mbarrier, but a block can have %d at most", BLOCK_BARRIERS_MAX);
    BlockBarrier *barrier = &block->barriers[number];
    if (number == block->barrier_count) {
        memset(barrier, 0, offsetof(BlockBarrier, ends));
        barrier->offset = offset;
        block->barrier_count++;
    } else if (!barrier->live) {
        if (!knows_barrier(call->part, barrier))
            find_unordered(block, barrier, call->place, "makes", barrier->ended, "ends");
    } else {
        if (block_is_new(block, call->place, barrier->made)) {
            Buffer text = {0};
            begin_text(block, call->place, &text);
            buffer_print(&text, "makes an mbarrier where ");
            block_print_place(block, barrier->made, &text);
            buffer_print(&text, " has made one, which was not invalidated");
            block_find(block, RT_FINDING_INIT_TWICE, call->place, barrier->made, &text);
        }
        end_barrier(block, number, call->place);
    }
    barrier->live = true;
    barrier->life++;
    barrier->count = (uint32_t)count;
    barrier->pending = (int64_t)count;
    barrier->bytes = barrier->expected = barrier->came = 0;
    barrier->first = barrier->phase;
    barrier->arrivals = (BlockArrivals){0};
    barrier->made = call->place;
    barrier->expecter = 0;
    note_change(barrier, call->part);
    return 0;
}

uint64_t block_operate_INVALIDATE(const BlockCall *call) {
    end_barrier(call->block, block_find_barrier(call->block, call->place, call->operands[0]), call->place);
    return 0;
}

// ---- arrivals -------------------------------------------------------------------------------------------------------

// Operations whose phase ends without the bytes that they bring.
static void check_late(Block *block, uint32_t number) {
    const BlockBarrier *barrier = &block->barriers[number];
    const uint32_t other = barrier->expecter ? barrier->expecter : barrier->made;
    for (const BlockPending *late = block->pendings.first; late; late = late->next) {
        if (late->barrier != number || late->life != barrier->life || late->phase != barrier->phase || !late->bytes ||
            !block_is_new(block, late->place, other))
            continue;
        Buffer text = {0};
        begin_text(block, late->place, &text);
        buffer_print(&text, "brings %" PRId64 " bytes to an mbarrier whose phase ends without them: ", late->bytes);
        block_print_place(block, other, &text);
        buffer_print(&text, " has announced %" PRId64 " bytes, and more are to come", barrier->expected);
        block_find(block, RT_FINDING_BYTES, late->place, other, &text);
    }
}

// Those who wait for the phase that has just ended learn what was known then: on a GPU they may go on before the next
// one ends.
static void teach_waiting(Block *block, uint32_t number) {
    const BlockBarrier *barrier = &block->barriers[number];
    for (uint32_t i = 0; i < block->part_count; i++) {
        BlockPart *part = &block->parts[i];
        const BlockWait *wait = &part->wait;
        if (part->live && wait->kind == BLOCK_AWAITS_BARRIER && wait->barrier == number &&
            wait->life == barrier->life && wait->phase + 1 == barrier->phase)
            block_clock_join(block, &part->clock, &barrier->completed);
    }
}

static void end_phase(Block *block, uint32_t number, uint32_t place) {
    BlockBarrier *barrier = &block->barriers[number];
    if (barrier->pending || barrier->bytes) return;
    if (block->launch->checks) check_late(block, number);
    barrier->phase++;
    barrier->pending = barrier->count;
    barrier->expected = barrier->came = 0;
    block_clock_join(block, &barrier->completed, &barrier->arriving);
    block_clock_clear(block, &barrier->arriving);
    barrier->completed.phases[number] = barrier->phase;
    block_end_of_phase(block, number, place);
    teach_waiting(block, number);
}

static void find_bytes(Block *block, uint32_t number, uint32_t place) {
    const BlockBarrier *barrier = &block->barriers[number];
    const uint32_t other = barrier->expecter ? barrier->expecter : barrier->made;
    if (!block_is_new(block, place, other)) return;
    Buffer text = {0};
    begin_text(block, place, &text);
    buffer_print(&text, "arrives at an mbarrier to which more bytes have come than ");
    block_print_place(block, other, &text);
    buffer_print(&text, " has announced: %" PRId64 " of %" PRId64, barrier->came, barrier->expected);
    block_find(block, RT_FINDING_BYTES, place, other, &text);
}

void block_check_bytes(Block *block) {
    for (uint32_t i = 0; i < block->barrier_count; i++)
        if (block->barriers[i].live && block->barriers[i].bytes < 0) find_bytes(block, i, block->barriers[i].bringer);
}

void block_arrive(Block *block, uint32_t number, uint32_t place, int64_t count) {
    BlockBarrier *barrier = &block->barriers[number];
    if (count > barrier->pending) {
        if (block_is_new(block, place, barrier->made)) {
            Buffer text = {0};
            begin_text(block, place, &text);
            buffer_print(&text, "arrives more often than the %" PRIu32 " of a phase of the mbarrier that ",
                         barrier->count);
            block_print_place(block, barrier->made, &text);
            buffer_print(&text, " has made");
            if (barrier->bytes) buffer_print(&text, "; %" PRId64 " bytes are to come in this phase", barrier->bytes);
            block_find(block, RT_FINDING_ARRIVALS, place, barrier->made, &text);
        }
        count = barrier->pending;
    }
    barrier->pending -= count;
    if (!barrier->pending && barrier->bytes < 0) find_bytes(block, number, place);
    end_phase(block, number, place);
}

void block_bytes_came(Block *block, uint32_t number, uint32_t place, int64_t bytes) {
    BlockBarrier *barrier = &block->barriers[number];
    barrier->came += bytes;
    barrier->bringer = place;
    barrier->bytes -= bytes;
    if (!barrier->pending && barrier->bytes < 0) find_bytes(block, number, place);
    end_phase(block, number, place);
}

uint64_t block_operate_EXPECT(const BlockCall *call) {
    Block *block = call->block;
    const uint32_t number = block_find_barrier(block, call->place, call->operands[0]);
    const int64_t bytes = (int64_t)call->operands[1];
    BlockBarrier *barrier = &block->barriers[number];
    if (bytes < 0 || bytes > COUNT_MAX)
        block_fail(block, call->place, "announces %" PRId64 " bytes, 0 to %d are possible", bytes, COUNT_MAX);
    if (barrier->pending) {
        barrier->expected += bytes;
        barrier->bytes += bytes;
        barrier->expecter = call->place;
    }
    block_note_arrival(block, number, call->part, call->place);
    block_release(call->part, &barrier->arriving);
    block_arrive(block, number, call->place, 1);
    return 0;
}

uint64_t block_operate_ARRIVE(const BlockCall *call) {
    Block *block = call->block;
    const uint32_t number = block_find_barrier(block, call->place, call->operands[0]);
    const int64_t count = (int64_t)call->operands[1];
    if (count < 1 || count > COUNT_MAX)
        block_fail(block, call->place, "arrives %" PRId64 " times, 1 to %d are possible", count, COUNT_MAX);
    block_note_arrival(block, number, call->part, call->place);
    block_release(call->part, &block->barriers[number].arriving);
    block_arrive(block, number, call->place, count);
    return 0;
}

uint64_t block_operate_WAIT(const BlockCall *call) {
    Block *block = call->block;
    BlockPart *part = call->part;
    const uint32_t number = block_find_barrier(block, call->place, call->operands[0]);
    BlockBarrier *barrier = &block->barriers[number];
    barrier->awaited = true;
    const uint32_t phase = barrier->phase; // that is under way
    const bool waits = ((phase - barrier->first) & 1) == (call->operands[1] & 1);
    block_check_phase(part, number, call->place, call->operands[1] & 1, waits ? phase + 1 : phase);
    if (waits)
        block_await(part, (BlockWait){BLOCK_AWAITS_BARRIER, call->place, number, phase, barrier->life});
    else
        block_clock_join(block, &part->clock, &barrier->completed);
    part->waited[number] =
        (BlockWaited){call->place, waits ? phase + 1 : phase, barrier->life, part->clock.time[part->number]};
    return 0;
}
