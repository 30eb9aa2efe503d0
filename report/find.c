// SPDX-License-Identifier: Apache-2.0
// What is wrong in a case of a report, each with the line of source that it is about.
#include "report/report_internal.h"

#include <string.h>

typedef struct Finder {
    Arena *arena;
    const json_t *cas;
    bool expects; // the case expects a divergence
    ReportFindings findings;
} Finder;

bool report_is_unchecked(const json_t *cas) {
    const char *result = report_text(cas, "result");
    return result && !strcmp(result, REPORT_NOT_CHECKED);
}

static ReportFinding *add(Finder *f, ReportRule rule, const json_t *comparison, const char *message) {
    ReportFindings *all = &f->findings;
    all->items = arena_grow(f->arena, all->items, all->count, &all->capacity, sizeof *all->items);
    ReportFinding *finding = &all->items[all->count++];
    *finding = (ReportFinding){
        .rule = rule, .level = report_rule_info(rule)->level, .comparison = comparison, .message = message};
    return finding;
}

static void expect(const Finder *f, ReportFinding *finding, bool expected) {
    finding->expected = expected && f->expects;
    if (finding->expected) finding->level = REPORT_NOTE;
}

static ReportPlace place_of(const json_t *object, const char *text) {
    const json_int_t line = report_number(object, "line"), column = report_number(object, "column");
    return (ReportPlace){report_text(object, "file"), line > 0 ? (uint32_t)line : 0, column > 0 ? (uint32_t)column : 0,
                         text};
}

static void relate(ReportFinding *finding, ReportPlace at) {
    if (at.file && at.line && finding->related_count < REPORT_RELATED_MAX)
        finding->related[finding->related_count++] = at;
}

static bool is_of(const json_t *object, const char *variant) {
    const char *own = report_text(object, "variant");
    return own && variant && !strcmp(own, variant);
}

// ---- comparisons ----------------------------------------------------------------------------------------------------

// Where the reference stored what differs.
static void relate_reference(const Finder *f, ReportFinding *finding, const json_t *comparison) {
    const char *reference = report_text(comparison, "reference");
    json_t *line;
    size_t index;
    json_array_foreach(json_object_get(comparison, "lines"), index, line) {
        if (is_of(line, reference) && !is_of(line, report_text(comparison, "variant")))
            relate(finding, place_of(line, arena_format(f->arena, "stored by %s", reference)));
    }
}

// A finding for each line that stored different elements, or one for the case where no line is known.
static void add_lines(Finder *f, ReportRule rule, const json_t *comparison, const char *text, bool expected) {
    const char *variant = report_text(comparison, "variant");
    const size_t before = f->findings.count;
    json_t *line;
    size_t index;
    json_array_foreach(json_object_get(comparison, "lines"), index, line) {
        if (!is_of(line, variant)) continue;
        const char *op = report_text(line, "op");
        ReportFinding *finding =
            add(f, rule, comparison,
                op ? arena_format(f->arena, "%s; %" JSON_INTEGER_FORMAT " of them stored here by %s (%s)", text,
                                  report_number(line, "elements"), variant, op)
                   : arena_format(f->arena, "%s; who stored %" JSON_INTEGER_FORMAT " of them is not known", text,
                                  report_number(line, "elements")));
        finding->at = place_of(line, NULL);
        relate_reference(f, finding, comparison);
        expect(f, finding, expected);
    }
    if (f->findings.count == before) expect(f, add(f, rule, comparison, text), expected);
}

// Ops of a list, each a finding with its place.
static void add_ops(Finder *f, ReportRule rule, const json_t *comparison, const char *key, const char *text,
                    bool expected) {
    json_t *item;
    size_t index;
    json_array_foreach(json_object_get(comparison, key), index, item) {
        const char *op = report_text(item, "op"), *what = report_text(item, "what"),
                   *error = report_text(item, "error"), *buffer = report_text(item, "buffer"),
                   *reads = report_text(item, "reads"), *variant = report_text(item, "variant");
        Buffer words = {0};
        buffer_print(&words, "%s", text);
        if (variant) buffer_print(&words, ": %s", variant);
        if (op) buffer_print(&words, ", %s", op);
        if (what) buffer_print(&words, ": %s", what);
        if (reads) buffer_print(&words, " reads %s, which nobody may have written", reads);
        if (buffer)
            buffer_print(&words, ": %" JSON_INTEGER_FORMAT " elements of %s change", report_number(item, "elements"),
                         buffer);
        if (error) buffer_print(&words, ": with other values it fails: %s", error);
        ReportFinding *finding = add(f, rule, comparison, arena_text(f->arena, words.data, words.size));
        finding->at = place_of(item, NULL);
        const json_t *origin = json_object_get(item, "origin");
        if (origin) relate(finding, place_of(origin, "made here"));
        expect(f, finding, expected);
        buffer_free(&words);
    }
}

