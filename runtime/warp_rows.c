// SPDX-License-Identifier: Apache-2.0
// ldmatrix and stmatrix: matrices of 8 rows of 16 bytes between shared memory and the registers of a warp. Lane 8 m + k
// gives the address of row k of matrix m. Register m of lane l has elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 of
// that matrix; transposed: of column l / 4.
#include "runtime/warp.h"

#include <string.h>

enum { ROW_BYTES = 16, ROW_COUNT = 8, MATRICES_MAX = 4 };

typedef struct WarpRows {
    uint8_t *row[WARP_LANES]; // in memory of the host
    uint32_t count;           // of matrices
    bool transposed;
} WarpRows;

static WarpRows open_rows(const WarpCall *call, uint32_t flags) {
    const uint32_t *detail = call->operation->detail;
    WarpBlock *block = call->block;
    WarpRows rows = {.count = detail[0], .transposed = detail[1]};
    if (detail[2] || detail[3]) warp_refuse(call, "matrices of 8-bit elements and of smaller ones");
    if (rows.count > MATRICES_MAX) warp_refuse(call, "more than four matrices");
    warp_order_lanes(call->warp, call->mask);
    for (uint32_t lane = 0; lane < rows.count * ROW_COUNT; lane++) {
        const uint64_t address = call->operands[0][lane];
        const WarpSide side = {call->operation->place, UINT32_C(1) << lane, (uint16_t)call->warp->number};
        if (address < WARP_SHARED_FIRST || address > block->shared_end - ROW_BYTES || address % ROW_BYTES)
            warp_find_shared(block, &side, WARP_SHARED, address, ROW_BYTES, ROW_BYTES); // does not return
        rows.row[lane] = block->shared + address;
    }
    WarpDeed deed = warp_own_deed(call, flags);
    deed.lanes = (uint32_t)BASE_BITS(rows.count * ROW_COUNT);
    warp_touch_lanes(block, &deed, WARP_SHARED, call->operands[0], 0, ROW_BYTES);
    warp_order_lanes(call->warp, call->mask);
    return rows;
}

// Calls for the memory and the register of each element.
#define MOVE_ROWS(call, rows, to, from)                                                                                \
    for (uint32_t i = 0; i < (rows).count * WARP_LANES; i++) {                                                         \
        uint16_t *element = (uint16_t *)(call)->data + 2 * i;                                                          \
        uint8_t *const *row = &(rows).row[i / WARP_LANES * ROW_COUNT];                                                 \
        const uint32_t k = i % WARP_LANES / 4, pair = i % WARP_LANES % 4 * 2;                                          \
        for (uint32_t half = 0; half < 2; half++, element++) {                                                         \
            uint8_t *memory = (rows).transposed ? row[pair + half] + 2 * k : row[k] + 2 * (pair + half);               \
            memcpy(to, from, sizeof *element);                                                                         \
        }                                                                                                              \
    }

uint32_t warp_operate_MATRIX_LOAD(const WarpCall *call) {
    const WarpRows rows = open_rows(call, 0);
    MOVE_ROWS(call, rows, element, memory)
    return call->mask;
}

uint32_t warp_operate_MATRIX_STORE(const WarpCall *call) {
    const WarpRows rows = open_rows(call, WARP_DEED_WRITE);
    MOVE_ROWS(call, rows, memory, element)
    return call->mask;
}
