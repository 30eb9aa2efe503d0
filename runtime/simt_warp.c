// SPDX-License-Identifier: Apache-2.0
// Operations of warps: lanes wait until all lanes of their mask that have not exited are at the same operation; the
// last one computes it for all. They order the accesses of their lanes (docs/limits.md), as the lowering relies on.
#include "runtime/simt.h"

#include <string.h>

#define ALL_LANES UINT32_C(0xFFFFFFFF)
enum { TIME_MAX = UINT16_MAX - 2, ROW_BYTES = 16, ROWS = 8 };

static SimtThread *warp_thread(const SimtWorker *worker, uint32_t warp, uint32_t lane) {
    return &worker->thread[warp * SIMT_WARP + lane];
}

static bool same_operation(const SimtThread *a, const SimtThread *b) {
    return a->doing == b->doing && a->place == b->place && a->mask == b->mask && a->detail == b->detail;
}

uint32_t simt_warp_missing(const SimtWorker *worker, uint32_t thread) {
    const uint32_t number = thread / SIMT_WARP;
    const SimtWarp *warp = &worker->warps[number];
    const SimtThread *waiting = &worker->thread[thread];
    for (uint32_t lanes = waiting->mask & warp->exists & ~warp->ended; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        if (!(warp->waiting >> lane & 1) || !same_operation(waiting, warp_thread(worker, number, lane)))
            return number * SIMT_WARP + lane;
    }
    return thread;
}

// ---- what is ordered

// As long as not all lanes come to each operation, each has to know of each how far it has seen it.
static void split_warp(SimtWarp *warp) {
    for (uint32_t u = 0; u < SIMT_WARP; u++)
        for (uint32_t v = 0; v < SIMT_WARP; v++) warp->seen[u][v] = (uint16_t)warp->time;
    warp->split = true;
}

// What the lanes have done is ordered before what they will do.
static void order_lanes(SimtWorker *worker, SimtWarp *warp, uint32_t lanes) {
    if (lanes == warp->exists) {
        if (warp->split)
            for (uint32_t u = 0; u < SIMT_WARP; u++)
                if (warp->time < warp->seen[u][u]) warp->time = warp->seen[u][u];
        warp->split = false;
        if (++warp->time >= TIME_MAX) simt_begin_interval(worker); // no more is known then
        return;
    }
    if (!warp->split) split_warp(warp);
    uint16_t all[SIMT_WARP] = {0};
    bool full = false;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t u = (uint32_t)__builtin_ctz(rest);
        full |= ++warp->seen[u][u] >= TIME_MAX;
        for (uint32_t v = 0; v < SIMT_WARP; v++)
            if (all[v] < warp->seen[u][v]) all[v] = warp->seen[u][v];
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) memcpy(warp->seen[__builtin_ctz(rest)], all, sizeof all);
    if (full) simt_begin_interval(worker);
}

// ---- the operations, once all lanes are there

// Fails for a lane that is not the current one.
_Noreturn static void fail_lane(SimtWorker *worker, SimtFaultKind kind, uint32_t thread, uint32_t number) {
    simt_fail(worker, (SimtFault){.kind = kind, .sides = {simt_side(worker, thread)}, .number = number});
}

// PTX's shfl: the lane that `lane` reads from.
static uint32_t shuffle_source(SimtDoing doing, uint32_t lane, uint32_t argument, uint32_t clamp) {
    const uint32_t segment = clamp >> 8 & 31, b = argument & 31;
    const uint32_t last = (lane & segment) | (clamp & 31 & ~segment), first = lane & segment;
    int32_t source = (int32_t)lane;
    bool inside = false;
    switch (doing) {
    case SIMT_UP:
        source = (int32_t)lane - (int32_t)b;
        inside = source >= (int32_t)last;
        break;
    case SIMT_DOWN:
        source = (int32_t)(lane + b);
        inside = source <= (int32_t)last;
        break;
    case SIMT_BFLY:
        source = (int32_t)(lane ^ b);
        inside = source <= (int32_t)last;
        break;
    default:
        source = (int32_t)(first | (b & ~segment));
        inside = source <= (int32_t)last;
        break;
    }
    return inside ? (uint32_t)source : lane;
}

