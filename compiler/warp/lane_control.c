// SPDX-License-Identifier: Apache-2.0
// Control flow of warps: blocks, branches, the dispatcher, waiting for other lanes.
#include "compiler/warp/lanes.h"

#include <stddef.h>

// ---- words of the frame

static LLVMValueRef frame_pointer(const LaneCode *code, uint32_t offset) {
    return code_pointer_at(&code->cx, code_integer_type(&code->cx, 8), code->frame, code_i64(&code->cx, offset));
}

static LLVMValueRef get_word(const LaneCode *code, uint32_t offset) {
    return code_load(&code->cx, code_integer_type(&code->cx, 32), frame_pointer(code, offset), 4);
}

static void set_word(const LaneCode *code, uint32_t offset, LLVMValueRef value) {
    code_store(&code->cx, value, frame_pointer(code, offset), 4);
}

LLVMValueRef lane_frame_word(const LaneCode *code, uint32_t offset) {
    return get_word(code, offset);
}

void lane_set_frame_word(const LaneCode *code, uint32_t offset, LLVMValueRef value) {
    set_word(code, offset, value);
}

static void change_word(const LaneCode *code, uint32_t offset, LLVMOpcode op, LLVMValueRef value) {
    set_word(code, offset, LLVMBuildBinOp(code->cx.builder, op, get_word(code, offset), value, ""));
}

static LLVMValueRef is_zero(const LaneCode *code, LLVMValueRef word) {
    return LLVMBuildIsNull(code->cx.builder, word, "");
}

static LLVMValueRef without(const LaneCode *code, LLVMValueRef word, LLVMValueRef bits) {
    return LLVMBuildAnd(code->cx.builder, word, LLVMBuildNot(code->cx.builder, bits, ""), "");
}

static void begin_at(LaneCode *code, LLVMBasicBlockRef block) {
    LLVMPositionBuilderAtEnd(code->cx.builder, block);
}

// ---- functions that all blocks share: their code is compiled once

enum { CONTROL_ARGUMENTS_MAX = 4 };
typedef void ControlBuilder(LaneCode *code, const LLVMValueRef *arguments);

