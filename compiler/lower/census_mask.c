// SPDX-License-Identifier: Apache-2.0
// Which lanes the census counts. Tiles are padded to powers of two: elements of a load that lie outside its tensor, and
// all that is computed of them alone, are no values of the program's author. Whether an element is such follows from
// the ops that it is computed by: an element-wise op has it where some operand has it, a reduction where the whole row
// has it, a dot where its row or its column has it. What a select puts in place of such an element is not counted
// either. What a `for` carries is outside where it has been so in each iteration, and what it began with. What an `if`
// gives is where what its branch gives is. Loads through pointers are outside where their mask does not hold
// (census_pointers.c). What another loop carries or is gathered counts everywhere; so does what a walk to more
// than WALK_MAX values would be needed for.
#include "compiler/lower/census.h"

#include "compiler/lower/memory_internal.h"

enum { WALK_MAX = 256, CARRIED_MAX = 8 };

// A load that may stick out of its tensor, and the most elements of each dimension that lay in it so far (slots, i64),
// for what reads it through a loop; 0: it was not done yet.
struct CensusLoad {
    ViewAccess access;
    LLVMValueRef slots[TIR_RANK_MAX];
};
typedef struct CensusLoad CensusLoad;

// NULL: it holds.
static LLVMValueRef and_bits(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return a && b ? LLVMBuildAnd(e->cx.builder, a, b, "") : a ? a : b;
}

CensusMask census_both(Emit *e, CensusMask a, CensusMask b) {
    return (CensusMask){.scalar = and_bits(e, a.scalar, b.scalar),
                        .lanes = and_bits(e, a.lanes, b.lanes),
                        .all = and_bits(e, a.all, b.all)};
}

// As one mask. NULL: all lanes.
static LLVMValueRef all_lanes(Emit *e, CensusMask mask, unsigned lanes) {
    if (!mask.scalar) return mask.lanes;
    return and_bits(e, vector_splat(e->cx.builder, mask.scalar, lanes), mask.lanes);
}

static bool holds_everywhere(CensusMask mask) {
    return !mask.scalar && !mask.lanes;
}

// Of two masks that do not hold everywhere: the lanes where one of them does.
static CensusMask either(Emit *e, CensusMask a, CensusMask b) {
    LLVMBuilderRef builder = e->cx.builder;
    if (!a.lanes && !b.lanes) return (CensusMask){.scalar = LLVMBuildOr(builder, a.scalar, b.scalar, "")};
    const unsigned count = vector_lanes(a.lanes ? a.lanes : b.lanes);
    LLVMValueRef lanes[2] = {all_lanes(e, a, count), all_lanes(e, b, count)},
                 all[2] = {and_bits(e, a.scalar, a.all), and_bits(e, b.scalar, b.all)};
    return (CensusMask){.lanes = LLVMBuildOr(builder, lanes[0], lanes[1], ""),
                        .all = LLVMBuildOr(builder, all[0], all[1], "")};
}

// ---- which values have such elements --------------------------------------------------------------------------------

LLVMValueRef census_open_slot(Emit *e) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->cx.builder);
    LLVMValueRef slot = code_alloca(&e->cx, code_integer_type(&e->cx, 64), "census.inside");
    LLVMPositionBuilderAtEnd(e->cx.builder, e->cx.entry_block);
    code_store(&e->cx, code_i64(&e->cx, 0), slot, 8);
    LLVMPositionBuilderAtEnd(e->cx.builder, here);
    return slot;
}

void census_note_load(Emit *e, TirValue value, const ViewAccess *access) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    if (!e->census.on || !emit_view_sticks_out(access)) return;
    CensusLoad *kept = arena_new(e->arena, CensusLoad);
    kept->access = *access;
    for (uint32_t d = 0; d < access->type->rank; d++) {
        if (!access->valid[d]) continue;
        kept->slots[d] = census_open_slot(e);
        LLVMValueRef both[2] = {code_load(&e->cx, i64, kept->slots[d], 8), access->valid[d]};
        code_store(&e->cx, vector_intrinsic(&e->cx, "llvm.smax", both, 2), kept->slots[d], 8);
    }
    e->census.loads[value] = kept;
}

