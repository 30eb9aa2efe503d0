// SPDX-License-Identifier: Apache-2.0
// Functions of the numeric `shadow` that kernels call by name (sanitizer/format/functions.def) and that are no rules:
// IEEE arithmetic, and beside it the law. A law that is a formula is that formula of rules, so that a kernel may write
// either: log1p(x) is log(1 + x). All others are hashes.
#include "compiler/numeric/shadow.h"

#include <assert.h>

// A function that is called. Operands and results below have all parts of `shadow`.
typedef struct Call {
    const NumericContext *cx;
    const FloatOp *op;
    const NumericValue *x; // the operands; integers are i32 lanes in parts[0]
    unsigned count;
    LLVMValueRef real; // in IEEE arithmetic
    bool refused;      // a rule was, with a diagnostic
} Call;

static FpsanFormat format_of(const Call *c) {
    return c->op->result;
}

static NumericValue apply(Call *c, FpsanRule rule, const NumericValue *a, const NumericValue *b) {
    const FloatOp op = float_rule(rule, format_of(c));
    const NumericValue operands[] = {*a, b ? *b : *a};
    NumericValue result = *a;
    if (!shadow_apply(c->cx, &op, operands, b ? 2 : 1, &result)) c->refused = true;
    return result;
}

// The constant in the lanes of the operands, as a literal of a kernel.
static NumericValue constant(const Call *c, double value) {
    const uint64_t bits = fpsan_encode(format_of(c), value, FPSAN_NEAREST_EVEN);
    NumericValue scalar = c->cx->numeric->constant(c->cx, format_of(c), bits);
    const unsigned lanes = vector_lanes(c->real);
    for (unsigned p = 0; lanes && p < c->cx->numeric->part_count; p++)
        if (!vector_lanes(scalar.parts[p])) scalar.parts[p] = vector_splat(c->cx->builder, scalar.parts[p], lanes);
    return scalar;
}

// ---- hashes ---------------------------------------------------------------------------------------------------------

static TowerValue payload_of(const Call *c, const TowerEmit *e, unsigned i) {
    if (c->op->function->parameters[i] == 'i') return tower_emit_integer(e, c->x[i].parts[0], true);
    return shadow_payload(&c->x[i]);
}

static NumericValue law_tag(Call *c) {
    const TowerEmit e = shadow_emit(c->cx);
    TowerValue x[FPSAN_FUNCTION_OPERANDS_MAX];
    for (unsigned i = 0; i < c->count; i++) x[i] = payload_of(c, &e, i);
    TowerValue tag = tower_emit_tag(&e, c->op->function->name, x, c->count);
    return shadow_value(c->real, &tag);
}

static NumericValue law_odd(Call *c) {
    TowerValue tag = shadow_odd_tag(c->cx, c->op->function->name, &c->x[0]);
    return shadow_value(c->real, &tag);
}

static NumericValue law_even(Call *c) {
    TowerValue x;
    const TowerEmit e = shadow_without_phases(c->cx, &c->x[0], &x);
    const TowerValue minus = tower_emit_neg(&e, &x);
    const TowerValue tags[] = {tower_emit_tag(&e, c->op->function->name, &x, 1),
                               tower_emit_tag(&e, c->op->function->name, &minus, 1)};
    TowerValue sum = tower_emit_add(&e, &tags[0], &tags[1]);
    return shadow_value(c->real, &sum);
}

// ---- what IEEE arithmetic decides -----------------------------------------------------------------------------------

static NumericValue law_trunc(Call *c) {
    return shadow_integer_part(c->cx, format_of(c), FPSAN_RULE_COUNT, &c->x[0], c->real);
}

// It is decided where x + 1/2 is an integer, and else as floor.
static NumericValue law_nearest(Call *c) {
    NumericValue half = constant(c, 0.5), moved = apply(c, FPSAN_RULE_ADD, &c->x[0], &half);
    return shadow_integer_part(c->cx, format_of(c), FPSAN_RULE_FLOOR, &moved, c->real);
}

static NumericValue law_remainder(Call *c) {
    return shadow_remainder(c->cx, format_of(c), c->x, c->real);
}

static LLVMValueRef same_bits(const Call *c, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildICmp(c->cx->builder, LLVMIntEQ, ieee_bits(c->cx, format_of(c), a),
                         ieee_bits(c->cx, format_of(c), b), "");
}

static NumericValue law_copysign(Call *c) {
    const TowerEmit e = shadow_emit(c->cx);
    LLVMValueRef kept = same_bits(c, c->real, c->x[0].parts[SHADOW_IEEE]);
    kept = shadow_decided(c->cx, format_of(c), &c->x[0], &c->x[1], kept);
    const TowerValue x = shadow_payload(&c->x[0]), minus = tower_emit_neg(&e, &x);
    TowerValue chosen = tower_emit_select(&e, kept, &x, &minus);
    return shadow_value(c->real, &chosen);
}

static NumericValue law_fdim(Call *c) {
    NumericValue zero = constant(c, 0), difference = apply(c, FPSAN_RULE_SUB, &c->x[0], &c->x[1]);
    return apply(c, FPSAN_RULE_MAX, &difference, &zero);
}

// ---- formulas -------------------------------------------------------------------------------------------------------

static NumericValue law_scale(Call *c) {
    NumericValue operands[] = {constant(c, 2), c->x[1]}, power = c->x[0];
    const FloatOp op = float_rule(FPSAN_RULE_POWI, format_of(c));
    if (!shadow_apply(c->cx, &op, operands, 2, &power)) c->refused = true;
    return apply(c, FPSAN_RULE_MUL, &c->x[0], &power);
}

