// SPDX-License-Identifier: Apache-2.0
// tcgen05.cp, shift and commit: what copies into and within tensor memory, and who is told that it is done.
#include "runtime/warp_tensor.h"

#include <string.h>

static void check_single(const WarpCall *call) {
    if (call->operation->detail[1] != 1) warp_refuse(call, "cta_group::2");
}

_Noreturn static void fail_lane(WarpBlock *block, const WarpSide *side, uint32_t address, uint32_t multiple) {
    warp_fail(block, (WarpFault){.kind = WARP_FAULT_TENSOR_LANE,
                                 .space = WARP_TENSOR_SPACE,
                                 .sides = {*side},
                                 .address = address,
                                 .numbers = {multiple}});
}

// All that one thread issues to the tensor core is carried out in order.
static TensorUse open_use(const WarpCall *call, uint32_t lane, uint32_t number) {
    return (TensorUse){.warp = call->warp,
                       .lanes = UINT32_C(1) << lane,
                       .number = number,
                       .agent = warp_agent(call->block, WARP_QUEUE_TENSOR, call->warp->number),
                       .kinds = 1u << TENSOR_IS_PRODUCT | 1u << TENSOR_IS_COPY | 1u << TENSOR_IS_SHIFT};
}

static WarpTicket begin(const WarpCall *call, uint32_t lane, TensorDeedKind kind, const WarpSide *side,
                        TensorUse *use) {
    const TensorDeed deed = {.side = *side, .warp = (uint16_t)call->warp->number, .kind = (uint8_t)kind};
    const uint32_t number = tensor_begin(call->block, &deed, WARP_QUEUE_TENSOR);
    *use = open_use(call, lane, number);
    const WarpTicket ticket = call->block->engines->tensor->deeds[number % TENSOR_DEEDS].ticket;
    call->block->engines->product_lane[call->warp->number][lane] = ticket.number;
    return ticket;
}

// ---- cp

// Row r goes to lane r % together + (r / together) * step, and again to the lanes after that by each of `again`.
typedef struct CopyShape {
    uint32_t rows, columns, together, step;
    uint32_t copies, again;
} CopyShape;
static const CopyShape copy_shapes[] = {
    [WARP_COPY_128X256B] = {128, 8, 128, 0, 1, 0},      [WARP_COPY_4X256B] = {4, 8, 1, 32, 1, 0},
    [WARP_COPY_128X128B] = {128, 4, 128, 0, 1, 0},      [WARP_COPY_64X128B_02_13] = {64, 4, 64, 0, 2, 64},
    [WARP_COPY_64X128B_01_23] = {64, 4, 32, 64, 2, 32}, [WARP_COPY_32X128B] = {32, 4, 32, 0, 4, 32},
};

typedef struct TensorCopy {
    const CopyShape *shape;
    WarpMatrix matrix;
    TensorRegion region;
} TensorCopy;

static uint32_t copy_lane(const CopyShape *shape, uint32_t row, uint32_t copy) {
    return row % shape->together + row / shape->together * shape->step + copy * shape->again;
}

static void copy_in(WarpBlock *block, void *data) {
    const TensorCopy *copy = data;
    const CopyShape *shape = copy->shape;
    WarpEngines *engines = block->engines;
    uint32_t outside;
    warp_matrix_gather(&copy->matrix, block->shared, block->shared_end, engines->a, &outside);
    tensor_to_bits(block, &copy->region);
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint32_t i = 0; i < shape->copies; i++)
            memcpy(&engines->tensor->cells[copy_lane(shape, row, i)][copy->region.column],
                   engines->a + row * shape->columns * 4, shape->columns * 4);
}

static TensorRegion copy_region(const CopyShape *shape, uint32_t column) {
    TensorRegion region = {.column = column, .columns = shape->columns};
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint32_t i = 0; i < shape->copies; i++) {
            const uint32_t lane = copy_lane(shape, row, i);
            region.lanes[lane / TENSOR_STRIP_LANES] |= (uint16_t)(1u << lane % TENSOR_STRIP_LANES);
        }
    return region;
}

static TensorCopy open_copy(const WarpCall *call, uint32_t lane, const WarpSide *side) {
    const uint32_t address = (uint32_t)call->operands[0][lane];
    if (call->operation->detail[2]) warp_refuse(call, "decompression");
    if (address >> 16) fail_lane(call->block, side, address, 128);
    TensorCopy copy = {.shape = &copy_shapes[call->operation->detail[0]]};
    WarpProblem problem;
    if (!warp_matrix_read(call->operands[1][lane], true, &copy.matrix, &problem))
        tensor_fail(call->block, side, &problem);
    copy.matrix.rows = copy.shape->rows;
    copy.matrix.depth = copy.shape->columns;
    copy.matrix.bits = 32;
    copy.region = copy_region(copy.shape, address & 0xFFFF);
    tensor_check_allocated(call->block, side, &copy.region);
    return copy;
}

