// SPDX-License-Identifier: Apache-2.0
// What ptxas says to PTX that was read and printed: ptx_assembled [--part=I/N] FILE|FOLDER...
// Each file that ptxas assembles as it is has to be assembled as it is printed, with and without lines; and what is
// printed has to be read as the same list. A file whose version, target or features this ptxas does not know is counted
// only. PTXAS in the environment: the program, else that of the CUDA toolkit. Exit status 77: there is none.
#include "compiler/compiler.h"
#include "tests/ptx/compare_ptx.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { MISSING = 77 };

typedef struct Check {
    const char *ptxas, *file; // file: where printed text is written
    unsigned part, parts, number, assembled, unknown, failed;
} Check;

static bool assemble(const Check *check, const PtxModule *module, const char *path) {
    char target[32];
    snprintf(target, sizeof target, "-arch=sm_%u%.1s", module->sm, &module->suffix);
    char *const words[] = {(char *)check->ptxas, target, "-O0", "-o", "/dev/null", (char *)path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child;
    int status = -1;
    const bool started = !posix_spawnp(&child, check->ptxas, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return started && waitpid(child, &status, 0) == child && !status;
}

static bool assemble_printed(const Check *check, const PtxModule *module, bool places) {
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    ptx_print(module, places, &text);
    const bool good =
        file_write(&diagnostics, check->file, text.data, text.size) && assemble(check, module, check->file);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    return good;
}

static void check_module(Check *check, const PtxModule *module, const char *path) {
    Arena arena = {0};
    const char *problem = ptx_round_trip(&arena, module);
    if (!problem && !assemble(check, module, path)) {
        check->unknown++;
    } else {
        for (int places = 0; !problem && places < 2; places++)
            if (!assemble_printed(check, module, places)) problem = "ptxas refuses what is printed";
        check->assembled += !problem;
    }
    if (problem) printf("%s: %s\n", path, problem);
    check->failed += problem != NULL;
    arena_reset(&arena);
}

static void check_file(Check *check, const char *path) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    uint8_t *text;
    size_t size;
    if (check->number++ % check->parts != check->part) return;
    PtxModule *module = file_read(&diagnostics, &arena, path, &text, &size)
                            ? ptx_read(&diagnostics, path, (const char *)text, size)
                            : NULL;
    if (module)
        check_module(check, module, path);
    else
        check->failed++;
    diagnostics_print(&diagnostics);
    ptx_module_close(module);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
}

static void check_path(Check *check, const char *path) {
    struct dirent **entries;
    const size_t length = strlen(path);
    if (length > 4 && !strcmp(path + length - 4, ".ptx")) {
        check_file(check, path);
        return;
    }
    const int count = scandir(path, &entries, NULL, alphasort); // -1: another file
    Arena arena = {0};
    for (int i = 0; i < count; i++) {
        if (*entries[i]->d_name != '.') check_path(check, arena_format(&arena, "%s/%s", path, entries[i]->d_name));
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    arena_reset(&arena);
}

static const char *find_ptxas(Arena *arena) {
    const char *given = getenv("PTXAS");
    return given && *given ? given : toolkit_find(arena, TOOLKIT_PTXAS);
}

int main(int count, char **texts) {
    Arena arena = {0};
    char file[] = "/tmp/printed-XXXXXX";
    Check check = {.ptxas = find_ptxas(&arena), .file = file, .parts = 1};
    int at = 1;
    if (at < count && !strncmp(texts[at], "--part=", 7) &&
        (sscanf(texts[at++] + 7, "%u/%u", &check.part, &check.parts) != 2 || !check.parts))
        return 2;
    const int open = check.ptxas ? mkstemp(file) : -1;
    if (open >= 0) {
        close(open);
        for (; at < count; at++) check_path(&check, texts[at]);
        unlink(file);
        printf("%s: %u files: %u assembled as printed, %u not known to it, %u failed\n", check.ptxas,
               check.assembled + check.unknown + check.failed, check.assembled, check.unknown, check.failed);
    } else {
        printf("there is no ptxas\n");
    }
    const int status = open < 0 ? MISSING : check.failed || !check.assembled;
    arena_reset(&arena);
    return status;
}
