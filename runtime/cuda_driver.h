// SPDX-License-Identifier: Apache-2.0
// The CUDA driver, which is opened at run time: nothing of CUDA is needed to build. The numbers here are from cuda.h
// and never change, as the driver's binary interface is stable.
#ifndef CONGRUENT_CUDA_DRIVER_H
#define CONGRUENT_CUDA_DRIVER_H

#include "base/base.h"

#define CUDA_LIBRARY "libcuda.so.1"

typedef int CudaStatus;
typedef void *CudaHandle; // of a context, module, function or stream
enum { CUDA_SUCCESS = 0, CUDA_OUT_OF_MEMORY = 2, CUDA_NO_BINARY_FOR_GPU = 209, CUDA_NOT_FOUND = 500 };
enum { // attributes of devices
    CUDA_GRID_X_MAX = 5,
    CUDA_GRID_Y_MAX = 6,
    CUDA_GRID_Z_MAX = 7,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
    CUDA_SHARED_BYTES_MAX = 97, // of a block, on request
};
enum { CUDA_FUNCTION_DYNAMIC_SHARED_BYTES = 8 }; // attribute of functions
enum { CUDA_SHARED_BYTES_USUAL = 48 << 10 };     // of a block; more must be requested

typedef struct CudaDriver {
    void *library;
#define FUNCTION(name, symbol, parameters) CudaStatus(*name) parameters;
#include "runtime/cuda_functions.def"
#undef FUNCTION
} CudaDriver;

// Opens and initialises the driver. False and E_DEVICE, with the name of what is missing, on failure. It may be closed
// in any state.
bool cuda_driver_open(CudaDriver *driver, Diagnostics *diagnostics);
void cuda_driver_close(CudaDriver *driver);
// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)", in the arena.
const char *cuda_status_text(const CudaDriver *driver, Arena *arena, CudaStatus status);

#endif
