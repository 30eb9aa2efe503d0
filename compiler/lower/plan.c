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
};

// Evaluation goes from op to op by recursion, and looks each up among those before: of longer chains some tiles
// become memory.
enum { DEFERRED_MAX = 250 };

static void collect_uses(Emit *e, EmitPlan *plan, const TirRegion *region) {
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op))
        for (uint32_t i = 0; i < op->operand_count; i++) {
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
        bool lazy = op->result_count == 1 && may_be_lazy(e, op);
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

// Weak loads through views whose token is unused: until the one op that reads the tile, in the same block, nothing else
// may happen to memory.
static void defer_loads(Emit *e, EmitPlan *plan, const TirRegion *region) {
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op)) {
        if (op->kind != TIR_OP_load_view_tko || orders_memory(op) || plan->uses[tir_result(op, 1)]) continue;
        TirValue tile = tir_result(op, 0);
        if (!is_deferrable(e, tile, op->block)) continue;
        uint32_t last = plan_last_read(e, tile);
        const TirOp *next = op->next;
        while (next && next->number < last && !orders_memory(next)) next = next->next;
        if (next && next->number == last) plan->deferred[tile] = 1;
    }
}

bool plan_is_lazy(const Emit *e, const TirOp *op) {
    return e->plan->deferred[tir_result(op, 0)];
}

bool plan_function(Emit *e) {
    EmitPlan *plan = arena_new(e->arena, EmitPlan);
    plan->uses = arena_array(e->arena, PlanUse *, e->function->value_count);
    plan->deferred = arena_array(e->arena, uint16_t, e->function->value_count);
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
