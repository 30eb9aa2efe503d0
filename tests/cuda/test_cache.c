// SPDX-License-Identifier: Apache-2.0
// The cache on disk: what is kept is found, damaged files are not, and the folder stays bounded.
#include "runtime/cache.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char root[] = "/tmp/congruent-cache-XXXXXX"; // of the process of one test
static Arena arena;

static Cache open_cache(void) {
    cr_assert(mkdtemp(root));
    return (Cache){.folder = arena_format(&arena, "%s/a/b", root)};
}

// Calls `each`, if not NULL, with every file; returns how many there are.
static unsigned walk(const Cache *cache, void (*each)(const char *path)) {
    unsigned count = 0;
    DIR *folder = opendir(cache->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        count++;
        if (each) each(arena_format(&arena, "%s/%s", cache->folder, entry->d_name));
    }
    if (folder) closedir(folder);
    return count;
}

static void remove_file(const char *path) {
    cr_assert_eq(unlink(path), 0);
}

static void close_cache(const Cache *cache) {
    walk(cache, remove_file);
    rmdir(cache->folder);
    rmdir(arena_format(&arena, "%s/a", root));
    cr_assert_eq(rmdir(root), 0);
    arena_reset(&arena);
}

static CacheKey key_of(uint64_t number, const char *text) {
    CacheParts *parts = cache_parts_open();
    cache_part(parts, &number, sizeof number);
    cache_part_text(parts, text);
    return cache_parts_close(parts);
}

static bool holds(const Cache *cache, CacheKey key, const char *text) {
    Buffer found = {0};
    bool good = cache_get(cache, key, &found) && found.size == strlen(text) && !memcmp(found.data, text, found.size);
    buffer_free(&found);
    return good;
}

Test(cache, keys) {
    const CacheKey keys[] = {key_of(0, NULL), key_of(0, ""), key_of(1, ""), key_of(0, "a"), key_of(0, "b")};
    const CacheKey again = key_of(0, "a");
    for (size_t i = 0; i < BASE_COUNT(keys); i++)
        for (size_t k = 0; k < BASE_COUNT(keys); k++) cr_assert_eq(!memcmp(&keys[i], &keys[k], sizeof keys[i]), i == k);
    cr_assert_arr_eq(&keys[3], &again, sizeof again);
    CacheParts *one = cache_parts_open(), *two = cache_parts_open();
    cache_part_text(one, "ab"), cache_part_text(one, "c");
    cache_part_text(two, "a"), cache_part_text(two, "bc");
    const CacheKey a = cache_parts_close(one), b = cache_parts_close(two);
    cr_assert(memcmp(&a, &b, sizeof a));
}

