// SPDX-License-Identifier: Apache-2.0
// The report for programs: docs/fpdiff.md describes every key. All but "times" is the same for the same case and seed.
#include "diff/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Paths may be any bytes. What is not UTF-8 in them becomes U+FFFD.
static json_t *json_any_bytes(const char *text) {
    Buffer clean = {0};
    for (const char *at = text; *at;) {
        size_t length = 1;
        json_t *one = NULL;
        while (length <= 4 && strnlen(at, length) == length && !(one = json_stringn(at, length))) length++;
        if (one)
            buffer_append(&clean, at, length);
        else
            buffer_append(&clean, "\xef\xbf\xbd", 3);
        at += one ? length : 1;
        json_decref(one);
    }
    json_t *value = json_stringn(clean.data, clean.size);
    buffer_free(&clean);
    return value;
}

json_t *fpd_json_text(const char *text) {
    json_t *value = text ? json_string(text) : json_null();
    return value ? value : json_any_bytes(text);
}

json_t *fpd_json_number(double value) {
    if (isnan(value)) return json_string("nan");
    if (isinf(value)) return json_string(value < 0 ? "-inf" : "inf");
    return json_real(value);
}

json_t *fpd_json_index(const FpdBuffer *buffer, uint64_t linear) {
    json_t *list = json_array();
    for (uint32_t d = buffer->rank; d-- > 0; linear /= (uint64_t)buffer->shape[d])
        json_array_insert_new(list, 0, json_integer((json_int_t)(linear % (uint64_t)buffer->shape[d])));
    return list;
}

static json_t *json_sizes(uint32_t count, const int64_t *sizes) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) json_array_append_new(list, json_integer(sizes[i]));
    return list;
}

static json_t *json_hex(ElementType type, uint64_t bits) {
    char text[FPD_TEXT_SIZE];
    snprintf(text, sizeof text, "0x%0*" PRIx64, (int)(element_info(type)->storage_bits / 4), bits);
    return json_string(text);
}

static json_t *json_element(const FpdCase *cas, ElementType type, bool payload, uint64_t bits) {
    json_t *element = json_object();
    json_object_set_new(element, "bits", json_hex(type, bits));
    if (payload && element_is_float(type))
        json_object_set_new(element, "payload",
                            json_hex(type, fpsan_embed(cas->algebra.profile, element_format(type), bits)));
    else if (element_is_float(type))
        json_object_set_new(element, "value", fpd_json_number(fpd_element_value(type, bits)));
    else {
        char text[FPD_TEXT_SIZE];
        fpd_element_text(type, bits, text);
        json_object_set_new(element, "value", json_integer(strtoll(text, NULL, 10)));
    }
    return element;
}

// ---- payloads beside the numbers ------------------------------------------------------------------------------------

static void set_place(json_t *object, const Location *at) {
    if (at->file) json_object_set_new(object, "file", fpd_json_text(at->file));
    if (at->line) json_object_set_new(object, "line", json_integer(at->line));
    if (at->line && at->column) json_object_set_new(object, "column", json_integer(at->column));
    if (at->has_offset) json_object_set_new(object, "offset", json_integer((json_int_t)at->offset));
}

json_t *fpd_json_store(const FpdStore *store) {
    if (!store) return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "op", fpd_json_text(store->by.op));
    set_place(object, &store->by.at);
    json_object_set_new(object, "launch", json_integer((json_int_t)store->launch + 1));
    json_object_set_new(object, "kernel", fpd_json_text(store->kernel));
    return object;
}

static void set_list(json_t *object, const char *key, json_t *list) {
    if (json_array_size(list))
        json_object_set_new(object, key, list);
    else
        json_decref(list);
}

// Bits and number as everywhere; of floats the payload, and the store that wrote it (null: a value from outside).
static json_t *json_shadowed(const FpdCase *cas, ElementType type, const FpdRun *run, FpdShadowed a) {
    static const char *const kinds[] = {"finite", "inf", "-inf", "nan"};
    _Static_assert(BASE_COUNT(kinds) == (TOWER_KIND >> TOWER_KIND_SHIFT) + 1, "all kinds of payloads");
    json_t *element = json_element(cas, type, false, a.bits), *components = json_array();
    if (element_is_float(type) || tower_is_poison(a.payload)) {
        const uint32_t missing = tower_group(a.tower, a.payload.state, TOWER_MISSING_SHIFT);
        for (unsigned i = 0; i < a.tower->length; i++)
            json_array_append_new(components, missing >> i & 1 ? json_null() : json_integer(a.payload.component[i]));
        if (tower_is_poison(a.payload))
            json_object_set_new(element, "kind", fpd_json_text("unspecified"));
        else
            json_object_set_new(element, "kind",
                                fpd_json_text(kinds[(a.payload.state & TOWER_KIND) >> TOWER_KIND_SHIFT]));
        json_object_set_new(element, "components", components);
        json_object_set_new(element, "state", json_integer(a.payload.state));
        json_object_set_new(element, "stored", fpd_json_store(fpd_stored_by(run, a)));
    } else
        json_decref(components);
    return element;
}

static void set_origin(json_t *object, const char *key, FpdOrigin made) {
    if (!made.what) return;
    json_t *origin = made.op ? fpd_json_store(made.op) : json_object();
    json_object_set_new(origin, "what", fpd_json_text(made.what));
    json_object_set_new(object, key, origin);
}

