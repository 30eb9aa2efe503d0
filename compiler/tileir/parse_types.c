// SPDX-License-Identifier: Apache-2.0
// Types of the text form, with and without !cuda_tile. before them, and aliases of types.
#include "compiler/tileir/parse_internal.h"

bool parse_at_type(const Parser *p) {
    return parse_at(p, TOKEN_WORD) || parse_at(p, TOKEN_BANG);
}

bool parse_push_type(Parser *p, TirType type) {
    tile_parser(p)->types = arena_grow(&p->scratch, tile_parser(p)->types, tile_parser(p)->type_count,
                                       &tile_parser(p)->type_capacity, sizeof *tile_parser(p)->types);
    tile_parser(p)->types[tile_parser(p)->type_count++] = type;
    return true;
}

// The type of these parts, if they fit together.
static bool finish_type(Parser *p, const Token *at, const TirTypeInfo *info, TirType *type) {
    const char *problem = tir_type_problem(p->module, info);
    if (problem) return parse_fail(p, at, "%s", problem);
    *type = tir_type_intern(p->module, info);
    return true;
}

// ---- parts ----------------------------------------------------------------------------------------------------------

// name = or name=
static bool parse_field(Parser *p, const char *name) {
    return parse_need_word(p, name) && parse_need(p, '=', "'='");
}

// [1, 2, ?]; at most TIR_RANK_MAX
static bool parse_size_list(Parser *p, bool dynamic, int64_t low, int64_t high, uint32_t *count, int64_t *sizes) {
    *count = 0;
    if (!parse_need(p, '[', "'['")) return false;
    if (parse_take(p, ']')) return true;
    do {
        Token at = p->token;
        int64_t size = TIR_DYNAMIC;
        if (*count == TIR_RANK_MAX) return parse_fail_with(p, &at, E_LIMIT, "more than %d dimensions", TIR_RANK_MAX);
        if (!(dynamic && parse_take(p, '?'))) {
            if (!parse_integer(p, &size, dynamic ? "a number or '?'" : "a number")) return false;
            if (size < low || size > high) return parse_fail(p, &at, "%lld is out of range", (long long)size);
        }
        sizes[(*count)++] = size;
    } while (parse_take(p, ','));
    return parse_need(p, ']', "',' or ']'");
}

static bool parse_pointer_attribute(Parser *p, int32_t *attribute) {
    uint64_t value;
    if (parse_at(p, TOKEN_HASH)) {
        if (strcmp(token_name(p, &p->token), "ptr_attr") != 0) return parse_expected(p, "#cuda_tile.ptr_attr");
        parse_advance(p);
    }
    if (!parse_need(p, '<', "'<' of an attribute") ||
        !parse_enum_word(p, &tir_enum_pointer_attribute, "an attribute of pointers", &value) ||
        !parse_need(p, '>', "'>'"))
        return false;
    *attribute = (int32_t)value;
    return true;
}

// ---- one function per kind ------------------------------------------------------------------------------------------

static bool parse_tile(Parser *p, const Token *at, TirType *type) {
    int64_t shape[TIR_RANK_MAX];
    TirTypeInfo info = {.kind = TIR_TYPE_tile, .shape = shape};
    return parse_dimensions(p, false, false, &info.rank, shape) && parse_type(p, &info.element) &&
           parse_need(p, '>', "'>'") && finish_type(p, at, &info, type);
}

static bool parse_pointer(Parser *p, const Token *at, TirType *type) {
    TirTypeInfo info = {.kind = TIR_TYPE_ptr, .ptr_attr = -1};
    if (!parse_type(p, &info.element)) return false;
    if (parse_take(p, ',') && !parse_pointer_attribute(p, &info.ptr_attr)) return false;
    return parse_need(p, '>', "'>'") && finish_type(p, at, &info, type);
}

static bool parse_tensor_view(Parser *p, const Token *at, TirType *type) {
    int64_t shape[TIR_RANK_MAX], strides[TIR_RANK_MAX];
    TirTypeInfo info = {.kind = TIR_TYPE_tensor_view, .shape = shape, .strides = strides, .ptr_attr = -1};
    if (!parse_dimensions(p, true, false, &info.rank, shape) || !parse_type(p, &info.element)) return false;
    if (info.rank) {
        uint32_t count;
        if (!parse_need(p, ',', "',' and the strides")) return false;
        Token strides_at = p->token;
        if (!parse_field(p, "strides") || !parse_size_list(p, true, 1, INT64_MAX, &count, strides)) return false;
        if (count != info.rank) return parse_fail(p, &strides_at, "%u strides for %u dimensions", count, info.rank);
    }
    if (parse_take(p, ',') && !parse_pointer_attribute(p, &info.ptr_attr)) return false;
    return parse_need(p, '>', "'>'") && finish_type(p, at, &info, type);
}

static bool parse_padding(Parser *p, TirPadding *padding) {
    uint64_t value;
    *padding = TIR_PAD_none;
    if (!parse_at_word(p, "padding_value")) return true;
    if (!parse_field(p, "padding_value") || !parse_enum_word(p, &tir_enum_padding, "a padding", &value) ||
        !parse_need(p, ',', "','"))
        return false;
    *padding = (TirPadding)value;
    return true;
}

static bool parse_tile_shape(Parser *p, uint32_t *rank, int64_t *shape) {
    if (!parse_field(p, "tile")) return false;
    if (!parse_at(p, '(')) return parse_expected(p, "'('");
    parse_advance(p);
    return parse_dimensions(p, false, true, rank, shape) && parse_need(p, ')', "')'") && parse_need(p, ',', "','");
}

