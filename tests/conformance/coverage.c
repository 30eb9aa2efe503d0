// SPDX-License-Identifier: Apache-2.0
// What of the tables occurs in the modules of the corpus, and the report.
#include "tests/conformance/coverage.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What no file can hold, and why; a row that matches something that occurs, or nothing, must go.
static const struct CoverageException {
    const char *pattern, *reason;
} coverage_exceptions[] = {
#define MISSING(pattern, reason) {pattern, reason},
#include "tests/conformance/coverage.def"
#undef MISSING
};

static void note(Coverage *coverage, const char *format, ...) BASE_PRINTF(2, 3);
static void note(Coverage *coverage, const char *format, ...) {
    char key[256];
    uint64_t index;
    va_list args;
    va_start(args, format);
    vsnprintf(key, sizeof key, format, args);
    va_end(args);
    if (map_find(&coverage->index, key, &index)) {
        coverage->items[index].seen = true;
        return;
    }
    for (size_t i = 0; i < coverage->unlisted_count; i++)
        if (!strcmp(coverage->unlisted[i], key)) return;
    coverage->unlisted = arena_grow(coverage->arena, coverage->unlisted, coverage->unlisted_count,
                                    &coverage->unlisted_capacity, sizeof *coverage->unlisted);
    coverage->unlisted[coverage->unlisted_count++] = arena_text(coverage->arena, key, strlen(key));
}

Coverage *coverage_open(Arena *arena) {
    Coverage *coverage = arena_new(arena, Coverage);
    coverage->arena = arena;
    coverage_list(coverage);
    return coverage;
}

// ---- hints ----------------------------------------------------------------------------------------------------------

static void note_hints(Coverage *coverage, const TirAttribute *hints) {
    for (size_t i = 0; hints->present && i < hints->length; i++) {
        const TirNamedAttribute *target = &hints->entries[i];
        note(coverage, KEY_HINT, target->name);
        if (!target->value.length) note(coverage, KEY_HINT, "of no value");
        for (size_t h = 0; h < target->value.length; h++) {
            const TirNamedAttribute *hint = &target->value.entries[h];
            if (!strcmp(hint->name, "allow_tma"))
                note(coverage, KEY_HINT, hint->value.integer ? "allow_tma true" : "allow_tma false");
            else
                note(coverage, KEY_HINT, hint->name);
        }
    }
}

// ---- ops ------------------------------------------------------------------------------------------------------------

static const char *element_name(const TirModule *module, const TirTypeInfo *type) {
    return tir_type_rows[tir_type(module, type->element)->kind].name;
}

// One value of an operand or result.
static void note_value(Coverage *coverage, const TirModule *module, const TirOpInfo *info, const TirOperandInfo *value,
                       TirType type) {
    const TirTypeInfo *found = tir_type(module, type);
    if (found->kind == TIR_TYPE_tile && coverage_has_elements(&value->type))
        note(coverage, KEY_TYPE_OF, info->name, value->name, element_name(module, found));
    if (found->kind != TIR_TYPE_tile && coverage_other_kinds(&value->type) >> found->kind & 1)
        note(coverage, KEY_TYPE_OF, info->name, value->name, tir_type_rows[found->kind].name);
}

static void note_operands(Coverage *coverage, const TirOp *op, const TirOpInfo *info) {
    const TirFunction *function = tir_op_function(op);
    const TirValue *values = op->operands;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        const TirOperandInfo *operand = &info->operands[i];
        if (operand->arity != TIR_ONE)
            note(coverage, op->segments[i] ? KEY_WITH : KEY_WITHOUT, info->name, operand->name);
        for (uint32_t v = 0; v < op->segments[i]; v++)
            note_value(coverage, function->module, info, operand, tir_value_type(function, *values++));
    }
}

static void note_results(Coverage *coverage, const TirOp *op, const TirOpInfo *info) {
    const TirFunction *function = tir_op_function(op);
    bool variadic = info->result_count < 0;
    if (variadic) note(coverage, op->result_count ? KEY_WITH : KEY_WITHOUT, info->name, info->results[0].name);
    for (uint32_t i = 0; i < op->result_count; i++)
        note_value(coverage, function->module, info, &info->results[variadic ? 0 : i],
                   tir_value_type(function, tir_result(op, i)));
}

// A bool has no type of its own.
static const char *item_type_name(const TirModule *module, const TirAttribute *item) {
    return item->tag == TIR_TAG_BOOL ? "i1" : tir_type_rows[tir_type(module, item->type)->kind].name;
}

