// SPDX-License-Identifier: Apache-2.0
// Which elements of loads through pointers count: those that the mask lets through, as the census sees it later. Tiles
// keep a copy of the mask, as the mask itself may be gone by then, or be made of floats that would be counted twice.
#include "compiler/lower/census.h"

#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

struct CensusMasked {
    EmitVal last;      // of the last time that it was done
    EmitVal ever;      // elements that were let through at any time; of loads in loops and branches
    LLVMValueRef done; // slot (i64) of `ever`: 0 until it was; else NULL
};
typedef struct CensusMasked CensusMasked;

static const EmitElement bit = {.bits = 1, .parts = 1};

static bool keep(Emit *e, const TirOp *op) {
    const unsigned bits = emit_tile_bits(e, emit_type_of(e, tir_result(op, 0)));
    CensusMasked *kept = arena_new(e->arena, CensusMasked);
    if (!emit_elements_alloc(e, bit, bits, NULL, &kept->last)) return false;
    if (op->block->region->owner) {
        if (!emit_elements_alloc(e, bit, bits, NULL, &kept->ever)) return false;
        kept->done = census_open_slot(e);
    }
    e->census.masked[tir_result(op, 0)] = kept;
    return true;
}

bool census_open_masks(Emit *e) {
    const TirRegion *body = &e->function->body;
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) {
        if (op->kind != TIR_OP_load_ptr_tko || tir_operand(op, "mask") == TIR_NO_VALUE) continue;
        if (!emit_is_scalar(e, tir_result(op, 0)) && !keep(e, op)) return false;
    }
    return true;
}

// i1, in all lanes of a step or as a scalar: whether it has not been done.
static LLVMValueRef not_done(Emit *e, const CensusMasked *kept, LLVMValueRef like) {
    LLVMValueRef done = code_load(&e->cx, code_integer_type(&e->cx, 64), kept->done, 8);
    done = LLVMBuildICmp(e->cx.builder, LLVMIntEQ, done, code_i64(&e->cx, 0), "");
    return vector_lanes(like) ? vector_splat(e->cx.builder, done, vector_lanes(like)) : done;
}

void census_note_mask(Emit *e, const Nest *nest, TirValue value, const TileMap *map, LLVMValueRef mask) {
    const CensusMasked *kept = e->census.on ? e->census.masked[value] : NULL;
    NumericValue before, now = {.parts = {mask}};
    if (!kept) return;
    emit_store_tile(e, nest, bit, map, &kept->last, &now);
    if (!kept->done) return;
    nest_eval_tile(e, nest, &kept->ever, bit, map, &before);
    LLVMValueRef old =
        LLVMBuildAnd(e->cx.builder, before.parts[0], LLVMBuildNot(e->cx.builder, not_done(e, kept, mask), ""), "");
    now.parts[0] = LLVMBuildOr(e->cx.builder, old, mask, "");
    emit_store_tile(e, nest, bit, map, &kept->ever, &now);
}

void census_end_mask(Emit *e, TirValue value) {
    const CensusMasked *kept = e->census.on ? e->census.masked[value] : NULL;
    if (kept && kept->done) code_store(&e->cx, code_i64(&e->cx, 1), kept->done, 8);
}

void census_need_kept(Nest *nest, const CensusMasked *kept, const TileMap *map) {
    const TileMap at = map_compose(map, &kept->last.layout);
    nest_need_memory(nest, 8, &at);
    nest_touch(nest, EMIT_TILES, 0);
}

CensusMask census_kept_mask(Emit *e, Nest *nest, const CensusMasked *kept, const TileMap *map, bool ever) {
    const unsigned vector_bits = nest->vector_bits;
    NumericValue lanes;
    if (nest_is_uniform(nest, map)) nest->vector_bits = 0;
    ever &= kept->done != NULL;
    nest_eval_tile(e, nest, ever ? &kept->ever : &kept->last, bit, map, &lanes);
    nest->vector_bits = vector_bits;
    LLVMValueRef mask = lanes.parts[0];
    if (ever) mask = LLVMBuildOr(e->cx.builder, mask, not_done(e, kept, mask), "");
    if (!vector_lanes(mask)) return (CensusMask){.scalar = mask};
    return (CensusMask){.lanes = mask, .all = vector_intrinsic(&e->cx, "llvm.vector.reduce.and", &mask, 1)};
}
