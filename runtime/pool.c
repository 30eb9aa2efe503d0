// SPDX-License-Identifier: Apache-2.0
// The thread pool: threads take the blocks of a launch one by one, in increasing linear id, and stop at the lowest
// block that fails. Blocks that do not heed each other (KernelInfo.heedless) are taken several at once, and those of
// products in the order of groups.
//
// Why the fault is the same for every number of threads: a block is left out only if its id is above that of a block
// that has failed. So the lowest failing block of all is never left out, and of all faults the lowest is kept.
//
// Blocks may wait for each other in a loop, also for blocks that no thread has taken yet. While none of them ends the
// launch gets more threads: helpers, which take the next blocks and live as long as the launch.
//
// In the order of groups GROUP_WIDTH neighbours along x run for one y after the other, then the next neighbours. Where
// a block multiplies rows that x says by columns that y says, as products have it, the rows of a group stay in the
// second-level cache, and the columns are fetched once for each group, not the rows of all blocks once for each column.
#include "runtime/races.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SCRATCH_ALIGNMENT = 64, POOL_THREADS_MAX = 1024 };
enum {
    GROUP_WIDTH = 8,
    GROUPED_BLOCKS_MAX = 1 << 24, // that are looked at one by one after a fault
    BLOCKS_AT_ONCE = 4,           // that a thread takes where it has so many:
    BLOCKS_MANY = 64,
};
#define SCRATCH_MAX ((size_t)1 << 38) // per thread
enum {
    HELPERS_MAX = 4096,
    POLLS_AWAKE = 64,      // after so many polls, waiters sleep
    POLLS_PATIENT = 64,    // per thread: after so many more, the launch gets more threads
    POLLS_IN_VAIN = 10000, // after so many, with a fault: who waits stops
    SLEEP_NANOSECONDS = 50000,
};
#define HELPER_SCRATCH_MAX ((size_t)1 << 32) // of all helpers

typedef struct PoolThread {
    RtPool *pool;
    pthread_t thread;
    void *scratch; // owned by the thread's slot; kept from launch to launch
    size_t scratch_size;
    struct PoolThread *next; // of helpers
} PoolThread;

struct RtPool {
    pthread_mutex_t mutex; // guards everything up to `work`
    pthread_cond_t start, finished;
    uint64_t launches; // threads that have seen fewer start working
    unsigned running;  // threads that have not finished the launch
    bool closing;
    const RtWork *work;
    _Atomic uint64_t next_block;   // blocks below it have been taken
    _Atomic uint64_t lowest_fault; // id of the lowest block known to have failed, UINT64_MAX if none
    RtFault fault;                 // of that block; guarded by the mutex
    unsigned started;              // threads that exist, slots 1 .. started
    unsigned jobs;
    _Atomic uint64_t polls; // by all threads, since a block ended or a helper came
    _Atomic bool in_vain;   // who waits now waits for a block that a fault left out
    PoolThread *helpers;    // guarded by the mutex, as is the count of all that the launch has had
    size_t helper_count;
    PoolThread threads[]; // slot 0 is the caller of rt_pool_run
};

static void record_fault(RtPool *pool, const RtFault *fault) {
    pthread_mutex_lock(&pool->mutex);
    if (fault->block < atomic_load(&pool->lowest_fault)) {
        atomic_store(&pool->lowest_fault, fault->block);
        pool->fault = *fault;
    }
    pthread_mutex_unlock(&pool->mutex);
}

void rt_begin_blocks(const RtWork *work, uint8_t *memory) {
    if (work->census) rt_census_clear(work->kernel, memory + RT_SCRATCH_HEAD);
}

void rt_end_blocks(const RtWork *work, uint8_t *memory) {
    if (work->census) rt_census_add(work->kernel, memory + RT_SCRATCH_HEAD, work->census);
}

void rt_run_block(const RtWork *work, RaceThread *races, uint8_t *memory, uint64_t block, RtFault *fault) {
    const uint64_t width = work->launch->grid[0], height = work->launch->grid[1], row = block / width;
    uint8_t *scratch = memory + RT_SCRATCH_HEAD;
    memcpy(scratch - sizeof races, &races, sizeof races);
    *fault = (RtFault){.block = block};
    if (races) race_begin_block(races, block);
    fault->site = work->entry(work->launch, scratch, (uint32_t)(block % width), (uint32_t)(row % height),
                              (uint32_t)(row / height), &fault->fault);
    if (races) race_end_block(races);
}

