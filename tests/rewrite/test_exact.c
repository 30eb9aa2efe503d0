// SPDX-License-Identifier: Apache-2.0
// Both sides of each rewrite, evaluated exactly: over rational numbers, infinities, NaN and signed zeros they are equal
// wherever the value flags of the rule do not exclude the operands, and without any one of these flags they are not.
// Evaluated with rounding they differ if the rule needs a licence to round differently, and else they do not.
//
// When a flag is needed:
// - nnan, ninf, nsz: there are operands that only this flag excludes, for which the sides differ as exact numbers;
// - contract, reassoc, arcp: the step of the rule that this flag allows (`steps` below) keeps the exact number and
//   changes a rounded one;
// - afn: a function is computed by another op, so another approximation is used.
#include "tests/accuracy/reference.h"
#include "tests/rewrite/formulas.h"

#include <criterion/criterion.h>
#include <gmp.h>
#include <math.h>
#include <string.h>

// ---- exact numbers --------------------------------------------------------------------------------------------------

typedef enum ExactKind { EXACT_NAN, EXACT_INFINITE, EXACT_ZERO, EXACT_NUMBER } ExactKind;
typedef struct Exact {
    ExactKind kind;
    bool negative; // of infinities and zeros
    bool truth;    // of comparisons
    mpq_t value;   // of numbers, not 0
} Exact;

static void exact_set_kind(Exact *x, ExactKind kind, bool negative) {
    x->kind = kind;
    x->negative = negative;
}

static bool is_negative(const Exact *x) {
    return x->kind == EXACT_NUMBER ? mpq_sgn(x->value) < 0 : x->negative;
}

// A number from x->value; a zero gets this sign.
static void exact_normalize(Exact *x, bool zero_is_negative) {
    mpq_canonicalize(x->value);
    exact_set_kind(x, mpq_sgn(x->value) ? EXACT_NUMBER : EXACT_ZERO, zero_is_negative);
}

static void exact_set(Exact *x, double number) {
    if (isnan(number) || isinf(number)) {
        exact_set_kind(x, isnan(number) ? EXACT_NAN : EXACT_INFINITE, number < 0);
        return;
    }
    mpq_set_d(x->value, number);
    exact_normalize(x, signbit(number));
}

static void exact_copy(Exact *to, const Exact *from) {
    exact_set_kind(to, from->kind, from->negative);
    to->truth = from->truth;
    mpq_set(to->value, from->value);
}

static void exact_neg(Exact *out, const Exact *a) {
    exact_copy(out, a);
    out->negative = !a->negative;
    mpq_neg(out->value, out->value);
}

static void exact_add(Exact *out, const Exact *a, const Exact *b) {
    if (a->kind == EXACT_NAN || b->kind == EXACT_NAN) {
        exact_set_kind(out, EXACT_NAN, false);
    } else if (a->kind == EXACT_INFINITE || b->kind == EXACT_INFINITE) {
        const bool both = a->kind == b->kind;
        if (both && a->negative != b->negative)
            exact_set_kind(out, EXACT_NAN, false);
        else
            exact_copy(out, a->kind == EXACT_INFINITE ? a : b);
    } else if (a->kind == EXACT_ZERO && b->kind == EXACT_ZERO) {
        exact_set_kind(out, EXACT_ZERO, a->negative && b->negative);
    } else if (a->kind == EXACT_ZERO || b->kind == EXACT_ZERO) {
        exact_copy(out, a->kind == EXACT_ZERO ? b : a);
    } else {
        mpq_add(out->value, a->value, b->value);
        exact_normalize(out, false);
    }
}

