// SPDX-License-Identifier: Apache-2.0
// Plans of ops: operands, results and attributes by the columns of ops.def, and which op comes next.
#include "tests/generate/generate.h"

#include <assert.h>
#include <string.h>

typedef TirOp *MakeOp(Generator *g, TirOpKind kind);
static const struct OpMaker {
    MakeOp *make;
    bool declaration;
} op_makers[TIR_OP_COUNT] = {
#define OP(name, opcode, since, operands, attributes, results, traits, effects, text, numeric, check)                  \
    [TIR_OP_##name] = {make_##check, false},
#define OP_DECLARATION(name, opcode, since, operands, attributes, results, traits, effects, text, numeric, check)      \
    [TIR_OP_##name] = {make_##check, true},
#include "compiler/tileir/ops.def"
#undef OP
};

// ---- plans ----------------------------------------------------------------------------------------------------------

Plan plan_open(Generator *g, TirOpKind kind) {
    Plan plan = {.kind = kind, .info = tir_op_info(kind)};
    for (uint32_t i = 0; i < TIR_OPERANDS_MAX; i++) plan.operands[i] = TIR_NO_TYPE;
    for (uint32_t i = 0; i < PLAN_VALUES_MAX; i++) plan.results[i] = TIR_NO_TYPE;
    for (uint32_t i = 0; i < plan.info->operand_count; i++) {
        const TirOperandInfo *row = &plan.info->operands[i];
        bool known = row->since <= g->module->version;
        plan.counts[i] = row->arity == TIR_ONE ? 1
                         : !known              ? 0
                                               : (uint32_t)below(g, row->arity == TIR_OPTIONAL ? 2 : 4);
    }
    int declared = plan.info->result_count < 0 ? 1 : plan.info->result_count;
    for (int i = 0; i < declared; i++) plan.result_count += plan.info->results[i].since <= g->module->version;
    return plan;
}

static uint32_t operand_index(const Plan *plan, const char *name) {
    for (uint32_t i = 0; i < plan->info->operand_count; i++)
        if (!strcmp(plan->info->operands[i].name, name)) return i;
    assert(!"the op has no operand of this name");
    return 0;
}

TirType *plan_operand(Plan *plan, const char *name) {
    return &plan->operands[operand_index(plan, name)];
}

uint32_t *plan_count(Plan *plan, const char *name) {
    return &plan->counts[operand_index(plan, name)];
}

TirAttribute *plan_attribute(Plan *plan, const char *name) {
    for (uint32_t i = 0; i < plan->info->attribute_count; i++) {
        if (strcmp(plan->info->attributes[i].name, name)) continue;
        plan->set[i] = plan->attributes[i].present = true;
        return &plan->attributes[i];
    }
    return NULL;
}

static const TirEnum *enumeration_of(const Plan *plan, const char *name) {
    for (uint32_t i = 0; i < plan->info->attribute_count; i++)
        if (!strcmp(plan->info->attributes[i].name, name)) return plan->info->attributes[i].enumeration;
    return NULL;
}

uint64_t plan_word(Generator *g, Plan *plan, const char *name, uint64_t words) {
    const TirEnum *enumeration = enumeration_of(plan, name);
    uint64_t word;
    do {
        word = below(g, enumeration->count);
    } while (!(words >> word & 1) || tir_enum_since(enumeration, word) > g->module->version);
    return plan_attribute(plan, name)->integer = word;
}

// ---- types ----------------------------------------------------------------------------------------------------------

// The type that a relation speaks of; TIR_NO_TYPE where that operand is absent. False: it is not chosen yet.
static bool related_type(const Plan *plan, const TirRelation *relation, TirType *type) {
    bool absent = relation->of_result ? relation->index >= plan->result_count : !plan->counts[relation->index];
    *type = relation->of_result ? plan->results[relation->index] : plan->operands[relation->index];
    return absent || *type != TIR_NO_TYPE;
}

static bool choose_type(Generator *g, Plan *plan, const TirTypeRule *rule, TirType *type) {
    TirType related[TIR_RELATIONS_MAX];
    if (*type != TIR_NO_TYPE) return true;
    for (uint32_t i = 0; i < rule->relation_count; i++)
        if (!related_type(plan, &rule->relations[i], &related[i])) return false;
    *type = random_type(g, rule, related);
    return true;
}

void plan_types(Generator *g, Plan *plan) {
    for (bool done = false; !done;) {
        done = true;
        for (uint32_t i = 0; i < plan->info->operand_count; i++)
            if (plan->counts[i]) done &= choose_type(g, plan, &plan->info->operands[i].type, &plan->operands[i]);
        for (uint32_t i = 0; i < plan->result_count; i++) {
            const TirOperandInfo *row = &plan->info->results[plan->info->result_count < 0 ? 0 : i];
            done &= choose_type(g, plan, &row->type, &plan->results[i]);
        }
    }
}

TirTypeKind element_kind(const Generator *g, TirType tile) {
    return tir_tile_element_kind(g->module, tile);
}

// ---- attributes -----------------------------------------------------------------------------------------------------

static uint32_t variadic_count(const Plan *plan) {
    for (uint32_t i = 0; i < plan->info->operand_count; i++)
        if (plan->info->operands[i].arity == TIR_VARIADIC) return plan->counts[i];
    return 0;
}

static void random_bool_list(Generator *g, const Plan *plan, TirAttribute *attribute) {
    attribute->length = variadic_count(plan);
    int64_t *numbers = arena_array(&g->module->arena, int64_t, attribute->length);
    for (size_t i = 0; i < attribute->length; i++) numbers[i] = one_in(g, 2);
    attribute->numbers = numbers;
}

static void random_attribute(Generator *g, Plan *plan, uint32_t index, TirAttribute *attribute) {
    const TirAttributeInfo *row = &plan->info->attributes[index];
    attribute->present = true;
    switch (row->kind) {
    case TIR_ATTR_UNIT: attribute->integer = attribute->present = one_in(g, 2); break;
    case TIR_ATTR_BOOL: attribute->integer = one_in(g, 2); break;
    case TIR_ATTR_ENUM: attribute->integer = plan_word(g, plan, row->name, UINT64_MAX); break;
    case TIR_ATTR_I32: attribute->integer = (uint32_t)random_edge(&g->random); break;
    case TIR_ATTR_I64: attribute->integer = random_edge(&g->random); break;
    case TIR_ATTR_STRING: attribute->text = random_text(g, &attribute->length); break;
    case TIR_ATTR_BOOL_ARRAY: random_bool_list(g, plan, attribute); break;
    case TIR_ATTR_HINTS: random_hints(g, attribute, false); break;
    case TIR_ATTR_I32_ARRAY:
    case TIR_ATTR_ARRAY:
    case TIR_ATTR_CONSTANT:
    case TIR_ATTR_TAGGED: assert(!"left to the op's own function");
    }
}

static void set_attributes(Generator *g, Plan *plan, TirOp *op) {
    for (uint32_t i = 0; i < plan->info->attribute_count; i++) {
        const TirAttributeInfo *row = &plan->info->attributes[i];
        if (row->since > g->module->version) continue;
        if (plan->set[i])
            op->attributes[i] = plan->attributes[i];
        else if (!row->optional || one_in(g, 2))
            random_attribute(g, plan, i, &op->attributes[i]);
    }
}

// ---- ops ------------------------------------------------------------------------------------------------------------

TirOp *plan_add(Generator *g, Plan *plan) {
    TirValue values[TIR_OPERANDS_MAX * PLAN_VALUES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->info->operand_count; i++)
        for (uint32_t n = 0; n < plan->counts[i]; n++) {
            bool each = plan->has_each && plan->info->operands[i].arity == TIR_VARIADIC;
            values[count++] = value_of(g, each ? plan->each[n] : plan->operands[i]);
        }
    TirOp *op = add_op(g, plan->kind, count, values, plan->counts, plan->result_count, plan->results);
    set_attributes(g, plan, op);
    return op;
}

TirOp *make_none(Generator *g, TirOpKind kind) {
    Plan plan = plan_open(g, kind);
    plan_types(g, &plan);
    return plan_add(g, &plan);
}

bool generate_has_kind(TirOpKind kind) {
    return !op_makers[kind].declaration && tir_op_info(kind)->since <= TIR_VERSION_MAX;
}

static bool kind_fits(const Generator *g, TirOpKind kind) {
    enum { DEPTH_MAX = 3 };
    const TirOpInfo *info = tir_op_info(kind);
    if (!generate_has_kind(kind) || info->since > g->module->version || (info->text_only && !g->text_only))
        return false;
    if (info->region_count && g->depth == DEPTH_MAX) return false;
    return !g->pure || info->pure || info->pure_body;
}

void add_random_ops(Generator *g, uint32_t count) {
    for (uint32_t i = 0; i < count && g->budget; i++) {
        TirOpKind kind = (TirOpKind)below(g, TIR_OP_COUNT);
        while (!kind_fits(g, kind)) kind = (TirOpKind)below(g, TIR_OP_COUNT);
        g->budget--;
        op_makers[kind].make(g, kind);
    }
}
