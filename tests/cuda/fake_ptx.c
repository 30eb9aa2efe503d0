// SPDX-License-Identifier: Apache-2.0
// The part of the fake CUDA driver that only tests/gpu/native_gpu.c calls: modules of PTX, tensor maps.
#include "tests/cuda/fake_internal.h"

#include <stdio.h>
#include <string.h>

enum { INVALID_PTX = 218, NO_COMPILER = 221, ERROR_LOG = 5, ERROR_LOG_BYTES = 6, MAP_ALIGNMENT = 64, RANK_MAX = 5 };

// A text says in a comment what becomes of it, if not what is usual.
EXPORT CudaStatus cuModuleLoadDataEx(CudaHandle *module, const void *image, unsigned count, const int *options,
                                     void **values);
CudaStatus cuModuleLoadDataEx(CudaHandle *module, const void *image, unsigned count, const int *options,
                              void **values) {
    BEGIN("cuModuleLoadDataEx", true);
    if (count != 2 || options[0] != ERROR_LOG || options[1] != ERROR_LOG_BYTES)
        return fake_misuse(INVALID_VALUE, "cuModuleLoadDataEx with other options than a log of errors");
    if (strstr(image, "it has no compiler")) return NO_COMPILER;
    if (!strstr(image, "refused by ptxas")) return fake_load_text((Module **)module, image);
    snprintf(values[0], (size_t)(uintptr_t)values[1], "line 1;\nrefused");
    return INVALID_PTX;
}

// What the driver makes of it is not documented; here it is the address.
EXPORT CudaStatus cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dimension,
                                         const uint64_t *stride, const uint32_t *box, const uint32_t *element_stride,
                                         int interleave, int swizzle, int promotion, int fill);
CudaStatus cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dimension,
                                  const uint64_t *stride, const uint32_t *box, const uint32_t *element_stride,
                                  int interleave, int swizzle, int promotion, int fill) {
    BEGIN("cuTensorMapEncodeTiled", true);
    if ((uintptr_t)map % MAP_ALIGNMENT || type < 0 || rank < 1 || rank > RANK_MAX || (uintptr_t)address % 16 ||
        interleave || swizzle > 3 || promotion || fill > 1 || !fake_find_allocation((uintptr_t)address, 1))
        return fake_misuse(INVALID_VALUE, "cuTensorMapEncodeTiled");
    for (uint32_t d = 0; d < rank; d++)
        if (!dimension[d] || !box[d] || box[d] > 256 || element_stride[d] != 1 || (d && stride[d - 1] % 16))
            return fake_misuse(INVALID_VALUE, "cuTensorMapEncodeTiled, dimension %u", d);
    memset(map, 0, 128);
    memcpy(map, &address, sizeof address);
    return CUDA_SUCCESS;
}