static void exact_mul(Exact *out, const Exact *a, const Exact *b) {
    const bool negative = is_negative(a) != is_negative(b),
               infinite = a->kind == EXACT_INFINITE || b->kind == EXACT_INFINITE,
               zero = a->kind == EXACT_ZERO || b->kind == EXACT_ZERO;
    if (a->kind == EXACT_NAN || b->kind == EXACT_NAN || (infinite && zero)) {
        exact_set_kind(out, EXACT_NAN, false);
    } else if (infinite || zero) {
        exact_set_kind(out, infinite ? EXACT_INFINITE : EXACT_ZERO, negative);
    } else {
        mpq_mul(out->value, a->value, b->value);
        exact_normalize(out, negative);
    }
}

static void exact_div(Exact *out, const Exact *a, const Exact *b) {
    const bool negative = is_negative(a) != is_negative(b);
    if (a->kind == EXACT_NAN || b->kind == EXACT_NAN || (a->kind == b->kind && a->kind != EXACT_NUMBER)) {
        exact_set_kind(out, EXACT_NAN, false);
    } else if (a->kind == EXACT_INFINITE || b->kind == EXACT_ZERO) {
        exact_set_kind(out, EXACT_INFINITE, negative);
    } else if (a->kind == EXACT_ZERO || b->kind == EXACT_INFINITE) {
        exact_set_kind(out, EXACT_ZERO, negative);
    } else {
        mpq_div(out->value, a->value, b->value);
        exact_normalize(out, negative);
    }
}

// Of squares of rational numbers, which is what is tried.
static void exact_sqrt(Exact *out, const Exact *a) {
    exact_copy(out, a);
    if (a->kind == EXACT_ZERO || a->kind == EXACT_NAN) return;
    if (is_negative(a)) {
        exact_set_kind(out, EXACT_NAN, false);
        return;
    }
    if (a->kind == EXACT_INFINITE) return;
    cr_assert(mpz_perfect_square_p(mpq_numref(a->value)) && mpz_perfect_square_p(mpq_denref(a->value)));
    mpz_sqrt(mpq_numref(out->value), mpq_numref(a->value));
    mpz_sqrt(mpq_denref(out->value), mpq_denref(a->value));
}

// x ** 0.5, x ** 2, x ** -1 as C's pow has them at zeros and infinities.
static void exact_pow(Exact *out, const Exact *a, const Exact *b, Exact *one) {
    const double exponent = mpq_get_d(b->value);
    if (exponent == 2) {
        exact_mul(out, a, a);
    } else if (exponent == -1) {
        exact_set(one, 1);
        exact_div(out, one, a);
    } else {
        cr_assert_eq(exponent, 0.5);
        if (a->kind == EXACT_ZERO || a->kind == EXACT_INFINITE)
            exact_set_kind(out, a->kind, false); // pow(-0, 0.5) is 0, pow(-inf, 0.5) is inf
        else
            exact_sqrt(out, a);
    }
}

// -1, 0, 1; 2: unordered.
static int exact_compare(const Exact *a, const Exact *b) {
    if (a->kind == EXACT_NAN || b->kind == EXACT_NAN) return 2;
    if (a->kind == EXACT_INFINITE || b->kind == EXACT_INFINITE) {
        const int left = a->kind == EXACT_INFINITE ? (a->negative ? -1 : 1) : 0,
                  right = b->kind == EXACT_INFINITE ? (b->negative ? -1 : 1) : 0;
        return (left > right) - (left < right);
    }
    const int left = a->kind == EXACT_ZERO ? 0 : mpq_sgn(a->value),
              right = b->kind == EXACT_ZERO ? 0 : mpq_sgn(b->value);
    if (left != right) return left < right ? -1 : 1;
    if (!left) return 0;
    const int order = mpq_cmp(a->value, b->value);
    return (order > 0) - (order < 0);
}

// ---- formulas -------------------------------------------------------------------------------------------------------

typedef struct Evaluation {
    Exact nodes[REWRITE_NODES_MAX + 1]; // and a spare one
} Evaluation;

static void evaluation_open(Evaluation *e) {
    for (unsigned i = 0; i <= REWRITE_NODES_MAX; i++) mpq_init(e->nodes[i].value);
}

