// SPDX-License-Identifier: Apache-2.0
// The range census: code that counts (KernelCensusState). Most floats are normal numbers between two that were counted
// before, and sums that lost no more bits than one before: of these it is enough to say how many they are. Two
// comparisons find the others. Of them some are larger than all that the op made by itself, as those that are made of
// masks are in each step: whether it hands these on is asked, too. Functions look at the rest (census_look.c). Where
// floats have records, other code takes longer than a call: there functions ask all of it.
#include "compiler/lower/census_internal.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// ---- sites ----------------------------------------------------------------------------------------------------------

bool census_open(Emit *e) {
    EmitCensus *census = &e->census;
    if (!e->options->census || e->function->memory_bytes) return true; // what parts count has no place
    if (e->options->gpu) return emit_fail(e, E_UNSUPPORTED, "the range census is for processors, not for GPUs");
    if (e->cx.numeric->prints_payloads)
        return emit_fail(e, E_UNSUPPORTED, "the range census is of numbers, and payloads are none");
    census->on = true;
    census->by_calls = e->cx.numeric->has_records;
    census->site_of = arena_array(e->arena, uint32_t, e->function->value_count + 1u);
    census->loads = arena_array(e->arena, const struct CensusLoad *, e->function->value_count + 1u);
    census->bounded = arena_array(e->arena, bool, e->function->value_count + 1u);
    census->masked = arena_array(e->arena, const struct CensusMasked *, e->function->value_count + 1u);
    LLVMPositionBuilderAtEnd(e->cx.builder, e->cx.entry_block);
    if (!census_open_masks(e)) return false;
    census_find_bounded(e);
    census->base = code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), e->target->scratch(e), code_i64(&e->cx, 64));
    return true;
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
    census->results[*count] = census->by_calls ? NULL : census_open_slot(e);
    *site = ++*count;
    return *site - 1;
}

// ---- the state of a site --------------------------------------------------------------------------------------------

static LLVMValueRef state_of(Emit *e, uint32_t site) {
    return census_field_at(e, e->census.base, site * sizeof(KernelCensusState));
}

// At each end of the kernel.
static void add_results(Emit *e) {
    for (uint32_t s = 0; s < e->kernel->census_site_count; s++) {
        LLVMValueRef made = code_load(&e->cx, code_integer_type(&e->cx, 64), e->census.results[s], 8);
        census_add_counter(e, state_of(e, s), CENSUS_RESULTS, made);
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
        if (!census->by_calls) add_results(e);
    }
    kernel->census_offset = (kernel->scratch_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    LLVMSetOperand(census->base, 1, code_i64(&e->cx, (int64_t)kernel->census_offset));
    kernel->census_sites = census->sites ? census->sites : arena_array(e->arena, KernelCensusSite, 1);
    kernel->scratch_bytes = kernel->census_offset + kernel->census_site_count * sizeof(KernelCensusState);
}

// ---- what need not be looked at -------------------------------------------------------------------------------------

// What one evaluation of an op gives to count.
typedef struct Seen {
    CensusStep step;
    LLVMValueRef magnitude;
    CensusMask mask;        // which lanes count,
    LLVMValueRef specified; // and of these
} Seen;

// Lanes where a sum may have lost more than any before: the exponent of the larger term, whose fraction is 0, is
// greater than the result and what was lost. `but`: as census_is_beyond.
static LLVMValueRef has_lost_more(Emit *e, const Seen *seen, LLVMValueRef state, LLVMValueRef but) {
    LLVMBuilderRef b = e->cx.builder;
    const CensusLayout *layout = &seen->step.layout;
    CensusTerms terms;
    census_open_terms(e, layout, seen->step.operand_count, seen->step.operands, &terms);
    LLVMValueRef result = seen->magnitude;
    if (terms.above) result = LLVMBuildAdd(b, result, terms.above, "");
    // Of normal results the difference is in the range of signed integers: beyond it, the sum would overflow.
    LLVMValueRef lost = LLVMBuildSub(b, census_greater(e, terms.exponents[0], terms.exponents[1]), result, "");
    if (but) lost = LLVMBuildSelect(b, census_is_zero(e, but), LLVMConstNull(LLVMTypeOf(lost)), lost, "");
    lost = census_combine(e, layout, lost, "llvm.smax");
    LLVMValueRef most = census_load_field(e, layout, state, offsetof(KernelCensusState, lost));
    return LLVMBuildICmp(b, LLVMIntSGT, lost, vector_splat(b, most, vector_lanes(lost)), "");
}

// Code for where `condition` (i1) holds, which is seldom.
static CodeGuard open_seldom(Emit *e, LLVMValueRef condition) {
    const CodeGuard guard = code_guard_open(&e->cx, condition);
    code_set_odds(&e->cx, LLVMGetBasicBlockTerminator(guard.before), 1, 4096);
    return guard;
}

static unsigned lanes_of(const Seen *seen) {
    return vector_lanes(seen->magnitude) ? vector_lanes(seen->magnitude) : 1;
}

static void count_results(Emit *e, uint32_t site, LLVMValueRef lanes) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef slot = e->census.results[site], made = code_load(&e->cx, i64, slot, 8);
    code_store(&e->cx, LLVMBuildAdd(e->cx.builder, made, lanes, ""), slot, 8);
}

