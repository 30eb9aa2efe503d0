// SPDX-License-Identifier: Apache-2.0
// Which lines of a variant may hold the bug: those where an edit makes it equal, then those where its values stop to
// occur in the reference.
#include "diff/locate.h"

#include <stdlib.h>
#include <string.h>

enum { SUSPECTS_MAX = 10, PROVEN_MAX = 3, PROOFS_MAX = 12, PARTIAL_SHARE = 5 };

typedef struct Locator {
    const FpdRunner *runner;
    const FpdCase *cas;
    uint32_t variant;
    Arena *arena;
    Repair *repair;
    const char *problem;
    FpdLocated *located;
    FpdSuspect suspects[SUSPECTS_MAX];
    uint32_t count;
} Locator;

// ---- the case as the search takes it --------------------------------------------------------------------------------

// Buffers are arrays of numbers there, without addresses, and each has one type.
static bool is_real(Locator *l, uint32_t variant) {
    for (uint32_t b = 0; b < l->cas->buffer_count; b++)
        if (l->cas->buffers[b].fill.addresses) return l->problem = "a buffer holds addresses", false;
    for (uint32_t i = 0; i < l->cas->variants[variant].launch_count; i++) {
        const FpdResolvedLaunch *launch = &l->runner->programs->launches[variant][i];
        for (uint32_t v = 0; !launch->threads && v < launch->entry->parameter_count; v++) {
            const FpdValue *value = &launch->values[v];
            if (value->list) return l->problem = "a launch takes a list of arrays", false;
            if (value->pointer && launch->entry->parameters[v].type != l->cas->buffers[value->buffer].type)
                return l->problem = "a launch takes a view of another type", false;
        }
    }
    return true;
}

static const RealArgument *launch_arguments(const Locator *l, const FpdResolvedLaunch *launch) {
    RealArgument *arguments = arena_array(l->arena, RealArgument, launch->entry->parameter_count + 1u);
    for (uint32_t i = 0; i < launch->entry->parameter_count; i++) {
        const FpdValue *value = &launch->values[i];
        const uint32_t bits = value->pointer ? element_info(l->cas->buffers[value->buffer].type)->storage_bits : 1;
        arguments[i] = (RealArgument){.pointer = value->pointer,
                                      .buffer = value->buffer,
                                      .offset = (int64_t)(8 * value->offset / bits),
                                      .bits = value->bits};
    }
    return arguments;
}

static RepairVariant describe_variant(const Locator *l, uint32_t variant) {
    const FpdVariant *of = &l->cas->variants[variant];
    RepairLaunch *launches = arena_array(l->arena, RepairLaunch, of->launch_count + 1u);
    for (uint32_t i = 0; i < of->launch_count; i++) {
        const FpdResolvedLaunch *resolved = &l->runner->programs->launches[variant][i];
        const Program *program = l->runner->programs->modules[resolved->module].program;
        launches[i] =
            (RepairLaunch){.program = program,
                           .kernel = (uint32_t)(resolved->entry - program->kernels),
                           .grid = {of->launches[i].grid[0], of->launches[i].grid[1], of->launches[i].grid[2]},
                           .argument_count = resolved->entry->parameter_count,
                           .arguments = resolved->threads ? NULL : launch_arguments(l, resolved)};
    }
    return (RepairVariant){of->launch_count, launches};
}

static bool describe_buffers(Locator *l, RepairBuffer *buffers) {
    for (uint32_t b = 0; b < l->cas->buffer_count; b++) {
        const FpdBuffer *buffer = &l->cas->buffers[b];
        uint8_t *bytes = NULL;
        if (buffer->fill.given || l->cas->allow_unspecified) {
            bytes = arena_alloc(l->arena, buffer->bytes + 1);
            if (!fpd_fill_buffer(l->runner->diagnostics, buffer, l->cas->seed, 1, bytes)) return false;
        }
        buffers[b] = (RepairBuffer){.type = buffer->type,
                                    .elements = buffer->elements,
                                    .rank = buffer->rank,
                                    .shape = buffer->shape,
                                    .bytes = bytes,
                                    .compared = fpd_is_compared(l->cas, b)};
    }
    return true;
}

