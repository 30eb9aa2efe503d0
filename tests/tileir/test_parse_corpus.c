// SPDX-License-Identifier: Apache-2.0
// Every text of print/ (NVIDIA's disassembler wrote them, with -g those that end with .g.txt) parses, verifies and
// prints as it was; damaged, it gives a module or one diagnostic.
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

static size_t for_each_text(void (*visit)(const char *path)) {
    size_t count = 0;
    DIR *folder = opendir(CORPUS);
    cr_assert(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!ends_with_text(entry->d_name, ".txt") || !strcmp(entry->d_name, "ftof_roundings.txt")) continue;
        char *path = NULL;
        cr_assert_gt(asprintf(&path, CORPUS "/%s", entry->d_name), 0);
        visit(path);
        free(path);
        count++;
    }
    closedir(folder);
    return count;
}

Test(parse_corpus, prints_what_it_parsed) {
    size_t count = for_each_text(round_trip);
    cr_assert_geq(count, 80, "%zu files", count);
}

// ---- damage ---------------------------------------------------------------------------------------------------------

static uint32_t next_random(uint64_t *state, size_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % below);
}

// Cuts, doubles or overwrites a piece, or puts a token where it does not belong. Returns the new size; the text has
// room for 64 more bytes.
static size_t damage(char *text, size_t size, uint64_t *state) {
    static const char *const tokens[] = {"tile<", "%0", "#loc", "loc(", "{", "}", "({", ")",       ">",     ":",
                                         "->",    "\"", "4x",   "?",    "-", "[", "^b", "unknown", "token", "0x7F"};
    size_t at = next_random(state, size), length = 1 + next_random(state, 30);
    if (length > size - at) length = size - at;
    const char *token = tokens[next_random(state, BASE_COUNT(tokens))];
    switch (next_random(state, 4)) {
    case 0: memmove(text + at, text + at + length, size - at - length); return size - length;
    case 1: memmove(text + at + length, text + at, size - at); return size + length;
    case 2: text[at] = (char)next_random(state, 256); return size;
    default:
        memmove(text + at + strlen(token), text + at, size - at);
        memcpy(text + at, token, strlen(token));
        return size + strlen(token);
    }
}

static void damage_text(const char *path) {
    enum { ROUNDS = 60, SIZE_MAX_DAMAGED = 20000 };
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    uint8_t *text;
    size_t size;
    cr_assert(file_read(&diagnostics, &arena, path, &text, &size), "%s", path);
    if (size > SIZE_MAX_DAMAGED) size = SIZE_MAX_DAMAGED;
    uint64_t state = size;
    for (int round = 0; round < ROUNDS && size; round++) {
        Diagnostics found = {0};
        char *copy = malloc(size + 64); // of its own, so that a sanitizer sees what is read behind it
        memcpy(copy, text, size);
        size_t damaged = damage(copy, size, &state);
        TirModule *module = tir_parse_text(&found, path, copy, damaged);
        cr_assert(module ? !found.count : found.count == 1, "%s: %zu diagnostics", path, found.count);
        free(copy);
        if (module) {
            Buffer printed = {0};
            tir_verify(&found, module);
            tir_print(module, true, &printed);
            buffer_free(&printed);
        }
        tir_module_close(module);
        diagnostics_close(&found);
    }
    arena_reset(&arena);
    diagnostics_close(&diagnostics);
}

Test(parse_corpus, damaged_texts_do_no_harm, .timeout = 300) {
    for_each_text(damage_text);
}
