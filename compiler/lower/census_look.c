// SPDX-License-Identifier: Apache-2.0
// The range census: the functions that look at numbers one by one. All ops of one kind share one.
#include "compiler/lower/census_internal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// A register of lanes of a step. Masks are bits of an i64.
typedef struct Look {
    const CensusStep *step;
    unsigned width; // lanes of a register; 1: scalars
    LLVMValueRef state, magnitude;
    LLVMValueRef lanes;    // i64: how many of the lowest are lanes of the step
    LLVMValueRef counts;   // those that count
    LLVMValueRef finite;   // results that are finite
    LLVMValueRef operands; // and of which all operands are
    LLVMValueRef counted;  // the magnitudes of those that count and are finite, else 0
} Look;

static LLVMValueRef mask_of_bits(Emit *e, LLVMValueRef bits, unsigned lanes) {
    LLVMTypeRef i1 = code_integer_type(&e->cx, 1);
    bits = LLVMBuildIntCast2(e->cx.builder, bits, code_integer_type(&e->cx, lanes), false, "");
    return lanes == 1 ? bits : LLVMBuildBitCast(e->cx.builder, bits, LLVMVectorType(i1, lanes), "");
}

static LLVMValueRef reduce(Emit *e, const Look *look, const char *intrinsic, LLVMValueRef lanes) {
    return look->width > 1 ? vector_intrinsic(&e->cx, intrinsic, &lanes, 1) : lanes;
}

static LLVMValueRef and_bits(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildAnd(e->cx.builder, a, b, "");
}

// ---- what is counted ------------------------------------------------------------------------------------------------

// The largest that is the op's own, `largest` being the largest of all.
static LLVMValueRef largest_own(Emit *e, const Look *look, LLVMValueRef largest) {
    LLVMValueRef own = census_load_field(e, &look->step->layout, look->state, offsetof(KernelCensusState, own));
    if (look->step->own == CENSUS_OWN_ALL) return largest;
    if (look->step->own == CENSUS_OWN_NONE) return own;
    LLVMValueRef is_own = census_is_own(e, look->step, look->state, look->magnitude),
                 none = LLVMConstNull(LLVMTypeOf(look->counted)),
                 lanes = LLVMBuildSelect(e->cx.builder, is_own, look->counted, none, "");
    return census_greater(e, own, reduce(e, look, "llvm.vector.reduce.umax", lanes));
}

// Numbers from `low` to `most` need not be looked at; where `most` is 0 and `low` the largest integer, zeros.
static void store_span(Emit *e, const Look *look, size_t field, LLVMValueRef low, LLVMValueRef most) {
    LLVMBuilderRef b = e->cx.builder;
    LLVMTypeRef type = LLVMTypeOf(most);
    LLVMValueRef one = LLVMConstInt(type, 1, false), ends[2] = {LLVMBuildAdd(b, most, one, ""), low};
    LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, low, LLVMConstAllOnes(type), ""),
                 span = vector_intrinsic(&e->cx, "llvm.usub.sat", ends, 2);
    census_store_field(e, look->state, field, LLVMBuildSelect(b, none, one, span, ""));
}