// Calls the function of that name, result (state, frame, arguments..): i32 each. `build` makes its body.
static LLVMValueRef call_control(LaneCode *code, const char *name, LLVMTypeRef result, ControlBuilder *build,
                                 const LLVMValueRef *arguments, unsigned count) {
    NumericContext *cx = &code->cx;
    LLVMTypeRef types[2 + CONTROL_ARGUMENTS_MAX];
    LLVMValueRef all[2 + CONTROL_ARGUMENTS_MAX] = {code->state, code->frame};
    for (unsigned i = 0; i < count; i++) all[2 + i] = arguments[i];
    for (unsigned i = 0; i < 2 + count; i++) types[i] = LLVMTypeOf(all[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, 2 + count, false);
    CodeShared shared;
    if (code_shared_open(cx, name, type, &shared)) {
        LaneCode inner = *code;
        LLVMValueRef parameters[2 + CONTROL_ARGUMENTS_MAX];
        LLVMGetParams(shared.function, parameters);
        inner.state = parameters[0];
        inner.frame = parameters[1];
        build(&inner, &parameters[2]);
        code_shared_close(cx, &shared);
    }
    return LLVMBuildCall2(cx->builder, type, shared.function, all, 2 + count, "");
}

// (lanes, block)
static void build_set_pc(LaneCode *code, const LLVMValueRef *arguments) {
    LLVMValueRef at = frame_pointer(code, LANE_PC), old = code_load(&code->cx, lane_type(code, 32), at, 64);
    LLVMValueRef lanes = lane_mask_of_bits(code, arguments[0]), block = lane_splat(code, arguments[1]);
    code_store(&code->cx, LLVMBuildSelect(code->cx.builder, lanes, block, old, ""), at, 64);
    LLVMBuildRetVoid(code->cx.builder);
}

static void set_pc_to(LaneCode *code, LLVMValueRef lanes, LLVMValueRef block) {
    call_control(code, "congruent.set_pc", LLVMVoidTypeInContext(code->cx.context), build_set_pc,
                 (LLVMValueRef[]){lanes, block}, 2);
}

// The lanes of `bits` go on with block number `block` when the dispatcher lets them.
static void set_pc(LaneCode *code, LLVMValueRef bits, uint32_t block) {
    set_pc_to(code, bits, code_i32(&code->cx, (int32_t)block));
}

// Where active lanes go on; a shared function has said it: an i32.
enum { HERE, THERE, ELSEWHERE };

static LLVMValueRef is_where(const LaneCode *code, LLVMValueRef where, int value) {
    return LLVMBuildICmp(code->cx.builder, LLVMIntEQ, where, code_i32(&code->cx, value), "");
}

// Ends the block: elsewhere is the dispatcher.
static void go_where(LaneCode *code, LLVMValueRef where, LLVMBasicBlockRef here, LLVMBasicBlockRef there) {
    LLVMBasicBlockRef apart = code_block(&code->cx, "apart");
    LLVMBuildCondBr(code->cx.builder, is_where(code, where, HERE), here, apart);
    begin_at(code, apart);
    LLVMBuildCondBr(code->cx.builder, is_where(code, where, THERE), there, code->dispatch);
}

// ---- guards

LaneGuard lane_guard_open(LaneCode *code) {
    LLVMBuilderRef builder = code->cx.builder;
    LaneGuard guard = {code_block(&code->cx, "guard.join"), LLVMGetInsertBlock(builder), code->mask, code->mask_bits};
    LLVMBasicBlockRef inside = code_block(&code->cx, "guarded");
    LLVMBuildCondBr(builder, is_zero(code, code->mask_bits), guard.join, inside);
    begin_at(code, inside);
    return guard;
}

void lane_guard_close(LaneCode *code, const LaneGuard *guard, unsigned count, LLVMValueRef *values) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMBasicBlockRef from[2] = {guard->before, LLVMGetInsertBlock(builder)};
    LLVMBuildBr(builder, guard->join);
    begin_at(code, guard->join);
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef type = LLVMTypeOf(values[i]);
        LLVMValueRef phi = LLVMBuildPhi(builder, type, "");
        LLVMAddIncoming(phi, (LLVMValueRef[]){LLVMConstNull(type), values[i]}, from, 2);
        values[i] = phi;
    }
}

// ---- how blocks end

static void end_block(LaneCode *code) {
    code->ended = true;
}

// Counts an iteration; when the budget is used up others run.
static void count_iteration(LaneCode *code) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMTypeRef word = code_integer_type(&code->cx, 32);
    const size_t budget = offsetof(WarpState, budget);
    LLVMValueRef left = LLVMBuildSub(builder, lane_state_field(code, budget, word), code_i32(&code->cx, 1), "");
    lane_set_state_field(code, budget, left);
    LLVMBasicBlockRef spent = code_block(&code->cx, "spent"), go_on = code_block(&code->cx, "go_on");
    LLVMBuildCondBr(builder, is_zero(code, left), spent, go_on);
    begin_at(code, spent);
    lane_call_loop(code, code->place);
    LLVMBuildBr(builder, go_on);
    begin_at(code, go_on);
}

// They let others go first if they have iterated often without the others.
static void count_spin(LaneCode *code, LLVMValueRef lanes) {
    enum { SPINS_SHIFT = 6 }; // so many iterations, as a power of two
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef spins = LLVMBuildAdd(builder, get_word(code, LANE_SPINS), code_i32(&code->cx, 1), "");
    set_word(code, LANE_SPINS, spins);
    LLVMValueRef low = LLVMBuildAnd(builder, spins, code_i32(&code->cx, (1 << SPINS_SHIFT) - 1), "");
    LLVMValueRef yields = LLVMBuildSelect(builder, is_zero(code, low), lanes, code_i32(&code->cx, 0), "");
    change_word(code, LANE_YIELDED, LLVMOr, yields);
}

