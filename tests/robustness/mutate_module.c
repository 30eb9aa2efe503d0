// SPDX-License-Identifier: Apache-2.0
// Changes to a module that was read. Far more of these mutants pass the verifier than of changed bytes, so they are
// what tries the lowering: sizes and element types are replaced all over the module, constants keep fitting their
// types.
#include "tests/robustness/module_editor.h"

#include <string.h>

static void collect_ops(Editor *editor, TirRegion *region, uint32_t *number) {
    for (TirBlock *block = region->first; block; block = block->next)
        for (TirOp *op = block->first; op; op = op->next) {
            op->number = (*number)++;
            if (editor->ops.items) editor->ops.items[editor->ops.count++] = op;
            for (uint32_t r = 0; r < op->region_count; r++) collect_ops(editor, &op->regions[r], number);
        }
}

// The ops in order, and their numbers anew.
static void list_ops(Editor *editor) {
    uint32_t number = 0;
    editor->ops = (Ops){arena_array(&editor->module->arena, TirOp *, editor->function->op_count + 1u), 0};
    collect_ops(editor, &editor->function->body, &number);
}

static TirOp *any_op(Editor *editor) {
    return editor->ops.items[random_below(editor->random, editor->ops.count)];
}

TirOp *editor_any_op_with(Editor *editor, bool (*good)(const TirOp *)) {
    for (int tries = 0; tries < 20; tries++) {
        TirOp *op = any_op(editor);
        if (good(op)) return op;
    }
    return NULL;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static bool has_operands(const TirOp *op) {
    return op->operand_count;
}

// Another value for an operand, in most cases one of the same type that was defined before.
static void change_operand(Editor *editor) {
    TirOp *op = editor_any_op_with(editor, has_operands);
    if (!op) return;
    TirValue *operand = &op->operands[random_below(editor->random, op->operand_count)];
    TirType type = tir_value_type(editor->function, *operand);
    bool careless = !random_below(editor->random, 8);
    for (int tries = 0; tries < 50; tries++) {
        TirValue value = (TirValue)random_below(editor->random, editor->function->value_count);
        const TirValueInfo *info = tir_value(editor->function, value);
        bool before = !info->definition || info->definition->number < op->number;
        if (!careless && (info->type != type || !before)) continue;
        *operand = value;
        return;
    }
}

static bool has_results(const TirOp *op) {
    return op->result_count;
}

static void change_result_type(Editor *editor) {
    TirOp *op = editor_any_op_with(editor, has_results);
    if (op)
        editor->function->values[op->first_result].type =
            (TirType)random_below(editor->random, editor->module->type_count);
}

// ---- attributes -----------------------------------------------------------------------------------------------------

static bool has_attributes(const TirOp *op) {
    return tir_op_info(op->kind)->attribute_count;
}

static void change_number_list(Editor *editor, TirAttribute *attribute) {
    if (!attribute->length) return;
    int64_t *copy = arena_array(&editor->module->arena, int64_t, attribute->length);
    memcpy(copy, attribute->numbers, attribute->length * sizeof *copy);
    size_t a = random_below(editor->random, attribute->length), b = random_below(editor->random, attribute->length);
    int64_t number = copy[a];
    if (random_below(editor->random, 2))
        copy[a] = copy[b], copy[b] = number;
    else
        copy[a] = (int32_t)random_edge(editor->random);
    attribute->numbers = copy;
}

static void change_constant(Editor *editor, TirAttribute *attribute) {
    TirConstant *constant = &attribute->constant;
    uint8_t *copy = arena_alloc(&editor->module->arena, constant->size + 8);
    uint64_t value = random_edge(editor->random);
    if (!constant->size) return;
    memcpy(copy, constant->bytes, constant->size);
    size_t at = random_below(editor->random, constant->size);
    if (random_below(editor->random, 2) && constant->size <= 8)
        memcpy(copy, &value, constant->size);
    else
        copy[at] ^= (uint8_t)(1u << random_below(editor->random, 8));
    constant->bytes = copy;
}

// The divisor, bounds and so on of an assumption; the identities of a reduction.
static void change_nested(Editor *editor, TirAttribute *attribute) {
    if (attribute->tag == TIR_TAG_DIV_BY || attribute->tag == TIR_TAG_BOUNDED ||
        attribute->tag == TIR_TAG_SAME_ELEMENTS) {
        if (attribute->tag == TIR_TAG_SAME_ELEMENTS && !attribute->length) return;
        int64_t *copy = arena_array(&editor->module->arena, int64_t, attribute->length + 3);
        size_t count = attribute->tag == TIR_TAG_DIV_BY ? 3 : attribute->tag == TIR_TAG_BOUNDED ? 2 : attribute->length;
        memcpy(copy, attribute->numbers, count * sizeof *copy);
        copy[random_below(editor->random, count)] = (int64_t)random_edge(editor->random);
        attribute->numbers = copy;
        if (!random_below(editor->random, 4)) attribute->flags ^= (uint8_t)(1u << random_below(editor->random, 2));
    }
}

static void change_attribute(Editor *editor) {
    TirOp *op = editor_any_op_with(editor, has_attributes);
    if (!op) return;
    const TirOpInfo *info = tir_op_info(op->kind);
    uint32_t index = (uint32_t)random_below(editor->random, info->attribute_count);
    const TirAttributeInfo *row = &info->attributes[index];
    TirAttribute *attribute = &op->attributes[index];
    if (row->optional && !random_below(editor->random, 3)) {
        bool simple = row->kind == TIR_ATTR_UNIT || row->kind == TIR_ATTR_BOOL || row->kind == TIR_ATTR_ENUM ||
                      row->kind == TIR_ATTR_I32;
        if (attribute->present || simple) attribute->present = !attribute->present;
        return;
    }
    switch (row->kind) {
    case TIR_ATTR_UNIT:
    case TIR_ATTR_BOOL:
        attribute->integer = random_below(editor->random, 2);
        attribute->present = attribute->integer;
        break;
    case TIR_ATTR_ENUM: attribute->integer = random_below(editor->random, row->enumeration->count); break;
    case TIR_ATTR_I32: attribute->integer = (uint32_t)random_edge(editor->random); break;
    case TIR_ATTR_I64: attribute->integer = random_edge(editor->random); break;
    case TIR_ATTR_I32_ARRAY:
    case TIR_ATTR_BOOL_ARRAY:
        if (attribute->present) change_number_list(editor, attribute);
        break;
    case TIR_ATTR_CONSTANT: change_constant(editor, attribute); break;
    case TIR_ATTR_TAGGED:
        if (attribute->present) change_nested(editor, attribute);
        break;
    default: break;
    }
}

static bool is_constant(const TirOp *op) {
    return op->kind == TIR_OP_constant;
}

static void change_some_constant(Editor *editor) {
    TirOp *op = editor_any_op_with(editor, is_constant);
    if (op) change_constant(editor, &op->attributes[0]);
}

// ---- kinds and order ------------------------------------------------------------------------------------------------

static bool same_form(const TirOpInfo *a, const TirOpInfo *b) {
    return a->operand_count == b->operand_count && a->result_count == b->result_count &&
           a->region_count == b->region_count;
}

// Another op with as many operands, results and regions. Attributes of the same name keep their values.
static void change_kind(Editor *editor) {
    TirOp *op = any_op(editor);
    const TirOpInfo *old = tir_op_info(op->kind);
    for (int tries = 0; tries < 40; tries++) {
        TirOpKind kind = (TirOpKind)random_below(editor->random, TIR_OP_COUNT);
        const TirOpInfo *info = tir_op_info(kind);
        if (!same_form(info, old) || kind == op->kind) continue;
        TirAttribute *attributes = arena_array(&editor->module->arena, TirAttribute, info->attribute_count + 1u);
        for (uint32_t i = 0; i < info->attribute_count; i++) {
            const TirAttributeInfo *row = &info->attributes[i];
            attributes[i].integer = row->default_value;
            attributes[i].present = !row->optional && (row->kind == TIR_ATTR_ENUM || row->kind == TIR_ATTR_BOOL);
            for (uint32_t k = 0; k < old->attribute_count; k++)
                if (!strcmp(old->attributes[k].name, row->name) && old->attributes[k].kind == row->kind)
                    attributes[i] = op->attributes[k];
        }
        op->kind = kind;
        op->attributes = attributes;
        return;
    }
}

static void unlink_op(TirOp *op) {
    *(op->previous ? &op->previous->next : &op->block->first) = op->next;
    *(op->next ? &op->next->previous : &op->block->last) = op->previous;
    op->block->op_count--;
}

static void remove_op(Editor *editor) {
    TirOp *op = any_op(editor);
    unlink_op(op);
    for (uint32_t i = 0; i < op->result_count; i++)
        editor->function->values[op->first_result + i].block = NULL; // visible nowhere
    list_ops(editor);
}

// Behind the next op, or behind the one around it.
static void move_op(Editor *editor) {
    TirOp *op = any_op(editor), *next = op->next;
    if (!next) return;
    unlink_op(op);
    op->previous = next;
    op->next = next->next;
    *(next->next ? &next->next->previous : &next->block->last) = op;
    next->next = op;
    op->block->op_count++;
    list_ops(editor);
}

// ---- types ----------------------------------------------------------------------------------------------------------

static void replace_sizes(TirTypeInfo *info, const int64_t *shape, int64_t from, int64_t to) {
    for (uint32_t d = 0; d < info->rank; d++)
        if (shape[d] == from) ((int64_t *)shape)[d] = to;
}

// One size of tiles for another, wherever it occurs.
static void change_size(Editor *editor) {
    TirModule *module = editor->module;
    static const int64_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096};
    TirType type = (TirType)random_below(editor->random, module->type_count);
    for (uint32_t tries = 0;
         tries < 20 && (!module->types[type].rank || module->types[type].kind == TIR_TYPE_tensor_view); tries++)
        type = (TirType)random_below(editor->random, module->type_count);
    const TirTypeInfo *chosen = &module->types[type];
    if (!chosen->rank) return;
    int64_t from = chosen->shape[random_below(editor->random, chosen->rank)], to;
    to = sizes[random_below(editor->random, BASE_COUNT(sizes))];
    if (!random_below(editor->random, 12)) to = (int64_t)random_edge(editor->random);
    bool all = random_below(editor->random, 8);
    for (TirType t = 0; t < module->type_count; t++)
        if ((all || t == type) && module->types[t].kind != TIR_TYPE_tensor_view && module->types[t].shape)
            replace_sizes(&module->types[t], module->types[t].shape, from, to);
}

