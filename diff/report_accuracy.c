// SPDX-License-Identifier: Apache-2.0
// How accurate variants are, in the report for people and in JSON.
#include "diff/report_internal.h"

#include <inttypes.h>
#include <math.h>

bool fpd_has_accuracy(const FpdOutcome *outcome, const FpdComparison *comparison) {
    return outcome->accuracy && comparison->question != FPD_QUESTION_builds && !comparison->right->build;
}

bool fpd_is_less_accurate(const FpdOutcome *outcome, const FpdComparison *comparison) {
    return fpd_has_accuracy(outcome, comparison) && comparison->question == FPD_QUESTION_formula &&
           comparison->verdict == FPD_VERDICT_EQUAL && !outcome->accuracy->none &&
           outcome->accuracy->variants[comparison->right->variant].much_worse;
}

// ---- for people -----------------------------------------------------------------------------------------------------

static void set_error(TextTable *table, unsigned row, const FpdBuffer *buffer, const FpdError *e) {
    Buffer index = {0};
    if (e->elements) {
        fpd_text_cell(table, row, 2, "%.3g", e->largest);
        fpd_text_cell(table, row, 3, "%.3g", e->most);
        fpd_text_cell(table, row, 4, "%.3g", e->mean);
        fpd_text_cell(table, row, 5, "%.2g", e->relative);
        fpd_print_index(buffer, e->farthest, &index);
        fpd_text_cell(table, row, 6, "%.60s", e->largest > 0 ? index.data : "");
    }
    buffer_free(&index);
    if (e->infinite && e->unknown)
        fpd_text_cell(table, row, 7, "%" PRIu64 " NaN or infinite, %" PRIu64 " not known", e->infinite, e->unknown);
    else if (e->infinite)
        fpd_text_cell(table, row, 7, "%" PRIu64 " NaN or infinite", e->infinite);
    else if (e->unknown)
        fpd_text_cell(table, row, 7, "%" PRIu64 " not known", e->unknown);
}

// The least of the largest errors of all variants.
static double best_of(const TextReport *t) {
    const FpdAccuracy *accuracy = t->outcome->accuracy;
    double best = INFINITY;
    for (uint32_t v = 0; v < t->cas->variant_count; v++) {
        double largest = 0;
        for (uint32_t c = 0; c < t->cas->compare_count; c++) {
            const FpdError *e = &accuracy->variants[v].errors[c];
            if (e->infinite || e->unknown) largest = INFINITY;
            if (e->largest > largest) largest = e->largest;
        }
        if (largest < best) best = largest;
    }
    return best;
}

static void print_bound(const TextReport *t) {
    const FpdAccuracyBound *bound = &t->cas->accuracy;
    const FpdAccuracy *accuracy = t->outcome->accuracy;
    const double best = best_of(t);
    if (!t->outcome->inaccurate) return;
    buffer_print(t->out, "      beyond the case's bound (");
    if (bound->ulps > 0) buffer_print(t->out, "%g ulp%s", bound->ulps, bound->times > 0 ? ", " : "");
    if (bound->times > 0) buffer_print(t->out, "%g times the reference's error", bound->times);
    buffer_print(t->out, "):");
    for (uint32_t v = 0; v < t->cas->variant_count; v++)
        if (accuracy->variants[v].exceeds) buffer_print(t->out, " %s", t->cas->variants[v].name);
    if (bound->ulps > 0 && best > bound->ulps) buffer_print(t->out, "; no variant meets it");
    if (bound->ulps > 0 && best > bound->ulps && isfinite(best)) buffer_print(t->out, ", the best has %.3g ulp", best);
    buffer_print(t->out, "\n");
}

