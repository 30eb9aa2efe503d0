// SPDX-License-Identifier: Apache-2.0
// Arithmetic and conversions: rounding modes, flush_to_zero, widths.
#include "tests/generate/generate.h"

#include <stdio.h>
#include <string.h>

#define ROUND(mode) (1u << TIR_rounding_##mode)
enum {
    ROUND_IEEE = ROUND(nearest_even) | ROUND(zero) | ROUND(negative_inf) | ROUND(positive_inf),
    KINDS_BASIC = KIND(f16) | KIND(bf16) | KIND(f32) | KIND(f64),
};

// ---- float arithmetic -----------------------------------------------------------------------------------------------

static bool is_f32(const Generator *g, const Plan *plan) {
    return element_kind(g, plan->results[0]) == TIR_TYPE_f32;
}

// flush_to_zero is for f32.
static TirOp *add_flushable(Generator *g, Plan *plan) {
    if (!is_f32(g, plan)) {
        TirAttribute *flush = plan_attribute(plan, "ftz");
        if (flush) flush->present = false;
    }
    return plan_add(g, plan);
}

// `fast`: modes for f32 only.
static TirOp *make_rounded(Generator *g, TirOpKind kind, uint32_t modes, uint32_t fast) {
    Plan plan = plan_open(g, kind);
    plan_types(g, &plan);
    plan_word(g, &plan, "rounding", is_f32(g, &plan) ? modes | fast : modes);
    return add_flushable(g, &plan);
}

TirOp *make_flush(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan_types(g, &plan);
    return add_flushable(g, &plan);
}

TirOp *make_ieee_rounding(Generator *g, TirOpKind kind) {
    return make_rounded(g, kind, ROUND_IEEE, 0);
}

TirOp *make_div_rounding(Generator *g, TirOpKind kind) {
    return make_rounded(g, kind, ROUND_IEEE, ROUND(approx) | ROUND(full));
}

TirOp *make_sqrt_rounding(Generator *g, TirOpKind kind) {
    return make_rounded(g, kind, ROUND_IEEE, ROUND(approx));
}

TirOp *make_approx_rounding(Generator *g, TirOpKind kind) {
    return make_rounded(g, kind, ROUND(full), ROUND(approx));
}

// ---- integers -------------------------------------------------------------------------------------------------------

TirOp *make_divi(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan_types(g, &plan);
    uint64_t mode = plan_word(g, &plan, "rounding", ROUND(zero) | ROUND(negative_inf) | ROUND(positive_inf));
    if (mode == TIR_rounding_negative_inf) plan_word(g, &plan, "signedness", 1u << TIR_signedness_signed);
    return plan_add(g, &plan);
}

TirOp *make_negi(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan_types(g, &plan);
    plan_word(g, &plan, "overflow", ~(1u << TIR_overflow_no_unsigned_wrap));
    return plan_add(g, &plan);
}

// ---- conversions ----------------------------------------------------------------------------------------------------

// From tiles of `from` to such of `to`.
static TirOp *add_conversion(Generator *g, Plan *plan, TirTypeKind from, TirTypeKind to) {
    bool even = from == TIR_TYPE_f4E2M1FN || to == TIR_TYPE_f4E2M1FN;
    Shape shape = even ? random_even_shape(g, ANY_RANK) : random_shape(g, ANY_RANK);
    plan->operands[0] = number_tile(g, from, &shape);
    plan->results[0] = number_tile(g, to, &shape);
    return plan_add(g, plan);
}

static uint32_t kinds_of_width(unsigned bits, uint32_t kinds) {
    uint32_t found = 0;
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++)
        if (kinds >> kind & 1 && tir_type_rows[kind].bits == bits) found |= 1u << kind;
    return found;
}

TirOp *make_bitcast(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    TirTypeKind from = random_kind(g, KINDS_NUMBER);
    TirTypeKind to = random_kind(g, kinds_of_width(tir_type_rows[from].bits, KINDS_NUMBER));
    return add_conversion(g, &plan, from, to);
}

// Two integers, the first one narrower.
static void random_widths(Generator *g, TirTypeKind *narrow, TirTypeKind *wide) {
    const uint32_t kinds = KINDS_INTEGER | KIND(i4);
    do {
        *narrow = random_kind(g, kinds);
        *wide = random_kind(g, kinds);
    } while (tir_type_rows[*narrow].bits >= tir_type_rows[*wide].bits);
}

TirOp *make_exti(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    TirTypeKind narrow, wide;
    random_widths(g, &narrow, &wide);
    return add_conversion(g, &plan, narrow, wide);
}

TirOp *make_trunci(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    TirTypeKind narrow, wide;
    random_widths(g, &narrow, &wide);
    return add_conversion(g, &plan, wide, narrow);
}

