// SPDX-License-Identifier: Apache-2.0
// The part of the fake CUDA driver that only the preload library, and those that it is for, call.
#include "tests/cuda/fake_internal.h"

#include <string.h>

EXPORT CudaStatus cuLaunchKernelEx(const LaunchConfig *config, CudaHandle handle, void **parameters, void **extra);
CudaStatus cuLaunchKernelEx(const LaunchConfig *config, CudaHandle handle, void **parameters, void **extra) {
    BEGIN("cuLaunchKernelEx", true);
    return fake_launch(fake_function(handle), config->grid, config->block, config->shared_bytes, parameters, extra);
}

// A node is launched as soon as it is there.
EXPORT CudaStatus cuGraphAddKernelNode_v2(CudaHandle *node, CudaHandle graph, const CudaHandle *before, size_t count,
                                          const KernelNode *kernel);
CudaStatus cuGraphAddKernelNode_v2(CudaHandle *node, CudaHandle graph, const CudaHandle *before, size_t count,
                                   const KernelNode *kernel) {
    BEGIN("cuGraphAddKernelNode", true);
    (void)graph, (void)before, (void)count;
    *node = NULL;
    return fake_launch(fake_function(kernel->function ? kernel->function : kernel->kernel), kernel->grid, kernel->block,
                       kernel->shared_bytes, kernel->parameters, kernel->extra);
}

EXPORT CudaStatus cuLibraryLoadData(CudaHandle *library, const void *code, void *a, void *b, unsigned c, void *d,
                                    void *e, unsigned f);
CudaStatus cuLibraryLoadData(CudaHandle *library, const void *code, void *a, void *b, unsigned c, void *d, void *e,
                             unsigned f) {
    BEGIN("cuLibraryLoadData", false);
    if (a || b || c || d || e || f) return fake_misuse(INVALID_VALUE, "cuLibraryLoadData with options");
    return fake_load((Module **)library, code, true);
}

EXPORT CudaStatus cuLibraryUnload(CudaHandle library);
CudaStatus cuLibraryUnload(CudaHandle library) {
    Module *module = fake_find_module(library, true);
    if (!module) return fake_misuse(INVALID_HANDLE, "cuLibraryUnload of what is no library");
    CudaStatus status = fake_begin("cuLibraryUnload", false);
    fake_unload(module);
    return status;
}

EXPORT CudaStatus cuLibraryGetKernel(CudaHandle *kernel, CudaHandle library, const char *name);
CudaStatus cuLibraryGetKernel(CudaHandle *kernel, CudaHandle library, const char *name) {
    BEGIN("cuLibraryGetKernel", false);
    Module *module = fake_find_module(library, true);
    return module ? fake_find_function(kernel, module, name)
                  : fake_misuse(INVALID_HANDLE, "cuLibraryGetKernel of what is no library");
}

EXPORT CudaStatus cuLibraryGetGlobal(uint64_t *address, size_t *size, CudaHandle library, const char *name);
CudaStatus cuLibraryGetGlobal(uint64_t *address, size_t *size, CudaHandle library, const char *name) {
    BEGIN("cuLibraryGetGlobal", true);
    Module *module = fake_find_module(library, true);
    return module ? fake_find_variable(address, size, module, name)
                  : fake_misuse(INVALID_HANDLE, "cuLibraryGetGlobal of what is no library");
}

