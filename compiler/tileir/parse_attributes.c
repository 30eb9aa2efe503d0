// SPDX-License-Identifier: Apache-2.0
// Attributes of the text form: tagged ones with their types, the predicates of assume, dictionaries, hints, lists.
#include "compiler/tileir/parse_internal.h"

// ---- numbers --------------------------------------------------------------------------------------------------------

// A number before its type: 1.5 : f32. Without a type a float is f64 and an integer i64.
static bool parse_typed_number(Parser *p, TirAttribute *attribute) {
    ParsePlace number = parse_place_here(p);
    parse_take(p, '-');
    bool is_float = parse_at(p, TOKEN_FLOAT);
    if (!is_float && !parse_at(p, TOKEN_INTEGER)) return parse_expected(p, "a number");
    parse_advance(p);
    attribute->type = tir_type_scalar(p->module, is_float ? TIR_TYPE_f64 : TIR_TYPE_i64);
    if (parse_take(p, ':')) {
        Token at = p->token;
        if (!parse_type(p, &attribute->type)) return false;
        if (tir_type_rows[tir_type(p->module, attribute->type)->kind].class == TIR_CLASS_COMPOUND)
            return parse_fail(p, &at, "a number of type %s, expected a type of numbers", type_text(p, attribute->type));
    }
    ParsePlace behind = parse_place_here(p);
    parse_return_to(p, &number);
    TirTypeKind kind = tir_type(p->module, attribute->type)->kind;
    attribute->tag = tir_type_rows[kind].class == TIR_CLASS_FLOAT ? TIR_TAG_FLOAT : TIR_TAG_INTEGER;
    if (!parse_number(p, kind, &attribute->integer)) return false;
    parse_return_to(p, &behind);
    return true;
}

// ---- lists ----------------------------------------------------------------------------------------------------------

bool parse_number_array(Parser *p, bool bools, TirAttribute *attribute) {
    int64_t *numbers = NULL;
    size_t count = 0, capacity = 0;
    if (!parse_need(p, '[', "'['")) return false;
    while (!parse_at(p, ']')) {
        Token at = p->token;
        uint64_t bits;
        if (!parse_number(p, bools ? TIR_TYPE_i1 : TIR_TYPE_i64, &bits)) return false;
        if (!bools && ((int64_t)bits < INT32_MIN || (int64_t)bits > INT32_MAX))
            return parse_fail(p, &at, "%lld does not fit in 32 bits", (long long)bits);
        numbers = arena_grow(&p->module->arena, numbers, count, &capacity, sizeof *numbers);
        numbers[count++] = (int64_t)bits;
        if (!parse_take(p, ',')) break;
    }
    attribute->numbers = numbers;
    attribute->length = count;
    return parse_need(p, ']', "',' or ']'");
}

// [1.0 : f32, true]
static bool parse_array(Parser *p, TirAttribute *attribute) {
    TirAttribute *items = NULL;
    size_t count = 0, capacity = 0;
    attribute->tag = TIR_TAG_ARRAY;
    if (!parse_need(p, '[', "'['")) return false;
    while (!parse_at(p, ']')) {
        TirAttribute item = {.present = true};
        if (!parse_tagged(p, &item)) return false;
        items = arena_grow(&p->module->arena, items, count, &capacity, sizeof *items);
        items[count++] = item;
        if (!parse_take(p, ',')) break;
    }
    attribute->items = items;
    attribute->length = count;
    return parse_need(p, ']', "',' or ']'");
}

// ---- dictionaries ---------------------------------------------------------------------------------------------------

typedef struct EntryList {
    TirNamedAttribute *entries;
    size_t count, capacity;
    bool of_dictionaries;
} EntryList;

static bool take_entry(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    EntryList *list = context;
    TirNamedAttribute entry = {.name = name, .value = {.present = true}};
    if (!has_value) return parse_fail(p, at, "'%s' has no value, which bytecode needs", name);
    if (!parse_tagged(p, &entry.value)) return false;
    if (list->of_dictionaries && entry.value.tag != TIR_TAG_DICTIONARY)
        return parse_fail(p, at, "the optimization hint '%s' is no dictionary", name);
    list->entries = arena_grow(&p->module->arena, list->entries, list->count, &list->capacity, sizeof *list->entries);
    list->entries[list->count++] = entry;
    return true;
}

static bool parse_entries(Parser *p, uint32_t open, uint32_t close, bool of_dictionaries, TirAttribute *attribute) {
    EntryList list = {.of_dictionaries = of_dictionaries};
    if (!parse_dictionary(p, open, close, take_entry, &list)) return false;
    attribute->entries = list.entries;
    attribute->length = list.count;
    return true;
}

bool parse_hints(Parser *p, TirAttribute *attribute) {
    attribute->tag = TIR_TAG_HINTS;
    return parse_entries(p, '<', '>', true, attribute);
}

// ---- constants -----------------------------------------------------------------------------------------------------

bool parse_constant(Parser *p, ConstantLiteral *literal) {
    TirType element;
    if (!parse_need(p, '<', "'<' of a constant")) return false;
    Token at = p->token;
    if (!parse_type(p, &element)) return false;
    literal->kind = tir_type(p->module, element)->kind;
    if (tir_type_rows[literal->kind].class == TIR_CLASS_COMPOUND || literal->kind == TIR_TYPE_i4)
        return parse_fail(p, &at, "a constant of %s, expected numbers other than i4", type_text(p, element));
    return parse_need(p, ':', "':'") && parse_constant_numbers(p, literal) && parse_need(p, '>', "'>'");
}

// ---- predicates -----------------------------------------------------------------------------------------------------

