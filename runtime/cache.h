// SPDX-License-Identifier: Apache-2.0
// Results on disk, found again by a hash of all that they were made from. Files are whole or not there; a damaged one
// counts as not there. Several processes may use one folder.
#ifndef CONGRUENT_CACHE_H
#define CONGRUENT_CACHE_H

#include "base/base.h"

typedef struct CacheKey {
    uint64_t low, high;
} CacheKey;

// Collects what a key is made from; each part with its length, so that no two lists of parts are alike.
typedef struct CacheParts CacheParts;
CacheParts *cache_parts_open(void);
void cache_part(CacheParts *parts, const void *bytes, size_t size);
void cache_part_text(CacheParts *parts, const char *text); // NULL differs from ""
CacheKey cache_parts_close(CacheParts *parts);

#define CACHE_BYTES_MAX ((uint64_t)512 << 20) // of all files together, by default

typedef struct Cache {
    const char *folder; // NULL: there is no cache; nothing is found or kept
    uint64_t bytes_max; // 0: CACHE_BYTES_MAX
} Cache;

// The folder of this user: $CONGRUENT_CACHE, or $XDG_CACHE_HOME/congruent, or ~/.cache/congruent, arena-held. NULL
// where $CONGRUENT_CACHE is "off" or none of them is known.
const char *cache_folder(Arena *arena);
// Appends what is kept under the key. False: nothing is.
bool cache_get(const Cache *cache, CacheKey key, Buffer *out);
// Keeps the bytes; removes those that were not used for longest where all together are too many. A failure is no error:
// nothing is kept then.
void cache_put(const Cache *cache, CacheKey key, const void *bytes, size_t size);

#endif
