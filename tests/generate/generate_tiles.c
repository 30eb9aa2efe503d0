// SPDX-License-Identifier: Apache-2.0
// Constants, ops that move tiles around, matrix products.
#include "tests/generate/generate.h"

// Elements of any kind, and a shape that they fit in.
static TirType random_element(Generator *g, const Shape *shape) {
    TirTypeKind kind = random_kind_for(g, KINDS_NUMBER | KIND(i4) | KIND(ptr), shape);
    return kind == TIR_TYPE_ptr ? pointer_to(g, tir_type_scalar(g->module, random_kind(g, KINDS_NUMBER)), ANY_POINTER)
                                : tir_type_scalar(g->module, kind);
}

// An op from a tile of `from` to one of `to`, with elements that both can hold.
static void set_shapes(Generator *g, Plan *plan, const Shape *from, const Shape *to) {
    TirType element = random_element(g, shape_elements(from) < shape_elements(to) ? from : to);
    plan->operands[0] = tile_of(g, element, from);
    plan->results[0] = tile_of(g, element, to);
}

TirOp *make_constant(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan_types(g, &plan);
    plan_attribute(&plan, "value")->constant = random_constant(g, plan.results[0]);
    return plan_add(g, &plan);
}

TirOp *make_broadcast(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Shape to = random_shape(g, ANY_RANK), from = to;
    for (uint32_t i = 0; i < from.rank; i++)
        if (one_in(g, 2)) from.sizes[i] = 1;
    set_shapes(g, &plan, &from, &to);
    return plan_add(g, &plan);
}

// The elements of `from` in another shape.
static Shape other_shape(Generator *g, const Shape *from) {
    int64_t left = shape_elements(from);
    Shape to = {.rank = (uint32_t)below(g, SHAPE_RANK_MAX)};
    if (!to.rank && left > 1) to.rank = 1;
    for (uint32_t i = 0; i < to.rank; i++) to.sizes[i] = 1;
    while (left > 1) to.sizes[below(g, to.rank)] *= 2, left /= 2;
    return to;
}

TirOp *make_reshape(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Shape from = random_shape(g, ANY_RANK), to = other_shape(g, &from);
    set_shapes(g, &plan, &from, &to);
    return plan_add(g, &plan);
}

TirOp *make_cat(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Shape from = random_shape(g, 1 + (int)below(g, SHAPE_RANK_MAX - 1)), to = from;
    uint64_t dim = below(g, from.rank);
    to.sizes[dim] *= 2; // both halves are powers of two, and so is their sum
    set_shapes(g, &plan, &from, &to);
    plan.operands[1] = plan.operands[0];
    plan_attribute(&plan, "dim")->integer = dim;
    return plan_add(g, &plan);
}

static Shape random_slice(Generator *g, const Shape *whole) {
    Shape part = *whole;
    for (uint32_t i = 0; i < part.rank; i++) part.sizes[i] >>= below(g, 3);
    for (uint32_t i = 0; i < part.rank; i++)
        if (!part.sizes[i]) part.sizes[i] = 1;
    return part;
}

TirOp *make_extract(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Shape whole = random_shape(g, ANY_RANK), part = random_slice(g, &whole);
    set_shapes(g, &plan, &whole, &part);
    *plan_count(&plan, "indices") = whole.rank;
    plan_types(g, &plan);
    return plan_add(g, &plan);
}

TirOp *make_insert(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Shape whole = random_shape(g, ANY_RANK), part = random_slice(g, &whole);
    set_shapes(g, &plan, &part, &whole);
    *plan_operand(&plan, "destination") = plan.results[0];
    *plan_count(&plan, "indices") = whole.rank;
    plan_types(g, &plan);
    return plan_add(g, &plan);
}

TirOp *make_permute(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Shape from = random_shape(g, 2 + (int)below(g, SHAPE_RANK_MAX - 2)), to = from;
    TirAttribute *permutation = plan_attribute(&plan, "permutation");
    int64_t *numbers = arena_array(&g->module->arena, int64_t, from.rank);
    permutation->length = from.rank;
    permutation->numbers = numbers;
    for (uint32_t i = 0; i < from.rank; i++) {
        uint64_t other = below(g, i + 1);
        numbers[i] = numbers[other];
        numbers[other] = i;
    }
    for (uint32_t i = 0; i < from.rank; i++) to.sizes[i] = from.sizes[numbers[i]];
    set_shapes(g, &plan, &from, &to);
    return plan_add(g, &plan);
}