// The block whose turn it is, of those that run in the order of groups.
static uint64_t grouped_block(const uint32_t grid[3], uint64_t turn) {
    const uint64_t width = grid[0], height = grid[1], layer = turn / (width * height),
                   in_layer = turn % (width * height);
    const uint64_t first = in_layer / (GROUP_WIDTH * height) * GROUP_WIDTH, in_group = in_layer - first * height;
    const uint64_t count = width - first < GROUP_WIDTH ? width - first : GROUP_WIDTH;
    return (layer * height + in_group / count) * width + first + in_group % count;
}

static void run_blocks_in(RtPool *pool, uint8_t *scratch) {
    const RtWork *work = pool->work;
    const bool grouped = work->grouped && work->block_count <= GROUPED_BLOCKS_MAX;
    // Neighbours read and write neighbouring memory, which compiled code asks for ahead.
    const bool many = work->heedless && work->block_count / BLOCKS_MANY >= pool->jobs;
    const uint64_t at_once = many ? BLOCKS_AT_ONCE : 1;
    uint64_t turn = 0, end = 0;
    RaceThread *races = work->races ? race_thread_open(work->races) : NULL;
    for (;;) {
        if (turn == end) end = (turn = atomic_fetch_add(&pool->next_block, at_once)) + at_once;
        if (turn >= work->block_count) return;
        const uint64_t block = grouped ? grouped_block(work->launch->grid, turn) : turn;
        turn++;
        if (block > atomic_load(&pool->lowest_fault)) {
            if (grouped) continue; // lower blocks may follow
            return;
        }
        RtFault fault;
        rt_run_block(work, races, scratch, block, &fault);
        if (fault.site) record_fault(pool, &fault);
        if (work->printer) rt_printer_end(work->printer, block, fault.site);
        atomic_store(&pool->polls, 0);
    }
}

static void run_blocks(PoolThread *thread) {
    RtPool *pool = thread->pool;
    const RtWork *work = pool->work;
    uint8_t *scratch = thread->scratch;
    if (work->all_scratch)
        scratch = work->all_scratch + (size_t)(thread - pool->threads) * (work->scratch_bytes + RT_SCRATCH_HEAD);
    rt_begin_blocks(work, scratch);
    run_blocks_in(pool, scratch);
    rt_end_blocks(work, scratch);
}

static void *thread_main(void *argument) {
    PoolThread *thread = argument;
    RtPool *pool = thread->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->closing && pool->launches == seen) pthread_cond_wait(&pool->start, &pool->mutex);
        if (pool->closing) break;
        seen = pool->launches;
        pthread_mutex_unlock(&pool->mutex);
        run_blocks(thread);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->running == 0) pthread_cond_signal(&pool->finished);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

RtPool *rt_pool_open(Diagnostics *diagnostics, unsigned jobs) {
    if (jobs > POOL_THREADS_MAX) jobs = POOL_THREADS_MAX;
    RtPool *pool = calloc(1, sizeof *pool + jobs * sizeof pool->threads[0]);
    if (!pool) {
        diag_fail(diagnostics, (Location){0}, E_RUNTIME, "no memory for a pool of %u threads", jobs);
        return NULL;
    }
    pool->jobs = jobs;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->finished, NULL);
    for (unsigned i = 0; i < jobs; i++) pool->threads[i].pool = pool;
    for (unsigned i = 1; i < jobs; i++) {
        int reason = pthread_create(&pool->threads[i].thread, NULL, thread_main, &pool->threads[i]);
        if (reason) {
            diag_fail(diagnostics, (Location){0}, E_RUNTIME, "cannot start thread %u of %u: %s", i + 1, jobs,
                      strerror(reason));
            rt_pool_close(pool);
            return NULL;
        }
        pool->started = i;
    }
    return pool;
}

void rt_pool_close(RtPool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->mutex);
    pool->closing = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);
    for (unsigned i = 1; i <= pool->started; i++) pthread_join(pool->threads[i].thread, NULL);
    for (unsigned i = 0; i < pool->jobs; i++) free(pool->threads[i].scratch);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

unsigned rt_pool_jobs(const RtPool *pool) {
    return pool->jobs;
}