static json_t *json_shadowed_pair(const FpdOutcome *outcome, const FpdComparison *comparison, const FpdDifference *d,
                                  uint64_t index) {
    const FpdBuffer *buffer = &outcome->cas->buffers[d->buffer];
    const uint32_t compared = (uint32_t)(d - comparison->differences);
    FpdShadowed a, b;
    fpd_elements_of(outcome->cas, comparison->left, comparison->right, compared, index, &a, &b);
    json_t *element = json_object();
    json_object_set_new(element, "index", fpd_json_index(buffer, index));
    for (int side = 0; side < 2; side++) {
        Arena scratch = {0};
        const FpdRun *run = side ? comparison->right : comparison->left;
        json_t *one = json_shadowed(outcome->cas, buffer->type, run, side ? b : a);
        set_origin(one, "unspecified", fpd_element_origin(&scratch, outcome->cas, run, compared, index));
        json_object_set_new(element, side ? "variant" : "reference", one);
        arena_reset(&scratch);
    }
    if (element_is_float(buffer->type) && !((a.payload.state | b.payload.state) & TOWER_KIND)) {
        unsigned agree, fields = fpd_fields(a.tower, a.payload, b.payload, &agree);
        json_object_set_new(element, "fields", json_integer(fields));
        json_object_set_new(element, "agree", json_integer(agree));
    }
    return element;
}

static json_t *json_verdicts(const FpdOutcome *outcome, const FpdComparison *comparison, const FpdDifference *d) {
    json_t *object = json_object();
    for (int v = 0; v < FPD_ELEMENT_COUNT; v++) {
        const FpdElementCount *count = &d->verdicts[v];
        if (!count->count) continue;
        json_t *verdict = json_object(), *first = json_array();
        json_object_set_new(verdict, "count", json_integer((json_int_t)count->count));
        json_object_set_new(verdict, "diverges", json_boolean(count->diverges));
        for (uint32_t i = 0; v != FPD_ELEMENT_EQUAL && i < count->first_count; i++)
            json_array_append_new(first, json_shadowed_pair(outcome, comparison, d, count->first[i]));
        json_object_set_new(verdict, "first", first);
        json_object_set_new(object, fpd_element_verdict_info((FpdElementVerdict)v)->text, verdict);
    }
    return object;
}

static json_t *json_shadow(const FpdCase *cas, const FpdRuns *runs) {
    json_t *object = json_object();
    for (uint32_t r = 0; r < runs->run_count; r++)
        if (runs->runs[r].tower && !runs->runs[r].build) // further builds need as much
            json_object_set_new(object, cas->variants[runs->runs[r].variant].name,
                                json_integer((json_int_t)runs->runs[r].shadow_bytes));
    return object;
}

// What only comparisons of records have.
static void set_record_facts(json_t *object, const FpdCase *cas, const FpdComparison *comparison) {
    json_t *lost = json_array();
    for (uint32_t side = 0; side < 2; side++)
        if (comparison->lost[side])
            json_array_append_new(
                lost, fpd_json_text(cas->variants[(side ? comparison->right : comparison->left)->variant].name));
    json_object_set_new(object, "lost", lost);
    if (comparison->all_unspecified) json_object_set_new(object, "all_unspecified", json_true());
    const uint64_t deep = fpd_deep_elements(cas, comparison);
    if (deep) json_object_set_new(object, "deep", json_integer((json_int_t)deep));
    if (!comparison->reroll_count) return;
    json_t *reroll = json_object();
    json_object_set_new(reroll, "chains", json_integer(comparison->reroll_count));
    json_object_set_new(reroll, "different", json_integer((json_int_t)comparison->reroll_different));
    json_object_set_new(object, "reroll", reroll);
}

// ---- comparisons ----------------------------------------------------------------------------------------------------

static json_t *json_distance(const FpdDistance *distance, bool judged) {
    json_t *object = json_object();
    json_object_set_new(object, "different", json_integer((json_int_t)distance->different));
    json_object_set_new(object, "incomparable", json_integer((json_int_t)distance->incomparable));
    json_object_set_new(object, "absolute", fpd_json_number(distance->absolute));
    json_object_set_new(object, "relative", fpd_json_number(distance->relative));
    json_object_set_new(object, "ulps",
                        json_integer((json_int_t)(distance->ulps > INT64_MAX ? INT64_MAX : distance->ulps)));
    if (judged) json_object_set_new(object, "beyond_tolerance", json_integer((json_int_t)distance->beyond));
    return object;
}

// Who stored an element, of kernels of threads.
static void set_stored(json_t *object, const FpdOutcome *outcome, const FpdRun *run, const FpdDifference *d,
                       uint64_t index) {
    uint32_t compared = 0;
    while (outcome->cas->compare[compared] != d->buffer) compared++;
    const FpdTraced *traced = fpd_traced(outcome->cas, run, compared, index);
    if (!traced) return;
    json_t *stored = fpd_json_store(&traced->store), *losses = json_array();
    for (uint32_t kind = 0; kind < KERNEL_LOSS_KINDS; kind++)
        if (traced->losses >> kind & 1)
            json_array_append_new(losses, fpd_json_text(kernel_loss_info((KernelLossKind)kind)->name));
    set_list(stored, "losses", losses);
    json_object_set_new(object, "stored", stored);
}

static json_t *json_first(const FpdOutcome *outcome, const FpdComparison *comparison, const FpdDifference *d,
                          uint64_t index) {
    const FpdBuffer *buffer = &outcome->cas->buffers[d->buffer];
    const bool payload = comparison->left->arithmetic->payloads == FPD_PAYLOADS_IN_PLACE;
    if (fpd_compares_records(comparison)) return json_shadowed_pair(outcome, comparison, d, index);
    json_t *element = json_object();
    json_object_set_new(element, "index", fpd_json_index(buffer, index));
    json_object_set_new(
        element, "reference",
        json_element(outcome->cas, buffer->type, payload, fpd_element_bits(buffer->type, d->reference, index)));
    json_object_set_new(
        element, "variant",
        json_element(outcome->cas, buffer->type, payload, fpd_element_bits(buffer->type, d->other, index)));
    set_stored(json_object_get(element, "reference"), outcome, comparison->left, d, index);
    set_stored(json_object_get(element, "variant"), outcome, comparison->right, d, index);
    return element;
}

