// SPDX-License-Identifier: Apache-2.0
// Loads that an atom.cas checks afterwards:
//
//     old = *p; do { seen = old; old = atomicCAS(p, seen, f(seen)); } while (old != seen);
//
// An ordinary load that reads what others change with atomics races with them. But here it does no harm: whatever it
// reads, the atomic only stores what was made of it if memory still has it. CUDA's guide and libraries write it like
// this, so such a load counts as a relaxed one. It is found by the way that its value takes to the atomic, and by their
// addresses; the atomic may be in a function that gets both. Where the value goes besides is not looked at.
#include "compiler/warp/lanes.h"

enum {
    WRITERS_MAX = 16, // of a register, that are followed
    STEPS_MAX = 64,   // registers on the ways to one atomic, and loads there
    MOVES_MAX = 8,    // instructions that compute an address
    CALLS_MAX = 4,    // functions that call each other before one has the atomic
};

typedef struct Validation {
    const PtxFunction *function;
    const LaneCheck *checks; // of the module's functions
    LaneWriters writers;
    uint32_t *stores; // of variables: 1 + the number of the last store to it; 0: none
} Validation;

// What an atom.cas, or a call of a function with one, compares memory with.
typedef struct Compared {
    const PtxOperand *address, *value;
    uint64_t offset; // from the address on
    unsigned bits;
    uint32_t at; // the instruction
} Compared;

// ---- addresses

typedef struct Place {
    const PtxOperand *base; // what an offset is added to
    uint64_t offset;
} Place;

static const PtxInstruction *only_writer(const Validation *v, const PtxOperand *operand) {
    if (operand->kind != PTX_REGISTER) return NULL;
    const uint32_t *begin = &v->writers.begin[operand->index];
    if (begin[1] - begin[0] != 1) return NULL;
    const PtxInstruction *writer = &v->function->instructions[v->writers.instructions[*begin]];
    return writer->guard.kind == PTX_NONE ? writer : NULL;
}

// Behind moves, conversions between spaces, and sums with literals.
static Place find_place(const Validation *v, const PtxOperand *operand, uint64_t offset) {
    Place place = {operand, offset};
    if (operand->kind == PTX_ADDRESS) place = (Place){&operand->items[0], offset + (uint64_t)operand->offset};
    for (unsigned i = 0; i < MOVES_MAX; i++) {
        const PtxInstruction *writer = only_writer(v, place.base);
        if (!writer) break;
        uint64_t bits = 0;
        if (writer->op == PTX_OP_add_integer) {
            if (!lane_literal_bits(&writer->operands[2], PTX_u64, &bits)) break;
        } else if (writer->op != PTX_OP_mov && writer->op != PTX_OP_cvta) {
            break;
        }
        place = (Place){&writer->operands[1], place.offset + bits};
    }
    place.offset += (uint64_t)place.base->offset;
    return place;
}

// Whether an instruction between the two writes the register. (The text's order stands for that of a run.)
static bool changes_between(const Validation *v, uint32_t index, uint32_t begin, uint32_t end) {
    return lane_writers_before(&v->writers, index, end) > lane_writers_before(&v->writers, index, begin + 1);
}

