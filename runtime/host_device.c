// SPDX-License-Identifier: Apache-2.0
// The host as a device: buffers in its memory, and launches over the thread pool.
#include "runtime/block.h"
#include "runtime/races.h"

enum { ORDERED_SCRATCHES = 64 };
#define ORDERED_SCRATCH_MAX ((size_t)1 << 30)

bool rt_device_open_host_memory(RtDevice *device, Diagnostics *diagnostics, const RtDeviceOptions *options) {
    device->pool = rt_pool_open(diagnostics, device->jobs);
    if (!device->pool ||
        !rt_range_open(&device->range, options->shadow ? &device->shadow : NULL, diagnostics, options->address_range))
        return false;
    device->jobs = rt_pool_jobs(device->pool);
    const uint64_t begin = (uint64_t)(uintptr_t)device->range.base;
    device->near = (HostRange){begin, begin + device->range.size};
    return true;
}

void rt_host_close(RtDevice *device) {
    warp_close_blocks(device);
    rt_pool_close(device->pool);
    rt_range_close(&device->range);
    rt_shadow_close(&device->shadow);
}

static void free_aside(RtDevice *device) {
    for (RtBuffer *buffer = device->range.buffers, *next; buffer; buffer = next) {
        next = buffer->next;
        if (buffer->aside) rt_host_free(device, buffer);
    }
    device->range.aside = 0;
}

RtBuffer *rt_host_alloc(RtDevice *device, Diagnostics *diagnostics, size_t size) {
    if (device->range.aside && !rt_range_has_room(&device->range, size)) free_aside(device);
    return rt_range_alloc(&device->range, diagnostics, size);
}

void rt_host_free(RtDevice *device, RtBuffer *buffer) {
    rt_shadow_leave(&device->shadow, buffer);
    rt_range_free(&device->range, buffer);
}

// ---- buffers that are set aside -------------------------------------------------------------------------------------

void rt_renew(RtDevice *device, RtBuffer *buffer) {
    rt_shadow_renew(&device->shadow, buffer);
}

void rt_set_aside(RtDevice *device, RtBuffer *buffer) {
    const size_t most = (size_t)64 << 20;
    const bool of_range = device->range.base; // not of a GPU
    if (!of_range || buffer->size > most - device->range.aside) {
        rt_free(device, buffer);
        return;
    }
    rt_renew(device, buffer);
    buffer->records = HOST_RECORDS_OF_TOWERS;
    buffer->name = NULL;
    buffer->aside = true;
    device->range.aside += buffer->size;
}

bool rt_take_aside(RtDevice *device, uint32_t count, const size_t *sizes, RtBuffer **taken) {
    uint32_t found = 0;
    bool same = true;
    for (RtBuffer *buffer = device->range.buffers; buffer && same; buffer = buffer->next) {
        if (!buffer->aside) continue;
        same = found < count && buffer->size == sizes[found];
        if (same) taken[found++] = buffer;
    }
    if (!same || found < count) {
        free_aside(device);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) taken[i]->aside = false;
    device->range.aside = 0;
    return true;
}

bool rt_host_copy_in(RtDevice *device, Diagnostics *diagnostics, RtBuffer *buffer, size_t offset, const void *bytes,
                     size_t size) {
    (void)diagnostics;
    memcpy((uint8_t *)(uintptr_t)buffer->address + offset, bytes, size);
    if (size == buffer->size)
        rt_shadow_clear(&device->shadow, buffer);
    else if (buffer->widths)
        rt_shadow_invalidate(&device->shadow, buffer, offset, size);
    return true;
}

bool rt_host_copy_out(RtDevice *device, Diagnostics *diagnostics, const RtBuffer *buffer, size_t offset, void *bytes,
                      size_t size) {
    (void)device, (void)diagnostics;
    memcpy(bytes, (const uint8_t *)(uintptr_t)buffer->address + offset, size);
    return true;
}

// Notes which widths of records the launch may leave in each buffer; all of them together. What a kernel without shadow
// memory writes has no records, and nobody knows what it writes.
static uint32_t note_widths(const RtDevice *device, const RtCheckedLaunch *launch, uint32_t *widths) {
    const KernelInfo *kernel = launch->kernel;
    const RtArgument *arguments = launch->arguments;
    const uint32_t count = launch->argument_count;
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        if (arguments[i].buffer && kernel->stored_widths) {
            if (arguments[i].buffer->records != kernel->records) rt_shadow_clear(&device->shadow, arguments[i].buffer);
            arguments[i].buffer->records = kernel->records;
            arguments[i].buffer->deep |= kernel->deep_records;
            rt_shadow_expect(&device->shadow, arguments[i].buffer,
                             (i < launch->known_count ? kernel->stored_widths[i] : 0) | kernel->stored_widths_unknown);
        } else if (arguments[i].buffer) {
            rt_shadow_clear(&device->shadow, arguments[i].buffer);
        }
    for (uint32_t i = 0; i < count; i++) {
        widths[i] = arguments[i].buffer ? arguments[i].buffer->widths : 0;
        all |= widths[i];
    }
    return all;
}

// How many threads share scratch that lies among the buffers. Blocks in a fixed order may wait for each other.
static size_t scratch_threads(const RtDevice *device, const RtCheckedLaunch *launch, size_t bytes) {
    if (!race_is_ordered(launch)) return launch->sequential ? 1 : device->jobs;
    size_t threads = launch->kernel->looks ? ORDERED_SCRATCHES : 1;
    while (threads > 1 && bytes > ORDERED_SCRATCH_MAX / threads) threads /= 2;
    return threads;
}

