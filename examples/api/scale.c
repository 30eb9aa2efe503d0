// SPDX-License-Identifier: Apache-2.0
// Tile IR from C: builds a kernel, y = 3 x for n floats, then checks, prints, writes, reads, parses and walks it, and
// shows what the verifier says of a wrong one. Needs compiler/tileir and base only: no LLVM.
#include "compiler/tileir/tir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 128 }; // elements of a tile

// ---- types: equal ones are one, so asking again is free -------------------------------------------------------------

static TirType scalar_tile(TirModule *module, TirType element) {
    return tir_type_tile(module, element, 0, NULL);
}

static TirType pointer_tile(TirModule *module, TirTypeKind pointee) {
    TirTypeInfo pointer = {.kind = TIR_TYPE_ptr, .element = tir_type_scalar(module, pointee), .ptr_attr = -1};
    return scalar_tile(module, tir_type_intern(module, &pointer));
}

// A vector of floats whose length is known at run time.
static TirType vector_view(TirModule *module) {
    TirTypeInfo view = {.kind = TIR_TYPE_tensor_view,
                        .element = tir_type_scalar(module, TIR_TYPE_f32),
                        .rank = 1,
                        .shape = (int64_t[]){TIR_DYNAMIC},
                        .strides = (int64_t[]){1},
                        .ptr_attr = -1};
    return tir_type_intern(module, &view);
}

// The same cut into tiles; what sticks out of the last one is read as 0.
static TirType partition_view(TirModule *module) {
    TirTypeInfo view = {.kind = TIR_TYPE_partition_view,
                        .element = vector_view(module),
                        .rank = 1,
                        .shape = (int64_t[]){TILE},
                        .dim_map = (int32_t[]){0},
                        .padding = TIR_PAD_zero};
    return tir_type_intern(module, &view);
}

// ---- ops: operands are values, numbers that tir_result and first_argument give --------------------------------------

// One operation with one result.
static TirValue add_op(TirBlock *block, TirOpKind kind, uint32_t operand_count, const TirValue *operands,
                       TirType result) {
    return tir_result(tir_op_add(block, &(TirNewOp){.kind = kind,
                                                    .operand_count = operand_count,
                                                    .operands = operands,
                                                    .result_count = 1,
                                                    .results = &result}),
                      0);
}

// A view of the n floats at `pointer`, in tiles. An op with several variadic operands is told how many each has: base,
// shape, strides (one extent is dynamic, no stride is).
static TirValue add_view(TirModule *module, TirBlock *block, TirValue pointer, TirValue count) {
    TirType type = vector_view(module);
    TirOp *op = tir_op_add(block, &(TirNewOp){.kind = TIR_OP_make_tensor_view,
                                              .operand_count = 2,
                                              .operands = (TirValue[]){pointer, count},
                                              .segments = (uint32_t[]){1, 1, 0},
                                              .result_count = 1,
                                              .results = &type});
    return add_op(block, TIR_OP_make_partition_view, 1, (TirValue[]){tir_result(op, 0)}, partition_view(module));
}

static TirValue add_constant(TirModule *module, TirBlock *block, float number, TirType type) {
    TirOp *op = tir_op_add(block, &(TirNewOp){.kind = TIR_OP_constant, .result_count = 1, .results = &type});
    tir_op_set(op, "value")->constant = tir_constant(module, &number, sizeof number); // one element: a splat
    return tir_result(op, 0);
}

static TirModule *build_scale(void) {
    TirModule *module = tir_module_open("scale");
    TirType i32 = scalar_tile(module, tir_type_scalar(module, TIR_TYPE_i32)),
            token = tir_type_scalar(module, TIR_TYPE_token), pointer = pointer_tile(module, TIR_TYPE_f32),
            tile = tir_type_tile(module, tir_type_scalar(module, TIR_TYPE_f32), 1, (int64_t[]){TILE});
    TirType parameters[] = {pointer, pointer, i32};
    TirTypeInfo signature = {.kind = TIR_TYPE_function, .parameter_count = 3, .parameters = parameters};
    TirFunction *entry = tir_function_add(module, "scale", tir_type_intern(module, &signature), true);
    TirBlock *block = entry->body.first;
    TirValue x = block->first_argument, y = x + 1, count = x + 2;

    TirValue from = add_view(module, block, x, count), to = add_view(module, block, y, count);
    TirType three[] = {i32, i32, i32};
    TirValue index = tir_result(
        tir_op_add(block, &(TirNewOp){.kind = TIR_OP_get_tile_block_id, .result_count = 3, .results = three}), 0);

    TirType loaded[] = {tile, token};
    TirOp *load = tir_op_add(block, &(TirNewOp){.kind = TIR_OP_load_view_tko,
                                                .operand_count = 2,
                                                .operands = (TirValue[]){from, index},
                                                .segments = (uint32_t[]){1, 1, 0},
                                                .result_count = 2,
                                                .results = loaded});
    tir_op_set(load, "ordering")->integer = TIR_memory_ordering_weak;

    TirValue factor = add_constant(module, block, 3.0f, tile);
    TirOp *product = tir_op_add(block, &(TirNewOp){.kind = TIR_OP_mulf,
                                                   .operand_count = 2,
                                                   .operands = (TirValue[]){tir_result(load, 0), factor},
                                                   .result_count = 1,
                                                   .results = &tile});
    tir_op_set(product, "rounding")->integer = TIR_rounding_nearest_even;

    TirOp *store = tir_op_add(block, &(TirNewOp){.kind = TIR_OP_store_view_tko,
                                                 .operand_count = 3,
                                                 .operands = (TirValue[]){tir_result(product, 0), to, index},
                                                 .segments = (uint32_t[]){1, 1, 1, 0},
                                                 .result_count = 1,
                                                 .results = &token});
    tir_op_set(store, "ordering")->integer = TIR_memory_ordering_weak;
    tir_op_add(block, &(TirNewOp){.kind = TIR_OP_return});
    return module;
}

