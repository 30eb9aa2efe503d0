// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async computes while the warps go on. This finds registers that are touched too early:
// - sums that something reads or writes, or registers of A that something writes, before a wgmma.wait_group has waited
//   for the group that they belong to;
// - registers that something else has touched since the last wgmma.fence, and that a wgmma then uses. Sums that several
//   products of one shape add to need no fence between these.
// Ways through the function meet; what may be pending on one of them counts. A move passes on what is pending, also one
// that takes a register apart or puts it together: compilers make such moves for loops, and Triton for sums of f16
// before it waits; assemblers merge the registers.
#include "compiler/warp/lanes.h"

#include <string.h>

enum { MOST_GROUPS = 8 }; // wait_group has 7 at most
#define NOT_TRACKED UINT32_MAX
// What is larger, or does not settle within so many instructions, is not checked.
enum { STATES_MAX = 2000000, STEPS_MAX = 20000000 };

// When a register is free again: after which groups. 0: it is free; 1: its group has no commit_group yet; else 2 plus
// the number of groups that were committed after its own.
typedef struct Pending {
    uint8_t age;
    uint32_t by; // the wgmma
} Pending;
typedef struct WgmmaRegister {
    Pending written, read;
    uint32_t
        toucher; // 1 + the instruction that touched it since the last fence; NOBODY_YET: there was no fence; 0: none
} WgmmaRegister;
#define NOBODY_YET UINT32_MAX

typedef struct WgmmaBlock {
    uint32_t first, end; // instructions
    bool reached, changed;
    WgmmaRegister *registers; // as they are at its beginning
} WgmmaBlock;

typedef struct WgmmaCheck {
    Diagnostics *diagnostics;
    Arena arena;
    const PtxModule *module;
    const PtxFunction *function;
    uint32_t *tracked; // by register: its number among those tracked
    uint32_t tracked_count;
    uint32_t *block_of; // of instructions, and of the end
    uint32_t block_count;
    WgmmaBlock *blocks;
    WgmmaRegister *now;
    uint32_t steps;
    bool reports; // the last pass
} WgmmaCheck;

bool lane_is_wgmma(const PtxInstruction *instruction) {
    switch (instruction->op) {
    case PTX_OP_wgmma_float:
    case PTX_OP_wgmma_integer:
    case PTX_OP_wgmma_bits:
    case PTX_OP_wgmma_sparse_float:
    case PTX_OP_wgmma_sparse_integer: return true;
    default: return false;
    }
}

// ---- which registers

static bool track(WgmmaCheck *check, const PtxOperand *operand) {
    if (operand->kind != PTX_REGISTER || check->tracked[operand->index] != NOT_TRACKED) return false;
    check->tracked[operand->index] = check->tracked_count++;
    return true;
}

static void track_list(WgmmaCheck *check, const PtxOperand *operand) {
    if (operand && operand->kind == PTX_LIST)
        for (uint32_t i = 0; i < operand->count; i++) track(check, &operand->items[i]);
}

static bool is_copy(const PtxInstruction *instruction) {
    return instruction->op == PTX_OP_mov && instruction->guard.kind == PTX_NONE &&
           lane_part_count(&instruction->operands[0]) && lane_part_count(&instruction->operands[1]);
}

static bool is_tracked(const WgmmaCheck *check, const PtxOperand *operand) {
    return operand->kind == PTX_REGISTER && check->tracked[operand->index] != NOT_TRACKED;
}

// Tracks what a move writes, if what it reads is tracked. Whether anything is new.
static bool track_copy(WgmmaCheck *check, const PtxInstruction *copy) {
    const PtxOperand *to = &copy->operands[0], *from = &copy->operands[1];
    bool found = false, more = false;
    for (uint32_t i = 0; i < lane_part_count(from); i++) found |= is_tracked(check, lane_part_of(from, i));
    for (uint32_t i = 0; found && i < lane_part_count(to); i++) more |= track(check, lane_part_of(to, i));
    return more;
}

