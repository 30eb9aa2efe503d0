// SPDX-License-Identifier: Apache-2.0
// A launch on a GPU of CUDA: the module's variable that the kernel reads, scratch, the launch itself, and the failure
// that a block has recorded.
#include "runtime/cuda.h"

#include <stdlib.h>
#include <string.h>

enum { SCRATCH_ALIGNMENT = 256 };

// What one launch needs on the device beside its buffers, laid out in one piece of memory that is written at once.
typedef struct LaunchData {
    GpuFault fault;
    HostRange ranges[]; // of arguments, then buffers; then a lock (u32) for each slot of scratch
} LaunchData;

static bool check_grid(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch) {
    for (int i = 0; i < 3; i++)
        if (launch->grid[i] > (unsigned)cuda->grid_max[i])
            return diag_fail(diagnostics, (Location){0}, E_ARGUMENT, "%s: grid dimension %c is %u, %s allows 1 to %d",
                             launch->label, "xyz"[i], launch -> grid[i], cuda -> description, cuda -> grid_max[i]);
    return true;
}

// As many slots as blocks can run at the same time, fewer where memory is short: blocks then wait for a slot.
static bool need_scratch(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch,
                         const CudaFunction *function, uint64_t *slots) {
    const KernelInfo *kernel = launch->kernel;
    const size_t slot = (kernel->scratch_bytes + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
    int resident = 0;
    *slots = 0;
    if (!kernel->scratch_bytes) return true;
    CudaStatus status = cuda->driver.occupancy(&resident, function->handle, (int)kernel->threads, kernel->shared_bytes);
    if (status)
        return cuda_fail(cuda, diagnostics, status, "%s: kernel %s: cannot ask how many blocks run at the same time",
                         launch->label, launch->name);
    uint64_t wanted = (uint64_t)(resident > 0 ? resident : 1) * (uint64_t)cuda->multiprocessors;
    if (wanted > launch->block_count) wanted = launch->block_count;
    while (wanted > 1 && wanted > SIZE_MAX / slot) wanted /= 2;
    for (; wanted; wanted /= 2) {
        status = cuda_memory_need(cuda, &cuda->scratch, slot * wanted);
        *slots = wanted;
        if (status != CUDA_OUT_OF_MEMORY) break;
    }
    return !status || cuda_fail(cuda, diagnostics, status, "%s: no memory for %zu bytes of scratch of kernel %s",
                                launch->label, kernel->scratch_bytes, launch->name);
}

// Room for `bytes` of prints and their head; nothing for 0.
static bool need_prints(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch, size_t bytes) {
    if (!bytes) return true;
    const GpuPrints head = rt_gpu_prints_head(bytes);
    CudaStatus status = cuda_memory_need(cuda, &cuda->prints, bytes);
    if (!status) status = cuda->driver.memory_set(cuda->prints.address, 0, bytes);
    if (!status) status = cuda->driver.copy_in(cuda->prints.address, &head, sizeof head);
    return !status || cuda_fail(cuda, diagnostics, status, "%s: no memory for %zu bytes that kernel %s may print",
                                launch->label, bytes, launch->name);
}

// Brings what blocks have printed here, and prints it.
static bool write_prints(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch, size_t bytes,
                         const RtFault *fault) {
    CudaDevice *cuda = cuda_device(device);
    GpuPrints head = {0};
    CudaStatus status = cuda->driver.copy_out(&head, cuda->prints.address, sizeof head);
    const size_t used = rt_gpu_prints_used(&head, bytes);
    uint8_t *memory = malloc(used);
    if (!memory)
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME,
                         "%s: no memory for %zu bytes that kernel %s has printed", launch->label, used, launch->name);
    if (!status) status = cuda->driver.copy_out(memory, cuda->prints.address, used);
    const bool good = status ? cuda_fail(cuda, diagnostics, status, "%s: cannot read what kernel %s has printed",
                                         launch->label, launch->name)
                             : rt_gpu_prints_write(device, diagnostics, launch, memory, bytes, fault);
    free(memory);
    return good;
}

// Memory of the launch beside its buffers: slots of scratch, bytes for prints, the address where a block that fails
// says so (0: nowhere).
typedef struct LaunchMemory {
    uint64_t slots, fault;
    size_t print_bytes;
} LaunchMemory;

