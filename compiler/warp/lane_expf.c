// SPDX-License-Identifier: Apache-2.0
// The exponential function as CUDA's compilers write it out, found again on the list of instructions. In payload
// arithmetic its bit tricks have no law, so the whole is taken for exp(x):
//
//   m = fma.rm(cvt.sat(fma(x, A, 1/2)), 252, 12582913)      2^23 * 1.5 + 1 + x log2(e), rounded
//   t = fma(x, C, fma(x, B, -(m - 12583039)))                x log2(e) less that integer
//   ex2.approx(t) * (bits(m) << 23)
//
// A, B and C are literals: log2(e) / 252, log2(e), and what that lacks. exp(-x) has all three negated.
#include "compiler/warp/lane_floats.h"

enum { WRITERS_MAX = 24 }; // through how many moves a value is followed
enum {
    LITERAL_A = 0x3bbb989d,
    LITERAL_B = 0x3fb8aa3b,
    LITERAL_C = 0x32a57060,
    LITERAL_HALF = 0x3f000000,
    LITERAL_SIGN = (int)0x80000000,
    LITERAL_252 = 0x437c0000,
    LITERAL_MAGIC = 0x4b400001,
    LITERAL_UNDO = (int)0xcb40007f,
};

typedef struct Match {
    LaneCode *code;
    const PtxOperand *x;
    uint32_t first; // the lowest number of an instruction that reads x
    uint32_t sign;  // of the literals; undecided: 1
} Match;

// The instruction that alone makes the operand's value, behind moves between registers; NULL: there is none.
static const PtxInstruction *writer_of(const Match *match, const PtxOperand *operand) {
    for (unsigned i = 0; i < WRITERS_MAX && operand->kind == PTX_REGISTER; i++) {
        const uint32_t writer = match->code->plan.registers[operand->index].writer;
        if (!writer) return NULL;
        const PtxInstruction *instruction = &match->code->function->instructions[writer - 1];
        if (instruction->op != PTX_OP_mov) return instruction;
        operand = &instruction->operands[1];
    }
    return NULL;
}

static bool is_literal(const Match *match, const PtxOperand *operand, uint32_t bits) {
    uint64_t value;
    return lane_literal(match->code, operand, PTX_f32, &value) && value == bits;
}

static bool is_instruction(const PtxInstruction *instruction, PtxOp op, PtxType type) {
    return instruction && instruction->op == op && instruction->types[0] == type;
}

// Whether one of two operands is the literal: then the other one.
static const PtxOperand *other_than(const Match *match, const PtxOperand *operands, uint32_t bits) {
    if (is_literal(match, &operands[1], bits)) return &operands[0];
    return is_literal(match, &operands[0], bits) ? &operands[1] : NULL;
}

// fma(x, literal, c), the same x and sign in all of them: c.
static const PtxOperand *match_scaled(Match *match, const PtxInstruction *fma, uint32_t literal) {
    if (!is_instruction(fma, PTX_OP_fma, PTX_f32)) return NULL;
    for (unsigned negative = 0; negative < 2; negative++) {
        const uint32_t sign = negative ? (uint32_t)LITERAL_SIGN : 0;
        const PtxOperand *x = other_than(match, &fma->operands[1], literal | sign);
        if (!x || x->kind != PTX_REGISTER) continue;
        if (match->x && (x->index != match->x->index || sign != match->sign)) return NULL;
        const uint32_t number = (uint32_t)(fma - match->code->function->instructions);
        if (!match->x || number < match->first) match->first = number;
        match->x = x;
        match->sign = sign;
        return &fma->operands[3];
    }
    return NULL;
}

// m = fma.rm(cvt.sat(fma(x, A, 1/2)), 252, magic)
static bool match_integer(Match *match, const PtxInstruction *m) {
    if (!is_instruction(m, PTX_OP_fma, PTX_f32) || !is_literal(match, &m->operands[3], LITERAL_MAGIC)) return false;
    const PtxOperand *part = other_than(match, &m->operands[1], LITERAL_252);
    const PtxInstruction *saturated = part ? writer_of(match, part) : NULL;
    if (!is_instruction(saturated, PTX_OP_cvt_float, PTX_f32) || !ptx_has(saturated, PTX_WORD_sat)) return false;
    const PtxInstruction *scaled = writer_of(match, &saturated->operands[1]);
    const PtxOperand *half = scaled ? match_scaled(match, scaled, LITERAL_A) : NULL;
    return half && is_literal(match, half, LITERAL_HALF);
}

// t of ex2, given m.
static bool match_fraction(Match *match, const PtxInstruction *outer, const PtxInstruction *m) {
    const PtxOperand *part = outer ? match_scaled(match, outer, LITERAL_C) : NULL;
    const PtxInstruction *inner = part ? writer_of(match, part) : NULL;
    part = inner ? match_scaled(match, inner, LITERAL_B) : NULL;
    const PtxInstruction *negated = part ? writer_of(match, part) : NULL;
    if (!is_instruction(negated, PTX_OP_neg_float, PTX_f32)) return false;
    const PtxInstruction *undone = writer_of(match, &negated->operands[1]);
    if (!is_instruction(undone, PTX_OP_add_float, PTX_f32)) return false;
    const PtxOperand *integer = other_than(match, &undone->operands[1], (uint32_t)LITERAL_UNDO);
    return integer && writer_of(match, integer) == m;
}

static bool names_register(const PtxOperand *operand, uint32_t index) {
    if (operand->kind == PTX_REGISTER) return operand->index == index;
    for (uint32_t i = 0; i < operand->count; i++)
        if (names_register(&operand->items[i], index)) return true;
    return false;
}

// Whether x is at the product what it was at the first instruction.
static bool x_is_kept(const Match *match, const PtxInstruction *product) {
    const PtxFunction *function = match->code->function;
    const uint32_t end = (uint32_t)(product - function->instructions);
    if (match->code->plan.registers[match->x->index].writer) return true;
    for (uint32_t i = 0; i < function->label_count; i++)
        if (function->labels[i].instruction > match->first && function->labels[i].instruction <= end) return false;
    for (uint32_t i = match->first; i < end; i++)
        if (function->instructions[i].operand_count &&
            names_register(&function->instructions[i].operands[0], match->x->index))
            return false;
    return match->first < end;
}

static bool match_product(Match *match, const PtxInstruction *power, const PtxInstruction *shifted) {
    if (!is_instruction(power, PTX_OP_ex2, PTX_f32) || !is_instruction(shifted, PTX_OP_shl, PTX_b32)) return false;
    if (shifted->operands[2].kind != PTX_INTEGER || shifted->operands[2].bits != 23) return false;
    const PtxInstruction *m = writer_of(match, &shifted->operands[1]);
    return m && match_integer(match, m) && match_fraction(match, writer_of(match, &power->operands[1]), m);
}

bool lane_find_exponential(LaneCode *code, const PtxInstruction *product, const PtxOperand **x, bool *negated) {
    const PtxInstruction *factors[2];
    Match match = {.code = code};
    for (unsigned i = 0; i < 2; i++) factors[i] = writer_of(&match, &product->operands[1 + i]);
    for (unsigned i = 0; i < 2; i++) {
        match = (Match){.code = code};
        if (!match_product(&match, factors[i], factors[1 - i])) continue;
        *x = match.x;
        *negated = match.sign != 0;
        return x_is_kept(&match, product);
    }
    return false;
}