// (lanes, block): whether they are all that are inside, so that they can go to the block directly. A call may have
// ended some.
static void build_go(LaneCode *code, const LLVMValueRef *arguments, bool back) {
    NumericContext *cx = &code->cx;
    LLVMTypeRef flag = code_integer_type(cx, 1);
    LLVMBasicBlockRef together = code_block(cx, "together"), apart = code_block(cx, "apart");
    LLVMValueRef inside = get_word(code, LANE_INSIDE), lanes = LLVMBuildAnd(cx->builder, arguments[0], inside, "");
    set_word(code, LANE_ACTIVE, lanes);
    LLVMBuildCondBr(cx->builder, LLVMBuildICmp(cx->builder, LLVMIntEQ, lanes, inside, ""), together, apart);
    begin_at(code, together);
    LLVMBuildRet(cx->builder, LLVMConstInt(flag, 1, false));
    begin_at(code, apart);
    set_pc_to(code, lanes, arguments[1]);
    if (back) count_spin(code, lanes);
    LLVMBuildRet(cx->builder, LLVMConstInt(flag, 0, false));
}

static void build_go_on(LaneCode *code, const LLVMValueRef *arguments) {
    build_go(code, arguments, false);
}

static void build_go_back(LaneCode *code, const LLVMValueRef *arguments) {
    build_go(code, arguments, true);
}

static LLVMValueRef go(LaneCode *code, LLVMValueRef lanes, LLVMValueRef block, bool back) {
    return call_control(code, back ? "congruent.go_back" : "congruent.go_on", code_integer_type(&code->cx, 1),
                        back ? build_go_back : build_go_on, (LLVMValueRef[]){lanes, block}, 2);
}

// All active lanes go to the block.
static void jump(LaneCode *code, uint32_t block) {
    const bool back = block <= code->block;
    if (back) count_iteration(code);
    LLVMValueRef directly = go(code, code->active_bits, code_i32(&code->cx, (int32_t)block), back);
    LLVMBuildCondBr(code->cx.builder, directly, code->plan.blocks[block].code, code->dispatch);
}

// (lanes, those of them that go there, there, here): where they go on.
static void build_part(LaneCode *code, const LLVMValueRef *arguments) {
    NumericContext *cx = &code->cx;
    LLVMBasicBlockRef one = code_block(cx, "one"), both = code_block(cx, "both");
    LLVMValueRef taken = arguments[1], others = without(code, arguments[0], taken), none = is_zero(code, taken);
    LLVMBuildCondBr(cx->builder, LLVMBuildOr(cx->builder, none, is_zero(code, others), ""), one, both);
    begin_at(code, one);
    LLVMValueRef block = LLVMBuildSelect(cx->builder, none, arguments[3], arguments[2], "");
    LLVMValueRef where = LLVMBuildSelect(cx->builder, none, code_i32(cx, HERE), code_i32(cx, THERE), "");
    LLVMValueRef directly = go(code, arguments[0], block, false);
    LLVMBuildRet(cx->builder, LLVMBuildSelect(cx->builder, directly, where, code_i32(cx, ELSEWHERE), ""));
    begin_at(code, both);
    set_pc_to(code, taken, arguments[2]);
    set_pc_to(code, others, arguments[3]);
    LLVMBuildRet(cx->builder, code_i32(cx, ELSEWHERE));
}

static void branch_back(LaneCode *code, LLVMValueRef taken, uint32_t there, uint32_t here) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef others = without(code, code->active_bits, taken);
    LLVMBasicBlockRef some = code_block(&code->cx, "some"), all = code_block(&code->cx, "all"),
                      none = code_block(&code->cx, "none"), both = code_block(&code->cx, "both");
    LLVMBuildCondBr(builder, is_zero(code, taken), none, some);
    begin_at(code, some);
    LLVMBuildCondBr(builder, is_zero(code, others), all, both);
    begin_at(code, all);
    jump(code, there);
    begin_at(code, none);
    jump(code, here);
    begin_at(code, both);
    count_iteration(code);
    set_pc(code, taken, there);
    set_pc(code, others, here);
    LLVMBuildBr(builder, code->dispatch);
}

// Lanes of `taken` go to one block, the other active ones to the other.
static void branch(LaneCode *code, LLVMValueRef taken, uint32_t there, uint32_t here) {
    if (there <= code->block) {
        branch_back(code, taken, there, here);
        return;
    }
    LLVMValueRef arguments[] = {code->active_bits, taken, code_i32(&code->cx, (int32_t)there),
                                code_i32(&code->cx, (int32_t)here)};
    LLVMValueRef where = call_control(code, "congruent.part", code_integer_type(&code->cx, 32), build_part, arguments,
                                      BASE_COUNT(arguments));
    go_where(code, where, code->plan.blocks[here].code, code->plan.blocks[there].code);
}

