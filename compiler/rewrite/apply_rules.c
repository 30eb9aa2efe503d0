// SPDX-License-Identifier: Apache-2.0
// Applies the table of rewrites: finds trees that match, and makes what they become.
#include "compiler/rewrite/rewrite_rules.h"

#include <assert.h>
#include <string.h>

enum { LETTERS = 26, SWEEPS_MAX = 64, CONSTANT_DEPTH_MAX = 8, CONSTANT_ELEMENTS_MAX = 1 << 16, FIRINGS_PER_OP = 16 };

typedef struct Pass {
    Rewriter r;
    const RewriteProfile *profile;
    RewriteFirings *firings;
    TirBlock **blocks; // of the function, outer ones first
    size_t block_count, block_capacity;
    uint32_t sweep;                                                  // number of the sweep over a block
    RewriteFormula from[REWRITE_RULE_COUNT], to[REWRITE_RULE_COUNT]; // of the step's rules
} Pass;

// A tree that is looked at.
typedef struct Match {
    Pass *pass;
    const RewriteRule *rule;
    const RewriteFormula *from, *to;
    TirOp *root;
    TirType type;                   // of the floats
    unsigned order;                 // bit i: operands of the i-th commutative op are exchanged
    TirValue letters[LETTERS];      // TIR_NO_VALUE: not bound
    TirOp *tree[REWRITE_NODES_MAX]; // its ops, the root first
    unsigned tree_count;
} Match;

// ---- constants ------------------------------------------------------------------------------------------------------

static FpsanFormat format_of(const Rewriter *r, TirType type) {
    return tir_float_format(tir_tile_element_kind(r->function->module, type));
}

static bool changes_shape(TirOpKind kind) {
    return kind == TIR_OP_broadcast || kind == TIR_OP_reshape || kind == TIR_OP_permute;
}

static bool computes_constant(const TirOp *op) {
    const bool is_arithmetic =
        op->kind == TIR_OP_addf || op->kind == TIR_OP_subf || op->kind == TIR_OP_mulf || op->kind == TIR_OP_divf;
    return is_arithmetic && rewrite_rounding(op) == TIR_rounding_nearest_even;
}

// Whether all elements are known: a constant, one element of it in all of another shape, or sums, products and
// quotients of such. *is_splat: they are all the same.
static bool is_constant(Rewriter *r, TirValue value, unsigned depth, bool *is_splat) {
    const TirOp *op = rewriter_definition(r, value);
    if (!op || depth == CONSTANT_DEPTH_MAX) return false;
    const TirType type = tir_value_type(r->function, tir_result(op, 0));
    const TirModule *module = r->function->module;
    if (op->kind == TIR_OP_constant) {
        if (format_of(r, type) == FPSAN_FORMAT_COUNT) return false;
        if (tir_constant_is_splat(module, type, &tir_attribute(op, "value")->constant)) return true;
        *is_splat = false;
        return tir_tile_elements(module, type) <= CONSTANT_ELEMENTS_MAX;
    }
    if (changes_shape(op->kind)) {
        bool splat = true;
        return is_constant(r, op->operands[0], depth + 1, &splat) && splat;
    }
    return computes_constant(op) && is_constant(r, op->operands[0], depth + 1, is_splat) &&
           is_constant(r, op->operands[1], depth + 1, is_splat);
}

static bool is_subnormal(FpsanFormat format, double x) {
    return fpsan_classify_bits(format, fpsan_encode_nearest(format, x)) & FPSAN_CLASS_SUBNORMAL;
}

static double flushed(FpsanFormat format, double x, bool flush) {
    return flush && is_subnormal(format, x) ? 0 : x;
}

// The sum, difference, product or quotient. A double has more than twice the bits of a shorter format, so that rounding
// to it first changes nothing.
static double compute(FpsanFormat format, TirOpKind op, bool flush, double a, double b) {
    a = flushed(format, a, flush);
    b = flushed(format, b, flush);
    const double exact = op == TIR_OP_addf ? a + b : op == TIR_OP_subf ? a - b : op == TIR_OP_mulf ? a * b : a / b;
    return flushed(format, fpsan_decode(format, fpsan_encode_nearest(format, exact)), flush);
}

