// SPDX-License-Identifier: Apache-2.0
// What explain has found, as text and as JSON.
#include "diff/locate.h"
#include "diff/report_internal.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const relation_names[FPD_RELATION_COUNT] = {
#define RELATION(name, text) text,
#include "diff/relations.def"
#undef RELATION
};

static void print_suspect(const FpdSuspect *s, uint32_t rank, Buffer *out) {
    char place[TEXT_CELL_SIZE], note[TEXT_CELL_SIZE] = "";
    const char *shown = s->proven ? fpd_fresh_info(s->shown)->shown : "not proven";
    if (shown) snprintf(note, sizeof note, " (%s)", shown);
    fpd_text_source(&s->at, s->of_launch ? "a launch" : "an op", place);
    buffer_print(out, "    %" PRIu32 ". %s: %s%s\n", rank, place, s->edit ? s->edit : s->reason ? s->reason : "", note);
}

static bool same_place(const FpdTapped *a, const FpdTapped *b) {
    return a->launch == b->launch && a->at.line == b->at.line && a->at.column == b->at.column &&
           a->at.offset == b->at.offset;
}

static void print_tapped(const FpdTapped *t, Buffer *out) {
    char place[TEXT_CELL_SIZE];
    fpd_text_source(&t->at, "an op", place);
    buffer_print(out, "%s (%s", place, t->op);
    if (t->found != t->values) buffer_print(out, ", %.0f %%", 100.0 * (double)t->found / (double)t->values);
    buffer_print(out, ")");
}

// "values on the way occur in the reference up to attention.py:156 (exp2), no longer at attention.py:159 (addf, 0 %)"
static void print_frontier(const FpdFrontier *f, Buffer *out) {
    if (!f->first.op && !f->last.op) return; // nothing was seen
    buffer_print(out, "    values on the way ");
    if (!f->first.op) {
        buffer_print(out, "all occur in the reference\n");
        return;
    }
    if (f->before.op) {
        buffer_print(out, "occur in the reference up to ");
        print_tapped(&f->before, out);
        buffer_print(out, ", no longer at ");
    } else
        buffer_print(out, "do not occur in the reference from the first on, ");
    print_tapped(&f->first, out);
    if (f->last.op && (!f->before.op || !same_place(&f->last, &f->before))) {
        buffer_print(out, "; some do later, last those of ");
        print_tapped(&f->last, out);
    }
    buffer_print(out, "\n");
}

void fpd_print_located(const FpdCase *cas, const FpdLocated *located, Buffer *out) {
    const FpdComparison *c = located->comparison;
    buffer_print(out, "  %s | %s  %" PRIu64 " of %" PRIu64 " elements diverge\n", cas->variants[c->left->variant].name,
                 cas->variants[c->right->variant].name, c->different, c->elements);
    for (uint32_t i = 0; i < located->relation_count; i++) buffer_print(out, "    %s\n", located->relations[i].message);
    print_frontier(&located->frontier, out);
    for (uint32_t i = 0; i < located->suspect_count; i++) print_suspect(&located->suspects[i], i + 1, out);
    if (located->problem) buffer_print(out, "    no edits were tried: %s\n", located->problem);
    buffer_print(out, "    %" PRIu64 " edits tried, %" PRIu32 " run, %.1f s\n", located->trials, located->proofs,
                 located->seconds);
}

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

static json_t *suspect_json(const FpdSuspect *s) {
    return json_pack("{s:o, s:o, s:i, s:b, s:i, s:i, s:b, s:b, s:o, s:o, s:o}", "file", text_or_null(s->at.file),
                     "line", s->at.line ? json_integer(s->at.line) : json_null(), "launch", (int)s->launch, "of_launch",
                     (int)s->of_launch, "column", (int)s->at.column, "edits", (int)s->edit_count, "proven",
                     (int)s->proven, "this_size_only", s->proven && s->shown == FPD_FRESH_VARIED, "shown_with",
                     text_or_null(s->proven ? fpd_fresh_info(s->shown)->key : NULL), "edit", text_or_null(s->edit),
                     "reason", text_or_null(s->reason));
}