// ---- what one does with a module ------------------------------------------------------------------------------------

static void print_module(const char *title, const TirModule *module) {
    Buffer text = {0};
    tir_print(module, false, &text);
    printf("%s\n%.*s\n", title, (int)text.size, text.data);
    buffer_free(&text);
}

static bool same_text(const TirModule *a, const TirModule *b) {
    Buffer left = {0}, right = {0};
    tir_print(a, false, &left);
    tir_print(b, false, &right);
    bool same = left.size == right.size && !memcmp(left.data, right.data, left.size);
    buffer_free(&left);
    buffer_free(&right);
    return same;
}

// Bytecode of the oldest version, and back.
static bool check_bytecode(Diagnostics *diagnostics, const TirModule *module) {
    Buffer bytes = {0};
    TirModule *back = NULL;
    if (tir_write_bytecode(diagnostics, module, TIR_VERSION_MIN, &bytes))
        back = tir_read_bytecode(diagnostics, "scale.tileirbc", (const uint8_t *)bytes.data, bytes.size);
    bool good = back && tir_verify(diagnostics, back) && same_text(module, back);
    if (good) printf("bytecode: %zu bytes of 13.%d, read back the same\n", bytes.size, back->version - 1300);
    tir_module_close(back);
    buffer_free(&bytes);
    return good;
}

// Text, and back.
static bool check_text(Diagnostics *diagnostics, const TirModule *module) {
    Buffer text = {0};
    tir_print(module, false, &text);
    TirModule *back = tir_parse_text(diagnostics, "scale.mlir", text.data, text.size);
    bool good = back && tir_verify(diagnostics, back) && same_text(module, back);
    if (good) printf("text: %zu characters, parsed back the same\n\n", text.size);
    tir_module_close(back);
    buffer_free(&text);
    return good;
}

// Every op, with the types of its results and its operands by the names that the op table gives them.
static void walk(const TirModule *module) {
    const TirFunction *entry = &module->functions[0];
    for (const TirOp *op = tir_first_op(&entry->body); op; op = tir_next_op(&entry->body, op)) {
        const TirOpInfo *info = tir_op_info(op->kind);
        printf("%2u %-20s", op->number, info->name);
        for (uint32_t i = 0; i < info->operand_count; i++) {
            const TirValue *values;
            uint32_t count = tir_operands(op, info->operands[i].name, &values);
            for (uint32_t v = 0; v < count; v++) printf(" %s=%u", info->operands[i].name, values[v]);
        }
        Buffer types = {0};
        for (uint32_t r = 0; r < op->result_count; r++) {
            buffer_print(&types, r ? ", " : " -> ");
            tir_type_print(module, tir_value_type(entry, tir_result(op, r)), &types);
        }
        printf("%.*s\n", (int)types.size, types.data ? types.data : "");
        buffer_free(&types);
    }
}

// An integer multiplied as a float: nothing goes wrong but that tir_verify says so.
static bool show_wrong(void) {
    Diagnostics diagnostics = {0};
    TirModule *module = build_scale();
    TirFunction *entry = &module->functions[0];
    TirOp *op = tir_first_op(&entry->body);
    while (op->kind != TIR_OP_mulf) op = tir_next_op(&entry->body, op);
    op->operands[1] = entry->body.first->first_argument + 2;
    bool refused = !tir_verify(&diagnostics, module);
    Buffer text = {0};
    for (size_t i = 0; i < diagnostics.count; i++) diag_print(&diagnostics.items[i], &text);
    printf("\na wrong module:\n%.*s", (int)text.size, text.data ? text.data : "");
    buffer_free(&text);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return refused;
}

int main(void) {
    Diagnostics diagnostics = {0};
    TirModule *module = build_scale();
    bool good = tir_verify(&diagnostics, module);
    if (good) print_module("the module:", module);
    good = good && check_bytecode(&diagnostics, module) && check_text(&diagnostics, module);
    if (good) walk(module);
    good = good && show_wrong();
    diagnostics_print(&diagnostics);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