// Lanes beyond those that were seen widen what need not be looked at.
static void look_at_range(Emit *e, const Look *look) {
    LLVMBuilderRef b = e->cx.builder;
    const CensusLayout *layout = &look->step->layout;
    const size_t span = offsetof(KernelCensusState, own_span);
    LLVMValueRef state = look->state, beyond = census_is_beyond(e, layout, state, span, look->counted, look->counted);
    const CodeGuard guard = code_guard_open(&e->cx, census_is_any(e, beyond));
    LLVMValueRef largest = census_load_field(e, layout, state, offsetof(KernelCensusState, largest)),
                 smallest = census_load_field(e, layout, state, offsetof(KernelCensusState, smallest)),
                 one = LLVMConstInt(LLVMTypeOf(largest), 1, false),
                 normal = LLVMConstInt(LLVMTypeOf(largest), UINT64_C(1) << layout->fraction_bits, false);
    // 0 stands for none: less one it is more than all others.
    LLVMValueRef lanes = LLVMBuildSub(b, look->counted, census_like(layout, look->counted, 1), "");
    LLVMValueRef both[2] = {LLVMBuildSub(b, smallest, one, ""), reduce(e, look, "llvm.vector.reduce.umin", lanes)};
    smallest = LLVMBuildAdd(b, vector_intrinsic(&e->cx, "llvm.umin", both, 2), one, "");
    largest = census_greater(e, largest, reduce(e, look, "llvm.vector.reduce.umax", look->counted));
    LLVMValueRef low = LLVMBuildSelect(b, census_is_zero(e, smallest), LLVMConstAllOnes(LLVMTypeOf(smallest)),
                                       census_greater(e, smallest, normal), ""),
                 own = largest_own(e, look, largest);
    census_store_field(e, state, offsetof(KernelCensusState, largest), largest);
    census_store_field(e, state, offsetof(KernelCensusState, smallest), smallest);
    census_store_field(e, state, offsetof(KernelCensusState, low), low);
    census_store_field(e, state, offsetof(KernelCensusState, own), own);
    store_span(e, look, offsetof(KernelCensusState, span), low, largest);
    store_span(e, look, span, low, look->step->own == CENSUS_OWN_NONE ? largest : own);
    code_guard_close(&e->cx, &guard, 0, NULL);
}

// The exponent of the larger summand, where it stands in the bits. *any: lanes where a summand is not zero.
static LLVMValueRef larger_exponent(Emit *e, const CensusStep *step, LLVMValueRef *any) {
    LLVMBuilderRef b = e->cx.builder;
    const CensusLayout *layout = &step->layout;
    LLVMValueRef some[3];
    CensusTerms terms;
    for (unsigned i = 0; i < step->operand_count; i++)
        some[i] = LLVMBuildNot(b, census_is_zero(e, census_magnitude(e, layout, step->operands[i])), "");
    census_open_terms(e, layout, step->operand_count, step->operands, &terms);
    if (!terms.above) {
        *any = LLVMBuildOr(b, some[0], some[1], "");
        return census_greater(e, terms.exponents[0], terms.exponents[1]);
    }
    LLVMValueRef product = LLVMBuildAnd(b, some[0], some[1], "");
    *any = LLVMBuildOr(b, product, some[2], "");
    terms.exponents[0] = LLVMBuildSelect(b, product, terms.exponents[0], terms.above, "");
    return LLVMBuildSub(b, census_greater(e, terms.exponents[0], terms.exponents[1]), terms.above, "");
}

static void look_at_sum(Emit *e, const Look *look) {
    LLVMBuilderRef b = e->cx.builder;
    const CensusLayout *layout = &look->step->layout;
    LLVMValueRef any, both[2] = {larger_exponent(e, look->step, &any), census_exponent(e, layout, look->magnitude)};
    LLVMValueRef lost = vector_intrinsic(&e->cx, "llvm.usub.sat", both, 2);
    lost = LLVMBuildSelect(b, census_is_zero(e, look->counted), LLVMConstNull(LLVMTypeOf(lost)), lost, "");
    LLVMValueRef most = census_load_field(e, layout, look->state, offsetof(KernelCensusState, lost));
    LLVMValueRef over = LLVMBuildICmp(b, LLVMIntUGT, lost, vector_splat(b, most, vector_lanes(lost)), "");
    const CodeGuard guard = code_guard_open(&e->cx, census_is_any(e, over));
    most = reduce(e, look, "llvm.vector.reduce.umax", lost);
    census_store_field(e, look->state, offsetof(KernelCensusState, lost), most);
    code_guard_close(&e->cx, &guard, 0, NULL);
    LLVMValueRef zeros = LLVMBuildAnd(b, census_is_zero(e, look->magnitude), any, "");
    zeros = and_bits(e, census_mask_bits(e, zeros, look->width), look->counts);
    census_add_counter(e, look->state, CENSUS_CANCELLED, census_count_bits(e, zeros));
}

