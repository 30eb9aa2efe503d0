// SPDX-License-Identifier: Apache-2.0
// Kernels that compute a formula; see formulas.h.
#include "tests/rewrite/formulas.h"

#include <criterion/criterion.h>
#include <string.h>

#define LETTER(c) [(c) - 'a']
const double formula_constants[FORMULA_LETTERS] = {LETTER('k') = 3, LETTER('m') = 7, LETTER('p') = 8, LETTER('y') = 3};
#undef LETTER

const char *formula_from(RewriteRuleId rule) {
    if (rule == REWRITE_S1_sum) return "a + b + c + d + e";
    if (rule == REWRITE_S1_product) return "a * b * c * d * e";
    return rewrite_rules[rule].from;
}

const char *formula_to(RewriteRuleId rule) {
    if (rule == REWRITE_S1_sum) return "((a + b) + c) + (d + e)";
    if (rule == REWRITE_S1_product) return "((a * b) * c) * (d * e)";
    if (rule == REWRITE_A1) return "x * (1 / y)";
    return rewrite_rules[rule].to;
}

// ---- building -------------------------------------------------------------------------------------------------------

static TirType tile_of(FormulaKernel *k, TirType element, uint32_t rank) {
    const int64_t shape[1] = {FORMULA_ELEMENTS};
    return tir_type_tile(k->module, element, rank, shape);
}

static TirType pointer_to(FormulaKernel *k) {
    const TirTypeInfo info = {.kind = TIR_TYPE_ptr, .element = tir_type_scalar(k->module, k->kind), .ptr_attr = -1};
    return tir_type_intern(k->module, &info);
}

FormulaKernel formula_open(TirTypeKind kind) {
    FormulaKernel k = {.module = tir_module_open("formula"), .kind = kind};
    TirType parameters[FORMULA_BUFFERS];
    for (unsigned i = 0; i < FORMULA_BUFFERS; i++) parameters[i] = tile_of(&k, pointer_to(&k), 0);
    const TirTypeInfo type = {.kind = TIR_TYPE_function, .parameter_count = FORMULA_BUFFERS, .parameters = parameters};
    k.function = tir_function_add(k.module, "kernel", tir_type_intern(k.module, &type), true);
    k.block = k.function->body.first;
    k.tile = tile_of(&k, tir_type_scalar(k.module, kind), 1);
    for (unsigned i = 0; i < FORMULA_LETTERS; i++) k.letters[i] = TIR_NO_VALUE;
    return k;
}

void formula_close(FormulaKernel *kernel) {
    tir_module_close(kernel->module);
}

TirOp *formula_op(FormulaKernel *k, TirOpKind kind, TirType type, uint32_t count, const TirValue *operands) {
    return tir_op_add(
        k->block,
        &(TirNewOp){.kind = kind, .operand_count = count, .operands = operands, .result_count = 1, .results = &type});
}

static TirValue splat(FormulaKernel *k, TirType type, uint64_t bits) {
    TirOp *op = formula_op(k, TIR_OP_constant, type, 0, NULL);
    const unsigned size = tir_type_rows[tir_tile_element_kind(k->module, type)].storage_bytes;
    tir_op_set(op, "value")->constant = tir_constant(k->module, &bits, size);
    return tir_result(op, 0);
}

TirValue formula_constant(FormulaKernel *k, double number) {
    return splat(k, k->tile, fpsan_encode_nearest(tir_float_format(k->kind), number));
}

static TirValue pointers(FormulaKernel *k, unsigned buffer) {
    const TirType pointer = pointer_to(k), index = tir_type_scalar(k->module, TIR_TYPE_i32);
    const int64_t one[1] = {1};
    TirValue value = k->block->first_argument + buffer;
    value = k->function->body.first->first_argument + buffer;
    value = tir_result(formula_op(k, TIR_OP_reshape, tir_type_tile(k->module, pointer, 1, one), 1, &value), 0);
    value = tir_result(formula_op(k, TIR_OP_broadcast, tile_of(k, pointer, 1), 1, &value), 0);
    const TirValue iota = tir_result(formula_op(k, TIR_OP_iota, tile_of(k, index, 1), 0, NULL), 0);
    return tir_result(formula_op(k, TIR_OP_offset, tile_of(k, pointer, 1), 2, (TirValue[]){value, iota}), 0);
}

