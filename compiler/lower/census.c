// SPDX-License-Identifier: Apache-2.0
// The range census: code that counts (KernelCensusState). Most floats are normal numbers between two that were counted
// before, and sums that lost no more bits than one before: of these it is enough to say how many they are. Two
// comparisons find the others, which a function looks at that all ops of a format share.
#include "compiler/lower/census.h"

#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

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

// ---- sites ----------------------------------------------------------------------------------------------------------

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

static LLVMValueRef open_results(Emit *e) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->cx.builder);
    LLVMValueRef slot = code_alloca(&e->cx, code_integer_type(&e->cx, 64), "census.results");
    LLVMPositionBuilderAtEnd(e->cx.builder, e->cx.entry_block);
    code_store(&e->cx, code_i64(&e->cx, 0), slot, 8);
    LLVMPositionBuilderAtEnd(e->cx.builder, here);
    return slot;
}

// The number of the op's site.
static uint32_t find_site(Emit *e, const TirOp *op, FpsanFormat format, bool cancels) {
    EmitCensus *census = &e->census;
    KernelInfo *kernel = e->kernel;
    uint32_t *site = &census->site_of[tir_result(op, 0)], *count = &kernel->census_site_count;
    if (*site) return *site - 1;
    census->sites = arena_grow(e->arena, census->sites, *count, &census->site_capacity, sizeof *census->sites);
    census->results = arena_grow(e->arena, census->results, *count, &census->result_capacity, sizeof *census->results);
    census->sites[*count] = (KernelCensusSite){
        .op = e->cx.op_name, .at = e->cx.at, .order = tir_result(op, 0), .format = format, .cancels = cancels};
    census->results[*count] = open_results(e);
    *site = ++*count;
    return *site - 1;
}

// ---- the state of a site --------------------------------------------------------------------------------------------

static LLVMValueRef field_at(Emit *e, LLVMValueRef state, size_t offset) {
    return code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), state, code_i64(&e->cx, (int64_t)offset));
}

static LLVMValueRef state_of(Emit *e, uint32_t site) {
    return field_at(e, e->census.base, site * sizeof(KernelCensusState));
}

// A field as an integer of the width of the lanes.
static LLVMValueRef load_field(Emit *e, const Layout *layout, LLVMValueRef state, size_t offset) {
    return code_load(&e->cx, code_integer_type(&e->cx, layout->lane_bits), field_at(e, state, offset), 8);
}

static void store_field(Emit *e, LLVMValueRef state, size_t offset, LLVMValueRef value) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    code_store(&e->cx, LLVMBuildIntCast2(e->cx.builder, value, i64, false, ""), field_at(e, state, offset), 8);
}

static void add(Emit *e, LLVMValueRef at, LLVMValueRef count) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    code_store(&e->cx, LLVMBuildAdd(e->cx.builder, code_load(&e->cx, i64, at, 8), count, ""), at, 8);
}

static void add_counter(Emit *e, LLVMValueRef state, CensusCounter counter, LLVMValueRef count) {
    add(e, field_at(e, state, offsetof(KernelCensusState, counters) + counter * sizeof(uint64_t)), count);
}

// At each end of the kernel.
static void add_results(Emit *e) {
    for (uint32_t s = 0; s < e->kernel->census_site_count; s++) {
        LLVMValueRef made = code_load(&e->cx, code_integer_type(&e->cx, 64), e->census.results[s], 8);
        add_counter(e, state_of(e, s), CENSUS_RESULTS, made);
    }
}

void census_close(Emit *e) {
    enum { ALIGNMENT = 64 };
    EmitCensus *census = &e->census;
    KernelInfo *kernel = e->kernel;
    if (!census->on) return;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->cx.function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!end || LLVMGetInstructionOpcode(end) != LLVMRet) continue;
        LLVMPositionBuilderBefore(e->cx.builder, end);
        add_results(e);
    }
    kernel->census_offset = (kernel->scratch_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    LLVMSetOperand(census->base, 1, code_i64(&e->cx, (int64_t)kernel->census_offset));
    kernel->census_sites = census->sites ? census->sites : arena_array(e->arena, KernelCensusSite, 1);
    kernel->scratch_bytes = kernel->census_offset + kernel->census_site_count * sizeof(KernelCensusState);
}

