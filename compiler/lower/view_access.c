// SPDX-License-Identifier: Apache-2.0
// What a load, store or reduction through a view touches: one tile, in the order of the tensor's memory. The dimension
// of stride 1 (if one is known) is innermost, in vectors, masked where the tile sticks out of the tensor; rows that are
// gathered have a position of their own each.
#include "compiler/lower/census.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_internal.h"
#include "compiler/lower/tiles.h"

#include <assert.h>

uint32_t emit_view_dimension(const TirTypeInfo *view, uint32_t d) {
    return view->kind == TIR_TYPE_gather_scatter_view ? d : (uint32_t)view->dim_map[d];
}

int64_t emit_view_step(const TirTypeInfo *view, uint32_t d) {
    switch (view->kind) {
    case TIR_TYPE_strided_view: return view->strides[d];
    case TIR_TYPE_gather_scatter_view: return 1;
    default: return view->shape[d];
    }
}

static bool is_gathered(const ViewAccess *access, uint32_t d) {
    return access->type->kind == TIR_TYPE_gather_scatter_view && d == access->type->sparse_dim;
}

static bool is_contiguous(const ViewAccess *access, uint32_t d) {
    return access->tensor->strides[emit_view_dimension(access->type, d)] == 1 && access->type->shape[d] > 1 &&
           !is_gathered(access, d);
}

// Which tile dimension varies fastest in the tensor's memory, as far as types tell: stride 1, else the last.
static void choose_order(ViewAccess *access) {
    uint32_t rank = access->type->rank;
    access->inner = rank ? rank - 1 : 0;
    access->contiguous = false;
    for (uint32_t d = rank; d-- > 0 && !access->contiguous;)
        if (is_contiguous(access, d)) {
            access->inner = d;
            access->contiguous = true;
        }
    TileMap order = {0};
    for (uint32_t k = 0; k < rank; k++) { // inner first, then the others from last to first
        uint32_t d = k == 0 ? access->inner : rank - k - (rank - k <= access->inner ? 1 : 0);
        unsigned bit = map_dimension_bit(access->type, d);
        for (unsigned i = 0; i < map_log2(access->type->shape[d]); i++) order.to[order.bits++] = (int8_t)(bit + i);
    }
    access->order = order;
}

// The value, but the optimiser cannot know it: an asm of no instruction.
static LLVMValueRef hide(Emit *e, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value), function = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(function, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(e->cx.builder, function, nothing, &value, 1, "");
}

// ---- one dimension of the tile --------------------------------------------------------------------------------------

// Whether no tile of a dimension of the tensor sticks out of it.
static bool all_tiles_fit(int64_t size, int64_t step, int64_t tile) {
    if (size == TIR_DYNAMIC || size <= 0) return false;
    int64_t last = (size - 1) / step * step;
    return size - last >= tile;
}

// Elements of tile dimension d up to the end of the tensor, of this size, for the tile that begins with element
// `first`.
static LLVMValueRef valid_elements(Emit *e, const ViewAccess *access, uint32_t d, LLVMValueRef size,
                                   LLVMValueRef first) {
    int64_t tile = access->type->shape[d];
    LLVMValueRef all = code_i64(&e->cx, tile);
    if (all_tiles_fit(access->tensor->shape[emit_view_dimension(access->type, d)], emit_view_step(access->type, d),
                      tile))
        return all;
    LLVMValueRef left = LLVMBuildSub(e->cx.builder, size, first, "");
    LLVMValueRef fits = LLVMBuildICmp(e->cx.builder, LLVMIntSGE, left, all, "");
    LLVMValueRef valid = LLVMBuildSelect(e->cx.builder, fits, all, left, "");
    bool stores = access->op->kind == TIR_OP_store_view_tko || access->op->kind == TIR_OP_multimem_store_view_tko;
    return stores && d == access->inner && e->cx.machine.widens_masked_stores ? hide(e, valid) : valid;
}

