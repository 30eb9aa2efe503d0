// SPDX-License-Identifier: Apache-2.0
// Why a verdict is what it is: notes for the comparisons of a case (notes.def).
#include "diff/report_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct Explain {
    Arena *arena; // of the notes
    FpdMachine *machine;
    FpdPrograms *programs;
    const FpdCase *cas;
    const FpdRuns *runs;
    FpdRun **masked[TOWER_MASKS_VANISHED + 1]; // per run: the one with other masks, where they were needed
} Explain;

// Each adds its note to a comparison, or leaves it.
#define NOTE(name, text, explain, modes) static void explain(Explain *x, FpdComparison *comparison);
#include "diff/notes.def"
#undef NOTE

enum { NOTE_ITEMS_MAX = 4 }; // constants, views and buffers that one note names

enum { ASK_FORMULA, ASK_ALL, ASK_ONCE };
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

// The note, to be filled in.
static FpdNote *add_note(FpdComparison *comparison, FpdNoteKind kind) {
    FpdNote *note = &comparison->notes[comparison->note_count++];
    *note = (FpdNote){.kind = kind};
    return note;
}

// The text as a message, in the arena; frees the buffer.
static const char *keep_message(Explain *x, Buffer *text) {
    const char *message = arena_text(x->arena, (const char *)text->data, text->size);
    buffer_free(text);
    return message;
}

// Runs that are made again for a note alone: what cannot be run is not said.
static FpdRunner note_runner(const Explain *x, Diagnostics *ignored, FpdPrograms *programs) {
    return (FpdRunner){ignored, x->arena, x->machine, programs};
}

static bool has_note(const FpdComparison *comparison, FpdNoteKind kind) {
    bool found = false;
    for (uint32_t n = 0; n < comparison->note_count; n++) found |= comparison->notes[n].kind == kind;
    return found;
}

static bool can_have(const FpdOutcome *outcome, uint32_t index, FpdNoteKind kind) {
    const FpdComparison *comparison = &outcome->comparisons[index];
    bool can = comparison->question != FPD_QUESTION_builds &&
               (note_rows[kind].asked != ASK_FORMULA || comparison->question == FPD_QUESTION_formula);
    for (uint32_t i = 0; can && note_rows[kind].asked == ASK_ONCE && i < index; i++) {
        const FpdComparison *earlier = &outcome->comparisons[i];
        can = earlier->left->variant != comparison->left->variant ||
              earlier->right->variant != comparison->right->variant || !has_note(earlier, kind);
    }
    return can;
}

void fpd_explain(const FpdRunner *runner, FpdOutcome *outcome) {
    Explain x = {.arena = runner->arena,
                 .machine = runner->machine,
                 .programs = runner->programs,
                 .cas = outcome->cas,
                 .runs = outcome->runs};
    for (uint32_t i = 0; i < outcome->comparison_count; i++)
        for (int kind = 0; kind < FPD_NOTE_COUNT; kind++)
            if (can_have(outcome, i, (FpdNoteKind)kind)) note_rows[kind].explain(&x, &outcome->comparisons[i]);
}

// ---- earlier buffers ------------------------------------------------------------------------------------------------

// What a kernel of threads writes is not known: buffers that have no fill, most likely.
static bool launch_writes(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer) {
    const ProgramUse use = fpd_launch_use(programs, variant, launch, buffer);
    return use.writes && (!use.unknown || !programs->cas->buffers[buffer].fill.given);
}

static bool variant_writes(const FpdPrograms *programs, uint32_t variant, uint32_t buffer) {
    for (uint32_t i = 0; i < programs->cas->variants[variant].launch_count; i++)
        if (launch_writes(programs, variant, i, buffer)) return true;
    return false;
}

// Those that both write and nobody compares, as the reference comes to write them.
static uint32_t find_earlier(const Explain *x, const FpdComparison *comparison, uint32_t *buffers) {
    uint32_t count = 0;
    const uint32_t left = comparison->left->variant, right = comparison->right->variant;
    for (uint32_t i = 0; i < x->cas->variants[left].launch_count; i++)
        for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
            bool known = fpd_is_compared(x->cas, b) || !launch_writes(x->programs, left, i, b);
            for (uint32_t k = 0; k < count; k++) known |= buffers[k] == b;
            known =
                known || fpd_may_hold_addresses(x->programs, left, b) || fpd_may_hold_addresses(x->programs, right, b);
            if (!known && variant_writes(x->programs, right, b)) buffers[count++] = b;
        }
    return count;
}

