// SPDX-License-Identifier: Apache-2.0
// Every bytecode file of the repository is read and written back byte for byte, and what another version can say too is
// the same module there.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 4000 };
typedef struct FileList {
    char *paths[FILES_MAX];
    size_t count;
} FileList;

static FileList *list_being_filled; // nftw takes no context

static int add_path(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status, (void)walk;
    size_t length = strlen(path);
    if (kind != FTW_F || length < 9 || strcmp(path + length - 9, ".tileirbc")) return 0;
    cr_assert_lt(list_being_filled->count, FILES_MAX);
    list_being_filled->paths[list_being_filled->count++] = strdup(path);
    return 0;
}

// Every bytecode file below these folders but those that are bad on purpose.
static FileList *corpus(void) {
    static const char *const folders[] = {"examples", "tests/cases", "tests/tileir", "tests/triton",
                                          "verdicts", "bench",       "docs"};
    FileList *files = calloc(1, sizeof *files);
    list_being_filled = files;
    for (size_t i = 0; i < BASE_COUNT(folders); i++) {
        char path[1024];
        snprintf(path, sizeof path, SOURCE_DIR "/%s", folders[i]);
        nftw(path, add_path, 16, FTW_PHYS);
    }
    return files;
}

static void close_corpus(FileList *files) {
    for (size_t i = 0; i < files->count; i++) free(files->paths[i]);
    free(files);
}

Test(write_corpus, gives_back_every_file, .timeout = 120) {
    FileList *files = corpus();
    for (size_t i = 0; i < files->count; i++) {
        Diagnostics diagnostics = {0};
        Arena arena = {0};
        Buffer out = {0};
        uint8_t *data;
        size_t size, at = 0;
        cr_assert(file_read(&diagnostics, &arena, files->paths[i], &data, &size));
        TirModule *module = tir_read_bytecode(&diagnostics, files->paths[i], data, size);
        cr_assert(module, "%s: %s", files->paths[i], diagnostics.items[0].message);
        cr_assert(tir_write_bytecode(&diagnostics, module, module->version, &out), "%s: %s", files->paths[i],
                  diagnostics.items[0].message);
        while (at < size && at < out.size && (uint8_t)out.data[at] == data[at]) at++;
        cr_expect(at == size && at == out.size, "%s: differs at byte %zu of %zu, %zu are written", files->paths[i], at,
                  size, out.size);
        tir_module_close(module);
        buffer_free(&out);
        arena_reset(&arena);
        diagnostics_close(&diagnostics);
    }
    cr_assert_geq(files->count, 800);
    close_corpus(files);
}

// ---- other versions -------------------------------------------------------------------------------------------------

typedef struct Tally {
    size_t written, refused;
} Tally;

static TirModule *read_verified(const char *what, const Buffer *bytes) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_bytecode(&diagnostics, what, (const uint8_t *)bytes->data, bytes->size);
    cr_assert(module && tir_verify(&diagnostics, module), "%s: what is written is refused: %s", what,
              diagnostics.items[0].message);
    diagnostics_close(&diagnostics);
    return module;
}

static char *text_of(const TirModule *module) {
    Buffer text = {0};
    tir_print(module, true, &text);
    return text.data;
}

// The module in `version`: the same text and, read again, the same bytes; or refused for one thing that is too new.
static void convert(const TirModule *module, const char *text, uint16_t version, Tally *tally) {
    Diagnostics diagnostics = {0};
    Buffer out = {0}, again = {0};
    if (!tir_write_bytecode(&diagnostics, module, version, &out)) {
        cr_assert(diagnostics.count == 1 && diagnostics.items[0].code == E_VERSION && version < module->version);
        cr_assert(strstr(diagnostics.items[0].message, "needs version 13."), "%s", diagnostics.items[0].message);
        cr_assert(diagnostics.items[0].at.file);
        cr_assert_eq(out.size, 0);
        tally->refused++;
        diagnostics_close(&diagnostics);
        return;
    }
    TirModule *other = read_verified(module->path, &out);
    cr_assert_eq(other->version, version);
    cr_assert(tir_write_bytecode(&diagnostics, other, version, &again));
    cr_assert(again.size == out.size && !memcmp(again.data, out.data, out.size), "%s as %u", module->path, version);
    char *other_text = text_of(other);
    // The producer is not written before 13.3.
    if (module->producer && version < 1303) text = strchr(text, '\n') + 1;
    cr_assert_str_eq(other_text, text, "%s as %u", module->path, version);
    free(other_text);
    tally->written++;
    tir_module_close(other);
    buffer_free(&out);
    buffer_free(&again);
    diagnostics_close(&diagnostics);
}

// Of every `stride`-th file.
static void convert_corpus(size_t stride) {
    FileList *files = corpus();
    Tally tally = {0};
    for (size_t i = 0; i < files->count; i += stride) {
        Diagnostics diagnostics = {0};
        TirModule *module = tir_read_file(&diagnostics, files->paths[i]);
        cr_assert(module && tir_verify(&diagnostics, module));
        char *text = text_of(module);
        for (uint16_t version = TIR_VERSION_MIN; version <= TIR_VERSION_MAX; version++)
            if (version != module->version) convert(module, text, version, &tally);
        free(text);
        tir_module_close(module);
        diagnostics_close(&diagnostics);
    }
    cr_log_info("%zu written, %zu refused", tally.written, tally.refused);
    cr_assert(tally.written > 2 * files->count / stride && tally.refused > 50 / stride);
    close_corpus(files);
}

Test(write_corpus, other_versions_say_the_same, .timeout = 300) {
    convert_corpus(5);
}
Test(write_corpus, other_versions_of_all, .timeout = 300) {
    convert_corpus(1);
}