// How many tiles of a dimension lie in the tensor as a whole: (size - tile) / step + 1, or none.
static LLVMValueRef whole_tiles(Emit *e, LLVMValueRef size, int64_t tile, int64_t step) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef room = LLVMBuildSub(builder, size, code_i64(&e->cx, tile), "");
    LLVMValueRef some = LLVMBuildICmp(builder, LLVMIntSGE, room, code_i64(&e->cx, 0), "");
    LLVMValueRef count =
        LLVMBuildAdd(builder, LLVMBuildUDiv(builder, room, code_i64(&e->cx, step), ""), code_i64(&e->cx, 1), "");
    return LLVMBuildSelect(builder, some, count, code_i64(&e->cx, 0), "");
}

// Outside the index space is an error, unless such tiles are padding.
static void check_index(Emit *e, ViewAccess *access, uint32_t d, LLVMValueRef exists, LLVMValueRef index,
                        LLVMValueRef limit) {
    if (e->options->outside_tiles)
        access->maybe_outside = true;
    else
        emit_check(e, exists,
                   &(EmitFault){.kind = HOST_SITE_INDEX,
                                .message = arena_format(e->arena, "index %u", d),
                                .address = access->view->base,
                                .found = index,
                                .limit = limit});
}

// The scalar indices of a gather-scatter view are elements. A tile may begin before the tensor, as long as some of it
// lies inside: then the index is a negative number.
static LLVMValueRef open_elements(Emit *e, ViewAccess *access, uint32_t d, TirValue operand) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef size = access->view->sizes[d], none = code_i64(&e->cx, 0);
    LLVMValueRef index = emit_scalar_i64(e, operand, false), negative = emit_scalar_i64(e, operand, true);
    LLVMValueRef within = LLVMBuildICmp(builder, LLVMIntULT, index, size, "");
    LLVMValueRef some = LLVMBuildICmp(builder, LLVMIntSLT, negative, none, "");
    LLVMValueRef near = LLVMBuildICmp(builder, LLVMIntSGT, negative, code_i64(&e->cx, -access->type->shape[d]), "");
    LLVMValueRef before = LLVMBuildAnd(builder, some, near, "");
    LLVMValueRef exists = LLVMBuildOr(builder, within, before, "");
    check_index(e, access, d, exists, LLVMBuildSelect(builder, some, negative, index, ""), size);
    LLVMValueRef first = LLVMBuildSelect(builder, within, index, negative, "");
    if (access->maybe_outside) first = LLVMBuildSelect(builder, exists, first, none, "");
    LLVMValueRef outside = LLVMBuildICmp(builder, LLVMIntSLT, first, none, "");
    if (access->type->shape[d] > 1)
        access->outside[d] = LLVMBuildSelect(builder, outside, LLVMBuildNeg(builder, first, ""), none, "");
    LLVMValueRef tile = code_i64(&e->cx, access->type->shape[d]);
    LLVMValueRef fewer = LLVMBuildAnd(builder, outside, LLVMBuildICmp(builder, LLVMIntSGT, size, tile, ""), "");
    size = LLVMBuildSelect(builder, fewer, tile, size, ""); // so that size - first cannot wrap
    access->valid[d] = valid_elements(e, access, d, size, first);
    if (access->maybe_outside) access->valid[d] = LLVMBuildSelect(builder, exists, access->valid[d], none, "");
    return first;
}

