// SPDX-License-Identifier: Apache-2.0
// mbarriers: objects of 8 bytes in shared memory that threads and copy engines arrive at. A phase ends when no arrival
// is pending and as many bytes have come as were announced (tx-count). The state is kept here, beside the memory, which
// holds a word that nobody else writes: so an mbarrier that ordinary stores overwrite is noticed.
//
// Those who wait for a phase learn what those knew who arrived in it, and that the operations that complete on it are
// done. A wait can only tell the current phase from the one before.
#include "runtime/warp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    COUNT_MAX = (1 << 20) - 1, // arrivals, and bytes
    OBJECT_BYTES = 8,
    OBJECTS = WARP_SHARED_MAX / OBJECT_BYTES,
    HAS_BYTES = 1, // detail[3] of MBARRIER_ARRIVE
    DROPS = 2,
    NEVER_LAST = 4,
    BY_PARITY = 1, // detail[3] of MBARRIER_WAIT
    WAITS = 2,
    UNREAD = 4,
};
#define MARK UINT64_C(0x6D62617272696572)

bool warp_mbarriers_open(WarpBlock *block) {
    block->mbarriers = calloc(WARP_MBARRIERS_MAX, sizeof *block->mbarriers);
    block->mbarrier_at = calloc(OBJECTS, sizeof *block->mbarrier_at);
    return block->mbarriers && block->mbarrier_at;
}

void warp_mbarriers_close(WarpBlock *block) {
    free(block->mbarriers);
    free(block->mbarrier_at);
    block->mbarriers = NULL;
    block->mbarrier_at = NULL;
}

void warp_mbarriers_begin(WarpBlock *block) {
    for (uint32_t i = 0; i < block->mbarrier_count; i++)
        block->mbarrier_at[block->mbarriers[i].address / OBJECT_BYTES] = 0;
    block->mbarrier_count = 0;
}

// ---- objects in memory

static uint64_t mark_of(const WarpMbarrier *mbarrier) {
    return MARK ^ ((uint64_t)mbarrier->address << 32 | mbarrier->base);
}

_Noreturn static void fail_object(WarpBlock *block, const WarpSide *side, WarpFaultKind kind, uint64_t address,
                                  WarpFault fault) {
    fault.kind = kind;
    fault.space = WARP_SHARED;
    fault.sides[0] = *side;
    fault.address = address;
    warp_fail(block, fault);
}

// The entry of the address; NULL: there has never been an mbarrier.
static WarpMbarrier *entry_at(const WarpBlock *block, uint64_t address) {
    const uint32_t number = block->mbarrier_at[address / OBJECT_BYTES];
    return number ? &block->mbarriers[number - 1] : NULL;
}

static void touch_object(WarpBlock *block, const WarpSide *side, uint64_t address, uint32_t flags) {
    const WarpDeed deed = {.warp = &block->warps[side->agent],
                           .lanes = side->lanes,
                           .place = side->place,
                           .flags = flags,
                           .ticket.agent = side->agent};
    warp_touch(block, &deed, WARP_SHARED, address, OBJECT_BYTES);
}

WarpMbarrier *warp_find_mbarrier(WarpBlock *block, const WarpSide *side, uint32_t space, uint64_t address) {
    const WarpWhere where = warp_find_shared(block, side, space, address, OBJECT_BYTES, OBJECT_BYTES);
    WarpMbarrier *mbarrier = entry_at(block, where.offset);
    uint64_t word;
    if (!mbarrier || !mbarrier->live) fail_object(block, side, WARP_FAULT_MBARRIER_NONE, where.offset, (WarpFault){0});
    memcpy(&word, where.bytes, sizeof word);
    if (word != mark_of(mbarrier))
        fail_object(block, side, WARP_FAULT_MBARRIER_LOST, where.offset,
                    (WarpFault){.sides[1] = warp_writer(block, WARP_SHARED, where.offset)});
    touch_object(block, side, where.offset, WARP_DEED_ATOMIC);
    return mbarrier;
}

