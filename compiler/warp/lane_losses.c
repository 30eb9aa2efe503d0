// SPDX-License-Identifier: Apache-2.0
// What PTX may have lost of its source, in a way that payloads show (base/losses.def): found by the shape of the code,
// never by names. And which instructions may depend on it: what such an instruction computes is followed through
// registers and, as one piece, through memory of the block.
#include "compiler/warp/lane_floats.h"

enum { DEPTH_MAX = 8 }; // through how many instructions bits are followed
enum { LITERAL_LOG2E = 0x3fb8aa3b, LITERAL_LESS_LOG2E = (int)0xbfb8aa3b };

typedef struct Losses {
    LaneCode *code;
    LaneWriters writers;
    uint32_t *block_of; // of each instruction
    uint32_t *made;     // of each instruction: kinds of losses that it is
    bool *excused;      // it is part of a function that is recognised
    uint32_t *carried;  // of each register: kinds that its value may depend on
    uint32_t in_memory; // .. that shared, local and tensor memory may
} Losses;

static uint32_t number_of(const Losses *l, const PtxInstruction *instruction) {
    return (uint32_t)(instruction - l->code->function->instructions);
}

// The instruction that wrote the register as `reader` reads it: the only one that does, or the last one before the
// reader in its block. NULL: that is not known.
static const PtxInstruction *writer_of(const Losses *l, const PtxInstruction *reader, const PtxOperand *operand) {
    if (operand->kind != PTX_REGISTER) return NULL;
    const PtxInstruction *instructions = l->code->function->instructions;
    const uint32_t only = l->code->plan.registers[operand->index].writer, at = number_of(l, reader);
    if (only) return &instructions[only - 1];
    const uint32_t behind = lane_writers_before(&l->writers, operand->index, at);
    if (behind == l->writers.begin[operand->index]) return NULL;
    const uint32_t last = l->writers.instructions[behind - 1];
    return l->block_of[last] == l->block_of[at] && instructions[last].guard.kind == PTX_NONE ? &instructions[last]
                                                                                             : NULL;
}

static const PtxInstruction *writer_behind_moves(const Losses *l, const PtxInstruction *reader,
                                                 const PtxOperand *operand) {
    const PtxInstruction *writer = writer_of(l, reader, operand);
    for (unsigned i = 0; writer && writer->op == PTX_OP_mov && i < DEPTH_MAX; i++)
        writer = writer_of(l, writer, &writer->operands[1]);
    return writer;
}

static bool is_float(const PtxInstruction *instruction, uint32_t operand) {
    return lane_operand_form(instruction, operand) != FPSAN_FORMAT_COUNT;
}

static bool computes_float(const PtxInstruction *instruction) {
    return instruction && ptx_op_info(instruction->op)->class == PTX_CLASS_FLOAT && is_float(instruction, 0) &&
           instruction->op != PTX_OP_cvt_from_integer && instruction->op != PTX_OP_neg_float &&
           instruction->op != PTX_OP_abs_float;
}

static bool same_value(const PtxOperand *a, const PtxOperand *b) {
    if (a->kind != b->kind) return false;
    return a->kind == PTX_REGISTER ? a->index == b->index : a->bits == b->bits;
}

// ---- x + x, x * 2^-k, constants -------------------------------------------------------------------------------------

// fma(x, c, x * c)
static bool adds_own_product(const Losses *l, const PtxInstruction *fma) {
    const PtxInstruction *product = writer_behind_moves(l, fma, &fma->operands[3]);
    if (!product || product->op != PTX_OP_mul_float) return false;
    const PtxOperand *a = &fma->operands[1], *b = &product->operands[1];
    return (same_value(&a[0], &b[0]) && same_value(&a[1], &b[1])) ||
           (same_value(&a[0], &b[1]) && same_value(&a[1], &b[0]));
}

static bool is_negative_power(uint64_t bits, PtxType type) {
    const PtxTypeInfo *info = ptx_type_info(type);
    const unsigned mantissa = type == PTX_f32 ? 23 : type == PTX_f64 ? 52 : 0;
    if (!mantissa) return false;
    const uint64_t exponent = bits << 1 >> 1 >> mantissa & ((UINT64_C(1) << (info->bits - 1 - mantissa)) - 1);
    return !(bits & ((UINT64_C(1) << mantissa) - 1)) && exponent && exponent < (type == PTX_f32 ? 127 : 1023);
}

