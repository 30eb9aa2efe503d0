// SPDX-License-Identifier: Apache-2.0
// Types: interning, the rules of their parts, printing.
#include "compiler/tileir/tir.h"

#include <assert.h>
#include <string.h>

// ---- interning ----------------------------------------

struct TirInterner { // open addressing; a slot holds a type + 1
    uint32_t *slots;
    size_t capacity;
    TirType scalars[TIR_TYPE_COUNT]; // type + 1 of each kind without parts
};

static bool kind_is_view(TirTypeKind kind) {
    return kind == TIR_TYPE_partition_view || kind == TIR_TYPE_gather_scatter_view || kind == TIR_TYPE_strided_view;
}

static bool kind_has_strides(TirTypeKind kind) {
    return kind == TIR_TYPE_tensor_view || kind == TIR_TYPE_strided_view;
}
static bool kind_has_dim_map(TirTypeKind kind) {
    return kind == TIR_TYPE_partition_view || kind == TIR_TYPE_strided_view;
}
static bool kind_is_number(TirTypeKind kind) {
    return tir_type_rows[kind].class != TIR_CLASS_COMPOUND;
}

// The parts that the kind has, the others at one fixed value, so that equal types have equal infos.
static TirTypeInfo normal_type(const TirTypeInfo *info) {
    TirTypeInfo normal = {.kind = info->kind, .element = TIR_NO_TYPE, .ptr_attr = -1, .padding = TIR_PAD_none};
    bool pointer = info->kind == TIR_TYPE_ptr, tensor = info->kind == TIR_TYPE_tensor_view,
         view = kind_is_view(info->kind);
    if (pointer || tensor || view || info->kind == TIR_TYPE_tile) normal.element = info->element;
    if (pointer || tensor) normal.ptr_attr = info->ptr_attr;
    if (tensor || view || info->kind == TIR_TYPE_tile) {
        normal.rank = info->rank;
        normal.shape = info->shape;
    }
    if (kind_has_strides(info->kind)) normal.strides = info->strides;
    if (kind_has_dim_map(info->kind)) normal.dim_map = info->dim_map;
    if (view) normal.padding = info->padding;
    if (info->kind == TIR_TYPE_gather_scatter_view) normal.sparse_dim = info->sparse_dim;
    if (info->kind == TIR_TYPE_function) {
        normal.parameter_count = info->parameter_count;
        normal.result_count = info->result_count;
        normal.parameters = info->parameters;
        normal.results = info->results;
    }
    return normal;
}

static uint64_t hash_word(uint64_t hash, uint64_t word) {
    return (hash ^ word) * 0x9e3779b97f4a7c15 ^ hash >> 29;
}

static uint64_t hash_type(const TirTypeInfo *info) {
    uint64_t hash = hash_word(0, (uint64_t)info->kind << 32 | info->element);
    hash = hash_word(hash, (uint64_t)info->padding << 32 | info->sparse_dim);
    hash = hash_word(hash, (uint32_t)info->ptr_attr);
    for (uint32_t i = 0; i < info->rank; i++) hash = hash_word(hash, (uint64_t)info->shape[i]);
    for (uint32_t i = 0; info->strides && i < info->rank; i++) hash = hash_word(hash, (uint64_t)info->strides[i]);
    for (uint32_t i = 0; info->dim_map && i < info->rank; i++) hash = hash_word(hash, (uint64_t)info->dim_map[i]);
    for (uint32_t i = 0; i < info->parameter_count; i++) hash = hash_word(hash, info->parameters[i]);
    for (uint32_t i = 0; i < info->result_count; i++) hash = hash_word(hash, info->results[i]);
    return hash ^ hash >> 32;
}

static bool same_items(const void *a, const void *b, size_t count, size_t size) {
    return !count || !a || memcmp(a, b, count * size) == 0;
}

static bool same_type(const TirTypeInfo *a, const TirTypeInfo *b) {
    return a->kind == b->kind && a->element == b->element && a->rank == b->rank && a->padding == b->padding &&
           a->sparse_dim == b->sparse_dim && a->ptr_attr == b->ptr_attr && a->parameter_count == b->parameter_count &&
           a->result_count == b->result_count && same_items(a->shape, b->shape, a->rank, sizeof *a->shape) &&
           same_items(a->strides, b->strides, a->rank, sizeof *a->strides) &&
           same_items(a->dim_map, b->dim_map, a->rank, sizeof *a->dim_map) &&
           same_items(a->parameters, b->parameters, a->parameter_count, sizeof *a->parameters) &&
           same_items(a->results, b->results, a->result_count, sizeof *a->results);
}

