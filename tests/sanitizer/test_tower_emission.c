// SPDX-License-Identifier: Apache-2.0
// The tower's emitted code agrees with its scalar code, states included: every function of tower_llvm.h, scalars and
// vectors, on random payloads.
#include "sanitizer/tower_emit_internal.h"
#include "tests/sanitizer/random_bits.h"
#include "tests/sanitizer/test_tower_jit.h"
#include "tests/sanitizer/tower_rows.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = TOWER_LENGTH_MAX + 1, LANES_MAX = 136, OPERANDS_MAX = 3, BATCHES = 60 };

// ---- random payloads ------------------------------------------------------------------------------------------------

static const Tower *tower_plain(const Tower *t) {
    return t->plain ? t->plain : t;
}

static uint32_t draw_state(uint64_t *state, const Tower *t) {
    uint64_t r = random_next(state);
    uint32_t bits = 0;
    for (unsigned shift = 0; shift < 16; shift += 4)
        if (r >> (40 + shift) & 1)
            bits |=
                tower_ungrouped(t, (uint32_t)(r >> shift & 0xf) | (uint32_t)(r >> (30 + shift / 2) & 3) << 4, shift);
    if (r >> 60 & 1) bits &= ~tower_group_bits(t, TOWER_MISSING_SHIFT);
    const uint32_t marks = tower_carried(tower_plain(t)) & (TOWER_NEAR | TOWER_PASSED);
    return tower_normal_state(t, bits | (r >> 16 & 1 ? TOWER_BASE_E : 0) |
                                     (((r >> 17 & 1 ? TOWER_NEAR : 0) | (uint32_t)(r >> 24)) & marks));
}

static TowerPayload draw_components(uint64_t *state, const Tower *t) {
    uint64_t r = random_next(state);
    const TowerPayload named[] = {t->ln2, t->log2e, t->one, t->minus_one};
    switch (r % 8) {
    case 0: return t->zero;
    case 1: return named[r >> 8 & 3];
    case 2: return tower_rational(t, (int64_t)(r >> 8) % 140 - 70, 1 + (r >> 62 & 1));
    case 4: return tower_rational(t, (int64_t)(r >> 8) % (t->integer_max + 2) * (r >> 63 ? 1 : -1), 1);
    }
    TowerPayload a = {0};
    for (unsigned i = 0; i < t->length; i++) {
        uint32_t p = t->prime[i].p;
        a.component[i] = (uint32_t)(random_next(state) % p);
        if (r % 8 == 3) a.component[i] = r >> (8 + 2 * i) & 1 ? 0 : r >> (9 + 2 * i) & 1 ? p - 1 : a.component[i];
    }
    return a;
}

// `plain` of 4: how many of four payloads are.
static TowerPayload draw_payload(uint64_t *state, const Tower *t, unsigned plain) {
    TowerPayload a = draw_components(state, t);
    uint64_t r = random_next(state);
    if ((r & 3) < plain) return a;
    if (r >> 8 & 7) {
        a.state = draw_state(state, t);
        return a;
    }
    const uint32_t most = t->length > TOWER_LENGTH ? t->prime[0].p / 2 : TOWER_ORIGIN_MAX;
    a = r >> 12 & 3 ? tower_special(1 + r % 3) : tower_poison((uint32_t)(r >> 16) % most);
    a.state |= draw_state(state, t) & tower_carried(tower_plain(t));
    return a;
}

// ---- operations -----------------------------------------------------------------------------------------------------

typedef enum Op {
    OP_NEG,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_FMA,
    OP_DIV,
    OP_DIV_CONSTANT,
    OP_MUL_CONSTANT,
    OP_REMAINDER,
    OP_EXP2,
    OP_EXP,
    OP_LOG2,
    OP_LOG,
    OP_SQRT,
    OP_RSQRT,
    OP_TANH,
    OP_SINH,
    OP_COSH,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_POW,
    OP_POWI,
    OP_TAG,
    OP_TAG2,
    OP_POISONED,
    OP_SELECT,
    OP_FIRST,
    OP_MARK,
    OP_EMBED,
    OP_INTEGER,
    OP_UNSIGNED,
    OP_NO_IEEE
} Op;