static void evaluation_close(Evaluation *e) {
    for (unsigned i = 0; i <= REWRITE_NODES_MAX; i++) mpq_clear(e->nodes[i].value);
}

static void exact_extreme(Exact *out, const Exact *a, const Exact *b, bool propagate_nan) {
    if (propagate_nan && (a->kind == EXACT_NAN || b->kind == EXACT_NAN)) {
        exact_set_kind(out, EXACT_NAN, false);
        return;
    }
    const int order = exact_compare(a, b);
    if (order == 2)
        exact_copy(out, a->kind == EXACT_NAN ? b : a);
    else if (!order && a->kind == EXACT_ZERO)
        exact_set_kind(out, EXACT_ZERO, a->negative && b->negative);
    else
        exact_copy(out, order >= 0 ? a : b);
}

static bool exact_holds(int predicate, int order) {
    if (order == 2) return false; // comparisons of formulas are ordered
    switch (predicate) {
    case TIR_predicate_equal: return !order;
    case TIR_predicate_less_than: return order < 0;
    case TIR_predicate_less_than_or_equal: return order <= 0;
    case TIR_predicate_greater_than_or_equal: return order >= 0;
    default: cr_assert_fail("a predicate of formulas"); return false;
    }
}

static void evaluate_op(Evaluation *e, const RewriteNode *node, Exact *out) {
    const Exact *x[3] = {NULL, NULL, NULL};
    Exact *spare = &e->nodes[REWRITE_NODES_MAX];
    for (unsigned i = 0; i < node->operand_count; i++) x[i] = &e->nodes[node->operands[i]];
    switch (node->op) {
    case TIR_OP_addf: exact_add(out, x[0], x[1]); break;
    case TIR_OP_subf:
        exact_neg(spare, x[1]);
        exact_add(out, x[0], spare);
        break;
    case TIR_OP_mulf: exact_mul(out, x[0], x[1]); break;
    case TIR_OP_divf: exact_div(out, x[0], x[1]); break;
    case TIR_OP_fma:
        exact_mul(spare, x[0], x[1]);
        exact_add(out, spare, x[2]);
        break;
    case TIR_OP_negf: exact_neg(out, x[0]); break;
    case TIR_OP_absf:
        if (is_negative(x[0]))
            exact_neg(out, x[0]);
        else
            exact_copy(out, x[0]);
        break;
    case TIR_OP_sqrt: exact_sqrt(out, x[0]); break;
    case TIR_OP_rsqrt: // 1 / sqrt(x)
        exact_sqrt(out, x[0]);
        exact_copy(spare, out);
        exact_set(out, 1);
        exact_div(out, out, spare);
        break;
    case TIR_OP_pow: exact_pow(out, x[0], x[1], spare); break;
    case TIR_OP_maxf: exact_extreme(out, x[0], x[1], node->propagate_nan); break;
    case TIR_OP_cmpf:
        out->truth = exact_holds(node->predicate, exact_compare(x[0], x[1]));
        exact_set(out, 1);
        break;
    case TIR_OP_select: exact_copy(out, x[0]->truth ? x[1] : x[2]); break;
    default: cr_assert_fail("an op of formulas");
    }
}

static const Exact *evaluate(Evaluation *e, const RewriteFormula *formula, const double *letters) {
    for (unsigned i = 0; i < formula->count; i++) {
        const RewriteNode *node = &formula->nodes[i];
        Exact *out = &e->nodes[i];
        out->truth = false;
        if (node->form == REWRITE_LEAF) exact_set(out, letters[node->letter - 'a']);
        if (node->form == REWRITE_NUMBER) exact_set(out, node->number);
        if (node->form == REWRITE_TRUE) {
            exact_set(out, 1);
            out->truth = true;
        }
        if (node->form == REWRITE_OP) evaluate_op(e, node, out);
    }
    return &e->nodes[formula->count - 1];
}

