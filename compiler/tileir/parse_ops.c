// SPDX-License-Identifier: Apache-2.0
// Ops of the text form: the text form column of ops.def, walked token by token, and the making of the op from what was
// found.
#include "compiler/tileir/parse_internal.h"
#include "compiler/tileir/text_form.h"

#include <assert.h>

// ---- operands, types, attributes ------------------------------------------------------------------------------------

static bool op_fail_count(Parser *p, const ParsedOp *parsed, uint32_t values, uint32_t types) {
    return parse_fail(p, &parsed->name, "%s has %u values, but the text has %u types for them", parsed->info->text_name,
                      values, types);
}

bool parse_operand(Parser *p, ParsedOp *parsed, uint32_t operand) {
    Slice *slice = &parsed->operands[operand];
    *slice = (Slice){.first = (uint32_t)p->operand_count, .count = 1, .given = true};
    if (parsed->info->operands[operand].arity == TIR_VARIADIC) return parse_use_list(p, &slice->count);
    return parse_use(p);
}

bool push_operand_type(Parser *p, ParsedOp *parsed, uint32_t operand, TirType type) {
    parsed->operand_types[operand] = (Slice){.first = (uint32_t)tile_parser(p)->type_count, .count = 1, .given = true};
    return parse_push_type(p, type);
}

// Types up to one that $x cannot have, which is that of what follows: tile<i32>, token.
static bool parse_variadic_types(Parser *p, const TirTypeRule *rule, uint32_t *count) {
    ParsePlace behind;
    do {
        TirType type;
        if (!parse_type(p, &type)) return false;
        if (*count && !(rule->kinds >> tir_type(p->module, type)->kind & 1)) {
            parse_return_to(p, &behind);
            return true;
        }
        if (!parse_push_type(p, type)) return false;
        ++*count;
        behind = parse_place_here(p);
    } while (parse_take(p, ','));
    return true;
}

// The type or types of $x. Of one that is variadic there are as many as values, or one that holds for all.
static bool parse_types_of(Parser *p, ParsedOp *parsed, const TirOperandInfo *info, char mode, Slice *slice) {
    if (slice->given) return true; // a hook has read it
    *slice = (Slice){.first = (uint32_t)tile_parser(p)->type_count, .count = 1, .given = true};
    parsed->type_at = p->token;
    if (info->arity == TIR_VARIADIC && mode != '1') {
        slice->count = 0;
        return !parse_at_type(p) || parse_variadic_types(p, &info->type, &slice->count);
    }
    TirType type;
    return parse_type(p, &type) && parse_push_type(p, type);
}

static bool parse_attribute(Parser *p, ParsedOp *parsed, uint32_t index) {
    const TirAttributeInfo *info = &parsed->info->attributes[index];
    TirAttribute *attribute = &parsed->attributes[index];
    Token at = p->token;
    int64_t number;
    uint64_t bit;
    attribute->present = true;
    switch (info->kind) {
    case TIR_ATTR_UNIT: attribute->integer = 1; return true;
    case TIR_ATTR_BOOL:
        if (!parse_number(p, TIR_TYPE_i1, &bit)) return false;
        attribute->integer = bit;
        return true;
    case TIR_ATTR_ENUM: return parse_enum_word(p, info->enumeration, info->name, &attribute->integer);
    case TIR_ATTR_I32:
        if (!parse_integer(p, &number, "a number")) return false;
        if (number < INT32_MIN || number > INT32_MAX)
            return parse_fail(p, &at, "%s is %lld, which does not fit in 32 bits", info->name, (long long)number);
        attribute->integer = (uint32_t)number;
        return true;
    case TIR_ATTR_I64:
        if (!parse_integer(p, &number, "a number")) return false;
        attribute->integer = (uint64_t)number;
        return true;
    case TIR_ATTR_STRING:
        if (!parse_at(p, info->symbol ? TOKEN_SYMBOL : TOKEN_STRING))
            return parse_expected(p, info->symbol ? "a symbol, @name" : "a string");
        if (!parse_string(p, &at, &attribute->text, info->symbol ? NULL : &attribute->length)) return false;
        if (info->symbol) attribute->length = strlen(attribute->text);
        parse_advance(p);
        return true;
    case TIR_ATTR_I32_ARRAY: return parse_number_array(p, false, attribute);
    case TIR_ATTR_BOOL_ARRAY: return parse_number_array(p, true, attribute);
    case TIR_ATTR_ARRAY: return parse_at(p, '[') ? parse_tagged(p, attribute) : parse_expected(p, "'['");
    case TIR_ATTR_HINTS: return parse_hints(p, attribute);
    case TIR_ATTR_CONSTANT:
        parsed->constant = arena_new(&p->scratch, ConstantLiteral);
        return parse_constant(p, parsed->constant);
    case TIR_ATTR_TAGGED: return parse_predicate(p, attribute);
    }
    return false;
}