void lane_try_again(LaneCode *code, LLVMValueRef done) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef rest = without(code, code->mask_bits, done);
    LLVMBasicBlockRef wait = code_block(&code->cx, "wait"), go_on = code_block(&code->cx, "go_on");
    LLVMBuildCondBr(builder, is_zero(code, rest), go_on, wait);
    begin_at(code, wait);
    set_pc(code, code->active_bits, code->block + 1);
    set_pc(code, rest, code->block);
    change_word(code, LANE_BLOCKED, LLVMOr, rest);
    LLVMBuildBr(builder, code->dispatch);
    begin_at(code, go_on);
}

void lane_drop_ended(LaneCode *code) {
    LLVMValueRef alive = lane_state_field(code, offsetof(WarpState, alive), code_integer_type(&code->cx, 32));
    change_word(code, LANE_INSIDE, LLVMAnd, alive);
    set_word(code, LANE_PARKED, code_i32(&code->cx, 0));
}

// ---- branches

static uint32_t block_of_label(const LaneCode *code, const PtxOperand *operand) {
    return code->plan.block_of_label[operand->index];
}

bool lane_emit_branch(LaneCode *code, const PtxInstruction *instruction) {
    const uint32_t there = block_of_label(code, &instruction->operands[0]);
    if (instruction->guard.kind == PTX_NONE)
        jump(code, there);
    else
        branch(code, code->mask_bits, there, code->block + 1);
    end_block(code);
    return true;
}

bool lane_emit_branch_table(LaneCode *code, const PtxInstruction *instruction) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxTable *table = &code->function->tables[instruction->operands[1].index];
    LLVMValueRef index = lane_read(code, &instruction->operands[0], 32, false);
    LLVMValueRef outside = LLVMBuildICmp(builder, LLVMIntUGE, index, lane_constant(code, 32, table->count), "");
    lane_trap_where(code, LLVMBuildAnd(builder, outside, code->mask, ""), WARP_TRAP_BRANCH);
    if (instruction->guard.kind != PTX_NONE) set_pc(code, code->active_bits, code->block + 1);
    for (uint32_t i = 0; i < table->count; i++) {
        LLVMValueRef here = LLVMBuildICmp(builder, LLVMIntEQ, index, lane_constant(code, 32, i), "");
        LLVMValueRef lanes = lane_bits_of_mask(code, LLVMBuildAnd(builder, here, code->mask, ""));
        set_pc(code, lanes, code->plan.block_of_label[table->targets[i]]);
    }
    count_iteration(code);
    LLVMBuildBr(builder, code->dispatch);
    end_block(code);
    return true;
}

// The lanes of code->mask leave the function; the others go on behind the instruction.
static void leave(LaneCode *code, const PtxInstruction *instruction) {
    set_word(code, LANE_INSIDE, without(code, get_word(code, LANE_INSIDE), code->mask_bits));
    set_word(code, LANE_PARKED, code_i32(&code->cx, 0)); // those who wait for lanes that have left look again
    if (instruction && instruction->guard.kind != PTX_NONE) {
        LLVMValueRef rest = without(code, code->active_bits, code->mask_bits);
        set_pc(code, rest, code->block + 1);
    }
    LLVMBuildBr(code->cx.builder, code->dispatch);
    end_block(code);
}

bool lane_emit_exit(LaneCode *code, const PtxInstruction *instruction) {
    LaneGuard guard = lane_guard_open(code);
    lane_call_exit(code);
    lane_guard_close(code, &guard, 0, NULL);
    leave(code, instruction);
    return true;
}

bool lane_emit_return(LaneCode *code, const PtxInstruction *instruction) {
    if (code->function->entry) return lane_emit_exit(code, instruction);
    leave(code, instruction);
    return true;
}

bool lane_emit_trap(LaneCode *code, const PtxInstruction *instruction) {
    (void)instruction;
    lane_trap_where(code, code->mask, WARP_TRAP);
    return true;
}

// ---- waiting for lanes