// As many variants from `first` on as go into a table.
static void print_errors(const TextReport *t, uint32_t c, uint32_t first) {
    static const char *const heads[] = {"", "", "largest", "99.9 %", "mean", "of its row", "largest at"};
    const FpdBuffer *buffer = &t->cas->buffers[t->cas->compare[c]];
    TextTable table = {.rows = 0};
    for (unsigned i = 0; i < BASE_COUNT(heads); i++) fpd_text_cell(&table, 0, i, "%s", heads[i]);
    fpd_text_cell(&table, 0, 0, "%.60s", buffer->name);
    for (uint32_t v = first; v < t->cas->variant_count && table.rows < TEXT_ROWS; v++) {
        fpd_text_cell(&table, table.rows, 0, "%.60s", t->cas->variants[v].name);
        set_error(&table, table.rows - 1, buffer, &t->outcome->accuracy->variants[v].errors[c]);
    }
    fpd_text_table(t, &table);
}

void fpd_text_accuracy(const TextReport *t) {
    const FpdAccuracy *accuracy = t->outcome->accuracy;
    if (!accuracy) return;
    if (accuracy->none) {
        buffer_print(t->out, "  accuracy: not known: %s\n", accuracy->none);
        return;
    }
    buffer_print(t->out, "  accuracy: how far results are from those without rounding, in ulp\n");
    for (uint32_t c = 0; c < t->cas->compare_count; c++)
        for (uint32_t v = 0; accuracy->variants[0].errors[c].is_float && v < t->cas->variant_count; v += TEXT_ROWS - 1)
            print_errors(t, c, v);
    print_bound(t);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static json_t *json_error(const FpdOutcome *outcome, uint32_t variant, uint32_t c) {
    const FpdError *e = &outcome->accuracy->variants[variant].errors[c];
    const FpdBuffer *buffer = &outcome->cas->buffers[outcome->cas->compare[c]];
    json_t *object = json_object();
    json_object_set_new(object, "elements", json_integer((json_int_t)e->elements));
    json_object_set_new(object, "not_known", json_integer((json_int_t)e->unknown));
    json_object_set_new(object, "infinite", json_integer((json_int_t)e->infinite));
    if (e->infinite) json_object_set_new(object, "first_infinite", fpd_json_index(buffer, e->first_infinite));
    if (!e->elements) return object;
    json_object_set_new(object, "largest", json_real(e->largest));
    json_object_set_new(object, "most", json_real(e->most));
    json_object_set_new(object, "mean", json_real(e->mean));
    json_object_set_new(object, "relative", json_real(e->relative));
    json_object_set_new(object, "index", fpd_json_index(buffer, e->farthest));
    return object;
}

json_t *fpd_json_accuracy(const FpdOutcome *outcome, const FpdComparison *comparison) {
    const FpdAccuracy *accuracy = outcome->accuracy;
    const uint32_t left = comparison->left->variant, right = comparison->right->variant;
    json_t *object = json_object(), *buffers = json_array();
    if (accuracy->none) {
        json_object_set_new(object, "not_known", fpd_json_text(accuracy->none));
        return object;
    }
    json_object_set_new(object, "less_accurate", json_boolean(accuracy->variants[right].much_worse));
    json_object_set_new(object, "exceeds",
                        json_boolean(accuracy->variants[left].exceeds || accuracy->variants[right].exceeds));
    for (uint32_t c = 0; c < outcome->cas->compare_count; c++) {
        const FpdError *a = &accuracy->variants[left].errors[c], *b = &accuracy->variants[right].errors[c];
        if (!a->is_float) continue;
        json_t *buffer = json_object();
        json_object_set_new(buffer, "buffer", fpd_json_text(outcome->cas->buffers[outcome->cas->compare[c]].name));
        json_object_set_new(buffer, "reference", json_error(outcome, left, c));
        json_object_set_new(buffer, "variant", json_error(outcome, right, c));
        if (a->elements && b->elements)
            json_object_set_new(buffer, "nearer",
                                fpd_json_text(a->mean == b->mean  ? "both"
                                              : a->mean < b->mean ? "reference"
                                                                  : "variant"));
        json_array_append_new(buffers, buffer);
    }
    json_object_set_new(object, "buffers", buffers);
    return object;
}