// Element `index` of what is_constant says yes to.
static double constant_number(Rewriter *r, TirValue value, int64_t index) {
    const TirOp *op = rewriter_definition(r, value);
    const TirType type = tir_value_type(r->function, tir_result(op, 0));
    if (op->kind == TIR_OP_constant) {
        const TirConstant *constant = &tir_attribute(op, "value")->constant;
        return fpsan_decode(format_of(r, type), tir_constant_bits(r->function->module, type, constant, index));
    }
    if (changes_shape(op->kind)) return constant_number(r, op->operands[0], 0);
    return compute(format_of(r, type), op->kind, rewrite_flushes(op), constant_number(r, op->operands[0], index),
                   constant_number(r, op->operands[1], index));
}

// How many elements of constants of that type have to be looked at.
static int64_t elements_of(const Rewriter *r, TirType type, bool is_splat) {
    return is_splat ? 1 : tir_tile_elements(r->function->module, type);
}

// Whether the value is a constant, and all its elements have the bits of the number: 0 is not -0.
static bool is_number(Rewriter *r, TirValue value, double number) {
    bool is_splat = true;
    const TirOp *op = rewriter_definition(r, value);
    if (!op || (op->kind != TIR_OP_constant && !changes_shape(op->kind))) return false;
    if (!is_constant(r, value, 0, &is_splat) || !is_splat) return false;
    const double found = constant_number(r, value, 0);
    return !memcmp(&found, &number, sizeof number);
}

// Whether each element is 2^n.
static bool is_power(Rewriter *r, TirValue value) {
    bool is_splat = true;
    if (!is_constant(r, value, 0, &is_splat)) return false;
    const TirType type = tir_value_type(r->function, rewriter_value(r, value));
    for (int64_t i = 0; i < elements_of(r, type, is_splat); i++) {
        const double x = constant_number(r, value, i);
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        const uint64_t exponent = bits >> 52; // with the sign, which is 0
        if (bits << 12 || !exponent || exponent >= 0x7FF) return false;
    }
    return true;
}

static bool is_all_constant(Rewriter *r, const TirOp *op) {
    bool is_splat = true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!is_constant(r, op->operands[i], 0, &is_splat)) return false;
    return true;
}

// A new op on constants alone need not flush where nothing is subnormal: LLVM folds no op of GPUs that flushes.
static void fold_without_flushing(Rewriter *r, TirOp *op) {
    bool is_splat = true;
    const TirType type = tir_value_type(r->function, tir_result(op, 0));
    const FpsanFormat format = format_of(r, type);
    if (!is_constant(r, tir_result(op, 0), 0, &is_splat) || !tir_attribute(op, "ftz")) return;
    for (int64_t i = 0; i < elements_of(r, type, is_splat); i++) {
        const double a = constant_number(r, op->operands[0], i), b = constant_number(r, op->operands[1], i);
        if (is_subnormal(format, a) || is_subnormal(format, b) ||
            is_subnormal(format, compute(format, op->kind, false, a, b)))
            return;
    }
    tir_op_set(op, "ftz")->present = false;
}

// ---- reciprocals ----------------------------------------------------------------------------------------------------

// Where the reciprocal of a divisor is computed.
typedef struct Reciprocal {
    TirValue source; // the divisor before it was reshaped and broadcast
    TirOp *place;    // the reciprocal comes before it
    bool is_broadcast, leaves_loop;
} Reciprocal;

static TirBlock *block_of(const Rewriter *r, TirValue value) {
    return tir_value(r->function, value)->block;
}

