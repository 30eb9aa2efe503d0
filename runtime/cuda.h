// SPDX-License-Identifier: Apache-2.0
// What the files of devices of kind cuda share.
#ifndef CONGRUENT_CUDA_H
#define CONGRUENT_CUDA_H

#include "runtime/cuda_driver.h"
#include "runtime/runtime_internal.h"

#include <xxhash.h>

// Memory of the device that is kept from launch to launch, and grows.
typedef struct CudaMemory {
    uint64_t address; // 0: none
    size_t size;
} CudaMemory;

typedef struct CudaFunction {
    char *symbol;
    CudaHandle handle;
    size_t shared_bytes; // dynamic shared memory that it may be launched with
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
    RtBuffer buffer; // first: what callers have; the list goes through its `next`
    uint64_t memory; // what was allocated
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
    const char *stopped; // the launch after which the driver refuses to go on; NULL: none
} CudaDevice;

// ---- cuda_device.c

static inline CudaDevice *cuda_device(const RtDevice *device) {
    return device->own;
}
// Between these the context is current. False and a diagnostic that begins with `what` if it cannot be.
bool cuda_enter(CudaDevice *cuda, Diagnostics *diagnostics, const char *what);
void cuda_leave(CudaDevice *cuda);
// "WHAT: CUDA_ERROR_..."; always false.
bool cuda_fail(CudaDevice *cuda, Diagnostics *diagnostics, CudaStatus status, const char *format, ...)
    BASE_PRINTF(4, 5);
// At least `size` bytes, contents lost; else the status, and nothing is left of what it was.
CudaStatus cuda_memory_need(CudaDevice *cuda, CudaMemory *memory, size_t size);

// ---- cuda_module.c: cubins and their kernels, each loaded once

// The kernel's module and function, with as much dynamic shared memory as it needs. False and E_RUNTIME.
bool cuda_find_function(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch, CudaModule **module,
                        CudaFunction **function);
void cuda_unload(CudaDevice *cuda, const void *image, size_t size);
void cuda_unload_all(CudaDevice *cuda);

// ---- cuda_launch.c

// RtDeviceKind.launch.
bool cuda_launch(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch, RtFault *fault);

#endif
