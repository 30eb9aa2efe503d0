// SPDX-License-Identifier: Apache-2.0
// The warps of a block: who of them runs, what they wait for, how they and the block end.
//
// A warp runs until it has to wait; then the next one that can run does, in the order of their numbers. A warp that
// waits says what for (WarpWait); the scheduler asks again whether that has come whenever something has happened
// (WarpBlock.events). If nobody can run, an asynchronous operation that was kept is carried out. If there is none, a
// wait that may give up does so, once for each warp in turn; a kernel that then only waits again makes no progress, and
// after IDLE_MAX such attempts the block is in a deadlock.
#include "runtime/warp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SHARED_ALIGNMENT = 1024,
    // Functions that call each other may use the stack down to STACK_REST, which is for what the last one calls: its
    // own frame, the function of a shape, the runtime, a function that this calls.
    STACK_BYTES = 64 << 20,
    STACK_REST = 3 * SIMT_FRAME_MAX,
    IDLE_MAX = 1024, // less than WARP_BUDGET, so that a warp that runs for long is not taken for one that waits
};
#define LOCAL_STRIDE ((size_t)WARP_LOCAL_MAX * WARP_LANES)

// ---- who runs

void warp_progress(WarpBlock *block) {
    block->events++;
    block->idle = 0;
    block->turns = 0;
    block->looked = false;
}

static _Noreturn void warp_stop(WarpBlock *block) {
    simt_fiber_switch(&block->running->fiber, &block->main);
    abort(); // nobody goes back to a block that has ended
}

_Noreturn void warp_fail(WarpBlock *block, WarpFault fault) {
    block->fault = fault;
    warp_stop(block);
}

static Warp *next_warp(const WarpBlock *block, const Warp *warp) {
    const uint32_t last = block->warp_count - 1, number = warp->number;
    if (block->reverse) return &block->warps[number ? number - 1 : last];
    return &block->warps[number < last ? number + 1 : 0];
}

// Whether the warp can run, or what it waits for has come.
static bool can_run(WarpBlock *block, Warp *warp) {
    if (warp->ended) return false;
    if (!warp->wait) return true;
    if (warp->seen == block->events) return false;
    warp->seen = block->events;
    warp->came = warp->wait->ready(warp, warp->wait);
    return warp->came;
}

// The next one after `warp` that can run, itself last; NULL if there is none.
static Warp *find_ready(WarpBlock *block, const Warp *warp) {
    Warp *next = next_warp(block, warp);
    for (uint32_t i = 0; i < block->warp_count; i++, next = next_warp(block, next))
        if (can_run(block, next)) return next;
    return NULL;
}

static Warp *find_soft(const WarpBlock *block, const Warp *warp) {
    Warp *next = next_warp(block, warp);
    for (uint32_t i = 0; i < block->warp_count; i++, next = next_warp(block, next))
        if (!next->ended && next->wait && next->wait->soft) return next;
    return NULL;
}

static bool carry_out_first(WarpBlock *block) {
    WarpKept *kept = block->kept;
    if (!kept) return false;
    block->kept = kept->next;
    if (!block->kept) block->kept_end = &block->kept;
    kept->action(block, kept->data);
    free(kept);
    warp_progress(block);
    return true;
}

static bool all_ended(const WarpBlock *block) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (!block->warps[i].ended) return false;
    return true;
}

// ---- deadlocks

static void print_wait(const Warp *warp, Buffer *out) {
    const WarpWait *wait = warp->wait ? warp->wait : warp->vain;
    if (wait && wait->describe) wait->describe(warp, wait, out);
}

static bool same_wait(const Warp *a, const Warp *b) {
    Buffer left = {0}, right = {0};
    print_wait(a, &left);
    print_wait(b, &right);
    const bool same = !b->ended && a->place == b->place && left.size == right.size &&
                      (!left.size || !memcmp(left.data, right.data, left.size));
    buffer_free(&left);
    buffer_free(&right);
    return same;
}

