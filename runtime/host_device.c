// SPDX-License-Identifier: Apache-2.0
// The host as a device: buffers, copies, and launches over the thread pool.
#include "runtime/runtime_internal.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_MAX = (1 << 24) - 1 };

// The processors this process may run on.
static unsigned processor_count(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : 1;
}

RtDevice *rt_open_host(Diagnostics *diagnostics, const RtDeviceOptions *options) {
    RtDevice *device = calloc(1, sizeof *device);
    if (!device) {
        diag_fail(diagnostics, (Location){0}, E_RUNTIME, "no memory for a device");
        return NULL;
    }
    device->pool = rt_pool_open(diagnostics, options->jobs ? options->jobs : processor_count());
    if (device->pool &&
        rt_range_open(&device->range, options->shadow ? &device->shadow : NULL, diagnostics, options->address_range))
        return device;
    rt_close(device);
    return NULL;
}

void rt_close(RtDevice *device) {
    if (!device) return;
    rt_pool_close(device->pool);
    rt_range_close(&device->range);
    rt_shadow_close(&device->shadow);
    free(device);
}

const char *rt_name(const RtDevice *device) {
    (void)device;
    return "host";
}

unsigned rt_jobs(const RtDevice *device) {
    return rt_pool_jobs(device->pool);
}

void rt_print_to(RtDevice *device, RtPrint *print, void *data) {
    device->print = print;
    device->print_data = data;
}

RtBuffer *rt_alloc(RtDevice *device, Diagnostics *diagnostics, size_t size) {
    return rt_range_alloc(&device->range, diagnostics, size);
}

void rt_free(RtDevice *device, RtBuffer *buffer) {
    if (buffer) rt_shadow_clear(&device->shadow, buffer);
    rt_range_free(&device->range, buffer);
}

static uint8_t *host_address(const RtBuffer *buffer, size_t offset, size_t size) {
    assert(offset <= buffer->size && size <= buffer->size - offset);
    (void)size;
    return (uint8_t *)(uintptr_t)buffer->address + offset;
}

void rt_copy_in(RtDevice *device, RtBuffer *buffer, size_t offset, const void *bytes, size_t size) {
    if (!size) return;
    memcpy(host_address(buffer, offset, size), bytes, size);
    if (size == buffer->size)
        rt_shadow_clear(&device->shadow, buffer);
    else if (buffer->widths)
        rt_shadow_forget(&device->shadow, buffer, offset, size);
}

void rt_copy_out(RtDevice *device, const RtBuffer *buffer, size_t offset, void *bytes, size_t size) {
    (void)device;
    if (size) memcpy(bytes, host_address(buffer, offset, size), size);
}

