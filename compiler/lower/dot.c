// SPDX-License-Identifier: Apache-2.0
// Matrix products: operands are packed for the micro-kernel, which adds to the accumulator's tile.
#include "compiler/lower/census.h"
#include "compiler/lower/dot_internal.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

#include <assert.h>

// What becomes of the operands of one part.
typedef struct DotPart {
    DotKernel kernel;
    EmitConvert *convert; // of lanes of an operand to what the kernel reads; its data is a DotPacked
    struct DotPacked {
        const DotKernel *kernel;
        unsigned side, piece;
    } packed[2][NUMERIC_PIECES];
} DotPart;
typedef struct DotPacked DotPacked;

// The scales of one operand: one for 2^block_bits neighbours along the depth. An operand without scales may have one
// that only converts it.
typedef struct DotScale {
    TirValue value; // TIR_NO_VALUE: the operand is converted
    unsigned block_bits;
    FloatOp op; // its result is the format in which the operand is multiplied by its scale
    FpsanFormat format;
} DotScale;

static LLVMValueRef convert_float(Emit *e, const void *data, const NumericValue *lanes) {
    const DotPacked *to = data;
    const DotKernel *kernel = to->kernel;
    LLVMValueRef packed = kernel->numeric->dots->operand(&e->cx, &kernel->plan, to->piece, lanes);
    if (!to->piece) census_see_lanes(e, kernel->census, kernel->multiplied, lanes);
    if (kernel->seen) dot_see(e, kernel->seen, packed);
    return packed;
}

// ---- operands -------------------------------------------------------------------------------------------------------

static bool same_tile(const EmitVal *a, const EmitVal *b) {
    return b && a->kind == EMIT_MEMORY && b->kind == EMIT_MEMORY && a->value.parts[0] == b->value.parts[0];
}

// The value whose flat order a reshape shows.
static TirValue skip_reshapes(Emit *e, TirValue value) {
    while (emit_val(e, value)->kind == EMIT_LAZY && !emit_val(e, value)->moved &&
           tir_value(e->function, value)->definition->kind == TIR_OP_reshape)
        value = tir_value(e->function, value)->definition->operands[0];
    return value;
}

// Whether the tile's own memory is what packing would make.
static bool is_packed(Emit *e, TirValue value, const DotKernel *kernel, const TileMap *packing, const EmitVal *result) {
    const EmitVal *val = emit_val(e, value);
    EmitElement element = emit_element(e, emit_type_of(e, value));
    return val->kind == EMIT_MEMORY && map_is_identity(packing) && map_is_identity(&val->layout) && !kernel->seen &&
           !same_tile(val, result) && emit_memory_type(e, element, kernel->plan.part) == kernel->plan.operand_type;
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
    if (scale->value == TIR_NO_VALUE) return e->cx.numeric->convert(&e->cx, &scale->op, &lanes[0], result);
    return e->cx.numeric->dots->scaled_operand(&e->cx, &scale->op, scale->format, &lanes[0], &lanes[1], result);
}

// The value as the kernels of all parts read it, times its scales, with its marks: in its own memory where that already
// is so and will not be overwritten.
typedef struct DotOperand {
    unsigned side; // 0: lhs
    TirValue value;
    const DotScale *scale; // NULL: none
    DotMarks *marks;       // NULL: none
    TileMap packing;       // index bits of the packed operand to those of its tile
    const EmitVal *result; // memory that will be overwritten
} DotOperand;

