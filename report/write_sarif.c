// SPDX-License-Identifier: Apache-2.0
// The report as SARIF 2.1.0: one result for each rule and line of source, whatever number of cases found it. GitHub
// takes no more than RESULTS_MAX of them; errors go first, and what is left out is said.
#include "report/report_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// Of a run; of them GitHub shows 5000. Bytes of a message that GitHub shows. Cases that a message names.
enum { RESULTS_MAX = 5000, KEPT_MAX = 25000, MESSAGE_MAX = 1000, NAMED_MAX = 20 };

typedef struct Result {
    ReportRule rule;
    ReportLevel level;
    bool expected;
    ReportSpot spot;
    const char *message; // of the first finding
    const char *cases[NAMED_MAX];
    size_t findings, case_count; // case_count: of different cases
    size_t last_case;            // 1 + the index of the case that was counted last
    ReportSpot related[REPORT_RELATED_MAX];
    const char *related_texts[REPORT_RELATED_MAX];
    uint32_t related_count;
} Result;

typedef struct Sarif {
    Arena *arena;
    ReportSources sources;
    Map known; // rule, path and line: the result's address
    Result **results;
    size_t count, capacity;
    size_t left_out; // findings of results beyond KEPT_MAX
    json_t *notes;   // toolExecutionNotifications
} Sarif;

// ---- results --------------------------------------------------------------------------------------------------------

static Result *result_for(Sarif *s, const ReportFinding *finding, const ReportSpot *spot) {
    const char *key = arena_format(s->arena, "%d:%u:%s", (int)finding->rule, spot->line, spot->path);
    uint64_t known;
    if (map_find(&s->known, key, &known)) return (Result *)(uintptr_t)known;
    if (s->count == KEPT_MAX) return NULL;
    Result *result = arena_new(s->arena, Result);
    *result = (Result){.rule = finding->rule, .level = finding->level, .expected = finding->expected, .spot = *spot};
    s->results = arena_grow(s->arena, s->results, s->count, &s->capacity, sizeof(Result *));
    s->results[s->count++] = result;
    map_insert(&s->known, s->arena, key, (uint64_t)(uintptr_t)result);
    return result;
}

static void add_related(Sarif *s, Result *result, const char *case_file, const ReportFinding *finding) {
    for (uint32_t r = 0; r < finding->related_count; r++) {
        const ReportSpot spot = report_spot(&s->sources, case_file, finding->related[r]);
        bool known = !spot.mapped || result->related_count == REPORT_RELATED_MAX;
        for (uint32_t i = 0; !known && i < result->related_count; i++)
            known = result->related[i].line == spot.line && !strcmp(result->related[i].path, spot.path);
        if (known) continue;
        result->related[result->related_count] = spot;
        result->related_texts[result->related_count++] = arena_keep(s->arena, finding->related[r].text);
    }
}

static void add_finding(Sarif *s, const char *name, const char *case_file, size_t index, const ReportFinding *finding) {
    const ReportSpot spot = report_spot(&s->sources, case_file, finding->at);
    Result *result = result_for(s, finding, &spot);
    if (!result) {
        s->left_out++;
        return;
    }
    if (!result->message || (finding->level > result->level))
        result->message = arena_format(s->arena, "%s: %s", name, finding->message);
    if (finding->level > result->level) result->level = finding->level;
    result->expected &= finding->expected;
    if (result->last_case != index + 1) {
        if (result->case_count < NAMED_MAX) result->cases[result->case_count] = name;
        result->case_count++;
    }
    result->last_case = index + 1;
    result->findings++;
    add_related(s, result, case_file, finding);
}

