// SPDX-License-Identifier: Apache-2.0
// Which lanes the census counts. Tiles are padded to powers of two: elements of a load that lie outside its tensor, and
// all that is computed of them alone, are no values of the program's author. Whether an element is such follows from
// the ops that it is computed by: an element-wise op has it where some operand has it, a reduction where the whole row
// has it, a dot where its row or its column has it. What a select puts in place of such an element is not counted
// either. What is carried by a loop, chosen by an `if`, gathered, or loaded through pointers counts everywhere; so does
// what a walk of more than WALK_MAX steps would be needed for.
#include "compiler/lower/census.h"

#include "compiler/lower/memory_internal.h"

enum { WALK_MAX = 128 };

// Two masks, neither of them NULL. One that is a scalar becomes lanes where the other one is.
static LLVMValueRef combine(Emit *e, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b) {
    const unsigned lanes = vector_lanes(a) ? vector_lanes(a) : vector_lanes(b);
    if (lanes && !vector_lanes(a)) a = vector_splat(e->cx.builder, a, lanes);
    if (lanes && !vector_lanes(b)) b = vector_splat(e->cx.builder, b, lanes);
    return LLVMBuildBinOp(e->cx.builder, op, a, b, "");
}

LLVMValueRef census_both(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return a && b ? combine(e, LLVMAnd, a, b) : a ? a : b;
}

// ---- which values have such elements --------------------------------------------------------------------------------

void census_note_load(Emit *e, TirValue value, const ViewAccess *access) {
    if (!e->census.on || !emit_view_sticks_out(access)) return;
    ViewAccess *kept = arena_new(e->arena, ViewAccess);
    *kept = *access;
    e->census.loads[value] = kept;
    e->census.bounded[value] = true;
}

static bool is_dot(const TirOp *op) {
    return op->kind == TIR_OP_mmaf || op->kind == TIR_OP_mmaf_scaled || op->kind == TIR_OP_dot;
}

// Ops whose results are computed element by element, or row by row, of their operands.
static bool passes(const TirOp *op) {
    const EmitClass class = emit_row(op->kind)->class;
    return class == EMIT_CLASS_ELEMENT || class == EMIT_CLASS_MAP || op->kind == TIR_OP_reduce ||
           op->kind == TIR_OP_scan || is_dot(op);
}

void census_note(Emit *e, const TirOp *op) {
    if (!e->census.on || !passes(op)) return;
    for (uint32_t i = 0; i < op->operand_count; i++)
        for (uint32_t r = 0; r < op->result_count && e->census.bounded[op->operands[i]]; r++)
            e->census.bounded[tir_result(op, r)] = true;
}

// ---- the walk -------------------------------------------------------------------------------------------------------

typedef struct Walk {
    Emit *e;
    Nest *nest;
    bool needs; // it declares; else it makes code
    unsigned steps;
} Walk;

static LLVMValueRef walk(Walk *w, TirValue value, const TileMap *map);

// The map of an operand that has other dimensions: bits of the value's index below `first` stay, those above are
// `count` bits further up, and the operand's own are 0.
static TileMap without_axis(const TileMap *map, unsigned first, unsigned count) {
    TileMap at = *map;
    for (unsigned i = 0; i < map->bits; i++)
        if (map->to[i] >= (int)first) at.to[i] = (int8_t)(map->to[i] + (int)count);
    return at;
}

static LLVMValueRef walk_reduce(Walk *w, const TirOp *op, const TileMap *map) {
    const TirTypeInfo *tile = tir_type(w->e->module, emit_type_of(w->e, op->operands[0]));
    const uint32_t axis = (uint32_t)tir_attribute_integer(op, "dim");
    const TileMap at = without_axis(map, map_dimension_bit(tile, axis), map_log2(tile->shape[axis]));
    LLVMValueRef mask = NULL;
    for (uint32_t i = 0; i < op->operand_count; i++) mask = census_both(w->e, mask, walk(w, op->operands[i], &at));
    return mask;
}

