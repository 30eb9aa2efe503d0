// SPDX-License-Identifier: Apache-2.0
// The copy engine for tensors: tiles of arrays that tensor maps describe, and maps that kernels make.
#include "runtime/warp_copy.h"

#include <stdio.h>
#include <string.h>

enum {
    FOR_MAP,
    FOR_SHARED,
    FOR_MBARRIER,
    FOR_BLOCKS,
    FOR_COORDINATES,
    SHARED_ALIGNMENT = 128,
    ROW_BYTES_MAX = 2048,
    ROWS_TOGETHER = 256
};

// A tile on its way.
typedef struct TileCopy {
    RtMap map;
    WarpBox box; // its map is set when it is carried out
    uint32_t shared;
    WarpMbarrier *mbarrier; // NULL: a store
    WarpCombine *combine;   // NULL: a copy
    WarpSide side;
} TileCopy;

// ---- what is to be copied

_Noreturn static void fail_map(const WarpCall *call, const WarpSide *side, WarpProblem *problem) {
    tensor_fail(call->block, side, problem);
}

// The map at a generic address. It lies in parameters, constant or global memory.
static void read_map(const WarpCall *call, const WarpSide *side, uint64_t address, RtMap *map) {
    const WarpWhere where = warp_find(call->block, side, WARP_GENERIC, address, RT_MAP_BYTES, RT_MAP_ALIGNMENT, false);
    WarpDeed deed = warp_own_deed(call, 0);
    deed.lanes = side->lanes;
    warp_touch(call->block, &deed, where.space, where.offset, RT_MAP_BYTES);
    WarpProblem problem;
    if (!where.bytes || !warp_map_read(where.bytes, map, &problem)) fail_map(call, side, &problem);
}

static void open_tile(const WarpCall *call, uint32_t lane, TileCopy *copy) {
    const uint32_t *detail = call->operation->detail;
    int32_t coordinates[RT_MAP_RANK_MAX];
    WarpProblem problem = {.code = E_RUNTIME};
    copy->side = warp_lane_side(call, lane);
    read_map(call, &copy->side, call->operands[FOR_MAP][lane], &copy->map);
    if (copy->map.rank != detail[4]) {
        snprintf(problem.text, sizeof problem.text, "the instruction has %u dimensions, the tensor map %u", detail[4],
                 copy->map.rank);
        fail_map(call, &copy->side, &problem);
    }
    for (uint32_t d = 0; d < RT_MAP_RANK_MAX; d++) coordinates[d] = (int32_t)call->operands[FOR_COORDINATES + d][lane];
    if (!warp_box_open(&copy->box, &copy->map, (WarpTileMode)detail[5], coordinates, &problem))
        fail_map(call, &copy->side, &problem);
}

// Checks and notes what is accessed of the array: rows that are inside.
static void touch_array(const WarpCall *call, const TileCopy *copy, uint32_t flags, WarpTicket ticket) {
    const WarpDeed deed = warp_lane_deed(call, &copy->side, flags, ticket);
    WarpPiece pieces[ROWS_TOGETHER];
    uint32_t count = 0;
    WarpBox box = copy->box;
    WarpBoxRow row;
    box.map = &copy->map;
    while (warp_box_next(&box, &row)) {
        if (!row.inside) continue;
        warp_find(call->block, &copy->side, WARP_GLOBAL, row.global, row.global_bytes, 1, flags & WARP_DEED_WRITE);
        pieces[count++] = (WarpPiece){row.global, (uint32_t)row.global_bytes};
        if (count < ROWS_TOGETHER) continue;
        warp_touch_pieces(call->block, &deed, WARP_GLOBAL, pieces, count);
        count = 0;
    }
    warp_touch_pieces(call->block, &deed, WARP_GLOBAL, pieces, count);
}