// The tile's first element in a dimension whose index is a number, and which of its elements there are.
static LLVMValueRef open_dimension(Emit *e, ViewAccess *access, uint32_t d, TirValue operand, bool inbounds) {
    LLVMBuilderRef builder = e->cx.builder;
    if (access->type->kind == TIR_TYPE_gather_scatter_view && !inbounds) return open_elements(e, access, d, operand);
    int64_t step = emit_view_step(access->type, d), tile = access->type->shape[d];
    LLVMValueRef size = access->view->sizes[emit_view_dimension(access->type, d)];
    LLVMValueRef index = emit_scalar_i64(e, operand, false);
    LLVMValueRef limit = inbounds ? whole_tiles(e, size, tile, step) : emit_index_space(e, size, step);
    LLVMValueRef exists = LLVMBuildICmp(builder, LLVMIntULT, index, limit, "");
    if (inbounds) {
        emit_check(e, exists,
                   &(EmitFault){.kind = HOST_SITE_INBOUNDS,
                                .message = arena_format(e->arena, "index %u", d),
                                .address = access->view->base,
                                .found = index,
                                .limit = limit});
        access->valid[d] = code_i64(&e->cx, tile);
        return LLVMBuildMul(builder, index, code_i64(&e->cx, step), "");
    }
    check_index(e, access, d, exists, index, limit);
    if (access->maybe_outside) index = LLVMBuildSelect(builder, exists, index, code_i64(&e->cx, 0), "");
    LLVMValueRef first = LLVMBuildMul(builder, index, code_i64(&e->cx, step), "");
    access->valid[d] = valid_elements(e, access, d, size, first);
    if (access->maybe_outside)
        access->valid[d] = LLVMBuildSelect(builder, exists, access->valid[d], code_i64(&e->cx, 0), "");
    return first;
}

// Row numbers that are said to be in bounds are.
static bool check_rows(Emit *e, ViewAccess *access, uint32_t d) {
    Nest nest;
    TileMap map = map_identity(map_log2(access->type->shape[d]));
    NumericValue row;
    nest_init(&nest, map.bits);
    nest.vector_fixed = true;
    if (!nest_need(e, &nest, access->rows, &map)) return false;
    nest_open(e, &nest, map.bits);
    if (!nest_eval(e, &nest, access->rows, &map, &row)) return false;
    LLVMValueRef index = LLVMBuildIntCast2(e->cx.builder, row.parts[0], code_integer_type(&e->cx, 64), false, ""),
                 limit = access->view->sizes[d];
    emit_check(e, LLVMBuildICmp(e->cx.builder, LLVMIntULT, index, limit, ""),
               &(EmitFault){.kind = HOST_SITE_INBOUNDS,
                            .message = arena_format(e->arena, "row of index %u", d),
                            .found = index,
                            .limit = limit});
    nest_close(e, &nest);
    return true;
}

bool emit_view_open(Emit *e, const TirOp *op, TirType tile, ViewAccess *access) {
    LLVMBuilderRef builder = e->cx.builder;
    TirValue view = tir_operand(op, "view");
    *access = (ViewAccess){
        .op = op, .view = emit_val(e, view)->view, .type = tir_type(e->module, emit_type_of(e, view)), .tile = tile};
    access->tensor = tir_type(e->module, access->type->element);
    access->element = emit_element_at(e, tile, access->view->origin);
    access->bytes = emit_storage_bytes(access->element);
    access->packed = access->element.is_float && access->element.format == FPSAN_F4E2M1FN;
    access->rows = TIR_NO_VALUE;
    choose_order(access);
    const TirAttribute *inbounds = tir_attribute(op, "inbounds");
    const TirValue *indices;
    tir_operands(op, "index", &indices);
    LLVMValueRef offset = access->view->first;
    for (uint32_t d = 0; d < access->type->rank; d++) {
        bool said = inbounds && inbounds->numbers[d];
        if (is_gathered(access, d)) {
            access->rows = indices[d];
            access->rows_checked = said;
            if (!emit_materialise(e, access->rows) || (said && !check_rows(e, access, d))) return false;
            continue;
        }
        LLVMValueRef first = open_dimension(e, access, d, indices[d], said);
        LLVMValueRef stride = access->view->strides[emit_view_dimension(access->type, d)];
        offset = LLVMBuildAdd(builder, offset, LLVMBuildMul(builder, first, stride, ""), "");
    }
    access->start = offset;
    if (access->packed) return true;
    offset = LLVMBuildMul(builder, offset, code_i64(&e->cx, access->bytes), "");
    access->start = LLVMBuildAdd(builder, access->view->base, offset, "");
    return true;
}

// ---- the nest -------------------------------------------------------------------------------------------------------