static bool ensure_scratch(PoolThread *thread, size_t size) {
    if (size > SCRATCH_MAX) return false;
    size += RT_SCRATCH_HEAD;
    if (size <= thread->scratch_size) return true;
    size = (size + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
    free(thread->scratch);
    thread->scratch = aligned_alloc(SCRATCH_ALIGNMENT, size);
    thread->scratch_size = thread->scratch ? size : 0;
#ifndef NDEBUG
    if (thread->scratch)
        memset(thread->scratch, 0xCD, size); // so that a kernel that reads what it never wrote is noticed
#endif
    return thread->scratch != NULL;
}

// ---- helpers

static void *helper_main(void *helper) {
    run_blocks(helper);
    return NULL;
}

// One more thread; the mutex is held. False: there are no more blocks, or no means for it.
static bool add_helper(RtPool *pool) {
    const RtWork *work = pool->work;
    if (work->all_scratch || pool->helper_count >= HELPERS_MAX) return false;
    if (work->threads_max && pool->jobs + pool->helper_count >= work->threads_max) return false;
    if (work->scratch_bytes > HELPER_SCRATCH_MAX / (pool->helper_count + 1)) return false;
    if (atomic_load(&pool->next_block) >= work->block_count) return false;
    if (atomic_load(&pool->lowest_fault) != UINT64_MAX) return false;
    PoolThread *helper = calloc(1, sizeof *helper);
    if (!helper) return false;
    helper->pool = pool;
    if (!ensure_scratch(helper, work->scratch_bytes) ||
        pthread_create(&helper->thread, NULL, helper_main, helper) != 0) {
        free(helper->scratch);
        free(helper);
        return false;
    }
    helper->next = pool->helpers;
    pool->helpers = helper;
    pool->helper_count++;
    return true;
}

// Waits for all helpers of the launch; while there are some, they may get others.
static void join_helpers(RtPool *pool) {
    for (;;) {
        pthread_mutex_lock(&pool->mutex);
        PoolThread *helper = pool->helpers;
        if (helper) pool->helpers = helper->next;
        pthread_mutex_unlock(&pool->mutex);
        if (!helper) break;
        pthread_join(helper->thread, NULL);
        free(helper->scratch);
        free(helper);
    }
    pool->helper_count = 0;
}

uint32_t rt_pool_wait(const HostLaunch *launch) {
    RtPool *pool = launch->waiter;
    if (atomic_load(&pool->in_vain)) return 1;
    const uint64_t polls = atomic_fetch_add(&pool->polls, 1) + 1;
    if (polls < POLLS_AWAKE) {
        sched_yield();
        return 0;
    }
    nanosleep(&(struct timespec){.tv_nsec = SLEEP_NANOSECONDS}, NULL);
    if (polls % POLLS_PATIENT) return 0;
    pthread_mutex_lock(&pool->mutex);
    const size_t threads = pool->jobs + pool->helper_count;
    if (atomic_load(&pool->polls) >= POLLS_AWAKE + POLLS_PATIENT * threads) {
        size_t added = 0;
        while (added < threads / 2 + 1 && add_helper(pool)) added++;
        if (added) atomic_store(&pool->polls, 0);
    }
    pthread_mutex_unlock(&pool->mutex);
    if (polls >= POLLS_IN_VAIN && atomic_load(&pool->lowest_fault) != UINT64_MAX) atomic_store(&pool->in_vain, true);
    return atomic_load(&pool->in_vain);
}

bool rt_pool_run(RtPool *pool, const RtWork *work, RtFault *fault) {
    const bool alone = work->sequential || work->block_count == 1 || pool->started == 0;
    for (unsigned i = 0; i < (alone ? 1 : pool->jobs) && !work->all_scratch; i++)
        if (!ensure_scratch(&pool->threads[i], work->scratch_bytes)) return false;
    pool->work = work;
    atomic_store(&pool->next_block, 0);
    atomic_store(&pool->lowest_fault, UINT64_MAX);
    atomic_store(&pool->polls, 0);
    atomic_store(&pool->in_vain, false);
    pool->fault = (RtFault){0};
    if (!alone) {
        pthread_mutex_lock(&pool->mutex);
        pool->launches++;
        pool->running = pool->started;
        pthread_cond_broadcast(&pool->start);
        pthread_mutex_unlock(&pool->mutex);
    }
    run_blocks(&pool->threads[0]);
    if (!alone) {
        pthread_mutex_lock(&pool->mutex);
        while (pool->running) pthread_cond_wait(&pool->finished, &pool->mutex);
        pthread_mutex_unlock(&pool->mutex);
    }
    join_helpers(pool);
    *fault = pool->fault;
    pool->work = NULL;
    return true;
}
