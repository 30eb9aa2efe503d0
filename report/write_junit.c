// SPDX-License-Identifier: Apache-2.0
// The report in the XML that JUnit has made common: a suite for each case, a test for each comparison. What is wrong
// with a case as a whole is a test of its own. Nothing that was not made, or not judged, passes.
#include "report/report_internal.h"
#include "report/xml.h"

#include <string.h>

typedef enum Outcome { PASSED, SKIPPED, FAILED, BROKEN, OUTCOME_COUNT } Outcome;
static const char *const outcome_elements[OUTCOME_COUNT] = {NULL, "skipped", "failure", "error"};

typedef struct JunitTest {
    const char *name;
    const json_t *comparison; // NULL: it is about the case
    const json_t *variant;    // of "accuracy", one that has a bound; NULL: it is not about that
    Outcome outcome;
    const char *type, *message; // unless it passed
    double seconds;
} JunitTest;

typedef struct Suite {
    Arena arena;
    const json_t *cas;
    const char *name;
    ReportFindings findings;
    JunitTest *tests;
    size_t count, capacity;
    Map names;
} Suite;

typedef struct Totals {
    size_t tests, outcomes[OUTCOME_COUNT];
    double seconds;
} Totals;

// ---- the tests of a case --------------------------------------------------------------------------------------------

static JunitTest *add_test(Suite *s, const char *name, Outcome outcome, const char *type, const char *message) {
    const char *own = name;
    for (unsigned n = 2; !map_insert(&s->names, &s->arena, own, 0); n++)
        own = arena_format(&s->arena, "%s (%u)", name, n);
    s->tests = arena_grow(&s->arena, s->tests, s->count, &s->capacity, sizeof *s->tests);
    s->tests[s->count] = (JunitTest){own, NULL, NULL, outcome, type, message, 0};
    return &s->tests[s->count++];
}

static double seconds_of(const json_t *cas, const json_t *comparison) {
    const char *variant = report_text(comparison, "variant"), *mode = report_text(comparison, "mode");
    const json_t *run = json_object_get(json_object_get(cas, "times"), "run");
    return mode && variant ? json_number_value(json_object_get(json_object_get(run, mode), variant)) : 0;
}

static void add_comparison(void *context, const json_t *comparison) {
    Suite *s = context;
    const bool fails = json_is_true(json_object_get(comparison, "fails"));
    const char *verdict = report_verdict(comparison), *figures = report_figures(&s->arena, comparison);
    const ReportRule rule = report_rule_by_name(verdict);
    const bool good = rule < REPORT_RULE_COUNT && report_rule_info(rule)->level == REPORT_NONE,
               build = !report_text(comparison, "reference");
    JunitTest *test = add_test(s, report_comparison_name(&s->arena, comparison), PASSED, verdict, figures);
    test->comparison = comparison;
    test->seconds = seconds_of(s->cas, comparison);
    if (fails) {
        test->outcome = FAILED;
        test->message = arena_format(&s->arena, "%s: %s", verdict, figures);
    } else if (rule == REPORT_RULE_measured) {
        test->outcome = SKIPPED;
        test->message = arena_format(&s->arena, "measured, not judged: %s", figures);
    } else if (!good && !build) {
        test->outcome = SKIPPED;
        test->message = arena_format(&s->arena, "%s, as the case expects: %s", verdict, figures);
    }
}

// Comparisons that would have been made if the case could have been run.
static void add_unmade(Suite *s) {
    json_t *comparison;
    size_t index;
    json_array_foreach(json_object_get(s->cas, "not_checked"), index, comparison)
        add_test(s, report_comparison_name(&s->arena, comparison), SKIPPED, REPORT_NOT_CHECKED,
                 "not checked: the case could not be run");
}

// A test for each variant whose errors have a bound.
static void add_accuracies(Suite *s) {
    const json_t *accuracy = json_object_get(s->cas, "accuracy");
    json_t *variant;
    size_t index;
    json_array_foreach(json_object_get(accuracy, "variants"), index, variant) {
        const char *name = report_text(variant, "variant");
        if (!json_is_true(json_object_get(variant, "bounded"))) continue;
        JunitTest *test = add_test(s, arena_format(&s->arena, "%s, accuracy", name ? name : "?"), PASSED,
                                   report_rule_info(REPORT_RULE_inaccurate)->name, "");
        test->variant = variant;
        for (size_t i = 0; i < s->findings.count; i++)
            if (s->findings.items[i].variant == variant)
                test->outcome = FAILED, test->message = s->findings.items[i].message;
    }
}

// Whether it says where a verdict of comparisons comes from.
static bool says_where(const ReportFinding *finding) {
    return finding->rule == REPORT_RULE_race || finding->rule == REPORT_RULE_misuse;
}

