// SPDX-License-Identifier: Apache-2.0
// Arithmetic and functions of the numeric `shadow`: IEEE arithmetic, and beside it the rule of the tower.
#include "compiler/numeric/shadow.h"

// What a rule of the tower is given.
typedef struct ShadowCall {
    const NumericContext *cx;
    TowerEmit e;
    FpsanRule rule;
    FpsanFormat format;
    const NumericValue *operands;
    unsigned count;
    bool below_zero;     // FloatOp
    TowerValue x[3];     // the operands' payloads
    TowerIeee ieee;      // the bits of the first two operands
    LLVMValueRef result; // in IEEE arithmetic
} ShadowCall;
typedef NumericValue ShadowRule(const ShadowCall *call);

static NumericValue with_result(const ShadowCall *call, TowerValue payload) {
    return shadow_value(call->result, &payload);
}

#define UNARY(rule)                                                                                                    \
    static NumericValue rule_##rule(const ShadowCall *c) {                                                             \
        return with_result(c, tower_emit_##rule(&c->e, &c->x[0]));                                                     \
    }
#define BINARY(rule)                                                                                                   \
    static NumericValue rule_##rule(const ShadowCall *c) {                                                             \
        return with_result(c, tower_emit_##rule(&c->e, &c->x[0], &c->x[1]));                                           \
    }
#define BINARY_IEEE(rule)                                                                                              \
    static NumericValue rule_##rule(const ShadowCall *c) {                                                             \
        return with_result(c, tower_emit_##rule(&c->e, &c->x[0], &c->x[1], &c->ieee));                                 \
    }
UNARY(neg)
UNARY(log2)
UNARY(log)
UNARY(sqrt)
UNARY(rsqrt)
UNARY(tanh)
UNARY(sinh)
UNARY(cosh)
UNARY(sin)
UNARY(cos)
UNARY(tan)
BINARY(add)
BINARY(sub)
BINARY_IEEE(mul)
BINARY_IEEE(div)

// Results that are 0 as numbers, of payloads that are not -inf, are marked; which of them are 0 the compilation says.
typedef TowerValue EmitExponential(const TowerEmit *e, const TowerValue *a, const TowerIeee *ieee);
static NumericValue exponential(const ShadowCall *c, EmitExponential *emit) {
    LLVMBuilderRef b = c->cx->builder;
    TowerValue power = emit(&c->e, &c->x[0], c->cx->masks == TOWER_MASKS_BELOW ? &c->ieee : NULL);
    LLVMValueRef bits = ieee_bits(c->cx, c->format, c->result), state = c->x[0].state;
    LLVMValueRef kind = LLVMBuildAnd(b, state, vector_integer_like(state, 32, TOWER_KIND), "");
    LLVMValueRef vanishes = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntEQ, bits, LLVMConstNull(LLVMTypeOf(bits)), ""),
                                         LLVMBuildICmp(b, LLVMIntEQ, kind, LLVMConstNull(LLVMTypeOf(kind)), ""), "");
    if (c->cx->masks == TOWER_MASKS_VANISHED) {
        TowerValue zero = tower_emit_constant(&c->e, c->e.tower->zero, c->result);
        zero.state = LLVMBuildAnd(b, state, vector_integer_like(state, 32, tower_carried(c->e.tower)), "");
        power = tower_emit_select(&c->e, vanishes, &zero, &power);
    }
    return with_result(c, tower_emit_mark(&c->e, &power, TOWER_VANISHED, vanishes));
}

static NumericValue rule_exp(const ShadowCall *c) {
    return exponential(c, tower_emit_exp);
}

static NumericValue rule_exp2(const ShadowCall *c) {
    return exponential(c, tower_emit_exp2);
}

static NumericValue rule_fma(const ShadowCall *c) {
    return with_result(c, tower_emit_fma(&c->e, &c->x[0], &c->x[1], &c->x[2], &c->ieee));
}

