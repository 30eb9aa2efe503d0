// SPDX-License-Identifier: Apache-2.0
// Instructions on bits: logic, shifts, bit fields, counts, permutations of bytes.
#include "compiler/warp/lane_integer.h"

// ---- logic

static bool emit_logic(LaneCode *code, const PtxInstruction *instruction, LLVMOpcode op) {
    const PtxOperand *operands = instruction->operands;
    if (instruction->types[0] != PTX_pred) {
        const IntegerJob job = integer_job(code, instruction, 2);
        LLVMValueRef value = LLVMBuildBinOp(job.builder, op, job.a, job.b, "");
        lane_write(code, &operands[0], value, instruction->types[0]);
        return true;
    }
    LLVMValueRef a = lane_read_predicate(code, &operands[1]), b = lane_read_predicate(code, &operands[2]);
    lane_write_predicate(code, &operands[0], LLVMBuildBinOp(code->cx.builder, op, a, b, ""));
    return true;
}

bool lane_emit_and(LaneCode *code, const PtxInstruction *instruction) {
    return emit_logic(code, instruction, LLVMAnd);
}

bool lane_emit_or(LaneCode *code, const PtxInstruction *instruction) {
    return emit_logic(code, instruction, LLVMOr);
}

bool lane_emit_xor(LaneCode *code, const PtxInstruction *instruction) {
    return emit_logic(code, instruction, LLVMXor);
}

static LLVMValueRef compute_not(const IntegerJob *job) {
    return LLVMBuildNot(job->builder, job->a, "");
}

bool lane_emit_not(LaneCode *code, const PtxInstruction *instruction) {
    if (instruction->types[0] != PTX_pred) return integer_emit(code, instruction, 1, compute_not);
    LLVMValueRef value = lane_read_predicate(code, &instruction->operands[1]);
    lane_write_predicate(code, &instruction->operands[0], LLVMBuildNot(code->cx.builder, value, ""));
    return true;
}

static LLVMValueRef compute_cnot(const IntegerJob *job) {
    return integer_resize(job, LLVMBuildIsNull(job->builder, job->a, ""), job->bits, false);
}

bool lane_emit_cnot(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 1, compute_cnot);
}

// Bit 4 a + 2 b + c of the table says what bits a, b, c give: of the table's halves for a = 1 and a = 0 those for b, of
// these those for c.
static LLVMValueRef look_up(const IntegerJob *job, uint32_t table) {
    LLVMValueRef values[8], inputs[3] = {job->c, job->b, job->a};
    for (unsigned i = 0; i < 8; i++) values[i] = integer_constant(job, table >> i & 1 ? UINT64_MAX : 0);
    for (unsigned step = 0, count = 4; step < 3; step++, count /= 2) {
        for (unsigned i = 0; i < count; i++) {
            LLVMValueRef no = values[2 * i], yes = values[2 * i + 1];
            // no ^ (input & (no ^ yes))
            LLVMValueRef differ = LLVMBuildXor(job->builder, no, yes, "");
            values[i] = LLVMBuildXor(job->builder, no, LLVMBuildAnd(job->builder, inputs[step], differ, ""), "");
        }
    }
    return values[0];
}

bool lane_emit_lop3(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *operands = instruction->operands, *d = &operands[0];
    const IntegerJob job = integer_job(code, instruction, 3);
    LLVMValueRef value = look_up(&job, (uint32_t)operands[4].bits);
    const PtxWord operation = ptx_find(instruction, PTX_SET_operation);
    if (operation == PTX_WORD_NONE) {
        lane_write(code, d, value, PTX_b32);
        return true;
    }
    LLVMValueRef some = LLVMBuildIsNotNull(job.builder, value, ""), q = lane_read_predicate(code, &operands[5]);
    some = LLVMBuildBinOp(job.builder, operation == PTX_WORD_and ? LLVMAnd : LLVMOr, some, q, "");
    const bool pair = d->kind == PTX_PAIR;
    lane_write(code, pair ? &d->items[0] : d, value, PTX_b32);
    if (pair) lane_write_predicate(code, &d->items[1], some);
    return true;
}