// Position of the step's first lane, and of the lanes, along tile dimension d: a map of the iteration bits to the bits
// of the coordinate. `order` is that of the iteration, as ViewAccess has it.
static TileMap coordinate_map(const ViewAccess *access, const TileMap *order, uint32_t d) {
    TileMap map = {.bits = order->bits};
    int first = (int)map_dimension_bit(access->type, d), bits = (int)map_log2(access->type->shape[d]);
    for (unsigned i = 0; i < map.bits; i++)
        map.to[i] = (int8_t)(order->to[i] >= first && order->to[i] < first + bits ? order->to[i] - first : -1);
    return map;
}

void emit_view_need_inside(Nest *nest, const ViewAccess *access, const TileMap *order) {
    nest_need_memory(nest, 8, order);
    for (uint32_t d = 0; d < access->type->rank; d++)
        for (unsigned i = 1; i < order->bits; i++)
            if (order->to[i] == (int)map_dimension_bit(access->type, d)) nest->breaks |= UINT64_C(1) << i;
}

bool emit_view_need(Emit *e, Nest *nest, const ViewAccess *access, const TileMap *order) {
    nest_need_memory(nest, 8 * access->bytes, order);
    emit_view_need_inside(nest, access, order);
    if (access->rows == TIR_NO_VALUE) return true;
    TileMap map = coordinate_map(access, order, access->type->sparse_dim);
    return nest_need(e, nest, access->rows, &map);
}

bool emit_view_is_contiguous(const ViewAccess *access, const TileMap *order, unsigned lane_bits) {
    int inner = (int)map_dimension_bit(access->type, access->inner);
    unsigned bits = map_log2(access->type->rank ? access->type->shape[access->inner] : 1);
    for (unsigned i = 0; i < lane_bits; i++)
        if (order->to[i] != inner + (int)i) return false;
    return access->contiguous && lane_bits <= bits;
}

bool emit_view_nest(Emit *e, Nest *nest, const ViewAccess *access) {
    nest_init(nest, access->order.bits);
    return emit_view_need(e, nest, access, &access->order);
}

void emit_view_limit_lanes(const Emit *e, Nest *nest, ViewAccess *access) {
    unsigned inner = map_log2(access->type->rank ? access->type->shape[access->inner] : 1);
    unsigned lanes = nest_lanes_bits(e, nest->widest, access->order.bits);
    if (lanes > inner) lanes = inner;
    if (access->ordering != LLVMAtomicOrderingNotAtomic) lanes = 0;
    nest->vector_fixed = true;
    nest->vector_bits = lanes;
    access->contiguous &= lanes > 0;
}

static bool is_in_lanes(const Nest *nest, const TileMap *map) {
    for (unsigned i = 0; i < nest->vector_bits; i++)
        if (map->to[i] >= 0) return true;
    return false;
}

static LLVMValueRef lane_coordinates(Emit *e, const Nest *nest, const TileMap *map) {
    LLVMValueRef start = nest_index(e, nest, map);
    if (!nest->vector_bits) return start;
    LLVMValueRef offsets[64];
    unsigned lanes = 1u << nest->vector_bits;
    for (unsigned lane = 0; lane < lanes; lane++) offsets[lane] = code_i64(&e->cx, nest_lane_offset(nest, map, lane));
    return LLVMBuildAdd(e->cx.builder, vector_splat(e->cx.builder, start, lanes), LLVMConstVector(offsets, lanes), "");
}

// The step's row numbers (i64): one, or one for each lane.
static bool step_rows(Emit *e, Nest *nest, const ViewAccess *access, const TileMap *order, LLVMValueRef *rows) {
    NumericValue value;
    TileMap map = coordinate_map(access, order, access->type->sparse_dim);
    if (!nest_eval(e, nest, access->rows, &map, &value)) return false;
    *rows = value.parts[0];
    emit_note_use(e, value.parts[1], NULL, "a row number is unspecified");
    if (nest->vector_bits && !is_in_lanes(nest, &map))
        *rows = LLVMBuildExtractElement(e->cx.builder, *rows, code_i32(&e->cx, 0), "");
    LLVMTypeRef type = vector_type_like(code_integer_type(&e->cx, 64), *rows);
    *rows = LLVMBuildIntCast2(e->cx.builder, *rows, type, false, "");
    return true;
}