static Reciprocal find_reciprocal(Rewriter *r, TirOp *root, TirValue divisor) {
    Reciprocal found = {.source = rewriter_value(r, divisor), .place = root};
    TirValue value = found.source;
    for (const TirOp *op; (op = rewriter_definition(r, value));) {
        if (op->kind != TIR_OP_broadcast && op->kind != TIR_OP_reshape) break;
        value = rewriter_operand(r, op, 0);
        found.is_broadcast |= op->kind == TIR_OP_broadcast;
    }
    if (found.is_broadcast) found.source = value;
    const TirBlock *wanted = block_of(r, found.source);
    for (const TirBlock *block = root->block; block != wanted;) {
        TirOp *owner = block->region->owner;
        if (!owner) break;
        if (owner->kind == TIR_OP_for || owner->kind == TIR_OP_loop) {
            found.place = owner;
            found.leaves_loop = true;
        }
        block = owner->block;
    }
    return found;
}

// Whether `op` comes before `user` in its block, or before an op around it.
static bool is_visible(const TirOp *op, const TirOp *user) {
    while (user && user->block != op->block) user = user->block->region->owner;
    for (const TirOp *later = user ? op->next : NULL; later; later = later->next)
        if (later == user) return true;
    return false;
}

// 1 / source that was made before and that the root can use; or NULL.
static TirOp *reciprocal_made(Match *m, TirValue source) {
    Rewriter *r = &m->pass->r;
    const TirOp *root = m->root;
    const TirValue value = r->values[source].reciprocal;
    if (value == TIR_NO_VALUE || rewriter_value(r, value) != value || !r->values[value].uses) return NULL;
    TirOp *op = rewriter_definition(r, value);
    const bool same = op->kind == TIR_OP_divf && rewrite_rounding(op) == rewrite_rounding(root) &&
                      rewrite_flushes(op) == rewrite_flushes(root);
    // A sweep goes forward, so what it made in this block is before the root.
    const bool before = op->block == root->block && r->values[source].sweep == m->pass->sweep;
    return same && (before || is_visible(op, root)) ? op : NULL;
}

static bool divides_alike(const RewriteRule *rule, const TirOp *op, const TirOp *root) {
    return op->kind == TIR_OP_divf && (op->math.flags & rule->flags) == rule->flags && !op->math.max_error &&
           rewrite_rounding(op) == rewrite_rounding(root) && rewrite_flushes(op) == rewrite_flushes(root);
}

// Whether another op of the root's block that the rule is for divides by the same.
static bool divides_twice(Match *m, TirValue divisor) {
    Rewriter *r = &m->pass->r;
    const TirValue value = rewriter_value(r, divisor);
    if (r->values[value].uses < 2 || r->values[value].divisions < 2) return false;
    for (const TirOp *op = m->root->block->first; op; op = op->next)
        if (op != m->root && divides_alike(m->rule, op, m->root) && rewriter_operand(r, op, 1) == value) return true;
    return false;
}

// Whether x / y becomes cheaper as x * (1 / y): the reciprocal is known, or is computed less often.
static bool reciprocal_pays(Match *m, TirValue divisor) {
    Rewriter *r = &m->pass->r;
    bool is_splat = true;
    if (is_number(r, m->root->operands[0], 1)) return false; // it is a reciprocal
    if (is_constant(r, divisor, 0, &is_splat)) return true;
    const Reciprocal where = find_reciprocal(r, m->root, divisor);
    return where.is_broadcast || where.leaves_loop || divides_twice(m, divisor);
}

// The ops between `source` and `value` on another operand.
static TirValue reshape_again(Match *m, TirValue value, TirValue source, TirValue operand) {
    Rewriter *r = &m->pass->r;
    value = rewriter_value(r, value);
    if (value == source) return operand;
    const TirOp *op = rewriter_definition(r, value);
    operand = reshape_again(m, rewriter_operand(r, op, 0), source, operand);
    return tir_result(rewriter_reshape(r, m->root, op, operand, m->root), 0);
}

