// SPDX-License-Identifier: Apache-2.0
// Loads and stores of tiles through partition views. The tile is walked in the order of the tensor's memory: the
// dimension of stride 1 (if one is known) innermost, in vectors, masked where the tile sticks out of the tensor. What
// was loaded keeps that order as the layout of the tile.
#include "compiler/lower/emit.h"
#include "compiler/lower/memory_internal.h"

#include <assert.h>
#include <stdio.h>

typedef struct Access {
    const TirOp *op;
    const EmitView *view;
    const TirTypeInfo *type, *tensor; // partition view and its tensor view
    TirType tile;
    EmitElement element;
    unsigned storage_bits;
    unsigned bytes;
    TileMap order;                          // iteration bit -> flat index bit of the tile
    unsigned dimension_first[TIR_RANK_MAX]; // first iteration bit of each tile dimension
    bool contiguous;                        // the innermost iterated dimension has stride 1
    uint32_t inner;                         // that dimension (of the tile)
    LLVMValueRef start;                     // address of the tile's first element
    LLVMValueRef valid[TIR_RANK_MAX];       // elements of each tile dimension inside the tensor, >= 1 (i64)
} Access;

static int64_t tensor_stride(const Access *access, uint32_t d) {
    return access->tensor->strides[access->type->dim_map[d]];
}

