// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 }; // "fpdiff" of the root

void report_close(Report *report) {
    json_decref(report->head);
    buffer_free(&report->texts);
    arena_reset(&report->arena);
    *report = (Report){0};
}

static void add_text(Report *report, const char *text) {
    report->begins =
        arena_grow(&report->arena, report->begins, report->case_count, &report->begin_capacity, sizeof *report->begins);
    report->begins[report->case_count++] = report->texts.size;
    buffer_append(&report->texts, text, strlen(text) + 1);
}

void report_add(Report *report, json_t *cas) {
    const json_int_t status = json_integer_value(json_object_get(cas, "status"));
    char *text = json_dumps(cas, JSON_COMPACT);
    if (status > report->status) report->status = (int)status;
    if (text) add_text(report, text);
    free(text);
    json_decref(cas);
}

json_t *report_case(const Report *report, size_t index) {
    return json_loads(report->texts.data + report->begins[index], 0, NULL);
}

// ---- names

// "a.yaml [N=64, D=32]"
static const char *short_name(Arena *arena, const json_t *cas) {
    const char *file = json_string_value(json_object_get(cas, "file")), *key, *name = file ? file : "?", *comma = " [";
    json_t *parameters = json_object_get(cas, "parameters"), *value;
    json_object_foreach(parameters, key, value) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        name = arena_format(arena, "%s%s%s=%s", name, comma, key, text ? text : "?");
        free(text);
        comma = ", ";
    }
    return *comma == ',' ? arena_format(arena, "%s]", name) : name;
}

static const char *with_seed(Arena *arena, const char *name, const json_t *cas) {
    const char *seed = json_string_value(json_object_get(cas, "seed"));
    return seed ? arena_format(arena, "%s, seed %s", name, seed) : name;
}

const char **report_case_names(const Report *report, Arena *arena) {
    Arena scratch = {0};
    Map seen = {0}, several = {0};
    const char **names = arena_array(arena, const char *, report->case_count + 1);
    for (int pass = 0; pass < 2; pass++) // the first counts
        for (size_t i = 0; i < report->case_count; i++) {
            json_t *cas = report_case(report, i);
            const char *name = short_name(&scratch, cas);
            if (pass == 0 && !map_insert(&seen, &scratch, name, 0)) map_insert(&several, &scratch, name, 0);
            if (pass == 1 && map_find(&several, name, NULL)) name = with_seed(&scratch, name, cas);
            names[i] = arena_keep(arena, name);
            json_decref(cas);
        }
    Map used = {0};
    for (size_t i = 0; i < report->case_count; i++) {
        const char *name = names[i];
        for (unsigned n = 2; !map_insert(&used, &scratch, names[i], 0); n++)
            names[i] = arena_format(arena, "%s (%u)", name, n);
    }
    arena_reset(&scratch);
    return names;
}

// ---- writing JSON

// The lines of a text, all but the first moved to the right.
static void print_indented(const char *text, unsigned spaces, Buffer *out) {
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        buffer_append(out, text, (size_t)(end - text));
        buffer_print(out, "\n%*s", (int)spaces, "");
    }
    buffer_append(out, text, strlen(text));
}

static void print_value(const json_t *value, unsigned spaces, Buffer *out) {
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY);
    if (text) print_indented(text, spaces, out);
    free(text);
}

void report_print_json(const Report *report, const ReportSettings *settings, Buffer *out) {
    (void)settings;
    const char *key;
    json_t *value;
    buffer_print(out, "{\n");
    json_object_foreach(report->head, key, value) {
        buffer_print(out, "  \"%s\": ", key); // keys are our own names
        print_value(value, 2, out);
        buffer_print(out, ",\n");
    }
    buffer_print(out, "  \"status\": %d,\n  \"cases\": [", report->status);
    for (size_t i = 0; i < report->case_count; i++) {
        json_t *cas = report_case(report, i);
        buffer_print(out, "%s\n    ", i ? "," : "");
        print_value(cas, 4, out);
        json_decref(cas);
    }
    buffer_print(out, "%s]\n}\n", report->case_count ? "\n  " : "");
}

