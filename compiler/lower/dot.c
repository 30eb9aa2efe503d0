// SPDX-License-Identifier: Apache-2.0
// Matrix products: operands are packed for the micro-kernel, which adds to the accumulator's tile.
#include "compiler/lower/dot_internal.h"

#include <assert.h>

// What becomes of the operands of one part.
typedef struct DotPart {
    DotKernel kernel;
    EmitConvert *convert; // of lanes of an operand to what the kernel reads, told by a DotPacked
    struct DotPacked {
        const DotKernel *kernel;
        unsigned side, piece;
    } packed[2][NUMERIC_PIECES];
} DotPart;
typedef struct DotPacked DotPacked;

// The scales of one operand: one for 2^block_bits neighbours along the depth.
typedef struct DotScale {
    TirValue value;
    unsigned block_bits;
    FpsanFormat operand_format, format, compute_format; // the last: in which the operand is multiplied by its scale
} DotScale;

static LLVMValueRef convert_float(Emit *e, const void *data, const NumericValue *lanes) {
    const DotPacked *to = data;
    const DotKernel *kernel = to->kernel;
    LLVMValueRef packed = kernel->numeric->dot_operand(&e->cx, &kernel->plan, to->piece, lanes);
    if (kernel->seen) dot_see(e, kernel->seen, packed);
    return packed;
}

// ---- operands -------------------------------------------------------------------------------------------------------

static bool same_tile(const EmitVal *a, const EmitVal *b) {
    return b && a->kind == EMIT_MEMORY && b->kind == EMIT_MEMORY && a->value.parts[0] == b->value.parts[0];
}

// The value whose flat order a reshape shows.
static TirValue skip_reshapes(Emit *e, TirValue value) {
    while (emit_val(e, value)->kind == EMIT_LAZY && tir_value(e->function, value)->definition->kind == TIR_OP_reshape)
        value = tir_value(e->function, value)->definition->operands[0];
    return value;
}

// Whether the tile's own memory is what packing would make.
static bool is_packed(Emit *e, TirValue value, unsigned part, const TileMap *packing, LLVMTypeRef operand,
                      const EmitVal *result, LLVMValueRef seen) {
    const EmitVal *val = emit_val(e, value);
    EmitElement element = emit_element(e, emit_type_of(e, value));
    return val->kind == EMIT_MEMORY && map_is_identity(packing) && map_is_identity(&val->layout) && !seen &&
           !same_tile(val, result) && emit_memory_type(e, element, part) == operand;
}

static size_t type_bytes(LLVMTypeRef type) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMDoubleTypeKind ? 8 : kind == LLVMFloatTypeKind ? 4 : LLVMGetIntTypeWidth(type) / 8;
}

// Index bits of the packed operand to those of its scales, whose depth lacks the bits within a block.
static TileMap map_scales(const DotKernel *kernel, unsigned side, const TileMap *packing, unsigned block_bits) {
    TileMap scales = map_identity(packing->bits);
    unsigned first = side ? kernel->column_bits : 0; // of the depth
    for (unsigned i = first; i < scales.bits; i++)
        scales.to[i] = (int8_t)(i < first + block_bits ? -1 : (int)(i - block_bits));
    return map_compose(packing, &scales);
}

static bool scale_lanes(Emit *e, const void *data, const NumericValue *lanes, NumericValue *result) {
    const DotScale *scale = data;
    return e->cx.numeric->scaled_operand(&e->cx, scale->operand_format, scale->format, scale->compute_format, &lanes[0],
                                         &lanes[1], result);
}

// `value` as the kernels of all parts read it, times its scales (NULL: none): in its own memory where that already is
// so and will not be overwritten.
static bool pack_operand(Emit *e, DotPart *parts, unsigned count, unsigned side, TirValue value, const DotScale *scale,
                         const TileMap *packing, const EmitVal *result) {
    EmitPacked arrays[NUMERIC_PARTS_MAX * NUMERIC_PIECES];
    unsigned packed = 0;
    value = skip_reshapes(e, value);
    for (unsigned p = 0; p < count; p++) {
        DotPart *part = &parts[p];
        LLVMTypeRef operand = part->kernel.plan.operand_type;
        LLVMValueRef *base = side ? part->kernel.b : part->kernel.a;
        unsigned index = part->kernel.plan.part, pieces = part->kernel.plan.pieces ? part->kernel.plan.pieces : 1;
        if (!scale && pieces == 1 && !part->kernel.plan.matrix &&
            is_packed(e, value, index, packing, operand, result, part->kernel.seen)) {
            *base = emit_val(e, value)->value.parts[index];
            continue;
        }
        for (unsigned i = 0; i < pieces; i++) {
            size_t before = e->scratch_top.shared;
            base[i] = emit_scratch(e, type_bytes(operand) << packing->bits);
            if (!base[i]) return false;
            if (e->scratch_top.shared == before) part->kernel.is_shared = false;
            part->packed[side][i] = (DotPacked){&part->kernel, side, i};
            arrays[packed] = (EmitPacked){
                .type = operand, .base = base[i], .convert = part->convert, .data = &part->packed[side][i]};
            if (part->kernel.plan.matrix) dot_swizzle_array(&part->kernel, &arrays[packed]);
            packed++;
        }
    }
    EmitSource source = {.values = {value}, .maps = {*packing}};
    if (parts[0].kernel.plan.merged) source.vector_bits = DOT_MERGED_BITS;
    TileMap order;
    if (parts[0].kernel.plan.matrix) {
        source.vector_bits = DOT_PACK_BITS;
        order = dot_pack_order(&parts[0].kernel, side);
        source.order = &order;
    }
    if (scale) {
        source.values[1] = scale->value;
        source.maps[1] = map_scales(&parts[0].kernel, side, packing, scale->block_bits);
        source.combine = scale_lanes;
        source.data = scale;
    }
    return !packed || emit_pack(e, &source, arrays, packed);
}

