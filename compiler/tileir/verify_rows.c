// SPDX-License-Identifier: Apache-2.0
// The generic verifier: what ops.def says about operands, results and attributes of an op.
#include "compiler/tileir/verify_internal.h"

#include <inttypes.h>
#include <string.h>

#define KIND_BIT(kind) (1u << TIR_TYPE_##kind)

// ---- texts ----------------------------------------------------------------------------------------------------------

const char *verify_type_text(Verifier *v, TirType type) {
    Buffer out = {0};
    tir_type_print(v->module, type, &out);
    const char *text = arena_text(&v->texts, out.data ? out.data : "", out.size);
    buffer_free(&out);
    return text;
}

static const char *join(Verifier *v, const char *before, const char *text) {
    return *before ? arena_format(&v->texts, "%s, %s", before, text) : text;
}

const char *verify_types_text(Verifier *v, uint32_t count, const TirValue *values) {
    const char *text = "";
    for (uint32_t i = 0; i < count && i < 16; i++)
        text = join(v, text, verify_type_text(v, verify_value_type(v, values[i])));
    return arena_format(&v->texts, "(%s%s)", text, count > 16 ? ", ..." : "");
}

const char *verify_results_text(Verifier *v, const TirOp *op) {
    const char *text = "";
    for (uint32_t i = 0; i < op->result_count && i < 16; i++)
        text = join(v, text, verify_type_text(v, verify_value_type(v, tir_result(op, i))));
    return arena_format(&v->texts, "(%s%s)", text, op->result_count > 16 ? ", ..." : "");
}

const char *verify_shape_text(Verifier *v, const TirTypeInfo *type) {
    const char *text = "";
    for (uint32_t i = 0; i < type->rank; i++) text = join(v, text, arena_format(&v->texts, "%" PRId64, type->shape[i]));
    return arena_format(&v->texts, "[%s]", text);
}

// "f16, bf16 or f32" of a set of kinds.
static const char *kinds_text(Verifier *v, uint32_t kinds) {
    const char *text = "";
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++) {
        if (!(kinds >> kind & 1) || tir_type_rows[kind].since > v->module->version) continue;
        bool last = !(kinds >> kind >> 1);
        text = *text ? arena_format(&v->texts, "%s%s%s", text, last ? " or " : ", ", tir_type_rows[kind].name)
                     : tir_type_rows[kind].name;
    }
    return text;
}

static const char *rule_text(Verifier *v, const TirTypeRule *rule) {
    const char *tiles = "", *others = kinds_text(v, rule->kinds & ~KIND_BIT(tile));
    if (rule->kinds & KIND_BIT(tile)) {
        const char *rank = rule->rank < 0    ? ""
                           : rule->rank == 0 ? "scalar "
                                             : arena_format(&v->texts, "rank-%d ", rule->rank);
        tiles = arena_format(&v->texts, "%stile of %s", rank, kinds_text(v, rule->elements));
    }
    return *tiles && *others ? arena_format(&v->texts, "%s or %s", tiles, others) : *tiles ? tiles : others;
}

// ---- types ----------------------------------------------------------------------------------------------------------

typedef struct Named { // an operand or result in a message
    const char *what, *name;
    TirType type;
} Named;

static bool type_is_in_set(const Verifier *v, const TirTypeRule *rule, TirType type) {
    const TirTypeInfo *info = tir_type(v->module, type);
    if (!(rule->kinds >> info->kind & 1)) return false;
    if (info->kind != TIR_TYPE_tile) return true;
    if (!(rule->elements >> tir_type(v->module, info->element)->kind & 1)) return false;
    return rule->rank < 0 || info->rank == (uint32_t)rule->rank;
}

