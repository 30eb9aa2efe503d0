// SPDX-License-Identifier: Apache-2.0
// What files hold: hashes, by which reports of different files are told apart.
#include "diff/command.h"

#include <stdio.h>
#include <sys/stat.h>
#include <xxhash.h>

// What is no regular file is left alone: a pipe can be read once only.
const char *fpd_hash_file(Arena *arena, const char *path) {
    struct stat facts;
    char chunk[1 << 16];
    FILE *file = !stat(path, &facts) && S_ISREG(facts.st_mode) ? fopen(path, "rb") : NULL;
    if (!file) return NULL;
    XXH3_state_t *state = XXH3_createState();
    XXH3_64bits_reset(state);
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;) XXH3_64bits_update(state, chunk, got);
    const bool good = !ferror(file);
    const unsigned long long hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    fclose(file);
    return good ? arena_format(arena, "%016llx", hash) : NULL;
}

void fpd_json_add_hash(json_t *contents, const char *path, const char *hash) {
    json_t *name = fpd_json_text(path); // keys are UTF-8, too
    json_object_set_new(contents, json_string_value(name), fpd_json_text(hash));
    json_decref(name);
}

static void add_file(json_t *contents, const char *path) {
    Arena scratch = {0};
    if (!json_object_get(contents, path)) fpd_json_add_hash(contents, path, fpd_hash_file(&scratch, path));
    arena_reset(&scratch);
}

json_t *fpd_json_contents(const char *path, const FpdCase *cas) {
    json_t *contents = json_object();
    add_file(contents, path);
    for (uint32_t v = 0; cas && v < cas->variant_count; v++)
        for (uint32_t i = 0; i < cas->variants[v].launch_count; i++)
            add_file(contents, cas->variants[v].launches[i].path);
    for (uint32_t b = 0; cas && b < cas->buffer_count; b++)
        if (cas->buffers[b].fill.kind == FPD_FILL_file) add_file(contents, cas->buffers[b].fill.file);
    return contents;
}
