// SPDX-License-Identifier: Apache-2.0
// Waits for phases of mbarriers that others may overtake, and arrivals that may come in the phase before. A wait has
// only the parity of its phase: when the next phase is over, too, it waits for the one behind that. So what ends the
// next phase has to come behind the wait, in every order that the block's barriers allow.
//
// A wait means the first phase of its parity that is not known to be over, or the last one that is. Both checks are of
// what is known alone: when a phase ends, those who arrived in it must know of the waits for the phase before; and when
// a part waits, no later phase may have ended than the one that it means. Who arrives has to know that the phase before
// is over.
#include "runtime/block.h"

#include <inttypes.h>

// ---- which phases a part knows to be over ---------------------------------------------------------------------------

// Whether who has the clock knows of all these arrivals of operations; those of loads are known by the phases of the
// mbarrier alone.
static bool knows_operations(const Block *block, const BlockClock *clock, uint32_t number,
                             const BlockArrivals *arrivals) {
    if (clock->phases[number] < arrivals->phases) return false;
    for (uint32_t i = 0; i < block->part_count; i++)
        for (uint32_t queue = 0; queue < BLOCK_QUEUES; queue++)
            if (clock->done[i][queue] < arrivals->done[i][queue]) return false;
    return true;
}

static bool knows_arrivals(const Block *block, const BlockClock *clock, uint32_t number,
                           const BlockArrivals *arrivals) {
    for (uint32_t i = 0; i < block->part_count; i++)
        if (clock->time[i] < arrivals->time[i]) return false;
    return knows_operations(block, clock, number, arrivals);
}

// How many phases it knows to be over: it was told, or knows of all arrivals of the phase and of those before.
static uint32_t known_phases(const BlockClock *clock, const Block *block, uint32_t number) {
    const BlockBarrier *barrier = &block->barriers[number];
    const uint32_t told = clock->phases[number], least = told > barrier->first ? told : barrier->first;
    for (uint32_t over = barrier->phase; over > least && over + BLOCK_ENDS_KEPT > barrier->phase; over--)
        if (knows_arrivals(block, clock, number, &barrier->ends[(over - 1) % BLOCK_ENDS_KEPT].arrivals)) return over;
    return least;
}

uint32_t block_find_arriver(const BlockPart *part, uint32_t number) {
    const Block *block = part->block;
    const BlockBarrier *barrier = &block->barriers[number];
    for (const BlockPending *pending = block->pendings.first; pending; pending = pending->next)
        if (pending->barrier == number && pending->life == barrier->life) return pending->place;
    return knows_operations(block, &part->clock, number, &barrier->arrivals) ? 0 : barrier->arriver;
}

// ---- arrivals -------------------------------------------------------------------------------------------------------

// Who arrives has to know that the phase before is over: else it arrives in that one now and then.
static void check_arrival(Block *block, uint32_t number, const BlockClock *clock, uint32_t part, uint32_t place) {
    const BlockBarrier *barrier = &block->barriers[number];
    if (!block->launch->checks || known_phases(clock, block, number) == barrier->phase) return;
    const uint32_t other = barrier->ends[(barrier->phase - 1) % BLOCK_ENDS_KEPT].place;
    if (!block_is_new(block, place, other)) return;
    Buffer text = {0};
    block_print_place(block, place, &text);
    buffer_print(&text, " of ");
    block_print_part(part, &text);
    buffer_print(&text, " arrives in phase %" PRIu32 " of the mbarrier that ", barrier->phase - barrier->first);
    block_print_place(block, barrier->made, &text);
    buffer_print(&text, " has made, and nothing orders it behind ");
    block_print_place(block, other, &text);
    buffer_print(&text, ", which ends phase %" PRIu32 ": if that comes later, it arrives in that phase",
                 barrier->phase - barrier->first - 1);
    block_find(block, RT_FINDING_EARLY, place, other, &text);
}

