// SPDX-License-Identifier: Apache-2.0
// Products of matrices that are carried out asynchronously: wgmma and tcgen05.mma; answers of cluster launch control.
#include "compiler/warp/lane_emitters.h"

#include <stdio.h>
#include <stdlib.h>

// ---- wgmma

enum { WGMMA_REGISTERS = 128 + 4 };
typedef struct WgmmaUse {
    const PtxInstruction *instruction;
    unsigned columns, depth;
    FpsanFormat form; // of the sums in registers; FPSAN_FORMAT_COUNT: bits
    uint32_t sums;    // registers
    const PtxOperand *registers[WGMMA_REGISTERS];
    uint32_t count;
} WgmmaUse;

// The form in which the product function wants sums of the type.
static FpsanFormat sums_form(PtxType type) {
    return type == PTX_f32 ? FPSAN_F32 : type == PTX_f16 ? FPSAN_F16 : FPSAN_FORMAT_COUNT;
}

static bool add_registers(WgmmaUse *use, const PtxOperand *list) {
    const uint32_t count = list->kind == PTX_LIST ? list->count : 1;
    if (use->count + count > WGMMA_REGISTERS) return false;
    for (uint32_t i = 0; i < count; i++) use->registers[use->count++] = list->kind == PTX_LIST ? &list->items[i] : list;
    return true;
}

static bool open_use(LaneCode *code, const PtxInstruction *instruction, WgmmaUse *use) {
    const char *shape = ptx_word_text(ptx_find(instruction, PTX_SET_shape));
    const PtxOperand *a = ptx_operand(instruction, "a");
    *use = (WgmmaUse){.instruction = instruction, .form = sums_form(instruction->types[0])};
    if (sscanf(shape, "m64n%uk%u", &use->columns, &use->depth) != 2) return lane_refuse(code, "the shape %s", shape);
    if (!add_registers(use, ptx_operand(instruction, "D"))) return lane_refuse(code, "so many registers");
    use->sums = use->count;
    const uint32_t expected = use->columns / (use->form == FPSAN_F16 ? 4 : 2);
    if (use->sums != expected) return lane_refuse(code, "%u registers for the sums; it has %u", use->sums, expected);
    if (a->kind == PTX_LIST && !add_registers(use, a)) return lane_refuse(code, "so many registers");
    return true;
}

// The operand, a literal of 32 bits; `otherwise` if it is left out.
static LLVMValueRef literal_operand(LaneCode *code, const PtxInstruction *instruction, const char *name,
                                    uint32_t otherwise) {
    const PtxOperand *operand = ptx_operand(instruction, name);
    return lane_constant(code, 32, operand ? (uint32_t)operand->bits : otherwise);
}

static LLVMValueRef predicate_word(LaneCode *code, const PtxOperand *operand) {
    return LLVMBuildZExt(code->cx.builder, lane_read_predicate(code, operand), lane_type(code, 32), "");
}

static unsigned first_register(const PtxOperand *operand) {
    return operand->kind == PTX_REGISTER ? operand->index : 0;
}

static void fill_wgmma(LaneCode *code, const WgmmaUse *use, LaneOperation *operation) {
    const PtxInstruction *instruction = use->instruction;
    const PtxOperand *a = ptx_operand(instruction, "a"), *b = ptx_operand(instruction, "b");
    const bool in_registers = a->kind == PTX_LIST;
    const uint32_t details[WARP_DETAILS] = {use->columns,
                                            use->depth,
                                            ptx_type_info(instruction->types[1])->bits,
                                            ptx_type_info(instruction->types[2])->bits,
                                            use->sums,
                                            in_registers,
                                            use->form == FPSAN_F16,
                                            first_register(use->registers[0])};
    for (unsigned i = 0; i < WARP_DETAILS; i++) operation->detail[i] = details[i];
    // The literals that transpose: with A in registers only the one of B, which then comes first.
    LLVMValueRef operands[] = {in_registers ? lane_constant(code, 64, 0) : lane_read(code, a, 64, false),
                               lane_read(code, b, 64, false),
                               predicate_word(code, ptx_operand(instruction, "p")),
                               literal_operand(code, instruction, "sa", 1),
                               literal_operand(code, instruction, "sb", 1),
                               in_registers ? lane_constant(code, 32, 0) : literal_operand(code, instruction, "ta", 0),
                               literal_operand(code, instruction, in_registers ? "ta" : "tb", 0)};
    operation->operand_count = BASE_COUNT(operands);
    for (unsigned i = 0; i < BASE_COUNT(operands); i++) operation->operands[i] = operands[i];
}

bool lane_emit_wgmma(LaneCode *code, const PtxInstruction *instruction) {
    WgmmaUse use;
    LLVMValueRef data[WGMMA_REGISTERS];
    LaneHome homes[WGMMA_REGISTERS];
    if (!open_use(code, instruction, &use)) return false;
    LaneOperation operation = {.kind = WARP_WGMMA,
                               .data = data,
                               .homes = homes,
                               .data_count = use.count,
                               .reads_data = true,
                               .written = use.sums};
    const LaneProduct product = {.a = instruction->types[1],
                                 .b = instruction->types[2],
                                 .d = instruction->types[0],
                                 .saturate = ptx_has(instruction, PTX_WORD_satfinite)};
    operation.function = lane_product_function(code, &product);
    if (!operation.function) return false;
    for (uint32_t i = 0; i < use.count; i++) {
        const FpsanFormat form = i < use.sums ? use.form : FPSAN_FORMAT_COUNT;
        homes[i] = lane_register_home(code, use.registers[i], form, i < use.sums);
        if (!homes[i].word) data[i] = lane_read_moved(code, use.registers[i], PTX_b32, form);
    }
    fill_wgmma(code, &use, &operation);
    lane_operate_guarded(code, &operation);
    for (uint32_t i = 0; i < use.sums; i++)
        if (!homes[i].word) lane_write_moved(code, use.registers[i], data[i], PTX_b32, use.form);
    return true;
}