typedef struct Case {
    Op op;
    const char *name;
    unsigned operands;
    FpsanFormat format; // of the IEEE numbers
    unsigned bits;      // of the integers
} Case;

static const Case cases[] = {
    {OP_NEG, "neg", 1, 0, 0},
    {OP_ADD, "add", 2, 0, 0},
    {OP_SUB, "sub", 2, 0, 0},
    {OP_MUL, "mul", 2, FPSAN_F32, 0},
    {OP_MUL, "mul_f16", 2, FPSAN_F16, 0},
    {OP_FMA, "fma", 3, FPSAN_F32, 0},
    {OP_DIV, "div", 2, FPSAN_F32, 0},
    {OP_DIV, "div_f64", 2, FPSAN_F64, 0},
    {OP_DIV_CONSTANT, "div_constant", 2, FPSAN_BF16, 0},
    {OP_MUL_CONSTANT, "mul_constant", 2, FPSAN_F8E4M3FN, 0},
    {OP_REMAINDER, "remainder", 3, 0, 0},
    {OP_EXP2, "exp2", 1, FPSAN_F32, 0},
    {OP_EXP2, "exp2_f16", 1, FPSAN_F16, 0},
    {OP_EXP, "exp", 1, FPSAN_F64, 0},
    {OP_EXP, "exp_f8", 1, FPSAN_F8E4M3FN, 0},
    {OP_LOG2, "log2", 1, 0, 0},
    {OP_LOG, "log", 1, 0, 0},
    {OP_SQRT, "sqrt", 1, 0, 0},
    {OP_RSQRT, "rsqrt", 1, 0, 0},
    {OP_TANH, "tanh", 1, 0, 0},
    {OP_SINH, "sinh", 1, 0, 0},
    {OP_COSH, "cosh", 1, 0, 0},
    {OP_SIN, "sin", 1, 0, 0},
    {OP_COS, "cos", 1, 0, 0},
    {OP_TAN, "tan", 1, 0, 0},
    {OP_POW, "pow", 2, FPSAN_F32, 0},
    {OP_POWI, "powi", 1, 0, 32},
    {OP_POWI, "powi_8", 1, 0, 8},
    {OP_TAG, "tag", 1, 0, 0},
    {OP_TAG2, "tag2", 2, 0, 0},
    {OP_POISONED, "poisoned", 3, 0, 0},
    {OP_SELECT, "select", 2, 0, 1},
    {OP_FIRST, "first", 2, 0, 0},
    {OP_MARK, "mark", 1, 0, 1},
    {OP_EMBED, "embed_f64", 0, FPSAN_F64, 0},
    {OP_EMBED, "embed_f32", 0, FPSAN_F32, 0},
    {OP_EMBED, "embed_tf32", 0, FPSAN_TF32, 0},
    {OP_EMBED, "embed_f16", 0, FPSAN_F16, 0},
    {OP_EMBED, "embed_bf16", 0, FPSAN_BF16, 0},
    {OP_EMBED, "embed_e4m3", 0, FPSAN_F8E4M3FN, 0},
    {OP_EMBED, "embed_e5m2", 0, FPSAN_F8E5M2, 0},
    {OP_EMBED, "embed_e8m0", 0, FPSAN_F8E8M0FNU, 0},
    {OP_EMBED, "embed_e2m1", 0, FPSAN_F4E2M1FN, 0},
    {OP_EMBED, "embed_e5m3", 0, FPSAN_FNV8E5M3FNU, 0},
    {OP_EMBED, "embed_e4m3fnuz", 0, FPSAN_F8E4M3FNUZ, 0},
    {OP_EMBED, "embed_e5m2fnuz", 0, FPSAN_F8E5M2FNUZ, 0},
    {OP_EMBED, "embed_e2m3", 0, FPSAN_F6E2M3FN, 0},
    {OP_EMBED, "embed_e3m2", 0, FPSAN_F6E3M2FN, 0},
    {OP_INTEGER, "integer_1", 0, 0, 1},
    {OP_INTEGER, "integer_8", 0, 0, 8},
    {OP_INTEGER, "integer_32", 0, 0, 32},
    {OP_INTEGER, "integer_64", 0, 0, 64},
    {OP_UNSIGNED, "unsigned_1", 0, 0, 1},
    {OP_UNSIGNED, "unsigned_16", 0, 0, 16},
    {OP_UNSIGNED, "unsigned_32", 0, 0, 32},
    {OP_UNSIGNED, "unsigned_64", 0, 0, 64},
    {OP_NO_IEEE, "no_ieee", 2, 0, 0},
};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

