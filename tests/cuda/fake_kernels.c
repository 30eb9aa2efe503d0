// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.mlir and native.ptx, as the fake driver runs them. The former check addresses as the real ones
// do.
#include "tests/cuda/fake_cuda.h"

#include <string.h>
#include <unistd.h>

// A copy by each block of the float of its number; from an address outside the range the block fails.
static void copy_floats(const FakeLaunch *launch, uint64_t from, HostRange allowed, uint64_t to) {
    GpuFault *fault = fake_at(launch->launch->fault);
    for (uint32_t block = 0; block < launch->grid[0]; block++) {
        const uint64_t address = from + 4ull * block;
        if (address < allowed.begin || address + 4 > allowed.end) {
            *fault = (GpuFault){.site = 1, .block = block, .fault = {.address = address}};
            return;
        }
        memcpy(fake_at(to + 4ull * block), fake_at(address), 4);
    }
}

static CudaStatus copy(const FakeLaunch *launch) {
    const HostRange *ranges = fake_at(launch->launch->argument_ranges);
    copy_floats(launch, *(uint64_t *)launch->parameters[0], ranges[0], *(uint64_t *)launch->parameters[1]);
    return 0;
}

static CudaStatus look_up(const FakeLaunch *launch) {
    const HostRange *globals = fake_at(launch->launch->globals);
    copy_floats(launch, globals[0].begin, globals[0], *(uint64_t *)launch->parameters[0]);
    return 0;
}

// A record of the next bytes.
static uint8_t *take_record(GpuPrints *prints, uint64_t block, uint64_t form, uint64_t size) {
    uint8_t *at = (uint8_t *)prints + GPU_PRINT_ALIGNMENT + prints->used;
    memcpy(at, &(GpuPrintRecord){block, form, size}, sizeof(GpuPrintRecord));
    prints->used += size;
    return at;
}

// The last block comes first.
static CudaStatus show(const FakeLaunch *launch) {
    GpuPrints *prints = fake_at(launch->launch->prints);
    for (uint32_t block = launch->grid[0]; block-- > 0;) {
        uint8_t *at = take_record(prints, block, 1, 3 * GPU_PRINT_ALIGNMENT);
        memcpy(at + GPU_PRINT_ALIGNMENT, &block, sizeof block);
        memcpy(at + 2 * GPU_PRINT_ALIGNMENT, (uint16_t[]){0, 1, 2, 3}, 4 * sizeof(uint16_t));
        take_record(prints, block, 2, GPU_PRINT_ALIGNMENT);
    }
    return 0;
}

// ---- native.ptx: a copy of a float by each thread, with a mistake at element 5

enum { MISTAKE_AT = 5, LAUNCH_FAILED = 719 };

// `first`: the parameter that is the first address. `flip`: bits of the element that are wrong.
static CudaStatus copy_native(const FakeLaunch *launch, unsigned first, uint32_t flip) {
    uint64_t addresses[2];
    uint32_t wrong;
    for (unsigned i = 0; i < 2; i++) memcpy(&addresses[i], launch->parameters[first + i], sizeof addresses[i]);
    memcpy(fake_at(addresses[1]), fake_at(addresses[0]), 4ull * launch->grid[0] * launch->block[0]);
    uint8_t *element = (uint8_t *)fake_at(addresses[1]) + 4 * MISTAKE_AT;
    memcpy(&wrong, element, sizeof wrong);
    wrong ^= flip;
    memcpy(element, &wrong, sizeof wrong);
    return 0;
}

static CudaStatus native_same(const FakeLaunch *launch) {
    return copy_native(launch, 0, 0);
}

static CudaStatus native_near(const FakeLaunch *launch) {
    return copy_native(launch, 0, 3);
}

static CudaStatus native_differs(const FakeLaunch *launch) {
    return copy_native(launch, 0, 1 << 22);
}

static CudaStatus native_shared(const FakeLaunch *launch) {
    return launch->shared_bytes == 60000 ? copy_native(launch, 0, 0) : LAUNCH_FAILED;
}

// The fake driver's map begins with the array's address.
static CudaStatus native_map(const FakeLaunch *launch) {
    return memcmp(launch->parameters[0], launch->parameters[1], 8) ? LAUNCH_FAILED : copy_native(launch, 1, 0);
}

static CudaStatus native_failed(const FakeLaunch *launch) {
    (void)launch;
    return LAUNCH_FAILED;
}

static CudaStatus native_hung(const FakeLaunch *launch) {
    (void)launch;
    for (;;) pause();
    return 0;
}

__attribute__((visibility("default"))) void fake_cuda_kernels(FakeCudaKernel *add);
void fake_cuda_kernels(FakeCudaKernel *add) {
    add("copy", copy);
    add("look_up", look_up);
    add("show", show);
    add("native_same", native_same);
    add("native_nans", native_near);
    add("native_near", native_near);
    add("native_differs", native_differs);
    add("native_shared", native_shared);
    add("native_map", native_map);
    add("native_failed", native_failed);
    add("native_hung", native_hung);
}