static uint32_t *type_slot(const TirModule *module, const TirTypeInfo *info) {
    const struct TirInterner *interner = module->interner;
    size_t at = hash_type(info) & (interner->capacity - 1);
    while (interner->slots[at] && !same_type(&module->types[interner->slots[at] - 1], info))
        at = (at + 1) & (interner->capacity - 1);
    return &interner->slots[at];
}

static void grow_interner(TirModule *module) {
    if (!module->interner) module->interner = arena_new(&module->arena, struct TirInterner);
    struct TirInterner *interner = module->interner;
    if (module->type_count * (size_t)2 < interner->capacity) return;
    while (interner->capacity <= module->type_count * (size_t)2)
        interner->capacity = interner->capacity ? interner->capacity * 2 : 64;
    interner->slots = arena_array(&module->arena, uint32_t, interner->capacity);
    for (uint32_t type = 0; type < module->type_count; type++) *type_slot(module, &module->types[type]) = type + 1;
}

static const void *copy_items(Arena *arena, const void *items, size_t count, size_t size) {
    if (!items) return NULL;
    void *copy = arena_alloc_array(arena, count, size);
    if (count) memcpy(copy, items, count * size);
    return copy;
}

TirType tir_type_intern(TirModule *module, const TirTypeInfo *given) {
    grow_interner(module);
    TirTypeInfo info = normal_type(given);
    uint32_t *slot = type_slot(module, &info);
    if (*slot) return *slot - 1;
    info.shape = copy_items(&module->arena, info.shape, info.rank, sizeof *info.shape);
    info.strides = copy_items(&module->arena, info.strides, info.rank, sizeof *info.strides);
    info.dim_map = copy_items(&module->arena, info.dim_map, info.rank, sizeof *info.dim_map);
    info.parameters = copy_items(&module->arena, info.parameters, info.parameter_count, sizeof *info.parameters);
    info.results = copy_items(&module->arena, info.results, info.result_count, sizeof *info.results);
    module->types =
        arena_grow(&module->arena, module->types, module->type_count, &module->type_capacity, sizeof *module->types);
    module->types[module->type_count] = info;
    *slot = ++module->type_count;
    return module->type_count - 1;
}

TirType tir_type_scalar(TirModule *module, TirTypeKind kind) {
    assert(kind_is_number(kind) || kind == TIR_TYPE_token);
    grow_interner(module);
    TirType *known = &module->interner->scalars[kind];
    if (!*known) *known = tir_type_intern(module, &(TirTypeInfo){.kind = kind}) + 1;
    return *known - 1;
}

TirType tir_type_tile(TirModule *module, TirType element, uint32_t rank, const int64_t *shape) {
    return tir_type_intern(module,
                           &(TirTypeInfo){.kind = TIR_TYPE_tile, .element = element, .rank = rank, .shape = shape});
}

// ---- questions ----------------------------------------

const TirTypeInfo *tir_type(const TirModule *module, TirType type) {
    assert(type < module->type_count);
    return &module->types[type];
}

bool tir_type_is_float(const TirModule *module, TirType type) {
    return tir_type_rows[tir_type(module, type)->kind].class == TIR_CLASS_FLOAT;
}

bool tir_type_is_integer(const TirModule *module, TirType type) {
    return tir_type_rows[tir_type(module, type)->kind].class == TIR_CLASS_INTEGER;
}

TirTypeKind tir_tile_element_kind(const TirModule *module, TirType tile) {
    assert(tir_type(module, tile)->kind == TIR_TYPE_tile);
    return tir_type(module, tir_type(module, tile)->element)->kind;
}

int64_t tir_tile_elements(const TirModule *module, TirType tile) {
    const TirTypeInfo *info = tir_type(module, tile);
    int64_t elements = 1;
    for (uint32_t i = 0; i < info->rank; i++) elements *= info->shape[i];
    return elements;
}

// ---- rules ----------------------------------------

static const char *element_problem(TirModule *module, const TirTypeInfo *info) {
    TirTypeKind element = tir_type(module, info->element)->kind;
    bool tile = info->kind == TIR_TYPE_tile, number = kind_is_number(element);
    if (number && (tile || element != TIR_TYPE_i4)) return NULL;
    if (tile && element == TIR_TYPE_ptr) return NULL;
    return arena_format(&module->arena, "%s of %s, expected a number%s", tir_type_rows[info->kind].name,
                        tir_type_rows[element].name, tile ? " or ptr" : " other than i4");
}

