// SPDX-License-Identifier: Apache-2.0
// The emulator as a device: buffers in the host's memory, blocks over the thread pool.
#include "runtime/simt.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SCRATCH_SLOT_ALIGNMENT = 256,
    MAPPINGS_MAX = 48000, // of the 65530 that Linux gives a process; each stack takes two
};
#define HELPER_SLOTS_MAX ((size_t)1 << 32) // bytes of scratch of all helpers

// ---- workers: as many as there are blocks that run at the same time

static RtIdleItem *open_worker(const void *asked) {
    const KernelInfo *kernel = ((const SimtLaunch *)asked)->kernel;
    SimtWorker *worker = simt_worker_open(kernel->threads, kernel->shared_bytes);
    return worker ? &worker->item : NULL;
}

static void close_worker(RtIdleItem *item) {
    simt_worker_close((SimtWorker *)(void *)item);
}

static bool worker_fits(const RtIdleItem *item, const void *asked) {
    const SimtWorker *worker = (const SimtWorker *)(const void *)item;
    const KernelInfo *kernel = ((const SimtLaunch *)asked)->kernel;
    return worker->threads == kernel->threads && worker->shared_bytes == kernel->shared_bytes;
}

static const RtIdleKind idle_workers = {open_worker, close_worker, worker_fits};

// ---- blocks

static uint32_t record_emulator_fault(SimtLaunch *launch, uint64_t block, const SimtFault *fault) {
    pthread_mutex_lock(&launch->mutex);
    if (block < launch->failed_block) {
        launch->failed_block = block;
        launch->failed = *fault;
    }
    pthread_mutex_unlock(&launch->mutex);
    return SIMT_SITE;
}

// The site at which the block has recorded that it failed, 0 if it has not.
static uint32_t read_kernel_fault(SimtLaunch *launch, uint64_t block, HostFault *fault) {
    GpuFault *record = &launch->fault;
    while (__atomic_exchange_n(&record->lock, 1, __ATOMIC_ACQUIRE)) launch->host.wait(&launch->host);
    const uint32_t site = record->block == block ? record->site : 0;
    if (site) *fault = record->fault;
    __atomic_store_n(&record->lock, 0, __ATOMIC_RELEASE);
    return site;
}

static uint32_t run_simt_block(const HostLaunch *host, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                               HostFault *fault) {
    (void)scratch;
    SimtLaunch *launch = (SimtLaunch *)(uintptr_t)host; // whose first field it is
    const uint64_t block = x + (uint64_t)host->grid[0] * (y + (uint64_t)host->grid[1] * z);
    SimtWorker *worker = (SimtWorker *)(void *)rt_idle_take(&launch->workers);
    if (!worker) return record_emulator_fault(launch, block, &(SimtFault){.kind = SIMT_FAULT_MEMORY});
    worker->launch = launch;
    worker->block = block;
    memcpy(worker->position, (uint32_t[]){x, y, z}, sizeof worker->position);
    simt_run_block(worker);
    // What the kernel has found itself comes before what follows from it.
    uint32_t site = read_kernel_fault(launch, block, fault);
    if (!site && worker->fault.kind) site = record_emulator_fault(launch, block, &worker->fault);
    rt_idle_give(&launch->workers, &worker->item);
    return site;
}

// ---- launches

static bool check_kernel(Diagnostics *diagnostics, const RtCheckedLaunch *launch) {
    const KernelInfo *kernel = launch->kernel;
    if (!kernel->simt || !kernel->launch || !kernel->simt_ops)
        return diag_fail(diagnostics, (Location){0}, E_ARGUMENT, "%s: kernel %s was not compiled for device simt",
                         launch->label, launch->name);
    if (!kernel->threads || kernel->threads > SIMT_THREADS_MAX)
        return diag_fail(diagnostics, (Location){0}, E_ARGUMENT,
                         "%s: kernel %s has blocks of %u threads, allowed are "
                         "1 to %d",
                         launch->label, launch->name, kernel->threads, SIMT_THREADS_MAX);
    return true;
}

// Scratch and locks for all blocks that may run at the same time. A block that fails keeps its slot, but the thread
// that ran it takes no other block: those have higher ids.
static bool open_scratch(Diagnostics *diagnostics, const RtCheckedLaunch *checked, SimtLaunch *launch) {
    const size_t bytes = checked->kernel->scratch_bytes;
    if (!bytes) return true;
    size_t size = 0;
    bool good = bytes <= SIZE_MAX - SCRATCH_SLOT_ALIGNMENT;
    launch->scratch_bytes = (bytes + SCRATCH_SLOT_ALIGNMENT - 1) / SCRATCH_SLOT_ALIGNMENT * SCRATCH_SLOT_ALIGNMENT;
    good = good && !__builtin_mul_overflow(launch->scratch_bytes, launch->slots, &size);
    void *memory = good ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                        : MAP_FAILED;
    launch->locks = calloc(launch->slots, sizeof *launch->locks);
    if (memory != MAP_FAILED) launch->scratch = memory;
    return (launch->scratch && launch->locks) ||
           diag_fail(diagnostics, (Location){0}, E_RUNTIME,
                     "%s: no memory for %u times %zu bytes of scratch of kernel %s", checked->label, launch->slots,
                     bytes, checked->name);
}