static NumericValue law_log1p(Call *c) {
    NumericValue one = constant(c, 1), sum = apply(c, FPSAN_RULE_ADD, &one, &c->x[0]);
    return apply(c, FPSAN_RULE_LOG, &sum, NULL);
}

static NumericValue law_expm1(Call *c) {
    NumericValue one = constant(c, 1), power = apply(c, FPSAN_RULE_EXP, &c->x[0], NULL);
    return apply(c, FPSAN_RULE_SUB, &power, &one);
}

static NumericValue log2_of_10(Call *c) {
    NumericValue ten = constant(c, 10);
    return apply(c, FPSAN_RULE_LOG2, &ten, NULL);
}

static NumericValue law_log10(Call *c) {
    NumericValue logarithm = apply(c, FPSAN_RULE_LOG2, &c->x[0], NULL), base = log2_of_10(c);
    return apply(c, FPSAN_RULE_DIV, &logarithm, &base);
}

static NumericValue law_exp10(Call *c) {
    NumericValue base = log2_of_10(c), exponent = apply(c, FPSAN_RULE_MUL, &c->x[0], &base);
    return apply(c, FPSAN_RULE_EXP2, &exponent, NULL);
}

static NumericValue law_erfc(Call *c) {
    NumericValue one = constant(c, 1), erf = apply(c, FPSAN_RULE_ERF, &c->x[0], NULL);
    return apply(c, FPSAN_RULE_SUB, &one, &erf);
}

static NumericValue law_normcdf(Call *c) {
    NumericValue one = constant(c, 1), two = constant(c, 2), half = constant(c, 0.5);
    NumericValue root = apply(c, FPSAN_RULE_SQRT, &two, NULL), x = apply(c, FPSAN_RULE_DIV, &c->x[0], &root);
    NumericValue erf = apply(c, FPSAN_RULE_ERF, &x, NULL), sum = apply(c, FPSAN_RULE_ADD, &one, &erf);
    return apply(c, FPSAN_RULE_MUL, &sum, &half);
}

// As law_odd of cbrt.
static NumericValue law_rcbrt(Call *c) {
    TowerValue tag = shadow_odd_tag(c->cx, "cbrt", &c->x[0]);
    NumericValue one = constant(c, 1), root = shadow_value(c->x[0].parts[SHADOW_IEEE], &tag);
    return apply(c, FPSAN_RULE_DIV, &one, &root);
}

static NumericValue square_sum(Call *c) {
    NumericValue sum = apply(c, FPSAN_RULE_MUL, &c->x[0], &c->x[0]);
    for (unsigned i = 1; i < c->count; i++) {
        NumericValue square = apply(c, FPSAN_RULE_MUL, &c->x[i], &c->x[i]);
        sum = apply(c, FPSAN_RULE_ADD, &sum, &square);
    }
    return sum;
}

static NumericValue law_norm(Call *c) {
    NumericValue sum = square_sum(c);
    return apply(c, FPSAN_RULE_SQRT, &sum, NULL);
}

static NumericValue law_rnorm(Call *c) {
    NumericValue sum = square_sum(c);
    return apply(c, FPSAN_RULE_RSQRT, &sum, NULL);
}

// ---- all laws -------------------------------------------------------------------------------------------------------

typedef NumericValue Law(Call *c);
static Law *const laws[FPSAN_LAW_COUNT] = {
    [FPSAN_LAW_TAG] = law_tag,           [FPSAN_LAW_ODD] = law_odd,         [FPSAN_LAW_EVEN] = law_even,
    [FPSAN_LAW_TRUNC] = law_trunc,       [FPSAN_LAW_NEAREST] = law_nearest, [FPSAN_LAW_REMAINDER] = law_remainder,
    [FPSAN_LAW_COPYSIGN] = law_copysign, [FPSAN_LAW_FDIM] = law_fdim,       [FPSAN_LAW_SCALE] = law_scale,
    [FPSAN_LAW_LOG1P] = law_log1p,       [FPSAN_LAW_EXPM1] = law_expm1,     [FPSAN_LAW_LOG10] = law_log10,
    [FPSAN_LAW_EXP10] = law_exp10,       [FPSAN_LAW_ERFC] = law_erfc,       [FPSAN_LAW_NORMCDF] = law_normcdf,
    [FPSAN_LAW_RCBRT] = law_rcbrt,       [FPSAN_LAW_NORM] = law_norm,       [FPSAN_LAW_RNORM] = law_rnorm,
};

bool shadow_apply_function(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                           NumericValue *result) {
    const TowerEmit e = shadow_emit(cx);
    NumericValue x[FPSAN_FUNCTION_OPERANDS_MAX], real;
    TowerValue floats[FPSAN_FUNCTION_OPERANDS_MAX];
    unsigned float_count = 0;
    assert(count <= FPSAN_FUNCTION_OPERANDS_MAX && laws[op->function->law]);
    for (unsigned i = 0; i < count; i++) x[i] = (NumericValue){.parts = {operands[i].parts[0]}};
    if (!ieee_apply_function(cx, op, x, count, &real)) return false;
    for (unsigned i = 0; i < count; i++) {
        const bool is_float = op->function->parameters[i] == 'x';
        x[i] = is_float ? shadow_flushed(cx, op, &operands[i]) : operands[i];
        if (is_float) floats[float_count++] = shadow_payload(&operands[i]);
    }
    Call call = {.cx = cx, .op = op, .x = x, .count = count, .real = real.parts[0]};
    const NumericValue made = laws[op->function->law](&call);
    if (call.refused) return false;
    TowerValue payload = shadow_payload(&made);
    payload = tower_emit_poisoned(&e, floats, float_count, &payload);
    *result = shadow_value(call.real, &payload);
    *result = shadow_rounded_to(cx, FPSAN_F32, op->result, result);
    return true;
}
