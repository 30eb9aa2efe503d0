// SPDX-License-Identifier: Apache-2.0
// Memory: pointers, views, atomics, tokens, globals, assumptions, print.
#include "base/block_abi.h"
#include "tests/generate/generate.h"

#define ORDER(ordering) (1u << TIR_memory_ordering_##ordering)

// ---- orderings ------------------------------------------------------------------------------------------------------

// Weak accesses have no scope, all others one.
static void choose_ordering(Generator *g, Plan *plan, uint32_t orderings) {
    bool weak = plan_word(g, plan, "ordering", orderings) == TIR_memory_ordering_weak;
    if (weak)
        plan_attribute(plan, "scope")->present = false;
    else
        plan_word(g, plan, "scope", UINT64_MAX);
}

enum {
    ORDERS_LOAD = ORDER(weak) | ORDER(relaxed) | ORDER(acquire),
    ORDERS_STORE = ORDER(weak) | ORDER(relaxed) | ORDER(release),
    ORDERS_ATOMIC = ORDER(relaxed) | ORDER(acquire) | ORDER(release) | ORDER(acq_rel),
};

// ---- pointers -------------------------------------------------------------------------------------------------------

static TirType random_number_tile(Generator *g, uint32_t kinds) {
    Shape shape = random_shape(g, ANY_RANK);
    return number_tile(g, random_kind_for(g, kinds, &shape), &shape);
}

TirOp *make_load_ptr(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan.results[0] = random_number_tile(g, KINDS_POINTEE);
    choose_ordering(g, &plan, ORDERS_LOAD);
    plan_types(g, &plan);
    return plan_add(g, &plan);
}

TirOp *make_store_ptr(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    *plan_operand(&plan, "value") = random_number_tile(g, KINDS_POINTEE);
    choose_ordering(g, &plan, ORDERS_STORE);
    plan_types(g, &plan);
    return plan_add(g, &plan);
}

// Chooses a mode and the kinds of elements it is for.
static uint32_t choose_mode(Generator *g, Plan *plan, uint64_t modes) {
    uint64_t mode = plan_word(g, plan, "mode", modes);
    if (mode == TIR_atomic_mode_addf) return KIND(f16) | KIND(bf16) | KIND(f32) | KIND(f64);
    return KIND(i32) | KIND(i64) | (mode == TIR_atomic_mode_xchg ? KIND(f32) | KIND(f64) : 0);
}

static TirOp *add_atomic(Generator *g, Plan *plan, const char *value, uint32_t kinds) {
    Shape shape = random_shape(g, ANY_RANK);
    TirTypeKind element = random_kind(g, kinds);
    *plan_operand(plan, value) = number_tile(g, element, &shape);
    *plan_operand(plan, "pointers") = pointer_tile(g, element, &shape);
    choose_ordering(g, plan, ORDERS_ATOMIC);
    plan_types(g, plan);
    return plan_add(g, plan);
}

TirOp *make_atomic_cas(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    return add_atomic(g, &plan, "cmp", KIND(i32) | KIND(i64) | KIND(f32) | KIND(f64));
}

TirOp *make_atomic_rmw(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    return add_atomic(g, &plan, "arg", choose_mode(g, &plan, UINT64_MAX));
}

TirOp *make_alloca(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    TirTypeKind element = random_kind(g, KINDS_NUMBER);
    plan.results[0] = pointer_tile(g, element, &(Shape){0});
    plan_attribute(&plan, "num_elem")->integer = one_in(g, 10) ? (uint64_t)INT64_MAX : below(g, 300);
    plan_attribute(&plan, "alignment")->integer = (uint64_t)tir_type_rows[element].storage_bytes << below(g, 8);
    return plan_add(g, &plan);
}

TirOp *make_get_global(Generator *g, TirOpKind kind) {
    if (!g->module->global_count) return NULL;
    const TirGlobal *global = &g->module->globals[below(g, g->module->global_count)];
    Plan plan = plan_open(g, kind);
    plan.results[0] = tile_of(g, pointer_to(g, tir_type(g->module, global->type)->element, ANY_POINTER), &(Shape){0});
    TirAttribute *name = plan_attribute(&plan, "name");
    name->text = global->name;
    for (name->length = 0; name->text[name->length];) name->length++;
    return plan_add(g, &plan);
}

// ---- views ----------------------------------------------------------------------------------------------------------