static void note_attribute(Coverage *coverage, const TirModule *module, const TirOpInfo *info,
                           const TirAttributeInfo *row, const TirAttribute *attribute) {
    if (row->optional) note(coverage, attribute->present ? KEY_WITH : KEY_WITHOUT, info->name, row->name);
    if (row->kind == TIR_ATTR_UNIT) note(coverage, attribute->integer ? KEY_WITH : KEY_WITHOUT, info->name, row->name);
    if (!attribute->present) return;
    if (row->kind == TIR_ATTR_ENUM)
        note(coverage, KEY_ATTRIBUTE, info->name, row->name, tir_enum_word(row->enumeration, attribute->integer));
    if (row->kind == TIR_ATTR_BOOL)
        note(coverage, KEY_ATTRIBUTE, info->name, row->name, attribute->integer ? "true" : "false");
    if (row->kind == TIR_ATTR_BOOL_ARRAY)
        for (size_t i = 0; i < attribute->length; i++)
            note(coverage, KEY_ATTRIBUTE, info->name, row->name, attribute->numbers[i] ? "true" : "false");
    if (row->kind == TIR_ATTR_ARRAY)
        for (size_t i = 0; i < attribute->length; i++)
            note(coverage, KEY_ATTRIBUTE, info->name, row->name, item_type_name(module, &attribute->items[i]));
    if (row->kind == TIR_ATTR_HINTS) note_hints(coverage, attribute);
}

// Each bit of a packed constant of at most eight is the same.
static bool bits_are_equal(const TirConstant *constant, int64_t elements) {
    unsigned mask = (1u << elements) - 1, bits = constant->bytes[0] & mask;
    return bits == 0 || bits == mask;
}

static void note_constant(Coverage *coverage, const TirModule *module, TirType tile, const TirConstant *constant) {
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    int64_t elements = tir_tile_elements(module, tile);
    size_t one = (tir_type_rows[kind].bits + 7u) / 8;
    bool splat = constant->size == one;
    if (kind == TIR_TYPE_i1 && elements <= 8) splat = bits_are_equal(constant, elements);
    note(coverage, KEY_CONSTANT, tir_type_rows[kind].name,
         tir_type(module, tile)->rank == 0 ? "scalar"
         : splat && elements > 1           ? "splat"
                                           : "dense");
}

static void note_predicate(Coverage *coverage, const TirOp *op) {
    static const char *const bounds[] = {"bounded, no bound", "bounded, lb", "bounded, ub", "bounded, lb ub"};
    const TirModule *module = tir_op_function(op)->module;
    const TirAttribute *predicate = tir_attribute(op, "predicate");
    const TirTypeInfo *type = tir_type(module, tir_value_type(tir_op_function(op), tir_operand(op, "value")));
    const char *name = predicate->tag == TIR_TAG_DIV_BY          ? "div_by"
                       : predicate->tag == TIR_TAG_SAME_ELEMENTS ? "same_elements"
                                                                 : "bounded";
    const char *form = predicate->tag == TIR_TAG_DIV_BY && predicate->flags ? "div_by, every along"
                       : predicate->tag == TIR_TAG_BOUNDED                  ? bounds[predicate->flags & 3]
                                                                            : name;
    note(coverage, KEY_PREDICATE, form);
    note(coverage, KEY_PREDICATE_VALUE, name,
         type->kind == TIR_TYPE_tile ? element_name(module, type) : tir_type_rows[type->kind].name);
}

static void note_op(Coverage *coverage, const TirOp *op);

static void note_region(Coverage *coverage, const TirRegion *region) {
    for (const TirBlock *block = region->first; block; block = block->next)
        for (const TirOp *op = block->first; op; op = op->next) note_op(coverage, op);
}

static void note_op(Coverage *coverage, const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    const TirModule *module = tir_op_function(op)->module;
    const TirOp *around = op->block->region->owner;
    note(coverage, KEY_OP, info->name, module->version % 100u);
    note_operands(coverage, op, info);
    note_results(coverage, op, info);
    for (uint32_t i = 0; i < info->attribute_count; i++)
        note_attribute(coverage, module, info, &info->attributes[i], &op->attributes[i]);
    if (op->kind == TIR_OP_assume) note_predicate(coverage, op);
    if (op->kind == TIR_OP_constant)
        note_constant(coverage, module, tir_value_type(tir_op_function(op), tir_result(op, 0)),
                      &op->attributes[0].constant);
    if (info->terminator) note(coverage, KEY_NESTING, info->name, around ? tir_op_info(around->kind)->name : "entry");
    if (op->kind == TIR_OP_if) note(coverage, op->regions[1].block_count ? KEY_WITH : KEY_WITHOUT, "if", "else");
    if (tir_op_function(op)->debug && !op->debug) note(coverage, KEY_DEBUG, "op without location");
    for (uint32_t i = 0; i < op->region_count; i++) note_region(coverage, &op->regions[i]);
}

