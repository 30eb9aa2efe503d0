// SPDX-License-Identifier: Apache-2.0
// Which tiles need not become memory at their definition, and who reads a tile last.
#include "compiler/lower/tiles.h"

#include <assert.h>

typedef struct PlanUse {
    const TirOp *user;
    struct PlanUse *next;
} PlanUse;
struct EmitPlan {
    PlanUse **uses;     // by value: its users, latest first, each once
    uint16_t *deferred; // by value: how many ops are evaluated with it, each path to an op counted; 0: it is at hand
    bool *lasts;        // by value: it can be evaluated anywhere behind its definition
};

// Evaluation goes from op to op by recursion, and looks each up among those before: of longer chains some tiles
// become memory.
enum { DEFERRED_MAX = 250 };
// Integers and pointers that are made of indices, scalars and the like cost less to make again for each user than to
// keep in memory; of more ops than this they are kept.
enum { REMADE_MAX = 24 };

static void collect_uses(Emit *e, EmitPlan *plan, const TirRegion *region) {
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op))
        for (uint32_t i = 0; i < op->operand_count && !assume_is_idle(e, op); i++) {
            PlanUse **uses = &plan->uses[op->operands[i]];
            if (*uses && (*uses)->user == op) continue;
            PlanUse *use = arena_new(e->arena, PlanUse);
            *use = (PlanUse){op, *uses};
            *uses = use;
        }
}

const TirOp *plan_single_user(const Emit *e, TirValue value) {
    const PlanUse *use = e->plan->uses[value];
    return use && !use->next ? use->user : NULL;
}

static bool expands(const Emit *e, const TirOp *op) {
    return tir_tile_elements(e->module, emit_type_of(e, tir_result(op, 0))) >
           tir_tile_elements(e->module, emit_type_of(e, op->operands[0]));
}

// Whether each element is evaluated once, in the same block, if the value is evaluated where it is used.
static bool is_deferrable(const Emit *e, TirValue value, const TirBlock *block) {
    for (;;) {
        if (!e->plan->uses[value]) return true;
        const TirOp *user = plan_single_user(e, value);
        if (!user || user->block != block) return false;
        if (emit_row(user->kind)->class != EMIT_CLASS_MAP) return true;
        if (expands(e, user)) return false;
        value = tir_result(user, 0);
    }
}

static bool may_be_lazy(const Emit *e, const TirOp *op) {
    EmitClass class = emit_row(op->kind)->class;
    return class == EMIT_CLASS_INDEX || class == EMIT_CLASS_MAP ||
           (class == EMIT_CLASS_ELEMENT && is_deferrable(e, tir_result(op, 0), op->block));
}

// ---- arithmetic on indices, which is made again for each user, in other blocks too ----------------------------------

static bool is_float_tile(const Emit *e, TirValue value) {
    return emit_element(e, emit_type_of(e, value)).is_float;
}

static bool is_index_arithmetic(const TirOp *op) {
    switch (op->kind) {
    case TIR_OP_addi:
    case TIR_OP_andi:
    case TIR_OP_cmpi:
    case TIR_OP_exti:
    case TIR_OP_maxi:
    case TIR_OP_mini:
    case TIR_OP_muli:
    case TIR_OP_negi:
    case TIR_OP_offset:
    case TIR_OP_ori:
    case TIR_OP_select:
    case TIR_OP_shli:
    case TIR_OP_shri:
    case TIR_OP_subi:
    case TIR_OP_trunci:
    case TIR_OP_xori: return true;
    default: return false;
    }
}

// Whether nothing changes what the value is evaluated from: it is one element, or of this arithmetic, or a tile that
// its op has left in memory.
static bool lasts(const Emit *e, const EmitPlan *plan, TirValue value) {
    const TirOp *op = tir_value(e->function, value)->definition;
    if (plan->lasts[value] || emit_is_scalar(e, value)) return true;
    if (!op || is_float_tile(e, value)) return false;
    return op->kind == TIR_OP_constant || op->kind == TIR_OP_divi || op->kind == TIR_OP_remi ||
           op->kind == TIR_OP_load_ptr_tko;
}