// Whether the flags exclude the operands: an op that has them is given or gives a NaN or an infinity. With at_root only
// the root has flags. The select of V3 says nothing of its condition.
static bool is_excluded(const Evaluation *e, const RewriteFormula *formula, uint8_t flags, bool at_root) {
    for (unsigned i = 0; i < formula->count; i++) {
        const RewriteNode *node = &formula->nodes[i];
        if (node->form != REWRITE_OP || (at_root && i + 1 < formula->count)) continue;
        for (unsigned o = 0; o <= node->operand_count; o++) {
            const ExactKind kind = e->nodes[o < node->operand_count ? node->operands[o] : i].kind;
            if ((kind == EXACT_NAN && flags & MATH_FLAG_nnan) || (kind == EXACT_INFINITE && flags & MATH_FLAG_ninf))
                return true;
        }
    }
    return false;
}

static bool is_same(const Exact *a, const Exact *b, bool signs) {
    if (a->kind != b->kind || a->truth != b->truth) return false;
    if (a->kind == EXACT_NUMBER) return mpq_equal(a->value, b->value);
    if (a->kind == EXACT_NAN || (a->kind == EXACT_ZERO && !signs)) return true;
    return a->negative == b->negative;
}

// ---- all operands ---------------------------------------------------------------------------------------------------

static const double any_number[] = {-INFINITY, -3, -1, -0.5, -0.0, 0.0, 0.25, 1, 2, 5, INFINITY, NAN};
static const double any_square[] = {-INFINITY, -4, -0.0, 0.0, 0.25, 1, 9, INFINITY, NAN};
static const double any_constant[] = {-3, 0.5, 7};
static const double any_power[] = {0.125, 1, 4};

typedef struct Range {
    const double *items;
    size_t count;
} Range;
#define RANGE(array) ((Range){array, BASE_COUNT(array)})

static bool has_letter(const RewriteFormula *formula, char letter) {
    for (unsigned i = 0; i < formula->count; i++)
        if (formula->nodes[i].form == REWRITE_LEAF && formula->nodes[i].letter == letter) return true;
    return false;
}

// What x has to be a square for.
static bool takes_roots(const RewriteFormula *formula) {
    for (unsigned i = 0; i < formula->count; i++) {
        const RewriteNode *node = &formula->nodes[i];
        if (node->form != REWRITE_OP) continue;
        if (node->op == TIR_OP_sqrt || node->op == TIR_OP_rsqrt || node->op == TIR_OP_pow) return true;
    }
    return false;
}

static Range range_of(const RewriteFormula *formula, char letter) {
    if (!has_letter(formula, letter)) return (Range){any_number, 1};
    if (letter == 'k' || letter == 'm') return RANGE(any_constant);
    if (letter == 'p') return RANGE(any_power);
    if (letter == 'x' && takes_roots(formula)) return RANGE(any_square);
    return RANGE(any_number);
}

// Calls `visit` for all operands of the formula. Chains of five have few numbers each.
typedef void Visit(void *data, const double *letters);
static void each_operands(const RewriteFormula *formula, Visit *visit, void *data) {
    static const double few[] = {-INFINITY, -1, -0.0, 0.0, 2, INFINITY, NAN};
    size_t at[FORMULA_LETTERS] = {0};
    double letters[FORMULA_LETTERS];
    Range ranges[FORMULA_LETTERS];
    for (int l = 0; l < FORMULA_LETTERS; l++) {
        ranges[l] = range_of(formula, (char)('a' + l));
        if (has_letter(formula, 'e') && ranges[l].count > 1) ranges[l] = RANGE(few);
    }
    for (;;) {
        for (int l = 0; l < FORMULA_LETTERS; l++) letters[l] = ranges[l].items[at[l]];
        visit(data, letters);
        int l = 0;
        while (l < FORMULA_LETTERS && ++at[l] == ranges[l].count) at[l++] = 0;
        if (l == FORMULA_LETTERS) return;
    }
}