// ---- summary

enum { RESULTS_MAX = 16 }; // different ones; there are five

typedef struct Counts {
    const char *result[RESULTS_MAX];
    size_t count[RESULTS_MAX], kinds;
} Counts;

static void count_result(Counts *counts, Arena *arena, const char *result) {
    size_t i = 0;
    while (i < counts->kinds && strcmp(counts->result[i], result)) i++;
    if (i == RESULTS_MAX) return;
    if (i == counts->kinds) counts->result[counts->kinds++] = arena_keep(arena, result);
    counts->count[i]++;
}

void report_print_summary(const Report *report, Buffer *out) {
    Arena arena = {0};
    Counts counts = {.kinds = 0};
    for (size_t i = 0; i < report->case_count; i++) {
        json_t *cas = report_case(report, i);
        const char *file = json_string_value(json_object_get(cas, "file")),
                   *result = json_string_value(json_object_get(cas, "result")),
                   *seed = json_string_value(json_object_get(cas, "seed"));
        if (!result) result = "?";
        count_result(&counts, &arena, result);
        if (strcmp(result, "ok"))
            buffer_print(out, "%s%s%s: %s\n", file, seed ? ", seed " : "", seed ? seed : "", result);
        json_decref(cas);
    }
    buffer_print(out, "%zu cases", report->case_count);
    for (size_t i = 0; i < counts.kinds; i++) buffer_print(out, ", %zu %s", counts.count[i], counts.result[i]);
    buffer_print(out, "\n");
    arena_reset(&arena);
}

// ---- reading

static bool refuse(Diagnostics *diagnostics, const char *path, const char *why) {
    return diag_fail(diagnostics, (Location){.file = path}, E_REPORT, "is no report of fpdiff: %s", why);
}

// A text that is read value by value, so that cases, of which there may be many, are never all in memory as JSON.
typedef struct Text {
    Diagnostics *diagnostics;
    const char *path, *begin, *at, *end;
} Text;

static void skip_spaces(Text *text) {
    while (text->at < text->end && *text->at && strchr(" \t\r\n", *text->at)) text->at++;
}

static bool take(Text *text, char c) {
    skip_spaces(text);
    if (text->at == text->end || *text->at != c) return false;
    text->at++;
    return true;
}

static bool fail_text(const Text *text, uint32_t line, const char *why) {
    for (const char *at = text->begin; at < text->at; at++) line += *at == '\n';
    return diag_fail(text->diagnostics, (Location){.file = text->path, .line = line}, E_REPORT,
                     "is no report of fpdiff: %s", why);
}

static bool need(Text *text, char c) {
    return take(text, c) || fail_text(text, 1, (char[]){'n', 'o', ' ', '\'', c, '\'', 0});
}

