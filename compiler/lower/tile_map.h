// SPDX-License-Identifier: Apache-2.0
// Maps of index bits (tile_map.c). All extents of tiles are powers of two, so how one tile's elements lie in another
// (broadcast, reshape, permute, memory layouts, packing for a dot) is a map from index bits to index bits.
#ifndef CONGRUENT_TILE_MAP_H
#define CONGRUENT_TILE_MAP_H

#include "compiler/tileir/tir.h"

// Tiles have at most 2^24 elements. A dot goes over batch, rows, columns and depths: the batch and any two of the
// others are a tile, so that makes at most 2^36 steps.
enum { TILE_BITS_MAX = 24, MAP_BITS_MAX = TILE_BITS_MAX / 2 * 3 };

// Iteration index bit i is bit to[i] of a tile's flat index; -1: the tile does not depend on it.
typedef struct TileMap {
    uint8_t bits;
    int8_t to[MAP_BITS_MAX];
} TileMap;

TileMap map_identity(unsigned bits);
TileMap map_compose(const TileMap *outer, const TileMap *inner); // iteration bit -> outer -> inner
TileMap map_invert(const TileMap *map);                          // of a permutation
bool map_is_identity(const TileMap *map);
bool map_equal(const TileMap *a, const TileMap *b);
// First flat index bit of dimension d of a tile, and how many bits it has.
unsigned map_dimension_bit(const TirTypeInfo *tile, uint32_t dimension);
unsigned map_log2(int64_t size);

#endif