static json_t *place_json(const Location *at) {
    return json_pack("{s:o, s:o}", "file", text_or_null(at->file), "line",
                     at->line ? json_integer(at->line) : json_null());
}

static json_t *tapped_json(const FpdTapped *t) {
    if (!t->op) return json_null();
    json_t *object = place_json(&t->at);
    json_object_set_new(object, "launch", json_integer(t->launch));
    json_object_set_new(object, "op", json_string(t->op));
    json_object_set_new(object, "values", json_integer((json_int_t)t->values));
    json_object_set_new(object, "found", json_integer((json_int_t)t->found));
    return object;
}

static json_t *frontier_json(const FpdFrontier *f) {
    if (!f->first.op && !f->last.op) return json_null();
    return json_pack("{s:o, s:o, s:o}", "last_before", tapped_json(&f->before), "first_absent", tapped_json(&f->first),
                     "last", tapped_json(&f->last));
}

json_t *fpd_json_located(const FpdCase *cas, const FpdLocated *located) {
    json_t *suspects = json_array(), *relations = json_array();
    for (uint32_t i = 0; i < located->suspect_count; i++)
        json_array_append_new(suspects, suspect_json(&located->suspects[i]));
    for (uint32_t i = 0; i < located->relation_count; i++) {
        const FpdRelation *r = &located->relations[i];
        json_array_append_new(relations,
                              json_pack("{s:s, s:s, s:I, s:I, s:s}", "kind", relation_names[r->kind], "buffer",
                                        cas->buffers[r->buffer].name, "elements", (json_int_t)r->count, "of",
                                        (json_int_t)r->of, "message", r->message));
    }
    json_t *lines = json_array();
    for (uint32_t i = 0; i < located->line_count; i++) json_array_append_new(lines, place_json(&located->lines[i]));
    const FpdComparison *c = located->comparison;
    return json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:i, s:i, s:f}", "reference",
                     cas->variants[c->left->variant].name, "variant", cas->variants[c->right->variant].name, "elements",
                     (json_int_t)c->elements, "different", (json_int_t)c->different, "relations", relations, "suspects",
                     suspects, "frontier", frontier_json(&located->frontier), "stored_at",
                     place_json(&located->stored_at), "lines", lines, "not_tried", text_or_null(located->problem),
                     "edits", (json_int_t)located->listed, "edits_tried", (json_int_t)located->trials, "edits_run",
                     (int)located->proofs, "edits_refuted", (int)located->refuted, "seconds", located->seconds);
}

// ---- comparisons that are not explained -----------------------------------------------------------------------------

static const struct UnexplainedRow {
    FpdQuestion question;
    FpdVerdict verdict;
    const char *why;
} unexplained_rows[] = {
#define UNEXPLAINED(question, verdict, why) {FPD_QUESTION_##question, FPD_VERDICT_##verdict, why},
#include "diff/unexplained.def"
#undef UNEXPLAINED
};

// Whether another comparison of the two variants asks for the formula: that says more about a divergence or a race.
static bool has_better(const FpdOutcome *outcome, const FpdComparison *comparison) {
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *other = &outcome->comparisons[i];
        if (other->question == FPD_QUESTION_formula && other->left->variant == comparison->left->variant &&
            other->right->variant == comparison->right->variant && other->right->build == comparison->right->build &&
            (other->verdict == FPD_VERDICT_DIVERGED || other->verdict == FPD_VERDICT_RACE ||
             other->verdict == FPD_VERDICT_MISUSE))
            return true;
    }
    return false;
}

const char *fpd_unexplained(const FpdOutcome *outcome, const FpdComparison *comparison) {
    if (comparison->question == FPD_QUESTION_numbers && has_better(outcome, comparison)) return NULL;
    if (comparison->question == FPD_QUESTION_builds && !comparison->fails) return NULL;
    for (size_t i = 0; i < BASE_COUNT(unexplained_rows); i++)
        if (unexplained_rows[i].question == comparison->question && unexplained_rows[i].verdict == comparison->verdict)
            return unexplained_rows[i].why;
    return NULL;
}