static bool is_verdict_of(const ReportFinding *finding, const JunitTest *test) {
    return !strcmp(test->type, report_rule_info(finding->rule)->name);
}

static bool is_told(const Suite *s, const ReportFinding *finding) {
    for (size_t i = 0; finding->variant && i < s->count; i++)
        if (s->tests[i].variant == finding->variant) return true;
    if (!says_where(finding)) return false;
    for (size_t i = 0; i < s->count; i++)
        if (s->tests[i].comparison && is_verdict_of(finding, &s->tests[i])) return true;
    return false;
}

static void add_case_tests(Suite *s) {
    for (size_t i = 0; i < s->findings.count; i++) {
        const ReportFinding *finding = &s->findings.items[i];
        const char *name = report_rule_info(finding->rule)->name;
        if (finding->comparison || is_told(s, finding)) continue;
        if (finding->rule == REPORT_RULE_not_checked)
            add_test(s, "case", SKIPPED, REPORT_NOT_CHECKED, finding->message);
        else if (finding->level == REPORT_ERROR)
            add_test(s, report_rule_is_error(finding->rule) ? "case" : name,
                     report_rule_is_error(finding->rule) ? BROKEN : FAILED, name, finding->message);
        else if (finding->expected)
            add_test(s, name, SKIPPED, name, arena_format(&s->arena, "%s, as the case allows", finding->message));
    }
    // A suite without tests would say that all is well.
    if (!s->count) add_test(s, "case", SKIPPED, REPORT_NOT_CHECKED, "nothing was compared");
}

static void open_suite(Suite *s, const char *name, const json_t *cas) {
    *s = (Suite){.cas = cas, .name = name};
    s->findings = report_find(&s->arena, cas);
    report_each_comparison(cas, add_comparison, s);
    add_accuracies(s);
    add_unmade(s);
    add_case_tests(s);
}

static Totals count_tests(const Suite *s) {
    const json_t *times = json_object_get(s->cas, "times");
    Totals totals = {.tests = s->count, .seconds = json_number_value(json_object_get(times, "fill"))};
    json_t *modes, *value;
    const char *mode, *variant;
    json_object_foreach(json_object_get(times, "compile"), mode, value) totals.seconds += json_number_value(value);
    json_object_foreach(json_object_get(times, "run"), mode, modes) {
        json_object_foreach(modes, variant, value) totals.seconds += json_number_value(value);
    }
    for (size_t i = 0; i < s->count; i++) totals.outcomes[s->tests[i].outcome]++;
    return totals;
}

static void add_totals(Totals *sum, Totals one) {
    sum->tests += one.tests;
    sum->seconds += one.seconds;
    for (int o = 0; o < OUTCOME_COUNT; o++) sum->outcomes[o] += one.outcomes[o];
}

// ---- XML ------------------------------------------------------------------------------------------------------------

typedef struct Xml {
    XmlWriter writer;
    Arena scratch; // until the element ends
    Arena names;   // of properties
} Xml;

static void begin(Xml *x, const char *element) {
    xml_begin(&x->writer, element);
}

static void end(Xml *x) {
    xml_end(&x->writer);
    arena_reset(&x->scratch);
}

static void attribute(Xml *x, const char *name, const char *value) {
    if (value) xml_attribute(&x->writer, name, value);
}