// Notes whether the op's result lasts. True if it is also lazy for that.
static bool is_remade(const Emit *e, EmitPlan *plan, const TirOp *op) {
    const EmitClass class = emit_row(op->kind)->class;
    if (op->result_count != 1 || emit_is_scalar(e, tir_result(op, 0)) || is_float_tile(e, tir_result(op, 0)))
        return false;
    if (class != EMIT_CLASS_INDEX && class != EMIT_CLASS_MAP &&
        !(class == EMIT_CLASS_ELEMENT && is_index_arithmetic(op)))
        return false;
    uint32_t count = 1;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!lasts(e, plan, op->operands[i])) return false;
        count += plan->deferred[op->operands[i]];
    }
    return plan->lasts[tir_result(op, 0)] = count <= REMADE_MAX;
}

// ---- tiles that a loop moves as a whole -----------------------------------------------------------------------------

// Whether all elements are the same scalar, as the lowering finds it (EMIT_SCALAR).
static bool is_splat(const Emit *e, TirValue value) {
    const TirOp *op = tir_value(e->function, value)->definition;
    if (emit_is_scalar(e, value)) return true;
    if (!op) return false;
    if (op->kind == TIR_OP_constant)
        return tir_constant_is_splat(e->module, emit_type_of(e, value), &tir_attribute(op, "value")->constant);
    return emit_row(op->kind)->class == EMIT_CLASS_MAP && is_splat(e, op->operands[0]);
}

TirValue plan_moved_by(const Emit *e, const TirOp *op, TirValue *by, bool *back) {
    if (op->kind != TIR_OP_offset && op->kind != TIR_OP_addi && op->kind != TIR_OP_subi) return TIR_NO_VALUE;
    *back = op->kind == TIR_OP_subi;
    for (uint32_t i = op->kind == TIR_OP_addi ? 0 : 1; i < 2; i++)
        if (is_splat(e, op->operands[i])) {
            *by = op->operands[i];
            return op->operands[1 - i];
        }
    return TIR_NO_VALUE;
}

// Whether an op of the region, but its last one, may end an iteration of the loop around it.
static bool ends_iterations(const TirRegion *region) {
    for (const TirOp *op = region->first->first; op; op = op->next) {
        if (op->next && (op->kind == TIR_OP_continue || op->kind == TIR_OP_break)) return true;
        if (op->kind != TIR_OP_if) continue;
        for (uint32_t r = 0; r < op->region_count; r++) {
            const TirRegion *inner = &op->regions[r];
            if (!inner->first) continue;
            const TirOpKind last = inner->first->last->kind;
            if (last == TIR_OP_continue || last == TIR_OP_break || ends_iterations(inner)) return true;
        }
    }
    return false;
}

enum { MOVES_MAX = 8 }; // in an iteration

bool plan_is_moved(const Emit *e, const TirOp *loop, uint32_t number) {
    const TirBlock *body = loop->regions[0].first;
    const TirOp *end = body->last;
    const TirValue init = loop->operands[3 + number], argument = body->first_argument + 1 + number;
    if (e->options->by_element || e->options->gpu || end->kind != TIR_OP_continue) return false;
    if (emit_is_scalar(e, init) || tir_type(e->module, emit_type_of(e, init))->kind != TIR_TYPE_tile) return false;
    const EmitElement element = emit_element(e, emit_type_of(e, init));
    if (element.is_float || element.parts > 1 || element.bits < 8 || !lasts(e, e->plan, init)) return false;
    TirValue value = end->operands[number], by;
    bool back;
    for (unsigned i = 0; value != argument; i++) {
        const TirOp *op = tir_value(e->function, value)->definition;
        if (!op || i == MOVES_MAX) return false;
        value = plan_moved_by(e, op, &by, &back);
        if (value == TIR_NO_VALUE) return false;
    }
    return !ends_iterations(&loop->regions[0]);
}