// ---- the accumulator ------------------------------------------------------------------------------------------------

// The memory that gets the result: what the context asks for, if evaluating the accumulator there is safe.
static bool choose_result(Emit *e, const TirOp *op, EmitVal *result) {
    TirValue accumulator = tir_operand(op, "acc");
    bool in_place;
    if (e->destination && map_is_identity(&e->destination->layout) &&
        (!plan_reads_memory(e, accumulator, e->destination, &in_place) || in_place)) {
        *result = *e->destination;
        return true;
    }
    return emit_tile_alloc(e, emit_type_of(e, tir_result(op, 0)), NULL, result);
}

// Where the kernels find the accumulator: a splat, its own memory, or evaluated into the result.
static bool prepare_accumulator(Emit *e, TirValue accumulator, const EmitVal *result, DotPart *parts, unsigned count) {
    const EmitVal *val = emit_val(e, accumulator);
    const EmitVal *start = val;
    if (val->kind != EMIT_SCALAR && (val->kind != EMIT_MEMORY || !map_is_identity(&val->layout))) {
        if (!emit_materialise_to(e, accumulator, result)) return false;
        start = result;
    }
    for (unsigned p = 0; p < count; p++) {
        if (start->kind == EMIT_SCALAR)
            parts[p].kernel.start_part = start->value.parts[p];
        else
            parts[p].kernel.start = start->value.parts[p];
    }
    return true;
}

static const DotKernel *kernels_of(Emit *e, const DotPart *parts, unsigned count) {
    DotKernel *kernels = arena_array(e->arena, DotKernel, count);
    for (unsigned p = 0; p < count; p++) kernels[p] = parts[p].kernel;
    return kernels;
}

// ---- all ops --------------------------------------------------------------------------------------------------------

static void set_shape(Emit *e, const TirOp *op, DotKernel *kernel) {
    const TirTypeInfo *a = tir_type(e->module, emit_type_of(e, tir_operand(op, "lhs")));
    const TirTypeInfo *b = tir_type(e->module, emit_type_of(e, tir_operand(op, "rhs")));
    uint32_t first = a->rank - 2; // 1 with a batch
    kernel->batch_bits = first ? map_log2(a->shape[0]) : 0;
    kernel->row_bits = map_log2(a->shape[first]);
    kernel->depth_bits = map_log2(a->shape[first + 1]);
    kernel->column_bits = map_log2(b->shape[first + 1]);
}

static void open_threads(Emit *e, const TirOp *op, DotKernel *kernel) {
    kernel->memory = emit_memory_type(e, emit_element(e, emit_type_of(e, tir_result(op, 0))), 0);
    kernel->is_shared = true;
    set_shape(e, op, kernel);
    dot_choose_matrix(e, kernel);
}

// On GPUs, where elements have one part.
static bool lower_on_threads(Emit *e, const TirOp *op, DotPart *part, const DotScale *scales) {
    TirValue value = tir_result(op, 0);
    DotKernel *kernel = &part->kernel;
    EmitVal result = {.kind = EMIT_NONE};
    open_threads(e, op, kernel);
    DotFragment fragment = dot_fragment(e, kernel);
    if (fragment.step_bits && !choose_result(e, op, &result)) return false;
    EmitScratch mark = emit_open_temporary(e);
    TileMap rows = dot_packing(e, kernel, 0), columns = dot_packing(e, kernel, 1);
    if (!pack_operand(e, part, 1, 0, tir_operand(op, "lhs"), scales, &rows, &result) ||
        !pack_operand(e, part, 1, 1, tir_operand(op, "rhs"), scales ? &scales[1] : NULL, &columns, &result) ||
        !dot_threads_emit(e, kernel, &fragment, tir_operand(op, "acc"), &result))
        return false;
    emit_close_temporary(e, mark);
    *emit_val(e, value) = result;
    return true;
}

