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

const FpdFarthest *fpd_far_apart(const FpdCase *cas, const FpdComparison *comparison, uint32_t *compared) {
    if (comparison->question != FPD_QUESTION_formula || comparison->verdict != FPD_VERDICT_EQUAL) return NULL;
    return fpd_farthest(cas->compare_count, comparison->differences, compared);
}

// ---- for people -----------------------------------------------------------------------------------------------------

enum {
    ERROR_NAME,
    ERROR_GAP, // between a name and numbers
    ERROR_LARGEST,
    ERROR_MOST,
    ERROR_USUAL,
    ERROR_MEAN,
    ERROR_OF_ROW,
    ERROR_AT,
    ERROR_REST,
    ERROR_COLUMNS
};
_Static_assert((int)ERROR_COLUMNS <= (int)TEXT_COLUMNS, "a table has as many columns");

static void set_error(TextTable *table, unsigned row, const FpdBuffer *buffer, const FpdError *e) {
    Buffer index = {0};
    if (e->elements) {
        fpd_text_cell(table, row, ERROR_LARGEST, "%.3g", e->largest);
        fpd_text_cell(table, row, ERROR_MOST, "%.3g", e->most);
        fpd_text_cell(table, row, ERROR_USUAL, "%.3g", e->usual);
        fpd_text_cell(table, row, ERROR_MEAN, "%.3g", e->mean);
        fpd_text_cell(table, row, ERROR_OF_ROW, "%.2g", e->relative);
        fpd_print_index(buffer, e->farthest, &index);
        fpd_text_cell(table, row, ERROR_AT, "%.60s", e->largest > 0 ? index.data : "");
    }
    buffer_free(&index);
    if (e->infinite && e->unknown)
        fpd_text_cell(table, row, ERROR_REST, "%" PRIu64 " NaN or infinite, %" PRIu64 " not known", e->infinite,
                      e->unknown);
    else if (e->infinite)
        fpd_text_cell(table, row, ERROR_REST, "%" PRIu64 " NaN or infinite", e->infinite);
    else if (e->unknown)
        fpd_text_cell(table, row, ERROR_REST, "%" PRIu64 " not known", e->unknown);
}