// The result is [batch][row][column], lhs [batch][row][depth], rhs [batch][depth][column].
static LLVMValueRef walk_dot(Walk *w, const TirOp *op, const TileMap *map) {
    const TirTypeInfo *lhs = tir_type(w->e->module, emit_type_of(w->e, tir_operand(op, "lhs"))),
                      *rhs = tir_type(w->e->module, emit_type_of(w->e, tir_operand(op, "rhs")));
    const unsigned depth = map_log2(lhs->shape[lhs->rank - 1]), columns = map_log2(rhs->shape[rhs->rank - 1]),
                   rows = map_log2(lhs->shape[lhs->rank - 2]);
    TileMap left = *map, right = *map;
    for (unsigned i = 0; i < map->bits; i++) {
        const int to = map->to[i], row = to - (int)columns;
        left.to[i] = (int8_t)(row < 0 ? -1 : row + (int)depth);
        right.to[i] = (int8_t)(row < 0 ? to : row < (int)rows ? -1 : row - (int)rows + (int)(columns + depth));
    }
    LLVMValueRef mask =
        census_both(w->e, walk(w, tir_operand(op, "lhs"), &left), walk(w, tir_operand(op, "rhs"), &right));
    return census_both(w->e, mask, walk(w, tir_operand(op, "acc"), map));
}

// Of the sides of a select: that which comes of a tensor, if the other does not; else where one of both lies in its.
static LLVMValueRef walk_select(Walk *w, const TirOp *op, const TileMap *map) {
    LLVMValueRef a = walk(w, op->operands[1], map), b = walk(w, op->operands[2], map);
    return a && b ? combine(w->e, LLVMOr, a, b) : a ? a : b;
}

static LLVMValueRef walk_op(Walk *w, const TirOp *op, const TileMap *map) {
    if (op->kind == TIR_OP_select) return walk_select(w, op, map);
    if (op->kind == TIR_OP_reduce) return walk_reduce(w, op, map);
    if (is_dot(op)) return walk_dot(w, op, map);
    TileMap at = emit_row(op->kind)->class == EMIT_CLASS_MAP ? emit_operand_map(w->e, op, map) : *map;
    LLVMValueRef mask = NULL;
    for (uint32_t i = 0; i < op->operand_count; i++) mask = census_both(w->e, mask, walk(w, op->operands[i], &at));
    return mask;
}

static LLVMValueRef walk(Walk *w, TirValue value, const TileMap *map) {
    Emit *e = w->e;
    if (!e->census.bounded[value] || w->steps++ >= WALK_MAX) return NULL;
    const ViewAccess *load = e->census.loads[value];
    if (load && w->needs) {
        emit_view_need_inside(w->nest, load, map);
        return NULL;
    }
    NestEntry *entry = w->needs ? NULL : nest_evaluated(w->nest, value, map);
    if (entry && entry->masked) return entry->mask;
    LLVMValueRef mask = load ? emit_view_inside(e, w->nest, load, map)
                             : walk_op(w, tir_value(e->function, value)->definition, map);
    if (entry) entry->mask = mask, entry->masked = true;
    return mask;
}

void census_need(Emit *e, Nest *nest, TirValue value, const TileMap *map) {
    Walk w = {.e = e, .nest = nest, .needs = true};
    if (e->census.on) walk(&w, value, map);
}

LLVMValueRef census_mask(Emit *e, Nest *nest, TirValue value, const TileMap *map) {
    Walk w = {.e = e, .nest = nest};
    if (!e->census.on || !e->census.bounded[value]) return NULL;
    LLVMValueRef mask = walk(&w, value, map);
    return mask && nest->vector_bits && !vector_lanes(mask)
               ? vector_splat(e->cx.builder, mask, 1u << nest->vector_bits)
               : mask;
}
