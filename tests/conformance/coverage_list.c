// SPDX-License-Identifier: Apache-2.0
// What there is to be covered, from the tables of ops, types and enumerations.
#include "tests/conformance/coverage.h"

#include <stdarg.h>
#include <string.h>

static void BASE_PRINTF(3, 4) coverage_add(Coverage *coverage, CoverageGroup group, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *key = arena_vformat(coverage->arena, format, args);
    va_end(args);
    if (!map_insert(&coverage->index, coverage->arena, key, coverage->count)) return;
    coverage->items =
        arena_grow(coverage->arena, coverage->items, coverage->count, &coverage->capacity, sizeof *coverage->items);
    coverage->items[coverage->count++] = (CoverageItem){.key = key, .group = group};
}

// A type that is said by a relation alone ("=lhs") has nothing of its own.
bool coverage_has_elements(const TirTypeRule *rule) {
    for (uint32_t i = 0; i < rule->relation_count; i++)
        if (rule->relations[i].relation == '=') return false;
    return rule->elements != 0;
}

uint32_t coverage_other_kinds(const TirTypeRule *rule) {
    uint32_t kinds = rule->kinds & ~(1u << TIR_TYPE_tile);
    bool one = !(kinds & (kinds - 1)) && !(rule->kinds >> TIR_TYPE_tile & 1);
    return one || (rule->relation_count && rule->relations[0].relation == '=') ? 0 : kinds;
}

static bool can_be_read(TirTypeKind kind) {
    return tir_type_rows[kind].since <= TIR_VERSION_MAX;
}

// ---- ops ------------------------------------------------------------------------------------------------------------

static void list_values(Coverage *coverage, const TirOpInfo *info, const TirOperandInfo *value, bool variadic) {
    if (variadic || value->arity == TIR_OPTIONAL) {
        coverage_add(coverage, GROUP_OPERANDS, KEY_WITH, info->name, value->name);
        coverage_add(coverage, GROUP_OPERANDS, KEY_WITHOUT, info->name, value->name);
    }
    uint32_t kinds = coverage_other_kinds(&value->type);
    if (coverage_has_elements(&value->type)) kinds |= value->type.elements;
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++)
        if (kinds >> kind & 1 && can_be_read(kind))
            coverage_add(coverage, GROUP_ELEMENTS, KEY_TYPE_OF, info->name, value->name, tir_type_rows[kind].name);
}

static void list_attribute(Coverage *coverage, const TirOpInfo *info, const TirAttributeInfo *attribute) {
    if (attribute->since > TIR_VERSION_MAX) return;
    if (attribute->optional || attribute->kind == TIR_ATTR_UNIT) {
        coverage_add(coverage, GROUP_ATTRIBUTES, KEY_WITH, info->name, attribute->name);
        coverage_add(coverage, GROUP_ATTRIBUTES, KEY_WITHOUT, info->name, attribute->name);
    }
    if (attribute->kind == TIR_ATTR_ENUM)
        for (uint32_t i = 0; i < attribute->enumeration->count; i++)
            coverage_add(coverage, GROUP_ATTRIBUTES, KEY_ATTRIBUTE, info->name, attribute->name,
                         attribute->enumeration->words[i]);
    if (attribute->kind == TIR_ATTR_BOOL || attribute->kind == TIR_ATTR_BOOL_ARRAY) {
        coverage_add(coverage, GROUP_ATTRIBUTES, KEY_ATTRIBUTE, info->name, attribute->name, "true");
        coverage_add(coverage, GROUP_ATTRIBUTES, KEY_ATTRIBUTE, info->name, attribute->name, "false");
    }
    if (attribute->kind == TIR_ATTR_ARRAY) // of numbers
        for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++)
            if (tir_type_rows[kind].class != TIR_CLASS_COMPOUND && can_be_read(kind))
                coverage_add(coverage, GROUP_ATTRIBUTES, KEY_ATTRIBUTE, info->name, attribute->name,
                             tir_type_rows[kind].name);
}