// ---- lanes ----------------------------------------------------------------------------------------------------------

// The lanes of a vector register.
static unsigned register_lanes(const Emit *e, const Layout *layout) {
    return e->cx.machine.vector_bits > layout->lane_bits ? e->cx.machine.vector_bits / layout->lane_bits : 1;
}

// Halves of lanes combined until a register holds them.
static LLVMValueRef combine_registers(Emit *e, const Layout *layout, LLVMValueRef lanes, const char *intrinsic) {
    for (unsigned count = vector_lanes(lanes); count > register_lanes(e, layout); count /= 2) {
        LLVMValueRef halves[2];
        for (unsigned h = 0; h < 2; h++) halves[h] = code_lanes(&e->cx, lanes, h * count / 2, count / 2);
        lanes = intrinsic ? vector_intrinsic(&e->cx, intrinsic, halves, 2)
                          : LLVMBuildOr(e->cx.builder, halves[0], halves[1], "");
    }
    return lanes;
}

static LLVMValueRef is_any(Emit *e, LLVMValueRef mask) {
    return vector_lanes(mask) ? vector_intrinsic(&e->cx, "llvm.vector.reduce.or", &mask, 1) : mask;
}

// The mask as bits of an i64. NULL: all of `lanes`.
static LLVMValueRef mask_bits(Emit *e, LLVMValueRef mask, unsigned lanes) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    const int64_t all = lanes < 64 ? (INT64_C(1) << lanes) - 1 : -1;
    if (!mask) return code_i64(&e->cx, all);
    if (!vector_lanes(mask))
        return LLVMBuildSelect(e->cx.builder, mask, code_i64(&e->cx, all), code_i64(&e->cx, 0), "");
    mask = LLVMBuildBitCast(e->cx.builder, mask, code_integer_type(&e->cx, lanes), "");
    return LLVMBuildIntCast2(e->cx.builder, mask, i64, false, "");
}

static LLVMValueRef mask_of_bits(Emit *e, LLVMValueRef bits, unsigned lanes) {
    LLVMTypeRef i1 = code_integer_type(&e->cx, 1);
    bits = LLVMBuildIntCast2(e->cx.builder, bits, code_integer_type(&e->cx, lanes), false, "");
    return lanes == 1 ? bits : LLVMBuildBitCast(e->cx.builder, bits, LLVMVectorType(i1, lanes), "");
}

// Masks in as many lanes. NULL: all.
static LLVMValueRef both(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return a && b ? LLVMBuildAnd(e->cx.builder, a, b, "") : a ? a : b;
}

static LLVMValueRef count_bits(Emit *e, LLVMValueRef bits) {
    return vector_intrinsic(&e->cx, "llvm.ctpop", &bits, 1);
}

