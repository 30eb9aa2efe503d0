// SPDX-License-Identifier: Apache-2.0
// Locations and debug info of the text form, and aliases (#loc1, #di_file, !t).
//
// Only what the bytecode can hold becomes a row of the debug table: scoped locations (di_loc) and call sites. A plain
// file and line says where an op is, and no more; a named or fused location stands for the first scoped one in it.
#include "compiler/tileir/parse_internal.h"
#include "compiler/tileir/read_internal.h"

typedef struct Place { // a location
    uint64_t debug;    // row, 0 = none
    bool plain;        // a file, line and column
    const char *file;
    uint64_t line, column;
} Place;

typedef struct Alias {
    enum { ALIAS_PLACE, ALIAS_DEBUG, ALIAS_VALUE } kind;
    Place place;
    uint64_t debug; // row of a scope, file or unit
    TirAttribute value;
} Alias;

struct PendingLocation {
    Token alias;
    bool unscoped;
    uint64_t *debug; // may be NULL
    Location *at;
};

static const Alias *find_alias(Parser *p, const Token *token) {
    uint64_t index;
    return map_find(&tile_parser(p)->attribute_aliases, token_text(p, token), &index) ? &tile_parser(p)->aliases[index]
                                                                                      : NULL;
}

bool parse_attribute_alias(Parser *p, TirAttribute *attribute) {
    const Alias *alias = find_alias(p, &p->token);
    if (!alias || alias->kind != ALIAS_VALUE) return false;
    *attribute = alias->value;
    parse_advance(p);
    return true;
}

static bool parse_name_string(Parser *p, const char **text, const char *what) {
    if (!parse_at(p, TOKEN_STRING)) return parse_expected(p, what);
    if (!parse_string(p, &p->token, text, NULL)) return false;
    parse_advance(p);
    return true;
}

// ---- debug info -----------------------------------------------------------------------------------------------------

#define TAG_BIT(tag) (1u << TIR_DEBUG_##tag)

static bool parse_place(Parser *p, Place *place);
static bool parse_debug(Parser *p, uint32_t allowed, const char *what, uint64_t *row);

// <"name" in "directory">
static bool parse_file_row(Parser *p, TirDebug *row) {
    return parse_need(p, '<', "'<'") && parse_name_string(p, &row->name, "the name of a file") &&
           parse_need_word(p, "in") && parse_name_string(p, &row->linkage_name, "a directory") &&
           parse_need(p, '>', "'>'");
}

// <LOCATION in SCOPE>
static bool parse_location_row(Parser *p, TirDebug *row) {
    Place place;
    if (!parse_need(p, '<', "'<'")) return false;
    Token at = p->token;
    if (!parse_place(p, &place)) return false;
    if (!place.plain) return parse_fail(p, &at, "this is no file, line and column, which a scoped location needs");
    row->name = place.file;
    row->line = place.line;
    row->column = place.column;
    return parse_need_word(p, "in") &&
           parse_debug(p, TAG_BIT(LEXICAL_BLOCK) | TAG_BIT(SUBPROGRAM), "a subprogram or block", &row->refs[0]) &&
           parse_need(p, '>', "'>'");
}

typedef enum TextFieldKind { TEXT_FILE, TEXT_UNIT, TEXT_SCOPE, TEXT_STRING, TEXT_FLAGS, TEXT_NUMBER } TextFieldKind;
typedef struct TextField {
    uint32_t tag; // of the attribute that has it
    const char *name;
    TextFieldKind kind;
    uint8_t offset; // in TirDebug
    bool optional;
} TextField;
#define AT(member) offsetof(TirDebug, member)
static const TextField text_fields[] = {
    {TIR_DEBUG_COMPILE_UNIT, "file", TEXT_FILE, AT(refs[0]), false},
    {TIR_DEBUG_LEXICAL_BLOCK, "scope", TEXT_SCOPE, AT(refs[0]), false},
    {TIR_DEBUG_LEXICAL_BLOCK, "file", TEXT_FILE, AT(refs[1]), false},
    {TIR_DEBUG_LEXICAL_BLOCK, "line", TEXT_NUMBER, AT(line), false},
    {TIR_DEBUG_LEXICAL_BLOCK, "column", TEXT_NUMBER, AT(column), true},
    {TIR_DEBUG_SUBPROGRAM, "file", TEXT_FILE, AT(refs[0]), false},
    {TIR_DEBUG_SUBPROGRAM, "line", TEXT_NUMBER, AT(line), false},
    {TIR_DEBUG_SUBPROGRAM, "name", TEXT_STRING, AT(name), false},
    {TIR_DEBUG_SUBPROGRAM, "linkageName", TEXT_STRING, AT(linkage_name), false},
    {TIR_DEBUG_SUBPROGRAM, "compileUnit", TEXT_UNIT, AT(refs[1]), false},
    {TIR_DEBUG_SUBPROGRAM, "scopeLine", TEXT_NUMBER, AT(scope_line), true},
    {TIR_DEBUG_SUBPROGRAM, "flags", TEXT_FLAGS, AT(declaration), true},
};

