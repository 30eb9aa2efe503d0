// SPDX-License-Identifier: Apache-2.0
// Checks of what attributes say: assumptions, formats of prints, hints, attributes of arguments; and of tokens.
#include "compiler/tileir/verify_internal.h"

#include <inttypes.h>
#include <string.h>

// ---- assume ---------------------------------------------------------------------------------------------------------

static bool is_integer_or_pointer(TirTypeKind kind) {
    return kind == TIR_TYPE_ptr || tir_type_rows[kind].class == TIR_CLASS_INTEGER;
}

static bool check_assumed_tile(Verifier *v, const TirOp *op, const char *predicate, bool pointers) {
    TirType type = verify_value_type(v, op->operands[0]);
    const TirTypeInfo *tile = tir_type(v->module, type);
    TirTypeKind element = tile->kind == TIR_TYPE_tile ? verify_element(v, tile) : tile->kind;
    bool fits = tile->kind == TIR_TYPE_tile && is_integer_or_pointer(element) && (pointers || element != TIR_TYPE_ptr);
    return fits || verify_fail(v, op, "has %s on %s, expected a tile of integers%s", predicate,
                               verify_type_text(v, type), pointers ? " or pointers" : "");
}

static bool check_div_by(Verifier *v, const TirOp *op, const TirAttribute *predicate) {
    uint64_t divisor = (uint64_t)predicate->numbers[0];
    bool every = predicate->flags & 1, along = predicate->flags & 2;
    if (!divisor || divisor & (divisor - 1) || divisor > UINT64_C(1) << 62)
        return verify_fail(v, op, "has div_by %" PRIu64 ", expected a power of two up to 2^62", divisor);
    if (every != along)
        return verify_fail(v, op, "has div_by with only one of 'every' and 'along', expected both or none");
    const TirTypeInfo *type = verify_operand(v, op, "value");
    if (type->kind == TIR_TYPE_tensor_view)
        return !every || verify_fail(v, op, "has div_by with 'every' on a tensor_view");
    if (!check_assumed_tile(v, op, "div_by", true)) return false;
    if (!every) return true;
    if (!type->rank) return verify_fail(v, op, "has div_by with 'every' on a scalar");
    int64_t group = predicate->numbers[1], dim = predicate->numbers[2];
    if (dim < 0 || dim >= type->rank)
        return verify_fail(v, op, "has div_by along %" PRId64 ", expected 0 to %" PRIu32, dim, type->rank - 1);
    if (group < 0 || group > type->shape[dim])
        return verify_fail(
            v, op, "has div_by with every %" PRId64 ", expected 0 to %" PRId64 ", the size of dimension %" PRId64,
            group, type->shape[dim], dim);
    return true;
}

static bool check_same_elements(Verifier *v, const TirOp *op, const TirAttribute *predicate) {
    if (!check_assumed_tile(v, op, "same_elements", true)) return false;
    const TirTypeInfo *type = verify_operand(v, op, "value");
    if (predicate->length != type->rank)
        return verify_fail(v, op, "has same_elements with %zu values, expected %" PRIu32, predicate->length,
                           type->rank);
    for (uint32_t i = 0; i < type->rank; i++)
        if (predicate->numbers[i] < 0 || predicate->numbers[i] > type->shape[i])
            return verify_fail(v, op, "has same_elements of %" PRId64 " in dimension %u, expected 0 to %" PRId64,
                               predicate->numbers[i], i, type->shape[i]);
    return true;
}

static bool check_bounded(Verifier *v, const TirOp *op, const TirAttribute *predicate) {
    if (!check_assumed_tile(v, op, "bounded", false)) return false;
    unsigned bits = tir_type_rows[verify_element(v, verify_operand(v, op, "value"))].bits;
    const int64_t high = (int64_t)((UINT64_C(1) << (bits - 1)) - 1), low = -high - 1;
    for (uint32_t i = 0; i < 2; i++)
        if (predicate->flags >> i & 1 && (predicate->numbers[i] < low || predicate->numbers[i] > high))
            return verify_fail(v, op, "has %s bound %" PRId64 ", expected %" PRId64 " to %" PRId64,
                               i ? "upper" : "lower", predicate->numbers[i], low, high);
    if (predicate->flags == 3 && predicate->numbers[0] > predicate->numbers[1])
        return verify_fail(v, op, "has lower bound %" PRId64 " above upper bound %" PRId64, predicate->numbers[0],
                           predicate->numbers[1]);
    return true;
}

bool check_assume(Verifier *v, const TirOp *op) {
    const TirAttribute *predicate = tir_attribute(op, "predicate");
    if (!predicate->numbers && (predicate->tag != TIR_TAG_SAME_ELEMENTS || predicate->length))
        return verify_fail(v, op, "has a predicate without values");
    switch (predicate->tag) {
    case TIR_TAG_DIV_BY: return check_div_by(v, op, predicate);
    case TIR_TAG_SAME_ELEMENTS: return check_same_elements(v, op, predicate);
    case TIR_TAG_BOUNDED: return check_bounded(v, op, predicate);
    default:
        return verify_fail(v, op, "has a predicate with tag %d, expected div_by, same_elements or bounded",
                           (int)predicate->tag);
    }
}

// ---- tokens, print, hints, calls ------------------------------------------------------------------------------------

