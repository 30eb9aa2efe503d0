// SPDX-License-Identifier: Apache-2.0
// The thread pool: threads take the blocks of a launch one by one, in increasing linear id, and stop at the lowest
// block that fails.
//
// Why the fault is the same for every number of threads: a block is left out only if its id is above that of a block
// that has failed. So the lowest failing block of all is never left out, and of all faults the lowest is kept.
#include "runtime/runtime_internal.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH_ALIGNMENT = 64, POOL_THREADS_MAX = 1024 };
#define SCRATCH_MAX ((size_t)1 << 38) // per thread

typedef struct PoolThread {
    RtPool *pool;
    pthread_t thread;
    void *scratch; // owned by the thread's slot; kept from launch to launch
    size_t scratch_size;
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

static void run_blocks(PoolThread *thread) {
    RtPool *pool = thread->pool;
    const RtWork *work = pool->work;
    const size_t slot = (size_t)(thread - pool->threads);
    void *scratch = work->all_scratch ? work->all_scratch + slot * work->scratch_bytes : thread->scratch;
    const uint64_t width = work->launch->grid[0], height = work->launch->grid[1];
    for (;;) {
        uint64_t block = atomic_fetch_add(&pool->next_block, 1);
        if (block >= work->block_count || block > atomic_load(&pool->lowest_fault)) return;
        RtFault fault = {.block = block};
        uint64_t row = block / width;
        fault.site = work->entry(work->launch, scratch, (uint32_t)(block % width), (uint32_t)(row % height),
                                 (uint32_t)(row / height), &fault.fault);
        if (fault.site) record_fault(pool, &fault);
        if (work->printer) rt_printer_end(work->printer, block, fault.site);
    }
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
    if (size <= thread->scratch_size) return true;
    if (size > SCRATCH_MAX) return false;
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

bool rt_pool_run(RtPool *pool, const RtWork *work, RtFault *fault) {
    const bool alone = work->sequential || work->block_count == 1 || pool->started == 0;
    for (unsigned i = 0; i < (alone ? 1 : pool->jobs) && !work->all_scratch; i++)
        if (!ensure_scratch(&pool->threads[i], work->scratch_bytes)) return false;
    pool->work = work;
    atomic_store(&pool->next_block, 0);
    atomic_store(&pool->lowest_fault, UINT64_MAX);
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
    *fault = pool->fault;
    pool->work = NULL;
    return true;
}
