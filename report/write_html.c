// SPDX-License-Identifier: Apache-2.0
// The report as a page for browsers: one file that needs no network. The page has a row for each case, which a browser
// without scripts shows, too, and the case as JSON, which the script of report/page shows when the row is opened.
#include "report/page.h"
#include "report/report_internal.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_MAX = 20000000 }; // bytes

// How much of a case the page has.
typedef enum Part { PART_ROW, PART_PLAIN, PART_FULL, PART_COUNT } Part;

typedef struct Page {
    const Report *report;
    Buffer *out;
    uint8_t *parts;         // of each case
    size_t cut[PART_COUNT]; // how many cases have so much, of those that have more
    size_t rows;            // that fit
} Page;

// ---- text

static bool is_control(unsigned char c) {
    return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
}

// Text of HTML, or of an attribute in double quotes.
static void put_text(Buffer *out, const char *text) {
    for (const char *at = text; *at; at++) {
        const char *entity = *at == '<'                       ? "&lt;"
                             : *at == '>'                     ? "&gt;"
                             : *at == '&'                     ? "&amp;"
                             : *at == '"'                     ? "&quot;"
                             : is_control((unsigned char)*at) ? "\xef\xbf\xbd"
                                                              : NULL;
        if (entity)
            buffer_append(out, entity, strlen(entity));
        else
            buffer_append(out, at, 1);
    }
}

static void put(Buffer *out, const char *html) {
    buffer_append(out, html, strlen(html));
}

// JSON in a script: no "<" can end it, or begin what browsers treat otherwise.
static void put_json(Buffer *out, const json_t *value) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    for (const char *at = text, *next; at && *at; at = next) {
        next = at + strcspn(at, "<");
        buffer_append(out, at, (size_t)(next - at));
        if (*next) put(out, "\\u003c"), next++;
    }
    free(text);
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

// ---- the rows of cases

enum { WORDS_MAX = 16 }; // different results, or verdicts; there are fewer
typedef struct Words {
    const char *word[WORDS_MAX];
    size_t count[WORDS_MAX], kinds;
} Words;

static void count_word(Words *words, Arena *arena, const char *word) {
    size_t i = 0;
    while (i < words->kinds && strcmp(words->word[i], word)) i++;
    if (i == WORDS_MAX) return;
    if (i == words->kinds) words->word[words->kinds++] = arena_keep(arena, word);
    words->count[i]++;
}

static void put_words(Buffer *out, const Words *words) {
    for (size_t i = 0; i < words->kinds; i++) {
        buffer_print(out, "%s%zu ", i ? ", " : "", words->count[i]);
        put_text(out, words->word[i]);
    }
}

static void put_verdicts(Buffer *out, const json_t *cas) {
    static const char *const lists[] = {"pairs", "builds"}, *const heads[] = {"", "builds: "};
    const char *between = "";
    for (size_t k = 0; k < BASE_COUNT(lists); k++) {
        Arena arena = {0};
        Words words = {.kinds = 0};
        json_t *comparison;
        size_t index;
        json_array_foreach(json_object_get(cas, lists[k]), index, comparison)
            count_word(&words, &arena, text_of(comparison, "verdict"));
        if (words.kinds) {
            put(out, between);
            put(out, heads[k]);
            put_words(out, &words);
            between = "; ";
        }
        arena_reset(&arena);
    }
}

// What is to be said of the accuracy of variants.
static void put_accuracy(Buffer *out, const json_t *cas) {
    size_t less = 0, beyond = 0, index;
    json_t *item;
    json_array_foreach(json_object_get(cas, "pairs"), index, item) less += report_is_less_accurate(item);
    json_array_foreach(json_object_get(json_object_get(cas, "accuracy"), "variants"), index, item) beyond +=
        json_is_true(json_object_get(item, "exceeds"));
    if (less) buffer_print(out, " <span class=\"badge\" data-verdict=\"less accurate\">%zu less accurate</span>", less);
    if (beyond)
        buffer_print(out, " <span class=\"badge\" data-verdict=\"beyond the bound\">%zu beyond the bound</span>",
                     beyond);
}

// "N = 64, D = 32" of a case with parameters.
static void put_parameters(Buffer *out, const json_t *cas) {
    const char *key;
    json_t *value, *parameters = json_object_get(cas, "parameters");
    json_object_foreach(parameters, key, value) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        put(out, " <span class=\"parameter\">");
        put_text(out, key);
        put(out, " = ");
        put_text(out, text ? text : "?");
        put(out, "</span>");
        free(text);
    }
}