// The same case, but these buffers are compared.
static FpdPrograms program_comparing(Explain *x, uint32_t *buffers, uint32_t count) {
    FpdCase *cas = arena_new(x->arena, FpdCase);
    FpdPrograms programs = *x->programs;
    *cas = *x->cas;
    cas->compare = buffers, cas->compare_count = count;
    programs.cas = cas;
    return programs;
}

// Runs it, and as the results ask for it once more: two runs and a comparison. False: there is no memory for it, or the
// like; then nothing is said.
static bool run_both(Explain *x, FpdPrograms *programs, FpdComparison *comparison) {
    Diagnostics ignored = {0};
    FpdRuns runs = {.run_count = 2, .runs = arena_array(x->arena, FpdRun, 2)};
    const FpdRunner runner = note_runner(x, &ignored, programs);
    const FpdSettings settings = fpd_plain_settings(x->machine, programs->cas);
    FpdRun *both[2] = {fpd_plan_again(x->arena, comparison->left, &settings),
                       fpd_plan_again(x->arena, comparison->right, &settings)};
    bool good = fpd_run_again(&runner, 2, both);
    for (int side = 0; side < 2; side++) runs.runs[side] = *both[side];
    *comparison = (FpdComparison){.left = &runs.runs[0], .right = &runs.runs[1], .question = comparison->question};
    const FpdOutcome planned = {.comparison_count = 1, .comparisons = comparison};
    good = good && fpd_run_second(&runner, &runs, &planned);
    x->programs->results = programs->results;
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

static void explain_earlier(Explain *x, FpdComparison *comparison) {
    if (comparison->verdict != FPD_VERDICT_DIVERGED) return;
    uint32_t *buffers = arena_array(x->arena, uint32_t, x->cas->buffer_count + 1u);
    const uint32_t count = find_earlier(x, comparison, buffers),
                   named = count < NOTE_ITEMS_MAX ? count : NOTE_ITEMS_MAX;
    FpdPrograms programs = program_comparing(x, buffers, named);
    FpdComparison earlier = *comparison;
    if (!count || !run_both(x, &programs, &earlier)) return;
    FpdNoteBuffer *notes = arena_array(x->arena, FpdNoteBuffer, named);
    FpdNote *note = add_note(comparison, FPD_NOTE_earlier_buffers);
    Buffer text = {0};
    bool differs = false;
    for (uint32_t c = 0; c < named; c++) {
        notes[c] = compare_earlier(x, programs.cas, c, &earlier);
        print_earlier(x->cas, comparison, &notes[c], !differs, &text);
        differs |= notes[c].difference.different;
    }
    if (count > named) buffer_print(&text, "both write %" PRIu32 " more that are not compared\n", count - named);
    note->buffers = notes, note->buffer_count = named, note->left = count - named;
    note->message = keep_message(x, &text);
}

// ---- constants ------------------------------------------------------------------------------------------------------
// Of a divergence of records: constants of one of the two variants that are read bit for bit, because no rule says
// from what they were rounded. Where one was folded on the host, `means` says it.

enum { CONSTANTS_SEEN_MAX = 1024 }; // different ones of a variant; beyond are tables

typedef struct ConstantSet {
    const FpdCase *cas;
    uint32_t variant, count;
    FpdNoteConstant items[CONSTANTS_SEEN_MAX];
} ConstantSet;

static double constant_magnitude(const FpdNoteConstant *constant) {
    return fabs(fpsan_decode(constant->format, constant->bits));
}

static bool has_constant(const ConstantSet *set, const FpdNoteConstant *constant) {
    for (uint32_t i = 0; i < set->count; i++)
        if (constant_magnitude(&set->items[i]) == constant_magnitude(constant)) return true;
    return false;
}

static bool has_meaning(const FpdCase *cas, FpsanFormat format, uint64_t bits) {
    for (uint32_t i = 0; i < cas->meaning_count; i++)
        if (fpsan_encode_nearest(format, cas->meanings[i].value) == bits ||
            fpsan_encode_nearest(format, -cas->meanings[i].value) == bits)
            return true;
    return false;
}

// An FpdSeeConstant.
static void keep_opaque(void *context, FpsanFormat format, uint64_t bits, Location at) {
    ConstantSet *set = context;
    const FpdNoteConstant constant = {set->variant, format, bits, at};
    if (set->count == CONSTANTS_SEEN_MAX || has_constant(set, &constant) || has_meaning(set->cas, format, bits) ||
        !tower_constant_is_opaque(tower_chain(set->cas->chain), format, bits))
        return;
    set->items[set->count++] = constant;
}

static void see_variant(const Explain *x, uint32_t variant, ConstantSet *set) {
    const FpdVariant *owner = &x->cas->variants[variant];
    *set = (ConstantSet){.cas = x->cas, .variant = variant};
    for (uint32_t i = 0; i < owner->launch_count; i++) {
        const FpdResolvedLaunch *launch = &x->programs->launches[variant][i];
        for (uint32_t a = 0; a < owner->launches[i].argument_count; a++) {
            const FpdArgument *argument = &owner->launches[i].arguments[a];
            if (argument->kind == FPD_ARGUMENT_VALUE && element_is_float(argument->type))
                keep_opaque(set, element_format(argument->type), argument->bits, argument->at);
        }
        fpd_see_constants(launch->entry->constants, launch->entry->constant_count, keep_opaque, set);
    }
}

// "            1.00988653: ...  # fused, scale.py:12": a line for the case file.
static void print_constant(const FpdCase *cas, const FpdNoteConstant *constant, Buffer *out) {
    char number[FPD_TEXT_SIZE], place[TEXT_CELL_SIZE];
    const ElementType type = constant->format == FPSAN_F32 ? ELEMENT_F32 : ELEMENT_F64;
    fpd_element_text(type, constant->bits & ~(UINT64_C(1) << (element_info(type)->storage_bits - 1)), number);
    fpd_text_source(&constant->at, "a constant", place);
    buffer_print(out, "      %s: ...  # in %s, %s\n", number, cas->variants[constant->variant].name, place);
}

static void explain_constants(Explain *x, FpdComparison *comparison) {
    Arena scratch = {0};
    Buffer text = {0};
    if (!fpd_compares_records(comparison) || comparison->verdict != FPD_VERDICT_DIVERGED) return;
    ConstantSet *sets = arena_array(&scratch, ConstantSet, 2);
    FpdNoteConstant *named = arena_array(x->arena, FpdNoteConstant, NOTE_ITEMS_MAX);
    uint32_t count = 0;
    see_variant(x, comparison->left->variant, &sets[0]);
    see_variant(x, comparison->right->variant, &sets[1]);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sets[side].count; i++) {
            if (has_constant(&sets[!side], &sets[side].items[i])) continue; // the same in both explains nothing
            if (count < NOTE_ITEMS_MAX) {
                named[count] = sets[side].items[i];
                named[count].at = location_keep(x->arena, named[count].at); // programs are closed before the report
            }
            count++;
        }
    arena_reset(&scratch);
    if (!count) return;
    FpdNote *note = add_note(comparison, FPD_NOTE_constants);
    note->constants = named;
    note->constant_count = count < NOTE_ITEMS_MAX ? count : NOTE_ITEMS_MAX;
    note->left = count - note->constant_count;
    buffer_print(&text, "constants of one variant that are read bit for bit; was one rounded, or folded on the host, "
                        "the case may say from what:\n    means:\n");
    for (uint32_t i = 0; i < note->constant_count; i++) print_constant(x->cas, &named[i], &text);
    if (note->left) buffer_print(&text, "    and %" PRIu32 " more\n", note->left);
    note->message = keep_message(x, &text);
}

