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
    TirOp *add = tir_op_add(block, &(TirNewOp){.kind = TIR_OP_addf,
                                               .operand_count = 2,
                                               .operands = (TirValue[]){0, 1},
                                               .result_count = 1,
                                               .results = &tile});
    tir_op_set(add, "rounding")->integer = TIR_rounding_zero;
    cr_assert(tir_operand(add, "lhs") == 0 && tir_operand(add, "rhs") == 1 && tir_result(add, 0) == 2);
    cr_assert_eq(tir_attribute_integer(add, "rounding"), TIR_rounding_zero);
    cr_assert_null(tir_attribute(add, "ftz"));
    cr_assert_eq(tir_attribute_integer(add, "ftz"), 0);
    TirOp *exp = tir_op_add(
        block,
        &(TirNewOp){
            .kind = TIR_OP_exp, .operand_count = 1, .operands = (TirValue[]){2}, .result_count = 1, .results = &tile});
    cr_assert_eq(tir_attribute_integer(exp, "rounding"), TIR_rounding_full); // default of what nobody set
    TirOp *print = tir_op_add(block, &(TirNewOp){.kind = TIR_OP_print_tko,
                                                 .operand_count = 2,
                                                 .operands = (TirValue[]){2, 3},
                                                 .segments = (uint32_t[]){2, 0},
                                                 .result_count = 1,
                                                 .results = &token});
    const TirValue *values;
    cr_assert_eq(tir_operands(print, "args", &values), 2);
    cr_assert(values[0] == 2 && values[1] == 3);
    cr_assert_eq(tir_operand(print, "token"), TIR_NO_VALUE);
    TirOp *loop = tir_op_add(block, &(TirNewOp){.kind = TIR_OP_loop,
                                                .operand_count = 2,
                                                .operands = (TirValue[]){2, 3},
                                                .result_count = 1,
                                                .results = &tile});
    cr_assert_eq(tir_operands(loop, "init", NULL), 2);
    TirBlock *body = tir_block_add(&loop->regions[0], 2, parameters);
    tir_op_add(body,
               &(TirNewOp){.kind = TIR_OP_break, .operand_count = 1, .operands = (TirValue[]){body->first_argument}});
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
    TirOp *outer = tir_op_add(block, &(TirNewOp){.kind = TIR_OP_if, .operand_count = 1, .operands = (TirValue[]){0}});
    TirBlock *then = tir_block_add(&outer->regions[0], 0, NULL);
    TirOp *inner = tir_op_add(then, &(TirNewOp){.kind = TIR_OP_if, .operand_count = 1, .operands = (TirValue[]){0}});
    tir_block_add(&inner->regions[0], 0, NULL);
    tir_op_add(tir_block_add(&inner->regions[1], 0, NULL), &(TirNewOp){.kind = TIR_OP_yield});
    tir_op_add(then, &(TirNewOp){.kind = TIR_OP_yield});
    TirOp *last = tir_op_add(block, &(TirNewOp){.kind = TIR_OP_return});
    uint32_t count = 0;
    for (const TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op))
        cr_assert_eq(op->number, count++);
    cr_assert_eq(count, function->op_count);
    cr_assert_eq(tir_next_op(&outer->regions[0], then->last), NULL);
    cr_assert_eq(tir_next_op(&function->body, then->last), last);
    cr_assert_eq(tir_first_op(&outer->regions[1]), NULL);
    tir_module_close(module);
}

// ---- what the example (examples/api) does not build: regions, hints, debug info, strings, predicates, globals
// ---------

static TirType scalar(TirModule *module, TirTypeKind kind) {
    return tir_type_tile(module, tir_type_scalar(module, kind), 0, NULL);
}

static TirOp *add(TirBlock *block, TirOpKind kind, uint32_t operand_count, const TirValue *operands,
                  uint32_t result_count, const TirType *results) {
    return tir_op_add(block, &(TirNewOp){.kind = kind,
                                         .operand_count = operand_count,
                                         .operands = operands,
                                         .result_count = result_count,
                                         .results = results});
}

static TirOp *add_constant(TirBlock *block, TirType type, int32_t number) {
    TirOp *op = add(block, TIR_OP_constant, 0, NULL, 1, &type);
    tir_op_set(op, "value")->constant = tir_constant(block->region->function->module, &number, sizeof number);
    return op;
}

