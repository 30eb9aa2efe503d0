// SPDX-License-Identifier: Apache-2.0
// How each op is computed: the cheapest implementation that meets its bound, or what its licences and keys say. The
// last decision, after all rewrites.
#include "compiler/implementation.h"
#include "compiler/rewrite/rewrite_internal.h"

#include <math.h>
#include <string.h>

static FpsanFormat format_of(const TirOp *op) {
    const TirFunction *function = tir_op_function(op);
    return tir_float_format(tir_tile_element_kind(function->module, tir_value_type(function, op->operands[0])));
}

// The op's rounding; nearest_even if it has none.
static uint64_t rounding_of(const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (unsigned i = 0; i < info->attribute_count; i++)
        if (!strcmp(info->attributes[i].name, "rounding") && op->attributes[i].present)
            return op->attributes[i].integer;
    return TIR_rounding_nearest_even;
}

static bool is_directed(uint64_t rounding) {
    return rounding == TIR_rounding_zero || rounding == TIR_rounding_negative_inf ||
           rounding == TIR_rounding_positive_inf;
}

// Whether all elements of the value are 1: of x / y that makes it a reciprocal.
static bool is_one(const TirFunction *function, TirValue value) {
    const TirOp *op = tir_value(function, value)->definition;
    while (op && (op->kind == TIR_OP_broadcast || op->kind == TIR_OP_reshape))
        op = tir_value(function, op->operands[0])->definition;
    if (!op || op->kind != TIR_OP_constant) return false;
    const TirType type = tir_value_type(function, tir_result(op, 0));
    const TirConstant *constant = &tir_attribute(op, "value")->constant;
    const FpsanFormat format = tir_float_format(tir_tile_element_kind(function->module, type));
    return format < FPSAN_FORMAT_COUNT && tir_constant_is_splat(function->module, type, constant) &&
           fpsan_decode(format, tir_constant_bits(function->module, type, constant, 0)) == 1;
}

// Whether the op is on constants alone, and such ops: LLVM folds what is exact, but no approximate instruction.
enum { CONSTANT_DEPTH_MAX = 8 };
static bool is_of_constants(const TirOp *op, unsigned depth) {
    const TirFunction *function = tir_op_function(op);
    if (op->kind == TIR_OP_constant) return true;
    if (depth == CONSTANT_DEPTH_MAX || !tir_op_info(op->kind)->pure || op->region_count || !op->operand_count)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const TirOp *operand = tir_value(function, op->operands[i])->definition;
        if (!operand || !is_of_constants(operand, depth + 1)) return false;
    }
    return true;
}

static ImplementationQuery query_of(const Rewriting *r, const TirOp *op) {
    const FpsanRule rule = tir_op_info(op->kind)->rule;
    return (ImplementationQuery){.rule = rule,
                                 .format = format_of(op),
                                 .gpu = r->request->gpu,
                                 .of_one = rule == FPSAN_RULE_DIV && is_one(tir_op_function(op), op->operands[0]),
                                 .approximate = op->math.mode != MATH_strict,
                                 .limit = op->math.max_error};
}

// What the op is called in messages about its bound: "'sin' of f32 cannot be within 0.5 ulp on sm_90".
static bool refuse_bound(const Rewriting *r, const TirOp *op, double best, const char *name) {
    Buffer bound = {0}, reached = {0};
    const char *target = r->request->gpu ? r->request->gpu : "processors";
    math_print_bound(op->math.max_error, &bound);
    math_print_bound(best, &reached);
    rewrite_fail(r, op, "'%s' of %s cannot be within %s ulp on %s: the best is %s (%s)",
                 tir_op_info(op->kind)->text_name, fpsan_format_info(format_of(op))->name, bound.data, target,
                 reached.data, name);
    buffer_free(&bound);
    buffer_free(&reached);
    return false;
}

static bool choose_by_bound(const Rewriting *r, TirOp *op) {
    const ImplementationQuery query = query_of(r, op);
    Implementation chosen;
    if (is_directed(rounding_of(op))) // which is what the op means; its error is below 1
        return op->math.max_error >= 1 || refuse_bound(r, op, 1, "its rounding is directed");
    if (!implementation_choose(&query, &chosen)) return refuse_bound(r, op, chosen.bound, chosen.name);
    op->math.implementation = (uint8_t)chosen.kind;
    return true;
}

