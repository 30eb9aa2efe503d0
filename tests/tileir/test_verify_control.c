// SPDX-License-Identifier: Apache-2.0
// Rules of control flow and of reduce and scan: bodies, what ends them, what they carry.
#include "verify_cases.h"

// ---- for ------------------------------------------------------------------------------------------------------------

typedef struct LoopParts {
    const char *results, *arguments;
    bool carries; // an f32
} LoopParts;

static TirOp *add_for(Case *c, LoopParts parts) {
    TirValue bound = value_of(c, "i32"), init = value_of(c, "f32");
    TirOp *op = add(c, TIR_OP_for, parts.results, (TirValue[]){bound, bound, bound, init}, parts.carries ? 4 : 3);
    enter(c, op, 0, parts.arguments);
    return op;
}

// A for around one op that ends it.
static void for_around(Case *c, LoopParts parts, TirOpKind end, const TirValue *values, size_t count) {
    TirOp *op = add_for(c, parts);
    add(c, end, NULL, values, count);
    leave(c, op);
}

static void for_bounds(Case *c) {
    TirValue narrow = value_of(c, "i32"), wide = value_of(c, "i64");
    TirOp *op = add(c, TIR_OP_for, NULL, VALUES(narrow, wide, narrow));
    enter(c, op, 0, "i32");
    add(c, TIR_OP_continue, NULL, NO_VALUES);
    leave(c, op);
}
static void for_float(Case *c) {
    TirValue bound = value_of(c, "f32");
    TirOp *op = add(c, TIR_OP_for, NULL, VALUES(bound, bound, bound));
    enter(c, op, 0, "f32");
    add(c, TIR_OP_continue, NULL, NO_VALUES);
    leave(c, op);
}
static void for_induction(Case *c) {
    for_around(c, (LoopParts){NULL, "i64", false}, TIR_OP_continue, NO_VALUES);
}
static void for_no_induction(Case *c) {
    for_around(c, (LoopParts){NULL, NULL, false}, TIR_OP_continue, NO_VALUES);
}
static void for_arguments(Case *c) {
    for_around(c, (LoopParts){"f32", "i32", true}, TIR_OP_continue, NO_VALUES);
}
static void for_argument_type(Case *c) {
    for_around(c, (LoopParts){"f32", "i32 f16", true}, TIR_OP_continue, NO_VALUES);
}
static void for_results(Case *c) {
    for_around(c, (LoopParts){"f16", "i32 f32", true}, TIR_OP_continue, NO_VALUES);
}
static void for_end(Case *c) {
    for_around(c, (LoopParts){NULL, "i32", false}, TIR_OP_yield, NO_VALUES);
}
static void for_break(Case *c) {
    for_around(c, (LoopParts){NULL, "i32", false}, TIR_OP_break, NO_VALUES);
}
static void for_no_end(Case *c) {
    TirOp *op = add_for(c, (LoopParts){NULL, "i32", false});
    value_of(c, "f32");
    leave(c, op);
}
static void for_empty(Case *c) {
    leave(c, add_for(c, (LoopParts){NULL, "i32", false}));
}
static void for_no_block(Case *c) {
    TirValue bound = value_of(c, "i32");
    add(c, TIR_OP_for, NULL, VALUES(bound, bound, bound));
}
static void for_two_blocks(Case *c) {
    TirOp *op = add_for(c, (LoopParts){NULL, "i32", false});
    add(c, TIR_OP_continue, NULL, NO_VALUES);
    enter(c, op, 0, "i32");
    add(c, TIR_OP_continue, NULL, NO_VALUES);
    leave(c, op);
}
static void for_continue_types(Case *c) {
    TirOp *op = add_for(c, (LoopParts){"f32", "i32 f32", true});
    add(c, TIR_OP_continue, NULL, VALUES(value_of(c, "f16")));
    leave(c, op);
}
static void for_carries_view(Case *c) {
    TirValue bound = value_of(c, "i32"), view = view_of(c, TIR_TYPE_partition_view, TIR_PAD_none);
    TirType type = tir_value_type(c->function, view), types[] = {tir_value_type(c->function, bound), type};
    TirOp *op = add_typed(c, TIR_OP_for, NULL, 1, &type, 4, (TirValue[]){bound, bound, bound, view});
    c->block = tir_block_add(&op->regions[0], 2, types);
    add(c, TIR_OP_continue, NULL, VALUES(view));
    leave(c, op);
}
static void for_fits(Case *c) {
    TirOp *op = add_for(c, (LoopParts){"f32", "i32 f32", true});
    add(c, TIR_OP_continue, NULL, VALUES(op->regions[0].first->first_argument + 1));
    leave(c, op);
}
static void inner_value_outside(Case *c) {
    TirOp *op = add_for(c, (LoopParts){NULL, "i32", false});
    TirValue inner = value_of(c, "f32");
    add(c, TIR_OP_continue, NULL, NO_VALUES);
    leave(c, op);
    add(c, TIR_OP_absf, "f32", VALUES(inner));
}

