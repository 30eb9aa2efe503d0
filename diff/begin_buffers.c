// SPDX-License-Identifier: Apache-2.0
// What the buffers of a case hold when a run begins.
#include "diff/matrix.h"

#include <string.h>

// ---- initial contents -----------------------------------------------------------------------------------------------

static bool fill_initial(FpdMatrix *x, Arena *arena) {
    uint8_t **initial = arena_array(arena, uint8_t *, x->cas->buffer_count);
    x->initial = initial;
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
        initial[b] = arena_alloc(arena, x->cas->buffers[b].bytes);
        if (!fpd_fill_initial(x->diagnostics, x->machine, x->cas, b, x->settings->unspecified, initial[b]))
            return false;
    }
    return true;
}

// The same for second runs, if it takes little memory.
bool fpd_fill_and_keep(FpdMatrix *x, uint32_t count, FpdRun *const *runs) {
    const uint64_t bytes_max = 64 << 20;
    uint64_t bytes = 0;
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) bytes += x->cas->buffers[b].bytes;
    if (bytes > bytes_max) return fill_initial(x, &x->beginnings);
    FpdBeginnings *kept = arena_new(x->arena, FpdBeginnings);
    if (!fill_initial(x, x->arena)) return false;
    *kept = (FpdBeginnings){x->cas, x->settings->unspecified, x->initial};
    for (uint32_t r = 0; r < count; r++) runs[r]->beginnings = kept;
    return true;
}

bool fpd_begin_as(FpdMatrix *x, const FpdCase *cas, const FpdBeginnings *kept) {
    if (!kept || kept->cas != cas || kept->unspecified != x->settings->unspecified)
        return fill_initial(x, &x->beginnings);
    x->initial = kept->bytes;
    return true;
}

bool fpd_prepare_buffers(FpdMatrix *x) {
    x->buffers = arena_array(x->arena, RtBuffer *, x->cas->buffer_count);
    x->standing = arena_array(x->arena, FpdStanding, x->cas->buffer_count + 1u);
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
        const FpdBuffer *buffer = &x->cas->buffers[b];
        x->buffers[b] = rt_take(x->machine->device, x->diagnostics, buffer->bytes);
        if (!x->buffers[b]) return false;
        x->buffers[b]->name = buffer->name; // for messages
    }
    rt_free_aside(x->machine->device); // those of another case
    return true;
}

// ---- the beginning of a run -----------------------------------------------------------------------------------------

static FpdStanding beginning_of(const FpdMatrix *x, const FpdRun *run, uint32_t b) {
    uint8_t *const *contents = x->settings->contents ? x->settings->contents : x->initial;
    const bool drawn = run->tower && x->settings->drawn && x->settings->drawn[b];
    return (FpdStanding){contents[b], run->tower, drawn, x->buffers[b]->renewals, false};
}

// The bytes are compared, too: what is known of launches is what their code says.
static bool holds_already(const FpdMatrix *x, const FpdRun *run, uint32_t b) {
    const FpdStanding wanted = beginning_of(x, run, b), *is = &x->standing[b];
    return x->machine->target != FPD_TARGET_cuda && is->stands && is->contents == wanted.contents &&
           is->tower == wanted.tower && is->drawn == wanted.drawn && is->renewals == wanted.renewals &&
           !memcmp((const void *)(uintptr_t)x->buffers[b]->address, wanted.contents, x->cas->buffers[b].bytes);
}

static bool begin_buffer(const FpdMatrix *x, Diagnostics *diagnostics, const FpdRun *run, uint32_t b) {
    RtDevice *device = x->machine->device;
    const FpdAddresses addresses = {x->arena, device, x->cas, x->buffers};
    const FpdBuffer *buffer = &x->cas->buffers[b];
    const FpdStanding begins = beginning_of(x, run, b);
    rt_renew(device, x->buffers[b]);
    if (!rt_copy_in(device, diagnostics, x->buffers[b], 0, begins.contents, buffer->bytes) ||
        !fpd_put_addresses(&addresses, diagnostics, b))
        return false;
    if (run->tower && fpd_leaves_unfilled(x->machine, x->cas, b))
        rt_leave_unfilled(device, x->buffers[b], FPD_ORIGIN_BUFFER + b);
    if (run->tower && buffer->literal)
        fpd_put_literals(x->cas, x->meanings, buffer, device, x->buffers[b], begins.contents);
    if (begins.drawn) fpd_put_drawn(x->cas, b, run->tower, device, x->buffers[b], begins.contents);
    return true;
}

// What an earlier run left is gone, unless it is what this one begins with.
bool fpd_begin_buffers(const FpdMatrix *x, Diagnostics *diagnostics, const FpdRun *run) {
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
        const bool holds = holds_already(x, run, b);
        x->standing[b].stands = false;
        if (!holds && !begin_buffer(x, diagnostics, run, b)) return false;
        x->standing[b] = beginning_of(x, run, b);
    }
    return true;
}

// After the launches of a run, none of which failed. Contents that are not those of the case do not last. What a kernel
// stores through pointers that may be any may have hit a buffer that its code does not name, and have left the numbers
// there but not their records.
void fpd_note_standing(const FpdMatrix *x, const FpdRun *run) {
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
        FpdStanding *is = &x->standing[b];
        is->stands = is->contents == x->initial[b] && is->renewals == x->buffers[b]->renewals &&
                     !fpd_leaves_unfilled(x->machine, x->cas, b);
        for (uint32_t i = 0; i < x->cas->variants[run->variant].launch_count && is->stands; i++)
            is->stands = !fpd_launch_use(x->programs, run->variant, i, b).writes &&
                         !fpd_find_kernel(x, run, i)->stored_widths_unknown;
    }
}
