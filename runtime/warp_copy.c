// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of bytes: cp.async, cp.async.bulk, st.async, st.bulk, and clusterlaunchcontrol.try_cancel, which
// writes its answer in the same way.
#include "runtime/warp_copy.h"

#include <string.h>

void warp_check_blocks(const WarpCall *call, const WarpSide *side, uint32_t flags, uint64_t mask) {
    if (flags & WARP_COPY_PAIR) warp_refuse(call, "cta_group::2");
    if (!(flags & WARP_COPY_MULTICAST) || (mask & 0xFFFF) == 1) return;
    warp_fail(call->block,
              (WarpFault){.kind = WARP_FAULT_COPY_BLOCKS, .sides = {*side}, .numbers = {(int64_t)(mask & 0xFFFF)}});
}

WarpDeed warp_lane_deed(const WarpCall *call, const WarpSide *side, uint32_t flags, WarpTicket ticket) {
    return (WarpDeed){.warp = call->warp, .lanes = side->lanes, .place = side->place, .flags = flags, .ticket = ticket};
}

_Noreturn static void fail_bytes(const WarpCall *call, const WarpSide *side, uint64_t bytes, uint32_t multiple) {
    warp_fail(call->block,
              (WarpFault){.kind = WARP_FAULT_COPY_BYTES, .sides = {*side}, .numbers = {(int64_t)bytes, multiple}});
}

// ---- cp.async

typedef struct CopyLanes {
    uint32_t bytes, count;
    struct {
        uint8_t *to;
        const uint8_t *from;
        uint32_t read; // bytes; those after them are zero
    } lanes[WARP_LANES];
} CopyLanes;

static void copy_lanes(WarpBlock *block, void *data) {
    (void)block;
    const CopyLanes *copy = data;
    for (uint32_t i = 0; i < copy->count; i++) {
        memcpy(copy->lanes[i].to, copy->lanes[i].from, copy->lanes[i].read);
        memset(copy->lanes[i].to + copy->lanes[i].read, 0, copy->bytes - copy->lanes[i].read);
    }
}

// How many lanes from `lane` on take what lies behind what the lane before takes, in both memories.
static uint32_t count_neighbours(const WarpCall *call, uint32_t lane) {
    const uint32_t bytes = call->operation->detail[0];
    uint32_t count = 1;
    for (; lane + count < WARP_LANES && call->mask >> (lane + count) & 1; count++) {
        const uint32_t l = lane + count;
        const bool next = call->operands[0][l] == call->operands[0][lane] + (uint64_t)count * bytes &&
                          call->operands[1][l] == call->operands[1][lane] + (uint64_t)count * bytes;
        if (!next || call->operands[2][l] != bytes || call->operands[2][lane] != bytes) break;
    }
    return count;
}

static void add_lane(CopyLanes *copy, uint8_t *to, const uint8_t *from, uint64_t read) {
    copy->lanes[copy->count].to = to;
    copy->lanes[copy->count].from = from;
    copy->lanes[copy->count++].read = (uint32_t)read;
}

// What these lanes read or write: each its own bytes, of which it alone knows after its wait.
static void touch_neighbours(const WarpCall *call, const WarpSide *side, uint32_t flags, WarpTicket ticket,
                             uint32_t bytes) {
    const WarpSpace space = flags & WARP_DEED_WRITE ? WARP_SHARED : WARP_GLOBAL;
    const uint64_t *addresses = call->operands[space == WARP_GLOBAL];
    WarpDeed deed = warp_lane_deed(call, side, flags, ticket);
    deed.spread = side->lanes == UINT32_MAX;
    if (side->lanes & (side->lanes - 1))
        warp_touch_lanes(call->block, &deed, space, addresses, 0, bytes);
    else
        warp_touch(call->block, &deed, space, addresses[__builtin_ctz(side->lanes)], bytes);
}