TirOp *make_ftoi(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan_word(g, &plan, "rounding", ROUND(nearest_int_to_zero));
    return add_conversion(g, &plan, random_kind(g, KINDS_FLOAT), random_kind(g, KINDS_INTEGER));
}

TirOp *make_itof(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan_word(g, &plan, "rounding", ROUND(nearest_even));
    return add_conversion(g, &plan, random_kind(g, KINDS_INTEGER), random_kind(g, KINDS_FLOAT & ~KIND(f8E8M0FNU)));
}

// tile-ir.md 3.2.
static uint32_t ftof_modes(TirTypeKind from, TirTypeKind to) {
    static const struct {
        TirTypeKind from;
        uint32_t to; // of which every value of `from` is a normal number or zero
    } exact[] = {
        {TIR_TYPE_f16, KIND(f32) | KIND(tf32) | KIND(f64)},
        {TIR_TYPE_bf16, KIND(f32) | KIND(tf32) | KIND(f64)},
        {TIR_TYPE_f32, KIND(f64)},
        {TIR_TYPE_tf32, KIND(f32) | KIND(f64)},
        {TIR_TYPE_f8E4M3FN, KINDS_BASIC | KIND(tf32)},
        {TIR_TYPE_f8E5M2, KINDS_BASIC | KIND(tf32)},
        {TIR_TYPE_f4E2M1FN, KINDS_BASIC | KIND(tf32)},
        {TIR_TYPE_f8E8M0FNU, KIND(f64)},
        {TIR_TYPE_fnv8E5M3FNU, KIND(bf16) | KIND(f32) | KIND(tf32) | KIND(f64)},
    };
    if (to == TIR_TYPE_f8E8M0FNU) return ROUND(zero) | ROUND(positive_inf);
    if (tir_type_rows[to].bits <= 8) return ROUND(nearest_even);
    if (from == TIR_TYPE_f32 && to == TIR_TYPE_tf32) return ROUND(nearest_even) | ROUND(zero) | ROUND(nearest_away);
    if (from == TIR_TYPE_f64 && to == TIR_TYPE_f32) return ROUND_IEEE;
    for (size_t i = 0; i < BASE_COUNT(exact); i++)
        if (exact[i].from == from && exact[i].to >> to & 1) return ROUND_IEEE | ROUND(nearest_away);
    return ROUND(nearest_even) | ROUND(zero);
}

TirOp *make_ftof(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    TirTypeKind from = random_kind(g, KINDS_FLOAT), to = random_kind(g, KINDS_FLOAT & ~(1u << from));
    plan_word(g, &plan, "rounding", ftof_modes(from, to));
    return add_conversion(g, &plan, from, to);
}

TirOp *make_cast(Generator *g, TirOpKind kind) {
    const uint32_t finite = KIND(f4E2M1FN) | KIND(f6E2M3FN) | KIND(f6E3M2FN);
    Plan plan = plan_open(g, kind);
    TirTypeKind from = random_kind(g, KINDS_FLOAT | KINDS_TEXT), to = random_kind(g, KINDS_FLOAT | KINDS_TEXT);
    uint32_t modes = ROUND(zero) | ROUND(positive_inf);
    if (to != TIR_TYPE_f8E8M0FNU) modes |= ROUND(nearest_even) | ROUND(nearest_away);
    plan_word(g, &plan, "rounding", modes);
    if (finite >> to & 1) plan_attribute(&plan, "satf")->integer = 1;
    return add_conversion(g, &plan, from, to);
}

TirOp *make_function(Generator *g, TirOpKind kind) {
    static const FpsanFormat formats[] = {FPSAN_F32, FPSAN_F64};
    const FpsanFormat format = formats[below(g, 2)];
    const TirTypeKind real = format == FPSAN_F32 ? TIR_TYPE_f32 : TIR_TYPE_f64;
    unsigned count = 0;
    while (fpsan_function_row(count)) count++;
    const FpsanFunction *function = fpsan_function_row((unsigned)below(g, count));
    char name[64];
    if (one_in(g, 2))
        fpsan_function_symbol(function, format, name, sizeof name);
    else
        snprintf(name, sizeof name, "%s", function->name);
    if (!fpsan_function(name, format)) return NULL; // of the other width
    Shape shape = random_shape(g, (int)below(g, SHAPE_RANK_MAX));
    TirValue operands[FPSAN_FUNCTION_OPERANDS_MAX];
    uint32_t operand_count = 0;
    for (const char *p = function->parameters; *p; p++)
        operands[operand_count++] = value_of(g, number_tile(g, *p == 'i' ? TIR_TYPE_i32 : real, &shape));
    TirType result = number_tile(g, real, &shape);
    TirOp *op = add_op(g, kind, operand_count, operands, NULL, 1, &result);
    TirAttribute *text = tir_op_set(op, "name");
    text->length = strlen(name);
    text->text = arena_text(&g->module->arena, name, text->length);
    return op;
}
