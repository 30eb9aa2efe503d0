// SPDX-License-Identifier: Apache-2.0
// Types and the module builder.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_type(const TirModule *module, TirType type, const char *text) {
    Buffer out = {0};
    tir_type_print(module, type, &out);
    cr_assert_str_eq(out.data, text);
    buffer_free(&out);
}

static TirType tensor_view(TirModule *module, TirTypeKind element, uint32_t rank, const int64_t *shape,
                           const int64_t *strides) {
    return tir_type_intern(module, &(TirTypeInfo){.kind = TIR_TYPE_tensor_view,
                                                  .element = tir_type_scalar(module, element),
                                                  .rank = rank,
                                                  .shape = shape,
                                                  .strides = strides,
                                                  .ptr_attr = -1});
}

Test(build, equal_types_are_one) {
    TirModule *module = tir_module_open("m");
    TirType f32 = tir_type_scalar(module, TIR_TYPE_f32), i1 = tir_type_scalar(module, TIR_TYPE_i1);
    cr_assert_eq(f32, tir_type_scalar(module, TIR_TYPE_f32));
    cr_assert_neq(f32, i1);
    int64_t shape[] = {4, 8};
    TirType tile = tir_type_tile(module, f32, 2, shape);
    for (int64_t i = 0; i < 1000; i++) tir_type_tile(module, f32, 1, (int64_t[]){1 + i}); // the table grows
    shape[1] = 16;                                                                        // the type has its own copy
    cr_assert_eq(tile, tir_type_tile(module, f32, 2, (int64_t[]){4, 8}));
    cr_assert_neq(tile, tir_type_tile(module, f32, 2, shape));
    cr_assert_neq(tile, tir_type_tile(module, i1, 2, (int64_t[]){4, 8}));
    expect_type(module, tile, "tile<4x8xf32>");
    cr_assert_eq(tir_tile_elements(module, tile), 32);
    cr_assert_eq(tir_tile_element_kind(module, tile), TIR_TYPE_f32);
    cr_assert(tir_type_is_float(module, f32) && !tir_type_is_integer(module, f32) && tir_type_is_integer(module, i1));
    tir_module_close(module);
    tir_module_close(NULL);
}

Test(build, fields_that_a_kind_does_not_have_do_not_count) {
    TirModule *module = tir_module_open("m");
    TirTypeInfo info = {.kind = TIR_TYPE_f32, .element = 7, .rank = 3, .ptr_attr = 5, .sparse_dim = 9};
    cr_assert_eq(tir_type_intern(module, &info), tir_type_scalar(module, TIR_TYPE_f32));
    tir_module_close(module);
}

Test(build, types_are_printed_as_the_disassembler_does) {
    TirModule *module = tir_module_open("m");
    TirType f32 = tir_type_scalar(module, TIR_TYPE_f32);
    TirType pointer = tir_type_intern(module, &(TirTypeInfo){.kind = TIR_TYPE_ptr, .element = f32, .ptr_attr = -1});
    TirType view = tensor_view(module, TIR_TYPE_f32, 2, (int64_t[]){TIR_DYNAMIC, 16}, (int64_t[]){16, 1});
    int32_t swapped[] = {1, 0}, identity[] = {0, 1};
    TirTypeInfo part = {.kind = TIR_TYPE_partition_view,
                        .element = view,
                        .rank = 2,
                        .shape = (int64_t[]){4, 2},
                        .dim_map = swapped,
                        .padding = TIR_PAD_neg_inf};
    expect_type(module, tir_type_tile(module, f32, 0, NULL), "tile<f32>");
    expect_type(module, tir_type_tile(module, pointer, 1, (int64_t[]){4}), "tile<4xptr<f32>>");
    expect_type(module, view, "tensor_view<?x16xf32, strides=[16,1]>");
    expect_type(module, tensor_view(module, TIR_TYPE_f16, 0, NULL, NULL), "tensor_view<f16>");
    expect_type(
        module, tir_type_intern(module, &part),
        "partition_view<tile=(4x2), padding_value = neg_inf, tensor_view<?x16xf32, strides=[16,1]>, dim_map=[1, 0]>");
    part.dim_map = identity;
    part.padding = TIR_PAD_none;
    expect_type(module, tir_type_intern(module, &part),
                "partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[16,1]>>");
    part.kind = TIR_TYPE_strided_view;
    part.strides = (int64_t[]){2, 8};
    expect_type(module, tir_type_intern(module, &part),
                "strided_view<tile=(4x2), traversal_strides=[2,8], tensor_view<?x16xf32, strides=[16,1]>>");
    part.kind = TIR_TYPE_gather_scatter_view;
    part.sparse_dim = 1;
    expect_type(module, tir_type_intern(module, &part),
                "gather_scatter_view<tile=(4x2), tensor_view<?x16xf32, strides=[16,1]>, sparse_dim=1>");
    TirType parameters[] = {pointer, f32};
    expect_type(module,
                tir_type_intern(
                    module, &(TirTypeInfo){.kind = TIR_TYPE_function, .parameter_count = 2, .parameters = parameters}),
                "(ptr<f32>, f32) -> ()");
    expect_type(module, tir_type_scalar(module, TIR_TYPE_token), "token");
    tir_module_close(module);
}