// ---- shifts: counts are clamped at the width

// The count, an operand of 32 bits, as lanes of the job's width; what is larger than that stays larger.
static LLVMValueRef shift_count(const IntegerJob *job, uint32_t operand) {
    LLVMValueRef count = lane_read_type(job->code, &job->instruction->operands[operand], PTX_u32);
    if (job->bits < 32) count = integer_call(job, "llvm.umin", count, vector_integer_like(count, 32, job->bits));
    return integer_resize(job, count, job->bits, false);
}

static LLVMValueRef compute_shl(const IntegerJob *job) {
    return integer_shift_left(job, job->a, shift_count(job, 2));
}

static LLVMValueRef compute_shr(const IntegerJob *job) {
    return integer_shift_right(job, job->a, shift_count(job, 2), job->is_signed);
}

bool lane_emit_shl(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 1, compute_shl);
}

bool lane_emit_shr(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 1, compute_shr);
}

// The upper half of b:a << c, or the lower half of b:a >> c.
static LLVMValueRef compute_shf(const IntegerJob *job) {
    const bool left = ptx_has(job->instruction, PTX_WORD_l);
    LLVMValueRef operands[3] = {job->b, job->a, job->c};
    LLVMValueRef value = vector_intrinsic(&job->code->cx, left ? "llvm.fshl" : "llvm.fshr", operands, 3);
    if (ptx_has(job->instruction, PTX_WORD_wrap)) return value;
    LLVMValueRef over = integer_compare(job, LLVMIntUGE, job->c, integer_constant(job, 32));
    return integer_choose(job, over, left ? job->a : job->b, value);
}

bool lane_emit_shf(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 3, compute_shf);
}

// ---- counts, of type u32

static bool emit_count(LaneCode *code, const PtxInstruction *instruction, IntegerFunction *compute) {
    const IntegerJob job = integer_job(code, instruction, 1);
    lane_write(code, &instruction->operands[0], integer_resize(&job, compute(&job), 32, true), PTX_u32);
    return true;
}

static LLVMValueRef compute_popc(const IntegerJob *job) {
    return vector_intrinsic(&job->code->cx, "llvm.ctpop", &job->a, 1);
}

static LLVMValueRef leading_zeros(const IntegerJob *job, LLVMValueRef value) {
    LLVMValueRef operands[2] = {value, LLVMConstNull(code_integer_type(&job->code->cx, 1))};
    return vector_intrinsic(&job->code->cx, "llvm.ctlz", operands, 2);
}

static LLVMValueRef compute_clz(const IntegerJob *job) {
    return leading_zeros(job, job->a);
}

// The highest bit that is unlike the sign, or its distance from the top; -1: there is none.
static LLVMValueRef compute_bfind(const IntegerJob *job) {
    LLVMValueRef value = job->a;
    if (job->is_signed) {
        LLVMValueRef sign = LLVMBuildAShr(job->builder, value, integer_constant(job, job->bits - 1), "");
        value = LLVMBuildXor(job->builder, value, sign, "");
    }
    LLVMValueRef zeros = leading_zeros(job, value), found = zeros;
    if (!ptx_has(job->instruction, PTX_WORD_shiftamt))
        found = LLVMBuildSub(job->builder, integer_constant(job, job->bits - 1), zeros, "");
    LLVMValueRef none = LLVMBuildIsNull(job->builder, value, "");
    return integer_choose(job, none, integer_constant(job, UINT64_MAX), found);
}

bool lane_emit_popc(LaneCode *code, const PtxInstruction *instruction) {
    return emit_count(code, instruction, compute_popc);
}

bool lane_emit_clz(LaneCode *code, const PtxInstruction *instruction) {
    return emit_count(code, instruction, compute_clz);
}

bool lane_emit_bfind(LaneCode *code, const PtxInstruction *instruction) {
    return emit_count(code, instruction, compute_bfind);
}