// The constant operand of the cases that have one.
static TowerPayload test_constant(const Tower *t) {
    return tower_rational(t, 768, 1);
}

static TowerValue emit_case(const TowerEmit *e, const Case *c, const TowerValue *x, const TowerIeee *ieee,
                            LLVMValueRef integer) {
    LLVMValueRef like = c->operands ? x[0].state : integer;
    TowerValue constant = tower_emit_constant(e, test_constant(e->tower), like), product;
    switch (c->op) {
    case OP_NEG: return tower_emit_neg(e, &x[0]);
    case OP_ADD: return tower_emit_add(e, &x[0], &x[1]);
    case OP_SUB: return tower_emit_sub(e, &x[0], &x[1]);
    case OP_MUL: return tower_emit_mul(e, &x[0], &x[1], ieee);
    case OP_FMA: return tower_emit_fma(e, &x[0], &x[1], &x[2], ieee);
    case OP_DIV: return tower_emit_div(e, &x[0], &x[1], ieee);
    case OP_DIV_CONSTANT: return tower_emit_div(e, &x[0], &constant, ieee);
    case OP_MUL_CONSTANT: return tower_emit_mul(e, &x[0], &constant, ieee);
    case OP_REMAINDER: return tower_emit_remainder(e, &x[0], &x[1], &x[2]);
    case OP_EXP2: return tower_emit_exp2(e, &x[0], ieee);
    case OP_EXP: return tower_emit_exp(e, &x[0], ieee);
    case OP_LOG2: return tower_emit_log2(e, &x[0]);
    case OP_LOG: return tower_emit_log(e, &x[0]);
    case OP_SQRT: return tower_emit_sqrt(e, &x[0]);
    case OP_RSQRT: return tower_emit_rsqrt(e, &x[0]);
    case OP_TANH: return tower_emit_tanh(e, &x[0]);
    case OP_SINH: return tower_emit_sinh(e, &x[0]);
    case OP_COSH: return tower_emit_cosh(e, &x[0]);
    case OP_SIN: return tower_emit_sin(e, &x[0]);
    case OP_COS: return tower_emit_cos(e, &x[0]);
    case OP_TAN: return tower_emit_tan(e, &x[0]);
    case OP_POW: return tower_emit_pow(e, &x[0], &x[1], ieee);
    case OP_POWI: return tower_emit_powi(e, &x[0], integer);
    case OP_TAG: return tower_emit_tag(e, "erf", x, 1);
    case OP_TAG2: return tower_emit_tag(e, "atan2", x, 2);
    case OP_POISONED: return tower_emit_poisoned(e, x, 2, &x[2]);
    case OP_SELECT: return tower_emit_select(e, integer, &x[0], &x[1]);
    case OP_FIRST: return tower_emit_select(e, tower_emit_goes_first(e, &x[0], &x[1]), &x[0], &x[1]);
    case OP_MARK: return tower_emit_mark(e, &x[0], TOWER_ROUNDED, integer);
    case OP_EMBED: return tower_emit_embed(e, c->format, ieee->a);
    case OP_INTEGER: return tower_emit_integer(e, integer, true);
    case OP_UNSIGNED: return tower_emit_integer(e, integer, false);
    case OP_NO_IEEE:
        product = tower_emit_exp(e, &x[0], NULL);
        product = tower_emit_mul(e, &product, &x[1], NULL);
        return tower_emit_div(e, &product, &x[0], NULL);
    }
    return constant;
}

