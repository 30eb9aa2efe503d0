// SPDX-License-Identifier: Apache-2.0
// What a function may read although it has not written it on every way there: registers, and parameters and results of
// calls. Kernels that do so need a second run in which such things hold other values (docs/fpdiff.md). Many do it and
// throw away what they read: front ends leave out what nobody needs. So a move passes on that something is not written,
// and counts as no read; and a write under a guard counts for reads under the same one.
//
// Sums that a product adds to and that are written on no way at all are an error of the kernels that run it.
//
// Registers of one block, which are written there first, are always written, and not looked at.
#include "compiler/warp/lanes.h"

#include <string.h>

enum { STATES_MAX = 1 << 26, BYTES_MAX = 4096, STEPS_MAX = 50000000, NOTES_MAX = 4 };
#define NO_UNIT UINT32_MAX

// A unit is a register, or a byte of a variable: a bit of each state.
typedef struct Flow {
    LaneCode *code;
    const PtxFunction *function;
    Arena arena;
    bool every;            // bits say what every way here has written; else what one of them has
    uint32_t *registers;   // of each: its unit, or NO_UNIT
    uint32_t *variables;   // of each: the unit of its first byte, or NO_UNIT
    uint32_t units, words; // of a state
    uint64_t **states;     // of each block: as it begins; NULL: no way leads there, as far as is known
    bool *changed;         // of each block
    uint64_t *now;         // while a block is walked through
    uint32_t *guards;      // of units: the guard that it was written under in this block; 0: none
    uint32_t *guarded;     // units that have one
    uint32_t guarded_count;
    uint64_t steps;
    bool reports;   // the last pass
    bool *noted;    // of registers
    uint32_t notes; // of this function
    bool certain;   // one of them is
} Flow;

// ---- states

static uint32_t unit_of(const Flow *f, const PtxOperand *operand) {
    return operand->kind == PTX_REGISTER ? f->registers[operand->index] : NO_UNIT;
}

static bool get(const Flow *f, uint32_t unit) {
    return f->now[unit / 64] >> unit % 64 & 1;
}

static void put(Flow *f, uint32_t unit, bool written) {
    const uint64_t bit = UINT64_C(1) << unit % 64;
    f->now[unit / 64] = written ? f->now[unit / 64] | bit : f->now[unit / 64] & ~bit;
}

static void join(Flow *f, uint32_t block) {
    const size_t bytes = f->words * sizeof *f->now;
    if (!f->states[block]) {
        f->states[block] = arena_array(&f->arena, uint64_t, f->words + 1u);
        memcpy(f->states[block], f->now, bytes);
        f->changed[block] = true;
        return;
    }
    uint64_t different = 0;
    for (uint32_t i = 0; i < f->words; i++) {
        const uint64_t old = f->states[block][i], new = f->every ? old & f->now[i] : old | f->now[i];
        different |= old ^ new;
        f->states[block][i] = new;
    }
    if (different) f->changed[block] = true;
}

static void join_successors(Flow *f, uint32_t number) {
    const LanePlan *plan = &f->code->plan;
    const LaneBlock *block = &plan->blocks[number];
    const PtxInstruction *last = block->count ? &f->function->instructions[block->first + block->count - 1] : NULL;
    const PtxOp op = last ? last->op : PTX_OP_mov;
    const bool ends =
        op == PTX_OP_bra || op == PTX_OP_brx_idx || op == PTX_OP_ret || op == PTX_OP_exit || op == PTX_OP_trap;
    if (op == PTX_OP_bra) join(f, plan->block_of_label[last->operands[0].index]);
    if (op == PTX_OP_brx_idx) {
        const PtxTable *table = &f->function->tables[last->operands[1].index];
        for (uint32_t i = 0; i < table->count; i++) join(f, plan->block_of_label[table->targets[i]]);
    }
    if ((!ends || last->guard.kind != PTX_NONE) && number + 1 < plan->block_count) join(f, number + 1);
}

// ---- guards

static uint32_t guard_of(const PtxOperand *guard) {
    return guard->kind == PTX_REGISTER ? 2 * guard->index + guard->negated + 2 : 0;
}

static void forget_guards(Flow *f) {
    while (f->guarded_count) f->guards[f->guarded[--f->guarded_count]] = 0;
}