static void add_lanes(const WarpCall *call, uint32_t lane, uint32_t count, WarpTicket ticket, CopyLanes *copy) {
    const uint32_t bytes = copy->bytes;
    const uint64_t read = call->operands[2][lane];
    WarpSide side = warp_call_side(call);
    side.lanes = (count == WARP_LANES ? UINT32_MAX : (UINT32_C(1) << count) - 1) << lane;
    if (read > bytes) fail_bytes(call, &side, read, bytes);
    const WarpWhere to =
        warp_find_shared(call->block, &side, WARP_SHARED, call->operands[0][lane], (uint64_t)bytes * count, bytes);
    touch_neighbours(call, &side, WARP_DEED_WRITE, ticket, bytes);
    WarpWhere from = {0};
    if (read) {
        const uint64_t all = count == 1 ? read : (uint64_t)bytes * count;
        from = warp_find(call->block, &side, WARP_GLOBAL, call->operands[1][lane], all, bytes, false);
        touch_neighbours(call, &side, 0, ticket, count == 1 ? (uint32_t)read : bytes);
    }
    for (uint32_t i = 0; i < count; i++)
        add_lane(copy, to.bytes + (size_t)i * bytes, read ? from.bytes + (size_t)i * bytes : to.bytes, read);
}

// Whether `bytes` at each address of the lanes are aligned and lie between the two ends.
static bool are_inside(uint32_t lanes, const uint64_t *addresses, uint32_t bytes, uint64_t begin, uint64_t end) {
    uint64_t bits = 0;
    bool inside = true;
    for (; lanes; lanes &= lanes - 1) {
        const uint64_t address = addresses[__builtin_ctz(lanes)];
        bits |= address;
        inside &= address >= begin && address <= end - bytes;
    }
    return inside && !(bits & (bytes - 1));
}

// Lanes that take whole pieces of one buffer, as where a swizzle puts neighbours apart. False: they need add_lanes.
static bool add_together(const WarpCall *call, uint32_t first, WarpTicket ticket, CopyLanes *copy) {
    WarpBlock *block = call->block;
    const uint64_t *to = call->operands[0], *from = call->operands[1];
    const uint32_t bytes = copy->bytes;
    const WarpSide side = warp_call_side(call);
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1)
        if (call->operands[2][__builtin_ctz(lanes)] != bytes) return false;
    if (!are_inside(call->mask, to, bytes, WARP_SHARED_FIRST, block->shared_end)) return false;
    warp_find(block, &side, WARP_GLOBAL, from[first], bytes, bytes, false);
    if (!are_inside(call->mask, from, bytes, block->recent.begin, block->recent.end)) return false;
    const WarpDeed writes = warp_lane_deed(call, &side, WARP_DEED_WRITE, ticket);
    const WarpDeed reads = warp_lane_deed(call, &side, 0, ticket);
    warp_touch_lanes(block, &writes, WARP_SHARED, to, 0, bytes);
    warp_touch_lanes(block, &reads, WARP_GLOBAL, from, 0, bytes);
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        add_lane(copy, block->shared + to[lane], (const uint8_t *)(uintptr_t)from[lane], bytes);
    }
    return true;
}

uint32_t warp_operate_COPY_ASYNC(const WarpCall *call) {
    const uint32_t agent = warp_agent(call->block, WARP_QUEUE_COPY, call->warp->number);
    const WarpTicket ticket = warp_issue(call->block, agent);
    const WarpSide side = warp_call_side(call);
    CopyLanes copy = {.bytes = call->operation->detail[0]};
    const uint32_t first = (uint32_t)__builtin_ctz(call->mask), neighbours = count_neighbours(call, first);
    const bool together =
        neighbours < (uint32_t)__builtin_popcount(call->mask) && add_together(call, first, ticket, &copy);
    for (uint32_t lane = first; lane < WARP_LANES && !together;) {
        if (!(call->mask >> lane & 1)) {
            lane++;
            continue;
        }
        const uint32_t count = count_neighbours(call, lane);
        add_lanes(call, lane, count, ticket, &copy);
        lane += count;
    }
    warp_group_add(call->warp, WARP_GROUP_COPY, &side, ticket);
    warp_start(call->block, agent, copy_lanes, &copy, sizeof copy);
    return call->mask;
}

// cp.async.mbarrier.arrive.
typedef struct CopyArrive {
    Warp *warp;
    WarpMbarrier *mbarrier;
    WarpSide side;
    WarpTicket ticket;
} CopyArrive;

static void arrive_copy(WarpBlock *block, void *data) {
    (void)block;
    const CopyArrive *arrive = data;
    warp_mbarrier_arrive(arrive->warp, arrive->mbarrier, &arrive->side, arrive->ticket);
}

