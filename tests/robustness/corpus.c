// SPDX-License-Identifier: Apache-2.0
// What is changed: bytecode files, and what cases say about running them.
#include "tests/robustness/robustness.h"

#include <stdlib.h>
#include <string.h>

enum { LAUNCH_BYTES_MAX = 1 << 20 }; // of buffers; larger cases run on made-up buffers

static CorpusFile *add_file(Corpus *corpus, Diagnostics *diagnostics, const char *path) {
    CorpusFile file = {.path = arena_text(&corpus->arena, path, strlen(path))};
    if (!file_read(diagnostics, &corpus->arena, path, &file.bytes, &file.size)) return NULL;
    corpus->files = arena_grow(&corpus->arena, corpus->files, corpus->count, &corpus->capacity, sizeof *corpus->files);
    corpus->files[corpus->count] = file;
    return &corpus->files[corpus->count++];
}

static bool copy_buffers(Corpus *corpus, Diagnostics *diagnostics, const FpdCase *cas, CorpusLaunch *launch) {
    uint64_t total = 0;
    for (uint32_t b = 0; b < cas->buffer_count; b++) total += cas->buffers[b].bytes;
    if (total > LAUNCH_BYTES_MAX || cas->buffer_count > RUN_BUFFERS_MAX) return false;
    launch->buffer_count = cas->buffer_count;
    launch->buffers = arena_array(&corpus->arena, CorpusBuffer, cas->buffer_count);
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        const FpdBuffer *buffer = &cas->buffers[b];
        launch->buffers[b] = (CorpusBuffer){buffer->type, buffer->bytes, arena_alloc(&corpus->arena, buffer->bytes)};
        if (!fpd_fill_buffer(diagnostics, buffer, cas->seed, 1, launch->buffers[b].bytes)) return false;
    }
    return true;
}

static CorpusLaunch *copy_launch(Corpus *corpus, Diagnostics *diagnostics, const FpdPrograms *programs,
                                 const FpdLaunch *given, const FpdResolvedLaunch *resolved) {
    CorpusLaunch *launch = arena_new(&corpus->arena, CorpusLaunch);
    const char *symbol = resolved->entry->name;
    const uint32_t count = resolved->entry->parameter_count;
    *launch = (CorpusLaunch){.kernel = arena_text(&corpus->arena, symbol, strlen(symbol)), .argument_count = count};
    memcpy(launch->grid, given->grid, sizeof launch->grid);
    launch->arguments = arena_array(&corpus->arena, CorpusArgument, count);
    for (uint32_t a = 0; a < count; a++) {
        const FpdValue *value = &resolved->values[a];
        launch->arguments[a] = (CorpusArgument){value->pointer, value->buffer, value->bits};
    }
    return copy_buffers(corpus, diagnostics, programs->cas, launch) ? launch : NULL;
}

static CorpusFile *known_file(Corpus *corpus, const char *path) {
    for (size_t i = 0; i < corpus->count; i++)
        if (!strcmp(corpus->files[i].path, path)) return &corpus->files[i];
    return NULL;
}

// The path without "..", so that a file is taken once; `path` itself if there is no such file.
static const char *plain_path(Arena *arena, const char *path) {
    char *whole = realpath(path, NULL);
    const char *copy = whole ? arena_text(arena, whole, strlen(whole)) : path;
    free(whole);
    return copy;
}

static bool add_case(Corpus *corpus, Diagnostics *diagnostics, Arena *arena, const char *path) {
    FpdCase *cas = fpd_load_case(diagnostics, arena, path);
    FpdPrograms *programs = cas ? fpd_load_programs(diagnostics, arena, cas) : NULL;
    for (uint32_t v = 0; programs && v < cas->variant_count; v++)
        for (uint32_t l = 0; l < cas->variants[v].launch_count; l++) {
            const FpdResolvedLaunch *resolved = &programs->launches[v][l];
            const char *module = plain_path(arena, programs->modules[resolved->module].path);
            if (known_file(corpus, module)) continue;
            CorpusFile *file = add_file(corpus, diagnostics, module);
            if (file)
                file->launch = copy_launch(corpus, diagnostics, programs, &cas->variants[v].launches[l], resolved);
        }
    fpd_programs_close(programs);
    return programs;
}

bool corpus_add(Corpus *corpus, const char *path) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    size_t length = strlen(path);
    bool is_case = length > 5 && !strcmp(path + length - 5, ".yaml");
    bool good = is_case ? add_case(corpus, &diagnostics, &arena, path)
                        : known_file(corpus, plain_path(&arena, path)) ||
                              add_file(corpus, &diagnostics, plain_path(&arena, path));
    if (!good) diagnostics_print(&diagnostics);
    arena_reset(&arena);
    diagnostics_close(&diagnostics);
    return good;
}