// Registers of products, and what they are moved to. False: there are none.
static bool find_registers(WgmmaCheck *check) {
    const PtxFunction *function = check->function;
    bool found = false, more = true;
    check->tracked = arena_array(&check->arena, uint32_t, function->register_count + 1);
    memset(check->tracked, 0xff, (function->register_count + 1) * sizeof *check->tracked);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const PtxInstruction *instruction = &function->instructions[i];
        if (!lane_is_wgmma(instruction)) continue;
        found = true;
        track_list(check, ptx_operand(instruction, "D"));
        track_list(check, ptx_operand(instruction, "a"));
    }
    while (found && more) {
        more = false;
        for (uint32_t i = 0; i < function->instruction_count; i++) {
            const PtxInstruction *instruction = &function->instructions[i];
            if (is_copy(instruction)) more |= track_copy(check, instruction);
        }
    }
    return found;
}

// ---- ways through the function

static bool leaves_block(PtxOp op) {
    return op == PTX_OP_bra || op == PTX_OP_brx_idx || op == PTX_OP_ret || op == PTX_OP_exit || op == PTX_OP_trap;
}

static void find_blocks(WgmmaCheck *check) {
    const PtxFunction *function = check->function;
    const uint32_t count = function->instruction_count;
    bool *leads = arena_array(&check->arena, bool, count + 1);
    leads[0] = leads[count] = true;
    for (uint32_t i = 0; i < function->label_count; i++) leads[function->labels[i].instruction] = true;
    for (uint32_t i = 0; i < count; i++)
        if (leaves_block(function->instructions[i].op)) leads[i + 1] = true;
    for (uint32_t i = 0; i <= count; i++) check->block_count += leads[i];
    check->blocks = arena_array(&check->arena, WgmmaBlock, check->block_count);
    check->block_of = arena_array(&check->arena, uint32_t, count + 1);
    uint32_t block = 0;
    for (uint32_t i = 0; i <= count; i++) {
        if (leads[i]) check->blocks[block++].first = i;
        check->block_of[i] = block - 1;
        if (i < count) check->blocks[block - 1].end = i + 1;
    }
    check->blocks[block - 1].end = count;
}

static bool join_pending(Pending *into, const Pending *from) {
    if (!from->age || (into->age && into->age <= from->age)) return false;
    *into = *from;
    return true;
}

// The state now is one in which the block may begin.
static void join(WgmmaCheck *check, uint32_t number) {
    WgmmaBlock *block = &check->blocks[number];
    const size_t bytes = check->tracked_count * sizeof *check->now;
    if (!block->reached) {
        block->registers = arena_array(&check->arena, WgmmaRegister, check->tracked_count + 1);
        memcpy(block->registers, check->now, bytes);
        block->reached = block->changed = true;
        return;
    }
    for (uint32_t i = 0; i < check->tracked_count; i++) {
        WgmmaRegister *into = &block->registers[i];
        block->changed |= join_pending(&into->written, &check->now[i].written);
        block->changed |= join_pending(&into->read, &check->now[i].read);
        if (!into->toucher && check->now[i].toucher) {
            into->toucher = check->now[i].toucher;
            block->changed = true;
        }
    }
}

static void join_label(WgmmaCheck *check, uint32_t label) {
    join(check, check->block_of[check->function->labels[label].instruction]);
}

static void join_successors(WgmmaCheck *check, uint32_t number) {
    const WgmmaBlock *block = &check->blocks[number];
    const PtxInstruction *last = block->end > block->first ? &check->function->instructions[block->end - 1] : NULL;
    const bool leaves = last && leaves_block(last->op);
    if (leaves && last->op == PTX_OP_bra) join_label(check, last->operands[0].index);
    if (leaves && last->op == PTX_OP_brx_idx) {
        const PtxTable *table = &check->function->tables[last->operands[1].index];
        for (uint32_t i = 0; i < table->count; i++) join_label(check, table->targets[i]);
    }
    if ((!leaves || last->guard.kind != PTX_NONE) && number + 1 < check->block_count) join(check, number + 1);
}