// Coordinates `predicate` limit, where limit is at most the size of a tile: in lanes compared in 32 bits.
static LLVMValueRef compare_coordinates(Emit *e, const Nest *nest, const TileMap *map, LLVMIntPredicate predicate,
                                        LLVMValueRef limit) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef start = nest_index(e, nest, map);
    if (!is_in_lanes(nest, map)) return LLVMBuildICmp(builder, predicate, start, limit, "");
    LLVMTypeRef i32 = code_integer_type(&e->cx, 32);
    LLVMValueRef offsets[64];
    unsigned lanes = 1u << nest->vector_bits;
    for (unsigned lane = 0; lane < lanes; lane++)
        offsets[lane] = code_i32(&e->cx, (int32_t)nest_lane_offset(nest, map, lane));
    LLVMValueRef left =
        LLVMBuildSub(builder, LLVMBuildTrunc(builder, limit, i32, ""), LLVMBuildTrunc(builder, start, i32, ""), "");
    return LLVMBuildICmp(builder, predicate, LLVMConstVector(offsets, lanes), vector_splat(builder, left, lanes), "");
}

// The step's lanes (or, where they do not differ, the step) that lie inside the tensor along tile dimension d.
static LLVMValueRef inside(Emit *e, const Nest *nest, const ViewAccess *access, const TileMap *order, uint32_t d) {
    TileMap map = coordinate_map(access, order, d);
    LLVMValueRef good = compare_coordinates(e, nest, &map, LLVMIntSLT, access->valid[d]);
    if (!access->outside[d]) return good;
    LLVMValueRef begun = compare_coordinates(e, nest, &map, LLVMIntSGE, access->outside[d]);
    return LLVMBuildAnd(e->cx.builder, good, begun, "");
}

static bool may_stick_out(const ViewAccess *access, uint32_t d) {
    LLVMValueRef valid = access->valid[d];
    if (is_gathered(access, d)) return false;
    if (access->maybe_outside || access->outside[d]) return true;
    return !LLVMIsAConstantInt(valid) || LLVMConstIntGetSExtValue(valid) < access->type->shape[d];
}

bool emit_view_sticks_out(const ViewAccess *access) {
    bool some = false;
    for (uint32_t d = 0; d < access->type->rank; d++)
        some |= may_stick_out(access, d) && (access->type->shape[d] > 1 || access->maybe_outside);
    return some;
}

LLVMValueRef emit_view_is_whole(Emit *e, const ViewAccess *access) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef whole = LLVMConstAllOnes(code_integer_type(&e->cx, 1));
    for (uint32_t d = 0; d < access->type->rank; d++) {
        if (!may_stick_out(access, d)) continue;
        LLVMValueRef size = code_i64(&e->cx, access->type->shape[d]), none = code_i64(&e->cx, 0);
        whole = LLVMBuildAnd(builder, whole, LLVMBuildICmp(builder, LLVMIntSGE, access->valid[d], size, ""), "");
        if (access->outside[d])
            whole = LLVMBuildAnd(builder, whole, LLVMBuildICmp(builder, LLVMIntSLE, access->outside[d], none, ""), "");
    }
    return whole;
}

// Whether the steps access the first coordinate of dimension d alone, which lies inside the tensor.
static bool begins_inside(const ViewAccess *access, const TileMap *order, uint32_t d) {
    const TileMap map = coordinate_map(access, order, d);
    bool first = !access->maybe_outside && !access->outside[d];
    for (unsigned i = 0; i < map.bits; i++) first &= map.to[i] < 0;
    return first;
}

// Whether all of the step's lanes do.
static LLVMValueRef all_inside(Emit *e, const Nest *nest, const ViewAccess *access, const TileMap *order, uint32_t d) {
    LLVMBuilderRef b = e->cx.builder;
    const TileMap map = coordinate_map(access, order, d);
    LLVMValueRef start = nest_index(e, nest, &map),
                 most = code_i64(&e->cx, nest_lane_offset(nest, &map, (1u << nest->vector_bits) - 1));
    LLVMValueRef good = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildAdd(b, start, most, ""), access->valid[d], "");
    if (!access->outside[d]) return good;
    return LLVMBuildAnd(b, good, LLVMBuildICmp(b, LLVMIntSGE, start, access->outside[d], ""), "");
}

