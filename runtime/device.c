// SPDX-License-Identifier: Apache-2.0
// What devices of all kinds have in common: opening and closing, and what a launch checks and collects.
#include "runtime/runtime_internal.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>

enum { GRID_MAX = (1 << 24) - 1 };

// The processors this process may run on.
static unsigned processor_count(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : 1;
}

RtDevice *rt_device_new(Diagnostics *diagnostics, const RtDeviceKind *kind, unsigned jobs) {
    RtDevice *device = calloc(1, sizeof *device);
    if (!device) {
        diag_fail(diagnostics, (Location){0}, E_RUNTIME, "no memory for a device");
        return NULL;
    }
    device->kind = kind;
    device->jobs = jobs ? jobs : processor_count();
    return device;
}

void rt_close(RtDevice *device) {
    if (!device) return;
    device->kind->close(device);
    free(device);
}

const char *rt_name(const RtDevice *device) {
    return device->kind->name;
}

unsigned rt_jobs(const RtDevice *device) {
    return device->jobs;
}

void rt_print_to(RtDevice *device, RtPrint *print, void *data) {
    device->print = print;
    device->print_data = data;
}

RtBuffer *rt_alloc(RtDevice *device, Diagnostics *diagnostics, size_t size) {
    return device->kind->alloc(device, diagnostics, size);
}

void rt_free(RtDevice *device, RtBuffer *buffer) {
    if (buffer) device->kind->free(device, buffer);
}

bool rt_copy_in(RtDevice *device, Diagnostics *diagnostics, RtBuffer *buffer, size_t offset, const void *bytes,
                size_t size) {
    assert(offset <= buffer->size && size <= buffer->size - offset);
    return !size || device->kind->copy_in(device, diagnostics, buffer, offset, bytes, size);
}

bool rt_copy_out(RtDevice *device, Diagnostics *diagnostics, const RtBuffer *buffer, size_t offset, void *bytes,
                 size_t size) {
    assert(offset <= buffer->size && size <= buffer->size - offset);
    return !size || device->kind->copy_out(device, diagnostics, buffer, offset, bytes, size);
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

// The arguments of a kernel of threads are its buffers, then its globals.
static bool collect_threads(Diagnostics *diagnostics, Arena *arena, RtCheckedLaunch *launch) {
    const RtThreads *threads = launch->asked->threads;
    const uint32_t globals = launch->kernel->global_count;
    if (!threads)
        return diag_fail(diagnostics, (Location){0}, E_ARGUMENT, "%s: kernel %s needs the number of its threads",
                         launch->label, launch->name);
    RtArgument *arguments = arena_array(arena, RtArgument, (size_t)threads->buffer_count + globals);
    for (uint32_t i = 0; i < threads->buffer_count; i++)
        arguments[i] = (RtArgument){threads->buffers[i]->address, threads->buffers[i]};
    for (uint32_t i = 0; i < globals; i++) arguments[threads->buffer_count + i] = launch->arguments[i];
    launch->arguments = arguments;
    launch->parameter_count = threads->buffer_count;
    return true;
}

// Behind the arguments come buffers that only addresses in memory lead to.
static void collect_reached(Arena *arena, RtCheckedLaunch *launch) {
    const RtLaunch *asked = launch->asked;
    const uint32_t known = launch->known_count = launch->argument_count;
    if (!asked->reached_count) return;
    RtArgument *arguments = arena_array(arena, RtArgument, (size_t)known + asked->reached_count);
    for (uint32_t i = 0; i < known; i++) arguments[i] = launch->arguments[i];
    for (uint32_t i = 0; i < asked->reached_count; i++)
        arguments[known + i] = (RtArgument){asked->reached[i]->address, asked->reached[i]};
    launch->arguments = arguments;
    launch->argument_count = known + asked->reached_count;
}

bool rt_launch(RtDevice *device, Diagnostics *diagnostics, const RtLaunch *asked) {
    const KernelInfo *kernel = asked->kernel;
    RtCheckedLaunch launch = {.asked = asked,
                              .label = asked->label,
                              .name = asked->name ? asked->name : kernel->name,
                              .kernel = kernel,
                              .sequential = kernel->sequential || kernel->cancels || asked->in_order,
                              .grid = asked->grid,
                              .arguments = asked->arguments,
                              .parameter_count = kernel->parameter_count};
    if (!check_grid(diagnostics, launch.label, launch.grid, &launch.block_count)) return false;
    Arena arena = {0};
    if (kernel->warp && !collect_threads(diagnostics, &arena, &launch)) return false;
    launch.argument_count = launch.parameter_count + kernel->global_count;
    collect_reached(&arena, &launch);
    const uint32_t count = launch.argument_count;
    uint64_t *bits = arena_array(&arena, uint64_t, count);
    HostRange *ranges = arena_array(&arena, HostRange, count), *buffers = arena_array(&arena, HostRange, count);
    for (uint32_t i = 0; i < count; i++) {
        const RtBuffer *buffer = launch.arguments[i].buffer;
        bits[i] = launch.arguments[i].bits;
        if (buffer) ranges[i] = (HostRange){buffer->address, buffer->address + buffer->size};
    }
    launch.bits = bits;
    launch.ranges = ranges;
    launch.buffers = buffers;
    launch.buffer_count = collect_buffers(ranges, count, buffers);
    launch.arena = &arena;
    RtFault fault = {0};
    bool good = device->kind->launch(device, diagnostics, &launch, &fault);
    if (good && fault.site) good = rt_report_fault(device, &launch, diagnostics, &fault);
    arena_reset(&arena);
    return good;
}
