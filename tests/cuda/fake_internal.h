// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the fake driver.
#ifndef CONGRUENT_FAKE_INTERNAL_H
#define CONGRUENT_FAKE_INTERNAL_H

#include "preload/driver.h"
#include "tests/cuda/fake_cuda.h"

#define EXPORT __attribute__((visibility("default")))
enum { FAKE_DEVICE = 7 };
enum { INVALID_VALUE = 1, INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, INVALID_HANDLE = 400 };

typedef struct Allocation Allocation;
typedef struct Module Module;
typedef struct Function {
    char *name;
    int shared_bytes;
    Module *module;
    struct Function *next;
} Function;

EXPORT FakeCuda *fake_cuda(void);
CudaHandle fake_context(void);

// Notes a wrong use, if it is the first, and returns the status.
CudaStatus fake_misuse(CudaStatus status, const char *format, ...) BASE_PRINTF(2, 3);
// Each function of the driver calls it first, and returns its result if that is not 0.
CudaStatus fake_begin(const char *name, bool in_context);
#define BEGIN(name, in_context)                                                                                        \
    do {                                                                                                               \
        CudaStatus status_ = fake_begin(name, in_context);                                                             \
        if (status_) return status_;                                                                                   \
    } while (0)

bool fake_is_device(int device);
Allocation *fake_find_allocation(uint64_t address, size_t size);
CudaStatus fake_load(Module **loaded, const void *image, bool is_library);
CudaStatus fake_load_text(Module **loaded, const char *text); // PTX
Module *fake_find_module(CudaHandle handle, bool is_library);
void fake_unload(Module *module);
CudaStatus fake_find_variable(uint64_t *address, size_t *size, Module *module, const char *name);
CudaStatus fake_find_function(CudaHandle *function, Module *module, const char *name);
// The function with that handle, or with the handle of a kernel that cuKernelGetFunction has given.
Function *fake_function(CudaHandle handle);
// A launch, for cuLaunchKernel and its variants.
CudaStatus fake_launch(Function *function, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
                       void **parameters, void **extra);

// Functions of the driver that both files name.
EXPORT CudaStatus cuInit(unsigned flags);
EXPORT CudaStatus cuDeviceGet(int *device, int index);
EXPORT CudaStatus cuDevicePrimaryCtxRetain(CudaHandle *context, int device);
EXPORT CudaStatus cuDevicePrimaryCtxRelease_v2(int device);
EXPORT CudaStatus cuCtxPushCurrent_v2(CudaHandle context);
EXPORT CudaStatus cuCtxPopCurrent_v2(CudaHandle *context);
EXPORT CudaStatus cuCtxSynchronize(void);
EXPORT CudaStatus cuLaunchKernel(CudaHandle handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                 unsigned block_y, unsigned block_z, unsigned shared_bytes, CudaHandle stream,
                                 void **parameters, void **extra);

#endif