Test(cache, keeps) {
    Cache cache = open_cache();
    Buffer out = {0};
    cr_assert_not(cache_get(&cache, key_of(1, "x"), &out));
    cache_put(&cache, key_of(1, "x"), "one", 3);
    cache_put(&cache, key_of(2, "x"), "two", 3);
    cache_put(&cache, key_of(3, "x"), "", 0);
    cache_put(&cache, key_of(2, "x"), "new", 3);
    cr_assert(holds(&cache, key_of(1, "x"), "one"));
    cr_assert(holds(&cache, key_of(2, "x"), "new"));
    cr_assert(holds(&cache, key_of(3, "x"), ""));
    cr_assert_not(cache_get(&cache, key_of(4, "x"), &out));
    cr_assert_eq(walk(&cache, NULL), 3);
    struct stat status;
    cr_assert_eq(stat(cache.folder, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0700);
    close_cache(&cache);
}

static const char *victim;

static void note_file(const char *path) {
    victim = path;
}

// A file that is cut off, longer, empty or has a changed byte is not found, and the next put replaces it.
Test(cache, damaged) {
    Cache cache = open_cache();
    const CacheKey key = key_of(5, "x");
    cache_put(&cache, key, "some bytes", 10);
    walk(&cache, note_file);
    uint8_t *bytes;
    size_t size;
    Diagnostics diagnostics = {0};
    cr_assert(file_read(&diagnostics, &arena, victim, &bytes, &size));
    for (size_t i = 0; i < 2 * size + 1; i++) {
        Buffer changed = {0};
        buffer_append(&changed, bytes, size);
        if (i < size)
            changed.data[i] ^= 4;
        else if (i < 2 * size)
            changed.size = i - size;
        else
            buffer_append(&changed, "x", 1);
        cr_assert(file_write(&diagnostics, victim, changed.data, changed.size));
        Buffer out = {0};
        cr_assert_not(cache_get(&cache, key, &out), "change %zu", i);
        cr_assert_eq(out.size, 0);
        buffer_free(&changed);
    }
    cache_put(&cache, key, "some bytes", 10);
    cr_assert(holds(&cache, key, "some bytes"));
    // An entry under the name of another is not that.
    const CacheKey other = key_of(6, "x");
    cache_put(&cache, other, "?", 1);
    char *path = arena_format(&arena, "%s/%016llx%016llx.cached", cache.folder, (unsigned long long)other.high,
                              (unsigned long long)other.low);
    cr_assert(file_write(&diagnostics, path, bytes, size));
    Buffer out = {0};
    cr_assert_not(cache_get(&cache, other, &out));
    close_cache(&cache);
}

// What was not used for longest goes first, and never the files of others.
Test(cache, bounded) {
    Cache cache = open_cache();
    char chunk[6000] = {0};
    cache.bytes_max = 5500; // five with their headers
    for (uint64_t i = 0; i < 5; i++) {
        cache_put(&cache, key_of(i, "x"), chunk, 1000);
        walk(&cache, note_file);
    }
    Diagnostics diagnostics = {0};
    char *foreign = arena_format(&arena, "%s/README", cache.folder);
    char *stale = arena_format(&arena, "%s/%032d.cached.77.tmp", cache.folder, 0);
    cr_assert(file_write(&diagnostics, foreign, chunk, 1000) && file_write(&diagnostics, stale, chunk, 1000));
    for (uint64_t i = 0; i < 5; i++) { // last used a while ago, in the order 0 .. 4
        const CacheKey key = key_of(i, "x");
        struct timespec times[2] = {{.tv_sec = time(NULL) - 1000 + (time_t)i},
                                    {.tv_sec = time(NULL) - 1000 + (time_t)i}};
        char *path = arena_format(&arena, "%s/%016llx%016llx.cached", cache.folder, (unsigned long long)key.high,
                                  (unsigned long long)key.low);
        cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    struct timespec old[2] = {{.tv_sec = time(NULL) - 4000}, {.tv_sec = time(NULL) - 4000}};
    cr_assert_eq(utimensat(AT_FDCWD, stale, old, 0), 0);
    Buffer out = {0};
    cr_assert(cache_get(&cache, key_of(0, "x"), &out)); // used now
    cache_put(&cache, key_of(5, "x"), chunk, 1000);
    cr_assert_not(cache_get(&cache, key_of(1, "x"), &out));
    cr_assert(cache_get(&cache, key_of(0, "x"), &out) && cache_get(&cache, key_of(2, "x"), &out) &&
              cache_get(&cache, key_of(5, "x"), &out));
    cr_assert_eq(access(foreign, F_OK), 0);
    cr_assert_neq(access(stale, F_OK), 0);
    buffer_free(&out);
    cache_put(&cache, key_of(7, "x"), chunk, sizeof chunk); // more than all may have
    cr_assert_not(cache_get(&cache, key_of(7, "x"), &out));
    close_cache(&cache);
}

Test(cache, off) {
    Cache cache = {0};
    Buffer out = {0};
    cache_put(&cache, key_of(1, "x"), "one", 3);
    cr_assert_not(cache_get(&cache, key_of(1, "x"), &out));
    // A folder that cannot be made is no error.
    Cache impossible = {.folder = "/dev/null/cache"};
    cache_put(&impossible, key_of(1, "x"), "one", 3);
    cr_assert_not(cache_get(&impossible, key_of(1, "x"), &out));
}

Test(cache, folder) {
    const struct {
        const char *own, *shared, *home, *folder;
    } rows[] = {
        {"/c", "/x", "/h", "/c"},           {"off", "/x", "/h", NULL},
        {NULL, "/x", "/h", "/x/congruent"}, {"", "relative", "/h", "/h/.cache/congruent"},
        {NULL, NULL, NULL, NULL},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        rows[i].own ? setenv("CONGRUENT_CACHE", rows[i].own, 1) : unsetenv("CONGRUENT_CACHE");
        rows[i].shared ? setenv("XDG_CACHE_HOME", rows[i].shared, 1) : unsetenv("XDG_CACHE_HOME");
        rows[i].home ? setenv("HOME", rows[i].home, 1) : unsetenv("HOME");
        const char *folder = cache_folder(&arena);
        cr_assert(rows[i].folder ? folder && !strcmp(folder, rows[i].folder) : !folder, "row %zu: %s", i, folder);
    }
    arena_reset(&arena);
}