// ---- masks ----------------------------------------------------------------------------------------------------------
// Masks: an exp that is 0 as a number has the payload 0 where its operand is at or below TOWER_MASKED, and else that of
// any other power. Where such exps took part (TOWER_VANISHED) the variants run once more under other rules: what then
// becomes another verdict was decided by the rule.

static bool vanished_in(const FpdCase *cas, const FpdRun *run) {
    for (uint32_t c = 0; c < cas->compare_count; c++)
        for (uint64_t i = 0; run->records && run->records[c] && i < cas->buffers[cas->compare[c]].elements; i++)
            if (run->records[c][i].state & HOST_RECORD_VALID && run->records[c][i].state & TOWER_VANISHED) return true;
    return false;
}

// All runs with records, under another rule; those without such exps are as they were. NULL: they could not run again.
static FpdRun *const *runs_under(Explain *x, TowerMasks masks) {
    if (x->masked[masks]) return x->masked[masks];
    Diagnostics ignored = {0}; // other masks may lead to other addresses: then nothing is said
    const FpdRunner runner = note_runner(x, &ignored, x->programs);
    FpdRun **runs = arena_array(x->arena, FpdRun *, x->runs->run_count),
           **again = arena_array(x->arena, FpdRun *, x->runs->run_count);
    FpdSettings settings = fpd_plain_settings(x->machine, x->cas);
    uint32_t count = 0;
    settings.masks = masks;
    for (uint32_t r = 0; r < x->runs->run_count; r++) {
        runs[r] = &x->runs->runs[r];
        if (vanished_in(x->cas, runs[r])) runs[r] = again[count++] = fpd_plan_again(x->arena, runs[r], &settings);
    }
    if (fpd_run_again(&runner, count, again)) x->masked[masks] = runs;
    diagnostics_close(&ignored);
    return x->masked[masks];
}

