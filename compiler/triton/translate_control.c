// SPDX-License-Identifier: Apache-2.0
// Regions: for, if, while.
#include "compiler/triton/objects.h"

// ---- regions --------------------------------------------------------------------------------------------------------

TriMark tri_open_region(TriTranslation *t, TirBlock *block) {
    const TriMark mark = {t->block, t->defined_count, t->load_count, t->written};
    t->block = block;
    return mark;
}

// Values that the region has defined are no more, nor are its tokens.
void tri_close_region(TriTranslation *t, const TriMark *mark) {
    while (t->defined_count > mark->defined) *t->defined[--t->defined_count] = TIR_NO_VALUE;
    t->block = mark->block;
    t->load_count = mark->loads < t->load_count ? mark->loads : t->load_count;
    t->written = mark->written;
}

static const TriHook writing[] = {tri_op_store,
                                  tri_op_atomic_rmw,
                                  tri_op_atomic_cas,
                                  tri_op_atomic_load,
                                  tri_op_atomic_store,
                                  tri_op_atomic_poll,
                                  tri_op_descriptor_store,
                                  tri_op_descriptor_reduce,
                                  tri_op_descriptor_scatter,
                                  tri_op_barrier,
                                  tri_op_call};

// Who uses a product that may be pending reads the block's memory, or puts something there.
static bool uses_slot(const TriTranslation *t, const TriOp *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (tri_is_pending(t, op->operands[i])) return true;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (tri_is_pending(t, op->first_result + i)) return true;
    return false;
}

// Of the dialects ttg and ttng all ops count as writing but these: operations of blocks are in the order of the
// program.
static const TriHook quiet[] = {tri_op_identity,
                                tri_op_memdesc_index,
                                tri_op_memdesc_subslice,
                                tri_op_memdesc_trans,
                                tri_op_memdesc_reshape,
                                tri_op_memdesc_reinterpret,
                                tri_op_tmem_subslice,
                                tri_op_fp4_to_fp,
                                tri_op_packed_arith,
                                tri_op_misplaced,
                                tri_op_tensormap_create,
                                tri_op_global_scratch_alloc,
                                tri_op_tensormap_fenceproxy_acquire,
                                tri_op_reinterpret_tensor_descriptor};

static bool is_among(TriHook hook, const TriHook *hooks, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (hooks[i] == hook) return true;
    return false;
}

bool tri_may_write(const TriTranslation *t, const TriRegion *region) {
    for (const TriBlock *block = region->first; block; block = block->next)
        for (const TriOp *op = block->first; op; op = op->next) {
            const TriHook hook = op->info->row->hook;
            if (is_among(hook, writing, BASE_COUNT(writing))) return true;
            if (tri_is_of_blocks(op) && !is_among(hook, quiet, BASE_COUNT(quiet))) return true;
            if (t->facts && uses_slot(t, op)) return true;
            for (uint32_t r = 0; r < op->region_count; r++)
                if (tri_may_write(t, &op->regions[r])) return true;
        }
    return false;
}

static bool is_terminator(const TriOp *op) {
    return op->info->row->hook == tri_op_misplaced;
}

bool tri_translate_ops(TriTranslation *t, const TriBlock *block, const TriOp **end) {
    if (++t->depth > TIR_NESTING_MAX)
        return diag_fail(t->p->diagnostics, t->op ? t->op->at : t->frame->function->at, E_LIMIT,
                         "nested more than %d deep", TIR_NESTING_MAX);
    const TriOp *op = block->first;
    for (; op && !(is_terminator(op) && !op->next); op = op->next)
        if (!tri_translate_op(t, op)) return false;
    t->depth--;
    *end = op;
    return true;
}

// The only block of a region, and its ops, whose terminator has that name. One that yields nothing may be left out:
// *end is NULL then.
static bool translate_region(TriTranslation *t, const TriRegion *region, const char *name, const TriOp **end) {
    if (!region->first || region->first->next) return tri_refuse(t, "a region of several blocks");
    if (!tri_translate_ops(t, region->first, end)) return false;
    if (!*end) return strcmp(name, "scf.condition") || tri_fail(t, "a region that nothing ends");
    return tri_op_is(*end, name) || tri_fail(t, "a region that ends with %s, expected %s", (*end)->info->name, name);
}

