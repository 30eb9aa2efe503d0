// SPDX-License-Identifier: Apache-2.0
// Launches of kernels of warps on devices whose buffers are memory of the host: what must fit, blocks over the thread
// pool.
#include "runtime/races.h"
#include "runtime/warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAPPINGS_MAX = 48000, // of the 65530 that Linux gives a process; each stack takes two
    MAPPINGS_OF_BLOCK = 17,
    PARAMETER_ALIGNMENT = 128,
};

// ---- blocks: as many as run at the same time

static RtIdleItem *open_block(const void *asked) {
    const WarpLaunch *launch = asked;
    WarpBlock *block = warp_block_open(launch->thread_count, launch->shared_end);
    return block ? &block->item : NULL;
}

static void close_block(RtIdleItem *item) {
    warp_block_close((WarpBlock *)(void *)item);
}

static bool block_fits(const RtIdleItem *item, const void *asked) {
    const WarpBlock *block = (const WarpBlock *)(const void *)item;
    const WarpLaunch *launch = asked;
    return block->thread_count == launch->thread_count && block->shared_end == launch->shared_end;
}

static const RtIdleKind idle_blocks = {open_block, close_block, block_fits};

static WarpBlock *take_block(WarpLaunch *launch) {
    WarpBlock *block = (WarpBlock *)(void *)rt_idle_take(&launch->blocks);
    if (block && block->launch != launch) warp_block_prepare(block, launch);
    return block;
}

// Blocks that the device keeps do not know a launch that is over.
static void keep_blocks(RtDevice *device, WarpLaunch *launch) {
    device->warp_blocks = rt_idle_close(&launch->blocks);
    for (RtIdleItem *item = device->warp_blocks; item; item = item->next) ((WarpBlock *)(void *)item)->launch = NULL;
}

void warp_close_blocks(RtDevice *device) {
    rt_idle_close_items(&idle_blocks, device->warp_blocks);
    device->warp_blocks = NULL;
}

static void record_fault(WarpLaunch *launch, uint64_t number, WarpFault fault) {
    pthread_mutex_lock(&launch->mutex);
    WarpFault other = fault;
    if (number < launch->failed_block) {
        other = launch->failed;
        launch->failed_block = number;
        launch->failed = fault;
    }
    pthread_mutex_unlock(&launch->mutex);
    free(other.text);
}

static uint32_t run_one_block(const HostLaunch *host, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                              HostFault *fault) {
    (void)scratch, (void)fault;
    WarpLaunch *launch = (WarpLaunch *)(uintptr_t)host; // whose first field it is
    const uint64_t number = x + (uint64_t)host->grid[0] * (y + (uint64_t)host->grid[1] * z);
    WarpBlock *block = take_block(launch);
    if (!block) {
        record_fault(launch, number, (WarpFault){.kind = WARP_FAULT_MEMORY, .numbers = {launch->thread_count}});
        return UINT32_MAX;
    }
    block->number = number;
    memcpy(block->position, (uint32_t[]){x, y, z}, sizeof block->position);
    warp_run_block(block);
    const bool failed = block->fault.kind != WARP_FAULT_NONE;
    if (failed) record_fault(launch, number, block->fault);
    rt_idle_give(&launch->blocks, &block->item);
    return failed ? UINT32_MAX : 0;
}

// ---- what a launch asks for

static bool refuse(Diagnostics *diagnostics, const RtCheckedLaunch *checked, ErrorCode code, const char *format, ...)
    BASE_PRINTF(4, 5);
static bool refuse(Diagnostics *diagnostics, const RtCheckedLaunch *checked, ErrorCode code, const char *format, ...) {
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return diag_fail(diagnostics, (Location){0}, code, "%s: kernel %s: %s", checked->label, checked->name, text);
}

static bool check_threads(Diagnostics *diagnostics, const RtCheckedLaunch *checked, uint32_t *count) {
    const uint32_t *block = checked->asked->threads->block, *required = checked->kernel->required_threads;
    const uint32_t most = checked->kernel->threads_max;
    uint64_t threads = 1;
    for (uint32_t i = 0; i < 3; i++) {
        if (block[i] < 1 || block[i] > WARP_THREADS_MAX)
            return refuse(diagnostics, checked, E_ARGUMENT, "block dimension %c is %u, allowed are 1 to %d", "xyz"[i],
                          block[i], WARP_THREADS_MAX);
        threads *= block[i];
    }
    const bool given = required[0] != 0;
    if (given && (block[0] != required[0] || block[1] != (required[1] ? required[1] : 1) ||
                  block[2] != (required[2] ? required[2] : 1)))
        return refuse(diagnostics, checked, E_ARGUMENT,
                      "a block of %u x %u x %u threads, but the kernel is made for %u x %u x %u", block[0], block[1],
                      block[2], required[0], required[1] ? required[1] : 1, required[2] ? required[2] : 1);
    if (threads > WARP_THREADS_MAX || (most && threads > most))
        return refuse(diagnostics, checked, E_ARGUMENT, "a block of %llu threads, at most %u are allowed",
                      (unsigned long long)threads, most && most < WARP_THREADS_MAX ? most : WARP_THREADS_MAX);
    *count = (uint32_t)threads;
    return true;
}

