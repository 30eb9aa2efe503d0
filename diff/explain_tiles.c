// SPDX-License-Identifier: Apache-2.0
// Of results that are equal: whether any tile stuck out of its array. Where none did, neither tails nor what masks them
// were tested. Said only where all views of all launches are known to be divided without a rest.
#include "diff/explain_internal.h"

#include <inttypes.h>

// The tiles that the kernels of one pair take, those that are alike once.
typedef struct TileSurvey {
    const Explain *x;
    const FpdResolvedLaunch *launch;
    const TirFunction *function;
    FpdNoteView views[NOTE_ITEMS_MAX];
    uint32_t count; // also of those that have no room
} TileSurvey;

// The parameter of the entry that the value is, or is a wider or narrower form of; -1: none.
static int64_t parameter_of(const TileSurvey *s, TirValue value) {
    for (;;) {
        const TirValueInfo *info = tir_value(s->function, value);
        const TirOp *op = info->definition;
        if (!op) return info->block == s->function->body.first ? (int64_t)info->index : -1;
        TirValue from = op->kind == TIR_OP_exti || op->kind == TIR_OP_trunci ? op->operands[0] : tir_op_passed(op);
        if (op->region_count || from == TIR_NO_VALUE) return -1;
        value = from;
    }
}

static bool known_number(const TileSurvey *s, TirValue value, int64_t *number) {
    const TirOp *op = tir_value(s->function, value)->definition;
    if (op && op->kind == TIR_OP_constant) {
        const TirModule *module = s->function->module;
        const TirType type = tir_value_type(s->function, value);
        *number = (int64_t)tir_constant_bits(module, type, &tir_attribute(op, "value")->constant, 0);
        return true;
    }
    const int64_t parameter = parameter_of(s, value);
    if (parameter < 0 || s->launch->values[parameter].pointer) return false;
    *number = (int64_t)s->launch->values[parameter].bits;
    return true;
}

// The op that made a view, through assumptions.
static const TirOp *maker_of(const TileSurvey *s, TirValue view) {
    const TirOp *op = tir_value(s->function, view)->definition;
    while (op && op->kind == TIR_OP_assume) op = tir_value(s->function, op->operands[0])->definition;
    return op;
}

// What an access sees of an array; false: not known.
static bool read_view(const TileSurvey *s, TirValue value, FpdNoteView *view) {
    const TirModule *module = s->function->module;
    const TirTypeInfo *type = tir_type(module, tir_value_type(s->function, value));
    const TirTypeInfo *tensor = tir_type(module, type->element);
    const TirOp *op = maker_of(s, value), *tensor_op = op && op->operand_count ? maker_of(s, op->operands[0]) : NULL;
    const TirValue *shape = NULL;
    if (type->kind != TIR_TYPE_partition_view && type->kind != TIR_TYPE_strided_view) return false;
    for (uint32_t d = 0; type->kind == TIR_TYPE_strided_view && d < type->rank; d++)
        if (type->strides[d] != type->shape[d]) return false; // the tiles overlap or leave gaps
    if (!tensor_op || tensor_op->kind != TIR_OP_make_tensor_view || tensor->rank > FPD_RANK_MAX) return false;
    *view = (FpdNoteView){.rank = tensor->rank};
    uint32_t next = 0, dynamic = tir_operands(tensor_op, "shape", &shape);
    for (uint32_t d = 0; d < tensor->rank; d++) {
        view->tile[d] = 1;
        view->extent[d] = tensor->shape[d];
        if (tensor->shape[d] != TIR_DYNAMIC) continue;
        if (next == dynamic || !known_number(s, shape[next++], &view->extent[d])) return false;
    }
    for (uint32_t d = 0; d < type->rank; d++) {
        const uint32_t at = type->dim_map ? (uint32_t)type->dim_map[d] : d;
        if (at >= tensor->rank) return false;
        view->tile[at] = type->shape[d];
    }
    const int64_t base = parameter_of(s, tir_operand(tensor_op, "base"));
    if (base >= 0 && s->launch->values[base].pointer)
        view->buffer = s->x->cas->buffers[s->launch->values[base].buffer].name;
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
static bool survey_op(TileSurvey *s, const TirOp *op) {
    const TirValue address = tir_op_address(op);
    FpdNoteView view;
    if (!tir_op_does(op, TIR_READS | TIR_WRITES)) return true;
    if (address == TIR_NO_VALUE) return false;
    const TirType type = tir_value_type(s->function, address);
    if (tir_type(s->function->module, type)->kind == TIR_TYPE_tile)
        return tir_tile_elements(s->function->module, type) == 1; // one element has no tail
    if (!read_view(s, address, &view)) return false;
    for (uint32_t d = 0; d < view.rank; d++)
        if (view.extent[d] % view.tile[d]) return false;
    keep_view(s, &view);
    return true;
}

static bool survey_variant(TileSurvey *s, uint32_t variant) {
    for (uint32_t i = 0; i < s->x->cas->variants[variant].launch_count; i++) {
        s->launch = &s->x->program->launches[variant][i];
        s->function = &s->x->program->modules[s->launch->module].tir->functions[s->launch->function];
        for (const TirOp *op = tir_first_op(&s->function->body); op; op = tir_next_op(&s->function->body, op))
            if (!survey_op(s, op)) return false;
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
