// SPDX-License-Identifier: Apache-2.0
// Operations that are a few lines each: fences, clocks, sleep, setmaxnreg; and what operations have in common.
#include "runtime/warp.h"

enum { CLOCK_STEP = 100 };
enum { REGISTERS_MIN = 24, REGISTERS_MAX = 256, REGISTERS_STEP = 8 };

// ---- what operations have in common

WarpSide warp_call_side(const WarpCall *call) {
    return (WarpSide){call->operation->place, call->mask, (uint16_t)call->warp->number};
}

WarpDeed warp_own_deed(const WarpCall *call, uint32_t flags) {
    return (WarpDeed){.warp = call->warp,
                      .lanes = call->mask,
                      .place = call->operation->place,
                      .flags = flags,
                      .ticket.agent = call->warp->number};
}

uint64_t warp_uniform(const WarpCall *call, uint32_t number) {
    const uint64_t first = call->operands[number][__builtin_ctz(call->mask)];
    for (uint32_t rest = call->mask; rest; rest &= rest - 1) {
        const uint64_t other = call->operands[number][__builtin_ctz(rest)];
        if (other != first)
            warp_fail(call->block, (WarpFault){.kind = WARP_FAULT_UNIFORM,
                                               .sides = {warp_call_side(call)},
                                               .numbers = {number, (int64_t)first, (int64_t)other}});
    }
    return first;
}

static char *text_of(const char *text) {
    Buffer out = {0};
    buffer_print(&out, "%s", text);
    return out.data;
}

_Noreturn void warp_refuse(const WarpCall *call, const char *what) {
    warp_fail(call->block,
              (WarpFault){.kind = WARP_FAULT_UNSUPPORTED, .sides = {warp_call_side(call)}, .text = text_of(what)});
}

// ---- small operations

uint32_t warp_operate_WARP_SYNC(const WarpCall *call) {
    warp_order_lanes(call->warp, call->mask);
    return call->mask;
}

uint32_t warp_operate_FENCE(const WarpCall *call) {
    uint32_t word = 0;
    switch ((WarpFence)call->operation->detail[0]) {
    case WARP_FENCE_ASYNC: warp_fence_async(call->warp, call->mask); break;
    case WARP_FENCE_MEMORY:
        __atomic_exchange_n(&word, 1, __ATOMIC_SEQ_CST); // between the processors that run blocks
        warp_fence(call->warp, call->mask);
        break;
    default: warp_fence(call->warp, call->mask); break;
    }
    return call->mask;
}

// Counters that grow, alike in every run.
uint32_t warp_operate_CLOCK(const WarpCall *call) {
    const uint64_t now = call->block->clock += CLOCK_STEP;
    for (uint32_t rest = call->mask; rest; rest &= rest - 1) call->operands[0][__builtin_ctz(rest)] = now;
    return call->mask;
}

uint32_t warp_operate_SLEEP(const WarpCall *call) {
    warp_yield(call->warp, NULL);
    return call->mask;
}

uint32_t warp_operate_SET_REGISTERS(const WarpCall *call) {
    const uint64_t count = warp_uniform(call, 0);
    if (count % REGISTERS_STEP || count < REGISTERS_MIN || count > REGISTERS_MAX)
        warp_fail(
            call->block,
            (WarpFault){.kind = WARP_FAULT_REGISTERS, .sides = {warp_call_side(call)}, .numbers = {(int64_t)count}});
    return call->mask;
}

uint32_t warp_operate_GRID_DEPENDENCY(const WarpCall *call) {
    return call->mask; // grids run one after the other
}
