// SPDX-License-Identifier: Apache-2.0
// Reductions, scans, and functions applied to each element.
#include "compiler/triton/translate.h"

// Triton has no identities: the fold begins with the first elements.
static void set_no_identities(TirOp *made) {
    TirAttribute *identities = tir_op_set(made, "identities");
    identities->items = NULL;
    identities->length = 0;
}

// The region's arguments: Triton's are all of what is earlier, then all of what is later; Tile IR's are pairs of them.
static bool translate_body(TriTranslation *t, const TriOp *op, TirOp *made, const char *return_name) {
    const TriRegion *region = &op->regions[0];
    const uint32_t count = op->operand_count;
    if (op->region_count != 1 || !region->first || region->first->next || region->first->argument_count != 2 * count)
        return tri_fail(t, "a body that does not fit");
    TirType *types = arena_array(&t->p->scratch, TirType, 2 * count + 1u);
    for (uint32_t i = 0; i < count; i++)
        types[2 * i] = types[2 * i + 1] =
            tir_type_tile(t->module, tir_type(t->module, tri_value_tile(t, made->operands[i]))->element, 0, NULL);
    TirBlock *block = tir_block_add(&made->regions[0], 2 * count, types);
    const TriMark mark = tri_open_region(t, block);
    for (uint32_t i = 0; i < 2 * count; i++) {
        const TriValue argument = region->first->first_argument + i;
        const TirValue value = block->first_argument + 2 * (i % count) + i / count;
        if (t->reader->types[argument].tile != types[2 * (i % count)])
            return tri_fail(t, "a body whose arguments do not fit");
        if (!tri_define(t, argument, value)) return false;
    }
    const TriOp *end;
    TirValue *yielded = arena_array(&t->p->scratch, TirValue, count + 1u);
    if (!tri_translate_ops(t, region->first, &end)) return false;
    if (!end || strcmp(end->info->name, return_name) || end->operand_count != count)
        return tri_fail(t, "a body that does not end with %u values of %s", count, return_name);
    for (uint32_t i = 0; i < count; i++)
        if (!tri_use(t, end->operands[i], &yielded[i])) return false;
    tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_yield, .operand_count = count, .operands = yielded});
    tri_close_region(t, &mark);
    return true;
}

bool tri_op_reduce(TriTranslation *t, const TriOp *op) {
    const bool scan = !strcmp(op->info->name, "tt.scan");
    TirValue *used = arena_array(&t->p->scratch, TirValue, op->operand_count + 1u);
    TirType *types = arena_array(&t->p->scratch, TirType, op->result_count + 1u);
    if (t->lift) return tri_refuse(t, "a reduction for each element");
    if (!op->operand_count || op->operand_count != op->result_count) return tri_fail(t, "results that do not fit");
    if (!tri_use_all(t, op, used)) return false;
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = tri_type(t, op->first_result + i);
    TirOp *made = tri_emit_op(t, &(TirNewOp){.kind = scan ? TIR_OP_scan : TIR_OP_reduce,
                                             .operand_count = op->operand_count,
                                             .operands = used,
                                             .result_count = op->result_count,
                                             .results = types});
    const TriAttribute *reverse = scan ? tri_attribute(op, "reverse") : NULL;
    tir_op_set(made, "dim")->integer = (uint32_t)tri_attribute(op, "axis")->integer;
    if (scan) tir_op_set(made, "reverse")->integer = reverse && reverse->integer;
    set_no_identities(made);
    if (!translate_body(t, op, made, scan ? "tt.scan.return" : "tt.reduce.return")) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!tri_define(t, op->first_result + i, made->first_result + i)) return false;
    return true;
}

TirValue tri_reduce_with(TriTranslation *t, TirValue value, uint32_t dim, TirOpKind kind) {
    const TirTypeInfo info = *tir_type(t->module, tri_value_tile(t, value));
    const TirType scalar = tir_type_tile(t->module, info.element, 0, NULL), types[] = {scalar, scalar};
    int64_t shape[TIR_RANK_MAX];
    for (uint32_t i = 0, to = 0; i < info.rank; i++)
        if (i != dim) shape[to++] = info.shape[i];
    const TirType result = tir_type_tile(t->module, info.element, info.rank - 1, shape);
    TirOp *made = tri_emit_op(
        t, &(TirNewOp){
               .kind = TIR_OP_reduce, .operand_count = 1, .operands = &value, .result_count = 1, .results = &result});
    tir_op_set(made, "dim")->integer = dim;
    set_no_identities(made);
    TirBlock *block = tir_block_add(&made->regions[0], 2, types);
    const TriMark mark = tri_open_region(t, block);
    const TirValue combined = tri_emit2(t, kind, scalar, block->first_argument, block->first_argument + 1);
    tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_yield, .operand_count = 1, .operands = &combined});
    tri_close_region(t, &mark);
    return made->first_result;
}

// ---- functions of each element --------------------------------------------------------------------------------------

bool tri_op_map_elementwise(TriTranslation *t, const TriOp *op) {
    const TriRegion *region = &op->regions[0];
    if (t->lift) return tri_refuse(t, "a function of each element inside another");
    if (tri_attribute(op, "pack")->integer != 1) return tri_refuse(t, "pack other than 1");
    if (op->region_count != 1 || !region->first || region->first->next)
        return tri_refuse(t, "branches in the function");
    if (!op->operand_count || region->first->argument_count != op->operand_count)
        return tri_fail(t, "a function that does not fit");
    if (tri_may_write(t, region)) return tri_refuse(t, "a function with side effects");
    for (uint32_t i = 0; i < op->operand_count; i++) {
        TirValue used;
        if (!tri_use(t, op->operands[i], &used) || !tri_define(t, region->first->first_argument + i, used))
            return false;
    }
    const TirTypeInfo shape = *tir_type(t->module, tri_type(t, op->operands[0]));
    const TriOp *end;
    t->lift = &shape;
    const bool ok = tri_translate_ops(t, region->first, &end);
    if (!ok || !end || strcmp(end->info->name, "tt.map_elementwise.return") || end->operand_count != op->result_count) {
        t->lift = NULL;
        return ok && tri_fail(t, "a function that does not end with its results");
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        TirValue value;
        if (!tri_use(t, end->operands[i], &value) || !tri_define(t, op->first_result + i, value)) {
            t->lift = NULL;
            return false;
        }
    }
    t->lift = NULL;
    return true;
}
