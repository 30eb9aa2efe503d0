// SPDX-License-Identifier: Apache-2.0
// Makes cubins for tests: ELF files with the symbols of one kernel and no code.
#ifndef CONGRUENT_TEST_IMAGE_H
#define CONGRUENT_TEST_IMAGE_H

#include "tests/cuda/fake_cuda.h"

// What the image says about its kernel.
typedef struct ImageKernel {
    const char *name;
    uint64_t threads, shared_bytes, scratch_bytes, site_count;
    const char *sites;
    uint64_t print_count;
    const void *prints; // `prints_bytes` of them
    size_t prints_bytes;
    bool no_launch;      // lacks the variable GPU_LAUNCH_NAME
    size_t launch_bytes; // size of that variable; 0: the right one
    bool foreign;        // has none of these symbols, like a cubin of another compiler
} ImageKernel;

// The bytes of the file. The caller frees them.
Buffer image_make(const ImageKernel *kernel);

// The fake driver, which is opened once, after a reset.
typedef struct FakeDriver {
    FakeCuda *state;
    FakeCudaKernel *kernel;
} FakeDriver;
FakeDriver fake_driver(void);

#endif
