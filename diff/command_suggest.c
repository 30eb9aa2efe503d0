// SPDX-License-Identifier: Apache-2.0
// fpdiff suggest: sizes at which the tiles of a case's kernels are ragged, empty or single, as `parameters` for the
// case file. A size is suggested only if all kernels take it.
#include "diff/command.h"

#include <inttypes.h>
#include <string.h>

enum { TILES_MAX = 16, SIZES_MAX = 2 + 5 * TILES_MAX }; // choose_sizes adds five for each tile
enum { FIXED_NAMED = 8 };                               // buffers that fix sizes

// Dimensions of buffers that have one size, and the tiles in which kernels take arrays of that size.
typedef struct SizeGroup {
    const char *name;  // of the parameter
    bool is_parameter; // the case has it; else it is proposed in place of a number
    int64_t size;
    uint32_t tile_count;
    int64_t tiles[TILES_MAX]; // ascending
    bool more_tiles;          // than these
} SizeGroup;

typedef struct Suggest {
    FpdSession *session;
    const FpdTask *task;
    Arena *arena;
    const FpdPrograms *programs;
    const FpdCase *cas;
    Buffer *out;
} Suggest;

static int64_t tiles_of(int64_t size, int64_t tile) {
    return size / tile + (size % tile != 0);
}

// ---- tiles

static void add_tile(SizeGroup *group, int64_t tile) {
    uint32_t at = 0;
    while (at < group->tile_count && group->tiles[at] < tile) at++;
    if (tile < 2 || (at < group->tile_count && group->tiles[at] == tile)) return;
    group->more_tiles |= group->tile_count == TILES_MAX;
    if (group->more_tiles) return;
    memmove(&group->tiles[at + 1], &group->tiles[at], (group->tile_count - at) * sizeof *group->tiles);
    group->tiles[at] = tile;
    group->tile_count++;
}

// The tiles in which a launch takes arrays of that size.
static void add_tiles(const Suggest *s, uint32_t variant, uint32_t launch, SizeGroup *group) {
    const FpdResolvedLaunch *resolved = &s->programs->launches[variant][launch];
    for (uint32_t a = 0; !resolved->threads && a < resolved->entry->access_count; a++) {
        const ProgramAccess *access = &resolved->entry->accesses[a];
        for (uint32_t d = 0; access->kind == PROGRAM_ACCESS_TILES && d < access->rank; d++) {
            const ProgramSize *extent = &access->extent[d];
            const int64_t size =
                extent->parameter ? (int64_t)resolved->values[extent->parameter - 1].bits : extent->number;
            if (size == group->size) add_tile(group, access->tile[d]);
        }
    }
}

static void find_tiles(const Suggest *s, SizeGroup *group) {
    for (uint32_t v = 0; v < s->cas->variant_count; v++)
        for (uint32_t i = 0; i < s->cas->variants[v].launch_count; i++) add_tiles(s, v, i, group);
}

// ---- the case with another size

// The tile by which a number of blocks follows from the size; 0: it does not.
static int64_t grid_tile(const Suggest *s, const SizeGroup *group, uint32_t variant, uint32_t launch, uint32_t axis) {
    const FpdLaunch *l = &s->cas->variants[variant].launches[launch];
    SizeGroup own = {.size = group->size};
    add_tiles(s, variant, launch, &own);
    for (uint32_t before = 0; before < axis; before++) // one dimension has one axis
        for (uint32_t t = 0; t < own.tile_count; t++)
            if (tiles_of(own.size, own.tiles[t]) == l->grid[before] && l->grid[before] > 1) return 0;
    for (uint32_t t = 0; t < own.tile_count; t++)
        if (tiles_of(own.size, own.tiles[t]) == l->grid[axis] && l->grid[axis] > 1) return own.tiles[t];
    return 0;
}

static void resize_buffers(const Suggest *s, const SizeGroup *group, int64_t size, FpdCase *cas) {
    FpdBuffer *buffers = arena_array(s->arena, FpdBuffer, cas->buffer_count);
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        FpdBuffer *buffer = &buffers[b];
        *buffer = cas->buffers[b];
        buffer->elements = 1;
        for (uint32_t d = 0; d < buffer->rank; d++) {
            if (buffer->shape[d] == group->size) buffer->shape[d] = size;
            buffer->elements *= (uint64_t)buffer->shape[d];
        }
        buffer->bytes = fpd_type_bytes(buffer->type, buffer->elements);
    }
    cas->buffers = buffers;
}