bool verify_same_shape(const TirTypeInfo *a, const TirTypeInfo *b) {
    return a->rank == b->rank && (!a->rank || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
}

// The type that a relation speaks of, TIR_NO_TYPE if that operand is absent.
static TirType related_type(const Verifier *v, const TirOp *op, const TirRelation *relation, const char **name) {
    const TirOpInfo *info = tir_op_info(op->kind);
    *name = relation->of_result ? info->results[relation->index].name : info->operands[relation->index].name;
    if (relation->of_result)
        return relation->index < op->result_count ? verify_value_type(v, tir_result(op, relation->index)) : TIR_NO_TYPE;
    uint32_t first = 0;
    for (uint32_t i = 0; i < relation->index; i++) first += op->segments[i];
    return op->segments[relation->index] == 1 ? verify_value_type(v, op->operands[first]) : TIR_NO_TYPE;
}

static bool relation_holds(const Verifier *v, char relation, TirType type, TirType other) {
    if (relation == '=') return type == other;
    const TirTypeInfo *a = tir_type(v->module, type), *b = tir_type(v->module, other);
    if (a->kind != TIR_TYPE_tile || b->kind != TIR_TYPE_tile) return false;
    switch (relation) {
    case '~': return verify_same_shape(a, b);
    case '^': return a->element == b->element;
    case '%': return a->rank == b->rank;
    case '&': {
        const TirTypeInfo *pointer = tir_type(v->module, a->element);
        return pointer->kind == TIR_TYPE_ptr && pointer->element == b->element && verify_same_shape(a, b);
    }
    default: return false;
    }
}

static const char *relation_text(char relation) {
    switch (relation) {
    case '=': return "the type";
    case '~': return "the shape";
    case '^': return "the element type";
    case '%': return "the rank";
    default: return "the shape, and pointers to the elements,";
    }
}

static bool verify_type(Verifier *v, const TirOp *op, const TirTypeRule *rule, Named named) {
    if (!type_is_in_set(v, rule, named.type))
        return verify_fail(v, op, "%s '%s' is %s, expected %s", named.what, named.name, verify_type_text(v, named.type),
                           rule_text(v, rule));
    for (uint32_t i = 0; i < rule->relation_count; i++) {
        const char *other_name;
        TirType other = related_type(v, op, &rule->relations[i], &other_name);
        if (other == TIR_NO_TYPE || relation_holds(v, rule->relations[i].relation, named.type, other)) continue;
        return verify_fail(v, op, "%s '%s' is %s, expected %s of '%s', which is %s", named.what, named.name,
                           verify_type_text(v, named.type), relation_text(rule->relations[i].relation), other_name,
                           verify_type_text(v, other));
    }
    return true;
}

// ---- operands and results -------------------------------------------------------------------------------------------

TirType verify_value_type(const Verifier *v, TirValue value) {
    return v->function->values[value].type;
}

static const TirOp *owner_of(const TirBlock *block) {
    return block->region->owner;
}

// A value can be used by an op if its block is that of the op or one around it, and it is defined before there.
static bool value_is_visible(const Verifier *v, const TirOp *op, TirValue value) {
    const TirValueInfo *info = &v->function->values[value];
    const TirOp *user = op;
    for (const TirBlock *block = op->block; block; user = owner_of(block), block = user ? user->block : NULL)
        if (block == info->block) return !info->definition || info->definition->number < user->number;
    return false;
}

static bool verify_values(Verifier *v, const TirOp *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        TirValue value = op->operands[i];
        if (value >= v->function->value_count)
            return verify_fail(v, op, "operand %u is value %u, but the function has %u values", i, value,
                               v->function->value_count);
        if (!value_is_visible(v, op, value))
            return verify_fail(v, op, "operand %u is value %u, which is not defined before this op", i, value);
    }
    return true;
}

// Whether the module is older than what the op has or is. Ops of other dialects have no version.
static bool is_too_new(const Verifier *v, const TirOp *op, uint16_t since) {
    return since > v->module->version && !(op->kind == TIR_OP_foreign && v->module->testing);
}