TirOp *make_make_tensor_view(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan.results[0] = random_tensor_view(g, KINDS_NUMBER, ANY_RANK);
    const TirTypeInfo info = *tir_type(g->module, plan.results[0]);
    uint32_t *shape = plan_count(&plan, "shape"), *strides = plan_count(&plan, "strides");
    *plan_operand(&plan, "base") = tile_of(g, pointer_to(g, info.element, info.ptr_attr), &(Shape){0});
    *shape = *strides = 0;
    for (uint32_t i = 0; i < info.rank; i++) {
        *shape += info.shape[i] == TIR_DYNAMIC;
        *strides += info.strides[i] == TIR_DYNAMIC;
    }
    *plan_operand(&plan, "shape") = *plan_operand(&plan, "strides") = scalar_of(g, random_kind(g, KINDS_INTEGER));
    return plan_add(g, &plan);
}

TirOp *make_make_view(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan.results[0] = random_view(g, plan.info->results[0].type.kinds, KINDS_NUMBER, true);
    plan.operands[0] = tir_type(g->module, plan.results[0])->element;
    return plan_add(g, &plan);
}

static TirOp *add_extents(Generator *g, Plan *plan) {
    TirType extent = scalar_of(g, random_kind(g, KINDS_INTEGER));
    plan_types(g, plan);
    plan->result_count = tir_type(g->module, plan->operands[0])->rank;
    for (uint32_t i = 0; i < plan->result_count; i++) plan->results[i] = extent;
    return plan_add(g, plan);
}

TirOp *make_get_index_space_shape(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    return add_extents(g, &plan);
}

TirOp *make_get_tensor_shape(Generator *g, TirOpKind kind) {
    // NVIDIA's disassembler ends with SIGSEGV on a tensor of rank 0.
    Plan plan = plan_open(g, kind);
    plan.operands[0] = random_tensor_view(g, KINDS_NUMBER, 1 + (int)below(g, SHAPE_RANK_MAX - 1));
    return add_extents(g, &plan);
}

// What can be accessed: two f4E2M1FN share a byte along one dimension, which no rows are chosen of.
static TirType accessible(Generator *g, TirType type) {
    TirTypeInfo view = *tir_type(g->module, type), tensor = *tir_type(g->module, view.element);
    int64_t strides[SHAPE_RANK_MAX];
    int32_t dim_map[SHAPE_RANK_MAX];
    uint32_t packed = (uint32_t)below(g, tensor.rank);
    if (tir_type(g->module, tensor.element)->kind != TIR_TYPE_f4E2M1FN) return type;
    if (view.kind == TIR_TYPE_gather_scatter_view) {
        if (view.sparse_dim == packed) packed = (packed + 1) % tensor.rank;
        if (tensor.rank == 1) view.kind = TIR_TYPE_partition_view;
        for (uint32_t i = 0; i < tensor.rank; i++) dim_map[i] = (int32_t)i;
        view.dim_map = dim_map;
    }
    for (uint32_t i = 0; i < tensor.rank; i++)
        strides[i] = i == packed ? 1 : tensor.strides[i] == 1 ? 2 : tensor.strides[i];
    tensor.strides = strides;
    view.element = tir_type_intern(g->module, &tensor);
    return tir_type_intern(g->module, &view);
}

// Indices of one type; the sparse dimension of a gather_scatter_view has a row number for each element.
static TirOp *add_access(Generator *g, Plan *plan, TirType view, TirType *tile) {
    const TirTypeInfo info = *tir_type(g->module, view);
    TirType scalar = scalar_of(g, random_kind(g, KINDS_INTEGER));
    Shape shape = shape_of(g, view);
    *plan_operand(plan, "view") = view;
    *plan_count(plan, "index") = info.rank;
    *tile = tile_of(g, tir_type(g->module, info.element)->element, &shape);
    plan->has_each = true;
    for (uint32_t i = 0; i < info.rank; i++) {
        bool sparse = info.kind == TIR_TYPE_gather_scatter_view && i == info.sparse_dim;
        Shape rows = {1, {info.shape[i]}};
        plan->each[i] = sparse ? number_tile(g, random_kind(g, KINDS_INTEGER), &rows) : scalar;
    }
    *plan_operand(plan, "index") = scalar;
    plan_types(g, plan);
    return plan_add(g, plan);
}

TirOp *make_load_view(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    choose_ordering(g, &plan, ORDERS_LOAD);
    return add_access(g, &plan, accessible(g, random_view(g, KINDS_VIEW, KINDS_NUMBER, true)), &plan.results[0]);
}