static void look_at_register(Emit *e, Look *look) {
    LLVMBuilderRef b = e->cx.builder;
    const CensusLayout *layout = &look->step->layout;
    LLVMValueRef magnitude = look->magnitude, counts = look->counts, zero = LLVMConstNull(LLVMTypeOf(magnitude));
    LLVMValueRef good = mask_of_bits(e, and_bits(e, counts, look->finite), look->width);
    look->counted = LLVMBuildSelect(b, good, magnitude, zero, "");
    LLVMValueRef less = LLVMBuildSub(b, look->counted, census_like(layout, magnitude, 1), "");
    LLVMValueRef normal = census_like(layout, magnitude, (UINT64_C(1) << layout->fraction_bits) - 1);
    LLVMValueRef subnormal = census_mask_bits(e, LLVMBuildICmp(b, LLVMIntULT, less, normal, ""), look->width);
    LLVMValueRef wrong = and_bits(e, counts, LLVMBuildNot(b, look->finite, ""));
    if (!e->census.by_calls) // all lanes have been counted, as if all counted
        census_add_counter(e, look->state, CENSUS_RESULTS,
                           LLVMBuildSub(b, census_count_bits(e, counts), look->lanes, ""));
    census_add_counter(e, look->state, CENSUS_SUBNORMAL, census_count_bits(e, subnormal));
    census_add_counter(e, look->state, CENSUS_NOT_FINITE, census_count_bits(e, wrong));
    census_add_counter(e, look->state, CENSUS_MADE, census_count_bits(e, and_bits(e, wrong, look->operands)));
    if (look->step->adds) look_at_sum(e, look);
    look_at_range(e, look);
}

// ---- what is seen ---------------------------------------------------------------------------------------------------

LLVMValueRef census_finite_operands(Emit *e, const CensusStep *step) {
    LLVMValueRef all = NULL;
    for (unsigned i = 0; i < step->operand_count; i++) {
        CensusLayout layout;
        if (!census_layout(step->formats[i], &layout)) continue;
        LLVMValueRef magnitude = census_magnitude(e, &layout, step->operands[i]);
        all = census_and(e, all, census_is_finite(e, &layout, step->operands[i], magnitude));
    }
    return all;
}

// The largest number of the format is what masks have and what saturating ops give. Whoever converts a mask makes no
// number of its own.
static LLVMValueRef is_not_largest(Emit *e, const CensusStep *step, LLVMValueRef magnitude) {
    const uint64_t largest = fpsan_encode_saturating(step->format, INFINITY, FPSAN_NEAREST_EVEN);
    return LLVMBuildICmp(e->cx.builder, LLVMIntNE, magnitude, census_like(&step->layout, magnitude, largest), "");
}

LLVMValueRef census_is_own(Emit *e, const CensusStep *step, LLVMValueRef state, LLVMValueRef magnitude) {
    const CensusLayout *layout = &step->layout;
    LLVMValueRef own = census_load_field(e, layout, state, offsetof(KernelCensusState, own));
    LLVMValueRef most = vector_splat(e->cx.builder, own, vector_lanes(magnitude));
    for (unsigned i = 0; step->own == CENSUS_OWN_GREATER && i < step->operand_count; i++)
        most = census_greater(e, most, census_magnitude(e, layout, step->operands[i]));
    LLVMValueRef greater = LLVMBuildICmp(e->cx.builder, LLVMIntUGT, magnitude, most, "");
    return step->own == CENSUS_OWN_GREATER ? greater : census_and(e, greater, is_not_largest(e, step, magnitude));
}