// Which tile dimension varies fastest in the tensor's memory, as far as types tell: stride 1, else the last.
static void choose_order(Access *access) {
    uint32_t rank = access->type->rank;
    access->inner = rank ? rank - 1 : 0;
    access->contiguous = false;
    for (uint32_t d = rank; d-- > 0;)
        if (tensor_stride(access, d) == 1 && access->type->shape[d] > 1) {
            access->inner = d;
            access->contiguous = true;
            break;
        }
    TileMap order = {0};
    for (uint32_t k = 0; k < rank; k++) { // inner first, then the others from last to first
        uint32_t d = k == 0 ? access->inner : rank - k - (rank - k <= access->inner ? 1 : 0);
        access->dimension_first[d] = order.bits;
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

// Elements of tile dimension d inside the tensor, for the tile that begins with element `first`.
static LLVMValueRef valid_elements(Emit *e, const Access *access, uint32_t d, LLVMValueRef first) {
    int64_t step = access->type->shape[d], size = access->tensor->shape[access->type->dim_map[d]];
    LLVMValueRef all = emit_i64(e, step);
    if (size != TIR_DYNAMIC && size % step == 0) return all;
    LLVMValueRef left = LLVMBuildSub(e->cx.builder, access->view->sizes[access->type->dim_map[d]], first, "");
    LLVMValueRef fits = LLVMBuildICmp(e->cx.builder, LLVMIntSGE, left, all, "");
    LLVMValueRef valid = LLVMBuildSelect(e->cx.builder, fits, all, left, "");
    // A masked store of truncated values with one active lane that is known: LLVM 22 makes a store of a whole lane,
    // past the element, of it (AVX-512).
    bool stores = access->op->kind == TIR_OP_store_view_tko;
    return stores && d == access->inner && e->cx.machine.x86 ? hide(e, valid) : valid;
}

static bool open_access(Emit *e, const TirOp *op, Access *access) {
    LLVMBuilderRef builder = e->cx.builder;
    TirValue view = tir_operand(op, "view");
    *access = (Access){.op = op, .view = emit_val(e, view)->view, .type = tir_type(e->module, emit_type_of(e, view))};
    if (access->type->kind != TIR_TYPE_partition_view)
        return emit_fail(e, E_UNSUPPORTED, "only partition views are supported yet");
    access->tensor = tir_type(e->module, access->type->element);
    access->tile = op->kind == TIR_OP_load_view_tko ? emit_type_of(e, tir_result(op, 0))
                                                    : emit_type_of(e, tir_operand(op, "tile"));
    access->element = emit_element(e, access->tile);
    access->bytes = emit_storage_bytes(access->element);
    access->storage_bits = access->bytes * 8;
    choose_order(access);
    const TirValue *indices;
    tir_operands(op, "index", &indices);
    LLVMValueRef offset = emit_i64(e, 0);
    for (uint32_t d = 0; d < access->type->rank; d++) {
        int64_t step = access->type->shape[d];
        uint32_t of = (uint32_t)access->type->dim_map[d];
        LLVMValueRef index = emit_scalar_i64(e, indices[d], false),
                     limit = emit_index_space(e, access->view->sizes[of], step);
        char *message = arena_format(e->arena, "index %u", d);
        emit_check(e, LLVMBuildICmp(builder, LLVMIntULT, index, limit, ""), HOST_SITE_INDEX, message, NULL, index,
                   limit);
        LLVMValueRef first = LLVMBuildMul(builder, index, emit_i64(e, step), "");
        access->valid[d] = valid_elements(e, access, d, first);
        offset = LLVMBuildAdd(builder, offset, LLVMBuildMul(builder, first, access->view->strides[of], ""), "");
    }
    offset = LLVMBuildMul(builder, offset, emit_i64(e, access->bytes), "");
    access->start = LLVMBuildAdd(builder, access->view->base, offset, "");
    return true;
}

// Position of the step's first lane, and of the lanes, along tile dimension d: a map of the iteration bits to the bits
// of the coordinate.
static TileMap coordinate_map(const Access *access, uint32_t d) {
    TileMap map = {.bits = access->order.bits};
    unsigned first = access->dimension_first[d], bits = map_log2(access->type->shape[d]);
    for (unsigned i = 0; i < map.bits; i++)
        map.to[i] = (int8_t)(i >= first && i < first + bits ? (int)(i - first) : -1);
    return map;
}

static LLVMValueRef lane_coordinates(Emit *e, const Nest *nest, const TileMap *map) {
    LLVMValueRef start = nest_index(e, nest, map);
    if (!nest->vector_bits) return start;
    LLVMValueRef offsets[64];
    unsigned lanes = 1u << nest->vector_bits;
    for (unsigned lane = 0; lane < lanes; lane++) offsets[lane] = emit_i64(e, nest_lane_offset(nest, map, lane));
    return LLVMBuildAdd(e->cx.builder, vector_splat(e->cx.builder, start, lanes), LLVMConstVector(offsets, lanes), "");
}

// Lanes inside the tensor (i1 or vector of i1).
static LLVMValueRef step_mask(Emit *e, const Nest *nest, const Access *access) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned lanes = nest->vector_bits ? 1u << nest->vector_bits : 0;
    LLVMValueRef scalar_mask = NULL, mask = NULL;
    for (uint32_t d = 0; d < access->type->rank; d++) {
        if (access->type->shape[d] == 1) continue; // valid is at least 1
        TileMap map = coordinate_map(access, d);
        bool in_lanes = false;
        for (unsigned i = 0; i < nest->vector_bits; i++) in_lanes |= map.to[i] >= 0;
        LLVMValueRef *target = in_lanes ? &mask : &scalar_mask, good;
        if (in_lanes) { // compared in 32 bits: coordinates of a tile are below 2^24
            LLVMTypeRef i32 = emit_integer_type(e, 32);
            LLVMValueRef offsets[64];
            for (unsigned lane = 0; lane < lanes; lane++)
                offsets[lane] = emit_i32(e, (int32_t)nest_lane_offset(nest, &map, lane));
            LLVMValueRef start = LLVMBuildTrunc(builder, nest_index(e, nest, &map), i32, "");
            LLVMValueRef left = LLVMBuildSub(builder, LLVMBuildTrunc(builder, access->valid[d], i32, ""), start, "");
            good = LLVMBuildICmp(builder, LLVMIntSLT, LLVMConstVector(offsets, lanes),
                                 vector_splat(builder, left, lanes), "");
        } else {
            good = LLVMBuildICmp(builder, LLVMIntSLT, nest_index(e, nest, &map), access->valid[d], "");
        }
        *target = *target ? LLVMBuildAnd(builder, *target, good, "") : good;
    }
    LLVMTypeRef i1 = emit_integer_type(e, 1);
    if (!scalar_mask) scalar_mask = LLVMConstAllOnes(i1);
    LLVMValueRef wide = vector_splat(builder, scalar_mask, lanes);
    return mask ? LLVMBuildAnd(builder, mask, wide, "") : wide;
}

// Address of the step's first lane (contiguous) or of all lanes.
static LLVMValueRef step_address(Emit *e, const Nest *nest, const Access *access, bool contiguous) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned lanes = nest->vector_bits && !contiguous ? 1u << nest->vector_bits : 0;
    LLVMValueRef offset = vector_splat(builder, emit_i64(e, 0), lanes);
    for (uint32_t d = 0; d < access->type->rank; d++) {
        if (access->type->shape[d] == 1) continue;
        TileMap map = coordinate_map(access, d);
        LLVMValueRef at = lanes ? lane_coordinates(e, nest, &map) : nest_index(e, nest, &map);
        LLVMValueRef stride = access->view->strides[access->type->dim_map[d]];
        offset = LLVMBuildAdd(builder, offset, LLVMBuildMul(builder, at, vector_splat(builder, stride, lanes), ""), "");
    }
    offset = LLVMBuildMul(builder, offset, vector_splat(builder, emit_i64(e, access->bytes), lanes), "");
    return LLVMBuildAdd(builder, vector_splat(builder, access->start, lanes), offset, "");
}