static bool same_place(const Validation *v, uint32_t load, const Compared *compared) {
    const Place a = find_place(v, &v->function->instructions[load].operands[1], 0);
    const Place b = find_place(v, compared->address, compared->offset);
    if (a.base->kind != b.base->kind || a.offset != b.offset) return false;
    switch (a.base->kind) {
    case PTX_REGISTER: return a.base->index == b.base->index && !changes_between(v, a.base->index, load, compared->at);
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

static unsigned bits_of(const PtxInstruction *instruction) {
    return ptx_type_info((PtxType)instruction->types[instruction->type_count - 1])->bits;
}

// A weak load of one element.
static bool is_plain_load(const PtxInstruction *load) {
    const PtxWord order = ptx_find(load, PTX_SET_order);
    return load->op == PTX_OP_ld && (order == PTX_WORD_NONE || order == PTX_WORD_weak) &&
           ptx_find(load, PTX_SET_vector) == PTX_WORD_NONE && !ptx_has(load, PTX_WORD_nc);
}

// Plain loads of as many bits whose value may be what is compared, by moves alone; STEPS_MAX of them at most.
static uint32_t find_loads(const Validation *v, const Compared *compared, uint32_t *loads) {
    const PtxInstruction *instructions = v->function->instructions;
    Walk walk = {.count = 0};
    uint32_t count = 0;
    add_registers(&walk, compared->value);
    for (uint32_t i = 0; i < walk.count; i++) {
        const uint32_t *begin = &v->writers.begin[walk.registers[i]];
        for (uint32_t w = begin[0]; w < begin[1] && w < begin[0] + WRITERS_MAX; w++) {
            const uint32_t writer = v->writers.instructions[w];
            if (instructions[writer].op == PTX_OP_mov) add_registers(&walk, &instructions[writer].operands[1]);
            if (is_plain_load(&instructions[writer]) && bits_of(&instructions[writer]) == compared->bits &&
                count < STEPS_MAX)
                loads[count++] = writer;
        }
    }
    return count;
}

// ---- what is compared

static Validation open_validation(const PtxFunction *function, const LaneCheck *checks, Arena *arena) {
    Validation v = {.function = function,
                    .checks = checks,
                    .writers = lane_find_writers(function, arena),
                    .stores = arena_array(arena, uint32_t, function->variable_count + 1u)};
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const PtxInstruction *store = &function->instructions[i];
        const PtxOperand *base = store->op == PTX_OP_st ? &store->operands[0].items[0] : NULL;
        if (base && base->kind == PTX_VARIABLE && !base->global) v.stores[base->index] = i + 1;
    }
    return v;
}

// What a call hands over as that parameter; NULL: it is not known.
static const PtxOperand *argument_of(const Validation *v, const PtxOperand *list, uint32_t number) {
    if (number >= list->count) return NULL;
    const PtxOperand *argument = &list->items[number];
    if (argument->kind != PTX_VARIABLE) return argument;
    if (argument->global || !v->stores[argument->index]) return NULL;
    return &v->function->instructions[v->stores[argument->index] - 1].operands[1];
}

// The check that the called function makes, and the list of parameters.
static const LaneCheck *find_check(const Validation *v, const PtxInstruction *call, const PtxOperand **parameters) {
    const LaneCheck *check = NULL;
    *parameters = NULL;
    for (uint32_t i = 0; i < call->operand_count; i++) {
        if (call->operands[i].kind == PTX_FUNCTION) check = &v->checks[call->operands[i].index];
        if (call->operands[i].kind == PTX_LIST && check && !*parameters) *parameters = &call->operands[i];
    }
    return *parameters && check->bits ? check : NULL;
}

static bool find_compared(const Validation *v, uint32_t at, Compared *compared) {
    const PtxInstruction *instruction = &v->function->instructions[at];
    const PtxOperand *operands = instruction->operands, *parameters;
    if (instruction->op == PTX_OP_atom_cas) {
        *compared = (Compared){&operands[1], &operands[2], 0, bits_of(instruction), at};
        return true;
    }
    const LaneCheck *check = instruction->op == PTX_OP_call ? find_check(v, instruction, &parameters) : NULL;
    if (!check) return false;
    *compared = (Compared){argument_of(v, parameters, check->address), argument_of(v, parameters, check->value),
                           check->offset, check->bits, at};
    return compared->address && compared->value;
}

// ---- functions

// Whether the load reads a whole parameter: which one.
static bool reads_parameter(const Validation *v, const PtxInstruction *load, uint32_t *number) {
    const PtxOperand *base = &load->operands[1].items[0];
    *number = base->index;
    return base->kind == PTX_VARIABLE && !base->global && base->index < v->function->parameter_count &&
           !load->operands[1].offset && !base->offset;
}

static LaneCheck check_of(const Validation *v, const Compared *compared) {
    const Place place = find_place(v, compared->address, compared->offset);
    const PtxInstruction *writer = only_writer(v, place.base);
    uint32_t loads[STEPS_MAX];
    LaneCheck check = {.offset = place.offset};
    if (!writer || writer->op != PTX_OP_ld || !reads_parameter(v, writer, &check.address)) return check;
    for (uint32_t i = find_loads(v, compared, loads); i && !check.bits; i--)
        if (reads_parameter(v, &v->function->instructions[loads[i - 1]], &check.value)) check.bits = compared->bits;
    return check;
}

// The first check of a value that the function gets with its address.
static LaneCheck find_own_check(const PtxFunction *function, const LaneCheck *checks, Arena *arena) {
    LaneCheck check = {0};
    if (function->entry || !function->has_body || !function->parameter_count) return check;
    const Validation v = open_validation(function, checks, arena);
    Compared compared;
    for (uint32_t i = 0; i < function->instruction_count && !check.bits; i++)
        if (find_compared(&v, i, &compared)) check = check_of(&v, &compared);
    return check;
}

static bool has_atomic(const PtxModule *module) {
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f].instruction_count; i++)
            if (module->functions[f].instructions[i].op == PTX_OP_atom_cas) return true;
    return false;
}

LaneCheck *lane_find_checks(const PtxModule *module, Arena *arena) {
    if (!has_atomic(module)) return NULL;
    LaneCheck *checks = arena_array(arena, LaneCheck, module->function_count + 1u);
    bool changed = true;
    for (unsigned pass = 0; pass < CALLS_MAX && changed; pass++) {
        changed = false;
        for (uint32_t f = 0; f < module->function_count; f++) {
            Arena scratch = {0};
            if (checks[f].bits) continue;
            checks[f] = find_own_check(&module->functions[f], checks, &scratch);
            changed |= checks[f].bits != 0;
            arena_reset(&scratch);
        }
    }
    return checks;
}

const bool *lane_find_validated(const PtxFunction *function, const LaneCheck *checks, Arena *arena) {
    if (!checks) return NULL;
    const Validation v = open_validation(function, checks, arena);
    bool *validated = arena_array(arena, bool, function->instruction_count + 1u);
    uint32_t loads[STEPS_MAX];
    Compared compared;
    for (uint32_t at = 0; at < function->instruction_count; at++) {
        if (!find_compared(&v, at, &compared)) continue;
        for (uint32_t i = find_loads(&v, &compared, loads); i; i--)
            if (same_place(&v, loads[i - 1], &compared)) validated[loads[i - 1]] = true;
    }
    return validated;
}

bool lane_is_validated(const LaneCode *code, const PtxInstruction *load) {
    return code->validated && code->validated[load - code->function->instructions];
}