// ---- one instruction

static const char *place_text(WgmmaCheck *check, uint32_t instruction) {
    const PtxInstruction *there = &check->function->instructions[instruction];
    const Location at = ptx_location(check->module, there->place);
    return arena_format(&check->arena, "%s (%s:%u)", ptx_spelling(&check->arena, there), at.file, at.line);
}

static bool report(WgmmaCheck *check, uint32_t instruction, const PtxOperand *operand, const char *does, uint32_t by,
                   const char *missing) {
    const PtxInstruction *here = &check->function->instructions[instruction];
    if (!check->reports) return true;
    return diag_fail(check->diagnostics, ptx_location(check->module, here->place), E_RUNTIME, "%s %s %s, which %s %s",
                     ptx_spelling(&check->arena, here), does, check->function->registers[operand->index].name,
                     place_text(check, by), missing);
}

static WgmmaRegister *state_of(WgmmaCheck *check, const PtxOperand *operand) {
    if (!is_tracked(check, operand)) return NULL;
    return &check->now[check->tracked[operand->index]];
}

static const char missing_wait[] = "still computes: a wgmma.wait_group is missing in between";

// Something else than a product reads or writes the register.
static bool touch(WgmmaCheck *check, uint32_t number, const PtxOperand *operand, bool writes) {
    WgmmaRegister *state = state_of(check, operand);
    if (!state) return true;
    state->toucher = number + 1;
    if (state->written.age)
        return report(check, number, operand, writes ? "writes" : "reads", state->written.by, missing_wait);
    if (writes && state->read.age) return report(check, number, operand, "writes", state->read.by, missing_wait);
    return true;
}

static bool touch_operand(WgmmaCheck *check, uint32_t number, const PtxOperand *operand, bool writes) {
    if (!touch(check, number, operand, writes)) return false;
    for (uint32_t i = 0; i < operand->count; i++)
        if (!touch_operand(check, number, &operand->items[i], writes && operand->kind != PTX_ADDRESS)) return false;
    return true;
}

// A product reads and writes the register as one of its sums, or reads it as a part of A.
static bool use(WgmmaCheck *check, uint32_t number, const PtxOperand *operand, bool sum) {
    WgmmaRegister *state = state_of(check, operand);
    if (!state) return true;
    if (!sum && state->written.age) return report(check, number, operand, "reads", state->written.by, missing_wait);
    if (sum && state->read.age) return report(check, number, operand, "writes", state->read.by, missing_wait);
    if (state->toucher && state->toucher != NOBODY_YET)
        return report(check, number, operand, "uses", state->toucher - 1,
                      "has touched: a wgmma.fence is missing in between");
    if (state->toucher && check->reports)
        return diag_fail(check->diagnostics, ptx_location(check->module, check->function->instructions[number].place),
                         E_RUNTIME, "%s: no wgmma.fence comes before it",
                         ptx_spelling(&check->arena, &check->function->instructions[number]));
    *(sum ? &state->written : &state->read) = (Pending){1, number};
    return true;
}

static bool use_list(WgmmaCheck *check, uint32_t number, const PtxOperand *list, bool sums) {
    if (!list || list->kind != PTX_LIST) return true;
    for (uint32_t i = 0; i < list->count; i++)
        if (!use(check, number, &list->items[i], sums)) return false;
    return true;
}

static void commit(WgmmaCheck *check) {
    for (uint32_t i = 0; i < check->tracked_count; i++) {
        Pending *both[2] = {&check->now[i].written, &check->now[i].read};
        for (int k = 0; k < 2; k++)
            if (both[k]->age && both[k]->age < 2 + MOST_GROUPS) both[k]->age++;
    }
}