// The next value, which the caller releases. NULL and a diagnostic.
static json_t *take_value(Text *text) {
    json_error_t error;
    skip_spaces(text);
    json_t *value = json_loadb(text->at, (size_t)(text->end - text->at),
                               JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
    if (value)
        text->at += error.position;
    else
        fail_text(text, error.line > 0 ? (uint32_t)error.line : 1, error.text);
    return value;
}

// That of a process has 8 bits: 256 would be 0.
static bool is_status(const json_t *status) {
    return json_is_integer(status) && json_integer_value(status) >= 0 &&
           json_integer_value(status) <= REPORT_STATUS_INTERRUPTED;
}

static bool take_case(Text *text, Report *report) {
    json_t *cas = take_value(text);
    if (!cas) return false;
    if (json_is_object(cas) && json_is_string(json_object_get(cas, "file")) &&
        is_status(json_object_get(cas, "status"))) {
        report_add(report, cas);
        return true;
    }
    json_decref(cas);
    return refuse(text->diagnostics, text->path, "a case without \"file\" or \"status\"");
}

static bool take_cases(Text *text, Report *report) {
    skip_spaces(text);
    if (text->at == text->end || *text->at != '[')
        return refuse(text->diagnostics, text->path, "the list \"cases\" is missing");
    text->at++;
    if (take(text, ']')) return true;
    do {
        if (!take_case(text, report)) return false;
    } while (take(text, ','));
    return need(text, ']');
}

static bool take_key(Text *text, Report *report, bool *has_cases) {
    skip_spaces(text);
    if (text->at == text->end || *text->at != '"') return fail_text(text, 1, "a name in quotes is missing");
    json_t *key = take_value(text), *value = NULL;
    bool good = key && need(text, ':');
    if (good && !strcmp(json_string_value(key), "cases")) {
        good = *has_cases ? fail_text(text, 1, "\"cases\" is there twice") : take_cases(text, report);
        *has_cases = true;
    } else if (good) {
        value = take_value(text);
        good = value && (!json_object_get(report->head, json_string_value(key)) || fail_text(text, 1, "a name twice"));
        if (good) json_object_set(report->head, json_string_value(key), value);
    }
    json_decref(key);
    json_decref(value);
    return good;
}

static bool take_root(Text *text, Report *report) {
    bool has_cases = false;
    report->head = json_object();
    if (!need(text, '{')) return false;
    if (!take(text, '}')) {
        do {
            if (!take_key(text, report, &has_cases)) return false;
        } while (take(text, ','));
        if (!need(text, '}')) return false;
    }
    skip_spaces(text);
    if (text->at < text->end) return fail_text(text, 1, "there is more behind it");
    return has_cases || refuse(text->diagnostics, text->path, "the list \"cases\" is missing");
}

static bool check_head(Diagnostics *diagnostics, const char *path, Report *report) {
    const json_t *format = json_object_get(report->head, "fpdiff"), *status = json_object_get(report->head, "status");
    if (!json_is_integer(format)) return refuse(diagnostics, path, "the number \"fpdiff\" is missing");
    if (json_integer_value(format) != FORMAT)
        return diag_fail(diagnostics, (Location){.file = path}, E_REPORT,
                         "is a report of format %" JSON_INTEGER_FORMAT ", expected %d", json_integer_value(format),
                         FORMAT);
    if (!is_status(status)) return refuse(diagnostics, path, "the number \"status\" is missing or wrong");
    if (json_integer_value(status) > report->status) report->status = (int)json_integer_value(status);
    json_object_del(report->head, "status");
    return true;
}

bool report_read(Diagnostics *diagnostics, const char *path, Report *report) {
    Arena scratch = {0};
    uint8_t *bytes;
    size_t size;
    *report = (Report){0};
    bool good = file_read(diagnostics, &scratch, path, &bytes, &size);
    if (good) {
        const char *begin = (const char *)bytes;
        Text text = {diagnostics, path, begin, begin, begin + size};
        good = take_root(&text, report) && check_head(diagnostics, path, report);
    }
    arena_reset(&scratch);
    if (!good) report_close(report);
    return good;
}

// Behind the text in quotes that begins at `at`.
static const char *skip_quoted(const char *at, const char *end) {
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\') at++;
    return at < end ? at + 1 : end;
}

bool report_has_key(Diagnostics *diagnostics, const char *path, const char *key, bool *found) {
    Arena scratch = {0};
    uint8_t *bytes;
    size_t size, depth = 0;
    const size_t length = strlen(key);
    *found = false;
    if (!file_read(diagnostics, &scratch, path, &bytes, &size)) return false;
    const char *at = (const char *)bytes, *end = at + size;
    while (at < end && !*found) {
        const char *from = at++;
        if (*from == '"') at = skip_quoted(from, end);
        depth += *from == '{' || *from == '[';
        depth -= depth && (*from == '}' || *from == ']');
        if (*from != '"' || depth != 1 || (size_t)(at - from) != length + 2 || memcmp(from + 1, key, length)) continue;
        while (at < end && *at && strchr(" \t\r\n", *at)) at++;
        *found = at < end && *at == ':';
    }
    arena_reset(&scratch);
    return true;
}
