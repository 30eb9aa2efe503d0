// SPDX-License-Identifier: Apache-2.0
// Names of values, scoped by region: a name lives to the end of its region, and a region sees those of the regions
// around it, up to the function.
#include "compiler/mlir/mlir.h"

struct NamedValue {
    const char *name; // in the text, with its %; NULL: an empty slot
    uint32_t length, hash;
    TirValue first;
    uint32_t count, line;
    bool live;
};

static uint32_t hash_name(const char *name, size_t length) {
    uint32_t hash = 2166136261u; // FNV-1a
    for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)name[i]) * 16777619u;
    return hash;
}

static uint32_t find_slot(const ValueScope *scope, const char *name, size_t length, uint32_t hash) {
    size_t at = hash & (scope->capacity - 1);
    for (;; at = (at + 1) & (scope->capacity - 1)) {
        const NamedValue *slot = &scope->slots[at];
        if (!slot->name) return (uint32_t)at;
        if (slot->hash == hash && slot->length == length && memcmp(slot->name, name, length) == 0) return (uint32_t)at;
    }
}

static void grow_scope(Parser *p, ValueScope *scope) {
    ValueScope old = *scope;
    if (old.used * 2 < old.capacity) return;
    scope->capacity = old.capacity ? old.capacity * 2 : 32;
    scope->slots = arena_array(&p->scratch, NamedValue, scope->capacity);
    for (uint32_t i = 0; i < old.open_count; i++) { // names that are not open any more go
        NamedValue *slot = &old.slots[old.open[i]];
        uint32_t moved = find_slot(scope, slot->name, slot->length, slot->hash);
        scope->slots[moved] = *slot;
        scope->open[i] = moved;
    }
    scope->used = old.open_count;
}

void scope_begin(Parser *p, ValueScope *scope, ValueScope **outer) {
    *scope = (ValueScope){0};
    *outer = p->scope;
    p->scope = scope;
}

bool scope_define(Parser *p, const Token *name, TirValue first, uint32_t count) {
    ValueScope *scope = p->scope;
    grow_scope(p, scope);
    uint32_t hash = hash_name(name->start, name->length), at = find_slot(scope, name->start, name->length, hash);
    NamedValue *slot = &scope->slots[at];
    if (slot->live)
        return parse_fail(p, name, "%s is defined a second time, first on line %u", token_text(p, name), slot->line);
    scope->used += !slot->name;
    *slot = (NamedValue){name->start, (uint32_t)name->length, hash, first, count, name->line, true};
    scope->open = arena_grow(&p->scratch, scope->open, scope->open_count, &scope->open_capacity, sizeof *scope->open);
    scope->open[scope->open_count++] = at;
    return true;
}

size_t scope_open(const Parser *p) {
    return p->scope->open_count;
}

void scope_close(Parser *p, size_t mark) {
    ValueScope *scope = p->scope;
    while (scope->open_count > mark) scope->slots[scope->open[--scope->open_count]].live = false;
}

// #1 behind a name; 0 without it.
static bool parse_result_number(Parser *p, const Token *name, uint32_t count, uint32_t *number) {
    enum { DIGITS_MAX = 9 };
    *number = 0;
    if (!parse_at(p, TOKEN_HASH)) return true;
    const Token *token = &p->token;
    for (size_t i = 1; i < token->length; i++) {
        if (token->start[i] < '0' || token->start[i] > '9' || token->length > DIGITS_MAX)
            return parse_expected(p, "the number of a result");
        *number = *number * 10 + (uint32_t)(token->start[i] - '0');
    }
    if (*number >= count)
        return parse_fail(p, token, "%s has %u values, there is no #%u", token_text(p, name), count, *number);
    parse_advance(p);
    return true;
}

bool parse_use(Parser *p) {
    Token name = p->token;
    if (!parse_at(p, TOKEN_VALUE)) return parse_expected(p, "a value");
    parse_advance(p);
    const ValueScope *scope = p->scope;
    const NamedValue *slot = NULL;
    if (scope->capacity)
        slot = &scope->slots[find_slot(scope, name.start, name.length, hash_name(name.start, name.length))];
    if (!slot || !slot->live) return parse_fail(p, &name, "%s is not defined here", token_text(p, &name));
    uint32_t number;
    TirValue first = slot->first;
    if (!parse_result_number(p, &name, slot->count, &number)) return false;
    p->operands = arena_grow(&p->scratch, p->operands, p->operand_count, &p->operand_capacity, sizeof *p->operands);
    p->operands[p->operand_count++] = (Operand){first + number, name};
    return true;
}

bool parse_use_list(Parser *p, uint32_t *count) {
    *count = 0;
    if (!parse_at(p, TOKEN_VALUE)) return true;
    do {
        if (!parse_use(p)) return false;
        ++*count;
    } while (parse_take(p, ','));
    return true;
}
