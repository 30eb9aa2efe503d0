// SPDX-License-Identifier: Apache-2.0
// Rules of memory: orderings, pointers, views, assumptions, globals, hints, print; and of entries and the module.
#include "verify_cases.h"

// ---- loads and stores through pointers ------------------------------------------------------------------------------

enum { NO_SCOPE = 99 };

static TirOp *ordered(TirOp *op, uint64_t ordering, uint64_t scope) {
    set(op, "ordering", ordering);
    return scope == NO_SCOPE ? op : set(op, "scope", scope);
}

static TirOp *load(Case *c, const char *pointers, const char *result, const char *mask, const char *padding) {
    TirValue values[4] = {value_of(c, pointers)};
    uint32_t segments[] = {1, mask != NULL, padding != NULL, 0}, count = 1;
    if (mask) values[count++] = value_of(c, mask);
    if (padding) values[count++] = value_of(c, padding);
    const TirType results[] = {type_named(c, result), type_named(c, "token")};
    return add_typed(c, TIR_OP_load_ptr_tko, segments, 2, results, count, values);
}
static TirOp *store(Case *c, const char *pointers, const char *value) {
    const uint32_t segments[] = {1, 1, 0, 0};
    const TirType token = type_named(c, "token");
    return add_typed(c, TIR_OP_store_ptr_tko, segments, 1, &token, 2,
                     (TirValue[]){value_of(c, pointers), value_of(c, value)});
}

static void load_release(Case *c) {
    ordered(load(c, "*f32", "f32", NULL, NULL), TIR_memory_ordering_release, TIR_memory_scope_device);
}
static void load_weak_scope(Case *c) {
    ordered(load(c, "*f32", "f32", NULL, NULL), TIR_memory_ordering_weak, TIR_memory_scope_device);
}
static void load_no_scope(Case *c) {
    ordered(load(c, "*f32", "f32", NULL, NULL), TIR_memory_ordering_acquire, NO_SCOPE);
}
static void load_pointee(Case *c) {
    ordered(load(c, "*f32", "f16", NULL, NULL), TIR_memory_ordering_weak, NO_SCOPE);
}
static void load_shape(Case *c) {
    ordered(load(c, "4x*f32", "8xf32", NULL, NULL), TIR_memory_ordering_weak, NO_SCOPE);
}
static void load_mask(Case *c) {
    ordered(load(c, "4x*f32", "4xf32", "2xi1", NULL), TIR_memory_ordering_weak, NO_SCOPE);
}
static void load_padding(Case *c) {
    ordered(load(c, "4x*f32", "4xf32", "4xi1", "4xf16"), TIR_memory_ordering_weak, NO_SCOPE);
}
static void load_padding_alone(Case *c) {
    ordered(load(c, "4x*f32", "4xf32", NULL, "4xf32"), TIR_memory_ordering_weak, NO_SCOPE);
}
static void load_fits(Case *c) {
    ordered(load(c, "4x*f32", "4xf32", "4xi1", "4xf32"), TIR_memory_ordering_relaxed, TIR_memory_scope_sys);
}
static void load_number(Case *c) {
    ordered(load(c, "i64", "f32", NULL, NULL), TIR_memory_ordering_weak, NO_SCOPE);
}
static void store_acquire(Case *c) {
    ordered(store(c, "*f32", "f32"), TIR_memory_ordering_acquire, TIR_memory_scope_device);
}
static void store_no_scope(Case *c) {
    ordered(store(c, "*f32", "f32"), TIR_memory_ordering_release, NO_SCOPE);
}
static void store_pointee(Case *c) {
    ordered(store(c, "4x*f32", "4xi32"), TIR_memory_ordering_weak, NO_SCOPE);
}
static void scope_range(Case *c) {
    ordered(store(c, "*f32", "f32"), TIR_memory_ordering_release, 3);
}