// The sign code of a * b, or of a / b, by classes.
static int sign_of_ieee(double a, double b, bool is_quotient) {
    bool b_zero = is_quotient ? isinf(b) : b == 0, b_infinite = is_quotient ? b == 0 : isinf(b);
    if (isnan(a) || isnan(b) || (a == 0 && b_infinite) || (isinf(a) && b_zero)) return TOWER_IEEE_NAN;
    if (a == 0 || b_zero) return TOWER_IEEE_ZERO;
    return !!signbit(a) == !!signbit(b) ? TOWER_IEEE_POSITIVE : TOWER_IEEE_NEGATIVE;
}

static int sign_of_power(double x) {
    return isnan(x) ? TOWER_IEEE_NAN : fabs(x) > 1 ? TOWER_IEEE_POSITIVE : fabs(x) < 1 ? TOWER_IEEE_NEGATIVE : 0;
}

static TowerPayload run_case(const Tower *t, const Case *c, const TowerPayload *x, const uint64_t *n) {
    double a = fpsan_decode(c->format, n[0]), b = fpsan_decode(c->format, n[1]);
    TowerPayload r;
    switch (c->op) {
    case OP_NEG: return tower_neg(t, x[0]);
    case OP_ADD: return tower_add(t, x[0], x[1]);
    case OP_SUB: return tower_sub(t, x[0], x[1]);
    case OP_MUL: return tower_mul(t, x[0], x[1], sign_of_ieee(a, b, false));
    case OP_FMA: return tower_fma(t, x[0], x[1], x[2], sign_of_ieee(a, b, false));
    case OP_DIV: return tower_div(t, x[0], x[1], sign_of_ieee(a, b, true));
    case OP_DIV_CONSTANT: return tower_div(t, x[0], test_constant(t), sign_of_ieee(a, b, true));
    case OP_MUL_CONSTANT: return tower_mul(t, x[0], test_constant(t), sign_of_ieee(a, b, false));
    case OP_REMAINDER: return tower_remainder(t, x[0], x[1], x[2]);
    case OP_EXP2: return tower_exp2(t, x[0], a);
    case OP_EXP: return tower_exp(t, x[0], a);
    case OP_LOG2: return tower_log2(t, x[0]);
    case OP_LOG: return tower_log(t, x[0]);
    case OP_SQRT: return tower_sqrt(t, x[0]);
    case OP_RSQRT: return tower_rsqrt(t, x[0]);
    case OP_TANH: return tower_tanh(t, x[0]);
    case OP_SINH: return tower_sinh(t, x[0]);
    case OP_COSH: return tower_cosh(t, x[0]);
    case OP_SIN: return tower_sin(t, x[0]);
    case OP_COS: return tower_cos(t, x[0]);
    case OP_TAN: return tower_tan(t, x[0]);
    case OP_POW: return tower_pow(t, x[0], x[1], sign_of_power(a));
    case OP_POWI: return tower_powi(t, x[0], (int64_t)fpsan_sign_extend(n[0], c->bits));
    case OP_TAG: return tower_tag(t, "erf", x, 1);
    case OP_TAG2: return tower_tag(t, "atan2", x, 2);
    case OP_POISONED:
        r = tower_is_poison(x[0]) ? x[0] : tower_is_poison(x[1]) ? x[1] : x[2];
        if ((x[0].state | x[1].state) & TOWER_POISON) r.state |= (x[0].state | x[1].state) & tower_carried(t);
        return r;
    case OP_SELECT: return n[0] & 1 ? x[0] : x[1];
    case OP_FIRST: return tower_goes_first(t, x[0], x[1]) ? x[0] : x[1];
    case OP_MARK:
        r = x[0];
        r.state |= n[0] & 1 ? TOWER_ROUNDED : 0;
        return r;
    case OP_EMBED: return tower_embed(t, c->format, n[0]);
    case OP_INTEGER: return tower_embed_integer(t, n[0], c->bits, true);
    case OP_UNSIGNED: return tower_embed_integer(t, n[0], c->bits, false);
    case OP_NO_IEEE: return tower_div(t, tower_mul(t, tower_exp(t, x[0], 0), x[1], 1), x[0], 1);
    }
    return t->zero;
}