bool check_join_tokens(Verifier *v, const TirOp *op) {
    return op->operand_count >= 2 ||
           verify_fail(v, op, "joins %" PRIu32 " tokens, expected at least 2", op->operand_count);
}

// How many conversions a format has, as printf knows them: % up to a letter; %% stands for itself. UINT64_MAX less the
// place of one that does not end.
static uint64_t count_conversions(const TirAttribute *text) {
    uint64_t conversions = 0;
    for (size_t at = 0; at < text->length; at++) {
        if (text->text[at] != '%') continue;
        size_t end = at + 1;
        while (end < text->length && (!text->text[end] || !strchr("diuoxXeEfFgGaAcsSpn%", text->text[end]))) end++;
        if (end == text->length) return UINT64_MAX - at;
        if (text->text[end] == '%' && end == at + 1)
            at++;
        else
            conversions++;
    }
    return conversions;
}

bool check_print(Verifier *v, const TirOp *op) {
    const TirAttribute *text = tir_attribute(op, "str");
    uint32_t arguments = tir_operands(op, "args", NULL);
    uint64_t conversions;
    if (!verify_text_measured(v, text->text, text->length, &conversions)) {
        conversions = count_conversions(text);
        verify_text_measure(v, text->text, text->length, conversions);
    }
    if (conversions > UINT64_MAX / 2)
        return verify_fail(v, op, "has a format with an unfinished conversion at %" PRIu64, UINT64_MAX - conversions);
    return conversions == arguments ||
           verify_fail(v, op, "has %" PRIu32 " arguments for %" PRIu64 " conversions of its format", arguments,
                       conversions);
}

// What no bytecode can hold, NULL if there is nothing of the kind.
static const char *attribute_problem(const TirAttribute *attribute, uint32_t depth) {
    const char *problem = NULL;
    bool entries = attribute->tag == TIR_TAG_DICTIONARY || attribute->tag == TIR_TAG_HINTS;
    if ((entries || attribute->tag == TIR_TAG_ARRAY) && depth >= TIR_ATTRIBUTE_DEPTH_MAX) return "nests too deeply";
    if (attribute->tag == TIR_TAG_NONE) return "has no value";
    if (attribute->tag == TIR_TAG_DENSE || attribute->tag > TIR_TAG_REDUCTION) return "has a value of an unknown kind";
    if (attribute->tag == TIR_TAG_REDUCTION && attribute->integer >= tir_enum_multimem_reduction.count)
        return "has a reduction that is not known";
    for (size_t i = 0; attribute->tag == TIR_TAG_ARRAY && !problem && i < attribute->length; i++)
        problem = attribute_problem(&attribute->items[i], depth + 1);
    for (size_t i = 0; entries && !problem && i < attribute->length; i++)
        problem = attribute_problem(&attribute->entries[i].value, depth + 1);
    return problem;
}

// NULL: keys are there and differ.
static const char *keys_problem(Verifier *v, const TirAttribute *dictionary) {
    Map keys = {0};
    if (dictionary->length && !dictionary->entries) return "has a dictionary without entries";
    for (size_t i = 0; i < dictionary->length; i++) {
        const char *key = dictionary->entries[i].name;
        if (!key || !*key) return "has an attribute without a name";
        if (!map_insert(&keys, &v->texts, verify_text_key(v, key), 0))
            return arena_format(&v->texts, "has the attribute '%s' twice", key);
    }
    return NULL;
}

const char *verify_argument_problem(Verifier *v, const TirAttribute *attributes) {
    const char *problem = attribute_problem(attributes, 1);
    if (!problem && attributes->tag != TIR_TAG_DICTIONARY) problem = "has attributes that are no dictionary";
    if (!problem) problem = keys_problem(v, attributes);
    for (size_t i = 0; !problem && i < attributes->length; i++) {
        const TirNamedAttribute *entry = &attributes->entries[i];
        const char *why = verify_number_fits(v, &entry->value) ? NULL : "is a number that its type does not hold";
        if (!strchr(entry->name, '.')) why = "has no name of a dialect, with a dot";
        if (why) problem = arena_format(&v->texts, "has the attribute '%s', which %s", entry->name, why);
    }
    return problem;
}

const char *verify_hints_problem(Verifier *v, const TirAttribute *hints) {
    const char *problem = keys_problem(v, hints);
    for (size_t i = 0; !problem && i < hints->length; i++) {
        const TirNamedAttribute *target = &hints->entries[i];
        if (target->value.tag != TIR_TAG_DICTIONARY)
            return arena_format(&v->texts, "has the optimization hint '%s' with tag %d, expected a dictionary",
                                target->name, (int)target->value.tag);
        problem = keys_problem(v, &target->value);
        for (size_t h = 0; !problem && h < target->value.length; h++) {
            const TirNamedAttribute *hint = &target->value.entries[h];
            const char *why = attribute_problem(&hint->value, 2);
            if (!why && !verify_number_fits(v, &hint->value)) why = "is a number that its type does not hold";
            if (why)
                problem = arena_format(&v->texts, "has the optimization hint '%s.%s', which %s", target->name,
                                       hint->name, why);
        }
    }
    return problem;
}

bool check_preview_call(Verifier *v, const TirOp *op) {
    return verify_fail(v, op, "is a preview feature (--preview), which is not supported");
}
