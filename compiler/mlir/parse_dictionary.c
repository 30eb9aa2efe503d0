// SPDX-License-Identifier: Apache-2.0
// Words of enumerations, and dictionaries: {name = value, name}.
#include "compiler/mlir/mlir.h"

bool parse_enum_word(Parser *p, const TirEnum *enumeration, const char *what, uint64_t *value) {
    for (uint32_t i = 0; i < enumeration->count; i++)
        if (parse_at_word(p, enumeration->words[i])) {
            *value = i;
            parse_advance(p);
            return true;
        }
    Buffer words = {0};
    for (uint32_t i = 0; i < enumeration->count; i++)
        buffer_print(&words, "%s%s", i ? ", " : " (", enumeration->words[i]);
    const char *text = arena_format(&p->scratch, "%s%s)", what, words.data);
    buffer_free(&words);
    return parse_expected(p, text);
}

// The name of an entry. tileirdisasm prints the keys of hints as they are: 9nine, not an arch.
static bool parse_entry_name(Parser *p, const char **name) {
    Token at = p->token;
    if (parse_at(p, TOKEN_STRING)) {
        parse_advance(p);
        return parse_string(p, &at, name, NULL) && (**name || parse_fail(p, &at, "the name of an attribute is empty"));
    }
    const char *end = at.start;
    while (end < p->end &&
           (*end == ' ' || *end == '_' || *end == '$' || *end == '.' || *end == '-' || (*end >= '0' && *end <= '9') ||
            (*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z')))
        end++;
    bool bare = parse_at(p, TOKEN_WORD) || (parse_at(p, TOKEN_INTEGER) && end < p->end && *end == '=');
    if (!bare) return parse_expected(p, "the name of an attribute");
    if (end < p->end && *end == '=') {
        p->at = end;
        while (end[-1] == ' ') end--;
        at.length = (size_t)(end - at.start);
    }
    *name = arena_text(&p->module->arena, at.start, at.length);
    parse_advance(p);
    return true;
}

bool parse_dictionary(Parser *p, uint32_t open, uint32_t close, TakeEntry take, void *context) {
    Map seen = {0};
    const char opened[] = {'\'', (char)open, '\'', 0}, closed[] = {'\'', (char)close, '\'', 0};
    if (!parse_need(p, open, opened) || !parse_enter(p)) return false;
    while (!parse_at(p, close)) {
        Token at = p->token;
        const char *name;
        if (!parse_entry_name(p, &name)) return false;
        if (!map_insert(&seen, &p->scratch, name, 0)) return parse_fail(p, &at, "'%s' is there twice", name);
        if (!take(p, name, &at, parse_take(p, '='), context)) return false;
        if (!parse_take(p, ',')) break;
    }
    parse_leave(p);
    return parse_need(p, close, arena_format(&p->scratch, "',' or %s", closed));
}
