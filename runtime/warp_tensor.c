// SPDX-License-Identifier: Apache-2.0
// Tensor memory of a block: it is allocated, given back, waited for and fenced.
#include "runtime/warp_tensor.h"

#include <stdlib.h>
#include <string.h>

// ---- state of a block

bool warp_engines_open(WarpBlock *block) {
    block->engines = aligned_alloc(64, (sizeof *block->engines + 63) / 64 * 64);
    if (!block->engines) return false;
    memset(block->engines, 0, sizeof *block->engines);
    return true;
}

void warp_engines_close(WarpBlock *block) {
    if (!block->engines) return;
    free(block->engines->tensor);
    for (uint32_t kind = 0; kind < WARP_GROUP_KINDS; kind++)
        for (uint32_t i = 0; i < WARP_BLOCK_WARPS; i++) free(block->engines->groups[kind][i].groups);
    free(block->engines);
    block->engines = NULL;
}

// Contents of new tensor memory are undefined: this pattern is no number that a kernel expects.
enum { TENSOR_PATTERN = 0xC7 };

static void clear_tensor(TensorMemory *memory) {
    memset(memory->writer, 0, sizeof memory->writer);
    memset(memory->loader, 0, sizeof memory->loader);
    memset(memory->reader, 0, sizeof memory->reader);
    memset(memory->form, 0, sizeof memory->form);
    memset(memory->allocation, 0, sizeof memory->allocation);
    memset(memory->fenced_before, 0, sizeof memory->fenced_before);
    memset(memory->fenced_after, 0, sizeof memory->fenced_after);
    memory->deed_count = memory->allocation_count = 0;
    memory->relinquished = (WarpSide){0};
}

void warp_engines_begin(WarpBlock *block) {
    WarpEngines *engines = block->engines;
    if (engines->tensor_used) clear_tensor(engines->tensor);
    engines->tensor_used = false;
    memset(engines->tiles, 0, engines->tile_end * sizeof *engines->tiles);
    memset(engines->watched, 0, sizeof engines->watched);
    engines->tile_end = engines->watch_count = block->watch_first = block->watch_end = 0;
    for (uint32_t kind = 0; kind < WARP_GROUP_KINDS; kind++)
        for (uint32_t i = 0; i < WARP_BLOCK_WARPS; i++) {
            WarpGroups *groups = &engines->groups[kind][i];
            *groups = (WarpGroups){.groups = groups->groups};
        }
    memset(engines->meetings, 0, sizeof engines->meetings);
    memset(engines->product_fence, 0, sizeof engines->product_fence);
    memset(engines->product_lane, 0, sizeof engines->product_lane);
}

static WarpFault find_left(const TensorMemory *memory) {
    for (uint32_t c = 0; c < TENSOR_COLUMNS; c++) {
        const uint32_t number = memory->allocation[c];
        const TensorAllocation *allocation = number ? &memory->allocations[(number - 1) % TENSOR_ALLOCATIONS] : NULL;
        if (allocation && allocation->live)
            return (WarpFault){.kind = WARP_FAULT_TENSOR_LEFT,
                               .space = WARP_TENSOR_SPACE,
                               .sides = {allocation->maker},
                               .address = allocation->column,
                               .numbers = {allocation->columns}};
    }
    return (WarpFault){.kind = WARP_FAULT_NONE};
}

WarpFault warp_engines_end(WarpBlock *block) {
    WarpFault fault = warp_groups_end(block);
    if (!fault.kind) fault = warp_mbarriers_end(block);
    if (!fault.kind) warp_end_tiles(block, 0, block->shared_end);
    if (!fault.kind) warp_end_watches(block, 0, block->shared_end);
    if (fault.kind || !block->engines->tensor_used) return fault;
    return find_left(block->engines->tensor);
}