static LLVMValueRef is_zero(Emit *e, LLVMValueRef value) {
    return LLVMBuildICmp(e->cx.builder, LLVMIntEQ, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

// ---- what is counted: a function that all ops of a format share -----------------------------------------------------

// What one evaluation of an op gives to count. Masks are i1 lanes; NULL: they hold in all.
typedef struct Seen {
    Layout layout;
    LLVMValueRef bits, magnitude, finite;
    CensusMask mask;        // which lanes do,
    LLVMValueRef specified; // and of these
    LLVMValueRef operands;  // the operands are finite
    LLVMValueRef exponent;  // of additions: that of the larger operand, where it stands in the bits; else NULL
    LLVMValueRef any;       // of additions: not zero where an operand is not zero
} Seen;

// The function's parameters: a register of magnitudes, and masks of their lanes as bits.
enum { LOOK_STATE, LOOK_MAGNITUDE, LOOK_FINITE, LOOK_COUNTS, LOOK_OPERANDS, LOOK_LANES, LOOK_EXPONENT, LOOK_ANY };

typedef struct Look {
    Layout layout;
    unsigned lanes;
    LLVMValueRef parameters[LOOK_ANY + 1];
    LLVMValueRef state, counted; // the magnitudes of lanes that are finite and count, else 0
} Look;

static LLVMValueRef look_mask(Emit *e, const Look *look, LLVMValueRef bits) {
    return mask_of_bits(e, bits, look->lanes);
}

static LLVMValueRef reduce(Emit *e, const Look *look, const char *intrinsic, LLVMValueRef lanes) {
    return look->lanes > 1 ? vector_intrinsic(&e->cx, intrinsic, &lanes, 1) : lanes;
}

static LLVMValueRef greater(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return vector_intrinsic(&e->cx, "llvm.umax", (LLVMValueRef[]){a, b}, 2);
}

// Not a normal number between two that were counted. In as many lanes as a register has: of several one.
// `but`: not where this is 0; NULL: everywhere.
static LLVMValueRef is_beyond(Emit *e, const Layout *layout, LLVMValueRef state, LLVMValueRef magnitude,
                              LLVMValueRef but) {
    LLVMBuilderRef b = e->cx.builder;
    const unsigned lanes = vector_lanes(magnitude);
    LLVMValueRef low = load_field(e, layout, state, offsetof(KernelCensusState, low)),
                 span = load_field(e, layout, state, offsetof(KernelCensusState, span));
    LLVMValueRef above = LLVMBuildSub(b, magnitude, vector_splat(b, low, lanes), "");
    if (but) above = LLVMBuildSelect(b, is_zero(e, but), LLVMConstNull(LLVMTypeOf(above)), above, "");
    above = combine_registers(e, layout, above, "llvm.umax");
    return LLVMBuildICmp(b, LLVMIntUGE, above, vector_splat(b, span, vector_lanes(above)), "");
}

// Lanes beyond those that were seen widen what need not be looked at.
static void look_at_range(Emit *e, const Look *look) {
    LLVMBuilderRef b = e->cx.builder;
    const Layout *layout = &look->layout;
    LLVMValueRef beyond = is_beyond(e, layout, look->state, look->counted, look->counted);
    const CodeGuard guard = code_guard_open(&e->cx, is_any(e, beyond));
    LLVMValueRef largest = load_field(e, layout, look->state, offsetof(KernelCensusState, largest)),
                 smallest = load_field(e, layout, look->state, offsetof(KernelCensusState, smallest)),
                 one = LLVMConstInt(LLVMTypeOf(largest), 1, false);
    // 0 stands for none: less one it is more than all others.
    LLVMValueRef lanes = LLVMBuildSub(b, look->counted, like(layout, look->counted, 1), "");
    LLVMValueRef both[2] = {LLVMBuildSub(b, smallest, one, ""), reduce(e, look, "llvm.vector.reduce.umin", lanes)};
    smallest = LLVMBuildAdd(b, vector_intrinsic(&e->cx, "llvm.umin", both, 2), one, "");
    largest = greater(e, largest, reduce(e, look, "llvm.vector.reduce.umax", look->counted));
    store_field(e, look->state, offsetof(KernelCensusState, largest), largest);
    store_field(e, look->state, offsetof(KernelCensusState, smallest), smallest);
    LLVMValueRef low = greater(e, smallest, LLVMConstInt(LLVMTypeOf(one), UINT64_C(1) << layout->fraction_bits, false));
    LLVMValueRef ends[2] = {LLVMBuildAdd(b, largest, one, ""), low};
    store_field(e, look->state, offsetof(KernelCensusState, low), low);
    store_field(e, look->state, offsetof(KernelCensusState, span), vector_intrinsic(&e->cx, "llvm.usub.sat", ends, 2));
    code_guard_close(&e->cx, &guard, 0, NULL);
}

static void look_at_sum(Emit *e, const Look *look) {
    LLVMBuilderRef b = e->cx.builder;
    const Layout *layout = &look->layout;
    const uint64_t fraction = (UINT64_C(1) << layout->fraction_bits) - 1;
    LLVMValueRef magnitude = look->parameters[LOOK_MAGNITUDE];
    LLVMValueRef own = LLVMBuildAnd(b, magnitude, like(layout, magnitude, layout->magnitude & ~fraction), "");
    LLVMValueRef lost =
        vector_intrinsic(&e->cx, "llvm.usub.sat", (LLVMValueRef[]){look->parameters[LOOK_EXPONENT], own}, 2);
    lost = LLVMBuildSelect(b, is_zero(e, look->counted), LLVMConstNull(LLVMTypeOf(lost)), lost, "");
    LLVMValueRef most = load_field(e, layout, look->state, offsetof(KernelCensusState, bar));
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntUGE, lost, vector_splat(b, most, vector_lanes(lost)), "");
    const CodeGuard guard = code_guard_open(&e->cx, is_any(e, more));
    most = reduce(e, look, "llvm.vector.reduce.umax", lost);
    store_field(e, look->state, offsetof(KernelCensusState, lost), most);
    LLVMValueRef bar = LLVMBuildOr(b, most, LLVMConstInt(LLVMTypeOf(most), fraction, false), "");
    store_field(e, look->state, offsetof(KernelCensusState, bar), bar);
    code_guard_close(&e->cx, &guard, 0, NULL);
    LLVMValueRef zeros = mask_bits(e, is_zero(e, magnitude), look->lanes);
    LLVMValueRef cancelled = LLVMBuildAnd(b, zeros, look->parameters[LOOK_ANY], "");
    add_counter(e, look->state, CENSUS_CANCELLED,
                count_bits(e, LLVMBuildAnd(b, cancelled, look->parameters[LOOK_COUNTS], "")));
}

static void look(Emit *e, Look *look, bool sums) {
    LLVMBuilderRef b = e->cx.builder;
    const Layout *layout = &look->layout;
    const LLVMValueRef *parameters = look->parameters;
    LLVMValueRef magnitude = parameters[LOOK_MAGNITUDE], counts = parameters[LOOK_COUNTS];
    look->state = parameters[LOOK_STATE];
    LLVMValueRef good = LLVMBuildAnd(b, counts, parameters[LOOK_FINITE], "");
    look->counted = LLVMBuildSelect(b, look_mask(e, look, good), magnitude, LLVMConstNull(LLVMTypeOf(magnitude)), "");
    LLVMValueRef before = LLVMBuildSub(b, look->counted, like(layout, magnitude, 1), "");
    LLVMValueRef normal = like(layout, magnitude, (UINT64_C(1) << layout->fraction_bits) - 1);
    LLVMValueRef subnormal = mask_bits(e, LLVMBuildICmp(b, LLVMIntULT, before, normal, ""), look->lanes);
    LLVMValueRef wrong = LLVMBuildAnd(b, counts, LLVMBuildNot(b, parameters[LOOK_FINITE], ""), "");
    // All lanes are counted beforehand (open_results).
    add_counter(e, look->state, CENSUS_RESULTS, LLVMBuildSub(b, count_bits(e, counts), parameters[LOOK_LANES], ""));
    add_counter(e, look->state, CENSUS_SUBNORMAL, count_bits(e, subnormal));
    add_counter(e, look->state, CENSUS_NOT_FINITE, count_bits(e, wrong));
    add_counter(e, look->state, CENSUS_MADE, count_bits(e, LLVMBuildAnd(b, wrong, parameters[LOOK_OPERANDS], "")));
    if (sums) look_at_sum(e, look);
    look_at_range(e, look);
}

static LLVMTypeRef look_type(Emit *e, LLVMTypeRef lanes, bool sums) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64), types[LOOK_ANY + 1];
    for (unsigned p = 0; p <= LOOK_ANY; p++) types[p] = p == LOOK_MAGNITUDE || p == LOOK_EXPONENT ? lanes : i64;
    types[LOOK_STATE] = LLVMPointerTypeInContext(e->cx.context, 0);
    return LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), types, sums ? LOOK_ANY + 1 : LOOK_EXPONENT, false);
}

