// SPDX-License-Identifier: Apache-2.0
// Checks of memory: views and their indices, loads, stores, atomics, multimem, orderings, globals.
#include "compiler/tileir/verify_internal.h"

#include <inttypes.h>
#include <string.h>

#define ORDERING_BIT(ordering) (1u << TIR_memory_ordering_##ordering)

static const char *kind_name(TirTypeKind kind) {
    return tir_type_rows[kind].name;
}

// ---- orderings ------------------------------------------------------------------------------------------------------

static bool check_ordering(Verifier *v, const TirOp *op, uint32_t allowed) {
    uint64_t ordering = tir_attribute_integer(op, "ordering");
    if (allowed >> ordering & 1) return true;
    const char *text = "";
    for (uint32_t i = 0; i < tir_enum_memory_ordering.count; i++)
        if (allowed >> i & 1)
            text =
                arena_format(&v->texts, "%s%s%s", text, *text ? ", " : "", tir_enum_word(&tir_enum_memory_ordering, i));
    return verify_fail(v, op, "has memory ordering %s, expected one of: %s",
                       tir_enum_word(&tir_enum_memory_ordering, ordering), text);
}

// Weak accesses have no scope, all others need one.
static bool check_scope(Verifier *v, const TirOp *op) {
    bool weak = tir_attribute_integer(op, "ordering") == TIR_memory_ordering_weak,
         scope = tir_attribute(op, "scope") != NULL;
    if (weak && scope) return verify_fail(v, op, "is weak and has a memory scope, expected none");
    if (!weak && !scope)
        return verify_fail(v, op, "is %s without a memory scope",
                           tir_enum_word(&tir_enum_memory_ordering, tir_attribute_integer(op, "ordering")));
    return true;
}

// What is bound to memory of several devices (multicast) is accessed by multimem ops only.
static bool check_not_multicast(Verifier *v, const TirOp *op, const char *operand, int32_t attribute) {
    return attribute != TIR_pointer_attribute_multicast ||
           verify_fail(v, op, "has multicast %s, which only multimem ops access", operand);
}

static bool check_load_ordering(Verifier *v, const TirOp *op) {
    return check_ordering(v, op, ORDERING_BIT(weak) | ORDERING_BIT(relaxed) | ORDERING_BIT(acquire)) &&
           check_scope(v, op);
}

static bool check_store_ordering(Verifier *v, const TirOp *op) {
    return check_ordering(v, op, ORDERING_BIT(weak) | ORDERING_BIT(relaxed) | ORDERING_BIT(release)) &&
           check_scope(v, op);
}

static bool check_atomic_ordering(Verifier *v, const TirOp *op) {
    return check_ordering(
        v, op, ORDERING_BIT(relaxed) | ORDERING_BIT(acquire) | ORDERING_BIT(release) | ORDERING_BIT(acq_rel));
}

// ---- pointers -------------------------------------------------------------------------------------------------------

static bool check_pointers(Verifier *v, const TirOp *op, const char *operand) {
    return check_not_multicast(v, op, operand, tir_type(v->module, verify_operand(v, op, operand)->element)->ptr_attr);
}

// A padding without a mask is never used; compilers of the dialect accept it.
bool check_load_ptr(Verifier *v, const TirOp *op) {
    return check_load_ordering(v, op) && check_pointers(v, op, "source");
}

bool check_store_ptr(Verifier *v, const TirOp *op) {
    return check_store_ordering(v, op) && check_pointers(v, op, "destination");
}

// Elements that a mode of atomic_rmw works on.
static bool check_atomic_mode(Verifier *v, const TirOp *op, TirTypeKind element) {
    uint64_t mode = tir_attribute_integer(op, "mode");
    bool integer = element == TIR_TYPE_i32 || element == TIR_TYPE_i64,
         wide = element == TIR_TYPE_f32 || element == TIR_TYPE_f64;
    const char *expected = "i32 or i64";
    bool fits = integer;
    if (mode == TIR_atomic_mode_addf) {
        expected = "f16, bf16, f32 or f64";
        fits = wide || element == TIR_TYPE_f16 || element == TIR_TYPE_bf16;
    } else if (mode == TIR_atomic_mode_xchg) {
        expected = "i32, i64, f32 or f64";
        fits = integer || wide;
    }
    return fits || verify_fail(v, op, "has mode %s on elements of %s, expected %s",
                               tir_enum_word(&tir_enum_atomic_mode, mode), kind_name(element), expected);
}

