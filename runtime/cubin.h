// SPDX-License-Identifier: Apache-2.0
// Reading cubins, which are ELF files: what they say about their kernels (base/gpu_abi.h).
#ifndef CONGRUENT_CUBIN_H
#define CONGRUENT_CUBIN_H

#include "runtime/rt.h"

// The size in bytes of the cubin that begins at `image`, by its own headers, which are believed: for images that are
// good and whose size nobody gave. 0 if it is no cubin.
size_t cubin_extent(const void *image);

// The constant KERNEL_what of a kernel. False if there is none.
bool cubin_constant(const void *image, size_t size, const char *kernel, const char *what, uint64_t *value);
// Fills in image, symbol, threads, shared_bytes, scratch_bytes, sites and prints of the kernel with that symbol. Texts
// and arrays are in the arena or the image. False and E_RUNTIME if the cubin does not say these or
// is damaged; it need not have prints.
bool cubin_kernel(Diagnostics *diagnostics, Arena *arena, const void *image, size_t size, const char *symbol,
                  KernelInfo *kernel);
// Calls `each` with the name of every function in the image, until it returns false.
void cubin_functions(const void *image, size_t size, bool (*each)(void *data, const char *name), void *data);

#endif