// , dim_map=[1, 0]: absent it is the identity.
static bool parse_dim_map(Parser *p, uint32_t rank, int32_t *map) {
    int64_t dims[TIR_RANK_MAX];
    uint32_t count;
    for (uint32_t i = 0; i < rank; i++) map[i] = (int32_t)i;
    if (!parse_take(p, ',')) return true;
    Token at = p->token;
    if (!parse_field(p, "dim_map") || !parse_size_list(p, false, INT32_MIN, INT32_MAX, &count, dims)) return false;
    if (count != rank) return parse_fail(p, &at, "dim_map has %u entries for a tile of rank %u", count, rank);
    for (uint32_t i = 0; i < rank; i++) map[i] = (int32_t)dims[i];
    return true;
}

static bool parse_view(Parser *p, const Token *at, TirTypeKind kind, TirType *type) {
    int64_t shape[TIR_RANK_MAX], strides[TIR_RANK_MAX];
    int32_t dim_map[TIR_RANK_MAX];
    TirTypeInfo info = {.kind = kind, .shape = shape, .strides = strides, .dim_map = dim_map};
    if (!parse_tile_shape(p, &info.rank, shape)) return false;
    if (kind == TIR_TYPE_strided_view) {
        uint32_t count;
        Token strides_at = p->token;
        if (!parse_field(p, "traversal_strides") || !parse_size_list(p, false, INT32_MIN, INT32_MAX, &count, strides) ||
            !parse_need(p, ',', "','"))
            return false;
        if (count != info.rank)
            return parse_fail(p, &strides_at, "%u traversal strides for a tile of rank %u", count, info.rank);
    }
    if (!parse_padding(p, &info.padding) || !parse_type(p, &info.element)) return false;
    if (kind == TIR_TYPE_gather_scatter_view) {
        int64_t dim;
        if (!parse_need(p, ',', "','") || !parse_field(p, "sparse_dim")) return false;
        Token dim_at = p->token;
        if (!parse_integer(p, &dim, "a dimension")) return false;
        if (dim < 0 || dim > UINT32_MAX) return parse_fail(p, &dim_at, "sparse_dim is %lld", (long long)dim);
        info.sparse_dim = (uint32_t)dim;
    } else if (!parse_dim_map(p, info.rank, dim_map)) {
        return false;
    }
    return parse_need(p, '>', "'>'") && finish_type(p, at, &info, type);
}

// ---- types ----------------------------------------------------------------------------------------------------------

static bool type_named(const char *name, TirTypeKind *kind) {
    for (uint32_t i = 0; i < TIR_TYPE_COUNT; i++) {
        *kind = (TirTypeKind)i;
        if (*kind != TIR_TYPE_function && strcmp(tir_type_rows[i].name, name) == 0) return true;
    }
    return false;
}

static bool parse_compound(Parser *p, const Token *at, TirTypeKind kind, TirType *type) {
    if (!parse_at(p, '<')) return parse_expected(p, "'<'");
    parse_advance(p);
    switch (kind) {
    case TIR_TYPE_tile: return parse_tile(p, at, type);
    case TIR_TYPE_ptr: return parse_pointer(p, at, type);
    case TIR_TYPE_tensor_view: return parse_tensor_view(p, at, type);
    default: return parse_view(p, at, kind, type);
    }
}

static bool parse_named_type(Parser *p, TirType *type) {
    Token at = p->token;
    const char *name = token_name(p, &at);
    TirTypeKind kind;
    uint64_t alias;
    if (at.kind == TOKEN_BANG && map_find(&tile_parser(p)->type_aliases, name, &alias)) {
        *type = (TirType)alias;
        parse_advance(p);
        return true;
    }
    if (!type_named(name, &kind)) return parse_expected(p, "a type");
    parse_advance(p);
    if (tir_type_rows[kind].class != TIR_CLASS_COMPOUND || kind == TIR_TYPE_token) {
        *type = tir_type_scalar(p->module, kind);
        return true;
    }
    return parse_enter(p) && parse_compound(p, &at, kind, type) && (parse_leave(p), true);
}

bool parse_type(Parser *p, TirType *type) {
    if (parse_at_type(p)) return parse_named_type(p, type);
    if (!parse_at(p, '(')) return parse_expected(p, "a type");
    Token at = p->token;
    uint32_t parameters, results, first = (uint32_t)tile_parser(p)->type_count;
    if (!parse_enter(p) || !parse_function_type(p, &parameters, &results)) return false;
    parse_leave(p);
    TirTypeInfo info = {.kind = TIR_TYPE_function, .parameter_count = parameters, .result_count = results};
    info.parameters = tile_parser(p)->types + first;
    info.results = tile_parser(p)->types + first + parameters;
    tile_parser(p)->type_count = first;
    return finish_type(p, &at, &info, type);
}

bool parse_type_list(Parser *p, uint32_t *count) {
    *count = 0;
    do {
        TirType type;
        if (!parse_type(p, &type) || !parse_push_type(p, type)) return false;
        ++*count;
    } while (parse_take(p, ','));
    return true;
}

bool parse_result_types(Parser *p, uint32_t *count) {
    if (!parse_take(p, '(')) {
        TirType type;
        *count = 1;
        return parse_type(p, &type) && parse_push_type(p, type);
    }
    *count = 0;
    if (parse_take(p, ')')) return true;
    return parse_type_list(p, count) && parse_need(p, ')', "',' or ')'");
}

bool parse_function_type(Parser *p, uint32_t *parameters, uint32_t *results) {
    if (!parse_at(p, '(')) return parse_expected(p, "'(' of a function type");
    return parse_result_types(p, parameters) && parse_need(p, TOKEN_ARROW, "'->'") && parse_result_types(p, results);
}