// (lanes, those that are needed, block): HERE if these are there; THERE if they are with those that are parked at the
// block, which are active then. Else lanes are parked.
static void build_await(LaneCode *code, const LLVMValueRef *arguments) {
    NumericContext *cx = &code->cx;
    LLVMValueRef lanes = arguments[0], need = arguments[1], block = arguments[2];
    LLVMBasicBlockRef missing = code_block(cx, "missing"), here = code_block(cx, "here"), join = code_block(cx, "join"),
                      park = code_block(cx, "park");
    need = LLVMBuildAnd(cx->builder, need,
                        lane_state_field(code, offsetof(WarpState, alive), code_integer_type(cx, 32)), "");
    LLVMBuildCondBr(cx->builder, is_zero(code, without(code, need, lanes)), here, missing);
    begin_at(code, here);
    LLVMBuildRet(cx->builder, code_i32(cx, HERE));
    begin_at(code, missing);
    LLVMValueRef pc = code_load(cx, lane_type(code, 32), frame_pointer(code, LANE_PC), 64);
    LLVMValueRef at = LLVMBuildICmp(cx->builder, LLVMIntEQ, pc, lane_splat(code, block), "");
    LLVMValueRef parked = LLVMBuildAnd(cx->builder, lane_bits_of_mask(code, at), get_word(code, LANE_PARKED), "");
    LLVMValueRef all = LLVMBuildOr(cx->builder, parked, lanes, "");
    LLVMBuildCondBr(cx->builder, is_zero(code, without(code, need, all)), join, park);
    begin_at(code, join);
    set_word(code, LANE_ACTIVE, all);
    set_word(code, LANE_PARKED, without(code, get_word(code, LANE_PARKED), all));
    LLVMBuildRet(cx->builder, code_i32(cx, THERE));
    begin_at(code, park);
    set_pc_to(code, lanes, block);
    change_word(code, LANE_PARKED, LLVMOr, lanes);
    LLVMBuildRet(cx->builder, code_i32(cx, ELSEWHERE));
}

// Goes on in a new LLVM block when all lanes of `need` (i32) that are in the warp are here.
static void await_lanes(LaneCode *code, LLVMValueRef need) {
    LLVMBasicBlockRef here = code_block(&code->cx, "here");
    LLVMValueRef arguments[] = {code->active_bits, need, code_i32(&code->cx, (int32_t)code->block)};
    LLVMValueRef where = call_control(code, "congruent.await", code_integer_type(&code->cx, 32), build_await, arguments,
                                      BASE_COUNT(arguments));
    go_where(code, where, here, code->plan.blocks[code->block].code);
    begin_at(code, here);
}

static void set_instruction_mask(LaneCode *code, const PtxInstruction *instruction) {
    code->mask_bits = code->active_bits;
    if (instruction->guard.kind != PTX_NONE)
        code->mask_bits =
            LLVMBuildAnd(code->cx.builder, code->active_bits, lane_read_guard(code, &instruction->guard), "");
    code->mask = lane_mask_of_bits(code, code->mask_bits);
}

// Lanes that name other masks of lanes than the first one does carry the instruction out on their own: they come to it
// again.
static void keep_lanes_of_mask(LaneCode *code, LLVMValueRef masks, LLVMValueRef first) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef unlike = LLVMBuildICmp(builder, LLVMIntNE, masks, lane_splat(code, first), "");
    LLVMValueRef others = lane_bits_of_mask(code, LLVMBuildAnd(builder, unlike, code->mask, ""));
    LLVMBasicBlockRef part = code_block(&code->cx, "part"), same = code_block(&code->cx, "same");
    LLVMBuildCondBr(builder, is_zero(code, others), same, part);
    begin_at(code, part);
    set_pc(code, others, code->block);
    set_word(code, LANE_ACTIVE, without(code, code->active_bits, others));
    LLVMBuildBr(builder, code->plan.blocks[code->block].code);
    begin_at(code, same);
}

// The lanes that a mask of lanes names.
static LLVMValueRef named_lanes(LaneCode *code, const PtxOperand *operand) {
    LLVMValueRef masks = lane_read(code, operand, 32, false), first = lane_first(code, masks);
    if (operand->kind != PTX_INTEGER) keep_lanes_of_mask(code, masks, first);
    return first;
}

