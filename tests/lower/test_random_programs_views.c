// SPDX-License-Identifier: Apache-2.0
// Random programs: loads, stores and reductions through partition views, strided views and gather-scatter views.
#include "tests/lower/programs.h"

#include <string.h>

typedef struct View {
    TirTypeKind kind;
    uint32_t rank, sparse_dim;
    int64_t tile[5], steps[5];    // elements of a tile, and from index to index
    int64_t sizes[5], strides[5]; // by dimension of the tensor
    int32_t dim_map[5];
} View;

static void shuffle(RandomProgram *p, uint32_t count, int32_t *items) {
    for (uint32_t i = 0; i < count; i++) items[i] = (int32_t)i;
    for (uint32_t i = count; i-- > 1;) {
        uint64_t other = program_roll(p, i + 1);
        int32_t item = items[i];
        items[i] = items[other];
        items[other] = item;
    }
}

// Strides that do not overlap, dimensions in any order, gaps between them; returns one more than the largest index.
static int64_t lay_out(RandomProgram *p, View *view) {
    int32_t order[5];
    int64_t stride = program_chance(p, 75) ? 1 : 1 + (int64_t)program_roll(p, 3), reach = 0;
    shuffle(p, view->rank, order);
    if (program_chance(p, 50)) // row-major
        for (uint32_t i = 0; i < view->rank; i++) order[i] = (int32_t)(view->rank - 1 - i);
    for (uint32_t i = 0; i < view->rank; i++) {
        int64_t size = view->sizes[order[i]];
        view->strides[order[i]] = stride;
        reach += (size - 1) * stride;
        stride *= size;
        if (program_chance(p, 25)) stride += (int64_t)program_roll(p, 4);
    }
    return reach + 1;
}

// Row numbers, of which some may lie outside, are given for one dimension of a gather-scatter view.
static bool has_rows(const View *view, uint32_t d) {
    return view->kind == TIR_TYPE_gather_scatter_view && d == view->sparse_dim;
}

static void choose_kind(RandomProgram *p, View *view) {
    static const TirTypeKind kinds[] = {TIR_TYPE_partition_view, TIR_TYPE_partition_view, TIR_TYPE_strided_view,
                                        TIR_TYPE_gather_scatter_view};
    view->kind = kinds[program_roll(p, BASE_COUNT(kinds))];
    view->sparse_dim = (uint32_t)program_roll(p, view->rank);
    shuffle(p, view->rank, view->dim_map);
    if (view->kind == TIR_TYPE_gather_scatter_view || program_chance(p, 60))
        for (uint32_t d = 0; d < view->rank; d++) view->dim_map[d] = (int32_t)d;
    for (uint32_t d = 0; d < view->rank; d++) {
        view->steps[d] = view->tile[d];
        if (view->kind == TIR_TYPE_gather_scatter_view) view->steps[d] = 1;
        if (view->kind == TIR_TYPE_strided_view && program_chance(p, 80))
            view->steps[d] = 1 + (int64_t)program_roll(p, 2 * (uint64_t)view->tile[d]);
    }
}

// Tensors of packed elements have an even number of them where the stride is 1.
static int64_t allowed_size(TirTypeKind kind, int64_t size) {
    return program_is_packed(kind) ? size + size % 2 : size;
}

static View choose_view(RandomProgram *p, const ProgramShape *shape, TirTypeKind kind) {
    View view = {.rank = shape->rank};
    memcpy(view.tile, shape->sizes, sizeof view.tile);
    choose_kind(p, &view);
    for (uint32_t d = 0; d < view.rank; d++) {
        int64_t tile = view.tile[d],
                size = program_chance(p, 40) ? tile : 1 + (int64_t)program_roll(p, (uint64_t)tile * 2);
        view.sizes[view.dim_map[d]] = allowed_size(kind, size);
    }
    while (lay_out(p, &view) > PROGRAM_BUFFER_ELEMENTS - PROGRAM_CONTROLS) {
        uint64_t d = program_roll(p, view.rank);
        view.sizes[d] = allowed_size(kind, (view.sizes[d] + 1) / 2);
    }
    return view;
}

