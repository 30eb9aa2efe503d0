// SPDX-License-Identifier: Apache-2.0
// Ops of the dialect nv_tileaa, which only text has (tileaa.def):
//   op    ::= name %a {"," %b} [scales] [attrs] ":" types [attrs]
//   attrs ::= "{" key "=" value {"," key "=" value} "}"
#include "compiler/tileir/parse_internal.h"
#include "compiler/tileir/print_internal.h"

static const char prefix[] = "nv_tileaa.";
enum { PREFIX_LENGTH = sizeof prefix - 1 };

typedef enum TileaaForm { TILEAA_ELEMENTS, TILEAA_CAST, TILEAA_DOT, TILEAA_SYMBOL } TileaaForm;

static const struct TileaaOp {
    const char *name;
    TirOpKind op; // TIR_OP_COUNT: the attribute `symbol` says it
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

typedef struct TileaaSymbol { // of libdevice
    const char *name;
    TirOpKind op;
    bool single, fast; // on f32, else on f64; its fast form
} TileaaSymbol;
static const TileaaSymbol tileaa_symbols[] = {
#define TILEAA_SYMBOL_IF_true(...) {__VA_ARGS__},
#define TILEAA_SYMBOL_IF_false(...)
#define TILEAA_SYMBOL(name, op, exact, has_fast)                                                                       \
    TILEAA_SYMBOL_IF_##exact("__nv_" #name, TIR_OP_##op, false, false)                                                 \
        TILEAA_SYMBOL_IF_##exact("__nv_" #name "f", TIR_OP_##op, true, false)                                          \
            TILEAA_SYMBOL_IF_##has_fast("__nv_fast_" #name "f", TIR_OP_##op, true, true)
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

// An op that is parsed, until it is made.
typedef struct TileaaParse {
    ParsedOp *parsed;
    const struct TileaaOp *row;
    const TileaaSymbol *symbol; // NULL: not said yet
    Token symbol_at;
    Slice uses; // on p->operands
} TileaaParse;

// ---- attributes -----------------------------------------------------------------------------------------------------

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

static TirAttribute *attribute_named(ParsedOp *parsed, const char *name) {
    for (uint32_t i = 0; i < parsed->info->attribute_count; i++)
        if (!strcmp(parsed->info->attributes[i].name, name)) return &parsed->attributes[i];
    return NULL;
}

static const char *said_name(const TileaaParse *t) {
    return t->row->name;
}

static bool take_rounding(Parser *p, TileaaParse *t, const Token *at) {
    TirAttribute *attribute = t->parsed->info ? attribute_named(t->parsed, "rounding") : NULL;
    if (!attribute) return parse_fail(p, at, "nv_tileaa.%s has no rounding", said_name(t));
    attribute->present = true;
    return parse_rounding_value(p, &attribute->integer);
}

// A flag that is false is as one that is not there, which every op may have.
static bool take_flag(Parser *p, TileaaParse *t, const Token *at, const char *key, const char *name) {
    TirAttribute *attribute = t->parsed->info ? attribute_named(t->parsed, name) : NULL;
    uint64_t value;
    if (!parse_bool_value(p, &value)) return false;
    if (!attribute) return !value || parse_fail(p, at, "nv_tileaa.%s has no %s", said_name(t), key);
    attribute->present = value;
    attribute->integer = value;
    return true;
}

static bool take_satf(Parser *p, TileaaParse *t, const Token *at) {
    return take_flag(p, t, at, "satf", "satf");
}
static bool take_ftz(Parser *p, TileaaParse *t, const Token *at) {
    return take_flag(p, t, at, "ftz", "ftz");
}
static bool take_propagate_nan(Parser *p, TileaaParse *t, const Token *at) {
    return take_flag(p, t, at, "propagate_nan", "nan");
}

// #fastmath<contract, nsz>
static bool take_fastmath(Parser *p, TileaaParse *t, const Token *at) {
    if (!parse_at(p, TOKEN_HASH) || strcmp(token_name(p, &p->token), "fastmath"))
        return parse_expected(p, "#fastmath<");
    if (t->parsed->info && !t->parsed->info->licensed)
        return parse_fail(p, at, "nv_tileaa.%s has no fastmath", said_name(t));
    parse_advance(p);
    return parse_math_flags(p, &t->parsed->math.flags);
}

static bool take_symbol(Parser *p, TileaaParse *t, const Token *at) {
    const Token said = p->token;
    const char *name, *known = "";
    if (t->row->form != TILEAA_SYMBOL) return parse_fail(p, at, "nv_tileaa.%s has no symbol", said_name(t));
    if (!parse_at(p, TOKEN_STRING)) return parse_expected(p, "a symbol in quotes");
    if (!parse_string(p, &said, &name, NULL)) return false;
    for (size_t i = 0; i < BASE_COUNT(tileaa_symbols); i++) {
        known = arena_format(&p->scratch, "%s%s%s", known, i ? ", " : "", tileaa_symbols[i].name);
        if (strcmp(name, tileaa_symbols[i].name)) continue;
        t->symbol = &tileaa_symbols[i];
        t->symbol_at = said;
        parse_advance(p);
        return true;
    }
    return parse_fail(p, &said, "unknown symbol '%s'; known are: %s", name, known);
}

static const struct TileaaKey {
    const char *key;
    bool (*take)(Parser *p, TileaaParse *t, const Token *at); // the value; `at` is the key
} tileaa_keys[] = {
    {"rounding", take_rounding}, {"satf", take_satf},     {"fastmath", take_fastmath},
    {"ftz", take_ftz},           {"symbol", take_symbol}, {"propagate_nan", take_propagate_nan},
};

static bool take_tileaa_key(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    const char *keys = "";
    for (size_t i = 0; i < BASE_COUNT(tileaa_keys); i++) {
        keys = arena_format(&p->scratch, "%s%s%s", keys, i ? ", " : "", tileaa_keys[i].key);
        if (strcmp(tileaa_keys[i].key, name)) continue;
        if (!has_value) return parse_fail(p, at, "'%s' has no value", name);
        return tileaa_keys[i].take(p, context, at);
    }
    return parse_fail(p, at, "unknown attribute '%s' of nv_tileaa; known are: %s", name, keys);
}

static bool parse_tileaa_attributes(Parser *p, TileaaParse *t) {
    return parse_dictionary(p, '{', '}', take_tileaa_key, t);
}

// ---- types ----------------------------------------------------------------------------------------------------------

// The element of a tile of scales may have a shorter name.
static bool parse_tileaa_element(Parser *p, bool scales, TirType *element) {
    static const struct {
        const char *name;
        TirTypeKind kind;
    } names[] = {{"e4m3", TIR_TYPE_f8E4M3FN}, {"e8m0", TIR_TYPE_f8E8M0FNU}};
    for (size_t i = 0; scales && i < BASE_COUNT(names); i++)
        if (parse_take_word(p, names[i].name)) {
            *element = tir_type_scalar(p->module, names[i].kind);
            return true;
        }
    return parse_type(p, element);
}

// tile<4 x 8 x f16>: blanks may stand around the x.
static bool parse_tileaa_type(Parser *p, bool scales, TirType *type) {
    const Token at = p->token;
    TirTypeInfo info = {.kind = TIR_TYPE_tile};
    int64_t shape[TIR_RANK_MAX];
    if (!parse_at_type(p) || strcmp(token_name(p, &p->token), "tile")) return parse_expected(p, "a tile");
    parse_advance(p);
    if (!parse_need(p, '<', "'<'") || !parse_spaced_dimensions(p, &info.rank, shape) ||
        !parse_tileaa_element(p, scales, &info.element) || !parse_need(p, '>', "'>'"))
        return false;
    info.shape = shape;
    const char *problem = tir_type_problem(p->module, &info);
    if (problem) return parse_fail(p, &at, "%s", problem);
    *type = tir_type_intern(p->module, &info);
    return true;
}

static bool take_type(Parser *p, bool scales, Slice *slice) {
    TirType type;
    *slice = (Slice){.first = (uint32_t)tile_parser(p)->type_count, .count = 1, .given = true};
    return parse_tileaa_type(p, scales, &type) && parse_push_type(p, type);
}

// A, B, ..: of the first `count` operands.
static bool take_operand_types(Parser *p, ParsedOp *parsed, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (i && !parse_need(p, ',', "',' and the type of the next operand")) return false;
        if (!take_type(p, false, &parsed->operand_types[i])) return false;
    }
    return true;
}

// A, B, C [sfa: D, sfb: E] -> R
static bool take_dot_types(Parser *p, ParsedOp *parsed) {
    static const char *const words[] = {"sfa", "sfb"};
    if (!take_operand_types(p, parsed, 3)) return false;
    for (uint32_t i = 0; i < 2; i++) {
        if (!parsed->operands[3 + i].count) continue;
        parse_take(p, ',');
        if (!parse_need_word(p, words[i]) || !parse_need(p, ':', "':'") ||
            !take_type(p, true, &parsed->operand_types[3 + i]))
            return false;
    }
    return parse_need(p, TOKEN_ARROW, "'->'") && take_type(p, false, &parsed->result_types[0]);
}

// A, B -> R, of a function on f32 or f64, as its name says.
static bool take_symbol_types(Parser *p, const TileaaParse *t) {
    ParsedOp *parsed = t->parsed;
    if (!take_operand_types(p, parsed, parsed->info->operand_count) || !parse_need(p, TOKEN_ARROW, "'->'") ||
        !take_type(p, false, &parsed->result_types[0]))
        return false;
    const TirTypeKind element = tir_tile_element_kind(p->module, tile_parser(p)->types[parsed->result_types[0].first]),
                      taken = t->symbol->single ? TIR_TYPE_f32 : TIR_TYPE_f64;
    return element == taken || parse_fail(p, &t->symbol_at, "%s is of %s, not of %s", t->symbol->name,
                                          tir_type_rows[taken].name, tir_type_rows[element].name);
}

static bool take_types(Parser *p, const TileaaParse *t) {
    ParsedOp *parsed = t->parsed;
    parsed->type_at = p->token;
    switch (t->row->form) {
    case TILEAA_ELEMENTS: return take_type(p, false, &parsed->operand_types[0]);
    case TILEAA_CAST:
        return take_type(p, false, &parsed->operand_types[0]) && parse_need_word(p, "to") &&
               take_type(p, false, &parsed->result_types[0]);
    case TILEAA_DOT: return take_dot_types(p, parsed);
    case TILEAA_SYMBOL: return take_symbol_types(p, t);
    }
    return false;
}

// ---- operands -------------------------------------------------------------------------------------------------------

// sfa(%a) sfb(%b), of a dot.
static bool take_scales(Parser *p, ParsedOp *parsed) {
    static const char *const words[] = {"sfa", "sfb"};
    for (uint32_t i = 0; i < 2; i++) {
        if (!parse_take_word(p, words[i])) continue;
        if (!parse_need(p, '(', "'('") || !parse_operand(p, parsed, 3 + i) || !parse_need(p, ')', "')'")) return false;
    }
    return true;
}

// How many operands stand in the list; those of scales come behind it.
static uint32_t listed_operands(const TirOpInfo *info) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->operand_count; i++) count += info->operands[i].arity == TIR_ONE;
    return count;
}

