// SPDX-License-Identifier: Apache-2.0
// A CUDA driver for tests, which uses the host's memory. It checks how it is used, fails where it is told to, and runs
// C functions as kernels. Device addresses are host addresses plus FAKE_BASE, so that neither is taken for the other.
#ifndef CONGRUENT_FAKE_CUDA_H
#define CONGRUENT_FAKE_CUDA_H

#include "base/gpu_abi.h"
#include "runtime/cuda_driver.h"

#define FAKE_BASE    (UINT64_C(1) << 60)
#define FAKE_LIBRARY "libcuda.so.1"

static inline void *fake_at(uint64_t address) {
    return (void *)(uintptr_t)(address - FAKE_BASE);
}

// One launch, as a kernel sees it.
typedef struct FakeLaunch {
    const char *kernel;
    uint32_t grid[3], block[3], shared_bytes;
    void **parameters;
    GpuLaunch *launch; // the module's variable; NULL: it has none
} FakeLaunch;
// A C function that runs as kernel. Its result is the status of the next synchronization.
typedef CudaStatus FakeKernel(const FakeLaunch *launch);

typedef struct FakeCuda {
    // Properties of the driver and its GPU. A test may change them before the driver is opened.
    int device_count, capability, version, multiprocessors, shared_bytes_max;
    CudaStatus init_status;
    size_t memory_max; // of all allocations together
    // Which call fails with `fail_with`: 1 is the next call after this is set; 0: none fails.
    unsigned fail_at;
    CudaStatus fail_with;
    unsigned calls;     // so far
    const char *misuse; // the first wrong use of the driver; NULL: there was none
    // How many of these exist.
    unsigned allocations, modules, libraries, streams, retained;
    int pushed;        // contexts on the stack
    unsigned leaked;   // allocations and modules that were left to the last release of the context
    bool push_failed;  // a push failed as told, so that leaving something to that release is no mistake
    size_t allocated;  // bytes
    unsigned launches; // kernels that were launched
    FakeLaunch last;   // the last of them; its pointers are no longer valid
    bool stopped;      // a kernel failed: everything fails from then on
    bool capturing;    // a stream is captured: calls that would end the capture are misuse
    int capture_mode;  // of the thread
} FakeCuda;

// Kernels may also come from the library $FAKE_CUDA_KERNELS, which has void fake_cuda_kernels(FakeCudaKernel *add).

// What the library exports beside the driver's functions.
typedef FakeCuda *FakeCudaState(void);                               // "fake_cuda"
typedef void FakeCudaKernel(const char *name, FakeKernel *function); // "fake_cuda_kernel": `function` runs as `name`
typedef void FakeCudaReset(void);                                    // "fake_cuda_reset": frees all and begins anew

#endif
