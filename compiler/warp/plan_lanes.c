// SPDX-License-Identifier: Apache-2.0
// The plan of a function: its blocks, which registers live in the frame and in which form, where they lie.
#include "compiler/warp/lane_floats.h"

#include <string.h>

enum { VECTOR_ALIGNMENT = 64, FRAME_MAX = 960 << 10, NOWHERE = UINT32_MAX };

typedef struct Planner {
    Diagnostics *diagnostics;
    Arena *arena;
    const PtxFunction *function;
    LanePlan *plan;
    uint32_t *block_of;     // of instructions
    uint32_t *seen_in;      // of registers: 1 + the block that they were first seen in
    uint32_t *first, *last; // of registers: instructions that use them
    uint32_t at;            // the instruction that is looked at
    uint8_t *writes;        // of registers: how many operands are written to it; 2: more than one
    uint32_t *uses; // of registers, for each of FORM_CANDIDATES: how often it would do, less how often it would not
} Planner;

// ---- blocks

// All lanes that have not ended carry it out together.
static bool needs_warp(const PtxInstruction *instruction) {
    const LaneLowering *row = lane_lowering(instruction->op);
    if (instruction->guard.kind != PTX_NONE) return false;
    if (row->sync == LANE_WARP) return true;
    if (row->sync != LANE_MASK) return false;
    const PtxOperand *mask = &instruction->operands[instruction->operand_count - row->mask_operand];
    return mask->kind == PTX_INTEGER && (uint32_t)mask->bits == UINT32_MAX;
}

static void find_leaders(const Planner *p, bool *leads) {
    const PtxFunction *function = p->function;
    leads[0] = true;
    for (uint32_t i = 0; i < function->label_count; i++) leads[function->labels[i].instruction] = true;
    bool together = false; // the block begins with an instruction that all lanes wait for
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const LaneLowering *row = lane_lowering(function->instructions[i].op);
        const bool all = needs_warp(&function->instructions[i]);
        if (leads[i]) together = false;
        if (row->sync != LANE_ANY && !(all && together)) {
            leads[i] = true;
            together = all;
        }
        if (row->sync == LANE_BLOCKS || row->ends) leads[i + 1] = true;
    }
}

static void cut_blocks(Planner *p) {
    const PtxFunction *function = p->function;
    LanePlan *plan = p->plan;
    const uint32_t count = function->instruction_count;
    bool *leads = arena_array(p->arena, bool, count + 1);
    find_leaders(p, leads);
    leads[count] = true; // an empty block behind the last instruction, which returns
    for (uint32_t i = 0; i <= count; i++) plan->block_count += leads[i];
    plan->blocks = arena_array(p->arena, LaneBlock, plan->block_count);
    uint32_t block = 0;
    for (uint32_t i = 0; i <= count; i++) {
        if (leads[i]) plan->blocks[block++].first = i;
        p->block_of[i] = block - 1;
        if (i < count) plan->blocks[block - 1].count++;
    }
    plan->block_of_label = arena_array(p->arena, uint32_t, function->label_count + 1);
    for (uint32_t i = 0; i < function->label_count; i++)
        plan->block_of_label[i] = p->block_of[function->labels[i].instruction];
}

// ---- registers

static void use_register(Planner *p, uint32_t index, uint32_t block, bool writes_all) {
    LaneRegister *own = &p->plan->registers[index];
    p->last[index] = p->at;
    if (!p->seen_in[index]) {
        p->seen_in[index] = block + 1;
        p->first[index] = p->at;
        own->local = writes_all;
    } else if (p->seen_in[index] != block + 1) {
        own->local = false;
    }
}

static void use_operand(Planner *p, const PtxOperand *operand, uint32_t block, bool writes, bool writes_all) {
    const bool address = operand->kind == PTX_ADDRESS;
    if (operand->kind == PTX_REGISTER) {
        use_register(p, operand->index, block, writes && writes_all);
        if (writes && p->writes[operand->index] < 2) p->writes[operand->index]++;
    }
    for (uint32_t i = 0; i < operand->count; i++)
        use_operand(p, &operand->items[i], block, writes && !address, writes_all);
}

// Reads before writes: "add r, r, 1" reads r first.
static void use_operands(Planner *p, const PtxInstruction *instruction, uint32_t block, bool writes) {
    const bool all = instruction->guard.kind == PTX_NONE;
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (ptx_writes(instruction, i) == writes || instruction->operands[i].kind == PTX_ADDRESS)
            use_operand(p, &instruction->operands[i], block, writes, all);
}

static void find_local_registers(Planner *p) {
    const PtxFunction *function = p->function;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const PtxInstruction *instruction = &function->instructions[i];
        const uint32_t block = p->block_of[i];
        p->at = i;
        use_operand(p, &instruction->guard, block, false, false);
        use_operands(p, instruction, block, false);
        use_operands(p, instruction, block, true);
    }
}

// ---- writers