Test(verify_control, for_) {
    static const VerifyCase cases[] = {
        {"bounds have one type", for_bounds,
         "'for' op operand 'upper' is tile<i64>, expected the type of 'lower', which is tile<i32>"},
        {"bounds are integers", for_float, "'for' op operand 'lower' is tile<f32>, expected scalar tile of"},
        {"induction variable", for_induction,
         "'for' op has an induction variable of tile<i64>, but bounds of tile<i32>"},
        {"induction variable is there", for_no_induction, "'for' op has a body without arguments"},
        {"an argument for each carried value", for_arguments, "'for' op has a body with 1 arguments, expected 2"},
        {"type of a carried value", for_argument_type,
         "'for' op carries value 0 of tile<f32> into an argument of tile<f16>"},
        {"results are the carried values", for_results,
         "'for' op has results (tile<f16>), expected the types of its initial values, (tile<f32>)"},
        {"ends with continue, not yield", for_end, "'for' op has a body that ends with yield, expected continue"},
        {"ends with continue, not break", for_break, "'for' op has a body that ends with break, expected continue"},
        {"ends with a terminator", for_no_end, "'for' op has a body that ends with constant, expected continue"},
        {"is not empty", for_empty, "'for' op has an empty body"},
        {"has a block", for_no_block, "'for' op has 0 blocks in its body, expected one"},
        {"has one block", for_two_blocks, "'for' op has 2 blocks in its body, expected one"},
        {"what continue passes", for_continue_types, "'continue' op passes (tile<f16>) to 'for', expected (tile<f32>)"},
        {"views are not carried", for_carries_view, "'for' op carries partition_view<"},
        {"a value carried", for_fits, NULL},
        {"values stay in their region", inner_value_outside, "'absf' op operand 0 is value"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- loop and what leaves it ----------------------------------------------------------------------------------------

static void loop_break_types(Case *c) {
    TirOp *op = add(c, TIR_OP_loop, "i32", NO_VALUES);
    enter(c, op, 0, NULL);
    add(c, TIR_OP_break, NULL, VALUES(value_of(c, "f32")));
    leave(c, op);
}
static void loop_continue_types(Case *c) {
    TirOp *op = add(c, TIR_OP_loop, NULL, VALUES(value_of(c, "f32")));
    enter(c, op, 0, "f32");
    add(c, TIR_OP_continue, NULL, NO_VALUES);
    leave(c, op);
}
static void loop_end(Case *c) {
    TirOp *op = add(c, TIR_OP_loop, NULL, NO_VALUES);
    enter(c, op, 0, NULL);
    add(c, TIR_OP_yield, NULL, NO_VALUES);
    leave(c, op);
}
static void loop_arguments(Case *c) {
    TirOp *op = add(c, TIR_OP_loop, NULL, VALUES(value_of(c, "f32")));
    enter(c, op, 0, NULL);
    add(c, TIR_OP_break, NULL, NO_VALUES);
    leave(c, op);
}
static void loop_results_of_its_own(Case *c) {
    TirOp *op = add(c, TIR_OP_loop, "i32 4xf16", VALUES(value_of(c, "f32")));
    enter(c, op, 0, "f32");
    add(c, TIR_OP_break, NULL, VALUES(value_of(c, "i32"), value_of(c, "4xf16")));
    leave(c, op);
}
static TirOp *add_if(Case *c, const char *results) {
    TirOp *op = add(c, TIR_OP_if, results, VALUES(value_of(c, "i1")));
    enter(c, op, 0, NULL);
    return op;
}
static void one_branch(Case *c, TirOpKind end) {
    TirOp *op = add_if(c, NULL);
    add(c, end, NULL, NO_VALUES);
    leave(c, op);
}
static void break_outside(Case *c) {
    one_branch(c, TIR_OP_break);
}
static void continue_outside(Case *c) {
    one_branch(c, TIR_OP_continue);
}
static void break_in_for(Case *c) {
    TirOp *op = add_for(c, (LoopParts){NULL, "i32", false});
    one_branch(c, TIR_OP_break);
    add(c, TIR_OP_continue, NULL, NO_VALUES);
    leave(c, op);
}
static void return_in_for(Case *c) {
    TirOp *op = add_for(c, (LoopParts){NULL, "i32", false});
    one_branch(c, TIR_OP_return);
    add(c, TIR_OP_continue, NULL, NO_VALUES);
    leave(c, op);
}
static void return_in_loop(Case *c) {
    TirOp *op = add(c, TIR_OP_loop, NULL, NO_VALUES);
    enter(c, op, 0, NULL);
    one_branch(c, TIR_OP_return);
    add(c, TIR_OP_continue, NULL, NO_VALUES);
    leave(c, op);
}
static void return_value(Case *c) {
    TirOp *op = add_if(c, NULL);
    add(c, TIR_OP_return, NULL, VALUES(value_of(c, "f32")));
    leave(c, op);
}

Test(verify_control, loop) {
    static const VerifyCase cases[] = {
        {"what break passes", loop_break_types, "'break' op passes (tile<f32>) to 'loop', expected (tile<i32>)"},
        {"what continue passes", loop_continue_types, "'continue' op passes () to 'loop', expected (tile<f32>)"},
        {"ends with continue, break or return", loop_end,
         "'loop' op has a body that ends with yield, expected continue, break or return"},
        {"an argument for each carried value", loop_arguments, "'loop' op has a body with 0 arguments, expected 1"},
        {"results come from break", loop_results_of_its_own, NULL},
        {"break needs a loop", break_outside, "'break' op is inside entry, expected loop"},
        {"continue needs a loop", continue_outside, "'continue' op is inside entry, expected for or loop"},
        {"no break out of for", break_in_for, "'break' op is inside for, expected loop"},
        {"no return out of for", return_in_for, "'return' op is inside for, expected the entry, if or loop"},
        {"return out of loop", return_in_loop, NULL},
        {"return passes nothing", return_value, "'return' op returns 1 values"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- if -------------------------------------------------------------------------------------------------------------

static void if_condition(Case *c) {
    TirOp *op = add(c, TIR_OP_if, NULL, VALUES(value_of(c, "4xi1")));
    enter(c, op, 0, NULL);
    leave(c, op);
}
static void if_no_else(Case *c) {
    TirOp *op = add_if(c, "f32");
    add(c, TIR_OP_yield, NULL, VALUES(value_of(c, "f32")));
    leave(c, op);
}
static void if_no_then(Case *c) {
    add(c, TIR_OP_if, NULL, VALUES(value_of(c, "i1")));
}
static void if_yield_type(Case *c) {
    TirOp *op = add_if(c, "f32");
    add(c, TIR_OP_yield, NULL, VALUES(value_of(c, "f32")));
    enter(c, op, 1, NULL);
    add(c, TIR_OP_yield, NULL, VALUES(value_of(c, "f16")));
    leave(c, op);
}
static void if_yields_nothing(Case *c) {
    TirOp *op = add_if(c, "f32");
    add(c, TIR_OP_yield, NULL, NO_VALUES);
    enter(c, op, 1, NULL);
    add(c, TIR_OP_yield, NULL, NO_VALUES);
    leave(c, op);
}
static void if_yields_too_much(Case *c) {
    TirOp *op = add_if(c, NULL);
    add(c, TIR_OP_yield, NULL, VALUES(value_of(c, "f32")));
    leave(c, op);
}
static void if_arguments(Case *c) {
    TirOp *op = add(c, TIR_OP_if, NULL, VALUES(value_of(c, "i1")));
    enter(c, op, 0, "f32");
    add(c, TIR_OP_yield, NULL, NO_VALUES);
    leave(c, op);
}
static void if_end(Case *c) {
    TirOp *op = add_if(c, NULL);
    value_of(c, "f32");
    leave(c, op);
}
static void if_empty_else(Case *c) {
    TirOp *op = add_if(c, NULL);
    add(c, TIR_OP_yield, NULL, NO_VALUES);
    enter(c, op, 1, NULL);
    leave(c, op);
}
static void yield_outside(Case *c) {
    TirOp *op = add(c, TIR_OP_loop, NULL, NO_VALUES);
    enter(c, op, 0, NULL);
    add(c, TIR_OP_yield, NULL, NO_VALUES);
    add(c, TIR_OP_break, NULL, NO_VALUES);
    leave(c, op);
}
static void if_fits(Case *c) {
    TirOp *op = add_if(c, "f32");
    add(c, TIR_OP_yield, NULL, VALUES(value_of(c, "f32")));
    enter(c, op, 1, NULL);
    add(c, TIR_OP_yield, NULL, VALUES(value_of(c, "f32")));
    leave(c, op);
}
static void if_returns_view(Case *c) {
    TirValue view = view_of(c, TIR_TYPE_partition_view, TIR_PAD_none), condition = value_of(c, "i1");
    TirType type = tir_value_type(c->function, view);
    TirOp *op = add_typed(c, TIR_OP_if, NULL, 1, &type, 1, &condition);
    for (uint32_t r = 0; r < 2; r++) {
        enter(c, op, r, NULL);
        add(c, TIR_OP_yield, NULL, VALUES(view));
    }
    leave(c, op);
}
static void sibling_value(Case *c) {
    TirOp *op = add_if(c, NULL);
    TirValue inner = value_of(c, "f32");
    add(c, TIR_OP_yield, NULL, NO_VALUES);
    enter(c, op, 1, NULL);
    add(c, TIR_OP_absf, "f32", VALUES(inner));
    add(c, TIR_OP_yield, NULL, NO_VALUES);
    leave(c, op);
}

Test(verify_control, if_) {
    static const VerifyCase cases[] = {
        {"condition is one bit", if_condition, "'if' op operand 'condition' is tile<4xi1>, expected scalar tile of i1"},
        {"results need an else", if_no_else, "'if' op has results (tile<f32>) but no else branch"},
        {"has a then branch", if_no_then, "'if' op has 0 blocks in its then branch, expected one"},
        {"yielded types", if_yield_type, "'if' op gets (tile<f16>) from its else branch, expected (tile<f32>)"},
        {"yields something", if_yields_nothing, "'if' op gets () from its then branch, expected (tile<f32>)"},
        {"yields nothing more", if_yields_too_much, "'if' op gets (tile<f32>) from its then branch, expected ()"},
        {"branches have no arguments", if_arguments, "'if' op has a then branch with 1 arguments, expected none"},
        {"branches end", if_end,
         "'if' op has a then branch that ends with constant, expected yield, break, continue or return"},
        {"an else branch is not empty", if_empty_else, "'if' op has an empty else branch"},
        {"yield needs if, reduce or scan", yield_outside, "'yield' op ends its block, but another op follows"},
        {"two branches that yield", if_fits, NULL},
        {"views are no results", if_returns_view, "'if' op has result 0 of partition_view<"},
        {"values stay in their branch", sibling_value, "which is not defined before this op"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- reduce and scan ------------------------------------------------------------------------------------------------

typedef struct Aggregate { // defaults: a sum of the rows of 4x8xf32
    TirOpKind kind;
    const char *operand, *result, *arguments, *yields, *identity;
    uint64_t dim, identity_bits;
    size_t identities;
    bool impure, two_shapes;
} Aggregate;

static TirAttribute *identity_of(Case *c, const char *kind, size_t count, uint64_t bits) {
    TirAttribute *items = arena_array(&c->module->arena, TirAttribute, count + 1);
    TirTypeKind number = kind_named(kind);
    for (size_t i = 0; i < count; i++)
        items[i] =
            (TirAttribute){.present = true,
                           .tag = tir_type_rows[number].class == TIR_CLASS_FLOAT ? TIR_TAG_FLOAT : TIR_TAG_INTEGER,
                           .type = tir_type_scalar(c->module, number),
                           .integer = bits};
    return items;
}

static void aggregate(Case *c, Aggregate a) {
    TirValue operands[] = {value_of(c, a.operand ? a.operand : "4x8xf32"), a.two_shapes ? value_of(c, "8x4xf32") : 0};
    TirOp *op = add(c, a.kind ? a.kind : TIR_OP_reduce, a.result ? a.result : "4xf32", operands, 1 + a.two_shapes);
    set(op, "dim", a.dim);
    if (op->kind == TIR_OP_scan) set(op, "reverse", 0);
    TirAttribute *identities = tir_op_set(op, "identities");
    identities->length = a.identities;
    identities->items = identity_of(c, a.identity ? a.identity : "f32", a.identities, a.identity_bits);
    enter(c, op, 0, a.arguments ? a.arguments : "f32 f32");
    TirValue first = op->regions[0].first->first_argument;
    if (a.impure) set_text(add(c, TIR_OP_assert, NULL, VALUES(value_of(c, "i1"))), "message", "no");
    TirValue sum = a.yields ? value_of(c, a.yields) : first;
    add(c, TIR_OP_yield, NULL, &sum, 1);
    leave(c, op);
}

static void reduce_fits(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 1});
}
static void reduce_dim(Case *c) {
    aggregate(c, (Aggregate){.dim = 2, .identities = 1});
}
static void reduce_negative_dim(Case *c) {
    aggregate(c, (Aggregate){.dim = UINT32_MAX, .identities = 1});
}
static void reduce_result(Case *c) {
    aggregate(c, (Aggregate){.dim = 0, .identities = 1});
}
static void reduce_result_element(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 1, .result = "4xf16"});
}
static void reduce_result_count(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 1, .result = "4xf32 4xf32"});
}
static void reduce_shapes(Case *c) {
    aggregate(
        c, (Aggregate){
               .dim = 1, .identities = 2, .two_shapes = true, .result = "4xf32 4xf32", .arguments = "f32 f32 f32 f32"});
}
static void reduce_identities(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 2});
}
static void reduce_identity_type(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 1, .identity = "f64"});
}
static void reduce_identity_bits(Case *c) {
    aggregate(c, (Aggregate){.dim = 1,
                             .identities = 1,
                             .operand = "4x8xf16",
                             .result = "4xf16",
                             .arguments = "f16 f16",
                             .identity = "f16",
                             .identity_bits = 0xff800000});
}
static void reduce_halves(Case *c) {
    aggregate(c, (Aggregate){.dim = 1,
                             .identities = 1,
                             .operand = "4x8xbf16",
                             .result = "4xbf16",
                             .arguments = "bf16 bf16",
                             .identity = "f16"});
}
static void reduce_arguments(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 1, .arguments = "f32"});
}
static void reduce_argument_type(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 1, .arguments = "f32 f16"});
}
static void reduce_argument_rank(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 1, .arguments = "1xf32 1xf32"});
}
static void reduce_yield_type(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 1, .yields = "f64"});
}
static void reduce_yield_tile(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 1, .yields = "4xf32"});
}
static void reduce_impure(Case *c) {
    aggregate(c, (Aggregate){.dim = 1, .identities = 1, .impure = true});
}
static void reduce_around(Case *c, bool loops) {
    TirOp *op = set(add(c, TIR_OP_reduce, "4xf32", VALUES(value_of(c, "4x8xf32"))), "dim", 1);
    TirAttribute *identities = tir_op_set(op, "identities");
    identities->length = 1;
    identities->items = identity_of(c, "f32", 1, 0);
    enter(c, op, 0, "f32 f32");
    if (loops)
        for_fits(c);
    else
        if_fits(c);
    add(c, TIR_OP_yield, NULL, VALUES(op->regions[0].first->first_argument));
    leave(c, op);
}
static void reduce_loop(Case *c) {
    reduce_around(c, true);
}
static void reduce_if(Case *c) {
    reduce_around(c, false);
}
static void reduce_nothing(Case *c) {
    TirOp *op = set(add(c, TIR_OP_reduce, NULL, NO_VALUES), "dim", 0);
    tir_op_set(op, "identities");
    enter(c, op, 0, NULL);
    add(c, TIR_OP_yield, NULL, NO_VALUES);
    leave(c, op);
}
static void scan_result(Case *c) {
    aggregate(c, (Aggregate){.kind = TIR_OP_scan, .dim = 1, .identities = 1});
}
static void scan_fits(Case *c) {
    aggregate(c, (Aggregate){.kind = TIR_OP_scan, .dim = 1, .identities = 1, .result = "4x8xf32"});
}

