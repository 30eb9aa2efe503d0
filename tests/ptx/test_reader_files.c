// SPDX-License-Identifier: Apache-2.0
// Whole files: those of the corpus are read, printed and read again as the same list; those of bad/ are refused.
#include "tests/ptx/compare_ptx.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Paths {
    Arena arena;
    const char **items;
    size_t count, capacity;
} Paths;

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && !strcmp(text + length - wanted, end);
}

static void find_files(Paths *paths, const char *folder) {
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (*entry->d_name == '.') continue;
        const char *path = arena_format(&paths->arena, "%s/%s", folder, entry->d_name);
        if (ends_with(path, ".ptx")) {
            paths->items =
                arena_grow(&paths->arena, paths->items, paths->count, &paths->capacity, sizeof *paths->items);
            paths->items[paths->count++] = path;
        } else {
            find_files(paths, path); // a folder, or nothing comes of it
        }
    }
    if (open) closedir(open);
}

static PtxModule *read_file(Diagnostics *diagnostics, Arena *arena, const char *path, const char **text) {
    uint8_t *bytes;
    size_t size;
    if (!file_read(diagnostics, arena, path, &bytes, &size)) return NULL;
    *text = (const char *)bytes;
    return ptx_read(diagnostics, path, *text, size);
}

// ---- good files

static void check_file(const char *path) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    const char *text = NULL;
    PtxModule *module = read_file(&diagnostics, &arena, path, &text);
    cr_expect(module, "%s: %s", path, diagnostics.count ? diagnostics.items[0].message : "?");
    const char *problem = module ? ptx_round_trip(&arena, module) : NULL;
    cr_expect_null(problem, "%s: %s", path, problem);
    ptx_module_close(module);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
}

static void check_folder(const char *folder, size_t least) {
    Paths paths = {0};
    find_files(&paths, folder);
    for (size_t i = 0; i < paths.count; i++) check_file(paths.items[i]);
    cr_expect_geq(paths.count, least, "%zu files in %s", paths.count, folder);
    arena_reset(&paths.arena);
}

Test(ptx_files, corpus) {
    check_folder(BINARY_DIR "/tests/ptx/corpus", 80);
}

Test(ptx_files, cases_of_the_oracle) {
    check_folder(BINARY_DIR "/tests/ptx/oracle", 20);
}

// What nvcc and clang made, where CUDA is; else there are none.
Test(ptx_files, cuda) {
    check_folder(BINARY_DIR "/tests/ptx/cuda", 0);
}

Test(ptx_files, good) {
    check_folder(SOURCE_DIR "/tests/ptx/good", 1);
}

// ---- bad files: the first line says what is expected: "// error LINE CODE: part of the message"

static void check_refused(const char *path) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    const char *text = NULL;
    unsigned line = 0;
    char code[32] = "", wanted[256] = "";
    PtxModule *module = read_file(&diagnostics, &arena, path, &text);
    cr_expect_null(module, "%s is accepted", path);
    const bool said = text && sscanf(text, "// error %u %31[A-Z]: %255[^\n]", &line, code, wanted) == 3;
    cr_expect(said, "%s does not say what is expected", path);
    if (said && diagnostics.count) {
        const Diagnostic *item = &diagnostics.items[0];
        cr_expect_eq(item->at.line, line, "%s: line %u, not %u: %s", path, item->at.line, line, item->message);
        cr_expect_str_eq(error_name(item->code), code, "%s: %s: %s", path, error_name(item->code), item->message);
        cr_expect(strstr(item->message, wanted), "%s: '%s'", path, item->message);
        cr_expect_str_eq(item->at.file, path);
    }
    cr_expect_eq(diagnostics.count, 1, "%s: %zu errors", path, diagnostics.count);
    ptx_module_close(module);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
}

Test(ptx_files, bad) {
    Paths paths = {0};
    find_files(&paths, SOURCE_DIR "/tests/ptx/bad");
    for (size_t i = 0; i < paths.count; i++) check_refused(paths.items[i]);
    cr_expect_geq(paths.count, 50);
    arena_reset(&paths.arena);
}
