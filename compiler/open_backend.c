// SPDX-License-Identifier: Apache-2.0
// Opens the LLVM half of the compiler, a shared module beside the program, and passes calls on to it.
#include "backend_interface.h"
#include "compiler/compiler.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct Compiler {
    void *handle;
    const CompilerBackend *backend;
};

#define BACKEND_FILE "libcongruent_backend.so"
// Where to look, in order: relative to the folder of the program or library that this code is in, then by the rules of
// the dynamic loader.
static const char *const backend_places[] = {"../lib/" BACKEND_FILE,           BACKEND_FILE,
                                             "../lib/congruent/" BACKEND_FILE, "congruent/" BACKEND_FILE,
                                             "../congruent/" BACKEND_FILE,     NULL};

// The folder of the program, or of the shared library that this code is in (api/).
static char *own_folder(Arena *arena) {
    char path[PATH_MAX];
    Dl_info found;
    struct link_map *map = NULL;
    if (dladdr1((const void *)&backend_places, &found, (void **)&map, RTLD_DL_LINKMAP) && map && *map->l_name) {
        if (!realpath(map->l_name, path)) return NULL;
    } else { // of the program the loader has no name
        const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
        if (length <= 0 || length == (ssize_t)sizeof path) return NULL;
        path[length] = 0;
    }
    return arena_text(arena, path, (size_t)(strrchr(path, '/') + 1 - path));
}

// The module stays mapped after the last close: LLVM's own threads-local and static data would not survive reopening,
// and a leak found at exit could not be named.
static void *open_module(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void *find_module(Arena *arena, const char **tried) {
    const char *folder = own_folder(arena);
    *tried = "";
    for (size_t i = 0; i < BASE_COUNT(backend_places); i++) {
        const char *place = backend_places[i];
        if (place && !folder) continue;
        char *path = place ? arena_format(arena, "%s%s", folder, place) : NULL;
        if (path && access(path, F_OK)) {
            *tried = arena_format(arena, "%s%s%s", *tried, **tried ? ", " : "", path);
            continue;
        }
        void *handle = open_module(path ? path : BACKEND_FILE);
        if (handle) return handle;
        *tried = arena_format(arena, "%s%s%s", *tried, **tried ? ", " : "", dlerror());
    }
    return NULL;
}

// ---- ahead of time --------------------------------------------------------------------------------------------------

// The loader takes 15 ms for LLVM. What fails here fails in compiler_open again, which reports it.
static struct {
    pthread_t thread;
    bool started;
} ahead;

static void *prepare(void *unused) {
    Arena arena = {0};
    const char *tried;
    (void)unused;
    void *handle = find_module(&arena, &tried);
    const CompilerBackend *backend = handle ? dlsym(handle, "congruent_backend") : NULL;
    if (backend && backend->interface == COMPILER_BACKEND_INTERFACE) backend->prepare();
    if (handle) dlclose(handle); // it stays mapped
    arena_reset(&arena);
    return NULL;
}

void compiler_prepare(void) {
    if (!ahead.started) ahead.started = !pthread_create(&ahead.thread, NULL, prepare, NULL);
}

void compiler_settle(void) {
    if (ahead.started) pthread_join(ahead.thread, NULL);
    ahead.started = false;
}

Compiler *compiler_open(Diagnostics *diagnostics) {
    Arena arena = {0};
    const char *tried;
    Compiler *compiler = NULL;
    void *handle = find_module(&arena, &tried);
    const CompilerBackend *backend = handle ? dlsym(handle, "congruent_backend") : NULL;
    if (!handle) {
        diag_fail(diagnostics, (Location){0}, E_BACKEND, "cannot open the compiler backend; looked at %s", tried);
    } else if (!backend || backend->interface != COMPILER_BACKEND_INTERFACE) {
        Dl_info found;
        diag_fail(diagnostics, (Location){0}, E_BACKEND,
                  "%s is of another version than this program: interface %08x, expected %08x",
                  backend && dladdr(backend, &found) ? found.dli_fname : BACKEND_FILE, backend ? backend->interface : 0,
                  COMPILER_BACKEND_INTERFACE);
        dlclose(handle);
    } else {
        compiler = malloc(sizeof *compiler);
        if (!compiler) abort(); // as arenas do
        *compiler = (Compiler){handle, backend};
    }
    arena_reset(&arena);
    return compiler;
}

// The first that is there, as find_module tries them; NULL: where the loader looks.
static const char *backend_path(Arena *arena) {
    const char *folder = own_folder(arena);
    for (size_t i = 0; folder && i < BASE_COUNT(backend_places); i++) {
        char *path = backend_places[i] ? arena_format(arena, "%s%s", folder, backend_places[i]) : NULL;
        if (path && !access(path, F_OK)) return path;
    }
    return NULL;
}

void compiler_print_tools(Buffer *out) {
    Arena arena = {0};
    const struct {
        const char *name, *path;
    } files[] = {{"backend", backend_path(&arena)},
                 {"ptxas", toolkit_find(&arena, TOOLKIT_PTXAS)},
                 {"libdevice", toolkit_find(&arena, TOOLKIT_LIBDEVICE)}};
    for (size_t i = 0; i < BASE_COUNT(files); i++) {
        struct stat status;
        if (files[i].path && !stat(files[i].path, &status))
            buffer_print(out, "%s: %s, %lld bytes of %lld.%09ld\n", files[i].name, files[i].path,
                         (long long)status.st_size, (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
        else
            buffer_print(out, "%s: not found\n", files[i].name);
    }
    arena_reset(&arena);
}

void compiler_close(Compiler *compiler) {
    if (!compiler) return;
    dlclose(compiler->handle);
    free(compiler);
}

const char *compiler_llvm_version(const Compiler *compiler) {
    return compiler->backend->llvm_version();
}
const char *compiler_host_cpu(const Compiler *compiler) {
    return compiler->backend->host_cpu();
}
void compiler_toolchain(const Compiler *compiler, bool for_gpu, Buffer *out) {
    compiler->backend->toolchain(for_gpu, out);
}

bool compiler_emit(Compiler *compiler, Diagnostics *diagnostics, const Program *program, const CompileOptions *options,
                   CompileOutput output, Buffer *out) {
    return compiler->backend->emit(diagnostics, program, options, output, out);
}

CompiledModule *compiler_load(Compiler *compiler, Diagnostics *diagnostics, const Program *program,
                              const CompileOptions *options) {
    return compiler->backend->load(diagnostics, program, options);
}

void compiled_module_close(Compiler *compiler, CompiledModule *module) {
    if (module) compiler->backend->unload(module);
}

bool compiler_make(Compiler *compiler, Diagnostics *diagnostics, const Program *program, const CompileOptions *options,
                   Buffer *out) {
    return compiler->backend->make(diagnostics, program, options, out);
}

CompiledModule *compiler_load_made(Compiler *compiler, Diagnostics *diagnostics, const void *bytes, size_t size) {
    return compiler->backend->load_made(diagnostics, bytes, size);
}
