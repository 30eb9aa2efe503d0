// SPDX-License-Identifier: Apache-2.0
// How near the edge each variant is, in the report for people and in JSON.
#include "diff/report_internal.h"

#include <inttypes.h>
#include <math.h>

// ---- for people -----------------------------------------------------------------------------------------------------

enum { NEAR_DOUBLINGS = 1 }; // an op that is nearer to overflow is named

static void open_line(const TextReport *t, uint32_t variant, const FpdRangeLine *line) {
    const FpdVariant *owner = &t->cas->variants[variant];
    char source[TEXT_CELL_SIZE];
    const FpdStore at = {.by = {.op = line->site.by.op, .at = line->site.by.at},
                         .launch = line->site.launch,
                         .kernel = line->site.kernel};
    fpd_text_store(&at, owner, source);
    buffer_print(t->out, "  ");
    fpd_text_styled(t, STYLE_WARN, "RANGE");
    buffer_print(t->out, "  %s: %s at %s", owner->name, line->site.by.op, source);
}

// The first op that makes something that is not finite, and whether such things are among the results.
static void print_made(const TextReport *t, uint32_t variant, const FpdRange *range) {
    const uint64_t made = range->made->site.count.counters[CENSUS_MADE];
    open_line(t, variant, range->made);
    buffer_print(t->out, " is the first op that makes infinities or NaN of finite numbers, %" PRIu64 " of them;\n",
                 made);
    if (range->not_finite)
        buffer_print(t->out, "         %" PRIu64 " of the compared results %s infinite or NaN", range->not_finite,
                     range->not_finite == 1 ? "is" : "are");
    else
        buffer_print(t->out, "         no compared result is infinite or NaN");
    if (range->tried && range->finite)
        buffer_print(t->out, "; with 1 in place of each, %" PRIu64 " of them %s finite", range->finite,
                     range->finite == 1 ? "is" : "are");
    else if (range->tried && range->changed)
        buffer_print(t->out, "; with 1 in place of each, %" PRIu64 " results %s", range->changed,
                     range->changed == 1 ? "is another" : "are others");
    else if (range->tried)
        buffer_print(t->out, "; with 1 in place of each, no result is another");
    buffer_print(t->out, "\n");
}

static void print_near(const TextReport *t, uint32_t variant, const FpdRangeLine *line) {
    const char *type = fpsan_format_info((FpsanFormat)line->site.by.format)->name;
    open_line(t, variant, line);
    if (line->argument < line->own_to_overflow)
        buffer_print(t->out, " gives %.3g: in %s it overflows where its argument is %.3g times as large\n", line->own,
                     type, exp2(line->argument));
    else
        buffer_print(t->out, " gives %.3g: %s overflows at %.3g times that\n", line->own, type,
                     exp2(line->own_to_overflow));
}

enum {
    RANGE_SOURCE,
    RANGE_OP,
    RANGE_LARGEST,
    RANGE_TO_OVERFLOW,
    RANGE_SMALLEST,
    RANGE_TO_SUBNORMAL,
    RANGE_LOST,
    RANGE_REST,
    RANGE_COLUMNS
};
_Static_assert((int)RANGE_COLUMNS <= (int)TEXT_COLUMNS, "a table has as many columns");

static void set_doublings(TextTable *table, unsigned row, unsigned column, double doublings) {
    if (isfinite(doublings)) fpd_text_cell(table, row, column, "%.1f", doublings);
}

// `op` NULL: what all lines of a type come to.
static void set_line(TextTable *table, unsigned row, const char *op, const FpdRangeLine *line) {
    const uint64_t *counters = line->site.count.counters;
    char source[TEXT_CELL_SIZE] = "all lines";
    if (op) fpd_text_source(&line->site.by.at, op, source);
    fpd_text_cell(table, row, RANGE_SOURCE, "%s", source);
    fpd_text_cell(table, row, RANGE_OP, "%s%s%s", op ? op : "", op ? " " : "",
                  fpsan_format_info((FpsanFormat)line->site.by.format)->name);
    fpd_text_cell(table, row, RANGE_LARGEST, "%.3g", line->largest);
    set_doublings(table, row, RANGE_TO_OVERFLOW, line->to_overflow);
    if (line->smallest > 0) fpd_text_cell(table, row, RANGE_SMALLEST, "%.3g", line->smallest);
    set_doublings(table, row, RANGE_TO_SUBNORMAL, line->to_subnormal);
    if (line->site.by.cancels) fpd_text_cell(table, row, RANGE_LOST, "%u", line->lost);
    Buffer rest = {0};
    if (counters[CENSUS_CANCELLED]) buffer_print(&rest, ", %" PRIu64 " to zero", counters[CENSUS_CANCELLED]);
    if (counters[CENSUS_SUBNORMAL]) buffer_print(&rest, ", %" PRIu64 " subnormal", counters[CENSUS_SUBNORMAL]);
    if (counters[CENSUS_NOT_FINITE]) buffer_print(&rest, ", %" PRIu64 " not finite", counters[CENSUS_NOT_FINITE]);
    if (counters[CENSUS_MADE]) buffer_print(&rest, " (%" PRIu64 " made here)", counters[CENSUS_MADE]);
    if (rest.size) fpd_text_cell(table, row, RANGE_REST, "%s", rest.data + 2);
    buffer_free(&rest);
}