// All operands of all parts are packed before anything is written to the result: they may read its memory. `scales`: of
// both sides, or NULL.
static bool lower_dot(Emit *e, const TirOp *op, DotPart *parts, unsigned count, const DotScale *scales) {
    TirValue sides[2] = {tir_operand(op, "lhs"), tir_operand(op, "rhs")}, value = tir_result(op, 0);
    EmitElement element = emit_element(e, emit_type_of(e, value));
    EmitVal result;
    if (emit_is_gpu(e)) return lower_on_threads(e, op, parts, scales);
    EmitScratch before = e->scratch_top;
    if (!choose_result(e, op, &result)) return false;
    EmitScratch mark = e->scratch_top;
    for (unsigned p = 0; p < count; p++) {
        DotKernel *kernel = &parts[p].kernel;
        kernel->memory = emit_memory_type(e, element, p);
        kernel->result = result.value.parts[p];
        set_shape(e, op, kernel);
        if (count == 1) dot_choose_tiles(e, kernel, sides[1]);
        kernel->panel_bits = p ? parts[0].kernel.panel_bits : dot_panel_bits(e, kernel);
    }
    const DotKernel *first = &parts[0].kernel;
    TileMap rows = dot_packing(e, first, 0), panels = dot_packing(e, first, 1);
    if (!pack_operand(e, parts, count, 0, sides[0], scales, &rows, &result) ||
        !pack_operand(e, parts, count, 1, sides[1], scales ? &scales[1] : NULL, &panels, &result))
        return false;
    if (!prepare_accumulator(e, tir_operand(op, "acc"), &result, parts, count)) return false;
    bool good = true;
    if (parts[0].kernel.numeric->dot_states)
        good = dot_states_emit(e, kernels_of(e, parts, count), count);
    else
        for (unsigned p = 0; p < count && good; p++) good = dot_kernel_emit(e, &parts[p].kernel);
    if (!good) return false;
    e->scratch_top = mark;
    if (emit_is_scalar(e, value)) {
        *emit_val(e, value) = emit_element_value(e, element, &result);
        e->scratch_top = before;
        return true;
    }
    *emit_val(e, value) = result;
    return true;
}

// A product of floats, its operands multiplied in the given format.
static bool lower_float_dot(Emit *e, const TirOp *op, FpsanFormat operand, const DotScale *scales) {
    EmitElement accumulator = emit_element(e, emit_type_of(e, tir_operand(op, "acc")));
    DotPart parts[NUMERIC_PARTS_MAX] = {0};
    for (unsigned p = 0; p < accumulator.parts; p++) {
        DotPart *part = &parts[p];
        part->kernel.numeric = e->cx.numeric;
        part->convert = convert_float;
        if (!e->cx.numeric->dot_plan(&e->cx, operand, accumulator.format, p, &part->kernel.plan)) return false;
    }
    if (e->cx.numeric->dot_states)
        parts[accumulator.parts - 1].kernel.seen = dot_open_seen(e, emit_integer_type(e, 32));
    return lower_dot(e, op, parts, accumulator.parts, scales);
}

static FpsanFormat operand_format(const Emit *e, const TirOp *op, const char *operand) {
    return emit_element(e, emit_type_of(e, tir_operand(op, operand))).format;
}

static FpsanFormat scaled_format(const Emit *e, const TirOp *op) {
    return e->cx.numeric->scaled_format(&e->cx, operand_format(e, op, "lhs"), operand_format(e, op, "rhs"));
}

bool lower_mmaf(Emit *e, const TirOp *op) {
    return lower_float_dot(e, op, operand_format(e, op, "lhs"), NULL);
}

bool lower_mmaf_scaled(Emit *e, const TirOp *op) {
    const TirValue sides[2] = {tir_operand(op, "lhs"), tir_operand(op, "rhs")};
    DotScale scales[2] = {{.value = tir_operand(op, "lhs_scale")}, {.value = tir_operand(op, "rhs_scale")}};
    for (unsigned i = 0; i < 2; i++) {
        DotScale *scale = &scales[i];
        const TirTypeInfo *tile = tir_type(e->module, emit_type_of(e, sides[i]));
        const TirTypeInfo *scale_tile = tir_type(e->module, emit_type_of(e, scale->value));
        uint32_t depth = tile->rank - (i ? 2 : 1);
        scale->operand_format = emit_element(e, emit_type_of(e, sides[i])).format;
        scale->format = emit_element(e, emit_type_of(e, scale->value)).format;
        scale->block_bits = map_log2(tile->shape[depth]) - map_log2(scale_tile->shape[depth]);
        // A scale is read many times: what it is computed from is evaluated before.
        if (emit_val(e, scale->value)->kind == EMIT_LAZY && !emit_materialise(e, scale->value)) return false;
    }
    FpsanFormat compute = scaled_format(e, op);
    scales[0].compute_format = scales[1].compute_format = compute;
    return lower_float_dot(e, op, compute, scales);
}