// ---- the pieces of a form -------------------------------------------------------------------------------------------

static bool named(const TirMarker *marker, const char *name) {
    return strlen(name) == marker->length && memcmp(name, marker->name, marker->length) == 0;
}

// The operand, result or attribute of this name; -1 if it is none.
static int operand_of(const TirOpInfo *info, const TirMarker *marker) {
    for (int i = 0; i < info->operand_count; i++)
        if (named(marker, info->operands[i].name)) return i;
    return -1;
}
static int result_of(const TirOpInfo *info, const TirMarker *marker) {
    int declared = info->result_count < 0 ? 1 : info->result_count;
    for (int i = 0; i < declared; i++)
        if (named(marker, info->results[i].name)) return i;
    return -1;
}
static int attribute_of(const TirOpInfo *info, const TirMarker *marker) {
    for (int i = 0; i < info->attribute_count; i++)
        if (named(marker, info->attributes[i].name)) return i;
    return -1;
}

static bool parse_marker(Parser *p, ParsedOp *parsed, TirBlock *block, const TirMarker *marker) {
    const TirOpInfo *info = parsed->info;
    if (marker->marker == '@') return parse_hook(p, parsed, block, marker->name, marker->length);
    if (marker->marker == '#') return parse_attribute(p, parsed, (uint32_t)attribute_of(info, marker));
    int operand = operand_of(info, marker), result = result_of(info, marker);
    if (marker->marker == '$') return parse_operand(p, parsed, (uint32_t)operand);
    if (operand >= 0)
        return parse_types_of(p, parsed, &info->operands[operand], marker->mode, &parsed->operand_types[operand]);
    return parse_types_of(p, parsed, &info->results[result], marker->mode, &parsed->result_types[result]);
}

// ---- literal text of a form -----------------------------------------------------------------------------------------

typedef struct Literal { // a word, an arrow, or one character
    char text[TIR_NAME_MAX];
    uint32_t kind;
} Literal;

static Literal take_literal(const char **at) {
    Literal literal = {.kind = (uint8_t) * *at};
    size_t length = 1;
    if (tir_is_name_char(**at)) {
        literal.kind = TOKEN_WORD;
        while (tir_is_name_char((*at)[length])) length++;
    } else if (**at == '-' && (*at)[1] == '>') {
        literal.kind = TOKEN_ARROW;
        length = 2;
    }
    assert(length < sizeof literal.text);
    memcpy(literal.text, *at, length);
    *at += length;
    return literal;
}

static bool literal_is_next(const Parser *p, const Literal *literal) {
    return literal->kind == TOKEN_WORD ? parse_at_word(p, literal->text) : parse_at(p, literal->kind);
}

static bool parse_literal(Parser *p, const Literal *literal) {
    if (literal->kind == TOKEN_WORD) return parse_need_word(p, literal->text);
    return parse_take(p, literal->kind) ||
           parse_need(p, literal->kind, arena_format(&p->scratch, "'%s'", literal->text));
}

// ---- groups ---------------------------------------------------------------------------------------------------------

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " ");
}

// Whether the first thing of the group is next in the text.
static bool group_begins(const Parser *p, const ParsedOp *parsed, const char *at) {
    at = skip_blanks(at);
    if (*at == '$') return parse_at(p, TOKEN_VALUE);
    if (*at == '#') {
        TirMarker marker = tir_take_marker(&at);
        const TirEnum *words = parsed->info->attributes[attribute_of(parsed->info, &marker)].enumeration;
        for (uint32_t i = 0; words && i < words->count; i++)
            if (parse_at_word(p, words->words[i])) return true;
        return false;
    }
    Literal literal = take_literal(&at);
    return literal_is_next(p, &literal);
}