// What tells a comparison from all others, its verdict and its figures.
static const char *comparison_text(const Finder *f, const json_t *comparison) {
    return arena_format(f->arena, "%s: %s: %s", report_comparison_name(f->arena, comparison),
                        report_verdict(comparison), report_figures(f->arena, comparison));
}

static void find_in_comparison(void *context, const json_t *comparison) {
    Finder *f = context;
    const char *verdict = report_verdict(comparison), *text = comparison_text(f, comparison);
    const bool fails = json_is_true(json_object_get(comparison, "fails")),
               lost = json_array_size(json_object_get(comparison, "lost"));
    ReportRule rule = report_rule_by_name(verdict);
    // The verdict of a build says what changed, even where that is allowed.
    const bool pair = report_text(comparison, "reference");
    if (!fails && (!pair || rule == REPORT_RULE_COUNT || report_rule_info(rule)->level == REPORT_NONE)) return;
    const bool expected = !fails;
    if (lost) add(f, REPORT_RULE_lost, comparison, text);
    if (lost && rule == REPORT_RULE_equal) return;
    const size_t before = f->findings.count;
    if (json_array_size(json_object_get(comparison, "unspecified")) && rule != REPORT_RULE_race &&
        rule != REPORT_RULE_misuse)
        add_ops(f, REPORT_RULE_unspecified, comparison, "unspecified", "an unspecified value decides", expected);
    if (f->findings.count > before && !report_sum(comparison).different) return;
    if (rule == REPORT_RULE_COUNT) rule = REPORT_RULE_failed;
    if (rule == REPORT_RULE_misuse && json_array_size(json_object_get(f->cas, "findings"))) return;
    if (rule == REPORT_RULE_race && json_array_size(json_object_get(f->cas, "races"))) return; // those say where
    if (rule == REPORT_RULE_decision) add_ops(f, rule, comparison, "turned", "fell otherwise", expected);
    add_lines(f, rule, comparison, text, expected);
    // A build may fail by a verdict that is none otherwise, such as numbers beyond the tolerance.
    for (size_t i = before; fails && i < f->findings.count; i++) f->findings.items[i].level = REPORT_ERROR;
}

// ---- accuracy -------------------------------------------------------------------------------------------------------

static const json_t *accuracy_of(const Finder *f, const char *variant) {
    json_t *item;
    size_t index;
    json_array_foreach(json_object_get(json_object_get(f->cas, "accuracy"), "variants"), index,
                       item) if (is_of(item, variant)) return item;
    return NULL;
}

// What is as accurate as the case asks for is expected.
static void find_less_accurate(void *context, const json_t *comparison) {
    Finder *f = context;
    const json_t *variant = accuracy_of(f, report_text(comparison, "variant"));
    if (!report_is_less_accurate(comparison) || json_is_true(json_object_get(variant, "exceeds"))) return;
    ReportFinding *finding =
        add(f, REPORT_RULE_less_accurate, comparison,
            arena_format(f->arena, "%s: equal, but much less accurate: %s",
                         report_comparison_name(f->arena, comparison), report_accuracy(f->arena, comparison)));
    finding->expected = json_object_get(json_object_get(f->cas, "accuracy"), "bound");
    finding->at = place_of(json_object_get(json_object_get(report_worst_error(comparison), "variant"), "stored"), NULL);
}