static bool check_cluster(Diagnostics *diagnostics, const RtCheckedLaunch *checked) {
    const uint32_t *cluster = checked->asked->threads->cluster, *required = checked->kernel->required_cluster;
    for (uint32_t i = 0; i < 3; i++)
        if (cluster[i] > 1 || required[i] > 1)
            return refuse(diagnostics, checked, E_UNSUPPORTED,
                          "clusters of more than one block are not supported; this one has %u x %u x %u",
                          cluster[0] > required[0] ? cluster[0] : required[0],
                          cluster[1] > required[1] ? cluster[1] : required[1],
                          cluster[2] > required[2] ? cluster[2] : required[2]);
    return true;
}

// Static, then dynamic shared memory.
static bool check_shared(Diagnostics *diagnostics, const RtCheckedLaunch *checked, uint32_t *end) {
    const KernelInfo *kernel = checked->kernel;
    const uint64_t alignment = kernel->shared_alignment ? kernel->shared_alignment : 16;
    const uint64_t begin =
        (WARP_SHARED_FIRST + (uint64_t)kernel->static_shared + alignment - 1) / alignment * alignment;
    const uint64_t bytes = begin + checked->asked->threads->shared_bytes - WARP_SHARED_FIRST;
    if (bytes > WARP_SHARED_USABLE)
        return refuse(diagnostics, checked, E_ARGUMENT,
                      "%llu bytes of shared memory (%u static, %u dynamic), at most %d are allowed",
                      (unsigned long long)bytes, kernel->static_shared, checked->asked->threads->shared_bytes,
                      WARP_SHARED_USABLE);
    *end = (uint32_t)bytes + WARP_SHARED_FIRST;
    return true;
}

// Sums that a product adds to must have been written.
static bool check_sums(Diagnostics *diagnostics, const RtCheckedLaunch *checked) {
    const KernelInfo *kernel = checked->kernel;
    for (uint32_t i = 0; i < kernel->unwritten_count; i++)
        if (kernel->unwritten[i].certain)
            return diag_fail(diagnostics, kernel->unwritten[i].at, E_RUNTIME,
                             "%s: %s adds to %s, which nothing has written before", checked->label,
                             kernel->unwritten[i].op, kernel->unwritten[i].what);
    return true;
}

// ---- launches

static const uint64_t *global_addresses(const RtCheckedLaunch *checked) {
    return checked->bits + checked->parameter_count;
}

static RtWork make_work(const RtDevice *device, const RtCheckedLaunch *checked, const WarpLaunch *launch) {
    const uint32_t limit = launch->blocks.limit;
    return (RtWork){.entry = run_one_block,
                    .launch = &launch->host,
                    .block_count = checked->block_count,
                    .threads_max = limit > device->jobs ? limit : device->jobs,
                    .printer = launch->printer};
}

static bool run_launch(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *checked, WarpLaunch *launch,
                       RtFault *fault) {
    if (checked->kernel->prints && device->print) launch->printer = rt_printer_open(device->print, device->print_data);
    const uint32_t warps = (launch->thread_count + WARP_LANES - 1) / WARP_LANES;
    pthread_mutex_init(&launch->mutex, NULL);
    rt_idle_open(&launch->blocks, &idle_blocks, launch, MAPPINGS_MAX / (2 * warps + MAPPINGS_OF_BLOCK),
                 device->warp_blocks);
    const RtWork work = make_work(device, checked, launch);
    bool good =
        (checked->sequential ? fixed_run(&work, &launch->host, fault) : rt_pool_run(device->pool, &work, fault)) ||
        refuse(diagnostics, checked, E_RUNTIME, "no memory to run it");
    keep_blocks(device, launch);
    pthread_mutex_destroy(&launch->mutex);
    rt_printer_close(launch->printer);
    if (good) warp_report_warnings(device, launch, launch->failed_block);
    if (good && fault->site) good = warp_report(device, checked, diagnostics, launch->failed_block, &launch->failed);
    if (good && launch->threads->unwritten) *launch->threads->unwritten = launch->unwritten;
    free(launch->failed.text);
    for (uint32_t i = 0; i < launch->warning_count; i++) free(launch->warnings[i].fault.text);
    return good;
}

bool warp_launch(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *checked, RtFault *fault) {
    const RtThreads *threads = checked->asked->threads;
    WarpLaunch *launch = arena_new(checked->arena, WarpLaunch);
    uint8_t *parameters = arena_alloc(checked->arena, checked->kernel->parameter_bytes + PARAMETER_ALIGNMENT);
    RtThreads *own = arena_new(checked->arena, RtThreads);
    *launch = (WarpLaunch){.host = {.arguments = checked->bits,
                                    .argument_ranges = checked->ranges,
                                    .buffers = checked->buffers,
                                    .buffer_count = checked->buffer_count,
                                    .grid = {checked->grid[0], checked->grid[1], checked->grid[2]},
                                    .wait = rt_pool_wait,
                                    .waiter = device->pool},
                           .checked = checked,
                           .kernel = checked->kernel,
                           .threads = own,
                           .globals = global_addresses(checked),
                           .failed_block = UINT64_MAX,
                           .unwritten_shared_block = UINT64_MAX,
                           .unwritten_local_block = UINT64_MAX};
    if (!check_threads(diagnostics, checked, &launch->thread_count) || !check_cluster(diagnostics, checked) ||
        !check_shared(diagnostics, checked, &launch->shared_end) || !check_sums(diagnostics, checked))
        return false;
    // Parameters are as aligned as addresses in their space say.
    parameters += -(uintptr_t)parameters % PARAMETER_ALIGNMENT;
    if (checked->kernel->parameter_bytes) memcpy(parameters, threads->parameters, checked->kernel->parameter_bytes);
    *own = *threads;
    own->parameters = parameters;
    return run_launch(device, diagnostics, checked, launch, fault);
}