static void issue_copy(const WarpCall *call, uint32_t lane) {
    const WarpSide side = warp_lane_side(call, lane);
    tensor_memory(call->block, &side);
    const TensorCopy copy = open_copy(call, lane, &side);
    TensorUse use;
    const WarpTicket ticket = begin(call, lane, TENSOR_IS_COPY, &side, &use);
    const WarpDeed read = {.warp = call->warp,
                           .lanes = UINT32_C(1) << lane,
                           .place = side.place,
                           .flags = WARP_DEED_ASYNC,
                           .ticket = ticket,
                           .before = {(uint16_t)ticket.agent}};
    tensor_write(call->block, &use, &copy.region);
    warp_matrix_touch(call->block, &side, &read, &copy.matrix, 0, copy.matrix.rows);
    warp_start(call->block, ticket.agent, copy_in, &copy, sizeof copy);
}

uint32_t warp_operate_TENSOR_COPY_IN(const WarpCall *call) {
    check_single(call);
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) issue_copy(call, (uint32_t)__builtin_ctz(lanes));
    return call->mask;
}

// ---- shift

enum { SHIFT_COLUMNS = 8, SHIFT_LANES = 32 };

// Of 32 lanes: what the first 31 have goes to the lanes after them; the first keeps its own.
static void shift_down(WarpBlock *block, void *data) {
    const uint32_t lane = *(const uint32_t *)data >> 16, column = *(const uint32_t *)data & 0xFFFF;
    const TensorRegion region = tensor_lanes(lane, SHIFT_LANES, column, SHIFT_COLUMNS);
    tensor_to_bits(block, &region);
    TensorMemory *memory = block->engines->tensor;
    for (uint32_t i = SHIFT_LANES - 1; i; i--)
        memcpy(&memory->cells[lane + i][column], &memory->cells[lane + i - 1][column], SHIFT_COLUMNS * 4);
}

uint32_t warp_operate_TENSOR_SHIFT(const WarpCall *call) {
    check_single(call);
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes), address = (uint32_t)call->operands[0][lane];
        const WarpSide side = warp_lane_side(call, lane);
        tensor_memory(call->block, &side);
        if ((address >> 16) % SHIFT_LANES || address >> 16 >= TENSOR_LANES)
            fail_lane(call->block, &side, address, SHIFT_LANES);
        const TensorRegion region = tensor_lanes(address >> 16, SHIFT_LANES, address & 0xFFFF, SHIFT_COLUMNS);
        tensor_check_allocated(call->block, &side, &region);
        TensorUse use;
        const WarpTicket ticket = begin(call, lane, TENSOR_IS_SHIFT, &side, &use);
        tensor_read(call->block, &use, &region, TENSOR_NEEDS_NOTHING);
        tensor_write(call->block, &use, &region);
        warp_start(call->block, ticket.agent, shift_down, &address, sizeof address);
    }
    return call->mask;
}

// ---- commit

typedef struct TensorCommit {
    Warp *warp;
    WarpMbarrier *mbarrier;
    WarpSide side;
    WarpTicket ticket;
} TensorCommit;

static void arrive(WarpBlock *block, void *data) {
    (void)block;
    const TensorCommit *commit = data;
    warp_mbarrier_arrive(commit->warp, commit->mbarrier, &commit->side, commit->ticket);
}

uint32_t warp_operate_TENSOR_COMMIT(const WarpCall *call) {
    check_single(call);
    WarpBlock *block = call->block;
    const uint32_t agent = warp_agent(block, WARP_QUEUE_TENSOR, call->warp->number);
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        const WarpSide side = warp_lane_side(call, lane);
        if (call->operation->detail[2] && (call->operands[1][lane] & 0xFFFF) != 1)
            warp_fail(block, (WarpFault){.kind = WARP_FAULT_COPY_BLOCKS,
                                         .sides = {side},
                                         .numbers = {(int64_t)(call->operands[1][lane] & 0xFFFF)}});
        const TensorCommit commit = {
            .warp = call->warp,
            .mbarrier = warp_find_mbarrier(block, &side, call->operation->detail[0], call->operands[0][lane]),
            .side = side,
            .ticket = {agent, block->engines->product_lane[call->warp->number][lane]}};
        warp_start(block, agent, arrive, &commit, sizeof commit);
    }
    if (block->engines->tensor_used)
        block->engines->tensor->fenced_before[call->warp->number] = block->engines->tensor->deed_count;
    return call->mask;
}
