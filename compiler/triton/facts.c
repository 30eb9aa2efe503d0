// SPDX-License-Identifier: Apache-2.0
// What is known of a function with memory objects before it is translated: which values are accumulators of products
// that may be pending, and which memory is reinterpreted.
#include "compiler/triton/objects.h"

typedef struct Walk {
    const TriReader *reader;
    const TriFunction *function;
    TriFacts *facts;
    TirType flag; // i1
    bool changed, calls;
    const TriOp *loop;   // that the op is in
    const TriOp **loops; // that values are defined in
} Walk;
typedef void Visit(Walk *w, const TriOp *op);

static bool is_loop(const TriOp *op) {
    return tri_op_is(op, "scf.for") || tri_op_is(op, "scf.while");
}

static void walk(Walk *w, const TriRegion *region, Visit *visit) {
    for (const TriBlock *block = region->first; block; block = block->next)
        for (const TriOp *op = block->first; op; op = op->next) {
            const TriOp *outer = w->loop;
            visit(w, op);
            if (is_loop(op)) w->loop = op;
            for (uint32_t r = 0; r < op->region_count; r++) walk(w, &op->regions[r], visit);
            w->loop = outer;
        }
}

static uint32_t index_of(const Walk *w, TriValue value) {
    return value - w->function->first_value;
}

// ---- pairs of values that are the same one --------------------------------------------------------------------------

typedef void Pair(Walk *w, TriValue from, TriValue to);

static void pair_values(Walk *w, const TriValue *from, uint32_t count, TriValue to, uint32_t most, Pair *pair) {
    for (uint32_t i = 0; i < count && i < most; i++) pair(w, from[i], to + i);
}

static const TriOp *end_of(const TriOp *op, uint32_t region) {
    return region < op->region_count && op->regions[region].last ? op->regions[region].last->last : NULL;
}

static void pair_end(Walk *w, const TriOp *op, uint32_t region, uint32_t skipped, TriValue to, uint32_t most,
                     Pair *pair) {
    const TriOp *end = end_of(op, region);
    if (end && end->operand_count > skipped)
        pair_values(w, end->operands + skipped, end->operand_count - skipped, to, most, pair);
}

static void pair_arguments(Walk *w, const TriValue *from, uint32_t count, const TriRegion *region, uint32_t skipped,
                           Pair *pair) {
    const TriBlock *block = region->first;
    if (block && block->argument_count > skipped)
        pair_values(w, from, count, block->first_argument + skipped, block->argument_count - skipped, pair);
}

// Where values of regions come from, and become results.
static void pair_regions(Walk *w, const TriOp *op, Pair *pair) {
    const uint32_t results = op->result_count;
    if (tri_op_is(op, "scf.for") && op->region_count == 1 && op->operand_count >= 3) {
        pair_arguments(w, op->operands + 3, op->operand_count - 3, &op->regions[0], 1, pair);
        pair_values(w, op->operands + 3, op->operand_count - 3, op->first_result, results, pair);
        pair_end(w, op, 0, 0, op->first_result, results, pair);
        const TriBlock *block = op->regions[0].first;
        for (uint32_t i = 0; block && i < results && i + 1 < block->argument_count; i++)
            pair(w, op->first_result + i, block->first_argument + 1 + i);
    } else if (tri_op_is(op, "scf.if")) {
        for (uint32_t r = 0; r < op->region_count; r++) pair_end(w, op, r, 0, op->first_result, results, pair);
    } else if (tri_op_is(op, "scf.while") && op->region_count == 2) {
        const TriBlock *before = op->regions[0].first;
        pair_arguments(w, op->operands, op->operand_count, &op->regions[0], 0, pair);
        pair_end(w, op, 0, 1, op->first_result, results, pair);
        const TriOp *condition = end_of(op, 0);
        if (condition && condition->operand_count)
            pair_arguments(w, condition->operands + 1, condition->operand_count - 1, &op->regions[1], 0, pair);
        if (before) pair_end(w, op, 1, 0, before->first_argument, before->argument_count, pair);
    } else if (tri_op_is(op, "ttg.warp_specialize")) {
        pair_end(w, op, 0, 0, op->first_result, results, pair);
        for (uint32_t r = 1; r < op->region_count; r++)
            pair_arguments(w, op->operands, op->operand_count, &op->regions[r], 0, pair);
    }
}

// ---- pending products -----------------------------------------------------------------------------------------------

static void set_pending(Walk *w, TriValue value) {
    bool *pending = &w->facts->pending[index_of(w, value)];
    w->changed |= !*pending;
    *pending = true;
}

static bool can_pend(const Walk *w, TriValue value) {
    const TriType *type = &w->reader->types[value];
    return !type->memory && !type->token && !type->descriptor && !type->block && !type->wide;
}

static void flow_pending(Walk *w, TriValue from, TriValue to) {
    const uint32_t source = index_of(w, from), target = index_of(w, to);
    if (!w->facts->pending[source] || !can_pend(w, to)) return;
    set_pending(w, to);
    const bool shared = w->facts->shared[source] || w->facts->uses[source] > 1;
    w->changed |= shared && !w->facts->shared[target];
    w->facts->shared[target] |= shared;
}