static bool find_factor(const Losses *l, const PtxInstruction *product, uint64_t *bits) {
    for (unsigned i = 1; i <= 2; i++)
        if (lane_literal(l->code, &product->operands[i], (PtxType)product->types[0], bits)) return true;
    return false;
}

// ex2(x * c), ex2(x * c + d)
static bool has_folded_factor(const Losses *l, const PtxInstruction *power) {
    const PtxInstruction *product = writer_behind_moves(l, power, &power->operands[1]);
    uint64_t bits;
    if (!product || (product->op != PTX_OP_mul_float && product->op != PTX_OP_fma) || product->types[0] != PTX_f32)
        return false;
    return find_factor(l, product, &bits) && bits != LITERAL_LOG2E && bits != (uint32_t)LITERAL_LESS_LOG2E;
}

static bool is_widened(const Losses *l, const PtxInstruction *reader, const PtxOperand *operand) {
    const PtxInstruction *writer = writer_behind_moves(l, reader, operand);
    return writer && writer->op == PTX_OP_cvt_float &&
           ptx_type_info((PtxType)writer->types[0])->bits > ptx_type_info((PtxType)writer->types[1])->bits;
}

// ---- floats made of bits --------------------------------------------------------------------------------------------

static bool is_one_of(PtxOp op, const PtxOp *ops, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (ops[i] == op) return true;
    return false;
}

static const PtxOp arithmetic[] = {
    PTX_OP_add_integer, PTX_OP_add_carry, PTX_OP_addc, PTX_OP_sub_integer, PTX_OP_mul_integer, PTX_OP_mad_integer,
};
static const PtxOp shifts[] = {PTX_OP_shl, PTX_OP_shr, PTX_OP_shf};
static const PtxOp masks[] = {PTX_OP_and, PTX_OP_or, PTX_OP_xor, PTX_OP_lop3, PTX_OP_prmt};

// A literal that only chooses bytes, or signs: it packs floats, negates them or takes their magnitude.
static bool only_chooses(uint64_t literal, unsigned bits) {
    bool bytes = true;
    for (unsigned i = 0; i < bits; i += 8) bytes &= (literal >> i & 0xff) == 0 || (literal >> i & 0xff) == 0xff;
    const uint64_t all = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    const uint64_t signs = (bits == 32 ? UINT64_C(0x80000000) : bits == 64 ? UINT64_C(1) << 63 : 0x8000) & all;
    const uint64_t halves = UINT64_C(0x8000800080008000) & all;
    literal &= all;
    return bytes || literal == signs || literal == halves || literal == (all & ~signs) || literal == (all & ~halves);
}

// Whether the instruction changes bits of its operands otherwise than by moving whole bytes.
static bool changes_bits(const Losses *l, const PtxInstruction *instruction) {
    const PtxType type = (PtxType)instruction->types[0];
    uint64_t literal;
    if (is_one_of(instruction->op, arithmetic, BASE_COUNT(arithmetic))) return true;
    if (is_one_of(instruction->op, shifts, BASE_COUNT(shifts))) {
        const PtxOperand *amount = &instruction->operands[instruction->op == PTX_OP_shf ? 3 : 2];
        return !lane_literal(l->code, amount, PTX_u32, &literal) || literal % 8;
    }
    if (!is_one_of(instruction->op, masks, BASE_COUNT(masks))) return false;
    const unsigned last = instruction->op == PTX_OP_lop3 ? 4 : 3;
    for (unsigned i = 1; i < last; i++)
        if (lane_literal(l->code, &instruction->operands[i], type, &literal) &&
            !only_chooses(literal, ptx_type_info(type)->bits))
            return true;
    return false;
}

static bool moves_bits(const PtxInstruction *instruction) {
    return is_one_of(instruction->op, shifts, BASE_COUNT(shifts)) ||
           is_one_of(instruction->op, masks, BASE_COUNT(masks)) || instruction->op == PTX_OP_mov;
}