void block_note_arrival(Block *block, uint32_t number, const BlockPart *part, uint32_t place) {
    BlockBarrier *barrier = &block->barriers[number];
    check_arrival(block, number, &part->clock, part->number, place);
    block_learn(&barrier->arrivals.time[part->number], part->clock.time[part->number]);
}

void block_note_operation(Block *block, uint32_t number, const BlockPending *pending, bool in_order) {
    BlockBarrier *barrier = &block->barriers[number];
    const BlockKept *known = &pending->known;
    barrier->arriver = pending->place;
    if (number >= known->extent.barriers || known->clock.phases[number] < barrier->phase) {
        BlockClock clock = {0};
        block_clock_learn(&clock, known);
        if (in_order) block_learn(&clock.done[pending->part][pending->queue], pending->number);
        check_arrival(block, number, &clock, pending->part, pending->place);
    }
    if (in_order)
        block_learn(&barrier->arrivals.done[pending->part][pending->queue], pending->number);
    else
        barrier->arrivals.phases = barrier->phase + 1;
}

// ---- findings -------------------------------------------------------------------------------------------------------

// `over`: how many phases are over behind the wait that is meant; `place` is what ends the next one.
static void find_overtaken(const BlockPart *part, uint32_t number, uint32_t wait, uint32_t over, uint32_t place) {
    Block *block = part->block;
    const BlockBarrier *barrier = &block->barriers[number];
    if (!block_is_new(block, wait, place)) return;
    Buffer text = {0};
    block_print_place(block, wait, &text);
    buffer_print(&text, " in ");
    block_print_part(part->number, &text);
    if (over == barrier->first)
        buffer_print(&text, " asks for the phase before the first");
    else
        buffer_print(&text, " waits for phase %" PRIu32, over - barrier->first - 1);
    buffer_print(&text, " of the mbarrier that ");
    block_print_place(block, barrier->made, &text);
    buffer_print(&text, " has made, and nothing orders it before ");
    block_print_place(block, place, &text);
    buffer_print(&text, ", which ends phase %" PRIu32 ": if that comes first, the wait is for phase %" PRIu32,
                 over - barrier->first, over - barrier->first + 1);
    block_find(block, RT_FINDING_OVERTAKEN, wait, place, &text);
}

static bool waits_for(const BlockPart *part, uint32_t number, uint32_t life) {
    return part->live && part->wait.kind == BLOCK_AWAITS_BARRIER && part->wait.barrier == number &&
           part->wait.life == life;
}

void block_end_of_phase(Block *block, uint32_t number, uint32_t place) {
    BlockBarrier *barrier = &block->barriers[number];
    const uint32_t over = barrier->phase - 1; // phases before the one that has ended
    if (!block->launch->checks) return;
    BlockEnd *end = &barrier->ends[over % BLOCK_ENDS_KEPT];
    end->place = place;
    end->arrivals = barrier->arrivals;
    for (uint32_t i = 0; i < block->part_count; i++) {
        const BlockPart *part = &block->parts[i];
        const BlockWaited *waited = &part->waited[number];
        if (waits_for(part, number, barrier->life) && part->wait.phase + 1 == over)
            find_overtaken(part, number, part->wait.place, over, place);
        else if (waited->life == barrier->life && waited->phases == over && barrier->completed.time[i] < waited->time)
            find_overtaken(part, number, waited->place, over, place);
    }
}

void block_check_phase(const BlockPart *part, uint32_t number, uint32_t place, uint32_t parity, uint32_t phases) {
    const BlockBarrier *barrier = &part->block->barriers[number];
    if (!part->block->launch->checks) return;
    const uint32_t known = known_phases(&part->clock, part->block, number);
    const uint32_t meant = known + (((known - barrier->first) & 1) == parity);
    if (meant >= phases) return;
    const uint32_t kept = barrier->phase < BLOCK_ENDS_KEPT ? 0 : barrier->phase - BLOCK_ENDS_KEPT;
    find_overtaken(part, number, place, meant, barrier->ends[(meant < kept ? kept : meant) % BLOCK_ENDS_KEPT].place);
}
