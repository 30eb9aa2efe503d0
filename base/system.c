// SPDX-License-Identifier: Apache-2.0
// Whole files, read and written; clocks; options of sanitizers.
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- files ----------------------------------------------------------------------------------------------------------

bool file_read(Diagnostics *diagnostics, Arena *arena, const char *path, uint8_t **data, size_t *size) {
    Location at = {.file = path};
    FILE *file = fopen(path, "rb");
    struct stat status;
    Buffer bytes = {0};
    bool done = false;
    if (!file) {
        diag_fail(diagnostics, at, E_FILE, "cannot open: %s", strerror(errno));
        goto done;
    }
    if (!fstat(fileno(file), &status) && S_ISDIR(status.st_mode)) {
        diag_fail(diagnostics, at, E_FILE, "is a folder, expected a file");
        goto done;
    }
    char chunk[1 << 16];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;) { // not by st_size: pipes work too
        if (bytes.size + got > FILE_SIZE_MAX) {
            diag_fail(diagnostics, at, E_FILE, "is larger than %d bytes", FILE_SIZE_MAX);
            goto done;
        }
        buffer_append(&bytes, chunk, got);
    }
    if (ferror(file)) {
        diag_fail(diagnostics, at, E_FILE, "cannot read: %s", strerror(errno));
        goto done;
    }
    *data = (uint8_t *)arena_text(arena, bytes.data, bytes.size);
    *size = bytes.size;
    done = true;
done:
    buffer_free(&bytes);
    if (file) fclose(file);
    return done;
}

bool file_write(Diagnostics *diagnostics, const char *path, const void *data, size_t size) {
    Location at = {.file = path};
    struct stat status;
    bool in_place = !lstat(path, &status) && !S_ISREG(status.st_mode); // a link, /dev/null, a pipe: not to be replaced
    Buffer temporary = {0};
    if (in_place)
        buffer_print(&temporary, "%s", path);
    else
        buffer_print(&temporary, "%s.%ld.tmp", path, (long)getpid());
    FILE *file = fopen(temporary.data, "wb");
    bool good = file && (!size || fwrite(data, 1, size, file) == size);
    if (file) good = !fclose(file) && good;
    if (good && !in_place) good = !rename(temporary.data, path);
    if (!good) {
        diag_fail(diagnostics, at, E_FILE, "cannot write: %s", strerror(errno));
        if (file && !in_place) unlink(temporary.data);
    }
    buffer_free(&temporary);
    return good;
}

char *file_beside(Arena *arena, const char *base, const char *name) {
    const char *slash = strrchr(base, '/');
    if (name[0] == '/' || !slash) return arena_text(arena, name, strlen(name));
    return arena_format(arena, "%.*s%s", (int)(slash - base + 1), base, name);
}

// ---- clocks ---------------------------------------------------------------------------------------------------------

static double read_clock_seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double clock_thread_seconds(void) {
    return read_clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

double clock_process_seconds(void) {
    return read_clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double clock_wall_seconds(void) {
    return read_clock_seconds(CLOCK_MONOTONIC);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// The number that a file begins with; `otherwise` if there is none.
static uint64_t read_number(const char *path, uint64_t otherwise) {
    FILE *file = fopen(path, "r");
    unsigned long long number = 0;
    const bool found = file && fscanf(file, "%llu", &number) == 1;
    if (file) fclose(file);
    return found ? number : otherwise;
}

// The least limit of a cgroup and those that it is in. `file`: what has the limit in the folder of each.
static uint64_t group_limit(const char *root, char *group, const char *file, uint64_t least) {
    for (;;) {
        Buffer path = {0};
        buffer_print(&path, "%s%s/%s", root, group, file);
        const uint64_t limit = read_number(path.data, UINT64_MAX);
        buffer_free(&path);
        if (limit < least) least = limit;
        char *last = strrchr(group, '/');
        if (!last) return least;
        *last = 0;
    }
}

uint64_t system_memory(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t least = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    FILE *groups = fopen("/proc/self/cgroup", "r");
    char line[4096];
    while (groups && fgets(line, sizeof line, groups)) { // "NUMBER:CONTROLLERS:GROUP"; version 2 has no controllers
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        if (!controllers[1]) least = group_limit("/sys/fs/cgroup", group, "memory.max", least);
        if (strstr(controllers, "memory"))
            least = group_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", least);
    }
    if (groups) fclose(groups);
    return least;
}

// ---- sanitizers -----------------------------------------------------------------------------------------------------

#ifdef __SANITIZE_ADDRESS__
// libasan of gcc 12 takes a block of thread-local storage that begins 16 bytes into a page for one of glibc 2.19 and
// reads a wrong address from in front of it; LeakSanitizer then crashes. Without this interceptor these blocks are
// roots as memory of the linker.
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "intercept_tls_get_addr=0";
}
#endif