static bool check_pointee(Verifier *v, const TirOp *op, const char *pointers, const char *values) {
    TirType pointee = tir_type(v->module, verify_operand(v, op, pointers)->element)->element;
    TirType element = verify_operand(v, op, values)->element;
    if (tir_type(v->module, verify_operand(v, op, pointers)->element)->element == element) return true;
    return verify_fail(v, op, "has pointers to %s and '%s' of %s, expected equal types", verify_type_text(v, pointee),
                       values, verify_type_text(v, element));
}

bool check_atomic_cas(Verifier *v, const TirOp *op) {
    return check_atomic_ordering(v, op) && check_pointers(v, op, "pointers") && check_pointee(v, op, "pointers", "cmp");
}

bool check_atomic_rmw(Verifier *v, const TirOp *op) {
    return check_atomic_ordering(v, op) && check_pointers(v, op, "pointers") &&
           check_pointee(v, op, "pointers", "arg") &&
           check_atomic_mode(v, op, verify_element(v, verify_operand(v, op, "arg")));
}

bool check_alloca(Verifier *v, const TirOp *op) {
    int64_t alignment = (int64_t)tir_attribute_integer(op, "alignment"),
            count = (int64_t)tir_attribute_integer(op, "num_elem");
    if (count < 0) return verify_fail(v, op, "has num_elem %" PRId64 ", expected at least 0", count);
    if (alignment <= 0 || alignment & (alignment - 1))
        return verify_fail(v, op, "has alignment %" PRId64 ", expected a power of two", alignment);
    const TirTypeInfo *pointer = tir_type(v->module, verify_result(v, op, 0)->element);
    TirTypeKind element = tir_type(v->module, pointer->element)->kind;
    if (alignment < tir_type_rows[element].storage_bytes)
        return verify_fail(v, op, "has alignment %" PRId64 ", expected at least %u, the size of %s", alignment,
                           tir_type_rows[element].storage_bytes, kind_name(element));
    return true;
}

bool check_get_global(Verifier *v, const TirOp *op) {
    const TirAttribute *name = tir_attribute(op, "name");
    uint64_t index;
    if (!map_find(&v->globals, verify_text_key(v, name->text), &index))
        return verify_fail(v, op, "names @%s, which is no global", name->text);
    TirType element = tir_type(v->module, v->module->globals[index].type)->element;
    TirType pointee = tir_type(v->module, verify_result(v, op, 0)->element)->element;
    if (element == pointee) return true;
    return verify_fail(v, op, "gives a pointer to %s, but @%s has elements of %s", verify_type_text(v, pointee),
                       name->text, verify_type_text(v, element));
}

// ---- views ----------------------------------------------------------------------------------------------------------

// One index per dimension; all are scalars of one type, but the one of a gather_scatter_view's sparse dimension has a
// row number for each element there.
static bool check_indices(Verifier *v, const TirOp *op, const TirTypeInfo *view) {
    const TirValue *index;
    uint32_t count = tir_operands(op, "index", &index);
    bool gathers = view->kind == TIR_TYPE_gather_scatter_view;
    TirType scalar = TIR_NO_TYPE;
    if (count != view->rank)
        return verify_fail(v, op, "has %" PRIu32 " indices, expected %" PRIu32 ", one per dimension of the view", count,
                           view->rank);
    for (uint32_t i = 0; i < count; i++) {
        TirType type = verify_value_type(v, index[i]);
        const TirTypeInfo *info = tir_type(v->module, type);
        if (gathers && i == view->sparse_dim) {
            if (info->rank == 1 && info->shape[0] == view->shape[i]) continue;
            return verify_fail(v, op,
                               "has index %u of %s, expected %" PRId64
                               " row numbers, as many as the tile has in its sparse dimension",
                               i, verify_type_text(v, type), view->shape[i]);
        }
        if (info->rank)
            return verify_fail(v, op, "has index %u of %s, expected a scalar", i, verify_type_text(v, type));
        if (scalar == TIR_NO_TYPE) scalar = type;
        if (type != scalar)
            return verify_fail(v, op, "has index %u of %s, expected the type of the others, %s", i,
                               verify_type_text(v, type), verify_type_text(v, scalar));
    }
    return true;
}

static bool check_view_tile(Verifier *v, const TirOp *op, const TirTypeInfo *view, TirType tile) {
    const TirTypeInfo *info = tir_type(v->module, tile);
    TirType element = tir_type(v->module, view->element)->element;
    if (info->element == element && verify_same_shape(info, view)) return true;
    return verify_fail(v, op, "has a tile of %s, but the view has tiles of shape %s of %s", verify_type_text(v, tile),
                       verify_shape_text(v, view), verify_type_text(v, element));
}

