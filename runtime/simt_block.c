// SPDX-License-Identifier: Apache-2.0
// The threads of a block: which of them runs, barriers of the block, how threads and blocks end. One thread runs until
// it has to wait; then the lowest lane of its warp that can run does, then another warp; behind a barrier the lowest
// thread is the first. So every run of a block does the same, but for what blocks share through memory.
#include "runtime/simt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SHARED_ALIGNMENT = 128, SHARED_FILL = 0xCB }; // shared memory begins undefined: the same bytes in each block

_Thread_local SimtWorker *simt_running;

// ---- who runs

static SimtThread *current_thread(const SimtWorker *worker) {
    return &worker->thread[worker->current];
}

SimtSide simt_side(const SimtWorker *worker, uint32_t thread) {
    return (SimtSide){thread, worker->thread[thread].place, worker->thread[thread].doing};
}

_Noreturn void simt_stop(SimtWorker *worker) {
    simt_fiber_switch(&current_thread(worker)->fiber, &worker->main);
    abort(); // nobody goes back to a block that has ended
}

_Noreturn void simt_fail(SimtWorker *worker, SimtFault fault) {
    worker->fault = fault;
    simt_stop(worker);
}

// Nobody can run, but some have not ended: says why.
static SimtFault stuck(const SimtWorker *worker) {
    uint32_t ended = UINT32_MAX, waiting = UINT32_MAX;
    for (uint32_t i = 0; i < worker->threads; i++) {
        const SimtDoing doing = worker->thread[i].doing;
        if (doing >= SIMT_WARP_BARRIER && doing <= SIMT_LOAD_MATRIX) {
            const uint32_t other = simt_warp_missing(worker, i);
            return (SimtFault){.kind = SIMT_FAULT_WARP, .sides = {simt_side(worker, i), simt_side(worker, other)}};
        }
        if (doing == SIMT_BARRIER && waiting == UINT32_MAX) waiting = i;
        if (doing == SIMT_RETURNED && ended == UINT32_MAX) ended = i;
    }
    return (SimtFault){.kind = SIMT_FAULT_BARRIER, .sides = {simt_side(worker, waiting), simt_side(worker, ended)}};
}

// The next thread, from the warp on, that can run and is not paused; UINT32_MAX if there is none.
static uint32_t next_ready(const SimtWorker *worker, uint32_t warp) {
    const uint32_t warps = (worker->threads + SIMT_WARP - 1) / SIMT_WARP;
    for (uint32_t i = 0; i < warps; i++, warp = warp + 1 == warps ? 0 : warp + 1) {
        const uint32_t lanes = worker->warps[warp].ready & ~worker->warps[warp].paused;
        if (lanes) return warp * SIMT_WARP + (uint32_t)__builtin_ctz(lanes);
    }
    return UINT32_MAX;
}

// All that could run wait for something in memory, perhaps for other blocks, which are given time. False: nobody is
// paused, or in vain.
static bool wake_paused(SimtWorker *worker) {
    bool any = false;
    for (uint32_t i = 0; i < SIMT_THREADS_MAX / SIMT_WARP; i++) {
        any |= worker->warps[i].paused != 0;
        worker->warps[i].paused = 0;
    }
    if (any && worker->launch->host.wait(&worker->launch->host)) worker->stopped = true;
    return any && !worker->stopped;
}

// The thread that goes on; UINT32_MAX: the block has ended, one way or another.
static uint32_t choose_thread(SimtWorker *worker) {
    const uint32_t warp = worker->current / SIMT_WARP;
    uint32_t next = next_ready(worker, warp);
    if (next == UINT32_MAX && wake_paused(worker)) next = next_ready(worker, warp);
    if (next == UINT32_MAX && !worker->stopped && worker->returned + worker->exited < worker->threads)
        worker->fault = stuck(worker);
    return next;
}

static void go_on_with(SimtWorker *worker, uint32_t next) {
    SimtFiber *from = &current_thread(worker)->fiber;
    if (next == UINT32_MAX) {
        simt_fiber_switch(from, &worker->main);
        abort(); // as in simt_stop
    }
    worker->warps[next / SIMT_WARP].ready &= ~(1u << next % SIMT_WARP);
    if (next == worker->current) return;
    worker->current = next;
    simt_fiber_switch(from, &worker->thread[next].fiber);
}

