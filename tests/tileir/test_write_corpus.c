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
