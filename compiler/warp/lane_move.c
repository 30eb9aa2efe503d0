// SPDX-License-Identifier: Apache-2.0
// Moves: between registers, of vectors into registers and back, of addresses; conversions between integers.
#include "compiler/warp/lane_integer.h"

// ---- mov

static unsigned operand_bits(const LaneCode *code, const PtxOperand *operand) {
    return ptx_type_info(code->function->registers[operand->index].type)->bits;
}

static bool move_one(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *d = &instruction->operands[0], *a = &instruction->operands[1];
    const PtxType type = instruction->types[0];
    if (type == PTX_pred) {
        lane_write_predicate(code, d, lane_read_predicate(code, a));
        return true;
    }
    const FpsanFormat form = lane_common_form(code, (const PtxOperand *[]){d, a}, 2);
    lane_write_moved(code, d, lane_read_moved(code, a, type, form), type, form);
    return true;
}

// The items of a list that packs or unpacks a register of `bits` bits have the same width.
static bool check_list(LaneCode *code, const PtxOperand *list, unsigned bits) {
    const unsigned count = list->count;
    if (!count || bits % count || bits / count < 8)
        return lane_refuse(code, "%u registers do not make %u bits", count, bits);
    for (unsigned i = 0; i < count; i++)
        if (list->items[i].kind == PTX_REGISTER && operand_bits(code, &list->items[i]) != bits / count)
            return lane_refuse(code, "register %s does not have %u bits",
                               code->function->registers[list->items[i].index].name, bits / count);
    return true;
}

// Registers that a list names and the one beside it, if all are kept in one form: then packing is a shuffle in it.
static FpsanFormat form_of_list(const LaneCode *code, const PtxOperand *list, const PtxOperand *whole, unsigned bits) {
    const FpsanFormat form = whole->kind == PTX_REGISTER ? code->plan.registers[whole->index].form : FPSAN_FORMAT_COUNT;
    if (form == FPSAN_FORMAT_COUNT || operand_bits(code, whole) != bits ||
        fpsan_format_info(form)->bits * list->count != bits)
        return FPSAN_FORMAT_COUNT;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].kind != PTX_REGISTER || code->plan.registers[list->items[i].index].form != form)
            return FPSAN_FORMAT_COUNT;
    return form;
}

// Lanes of two vectors in turn: a0 b0 a1 b1 ..
static LLVMValueRef interleave(const LaneCode *code, LLVMValueRef a, LLVMValueRef b) {
    const unsigned lanes = vector_lanes(a);
    LLVMValueRef numbers[2 * WARP_LANES * 8];
    for (unsigned i = 0; i < 2 * lanes; i++) numbers[i] = code_i32(&code->cx, (int32_t)(i / 2 + i % 2 * lanes));
    return LLVMBuildShuffleVector(code->cx.builder, a, b, LLVMConstVector(numbers, 2 * lanes), "");
}

// Every `count`-th lane from number `first` on.
static LLVMValueRef every(const LaneCode *code, LLVMValueRef vector, unsigned first, unsigned count) {
    LLVMValueRef numbers[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) numbers[i] = code_i32(&code->cx, (int32_t)(first + i * count));
    return LLVMBuildShuffleVector(code->cx.builder, vector, LLVMGetUndef(LLVMTypeOf(vector)),
                                  LLVMConstVector(numbers, WARP_LANES), "");
}

// 2, 4 or 8 vectors become one with the elements of each lane side by side.
static LLVMValueRef pack_lanes(const LaneCode *code, LLVMValueRef *items, unsigned count) {
    if (count == 1) return items[0];
    LLVMValueRef even[8], odd[8];
    for (unsigned i = 0; i < count; i++) *(i % 2 ? &odd[i / 2] : &even[i / 2]) = items[i];
    return interleave(code, pack_lanes(code, even, count / 2), pack_lanes(code, odd, count / 2));
}

