// SPDX-License-Identifier: Apache-2.0
// Where CUDA is: a program or file of it, of the system or of Python packages. Folders are looked at; nothing is run.
#include "compiler/compiler.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A file of the toolkit: its place below the toolkit's folder, and below site-packages (a pattern of glob).
typedef struct ToolkitFile {
    const char *in_toolkit, *in_packages[2];
    bool is_program;
} ToolkitFile;

static const ToolkitFile *file_of(ToolkitFileId id) {
    static const ToolkitFile ptxas = {"bin/ptxas", {"nvidia/*/bin/ptxas", "triton/backends/nvidia/bin/ptxas"}, true},
                             libdevice = {"nvvm/libdevice/libdevice.10.bc",
                                          {"nvidia/*/nvvm/libdevice/libdevice.10.bc",
                                           "triton/backends/nvidia/lib/libdevice.10.bc"},
                                          false};
    switch (id) {
    case TOOLKIT_PTXAS: return &ptxas;
    case TOOLKIT_LIBDEVICE: break;
    }
    return &libdevice;
}

// Whether `path` is what is looked for.
static bool is_there(const ToolkitFile *file, const char *path) {
    char *resolved = realpath(path, NULL); // a folder of that name has a "." in it
    if (!resolved) return false;
    Buffer inside = {0};
    buffer_print(&inside, "%s/.", resolved);
    bool folder = !access(inside.data, F_OK);
    buffer_free(&inside);
    free(resolved);
    return !folder && !access(path, file->is_program ? X_OK : R_OK);
}

static char *in_toolkit(Arena *arena, const ToolkitFile *file, const char *toolkit) {
    if (!toolkit || !*toolkit) return NULL;
    char *path = arena_format(arena, "%s/%s", toolkit, file->in_toolkit);
    return is_there(file, path) ? path : NULL;
}

// The last match of a pattern below `folder`, which is taken as it is: of several versions the newest, as names go.
static char *by_pattern(Arena *arena, const ToolkitFile *file, const char *folder, const char *pattern) {
    Buffer escaped = {0};
    for (const char *at = folder; *at; at++) {
        if (strchr("*?[]\\", *at)) buffer_append(&escaped, "\\", 1);
        buffer_append(&escaped, at, 1);
    }
    buffer_print(&escaped, "/%s", pattern);
    glob_t found = {0};
    char *path = NULL;
    if (!glob(escaped.data, 0, NULL, &found))
        for (size_t i = found.gl_pathc; i-- && !path;)
            if (is_there(file, found.gl_pathv[i]))
                path = arena_text(arena, found.gl_pathv[i], strlen(found.gl_pathv[i]));
    globfree(&found);
    buffer_free(&escaped);
    return path;
}

// In the packages of the Python whose folder (of bin and lib) this is.
static char *in_python(Arena *arena, const ToolkitFile *file, const char *folder) {
    static const char *const packages[] = {"lib/python3*/site-packages", "lib/python3*/dist-packages",
                                           "lib/python3/dist-packages"};
    for (size_t k = 0; folder && *folder && k < BASE_COUNT(file->in_packages); k++)
        for (size_t i = 0; i < BASE_COUNT(packages); i++) {
            char *pattern = arena_format(arena, "%s/%s", packages[i], file->in_packages[k]);
            char *path = by_pattern(arena, file, folder, pattern);
            if (path) return path;
        }
    return NULL;
}

// The folder above the one that `path` is in; NULL for none.
static char *two_above(Arena *arena, const char *path) {
    char *copy = arena_text(arena, path, strlen(path));
    for (unsigned i = 0; i < 2; i++) {
        char *slash = strrchr(copy, '/');
        if (!slash) return NULL;
        *slash = 0;
    }
    return *copy ? copy : NULL;
}

// What a step of the search makes of a folder of PATH.
typedef char *PathStep(Arena *arena, const ToolkitFile *file, const char *folder);

static char *for_each_path(Arena *arena, const ToolkitFile *file, PathStep *step) {
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        char *path = length ? step(arena, file, arena_text(arena, at, length)) : NULL;
        if (path) return path;
        at += length + (at[length] == ':');
    }
    return NULL;
}

// The program itself; or the file of the toolkit whose ptxas is in the folder.
static char *beside_program(Arena *arena, const ToolkitFile *file, const char *folder) {
    char *program = arena_format(arena, "%s/ptxas", folder);
    if (!is_there(file_of(TOOLKIT_PTXAS), program)) return NULL;
    if (file->is_program) return program;
    char *resolved = realpath(program, NULL), *real = resolved ? two_above(arena, resolved) : NULL;
    free(resolved);
    char *toolkit = two_above(arena, program), *path = toolkit ? in_toolkit(arena, file, toolkit) : NULL;
    return path ? path : real ? in_toolkit(arena, file, real) : NULL;
}

// The packages of the first python3 of PATH (a virtual environment's is a link, whose own place counts), and of what it
// is a link to.
static char *beside_python(Arena *arena, const ToolkitFile *file, const char *folder) {
    char *python = arena_format(arena, "%s/python3", folder);
    if (access(python, X_OK)) return NULL;
    char *resolved = realpath(python, NULL), *real = resolved ? two_above(arena, resolved) : NULL;
    free(resolved);
    char *environment = two_above(arena, python), *path = environment ? in_python(arena, file, environment) : NULL;
    return path ? path : real ? in_python(arena, file, real) : NULL;
}

char *toolkit_search(Arena *arena, ToolkitFileId id, const char *const *system) {
    const ToolkitFile *file = file_of(id);
    char *path = in_toolkit(arena, file, getenv("CUDA_HOME"));
    if (!path) path = in_toolkit(arena, file, getenv("CUDA_PATH"));
    if (!path) path = for_each_path(arena, file, beside_program);
    for (; !path && *system; system++) path = in_toolkit(arena, file, *system);
    if (!path) path = in_python(arena, file, getenv("VIRTUAL_ENV"));
    return path ? path : for_each_path(arena, file, beside_python);
}

char *toolkit_find(Arena *arena, ToolkitFileId id) {
    static const char *const system[] = {"/usr/local/cuda", "/usr/lib/nvidia-cuda-toolkit", NULL};
    return toolkit_search(arena, id, system);
}