static TirType token_type(FormulaKernel *k) {
    return tir_type_intern(k->module, &(TirTypeInfo){.kind = TIR_TYPE_token, .ptr_attr = -1});
}

TirValue formula_load(FormulaKernel *k, unsigned buffer) {
    const TirValue from = pointers(k, buffer);
    const TirType results[2] = {k->tile, token_type(k)};
    TirOp *op = tir_op_add(k->block, &(TirNewOp){.kind = TIR_OP_load_ptr_tko,
                                                 .operand_count = 1,
                                                 .operands = &from,
                                                 .segments = (uint32_t[]){1, 0, 0, 0},
                                                 .result_count = 2,
                                                 .results = results});
    tir_op_set(op, "ordering")->integer = TIR_memory_ordering_weak;
    return tir_result(op, 0);
}

static TirValue letter_value(FormulaKernel *k, char letter) {
    TirValue *value = &k->letters[letter - 'a'];
    if (*value == TIR_NO_VALUE)
        *value = formula_constants[letter - 'a'] != 0 ? formula_constant(k, formula_constants[letter - 'a'])
                                                      : formula_load(k, k->loaded++);
    return *value;
}

static TirValue build_node(FormulaKernel *k, const RewriteFormula *formula, unsigned index, uint8_t flags) {
    const RewriteNode *node = &formula->nodes[index];
    if (node->form == REWRITE_LEAF) return letter_value(k, node->letter);
    if (node->form == REWRITE_NUMBER) return formula_constant(k, node->number);
    cr_assert_eq(node->form, REWRITE_OP);
    TirValue operands[3];
    for (unsigned i = 0; i < node->operand_count; i++) operands[i] = build_node(k, formula, node->operands[i], flags);
    const TirType bools = tile_of(k, tir_type_scalar(k->module, TIR_TYPE_i1), 1);
    TirOp *op = formula_op(k, node->op, node->predicate >= 0 ? bools : k->tile, node->operand_count, operands);
    if (node->predicate >= 0) {
        tir_op_set(op, "predicate")->integer = (uint64_t)node->predicate;
        tir_op_set(op, "ordering")->integer = TIR_ordering_ordered;
    }
    if (node->propagate_nan) tir_op_set(op, "nan")->integer = 1;
    op->math.flags = flags;
    k->ops[k->op_count++] = op;
    return tir_result(op, 0);
}

void formula_build(FormulaKernel *k, const char *text, uint8_t flags) {
    const RewriteFormula formula = rewrite_formula(text);
    k->result = build_node(k, &formula, formula.count - 1, flags);
}

void formula_end(FormulaKernel *k) {
    TirValue value = k->result;
    if (tir_tile_element_kind(k->module, tir_value_type(k->function, value)) == TIR_TYPE_i1)
        value = tir_result(formula_op(k, TIR_OP_select, k->tile, 3,
                                      (TirValue[]){value, formula_constant(k, 1), formula_constant(k, 2)}),
                           0);
    const TirValue to = pointers(k, FORMULA_RESULT);
    const TirType token = token_type(k);
    TirOp *op = tir_op_add(k->block, &(TirNewOp){.kind = TIR_OP_store_ptr_tko,
                                                 .operand_count = 2,
                                                 .operands = (TirValue[]){to, value},
                                                 .segments = (uint32_t[]){1, 1, 0, 0},
                                                 .result_count = 1,
                                                 .results = &token});
    tir_op_set(op, "ordering")->integer = TIR_memory_ordering_weak;
    tir_op_add(k->block, &(TirNewOp){.kind = TIR_OP_return});
}