static bool move_packed(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *d = &instruction->operands[0], *list = &instruction->operands[1];
    const PtxType type = instruction->types[0];
    const unsigned bits = ptx_type_info(type)->bits;
    LLVMValueRef items[16];
    if (!check_list(code, list, bits)) return false;
    if (list->count & (list->count - 1) || list->count > 8)
        return lane_refuse(code, "%u registers in a list", list->count);
    const FpsanFormat form = form_of_list(code, list, d, bits);
    for (uint32_t i = 0; i < list->count; i++)
        items[i] = form == FPSAN_FORMAT_COUNT ? lane_read(code, &list->items[i], bits / list->count, false)
                                              : lane_read_form(code, &list->items[i], form);
    LLVMValueRef value = pack_lanes(code, items, list->count);
    if (form == FPSAN_FORMAT_COUNT)
        lane_write(code, d, LLVMBuildBitCast(code->cx.builder, value, lane_type(code, bits), ""), type);
    else
        lane_write_form(code, d, value, form);
    return true;
}

// The type of a register of that many bits.
static PtxType bits_type(unsigned bits) {
    return bits == 8 ? PTX_b8 : bits == 16 ? PTX_b16 : bits == 32 ? PTX_b32 : PTX_b64;
}

static bool move_unpacked(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *list = &instruction->operands[0], *a = &instruction->operands[1];
    const PtxType type = instruction->types[0];
    const unsigned bits = ptx_type_info(type)->bits, count = list->count;
    if (!check_list(code, list, bits)) return false;
    const FpsanFormat form = form_of_list(code, list, a, bits);
    if (form != FPSAN_FORMAT_COUNT) {
        LLVMValueRef all = lane_read_form(code, a, form);
        for (uint32_t i = 0; i < count; i++) lane_write_form(code, &list->items[i], every(code, all, i, count), form);
        return true;
    }
    LLVMTypeRef elements = LLVMVectorType(code_integer_type(&code->cx, bits / count), WARP_LANES * count);
    LLVMValueRef all = LLVMBuildBitCast(code->cx.builder, lane_read_type(code, a, type), elements, "");
    for (uint32_t i = 0; i < count; i++)
        lane_write(code, &list->items[i], every(code, all, i, count), bits_type(bits / count));
    return true;
}

bool lane_emit_mov(LaneCode *code, const PtxInstruction *instruction) {
    if (instruction->operands[1].kind == PTX_LIST) return move_packed(code, instruction);
    if (instruction->operands[0].kind == PTX_LIST) return move_unpacked(code, instruction);
    return move_one(code, instruction);
}

// movmatrix: element c of row r is in lane 4 r + c / 2, in half c % 2. The transposed matrix.
bool lane_emit_movmatrix(LaneCode *code, const PtxInstruction *instruction) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef a = lane_read_type(code, &instruction->operands[1], PTX_b32), numbers[2 * WARP_LANES];
    for (int i = 0; i < 2 * WARP_LANES; i++) {
        const int row = i / 8, column = i % 8;
        numbers[i] = code_i32(&code->cx, 8 * column + row);
    }
    LLVMTypeRef halves = LLVMVectorType(code_integer_type(&code->cx, 16), 2 * WARP_LANES);
    a = LLVMBuildBitCast(builder, a, halves, "");
    a = LLVMBuildShuffleVector(builder, a, a, LLVMConstVector(numbers, 2 * WARP_LANES), "");
    lane_write(code, &instruction->operands[0], LLVMBuildBitCast(builder, a, lane_type(code, 32), ""), PTX_b32);
    return true;
}

// ---- conversions between integers

// `value` of type `from`, at the ends of the range of type `to` if it is outside. Its width stays.
static LLVMValueRef saturate_to(const IntegerJob *job, LLVMValueRef value, const PtxTypeInfo *from,
                                const PtxTypeInfo *to) {
    const bool signed_from = from->kind == PTX_SIGNED, signed_to = to->kind == PTX_SIGNED;
    const unsigned bits = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    // The largest number of `to`, if there are larger ones of `from`.
    const unsigned most = to->bits - signed_to;
    LLVMValueRef largest = most < 64 ? vector_integer_like(value, bits, (UINT64_C(1) << most) - 1) : NULL;
    if (signed_from && !signed_to) value = integer_call(job, "llvm.smax", value, vector_integer_like(value, bits, 0));
    if (most < from->bits - signed_from)
        value = integer_call(job, signed_from ? "llvm.smin" : "llvm.umin", value, largest);
    if (signed_from && signed_to && to->bits < from->bits) {
        LLVMValueRef lowest = vector_integer_like(value, bits, (uint64_t) - (INT64_C(1) << most));
        value = integer_call(job, "llvm.smax", value, lowest);
    }
    return value;
}

