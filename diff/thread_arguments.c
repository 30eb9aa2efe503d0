// SPDX-License-Identifier: Apache-2.0
// Launches of kernels of threads: how many threads a block has, and the arguments laid out as the kernel's parameters.
// A parameter is bytes of which the file says size and alignment, and of some the type; what a launch gives must have
// that size, and the type where there is one.
#include "diff/programs.h"

#include <string.h>

enum { DEPTH_MAX = 64 }; // threads of a block in the third dimension
enum { ADDRESS_BYTES = 8, MAP_TRIAL_ADDRESS = 1 << 16, BUFFER_ALIGNMENT = 64 };

typedef struct ThreadMatcher {
    Diagnostics *diagnostics;
    Arena *arena;
    const FpdCase *cas;
    const FpdLaunch *launch;
    const ProgramKernel *kernel;
    const char *name; // of the kernel
    FpdThreads *threads;
    size_t capacity;    // of `placed`
    uint32_t parameter; // the one that is matched
} ThreadMatcher;

#define unfit(m, at, ...) diag_fail((m)->diagnostics, (at), E_ARGUMENT, __VA_ARGS__)

// ---- threads, clusters, shared memory

static const char *sizes_text(Arena *arena, const uint32_t sizes[3]) {
    return arena_format(arena, "%u x %u x %u", sizes[0], sizes[1], sizes[2]);
}

static uint64_t product(const uint32_t sizes[3]) {
    return (uint64_t)sizes[0] * sizes[1] * sizes[2];
}

// What the kernel requires, or what the launch says; neither: sizes of 0.
static bool choose_sizes(ThreadMatcher *m, const uint32_t required[3], const uint32_t said[3], Location at,
                         const char *what, uint32_t sizes[3]) {
    const bool same = !memcmp(required, said, 3 * sizeof *said);
    memcpy(sizes, required[0] ? required : said, 3 * sizeof *sizes);
    return !required[0] || !said[0] || same ||
           unfit(m, at, "%s is %s, kernel %s requires %s", what, sizes_text(m->arena, said), m->name,
                 sizes_text(m->arena, required));
}

static bool choose_block(ThreadMatcher *m) {
    const ProgramThreads *threads = m->kernel->threads;
    const FpdLaunch *launch = m->launch;
    uint32_t *block = m->threads->launch.block;
    const uint32_t most = threads->most && threads->most < WARP_THREADS_MAX ? threads->most : WARP_THREADS_MAX;
    const Location at = launch->block[0] ? launch->block_at : launch->module_at;
    if (!choose_sizes(m, threads->required, launch->block, launch->block_at, "block", block)) return false;
    if (!block[0])
        return unfit(m, launch->at, "kernel %s does not require a number of threads, so its launch needs the key block",
                     m->name);
    if (block[2] > DEPTH_MAX)
        return unfit(m, at, "block is %s, its last number is at most %d", sizes_text(m->arena, block), DEPTH_MAX);
    if (block[0] > WARP_THREADS_MAX || block[1] > WARP_THREADS_MAX) // more than a product of 64 bits can say
        return unfit(m, at, "block is %s, each of its numbers is at most %d", sizes_text(m->arena, block),
                     WARP_THREADS_MAX);
    return product(block) <= most ||
           unfit(m, at, "block is %s: %llu threads, kernel %s allows %u", sizes_text(m->arena, block),
                 (unsigned long long)product(block), m->name, most);
}

