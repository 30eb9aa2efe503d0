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

// An instruction that writes a register.
typedef struct Writer {
    uint32_t instruction;
    uint32_t next; // of the same register: 1 + its number; 0: none
} Writer;

typedef struct Validation {
    const LaneCode *code;
    Arena *arena;
    Writer *writers;
    size_t writer_count, writer_capacity;
    uint32_t *first; // of registers: 1 + the number of the last writer in the text; 0: none
    bool *validated; // of instructions
} Validation;

static const Writer *next_writer(const Validation *v, uint32_t number) {
    return number ? &v->writers[number - 1] : NULL;
}

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
    unsigned count = 0;
    for (const Writer *w = next_writer(v, v->first[index]); w; w = next_writer(v, w->next))
        if (++count > WRITERS_MAX || (w->instruction > begin && w->instruction < end)) return true;
    return false;
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
        unsigned count = 0;
        const Writer *w = next_writer(v, v->first[walk.registers[i]]);
        for (; w && count < WRITERS_MAX; w = next_writer(v, w->next), count++) {
            if (instructions[w->instruction].op == PTX_OP_mov)
                add_registers(&walk, &instructions[w->instruction].operands[1]);
            validate_load(v, w->instruction, atomic);
        }
    }
}

static void note_writer(Validation *v, const PtxOperand *operand, uint32_t instruction) {
    for (uint32_t i = 0; operand->kind == PTX_LIST && i < operand->count; i++)
        note_writer(v, &operand->items[i], instruction);
    if (operand->kind != PTX_REGISTER) return;
    v->writers = arena_grow(v->arena, v->writers, v->writer_count, &v->writer_capacity, sizeof *v->writers);
    v->writers[v->writer_count++] = (Writer){instruction, v->first[operand->index]};
    v->first[operand->index] = (uint32_t)v->writer_count;
}

const bool *lane_find_validated(const LaneCode *code, Arena *arena) {
    const PtxFunction *function = code->function;
    const uint32_t count = function->instruction_count;
    uint32_t atomics = 0;
    for (uint32_t i = 0; i < count; i++) atomics += function->instructions[i].op == PTX_OP_atom_cas;
    if (!atomics) return NULL;
    Validation v = {.code = code,
                    .arena = arena,
                    .first = arena_array(arena, uint32_t, function->register_count + 1u),
                    .validated = arena_array(arena, bool, count)};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < function->instructions[i].operand_count; k++)
            if (ptx_writes(&function->instructions[i], k)) note_writer(&v, &function->instructions[i].operands[k], i);
    for (uint32_t i = 0; i < count; i++)
        if (function->instructions[i].op == PTX_OP_atom_cas) validate(&v, i);
    return v.validated;
}