// Whether integer instructions made the value: the one that changes bits, else NULL.
static const PtxInstruction *find_maker(const Losses *l, const PtxInstruction *reader, const PtxOperand *operand,
                                        unsigned depth) {
    const PtxInstruction *maker = NULL;
    if (operand->kind == PTX_LIST)
        for (uint32_t i = 0; i < operand->count && !maker; i++)
            maker = find_maker(l, reader, &operand->items[i], depth);
    const PtxInstruction *writer = writer_of(l, reader, operand);
    if (maker || !writer || depth >= DEPTH_MAX || l->excused[number_of(l, writer)]) return maker;
    if (changes_bits(l, writer)) return writer;
    for (uint32_t i = 1; moves_bits(writer) && i < writer->operand_count && !maker; i++)
        maker = find_maker(l, writer, &writer->operands[i], depth + 1);
    return maker;
}

static bool takes_apart_float(const Losses *l, const PtxInstruction *instruction) {
    if (!changes_bits(l, instruction) || l->excused[number_of(l, instruction)]) return false;
    for (uint32_t i = 1; i < instruction->operand_count; i++)
        if (computes_float(writer_behind_moves(l, instruction, &instruction->operands[i]))) return true;
    return false;
}

// ---- each instruction -----------------------------------------------------------------------------------------------

static const PtxOp sums[] = {PTX_OP_atom_float,
                             PTX_OP_atom_vector,
                             PTX_OP_red_float,
                             PTX_OP_red_vector,
                             PTX_OP_red_async,
                             PTX_OP_cp_reduce_async_bulk_store,
                             PTX_OP_cp_reduce_async_bulk_tensor};

static bool adds_floats(const PtxInstruction *instruction) {
    if (!is_one_of(instruction->op, sums, BASE_COUNT(sums)) || !ptx_has(instruction, PTX_WORD_add)) return false;
    // The type of a tensor is in its map.
    if (instruction->op == PTX_OP_cp_reduce_async_bulk_tensor) return true;
    return instruction->type_count && ptx_type_info((PtxType)instruction->types[0])->kind == PTX_FLOAT;
}

static uint32_t kinds_of(const Losses *l, const PtxInstruction *instruction) {
    const PtxType type = (PtxType)instruction->types[0];
    uint64_t bits;
    uint32_t kinds = 0;
    switch (instruction->op) {
    case PTX_OP_add_float:
        if (instruction->operands[1].kind == PTX_REGISTER &&
            same_value(&instruction->operands[1], &instruction->operands[2]))
            kinds |= 1u << KERNEL_LOSS_doubled;
        break;
    case PTX_OP_fma:
        if (adds_own_product(l, instruction)) kinds |= 1u << KERNEL_LOSS_doubled;
        for (uint32_t i = 1; i <= 3; i++) {
            const PtxInstruction *writer = writer_behind_moves(l, instruction, &instruction->operands[i]);
            if (writer && writer->op == PTX_OP_set_float) kinds |= 1u << KERNEL_LOSS_correction;
        }
        break;
    case PTX_OP_mul_float:
        if (find_factor(l, instruction, &bits) && is_negative_power(bits, type)) kinds |= 1u << KERNEL_LOSS_divided;
        break;
    case PTX_OP_setp_float:
        if (is_widened(l, instruction, &instruction->operands[1]) ||
            is_widened(l, instruction, &instruction->operands[2]))
            kinds |= 1u << KERNEL_LOSS_compared;
        break;
    case PTX_OP_cvt_tf32: kinds |= 1u << KERNEL_LOSS_tf32; break;
    case PTX_OP_rsqrt: kinds |= 1u << KERNEL_LOSS_root; break;
    case PTX_OP_ex2:
        if (!l->excused[number_of(l, instruction)] && has_folded_factor(l, instruction))
            kinds |= 1u << KERNEL_LOSS_folded;
        break;
    default: break;
    }
    if (adds_floats(instruction)) kinds |= 1u << KERNEL_LOSS_sum;
    bool made = takes_apart_float(l, instruction);
    for (uint32_t i = 1; i < instruction->operand_count && !made; i++)
        made = is_float(instruction, i) && find_maker(l, instruction, &instruction->operands[i], 0);
    return kinds | (made ? 1u << KERNEL_LOSS_bits : 0);
}

// What is part of exp(x) as CUDA's compilers write it out (lane_expf.c) loses nothing.
static void excuse_exponentials(Losses *l) {
    const PtxFunction *function = l->code->function;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const PtxInstruction *product = &function->instructions[i];
        const PtxOperand *x;
        bool negated;
        if (product->op != PTX_OP_mul_float || !lane_find_exponential(l->code, product, &x, &negated)) continue;
        for (unsigned k = 1; k <= 2; k++) {
            const PtxInstruction *factor = writer_behind_moves(l, product, &product->operands[k]);
            if (factor) l->excused[number_of(l, factor)] = true;
        }
    }
}