// "warps 0 to 3 in bar.sync (k.ptx:7) wait at barrier 1, where 128 of 256 threads have arrived; warp 4 .."
static void print_waits(const WarpBlock *block, Buffer *out) {
    for (uint32_t i = 0, next; i < block->warp_count; i = next) {
        const Warp *warp = &block->warps[i];
        next = i + 1;
        if (warp->ended) continue;
        while (next < block->warp_count && same_wait(warp, &block->warps[next])) next++;
        buffer_print(out, next > i + 1 ? "%swarps %u to %u" : "%swarp %u", out->size ? "; " : "", i, next - 1);
        buffer_print(out, " in ");
        warp_print_side(block->kernel, &(WarpSide){warp->place, 0, UINT16_MAX}, out);
        buffer_print(out, next > i + 1 ? " wait " : " waits ");
        print_wait(warp, out);
    }
}

// The warps wait, and nothing can change that.
static void note_deadlock(WarpBlock *block) {
    const Warp *first = block->warps;
    while (first->ended) first++;
    Buffer out = {0};
    print_waits(block, &out);
    block->fault = (WarpFault){
        .kind = WARP_FAULT_DEADLOCK, .sides = {{first->place, 0, (uint16_t)first->number}}, .text = out.data};
}

// ---- waiting

// Who goes on; NULL: the block has ended, one way or another.
static Warp *choose_warp(WarpBlock *block, const Warp *from) {
    Warp *next;
    while (!(next = find_ready(block, from)))
        if (!carry_out_first(block)) break;
    if (next || all_ended(block)) return next;
    next = find_soft(block, from);
    if (next && block->idle++ < IDLE_MAX) return next;
    note_deadlock(block);
    return NULL;
}

static void go_on_with(WarpBlock *block, Warp *next) {
    Warp *from = block->running;
    if (next == from) return;
    if (next) block->running = next;
    simt_fiber_switch(&from->fiber, next ? &next->fiber : &block->main);
}

bool warp_wait(Warp *warp, const WarpWait *wait) {
    WarpBlock *block = warp->block;
    if (wait->ready(warp, wait)) return true;
    warp->wait = wait;
    warp->came = false;
    warp->seen = block->events;
    go_on_with(block, choose_warp(block, warp));
    warp->wait = NULL;
    return warp->came;
}

void warp_note_blocked(Warp *warp, const WarpWait *wait) {
    warp->blocked = *wait;
    if (warp->blocked_events == UINT64_MAX) warp->blocked_events = warp->block->events;
}

static bool has_happened(const Warp *warp, const WarpWait *wait) {
    return warp->block->events != wait->number;
}

static void describe_blocked(const Warp *warp, const WarpWait *wait, Buffer *out) {
    (void)wait;
    if (warp->blocked.describe) warp->blocked.describe(warp, &warp->blocked, out);
}

void warp_wait_blocked(WarpState *state) {
    Warp *warp = (Warp *)(void *)state;
    if (warp->blocked_events != UINT64_MAX)
        warp_wait(warp, &(WarpWait){.ready = has_happened,
                                    .describe = describe_blocked,
                                    .object = warp->blocked.object,
                                    .number = warp->blocked_events,
                                    .soft = warp->blocked.soft});
    warp->blocked_events = UINT64_MAX;
}

// All that can run look at memory, perhaps for what other blocks do, which are given time.
static void wait_for_blocks(WarpBlock *block) {
    const HostLaunch *host = &block->launch->host;
    if (!host->wait || !host->wait(host)) return;
    block->stopped = true;
    warp_stop(block);
}

void warp_hand_over(Warp *warp) {
    WarpBlock *block = warp->block;
    if (!block->reverse) go_on_with(block, find_ready(block, warp));
}

// Whether the block may wait for others. In a launch whose blocks run in a fixed order it does if it looks at what they
// do in all of its warps; one that only computes, or looks by plain loads, gives others a turn now and then.
static bool is_waiting(WarpBlock *block, bool alone) {
    enum { TURNS_BLIND = 64 };
    if (!block->launch->checked->sequential) return alone;
    block->turns++;
    if (block->looks) return alone || block->turns >= block->warp_count;
    return block->turns >= TURNS_BLIND * block->warp_count;
}

