// SPDX-License-Identifier: Apache-2.0
// Launches of kernels of threads: the memory that only a launch has, the addresses in its parameters, and what the
// emulator warns of.
#include "diff/run.h"

#include <inttypes.h>
#include <string.h>

// ---- parameters -----------------------------------------------------------------------------------------------------

// Whether the compiled kernel has its parameters where the program has them.
static bool same_parameters(const FpdThreads *threads, const KernelInfo *kernel) {
    bool same = kernel->warp && kernel->parameter_bytes >= threads->parameter_bytes;
    for (uint32_t i = 0; i < kernel->parameter_count && same; i++)
        same = kernel->parameter_layout[i].offset == threads->offsets[i];
    return same;
}

// A buffer of the launch alone, of zeros.
static RtBuffer *open_own(FpdThreadLaunch *opened, Diagnostics *diagnostics, const FpdPlaced *placed, size_t size) {
    RtBuffer *memory = rt_alloc(opened->device, diagnostics, size);
    if (!memory) return NULL;
    memory->name =
        arena_format(&opened->arena, "%s of parameter %" PRIu32,
                     placed->kind == FPD_ARGUMENT_MAP ? "the map" : "the scratch memory", placed->parameter + 1);
    return opened->own[opened->own_count++] = memory;
}

static bool place_map(FpdThreadLaunch *opened, Diagnostics *diagnostics, const FpdPlaced *placed,
                      const RtBuffer *buffer, uint8_t *at) {
    uint8_t bytes[RT_MAP_BYTES];
    RtMap map = *placed->map;
    map.address = buffer->address + placed->begin;
    if (!rt_encode_map(diagnostics, placed->at, &map, bytes)) return false;
    if (!placed->by_address) {
        memcpy(at, bytes, sizeof bytes);
        return true;
    }
    RtBuffer *memory = open_own(opened, diagnostics, placed, sizeof bytes);
    if (!memory || !rt_copy_in(opened->device, diagnostics, memory, 0, bytes, sizeof bytes)) return false;
    memcpy(at, &memory->address, sizeof memory->address);
    return true;
}

static bool place(FpdThreadLaunch *opened, Diagnostics *diagnostics, const FpdPlaced *placed, RtBuffer *const *buffers,
                  uint8_t *at) {
    uint64_t address = 0;
    if (placed->kind == FPD_ARGUMENT_MAP) return place_map(opened, diagnostics, placed, buffers[placed->buffer], at);
    if (placed->kind == FPD_ARGUMENT_BUFFER) address = buffers[placed->buffer]->address + placed->begin;
    if (placed->kind == FPD_ARGUMENT_SCRATCH && placed->size) {
        const RtBuffer *memory = open_own(opened, diagnostics, placed, placed->size);
        if (!memory) return false;
        address = memory->address;
    }
    memcpy(at, &address, sizeof address);
    return true;
}

// The buffers of the case that the parameters point to, those that addresses in these lead to, and those of the launch.
static void collect_accessible(FpdThreadLaunch *opened, const FpdResolvedLaunch *resolved, RtBuffer *const *buffers) {
    const FpdThreads *threads = resolved->threads;
    const size_t most = 2 * (size_t)threads->placed_count + resolved->reached_count;
    RtBuffer **all = arena_array(&opened->arena, RtBuffer *, most + 1);
    uint32_t count = 0;
    for (uint32_t p = 0; p < threads->placed_count; p++)
        if (threads->placed[p].kind != FPD_ARGUMENT_SCRATCH) all[count++] = buffers[threads->placed[p].buffer];
    for (uint32_t i = 0; i < resolved->reached_count; i++) all[count++] = buffers[resolved->reached[i]];
    for (uint32_t i = 0; i < opened->own_count; i++) all[count++] = opened->own[i];
    opened->threads.buffers = all;
    opened->threads.buffer_count = count;
}

bool fpd_open_threads(FpdThreadLaunch *opened, Diagnostics *diagnostics, RtDevice *device,
                      const FpdResolvedLaunch *resolved, const KernelInfo *kernel, RtBuffer *const *buffers) {
    const FpdThreads *threads = resolved->threads;
    *opened = (FpdThreadLaunch){.device = device, .threads = threads->launch};
    if (!same_parameters(threads, kernel))
        return diag_fail(diagnostics, resolved->entry->at, E_RUNTIME,
                         "the compiled module lacks entry %s with the parameters that the file gives it",
                         resolved->entry->name);
    uint8_t *bytes = arena_alloc(&opened->arena, kernel->parameter_bytes + 1u);
    memcpy(bytes, threads->parameters, threads->parameter_bytes);
    opened->threads.parameters = bytes;
    opened->own = arena_array(&opened->arena, RtBuffer *, threads->placed_count + 1u);
    for (uint32_t p = 0; p < threads->placed_count; p++)
        if (!place(opened, diagnostics, &threads->placed[p], buffers, bytes + threads->placed[p].offset)) return false;
    collect_accessible(opened, resolved, buffers);
    return true;
}