// ---- running them ---------------------------------------------------------------------------------------------------

static void add_case(TowerJit *jit, const Case *c, unsigned lanes) {
    const TowerEmit *e = tower_jit_emit(jit);
    LLVMValueRef parameters[3];
    tower_jit_begin(jit, c->name, parameters);
    TowerValue x[OPERANDS_MAX];
    for (unsigned i = 0; i < c->operands; i++) x[i] = tower_jit_load_value(jit, parameters[0], i, lanes);
    unsigned bits = fpsan_format_info(c->format)->lane_bits;
    TowerIeee ieee = {c->format, tower_jit_load(jit, parameters[1], 64, bits, 0, lanes),
                      tower_jit_load(jit, parameters[1], 64, bits, lanes ? lanes : 1, lanes)};
    LLVMValueRef integer = tower_jit_load(jit, parameters[1], 64, c->bits ? c->bits : 64, 0, lanes);
    TowerValue result = emit_case(e, c, x, &ieee, integer);
    tower_jit_store_value(jit, parameters[2], lanes, &result);
    tower_jit_end(jit);
}

static uint64_t draw_number(uint64_t *state, const Case *c) {
    if (c->op == OP_POWI) return random_next(state) & 1 ? random_next(state) : random_next(state) % 140 - 70;
    if (c->bits) return random_integer(state, c->bits);
    if ((c->op == OP_EXP2 || c->op == OP_EXP) && random_next(state) % 4 == 0)
        return fpsan_encode(c->format, TOWER_MASKED + (double)(random_next(state) % 3) - 1, FPSAN_NEAREST_EVEN);
    return random_bits(state, c->format);
}

static void expect_payload(const Tower *t, const uint32_t *result, unsigned lanes, unsigned lane, TowerPayload expected,
                           const char *what) {
    TowerPayload r = {.state = result[t->length * lanes + lane]};
    for (unsigned i = 0; i < t->length; i++) r.component[i] = result[i * lanes + lane];
    char text[2][TOWER_TEXT_BYTES];
    tower_row_text(t, r, text[0]);
    tower_row_text(t, expected, text[1]);
    cr_expect(!memcmp(&r, &expected, sizeof r), "%s, %u lanes: %s, expected %s", what, lanes, text[0], text[1]);
}

static void store_payload(const Tower *t, uint32_t *payloads, unsigned operand, unsigned lanes, unsigned lane,
                          TowerPayload a) {
    uint32_t *at = payloads + operand * (t->length + 1) * lanes + lane;
    for (unsigned i = 0; i < t->length; i++) at[i * lanes] = a.component[i];
    at[t->length * lanes] = a.state;
}

// In a signed tower phases take the place of types that were passed, and operands of some rules may be negative.
static TowerPayload signed_payload(uint64_t *state, const Case *c, TowerPayload a) {
    uint32_t r = (uint32_t)random_next(state), missing = a.state & TOWER_MISSING;
    a = tower_unsigned(a);
    if (!(a.state & TOWER_KIND))
        a.state |= r & TOWER_PHASE & ~(missing << TOWER_HALF_SHIFT | missing << TOWER_TURNED_SHIFT);
    bool asked = c->op == OP_MUL || c->op == OP_DIV || c->op == OP_FMA || c->op == OP_POW || c->op == OP_POWI ||
                 c->op == OP_MUL_CONSTANT || c->op == OP_DIV_CONSTANT || c->op == OP_NO_IEEE;
    if (asked) a.state |= r & TOWER_NEGATIVE;
    return a;
}

