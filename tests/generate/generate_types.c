// SPDX-License-Identifier: Apache-2.0
// Random types: numbers, shapes, tiles, pointers, views, and what a column of ops.def allows.
#include "tests/generate/generate.h"

#include <assert.h>

// ---- numbers and shapes ---------------------------------------------------------------------------------------------

static TirTypeKind pick_kind(Generator *g, uint32_t kinds) {
    TirTypeKind found[TIR_TYPE_COUNT];
    uint32_t count = 0;
    if (!g->text_only) kinds &= ~(uint32_t)KINDS_TEXT;
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++)
        if (kinds >> kind & 1 && tir_type_rows[kind].since <= g->module->version) found[count++] = (TirTypeKind)kind;
    assert(count);
    return found[below(g, count)];
}

TirTypeKind random_kind(Generator *g, uint32_t kinds) {
    return pick_kind(g, kinds);
}

TirTypeKind random_kind_for(Generator *g, uint32_t kinds, const Shape *shape) {
    return pick_kind(g, shape_elements(shape) == 1 ? kinds & ~KIND(f4E2M1FN) : kinds);
}

int64_t shape_elements(const Shape *shape) {
    int64_t elements = 1;
    for (uint32_t i = 0; i < shape->rank; i++) elements *= shape->sizes[i];
    return elements;
}

Shape random_shape(Generator *g, int rank) {
    Shape shape = {.rank = rank == ANY_RANK ? (uint32_t)below(g, SHAPE_RANK_MAX) : (uint32_t)rank};
    int64_t left = one_in(g, 30) ? 1 << 12 : SHAPE_ELEMENTS_MAX;
    for (uint32_t i = 0; i < shape.rank; i++) {
        int64_t size = (int64_t)1 << below(g, shape.rank == 1 && left > SHAPE_ELEMENTS_MAX ? 12 : 5);
        shape.sizes[i] = size <= left ? size : 1;
        left /= shape.sizes[i];
    }
    return shape;
}

Shape random_even_shape(Generator *g, int rank) {
    Shape shape = random_shape(g, rank == ANY_RANK ? 1 + (int)below(g, SHAPE_RANK_MAX - 1) : rank);
    if (shape_elements(&shape) == 1) shape.sizes[below(g, shape.rank)] = 2;
    return shape;
}

Shape shape_of(const Generator *g, TirType type) {
    const TirTypeInfo *info = tir_type(g->module, type);
    Shape shape = {.rank = info->rank};
    assert(info->rank <= SHAPE_RANK_MAX);
    for (uint32_t i = 0; i < info->rank; i++) shape.sizes[i] = info->shape[i];
    return shape;
}

// ---- tiles and pointers ---------------------------------------------------------------------------------------------

TirType tile_of(Generator *g, TirType element, const Shape *shape) {
    return tir_type_tile(g->module, element, shape->rank, shape->sizes);
}

TirType number_tile(Generator *g, TirTypeKind kind, const Shape *shape) {
    return tile_of(g, tir_type_scalar(g->module, kind), shape);
}

TirType scalar_of(Generator *g, TirTypeKind kind) {
    return number_tile(g, kind, &(Shape){0});
}

// None, or one that all ops on memory take: multicast pointers are for multimem ops.
static int32_t random_pointer_attribute(Generator *g) {
    if (g->module->version < 1304 || !one_in(g, 6)) return -1;
    return g->module->version >= 1305 && one_in(g, 2) ? TIR_pointer_attribute_unicast : TIR_pointer_attribute_none;
}

TirType pointer_to(Generator *g, TirType pointee, int32_t ptr_attr) {
    if (ptr_attr == ANY_POINTER) ptr_attr = random_pointer_attribute(g);
    return tir_type_intern(g->module, &(TirTypeInfo){.kind = TIR_TYPE_ptr, .element = pointee, .ptr_attr = ptr_attr});
}

TirType pointer_tile(Generator *g, TirTypeKind pointee, const Shape *shape) {
    return tile_of(g, pointer_to(g, tir_type_scalar(g->module, pointee), ANY_POINTER), shape);
}

// ---- views ----------------------------------------------------------------------------------------------------------

TirType random_tensor_view(Generator *g, uint32_t elements, int rank) {
    TirTypeKind kind = random_kind(g, elements);
    int64_t shape[SHAPE_RANK_MAX], strides[SHAPE_RANK_MAX];
    uint32_t dimensions = rank == ANY_RANK ? (uint32_t)below(g, SHAPE_RANK_MAX) : (uint32_t)rank;
    for (uint32_t i = 0; i < dimensions; i++) {
        // Rows of f4E2M1FN have an even length: two elements share a byte.
        shape[i] = one_in(g, 2) ? TIR_DYNAMIC : (int64_t)(1 + below(g, 200)) << (kind == TIR_TYPE_f4E2M1FN);
        strides[i] = one_in(g, 3) ? TIR_DYNAMIC : one_in(g, 2) ? 1 : (int64_t)(1 + below(g, 5000));
        if (one_in(g, 40)) shape[i] = (int64_t)1 << below(g, 62) << (kind == TIR_TYPE_f4E2M1FN);
    }
    TirTypeInfo info = {.kind = TIR_TYPE_tensor_view,
                        .element = tir_type_scalar(g->module, kind),
                        .rank = dimensions,
                        .shape = shape,
                        .strides = strides,
                        .ptr_attr = random_pointer_attribute(g)};
    return tir_type_intern(g->module, &info);
}