// The least of the largest errors of all variants.
static double best_of(const FpdOutcome *outcome) {
    const FpdAccuracy *accuracy = outcome->accuracy;
    double best = INFINITY;
    for (uint32_t v = 0; v < outcome->cas->variant_count; v++) {
        double largest = 0;
        for (uint32_t c = 0; c < outcome->cas->compare_count; c++) {
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
    const double best = best_of(t->outcome);
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
    static const char *const heads[ERROR_COLUMNS] = {
        [ERROR_LARGEST] = "largest", [ERROR_MOST] = "99.9 %",       [ERROR_USUAL] = "75 %",
        [ERROR_MEAN] = "mean",       [ERROR_OF_ROW] = "of its row", [ERROR_AT] = "largest at"};
    const FpdBuffer *buffer = &t->cas->buffers[t->cas->compare[c]];
    TextTable table = {.rows = 0};
    for (unsigned i = 0; i < BASE_COUNT(heads); i++)
        if (heads[i]) fpd_text_cell(&table, 0, i, "%s", heads[i]);
    fpd_text_cell(&table, 0, ERROR_NAME, "%.60s", buffer->name);
    for (uint32_t v = first; v < t->cas->variant_count && table.rows < TEXT_ROWS; v++) {
        fpd_text_cell(&table, table.rows, ERROR_NAME, "%.60s", t->cas->variants[v].name);
        set_error(&table, table.rows - 1, buffer, &t->outcome->accuracy->variants[v].errors[c]);
    }
    fpd_text_table(t, &table);
}

static bool is_any_measured(const TextReport *t) {
    bool any = false;
    for (uint32_t c = 0; c < t->cas->compare_count; c++) any |= t->outcome->accuracy->variants[0].errors[c].is_measured;
    return any;
}

// Floats of four bits, two in a byte: no numbers are kept beside them.
static bool is_left_out(const FpdBuffer *buffer) {
    return element_is_float(buffer->type) && !fpd_has_records(buffer->type) && buffer->elements;
}

static void print_left_out(const TextReport *t) {
    for (uint32_t c = 0; c < t->cas->compare_count; c++) {
        const FpdBuffer *buffer = &t->cas->buffers[t->cas->compare[c]];
        if (is_left_out(buffer))
            buffer_print(t->out, "      %s is not measured: no numbers are kept beside %s\n", buffer->name,
                         element_info(buffer->type)->name);
    }
}

void fpd_text_accuracy(const TextReport *t) {
    const FpdAccuracy *accuracy = t->outcome->accuracy;
    if (!accuracy) return;
    if (accuracy->none) {
        buffer_print(t->out, "  accuracy: not known: %s\n", accuracy->none);
        return;
    }
    if (!is_any_measured(t)) {
        buffer_print(t->out, "  accuracy: nothing to measure: no compared buffer has floats that could be rounded\n");
        print_left_out(t);
        return;
    }
    buffer_print(t->out, "  accuracy: how far results are from those without rounding, in ulp\n");
    for (uint32_t c = 0; c < t->cas->compare_count; c++)
        for (uint32_t v = 0; accuracy->variants[0].errors[c].is_measured && v < t->cas->variant_count;
             v += TEXT_ROWS - 1)
            print_errors(t, c, v);
    print_left_out(t);
    for (uint32_t v = 0; v < t->cas->variant_count; v++)
        if (accuracy->variants[v].numbers_of != v)
            buffer_print(t->out, "      %s is PTX, measured by the numbers of %s\n", t->cas->variants[v].name,
                         t->cas->variants[accuracy->variants[v].numbers_of].name);
    print_bound(t);
}

// ---- beside a verdict -----------------------------------------------------------------------------------------------

// Of which buffer the figures are: that in which the variant has most elements that are NaN or infinite, or else the
// largest mean error. NULL: none has floats.
static const FpdError *worst_of(const FpdOutcome *outcome, uint32_t variant) {
    const FpdError *errors = outcome->accuracy->variants[variant].errors, *worst = NULL;
    for (uint32_t c = 0; c < outcome->cas->compare_count; c++) {
        if (!errors[c].is_measured) continue;
        if (!worst || errors[c].infinite > worst->infinite ||
            (errors[c].infinite == worst->infinite && errors[c].mean > worst->mean))
            worst = &errors[c];
    }
    return worst;
}

static void print_mean(Buffer *out, const FpdError *e) {
    if (e->infinite)
        buffer_print(out, "inf");
    else if (!e->elements)
        buffer_print(out, "?");
    else
        buffer_print(out, "%.3g", e->mean);
}

void fpd_print_accuracy(const FpdOutcome *outcome, const FpdComparison *comparison, Buffer *out) {
    if (!fpd_has_accuracy(outcome, comparison)) return;
    if (outcome->accuracy->none) {
        buffer_print(out, "error not known");
        return;
    }
    const uint32_t left = comparison->left->variant, right = comparison->right->variant;
    const FpdError *e = worst_of(outcome, right);
    if (!e) return;
    buffer_print(out, "error ");
    print_mean(out, &outcome->accuracy->variants[left].errors[e - outcome->accuracy->variants[right].errors]);
    buffer_print(out, " | ");
    print_mean(out, e);
    buffer_print(out, " ulp");
}

void fpd_text_errors(const TextReport *t, const FpdComparison *comparison) {
    Buffer text = {0};
    if (!t->accuracy_width) return;
    fpd_print_accuracy(t->outcome, comparison, &text);
    buffer_print(t->out, "%-*s  ", t->accuracy_width, text.data ? text.data : "");
    buffer_free(&text);
}

void fpd_text_far_apart(const TextReport *t, const FpdComparison *comparison) {
    uint32_t compared = 0;
    const FpdFarthest *farthest = fpd_far_apart(t->cas, comparison, &compared);
    if (!farthest) return;
    const FpdBuffer *buffer = &t->cas->buffers[t->cas->compare[compared]];
    buffer_print(t->out, "      ");
    fpd_text_styled(t, STYLE_WARN, "numbers far apart");
    buffer_print(t->out, ": %s", buffer->name);
    fpd_print_index(buffer, farthest->index, t->out);
    if (isfinite(farthest->roundings))
        buffer_print(t->out, " by %.2g of the largest in its row, %.3g times what a rounding costs", farthest->of_row,
                     farthest->roundings);
    else
        buffer_print(t->out, " is NaN or infinite in one variant only");
    buffer_print(t->out, "%s\n", t->outcome->accuracy ? "" : "; --accuracy says which variant is nearer");
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

// What stored the element, in the variant's plain run. Runs of wide do not say.
static json_t *json_stored(const FpdOutcome *outcome, uint32_t variant, uint32_t c, uint64_t index) {
    const FpdRun *run = fpd_find_run(outcome->runs, outcome->cas->modes[0], variant);
    return fpd_json_store(run && run->bytes ? fpd_find_store(outcome->cas, run, c, index) : NULL);
}

static void set_error_of(json_t *object, const FpdOutcome *outcome, uint32_t variant, uint32_t c) {
    const FpdError *e = &outcome->accuracy->variants[variant].errors[c];
    const FpdBuffer *buffer = &outcome->cas->buffers[outcome->cas->compare[c]];
    json_object_set_new(object, "elements", json_integer((json_int_t)e->elements));
    json_object_set_new(object, "not_known", json_integer((json_int_t)e->unknown));
    json_object_set_new(object, "infinite", json_integer((json_int_t)e->infinite));
    json_object_set_new(object, "as_reference", json_integer((json_int_t)e->as_reference));
    if (e->infinite) json_object_set_new(object, "first_infinite", fpd_json_index(buffer, e->first_infinite));
    if (e->elements) {
        json_object_set_new(object, "largest", fpd_json_number(e->largest));
        json_object_set_new(object, "most", fpd_json_number(e->most));
        json_object_set_new(object, "usual", fpd_json_number(e->usual));
        json_object_set_new(object, "mean", fpd_json_number(e->mean));
        json_object_set_new(object, "relative", fpd_json_number(e->relative));
        json_object_set_new(object, "index", fpd_json_index(buffer, e->farthest));
    }
    if (e->infinite || (e->elements && e->largest > 0))
        json_object_set_new(object, "stored",
                            json_stored(outcome, variant, c, e->infinite ? e->first_infinite : e->farthest));
}

static json_t *json_error(const FpdOutcome *outcome, uint32_t variant, uint32_t c) {
    json_t *object = json_object();
    set_error_of(object, outcome, variant, c);
    return object;
}

// Of infinities and NaN, and then of the mean error, the fewer.
static const char *nearer_of(const FpdError *a, const FpdError *b) {
    if (a->infinite != b->infinite) return a->infinite < b->infinite ? "reference" : "variant";
    if (a->mean != b->mean) return a->mean < b->mean ? "reference" : "variant";
    return "both";
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
        if (!a->is_measured) continue;
        json_t *buffer = json_object();
        json_object_set_new(buffer, "buffer", fpd_json_text(outcome->cas->buffers[outcome->cas->compare[c]].name));
        json_object_set_new(buffer, "reference", json_error(outcome, left, c));
        json_object_set_new(buffer, "variant", json_error(outcome, right, c));
        if ((a->elements || a->infinite) && (b->elements || b->infinite))
            json_object_set_new(buffer, "nearer", fpd_json_text(nearer_of(a, b)));
        json_array_append_new(buffers, buffer);
    }
    json_object_set_new(object, "buffers", buffers);
    return object;
}

// The errors of a variant, if they are known.
static json_t *json_errors_of(const FpdOutcome *outcome, uint32_t variant) {
    json_t *buffers = json_array();
    for (uint32_t c = 0; !outcome->accuracy->none && c < outcome->cas->compare_count; c++) {
        if (!outcome->accuracy->variants[variant].errors[c].is_measured) continue;
        json_t *buffer = json_object();
        json_object_set_new(buffer, "buffer", fpd_json_text(outcome->cas->buffers[outcome->cas->compare[c]].name));
        set_error_of(buffer, outcome, variant, c);
        json_array_append_new(buffers, buffer);
    }
    return buffers;
}

static json_t *json_bound(const FpdOutcome *outcome) {
    const FpdAccuracyBound *bound = &outcome->cas->accuracy;
    json_t *object = json_object();
    if (bound->ulps > 0) json_object_set_new(object, "ulp", fpd_json_number(bound->ulps));
    if (bound->times > 0) json_object_set_new(object, "times_reference", fpd_json_number(bound->times));
    if (outcome->accuracy->none) return object;
    const double best = best_of(outcome);
    json_object_set_new(object, "met_by_none", json_boolean(bound->ulps > 0 && best > bound->ulps));
    if (isfinite(best)) json_object_set_new(object, "best", fpd_json_number(best));
    return object;
}

static json_t *json_left_out(const FpdCase *cas) {
    json_t *names = json_array();
    for (uint32_t c = 0; c < cas->compare_count; c++)
        if (is_left_out(&cas->buffers[cas->compare[c]]))
            json_array_append_new(names, fpd_json_text(cas->buffers[cas->compare[c]].name));
    return names;
}

json_t *fpd_json_accuracies(const FpdOutcome *outcome) {
    const FpdAccuracy *accuracy = outcome->accuracy;
    const FpdAccuracyBound *bound = &outcome->cas->accuracy;
    json_t *object = json_object(), *variants = json_array();
    if (accuracy->none) json_object_set_new(object, "not_known", fpd_json_text(accuracy->none));
    if (bound->given) json_object_set_new(object, "bound", json_bound(outcome));
    for (uint32_t v = 0; v < outcome->cas->variant_count; v++) {
        const FpdVariantAccuracy *of = &accuracy->variants[v];
        const bool bounded = bound->given && (v || bound->ulps > 0);
        json_t *variant = json_object();
        json_object_set_new(variant, "variant", fpd_json_text(outcome->cas->variants[v].name));
        json_object_set_new(variant, "bounded", json_boolean(bounded));
        json_object_set_new(variant, "exceeds", json_boolean(accuracy->none ? bounded : of->exceeds));
        json_object_set_new(variant, "less_accurate", json_boolean(of->much_worse));
        if (!accuracy->none && of->numbers_of != v)
            json_object_set_new(variant, "measured_by", fpd_json_text(outcome->cas->variants[of->numbers_of].name));
        json_object_set_new(variant, "buffers", json_errors_of(outcome, v));
        json_array_append_new(variants, variant);
    }
    json_object_set_new(object, "variants", variants);
    json_object_set_new(object, "not_measured", json_left_out(outcome->cas));
    return object;
}