static LLVMValueRef reversed(const IntegerJob *job, LLVMValueRef value) {
    return vector_intrinsic(&job->code->cx, "llvm.bitreverse", &value, 1);
}

static LLVMValueRef compute_brev(const IntegerJob *job) {
    return reversed(job, job->a);
}

bool lane_emit_brev(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 1, compute_brev);
}

// fns d, mask, base, n: the n-th bit of the mask that is set, upwards from number `base` on, downwards if n is negative
// (in the reversed mask that is upwards). n = 0: `base` if it is set. -1: there is none.
bool lane_emit_fns(LaneCode *code, const PtxInstruction *instruction) {
    IntegerJob job = integer_job(code, instruction, 3);
    LLVMBuilderRef b = job.builder;
    LLVMValueRef zero = integer_constant(&job, 0), one = integer_constant(&job, 1), top = integer_constant(&job, 31);
    LLVMValueRef none = integer_constant(&job, UINT64_MAX), result = none;
    LLVMValueRef down = integer_compare(&job, LLVMIntSLT, job.c, zero), from = job.b, wanted = job.c;
    LLVMValueRef mask = integer_choose(&job, down, reversed(&job, job.a), job.a);
    LLVMValueRef inside = integer_compare(&job, LLVMIntULT, job.b, integer_constant(&job, 32));
    from = integer_choose(&job, down, LLVMBuildSub(b, top, from, ""), from);
    wanted = integer_choose(&job, down, LLVMBuildNeg(b, wanted, ""), wanted);
    // Bits below the first do not count; for n = 0 nothing but the first does.
    LLVMValueRef above = integer_shift_left(&job, none, from), first = integer_shift_left(&job, one, from);
    LLVMValueRef is_zero = LLVMBuildIsNull(b, job.c, "");
    mask = LLVMBuildAnd(b, mask, integer_choose(&job, is_zero, first, above), "");
    wanted = integer_choose(&job, is_zero, one, wanted);
    for (unsigned i = 0; i < 32; i++) {
        LLVMValueRef bit = LLVMBuildAnd(b, LLVMBuildLShr(b, mask, integer_constant(&job, i), ""), one, "");
        wanted = LLVMBuildSub(b, wanted, bit, "");
        LLVMValueRef here = LLVMBuildAnd(b, LLVMBuildIsNull(b, wanted, ""), LLVMBuildIsNotNull(b, bit, ""), "");
        result = integer_choose(&job, here, integer_constant(&job, i), result);
    }
    LLVMValueRef found = integer_compare(&job, LLVMIntNE, result, none);
    result = integer_choose(&job, LLVMBuildAnd(b, down, found, ""), LLVMBuildSub(b, top, result, ""), result);
    lane_write(code, &instruction->operands[0], integer_choose(&job, inside, result, none), PTX_b32);
    return true;
}

// ---- bit fields

// The low byte of an operand of 32 bits, as lanes of the job's width.
static LLVMValueRef field_number(const IntegerJob *job, uint32_t operand) {
    LLVMValueRef value = lane_read_type(job->code, &job->instruction->operands[operand], PTX_u32);
    value = LLVMBuildAnd(job->builder, value, vector_integer_like(value, 32, 255), "");
    return integer_resize(job, value, job->bits, false);
}

// `length` bits of a from number `first` on. Bits beyond the top are zeros or, signed, the top bit.
static LLVMValueRef compute_bfe(const IntegerJob *job) {
    LLVMValueRef first = field_number(job, 2), length = field_number(job, 3);
    LLVMValueRef down = integer_shift_right(job, job->a, first, job->is_signed);
    if (!job->is_signed) return LLVMBuildAnd(job->builder, down, integer_low_mask(job, length), "");
    LLVMValueRef zero = integer_constant(job, 0), width = integer_constant(job, job->bits);
    LLVMValueRef rest = LLVMBuildSub(job->builder, width, integer_call(job, "llvm.umin", length, width), "");
    LLVMValueRef empty = LLVMBuildIsNull(job->builder, length, "");
    rest = integer_choose(job, empty, zero, rest);
    LLVMValueRef field = LLVMBuildAShr(job->builder, LLVMBuildShl(job->builder, down, rest, ""), rest, "");
    return integer_choose(job, empty, zero, field);
}

