// SPDX-License-Identifier: Apache-2.0
// Partial sums: parts of inputs that the second variant seems to leave out. The first variant runs again with such a
// part zero; does it then leave the wrong elements of the second?
#include "compiler/repair/repair_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 512, LEAST = 4 };

static bool is_zeroable(const Repair *r, uint32_t b) {
    return r->buffers[b].bytes && element_is_float(r->buffers[b].type) && r->buffers[b].elements;
}

static void add_part(RepairPart *parts, uint32_t *count, RepairPart part) {
    if (part.first >= part.end || *count == PARTS_MAX) return;
    for (uint32_t i = 0; i < *count; i++)
        if (parts[i].buffer == part.buffer && parts[i].dimension == part.dimension && parts[i].first == part.first &&
            parts[i].end == part.end)
            return;
    parts[(*count)++] = part;
}

// Whole inputs first, then the last and the first tiles of each size that is a power of 2.
static uint32_t list_parts(const Repair *r, RepairPart *parts) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < r->buffer_count; b++)
        if (is_zeroable(r, b) && r->buffers[b].rank)
            add_part(parts, &count, (RepairPart){.buffer = b, .end = r->buffers[b].shape[0]});
    for (int64_t tile = 1; tile <= INT64_C(1) << 20; tile *= 2)
        for (uint32_t b = 0; b < r->buffer_count; b++)
            for (uint32_t d = 0; is_zeroable(r, b) && d < r->buffers[b].rank; d++) {
                const int64_t size = r->buffers[b].shape[d];
                if (tile >= size) continue;
                add_part(parts, &count, (RepairPart){b, d, (size - 1) / tile * tile, size, 0});
                add_part(parts, &count, (RepairPart){b, d, 0, tile, 0});
            }
    return count;
}

bool repair_in_part(const RepairBuffer *buffer, const RepairPart *part, uint64_t index) {
    for (uint32_t d = buffer->rank; d-- > part->dimension + 1;) index /= (uint64_t)buffer->shape[d];
    const int64_t at = (int64_t)(index % (uint64_t)buffer->shape[part->dimension]);
    return at >= part->first && at < part->end;
}

// ---- trying a part --------------------------------------------------------------------------------------------------

static bool run_reference(Repair *r, RealMemory *memory) {
    for (uint32_t i = 0; i < r->variants[0].launch_count; i++) {
        const RepairLaunch *launch = &r->variants[0].launches[i];
        RealRun run = {.function = repair_function(launch),
                       .arguments = launch->arguments,
                       .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                       .memory = memory,
                       .scratch = &r->scratch,
                       .budget = REPAIR_BUDGET};
        if (!repair_run_blocks(&run)) return false;
    }
    return true;
}

// How many wrong elements of the second variant are what the memory has, and not zero.
static uint64_t count_alike(const Repair *r, const RealMemory *memory) {
    uint64_t count = 0;
    for (uint32_t b = 0; b < r->buffer_count; b++) {
        if (!r->buffers[b].compared || !element_is_float(r->buffers[b].type)) continue;
        const double *left = r->left.buffers[b].floats, *is = memory->buffers[b].floats;
        for (uint64_t i = 0; i < r->buffers[b].elements; i++)
            count += r->is_wrong[b][i] && isfinite(left[i]) && fabs(left[i]) > 1e-6 * r->scales[b] &&
                     real_close(is[i], left[i], r->relative, r->scales[b]);
    }
    return count;
}

static void try_part(Repair *r, double *kept, RepairPart *part) {
    RealMemory *memory = &r->sites[0].before;
    RealBuffer *buffer = &memory->buffers[part->buffer];
    memcpy(kept, buffer->floats, buffer->count * sizeof *kept);
    for (uint64_t i = 0; i < buffer->count; i++)
        if (repair_in_part(&r->buffers[part->buffer], part, i)) buffer->floats[i] = 0;
    if (run_reference(r, memory)) part->alike = count_alike(r, memory);
    real_undo(memory, 0);
    memcpy(buffer->floats, kept, buffer->count * sizeof *kept);
}

const RepairPart *repair_missing_parts(Repair *r, double seconds, uint32_t *count) {
    RepairPart *parts = arena_array(r->arena, RepairPart, PARTS_MAX);
    const double until = clock_thread_seconds() + seconds;
    const uint32_t listed = list_parts(r, parts);
    uint64_t largest = 0;
    *count = 0;
    for (uint32_t b = 0; b < r->buffer_count; b++)
        if (r->buffers[b].elements > largest) largest = r->buffers[b].elements;
    double *kept = malloc((largest + 1) * sizeof *kept);
    if (!kept) abort();
    for (uint32_t i = 0; i < listed && clock_thread_seconds() < until; i++) {
        try_part(r, kept, &parts[i]);
        if (parts[i].alike < LEAST || parts[i].alike * 4 < r->wrong) continue;
        uint32_t at = (*count)++;
        const RepairPart found = parts[i];
        for (; at && parts[at - 1].alike < found.alike; at--) parts[at] = parts[at - 1]; // most elements first
        parts[at] = found;
    }
    free(kept);
    return parts;
}