static TirValue make_reciprocal(Match *m, TirValue divisor, const RewriteSources *sources) {
    Rewriter *r = &m->pass->r;
    const Reciprocal where = find_reciprocal(r, m->root, divisor);
    TirOp *made = reciprocal_made(m, where.source);
    if (made) {
        rewriter_merge(r, made, sources);
    } else {
        const TirType type = tir_value_type(r->function, where.source);
        const uint64_t one = fpsan_format_info(format_of(r, type))->one;
        const TirOp *constant = rewriter_constant(r, where.place, type, one, m->root);
        const TirValue operands[2] = {tir_result(constant, 0), where.source};
        made = tir_rewrite(
            r, where.place,
            &(TirNewOp){
                .kind = TIR_OP_divf, .operand_count = 2, .operands = operands, .result_count = 1, .results = &type},
            sources);
        fold_without_flushing(r, made);
        r->values[where.source].reciprocal = tir_result(made, 0);
        r->values[where.source].sweep = m->pass->sweep;
    }
    return reshape_again(m, divisor, where.source, tir_result(made, 0));
}

// ---- matching -------------------------------------------------------------------------------------------------------

static bool is_commutative(TirOpKind kind) {
    return kind == TIR_OP_addf || kind == TIR_OP_mulf || kind == TIR_OP_fma || kind == TIR_OP_maxf;
}

static unsigned commutative_ops(const RewriteFormula *formula, unsigned before) {
    unsigned count = 0;
    for (unsigned i = 0; i < before; i++)
        count += formula->nodes[i].form == REWRITE_OP && is_commutative(formula->nodes[i].op);
    return count;
}

// The type of the floats that the op is about.
static TirType float_type(const Rewriter *r, const TirOp *op) {
    return tir_value_type(r->function, op->kind == TIR_OP_cmpf ? op->operands[0] : tir_result(op, 0));
}

static bool is_licensed(const RewriteRule *rule, const TirOp *op, bool is_root) {
    if (!rule->bounded && op->math.max_error) return false;
    if (rule->at_root && !is_root) return true;
    return (op->math.flags & rule->flags) == rule->flags && (!rule->either || op->math.flags & rule->either);
}

static bool rounds_alike(const RewriteRule *rule, const TirOp *op, const TirOp *root) {
    const uint64_t rounding = rewrite_rounding(op);
    const bool flushes = rewrite_flushes(op);
    if (!rule->directed && rounding != TIR_rounding_nearest_even) return false;
    if (!rule->flushing && flushes) return false;
    if (op->kind == TIR_OP_negf && !flushes) return true; // exact: its neighbours flush and round
    return rounding == rewrite_rounding(root) && flushes == rewrite_flushes(root);
}

// Whether an op inside a tree with this root is of it.
static bool is_inside(Rewriter *r, const TirOp *op, const TirOp *root) {
    return op->block == root->block && r->values[tir_result(op, 0)].uses == 1;
}

static bool is_op_of(const RewriteNode *node, const TirOp *op) {
    if (op->kind != node->op) return false;
    if (node->predicate >= 0)
        return tir_attribute_integer(op, "predicate") == (uint64_t)node->predicate &&
               tir_attribute_integer(op, "ordering") == TIR_ordering_ordered;
    return op->kind != TIR_OP_maxf || (tir_attribute(op, "nan") != NULL) == node->propagate_nan;
}

static bool match_node(Match *m, unsigned index, TirValue value);

static bool match_op(Match *m, unsigned index, TirOp *op) {
    Rewriter *r = &m->pass->r;
    const RewriteNode *node = &m->from->nodes[index];
    const bool is_root = op == m->root;
    if (!is_op_of(node, op) || (!is_root && !is_inside(r, op, m->root))) return false;
    if (!is_licensed(m->rule, op, is_root) || !rounds_alike(m->rule, op, m->root) || float_type(r, op) != m->type)
        return false;
    m->tree[m->tree_count++] = op;
    const bool exchanged = is_commutative(op->kind) && m->order >> commutative_ops(m->from, index) & 1;
    for (unsigned i = 0; i < node->operand_count; i++)
        if (!match_node(m, node->operands[i], op->operands[exchanged && i < 2 ? 1 - i : i])) return false;
    return true;
}