static bool is_number(const TirTypeInfo *info) {
    return info->kind < TIR_TYPE_COUNT && tir_type_rows[info->kind].class != TIR_CLASS_COMPOUND;
}

// One element type for another, wherever it occurs.
static void change_element(Editor *editor) {
    TirModule *module = editor->module;
    for (int tries = 0; tries < 30; tries++) {
        TirTypeInfo *info = &module->types[random_below(editor->random, module->type_count)];
        TirTypeKind kind = (TirTypeKind)random_below(editor->random, TIR_TYPE_COUNT);
        if (!is_number(info) || tir_type_rows[kind].class == TIR_CLASS_COMPOUND ||
            tir_type_rows[kind].since > module->version)
            continue;
        if (tir_type_rows[kind].class != tir_type_rows[info->kind].class && random_below(editor->random, 8)) continue;
        info->kind = kind;
        return;
    }
}

static bool is_view(const TirTypeInfo *info) {
    return info->kind == TIR_TYPE_partition_view || info->kind == TIR_TYPE_strided_view ||
           info->kind == TIR_TYPE_gather_scatter_view;
}

// Strides and extents of tensor views; steps, sparse dimensions, dimension maps and paddings of the views on them.
static void change_view(Editor *editor) {
    TirModule *module = editor->module;
    for (int tries = 0; tries < 30; tries++) {
        TirTypeInfo *info = &module->types[random_below(editor->random, module->type_count)];
        if (!info->rank || (info->kind != TIR_TYPE_tensor_view && !is_view(info))) continue;
        uint32_t d = (uint32_t)random_below(editor->random, info->rank),
                 other = (uint32_t)random_below(editor->random, info->rank);
        if (info->kind == TIR_TYPE_tensor_view) {
            int64_t *numbers = (int64_t *)(random_below(editor->random, 2) ? info->shape : info->strides);
            if (numbers[d] != TIR_DYNAMIC || !random_below(editor->random, 8))
                numbers[d] = (int64_t)random_edge(editor->random);
        } else if (info->kind == TIR_TYPE_strided_view && random_below(editor->random, 2)) {
            ((int64_t *)info->strides)[d] = 1 + (int64_t)random_below(editor->random, 2 * (uint64_t)info->shape[d]);
        } else if (info->kind == TIR_TYPE_gather_scatter_view && random_below(editor->random, 2)) {
            info->sparse_dim = d;
        } else if (info->dim_map && random_below(editor->random, 2)) {
            int32_t *map = (int32_t *)info->dim_map, dim = map[d];
            map[d] = map[other];
            map[other] = dim;
        } else {
            info->padding = (TirPadding)random_below(editor->random, TIR_PAD_none + 1);
        }
        return;
    }
}