static void set_hints(TirFunction *entry) {
    static const TirNamedAttribute occupancy = {"occupancy", {.present = true, .tag = TIR_TAG_INTEGER, .integer = 2}};
    static const TirNamedAttribute target = {
        "sm_100", {.present = true, .tag = TIR_TAG_DICTIONARY, .length = 1, .entries = &occupancy}};
    TirNamedAttribute *own = arena_array(&entry->module->arena, TirNamedAttribute, 2);
    own[0] = target;
    own[1] = occupancy; // the type of the number is the module's
    own[1].value.type = tir_type_scalar(entry->module, TIR_TYPE_i32);
    own[0].value.entries = &own[1];
    entry->hints = (TirAttribute){.present = true, .tag = TIR_TAG_HINTS, .length = 1, .entries = own};
}

static const int64_t bounds_of[2] = {0, 0}; // lower and upper

static uint64_t add_place(TirModule *module) {
    uint64_t file = tir_debug_add(module, &(TirDebug){.tag = TIR_DEBUG_FILE, .name = "k.py", .linkage_name = "/d"}),
             unit = tir_debug_add(module, &(TirDebug){.tag = TIR_DEBUG_COMPILE_UNIT, .refs = {file}}),
             scope = tir_debug_add(module, &(TirDebug){.tag = TIR_DEBUG_SUBPROGRAM,
                                                       .refs = {file, unit},
                                                       .name = "sum",
                                                       .linkage_name = "sum",
                                                       .line = 3,
                                                       .scope_line = 3});
    return tir_debug_add(
        module, &(TirDebug){.tag = TIR_DEBUG_LOCATION, .refs = {scope}, .name = "k.py", .line = 4, .column = 2});
}

// for i in (%arg0 to 8, step 1) iter (x = 0) { x + i }, and print of it.
static TirModule *build_loop(void) {
    TirModule *module = tir_module_open("loop");
    TirType i32 = scalar(module, TIR_TYPE_i32), i1 = scalar(module, TIR_TYPE_i1),
            token = tir_type_scalar(module, TIR_TYPE_token);
    TirTypeInfo signature = {.kind = TIR_TYPE_function, .parameter_count = 1, .parameters = &i32};
    TirFunction *entry = tir_function_add(module, "sum", tir_type_intern(module, &signature), true);
    TirBlock *block = entry->body.first;
    set_hints(entry);
    entry->debug = add_place(module);

    TirOp *assume = add(block, TIR_OP_assume, 1, &block->first_argument, 1, &i32);
    TirAttribute *predicate = tir_op_set(assume, "predicate");
    predicate->tag = TIR_TAG_BOUNDED;
    predicate->flags = 1;
    predicate->numbers = bounds_of;
    predicate->length = 2;
    TirValue bounds[] = {tir_result(assume, 0), tir_result(add_constant(block, i32, 8), 0),
                         tir_result(add_constant(block, i32, 1), 0), tir_result(add_constant(block, i32, 0), 0)};
    TirOp *loop = add(block, TIR_OP_for, 4, bounds, 1, &i32);
    tir_op_set(loop, "unsigned")->integer = 1;
    loop->debug = entry->debug;
    TirBlock *body = tir_block_add(&loop->regions[0], 2, (TirType[]){i32, i32});
    TirValue sum =
        tir_result(add(body, TIR_OP_addi, 2, (TirValue[]){body->first_argument, body->first_argument + 1}, 1, &i32), 0);
    add(body, TIR_OP_continue, 1, &sum, 0, NULL);

    TirOp *less = add(block, TIR_OP_cmpi, 2, (TirValue[]){tir_result(loop, 0), bounds[1]}, 1, &i1);
    tir_op_set(less, "predicate")->integer = TIR_predicate_less_than;
    tir_op_set(less, "signedness")->integer = TIR_signedness_signed;
    TirOp *branch = add(block, TIR_OP_if, 1, (TirValue[]){tir_result(less, 0)}, 0, NULL);
    TirBlock *then = tir_block_add(&branch->regions[0], 0, NULL);
    TirOp *print = tir_op_add(then, &(TirNewOp){.kind = TIR_OP_print_tko,
                                                .operand_count = 1,
                                                .operands = (TirValue[]){tir_result(loop, 0)},
                                                .segments = (uint32_t[]){1, 0},
                                                .result_count = 1,
                                                .results = &token});
    TirAttribute *format = tir_op_set(print, "str");
    format->text = "%d\n";
    format->length = 3;
    add(then, TIR_OP_yield, 0, NULL, 0, NULL);
    add(block, TIR_OP_return, 0, NULL, 0, NULL)->debug = entry->debug;

    TirGlobal *global = tir_global_add(module);
    global->name = "table";
    global->type = tir_type_tile(module, tir_type_scalar(module, TIR_TYPE_i8), 1, (int64_t[]){2});
    global->value = tir_constant(module, (uint8_t[]){1, 2}, 2);
    return module;
}

