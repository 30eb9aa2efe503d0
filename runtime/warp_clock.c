// SPDX-License-Identifier: Apache-2.0
// What the warps of a block know of what others have done: vector clocks of warps and of queues of asynchronous
// operations.
//
// A warp has a number, its time. Where it hands on what it knows, others learn its time, which then grows: so an access
// is known to those who know the time at which it was made. Lanes of a warp do not know of each other what they have
// done since all of them last came to a .sync instruction, but for those who met at one without the others (Warp.met).
// If only some lanes hand on, others therefore learn two numbers: that of all lanes, up to that instruction, and that
// of these lanes and those they have met. In the same way, what only some lanes have learned is kept apart from what
// all know (Warp.ahead) until the next such instruction. A wait for cp.async tells each lane of its own alone.
//
// Where this is inexact it is so in one direction: more counts as known than is. No race is reported that is not there.
#include "runtime/warp.h"

#include <string.h>
#include <sys/mman.h>

enum {
    // clock, ahead, fence and pending of warps; barriers; mbarriers; meetings
    CLOCKS_MAX = 4 * WARP_BLOCK_WARPS + 2 * WARP_ALL_BARRIERS + 2 * WARP_MBARRIERS_MAX + WARP_MEETINGS + 1,
};
_Static_assert(WARP_BLOCK_WARPS *(1 + WARP_QUEUES) + WARP_MBARRIERS_MAX <= WARP_AGENTS_MAX, "agents have numbers");

bool warp_order_open(WarpOrder *order) {
    void *memory = mmap(NULL, CLOCKS_MAX * sizeof(WarpClock), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    order->clocks = memory;
    order->agents = WARP_BLOCK_WARPS;
    return true;
}

void warp_order_close(WarpOrder *order) {
    if (order->clocks) munmap(order->clocks, CLOCKS_MAX * sizeof(WarpClock));
    order->clocks = NULL;
}

// ---- clocks

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static void clear_clock(WarpClock *clock, uint32_t agents) {
    memset(clock->time, 0, agents * sizeof *clock->time);
    memset(clock->part, 0, sizeof clock->part);
    memset(clock->lanes, 0, sizeof clock->lanes);
    memset(clock->fenced, 0, sizeof clock->fenced);
    memset(clock->fenced_copies, 0, sizeof clock->fenced_copies);
}

void warp_clock_clear(const WarpBlock *block, WarpClock *clock) {
    clear_clock(clock, block->order.agents);
}

// Agents that the block gets later find zeros: so what blocks before it have left is cleared as well.
WarpClock *warp_clock_new(WarpBlock *block) {
    WarpOrder *order = &block->order;
    WarpClock *clock = &order->clocks[order->clock_count++];
    if (order->clock_count <= order->clock_most)
        clear_clock(clock, order->agents_most);
    else
        order->clock_most = order->clock_count;
    return clock;
}

static void copy_clock(const WarpBlock *block, WarpClock *to, const WarpClock *from) {
    memcpy(to->time, from->time, block->order.agents * sizeof *to->time);
    memcpy(to->part, from->part, sizeof to->part);
    memcpy(to->lanes, from->lanes, sizeof to->lanes);
    memcpy(to->fenced, from->fenced, sizeof to->fenced);
    memcpy(to->fenced_copies, from->fenced_copies, sizeof to->fenced_copies);
}

static void join_part(WarpClock *clock, uint32_t warp, uint32_t part, uint32_t lanes) {
    if (part <= clock->time[warp]) return;
    if (clock->part[warp] <= clock->time[warp]) {
        clock->part[warp] = part;
        clock->lanes[warp] = lanes;
    } else {
        clock->part[warp] = larger(clock->part[warp], part);
        clock->lanes[warp] |= lanes;
    }
}

void warp_clock_join(const WarpBlock *block, WarpClock *clock, const WarpClock *other) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        clock->time[i] = larger(clock->time[i], other->time[i]);
        clock->fenced[i] = larger(clock->fenced[i], other->fenced[i]);
        clock->fenced_copies[i] = larger(clock->fenced_copies[i], other->fenced_copies[i]);
    }
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (other->part[i] > clock->time[i]) join_part(clock, i, other->part[i], other->lanes[i]);
    for (uint32_t i = WARP_BLOCK_WARPS; i < block->order.agents; i++)
        clock->time[i] = larger(clock->time[i], other->time[i]);
}

// ---- agents and tickets

uint32_t warp_new_agent(WarpBlock *block) {
    WarpOrder *order = &block->order;
    const uint32_t agent = order->agents++;
    order->agents_most = larger(order->agents_most, order->agents);
    order->issued[agent] = 0;
    return agent;
}

uint32_t warp_agent(WarpBlock *block, WarpQueue queue, uint32_t owner) {
    uint16_t *agent = &block->order.queues[queue][owner];
    if (*agent) return *agent;
    *agent = (uint16_t)warp_new_agent(block);
    if (queue == WARP_QUEUE_COPY) block->order.copiers[*agent] = (uint8_t)(owner + 1);
    return *agent;
}

