// SPDX-License-Identifier: Apache-2.0
// Changes to a module that was read, of how much there is: operands, dimensions, results, identities; and of what lies
// outside the ops: signatures, globals, hints.
#include "tests/robustness/module_editor.h"

#include <string.h>

static bool chance(Editor *editor, uint64_t one_in) {
    return !random_below(editor->random, one_in);
}

// ---- operands and results -------------------------------------------------------------------------------------------

static bool has_free_segments(const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (uint32_t i = 0; i < info->operand_count; i++)
        if (info->operands[i].arity != TIR_ONE) return true;
    return false;
}

static TirValue any_value_before(Editor *editor, const TirOp *op) {
    for (int tries = 0; tries < 50; tries++) {
        TirValue value = (TirValue)random_below(editor->random, editor->function->value_count);
        const TirOp *definition = tir_value(editor->function, value)->definition;
        if (!definition || definition->number < op->number) return value;
    }
    return 0;
}

void edit_segment(Editor *editor) {
    TirOp *op = editor_any_op_with(editor, has_free_segments);
    if (!op || !editor->function->value_count) return;
    const TirOpInfo *info = tir_op_info(op->kind);
    uint32_t segment = 0, at = 0;
    do segment = (uint32_t)random_below(editor->random, info->operand_count);
    while (info->operands[segment].arity == TIR_ONE);
    for (uint32_t i = 0; i < segment; i++) at += op->segments[i];
    bool adds = info->operands[segment].arity == TIR_OPTIONAL ? !op->segments[segment]
                                                              : !op->segments[segment] || chance(editor, 2);
    TirValue *operands = arena_array(&editor->module->arena, TirValue, op->operand_count + 1u);
    at += (uint32_t)random_below(editor->random, op->segments[segment] + (uint32_t)adds);
    if (at) memcpy(operands, op->operands, at * sizeof *operands);
    if (adds) {
        // Of the type of its neighbour, where that can be found.
        TirType wanted = at ? tir_value_type(editor->function, op->operands[at - 1]) : TIR_NO_TYPE;
        for (int tries = 0; tries < 20; tries++) {
            operands[at] = any_value_before(editor, op);
            if (tir_value_type(editor->function, operands[at]) == wanted) break;
        }
    }
    uint32_t from = at + !adds, left = op->operand_count - from;
    if (left) memcpy(operands + at + adds, op->operands + from, left * sizeof *operands);
    op->operands = operands;
    op->operand_count = at + (uint32_t)adds + left;
    op->segments[segment] += adds ? 1 : UINT32_MAX;
}

static bool has_results(const TirOp *op) {
    return op->result_count;
}

void edit_results(Editor *editor) {
    TirOp *op = editor_any_op_with(editor, has_results);
    if (!op) return;
    op->result_count--;
    editor->function->values[op->first_result + op->result_count].block = NULL; // visible nowhere
}

// ---- types ----------------------------------------------------------------------------------------------------------

static const int64_t *other_length(Editor *editor, const int64_t *numbers, uint32_t rank, bool adds, int64_t fresh) {
    if (!numbers) return NULL;
    int64_t *copy = arena_array(&editor->module->arena, int64_t, rank + 1u);
    memcpy(copy, numbers, rank * sizeof *copy);
    if (adds) copy[rank] = fresh;
    return copy;
}

void edit_rank(Editor *editor) {
    TirModule *module = editor->module;
    TirTypeInfo *info = &module->types[random_below(editor->random, module->type_count)];
    for (int tries = 0; tries < 20 && info->kind != TIR_TYPE_tile && !info->rank; tries++)
        info = &module->types[random_below(editor->random, module->type_count)];
    bool adds = !info->rank || chance(editor, 2);
    if ((info->kind != TIR_TYPE_tile && !info->rank) || info->rank >= 8) return;
    int64_t fresh = (int64_t)1 << random_below(editor->random, 5);
    static const int64_t none[1] = {0};
    info->shape = other_length(editor, info->shape ? info->shape : none, info->rank, adds, fresh);
    info->strides = other_length(editor, info->strides, info->rank, adds, fresh);
    if (info->dim_map) {
        int32_t *map = arena_array(&module->arena, int32_t, info->rank + 1u);
        memcpy(map, info->dim_map, info->rank * sizeof *map);
        map[info->rank] = (int32_t)info->rank;
        info->dim_map = map;
    }
    info->rank += adds ? 1 : UINT32_MAX;
}

