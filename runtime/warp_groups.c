// SPDX-License-Identifier: Apache-2.0
// Groups of asynchronous operations: what a thread commits together and then waits for. Each lane counts its own
// groups.
#include "runtime/warp_tensor.h"

#include <stdlib.h>
#include <string.h>

typedef struct GroupQueues {
    WarpQueue queue, also; // `also`: a second queue whose tickets have the same numbers
} GroupQueues;
static const GroupQueues group_queues[WARP_GROUP_KINDS] = {
    [WARP_GROUP_COPY] = {WARP_QUEUE_COPY, WARP_QUEUE_COPY},
    [WARP_GROUP_BULK] = {WARP_QUEUE_BULK_READ, WARP_QUEUE_BULK_WRITE},
    [WARP_GROUP_WGMMA] = {WARP_QUEUE_WGMMA, WARP_QUEUE_WGMMA},
};

// Those of wgmma belong to the warpgroup.
static uint32_t queue_agent(const Warp *warp, WarpQueue queue) {
    return warp_agent(warp->block, queue, queue == WARP_QUEUE_WGMMA ? warp->number / 4 : warp->number);
}

void warp_group_add(Warp *warp, WarpGroupKind kind, const WarpSide *side, WarpTicket ticket) {
    WarpGroups *groups = &warp->block->engines->groups[kind][warp->number];
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        if (side->lanes >> lane & 1) groups->last[lane] = ticket.number;
    groups->side = *side;
}

// ---- commit

static void push_group(const WarpCall *call, WarpGroups *groups, WarpGroup group) {
    if (!groups->groups) groups->groups = malloc(WARP_GROUPS_MAX * sizeof *groups->groups);
    if (!groups->groups)
        warp_fail(call->block, (WarpFault){.kind = WARP_FAULT_MEMORY, .numbers = {call->block->thread_count}});
    if (groups->count == WARP_GROUPS_MAX) {
        groups->count /= 2;
        memmove(groups->groups, groups->groups + groups->count, groups->count * sizeof *groups->groups);
    }
    groups->groups[groups->count++] = group;
}

// One entry for all lanes that have come to the same ticket.
static uint32_t commit(const WarpCall *call, WarpGroupKind kind) {
    WarpGroups *groups = &call->block->engines->groups[kind][call->warp->number];
    for (uint32_t left = call->mask; left;) {
        const uint32_t ticket = groups->last[__builtin_ctz(left)];
        uint32_t lanes = 0;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            if (left >> lane & 1 && groups->last[lane] == ticket) lanes |= UINT32_C(1) << lane;
        push_group(call, groups, (WarpGroup){lanes, ticket});
        left &= ~lanes;
    }
    return call->mask;
}

uint32_t warp_operate_COPY_COMMIT(const WarpCall *call) {
    return commit(call, WARP_GROUP_COPY);
}
uint32_t warp_operate_BULK_COMMIT(const WarpCall *call) {
    return commit(call, WARP_GROUP_BULK);
}
uint32_t warp_operate_WGMMA_COMMIT(const WarpCall *call) {
    return commit(call, WARP_GROUP_WGMMA);
}

// ---- wait

static void learn(const WarpCall *call, WarpQueue queue, uint32_t lanes, uint32_t number) {
    const uint32_t agent = queue_agent(call->warp, queue);
    warp_finish(call->block, agent);
    if (queue == WARP_QUEUE_COPY)
        warp_learn_copies(call->warp, lanes, number);
    else if (lanes)
        warp_learn(call->warp, lanes, (WarpTicket){agent, number});
}

// All groups but the last `pending` of each lane are done.
static void wait_groups(const WarpCall *call, WarpGroupKind kind, WarpQueue queue, uint32_t pending) {
    const WarpGroups *groups = &call->block->engines->groups[kind][call->warp->number];
    uint32_t before[WARP_LANES] = {0}; // groups of the lane that came later
    uint32_t left = call->mask;
    for (uint32_t i = groups->count; i-- && left;) {
        const WarpGroup *group = &groups->groups[i];
        uint32_t found = 0;
        for (uint32_t lanes = group->lanes & left; lanes; lanes &= lanes - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            if (before[lane]++ >= pending) found |= UINT32_C(1) << lane;
        }
        learn(call, queue, found, group->ticket);
        left &= ~found;
    }
}

uint32_t warp_operate_COPY_WAIT(const WarpCall *call) {
    const uint32_t pending = call->operation->detail[0];
    if (pending != UINT32_MAX) {
        wait_groups(call, WARP_GROUP_COPY, WARP_QUEUE_COPY, pending);
        return call->mask;
    }
    const WarpGroups *groups = &call->block->engines->groups[WARP_GROUP_COPY][call->warp->number];
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        learn(call, WARP_QUEUE_COPY, UINT32_C(1) << lane, groups->last[lane]);
    }
    return call->mask;
}

uint32_t warp_operate_BULK_WAIT(const WarpCall *call) {
    const GroupQueues *queues = &group_queues[WARP_GROUP_BULK];
    wait_groups(call, WARP_GROUP_BULK, queues->queue, call->operation->detail[0]);
    if (!call->operation->detail[1]) wait_groups(call, WARP_GROUP_BULK, queues->also, call->operation->detail[0]);
    return call->mask;
}

uint32_t warp_operate_WGMMA_WAIT(const WarpCall *call) {
    warp_order_lanes(call->warp, call->mask);
    wait_groups(call, WARP_GROUP_WGMMA, WARP_QUEUE_WGMMA, call->operation->detail[0]);
    return call->mask;
}

// ---- what is left at the end

// Whether the warp ends without knowing the last ticket of the queue.
static bool is_left(const Warp *warp, WarpQueue queue) {
    const uint32_t owner = queue == WARP_QUEUE_WGMMA ? warp->number / 4 : warp->number;
    const uint32_t agent = warp->block->order.queues[queue][owner];
    return agent && !warp_knows(warp, warp->exists, warp_last_ticket(warp->block, agent));
}

// The same of one lane's tickets: only the lanes that issued them have to wait.
static bool is_lane_left(const Warp *warp, WarpGroupKind kind, WarpQueue queue) {
    const uint32_t agent = warp->block->order.queues[queue][warp->number];
    const WarpGroups *groups = &warp->block->engines->groups[kind][warp->number];
    for (uint32_t lane = 0; lane < WARP_LANES && agent; lane++)
        if (groups->last[lane] && !warp_knows(warp, UINT32_C(1) << lane, (WarpTicket){agent, groups->last[lane]}))
            return true;
    return false;
}

WarpFault warp_groups_end(WarpBlock *block) {
    const WarpEngines *engines = block->engines;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const Warp *warp = &block->warps[i];
        if (is_left(warp, WARP_QUEUE_WGMMA))
            return (WarpFault){.kind = WARP_FAULT_WGMMA_LEFT, .sides = {engines->groups[WARP_GROUP_WGMMA][i].side}};
        if (is_left(warp, WARP_QUEUE_TENSOR_LOAD))
            return (WarpFault){.kind = WARP_FAULT_TENSOR_LOAD_LEFT, .sides = {engines->last_load[i]}};
        if (is_lane_left(warp, WARP_GROUP_BULK, WARP_QUEUE_BULK_READ))
            return (WarpFault){.kind = WARP_FAULT_COPY_LEFT, .sides = {engines->groups[WARP_GROUP_BULK][i].side}};
    }
    return (WarpFault){.kind = WARP_FAULT_NONE};
}