WarpTicket warp_issue(WarpBlock *block, uint32_t agent) {
    return (WarpTicket){agent, ++block->order.issued[agent]};
}

WarpTicket warp_last_ticket(const WarpBlock *block, uint32_t agent) {
    return (WarpTicket){agent, block->order.issued[agent]};
}

// ---- what a warp knows

static bool has_all(const Warp *warp, uint32_t lanes) {
    return !(warp->state.alive & ~lanes);
}

// What all of a warp's lanes know now: what some had learned.
static void catch_up(Warp *warp) {
    if (!warp->ahead_lanes) return;
    WarpClock *clock = warp->clock;
    warp->clock = warp->ahead;
    warp->ahead = clock;
    warp->ahead_lanes = 0;
}

// The clock in which the lanes learn something.
static WarpClock *open_clock(Warp *warp, uint32_t lanes) {
    if (has_all(warp, lanes | warp->ahead_lanes)) catch_up(warp);
    if (has_all(warp, lanes)) return warp->clock;
    if (!warp->ahead) warp->ahead = warp_clock_new(warp->block);
    if (!warp->ahead_lanes) copy_clock(warp->block, warp->ahead, warp->clock);
    warp->ahead_lanes |= lanes;
    return warp->ahead;
}

const WarpClock *warp_known(const Warp *warp, uint32_t lanes) {
    return warp->ahead_lanes && !(lanes & ~warp->ahead_lanes) ? warp->ahead : warp->clock;
}

bool warp_knows(const Warp *warp, uint32_t lanes, WarpTicket ticket) {
    return warp_known(warp, lanes)->time[ticket.agent] >= ticket.number;
}

void warp_learn(Warp *warp, uint32_t lanes, WarpTicket ticket) {
    WarpClock *clock = open_clock(warp, lanes);
    clock->time[ticket.agent] = larger(clock->time[ticket.agent], ticket.number);
}

void warp_acquire(Warp *warp, uint32_t lanes, const WarpClock *other) {
    warp_clock_join(warp->block, open_clock(warp, lanes), other);
}

// ---- what lanes of a warp know of each other

void warp_learn_copies(Warp *warp, uint32_t lanes, uint32_t number) {
    warp->copies |= lanes != 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t *copied = &warp->copied[__builtin_ctz(lanes)];
        *copied = larger(*copied, number);
    }
}

static WarpTicket last_copied(const Warp *warp, uint32_t lanes) {
    WarpTicket last = {warp->block->order.queues[WARP_QUEUE_COPY][warp->number], 0};
    for (; lanes && warp->copies; lanes &= lanes - 1)
        last.number = larger(last.number, warp->copied[__builtin_ctz(lanes)]);
    return last;
}

bool warp_have_met(const Warp *warp, uint32_t lanes, uint32_t others, uint32_t time) {
    for (uint32_t i = warp->partly ? lanes : 0; i; i &= i - 1)
        for (uint32_t j = others & ~(i & -i); j; j &= j - 1)
            if (warp->met[__builtin_ctz(i)][__builtin_ctz(j)] <= time) return false;
    return warp->partly;
}

// Some lanes come to a .sync instruction: each knows what any of them knew, and what they did.
static void meet(Warp *warp, uint32_t lanes) {
    uint32_t known[WARP_LANES] = {0};
    if (!warp->partly) memset(warp->met, 0, sizeof warp->met);
    warp->partly = true;
    warp->time++;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        for (uint32_t i = 0; i < WARP_LANES; i++) known[i] = larger(known[i], warp->met[lane][i]);
        known[lane] = warp->time;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) memcpy(warp->met[__builtin_ctz(rest)], known, sizeof known);
}

// Lanes of which these have heard something since all came to a .sync instruction.
static uint32_t lanes_met(const Warp *warp, uint32_t lanes) {
    uint32_t all = lanes;
    for (uint32_t rest = warp->partly ? lanes : 0; rest; rest &= rest - 1)
        for (uint32_t i = 0; i < WARP_LANES; i++) all |= (uint32_t)(warp->met[__builtin_ctz(rest)][i] != 0) << i;
    return all;
}

void warp_order_lanes(Warp *warp, uint32_t lanes) {
    const bool all = has_all(warp, lanes);
    const WarpTicket copied = last_copied(warp, lanes);
    if (!(lanes & (lanes - 1)) && !all) return; // a lane alone
    if (copied.number) warp_learn(warp, lanes, copied);
    if (all) {
        warp->synced = ++warp->time;
        warp->partly = warp->copies = false;
        catch_up(warp);
        return;
    }
    meet(warp, lanes);
    if (warp->ahead_lanes & lanes) warp->ahead_lanes |= lanes;
    if (has_all(warp, warp->ahead_lanes)) catch_up(warp);
}

