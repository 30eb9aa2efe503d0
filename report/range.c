// SPDX-License-Identifier: Apache-2.0
// How near the edges of their types the numbers of a variant come, in words: "range" of a case (docs/fpdiff.md,
// "JSON").
#include "report/report_internal.h"

#include <math.h>

enum { NEAR_DOUBLINGS = 1 }; // what is nearer to overflow is named, as on the terminal

static double doublings_of(const json_t *line, const char *key) {
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : INFINITY;
}

static ReportPlace place_of(const json_t *line) {
    const json_int_t number = report_number(line, "line"), column = report_number(line, "column");
    return (ReportPlace){report_text(line, "file"), number > 0 ? (uint32_t)number : 0,
                         column > 0 ? (uint32_t)column : 0, NULL};
}

static const char *name_of(const json_t *object, const char *key) {
    const char *text = report_text(object, key);
    return text ? text : "?";
}

// What comes of the results with 1 in place of each, if that was tried.
static const char *without_them(Arena *arena, const json_t *range) {
    const json_t *without = json_object_get(range, "without");
    const json_int_t finite = report_number(without, "finite"), changed = report_number(without, "changed");
    if (!json_is_object(without)) return "";
    if (!finite && !changed) return "; with 1 in place of each, no result is another";
    return arena_format(arena, "; with 1 in place of each, %" JSON_INTEGER_FORMAT " %s", finite ? finite : changed,
                        finite ? "of them are finite" : "results are others");
}

const char *report_range_made(Arena *arena, const json_t *range, ReportPlace *at) {
    const json_t *line = json_object_get(range, "first_made");
    const json_int_t results = report_number(range, "not_finite");
    if (!json_is_object(line)) return NULL;
    *at = place_of(line);
    const char *reached = "no compared result is infinite or NaN";
    if (results)
        reached = arena_format(arena, "%" JSON_INTEGER_FORMAT " of the compared results are infinite or NaN", results);
    return arena_format(arena,
                        "%s: %s is the first op that makes infinities or NaN of finite numbers, %" JSON_INTEGER_FORMAT
                        " of them; %s%s",
                        name_of(range, "variant"), name_of(line, "op"), report_number(line, "made"), reached,
                        without_them(arena, range));
}

const char *report_range_near(Arena *arena, const json_t *range, ReportPlace *at) {
    const json_t *line = json_object_get(range, "nearest");
    const json_t *own = json_object_get(line, "own"); // what it does not hand on of its operands
    const double result = doublings_of(line, own ? "own_to_overflow" : "to_overflow"),
                 argument = doublings_of(line, "argument_to_overflow");
    if (!line || report_number(line, "made") || fmin(result, argument) >= NEAR_DOUBLINGS) return NULL;
    *at = place_of(line);
    const char *edge =
        argument < result ? arena_format(arena, "in %s it overflows where its argument is %.3g times as large",
                                         name_of(line, "type"), exp2(argument))
                          : arena_format(arena, "%s overflows at %.3g times that", name_of(line, "type"), exp2(result));
    return arena_format(arena, "%s: %s gives %.3g: %s", name_of(range, "variant"), name_of(line, "op"),
                        json_number_value(own ? own : json_object_get(line, "largest")), edge);
}