// Lanes of unspecified floats, in as many lanes as a register has. NULL: there are none.
static LLVMValueRef is_unspecified(Emit *e, const Seen *seen) {
    if (!seen->specified) return NULL;
    return census_combine(e, &seen->step.layout, LLVMBuildNot(e->cx.builder, seen->specified, ""), NULL);
}

static LLVMValueRef or_lanes(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return a && b ? LLVMBuildOr(e->cx.builder, a, b, "") : a ? a : b;
}

// Lanes to look at whatever their magnitudes are, in as many lanes as a register has. NULL: there are none.
static LLVMValueRef is_odd(Emit *e, const Seen *seen, LLVMValueRef state, LLVMValueRef but) {
    return or_lanes(e, seen->step.adds ? has_lost_more(e, seen, state, but) : NULL, is_unspecified(e, seen));
}

// The bits of a number that are 0 where it is; a NaN has the magnitude 0 in some formats.
static LLVMValueRef zero_bits(Emit *e, const CensusLayout *layout, LLVMValueRef bits) {
    return layout->nan ? bits : census_magnitude(e, layout, bits);
}

// 0 where a result is zero that nobody need look at: a sum is so where all its terms are.
static LLVMValueRef zero_of_zeros(Emit *e, const Seen *seen) {
    LLVMBuilderRef b = e->cx.builder;
    const CensusStep *step = &seen->step;
    LLVMValueRef terms[3], result = zero_bits(e, &step->layout, step->bits);
    if (!step->adds) return result;
    for (unsigned i = 0; i < step->operand_count; i++) terms[i] = zero_bits(e, &step->layout, step->operands[i]);
    if (step->operand_count == 3) {
        terms[0] = vector_intrinsic(&e->cx, "llvm.umin", terms, 2);
        terms[1] = terms[2];
    }
    return LLVMBuildOr(b, LLVMBuildOr(b, terms[0], terms[1], ""), result, "");
}

// Lanes that are not in the span of the state.
static LLVMValueRef is_beyond(Emit *e, const Seen *seen, LLVMValueRef state, size_t span, LLVMValueRef but) {
    return census_is_beyond(e, &seen->step.layout, state, span, seen->magnitude, but);
}

// i1: whether one of the lanes, or not all of them, is to be looked at.
static LLVMValueRef is_any(Emit *e, const Seen *seen, LLVMValueRef lanes) {
    LLVMValueRef any = census_is_any(e, lanes), all = seen->mask.all;
    return all ? LLVMBuildOr(e->cx.builder, any, LLVMBuildNot(e->cx.builder, all, ""), "") : any;
}

static void look(Emit *e, const Seen *seen, LLVMValueRef state) {
    LLVMValueRef counts = census_and(e, seen->mask.lanes, seen->specified);
    census_look(e, &seen->step, state, census_mask_bits(e, counts, lanes_of(seen)));
}

// Where something is beyond what is the op's own: whether it is beyond all that was seen, or larger and its own, too.
// Sums of zeros are passed by only here: that takes longer than the rest.
static LLVMValueRef is_beyond_or_own(Emit *e, const Seen *seen, LLVMValueRef state) {
    const CensusStep *step = &seen->step;
    LLVMValueRef but = zero_of_zeros(e, seen), own = census_is_own(e, step, state, seen->magnitude);
    LLVMValueRef lanes = or_lanes(e, is_odd(e, seen, state, but), census_combine(e, &step->layout, own, NULL));
    return is_any(e, seen, or_lanes(e, lanes, is_beyond(e, seen, state, offsetof(KernelCensusState, span), but)));
}