static const char *tile_problem(TirModule *module, TirTypeKind element, uint32_t rank, const int64_t *shape) {
    int64_t elements = 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] <= 0 || (shape[i] & (shape[i] - 1)))
            return arena_format(&module->arena, "tile dimension %u is %lld, expected a power of two", i,
                                (long long)shape[i]);
        if (shape[i] > TIR_TILE_ELEMENTS_MAX / elements)
            return arena_format(&module->arena, "tile has more than %d elements", TIR_TILE_ELEMENTS_MAX);
        elements *= shape[i];
    }
    if (element == TIR_TYPE_f4E2M1FN && elements == 1) return "tile of one f4E2M1FN, expected an even number of them";
    return NULL;
}

static const char *tensor_view_problem(TirModule *module, const TirTypeInfo *info) {
    for (uint32_t i = 0; i < info->rank; i++) {
        if (info->shape[i] <= 0 && info->shape[i] != TIR_DYNAMIC)
            return arena_format(&module->arena, "tensor_view extent %u is %lld, expected a positive or dynamic one", i,
                                (long long)info->shape[i]);
        if (info->strides[i] <= 0 && info->strides[i] != TIR_DYNAMIC)
            return arena_format(&module->arena, "tensor_view stride %u is %lld, expected a positive or dynamic one", i,
                                (long long)info->strides[i]);
    }
    return NULL;
}

static const char *dim_map_problem(TirModule *module, const TirTypeInfo *info) {
    uint64_t used = 0; // a rank is at most TIR_RANK_MAX
    for (uint32_t i = 0; i < info->rank; i++) {
        int32_t dim = info->dim_map[i];
        if (dim < 0 || (uint32_t)dim >= info->rank)
            return arena_format(&module->arena, "dim_map entry %u is %d, expected 0 to %u", i, dim, info->rank - 1);
        if (used >> dim & 1) return arena_format(&module->arena, "dim_map names dimension %d twice", dim);
        used |= (uint64_t)1 << dim;
    }
    return NULL;
}

static const char *view_problem(TirModule *module, const TirTypeInfo *info) {
    const TirTypeInfo *tensor = tir_type(module, info->element);
    const char *name = tir_type_rows[info->kind].name;
    if (tensor->kind != TIR_TYPE_tensor_view)
        return arena_format(&module->arena, "%s of %s, expected a tensor_view", name, tir_type_rows[tensor->kind].name);
    if (!info->rank || info->rank != tensor->rank)
        return arena_format(&module->arena,
                            "%s has a tile of rank %u on a tensor_view of rank %u, expected equal ranks above 0", name,
                            info->rank, tensor->rank);
    TirTypeKind element = tir_type(module, tensor->element)->kind;
    const char *problem = tile_problem(module, element, info->rank, info->shape);
    if (!problem && kind_has_dim_map(info->kind)) problem = dim_map_problem(module, info);
    if (problem) return problem;
    for (uint32_t i = 0; info->kind == TIR_TYPE_strided_view && i < info->rank; i++)
        if (info->strides[i] <= 0)
            return arena_format(&module->arena, "traversal stride %u is %lld, expected a positive one", i,
                                (long long)info->strides[i]);
    if (info->kind == TIR_TYPE_gather_scatter_view && info->sparse_dim >= info->rank)
        return arena_format(&module->arena, "sparse_dim is %u, expected less than %u", info->sparse_dim, info->rank);
    if (info->padding != TIR_PAD_none && info->padding != TIR_PAD_zero &&
        tir_type_rows[element].class != TIR_CLASS_FLOAT)
        return arena_format(&module->arena, "padding %s of %s elements, expected a float type or zero",
                            tir_enum_word(&tir_enum_padding, info->padding), tir_type_rows[element].name);
    return NULL;
}

static const char *function_problem(TirModule *module, const TirTypeInfo *info) {
    for (uint32_t i = 0; i < info->parameter_count + info->result_count; i++) {
        bool parameter = i < info->parameter_count;
        TirType type = parameter ? info->parameters[i] : info->results[i - info->parameter_count];
        if (tir_type(module, type)->kind == TIR_TYPE_function)
            return arena_format(&module->arena, "%s %u of a function is a function", parameter ? "parameter" : "result",
                                parameter ? i : i - info->parameter_count);
    }
    return NULL;
}