static void touch_shared(const WarpCall *call, TileCopy *copy, uint64_t address, uint32_t flags, WarpTicket ticket) {
    const WarpDeed deed = warp_lane_deed(call, &copy->side, flags, ticket);
    const uint32_t bytes = warp_box_bytes(&copy->box), span = warp_map_span(&copy->map);
    const WarpWhere where = warp_find_shared(call->block, &copy->side, WARP_SHARED, address, bytes, SHARED_ALIGNMENT);
    copy->shared = (uint32_t)where.offset;
    if (flags & WARP_DEED_WRITE) warp_end_tiles(call->block, copy->shared, copy->shared + bytes);
    // A swizzle moves bytes within 128 of them: whole ones are the same bytes, in another order.
    const uint32_t whole = bytes / SHARED_ALIGNMENT * SHARED_ALIGNMENT;
    if (whole) warp_touch(call->block, &deed, WARP_SHARED, where.offset, whole);
    for (uint32_t i = whole; i < bytes; i += 16)
        warp_touch(call->block, &deed, WARP_SHARED, warp_swizzle(copy->shared + i, span), 16);
}

// ---- carrying it out

static uint8_t *array_at(uint64_t address) {
    return (uint8_t *)(uintptr_t)address;
}

static void load_tile(WarpBlock *block, void *data) {
    TileCopy *copy = data;
    WarpBoxRow row;
    copy->box.map = &copy->map;
    const uint32_t bytes = warp_box_bytes(&copy->box);
    while (warp_box_next(&copy->box, &row))
        warp_row_load(&copy->box, &row, block->shared, copy->shared, array_at(row.global));
    warp_mbarrier_complete(block, copy->mbarrier, &copy->side, bytes);
}

static void reduce_row(WarpBlock *block, const TileCopy *copy, const WarpBoxRow *row) {
    uint8_t elements[ROW_BYTES_MAX];
    const uint32_t size = warp_map_bits(&copy->map) / 8;
    warp_row_store(&copy->box, row, block->shared, copy->shared, elements);
    for (uint32_t i = 0; i < row->global_bytes; i += size) {
        const WarpWhere where = {.bytes = array_at(row->global) + i, .space = WARP_GLOBAL, .offset = row->global + i};
        warp_combine(block, &where, size, copy->combine, elements + i);
    }
}

static void store_tile(WarpBlock *block, void *data) {
    TileCopy *copy = data;
    WarpBoxRow row;
    copy->box.map = &copy->map;
    while (warp_box_next(&copy->box, &row)) {
        if (!row.inside) continue;
        if (copy->combine)
            reduce_row(block, copy, &row);
        else
            warp_row_store(&copy->box, &row, block->shared, copy->shared, array_at(row.global));
    }
}

// ---- the instructions

static void issue_load(const WarpCall *call, uint32_t lane) {
    WarpBlock *block = call->block;
    TileCopy copy = {0};
    open_tile(call, lane, &copy);
    copy.box.numbers = call->operation->detail[6];
    warp_check_blocks(call, &copy.side, call->operation->detail[3], call->operands[FOR_BLOCKS][lane]);
    copy.mbarrier = warp_find_mbarrier(block, &copy.side, WARP_SHARED, call->operands[FOR_MBARRIER][lane]);
    const WarpTicket ticket = warp_mbarrier_ticket(copy.mbarrier, &copy.side);
    touch_array(call, &copy, WARP_DEED_ASYNC, ticket);
    touch_shared(call, &copy, call->operands[FOR_SHARED][lane], WARP_DEED_ASYNC | WARP_DEED_WRITE, ticket);
    warp_mark_tile(block, copy.side.place, copy.shared, warp_box_bytes(&copy.box), warp_map_span(&copy.map),
                   warp_map_row_bytes(&copy.map));
    warp_start(block, copy.mbarrier->agent, load_tile, &copy, sizeof copy);
}

