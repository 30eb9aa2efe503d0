// SPDX-License-Identifier: Apache-2.0
// Named barriers of a block. A phase of a barrier ends when as many threads have arrived as it is for; then all of them
// go on, and know what the others did before they arrived. Arriving and waiting are two operations, so that some lanes
// of a warp can wait while others still run.
#include "runtime/warp.h"

#include <string.h>

enum { REDUCE_COUNT = 1, REDUCE_AND, REDUCE_OR };

static WarpBarrier *open_barrier(WarpBlock *block, uint32_t number) {
    WarpBarrier *barrier = &block->barriers[number];
    if (!barrier->arriving) {
        barrier->arriving = warp_clock_new(block);
        barrier->completed = warp_clock_new(block);
    }
    return barrier;
}

void warp_barriers_begin(WarpBlock *block) {
    memset(block->barriers, 0, sizeof block->barriers);
}

// ---- phases

// All threads that have not ended have arrived.
static bool have_all_arrived(const WarpBlock *block, const WarpBarrier *barrier) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (!block->warps[i].ended && block->warps[i].state.alive & ~barrier->lanes[i]) return false;
    return true;
}

// All of them go on only now, so that everybody knows what everybody has done.
static bool orders_all(const WarpBlock *block, const WarpBarrier *barrier) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (!block->warps[i].ended && block->warps[i].state.alive & ~barrier->waiting[i]) return false;
    return barrier != &block->barriers[WARP_CLUSTER_BARRIER]; // where arrivals may be relaxed
}

static void give_results(WarpBlock *block, const WarpBarrier *barrier) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        for (uint32_t rest = barrier->waiting[i]; rest; rest &= rest - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(rest);
            block->warps[i].reduced[REDUCE_COUNT - 1][lane] = barrier->count;
            block->warps[i].reduced[REDUCE_AND - 1][lane] = barrier->every;
            block->warps[i].reduced[REDUCE_OR - 1][lane] = barrier->any;
        }
}

static void end_phase(WarpBlock *block, WarpBarrier *barrier) {
    give_results(block, barrier);
    if (orders_all(block, barrier)) warp_forget_global(block);
    warp_clock_join(block, barrier->completed, barrier->arriving);
    warp_clock_clear(block, barrier->arriving);
    barrier->phase++;
    barrier->arrived = barrier->expected = barrier->count = 0;
    barrier->all = false;
    memset(barrier->lanes, 0, sizeof barrier->lanes);
    memset(barrier->waiting, 0, sizeof barrier->waiting);
    warp_progress(block);
}

static bool is_complete(const WarpBlock *block, const WarpBarrier *barrier) {
    if (!barrier->expected) return false;
    return barrier->all ? have_all_arrived(block, barrier) : barrier->arrived >= barrier->expected;
}

void warp_barriers_exit(Warp *warp) {
    WarpBlock *block = warp->block;
    for (uint32_t i = 0; i < WARP_ALL_BARRIERS; i++)
        if (block->barriers[i].all && is_complete(block, &block->barriers[i])) end_phase(block, &block->barriers[i]);
}

// ---- arriving

static uint32_t block_threads(const WarpBlock *block) {
    return block->warp_count * WARP_LANES;
}

static void begin_phase(const WarpCall *call, WarpBarrier *barrier, uint32_t number, uint32_t threads, bool all) {
    const WarpSide side = warp_call_side(call);
    if (threads % WARP_LANES || threads > block_threads(call->block) || !threads)
        warp_fail(call->block, (WarpFault){.kind = WARP_FAULT_BARRIER_THREADS, .sides = {side}, .numbers = {threads}});
    if (barrier->expected && barrier->expected != threads)
        warp_fail(call->block, (WarpFault){.kind = WARP_FAULT_BARRIER_COUNT,
                                           .sides = {side, barrier->first},
                                           .numbers = {threads, barrier->expected, number}});
    if (!barrier->expected) {
        barrier->first = side;
        barrier->any = 0;
        barrier->every = 1;
    }
    barrier->expected = threads;
    barrier->all |= all;
}

// The lanes count, and with the last lanes of a warp those that it does not have or that have ended.
static void count_arrivals(Warp *warp, WarpBarrier *barrier, uint32_t lanes) {
    const uint32_t alive = warp->state.alive;
    uint32_t *before = &barrier->lanes[warp->number];
    if (!(alive & ~*before)) *before = 0; // the warp arrives once more in this phase
    barrier->arrived += (uint32_t)__builtin_popcount(lanes);
    *before |= lanes;
    if (!(alive & ~*before)) barrier->arrived += WARP_LANES - (uint32_t)__builtin_popcount(alive);
}

static void arrive(const WarpCall *call, uint32_t number, uint32_t threads, uint32_t lanes, bool waits) {
    WarpBlock *block = call->block;
    WarpBarrier *barrier = open_barrier(block, number);
    begin_phase(call, barrier, number, threads ? threads : block_threads(block), !threads);
    for (uint32_t rest = lanes; rest && number != WARP_CLUSTER_BARRIER; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest), predicate = call->operands[2][lane] != 0;
        barrier->count += predicate;
        barrier->any |= predicate;
        barrier->every &= predicate;
    }
    count_arrivals(call->warp, barrier, lanes);
    if (waits) barrier->waiting[call->warp->number] |= lanes;
}

static void finish_arrival(const WarpCall *call, uint32_t number) {
    WarpBarrier *barrier = &call->block->barriers[number];
    if (is_complete(call->block, barrier)) end_phase(call->block, barrier);
}