// The load as it is seen through a loop or an `if`.
static ViewAccess seen_later(Emit *e, const CensusLoad *load) {
    ViewAccess access = load->access;
    for (uint32_t d = 0; d < access.type->rank; d++) {
        access.outside[d] = NULL;
        if (!load->slots[d]) continue;
        LLVMValueRef most = code_load(&e->cx, code_integer_type(&e->cx, 64), load->slots[d], 8);
        LLVMValueRef none = LLVMBuildICmp(e->cx.builder, LLVMIntEQ, most, code_i64(&e->cx, 0), "");
        access.valid[d] = LLVMBuildSelect(e->cx.builder, none, code_i64(&e->cx, access.type->shape[d]), most, "");
    }
    return access;
}

// Ops whose results are computed element by element, or row by row, of their operands.
static bool passes(const TirOp *op) {
    const EmitClass class = emit_row(op->kind)->class;
    return class == EMIT_CLASS_ELEMENT || class == EMIT_CLASS_MAP || op->kind == TIR_OP_reduce ||
           op->kind == TIR_OP_scan || emit_is_dot(op);
}

// The `for` that carries the value from iteration to iteration, and which of its values it is; else NULL.
static const TirOp *carrier(const Emit *e, TirValue value, uint32_t *number) {
    const TirValueInfo *info = tir_value(e->function, value);
    const TirOp *loop = info->definition ? info->definition : info->block->region->owner;
    if (!loop || loop->kind != TIR_OP_for || (!info->definition && !info->index)) return NULL;
    *number = info->definition ? info->index : info->index - 1;
    return loop;
}

// What the first iteration gets: behind the bounds and the step.
static TirValue begun_with(const TirOp *loop, uint32_t number) {
    return number + 3 < loop->operand_count ? loop->operands[number + 3] : TIR_NO_VALUE;
}

// What the next iteration gets.
static TirValue carried_on(const TirOp *loop, uint32_t number) {
    const TirOp *end = loop->regions[0].first->last;
    return end->kind == TIR_OP_continue && number < end->operand_count ? end->operands[number] : TIR_NO_VALUE;
}

// What the branch number `region` of an `if` gives.
static TirValue yielded(const TirOp *op, uint32_t region, uint32_t number) {
    const TirOp *end = region < op->region_count && op->regions[region].first ? op->regions[region].first->last : NULL;
    return end && end->kind == TIR_OP_yield && number < end->operand_count ? end->operands[number] : TIR_NO_VALUE;
}

static bool note_value(Emit *e, TirValue value) {
    const bool before = e->census.bounded[value];
    e->census.bounded[value] = true;
    return !before;
}

// Whether it noted something new.
static bool note_op(Emit *e, const TirOp *op) {
    bool any = false, *bounded = e->census.bounded;
    if (op->kind == TIR_OP_load_view_tko || op->kind == TIR_OP_multimem_load_reduce_view_tko ||
        (op->kind == TIR_OP_load_ptr_tko && e->census.masked[tir_result(op, 0)]))
        return note_value(e, tir_result(op, 0));
    for (uint32_t i = 0; passes(op) && i < op->operand_count; i++)
        for (uint32_t r = 0; r < op->result_count && bounded[op->operands[i]]; r++)
            any |= note_value(e, tir_result(op, r));
    for (uint32_t r = 0; op->kind == TIR_OP_for && r < op->result_count; r++) {
        const TirValue next = carried_on(op, r), first = begun_with(op, r);
        if ((next == TIR_NO_VALUE || !bounded[next]) && (first == TIR_NO_VALUE || !bounded[first])) continue;
        any |= note_value(e, tir_result(op, r));
        any |= note_value(e, op->regions[0].first->first_argument + 1 + r);
    }
    for (uint32_t r = 0; op->kind == TIR_OP_if && r < op->result_count; r++)
        for (uint32_t k = 0; k < op->region_count; k++) {
            const TirValue value = yielded(op, k, r);
            if (value != TIR_NO_VALUE && bounded[value]) any |= note_value(e, tir_result(op, r));
        }
    return any;
}

void census_find_bounded(Emit *e) {
    const TirRegion *body = &e->function->body;
    bool more = true;
    while (more) {
        more = false;
        for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) more |= note_op(e, op);
    }
}

// ---- the walk -------------------------------------------------------------------------------------------------------

// A value that a walk has been at, and what it found: several ops may have the same operand.
typedef struct Step {
    TirValue value;
    TileMap map;
    unsigned carried_count, whole, away; // of the walk then
    CensusMask mask;
} Step;