static bool open_repair(Locator *l) {
    RepairBuffer *buffers = arena_array(l->arena, RepairBuffer, l->cas->buffer_count + 1u);
    if (!is_real(l, 0) || !is_real(l, l->variant)) return false;
    l->problem = "the buffers cannot be filled";
    if (!describe_buffers(l, buffers)) return false;
    const RepairVariant variants[2] = {describe_variant(l, 0), describe_variant(l, l->variant)};
    l->repair = repair_open(l->arena, l->cas->buffer_count, buffers, variants, &l->problem);
    if (l->repair && !repair_wrong_count(l->repair)) l->problem = "in real numbers both variants agree";
    return l->repair && !l->problem;
}

// ---- suspects -------------------------------------------------------------------------------------------------------

static FpdSuspect *find_suspect(Locator *l, bool of_launch, uint32_t launch, const Location *at) {
    for (uint32_t i = 0; i < l->count; i++) {
        FpdSuspect *s = &l->suspects[i];
        if (s->of_launch != of_launch) continue;
        if (of_launch ? s->launch == launch
                      : s->at.line == at->line && s->at.offset == at->offset && s->at.file && at->file &&
                            !strcmp(s->at.file, at->file))
            return s;
    }
    return NULL;
}

static FpdSuspect *add_suspect(Locator *l, bool of_launch, uint32_t launch, Location at) {
    FpdSuspect *s = find_suspect(l, of_launch, launch, &at);
    if (s || l->count == SUSPECTS_MAX) return s;
    s = &l->suspects[l->count++];
    *s = (FpdSuspect){.of_launch = of_launch, .launch = launch, .at = location_keep(l->arena, at)};
    return s;
}

static Location place_of(const Locator *l, const RepairEdit *edit) {
    return repair_is_of_launch(edit) ? l->cas->variants[l->variant].launches[edit->launch].at : edit->at;
}

static void add_proven(Locator *l, const RepairEdit *edit, FpdFresh shown) {
    FpdSuspect *s = add_suspect(l, repair_is_of_launch(edit), edit->launch, place_of(l, edit));
    if (!s) return;
    s->edit_count++;
    if (s->proven) return; // the line has one already
    s->proven = true;
    s->shown = shown;
    s->edit = repair_words(l->arena, l->repair, edit);
}

// Runs the edits that look right, the likeliest first, until enough lines have one that is. Those that are not right
// with the strongest data come last. None but the first is begun after `until`, in processor time of
// the process, so that what is found does not depend on what else runs.
static void prove_edits(Locator *l, const RepairEdit *edits, uint32_t count, double until) {
    const FpdFresh strongest = FPD_FRESH_COUNT - 1;
    FpdFresh *shown = arena_array(l->arena, FpdFresh, count + 1u);
    for (uint32_t i = 0; i < count; i++) shown[i] = FPD_FRESH_COUNT;
    for (uint32_t i = 0; i < count && l->count < PROVEN_MAX && l->located->proofs < PROOFS_MAX; i++) {
        if (l->located->proofs && clock_process_seconds() > until) break;
        const Location at = place_of(l, &edits[i]);
        FpdSuspect *s = find_suspect(l, repair_is_of_launch(&edits[i]), edits[i].launch, &at);
        if (s) { // the line has one already
            s->edit_count++;
            continue;
        }
        l->located->proofs++;
        l->located->refuted += !fpd_proves(l->runner, l->variant, l->repair, &edits[i], &shown[i]);
        if (shown[i] == strongest) add_proven(l, &edits[i], strongest);
    }
    for (FpdFresh level = strongest; level-- > 0;)
        for (uint32_t i = 0; i < count && l->count < PROVEN_MAX; i++)
            if (shown[i] == level) add_proven(l, &edits[i], level);
}

// ---- where values stop to occur -------------------------------------------------------------------------------------

enum { TELLS = 8 }; // so many values say whether they occur

static bool is_found(const RepairTap *tap) {
    return tap->count >= TELLS && tap->found * 10 >= tap->count * 9;
}

static FpdTapped tapped(const Locator *l, const RepairTap *tap) {
    return (FpdTapped){location_keep(l->arena, tap->at), tap->launch, arena_keep(l->arena, tap->name), tap->count,
                       tap->found};
}