TirType random_view(Generator *g, uint32_t kinds, uint32_t elements, bool padded) {
    Shape shape = random_even_shape(g, ANY_RANK);
    TirType tensor = random_tensor_view(g, elements, (int)shape.rank);
    TirTypeKind element = tir_type(g->module, tir_type(g->module, tensor)->element)->kind;
    int64_t strides[SHAPE_RANK_MAX];
    int32_t dim_map[SHAPE_RANK_MAX];
    for (uint32_t i = 0; i < shape.rank; i++) {
        uint32_t other = (uint32_t)below(g, i + 1);
        strides[i] = (int64_t)(1 + below(g, 40));
        dim_map[i] = (int32_t)i;
        if (one_in(g, 2)) dim_map[i] = dim_map[other], dim_map[other] = (int32_t)i;
    }
    TirPadding padding = TIR_PAD_none;
    if (padded && one_in(g, 2))
        padding = tir_type_rows[element].class == TIR_CLASS_FLOAT ? (TirPadding)below(g, TIR_PAD_none) : TIR_PAD_zero;
    TirTypeInfo info = {.kind = random_kind(g, kinds),
                        .element = tensor,
                        .rank = shape.rank,
                        .shape = shape.sizes,
                        .strides = strides,
                        .dim_map = dim_map,
                        .sparse_dim = (uint32_t)below(g, shape.rank),
                        .padding = padding};
    return tir_type_intern(g->module, &info);
}

// ---- by rule --------------------------------------------------------------------------------------------------------

static TirType random_tile(Generator *g, uint32_t elements, const Shape *shape) {
    TirTypeKind kind = random_kind_for(g, elements, shape);
    const uint32_t pointees = shape->rank ? KINDS_POINTEE : KINDS_NUMBER;
    return kind == TIR_TYPE_ptr ? pointer_tile(g, random_kind(g, pointees), shape) : number_tile(g, kind, shape);
}

TirType random_carried(Generator *g) {
    Shape shape = random_shape(g, ANY_RANK);
    if (one_in(g, 6)) return tir_type_scalar(g->module, TIR_TYPE_token);
    return random_tile(g, KINDS_NUMBER | KIND(i4) | KIND(ptr), &shape);
}

static bool rule_allows(const Generator *g, const TirTypeRule *rule, TirType type) {
    const TirTypeInfo *info = tir_type(g->module, type);
    if (!(rule->kinds >> info->kind & 1)) return false;
    if (info->kind != TIR_TYPE_tile) return true;
    if (!(rule->elements >> tir_type(g->module, info->element)->kind & 1)) return false;
    return (rule->rank < 0 || info->rank == (uint32_t)rule->rank) && info->rank <= SHAPE_RANK_MAX;
}

// What the relations say of a tile: they were chosen so that a tile can follow them.
typedef struct Demand {
    bool has_shape;
    Shape shape;
    TirType element; // TIR_NO_TYPE: any
    int rank;
} Demand;

static Demand demand_of(Generator *g, const TirTypeRule *rule, const TirType *related) {
    Demand demand = {.element = TIR_NO_TYPE, .rank = rule->rank};
    for (uint32_t i = 0; i < rule->relation_count; i++) {
        if (related[i] == TIR_NO_TYPE) continue;
        const TirTypeInfo *other = tir_type(g->module, related[i]);
        char relation = rule->relations[i].relation;
        if (relation == '~' || relation == '&') demand.has_shape = true, demand.shape = shape_of(g, related[i]);
        if (relation == '^') demand.element = other->element;
        if (relation == '&') demand.element = pointer_to(g, other->element, ANY_POINTER);
        if (relation == '%') demand.rank = (int)other->rank;
    }
    return demand;
}

static TirType demanded_tile(Generator *g, const TirTypeRule *rule, const TirType *related) {
    Demand demand = demand_of(g, rule, related);
    if (demand.element == TIR_NO_TYPE) {
        Shape shape = demand.has_shape ? demand.shape : random_shape(g, demand.rank);
        return random_tile(g, rule->elements, &shape);
    }
    bool even = tir_type(g->module, demand.element)->kind == TIR_TYPE_f4E2M1FN;
    Shape shape = demand.has_shape ? demand.shape
                  : even           ? random_even_shape(g, demand.rank)
                                   : random_shape(g, demand.rank);
    return tile_of(g, demand.element, &shape);
}

// A type that is in use already, so that values are used, too.
static bool type_in_use(Generator *g, const TirTypeRule *rule, TirType *type) {
    for (int tries = 0; tries < 8 && g->visible_count; tries++) {
        *type = tir_value_type(g->function, g->visible[below(g, g->visible_count)]);
        if (rule_allows(g, rule, *type)) return true;
    }
    return false;
}

TirType random_type(Generator *g, const TirTypeRule *rule, const TirType *related) {
    bool is_related = false;
    TirType type;
    for (uint32_t i = 0; i < rule->relation_count; i++) {
        if (rule->relations[i].relation == '=' && related[i] != TIR_NO_TYPE) return related[i];
        is_related |= related[i] != TIR_NO_TYPE;
    }
    if (!is_related && one_in(g, 2) && type_in_use(g, rule, &type)) return type;
    if (rule->kinds & KIND(tile)) return demanded_tile(g, rule, related);
    if (rule->kinds & KIND(token)) return tir_type_scalar(g->module, TIR_TYPE_token);
    if (rule->kinds & KIND(tensor_view)) return random_tensor_view(g, KINDS_NUMBER, ANY_RANK);
    return random_view(g, rule->kinds & KINDS_VIEW, KINDS_NUMBER, true);
}
