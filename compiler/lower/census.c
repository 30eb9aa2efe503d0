// SPDX-License-Identifier: Apache-2.0
// The range census: code that counts. All counts are integers of the width of the lanes, kept in the scratch of the
// block, where loops can keep them in registers: nothing else is there.
#include "compiler/lower/census.h"

#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

#include <assert.h>

// ---- formats --------------------------------------------------------------------------------------------------------

// What the bits of a format mean, as they stand in a lane.
typedef struct Layout {
    unsigned lane_bits, fraction_bits; // `fraction_bits`: below the exponent
    uint64_t magnitude, infinity;      // masks the sign; the smallest magnitude that is not finite, 0: there is none
    uint64_t nan;                      // of FNUZ its bits; else 0
    unsigned bias;
} Layout;

static bool open_layout(FpsanFormat format, Layout *layout) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    if (!info->is_signed || info->specials == FPSAN_POWER) return false;
    const unsigned below = info->mantissa_bits + info->padding_bits, bits = info->bits + info->padding_bits;
    *layout = (Layout){.lane_bits = info->lane_bits,
                       .fraction_bits = below,
                       .magnitude = (UINT64_C(1) << (bits - 1)) - 1,
                       .bias = (unsigned)info->bias};
    switch (info->specials) {
    case FPSAN_IEEE: layout->infinity = ((UINT64_C(1) << info->exponent_bits) - 1) << below; break;
    case FPSAN_FN: layout->infinity = layout->magnitude; break;
    case FPSAN_FNUZ: layout->nan = layout->magnitude + 1; break;
    default: break;
    }
    return true;
}

static LLVMValueRef bits_of(Emit *e, const Layout *layout, const NumericValue *value) {
    LLVMValueRef number = value->parts[0];
    LLVMTypeRef type = vector_type_like(code_integer_type(&e->cx, layout->lane_bits), number);
    return LLVMTypeOf(number) == type ? number : LLVMBuildBitCast(e->cx.builder, number, type, "");
}

static LLVMValueRef like(const Layout *layout, LLVMValueRef bits, uint64_t value) {
    return vector_integer_like(bits, layout->lane_bits, value);
}

static LLVMValueRef magnitude_of(Emit *e, const Layout *layout, LLVMValueRef bits) {
    return LLVMBuildAnd(e->cx.builder, bits, like(layout, bits, layout->magnitude), "");
}

// i1 lanes; NULL: all numbers of the format are finite.
static LLVMValueRef is_finite(Emit *e, const Layout *layout, LLVMValueRef bits, LLVMValueRef magnitude) {
    if (layout->nan) return LLVMBuildICmp(e->cx.builder, LLVMIntNE, bits, like(layout, bits, layout->nan), "");
    if (!layout->infinity) return NULL;
    return LLVMBuildICmp(e->cx.builder, LLVMIntULT, magnitude, like(layout, bits, layout->infinity), "");
}

// ---- sites and cells ------------------------------------------------------------------------------------------------

bool census_open(Emit *e) {
    EmitCensus *census = &e->census;
    if (!e->options->census) return true;
    if (e->options->gpu) return emit_fail(e, E_UNSUPPORTED, "the range census is for processors, not for GPUs");
    if (e->cx.numeric->prints_payloads)
        return emit_fail(e, E_UNSUPPORTED, "the range census is of numbers, and payloads are none");
    census->on = true;
    census->site_of = arena_array(e->arena, uint32_t, e->function->value_count + 1u);
    census->loads = arena_array(e->arena, const struct CensusLoad *, e->function->value_count + 1u);
    census->bounded = arena_array(e->arena, bool, e->function->value_count + 1u);
    census_find_bounded(e);
    LLVMPositionBuilderAtEnd(e->cx.builder, e->cx.entry_block);
    census->base = code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), e->target->scratch(e), code_i64(&e->cx, 64));
    return true;
}