// ---- types ----------------------------------------------------------------------------------------------------------

static void note_tensor_view(Coverage *coverage, const TirTypeInfo *type) {
    for (uint32_t i = 0; i < type->rank; i++) {
        note(coverage, KEY_TYPE_PART, "tensor_view",
             type->shape[i] == TIR_DYNAMIC ? "dynamic extent" : "static extent");
        note(coverage, KEY_TYPE_PART, "tensor_view",
             type->strides[i] == TIR_DYNAMIC ? "dynamic stride" : "static stride");
    }
    if (!type->rank) note(coverage, KEY_TYPE_PART, "tensor_view", "rank 0");
}

static void note_view(Coverage *coverage, const TirTypeInfo *type) {
    const char *name = tir_type_rows[type->kind].name;
    char padding[64] = "no padding";
    if (type->padding != TIR_PAD_none)
        snprintf(padding, sizeof padding, "padding %s", tir_enum_padding.words[type->padding]);
    note(coverage, KEY_TYPE_PART, name, padding);
    if (type->kind == TIR_TYPE_gather_scatter_view) {
        note(coverage, KEY_TYPE_PART, name, type->sparse_dim ? "sparse_dim 1" : "sparse_dim 0");
        return;
    }
    bool identity = true, overlapping = false;
    for (uint32_t i = 0; i < type->rank; i++) {
        identity &= type->dim_map[i] == (int32_t)i;
        overlapping |= type->kind == TIR_TYPE_strided_view && type->strides[i] < type->shape[i];
    }
    note(coverage, KEY_TYPE_PART, name, identity ? "identity dim_map" : "permuted dim_map");
    if (overlapping) note(coverage, KEY_TYPE_PART, name, "overlapping steps");
}

static const char *pointer_attribute(Coverage *coverage, const TirTypeInfo *type) {
    if (type->ptr_attr < 0) return "no attribute";
    return arena_format(coverage->arena, "attribute %s", tir_enum_pointer_attribute.words[type->ptr_attr]);
}

static void note_type(Coverage *coverage, const TirModule *module, const TirTypeInfo *type) {
    static const char *const ranks[] = {"rank 0", "rank 1", "rank 2", "rank 3", "rank 4 and more"};
    const char *name = tir_type_rows[type->kind].name;
    note(coverage, KEY_TYPE, name);
    if (type->kind == TIR_TYPE_tile) note(coverage, KEY_TYPE_PART, name, ranks[type->rank < 4 ? type->rank : 4]);
    if (type->kind == TIR_TYPE_tile || type->kind == TIR_TYPE_ptr || type->kind == TIR_TYPE_tensor_view)
        note(coverage, KEY_TYPE_PART, name, element_name(module, type));
    if (type->kind == TIR_TYPE_ptr || type->kind == TIR_TYPE_tensor_view)
        note(coverage, KEY_TYPE_PART, name, pointer_attribute(coverage, type));
    if (type->kind == TIR_TYPE_tensor_view) note_tensor_view(coverage, type);
    if (type->kind == TIR_TYPE_partition_view || type->kind == TIR_TYPE_strided_view ||
        type->kind == TIR_TYPE_gather_scatter_view)
        note_view(coverage, type);
}

// ---- functions, globals, debug information --------------------------------------------------------------------------

static void note_function(Coverage *coverage, const TirFunction *function) {
    const TirTypeInfo *type = tir_type(function->module, function->type);
    note(coverage, KEY_ENTRY, function->is_private ? "private" : "public");
    note(coverage, KEY_ENTRY, function->hints.present && function->hints.length ? "hints" : "no hints");
    if (!type->parameter_count) note(coverage, KEY_ENTRY, "no parameters");
    if (function->argument_attributes.present) note(coverage, KEY_ENTRY, "attributes of parameters");
    for (uint32_t i = 0; i < type->parameter_count; i++)
        note(coverage, KEY_ENTRY,
             tir_tile_element_kind(function->module, type->parameters[i]) == TIR_TYPE_ptr ? "parameter ptr"
                                                                                          : "parameter number");
    note_hints(coverage, &function->hints);
    note(coverage, KEY_DEBUG, function->debug ? "function with locations" : "function without locations");
    note_region(coverage, &function->body);
}