static bool pack_operand(Emit *e, DotPart *parts, unsigned count, const DotOperand *operand) {
    const unsigned side = operand->side;
    const DotScale *scale = operand->scale;
    DotMarks *marks = operand->marks;
    const TileMap *packing = &operand->packing;
    EmitPacked arrays[NUMERIC_PARTS_MAX * NUMERIC_PIECES + 1];
    unsigned packed = 0;
    const TirValue value = skip_reshapes(e, operand->value);
    for (unsigned p = 0; p < count; p++) {
        DotPart *part = &parts[p];
        LLVMTypeRef type = part->kernel.plan.operand_type;
        LLVMValueRef *base = side ? part->kernel.b : part->kernel.a;
        unsigned index = part->kernel.plan.part, pieces = part->kernel.plan.pieces ? part->kernel.plan.pieces : 1;
        if (!scale && !marks && pieces == 1 && !part->kernel.plan.matrix &&
            is_packed(e, value, &part->kernel, packing, operand->result)) {
            *base = emit_val(e, value)->value.parts[index];
            census_see_tile(e, part->kernel.census, emit_element(e, emit_type_of(e, value)), emit_val(e, value),
                            packing->bits);
            continue;
        }
        for (unsigned i = 0; i < pieces; i++) {
            size_t before = e->scratch_top.shared;
            base[i] = emit_scratch(e, type_bytes(type) << packing->bits);
            if (!base[i]) return false;
            if (e->scratch_top.shared == before) part->kernel.is_shared = false;
            part->packed[side][i] = (DotPacked){&part->kernel, side, i};
            arrays[packed] = (EmitPacked){.type = type,
                                          .base = base[i],
                                          .lane_bits = part->kernel.plan.lane_bits,
                                          .convert = part->convert,
                                          .data = &part->packed[side][i]};
            if (part->kernel.plan.matrix) dot_swizzle_array(&part->kernel, &arrays[packed]);
            packed++;
        }
    }
    if (marks && !dot_pack_marks(e, marks, side, packing, &arrays[packed++])) return false;
    EmitSource source = {.values = {value}, .maps = {*packing}};
    if (parts[0].kernel.plan.merged) source.vector_bits = DOT_MERGED_BITS;
    TileMap order;
    if (parts[0].kernel.plan.matrix) {
        source.vector_bits = DOT_PACK_BITS;
        order = dot_pack_order(&parts[0].kernel, side);
        source.order = &order;
    }
    if (scale) {
        source.alone = scale->value == TIR_NO_VALUE;
        source.values[1] = scale->value;
        if (!source.alone) source.maps[1] = map_scales(&parts[0].kernel, side, packing, scale->block_bits);
        source.combine = scale_lanes;
        source.data = scale;
    }
    return !packed || emit_pack(e, &source, arrays, packed);
}