void census_close(Emit *e) {
    enum { ALIGNMENT = 64 };
    EmitCensus *census = &e->census;
    KernelInfo *kernel = e->kernel;
    if (!census->on) return;
    kernel->census_offset = (kernel->scratch_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    LLVMSetOperand(census->base, 1, code_i64(&e->cx, (int64_t)kernel->census_offset));
    kernel->census_sites = census->sites ? census->sites : arena_array(e->arena, KernelCensusSite, 1);
    kernel->census_cells = census->cells;
    kernel->census_bytes = census->bytes;
    kernel->scratch_bytes = kernel->census_offset + census->bytes;
}

static uint32_t find_site(Emit *e, const TirOp *op, FpsanFormat format, bool cancels) {
    EmitCensus *census = &e->census;
    KernelInfo *kernel = e->kernel;
    uint32_t *site = &census->site_of[tir_result(op, 0)];
    if (*site) return *site - 1;
    census->sites =
        arena_grow(e->arena, census->sites, kernel->census_site_count, &census->site_capacity, sizeof *census->sites);
    census->sites[kernel->census_site_count] = (KernelCensusSite){
        .op = e->cx.op_name, .at = e->cx.at, .order = tir_result(op, 0), .format = format, .cancels = cancels};
    *site = ++kernel->census_site_count;
    return *site - 1;
}

// The offset of its arrays; `lanes` at least 1.
static const KernelCensusCell *find_cell(Emit *e, uint32_t site, uint32_t lanes, uint32_t width) {
    enum { ALIGNMENT = 64 };
    EmitCensus *census = &e->census;
    uint32_t *count = &e->kernel->census_cell_count;
    for (uint32_t i = 0; i < *count; i++)
        if (census->cells[i].site == site && census->cells[i].lanes == lanes) return &census->cells[i];
    census->cells = arena_grow(e->arena, census->cells, *count, &census->cell_capacity, sizeof *census->cells);
    census->cells[*count] = (KernelCensusCell){site, (uint32_t)census->bytes, lanes, width};
    const size_t bytes = (size_t)kernel_census_arrays(&census->sites[site]) * lanes * width;
    census->bytes += (bytes + 7) / 8 * 8 + CENSUS_COUNTERS * sizeof(uint64_t);
    census->bytes = (census->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return &census->cells[(*count)++];
}

// ---- what is counted ------------------------------------------------------------------------------------------------

static LLVMValueRef at_offset(Emit *e, size_t offset) {
    return code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), e->census.base, code_i64(&e->cx, (int64_t)offset));
}

// Array number `array` of the cell becomes the larger of what it is and `values`.
static void raise(Emit *e, const KernelCensusCell *cell, unsigned array, LLVMValueRef values) {
    const size_t bytes = (size_t)cell->lanes * cell->width;
    const unsigned align = bytes >= 64 ? 64 : (unsigned)bytes;
    LLVMValueRef at = at_offset(e, cell->offset + array * bytes);
    LLVMValueRef both[2] = {code_load(&e->cx, LLVMTypeOf(values), at, align), values};
    code_store(&e->cx, vector_intrinsic(&e->cx, "llvm.umax", both, 2), at, align);
}

// How many lanes of a mask hold (i64).
static LLVMValueRef count_lanes(Emit *e, LLVMValueRef mask) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    const unsigned lanes = vector_lanes(mask);
    if (!lanes) return LLVMBuildZExt(e->cx.builder, mask, i64, "");
    LLVMValueRef bits = LLVMBuildBitCast(e->cx.builder, mask, code_integer_type(&e->cx, lanes), "");
    return LLVMBuildIntCast2(e->cx.builder, vector_intrinsic(&e->cx, "llvm.ctpop", &bits, 1), i64, false, "");
}

static void add(Emit *e, LLVMValueRef at, LLVMValueRef count) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    code_store(&e->cx, LLVMBuildAdd(e->cx.builder, code_load(&e->cx, i64, at, 8), count, ""), at, 8);
}

// What one evaluation of an op gives to count. Masks are i1 lanes; NULL: they hold in all.
typedef struct Seen {
    Layout layout;
    LLVMValueRef bits, magnitude, finite;
    LLVMValueRef counts;   // which lanes do
    LLVMValueRef operands; // the operands are finite
    LLVMValueRef exponent; // of additions: that of the larger operand, where it stands in the bits; else NULL
    LLVMValueRef any;      // of additions: not zero where an operand is not zero
} Seen;

