// SPDX-License-Identifier: Apache-2.0
// The reference interpreter: slices that are inserted, tiles as bytes and back.
#include "tests/lower/reference.h"

#include <string.h>

static void copy_element(ReferenceTile *to, uint64_t to_index, const ReferenceTile *from, uint64_t from_index) {
    for (unsigned p = 0; p < REFERENCE_PARTS; p++)
        if (to->parts[p]) to->parts[p][to_index] = from->parts[p][from_index];
}

void reference_insert(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *part = reference_tile(m, op->operands[0]), *whole = reference_tile(m, op->operands[1]);
    const TirTypeInfo *small = tir_type(m->run->module, part->type), *large = tir_type(m->run->module, whole->type);
    ReferenceTile *result = reference_result(m, op, 0);
    for (uint64_t i = 0; i < result->count; i++) {
        uint64_t rest = i, inner = 1, from = 0;
        bool inside = true;
        for (uint32_t d = large->rank; d-- > 0;) {
            uint64_t at = rest % (uint64_t)large->shape[d], size = (uint64_t)small->shape[d];
            rest /= (uint64_t)large->shape[d];
            inside &= at / size == reference_tile(m, op->operands[2 + d])->parts[0][0];
            from += at % size * inner;
            inner *= size;
        }
        copy_element(result, i, inside ? part : whole, inside ? from : i);
    }
}

static unsigned packed_bits(const ReferenceMachine *m, const ReferenceTile *tile) {
    TirTypeKind kind = tir_tile_element_kind(m->run->module, tile->type);
    bool is_float = tir_type_rows[kind].class == TIR_CLASS_FLOAT; // tf32 and f6 have bits that are not their own
    return is_float ? fpsan_format_info(reference_element(m, tile->type).format)->storage_bits
                    : tir_type_rows[kind].bits;
}

// Bit b of element i is bit i * bits + b of the bytes, counted from the lowest of the first.
void reference_repack(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *source = reference_tile(m, op->operands[0]);
    const TirOp *first = tir_value(m->function, op->operands[0])->definition;
    ReferenceTile *result = reference_result(m, op, 0);
    if (op->kind == TIR_OP_unpack && first && first->kind == TIR_OP_pack &&
        reference_tile(m, first->operands[0])->type == result->type) {
        for (uint64_t i = 0; i < result->count; i++) copy_element(result, i, reference_tile(m, first->operands[0]), i);
        return;
    }
    ReferenceElement element = reference_element(m, source->type);
    unsigned from = packed_bits(m, source), to = packed_bits(m, result);
    uint8_t *all = arena_alloc(m->run->arena, (source->count * from + 7) / 8 + 8);
    for (uint64_t i = 0; i < source->count * from; i++)
        all[i / 8] |= (uint8_t)((reference_to_bits(m, &element, source->parts[0][i / from]) >> i % from & 1) << i % 8);
    for (uint64_t i = 0; i < result->count; i++) {
        uint64_t bits = 0;
        for (unsigned b = 0; b < to; b++) bits |= (uint64_t)(all[(i * to + b) / 8] >> (i * to + b) % 8 & 1) << b;
        reference_set_bits(m, result, i, bits);
    }
}