static void set_attributes(Emit *e, LLVMValueRef function) {
    // Memory: the first two bits are of what arguments point to, which is read and written.
    static const struct {
        const char *name;
        uint64_t value;
    } attributes[] = {{"noinline", 0}, {"cold", 0}, {"nounwind", 0}, {"willreturn", 0}, {"memory", 3}};
    for (size_t i = 0; i < BASE_COUNT(attributes); i++) {
        const unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i].name, strlen(attributes[i].name));
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(e->cx.context, kind, attributes[i].value));
    }
}

static LLVMValueRef look_function(Emit *e, const Layout *layout, FpsanFormat format, LLVMTypeRef type, bool sums) {
    Look body = {.layout = *layout, .lanes = register_lanes(e, layout)};
    const char *name =
        arena_format(e->arena, "congruent.census.%s%s", fpsan_format_info(format)->name, sums ? ".sums" : "");
    CodeShared shared;
    if (!code_shared_open(&e->cx, name, type, &shared)) return shared.function;
    set_attributes(e, shared.function);
    LLVMGetParams(shared.function, body.parameters);
    look(e, &body, sums);
    LLVMBuildRetVoid(e->cx.builder);
    code_shared_close(&e->cx, &shared);
    return shared.function;
}

// Lanes `first` and up, as many as a register has. A scalar, and what is short of a register, is filled up with lane 0.
static LLVMValueRef take_register(Emit *e, LLVMValueRef lanes, unsigned first, unsigned width) {
    LLVMValueRef order[64];
    const unsigned count = vector_lanes(lanes);
    if (!count) return width > 1 ? vector_splat(e->cx.builder, lanes, width) : lanes;
    for (unsigned i = 0; i < width; i++) order[i] = code_i32(&e->cx, first + i < count ? (int32_t)(first + i) : 0);
    return LLVMBuildShuffleVector(e->cx.builder, lanes, LLVMGetUndef(LLVMTypeOf(lanes)), LLVMConstVector(order, width),
                                  "");
}

