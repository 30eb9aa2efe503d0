// SPDX-License-Identifier: Apache-2.0
// A CUDA driver that runs on the host's memory, for tests: it checks how it is used, fails where it is told to, and
// runs C functions as kernels. Device addresses are host addresses plus FAKE_BASE, so that one is never taken for the
// other.
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
// The status that the next synchronization gives.
typedef CudaStatus FakeKernel(const FakeLaunch *launch);

typedef struct FakeCuda {
    // What the driver is: may be changed before it is opened.
    int device_count, capability, version, multiprocessors, shared_bytes_max;
    CudaStatus init_status;
    size_t memory_max; // of all allocations together
    // Call `fail_at` (1: the next after this is set) gives `fail_with`; 0: none does.
    unsigned fail_at;
    CudaStatus fail_with;
    // What happened: calls so far, and the first wrong use, NULL if there was none.
    unsigned calls;
    const char *misuse;
    // What is alive.
    unsigned allocations, modules, libraries, streams, retained;
    int pushed;       // contexts on the stack
    unsigned leaked;  // allocations and modules that were left to the last release of the context
    bool push_failed; // as told: what could not be freed then is left to that release
    size_t allocated;
    unsigned launches; // kernels that were launched
    FakeLaunch last;   // the last of them; pointers are no longer valid
    bool stopped;      // a kernel failed: everything fails from then on
    bool capturing;    // a stream is captured: calls that would end that are misuse
    int capture_mode;  // of the thread
} FakeCuda;

// Kernels may also come from the library $FAKE_CUDA_KERNELS, which has void fake_cuda_kernels(FakeCudaKernel *add).

// What the library exports beside the driver's functions.
typedef FakeCuda *FakeCudaState(void);                               // "fake_cuda"
typedef void FakeCudaKernel(const char *name, FakeKernel *function); // "fake_cuda_kernel": what runs as `name`
typedef void FakeCudaReset(void); // "fake_cuda_reset": frees what was left and begins anew

#endif