static int64_t *new_numbers(Parser *p, TirAttribute *attribute, TirTag tag, size_t count) {
    int64_t *numbers = arena_array(&p->module->arena, int64_t, count);
    attribute->tag = tag;
    attribute->numbers = numbers;
    attribute->length = count;
    return numbers;
}

// <16>, <16, every 8>, <16, along 1>, <16, every 8 along 1>
static bool parse_div_by(Parser *p, TirAttribute *attribute) {
    int64_t *numbers = new_numbers(p, attribute, TIR_TAG_DIV_BY, 3);
    uint64_t divisor;
    numbers[1] = numbers[2] = -1;
    if (!parse_need(p, '<', "'<'") || !parse_unsigned(p, &divisor, "a divisor")) return false;
    numbers[0] = (int64_t)divisor;
    if (parse_take(p, ',')) {
        if (!parse_at_word(p, "every") && !parse_at_word(p, "along")) return parse_expected(p, "'every' or 'along'");
        if (parse_take_word(p, "every")) {
            attribute->flags |= 1;
            if (!parse_integer(p, &numbers[1], "a number of elements")) return false;
        }
        if (parse_take_word(p, "along")) {
            attribute->flags |= 2;
            if (!parse_integer(p, &numbers[2], "a dimension")) return false;
        }
    }
    return parse_need(p, '>', "'>'");
}

static bool parse_same_elements(Parser *p, TirAttribute *attribute) {
    int64_t *numbers = NULL;
    size_t count = 0, capacity = 0;
    attribute->tag = TIR_TAG_SAME_ELEMENTS;
    if (!parse_need(p, '<', "'<'") || !parse_need(p, '[', "'['")) return false;
    while (!parse_at(p, ']')) {
        numbers = arena_grow(&p->module->arena, numbers, count, &capacity, sizeof *numbers);
        if (!parse_integer(p, &numbers[count++], "a number of elements")) return false;
        if (!parse_take(p, ',')) break;
    }
    attribute->numbers = numbers;
    attribute->length = count;
    return parse_need(p, ']', "',' or ']'") && parse_need(p, '>', "'>'");
}

// <0, ?>
static bool parse_bounded(Parser *p, TirAttribute *attribute) {
    int64_t *numbers = new_numbers(p, attribute, TIR_TAG_BOUNDED, 2);
    if (!parse_need(p, '<', "'<'")) return false;
    for (uint8_t i = 0; i < 2; i++) {
        if (i && !parse_need(p, ',', "','")) return false;
        if (parse_take(p, '?')) continue;
        attribute->flags |= (uint8_t)(1 << i);
        if (!parse_integer(p, &numbers[i], "a bound or '?'")) return false;
    }
    return parse_need(p, '>', "'>'");
}

static const struct {
    const char *name;
    bool (*parse)(Parser *p, TirAttribute *attribute);
} predicates[] = {{"div_by", parse_div_by}, {"same_elements", parse_same_elements}, {"bounded", parse_bounded}};

bool parse_predicate(Parser *p, TirAttribute *attribute) {
    if (parse_at(p, TOKEN_WORD) || parse_at(p, TOKEN_HASH)) {
        const char *name = token_name(p, &p->token);
        for (size_t i = 0; i < BASE_COUNT(predicates); i++)
            if (strcmp(predicates[i].name, name) == 0) {
                parse_advance(p);
                return predicates[i].parse(p, attribute);
            }
        if (parse_at(p, TOKEN_HASH) && parse_attribute_alias(p, attribute)) return true;
    }
    return parse_expected(p, "div_by, same_elements or bounded");
}

// ---- tagged attributes ----------------------------------------------------------------------------------------------

static bool parse_word_attribute(Parser *p, TirAttribute *attribute) {
    if (parse_at_word(p, "true") || parse_at_word(p, "false")) {
        attribute->tag = TIR_TAG_BOOL;
        attribute->integer = parse_at_word(p, "true");
        parse_advance(p);
        return true;
    }
    if (parse_take_word(p, "unit")) return true;
    attribute->tag = TIR_TAG_TYPE;
    return parse_type(p, &attribute->type);
}

// #cuda_tile.multimem_reduction_kind<add>
static bool parse_reduction(Parser *p, TirAttribute *attribute) {
    attribute->tag = TIR_TAG_REDUCTION;
    parse_advance(p);
    return parse_need(p, '<', "'<'") &&
           parse_enum_word(p, &tir_enum_multimem_reduction, "a reduction", &attribute->integer) &&
           parse_need(p, '>', "'>'");
}

bool parse_tagged(Parser *p, TirAttribute *attribute) {
    switch (p->token.kind) {
    case '-':
    case TOKEN_INTEGER:
    case TOKEN_FLOAT: return parse_typed_number(p, attribute);
    case TOKEN_STRING:
        attribute->tag = TIR_TAG_STRING;
        if (!parse_string(p, &p->token, &attribute->text, &attribute->length)) return false;
        parse_advance(p);
        return true;
    case '[': return parse_array(p, attribute);
    case '{': attribute->tag = TIR_TAG_DICTIONARY; return parse_entries(p, '{', '}', false, attribute);
    case TOKEN_HASH:
        if (!strcmp(token_name(p, &p->token), "multimem_reduction_kind")) return parse_reduction(p, attribute);
        if (strcmp(token_name(p, &p->token), "optimization_hints")) return parse_predicate(p, attribute);
        parse_advance(p);
        return parse_hints(p, attribute);
    case TOKEN_WORD: return parse_word_attribute(p, attribute);
    case TOKEN_BANG:
    case '(': attribute->tag = TIR_TAG_TYPE; return parse_type(p, &attribute->type);
    default: return parse_expected(p, "an attribute");
    }
}