// Opens code for where a step is to be looked at; what it has opened is closed from the last to the first.
typedef struct LookGuards {
    CodeGuard guards[2];
    unsigned count;
} LookGuards;

static void open_look(Emit *e, const Seen *seen, LLVMValueRef state, LookGuards *opened) {
    LLVMValueRef but = seen->step.adds ? NULL : zero_of_zeros(e, seen), odd = is_odd(e, seen, state, NULL),
                 beyond = is_beyond(e, seen, state, offsetof(KernelCensusState, own_span), but);
    *opened = (LookGuards){.count = 1};
    opened->guards[0] = open_seldom(e, is_any(e, seen, or_lanes(e, odd, beyond)));
    if (seen->step.own != CENSUS_OWN_GREATER && seen->step.own != CENSUS_OWN_NOT_LARGEST) return;
    opened->guards[opened->count++] = open_seldom(e, is_beyond_or_own(e, seen, state));
}

static void close_look(Emit *e, const LookGuards *opened) {
    for (unsigned i = opened->count; i-- > 0;) code_guard_close(&e->cx, &opened->guards[i], 0, NULL);
}

void census_look_seldom(Emit *e, const CensusStep *step, LLVMValueRef state, LLVMValueRef all,
                        void (*look_at)(Emit *e, void *data), void *data) {
    const Seen seen = {*step, census_magnitude(e, &step->layout, step->bits), {.all = all}, NULL};
    LookGuards opened;
    open_look(e, &seen, state, &opened);
    look_at(e, data);
    close_look(e, &opened);
}

static void count_by_call(Emit *e, uint32_t site, const Seen *seen) {
    CodeGuard guard = {0};
    if (seen->mask.scalar) guard = code_guard_open(&e->cx, seen->mask.scalar);
    look(e, seen, state_of(e, site));
    if (seen->mask.scalar) code_guard_close(&e->cx, &guard, 0, NULL);
}

// All lanes of a step count first, and in each, so that loops need not count.
static void count_in_line(Emit *e, uint32_t site, const Seen *seen) {
    LLVMBuilderRef b = e->cx.builder;
    LLVMValueRef scalar = seen->mask.scalar, state = state_of(e, site);
    LLVMValueRef results = code_i64(&e->cx, lanes_of(seen));
    LLVMBasicBlockRef none = NULL, join = NULL;
    count_results(e, site, results);
    if (scalar) {
        LLVMBasicBlockRef some = code_block(&e->cx, "census.some");
        none = code_block(&e->cx, "census.none"), join = code_block(&e->cx, "census.join");
        LLVMBuildCondBr(b, scalar, some, none);
        LLVMPositionBuilderAtEnd(b, some);
    }
    LookGuards opened;
    open_look(e, seen, state, &opened);
    look(e, seen, state);
    close_look(e, &opened);
    if (!scalar) return;
    LLVMBuildBr(b, join);
    LLVMPositionBuilderAtEnd(b, none);
    census_add_counter(e, state, CENSUS_RESULTS, LLVMBuildNeg(b, results, ""));
    LLVMBuildBr(b, join);
    LLVMPositionBuilderAtEnd(b, join);
}

static void count(Emit *e, uint32_t site, const Seen *seen) {
    if (e->census.by_calls)
        count_by_call(e, site, seen);
    else
        count_in_line(e, site, seen);
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

// Lanes that somebody specified. NULL: all.
static LLVMValueRef specified(Emit *e, const NumericValue *value) {
    if (!e->cx.poison || !e->cx.numeric->marks) return NULL;
    LLVMValueRef marks = e->cx.numeric->marks(&e->cx, value);
    return LLVMBuildNot(e->cx.builder, numeric_has_mark(&e->cx, marks, NUMERIC_MARK_POISON), "");
}

// False: of such floats nothing is counted.
static bool see_result(Emit *e, FpsanFormat format, const NumericValue *result, CensusMask mask, Seen *seen) {
    CensusStep *step = &seen->step;
    *seen = (Seen){.step.format = format};
    if (!census_layout(format, &step->layout)) return false;
    step->bits = census_bits(e, &step->layout, result);
    seen->magnitude = census_magnitude(e, &step->layout, step->bits);
    seen->mask = mask;
    if (mask.scalar && LLVMIsConstant(mask.scalar) && !LLVMIsNull(mask.scalar)) seen->mask.scalar = NULL;
    if (mask.lanes && vector_lanes(mask.lanes) != vector_lanes(step->bits)) // all of them count
        seen->mask.lanes = seen->mask.all = NULL;
    seen->specified = specified(e, result);
    return true;
}

static void see_operands(Emit *e, const TirOp *op, const NumericValue *operands, CensusStep *step) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const EmitElement element = emit_element(e, emit_type_of(e, op->operands[i]));
        CensusLayout layout;
        if (!element.is_float || !census_layout(element.format, &layout)) continue;
        step->formats[step->operand_count] = element.format;
        step->operands[step->operand_count++] = census_bits(e, &layout, &operands[i]);
    }
}