static void find_frontier(Locator *l) {
    uint32_t count;
    FpdFrontier *f = &l->located->frontier;
    const RepairTap *taps = repair_taps(l->repair, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (taps[i].count < TELLS || taps[i].constant) continue;
        if (is_found(&taps[i])) {
            f->last = tapped(l, &taps[i]);
            if (!f->first.op) f->before = f->last;
        } else if (!f->first.op)
            f->first = tapped(l, &taps[i]);
    }
}

// Lines whose values no longer occur in the reference, those behind a line whose values do first.
static void add_frontier(Locator *l) {
    uint32_t count;
    const RepairTap *taps = repair_taps(l->repair, &count);
    for (int pass = 0; pass < 2; pass++) {
        bool found = false;
        for (uint32_t i = 0; i < count; i++) {
            const RepairTap *tap = &taps[i];
            if (tap->count < TELLS) continue;
            const bool frontier = found && !is_found(tap);
            found = is_found(tap);
            if (is_found(tap) || (!pass && !frontier) || l->count == SUSPECTS_MAX) continue;
            FpdSuspect *s = add_suspect(l, false, tap->launch, tap->at);
            if (s && !s->edit && !s->reason)
                s->reason = arena_format(l->arena, "%.0f %% of the values of %s occur in the reference",
                                         100.0 * (double)tap->found / (double)tap->count, tap->name);
        }
    }
}

static void add_stores(Locator *l) {
    const FpdRun *run = l->located->comparison->right;
    for (uint32_t c = 0; c < l->cas->compare_count; c++) {
        const FpdDifference *d = &l->located->comparison->differences[c];
        if (!d->different) continue;
        const FpdStore *store = fpd_writer_of(l->cas, run, c, d->first[0]);
        if (!store) continue;
        if (!l->located->stored_at.file) l->located->stored_at = location_keep(l->arena, store->by.at);
        FpdSuspect *s = add_suspect(l, false, store->launch, store->by.at);
        if (s && !s->edit && !s->reason) s->reason = "the wrong elements are stored here";
    }
}

static bool same_line(const Location *a, const Location *b) {
    return a->line == b->line && !strcmp(a->file, b->file);
}

static void list_lines(Locator *l) {
    uint32_t count;
    const RepairTap *taps = repair_taps(l->repair, &count);
    Location *lines = arena_array(l->arena, Location, count + 1u);
    for (uint32_t i = 0; i < count; i++) {
        bool known = !taps[i].at.file || !taps[i].at.line;
        for (uint32_t k = 0; !known && k < l->located->line_count; k++) known = same_line(&lines[k], &taps[i].at);
        if (!known) lines[l->located->line_count++] = location_keep(l->arena, taps[i].at);
    }
    l->located->lines = lines;
}

void fpd_locate(const FpdRunner *runner, const FpdOutcome *outcome, const FpdComparison *comparison,
                const FpdLocateOptions *options, FpdLocated *located) {
    Locator *l = arena_new(runner->arena, Locator);
    const double start = clock_wall_seconds();
    *l = (Locator){.runner = runner,
                   .cas = outcome->cas,
                   .variant = comparison->right->variant,
                   .arena = runner->arena,
                   .located = located};
    *located = (FpdLocated){.comparison = comparison};
    fpd_find_relations(runner->arena, outcome->cas, comparison, located);
    if (open_repair(l)) {
        uint32_t count;
        const RepairOptions search = {.seconds = options->seconds, .most = 8};
        const RepairEdit *edits = repair_search(l->repair, &search, &count);
        located->listed = repair_listed_count(l->repair);
        located->trials = repair_trial_count(l->repair);
        prove_edits(l, edits, count, clock_process_seconds() + 2 * options->seconds);
        fpd_find_partial(runner, comparison, l->repair, options->seconds / PARTIAL_SHARE, located);
    }
    fpd_confirm_relations(runner, l->variant, located);
    if (l->repair) {
        list_lines(l);
        find_frontier(l);
        add_frontier(l);
    }
    add_stores(l);
    located->problem = l->problem ? arena_keep(l->arena, l->problem) : NULL;
    located->suspects = l->suspects;
    located->suspect_count = l->count;
    located->seconds = clock_wall_seconds() - start;
    repair_close(l->repair);
}