Test(verify_memory, pointers) {
    static const VerifyCase cases[] = {
        {"loads do not release", load_release,
         "'load_ptr_tko' op has memory ordering release, expected one of: weak, relaxed, acquire"},
        {"weak has no scope", load_weak_scope, "'load_ptr_tko' op is weak and has a memory scope"},
        {"acquire has a scope", load_no_scope, "'load_ptr_tko' op is acquire without a memory scope"},
        {"the value is what the pointers point to", load_pointee,
         "'load_ptr_tko' op operand 'source' is tile<ptr<f32>>, expected the shape, and pointers to the elements, of "
         "'result'"},
        {"a value for each pointer", load_shape, "'load_ptr_tko' op operand 'source' is tile<4xptr<f32>>"},
        {"a mask for each pointer", load_mask,
         "'load_ptr_tko' op operand 'mask' is tile<2xi1>, expected the shape of 'source'"},
        {"the padding is a value", load_padding,
         "'load_ptr_tko' op operand 'padding' is tile<4xf16>, expected the type of 'result'"},
        {"a padding that is never used", load_padding_alone, NULL},
        {"a masked, padded, relaxed load", load_fits, NULL},
        {"numbers are no pointers", load_number,
         "'load_ptr_tko' op operand 'source' is tile<i64>, expected tile of ptr"},
        {"stores do not acquire", store_acquire,
         "'store_ptr_tko' op has memory ordering acquire, expected one of: weak, relaxed, release"},
        {"release has a scope", store_no_scope, "'store_ptr_tko' op is release without a memory scope"},
        {"stored what is pointed to", store_pointee, "'store_ptr_tko' op operand 'destination' is tile<4xptr<f32>>"},
        {"scopes are in range", scope_range, "'store_ptr_tko' op attribute 'scope' is 3, expected 0 to 2"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- atomics and allocations ----------------------------------------------------------------------------------------

static TirOp *rmw(Case *c, const char *pointers, const char *value, uint64_t mode, uint64_t ordering) {
    const uint32_t segments[] = {1, 1, 0, 0};
    const TirType results[] = {type_named(c, value), type_named(c, "token")};
    TirOp *op = add_typed(c, TIR_OP_atomic_rmw_tko, segments, 2, results, 2,
                          (TirValue[]){value_of(c, pointers), value_of(c, value)});
    return set(ordered(op, ordering, TIR_memory_scope_device), "mode", mode);
}
static void rmw_weak(Case *c) {
    rmw(c, "*i32", "i32", TIR_atomic_mode_add, TIR_memory_ordering_weak);
}
static void rmw_float_add(Case *c) {
    rmw(c, "*f32", "f32", TIR_atomic_mode_add, TIR_memory_ordering_relaxed);
}
static void rmw_integer_addf(Case *c) {
    rmw(c, "*i32", "i32", TIR_atomic_mode_addf, TIR_memory_ordering_relaxed);
}
static void rmw_narrow(Case *c) {
    rmw(c, "*i16", "i16", TIR_atomic_mode_max, TIR_memory_ordering_relaxed);
}
static void rmw_half_exchange(Case *c) {
    rmw(c, "*f16", "f16", TIR_atomic_mode_xchg, TIR_memory_ordering_relaxed);
}
static void rmw_pointee(Case *c) {
    rmw(c, "*i32", "i64", TIR_atomic_mode_add, TIR_memory_ordering_relaxed);
}
static void rmw_shape(Case *c) {
    rmw(c, "4x*i32", "i32", TIR_atomic_mode_add, TIR_memory_ordering_relaxed);
}
static void rmw_fits(Case *c) {
    rmw(c, "*bf16", "bf16", TIR_atomic_mode_addf, TIR_memory_ordering_acq_rel);
}
static void cas(Case *c, const char *pointers, const char *value) {
    const uint32_t segments[] = {1, 1, 1, 0, 0};
    const TirType results[] = {type_named(c, value), type_named(c, "token")};
    TirValue v = value_of(c, value);
    ordered(add_typed(c, TIR_OP_atomic_cas_tko, segments, 2, results, 3, (TirValue[]){value_of(c, pointers), v, v}),
            TIR_memory_ordering_relaxed, 0);
}
static void cas_half(Case *c) {
    cas(c, "*f16", "f16");
}
static void cas_pointee(Case *c) {
    cas(c, "*i32", "f32");
}
static TirOp *alloca_op(Case *c, int64_t count, int64_t alignment) {
    return set(set(add(c, TIR_OP_alloca, "*f32", NO_VALUES), "num_elem", (uint64_t)count), "alignment",
               (uint64_t)alignment);
}
static void alloca_alignment(Case *c) {
    alloca_op(c, 1, 12);
}
static void alloca_no_alignment(Case *c) {
    alloca_op(c, 1, 0);
}
static void alloca_small_alignment(Case *c) {
    alloca_op(c, 1, 2);
}
static void alloca_count(Case *c) {
    alloca_op(c, -1, 4);
}

Test(verify_memory, atomics_and_allocations) {
    static const VerifyCase cases[] = {
        {"atomics are not weak", rmw_weak,
         "'atomic_rmw_tko' op has memory ordering weak, expected one of: relaxed, acquire, release, acq_rel"},
        {"add is for integers", rmw_float_add,
         "'atomic_rmw_tko' op has mode add on elements of f32, expected i32 or i64"},
        {"addf is for floats", rmw_integer_addf,
         "'atomic_rmw_tko' op has mode addf on elements of i32, expected f16, bf16, f32 or f64"},
        {"no atomics on 16-bit integers", rmw_narrow, "'atomic_rmw_tko' op has mode max on elements of i16"},
        {"no exchange of halves", rmw_half_exchange,
         "'atomic_rmw_tko' op has mode xchg on elements of f16, expected i32, i64, f32 or f64"},
        {"the value is what is pointed to", rmw_pointee, "'atomic_rmw_tko' op has pointers to i32 and 'arg' of i64"},
        {"a value for each pointer", rmw_shape,
         "'atomic_rmw_tko' op operand 'arg' is tile<i32>, expected the shape of 'pointers'"},
        {"atomic addition of bf16", rmw_fits, NULL},
        {"exchange compares 32 or 64 bits", cas_half,
         "'atomic_cas_tko' op operand 'cmp' is tile<f16>, expected tile of i32, i64, f32 or f64"},
        {"exchange of what is pointed to", cas_pointee, "'atomic_cas_tko' op has pointers to i32 and 'cmp' of f32"},
        {"alignment is a power of two", alloca_alignment, "'alloca' op has alignment 12, expected a power of two"},
        {"alignment is not zero", alloca_no_alignment, "'alloca' op has alignment 0, expected a power of two"},
        {"alignment holds an element", alloca_small_alignment,
         "'alloca' op has alignment 2, expected at least 4, the size of f32"},
        {"count is not negative", alloca_count, "'alloca' op has num_elem -1"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- views ----------------------------------------------------------------------------------------------------------

static TirOp *load_view(Case *c, TirValue view, const char *tile, uint32_t indices, const TirValue *index) {
    const uint32_t segments[] = {1, indices, 0};
    TirValue values[4] = {view};
    memcpy(values + 1, index, indices * sizeof *index);
    const TirType results[] = {type_named(c, tile), type_named(c, "token")};
    return set(add_typed(c, TIR_OP_load_view_tko, segments, 2, results, 1 + indices, values), "ordering",
               TIR_memory_ordering_weak);
}
static void view_load(Case *c, TirTypeKind kind, const char *tile, const char *first, const char *second) {
    TirValue view = view_of(c, kind, TIR_PAD_none), index[2];
    uint32_t count = 0;
    if (first) index[count++] = value_of(c, first);
    if (second) index[count++] = value_of(c, second);
    load_view(c, view, tile, count, index);
}
static void view_index_count(Case *c) {
    view_load(c, TIR_TYPE_partition_view, "4x8xf32", "i32", NULL);
}
static void view_index_types(Case *c) {
    view_load(c, TIR_TYPE_partition_view, "4x8xf32", "i32", "i64");
}
static void view_index_rank(Case *c) {
    view_load(c, TIR_TYPE_strided_view, "4x8xf32", "1xi32", "i32");
}
static void view_index_float(Case *c) {
    view_load(c, TIR_TYPE_partition_view, "4x8xf32", "f32", "f32");
}
static void view_tile_shape(Case *c) {
    view_load(c, TIR_TYPE_partition_view, "8x4xf32", "i32", "i32");
}
static void view_tile_element(Case *c) {
    view_load(c, TIR_TYPE_partition_view, "4x8xf16", "i32", "i32");
}
static void gather_index(Case *c) {
    view_load(c, TIR_TYPE_gather_scatter_view, "4x8xf32", "8xi32", "i32");
}
static void gather_scalar(Case *c) {
    view_load(c, TIR_TYPE_gather_scatter_view, "4x8xf32", "i32", "i32");
}
static void gather_other(Case *c) {
    view_load(c, TIR_TYPE_gather_scatter_view, "4x8xf32", "4xi32", "8xi32");
}
static void gather_fits(Case *c) {
    view_load(c, TIR_TYPE_gather_scatter_view, "4x8xf32", "4xi32", "i64");
}
static void view_no_view(Case *c) {
    load_view(c, value_of(c, "f32"), "4x8xf32", 0, (TirValue[]){0});
}
static TirOp *red(Case *c, TirTypeKind kind, TirPadding padding, uint64_t mode, uint64_t ordering, uint64_t scope) {
    TirValue view = view_of(c, kind, padding), i = value_of(c, "i32"), rows = value_of(c, "4xi32"),
             x = value_of(c, "4x8xf32");
    const uint32_t segments[] = {1, 2, 1, 0};
    const TirType token = type_named(c, "token");
    TirValue first = kind == TIR_TYPE_gather_scatter_view ? rows : i;
    TirOp *op = add_typed(c, TIR_OP_atomic_red_view_tko, segments, 1, &token, 4, (TirValue[]){view, first, i, x});
    return set(ordered(op, ordering, scope), "mode", mode);
}
static void red_gather(Case *c) {
    red(c, TIR_TYPE_gather_scatter_view, TIR_PAD_none, TIR_atomic_mode_addf, 1, 1);
}
static void red_padding(Case *c) {
    red(c, TIR_TYPE_partition_view, TIR_PAD_zero, TIR_atomic_mode_addf, 1, 1);
}
static void red_ordering(Case *c) {
    red(c, TIR_TYPE_partition_view, TIR_PAD_none, TIR_atomic_mode_addf, TIR_memory_ordering_acquire, 1);
}
static void red_scope(Case *c) {
    red(c, TIR_TYPE_partition_view, TIR_PAD_none, TIR_atomic_mode_addf, 1, TIR_memory_scope_sys);
}
static void red_exchange(Case *c) {
    red(c, TIR_TYPE_partition_view, TIR_PAD_none, TIR_atomic_mode_xchg, 1, 1);
}
static void red_mode(Case *c) {
    red(c, TIR_TYPE_strided_view, TIR_PAD_none, TIR_atomic_mode_max, 1, 1);
}
static void red_fits(Case *c) {
    red(c, TIR_TYPE_strided_view, TIR_PAD_none, TIR_atomic_mode_addf, 1, 1);
}

Test(verify_memory, views) {
    static const VerifyCase cases[] = {
        {"an index for each dimension", view_index_count,
         "'load_view_tko' op has 1 indices, expected 2, one per dimension of the view"},
        {"indices have one type", view_index_types,
         "'load_view_tko' op has index 1 of tile<i64>, expected the type of the others, tile<i32>"},
        {"indices are scalars", view_index_rank, "'load_view_tko' op has index 0 of tile<1xi32>, expected a scalar"},
        {"indices are integers", view_index_float, "'load_view_tko' op operand 'index' is tile<f32>"},
        {"shape of the tile", view_tile_shape,
         "'load_view_tko' op has a tile of tile<8x4xf32>, but the view has tiles of shape [4, 8] of f32"},
        {"element of the tile", view_tile_element, "'load_view_tko' op has a tile of tile<4x8xf16>"},
        {"row numbers as the tile has rows", gather_index,
         "'load_view_tko' op has index 0 of tile<8xi32>, expected 4 row numbers"},
        {"row numbers are no scalar", gather_scalar,
         "'load_view_tko' op has index 0 of tile<i32>, expected 4 row numbers"},
        {"other indices are scalars", gather_other, "'load_view_tko' op has index 1 of tile<8xi32>, expected a scalar"},
        {"row numbers of another type", gather_fits, NULL},
        {"a view is loaded", view_no_view,
         "'load_view_tko' op operand 'view' is tile<f32>, expected partition_view, gather_scatter_view or "
         "strided_view"},
        {"no reduction into gathered rows", red_gather, "'atomic_red_view_tko' op reduces into a gather_scatter_view"},
        {"reduction into padding", red_padding, NULL},
        {"reductions are relaxed", red_ordering,
         "'atomic_red_view_tko' op has memory ordering acquire, expected one of: relaxed"},
        {"reductions are of the device", red_scope, "'atomic_red_view_tko' op has scope sys"},
        {"exchange is no reduction", red_exchange, "'atomic_red_view_tko' op has mode xchg"},
        {"mode and element", red_mode, "'atomic_red_view_tko' op has mode max on elements of f32"},
        {"a reduction", red_fits, NULL},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- making views ---------------------------------------------------------------------------------------------------

static void tensor_view(Case *c, const char *element, const char *base, const int64_t *shape, const int64_t *strides,
                        uint32_t shapes, uint32_t stride_count, const char *first, const char *others) {
    TirType type = tensor_view_type(c, element, 2, shape, strides);
    TirValue values[8] = {value_of(c, base)};
    const uint32_t segments[] = {1, shapes, stride_count};
    for (uint32_t i = 0; i < shapes + stride_count; i++) values[1 + i] = value_of(c, i ? others : first);
    add_typed(c, TIR_OP_make_tensor_view, segments, 1, &type, 1 + shapes + stride_count, values);
}
static const int64_t fixed[] = {4, 6}, dynamic[] = {TIR_DYNAMIC, 6}, rows[] = {6, 1}, odd[] = {4, 7};
static void tensor_base(Case *c) {
    tensor_view(c, "f32", "*f16", fixed, rows, 0, 0, NULL, NULL);
}
static void tensor_too_few(Case *c) {
    tensor_view(c, "f32", "*f32", dynamic, rows, 0, 0, NULL, NULL);
}
static void tensor_too_many(Case *c) {
    tensor_view(c, "f32", "*f32", fixed, rows, 0, 1, "i32", NULL);
}
static void tensor_two_types(Case *c) {
    tensor_view(c, "f32", "*f32", dynamic, dynamic, 1, 1, "i32", "i64");
}
static void tensor_fits(Case *c) {
    tensor_view(c, "f32", "*f32", dynamic, dynamic, 1, 1, "i64", "i64");
}
static void tensor_odd_nibbles(Case *c) {
    tensor_view(c, "f4E2M1FN", "*f4E2M1FN", odd, (int64_t[]){8, 1}, 0, 0, NULL, NULL);
}
static void tensor_base_rank(Case *c) {
    tensor_view(c, "f32", "1x*f32", fixed, rows, 0, 0, NULL, NULL);
}
static void view_of_another(Case *c) {
    TirValue view = view_of(c, TIR_TYPE_partition_view, TIR_PAD_none), base = value_of(c, "*f32");
    TirType type = tensor_view_type(c, "f32", 2, fixed, rows), result = tir_value_type(c->function, view);
    const uint32_t segments[] = {1, 0, 0};
    TirValue t = add_typed(c, TIR_OP_make_tensor_view, segments, 1, &type, 1, &base)->first_result;
    add_typed(c, TIR_OP_make_partition_view, NULL, 1, &result, 1, &t);
}
static void shape_results(Case *c) {
    add(c, TIR_OP_get_index_space_shape, "i32", VALUES(view_of(c, TIR_TYPE_partition_view, TIR_PAD_none)));
}
static void invalid_type(Case *c) {
    type_named(c, "3xf32");
}
static void invalid_padding(Case *c) {
    static const int64_t tile[] = {4, 8};
    static const int32_t identity[] = {0, 1};
    TirTypeInfo info = {.kind = TIR_TYPE_partition_view,
                        .element = tensor_view_type(c, "i32", 2, fixed, rows),
                        .rank = 2,
                        .shape = tile,
                        .dim_map = identity,
                        .padding = TIR_PAD_nan,
                        .ptr_attr = -1};
    tir_type_intern(c->module, &info);
}

Test(verify_memory, making_views) {
    static const VerifyCase cases[] = {
        {"the base points to elements", tensor_base,
         "'make_tensor_view' op has a base that points to f16, but the view has elements of f32"},
        {"the base is one pointer", tensor_base_rank,
         "'make_tensor_view' op operand 'base' is tile<1xptr<f32>>, expected scalar tile of ptr"},
        {"an operand for each dynamic extent", tensor_too_few,
         "'make_tensor_view' op has 0 operands for 1 dynamic extents"},
        {"no operand for fixed strides", tensor_too_many, "'make_tensor_view' op has 1 operands for 0 dynamic strides"},
        {"extents and strides of one type", tensor_two_types,
         "'make_tensor_view' op has extents and strides of tile<i32> and of tile<i64>"},
        {"dynamic extent and stride", tensor_fits, NULL},
        {"rows of nibbles are even", tensor_odd_nibbles,
         "'make_tensor_view' op has 7 elements of f4E2M1FN in dimension 1 of stride 1, expected an even number"},
        {"a view of its tensor view", view_of_another,
         "'make_partition_view' op makes a view of tensor_view<64x64xf32, strides=[64,1]> from tensor_view<4x6xf32, "
         "strides=[6,1]>"},
        {"an extent for each dimension", shape_results, "'get_index_space_shape' op has 1 results, expected 2"},
        {"types are valid", invalid_type,
         "type tile<3xf32> is not valid: tile dimension 0 is 3, expected a power of two"},
        {"padding of integers is zero", invalid_padding, "padding nan of i32 elements"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- assume, globals, tokens, print, hints --------------------------------------------------------------------------

static void assume(Case *c, const char *type, TirTag tag, uint32_t flags, size_t count, const int64_t *numbers) {
    set_numbers(c, add(c, TIR_OP_assume, type, VALUES(value_of(c, type))), "predicate", tag, flags, count, numbers);
}
static void div_by_three(Case *c) {
    assume(c, "i32", TIR_TAG_DIV_BY, 0, 3, (int64_t[]){3, -1, -1});
}
static void div_by_zero(Case *c) {
    assume(c, "i32", TIR_TAG_DIV_BY, 0, 3, (int64_t[]){0, -1, -1});
}
static void div_by_much(Case *c) {
    assume(c, "i32", TIR_TAG_DIV_BY, 0, 3, (int64_t[]){INT64_MIN, -1, -1});
}
static void div_by_every(Case *c) {
    assume(c, "4xi32", TIR_TAG_DIV_BY, 1, 3, (int64_t[]){4, 2, -1});
}
static void div_by_scalar(Case *c) {
    assume(c, "i32", TIR_TAG_DIV_BY, 3, 3, (int64_t[]){4, 1, 0});
}
static void div_by_along(Case *c) {
    assume(c, "4xi32", TIR_TAG_DIV_BY, 3, 3, (int64_t[]){4, 2, 1});
}
static void div_by_group(Case *c) {
    assume(c, "4xi32", TIR_TAG_DIV_BY, 3, 3, (int64_t[]){4, 8, 0});
}
static void div_by_float(Case *c) {
    assume(c, "f32", TIR_TAG_DIV_BY, 0, 3, (int64_t[]){4, -1, -1});
}
static void same_count(Case *c) {
    assume(c, "4xi32", TIR_TAG_SAME_ELEMENTS, 0, 2, (int64_t[]){1, 1});
}
static void same_range(Case *c) {
    assume(c, "4xi32", TIR_TAG_SAME_ELEMENTS, 0, 1, (int64_t[]){5});
}
static void same_float(Case *c) {
    assume(c, "4xf32", TIR_TAG_SAME_ELEMENTS, 0, 1, (int64_t[]){4});
}
static void bounded_pointer(Case *c) {
    assume(c, "*f32", TIR_TAG_BOUNDED, 3, 2, (int64_t[]){0, 1});
}
static void bounded_range(Case *c) {
    assume(c, "i8", TIR_TAG_BOUNDED, 2, 2, (int64_t[]){0, 128});
}
static void bounded_low(Case *c) {
    assume(c, "i8", TIR_TAG_BOUNDED, 1, 2, (int64_t[]){-129, 0});
}
static void bounded_order(Case *c) {
    assume(c, "i32", TIR_TAG_BOUNDED, 3, 2, (int64_t[]){5, 4});
}
static void bounded_wide(Case *c) {
    assume(c, "i64", TIR_TAG_BOUNDED, 3, 2, (int64_t[]){INT64_MIN, INT64_MAX});
}
static void predicate_tag(Case *c) {
    assume(c, "i32", TIR_TAG_INTEGER, 0, 1, (int64_t[]){4});
}
static void one_token(Case *c) {
    add(c, TIR_OP_join_tokens, "token", VALUES(value_of(c, "token")));
}
static void print_op(Case *c, const char *format) {
    const TirType token = type_named(c, "token");
    TirValue x = value_of(c, "f32");
    set_text(add_typed(c, TIR_OP_print_tko, (uint32_t[]){1, 0}, 1, &token, 1, &x), "str", format);
}
static void print_count(Case *c) {
    print_op(c, "%f and %d");
}
static void print_escaped(Case *c) {
    print_op(c, "100%%");
}
static void print_unfinished(Case *c) {
    print_op(c, "%f %5");
}
static void print_fits(Case *c) {
    print_op(c, "%5.2f%%\n");
}
static void unknown_global(Case *c) {
    set_text(add(c, TIR_OP_get_global, "*f32", NO_VALUES), "name", "table");
}
static TirGlobal *add_global(Case *c, const char *name, const char *type, size_t size) {
    static const uint8_t zeros[64];
    TirGlobal *globals = arena_array(&c->module->arena, TirGlobal, c->module->global_count + 1);
    if (c->module->global_count) memcpy(globals, c->module->globals, c->module->global_count * sizeof *globals);
    c->module->globals = globals;
    TirGlobal *global = &globals[c->module->global_count++];
    *global = (TirGlobal){.name = name, .type = type_named(c, type), .value = {.bytes = zeros, .size = size}};
    return global;
}
static void global_type(Case *c) {
    add_global(c, "table", "4xf32", 16);
    set_text(add(c, TIR_OP_get_global, "*i32", NO_VALUES), "name", "table");
}
static void global_fits(Case *c) {
    add_global(c, "table", "4xf32", 16)->alignment = 16;
    set_text(add(c, TIR_OP_get_global, "*f32", NO_VALUES), "name", "table");
}
static void global_rank(Case *c) {
    add_global(c, "table", "f32", 4);
}
static void global_size(Case *c) {
    add_global(c, "table", "4xf32", 15);
}
static void global_alignment(Case *c) {
    add_global(c, "table", "4xf32", 16)->alignment = 24;
}
static void global_twice(Case *c) {
    add_global(c, "table", "4xf32", 16), add_global(c, "table", "4xf32", 16);
}
static void global_as_entry(Case *c) {
    add_global(c, "entry", "4xf32", 16);
}
static void global_too_new(Case *c) {
    c->module->version = 1302, add_global(c, "table", "4xf32", 16)->constant = true;
}
static void hints_of(Case *c, TirAttribute *hints) {
    TirNamedAttribute *entries = arena_array(&c->module->arena, TirNamedAttribute, 1);
    entries[0] = (TirNamedAttribute){.name = "sm_100", .value = {.present = true, .tag = TIR_TAG_BOOL, .integer = 1}};
    hints->length = 1;
    hints->entries = entries;
    hints->present = true;
}
static void entry_hints(Case *c) {
    hints_of(c, &c->function->hints);
}
static void large_hint(Case *c) {
    TirNamedAttribute *entries = arena_array(&c->module->arena, TirNamedAttribute, 1),
                      *inner = arena_array(&c->module->arena, TirNamedAttribute, 1);
    inner[0] = (TirNamedAttribute){
        "occupancy",
        {.present = true, .tag = TIR_TAG_INTEGER, .type = tir_type_scalar(c->module, TIR_TYPE_i8), .integer = 256}};
    entries[0] = (TirNamedAttribute){"sm_100", {.present = true, .tag = TIR_TAG_DICTIONARY}};
    entries[0].value.length = 1;
    entries[0].value.entries = inner;
    c->function->hints = (TirAttribute){.present = true, .length = 1, .entries = entries};
}
static void twice_hinted(Case *c) {
    TirNamedAttribute *entries = arena_array(&c->module->arena, TirNamedAttribute, 2);
    for (int i = 0; i < 2; i++)
        entries[i] = (TirNamedAttribute){"sm_100", {.present = true, .tag = TIR_TAG_DICTIONARY}};
    c->function->hints = (TirAttribute){.present = true, .length = 2, .entries = entries};
}
static void load_hints(Case *c) {
    hints_of(c, tir_op_set(ordered(load(c, "*f32", "f32", NULL, NULL), TIR_memory_ordering_weak, NO_SCOPE), "hints"));
}

Test(verify_memory, assumptions_globals_and_others) {
    static const VerifyCase cases[] = {
        {"a divisor is a power of two", div_by_three, "'assume' op has div_by 3, expected a power of two up to 2^62"},
        {"a divisor is not zero", div_by_zero, "'assume' op has div_by 0"},
        {"a divisor is at most 2^62", div_by_much, "'assume' op has div_by 9223372036854775808"},
        {"'every' needs 'along'", div_by_every, "'assume' op has div_by with only one of 'every' and 'along'"},
        {"no 'every' on scalars", div_by_scalar, "'assume' op has div_by with 'every' on a scalar"},
        {"'along' is a dimension", div_by_along, "'assume' op has div_by along 1, expected 0 to 0"},
        {"'every' is within the dimension", div_by_group, "'assume' op has div_by with every 8, expected 0 to 4"},
        {"floats are not divisible", div_by_float,
         "'assume' op has div_by on tile<f32>, expected a tile of integers or pointers"},
        {"same_elements for each dimension", same_count, "'assume' op has same_elements with 2 values, expected 1"},
        {"same_elements within the dimension", same_range,
         "'assume' op has same_elements of 5 in dimension 0, expected 0 to 4"},
        {"same_elements of integers", same_float, "'assume' op has same_elements on tile<4xf32>"},
        {"pointers are not bounded", bounded_pointer,
         "'assume' op has bounded on tile<ptr<f32>>, expected a tile of integers"},
        {"upper bound fits the type", bounded_range, "'assume' op has upper bound 128, expected -128 to 127"},
        {"lower bound fits the type", bounded_low, "'assume' op has lower bound -129, expected -128 to 127"},
        {"bounds are in order", bounded_order, "'assume' op has lower bound 5 above upper bound 4"},
        {"bounds of i64", bounded_wide, NULL},
        {"predicates are three", predicate_tag, "'assume' op has a predicate with tag 1"},
        {"two tokens are joined", one_token, "'join_tokens' op joins 1 tokens, expected at least 2"},
        {"an argument for each conversion", print_count, "'print_tko' op has 1 arguments for 2 conversions"},
        {"an escaped percent sign", print_escaped, "'print_tko' op has 1 arguments for 0 conversions"},
        {"conversions are finished", print_unfinished,
         "'print_tko' op has a format with an unfinished conversion at 3"},
        {"print", print_fits, NULL},
        {"a global is there", unknown_global, "'get_global' op names @table, which is no global"},
        {"a global has its type", global_type,
         "'get_global' op gives a pointer to i32, but @table has elements of f32"},
        {"get_global", global_fits, NULL},
        {"globals are rows", global_rank, "global @table is tile<f32>, expected a tile of rank 1"},
        {"globals have all their bytes", global_size,
         "global @table has a value of 15 bytes, which does not fit tile<4xf32>"},
        {"alignment of a global", global_alignment, "global @table has alignment 24, expected a power of two"},
        {"globals have different names", global_twice, "symbol @table is defined twice"},
        {"globals and entries have different names", global_as_entry, "symbol @entry is defined twice"},
        {"constant globals are of 13.3", global_too_new,
         "global @table is constant or private, which needs version 13.3"},
        {"hints of an entry are dictionaries", entry_hints,
         "entry @entry has the optimization hint 'sm_100' with tag 3, expected a dictionary"},
        {"hints of a target come once", twice_hinted, "entry @entry has the attribute 'sm_100' twice"},
        {"the number of a hint fits its type", large_hint,
         "entry @entry has the optimization hint 'sm_100.occupancy', which is a number that its type does not hold"},
        {"hints of a load are dictionaries", load_hints,
         "'load_ptr_tko' op has the optimization hint 'sm_100' with tag 3"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- entries, debug information -------------------------------------------------------------------------------------

// Verifies a module with one entry of these parameters; the body is `return` unless it is empty.
static void expect_entry(void (*build)(Case *c), const char *expected) {
    Case c = {.module = tir_module_open("entry")};
    build(&c);
    Diagnostics diagnostics = {0};
    cr_expect_not(tir_verify(&diagnostics, c.module), "accepted: %s", expected);
    cr_expect(diagnostics.count && strstr(diagnostics.items[0].message, expected), "message %s, expected %s",
              diagnostics.count ? diagnostics.items[0].message : "none", expected);
    diagnostics_close(&diagnostics);
    tir_module_close(c.module);
}
static void entry_of(Case *c, uint32_t count, const TirType *parameters, uint32_t results) {
    TirTypeInfo signature = {.kind = TIR_TYPE_function,
                             .parameter_count = count,
                             .parameters = parameters,
                             .result_count = results,
                             .results = parameters,
                             .ptr_attr = -1};
    c->function = tir_function_add(c->module, "main", tir_type_intern(c->module, &signature), true);
    c->block = c->function->body.first;
    add(c, TIR_OP_return, NULL, NO_VALUES);
}
static void entry_tile(Case *c) {
    entry_of(c, 1, (TirType[]){type_named(c, "4xf32")}, 0);
}
static void entry_token(Case *c) {
    entry_of(c, 1, (TirType[]){type_named(c, "token")}, 0);
}
static void entry_bare(Case *c) {
    entry_of(c, 1, (TirType[]){tir_type_scalar(c->module, TIR_TYPE_f32)}, 0);
}
static void entry_view(Case *c) {
    entry_of(c, 1, (TirType[]){tensor_view_type(c, "f32", 2, fixed, rows)}, 0);
}
static void entry_result(Case *c) {
    entry_of(c, 1, (TirType[]){type_named(c, "f32")}, 1);
}
static void entry_empty(Case *c) {
    TirTypeInfo signature = {.kind = TIR_TYPE_function, .ptr_attr = -1};
    tir_function_add(c->module, "main", tir_type_intern(c->module, &signature), true);
}
static void entry_no_return(Case *c) {
    entry_empty(c);
    c->block = c->module->functions[0].body.first;
    value_of(c, "f32");
}
static void entry_twice(Case *c) {
    entry_of(c, 0, NULL, 0), entry_of(c, 0, NULL, 0);
}
static void no_entry(Case *c) {
    entry_of(c, 0, NULL, 0), c->function->entry = false;
}
static void value_without_type(Case *c) {
    entry_of(c, 1, (TirType[]){type_named(c, "f32")}, 0);
    c->function->values[0].type = TIR_NO_TYPE;
}
static void global_without_type(Case *c) {
    entry_of(c, 0, NULL, 0), add_global(c, "table", "4xf32", 4)->type = TIR_NO_TYPE;
}
static void module_version(Case *c) {
    entry_of(c, 0, NULL, 0), c->module->version = 1306;
}
static void region_count(Case *c) {
    entry_of(c, 0, NULL, 0), c->block->last->region_count = 1;
}
static void unknown_op(Case *c) {
    entry_of(c, 0, NULL, 0), c->block->last->kind = TIR_OP_COUNT;
}

enum { TAG_UNIT = 1, TAG_FILE, TAG_BLOCK, TAG_LOCATION, TAG_SUBPROGRAM, TAG_CALL };
// Rows 1 file, 2 unit, 3 and 4 subprograms "main" and "other", 5 and 6 locations in them, 7 a call of 6 from 5, 8 block
// in 3, 9 location in it.
static void debug_rows(Case *c) {
    static const TirDebug rows_of[] = {
        {.tag = TAG_FILE, .name = "k.py", .linkage_name = "/src"},
        {.tag = TAG_UNIT, .refs = {1}},
        {.tag = TAG_SUBPROGRAM, .refs = {1, 2}, .name = "main", .linkage_name = "main"},
        {.tag = TAG_SUBPROGRAM, .refs = {1, 2}, .name = "other", .linkage_name = "other"},
        {.tag = TAG_LOCATION, .refs = {3}, .name = "k.py", .line = 1},
        {.tag = TAG_LOCATION, .refs = {4}, .name = "k.py", .line = 2},
        {.tag = TAG_CALL, .refs = {6, 5}},
        {.tag = TAG_BLOCK, .refs = {3, 1}},
        {.tag = TAG_LOCATION, .refs = {8}, .name = "k.py", .line = 3},
    };
    c->module->debug = arena_array(&c->module->arena, TirDebug, BASE_COUNT(rows_of));
    memcpy(c->module->debug, rows_of, sizeof rows_of);
    c->module->debug_count = BASE_COUNT(rows_of);
    entry_of(c, 0, NULL, 0);
}
static void located(Case *c, uint64_t function, uint64_t op) {
    debug_rows(c);
    c->function->debug = function;
    c->block->last->debug = op;
}
static void debug_other_name(Case *c) {
    located(c, 6, 0);
}
static void debug_call_site(Case *c) {
    located(c, 7, 0);
}
static void debug_block(Case *c) {
    located(c, 9, 0);
}
static void debug_no_scope(Case *c) {
    located(c, 0, 5);
}
static void debug_foreign(Case *c) {
    located(c, 5, 6);
}
static void debug_range(Case *c) {
    located(c, 5, 10);
}
static void debug_function_range(Case *c) {
    located(c, 10, 0);
}

Test(verify_module, entries) {
    expect_entry(entry_tile, "entry @main has argument 0 of tile<4xf32>, expected a scalar tile");
    expect_entry(entry_token, "entry @main has argument 0 of token, expected a scalar tile");
    expect_entry(entry_bare, "entry @main has argument 0 of f32, expected a scalar tile");
    expect_entry(entry_view,
                 "entry @main has argument 0 of tensor_view<4x6xf32, strides=[6,1]>, expected a scalar tile");
    expect_entry(entry_result, "entry @main returns 1 values, expected none");
    expect_entry(entry_empty, "entry @main has no op");
    expect_entry(entry_no_return, "'constant' op is the last one of the entry, expected return");
    expect_entry(entry_twice, "symbol @main is defined twice");
    expect_entry(no_entry, "function @main is not an entry");
    expect_entry(module_version, "the module has version 13.6, expected 13.1 to 13.5");
    expect_entry(value_without_type, "entry @main has value 0 without a type");
    expect_entry(global_without_type, "global @table has no type");
    expect_entry(region_count, "'return' op has 1 regions, expected 0");
    expect_entry(unknown_op, "'unknown' op is the last one of the entry");
}

Test(verify_module, debug_scopes) {
    expect_entry(debug_other_name, "entry @main has a location in a subprogram with the linkage name \"other\"");
    expect_entry(debug_call_site, "entry @main has a call site as location");
    expect_entry(debug_block, "entry @main has a location whose scope is no subprogram");
    expect_entry(debug_no_scope, "'return' op has a location in subprogram \"main\", but its entry has none");
    expect_entry(debug_foreign,
                 "'return' op has a location in subprogram \"other\", expected that of its entry, \"main\"");
    expect_entry(debug_range, "'return' op has debug reference 10, but there are 9");
    expect_entry(debug_function_range, "entry @main has debug reference 10, but there are 9");
}

Test(verify_module, debug_scopes_that_fit) {
    for (uint64_t op = 0; op <= 9; op++) {
        if (op == 6) continue; // another subprogram
        Case c = {.module = tir_module_open("entry")};
        located(&c, 5, op);
        Diagnostics diagnostics = {0};
        cr_expect(tir_verify(&diagnostics, c.module), "reference %d: %s", (int)op,
                  diagnostics.count ? diagnostics.items[0].message : "");
        diagnostics_close(&diagnostics);
        tir_module_close(c.module);
    }
}