TensorMemory *tensor_memory(WarpBlock *block, const WarpSide *side) {
    WarpEngines *engines = block->engines;
    if (engines->tensor_used) return engines->tensor;
    if (!engines->tensor) engines->tensor = calloc(1, sizeof *engines->tensor);
    if (!engines->tensor)
        warp_fail(block, (WarpFault){.kind = WARP_FAULT_MEMORY, .sides = {*side}, .numbers = {block->thread_count}});
    engines->tensor_used = true;
    return engines->tensor;
}

WarpSide warp_lane_side(const WarpCall *call, uint32_t lane) {
    WarpSide side = warp_call_side(call);
    side.lanes = UINT32_C(1) << lane;
    return side;
}

_Noreturn void tensor_fail(WarpBlock *block, const WarpSide *side, const WarpProblem *problem) {
    const WarpFaultKind kind = problem->code == E_UNSUPPORTED ? WARP_FAULT_UNSUPPORTED : WARP_FAULT_WRONG;
    warp_fail(block, (WarpFault){.kind = kind, .sides = {*side}, .text = strdup(problem->text)});
}

_Noreturn void tensor_fail_at(WarpBlock *block, WarpFaultKind kind, const WarpSide *side, uint32_t address) {
    warp_fail(block, (WarpFault){.kind = kind, .space = WARP_TENSOR_SPACE, .sides = {*side}, .address = address});
}

// Operations that pairs of blocks carry out need clusters of two.
static void check_group(const WarpCall *call) {
    if (call->operation->detail[1] != 1) warp_refuse(call, "cta_group::2");
}

// ---- alloc

// The first column of `columns` free ones; TENSOR_COLUMNS: there are none. `last`: of the highest instead of the
// lowest.
static uint32_t find_columns(const TensorMemory *memory, uint32_t columns, bool last) {
    for (uint32_t i = 0; i + columns <= TENSOR_COLUMNS; i += columns) {
        const uint32_t first = last ? TENSOR_COLUMNS - columns - i : i;
        uint32_t used = 0;
        for (uint32_t c = first; c < first + columns; c++) {
            const uint32_t number = memory->allocation[c];
            used += number && memory->allocations[(number - 1) % TENSOR_ALLOCATIONS].live;
        }
        if (!used) return first;
    }
    return TENSOR_COLUMNS;
}

static bool has_columns(const Warp *warp, const WarpWait *wait) {
    (void)warp;
    return find_columns(wait->object, (uint32_t)wait->number, false) < TENSOR_COLUMNS;
}

static void describe_columns(const Warp *warp, const WarpWait *wait, Buffer *out) {
    (void)warp;
    buffer_print(out, "for %u free columns of tensor memory", (uint32_t)wait->number);
}

static uint32_t count_columns(const WarpCall *call) {
    const uint32_t columns = (uint32_t)warp_uniform(call, 1);
    if (columns < 32 || columns > TENSOR_COLUMNS || columns & (columns - 1))
        warp_fail(
            call->block,
            (WarpFault){.kind = WARP_FAULT_TENSOR_COLUMNS, .sides = {warp_call_side(call)}, .numbers = {columns}});
    return columns;
}

static void allocate(TensorMemory *memory, const WarpSide *side, uint32_t first, uint32_t columns) {
    TensorAllocation *allocation = &memory->allocations[memory->allocation_count++ % TENSOR_ALLOCATIONS];
    *allocation = (TensorAllocation){.column = first, .columns = columns, .maker = *side, .live = true};
    for (uint32_t c = first; c < first + columns; c++) memory->allocation[c] = (uint16_t)memory->allocation_count;
    for (uint32_t lane = 0; lane < TENSOR_LANES; lane++)
        memset(&memory->cells[lane][first], TENSOR_PATTERN, columns * sizeof(uint32_t));
    for (uint32_t strip = 0; strip < TENSOR_STRIPS; strip++) {
        memset(&memory->unwritten[strip][first], 0xFF, columns * sizeof(uint16_t));
        memset(&memory->form[strip][first], 0, columns);
        memset(&memory->writer[strip][first], 0, columns * sizeof(uint32_t));
        memset(&memory->loader[strip][first], 0, columns * sizeof(uint32_t));
        memset(&memory->reader[strip][first], 0, columns * sizeof(uint32_t));
    }
}