static TirValue make_view(RandomProgram *p, const View *view, TirTypeKind kind) {
    static const ProgramShape scalar = {0};
    int64_t shape[5], strides[5];
    TirTypeKind numbers = program_index_kind(p);
    TirValue operands[11] = {TIR_NO_VALUE}, extra[10];
    uint32_t segments[TIR_OPERANDS_MAX] = {1}, count = 0;
    for (uint32_t i = 0; i < 2 * view->rank; i++) {
        uint32_t d = i % view->rank;
        int64_t known = i < view->rank ? view->sizes[d] : view->strides[d];
        bool dynamic = program_chance(p, 40);
        (i < view->rank ? shape : strides)[d] = dynamic ? TIR_DYNAMIC : known;
        if (!dynamic) continue;
        extra[count++] = program_scalar(p, numbers, (uint64_t)known);
        segments[i < view->rank ? 1 : 2]++;
    }
    TirValue start = program_scalar(p, TIR_TYPE_i32, PROGRAM_CONTROLS);
    TirType pointer = program_pointer_tile(p, kind, &scalar);
    operands[0] = program_argument(p, program_kind_index(kind));
    if (!program_is_packed(kind)) { // pointers to elements do not exist there
        operands[0] = program_value(p, TIR_OP_offset, pointer, 2, (TirValue[]){operands[0], start});
        if (program_chance(p, 30)) program_keep(p, operands[0]);
    }
    memcpy(operands + 1, extra, count * sizeof *extra);
    TirTypeInfo tensor = {.kind = TIR_TYPE_tensor_view,
                          .element = tir_type_scalar(p->module, kind),
                          .rank = view->rank,
                          .shape = shape,
                          .strides = strides,
                          .ptr_attr = -1};
    TirType type = tir_type_intern(p->module, &tensor);
    TirOp *op = program_op(p, TIR_OP_make_tensor_view, 1, &type, 1 + count, operands, segments);
    return tir_result(op, 0);
}

static TirValue make_tiles(RandomProgram *p, const View *view, TirValue tensor, TirPadding padding) {
    static const TirOpKind ops[TIR_TYPE_COUNT] = {
        [TIR_TYPE_partition_view] = TIR_OP_make_partition_view,
        [TIR_TYPE_strided_view] = TIR_OP_make_strided_view,
        [TIR_TYPE_gather_scatter_view] = TIR_OP_make_gather_scatter_view,
    };
    TirTypeInfo info = {.kind = view->kind,
                        .element = program_type(p, tensor),
                        .rank = view->rank,
                        .shape = view->tile,
                        .strides = view->steps,
                        .dim_map = view->dim_map,
                        .sparse_dim = view->sparse_dim,
                        .padding = padding};
    TirType type = tir_type_intern(p->module, &info);
    return tir_result(program_op(p, ops[view->kind], 1, &type, 1, &tensor, NULL), 0);
}

static void ask_shape(RandomProgram *p, TirOpKind op_kind, TirValue view, uint32_t rank) {
    static const ProgramShape scalar = {0};
    TirType types[5] = {0};
    for (uint32_t d = 0; d < rank; d++) types[d] = program_tile(p, TIR_TYPE_i32, &scalar);
    TirOp *op = program_op(p, op_kind, rank, types, 1, &view, NULL);
    for (uint32_t d = 0; d < rank; d++) program_keep(p, tir_result(op, d));
}

// ---- accesses -------------------------------------------------------------------------------------------------------

typedef struct Access {
    View view;
    TirValue operands[8]; // the view and its indices
    uint32_t count;
    bool whole[5]; // the tile lies in the tensor along the dimension
} Access;

// Row numbers up to about twice the extent.
static TirValue make_rows(RandomProgram *p, const View *view, TirTypeKind numbers) {
    int64_t size = view->sizes[view->sparse_dim], range = 1;
    while (range < size || (range < 2 * size && program_chance(p, 50))) range *= 2;
    ProgramShape shape = {.rank = 1, .sizes = {view->tile[view->sparse_dim]}};
    TirType type = program_tile(p, numbers, &shape);
    TirValue mask = program_splat(p, type, (uint64_t)range - 1);
    return program_binary(p, TIR_OP_andi, program_want(p, type), mask);
}

static void add_index(RandomProgram *p, Access *access, uint32_t d, TirTypeKind numbers) {
    const View *view = &access->view;
    if (has_rows(view, d)) {
        access->operands[access->count++] = make_rows(p, view, program_index_kind(p));
        return;
    }
    int64_t size = view->sizes[view->dim_map[d]], space = (size + view->steps[d] - 1) / view->steps[d];
    uint64_t index = program_chance(p, 50) ? (uint64_t)space - 1 : program_roll(p, (uint64_t)space);
    if (view->kind == TIR_TYPE_gather_scatter_view && view->tile[d] > 1 && program_chance(p, 30)) // before the tensor
        index = (uint64_t)-1 - program_roll(p, (uint64_t)view->tile[d] - 1);
    access->whole[d] = index < (uint64_t)size && (int64_t)index * view->steps[d] + view->tile[d] <= size;
    access->operands[access->count++] = program_scalar(p, numbers, index);
}

