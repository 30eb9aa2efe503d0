// SPDX-License-Identifier: Apache-2.0
// The files of a folder by their ending.
#include "tests/conformance/corpus.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static bool text_ends_with(const char *text, const char *end) {
    size_t length = strlen(text), wanted = strlen(end);
    return length > wanted && !strcmp(text + length - wanted, end);
}

char **list_files(Arena *arena, const char *folder, const char *suffix, size_t *count) {
    struct dirent **entries;
    int found = scandir(folder, &entries, NULL, alphasort);
    *count = 0;
    if (found < 0) return NULL;
    char **names = arena_array(arena, char *, (size_t)found + 1);
    for (int i = 0; i < found; i++) {
        const char *name = entries[i]->d_name;
        if (text_ends_with(name, suffix)) names[(*count)++] = arena_text(arena, name, strlen(name));
        free(entries[i]);
    }
    free(entries);
    return names;
}