TirOp *make_iota(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    TirTypeKind element = random_kind(g, KINDS_INTEGER);
    Shape shape = random_shape(g, 1);
    if (element == TIR_TYPE_i1 && shape.sizes[0] > 2) shape.sizes[0] = 2;
    if (element == TIR_TYPE_i8 && shape.sizes[0] > 256) shape.sizes[0] = 256;
    plan.results[0] = number_tile(g, element, &shape);
    return plan_add(g, &plan);
}

TirOp *make_select(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Shape shape = random_shape(g, ANY_RANK), single = {0}; // no f4E2M1FN
    *plan_operand(&plan, "cond") = number_tile(g, TIR_TYPE_i1, &shape);
    *plan_operand(&plan, "true") = tile_of(g, random_element(g, &single), &shape);
    plan_types(g, &plan);
    return plan_add(g, &plan);
}

// ---- pack and unpack ------------------------------------------------------------------------------------------------

// Elements that are not i8 wide and, as many as take `*bytes` bytes, their tile.
static TirType random_packable(Generator *g, Shape *bytes) {
    uint32_t kinds = 0;
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++)
        if ((KINDS_NUMBER | KIND(i4)) >> kind & 1 && tir_type_rows[kind].bits != 8) kinds |= 1u << kind;
    TirTypeKind kind = random_kind(g, kinds);
    const uint32_t wider = KIND(tf32) | KIND(f6E2M3FN) | KIND(f6E3M2FN); // which have bits that are not their own
    int64_t bits = wider >> kind & 1 ? 8 * tir_type_rows[kind].storage_bytes : tir_type_rows[kind].bits;
    Shape shape = {1, {(int64_t)8 << below(g, 4)}}; // whole bytes of any of them
    *bytes = (Shape){1, {shape.sizes[0] * bits / 8}};
    return number_tile(g, kind, &shape);
}

TirOp *make_pack(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Shape bytes;
    plan.operands[0] = random_packable(g, &bytes);
    plan.results[0] = number_tile(g, TIR_TYPE_i8, &bytes);
    return plan_add(g, &plan);
}

TirOp *make_unpack(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Shape bytes;
    plan.results[0] = random_packable(g, &bytes);
    plan.operands[0] = number_tile(g, TIR_TYPE_i8, &bytes);
    return plan_add(g, &plan);
}

// ---- matrix products ------------------------------------------------------------------------------------------------

// `rows` x `columns`, with the batch in front if there is one.
static TirType matrix_of(Generator *g, TirTypeKind kind, int64_t batch, int64_t rows, int64_t columns) {
    Shape flat = {2, {rows, columns}}, batched = {3, {batch, rows, columns}};
    return number_tile(g, kind, batch ? &batched : &flat);
}

typedef struct Product {
    int64_t batch, m, n, k; // batch 0: none
} Product;

static Product random_product(Generator *g) {
    Product product = {0, (int64_t)1 << below(g, 4), (int64_t)1 << below(g, 4), (int64_t)1 << below(g, 4)};
    if (one_in(g, 2)) product.batch = (int64_t)1 << below(g, 3);
    return product;
}

static void set_product(Generator *g, Plan *plan, const Product *p, TirTypeKind input, TirTypeKind sum) {
    *plan_operand(plan, "lhs") = matrix_of(g, input, p->batch, p->m, p->k);
    *plan_operand(plan, "rhs") = matrix_of(g, input, p->batch, p->k, p->n);
    *plan_operand(plan, "acc") = plan->results[0] = matrix_of(g, sum, p->batch, p->m, p->n);
}

TirOp *make_mmaf(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Product product = random_product(g);
    TirTypeKind input =
        random_kind(g, KIND(f16) | KIND(bf16) | KIND(f32) | KIND(f64) | KIND(tf32) | KIND(f8E4M3FN) | KIND(f8E5M2));
    bool half = (KIND(f16) | KIND(f8E4M3FN) | KIND(f8E5M2)) >> input & 1;
    TirTypeKind sum = input == TIR_TYPE_f64 ? TIR_TYPE_f64 : half && one_in(g, 2) ? TIR_TYPE_f16 : TIR_TYPE_f32;
    set_product(g, &plan, &product, input, sum);
    return plan_add(g, &plan);
}

TirOp *make_mmai(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Product product = random_product(g);
    set_product(g, &plan, &product, TIR_TYPE_i8, TIR_TYPE_i32);
    return plan_add(g, &plan);
}

