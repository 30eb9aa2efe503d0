// SPDX-License-Identifier: Apache-2.0
// Results on disk. The key of a result is a hash of everything that it was made from. A file is whole or not there; a
// damaged one counts as not there. Several processes may use one folder.
#ifndef CONGRUENT_CACHE_H
#define CONGRUENT_CACHE_H

#include "base/base.h"

typedef struct CacheKey {
    uint64_t low, high;
} CacheKey;

// The parts that a key is made from. Each is hashed with its length, so that different lists of parts have different
// keys. cache_parts_close gives the key and frees the parts.
typedef struct CacheParts CacheParts;
CacheParts *cache_parts_open(void);
void cache_part(CacheParts *parts, const void *bytes, size_t size);
void cache_part_text(CacheParts *parts, const char *text); // NULL differs from ""
CacheKey cache_parts_close(CacheParts *parts);

#define CACHE_BYTES_MAX ((uint64_t)512 << 20)

typedef struct Cache {
    const char *folder; // NULL: there is no cache; nothing is found or kept
    uint64_t bytes_max; // of all files together; 0: CACHE_BYTES_MAX
} Cache;

// This user's folder, in the arena: $CONGRUENT_CACHE, else $XDG_CACHE_HOME/congruent, else ~/.cache/congruent. NULL if
// $CONGRUENT_CACHE is "off" or none of these is set.
const char *cache_folder(Arena *arena);
// Appends the result that is kept under the key. False if there is none.
bool cache_get(const Cache *cache, CacheKey key, Buffer *out);
// Keeps a result. Where the files together become too large, those go that were not used for longest. A failure is no
// error: nothing is kept then.
void cache_put(const Cache *cache, CacheKey key, const void *bytes, size_t size);

#endif