static void compute_shuffle(SimtWorker *worker, uint32_t warp, uint32_t lanes) {
    uint32_t values[SIMT_WARP] = {0};
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        values[lane] = warp_thread(worker, warp, lane)->shuffle.value;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        SimtThread *thread = warp_thread(worker, warp, lane);
        const uint32_t source = shuffle_source(thread->doing, lane, thread->shuffle.lane, thread->shuffle.clamp);
        if (!(lanes >> source & 1)) fail_lane(worker, SIMT_FAULT_LANE, warp * SIMT_WARP + lane, source);
        thread->shuffle.value = values[source];
    }
}

static void compute_mma(SimtWorker *worker, uint32_t warp) {
    const uint32_t *a[SIMT_WARP], *b[SIMT_WARP];
    uint32_t *sums[SIMT_WARP];
    for (uint32_t lane = 0; lane < SIMT_WARP; lane++) {
        const SimtThread *thread = warp_thread(worker, warp, lane);
        a[lane] = thread->mma.a;
        b[lane] = thread->mma.b;
        sums[lane] = thread->mma.sums;
    }
    const uint32_t detail = warp_thread(worker, warp, 0)->detail;
    simt_mma_compute(detail & 255, detail >> 8, a, b, sums);
}

// Lane 8 i + k gives the address of row k of matrix i. Lane l gets of each matrix elements 2 (l % 4) and 1 + 2 (l % 4)
// of row l / 4, transposed: of column l / 4.
static void compute_matrix(SimtWorker *worker, uint32_t warp) {
    const uint32_t count = warp_thread(worker, warp, 0)->detail & 255;
    const bool transposed = warp_thread(worker, warp, 0)->detail >> 8;
    for (uint32_t matrix = 0; matrix < count; matrix++) {
        uint16_t rows[ROWS][ROWS];
        for (uint32_t k = 0; k < ROWS; k++) {
            const uint32_t thread = warp * SIMT_WARP + matrix * ROWS + k;
            const void *row = worker->thread[thread].matrix.row;
            const uint64_t address = (uint64_t)(uintptr_t)row, begin = (uint64_t)(uintptr_t)worker->shared;
            const bool inside =
                address - begin < worker->shared_bytes && worker->shared_bytes - (address - begin) >= ROW_BYTES;
            if (!inside || address % ROW_BYTES)
                simt_fail(worker, (SimtFault){.kind = SIMT_FAULT_ROW,
                                              .sides = {simt_side(worker, thread)},
                                              .address = inside ? address - begin : address,
                                              .space = inside ? "shared memory" : NULL});
            if (!simt_check_access(worker, thread, address, ROW_BYTES, SIMT_READ, worker->thread[thread].place))
                simt_stop(worker);
            memcpy(rows[k], row, ROW_BYTES);
        }
        for (uint32_t lane = 0; lane < SIMT_WARP; lane++) {
            const uint32_t i = lane / 4, j = lane % 4 * 2;
            const uint32_t low = transposed ? rows[j][i] : rows[i][j];
            const uint32_t high = transposed ? rows[j + 1][i] : rows[i][j + 1];
            warp_thread(worker, warp, lane)->matrix.result[matrix] = high << 16 | low;
        }
    }
}

static void compute_operation(SimtWorker *worker, uint32_t number, uint32_t lanes) {
    SimtWarp *warp = &worker->warps[number];
    const uint32_t first = number * SIMT_WARP + (uint32_t)__builtin_ctz(lanes);
    const SimtDoing doing = worker->thread[first].doing;
    if ((doing == SIMT_MMA || doing == SIMT_LOAD_MATRIX) && lanes != ALL_LANES)
        fail_lane(worker, SIMT_FAULT_FULL_WARP, first, lanes);
    order_lanes(worker, warp, lanes);
    if (doing == SIMT_MMA) {
        compute_mma(worker, number);
    } else if (doing == SIMT_LOAD_MATRIX) {
        compute_matrix(worker, number);
        order_lanes(worker, warp, lanes);
    } else if (doing != SIMT_WARP_BARRIER) {
        compute_shuffle(worker, number, lanes);
    }
}

// ---- who waits for whom