// ---- looking --------------------------------------------------------------------------------------------------------

TirValue formula_stored(const TirFunction *function) {
    for (const TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op))
        if (op->kind == TIR_OP_store_ptr_tko) {
            const TirOp *made = tir_value(function, op->operands[1])->definition;
            // Bools go through the select of formula_end.
            return made->kind == TIR_OP_select &&
                           tir_value(function, made->operands[1])->definition->kind == TIR_OP_constant
                       ? made->operands[0]
                       : op->operands[1];
        }
    cr_assert_fail("nothing is stored");
    return TIR_NO_VALUE;
}

static bool is_splat_of(const TirFunction *function, const TirOp *op, uint64_t bits) {
    const TirType type = tir_value_type(function, tir_result(op, 0));
    const TirConstant *constant = &tir_attribute(op, "value")->constant;
    return tir_constant_is_splat(function->module, type, constant) &&
           tir_constant_bits(function->module, type, constant, 0) == bits;
}

static bool is_node(const FormulaKernel *k, const TirFunction *function, TirValue value, const RewriteFormula *formula,
                    unsigned index) {
    const RewriteNode *node = &formula->nodes[index];
    const TirOp *op = tir_value(function, value)->definition;
    switch (node->form) {
    case REWRITE_LEAF: return value == k->letters[node->letter - 'a'];
    case REWRITE_NUMBER:
        return op->kind == TIR_OP_constant &&
               is_splat_of(function, op, fpsan_encode_nearest(tir_float_format(k->kind), node->number));
    case REWRITE_TRUE: return op->kind == TIR_OP_constant && is_splat_of(function, op, 1);
    case REWRITE_RECIPROCAL: return false;
    case REWRITE_OP: break;
    }
    if (op->kind != node->op || (op->kind == TIR_OP_maxf && (tir_attribute(op, "nan") != NULL) != node->propagate_nan))
        return false;
    for (unsigned i = 0; i < node->operand_count; i++)
        if (!is_node(k, function, op->operands[i], formula, node->operands[i])) return false;
    return true;
}

bool formula_is(const FormulaKernel *kernel, const TirFunction *function, TirValue value, const char *text) {
    const RewriteFormula formula = rewrite_formula(text);
    return is_node(kernel, function, value, &formula, formula.count - 1);
}

unsigned formula_tree(const TirFunction *function, TirValue value, const TirOp **ops) {
    const TirOp *op = tir_value(function, value)->definition;
    if (!op || !tir_op_info(op->kind)->licensed) return 0;
    unsigned count = 0;
    ops[count++] = op;
    for (uint32_t i = 0; i < op->operand_count; i++) count += formula_tree(function, op->operands[i], ops + count);
    return count;
}

// ---- rewriting ------------------------------------------------------------------------------------------------------

static const char *first_message(const Diagnostics *diagnostics) {
    return diagnostics->count ? diagnostics->items[0].message : "";
}

TirModule *formula_rewrite(const TirModule *module, RewritePayloads payloads, RewriteFirings *firings) {
    Diagnostics diagnostics = {0};
    cr_assert(tir_verify(&diagnostics, module), "%s", first_message(&diagnostics));
    TirModule *copy = tir_module_copy(module);
    cr_assert(rewrite_apply_rules(&diagnostics, copy, &(RewriteProfile){.payloads = payloads}, firings), "%s",
              first_message(&diagnostics));
    cr_assert(tir_verify(&diagnostics, copy), "%s", first_message(&diagnostics));
    diagnostics_close(&diagnostics);
    return copy;
}

bool formula_fired(const RewriteFirings *firings, RewriteRuleId rule) {
    for (size_t i = 0; i < firings->count; i++)
        if (firings->items[i].rule == rule) return true;
    return false;
}