static void find_inaccurate(Finder *f) {
    const json_t *accuracy = json_object_get(f->cas, "accuracy"), *bound = json_object_get(accuracy, "bound"),
                 *best = json_object_get(bound, "best");
    const char *words = report_accuracy_bound(f->arena, accuracy);
    json_t *item;
    size_t index;
    json_array_foreach(json_object_get(accuracy, "variants"), index, item) {
        const char *name = report_text(item, "variant"), *unknown = report_text(item, "not_known"), *none = "";
        if (!json_is_true(json_object_get(item, "exceeds"))) continue;
        if (json_is_true(json_object_get(bound, "met_by_none")))
            none = best
                       ? arena_format(f->arena, "; no variant meets it, the best has %.3g ulp", json_number_value(best))
                       : "; no variant meets it";
        ReportFinding *finding =
            add(f, REPORT_RULE_inaccurate, NULL,
                unknown ? arena_format(f->arena, "%s: how accurate it is, is not known: %s (the case's bound: %s)",
                                       name ? name : "?", unknown, words)
                        : arena_format(f->arena, "%s: beyond the case's bound of accuracy (%s%s): %s",
                                       name ? name : "?", words, none, report_variant_errors(f->arena, item)));
        finding->variant = item;
        finding->at = place_of(json_object_get(report_worst_of_variant(item), "stored"), NULL);
    }
}

// ---- range ----------------------------------------------------------------------------------------------------------

static void find_ranges(Finder *f) {
    static const struct {
        ReportRule rule;
        const char *(*text)(Arena *arena, const json_t *range, ReportPlace *at);
    } rows[] = {{REPORT_RULE_not_finite, report_range_made}, {REPORT_RULE_near_overflow, report_range_near}};
    json_t *range;
    size_t index;
    json_array_foreach(json_object_get(f->cas, "range"), index, range) {
        for (size_t i = 0; i < BASE_COUNT(rows); i++) {
            ReportPlace at;
            const char *text = rows[i].text(f->arena, range, &at);
            if (!text) continue;
            ReportFinding *finding = add(f, rows[i].rule, NULL, text);
            finding->at = at;
            finding->range = range;
        }
    }
}

// ---- what is said of a case -----------------------------------------------------------------------------------------

static void find_races(Finder *f) {
    json_t *race;
    size_t index;
    json_array_foreach(json_object_get(f->cas, "races"), index, race) {
        const json_t *accesses = json_object_get(race, "accesses"), *first = json_array_get(accesses, 0),
                     *second = json_array_get(accesses, 1);
        const char *buffer = report_text(race, "buffer"), *variant = report_text(race, "variant"),
                   *mode = report_text(race, "mode");
        if (json_is_true(json_object_get(race, "harmless"))) continue;
        ReportFinding *finding =
            add(f, REPORT_RULE_race, NULL,
                arena_format(f->arena,
                             "%s, %s: blocks race for %" JSON_INTEGER_FORMAT
                             " elements of %s in launch %" JSON_INTEGER_FORMAT,
                             variant ? variant : "?", mode ? mode : "?", report_number(race, "elements"),
                             buffer ? buffer : "?", report_number(race, "launch")));
        finding->at = place_of(first, NULL);
        relate(finding, place_of(second, "the other access"));
        expect(f, finding, true);
    }
}

// What one mode says of a variant, the others say, too.
static bool is_said(const json_t *findings, size_t index, const json_t *finding) {
    for (size_t i = 0; i < index; i++) {
        const json_t *earlier = json_array_get(findings, i);
        bool same = json_equal(json_object_get(earlier, "other"), json_object_get(finding, "other"));
        static const char *const keys[] = {"variant", "launch", "kind", "file", "line", "column"};
        for (size_t k = 0; k < BASE_COUNT(keys); k++)
            same &= json_equal(json_object_get(earlier, keys[k]), json_object_get(finding, keys[k])) ||
                    (!json_object_get(earlier, keys[k]) && !json_object_get(finding, keys[k]));
        if (same) return true;
    }
    return false;
}

static void find_misuse(Finder *f) {
    const json_t *findings = json_object_get(f->cas, "findings");
    json_t *item;
    size_t index;
    json_array_foreach(findings, index, item) {
        const char *variant = report_text(item, "variant"), *message = report_text(item, "message");
        if (is_said(findings, index, item)) continue;
        ReportFinding *finding =
            add(f, REPORT_RULE_misuse, NULL,
                arena_format(f->arena, "%s, launch %" JSON_INTEGER_FORMAT ": %s", variant ? variant : "?",
                             report_number(item, "launch"), message ? message : "?"));
        finding->at = place_of(item, NULL);
        relate(finding, place_of(json_object_get(item, "other"), "the other of the two"));
        expect(f, finding, true);
    }
}