void simt_wait(SimtWorker *worker) {
    go_on_with(worker, choose_thread(worker));
}

static void block_pause(void) {
    SimtWorker *worker = simt_running;
    SimtWarp *warp = &worker->warps[worker->current / SIMT_WARP];
    const uint32_t lane = 1u << worker->current % SIMT_WARP;
    warp->ready |= lane;
    warp->paused |= lane;
    go_on_with(worker, choose_thread(worker));
}

// ---- barriers

void simt_begin_interval(SimtWorker *worker) {
    simt_shadow_clear(&worker->shadow);
    for (uint32_t i = 0; i * SIMT_WARP < worker->threads; i++) {
        worker->warps[i].time = 1;
        worker->warps[i].split = false;
    }
}

// All that have not exited are at the barrier.
static void release_barrier(SimtWorker *worker) {
    for (uint32_t i = 0; i * SIMT_WARP < worker->threads; i++) {
        SimtWarp *warp = &worker->warps[i];
        warp->ready |= warp->barrier;
        warp->barrier = 0;
    }
    worker->arrived = 0;
    simt_begin_interval(worker);
}

static void block_barrier(uint32_t place) {
    SimtWorker *worker = simt_running;
    SimtThread *thread = current_thread(worker);
    thread->doing = SIMT_BARRIER;
    thread->place = place;
    if (!worker->arrived)
        worker->first_at_barrier = worker->current;
    else if (worker->thread[worker->first_at_barrier].place != place)
        simt_fail(worker, (SimtFault){.kind = SIMT_FAULT_BARRIER,
                                      .sides = {simt_side(worker, worker->first_at_barrier),
                                                simt_side(worker, worker->current)}});
    SimtWarp *warp = &worker->warps[worker->current / SIMT_WARP];
    warp->barrier |= 1u << worker->current % SIMT_WARP;
    if (++worker->arrived + worker->exited < worker->threads) {
        simt_wait(worker);
    } else {
        release_barrier(worker);
        go_on_with(worker, next_ready(worker, 0));
    }
    thread->doing = SIMT_RUNS;
}

// ---- how threads end

static SimtWarp *finish_thread(SimtWorker *worker, SimtDoing how) {
    SimtThread *thread = current_thread(worker);
    SimtWarp *warp = &worker->warps[worker->current / SIMT_WARP];
    thread->doing = how;
    thread->fiber.restart = true;
    return warp;
}

static void run_thread(void *data) {
    SimtThread *thread = data;
    SimtWorker *worker = thread->worker;
    worker->launch->kernel->simt(worker->launch->host.arguments);
    finish_thread(worker, SIMT_RETURNED);
    worker->returned++;
    simt_wait(worker);
    abort(); // it is not ready any more
}

// Has this block, or one below it, recorded that it failed? Then nobody needs the rest of this one.
static bool has_failed(const SimtWorker *worker) {
    GpuFault *fault = &worker->launch->fault;
    while (__atomic_exchange_n(&fault->lock, 1, __ATOMIC_ACQUIRE)) worker->launch->host.wait(&worker->launch->host);
    const bool failed = fault->site && fault->block <= worker->block;
    __atomic_store_n(&fault->lock, 0, __ATOMIC_RELEASE);
    return failed;
}

static void block_exit(void) {
    SimtWorker *worker = simt_running;
    SimtWarp *warp = finish_thread(worker, SIMT_EXITED);
    if (has_failed(worker)) {
        worker->stopped = true;
        simt_stop(worker);
    }
    worker->exited++;
    warp->ended |= 1u << worker->current % SIMT_WARP;
    simt_warp_after_exit(worker, worker->current / SIMT_WARP);
    if (worker->arrived && worker->arrived + worker->exited == worker->threads) release_barrier(worker);
    simt_wait(worker);
    abort(); // as in run_thread
}

static void block_trap(uint32_t place) {
    SimtWorker *worker = simt_running;
    current_thread(worker)->place = place;
    simt_fail(worker, (SimtFault){.kind = SIMT_FAULT_TRAP, .sides = {simt_side(worker, worker->current)}});
}

