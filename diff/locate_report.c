// SPDX-License-Identifier: Apache-2.0
// What explain has found, as text and as JSON.
#include "diff/locate.h"
#include "diff/report_internal.h"

#include <inttypes.h>

static const char *const relation_names[FPD_RELATION_COUNT] = {
#define RELATION(name, text) text,
#include "diff/relations.def"
#undef RELATION
};

static void print_suspect(const FpdSuspect *s, uint32_t rank, Buffer *out) {
    char place[TEXT_CELL_SIZE];
    fpd_text_source(&s->at, s->of_launch ? "a launch" : "an op", place);
    buffer_print(out, "    %" PRIu32 ". %s: %s%s\n", rank, place,
                 s->edit     ? s->edit
                 : s->reason ? s->reason
                             : "",
                 !s->proven   ? " (not proven)"
                 : s->of_size ? " (right with data of this size, not with larger data)"
                              : "");
}

void fpd_print_located(const FpdCase *cas, const FpdLocated *located, Buffer *out) {
    const FpdComparison *c = located->comparison;
    buffer_print(out, "  %s | %s  %" PRIu64 " of %" PRIu64 " elements diverge\n", cas->variants[c->left->variant].name,
                 cas->variants[c->right->variant].name, c->different, c->elements);
    for (uint32_t i = 0; i < located->relation_count; i++) buffer_print(out, "    %s\n", located->relations[i].message);
    for (uint32_t i = 0; i < located->suspect_count; i++) print_suspect(&located->suspects[i], i + 1, out);
    if (located->problem) buffer_print(out, "    no edits were tried: %s\n", located->problem);
    buffer_print(out, "    %" PRIu64 " edits tried, %" PRIu32 " run, %.1f s\n", located->trials, located->proofs,
                 located->seconds);
}

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

static json_t *suspect_json(const FpdSuspect *s) {
    return json_pack("{s:o, s:o, s:i, s:b, s:i, s:i, s:b, s:b, s:o, s:o}", "file", text_or_null(s->at.file), "line",
                     s->at.line ? json_integer(s->at.line) : json_null(), "launch", (int)s->launch, "of_launch",
                     (int)s->of_launch, "column", (int)s->at.column, "edits", (int)s->edit_count, "proven",
                     (int)s->proven, "this_size_only", (int)s->of_size, "edit", text_or_null(s->edit), "reason",
                     text_or_null(s->reason));
}

static json_t *place_json(const Location *at) {
    return json_pack("{s:o, s:o}", "file", text_or_null(at->file), "line",
                     at->line ? json_integer(at->line) : json_null());
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
    return json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:i, s:i, s:f}", "reference",
                     cas->variants[c->left->variant].name, "variant", cas->variants[c->right->variant].name, "elements",
                     (json_int_t)c->elements, "different", (json_int_t)c->different, "relations", relations, "suspects",
                     suspects, "stored_at", place_json(&located->stored_at), "lines", lines, "not_tried",
                     text_or_null(located->problem), "edits", (json_int_t)located->listed, "edits_tried",
                     (json_int_t)located->trials, "edits_run", (int)located->proofs, "edits_refuted",
                     (int)located->refuted, "seconds", located->seconds);
}
