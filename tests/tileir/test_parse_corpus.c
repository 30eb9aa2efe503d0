// SPDX-License-Identifier: Apache-2.0
// Every text of print/ (NVIDIA's disassembler wrote them, with -g those that end with .g.txt) parses, verifies and
// prints as it was.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORPUS SOURCE_DIR "/tests/tileir/print"

static bool ends_with_text(const char *text, const char *end) {
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && !strcmp(text + length - wanted, end);
}

static void expect_same_text(const char *path, const char *text, size_t size, const Buffer *printed) {
    size_t at = 0, line = 1, begin = 0;
    while (at < size && at < printed->size && text[at] == printed->data[at]) at++;
    if (at == size && at == printed->size) return;
    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n') line++, begin = i + 1;
    cr_assert_fail("%s line %zu:\n  printed  %.200s\n  expected %.200s", path, line, printed->data + begin,
                   text + begin);
}

static void round_trip(const char *path) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    Buffer printed = {0};
    uint8_t *text;
    size_t size;
    cr_assert(file_read(&diagnostics, &arena, path, &text, &size), "%s", path);
    TirModule *module = tir_parse_text(&diagnostics, path, (const char *)text, size);
    bool valid = module && tir_verify(&diagnostics, module);
    const Diagnostic *first = diagnostics.items;
    cr_assert(valid && !diagnostics.count, "%s:%u:%u: %s", path, diagnostics.count ? first->at.line : 0,
              diagnostics.count ? first->at.column : 0, diagnostics.count ? first->message : "no diagnostic");
    tir_print(module, ends_with_text(path, ".g.txt"), &printed);
    expect_same_text(path, (const char *)text, size, &printed);
    buffer_free(&printed);
    tir_module_close(module);
    arena_reset(&arena);
    diagnostics_close(&diagnostics);
}

Test(parse_corpus, prints_what_it_parsed) {
    size_t count = 0;
    DIR *folder = opendir(CORPUS);
    cr_assert(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!ends_with_text(entry->d_name, ".txt") || !strcmp(entry->d_name, "ftof_roundings.txt")) continue;
        char *path = NULL;
        cr_assert_gt(asprintf(&path, CORPUS "/%s", entry->d_name), 0);
        round_trip(path);
        free(path);
        count++;
    }
    closedir(folder);
    cr_assert_geq(count, 60, "%zu files", count);
}
