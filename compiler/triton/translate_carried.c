// SPDX-License-Identifier: Apache-2.0
// What loops, ifs and partitions carry: some values are carried in parts, or as something else.
#include "compiler/triton/objects.h"

// A memdesc, and an accumulator of a product that may be pending, are offsets in the block's memory.
static bool is_offset(const TriTranslation *t, TriValue value) {
    const TriType *type = &t->reader->types[value];
    return type->memory || type->wide || tri_is_pending(t, value);
}

// A descriptor is its address, sizes and strides, and of floats whether what lies outside is NaN; else 0.
static uint32_t descriptor_parts(const TriTranslation *t, TriValue value) {
    const TriType type = t->reader->types[value];
    return type.descriptor ? 1 + 2 * tir_type(t->module, type.tile)->rank + tri_has_padding(t, value) : 0;
}

uint32_t tri_parts_of(const TriTranslation *t, TriValue first, uint32_t count) {
    uint32_t parts = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t several = tri_block_rank(t, first + i) + descriptor_parts(t, first + i);
        parts += t->reader->types[first + i].token ? 0 : several ? several : 1;
    }
    return parts;
}

static TirType *descriptor_types(TriTranslation *t, TriValue value, TirType *types) {
    const TriType type = t->reader->types[value];
    *types++ = tri_parameter_type(t, type);
    for (uint32_t i = 0; i < 2 * tir_type(t->module, type.tile)->rank; i++)
        *types++ = tri_scalar(t->module, TIR_TYPE_i64);
    if (tri_has_padding(t, value)) *types++ = tri_scalar(t->module, TIR_TYPE_i1);
    return types;
}

static bool use_descriptor(TriTranslation *t, TriValue value, TirValue **used) {
    const TriDescriptor *desc = tri_use_descriptor(t, value);
    if (!desc) return false;
    if (tri_value_tile(t, desc->base) != tri_parameter_type(t, t->reader->types[value]))
        return tri_fail(t, "a descriptor of other elements");
    *(*used)++ = desc->base;
    for (uint32_t d = 0; d < desc->rank; d++) *(*used)++ = desc->extents[d];
    for (uint32_t d = 0; d < desc->rank; d++) *(*used)++ = desc->strides[d];
    if (tri_has_padding(t, value))
        *(*used)++ = desc->padding_flag != TIR_NO_VALUE ? desc->padding_flag : tri_integer(t, TIR_TYPE_i1, desc->nan);
    return true;
}

static bool define_descriptor(TriTranslation *t, TriValue value, const TirValue **parts) {
    const TriType type = t->reader->types[value];
    TriDescriptor made = {.rank = tir_type(t->module, type.tile)->rank,
                          .is_unsigned = type.is_unsigned,
                          .block = type.tile,
                          .padding = TIR_NO_VALUE,
                          .padding_flag = TIR_NO_VALUE};
    made.base = *(*parts)++;
    for (uint32_t d = 0; d < made.rank; d++) made.extents[d] = *(*parts)++;
    for (uint32_t d = 0; d < made.rank; d++) made.strides[d] = *(*parts)++;
    if (tri_has_padding(t, value)) {
        made.padding_flag = *(*parts)++;
        made.padding = tri_padding_of(t, made.padding_flag, tri_kind(t, type.tile));
    }
    return tri_define_descriptor(t, value, &made);
}

void tri_part_types(TriTranslation *t, TriValue first, uint32_t count, TirType *types) {
    const TirType offset = tri_scalar(t->module, TIR_TYPE_i64);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = tri_block_rank(t, first + i);
        if (t->reader->types[first + i].token) continue;
        for (uint32_t d = 0; d < rank; d++) *types++ = offset;
        if (t->reader->types[first + i].descriptor)
            types = descriptor_types(t, first + i, types);
        else if (!rank)
            *types++ = is_offset(t, first + i) ? offset : tri_type(t, first + i);
    }
}

static const TriDescriptor *use_block(TriTranslation *t, TriValue value) {
    return tri_use_descriptor(t, value);
}

// Whether a value has the parts of another type. (Tiles of other types are found when the module is verified.)
static bool has_parts_of(TriType value, TriType into) {
    const bool several = value.descriptor || value.block;
    return value.descriptor == into.descriptor && value.block == into.block && value.token == into.token &&
           (!several || value.tile == into.tile);
}

bool tri_use_parts(TriTranslation *t, const TriValue *values, uint32_t count, TriValue into, TirValue *used) {
    for (uint32_t i = 0; i < count; i++) {
        if (!has_parts_of(t->reader->types[values[i]], t->reader->types[into + i]))
            return tri_fail(t, "a value of another type at the end of a region");
        if (t->reader->types[values[i]].token) continue;
        if (tri_block_rank(t, values[i])) {
            const TriDescriptor *desc = use_block(t, values[i]);
            if (!desc) return false;
            for (uint32_t d = 0; d < desc->rank; d++) *used++ = desc->offsets[d];
        } else if (t->reader->types[values[i]].descriptor) {
            if (!use_descriptor(t, values[i], &used)) return false;
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
        } else if (t->reader->types[first + i].descriptor) {
            if (!define_descriptor(t, first + i, &parts)) return false;
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
