// SPDX-License-Identifier: Apache-2.0
// Shared by the files of devices of kind cuda: the device, its loaded cubins, its buffers.
#ifndef CONGRUENT_CUDA_H
#define CONGRUENT_CUDA_H

#include "runtime/cuda_driver.h"
#include "runtime/runtime_internal.h"

#include <xxhash.h>

// Memory on the GPU that is kept from launch to launch and grows (cuda_memory_need).
typedef struct CudaMemory {
    uint64_t address; // 0: none
    size_t size;
} CudaMemory;

typedef struct CudaFunction {
    char *symbol;
    CudaHandle handle;
    size_t shared_bytes; // how much dynamic shared memory it may be launched with
    struct CudaFunction *next;
} CudaFunction;

// A loaded cubin.
typedef struct CudaModule {
    XXH128_hash_t hash; // of its bytes
    size_t size;
    CudaHandle handle;
    uint64_t launch; // its variable GPU_LAUNCH_NAME; 0: it has none
    CudaFunction *functions;
    struct CudaModule *next;
} CudaModule;

typedef struct CudaBuffer {
    RtBuffer buffer; // first, so that callers have a pointer to it; its `next` leads to the next buffer
    uint64_t memory; // the address that the driver allocated
} CudaBuffer;

typedef struct CudaDevice { // RtDevice.own
    CudaDriver driver;
    int device;
    CudaHandle context; // NULL: not open
    char name[128], gpu[16], description[192];
    int multiprocessors, grid_max[3], shared_bytes_max;
    RtBuffer *buffers;
    CudaModule *modules;
    CudaMemory launch_data, scratch, prints;
    Arena arena;
    const char *stopped; // label of the launch since which the driver refuses to go on; NULL: none
} CudaDevice;

// ---- cuda_device.c

static inline CudaDevice *cuda_device(const RtDevice *device) {
    return device->own;
}
// Makes the device's context current, until cuda_leave. False and a diagnostic that begins with `what` on failure.
bool cuda_enter(CudaDevice *cuda, Diagnostics *diagnostics, const char *what);
void cuda_leave(CudaDevice *cuda);
// Records "WHAT: CUDA_ERROR_..." as a diagnostic; `format` makes WHAT. Always false.
bool cuda_fail(CudaDevice *cuda, Diagnostics *diagnostics, CudaStatus status, const char *format, ...)
    BASE_PRINTF(4, 5);
// Makes the memory at least `size` bytes large; if it grows, its contents are lost. Where that fails it has none.
CudaStatus cuda_memory_need(CudaDevice *cuda, CudaMemory *memory, size_t size);

// ---- cuda_module.c: cubins and their kernels, each loaded once

// The module and the function of the launch's kernel, which may then be launched with the dynamic shared memory that
// it needs. They belong to the device, until the cubin is unloaded. False and E_RUNTIME on failure.
bool cuda_find_function(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch, CudaModule **module,
                        CudaFunction **function);
void cuda_unload(CudaDevice *cuda, const void *image, size_t size);
void cuda_unload_all(CudaDevice *cuda);

// ---- cuda_launch.c

// RtDeviceKind.launch.
bool cuda_launch(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch, RtFault *fault);

#endif
