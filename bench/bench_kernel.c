// SPDX-License-Identifier: Apache-2.0
// One kernel of bench_kernel_rows.c: compiled in both arithmetics, with its arrays, run and checked.
#include "bench/bench_kernel_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t scale(const Bench *bench, uint64_t length) {
    uint64_t scaled = length * (uint64_t)bench->size / 1024;
    return scaled ? scaled : 1;
}

// An array is an address, its shape and its strides.
static bool add_array(BenchKernel *kernel, unsigned index) {
    const KernelArray *array = &kernel->row->arrays[index];
    uint64_t *shape = kernel->inputs.shapes[index], elements = 1, strides[3];
    for (unsigned d = 0; d < array->rank; d++)
        shape[d] = d || !array->scaled ? array->shape[d] : scale(kernel->bench, array->shape[d]);
    for (unsigned d = array->rank; d-- > 0; elements *= shape[d]) strides[d] = elements;
    RtBuffer *buffer = rt_alloc(kernel->owner, &kernel->bench->diagnostics, elements * sizeof(float));
    if (!buffer) return false;
    kernel->buffers[index] = buffer;
    kernel->inputs.arrays[index] = (const float *)(uintptr_t)buffer->address; // of this host
    RtArgument *at = kernel->arguments + kernel->argument_count;
    *at++ = (RtArgument){buffer->address, buffer};
    for (unsigned d = 0; d < array->rank; d++) *at++ = (RtArgument){shape[d], NULL};
    for (unsigned d = 0; d < array->rank; d++) *at++ = (RtArgument){strides[d], NULL};
    kernel->argument_count = (unsigned)(at - kernel->arguments);
    kernel->elements = elements;
    kernel->bytes += buffer->size;
    return true;
}

// Numbers by a hash of the index, the same again after some of them; zeros in the result. All memory is then touched.
static void fill_array(BenchKernel *kernel, unsigned index) {
    enum { DIFFERENT = 1 << 20 };
    const KernelArray *array = &kernel->row->arrays[index];
    Arena arena = {0};
    float *some = arena_array(&arena, float, DIFFERENT);
    for (uint64_t i = 0; i < DIFFERENT; i++) {
        uint64_t hash = (i + 1) * 0x9E3779B97F4A7C15u + index * 0xC2B2AE3D27D4EB4Fu;
        hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u;
        some[i] = (float)(array->low + ldexp((double)(hash >> 40), -24) * (array->high - array->low));
    }
    const size_t size = kernel->buffers[index]->size, chunk = DIFFERENT * sizeof *some;
    for (size_t at = 0; at < size; at += chunk)
        rt_copy_in(kernel->owner, &kernel->bench->diagnostics, kernel->buffers[index], at, some,
                   size - at < chunk ? size - at : chunk);
    arena_reset(&arena);
}

static bool compile(BenchKernel *kernel, unsigned numeric) {
    Bench *bench = kernel->bench;
    CompileOptions options = {.numeric = numeric == KERNEL_PAYLOAD ? COMPILE_PAYLOAD : COMPILE_IEEE, .optimize = 3};
    options.instrumentation = (FpsanInstrumentation){numeric == KERNEL_PAYLOAD, fpsan_default_algebra()};
    kernel->compiled[numeric] = compiler_load(bench->machine.compiler, &bench->diagnostics, kernel->program, &options);
    if (!kernel->compiled[numeric]) return false;
    kernel->kernels[numeric] = &kernel->compiled[numeric]->kernels[0];
    return true;
}

bool bench_kernel_open(BenchKernel *kernel, Bench *bench, const KernelRow *row, RtDevice *owner) {
    *kernel = (BenchKernel){.bench = bench, .row = row, .owner = owner, .inputs = {.row = row}};
    const char *path = arena_format(&kernel->arena, "%s/%s.tileirbc", BENCH_DIR, row->file);
    kernel->program = program_read(&bench->diagnostics, path);
    if (!kernel->program) return false;
    for (unsigned n = 0; n < KERNEL_NUMERICS; n++)
        if (!compile(kernel, n)) return false;
    for (unsigned i = 0; i < row->array_count; i++) {
        if (!add_array(kernel, i)) return false;
        fill_array(kernel, i);
    }
    for (unsigned i = 0; i < row->scalar_count; i++)
        kernel->arguments[kernel->argument_count++].bits = fpsan_encode_nearest(FPSAN_F32, row->scalars[i]);
    if (kernel->argument_count != kernel->kernels[0]->parameter_count)
        return diag_fail(&bench->diagnostics, (Location){.file = path}, E_ARGUMENT,
                         "expected an entry of %u parameters, found %u", kernel->argument_count,
                         kernel->kernels[0]->parameter_count);
    for (unsigned d = 0; d < 2; d++)
        kernel->grid[d] = d == row->scaled_grid ? (uint32_t)scale(bench, row->grid[d]) : row->grid[d];
    kernel->grid[2] = 1;
    return true;
}

void bench_kernel_close(BenchKernel *kernel) {
    for (unsigned i = 0; i < KERNEL_ARRAYS_MAX; i++)
        if (kernel->buffers[i]) rt_free(kernel->owner, kernel->buffers[i]);
    for (unsigned n = 0; n < KERNEL_NUMERICS; n++)
        compiled_module_close(kernel->bench->machine.compiler, kernel->compiled[n]);
    program_close(kernel->program);
    arena_reset(&kernel->arena);
}

bool bench_kernel_run(BenchKernel *kernel, unsigned numeric, RtDevice *device, BenchTime *time) {
    BenchTime start = bench_now();
    bool good = rt_launch(device, &kernel->bench->diagnostics,
                          &(RtLaunch){.label = kernel->row->label,
                                      .kernel = kernel->kernels[numeric],
                                      .name = kernel->row->file,
                                      .grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
                                      .arguments = kernel->arguments});
    BenchTime end = bench_now();
    *time = (BenchTime){end.wall - start.wall, end.processor - start.processor};
    return good;
}

bool bench_kernel_check(BenchKernel *kernel, unsigned numeric) {
    enum { CHECKS = 24 };
    const float *result = kernel->inputs.arrays[kernel->row->array_count - 1];
    for (uint64_t c = 0; c < CHECKS; c++) {
        uint64_t index = c * 0x9E3779B97F4A7C15u % kernel->elements;
        CheckValue expected = kernel->row->check(&kernel->inputs, index);
        double bound = 1e-5 * (fabs(expected.value) + kernel->row->magnitude);
        uint32_t bits;
        memcpy(&bits, &result[index], sizeof bits); // a payload may look like a NaN
        uint64_t payload = fpsan_embed(fpsan_default_algebra().profile, FPSAN_F32, bits);
        bool good =
            numeric == KERNEL_IEEE ? fabs(result[index] - expected.value) <= bound : payload == expected.payload;
        if (!good)
            return diag_fail(&kernel->bench->diagnostics, (Location){.file = kernel->row->file}, E_RUNTIME,
                             "%s: element %llu is wrong in %s arithmetic", kernel->row->label,
                             (unsigned long long)index, numeric == KERNEL_IEEE ? "IEEE" : "payload");
    }
    return true;
}