static void totals_attributes(Xml *x, Totals totals) {
    const struct {
        const char *name;
        size_t value;
    } rows[] = {{"tests", totals.tests},
                {"failures", totals.outcomes[FAILED]},
                {"errors", totals.outcomes[BROKEN]},
                {"skipped", totals.outcomes[SKIPPED]}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        attribute(x, rows[i].name, arena_format(&x->scratch, "%zu", rows[i].value));
    attribute(x, "time", arena_format(&x->scratch, "%.6f", totals.seconds));
}

static void property(Xml *x, const char *name, const char *value) {
    if (!value) return;
    begin(x, "property");
    attribute(x, "name", name);
    attribute(x, "value", value);
    end(x);
}

static void integer_property(Xml *x, const char *name, json_int_t value) {
    property(x, name, arena_format(&x->scratch, "%" JSON_INTEGER_FORMAT, value));
}

static void number_property(Xml *x, const char *name, double value) {
    property(x, name, arena_format(&x->scratch, "%.9g", value));
}

// A value of the JSON report: of objects each entry, with a point behind the name.
static void value_property(Xml *x, const char *name, json_t *value) {
    const char *key;
    json_t *item;
    if (json_is_string(value)) property(x, name, json_string_value(value));
    if (json_is_integer(value)) integer_property(x, name, json_integer_value(value));
    if (json_is_real(value)) number_property(x, name, json_real_value(value));
    if (json_is_boolean(value)) property(x, name, json_is_true(value) ? "true" : "false");
    json_object_foreach(value, key, item) {
        Buffer full = {0};
        buffer_print(&full, "%s.%s", name, key);
        if (!json_is_object(item)) value_property(x, full.data, item);
        buffer_free(&full);
    }
}

static void print_place(const ReportPlace *at, Buffer *out) {
    if (!at->file) return;
    buffer_print(out, "%s", at->file);
    if (at->line) buffer_print(out, ":%u", at->line);
    if (at->line && at->column) buffer_print(out, ":%u", at->column);
    buffer_print(out, ": ");
}

// What is near an edge or beyond it: range.VARIANT.RULE.
static void write_ranges(Xml *x, const ReportFindings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        const ReportFinding *finding = &findings->items[i];
        const char *variant = report_text(finding->range, "variant");
        Buffer text = {0};
        if (!finding->range) continue;
        print_place(&finding->at, &text);
        buffer_print(&text, "%s", finding->message);
        property(x,
                 arena_format(&x->names, "range.%s.%s", variant ? variant : "?", report_rule_info(finding->rule)->name),
                 text.data);
        buffer_free(&text);
    }
    arena_reset(&x->names);
}

static void write_suite_properties(Xml *x, const json_t *cas, const ReportFindings *findings) {
    static const char *const keys[] = {"file",      "title",  "parameters", "seed",   "profile",    "casts",  "expect",
                                       "tolerance", "status", "result",     "reason", "race_check", "missed", "task"};
    begin(x, "properties");
    for (size_t k = 0; k < BASE_COUNT(keys); k++) value_property(x, keys[k], json_object_get(cas, keys[k]));
    write_ranges(x, findings);
    end(x);
}

// Of each buffer of floats: how far from what would be without rounding. `side`: the key of the errors; NULL: the item.
static void write_errors(Xml *x, const json_t *buffers, const char *side) {
    static const char *const keys[] = {"largest", "most", "usual", "mean", "relative", "infinite", "not_known"};
    json_t *buffer;
    size_t index;
    json_array_foreach(buffers, index, buffer) {
        const json_t *error = side ? json_object_get(buffer, side) : buffer;
        const char *name = report_text(buffer, "buffer");
        for (size_t k = 0; k < BASE_COUNT(keys); k++) {
            const char *full = arena_format(&x->names, "accuracy.%s%s%s.%s", side ? side : "", side ? "." : "",
                                            name ? name : "?", keys[k]);
            value_property(x, full, json_object_get(error, keys[k]));
        }
    }
}

static void write_accuracy(Xml *x, const json_t *comparison) {
    const json_t *accuracy = json_object_get(comparison, "accuracy"), *buffers = json_object_get(accuracy, "buffers");
    if (!accuracy) return;
    property(x, "accuracy", report_accuracy(&x->names, comparison));
    property(x, "less_accurate", report_is_less_accurate(comparison) ? "true" : "false");
    write_errors(x, buffers, "reference");
    write_errors(x, buffers, "variant");
    arena_reset(&x->names);
}

static void write_variant_properties(Xml *x, const json_t *cas, const json_t *variant) {
    const json_t *accuracy = json_object_get(cas, "accuracy");
    begin(x, "properties");
    property(x, "variant", report_text(variant, "variant"));
    value_property(x, "bound", json_object_get(accuracy, "bound"));
    property(x, "exceeds", json_is_true(json_object_get(variant, "exceeds")) ? "true" : "false");
    property(x, "not_known", report_text(variant, "not_known"));
    property(x, "measured_by", report_text(variant, "measured_by"));
    write_errors(x, json_object_get(variant, "buffers"), NULL);
    end(x);
    arena_reset(&x->names);
}

static void write_test_properties(Xml *x, const json_t *comparison) {
    static const char *const keys[] = {"reference",       "variant", "mode",  "build",
                                       "reference_build", "verdict", "fails", "missed"};
    const ReportFigures sum = report_sum(comparison);
    begin(x, "properties");
    for (size_t k = 0; k < BASE_COUNT(keys); k++) value_property(x, keys[k], json_object_get(comparison, keys[k]));
    integer_property(x, "elements", sum.elements);
    integer_property(x, "different", sum.different);
    if (sum.has_distance) {
        number_property(x, "absolute", sum.absolute);
        number_property(x, "relative", sum.relative);
        integer_property(x, "ulps", sum.ulps);
        integer_property(x, "incomparable", sum.incomparable);
    }
    if (sum.has_beyond) integer_property(x, "beyond_tolerance", sum.beyond);
    write_accuracy(x, comparison);
    end(x);
}