typedef struct Walk {
    Emit *e;
    Nest *nest;
    bool needs;  // it declares; else it makes code
    Step *steps; // WALK_MAX
    unsigned step_count;
    TirValue carried[CARRIED_MAX]; // values that loops carry, which it goes through
    unsigned carried_count;
    unsigned whole; // it is in operands of reductions of whole tiles
    unsigned away;  // it is in loops and branches whose values the code here cannot use
} Walk;

static CensusMask walk(Walk *w, TirValue value, const TileMap *map);

// The map of an operand that has other dimensions: bits of the value's index below `first` stay, those above are
// `count` bits further up, and the operand's own are 0.
static TileMap without_axis(const TileMap *map, unsigned first, unsigned count) {
    TileMap at = *map;
    for (unsigned i = 0; i < map->bits; i++)
        if (map->to[i] >= (int)first) at.to[i] = (int8_t)(map->to[i] + (int)count);
    return at;
}

// Whether a row has some element of its own is asked of its first one: views are padded at their ends. Masks of loads
// through pointers may begin anywhere; a whole tile, of which a program has at least one, counts.
static CensusMask walk_reduce(Walk *w, const TirOp *op, const TileMap *map) {
    const TirTypeInfo *tile = tir_type(w->e->module, emit_type_of(w->e, op->operands[0]));
    const uint32_t axis = (uint32_t)tir_attribute_integer(op, "dim");
    const TileMap at = without_axis(map, map_dimension_bit(tile, axis), map_log2(tile->shape[axis]));
    const bool whole = tir_tile_elements(w->e->module, emit_type_of(w->e, op->operands[0])) == tile->shape[axis];
    CensusMask mask = {0};
    w->whole += whole;
    for (uint32_t i = 0; i < op->operand_count; i++) mask = census_both(w->e, mask, walk(w, op->operands[i], &at));
    w->whole -= whole;
    return mask;
}

// The result is [batch][row][column], lhs [batch][row][depth], rhs [batch][depth][column].
static CensusMask walk_dot(Walk *w, const TirOp *op, const TileMap *map) {
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
    const CensusMask mask =
        census_both(w->e, walk(w, tir_operand(op, "lhs"), &left), walk(w, tir_operand(op, "rhs"), &right));
    return census_both(w->e, mask, walk(w, tir_operand(op, "acc"), map));
}

// Of the sides of a select: that which comes of a tensor, if the other does not; else where one of both lies in its.
static CensusMask walk_select(Walk *w, const TirOp *op, const TileMap *map) {
    const CensusMask a = walk(w, op->operands[1], map), b = walk(w, op->operands[2], map);
    return holds_everywhere(a) ? b : holds_everywhere(b) ? a : either(w->e, a, b);
}

static CensusMask walk_op(Walk *w, const TirOp *op, const TileMap *map) {
    if (op->kind == TIR_OP_select) return walk_select(w, op, map);
    if (op->kind == TIR_OP_reduce) return walk_reduce(w, op, map);
    if (emit_is_dot(op)) return walk_dot(w, op, map);
    TileMap at = emit_row(op->kind)->class == EMIT_CLASS_MAP ? emit_operand_map(w->e, op, map) : *map;
    CensusMask mask = {0};
    for (uint32_t i = 0; i < op->operand_count; i++) mask = census_both(w->e, mask, walk(w, op->operands[i], &at));
    return mask;
}

// Around the loop once: what it carries may be computed of what it carries. If nothing is known of what an iteration
// makes, nothing is of all.
static CensusMask walk_carried(Walk *w, TirValue value, const TirOp *loop, uint32_t number, const TileMap *map) {
    const TirValue next = carried_on(loop, number), first = begun_with(loop, number);
    for (unsigned i = 0; i < w->carried_count; i++)
        if (w->carried[i] == next) return (CensusMask){0};
    if (next == TIR_NO_VALUE || next == value || w->carried_count == CARRIED_MAX) return (CensusMask){0};
    if (!w->e->census.bounded[next]) return (CensusMask){0};
    CensusMask begun = {0};
    if (first != TIR_NO_VALUE) begun = walk(w, first, map);
    w->carried[w->carried_count++] = next, w->away++;
    const CensusMask mask = walk(w, next, map);
    w->carried_count--, w->away--;
    return census_both(w->e, begun, mask);
}

