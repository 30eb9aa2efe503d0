// SPDX-License-Identifier: Apache-2.0
// Random trees of float ops; see formulas.h. Formulas of rules are drawn as often as single ops, on any values that are
// there, so that rules meet each other.
#include "tests/rewrite/formulas.h"

enum { STEPS = 14, VALUES = 96 };

typedef struct Draw {
    FormulaKernel k;
    uint64_t state;
    RandomLicences licences;
    TirValue values[VALUES];
    unsigned count;
} Draw;

static uint64_t draw(Draw *d, uint64_t n) { // splitmix64
    uint64_t x = d->state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (x ^ x >> 31) % n;
}

static TirValue keep(Draw *d, TirValue value) {
    if (d->count < VALUES) d->values[d->count++] = value;
    return value;
}

static TirValue pick(Draw *d) {
    // Rather a late one, so that trees grow.
    return draw(d, 3) ? d->values[d->count - 1 - draw(d, d->count < 5 ? d->count : 5)] : d->values[draw(d, d->count)];
}

static uint8_t draw_flags(Draw *d) {
    if (d->licences != RANDOM_FLAGS) return draw(d, 16) ? MATH_FLAGS_ALL : (uint8_t)draw(d, MATH_FLAGS_ALL);
    return draw(d, 3) ? MATH_FLAGS_ALL : (uint8_t)draw(d, MATH_FLAGS_ALL + 1);
}

static void license(Draw *d, TirOp *op) {
    op->math.flags = draw_flags(d);
    if (d->licences == RANDOM_FLAGS && op->kind != TIR_OP_cmpf && op->kind != TIR_OP_select && !draw(d, 40))
        op->math.max_error = 1 + (double)draw(d, 8) / 2;
}

// The formula of a rule, on values that are there.
static TirValue add_formula(Draw *d) {
    const RewriteRuleId rule = (RewriteRuleId)draw(d, REWRITE_RULE_COUNT);
    static const double constants[] = {3, 0.5, -7, 1.5, 4, 0.0625};
    for (int l = 0; l < FORMULA_LETTERS; l++) d->k.letters[l] = TIR_NO_VALUE;
    for (const char *letter = "abcdex"; *letter; letter++) d->k.letters[*letter - 'a'] = pick(d);
    for (const char *letter = "kmy"; *letter; letter++)
        d->k.letters[*letter - 'a'] = formula_constant(&d->k, constants[draw(d, sizeof constants / sizeof *constants)]);
    d->k.letters['p' - 'a'] = formula_constant(&d->k, 8);
    d->k.op_count = 0;
    formula_build(&d->k, formula_from(rule), 0);
    for (unsigned i = 0; i < d->k.op_count; i++) license(d, d->k.ops[i]);
    // Bools become floats.
    if (tir_tile_element_kind(d->k.module, tir_value_type(d->k.function, d->k.result)) != TIR_TYPE_i1)
        return d->k.result;
    return tir_result(formula_op(&d->k, TIR_OP_select, d->k.tile, 3, (TirValue[]){d->k.result, pick(d), pick(d)}), 0);
}

static TirValue add_single(Draw *d) {
    static const TirOpKind kinds[] = {TIR_OP_addf, TIR_OP_addf, TIR_OP_subf, TIR_OP_mulf, TIR_OP_mulf,
                                      TIR_OP_divf, TIR_OP_negf, TIR_OP_fma,  TIR_OP_absf};
    const TirOpKind kind = kinds[draw(d, sizeof kinds / sizeof *kinds)];
    TirValue operands[3];
    const unsigned count = tir_op_info(kind)->operand_count;
    for (unsigned i = 0; i < count; i++) operands[i] = pick(d);
    TirOp *op = formula_op(&d->k, kind, d->k.tile, count, operands);
    license(d, op);
    return tir_result(op, 0);
}

// The sum of 0 * v for all values.
static void add_witness(FormulaKernel *k) {
    const TirValue zero = formula_constant(k, 0);
    TirValue sum = zero;
    const TirOp *last = k->block->last;
    for (TirOp *op = k->block->first; op != last; op = op->next) {
        op->math = (TirMath){0};
        if (!op->result_count || tir_value_type(k->function, tir_result(op, 0)) != k->tile) continue;
        const TirValue product =
            tir_result(formula_op(k, TIR_OP_mulf, k->tile, 2, (TirValue[]){tir_result(op, 0), zero}), 0);
        sum = tir_result(formula_op(k, TIR_OP_addf, k->tile, 2, (TirValue[]){sum, product}), 0);
    }
    k->result = sum;
}

FormulaKernel random_kernel(uint64_t seed, TirTypeKind kind, RandomLicences licences) {
    Draw d = {.k = formula_open(kind), .state = seed, .licences = licences};
    for (unsigned i = 0; i < 4; i++) keep(&d, formula_load(&d.k, i));
    d.k.loaded = 4;
    for (unsigned i = 0; i < STEPS; i++) keep(&d, draw(&d, 2) ? add_formula(&d) : add_single(&d));
    // All of the last ones are used.
    d.k.result = d.values[d.count - 1];
    for (unsigned i = 2; i < 5; i++) {
        TirOp *op = formula_op(&d.k, TIR_OP_addf, d.k.tile, 2, (TirValue[]){d.k.result, d.values[d.count - i]});
        license(&d, op);
        d.k.result = tir_result(op, 0);
    }
    if (licences == WITNESS) add_witness(&d.k);
    formula_end(&d.k);
    return d.k;
}