// Without second runs: what only they explain says nothing about masks.
static FpdDifference compare_alone(Explain *x, Arena *arena, uint32_t c, const FpdRun *left, const FpdRun *right) {
    FpdRun alone[2] = {*left, *right};
    for (int side = 0; side < 2; side++) memset(alone[side].again, 0, sizeof alone[side].again);
    return fpd_compare_records(arena, x->cas, c, &x->runs->tiles[c], &alone[0], &alone[1]);
}

// How many elements become a divergence under the other rule, or, of a divergence, none.
static uint64_t count_decided(Explain *x, const FpdComparison *comparison, TowerMasks masks) {
    const bool diverged = comparison->verdict == FPD_VERDICT_DIVERGED;
    FpdRun *const *runs = runs_under(x, masks);
    const FpdRun *left = comparison->left, *right = comparison->right;
    uint64_t count = 0;
    for (uint32_t c = 0; runs && c < x->cas->compare_count; c++) {
        Arena scratch = {0};
        const FpdDifference plain = compare_alone(x, &scratch, c, left, right),
                            other =
                                compare_alone(x, &scratch, c, runs[left - x->runs->runs], runs[right - x->runs->runs]);
        for (uint64_t i = 0; i < plain.elements; i++) {
            const bool before = fpd_element_diverges(&plain, i), after = fpd_element_diverges(&other, i);
            count += diverged ? before && !after : !before && after;
        }
        arena_reset(&scratch);
    }
    return count;
}

static void add_masks(Explain *x, FpdComparison *comparison, uint64_t count, const char *why) {
    Buffer text = {0};
    FpdNote *note = add_note(comparison, FPD_NOTE_masks);
    note->elements = count;
    buffer_print(&text, "%" PRIu64 " of %" PRIu64 " elements %s\n", count, comparison->elements, why);
    note->message = keep_message(x, &text);
}

static void explain_masks(Explain *x, FpdComparison *comparison) {
    const bool diverged = comparison->verdict == FPD_VERDICT_DIVERGED;
    if (!fpd_compares_records(comparison) || !(diverged || comparison->verdict == FPD_VERDICT_EQUAL)) return;
    if (!vanished_in(x->cas, comparison->left) && !vanished_in(x->cas, comparison->right)) return;
    uint64_t count = count_decided(x, comparison, TOWER_MASKS_NONE);
    if (count) {
        add_masks(x, comparison, count,
                  diverged
                      ? "diverge only because exp of an operand at or below -8192 counts as 0, as masks do: in one "
                        "of the two it lies above"
                      : "are equal only because exp of an operand at or below -8192 counts as 0, as masks do");
        return;
    }
    count = diverged ? count_decided(x, comparison, TOWER_MASKS_VANISHED) : 0;
    if (count)
        add_masks(x, comparison, count,
                  "diverge only because of an exp that is 0 as a number, but not as a payload: its operand is above "
                  "-8192; mask with -inf or -1e6");
}