static void find_vacuous(Finder *f) {
    static const struct {
        const char *kind;
        ReportRule rule;
    } rows[] = {{"unwritten", REPORT_RULE_unwritten},
                {"constant", REPORT_RULE_constant},
                {"empty", REPORT_RULE_empty},
                {"nothing judged", REPORT_RULE_nothing}};
    json_t *vacuous;
    size_t index;
    json_array_foreach(json_object_get(f->cas, "vacuous"), index, vacuous) {
        const bool allow = json_is_true(json_object_get(vacuous, "allowed"));
        const char *kind = report_text(vacuous, "kind"), *message = report_text(vacuous, "message");
        ReportRule rule = REPORT_RULE_failed;
        for (size_t i = 0; kind && i < BASE_COUNT(rows); i++)
            if (!strcmp(rows[i].kind, kind)) rule = rows[i].rule;
        ReportFinding *finding = add(f, rule, NULL, arena_format(f->arena, "vacuous: %s", message ? message : "?"));
        finding->expected = allow;
        if (allow) finding->level = REPORT_NOTE;
    }
}

static void find_schedules(Finder *f) {
    json_t *item;
    size_t index;
    json_array_foreach(json_object_get(f->cas, "schedules"), index, item) {
        const char *variant = report_text(item, "variant"), *buffer = report_text(item, "buffer");
        expect(f,
               add(f, REPORT_RULE_schedule, NULL,
                   arena_format(f->arena, "%s: %" JSON_INTEGER_FORMAT " elements of %s change with the schedule",
                                variant ? variant : "?", report_number(item, "elements"), buffer ? buffer : "?")),
               true);
    }
}

static void find_warnings(Finder *f) {
    json_t *item;
    size_t index;
    json_array_foreach(json_object_get(f->cas, "warnings"), index, item) {
        const char *variant = report_text(item, "variant"), *message = report_text(item, "message");
        add(f, REPORT_RULE_warning, NULL,
            arena_format(f->arena, "%s: %s", variant ? variant : "?", message ? message : "?"))
            ->at = place_of(item, NULL);
    }
}

static void find_errors(Finder *f) {
    const char *case_file = report_text(f->cas, "file");
    json_t *item;
    size_t index;
    json_array_foreach(json_object_get(f->cas, "errors"), index, item) {
        const char *name = report_text(item, "name"), *message = report_text(item, "message");
        ReportRule rule = report_rule_by_name(arena_format(f->arena, "error-%s", name ? name : ""));
        if (rule == REPORT_RULE_COUNT) rule = REPORT_RULE_error_RUNTIME;
        if (!message) message = "an error without a message";
        const ReportPlace at = place_of(item, NULL);
        if (at.file && !at.line && strcmp(at.file, case_file ? case_file : ""))
            message = arena_format(f->arena, "%s: %s", at.file, message);
        add(f, rule, NULL, message)->at = at;
    }
}

// A case that is not as it should be always has something that says so.
static void find_the_rest(Finder *f) {
    const json_int_t status = report_number(f->cas, "status");
    for (size_t i = 0; i < f->findings.count; i++)
        if (f->findings.items[i].level == REPORT_ERROR) return;
    if (status == 1) add(f, REPORT_RULE_failed, NULL, "the case failed; its report says why");
    if (status > 1)
        add(f, REPORT_RULE_error_RUNTIME, NULL,
            arena_format(f->arena, "the case could not be run: status %" JSON_INTEGER_FORMAT, status));
}

ReportFindings report_find(Arena *arena, const json_t *cas) {
    const char *expects = report_text(cas, "expect"), *reason = report_text(cas, "reason");
    Finder f = {.arena = arena, .cas = cas, .expects = expects && !strcmp(expects, "diverge")};
    if (report_is_unchecked(cas)) {
        add(&f, REPORT_RULE_not_checked, NULL,
            arena_format(arena, "the case was not checked%s%s", reason ? ": " : "", reason ? reason : ""));
        return f.findings;
    }
    report_each_comparison(cas, find_in_comparison, &f);
    report_each_comparison(cas, find_less_accurate, &f);
    find_inaccurate(&f);
    find_ranges(&f);
    find_races(&f);
    find_misuse(&f);
    find_vacuous(&f);
    find_schedules(&f);
    if (f.expects && json_is_false(json_object_get(cas, "diverges")))
        add(&f, REPORT_RULE_no_divergence, NULL, "the case expects a divergence, and nothing diverges");
    find_errors(&f);
    find_warnings(&f);
    find_the_rest(&f);
    return f.findings;
}