// ---- integers -------------------------------------------------------------------------------------------------------

// kernel->seen: where the marks of the operands are united, NULL if integers have none.
static LLVMValueRef convert_integer(Emit *e, const void *data, const NumericValue *lanes) {
    const DotPacked *to = data;
    LLVMValueRef value = lanes->parts[0];
    LLVMTypeRef type = vector_type_like(to->kernel->plan.operand_type, value);
    if (to->kernel->seen) dot_see_marks(e, to->kernel->seen, lanes->parts[1]);
    if (LLVMTypeOf(value) == type) return value;
    return !to->kernel->is_unsigned[to->side] ? LLVMBuildSExt(e->cx.builder, value, type, "")
                                              : LLVMBuildZExt(e->cx.builder, value, type, "");
}

// Every element of an integer dot gets the marks of all operands: which were multiplied with which is not kept.
static bool mark_result(Emit *e, const TirOp *op, LLVMValueRef seen) {
    EmitVal *val = emit_val(e, tir_result(op, 0));
    const EmitVal *accumulator = emit_val(e, tir_operand(op, "acc"));
    LLVMTypeRef word = emit_integer_type(e, numeric_mark_bits(&e->cx));
    LLVMValueRef marks = LLVMBuildLoad2(e->cx.builder, word, seen, "");
    if (val->kind == EMIT_SCALAR) {
        val->value.parts[1] = numeric_unite_marks(&e->cx, marks, accumulator->value.parts[1]);
        return true;
    }
    Nest nest;
    TileMap map = map_identity(val->layout.bits);
    nest_init(&nest, map.bits);
    nest_open(e, &nest, map.bits);
    unsigned lanes = nest.vector_bits ? 1u << nest.vector_bits : 0;
    LLVMValueRef all = vector_splat(e->cx.builder, marks, lanes);
    bool in_memory = accumulator->kind == EMIT_MEMORY && map_is_identity(&accumulator->layout); // else in the result's
    LLVMValueRef start = accumulator->kind == EMIT_SCALAR
                             ? vector_splat(e->cx.builder, accumulator->value.parts[1], lanes)
                             : nest_load(e, &nest, word, (in_memory ? accumulator : val)->value.parts[1], &map);
    all = numeric_unite_marks(&e->cx, all, start);
    nest_store(e, &nest, word, val->value.parts[1], &map, all);
    nest_close(e, &nest);
    return true;
}

// Products mod 2^32 of bytes are what the payload algebra computes for f8 operands and an f32 accumulator.
static bool plan_integers(Emit *e, DotKernel *kernel) {
    kernel->numeric = &numeric_payload;
    return numeric_payload.dot_plan(&e->cx, FPSAN_F8E4M3FN, FPSAN_F32, 0, &kernel->plan);
}

bool lower_mmai(Emit *e, const TirOp *op) {
    DotPart part = {.convert = convert_integer};
    if (!plan_integers(e, &part.kernel)) return false;
    unsigned parts = emit_element(e, emit_type_of(e, tir_result(op, 0))).parts;
    LLVMValueRef seen = parts > 1 ? dot_open_seen(e, emit_integer_type(e, numeric_mark_bits(&e->cx))) : NULL;
    part.kernel.seen = seen;
    part.kernel.is_unsigned[0] = tir_attribute_integer(op, "signedness_lhs") != TIR_signedness_signed;
    part.kernel.is_unsigned[1] = tir_attribute_integer(op, "signedness_rhs") != TIR_signedness_signed;
    return lower_dot(e, op, &part, 1, NULL) && (!seen || mark_result(e, op, seen));
}

// ---- what others ask ------------------------------------------------------------------------------------------------

bool dot_registers(Emit *e, const TirOp *op, DotFragment *fragment) {
    DotKernel kernel = {.numeric = e->cx.numeric};
    bool integers = op->kind == TIR_OP_mmai;
    if (!emit_is_gpu(e) || (!integers && op->kind != TIR_OP_mmaf && op->kind != TIR_OP_mmaf_scaled)) return false;
    if (integers ? !plan_integers(e, &kernel)
                 : !kernel.numeric->dot_plan(
                       &e->cx, op->kind == TIR_OP_mmaf ? operand_format(e, op, "lhs") : scaled_format(e, op),
                       operand_format(e, op, "acc"), 0, &kernel.plan))
        return false;
    open_threads(e, op, &kernel);
    *fragment = dot_fragment(e, &kernel);
    return !fragment->step_bits && fragment->layout.bits;
}
