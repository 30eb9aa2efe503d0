// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of mutants through the runtime, with scratch that ends at an unmapped page and bytes around the
// buffers that must stay as they are.
#include "tests/robustness/robustness.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRID_MAX = 3, AROUND = 0x5A, FILLED_MAX = 1 << 22 };

// ---- scratch --------------------------------------------------------------------------------------------------------

// The runtime calls this entry; it goes on to the kernel's with other scratch. One thread runs all blocks; but where
// blocks wait for each other there are more, which keep the scratch that they have.
static HostEntry *guarded_kernel;
static _Thread_local void *guarded_memory;

static uint32_t guarded_entry(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                              HostFault *fault) {
    return guarded_kernel(launch, guarded_memory ? guarded_memory : scratch, x, y, z, fault);
}

// At least `size` bytes between unmapped pages, the last of them, but for rounding to 64, before such a page.
static void *guarded_scratch(Pipeline *pipeline, size_t size, uint8_t fill) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped = (size + page) / page * page;
    if (pipeline->guarded_size < mapped) {
        if (pipeline->guarded) munmap(pipeline->guarded, pipeline->guarded_size + 2 * page);
        pipeline->guarded =
            mmap(NULL, mapped + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pipeline->guarded == MAP_FAILED) pipeline->guarded = NULL;
        pipeline->guarded_size = pipeline->guarded ? mapped : 0;
        if (!pipeline->guarded || mprotect(pipeline->guarded + page, mapped, PROT_READ | PROT_WRITE)) return NULL;
    }
    uint8_t *end = pipeline->guarded + page + pipeline->guarded_size, *begin = end - (size + 63) / 64 * 64;
    memset(begin, fill, size < FILLED_MAX ? size : FILLED_MAX);
    return begin;
}

// ---- arguments ------------------------------------------------------------------------------------------------------

typedef struct Arguments {
    RtArgument items[RUN_BUFFERS_MAX];
    RtBuffer *buffers[RUN_BUFFERS_MAX];
    uint32_t buffer_count;
} Arguments;

// What lies around a buffer in its own pages.
static void each_byte_around(const RtBuffer *buffer, void (*visit)(uint8_t *from, uint8_t *to, void *data),
                             void *data) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = buffer->address, end = begin + buffer->size;
    visit((uint8_t *)(begin / page * page), (uint8_t *)begin, data);
    visit((uint8_t *)end, (uint8_t *)((buffer->size ? (end + page - 1) / page : begin / page + 1) * page), data);
}

static void paint(uint8_t *from, uint8_t *to, void *data) {
    (void)data;
    memset(from, AROUND, (size_t)(to - from));
}

static void check_paint(uint8_t *from, uint8_t *to, void *data) {
    for (; from < to; from++)
        if (*from != AROUND) *(bool *)data = false;
}

static RtBuffer *add_buffer(Pipeline *pipeline, Arguments *arguments, size_t size, const uint8_t *bytes) {
    Diagnostics diagnostics = {0};
    RtBuffer *buffer = rt_alloc(pipeline->device, &diagnostics, size);
    diagnostics_close(&diagnostics);
    if (!buffer) return NULL;
    arguments->buffers[arguments->buffer_count++] = buffer;
    if (bytes)
        rt_copy_in(pipeline->device, &diagnostics, buffer, 0, bytes, size);
    else
        for (size_t i = 0; i < size; i++) ((uint8_t *)(uintptr_t)buffer->address)[i] = (uint8_t)(i * 37 + 1);
    each_byte_around(buffer, paint, NULL);
    return buffer;
}

static bool made_up_argument(Pipeline *pipeline, Arguments *arguments, const ProgramParameter *parameter,
                             uint32_t index) {
    static const size_t sizes[] = {4096, 65536, 1021, 64, 3, 0, 262144};
    static const uint64_t numbers[] = {16, 64, 1, 128, 0, UINT64_MAX, 3, UINT64_C(1) << 31, INT64_MAX};
    uint64_t roll = pipeline->progress->number + index;
    RtArgument *argument = &arguments->items[index];
    if (parameter->pointer) {
        argument->buffer = add_buffer(pipeline, arguments, sizes[roll % 3 ? roll % 2 : roll % BASE_COUNT(sizes)], NULL);
        if (!argument->buffer) return false;
        argument->bits = argument->buffer->address;
        return true;
    }
    unsigned bits = parameter->type < ELEMENT_TYPE_COUNT ? element_info(parameter->type)->bits : 64;
    argument->bits = numbers[roll % 4 ? roll % 4 : roll / 4 % BASE_COUNT(numbers)];
    if (bits < 64) argument->bits &= (UINT64_C(1) << bits) - 1;
    return true;
}