static void visit_pending(Walk *w, const TriOp *op) {
    const TriAttribute *pendings = tri_attribute(op, "pendings"), *is_async = tri_attribute(op, "isAsync");
    if (tri_op_is(op, "ttng.warp_group_dot") && is_async && is_async->integer) set_pending(w, op->first_result);
    if (tri_op_is(op, "ttng.warp_group_dot_wait") && pendings && pendings->integer)
        pair_values(w, op->operands, op->operand_count, op->first_result, op->result_count, flow_pending);
    if (tri_op_is(op, "arith.select") && op->operand_count == 3 && w->reader->types[op->operands[0]].tile == w->flag)
        for (uint32_t i = 1; i < 3; i++) flow_pending(w, op->operands[i], op->first_result);
    if (!tri_op_is(op, "ttg.warp_specialize")) pair_regions(w, op, flow_pending);
}

// ---- memory that is reinterpreted -----------------------------------------------------------------------------------

static uint32_t class_of(TriFacts *facts, uint32_t index) {
    while (facts->physical[index] != index) index = facts->physical[index] = facts->physical[facts->physical[index]];
    return index;
}

static void join_classes(Walk *w, TriValue from, TriValue to) {
    if (!w->reader->types[from].memory || !w->reader->types[to].memory) return;
    const uint32_t a = class_of(w->facts, index_of(w, from)), b = class_of(w->facts, index_of(w, to));
    w->facts->physical[a] = b;
    w->facts->reinterpreted[b] |= w->facts->reinterpreted[a];
}

// A loop uses what comes from outside of it several times.
static void count_uses(Walk *w, const TriOp *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const uint32_t at = index_of(w, op->operands[i]);
        uint8_t *uses = &w->facts->uses[at];
        if (*uses < 2) *uses += w->loops[at] == w->loop ? 1 : 2;
    }
}

static void visit_memory(Walk *w, const TriOp *op) {
    count_uses(w, op);
    pair_regions(w, op, join_classes);
    if (!op->result_count || !op->operand_count) return;
    const bool waits = tri_op_is(op, "ttng.warp_group_dot_wait");
    if (tri_op_is(op, "arith.select") && op->operand_count == 3)
        for (uint32_t i = 1; i < 3; i++) join_classes(w, op->operands[i], op->first_result);
    pair_values(w, op->operands, waits ? op->operand_count : 1, op->first_result, op->result_count, join_classes);
    if (!tri_op_is(op, "ttg.memdesc_reinterpret")) return;
    w->facts->reinterpreted[class_of(w->facts, index_of(w, op->first_result))] = true;
}

// Of this function, or of one that it may call.
static void visit_need(Walk *w, const TriOp *op) {
    w->calls |= tri_op_is(op, "tt.call");
    w->facts->needs_memory |= tri_op_is(op, "ttg.warp_specialize");
    w->facts->sees_bits |= tri_op_is(op, "ttg.memdesc_reinterpret") || tri_op_is(op, "ttg.local_atomic_scatter_rmw");
    for (uint32_t i = 0; i < op->result_count; i++)
        w->facts->needs_memory |= w->reader->types[op->first_result + i].memory != NULL;
}

static void visit_loops(Walk *w, const TriOp *op) {
    for (uint32_t i = 0; i < op->result_count; i++) w->loops[index_of(w, op->first_result + i)] = w->loop;
    for (uint32_t r = 0; r < op->region_count; r++)
        for (const TriBlock *block = op->regions[r].first; block; block = block->next)
            for (uint32_t i = 0; i < block->argument_count; i++)
                w->loops[index_of(w, block->first_argument + i)] = is_loop(op) ? op : w->loop;
}

// ---- all ------------------------------------------------------------------------------------------------------------

const TriFacts *tri_find_facts(TriTranslation *t, const TriFunction *function) {
    Arena *arena = &t->p->scratch;
    TriFacts *facts = arena_new(arena, TriFacts);
    const uint32_t count = function->value_count + 1u;
    Walk w = {.reader = t->reader,
              .function = function,
              .facts = facts,
              .flag = tri_scalar(t->module, TIR_TYPE_i1),
              .changed = true,
              .loops = arena_array(arena, const TriOp *, count)};
    facts->first = function->first_value;
    facts->pending = arena_array(arena, bool, count);
    facts->uses = arena_array(arena, uint8_t, count);
    facts->shared = arena_array(arena, bool, count);
    facts->physical = arena_array(arena, uint32_t, count);
    facts->reinterpreted = arena_array(arena, bool, count);
    for (uint32_t i = 0; i < count; i++) facts->physical[i] = i;
    for (uint32_t i = 0; i < function->argument_count; i++)
        facts->needs_memory |= t->reader->types[function->first_argument + i].memory != NULL;
    walk(&w, &function->body, visit_need);
    for (size_t i = 0; w.calls && i < t->reader->function_count; i++)
        walk(&w, &t->reader->functions[i].body, visit_need);
    if (!facts->needs_memory) return NULL;
    walk(&w, &function->body, visit_loops);
    walk(&w, &function->body, visit_memory);
    while (w.changed) { // at most twice for each value
        w.changed = false;
        walk(&w, &function->body, visit_pending);
    }
    return facts;
}

static bool is_of(const TriTranslation *t, TriValue value) {
    const TriFunction *function = t->frame->function;
    return t->facts && t->facts->first == function->first_value && value >= function->first_value &&
           value - function->first_value < function->value_count;
}

bool tri_is_physical(const TriTranslation *t, TriValue value) {
    return is_of(t, value) && t->facts->reinterpreted[class_of((TriFacts *)t->facts, value - t->facts->first)];
}

bool tri_is_pending(const TriTranslation *t, TriValue value) {
    return is_of(t, value) && t->facts->pending[value - t->facts->first];
}

bool tri_is_own(const TriTranslation *t, TriValue value) {
    if (!is_of(t, value)) return false;
    const uint32_t at = value - t->facts->first;
    return t->facts->uses[at] < 2 && !t->facts->shared[at];
}