// Completes the operation that lane `lane` waits in if all lanes have come; they are ready then.
static void complete_operation(SimtWorker *worker, uint32_t number, uint32_t lane) {
    SimtWarp *warp = &worker->warps[number];
    const SimtThread *thread = warp_thread(worker, number, lane);
    const uint32_t lanes = thread->mask & warp->exists & ~warp->ended;
    if ((warp->waiting & lanes) != lanes) return;
    uint32_t differs = UINT32_MAX;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const SimtThread *other = warp_thread(worker, number, (uint32_t)__builtin_ctz(rest));
        if (other->mask != thread->mask) return; // it waits for others, and may come yet
        if (!same_operation(thread, other) && differs == UINT32_MAX)
            differs = number * SIMT_WARP + (uint32_t)__builtin_ctz(rest);
    }
    if (differs != UINT32_MAX)
        simt_fail(worker,
                  (SimtFault){.kind = SIMT_FAULT_WARP,
                              .sides = {simt_side(worker, number * SIMT_WARP + lane), simt_side(worker, differs)}});
    compute_operation(worker, number, lanes);
    warp->waiting &= ~lanes;
    warp->ready |= lanes;
}

void simt_warp_after_exit(SimtWorker *worker, uint32_t number) {
    const SimtWarp *warp = &worker->warps[number];
    for (uint32_t rest = warp->waiting; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (warp->waiting >> lane & 1) complete_operation(worker, number, lane);
    }
}

// The current thread comes to an operation whose operands it has noted; returns when that is done.
static void enter_operation(SimtWorker *worker, SimtThread *thread, SimtDoing doing, uint32_t mask, uint32_t detail,
                            uint32_t place) {
    const uint32_t number = worker->current / SIMT_WARP, lane = worker->current % SIMT_WARP;
    SimtWarp *warp = &worker->warps[number];
    thread->doing = doing;
    thread->place = place;
    thread->mask = mask;
    thread->detail = detail;
    if (!(mask >> lane & 1)) fail_lane(worker, SIMT_FAULT_MASK, worker->current, mask);
    warp->waiting |= 1u << lane;
    complete_operation(worker, number, lane);
    simt_wait(worker);
    thread->doing = SIMT_RUNS;
}

void simt_warp_barrier(uint32_t mask, uint32_t place) {
    SimtWorker *worker = simt_running;
    enter_operation(worker, &worker->thread[worker->current], SIMT_WARP_BARRIER, mask, 0, place);
}

uint32_t simt_shuffle(uint32_t kind, uint32_t mask, uint32_t value, uint32_t lane, uint32_t clamp, uint32_t place) {
    SimtWorker *worker = simt_running;
    SimtThread *thread = &worker->thread[worker->current];
    thread->shuffle.value = value;
    thread->shuffle.lane = lane;
    thread->shuffle.clamp = clamp;
    enter_operation(worker, thread, (SimtDoing)(SIMT_UP + kind), mask, 0, place);
    return thread->shuffle.value;
}

void simt_mma(uint32_t kind_a, uint32_t kind_b, const uint32_t a[4], const uint32_t b[2], uint32_t sums[4],
              uint32_t place) {
    SimtWorker *worker = simt_running;
    SimtThread *thread = &worker->thread[worker->current];
    thread->mma.a = a;
    thread->mma.b = b;
    thread->mma.sums = sums;
    if (!simt_mma_exists(kind_a, kind_b)) {
        thread->doing = SIMT_MMA;
        thread->place = place;
        fail_lane(worker, SIMT_FAULT_OPERANDS, worker->current, 0);
    }
    enter_operation(worker, thread, SIMT_MMA, ALL_LANES, kind_a | kind_b << 8, place);
}

void simt_load_matrix(uint32_t count, bool transposed, const void *row, uint32_t *result, uint32_t place) {
    SimtWorker *worker = simt_running;
    SimtThread *thread = &worker->thread[worker->current];
    thread->matrix.row = row;
    thread->matrix.result = result;
    if (count != 1 && count != 2 && count != 4) {
        thread->doing = SIMT_LOAD_MATRIX;
        thread->place = place;
        fail_lane(worker, SIMT_FAULT_OPERANDS, worker->current, 0);
    }
    enter_operation(worker, thread, SIMT_LOAD_MATRIX, ALL_LANES, count | (uint32_t)transposed << 8, place);
}
