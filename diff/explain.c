// SPDX-License-Identifier: Apache-2.0
// Why a verdict is what it is: notes for the pairs of a case (notes.def), and what buffers that both variants write on
// the way to what is compared say.
#include "diff/explain_internal.h"
#include "diff/report_internal.h"

#include <inttypes.h>
#include <string.h>

enum { IN_PAYLOAD, IN_ALL };
static const struct NoteRow {
    const char *text;
    void (*explain)(Explain *x, FpdPair *pair);
    int modes;
} note_rows[FPD_NOTE_COUNT] = {
#define NOTE(name, text, explain, modes) {text, explain, IN_##modes},
#include "diff/notes.def"
#undef NOTE
};

const char *fpd_note_text(FpdNoteKind kind) {
    return note_rows[kind].text;
}

FpdNote *fpd_note_add(FpdPair *pair, FpdNoteKind kind) {
    FpdNote *note = &pair->notes[pair->note_count++];
    *note = (FpdNote){.kind = kind};
    return note;
}

const char *fpd_note_message(Explain *x, Buffer *text) {
    const char *message = arena_text(x->arena, (const char *)text->data, text->size);
    buffer_free(text);
    return message;
}

void fpd_explain(Arena *arena, FpdMachine *machine, const FpdProgram *program, FpdOutcome *outcome) {
    Explain x = {.arena = arena, .machine = machine, .program = program, .cas = program->cas, .runs = outcome->runs};
    for (uint32_t p = 0; p < outcome->pair_count; p++)
        for (int kind = 0; kind < FPD_NOTE_COUNT; kind++)
            if (note_rows[kind].modes == IN_ALL || fpd_mode_is_payload(outcome->pairs[p].mode))
                note_rows[kind].explain(&x, &outcome->pairs[p]);
}

// ---- earlier buffers

static bool writes(const FpdProgram *program, uint32_t variant, uint32_t launch, uint32_t buffer) {
    const FpdResolvedLaunch *resolved = &program->launches[variant][launch];
    for (uint32_t v = 0; v < resolved->entry->parameter_count; v++)
        if (resolved->values[v].pointer && resolved->values[v].buffer == buffer &&
            resolved->entry->parameters[v].use.writes)
            return true;
    return false;
}

static bool variant_writes(const FpdProgram *program, uint32_t variant, uint32_t buffer) {
    for (uint32_t i = 0; i < program->cas->variants[variant].launch_count; i++)
        if (writes(program, variant, i, buffer)) return true;
    return false;
}

static bool is_compared(const FpdCase *cas, uint32_t buffer) {
    for (uint32_t c = 0; c < cas->compare_count; c++)
        if (cas->compare[c] == buffer) return true;
    return false;
}

// Those that both write and nobody compares, as the reference comes to write them.
static uint32_t find_earlier(const Explain *x, const FpdPair *pair, uint32_t *buffers) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->cas->variants[0].launch_count; i++)
        for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
            bool known = is_compared(x->cas, b) || !writes(x->program, 0, i, b);
            for (uint32_t k = 0; k < count; k++) known |= buffers[k] == b;
            if (!known && variant_writes(x->program, pair->variant, b)) buffers[count++] = b;
        }
    return count;
}

// The pair as a case of its own, which compares these buffers.
static FpdProgram pair_program(Explain *x, const FpdPair *pair, uint32_t *buffers, uint32_t count) {
    FpdCase *cas = arena_new(x->arena, FpdCase);
    FpdProgram program = *x->program;
    *cas = *x->cas;
    cas->compare = buffers, cas->compare_count = count;
    cas->variant_count = 2;
    cas->variants = arena_array(x->arena, FpdVariant, 2);
    program.cas = cas;
    program.launches = arena_array(x->arena, FpdResolvedLaunch *, 2);
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t variant = side ? pair->variant : 0;
        cas->variants[side] = x->cas->variants[variant];
        program.launches[side] = x->program->launches[variant];
    }
    return program;
}

