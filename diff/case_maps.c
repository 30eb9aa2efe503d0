// SPDX-License-Identifier: Apache-2.0
// Tensor maps of a case file, and whether they fit their buffers. What else maps must obey is checked where they are
// encoded (rt_encode_map).
#include "diff/case_internal.h"

#include <string.h>

static const FpdMapTypeInfo map_types[] = {
#define MAP_TYPE(id, name, bits) [RT_MAP_##id] = {name, bits},
#include "diff/map_types.def"
#undef MAP_TYPE
};
_Static_assert(BASE_COUNT(map_types) == RT_MAP_TYPES, "a row for each type");

// The words of a key and what each stands for, its index.
typedef struct MapWords {
    const char *key, *words[8]; // NULL behind the last one
} MapWords;
static const MapWords swizzles = {"swizzle",
                                  {"0", "32", "64", "128", "128_atom_32", "128_atom_32_flip_8", "128_atom_64"}};
static const MapWords interleaves = {"interleave", {"0", "16", "32"}};
static const MapWords fills = {"fill", {"zeros", "nan"}};

static bool read_map_word(CaseReader *r, const FpdNode *node, const MapWords *allowed, unsigned *index) {
    const char *list = "";
    *index = 0;
    if (!node) return true;
    for (; allowed->words[*index]; ++*index) {
        if (!strcmp(allowed->words[*index], node->text)) return true;
        list = arena_format(r->arena, "%s%s%s", list, *index ? ", " : "", allowed->words[*index]);
    }
    return case_wrong(r, node->at, "%s of a map is '%s', expected one of: %s", allowed->key, node->text, list);
}

static RtMapType map_type_of(ElementType type) {
    const ElementInfo *info = element_info(type);
    for (int t = 0; t < RT_MAP_TYPES; t++)
        if (!strcmp(map_types[t].name, info->name)) return (RtMapType)t;
    int t = 0;
    while (map_types[t].bits != info->storage_bits) t++; // 4, 8 or 16
    return (RtMapType)t;
}

static bool read_map_type(CaseReader *r, const FpdNode *node, const FpdBuffer *buffer, RtMapType *type) {
    const char *list = "";
    *type = map_type_of(buffer->type);
    if (!node) return true;
    for (int t = 0; t < RT_MAP_TYPES; t++) {
        *type = (RtMapType)t;
        if (!strcmp(map_types[t].name, node->text)) return true;
        list = arena_format(r->arena, "%s%s%s", list, t ? ", " : "", map_types[t].name);
    }
    return case_wrong(r, node->at, "type of a map is '%s', expected one of: %s", node->text, list);
}

// A list of `rank` numbers, outermost first in the file, innermost first in `numbers`.
static bool read_map_list(CaseReader *r, const FpdNode *node, const char *key, uint32_t rank, const int64_t bounds[2],
                          int64_t *numbers) {
    if (node->count != rank)
        return case_wrong(r, node->at, "%s of a map has %u numbers, box has %u", key, node->count, rank);
    for (uint32_t i = 0; i < rank; i++)
        if (!case_read_integer(r, &node->items[i], arena_format(r->arena, "a number of %s", key), bounds[0], bounds[1],
                               &numbers[rank - 1 - i]))
            return false;
    return true;
}

typedef struct MapReader {
    CaseReader *r;
    const FpdNode *node;
    const FpdBuffer *buffer;
    RtMap *map;
    unsigned bits;   // of an element
    uint64_t offset; // bytes from the buffer's beginning
} MapReader;

static bool read_map_shape(MapReader *m, const FpdNode *node) {
    static const int64_t bounds[2] = {1, INT64_C(1) << 40};
    const uint32_t rank = m->map->rank;
    int64_t sizes[RT_MAP_RANK_MAX] = {0};
    if (node && !read_map_list(m->r, node, "shape", rank, bounds, sizes)) return false;
    if (!node && m->buffer->rank != rank)
        return case_wrong(m->r, m->node->at,
                          "box has %u numbers and buffer %s %u dimension%s: the map needs a shape of its own", rank,
                          m->buffer->name, m->buffer->rank, m->buffer->rank == 1 ? "" : "s");
    if (!node && m->bits != element_info(m->buffer->type)->storage_bits)
        return case_wrong(m->r, m->node->at,
                          "elements of type %s have %u bits, those of buffer %s %u: the map needs a shape of its own",
                          map_types[m->map->type].name, m->bits, m->buffer->name,
                          element_info(m->buffer->type)->storage_bits);
    for (uint32_t d = 0; d < rank; d++)
        m->map->dimension[d] = (uint64_t)(node ? sizes[d] : m->buffer->shape[rank - 1 - d]);
    return true;
}

static bool map_is_too_large(MapReader *m) {
    return case_wrong(m->r, m->node->at, "the map is larger than buffer %s, which has %llu bytes", m->buffer->name,
                      (unsigned long long)m->buffer->bytes);
}

// Strides in bytes: without gaps, or those of the file, which are in elements.
static bool read_map_strides(MapReader *m, const FpdNode *node) {
    static const int64_t bounds[2] = {0, INT64_C(1) << 40};
    const uint32_t rank = m->map->rank;
    int64_t elements[RT_MAP_RANK_MAX] = {1};
    if (node && !read_map_list(m->r, node, "strides", rank, bounds, elements)) return false;
    if (node && elements[0] != 1)
        return case_wrong(m->r, node->at, "the innermost stride of a map is %lld, expected 1", (long long)elements[0]);
    for (uint32_t d = 0; d < rank; d++) {
        if (!node && d && __builtin_mul_overflow(elements[d - 1], (int64_t)m->map->dimension[d - 1], &elements[d]))
            return map_is_too_large(m);
        int64_t bits;
        if (__builtin_mul_overflow(elements[d], (int64_t)m->bits, &bits)) return map_is_too_large(m);
        if (d && bits % 8)
            return case_wrong(m->r, m->node->at, "a stride of the map is %lld elements of %u bits: no whole bytes",
                              (long long)elements[d], m->bits);
        m->map->stride[d] = (uint64_t)(bits + 7) / 8;
    }
    return true;
}