static int by_level(const void *a, const void *b) {
    const Result *x = *(Result *const *)a, *y = *(Result *const *)b;
    if (x->level != y->level) return x->level > y->level ? -1 : 1;
    const int order = strcmp(x->spot.path, y->spot.path);
    if (order) return order;
    if (x->spot.line != y->spot.line) return x->spot.line < y->spot.line ? -1 : 1;
    return (x->rule > y->rule) - (x->rule < y->rule);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static json_t *text_object(const char *text) {
    json_t *object = json_object();
    json_object_set_new(object, "text", json_string(text));
    return object;
}

// A path as a relative reference of RFC 3986, or an absolute one as a file URI.
static const char *uri_of(Arena *arena, const char *path) {
    Buffer uri = {0};
    buffer_print(&uri, "%s", *path == '/' ? "file://" : "");
    for (const char *at = path; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (plain || strchr("-._~/", c))
            buffer_append(&uri, at, 1);
        else
            buffer_print(&uri, "%%%02X", c);
    }
    const char *text = arena_text(arena, uri.data, uri.size);
    buffer_free(&uri);
    return text;
}

static json_t *json_location(const Sarif *s, const ReportSpot *spot, const char *text) {
    json_t *location = json_object(), *physical = json_object(), *artifact = json_object();
    json_object_set_new(artifact, "uri", json_string(uri_of(s->arena, spot->path)));
    if (*spot->path != '/') json_object_set_new(artifact, "uriBaseId", json_string("%SRCROOT%"));
    json_object_set_new(physical, "artifactLocation", artifact);
    if (spot->mapped) { // without a region it is the whole file
        json_t *region = json_object();
        json_object_set_new(region, "startLine", json_integer(spot->line ? spot->line : 1));
        if (spot->column) json_object_set_new(region, "startColumn", json_integer(spot->column));
        json_object_set_new(physical, "region", region);
    }
    json_object_set_new(location, "physicalLocation", physical);
    if (text) json_object_set_new(location, "message", text_object(text));
    return location;
}

// What does not change when other lines do: GitHub's, and ours, which also knows the rule and the path.
static json_t *json_fingerprints(Sarif *s, const Result *result) {
    json_t *prints = json_object();
    char text[REPORT_HASH_SIZE];
    const char *line = "";
    uint32_t number = 0;
    if (result->spot.mapped) report_line_text(&s->sources, &result->spot, &line, &number);
    const char *all =
        arena_format(s->arena, "%s\n%s\n%s\n%u", report_rule_info(result->rule)->name, result->spot.path, line, number);
    const uint64_t own = XXH64(all, strlen(all), 0);
    json_object_set_new(prints, "fpdiff/v1", json_string(arena_format(s->arena, "%016" PRIx64, own)));
    if (!report_line_hash(&s->sources, &result->spot, text)) snprintf(text, sizeof text, "%" PRIx64 ":1", own);
    json_object_set_new(prints, "primaryLocationLineHash", json_string(text));
    return prints;
}

// The first finding, and the other cases, as far as GitHub shows them.
static const char *message_of(const Sarif *s, const Result *result) {
    Buffer text = {0};
    size_t size = strlen(result->message);
    const size_t most = MESSAGE_MAX / 2 + 100;
    const bool cut = size > most;
    if (cut) size = most;
    while (cut && ((unsigned char)result->message[size] & 0xc0) == 0x80) size--; // no half characters
    buffer_print(&text, "%.*s%s", (int)size, result->message, cut ? " ..." : "");
    size_t named = 1;
    for (; named < result->case_count && named < NAMED_MAX; named++) {
        if (text.size + strlen(result->cases[named]) + 40 > MESSAGE_MAX) break;
        buffer_print(&text, "%s%s", named == 1 ? "\nAlso in: " : ", ", result->cases[named]);
    }
    if (named < result->case_count) buffer_print(&text, "\n%zu more cases", result->case_count - named);
    const char *kept = arena_text(s->arena, text.data, text.size);
    buffer_free(&text);
    return kept;
}

static json_t *json_result(Sarif *s, const Result *result) {
    static const char *const levels[] = {"none", "note", "warning", "error"};
    json_t *object = json_object(), *locations = json_array(), *related = json_array(), *suppressions = json_array(),
           *properties = json_object(), *cases = json_array();
    json_object_set_new(object, "ruleId", json_string(report_rule_info(result->rule)->name));
    json_object_set_new(object, "ruleIndex", json_integer(result->rule));
    json_object_set_new(object, "level", json_string(levels[result->level]));
    json_object_set_new(object, "message", text_object(message_of(s, result)));
    json_array_append_new(locations, json_location(s, &result->spot, NULL));
    json_object_set_new(object, "locations", locations);
    for (uint32_t r = 0; r < result->related_count; r++)
        json_array_append_new(related, json_location(s, &result->related[r], result->related_texts[r]));
    json_object_set_new(object, "relatedLocations", related);
    json_object_set_new(object, "partialFingerprints", json_fingerprints(s, result));
    json_object_set_new(object, "occurrenceCount", json_integer((json_int_t)result->findings));
    if (result->expected)
        json_array_append_new(suppressions, json_pack("{s:s, s:s, s:s}", "kind", "external", "status", "accepted",
                                                      "justification", "the case file expects or allows it"));
    json_object_set_new(object, "suppressions", suppressions); // [] says that it was not suppressed
    for (size_t i = 0; i < result->case_count && i < NAMED_MAX; i++)
        json_array_append_new(cases, json_string(result->cases[i]));
    json_object_set_new(properties, "cases", cases);
    json_object_set_new(object, "properties", properties);
    return object;
}

static json_t *json_rules(void) {
    static const char *const levels[] = {"none", "note", "warning", "error"};
    json_t *rules = json_array();
    for (int r = 0; r < REPORT_RULE_COUNT; r++) {
        const ReportRuleInfo *info = report_rule_info((ReportRule)r);
        json_t *rule = json_object(), *configuration = json_object();
        json_object_set_new(rule, "id", json_string(info->name));
        json_object_set_new(rule, "name", json_string(info->name));
        json_object_set_new(rule, "shortDescription", text_object(info->short_text));
        json_object_set_new(rule, "fullDescription", text_object(info->help));
        json_object_set_new(rule, "help", text_object(info->help));
        json_object_set_new(configuration, "level", json_string(levels[info->level]));
        json_object_set_new(rule, "defaultConfiguration", configuration);
        json_array_append_new(rules, rule);
    }
    return rules;
}

static json_t *json_tool(const Report *report) {
    const char *version = report_text(json_object_get(report->head, "versions"), "congruent");
    json_t *tool = json_object(), *driver = json_object();
    json_object_set_new(driver, "name", json_string("fpdiff"));
    json_object_set_new(driver, "semanticVersion", json_string(version ? version : "0.0.0"));
    json_object_set_new(driver, "rules", json_rules());
    json_object_set_new(tool, "driver", driver);
    return tool;
}

static void notify(Sarif *s, const char *text) {
    json_t *note = json_object();
    json_object_set_new(note, "level", json_string("warning"));
    json_object_set_new(note, "message", text_object(text));
    json_array_append_new(s->notes, note);
}

static json_t *json_invocation(Sarif *s, const Report *report) {
    json_t *invocation = json_object();
    const size_t missing = json_array_size(json_object_get(json_object_get(report->head, "campaign"), "missing"));
    if (missing) notify(s, arena_format(s->arena, "%zu cases are in none of the merged reports", missing));
    json_object_set_new(invocation, "executionSuccessful", json_boolean(report->status < 2 && !missing));
    json_object_set_new(invocation, "exitCode", json_integer(report->status));
    json_object_set(invocation, "toolExecutionNotifications", s->notes);
    return invocation;
}

static json_t *json_run(Sarif *s, const Report *report) {
    json_t *run = json_object(), *results = json_array(), *invocations = json_array();
    if (s->count) qsort(s->results, s->count, sizeof(Result *), by_level);
    for (size_t i = 0; i < s->count && i < RESULTS_MAX; i++)
        json_array_append_new(results, json_result(s, s->results[i]));
    if (s->count > RESULTS_MAX)
        notify(s, arena_format(s->arena, "%zu results%s were left out: GitHub takes %d", s->count - RESULTS_MAX,
                               s->left_out ? " and more" : "", RESULTS_MAX));
    json_object_set_new(run, "tool", json_tool(report));
    json_array_append_new(invocations, json_invocation(s, report));
    json_object_set_new(run, "invocations", invocations);
    json_object_set_new(run, "results", results);
    json_object_set_new(run, "columnKind", json_string("utf16CodeUnits"));
    return run;
}

void report_print_sarif(const Report *report, const ReportSettings *settings, Buffer *out) {
    Arena arena = {0};
    Sarif s = {.arena = &arena, .sources = {.arena = &arena, .root = settings->source_root}, .notes = json_array()};
    const char **names = report_case_names(report, &arena);
    for (size_t i = 0; i < report->case_count; i++) {
        Arena scratch = {0};
        json_t *cas = report_case(report, i);
        const char *file = report_text(cas, "file");
        const ReportFindings findings = report_find(&scratch, cas);
        for (size_t f = 0; f < findings.count; f++) add_finding(&s, names[i], file ? file : "", i, &findings.items[f]);
        arena_reset(&scratch);
        json_decref(cas);
    }
    json_t *root = json_object(), *runs = json_array();
    json_object_set_new(root, "$schema", json_string("https://json.schemastore.org/sarif-2.1.0.json"));
    json_object_set_new(root, "version", json_string("2.1.0"));
    json_array_append_new(runs, json_run(&s, report));
    json_object_set_new(root, "runs", runs);
    char *text = json_dumps(root, JSON_INDENT(1));
    buffer_print(out, "%s\n", text ? text : "{}");
    free(text);
    json_decref(root);
    json_decref(s.notes);
    arena_reset(&arena);
}