static void note_moved(const Emit *e, EmitPlan *plan, const TirOp *loop) {
    for (uint32_t i = 0; i < loop->result_count; i++) {
        if (!plan_is_moved(e, loop, i)) continue;
        const TirValue values[] = {loop->regions[0].first->first_argument + 1 + i, tir_result(loop, i)};
        for (unsigned k = 0; k < BASE_COUNT(values); k++) {
            plan->lasts[values[k]] = true;
            plan->deferred[values[k]] = (uint16_t)(plan->deferred[loop->operands[3 + i]] + 1);
        }
    }
}

// ---- which values are lazy ------------------------------------------------------------------------------------------

// An operand given twice is evaluated once.
static bool is_repeated(const TirOp *op, uint32_t operand) {
    for (uint32_t i = 0; i < operand; i++)
        if (op->operands[i] == op->operands[operand]) return true;
    return false;
}

// Operands come before their ops.
static void count_deferred(Emit *e, EmitPlan *plan, const TirRegion *region) {
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op)) {
        uint32_t count = 1;
        if (op->kind == TIR_OP_for) note_moved(e, plan, op);
        if (op->result_count != 1 || tir_type(e->module, emit_type_of(e, tir_result(op, 0)))->kind != TIR_TYPE_tile)
            continue;
        const bool remade = !e->options->by_element && !e->options->gpu && is_remade(e, plan, op);
        const bool lazy = remade || may_be_lazy(e, op);
        for (uint32_t i = 0; lazy && i < op->operand_count; i++)
            if (!is_repeated(op, i)) count += plan->deferred[op->operands[i]];
        if (lazy) plan->deferred[tir_result(op, 0)] = count <= DEFERRED_MAX ? (uint16_t)count : 0;
    }
}

// Whether the op may change what a weak load reads, or have to come after it.
static bool orders_memory(const TirOp *op) {
    if (tir_op_does(op, TIR_WRITES | TIR_ORDERS)) return true;
    if (tir_op_does(op, TIR_READS)) return !tir_op_is_weak(op);
    for (uint32_t r = 0; r < op->region_count; r++)
        for (const TirOp *inner = tir_first_op(&op->regions[r]); inner; inner = tir_next_op(&op->regions[r], inner))
            if (!inner->region_count && orders_memory(inner)) return true;
    return false;
}

// Whether some op up to that number waits for the token.
static bool is_awaited(const EmitPlan *plan, TirValue token, uint32_t last) {
    for (const PlanUse *use = plan->uses[token]; use; use = use->next) {
        const bool joins = use->user->kind == TIR_OP_join_tokens;
        if (joins ? is_awaited(plan, tir_result(use->user, 0), last) : use->user->number <= last) return true;
    }
    return false;
}

// Weak loads through views: until the one op that reads the tile, in the same block, nothing else may happen to memory,
// and nobody may wait for the load's token.
static void defer_loads(Emit *e, EmitPlan *plan, const TirRegion *region) {
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op)) {
        if (op->kind != TIR_OP_load_view_tko || orders_memory(op)) continue;
        TirValue tile = tir_result(op, 0);
        if (!is_deferrable(e, tile, op->block)) continue;
        uint32_t last = plan_last_read(e, tile);
        if (is_awaited(plan, tir_result(op, 1), last)) continue;
        const TirOp *next = op->next;
        while (next && next->number < last && !orders_memory(next)) next = next->next;
        if (next && next->number == last) plan->deferred[tile] = 1;
    }
}

const TirOp *plan_last_before_write(const Emit *e, const TirOp *load) {
    const uint32_t last = plan_last_read(e, tir_result(load, 0));
    const TirOp *next = load->next;
    while (next && next->number < last && !orders_memory(next)) next = next->next;
    return next && next->number == last ? next : NULL;
}