TirOp *make_mmaf_scaled(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Product product = random_product(g);
    TirTypeKind input = random_kind(g, KIND(f8E4M3FN) | KIND(f8E5M2) | KIND(f4E2M1FN));
    bool nibbles = input == TIR_TYPE_f4E2M1FN;
    TirTypeKind scale =
        nibbles ? random_kind(g, KIND(f8E4M3FN) | KIND(f8E8M0FNU) | KIND(fnv8E5M3FNU)) : TIR_TYPE_f8E8M0FNU;
    int64_t elements = !nibbles ? 32 : scale == TIR_TYPE_f8E4M3FN ? 16 : 16 << below(g, 2), scales = product.k;
    product.k *= elements;
    set_product(g, &plan, &product, input, TIR_TYPE_f32);
    *plan_operand(&plan, "lhs_scale") = matrix_of(g, scale, product.batch, product.m, scales);
    *plan_operand(&plan, "rhs_scale") = matrix_of(g, scale, product.batch, scales, product.n);
    return plan_add(g, &plan);
}

// Operands of 8 bits and less may differ.
static TirOp *make_plain_dot(Generator *g, Plan *plan) {
    const uint32_t small = KIND(f8E4M3FN) | KIND(f8E5M2) | KIND(f4E2M1FN) | KINDS_TEXT;
    Product product = random_product(g);
    TirTypeKind input = random_kind(g, small | KIND(f16) | KIND(bf16) | KIND(f32) | KIND(f64) | KIND(tf32)),
                other = input;
    if (small >> input & 1) {
        other = random_kind(g, small);
        product.k *= 2; // two f4 share a byte
    }
    const bool half = (small | KIND(f16)) >> input & 1;
    TirTypeKind sum = input == TIR_TYPE_f64 ? TIR_TYPE_f64 : half && one_in(g, 2) ? TIR_TYPE_f16 : TIR_TYPE_f32;
    plan->counts[3] = plan->counts[4] = 0;
    set_product(g, plan, &product, input, sum);
    *plan_operand(plan, "rhs") = matrix_of(g, other, product.batch, product.k, product.n);
    return plan_add(g, plan);
}

static TirOp *make_scaled_dot(Generator *g, Plan *plan) {
    const uint32_t any = KIND(f8E4M3FN) | KIND(f8E5M2) | KIND(f6E2M3FN) | KIND(f6E3M2FN) | KIND(f4E2M1FN);
    Product product = random_product(g);
    TirTypeKind input = random_kind(g, any), other = random_kind(g, any);
    const bool nibbles = input == TIR_TYPE_f4E2M1FN && other == input, of_16 = nibbles && one_in(g, 2);
    TirTypeKind scale = of_16 && one_in(g, 2) ? TIR_TYPE_f8E4M3FN : TIR_TYPE_f8E8M0FNU;
    const int64_t scales = product.k;
    product.k *= of_16 ? 16 : 32;
    plan->counts[3] = plan->counts[4] = 1;
    set_product(g, plan, &product, input, TIR_TYPE_f32);
    *plan_operand(plan, "rhs") = matrix_of(g, other, product.batch, product.k, product.n);
    *plan_operand(plan, "lhs_scale") = matrix_of(g, scale, product.batch, product.m, scales);
    *plan_operand(plan, "rhs_scale") = matrix_of(g, scale, product.batch, scales, product.n);
    return plan_add(g, plan);
}

TirOp *make_dot(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    const bool scaled = g->module->version >= 1303 && one_in(g, 2); // whose types are that new
    return scaled ? make_scaled_dot(g, &plan) : make_plain_dot(g, &plan);
}

TirOp *make_gather(Generator *g, TirOpKind kind) {
    const uint32_t kinds = KIND(i1) | KIND(i8) | KIND(i16) | KIND(i32) | KIND(i64) | KIND(f16) | KIND(bf16) |
                           KIND(f32) | KIND(f64) | KIND(f8E4M3FN) | KIND(f8E5M2);
    const TirTypeKind element = random_kind(g, kinds), integer = one_in(g, 2) ? TIR_TYPE_i32 : TIR_TYPE_i64;
    Shape shape = random_shape(g, 1 + (int)below(g, SHAPE_RANK_MAX - 1)), chosen = shape;
    const uint32_t dim = (uint32_t)below(g, shape.rank);
    chosen.sizes[dim] = INT64_C(1) << below(g, 3);
    const TirValue operands[] = {value_of(g, number_tile(g, element, &shape)),
                                 value_of(g, number_tile(g, integer, &chosen))};
    const TirType result = number_tile(g, element, &chosen);
    TirOp *op = add_op(g, kind, 2, operands, NULL, 1, &result);
    tir_op_set(op, "dim")->integer = dim;
    return op;
}