// ---- whole tiles ----------------------------------------------------------------------------------------------------
// Of results that are equal: whether any tile stuck out of its array. Where none did, neither tails nor what masks them
// were tested. Said only where all views of all launches are known to be divided without a rest.

// The tiles that the kernels of one pair take, those that are alike once.
typedef struct TileSurvey {
    const Explain *x;
    FpdNoteView views[NOTE_ITEMS_MAX];
    uint32_t count; // also of those that have no room
} TileSurvey;

static bool known_size(const FpdResolvedLaunch *launch, const ProgramSize *size, int64_t *number) {
    const FpdValue *value = size->parameter ? &launch->values[size->parameter - 1] : NULL;
    *number = value ? (int64_t)value->bits : size->number;
    return !value || !value->pointer;
}

// What an access sees of an array; false: not known.
static bool read_view(const TileSurvey *s, const FpdResolvedLaunch *launch, const ProgramAccess *access,
                      FpdNoteView *view) {
    const FpdValue *base = access->pointer ? &launch->values[access->pointer - 1] : NULL;
    *view = (FpdNoteView){.rank = access->rank};
    for (uint32_t d = 0; d < access->rank; d++) {
        view->tile[d] = access->tile[d];
        if (!known_size(launch, &access->extent[d], &view->extent[d])) return false;
    }
    if (base && base->pointer && !base->list) view->buffer = s->x->cas->buffers[base->buffer].name;
    return true;
}

static bool same_view(const FpdNoteView *a, const FpdNoteView *b) {
    bool same = a->buffer == b->buffer && a->rank == b->rank;
    for (uint32_t d = 0; same && d < a->rank; d++) same = a->tile[d] == b->tile[d] && a->extent[d] == b->extent[d];
    return same;
}

static void keep_view(TileSurvey *s, const FpdNoteView *view) {
    bool tiled = false;
    for (uint32_t d = 0; d < view->rank; d++) tiled |= view->tile[d] > 1;
    for (uint32_t i = 0; i < s->count && i < NOTE_ITEMS_MAX; i++) tiled &= !same_view(&s->views[i], view);
    if (!tiled) return;
    if (s->count < NOTE_ITEMS_MAX) s->views[s->count] = *view;
    s->count++;
}

// False: some tile sticks out, or it is not known whether one does.
static bool survey_access(TileSurvey *s, const FpdResolvedLaunch *launch, const ProgramAccess *access) {
    FpdNoteView view;
    if (access->kind == PROGRAM_ACCESS_ELEMENT) return true; // one element has no tail
    if (access->kind == PROGRAM_ACCESS_UNKNOWN || !read_view(s, launch, access, &view)) return false;
    for (uint32_t d = 0; d < view.rank; d++)
        if (view.extent[d] % view.tile[d]) return false;
    keep_view(s, &view);
    return true;
}

static bool survey_variant(TileSurvey *s, uint32_t variant) {
    for (uint32_t i = 0; i < s->x->cas->variants[variant].launch_count; i++) {
        const FpdResolvedLaunch *launch = &s->x->programs->launches[variant][i];
        if (launch->threads) return false; // not known
        for (uint32_t a = 0; a < launch->entry->access_count; a++)
            if (!survey_access(s, launch, &launch->entry->accesses[a])) return false;
    }
    return true;
}

static void print_sizes(Buffer *out, uint32_t rank, const int64_t *sizes) {
    for (uint32_t d = 0; d < rank; d++) buffer_print(out, "%s%" PRId64, d ? "x" : "", sizes[d]);
}

