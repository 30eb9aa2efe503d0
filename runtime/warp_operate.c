// SPDX-License-Identifier: Apache-2.0
// The functions that compiled code of warps calls (WarpOps): which function carries out which operation, and how lanes
// go on and end.
#include "runtime/warp.h"

#include <string.h>
#include <time.h>

static WarpFunction *const warp_functions[] = {
#define WARP_OPERATION(id, ...) [WARP_##id] = warp_operate_##id,
#include "base/warp_operations.def"
#undef WARP_OPERATION
};
_Static_assert(BASE_COUNT(warp_functions) == WARP_KINDS, "a function for each operation");

static uint32_t operate(WarpState *state, uint32_t mask, const WarpOperation *operation, WarpLanes *operands,
                        void *data) {
    Warp *warp = (Warp *)(void *)state;
    if (!mask) return 0;
    warp->place = operation->place;
    return warp_functions[operation->kind](&(WarpCall){warp->block, warp, mask, operation, operands, data});
}

// ---- how warps go on and end

static WarpSide state_side(const Warp *warp, uint32_t place, uint32_t lanes) {
    return (WarpSide){place, lanes, (uint16_t)warp->number};
}

void warp_give_budget(Warp *warp) {
    const WarpBlock *block = warp->block;
    const uint64_t most = block->launch->threads->rounds, left = most > block->rounds ? most - block->rounds : 0;
    warp->budget = most && left < WARP_BUDGET ? (uint32_t)left + 1 : WARP_BUDGET;
    warp->state.budget = warp->budget;
}

static void loop(WarpState *state, uint32_t place) {
    Warp *warp = (Warp *)(void *)state;
    WarpBlock *block = warp->block;
    const uint64_t most = block->launch->threads->rounds;
    warp->place = place;
    block->idle = 0;
    block->rounds += warp->budget;
    warp_give_budget(warp);
    if (most && block->rounds > most)
        warp_fail(block, (WarpFault){.kind = WARP_FAULT_ITERATIONS,
                                     .sides = {state_side(warp, place, 0)},
                                     .numbers = {(int64_t)most}});
    warp_yield(warp, NULL);
}

// "lane 3 in bar.warp.sync (k.ptx:7)", for each place at which lanes wait.
static void print_stuck(const Warp *warp, uint32_t waiting, const uint32_t *places, Buffer *out) {
    while (waiting) {
        const uint32_t place = places[__builtin_ctz(waiting)];
        uint32_t lanes = 0;
        for (uint32_t rest = waiting; rest; rest &= rest - 1)
            if (places[__builtin_ctz(rest)] == place) lanes |= rest & -rest;
        if (out->size) buffer_print(out, ", ");
        warp_print_side(warp->block->kernel, &(WarpSide){place, lanes, (uint16_t)warp->number}, out);
        waiting &= ~lanes;
    }
}

static void stuck(WarpState *state, uint32_t waiting, const uint32_t *places) {
    Warp *warp = (Warp *)(void *)state;
    Buffer out = {0};
    const uint32_t first = places[__builtin_ctz(waiting)];
    print_stuck(warp, waiting, places, &out);
    buffer_print(&out, waiting & (waiting - 1) ? ": they wait" : ": it waits");
    buffer_print(&out, " for lanes of the warp that do not come");
    warp_fail(warp->block,
              (WarpFault){.kind = WARP_FAULT_STUCK, .sides = {state_side(warp, first, waiting)}, .text = out.data});
}

static void exit_lanes(WarpState *state, uint32_t mask) {
    Warp *warp = (Warp *)(void *)state;
    state->alive &= ~mask;
    warp_barriers_exit(warp);
    warp_progress(warp->block);
}

static const WarpFaultKind trap_faults[] = {
    [WARP_TRAP] = WARP_FAULT_TRAP,          [WARP_TRAP_BRANCH] = WARP_FAULT_BRANCH,
    [WARP_TRAP_CALL] = WARP_FAULT_CALL,     [WARP_TRAP_UNIFORM] = WARP_FAULT_AGREE,
    [WARP_TRAP_LANES] = WARP_FAULT_ALIGNED, [WARP_TRAP_SHUFFLE] = WARP_FAULT_SHUFFLE,
    [WARP_TRAP_MASK] = WARP_FAULT_MASK,     [WARP_TRAP_ENDLESS] = WARP_FAULT_ENDLESS,
    [WARP_TRAP_STACK] = WARP_FAULT_STACK,
};
_Static_assert(BASE_COUNT(trap_faults) == WARP_TRAPS, "a fault for each trap");

static void trap(WarpState *state, uint32_t mask, uint32_t kind, uint32_t place) {
    Warp *warp = (Warp *)(void *)state;
    warp_fail(warp->block, (WarpFault){.kind = trap_faults[kind], .sides = {state_side(warp, place, mask)}});
}

const WarpOps warp_ops = {
    .load = warp_load,
    .store = warp_store,
    .atomic = warp_atomic,
    .operate = operate,
    .loop = loop,
    .yield = warp_wait_blocked,
    .stuck = stuck,
    .exit = exit_lanes,
    .enter = warp_enter,
    .trap = trap,
};
