// SPDX-License-Identifier: Apache-2.0
// The table of emitters: a row for each instruction of PTX.
#include "compiler/warp/lane_emitters.h"

static bool refuse_instruction(LaneCode *code, const PtxInstruction *instruction) {
    return lane_refuse(code, "not supported: %s", lane_lowering(instruction->op)->reason);
}

static bool emit_nothing(LaneCode *code, const PtxInstruction *instruction) {
    (void)code, (void)instruction;
    return true;
}

static const LaneLowering lowerings[] = {
#define LOWERING(id, emitter, sync, mask_operand, ends)                                                                \
    [PTX_OP_##id] = {emitter, LANE_##sync, mask_operand, ends, NULL},
#define NO_LOWERING(id, reason) [PTX_OP_##id] = {refuse_instruction, LANE_ANY, 0, false, reason},
#define NO_EFFECT(id)           [PTX_OP_##id] = {emit_nothing, LANE_ANY, 0, false, NULL},
#include "compiler/warp/lowering.def"
#undef LOWERING
#undef NO_LOWERING
#undef NO_EFFECT
};

// Each row has a name of its own and they are as many as instructions, so none is missing.
enum {
#define LOWERING(id, ...)       HAS_ROW_##id,
#define NO_LOWERING(id, reason) HAS_ROW_##id,
#define NO_EFFECT(id)           HAS_ROW_##id,
#include "compiler/warp/lowering.def"
#undef LOWERING
#undef NO_LOWERING
#undef NO_EFFECT
    ROWS
};
_Static_assert(ROWS == (int)PTX_OP_COUNT, "lowering.def has a row for each instruction");

const LaneLowering *lane_lowering(PtxOp op) {
    return &lowerings[op];
}
