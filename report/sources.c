// SPDX-License-Identifier: Apache-2.0
// Source files of cases: where they are in a work tree, and what stands in their lines.
#include "report/report_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_MAX = 4 << 20, HASHED = 100 }; // bytes of a source that is read, characters that GitHub hashes

typedef struct ReportSource {
    const char *text;
    size_t size;
    uint32_t lines;
    const size_t *begins; // lines + 1 of them
    uint64_t *hashes;     // of the lines; NULL: not computed yet
} ReportSource;

// ---- the work tree --------------------------------------------------------------------------------------------------

// The path without links, "." and "..", in the arena; NULL if there is no such file.
static const char *real_path(Arena *arena, const char *path) {
    char *text = realpath(path, NULL);
    const char *kept = arena_keep(arena, text);
    free(text);
    return kept;
}

static bool exists(const char *path) {
    struct stat facts;
    return !stat(path, &facts);
}

static bool is_file(const char *path) {
    struct stat facts;
    return !stat(path, &facts) && S_ISREG(facts.st_mode);
}

static const char *folder_of(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return ".";
    return slash == path ? "/" : arena_text(arena, path, (size_t)(slash - path));
}

// The folder above that has .git; else the one that the process runs in, if the case is in there; else that of the
// case.
static const char *find_work_tree(Arena *arena, const char *folder) {
    for (const char *at = folder; strcmp(at, "/"); at = folder_of(arena, at))
        if (exists(arena_format(arena, "%s/.git", at))) return at;
    const char *here = real_path(arena, ".");
    const size_t length = here ? strlen(here) : 0;
    return here && !strncmp(folder, here, length) && (!folder[length] || folder[length] == '/') ? here : folder;
}

static const char *root_of(ReportSources *s, const char *case_file) {
    const char *folder = real_path(s->arena, folder_of(s->arena, case_file)), *root;
    uint64_t known;
    if (s->root) folder = s->root;
    if (!folder) folder = real_path(s->arena, "."); // the case is missing
    if (!folder) folder = "/";
    if (map_find(&s->roots, folder, &known)) return (const char *)(uintptr_t)known;
    root = s->root ? real_path(s->arena, s->root) : find_work_tree(s->arena, folder);
    if (!root) root = folder;
    map_insert(&s->roots, s->arena, folder, (uint64_t)(uintptr_t)root);
    return root;
}

// What is left of a path behind the root; NULL if it is not below it.
static const char *below(const char *root, const char *path) {
    const size_t length = strcmp(root, "/") ? strlen(root) : 0;
    return path && !strncmp(path, root, length) && path[length] == '/' && path[length + 1] ? path + length + 1 : NULL;
}

// ---- a source in it -------------------------------------------------------------------------------------------------

// Whether the folder that a path of one component is in has the name of the root, or is the neutral /src.
static bool is_of_root(const char *root, const char *file, const char *name) {
    const char *base = strrchr(root, '/');
    const size_t length = (size_t)(name - file), own = base ? strlen(base) : 0;
    if (length == 5 && !strncmp(file, "/src/", 5)) return true;
    return own > 1 && length > own && !strncmp(name - own - 1, base, own);
}

// A source whose kernel was compiled elsewhere: the longest end of its path that is a file below the root. A name
// alone says too little, unless the folders around it have the same name.
static const char *find_by_end(ReportSources *s, const char *root, const char *file) {
    for (const char *end = file; end; end = strchr(end, '/')) {
        while (*end == '/') end++;
        const bool alone = !strchr(end, '/');
        if (!*end || (alone && !is_of_root(root, file, end))) return NULL;
        const char *path = real_path(s->arena, arena_format(s->arena, "%s/%s", root, end)), *rest = below(root, path);
        if (rest && is_file(path)) return rest;
    }
    return NULL;
}

static ReportSource *read_source(ReportSources *s, const char *path) {
    Diagnostics ignored = {0};
    struct stat facts;
    uint8_t *text;
    size_t size, capacity = 0, lines = 0, *begins = NULL;
    uint64_t known;
    ReportSource *source = NULL;
    if (map_find(&s->files, path, &known)) return (ReportSource *)(uintptr_t)known;
    const bool good = !stat(path, &facts) && S_ISREG(facts.st_mode) && facts.st_size <= SOURCE_MAX &&
                      file_read(&ignored, s->arena, path, &text, &size);
    diagnostics_close(&ignored);
    if (good) {
        for (size_t at = 0; at <= size; at++) {
            if (at && text[at - 1] != '\n') continue;
            begins = arena_grow(s->arena, begins, lines, &capacity, sizeof *begins);
            begins[lines++] = at;
        }
        begins = arena_grow(s->arena, begins, lines, &capacity, sizeof *begins);
        begins[lines] = size;
        source = arena_new(s->arena, ReportSource);
        *source = (ReportSource){(const char *)text, size, (uint32_t)lines, begins, NULL};
    }
    map_insert(&s->files, s->arena, path, (uint64_t)(uintptr_t)source);
    return source;
}

// The place below the root; path NULL: it is not there.
static ReportSpot find_source(ReportSources *s, const char *root, ReportPlace at) {
    ReportSpot spot = {.line = at.line, .column = at.column, .in_tree = true, .mapped = true};
    if (!at.file || !*at.file || !at.line) return (ReportSpot){0};
    const char *path = real_path(s->arena, at.file);
    spot.path = is_file(at.file) ? below(root, path) : NULL;
    if (!spot.path) spot.path = find_by_end(s, root, at.file);
    if (!spot.path) return (ReportSpot){0};
    spot.source = read_source(s, arena_format(s->arena, "%s/%s", root, spot.path));
    // It is another file, or has changed since the kernel was compiled.
    if (spot.source && at.line > spot.source->lines) return (ReportSpot){0};
    return spot;
}