Test(verify_control, reduce_and_scan) {
    static const VerifyCase cases[] = {
        {"a sum of rows", reduce_fits, NULL},
        {"dim is a dimension", reduce_dim, "'reduce' op has dim 2, expected 0 to less than the rank 2"},
        {"dim is not negative", reduce_negative_dim, "'reduce' op has dim -1, expected"},
        {"the reduced dimension goes", reduce_result,
         "'reduce' op has result 0 of tile<4xf32>, expected that of operand tile<4x8xf32> without the reduced "
         "dimension"},
        {"elements stay", reduce_result_element, "'reduce' op has result 0 of tile<4xf16>"},
        {"a result for each operand", reduce_result_count, "'reduce' op has 2 results for 1 operands"},
        {"operands have one shape", reduce_shapes,
         "'reduce' op has operand 1 of tile<8x4xf32>, expected the shape [4, 8] of the first"},
        {"an identity for each operand", reduce_identities, "'reduce' op has 2 identities for 1 operands"},
        {"type of an identity", reduce_identity_type, "'reduce' op has identity 0 of f64 for elements of f32"},
        {"bits of an identity", reduce_identity_bits,
         "'reduce' op has identity 0 of 0xff800000, which does not fit f16"},
        {"f16 stands for bf16", reduce_halves, NULL},
        {"two arguments for each operand", reduce_arguments, "'reduce' op has a body with 1 arguments, expected 2"},
        {"type of an argument", reduce_argument_type,
         "'reduce' op has a body that takes tile<f16>, expected a scalar tile of f32"},
        {"arguments are scalars", reduce_argument_rank,
         "'reduce' op has a body that takes tile<1xf32>, expected a scalar tile of f32"},
        {"type of what is yielded", reduce_yield_type,
         "'reduce' op has a body that yields tile<f64>, expected a scalar tile of f32"},
        {"a scalar is yielded", reduce_yield_tile,
         "'reduce' op has a body that yields tile<4xf32>, expected a scalar tile of f32"},
        {"no side effects", reduce_impure, "'assert' op has side effects, which the body of 'reduce' must not have"},
        {"no loop in a body", reduce_loop, "'for' op has side effects, which the body of 'reduce' must not have"},
        {"an if in a body", reduce_if, NULL},
        {"something to reduce", reduce_nothing, "'reduce' op has no operands"},
        {"scan keeps the shape", scan_result,
         "'scan' op has result 0 of tile<4xf32>, expected that of operand tile<4x8xf32>"},
        {"a scan of rows", scan_fits, NULL},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}