// A group that only has types is there if its operands are; any other one if the text has it.
static bool group_is_present(const Parser *p, const ParsedOp *parsed, const char *at) {
    bool only_types = true, operands = true;
    for (const char *scan = at; *scan != '}';) {
        if (!strchr("$#^", *scan)) {
            scan++;
            continue;
        }
        TirMarker marker = tir_take_marker(&scan);
        only_types &= marker.marker == '^';
        int operand = operand_of(parsed->info, &marker);
        operands &= operand < 0 || parsed->operands[operand].count > 0;
    }
    return only_types ? operands : group_begins(p, parsed, at);
}

// { word#unit}: *next is behind the group.
static bool group_is_flag(const ParsedOp *parsed, const char *at, const char **next) {
    at = skip_blanks(at + 1);
    while (tir_is_name_char(*at)) at++;
    if (*at != '#') return false;
    TirMarker marker = tir_take_marker(&at);
    *next = at + 1;
    return *at == '}' && parsed->info->attributes[attribute_of(parsed->info, &marker)].kind == TIR_ATTR_UNIT;
}

// Flags that stand side by side come in any order, each at most once. Returns what stands behind them in the form.
static const char *parse_flags(Parser *p, ParsedOp *parsed, const char *at) {
    const char *end = at, *next;
    while (*end == '{' && group_is_flag(parsed, end, &next)) end = next;
    for (bool found = true; found;) {
        found = false;
        for (const char *group = at; group < end && !found; group = next) {
            group_is_flag(parsed, group, &next);
            const char *scan = skip_blanks(group + 1);
            Literal literal = take_literal(&scan);
            TirMarker marker = tir_take_marker(&scan);
            TirAttribute *flag = &parsed->attributes[attribute_of(parsed->info, &marker)];
            if (flag->present || !literal_is_next(p, &literal)) continue;
            parse_advance(p);
            flag->present = found = true;
            flag->integer = 1;
        }
    }
    return end;
}

static bool walk_form(Parser *p, ParsedOp *parsed, TirBlock *block, const char *at) {
    const char *next;
    while (*at) {
        if (*at == ' ' || *at == '}') {
            at++;
        } else if (*at == '{' && group_is_flag(parsed, at, &next)) {
            at = parse_flags(p, parsed, at);
        } else if (*at == '{') {
            at++;
            if (!group_is_present(p, parsed, at)) at = strchr(at, '}') + 1;
        } else if (strchr("$#^@", *at)) {
            TirMarker marker = tir_take_marker(&at);
            if (!parse_marker(p, parsed, block, &marker)) return false;
        } else {
            Literal literal = take_literal(&at);
            // What licensed ops may do stands before the colon of their types.
            if (literal.kind == ':' && parsed->info->licensed && !parse_op_math(p, &parsed->math)) return false;
            if (!parse_literal(p, &literal)) return false;
        }
    }
    return true;
}

// ---- types that the text leaves out ---------------------------------------------------------------------------------

typedef struct KnownTypes { // TIR_NO_TYPE: not known; of what is one value
    TirType operands[TIR_OPERANDS_MAX], results[TIR_RESULTS_MAX];
} KnownTypes;

static TirType *known_type(KnownTypes *known, const TirRelation *relation) {
    return relation->of_result ? &known->results[relation->index] : &known->operands[relation->index];
}

// A type that its rule leaves no choice: a token, a scalar of one number, or a tile of them in a known shape.
static TirType only_type(Parser *p, const TirTypeRule *rule, KnownTypes *known) {
    if (rule->kinds == 1u << TIR_TYPE_token) return tir_type_scalar(p->module, TIR_TYPE_token);
    uint32_t elements = rule->elements;
    if (rule->kinds != 1u << TIR_TYPE_tile || __builtin_popcount(elements) != 1) return TIR_NO_TYPE;
    TirTypeKind kind = (TirTypeKind)__builtin_ctz(elements);
    if (tir_type_rows[kind].class == TIR_CLASS_COMPOUND) return TIR_NO_TYPE;
    TirType element = tir_type_scalar(p->module, kind);
    if (rule->rank == 0) return tir_type_tile(p->module, element, 0, NULL);
    for (uint8_t i = 0; i < rule->relation_count; i++) {
        TirType other = *known_type(known, &rule->relations[i]);
        if (rule->relations[i].relation != '~' || other == TIR_NO_TYPE) continue;
        const TirTypeInfo *info = tir_type(p->module, other);
        if (info->kind == TIR_TYPE_tile) return tir_type_tile(p->module, element, info->rank, info->shape);
    }
    return TIR_NO_TYPE;
}