static void issue_store(const WarpCall *call, uint32_t lane) {
    WarpBlock *block = call->block;
    const uint32_t reduction = call->operation->detail[6];
    TileCopy copy = {0};
    open_tile(call, lane, &copy);
    if (reduction) {
        copy.combine = warp_map_combine(block->kernel, copy.map.type, (WarpReduction)reduction);
        if (!copy.combine) warp_refuse(call, "this reduction of elements of the tensor map's type");
    }
    if (copy.map.type == RT_MAP_16U4_ALIGN16B) warp_refuse(call, "stores of b4x16_p64");
    const WarpTicket reads = warp_issue(block, warp_agent(block, WARP_QUEUE_BULK_READ, call->warp->number));
    const WarpTicket writes = warp_issue(block, warp_agent(block, WARP_QUEUE_BULK_WRITE, call->warp->number));
    touch_shared(call, &copy, call->operands[FOR_SHARED][lane], WARP_DEED_ASYNC, reads);
    const uint32_t atomic = reduction ? WARP_DEED_ATOMIC : 0;
    touch_array(call, &copy, WARP_DEED_ASYNC | WARP_DEED_WRITE | atomic, writes);
    warp_group_add(call->warp, WARP_GROUP_BULK, &copy.side, reads);
    warp_start(block, reads.agent, store_tile, &copy, sizeof copy);
}

uint32_t warp_operate_TENSOR_COPY(const WarpCall *call) {
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1)
        (call->operation->detail[7] ? issue_store : issue_load)(call, (uint32_t)__builtin_ctz(lanes));
    return call->mask;
}

uint32_t warp_operate_TENSOR_PREFETCH(const WarpCall *call) {
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        TileCopy copy = {.side = warp_lane_side(call, lane)};
        if (call->operation->detail[4])
            open_tile(call, lane, &copy);
        else
            read_map(call, &copy.side, call->operands[FOR_MAP][lane], &copy.map);
    }
    return call->mask;
}

// ---- maps that kernels make

uint32_t warp_operate_MAP_REPLACE(const WarpCall *call) {
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        const WarpSide side = warp_lane_side(call, lane);
        const WarpWhere where = warp_find(call->block, &side, call->operation->detail[0], call->operands[0][lane],
                                          RT_MAP_BYTES, RT_MAP_ALIGNMENT, true);
        WarpDeed deed = warp_own_deed(call, WARP_DEED_WRITE);
        deed.lanes = side.lanes;
        warp_touch(call->block, &deed, where.space, where.offset, RT_MAP_BYTES);
        WarpProblem problem;
        if (!where.bytes || !warp_map_replace(where.bytes, (WarpMapField)call->operation->detail[1],
                                              (uint32_t)call->operands[2][lane], call->operands[1][lane], &problem))
            fail_map(call, &side, &problem);
    }
    return call->mask;
}

// The warp copies the 128 bytes of a map from shared to global memory.
uint32_t warp_operate_MAP_COPY(const WarpCall *call) {
    WarpBlock *block = call->block;
    warp_order_lanes(call->warp, call->mask);
    const WarpSide side = warp_lane_side(call, (uint32_t)__builtin_ctz(call->mask));
    const WarpWhere to =
        warp_find(block, &side, WARP_GLOBAL, warp_uniform(call, 0), RT_MAP_BYTES, RT_MAP_ALIGNMENT, true);
    const WarpWhere from =
        warp_find_shared(block, &side, WARP_SHARED, warp_uniform(call, 1), RT_MAP_BYTES, RT_MAP_ALIGNMENT);
    WarpDeed deed = warp_own_deed(call, 0);
    deed.lanes = side.lanes;
    warp_touch(block, &deed, WARP_SHARED, from.offset, RT_MAP_BYTES);
    deed.flags = WARP_DEED_WRITE;
    warp_touch(block, &deed, WARP_GLOBAL, to.offset, RT_MAP_BYTES);
    memcpy(to.bytes, from.bytes, RT_MAP_BYTES);
    warp_order_lanes(call->warp, call->mask);
    return call->mask;
}