static bool choose_cluster(ThreadMatcher *m) {
    const ProgramThreads *threads = m->kernel->threads;
    const FpdLaunch *launch = m->launch;
    const Location at = launch->cluster[0] ? launch->cluster_at : launch->module_at;
    uint32_t *cluster = m->threads->launch.cluster;
    if (!choose_sizes(m, threads->required_cluster, launch->cluster, at, "cluster", cluster)) return false;
    if (!cluster[0] && threads->explicit_cluster)
        return unfit(m, launch->at, "kernel %s is for clusters of any size, so its launch needs the key cluster",
                     m->name);
    for (int d = 0; d < 3; d++) {
        if (!cluster[d]) cluster[d] = 1;
        if (launch->grid[d] % cluster[d])
            return unfit(m, at, "a grid of %s blocks is not divided by clusters of %s",
                         sizes_text(m->arena, launch->grid), sizes_text(m->arena, cluster));
    }
    return product(cluster) == 1 ||
           diag_fail(m->diagnostics, at, E_UNSUPPORTED,
                     "kernel %s runs in clusters of %s blocks; only clusters of one block can be run", m->name,
                     sizes_text(m->arena, cluster));
}

static bool choose_shared(ThreadMatcher *m) {
    const ProgramThreads *threads = m->kernel->threads;
    const FpdLaunch *launch = m->launch;
    const uint64_t bytes = (uint64_t)threads->static_shared + launch->shared;
    m->threads->launch.shared_bytes = launch->shared;
    if (threads->dynamic_shared && !launch->shared_given)
        return unfit(m, launch->at,
                     "kernel %s uses dynamic shared memory, so its launch needs the key shared, in bytes", m->name);
    return !threads->shared_max || bytes <= threads->shared_max ||
           unfit(
               m, launch->shared_given ? launch->shared_at : launch->module_at,
               "%u bytes of dynamic shared memory and %u of the kernel's own are more than the %u that blocks have on "
               "the target of the module",
               launch->shared, threads->static_shared, threads->shared_max);
}

// ---- layout: sizes and alignments as in C

typedef struct Layout {
    uint64_t size, alignment;
} Layout;