// From 13.4 on, one bool for each index.
static bool check_inbounds(Verifier *v, const TirOp *op) {
    const TirAttribute *inbounds = tir_attribute(op, "inbounds");
    uint32_t count = tir_operands(op, "index", NULL);
    if (!inbounds || inbounds->length == count) return true;
    return verify_fail(v, op, "has %zu inbounds for %" PRIu32 " indices, expected as many", inbounds->length, count);
}

// Elements that share registers do so along the one dimension of stride 1, which the type has to name.
static bool check_packing(Verifier *v, const TirOp *op, const TirTypeInfo *tensor) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < tensor->rank; i++) count += tensor->strides[i] == 1;
    return count == 1 || verify_fail(v, op, "has elements of %s and %u dimensions of stride 1, expected one",
                                     kind_name(tir_type(v->module, tensor->element)->kind), count);
}

static bool check_tile_access(Verifier *v, const TirOp *op, TirType tile) {
    const TirTypeInfo *view = verify_operand(v, op, "view");
    return check_indices(v, op, view) && check_view_tile(v, op, view, tile) && check_inbounds(v, op);
}

static bool check_view_access(Verifier *v, const TirOp *op, TirType tile) {
    const TirTypeInfo *view = verify_operand(v, op, "view");
    return check_not_multicast(v, op, "view", tir_type(v->module, view->element)->ptr_attr) &&
           check_tile_access(v, op, tile);
}

bool check_load_view(Verifier *v, const TirOp *op) {
    return check_load_ordering(v, op) && check_view_access(v, op, verify_value_type(v, op->first_result));
}

bool check_store_view(Verifier *v, const TirOp *op) {
    return check_store_ordering(v, op) && check_view_access(v, op, verify_value_type(v, tir_operand(op, "tile")));
}

bool check_atomic_red_view(Verifier *v, const TirOp *op) {
    const TirTypeInfo *view = verify_operand(v, op, "view");
    if (view->kind == TIR_TYPE_gather_scatter_view)
        return verify_fail(v, op, "reduces into a gather_scatter_view, expected a partition_view or strided_view");
    if (!check_ordering(v, op, ORDERING_BIT(relaxed))) return false;
    if (tir_attribute_integer(op, "scope") == TIR_memory_scope_sys)
        return verify_fail(v, op, "has scope sys, expected tl_blk or device");
    if (tir_attribute_integer(op, "mode") == TIR_atomic_mode_xchg)
        return verify_fail(v, op, "has mode xchg, which reduces nothing");
    return check_view_access(v, op, verify_value_type(v, tir_operand(op, "value"))) &&
           check_atomic_mode(v, op, verify_element(v, verify_operand(v, op, "value")));
}

// ---- multimem -------------------------------------------------------------------------------------------------------

// Elements that memory of several devices is accessed by, and how they lie there: 16-bit ones in pairs.
static bool check_multimem(Verifier *v, const TirOp *op, TirType tile) {
    const TirTypeInfo *view = verify_operand(v, op, "view"), *tensor = tir_type(v->module, view->element);
    TirTypeKind element = tir_type(v->module, tensor->element)->kind;
    bool half = element == TIR_TYPE_f16 || element == TIR_TYPE_bf16;
    if (tensor->ptr_attr != TIR_pointer_attribute_multicast)
        return verify_fail(v, op, "has a view of memory that is not multicast");
    if (!half && element != TIR_TYPE_i32 && element != TIR_TYPE_i64 && element != TIR_TYPE_f32 &&
        element != TIR_TYPE_f64)
        return verify_fail(v, op, "has elements of %s, expected i32, i64, f16, bf16, f32 or f64", kind_name(element));
    if (!check_tile_access(v, op, tile) || (half && !check_packing(v, op, tensor))) return false;
    return !half || tir_tile_elements(v->module, tile) % 2 == 0 ||
           verify_fail(v, op, "has a tile of one %s, expected two or more", kind_name(element));
}

static bool check_multimem_reduction(Verifier *v, const TirOp *op) {
    const TirTypeInfo *view = verify_operand(v, op, "view");
    TirTypeKind element = tir_type(v->module, tir_type(v->module, view->element)->element)->kind;
    uint64_t reduction = tir_attribute_integer(op, "reduction");
    bool half = element == TIR_TYPE_f16 || element == TIR_TYPE_bf16, loads = op->result_count > 1;
    const char *expected = NULL;
    if (tir_type_rows[element].class == TIR_CLASS_INTEGER || reduction == TIR_multimem_reduction_add) return true;
    if (!loads || (reduction != TIR_multimem_reduction_min && reduction != TIR_multimem_reduction_max))
        expected = "integers"; // floats are stored by addition only
    else if (!half)
        expected = "integers, f16 or bf16";
    return !expected ||
           verify_fail(v, op, "has reduction %s of %s, expected %s",
                       tir_enum_word(&tir_enum_multimem_reduction, reduction), kind_name(element), expected);
}

