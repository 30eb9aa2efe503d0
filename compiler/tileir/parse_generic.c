// SPDX-License-Identifier: Apache-2.0
// The generic form: "cuda_tile.addf"(%a, %b) <{attributes}> ({regions}) {attributes} : (types) -> types.
//
// An op exists before its regions do, but the types of its results stand behind them; so the regions are skipped first,
// and parsed when the op is made. Each pair of parentheses is skipped once, however deep it lies.
#include "compiler/tileir/parse_internal.h"

// ---- skipping regions -----------------------------------------------------------------------------------------------

static const Skip *find_skip(const Parser *p, const char *open) {
    size_t low = 0, high = tile_parser(p)->skip_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tile_parser(p)->skips[middle].open < open)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tile_parser(p)->skip_count && tile_parser(p)->skips[low].open == open ? &tile_parser(p)->skips[low]
                                                                                       : NULL;
}

// Notes where each parenthesis that opens in front of a brace closes, from the current token to the one that matches
// it.
static bool scan_regions(Parser *p) {
    size_t *open = NULL, open_count = 0, open_capacity = 0; // skips + 1, 0 for other parentheses
    Token first = p->token;
    do {
        const char *start = p->token.start;
        bool opens = parse_at(p, '('), closes = parse_at(p, ')');
        if (parse_at(p, TOKEN_END) || parse_at(p, TOKEN_ERROR))
            return parse_fail(p, &first, "the list of regions that begins here does not end");
        parse_advance(p);
        if (opens) {
            open = arena_grow(&p->scratch, open, open_count, &open_capacity, sizeof *open);
            open[open_count] = 0;
            if (parse_at(p, '{')) {
                tile_parser(p)->skips = arena_grow(&p->scratch, tile_parser(p)->skips, tile_parser(p)->skip_count,
                                                   &tile_parser(p)->skip_capacity, sizeof *tile_parser(p)->skips);
                tile_parser(p)->skips[tile_parser(p)->skip_count++] = (Skip){.open = start};
                open[open_count] = tile_parser(p)->skip_count;
            }
            open_count++;
        } else if (closes && open[--open_count]) {
            tile_parser(p)->skips[open[open_count] - 1].behind = parse_place_here(p);
        }
    } while (open_count);
    tile_parser(p)->skipped_to = p->token.start;
    return true;
}

bool skip_regions(Parser *p) {
    ParsePlace here = parse_place_here(p);
    if (!tile_parser(p)->skipped_to || here.token.start >= tile_parser(p)->skipped_to) return scan_regions(p);
    const Skip *skip = find_skip(p, here.token.start);
    if (!skip) return parse_expected(p, "regions"); // cannot be: the parentheses around were scanned
    parse_return_to(p, &skip->behind);
    return true;
}

// ---- attributes -----------------------------------------------------------------------------------------------------

// Names that differ from those of ops.def.
static const struct {
    const char *generic, *name;
} attribute_names[] = {
    {"flush_to_zero", "ftz"},
    {"propagate_nan", "nan"},
    {"rounding_mode", "rounding"},
    {"comparison_predicate", "predicate"},
    {"comparison_ordering", "ordering"},
    {"memory_ordering_semantics", "ordering"},
    {"memory_scope", "scope"},
    {"optimization_hints", "hints"},
    {"unsignedCmp", "unsigned"},
};

typedef struct GenericAttributes {
    ParsedOp *parsed;
    bool has_segments;
    TirAttribute segments;
} GenericAttributes;

static int find_attribute(const TirOpInfo *info, const char *name) {
    for (int i = 0; i < info->attribute_count; i++) {
        if (strcmp(info->attributes[i].name, name) == 0) return i;
        for (size_t n = 0; n < BASE_COUNT(attribute_names); n++)
            if (!strcmp(attribute_names[n].generic, name) && !strcmp(attribute_names[n].name, info->attributes[i].name))
                return i;
    }
    return -1;
}

