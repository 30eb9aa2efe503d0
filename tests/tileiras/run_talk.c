// SPDX-License-Identifier: Apache-2.0
// Calls talk.mlir from its object file: with the object's own globals, which may be changed, with others, and without
// anybody to print for it.
#include "base/host_print.h"

#include <stdlib.h>

extern HostEntry talk;
extern const uint64_t talk_scratch_bytes;
extern float gain[2];

static void print_out(const HostLaunch *launch, uint32_t x, uint32_t y, uint32_t z, const HostPrint *print) {
    (void)launch, (void)x, (void)y, (void)z;
    host_print(stdout, print);
}

static HostRange range_of(const void *memory, uint64_t bytes) {
    return (HostRange){(uint64_t)(uintptr_t)memory, (uint64_t)(uintptr_t)memory + bytes};
}

int main(void) {
    float y = 0, other_gain[2] = {3, 4};
    int32_t other_calls = 100;
    void *scratch = aligned_alloc(64, (talk_scratch_bytes + 64) / 64 * 64);
    uint64_t argument = (uint64_t)(uintptr_t)&y;
    HostRange range = range_of(&y, sizeof y), globals[2] = {range_of(other_gain, 8), range_of(&other_calls, 4)};
    HostLaunch launch = {.arguments = &argument,
                         .argument_ranges = &range,
                         .buffers = &range,
                         .buffer_count = 1,
                         .grid = {2, 1, 1},
                         .print = print_out};
    HostFault fault;
    uint32_t failed = 0;
    for (uint32_t x = 0; x < 2; x++) failed |= talk(&launch, scratch, x, 0, 0, &fault);
    gain[1] = 7;
    failed |= talk(&launch, scratch, 0, 0, 0, &fault);
    launch.print = NULL;
    failed |= talk(&launch, scratch, 1, 0, 0, &fault);
    launch.print = print_out;
    launch.globals = globals;
    failed |= talk(&launch, scratch, 0, 0, 0, &fault);
    launch.globals = NULL;
    failed |= talk(&launch, scratch, 1, 0, 0, &fault);
    globals[0].end -= 4; // the kernel needs more
    launch.globals = globals;
    failed |= !talk(&launch, scratch, 0, 0, 0, &fault);
    printf("y = %.1f, %d\n", (double)y, (int)other_calls);
    free(scratch);
    return failed != 0;
}