static bool parse_field_value(Parser *p, const TextField *field, TirDebug *row) {
    void *member = (char *)row + field->offset;
    Token at = p->token;
    switch (field->kind) {
    case TEXT_FILE: return parse_debug(p, TAG_BIT(FILE), "a di_file", member);
    case TEXT_UNIT: return parse_debug(p, TAG_BIT(COMPILE_UNIT), "a di_compile_unit", member);
    case TEXT_SCOPE:
        return parse_debug(p, TAG_BIT(LEXICAL_BLOCK) | TAG_BIT(SUBPROGRAM), "a subprogram or block", member);
    case TEXT_STRING: return parse_name_string(p, member, "a string");
    case TEXT_FLAGS: *(uint64_t *)member = 1; return parse_need_word(p, "declaration");
    case TEXT_NUMBER: break;
    }
    if (!parse_unsigned(p, member, "a line or column")) return false;
    return *(uint64_t *)member <= UINT32_MAX || parse_fail(p, &at, "the number does not fit in 32 bits");
}

typedef struct FieldTaker {
    TirDebug *row;
    uint32_t seen; // bit per row of text_fields
} FieldTaker;

static bool take_field(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    FieldTaker *taker = context;
    for (size_t i = 0; i < BASE_COUNT(text_fields); i++) {
        if (text_fields[i].tag != taker->row->tag || strcmp(text_fields[i].name, name) != 0) continue;
        taker->seen |= 1u << i;
        return (has_value || parse_expected(p, "'='")) && parse_field_value(p, &text_fields[i], taker->row);
    }
    return parse_fail(p, at, "'%s' is no field of this attribute", name);
}

// <file = #di_file, line = 1>
static bool parse_struct_row(Parser *p, TirDebug *row) {
    FieldTaker taker = {.row = row};
    Token at = p->token;
    if (!parse_dictionary(p, '<', '>', take_field, &taker)) return false;
    for (size_t i = 0; i < BASE_COUNT(text_fields); i++)
        if (text_fields[i].tag == row->tag && !text_fields[i].optional && !(taker.seen >> i & 1))
            return parse_fail(p, &at, "'%s' is missing", text_fields[i].name);
    return true;
}

static const struct {
    const char *name;
    uint32_t tag;
    bool (*parse)(Parser *p, TirDebug *row);
} debug_kinds[] = {
    {"di_file", TIR_DEBUG_FILE, parse_file_row},
    {"di_compile_unit", TIR_DEBUG_COMPILE_UNIT, parse_struct_row},
    {"di_lexical_block", TIR_DEBUG_LEXICAL_BLOCK, parse_struct_row},
    {"di_subprogram", TIR_DEBUG_SUBPROGRAM, parse_struct_row},
    {"di_loc", TIR_DEBUG_LOCATION, parse_location_row},
};

// #cuda_tile.di_file<...>; *found is false, and nothing is taken, if it is none of these.
static bool parse_debug_row(Parser *p, bool *found, uint64_t *row) {
    const char *name = token_name(p, &p->token);
    *found = false;
    for (size_t i = 0; parse_at(p, TOKEN_HASH) && i < BASE_COUNT(debug_kinds); i++) {
        if (strcmp(debug_kinds[i].name, name) != 0) continue;
        TirDebug debug = {.tag = debug_kinds[i].tag};
        *found = true;
        if (!parse_enter(p)) return false;
        parse_advance(p);
        if (!debug_kinds[i].parse(p, &debug)) return false;
        parse_leave(p);
        *row = tir_debug_add(p->module, &debug);
        return true;
    }
    return true;
}

// A reference to debug info of one of the `allowed` tags: an alias, or the thing itself.
static bool parse_debug(Parser *p, uint32_t allowed, const char *what, uint64_t *row) {
    Token at = p->token;
    const Alias *alias = parse_at(p, TOKEN_HASH) ? find_alias(p, &at) : NULL;
    bool found = alias && alias->kind == ALIAS_DEBUG;
    if (found) {
        *row = alias->debug;
        parse_advance(p);
    } else if (!parse_debug_row(p, &found, row)) {
        return false;
    }
    if (!found) return parse_expected(p, what);
    if (allowed >> p->module->debug[*row - 1].tag & 1) return true;
    return parse_fail(p, &at, "found other debug info, expected %s", what);
}