static void check_batch(const Case *c, TowerJitFunction *function, const Tower *t, unsigned lanes, uint64_t *state) {
    uint32_t payloads[OPERANDS_MAX * PARTS_MAX * LANES_MAX], result[PARTS_MAX * LANES_MAX];
    uint64_t numbers[2 * LANES_MAX];
    TowerPayload x[LANES_MAX][OPERANDS_MAX];
    unsigned plain = random_next(state) % 3 * 2;
    for (unsigned lane = 0; lane < lanes; lane++) {
        for (unsigned i = 0; i < c->operands; i++) {
            x[lane][i] = draw_payload(state, t, plain);
            if (t->plain) x[lane][i] = signed_payload(state, c, x[lane][i]);
            store_payload(t, payloads, i, lanes, lane, x[lane][i]);
        }
        numbers[lane] = draw_number(state, c);
        numbers[lanes + lane] = draw_number(state, c);
    }
    function(payloads, numbers, result);
    for (unsigned lane = 0; lane < lanes; lane++) {
        uint64_t n[] = {numbers[lane], numbers[lanes + lane]};
        expect_payload(t, result, lanes, lane, run_case(t, c, x[lane], n), c->name);
    }
}

static void check_cases(unsigned count, unsigned lanes, TowerJitOptions options) {
    TowerJit *jit = tower_jit_open(options);
    const Tower *t = tower_chain(options.chain);
    uint64_t state = lanes + 100 * options.chain;
    for (unsigned i = 0; i < count; i++) add_case(jit, &cases[i], lanes);
    for (unsigned i = 0; i < count; i++) {
        TowerJitFunction *function = (TowerJitFunction *)tower_jit_find(jit, cases[i].name);
        unsigned batches = lanes ? BATCHES * 8 / lanes + 10 : BATCHES * 8;
        for (unsigned b = 0; b < batches; b++) check_batch(&cases[i], function, t, lanes ? lanes : 1, &state);
    }
    tower_jit_close(jit);
}

static void check_lanes(unsigned lanes, TowerJitOptions options) {
    check_cases(CASE_COUNT, lanes, options);
}

Test(tower_emission, signed_roots) {
    check_lanes(0, (TowerJitOptions){.chain = TOWER_CHAINS, .optimize = true});
    check_lanes(8, (TowerJitOptions){.chain = TOWER_CHAINS + 1, .optimize = true});
}
Test(tower_emission, signed_roots_of_more_lanes) {
    check_lanes(16, (TowerJitOptions){.chain = TOWER_CHAINS + 2, .optimize = false});
    check_lanes(20, (TowerJitOptions){.chain = TOWER_CHAINS, .optimize = true});
}
Test(tower_emission, scalars) {
    check_lanes(0, (TowerJitOptions){.chain = 0, .optimize = true});
}
Test(tower_emission, lanes_4) {
    check_lanes(4, (TowerJitOptions){.chain = 1, .optimize = true});
}
Test(tower_emission, lanes_8) {
    check_lanes(8, (TowerJitOptions){.chain = 2, .optimize = true});
}
Test(tower_emission, lanes_16) {
    check_lanes(16, (TowerJitOptions){.chain = 0, .optimize = true});
}
Test(tower_emission, lanes_no_power_of_two) {
    check_lanes(3, (TowerJitOptions){.chain = 0, .optimize = true});
}
Test(tower_emission, lanes_32) {
    check_lanes(32, (TowerJitOptions){.chain = 2, .optimize = true});
}
Test(tower_emission, lanes_in_chunks) {
    check_lanes(40, (TowerJitOptions){.chain = 1, .optimize = true});
}
// More than a shuffle takes apart; sums and products, which stay whole.
Test(tower_emission, lanes_beyond_shuffles) {
    check_cases(OP_FMA + 1, 136, (TowerJitOptions){.chain = 2, .optimize = true});
}
Test(tower_emission, oldest_processor_unoptimised) {
    check_lanes(8, (TowerJitOptions){.chain = 0, .cpu = ""});
}