uint32_t warp_operate_COPY_ARRIVE(const WarpCall *call) {
    WarpBlock *block = call->block;
    const uint32_t agent = warp_agent(block, WARP_QUEUE_COPY, call->warp->number);
    const WarpGroups *groups = &block->engines->groups[WARP_GROUP_COPY][call->warp->number];
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        const WarpSide side = warp_lane_side(call, lane);
        WarpMbarrier *mbarrier = warp_find_mbarrier(block, &side, call->operation->detail[0], call->operands[0][lane]);
        if (call->operation->detail[1] != 1) warp_mbarrier_raise(block, mbarrier, &side);
        const CopyArrive arrive = {call->warp, mbarrier, side, {agent, groups->last[lane]}};
        warp_start(block, agent, arrive_copy, &arrive, sizeof arrive);
    }
    return call->mask;
}

// ---- cp.async.bulk

typedef struct BulkCopy {
    WarpWhere to, from;
    uint64_t bytes;
    uint32_t mask; // of the bytes of each 16
    WarpMbarrier *mbarrier;
    WarpSide side;
    WarpCombine *combine; // NULL: a copy
    uint32_t element;     // bytes
} BulkCopy;

static void copy_bulk(WarpBlock *block, void *data) {
    const BulkCopy *copy = data;
    if (copy->combine) {
        for (uint64_t i = 0; i + copy->element <= copy->bytes; i += copy->element) {
            WarpWhere where = copy->to;
            where.bytes += i;
            where.offset += i;
            warp_combine(block, &where, copy->element, copy->combine, copy->from.bytes + i);
        }
    } else if (copy->mask == 0xFFFF) {
        memmove(copy->to.bytes, copy->from.bytes, copy->bytes);
    } else {
        for (uint64_t i = 0; i < copy->bytes; i++)
            if (copy->mask >> i % 16 & 1) copy->to.bytes[i] = copy->from.bytes[i];
    }
    if (copy->mbarrier) warp_mbarrier_complete(block, copy->mbarrier, &copy->side, (uint32_t)copy->bytes);
}

enum { BULK_TO, BULK_FROM, BULK_BYTES, BULK_MBARRIER, BULK_BYTE_MASK, BULK_BLOCK_MASK };

static void touch_bulk(const WarpCall *call, const BulkCopy *copy, WarpTicket reads, WarpTicket writes) {
    const uint32_t atomic = copy->combine ? WARP_DEED_ATOMIC : 0;
    const WarpDeed read = warp_lane_deed(call, &copy->side, WARP_DEED_ASYNC, reads);
    const WarpDeed write = warp_lane_deed(call, &copy->side, WARP_DEED_ASYNC | WARP_DEED_WRITE | atomic, writes);
    warp_touch(call->block, &read, copy->from.space, copy->from.offset, copy->bytes);
    if (copy->combine && copy->to.space == WARP_SHARED)
        warp_update_shared(call->block, copy->to.offset, (uint32_t)copy->bytes, write.place);
    warp_touch(call->block, &write, copy->to.space, copy->to.offset, copy->bytes);
}

static void issue_bulk(const WarpCall *call, uint32_t lane) {
    WarpBlock *block = call->block;
    const uint32_t *detail = call->operation->detail;
    BulkCopy copy = {.bytes = call->operands[BULK_BYTES][lane],
                     .mask = detail[3] & WARP_COPY_BYTE_MASK ? (uint32_t)call->operands[BULK_BYTE_MASK][lane] : 0xFFFF,
                     .side = warp_lane_side(call, lane),
                     .combine = call->operation->combine,
                     .element = detail[6]};
    warp_check_blocks(call, &copy.side, detail[3], call->operands[BULK_BLOCK_MASK][lane]);
    if (copy.bytes % 16) fail_bytes(call, &copy.side, copy.bytes, 16);
    copy.from = warp_find(block, &copy.side, detail[1], call->operands[BULK_FROM][lane], copy.bytes, 16, false);
    if (detail[2] == WARP_COPY_PREFETCHES) return;
    copy.to = warp_find(block, &copy.side, detail[0], call->operands[BULK_TO][lane], copy.bytes, 16, true);
    if (detail[2] == WARP_COPY_COMPLETES) {
        copy.mbarrier = warp_find_mbarrier(block, &copy.side, WARP_SHARED, call->operands[BULK_MBARRIER][lane]);
        const WarpTicket ticket = warp_mbarrier_ticket(copy.mbarrier, &copy.side);
        touch_bulk(call, &copy, ticket, ticket);
        warp_start(block, copy.mbarrier->agent, copy_bulk, &copy, sizeof copy);
        return;
    }
    const WarpTicket reads = warp_issue(block, warp_agent(block, WARP_QUEUE_BULK_READ, call->warp->number));
    const WarpTicket writes = warp_issue(block, warp_agent(block, WARP_QUEUE_BULK_WRITE, call->warp->number));
    touch_bulk(call, &copy, reads, writes);
    warp_group_add(call->warp, WARP_GROUP_BULK, &copy.side, reads);
    warp_start(block, reads.agent, copy_bulk, &copy, sizeof copy);
}