static void count_where(Emit *e, const KernelCensusCell *cell, size_t counters, CensusCounter counter,
                        LLVMValueRef mask) {
    LLVMValueRef count = mask ? count_lanes(e, mask) : code_i64(&e->cx, cell->lanes);
    add(e, at_offset(e, counters + counter * sizeof(uint64_t)), count);
}

static LLVMValueRef is_zero(Emit *e, LLVMValueRef value) {
    return LLVMBuildICmp(e->cx.builder, LLVMIntEQ, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

static void count_cancellation(Emit *e, const Seen *seen, const KernelCensusCell *cell, size_t counters,
                               LLVMValueRef counted) {
    LLVMBuilderRef b = e->cx.builder;
    const Layout *layout = &seen->layout;
    const uint64_t exponents = layout->magnitude >> layout->fraction_bits << layout->fraction_bits;
    LLVMValueRef own = LLVMBuildAnd(b, seen->magnitude, like(layout, seen->bits, exponents), "");
    LLVMValueRef lost = vector_intrinsic(&e->cx, "llvm.usub.sat", (LLVMValueRef[]){seen->exponent, own}, 2);
    raise(e, cell, 2, LLVMBuildSelect(b, is_zero(e, counted), LLVMConstNull(LLVMTypeOf(lost)), lost, ""));
    LLVMValueRef some = LLVMBuildNot(b, is_zero(e, seen->any), "");
    LLVMValueRef cancelled = LLVMBuildAnd(b, is_zero(e, seen->magnitude), some, "");
    count_where(e, cell, counters, CENSUS_CANCELLED, census_both(e, cancelled, seen->counts));
}

static void count(Emit *e, uint32_t site, const Seen *seen) {
    LLVMBuilderRef b = e->cx.builder;
    const Layout *layout = &seen->layout;
    const unsigned lanes = vector_lanes(seen->bits) ? vector_lanes(seen->bits) : 1;
    const KernelCensusCell *cell = find_cell(e, site, lanes, layout->lane_bits / 8);
    const size_t arrays = (size_t)kernel_census_arrays(&e->census.sites[site]) * lanes * cell->width,
                 counters = cell->offset + (arrays + 7) / 8 * 8;
    LLVMValueRef one = like(layout, seen->bits, 1), zero = LLVMConstNull(LLVMTypeOf(seen->bits));
    LLVMValueRef good = census_both(e, seen->finite, seen->counts);
    LLVMValueRef counted = good ? LLVMBuildSelect(b, good, seen->magnitude, zero, "") : seen->magnitude;
    raise(e, cell, 0, counted);
    raise(e, cell, 1, LLVMBuildNeg(b, counted, ""));
    LLVMValueRef normal = like(layout, seen->bits, (UINT64_C(1) << layout->fraction_bits) - 1);
    LLVMValueRef subnormal = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, counted, one, ""), normal, "");
    count_where(e, cell, counters, CENSUS_RESULTS, seen->counts);
    count_where(e, cell, counters, CENSUS_SUBNORMAL, subnormal);
    if (e->census.sites[site].cancels) count_cancellation(e, seen, cell, counters, counted);
    if (!seen->finite) return;
    LLVMValueRef wrong = census_both(e, LLVMBuildNot(b, seen->finite, ""), seen->counts);
    count_where(e, cell, counters, CENSUS_NOT_FINITE, wrong);
    count_where(e, cell, counters, CENSUS_MADE, census_both(e, wrong, seen->operands));
}

// ---- element-wise ops -----------------------------------------------------------------------------------------------

// Ops whose results are new numbers.
static bool makes_floats(const TirOp *op) {
    const FpsanRule rule = tir_op_info(op->kind)->rule;
    switch (rule) {
    case FPSAN_RULE_NEG:
    case FPSAN_RULE_ABS:
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX: return false;
    case FPSAN_RULE_COUNT:
        return op->kind == TIR_OP_ftof || op->kind == TIR_OP_cast || op->kind == TIR_OP_itof ||
               op->kind == TIR_OP_function;
    default: return true;
    }
}

static bool is_addition(const TirOp *op) {
    const FpsanRule rule = tir_op_info(op->kind)->rule;
    return rule == FPSAN_RULE_ADD || rule == FPSAN_RULE_SUB || rule == FPSAN_RULE_FMA;
}