static WarpMbarrier *new_entry(WarpBlock *block, const WarpSide *side, uint64_t address) {
    if (block->mbarrier_count == WARP_MBARRIERS_MAX)
        fail_object(block, side, WARP_FAULT_MBARRIERS, address, (WarpFault){.numbers = {WARP_MBARRIERS_MAX}});
    WarpMbarrier *mbarrier = &block->mbarriers[block->mbarrier_count++];
    *mbarrier = (WarpMbarrier){.address = (uint32_t)address,
                               .agent = warp_new_agent(block),
                               .arriving = warp_clock_new(block),
                               .completed = warp_clock_new(block)};
    block->mbarrier_at[address / OBJECT_BYTES] = (uint16_t)block->mbarrier_count;
    return mbarrier;
}

static void init(WarpBlock *block, const WarpSide *side, uint32_t space, uint64_t address, uint64_t count) {
    const WarpWhere where = warp_find_shared(block, side, space, address, OBJECT_BYTES, OBJECT_BYTES);
    WarpMbarrier *mbarrier = entry_at(block, where.offset);
    if (count < 1 || count > COUNT_MAX)
        fail_object(block, side, WARP_FAULT_MBARRIER_COUNT, where.offset, (WarpFault){.numbers = {(int64_t)count}});
    if (mbarrier && mbarrier->live)
        fail_object(block, side, WARP_FAULT_MBARRIER_TWICE, where.offset, (WarpFault){.sides[1] = mbarrier->maker});
    touch_object(block, side, where.offset, WARP_DEED_WRITE);
    if (!mbarrier) mbarrier = new_entry(block, side, where.offset);
    mbarrier->live = true;
    mbarrier->phase = 0;
    mbarrier->pending = mbarrier->expected = (uint32_t)count;
    mbarrier->bytes = 0;
    mbarrier->maker = *side;
    const uint64_t mark = mark_of(mbarrier);
    memcpy(where.bytes, &mark, sizeof mark);
}

static WarpSide lane_of(const WarpCall *call, uint32_t lanes) {
    return (WarpSide){call->operation->place, lanes, (uint16_t)call->warp->number};
}

// The lanes of `rest` that have the same operand 0 as its lowest one.
static uint32_t same_object(const WarpCall *call, uint32_t rest) {
    const uint64_t address = call->operands[0][__builtin_ctz(rest)];
    uint32_t lanes = 0;
    for (uint32_t i = rest; i; i &= i - 1)
        if (call->operands[0][__builtin_ctz(i)] == address) lanes |= i & -i;
    return lanes;
}

uint32_t warp_operate_MBARRIER_INIT(const WarpCall *call) {
    for (uint32_t rest = call->mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const WarpSide side = lane_of(call, rest & -rest);
        init(call->block, &side, call->operation->detail[0], call->operands[0][lane], call->operands[1][lane]);
    }
    return call->mask;
}

static bool waits_for(const Warp *warp, const WarpMbarrier *mbarrier);

uint32_t warp_operate_MBARRIER_INVALID(const WarpCall *call) {
    WarpBlock *block = call->block;
    for (uint32_t rest = call->mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const WarpSide side = lane_of(call, rest & -rest);
        WarpMbarrier *mbarrier = warp_find_mbarrier(block, &side, call->operation->detail[0], call->operands[0][lane]);
        for (uint32_t i = 0; i < block->warp_count; i++)
            if (waits_for(&block->warps[i], mbarrier))
                fail_object(block, &side, WARP_FAULT_MBARRIER_USED, mbarrier->address,
                            (WarpFault){.sides[1] = {block->warps[i].place, 0, (uint16_t)i}});
        touch_object(block, &side, mbarrier->address, WARP_DEED_WRITE);
        mbarrier->live = false;
        mbarrier->base += mbarrier->phase + 1;
    }
    return call->mask;
}

// ---- phases

static WarpTicket ticket_of(const WarpMbarrier *mbarrier) {
    return (WarpTicket){mbarrier->agent, mbarrier->base + mbarrier->phase + 1};
}

WarpTicket warp_mbarrier_ticket(WarpMbarrier *mbarrier, const WarpSide *side) {
    const WarpTicket ticket = ticket_of(mbarrier);
    mbarrier->last_number = ticket.number;
    mbarrier->last = *side;
    return ticket;
}