// Of an aligned instruction with a guard: it holds for all lanes or for none.
static void check_guard(LaneCode *code) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef others = without(code, code->active_bits, code->mask_bits);
    others = LLVMBuildSelect(builder, is_zero(code, code->mask_bits), code_i32(&code->cx, 0), others, "");
    lane_trap_lanes(code, others, WARP_TRAP_LANES);
}

static bool is_aligned(const PtxInstruction *instruction) {
    const LaneSync sync = lane_lowering(instruction->op)->sync;
    return sync == LANE_WARP || (sync == LANE_BLOCKS && ptx_has(instruction, PTX_WORD_aligned));
}

// Whether lanes carry it out together. Behind another such one in its block all are together already (plan_lanes.c).
static bool needs_lanes(const LaneCode *code, const PtxInstruction *instruction) {
    return (is_aligned(instruction) || lane_lowering(instruction->op)->sync == LANE_MASK) &&
           instruction == &code->function->instructions[code->plan.blocks[code->block].first];
}

// Waits until the lanes are there that carry the instruction out together.
static void synchronise(LaneCode *code, const PtxInstruction *instruction) {
    const LaneLowering *row = lane_lowering(instruction->op);
    const bool guarded = instruction->guard.kind != PTX_NONE, aligned = is_aligned(instruction);
    LLVMValueRef need = code_i32(&code->cx, -1);
    if (!aligned) need = named_lanes(code, &instruction->operands[instruction->operand_count - row->mask_operand]);
    // Without a lane that the guard holds for there is nothing to wait for.
    if (guarded)
        need = LLVMBuildSelect(code->cx.builder, is_zero(code, code->mask_bits), code_i32(&code->cx, 0), need, "");
    await_lanes(code, need);
    if (guarded && aligned) check_guard(code);
}

// ---- blocks

static bool emit_instruction(LaneCode *code, const PtxInstruction *instruction) {
    code->instruction = instruction;
    code->cx.at = ptx_location(code->module->ptx, instruction->place);
    code->cx.op_name = ptx_spelling(code->module->arena, instruction);
    code->place = lane_place(code, instruction);
    const bool has_shape = lane_has_shape(code, instruction), waits = needs_lanes(code, instruction);
    if (!has_shape) lane_run_shapes(code);
    if (!has_shape || waits) set_instruction_mask(code, instruction);
    if (waits) synchronise(code, instruction);
    lane_forget_registers(code);
    lane_slot_release(code);
    const bool good =
        has_shape ? lane_add_shape(code, instruction) : lane_lowering(instruction->op)->emit(code, instruction);
    lane_forget_registers(code);
    return good;
}

static bool emit_block(LaneCode *code, uint32_t number) {
    const LaneBlock *block = &code->plan.blocks[number];
    code->block = number;
    code->ended = false;
    begin_at(code, block->code);
    code->active_bits = get_word(code, LANE_ACTIVE);
    for (uint32_t i = 0; i < block->count && !code->ended; i++)
        if (!emit_instruction(code, &code->function->instructions[block->first + i])) return false;
    if (code->ended) return true;
    lane_run_shapes(code);
    if (number + 1 < code->plan.block_count) {
        jump(code, number + 1);
        return true;
    }
    // The end of the text is a return.
    code->mask_bits = code->active_bits;
    if (code->function->entry) lane_call_exit(code);
    leave(code, NULL);
    return true;
}

// ---- the dispatcher

static void emit_leave(LaneCode *code) {
    begin_at(code, code->leave);
    lane_leave_function(code);
    LLVMBuildRetVoid(code->cx.builder);
}

// Nobody can run: others have to, or nobody ever will.
static void emit_nobody(LaneCode *code, LLVMValueRef inside) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMBasicBlockRef some = code_block(&code->cx, "waiting"), yield = code_block(&code->cx, "yield"),
                      stuck = code_block(&code->cx, "stuck");
    LLVMBuildCondBr(builder, is_zero(code, inside), code->leave, some);
    begin_at(code, some);
    LLVMBuildCondBr(builder, is_zero(code, get_word(code, LANE_BLOCKED)), stuck, yield);
    begin_at(code, yield);
    lane_call_yield(code);
    set_word(code, LANE_BLOCKED, code_i32(&code->cx, 0));
    LLVMBuildBr(builder, code->dispatch);
    begin_at(code, stuck);
    lane_call_stuck(code, get_word(code, LANE_PARKED),
                    code_load(&code->cx, lane_type(code, 32), frame_pointer(code, LANE_PC), 64));
    LLVMBuildUnreachable(builder);
}