// The view of elements of this kind in their buffer, and an index.
static Access open_access(RandomProgram *p, const View *view, TirTypeKind kind, TirPadding padding) {
    Access access = {.view = *view};
    TirValue tensor = make_view(p, view, kind), tiles = make_tiles(p, view, tensor, padding);
    TirTypeKind numbers = program_index_kind(p);
    if (program_chance(p, 10)) ask_shape(p, TIR_OP_get_tensor_shape, tensor, view->rank);
    if (program_chance(p, 10)) ask_shape(p, TIR_OP_get_index_space_shape, tiles, view->rank);
    access.operands[access.count++] = tiles;
    for (uint32_t d = 0; d < view->rank; d++) add_index(p, &access, d, numbers);
    return access;
}

static void set_inbounds(RandomProgram *p, TirOp *op, const Access *access) {
    if (program_chance(p, 70)) return;
    int64_t *numbers = arena_array(&p->module->arena, int64_t, access->view.rank);
    for (uint32_t d = 0; d < access->view.rank; d++) numbers[d] = access->whole[d] && program_chance(p, 70);
    TirAttribute *inbounds = tir_op_set(op, "inbounds");
    inbounds->numbers = numbers;
    inbounds->length = access->view.rank;
}

static bool may_stick_out(const View *view) {
    for (uint32_t d = 0; d < view->rank; d++) {
        int64_t size = view->sizes[view->dim_map[d]], last = (size - 1) / view->steps[d] * view->steps[d];
        if (view->kind == TIR_TYPE_gather_scatter_view || size - last < view->tile[d]) return true;
    }
    return false;
}

TirValue program_load_view(RandomProgram *p, TirType type, const ProgramShape *shape) {
    TirTypeKind kind = tir_tile_element_kind(p->module, type);
    View view = choose_view(p, shape, kind);
    TirPadding padding = program_is_float(kind) ? (TirPadding)program_roll(p, 5) : TIR_PAD_zero;
    bool padded = may_stick_out(&view) || program_chance(p, 50);
    Access access = open_access(p, &view, kind, padded ? padding : TIR_PAD_none);
    uint32_t segments[TIR_OPERANDS_MAX] = {1, view.rank};
    if (program_takes_token(p, &access.operands[access.count])) access.count++, segments[2] = 1;
    TirType results[2] = {type, program_token_type(p)};
    TirOp *op = program_op(p, TIR_OP_load_view_tko, 2, results, access.count, access.operands, segments);
    program_set_ordering(p, op, TIR_memory_ordering_acquire);
    set_inbounds(p, op, &access);
    program_keep(p, tir_result(op, 1));
    return tir_result(op, 0);
}

static void reduce_into_view(RandomProgram *p, TirValue value, const ProgramShape *shape, int mode) {
    View view = choose_view(p, shape, program_kind(p, value));
    while (view.kind == TIR_TYPE_gather_scatter_view) view = choose_view(p, shape, program_kind(p, value));
    Access access = open_access(p, &view, program_kind(p, value), TIR_PAD_none);
    uint32_t segments[TIR_OPERANDS_MAX] = {1, view.rank, 1};
    access.operands[access.count++] = value;
    if (program_takes_token(p, &access.operands[access.count])) access.count++, segments[3] = 1;
    TirType result = program_token_type(p);
    TirOp *op = program_op(p, TIR_OP_atomic_red_view_tko, 1, &result, access.count, access.operands, segments);
    tir_op_set(op, "ordering")->integer = TIR_memory_ordering_relaxed;
    tir_op_set(op, "scope")->integer = program_chance(p, 50) ? TIR_memory_scope_device : TIR_memory_scope_tl_blk;
    tir_op_set(op, "mode")->integer = (uint64_t)mode;
    program_keep(p, tir_result(op, 0));
}

void program_store_view(RandomProgram *p, TirValue value, const ProgramShape *shape) {
    int mode = program_atomic_mode(p, program_kind(p, value));
    if (mode >= 0 && mode != TIR_atomic_mode_xchg && program_count(shape) <= 64 && program_chance(p, 30)) {
        reduce_into_view(p, value, shape, mode);
        return;
    }
    View view = choose_view(p, shape, program_kind(p, value));
    Access access = open_access(p, &view, program_kind(p, value), TIR_PAD_none);
    TirValue operands[9] = {value};
    memcpy(operands + 1, access.operands, sizeof access.operands);
    uint32_t segments[TIR_OPERANDS_MAX] = {1, 1, view.rank}, count = 1 + access.count;
    if (program_takes_token(p, &operands[count])) count++, segments[3] = 1;
    TirType result = program_token_type(p);
    TirOp *op = program_op(p, TIR_OP_store_view_tko, 1, &result, count, operands, segments);
    program_set_ordering(p, op, TIR_memory_ordering_release);
    set_inbounds(p, op, &access);
    program_keep(p, tir_result(op, 0));
}