CensusMask emit_view_inside(Emit *e, const Nest *nest, const ViewAccess *access, const TileMap *order) {
    CensusMask mask = {0};
    for (uint32_t d = 0; d < access->type->rank; d++) {
        if (!may_stick_out(access, d)) continue;
        LLVMValueRef own = begins_inside(access, order, d) ? LLVMConstAllOnes(code_integer_type(&e->cx, 1))
                                                           : inside(e, nest, access, order, d);
        CensusMask other = {.scalar = own};
        if (vector_lanes(own)) other = (CensusMask){.lanes = own, .all = all_inside(e, nest, access, order, d)};
        mask = census_both(e, mask, other);
    }
    return mask;
}

static LLVMValueRef step_mask(Emit *e, const Nest *nest, const ViewAccess *access, const TileMap *order,
                              LLVMValueRef rows) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned lanes = nest->vector_bits ? 1u << nest->vector_bits : 0;
    LLVMValueRef scalar_mask = NULL, mask = NULL;
    for (uint32_t d = 0; d < access->type->rank && !access->whole; d++) {
        LLVMValueRef good;
        if (is_gathered(access, d)) {
            if (access->rows_checked) continue;
            LLVMValueRef size = vector_splat(builder, access->view->sizes[d], vector_lanes(rows));
            good = LLVMBuildICmp(builder, LLVMIntULT, rows, size, "");
        } else {
            if (!may_stick_out(access, d)) continue;
            if (access->type->shape[d] == 1 && !access->maybe_outside) continue; // valid is at least 1
            good = inside(e, nest, access, order, d);
        }
        LLVMValueRef *target = vector_lanes(good) ? &mask : &scalar_mask;
        *target = *target ? LLVMBuildAnd(builder, *target, good, "") : good;
    }
    LLVMTypeRef i1 = code_integer_type(&e->cx, 1);
    if (!scalar_mask) scalar_mask = LLVMConstAllOnes(i1);
    LLVMValueRef wide = vector_splat(builder, scalar_mask, lanes);
    return mask ? LLVMBuildAnd(builder, mask, wide, "") : wide;
}

static LLVMValueRef step_address(Emit *e, const Nest *nest, const ViewAccess *access, const TileMap *order,
                                 LLVMValueRef rows) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned bits = nest->vector_bits, lanes = bits && !emit_view_is_contiguous(access, order, bits) ? 1u << bits : 0;
    LLVMValueRef offset = vector_splat(builder, code_i64(&e->cx, 0), lanes);
    for (uint32_t d = 0; d < access->type->rank; d++) {
        LLVMValueRef at;
        if (is_gathered(access, d)) {
            at = vector_lanes(rows) ? rows : vector_splat(builder, rows, lanes);
        } else {
            if (access->type->shape[d] == 1) continue;
            TileMap map = coordinate_map(access, order, d);
            at = lanes ? lane_coordinates(e, nest, &map) : nest_index(e, nest, &map);
        }
        LLVMValueRef stride = access->view->strides[emit_view_dimension(access->type, d)];
        offset = LLVMBuildAdd(builder, offset, LLVMBuildMul(builder, at, vector_splat(builder, stride, lanes), ""), "");
    }
    offset = LLVMBuildMul(builder, offset, vector_splat(builder, code_i64(&e->cx, access->bytes), lanes), "");
    return LLVMBuildAdd(builder, vector_splat(builder, access->start, lanes), offset, "");
}

bool emit_view_lanes(Emit *e, Nest *nest, const ViewAccess *access, const TileMap *order, RecordLanes *lanes) {
    LLVMValueRef rows = NULL;
    if (access->rows != TIR_NO_VALUE && !step_rows(e, nest, access, order, &rows)) return false;
    lanes->mask = step_mask(e, nest, access, order, rows);
    lanes->addresses = step_address(e, nest, access, order, rows);
    lanes->count = vector_lanes(lanes->mask);
    return true;
}