// array<i32: 1, 0>, array<i1: true>
static bool parse_dense_array(Parser *p, TirAttribute *attribute) {
    int64_t *numbers = NULL;
    size_t count = 0, capacity = 0;
    Token at;
    TirType type;
    if (!parse_need_word(p, "array") || !parse_need(p, '<', "'<'")) return false;
    at = p->token;
    if (!parse_type(p, &type)) return false;
    if (!tir_type_is_integer(p->module, type)) return parse_fail(p, &at, "an array of %s", type_text(p, type));
    TirTypeKind kind = tir_type(p->module, type)->kind;
    bool more = parse_take(p, ':');
    while (more) {
        uint64_t bits;
        if (!parse_number(p, kind, &bits)) return false;
        uint32_t unused = kind == TIR_TYPE_i1 ? 0 : 64 - tir_type_rows[kind].bits;
        numbers = arena_grow(&p->module->arena, numbers, count, &capacity, sizeof *numbers);
        numbers[count++] = (int64_t)(bits << unused) >> unused;
        more = parse_take(p, ',');
    }
    attribute->present = true;
    attribute->numbers = numbers;
    attribute->length = count;
    return parse_need(p, '>', "',' or '>'");
}

// #cuda_tile.rounding<zero>, or the number of the word with its type
static bool parse_generic_enum(Parser *p, const TirAttributeInfo *info, TirAttribute *attribute) {
    if (parse_take(p, TOKEN_HASH))
        return parse_need(p, '<', "'<'") && parse_enum_word(p, info->enumeration, info->name, &attribute->integer) &&
               parse_need(p, '>', "'>'");
    Token at = p->token;
    TirAttribute number = {0};
    if (!parse_tagged(p, &number)) return false;
    if (number.tag != TIR_TAG_INTEGER || number.integer >= info->enumeration->count)
        return parse_fail(p, &at, "no value of %s", info->name);
    attribute->integer = number.integer;
    return true;
}

static bool parse_generic_number(Parser *p, const TirAttributeInfo *info, TirTypeKind kind, TirAttribute *attribute) {
    Token at = p->token;
    TirAttribute number = {0};
    if (!parse_tagged(p, &number)) return false;
    bool fits = number.tag == TIR_TAG_BOOL
                    ? kind == TIR_TYPE_i1
                    : number.tag == TIR_TAG_INTEGER && tir_type(p->module, number.type)->kind == kind;
    if (!fits) return parse_fail(p, &at, "the attribute %s, expected %s", info->name, tir_type_rows[kind].name);
    attribute->integer = number.integer;
    return true;
}

// dense<[1, 2]> : TYPE
static bool parse_generic_constant(Parser *p, ParsedOp *parsed) {
    ConstantLiteral *literal = parsed->constant = arena_new(&p->scratch, ConstantLiteral);
    TirType type;
    if (!parse_need_word(p, "dense")) return false;
    if (!parse_at(p, '<')) return parse_expected(p, "'<'");
    ParsePlace start = parse_place_here(p);
    while (!parse_at(p, '>') && !parse_at(p, TOKEN_END) && !parse_at(p, TOKEN_ERROR)) parse_advance(p);
    if (!parse_need(p, '>', "'>'") || !parse_need(p, ':', "':'")) return false;
    Token at = p->token;
    if (!parse_type(p, &type)) return false;
    const TirTypeInfo *info = tir_type(p->module, type);
    if (info->kind != TIR_TYPE_tile) return parse_fail(p, &at, "a constant of %s", type_text(p, type));
    literal->kind = tir_type(p->module, info->element)->kind;
    ParsePlace behind = parse_place_here(p);
    parse_return_to(p, &start);
    if (!parse_constant_elements(p, literal)) return false;
    parse_return_to(p, &behind);
    return true;
}