void warp_yield(Warp *warp, const WarpWait *vain) {
    WarpBlock *block = warp->block;
    warp->vain = vain;
    // All that can run have looked in vain since something happened.
    if (vain && ++block->idle > block->warp_count) carry_out_first(block);
    if (vain && block->idle > IDLE_MAX) {
        note_deadlock(block);
        warp_stop(block);
    }
    Warp *next = find_ready(block, warp);
    if (next == warp && carry_out_first(block)) next = find_ready(block, warp);
    if (!vain && is_waiting(block, next == warp)) {
        block->looked = block->looks;
        block->turns = 0;
        block->looks = false;
        wait_for_blocks(block);
    }
    if (block->looked && warp->budget > WARP_BUDGET_AGAIN) warp->budget = warp->state.budget = WARP_BUDGET_AGAIN;
    go_on_with(block, next);
    warp->vain = NULL;
}

// ---- asynchronous operations

void warp_start(WarpBlock *block, uint32_t agent, WarpAction *action, const void *data, size_t bytes) {
    WarpKept *kept = malloc(sizeof *kept + bytes);
    if (!kept) abort();
    *kept = (WarpKept){.agent = agent, .action = action};
    memcpy(kept->data, data, bytes);
    if (block->reverse) {
        *block->kept_end = kept;
        block->kept_end = &kept->next;
        return;
    }
    action(block, kept->data);
    free(kept);
    warp_progress(block);
}

void warp_finish(WarpBlock *block, uint32_t agent) {
    for (WarpKept **link = &block->kept, *kept; (kept = *link);) {
        if (kept->agent != agent) {
            link = &kept->next;
            continue;
        }
        *link = kept->next;
        if (!*link) block->kept_end = link;
        kept->action(block, kept->data);
        free(kept);
        warp_progress(block);
    }
}

static void drop_kept(WarpBlock *block) {
    for (WarpKept *next; block->kept; block->kept = next) {
        next = block->kept->next;
        free(block->kept);
    }
    block->kept_end = &block->kept;
}

// ---- blocks

static void run_warp(void *data) {
    Warp *warp = data;
    WarpBlock *block = warp->block;
    block->kernel->warp(&warp->state);
    warp->ended = true;
    warp->fiber.restart = true;
    warp_progress(block);
    go_on_with(block, choose_warp(block, warp));
    abort(); // it does not run any more
}

static void begin_warp(WarpBlock *block, Warp *warp) {
    WarpState *state = &warp->state;
    const WarpLaunch *launch = block->launch;
    const uint32_t *threads = launch->threads->block;
    warp->exists = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        const uint32_t thread = warp->number * WARP_LANES + lane;
        if (thread >= block->thread_count) break;
        warp->exists |= UINT32_C(1) << lane;
        state->thread[0][lane] = thread % threads[0];
        state->thread[1][lane] = thread / threads[0] % threads[1];
        state->thread[2][lane] = thread / threads[0] / threads[1];
    }
    warp->place = 0;
    warp->ended = false;
    warp->wait = warp->vain = NULL;
    warp->blocked = (WarpWait){0};
    warp->blocked_events = UINT64_MAX;
    state->alive = warp->exists;
    warp_give_budget(warp);
    state->stack_limit = (uintptr_t)warp->fiber.stack + STACK_REST;
    state->call_place = 0;
    state->local_top = block->kernel->local_bytes;
    memcpy(state->block, block->position, sizeof state->block);
    simt_fiber_restart(&warp->fiber);
}

static void begin_block(WarpBlock *block) {
    block->stopped = block->looks = block->looked = false;
    block->fault = (WarpFault){0};
    block->recent = (HostRange){0};
    block->events = block->rounds = 0;
    block->idle = block->turns = 0;
    warp_unwritten_begin(block);
    for (uint32_t i = 0; i < block->warp_count; i++) begin_warp(block, &block->warps[i]);
    warp_order_begin(block);
    warp_records_begin(block);
    warp_barriers_begin(block);
    warp_mbarriers_begin(block);
    warp_engines_begin(block);
}