static bool verify_segments(Verifier *v, const TirOp *op, const TirOpInfo *info) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        const TirOperandInfo *operand = &info->operands[i];
        uint32_t count = op->segments[i];
        total += count;
        if (operand->arity == TIR_ONE && count != 1)
            return verify_fail(v, op, "operand '%s' is given %u times, expected once", operand->name, count);
        if (operand->arity == TIR_OPTIONAL && count > 1)
            return verify_fail(v, op, "operand '%s' is given %u times, expected at most once", operand->name, count);
        if (count && is_too_new(v, op, operand->since))
            return verify_fail(v, op, "operand '%s' needs version %u.%u, the module is %u.%u", operand->name,
                               operand->since / 100, operand->since % 100, v->module->version / 100,
                               v->module->version % 100);
    }
    if (total != op->operand_count)
        return verify_fail(v, op, "has %u operands, expected %" PRIu64, op->operand_count, total);
    return true;
}

static bool verify_result_count(Verifier *v, const TirOp *op, const TirOpInfo *info) {
    if (info->result_count < 0) return true;
    uint32_t expected = 0;
    for (int i = 0; i < info->result_count; i++) expected += info->results[i].since <= v->module->version;
    if (op->result_count != expected)
        return verify_fail(v, op, "has %u results, expected %u", op->result_count, expected);
    return true;
}

static bool verify_types(Verifier *v, const TirOp *op, const TirOpInfo *info) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < info->operand_count; i++)
        for (uint32_t n = 0; n < op->segments[i]; n++, at++) {
            Named named = {"operand", info->operands[i].name, verify_value_type(v, op->operands[at])};
            if (!verify_type(v, op, &info->operands[i].type, named)) return false;
        }
    for (uint32_t i = 0; i < op->result_count; i++) {
        const TirOperandInfo *result = &info->results[info->result_count < 0 ? 0 : i];
        if (!verify_type(v, op, &result->type,
                         (Named){"result", result->name, verify_value_type(v, tir_result(op, i))}))
            return false;
    }
    return true;
}

// ---- attributes -----------------------------------------------------------------------------------------------------

bool verify_constant_fits(const TirModule *module, TirType tile, const TirConstant *constant) {
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    if (kind == TIR_TYPE_i4 || kind == TIR_TYPE_ptr || !constant->bytes) return false;
    uint64_t elements = (uint64_t)tir_tile_elements(module, tile);
    if (kind == TIR_TYPE_i1) return constant->size == (elements + 7) / 8 || constant->size == 1;
    uint64_t bytes = (tir_type_rows[kind].bits + 7u) / 8u;
    return constant->size == bytes || constant->size == elements * bytes;
}

bool verify_number_fits(const Verifier *v, const TirAttribute *attribute) {
    if (attribute->tag != TIR_TAG_INTEGER && attribute->tag != TIR_TAG_FLOAT) return true;
    if (attribute->type >= v->module->type_count) return false;
    const TirTypeRow *row = &tir_type_rows[tir_type(v->module, attribute->type)->kind];
    if (row->class != (attribute->tag == TIR_TAG_FLOAT ? TIR_CLASS_FLOAT : TIR_CLASS_INTEGER)) return false;
    return row->bits >= 64 || attribute->integer >> row->bits == 0;
}

static bool verify_number_lists(Verifier *v, const TirOp *op, const TirAttributeInfo *info,
                                const TirAttribute *attribute) {
    if (attribute->length && !attribute->numbers) return verify_fail(v, op, "attribute '%s' has no values", info->name);
    for (size_t i = 0; i < attribute->length; i++) {
        int64_t number = attribute->numbers[i];
        bool fits =
            info->kind == TIR_ATTR_BOOL_ARRAY ? number == 0 || number == 1 : number >= INT32_MIN && number <= INT32_MAX;
        if (!fits)
            return verify_fail(v, op, "attribute '%s' has the value %" PRId64 " at %zu, out of range", info->name,
                               number, i);
    }
    return true;
}