// Writes the module's variable, which says what the launch knows; sets memory->fault.
static bool write_variable(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch,
                           const CudaModule *module, LaunchMemory *memory) {
    const uint64_t slots = memory->slots;
    const uint32_t count = launch->argument_count;
    const size_t buffers_at = sizeof(LaunchData) + count * sizeof(HostRange),
                 locks_at = buffers_at + launch->buffer_count * sizeof(HostRange),
                 size = locks_at + slots * sizeof(uint32_t);
    uint8_t *data = arena_alloc(launch->arena, size); // zeros: no fault, free locks
    if (count) memcpy(data + sizeof(LaunchData), launch->ranges, count * sizeof(HostRange));
    if (launch->buffer_count) memcpy(data + buffers_at, launch->buffers, launch->buffer_count * sizeof(HostRange));
    CudaStatus status = cuda_memory_need(cuda, &cuda->launch_data, size);
    const uint64_t at = cuda->launch_data.address;
    const GpuLaunch variable = {
        .argument_ranges = at + sizeof(LaunchData),
        .buffers = at + buffers_at,
        .buffer_count = launch->buffer_count,
        .globals = at + sizeof(LaunchData) + launch->kernel->parameter_count * sizeof(HostRange),
        .fault = at + offsetof(LaunchData, fault),
        .scratch = slots ? cuda->scratch.address : 0,
        .scratch_locks = at + locks_at,
        .scratch_slots = slots,
        .prints = memory->print_bytes ? cuda->prints.address : 0,
    };
    memory->fault = variable.fault;
    if (!status) status = cuda->driver.copy_in(at, data, size);
    if (!status) status = cuda->driver.copy_in(module->launch, &variable, sizeof variable);
    return !status || cuda_fail(cuda, diagnostics, status, "%s: kernel %s: cannot prepare the launch", launch->label,
                                launch->name);
}

static bool run_kernel(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch,
                       const CudaFunction *function) {
    const KernelInfo *kernel = launch->kernel;
    uint64_t *values = arena_array(launch->arena, uint64_t, kernel->parameter_count + 1u);
    void **parameters = arena_array(launch->arena, void *, kernel->parameter_count + 1u);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        values[i] = launch->bits[i]; // narrower parameters are its low bytes
        parameters[i] = &values[i];
    }
    const uint32_t *grid = launch->grid;
    CudaStatus status = cuda->driver.launch(function->handle, grid[0], grid[1], grid[2], kernel->threads, 1, 1,
                                            (unsigned)kernel->shared_bytes, NULL, parameters, NULL);
    if (status)
        return cuda_fail(cuda, diagnostics, status, "%s: kernel %s cannot be launched with %u threads for each block",
                         launch->label, launch->name, kernel->threads);
    status = cuda->driver.synchronize();
    if (!status) return true;
    cuda_fail(cuda, diagnostics, status, "%s: kernel %s", launch->label, launch->name);
    if (!cuda->stopped) cuda->stopped = arena_text(&cuda->arena, launch->label, strlen(launch->label));
    return false;
}

static bool launch_inside(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch, RtFault *fault) {
    CudaDevice *cuda = cuda_device(device);
    CudaModule *module;
    CudaFunction *function;
    LaunchMemory memory = {0};
    if (!cuda_find_function(cuda, diagnostics, launch, &module, &function) ||
        !need_scratch(cuda, diagnostics, launch, function, &memory.slots))
        return false;
    if (memory.slots && !module->launch)
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME,
                         "%s: kernel %s needs scratch, but its cubin has no " GPU_LAUNCH_NAME " to say where it is",
                         launch->label, launch->name);
    memory.print_bytes = module->launch ? rt_gpu_prints_bytes(device, launch->kernel) : 0;
    if (!need_prints(cuda, diagnostics, launch, memory.print_bytes)) return false;
    if (module->launch && !write_variable(cuda, diagnostics, launch, module, &memory)) return false;
    if (!run_kernel(cuda, diagnostics, launch, function)) return false;
    if (!memory.fault) return true;
    GpuFault found;
    CudaStatus status = cuda->driver.copy_out(&found, memory.fault, sizeof found);
    if (status)
        return cuda_fail(cuda, diagnostics, status, "%s: kernel %s: cannot read whether a block failed", launch->label,
                         launch->name);
    *fault = (RtFault){.site = found.site, .block = found.block, .fault = found.fault};
    return !memory.print_bytes || write_prints(device, diagnostics, launch, memory.print_bytes, fault);
}

bool cuda_launch(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch, RtFault *fault) {
    CudaDevice *cuda = cuda_device(device);
    if (launch->kernel->warp)
        return diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED,
                         "%s: kernel %s is of PTX, which devices host and simt run, not cuda", launch->label,
                         launch->name);
    if (!check_grid(cuda, diagnostics, launch) || !cuda_enter(cuda, diagnostics, launch->label)) return false;
    bool good = launch_inside(device, diagnostics, launch, fault);
    cuda_leave(cuda);
    return good;
}
