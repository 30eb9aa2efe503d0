// SPDX-License-Identifier: Apache-2.0
// The blocks of a function that returns early, and the branches between them.
//
// Blocks branch forward only. A branch whose two ways meet again in a block becomes an `if` that gives the arguments of
// that block; a way that does not come back ends in `return`, or in an inlined function at its end, where all meet.
#include "compiler/triton/translate.h"

enum { BLOCKS_MAX = 1024 }; // of a function: what follows looks at all of them for each branch

enum { NEW, OPEN, DONE }; // how far the walk over the blocks is with one

// Puts a block before all that it leads to. False: a branch goes back, and the op that does is t->op.
static bool sort_block(TriTranslation *t, TriBlock *block, uint8_t *state, TriBlock **sorted) {
    state[block->number] = OPEN;
    for (uint32_t i = block->last->successor_count; i-- > 0;) {
        TriBlock *to = block->last->successors[i].block;
        if (state[to->number] == OPEN) t->op = block->last;
        if (state[to->number] == OPEN || (state[to->number] == NEW && !sort_block(t, to, state, sorted))) return false;
    }
    state[block->number] = DONE;
    block->next = *sorted;
    *sorted = block;
    return true;
}

// Sorts the blocks so that branches go forward, and drops those that nothing reaches.
static bool sort_blocks(TriTranslation *t, TriRegion *body) {
    uint8_t *state = arena_array(&t->p->scratch, uint8_t, BLOCKS_MAX);
    TriBlock *sorted = NULL;
    if (!sort_block(t, body->first, state, &sorted)) return tri_refuse(t, "a loop of branches");
    uint32_t number = 0;
    for (TriBlock *block = sorted; block; block = block->next) {
        block->number = number++;
        body->last = block;
    }
    body->first = sorted;
    return true;
}

// Marks what is reached from a block: blocks stand in an order in which branches go forward.
static bool *reach(TriTranslation *t, const TriBlock *from) {
    bool *seen = arena_array(&t->p->scratch, bool, BLOCKS_MAX);
    seen[from->number] = true;
    for (const TriBlock *block = from; block; block = block->next)
        for (uint32_t i = 0; seen[block->number] && block->last && i < block->last->successor_count; i++)
            seen[block->last->successors[i].block->number] = true;
    return seen;
}

// The first block that both ways reach; NULL: none. Where two ways of an entry only end alike, they do not meet.
static const TriBlock *meeting_block(TriTranslation *t, const TriBlock *a, const TriBlock *b) {
    const bool *from_a = reach(t, a), *from_b = reach(t, b);
    for (const TriBlock *block = t->frame->function->body.first; block; block = block->next) {
        const bool leaves = !t->frame->caller && tri_op_is(block->first, "tt.return");
        if (from_a[block->number] && from_b[block->number] && !leaves) return block;
    }
    return NULL;
}

typedef struct Way { // blocks up to `end`, which is not translated; NULL: to the function's end
    const TriBlock *end;
    TirValue *results; // of an inlined function whose end it is
} Way;
static bool translate_way(TriTranslation *t, const TriBlock *block, const Way *way, bool nested);

static bool enter_block(TriTranslation *t, const TriSuccessor *to) {
    TirValue *values = arena_array(&t->p->scratch, TirValue, to->count + 1u);
    for (uint32_t i = 0; i < to->count; i++)
        if (!tri_use(t, to->values[i], &values[i])) return false;
    for (uint32_t i = 0; i < to->count; i++)
        if (!tri_define(t, to->block->first_argument + i, values[i])) return false;
    return true;
}

// One way of a branch, in a region of its own.
static bool translate_arm(TriTranslation *t, TirOp *made, uint32_t region, const TriSuccessor *to, const Way *way) {
    const TriMark mark = tri_open_region(t, tir_block_add(&made->regions[region], 0, NULL));
    if (to->block == way->end) {
        if (!tri_end_block(t, TIR_OP_yield, to->values, to->count, true)) return false;
    } else if (!enter_block(t, to) || !translate_way(t, to->block, way, true)) {
        return false;
    }
    tri_close_region(t, &mark);
    return true;
}

// An `if` whose arms give the arguments of `end`, or the results of the function. All of them give a token.
static bool translate_fork(TriTranslation *t, const TriOp *branch, const Way *way) {
    TirValue condition;
    const TriFunction *function = t->frame->function;
    const uint32_t count = way->end ? way->end->argument_count : way->results ? function->result_count : 0;
    TirType *types = arena_array(&t->p->scratch, TirType, count + 1u);
    for (uint32_t i = 0; i < count; i++)
        types[i] = way->end ? tri_type(t, way->end->first_argument + i) : function->results[i].tile;
    types[count] = tri_token_type(t);
    if (!tri_use(t, branch->operands[0], &condition)) return false;
    t->written = tri_join(t);
    TirOp *made = tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_if,
                                             .operand_count = 1,
                                             .operands = &condition,
                                             .result_count = count + 1,
                                             .results = types});
    for (uint32_t i = 0; i < 2; i++)
        if (!translate_arm(t, made, i, &branch->successors[i], way)) return false;
    t->written = made->first_result + count;
    for (uint32_t i = 0; way->end && i < count; i++)
        if (!tri_define(t, way->end->first_argument + i, made->first_result + i)) return false;
    for (uint32_t i = 0; !way->end && i < count; i++) way->results[i] = made->first_result + i;
    return true;
}