// For degrees (emit_tower_degree.c): twice the magnitude, rounded up, that the exponent may have as a payload, which of
// a constant is that of its number.
static LLVMValueRef double_magnitude(const ShadowCall *c, LLVMValueRef exponent) {
    const double limit = 1 << 26; // beyond it: any degree
    const uint32_t most_of_all = 2 * TOWER_INTEGER_MAX;
    if (!LLVMIsConstant(exponent)) return vector_integer_like(exponent, 32, most_of_all);
    LLVMBuilderRef b = c->cx->builder;
    LLVMValueRef y = ieee_to_double(c->cx, c->format, exponent), size = vector_intrinsic(c->cx, "llvm.fabs", &y, 1);
    size = LLVMBuildFAdd(b, size, size, "");
    size = vector_intrinsic(c->cx, "llvm.ceil", &size, 1);
    LLVMTypeRef real = vector_element(LLVMTypeOf(size));
    LLVMValueRef most = vector_real_like(size, real, limit);
    LLVMValueRef bounded = LLVMBuildFCmp(b, LLVMRealOLE, size, most, ""); // false for NaN
    LLVMTypeRef word = vector_type_like(LLVMInt32TypeInContext(c->cx->context), size);
    LLVMValueRef k = LLVMBuildFPToUI(b, LLVMBuildSelect(b, bounded, size, most, ""), word, "");
    return LLVMBuildSelect(b, bounded, k, vector_integer_like(k, 32, TOWER_DEGREE_MAX), "");
}

static NumericValue rule_pow(const ShadowCall *c) {
    if (c->e.tower->degrees)
        return with_result(c, tower_emit_degree_power(&c->e, &c->x[0], &c->x[1],
                                                      double_magnitude(c, c->operands[1].parts[SHADOW_IEEE])));
    TowerIeee power = {c->format, ieee_bits(c->cx, c->format, c->result), NULL};
    return with_result(c, tower_emit_pow(&c->e, &c->x[0], &c->x[1], &power));
}

static NumericValue rule_powi(const ShadowCall *c) {
    LLVMValueRef n = c->operands[1].parts[0];
    if (c->e.tower->degrees) {
        LLVMTypeRef word = vector_type_like(LLVMInt32TypeInContext(c->cx->context), n);
        n = LLVMBuildSExtOrBitCast(c->cx->builder, n, word, "");
        const TowerValue exponent = tower_emit_integer(&c->e, n, true);
        LLVMValueRef minus = LLVMBuildNeg(c->cx->builder, n, "");
        LLVMValueRef is_negative = LLVMBuildICmp(c->cx->builder, LLVMIntSLT, n, vector_integer_like(n, 32, 0), "");
        n = LLVMBuildSelect(c->cx->builder, is_negative, minus, n, "");
        return with_result(c, tower_emit_degree_power(&c->e, &c->x[0], &exponent, n));
    }
    return with_result(c, tower_emit_powi(&c->e, &c->x[0], c->operands[1].parts[0]));
}

static NumericValue rule_tag(const ShadowCall *c) {
    return with_result(c, tower_emit_tag(&c->e, fpsan_rule_info(c->rule)->name, c->x, c->count));
}

static TowerValue odd_tag(const TowerEmit *e, const char *name, const TowerValue *x) {
    const TowerValue minus = tower_emit_neg(e, x);
    const TowerValue tags[] = {tower_emit_tag(e, name, x, 1), tower_emit_tag(e, name, &minus, 1)};
    return tower_emit_sub(e, &tags[0], &tags[1]);
}

TowerEmit shadow_without_phases(const NumericContext *cx, const NumericValue *value, TowerValue *payload) {
    TowerEmit e = shadow_emit(cx);
    *payload = shadow_payload(value);
    if (!cx->tower->plain) return e;
    e = tower_plain_emit(&e);
    *payload = tower_emit_unsigned(&e, payload);
    return e;
}

TowerValue shadow_odd_tag(const NumericContext *cx, const char *name, const NumericValue *x) {
    TowerValue payload;
    const TowerEmit e = shadow_without_phases(cx, x, &payload);
    return odd_tag(&e, name, &payload);
}