static void list_op(Coverage *coverage, const TirOpInfo *info) {
    const uint32_t first = info->text_only ? TIR_VERSION_MAX : info->since; // text is of the newest version
    for (uint32_t version = first; version <= TIR_VERSION_MAX; version++)
        coverage_add(coverage, GROUP_OPS, KEY_OP, info->name, version % 100);
    for (uint32_t i = 0; i < info->operand_count; i++)
        list_values(coverage, info, &info->operands[i], info->operands[i].arity == TIR_VARIADIC);
    for (int i = 0; i < (info->result_count < 0 ? 1 : info->result_count); i++)
        list_values(coverage, info, &info->results[i], info->result_count < 0);
    for (uint32_t i = 0; i < info->attribute_count; i++) list_attribute(coverage, info, &info->attributes[i]);
}

static void list_ops(Coverage *coverage) {
    for (uint32_t kind = 0; kind < TIR_OP_COUNT; kind++) {
        bool record = kind == TIR_OP_entry || kind == TIR_OP_global || kind == TIR_OP_module;
        if (tir_op_info(kind)->since <= TIR_VERSION_MAX && !record) list_op(coverage, tir_op_info(kind));
    }
}

static void list_nesting(Coverage *coverage) {
    static const char *const pairs[][2] = {
        {"yield", "if"},     {"yield", "reduce"}, {"yield", "scan"},    {"break", "loop"},
        {"break", "if"},     {"continue", "for"}, {"continue", "loop"}, {"continue", "if"},
        {"return", "entry"}, {"return", "if"},    {"return", "loop"},
    };
    for (size_t i = 0; i < BASE_COUNT(pairs); i++) {
        coverage_add(coverage, GROUP_NESTING, KEY_NESTING, pairs[i][0], pairs[i][1]);
    }
    coverage_add(coverage, GROUP_NESTING, KEY_WITH, "if", "else");
    coverage_add(coverage, GROUP_NESTING, KEY_WITHOUT, "if", "else");
}

// ---- types ----------------------------------------------------------------------------------------------------------

static void list_elements(Coverage *coverage, const char *type, bool of_tile) {
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++) {
        bool number = tir_type_rows[kind].class != TIR_CLASS_COMPOUND;
        if (can_be_read(kind) && (of_tile ? number || kind == TIR_TYPE_ptr : number && kind != TIR_TYPE_i4))
            coverage_add(coverage, GROUP_TYPES, KEY_TYPE_PART, type, tir_type_rows[kind].name);
    }
}

static void list_view(Coverage *coverage, const char *view) {
    coverage_add(coverage, GROUP_TYPES, KEY_TYPE_PART, view, "no padding");
    for (uint32_t i = 0; i < tir_enum_padding.count; i++)
        coverage_add(coverage, GROUP_TYPES, KEY_TYPE_PART, view,
                     arena_format(coverage->arena, "padding %s", tir_enum_padding.words[i]));
}

static void list_pointer_attributes(Coverage *coverage, const char *type) {
    for (uint32_t i = 0; i < tir_enum_pointer_attribute.count; i++)
        coverage_add(coverage, GROUP_TYPES, KEY_TYPE_PART, type,
                     arena_format(coverage->arena, "attribute %s", tir_enum_pointer_attribute.words[i]));
}

static void list_types(Coverage *coverage) {
    static const char *const parts[][2] = {
        {"ptr", "no attribute"},
        {"tensor_view", "no attribute"},
        {"tensor_view", "dynamic extent"},
        {"tensor_view", "static extent"},
        {"tensor_view", "dynamic stride"},
        {"tensor_view", "static stride"},
        {"tensor_view", "rank 0"},
        {"partition_view", "identity dim_map"},
        {"partition_view", "permuted dim_map"},
        {"strided_view", "identity dim_map"},
        {"strided_view", "permuted dim_map"},
        {"strided_view", "overlapping steps"},
        {"gather_scatter_view", "sparse_dim 0"},
        {"gather_scatter_view", "sparse_dim 1"},
        {"tile", "rank 0"},
        {"tile", "rank 1"},
        {"tile", "rank 2"},
        {"tile", "rank 3"},
        {"tile", "rank 4 and more"},
    };
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++)
        if (can_be_read(kind)) coverage_add(coverage, GROUP_TYPES, KEY_TYPE, tir_type_rows[kind].name);
    list_elements(coverage, "ptr", false);
    list_elements(coverage, "tensor_view", false);
    list_elements(coverage, "tile", true);
    list_pointer_attributes(coverage, "ptr");
    list_pointer_attributes(coverage, "tensor_view");
    list_view(coverage, "partition_view");
    list_view(coverage, "strided_view");
    list_view(coverage, "gather_scatter_view");
    for (size_t i = 0; i < BASE_COUNT(parts); i++)
        coverage_add(coverage, GROUP_TYPES, KEY_TYPE_PART, parts[i][0], parts[i][1]);
}