static bool parse_generic_value(Parser *p, ParsedOp *parsed, const TirAttributeInfo *info, TirAttribute *attribute) {
    Token at = p->token;
    TirAttribute other = {0};
    attribute->present = true;
    switch (info->kind) {
    case TIR_ATTR_UNIT: attribute->integer = 1; return parse_need_word(p, "unit");
    case TIR_ATTR_BOOL: return parse_generic_number(p, info, TIR_TYPE_i1, attribute);
    case TIR_ATTR_ENUM: return parse_generic_enum(p, info, attribute);
    case TIR_ATTR_I32: return parse_generic_number(p, info, TIR_TYPE_i32, attribute);
    case TIR_ATTR_I64: return parse_generic_number(p, info, TIR_TYPE_i64, attribute);
    case TIR_ATTR_STRING:
        if (!parse_at(p, info->symbol ? TOKEN_SYMBOL : TOKEN_STRING))
            return parse_expected(p, info->symbol ? "a symbol" : "a string");
        parse_advance(p);
        if (!parse_string(p, &at, &attribute->text, info->symbol ? NULL : &attribute->length)) return false;
        if (info->symbol) attribute->length = strlen(attribute->text);
        return true;
    case TIR_ATTR_I32_ARRAY:
    case TIR_ATTR_BOOL_ARRAY: return parse_dense_array(p, attribute);
    case TIR_ATTR_ARRAY: return parse_at(p, '[') ? parse_tagged(p, attribute) : parse_expected(p, "'['");
    case TIR_ATTR_HINTS:
        if (!strcmp(token_name(p, &at), "optimization_hints") && parse_take(p, TOKEN_HASH))
            return parse_hints(p, attribute);
        return parse_expected(p, "#cuda_tile.optimization_hints");
    case TIR_ATTR_CONSTANT: return parse_generic_constant(p, parsed);
    case TIR_ATTR_TAGGED:
        if (!parse_tagged(p, &other)) return false;
        *attribute = other;
        attribute->present = true;
        return true;
    }
    return false;
}

static bool take_attribute(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    GenericAttributes *attributes = context;
    const TirOpInfo *info = attributes->parsed->info;
    TirAttribute other = {0};
    if (strcmp(name, "operandSegmentSizes") == 0) {
        attributes->has_segments = true;
        return (has_value || parse_expected(p, "'='")) && parse_dense_array(p, &attributes->segments);
    }
    int index = find_attribute(info, name);
    if (index < 0) return parse_fail(p, at, "%s has no attribute '%s'", info->text_name, name);
    TirAttribute *attribute = &attributes->parsed->attributes[index];
    if (attribute->present) return parse_fail(p, at, "'%s' is there twice", name);
    if (has_value) return parse_generic_value(p, attributes->parsed, &info->attributes[index], attribute);
    if (info->attributes[index].kind != TIR_ATTR_UNIT) return parse_expected(p, "'='");
    other = (TirAttribute){.present = true, .integer = 1};
    *attribute = other;
    return true;
}

bool parse_generic_attributes(Parser *p, ParsedOp *parsed) {
    GenericAttributes attributes = {.parsed = parsed};
    return parse_dictionary(p, '{', '}', take_attribute, &attributes);
}

// ---- operands -------------------------------------------------------------------------------------------------------

static bool segments_from_sizes(Parser *p, ParsedOp *parsed, const TirAttribute *sizes, uint32_t count) {
    const TirOpInfo *info = parsed->info;
    uint32_t at = 0;
    if (sizes->length != info->operand_count)
        return parse_fail(p, &parsed->name, "%s has %u kinds of operands, but operandSegmentSizes has %zu entries",
                          info->text_name, info->operand_count, sizes->length);
    for (uint32_t i = 0; i < info->operand_count; i++) {
        int64_t size = sizes->numbers[i];
        if (size < 0 || size > count - at)
            return parse_fail(p, &parsed->name, "operandSegmentSizes does not fit %u operands", count);
        parsed->operands[i] = (Slice){.first = at, .count = (uint32_t)size, .given = true};
        at += (uint32_t)size;
    }
    return at == count || parse_fail(p, &parsed->name, "operandSegmentSizes does not fit %u operands", count);
}

// Without sizes: one each; what is left over goes to the one optional or variadic operand.
static bool segments_from_count(Parser *p, ParsedOp *parsed, uint32_t count) {
    const TirOpInfo *info = parsed->info;
    uint32_t fixed = 0, at = 0, limit = 0;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        fixed += info->operands[i].arity == TIR_ONE;
        if (info->operands[i].arity == TIR_VARIADIC) limit = UINT32_MAX;
        if (info->operands[i].arity == TIR_OPTIONAL && !limit) limit = 1;
    }
    if (info->segmented) return parse_fail(p, &parsed->name, "%s needs operandSegmentSizes", info->text_name);
    if (count < fixed || count - fixed > limit)
        return parse_fail(p, &parsed->name, "%s has %u operands, expected %u%s", info->text_name, count, fixed,
                          limit ? " or more" : "");
    for (uint32_t i = 0; i < info->operand_count; i++) {
        uint32_t size = info->operands[i].arity == TIR_ONE ? 1 : count - fixed;
        parsed->operands[i] = (Slice){.first = at, .count = size, .given = true};
        at += size;
    }
    return true;
}