static void call_look(Emit *e, uint32_t site, const Seen *seen) {
    LLVMBuilderRef b = e->cx.builder;
    const bool sums = seen->exponent;
    const unsigned count = vector_lanes(seen->bits) ? vector_lanes(seen->bits) : 1,
                   width = register_lanes(e, &seen->layout);
    LLVMTypeRef lane = code_integer_type(&e->cx, seen->layout.lane_bits),
                type = look_type(e, width > 1 ? LLVMVectorType(lane, width) : lane, sums);
    LLVMValueRef function = look_function(e, &seen->layout, (FpsanFormat)e->census.sites[site].format, type, sums);
    LLVMValueRef masks[LOOK_ANY + 1] = {
        [LOOK_FINITE] = mask_bits(e, seen->finite, count),
        [LOOK_COUNTS] =
            mask_bits(e, both(e, census_lanes(e, seen->mask, vector_lanes(seen->bits)), seen->specified), count),
        [LOOK_OPERANDS] = mask_bits(e, seen->operands, count)};
    if (sums) masks[LOOK_ANY] = mask_bits(e, LLVMBuildNot(b, is_zero(e, seen->any), ""), count);
    for (unsigned first = 0; first < count; first += width) {
        LLVMValueRef arguments[LOOK_ANY + 1] = {
            [LOOK_STATE] = state_of(e, site),
            [LOOK_MAGNITUDE] = take_register(e, seen->magnitude, first, width),
            [LOOK_LANES] = code_i64(&e->cx, count < width ? count : width),
        };
        for (unsigned p = 0; p <= LOOK_ANY; p++) {
            if (!masks[p]) continue;
            const int64_t all = width < 64 ? (INT64_C(1) << width) - 1 : -1;
            arguments[p] = LLVMBuildLShr(b, masks[p], code_i64(&e->cx, first), "");
            arguments[p] = LLVMBuildAnd(b, arguments[p], code_i64(&e->cx, all), "");
        }
        if (sums) arguments[LOOK_EXPONENT] = take_register(e, seen->exponent, first, width);
        LLVMBuildCall2(b, type, function, arguments, sums ? LOOK_ANY + 1 : LOOK_EXPONENT, "");
    }
}

