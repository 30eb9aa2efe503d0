// SPDX-License-Identifier: Apache-2.0
// Where unspecified values decide: launches that read a buffer which neither `fill` nor the variant has written.
#include "diff/explain_internal.h"

#include <inttypes.h>

// All uses that a launch makes of a buffer.
static ProgramUse use_of(const FpdProgram *program, uint32_t variant, uint32_t launch, uint32_t buffer) {
    const FpdResolvedLaunch *resolved = &program->launches[variant][launch];
    ProgramUse all = {0};
    for (uint32_t v = 0; v < resolved->entry->parameter_count; v++) {
        if (!resolved->values[v].pointer || resolved->values[v].buffer != buffer) continue;
        all.reads |= resolved->entry->parameters[v].use.reads;
        all.writes |= resolved->entry->parameters[v].use.writes;
    }
    return all;
}

bool fpd_reads_unfilled(const FpdProgram *program, uint32_t variant, uint32_t launch, uint32_t buffer) {
    if (program->cas->buffers[buffer].fill.given) return false;
    for (uint32_t i = 0; i < launch; i++)
        if (use_of(program, variant, i, buffer).writes) return false;
    return use_of(program, variant, launch, buffer).reads;
}

void fpd_print_unfilled(const FpdProgram *program, uint32_t variant, uint32_t launch, uint32_t buffer,
                        const char *where, Buffer *out) {
    const FpdCase *cas = program->cas;
    buffer_print(out, "%s is read %s without having been filled or written before, %s is %s\n",
                 cas->buffers[buffer].name, where,
                 use_of(program, variant, launch, buffer).writes ? "what the launch has not written itself" : "it",
                 cas->allow_unspecified ? "zeros" : "unspecified");
}

// The first launch that reads the buffer, which something unspecified comes from, or may come from: before anything was
// written there, or, if it does, at all.
static bool find_read(const Explain *x, uint32_t variant, uint32_t buffer, bool is_origin, FpdNoteRead *read) {
    *read = (FpdNoteRead){.variant = variant, .buffer = buffer};
    for (read->launch = 0; read->launch < x->cas->variants[variant].launch_count; read->launch++) {
        if (fpd_reads_unfilled(x->program, variant, read->launch, buffer)) return true;
        read->in_part = is_origin && use_of(x->program, variant, read->launch, buffer).reads;
        if (read->in_part) return true;
    }
    return false;
}

// Buffers that something unspecified in a run comes from, as far as it knows; else all that it may.
static void find_buffers(const Explain *x, const FpdRun *run, bool *buffers) {
    bool any = run->unspecified_error;
    for (uint32_t c = 0; run->unspecified && c < x->cas->compare_count; c++) any |= run->unspecified[c];
    if (run->tower) fpd_find_origin_buffers(x->cas, run, buffers);
    for (uint32_t b = 0; b < x->cas->buffer_count; b++)
        buffers[b] = (run->tower ? buffers[b] : any) && fpd_leaves_unfilled(x->machine, x->cas, b);
}

void fpd_explain_unfilled(Explain *x, FpdComparison *comparison) {
    const uint32_t buffer_count = x->cas->buffer_count;
    FpdNoteRead *reads = arena_array(x->arena, FpdNoteRead, 2 * (size_t)buffer_count + 1);
    Buffer text = {0};
    uint32_t count = 0;
    for (int side = 0; side < 2; side++) {
        const FpdRun *run = side ? comparison->right : comparison->left;
        const uint32_t variant = run->variant;
        bool *buffers = arena_array(x->arena, bool, buffer_count + 1u);
        find_buffers(x, run, buffers);
        for (uint32_t b = 0; b < buffer_count; b++) {
            FpdNoteRead *read = &reads[count];
            if (!buffers[b] || !find_read(x, variant, b, run->tower, read) || ++count > NOTE_ITEMS_MAX) continue;
            const char *where = arena_format(
                x->arena, "%sin launch %" PRIu32 " of %s (%s)", read->in_part ? "in part " : "", read->launch + 1,
                x->cas->variants[variant].name, x->program->launches[variant][read->launch].kernel);
            fpd_print_unfilled(x->program, variant, read->launch, b, where, &text);
        }
    }
    if (!count) return;
    const uint32_t named = count < NOTE_ITEMS_MAX ? count : NOTE_ITEMS_MAX;
    if (count > named) buffer_print(&text, "so are %" PRIu32 " more\n", count - named);
    FpdNote *note = fpd_note_add(comparison, FPD_NOTE_unfilled);
    note->reads = reads, note->read_count = named, note->left = count - named;
    note->message = fpd_note_message(x, &text);
}
