// SPDX-License-Identifier: Apache-2.0
// The report as Markdown, also for the summary of a step on GitHub: counts, a table with a row for each comparison,
// what is wrong first, and what is to be said of it.
#include "report/report_internal.h"

#include <string.h>

enum { NOTE_ROOM = 300 }; // bytes for the words about what was left out

typedef struct Markdown {
    Arena *arena; // of all
    ReportSources sources;
    const char **names;
    Buffer *out;
    bool accuracy;   // some comparison has it: there is a column for it
    size_t end;      // of `out`: where it is full
    size_t left_out; // rows and findings
} Markdown;

// What stands in a line of Markdown as it is: all that could mean something is written as a number.
static void print_escaped(Buffer *out, const char *text) {
    for (const char *at = text; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c < 0x20 || c == 0x7f)
            buffer_print(out, " ");
        else if (strchr("&<>|`*_[]\\~#@!", c))
            buffer_print(out, "&#%u;", c);
        else
            buffer_append(out, at, 1);
    }
}

// Appends a whole row, or counts it as left out.
static void put(Markdown *m, Buffer *row) {
    if (m->end && m->out->size + row->size > m->end)
        m->left_out++;
    else
        buffer_append(m->out, row->data, row->size);
    buffer_free(row);
}

// ---- counts ---------------------------------------------------------------------------------------------------------

typedef struct Counts {
    size_t ok, failed, broken, unchecked, comparisons, failing;
    size_t measured, less_accurate, bounded, inaccurate; // comparisons with accuracy; variants with a bound, beyond it
} Counts;

static void count_comparison(void *context, const json_t *comparison) {
    Counts *counts = context;
    counts->comparisons++;
    counts->failing += json_is_true(json_object_get(comparison, "fails"));
    counts->measured += json_object_get(comparison, "accuracy") != NULL;
    counts->less_accurate += report_is_less_accurate(comparison);
}

static void count_accuracy(Counts *counts, const json_t *cas) {
    json_t *variant;
    size_t index;
    json_array_foreach(json_object_get(json_object_get(cas, "accuracy"), "variants"), index, variant) {
        counts->bounded += json_is_true(json_object_get(variant, "bounded"));
        counts->inaccurate += json_is_true(json_object_get(variant, "exceeds"));
    }
}

static Counts count(const Report *report) {
    Counts counts = {.unchecked =
                         json_array_size(json_object_get(json_object_get(report->head, "campaign"), "missing"))};
    for (size_t i = 0; i < report->case_count; i++) {
        json_t *cas = report_case(report, i);
        const json_int_t status = report_number(cas, "status");
        *(report_is_unchecked(cas) ? &counts.unchecked
          : status == 0            ? &counts.ok
          : status == 1            ? &counts.failed
                                   : &counts.broken) += 1;
        report_each_comparison(cas, count_comparison, &counts);
        count_accuracy(&counts, cas);
        json_decref(cas);
    }
    return counts;
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

static void print_accuracy(const Counts *counts, Buffer *out) {
    if (counts->measured)
        buffer_print(out,
                     "Accuracy of %zu comparison%s: %zu equal and much less accurate. Figures are rounding errors of "
                     "reference and variant in units in the last place (ulp).",
                     counts->measured, plural(counts->measured), counts->less_accurate);
    if (counts->bounded)
        buffer_print(out, "%s%zu of %zu variant%s with a bound of accuracy exceed%s it.", counts->measured ? " " : "",
                     counts->inaccurate, counts->bounded, plural(counts->bounded), counts->inaccurate == 1 ? "s" : "");
    if (counts->measured || counts->bounded) buffer_print(out, "\n\n");
}

static void print_head(const Report *report, const Counts *all, Buffer *out) {
    const Counts counts = *all;
    const char *separator = "";
    const struct {
        size_t count;
        const char *text;
    } rows[] = {{counts.failed, "failed"},
                {counts.broken, "could not be run"},
                {counts.unchecked, "not checked"},
                {counts.ok, "as expected"}};
    buffer_print(out, "## fpdiff: ");
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        if (!rows[i].count) continue;
        buffer_print(out, "%s%zu %s%s", separator, rows[i].count,
                     *separator           ? ""
                     : rows[i].count == 1 ? "case "
                                          : "cases ",
                     rows[i].text);
        separator = ", ";
    }
    buffer_print(out, "%s\n\n%zu comparison%s, %zu of them failed. Exit status %d.\n\n", *separator ? "" : "no cases",
                 counts.comparisons, plural(counts.comparisons), counts.failing, report->status);
    print_accuracy(&counts, out);
}