static void expect_text(const TirModule *module, const char *text) {
    Buffer out = {0};
    tir_print(module, true, &out);
    cr_assert_str_eq(out.data, text);
    buffer_free(&out);
}

Test(build, from_the_header_alone) {
    static const char text[] = "global  @table <i8: [1, 2]> : tile<2xi8> loc(#loc)\n"
                               "entry @sum(%arg0: tile<i32>) optimization_hints=<sm_100 = {occupancy = 2}> {\n"
                               "  %assume = assume bounded<0, ?>, %arg0 : tile<i32> loc(#loc)\n"
                               "  %cst_8_i32 = constant <i32: 8> : tile<i32> loc(#loc)\n"
                               "  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc)\n"
                               "  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc)\n"
                               "  %for = for unsigned %loopIdx in (%assume to %cst_8_i32, step %cst_1_i32) : tile<i32> "
                               "iter_values(%iterArg0 = %cst_0_i32) -> (tile<i32>) {\n"
                               "    %1 = addi %loopIdx, %iterArg0 : tile<i32> loc(#loc)\n"
                               "    continue %1 : tile<i32> loc(#loc)\n"
                               "  } loc(#loc2)\n"
                               "  %0 = cmpi less_than %for, %cst_8_i32, signed : tile<i32> -> tile<i1> loc(#loc)\n"
                               "  if %0 {\n"
                               "    %1 = print_tko \"%d\\0A\", %for : tile<i32> -> token loc(#loc)\n"
                               "  } loc(#loc)\n"
                               "  return loc(#loc2)\n"
                               "} loc(#loc2)\n"
                               "#di_file = #cuda_tile.di_file<\"k.py\" in \"/d\">\n"
                               "#loc = loc(unknown)\n"
                               "#loc1 = loc(\"k.py\":4:2)\n"
                               "#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>\n"
                               "#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 3, name = \"sum\", "
                               "linkageName = \"sum\", compileUnit = #di_compile_unit, scopeLine = 3>\n"
                               "#loc2 = #cuda_tile.di_loc<#loc1 in #di_subprogram>\n";
    TirModule *module = build_loop();
    Diagnostics diagnostics = {0};
    cr_expect(tir_verify(&diagnostics, module) && tir_verify_hints(&diagnostics, module));
    expect_text(module, text);
    Buffer bytes = {0};
    cr_expect(tir_write_bytecode(&diagnostics, module, 1304, &bytes));
    TirModule *read = tir_read_bytecode(&diagnostics, "m", (const uint8_t *)bytes.data, bytes.size);
    cr_assert(read && tir_verify(&diagnostics, read));
    expect_text(read, text);
    // A module that was read takes more rows.
    cr_expect_eq(tir_debug_add(read, &(TirDebug){.tag = TIR_DEBUG_UNKNOWN}), read->debug_count);
    cr_expect_eq(diagnostics.count, 0);
    buffer_free(&bytes);
    tir_module_close(read);
    tir_module_close(module);
}

// The printer would say what no writer can.
Test(build, a_value_that_is_newer_than_the_module_is_refused) {
    TirModule *module = tir_module_open("m");
    TirType f32 = tir_type_scalar(module, TIR_TYPE_f32), tile = tir_type_tile(module, f32, 0, NULL);
    TirType type =
        tir_type_intern(module, &(TirTypeInfo){.kind = TIR_TYPE_function, .parameter_count = 1, .parameters = &tile});
    TirBlock *block = tir_function_add(module, "k", type, true)->body.first;
    TirOp *exp = tir_op_add(
        block,
        &(TirNewOp){
            .kind = TIR_OP_exp, .operand_count = 1, .operands = (TirValue[]){0}, .result_count = 1, .results = &tile});
    tir_op_add(block, &(TirNewOp){.kind = TIR_OP_return});
    module->version = 1302;
    Diagnostics diagnostics = {0};
    cr_expect(tir_verify(&diagnostics, module));
    exp->attributes[0].integer = TIR_rounding_approx;
    cr_expect(!tir_verify(&diagnostics, module));
    cr_expect_str_eq(diagnostics.count ? diagnostics.items[0].message : "",
                     "'exp' op attribute 'rounding' needs version 13.3, the module is 13.2");
    diagnostics_close(&diagnostics);
    tir_module_close(module);
}