// Of no elements none.
static double share_of(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

static json_t *json_difference(const FpdOutcome *outcome, const FpdComparison *comparison, const FpdDifference *d) {
    const FpdCase *cas = outcome->cas;
    const FpdBuffer *buffer = &cas->buffers[d->buffer];
    json_t *object = json_object(), *first = json_array();
    json_object_set_new(object, "buffer", fpd_json_text(buffer->name));
    json_object_set_new(object, "elements", json_integer((json_int_t)d->elements));
    json_object_set_new(object, "different", json_integer((json_int_t)d->different));
    json_object_set_new(object, "share", json_real(share_of(d->different, d->elements)));
    for (uint32_t i = 0; i < d->first_count; i++)
        json_array_append_new(first, json_first(outcome, comparison, d, d->first[i]));
    json_object_set_new(object, "first", first);
    if (d->different) {
        json_t *box = json_object();
        json_object_set_new(box, "low", json_sizes(buffer->rank, d->low));
        json_object_set_new(box, "high", json_sizes(buffer->rank, d->high));
        json_object_set_new(object, "box", box);
        json_object_set_new(object, "pattern", fpd_json_text(d->pattern));
    }
    if (d->distance.known) json_object_set_new(object, "distance", json_distance(&d->distance, cas->tolerance.given));
    if (fpd_compares_records(comparison))
        json_object_set_new(object, "verdicts", json_verdicts(outcome, comparison, d));
    return object;
}

// ---- notes ----------------------------------------------------------------------------------------------------------

static json_t *json_note_constant(const FpdCase *cas, const FpdNoteConstant *constant) {
    json_t *object = json_object();
    const ElementType type = constant->format == FPSAN_F32 ? ELEMENT_F32 : ELEMENT_F64;
    char number[FPD_TEXT_SIZE];
    fpd_element_text(type, constant->bits, number);
    json_object_set_new(object, "number", fpd_json_text(number));
    json_object_set_new(object, "type", fpd_json_text(element_info(type)->name));
    json_object_set_new(object, "variant", fpd_json_text(cas->variants[constant->variant].name));
    set_place(object, &constant->at);
    return object;
}

static json_t *json_note_buffer(const FpdCase *cas, const FpdComparison *comparison, const FpdNoteBuffer *note) {
    const FpdDifference *d = &note->difference;
    const FpdBuffer *buffer = &cas->buffers[d->buffer];
    json_t *object = json_object();
    json_object_set_new(object, "buffer", fpd_json_text(buffer->name));
    json_object_set_new(object, "elements", json_integer((json_int_t)d->elements));
    json_object_set_new(object, "different", json_integer((json_int_t)d->different));
    if (!d->different) return object;
    json_object_set_new(object, "first", fpd_json_index(buffer, d->first[0]));
    if (!fpd_compares_records(comparison)) return object;
    json_object_set_new(object, "stored_by_reference", fpd_json_store(note->stored[0]));
    json_object_set_new(object, "stored_by_variant", fpd_json_store(note->stored[1]));
    return object;
}

static json_t *json_note_view(const FpdNoteView *view) {
    json_t *object = json_object();
    json_object_set_new(object, "buffer", fpd_json_text(view->buffer));
    json_object_set_new(object, "shape", json_sizes(view->rank, view->extent));
    json_object_set_new(object, "tile", json_sizes(view->rank, view->tile));
    return object;
}

static json_t *json_note_read(const FpdCase *cas, const FpdNoteRead *read) {
    json_t *object = json_object();
    json_object_set_new(object, "variant", fpd_json_text(cas->variants[read->variant].name));
    json_object_set_new(object, "buffer", fpd_json_text(cas->buffers[read->buffer].name));
    json_object_set_new(object, "launch", json_integer((json_int_t)read->launch + 1));
    json_object_set_new(object, "in_part", json_boolean(read->in_part));
    return object;
}

static json_t *json_notes(const FpdCase *cas, const FpdComparison *comparison) {
    json_t *notes = json_array();
    for (uint32_t n = 0; n < comparison->note_count; n++) {
        const FpdNote *note = &comparison->notes[n];
        json_t *object = json_object(), *constants = json_array(), *buffers = json_array(), *views = json_array(),
               *reads = json_array();
        for (uint32_t i = 0; i < note->constant_count; i++)
            json_array_append_new(constants, json_note_constant(cas, &note->constants[i]));
        for (uint32_t i = 0; i < note->buffer_count; i++)
            json_array_append_new(buffers, json_note_buffer(cas, comparison, &note->buffers[i]));
        for (uint32_t i = 0; i < note->view_count; i++) json_array_append_new(views, json_note_view(&note->views[i]));
        for (uint32_t i = 0; i < note->read_count; i++)
            json_array_append_new(reads, json_note_read(cas, &note->reads[i]));
        json_object_set_new(object, "kind", fpd_json_text(fpd_note_text(note->kind)));
        json_object_set_new(object, "message", fpd_json_text(note->message));
        set_list(object, "constants", constants);
        set_list(object, "buffers", buffers);
        set_list(object, "views", views);
        set_list(object, "reads", reads);
        if (note->elements) json_object_set_new(object, "elements", json_integer((json_int_t)note->elements));
        if (note->left) json_object_set_new(object, "more", json_integer(note->left));
        json_array_append_new(notes, object);
    }
    return notes;
}

// What an unspecified value decided in a run: ops, or elements that change with it.
static void add_unspecified(json_t *list, const FpdCase *cas, const FpdRun *run) {
    const char *name = cas->variants[run->variant].name;
    const bool any = fpd_count_unspecified(cas, run) != 0;
    for (uint32_t s = 0; run->uses && s < run->store_count; s++) {
        if (!run->uses[s]) continue;
        json_t *use = fpd_json_store(&run->stores[s]);
        json_object_set_new(use, "variant", fpd_json_text(name));
        json_object_set_new(use, "what", fpd_json_text(run->stores[s].by.unspecified));
        json_object_set_new(use, "block", json_integer((json_int_t)run->uses[s] - 1));
        Arena scratch = {0};
        set_origin(use, "origin", fpd_use_origin(&scratch, cas, run, s));
        arena_reset(&scratch);
        json_array_append_new(list, use);
    }
    for (uint32_t c = 0; run->unspecified && c < cas->compare_count; c++) {
        if (!run->unspecified[c]) continue;
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        json_t *changed = json_object();
        json_object_set_new(changed, "variant", fpd_json_text(name));
        json_object_set_new(changed, "buffer", fpd_json_text(buffer->name));
        json_object_set_new(changed, "elements", json_integer((json_int_t)run->unspecified[c]));
        json_object_set_new(changed, "first", fpd_json_index(buffer, run->first_unspecified[c]));
        json_array_append_new(list, changed);
    }
    for (uint32_t i = 0; any && run->unwritten_reads && i < run->unwritten_reads->count; i++) {
        const FpdUnwrittenRead *read = &run->unwritten_reads->items[i];
        json_t *origin = fpd_json_store(&read->by);
        json_object_set_new(origin, "variant", fpd_json_text(name));
        json_object_set_new(origin, "reads", fpd_json_text(read->what));
        json_array_append_new(list, origin);
    }
    if (!run->unspecified_error) return;
    json_t *failed = json_object();
    json_object_set_new(failed, "variant", fpd_json_text(name));
    json_object_set_new(failed, "error", fpd_json_text(run->unspecified_error));
    json_array_append_new(list, failed);
}

static json_t *json_verdict(FpdVerdict verdict) {
    static const char *const verdicts[FPD_VERDICT_COUNT] = {
#define ANSWER(verdict, programs, ...) programs,
#include "diff/answers.def"
#undef ANSWER
    };
    return fpd_json_text(verdicts[verdict]);
}

static void set_buffers(json_t *object, const FpdOutcome *outcome, const FpdComparison *comparison) {
    json_t *buffers = json_array();
    for (uint32_t c = 0; c < outcome->cas->compare_count; c++)
        json_array_append_new(buffers, json_difference(outcome, comparison, &comparison->differences[c]));
    json_object_set_new(object, "buffers", buffers);
}

static void set_unspecified(json_t *object, const FpdCase *cas, const FpdComparison *comparison) {
    if (!comparison->unspecified) return;
    json_t *list = json_array();
    add_unspecified(list, cas, comparison->left);
    add_unspecified(list, cas, comparison->right);
    json_object_set_new(object, "unspecified", list);
}

static void add_losses(json_t *list, const FpdCase *cas, const FpdRun *run, uint32_t told) {
    for (size_t i = 0; run->trace && i < run->trace->loss_count; i++) {
        const FpdLoss *loss = &run->trace->losses[i];
        if (!(told >> loss->kind & 1)) continue;
        json_t *object = json_object();
        json_object_set_new(object, "variant", fpd_json_text(cas->variants[run->variant].name));
        json_object_set_new(object, "launch", json_integer((json_int_t)loss->launch + 1));
        json_object_set_new(object, "kernel", fpd_json_text(loss->kernel));
        json_object_set_new(object, "loss", fpd_json_text(kernel_loss_info(loss->kind)->name));
        json_object_set_new(object, "meaning", fpd_json_text(kernel_loss_info(loss->kind)->meaning));
        json_object_set_new(object, "op", fpd_json_text(loss->op));
        set_place(object, &loss->at);
        json_array_append_new(list, object);
    }
}

// What PTX may have lost, of a pair in payload arithmetic.
static void set_losses(json_t *object, const FpdCase *cas, const FpdComparison *comparison) {
    const FpdRun *left = comparison->left, *right = comparison->right;
    const bool diverged = comparison->verdict == FPD_VERDICT_DIVERGED;
    if (left->arithmetic->payloads != FPD_PAYLOADS_IN_PLACE) return;
    json_t *list = json_array();
    add_losses(list, cas, left, fpd_told_losses(left, right, diverged));
    add_losses(list, cas, right, fpd_told_losses(right, left, diverged));
    set_list(object, "losses", list);
}

static json_t *json_certainty(const FpdCertainty *certainty) {
    json_t *object = json_object();
    if (certainty->none) {
        json_object_set_new(object, "log2", json_null());
        json_object_set_new(object, "reason", fpd_json_text(certainty->none));
        if (certainty->differs) json_object_set_new(object, "differs", json_true());
        return object;
    }
    json_object_set_new(object, "log2", fpd_json_number(certainty->log2));
    json_object_set_new(object, "degree", json_integer((json_int_t)certainty->degree));
    json_object_set_new(object, "fields", json_integer(certainty->fields));
    json_object_set_new(object, "elements", json_integer((json_int_t)certainty->elements));
    json_object_set_new(object, "uncovered", json_integer((json_int_t)certainty->uncovered));
    json_object_set_new(object, "runs", json_integer(certainty->runs));
    return object;
}

static json_t *json_look(const FpdLook *look) {
    json_t *object = json_pack("{s:I,s:I,s:i}", "ties", (json_int_t)look->ties, "apart", (json_int_t)look->apart,
                               "runs", (int)look->runs);
    if (!look->runs) json_object_set_new(object, "reason", fpd_json_text(fpd_look_reason(look)));
    if (look->unclear) {
        Arena scratch = {0};
        const char *seed = arena_format(&scratch, "%llu", (unsigned long long)look->unclear_seed);
        json_object_set_new(object, "unclear", json_integer((json_int_t)look->unclear));
        json_object_set_new(object, "unclear_seed", fpd_json_text(seed));
        arena_reset(&scratch);
    }
    return object;
}

static void set_far_apart(json_t *object, const FpdCase *cas, const FpdComparison *comparison) {
    uint32_t compared = 0;
    const FpdFarthest *farthest = fpd_far_apart(cas, comparison, &compared);
    if (!farthest) return;
    const FpdBuffer *buffer = &cas->buffers[cas->compare[compared]];
    json_t *apart = json_object();
    json_object_set_new(apart, "buffer", fpd_json_text(buffer->name));
    json_object_set_new(apart, "index", fpd_json_index(buffer, farthest->index));
    json_object_set_new(apart, "of_row", fpd_json_number(farthest->of_row));
    json_object_set_new(apart, "roundings", fpd_json_number(farthest->roundings));
    json_object_set_new(object, "far_apart", apart);
}

static json_t *json_comparison(const FpdOutcome *outcome, const FpdComparison *comparison) {
    const FpdCase *cas = outcome->cas;
    json_t *object = json_object();
    char mode[FPD_MODE_TEXT_SIZE];
    fpd_comparison_mode(comparison, mode);
    json_object_set_new(object, "reference", fpd_json_text(cas->variants[comparison->left->variant].name));
    json_object_set_new(object, "variant", fpd_json_text(cas->variants[comparison->right->variant].name));
    json_object_set_new(object, "mode", fpd_json_text(mode));
    if (fpd_run_builds(cas) > 1)
        json_object_set_new(object, "build", fpd_json_text(fpd_build_name(cas, comparison->right->build)));
    json_object_set_new(object, "verdict", json_verdict(comparison->verdict));
    if (comparison->certainty) json_object_set_new(object, "missed", json_certainty(comparison->certainty));
    if (comparison->look) json_object_set_new(object, "look", json_look(comparison->look));
    set_far_apart(object, cas, comparison);
    if (fpd_has_accuracy(outcome, comparison))
        json_object_set_new(object, "accuracy", fpd_json_accuracy(outcome, comparison));
    json_object_set_new(object, "fails", json_boolean(fpd_comparison_fails(cas, comparison)));
    if (fpd_compares_records(comparison)) set_record_facts(object, cas, comparison);
    set_unspecified(object, cas, comparison);
    set_buffers(object, outcome, comparison);
    set_list(object, "lines", fpd_json_lines(cas, comparison));
    set_losses(object, cas, comparison);
    json_object_set_new(object, "notes", json_notes(cas, comparison));
    return object;
}

// ---- builds ---------------------------------------------------------------------------------------------------------

// The numbers of all compared buffers: how many elements changed, by how many units in the last place at most, and
// where that is.
static void set_change(json_t *object, const FpdCase *cas, const FpdComparison *comparison) {
    uint32_t compared = 0;
    if (comparison->left->arithmetic->payloads == FPD_PAYLOADS_IN_PLACE) return; // no numbers
    const FpdDistance all = fpd_largest_distance(cas->compare_count, comparison->differences, &compared);
    json_object_set_new(object, "changed", json_integer((json_int_t)all.different));
    json_object_set_new(object, "share", json_real(share_of(all.different, comparison->elements)));
    json_object_set_new(object, "ulps", json_integer((json_int_t)(all.ulps > INT64_MAX ? INT64_MAX : all.ulps)));
    json_object_set_new(object, "incomparable", json_integer((json_int_t)all.incomparable));
    if (cas->tolerance.given)
        json_object_set_new(object, "beyond_tolerance", json_integer((json_int_t)comparison->beyond));
    if (!all.different) return;
    json_t *farthest = json_object();
    const FpdBuffer *buffer = &cas->buffers[cas->compare[compared]];
    json_object_set_new(farthest, "buffer", fpd_json_text(buffer->name));
    json_object_set_new(farthest, "index", fpd_json_index(buffer, all.farthest));
    json_object_set_new(farthest, "stored",
                        fpd_json_store(fpd_writer_of(cas, comparison->right, compared, all.farthest)));
    json_object_set_new(object, "farthest", farthest);
}

// The kernels that a build splits fma ops of, although nobody says so.
static json_t *json_split(const FpdOutcome *outcome) {
    json_t *list = json_array();
    for (uint32_t r = 0; r < outcome->runs->run_count; r++) {
        const FpdRun *run = &outcome->runs->runs[r];
        if (!run->split || run->mode != outcome->cas->modes[0]) continue; // once, not in each mode
        json_t *object = json_object();
        json_object_set_new(object, "variant", fpd_json_text(outcome->cas->variants[run->variant].name));
        json_object_set_new(object, "build", fpd_json_text(fpd_build_name(outcome->cas, run->build)));
        json_object_set_new(object, "kernels", fpd_json_text(run->split));
        json_array_append_new(list, object);
    }
    return list;
}

// The ops that the build decides otherwise.
static json_t *json_turned(const FpdTurns *turns) {
    json_t *list = json_array();
    for (uint32_t i = 0; turns && i < turns->count; i++) {
        json_t *object = fpd_json_store(&turns->items[i].op);
        json_object_set_new(object, "times", json_integer((json_int_t)turns->items[i].count));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_build(const FpdOutcome *outcome, const FpdComparison *comparison) {
    const FpdCase *cas = outcome->cas;
    json_t *object = json_object(), *alone = json_array();
    char mode[FPD_MODE_TEXT_SIZE];
    fpd_comparison_mode(comparison, mode);
    json_object_set_new(object, "variant", fpd_json_text(cas->variants[comparison->right->variant].name));
    json_object_set_new(object, "mode", fpd_json_text(mode));
    json_object_set_new(object, "build", fpd_json_text(fpd_build_name(cas, comparison->right->build)));
    json_object_set_new(object, "reference_build", fpd_json_text(fpd_build_name(cas, comparison->left->build)));
    json_object_set_new(object, "verdict", json_verdict(comparison->verdict));
    json_object_set_new(object, "fails", json_boolean(comparison->fails));
    set_change(object, cas, comparison);
    set_list(object, "turned", json_turned(comparison->right->turns));
    set_unspecified(object, cas, comparison);
    set_buffers(object, outcome, comparison);
    set_list(object, "lines", fpd_json_lines(cas, comparison));
    for (uint32_t i = 0; i < comparison->culprit_count; i++) {
        const FpdCulprit *culprit = &comparison->culprits[i];
        json_t *one = json_object();
        json_object_set_new(one, "licence", fpd_json_text(culprit->name));
        json_object_set_new(one, "verdict", json_verdict(culprit->comparison->verdict));
        json_object_set_new(one, "fails", json_boolean(culprit->comparison->fails));
        set_change(one, cas, culprit->comparison);
        set_list(one, "turned", json_turned(culprit->comparison->right->turns));
        json_array_append_new(alone, one);
    }
    set_list(object, "alone", alone);
    return object;
}

// Name and settings of each build.
static json_t *json_math(const FpdCase *cas) {
    json_t *list = json_array();
    for (uint32_t b = 0; b < fpd_run_builds(cas); b++) {
        json_t *object = json_object();
        Buffer text = {0};
        math_print_settings(&cas->builds[b].settings, &text);
        json_object_set_new(object, "name", fpd_json_text(cas->builds[b].name));
        json_object_set_new(object, "settings", fpd_json_text(text.data));
        json_array_append_new(list, object);
        buffer_free(&text);
    }
    return list;
}

static json_t *json_vacuous(const FpdCase *cas, const FpdVacuous *vacuous) {
    static const char *const kinds[] = {
#define VACUOUS(name, text) text,
        FPD_VACUOUS_KINDS(VACUOUS)
#undef VACUOUS
    };
    json_t *object = json_object();
    json_object_set_new(object, "kind", fpd_json_text(kinds[vacuous->kind]));
    json_object_set_new(object, "message", fpd_json_text(vacuous->message));
    if (vacuous->allowed) json_object_set_new(object, "allowed", json_true());
    if (vacuous->kind == FPD_VACUOUS_NOTHING) return object;
    json_object_set_new(object, "variant", fpd_json_text(cas->variants[vacuous->variant].name));
    json_object_set_new(object, "buffer", fpd_json_text(cas->buffers[vacuous->buffer].name));
    json_object_set_new(object, "mode", fpd_json_text(fpd_mode_name(vacuous->mode)));
    if (vacuous->kind != FPD_VACUOUS_UNWRITTEN) return object;
    json_object_set_new(object, "elements", json_integer((json_int_t)vacuous->count));
    json_object_set_new(object, "first", fpd_json_index(&cas->buffers[vacuous->buffer], vacuous->first));
    return object;
}

static json_t *json_race_side(const FpdRaceSide *side) {
    json_t *object = json_object(), *block = json_array();
    for (int i = 0; i < 3; i++) json_array_append_new(block, json_integer(side->block[i]));
    json_object_set_new(object, "block", block);
    json_object_set_new(object, "op", fpd_json_text(side->by.op));
    json_object_set_new(object, "stores", json_boolean(side->by.kind & HOST_ACCESS_WRITES));
    if (side->by.at.file) json_object_set_new(object, "file", fpd_json_text(side->by.at.file));
    if (side->by.at.line) json_object_set_new(object, "line", json_integer(side->by.at.line));
    if (side->by.at.line && side->by.at.column) json_object_set_new(object, "column", json_integer(side->by.at.column));
    if (!side->by.at.line && side->by.at.has_offset)
        json_object_set_new(object, "offset", json_integer((json_int_t)side->by.at.offset));
    return object;
}

static json_t *json_race(const FpdCase *cas, FpdMode mode, const FpdRace *race) {
    json_t *object = json_object(), *sides = json_array();
    json_object_set_new(object, "variant", fpd_json_text(cas->variants[race->variant].name));
    json_object_set_new(object, "mode", fpd_json_text(fpd_mode_name(mode)));
    json_object_set_new(object, "launch", json_integer(race->launch + 1));
    json_object_set_new(object, "kernel", fpd_json_text(race->kernel));
    json_object_set_new(object, "buffer", fpd_json_text(race->name));
    if (race->buffer >= 0)
        json_object_set_new(object, "index", fpd_json_index(&cas->buffers[race->buffer], race->first));
    else
        json_object_set_new(object, "byte", json_integer((json_int_t)race->first));
    json_object_set_new(object, "elements", json_integer((json_int_t)race->elements));
    json_object_set_new(object, "harmless", json_boolean(race->harmless));
    for (int i = 0; i < 2; i++) json_array_append_new(sides, json_race_side(&race->sides[i]));
    json_object_set_new(object, "accesses", sides);
    return object;
}

static json_t *json_races(const FpdOutcome *outcome) {
    json_t *races = json_array();
    for (uint32_t r = 0; r < outcome->runs->run_count; r++) {
        const FpdRun *run = &outcome->runs->runs[r];
        for (uint32_t i = 0; i < run->race_count; i++)
            json_array_append_new(races, json_race(outcome->cas, run->mode, &run->races[i]));
    }
    return races;
}

static json_t *json_finding(const FpdCase *cas, const FpdRun *run, const FpdFinding *finding) {
    json_t *object = json_object(), *block = json_array(), *other = json_object();
    json_object_set_new(object, "variant", fpd_json_text(cas->variants[run->variant].name));
    json_object_set_new(object, "mode", fpd_json_text(fpd_mode_name(run->mode)));
    json_object_set_new(object, "launch", json_integer(finding->launch + 1));
    json_object_set_new(object, "kernel", fpd_json_text(finding->kernel));
    for (int i = 0; i < 3; i++) json_array_append_new(block, json_integer(finding->block[i]));
    json_object_set_new(object, "block", block);
    json_object_set_new(object, "kind", fpd_json_text(finding->kind));
    json_object_set_new(object, "message", fpd_json_text(finding->message));
    set_place(object, &finding->at);
    set_place(other, &finding->other);
    json_object_set_new(object, "other", json_object_size(other) ? json_incref(other) : json_null());
    json_decref(other);
    return object;
}

// What is wrong with blocks whose parts work together.
static json_t *json_findings(const FpdOutcome *outcome) {
    json_t *list = json_array();
    for (uint32_t r = 0; r < outcome->runs->run_count; r++) {
        const FpdRun *run = &outcome->runs->runs[r];
        for (uint32_t i = 0; run->findings && i < run->findings->count; i++)
            json_array_append_new(list, json_finding(outcome->cas, run, &run->findings->items[i]));
    }
    return list;
}

// "complete", "incomplete" or "not looked for", as it is not in launches of threads, and of blocks with parts.
static const char *race_check(const FpdOutcome *outcome) {
    if (!outcome->races_checked || !outcome->has_tiles) return "not looked for";
    if (outcome->has_threads || outcome->has_parts) return "incomplete";
    for (uint32_t r = 0; r < outcome->runs->run_count; r++)
        if (outcome->runs->runs[r].races_incomplete) return "incomplete";
    return "complete";
}

// What the emulator warned of in launches of threads.
static json_t *json_warnings(const FpdOutcome *outcome) {
    json_t *list = json_array();
    for (uint32_t r = 0; r < outcome->runs->run_count; r++) {
        const FpdRun *run = &outcome->runs->runs[r];
        for (uint32_t i = 0; run->warnings && i < run->warnings->count; i++) {
            const FpdWarning *warning = &run->warnings->items[i];
            json_t *object = json_object();
            json_object_set_new(object, "variant", fpd_json_text(outcome->cas->variants[run->variant].name));
            json_object_set_new(object, "mode", fpd_json_text(fpd_mode_name(run->mode)));
            json_object_set_new(object, "launch", json_integer(warning->launch + 1));
            json_object_set_new(object, "message", fpd_json_text(warning->message));
            set_place(object, &warning->at);
            json_array_append_new(list, object);
        }
    }
    return list;
}

// Runs of threads that another schedule changes.
static json_t *json_schedules(const FpdOutcome *outcome) {
    json_t *list = json_array();
    for (uint32_t r = 0; r < outcome->runs->run_count; r++) {
        const FpdRun *run = &outcome->runs->runs[r];
        if (!run->schedule) continue;
        const FpdBuffer *buffer = &outcome->cas->buffers[run->schedule->buffer];
        json_t *object = json_object();
        json_object_set_new(object, "variant", fpd_json_text(outcome->cas->variants[run->variant].name));
        json_object_set_new(object, "mode", fpd_json_text(fpd_mode_name(run->mode)));
        json_object_set_new(object, "elements", json_integer((json_int_t)run->schedule->different));
        json_object_set_new(object, "buffer", fpd_json_text(buffer->name));
        json_object_set_new(object, "index", fpd_json_index(buffer, run->schedule->first));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_errors(const Diagnostics *errors) {
    json_t *list = json_array();
    for (size_t i = 0; errors && i < errors->count; i++) {
        const Diagnostic *error = &errors->items[i];
        json_t *object = json_object();
        json_object_set_new(object, "code", json_integer(error->code));
        json_object_set_new(object, "name", fpd_json_text(error_name(error->code)));
        json_object_set_new(object, "message", fpd_json_text(error->message));
        set_place(object, &error->at);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_times(const FpdCase *cas, const FpdRuns *runs) {
    json_t *times = json_object(), *compile = json_object(), *run = json_object();
    json_object_set_new(times, "fill", json_real(runs->fill_seconds));
    for (uint32_t m = 0; m < cas->mode_count; m++) {
        FpdMode mode = cas->modes[m];
        json_t *variants = json_object();
        json_object_set_new(compile, fpd_mode_name(mode), json_real(runs->compile_seconds[mode]));
        for (uint32_t r = 0; r < runs->run_count; r++)
            if (runs->runs[r].mode == mode && !runs->runs[r].build)
                json_object_set_new(variants, cas->variants[runs->runs[r].variant].name,
                                    json_real(runs->runs[r].seconds));
        json_object_set_new(run, fpd_mode_name(mode), variants);
    }
    json_object_set_new(times, "compile", compile);
    json_object_set_new(times, "run", run);
    return times;
}

json_t *fpd_json_parameters(const FpdParameters *parameters) {
    json_t *object = json_object();
    for (uint32_t i = 0; i < parameters->count; i++)
        json_object_set_new(object, parameters->items[i].name, json_integer(parameters->items[i].value));
    return object;
}

static json_t *json_allow(const FpdCase *cas) {
    json_t *list = json_array();
    if (cas->allow_vacuous) json_array_append_new(list, json_string("vacuous"));
    if (cas->allow_unwritten) json_array_append_new(list, json_string("unwritten"));
    if (cas->allow_unspecified) json_array_append_new(list, json_string("unspecified"));
    if (cas->allow_roots) json_array_append_new(list, json_string("roots"));
    return list;
}

// The comparisons of a case that could not be run: what each would have compared.
static json_t *json_not_checked(const FpdCase *cas) {
    json_t *list = json_array();
    const uint32_t builds = fpd_run_builds(cas);
    for (uint32_t v = 1; v < cas->variant_count; v++)
        for (uint32_t b = 0; b < builds; b++)
            for (uint32_t m = 0; m < cas->mode_count; m++) {
                json_t *pair = json_object();
                json_object_set_new(pair, "reference", fpd_json_text(cas->variants[0].name));
                json_object_set_new(pair, "variant", fpd_json_text(cas->variants[v].name));
                json_object_set_new(pair, "mode", fpd_json_text(fpd_mode_name(cas->modes[m])));
                if (builds > 1) json_object_set_new(pair, "build", fpd_json_text(fpd_build_name(cas, b)));
                json_array_append_new(list, pair);
            }
    return list;
}

static void set_case_facts(json_t *object, const FpdCase *cas) {
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, cas->seed); // a string: 64 bits do not fit a JSON number everywhere
    json_object_set_new(object, "title", fpd_json_text(cas->title));
    json_object_set_new(object, "seed", fpd_json_text(seed));
    json_object_set_new(object, "profile", fpd_json_text(fpd_profile_name(cas)));
    if (fpd_family_info(cas->family)->casts)
        json_object_set_new(object, "casts", fpd_json_text(fpsan_casts_name(cas->algebra.casts)));
    json_object_set_new(object, "expect", fpd_json_text(cas->expect_diverge ? "diverge" : "equal"));
    set_list(object, "allow", json_allow(cas));
    if (cas->build_count) json_object_set_new(object, "math", json_math(cas));
    if (!cas->tolerance.given) return;
    json_t *tolerance = json_object();
    json_object_set_new(tolerance, "rtol", fpd_json_number(cas->tolerance.rtol));
    json_object_set_new(tolerance, "atol", fpd_json_number(cas->tolerance.atol));
    json_object_set_new(object, "tolerance", tolerance);
}

static const char *result_name(int status) {
    static const char *const results[] = {"ok", "failed", "wrong input", "not run"};
    return results[status];
}

json_t *fpd_json_case(const FpdOutcome *outcome) {
    json_t *object = json_object();
    json_object_set_new(object, "file", fpd_json_text(outcome->path));
    if (outcome->parameters.count) json_object_set_new(object, "parameters", fpd_json_parameters(&outcome->parameters));
    json_object_set_new(object, "status", json_integer(outcome->status));
    json_object_set_new(object, "result", fpd_json_text(result_name(outcome->status)));
    if (outcome->cas) set_case_facts(object, outcome->cas);
    if (outcome->run)
        json_object_set_new(object, "run", json_pack("[i,i]", (int)outcome->run, (int)outcome->run_count));
    if (outcome->second_look) {
        json_object_set_new(object, "other_data", json_true());
        json_object_set_new(object, "own_seed", json_sprintf("%" PRIu64, outcome->own_seed));
    }
    if (!outcome->judged) {
        json_object_set_new(object, "errors", json_errors(outcome->errors));
        if (outcome->runs && outcome->cas) set_list(object, "findings", json_findings(outcome));
        if (outcome->runs) set_list(object, "warnings", json_warnings(outcome));
        if (outcome->cas) set_list(object, "not_checked", json_not_checked(outcome->cas));
        return object;
    }
    json_t *comparisons = json_array(), *vacuous = json_array(), *shadow = json_shadow(outcome->cas, outcome->runs);
    json_t *builds = json_array();
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *comparison = &outcome->comparisons[i];
        if (comparison->question == FPD_QUESTION_builds)
            json_array_append_new(builds, json_build(outcome, comparison));
        else
            json_array_append_new(comparisons, json_comparison(outcome, comparison));
    }
    for (uint32_t i = 0; i < outcome->vacuous_count; i++)
        json_array_append_new(vacuous, json_vacuous(outcome->cas, &outcome->vacuous[i]));
    json_object_set_new(object, "diverges", json_boolean(outcome->diverges));
    json_object_set_new(object, "pairs", comparisons);
    if (outcome->accuracy) json_object_set_new(object, "accuracy", fpd_json_accuracies(outcome));
    set_list(object, "builds", builds);
    set_list(object, "split", json_split(outcome));
    json_object_set_new(object, "vacuous", vacuous);
    json_object_set_new(object, "race_check", fpd_json_text(race_check(outcome)));
    json_object_set_new(object, "races", json_races(outcome));
    set_list(object, "findings", json_findings(outcome));
    set_list(object, "warnings", json_warnings(outcome));
    set_list(object, "schedules", json_schedules(outcome));
    set_list(object, "range", fpd_json_ranges(outcome));
    if (json_object_size(shadow))
        json_object_set_new(object, "shadow_bytes", shadow);
    else
        json_decref(shadow);
    json_object_set_new(object, "times", json_times(outcome->cas, outcome->runs));
    if (outcome->map_bytes) fpd_add_maps(outcome, object);
    return object;
}

json_t *fpd_json_head(const FpdVersions *versions) {
    json_t *root = json_object(), *used = json_object();
    json_object_set_new(root, "fpdiff", json_integer(1));
    json_object_set_new(used, "congruent", fpd_json_text(versions->congruent));
    json_object_set_new(used, "llvm", fpd_json_text(versions->llvm));
    json_object_set_new(used, "libyaml", fpd_json_text(versions->libyaml));
    json_object_set_new(used, "jansson", fpd_json_text(versions->jansson));
    json_object_set_new(used, "tower", fpd_json_text(versions->tower));
    json_object_set_new(root, "versions", used);
    json_object_set_new(root, "target", fpd_json_text(versions->target ? versions->target : "host"));
    json_object_set_new(root, "gpu", fpd_json_text(versions->gpu));
    json_object_set_new(root, "device", fpd_json_text(versions->device));
    json_object_set_new(root, "cpu", fpd_json_text(versions->cpu));
    return root;
}
