// SPDX-License-Identifier: Apache-2.0
// Arenas, whose chunks double up to some megabytes and are freed all at once; growing byte buffers on the heap; maps of
// text to integers by open addressing with linear probing, at most half full.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// ---- arenas ---------------------------------------------------------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(at, size)   ASAN_POISON_MEMORY_REGION(at, size)
#define UNPOISON(at, size) ASAN_UNPOISON_MEMORY_REGION(at, size)
enum { ARENA_GAP = 16 }; // so that running over one object meets poisoned bytes
#else
#define POISON(at, size)   ((void)(at), (void)(size))
#define UNPOISON(at, size) ((void)(at), (void)(size))
enum { ARENA_GAP = 0 };
#endif

enum { ARENA_ALIGN = 16, CHUNK_MIN = 4 << 10, CHUNK_MAX = 4 << 20, HUGE_PAGE = 2 << 20 };

struct ArenaChunk {
    ArenaChunk *next;
    size_t size, used; // of bytes; the chunk itself comes before them
    _Alignas(ARENA_ALIGN) char bytes[];
};

static _Noreturn void out_of_memory(size_t size) {
    fprintf(stderr, "congruent: out of memory (%zu bytes)\n", size);
    exit(70);
}

// Chunks of the largest size are asked for in huge pages: filling them spends most of its time on page faults
// otherwise.
static ArenaChunk *chunk_open(size_t size) {
    bool huge = size == CHUNK_MAX;
    ArenaChunk *chunk = huge ? aligned_alloc(HUGE_PAGE, size) : malloc(size);
    if (!chunk) out_of_memory(size);
    if (huge) madvise(chunk, size, MADV_HUGEPAGE);
    *chunk = (ArenaChunk){.size = size - sizeof *chunk};
    POISON(chunk->bytes, chunk->size);
    return chunk;
}

void *arena_alloc(Arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) out_of_memory(size);
    size_t need = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN + ARENA_GAP;
    ArenaChunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < need) {
        size_t next = chunk ? (sizeof *chunk + chunk->size) * 2 : CHUNK_MIN;
        if (next > CHUNK_MAX) next = CHUNK_MAX;
        bool large = need > next / 2; // gets a chunk of its own, behind the current one, which may have room left
        ArenaChunk *fresh = chunk_open(large ? sizeof *fresh + need : next);
        if (large && chunk) {
            fresh->next = chunk->next;
            chunk->next = fresh;
        } else {
            fresh->next = chunk;
            arena->chunks = fresh;
        }
        chunk = fresh;
    }
    void *at = chunk->bytes + chunk->used;
    chunk->used += need;
    UNPOISON(at, size);
    return memset(at, 0, size);
}

void *arena_alloc_array(Arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size) out_of_memory(count);
    return arena_alloc(arena, count * size);
}

void arena_reset(Arena *arena) {
    for (ArenaChunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        UNPOISON(chunk->bytes, chunk->size);
        free(chunk);
    }
    arena->chunks = NULL;
}

char *arena_text(Arena *arena, const char *text, size_t length) {
    char *copy = arena_alloc(arena, length + 1);
    if (length) memcpy(copy, text, length);
    return copy;
}

const char *arena_keep(Arena *arena, const char *text) {
    return text ? arena_text(arena, text, strlen(text)) : NULL;
}

char *arena_vformat(Arena *arena, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length > 0) vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *arena_format(Arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = arena_vformat(arena, format, args);
    va_end(args);
    return text;
}

void *arena_grow(Arena *arena, void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return items;
    size_t wanted = *capacity ? *capacity * 2 : 8;
    void *moved = arena_alloc_array(arena, wanted, size);
    if (count) memcpy(moved, items, count * size);
    *capacity = wanted;
    return moved;
}

// ---- buffers --------------------------------------------------------------------------------------------------------

static void buffer_reserve(Buffer *buffer, size_t more) {
    if (buffer->size + more <= buffer->capacity) return;
    size_t wanted = buffer->capacity ? buffer->capacity : 256;
    while (wanted < buffer->size + more) wanted *= 2;
    char *data = realloc(buffer->data, wanted);
    if (!data) {
        fprintf(stderr, "congruent: out of memory (%zu bytes)\n", wanted);
        exit(70);
    }
    buffer->data = data;
    buffer->capacity = wanted;
}

void buffer_append(Buffer *buffer, const void *bytes, size_t size) {
    buffer_reserve(buffer, size + 1);
    if (size) memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    buffer->data[buffer->size] = 0;
}

void buffer_print(Buffer *buffer, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length >= 0) {
        buffer_reserve(buffer, (size_t)length + 1);
        vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, args);
        buffer->size += (size_t)length;
    }
    va_end(args);
}

void buffer_free(Buffer *buffer) {
    free(buffer->data);
    *buffer = (Buffer){0};
}

// ---- maps -----------------------------------------------------------------------------------------------------------

static uint64_t hash_text(const char *text) { // FNV-1a, 64 bits
    uint64_t hash = 0xcbf29ce484222325;
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
    return hash ^ hash >> 32;
}

static MapEntry *map_slot(const Map *map, const char *key) {
    size_t at = hash_text(key) & (map->capacity - 1);
    while (map->entries[at].key && strcmp(map->entries[at].key, key)) at = (at + 1) & (map->capacity - 1);
    return &map->entries[at];
}

bool map_insert(Map *map, Arena *arena, const char *key, uint64_t value) {
    if (map_find(map, key, NULL)) return false;
    if (map->count * 2 >= map->capacity) {
        Map larger = {.capacity = map->capacity ? map->capacity * 2 : 16, .count = map->count};
        larger.entries = arena_array(arena, MapEntry, larger.capacity);
        for (size_t i = 0; i < map->capacity; i++)
            if (map->entries[i].key) *map_slot(&larger, map->entries[i].key) = map->entries[i];
        *map = larger;
    }
    *map_slot(map, key) = (MapEntry){arena_text(arena, key, strlen(key)), value};
    map->count++;
    return true;
}

bool map_find(const Map *map, const char *key, uint64_t *value) {
    if (!map->capacity) return false;
    const MapEntry *entry = map_slot(map, key);
    if (entry->key && value) *value = entry->value;
    return entry->key;
}