// A line for each finding of the comparison, and notes of the report.
static void write_details(Xml *x, const Suite *s, const JunitTest *test) {
    Buffer text = {0};
    json_t *note;
    size_t index;
    for (size_t i = 0; i < s->findings.count; i++) {
        const ReportFinding *finding = &s->findings.items[i];
        const bool where = says_where(finding) && is_verdict_of(finding, test);
        if (finding->comparison != test->comparison && !where) continue;
        if (!test->comparison && finding->message != test->message) continue;
        print_place(&finding->at, &text);
        buffer_print(&text, "%s\n", finding->message);
        for (uint32_t r = 0; r < finding->related_count; r++) {
            buffer_print(&text, "    ");
            print_place(&finding->related[r], &text);
            buffer_print(&text, "%s\n", finding->related[r].text);
        }
    }
    json_array_foreach(json_object_get(test->comparison, "notes"), index, note) {
        const char *message = report_text(note, "message");
        if (message) buffer_print(&text, "note: %s\n", message);
    }
    if (text.size) xml_text(&x->writer, text.data);
    buffer_free(&text);
}

static void write_test(Xml *x, const Suite *s, const JunitTest *test) {
    begin(x, "testcase");
    attribute(x, "classname", s->name);
    attribute(x, "name", test->name);
    attribute(x, "file", report_text(s->cas, "file"));
    attribute(x, "time", arena_format(&x->scratch, "%.6f", test->seconds));
    if (test->comparison) write_test_properties(x, test->comparison);
    if (test->variant) write_variant_properties(x, s->cas, test->variant);
    if (outcome_elements[test->outcome]) {
        begin(x, outcome_elements[test->outcome]);
        attribute(x, "message", test->message);
        attribute(x, "type", test->type);
        if (test->outcome != SKIPPED) write_details(x, s, test);
        end(x);
    }
    end(x);
}

static void write_suite(Xml *x, const Suite *s) {
    begin(x, "testsuite");
    attribute(x, "name", s->name);
    totals_attributes(x, count_tests(s));
    write_suite_properties(x, s->cas, &s->findings);
    for (size_t i = 0; i < s->count; i++) write_test(x, s, &s->tests[i]);
    end(x);
}

// Cases that are in none of the reports that were merged.
static size_t missing_count(const Report *report) {
    return json_array_size(json_object_get(json_object_get(report->head, "campaign"), "missing"));
}

static void write_missing(Xml *x, const Report *report) {
    json_t *task;
    size_t index;
    const size_t count = missing_count(report);
    if (!count) return;
    begin(x, "testsuite");
    attribute(x, "name", "cases that no report has");
    totals_attributes(x, (Totals){.tests = count, .outcomes[SKIPPED] = count});
    json_array_foreach(json_object_get(json_object_get(report->head, "campaign"), "missing"), index, task) {
        begin(x, "testcase");
        attribute(x, "classname", "cases that no report has");
        attribute(x, "name", arena_format(&x->scratch, "task %" JSON_INTEGER_FORMAT, json_integer_value(task)));
        begin(x, "skipped");
        attribute(x, "message", "not checked: none of the merged reports has it");
        attribute(x, "type", REPORT_NOT_CHECKED);
        end(x);
        end(x);
    }
    end(x);
}

static void write_all(Xml *x, const Report *report, const char **names, Totals totals) {
    xml_begin_document(&x->writer);
    begin(x, "testsuites");
    attribute(x, "name", "fpdiff");
    totals_attributes(x, totals);
    for (size_t i = 0; i < report->case_count; i++) {
        json_t *cas = report_case(report, i);
        Suite suite;
        open_suite(&suite, names[i], cas);
        write_suite(x, &suite);
        arena_reset(&suite.arena);
        json_decref(cas);
    }
    write_missing(x, report);
    end(x);
}

void report_print_junit(const Report *report, const ReportSettings *settings, Buffer *out) {
    Arena arena = {0};
    const size_t missing = missing_count(report);
    Totals totals = {.tests = missing, .outcomes[SKIPPED] = missing};
    const char **names = report_case_names(report, &arena);
    (void)settings;
    for (size_t i = 0; i < report->case_count; i++) {
        json_t *cas = report_case(report, i);
        Suite suite;
        open_suite(&suite, names[i], cas);
        add_totals(&totals, count_tests(&suite));
        arena_reset(&suite.arena);
        json_decref(cas);
    }
    Xml x = {.writer.out = out};
    write_all(&x, report, names, totals);
    arena_reset(&x.scratch);
    arena_reset(&x.names);
    arena_reset(&arena);
}