uint32_t warp_operate_BULK_COPY(const WarpCall *call) {
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) issue_bulk(call, (uint32_t)__builtin_ctz(lanes));
    return call->mask;
}

// ---- values that are written to shared memory, and an mbarrier that is told

typedef struct WriteAsync {
    WarpWhere to;
    uint32_t bytes, element;
    WarpCombine *combine; // NULL: a store
    WarpMbarrier *mbarrier;
    WarpSide side;
    uint8_t values[32];
} WriteAsync;

static void write_async(WarpBlock *block, void *data) {
    const WriteAsync *write = data;
    if (!write->combine) memcpy(write->to.bytes, write->values, write->bytes);
    for (uint32_t i = 0; i < write->bytes && write->combine; i += write->element) {
        WarpWhere where = write->to;
        where.bytes += i;
        where.offset += i;
        warp_combine(block, &where, write->element, write->combine, write->values + i);
    }
    warp_mbarrier_complete(block, write->mbarrier, &write->side, write->bytes);
}

static void issue_write(const WarpCall *call, WriteAsync *write, uint64_t address, uint64_t mbarrier) {
    WarpBlock *block = call->block;
    write->to = warp_find_shared(block, &write->side, WARP_SHARED, address, write->bytes, write->bytes);
    write->mbarrier = warp_find_mbarrier(block, &write->side, WARP_SHARED, mbarrier);
    const uint32_t flags = WARP_DEED_WRITE | (write->combine ? WARP_DEED_ATOMIC : 0);
    const WarpTicket ticket = warp_mbarrier_ticket(write->mbarrier, &write->side);
    const WarpDeed deed = warp_lane_deed(call, &write->side, flags, ticket);
    if (write->combine) warp_update_shared(block, write->to.offset, write->bytes, deed.place);
    warp_touch(block, &deed, WARP_SHARED, write->to.offset, write->bytes);
    warp_start(block, write->mbarrier->agent, write_async, write, sizeof *write);
}

uint32_t warp_operate_STORE_ASYNC(const WarpCall *call) {
    const uint32_t element = call->operation->detail[0], count = call->operation->detail[1];
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        WriteAsync write = {.bytes = element * count,
                            .element = element,
                            .combine = call->operation->combine,
                            .side = warp_lane_side(call, lane)};
        for (uint32_t i = 0; i < count; i++) memcpy(write.values + i * element, &call->operands[2 + i][lane], element);
        issue_write(call, &write, call->operands[0][lane], call->operands[1][lane]);
    }
    return call->mask;
}

// The answer is that there was no launch to cancel: every block of the grid runs.
uint32_t warp_operate_TRY_CANCEL(const WarpCall *call) {
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        WriteAsync write = {.bytes = 16, .side = warp_lane_side(call, lane)};
        issue_write(call, &write, call->operands[0][lane], call->operands[1][lane]);
    }
    return call->mask;
}

// ---- st.bulk

uint32_t warp_operate_BULK_ZERO(const WarpCall *call) {
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        const WarpSide side = warp_lane_side(call, lane);
        const uint64_t bytes = call->operands[1][lane];
        if (bytes % 8) fail_bytes(call, &side, bytes, 8);
        const WarpWhere to =
            warp_find_shared(call->block, &side, call->operation->detail[0], call->operands[0][lane], bytes, 8);
        WarpDeed deed = warp_own_deed(call, WARP_DEED_WRITE);
        deed.lanes = side.lanes;
        warp_touch(call->block, &deed, WARP_SHARED, to.offset, bytes);
        memset(to.bytes, 0, bytes);
    }
    return call->mask;
}