ReportSpot report_spot(ReportSources *s, const char *case_file, ReportPlace at) {
    const char *root = root_of(s, case_file);
    ReportSpot spot = find_source(s, root, at);
    if (spot.path) return spot;
    const char *path = real_path(s->arena, case_file), *folder = real_path(s->arena, folder_of(s->arena, case_file)),
               *slash = strrchr(case_file, '/');
    if (!path && folder) path = arena_format(s->arena, "%s/%s", folder, slash ? slash + 1 : case_file); // it is missing
    const char *rest = below(root, path);
    spot = (ReportSpot){.path = rest   ? rest
                                : path ? path
                                       : arena_keep(s->arena, case_file),
                        .line = 1,
                        .in_tree = rest || *case_file != '/'};
    if (path) spot.source = read_source(s, path);
    return spot;
}

// ---- lines ----------------------------------------------------------------------------------------------------------

// The next UTF-16 unit, as a reader of UTF-8 sees it. `*half`: the second half of a pair that is due; 0: none.
static uint16_t next_unit(const ReportSource *source, size_t *at, uint16_t *half) {
    const uint8_t *text = (const uint8_t *)source->text + *at;
    const size_t left = source->size - *at;
    const unsigned length = *text < 0x80 ? 1 : *text >> 5 == 6 ? 2 : *text >> 4 == 14 ? 3 : *text >> 3 == 30 ? 4 : 0;
    uint32_t code = length == 1 ? *text : length ? *text & (0x7fu >> length) : 0;
    bool good = length && length <= left;
    if (*half) {
        const uint16_t unit = *half;
        *half = 0;
        return unit;
    }
    for (unsigned i = 1; good && i < length; i++) {
        good = text[i] >> 6 == 2;
        code = code << 6 | (text[i] & 0x3f);
    }
    *at += good ? length : 1;
    if (!good) return 0xfffd;
    if (code < 0x10000) return (uint16_t)code;
    *half = (uint16_t)(0xdc00 | ((code - 0x10000) & 0x3ff));
    return (uint16_t)(0xd800 | ((code - 0x10000) >> 10));
}

// All characters but blanks, line ends as \n, and 65535 at the end; where each line begins among them.
static size_t strip(const ReportSource *source, uint16_t *units, size_t *begins) {
    size_t count = 0, lines = 0;
    uint16_t half = 0;
    bool begin = true, after_return = false;
    for (size_t at = 0; at < source->size || half;) {
        uint16_t unit = next_unit(source, &at, &half);
        const bool skipped = unit == ' ' || unit == '\t' || (after_return && unit == '\n');
        after_return = !skipped && unit == '\r';
        if (skipped) continue;
        if (begin) begins[lines++] = count;
        if (unit == '\r') unit = '\n';
        begin = unit == '\n';
        units[count++] = unit;
    }
    if (begin) begins[lines++] = count;
    units[count++] = 0xffff;
    return lines;
}

static void hash_lines(Arena *arena, ReportSource *source) {
    Arena scratch = {0};
    uint16_t *units = arena_array(&scratch, uint16_t, source->size + 1 + HASHED);
    size_t *begins = arena_array(&scratch, size_t, source->size + 2);
    const size_t lines = strip(source, units, begins);
    source->hashes = arena_array(arena, uint64_t, (lines > source->lines ? lines : source->lines) + 1);
    for (size_t line = 0; line < lines && line < source->lines; line++) {
        uint64_t hash = 0;
        for (int i = 0; i < HASHED; i++) hash = hash * 37 + units[begins[line] + (size_t)i];
        source->hashes[line] = hash;
    }
    arena_reset(&scratch);
}

bool report_line_hash(ReportSources *s, const ReportSpot *spot, char *text) {
    if (!spot->source || !spot->line) return false;
    ReportSource *source = spot->source;
    if (!source->hashes) hash_lines(s->arena, source);
    const uint64_t hash = source->hashes[spot->line - 1];
    unsigned number = 0;
    for (uint32_t line = 0; line < spot->line; line++) number += source->hashes[line] == hash;
    snprintf(text, REPORT_HASH_SIZE, "%llx:%u", (unsigned long long)hash, number);
    return true;
}

typedef struct Line {
    const char *text;
    size_t length;
} Line;

static Line line_of(const ReportSource *source, uint32_t line) {
    size_t from = source->begins[line - 1], to = source->begins[line];
    while (from < to && strchr(" \t\r\n", source->text[to - 1])) to--;
    while (from < to && strchr(" \t\r", source->text[from])) from++;
    return (Line){source->text + from, to - from};
}

bool report_line_text(const ReportSources *s, const ReportSpot *spot, const char **text, uint32_t *number) {
    if (!spot->source || !spot->line) return false;
    const Line own = line_of(spot->source, spot->line);
    *text = arena_text(s->arena, own.text, own.length);
    *number = 0;
    for (uint32_t line = 1; line <= spot->line; line++) {
        const Line other = line_of(spot->source, line);
        *number += other.length == own.length && !memcmp(other.text, own.text, own.length);
    }
    return true;
}

size_t report_line(const struct ReportSource *source, uint32_t line, const char **text) {
    *text = NULL;
    if (!line || line > source->lines) return 0;
    size_t from = source->begins[line - 1], to = source->begins[line];
    while (from < to && strchr("\r\n", source->text[to - 1])) to--;
    *text = source->text + from;
    return to - from;
}

const char *report_source_text(const ReportSource *source, size_t *size) {
    *size = source->size;
    return source->text;
}
