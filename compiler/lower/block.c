// SPDX-License-Identifier: Apache-2.0
// Ops about the block itself and its order: ids, tokens, assert.
#include "compiler/lower/emit.h"

bool lower_get_tile_block_id(Emit *e, const TirOp *op) {
    for (uint32_t i = 0; i < 3; i++) emit_bind_scalar(e, tir_result(op, i), e->block_id[i]);
    return true;
}

bool lower_get_num_tile_blocks(Emit *e, const TirOp *op) {
    for (uint32_t i = 0; i < 3; i++) emit_bind_scalar(e, tir_result(op, i), emit_grid(e, i));
    return true;
}

// Memory operations run in program order, so tokens order nothing more.
bool lower_token(Emit *e, const TirOp *op) {
    for (uint32_t i = 0; i < op->result_count; i++) *emit_val(e, tir_result(op, i)) = (EmitVal){.kind = EMIT_NONE};
    return true;
}

bool lower_assert(Emit *e, const TirOp *op) {
    TirValue condition = op->operands[0];
    Nest nest;
    TileMap map = map_identity(emit_tile_bits(e, emit_type_of(e, condition)));
    nest_init(&nest, map.bits);
    if (!nest_need(e, &nest, condition, &map)) return false;
    nest_open(e, &nest, nest.bits);
    NumericValue lanes;
    if (!nest_eval(e, &nest, condition, &map, &lanes)) return false;
    LLVMValueRef good = lanes.parts[0];
    emit_note_use(e, lanes.parts[1], NULL, "what it asserts is unspecified");
    if (nest.vector_bits) good = vector_intrinsic(&e->cx, "llvm.vector.reduce.and", &good, 1);
    const char *message =
        arena_text(e->arena, tir_attribute(op, "message")->text, tir_attribute(op, "message")->length);
    emit_check(e, good, HOST_SITE_ASSERT, message, NULL, nest_index(e, &nest, &map), NULL);
    nest_close(e, &nest);
    return true;
}