typedef struct Search {
    const RewriteFormula *from, *to;
    uint8_t flags;
    bool at_root;
    Evaluation left, right;
    size_t compared, differences;
    double shown[FORMULA_LETTERS]; // operands of a difference
} Search;

// New constants are made only of normal numbers.
static bool sums_vanish(const RewriteFormula *to, const Evaluation *e) {
    for (unsigned i = 0; i < to->count; i++) {
        const RewriteNode *node = &to->nodes[i];
        if (node->form != REWRITE_OP || e->nodes[i].kind != EXACT_ZERO) continue;
        bool constant = true;
        for (unsigned o = 0; o < node->operand_count; o++) {
            const RewriteNode *operand = &to->nodes[node->operands[o]];
            constant &= operand->form == REWRITE_LEAF && strchr("kmp", operand->letter);
        }
        if (constant) return true;
    }
    return false;
}

static void compare_sides(void *data, const double *letters) {
    Search *s = data;
    const Exact *left = evaluate(&s->left, s->from, letters), *right = evaluate(&s->right, s->to, letters);
    if (is_excluded(&s->left, s->from, s->flags, s->at_root) || sums_vanish(s->to, &s->right)) return;
    s->compared++;
    if (is_same(left, right, !(s->flags & MATH_FLAG_nsz))) return;
    s->differences++;
    memcpy(s->shown, letters, sizeof s->shown);
}

// How many operands show a difference where the flags do not exclude them; `shown` (or NULL): the last of these.
static size_t exact_differences(RewriteRuleId rule, uint8_t flags, double *shown) {
    const RewriteFormula from = rewrite_formula(formula_from(rule)), to = rewrite_formula(formula_to(rule));
    Search s = {.from = &from, .to = &to, .flags = flags, .at_root = rewrite_rules[rule].at_root};
    evaluation_open(&s.left);
    evaluation_open(&s.right);
    each_operands(&from, compare_sides, &s);
    evaluation_close(&s.left);
    evaluation_close(&s.right);
    cr_expect_gt(s.compared, 2, "%s", rewrite_rules[rule].name);
    if (shown) memcpy(shown, s.shown, sizeof s.shown);
    return s.differences;
}

Test(exact, sides_are_equal_where_flags_exclude_nothing) {
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRule *row = &rewrite_rules[r];
        for (unsigned bit = 1; bit < MATH_FLAGS_ALL; bit *= 2) {
            const unsigned more = row->either & bit;
            double at[FORMULA_LETTERS];
            if (!more && (row->either || bit > 1)) continue;
            cr_expect_eq(exact_differences((RewriteRuleId)r, (uint8_t)(row->flags | more), at), 0,
                         "%s with %u more: a %g b %g c %g x %g y %g", row->name, more, at[0], at[1], at[2],
                         at['x' - 'a'], at['y' - 'a']);
        }
    }
}

Test(exact, each_value_flag_excludes_something_that_differs) {
    unsigned tried = 0;
    for (int r = 0; r < REWRITE_RULE_COUNT; r++) {
        const RewriteRule *row = &rewrite_rules[r];
        for (unsigned bit = 1; bit < MATH_FLAGS_ALL; bit *= 2) {
            if (!(bit & MATH_FLAGS_OF_VALUES)) continue;
            if (row->flags & bit) {
                const uint8_t others = (uint8_t)((row->flags & ~bit) | (row->either & MATH_FLAG_nnan));
                cr_expect_gt(exact_differences((RewriteRuleId)r, others, NULL), 0, "%s does not need %u", row->name,
                             bit);
                tried++;
            }
        }
        if (row->either) {
            cr_expect_gt(exact_differences((RewriteRuleId)r, row->flags, NULL), 0, "%s needs neither", row->name);
            tried++;
        }
    }
    cr_expect_geq(tried, 12);
}