// ---- ends of regions ------------------------------------------------------------------------------------------------

bool tri_end_block(TriTranslation *t, TirOpKind kind, const TriValue *values, uint32_t count, bool with_token) {
    TirValue *operands = arena_array(&t->p->scratch, TirValue, count + 1u);
    for (uint32_t i = 0; i < count; i++)
        if (!tri_use(t, values[i], &operands[i])) return false;
    if (with_token) operands[count++] = tri_join(t);
    tri_emit_op(t, &(TirNewOp){.kind = kind, .operand_count = count, .operands = operands});
    return true;
}

bool tri_check_count(TriTranslation *t, const TriOp *end, uint32_t first, uint32_t count) {
    const uint32_t found = end ? end->operand_count - first : 0;
    return found == count || tri_fail(t, "%u values at the end of a region, expected %u", found, count);
}

// Types of the parts of values, and that of a token.
static TirType *types_of(TriTranslation *t, TriValue first, uint32_t count) {
    const uint32_t parts = tri_parts_of(t, first, count);
    TirType *types = arena_array(&t->p->scratch, TirType, parts + 1u);
    tri_part_types(t, first, count, types);
    types[parts] = tri_token_type(t);
    return types;
}

static bool define_results(TriTranslation *t, TriValue first, uint32_t count, const TriValue *like, TirValue results,
                           bool with_token) {
    const uint32_t parts = tri_parts_of(t, first, count);
    if (!tri_define_parts(t, first, count, like, tri_consecutive(t, results, parts))) return false;
    if (with_token) t->written = results + parts;
    return true;
}

// Ends a region with values, as the parts of those `into` which they are put.
static bool end_region(TriTranslation *t, TirOpKind kind, const TriValue *values, uint32_t count, TriValue into,
                       bool with_token) {
    uint32_t parts = tri_parts_of(t, into, count);
    TirValue *operands = arena_array(&t->p->scratch, TirValue, parts + 1u);
    if (!tri_use_parts(t, values, count, into, operands)) return false;
    if (with_token) operands[parts++] = tri_join(t);
    tri_emit_op(t, &(TirNewOp){.kind = kind, .operand_count = parts, .operands = operands});
    return true;
}

// ---- for ------------------------------------------------------------------------------------------------------------

static bool loop_fits(TriTranslation *t, const TriOp *op) {
    const uint32_t carried = op->segments[3];
    const TriBlock *body = op->region_count == 1 ? op->regions[0].first : NULL;
    bool fits = body && op->result_count == carried && body->argument_count == carried + 1;
    for (uint32_t i = 0; fits && i < carried; i++)
        fits = tri_same_type(t->reader->types[op->operands[3 + i]], t->reader->types[op->first_result + i]) &&
               tri_same_type(t->reader->types[op->operands[3 + i]], t->reader->types[body->first_argument + 1 + i]);
    return fits || tri_fail(t, "a loop whose body does not fit");
}

static bool translate_loop_body(TriTranslation *t, const TriOp *op, TirOp *loop, const TirType *types, bool writes) {
    const TriRegion *body = &op->regions[0];
    const TriValue *init = op->operands + 3;
    const uint32_t carried = op->segments[3], parts = tri_parts_of(t, op->first_result, carried);
    TirType *arguments = arena_array(&t->p->scratch, TirType, parts + 2u);
    arguments[0] = tri_value_tile(t, loop->operands[0]);
    memcpy(arguments + 1, types, (parts + 1u) * sizeof *types);
    TirBlock *block = tir_block_add(&loop->regions[0], 1 + parts + writes, arguments);
    const TriMark mark = tri_open_region(t, block);
    const TriOp *end = NULL;
    TirValue *yielded = arena_array(&t->p->scratch, TirValue, parts + 1u);
    if (writes) t->written = block->first_argument + 1 + parts;
    const TriValue first = body->first->first_argument;
    if (!tri_define(t, first, block->first_argument) ||
        !tri_define_parts(t, first + 1, carried, init, tri_consecutive(t, block->first_argument + 1, parts)) ||
        !translate_region(t, body, "scf.yield", &end) || !tri_check_count(t, end, 0, carried) ||
        !tri_check_parts(t, end ? end->operands : NULL, carried, init) ||
        !tri_use_parts(t, end ? end->operands : NULL, carried, first + 1, yielded))
        return false;
    if (writes) yielded[parts] = tri_join(t);
    tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_continue, .operand_count = parts + writes, .operands = yielded});
    tri_close_region(t, &mark);
    return true;
}

