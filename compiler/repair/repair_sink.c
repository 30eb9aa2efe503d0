// SPDX-License-Identifier: Apache-2.0
// Compilers move out of loops what does not change there. A bug may be just that something does not: an index that
// lacks the loop's. So what only one loop uses goes back into it, where edits can use the loop's values.
#include "compiler/repair/repair_internal.h"

#include <stdlib.h>

typedef struct Sinker {
    TirFunction *function;
    const TirOp *
        *user_of; // of each value: the loop that holds all of its uses; NULL: none; the op `elsewhere`: no loop
    TirOp elsewhere;
} Sinker;

static bool is_shape(TirOpKind kind) {
    return kind == TIR_OP_reshape || kind == TIR_OP_broadcast || kind == TIR_OP_permute || kind == TIR_OP_ftof;
}

static bool is_integer_op(const Sinker *s, const TirOp *op) {
    const TirModule *module = s->function->module;
    const TirTypeInfo *type = tir_type(module, tir_value_type(s->function, op->first_result));
    return op->result_count == 1 && tir_op_info(op->kind)->pure && !op->region_count && type->kind == TIR_TYPE_tile &&
           (tir_type_is_integer(module, type->element) || op->kind == TIR_OP_offset) && op->kind != TIR_OP_constant &&
           op->kind != TIR_OP_assume;
}

// The parameter that an access goes through; TIR_NO_VALUE: not known.
static TirValue base_of(const TirFunction *function, const TirOp *access) {
    TirValue value = tir_op_address(access);
    while (value != TIR_NO_VALUE) {
        const TirOp *maker = tir_value(function, value)->definition;
        if (!maker) return value;
        value = tir_op_passed(maker);
    }
    return value;
}

// Whether an op may store to what the load reads, as far as parameters tell: other parameters are other buffers.
static bool disturbs(const Sinker *s, const TirOp *op, const TirOp *load) {
    const TirValue base = base_of(s->function, load);
    return tir_op_does(op, TIR_WRITES) &&
           (base == TIR_NO_VALUE || base_of(s->function, op) == base || base_of(s->function, op) == TIR_NO_VALUE);
}

// Whether an op in the regions of one does.
static bool inner_disturb(const Sinker *s, const TirOp *around, const TirOp *load) {
    for (uint32_t r = 0; r < around->region_count; r++) {
        const TirRegion *body = &around->regions[r];
        for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
            if (disturbs(s, op, load)) return true;
    }
    return false;
}

// Loads move only over ops, and into loops, that do not store what they read.
static bool may_sink(const Sinker *s, const TirOp *op, const TirOp *loop) {
    if (is_shape(op->kind) || is_integer_op(s, op)) return true;
    if (op->kind != TIR_OP_load_view_tko && op->kind != TIR_OP_load_ptr_tko) return false;
    for (const TirOp *next = op->next; next && next != loop; next = next->next)
        if (disturbs(s, next, op) || inner_disturb(s, next, op)) return false;
    return tir_op_is_weak(op) && !inner_disturb(s, loop, op);
}

// The loop in the block that holds the user; else elsewhere.
static const TirOp *loop_around(const Sinker *s, const TirOp *user, const TirBlock *block) {
    const TirOp *around = user;
    while (around->block != block && around->block->region->owner) around = around->block->region->owner;
    return around != user && around->block == block && around->kind == TIR_OP_for ? around : &s->elsewhere;
}

static void find_users(Sinker *s) {
    for (const TirOp *op = tir_first_op(&s->function->body); op; op = tir_next_op(&s->function->body, op))
        for (uint32_t i = 0; i < op->operand_count; i++) {
            const TirValue value = op->operands[i];
            const TirValueInfo *info = tir_value(s->function, value);
            const TirOp *loop = info->definition ? loop_around(s, op, info->definition->block) : &s->elsewhere;
            s->user_of[value] = !s->user_of[value] || s->user_of[value] == loop ? loop : &s->elsewhere;
        }
}

static TirOp *loop_of(const Sinker *s, const TirOp *op) {
    const TirOp *loop = NULL;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const TirOp *user = s->user_of[op->first_result + i];
        if (!user) continue; // the token of a load
        if (user == &s->elsewhere || (loop && loop != user)) return NULL;
        loop = user;
    }
    return (TirOp *)loop;
}

