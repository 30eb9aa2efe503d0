// SPDX-License-Identifier: Apache-2.0
// The text forms of ops.def, walked token by token, and the generic form.
#include "compiler/triton/reader.h"

#include <ctype.h>

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static size_t name_length(const char *at) {
    size_t length = 0;
    while (is_name(at[length])) length++;
    return length;
}

static uint32_t attribute_index(const TriOpInfo *info, const char *name, size_t length) {
    for (uint32_t i = 0; i < info->attribute_count; i++)
        if (strlen(info->attributes[i].name) == length && !memcmp(info->attributes[i].name, name, length)) return i;
    return UINT32_MAX;
}

// ---- types ----------------------------------------------------------------------------------------------------------

// ^x: of an operand the type that its values have, of a result the one that it gets.
static bool parse_type_of(Parser *p, TriParsed *parsed, const char *name, size_t length) {
    const TriOpInfo *info = parsed->op->info;
    const uint32_t operand = tri_operand_index(info, name, length);
    const Token at = p->token;
    TriType type;
    if (operand != UINT32_MAX) {
        for (uint32_t i = 0; i < parsed->operand_counts[operand]; i++) {
            const TriValue value = p->operands[parsed->first_operand[operand] + i].value;
            const TriType own = tri_value_type(p, value);
            const bool pointer = tir_tile_element_kind(p->module, own.tile) == TIR_TYPE_ptr;
            const char bare = own.memory ? 'm' : pointer ? 'p' : 'd';
            if (i && !parse_need(p, ',', "','")) return false;
            if (!tri_parse_type(p, bare, &type) || !tri_check_type(p, &at, value, type)) return false;
        }
        return true;
    }
    if (info->variadic_results) {
        const TriReader *r = tri_reader(p);
        parsed->has_types = true;
        parsed->first_type = (uint32_t)r->type_count;
        return tri_parse_type_list(p, &parsed->type_count);
    }
    for (uint32_t i = 0; i < info->result_count; i++) {
        if (strlen(info->results[i].name) != length || memcmp(info->results[i].name, name, length)) continue;
        parsed->has_result_type[i] = true;
        const char bare = strcmp(info->name, "tt.make_tensor_descriptor") ? 'p' : 'd';
        if (!tri_parse_type(p, bare, &parsed->result_types[i])) return false;
        const TriNamed *result = &info->results[i];
        const uint32_t of = result->rule == '=' ? tri_operand_index(info, result->of, strlen(result->of)) : UINT32_MAX;
        return of == UINT32_MAX || !parsed->operand_counts[of] ||
               tri_check_type(p, &at, p->operands[parsed->first_operand[of]].value, parsed->result_types[i]);
    }
    return parse_fail(p, &at, "%s: a type of nothing", info->name);
}

// (types) -> types of all operands and results.
bool tri_parse_functional(Parser *p, TriParsed *parsed) {
    const TriReader *r = tri_reader(p);
    const size_t mark = r->type_count;
    const Token at = p->token;
    uint32_t count, own = 0;
    if (!parse_at(p, '(')) return parse_expected(p, "'(' and the types of the operands");
    if (!tri_parse_type_or_list(p, &count)) return false;
    for (uint32_t i = 0; i < parsed->op->info->operand_count; i++)
        for (uint32_t k = 0; k < parsed->operand_counts[i]; k++, own++)
            if (own < count &&
                !tri_check_type(p, &at, p->operands[parsed->first_operand[i] + k].value, r->type_stack[mark + own]))
                return false;
    if (own != count) return parse_fail(p, &at, "%u types for %u operands", count, own);
    parsed->has_types = true;
    if (!parse_need(p, TOKEN_ARROW, "'->'")) return false;
    parsed->first_type = (uint32_t)r->type_count;
    return tri_parse_type_or_list(p, &parsed->type_count);
}

// ---- the pieces of a form -------------------------------------------------------------------------------------------

static bool parse_inline_attribute(Parser *p, TriParsed *parsed, const char *name, size_t length) {
    const uint32_t i = attribute_index(parsed->op->info, name, length);
    const TriAttributeInfo *info = &parsed->op->info->attributes[i];
    TriAttribute *attribute = &parsed->op->attributes[i];
    if (info->kind == TRI_INT || info->kind == TRI_NATURAL || info->kind == TRI_POSITIVE) { // without a type
        const Token at = p->token;
        int64_t number;
        if (!parse_integer(p, &number, info->name)) return false;
        attribute->present = true;
        attribute->integer = (uint64_t)number;
        return tri_check_integer(p, &at, info, attribute);
    }
    return tri_parse_attribute(p, info, attribute);
}

static bool at_literal(const Parser *p, const char *at) {
    const size_t length = name_length(at);
    if (!length) return *at == '-' && at[1] == '>' ? parse_at(p, TOKEN_ARROW) : parse_at(p, (uint8_t)*at);
    return parse_at(p, TOKEN_WORD) && p->token.length == length && !memcmp(p->token.start, at, length);
}

// A group is there if the text has what it begins with: a literal, or a value.
static bool at_group(const Parser *p, const char *at) {
    while (*at == ' ') at++;
    if (*at == '$') return parse_at(p, TOKEN_VALUE);
    return at_literal(p, at);
}

