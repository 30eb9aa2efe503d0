// SPDX-License-Identifier: Apache-2.0
// Of results that are equal: whether any tile stuck out of its array. Where none did, neither tails nor what masks them
// were tested. Said only where all views of all launches are known to be divided without a rest.
#include "diff/explain_internal.h"

#include <inttypes.h>

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
    if (base && base->pointer) view->buffer = s->x->cas->buffers[base->buffer].name;
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
        const FpdResolvedLaunch *launch = &s->x->program->launches[variant][i];
        for (uint32_t a = 0; a < launch->entry->access_count; a++)
            if (!survey_access(s, launch, &launch->entry->accesses[a])) return false;
    }
    return true;
}

static void print_sizes(Buffer *out, uint32_t rank, const int64_t *sizes) {
    for (uint32_t d = 0; d < rank; d++) buffer_print(out, "%s%" PRId64, d ? "x" : "", sizes[d]);
}

void fpd_explain_tiles(Explain *x, FpdComparison *comparison) {
    Buffer text = {0};
    TileSurvey survey = {.x = x};
    if (comparison->verdict != FPD_VERDICT_EQUAL || !survey_variant(&survey, comparison->left->variant) ||
        !survey_variant(&survey, comparison->right->variant) || !survey.count)
        return;
    FpdNote *note = fpd_note_add(comparison, FPD_NOTE_whole_tiles);
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
    note->message = fpd_note_message(x, &text);
}