static bool match_leaf(Match *m, char letter, TirValue value) {
    Rewriter *r = &m->pass->r;
    TirValue *bound = &m->letters[letter - 'a'];
    bool is_splat;
    if (*bound != TIR_NO_VALUE) return *bound == value;
    *bound = value;
    switch (letter) {
    case 'k':
    case 'm': return is_constant(r, value, 0, &is_splat);
    case 'p': return is_power(r, value);
    default: return true;
    }
}

static bool match_node(Match *m, unsigned index, TirValue value) {
    const RewriteNode *node = &m->from->nodes[index];
    value = rewriter_value(&m->pass->r, value);
    switch (node->form) {
    case REWRITE_LEAF: return match_leaf(m, node->letter, value);
    case REWRITE_NUMBER: return is_number(&m->pass->r, value, node->number);
    case REWRITE_OP: {
        TirOp *op = rewriter_definition(&m->pass->r, value);
        return op && match_op(m, index, op);
    }
    default: return false; // only in what trees become
    }
}

// Whether the node is made of constants alone. Then number_of is an element of it.
static bool is_constant_node(const RewriteFormula *formula, unsigned index) {
    const RewriteNode *node = &formula->nodes[index];
    if (node->form == REWRITE_LEAF) return strchr("kmp", node->letter) != NULL;
    if (node->form != REWRITE_OP) return node->form == REWRITE_NUMBER;
    for (unsigned i = 0; i < node->operand_count; i++)
        if (!is_constant_node(formula, node->operands[i])) return false;
    return true;
}

static double number_of(Match *m, unsigned index, int64_t element) {
    const RewriteNode *node = &m->to->nodes[index];
    if (node->form == REWRITE_NUMBER) return node->number;
    if (node->form == REWRITE_LEAF) return constant_number(&m->pass->r, m->letters[node->letter - 'a'], element);
    return compute(format_of(&m->pass->r, m->type), node->op, rewrite_flushes(m->root),
                   number_of(m, node->operands[0], element), number_of(m, node->operands[1], element));
}

// Whether the new ops on constants alone give neither zeros, nor subnormal numbers, nor infinities.
static bool constants_fit(Match *m) {
    const FpsanFormat format = format_of(&m->pass->r, m->type);
    for (unsigned i = 0; i < m->to->count; i++) {
        if (m->to->nodes[i].form != REWRITE_OP || !is_constant_node(m->to, i)) continue;
        const int64_t count = tir_tile_elements(m->pass->r.function->module, m->type);
        bool is_splat = true;
        for (const char *letter = "kmp"; *letter; letter++) {
            const TirValue value = m->letters[*letter - 'a'];
            if (value != TIR_NO_VALUE) is_constant(&m->pass->r, value, 0, &is_splat);
        }
        for (int64_t e = 0; e < (is_splat ? 1 : count); e++) {
            const uint64_t bits = fpsan_encode_nearest(format, number_of(m, i, e));
            if (!(fpsan_classify_bits(format, bits) & FPSAN_CLASS_NORMAL)) return false;
        }
    }
    return true;
}

static bool pays(Match *m) {
    for (unsigned i = 0; i < m->to->count; i++)
        if (m->to->nodes[i].form == REWRITE_RECIPROCAL &&
            !reciprocal_pays(m, m->letters[m->to->nodes[m->to->nodes[i].operands[0]].letter - 'a']))
            return false;
    return true;
}

static bool matches(Match *m) {
    const unsigned orders = 1u << commutative_ops(m->from, m->from->count);
    for (m->order = 0; m->order < orders; m->order++) {
        m->tree_count = 0;
        for (unsigned i = 0; i < LETTERS; i++) m->letters[i] = TIR_NO_VALUE;
        if (match_op(m, m->from->count - 1, m->root) && constants_fit(m) && pays(m)) return true;
    }
    return false;
}

