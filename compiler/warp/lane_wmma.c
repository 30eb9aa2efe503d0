// SPDX-License-Identifier: Apache-2.0
// wmma: fragments that nobody knows the layout of, loaded from memory, multiplied and stored. They are those of
// lane_matrix.c; registers that a fragment does not need are 0.
#include "compiler/warp/lane_products.h"

#include <stdio.h>

// ---- the matrix that an instruction moves

typedef enum WmmaUse { WMMA_A, WMMA_B, WMMA_SUMS } WmmaUse;

typedef struct Wmma {
    const PtxInstruction *instruction;
    WmmaUse use;
    LaneFragment fragment;
    PtxType type;
    LaneElement element;
    unsigned across, along;    // extents of the matrix: rows of a fragment (columns of B), and depth (columns of sums)
    bool contiguous;           // elements along lie one after the other
    unsigned registers, parts; // elements in a register
    LLVMValueRef base, stride; // <32 x i64>: address, elements between lines
} Wmma;

static bool read_extents(LaneCode *code, const PtxInstruction *instruction, LaneFragment *fragment) {
    const char *text = ptx_word_text(ptx_find(instruction, PTX_SET_shape));
    return sscanf(text, "m%un%uk%u", &fragment->rows, &fragment->columns, &fragment->depth) == 3 ||
           lane_refuse(code, "'%s' is no shape of a product", text);
}

static WmmaUse use_of(PtxOp op) {
    return op == PTX_OP_wmma_load_a ? WMMA_A : op == PTX_OP_wmma_load_b ? WMMA_B : WMMA_SUMS;
}

static unsigned register_width(const Wmma *wmma) {
    return wmma->element.bits == 64 ? 64 : 32;
}

static bool open_wmma(LaneCode *code, const PtxInstruction *instruction, const PtxOperand *address,
                      const PtxOperand *stride, Wmma *wmma) {
    const bool rows = ptx_find(instruction, PTX_SET_layout) == PTX_WORD_row;
    *wmma = (Wmma){.instruction = instruction,
                   .use = use_of(instruction->op),
                   .type = (PtxType)instruction->types[0],
                   .element = lane_element((PtxType)instruction->types[0])};
    if (!read_extents(code, instruction, &wmma->fragment)) return false;
    const LaneFragment *fragment = &wmma->fragment;
    wmma->across = wmma->use == WMMA_B ? fragment->columns : fragment->rows;
    wmma->along = wmma->use == WMMA_SUMS ? fragment->columns : fragment->depth;
    wmma->contiguous = rows == (wmma->use != WMMA_B);
    wmma->parts = register_width(wmma) / wmma->element.bits;
    wmma->registers = wmma->across * wmma->along / WARP_LANES / wmma->parts;
    if (!wmma->contiguous && wmma->element.bits < 8)
        return lane_refuse(code, "numbers of less than 8 bits lie along the depth");
    wmma->base = lane_address(code, address, lane_space(instruction));
    LLVMValueRef lines = lane_constant(code, 32, wmma->contiguous ? wmma->along : wmma->across);
    if (stride && stride->kind != PTX_NONE) lines = lane_read(code, stride, 32, false);
    wmma->stride = LLVMBuildZExt(code->cx.builder, lines, lane_type(code, 64), "");
    return true;
}

// ---- addresses

// Where lane `lane` has part `part` of register `number`: line and place in it of the fragment.
static void find_element(const Wmma *wmma, unsigned number, unsigned part, unsigned lane, unsigned *across,
                         unsigned *along) {
    const unsigned blocks = wmma->across / 8;
    if (wmma->use != WMMA_SUMS) {
        *across = 8 * (number % blocks) + lane / 4;
        *along = 4 * wmma->parts * (number / blocks) + wmma->parts * (lane % 4) + part;
        return;
    }
    const unsigned index = number * wmma->parts + part, block = index / 2, columns = wmma->along / 8;
    *across = 8 * (block / columns) + lane / 4;
    *along = 8 * (block % columns) + 2 * (lane % 4) + index % 2;
}

static LLVMValueRef address_of(LaneCode *code, const Wmma *wmma, unsigned number, unsigned part) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef lines[WARP_LANES], places[WARP_LANES];
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        unsigned across, along;
        find_element(wmma, number, part, lane, &across, &along);
        lines[lane] = code_i64(&code->cx, wmma->contiguous ? across : along);
        places[lane] = code_i64(&code->cx, wmma->contiguous ? along : across);
    }
    LLVMValueRef at = LLVMBuildMul(builder, LLVMConstVector(lines, WARP_LANES), wmma->stride, "");
    at = LLVMBuildAdd(builder, at, LLVMConstVector(places, WARP_LANES), "");
    at = LLVMBuildMul(builder, at, lane_constant(code, 64, wmma->element.bits), "");
    at = LLVMBuildLShr(builder, at, lane_constant(code, 64, 3), "");
    return LLVMBuildAdd(builder, wmma->base, at, "");
}

// ---- registers in memory

static WarpAccess access_of(LaneCode *code, const Wmma *wmma, bool whole) {
    WarpAccess access = lane_access(code, wmma->instruction, PTX_b32);
    access.bytes = (uint8_t)((whole ? register_width(wmma) : wmma->element.bits) / 8);
    access.count = 1;
    return access;
}

