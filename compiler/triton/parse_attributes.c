// SPDX-License-Identifier: Apache-2.0
// Attributes of Triton's text: those that ops have, and those that are skipped.
#include "compiler/triton/reader.h"

// ---- skipping -------------------------------------------------------------------------------------------------------

static bool opens(uint32_t kind) {
    return kind == '(' || kind == '[' || kind == '{' || kind == '<';
}
static bool closes(uint32_t kind) {
    return kind == ')' || kind == ']' || kind == '}' || kind == '>';
}

// Up to a comma or a closing bracket that belongs to nothing in between.
bool tri_skip_value(Parser *p) {
    for (uint32_t depth = 0;; parse_advance(p)) {
        const uint32_t kind = p->token.kind;
        if (kind == TOKEN_END || kind == TOKEN_ERROR) return parse_expected(p, "the end of an attribute");
        if (!depth && (kind == ',' || closes(kind))) return true;
        depth += opens(kind);
        depth -= closes(kind);
    }
}

bool tri_skip_angles(Parser *p) {
    if (!parse_need(p, '<', "'<'")) return false;
    do {
        if (!tri_skip_value(p)) return false;
    } while (parse_take(p, ','));
    return parse_need(p, '>', "'>'");
}

// ---- values ---------------------------------------------------------------------------------------------------------

// 12 : i32, or true, or a word of the enumeration.
static bool parse_integer_value(Parser *p, const TriAttributeInfo *info, TriAttribute *attribute) {
    int64_t number;
    const TriEnum *words = info->enumeration;
    const bool wrapped = words && parse_at(p, TOKEN_HASH); // #ttng.redOp<min>
    if (wrapped) {
        parse_advance(p);
        if (!parse_need(p, '<', "'<'")) return false;
    }
    for (size_t i = 0; words && i < words->count; i++)
        if (parse_take_word(p, words->words[i].word)) {
            attribute->integer = words->words[i].number;
            return !wrapped || parse_need(p, '>', "'>'");
        }
    if (wrapped) return tri_fail_unsupported(p, &p->token, "%s = %s", info->name, token_text(p, &p->token));
    if (parse_at_word(p, "true") || parse_at_word(p, "false")) {
        attribute->integer = parse_at_word(p, "true");
        parse_advance(p);
        return true;
    }
    const Token at = p->token;
    if (words && parse_at(p, TOKEN_WORD))
        return tri_fail_unsupported(p, &at, "%s = %s", info->name, token_text(p, &at));
    if (!parse_integer(p, &number, info->name)) return false;
    attribute->integer = (uint64_t)number;
    bool known = !words;
    for (size_t i = 0; words && i < words->count; i++) known |= words->words[i].number == attribute->integer;
    if (!known) return parse_fail(p, &at, "%s has no value %lld", info->name, (long long)number);
    TriType type;
    return !parse_take(p, ':') || tri_parse_type(p, 0, &type);
}

bool tri_check_integer(Parser *p, const Token *at, const TriAttributeInfo *info, const TriAttribute *attribute) {
    const int64_t number = (int64_t)attribute->integer, least = info->kind == TRI_POSITIVE;
    if (info->kind != TRI_NATURAL && info->kind != TRI_POSITIVE) return true;
    return (number >= least && number <= INT32_MAX) ||
           parse_fail(p, at, "%s is %lld, expected at least %lld", info->name, (long long)number, (long long)least);
}

// array<i32: 1, 0>, or [1, 0], or array<i32>
static bool parse_integers(Parser *p, TriAttribute *attribute) {
    int64_t *numbers = NULL;
    size_t count = 0, capacity = 0;
    const uint32_t end = parse_at(p, '[') ? ']' : '>';
    TriType type;
    if (end == '>' && !(parse_need_word(p, "array") && parse_need(p, '<', "'<'") && tri_parse_type(p, 0, &type)))
        return false;
    if (end == ']') parse_advance(p);
    const bool any = !parse_at(p, end);
    if (any && end == '>' && !parse_need(p, ':', "':'")) return false;
    if (any) do {
            numbers = arena_grow(&p->scratch, numbers, count, &capacity, sizeof *numbers);
            if (parse_at_word(p, "true") || parse_at_word(p, "false")) {
                numbers[count++] = parse_at_word(p, "true");
                parse_advance(p);
            } else if (!parse_integer(p, &numbers[count++], "a number")) {
                return false;
            }
            if (parse_take(p, ':') && !tri_parse_type(p, 0, &type)) return false;
        } while (parse_take(p, ','));
    attribute->numbers = numbers;
    attribute->length = count;
    return parse_need(p, end, end == ']' ? "']'" : "'>'");
}