void fpd_close_threads(FpdThreadLaunch *opened) {
    for (uint32_t i = 0; i < opened->own_count; i++) rt_free(opened->device, opened->own[i]);
    arena_reset(&opened->arena);
}

bool fpd_has_threads(const FpdPrograms *programs, uint32_t variant) {
    for (uint32_t i = 0; i < programs->cas->variants[variant].launch_count; i++)
        if (programs->launches[variant][i].threads) return true;
    return false;
}

// ---- warnings -------------------------------------------------------------------------------------------------------

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

// Whether two texts are the same but for their numbers.
static bool like_text(const char *a, const char *b) {
    static const char digits[] = "0123456789";
    for (;;) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a != *b || !*a) return *a == *b;
        a++, b++;
    }
}

bool fpd_same_warning(const FpdWarning *a, const FpdWarning *b) {
    return a->launch == b->launch && a->at.line == b->at.line && a->at.column == b->at.column &&
           same_text(a->at.file, b->at.file) && like_text(a->message, b->message);
}

// Without the label of the launch, which has the mode in it.
static const char *without_label(const char *message, const char *label) {
    const size_t length = strlen(label);
    return !strncmp(message, label, length) && !strncmp(message + length, ": ", 2) ? message + length + 2 : message;
}

void fpd_keep_warnings(Arena *arena, const char *label, uint32_t launch, const Diagnostics *found,
                       FpdWarnings *warnings) {
    for (size_t i = 0; i < found->count; i++) {
        const FpdWarning warning = {
            .launch = launch, .at = found->items[i].at, .message = without_label(found->items[i].message, label)};
        bool known = false;
        for (uint32_t k = 0; k < warnings->count; k++) known |= fpd_same_warning(&warnings->items[k], &warning);
        if (known) continue;
        warnings->items = arena_grow(arena, warnings->items, warnings->count, &warnings->capacity, sizeof warning);
        FpdWarning *kept = &warnings->items[warnings->count++];
        *kept = warning;
        kept->at = location_keep(arena, warning.at);
        kept->message = arena_keep(arena, warning.message);
    }
}

// ---- what nobody has written ----------------------------------------------------------------------------------------

static void keep_read(Arena *arena, const FpdUnwrittenRead *read, FpdUnwritten *reads) {
    for (uint32_t i = 0; i < reads->count; i++) {
        const FpdUnwrittenRead *known = &reads->items[i];
        if (known->by.launch == read->by.launch && !strcmp(known->what, read->what) &&
            known->by.by.at.line == read->by.by.at.line && !strcmp(known->by.by.op, read->by.by.op))
            return;
    }
    reads->items = arena_grow(arena, reads->items, reads->count, &reads->capacity, sizeof *read);
    FpdUnwrittenRead *kept = &reads->items[reads->count++];
    *kept = *read;
    kept->by.by.op = arena_keep(arena, read->by.by.op);
    kept->by.by.at = location_keep(arena, read->by.by.at);
}

static FpdUnwrittenRead read_at(const KernelInfo *kernel, const char *name, uint32_t index, uint32_t place,
                                const char *what) {
    const KernelPlace *at = place && place <= kernel->place_count ? &kernel->places[place - 1] : NULL;
    return (FpdUnwrittenRead){
        .by = {.by = {.op = at ? at->op : "", .at = at ? at->at : (Location){0}}, .launch = index, .kernel = name},
        .what = what};
}

void fpd_keep_unwritten(Arena *arena, const KernelInfo *kernel, const char *name, uint32_t index,
                        const RtUnwritten *found, FpdUnwritten *reads) {
    const FpdUnwrittenRead shared =
        read_at(kernel, name, index, found->shared, "shared memory that nobody has written");
    const FpdUnwrittenRead local = read_at(kernel, name, index, found->local, "local memory that nobody has written");
    if (found->shared) keep_read(arena, &shared, reads);
    if (found->local) keep_read(arena, &local, reads);
    for (uint32_t i = 0; i < kernel->unwritten_count; i++) {
        const KernelUnwritten *from = &kernel->unwritten[i];
        const FpdUnwrittenRead read = {
            .by = {.by = {.op = from->op, .at = from->at}, .launch = index, .kernel = name},
            .what = arena_format(arena, "%s, which is not written on every way there", from->what)};
        keep_read(arena, &read, reads);
    }
    if (reads->rounds < found->rounds) reads->rounds = found->rounds;
}

// ---- schedules ------------------------------------------------------------------------------------------------------

const FpdSchedule *fpd_compare_schedules(Arena *arena, const FpdCase *cas, const FpdRun *run) {
    const FpdRun *other = run->again[FPD_SECOND_schedule];
    FpdSchedule *schedule = NULL;
    for (uint32_t c = 0; other && c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        for (uint64_t i = 0; i < buffer->elements; i++) {
            if (fpd_element_bits(buffer->type, run->bytes[c], i) == fpd_element_bits(buffer->type, other->bytes[c], i))
                continue;
            if (!schedule) {
                schedule = arena_new(arena, FpdSchedule);
                *schedule = (FpdSchedule){.buffer = cas->compare[c], .first = i};
            }
            schedule->different++;
        }
    }
    return schedule;
}