static void note_global(Coverage *coverage, const TirModule *module, const TirGlobal *global) {
    note(coverage, KEY_GLOBAL, global->is_private ? "private" : "public");
    note(coverage, KEY_GLOBAL, global->constant ? "constant" : "variable");
    note(coverage, KEY_GLOBAL, global->alignment ? "alignment" : "no alignment");
    note(coverage, KEY_GLOBAL, tir_type_rows[tir_tile_element_kind(module, global->type)].name);
}

static void note_debug(Coverage *coverage, const TirModule *module, const TirDebug *row) {
    static const char *const names[] = {"unknown",  "compile unit", "file",     "lexical block",
                                        "location", "subprogram",   "call site"};
    note(coverage, KEY_DEBUG, names[row->tag]);
    if (row->declaration) note(coverage, KEY_DEBUG, "subprogram, declaration");
    bool in_scope = row->tag == TIR_DEBUG_LOCATION || row->tag == TIR_DEBUG_LEXICAL_BLOCK;
    uint64_t other = row->refs[row->tag == TIR_DEBUG_CALL_SITE];
    if ((!in_scope && row->tag != TIR_DEBUG_CALL_SITE) || !other || other > module->debug_count) return;
    char form[64];
    snprintf(form, sizeof form, "%s %s a %s", names[row->tag], in_scope ? "in" : "at",
             names[module->debug[other - 1].tag]);
    note(coverage, KEY_DEBUG, form);
}

void coverage_note(Coverage *coverage, const TirModule *module) {
    for (uint32_t i = 0; i < module->type_count; i++) note_type(coverage, module, tir_type(module, i));
    for (uint32_t i = 0; i < module->global_count; i++) note_global(coverage, module, &module->globals[i]);
    for (uint32_t i = 0; i < module->debug_count; i++) note_debug(coverage, module, &module->debug[i]);
    for (uint32_t i = 0; i < module->function_count; i++) note_function(coverage, &module->functions[i]);
}

// ---- the report -----------------------------------------------------------------------------------------------------

static const char *reason_for(const char *key, bool *used) {
    for (size_t i = 0; i < BASE_COUNT(coverage_exceptions); i++)
        if (fnmatch(coverage_exceptions[i].pattern, key, FNM_EXTMATCH) == 0) {
            used[i] = true;
            return coverage_exceptions[i].reason;
        }
    return NULL;
}

typedef struct GroupScore {
    size_t seen, all, excepted;
} GroupScore;

static bool judge_item(const CoverageItem *item, GroupScore *scores, bool *used) {
    const char *reason = reason_for(item->key, used);
    GroupScore *score = &scores[item->group];
    score->all += !reason || item->seen;
    score->seen += item->seen;
    score->excepted += reason && !item->seen;
    if (item->seen != !reason)
        printf("coverage: %s: %s\n", item->key, item->seen ? "occurs, but coverage.def says it cannot" : "missing");
    return item->seen == !reason;
}

bool coverage_report(const Coverage *coverage, bool reasons) {
    static const char *const titles[] = {
#define G(name, text) text,
        COVERAGE_GROUPS(G)
#undef G
    };
    GroupScore scores[GROUP_COUNT] = {0};
    bool used[BASE_COUNT(coverage_exceptions)] = {false}, ok = !coverage->unlisted_count;
    for (size_t i = 0; i < coverage->count; i++) ok &= judge_item(&coverage->items[i], scores, used);
    for (size_t i = 0; i < coverage->unlisted_count; i++)
        printf("coverage: %s: occurs, but is not listed\n", coverage->unlisted[i]);
    printf("%-40s %12s %12s\n", "coverage", "occur", "cannot");
    for (int group = 0; group < GROUP_COUNT; group++)
        printf("%-40s %5zu / %-5zu %11zu\n", titles[group], scores[group].seen, scores[group].all,
               scores[group].excepted);
    for (size_t i = 0; i < BASE_COUNT(coverage_exceptions); i++) {
        const struct CoverageException *row = &coverage_exceptions[i];
        if (!used[i]) printf("coverage.def: nothing is named %s\n", row->pattern);
        if (used[i] && reasons) printf("cannot occur: %s: %s\n", row->pattern, row->reason);
        ok &= used[i];
    }
    return ok;
}
