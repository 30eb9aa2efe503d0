// SPDX-License-Identifier: Apache-2.0
// Maps of index bits (tile_map.c). All extents of tiles are powers of two. So broadcast, reshape, permute, memory
// layouts and packing for a dot are maps from index bits to index bits, and such maps compose.
#ifndef CONGRUENT_TILE_MAP_H
#define CONGRUENT_TILE_MAP_H

#include "compiler/tileir/tir.h"

// Tiles have at most 2^24 elements. The index space of a dot is batch x rows x columns x depths. The batch and any two
// of the others are the extents of a tile, so it has at most 2^36 elements.
enum { TILE_BITS_MAX = 24, MAP_BITS_MAX = TILE_BITS_MAX / 2 * 3 };

// From the bits of one index (say, of a nest's iteration) to those of another (say, a tile's flat index): bit i of the
// first is bit to[i] of the second; -1: the second does not depend on it.
typedef struct TileMap {
    uint8_t bits;
    int8_t to[MAP_BITS_MAX];
} TileMap;

TileMap map_identity(unsigned bits);
TileMap map_compose(const TileMap *outer, const TileMap *inner); // first `outer`, then `inner`
TileMap map_invert(const TileMap *map);                          // of a permutation
bool map_is_identity(const TileMap *map);
bool map_equal(const TileMap *a, const TileMap *b);
// First flat index bit of dimension d of a tile, and how many bits it has.
unsigned map_dimension_bit(const TirTypeInfo *tile, uint32_t dimension);
unsigned map_log2(int64_t size); // of a power of two

#endif
