// SPDX-License-Identifier: Apache-2.0
// Whether what a kernel computes may depend on the order of its blocks, even if it is right: blocks that tell each
// other something, by atomics that give an old value or by strong loads and stores, and reductions whose result depends
// on their order. Only accesses of global memory count; a generic address may be one. Plain accesses to the same
// element are races, which nobody orders.
#include "compiler/warp/lanes.h"

typedef enum OrderKind {
    ORDER_ACCESS,    // only if it is strong
    ORDER_REDUCTION, // unless it is one of those that may come in any order
    ORDER_ATOMIC,    // the same if nobody reads its result
    ORDER_EXCHANGE,  // always
} OrderKind;

static const struct OrderRow {
    PtxOp op;
    OrderKind kind;
} order_rows[] = {
    {PTX_OP_ld, ORDER_ACCESS},
    {PTX_OP_st, ORDER_ACCESS},
    {PTX_OP_st_async, ORDER_ACCESS},
    {PTX_OP_atom_cas, ORDER_EXCHANGE},
    {PTX_OP_atom_exch, ORDER_EXCHANGE},
    {PTX_OP_atom_integer, ORDER_ATOMIC},
    {PTX_OP_atom_float, ORDER_ATOMIC},
    {PTX_OP_atom_vector, ORDER_ATOMIC},
    {PTX_OP_red_integer, ORDER_REDUCTION},
    {PTX_OP_red_float, ORDER_REDUCTION},
    {PTX_OP_red_vector, ORDER_REDUCTION},
    {PTX_OP_cp_reduce_async_bulk_store, ORDER_REDUCTION},
    {PTX_OP_cp_reduce_async_bulk_tensor, ORDER_REDUCTION},
};

typedef struct OrderSearch {
    const Numeric *numeric;
    const PtxFunction *function; // that is looked at
    Arena arena;                 // of what is known of it
    const bool *read;            // its registers that somebody reads; NULL: not asked yet
    // The reductions so far, which are all alike: two of one kind may change places, two of different kinds may not.
    PtxWord operation; // PTX_WORD_NONE: none
    PtxType type;      // PTX_TYPE_COUNT: not known
} OrderSearch;

// ---- registers that somebody reads

static bool is_wanted(const PtxOperand *result, const bool *read) {
    if (result->kind == PTX_REGISTER) return read[result->index];
    for (uint32_t i = 0; i < result->count; i++)
        if (is_wanted(&result->items[i], read)) return true;
    return false;
}

// ---- instructions

static bool is_strong(const PtxInstruction *instruction) {
    const PtxWord order = ptx_find(instruction, PTX_SET_order);
    return order != PTX_WORD_NONE && order != PTX_WORD_weak;
}

// The type as far as the operation cares: sums of integers do not know signs.
static PtxType reduced_type(const PtxInstruction *instruction, PtxWord operation) {
    if (!instruction->type_count) return PTX_TYPE_COUNT;
    const PtxType type = (PtxType)instruction->types[0];
    if (operation != PTX_WORD_add || ptx_type_info(type)->kind != PTX_SIGNED) return type;
    return ptx_type_info(type)->bits == 64 ? PTX_u64 : PTX_u32;
}

// Whether reductions of this kind alone give the same in any order. Without a type they may be on floats.
static bool commutes(const OrderSearch *s, PtxWord operation, PtxType type) {
    const bool floats = type == PTX_TYPE_COUNT || ptx_type_info(type)->kind == PTX_FLOAT;
    switch (operation) {
    case PTX_WORD_add: return !floats || s->numeric->exact_addition;
    case PTX_WORD_min:
    case PTX_WORD_max: return !floats;
    case PTX_WORD_and:
    case PTX_WORD_or:
    case PTX_WORD_xor: return true;
    default: return false;
    }
}

static bool adds_order(OrderSearch *s, const PtxInstruction *instruction) {
    const PtxWord operation = ptx_find(instruction, PTX_SET_operation);
    const PtxType type = reduced_type(instruction, operation);
    if (!commutes(s, operation, type)) return true;
    if (s->operation != PTX_WORD_NONE && (s->operation != operation || s->type != type)) return true;
    s->operation = operation;
    s->type = type;
    return false;
}

static bool orders(OrderSearch *s, const PtxInstruction *instruction) {
    const PtxSpace space = ptx_space(instruction, 0);
    for (size_t i = 0; i < BASE_COUNT(order_rows); i++) {
        if (order_rows[i].op != instruction->op) continue;
        if (space != PTX_GENERIC && space != PTX_GLOBAL) return false;
        switch (order_rows[i].kind) {
        case ORDER_ACCESS: return is_strong(instruction);
        case ORDER_REDUCTION: return adds_order(s, instruction);
        case ORDER_ATOMIC:
            if (!s->read) s->read = lane_find_read(s->function, &s->arena);
            return is_wanted(&instruction->operands[0], s->read) || adds_order(s, instruction);
        case ORDER_EXCHANGE: return true;
        }
    }
    return false;
}

bool lane_depends_on_order(const PtxReach *reach, const Numeric *numeric) {
    OrderSearch s = {.numeric = numeric};
    bool found = false;
    for (uint32_t f = 0; f < reach->count && !found; f++) {
        s.function = &reach->module->functions[reach->list[f]];
        s.read = NULL;
        for (uint32_t i = 0; i < s.function->instruction_count && !found; i++)
            found = orders(&s, &s.function->instructions[i]);
        arena_reset(&s.arena);
    }
    return found;
}