static LLVMValueRef load_register(LaneCode *code, const Wmma *wmma, unsigned number) {
    LLVMBuilderRef builder = code->cx.builder;
    const unsigned width = register_width(wmma), bits = wmma->element.bits;
    const bool whole = wmma->contiguous || wmma->parts == 1;
    const WarpAccess access = access_of(code, wmma, whole);
    LLVMValueRef all = NULL;
    for (unsigned part = 0; part < (whole ? 1 : wmma->parts); part++) {
        LLVMValueRef value;
        lane_slot_release(code);
        lane_load(code, &access, address_of(code, wmma, number, part), &value);
        if (whole) return value;
        value = LLVMBuildZExt(builder, value, lane_type(code, width), "");
        if (part) value = LLVMBuildShl(builder, value, lane_constant(code, width, part * bits), "");
        all = all ? LLVMBuildOr(builder, all, value, "") : value;
    }
    return all;
}

static void store_register(LaneCode *code, const Wmma *wmma, unsigned number, LLVMValueRef value) {
    LLVMBuilderRef builder = code->cx.builder;
    const unsigned width = register_width(wmma), bits = wmma->element.bits;
    const bool whole = wmma->contiguous || wmma->parts == 1;
    const WarpAccess access = access_of(code, wmma, whole);
    for (unsigned part = 0; part < (whole ? 1 : wmma->parts); part++) {
        LLVMValueRef piece = value;
        if (part) piece = LLVMBuildLShr(builder, piece, lane_constant(code, width, part * bits), "");
        if (!whole) piece = LLVMBuildTrunc(builder, piece, lane_type(code, bits), "");
        lane_slot_release(code);
        lane_store(code, &access, address_of(code, wmma, number, part), &piece);
    }
}

static const PtxOperand *item_of_list(const PtxOperand *list, unsigned index) {
    return list->kind == PTX_LIST ? &list->items[index] : list;
}

static bool check_registers(LaneCode *code, const Wmma *wmma, const PtxOperand *list) {
    const unsigned given = list->kind == PTX_LIST ? list->count : 1;
    return given >= wmma->registers ||
           lane_refuse(code, "a fragment is in %u registers, not in %u", wmma->registers, given);
}

// ---- instructions

enum { FRAGMENT_MAX = 16 };

bool lane_emit_wmma_load(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *list = &instruction->operands[0];
    const bool guarded = instruction->guard.kind != PTX_NONE;
    LLVMValueRef values[FRAGMENT_MAX];
    LaneGuard guard = {0};
    Wmma wmma;
    if (!open_wmma(code, instruction, &instruction->operands[1], &instruction->operands[2], &wmma)) return false;
    if (!check_registers(code, &wmma, list)) return false;
    const unsigned width = register_width(&wmma);
    if (guarded) guard = lane_guard_open(code);
    for (unsigned i = 0; i < wmma.registers; i++) values[i] = load_register(code, &wmma, i);
    if (guarded) lane_guard_close(code, &guard, wmma.registers, values);
    for (unsigned i = 0; i < (list->kind == PTX_LIST ? list->count : 1); i++)
        lane_write(code, item_of_list(list, i), i < wmma.registers ? values[i] : lane_constant(code, width, 0),
                   width == 64 ? PTX_b64 : PTX_b32);
    return true;
}

bool lane_emit_wmma_store(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *list = &instruction->operands[1];
    const bool guarded = instruction->guard.kind != PTX_NONE;
    LLVMValueRef values[FRAGMENT_MAX];
    LaneGuard guard = {0};
    Wmma wmma;
    if (!open_wmma(code, instruction, &instruction->operands[0], &instruction->operands[2], &wmma)) return false;
    if (!check_registers(code, &wmma, list)) return false;
    for (unsigned i = 0; i < wmma.registers; i++)
        values[i] = lane_read(code, item_of_list(list, i), register_width(&wmma), false);
    if (guarded) guard = lane_guard_open(code);
    for (unsigned i = 0; i < wmma.registers; i++) store_register(code, &wmma, i, values[i]);
    if (guarded) lane_guard_close(code, &guard, 0, NULL);
    return true;
}

// Two types are those of d and c, and factors are f16; four are those of d, a, b and c.
bool lane_emit_wmma_product(LaneCode *code, const PtxInstruction *instruction) {
    const bool all = instruction->type_count == 4;
    LaneMatrix matrix = {.sum_type = (PtxType)instruction->types[0]};
    if (!read_extents(code, instruction, &matrix.fragment)) return false;
    if (instruction->types[0] != instruction->types[all ? 3 : 1])
        return lane_refuse(code, "sums of two types are not supported");
    if (lane_rounding(instruction) != FPSAN_NEAREST_EVEN && !lane_in_place(code))
        return lane_refuse(code, "sums are rounded to nearest");
    matrix.sum = lane_element(matrix.sum_type);
    matrix.a = lane_element(all ? (PtxType)instruction->types[1] : PTX_f16);
    matrix.b = lane_element(all ? (PtxType)instruction->types[2] : PTX_f16);
    matrix.saturate = ptx_has(instruction, PTX_WORD_satfinite) && matrix.sum_type == PTX_s32;
    matrix.of_bits = matrix.a.bits == 1;
    matrix.exclusive = ptx_has(instruction, PTX_WORD_xor);
    return lane_multiply_matrices(code, &matrix, instruction->operands);
}
