// SPDX-License-Identifier: Apache-2.0
// The table of rewrites, and its formulas as trees.
#include "compiler/rewrite/rewrite_rules.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY, ROOT };
enum { NO, YES };
enum { D = 1, Z = 2, B = 4 };
#define F(name) MATH_FLAG_##name
const RewriteRule rewrite_rules[REWRITE_RULE_COUNT] = {
#define RULE(id, row_, step_, from_, to_, flags_, either_, where_, also_, ring_, tower_)                               \
    {.name = #id,                                                                                                      \
     .row = row_,                                                                                                      \
     .step = REWRITE_##step_,                                                                                          \
     .from = from_,                                                                                                    \
     .to = to_,                                                                                                        \
     .flags = flags_,                                                                                                  \
     .either = either_,                                                                                                \
     .at_root = (where_) == ROOT,                                                                                      \
     .directed = ((also_)&D) != 0,                                                                                     \
     .flushing = ((also_)&Z) != 0,                                                                                     \
     .bounded = ((also_)&B) != 0,                                                                                      \
     .in_ring = (ring_) == YES,                                                                                        \
     .in_tower = (tower_) == YES},
#include "compiler/rewrite/rules.def"
#undef RULE
};
#undef F

// ---- formulas -------------------------------------------------------------------------------------------------------

typedef struct FormulaReader {
    RewriteFormula *out;
    const char *at;
} FormulaReader;

static bool accept(FormulaReader *f, char wanted) {
    while (*f->at == ' ') f->at++;
    if (*f->at != wanted) return false;
    f->at++;
    return true;
}

static void expect(FormulaReader *f, char wanted) {
    const bool found = accept(f, wanted);
    assert(found);
    (void)found;
}

static unsigned add_node(FormulaReader *f, const RewriteNode *node) {
    assert(f->out->count < REWRITE_NODES_MAX);
    f->out->nodes[f->out->count] = *node;
    return f->out->count++;
}

static unsigned add_formula_op(FormulaReader *f, TirOpKind op, unsigned count, const unsigned *operands) {
    RewriteNode node = {.form = REWRITE_OP, .op = op, .predicate = -1, .operand_count = (uint8_t)count};
    for (unsigned i = 0; i < count; i++) node.operands[i] = (uint8_t)operands[i];
    return add_node(f, &node);
}

// Functions of formulas: their op, the predicate of a comparison, propagate_nan, below_zero.
static const struct FormulaFunction {
    const char *name;
    TirOpKind op;
    int predicate;
    bool propagate_nan, below_zero;
} formula_functions[] = {
    {"fma", TIR_OP_fma, -1, false, false},
    {"sqrt", TIR_OP_sqrt, -1, false, false},
    {"rsqrt", TIR_OP_rsqrt, -1, false, false},
    {"pow", TIR_OP_pow, -1, false, false},
    {"abs_of_select", TIR_OP_absf, -1, false, true},
    {"select", TIR_OP_select, -1, false, false},
    {"max", TIR_OP_maxf, -1, false, false},
    {"max_nan", TIR_OP_maxf, -1, true, false},
    {"less", TIR_OP_cmpf, TIR_predicate_less_than, false, false},
    {"equal", TIR_OP_cmpf, TIR_predicate_equal, false, false},
    {"at_most", TIR_OP_cmpf, TIR_predicate_less_than_or_equal, false, false},
    {"at_least", TIR_OP_cmpf, TIR_predicate_greater_than_or_equal, false, false},
};

static unsigned read_sum(FormulaReader *f);

// NAME(operand, ...), true, recip(operand)
static unsigned read_function(FormulaReader *f, const char *name, size_t length) {
    unsigned operands[3] = {0}, count = 0;
    if (length == 4 && !strncmp(name, "true", 4)) return add_node(f, &(RewriteNode){.form = REWRITE_TRUE});
    expect(f, '(');
    do operands[count++] = read_sum(f);
    while (accept(f, ',') && count < 3);
    expect(f, ')');
    if (length == 5 && !strncmp(name, "recip", 5))
        return add_node(
            f, &(RewriteNode){.form = REWRITE_RECIPROCAL, .operand_count = 1, .operands = {(uint8_t)operands[0]}});
    for (size_t i = 0; i < sizeof formula_functions / sizeof *formula_functions; i++) {
        const struct FormulaFunction *function = &formula_functions[i];
        if (strlen(function->name) != length || strncmp(function->name, name, length)) continue;
        const unsigned node = add_formula_op(f, function->op, count, operands);
        f->out->nodes[node].predicate = function->predicate;
        f->out->nodes[node].propagate_nan = function->propagate_nan;
        f->out->nodes[node].below_zero = function->below_zero;
        return node;
    }
    assert(!"a function of formulas");
    return 0;
}

// (sum), a number, a letter, a function
static unsigned read_primary(FormulaReader *f) {
    if (accept(f, '(')) {
        const unsigned inner = read_sum(f);
        expect(f, ')');
        return inner;
    }
    const char *name = f->at;
    if (isdigit((unsigned char)*name)) {
        char *end;
        const double number = strtod(name, &end);
        f->at = end;
        return add_node(f, &(RewriteNode){.form = REWRITE_NUMBER, .number = number});
    }
    while (islower((unsigned char)*f->at) || *f->at == '_') f->at++;
    if (f->at - name == 1) return add_node(f, &(RewriteNode){.form = REWRITE_LEAF, .letter = *name});
    return read_function(f, name, (size_t)(f->at - name));
}

// -unary, primary. A number takes its sign: -1 is a constant.
static unsigned read_unary(FormulaReader *f) {
    if (!accept(f, '-')) {
        accept(f, ' ');
        return read_primary(f);
    }
    const unsigned operand = read_unary(f);
    RewriteNode *node = &f->out->nodes[operand];
    if (node->form == REWRITE_NUMBER) {
        node->number = -node->number;
        return operand;
    }
    return add_formula_op(f, TIR_OP_negf, 1, &operand);
}

static unsigned read_product(FormulaReader *f) {
    unsigned operands[2] = {read_unary(f), 0};
    for (;;) {
        const TirOpKind op = accept(f, '*') ? TIR_OP_mulf : accept(f, '/') ? TIR_OP_divf : TIR_OP_COUNT;
        if (op == TIR_OP_COUNT) return operands[0];
        operands[1] = read_unary(f);
        operands[0] = add_formula_op(f, op, 2, operands);
    }
}

static unsigned read_sum(FormulaReader *f) {
    unsigned operands[2] = {read_product(f), 0};
    for (;;) {
        const TirOpKind op = accept(f, '+') ? TIR_OP_addf : accept(f, '-') ? TIR_OP_subf : TIR_OP_COUNT;
        if (op == TIR_OP_COUNT) return operands[0];
        operands[1] = read_product(f);
        operands[0] = add_formula_op(f, op, 2, operands);
    }
}

RewriteFormula rewrite_formula(const char *text) {
    RewriteFormula formula = {0};
    FormulaReader f = {&formula, text};
    const unsigned root = read_sum(&f);
    assert(!*f.at && root + 1 == formula.count);
    (void)root;
    return formula;
}