// Fills in what is seen of the step's numbers; `finite`: bits of lanes in which other operands are.
static void see_register(Emit *e, Look *look, LLVMValueRef finite) {
    LLVMBuilderRef b = e->cx.builder;
    const CensusStep *step = look->step;
    const CensusLayout *layout = &step->layout;
    look->magnitude = census_magnitude(e, layout, step->bits);
    look->finite = census_mask_bits(e, census_is_finite(e, layout, step->bits, look->magnitude), look->width);
    look->operands = and_bits(e, census_mask_bits(e, census_finite_operands(e, step), look->width), finite);
    if (!step->flushes) return;
    // Whoever reads it reads a zero.
    LLVMValueRef least = census_like(layout, step->bits, UINT64_C(1) << layout->fraction_bits);
    LLVMValueRef below = LLVMBuildICmp(b, LLVMIntULT, look->magnitude, least, "");
    look->magnitude = LLVMBuildSelect(b, below, LLVMConstNull(LLVMTypeOf(least)), look->magnitude, "");
}

// ---- the functions --------------------------------------------------------------------------------------------------

// Their parameters; behind them pointers to the results and to each operand, whole registers of them.
enum { STATE, FINITE, COUNTS, LANES, ARRAYS, PARAMETERS = ARRAYS + 1 + TIR_OPERANDS_MAX };

static LLVMValueRef load_register(Emit *e, FpsanFormat format, LLVMValueRef array, LLVMValueRef first, unsigned width) {
    LLVMTypeRef lane = code_integer_type(&e->cx, fpsan_format_info(format)->lane_bits);
    LLVMValueRef at = code_pointer_at(&e->cx, lane, array, first);
    return code_load(&e->cx, vector_type(lane, width > 1 ? width : 0), at, code_type_bits(lane) / 8);
}

static LLVMValueRef later_bits(Emit *e, LLVMValueRef bits, LLVMValueRef first, unsigned width) {
    const int64_t all = width < 64 ? (INT64_C(1) << width) - 1 : -1;
    return and_bits(e, LLVMBuildLShr(e->cx.builder, bits, first, ""), code_i64(&e->cx, all));
}

static void emit_look(Emit *e, void *data) {
    look_at_register(e, data);
}

// Counts the register's results, and looks at them where it must.
static void count_register(Emit *e, Look *look) {
    LLVMBuilderRef b = e->cx.builder;
    enum { BITS = 64 };
    census_add_counter(e, look->state, CENSUS_RESULTS, census_count_bits(e, look->counts));
    LLVMValueRef unused = LLVMBuildSub(b, code_i64(&e->cx, BITS), look->lanes, ""),
                 lanes = LLVMBuildLShr(b, code_i64(&e->cx, -1), unused, ""),
                 all = LLVMBuildICmp(b, LLVMIntEQ, look->counts, lanes, "");
    census_look_seldom(e, look->step, look->state, all, emit_look, look);
}

static void build_body(Emit *e, const CensusStep *of, const LLVMValueRef *parameters) {
    LLVMBuilderRef b = e->cx.builder;
    CensusStep step = *of;
    Look look = {.step = &step, .width = census_register_lanes(e, &step.layout), .state = parameters[STATE]};
    LLVMValueRef width = code_i64(&e->cx, look.width), more = code_i64(&e->cx, look.width - 1);
    LLVMValueRef registers = LLVMBuildUDiv(b, LLVMBuildAdd(b, parameters[LANES], more, ""), width, "");
    const CodeLoop loop = code_loop_open(&e->cx, registers);
    LLVMValueRef first = LLVMBuildMul(b, loop.index, width, "");
    LLVMValueRef left[2] = {LLVMBuildSub(b, parameters[LANES], first, ""), width};
    look.lanes = vector_intrinsic(&e->cx, "llvm.umin", left, 2);
    look.counts = later_bits(e, parameters[COUNTS], first, look.width);
    step.bits = load_register(e, step.format, parameters[ARRAYS], first, look.width);
    for (unsigned i = 0; i < step.operand_count; i++)
        step.operands[i] = load_register(e, step.formats[i], parameters[ARRAYS + 1 + i], first, look.width);
    see_register(e, &look, later_bits(e, parameters[FINITE], first, look.width));
    if (e->census.by_calls)
        count_register(e, &look);
    else
        look_at_register(e, &look);
    code_loop_close(&e->cx, &loop);
    LLVMBuildRetVoid(b);
}