// The uses, once the op is known, as its operands.
static bool give_operands(Parser *p, const TileaaParse *t) {
    ParsedOp *parsed = t->parsed;
    const uint32_t wanted = listed_operands(parsed->info);
    if (t->uses.count != wanted)
        return parse_fail(p, &parsed->name, "nv_tileaa.%s has %u operands, expected %u", said_name(t), t->uses.count,
                          wanted);
    for (uint32_t i = 0; i < wanted; i++)
        parsed->operands[i] = (Slice){.first = t->uses.first + i, .count = 1, .given = true};
    return true;
}

// ---- ops ------------------------------------------------------------------------------------------------------------

static const struct TileaaOp *find_tileaa_op(const Token *name) {
    const char *at = name->start + PREFIX_LENGTH;
    const size_t length = name->length - PREFIX_LENGTH;
    for (size_t i = 0; i < BASE_COUNT(tileaa_ops); i++)
        if (strlen(tileaa_ops[i].name) == length && !memcmp(tileaa_ops[i].name, at, length)) return &tileaa_ops[i];
    return NULL;
}

static void know_op(ParsedOp *parsed, TirOpKind kind) {
    parsed->kind = kind;
    parsed->info = tir_op_info(kind);
}

// What the symbol says, which stands before the types.
static bool settle_symbol(Parser *p, const TileaaParse *t) {
    if (t->row->form != TILEAA_SYMBOL) return true;
    if (!t->symbol) return parse_expected(p, "{symbol = \"__nv_...\"} before the types");
    know_op(t->parsed, t->symbol->op);
    if (t->symbol->fast) t->parsed->math.flags |= MATH_FLAG_afn;
    return give_operands(p, t);
}

