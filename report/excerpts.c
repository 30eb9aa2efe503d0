// SPDX-License-Identifier: Apache-2.0
// Excerpts of the source files that a case names, so that a page shows them where the files are not.
#include "report/report_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES_MAX = 256, // of a case
    AROUND = 3,       // lines before and behind each
    LINE_MAX_SIZE = 200,
    TEXT_MAX = 8000 // of all excerpts of a case
};

typedef struct Place {
    const char *file;
    json_int_t line;
} Place;
typedef struct Excerpts {
    Arena arena;
    ReportSources sources;
    Place *places;
    size_t count, capacity, left; // left: bytes of text
    json_t *list;
} Excerpts;

// ---- which places

static void add_place(Excerpts *x, const char *file, json_int_t line) {
    for (size_t i = 0; i < x->count; i++)
        if (x->places[i].line == line && !strcmp(x->places[i].file, file)) return;
    if (x->count == PLACES_MAX || line < 1 || line > INT32_MAX) return;
    x->places = arena_grow(&x->arena, x->places, x->count, &x->capacity, sizeof *x->places);
    x->places[x->count++] = (Place){arena_keep(&x->arena, file), line};
}

// Every object of a case that has a file and a line.
static void find_places(Excerpts *x, json_t *value) {
    const char *key, *file = json_string_value(json_object_get(value, "file"));
    const json_t *line = json_object_get(value, "line");
    json_t *item;
    size_t index;
    if (file && json_is_integer(line)) add_place(x, file, json_integer_value(line));
    json_object_foreach(value, key, item) find_places(x, item);
    json_array_foreach(value, index, item) find_places(x, item);
}

static int order(const void *a, const void *b) {
    const Place *one = a, *other = b;
    const int files = strcmp(one->file, other->file);
    return files ? files : (one->line > other->line) - (one->line < other->line);
}

// ---- lines

static void add_excerpt(Excerpts *x, const char *file, const ReportSpot *spot, json_int_t first, json_int_t last) {
    json_t *excerpt = json_object(), *lines = json_array();
    const char *line;
    for (json_int_t l = first; l <= last && x->left > LINE_MAX_SIZE; l++) {
        size_t length = report_line(spot->source, (uint32_t)l, &line);
        if (!line) break;
        if (length > LINE_MAX_SIZE)
            for (length = LINE_MAX_SIZE; length && ((unsigned char)line[length] & 0xc0) == 0x80;) length--;
        json_t *text = json_stringn(line, length); // NULL: not UTF-8
        json_array_append_new(lines, text ? text : json_string("(not UTF-8)"));
        x->left -= length;
    }
    json_object_set_new(excerpt, "file", json_string(file));
    json_object_set_new(excerpt, "path", json_string(spot->path));
    json_object_set_new(excerpt, "first", json_integer(first));
    json_object_set_new(excerpt, "text", lines);
    if (json_array_size(lines)) json_array_append(x->list, excerpt);
    json_decref(excerpt);
}

// The places of one file, places[from] to places[to - 1]. Excerpts that touch are one.
static void add_file(Excerpts *x, const char *case_file, size_t from, size_t to) {
    const Place *places = x->places;
    for (size_t i = from; i < to;) {
        const ReportPlace at = {.file = places[i].file, .line = (uint32_t)places[i].line};
        const ReportSpot spot = report_spot(&x->sources, case_file, at);
        const json_int_t first = at.line > AROUND ? at.line - AROUND : 1;
        json_int_t last = 0;
        for (; i < to && (!last || places[i].line - AROUND <= last + 1); i++) last = places[i].line + AROUND;
        if (spot.mapped && spot.source) add_excerpt(x, at.file, &spot, first, last);
    }
}

void report_add_sources(json_t *cas, const char *root) {
    Excerpts x = {.left = TEXT_MAX, .list = json_array(), .sources = {.root = root}};
    const char *file = report_text(cas, "file");
    x.sources.arena = &x.arena;
    find_places(&x, cas);
    if (x.count) qsort(x.places, x.count, sizeof *x.places, order);
    for (size_t from = 0, to; file && from < x.count; from = to) {
        for (to = from; to < x.count && !strcmp(x.places[from].file, x.places[to].file);) to++;
        add_file(&x, file, from, to);
    }
    if (json_array_size(x.list)) json_object_set(cas, "sources", x.list);
    json_decref(x.list);
    arena_reset(&x.arena);
}
