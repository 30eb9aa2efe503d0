// SPDX-License-Identifier: Apache-2.0
// Ops of the dialect nv_tileaa, which only text has (tileaa.def):
//   op    ::= name %a {"," %b} [attrs] ":" types [attrs]
//   attrs ::= "{" key "=" value {"," key "=" value} "}"
#include "compiler/tileir/parse_internal.h"
#include "compiler/tileir/print_internal.h"

static const char prefix[] = "nv_tileaa.";
enum { PREFIX_LENGTH = sizeof prefix - 1 };

typedef enum TileaaForm { TILEAA_ELEMENTS, TILEAA_CAST } TileaaForm;

static const struct TileaaOp {
    const char *name;
    TirOpKind op;
    TileaaForm form;
} tileaa_ops[] = {
#define TILEAA_OP(name, op, form) {#name, TIR_OP_##op, TILEAA_##form},
#include "compiler/tileir/tileaa.def"
};

static const struct {
    const char *word;
    uint64_t rounding;
} tileaa_roundings[] = {
#define TILEAA_ROUNDING(word, rounding) {#word, TIR_rounding_##rounding},
#include "compiler/tileir/tileaa.def"
};

const char *tir_tileaa_rounding(uint64_t rounding) {
    for (size_t i = 0; i < BASE_COUNT(tileaa_roundings); i++)
        if (tileaa_roundings[i].rounding == rounding) return tileaa_roundings[i].word;
    return NULL;
}

bool token_is_tileaa(const Token *token) {
    return token->kind == TOKEN_WORD && token->length > PREFIX_LENGTH && !memcmp(token->start, prefix, PREFIX_LENGTH);
}

// ---- attributes -----------------------------------------------------------------------------------------------------

typedef bool ParseValue(Parser *p, uint64_t *value);

static bool parse_rounding_value(Parser *p, uint64_t *value) {
    const char *word = parse_at(p, TOKEN_HASH) ? token_name(p, &p->token) : "";
    for (size_t i = 0; i < BASE_COUNT(tileaa_roundings); i++) {
        if (strcmp(word, tileaa_roundings[i].word)) continue;
        *value = tileaa_roundings[i].rounding;
        parse_advance(p);
        return true;
    }
    const char *words = "";
    for (size_t i = 0; i < BASE_COUNT(tileaa_roundings); i++)
        words = arena_format(&p->scratch, "%s%s#%s", words, i ? ", " : "", tileaa_roundings[i].word);
    return parse_expected(p, arena_format(&p->scratch, "a rounding (%s)", words));
}

static bool parse_bool_value(Parser *p, uint64_t *value) {
    return parse_number(p, TIR_TYPE_i1, value);
}

static const struct TileaaKey {
    const char *key, *attribute; // in the text, in ops.def
    ParseValue *parse;
} tileaa_keys[] = {
    {"rounding", "rounding", parse_rounding_value},
    {"satf", "satf", parse_bool_value},
    {"ftz", "ftz", parse_bool_value},
    {"propagate_nan", "nan", parse_bool_value},
};

static bool fail_unknown_key(Parser *p, const char *name, const Token *at) {
    const char *keys = "";
    for (size_t i = 0; i < BASE_COUNT(tileaa_keys); i++)
        keys = arena_format(&p->scratch, "%s%s%s", keys, i ? ", " : "", tileaa_keys[i].key);
    return parse_fail(p, at, "unknown attribute '%s' of nv_tileaa; known are: %s", name, keys);
}

static TirAttribute *attribute_named(ParsedOp *parsed, const char *name) {
    for (uint32_t i = 0; i < parsed->info->attribute_count; i++)
        if (!strcmp(parsed->info->attributes[i].name, name)) return &parsed->attributes[i];
    return NULL;
}