// ---- tcgen05.mma

// Bits of detail[2].
enum { A_IN_TENSOR = 1, SCALES_D = 2, HAS_LANES = 4, IS_WS = 8 };
enum { LANE_WORDS = 8 };

static uint32_t product_flags(const PtxInstruction *instruction) {
    uint32_t flags = 0;
    if (ptx_operand(instruction, "a")->kind == PTX_ADDRESS) flags |= A_IN_TENSOR;
    if (ptx_operand(instruction, "scale")) flags |= SCALES_D;
    if (ptx_operand(instruction, "M")) flags |= HAS_LANES;
    if (instruction->op == PTX_OP_tcgen05_mma_ws) flags |= IS_WS;
    return flags;
}

// An address of tensor memory, 32 bits; 0 if it is left out.
static LLVMValueRef tensor_address(LaneCode *code, const PtxOperand *operand) {
    return operand ? lane_address(code, operand, PTX_SHARED) : lane_constant(code, 64, 0);
}

static void fill_product(LaneCode *code, const PtxInstruction *instruction, LaneOperation *operation) {
    const PtxOperand *a = ptx_operand(instruction, "a"), *lanes = ptx_operand(instruction, "M");
    LLVMValueRef operands[] = {
        tensor_address(code, ptx_operand(instruction, "d")),
        a->kind == PTX_ADDRESS ? tensor_address(code, a) : lane_read(code, a, 64, false),
        lane_read(code, ptx_operand(instruction, "b"), 64, false),
        lane_read(code, ptx_operand(instruction, "i"), 32, false),
        predicate_word(code, ptx_operand(instruction, "p")),
        literal_operand(code, instruction, "scale", 0),
        tensor_address(code, ptx_operand(instruction, "sa")),
        tensor_address(code, ptx_operand(instruction, "sb")),
    };
    operation->operand_count = BASE_COUNT(operands) + LANE_WORDS;
    for (unsigned i = 0; i < BASE_COUNT(operands); i++) operation->operands[i] = operands[i];
    for (uint32_t i = 0; i < LANE_WORDS; i++)
        operation->operands[BASE_COUNT(operands) + i] =
            lanes && i < lanes->count ? lane_read(code, &lanes->items[i], 32, false) : lane_constant(code, 32, 0);
}

bool lane_emit_tensor_product(LaneCode *code, const PtxInstruction *instruction) {
    const LaneProduct product = {.a = PTX_TYPE_COUNT,
                                 .b = PTX_TYPE_COUNT,
                                 .d = PTX_TYPE_COUNT,
                                 .tensor = true,
                                 .kind = (WarpTensorKind)lane_word_value(instruction, PTX_SET_kind)};
    if (ptx_has(instruction, PTX_WORD_ashift)) return lane_refuse(code, ".ashift, which shifts the rows of A");
    if (ptx_operand(instruction, "zero")) return lane_refuse(code, "a mask of columns that are zero");
    LaneOperation operation = {.kind = WARP_TENSOR_PRODUCT,
                               .detail = {product.kind, lane_word_value(instruction, PTX_SET_ctas),
                                          product_flags(instruction), lane_word_value(instruction, PTX_SET_scale)},
                               .function = lane_product_function(code, &product)};
    if (!operation.function) return false;
    fill_product(code, instruction, &operation);
    lane_operate_guarded(code, &operation);
    return true;
}

// ---- the answer of clusterlaunchcontrol.try_cancel, in a register of 128 bits

static LLVMValueRef answer_word(LaneCode *code, const PtxInstruction *instruction, unsigned word) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMValueRef answer = lane_read(code, ptx_operand(instruction, "a"), 128, false);
    answer = LLVMBuildLShr(builder, answer, lane_constant(code, 128, 32 * word), "");
    return LLVMBuildTrunc(builder, answer, lane_type(code, 32), "");
}

bool lane_emit_is_canceled(LaneCode *code, const PtxInstruction *instruction) {
    LLVMValueRef word = answer_word(code, instruction, WARP_CANCEL_DONE);
    LLVMValueRef done = LLVMBuildIsNotNull(code->cx.builder, word, "");
    lane_write_predicate(code, ptx_operand(instruction, "d"), done);
    return true;
}

bool lane_emit_first_block(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *list = ptx_operand(instruction, "D");
    const PtxWord which = ptx_find(instruction, PTX_SET_coordinate);
    if (!list) {
        const unsigned dimension = which == PTX_WORD_get_first_ctaid_x   ? 0
                                   : which == PTX_WORD_get_first_ctaid_y ? 1
                                                                         : 2;
        LLVMValueRef word = answer_word(code, instruction, WARP_CANCEL_BLOCK + dimension);
        lane_write(code, ptx_operand(instruction, "d"), word, PTX_b32);
        return true;
    }
    // The fourth register gets nothing that means something.
    LLVMValueRef words[4] = {NULL, NULL, NULL, lane_constant(code, 32, 0)};
    for (unsigned i = 0; i < 3; i++) words[i] = answer_word(code, instruction, WARP_CANCEL_BLOCK + i);
    for (uint32_t i = 0; i < list->count && i < 4; i++) lane_write(code, &list->items[i], words[i], PTX_b32);
    return true;
}