TirOp *make_store_view(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    choose_ordering(g, &plan, ORDERS_STORE);
    return add_access(g, &plan, accessible(g, random_view(g, KINDS_VIEW, KINDS_NUMBER, true)),
                      plan_operand(&plan, "tile"));
}

TirOp *make_atomic_red_view(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    uint32_t kinds = choose_mode(g, &plan, ~(UINT64_C(1) << TIR_atomic_mode_xchg));
    plan_word(g, &plan, "ordering", ORDER(relaxed));
    plan_word(g, &plan, "scope", ~(UINT64_C(1) << TIR_memory_scope_sys));
    TirType view = random_view(g, KIND(partition_view) | KIND(strided_view), kinds, false);
    return add_access(g, &plan, view, plan_operand(&plan, "value"));
}

// A partition_view of multicast memory. 16-bit elements lie in pairs along one dimension of stride 1.
static TirType multimem_view(Generator *g, uint32_t kinds) {
    TirTypeInfo view = *tir_type(g->module, random_view(g, KIND(partition_view), kinds, true));
    TirTypeInfo tensor = *tir_type(g->module, view.element);
    int64_t strides[SHAPE_RANK_MAX];
    const uint32_t packed = (uint32_t)below(g, tensor.rank);
    for (uint32_t i = 0; i < tensor.rank; i++)
        strides[i] = i == packed ? 1 : tensor.strides[i] == 1 ? 2 : tensor.strides[i];
    tensor.strides = strides;
    tensor.ptr_attr = TIR_pointer_attribute_multicast;
    view.element = tir_type_intern(g->module, &tensor);
    return tir_type_intern(g->module, &view);
}

TirOp *make_multimem_load_reduce(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    choose_ordering(g, &plan, ORDERS_LOAD);
    const uint64_t reduction = plan_word(g, &plan, "reduction", UINT64_MAX);
    uint32_t kinds = KIND(i32) | KIND(i64);
    if (reduction <= TIR_multimem_reduction_max) kinds |= KIND(f16) | KIND(bf16);
    if (reduction == TIR_multimem_reduction_add) kinds |= KIND(f32) | KIND(f64);
    return add_access(g, &plan, multimem_view(g, kinds), &plan.results[0]);
}

TirOp *make_multimem_reduce(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan_word(g, &plan, "ordering", ORDER(relaxed) | ORDER(release));
    plan_word(g, &plan, "scope", UINT64_MAX);
    const uint64_t reduction = plan_word(g, &plan, "reduction", UINT64_MAX);
    uint32_t kinds = KIND(i32) | KIND(i64);
    if (reduction == TIR_multimem_reduction_add) kinds |= KIND(f16) | KIND(bf16) | KIND(f32) | KIND(f64);
    return add_access(g, &plan, multimem_view(g, kinds), plan_operand(&plan, "tile"));
}

TirOp *make_multimem_store(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    choose_ordering(g, &plan, ORDERS_STORE);
    const uint32_t kinds = KIND(i32) | KIND(i64) | KIND(f16) | KIND(bf16) | KIND(f32) | KIND(f64);
    return add_access(g, &plan, multimem_view(g, kinds), plan_operand(&plan, "tile"));
}

// ---- assume ---------------------------------------------------------------------------------------------------------

static int64_t *set_numbers(Generator *g, TirAttribute *attribute, TirTag tag, size_t count) {
    int64_t *numbers = arena_array(&g->module->arena, int64_t, count);
    attribute->tag = tag;
    attribute->length = tag == TIR_TAG_SAME_ELEMENTS ? count : 0;
    attribute->numbers = numbers;
    return numbers;
}

static void choose_div_by(Generator *g, TirAttribute *predicate, const TirTypeInfo *type) {
    int64_t *numbers = set_numbers(g, predicate, TIR_TAG_DIV_BY, 3);
    numbers[0] = (int64_t)1 << below(g, 63);
    numbers[1] = numbers[2] = -1;
    if (type->kind != TIR_TYPE_tile || !type->rank || one_in(g, 2)) return;
    predicate->flags = 3;
    numbers[2] = (int64_t)below(g, type->rank);
    numbers[1] = (int64_t)below(g, (uint64_t)type->shape[numbers[2]] + 1);
}