// ---- locations ------------------------------------------------------------------------------------------------------

static bool parse_inner_place(Parser *p, Place *place);

static void note_odd_location(Parser *p, const Token *at) {
    if (!p->module->odd_location.line) p->module->odd_location = parse_location(p, at);
}

// "file":1:2, "name", "name"(LOCATION)
static bool parse_string_place(Parser *p, Place *place) {
    Token at = p->token;
    if (!parse_name_string(p, &place->file, "a file or name")) return false;
    if (parse_take(p, ':')) {
        place->plain = true;
        return parse_unsigned(p, &place->line, "a line") && parse_need(p, ':', "':'") &&
               parse_unsigned(p, &place->column, "a column");
    }
    *place = (Place){0};
    note_odd_location(p, &at);
    return !parse_take(p, '(') || (parse_inner_place(p, place) && parse_need(p, ')', "')'"));
}

// callsite(CALLEE at CALLER)
static bool parse_call_site(Parser *p, Place *place) {
    Place callee = {0}, caller = {0};
    if (!parse_need(p, '(', "'('") || !parse_inner_place(p, &callee) || !parse_need_word(p, "at") ||
        !parse_inner_place(p, &caller) || !parse_need(p, ')', "')'"))
        return false;
    place->debug =
        tir_debug_add(p->module, &(TirDebug){.tag = TIR_DEBUG_CALL_SITE, .refs = {callee.debug, caller.debug}});
    return true;
}

// [A, B] or <"meta">[A, B]
static bool parse_fused(Parser *p, Place *place) {
    TirAttribute meta = {0};
    note_odd_location(p, &p->token);
    if (parse_take(p, '<') && !(parse_tagged(p, &meta) && parse_need(p, '>', "'>'"))) return false;
    if (!parse_need(p, '[', "'['")) return false;
    if (parse_take(p, ']')) return true;
    do {
        Place one = {0};
        if (!parse_inner_place(p, &one)) return false;
        if ((one.debug && !place->debug) || (one.plain && !place->plain && !place->debug)) *place = one;
    } while (parse_take(p, ','));
    return parse_need(p, ']', "',' or ']'");
}

static bool parse_known_alias(Parser *p, Place *place) {
    const Alias *alias = find_alias(p, &p->token);
    bool found;
    if (alias && alias->kind == ALIAS_PLACE) {
        *place = alias->place;
        parse_advance(p);
        return true;
    }
    Token at = p->token;
    if (!parse_debug_row(p, &found, &place->debug)) return false;
    if (!found) return parse_expected(p, "a location that is defined before");
    return p->module->debug[place->debug - 1].tag == TIR_DEBUG_LOCATION ||
           parse_fail(p, &at, "this debug info is no location");
}

// What stands between the parentheses of loc(...).
static bool parse_inner_place(Parser *p, Place *place) {
    *place = (Place){0};
    if (!parse_enter(p)) return false;
    bool ok;
    if (parse_take_word(p, "unknown"))
        ok = true;
    else if (parse_take_word(p, "callsite"))
        ok = parse_call_site(p, place);
    else if (parse_take_word(p, "fused"))
        ok = parse_fused(p, place);
    else if (parse_at(p, TOKEN_STRING))
        ok = parse_string_place(p, place);
    else if (parse_at(p, TOKEN_HASH))
        ok = parse_known_alias(p, place);
    else if (parse_at_word(p, "loc"))
        ok = parse_place(p, place);
    else
        ok = parse_expected(p, "a location");
    parse_leave(p);
    return ok;
}

// loc(...), or an alias of one.
static bool parse_place(Parser *p, Place *place) {
    if (!parse_take_word(p, "loc")) return parse_inner_place(p, place);
    return parse_need(p, '(', "'('") && parse_inner_place(p, place) && parse_need(p, ')', "')'");
}

static bool set_place(Parser *p, const Place *place, const PendingLocation *to) {
    Location source = {0};
    if (place->debug)
        source = debug_resolve(p->module, place->debug);
    else if (place->plain && place->line <= UINT32_MAX && place->column <= UINT32_MAX)
        source = (Location){.file = place->file, .line = (uint32_t)place->line, .column = (uint32_t)place->column};
    if (to->unscoped && place->debug && source.line)
        return parse_fail(p, &to->alias, "a location with a scope, which only functions and ops have");
    if (to->debug) *to->debug = place->debug;
    if (to->at && source.line) *to->at = source;
    return true;
}