// Carries types over equalities, both ways; the relations of a row never form long chains.
static void spread_types(const TirTypeRule *rule, TirType *type, KnownTypes *known) {
    for (uint8_t i = 0; i < rule->relation_count; i++) {
        if (rule->relations[i].relation != '=') continue;
        TirType *other = known_type(known, &rule->relations[i]);
        if (*type == TIR_NO_TYPE) *type = *other;
        if (*other == TIR_NO_TYPE) *other = *type;
    }
}

static KnownTypes find_types(Parser *p, const ParsedOp *parsed) {
    const TirOpInfo *info = parsed->info;
    KnownTypes known;
    for (uint32_t i = 0; i < TIR_OPERANDS_MAX; i++) {
        const Slice *slice = &parsed->operand_types[i];
        bool one = i < info->operand_count && info->operands[i].arity != TIR_VARIADIC && slice->count == 1;
        known.operands[i] = one ? tile_parser(p)->types[slice->first] : TIR_NO_TYPE;
    }
    for (uint32_t i = 0; i < TIR_RESULTS_MAX; i++) {
        const Slice *slice = &parsed->result_types[i];
        known.results[i] =
            info->result_count >= 0 && slice->count == 1 ? tile_parser(p)->types[slice->first] : TIR_NO_TYPE;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < info->operand_count; i++)
            spread_types(&info->operands[i].type, &known.operands[i], &known);
        for (int i = 0; i < info->result_count; i++) spread_types(&info->results[i].type, &known.results[i], &known);
    }
    for (uint32_t i = 0; i < info->operand_count; i++)
        if (known.operands[i] == TIR_NO_TYPE) known.operands[i] = only_type(p, &info->operands[i].type, &known);
    for (int i = 0; i < info->result_count; i++)
        if (known.results[i] == TIR_NO_TYPE) known.results[i] = only_type(p, &info->results[i].type, &known);
    return known;
}

// Of two optional operands side by side the text does not say which one is there (mask and padding of load_ptr_tko): it
// is the second one if its type is that of a result and no type for the first.
static void settle_optional_operands(const Parser *p, ParsedOp *parsed) {
    const TirOpInfo *info = parsed->info;
    for (uint32_t i = 0; i + 1 < info->operand_count; i++) {
        const TirTypeRule *rule = &info->operands[i].type, *next = &info->operands[i + 1].type;
        Slice *types = &parsed->operand_types[i];
        if (info->operands[i].arity != TIR_OPTIONAL || info->operands[i + 1].arity != TIR_OPTIONAL ||
            parsed->operands[i].count != 1 || parsed->operands[i + 1].count || types->count != 1 ||
            !next->relation_count || next->relations[0].relation != '=' || !next->relations[0].of_result)
            continue;
        const Slice *result = &parsed->result_types[next->relations[0].index];
        TirType type = tile_parser(p)->types[types->first];
        if (!result->count || tile_parser(p)->types[result->first] != type ||
            tir_type(p->module, type)->kind != TIR_TYPE_tile ||
            rule->elements >> tir_tile_element_kind(p->module, type) & 1)
            continue;
        parsed->operands[i + 1] = parsed->operands[i];
        parsed->operand_types[i + 1] = *types;
        parsed->operands[i] = *types = (Slice){0};
    }
}

// ---- making the op --------------------------------------------------------------------------------------------------

// A result of one kind of views, which the text gives as another type.
static bool check_result_kinds(Parser *p, const ParsedOp *parsed) {
    for (int i = 0; i < parsed->info->result_count; i++) {
        const Slice *slice = &parsed->result_types[i];
        uint32_t kinds = parsed->info->results[i].type.kinds;
        if (!slice->count || kinds == 1u << TIR_TYPE_tile || __builtin_popcount(kinds) != 1) continue;
        TirType found = tile_parser(p)->types[slice->first];
        if (!(kinds >> tir_type(p->module, found)->kind & 1))
            return parse_fail(p, &parsed->type_at, "%s makes %s, expected a %s", parsed->info->text_name,
                              type_text(p, found), tir_type_rows[__builtin_ctz(kinds)].name);
    }
    return true;
}

static bool check_operand(Parser *p, const Operand *operand, TirType expected) {
    TirType found = tir_value_type(tile_parser(p)->function, operand->value);
    if (expected == TIR_NO_TYPE || found == expected) return true;
    return parse_fail(p, &operand->at, "%s is %s, but the op takes it as %s", token_text(p, &operand->at),
                      type_text(p, found), type_text(p, expected));
}