// ---- registers

static uint32_t block_special(uint32_t which) {
    const SimtWorker *worker = simt_running;
    switch ((SimtSpecial)which) {
    case SIMT_TID_X: return worker->current;
    case SIMT_NTID_X: return worker->threads;
    case SIMT_CTAID_X: return worker->position[0];
    case SIMT_CTAID_Y: return worker->position[1];
    case SIMT_CTAID_Z: return worker->position[2];
    case SIMT_NCTAID_X: return worker->launch->host.grid[0];
    case SIMT_NCTAID_Y: return worker->launch->host.grid[1];
    case SIMT_NCTAID_Z: return worker->launch->host.grid[2];
    case SIMT_LANEID: return worker->current % SIMT_WARP;
    }
    return 0;
}

static void *block_shared(void) {
    return simt_running->shared;
}

const SimtOps simt_ops = {
    .special = block_special,
    .shared = block_shared,
    .barrier = block_barrier,
    .warp_barrier = simt_warp_barrier,
    .shuffle = simt_shuffle,
    .mma = simt_mma,
    .load_matrix = simt_load_matrix,
    .access = simt_access,
    .pause = block_pause,
    .exit = block_exit,
    .trap = block_trap,
};

// ---- blocks

void simt_run_block(SimtWorker *worker) {
    worker->arrived = worker->returned = worker->exited = 0;
    worker->recent = (HostRange){0};
    worker->scratch_slot = -1;
    worker->stopped = false;
    worker->fault = (SimtFault){0};
    memset(worker->shared, SHARED_FILL, worker->shared_bytes);
    memset(worker->warps, 0, sizeof worker->warps);
    for (uint32_t i = 0; i < worker->threads; i++) {
        worker->warps[i / SIMT_WARP].exists |= 1u << i % SIMT_WARP;
        worker->thread[i].doing = SIMT_RUNS;
        worker->thread[i].place = 0;
        simt_fiber_restart(&worker->thread[i].fiber);
    }
    for (uint32_t i = 0; i < SIMT_THREADS_MAX / SIMT_WARP; i++) worker->warps[i].ready = worker->warps[i].exists;
    simt_begin_interval(worker);
    worker->current = 0;
    worker->warps[0].ready &= ~1u;
    simt_running = worker;
    simt_fiber_adopt(&worker->main);
    simt_fiber_switch(&worker->main, &worker->thread[0].fiber);
    simt_running = NULL;
}

SimtWorker *simt_worker_open(uint32_t threads, size_t shared_bytes) {
    SimtWorker *worker = calloc(1, sizeof *worker);
    if (!worker) return NULL;
    worker->threads = threads;
    worker->shared_bytes = shared_bytes;
    const size_t room = (shared_bytes / SHARED_ALIGNMENT + 1) * SHARED_ALIGNMENT;
    worker->shared = aligned_alloc(SHARED_ALIGNMENT, room);
    worker->thread = calloc(threads, sizeof *worker->thread);
    if (!worker->shared || !worker->thread || !simt_shadow_open(&worker->shadow, shared_bytes) ||
        !simt_stacks_open(&worker->stacks, threads, SIMT_STACK_BYTES)) {
        const int reason = errno;
        simt_worker_close(worker);
        errno = reason;
        return NULL;
    }
    simt_fiber_adopt(&worker->main);
    for (uint32_t i = 0; i < threads; i++) {
        SimtThread *thread = &worker->thread[i];
        thread->worker = worker;
        simt_fiber_open(&thread->fiber, &worker->main, &worker->stacks, i, run_thread, thread);
        worker->capacity = i + 1;
    }
    return worker;
}

void simt_worker_close(SimtWorker *worker) {
    if (!worker) return;
    simt_fiber_adopt(&worker->main);
    for (uint32_t i = 0; i < worker->capacity; i++) simt_fiber_close(&worker->thread[i].fiber, &worker->main);
    simt_stacks_close(&worker->stacks);
    simt_shadow_close(&worker->shadow, worker->shared_bytes);
    free(worker->thread);
    free(worker->shared);
    free(worker);
}
