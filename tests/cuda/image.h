// SPDX-License-Identifier: Apache-2.0
// Makes what tests take for cubins: ELF files with the symbols of one kernel and no code.
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
    size_t launch_bytes; // of it; 0: as it must be
    bool foreign;        // says nothing of all this: made by others
} ImageKernel;

// The bytes of the file, to be freed.
Buffer image_make(const ImageKernel *kernel);

// The fake driver, opened once and begun anew.
typedef struct FakeDriver {
    FakeCuda *state;
    FakeCudaKernel *kernel;
} FakeDriver;
FakeDriver fake_driver(void);

#endif