bool lane_emit_bfe(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 1, compute_bfe);
}

// b, in which `length` bits from number `first` on are the low bits of a.
static LLVMValueRef compute_bfi(const IntegerJob *job) {
    LLVMValueRef first = field_number(job, 3), length = field_number(job, 4);
    LLVMValueRef mask = integer_shift_left(job, integer_low_mask(job, length), first);
    LLVMValueRef moved = integer_shift_left(job, job->a, first);
    LLVMValueRef kept = LLVMBuildAnd(job->builder, job->b, LLVMBuildNot(job->builder, mask, ""), "");
    return LLVMBuildOr(job->builder, LLVMBuildAnd(job->builder, moved, mask, ""), kept, "");
}

bool lane_emit_bfi(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_bfi);
}

// The low bits of a, as many as b says, extended. All of a if these are 32 or more, unless the number wraps.
static LLVMValueRef compute_szext(const IntegerJob *job) {
    LLVMValueRef count = lane_read_type(job->code, &job->instruction->operands[2], PTX_u32);
    LLVMValueRef width = integer_constant(job, 32), zero = integer_constant(job, 0);
    count = ptx_has(job->instruction, PTX_WORD_wrap) ? LLVMBuildAnd(job->builder, count, integer_constant(job, 31), "")
                                                     : integer_call(job, "llvm.umin", count, width);
    LLVMValueRef empty = LLVMBuildIsNull(job->builder, count, "");
    LLVMValueRef rest = integer_choose(job, empty, zero, LLVMBuildSub(job->builder, width, count, ""));
    LLVMValueRef up = LLVMBuildShl(job->builder, job->a, rest, "");
    LLVMValueRef value =
        job->is_signed ? LLVMBuildAShr(job->builder, up, rest, "") : LLVMBuildLShr(job->builder, up, rest, "");
    return integer_choose(job, empty, zero, value);
}

bool lane_emit_szext(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 1, compute_szext);
}

// b ones from bit a on. Both count modulo 32, or, clamped, larger numbers reach beyond the top.
static LLVMValueRef compute_bmsk(const IntegerJob *job) {
    LLVMValueRef first = job->a, length = job->b, ones = LLVMConstAllOnes(LLVMTypeOf(job->a));
    if (ptx_has(job->instruction, PTX_WORD_wrap)) {
        first = LLVMBuildAnd(job->builder, first, integer_constant(job, 31), "");
        length = LLVMBuildAnd(job->builder, length, integer_constant(job, 31), "");
    }
    LLVMValueRef field = LLVMBuildXor(job->builder, integer_shift_left(job, ones, length), ones, "");
    return integer_shift_left(job, field, first);
}

bool lane_emit_bmsk(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 2, compute_bmsk);
}

// ---- permutations of bytes

// What a mode of prmt does for each value of the selector's two low bits: where the result's bytes come from, the
// lowest in the low digit.
static const struct PermutationRow {
    PtxWord mode;
    uint16_t selectors[4];
} permutation_rows[] = {
    {PTX_WORD_f4e, {0x3210, 0x4321, 0x5432, 0x6543}}, {PTX_WORD_b4e, {0x5670, 0x6701, 0x7012, 0x0123}},
    {PTX_WORD_rc8, {0x0000, 0x1111, 0x2222, 0x3333}}, {PTX_WORD_ecl, {0x3210, 0x3211, 0x3222, 0x3333}},
    {PTX_WORD_ecr, {0x0000, 0x1110, 0x2210, 0x3210}}, {PTX_WORD_rc16, {0x1010, 0x3232, 0x1010, 0x3232}},
};

