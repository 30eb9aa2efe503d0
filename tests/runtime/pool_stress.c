// SPDX-License-Identifier: Apache-2.0
// The thread pool under load, as a program of its own: Criterion does not run under ThreadSanitizer, this does. Exit
// status 0 is good.
#include "runtime/rt.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 200, BLOCKS = 64, CELLS = 16 };

// Prints the block's number in four bytes.
static void print_block(const HostLaunch *launch, uint32_t x, uint32_t y, uint32_t block) {
    HostPrintValue value = {HOST_PRINT_INTEGER, 32, 0, NULL, &block};
    HostPrint print = {"%03d ", 5, &value, 1};
    launch->print(launch, x, y, 0, &print);
}

static void check_order(void *data, const char *text, size_t size) {
    uint32_t *next = data;
    for (size_t i = 0; i + 4 <= size; i += 4, ++*next)
        if ((uint32_t)(100 * (text[i] - '0') + 10 * (text[i + 1] - '0') + text[i + 2] - '0') != *next)
            *next = UINT32_MAX / 2;
}

// Every block prints its number, and fills its own cells, by way of scratch, from what the launch before it left there;
// block argument 1 of every 7 fails.
static uint32_t step_cells(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                           HostFault *fault) {
    (void)z;
    uint64_t block = x + (uint64_t)launch->grid[0] * y;
    print_block(launch, x, y, (uint32_t)block);
    uint32_t *cells = (uint32_t *)(uintptr_t)launch->arguments[0] + block * CELLS, *copy = scratch;
    if (launch->arguments[1] && block % 7 == launch->arguments[1] - 1) {
        fault->found = (int64_t)block;
        return 1;
    }
    memcpy(copy, cells, CELLS * sizeof *copy);
    for (int i = 0; i < CELLS; i++) cells[i] = copy[i] + (uint32_t)block;
    return 0;
}

static int complain(const char *what, unsigned jobs, int round) {
    fprintf(stderr, "pool_stress: %s with %u threads in round %d\n", what, jobs, round);
    return 1;
}

static int stress(unsigned jobs) {
    static const KernelSite site = {HOST_SITE_ASSERT, "assert", "stress", {0}};
    Diagnostics diagnostics = {0};
    RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = jobs, .address_range = (size_t)1 << 24});
    if (!device) return complain("cannot open", jobs, 0);
    RtBuffer *buffer = rt_alloc(device, &diagnostics, BLOCKS * CELLS * 4);
    KernelInfo kernel = {.name = "step",
                         .entry = step_cells,
                         .scratch_bytes = CELLS * 4,
                         .parameter_count = 2,
                         .site_count = 1,
                         .sites = &site,
                         .prints = true};
    uint32_t printed;
    rt_print_to(device, check_order, &printed);
    const uint32_t grid[3] = {BLOCKS / 2, 2, 1};
    for (int round = 1; round <= ROUNDS; round++) {
        RtArgument good[] = {{buffer->address, buffer}, {0, NULL}},
                   bad[] = {{buffer->address, buffer}, {1 + (uint64_t)round % 7, NULL}};
        static uint32_t before[BLOCKS * CELLS], after[BLOCKS * CELLS];
        rt_copy_out(device, NULL, buffer, 0, before, sizeof before);
        printed = 0;
        if (!rt_launch(
                device, &diagnostics,
                &(RtLaunch){
                    .label = "stress", .kernel = &kernel, .grid = {grid[0], grid[1], grid[2]}, .arguments = good}))
            return complain("a launch failed", jobs, round);
        if (printed != BLOCKS) return complain("not every block was heard in its order", jobs, round);
        printed = 0;
        rt_copy_out(device, NULL, buffer, 0, after, sizeof after);
        for (int i = 0; i < BLOCKS * CELLS; i++)
            if (after[i] != before[i] + (uint32_t)(i / CELLS))
                return complain("a block ran twice or not at all", jobs, round);
        char expected[40];
        snprintf(expected, sizeof expected, "at element %d: stress", round % 7);
        if (rt_launch(device, &diagnostics,
                      &(RtLaunch){
                          .label = "stress", .kernel = &kernel, .grid = {grid[0], grid[1], grid[2]}, .arguments = bad}))
            return complain("a fault was lost", jobs, round);
        if (printed != (uint32_t)round % 7 + 1) return complain("a block above the fault was heard", jobs, round);
        if (!strstr(diagnostics.items[0].message, expected)) return complain("not the lowest fault", jobs, round);
        diagnostics_close(&diagnostics);
        rt_copy_in(device, NULL, buffer, 0, after, sizeof after);
    }
    rt_close(device);
    return 0;
}

// Every block waits until all have come here, then counts those that went on.
static uint32_t wait_for_all(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                             HostFault *fault) {
    (void)y, (void)z, (void)fault;
    _Atomic uint32_t *counts = (_Atomic uint32_t *)(uintptr_t)launch->arguments[0];
    *(uint32_t *)scratch = x;
    counts[0]++;
    while (counts[0] % launch->grid[0])
        if (launch->wait(launch)) return 1;
    if (*(uint32_t *)scratch == x) counts[1]++;
    return 0;
}

static int stress_waiting(unsigned jobs) {
    enum { WAITING = 24, BARRIERS = 3 };
    Diagnostics diagnostics = {0};
    RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = jobs, .address_range = (size_t)1 << 24});
    if (!device) return complain("cannot open", jobs, 0);
    RtBuffer *buffer = rt_alloc(device, &diagnostics, 8);
    KernelInfo kernel = {.name = "wait", .entry = wait_for_all, .scratch_bytes = 64, .parameter_count = 1};
    for (int round = 1; round <= BARRIERS; round++) {
        RtArgument argument = {buffer->address, buffer};
        if (!rt_launch(
                device, &diagnostics,
                &(RtLaunch){.label = "wait", .kernel = &kernel, .grid = {WAITING, 1, 1}, .arguments = &argument}))
            return complain("a launch that waits failed", jobs, round);
        uint32_t counts[2];
        rt_copy_out(device, NULL, buffer, 0, counts, sizeof counts);
        if (counts[0] != counts[1] || counts[0] != (uint32_t)(round * WAITING))
            return complain("a block did not come behind the barrier", jobs, round);
    }
    rt_close(device);
    return 0;
}

int main(void) {
    for (unsigned jobs = 1; jobs <= 6; jobs++)
        if (stress(jobs) || stress_waiting(jobs)) return 1;
    return 0;
}