static void set_attributes(Emit *e, LLVMValueRef function) {
    // Memory: the first two bits are of what arguments point to, which is read and written.
    static const struct {
        const char *name;
        uint64_t value;
    } attributes[] = {{"noinline", 0}, {"nounwind", 0}, {"willreturn", 0}, {"memory", 3}, {"cold", 0}};
    const size_t count = BASE_COUNT(attributes) - e->census.by_calls; // not cold then
    for (size_t i = 0; i < count; i++) {
        const unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i].name, strlen(attributes[i].name));
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(e->cx.context, kind, attributes[i].value));
    }
}

static const char *function_name(Emit *e, const CensusStep *step) {
    static const char *const own[] = {[CENSUS_OWN_ALL] = "",
                                      [CENSUS_OWN_NONE] = ".handed_on",
                                      [CENSUS_OWN_NOT_LARGEST] = ".not_largest",
                                      [CENSUS_OWN_GREATER] = ".greater"};
    const char *name = arena_format(e->arena, "congruent.%s.%s%s%s%s", e->census.by_calls ? "count" : "census",
                                    fpsan_format_info(step->format)->name, own[step->own], step->adds ? ".sum" : "",
                                    step->flushes ? ".flushed" : "");
    for (unsigned i = 0; i < step->operand_count; i++)
        name = arena_format(e->arena, "%s.%s", name, fpsan_format_info(step->formats[i])->name);
    return name;
}

// Spilled in whole registers: what is short of one is filled up with lane 0.
static LLVMValueRef spill(Emit *e, LLVMValueRef lanes, unsigned width, unsigned index) {
    LLVMValueRef order[64];
    const unsigned count = vector_lanes(lanes);
    if (!count && width > 1) lanes = vector_splat(e->cx.builder, lanes, width);
    if (count && count < width) {
        for (unsigned i = 0; i < width; i++) order[i] = code_i32(&e->cx, i < count ? (int32_t)i : 0);
        lanes = LLVMBuildShuffleVector(e->cx.builder, lanes, LLVMGetUndef(LLVMTypeOf(lanes)),
                                       LLVMConstVector(order, width), "");
    }
    return code_spill(&e->cx, lanes, index);
}

void census_look(Emit *e, const CensusStep *step, LLVMValueRef state, LLVMValueRef counts) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64), pointer = LLVMTypeOf(state), types[PARAMETERS];
    const unsigned lanes = vector_lanes(step->bits) ? vector_lanes(step->bits) : 1,
                   width = census_register_lanes(e, &step->layout), count = ARRAYS + 1 + step->operand_count;
    LLVMValueRef arguments[PARAMETERS] = {[STATE] = state,
                                          [FINITE] = census_mask_bits(e, step->finite, lanes),
                                          [COUNTS] = counts,
                                          [LANES] = code_i64(&e->cx, lanes),
                                          [ARRAYS] = spill(e, step->bits, width, 0)};
    for (unsigned i = 0; i < step->operand_count; i++)
        arguments[ARRAYS + 1 + i] = spill(e, step->operands[i], width, i + 1);
    for (unsigned i = 0; i < count; i++) types[i] = i == FINITE || i == COUNTS || i == LANES ? i64 : pointer;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), types, count, false);
    CodeShared shared;
    if (code_shared_open(&e->cx, function_name(e, step), type, &shared)) {
        LLVMValueRef parameters[PARAMETERS];
        LLVMGetParams(shared.function, parameters);
        build_body(e, step, parameters);
        code_shared_close(&e->cx, &shared);
    }
    set_attributes(e, shared.function);
    LLVMBuildCall2(e->cx.builder, type, shared.function, arguments, count, "");
}
