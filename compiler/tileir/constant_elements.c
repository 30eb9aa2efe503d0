// SPDX-License-Identifier: Apache-2.0
// The elements of constants: their bits, and how they lie in memory.
#include "compiler/tileir/tir.h"

#include <string.h>

// tile-ir.md section 2, Constant payloads: i1 is packed, and one byte for more than eight elements is a splat of its
// bit 0; all else is one element (a splat) or all of them.
uint64_t tir_constant_bits(const TirModule *module, TirType tile, const TirConstant *constant, int64_t index) {
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    size_t at = (size_t)index;
    if (kind == TIR_TYPE_i1) {
        if (constant->size == 1 && tir_tile_elements(module, tile) > 8) at = 0;
        return at / 8 < constant->size ? constant->bytes[at / 8] >> (at % 8) & 1 : 0;
    }
    size_t width = (tir_type_rows[kind].bits + 7u) / 8u;
    if (constant->size == width) at = 0;
    uint64_t bits = 0;
    for (size_t i = 0; i < width && (at + 1) * width <= constant->size; i++)
        bits |= (uint64_t)constant->bytes[at * width + i] << (8 * i);
    return bits;
}

bool tir_constant_is_splat(const TirModule *module, TirType tile, const TirConstant *constant) {
    int64_t count = tir_tile_elements(module, tile);
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    // One element; of bools a byte, which up to eight of them share.
    if (constant->size == (tir_type_rows[kind].bits + 7u) / 8u && (kind != TIR_TYPE_i1 || count > 8)) return true;
    uint64_t first = tir_constant_bits(module, tile, constant, 0);
    for (int64_t i = 1; i < count; i++)
        if (tir_constant_bits(module, tile, constant, i) != first) return false;
    return true;
}

uint64_t tir_memory_bytes(TirTypeKind kind, uint64_t elements) {
    return tir_type_rows[kind].bits == 4 ? (elements + 1) / 2 : elements * tir_type_rows[kind].storage_bytes;
}

void tir_constant_memory(const TirModule *module, TirType tile, const TirConstant *constant, uint8_t *memory) {
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    uint64_t count = (uint64_t)tir_tile_elements(module, tile);
    unsigned bytes = tir_type_rows[kind].storage_bytes;
    memset(memory, 0, tir_memory_bytes(kind, count));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = tir_constant_bits(module, tile, constant, (int64_t)i);
        if (kind == TIR_TYPE_tf32) bits <<= 13; // in memory an f32
        if (tir_type_rows[kind].bits == 4)
            memory[i / 2] |= (uint8_t)(bits << 4 * (i % 2));
        else
            for (unsigned b = 0; b < bytes; b++) memory[i * bytes + b] = (uint8_t)(bits >> 8 * b);
    }
}