// Runs it, and as the results ask for it once more. False: there is no memory for it, or the like; then nothing is
// said.
static bool run_pair(Explain *x, const FpdProgram *program, FpdMode mode, FpdRuns *runs) {
    Diagnostics ignored = {0};
    const bool both[2] = {true, true};
    const FpdSettings settings = fpd_plain_settings(x->machine, program->cas);
    runs->runs[mode] = arena_array(x->arena, FpdRun, 2);
    bool good = fpd_run_again(&ignored, x->arena, x->machine, program, mode, &settings, both, runs->runs[mode]) &&
                (!program->cas->tower || fpd_run_second(&ignored, x->arena, x->machine, program, runs));
    diagnostics_close(&ignored);
    return good;
}

static FpdNoteBuffer compare_earlier(Explain *x, const FpdCase *cas, uint32_t c, const FpdSide sides[2]) {
    const FpdRun *a = sides[0].run, *b = sides[1].run;
    const ProgramUse tile = {0};
    FpdNoteBuffer note = {.difference = {0}};
    if (!cas->tower) {
        note.difference = fpd_compare_buffers(x->arena, &cas->buffers[cas->compare[c]], cas->compare[c], true,
                                              (FpdTolerance){0}, &tile, a->bytes[c], b->bytes[c]);
        return note;
    }
    const FpdDifference *d = &note.difference;
    note.difference = fpd_compare_tower(x->arena, cas, c, &tile, &sides[0], &sides[1]);
    if (!d->different) return note;
    const Tower *tower = tower_chain(cas->chain);
    ElementType type = cas->buffers[d->buffer].type;
    note.stored[0] = fpd_stored_by(a, fpd_shadowed(tower, type, d->reference, d->reference_records, d->first[0]));
    note.stored[1] = fpd_stored_by(b, fpd_shadowed(tower, type, d->other, d->other_records, d->first[0]));
    return note;
}

static void print_earlier(const FpdCase *cas, const FpdPair *pair, const FpdNoteBuffer *note, bool first, Buffer *out) {
    const FpdDifference *d = &note->difference;
    const FpdBuffer *buffer = &cas->buffers[d->buffer];
    const FpdVariant *a = &cas->variants[0], *b = &cas->variants[pair->variant];
    char places[2][TEXT_CELL_SIZE];
    buffer_print(out, "%s, which both write too, ", buffer->name);
    if (!d->different) {
        buffer_print(out, "is equal\n");
        return;
    }
    buffer_print(out, "differs already: %" PRIu64 " of %" PRIu64 " elements (", d->different, d->elements);
    fpd_text_share(out, d->different, d->elements);
    buffer_print(out, "), the first at ");
    fpd_print_index(buffer, d->first[0], out);
    buffer_print(out, "%s\n", first ? "; look there first" : "");
    if (!note->stored[0] && !note->stored[1]) return;
    fpd_text_store(note->stored[0], a, places[0]);
    fpd_text_store(note->stored[1], b, places[1]);
    buffer_print(out, "    stored by %s: %s, by %s: %s\n", a->name, places[0], b->name, places[1]);
}

void fpd_explain_earlier(Explain *x, FpdPair *pair) {
    if (pair->verdict != FPD_VERDICT_DIVERGED) return;
    uint32_t *buffers = arena_array(x->arena, uint32_t, x->cas->buffer_count + 1u);
    const uint32_t count = find_earlier(x, pair, buffers), named = count < NOTE_ITEMS_MAX ? count : NOTE_ITEMS_MAX;
    const FpdProgram program = pair_program(x, pair, buffers, named);
    FpdRuns runs = {0};
    if (!count || !run_pair(x, &program, pair->mode, &runs)) return;
    FpdSide sides[2] = {{.run = &runs.runs[pair->mode][0]}, {.run = &runs.runs[pair->mode][1]}};
    for (uint32_t side = 0; x->cas->tower && side < 2; side++) sides[side] = fpd_side(&runs, side);
    FpdNoteBuffer *notes = arena_array(x->arena, FpdNoteBuffer, named);
    FpdNote *note = fpd_note_add(pair, FPD_NOTE_earlier_buffers);
    Buffer text = {0};
    bool differs = false;
    for (uint32_t c = 0; c < named; c++) {
        notes[c] = compare_earlier(x, program.cas, c, sides);
        print_earlier(x->cas, pair, &notes[c], !differs, &text);
        differs |= notes[c].difference.different;
    }
    if (count > named) buffer_print(&text, "both write %" PRIu32 " more that are not compared\n", count - named);
    note->buffers = notes, note->buffer_count = named, note->left = count - named;
    note->message = fpd_note_message(x, &text);
}