static uint64_t align_up(uint64_t offset, uint64_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

static uint32_t value_bytes(const FpdArgument *argument) {
    return element_info(argument->type)->storage_bits / 8;
}

// Of fields of structs. A size of 0: it has none by itself.
static Layout layout_of(const FpdArgument *argument) {
    Layout whole = {0, 1};
    switch (argument->kind) {
    case FPD_ARGUMENT_BUFFER:
    case FPD_ARGUMENT_VIEW:
    case FPD_ARGUMENT_POINTER:
    case FPD_ARGUMENT_SCRATCH: return (Layout){ADDRESS_BYTES, ADDRESS_BYTES};
    case FPD_ARGUMENT_VALUE: return (Layout){value_bytes(argument), value_bytes(argument) ? value_bytes(argument) : 1};
    case FPD_ARGUMENT_MAP: return (Layout){RT_MAP_BYTES, RT_MAP_ALIGNMENT};
    case FPD_ARGUMENT_BYTES: return (Layout){argument->size, 1};
    case FPD_ARGUMENT_STRUCT:
        for (uint32_t i = 0; i < argument->item_count; i++) {
            const Layout item = layout_of(&argument->items[i]);
            whole.size = align_up(whole.size, item.alignment) + item.size;
            if (item.alignment > whole.alignment) whole.alignment = item.alignment;
        }
        whole.size = align_up(whole.size, whole.alignment);
        return whole;
    case FPD_ARGUMENT_SHAPE:
    case FPD_ARGUMENT_STRIDE:
    case FPD_ARGUMENT_LIST: break;
    }
    return (Layout){0, 1};
}

// ---- values: written at an offset, or placed there later

static void put_bytes(ThreadMatcher *m, uint64_t offset, const void *bytes, size_t size) {
    memcpy(m->threads->parameters + offset, bytes, size); // both little endian
}

static FpdPlaced *add_placed(ThreadMatcher *m, const FpdArgument *argument, FpdArgumentKind kind, uint64_t offset) {
    FpdThreads *threads = m->threads;
    threads->placed = arena_grow(m->arena, threads->placed, threads->placed_count, &m->capacity, sizeof(FpdPlaced));
    FpdPlaced *placed = &threads->placed[threads->placed_count++];
    *placed = (FpdPlaced){.kind = kind,
                          .offset = (uint32_t)offset,
                          .parameter = m->parameter,
                          .buffer = argument->buffer,
                          .begin = argument->view ? argument->view->offset : argument->map_offset,
                          .map = argument->map,
                          .at = argument->at};
    return placed;
}

static bool put_scratch(ThreadMatcher *m, const FpdArgument *argument, uint64_t offset) {
    const uint32_t *grid = m->launch->grid;
    uint64_t bytes = argument->size;
    for (int d = 0; d < 3; d++)
        if (__builtin_mul_overflow(bytes, grid[d], &bytes) || bytes > FPD_BYTES_MAX)
            return unfit(m, argument->at, "scratch of %llu bytes for each of %s blocks is more than %llu bytes",
                         (unsigned long long)argument->size, sizes_text(m->arena, grid),
                         (unsigned long long)FPD_BYTES_MAX);
    add_placed(m, argument, FPD_ARGUMENT_SCRATCH, offset)->size = bytes;
    return true;
}

// Whether the map can be encoded does not depend on where the buffer will be: buffers are aligned.
static bool put_map(ThreadMatcher *m, const FpdArgument *argument, uint64_t offset, bool by_address) {
    uint8_t bytes[RT_MAP_BYTES];
    RtMap trial = *argument->map;
    trial.address = MAP_TRIAL_ADDRESS + argument->map_offset;
    if (!rt_encode_map(m->diagnostics, argument->at, &trial, bytes)) return false;
    add_placed(m, argument, FPD_ARGUMENT_MAP, offset)->by_address = by_address;
    return true;
}

static bool put_argument(ThreadMatcher *m, const FpdArgument *argument, uint64_t offset) {
    uint64_t field = 0;
    switch (argument->kind) {
    case FPD_ARGUMENT_BUFFER:
    case FPD_ARGUMENT_VIEW:
    case FPD_ARGUMENT_POINTER: add_placed(m, argument, FPD_ARGUMENT_BUFFER, offset); return true;
    case FPD_ARGUMENT_SCRATCH: return put_scratch(m, argument, offset);
    case FPD_ARGUMENT_MAP: return put_map(m, argument, offset, false);
    case FPD_ARGUMENT_BYTES: put_bytes(m, offset, argument->bytes, argument->size); return true;
    case FPD_ARGUMENT_VALUE: put_bytes(m, offset, &argument->bits, value_bytes(argument)); return true;
    case FPD_ARGUMENT_STRUCT:
        for (uint32_t i = 0; i < argument->item_count; i++) {
            const Layout item = layout_of(&argument->items[i]);
            if (!item.size)
                return unfit(m, argument->items[i].at, "field %u of a struct: %s has no size of its own in a struct",
                             i + 1, argument->items[i].text);
            field = align_up(field, item.alignment);
            if (!put_argument(m, &argument->items[i], offset + field)) return false;
            field += item.size;
        }
        return true;
    case FPD_ARGUMENT_SHAPE:
    case FPD_ARGUMENT_STRIDE:
    case FPD_ARGUMENT_LIST: break;
    }
    return false;
}

// ---- parameters

// Also structs of an address alone.
static bool takes_address(const ProgramParameter *parameter) {
    const bool number = parameter->type != ELEMENT_TYPE_COUNT && element_is_float(parameter->type);
    return parameter->size == ADDRESS_BYTES && parameter->alignment >= ADDRESS_BYTES && (parameter->array || !number);
}

static const char *thread_parameter_text(Arena *arena, const ProgramParameter *parameter) {
    const bool map = parameter->size == RT_MAP_BYTES && parameter->alignment >= RT_MAP_ALIGNMENT;
    if (parameter->pointer) return "a pointer";
    if (parameter->array)
        return arena_format(arena, "%u bytes aligned to %u (%sa struct)", parameter->size, parameter->alignment,
                            map                        ? "a tensor map or "
                            : takes_address(parameter) ? "a pointer or "
                                                       : "");
    if (parameter->type == ELEMENT_TYPE_COUNT) return arena_format(arena, "%u bytes", parameter->size);
    const bool address = parameter->size == ADDRESS_BYTES && !element_is_float(parameter->type);
    return arena_format(arena, "%s%s", element_info(parameter->type)->name, address ? " or a pointer" : "");
}

static bool misfits(ThreadMatcher *m, const FpdArgument *argument, const ProgramParameter *parameter) {
    return unfit(m, argument->at, "parameter %u of kernel %s: found %s, expected %s", m->parameter + 1, m->name,
                 fpd_argument_text(m->arena, m->cas, argument), thread_parameter_text(m->arena, parameter));
}

// Sizes and strides of buffers are integers of the parameter's size.
static bool match_part(ThreadMatcher *m, const FpdArgument *argument, const ProgramParameter *parameter,
                       const char **text) {
    const FpdView view = fpd_argument_view(m->cas, argument);
    const bool shape = argument->kind == FPD_ARGUMENT_SHAPE;
    const int64_t number = shape ? view.shape[argument->dimension] : view.stride[argument->dimension];
    const bool integer = parameter->type == ELEMENT_TYPE_COUNT || !element_is_float(parameter->type);
    if (!integer || parameter->pointer || parameter->size > sizeof number) return misfits(m, argument, parameter);
    if (parameter->size < sizeof number && number >> (8 * parameter->size - 1))
        return unfit(m, argument->at, "parameter %u of kernel %s: %s is %lld, which %u bytes cannot hold",
                     m->parameter + 1, m->name, argument->text, (long long)number, parameter->size);
    put_bytes(m, m->threads->offsets[m->parameter], &number, parameter->size);
    *text = arena_format(m->arena, "%s, %lld", argument->text, (long long)number);
    return true;
}

// Numbers of a parameter whose type is known have that type; others are bits.
static bool value_fits(const FpdArgument *argument, const ProgramParameter *parameter) {
    const bool known = parameter->type != ELEMENT_TYPE_COUNT && !parameter->array;
    if (parameter->pointer || value_bytes(argument) != parameter->size) return false;
    if (!known) return true;
    return element_is_float(parameter->type) ? argument->type == parameter->type : !element_is_float(argument->type);
}

static bool match_address(ThreadMatcher *m, const FpdArgument *argument, const ProgramParameter *parameter) {
    const uint32_t promised = parameter->pointer_alignment;
    if (!takes_address(parameter)) return misfits(m, argument, parameter);
    if (argument->view && promised && argument->view->offset % promised)
        return unfit(m, argument->at,
                     "parameter %u of kernel %s promises an address that is a multiple of %u, %s begins at byte %llu "
                     "of its buffer",
                     m->parameter + 1, m->name, promised, argument->text, (unsigned long long)argument->view->offset);
    return promised <= BUFFER_ALIGNMENT ||
           unfit(
               m, argument->at,
               "parameter %u of kernel %s promises an address that is a multiple of %u, buffers begin at multiples of "
               "%d",
               m->parameter + 1, m->name, promised, BUFFER_ALIGNMENT);
}

static bool match_bytes(ThreadMatcher *m, const FpdArgument *argument, const ProgramParameter *parameter) {
    const Layout layout = layout_of(argument);
    if (layout.size != parameter->size)
        return unfit(m, argument->at, "parameter %u of kernel %s: found %s of %llu bytes, expected %s",
                     m->parameter + 1, m->name, argument->kind == FPD_ARGUMENT_MAP ? "a map" : argument->text,
                     (unsigned long long)layout.size, thread_parameter_text(m->arena, parameter));
    return layout.alignment <= parameter->alignment ||
           unfit(m, argument->at,
                 "parameter %u of kernel %s: found %s, which is aligned to %llu bytes, the parameter to %u",
                 m->parameter + 1, m->name, argument->kind == FPD_ARGUMENT_MAP ? "a map" : argument->text,
                 (unsigned long long)layout.alignment, parameter->alignment);
}

static bool match_thread_parameter(ThreadMatcher *m, const char **text) {
    const FpdArgument *argument = &m->launch->arguments[m->parameter];
    const ProgramParameter *parameter = &m->kernel->parameters[m->parameter];
    const uint64_t offset = m->threads->offsets[m->parameter];
    *text = argument->text;
    switch (argument->kind) {
    case FPD_ARGUMENT_SHAPE:
    case FPD_ARGUMENT_STRIDE: return match_part(m, argument, parameter, text);
    case FPD_ARGUMENT_LIST:
        return unfit(m, argument->at, "parameter %u of kernel %s: a list of arrays is for kernels of Tile IR",
                     m->parameter + 1, m->name);
    case FPD_ARGUMENT_BUFFER:
    case FPD_ARGUMENT_VIEW:
    case FPD_ARGUMENT_POINTER:
    case FPD_ARGUMENT_SCRATCH: return match_address(m, argument, parameter) && put_argument(m, argument, offset);
    case FPD_ARGUMENT_VALUE:
        return (value_fits(argument, parameter) || misfits(m, argument, parameter)) &&
               put_argument(m, argument, offset);
    case FPD_ARGUMENT_MAP: // also by its address in global memory
        if (takes_address(parameter))
            return match_address(m, argument, parameter) && put_map(m, argument, offset, true);
        break;
    case FPD_ARGUMENT_BYTES:
    case FPD_ARGUMENT_STRUCT: break;
    }
    return match_bytes(m, argument, parameter) && put_argument(m, argument, offset);
}

static bool match_count(ThreadMatcher *m) {
    const uint32_t count = m->kernel->parameter_count, found = m->launch->argument_count;
    const char *list = "none", *hint = "";
    if (found == count) return true;
    for (uint32_t i = 0; i < count; i++) {
        const char *text = thread_parameter_text(m->arena, &m->kernel->parameters[i]);
        list = i ? arena_format(m->arena, "%s, %s", list, text) : text;
    }
    if (found + 2 == count && m->kernel->parameters[count - 1].size == ADDRESS_BYTES &&
        m->kernel->parameters[count - 2].size == ADDRESS_BYTES)
        hint = " (the last two of a Triton kernel are scratch memory, most often {scratch: 0})";
    return unfit(m, m->launch->arguments_at, "kernel %s takes %u arguments, found %u; expected: %s%s", m->name, count,
                 found, list, hint);
}

static bool lay_out_parameters(ThreadMatcher *m) {
    uint64_t end = 0;
    m->threads->offsets = arena_array(m->arena, uint32_t, m->kernel->parameter_count + 1u);
    for (uint32_t i = 0; i < m->kernel->parameter_count; i++) {
        const ProgramParameter *parameter = &m->kernel->parameters[i];
        end = align_up(end, parameter->alignment ? parameter->alignment : 1);
        m->threads->offsets[i] = (uint32_t)end;
        end += parameter->size;
        if (end > WARP_PARAMETERS_MAX)
            return diag_fail(m->diagnostics, m->kernel->at, E_LIMIT,
                             "the parameters of kernel %s have more than %d bytes", m->name, WARP_PARAMETERS_MAX);
    }
    m->threads->parameter_bytes = (uint32_t)end;
    m->threads->parameters = arena_alloc(m->arena, end + 1);
    return true;
}

bool fpd_match_threads(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas, const FpdLaunch *launch,
                       FpdResolvedLaunch *resolved) {
    const ProgramKernel *kernel = resolved->entry;
    ThreadMatcher m = {.diagnostics = diagnostics,
                       .arena = arena,
                       .cas = cas,
                       .launch = launch,
                       .kernel = kernel,
                       .name = resolved->kernel,
                       .threads = arena_new(arena, FpdThreads)};
    resolved->values = arena_array(arena, FpdValue, kernel->parameter_count + 1u);
    bool good =
        choose_block(&m) && choose_cluster(&m) && choose_shared(&m) && match_count(&m) && lay_out_parameters(&m);
    for (; m.parameter < kernel->parameter_count && good; m.parameter++)
        good = match_thread_parameter(&m, &resolved->values[m.parameter].text);
    resolved->threads = good ? m.threads : NULL;
    return good;
}