Test(tower_emission, vectors_of_256_bits) {
    if (!__builtin_cpu_supports("avx2")) cr_skip("this processor has no vectors of 256 bits");
    check_lanes(8, (TowerJitOptions){.chain = 1, .optimize = true, .cpu = "haswell"});
}

Test(tower_emission, deep) {
    check_lanes(0, (TowerJitOptions){.chain = TOWER_DEEP, .optimize = true});
    check_lanes(8, (TowerJitOptions){.chain = TOWER_DEEP + 1, .optimize = true});
}
Test(tower_emission, deep_of_more_lanes) {
    check_lanes(3, (TowerJitOptions){.chain = TOWER_DEEP + 1, .optimize = false});
    check_lanes(16, (TowerJitOptions){.chain = TOWER_DEEP, .optimize = true});
    check_lanes(20, (TowerJitOptions){.chain = TOWER_DEEP, .optimize = true});
}

// Lanes that nobody asks for may hold anything; what reads tables must not leave them.
static void check_none(unsigned tower) {
    enum { LANES = 16 };
    const unsigned length = tower_chain(tower)->length, parts = length + 1;
    TowerJit *jit = tower_jit_open((TowerJitOptions){.chain = tower, .optimize = true});
    for (unsigned i = 0; i < CASE_COUNT; i++)
        if (cases[i].operands == 1 || cases[i].operands == 2) add_case(jit, &cases[i], LANES);
    static const uint32_t any[] = {UINT32_MAX, (uint32_t)1 << 31, INT32_MAX, 58840319, 0xdeadbeef};
    uint32_t payloads[2 * PARTS_MAX * LANES], result[PARTS_MAX * LANES];
    uint64_t numbers[2 * LANES] = {0};
    for (unsigned i = 0; i < 2 * parts * LANES; i++)
        payloads[i] = i / LANES % parts < length ? any[i % (sizeof any / sizeof *any)] : 0;
    for (unsigned i = 0; i < CASE_COUNT; i++)
        if (cases[i].operands == 1 || cases[i].operands == 2)
            ((TowerJitFunction *)tower_jit_find(jit, cases[i].name))(payloads, numbers, result);
    tower_jit_close(jit);
}

Test(tower_emission, components_that_are_none) {
    check_none(0);
    check_none(TOWER_DEEP);
}

// ---- dots -----------------------------------------------------------------------------------------------------------

// Every product counts REPEATS times, so that sums grow as large as they may in few steps.
enum { REPEATS_LOG2 = 5, REPEATS = 1 << REPEATS_LOG2, DOT_LANES = 8 };

static unsigned fold_every(const Tower *t) {
    return tower_dot_steps(t) / REPEATS;
}

static unsigned depth_of(const Tower *t) {
    return 3 * fold_every(t) + 7;
}

// accumulator + REPEATS times the sum of depth products: operands 0 .. depth-1 times operands depth .., accumulator
// last.
static void add_dot(TowerJit *jit) {
    const TowerEmit *e = tower_jit_emit(jit);
    const Tower *t = e->tower;
    const unsigned depth = depth_of(t);
    LLVMTypeRef wide = LLVMVectorType(LLVMInt64TypeInContext(e->context), DOT_LANES);
    LLVMValueRef parameters[3], sums[TOWER_LENGTH_MAX], state = NULL;
    tower_jit_begin(jit, "dot", parameters);
    TowerValue accumulator = tower_jit_load_value(jit, parameters[0], 2 * depth, DOT_LANES), result;
    for (unsigned i = 0; i < t->length; i++) sums[i] = LLVMBuildZExt(e->builder, accumulator.component[i], wide, "");
    state = LLVMConstNull(LLVMTypeOf(accumulator.state));
    for (unsigned k = 0; k < depth; k++) {
        TowerValue a = tower_jit_load_value(jit, parameters[0], k, DOT_LANES);
        TowerValue b = tower_jit_load_value(jit, parameters[0], depth + k, DOT_LANES);
        for (unsigned i = 0; i < t->length; i++) {
            LLVMValueRef x = LLVMBuildZExt(e->builder, a.component[i], wide, "");
            LLVMValueRef y = LLVMBuildZExt(e->builder, b.component[i], wide, "");
            LLVMValueRef product = tower_emit_dot_step(e, fpsan_constant(x, 0), x, y);
            product = LLVMBuildShl(e->builder, product, fpsan_constant(product, REPEATS_LOG2), "");
            sums[i] = LLVMBuildAdd(e->builder, sums[i], product, "");
            if ((k + 1) % fold_every(t) == 0)
                sums[i] = tower_emit_dot_fold(e, fpsan_constant(sums[i], tower_dot_power(e->tower, i)), sums[i]);
        }
        state = tower_emit_dot_state_step(e, state, tower_emit_dot_state(e, &a), tower_emit_dot_state(e, &b));
    }
    for (unsigned i = 0; i < t->length; i++) result.component[i] = tower_emit_dot_end(e, i, sums[i]);
    result.state = tower_emit_dot_state_end(e, state, accumulator.state);
    tower_jit_store_value(jit, parameters[2], DOT_LANES, &result);
    tower_jit_end(jit);
}