static bool make_arguments(Pipeline *pipeline, const CorpusFile *file, const ProgramKernel *entry,
                           const KernelInfo *kernel, Arguments *arguments) {
    const CorpusLaunch *launch = file->launch;
    *arguments = (Arguments){0};
    if (kernel->parameter_count + kernel->global_count > RUN_BUFFERS_MAX / 2) return false;
    Random random = {pipeline->progress->number};
    uint64_t shorter = random_below(&random, 2) ? random_below(&random, launch ? launch->buffer_count : 0) : UINT64_MAX;
    for (uint32_t b = 0; launch && b < launch->buffer_count && b < RUN_BUFFERS_MAX / 2; b++) {
        size_t size = launch->buffers[b].size, less = b == shorter ? 1 + random_below(&random, 80) : 0;
        if (!add_buffer(pipeline, arguments, size > less ? size - less : 0, launch->buffers[b].bytes)) return false;
    }
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        bool pointer = entry->parameters[i].pointer;
        const CorpusArgument *given = launch && i < launch->argument_count ? &launch->arguments[i] : NULL;
        if (!given || given->pointer != pointer) {
            if (!made_up_argument(pipeline, arguments, &entry->parameters[i], i)) return false;
        } else if (pointer) {
            RtBuffer *buffer = arguments->buffers[given->buffer];
            arguments->items[i] = (RtArgument){buffer->address, buffer};
        } else {
            arguments->items[i].bits = given->bits;
        }
    }
    for (uint32_t g = 0; g < kernel->global_count; g++) {
        RtBuffer *buffer = add_buffer(pipeline, arguments, 64, NULL);
        if (!buffer) return false;
        arguments->items[kernel->parameter_count + g] = (RtArgument){buffer->address, buffer};
    }
    return true;
}

// ---- runs -----------------------------------------------------------------------------------------------------------

static void launch_kernel(Pipeline *pipeline, const CorpusFile *file, const KernelInfo *kernel,
                          const Arguments *arguments, RunResult *result) {
    Diagnostics diagnostics = {0};
    KernelInfo launched = *kernel;
    if (!kernel->has_locals) launched.entry = guarded_entry; // else scratch may have to be where records can be
    uint32_t grid[3] = {1, 1, 1};
    for (int i = 0; file->launch && i < 3; i++)
        grid[i] = file->launch->grid[i] < GRID_MAX ? file->launch->grid[i] : GRID_MAX;
    bool good = rt_launch(pipeline->device, &diagnostics,
                          &(RtLaunch){.label = "mutant",
                                      .kernel = &launched,
                                      .grid = {grid[0], grid[1], grid[2]},
                                      .arguments = arguments->items});
    result->ran = true;
    if (good != !diagnostics.count)
        pipeline_defect(pipeline, "a launch %s with %zu messages", good ? "ends well" : "fails", diagnostics.count);
    if (!good && diagnostics.count) snprintf(result->fault, sizeof result->fault, "%s", diagnostics.items[0].message);
    diagnostics_close(&diagnostics);
}

// Without the bits that they belong to, which may be a NaN's.
static void collect_records(Pipeline *pipeline, const RtBuffer *buffer, RunResult *result) {
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++)
        for (size_t at = 0; buffer->widths >> k & 1 && at + ((size_t)1 << k) <= buffer->size; at += (size_t)1 << k) {
            HostRecord record;
            if (!rt_get_record(pipeline->device, buffer, at, 1u << k, &record)) continue;
            record.low = record.high = (uint32_t)at;
            buffer_append(&result->records, &record, sizeof record);
        }
}

static void collect_memory(Pipeline *pipeline, const Arguments *arguments, RunResult *result) {
    for (uint32_t b = 0; b < arguments->buffer_count; b++) {
        const RtBuffer *buffer = arguments->buffers[b];
        bool intact = true;
        each_byte_around(buffer, check_paint, &intact);
        if (!intact) pipeline_defect(pipeline, "the kernel wrote beside a buffer of %zu bytes", buffer->size);
        buffer_append(&result->memory, (const void *)(uintptr_t)buffer->address, buffer->size);
        collect_records(pipeline, buffer, result);
    }
}

void run_kernel(Pipeline *pipeline, const CorpusFile *file, const ProgramKernel *entry, const KernelInfo *kernel,
                uint8_t fill, RunResult *result) {
    Arguments arguments;
    *result = (RunResult){0};
    guarded_kernel = kernel->entry;
    guarded_memory = guarded_scratch(pipeline, kernel->scratch_bytes, fill);
    if (make_arguments(pipeline, file, entry, kernel, &arguments) && guarded_memory) {
        launch_kernel(pipeline, file, kernel, &arguments, result);
        collect_memory(pipeline, &arguments, result);
    }
    for (uint32_t b = 0; b < arguments.buffer_count; b++) rt_free(pipeline->device, arguments.buffers[b]);
}

// NaNs may differ in sign and payload. What a made-up buffer holds is not known: bytes count as part of a NaN if any
// float type would have one there.
static bool is_nan_16(const uint8_t *at) {
    uint16_t bits;
    memcpy(&bits, at, 2);
    return (bits & 0x7c00) == 0x7c00 || (bits & 0x7f80) == 0x7f80;
}

static bool may_be_nan(const uint8_t *bytes, size_t size, size_t at) {
    for (size_t from = at & ~(size_t)7; from < (at | 7) && from + 1 < size; from++)
        if (is_nan_16(bytes + from)) return true;
    return (bytes[at] & 0x7f) == 0x7f || (bytes[at] & 0x7c) == 0x7c; // f8
}

bool run_same(const RunResult *a, const RunResult *b, bool exact) {
    if (a->ran != b->ran || strcmp(a->fault, b->fault) || a->memory.size != b->memory.size) return false;
    if (a->records.size != b->records.size) return false;
    if (a->records.size && memcmp(a->records.data, b->records.data, a->records.size)) return false;
    const uint8_t *x = (const uint8_t *)a->memory.data, *y = (const uint8_t *)b->memory.data;
    for (size_t i = 0; i < a->memory.size; i++)
        if (x[i] != y[i] && (exact || !may_be_nan(x, a->memory.size, i) || !may_be_nan(y, a->memory.size, i)))
            return false;
    return true;
}