static bool parse_location_of(Parser *p, PendingLocation to) {
    if (!parse_take_word(p, "loc")) return true;
    if (!parse_need(p, '(', "'('")) return false;
    to.alias = p->token;
    if (parse_at(p, TOKEN_HASH) && !find_alias(p, &to.alias) && strncmp(to.alias.start, "#cuda_tile.", 11) != 0) {
        tile_parser(p)->pending = arena_grow(&p->scratch, tile_parser(p)->pending, tile_parser(p)->pending_count,
                                             &tile_parser(p)->pending_capacity, sizeof *tile_parser(p)->pending);
        tile_parser(p)->pending[tile_parser(p)->pending_count++] = to;
        parse_advance(p);
        return parse_need(p, ')', "')'");
    }
    Place place;
    return parse_inner_place(p, &place) && parse_need(p, ')', "')'") && set_place(p, &place, &to);
}

bool parse_optional_location(Parser *p, uint64_t *debug, Location *at) {
    return parse_location_of(p, (PendingLocation){.debug = debug, .at = at});
}

bool parse_unscoped_location(Parser *p) {
    return parse_location_of(p, (PendingLocation){.unscoped = true});
}

bool resolve_pending_locations(Parser *p) {
    for (size_t i = 0; i < tile_parser(p)->pending_count; i++) {
        const PendingLocation *pending = &tile_parser(p)->pending[i];
        const Alias *alias = find_alias(p, &pending->alias);
        if (!alias || alias->kind != ALIAS_PLACE)
            return parse_fail(p, &pending->alias, "%s is the name of no location", token_text(p, &pending->alias));
        if (!set_place(p, &alias->place, pending)) return false;
    }
    return true;
}

// ---- aliases --------------------------------------------------------------------------------------------------------

static bool parse_type_alias(Parser *p) {
    Token name = p->token;
    TirType type;
    const char *key = arena_text(&p->scratch, name.start + 1, name.length - 1);
    parse_advance(p);
    if (!parse_need(p, '=', "'='") || !parse_type(p, &type)) return false;
    return map_insert(&tile_parser(p)->type_aliases, &p->scratch, key, type) ||
           parse_fail(p, &name, "%s is defined a second time", token_text(p, &name));
}

static bool parse_alias_value(Parser *p, Alias *alias) {
    bool found;
    const Alias *other = parse_at(p, TOKEN_HASH) ? find_alias(p, &p->token) : NULL;
    if (other) {
        *alias = *other;
        parse_advance(p);
        return true;
    }
    if (parse_at_word(p, "loc")) return parse_place(p, &alias->place);
    if (!parse_debug_row(p, &found, &alias->debug)) return false;
    if (found) {
        bool is_place = p->module->debug[alias->debug - 1].tag == TIR_DEBUG_LOCATION;
        alias->kind = is_place ? ALIAS_PLACE : ALIAS_DEBUG;
        if (is_place) alias->place.debug = alias->debug;
        return true;
    }
    Token at = p->token;
    alias->kind = ALIAS_VALUE;
    alias->value.present = true;
    if (!parse_tagged(p, &alias->value)) return false;
    // Aliases of aliases of lists would grow without bound where they are printed.
    bool list = alias->value.tag == TIR_TAG_ARRAY || alias->value.tag == TIR_TAG_DICTIONARY;
    return !list || parse_fail(p, &at, "an alias of a list or dictionary, which is not supported");
}

bool parse_alias_definition(Parser *p) {
    if (parse_at(p, TOKEN_BANG)) return parse_type_alias(p);
    Token name = p->token;
    Alias alias = {0};
    parse_advance(p);
    if (!parse_need(p, '=', "'='") || !parse_alias_value(p, &alias)) return false;
    tile_parser(p)->aliases = arena_grow(&p->scratch, tile_parser(p)->aliases, tile_parser(p)->alias_count,
                                         &tile_parser(p)->alias_capacity, sizeof *tile_parser(p)->aliases);
    tile_parser(p)->aliases[tile_parser(p)->alias_count] = alias;
    return map_insert(&tile_parser(p)->attribute_aliases, &p->scratch, token_text(p, &name),
                      tile_parser(p)->alias_count++) ||
           parse_fail(p, &name, "%s is defined a second time", token_text(p, &name));
}