void warp_run_block(WarpBlock *block) {
    begin_block(block);
    block->running = &block->warps[block->reverse ? block->warp_count - 1 : 0];
    simt_fiber_adopt(&block->main);
    simt_fiber_switch(&block->main, &block->running->fiber);
    if (!block->fault.kind && !block->stopped) block->fault = warp_engines_end(block);
    drop_kept(block);
    warp_unwritten_end(block);
}

// What is the same in all blocks of a launch.
void warp_block_prepare(WarpBlock *block, WarpLaunch *launch) {
    const KernelInfo *kernel = launch->kernel;
    const RtThreads *threads = launch->threads;
    block->launch = launch;
    block->kernel = kernel;
    block->reverse = threads->reverse;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        WarpState *state = &block->warps[i].state;
        *state = (WarpState){.ops = &warp_ops,
                             .parameters = threads->parameters,
                             .globals = launch->globals,
                             .local_size = WARP_LOCAL_MAX,
                             .warp = i,
                             .warps = block->warp_count,
                             .cluster_blocks = {1, 1, 1},
                             .cluster_size = 1,
                             .dynamic_shared = threads->shared_bytes,
                             .total_shared = launch->shared_end - WARP_SHARED_FIRST};
        memcpy(state->threads, threads->block, sizeof state->threads);
        memcpy(state->blocks, launch->host.grid, sizeof state->blocks);
        memcpy(state->clusters, launch->host.grid, sizeof state->clusters);
    }
}

// ---- memory of blocks

static size_t written_bytes(const WarpBlock *block) {
    return block->warp_count * (size_t)WARP_LOCAL_MAX * sizeof *block->local_written;
}

static bool open_memory(WarpBlock *block) {
    const size_t shared = (block->shared_end + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT * SHARED_ALIGNMENT;
    block->local_bytes = LOCAL_STRIDE * block->warp_count;
    void *local =
        mmap(NULL, block->local_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (local != MAP_FAILED) block->local = local;
    void *written =
        mmap(NULL, written_bytes(block), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (written != MAP_FAILED) block->local_written = written;
    block->shared = aligned_alloc(SHARED_ALIGNMENT, shared);
    block->warps = calloc(block->warp_count, sizeof *block->warps);
    return block->local && block->local_written && block->shared && block->warps &&
           warp_cells_open(&block->cells, (uint32_t)shared) && warp_records_open(&block->records) &&
           warp_order_open(&block->order) && warp_mbarriers_open(block) && warp_engines_open(block) &&
           simt_stacks_open(&block->stacks, block->warp_count, STACK_BYTES);
}

WarpBlock *warp_block_open(uint32_t threads, uint32_t shared_end) {
    WarpBlock *block = calloc(1, sizeof *block);
    if (!block) return NULL;
    block->thread_count = threads;
    block->warp_count = (threads + WARP_LANES - 1) / WARP_LANES;
    block->shared_end = shared_end;
    block->kept_end = &block->kept;
    if (!open_memory(block)) {
        const int reason = errno;
        warp_block_close(block);
        errno = reason;
        return NULL;
    }
    simt_fiber_adopt(&block->main);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        Warp *warp = &block->warps[i];
        warp->block = block;
        warp->number = i;
        warp->local = block->local + i * LOCAL_STRIDE;
        warp->local_written = block->local_written + (size_t)i * WARP_LOCAL_MAX;
        simt_fiber_open(&warp->fiber, &block->main, &block->stacks, i, run_warp, warp);
        block->fibers = i + 1;
    }
    return block;
}

void warp_block_close(WarpBlock *block) {
    if (!block) return;
    simt_fiber_adopt(&block->main);
    for (uint32_t i = 0; i < block->fibers; i++) simt_fiber_close(&block->warps[i].fiber, &block->main);
    simt_stacks_close(&block->stacks);
    warp_engines_close(block);
    warp_mbarriers_close(block);
    warp_order_close(&block->order);
    warp_records_close(&block->records);
    warp_cells_close(&block->cells);
    if (block->local) munmap(block->local, block->local_bytes);
    if (block->local_written) munmap(block->local_written, written_bytes(block));
    free(block->shared);
    free(block->warps);
    free(block);
}
