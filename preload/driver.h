// SPDX-License-Identifier: Apache-2.0
// The parts of the CUDA driver's interface that the preload library replaces or calls.
#ifndef CONGRUENT_PRELOAD_DRIVER_H
#define CONGRUENT_PRELOAD_DRIVER_H

#include "runtime/cuda_driver.h"

typedef struct LaunchConfig { // CUlaunchConfig
    unsigned grid[3], block[3], shared_bytes;
    CudaHandle stream;
    void *attributes;
    unsigned attribute_count;
} LaunchConfig;

typedef struct KernelNode { // CUDA_KERNEL_NODE_PARAMS_v2
    CudaHandle function;    // NULL: `kernel` is launched
    unsigned grid[3], block[3], shared_bytes;
    void **parameters, **extra;
    CudaHandle kernel, context; // context NULL: the current one
} KernelNode;

enum { CUDA_NOT_SUPPORTED = 801, CUDA_STREAM_NON_BLOCKING = 1, CUDA_CAPTURE_RELAXED = 2, CUDA_PER_THREAD_STREAM = 2 };

// The driver's own functions: those that the library replaces, and those that it only calls.
typedef struct PreloadDriver {
#define REPLACED(name, asked, symbol, least, ours, parameters) CudaStatus(*name) parameters;
#define USED(name, symbol, parameters)                         CudaStatus(*name) parameters;
#include "preload/functions.def"
#undef REPLACED
#undef USED
} PreloadDriver;

#endif