static bool has_all_numbers_of(FpsanFormat to, FpsanFormat from) {
    const FpsanFormatInfo *a = fpsan_format_info(to), *b = fpsan_format_info(from);
    return a->exponent_bits >= b->exponent_bits && a->mantissa_bits >= b->mantissa_bits && a->specials == b->specials;
}

// An op does not make what it hands on of its operands, as the sum of a mask and a score does.
static CensusOwn own_of(Emit *e, const TirOp *op, FpsanFormat format) {
    CensusOwn own = CENSUS_OWN_ALL;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const EmitElement element = emit_element(e, emit_type_of(e, op->operands[i]));
        if (!element.is_float) continue;
        own = CENSUS_OWN_GREATER;
        if (element.format != format)
            return has_all_numbers_of(format, element.format) ? CENSUS_OWN_NONE : CENSUS_OWN_NOT_LARGEST;
    }
    return own;
}

// Whether all lanes are known, and none is larger than 1.
static bool is_at_most_one(Emit *e, const CensusLayout *layout, LLVMValueRef bits, FpsanFormat format) {
    if (!LLVMIsConstant(bits)) return false;
    LLVMValueRef one = census_like(layout, bits, fpsan_encode_nearest(format, 1));
    LLVMValueRef more = LLVMBuildICmp(e->cx.builder, LLVMIntUGT, census_magnitude(e, layout, bits), one, "");
    return LLVMIsConstant(more) && LLVMIsNull(more);
}

// An op of which no result is larger than its operands: it need not be asked which are.
static bool makes_none(Emit *e, const TirOp *op, const CensusStep *step) {
    const FpsanRule rule = tir_op_info(op->kind)->rule;
    if (rule == FPSAN_RULE_TANH) return true;
    for (unsigned i = 0; rule == FPSAN_RULE_MUL && i < step->operand_count; i++)
        if (is_at_most_one(e, &step->layout, step->operands[i], step->format)) return true;
    return false;
}

CensusMask census_set_mask(Emit *e, CensusMask mask) {
    const CensusMask before = e->census.mask;
    e->census.mask = mask;
    return before;
}

void census_element(Emit *e, const TirOp *op, const NumericValue *operands, const NumericValue *result) {
    const EmitElement element = emit_element(e, emit_type_of(e, tir_result(op, 0)));
    Seen seen;
    if (!e->census.on || !element.is_float || !makes_floats(op) ||
        !see_result(e, element.format, result, e->census.mask, &seen))
        return;
    see_operands(e, op, operands, &seen.step);
    seen.step.own = own_of(e, op, element.format);
    if (seen.step.own == CENSUS_OWN_GREATER && makes_none(e, op, &seen.step)) seen.step.own = CENSUS_OWN_NONE;
    seen.step.adds = is_addition(op);
    seen.step.flushes = op->math.flush && seen.step.layout.lane_bits == 32;
    count(e, find_site(e, op, element.format, seen.step.adds), &seen);
}

// ---- what if --------------------------------------------------------------------------------------------------------