// The register changes, which may be a guard.
static void change_guard(Flow *f, uint32_t index) {
    uint32_t kept = 0;
    if (f->function->registers[index].type != PTX_pred) return;
    for (uint32_t i = 0; i < f->guarded_count; i++) {
        const uint32_t unit = f->guarded[i];
        if (f->guards[unit] / 2 - 1 == index)
            f->guards[unit] = 0;
        else
            f->guarded[kept++] = unit;
    }
    f->guarded_count = kept;
}

// The unit is written under no guard any more.
static void forget_guard(Flow *f, uint32_t unit) {
    uint32_t kept = 0;
    if (!f->guards[unit]) return;
    for (uint32_t i = 0; i < f->guarded_count; i++)
        if (f->guarded[i] != unit) f->guarded[kept++] = f->guarded[i];
    f->guarded_count = kept;
    f->guards[unit] = 0;
}

static void write_unit(Flow *f, uint32_t unit, uint32_t guard) {
    if (unit == NO_UNIT || get(f, unit)) return;
    if (!guard || !f->every || f->guards[unit] == (guard ^ 1)) {
        put(f, unit, true);
    } else if (!f->guards[unit]) {
        f->guards[unit] = guard;
        f->guarded[f->guarded_count++] = unit;
    }
}

// ---- what is found

static void add_note(Flow *f, const PtxInstruction *instruction, const char *what, bool certain) {
    LaneModule *module = f->code->module;
    module->unwritten = arena_grow(module->result, module->unwritten, module->unwritten_count,
                                   &module->unwritten_capacity, sizeof *module->unwritten);
    const Location at = instruction ? ptx_location(module->ptx, instruction->place) : f->function->at;
    module->unwritten[module->unwritten_count++] = (KernelUnwritten){
        .what = arena_keep(module->result, what),
        .op = arena_keep(module->result, instruction ? ptx_spelling(module->arena, instruction) : "ret"),
        .at = location_keep(module->result, at),
        .certain = certain};
}

// Keeps where the function reads what it may not have written.
static void note(Flow *f, const PtxInstruction *instruction, const char *what) {
    if (f->notes++ < NOTES_MAX) add_note(f, instruction, what, false);
}

static void read_register(Flow *f, const PtxInstruction *instruction, uint32_t index, uint32_t guard) {
    const uint32_t unit = f->registers[index];
    if (!f->every || unit == NO_UNIT || get(f, unit) || (guard && f->guards[unit] == guard)) return;
    if (!f->reports || f->noted[index]) return;
    f->noted[index] = f->code->plan.registers[index].unwritten = true;
    note(f, instruction, f->function->registers[index].name);
}

static void read_bytes(Flow *f, const PtxInstruction *instruction, uint32_t variable, uint64_t first, uint64_t count) {
    const uint32_t unit = f->variables[variable];
    const uint64_t size = f->function->variables[variable].size;
    bool all = true;
    if (!f->every || unit == NO_UNIT || !f->reports) return;
    for (uint64_t i = first; i < first + count && i < size; i++) all &= get(f, unit + (uint32_t)i);
    if (!all) note(f, instruction, f->function->variables[variable].name);
}

static void write_bytes(Flow *f, uint32_t variable, uint64_t first, uint64_t count, uint32_t guard) {
    const uint32_t unit = f->variables[variable];
    const uint64_t size = f->function->variables[variable].size;
    for (uint64_t i = first; unit != NO_UNIT && i < first + count && i < size; i++)
        write_unit(f, unit + (uint32_t)i, guard);
}

// ---- instructions

static bool names_variable(const PtxOperand *operand) {
    return operand->kind == PTX_VARIABLE && !operand->global;
}

// The guard under which an operand is read: its instruction's, or what a selp chooses it by.
static uint32_t reading_guard(const PtxInstruction *instruction, uint32_t operand) {
    const PtxOperand *choice = instruction->op == PTX_OP_selp ? &instruction->operands[3] : NULL;
    if (choice && (operand == 1 || operand == 2)) return guard_of(choice) ^ (guard_of(choice) && operand == 2);
    return guard_of(&instruction->guard);
}

