// SPDX-License-Identifier: Apache-2.0
// The module's WarpFunctions: what those who run its kernels need of the numeric.
#include "compiler/warp/lane_products.h"
#include "compiler/warp/lower_threads.h"

#include <stddef.h>

static bool module_has(const PtxModule *module, const PtxOp *ops, size_t count) {
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f].instruction_count; i++)
            for (size_t k = 0; k < count; k++)
                if (module->functions[f].instructions[i].op == ops[k]) return true;
    return false;
}

// Tensor memory keeps sums as tcgen05.mma makes them until they are read.
static void add_converters(LaneCode *code, LLVMValueRef *items) {
    static const PtxOp products[] = {PTX_OP_tcgen05_mma, PTX_OP_tcgen05_mma_scaled, PTX_OP_tcgen05_mma_ws};
    const size_t from = offsetof(WarpFunctions, from_bits_f32) / sizeof(void *),
                 to = offsetof(WarpFunctions, to_bits_f32) / sizeof(void *);
    if (!lane_in_place(code) || !module_has(code->module->ptx, products, BASE_COUNT(products))) return;
    items[from] = lane_convert_function(code, FPSAN_F32, false);
    items[to] = lane_convert_function(code, FPSAN_F32, true);
}

static const struct ReduceRow {
    WarpReduction reduction;
    PtxWord operation;
} reduce_rows[] = {
    {WARP_REDUCE_ADD, PTX_WORD_add},
    {WARP_REDUCE_MIN, PTX_WORD_min},
    {WARP_REDUCE_MAX, PTX_WORD_max},
};

static bool add_reductions(LaneCode *code, LLVMValueRef *items) {
    static const PtxOp reductions[] = {PTX_OP_cp_reduce_async_bulk_tensor};
    static const struct {
        PtxType type;
        size_t offset;
    } types[] = {
        {PTX_f16, offsetof(WarpFunctions, reduce_f16)},
        {PTX_bf16, offsetof(WarpFunctions, reduce_bf16)},
        {PTX_f32, offsetof(WarpFunctions, reduce_f32)},
        {PTX_f64, offsetof(WarpFunctions, reduce_f64)},
    };
    if (!module_has(code->module->ptx, reductions, BASE_COUNT(reductions))) return true;
    for (size_t t = 0; t < BASE_COUNT(types); t++)
        for (size_t r = 0; r < BASE_COUNT(reduce_rows); r++) {
            const LaneCombine combine = {.operation = reduce_rows[r].operation, .type = types[t].type, .count = 1};
            LLVMValueRef function = lane_combine_function(&code->cx, &combine);
            if (!function) return false;
            items[types[t].offset / sizeof(void *) + reduce_rows[r].reduction] = function;
        }
    return true;
}

bool lane_emit_table(LaneCode *code) {
    NumericContext *cx = &code->cx;
    LLVMValueRef items[sizeof(WarpFunctions) / sizeof(void *)];
    LLVMTypeRef pointer = LLVMPointerTypeInContext(cx->context, 0);
    for (size_t i = 0; i < BASE_COUNT(items); i++) items[i] = LLVMConstNull(pointer);
    add_converters(code, items);
    if (!add_reductions(code, items)) return false;
    LLVMValueRef table = LLVMConstArray2(pointer, items, BASE_COUNT(items));
    LLVMValueRef global = LLVMAddGlobal(cx->module, LLVMTypeOf(table), LANE_FUNCTIONS_NAME);
    LLVMSetInitializer(global, table);
    LLVMSetGlobalConstant(global, true);
    return true;
}
