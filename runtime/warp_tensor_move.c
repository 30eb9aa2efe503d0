// SPDX-License-Identifier: Apache-2.0
// tcgen05.ld and tcgen05.st: a warp moves cells of its 32 lanes of tensor memory from and to registers.
//
// Register r of lane l is the cell (row, column) after the address:
//   32x32b    l                        r
//   16x64b    l / 4 + 8 (l % 2)        l / 2 % 2 + 2 r
//   16x128b   l / 4 + 8 (r % 2)        l % 4 + 4 (r / 2)
//   16x256b   l / 4 + 8 (r / 2 % 2)    r % 2 + 2 (l % 4) + 8 (r / 4)
//   16x32bx2  l % 16                   r; of lanes 16 to 31 the offset more
// With pack::16b and unpack::16b a register has the low halves of two cells, in columns 2 c and 2 c + 1.
#include "runtime/warp_tensor.h"

#include <string.h>

typedef struct TensorShape {
    uint32_t rows;
    uint32_t registers, columns; // of x1: registers, and columns of cells
    uint32_t most;               // xN
} TensorShape;
static const TensorShape shapes[] = {
    [WARP_32X32B] = {32, 1, 1, 128}, [WARP_16X64B] = {16, 1, 2, 128},   [WARP_16X128B] = {16, 2, 4, 64},
    [WARP_16X256B] = {16, 4, 8, 32}, [WARP_16X32BX2] = {16, 1, 1, 128},
};

typedef struct Cell {
    uint32_t row, column;
} Cell;
// `second`: column of the cells that lanes 16 to 31 have of 16x32bx2.
static inline Cell cell_of(WarpTensorShape shape, uint32_t second, uint32_t l, uint32_t r) {
    switch (shape) {
    case WARP_32X32B: return (Cell){l, r};
    case WARP_16X64B: return (Cell){l / 4 + 8 * (l % 2), l / 2 % 2 + 2 * r};
    case WARP_16X128B: return (Cell){l / 4 + 8 * (r % 2), l % 4 + 4 * (r / 2)};
    case WARP_16X256B: return (Cell){l / 4 + 8 * (r / 2 % 2), r % 2 + 2 * (l % 4) + 8 * (r / 4)};
    case WARP_16X32BX2: return (Cell){l % 16, r + (l >= 16 ? second : 0)};
    }
    return (Cell){0, 0};
}

// A move between registers and a window: the rows' cells one after the other.
typedef struct TensorMove {
    WarpTensorShape shape;
    uint32_t registers;
    bool packed;
    uint32_t rows, columns; // of the window
    uint32_t second;        // 16x32bx2: column in the window of what lanes 16 to 31 have
    uint32_t lane;          // of tensor memory
    TensorRegion regions[2];
    uint32_t region_count;
    uint32_t (*window)[TENSOR_COLUMNS];
    uint32_t *data;
} TensorMove;

// These are inlined for each shape, so that the places of cells are constants.
static inline void load_shape(const TensorMove *move, WarpTensorShape shape) {
    for (uint32_t r = 0; r < move->registers; r++)
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            const Cell cell = cell_of(shape, move->second, l, r);
            move->data[WARP_LANES * r + l] = move->window[cell.row][cell.column];
        }
}
static inline void store_shape(const TensorMove *move, WarpTensorShape shape) {
    for (uint32_t r = 0; r < move->registers; r++)
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            const Cell cell = cell_of(shape, move->second, l, r);
            move->window[cell.row][cell.column] = move->data[WARP_LANES * r + l];
        }
}

static void load_window(const TensorMove *move) {
    switch (move->shape) {
    case WARP_32X32B: load_shape(move, WARP_32X32B); break;
    case WARP_16X64B: load_shape(move, WARP_16X64B); break;
    case WARP_16X128B: load_shape(move, WARP_16X128B); break;
    case WARP_16X256B: load_shape(move, WARP_16X256B); break;
    case WARP_16X32BX2: load_shape(move, WARP_16X32BX2); break;
    }
}

static void store_window(const TensorMove *move) {
    switch (move->shape) {
    case WARP_32X32B: store_shape(move, WARP_32X32B); break;
    case WARP_16X64B: store_shape(move, WARP_16X64B); break;
    case WARP_16X128B: store_shape(move, WARP_16X128B); break;
    case WARP_16X256B: store_shape(move, WARP_16X256B); break;
    case WARP_16X32BX2: store_shape(move, WARP_16X32BX2); break;
    }
}

// ---- where

// The warp's lanes are those of its number in its warpgroup.
static void check_lanes(const WarpCall *call, const WarpSide *side, uint32_t address, uint32_t rows) {
    const uint32_t lane = address >> 16, mine = call->warp->number % 4 * 32;
    WarpFault fault = {.kind = WARP_FAULT_TENSOR_LANES,
                       .space = WARP_TENSOR_SPACE,
                       .sides = {*side},
                       .address = address,
                       .numbers = {call->warp->number, mine, mine + 31}};
    if (lane < mine || lane + rows > mine + 32) warp_fail(call->block, fault);
    fault.kind = WARP_FAULT_TENSOR_LANE;
    fault.numbers[0] = rows;
    if (lane % rows) warp_fail(call->block, fault);
}