static void emit_dispatch(LaneCode *code) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMBasicBlockRef nobody = code_block(&code->cx, "nobody"), somebody = code_block(&code->cx, "somebody"),
                      nowhere = code_block(&code->cx, "nowhere");
    begin_at(code, code->dispatch);
    LLVMValueRef inside = get_word(code, LANE_INSIDE);
    LLVMValueRef ready =
        without(code, without(code, inside, get_word(code, LANE_PARKED)), get_word(code, LANE_BLOCKED));
    LLVMBuildCondBr(builder, is_zero(code, ready), nobody, somebody);
    begin_at(code, nobody);
    emit_nobody(code, inside);
    begin_at(code, somebody);
    LLVMValueRef yielded = get_word(code, LANE_YIELDED), first = without(code, ready, yielded);
    LLVMValueRef none = is_zero(code, first);
    set_word(code, LANE_YIELDED, LLVMBuildSelect(builder, none, code_i32(&code->cx, 0), yielded, ""));
    LLVMValueRef lanes = lane_mask_of_bits(code, LLVMBuildSelect(builder, none, ready, first, ""));
    LLVMValueRef pc = code_load(&code->cx, lane_type(code, 32), frame_pointer(code, LANE_PC), 64);
    LLVMValueRef known = LLVMBuildSelect(builder, lanes, pc, lane_constant(code, 32, UINT32_MAX), "");
    LLVMValueRef lowest = vector_intrinsic(&code->cx, "llvm.vector.reduce.umin", &known, 1);
    LLVMValueRef same = LLVMBuildICmp(builder, LLVMIntEQ, known, lane_splat(code, lowest), "");
    set_word(code, LANE_ACTIVE, lane_bits_of_mask(code, same));
    LLVMValueRef choice = LLVMBuildSwitch(builder, lowest, nowhere, code->plan.block_count);
    for (uint32_t i = 0; i < code->plan.block_count; i++)
        LLVMAddCase(choice, code_i32(&code->cx, (int32_t)i), code->plan.blocks[i].code);
    begin_at(code, nowhere);
    LLVMBuildUnreachable(builder);
}

// ---- functions

static void open_frame(LaneCode *code, LLVMValueRef lanes) {
    NumericContext *cx = &code->cx;
    LLVMTypeRef byte = code_integer_type(cx, 8);
    LLVMValueRef bytes = code_alloca(cx, LLVMArrayType2(byte, code->plan.frame_bytes), "frame");
    LLVMSetAlignment(bytes, 64);
    code->frame = bytes;
    lane_enter_function(code, lanes);
    lane_set_state_field(code, offsetof(WarpState, frame), bytes); // it escapes, so it stays memory
    LLVMBuildMemSet(cx->builder, bytes, LLVMConstNull(byte), code_i64(cx, LANE_FRAME_FIXED), 64);
    set_word(code, LANE_ACTIVE, lanes);
    set_word(code, LANE_INSIDE, lanes);
}

bool lane_emit_body(LaneCode *code) {
    NumericContext *cx = &code->cx;
    code->dispatch = code_block(cx, "dispatch");
    code->leave = code_block(cx, "leave");
    for (uint32_t i = 0; i < code->plan.block_count; i++) code->plan.blocks[i].code = code_block(cx, "block");
    LLVMTypeRef word = code_integer_type(cx, 32);
    open_frame(code,
               code->caller_lanes ? code->caller_lanes : lane_state_field(code, offsetof(WarpState, alive), word));
    LLVMBuildBr(cx->builder, code->plan.blocks[0].code);
    for (uint32_t i = 0; i < code->plan.block_count; i++)
        if (!emit_block(code, i)) return false;
    emit_dispatch(code);
    emit_leave(code);
    return true;
}