// ---- making ---------------------------------------------------------------------------------------------------------

static TirValue make_node(Match *m, unsigned index, const RewriteSources *sources) {
    Rewriter *r = &m->pass->r;
    const RewriteNode *node = &m->to->nodes[index];
    switch (node->form) {
    case REWRITE_LEAF: return m->letters[node->letter - 'a'];
    case REWRITE_RECIPROCAL:
        return make_reciprocal(m, m->letters[m->to->nodes[node->operands[0]].letter - 'a'], sources);
    case REWRITE_NUMBER: {
        const uint64_t bits = fpsan_encode_nearest(format_of(r, m->type), node->number);
        return tir_result(rewriter_constant(r, m->root, m->type, bits, m->root), 0);
    }
    case REWRITE_TRUE: {
        const TirType type = tir_value_type(r->function, tir_result(m->root, 0));
        return tir_result(rewriter_constant(r, m->root, type, 1, m->root), 0);
    }
    case REWRITE_OP: break;
    }
    TirValue operands[3];
    for (unsigned i = 0; i < node->operand_count; i++) operands[i] = make_node(m, node->operands[i], sources);
    TirOp *op = tir_rewrite(r, m->root,
                            &(TirNewOp){.kind = node->op,
                                        .operand_count = node->operand_count,
                                        .operands = operands,
                                        .result_count = 1,
                                        .results = &m->type},
                            sources);
    op->math.below_zero = node->below_zero;
    fold_without_flushing(r, op);
    return tir_result(op, 0);
}

static void note_firing(Pass *pass, RewriteRuleId rule, const TirOp *root) {
    RewriteFirings *firings = pass->firings;
    if (!firings) return;
    firings->items = arena_grow(&pass->r.function->module->arena, firings->items, firings->count, &firings->capacity,
                                sizeof *firings->items);
    firings->items[firings->count++] = (RewriteFiring){rule, root->kind, root->at};
}

static bool apply_formula(Pass *pass, RewriteRuleId rule, TirOp *root) {
    Match m = {.pass = pass,
               .rule = &rewrite_rules[rule],
               .from = &pass->from[rule],
               .to = &pass->to[rule],
               .root = root,
               .type = float_type(&pass->r, root)};
    if (!matches(&m)) return false;
    note_firing(pass, rule, root);
    const RewriteSources sources = rewriter_sources(&pass->r, m.tree, m.tree_count);
    rewriter_replace(&pass->r, root, make_node(&m, m.to->count - 1, &sources));
    return true;
}

// ---- chains ---------------------------------------------------------------------------------------------------------

// Sums (or products) of four ops and more, and their operands in order.
enum { CHAIN_OPS_MIN = 4 };
typedef struct Chain {
    TirOp **ops; // the root first
    size_t op_count, op_capacity;
    TirValue *leaves;
    size_t leaf_count, leaf_capacity;
    unsigned depth; // of ops
} Chain;

typedef struct ChainEntry {
    TirValue value;
    unsigned depth;
} ChainEntry;

static bool is_of_chain(Pass *pass, const RewriteRule *rule, TirValue value, const TirOp *root) {
    Rewriter *r = &pass->r;
    const TirOp *op = rewriter_definition(r, value);
    return op && op->kind == root->kind && is_inside(r, op, root) && is_licensed(rule, op, false) &&
           rounds_alike(rule, op, root) && float_type(r, op) == float_type(r, root) &&
           !is_all_constant(r, op); // which LLVM folds: it is one constant
}

static void add_to_chain(Pass *pass, Chain *chain, TirOp *op) {
    chain->ops = arena_grow(pass->r.arena, chain->ops, chain->op_count, &chain->op_capacity, sizeof *chain->ops);
    chain->ops[chain->op_count++] = op;
}