static NumericValue rule_odd_tag(const ShadowCall *c) {
    return with_result(c, odd_tag(&c->e, fpsan_rule_info(c->rule)->name, &c->x[0]));
}

// Negated where IEEE negated; with below_zero only where the operand is less than 0, as select(x < 0, -x, x) does: not
// where it is -0 or NaN.
static NumericValue rule_abs(const ShadowCall *c) {
    LLVMBuilderRef b = c->cx->builder;
    LLVMValueRef before = c->ieee.a, after = ieee_bits(c->cx, c->format, c->result);
    LLVMValueRef kept = LLVMBuildICmp(b, LLVMIntEQ, before, after, "");
    if (c->below_zero) {
        const LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, after, LLVMConstNull(LLVMTypeOf(after)), "");
        kept = LLVMBuildOr(
            b, kept, LLVMBuildOr(b, is_zero, ieee_is_nan(c->cx, c->format, c->operands[0].parts[SHADOW_IEEE]), ""), "");
    }
    kept = shadow_decided(c->cx, c->format, &c->operands[0], &c->operands[0], kept);
    TowerValue negated = tower_emit_neg(&c->e, &c->x[0]);
    return with_result(c, tower_emit_select(&c->e, kept, &c->x[0], &negated));
}

// The payload of what IEEE chose: of the operand with the result's bits, of a NaN where the result is one.
static NumericValue rule_extreme(const ShadowCall *c) {
    LLVMBuilderRef b = c->cx->builder;
    LLVMValueRef bits = ieee_bits(c->cx, c->format, c->result), nan = ieee_is_nan(c->cx, c->format, c->result), is[2];
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, bits, ieee_bits(c->cx, c->format, c->operands[i].parts[0]), "");
        LLVMValueRef both_nan =
            LLVMBuildAnd(b, nan, ieee_is_nan(c->cx, c->format, c->operands[i].parts[SHADOW_IEEE]), "");
        is[i] = LLVMBuildOr(b, same, both_nan, "");
    }
    return shadow_choose(c->cx, c->format, c->result, is[0], is[1], &c->operands[0], &c->operands[1]);
}

// The image of the IEEE result, which remembers that the payload was lost, and what the operand remembers.
NumericValue shadow_integer_part(const NumericContext *cx, FpsanFormat format, FpsanRule rule,
                                 const NumericValue *operand, LLVMValueRef real) {
    LLVMBuilderRef b = cx->builder;
    TowerValue x;
    const TowerEmit e = shadow_without_phases(cx, operand, &x);
    LLVMValueRef bits = ieee_bits(cx, format, real);
    LLVMValueRef decided = shadow_decided(cx, format, operand, operand, bits);
    if (decided != bits) real = numeric_ieee.from_bits(cx, format, bits = decided).parts[0];
    TowerValue image = tower_emit_embed(&e, format, bits);
    LLVMValueRef carried = LLVMBuildAnd(b, x.state, vector_integer_like(x.state, 32, tower_carried(e.tower)), "");
    image.state = LLVMBuildOr(b, image.state, carried, "");
    LLVMValueRef marks = shadow_near_integer(cx, format, rule, operand);
    if (cx->flips) {
        marks = shadow_follow(cx, format, operand, marks);
        NumericValue zero = {.parts = {vector_integer_like(marks, 32, 0), marks}};
        TowerValue step = tower_emit_integer(&e, shadow_flipped(cx, &zero), true);
        image = tower_emit_add(&e, &image, &step);
    }
    NumericValue result = shadow_value(real, &image);
    return shadow_mark(cx, &result, marks);
}

static NumericValue rule_floor(const ShadowCall *c) {
    return shadow_integer_part(c->cx, c->format, c->rule, &c->operands[0], c->result);
}