// ---- what need not be looked at -------------------------------------------------------------------------------------

// Lanes where a sum may have lost more than any before. `exponent`: of the larger operand, or more.
static LLVMValueRef is_over_bar(Emit *e, const Seen *seen, LLVMValueRef state, LLVMValueRef exponent, bool fused) {
    LLVMBuilderRef b = e->cx.builder;
    const Layout *layout = &seen->layout;
    // (exponent | all bits of a fraction) - (exponent | fraction) has the difference of the exponents above its
    // fraction.
    LLVMValueRef fraction = like(layout, exponent, (UINT64_C(1) << layout->fraction_bits) - 1), lost;
    exponent = LLVMBuildOr(b, exponent, fraction, "");
    if (fused) // the exponent of a product may be out of range
        lost = vector_intrinsic(&e->cx, "llvm.usub.sat", (LLVMValueRef[]){exponent, seen->magnitude}, 2);
    else
        lost = LLVMBuildSub(b, exponent, seen->magnitude, "");
    lost = combine_registers(e, layout, lost, fused ? "llvm.umax" : "llvm.smax");
    LLVMValueRef bar = load_field(e, layout, state, offsetof(KernelCensusState, bar));
    bar = vector_splat(b, bar, vector_lanes(lost));
    return LLVMBuildICmp(b, fused ? LLVMIntUGT : LLVMIntSGT, lost, bar, "");
}

// Code for where `condition` (i1) holds, which is seldom.
static CodeGuard open_seldom(Emit *e, LLVMValueRef condition) {
    LLVMTypeRef i32 = code_integer_type(&e->cx, 32);
    const CodeGuard guard = code_guard_open(&e->cx, condition);
    LLVMMetadataRef weights[3] = {LLVMMDStringInContext2(e->cx.context, "branch_weights", 14),
                                  LLVMValueAsMetadata(LLVMConstInt(i32, 1, false)),
                                  LLVMValueAsMetadata(LLVMConstInt(i32, 4096, false))};
    LLVMSetMetadata(LLVMGetBasicBlockTerminator(guard.before), LLVMGetMDKindIDInContext(e->cx.context, "prof", 4),
                    LLVMMetadataAsValue(e->cx.context, LLVMMDNodeInContext2(e->cx.context, weights, 3)));
    return guard;
}

// All lanes of a step count, but for those that are looked at.
static void count_results(Emit *e, uint32_t site, const Seen *seen) {
    LLVMBuilderRef b = e->cx.builder;
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    const unsigned lanes = vector_lanes(seen->bits);
    LLVMValueRef slot = e->census.results[site], made = code_load(&e->cx, i64, slot, 8),
                 more = code_i64(&e->cx, lanes ? lanes : 1);
    if (seen->mask.scalar) more = LLVMBuildSelect(b, seen->mask.scalar, more, code_i64(&e->cx, 0), "");
    code_store(&e->cx, LLVMBuildAdd(b, made, more, ""), slot, 8);
}

// Lanes of unspecified floats, in as many lanes as a register has. NULL: there are none.
static LLVMValueRef is_unspecified(Emit *e, const Seen *seen) {
    if (!seen->specified) return NULL;
    return combine_registers(e, &seen->layout, LLVMBuildNot(e->cx.builder, seen->specified, ""), NULL);
}