static void resize_launch(const Suggest *s, const SizeGroup *group, int64_t size, uint32_t variant, uint32_t index,
                          FpdLaunch *launch) {
    FpdArgument *arguments = arena_array(s->arena, FpdArgument, launch->argument_count + 1u);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const int64_t tile = grid_tile(s, group, variant, index, axis);
        if (tile) launch->grid[axis] = (uint32_t)tiles_of(size, tile);
    }
    for (uint32_t a = 0; a < launch->argument_count; a++) {
        arguments[a] = launch->arguments[a];
        if (arguments[a].kind == FPD_ARGUMENT_VALUE && !element_is_float(arguments[a].type) &&
            arguments[a].bits == (uint64_t)group->size)
            arguments[a].bits = (uint64_t)size;
    }
    launch->arguments = arguments;
}

static bool is_seen_by(const FpdArgument *argument, uint32_t buffer) {
    bool found = argument->view && argument->buffer == buffer;
    for (uint32_t i = 0; i < argument->item_count; i++) found |= is_seen_by(&argument->items[i], buffer);
    return found;
}

// Whether some argument is a view of the buffer, or some address one into it.
static bool has_view(const FpdCase *cas, uint32_t buffer) {
    bool found = false;
    for (uint32_t v = 0; v < cas->variant_count; v++)
        for (uint32_t i = 0; i < cas->variants[v].launch_count; i++)
            for (uint32_t a = 0; a < cas->variants[v].launches[i].argument_count; a++)
                found |= is_seen_by(&cas->variants[v].launches[i].arguments[a], buffer);
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        for (uint64_t i = 0; cas->buffers[b].fill.addresses && i < cas->buffers[b].elements; i++)
            found |= is_seen_by(&cas->buffers[b].fill.addresses[i], buffer);
    return found;
}

// Whether a buffer cannot have another size: its contents are listed, or views of it are.
static bool is_fixed(const FpdCase *cas, uint32_t buffer) {
    const FpdFill *fill = &cas->buffers[buffer].fill;
    return fill->kind == FPD_FILL_file || fill->addresses || has_view(cas, buffer);
}

// Whether the group is of a size of a buffer that cannot have another one.
static bool has_fixed(const Suggest *s, const SizeGroup *group) {
    for (uint32_t b = 0; b < s->cas->buffer_count; b++) {
        const FpdBuffer *buffer = &s->cas->buffers[b];
        bool found = false;
        for (uint32_t d = 0; d < buffer->rank; d++) found |= buffer->shape[d] == group->size;
        if (found && is_fixed(s->cas, b)) return true;
    }
    return false;
}

static FpdCase *resized_case(const Suggest *s, const SizeGroup *group, int64_t size) {
    FpdCase *cas = arena_new(s->arena, FpdCase);
    *cas = *s->cas;
    resize_buffers(s, group, size, cas);
    cas->variants = arena_array(s->arena, FpdVariant, cas->variant_count);
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        FpdVariant *variant = &cas->variants[v];
        *variant = s->cas->variants[v];
        variant->launches = arena_array(s->arena, FpdLaunch, variant->launch_count);
        for (uint32_t i = 0; i < variant->launch_count; i++) {
            variant->launches[i] = s->cas->variants[v].launches[i];
            resize_launch(s, group, size, v, i, &variant->launches[i]);
        }
    }
    return cas;
}

// The case with that size. NULL: a kernel does not take it; what they were compiled for does not allow it.
static FpdCase *case_of_size(const Suggest *s, const SizeGroup *group, int64_t size) {
    Diagnostics ignored = {0};
    FpdTask task = *s->task;
    FpdSession session = *s->session;
    FpdCase *cas;
    FpdPrograms *programs;
    if (group->is_parameter) {
        FpdParameter *set = arena_array(s->arena, FpdParameter, session.options.set.count + 1u);
        uint32_t count = 0;
        for (uint32_t i = 0; i < session.options.set.count; i++)
            if (strcmp(session.options.set.items[i].name, group->name)) set[count++] = session.options.set.items[i];
        set[count++] = (FpdParameter){.name = group->name, .value = size};
        session.options.set = (FpdParameters){count, set};
        programs = fpd_session_load(&session, &ignored, s->arena, &task, &cas, NULL);
    } else {
        cas = resized_case(s, group, size);
        programs = fpd_load_programs(&ignored, s->arena, cas);
    }
    fpd_programs_close(programs);
    diagnostics_close(&ignored);
    return programs ? cas : NULL;
}

// ---- sizes

// "8 tiles of 64, the last with 2".
static void print_tiles(const SizeGroup *group, int64_t size, Buffer *out) {
    for (uint32_t t = 0; t < group->tile_count; t++) {
        const int64_t tile = group->tiles[t], count = tiles_of(size, tile), rest = size % tile;
        buffer_print(out, "%s", t ? "; " : "");
        if (count == 1)
            buffer_print(out, rest ? "a single tile of %" PRId64 ", ragged" : "a single tile of %" PRId64, tile);
        else if (rest)
            buffer_print(out, "%" PRId64 " tiles of %" PRId64 ", ragged: the last with %" PRId64, count, tile, rest);
        else
            buffer_print(out, "%" PRId64 " whole tiles of %" PRId64, count, tile);
    }
}