bool lane_emit_cvt_integer(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType to = instruction->types[0], from = instruction->types[1];
    const PtxTypeInfo *from_info = ptx_type_info(from), *to_info = ptx_type_info(to);
    const IntegerJob job = {.code = code, .instruction = instruction, .builder = code->cx.builder};
    LLVMValueRef value = lane_read_type(code, &instruction->operands[1], from);
    if (ptx_has(instruction, PTX_WORD_sat)) value = saturate_to(&job, value, from_info, to_info);
    value = integer_resize(&job, value, to_info->bits, from_info->kind == PTX_SIGNED);
    lane_write(code, &instruction->operands[0], value, to);
    return true;
}

// ---- addresses

// The window of a state space, in place; 0: its addresses are generic ones.
static uint64_t window_of(PtxSpace space) {
    const uint64_t one = UINT64_C(1) << WARP_WINDOW_SHIFT;
    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CLUSTER: return one * WARP_SHARED;
    case PTX_LOCAL: return one * WARP_LOCAL;
    case PTX_PARAMETER: return one * WARP_PARAMETER;
    default: return 0;
    }
}

// An address of a space as a generic one, or the other way round.
bool lane_emit_cvta(LaneCode *code, const PtxInstruction *instruction) {
    const uint64_t window = window_of(lane_space(instruction));
    LLVMValueRef address = lane_read(code, &instruction->operands[1], 64, false);
    if (window && ptx_has(instruction, PTX_WORD_to))
        address = LLVMBuildAnd(code->cx.builder, address, lane_constant(code, 64, UINT32_MAX), "");
    else if (window)
        address = LLVMBuildAdd(code->cx.builder, address, lane_constant(code, 64, window), "");
    lane_write(code, &instruction->operands[0], address, PTX_u64);
    return true;
}

// Constant memory is global memory here, and no address is called constant.
bool lane_emit_isspacep(LaneCode *code, const PtxInstruction *instruction) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxSpace space = lane_space(instruction);
    LLVMValueRef address = lane_read(code, &instruction->operands[1], 64, false);
    const uint64_t mask = ~((UINT64_C(1) << WARP_WINDOW_SHIFT) - 1);
    LLVMValueRef window = LLVMBuildAnd(builder, address, lane_constant(code, 64, mask), "");
    LLVMValueRef is = LLVMBuildICmp(builder, LLVMIntEQ, window, lane_constant(code, 64, window_of(space)), "");
    if (space == PTX_CONSTANT) is = lane_constant(code, 1, 0);
    lane_write_predicate(code, &instruction->operands[0], is);
    return true;
}

// Clusters have one block here: its own address, or, of other ranks, one that nobody can access.
bool lane_emit_mapa(LaneCode *code, const PtxInstruction *instruction) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxType type = instruction->types[0];
    const unsigned bits = ptx_type_info(type)->bits;
    const PtxSpace space = lane_space(instruction);
    LLVMValueRef address = lane_address(code, &instruction->operands[1], space);
    if (bits < 64) address = LLVMBuildTrunc(builder, address, lane_type(code, bits), "");
    LLVMValueRef rank = lane_read(code, &instruction->operands[2], 32, false);
    LLVMValueRef own = LLVMBuildICmp(builder, LLVMIntEQ, rank, lane_constant(code, 32, 0), "");
    address = LLVMBuildSelect(builder, own, address, lane_constant(code, bits, UINT64_MAX), "");
    lane_write(code, &instruction->operands[0], address, type);
    return true;
}

static bool write_zero(LaneCode *code, const PtxInstruction *instruction, PtxType type) {
    lane_write(code, &instruction->operands[0], lane_constant(code, ptx_type_info(type)->bits, 0), type);
    return true;
}

bool lane_emit_getctarank(LaneCode *code, const PtxInstruction *instruction) {
    return write_zero(code, instruction, PTX_u32);
}

// Cache policies say nothing here.
bool lane_emit_createpolicy(LaneCode *code, const PtxInstruction *instruction) {
    return write_zero(code, instruction, PTX_b64);
}