// ---- the table ------------------------------------------------------------------------------------------------------

typedef struct Row {
    Markdown *m;
    const json_t *cas;
    const char *name;
    Arena *scratch;
    size_t rows;
} Row;

static const char *sign(bool fails, ReportRule rule, bool build) {
    if (fails) return "&#x274C;"; // a cross
    if (rule == REPORT_RULE_COUNT || (report_rule_info(rule)->level != REPORT_NONE && !build)) return "&#x26A0;"; // !
    return rule == REPORT_RULE_measured ? "&#x2796;" : "&#x2705;"; // a dash, a check mark
}

// `accuracy`: NULL where there is none.
static void put_row(Row *r, const char *mark, const char *comparison, const char *verdict, const char *accuracy,
                    const char *figures) {
    Buffer row = {0};
    buffer_print(&row, "| %s | ", mark);
    print_escaped(&row, r->name);
    buffer_print(&row, " | ");
    print_escaped(&row, comparison);
    buffer_print(&row, " | ");
    print_escaped(&row, verdict);
    buffer_print(&row, " | ");
    if (r->m->accuracy) {
        print_escaped(&row, accuracy ? accuracy : "");
        buffer_print(&row, " | ");
    }
    print_escaped(&row, figures);
    buffer_print(&row, " |\n");
    put(r->m, &row);
    r->rows++;
}

static void put_comparison(void *context, const json_t *comparison) {
    Row *r = context;
    const bool fails = json_is_true(json_object_get(comparison, "fails")),
               build = !report_text(comparison, "reference"), less = report_is_less_accurate(comparison);
    const char *verdict = report_verdict(comparison);
    const ReportRule rule = report_rule_by_name(verdict);
    const bool expected = !fails && !build && rule < REPORT_RULE_COUNT && report_rule_info(rule)->level != REPORT_NONE;
    const bool bounded =
        json_object_get(json_object_get(r->cas, "accuracy"), "bound"); // then there is a row that judges
    put_row(r, less && !fails && !bounded ? "&#x26A0;" : sign(fails, rule, build),
            report_comparison_name(r->scratch, comparison),
            arena_format(r->scratch, "%s%s%s", verdict, expected ? ", as expected" : "", less ? ", less accurate" : ""),
            report_accuracy(r->scratch, comparison), report_figures(r->scratch, comparison));
}

// A row for each variant whose errors have a bound.
static void put_accuracies(Row *r) {
    const json_t *accuracy = json_object_get(r->cas, "accuracy");
    json_t *variant;
    size_t index;
    json_array_foreach(json_object_get(accuracy, "variants"), index, variant) {
        const char *name = report_text(variant, "variant");
        const bool exceeds = json_is_true(json_object_get(variant, "exceeds"));
        if (!json_is_true(json_object_get(variant, "bounded"))) continue;
        put_row(r, exceeds ? "&#x274C;" : "&#x2705;", arena_format(r->scratch, "%s, accuracy", name ? name : "?"),
                exceeds ? report_rule_info(REPORT_RULE_inaccurate)->name : "within the bound",
                report_variant_accuracy(r->scratch, variant),
                arena_format(r->scratch, "the bound is %s", report_accuracy_bound(r->scratch, accuracy)));
    }
}

// What is wrong with a case, but in a comparison.
static void put_findings(Row *r, const ReportFindings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        const ReportFinding *finding = &findings->items[i];
        if (finding->comparison || finding->variant || finding->range) continue;
        put_row(r, finding->level == REPORT_ERROR ? "&#x274C;" : "&#x26A0;", "",
                finding->expected ? arena_format(r->scratch, "%s, as expected", report_rule_info(finding->rule)->name)
                                  : report_rule_info(finding->rule)->name,
                NULL, finding->message);
    }
}

static bool is_bad(const json_t *cas) {
    return report_number(cas, "status") != 0;
}