// mov.b16 %rs1, 0x8000: front ends keep literals of 16 bits in registers.
static void find_writers(Planner *p) {
    for (uint32_t i = 0; i < p->function->instruction_count; i++) {
        const PtxInstruction *instruction = &p->function->instructions[i];
        const PtxOperand *operands = instruction->operands;
        if (!instruction->operand_count || instruction->guard.kind != PTX_NONE) continue;
        if (operands[0].kind != PTX_REGISTER || p->writes[operands[0].index] != 1) continue;
        if (!ptx_writes(instruction, 0)) continue;
        LaneRegister *own = &p->plan->registers[operands[0].index];
        own->writer = i + 1;
        if (instruction->op != PTX_OP_mov) continue;
        own->is_literal = lane_literal_bits(&operands[1], (PtxType)instruction->types[0], &own->literal);
    }
}

// What is read without having been written does not always hold what its only writer writes.
static void forget_writers(Planner *p) {
    for (uint32_t i = 0; i < p->function->register_count; i++) {
        LaneRegister *own = &p->plan->registers[i];
        if (!own->unwritten) continue;
        own->writer = 0;
        own->is_literal = false;
    }
}

// A product may stand for a function of a register that it does not name (lane_expf.c).
static void use_exponentials(Planner *p, LaneCode *code) {
    for (uint32_t i = 0; i < p->function->instruction_count; i++) {
        const PtxOperand *x;
        bool negated;
        p->at = i;
        if (lane_is_exponential(code, &p->function->instructions[i], &x, &negated))
            use_register(p, x->index, p->block_of[i], false);
    }
}

// ---- forms

// How often a register is an operand of float instructions of a format that it could hold, less how often of others.
static const FpsanFormat form_candidates[] = {FPSAN_F32, FPSAN_F16, FPSAN_BF16, FPSAN_F64};
enum { FORM_CANDIDATES = BASE_COUNT(form_candidates) };

static void count_form(Planner *p, const PtxInstruction *instruction, uint32_t operand, const PtxOperand *item) {
    if (item->kind == PTX_REGISTER) {
        const FpsanFormat form = lane_operand_form(instruction, operand);
        for (uint32_t f = 0; f < FORM_CANDIDATES; f++) {
            uint32_t *votes = &p->uses[item->index * FORM_CANDIDATES + f];
            if (form_candidates[f] == form)
                *votes += 2;
            else if (*votes)
                *votes -= 1;
        }
    }
    for (uint32_t i = 0; i < item->count && item->kind != PTX_ADDRESS; i++)
        count_form(p, instruction, operand, &item->items[i]);
}

static void choose_forms(Planner *p) {
    const PtxFunction *function = p->function;
    for (uint32_t i = 0; i < function->instruction_count; i++)
        for (uint32_t k = 0; k < function->instructions[i].operand_count; k++)
            count_form(p, &function->instructions[i], k, &function->instructions[i].operands[k]);
    for (uint32_t r = 0; r < function->register_count; r++) {
        uint32_t best = 0;
        const uint32_t *votes = &p->uses[r * FORM_CANDIDATES];
        for (uint32_t f = 1; f < FORM_CANDIDATES; f++)
            if (votes[f] > votes[best]) best = f;
        if (votes[best] && ptx_type_info(function->registers[r].type)->bits >= 16 &&
            ptx_type_info(function->registers[r].type)->bits % fpsan_format_info(form_candidates[best])->bits == 0)
            p->plan->registers[r].form = form_candidates[best];
    }
}

// ---- memory

static bool place_in_frame(Planner *p, uint64_t bytes, uint64_t alignment, uint32_t *offset) {
    const uint64_t at = (p->plan->frame_bytes + alignment - 1) / alignment * alignment;
    if (at + bytes > FRAME_MAX)
        return diag_fail(p->diagnostics, p->function->at, E_LIMIT,
                         "function %s needs more than %d bytes for its registers and parameters", p->function->name,
                         FRAME_MAX);
    *offset = (uint32_t)at;
    p->plan->frame_bytes = (uint32_t)(at + bytes);
    return true;
}

static uint64_t frame_bytes(const Planner *p, uint32_t index) {
    const unsigned bits = ptx_type_info(p->function->registers[index].type)->bits;
    return bits == 1 ? 4 : (uint64_t)bits / 8 * WARP_LANES;
}

static uint64_t frame_alignment(uint64_t bytes) {
    return bytes < VECTOR_ALIGNMENT ? bytes : VECTOR_ALIGNMENT;
}

// Places in the frame that registers of one block had and that are free again, by size: 4 << k bytes.
enum { SIZES = 12 };
typedef struct FreePlaces {
    uint32_t *offsets[SIZES];
    size_t count[SIZES], capacity[SIZES];
} FreePlaces;

static unsigned size_class(uint64_t bytes) {
    return (unsigned)__builtin_ctzll(bytes) - 2;
}

static bool take_place(Planner *p, FreePlaces *places, uint32_t index) {
    const uint64_t bytes = frame_bytes(p, index);
    const unsigned size = size_class(bytes);
    uint32_t *offset = &p->plan->registers[index].offset;
    if (!places->count[size]) return place_in_frame(p, bytes, frame_alignment(bytes), offset);
    *offset = places->offsets[size][--places->count[size]];
    return true;
}