uint32_t warp_operate_BARRIER_ARRIVE(const WarpCall *call) {
    const bool waits = call->operation->detail[1];
    for (uint32_t rest = call->mask; rest;) {
        const uint32_t first = (uint32_t)__builtin_ctz(rest);
        const uint64_t number = call->operands[0][first], threads = call->operands[1][first];
        uint32_t lanes = 0;
        for (uint32_t lane = first; lane < WARP_LANES; lane++)
            if (rest >> lane & 1 && call->operands[0][lane] == number && call->operands[1][lane] == threads)
                lanes |= UINT32_C(1) << lane;
        if (number >= WARP_BARRIERS)
            warp_fail(call->block, (WarpFault){.kind = WARP_FAULT_BARRIER_NUMBER,
                                               .sides = {warp_call_side(call)},
                                               .numbers = {(int64_t)number}});
        if (threads > UINT32_MAX - WARP_LANES) // so that the message has it
            begin_phase(call, open_barrier(call->block, (uint32_t)number), (uint32_t)number, UINT32_MAX, false);
        arrive(call, (uint32_t)number, (uint32_t)threads, lanes, waits);
        WarpBarrier *barrier = &call->block->barriers[number];
        warp_release(call->warp, lanes, barrier->arriving);
        for (uint32_t i = lanes; i; i &= i - 1) call->operands[0][__builtin_ctz(i)] = barrier->phase;
        finish_arrival(call, (uint32_t)number);
        rest &= ~lanes;
    }
    return call->mask;
}

uint32_t warp_operate_CLUSTER_ARRIVE(const WarpCall *call) {
    WarpBarrier *barrier = open_barrier(call->block, WARP_CLUSTER_BARRIER);
    arrive(call, WARP_CLUSTER_BARRIER, 0, call->mask, true);
    if (!call->operation->detail[0]) warp_release(call->warp, call->mask, barrier->arriving);
    for (uint32_t rest = call->mask; rest; rest &= rest - 1)
        call->warp->cluster_phase[__builtin_ctz(rest)] = barrier->phase;
    finish_arrival(call, WARP_CLUSTER_BARRIER);
    return call->mask;
}

// ---- waiting

static bool is_over(const Warp *warp, const WarpWait *wait) {
    (void)warp;
    return ((const WarpBarrier *)wait->object)->phase != (uint32_t)wait->number;
}

static void describe_barrier(const Warp *warp, const WarpWait *wait, Buffer *out) {
    const WarpBlock *block = warp->block;
    const WarpBarrier *barrier = wait->object;
    const uint32_t number = (uint32_t)(barrier - block->barriers);
    if (number == WARP_CLUSTER_BARRIER)
        buffer_print(out, "at the barrier of the cluster, where ");
    else
        buffer_print(out, "at barrier %u, where ", number);
    buffer_print(out, "%u of %u threads have arrived", barrier->arrived, barrier->expected);
}

// The lanes of the phase that they wait for, if it is over.
static uint32_t find_done(const WarpCall *call, const WarpBarrier *const *barriers, const uint32_t *phases) {
    uint32_t done = 0;
    for (uint32_t rest = call->mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (barriers[lane]->phase != phases[lane]) done |= rest & -rest;
    }
    return done;
}

static void learn(const WarpCall *call, uint32_t done, const WarpBarrier *const *barriers) {
    while (done) {
        const WarpBarrier *barrier = barriers[__builtin_ctz(done)];
        uint32_t lanes = 0;
        for (uint32_t rest = done; rest; rest &= rest - 1)
            if (barriers[__builtin_ctz(rest)] == barrier) lanes |= rest & -rest;
        warp_acquire(call->warp, lanes, barrier->completed);
        warp_order_lanes(call->warp, lanes);
        done &= ~lanes;
    }
}

static uint32_t wait_for_phases(const WarpCall *call, const WarpBarrier *const *barriers, const uint32_t *phases) {
    Warp *warp = call->warp;
    uint32_t done = find_done(call, barriers, phases);
    while (done != call->mask) {
        const uint32_t lane = (uint32_t)__builtin_ctz(call->mask & ~done);
        const WarpWait wait = {.ready = is_over,
                               .describe = describe_barrier,
                               .object = (void *)(uintptr_t)barriers[lane],
                               .number = phases[lane],
                               .lanes = call->mask & ~done};
        if (call->mask != warp->state.alive) {
            warp_note_blocked(warp, &wait);
            break;
        }
        warp_wait(warp, &wait);
        done = find_done(call, barriers, phases);
    }
    learn(call, done, barriers);
    return done;
}

uint32_t warp_operate_BARRIER_WAIT(const WarpCall *call) {
    const WarpBarrier *barriers[WARP_LANES];
    uint32_t phases[WARP_LANES];
    for (uint32_t rest = call->mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        barriers[lane] = open_barrier(call->block, (uint32_t)call->operands[0][lane] % WARP_BARRIERS);
        phases[lane] = (uint32_t)call->operands[1][lane];
    }
    const uint32_t done = wait_for_phases(call, barriers, phases), kind = call->operation->detail[1];
    for (uint32_t rest = kind ? done : 0; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        call->operands[0][lane] = call->warp->reduced[kind - 1][lane];
    }
    return done;
}

uint32_t warp_operate_CLUSTER_WAIT(const WarpCall *call) {
    const WarpBarrier *barriers[WARP_LANES];
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) barriers[lane] = open_barrier(call->block, WARP_CLUSTER_BARRIER);
    return wait_for_phases(call, barriers, call->warp->cluster_phase);
}