static void expect_problem(TirModule *module, const TirTypeInfo *info, const char *part) {
    const char *problem = tir_type_problem(module, info);
    if (!part)
        cr_assert_null(problem, "%s", problem);
    else
        cr_assert(problem && strstr(problem, part), "problem is %s, expected %s", problem ? problem : "none", part);
}

Test(build, type_rules) {
    TirModule *module = tir_module_open("m");
    TirType f32 = tir_type_scalar(module, TIR_TYPE_f32), f4 = tir_type_scalar(module, TIR_TYPE_f4E2M1FN),
            i4 = tir_type_scalar(module, TIR_TYPE_i4);
    TirType i32 = tir_type_scalar(module, TIR_TYPE_i32), tile = tir_type_tile(module, f32, 0, NULL);
    TirTypeInfo info = {.kind = TIR_TYPE_tile, .element = f32, .rank = 1, .shape = (int64_t[]){3}};
    expect_problem(module, &info, "power of two");
    info.shape = (int64_t[]){0};
    expect_problem(module, &info, "power of two");
    info.shape = (int64_t[]){1 << 24};
    expect_problem(module, &info, NULL);
    info.shape = (int64_t[]){1 << 25};
    expect_problem(module, &info, "more than");
    info.rank = 2;
    info.shape = (int64_t[]){1 << 20, (int64_t)1 << 62};
    expect_problem(module, &info, "more than");
    info.shape = (int64_t[]){1, 1};
    info.element = f4;
    expect_problem(module, &info, "even");
    info.element = tile;
    expect_problem(module, &info, "tile of tile");
    info.element = i4;
    expect_problem(module, &info, NULL);
    info = (TirTypeInfo){.kind = TIR_TYPE_ptr, .element = i4, .ptr_attr = -1};
    expect_problem(module, &info, "ptr of i4");
    info = (TirTypeInfo){.kind = TIR_TYPE_tensor_view,
                         .element = f32,
                         .rank = 1,
                         .shape = (int64_t[]){-1},
                         .strides = (int64_t[]){1},
                         .ptr_attr = -1};
    expect_problem(module, &info, "extent 0 is -1");
    info.shape = (int64_t[]){TIR_DYNAMIC};
    expect_problem(module, &info, NULL);
    info.strides = (int64_t[]){0};
    expect_problem(module, &info, "stride 0 is 0");
    TirType ints = tensor_view(module, TIR_TYPE_i32, 2, (int64_t[]){8, 8}, (int64_t[]){8, 1});
    info = (TirTypeInfo){.kind = TIR_TYPE_partition_view,
                         .element = ints,
                         .rank = 2,
                         .shape = (int64_t[]){4, 4},
                         .dim_map = (int32_t[]){0, 0}};
    expect_problem(module, &info, "twice");
    info.dim_map = (int32_t[]){0, 2};
    expect_problem(module, &info, "dim_map entry 1 is 2");
    info.dim_map = (int32_t[]){1, 0};
    info.padding = TIR_PAD_zero;
    expect_problem(module, &info, NULL);
    info.padding = TIR_PAD_nan;
    expect_problem(module, &info, "float type or zero");
    info.rank = 1;
    expect_problem(module, &info, "equal ranks");
    info.element = i32;
    expect_problem(module, &info, "expected a tensor_view");
    info = (TirTypeInfo){.kind = TIR_TYPE_strided_view,
                         .element = ints,
                         .rank = 2,
                         .shape = (int64_t[]){4, 4},
                         .strides = (int64_t[]){1, 0},
                         .dim_map = (int32_t[]){0, 1}};
    expect_problem(module, &info, "traversal stride 1 is 0");
    info = (TirTypeInfo){
        .kind = TIR_TYPE_gather_scatter_view, .element = ints, .rank = 2, .shape = (int64_t[]){4, 4}, .sparse_dim = 2};
    expect_problem(module, &info, "sparse_dim is 2");
    tir_module_close(module);
}