// Payloads without SIGN and KIND; all components as large as they can be in some rounds.
static TowerPayload draw_dot_payload(uint64_t *random, const Tower *t, unsigned round) {
    TowerPayload a = draw_payload(random, t, round % 3 * 2);
    if (a.state & TOWER_KIND) a = t->one;
    a.state = tower_normal_state(t, a.state & ~(tower_group_bits(t, TOWER_SIGN_SHIFT) | TOWER_BASE_E));
    for (unsigned i = 0; i < t->length && round % 4 == 0; i++) a.component[i] = t->prime[i].p - 1;
    if (round % 5 != 1) return a;
    a.state = 0; // but for differences of equal values, which are 0 with what the values had lost
    if (random_next(random) % 16) return a;
    memset(a.component, 0, sizeof a.component);
    a.state =
        (uint32_t)random_next(random) & (tower_group_bits(t, TOWER_LOST_SHIFT) | tower_group_bits(t, TOWER_WEAK_SHIFT));
    return a;
}

static void check_dots(unsigned chain) {
    TowerJit *jit = tower_jit_open((TowerJitOptions){.chain = chain, .optimize = true});
    add_dot(jit);
    TowerJitFunction *dot = (TowerJitFunction *)tower_jit_find(jit, "dot");
    const Tower *t = tower_chain(chain);
    const unsigned depth = depth_of(t);
    uint32_t *payloads = calloc((2 * depth + 1) * PARTS_MAX * DOT_LANES, sizeof *payloads),
             result[PARTS_MAX * DOT_LANES];
    TowerPayload(*x)[DOT_LANES] = calloc(2 * depth + 1, sizeof *x);
    uint64_t random = chain;
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned k = 0; k <= 2 * depth; k++)
            for (unsigned lane = 0; lane < DOT_LANES; lane++) {
                x[k][lane] = draw_dot_payload(&random, t, round);
                store_payload(t, payloads, k, DOT_LANES, lane, x[k][lane]);
            }
        dot(payloads, NULL, result);
        for (unsigned lane = 0; lane < DOT_LANES; lane++) {
            TowerPayload sum = x[2 * depth][lane];
            for (unsigned k = 0; k < depth * REPEATS; k++)
                sum = tower_fma(t, x[k / REPEATS][lane], x[depth + k / REPEATS][lane], sum, 1);
            expect_payload(t, result, DOT_LANES, lane, sum, "dot");
        }
    }
    free(x);
    free(payloads);
    tower_jit_close(jit);
}

Test(tower_emission, dots) {
    check_dots(0);
}
Test(tower_emission, dots_of_other_chains) {
    for (unsigned chain = 1; chain < TOWER_CHAINS; chain++) check_dots(chain);
    for (unsigned chain = 0; chain < TOWER_DEEP_CHAINS; chain++) check_dots(TOWER_DEEP + chain);
}