static bool open_prints(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *checked,
                        SimtLaunch *launch) {
    const size_t bytes = rt_gpu_prints_bytes(device, checked->kernel);
    if (!bytes) return true;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME, "%s: no memory for %zu bytes that kernel %s may print",
                         checked->label, bytes, checked->name);
    launch->prints = memory;
    launch->prints_bytes = bytes;
    *launch->prints = rt_gpu_prints_head(bytes);
    return true;
}

// How many threads may run blocks, helpers counted.
static uint32_t count_threads(const RtDevice *device, const KernelInfo *kernel) {
    size_t limit = MAPPINGS_MAX / 2 / kernel->threads;
    if (kernel->scratch_bytes && limit > device->jobs + HELPER_SLOTS_MAX / kernel->scratch_bytes)
        limit = device->jobs + HELPER_SLOTS_MAX / kernel->scratch_bytes;
    return limit > device->jobs ? (uint32_t)limit : device->jobs;
}

static uint64_t address_of(const void *pointer) {
    return (uint64_t)(uintptr_t)pointer;
}

static bool launch_simt(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *checked, RtFault *fault) {
    const KernelInfo *kernel = checked->kernel;
    if (kernel->warp) return warp_launch(device, diagnostics, checked, fault);
    if (!check_kernel(diagnostics, checked)) return false;
    SimtLaunch launch = {.host = {.arguments = checked->bits,
                                  .argument_ranges = checked->ranges,
                                  .buffers = checked->buffers,
                                  .buffer_count = checked->buffer_count,
                                  .grid = {checked->grid[0], checked->grid[1], checked->grid[2]},
                                  .wait = rt_pool_wait,
                                  .waiter = device->pool},
                         .kernel = kernel,
                         .failed_block = UINT64_MAX};
    RtWork work = {.entry = run_simt_block,
                   .launch = &launch.host,
                   .block_count = checked->block_count,
                   .sequential = checked->sequential,
                   .threads_max = count_threads(device, kernel)};
    launch.slots = work.threads_max < work.block_count ? work.threads_max : (uint32_t)work.block_count;
    bool good = open_scratch(diagnostics, checked, &launch) && open_prints(device, diagnostics, checked, &launch);
    if (good) {
        *kernel->simt_ops = &simt_ops;
        *kernel->launch = (GpuLaunch){
            .argument_ranges = address_of(checked->ranges),
            .buffers = address_of(checked->buffers),
            .buffer_count = checked->buffer_count,
            .globals = kernel->global_count ? address_of(checked->ranges + kernel->parameter_count) : 0,
            .fault = address_of(&launch.fault),
            .scratch = address_of(launch.scratch),
            .scratch_locks = address_of(launch.locks),
            .scratch_slots = kernel->scratch_bytes ? launch.slots : 0,
            .prints = address_of(launch.prints),
        };
        pthread_mutex_init(&launch.mutex, NULL);
        rt_idle_open(&launch.workers, &idle_workers, &launch, MAPPINGS_MAX / 2 / kernel->threads, device->own);
        good = rt_pool_run(device->pool, &work, fault) ||
               diag_fail(diagnostics, (Location){0}, E_RUNTIME, "%s: no memory to run kernel %s", checked->label,
                         checked->name);
        device->own = rt_idle_close(&launch.workers);
        pthread_mutex_destroy(&launch.mutex);
        *kernel->launch = (GpuLaunch){0};
    }
    const bool ran = good;
    if (good && fault->site == SIMT_SITE)
        good = simt_report(device, checked, diagnostics, fault->block, &launch.failed);
    if (ran && launch.prints)
        good = rt_gpu_prints_write(device, diagnostics, checked, launch.prints, launch.prints_bytes, fault) && good;
    if (launch.prints) munmap(launch.prints, launch.prints_bytes);
    if (launch.scratch) munmap(launch.scratch, launch.scratch_bytes * launch.slots);
    free(launch.locks);
    return good;
}

static void close_simt(RtDevice *device) {
    rt_idle_close_items(&idle_workers, device->own);
    rt_host_close(device);
}

static const RtDeviceKind simt_kind = {
    .name = "simt",
    .close = close_simt,
    .alloc = rt_host_alloc,
    .free = rt_host_free,
    .copy_in = rt_host_copy_in,
    .copy_out = rt_host_copy_out,
    .launch = launch_simt,
};

RtDevice *rt_open_simt(Diagnostics *diagnostics, const RtDeviceOptions *options) {
    if (options->shadow) {
        diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED, "device simt has no shadow memory");
        return NULL;
    }
    RtDevice *device = rt_device_new(diagnostics, &simt_kind, options->jobs);
    if (device) device->print_bytes = options->print_bytes;
    if (!device || rt_device_open_host_memory(device, diagnostics, options)) return device;
    rt_close(device);
    return NULL;
}