uint32_t warp_operate_TENSOR_ALLOC(const WarpCall *call) {
    WarpBlock *block = call->block;
    const WarpSide side = warp_call_side(call);
    check_group(call);
    warp_order_lanes(call->warp, call->mask);
    TensorMemory *memory = tensor_memory(block, &side);
    const uint32_t columns = count_columns(call);
    if (memory->relinquished.place)
        warp_fail(block, (WarpFault){.kind = WARP_FAULT_TENSOR_RELINQUISHED, .sides = {side, memory->relinquished}});
    const WarpWhere where = warp_find_shared(block, &side, call->operation->detail[0], warp_uniform(call, 0), 4, 4);
    const WarpWait wait = {
        .ready = has_columns, .describe = describe_columns, .object = memory, .number = columns, .lanes = call->mask};
    if (!has_columns(call->warp, &wait)) warp_wait(call->warp, &wait);
    const uint32_t first = find_columns(memory, columns, block->reverse);
    allocate(memory, &side, first, columns);
    WarpDeed deed = warp_own_deed(call, WARP_DEED_WRITE);
    deed.lanes &= -deed.lanes;
    warp_touch(block, &deed, where.space, where.offset, 4);
    memcpy(where.bytes, &first, 4);
    warp_order_lanes(call->warp, call->mask);
    return call->mask;
}

uint32_t warp_operate_TENSOR_FREE(const WarpCall *call) {
    WarpBlock *block = call->block;
    const WarpSide side = warp_call_side(call);
    check_group(call);
    warp_order_lanes(call->warp, call->mask);
    TensorMemory *memory = tensor_memory(block, &side);
    const uint32_t columns = count_columns(call), address = (uint32_t)warp_uniform(call, 0);
    const TensorRegion region = tensor_lanes(0, TENSOR_LANES, address & 0xFFFF, columns);
    tensor_check_allocated(block, &side, &region);
    TensorAllocation *allocation = &memory->allocations[(memory->allocation[region.column] - 1u) % TENSOR_ALLOCATIONS];
    if (allocation->column != address || allocation->columns != columns)
        warp_fail(block, (WarpFault){.kind = WARP_FAULT_TENSOR_FREE,
                                     .space = WARP_TENSOR_SPACE,
                                     .sides = {side, allocation->maker},
                                     .address = address,
                                     .numbers = {columns, allocation->columns, allocation->column}});
    const TensorDeed deed = {.side = side, .warp = (uint16_t)call->warp->number, .kind = TENSOR_IS_STORE};
    const TensorUse use = {
        .warp = call->warp, .lanes = call->mask, .number = tensor_begin(block, &deed, WARP_QUEUE_TENSOR_STORE)};
    tensor_end(block, &use, &region);
    allocation->live = false;
    allocation->freer = side;
    warp_progress(block);
    return call->mask;
}

uint32_t warp_operate_TENSOR_RELINQUISH(const WarpCall *call) {
    const WarpSide side = warp_call_side(call);
    check_group(call);
    tensor_memory(call->block, &side)->relinquished = side;
    return call->mask;
}

// ---- wait and fence

uint32_t warp_operate_TENSOR_WAIT(const WarpCall *call) {
    const WarpQueue queue = call->operation->detail[0] ? WARP_QUEUE_TENSOR_STORE : WARP_QUEUE_TENSOR_LOAD;
    const uint32_t agent = warp_agent(call->block, queue, call->warp->number);
    warp_order_lanes(call->warp, call->mask);
    warp_learn(call->warp, call->mask, warp_last_ticket(call->block, agent));
    return call->mask;
}

uint32_t warp_operate_TENSOR_FENCE(const WarpCall *call) {
    if (!call->block->engines->tensor_used) return call->mask;
    TensorMemory *memory = call->block->engines->tensor;
    uint32_t *fenced = call->operation->detail[0] ? memory->fenced_after : memory->fenced_before;
    fenced[call->warp->number] = memory->deed_count;
    return call->mask;
}
