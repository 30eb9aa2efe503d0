// SPDX-License-Identifier: Apache-2.0
// What loops, ifs and partitions carry: some values are carried in parts, or as something else.
#include "compiler/triton/objects.h"

// A memdesc, and an accumulator of a product that may be pending, are offsets in the block's memory.
static bool is_offset(const TriTranslation *t, TriValue value) {
    const TriType *type = &t->reader->types[value];
    return type->memory || type->wide || tri_is_pending(t, value);
}

uint32_t tri_parts_of(const TriTranslation *t, TriValue first, uint32_t count) {
    uint32_t parts = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = tri_block_rank(t, first + i);
        parts += t->reader->types[first + i].token ? 0 : rank ? rank : 1;
    }
    return parts;
}

void tri_part_types(TriTranslation *t, TriValue first, uint32_t count, TirType *types) {
    const TirType offset = tri_scalar(t->module, TIR_TYPE_i64);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = tri_block_rank(t, first + i);
        if (t->reader->types[first + i].token) continue;
        for (uint32_t d = 0; d < rank; d++) *types++ = offset;
        if (!rank) *types++ = is_offset(t, first + i) ? offset : tri_type(t, first + i);
    }
}

static const TriDescriptor *use_block(TriTranslation *t, TriValue value) {
    return tri_use_descriptor(t, value);
}

bool tri_use_parts(TriTranslation *t, const TriValue *values, uint32_t count, TriValue into, TirValue *used) {
    for (uint32_t i = 0; i < count; i++) {
        if (t->reader->types[values[i]].token) continue;
        if (tri_block_rank(t, values[i])) {
            const TriDescriptor *desc = use_block(t, values[i]);
            if (!desc) return false;
            for (uint32_t d = 0; d < desc->rank; d++) *used++ = desc->offsets[d];
        } else if (tri_is_pending(t, into + i)) {
            if (!tri_use_slot(t, values[i], used++)) return false;
        } else if (!tri_use(t, values[i], used++)) {
            return false;
        }
    }
    return true;
}

static bool define_block(TriTranslation *t, TriValue value, TriValue like, const TirValue *parts) {
    const TriDescriptor *own = use_block(t, like);
    if (!own) return false;
    TriDescriptor moved = *own;
    for (uint32_t d = 0; d < own->rank; d++) moved.offsets[d] = parts[d];
    return tri_define_descriptor(t, value, &moved);
}

bool tri_define_parts(TriTranslation *t, TriValue first, uint32_t count, const TriValue *like, const TirValue *parts) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = tri_block_rank(t, first + i);
        if (t->reader->types[first + i].token) continue;
        if (rank) {
            if (!define_block(t, first + i, like[i], parts)) return false;
            parts += rank;
        } else if (t->reader->types[first + i].memory) {
            const TriView *view = tri_view_of(t, like[i]);
            if (!view || !tri_define_view(t, first + i, *parts++, view)) return false;
        } else if (!tri_define(t, first + i, *parts++)) {
            return false;
        }
    }
    return true;
}

bool tri_check_parts(TriTranslation *t, const TriValue *values, uint32_t count, const TriValue *like) {
    for (uint32_t i = 0; i < count; i++) {
        if (tri_block_rank(t, values[i])) {
            const TriDescriptor *desc = use_block(t, values[i]), *own = desc ? use_block(t, like[i]) : NULL;
            if (!own) return false;
            if (desc->made != own->made)
                return tri_refuse(t, "block pointers into several tensors that a loop carries");
        } else if (t->reader->types[values[i]].memory) {
            const TriView *view = tri_view_of(t, values[i]), *own = view ? tri_view_of(t, like[i]) : NULL;
            if (!own) return false;
            if (!tri_same_view(view, own)) return tri_refuse(t, "memory objects of several layouts that come together");
        }
    }
    return true;
}

TirValue *tri_consecutive(TriTranslation *t, TirValue first, uint32_t count) {
    TirValue *values = arena_array(&t->p->scratch, TirValue, count + 1u);
    for (uint32_t i = 0; i < count; i++) values[i] = first + i;
    return values;
}