// One arm returns from the entry, and the other goes on behind the `if`.
static bool translate_exit(TriTranslation *t, const TriOp *branch, uint32_t leaving) {
    TirValue condition;
    if (!tri_use(t, branch->operands[0], &condition)) return false;
    t->written = tri_join(t);
    const TirType token = tri_token_type(t);
    TirOp *made = tri_emit_op(
        t, &(TirNewOp){
               .kind = TIR_OP_if, .operand_count = 1, .operands = &condition, .result_count = 1, .results = &token});
    const TriSuccessor *out = &branch->successors[leaving], *on = &branch->successors[1 - leaving];
    for (uint32_t i = 0; i < 2; i++) {
        const TriMark mark = tri_open_region(t, tir_block_add(&made->regions[i], 0, NULL));
        if (i == leaving) {
            if (!enter_block(t, out) || !translate_way(t, out->block, &(Way){0}, true)) return false;
        } else if (!tri_end_block(t, TIR_OP_yield, NULL, 0, true)) {
            return false;
        }
        tri_close_region(t, &mark);
    }
    t->written = made->first_result;
    return enter_block(t, on);
}

// Ends the function: an entry by return, an inlined one by its values.
static bool translate_return(TriTranslation *t, const TriOp *op, const Way *way, bool nested) {
    const TriFunction *function = t->frame->function;
    if (!tri_check_count(t, op, 0, function->result_count)) return false;
    if (!t->frame->caller) {
        tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_return});
        return true;
    }
    if (nested) return tri_end_block(t, TIR_OP_yield, op->operands, op->operand_count, true);
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!tri_use(t, op->operands[i], &way->results[i])) return false;
    return true;
}

// Ends a region by what a fork in it gave.
static bool end_with_results(TriTranslation *t, const Way *way) {
    const uint32_t count = t->frame->function->result_count;
    if (way->end) {
        TriValue *values = arena_array(&t->p->scratch, TriValue, way->end->argument_count + 1u);
        for (uint32_t i = 0; i < way->end->argument_count; i++) values[i] = way->end->first_argument + i;
        return tri_end_block(t, TIR_OP_yield, values, way->end->argument_count, true);
    }
    TirValue *values = arena_array(&t->p->scratch, TirValue, count + 1u);
    memcpy(values, way->results, count * sizeof *values);
    values[count] = tri_join(t);
    tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_yield, .operand_count = count + 1, .operands = values});
    return true;
}

static bool translate_way(TriTranslation *t, const TriBlock *block, const Way *way, bool nested) {
    const TriOp *op;
    for (;;) {
        if (!tri_translate_ops(t, block, &op)) return false;
        if (!op) return tri_fail(t, "a block that nothing ends");
        const TriOp *outer = t->op;
        t->op = op;
        if (tri_op_is(op, "tt.return")) {
            if (way->end && t->frame->caller) return tri_refuse(t, "a return between other branches");
            const bool ok = translate_return(t, op, way, nested);
            t->op = outer;
            return ok;
        }
        const TriSuccessor *to = op->successors;
        if (tri_op_is(op, "cf.br")) {
            if (to->block == way->end) return tri_end_block(t, TIR_OP_yield, to->values, to->count, true);
            if (!enter_block(t, to)) return false;
            block = to->block;
            t->op = outer;
            continue;
        }
        if (!tri_op_is(op, "cf.cond_br")) return tri_fail(t, "a function that ends with %s", op->info->name);
        const TriBlock *meeting = meeting_block(t, to[0].block, to[1].block);
        if (meeting && meeting != way->end) {
            if (!translate_fork(t, op, &(Way){.end = meeting})) return false;
            block = meeting;
        } else if (!t->frame->caller && !way->end) {
            const uint32_t leaving = tri_op_is(to[1].block->last, "tt.return");
            if (!translate_exit(t, op, leaving)) return false;
            block = to[1 - leaving].block;
        } else {
            const bool ok = translate_fork(t, op, way) && (!nested || end_with_results(t, way));
            t->op = outer;
            return ok;
        }
        t->op = outer;
    }
}

bool tri_translate_body(TriTranslation *t, TirValue *results) {
    const TriRegion *body = &t->frame->function->body;
    if (body->last->number >= BLOCKS_MAX)
        return diag_fail(t->p->diagnostics, t->frame->function->at, E_LIMIT, "more than %d blocks", BLOCKS_MAX);
    for (const TriBlock *block = body->first; block; block = block->next)
        if (!block->last) return tri_fail(t, "a block without ops");
    if (!sort_blocks(t, (TriRegion *)body)) return false;
    return translate_way(t, body->first, &(Way){.results = results}, false);
}