void edit_element(Editor *editor) {
    TirModule *module = editor->module;
    for (int tries = 0; tries < 20; tries++) {
        TirType type = (TirType)random_below(editor->random, module->type_count);
        TirTypeInfo *info = &module->types[type];
        if (info->kind < TIR_TYPE_COUNT && tir_type_rows[info->kind].class != TIR_CLASS_COMPOUND) continue;
        if (info->kind == TIR_TYPE_function || info->kind == TIR_TYPE_token) continue;
        if (info->kind == TIR_TYPE_ptr && module->version >= 1304 && chance(editor, 3)) {
            info->ptr_attr = info->ptr_attr < 0 ? 0 : -1;
            return;
        }
        // A type of itself is none that the functions of tir.h could have made.
        TirType element = (TirType)random_below(editor->random, module->type_count);
        if (element < type) info->element = element;
        return;
    }
}

void edit_signature(Editor *editor) {
    TirFunction *function = editor->function;
    TirType type = (TirType)random_below(editor->random, editor->module->type_count);
    TirTypeInfo *signature = &editor->module->types[function->type];
    TirValue value = (TirValue)random_below(editor->random, function->value_count);
    if (!function->value_count || function->values[value].definition) return;
    uint32_t index = function->values[value].index;
    bool parameter = function->values[value].block == function->body.first;
    if (parameter && signature->kind == TIR_TYPE_function && index < signature->parameter_count &&
        type < function->type) // no type is part of itself
        ((TirType *)signature->parameters)[index] = type;
    function->values[value].type = type;
}

// ---- attributes -----------------------------------------------------------------------------------------------------

static bool has_identities(const TirOp *op) {
    return (op->kind == TIR_OP_reduce || op->kind == TIR_OP_scan) && tir_attribute(op, "identities") &&
           tir_attribute(op, "identities")->length;
}

void edit_identity(Editor *editor) {
    TirOp *op = editor_any_op_with(editor, has_identities);
    if (!op) return;
    TirAttribute *list = (TirAttribute *)tir_attribute(op, "identities");
    TirAttribute *items = arena_array(&editor->module->arena, TirAttribute, list->length + 1);
    memcpy(items, list->items, list->length * sizeof *items);
    TirAttribute *item = &items[random_below(editor->random, list->length)];
    items[list->length] = *item;
    list->items = items;
    switch (random_below(editor->random, 4)) {
    case 0: list->length++; break;
    case 1: list->length--; break;
    case 2: item->integer = random_edge(editor->random); break;
    default:
        for (int tries = 0; tries < 20; tries++) {
            TirType type = (TirType)random_below(editor->random, editor->module->type_count);
            TirTypeClass class = tir_type_rows[tir_type(editor->module, type)->kind].class;
            if (class == TIR_CLASS_COMPOUND) continue;
            *item = (TirAttribute){.present = true, .type = type, .integer = random_below(editor->random, 2)};
            item->tag = class == TIR_CLASS_FLOAT ? TIR_TAG_FLOAT : TIR_TAG_INTEGER;
            break;
        }
    }
}

static const TirAttributeInfo *text_row(const TirOp *op, uint32_t *index) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (*index = 0; *index < info->attribute_count; ++*index)
        if (info->attributes[*index].kind == TIR_ATTR_STRING) return &info->attributes[*index];
    return NULL;
}
static bool has_text(const TirOp *op) {
    uint32_t index;
    return text_row(op, &index) != NULL;
}

void edit_text(Editor *editor) {
    static const char *const texts[] = {"", "%d", "%", "%%", "%5.3f and %x", "no such name", "%lld %s\n", "a\"b\\c"};
    TirOp *op = editor_any_op_with(editor, has_text);
    uint32_t index;
    if (!op) return;
    const char *text = texts[random_below(editor->random, BASE_COUNT(texts))];
    text_row(op, &index);
    op->attributes[index].text = text;
    op->attributes[index].length = strlen(text);
}

// ---- what is not in a function --------------------------------------------------------------------------------------

void edit_global(Editor *editor) {
    TirModule *module = editor->module;
    if (!module->global_count) return;
    TirGlobal *global = &module->globals[random_below(editor->random, module->global_count)];
    switch (random_below(editor->random, 4)) {
    case 0: global->alignment = random_edge(editor->random); break;
    case 1: global->type = (TirType)random_below(editor->random, module->type_count); break;
    case 2: global->name = module->globals[random_below(editor->random, module->global_count)].name; break;
    default: global->is_private = chance(editor, 2); global->constant = chance(editor, 2);
    }
}

void edit_hints(Editor *editor) {
    TirAttribute *hints = &editor->function->hints;
    if (!hints->present || !hints->length) return;
    TirNamedAttribute *entries = arena_array(&editor->module->arena, TirNamedAttribute, hints->length);
    memcpy(entries, hints->entries, hints->length * sizeof *entries);
    TirNamedAttribute *entry = &entries[random_below(editor->random, hints->length)];
    hints->entries = entries;
    switch (random_below(editor->random, 4)) {
    case 0: entry->name = "sm_999"; break;
    case 1: entry->name = entries[0].name; break;
    case 2: entry->value = (TirAttribute){.present = true, .tag = TIR_TAG_BOOL}; break;
    default: hints->length--;
    }
}