static bool check_operands(Parser *p, const ParsedOp *parsed, const KnownTypes *known) {
    for (uint32_t i = 0; i < parsed->info->operand_count; i++) {
        const Slice *values = &parsed->operands[i], *types = &parsed->operand_types[i];
        bool variadic = parsed->info->operands[i].arity == TIR_VARIADIC;
        if (variadic && types->given && types->count != values->count && types->count != 1)
            return op_fail_count(p, parsed, values->count, types->count);
        if (variadic && types->count == 1 && values->count == 0) return op_fail_count(p, parsed, 0, 1);
        for (uint32_t v = 0; v < values->count; v++) {
            TirType expected = known->operands[i];
            if (variadic && types->count) expected = tile_parser(p)->types[types->first + (types->count == 1 ? 0 : v)];
            if (!check_operand(p, &p->operands[values->first + v], expected)) return false;
        }
    }
    return true;
}

// How many results one written type stands for: as many as the tensor or view that is asked has dimensions.
static uint32_t repeated_results(const Parser *p, const ParsedOp *parsed) {
    const TirTypeInfo *info =
        tir_type(p->module, tir_value_type(tile_parser(p)->function, p->operands[parsed->operands[0].first].value));
    bool view = info->kind == TIR_TYPE_tensor_view || info->kind == TIR_TYPE_partition_view ||
                info->kind == TIR_TYPE_strided_view || info->kind == TIR_TYPE_gather_scatter_view;
    return view ? info->rank : parsed->name_count ? parsed->result_count : 1;
}

// The types of all results, on the stack of types from *first on.
static bool push_result_types(Parser *p, const ParsedOp *parsed, const KnownTypes *known, uint32_t *first,
                              uint32_t *count) {
    const TirOpInfo *info = parsed->info;
    *first = (uint32_t)tile_parser(p)->type_count;
    *count = info->result_count < 0 ? parsed->result_types[0].count : (uint32_t)info->result_count;
    if (info->result_count < 0) {
        *first = parsed->result_types[0].first;
        if (!strstr(info->text, "^1")) return true;
        *count = repeated_results(p, parsed);
        TirType type = tile_parser(p)->types[*first];
        *first = (uint32_t)tile_parser(p)->type_count;
        if (*count > TIR_RANK_MAX) *count = TIR_RANK_MAX + 1; // more names than any tensor has dimensions
        for (uint32_t i = 0; i < *count; i++) parse_push_type(p, type);
        return true;
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (known->results[i] == TIR_NO_TYPE)
            return parse_fail(p, &parsed->name, "the type of result %s is not known", info->results[i].name);
        parse_push_type(p, known->results[i]);
    }
    return true;
}

// What the text leaves out: the default, where there is one; as many times false as there are indices.
static void set_attribute(Parser *p, const ParsedOp *parsed, uint32_t index, TirAttribute *attribute) {
    const TirAttributeInfo *info = &parsed->info->attributes[index];
    if (parsed->attributes[index].present) {
        *attribute = parsed->attributes[index];
    } else if (info->since > p->module->version) {
        return;
    } else if (info->kind == TIR_ATTR_BOOL_ARRAY) {
        size_t count = 0;
        for (uint32_t i = 0; i < parsed->info->operand_count; i++)
            if (parsed->info->operands[i].arity == TIR_VARIADIC) count = parsed->operands[i].count;
        *attribute = (TirAttribute){.present = true, .length = count};
        attribute->numbers = arena_array(&p->module->arena, int64_t, count);
    } else {
        attribute->present = info->has_default;
    }
}

bool make_op_with_types(Parser *p, ParsedOp *parsed, TirBlock *block, uint32_t first_type, uint32_t result_count) {
    const TirOpInfo *info = parsed->info;
    if (parsed->name_count && parsed->result_count != result_count)
        return parse_fail(p, &parsed->name, "%s has %u results, but %u are named", info->text_name, result_count,
                          parsed->result_count);
    uint32_t segments[TIR_OPERANDS_MAX], count = 0;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        segments[i] = parsed->operands[i].count;
        for (uint32_t v = 0; v < segments[i]; v++) {
            tile_parser(p)->values = arena_grow(&p->scratch, tile_parser(p)->values, count,
                                                &tile_parser(p)->value_capacity, sizeof *tile_parser(p)->values);
            tile_parser(p)->values[count++] = p->operands[parsed->operands[i].first + v].value;
        }
    }
    TirOp *op = tir_op_add(block, &(TirNewOp){.kind = parsed->kind,
                                              .operand_count = count,
                                              .operands = tile_parser(p)->values,
                                              .segments = segments,
                                              .result_count = result_count,
                                              .results = tile_parser(p)->types + first_type});
    parsed->op = op;
    op->at = parse_location(p, &parsed->name);
    op->math = parsed->math;
    op->math_block = tile_parser(p)->math_block;
    for (uint32_t i = 0; i < info->attribute_count; i++) set_attribute(p, parsed, i, &op->attributes[i]);
    if (!parsed->constant || !result_count) return true;
    return constant_for_tile(p, parsed->constant, tir_value_type(tile_parser(p)->function, op->first_result),
                             &parsed->type_at, &op->attributes[0].constant);
}