static int compare_ranges(const void *a, const void *b) {
    const HostRange *left = a, *right = b;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

// The buffers among the arguments, each once, sorted.
static uint64_t collect_buffers(const HostRange *ranges, uint32_t count, HostRange *buffers) {
    uint64_t found = 0, kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (ranges[i].begin) buffers[found++] = ranges[i];
    if (found) qsort(buffers, found, sizeof *buffers, compare_ranges);
    for (uint64_t i = 0; i < found; i++)
        if (!kept || buffers[kept - 1].begin != buffers[i].begin) buffers[kept++] = buffers[i];
    return kept;
}

static bool check_grid(Diagnostics *diagnostics, const char *label, const uint32_t grid[3], uint64_t *blocks) {
    for (int i = 0; i < 3; i++)
        if (grid[i] < 1 || grid[i] > GRID_MAX)
            return diag_fail(diagnostics, (Location){0}, E_ARGUMENT, "%s: grid dimension %c is %u, allowed are 1 to %d",
                             label, "xyz"[i], grid[i], GRID_MAX);
    if (__builtin_mul_overflow((uint64_t)grid[0] * grid[1], grid[2], blocks) || *blocks > INT64_MAX)
        return diag_fail(diagnostics, (Location){0}, E_ARGUMENT,
                         "%s: a grid of %u x %u x %u blocks has more than 2^63 of them", label, grid[0], grid[1],
                         grid[2]);
    return true;
}

// Notes which widths of records the launch may leave in each buffer; all of them together. What a kernel without shadow
// memory writes has no records, and nobody knows what it writes.
static uint32_t note_widths(const RtDevice *device, const RtKernel *kernel, const RtArgument *arguments,
                            uint32_t *widths) {
    uint32_t all = 0;
    const uint32_t count = kernel->parameter_count + kernel->global_count;
    for (uint32_t i = 0; i < count; i++)
        if (arguments[i].buffer && kernel->stored_widths)
            arguments[i].buffer->widths |= kernel->stored_widths[i] | kernel->stored_widths_unknown;
        else if (arguments[i].buffer)
            rt_shadow_clear(&device->shadow, arguments[i].buffer);
    for (uint32_t i = 0; i < count; i++) {
        widths[i] = arguments[i].buffer ? arguments[i].buffer->widths : 0;
        all |= widths[i];
    }
    return all;
}

// Scratch of all threads among the buffers, where floats can have records.
static RtBuffer *recorded_scratch(RtDevice *device, Diagnostics *diagnostics, const RtKernel *kernel, RtWork *work) {
    work->scratch_bytes = (kernel->scratch_bytes + 63) / 64 * 64;
    RtBuffer *scratch = rt_alloc(device, diagnostics, work->scratch_bytes * (kernel->sequential ? 1 : rt_jobs(device)));
    if (!scratch) return NULL;
    scratch->widths = (1u << HOST_SHADOW_WIDTHS) - 1;
    work->all_scratch = host_address(scratch, 0, scratch->size);
    return scratch;
}

bool rt_launch(RtDevice *device, Diagnostics *diagnostics, const char *label, const RtKernel *kernel,
               const uint32_t grid[3], const RtArgument *arguments) {
    RtWork work = {.entry = kernel->entry, .scratch_bytes = kernel->scratch_bytes, .sequential = kernel->sequential};
    if (!check_grid(diagnostics, label, grid, &work.block_count)) return false;
    RtBuffer *scratch = NULL;
    if (kernel->has_locals && kernel->stored_widths && device->shadow.base) {
        scratch = recorded_scratch(device, diagnostics, kernel, &work);
        if (!scratch) return false;
    }
    const uint32_t count = kernel->parameter_count + kernel->global_count;
    Arena arena = {0};
    uint64_t *bits = arena_array(&arena, uint64_t, count);
    HostRange *ranges = arena_array(&arena, HostRange, count), *buffers = arena_array(&arena, HostRange, count);
    HostRecord *records = arena_array(&arena, HostRecord, count);
    uint32_t *widths = arena_array(&arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        const RtBuffer *buffer = arguments[i].buffer;
        bits[i] = arguments[i].bits;
        if (buffer) ranges[i] = (HostRange){buffer->address, buffer->address + buffer->size};
        if (kernel->argument_records && i < kernel->parameter_count) records[i] = kernel->argument_records[i];
    }
    HostLaunch launch = {.arguments = bits,
                         .argument_ranges = ranges,
                         .buffers = buffers,
                         .buffer_count = collect_buffers(ranges, count, buffers),
                         .grid = {grid[0], grid[1], grid[2]},
                         .globals = ranges + kernel->parameter_count,
                         .wait = rt_pool_wait,
                         .waiter = device->pool};
    if (device->shadow.base) {
        launch.store_base = kernel->store_base;
        launch.shadow = &device->shadow.abi;
        launch.argument_records = records;
        launch.argument_widths = widths;
        launch.all_widths = note_widths(device, kernel, arguments, widths);
    }
    if (kernel->prints && device->print) {
        work.printer = launch.printer = rt_printer_open(device->print, device->print_data);
        launch.print = launch.printer ? rt_printer_print : NULL;
    }
    work.launch = &launch;
    RtFault fault;
    bool good = rt_pool_run(device->pool, &work, &fault);
    rt_printer_close(work.printer);
    rt_free(device, scratch);
    if (!good) {
        diag_fail(diagnostics, (Location){0}, E_RUNTIME, "%s: no memory for %u times %zu bytes of scratch of kernel %s",
                  label, kernel->sequential ? 1 : rt_jobs(device), kernel->scratch_bytes, kernel->name);
    } else if (fault.site) {
        RtFaultContext context = {device, label, kernel, arguments, grid};
        good = rt_report_fault(&context, diagnostics, &fault);
    }
    arena_reset(&arena);
    return good;
}