static uint64_t padding_bits(FpsanFormat format, TirPadding padding) {
    static const double values[] = {[TIR_PAD_zero] = 0.0,
                                    [TIR_PAD_neg_zero] = -0.0,
                                    [TIR_PAD_nan] = __builtin_nan(""),
                                    [TIR_PAD_pos_inf] = __builtin_inf(),
                                    [TIR_PAD_neg_inf] = -__builtin_inf(),
                                    [TIR_PAD_none] = 0.0};
    return fpsan_encode_nearest(format, values[padding]);
}

static void open_nest(Nest *nest, const Access *access) {
    nest_init(nest, access->order.bits);
    for (uint32_t d = 0; d < access->type->rank; d++) nest->breaks |= 1u << access->dimension_first[d];
    nest->breaks &= ~1u;
    if (access->storage_bits > nest->widest) nest->widest = access->storage_bits;
}

// Vectors stay inside the contiguous dimension; without one they gather.
static bool limit_lanes(const Emit *e, Nest *nest, const Access *access) {
    unsigned inner = map_log2(access->type->rank ? access->type->shape[access->inner] : 1);
    unsigned lanes = map_log2(e->cx.machine.vector_bits / nest->widest);
    if (lanes > 6) lanes = 6;
    if (lanes > inner) lanes = inner;
    nest->vector_fixed = true;
    nest->vector_bits = lanes;
    return access->contiguous && lanes > 0;
}

bool lower_load_view(Emit *e, const TirOp *op) {
    LLVMBuilderRef builder = e->cx.builder;
    Access access;
    if (!open_access(e, op, &access)) return false;
    EmitVal *result = emit_val(e, tir_result(op, 0));
    *emit_val(e, tir_result(op, 1)) = (EmitVal){.kind = EMIT_NONE};
    bool scalar = tir_tile_elements(e->module, access.tile) == 1;
    TileMap layout = map_invert(&access.order);
    *result = (EmitVal){.kind = EMIT_SCALAR, .origin = -1};
    if (!scalar && !emit_tile_alloc(e, access.tile, &layout, result)) return false;
    Nest nest;
    open_nest(&nest, &access);
    TileMap to = map_identity(access.order.bits);
    for (unsigned p = 0; p < access.element.parts; p++)
        nest_need_memory(&nest, emit_type_bits(emit_memory_type(e, access.element, p)), &to);
    bool contiguous = limit_lanes(e, &nest, &access);
    RecordPlace records = emit_record_place(e, op, access.element, access.view->origin, false);
    nest_open(e, &nest, nest.bits);
    LLVMValueRef mask = step_mask(e, &nest, &access), address = step_address(e, &nest, &access, contiguous);
    LLVMTypeRef storage = emit_integer_type(e, access.storage_bits);
    RecordLanes lanes = {vector_lanes(mask), address, mask};
    LLVMValueRef bits[NUMERIC_PLANES_MAX];
    bits[0] = emit_masked_load(e, storage, emit_pointer_of(e, address), mask, access.bytes);
    emit_load_records(e, &records, &lanes, bits);
    NumericValue value = emit_value_of_planes(e, access.element, bits);
    uint64_t pad = access.element.is_float ? padding_bits(access.element.format, access.type->padding) : 0;
    if (pad) { // lanes that were not loaded are the bits 0 already, and 0 embeds to 0
        NumericValue padding = e->cx.numeric->constant(&e->cx, access.element.format, pad);
        for (unsigned p = 0; p < access.element.parts; p++)
            value.parts[p] = LLVMBuildSelect(builder, mask, value.parts[p],
                                             vector_splat(builder, padding.parts[p], vector_lanes(mask)), "");
    }
    if (scalar)
        result->value = value;
    else
        emit_store_tile(e, &nest, access.element, &to, result, &value);
    nest_close(e, &nest);
    return true;
}

bool lower_store_view(Emit *e, const TirOp *op) {
    Access access;
    if (!open_access(e, op, &access)) return false;
    *emit_val(e, tir_result(op, 0)) = (EmitVal){.kind = EMIT_NONE};
    TirValue tile = tir_operand(op, "tile");
    Nest nest;
    open_nest(&nest, &access);
    nest_need(e, &nest, tile, &access.order);
    bool contiguous = limit_lanes(e, &nest, &access);
    RecordPlace records = emit_record_place(e, op, access.element, access.view->origin, true);
    nest_open(e, &nest, nest.bits);
    NumericValue value;
    if (!nest_eval(e, &nest, tile, &access.order, &value)) return false;
    LLVMValueRef mask = step_mask(e, &nest, &access), address = step_address(e, &nest, &access, contiguous);
    RecordLanes lanes = {vector_lanes(mask), address, mask};
    LLVMValueRef bits[NUMERIC_PLANES_MAX];
    emit_planes_of_value(e, access.element, &value, bits);
    emit_masked_store(e, bits[0], emit_pointer_of(e, address), mask, access.bytes);
    emit_store_records(e, &records, &lanes, bits);
    nest_close(e, &nest);
    return true;
}