bool make_op(Parser *p, ParsedOp *parsed, TirBlock *block) {
    settle_optional_operands(p, parsed);
    KnownTypes known = find_types(p, parsed);
    uint32_t first, count;
    return check_result_kinds(p, parsed) && check_operands(p, parsed, &known) &&
           push_result_types(p, parsed, &known, &first, &count) && make_op_with_types(p, parsed, block, first, count);
}

// ---- ops ------------------------------------------------------------------------------------------------------------

TirOpKind op_by_text(const Parser *p, const char *name) {
    uint64_t kind;
    return map_find(&tile_parser(p)->op_names, name, &kind) ? (TirOpKind)kind : TIR_OP_COUNT;
}

// %a, %b:2 =
static bool parse_result_names(Parser *p, ParsedOp *parsed) {
    parsed->first_name = (uint32_t)tile_parser(p)->result_count;
    if (!parse_at(p, TOKEN_VALUE)) return true;
    do {
        uint64_t count = 1;
        Token name = p->token;
        if (!parse_need(p, TOKEN_VALUE, "the name of a result")) return false;
        Token count_at = p->token;
        if (parse_take(p, ':')) {
            count_at = p->token;
            if (!parse_unsigned(p, &count, "a number of results")) return false;
        }
        if (!count || count > UINT32_MAX / 2 || parsed->result_count > UINT32_MAX / 2)
            return parse_fail(p, &count_at, "a number of results that no op has");
        tile_parser(p)->results = arena_grow(&p->scratch, tile_parser(p)->results, tile_parser(p)->result_count,
                                             &tile_parser(p)->result_capacity, sizeof *tile_parser(p)->results);
        tile_parser(p)->results[tile_parser(p)->result_count++] = (ResultName){name, (uint32_t)count};
        parsed->name_count++;
        parsed->result_count += (uint32_t)count;
    } while (parse_take(p, ','));
    return parse_need(p, '=', "'='");
}

static bool define_results(Parser *p, const ParsedOp *parsed) {
    TirValue value = parsed->op->first_result;
    for (uint32_t i = 0; i < parsed->name_count; i++) {
        const ResultName name = tile_parser(p)->results[parsed->first_name + i];
        if (!scope_define(p, &name.name, value, name.count)) return false;
        value += name.count;
    }
    tile_parser(p)->result_count = parsed->first_name;
    return true;
}

static bool parse_custom_op(Parser *p, ParsedOp *parsed, TirBlock *block) {
    if (!parse_at(p, TOKEN_WORD)) return parse_expected(p, "an op");
    if (token_is_tileaa(&p->token)) return parse_tileaa_op(p, parsed, block);
    parsed->kind = op_by_text(p, token_name(p, &p->token));
    if (parsed->kind == TIR_OP_COUNT) return parse_expected(p, "an op");
    parsed->info = tir_op_info(parsed->kind);
    p->module->testing |= parsed->kind == TIR_OP_foreign;
    parse_advance(p);
    if (!walk_form(p, parsed, block, parsed->info->text)) return false;
    return parsed->op || make_op(p, parsed, block);
}

bool parse_op(Parser *p, TirBlock *block) {
    ParsedOp parsed = {0};
    p->operand_count = tile_parser(p)->type_count = 0;
    if (!parse_result_names(p, &parsed)) return false;
    parsed.name = p->token;
    bool made = parse_at(p, TOKEN_STRING) ? parse_generic_op(p, &parsed, block) : parse_custom_op(p, &parsed, block);
    return made && parse_optional_location(p, &parsed.op->debug, &parsed.op->at) && define_results(p, &parsed);
}