static void put_row(Buffer *out, const json_t *cas, size_t index) {
    const char *result = text_of(cas, "result"), *seed = text_of(cas, "seed");
    buffer_print(out, "<li class=\"case\" id=\"case-%zu\" data-result=\"", index);
    put_text(out, result);
    put(out, "\"><details><summary><span class=\"badge\" data-result=\"");
    put_text(out, result);
    put(out, "\">");
    put_text(out, result);
    put(out, "</span> <bdi class=\"file\">");
    put_text(out, text_of(cas, "file"));
    put(out, "</bdi>");
    put_parameters(out, cas);
    if (*seed) {
        put(out, " <span class=\"seed\">seed ");
        put_text(out, seed);
        put(out, "</span>");
    }
    put(out, " <bdi class=\"title\">");
    put_text(out, text_of(cas, "title"));
    put(out, "</bdi> <span class=\"verdicts\">");
    put_verdicts(out, cas);
    put(out, "</span>");
    put_accuracy(out, cas);
    put(out, "</summary><div class=\"body\"></div></details></li>\n");
}

// ---- what fits

static void remove_maps(json_t *cas) {
    static const char *const lists[] = {"pairs", "builds"};
    json_t *comparison, *buffer;
    size_t i, b;
    json_object_del(cas, "planes");
    for (size_t k = 0; k < BASE_COUNT(lists); k++)
        json_array_foreach(json_object_get(cas, lists[k]), i, comparison)
            json_array_foreach(json_object_get(comparison, "buffers"), b, buffer) json_object_del(buffer, "map");
}

// Of PART_PLAIN the case loses its maps.
static void put_data(Buffer *out, json_t *cas, size_t index, Part part) {
    if (part == PART_ROW) return;
    if (part == PART_PLAIN) remove_maps(cas);
    buffer_print(out, "<script type=\"application/json\" id=\"data-%zu\">", index);
    put_json(out, cas);
    put(out, "</script>\n");
}

// Bytes of each part of each case: sizes[PART_COUNT * index + part]. bad[index]: its result is not "ok".
static void measure(const Report *report, size_t *sizes, bool *bad) {
    for (size_t i = 0; i < report->case_count; i++) {
        json_t *cas = report_case(report, i);
        for (int part = PART_COUNT - 1; part >= 0; part--) {
            Buffer text = {0};
            if (part == PART_ROW) put_row(&text, cas, i);
            put_data(&text, cas, i, (Part)part);
            sizes[PART_COUNT * i + (size_t)part] = text.size;
            buffer_free(&text);
        }
        bad[i] = json_integer_value(json_object_get(cas, "status")) != 0;
        json_decref(cas);
    }
}

// First all rows, then the comparisons of cases that are not "ok", then of those that are, then maps likewise.
static void choose_parts(Page *page, Arena *arena, size_t left) {
    const Report *report = page->report;
    size_t *sizes = arena_array(arena, size_t, PART_COUNT * report->case_count + 1);
    bool *bad = arena_array(arena, bool, report->case_count + 1);
    measure(report, sizes, bad);
    page->parts = arena_alloc(arena, report->case_count + 1);
    while (page->rows < report->case_count && sizes[PART_COUNT * page->rows] <= left)
        left -= sizes[PART_COUNT * page->rows++];
    for (int part = PART_PLAIN; part < PART_COUNT; part++)
        for (int ok = 0; ok < 2; ok++)
            for (size_t i = 0; i < page->rows; i++) {
                const size_t *size = &sizes[PART_COUNT * i];
                const size_t more = size[part] - (part == PART_FULL ? size[PART_PLAIN] : 0);
                if (bad[i] == ok || page->parts[i] != part - 1) continue;
                if (more <= left)
                    left -= more, page->parts[i] = (uint8_t)part;
                else
                    page->cut[part - 1]++;
            }
}

static void put_cuts(const Page *page) {
    const size_t rows = page->report->case_count - page->rows;
    Buffer *out = page->out;
    if (!rows && !page->cut[PART_ROW] && !page->cut[PART_PLAIN]) return;
    buffer_print(out, "<p class=\"cut\" role=\"note\">This page would be larger than %d MB. Left out are",
                 PAGE_MAX / 1000000);
    if (page->cut[PART_PLAIN]) buffer_print(out, " the maps of %zu cases,", page->cut[PART_PLAIN]);
    if (page->cut[PART_ROW]) buffer_print(out, " the comparisons of %zu cases,", page->cut[PART_ROW]);
    if (rows) buffer_print(out, " %zu cases altogether,", rows);
    put(out, " of cases that are ok first. The JSON report has all of them.</p>\n");
}