static void give_place(Planner *p, FreePlaces *places, uint32_t index) {
    const unsigned size = size_class(frame_bytes(p, index));
    places->offsets[size] =
        arena_grow(p->arena, places->offsets[size], places->count[size], &places->capacity[size], sizeof(uint32_t));
    places->offsets[size][places->count[size]++] = p->plan->registers[index].offset;
}

// Registers by the number of an instruction: lists.
typedef struct ByInstruction {
    uint32_t *head, *next; // 1 + a register; 0: the end
} ByInstruction;

static ByInstruction sort_registers(Planner *p, const uint32_t *key) {
    ByInstruction lists = {arena_array(p->arena, uint32_t, p->function->instruction_count + 1u),
                           arena_array(p->arena, uint32_t, p->function->register_count + 1u)};
    for (uint32_t i = 0; i < p->function->register_count; i++) {
        if (!p->plan->registers[i].local || !p->seen_in[i]) continue;
        lists.next[i] = lists.head[key[i]];
        lists.head[key[i]] = i + 1;
    }
    return lists;
}

// Local registers have their place from their first use to the last one.
static bool place_local_registers(Planner *p) {
    FreePlaces places = {0};
    const ByInstruction first = sort_registers(p, p->first), last = sort_registers(p, p->last);
    for (uint32_t i = 0; i < p->function->instruction_count; i++) {
        for (uint32_t r = first.head[i]; r; r = first.next[r - 1])
            if (!take_place(p, &places, r - 1)) return false;
        for (uint32_t r = last.head[i]; r; r = last.next[r - 1]) give_place(p, &places, r - 1);
    }
    return true;
}

static bool place_registers(Planner *p) {
    for (uint32_t i = 0; i < p->function->register_count; i++) {
        LaneRegister *own = &p->plan->registers[i];
        if (!p->seen_in[i]) continue;
        if (own->local) continue;
        const uint64_t bytes = frame_bytes(p, i);
        if (!place_in_frame(p, bytes, frame_alignment(bytes), &own->offset)) return false;
    }
    return place_local_registers(p);
}

static bool place_variables(Planner *p) {
    LanePlan *plan = p->plan;
    for (uint32_t i = 0; i < p->function->variable_count; i++) {
        const PtxVariable *variable = &p->function->variables[i];
        plan->parameter_offsets[i] = plan->local_offsets[i] = NOWHERE;
        const bool kernels = p->function->entry && i < p->function->parameter_count;
        if ((variable->space == PTX_PARAMETER && !kernels) || variable->space == PTX_REGISTERS) {
            if (!place_in_frame(p, variable->size * WARP_LANES, VECTOR_ALIGNMENT, &plan->parameter_offsets[i]))
                return false;
        } else if (variable->space == PTX_LOCAL) {
            const uint64_t alignment = variable->alignment ? variable->alignment : 1;
            const uint64_t at = (plan->local_bytes + alignment - 1) / alignment * alignment;
            if (at + variable->size > WARP_LOCAL_MAX)
                return diag_fail(p->diagnostics, variable->at, E_LIMIT,
                                 "function %s has more than %d bytes of local memory", p->function->name,
                                 WARP_LOCAL_MAX);
            plan->local_offsets[i] = (uint32_t)at;
            plan->local_bytes = (uint32_t)(at + variable->size);
        }
    }
    enum { LOCAL_ALIGNMENT = 128 };
    plan->local_bytes = (plan->local_bytes + LOCAL_ALIGNMENT - 1) / LOCAL_ALIGNMENT * LOCAL_ALIGNMENT;
    return true;
}

bool lane_plan(LaneCode *code, Arena *arena) {
    const PtxFunction *function = code->function;
    LanePlan *plan = &code->plan;
    const uint32_t registers = function->register_count + 1, variables = function->variable_count + 1;
    *plan = (LanePlan){.registers = arena_array(arena, LaneRegister, registers),
                       .parameter_offsets = arena_array(arena, uint32_t, variables),
                       .local_offsets = arena_array(arena, uint32_t, variables),
                       .read = lane_find_read(function, arena),
                       .frame_bytes = LANE_FRAME_FIXED};
    Planner p = {.diagnostics = code->cx.diagnostics,
                 .arena = arena,
                 .function = function,
                 .plan = plan,
                 .block_of = arena_array(arena, uint32_t, function->instruction_count + 1),
                 .seen_in = arena_array(arena, uint32_t, registers),
                 .first = arena_array(arena, uint32_t, registers),
                 .last = arena_array(arena, uint32_t, registers),
                 .writes = arena_array(arena, uint8_t, registers),
                 .uses = arena_array(arena, uint32_t, (size_t)registers * FORM_CANDIDATES)};
    for (uint32_t i = 0; i < function->register_count; i++) plan->registers[i].form = FPSAN_FORMAT_COUNT;
    cut_blocks(&p);
    find_local_registers(&p);
    find_writers(&p);
    lane_find_unwritten(code);
    forget_writers(&p);
    use_exponentials(&p, code);
    if (lane_in_place(code)) choose_forms(&p);
    return place_registers(&p) && place_variables(&p);
}
