// SPDX-License-Identifier: Apache-2.0
// Which ops stored the elements that a comparison finds different: what reports map to lines of source.
#include "diff/report.h"

#include <string.h>

enum { LINES_MAX = 64 }; // places of a variant; a kernel has far fewer stores

const FpdStore *fpd_find_store(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index) {
    const FpdRun *writer = run->numbers_of ? run->numbers_of : run;
    const FpdStore *store = fpd_writer_of(cas, writer, compared, index);
    const bool by_records = writer->records && writer->records[compared];
    if (store || by_records || !writer->last_stores || !writer->last_stores[compared].by.op) return store;
    return &writer->last_stores[compared];
}

typedef struct Lines {
    const FpdStore *stores[LINES_MAX];
    uint64_t elements[LINES_MAX], others; // others: of places beyond these, and of none that is known
    uint32_t count, last;                 // last: the place that was counted last, since neighbours share theirs
} Lines;

static bool is_same_place(const FpdStore *a, const FpdStore *b) {
    return a == b || (a->launch == b->launch && a->by.at.line == b->by.at.line && a->by.at.column == b->by.at.column &&
                      a->by.at.offset == b->by.at.offset && !strcmp(a->by.op, b->by.op) &&
                      !strcmp(a->by.at.file ? a->by.at.file : "", b->by.at.file ? b->by.at.file : ""));
}

static void count_place(Lines *lines, const FpdStore *store) {
    if (lines->count && store == lines->stores[lines->last]) {
        lines->elements[lines->last]++;
        return;
    }
    uint32_t i = 0;
    while (store && i < lines->count && !is_same_place(lines->stores[i], store)) i++;
    if (!store || i == LINES_MAX) {
        lines->others++;
        return;
    }
    if (i == lines->count) lines->stores[lines->count++] = store;
    lines->elements[i]++;
    lines->last = i;
}

// As the function of compare.h that answers the comparison's question counts them.
static bool is_different(const FpdCase *cas, const FpdComparison *comparison, const FpdDifference *d, uint64_t index) {
    const ElementType type = cas->buffers[d->buffer].type;
    const uint64_t a = fpd_element_bits(type, d->reference, index), b = fpd_element_bits(type, d->other, index);
    FpdCompare *compare = fpd_compare_for(comparison->question, comparison->left, comparison->right);
    if (compare == fpd_compare_bits) return a != b;
    if (compare == fpd_compare_numbers) return !fpd_element_within(type, a, b, cas->tolerance);
    const bool beyond = compare == fpd_compare_builds && cas->tolerance.given && element_is_float(type) &&
                        !fpd_element_within(type, a, b, cas->tolerance);
    return beyond || fpd_element_diverges(d, index);
}

static void add_lines(json_t *list, const FpdCase *cas, const FpdComparison *comparison, const FpdRun *run) {
    Lines lines = {.count = 0};
    const FpdRun *writer = run->numbers_of ? run->numbers_of : run;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdDifference *d = &comparison->differences[c];
        for (uint64_t i = 0; d->different && i < d->elements; i++)
            if (is_different(cas, comparison, d, i)) count_place(&lines, fpd_writer_of(cas, writer, c, i));
    }
    for (uint32_t i = 0; i < lines.count; i++) {
        json_t *line = fpd_json_store(lines.stores[i]);
        json_object_set_new(line, "variant", fpd_json_text(cas->variants[run->variant].name));
        json_object_set_new(line, "elements", json_integer((json_int_t)lines.elements[i]));
        json_array_append_new(list, line);
    }
    if (!lines.others) return;
    json_t *unknown = json_object();
    json_object_set_new(unknown, "variant", fpd_json_text(cas->variants[run->variant].name));
    json_object_set_new(unknown, "elements", json_integer((json_int_t)lines.others));
    json_array_append_new(list, unknown);
}

json_t *fpd_json_lines(const FpdCase *cas, const FpdComparison *comparison) {
    json_t *list = json_array();
    if (!comparison->different || comparison->verdict == FPD_VERDICT_REPORTED) return list;
    add_lines(list, cas, comparison, comparison->right);
    if (comparison->left->variant != comparison->right->variant) add_lines(list, cas, comparison, comparison->left);
    return list;
}