// All that the map describes lies in its buffer.
static bool check_map_extent(MapReader *m) {
    const RtMap *map = m->map;
    uint64_t end = m->offset + (map->dimension[0] * m->bits + 7) / 8; // less than 2^47
    for (uint32_t d = 1; d < map->rank; d++) {
        uint64_t more;
        if (__builtin_mul_overflow(map->dimension[d] - 1, map->stride[d], &more) ||
            __builtin_add_overflow(end, more, &end))
            return map_is_too_large(m);
    }
    return end <= m->buffer->bytes ||
           case_wrong(m->r, m->node->at, "the map reaches to byte %llu of buffer %s, which has %llu",
                      (unsigned long long)end, m->buffer->name, (unsigned long long)m->buffer->bytes);
}

static bool read_map_offset(MapReader *m, const FpdNode *node) {
    int64_t elements = 0;
    const int64_t most = (int64_t)(8 * m->buffer->bytes / m->bits);
    if (node && !case_read_integer(m->r, node, "offset", 0, most, &elements)) return false;
    m->offset = (uint64_t)elements * m->bits / 8;
    return elements * m->bits % 8 == 0 ||
           case_wrong(m->r, node->at, "the map begins at element %lld of %u bits: no whole byte", (long long)elements,
                      m->bits);
}

static bool read_map_box(MapReader *m, const FpdNode *box, const FpdNode *strides) {
    static const int64_t box_bounds[2] = {1, UINT32_MAX}, stride_bounds[2] = {1, UINT32_MAX};
    int64_t sizes[RT_MAP_RANK_MAX], steps[RT_MAP_RANK_MAX] = {1, 1, 1, 1, 1};
    if (!box->count || box->count > RT_MAP_RANK_MAX)
        return case_wrong(m->r, box->at, "box has %u numbers, expected one to %d", box->count, RT_MAP_RANK_MAX);
    m->map->rank = box->count;
    if (!read_map_list(m->r, box, "box", box->count, box_bounds, sizes) ||
        (strides && !read_map_list(m->r, strides, "element_strides", box->count, stride_bounds, steps)))
        return false;
    for (uint32_t d = 0; d < box->count; d++) {
        m->map->box[d] = (uint32_t)sizes[d];
        m->map->element_stride[d] = (uint32_t)steps[d];
    }
    return true;
}

static const char *map_text(Arena *arena, const RtMap *map, const FpdBuffer *buffer, unsigned swizzle,
                            uint64_t offset) {
    const char *text = arena_format(arena, "map of %s,", buffer->name);
    if (offset) text = arena_format(arena, "map of %s from byte %llu on,", buffer->name, (unsigned long long)offset);
    for (uint32_t d = map->rank; d-- > 0;)
        text = arena_format(arena, "%s %s%llu", text, d + 1 < map->rank ? "x " : "",
                            (unsigned long long)map->dimension[d]);
    text = arena_format(arena, "%s of %s, box", text, map_types[map->type].name);
    for (uint32_t d = map->rank; d-- > 0;)
        text = arena_format(arena, "%s %s%u", text, d + 1 < map->rank ? "x " : "", map->box[d]);
    return swizzle ? arena_format(arena, "%s, swizzle %s", text, swizzles.words[swizzle]) : text;
}

bool case_read_map(CaseReader *r, const FpdNode *node, FpdArgument *argument) {
    KeyNodes keys = {0};
    if (!case_read_keys(r, node, IN_MAP, keys)) return false;
    const FpdNode *name = keys[KEY_MAP_buffer];
    if (!case_find_buffer(r->cas, name->text, strlen(name->text), &argument->buffer))
        return case_wrong(r, name->at, "a map is of '%s', which is no buffer, expected one of: %s", name->text,
                          case_buffer_names(r));
    RtMap *map = arena_new(r->arena, RtMap);
    MapReader m = {.r = r, .node = node, .buffer = &r->cas->buffers[argument->buffer], .map = map};
    unsigned swizzle, interleave, fill;
    if (!read_map_type(r, keys[KEY_MAP_type], m.buffer, &map->type)) return false;
    m.bits = map_types[map->type].bits;
    if (!read_map_offset(&m, keys[KEY_MAP_offset]) ||
        !read_map_box(&m, keys[KEY_MAP_box], keys[KEY_MAP_element_strides]) ||
        !read_map_shape(&m, keys[KEY_MAP_shape]) || !read_map_strides(&m, keys[KEY_MAP_strides]) ||
        !check_map_extent(&m) || !read_map_word(r, keys[KEY_MAP_swizzle], &swizzles, &swizzle) ||
        !read_map_word(r, keys[KEY_MAP_interleave], &interleaves, &interleave) ||
        !read_map_word(r, keys[KEY_MAP_fill], &fills, &fill))
        return false;
    map->swizzle = (RtMapSwizzle)swizzle;
    map->interleave = (RtMapInterleave)interleave;
    map->fill_nan = fill;
    argument->kind = FPD_ARGUMENT_MAP;
    argument->map = map;
    argument->map_offset = m.offset;
    argument->text = map_text(r->arena, map, m.buffer, swizzle, m.offset);
    return true;
}