static bool is_same_text(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

static bool is_replaced(const Emit *e) {
    const CompileReplaced *what = e->options->replaced;
    const Location *at = &e->cx.at;
    return what && e->census.on && is_same_text(what->kernel, e->function->name) &&
           is_same_text(what->op, e->cx.op_name) && is_same_text(what->at.file, at->file) &&
           what->at.line == at->line && what->at.column == at->column && what->at.offset == at->offset;
}

// The bits of a number where it is finite, or made of what is not; else those of 1. NULL: all numbers of the format are
// finite. `operands`: where they are finite; NULL: everywhere.
static LLVMValueRef finite_or_one(Emit *e, const Seen *seen, LLVMValueRef operands) {
    LLVMBuilderRef b = e->cx.builder;
    const CensusStep *step = &seen->step;
    LLVMValueRef finite = census_is_finite(e, &step->layout, step->bits, seen->magnitude);
    if (!finite) return NULL;
    LLVMValueRef made = census_and(e, LLVMBuildNot(b, finite, ""), operands);
    LLVMValueRef one = census_like(&step->layout, step->bits, fpsan_encode_nearest(step->format, 1));
    return LLVMBuildSelect(b, made, one, step->bits, "");
}

void census_replace(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    const EmitElement element = emit_element(e, emit_type_of(e, tir_result(op, 0)));
    Seen seen;
    if (!is_replaced(e) || !element.is_float || !makes_floats(op) ||
        !see_result(e, element.format, result, (CensusMask){0}, &seen))
        return;
    see_operands(e, op, operands, &seen.step);
    LLVMValueRef bits = finite_or_one(e, &seen, census_finite_operands(e, &seen.step));
    if (bits) result->parts[0] = LLVMBuildBitCast(e->cx.builder, bits, LLVMTypeOf(result->parts[0]), "");
}

// ---- dots -----------------------------------------------------------------------------------------------------------

LLVMValueRef census_open_operands(Emit *e) {
    if (!e->census.on) return NULL;
    LLVMValueRef seen = code_alloca(&e->cx, code_integer_type(&e->cx, 64), "census.operands");
    code_store(&e->cx, code_i64(&e->cx, 0), seen, 8);
    return seen;
}

void census_see_lanes(Emit *e, LLVMValueRef seen, FpsanFormat format, const NumericValue *lanes) {
    CensusLayout layout;
    if (!seen || !census_layout(format, &layout)) return;
    LLVMValueRef bits = census_bits(e, &layout, lanes),
                 finite = census_is_finite(e, &layout, bits, census_magnitude(e, &layout, bits));
    if (!finite) return;
    const unsigned count = vector_lanes(finite) ? vector_lanes(finite) : 1;
    census_add(e, seen, census_count_bits(e, census_mask_bits(e, LLVMBuildNot(e->cx.builder, finite, ""), count)));
}

// A nest over a tile in memory, with its lanes.
static void open_tile(Emit *e, EmitElement element, const EmitVal *tile, bool writes, Nest *nest, const TileMap *map) {
    const TileMap at = map_compose(map, &tile->layout);
    for (unsigned p = 0; p < element.parts; p++)
        nest_need_memory(nest, code_type_bits(emit_memory_type(e, element, p)), &at);
    nest_touch(nest, EMIT_TILES, writes ? EMIT_TILES : 0);
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
    open_tile(e, element, tile, false, &nest, &map);
    nest_eval_tile(e, &nest, tile, element, &map, &lanes);
    census_see_lanes(e, seen, element.format, &lanes);
    nest_close(e, &nest);
}

bool census_result(Emit *e, const TirOp *op, LLVMValueRef operands, const EmitVal *result) {
    const TirValue value = tir_result(op, 0);
    const EmitElement element = emit_element(e, emit_type_of(e, value));
    Seen seen;
    CensusLayout layout;
    NumericValue lanes;
    if (!operands || !census_layout(element.format, &layout)) return true;
    const bool replaced = is_replaced(e);
    LLVMValueRef wrong = code_load(&e->cx, code_integer_type(&e->cx, 64), operands, 8);
    LLVMValueRef finite = LLVMBuildICmp(e->cx.builder, LLVMIntEQ, wrong, code_i64(&e->cx, 0), "");
    Nest nest;
    const TileMap map = map_identity(emit_tile_bits(e, emit_type_of(e, value)));
    nest_init(&nest, map.bits);
    census_need(e, &nest, value, &map);
    open_tile(e, element, result, replaced, &nest, &map);
    nest_eval_tile(e, &nest, result, element, &map, &lanes);
    see_result(e, element.format, &lanes, census_mask(e, &nest, value, &map), &seen);
    seen.step.finite = finite;
    seen.step.own = CENSUS_OWN_NOT_LARGEST; // its third tile may be a mask
    count(e, find_site(e, op, element.format, false), &seen);
    finite = vector_splat(e->cx.builder, finite, vector_lanes(seen.step.bits));
    LLVMValueRef number = replaced ? finite_or_one(e, &seen, finite) : NULL;
    if (number) {
        const TileMap at = map_compose(&map, &result->layout);
        LLVMTypeRef type = emit_memory_type(e, element, 0);
        number = LLVMBuildBitCast(e->cx.builder, number, vector_type_like(type, number), "");
        nest_store(e, &nest, type, result->value.parts[0], &at, number);
    }
    nest_close(e, &nest);
    return true;
}