// ---- repairs --------------------------------------------------------------------------------------------------------

// Constants become splats where their type no longer fits them.
static void repair_constants(Editor *editor) {
    static const uint8_t zeros[8] = {0};
    for (uint32_t i = 0; i < editor->ops.count; i++) {
        TirOp *op = editor->ops.items[i];
        if (op->kind != TIR_OP_constant || !op->result_count) continue;
        TirType type = tir_value_type(editor->function, op->first_result);
        if (tir_type(editor->module, type)->kind != TIR_TYPE_tile) continue;
        TirConstant *constant = &op->attributes[0].constant;
        size_t bytes = (tir_type_rows[tir_tile_element_kind(editor->module, type)].bits + 7u) / 8u;
        if (constant->size == bytes) continue;
        uint64_t elements = 1;
        const TirTypeInfo *info = tir_type(editor->module, type);
        for (uint32_t d = 0; d < info->rank; d++) elements *= (uint64_t)info->shape[d];
        if (constant->size == elements * bytes || constant->size == (elements + 7) / 8) continue;
        if (constant->size < bytes) constant->bytes = zeros;
        constant->size = bytes;
    }
}

void mutate_module(TirModule *module, Random *random) {
    static void (*const edits[])(Editor *) = {
        change_operand, change_operand, change_attribute,   change_attribute, change_some_constant,
        change_kind,    change_kind,    change_size,        change_size,      change_element,
        change_element, change_view,    change_result_type, remove_op,        move_op,
        edit_segment,   edit_rank,      edit_element,       edit_signature,   edit_identity,
        edit_text,      edit_global,    edit_hints,         edit_results};
    if (!module->function_count || !module->type_count) return;
    Editor editor = {module, &module->functions[random_below(random, module->function_count)], random, {0}};
    list_ops(&editor);
    unsigned changes = 1 + (unsigned)random_below(random, 4);
    while (changes-- && editor.ops.count) edits[random_below(random, BASE_COUNT(edits))](&editor);
    list_ops(&editor);
    repair_constants(&editor);
}