static void explain_tiles(Explain *x, FpdComparison *comparison) {
    Buffer text = {0};
    TileSurvey survey = {.x = x};
    if (comparison->verdict != FPD_VERDICT_EQUAL || !survey_variant(&survey, comparison->left->variant) ||
        !survey_variant(&survey, comparison->right->variant) || !survey.count)
        return;
    FpdNote *note = add_note(comparison, FPD_NOTE_whole_tiles);
    note->view_count = survey.count < NOTE_ITEMS_MAX ? survey.count : NOTE_ITEMS_MAX;
    note->left = survey.count - note->view_count;
    FpdNoteView *views = arena_array(x->arena, FpdNoteView, note->view_count);
    note->views = views;
    buffer_print(&text, "all sizes are multiples of their tiles (");
    for (uint32_t i = 0; i < note->view_count; i++) {
        views[i] = survey.views[i];
        buffer_print(&text, "%s%s ", i ? ", " : "", views[i].buffer ? views[i].buffer : "an array");
        print_sizes(&text, views[i].rank, views[i].extent);
        buffer_print(&text, " in ");
        print_sizes(&text, views[i].rank, views[i].tile);
    }
    buffer_print(&text, "%s): no tail, and no mask of one, was tested\n", note->left ? ", ..." : "");
    note->message = keep_message(x, &text);
}

// ---- memory of several devices --------------------------------------------------------------------------------------

// The first launch of a variant that is for several devices; NULL: there is none.
static const FpdResolvedLaunch *find_of_devices(const Explain *x, uint32_t variant) {
    for (uint32_t i = 0; i < x->cas->variants[variant].launch_count; i++)
        if (x->programs->launches[variant][i].entry->several_devices) return &x->programs->launches[variant][i];
    return NULL;
}

static void explain_device(Explain *x, FpdComparison *comparison) {
    Buffer text = {0};
    const uint32_t sides[] = {comparison->left->variant, comparison->right->variant};
    if (comparison->verdict != FPD_VERDICT_EQUAL && comparison->verdict != FPD_VERDICT_REPORTED) return;
    for (int side = 0; side < 2; side++) {
        const FpdResolvedLaunch *launch = find_of_devices(x, sides[side]);
        if (!launch) continue;
        buffer_print(&text, "%s%s in %s", text.size ? ", and " : "", launch->kernel,
                     x->cas->variants[sides[side]].name);
    }
    if (!text.size) return;
    FpdNote *note = add_note(comparison, FPD_NOTE_one_device);
    buffer_print(&text, " is for the memory of several devices, and ran on one: what other devices add, or get, was "
                        "not tested\n");
    note->message = keep_message(x, &text);
}

// ---- unfilled buffers -----------------------------------------------------------------------------------------------
// The first launch that reads the buffer, which something unspecified comes from, or may come from: before anything was
// written there, or, if it does, at all.
static bool find_read(const Explain *x, uint32_t variant, uint32_t buffer, bool is_origin, FpdNoteRead *read) {
    *read = (FpdNoteRead){.variant = variant, .buffer = buffer};
    for (read->launch = 0; read->launch < x->cas->variants[variant].launch_count; read->launch++) {
        if (fpd_reads_unfilled(x->programs, variant, read->launch, buffer)) return true;
        read->in_part = is_origin && fpd_launch_use(x->programs, variant, read->launch, buffer).reads;
        if (read->in_part) return true;
    }
    return false;
}

// Buffers that something unspecified in a run comes from, as far as it knows; else all that it may.
static void find_buffers(const Explain *x, const FpdRun *run, bool *buffers) {
    const bool any = fpd_count_unspecified(x->cas, run) != 0;
    if (run->tower) fpd_find_origin_buffers(x->cas, run, buffers);
    for (uint32_t b = 0; b < x->cas->buffer_count; b++)
        buffers[b] = (run->tower ? buffers[b] : any) && fpd_leaves_unfilled(x->machine, x->cas, b);
}

static void explain_unfilled(Explain *x, FpdComparison *comparison) {
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
                x->cas->variants[variant].name, x->programs->launches[variant][read->launch].kernel);
            fpd_print_unfilled(x->programs, variant, read->launch, b, where, &text);
        }
    }
    if (!count) return;
    const uint32_t named = count < NOTE_ITEMS_MAX ? count : NOTE_ITEMS_MAX;
    if (count > named) buffer_print(&text, "so are %" PRIu32 " more\n", count - named);
    FpdNote *note = add_note(comparison, FPD_NOTE_unfilled);
    note->reads = reads, note->read_count = named, note->left = count - named;
    note->message = keep_message(x, &text);
}
