// SPDX-License-Identifier: Apache-2.0
// Why a verdict is what it is: notes for the comparisons of a case (notes.def), and what buffers that both variants
// write on the way to what is compared say.
#include "diff/explain_internal.h"
#include "diff/report_internal.h"

#include <inttypes.h>
#include <string.h>

enum { ASK_FORMULA, ASK_ALL };
static const struct NoteRow {
    const char *text;
    void (*explain)(Explain *x, FpdComparison *comparison);
    int asked;
} note_rows[FPD_NOTE_COUNT] = {
#define NOTE(name, text, explain, asked) {text, explain, ASK_##asked},
#include "diff/notes.def"
#undef NOTE
};

const char *fpd_note_text(FpdNoteKind kind) {
    return note_rows[kind].text;
}

FpdNote *fpd_note_add(FpdComparison *comparison, FpdNoteKind kind) {
    FpdNote *note = &comparison->notes[comparison->note_count++];
    *note = (FpdNote){.kind = kind};
    return note;
}

const char *fpd_note_message(Explain *x, Buffer *text) {
    const char *message = arena_text(x->arena, (const char *)text->data, text->size);
    buffer_free(text);
    return message;
}

FpdRunner fpd_note_runner(const Explain *x, Diagnostics *ignored, FpdProgram *program) {
    return (FpdRunner){ignored, x->arena, x->machine, program};
}

void fpd_explain(const FpdRunner *runner, FpdOutcome *outcome) {
    Explain x = {.arena = runner->arena,
                 .machine = runner->machine,
                 .program = runner->program,
                 .cas = outcome->cas,
                 .runs = outcome->runs};
    for (uint32_t i = 0; i < outcome->comparison_count; i++)
        for (int kind = 0; kind < FPD_NOTE_COUNT; kind++)
            if (note_rows[kind].asked == ASK_ALL || outcome->comparisons[i].question == FPD_QUESTION_formula)
                note_rows[kind].explain(&x, &outcome->comparisons[i]);
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
static uint32_t find_earlier(const Explain *x, const FpdComparison *comparison, uint32_t *buffers) {
    uint32_t count = 0;
    const uint32_t left = comparison->left->variant, right = comparison->right->variant;
    for (uint32_t i = 0; i < x->cas->variants[left].launch_count; i++)
        for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
            bool known = is_compared(x->cas, b) || !writes(x->program, left, i, b);
            for (uint32_t k = 0; k < count; k++) known |= buffers[k] == b;
            if (!known && variant_writes(x->program, right, b)) buffers[count++] = b;
        }
    return count;
}

// The same case, but these buffers are compared.
static FpdProgram program_comparing(Explain *x, uint32_t *buffers, uint32_t count) {
    FpdCase *cas = arena_new(x->arena, FpdCase);
    FpdProgram program = *x->program;
    *cas = *x->cas;
    cas->compare = buffers, cas->compare_count = count;
    program.cas = cas;
    return program;
}

// Runs it, and as the results ask for it once more: two runs and a comparison. False: there is no memory for it, or the
// like; then nothing is said.
static bool run_both(Explain *x, FpdProgram *program, FpdComparison *comparison) {
    Diagnostics ignored = {0};
    FpdRuns runs = {.run_count = 2, .runs = arena_array(x->arena, FpdRun, 2)};
    const FpdRunner runner = fpd_note_runner(x, &ignored, program);
    const FpdSettings settings = fpd_plain_settings(x->machine, program->cas);
    FpdRun *both[2] = {fpd_plan_again(x->arena, comparison->left, &settings),
                       fpd_plan_again(x->arena, comparison->right, &settings)};
    bool good = fpd_run_again(&runner, 2, both);
    for (int side = 0; side < 2; side++) runs.runs[side] = *both[side];
    *comparison = (FpdComparison){.left = &runs.runs[0], .right = &runs.runs[1], .question = comparison->question};
    const FpdOutcome planned = {.comparison_count = 1, .comparisons = comparison};
    good = good && fpd_run_second(&runner, &runs, &planned);
    diagnostics_close(&ignored);
    return good;
}

static FpdNoteBuffer compare_earlier(Explain *x, const FpdCase *cas, uint32_t c, const FpdComparison *comparison) {
    const FpdRun *left = comparison->left, *right = comparison->right;
    const ProgramUse tile = {0};
    FpdNoteBuffer note = {.difference = {0}};
    const FpdDifference *d = &note.difference;
    note.difference = fpd_compare_for(comparison->question, left, right)(x->arena, cas, c, &tile, left, right);
    if (!d->different || !fpd_compares_records(comparison)) return note;
    note.stored[0] = fpd_stored_by(left, fpd_element_of(cas, left, c, d->first[0]));
    note.stored[1] = fpd_stored_by(right, fpd_element_of(cas, right, c, d->first[0]));
    return note;
}

static void print_earlier(const FpdCase *cas, const FpdComparison *comparison, const FpdNoteBuffer *note, bool first,
                          Buffer *out) {
    const FpdDifference *d = &note->difference;
    const FpdBuffer *buffer = &cas->buffers[d->buffer];
    const FpdVariant *a = &cas->variants[comparison->left->variant], *b = &cas->variants[comparison->right->variant];
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

void fpd_explain_earlier(Explain *x, FpdComparison *comparison) {
    if (comparison->verdict != FPD_VERDICT_DIVERGED) return;
    uint32_t *buffers = arena_array(x->arena, uint32_t, x->cas->buffer_count + 1u);
    const uint32_t count = find_earlier(x, comparison, buffers),
                   named = count < NOTE_ITEMS_MAX ? count : NOTE_ITEMS_MAX;
    FpdProgram program = program_comparing(x, buffers, named);
    FpdComparison earlier = *comparison;
    if (!count || !run_both(x, &program, &earlier)) return;
    FpdNoteBuffer *notes = arena_array(x->arena, FpdNoteBuffer, named);
    FpdNote *note = fpd_note_add(comparison, FPD_NOTE_earlier_buffers);
    Buffer text = {0};
    bool differs = false;
    for (uint32_t c = 0; c < named; c++) {
        notes[c] = compare_earlier(x, program.cas, c, &earlier);
        print_earlier(x->cas, comparison, &notes[c], !differs, &text);
        differs |= notes[c].difference.different;
    }
    if (count > named) buffer_print(&text, "both write %" PRIu32 " more that are not compared\n", count - named);
    note->buffers = notes, note->buffer_count = named, note->left = count - named;
    note->message = fpd_note_message(x, &text);
}
