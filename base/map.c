// SPDX-License-Identifier: Apache-2.0
// Text to integer: open addressing with linear probing, at most half full.
#include "base/base.h"

#include <string.h>

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