// ---- what depends on them -------------------------------------------------------------------------------------------

static uint32_t carried_by(const Losses *l, const PtxOperand *operand) {
    if (operand->kind == PTX_REGISTER) return l->carried[operand->index];
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < operand->count; i++) kinds |= carried_by(l, &operand->items[i]);
    return kinds;
}

static bool carry_to(Losses *l, const PtxOperand *operand, uint32_t kinds) {
    bool changed = false;
    if (operand->kind == PTX_REGISTER) {
        changed = (l->carried[operand->index] | kinds) != l->carried[operand->index];
        l->carried[operand->index] |= kinds;
    }
    for (uint32_t i = 0; i < operand->count; i++) changed |= carry_to(l, &operand->items[i], kinds);
    return changed;
}

// Whether the instruction may read or write memory of the block.
static bool is_in_block(const PtxInstruction *instruction) {
    const PtxClass class = ptx_op_info(instruction->op)->class;
    const PtxSpace space = ptx_space(instruction, 0);
    if (class == PTX_CLASS_MEMORY || class == PTX_CLASS_ATOMIC) return space != PTX_GLOBAL && space != PTX_CONSTANT;
    return class == PTX_CLASS_MATRIX || class == PTX_CLASS_TENSOR || class == PTX_CLASS_ASYNC ||
           instruction->op == PTX_OP_call;
}

static bool carry(Losses *l, const PtxInstruction *instruction, uint32_t *depends) {
    const bool in_block = is_in_block(instruction);
    uint32_t kinds = *depends | l->made[number_of(l, instruction)];
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (!ptx_writes(instruction, i)) kinds |= carried_by(l, &instruction->operands[i]);
    if (in_block) kinds |= l->in_memory;
    bool changed = kinds != *depends;
    *depends = kinds;
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (ptx_writes(instruction, i)) changed |= carry_to(l, &instruction->operands[i], kinds);
    if (in_block) {
        changed |= (l->in_memory | kinds) != l->in_memory;
        l->in_memory |= kinds;
    }
    return changed;
}

static void keep_loss(LaneModule *module, const PtxInstruction *instruction, KernelLossKind kind) {
    module->losses =
        arena_grow(module->arena, module->losses, module->loss_count, &module->loss_capacity, sizeof *module->losses);
    module->losses[module->loss_count++] =
        (KernelLoss){.kind = kind,
                     .op = arena_keep(module->result, ptx_spelling(module->arena, instruction)),
                     .at = location_keep(module->result, ptx_location(module->ptx, instruction->place))};
}

void lane_find_losses(LaneCode *code) {
    LaneModule *module = code->module;
    const PtxFunction *function = code->function;
    const uint32_t count = function->instruction_count;
    Losses l = {.code = code,
                .writers = lane_find_writers(function, module->arena),
                .block_of = arena_array(module->arena, uint32_t, count + 1u),
                .made = arena_array(module->arena, uint32_t, count + 1u),
                .excused = arena_array(module->arena, bool, count + 1u),
                .carried = arena_array(module->arena, uint32_t, function->register_count + 1u)};
    uint32_t *depends = arena_array(module->arena, uint32_t, count + 1u), all = 0;
    for (uint32_t b = 0; b < code->plan.block_count; b++)
        for (uint32_t i = 0; i < code->plan.blocks[b].count; i++) l.block_of[code->plan.blocks[b].first + i] = b;
    excuse_exponentials(&l);
    for (uint32_t i = 0; i < count; i++) {
        l.made[i] = kinds_of(&l, &function->instructions[i]);
        all |= l.made[i];
        for (uint32_t kind = 0; kind < KERNEL_LOSS_KINDS; kind++)
            if (l.made[i] >> kind & 1) keep_loss(module, &function->instructions[i], (KernelLossKind)kind);
    }
    for (bool changed = all; changed;) {
        changed = false;
        for (uint32_t i = 0; i < count; i++) changed |= carry(&l, &function->instructions[i], &depends[i]);
    }
    code->dependences = depends;
}
