// SPDX-License-Identifier: Apache-2.0
// What a cubin says about its kernels (base/gpu_abi.h), read from the ELF file that it is.
#ifndef CONGRUENT_CUBIN_H
#define CONGRUENT_CUBIN_H

#include "runtime/rt.h"

// Bytes of the ELF file that begins here, as its headers tell; 0 if it is none of a GPU. For images of unknown size
// that are good.
size_t cubin_extent(const void *image);

// The constant KERNEL_what. False: there is none.
bool cubin_constant(const void *image, size_t size, const char *kernel, const char *what, uint64_t *value);
// Fills image, symbol, threads, shared_bytes, scratch_bytes, sites and prints of a kernel; texts and arrays are in the
// arena or the image.
// False and E_RUNTIME where the cubin does not say.
bool cubin_kernel(Diagnostics *diagnostics, Arena *arena, const void *image, size_t size, const char *symbol,
                  KernelInfo *kernel);
// Calls `each` with the names of all functions of the image until it says false.
void cubin_functions(const void *image, size_t size, bool (*each)(void *data, const char *name), void *data);

#endif