// Blocks that get no tile of an array of that size: of a case with the parameter those that it would launch, else those
// that it launches now.
static void print_empty(const Suggest *s, const SizeGroup *group, int64_t size, Buffer *out) {
    const FpdCase *cas = group->is_parameter && size != group->size ? case_of_size(s, group, size) : s->cas;
    for (uint32_t v = 0; v < s->cas->variant_count && cas; v++)
        for (uint32_t i = 0; i < s->cas->variants[v].launch_count; i++)
            for (uint32_t axis = 0; axis < 3; axis++) {
                const int64_t tile = grid_tile(s, group, v, i, axis), blocks = cas->variants[v].launches[i].grid[axis];
                if (!tile || tiles_of(size, tile) >= blocks) continue;
                buffer_print(out, "; empty: %" PRId64 " of %" PRId64 " blocks of %s have no tile%s",
                             blocks - tiles_of(size, tile), blocks, s->cas->variants[v].name,
                             group->is_parameter ? "" : " if the grid stays");
                return;
            }
}

static void add_size(const Suggest *s, const SizeGroup *group, int64_t size, int64_t *sizes, uint32_t *count) {
    if (size < 1) return;
    for (uint32_t i = 0; i < *count; i++)
        if (sizes[i] == size) return;
    if (size == group->size || case_of_size(s, group, size)) sizes[(*count)++] = size;
}

// Of each tile: the case's size, one that is whole, one element more and less, a single tile, one with an element
// missing, one element. What fits into a single tile in the case stays so: no loop may lead to a second one.
static uint32_t choose_sizes(const Suggest *s, const SizeGroup *group, int64_t *sizes) {
    uint32_t count = 0;
    add_size(s, group, group->size, sizes, &count);
    for (uint32_t t = group->tile_count; t-- > 0;) {
        const int64_t tile = group->tiles[t], whole = tiles_of(group->size, tile) * tile;
        if (whole > tile || group->tile_count > 1 + t) {
            if (group->size % tile) add_size(s, group, whole > tile ? whole : 2 * tile, sizes, &count);
            add_size(s, group, whole - tile + 1 > 1 ? whole - tile + 1 : tile + 1, sizes, &count);
            add_size(s, group, whole > tile ? whole - 1 : 2 * tile - 1, sizes, &count);
        }
        add_size(s, group, tile, sizes, &count);
        add_size(s, group, tile - 1, sizes, &count);
    }
    add_size(s, group, 1, sizes, &count);
    return count;
}

// ---- the text

static void print_shape(const Suggest *s, const SizeGroup *group) {
    for (uint32_t b = 0; b < s->cas->buffer_count; b++) {
        const FpdBuffer *buffer = &s->cas->buffers[b];
        bool found = false;
        for (uint32_t d = 0; d < buffer->rank; d++) found |= buffer->shape[d] == group->size;
        if (!found) continue;
        buffer_print(s->out, "#   %s: shape: [", buffer->name);
        for (uint32_t d = 0; d < buffer->rank; d++) {
            if (buffer->shape[d] == group->size)
                buffer_print(s->out, "%s%s", d ? ", " : "", group->name);
            else
                buffer_print(s->out, "%s%" PRId64, d ? ", " : "", buffer->shape[d]);
        }
        buffer_print(s->out, "]\n");
    }
}

static void print_grids(const Suggest *s, const SizeGroup *group) {
    for (uint32_t v = 0; v < s->cas->variant_count; v++)
        for (uint32_t i = 0; i < s->cas->variants[v].launch_count; i++)
            for (uint32_t axis = 0; axis < 3; axis++) {
                const int64_t tile = grid_tile(s, group, v, i, axis);
                if (!tile) continue;
                buffer_print(s->out, "#   %s, launch %u: cdiv(%s, %" PRId64 ") in place of %u in grid\n",
                             s->cas->variants[v].name, i + 1, group->name, tile,
                             s->cas->variants[v].launches[i].grid[axis]);
            }
}

static void print_group(const Suggest *s, const SizeGroup *group) {
    int64_t sizes[SIZES_MAX];
    const uint32_t count = choose_sizes(s, group, sizes);
    buffer_print(s->out, "  %s:\n", group->name);
    for (uint32_t i = 0; i < count; i++) {
        buffer_print(s->out, "    - %-6" PRId64 " # ", sizes[i]);
        print_tiles(group, sizes[i], s->out);
        print_empty(s, group, sizes[i], s->out);
        buffer_print(s->out, "%s\n", sizes[i] == group->size ? " (as it is)" : "");
    }
    if (group->more_tiles) buffer_print(s->out, "    # left out: those for more than %d different tiles\n", TILES_MAX);
}

