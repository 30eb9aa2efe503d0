// SPDX-License-Identifier: Apache-2.0
// One block on the emulator, without a device; see emulate.h.
#include "tests/lower/emulate.h"
#include "runtime/simt.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint32_t go_on(const HostLaunch *launch) {
    (void)launch;
    return 0;
}

static uint64_t number_of(const void *pointer) {
    return (uint64_t)(uintptr_t)pointer;
}

static void complain_of(const SimtLaunch *launch, const SimtWorker *worker, Buffer *complaint) {
    Diagnostics diagnostics = {0};
    RtDevice device = {.kind = &rt_host_kind};
    const RtCheckedLaunch checked = {.label = "emulated",
                                     .name = launch->kernel->name,
                                     .kernel = launch->kernel,
                                     .grid = launch->host.grid,
                                     .ranges = launch->host.argument_ranges,
                                     .argument_count = launch->kernel->parameter_count,
                                     .arguments = calloc(launch->kernel->parameter_count + 1u, sizeof(RtArgument))};
    simt_report(&device, &checked, &diagnostics, worker->block, &worker->fault);
    buffer_print(complaint, "line %u: %s", diagnostics.items[0].at.line, diagnostics.items[0].message);
    free((void *)(uintptr_t)checked.arguments);
    diagnostics_close(&diagnostics);
}

int64_t emulate_block(const KernelInfo *kernel, const HostLaunch *launch, const uint32_t *block, HostFault *fault,
                      Buffer *complaint) {
    enum { ALIGNMENT = 256 };
    uint32_t lock = 0;
    int64_t site;
    SimtLaunch emulated = {.host = *launch, .kernel = kernel, .locks = &lock, .slots = 1};
    emulated.host.wait = go_on;
    emulated.scratch_bytes = (kernel->scratch_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    emulated.scratch = aligned_alloc(ALIGNMENT, emulated.scratch_bytes + ALIGNMENT);
    SimtWorker *worker = simt_worker_open(kernel->threads, kernel->shared_bytes);
    cr_assert(emulated.scratch && worker);
    memset(emulated.scratch, 0xA5, emulated.scratch_bytes); // what a kernel does not write itself is not zero
    *kernel->simt_ops = &simt_ops;
    *kernel->launch = (GpuLaunch){.argument_ranges = number_of(launch->argument_ranges),
                                  .buffers = number_of(launch->buffers),
                                  .buffer_count = launch->buffer_count,
                                  .globals = number_of(launch->globals),
                                  .fault = number_of(&emulated.fault),
                                  .scratch = number_of(emulated.scratch),
                                  .scratch_locks = number_of(&lock),
                                  .scratch_slots = 1};
    worker->launch = &emulated;
    memcpy(worker->position, block, sizeof worker->position);
    worker->block = block[0] + (uint64_t)launch->grid[0] * (block[1] + (uint64_t)launch->grid[1] * block[2]);
    simt_run_block(worker);
    site = emulated.fault.site;
    *fault = emulated.fault.fault;
    if (!site && worker->fault.kind) {
        const SimtFault *race = &worker->fault;
        bool same = race->kind == SIMT_FAULT_RACE && !race->space && race->sides[0].place == race->sides[1].place &&
                    race->sides[0].doing == SIMT_WRITES && race->sides[1].doing == SIMT_WRITES;
        complain_of(&emulated, worker, complaint);
        site = same ? EMULATE_SAME_ELEMENT : EMULATE_COMPLAINS;
    }
    if (!site) cr_expect_eq(lock, 0, "the slot of scratch is not given back");
    simt_worker_close(worker);
    free(emulated.scratch);
    return site;
}