static LLVMValueRef exponent_of(Emit *e, const Layout *layout, LLVMValueRef magnitude) {
    const uint64_t exponents = layout->magnitude >> layout->fraction_bits << layout->fraction_bits;
    return LLVMBuildAnd(e->cx.builder, magnitude, like(layout, magnitude, exponents), "");
}

// That of a product is the sum of those of its factors, at least the smallest there is.
static LLVMValueRef product_exponent(Emit *e, const Layout *layout, const LLVMValueRef *factors, LLVMValueRef *any) {
    LLVMBuilderRef b = e->cx.builder;
    LLVMValueRef sum = LLVMBuildAdd(b, exponent_of(e, layout, factors[0]), exponent_of(e, layout, factors[1]), "");
    LLVMValueRef bias = like(layout, sum, (uint64_t)layout->bias << layout->fraction_bits);
    sum = vector_intrinsic(&e->cx, "llvm.usub.sat", (LLVMValueRef[]){sum, bias}, 2);
    LLVMValueRef none = LLVMBuildOr(b, is_zero(e, factors[0]), is_zero(e, factors[1]), "");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(sum));
    *any = LLVMBuildSelect(b, none, zero, like(layout, sum, 1), "");
    return LLVMBuildSelect(b, none, zero, sum, "");
}

static void see_addition(Emit *e, const TirOp *op, const NumericValue *operands, Seen *seen) {
    LLVMValueRef magnitudes[3], terms[2], any[2];
    for (uint32_t i = 0; i < op->operand_count; i++)
        magnitudes[i] = magnitude_of(e, &seen->layout, bits_of(e, &seen->layout, &operands[i]));
    const bool fused = op->operand_count == 3;
    if (fused)
        terms[0] = product_exponent(e, &seen->layout, magnitudes, &any[0]);
    else
        terms[0] = exponent_of(e, &seen->layout, magnitudes[0]), any[0] = magnitudes[0];
    any[1] = magnitudes[fused ? 2 : 1];
    terms[1] = exponent_of(e, &seen->layout, any[1]);
    seen->exponent = vector_intrinsic(&e->cx, "llvm.umax", terms, 2);
    seen->any = LLVMBuildOr(e->cx.builder, any[0], any[1], "");
}

// i1 lanes in which all float operands are finite; NULL: in all.
static LLVMValueRef finite_operands(Emit *e, const TirOp *op, const NumericValue *operands) {
    LLVMValueRef all = NULL;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const EmitElement element = emit_element(e, emit_type_of(e, op->operands[i]));
        Layout layout;
        if (!element.is_float || !open_layout(element.format, &layout)) continue;
        LLVMValueRef bits = bits_of(e, &layout, &operands[i]);
        all = census_both(e, all, is_finite(e, &layout, bits, magnitude_of(e, &layout, bits)));
    }
    return all;
}

// Lanes that somebody specified. NULL: all.
static LLVMValueRef specified(Emit *e, const NumericValue *value) {
    if (!e->cx.poison || !e->cx.numeric->marks) return NULL;
    LLVMValueRef marks = e->cx.numeric->marks(&e->cx, value);
    return LLVMBuildNot(e->cx.builder, numeric_has_mark(&e->cx, marks, NUMERIC_MARK_POISON), "");
}

// Fills in all but what is said of operands.
static void see_result(Emit *e, const NumericValue *result, LLVMValueRef mask, Seen *seen) {
    seen->bits = bits_of(e, &seen->layout, result);
    seen->magnitude = magnitude_of(e, &seen->layout, seen->bits);
    seen->finite = is_finite(e, &seen->layout, seen->bits, seen->magnitude);
    const unsigned lanes = vector_lanes(seen->bits);
    if (mask && vector_lanes(mask) && vector_lanes(mask) != lanes) mask = NULL; // lane by lane: all count
    if (mask && !vector_lanes(mask)) mask = vector_splat(e->cx.builder, mask, lanes);
    seen->counts = census_both(e, mask, specified(e, result));
}

LLVMValueRef census_set_mask(Emit *e, LLVMValueRef mask) {
    LLVMValueRef before = e->census.mask;
    e->census.mask = mask;
    return before;
}

