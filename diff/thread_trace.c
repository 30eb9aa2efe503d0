// SPDX-License-Identifier: Apache-2.0
// Who stored the elements that kernels of threads leave in compared buffers, and what their PTX may have lost.
#include "diff/run.h"

#include <string.h>

FpdTrace *fpd_open_trace(Arena *arena, const FpdCase *cas, RtBuffer *const *buffers) {
    FpdTrace *trace = arena_new(arena, FpdTrace);
    *trace = (FpdTrace){.arena = arena, .writers = arena_array(arena, RtWriters, cas->compare_count + 1u)};
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        const uint64_t bytes = buffer->elements ? buffer->bytes / buffer->elements : 0;
        RtWriters *writers = &trace->writers[c];
        *writers = (RtWriters){.address = buffers[cas->compare[c]]->address,
                               .bytes = buffer->bytes,
                               .element = bytes ? (uint32_t)bytes : 1};
        writers->places = arena_array(arena, uint32_t, buffer->bytes / writers->element + 1);
        trace->writer_count++;
    }
    return trace;
}

void fpd_trace_clear(FpdTrace *trace) {
    for (uint32_t c = 0; c < trace->writer_count; c++)
        memset(trace->writers[c].places, 0,
               trace->writers[c].bytes / trace->writers[c].element * sizeof *trace->writers[c].places);
}

void fpd_trace_begin(FpdTrace *trace) {
    fpd_trace_clear(trace);
    trace->base = 0;
    trace->store_count = trace->loss_count = trace->launch_count = 0;
}

static void keep_losses(FpdTrace *trace, const KernelInfo *kernel, const char *name, uint32_t launch) {
    for (uint32_t i = 0; i < kernel->loss_count; i++) {
        const KernelLoss *loss = &kernel->losses[i];
        trace->losses =
            arena_grow(trace->arena, trace->losses, trace->loss_count, &trace->loss_capacity, sizeof *trace->losses);
        trace->losses[trace->loss_count++] = (FpdLoss){.launch = launch,
                                                       .kernel = name,
                                                       .kind = loss->kind,
                                                       .op = arena_keep(trace->arena, loss->op),
                                                       .at = location_keep(trace->arena, loss->at)};
    }
}

void fpd_trace_launch(FpdTrace *trace, const KernelInfo *kernel, const char *name, uint32_t launch,
                      RtThreads *threads) {
    trace->launches = arena_grow(trace->arena, trace->launches, trace->launch_count, &trace->launch_capacity,
                                 sizeof *trace->launches);
    trace->launches[trace->launch_count++] =
        (FpdTraceLaunch){kernel, arena_keep(trace->arena, name), launch, trace->base};
    threads->writers = trace->writers;
    threads->writer_count = trace->writer_count;
    threads->writer_base = trace->base;
    trace->base += kernel->place_count + 1;
    keep_losses(trace, kernel, trace->launches[trace->launch_count - 1].name, launch);
}

// The number of the store of a place, which is kept.
static uint32_t keep_store(FpdTrace *trace, uint32_t place) {
    uint32_t i = trace->launch_count - 1;
    while (trace->launches[i].base >= place) i--;
    const FpdTraceLaunch *launch = &trace->launches[i];
    const KernelPlace *from = &launch->kernel->places[place - launch->base - 1];
    trace->stores =
        arena_grow(trace->arena, trace->stores, trace->store_count, &trace->store_capacity, sizeof *trace->stores);
    trace->stores[trace->store_count++] = (FpdTraced){
        .store = {.by = {.op = arena_keep(trace->arena, from->op), .at = location_keep(trace->arena, from->at)},
                  .launch = launch->launch,
                  .kernel = launch->name},
        .losses = from->losses};
    return (uint32_t)trace->store_count;
}

void fpd_trace_end(FpdTrace *trace) {
    Arena scratch = {0};
    uint32_t *numbers = arena_array(&scratch, uint32_t, trace->base + 1u);
    for (uint32_t c = 0; c < trace->writer_count; c++) {
        const RtWriters *writers = &trace->writers[c];
        for (uint64_t e = 0; e < writers->bytes / writers->element; e++) {
            const uint32_t place = writers->places[e];
            if (place && !numbers[place]) numbers[place] = keep_store(trace, place);
            writers->places[e] = numbers[place];
        }
    }
    arena_reset(&scratch);
}

const FpdTraced *fpd_traced(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index) {
    if (!run->trace) return NULL;
    const FpdBuffer *buffer = &cas->buffers[cas->compare[compared]];
    const RtWriters *writers = &run->trace->writers[compared];
    const uint32_t store = writers->places[index * buffer->bytes / buffer->elements / writers->element];
    return store ? &run->trace->stores[store - 1] : NULL;
}

// Kinds of losses (bits by KernelLossKind) that the run's kernels have.
static uint32_t lost_kinds(const FpdRun *run) {
    uint32_t kinds = 0;
    for (size_t i = 0; run->trace && i < run->trace->loss_count; i++) kinds |= 1u << run->trace->losses[i].kind;
    return kinds;
}

uint32_t fpd_told_losses(const FpdRun *run, const FpdRun *other, bool diverged) {
    const uint32_t others = lost_kinds(other);
    uint32_t kinds = lost_kinds(run);
    for (uint32_t kind = 0; kind < KERNEL_LOSS_KINDS; kind++) {
        const KernelLossTold told = kernel_loss_info((KernelLossKind)kind)->told;
        if (told == KERNEL_LOSS_TOLD_ALWAYS) continue;
        if (!diverged || (told == KERNEL_LOSS_TOLD_ALONE && others >> kind & 1)) kinds &= ~(1u << kind);
    }
    return kinds;
}
