// SPDX-License-Identifier: Apache-2.0
// What the buffers of a case hold when a run begins.
#include "diff/matrix.h"

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
    const uint32_t count = x->cas->buffer_count;
    size_t *sizes = arena_array(x->arena, size_t, count + 1u);
    x->buffers = arena_array(x->arena, RtBuffer *, count + 1u);
    for (uint32_t b = 0; b < count; b++) sizes[b] = x->cas->buffers[b].bytes;
    const bool kept = rt_take_aside(x->machine->device, count, sizes, x->buffers);
    for (uint32_t b = 0; b < count; b++) {
        if (!kept) x->buffers[b] = rt_alloc(x->machine->device, x->diagnostics, sizes[b]);
        if (!x->buffers[b]) return false;
        x->buffers[b]->name = x->cas->buffers[b].name; // for messages
    }
    return true;
}

// ---- the beginning of a run -----------------------------------------------------------------------------------------

static bool begin_buffer(const FpdMatrix *x, Diagnostics *diagnostics, const FpdRun *run, uint32_t b) {
    RtDevice *device = x->machine->device;
    const FpdAddresses addresses = {x->arena, device, x->cas, x->buffers};
    const FpdBuffer *buffer = &x->cas->buffers[b];
    const uint8_t *contents = (x->settings->contents ? x->settings->contents : x->initial)[b];
    rt_renew(device, x->buffers[b]);
    if (!rt_copy_in(device, diagnostics, x->buffers[b], 0, contents, buffer->bytes) ||
        !fpd_put_addresses(&addresses, diagnostics, b))
        return false;
    if (run->tower && fpd_leaves_unfilled(x->machine, x->cas, b))
        rt_leave_unfilled(device, x->buffers[b], FPD_ORIGIN_BUFFER + b);
    if (run->tower && buffer->literal) fpd_put_literals(x->cas, x->meanings, buffer, device, x->buffers[b], contents);
    if (run->tower && x->settings->drawn && x->settings->drawn[b])
        fpd_put_drawn(x->cas, b, run->tower, device, x->buffers[b], contents);
    return true;
}

bool fpd_begin_buffers(const FpdMatrix *x, Diagnostics *diagnostics, const FpdRun *run) {
    for (uint32_t b = 0; b < x->cas->buffer_count; b++)
        if (!begin_buffer(x, diagnostics, run, b)) return false;
    return true;
}