int plan_parameter_of(const Emit *e, TirValue pointer) {
    const TirBlock *entry = e->function->body.first;
    for (;;) {
        const TirValueInfo *info = tir_value(e->function, pointer);
        if (!info->definition) return info->block == entry ? (int)info->index : -1;
        if (info->definition->region_count) return -1;
        pointer = tir_op_passed(info->definition);
        if (pointer == TIR_NO_VALUE) return -1;
    }
}

bool plan_is_lazy(const Emit *e, const TirOp *op) {
    return e->plan->deferred[tir_result(op, 0)];
}

bool plan_function(Emit *e) {
    EmitPlan *plan = arena_new(e->arena, EmitPlan);
    plan->uses = arena_array(e->arena, PlanUse *, e->function->value_count);
    plan->deferred = arena_array(e->arena, uint16_t, e->function->value_count);
    plan->lasts = arena_array(e->arena, bool, e->function->value_count);
    collect_uses(e, plan, &e->function->body);
    e->plan = plan;
    count_deferred(e, plan, &e->function->body);
    defer_loads(e, plan, &e->function->body);
    return true;
}

// Whether the user's result, when it is read, reads its operands: it is deferred, or is the operand itself, or may be
// undone (unpack).
static bool reads_later(const Emit *e, const TirOp *user) {
    return user->kind == TIR_OP_assume || user->kind == TIR_OP_pack || user->kind == TIR_OP_unpack ||
           (user->result_count == 1 && plan_is_lazy(e, user));
}

uint32_t plan_last_read(const Emit *e, TirValue value) {
    uint32_t last = 0;
    for (const PlanUse *use = e->plan->uses[value]; use; use = use->next) {
        uint32_t at = use->user->number;
        if (reads_later(e, use->user)) {
            uint32_t deferred = plan_last_read(e, tir_result(use->user, 0));
            if (deferred > at) at = deferred;
        }
        if (at > last) last = at;
    }
    return last;
}

// Whether a bitcast itself makes a float of the integer.
static bool is_cast_to_float(const Emit *e, TirValue integer, TirType *type) {
    for (const PlanUse *use = e->plan->uses[integer]; use; use = use->next) {
        if (use->user->kind != TIR_OP_bitcast) continue;
        *type = emit_type_of(e, tir_result(use->user, 0));
        if (emit_element(e, *type).is_float) return true;
    }
    return false;
}

bool plan_float_of_bits(const Emit *e, TirValue integer, TirType *type) {
    if (is_cast_to_float(e, integer, type)) return true;
    for (const PlanUse *use = e->plan->uses[integer]; use; use = use->next) {
        const TirOp *user = use->user;
        const bool moves = emit_row(user->kind)->class == EMIT_CLASS_MAP && user->kind != TIR_OP_broadcast;
        if (moves && plan_float_of_bits(e, tir_result(user, 0), type)) return true;
        if (user->kind == TIR_OP_select && is_cast_to_float(e, tir_result(user, 0), type)) return true;
    }
    return false;
}

static bool same_memory(const EmitVal *a, const EmitVal *b) {
    return a->kind == EMIT_MEMORY && b->kind == EMIT_MEMORY && a->value.parts[0] == b->value.parts[0];
}

static bool reads(const Emit *e, TirValue value, const EmitVal *tile, bool *in_place, bool moved) {
    const EmitVal *val = &e->values[value];
    if (same_memory(val, tile)) {
        if (moved || !map_equal(&val->layout, &tile->layout)) *in_place = false;
        return true;
    }
    if (val->kind != EMIT_LAZY) return false;
    if (val->moved) return reads(e, val->moved->from, tile, in_place, moved);
    const TirOp *op = tir_value(e->function, value)->definition;
    moved |= emit_row(op->kind)->class == EMIT_CLASS_MAP && op->kind != TIR_OP_reshape;
    bool any = false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!is_repeated(op, i)) any |= reads(e, op->operands[i], tile, in_place, moved);
    return any;
}

bool plan_reads_memory(const Emit *e, TirValue value, const EmitVal *tile, bool *in_place) {
    *in_place = true;
    return reads(e, value, tile, in_place, false);
}
