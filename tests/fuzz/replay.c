// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target on files, for compilers without libFuzzer: replay_TARGET FILE|FOLDER...
// Of a folder every file is taken. Each name is printed first; what is wrong ends the process.
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool replay_file(const char *path) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    uint8_t *data;
    size_t size;
    bool good = file_read(&diagnostics, &arena, path, &data, &size);
    if (good) {
        // In memory of just that size, so that a sanitizer sees what is read behind it.
        uint8_t *copy = malloc(size ? size : 1);
        if (!copy) abort();
        memcpy(copy, data, size);
        printf("%s\n", path);
        fflush(stdout);
        LLVMFuzzerTestOneInput(copy, size);
        free(copy);
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return good;
}

static bool replay_folder(const char *path, size_t *count) {
    struct dirent **entries;
    Arena arena = {0};
    int found = scandir(path, &entries, NULL, alphasort);
    bool good = found >= 0;
    for (int i = 0; i < found; i++) {
        const char *name = entries[i]->d_name;
        if (good && *name != '.') {
            good = replay_file(arena_format(&arena, "%s/%s", path, name));
            ++*count;
        }
        free(entries[i]);
    }
    if (found >= 0) free(entries);
    arena_reset(&arena);
    return good;
}

int main(int argc, char **argv) {
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        bool folder = !stat(argv[i], &status) && S_ISDIR(status.st_mode);
        if (!(folder ? replay_folder(argv[i], &count) : replay_file(argv[i]))) return 1;
        count += !folder;
    }
    printf("%zu files\n", count);
    return !count; // nothing to replay is a mistake
}
