// SPDX-License-Identifier: Apache-2.0
// Maps from index bits to index bits: how the elements of one tile lie in another.
#include "compiler/lower/emit.h"

#include <assert.h>
#include <string.h>

unsigned map_log2(int64_t size) {
    return size > 0 ? (unsigned)__builtin_ctzll((uint64_t)size) : 0;
}

TileMap map_identity(unsigned bits) {
    TileMap map = {.bits = (uint8_t)bits};
    for (unsigned i = 0; i < bits; i++) map.to[i] = (int8_t)i;
    return map;
}

TileMap map_compose(const TileMap *outer, const TileMap *inner) {
    TileMap map = {.bits = outer->bits};
    for (unsigned i = 0; i < outer->bits; i++) map.to[i] = outer->to[i] < 0 ? -1 : inner->to[(int)outer->to[i]];
    return map;
}

TileMap map_invert(const TileMap *map) {
    TileMap inverse = {.bits = map->bits};
    for (unsigned i = 0; i < map->bits; i++) {
        assert(map->to[i] >= 0 && map->to[i] < map->bits);
        inverse.to[(int)map->to[i]] = (int8_t)i;
    }
    return inverse;
}

bool map_is_identity(const TileMap *map) {
    for (unsigned i = 0; i < map->bits; i++)
        if (map->to[i] != (int)i) return false;
    return true;
}

bool map_equal(const TileMap *a, const TileMap *b) {
    return a->bits == b->bits && !memcmp(a->to, b->to, a->bits);
}

unsigned map_dimension_bit(const TirTypeInfo *tile, uint32_t dimension) {
    unsigned bit = 0;
    for (uint32_t d = dimension + 1; d < tile->rank; d++) bit += map_log2(tile->shape[d]);
    return bit;
}

// The map whose result dimension d is source dimension source_of[d], -1 where the source has extent 1.
static TileMap map_dimensions(const TirTypeInfo *source, const TirTypeInfo *result, const int *source_of) {
    TileMap map = {0};
    for (uint32_t d = result->rank; d-- > 0;) {
        unsigned source_bit = source_of[d] < 0 ? 0 : map_dimension_bit(source, (uint32_t)source_of[d]);
        for (unsigned i = 0; i < map_log2(result->shape[d]); i++)
            map.to[map.bits++] = source_of[d] < 0 ? -1 : (int8_t)(source_bit + i);
    }
    return map;
}

static const TirTypeInfo *tile_of(const Emit *e, TirValue value) {
    return tir_type(e->module, emit_type_of(e, value));
}

TileMap map_broadcast(const Emit *e, const TirOp *op) {
    const TirTypeInfo *source = tile_of(e, op->operands[0]), *result = tile_of(e, tir_result(op, 0));
    int source_of[TIR_RANK_MAX];
    for (uint32_t d = 0; d < result->rank; d++) source_of[d] = source->shape[d] == 1 ? -1 : (int)d;
    return map_dimensions(source, result, source_of);
}

TileMap map_permute(const Emit *e, const TirOp *op) {
    const TirTypeInfo *source = tile_of(e, op->operands[0]), *result = tile_of(e, tir_result(op, 0));
    const int64_t *permutation = tir_attribute(op, "permutation")->numbers;
    int source_of[TIR_RANK_MAX];
    for (uint32_t d = 0; d < result->rank; d++) source_of[d] = (int)permutation[d];
    return map_dimensions(source, result, source_of);
}

// The flat order is kept.
TileMap map_reshape(const Emit *e, const TirOp *op) {
    return map_identity(emit_tile_bits(e, emit_type_of(e, tir_result(op, 0))));
}

TileMap emit_operand_map(const Emit *e, const TirOp *op, const TileMap *map) {
    TileMap inner = emit_row(op->kind)->map(e, op);
    return map_compose(map, &inner);
}