// The key of libdevice that makes the rule approximate where it is 0.
static MathKey key_of(FpsanRule rule) {
    switch (rule) {
    case FPSAN_RULE_DIV: return MATH_KEY_PREC_DIV;
    case FPSAN_RULE_SQRT: return MATH_KEY_PREC_SQRT;
    case FPSAN_RULE_RSQRT: return MATH_KEY_PREC_RSQRT;
    case FPSAN_RULE_LOG:
    case FPSAN_RULE_LOG2: return MATH_KEY_PREC_LOG;
    default: return MATH_KEY_COUNT;
    }
}

// What the licences of the op come to.
static FloatImplementation by_licence(const TirOp *op, const ImplementationQuery *query) {
    const uint64_t rounding = rounding_of(op);
    const MathKey key = key_of(query->rule);
    const bool uses_words = math_modes[op->math.mode].approximates, division = query->rule == FPSAN_RULE_DIV,
               cleared = key < MATH_KEY_COUNT && query->format == FPSAN_F32 && op->math.cleared_keys >> key & 1;
    const FloatImplementation approximate = query->of_one ? FLOAT_RECIPROCAL : FLOAT_APPROXIMATED;
    if (is_directed(rounding)) return FLOAT_EXACT;
    if (op->math.flags & MATH_FLAG_afn || (uses_words && rounding == TIR_rounding_approx)) return approximate;
    // Of tanh `full` is what it is without a word.
    if (division && (cleared || (uses_words && rounding == TIR_rounding_full))) return FLOAT_FULL_RANGE_DIVISION;
    return cleared ? FLOAT_APPROXIMATED : FLOAT_EXACT;
}

static bool choose(const Rewriting *r, TirOp *op) {
    // A quotient of constants, as rewrites make them, costs nothing, and is correctly rounded.
    if (op->kind == TIR_OP_divf && !is_directed(rounding_of(op)) && is_of_constants(op, 0)) {
        op->math.implementation = FLOAT_EXACT;
        return true;
    }
    if (op->math.max_error) return choose_by_bound(r, op);
    const ImplementationQuery query = query_of(r, op);
    const FloatImplementation wanted = by_licence(op, &query);
    Implementation found;
    // What has no such implementation is exact: a licence is no order.
    const bool exists = implementation_of(query.rule, query.format, query.gpu, wanted, &found);
    op->math.implementation = (uint8_t)(exists ? wanted : FLOAT_EXACT);
    return true;
}

bool rewrite_choose(Rewriting *r) {
    for (uint32_t f = 0; f < r->module->function_count; f++) {
        const TirRegion *body = &r->module->functions[f].body;
        for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
            if (tir_op_info(op->kind)->rule != FPSAN_RULE_COUNT && !choose(r, op)) return false;
    }
    return true;
}

// ---- report ---------------------------------------------------------------------------------------------------------

// "k.py:12: sin f32: flags afn; ftz; sin.approx; no bound"
static void report_op(const Rewriting *r, const TirOp *op, Buffer *out) {
    const TirOpInfo *info = tir_op_info(op->kind);
    const FpsanFormat format = format_of(op);
    Implementation found = {.name = "exact", .bound = 0};
    const bool rule = info->rule != FPSAN_RULE_COUNT, ftz = rewrite_flushes(op);
    if (rule && format < FPSAN_FORMAT_COUNT)
        implementation_of(info->rule, format, r->request->gpu, (FloatImplementation)op->math.implementation, &found);
    buffer_print(out, "%s", op->at.file ? op->at.file : "?");
    if (op->at.line) buffer_print(out, ":%u", op->at.line);
    if (!op->at.line && op->at.has_offset) buffer_print(out, "+0x%llx", (unsigned long long)op->at.offset);
    buffer_print(out, ": %s %s: %s", info->text_name,
                 format < FPSAN_FORMAT_COUNT ? fpsan_format_info(format)->name : "of integers",
                 op->math.flags ? "" : "no flags");
    math_print_flags(op->math.flags, out);
    if (ftz) buffer_print(out, "; ftz");
    if (rule) {
        buffer_print(out, "; %s", found.name);
        if (isfinite(found.bound) && found.bound > 0) {
            buffer_print(out, ", within ");
            math_print_bound(found.bound, out);
            buffer_print(out, " ulp");
        } else if (!isfinite(found.bound)) {
            buffer_print(out, ", without a bound");
        }
    }
    if (op->math.max_error) {
        buffer_print(out, "; wanted ");
        math_print_bound(op->math.max_error, out);
    }
    buffer_print(out, "\n");
}

void rewrite_report(const Rewriting *r, Buffer *out) {
    for (uint32_t f = 0; f < r->module->function_count; f++) {
        const TirRegion *body = &r->module->functions[f].body;
        for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
            if (tir_op_info(op->kind)->licensed) report_op(r, op, out);
    }
}