Test(build, ops_know_their_operands_results_and_attributes) {
    TirModule *module = tir_module_open("m");
    TirType f32 = tir_type_scalar(module, TIR_TYPE_f32), tile = tir_type_tile(module, f32, 1, (int64_t[]){4});
    TirType token = tir_type_scalar(module, TIR_TYPE_token), parameters[] = {tile, tile};
    TirType type = tir_type_intern(
        module, &(TirTypeInfo){.kind = TIR_TYPE_function, .parameter_count = 2, .parameters = parameters});
    TirFunction *function = tir_function_add(module, "k", type, true);
    TirBlock *block = function->body.first;
    cr_assert_eq(block->argument_count, 2);
    TirOp *add = tir_op_add(block, TIR_OP_addf, 2, (TirValue[]){0, 1}, NULL, 1, &tile);
    tir_op_set(add, "rounding")->integer = TIR_rounding_zero;
    cr_assert(tir_operand(add, "lhs") == 0 && tir_operand(add, "rhs") == 1 && tir_result(add, 0) == 2);
    cr_assert_eq(tir_attribute_integer(add, "rounding"), TIR_rounding_zero);
    cr_assert_null(tir_attribute(add, "ftz"));
    cr_assert_eq(tir_attribute_integer(add, "ftz"), 0);
    TirOp *exp = tir_op_add(block, TIR_OP_exp, 1, (TirValue[]){2}, NULL, 1, &tile);
    cr_assert_eq(tir_attribute_integer(exp, "rounding"), TIR_rounding_full); // default of what nobody set
    TirOp *print = tir_op_add(block, TIR_OP_print_tko, 2, (TirValue[]){2, 3}, (uint32_t[]){2, 0}, 1, &token);
    const TirValue *values;
    cr_assert_eq(tir_operands(print, "args", &values), 2);
    cr_assert(values[0] == 2 && values[1] == 3);
    cr_assert_eq(tir_operand(print, "token"), TIR_NO_VALUE);
    TirOp *loop = tir_op_add(block, TIR_OP_loop, 2, (TirValue[]){2, 3}, NULL, 1, &tile);
    cr_assert_eq(tir_operands(loop, "init", NULL), 2);
    TirBlock *body = tir_block_add(&loop->regions[0], 2, parameters);
    tir_op_add(body, TIR_OP_break, 1, (TirValue[]){body->first_argument}, NULL, 0, NULL);
    cr_assert_eq(tir_value(function, body->first_argument)->block, body);
    cr_assert_eq(tir_value(function, loop->first_result)->definition, loop);
    cr_assert_eq(tir_value_type(function, body->first_argument), tile);
    cr_assert(body->first->number == 4 && function->op_count == 5 && block->op_count == 4);
    cr_assert(block->first == add && add->next == exp && exp->previous == add && block->last == loop);
    cr_assert_eq(tir_op_function(body->first), function);
    tir_module_close(module);
}

// Ops of a pair of nested ifs with an empty else, an empty block and a region without any, in the order of the walk.
Test(build, a_walk_meets_every_op_once_in_order) {
    TirModule *module = tir_module_open("m");
    TirType condition = tir_type_tile(module, tir_type_scalar(module, TIR_TYPE_i1), 0, NULL);
    TirType type = tir_type_intern(
        module, &(TirTypeInfo){.kind = TIR_TYPE_function, .parameter_count = 1, .parameters = &condition});
    TirFunction *function = tir_function_add(module, "k", type, true);
    cr_assert_null(tir_first_op(&function->body));
    TirBlock *block = function->body.first;
    TirOp *outer = tir_op_add(block, TIR_OP_if, 1, (TirValue[]){0}, NULL, 0, NULL);
    TirBlock *then = tir_block_add(&outer->regions[0], 0, NULL);
    TirOp *inner = tir_op_add(then, TIR_OP_if, 1, (TirValue[]){0}, NULL, 0, NULL);
    tir_block_add(&inner->regions[0], 0, NULL);
    tir_op_add(tir_block_add(&inner->regions[1], 0, NULL), TIR_OP_yield, 0, NULL, NULL, 0, NULL);
    tir_op_add(then, TIR_OP_yield, 0, NULL, NULL, 0, NULL);
    TirOp *last = tir_op_add(block, TIR_OP_return, 0, NULL, NULL, 0, NULL);
    uint32_t count = 0;
    for (const TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op))
        cr_assert_eq(op->number, count++);
    cr_assert_eq(count, function->op_count);
    cr_assert_eq(tir_next_op(&outer->regions[0], then->last), NULL);
    cr_assert_eq(tir_next_op(&function->body, then->last), last);
    cr_assert_eq(tir_first_op(&outer->regions[1]), NULL);
    tir_module_close(module);
}