// Moves the op to the start of the loop's body.
static void move_into(TirFunction *function, TirOp *op, const TirOp *loop) {
    TirOp *next = loop->regions[0].first->first;
    tir_op_remove(op);
    op->block = next->block;
    op->next = next;
    op->previous = next->previous;
    *(op->previous ? &op->previous->next : &next->block->first) = op;
    next->previous = op;
    next->block->op_count++;
    for (uint32_t i = 0; i < op->result_count; i++) function->values[op->first_result + i].block = next->block;
}

// From the last op to the first, so that what a moved op alone used moves behind it.
static void sink_block(Sinker *s, TirBlock *block) {
    for (TirOp *op = block->last, *previous; op; op = previous) {
        previous = op->previous;
        for (uint32_t r = 0; r < op->region_count; r++)
            for (TirBlock *inner = op->regions[r].first; inner; inner = inner->next) sink_block(s, inner);
        if (op->region_count || !op->result_count) continue;
        find_users(s);
        const TirOp *loop = loop_of(s, op);
        if (loop && may_sink(s, op, loop)) move_into(s->function, op, loop);
        for (TirValue v = 0; v < s->function->value_count; v++) s->user_of[v] = NULL;
    }
}

// Ops of the copy are where those of the module are, which bytecode may not say, and are the same in Triton's algebra.
// The two have the same ops.
static void copy_places(const TirModule *from, TirModule *to) {
    for (uint32_t f = 0; f < from->function_count && f < to->function_count; f++) {
        const TirOp *op = tir_first_op(&from->functions[f].body);
        for (TirOp *copy = tir_first_op(&to->functions[f].body); op && copy;
             copy = tir_next_op(&to->functions[f].body, copy), op = tir_next_op(&from->functions[f].body, op)) {
            copy->at = location_keep(&to->arena, op->at);
            copy->source_name = arena_keep(&to->arena, op->source_name);
            copy->math.split = op->math.split;
            copy->math.assembly = arena_keep(&to->arena, op->math.assembly);
        }
    }
}

// What Triton's kernels say beside their ops.
static void copy_parameters(const TirModule *from, TirModule *to) {
    to->triton = from->triton;
    for (uint32_t f = 0; f < from->function_count && f < to->function_count; f++) {
        const TirFunction *own = &from->functions[f];
        const uint32_t count = tir_type(from, own->type)->parameter_count;
        if (!own->parameter_names) continue;
        const char **names = arena_array(&to->arena, const char *, count + 1u);
        uint32_t *ranks = arena_array(&to->arena, uint32_t, count + 1u);
        uint32_t *paddings = arena_array(&to->arena, uint32_t, count + 1u);
        for (uint32_t i = 0; i < count; i++) {
            names[i] = arena_keep(&to->arena, own->parameter_names[i]);
            ranks[i] = own->descriptor_ranks[i];
            paddings[i] = own->padding_of[i];
        }
        to->functions[f].parameter_names = names;
        to->functions[f].descriptor_ranks = ranks;
        to->functions[f].padding_of = paddings;
    }
}

TirModule *repair_copy(const TirModule *module) {
    Diagnostics ignored = {0}, again = {0};
    Buffer bytes = {0};
    TirModule *own = NULL;
    if (tir_write_bytecode(&ignored, module, TIR_VERSION_MAX, &bytes))
        own = tir_read_bytecode(&ignored, module->path, (const uint8_t *)bytes.data, bytes.size);
    if (!own) { // ops that only text has, or debug information of Triton's, which has no scopes
        bytes.size = 0;
        tir_print(module, false, &bytes);
        own = tir_parse_text(&again, module->path, bytes.data, bytes.size);
    }
    if (own) {
        copy_places(module, own);
        copy_parameters(module, own);
    }
    buffer_free(&bytes);
    diagnostics_close(&ignored);
    diagnostics_close(&again);
    return own;
}

TirModule *repair_sink(const TirModule *module) {
    TirModule *own = repair_copy(module);
    for (uint32_t f = 0; own && f < own->function_count; f++) {
        Sinker s = {.function = &own->functions[f]};
        s.user_of = calloc(s.function->value_count + 1u, sizeof *s.user_of);
        if (!s.user_of) abort();
        for (TirBlock *block = s.function->body.first; block; block = block->next) sink_block(&s, block);
        free(s.user_of);
    }
    if (own) tir_number_ops(own);
    return own;
}