// ---- the rest -------------------------------------------------------------------------------------------------------

static void list_constants(Coverage *coverage) {
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++) {
        const char *name = tir_type_rows[kind].name;
        if (tir_type_rows[kind].class == TIR_CLASS_COMPOUND || !can_be_read(kind) || kind == TIR_TYPE_i4) continue;
        coverage_add(coverage, GROUP_CONSTANTS, KEY_CONSTANT, name, "scalar");
        coverage_add(coverage, GROUP_CONSTANTS, KEY_CONSTANT, name, "splat");
        coverage_add(coverage, GROUP_CONSTANTS, KEY_CONSTANT, name, "dense");
        coverage_add(coverage, GROUP_DECLARATIONS, KEY_GLOBAL, name);
    }
}

static void list_predicates(Coverage *coverage) {
    static const char *const forms[] = {"div_by",      "div_by, every along", "same_elements", "bounded, no bound",
                                        "bounded, lb", "bounded, ub",         "bounded, lb ub"};
    static const char *const names[] = {"div_by", "same_elements", "bounded"};
    for (size_t i = 0; i < BASE_COUNT(forms); i++) coverage_add(coverage, GROUP_PREDICATES, KEY_PREDICATE, forms[i]);
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        for (uint32_t kind = TIR_TYPE_i1; kind <= TIR_TYPE_i64; kind++)
            coverage_add(coverage, GROUP_PREDICATES, KEY_PREDICATE_VALUE, names[i], tir_type_rows[kind].name);
        if (strcmp(names[i], "bounded") != 0)
            coverage_add(coverage, GROUP_PREDICATES, KEY_PREDICATE_VALUE, names[i], "ptr");
    }
    coverage_add(coverage, GROUP_PREDICATES, KEY_PREDICATE_VALUE, "div_by", "tensor_view");
}

static void list_declarations(Coverage *coverage) {
    static const char *const global_forms[] = {"public",    "private",      "constant", "variable",
                                               "alignment", "no alignment", "rank 1"};
    static const char *const entry_forms[] = {
        "public",        "private",          "hints",         "no hints",
        "no parameters", "parameter number", "parameter ptr", "attributes of parameters"};
    static const char *const hints[] = {"num_cta_in_cga", "num_worker_warps_per_cta", "occupancy",  "latency",
                                        "allow_tma true", "allow_tma false",          "of no value"};
    static const char *const targets[] = {"default", "sm_80",  "sm_86",  "sm_87",  "sm_88",  "sm_89",
                                          "sm_90",   "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"};
    for (size_t i = 0; i < BASE_COUNT(global_forms) - 1; i++)
        coverage_add(coverage, GROUP_DECLARATIONS, KEY_GLOBAL, global_forms[i]);
    for (size_t i = 0; i < BASE_COUNT(entry_forms); i++)
        coverage_add(coverage, GROUP_DECLARATIONS, KEY_ENTRY, entry_forms[i]);
    for (size_t i = 0; i < BASE_COUNT(hints); i++) coverage_add(coverage, GROUP_DECLARATIONS, KEY_HINT, hints[i]);
    for (size_t i = 0; i < BASE_COUNT(targets); i++) coverage_add(coverage, GROUP_DECLARATIONS, KEY_HINT, targets[i]);
}

static void list_debug(Coverage *coverage) {
    static const char *const forms[] = {"unknown",
                                        "compile unit",
                                        "file",
                                        "lexical block",
                                        "location",
                                        "subprogram",
                                        "subprogram, declaration",
                                        "call site",
                                        "location in a subprogram",
                                        "location in a lexical block",
                                        "lexical block in a subprogram",
                                        "lexical block in a lexical block",
                                        "call site at a location",
                                        "call site at a call site",
                                        "function with locations",
                                        "function without locations",
                                        "op without location"};
    for (size_t i = 0; i < BASE_COUNT(forms); i++) coverage_add(coverage, GROUP_DEBUG, KEY_DEBUG, forms[i]);
}

void coverage_list(Coverage *coverage) {
    list_ops(coverage);
    list_nesting(coverage);
    list_types(coverage);
    list_constants(coverage);
    list_predicates(coverage);
    list_declarations(coverage);
    list_debug(coverage);
}
