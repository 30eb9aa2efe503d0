// SPDX-License-Identifier: Apache-2.0
// Questions about ops of the original module.
#include "compiler/mutate/mutate_internal.h"

#include <string.h>

enum { SAME_DEPTH_MAX = 8 };

TirType site_operand_type(const Site *s, uint32_t operand) {
    return tir_value_type(s->function, s->op->operands[operand]);
}

TirType site_result_type(const Site *s, uint32_t result) {
    return tir_value_type(s->function, tir_result(s->op, result));
}

bool site_is_tile(const Site *s, TirType type) {
    return tir_type(s->module, type)->kind == TIR_TYPE_tile &&
           tir_type_rows[tir_tile_element_kind(s->module, type)].bits != 4;
}

bool site_is_number_tile(const Site *s, TirType type) {
    return site_is_tile(s, type) && tir_tile_element_kind(s->module, type) != TIR_TYPE_ptr;
}

bool site_has_attribute(TirOpKind kind, const char *name) {
    const TirOpInfo *info = tir_op_info(kind);
    for (unsigned i = 0; i < info->attribute_count; i++)
        if (!strcmp(info->attributes[i].name, name)) return true;
    return false;
}

bool site_is_used(const Site *s, TirValue value) {
    const TirRegion *body = &s->function->body;
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (op->operands[i] == value) return true;
    return false;
}

static bool same_attributes(const TirOp *a, const TirOp *b) {
    const TirOpInfo *info = tir_op_info(a->kind);
    for (unsigned i = 0; i < info->attribute_count; i++) {
        const TirAttribute *x = &a->attributes[i], *y = &b->attributes[i];
        if (x->present != y->present || x->integer != y->integer) return false;
        if (info->attributes[i].kind == TIR_ATTR_CONSTANT) {
            if (x->constant.size != y->constant.size || memcmp(x->constant.bytes, y->constant.bytes, x->constant.size))
                return false;
        } else if (info->attributes[i].kind > TIR_ATTR_I64) {
            return false;
        }
    }
    return true;
}

static bool same_value(const TirFunction *function, TirValue a, TirValue b, unsigned depth) {
    if (a == b) return true;
    const TirValueInfo *x = tir_value(function, a), *y = tir_value(function, b);
    if (!x->definition || !y->definition || x->type != y->type || x->index != y->index || depth == SAME_DEPTH_MAX)
        return false;
    const TirOp *p = x->definition, *q = y->definition;
    if (p->kind != q->kind || !tir_op_info(p->kind)->pure || p->region_count || p->operand_count != q->operand_count ||
        !same_attributes(p, q))
        return false;
    for (uint32_t i = 0; i < p->operand_count; i++)
        if (!same_value(function, p->operands[i], q->operands[i], depth + 1)) return false;
    return true;
}

bool site_is_same(const Site *s, TirValue a, TirValue b) {
    return same_value(s->function, a, b, 0);
}

bool site_is_constant(const Site *s, TirValue value) {
    const TirOp *op = tir_value(s->function, value)->definition;
    return op && op->kind == TIR_OP_constant;
}

uint32_t site_operands(const TirOp *op, const char *name, uint32_t *count) {
    const TirOpInfo *info = tir_op_info(op->kind);
    uint32_t first = 0;
    *count = 0;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        if (!strcmp(info->operands[i].name, name)) {
            *count = op->segments[i];
            return first;
        }
        first += op->segments[i];
    }
    return 0;
}

TirValue site_last_result(const Site *s, uint32_t operand) {
    const TirType type = site_operand_type(s, operand);
    const TirValue own = s->op->operands[operand];
    for (const TirOp *around = s->op; around; around = around->block->region->owner)
        for (const TirOp *op = around->previous; op; op = op->previous)
            for (uint32_t r = op->result_count; r-- > 0;)
                if (tir_value_type(s->function, tir_result(op, r)) == type && !site_is_same(s, tir_result(op, r), own))
                    return tir_result(op, r);
    return TIR_NO_VALUE;
}

TirValue site_last_argument(const Site *s, uint32_t operand) {
    const TirType type = site_operand_type(s, operand);
    for (const TirOp *around = s->op; around; around = around->block->region->owner) {
        const TirBlock *block = around->block;
        for (uint32_t i = block->argument_count; i-- > 0;) {
            const TirValue value = block->first_argument + i;
            if (value != s->op->operands[operand] && tir_value_type(s->function, value) == type) return value;
        }
    }
    return TIR_NO_VALUE;
}

const TirOp *site_loop(const TirOp *op) {
    const TirOp *around = op->block->region->owner;
    while (around && around->kind != TIR_OP_for && around->kind != TIR_OP_loop) around = around->block->region->owner;
    return around;
}

const TirOp *site_reduction(const Site *s) {
    const TirOp *found = NULL;
    for (const TirOp *around = s->op->block->region->owner; around; around = around->block->region->owner)
        if (around->kind == TIR_OP_reduce || around->kind == TIR_OP_scan) found = around;
    return found;
}