// What the branch gave that was taken. From afar that is not known: what one of both gave.
static CensusMask walk_if(Walk *w, const TirOp *op, uint32_t number, const TileMap *map) {
    LLVMBuilderRef b = w->e->cx.builder;
    CensusMask masks[2] = {{0}, {0}};
    const bool near = !w->away++;
    for (uint32_t k = 0; k < 2; k++) {
        const TirValue value = yielded(op, k, number);
        if (value != TIR_NO_VALUE) masks[k] = walk(w, value, map);
    }
    w->away--;
    if (w->needs) return (CensusMask){0};
    if (!near && (holds_everywhere(masks[0]) || holds_everywhere(masks[1]))) return (CensusMask){0};
    if (!near) return either(w->e, masks[0], masks[1]);
    LLVMValueRef taken = emit_val(w->e, op->operands[0])->value.parts[0];
    for (uint32_t k = 0; k < 2; k++) {
        const CensusMask other = {.scalar = k ? taken : LLVMBuildNot(b, taken, "")};
        if (!holds_everywhere(masks[k])) masks[k] = either(w->e, masks[k], other);
    }
    return census_both(w->e, masks[0], masks[1]);
}

static CensusMask walk_masked(Walk *w, const struct CensusMasked *kept, const TileMap *map) {
    if (w->whole) return (CensusMask){0};
    if (!w->needs) return census_kept_mask(w->e, w->nest, kept, map, w->carried_count > 0);
    census_need_kept(w->nest, kept, map);
    return (CensusMask){0};
}

static CensusMask walk_load(Walk *w, const CensusLoad *load, const TileMap *map) {
    if (w->needs) {
        emit_view_need_inside(w->nest, &load->access, map);
        return (CensusMask){0};
    }
    if (!w->away) return emit_view_inside(w->e, w->nest, &load->access, map);
    const ViewAccess later = seen_later(w->e, load);
    return emit_view_inside(w->e, w->nest, &later, map);
}

static const Step *find_step(const Walk *w, TirValue value, const TileMap *map) {
    for (unsigned i = 0; i < w->step_count; i++) {
        const Step *step = &w->steps[i];
        if (step->value == value && step->carried_count == w->carried_count && step->whole == w->whole &&
            step->away == w->away && map_equal(&step->map, map))
            return step;
    }
    return NULL;
}

static CensusMask walk_value(Walk *w, TirValue value, const TileMap *map) {
    Emit *e = w->e;
    uint32_t number;
    const CensusLoad *load = e->census.loads[value];
    const TirOp *op = tir_value(e->function, value)->definition, *loop = carrier(e, value, &number);
    if (load) return walk_load(w, load, map);
    if (e->census.masked[value]) return walk_masked(w, e->census.masked[value], map);
    if (op && op->kind == TIR_OP_if) return walk_if(w, op, tir_value(e->function, value)->index, map);
    if (loop) return walk_carried(w, value, loop, number, map);
    return op && passes(op) ? walk_op(w, op, map) : (CensusMask){0};
}

static CensusMask walk(Walk *w, TirValue value, const TileMap *map) {
    if (!w->e->census.bounded[value]) return (CensusMask){0};
    NestEntry *entry = w->needs || w->away ? NULL : nest_evaluated(w->nest, value, map);
    if (entry && entry->masked) return entry->mask;
    const Step *before = find_step(w, value, map);
    if (before) return before->mask;
    if (w->step_count == WALK_MAX) return (CensusMask){0};
    Step *step = &w->steps[w->step_count++];
    *step = (Step){.value = TIR_NO_VALUE}; // not found before it is known
    const unsigned carried_count = w->carried_count, whole = w->whole, away = w->away;
    const CensusMask mask = walk_value(w, value, map);
    *step = (Step){value, *map, carried_count, whole, away, mask};
    if (entry) entry->mask = mask, entry->masked = true;
    return mask;
}

void census_need(Emit *e, Nest *nest, TirValue value, const TileMap *map) {
    Step steps[WALK_MAX];
    Walk w = {.e = e, .nest = nest, .needs = true, .steps = steps};
    if (e->census.on) walk(&w, value, map);
}

CensusMask census_mask(Emit *e, Nest *nest, TirValue value, const TileMap *map) {
    Step steps[WALK_MAX];
    Walk w = {.e = e, .nest = nest, .steps = steps};
    if (!e->census.on || !e->census.bounded[value]) return (CensusMask){0};
    return walk(&w, value, map);
}