// The IEEE quotient q = (a - r) / b, an integer, in double: a - q * b is what r is.
NumericValue shadow_remainder(const NumericContext *cx, FpsanFormat format, const NumericValue *operands,
                              LLVMValueRef real) {
    LLVMBuilderRef b = cx->builder;
    TowerValue x[2];
    TowerEmit e = shadow_without_phases(cx, &operands[0], &x[0]);
    e = shadow_without_phases(cx, &operands[1], &x[1]);
    LLVMValueRef dividend = ieee_to_double(cx, format, operands[0].parts[0]);
    LLVMValueRef divisor = ieee_to_double(cx, format, operands[1].parts[0]);
    LLVMValueRef r = ieee_to_double(cx, format, real);
    LLVMValueRef q = LLVMBuildFDiv(b, LLVMBuildFSub(b, dividend, r, ""), divisor, "");
    q = vector_intrinsic(cx, "llvm.rint", &q, 1);
    q = shadow_decided(cx, format, &operands[0], &operands[1], ieee_bits(cx, FPSAN_F64, q));
    TowerValue quotient = tower_emit_embed(&e, FPSAN_F64, q);
    TowerValue rest = tower_emit_remainder(&e, &x[0], &x[1], &quotient);
    return shadow_value(real, &rest);
}

static NumericValue rule_remainder(const ShadowCall *c) {
    return shadow_remainder(c->cx, c->format, c->operands, c->result);
}

// ROUNDS: the result is a number that was rounded to its format. CHOOSES: IEEE values decide, which is not for them
// where an operand is unspecified. PHASES: signed towers have a rule of their own.
enum { ROUNDS = 1, CHOOSES = 2, PHASES = 4 };
#define SHADOW_RULES(RULE)                                                                                             \
    RULE(ADD, rule_add, ROUNDS | PHASES)                                                                               \
    RULE(SUB, rule_sub, ROUNDS | PHASES)                                                                               \
    RULE(MUL, rule_mul, ROUNDS | PHASES)                                                                               \
    RULE(NEG, rule_neg, PHASES)                                                                                        \
    RULE(FMA, rule_fma, ROUNDS | PHASES)                                                                               \
    RULE(DIV, rule_div, ROUNDS | PHASES)                                                                               \
    RULE(REM, rule_remainder, ROUNDS)                                                                                  \
    RULE(MIN, rule_extreme, CHOOSES | PHASES)                                                                          \
    RULE(MAX, rule_extreme, CHOOSES | PHASES)                                                                          \
    RULE(ABS, rule_abs, PHASES)                                                                                        \
    RULE(EXP, rule_exp, ROUNDS)                                                                                        \
    RULE(EXP2, rule_exp2, ROUNDS)                                                                                      \
    RULE(SIN, rule_sin, ROUNDS)                                                                                        \
    RULE(COS, rule_cos, ROUNDS)                                                                                        \
    RULE(LOG, rule_log, ROUNDS)                                                                                        \
    RULE(LOG2, rule_log2, ROUNDS)                                                                                      \
    RULE(SQRT, rule_sqrt, ROUNDS | PHASES)                                                                             \
    RULE(SQRT_RN, rule_sqrt, ROUNDS | PHASES)                                                                          \
    RULE(RSQRT, rule_rsqrt, ROUNDS | PHASES)                                                                           \
    RULE(ERF, rule_odd_tag, ROUNDS)                                                                                    \
    RULE(FLOOR, rule_floor, CHOOSES)                                                                                   \
    RULE(CEIL, rule_floor, CHOOSES)                                                                                    \
    RULE(TAN, rule_tan, ROUNDS)                                                                                        \
    RULE(SINH, rule_sinh, ROUNDS)                                                                                      \
    RULE(COSH, rule_cosh, ROUNDS)                                                                                      \
    RULE(TANH, rule_tanh, ROUNDS)                                                                                      \
    RULE(POW, rule_pow, ROUNDS | PHASES)                                                                               \
    RULE(POWI, rule_powi, ROUNDS | PHASES)                                                                             \
    RULE(ATAN2, rule_tag, ROUNDS)                                                                                      \
    RULE(EXTERN, NULL, 0)