static void wait_group(WgmmaCheck *check, uint64_t left) {
    for (uint32_t i = 0; i < check->tracked_count; i++) {
        Pending *both[2] = {&check->now[i].written, &check->now[i].read};
        for (int k = 0; k < 2; k++)
            if (both[k]->age >= 2 && both[k]->age - 2u >= left) both[k]->age = 0;
    }
}

static void fence(WgmmaCheck *check) {
    for (uint32_t i = 0; i < check->tracked_count; i++) check->now[i].toucher = 0;
}

// A move of pending registers is none that the hardware makes. True: the instruction was one.
static bool pass_on(WgmmaCheck *check, uint32_t number, const PtxInstruction *instruction) {
    if (!is_copy(instruction)) return false;
    const PtxOperand *to = &instruction->operands[0], *from = &instruction->operands[1];
    Pending written = {0}, read = {0};
    for (uint32_t i = 0; i < lane_part_count(from); i++) {
        const WgmmaRegister *state = state_of(check, lane_part_of(from, i));
        if (state) join_pending(&written, &state->written), join_pending(&read, &state->read);
    }
    if (!written.age) return false;
    for (uint32_t i = 0; i < lane_part_count(to); i++) {
        const WgmmaRegister *state = state_of(check, lane_part_of(to, i));
        if (state && state->written.age && state->written.by != written.by) return false;
    }
    for (uint32_t i = 0; i < lane_part_count(to); i++) {
        WgmmaRegister *state = state_of(check, lane_part_of(to, i));
        if (state) *state = (WgmmaRegister){written, read, number + 1};
    }
    return true;
}

static bool step(WgmmaCheck *check, uint32_t number) {
    const PtxInstruction *instruction = &check->function->instructions[number];
    if (lane_is_wgmma(instruction))
        return use_list(check, number, ptx_operand(instruction, "a"), false) &&
               use_list(check, number, ptx_operand(instruction, "D"), true);
    switch (instruction->op) {
    case PTX_OP_wgmma_fence: fence(check); return true;
    case PTX_OP_wgmma_commit_group: commit(check); return true;
    case PTX_OP_wgmma_wait_group: wait_group(check, instruction->operands[0].bits); return true;
    default: break;
    }
    if (pass_on(check, number, instruction)) return true;
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (!touch_operand(check, number, &instruction->operands[i], ptx_writes(instruction, i))) return false;
    return true;
}

static bool walk_block(WgmmaCheck *check, uint32_t number) {
    const WgmmaBlock *block = &check->blocks[number];
    memcpy(check->now, block->registers, check->tracked_count * sizeof *check->now);
    for (uint32_t i = block->first; i < block->end; i++)
        if (!step(check, i)) return false;
    return true;
}

// ---- the function

// False: that takes too long.
static bool walk_until_settled(WgmmaCheck *check) {
    for (uint32_t i = 0; i < check->tracked_count; i++) check->now[i].toucher = NOBODY_YET;
    join(check, 0);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < check->block_count; i++) {
            if (!check->blocks[i].changed) continue;
            check->blocks[i].changed = false;
            more = true;
            check->steps += check->blocks[i].end - check->blocks[i].first + 1;
            if (check->steps > STEPS_MAX) return false;
            walk_block(check, i);
            join_successors(check, i);
        }
    }
    return true;
}

static bool check_function(WgmmaCheck *check) {
    if (!find_registers(check)) return true;
    find_blocks(check);
    if ((uint64_t)check->tracked_count * check->block_count > STATES_MAX) return true;
    check->now = arena_array(&check->arena, WgmmaRegister, check->tracked_count + 1);
    if (!walk_until_settled(check)) return true;
    check->reports = true;
    for (uint32_t i = 0; i < check->block_count; i++)
        if (check->blocks[i].reached && !walk_block(check, i)) return false;
    return true;
}

bool lane_check_wgmma(Diagnostics *diagnostics, const PtxModule *module, const PtxFunction *function) {
    WgmmaCheck check = {.diagnostics = diagnostics, .module = module, .function = function};
    const bool good = check_function(&check);
    arena_reset(&check.arena);
    return good;
}