// A flag that is false is as one that is not there, which every op may have.
static bool take_key(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    ParsedOp *parsed = context;
    for (size_t i = 0; i < BASE_COUNT(tileaa_keys); i++) {
        const struct TileaaKey *key = &tileaa_keys[i];
        uint64_t value;
        if (strcmp(key->key, name)) continue;
        if (!has_value) return parse_fail(p, at, "'%s' has no value", name);
        if (!key->parse(p, &value)) return false;
        TirAttribute *attribute = attribute_named(parsed, key->attribute);
        const bool is_flag = key->parse == parse_bool_value;
        if (!attribute) return (is_flag && !value) || parse_fail(p, at, "%s has no %s", parsed->info->text_name, name);
        attribute->present = !is_flag || value;
        attribute->integer = value;
        return true;
    }
    return fail_unknown_key(p, name, at);
}

static bool parse_attributes(Parser *p, ParsedOp *parsed) {
    return !parse_at(p, '{') || parse_dictionary(p, '{', '}', take_key, parsed);
}

// ---- types ----------------------------------------------------------------------------------------------------------

// tile<4 x 8 x f16>: blanks may stand around the x.
static bool parse_tileaa_type(Parser *p, TirType *type) {
    Token at = p->token;
    TirTypeInfo info = {.kind = TIR_TYPE_tile};
    int64_t shape[TIR_RANK_MAX];
    if (!parse_at_type(p) || strcmp(token_name(p, &p->token), "tile")) return parse_expected(p, "a tile");
    parse_advance(p);
    if (!parse_at(p, '<')) return parse_expected(p, "'<'");
    parse_advance(p);
    if (!parse_spaced_dimensions(p, &info.rank, shape) || !parse_type(p, &info.element) || !parse_need(p, '>', "'>'"))
        return false;
    info.shape = shape;
    const char *problem = tir_type_problem(p->module, &info);
    if (problem) return parse_fail(p, &at, "%s", problem);
    *type = tir_type_intern(p->module, &info);
    return true;
}

static bool take_type(Parser *p, Slice *slice) {
    TirType type;
    *slice = (Slice){.first = (uint32_t)p->type_count, .count = 1, .given = true};
    return parse_tileaa_type(p, &type) && parse_push_type(p, type);
}

// ---- ops ------------------------------------------------------------------------------------------------------------

static const struct TileaaOp *find_tileaa_op(const Token *name) {
    const char *at = name->start + PREFIX_LENGTH;
    const size_t length = name->length - PREFIX_LENGTH;
    for (size_t i = 0; i < BASE_COUNT(tileaa_ops); i++)
        if (strlen(tileaa_ops[i].name) == length && !memcmp(tileaa_ops[i].name, at, length)) return &tileaa_ops[i];
    return NULL;
}

static bool parse_operands(Parser *p, ParsedOp *parsed) {
    const uint32_t first = (uint32_t)p->operand_count;
    uint32_t count;
    if (!parse_use_list(p, &count)) return false;
    if (count != parsed->info->operand_count)
        return parse_fail(p, &parsed->name, "%s has %u operands, expected %u", parsed->info->text_name, count,
                          parsed->info->operand_count);
    for (uint32_t i = 0; i < count; i++) parsed->operands[i] = (Slice){.first = first + i, .count = 1, .given = true};
    return true;
}

static bool parse_form_types(Parser *p, ParsedOp *parsed, TileaaForm form) {
    parsed->type_at = p->token;
    switch (form) {
    case TILEAA_ELEMENTS: return take_type(p, &parsed->operand_types[0]);
    case TILEAA_CAST:
        return take_type(p, &parsed->operand_types[0]) && parse_need_word(p, "to") &&
               take_type(p, &parsed->result_types[0]);
    }
    return false;
}

bool parse_tileaa_op(Parser *p, ParsedOp *parsed, TirBlock *block) {
    const struct TileaaOp *row = find_tileaa_op(&p->token);
    if (!row) return parse_expected(p, "an op of nv_tileaa");
    parsed->kind = row->op;
    parsed->info = tir_op_info(row->op);
    parse_advance(p);
    return parse_operands(p, parsed) && parse_attributes(p, parsed) && parse_need(p, ':', "':' and the type") &&
           parse_form_types(p, parsed, row->form) && parse_attributes(p, parsed) && make_op(p, parsed, block);
}