static const char *end_of_group(const char *at) {
    while (*at != '}') at++;
    return at + 1;
}

static bool parse_literal(Parser *p, const char **at) {
    const size_t length = name_length(*at);
    char what[40];
    const bool there = at_literal(p, *at), arrow = !length && **at == '-';
    const size_t size = length ? length : arrow ? 2 : 1;
    what[0] = what[size + 1] = '\'';
    memcpy(what + 1, *at, size);
    what[size + 2] = 0;
    *at += size;
    if (!there) return parse_need(p, UINT32_MAX, arena_text(&p->scratch, what, size + 2));
    parse_advance(p);
    return true;
}

static bool parse_marker(Parser *p, TriParsed *parsed, const char **at) {
    const char marker = *(*at)++, *name = *at;
    const size_t length = marker == '~' || marker == '%' ? 0 : name_length(name);
    *at += length;
    switch (marker) {
    case '$': return tri_parse_operands(p, parsed, tri_operand_index(parsed->op->info, name, length));
    case '#': return parse_inline_attribute(p, parsed, name, length);
    case '^': return parse_type_of(p, parsed, name, length);
    case '~': return !parse_at(p, '{') || tri_parse_op_dictionary(p, '{', '}', parsed->op);
    case '%': return tri_parse_functional(p, parsed);
    default: return tri_parse_form_hook(p, parsed, name, length);
    }
}

bool tri_parse_form(Parser *p, TriParsed *parsed) {
    const char *at = parsed->op->info->row->text;
    if (*at == '-' && !at[1])
        return parse_fail(p, &parsed->at, "%s has no form but \"%s\"(..)", parsed->op->info->name,
                          parsed->op->info->name);
    while (*at) {
        if (*at == ' ' || *at == '}') {
            at++;
        } else if (*at == '{') {
            at = at_group(p, at + 1) ? at + 1 : end_of_group(at);
        } else if (strchr("$#^~%@", *at)) {
            if (!parse_marker(p, parsed, &at)) return false;
        } else if (!parse_literal(p, &at)) {
            return false;
        }
    }
    return true;
}

// ---- the generic form -----------------------------------------------------------------------------------------------

// The operands as they stand, given to the declared ones: by operandSegmentSizes, or one each and the rest to the one
// that takes any number.
static bool share_operands(Parser *p, TriParsed *parsed, uint32_t first, uint32_t count) {
    const TriOpInfo *info = parsed->op->info;
    uint32_t needed = 0, given = 0;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        needed += info->operands[i].arity == TIR_ONE;
        given += parsed->op->segments[i];
    }
    const bool sized = given;
    if (count < needed) return parse_fail(p, &parsed->at, "%s has %u operands, expected %u", info->name, count, needed);
    uint32_t left = count - needed, at = first;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        const TirArity arity = info->operands[i].arity;
        uint32_t own = arity == TIR_ONE ? 1 : arity == TIR_OPTIONAL ? left > 0 : left;
        if (sized) own = parsed->op->segments[i];
        if (!sized && arity != TIR_ONE) left -= own;
        if (own > first + count - at || (arity != TIR_VARIADIC && own > 1) || (arity == TIR_ONE && own != 1))
            return parse_fail(p, &parsed->at, "%s has a wrong number of operands", info->name);
        parsed->first_operand[i] = at;
        parsed->operand_counts[i] = own;
        at += own;
    }
    return at == first + count ||
           parse_fail(p, &parsed->at, "%s has %u operands too many", info->name, first + count - at);
}

// ({..}, {..})
static bool parse_regions(Parser *p, TriParsed *parsed) {
    TriOp *op = parsed->op;
    op->regions = arena_array(&p->scratch, TriRegion, TRI_REGIONS_MAX);
    parse_advance(p);
    do {
        if (op->region_count == TRI_REGIONS_MAX) return parse_fail(p, &p->token, "more than two regions");
        if (!parse_need(p, '{', "'{'")) return false;
        if (!tri_parse_region(p, &op->regions[op->region_count++], NULL)) return false;
    } while (parse_take(p, ','));
    return parse_need(p, ')', "',' or ')'");
}

bool tri_parse_generic(Parser *p, TriParsed *parsed) {
    TriOp *op = parsed->op;
    const uint32_t first = (uint32_t)p->operand_count;
    uint32_t count;
    if (!parse_need(p, '(', "'('") || !parse_use_list(p, &count) || !parse_need(p, ')', "',' or ')'")) return false;
    if (parse_at(p, '[')) return tri_fail_unsupported(p, &p->token, "the generic form of a branch");
    if (parse_take(p, '<') && !(tri_parse_op_dictionary(p, '{', '}', op) && parse_need(p, '>', "'>'"))) return false;
    const uint32_t names = (uint32_t)tri_reader(p)->name_count;
    if (parse_at(p, '(') && !parse_regions(p, parsed)) return false;
    (void)names;
    if (parse_at(p, '{') && !tri_parse_op_dictionary(p, '{', '}', op)) return false;
    return share_operands(p, parsed, first, count) && parse_need(p, ':', "':' and the types") &&
           tri_parse_functional(p, parsed);
}