// True: the phase has ended.
static bool end_phase_if_due(WarpBlock *block, WarpMbarrier *mbarrier) {
    if (mbarrier->pending || mbarrier->bytes) return false;
    const WarpTicket done = ticket_of(mbarrier);
    warp_clock_join(block, mbarrier->completed, mbarrier->arriving);
    mbarrier->completed->time[done.agent] = done.number;
    warp_clock_clear(block, mbarrier->arriving);
    mbarrier->phase++;
    mbarrier->pending = mbarrier->expected;
    warp_progress(block);
    return true;
}

static void add_bytes(WarpBlock *block, WarpMbarrier *mbarrier, const WarpSide *side, int64_t bytes) {
    const int64_t sum = mbarrier->bytes + bytes;
    if (sum > COUNT_MAX || sum < -COUNT_MAX)
        fail_object(block, side, WARP_FAULT_MBARRIER_BYTES, mbarrier->address, (WarpFault){.numbers = {sum}});
    mbarrier->bytes = (int32_t)sum;
}

static void take_arrivals(WarpBlock *block, WarpMbarrier *mbarrier, const WarpSide *side, uint64_t count) {
    if (count < 1 || count > COUNT_MAX)
        fail_object(block, side, WARP_FAULT_MBARRIER_COUNT, mbarrier->address,
                    (WarpFault){.numbers = {(int64_t)count}});
    if (count > mbarrier->pending)
        fail_object(block, side, WARP_FAULT_MBARRIER_FULL, mbarrier->address,
                    (WarpFault){.numbers = {(int64_t)count, mbarrier->pending, mbarrier->phase}});
    mbarrier->pending -= (uint32_t)count;
}

void warp_mbarrier_complete(WarpBlock *block, WarpMbarrier *mbarrier, const WarpSide *side, uint32_t bytes) {
    add_bytes(block, mbarrier, side, -(int64_t)bytes);
    end_phase_if_due(block, mbarrier);
}

void warp_mbarrier_arrive(Warp *warp, WarpMbarrier *mbarrier, const WarpSide *side, WarpTicket ticket) {
    WarpBlock *block = warp->block;
    uint32_t *known = &mbarrier->arriving->time[ticket.agent];
    take_arrivals(block, mbarrier, side, 1);
    warp_release(warp, side->lanes, mbarrier->arriving);
    if (*known < ticket.number) *known = ticket.number;
    end_phase_if_due(block, mbarrier);
}

void warp_mbarrier_raise(WarpBlock *block, WarpMbarrier *mbarrier, const WarpSide *side) {
    if (mbarrier->pending == COUNT_MAX)
        fail_object(block, side, WARP_FAULT_MBARRIER_COUNT, mbarrier->address,
                    (WarpFault){.numbers = {(int64_t)COUNT_MAX + 1}});
    mbarrier->pending++;
}

// ---- arriving

// A state says the phase and how many arrivals were pending.
static uint64_t state_of(const WarpMbarrier *mbarrier) {
    return (uint64_t)mbarrier->phase << 32 | mbarrier->pending;
}

// One lane arrives. True: the phase has ended.
static bool arrive_lane(const WarpCall *call, WarpMbarrier *mbarrier, uint32_t lane) {
    const uint32_t flags = call->operation->detail[3];
    const WarpSide side = lane_of(call, UINT32_C(1) << lane);
    const uint64_t count = call->operands[1][lane];
    if (flags & HAS_BYTES) add_bytes(call->block, mbarrier, &side, (int64_t)(uint32_t)call->operands[2][lane]);
    call->operands[0][lane] = state_of(mbarrier);
    if (flags & DROPS && count <= mbarrier->expected) mbarrier->expected -= (uint32_t)count;
    take_arrivals(call->block, mbarrier, &side, count);
    const uint32_t phase = mbarrier->phase;
    const bool ended = end_phase_if_due(call->block, mbarrier);
    if (ended && flags & NEVER_LAST)
        fail_object(call->block, &side, WARP_FAULT_MBARRIER_LAST, mbarrier->address, (WarpFault){.numbers = {phase}});
    return ended;
}