// ---- the page

static const char *const status_texts[] = {"all as expected",
                                           "a divergence, errors beyond a bound, or a case that could not have failed",
                                           "wrong usage or a wrong case", "something could not be compiled or run"};

static void put_status(Buffer *out, int status) {
    buffer_print(out, "<p class=\"status\" data-status=\"%d\">Exit status %d: ", status, status);
    put(out, status == REPORT_STATUS_INTERRUPTED                        ? "the run was interrupted"
             : status >= 0 && (size_t)status < BASE_COUNT(status_texts) ? status_texts[status]
                                                                        : "of this run");
    put(out, "</p>\n");
}

static void put_fact(Buffer *out, const char *name, const char *value) {
    if (!*value) return;
    put(out, "<div><dt>");
    put_text(out, name);
    put(out, "</dt><dd>");
    put_text(out, value);
    put(out, "</dd></div>");
}

static void put_facts(Buffer *out, const json_t *head) {
    static const char *const keys[] = {"target", "gpu", "device", "cpu"}, *const versions[] = {"congruent", "llvm"};
    put(out, "<dl class=\"facts\">");
    for (size_t i = 0; i < BASE_COUNT(keys); i++) put_fact(out, keys[i], text_of(head, keys[i]));
    for (size_t i = 0; i < BASE_COUNT(versions); i++)
        put_fact(out, versions[i], text_of(json_object_get(head, "versions"), versions[i]));
    put(out, "</dl>\n");
}

// What results there are: a box to tick for each.
static void put_filter(const Page *page) {
    Arena arena = {0};
    Words words = {.kinds = 0};
    Buffer *out = page->out;
    for (size_t i = 0; i < page->report->case_count; i++) {
        json_t *cas = report_case(page->report, i);
        count_word(&words, &arena, text_of(cas, "result"));
        json_decref(cas);
    }
    buffer_print(out, "<p class=\"counts\">%zu case%s: ", page->report->case_count,
                 page->report->case_count == 1 ? "" : "s");
    put_words(out, &words);
    put(out, "</p>\n<form class=\"filter\" role=\"search\" hidden>"
             "<label>Filter <input type=\"search\" id=\"search\" placeholder=\"file, title, variant, verdict\" "
             "autocomplete=\"off\"></label>\n<fieldset><legend>Results</legend>");
    for (size_t i = 0; i < words.kinds; i++) {
        put(out, "<label><input type=\"checkbox\" name=\"result\" checked value=\"");
        put_text(out, words.word[i]);
        put(out, "\"> ");
        put_text(out, words.word[i]);
        buffer_print(out, " (%zu)</label>\n", words.count[i]);
    }
    put(out, "</fieldset><output id=\"shown\" aria-live=\"polite\"></output></form>\n");
    arena_reset(&arena);
}

static void put_head(Buffer *out) {
    put(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
             "style-src 'unsafe-inline'\">\n<title>fpdiff report</title>\n<style>\n");
    put(out, report_page_style);
    put(out, "</style>\n</head>\n<body>\n");
}

void report_print_html(const Report *report, const ReportSettings *settings, Buffer *out) {
    Arena arena = {0};
    Page page = {.report = report, .out = out};
    const size_t fixed = strlen(report_page_style) + strlen(report_page_script) + 20000;
    (void)settings;
    choose_parts(&page, &arena, PAGE_MAX - fixed);
    put_head(out);
    put(out, "<header>\n<h1>fpdiff report</h1>\n");
    put_status(out, report->status);
    put_facts(out, report->head);
    put_filter(&page);
    put_cuts(&page);
    put(out,
        "<noscript><p>Comparisons and maps are shown by a script, which this browser does not run.</p></noscript>\n"
        "</header>\n<main>\n<ol class=\"cases\">\n");
    for (int pass = 0; pass < 2; pass++) {
        if (pass) put(out, "</ol>\n</main>\n");
        for (size_t i = 0; i < page.rows; i++) {
            json_t *cas = report_case(report, i);
            if (pass)
                put_data(out, cas, i, (Part)page.parts[i]);
            else
                put_row(out, cas, i);
            json_decref(cas);
        }
    }
    put(out, "<script>\n");
    put(out, report_page_script);
    put(out, "</script>\n</body>\n</html>\n");
    buffer_append(out, "", 1);
    out->size--;
    arena_reset(&arena);
}