static bool fail_unknown_op(Parser *p) {
    const char *names = "";
    for (size_t i = 0; i < BASE_COUNT(tileaa_ops); i++)
        names = arena_format(&p->scratch, "%s%s%s", names, i ? ", " : "", tileaa_ops[i].name);
    return parse_expected(p, arena_format(&p->scratch, "an op of nv_tileaa: %s", names));
}

bool parse_tileaa_op(Parser *p, ParsedOp *parsed, TirBlock *block) {
    TileaaParse t = {.parsed = parsed, .row = find_tileaa_op(&p->token)};
    if (!t.row) return fail_unknown_op(p);
    if (t.row->op != TIR_OP_COUNT) know_op(parsed, t.row->op);
    parse_advance(p);
    t.uses.first = (uint32_t)p->operand_count;
    if (!parse_use_list(p, &t.uses.count)) return false;
    if (parsed->info && !give_operands(p, &t)) return false;
    if (t.row->form == TILEAA_DOT && !take_scales(p, parsed)) return false;
    const bool before = parse_at(p, '{');
    if (before && !parse_tileaa_attributes(p, &t)) return false;
    if (!settle_symbol(p, &t) || !parse_need(p, ':', "':' and the type") || !take_types(p, &t)) return false;
    if (parse_at(p, '{')) {
        if (before) return parse_fail(p, &p->token, "attributes stand before the types and behind them");
        if (!parse_tileaa_attributes(p, &t)) return false;
    }
    return make_op(p, parsed, block);
}