static TensorMove open_move(const WarpCall *call, const WarpSide *side) {
    const uint32_t *detail = call->operation->detail;
    const TensorShape *shape = &shapes[detail[0]];
    const uint32_t address = (uint32_t)warp_uniform(call, 0), width = detail[2] ? 2 : 1;
    if (!detail[1] || detail[1] > shape->most || detail[1] & (detail[1] - 1))
        warp_refuse(call, "this number of registers");
    TensorMove move = {.shape = (WarpTensorShape)detail[0],
                       .registers = shape->registers * detail[1],
                       .packed = detail[2] != 0,
                       .rows = shape->rows,
                       .columns = shape->columns * detail[1] * width,
                       .lane = address >> 16,
                       .region_count = 1,
                       .data = call->data};
    check_lanes(call, side, address, shape->rows);
    move.regions[0] = tensor_lanes(move.lane, shape->rows, address & 0xFFFF, move.columns);
    if (move.shape == WARP_16X32BX2) {
        move.second = move.columns / width;
        move.regions[1] =
            tensor_lanes(move.lane, shape->rows, (address & 0xFFFF) + (uint32_t)warp_uniform(call, 1), move.columns);
        move.region_count = 2;
    }
    for (uint32_t i = 0; i < move.region_count; i++) tensor_check_allocated(call->block, side, &move.regions[i]);
    return move;
}

static TensorUse begin_use(const WarpCall *call, const WarpSide *side, TensorDeedKind kind, WarpQueue queue) {
    const TensorDeed deed = {.side = *side, .warp = (uint16_t)call->warp->number, .kind = (uint8_t)kind};
    warp_order_lanes(call->warp, call->mask);
    return (TensorUse){.warp = call->warp, .lanes = call->mask, .number = tensor_begin(call->block, &deed, queue)};
}

// ---- ld

// Two cells become one word.
static void pack_row(uint32_t *cells, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) cells[i] = (cells[2 * i] & 0xFFFF) | cells[2 * i + 1] << 16;
}

static void read_window(const WarpCall *call, const TensorMove *move) {
    for (uint32_t row = 0; row < move->rows; row++)
        for (uint32_t i = 0; i < move->region_count; i++) {
            uint32_t *cells = &move->window[row][i * move->second];
            tensor_copy_lane(call->block, move->lane + row, move->regions[i].column, move->columns, cells);
            if (move->packed) pack_row(cells, move->columns / 2);
        }
}

// ld.red: each lane also gets the minimum or maximum of what it has loaded.
static void reduce(const WarpCall *call, const TensorMove *move) {
    if (move->shape != WARP_32X32B || move->packed) warp_refuse(call, "a reduction of this shape");
    if (!call->operation->combine) warp_refuse(call, "this reduction");
    uint32_t *result = move->data + WARP_LANES * move->registers;
    memcpy(result, move->data, WARP_LANES * sizeof *result);
    for (uint32_t r = 1; r < move->registers; r++)
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            const uint32_t old = result[l];
            call->operation->combine(&old, &move->data[WARP_LANES * r + l], NULL, &result[l]);
        }
}

uint32_t warp_operate_TENSOR_LOAD(const WarpCall *call) {
    const WarpSide side = warp_call_side(call);
    tensor_memory(call->block, &side);
    TensorMove move = open_move(call, &side);
    const TensorUse use = begin_use(call, &side, TENSOR_IS_LOAD, WARP_QUEUE_TENSOR_LOAD);
    call->block->engines->last_load[call->warp->number] = side;
    for (uint32_t i = 0; i < move.region_count; i++)
        tensor_read(call->block, &use, &move.regions[i], TENSOR_NEEDS_COLUMNS);
    move.window = call->block->engines->window;
    read_window(call, &move);
    load_window(&move);
    if (call->operation->detail[3]) reduce(call, &move);
    return call->mask;
}

// ---- st

static void write_cells(TensorMemory *memory, const TensorMove *move, uint32_t row, uint32_t region) {
    const uint32_t *cells = &move->window[row][region * move->second];
    uint32_t *to = &memory->cells[move->lane + row][move->regions[region].column];
    if (!move->packed) {
        memcpy(to, cells, move->columns * sizeof *to);
        return;
    }
    // The upper halves of cells keep what they were.
    for (uint32_t i = 0; i < move->columns / 2; i++) {
        to[2 * i] = (to[2 * i] & 0xFFFF0000) | (cells[i] & 0xFFFF);
        to[2 * i + 1] = (to[2 * i + 1] & 0xFFFF0000) | cells[i] >> 16;
    }
}

uint32_t warp_operate_TENSOR_STORE(const WarpCall *call) {
    const WarpSide side = warp_call_side(call);
    TensorMemory *memory = tensor_memory(call->block, &side);
    TensorMove move = open_move(call, &side);
    const TensorUse use = begin_use(call, &side, TENSOR_IS_STORE, WARP_QUEUE_TENSOR_STORE);
    move.window = call->block->engines->window;
    store_window(&move);
    for (uint32_t i = 0; i < move.region_count; i++) {
        tensor_write(call->block, &use, &move.regions[i]);
        if (move.packed)
            tensor_to_bits(call->block, &move.regions[i]);
        else
            tensor_set_form(call->block, &move.regions[i], false);
        for (uint32_t row = 0; row < move.rows; row++) write_cells(memory, &move, row, i);
    }
    return call->mask;
}