const char *tir_type_problem(TirModule *module, const TirTypeInfo *info) {
    if (info->rank > TIR_RANK_MAX)
        return arena_format(&module->arena, "rank %u, at most %d is supported", info->rank, TIR_RANK_MAX);
    if (kind_is_view(info->kind)) return view_problem(module, info);
    if (info->kind == TIR_TYPE_function) return function_problem(module, info);
    if (kind_is_number(info->kind) || info->kind == TIR_TYPE_token) return NULL;
    const char *problem = element_problem(module, info);
    if (problem) return problem;
    if (info->kind == TIR_TYPE_tile)
        return tile_problem(module, tir_type(module, info->element)->kind, info->rank, info->shape);
    return info->kind == TIR_TYPE_tensor_view ? tensor_view_problem(module, info) : NULL;
}

// ---- printing ----------------------------------------

static void print_number(Buffer *out, int64_t number) {
    if (number == TIR_DYNAMIC)
        buffer_print(out, "?");
    else
        buffer_print(out, "%lld", (long long)number);
}

static void print_numbers(Buffer *out, const int64_t *numbers, uint32_t count, const char *separator) {
    for (uint32_t i = 0; i < count; i++) {
        if (i) buffer_print(out, "%s", separator);
        print_number(out, numbers[i]);
    }
}

static void print_shaped(const TirModule *module, const TirTypeInfo *info, Buffer *out) {
    print_numbers(out, info->shape, info->rank, "x");
    if (info->rank) buffer_print(out, "x");
    tir_type_print(module, info->element, out);
}

static void print_dim_map(const TirTypeInfo *info, Buffer *out) {
    bool identity = true;
    for (uint32_t i = 0; i < info->rank; i++) identity &= info->dim_map[i] == (int32_t)i;
    if (identity) return;
    for (uint32_t i = 0; i < info->rank; i++) buffer_print(out, "%s%d", i ? ", " : ", dim_map=[", info->dim_map[i]);
    buffer_print(out, "]");
}

static void print_view_type(const TirModule *module, const TirTypeInfo *info, Buffer *out) {
    buffer_print(out, "%s<tile=(", tir_type_rows[info->kind].name);
    print_numbers(out, info->shape, info->rank, "x");
    buffer_print(out, "), ");
    if (info->kind == TIR_TYPE_strided_view) {
        buffer_print(out, "traversal_strides=[");
        print_numbers(out, info->strides, info->rank, ",");
        buffer_print(out, "], ");
    }
    if (info->padding != TIR_PAD_none)
        buffer_print(out, "padding_value = %s, ", tir_enum_word(&tir_enum_padding, info->padding));
    tir_type_print(module, info->element, out);
    if (info->dim_map) print_dim_map(info, out);
    if (info->kind == TIR_TYPE_gather_scatter_view) buffer_print(out, ", sparse_dim=%u", info->sparse_dim);
    buffer_print(out, ">");
}

static void print_type_list(const TirModule *module, const TirType *types, uint32_t count, Buffer *out) {
    buffer_print(out, "(");
    for (uint32_t i = 0; i < count; i++) {
        if (i) buffer_print(out, ", ");
        tir_type_print(module, types[i], out);
    }
    buffer_print(out, ")");
}

void tir_type_print(const TirModule *module, TirType type, Buffer *out) {
    const TirTypeInfo *info = tir_type(module, type);
    switch (info->kind) {
    case TIR_TYPE_tile:
        buffer_print(out, "tile<");
        print_shaped(module, info, out);
        buffer_print(out, ">");
        break;
    case TIR_TYPE_ptr:
        buffer_print(out, "ptr<");
        tir_type_print(module, info->element, out);
        if (info->ptr_attr >= 0)
            buffer_print(out, ", <%s>", tir_enum_word(&tir_enum_pointer_attribute, (uint64_t)info->ptr_attr));
        buffer_print(out, ">");
        break;
    case TIR_TYPE_tensor_view:
        buffer_print(out, "tensor_view<");
        print_shaped(module, info, out);
        if (info->rank) {
            buffer_print(out, ", strides=[");
            print_numbers(out, info->strides, info->rank, ",");
            buffer_print(out, "]");
        }
        if (info->ptr_attr >= 0)
            buffer_print(out, ", #cuda_tile.ptr_attr<%s>",
                         tir_enum_word(&tir_enum_pointer_attribute, (uint64_t)info->ptr_attr));
        buffer_print(out, ">");
        break;
    case TIR_TYPE_partition_view:
    case TIR_TYPE_strided_view:
    case TIR_TYPE_gather_scatter_view: print_view_type(module, info, out); break;
    case TIR_TYPE_function:
        print_type_list(module, info->parameters, info->parameter_count, out);
        buffer_print(out, " -> ");
        print_type_list(module, info->results, info->result_count, out);
        break;
    default: buffer_print(out, "%s", tir_type_rows[info->kind].name);
    }
}
