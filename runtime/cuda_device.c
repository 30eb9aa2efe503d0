// SPDX-License-Identifier: Apache-2.0
// A GPU of CUDA as a device: opening it, its buffers and copies. The driver's context is current only within a call, so
// that others in the process may have their own.
#include "runtime/cuda.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFER_ALIGNMENT = 4096 }; // as much as a global may ask for
#define NEAR ((uint64_t)64 << 30) // how far from all buffers messages still give an offset

bool cuda_fail(CudaDevice *cuda, Diagnostics *diagnostics, CudaStatus status, const char *format, ...) {
    Arena arena = {0};
    va_list values;
    va_start(values, format);
    const char *what = arena_vformat(&arena, format, values);
    va_end(values);
    diag_fail(diagnostics, (Location){0}, E_RUNTIME, "%s: %s%s%s", what,
              cuda_status_text(&cuda->driver, &arena, status),
              cuda->stopped ? "; the driver refuses everything since " : "", cuda->stopped ? cuda->stopped : "");
    arena_reset(&arena);
    return false;
}

bool cuda_enter(CudaDevice *cuda, Diagnostics *diagnostics, const char *what) {
    CudaStatus status = cuda->driver.context_push(cuda->context);
    return !status || cuda_fail(cuda, diagnostics, status, "%s", what);
}

void cuda_leave(CudaDevice *cuda) {
    CudaHandle context;
    cuda->driver.context_pop(&context);
}

static void cuda_memory_free(CudaDevice *cuda, CudaMemory *memory) {
    if (memory->address) cuda->driver.memory_free(memory->address);
    *memory = (CudaMemory){0};
}

CudaStatus cuda_memory_need(CudaDevice *cuda, CudaMemory *memory, size_t size) {
    if (size <= memory->size) return CUDA_SUCCESS;
    cuda_memory_free(cuda, memory);
    CudaStatus status = cuda->driver.memory_alloc(&memory->address, size);
    if (status)
        memory->address = 0;
    else
        memory->size = size;
    return status;
}

// ---- opening

static bool choose_device(CudaDevice *cuda, Diagnostics *diagnostics, unsigned index) {
    int count = 0;
    CudaStatus status = cuda->driver.device_count(&count);
    if (status) return cuda_fail(cuda, diagnostics, status, "cannot count the GPUs");
    if (count <= 0) return diag_fail(diagnostics, (Location){0}, E_DEVICE, "the CUDA driver finds no GPU");
    if (index >= (unsigned)count)
        return diag_fail(diagnostics, (Location){0}, E_DEVICE,
                         "there is no GPU %u: the CUDA driver finds %d, from 0 on", index, count);
    status = cuda->driver.device_get(&cuda->device, (int)index);
    return !status || cuda_fail(cuda, diagnostics, status, "cannot open GPU %u", index);
}

static bool ask_device(CudaDevice *cuda, Diagnostics *diagnostics, unsigned index) {
    int major = 0, minor = 0, version = 0;
    const struct {
        int attribute, *value;
    } wanted[] = {
        {CUDA_CAPABILITY_MAJOR, &major},
        {CUDA_CAPABILITY_MINOR, &minor},
        {CUDA_MULTIPROCESSORS, &cuda->multiprocessors},
        {CUDA_GRID_X_MAX, &cuda->grid_max[0]},
        {CUDA_GRID_Y_MAX, &cuda->grid_max[1]},
        {CUDA_GRID_Z_MAX, &cuda->grid_max[2]},
        {CUDA_SHARED_BYTES_MAX, &cuda->shared_bytes_max},
    };
    CudaStatus status = cuda->driver.device_name(cuda->name, sizeof cuda->name, cuda->device);
    for (size_t i = 0; !status && i < BASE_COUNT(wanted); i++)
        status = cuda->driver.device_attribute(wanted[i].value, wanted[i].attribute, cuda->device);
    if (!status) status = cuda->driver.driver_version(&version);
    if (status) return cuda_fail(cuda, diagnostics, status, "cannot ask GPU %u what it is", index);
    snprintf(cuda->gpu, sizeof cuda->gpu, "sm_%d%d", major, minor);
    snprintf(cuda->description, sizeof cuda->description, "%s (%s, driver for CUDA %d.%d)", cuda->name, cuda->gpu,
             version / 1000, version % 1000 / 10);
    return true;
}

static void close_cuda(RtDevice *device) {
    CudaDevice *cuda = cuda_device(device);
    if (!cuda) return;
    if (cuda->context && !cuda->driver.context_push(cuda->context)) {
        while (cuda->buffers) {
            CudaBuffer *buffer = (CudaBuffer *)cuda->buffers;
            cuda->buffers = buffer->buffer.next;
            cuda->driver.memory_free(buffer->memory);
            free(buffer);
        }
        cuda_memory_free(cuda, &cuda->launch_data);
        cuda_memory_free(cuda, &cuda->scratch);
        cuda_memory_free(cuda, &cuda->prints);
        cuda_unload_all(cuda);
        cuda_leave(cuda);
    }
    for (RtBuffer *next; cuda->buffers; cuda->buffers = next) { // the context could not be entered
        next = cuda->buffers->next;
        free(cuda->buffers);
    }
    cuda_unload_all(cuda);
    if (cuda->context) cuda->driver.context_release(cuda->device);
    cuda_driver_close(&cuda->driver);
    arena_reset(&cuda->arena);
    free(cuda);
}