#define RULE_BIT(name, ...) | BASE_BIT(FPSAN_RULE_##name)
_Static_assert((0 SHADOW_RULES(RULE_BIT)) == BASE_BITS(FPSAN_RULE_COUNT), "a row for each rule");
#define SHADOW_ROW(name, rule, flags)                                                                                  \
    [FPSAN_RULE_##name] = {rule, ((flags)&ROUNDS) != 0, ((flags)&CHOOSES) != 0, ((flags)&PHASES) != 0},
static const struct ShadowRow {
    ShadowRule *rule; // NULL: of no op
    bool rounds, chooses, phases;
} shadow_rows[FPSAN_RULE_COUNT] = {SHADOW_RULES(SHADOW_ROW)};

// In signed towers: rules that know no phases get none, and products and powers learn which numbers are negative.
static void prepare_signed(ShadowCall *call, const struct ShadowRow *row, unsigned floats) {
    LLVMBuilderRef b = call->cx->builder;
    FpsanRule rule = call->rule;
    bool asks = rule == FPSAN_RULE_MUL || rule == FPSAN_RULE_DIV || rule == FPSAN_RULE_FMA || rule == FPSAN_RULE_POW ||
                rule == FPSAN_RULE_POWI;
    if (!row->phases) call->e = tower_plain_emit(&call->e);
    for (unsigned i = 0; i < floats; i++) {
        LLVMValueRef state = call->x[i].state;
        if (!row->phases) call->x[i] = tower_emit_unsigned(&call->e, &call->x[i]);
        if (!asks) continue;
        LLVMValueRef bits = ieee_bits(call->cx, call->format, call->operands[i].parts[0]);
        uint64_t sign = fpsan_encode(call->format, -1, FPSAN_NEAREST_EVEN) ^ fpsan_format_info(call->format)->one;
        unsigned width = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(bits)));
        bits = LLVMBuildAnd(b, bits, vector_integer_like(bits, width, sign), "");
        LLVMValueRef negative = LLVMBuildICmp(b, LLVMIntNE, bits, vector_integer_like(bits, width, 0), "");
        LLVMValueRef marked = LLVMBuildOr(b, state, vector_integer_like(state, 32, TOWER_NEGATIVE), "");
        call->x[i].state = LLVMBuildSelect(b, negative, marked, state, "");
    }
}

bool shadow_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                  NumericValue *result) {
    const FpsanRule rule = op->rule;
    const FpsanFormat format = op->result;
    const struct ShadowRow *row = &shadow_rows[rule];
    ShadowCall call = {.cx = cx,
                       .e = shadow_emit(cx),
                       .rule = rule,
                       .format = format,
                       .count = count,
                       .below_zero = op->below_zero,
                       .ieee.format = format};
    NumericValue ieee[3], flushed[3], real;
    if (op->function) return shadow_apply_function(cx, op, operands, count, result);
    if (!row->rule || count > BASE_COUNT(ieee))
        return numeric_refuse(cx, "the tower has no %s of %u operands", fpsan_rule_info(rule)->name, count);
    unsigned floats = rule == FPSAN_RULE_POWI ? 1 : count;
    for (unsigned i = 0; i < count; i++) {
        ieee[i] = i < floats ? shadow_ieee(&operands[i]) : operands[i];
        if (i < floats) call.x[i] = shadow_payload(&operands[i]);
    }
    if (!numeric_ieee.apply(cx, op, ieee, count, &real)) return false;
    for (unsigned i = 0; i < count; i++) flushed[i] = i < floats ? shadow_flushed(cx, op, &operands[i]) : operands[i];
    call.result = real.parts[0];
    call.operands = flushed; // the numbers that decide
    call.ieee.a = ieee_bits(cx, format, flushed[0].parts[0]);
    if (floats > 1) call.ieee.b = ieee_bits(cx, format, flushed[1].parts[0]);
    if (cx->tower->plain) prepare_signed(&call, row, floats);
    *result = row->rule(&call);
    if (row->chooses) {
        TowerValue payload = shadow_payload(result);
        payload = tower_emit_poisoned(&call.e, call.x, count, &payload);
        *result = shadow_value(result->parts[SHADOW_IEEE], &payload);
    }
    if (row->rounds) *result = shadow_rounded_to(cx, FPSAN_F32, format, result);
    return true;
}