bool tri_op_for(TriTranslation *t, const TriOp *op) {
    if (t->lift) return tri_refuse(t, "a loop for each element");
    if (!loop_fits(t, op)) return false;
    const uint32_t carried = op->segments[3], parts = tri_parts_of(t, op->first_result, carried);
    const bool writes = tri_may_write(t, &op->regions[0]);
    TirValue *operands = arena_array(&t->p->scratch, TirValue, parts + 4u);
    for (uint32_t i = 0; i < 3; i++)
        if (!tri_use(t, op->operands[i], &operands[i])) return false;
    if (!tri_use_parts(t, op->operands + 3, carried, op->first_result, operands + 3)) return false;
    if (writes) operands[3 + parts] = tri_join(t);
    const TirType *types = types_of(t, op->first_result, carried);
    const uint32_t segments[] = {1, 1, 1, parts + writes};
    TirOp *loop = tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_for,
                                             .operand_count = 3 + parts + writes,
                                             .operands = operands,
                                             .segments = segments,
                                             .result_count = parts + writes,
                                             .results = types});
    if (op->attributes[0].present) tir_op_set(loop, "unsigned")->integer = 1;
    if (!translate_loop_body(t, op, loop, types, writes)) return false;
    if (writes) t->written = loop->first_result + parts;
    return tri_define_parts(t, op->first_result, carried, op->operands + 3,
                            tri_consecutive(t, loop->first_result, parts));
}

// ---- if -------------------------------------------------------------------------------------------------------------

// *like: the values of the first branch, NULL before it.
static bool translate_branch(TriTranslation *t, TirOp *made, uint32_t region, const TriOp *op, bool writes,
                             const TriValue **like) {
    const TriMark mark = tri_open_region(t, tir_block_add(&made->regions[region], 0, NULL));
    const TriOp *end = NULL;
    const TriRegion *body = &op->regions[region];
    if (body->first && body->first->first) {
        if (!translate_region(t, body, "scf.yield", &end) || !tri_check_count(t, end, 0, op->result_count))
            return false;
    } else if (op->result_count) {
        return tri_fail(t, "results without an else branch");
    }
    const TriValue *values = end ? end->operands : NULL;
    if (!*like) *like = values;
    if (*like != values && !tri_check_parts(t, values, op->result_count, *like)) return false;
    if (!end_region(t, TIR_OP_yield, values, op->result_count, op->first_result, writes)) return false;
    tri_close_region(t, &mark);
    return true;
}

// For each element: both branches, which have no side effects, and a choice.
static bool lift_if(TriTranslation *t, const TriOp *op, TirValue condition) {
    TirValue *chosen = arena_array(&t->p->scratch, TirValue, 2u * op->result_count + 1u);
    for (uint32_t r = 0; r < 2; r++) {
        const TriOp *end = NULL;
        if (tri_may_write(t, &op->regions[r])) return tri_refuse(t, "a side effect for each element");
        if (!op->regions[r].first || !op->regions[r].first->first) return tri_refuse(t, "an if without values");
        if (!translate_region(t, &op->regions[r], "scf.yield", &end) || !tri_check_count(t, end, 0, op->result_count))
            return false;
        for (uint32_t i = 0; i < op->result_count; i++)
            if (!tri_use(t, end->operands[i], &chosen[r * op->result_count + i])) return false;
    }
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!tri_define(t, op->first_result + i,
                        tri_emit3(t, TIR_OP_select, tri_type(t, op->first_result + i), condition, chosen[i],
                                  chosen[op->result_count + i])))
            return false;
    return true;
}