// ---- buffers

static void free_memory(CudaDevice *cuda, uint64_t memory) {
    if (cuda->driver.context_push(cuda->context)) return; // it goes with the context
    cuda->driver.memory_free(memory);
    cuda_leave(cuda);
}

// Messages give addresses near any buffer as offsets.
static void note_near(RtDevice *device, const RtBuffer *buffer) {
    const uint64_t begin = buffer->address > NEAR ? buffer->address - NEAR : 0, end = buffer->address + buffer->size;
    HostRange *near = &device->near;
    if (!near->end || begin < near->begin) near->begin = begin;
    if (end + NEAR > near->end) near->end = end + NEAR;
}

static RtBuffer *alloc_cuda(RtDevice *device, Diagnostics *diagnostics, size_t size) {
    CudaDevice *cuda = cuda_device(device);
    CudaBuffer *buffer = calloc(1, sizeof *buffer);
    const size_t room = size > SIZE_MAX - BUFFER_ALIGNMENT ? SIZE_MAX : size + BUFFER_ALIGNMENT;
    if (!buffer) {
        diag_fail(diagnostics, (Location){0}, E_RUNTIME, "no memory for a buffer");
        return NULL;
    }
    if (!cuda_enter(cuda, diagnostics, "cannot allocate a buffer")) {
        free(buffer);
        return NULL;
    }
    CudaStatus status = cuda->driver.memory_alloc(&buffer->memory, room);
    if (!status) {
        status = cuda->driver.memory_set(buffer->memory, 0, room);
        if (status) cuda->driver.memory_free(buffer->memory);
    }
    cuda_leave(cuda);
    if (status) {
        cuda_fail(cuda, diagnostics, status, "cannot allocate a buffer of %zu bytes on %s", size, cuda->name);
        free(buffer);
        return NULL;
    }
    buffer->buffer.address = (buffer->memory + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT;
    buffer->buffer.size = size;
    buffer->buffer.next = cuda->buffers;
    cuda->buffers = &buffer->buffer;
    note_near(device, &buffer->buffer);
    return &buffer->buffer;
}

static void free_cuda(RtDevice *device, RtBuffer *buffer) {
    CudaDevice *cuda = cuda_device(device);
    RtBuffer **link = &cuda->buffers;
    while (*link != buffer) link = &(*link)->next;
    *link = buffer->next;
    free_memory(cuda, ((CudaBuffer *)buffer)->memory);
    free(buffer);
}

static bool copy_in(RtDevice *device, Diagnostics *diagnostics, RtBuffer *buffer, size_t offset, const void *bytes,
                    size_t size) {
    CudaDevice *cuda = cuda_device(device);
    if (!cuda_enter(cuda, diagnostics, "cannot copy to a buffer")) return false;
    CudaStatus status = cuda->driver.copy_in(buffer->address + offset, bytes, size);
    cuda_leave(cuda);
    return !status || cuda_fail(cuda, diagnostics, status, "cannot copy %zu bytes to a buffer of %s", size, cuda->name);
}

static bool copy_out(RtDevice *device, Diagnostics *diagnostics, const RtBuffer *buffer, size_t offset, void *bytes,
                     size_t size) {
    CudaDevice *cuda = cuda_device(device);
    if (!cuda_enter(cuda, diagnostics, "cannot copy from a buffer")) return false;
    CudaStatus status = cuda->driver.copy_out(bytes, buffer->address + offset, size);
    cuda_leave(cuda);
    return !status ||
           cuda_fail(cuda, diagnostics, status, "cannot copy %zu bytes from a buffer of %s", size, cuda->name);
}

static const RtDeviceKind cuda_kind = {
    .name = "cuda",
    .close = close_cuda,
    .alloc = alloc_cuda,
    .free = free_cuda,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .launch = cuda_launch,
};

RtDevice *rt_open_cuda(Diagnostics *diagnostics, const RtDeviceOptions *options) {
    RtDevice *device = rt_device_new(diagnostics, &cuda_kind, options->jobs);
    CudaDevice *cuda = device ? calloc(1, sizeof *cuda) : NULL;
    if (!cuda) {
        if (device) diag_fail(diagnostics, (Location){0}, E_RUNTIME, "no memory for a device");
        rt_close(device);
        return NULL;
    }
    device->own = cuda;
    device->print_bytes = options->print_bytes;
    if (cuda_driver_open(&cuda->driver, diagnostics) && choose_device(cuda, diagnostics, options->index) &&
        ask_device(cuda, diagnostics, options->index)) {
        CudaStatus status = cuda->driver.context_retain(&cuda->context, cuda->device);
        if (!status) return device;
        cuda->context = NULL;
        cuda_fail(cuda, diagnostics, status, "cannot use %s", cuda->name);
    }
    rt_close(device);
    return NULL;
}

const char *rt_gpu_name(const RtDevice *device) {
    return device->kind == &cuda_kind ? cuda_device(device)->gpu : NULL;
}

const char *rt_description(const RtDevice *device) {
    return device->kind == &cuda_kind ? cuda_device(device)->description : NULL;
}

void rt_unload(RtDevice *device, const void *image, size_t size) {
    CudaDevice *cuda = device->kind == &cuda_kind ? cuda_device(device) : NULL;
    if (!cuda || cuda->driver.context_push(cuda->context)) return;
    cuda_unload(cuda, image, size);
    cuda_leave(cuda);
}
