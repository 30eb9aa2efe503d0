// SPDX-License-Identifier: Apache-2.0
// A kernel with its buffers, compiled in one numeric, for the files that time the numeric `shadow`.
#include "bench/bench_shadow_internal.h"

#include <math.h>
#include <string.h>
#include <time.h>

static unsigned element_bytes(const ShadowArray *array) {
    return fpsan_format_info(array->format)->storage_bits / 8;
}

static size_t shadow_kernel_elements(const ShadowKernel *kernel, unsigned array) {
    const ShadowArray *a = &kernel->arrays[array];
    return (size_t)(a->columns * (a->rows ? a->rows : 1));
}

// An array is an address, its shape and its strides.
static bool add_array(ShadowKernel *kernel, unsigned index) {
    const ShadowArray *a = &kernel->arrays[index];
    size_t bytes = shadow_kernel_elements(kernel, index) * element_bytes(a);
    kernel->buffers[index] = rt_alloc(kernel->device, &kernel->bench->diagnostics, bytes);
    if (!kernel->buffers[index]) return false;
    RtArgument *at = kernel->arguments + kernel->argument_count;
    *at++ = (RtArgument){kernel->buffers[index]->address, kernel->buffers[index]};
    if (a->rows) *at++ = (RtArgument){a->rows, NULL};
    *at++ = (RtArgument){a->columns, NULL};
    if (a->rows) *at++ = (RtArgument){a->columns, NULL};
    *at++ = (RtArgument){1, NULL};
    kernel->argument_count = (unsigned)(at - kernel->arguments);
    return true;
}

bool shadow_kernel_open(ShadowKernel *kernel, const char *file, CompileNumeric numeric, const ShadowArray *arrays,
                        unsigned array_count) {
    Bench *bench = kernel->bench;
    CompileOptions options = {.numeric = numeric, .optimize = 2, .unspecified = COMPILE_NAN, .poison = true};
    options.instrumentation = (FpsanInstrumentation){numeric == COMPILE_PAYLOAD, fpsan_default_algebra()};
    kernel->program = program_read(&bench->diagnostics, arena_format(&kernel->arena, "%s/%s", BENCH_DIR, file));
    if (!kernel->program) return false;
    double start = bench_seconds();
    kernel->compiled = compiler_load(bench->machine.compiler, &bench->diagnostics, kernel->program, &options);
    kernel->compile_seconds = bench_seconds() - start;
    if (!kernel->compiled) return false;
    kernel->kernel = &kernel->compiled->kernels[0];
    memcpy(kernel->arrays, arrays, array_count * sizeof *arrays);
    kernel->array_count = array_count;
    for (unsigned i = 0; i < array_count; i++)
        if (!add_array(kernel, i)) return false;
    if (kernel->argument_count != kernel->kernel->parameter_count)
        return diag_fail(&bench->diagnostics, (Location){.file = file}, E_ARGUMENT,
                         "expected an entry of %u parameters, found %u", kernel->argument_count,
                         kernel->kernel->parameter_count);
    return true;
}

void shadow_kernel_close(ShadowKernel *kernel) {
    for (unsigned i = 0; i < SHADOW_BUFFERS_MAX; i++)
        if (kernel->buffers[i]) rt_free(kernel->device, kernel->buffers[i]);
    compiled_module_close(kernel->bench->machine.compiler, kernel->compiled);
    program_close(kernel->program);
    arena_reset(&kernel->arena);
}

static uint64_t hash_index(uint64_t seed, uint64_t index) {
    uint64_t h = (seed << 32 ^ index) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
    return h ^ h >> 32;
}

void shadow_kernel_fill(ShadowKernel *kernel, unsigned array, uint64_t seed, double low, double high) {
    const ShadowArray *a = &kernel->arrays[array];
    size_t count = shadow_kernel_elements(kernel, array), bytes = element_bytes(a);
    uint8_t *values = arena_alloc(&kernel->arena, count * bytes);
    for (size_t i = 0; i < count; i++) {
        double unit = ldexp((double)(hash_index(seed, i) >> 11), -53);
        uint64_t bits = fpsan_encode_nearest(a->format, low + unit * (high - low));
        memcpy(values + i * bytes, &bits, bytes); // little endian
    }
    rt_copy_in(kernel->device, &kernel->bench->diagnostics, kernel->buffers[array], 0, values, count * bytes);
}

void shadow_kernel_record(ShadowKernel *kernel, unsigned array, uint64_t seed) {
    const Tower *t = tower_chain(0);
    unsigned bytes = element_bytes(&kernel->arrays[array]);
    for (size_t i = 0; i < shadow_kernel_elements(kernel, array); i++) {
        HostRecord record = {0};
        for (unsigned c = 0; c < TOWER_LENGTH; c++)
            record.component[c] = (uint32_t)(hash_index(seed + c, i) % t->prime[c].p);
        rt_put_record(kernel->device, kernel->buffers[array], i * bytes, bytes, &record);
    }
}

TowerPayload shadow_kernel_payload(const ShadowKernel *kernel, unsigned array, size_t index) {
    const ShadowArray *a = &kernel->arrays[array];
    HostRecord record;
    TowerPayload payload;
    if (rt_get_record(kernel->device, kernel->buffers[array], index * element_bytes(a), element_bytes(a), &record)) {
        memcpy(payload.component, record.component, sizeof payload.component);
        payload.state = record.state & ~HOST_RECORD_VALID;
        return payload;
    }
    uint64_t bits = 0;
    rt_copy_out(kernel->device, &kernel->bench->diagnostics, kernel->buffers[array], index * element_bytes(a), &bits,
                element_bytes(a));
    return tower_embed(tower_chain(0), a->format, bits);
}

// Of the processors: where others use them too, a long run is interrupted and a short one is not, and their ratio would
// be that of the load.
static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool shadow_kernel_run(ShadowKernel *kernel, uint32_t grid_x, uint32_t grid_y, double *seconds) {
    uint32_t grid[3] = {grid_x, grid_y, 1};
    double start = processor_seconds();
    bool good = rt_launch(kernel->device, &kernel->bench->diagnostics,
                          &(RtLaunch){.label = kernel->kernel->name,
                                      .kernel = kernel->kernel,
                                      .grid = {grid[0], grid[1], grid[2]},
                                      .arguments = kernel->arguments});
    *seconds = processor_seconds() - start;
    return good;
}