bool tri_op_if(TriTranslation *t, const TriOp *op) {
    TirValue condition;
    if (op->region_count != 2) return tri_fail(t, "an if without regions");
    const bool writes = tri_may_write(t, &op->regions[0]) || tri_may_write(t, &op->regions[1]);
    if (!tri_use(t, op->operands[0], &condition)) return false;
    if (t->lift) return lift_if(t, op, condition);
    TirType *types = types_of(t, op->first_result, op->result_count);
    const uint32_t parts = tri_parts_of(t, op->first_result, op->result_count);
    const TriValue *like = NULL;
    if (writes) t->written = tri_join(t);
    TirOp *made = tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_if,
                                             .operand_count = 1,
                                             .operands = &condition,
                                             .result_count = parts + writes,
                                             .results = types});
    if (!translate_branch(t, made, 0, op, writes, &like) || !translate_branch(t, made, 1, op, writes, &like))
        return false;
    return define_results(t, op->first_result, op->result_count, like, made->first_result, writes);
}

// ---- while ----------------------------------------------------------------------------------------------------------

// loop { before; if condition {} else { break with its values }; after; continue }
// *given: the values that the loop ends with.
static bool translate_rounds(TriTranslation *t, const TriOp *op, bool writes, const TriValue **given) {
    const TriOp *condition = NULL, *end = NULL;
    const TriRegion *before = &op->regions[0], *after = &op->regions[1];
    TirValue chosen;
    if (!translate_region(t, before, "scf.condition", &condition) ||
        !tri_check_count(t, condition, 1, op->result_count) || !tri_use(t, condition->operands[0], &chosen))
        return false;
    if (!after->first || after->first->argument_count != op->result_count)
        return tri_fail(t, "a loop whose second region does not fit");
    if (writes) t->written = tri_join(t);
    TirOp *made = tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_if, .operand_count = 1, .operands = &chosen});
    TriMark mark = tri_open_region(t, tir_block_add(&made->regions[0], 0, NULL));
    tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_yield});
    tri_close_region(t, &mark);
    mark = tri_open_region(t, tir_block_add(&made->regions[1], 0, NULL));
    const TriValue *values = condition->operands + 1, argument = after->first->first_argument;
    *given = values;
    if (!end_region(t, TIR_OP_break, values, op->result_count, op->first_result, writes)) return false;
    tri_close_region(t, &mark);
    TirValue *parts = arena_array(&t->p->scratch, TirValue, tri_parts_of(t, argument, op->result_count) + 1u);
    if (!tri_use_parts(t, values, op->result_count, argument, parts) ||
        !tri_define_parts(t, argument, op->result_count, values, parts))
        return false;
    return translate_region(t, after, "scf.yield", &end) && tri_check_count(t, end, 0, op->operand_count) &&
           tri_check_parts(t, end ? end->operands : NULL, op->operand_count, op->operands) &&
           end_region(t, TIR_OP_continue, end ? end->operands : NULL, op->operand_count, before->first->first_argument,
                      writes);
}

bool tri_op_while(TriTranslation *t, const TriOp *op) {
    const TriRegion *before = &op->regions[0];
    const bool writes = op->region_count == 2 && (tri_may_write(t, before) || tri_may_write(t, &op->regions[1]));
    if (t->lift) return tri_refuse(t, "a loop for each element");
    if (op->region_count != 2 || !before->first || before->first->argument_count != op->operand_count)
        return tri_fail(t, "a loop whose first region does not fit");
    const TriValue argument = before->first->first_argument, *given = NULL;
    const uint32_t count = tri_parts_of(t, argument, op->operand_count);
    TirValue *operands = arena_array(&t->p->scratch, TirValue, count + 1u);
    if (!tri_use_parts(t, op->operands, op->operand_count, argument, operands)) return false;
    if (writes) operands[count] = tri_join(t);
    TirType *carried = types_of(t, argument, op->operand_count);
    TirOp *loop =
        tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_loop,
                                   .operand_count = count + writes,
                                   .operands = operands,
                                   .result_count = tri_parts_of(t, op->first_result, op->result_count) + writes,
                                   .results = types_of(t, op->first_result, op->result_count)});
    TirBlock *block = tir_block_add(&loop->regions[0], count + writes, carried);
    const TriMark mark = tri_open_region(t, block);
    if (writes) t->written = block->first_argument + count;
    if (!tri_define_parts(t, argument, op->operand_count, op->operands,
                          tri_consecutive(t, block->first_argument, count)) ||
        !translate_rounds(t, op, writes, &given))
        return false;
    tri_close_region(t, &mark);
    return define_results(t, op->first_result, op->result_count, given, loop->first_result, writes);
}