// Scratch of all threads among the buffers, where floats can have records.
static RtBuffer *recorded_scratch(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch,
                                  RtWork *work) {
    const KernelInfo *kernel = launch->kernel;
    work->scratch_bytes = (kernel->scratch_bytes + 63) / 64 * 64;
    const size_t bytes = work->scratch_bytes + RT_SCRATCH_HEAD, threads = scratch_threads(device, launch, bytes);
    if (race_is_ordered(launch)) work->threads_max = (uint32_t)threads;
    RtBuffer *scratch = rt_host_alloc(device, diagnostics, bytes * threads);
    if (!scratch) return NULL;
    scratch->records = kernel->records;
    scratch->deep = kernel->deep_records;
    scratch->widths = HOST_MAY_BE_UNSPECIFIED | ((1u << HOST_SHADOW_WIDTHS) - 1);
    work->all_scratch = (uint8_t *)(uintptr_t)scratch->address;
    return scratch;
}

static bool launch_host(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *checked, RtFault *fault) {
    const KernelInfo *kernel = checked->kernel;
    const uint32_t count = checked->argument_count;
    if (kernel->warp) return warp_launch(device, diagnostics, checked, fault);
    RtWork work = {.entry = kernel->entry,
                   .block_count = checked->block_count,
                   .scratch_bytes = kernel->scratch_bytes,
                   .sequential = checked->sequential,
                   .heedless = kernel->heedless,
                   .grouped = kernel->grouped && !checked->sequential};
    RtBuffer *scratch = NULL;
    if (kernel->has_locals && kernel->stored_widths && device->shadow.base) {
        scratch = recorded_scratch(device, diagnostics, checked, &work);
        if (!scratch) return false;
    }
    BlockLaunch blocks = {0};
    HostLaunch *launch = &blocks.host;
    *launch = (HostLaunch){.arguments = checked->bits,
                           .argument_ranges = checked->ranges,
                           .buffers = checked->buffers,
                           .buffer_count = checked->buffer_count,
                           .grid = {checked->grid[0], checked->grid[1], checked->grid[2]},
                           .globals = checked->ranges + kernel->parameter_count,
                           .wait = rt_pool_wait,
                           .waiter = device->pool};
    if (device->shadow.base) {
        HostRecord *records = arena_array(checked->arena, HostRecord, count);
        uint32_t *widths = arena_array(checked->arena, uint32_t, count);
        for (uint32_t i = 0; checked->asked->argument_records && i < kernel->parameter_count; i++)
            records[i] = checked->asked->argument_records[i];
        launch->store_base = checked->asked->store_base;
        launch->uses = checked->asked->uses;
        HostUnfilled *unfilled;
        device->shadow.abi.unfilled_count = rt_range_unfilled(&device->range, checked->arena, &unfilled);
        device->shadow.abi.unfilled = unfilled;
        launch->shadow = &device->shadow.abi;
        launch->argument_records = records;
        launch->argument_widths = widths;
        launch->all_widths = note_widths(device, checked, widths);
    }
    if (kernel->prints && device->print) {
        work.printer = launch->printer = rt_printer_open(device->print, device->print_data);
        launch->print = launch->printer ? rt_printer_print : NULL;
    }
    work.launch = launch;
    work.kernel = kernel;
    if (kernel->census_sites) work.census = checked->asked->census;
    RaceRun races;
    bool good = true;
    if (kernel->memory_bytes) block_launch_open(&blocks, device, checked, &work);
    if (kernel->stores_through) {
        good = race_run_open(&races, checked, launch);
        work.races = &races;
    }
    if (good && race_is_ordered(checked))
        good = fixed_run(&work, launch, fault);
    else
        good = good && rt_pool_run(device->pool, &work, fault);
    if (kernel->stores_through) race_run_close(&races);
    rt_printer_close(work.printer);
    if (scratch) rt_host_free(device, scratch);
    if (kernel->memory_bytes && !block_launch_close(&blocks, diagnostics, good ? fault : NULL)) return false;
    return good || diag_fail(diagnostics, (Location){0}, E_RUNTIME,
                             "%s: no memory for %u times %zu bytes of scratch of kernel %s", checked->label,
                             checked->sequential ? 1 : device->jobs, kernel->scratch_bytes, checked->name);
}

// ---- work that is no kernel -----------------------------------------------------------------------------------------

typedef struct SharedParts {
    void (*work)(void *data, uint32_t part);
    void *data;
} SharedParts;

static uint32_t run_part(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                         HostFault *fault) {
    const SharedParts *parts = launch->printer;
    (void)scratch, (void)y, (void)z, (void)fault;
    parts->work(parts->data, x);
    return 0;
}

void rt_share_out(RtDevice *device, uint32_t parts, void (*work)(void *data, uint32_t part), void *data) {
    SharedParts shared = {work, data};
    const HostLaunch launch = {.grid = {parts, 1, 1}, .printer = &shared};
    const RtWork all = {.entry = run_part, .launch = &launch, .block_count = parts};
    RtFault fault;
    if (parts && device->pool && rt_pool_run(device->pool, &all, &fault)) return;
    for (uint32_t part = 0; part < parts; part++) work(data, part);
}

const RtDeviceKind rt_host_kind = {
    .name = "host",
    .close = rt_host_close,
    .alloc = rt_host_alloc,
    .free = rt_host_free,
    .copy_in = rt_host_copy_in,
    .copy_out = rt_host_copy_out,
    .launch = launch_host,
};

RtDevice *rt_open_host(Diagnostics *diagnostics, const RtDeviceOptions *options) {
    RtDevice *device = rt_device_new(diagnostics, &rt_host_kind, options->jobs);
    if (!device || rt_device_open_host_memory(device, diagnostics, options)) return device;
    rt_close(device);
    return NULL;
}