uint32_t warp_operate_MBARRIER_ARRIVE(const WarpCall *call) {
    const uint32_t *detail = call->operation->detail;
    bool ended = false;
    for (uint32_t rest = call->mask, lanes; rest; rest &= ~lanes) {
        lanes = same_object(call, rest);
        const WarpSide side = lane_of(call, lanes);
        WarpMbarrier *mbarrier =
            warp_find_mbarrier(call->block, &side, detail[0], call->operands[0][__builtin_ctz(rest)]);
        bool release = true; // in each phase
        for (uint32_t each = lanes; each; each &= each - 1) {
            // All lanes of the call have done what they did before any of them arrives.
            if (release && !(detail[1] & WARP_RELAXED)) warp_release(call->warp, call->mask, mbarrier->arriving);
            release = arrive_lane(call, mbarrier, (uint32_t)__builtin_ctz(each));
            ended |= release;
        }
    }
    if (ended) warp_hand_over(call->warp);
    return call->mask;
}

static uint32_t change_bytes(const WarpCall *call, int64_t sign) {
    for (uint32_t rest = call->mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const WarpSide side = lane_of(call, rest & -rest);
        WarpMbarrier *mbarrier =
            warp_find_mbarrier(call->block, &side, call->operation->detail[0], call->operands[0][lane]);
        add_bytes(call->block, mbarrier, &side, sign * (int64_t)(uint32_t)call->operands[1][lane]);
        end_phase_if_due(call->block, mbarrier);
    }
    return call->mask;
}

uint32_t warp_operate_MBARRIER_EXPECT(const WarpCall *call) {
    return change_bytes(call, 1);
}

uint32_t warp_operate_MBARRIER_COMPLETE(const WarpCall *call) {
    return change_bytes(call, -1);
}

uint32_t warp_operate_MBARRIER_PENDING(const WarpCall *call) {
    for (uint32_t rest = call->mask; rest; rest &= rest - 1) call->operands[0][__builtin_ctz(rest)] &= UINT32_MAX;
    return call->mask;
}

// ---- waiting

typedef struct MbarrierWait {
    WarpMbarrier *mbarrier[WARP_LANES];
    uint32_t phase[WARP_LANES]; // the current one until the wait is over
} MbarrierWait;

// The lanes whose phase has ended.
static uint32_t find_ended(const MbarrierWait *waits, uint32_t mask) {
    uint32_t done = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (waits->mbarrier[lane]->phase != waits->phase[lane]) done |= rest & -rest;
    }
    return done;
}

static bool has_ended(const Warp *warp, const WarpWait *wait) {
    (void)warp;
    return find_ended(wait->object, wait->lanes);
}

static bool waits_for(const Warp *warp, const WarpMbarrier *mbarrier) {
    if (warp->ended || !warp->wait || warp->wait->ready != has_ended) return false;
    const MbarrierWait *waits = warp->wait->object;
    for (uint32_t rest = warp->wait->lanes; rest; rest &= rest - 1)
        if (waits->mbarrier[__builtin_ctz(rest)] == mbarrier) return true;
    return false;
}

static void describe_mbarrier(const Warp *warp, const WarpWait *wait, Buffer *out) {
    (void)warp;
    const MbarrierWait *waits = wait->object;
    const WarpMbarrier *mbarrier = waits->mbarrier[__builtin_ctz(wait->lanes)];
    buffer_print(out, "for phase %u of the mbarrier at ", mbarrier->phase);
    warp_print_shared(mbarrier->address, out);
    buffer_print(out, ", which waits for %u arrival%s", mbarrier->pending, mbarrier->pending == 1 ? "" : "s");
    if (mbarrier->bytes > 0) buffer_print(out, " and %" PRId32 " bytes", mbarrier->bytes);
    if (mbarrier->bytes < 0) buffer_print(out, "; %" PRId32 " bytes more than expected have come", -mbarrier->bytes);
}

