// SPDX-License-Identifier: Apache-2.0
// Calls the kernel of scale.py, compiled by `tileiras scale.tileirbc -o scale.o`, without any library of congruent.
#include "base/host_abi.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The symbol that cuTile made for kernel and parameter types; the constants have its name and an ending.
#define SYMBOL "scale_Kt1_A1f32_1t1_p16_A1f32_1t1_p16_Sf32_Sf32"
extern HostEntry scale __asm__(SYMBOL);
extern const uint64_t scale_scratch_bytes __asm__(SYMBOL "_scratch_bytes");
extern const uint64_t scale_site_count __asm__(SYMBOL "_site_count");
extern const char scale_sites[] __asm__(SYMBOL "_sites");

enum { COUNT = 200, TILE = 64 };

static uint64_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static HostRange range_of(const void *begin, size_t size) {
    return (HostRange){(uint64_t)(uintptr_t)begin, (uint64_t)(uintptr_t)begin + size};
}

static void print_site(uint32_t number) {
    const char *line = scale_sites;
    for (; number; number--) line = strchr(line, '\n') + 1;
    printf("%.*s\n", (int)strcspn(line, "\n"), line);
}

// y = factor * x + offset for `count` elements, said to be in buffers of COUNT. Status 0 or 1 + the number of the site
// that failed.
static uint32_t run_scale(const float *x, float *y, int32_t count, float factor, float offset, HostFault *fault) {
    // An array of rank 1 is three parameters: address, size, stride.
    const uint64_t arguments[] = {(uint64_t)(uintptr_t)x, (uint32_t)count,      1,
                                  (uint64_t)(uintptr_t)y, (uint32_t)count,      1,
                                  bits_of_float(factor),  bits_of_float(offset)};
    const HostRange x_range = range_of(x, COUNT * sizeof *x), y_range = range_of(y, COUNT * sizeof *y);
    const HostRange argument_ranges[8] = {[0] = x_range, [3] = y_range};
    const HostRange buffers[2] = {x_range.begin < y_range.begin ? x_range : y_range,
                                  x_range.begin < y_range.begin ? y_range : x_range};
    const HostLaunch launch = {.arguments = arguments,
                               .argument_ranges = argument_ranges,
                               .buffers = buffers,
                               .buffer_count = 2,
                               .grid = {(uint32_t)(count + TILE - 1) / TILE, 1, 1}};
    void *scratch = aligned_alloc(64, (scale_scratch_bytes + 63) / 64 * 64 + 64);
    uint32_t status = 0;
    for (uint32_t block = 0; scratch && !status && block < launch.grid[0]; block++)
        status = scale(&launch, scratch, block, 0, 0, fault);
    free(scratch);
    return status;
}

int main(void) {
    static _Alignas(64) float x[COUNT], y[COUNT];
    HostFault fault = {0};
    for (int i = 0; i < COUNT; i++) x[i] = (float)i;
    uint32_t status = run_scale(x, y, COUNT, 2.0f, 0.5f, &fault);
    printf("status %u, y[0] = %g, y[1] = %g, y[%d] = %g\n", status, y[0], y[1], COUNT - 1, y[COUNT - 1]);
    status = run_scale(x, y, COUNT + 1, 2.0f, 0.5f, &fault); // one element more than the buffers have
    printf("status %u of 0 to %" PRIu64 ", %" PRId64 " bytes wanted, %" PRId64 " there: ", status, scale_site_count,
           fault.found, fault.limit);
    if (status) print_site(status - 1);
    return y[1] != 2.5f || !status;
}
