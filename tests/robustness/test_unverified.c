// SPDX-License-Identifier: Apache-2.0
// Modules that the functions of tir.h can build and no verifier accepts: printing and refusing them is harmless.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <string.h>

// A kernel whose only ops are a constant of this type and a return.
static TirModule *constant_module(TirType (*type_of)(TirModule *module), const uint8_t *bytes, size_t size) {
    TirModule *module = tir_module_open("unverified");
    TirTypeInfo info = {.kind = TIR_TYPE_function};
    TirFunction *function = tir_function_add(module, "kernel", tir_type_intern(module, &info), true);
    TirType type = type_of(module);
    TirOp *op =
        tir_op_add(function->body.first, &(TirNewOp){.kind = TIR_OP_constant, .result_count = 1, .results = &type});
    tir_op_set(op, "value")->constant = (TirConstant){.bytes = bytes, .size = size};
    tir_op_add(function->body.first, &(TirNewOp){.kind = TIR_OP_return});
    return module;
}

static TirType token(TirModule *module) {
    return tir_type_scalar(module, TIR_TYPE_token);
}
static TirType number(TirModule *module) {
    return tir_type_scalar(module, TIR_TYPE_f32);
}
static TirType pointers(TirModule *module) {
    TirTypeInfo info = {.kind = TIR_TYPE_ptr, .element = number(module), .ptr_attr = -1};
    return tir_type_tile(module, tir_type_intern(module, &info), 1, (int64_t[]){4});
}
static TirType tile(TirModule *module) {
    return tir_type_tile(module, number(module), 1, (int64_t[]){4});
}
static TirType huge(TirModule *module) {
    return tir_type_tile(module, number(module), 2, (int64_t[]){INT64_MAX, INT64_MAX});
}
static TirType long_row(TirModule *module) {
    return tir_type_tile(module, number(module), 1, (int64_t[]){1ll << 40});
}
static TirType large(TirModule *module) {
    return tir_type_tile(module, number(module), 1, (int64_t[]){4096});
}
static TirType negative(TirModule *module) {
    return tir_type_tile(module, number(module), 1, (int64_t[]){-4});
}

Test(unverified, constants_that_have_no_elements) {
    static const uint8_t bytes[16] = {0};
    static const struct {
        TirType (*type_of)(TirModule *);
        size_t size;
        bool printed; // the elements
    } rows[] = {{token, 4, false},    {number, 4, false}, {pointers, 8, false},  {tile, 0, false},
                {huge, 16, false},    {huge, 4, false},   {long_row, 16, false}, {large, 16, false},
                {negative, 4, false}, {tile, 7, true},    {tile, 8, true}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        TirModule *module = constant_module(rows[i].type_of, bytes, rows[i].size);
        Diagnostics diagnostics = {0};
        Buffer text = {0};
        tir_print(module, true, &text);
        cr_assert(strstr(text.data, rows[i].printed ? "constant <f32: " : "constant <?>"), "row %zu: %s", i, text.data);
        cr_assert(!tir_verify(&diagnostics, module), "row %zu", i);
        cr_assert_gt(diagnostics.count, 0);
        diagnostics_close(&diagnostics);
        buffer_free(&text);
        tir_module_close(module);
    }
}