// i1: whether to look at the step's lanes. `over`: lanes of a sum that are over the bar; else NULL. `zeros` NULL: of
// zeros, too; else but for lanes where it is 0 (and their result is, too).
static LLVMValueRef must_look(Emit *e, LLVMValueRef state, const Seen *seen, LLVMValueRef over, LLVMValueRef zeros) {
    LLVMBuilderRef b = e->cx.builder;
    const CensusMask *mask = &seen->mask;
    LLVMValueRef magnitude = seen->magnitude, odd = is_beyond(e, &seen->layout, state, magnitude, zeros),
                 unspecified = is_unspecified(e, seen);
    if (over) odd = LLVMBuildOr(b, odd, over, "");
    if (unspecified) odd = LLVMBuildOr(b, odd, unspecified, "");
    odd = is_any(e, odd);
    if (mask->all) odd = LLVMBuildOr(b, odd, LLVMBuildNot(b, mask->all, ""), "");
    return both(e, odd, mask->scalar);
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
    case FPSAN_RULE_COUNT: return op->kind == TIR_OP_ftof || op->kind == TIR_OP_cast || op->kind == TIR_OP_itof;
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

// The sum of those of the factors, at least the smallest there is.
static LLVMValueRef product_exponent(Emit *e, const Layout *layout, const LLVMValueRef *factors) {
    LLVMValueRef sum =
        LLVMBuildAdd(e->cx.builder, exponent_of(e, layout, factors[0]), exponent_of(e, layout, factors[1]), "");
    LLVMValueRef bias = like(layout, sum, (uint64_t)layout->bias << layout->fraction_bits);
    return vector_intrinsic(&e->cx, "llvm.usub.sat", (LLVMValueRef[]){sum, bias}, 2);
}

// The magnitudes of the operands of an addition, and the exponents of its two terms. That of a product is as if no
// factor were 0.
typedef struct Terms {
    bool fused;
    LLVMValueRef magnitudes[3], exponents[2];
} Terms;

static void open_terms(Emit *e, const TirOp *op, const Layout *layout, const NumericValue *operands, Terms *terms) {
    LLVMValueRef *magnitudes = terms->magnitudes;
    for (uint32_t i = 0; i < op->operand_count; i++)
        magnitudes[i] = magnitude_of(e, layout, bits_of(e, layout, &operands[i]));
    terms->fused = op->operand_count == 3;
    terms->exponents[0] = terms->fused ? product_exponent(e, layout, magnitudes) : magnitudes[0];
    terms->exponents[1] = magnitudes[terms->fused ? 2 : 1];
}

static void see_addition(Emit *e, const Terms *terms, Seen *seen) {
    LLVMBuilderRef b = e->cx.builder;
    const LLVMValueRef *magnitudes = terms->magnitudes;
    LLVMValueRef exponents[2] = {terms->exponents[0], terms->exponents[1]}, any = magnitudes[0];
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(any));
    if (terms->fused) {
        LLVMValueRef none = LLVMBuildOr(b, is_zero(e, magnitudes[0]), is_zero(e, magnitudes[1]), "");
        exponents[0] = LLVMBuildSelect(b, none, zero, exponents[0], "");
        any = LLVMBuildSelect(b, none, zero, like(&seen->layout, any, 1), "");
    }
    for (unsigned i = 0; i < 2; i++) exponents[i] = exponent_of(e, &seen->layout, exponents[i]);
    seen->exponent = greater(e, exponents[0], exponents[1]);
    seen->any = LLVMBuildOr(b, any, terms->exponents[1], "");
}

// i1 lanes in which all float operands are finite; NULL: in all.
static LLVMValueRef finite_operands(Emit *e, const TirOp *op, const NumericValue *operands) {
    LLVMValueRef all = NULL;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const EmitElement element = emit_element(e, emit_type_of(e, op->operands[i]));
        Layout layout;
        if (!element.is_float || !open_layout(element.format, &layout)) continue;
        LLVMValueRef bits = bits_of(e, &layout, &operands[i]);
        all = both(e, all, is_finite(e, &layout, bits, magnitude_of(e, &layout, bits)));
    }
    return all;
}