static bool is_known(const SizeGroup *groups, uint32_t count, int64_t size) {
    bool known = false;
    for (uint32_t g = 0; g < count; g++) known |= groups[g].size == size;
    return known;
}

// Those of parameters, then of sizes of buffers. *found: in the arena.
static uint32_t find_groups(const Suggest *s, SizeGroup **found) {
    uint32_t count = 0, most = s->cas->parameters.count + 1;
    for (uint32_t b = 0; b < s->cas->buffer_count; b++) most += s->cas->buffers[b].rank;
    SizeGroup *groups = *found = arena_array(s->arena, SizeGroup, most);
    for (uint32_t p = 0; p < s->cas->parameters.count; p++) {
        const FpdParameter *parameter = &s->cas->parameters.items[p];
        groups[count] = (SizeGroup){.name = parameter->name, .is_parameter = true, .size = parameter->value};
        find_tiles(s, &groups[count]);
        if (!is_known(groups, count, parameter->value) && groups[count].tile_count) count++;
    }
    for (uint32_t b = 0; b < s->cas->buffer_count; b++)
        for (uint32_t d = 0; d < s->cas->buffers[b].rank; d++) {
            const int64_t size = s->cas->buffers[b].shape[d];
            groups[count] = (SizeGroup){.name = arena_format(s->arena, "N%" PRId64, size), .size = size};
            if (is_known(groups, count, size) || has_fixed(s, &groups[count])) continue;
            find_tiles(s, &groups[count]);
            if (groups[count].tile_count) count++;
        }
    return count;
}

// ", gate (data/gate.npy)": the file as the case names it.
static void print_fixed(const Suggest *s, uint32_t buffer, Buffer *out) {
    const char *file = s->cas->buffers[buffer].fill.file, *slash = strrchr(s->cas->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - s->cas->path) : 0;
    buffer_print(out, "%s%s", out->size ? ", " : "", s->cas->buffers[buffer].name);
    if (s->cas->buffers[buffer].fill.kind != FPD_FILL_file) return;
    buffer_print(out, " (%s)", strncmp(file, s->cas->path, folder) ? file : file + folder);
}

// Why no size is suggested: those in which kernels take arrays by tiles are fixed, or there are none.
static void print_reason(const Suggest *s) {
    Buffer fixed = {0};
    uint32_t count = 0;
    for (uint32_t b = 0; b < s->cas->buffer_count; b++) {
        const FpdBuffer *buffer = &s->cas->buffers[b];
        bool tiled = false;
        for (uint32_t d = 0; d < buffer->rank && !tiled && is_fixed(s->cas, b); d++) {
            SizeGroup group = {.size = buffer->shape[d]};
            find_tiles(s, &group);
            tiled = group.tile_count != 0;
        }
        if (tiled && ++count <= FIXED_NAMED) print_fixed(s, b, &fixed);
    }
    if (count)
        buffer_print(s->out, ": sizes are fixed by contents or views: %.*s", (int)fixed.size, (const char *)fixed.data);
    else
        buffer_print(s->out, ": the kernels take no array in tiles of a known size");
    if (count > FIXED_NAMED) buffer_print(s->out, " and %" PRIu32 " more", count - FIXED_NAMED);
    buffer_print(s->out, "\n");
    buffer_free(&fixed);
}

static void suggest_sizes(const Suggest *s) {
    SizeGroup *groups;
    const uint32_t count = find_groups(s, &groups);
    buffer_print(s->out, "# %s", s->cas->path);
    if (!count) {
        print_reason(s);
        return;
    }
    buffer_print(s->out, ": sizes to run it with\nparameters:\n");
    for (uint32_t g = 0; g < count; g++) print_group(s, &groups[g]);
    for (uint32_t g = 0; g < count; g++) {
        if (groups[g].is_parameter) continue;
        buffer_print(s->out, "# %s stands for the size %" PRId64 ":\n", groups[g].name, groups[g].size);
        print_shape(s, &groups[g]);
        print_grids(s, &groups[g]);
    }
}

static void suggest(FpdSession *session, const FpdTask *task, Arena *arena, FpdPrograms *programs, Buffer *out) {
    const Suggest s = {session, task, arena, programs, programs->cas, out};
    suggest_sizes(&s);
}

int fpd_command_suggest(FpdSession *session) {
    return fpd_print_cases(session, suggest);
}