bool tri_parse_attribute(Parser *p, const TriAttributeInfo *info, TriAttribute *attribute) {
    const Token at = p->token;
    attribute->present = true;
    switch (info->kind) {
    case TRI_INT:
    case TRI_NATURAL:
    case TRI_POSITIVE:
    case TRI_BOOL:
    case TRI_ENUMERATION: return parse_integer_value(p, info, attribute) && tri_check_integer(p, &at, info, attribute);
    case TRI_FLAG: attribute->integer = 1; return !parse_take_word(p, "unit") || true;
    case TRI_INTS: return parse_integers(p, attribute);
    case TRI_STRING:
    case TRI_SYMBOL:
        if (!parse_at(p, info->kind == TRI_STRING ? TOKEN_STRING : TOKEN_SYMBOL))
            return parse_expected(p, info->kind == TRI_STRING ? "a string" : "a symbol, @name");
        parse_advance(p);
        if (info->kind == TRI_SYMBOL) return parse_string(p, &at, &attribute->text, NULL);
        return parse_string(p, &at, &attribute->text, &attribute->length);
    case TRI_OPAQUE:
    case TRI_HINT_KIND: return tri_skip_value(p);
    case TRI_CONSTANT: break; // parsed with its type
    }
    return parse_fail(p, &at, "'%s' cannot stand here", info->name);
}

// ---- dictionaries ---------------------------------------------------------------------------------------------------

static bool skip_entry(Parser *p, bool has_value) {
    return !has_value || tri_skip_value(p);
}

// dense<16> : tensor<1xi32>, dense<[1, 16]> : tensor<2xi32>. Other hints are skipped.
static bool take_result_hint(Parser *p, const char *name, bool has_value, TriOp *op) {
    static const char *const names[TRI_HINT_KINDS] = {
        [TRI_DIVISIBILITY] = "tt.divisibility", [TRI_CONTIGUITY] = "tt.contiguity", [TRI_CONSTANCY] = "tt.constancy"};
    unsigned kind = 0;
    while (kind < TRI_HINT_KINDS && strcmp(name, names[kind]) != 0) kind++;
    if (kind == TRI_HINT_KINDS || !has_value || !parse_take_word(p, "dense")) return skip_entry(p, has_value);
    int64_t *numbers = NULL;
    size_t count = 0, capacity = 0;
    if (!parse_need(p, '<', "'<'")) return false;
    const bool list = parse_take(p, '[');
    do {
        numbers = arena_grow(&p->scratch, numbers, count, &capacity, sizeof *numbers);
        if (!parse_integer(p, &numbers[count++], name)) return false;
    } while (list && parse_take(p, ','));
    if ((list && !parse_need(p, ']', "']'")) || !parse_need(p, '>', "'>'")) return false;
    if (!op->hints) op->hints = arena_array(&p->scratch, TriHint, TRI_HINT_KINDS);
    op->hints[kind] = (TriHint){count, numbers};
    return tri_skip_value(p);
}

static bool take_op_entry(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    TriOp *op = context;
    const TriOpInfo *info = op->info;
    for (uint32_t i = 0; i < info->attribute_count; i++) {
        if (strcmp(info->attributes[i].name, name) != 0) continue;
        if (info->attributes[i].kind == TRI_CONSTANT) {
            TriType ignored;
            op->attributes[i].present = true;
            return has_value && tri_parse_constant(p, &op->attributes[i], &ignored);
        }
        if (!has_value && info->attributes[i].kind != TRI_FLAG && info->attributes[i].kind != TRI_HINT_KIND)
            return parse_fail(p, at, "'%s' has no value", name);
        if (!has_value) {
            op->attributes[i].present = true;
            op->attributes[i].integer = 1;
            return true;
        }
        return tri_parse_attribute(p, &info->attributes[i], &op->attributes[i]);
    }
    // operandSegmentSizes of the generic form: the counts that the reader then uses.
    if (has_value && (!strcmp(name, "operandSegmentSizes") || !strcmp(name, "operand_segment_sizes"))) {
        TriAttribute sizes = {0};
        if (!parse_integers(p, &sizes)) return false;
        if (sizes.length != info->operand_count)
            return parse_fail(p, at, "%s of other than %u", name, info->operand_count);
        for (uint32_t i = 0; i < info->operand_count; i++) {
            if (sizes.numbers[i] < 0 || sizes.numbers[i] > UINT16_MAX)
                return parse_fail(p, at, "%s out of range", name);
            op->segments[i] = (uint32_t)sizes.numbers[i];
        }
        return true;
    }
    if (tri_is_hint(name)) return take_result_hint(p, name, has_value, op);
    return tri_fail_unsupported(p, at, "the attribute '%s' of %s", name, info->name);
}

bool tri_parse_op_dictionary(Parser *p, uint32_t open, uint32_t close, TriOp *op) {
    return parse_dictionary(p, open, close, take_op_entry, op);
}

static bool take_hint(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    (void)context;
    if (!strncmp(name, "triton_", 7)) return tri_fail_advised(p, at, tri_export_newer, "the attribute '%s'", name);
    if (!tri_is_hint(name)) return tri_fail_unsupported(p, at, "the attribute '%s'", name);
    return skip_entry(p, has_value);
}