// As many lines from `first` on as go into a table; behind the last one those of types.
static void print_lines(const TextReport *t, uint32_t variant, const FpdRange *range, uint32_t first) {
    static const char *const heads[RANGE_COLUMNS] = {[RANGE_LARGEST] = "largest",
                                                     [RANGE_TO_OVERFLOW] = "to overflow",
                                                     [RANGE_SMALLEST] = "smallest",
                                                     [RANGE_TO_SUBNORMAL] = "to subnormal",
                                                     [RANGE_LOST] = "bits lost"};
    TextTable table = {.rows = 0};
    for (unsigned i = 0; i < BASE_COUNT(heads); i++)
        if (heads[i]) fpd_text_cell(&table, 0, i, "%s", heads[i]);
    fpd_text_cell(&table, 0, RANGE_SOURCE, "%.60s", t->cas->variants[variant].name);
    for (uint32_t i = first; i < range->line_count + range->type_count && table.rows < TEXT_ROWS; i++)
        if (i < range->line_count)
            set_line(&table, table.rows, range->lines[i].site.by.op, &range->lines[i]);
        else
            set_line(&table, table.rows, NULL, &range->types[i - range->line_count]);
    fpd_text_table(t, &table);
}

void fpd_text_ranges(const TextReport *t) {
    const FpdOutcome *outcome = t->outcome;
    for (uint32_t v = 0; outcome->ranges && v < t->cas->variant_count; v++) {
        const FpdRange *range = &outcome->ranges[v];
        if (range->made) print_made(t, v, range);
        if (range->nearest && fpd_line_headroom(range->nearest) < NEAR_DOUBLINGS) print_near(t, v, range->nearest);
    }
    if (!outcome->all_ranges) return;
    if (!outcome->ranges) {
        buffer_print(t->out,
                     "  range: not counted: no run of this case computes with numbers in Tile IR on the host\n");
        return;
    }
    buffer_print(t->out, "  range: magnitudes of what each op makes, in doublings to the edges of its type\n");
    for (uint32_t v = 0; v < t->cas->variant_count; v++) {
        if (!outcome->ranges[v].line_count)
            buffer_print(t->out, "      %s: not counted: %snone of its ops in Tile IR makes floats\n",
                         t->cas->variants[v].name, outcome->has_parts ? "its blocks have parts, or " : "");
        for (uint32_t i = 0; i < outcome->ranges[v].line_count + outcome->ranges[v].type_count; i += TEXT_ROWS - 1)
            print_lines(t, v, &outcome->ranges[v], i);
    }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void set_finite(json_t *object, const char *key, double number) {
    if (isfinite(number)) json_object_set_new(object, key, json_real(number));
}

static void set_counts(json_t *object, const FpdRangeLine *line) {
    static const char *const names[CENSUS_COUNTERS] = {"results", "subnormal", "not_finite", "made", "cancelled"};
    json_object_set_new(object, "type", fpd_json_text(fpsan_format_info((FpsanFormat)line->site.by.format)->name));
    for (unsigned c = 0; c < CENSUS_COUNTERS; c++)
        if (c != CENSUS_CANCELLED || line->site.by.cancels)
            json_object_set_new(object, names[c], json_integer((json_int_t)line->site.count.counters[c]));
    json_object_set_new(object, "largest", json_real(line->largest));
    set_finite(object, "to_overflow", line->to_overflow);
    if (line->own < line->largest) {
        json_object_set_new(object, "own", json_real(line->own));
        set_finite(object, "own_to_overflow", line->own_to_overflow);
    }
    set_finite(object, "argument_to_overflow", line->argument);
    if (line->smallest > 0) json_object_set_new(object, "smallest", json_real(line->smallest));
    set_finite(object, "to_subnormal", line->to_subnormal);
    if (line->site.by.cancels) json_object_set_new(object, "lost", json_integer(line->lost));
}

static json_t *json_line(const FpdRangeLine *line) {
    const FpdStore at = {.by = {.op = line->site.by.op, .at = line->site.by.at},
                         .launch = line->site.launch,
                         .kernel = line->site.kernel};
    json_t *object = fpd_json_store(&at);
    set_counts(object, line);
    return object;
}

static json_t *json_range(const FpdOutcome *outcome, uint32_t variant) {
    const FpdRange *range = &outcome->ranges[variant];
    json_t *object = json_object(), *lines = json_array(), *types = json_array();
    json_object_set_new(object, "variant", fpd_json_text(outcome->cas->variants[variant].name));
    json_object_set_new(object, "mode", fpd_json_text(fpd_mode_name(range->run->mode)));
    json_object_set_new(object, "not_finite", json_integer((json_int_t)range->not_finite));
    if (range->tried)
        json_object_set_new(
            object, "without",
            json_pack("{s:I, s:I}", "finite", (json_int_t)range->finite, "changed", (json_int_t)range->changed));
    if (range->made) json_object_set_new(object, "first_made", json_line(range->made));
    if (range->nearest) json_object_set_new(object, "nearest", json_line(range->nearest));
    for (uint32_t i = 0; i < range->type_count; i++) {
        json_t *type = json_object();
        set_counts(type, &range->types[i]);
        json_array_append_new(types, type);
    }
    json_object_set_new(object, "types", types);
    for (uint32_t i = 0; outcome->all_ranges && i < range->line_count; i++)
        json_array_append_new(lines, json_line(&range->lines[i]));
    if (outcome->all_ranges)
        json_object_set_new(object, "lines", lines);
    else
        json_decref(lines);
    return object;
}

json_t *fpd_json_ranges(const FpdOutcome *outcome) {
    json_t *list = json_array();
    for (uint32_t v = 0; outcome->ranges && v < outcome->cas->variant_count; v++)
        if (outcome->ranges[v].run) json_array_append_new(list, json_range(outcome, v));
    return list;
}