void warp_release(Warp *warp, uint32_t lanes, WarpClock *clock) {
    const uint32_t own = warp->number;
    const WarpTicket copied = last_copied(warp, lanes);
    warp_clock_join(warp->block, clock, warp->ahead_lanes & lanes ? warp->ahead : warp->clock);
    if (copied.number) clock->time[copied.agent] = larger(clock->time[copied.agent], copied.number);
    if (has_all(warp, lanes)) {
        clock->time[own] = warp->time;
    } else {
        clock->time[own] = larger(clock->time[own], warp->synced - 1);
        join_part(clock, own, warp->time, lanes_met(warp, lanes));
    }
    warp->time++;
}

// ---- fences and strong accesses

static void fence_clock(Warp *warp, uint32_t lanes, WarpClock *clock) {
    const uint16_t *copies = warp->block->order.queues[WARP_QUEUE_COPY];
    uint32_t *own = &clock->fenced_copies[warp->number];
    *own = larger(*own, last_copied(warp, lanes).number);
    for (uint32_t i = 0; i < warp->block->warp_count; i++) {
        clock->fenced[i] = larger(clock->fenced[i], larger(clock->time[i], clock->part[i]));
        if (copies[i]) clock->fenced_copies[i] = larger(clock->fenced_copies[i], clock->time[copies[i]]);
    }
    clock->fenced[warp->number] = warp->time;
}

void warp_fence_async(Warp *warp, uint32_t lanes) {
    fence_clock(warp, lanes, warp->clock);
    if (warp->ahead_lanes & lanes) fence_clock(warp, lanes, warp->ahead);
    warp->time++;
}

bool warp_is_fenced(const WarpBlock *block, const WarpClock *clock, WarpTicket ticket) {
    const uint32_t copier = block->order.copiers[ticket.agent];
    if (ticket.agent < WARP_BLOCK_WARPS) return clock->fenced[ticket.agent] >= ticket.number;
    return !copier || clock->fenced_copies[copier - 1] >= ticket.number;
}

void warp_fence(Warp *warp, uint32_t lanes) {
    if (warp->pending) warp_acquire(warp, lanes, warp->pending);
    if (!warp->fence) warp->fence = warp_clock_new(warp->block);
    warp_release(warp, lanes, warp->fence);
}

static uint64_t meeting_key(WarpSpace space, uint64_t offset) {
    return (uint64_t)space << 60 | (offset & ~(uint64_t)3);
}

// The meeting with this key, or where it is to be; the last one if there is no room.
static WarpMeeting *find_meeting(WarpOrder *order, uint64_t key) {
    uint32_t at = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    for (uint32_t i = 0; i < WARP_MEETINGS; i++, at++) {
        WarpMeeting *meeting = &order->meetings[at % WARP_MEETINGS];
        if (!meeting->clock || meeting->key == key) return meeting;
    }
    return &order->meetings[WARP_MEETINGS];
}

void warp_strong_read(Warp *warp, uint32_t lanes, uint32_t flags, WarpSpace space, uint64_t offset) {
    WarpBlock *block = warp->block;
    if (!block->order.meets) return;
    const WarpMeeting *meeting = find_meeting(&block->order, meeting_key(space, offset));
    if (!meeting->clock) return;
    if (flags & WARP_ACQUIRE) {
        warp_acquire(warp, lanes, meeting->clock);
        return;
    }
    if (!warp->pending) warp->pending = warp_clock_new(block);
    warp_clock_join(block, warp->pending, meeting->clock);
}

void warp_strong_write(Warp *warp, uint32_t lanes, uint32_t flags, WarpSpace space, uint64_t offset) {
    WarpBlock *block = warp->block;
    if (!(flags & WARP_RELEASE) && !warp->fence) return;
    WarpMeeting *meeting = find_meeting(&block->order, meeting_key(space, offset));
    if (!meeting->clock) {
        meeting->key = meeting_key(space, offset);
        meeting->clock = warp_clock_new(block);
        block->order.meets = true;
    }
    if (flags & WARP_RELEASE)
        warp_release(warp, lanes, meeting->clock);
    else
        warp_clock_join(block, meeting->clock, warp->fence);
}

// ---- blocks

void warp_order_begin(WarpBlock *block) {
    WarpOrder *order = &block->order;
    order->clock_count = 0;
    order->agents = WARP_BLOCK_WARPS;
    order->agents_most = larger(order->agents_most, order->agents);
    memset(order->queues, 0, sizeof order->queues);
    memset(order->copiers, 0, sizeof order->copiers);
    if (order->meets) memset(order->meetings, 0, sizeof order->meetings);
    order->meets = false;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        Warp *warp = &block->warps[i];
        warp->time = warp->synced = 1;
        warp->ahead_lanes = 0;
        warp->partly = warp->copies = false;
        memset(warp->copied, 0, sizeof warp->copied);
        warp->clock = warp_clock_new(block);
        warp->ahead = warp->fence = warp->pending = NULL;
    }
}