static Chain find_chain(Pass *pass, const RewriteRule *rule, TirOp *root) {
    Rewriter *r = &pass->r;
    Chain chain = {0};
    ChainEntry *stack = NULL;
    size_t count = 0, capacity = 0;
    add_to_chain(pass, &chain, root);
    for (unsigned i = 2; i-- > 0;) { // the left operand is on top
        stack = arena_grow(r->arena, stack, count, &capacity, sizeof *stack);
        stack[count++] = (ChainEntry){rewriter_operand(r, root, i), 1};
    }
    while (count) {
        const ChainEntry entry = stack[--count];
        if (entry.depth > chain.depth) chain.depth = entry.depth;
        if (is_of_chain(pass, rule, entry.value, root)) {
            TirOp *op = rewriter_definition(r, entry.value);
            add_to_chain(pass, &chain, op);
            for (unsigned i = 2; i-- > 0;) {
                stack = arena_grow(r->arena, stack, count, &capacity, sizeof *stack);
                stack[count++] = (ChainEntry){rewriter_operand(r, op, i), entry.depth + 1};
            }
            continue;
        }
        chain.leaves = arena_grow(r->arena, chain.leaves, chain.leaf_count, &chain.leaf_capacity, sizeof *chain.leaves);
        chain.leaves[chain.leaf_count++] = entry.value;
    }
    return chain;
}

// The leaves first .. first + count - 1 as a balanced tree.
static TirValue balance_leaves(Pass *pass, const Chain *chain, const RewriteSources *sources, size_t first,
                               size_t count) {
    if (count == 1) return chain->leaves[first];
    TirOp *root = chain->ops[0];
    const size_t half = (count + 1) / 2;
    const TirValue operands[2] = {balance_leaves(pass, chain, sources, first, half),
                                  balance_leaves(pass, chain, sources, first + half, count - half)};
    const TirType type = float_type(&pass->r, root);
    return tir_result(
        tir_rewrite(
            &pass->r, root,
            &(TirNewOp){
                .kind = root->kind, .operand_count = 2, .operands = operands, .result_count = 1, .results = &type},
            sources),
        0);
}

static bool apply_balance(Pass *pass, RewriteRuleId id, TirOp *root) {
    const RewriteRule *rule = &rewrite_rules[id];
    if (!is_licensed(rule, root, true) || !rounds_alike(rule, root, root)) return false;
    const Chain chain = find_chain(pass, rule, root);
    unsigned least = 0;
    while (chain.leaf_count > (size_t)1 << least) least++;
    if (chain.op_count < CHAIN_OPS_MIN || chain.depth <= least) return false;
    note_firing(pass, id, root);
    const RewriteSources sources = rewriter_sources(&pass->r, chain.ops, chain.op_count);
    rewriter_replace(&pass->r, root, balance_leaves(pass, &chain, &sources, 0, chain.leaf_count));
    return true;
}

// ---- passes ---------------------------------------------------------------------------------------------------------

static bool is_balance(RewriteRuleId rule) {
    return !strcmp(rewrite_rules[rule].to, "balanced");
}

static bool apply_first(Pass *pass, RewriteStep step, TirOp *root) {
    if (root->result_count != 1 || !tir_op_info(root->kind)->licensed ||
        !rewriter_uses(&pass->r, tir_result(root, 0)) || is_all_constant(&pass->r, root))
        return false;
    for (int rule = 0; rule < REWRITE_RULE_COUNT; rule++) {
        const RewriteRule *row = &rewrite_rules[rule];
        if (row->step != step || (pass->profile->payloads == REWRITE_FOR_RING && !row->in_ring)) continue;
        const RewriteFormula *from = &pass->from[rule];
        if (from->nodes[from->count - 1].op != root->kind) continue;
        const RewriteRuleId id = (RewriteRuleId)rule;
        if (is_balance(id) ? apply_balance(pass, id, root) : apply_formula(pass, id, root)) return true;
    }
    return false;
}