bool check_multimem_load_reduce(Verifier *v, const TirOp *op) {
    return check_load_ordering(v, op) && check_multimem(v, op, verify_value_type(v, op->first_result)) &&
           check_multimem_reduction(v, op);
}

bool check_multimem_reduce(Verifier *v, const TirOp *op) {
    return check_ordering(v, op, ORDERING_BIT(relaxed) | ORDERING_BIT(release)) &&
           check_multimem(v, op, verify_value_type(v, tir_operand(op, "tile"))) && check_multimem_reduction(v, op);
}

bool check_multimem_store(Verifier *v, const TirOp *op) {
    return check_store_ordering(v, op) && check_multimem(v, op, verify_value_type(v, tir_operand(op, "tile")));
}

// ---- making views ---------------------------------------------------------------------------------------------------

bool check_make_view(Verifier *v, const TirOp *op) {
    const TirTypeInfo *view = verify_result(v, op, 0);
    TirType tensor = verify_value_type(v, op->operands[0]);
    if (view->element == tensor) return true;
    return verify_fail(v, op, "makes a view of %s from %s, expected equal types", verify_type_text(v, view->element),
                       verify_type_text(v, tensor));
}

static uint32_t dynamic_count(uint32_t count, const int64_t *extents) {
    uint32_t dynamic = 0;
    for (uint32_t i = 0; i < count; i++) dynamic += extents[i] == TIR_DYNAMIC;
    return dynamic;
}

// Two f4E2M1FN share a byte, so rows of them need an even length; compilers of the dialect notice only at a load.
static bool check_packed_rows(Verifier *v, const TirOp *op, const TirTypeInfo *view) {
    if (tir_type(v->module, view->element)->kind != TIR_TYPE_f4E2M1FN) return true;
    for (uint32_t i = 0; i < view->rank; i++)
        if (view->strides[i] == 1 && view->shape[i] != TIR_DYNAMIC && view->shape[i] % 2)
            return verify_fail(
                v, op, "has %" PRId64 " elements of f4E2M1FN in dimension %u of stride 1, expected an even number",
                view->shape[i], i);
    return true;
}

bool check_make_tensor_view(Verifier *v, const TirOp *op) {
    const TirTypeInfo *view = verify_result(v, op, 0);
    TirType pointee = tir_type(v->module, verify_operand(v, op, "base")->element)->element;
    if (pointee != view->element)
        return verify_fail(v, op, "has a base that points to %s, but the view has elements of %s",
                           verify_type_text(v, pointee), verify_type_text(v, view->element));
    if (tir_type(v->module, verify_operand(v, op, "base")->element)->ptr_attr != view->ptr_attr)
        return verify_fail(v, op, "has a base of %s for a %s, expected both with the same attribute or none",
                           verify_type_text(v, verify_value_type(v, op->operands[0])),
                           verify_type_text(v, verify_value_type(v, op->first_result)));
    uint32_t shape = tir_operands(op, "shape", NULL), strides = tir_operands(op, "strides", NULL);
    uint32_t dynamic_shape = dynamic_count(view->rank, view->shape),
             dynamic_strides = dynamic_count(view->rank, view->strides);
    if (shape != dynamic_shape)
        return verify_fail(v, op, "has %u operands for %u dynamic extents", shape, dynamic_shape);
    if (strides != dynamic_strides)
        return verify_fail(v, op, "has %u operands for %u dynamic strides", strides, dynamic_strides);
    for (uint32_t i = 2; i < op->operand_count; i++)
        if (verify_value_type(v, op->operands[i]) != verify_value_type(v, op->operands[1]))
            return verify_fail(v, op, "has extents and strides of %s and of %s, expected one type",
                               verify_type_text(v, verify_value_type(v, op->operands[1])),
                               verify_type_text(v, verify_value_type(v, op->operands[i])));
    return check_packed_rows(v, op, view);
}

static bool check_extent_results(Verifier *v, const TirOp *op) {
    uint32_t rank = verify_operand(v, op, "src")->rank;
    return op->result_count == rank ||
           verify_fail(v, op, "has %" PRIu32 " results, expected %" PRIu32 ", one per dimension", op->result_count,
                       rank);
}

bool check_get_index_space_shape(Verifier *v, const TirOp *op) {
    return check_extent_results(v, op);
}

bool check_get_tensor_shape(Verifier *v, const TirOp *op) {
    return check_extent_results(v, op);
}
