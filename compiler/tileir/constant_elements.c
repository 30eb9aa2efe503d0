// SPDX-License-Identifier: Apache-2.0
// The elements of constants: their bits, and how they lie in memory.
#include "compiler/tileir/tir.h"

#include <string.h>

// Bytes that the elements take when all are given (tile-ir.md section 2); fewer mean one element for all.
static uint64_t full_size(unsigned bits, uint64_t elements) {
    return bits == 1 ? (elements + 7) / 8 : elements * ((bits + 7) / 8);
}

uint64_t tir_constant_element(const TirModule *module, TirType tile, const TirConstant *constant, uint64_t index) {
    unsigned bits = tir_type_rows[tir_tile_element_kind(module, tile)].bits, bytes = (bits + 7) / 8;
    if (constant->size < full_size(bits, (uint64_t)tir_tile_elements(module, tile))) index = 0;
    if (bits == 1) return constant->bytes[index / 8] >> index % 8 & 1;
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)constant->bytes[index * bytes + i] << 8 * i;
    return value;
}

bool tir_constant_is_splat(const TirModule *module, TirType tile, const TirConstant *constant) {
    uint64_t count = (uint64_t)tir_tile_elements(module, tile);
    unsigned bits = tir_type_rows[tir_tile_element_kind(module, tile)].bits;
    if (constant->size < full_size(bits, count)) return true;
    for (uint64_t i = 1; i < count; i++)
        if (tir_constant_element(module, tile, constant, i) != tir_constant_element(module, tile, constant, 0))
            return false;
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
        uint64_t bits = tir_constant_element(module, tile, constant, i);
        if (kind == TIR_TYPE_tf32) bits <<= 13; // in memory an f32
        if (tir_type_rows[kind].bits == 4)
            memory[i / 2] |= (uint8_t)(bits << 4 * (i % 2));
        else
            for (unsigned b = 0; b < bytes; b++) memory[i * bytes + b] = (uint8_t)(bits >> 8 * b);
    }
}