static LLVMValueRef selectors_of_mode(const IntegerJob *job, PtxWord mode, LLVMValueRef selector) {
    const struct PermutationRow *row = permutation_rows;
    while (row->mode != mode) row++;
    LLVMValueRef two = LLVMBuildAnd(job->builder, selector, integer_constant(job, 3), "");
    LLVMValueRef digits = integer_constant(job, row->selectors[0]);
    for (unsigned i = 1; i < 4; i++) {
        LLVMValueRef here = integer_compare(job, LLVMIntEQ, two, integer_constant(job, i));
        digits = integer_choose(job, here, integer_constant(job, row->selectors[i]), digits);
    }
    return digits;
}

// Bytes 0 to 7 are those of a, then b; a digit of 8 and more gives the sign of byte digit - 8 in all bits.
static LLVMValueRef permute_bytes(const IntegerJob *job, LLVMValueRef selector) {
    LLVMBuilderRef b = job->builder;
    LLVMValueRef pool = integer_resize(job, job->b, 64, false), result = integer_constant(job, 0);
    pool = LLVMBuildShl(b, pool, vector_integer_like(pool, 64, 32), "");
    pool = LLVMBuildOr(b, pool, integer_resize(job, job->a, 64, false), "");
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef digit = LLVMBuildLShr(b, selector, integer_constant(job, 4 * i), "");
        LLVMValueRef number = LLVMBuildAnd(b, digit, integer_constant(job, 7), "");
        LLVMValueRef shift = LLVMBuildShl(b, number, integer_constant(job, 3), "");
        LLVMValueRef byte =
            integer_resize(job, LLVMBuildLShr(b, pool, integer_resize(job, shift, 64, false), ""), 8, false);
        LLVMValueRef sign = LLVMBuildAShr(b, byte, vector_integer_like(byte, 8, 7), "");
        LLVMValueRef wants = LLVMBuildAnd(b, digit, integer_constant(job, 8), "");
        byte = integer_choose(job, LLVMBuildIsNotNull(b, wants, ""), sign, byte);
        byte = LLVMBuildShl(b, integer_resize(job, byte, 32, false), integer_constant(job, 8 * i), "");
        result = LLVMBuildOr(b, result, byte, "");
    }
    return result;
}

// The same for digits that are known and below 8: one shuffle of bytes.
static LLVMValueRef shuffle_bytes(const IntegerJob *job, uint32_t selector) {
    LLVMValueRef numbers[4 * WARP_LANES];
    LLVMTypeRef bytes = LLVMVectorType(code_integer_type(&job->code->cx, 8), 4 * WARP_LANES);
    for (unsigned i = 0; i < 4 * WARP_LANES; i++) {
        const unsigned digit = selector >> i % 4 * 4 & 15;
        const unsigned number = i / 4 * 4 + digit % 4 + (digit < 4 ? 0 : 4 * WARP_LANES);
        numbers[i] = code_i32(&job->code->cx, (int32_t)number);
    }
    LLVMValueRef a = LLVMBuildBitCast(job->builder, job->a, bytes, "");
    LLVMValueRef b = LLVMBuildBitCast(job->builder, job->b, bytes, "");
    LLVMValueRef all = LLVMBuildShuffleVector(job->builder, a, b, LLVMConstVector(numbers, 4 * WARP_LANES), "");
    return LLVMBuildBitCast(job->builder, all, LLVMTypeOf(job->a), "");
}

static LLVMValueRef compute_prmt(const IntegerJob *job) {
    const PtxWord mode = ptx_find(job->instruction, PTX_SET_permute);
    const PtxOperand *selector = &job->instruction->operands[3];
    if (mode != PTX_WORD_NONE) return permute_bytes(job, selectors_of_mode(job, mode, job->c));
    if (selector->kind == PTX_INTEGER && !(selector->bits & 0x8888))
        return shuffle_bytes(job, (uint32_t)selector->bits);
    return permute_bytes(job, job->c);
}

bool lane_emit_prmt(LaneCode *code, const PtxInstruction *instruction) {
    return integer_emit(code, instruction, 3, compute_prmt);
}