static bool check_operand_types(Parser *p, const ParsedOp *parsed, uint32_t first_type, uint32_t types,
                                uint32_t operands) {
    if (types != operands) return parse_fail(p, &parsed->type_at, "%u types for %u operands", types, operands);
    for (uint32_t i = 0; i < operands; i++) {
        const Operand *operand = &p->operands[i];
        TirType found = tir_value_type(tile_parser(p)->function, operand->value),
                expected = tile_parser(p)->types[first_type + i];
        if (found != expected)
            return parse_fail(p, &operand->at, "%s is %s, but the op takes it as %s", token_text(p, &operand->at),
                              type_text(p, found), type_text(p, expected));
    }
    return true;
}

// ---- ops ------------------------------------------------------------------------------------------------------------

static bool parse_regions(Parser *p, TirOp *op) {
    const Slice none = {0};
    uint32_t count = 0;
    parse_advance(p); // the parenthesis
    do {
        if (count == op->region_count)
            return parse_fail(p, &p->token, "%s has more than %u regions", tir_op_info(op->kind)->text_name,
                              op->region_count);
        if (!parse_region(p, &op->regions[count++], none, none, TIR_OP_COUNT)) return false;
    } while (parse_take(p, ','));
    if (count != op->region_count)
        return parse_fail(p, &p->token, "%s has %u regions, expected %u", tir_op_info(op->kind)->text_name, count,
                          op->region_count);
    return parse_need(p, ')', "',' or ')'");
}

// The name of the op; one of another dialect is a foreign op, which keeps its name.
static bool name_op(Parser *p, ParsedOp *parsed) {
    Token at = p->token;
    bool ours = at.length > 12 && memcmp(at.start, "\"cuda_tile.", 11) == 0;
    parsed->kind = op_by_text(p, token_name(p, &at));
    if (!ours || parsed->kind == TIR_OP_COUNT) {
        if (ours) return parse_expected(p, "an op");
        parsed->kind = TIR_OP_foreign;
        parsed->attributes[0].present = true;
        if (!parse_string(p, &at, &parsed->attributes[0].text, &parsed->attributes[0].length)) return false;
        p->module->testing = true;
    }
    parsed->info = tir_op_info(parsed->kind);
    parse_advance(p);
    return true;
}

bool parse_generic_op(Parser *p, ParsedOp *parsed, TirBlock *block) {
    uint32_t operands, parameters, results;
    GenericAttributes attributes = {.parsed = parsed};
    if (!name_op(p, parsed) || !parse_need(p, '(', "'('") || !parse_use_list(p, &operands) ||
        !parse_need(p, ')', "',' or ')'"))
        return false;
    if (parse_take(p, '<') &&
        !(parse_dictionary(p, '{', '}', take_attribute, &attributes) && parse_need(p, '>', "'>'")))
        return false;
    ParsePlace regions = parse_place_here(p);
    bool has_regions = parse_at(p, '(');
    if (has_regions && !skip_regions(p)) return false;
    if (parse_at(p, '{') && !parse_dictionary(p, '{', '}', take_attribute, &attributes)) return false;
    if (!parse_need(p, ':', "':' and the type")) return false;
    parsed->type_at = p->token;
    uint32_t first_type = (uint32_t)tile_parser(p)->type_count;
    if (!parse_function_type(p, &parameters, &results) ||
        !check_operand_types(p, parsed, first_type, parameters, operands))
        return false;
    if (!(attributes.has_segments ? segments_from_sizes(p, parsed, &attributes.segments, operands)
                                  : segments_from_count(p, parsed, operands)) ||
        !make_op_with_types(p, parsed, block, first_type + parameters, results))
        return false;
    ParsePlace behind = parse_place_here(p);
    parse_return_to(p, &regions);
    if (has_regions && !parse_regions(p, parsed->op)) return false;
    parse_return_to(p, &behind);
    if (has_regions || !parsed->op->region_count) return true;
    return parse_fail(p, &parsed->name, "%s has no regions, expected %u", parsed->info->text_name,
                      parsed->op->region_count);
}