static void read_operand(Flow *f, const PtxInstruction *instruction, const PtxOperand *operand, uint32_t guard) {
    if (operand->kind == PTX_REGISTER) read_register(f, instruction, operand->index, guard);
    if (names_variable(operand)) read_bytes(f, instruction, operand->index, 0, UINT32_MAX);
    for (uint32_t i = 0; i < operand->count; i++) read_operand(f, instruction, &operand->items[i], guard);
}

static void write_operand(Flow *f, const PtxOperand *operand, uint32_t guard) {
    if (operand->kind == PTX_REGISTER) {
        write_unit(f, f->registers[operand->index], guard);
        change_guard(f, operand->index);
    }
    if (names_variable(operand)) write_bytes(f, operand->index, 0, UINT32_MAX, guard);
    for (uint32_t i = 0; i < operand->count && operand->kind != PTX_ADDRESS; i++)
        write_operand(f, &operand->items[i], guard);
}

// Whether all parts of what a move reads are written, or, of ways one of which is enough, one of them.
static bool has_written(const Flow *f, const PtxOperand *from) {
    bool all = true, any = false;
    for (uint32_t i = 0; i < lane_part_count(from); i++) {
        const PtxOperand *part = lane_part_of(from, i);
        const uint32_t unit = unit_of(f, part);
        const bool written = unit == NO_UNIT || get(f, unit);
        all &= written;
        any |= written;
    }
    return f->every ? all : any;
}

// A move passes on whether something is written. False: the instruction is none, or where it moves that is not tracked.
static bool pass_on(Flow *f, const PtxInstruction *instruction) {
    if (instruction->op != PTX_OP_mov || instruction->guard.kind != PTX_NONE) return false;
    const PtxOperand *to = &instruction->operands[0], *from = &instruction->operands[1];
    if (!lane_part_count(from) || has_written(f, from)) return false;
    for (uint32_t i = 0; i < lane_part_count(to); i++) {
        const PtxOperand *part = lane_part_of(to, i);
        if (part->kind == PTX_REGISTER && unit_of(f, part) == NO_UNIT) return false;
    }
    for (uint32_t i = 0; i < lane_part_count(from) && f->every && f->reports; i++) {
        const PtxOperand *part = lane_part_of(from, i);
        const uint32_t unit = unit_of(f, part);
        if (unit != NO_UNIT && !get(f, unit)) f->code->plan.registers[part->index].unwritten = true;
    }
    for (uint32_t i = 0; i < lane_part_count(to); i++) {
        const PtxOperand *part = lane_part_of(to, i);
        if (part->kind != PTX_REGISTER) continue;
        put(f, f->registers[part->index], false);
        forget_guard(f, f->registers[part->index]);
        change_guard(f, part->index);
    }
    return true;
}

// A load or store of a parameter or result of a call.
static bool access_variable(Flow *f, const PtxInstruction *instruction) {
    const bool store = instruction->op == PTX_OP_st;
    if (!store && instruction->op != PTX_OP_ld) return false;
    const PtxOperand *address = &instruction->operands[!store], *values = &instruction->operands[store];
    if (address->kind != PTX_ADDRESS || !address->count || !names_variable(&address->items[0])) return false;
    const uint64_t size =
        ptx_type_info((PtxType)instruction->types[0])->bits / 8 * (values->kind == PTX_LIST ? values->count : 1);
    const uint64_t first = (uint64_t)(address->offset + address->items[0].offset);
    const uint32_t guard = guard_of(&instruction->guard), variable = address->items[0].index;
    if (store) {
        read_operand(f, instruction, values, guard);
        write_bytes(f, variable, first, size, guard);
    } else {
        read_bytes(f, instruction, variable, first, size);
        write_operand(f, values, guard);
    }
    return true;
}

// ---- sums of products

typedef enum Known { UNKNOWN, KNOWN_FALSE, KNOWN_TRUE } Known;

static bool literal_of(const Flow *f, const PtxOperand *operand, uint64_t *bits) {
    const LaneRegister *own = operand->kind == PTX_REGISTER ? &f->code->plan.registers[operand->index] : NULL;
    if (operand->kind == PTX_INTEGER) *bits = operand->bits;
    if (own && own->is_literal) *bits = own->literal;
    return operand->kind == PTX_INTEGER || (own && own->is_literal);
}