// A word of an enumeration that the module's version has not yet.
static bool verify_word(Verifier *v, const TirOp *op, const TirAttributeInfo *info, uint64_t value) {
    const uint16_t since = tir_enum_since(info->enumeration, value);
    return !is_too_new(v, op, since) || verify_fail(v, op, "%s '%s' needs version %u.%u, the module is %u.%u",
                                                    info->name, tir_enum_word(info->enumeration, value), since / 100,
                                                    since % 100, v->module->version / 100, v->module->version % 100);
}

static bool verify_attribute(Verifier *v, const TirOp *op, const TirAttributeInfo *info,
                             const TirAttribute *attribute) {
    uint64_t value = attribute->integer;
    const char *problem;
    switch (info->kind) {
    case TIR_ATTR_UNIT:
    case TIR_ATTR_BOOL:
        if (value > 1) return verify_fail(v, op, "attribute '%s' is %" PRIu64 ", expected 0 or 1", info->name, value);
        return true;
    case TIR_ATTR_ENUM:
        if (!tir_enum_word(info->enumeration, value))
            return verify_fail(v, op, "attribute '%s' is %" PRIu64 ", expected 0 to %" PRIu32, info->name, value,
                               info->enumeration->count - 1);
        return verify_word(v, op, info, value);
    case TIR_ATTR_I32:
        if (value > UINT32_MAX)
            return verify_fail(v, op, "attribute '%s' is %" PRIu64 ", expected 32 bits", info->name, value);
        return true;
    case TIR_ATTR_I64: return true;
    case TIR_ATTR_STRING:
        if (!attribute->text) return verify_fail(v, op, "attribute '%s' has no text", info->name);
        return true;
    case TIR_ATTR_I32_ARRAY:
    case TIR_ATTR_BOOL_ARRAY: return verify_number_lists(v, op, info, attribute);
    case TIR_ATTR_ARRAY:
        if (attribute->length && !attribute->items)
            return verify_fail(v, op, "attribute '%s' has no items", info->name);
        return true;
    case TIR_ATTR_HINTS:
        problem = verify_hints_problem(v, attribute);
        return !problem || verify_fail(v, op, "%s", problem);
    case TIR_ATTR_CONSTANT: return true; // check_constant
    case TIR_ATTR_TAGGED: return true;   // check_assume
    }
    return true;
}

static bool verify_attributes(Verifier *v, const TirOp *op, const TirOpInfo *info) {
    for (uint32_t i = 0; i < info->attribute_count; i++) {
        const TirAttributeInfo *row = &info->attributes[i];
        const TirAttribute *attribute = &op->attributes[i];
        bool too_new = is_too_new(v, op, row->since);
        bool is_said = attribute->present || (row->has_default && attribute->integer != row->default_value);
        if (is_said && too_new)
            return verify_fail(v, op, "attribute '%s' needs version %u.%u, the module is %u.%u", row->name,
                               row->since / 100, row->since % 100, v->module->version / 100, v->module->version % 100);
        // No bools are all false.
        bool may_miss = row->optional || row->kind == TIR_ATTR_UNIT || row->kind == TIR_ATTR_BOOL_ARRAY || too_new ||
                        row->has_default;
        if (!attribute->present && !may_miss) return verify_fail(v, op, "attribute '%s' is missing", row->name);
        if ((attribute->present || row->has_default) && !verify_attribute(v, op, row, attribute)) return false;
    }
    return true;
}

bool verify_row(Verifier *v, const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    if (is_too_new(v, op, info->since))
        return verify_fail(v, op, "needs version %u.%u, the module is %u.%u", info->since / 100, info->since % 100,
                           v->module->version / 100, v->module->version % 100);
    return verify_segments(v, op, info) && verify_values(v, op) && verify_result_count(v, op, info) &&
           verify_types(v, op, info) && verify_attributes(v, op, info);
}
