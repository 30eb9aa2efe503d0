// SPDX-License-Identifier: Apache-2.0
// How accurate variants are, in words and figures: "accuracy" of comparisons and of cases (docs/fpdiff.md, "JSON").
#include "report/report_internal.h"

#include <math.h>
#include <string.h>

static double error_in(const json_t *error, const char *key) {
    const char *text = report_text(error, key);
    return text && !strcmp(text, "inf") ? INFINITY : json_number_value(json_object_get(error, key));
}

static bool is_worse(const json_t *error, const json_t *than, const char *key) {
    const json_int_t infinite = report_number(error, "infinite"), other = report_number(than, "infinite");
    if (infinite != other) return infinite > other;
    return error_in(error, key) > error_in(than, key);
}

// The item of a list of buffers of which the figures are: that with most elements that are NaN or infinite, or else the
// largest error of this key. `side`: where in an item the error is; NULL: it is the item. NULL: the list is empty.
static const json_t *worst_of(const json_t *buffers, const char *side, const char *key) {
    const json_t *worst = NULL;
    json_t *buffer;
    size_t index;
    json_array_foreach(buffers, index, buffer) {
        const json_t *error = side ? json_object_get(buffer, side) : buffer,
                     *before = side ? json_object_get(worst, side) : worst;
        if (!worst || is_worse(error, before, key)) worst = buffer;
    }
    return worst;
}

// Three digits, and large ones as people write them.
static void print_ulps(double ulps, Buffer *out) {
    buffer_print(out, ulps >= 999.5 && ulps < 1e7 ? "%.0f" : "%.3g", ulps);
}

static void print_error(const json_t *error, const char *key, Buffer *out) {
    if (report_number(error, "infinite"))
        buffer_print(out, "inf");
    else if (!report_number(error, "elements"))
        buffer_print(out, "?");
    else
        print_ulps(error_in(error, key), out);
}

bool report_is_less_accurate(const json_t *comparison) {
    const char *mode = report_text(comparison, "mode");
    return mode && strcmp(mode, "ieee") && !strcmp(report_verdict(comparison), "equal") &&
           json_is_true(json_object_get(json_object_get(comparison, "accuracy"), "less_accurate"));
}

const json_t *report_worst_error(const json_t *comparison) {
    return worst_of(json_object_get(json_object_get(comparison, "accuracy"), "buffers"), "variant", "mean");
}

const char *report_accuracy(Arena *arena, const json_t *comparison) {
    static const char *const keys[] = {"mean", "largest"};
    const json_t *accuracy = json_object_get(comparison, "accuracy"), *worst = report_worst_error(comparison);
    Buffer out = {0};
    if (!accuracy) return NULL;
    if (report_text(accuracy, "not_known")) return "not known";
    if (!worst) return NULL;
    for (size_t k = 0; k < BASE_COUNT(keys); k++) {
        buffer_print(&out, "%s%s ", k ? ", " : "", keys[k]);
        print_error(json_object_get(worst, "reference"), keys[k], &out);
        buffer_print(&out, " | ");
        print_error(json_object_get(worst, "variant"), keys[k], &out);
    }
    buffer_print(&out, " ulp");
    const char *text = arena_text(arena, out.data, out.size);
    buffer_free(&out);
    return text;
}

static void print_measured_by(const json_t *variant, Buffer *out) {
    const char *other = report_text(variant, "measured_by");
    if (other) buffer_print(out, ", by the numbers of %s", other);
}

const char *report_variant_accuracy(Arena *arena, const json_t *variant) {
    const json_t *worst = report_worst_of_variant(variant);
    Buffer out = {0};
    if (report_text(variant, "not_known")) return "not known";
    if (!worst) return NULL;
    buffer_print(&out, "mean ");
    print_error(worst, "mean", &out);
    buffer_print(&out, ", largest ");
    print_error(worst, "largest", &out);
    buffer_print(&out, " ulp");
    print_measured_by(variant, &out);
    const char *text = arena_text(arena, out.data, out.size);
    buffer_free(&out);
    return text;
}

// ---- the bound of a case --------------------------------------------------------------------------------------------

const char *report_accuracy_bound(Arena *arena, const json_t *accuracy) {
    const json_t *bound = json_object_get(accuracy, "bound");
    const double ulps = error_in(bound, "ulp"), times = error_in(bound, "times_reference");
    return arena_format(arena, "%s%s%s", ulps > 0 ? arena_format(arena, "%g ulp", ulps) : "",
                        ulps > 0 && times > 0 ? ", " : "",
                        times > 0 ? arena_format(arena, "%g times the reference's error", times) : "");
}

static void print_index(const json_t *index, Buffer *out) {
    const json_t *at;
    size_t d;
    buffer_print(out, "[");
    json_array_foreach(index, d, at)
        buffer_print(out, "%s%" JSON_INTEGER_FORMAT, d ? ", " : "", json_integer_value(at));
    buffer_print(out, "]");
}

static void print_buffer(const json_t *buffer, Buffer *out) {
    const char *name = report_text(buffer, "buffer");
    const json_int_t infinite = report_number(buffer, "infinite"), unknown = report_number(buffer, "not_known");
    const char *comma = ": ";
    buffer_print(out, "%s", name ? name : "?");
    if (report_number(buffer, "elements")) {
        buffer_print(out, ": the largest error is ");
        print_ulps(error_in(buffer, "largest"), out);
        buffer_print(out, " ulp at ");
        print_index(json_object_get(buffer, "index"), out);
        buffer_print(out, ", the mean ");
        print_ulps(error_in(buffer, "mean"), out);
        comma = ", ";
    }
    if (infinite) {
        buffer_print(out, "%s%" JSON_INTEGER_FORMAT " NaN or infinite, the first at ", comma, infinite);
        print_index(json_object_get(buffer, "first_infinite"), out);
        comma = ", ";
    }
    if (unknown) buffer_print(out, "%s%" JSON_INTEGER_FORMAT " not known", comma, unknown);
}

const char *report_variant_errors(Arena *arena, const json_t *variant) {
    Buffer out = {0};
    json_t *buffer;
    size_t index;
    json_array_foreach(json_object_get(variant, "buffers"), index, buffer) {
        if (index) buffer_print(&out, "; ");
        print_buffer(buffer, &out);
    }
    print_measured_by(variant, &out);
    const char *text = arena_text(arena, out.data ? out.data : "", out.size);
    buffer_free(&out);
    return text;
}

const json_t *report_worst_of_variant(const json_t *variant) {
    return worst_of(json_object_get(variant, "buffers"), NULL, "largest");
}