static Known known_predicate(const Flow *f, const PtxOperand *operand) {
    uint64_t a, b;
    bool value;
    if (literal_of(f, operand, &a)) {
        value = a != 0;
    } else {
        const uint32_t writer = operand->kind == PTX_REGISTER ? f->code->plan.registers[operand->index].writer : 0;
        const PtxInstruction *set = writer ? &f->function->instructions[writer - 1] : NULL;
        if (!set || set->op != PTX_OP_setp_integer || set->operands[0].kind != PTX_REGISTER ||
            !literal_of(f, &set->operands[1], &a) || !literal_of(f, &set->operands[2], &b))
            return UNKNOWN;
        const bool equal = ptx_has(set, PTX_WORD_eq);
        if (!equal && !ptx_has(set, PTX_WORD_ne)) return UNKNOWN;
        if (ptx_type_info((PtxType)set->types[0])->bits <= 32) a = (uint32_t)a, b = (uint32_t)b;
        value = (a == b) == equal;
    }
    return value != operand->negated ? KNOWN_TRUE : KNOWN_FALSE;
}

static bool adds(const PtxInstruction *instruction) {
    switch (instruction->op) {
    case PTX_OP_mma_float:
    case PTX_OP_mma_integer:
    case PTX_OP_mma_bits:
    case PTX_OP_mma_scaled:
    case PTX_OP_mma_sparse:
    case PTX_OP_mma_sparse_scaled:
    case PTX_OP_wmma_mma: return true;
    default: return false;
    }
}

static void check_sums(Flow *f, const PtxInstruction *instruction, const PtxOperand *sums) {
    for (uint32_t i = 0; !f->certain && i < lane_part_count(sums); i++) {
        const PtxOperand *part = lane_part_of(sums, i);
        const uint32_t unit = unit_of(f, part);
        if (unit == NO_UNIT || get(f, unit)) continue;
        add_note(f, instruction, f->function->registers[part->index].name, true);
        f->certain = true;
    }
}

// What is added to sums that nothing has written is none either.
static bool pass_sums(Flow *f, const PtxInstruction *instruction) {
    const PtxOperand *to = ptx_operand(instruction, "D"), *from = ptx_operand(instruction, "C");
    if (!to || !from || lane_part_count(to) != lane_part_count(from)) return false;
    uint64_t written[4] = {0}; // first all of them: both may be the same registers
    if (lane_part_count(to) > 64 * BASE_COUNT(written)) return false;
    for (uint32_t i = 0; i < lane_part_count(from); i++) {
        const PtxOperand *part = lane_part_of(from, i);
        const uint32_t unit = unit_of(f, part);
        written[i / 64] |= (uint64_t)(unit == NO_UNIT || get(f, unit)) << i % 64;
    }
    for (uint32_t i = 0; i < lane_part_count(to); i++) {
        const PtxOperand *part = lane_part_of(to, i);
        const uint32_t unit = unit_of(f, part);
        if (unit != NO_UNIT && written[i / 64] >> i % 64 & 1) put(f, unit, true);
    }
    return true;
}

static void step(Flow *f, const PtxInstruction *instruction) {
    const uint32_t guard = guard_of(&instruction->guard);
    if (guard) read_register(f, instruction, instruction->guard.index, 0);
    if (pass_on(f, instruction) || access_variable(f, instruction)) return;
    const PtxOperand *in_place = lane_is_wgmma(instruction) ? ptx_operand(instruction, "D") : NULL;
    const Known known = in_place ? known_predicate(f, ptx_operand(instruction, "p")) : UNKNOWN;
    if (in_place && known != KNOWN_FALSE) read_operand(f, instruction, in_place, guard);
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const PtxOperand *operand = &instruction->operands[i];
        const bool writes = ptx_writes(instruction, i);
        if (!writes) read_operand(f, instruction, operand, reading_guard(instruction, i));
    }
    if (!f->every && f->reports && in_place && known == KNOWN_TRUE) check_sums(f, instruction, in_place);
    if (!f->every && f->reports && adds(instruction)) check_sums(f, instruction, ptx_operand(instruction, "C"));
    if (!f->every && known == KNOWN_TRUE) return; // sums that nobody has written are none
    if (!f->every && adds(instruction) && pass_sums(f, instruction)) return;
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (ptx_writes(instruction, i)) write_operand(f, &instruction->operands[i], guard);
}