static void choose_bounded(Generator *g, TirAttribute *predicate, TirTypeKind kind) {
    int64_t *numbers = set_numbers(g, predicate, TIR_TAG_BOUNDED, 2);
    unsigned unused = 64 - tir_type_rows[kind].bits;
    for (int i = 0; i < 2; i++) numbers[i] = (int64_t)(random_edge(&g->random) << unused) >> unused;
    if (numbers[0] > numbers[1]) {
        int64_t lower = numbers[1];
        numbers[1] = numbers[0];
        numbers[0] = lower;
    }
    predicate->flags = (uint8_t)below(g, 4);
    for (int i = 0; i < 2; i++)
        if (!(predicate->flags >> i & 1)) numbers[i] = 0;
}

TirOp *make_assume(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    Shape shape = random_shape(g, ANY_RANK);
    TirTypeKind element = random_kind(g, KINDS_INTEGER | KIND(i4) | KIND(ptr));
    bool view = one_in(g, 6), pointers = element == TIR_TYPE_ptr;
    TirType type = view       ? random_tensor_view(g, KINDS_NUMBER, ANY_RANK)
                   : pointers ? pointer_tile(g, random_kind(g, KINDS_NUMBER), &shape)
                              : number_tile(g, element, &shape);
    const TirTypeInfo info = *tir_type(g->module, type);
    TirAttribute *predicate = plan_attribute(&plan, "predicate");
    plan.operands[0] = plan.results[0] = type;
    if (view || one_in(g, 3)) {
        choose_div_by(g, predicate, &info);
    } else if (pointers || one_in(g, 2)) {
        int64_t *numbers = set_numbers(g, predicate, TIR_TAG_SAME_ELEMENTS, info.rank);
        for (uint32_t i = 0; i < info.rank; i++) numbers[i] = (int64_t)below(g, (uint64_t)info.shape[i] + 1);
    } else {
        choose_bounded(g, predicate, element);
    }
    return plan_add(g, &plan);
}

// ---- tokens, print, calls -------------------------------------------------------------------------------------------

TirOp *make_join_tokens(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan.counts[0] = 2 + (uint32_t)below(g, 3);
    plan_types(g, &plan);
    return plan_add(g, &plan);
}

TirOp *make_print(Generator *g, TirOpKind kind) {
    static const char *const conversions[] = {"%d", "%5.2f", "%x", "%+lld", "%s%%", "% g", "%p"};
    Plan plan = plan_open(g, kind);
    TirAttribute *text = plan_attribute(&plan, "str");
    uint32_t count = *plan_count(&plan, "args");
    size_t length;
    const char *format = random_text(g, &length);
    Buffer out = {0};
    buffer_append(&out, format, length);
    for (uint32_t i = 0; i < count; i++) {
        buffer_print(&out, "%s ", conversions[below(g, BASE_COUNT(conversions))]);
        plan.each[i] = random_type(g, &plan.info->operands[0].type, NULL);
    }
    plan.has_each = true;
    text->text = arena_text(&g->module->arena, out.data ? out.data : "", out.size);
    text->length = out.size;
    buffer_free(&out);
    plan_types(g, &plan);
    return plan_add(g, &plan);
}

TirOp *make_preview_call(Generator *g, TirOpKind kind) { // of no version
    (void)g, (void)kind;
    return NULL;
}

// In functions that have memory of the block.
TirOp *make_block_operation(Generator *g, TirOpKind kind) {
    if (!g->function->memory_bytes) return NULL;
    Plan plan = plan_open(g, kind);
    const BlockOperationRow *row = &block_operation_rows[below(g, BLOCK_OPERATIONS)];
    const uint32_t most = row->most < PLAN_VALUES_MAX ? row->most : PLAN_VALUES_MAX;
    TirAttribute *operation = plan_attribute(&plan, "operation");
    operation->text = row->name;
    operation->length = strlen(row->name);
    *plan_count(&plan, "operands") = row->least + (uint32_t)below(g, most - row->least + 1);
    for (uint32_t i = 0; i < *plan_count(&plan, "operands"); i++) {
        const TirTypeKind element = random_kind(g, KINDS_INTEGER | KIND(ptr));
        plan.each[i] = element == TIR_TYPE_ptr ? pointer_tile(g, random_kind(g, KINDS_INTEGER), &(Shape){0})
                                               : scalar_of(g, element);
    }
    plan.has_each = true;
    plan_types(g, &plan);
    return plan_add(g, &plan);
}