// Lanes that somebody specified. NULL: all.
static LLVMValueRef specified(Emit *e, const NumericValue *value) {
    if (!e->cx.poison || !e->cx.numeric->marks) return NULL;
    LLVMValueRef marks = e->cx.numeric->marks(&e->cx, value);
    return LLVMBuildNot(e->cx.builder, numeric_has_mark(&e->cx, marks, NUMERIC_MARK_POISON), "");
}

// Bits, magnitudes, and what counts.
static void see_result(Emit *e, const NumericValue *result, CensusMask mask, Seen *seen) {
    seen->bits = bits_of(e, &seen->layout, result);
    seen->magnitude = magnitude_of(e, &seen->layout, seen->bits);
    const unsigned lanes = vector_lanes(seen->bits);
    seen->mask = mask;
    if (mask.lanes && vector_lanes(mask.lanes) != lanes) seen->mask.lanes = seen->mask.all = NULL; // all of them count
    seen->specified = specified(e, result);
}

CensusMask census_set_mask(Emit *e, CensusMask mask) {
    const CensusMask before = e->census.mask;
    e->census.mask = mask;
    return before;
}

void census_element(Emit *e, const TirOp *op, const NumericValue *operands, const NumericValue *result) {
    const EmitElement element = emit_element(e, emit_type_of(e, tir_result(op, 0)));
    Seen seen = {0};
    if (!e->census.on || !element.is_float || !makes_floats(op) || !open_layout(element.format, &seen.layout)) return;
    see_result(e, result, e->census.mask, &seen);
    const bool adds = is_addition(op);
    const uint32_t site = find_site(e, op, element.format, adds);
    LLVMValueRef state = state_of(e, site), over = NULL;
    Terms terms;
    count_results(e, site, &seen);
    if (adds) {
        open_terms(e, op, &seen.layout, operands, &terms);
        over = is_over_bar(e, &seen, state, greater(e, terms.exponents[0], terms.exponents[1]), terms.fused);
    }
    const CodeGuard outer = open_seldom(e, must_look(e, state, &seen, over, NULL));
    if (adds) see_addition(e, &terms, &seen);
    const CodeGuard guard = open_seldom(e, must_look(e, state, &seen, over, adds ? seen.any : seen.magnitude));
    seen.finite = is_finite(e, &seen.layout, seen.bits, seen.magnitude);
    if (op->math.flush && seen.layout.lane_bits == 32) { // whoever reads it reads a zero
        LLVMValueRef least = like(&seen.layout, seen.bits, UINT64_C(1) << seen.layout.fraction_bits);
        LLVMValueRef below = LLVMBuildICmp(e->cx.builder, LLVMIntULT, seen.magnitude, least, "");
        seen.magnitude = LLVMBuildSelect(e->cx.builder, below, LLVMConstNull(LLVMTypeOf(least)), seen.magnitude, "");
    }
    if (seen.finite) seen.operands = finite_operands(e, op, operands);
    call_look(e, site, &seen);
    code_guard_close(&e->cx, &guard, 0, NULL);
    code_guard_close(&e->cx, &outer, 0, NULL);
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
    if (!finite) return;
    const unsigned count = vector_lanes(finite) ? vector_lanes(finite) : 1;
    add(e, seen, count_bits(e, mask_bits(e, LLVMBuildNot(e->cx.builder, finite, ""), count)));
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
    const uint32_t site = find_site(e, op, element.format, false);
    count_results(e, site, &seen);
    const CodeGuard guard = open_seldom(e, must_look(e, state_of(e, site), &seen, NULL, NULL));
    seen.finite = is_finite(e, &seen.layout, seen.bits, seen.magnitude);
    seen.operands = finite;
    call_look(e, site, &seen);
    code_guard_close(&e->cx, &guard, 0, NULL);
    nest_close(e, &nest);
    return true;
}
