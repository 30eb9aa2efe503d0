// SPDX-License-Identifier: Apache-2.0
// The search for races in one launch: what its kernel is asked to log, and who gets it.
#include "runtime/races.h"

#include <stdlib.h>
#include <string.h>

static bool is_looking(const RtRaces *races) {
    return races && races->search != RT_RACES_ORDER;
}

static bool is_judging(const RtRaces *races) {
    return races && (races->search == RT_RACES_JUDGE || races->search == RT_RACES_JUDGE_BACK);
}

bool rt_races_depend_on_order(const KernelInfo *kernel) {
    bool acquires = false;
    for (uint32_t i = 0; i < kernel->access_count; i++) acquires |= kernel->accesses[i].kind & HOST_ACCESS_ACQUIRES;
    return acquires && !kernel->waits;
}

bool race_is_ordered(const RtCheckedLaunch *launch) {
    const RtRaces *races = launch->asked->races;
    return launch->kernel->stores_through && races && (launch->kernel->looks || races->search != RT_RACES_LOOK);
}

// ---- what the kernel logs -------------------------------------------------------------------------------------------

static void put_boxes(RaceThread *thread, const HostAccess *access, uint32_t kind) {
    RaceBox box;
    RaceCutter cutter = {0};
    while (race_next_box(&cutter, access, &box)) {
        box.block = thread->block;
        box.kind = kind;
        race_put_box(thread, &box);
    }
}

// Blocks take turns where they look at what others do: of an op that goes on element by element once.
static void log_access(const HostLaunch *launch, void *scratch, const HostAccess *access) {
    RaceThread *thread;
    (void)launch;
    memcpy(&thread, (uint8_t *)scratch - sizeof thread, sizeof thread);
    RaceRun *run = thread->run;
    const uint32_t kind = run->launch->kernel->accesses[access->op].kind;
    const bool turn = run->order && kind & HOST_ACCESS_LOOKS && thread->last_op != access->op + 1;
    thread->last_op = access->op + 1;
    if (turn && !(kind & HOST_ACCESS_LOGGED_LATE)) fixed_pass(run->order);
    if (run->judge)
        race_judge_access(run->judge, thread->block, access);
    else if (is_looking(run->races))
        put_boxes(thread, access, kind);
    if (turn && kind & HOST_ACCESS_LOGGED_LATE) fixed_pass(run->order);
}

// Loads are logged from buffers into which the launch may store.
static bool choose_reads(RaceRun *run) {
    const RtCheckedLaunch *launch = run->launch;
    const KernelInfo *kernel = launch->kernel;
    run->reads = calloc(launch->argument_count + 1u, 1);
    if (!run->reads) return false;
    for (uint32_t i = 0; i < launch->argument_count; i++)
        for (uint32_t k = 0; k < launch->argument_count && launch->arguments[i].buffer; k++)
            run->reads[i] |= launch->arguments[k].buffer == launch->arguments[i].buffer &&
                             (kernel->stores_unknown || (k < launch->known_count && kernel->stores_through[k]));
    for (uint32_t i = 0; i < launch->argument_count; i++) run->abi.reads_unknown |= run->reads[i];
    return true;
}

bool race_run_open(RaceRun *run, const RtCheckedLaunch *launch, HostLaunch *abi) {
    const KernelInfo *kernel = launch->kernel;
    *run = (RaceRun){.launch = launch, .races = launch->asked->races, .ordered = race_is_ordered(launch)};
    pthread_mutex_init(&run->mutex, NULL);
    run->abi.access = log_access;
    abi->races = &run->abi;
    bool asks = is_looking(run->races) || (run->ordered && kernel->looks);
    asks &= launch->block_count > 1;
    if (asks ? !choose_reads(run) : !(run->reads = calloc(launch->argument_count + 1u, 1))) return false;
    run->abi.reads = run->reads;
    run->abi.stores = asks;
    run->abi.merges = !run->ordered;
    if (!asks || !is_judging(run->races)) return true;
    run->judge = race_judge_open(launch, abi, run->races);
    return run->judge;
}

static size_t count_boxes(const RaceRun *run) {
    size_t count = 0;
    for (const RaceThread *thread = run->threads; thread; thread = thread->next) count += thread->count;
    return count;
}

static bool sweep(RaceRun *run) {
    const size_t count = count_boxes(run);
    if (atomic_load(&run->full)) return true;
    RaceBox *boxes = malloc((count + 1) * sizeof *boxes);
    if (!boxes) return true;
    size_t filled = 0;
    for (const RaceThread *thread = run->threads; thread; thread = thread->next) {
        if (thread->count) memcpy(boxes + filled, thread->boxes, thread->count * sizeof *boxes);
        filled += thread->count;
    }
    bool found = race_sweep(boxes, count, run->launch->buffers, run->launch->buffer_count);
    free(boxes);
    return found;
}

void race_run_close(RaceRun *run) {
    if (run->races && run->races->search == RT_RACES_LOOK) run->races->suspicious |= sweep(run);
    race_judge_close(run->judge);
    while (run->threads) {
        RaceThread *thread = run->threads;
        run->threads = thread->next;
        free(thread->boxes);
        free(thread->last);
        free(thread);
    }
    free(run->reads);
    pthread_mutex_destroy(&run->mutex);
}

// ---- threads --------------------------------------------------------------------------------------------------------

RaceThread *race_thread_open(RaceRun *run) {
    RaceThread *thread = calloc(1, sizeof *thread);
    if (thread) thread->last = calloc(run->launch->kernel->access_count + 1u, sizeof *thread->last);
    if (!thread || !thread->last) {
        free(thread);
        return NULL;
    }
    thread->run = run;
    pthread_mutex_lock(&run->mutex);
    thread->next = run->threads;
    run->threads = thread;
    pthread_mutex_unlock(&run->mutex);
    return thread;
}

void race_begin_block(RaceThread *thread, uint64_t block) {
    thread->block = block;
    thread->last_op = 0;
}

void race_end_block(RaceThread *thread) {
    if (thread->run->judge) race_judge_pause(thread->run->judge);
}