// The phase that lane `lane` waits for has ended if this is no more the current one.
static uint32_t phase_to_leave(const WarpCall *call, const WarpSide *side, const WarpMbarrier *mbarrier,
                               uint64_t operand) {
    if (call->operation->detail[3] & BY_PARITY)
        return (mbarrier->phase & 1) == (operand & 1) ? mbarrier->phase : mbarrier->phase - 1;
    const uint32_t phase = (uint32_t)(operand >> 32);
    if (phase > mbarrier->phase || (uint32_t)operand > COUNT_MAX)
        fail_object(call->block, side, WARP_FAULT_MBARRIER_STATE, mbarrier->address,
                    (WarpFault){.numbers = {(int64_t)operand}});
    if (phase + 1 < mbarrier->phase)
        fail_object(call->block, side, WARP_FAULT_MBARRIER_PHASE, mbarrier->address,
                    (WarpFault){.numbers = {phase, mbarrier->phase}});
    return phase;
}

static void learn_phases(const WarpCall *call, const MbarrierWait *waits, uint32_t done) {
    for (uint32_t rest = done; rest; rest &= rest - 1) {
        WarpMbarrier *mbarrier = waits->mbarrier[__builtin_ctz(rest)];
        const uint32_t number = mbarrier->base + waits->phase[__builtin_ctz(rest)] + 1;
        if (mbarrier->waited < number) mbarrier->waited = number;
    }
    if (call->operation->detail[1] & WARP_RELAXED) return;
    while (done) {
        const WarpMbarrier *mbarrier = waits->mbarrier[__builtin_ctz(done)];
        uint32_t lanes = 0;
        for (uint32_t rest = done; rest; rest &= rest - 1)
            if (waits->mbarrier[__builtin_ctz(rest)] == mbarrier) lanes |= rest & -rest;
        warp_acquire(call->warp, lanes, mbarrier->completed);
        done &= ~lanes;
    }
}

static void open_wait(const WarpCall *call, MbarrierWait *waits) {
    for (uint32_t rest = call->mask, lanes; rest; rest &= ~lanes) {
        lanes = same_object(call, rest);
        const WarpSide side = lane_of(call, lanes);
        WarpMbarrier *mbarrier =
            warp_find_mbarrier(call->block, &side, call->operation->detail[0], call->operands[0][__builtin_ctz(rest)]);
        for (uint32_t each = lanes; each; each &= each - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(each);
            waits->mbarrier[lane] = mbarrier;
            waits->phase[lane] = phase_to_leave(call, &side, mbarrier, call->operands[1][lane]);
        }
    }
}

// try_wait may return false at any time. In the reverse schedule it does the first time that a warp comes to a phase
// which has not ended: so a loop that is missing is found.
static bool gives_up(const WarpCall *call, const MbarrierWait *waits) {
    bool first = false;
    for (uint32_t rest = call->block->reverse ? call->mask : 0; rest; rest &= rest - 1) {
        WarpMbarrier *mbarrier = waits->mbarrier[__builtin_ctz(rest)];
        uint32_t *given_up = &mbarrier->given_up[call->warp->number];
        first |= *given_up != ticket_of(mbarrier).number;
        *given_up = ticket_of(mbarrier).number;
    }
    return first;
}

uint32_t warp_operate_MBARRIER_WAIT(const WarpCall *call) {
    const uint32_t flags = call->operation->detail[3];
    MbarrierWait waits;
    open_wait(call, &waits);
    uint32_t done = find_ended(&waits, call->mask);
    if (flags & UNREAD) return done; // it may have been false: nobody knows more, nor has waited
    const WarpWait wait = {
        .ready = has_ended, .describe = describe_mbarrier, .object = &waits, .lanes = call->mask, .soft = true};
    if (!done && flags & WAITS && gives_up(call, &waits)) return 0;
    if (!done && flags & WAITS)
        warp_wait(call->warp, &wait);
    else if (!done)
        warp_yield(call->warp, &wait);
    done = find_ended(&waits, call->mask);
    learn_phases(call, &waits, done);
    return done;
}

// ---- what is left at the end

WarpFault warp_mbarriers_end(const WarpBlock *block) {
    for (uint32_t i = 0; i < block->mbarrier_count; i++) {
        const WarpMbarrier *mbarrier = &block->mbarriers[i];
        if (mbarrier->waited < mbarrier->last_number)
            return (WarpFault){.kind = WARP_FAULT_COPY_UNWAITED,
                               .space = WARP_SHARED,
                               .sides = {mbarrier->last},
                               .address = mbarrier->address};
    }
    return (WarpFault){.kind = WARP_FAULT_NONE};
}
