// SPDX-License-Identifier: Apache-2.0
// Where unspecified values decide: launches that read a buffer which neither `fill` nor the variant has written.
#include "diff/explain_internal.h"

#include <inttypes.h>

// All uses that a launch makes of a buffer.
static FpdUse use_of(const FpdProgram *program, uint32_t variant, uint32_t launch, uint32_t buffer) {
    const FpdResolvedLaunch *resolved = &program->launches[variant][launch];
    FpdUse all = {0};
    for (uint32_t v = 0; v < resolved->value_count; v++) {
        if (!resolved->values[v].pointer || resolved->values[v].buffer != buffer) continue;
        all.reads |= resolved->uses[v].reads;
        all.writes |= resolved->uses[v].writes;
    }
    return all;
}

bool fpd_reads_unfilled(const FpdProgram *program, uint32_t variant, uint32_t launch, uint32_t buffer) {
    if (program->cas->buffers[buffer].fill.given) return false;
    for (uint32_t i = 0; i < launch; i++)
        if (use_of(program, variant, i, buffer).writes) return false;
    return use_of(program, variant, launch, buffer).reads;
}

void fpd_print_unfilled(const FpdCase *cas, uint32_t buffer, const char *where, Buffer *out) {
    buffer_print(out, "%s is read %s without having been filled or written, it is %s\n", cas->buffers[buffer].name,
                 where, cas->allow_unspecified ? "zeros" : "unspecified");
}

// The first launch that reads the buffer: before anything was written there, or, if something unspecified comes from
// it, at all.
static bool find_read(const Explain *x, uint32_t variant, uint32_t buffer, bool is_origin, FpdNoteRead *read) {
    *read = (FpdNoteRead){.variant = variant, .buffer = buffer};
    for (read->launch = 0; read->launch < x->cas->variants[variant].launch_count; read->launch++) {
        if (fpd_reads_unfilled(x->program, variant, read->launch, buffer)) return true;
        read->in_part = is_origin && use_of(x->program, variant, read->launch, buffer).reads;
        if (read->in_part) return true;
    }
    return false;
}

void fpd_explain_unfilled(Explain *x, FpdPair *pair) {
    const uint32_t buffers = x->cas->buffer_count;
    Buffer text = {0};
    uint64_t decided = pair->unspecified;
    for (uint32_t c = 0; c < x->cas->compare_count; c++)
        decided += pair->differences[c].verdicts[FPD_ELEMENT_UNSPECIFIED].count;
    FpdNoteRead *reads = arena_array(x->arena, FpdNoteRead, 2 * (size_t)buffers + 1);
    uint32_t count = 0;
    for (int side = 0; side < 2 && decided; side++) {
        const uint32_t variant = side ? pair->variant : 0;
        bool *origins = arena_array(x->arena, bool, buffers + 1u);
        if (x->cas->tower && fpd_mode_is_payload(pair->mode))
            fpd_find_origin_buffers(x->cas, x->runs, variant, origins);
        for (uint32_t b = 0; b < buffers; b++) {
            if (!fpd_leaves_unfilled(x->machine, x->cas, b) || !find_read(x, variant, b, origins[b], &reads[count]))
                continue;
            const FpdNoteRead *read = &reads[count++];
            if (count > NOTE_ITEMS_MAX) continue;
            fpd_print_unfilled(x->cas, b,
                               arena_format(x->arena, "%sin launch %" PRIu32 " of %s (%s)",
                                            read->in_part ? "in part " : "", read->launch + 1,
                                            x->cas->variants[variant].name,
                                            x->program->launches[variant][read->launch].kernel),
                               &text);
        }
    }
    if (!count) return;
    const uint32_t named = count < NOTE_ITEMS_MAX ? count : NOTE_ITEMS_MAX;
    if (count > named) buffer_print(&text, "so are %" PRIu32 " more\n", count - named);
    FpdNote *note = fpd_note_add(pair, FPD_NOTE_unfilled);
    note->reads = reads, note->read_count = named, note->left = count - named;
    note->message = fpd_note_message(x, &text);
}