// Once over a block. Sums are looked at from the end, so that a chain is found whole.
static bool sweep_block(Pass *pass, RewriteStep step, TirBlock *block) {
    const bool backward = step == REWRITE_SUMS;
    pass->sweep++;
    // Each rule leaves fewer or simpler trees, so that they come to an end; what remains then is right in any case.
    uint64_t left = FIRINGS_PER_OP * ((uint64_t)block->op_count + 1);
    bool any = false;
    for (TirOp *op = backward ? block->last : block->first; op;) {
        TirOp *next = op->next;
        if (left && apply_first(pass, step, op)) {
            left--;
            any = true;
            op = next ? next->previous : block->last; // what the tree became, or what is before it
            if (!op) op = block->first;
            continue;
        }
        op = backward ? op->previous : op->next;
    }
    return any;
}

static void find_blocks(Pass *pass, const TirRegion *region) {
    for (TirBlock *block = region->first; block; block = block->next) {
        pass->blocks =
            arena_grow(pass->r.arena, pass->blocks, pass->block_count, &pass->block_capacity, sizeof(TirBlock *));
        pass->blocks[pass->block_count++] = block;
        for (const TirOp *op = block->first; op; op = op->next)
            for (uint32_t i = 0; i < op->region_count; i++) find_blocks(pass, &op->regions[i]);
    }
}

static const char *run_step(Pass *pass, RewriteStep step, Arena *arena, TirFunction *function) {
    pass->r = rewriter_open(arena, function);
    bool any = true;
    for (unsigned sweep = 0; any && sweep < SWEEPS_MAX; sweep++) {
        any = false;
        for (size_t i = 0; i < pass->block_count; i++) any |= sweep_block(pass, step, pass->blocks[i]);
    }
    rewriter_close(&pass->r);
    return rewriter_check(&pass->r);
}

bool rewrite_apply_rules(Diagnostics *diagnostics, TirModule *copy, const RewriteProfile *profile,
                         RewriteFirings *firings) {
    Arena arena = {0};
    const char *problem = NULL;
    Pass pass = {.profile = profile, .firings = firings};
    for (int rule = 0; rule < REWRITE_RULE_COUNT; rule++) {
        pass.from[rule] = rewrite_formula(rewrite_rules[rule].from);
        if (!is_balance((RewriteRuleId)rule)) pass.to[rule] = rewrite_formula(rewrite_rules[rule].to);
    }
    for (uint32_t f = 0; f < copy->function_count && !problem; f++) {
        TirFunction *function = &copy->functions[f];
        pass.r = (Rewriter){.function = function, .arena = &arena};
        pass.blocks = NULL;
        pass.block_count = pass.block_capacity = 0;
        find_blocks(&pass, &function->body);
        for (int step = 0; step < REWRITE_STEP_COUNT && !problem; step++)
            problem = run_step(&pass, (RewriteStep)step, &arena, function);
        if (problem) diag_fail(diagnostics, function->at, E_UNSUPPORTED, "%s", problem);
        assert(!problem);
    }
    tir_number_ops(copy);
    const bool good = !problem;
    arena_reset(&arena);
    return good;
}

void rewrite_report_firings(const RewriteFirings *firings, Buffer *out) {
    for (int rule = 0; rule < REWRITE_RULE_COUNT; rule++) {
        unsigned counts[TIR_OP_COUNT] = {0};
        for (size_t i = 0; i < firings->count; i++)
            if (firings->items[i].rule == (RewriteRuleId)rule) counts[firings->items[i].op]++;
        for (int op = 0; op < TIR_OP_COUNT; op++)
            if (counts[op])
                buffer_print(out, "rewrite %s of %s: %s becomes %s: %u\n", rewrite_rules[rule].row,
                             tir_op_info((TirOpKind)op)->text_name, rewrite_rules[rule].from, rewrite_rules[rule].to,
                             counts[op]);
    }
}
