// SPDX-License-Identifier: Apache-2.0
// The cache on disk: a file for each key, named by it, with a header that says whether the file is whole.
#include "runtime/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define CACHE_SUFFIX ".cached"
enum { KEY_DIGITS = 32, STALE_SECONDS = 3600 }; // a temporary file that old has no writer any more
static const char cache_magic[16] = "congruent 1\n";

typedef struct CacheHeader {
    char magic[16];
    CacheKey key, hash; // of the bytes
    uint64_t size;
} CacheHeader;

// ---- keys

struct CacheParts {
    XXH3_state_t *state;
};

CacheParts *cache_parts_open(void) {
    CacheParts *parts = malloc(sizeof *parts);
    if (!parts || !(parts->state = XXH3_createState())) abort(); // as arenas do
    XXH3_128bits_reset(parts->state);
    return parts;
}

void cache_part(CacheParts *parts, const void *bytes, size_t size) {
    const uint64_t length = size;
    XXH3_128bits_update(parts->state, &length, sizeof length);
    if (size) XXH3_128bits_update(parts->state, bytes, size);
}

void cache_part_text(CacheParts *parts, const char *text) {
    cache_part(parts, text, text ? strlen(text) + 1 : 0);
}

static CacheKey key_of(XXH128_hash_t hash) {
    return (CacheKey){hash.low64, hash.high64};
}

CacheKey cache_parts_close(CacheParts *parts) {
    CacheKey key = key_of(XXH3_128bits_digest(parts->state));
    XXH3_freeState(parts->state);
    free(parts);
    return key;
}

// ---- files

const char *cache_folder(Arena *arena) {
    const char *own = getenv("CONGRUENT_CACHE"), *shared = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own) return strcmp(own, "off") ? arena_text(arena, own, strlen(own)) : NULL;
    if (shared && *shared == '/') return arena_format(arena, "%s/congruent", shared);
    return home && *home == '/' ? arena_format(arena, "%s/.cache/congruent", home) : NULL;
}

static char *entry_path(Arena *arena, const Cache *cache, CacheKey key) {
    return arena_format(arena, "%s/%016" PRIx64 "%016" PRIx64 CACHE_SUFFIX, cache->folder, key.high, key.low);
}

static bool is_whole(const uint8_t *bytes, size_t size, CacheKey key) {
    CacheHeader header;
    if (size < sizeof header) return false;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, cache_magic, sizeof cache_magic) || header.size != size - sizeof header) return false;
    CacheKey hash = key_of(XXH3_128bits(bytes + sizeof header, header.size));
    return !memcmp(&header.key, &key, sizeof key) && !memcmp(&header.hash, &hash, sizeof hash);
}

bool cache_get(const Cache *cache, CacheKey key, Buffer *out) {
    if (!cache->folder) return false;
    Arena arena = {0};
    Diagnostics ignored = {0};
    uint8_t *bytes;
    size_t size;
    const char *path = entry_path(&arena, cache, key);
    bool good = !access(path, R_OK) && file_read(&ignored, &arena, path, &bytes, &size) && is_whole(bytes, size, key);
    if (good) {
        buffer_append(out, bytes + sizeof(CacheHeader), size - sizeof(CacheHeader));
        utimensat(AT_FDCWD, path, NULL, 0); // used now; a failure only makes it look older
    }
    diagnostics_close(&ignored);
    arena_reset(&arena);
    return good;
}

typedef struct CacheFile {
    char *path;
    uint64_t size;
    struct timespec used;
} CacheFile;

static int compare_used(const void *a, const void *b) {
    const CacheFile *left = a, *right = b;
    if (left->used.tv_sec != right->used.tv_sec) return left->used.tv_sec < right->used.tv_sec ? -1 : 1;
    if (left->used.tv_nsec != right->used.tv_nsec) return left->used.tv_nsec < right->used.tv_nsec ? -1 : 1;
    return strcmp(left->path, right->path);
}

// Whether the name is one that entries have, with `temporary` set for one that was still written.
static bool is_entry(const char *name, bool *temporary) {
    const size_t plain = KEY_DIGITS + strlen(CACHE_SUFFIX), length = strlen(name);
    if (length < plain || strspn(name, "0123456789abcdef") < KEY_DIGITS ||
        strncmp(name + KEY_DIGITS, CACHE_SUFFIX, strlen(CACHE_SUFFIX)))
        return false;
    *temporary = length > plain;
    return !*temporary || (length > plain + 4 && !strcmp(name + length - 4, ".tmp"));
}

// Removes temporary files that were left behind, and the entries that were not used for longest. Other files of the
// folder are nobody's business here.
static void keep_bounded(const Cache *cache) {
    Arena arena = {0};
    CacheFile *files = NULL;
    size_t count = 0, capacity = 0;
    uint64_t total = 0, most = cache->bytes_max ? cache->bytes_max : CACHE_BYTES_MAX;
    DIR *folder = opendir(cache->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat status;
        bool temporary;
        if (!is_entry(entry->d_name, &temporary)) continue;
        char *path = arena_format(&arena, "%s/%s", cache->folder, entry->d_name);
        if (lstat(path, &status) || !S_ISREG(status.st_mode)) continue;
        if (temporary) {
            if (time(NULL) - status.st_mtim.tv_sec > STALE_SECONDS) unlink(path);
            continue;
        }
        files = arena_grow(&arena, files, count, &capacity, sizeof *files);
        files[count++] = (CacheFile){path, (uint64_t)status.st_size, status.st_mtim};
        total += (uint64_t)status.st_size;
    }
    if (folder) closedir(folder);
    if (total > most) qsort(files, count, sizeof *files, compare_used);
    for (size_t i = 0; i < count && total > most; i++) {
        unlink(files[i].path); // another process may have done it
        total -= files[i].size;
    }
    arena_reset(&arena);
}

// Makes the folder and those above it.
static bool make_folder(Arena *arena, const char *folder) {
    char *path = arena_text(arena, folder, strlen(folder));
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0777) && errno != EEXIST) return false;
        *slash = '/';
    }
    return !mkdir(path, 0700) || errno == EEXIST;
}

void cache_put(const Cache *cache, CacheKey key, const void *bytes, size_t size) {
    const uint64_t most = cache->bytes_max ? cache->bytes_max : CACHE_BYTES_MAX;
    if (!cache->folder || size > FILE_SIZE_MAX - sizeof(CacheHeader) || size + sizeof(CacheHeader) > most) return;
    Arena arena = {0};
    Diagnostics ignored = {0};
    Buffer file = {0};
    CacheHeader header = {.key = key, .hash = key_of(XXH3_128bits(bytes, size)), .size = size};
    memcpy(header.magic, cache_magic, sizeof cache_magic);
    buffer_append(&file, &header, sizeof header);
    buffer_append(&file, bytes, size);
    if (make_folder(&arena, cache->folder) &&
        file_write(&ignored, entry_path(&arena, cache, key), file.data, file.size))
        keep_bounded(cache);
    buffer_free(&file);
    diagnostics_close(&ignored);
    arena_reset(&arena);
}