void census_element(Emit *e, const TirOp *op, const NumericValue *operands, const NumericValue *result) {
    const EmitElement element = emit_element(e, emit_type_of(e, tir_result(op, 0)));
    Seen seen = {0};
    if (!e->census.on || !element.is_float || !makes_floats(op) || !open_layout(element.format, &seen.layout)) return;
    see_result(e, result, e->census.mask, &seen);
    if (op->math.flush && seen.layout.lane_bits == 32) { // whoever reads it reads a zero
        LLVMValueRef least = like(&seen.layout, seen.bits, UINT64_C(1) << seen.layout.fraction_bits);
        LLVMValueRef below = LLVMBuildICmp(e->cx.builder, LLVMIntULT, seen.magnitude, least, "");
        seen.magnitude = LLVMBuildSelect(e->cx.builder, below, LLVMConstNull(LLVMTypeOf(least)), seen.magnitude, "");
    }
    if (seen.finite) seen.operands = finite_operands(e, op, operands);
    if (is_addition(op)) see_addition(e, op, operands, &seen);
    count(e, find_site(e, op, element.format, is_addition(op)), &seen);
}

// ---- dots -----------------------------------------------------------------------------------------------------------

LLVMValueRef census_open_operands(Emit *e) {
    if (!e->census.on) return NULL;
    LLVMValueRef seen = code_alloca(&e->cx, code_integer_type(&e->cx, 64), "census.operands");
    code_store(&e->cx, code_i64(&e->cx, 0), seen, 8);
    return seen;
}

void census_see_lanes(Emit *e, LLVMValueRef seen, FpsanFormat format, const NumericValue *lanes) {
    Layout layout;
    if (!seen || !open_layout(format, &layout)) return;
    LLVMValueRef bits = bits_of(e, &layout, lanes),
                 finite = is_finite(e, &layout, bits, magnitude_of(e, &layout, bits));
    if (finite) add(e, seen, count_lanes(e, LLVMBuildNot(e->cx.builder, finite, "")));
}

// A nest over a tile in memory, with its lanes.
static void open_tile(Emit *e, EmitElement element, const EmitVal *tile, Nest *nest, const TileMap *map) {
    const TileMap at = map_compose(map, &tile->layout);
    for (unsigned p = 0; p < element.parts; p++)
        nest_need_memory(nest, code_type_bits(emit_memory_type(e, element, p)), &at);
    nest_touch(nest, EMIT_TILES, 0);
    nest_open(e, nest, nest->bits);
}

void census_see_tile(Emit *e, LLVMValueRef seen, EmitElement element, const EmitVal *tile, unsigned bits) {
    if (!seen) return;
    NumericValue lanes;
    if (tile->kind == EMIT_SCALAR) {
        census_see_lanes(e, seen, element.format, &tile->value);
        return;
    }
    assert(tile->kind == EMIT_MEMORY);
    Nest nest;
    const TileMap map = map_identity(bits);
    nest_init(&nest, bits);
    open_tile(e, element, tile, &nest, &map);
    nest_eval_tile(e, &nest, tile, element, &map, &lanes);
    census_see_lanes(e, seen, element.format, &lanes);
    nest_close(e, &nest);
}

bool census_result(Emit *e, const TirOp *op, LLVMValueRef operands, const EmitVal *result) {
    const TirValue value = tir_result(op, 0);
    const EmitElement element = emit_element(e, emit_type_of(e, value));
    Seen seen = {0};
    NumericValue lanes;
    if (!operands || !open_layout(element.format, &seen.layout)) return true;
    LLVMValueRef wrong = code_load(&e->cx, code_integer_type(&e->cx, 64), operands, 8);
    LLVMValueRef finite = LLVMBuildICmp(e->cx.builder, LLVMIntEQ, wrong, code_i64(&e->cx, 0), "");
    Nest nest;
    const TileMap map = map_identity(emit_tile_bits(e, emit_type_of(e, value)));
    nest_init(&nest, map.bits);
    census_need(e, &nest, value, &map);
    open_tile(e, element, result, &nest, &map);
    nest_eval_tile(e, &nest, result, element, &map, &lanes);
    see_result(e, &lanes, census_mask(e, &nest, value, &map), &seen);
    seen.operands = vector_splat(e->cx.builder, finite, vector_lanes(seen.bits));
    count(e, find_site(e, op, element.format, false), &seen);
    nest_close(e, &nest);
    return true;
}
