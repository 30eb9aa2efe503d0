// SPDX-License-Identifier: Apache-2.0
// Reads texts of Triton IR, and translates nothing.
//   read_ttgir FILE...          every one must be read
//   read_ttgir --refused FILE   rows of what must be refused: a line "=== LINE:COLUMN: MESSAGE", which the message has
//   to
//                               contain, and the text below it. If the text is indented, it is the body of a function
//                               of an i32 %x and an i1 %p, and its first line is line 3; #line and #smem are a layout
//                               and memory.
#include "compiler/triton/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check_text(Diagnostics *diagnostics, const char *path, const char *text, size_t size) {
    TirModule *module = tir_module_open(path);
    TriReader reader = {.base = {.diagnostics = diagnostics, .module = module, .text = text, .end = text + size}};
    const bool ok = tri_parse_module(&reader.base);
    arena_reset(&reader.base.scratch);
    tir_module_close(module);
    return ok;
}

static bool read_file(const char *path) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    uint8_t *text;
    size_t size;
    bool good = file_read(&diagnostics, &arena, path, &text, &size);
    if (good && !tri_front_end.recognises(path, text, size)) {
        printf("%s: it is not taken for Triton's\n", path);
        good = false;
    }
    good = good && check_text(&diagnostics, path, (const char *)text, size);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return good;
}

// One row: `expected` is what stands behind ===.
static bool check_row(const char *expected, const char *text, size_t size) {
    Buffer whole = {0}, found = {0};
    Diagnostics diagnostics = {0};
    const bool body = size && *text == ' ';
    if (body)
        buffer_print(&whole, "#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}> "
                             "#smem = #ttg.shared_memory module {\ntt.func public @k(%%x: i32, %%p: i1) {\n");
    buffer_append(&whole, text, size);
    if (body) buffer_print(&whole, "tt.return\n}}\n");
    // Of just that size, so that a sanitizer sees what is read behind it.
    char *copy = malloc(whole.size + !whole.size);
    if (!copy) abort();
    memcpy(copy, whole.data, whole.size);
    const bool taken = tri_front_end.recognises("row", (const uint8_t *)copy, whole.size);
    if (!check_text(&diagnostics, "row", copy, whole.size) && diagnostics.count == 1)
        buffer_print(&found, "%u:%u: %s", diagnostics.items[0].at.line, diagnostics.items[0].at.column,
                     diagnostics.items[0].message);
    else
        buffer_print(&found, "it was read, or there are %zu messages", diagnostics.count);
    const bool good = taken && strstr(found.data, expected);
    if (!taken) printf("not taken for Triton's: %.*s\n", (int)size, text);
    if (taken && !good) printf("expected %s\n  found  %s\n", expected, found.data);
    free(copy);
    buffer_free(&whole);
    buffer_free(&found);
    diagnostics_close(&diagnostics);
    return good;
}

static bool check_refused(const char *path) {
    static const char mark[] = "=== ";
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    uint8_t *text;
    size_t size, rows = 0, failed = 0;
    if (!file_read(&diagnostics, &arena, path, &text, &size)) {
        diagnostics_print(&diagnostics);
        return false;
    }
    const char *all = arena_text(&arena, (const char *)text, size);
    for (const char *at = strstr(all, mark); at;) {
        const char *line = at + sizeof mark - 1, *end = line + strcspn(line, "\n"), *next = strstr(end, mark);
        const char *from = *end ? end + 1 : end, *stop = next ? next : all + size;
        failed += !check_row(arena_text(&arena, line, (size_t)(end - line)), from, (size_t)(stop - from));
        rows++;
        at = next;
    }
    printf("%zu rows, %zu of them wrong\n", rows, failed);
    arena_reset(&arena);
    return rows && !failed;
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc == 3 && !strcmp(argv[1], "--refused")) return !check_refused(argv[2]);
    for (int i = 1; i < argc; i++) failed += !read_file(argv[i]);
    printf("%d texts, %d of them not read\n", argc - 1, failed);
    return failed || argc < 2;
}
