// SPDX-License-Identifier: Apache-2.0
// Loads that an atom.cas checks afterwards:
//
//     old = *p; do { seen = old; old = atomicCAS(p, seen, f(seen)); } while (old != seen);
//
// An ordinary load that reads what others change with atomics races with them. But here it does no harm: whatever it
// reads, the atomic only stores what was made of it if memory still has it. CUDA's guide and libraries write it like
// this, so such a load counts as a relaxed one. It is found by the way that its value takes to the atomic, and by their
// addresses. Where the value goes besides is not looked at.
#include "compiler/warp/lanes.h"

enum {
    WRITERS_MAX = 16, // of a register, that are followed
    STEPS_MAX = 64,   // registers on the ways to one atomic
    MOVES_MAX = 8,    // instructions that compute an address
};

typedef struct Validation {
    const LaneCode *code;
    LaneWriters writers;
    bool *validated; // of instructions
} Validation;

// ---- addresses

typedef struct Place {
    const PtxOperand *base; // what an offset is added to
    uint64_t offset;
} Place;

static const PtxInstruction *only_writer(const LaneCode *code, const PtxOperand *operand) {
    if (operand->kind != PTX_REGISTER) return NULL;
    const uint32_t writer = code->plan.registers[operand->index].writer;
    return writer ? &code->function->instructions[writer - 1] : NULL;
}

// Behind moves, conversions between spaces, and sums with literals.
static Place find_place(const LaneCode *code, const PtxOperand *address) {
    Place place = {&address->items[0], (uint64_t)address->offset};
    for (unsigned i = 0; i < MOVES_MAX; i++) {
        const PtxInstruction *writer = only_writer(code, place.base);
        if (!writer) break;
        uint64_t bits = 0;
        if (writer->op == PTX_OP_add_integer) {
            if (!lane_literal_bits(&writer->operands[2], PTX_u64, &bits)) break;
        } else if (writer->op != PTX_OP_mov && writer->op != PTX_OP_cvta) {
            break;
        }
        place = (Place){&writer->operands[1], place.offset + bits};
    }
    return place;
}

// Whether an instruction between the two writes the register. (The text's order stands for that of a run.)
static bool changes_between(const Validation *v, uint32_t index, uint32_t begin, uint32_t end) {
    return lane_writers_before(&v->writers, index, end) > lane_writers_before(&v->writers, index, begin + 1);
}

static bool same_place(const Validation *v, uint32_t load, uint32_t atomic) {
    const PtxInstruction *instructions = v->code->function->instructions;
    const Place a = find_place(v->code, &instructions[load].operands[1]);
    const Place b = find_place(v->code, &instructions[atomic].operands[1]);
    if (a.base->kind != b.base->kind || a.offset + (uint64_t)a.base->offset != b.offset + (uint64_t)b.base->offset)
        return false;
    switch (a.base->kind) {
    case PTX_REGISTER: return a.base->index == b.base->index && !changes_between(v, a.base->index, load, atomic);
    case PTX_VARIABLE: return a.base->index == b.base->index && a.base->global == b.base->global;
    case PTX_INTEGER: return a.base->bits == b.base->bits;
    default: return false;
    }
}

// ---- values

typedef struct Walk {
    uint32_t registers[STEPS_MAX], count;
} Walk;

static void add_registers(Walk *walk, const PtxOperand *operand) {
    for (uint32_t i = 0; operand->kind == PTX_LIST && i < operand->count; i++) add_registers(walk, &operand->items[i]);
    if (operand->kind != PTX_REGISTER || walk->count == STEPS_MAX) return;
    for (uint32_t i = 0; i < walk->count; i++)
        if (walk->registers[i] == operand->index) return;
    walk->registers[walk->count++] = operand->index;
}

// A weak load of one element.
static bool is_plain_load(const PtxInstruction *load) {
    const PtxWord order = ptx_find(load, PTX_SET_order);
    return load->op == PTX_OP_ld && (order == PTX_WORD_NONE || order == PTX_WORD_weak) &&
           ptx_find(load, PTX_SET_vector) == PTX_WORD_NONE && !ptx_has(load, PTX_WORD_nc);
}

static unsigned bits_of(const PtxInstruction *instruction) {
    return ptx_type_info((PtxType)instruction->types[instruction->type_count - 1])->bits;
}

static void validate_load(Validation *v, uint32_t load, uint32_t atomic) {
    const PtxInstruction *instructions = v->code->function->instructions;
    if (is_plain_load(&instructions[load]) && bits_of(&instructions[load]) == bits_of(&instructions[atomic]) &&
        same_place(v, load, atomic))
        v->validated[load] = true;
}

// All loads whose value may be what the atomic compares with, by moves alone.
static void validate(Validation *v, uint32_t atomic) {
    const PtxInstruction *instructions = v->code->function->instructions;
    Walk walk = {.count = 0};
    add_registers(&walk, &instructions[atomic].operands[2]);
    for (uint32_t i = 0; i < walk.count; i++) {
        const uint32_t *begin = &v->writers.begin[walk.registers[i]];
        for (uint32_t w = begin[0]; w < begin[1] && w < begin[0] + WRITERS_MAX; w++) {
            const uint32_t writer = v->writers.instructions[w];
            if (instructions[writer].op == PTX_OP_mov) add_registers(&walk, &instructions[writer].operands[1]);
            validate_load(v, writer, atomic);
        }
    }
}

const bool *lane_find_validated(const LaneCode *code, Arena *arena) {
    const PtxFunction *function = code->function;
    const uint32_t count = function->instruction_count;
    uint32_t atomics = 0;
    for (uint32_t i = 0; i < count; i++) atomics += function->instructions[i].op == PTX_OP_atom_cas;
    if (!atomics) return NULL;
    Validation v = {
        .code = code, .writers = lane_find_writers(function, arena), .validated = arena_array(arena, bool, count)};
    for (uint32_t i = 0; i < count; i++)
        if (function->instructions[i].op == PTX_OP_atom_cas) validate(&v, i);
    return v.validated;
}