// The function returns: its caller may read all results.
static void leave(Flow *f, const PtxInstruction *instruction) {
    const PtxFunction *function = f->function;
    for (uint32_t i = 0; i < function->result_count; i++)
        read_bytes(f, instruction, function->parameter_count + i, 0, UINT32_MAX);
}

static void walk_block(Flow *f, uint32_t number) {
    const LaneBlock *block = &f->code->plan.blocks[number];
    memcpy(f->now, f->states[number], f->words * sizeof *f->now);
    forget_guards(f);
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        step(f, &f->function->instructions[i]);
        if (f->function->instructions[i].op == PTX_OP_ret) leave(f, &f->function->instructions[i]);
    }
    if (number + 1 == f->code->plan.block_count) leave(f, NULL);
}

// False: that takes too long.
static bool walk(Flow *f, bool every) {
    const uint32_t blocks = f->code->plan.block_count;
    f->every = every;
    f->reports = false;
    memset(f->states, 0, blocks * sizeof(uint64_t *));
    memset(f->now, 0, (f->words + 1u) * sizeof *f->now);
    join(f, 0);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < blocks; i++) {
            if (!f->changed[i]) continue;
            f->changed[i] = false;
            more = true;
            f->steps += f->code->plan.blocks[i].count + f->words + 1;
            if (f->steps > STEPS_MAX) return false;
            walk_block(f, i);
            join_successors(f, i);
        }
    }
    f->reports = true;
    for (uint32_t i = 0; i < blocks; i++)
        if (f->states[i]) walk_block(f, i);
    return true;
}

// ---- the function

static void number_units(Flow *f) {
    const PtxFunction *function = f->function;
    const LanePlan *plan = &f->code->plan;
    uint64_t bytes = 0;
    f->registers = arena_array(&f->arena, uint32_t, function->register_count + 1u);
    f->variables = arena_array(&f->arena, uint32_t, function->variable_count + 1u);
    for (uint32_t i = 0; i < function->register_count; i++)
        f->registers[i] = plan->registers[i].local ? NO_UNIT : f->units++;
    for (uint32_t i = 0; i < function->variable_count; i++) {
        const PtxVariable *variable = &function->variables[i];
        f->variables[i] = NO_UNIT;
        if (i < function->parameter_count || (variable->space != PTX_PARAMETER && variable->space != PTX_REGISTERS))
            continue;
        bytes += variable->size;
        if (bytes > BYTES_MAX) continue;
        f->variables[i] = f->units;
        f->units += (uint32_t)variable->size;
    }
    f->words = (f->units + 63) / 64;
    if (bytes > BYTES_MAX) note(f, NULL, "parameters of calls");
}

static bool has_sums(const PtxFunction *function) {
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (adds(&function->instructions[i]) || lane_is_wgmma(&function->instructions[i])) return true;
    return false;
}

// What cannot be looked at may read anything.
static void give_up(Flow *f) {
    for (uint32_t i = 0; i < f->function->register_count; i++)
        f->code->plan.registers[i].unwritten = f->registers[i] != NO_UNIT;
    note(f, NULL, "registers");
}

void lane_find_unwritten(LaneCode *code) {
    Flow f = {.code = code, .function = code->function};
    const uint32_t blocks = code->plan.block_count;
    number_units(&f);
    f.states = arena_array(&f.arena, uint64_t *, blocks + 1u);
    f.changed = arena_array(&f.arena, bool, blocks + 1u);
    f.now = arena_array(&f.arena, uint64_t, f.words + 1u);
    f.noted = arena_array(&f.arena, bool, f.function->register_count + 1u);
    f.guards = arena_array(&f.arena, uint32_t, f.units + 1u);
    f.guarded = arena_array(&f.arena, uint32_t, f.units + 1u);
    if ((uint64_t)f.words * 64 * blocks > STATES_MAX || !walk(&f, true))
        give_up(&f);
    else if (f.notes && has_sums(f.function))
        walk(&f, false);
    arena_reset(&f.arena);
}
