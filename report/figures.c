// SPDX-License-Identifier: Apache-2.0
// Comparisons of a report in words and figures.
#include "report/report_internal.h"

#include <string.h>

const char *report_text(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

json_int_t report_number(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static const char *or_unknown(const char *text) {
    return text ? text : "?";
}

const char *report_verdict(const json_t *comparison) {
    return or_unknown(report_text(comparison, "verdict"));
}

const char *report_comparison_name(Arena *arena, const json_t *comparison) {
    const char *reference = report_text(comparison, "reference"),
               *variant = or_unknown(report_text(comparison, "variant")),
               *mode = or_unknown(report_text(comparison, "mode")), *build = report_text(comparison, "build");
    if (!reference)
        return arena_format(arena, "%s, %s -> %s, %s", variant, or_unknown(report_text(comparison, "reference_build")),
                            or_unknown(build), mode);
    return arena_format(arena, "%s | %s, %s%s%s", reference, variant, mode, build ? ", " : "", build ? build : "");
}

void report_each_comparison(const json_t *cas, ReportComparisonFunction *take, void *context) {
    static const char *const keys[] = {"pairs", "builds"};
    json_t *comparison;
    size_t index;
    for (size_t k = 0; k < BASE_COUNT(keys); k++)
        json_array_foreach(json_object_get(cas, keys[k]), index, comparison) take(context, comparison);
}

// Numbers, and the texts "inf" and "nan", which count as nothing: how many there are is `incomparable`.
static double larger_of(double most, const json_t *distance, const char *key) {
    const double value = json_number_value(json_object_get(distance, key));
    return value > most ? value : most;
}

ReportFigures report_sum(const json_t *comparison) {
    ReportFigures sum = {0};
    json_t *buffer;
    size_t index;
    json_array_foreach(json_object_get(comparison, "buffers"), index, buffer) {
        const json_t *distance = json_object_get(buffer, "distance"),
                     *beyond = json_object_get(distance, "beyond_tolerance");
        sum.elements += report_number(buffer, "elements");
        sum.different += report_number(buffer, "different");
        if (!distance) continue;
        const json_int_t ulps = report_number(distance, "ulps");
        sum.has_distance = true;
        sum.has_beyond |= beyond != NULL;
        sum.beyond += json_integer_value(beyond);
        sum.incomparable += report_number(distance, "incomparable");
        if (ulps > sum.ulps) sum.ulps = ulps;
        sum.absolute = larger_of(sum.absolute, distance, "absolute");
        sum.relative = larger_of(sum.relative, distance, "relative");
    }
    return sum;
}

// A share that is neither 0 nor 1 never prints as 0 % or 100 %.
static const char *share_text(Arena *arena, json_int_t part, json_int_t whole) {
    const double percent = whole ? 100.0 * (double)part / (double)whole : 0;
    if (part == whole) return "100 %";
    if (percent > 99.9) return "over 99.9 %";
    return percent < 0.1 ? "below 0.1 %" : arena_format(arena, "%.1f %%", percent);
}

static void print_box(const json_t *buffer, Buffer *out) {
    const json_t *box = json_object_get(buffer, "box"), *low = json_object_get(box, "low"),
                 *high = json_object_get(box, "high");
    const char *pattern = report_text(buffer, "pattern");
    if (!json_array_size(low)) return;
    buffer_print(out, " within %s[", or_unknown(report_text(buffer, "buffer")));
    for (size_t d = 0; d < json_array_size(low); d++)
        buffer_print(out, "%s%" JSON_INTEGER_FORMAT ":%" JSON_INTEGER_FORMAT, d ? ", " : "",
                     json_integer_value(json_array_get(low, d)), json_integer_value(json_array_get(high, d)) + 1);
    buffer_print(out, "]");
    if (pattern) buffer_print(out, ": %s", pattern);
}

static void print_distance(const ReportFigures *sum, Buffer *out) {
    if (!sum->has_distance || (!sum->incomparable && sum->absolute <= 0)) return;
    if (sum->absolute > 0)
        buffer_print(out, ", at most %.3g apart (relative %.3g, %" JSON_INTEGER_FORMAT " ulp)", sum->absolute,
                     sum->relative, sum->ulps);
    if (sum->incomparable)
        buffer_print(out, ", %" JSON_INTEGER_FORMAT " NaN or infinite on one side", sum->incomparable);
    if (sum->beyond) buffer_print(out, ", %" JSON_INTEGER_FORMAT " beyond the tolerance", sum->beyond);
}

const char *report_figures(Arena *arena, const json_t *comparison) {
    const ReportFigures sum = report_sum(comparison);
    Buffer out = {0};
    json_t *buffer;
    size_t index;
    json_array_foreach(json_object_get(comparison, "buffers"), index, buffer) {
        const json_int_t different = report_number(buffer, "different"), elements = report_number(buffer, "elements");
        const char *name = or_unknown(report_text(buffer, "buffer"));
        if (sum.different && !different) continue;
        if (out.size) buffer_print(&out, ", ");
        if (different) buffer_print(&out, "%" JSON_INTEGER_FORMAT " of ", different);
        buffer_print(&out, "%" JSON_INTEGER_FORMAT " elements of %s", elements, name);
        if (!different) continue;
        buffer_print(&out, " (%s)", share_text(arena, different, elements));
        print_box(buffer, &out);
    }
    print_distance(&sum, &out);
    const char *text = arena_text(arena, out.data ? out.data : "", out.size);
    buffer_free(&out);
    return text;
}