EXPORT CudaStatus cuKernelGetFunction(CudaHandle *function, CudaHandle kernel);
CudaStatus cuKernelGetFunction(CudaHandle *function, CudaHandle kernel) {
    BEGIN("cuKernelGetFunction", true);
    Function *found = fake_function(kernel);
    if (!found) return fake_misuse(INVALID_HANDLE, "cuKernelGetFunction of what is no kernel");
    *function = (uint8_t *)found + 1; // another handle
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuKernelSetAttribute(int attribute, int value, CudaHandle kernel, int device);
CudaStatus cuKernelSetAttribute(int attribute, int value, CudaHandle kernel, int device) {
    BEGIN("cuKernelSetAttribute", false);
    Function *function = fake_function(kernel);
    if (!function || !fake_is_device(device) || attribute != CUDA_FUNCTION_DYNAMIC_SHARED_BYTES || value < 0 ||
        value > fake_cuda()->shared_bytes_max)
        return fake_misuse(INVALID_VALUE, "cuKernelSetAttribute %d to %d", attribute, value);
    function->shared_bytes = value;
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuCtxGetCurrent(CudaHandle *context);
CudaStatus cuCtxGetCurrent(CudaHandle *context) {
    BEGIN("cuCtxGetCurrent", false);
    *context = fake_cuda()->pushed > 0 ? fake_context() : NULL;
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuCtxGetDevice(int *device);
CudaStatus cuCtxGetDevice(int *device) {
    BEGIN("cuCtxGetDevice", true);
    *device = FAKE_DEVICE;
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuStreamCreate(CudaHandle *stream, unsigned flags);
CudaStatus cuStreamCreate(CudaHandle *stream, unsigned flags) {
    BEGIN("cuStreamCreate", true);
    if (flags != CUDA_STREAM_NON_BLOCKING) return fake_misuse(INVALID_VALUE, "cuStreamCreate with flags %u", flags);
    fake_cuda()->streams++;
    *stream = &fake_cuda()->streams;
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuStreamSynchronize(CudaHandle stream);
CudaStatus cuStreamSynchronize(CudaHandle stream) {
    BEGIN("cuStreamSynchronize", true);
    return stream == &fake_cuda()->streams ? CUDA_SUCCESS : fake_misuse(INVALID_HANDLE, "cuStreamSynchronize");
}

EXPORT CudaStatus cuStreamDestroy_v2(CudaHandle stream);
CudaStatus cuStreamDestroy_v2(CudaHandle stream) {
    if (stream != &fake_cuda()->streams || !fake_cuda()->streams) return fake_misuse(INVALID_HANDLE, "cuStreamDestroy");
    fake_cuda()->streams--;
    return fake_begin("cuStreamDestroy", true);
}

EXPORT CudaStatus cuMemsetD8Async(uint64_t address, unsigned char value, size_t size, CudaHandle stream);
CudaStatus cuMemsetD8Async(uint64_t address, unsigned char value, size_t size, CudaHandle stream) {
    BEGIN("cuMemsetD8Async", true);
    if (stream != &fake_cuda()->streams || !fake_find_allocation(address, size))
        return fake_misuse(INVALID_VALUE, "cuMemsetD8Async outside an allocation");
    memset(fake_at(address), value, size);
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, CudaHandle stream);
CudaStatus cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, CudaHandle stream) {
    BEGIN("cuMemcpyHtoDAsync", true);
    if (stream != &fake_cuda()->streams || !fake_find_allocation(to, size))
        return fake_misuse(INVALID_VALUE, "cuMemcpyHtoDAsync outside an allocation");
    memcpy(fake_at(to), from, size);
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuThreadExchangeStreamCaptureMode(int *mode);
CudaStatus cuThreadExchangeStreamCaptureMode(int *mode) {
    BEGIN("cuThreadExchangeStreamCaptureMode", false);
    const int before = fake_cuda()->capture_mode;
    fake_cuda()->capture_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);
EXPORT CudaStatus cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *result);

static CudaStatus get_address(const char *symbol, void **function, int version) {
    static const struct {
        const char *symbol;
        int least;
        void *function;
    } rows[] = {
        {"cuGetProcAddress", 0, (void *)cuGetProcAddress},
        {"cuGetProcAddress", 12000, (void *)cuGetProcAddress_v2},
        {"cuInit", 0, (void *)cuInit},
        {"cuDeviceGet", 0, (void *)cuDeviceGet},
        {"cuDevicePrimaryCtxRetain", 0, (void *)cuDevicePrimaryCtxRetain},
        {"cuDevicePrimaryCtxRelease", 0, (void *)cuDevicePrimaryCtxRelease_v2},
        {"cuCtxPushCurrent", 0, (void *)cuCtxPushCurrent_v2},
        {"cuCtxPopCurrent", 0, (void *)cuCtxPopCurrent_v2},
        {"cuCtxSynchronize", 0, (void *)cuCtxSynchronize},
        {"cuKernelSetAttribute", 12000, (void *)cuKernelSetAttribute},
        {"cuLibraryLoadData", 12000, (void *)cuLibraryLoadData},
        {"cuLibraryUnload", 12000, (void *)cuLibraryUnload},
        {"cuLibraryGetKernel", 12000, (void *)cuLibraryGetKernel},
        {"cuKernelGetFunction", 12000, (void *)cuKernelGetFunction},
        {"cuLaunchKernel", 0, (void *)cuLaunchKernel},
        {"cuLaunchKernelEx", 11060, (void *)cuLaunchKernelEx},
        {"cuGraphAddKernelNode", 12000, (void *)cuGraphAddKernelNode_v2},
    };
    *function = NULL;
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (!strcmp(rows[i].symbol, symbol) && version >= rows[i].least) *function = rows[i].function;
    return *function ? CUDA_SUCCESS : CUDA_NOT_FOUND;
}

CudaStatus cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
    BEGIN("cuGetProcAddress", false);
    (void)flags;
    return get_address(symbol, function, version);
}

CudaStatus cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *result) {
    BEGIN("cuGetProcAddress", false);
    (void)flags;
    CudaStatus status = get_address(symbol, function, version);
    if (result) *result = status ? 1 : 0;
    return status;
}