// The cases that are bad, or those that are not.
static void put_table(Markdown *m, const Report *report, bool bad) {
    for (size_t i = 0; i < report->case_count; i++) {
        json_t *cas = report_case(report, i);
        if (is_bad(cas) == bad) {
            Arena scratch = {0};
            Row row = {m, cas, m->names[i], &scratch, 0};
            const ReportFindings findings = report_find(&scratch, cas);
            report_each_comparison(cas, put_comparison, &row);
            put_accuracies(&row);
            put_findings(&row, &findings);
            if (!row.rows) put_row(&row, "&#x26A0;", "", REPORT_NOT_CHECKED, NULL, "nothing was compared");
            arena_reset(&scratch);
        }
        json_decref(cas);
    }
}

// ---- lines of source ------------------------------------------------------------------------------------------------

static void put_line(Markdown *m, const char *name, const char *rule, ReportPlace at, const char *message,
                     const char *case_file) {
    Buffer row = {0};
    const ReportSpot spot = report_spot(&m->sources, case_file, at);
    buffer_print(&row, "- ");
    if (spot.mapped) {
        print_escaped(&row, spot.path);
        buffer_print(&row, ":%u: ", spot.line);
    } else if (at.file) { // a source that is not here
        print_escaped(&row, at.file);
        if (at.line) buffer_print(&row, ":%u", at.line);
        buffer_print(&row, ": ");
    }
    buffer_print(&row, "**%s**: ", rule);
    print_escaped(&row, name);
    buffer_print(&row, ": ");
    print_escaped(&row, message);
    buffer_print(&row, "\n");
    put(m, &row);
}

static void put_title(Markdown *m, bool *first, const char *text) {
    Buffer title = {0};
    if (!*first) return;
    buffer_print(&title, "\n### %s\n\n", text);
    put(m, &title);
    *first = false;
}

static void put_lines(Markdown *m, const Report *report) {
    bool first = true;
    for (size_t i = 0; i < report->case_count; i++) {
        json_t *cas = report_case(report, i);
        Arena scratch = {0};
        const char *file = report_text(cas, "file");
        const ReportFindings findings = report_find(&scratch, cas);
        for (size_t f = 0; is_bad(cas) && f < findings.count; f++) {
            if (findings.items[f].level != REPORT_ERROR) continue;
            const ReportFinding *finding = &findings.items[f];
            put_title(m, &first, "What is wrong");
            put_line(m, m->names[i], report_rule_info(finding->rule)->name, finding->at, finding->message,
                     file ? file : "");
        }
        arena_reset(&scratch);
        json_decref(cas);
    }
}

// Numbers that come near the edges of their types.
static void put_ranges(Markdown *m, const Report *report) {
    bool first = true;
    for (size_t i = 0; i < report->case_count; i++) {
        json_t *cas = report_case(report, i);
        Arena scratch = {0};
        const char *file = report_text(cas, "file");
        const ReportFindings findings = report_find(&scratch, cas);
        for (size_t f = 0; f < findings.count; f++) {
            const ReportFinding *finding = &findings.items[f];
            if (!finding->range) continue;
            put_title(m, &first, "Near the edge");
            put_line(m, m->names[i], report_rule_info(finding->rule)->name, finding->at, finding->message,
                     file ? file : "");
        }
        arena_reset(&scratch);
        json_decref(cas);
    }
}

void report_print_markdown(const Report *report, const ReportSettings *settings, Buffer *out) {
    Arena arena = {0};
    Markdown m = {.arena = &arena,
                  .sources = {.arena = &arena, .root = settings->source_root},
                  .names = report_case_names(report, &arena),
                  .out = out,
                  .end = settings->size_max};
    if (m.end) m.end = out->size + (m.end > NOTE_ROOM ? m.end - NOTE_ROOM : 1);
    Buffer head = {0}, table = {0};
    const Counts counts = count(report);
    m.accuracy = counts.measured || counts.bounded;
    print_head(report, &counts, &head);
    put(&m, &head);
    if (report->case_count)
        buffer_print(&table, "| | case | comparison | verdict |%s figures |\n|---|---|---|---|%s---|\n",
                     m.accuracy ? " accuracy |" : "", m.accuracy ? "---|" : "");
    if (table.size) put(&m, &table);
    put_table(&m, report, true);
    put_table(&m, report, false);
    put_lines(&m, report);
    put_ranges(&m, report);
    if (m.left_out && settings->size_max > 2 * NOTE_ROOM)
        buffer_print(out,
                     "\n**%zu lines were left out**, since the summary of a step may have no more than 1 MiB. "
                     "`--markdown FILE` has all.\n",
                     m.left_out);
    arena_reset(&arena);
}
