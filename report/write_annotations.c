// SPDX-License-Identifier: Apache-2.0
// Workflow commands of GitHub Actions, which show what is wrong beside the lines of source. Of each step GitHub shows
// ten errors, ten warnings and ten notices; the last of each of ours says how many it leaves out.
#include "report/report_internal.h"

#include <string.h>

enum { SHOWN_MAX = 10, MESSAGE_MAX = 4000 }; // of a step and level; bytes of a message

static const char *const level_names[] = {NULL, "notice", "warning", "error"};

typedef struct Annotations {
    ReportSources sources;
    ReportLevel level;
    size_t shown_max; // of this level; what is beyond is counted only
    size_t count;     // of this level
    Buffer *out;
} Annotations;

// Bytes that end a command, or a property of one, are written as %XX.
static void print_escaped(Buffer *out, const char *text, size_t size, const char *special) {
    for (const char *at = text; *at && at < text + size; at++) {
        if (strchr(special, *at) || (unsigned char)*at < 0x20)
            buffer_print(out, "%%%02X", (unsigned char)*at);
        else
            buffer_append(out, at, 1);
    }
}

static void print_property(Buffer *out, const char *text) {
    print_escaped(out, text, strlen(text), "%\r\n:,");
}

static void print_command(const Annotations *a, const ReportSpot *spot, const char *title, const char *message) {
    size_t size = strlen(message);
    if (size > MESSAGE_MAX) size = MESSAGE_MAX;
    while (size && ((unsigned char)message[size] & 0xc0) == 0x80) size--; // no half characters
    buffer_print(a->out, "::%s ", level_names[a->level]);
    if (spot) {
        buffer_print(a->out, "file=");
        print_property(a->out, spot->path);
        if (spot->line) buffer_print(a->out, ",line=%u", spot->line);
        if (spot->line && spot->column) buffer_print(a->out, ",col=%u", spot->column);
        buffer_print(a->out, ",");
    }
    buffer_print(a->out, "title=");
    print_property(a->out, title);
    buffer_print(a->out, "::");
    print_escaped(a->out, message, size, "%\r\n");
    buffer_print(a->out, "%s\n", message[size] ? " ..." : "");
}

// Of a rule and a place there is one; `known` has those that were.
static void annotate(Annotations *a, Map *known, const char *name, const char *case_file,
                     const ReportFinding *finding) {
    Arena *arena = a->sources.arena;
    const ReportSpot spot = report_spot(&a->sources, case_file, finding->at);
    const char *rule = report_rule_info(finding->rule)->name;
    if (!map_insert(known, arena, arena_format(arena, "%s:%u:%s", spot.path, spot.line, rule), 0)) return;
    if (a->count++ >= a->shown_max) return;
    print_command(a, &spot, arena_format(arena, "fpdiff: %s", rule),
                  arena_format(arena, "%s: %s", name, finding->message));
}

static void annotate_all(Annotations *a, const Report *report, const char **names) {
    Map known = {0};
    a->count = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        json_t *cas = report_case(report, i);
        Arena scratch = {0};
        const char *file = report_text(cas, "file");
        const ReportFindings findings = report_find(&scratch, cas);
        for (size_t f = 0; f < findings.count; f++)
            if (findings.items[f].level == a->level && !findings.items[f].expected)
                annotate(a, &known, names[i], file ? file : "", &findings.items[f]);
        arena_reset(&scratch);
        json_decref(cas);
    }
}

static void print_level(Annotations *a, const Report *report, const char **names) {
    a->shown_max = 0;
    annotate_all(a, report, names);
    if (!a->count) return;
    a->shown_max = a->count > SHOWN_MAX ? SHOWN_MAX - 1 : SHOWN_MAX;
    annotate_all(a, report, names);
    if (a->count <= a->shown_max) return;
    print_command(a, NULL, "fpdiff",
                  arena_format(a->sources.arena, "%zu more %ss are not shown here: GitHub shows %d of a step",
                               a->count - a->shown_max, level_names[a->level], SHOWN_MAX));
}

void report_print_annotations(const Report *report, const ReportSettings *settings, Buffer *out) {
    Arena arena = {0};
    Annotations a = {.sources = {.arena = &arena, .root = settings->source_root}, .out = out};
    const char **names = report_case_names(report, &arena);
    const size_t missing = json_array_size(json_object_get(json_object_get(report->head, "campaign"), "missing"));
    a.level = REPORT_ERROR;
    print_level(&a, report, names);
    a.level = REPORT_WARNING;
    if (missing)
        print_command(&a, NULL, "fpdiff: not-checked",
                      arena_format(&arena, "%zu cases are in none of the merged reports", missing));
    print_level(&a, report, names);
    a.level = REPORT_NOTE;
    print_level(&a, report, names);
    arena_reset(&arena);
}