bool tri_parse_hints(Parser *p) {
    return parse_dictionary(p, '{', '}', take_hint, NULL);
}

static bool take_module_attribute(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    static const TriAttributeInfo info = {.name = "the attribute", .kind = TRI_INT};
    TriCluster *cluster = context;
    TriAttribute number = {0};
    if (has_value && (!strcmp(name, "ttg.num-ctas") || !strcmp(name, "ttg.num-warps"))) {
        if (!parse_integer_value(p, &info, &number)) return false;
        if (number.integer < 1 || number.integer > 1024)
            return parse_fail(p, at, "%s is %lld", name, (long long)number.integer);
        *(name[8] == 'c' ? &cluster->blocks : &cluster->warps) = number.integer;
        return true;
    }
    if (has_value && !strcmp(name, "ttg.target")) {
        const Token value = p->token;
        if (!parse_need(p, TOKEN_STRING, "a string")) return false;
        return !strncmp(value.start, "\"cuda:", 6) ||
               tri_fail_advised(p, &value, tri_export_nvidia, "a kernel for %s", token_text(p, &value));
    }
    if (has_value && !strcmp(name, "ttng.two-ctas")) {
        cluster->two_ctas = parse_at_word(p, "true");
        return tri_skip_value(p);
    }
    return take_hint(p, name, at, has_value, NULL);
}

bool tri_parse_module_attributes(Parser *p) {
    return parse_dictionary(p, '{', '}', take_module_attribute, &tri_reader(p)->cluster);
}

static bool take_argument_hint(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    static const TriAttributeInfo info = {.name = "tt.divisibility", .kind = TRI_INT};
    TriAttribute number = {0};
    if (strcmp(name, info.name) || !has_value || !parse_at(p, TOKEN_INTEGER))
        return take_hint(p, name, at, has_value, NULL);
    if (!parse_integer_value(p, &info, &number)) return false;
    *(uint64_t *)context = number.integer;
    return true;
}

bool tri_parse_argument_hints(Parser *p, uint64_t *divisor) {
    *divisor = 0;
    return parse_dictionary(p, '{', '}', take_argument_hint, divisor);
}

// ---- constants ------------------------------------------------------------------------------------------------------

static bool parse_constant_type(Parser *p, TriType *type) {
    return parse_need(p, ':', "':' and the constant's type") && tri_parse_type(p, 0, type);
}

static bool is_no_number(const TriType *type) {
    return type->descriptor || type->memory || type->token || type->wide;
}

// dense<..> : tensor<..>. The type says what the numbers are, so it is read first.
static bool parse_dense(Parser *p, ConstantLiteral *literal, TriType *type) {
    const ParsePlace numbers = parse_place_here(p);
    if (!tri_skip_angles(p) || !parse_constant_type(p, type)) return false;
    const ParsePlace behind = parse_place_here(p);
    parse_return_to(p, &numbers);
    literal->kind = tir_tile_element_kind(p->module, type->tile);
    if (tir_type_rows[literal->kind].class == TIR_CLASS_COMPOUND || is_no_number(type))
        return parse_fail(p, &numbers.token, "a constant that is no number");
    if (!parse_constant_elements(p, literal)) return false;
    parse_return_to(p, &behind);
    return true;
}

// 12 : i32, -1.5 : f32, true
static bool parse_scalar(Parser *p, ConstantLiteral *literal, TriType *type) {
    const ParsePlace number = parse_place_here(p);
    if (parse_at_word(p, "true") || parse_at_word(p, "false")) {
        type->tile = tri_scalar(p->module, TIR_TYPE_i1);
        parse_advance(p);
        if (parse_at(p, ':') && !parse_constant_type(p, type)) return false;
    } else {
        parse_take(p, '-');
        if (!parse_at(p, TOKEN_INTEGER) && !parse_at(p, TOKEN_FLOAT)) return parse_expected(p, "a constant");
        parse_advance(p);
        if (!parse_constant_type(p, type)) return false;
    }
    const ParsePlace behind = parse_place_here(p);
    parse_return_to(p, &number);
    literal->kind = tir_tile_element_kind(p->module, type->tile);
    if (tir_type_rows[literal->kind].class == TIR_CLASS_COMPOUND || is_no_number(type) ||
        tir_type(p->module, type->tile)->rank)
        return parse_fail(p, &number.token, "a number for a constant of %s", tri_type_text(p, *type));
    if (!parse_constant_numbers(p, literal)) return false;
    parse_return_to(p, &behind);
    return true;
}

bool tri_parse_constant(Parser *p, TriAttribute *attribute, TriType *type) {
    const Token at = p->token;
    ConstantLiteral literal = {0};
    *type = (TriType){0};
    if (!(parse_take_word(p, "dense") ? parse_dense(p, &literal, type) : parse_scalar(p, &literal, type))) return false;
    attribute->present = true;
    return constant_for_tile(p, &literal, type->tile, &at, &attribute->constant);
}