// Both sides; `common`: its scale is that of lhs, which that of rhs follows.
static bool pack_operands(Emit *e, const TirOp *op, DotPart *parts, unsigned count, const DotOperand *common) {
    DotOperand sides[2] = {*common, *common};
    for (unsigned side = 0; side < 2; side++) {
        sides[side].side = side;
        sides[side].value = tir_operand(op, side ? "rhs" : "lhs");
        sides[side].packing = dot_packing(e, &parts[0].kernel, side);
        if (side && common->scale) sides[side].scale = common->scale + 1;
    }
    return pack_operand(e, parts, count, &sides[0]) && pack_operand(e, parts, count, &sides[1]);
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

// Where the kernels find the accumulator: a splat, its own memory, or evaluated into the result. NULL on failure.
static const EmitVal *prepare_accumulator(Emit *e, TirValue accumulator, const EmitVal *result) {
    const EmitVal *val = emit_val(e, accumulator);
    if (val->kind == EMIT_SCALAR || (val->kind == EMIT_MEMORY && map_is_identity(&val->layout))) return val;
    return emit_materialise_to(e, accumulator, result) ? result : NULL;
}

static void start_kernel(DotKernel *kernel, const EmitVal *start, unsigned part) {
    if (start->kind == EMIT_SCALAR)
        kernel->start_part = start->value.parts[part];
    else
        kernel->start = start->value.parts[part];
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
    if (!pack_operands(e, op, part, 1, &(DotOperand){.scale = scales, .result = &result}) ||
        !dot_threads_emit(e, kernel, &fragment, tir_operand(op, "acc"), &result))
        return false;
    emit_close_temporary(e, mark);
    *emit_val(e, value) = result;
    return true;
}

static bool emit_kernels(Emit *e, const DotPart *parts, unsigned count) {
    const NumericDots *dots = parts[0].kernel.numeric->dots;
    if (dots->states) return dot_states_emit(e, kernels_of(e, parts, count), count);
    if (dots->value_step) return dot_values_emit(e, kernels_of(e, parts, count), count);
    for (unsigned p = 0; p < count; p++)
        if (!dot_kernel_emit(e, &parts[p].kernel)) return false;
    return true;
}

// All operands of all parts are packed before anything is written to the result: they may read its memory. `scales`: of
// both sides, or NULL. `marks`: of integers that have some, or NULL; where those flip there is room for one part more.
static bool lower_dot(Emit *e, const TirOp *op, DotPart *parts, unsigned count, const DotScale *scales,
                      DotMarks *marks) {
    TirValue sides[2] = {tir_operand(op, "lhs"), tir_operand(op, "rhs")}, value = tir_result(op, 0);
    EmitElement element = emit_element(e, emit_type_of(e, value));
    EmitVal result;
    if (e->threads.bits) return lower_on_threads(e, op, parts, scales);
    EmitScratch before = e->scratch_top;
    if (!choose_result(e, op, &result)) return false;
    EmitScratch mark = e->scratch_top;
    for (unsigned p = 0; p < count; p++) {
        DotKernel *kernel = &parts[p].kernel;
        kernel->memory = emit_memory_type(e, element, p);
        kernel->result = result.value.parts[p];
        set_shape(e, op, kernel);
        if (count == 1 && !dot_choose_tiles(e, kernel, sides[1])) return false;
        kernel->panel_bits = p ? parts[0].kernel.panel_bits : dot_panel_bits(e, kernel);
    }
    const bool flips = marks && e->cx.flips;
    if (flips && !dot_open_flipped(e, &parts[0].kernel, marks, &parts[count].kernel)) return false;
    const DotKernel *first = &parts[0].kernel;
    const DotOperand operand = {.scale = scales, .marks = marks, .result = &result};
    if (!pack_operands(e, op, parts, count + flips, &operand)) return false;
    const EmitVal *start = prepare_accumulator(e, tir_operand(op, "acc"), &result);
    if (!start) return false;
    census_see_tile(e, first->census, element, start, emit_tile_bits(e, emit_type_of(e, value)));
    for (unsigned p = 0; p < count + flips; p++) start_kernel(&parts[p].kernel, start, p < count ? p : 0);
    if (flips && !dot_emit_flipped(e, &parts[count].kernel, marks)) return false;
    if (!emit_kernels(e, parts, count)) return false;
    if (marks && !dot_mark_result(e, first, marks, start, &result)) return false;
    if (!census_result(e, op, first->census, &result)) return false;
    e->scratch_top = mark;
    if (emit_is_scalar(e, value)) {
        *emit_val(e, value) = emit_element_value(e, element, &result);
        e->scratch_top = before;
        return true;
    }
    *emit_val(e, value) = result;
    return true;
}

static FpsanFormat operand_format(const Emit *e, const TirOp *op, const char *operand) {
    return emit_element(e, emit_type_of(e, tir_operand(op, operand))).format;
}

static FpsanFormat scaled_format(const Emit *e, const TirOp *op) {
    return e->cx.numeric->dots->scaled_format(&e->cx, operand_format(e, op, "lhs"), operand_format(e, op, "rhs"));
}

static bool is_scaled(const TirOp *op) {
    return op->kind == TIR_OP_mmaf_scaled || (op->kind == TIR_OP_dot && tir_operand(op, "lhs_scale") != TIR_NO_VALUE);
}

// Different formats of 8 bits and less are multiplied as f16, which has all of their numbers.
static FpsanFormat multiplied_format(const Emit *e, const TirOp *op) {
    const FpsanFormat lhs = operand_format(e, op, "lhs");
    if (is_scaled(op)) return scaled_format(e, op);
    return lhs == operand_format(e, op, "rhs") ? lhs : FPSAN_F16;
}

// Of a product of floats: from the operands, in the format in which they are multiplied, to the accumulator.
static bool float_dot(Emit *e, const TirOp *op, FloatOp *f) {
    if (!emit_float_op(e, op, f)) return false;
    f->operand = multiplied_format(e, op);
    f->result = operand_format(e, op, "acc");
    return true;
}

static bool lower_float_dot(Emit *e, const TirOp *op, const DotScale *scales) {
    EmitElement accumulator = emit_element(e, emit_type_of(e, tir_operand(op, "acc")));
    DotPart parts[NUMERIC_PARTS_MAX] = {0};
    FloatOp f;
    if (!float_dot(e, op, &f)) return false;
    for (unsigned p = 0; p < accumulator.parts; p++) {
        DotPart *part = &parts[p];
        part->kernel.numeric = e->cx.numeric;
        part->convert = convert_float;
        if (!e->cx.numeric->dots->plan(&e->cx, &f, p, &part->kernel.plan)) return false;
    }
    parts[0].kernel.census = census_open_operands(e);
    parts[0].kernel.multiplied = f.operand;
    if (e->cx.numeric->dots->states) parts[e->cx.numeric->dots->state_part].kernel.seen = dot_open_seen_states(e);
    return lower_dot(e, op, parts, accumulator.parts, scales, NULL);
}

bool lower_mmaf(Emit *e, const TirOp *op) {
    return lower_float_dot(e, op, NULL);
}

bool lower_mmaf_scaled(Emit *e, const TirOp *op) {
    const TirValue sides[2] = {tir_operand(op, "lhs"), tir_operand(op, "rhs")};
    DotScale scales[2] = {{.value = tir_operand(op, "lhs_scale")}, {.value = tir_operand(op, "rhs_scale")}};
    const FpsanFormat compute = scaled_format(e, op);
    for (unsigned i = 0; i < 2; i++) {
        DotScale *scale = &scales[i];
        const TirTypeInfo *tile = tir_type(e->module, emit_type_of(e, sides[i]));
        const TirTypeInfo *scale_tile = tir_type(e->module, emit_type_of(e, scale->value));
        uint32_t depth = tile->rank - (i ? 2 : 1);
        scale->op = float_conversion(emit_element(e, emit_type_of(e, sides[i])).format, compute);
        scale->format = emit_element(e, emit_type_of(e, scale->value)).format;
        scale->block_bits = map_log2(tile->shape[depth]) - map_log2(scale_tile->shape[depth]);
        // A scale is read many times: what it is computed from is evaluated before.
        if (emit_val(e, scale->value)->kind == EMIT_LAZY && !emit_materialise(e, scale->value)) return false;
    }
    return lower_float_dot(e, op, scales);
}

bool lower_product(Emit *e, const TirOp *op) {
    const FpsanFormat formats[2] = {operand_format(e, op, "lhs"), operand_format(e, op, "rhs")};
    if (is_scaled(op)) return lower_mmaf_scaled(e, op);
    if (formats[0] == formats[1]) return lower_mmaf(e, op);
    const FpsanFormat compute = multiplied_format(e, op);
    DotScale conversions[2];
    for (unsigned i = 0; i < 2; i++)
        conversions[i] = (DotScale){.value = TIR_NO_VALUE, .op = float_conversion(formats[i], compute)};
    return lower_float_dot(e, op, conversions);
}

// ---- integers -------------------------------------------------------------------------------------------------------

static LLVMValueRef widened(Emit *e, const DotPacked *to, LLVMValueRef value) {
    LLVMTypeRef type = vector_type_like(to->kernel->plan.operand_type, value);
    if (LLVMTypeOf(value) == type) return value;
    return !to->kernel->is_unsigned[to->side] ? LLVMBuildSExt(e->cx.builder, value, type, "")
                                              : LLVMBuildZExt(e->cx.builder, value, type, "");
}

static LLVMValueRef convert_integer(Emit *e, const void *data, const NumericValue *lanes) {
    return widened(e, data, lanes->parts[0]);
}

static LLVMValueRef convert_flipped(Emit *e, const void *data, const NumericValue *lanes) {
    return widened(e, data, emit_flipped(e, lanes));
}

// Products mod 2^32 of bytes are what the payload algebra computes for f8 operands and an f32 accumulator.
static bool plan_integers(Emit *e, DotKernel *kernel) {
    kernel->numeric = &numeric_payload;
    const FloatOp bytes = float_conversion(FPSAN_F8E4M3FN, FPSAN_F32);
    return numeric_payload.dots->plan(&e->cx, &bytes, 0, &kernel->plan);
}

bool lower_mmai(Emit *e, const TirOp *op) {
    DotPart parts[2] = {{.convert = convert_integer}, {.convert = convert_flipped}};
    DotKernel *kernel = &parts[0].kernel;
    if (!plan_integers(e, kernel)) return false;
    kernel->is_unsigned[0] = tir_attribute_integer(op, "signedness_lhs") != TIR_signedness_signed;
    kernel->is_unsigned[1] = tir_attribute_integer(op, "signedness_rhs") != TIR_signedness_signed;
    DotMarks marks;
    bool marked = emit_element(e, emit_type_of(e, tir_result(op, 0))).parts > 1;
    if (marked) dot_open_marks(e, &marks);
    return lower_dot(e, op, parts, 1, NULL, marked ? &marks : NULL);
}

// ---- what others ask ------------------------------------------------------------------------------------------------

bool dot_registers(Emit *e, const TirOp *op, DotFragment *fragment) {
    DotKernel kernel = {.numeric = e->cx.numeric};
    bool integers = op->kind == TIR_OP_mmai;
    if (!e->threads.bits ||
        (!integers && op->kind != TIR_OP_mmaf && op->kind != TIR_OP_mmaf_scaled && op->kind != TIR_OP_dot))
        return false;
    FloatOp f;
    if (integers ? !plan_integers(e, &kernel)
                 : !float_dot(e, op, &f) || !kernel.numeric->dots->plan(&e->cx, &f, 0, &kernel.plan))
        return false;
    open_threads(e, op, &kernel);
    *fragment = dot_fragment(e, &kernel);
    return !fragment->step_bits && fragment->layout.bits;
}
