// SPDX-License-Identifier: Apache-2.0
// What names in PTX stand for: registers, variables and functions by a stack of symbols, whose blocks { } end with it;
// labels at the end of their function.
#include "compiler/ptx/reader.h"

#include <string.h>

// ---- symbols

// From symbol `first` of a bucket on, 1 being number 0. Prefixes of ranges are names of their own.
static const Symbol *find_from(const Symbols *symbols, uint32_t first, Name name, uint32_t hash, bool range) {
    for (uint32_t i = first; i; i = symbols->items[i - 1].next) {
        const Symbol *symbol = &symbols->items[i - 1];
        if (symbol->hash == hash && symbol->name.length == name.length && (symbol->kind == SYMBOL_RANGE) == range &&
            !memcmp(symbol->name.at, name.at, name.length))
            return symbol;
    }
    return NULL;
}

static const Symbol *find_symbol(const Symbols *symbols, Name name, uint32_t hash, bool range) {
    if (!symbols->bucket_count) return NULL;
    return find_from(symbols, symbols->buckets[hash & (symbols->bucket_count - 1)], name, hash, range);
}

const Symbol *reader_find(const PtxReader *reader, Name name) {
    return find_symbol(&reader->symbols, name, name_hash(name), false);
}

// Symbols come back into buckets in the order of the stack, so that the newest of a name stays first.
static void grow_buckets(PtxReader *reader) {
    Symbols *symbols = &reader->symbols;
    symbols->bucket_count = symbols->bucket_count ? symbols->bucket_count * 2 : 256;
    symbols->buckets = arena_array(&reader->scratch, uint32_t, symbols->bucket_count);
    for (size_t i = 0; i < symbols->count; i++) {
        uint32_t *bucket = &symbols->buckets[symbols->items[i].hash & (symbols->bucket_count - 1)];
        symbols->items[i].next = *bucket;
        *bucket = (uint32_t)i + 1;
    }
}

bool reader_declare(PtxReader *reader, Symbol symbol) {
    Symbols *symbols = &reader->symbols;
    symbol.hash = name_hash(symbol.name);
    const Symbol *other = find_symbol(symbols, symbol.name, symbol.hash, symbol.kind == SYMBOL_RANGE);
    const size_t mark = reader->depth ? reader->scope_marks[reader->depth - 1] : 0;
    if (other && (size_t)(other - symbols->items) >= mark)
        return reader_fail(reader, E_VERIFY, "'%.*s' is declared twice", NAME_SHOWN(symbol.name));
    if (symbols->count >= symbols->bucket_count) grow_buckets(reader);
    symbols->items =
        arena_grow(&reader->scratch, symbols->items, symbols->count, &symbols->capacity, sizeof *symbols->items);
    uint32_t *bucket = &symbols->buckets[symbol.hash & (symbols->bucket_count - 1)];
    symbol.next = *bucket;
    symbol.scope = reader->scope;
    symbols->items[symbols->count++] = symbol;
    *bucket = (uint32_t)symbols->count;
    return true;
}

// ---- blocks

bool reader_open_scope(PtxReader *reader) {
    PtxFunction *function = reader->function;
    if (reader->depth == READER_DEPTH_MAX)
        return reader_fail(reader, E_LIMIT, "blocks { } are nested %u deep", READER_DEPTH_MAX + 1);
    reader->scope_marks = arena_grow(&reader->scratch, reader->scope_marks, reader->depth, &reader->mark_capacity,
                                     sizeof *reader->scope_marks);
    reader->scope_marks[reader->depth++] = reader->symbols.count;
    function->scopes = arena_grow(reader->arena, function->scopes, function->scope_count, &reader->scope_capacity,
                                  sizeof *function->scopes);
    function->scopes[function->scope_count] = (PtxScope){.parent = reader->scope, .begin = function->instruction_count};
    reader->scope = function->scope_count++;
    return true;
}

bool reader_close_scope(PtxReader *reader) {
    Symbols *symbols = &reader->symbols;
    PtxScope *scope = &reader->function->scopes[reader->scope];
    const size_t mark = reader->scope_marks[--reader->depth];
    while (symbols->count > mark) {
        const Symbol *symbol = &symbols->items[--symbols->count];
        symbols->buckets[symbol->hash & (symbols->bucket_count - 1)] = symbol->next;
    }
    scope->end = reader->function->instruction_count;
    reader->scope = scope->parent;
    return true;
}

// ---- registers

static const char *element_name(PtxReader *reader, Name name, unsigned element) {
    return arena_format(reader->arena, "%.*s.%c", (int)name.length, name.at, "xyzw"[element]);
}

// An instruction names it for the first time.
static uint32_t add_registers(PtxReader *reader, const Symbol *symbol, Name name) {
    PtxFunction *function = reader->function;
    const uint32_t first = function->register_count;
    for (unsigned i = 0; i < symbol->vector; i++) {
        function->registers = arena_grow(reader->arena, function->registers, function->register_count,
                                         &reader->register_capacity, sizeof *function->registers);
        function->registers[function->register_count++] = (PtxRegister){
            .name = symbol->vector > 1 ? element_name(reader, name, i) : reader_keep(reader, name),
            .type = (PtxType)symbol->type,
            .vector = i ? 1 : symbol->vector,
            .scope = symbol->scope,
        };
    }
    return first;
}

// The newest range of the prefix that has register `number`: an inner block's may be shorter than one outside.
static Symbol *range_with(const Symbols *symbols, Name prefix, uint32_t number) {
    const Symbol *symbol = find_symbol(symbols, prefix, name_hash(prefix), true);
    while (symbol && number >= symbol->count) {
        const uint32_t next = symbol->next;
        symbol = next ? find_from(symbols, next, prefix, symbol->hash, true) : NULL;
    }
    return (Symbol *)symbol;
}

// The range that "%r12" is of, and the number 12; NULL: none.
static Symbol *find_range(const PtxReader *reader, Name name, uint32_t *number) {
    uint32_t digits = 0;
    while (digits < name.length && digits < 8 && (uint8_t)(name.at[name.length - 1 - digits] - '0') < 10) digits++;
    if (digits == name.length || digits == 8) return NULL;
    for (; digits; digits--) { // "%r12" may be 12 of %r or 2 of %r1
        const Name prefix = {name.at, name.length - digits};
        if (name.at[prefix.length] == '0' && digits > 1) continue;
        *number = 0;
        for (uint32_t i = prefix.length; i < name.length; i++) *number = *number * 10 + (uint32_t)(name.at[i] - '0');
        Symbol *symbol = range_with(&reader->symbols, prefix, *number);
        if (symbol) return symbol;
    }
    return NULL;
}

bool reader_find_register(PtxReader *reader, Name name, uint32_t *index, uint8_t *vector) {
    uint32_t number = 0;
    Symbol *symbol = (Symbol *)reader_find(reader, name), *range = find_range(reader, name, &number);
    if (range && (!symbol || range > symbol)) {
        uint32_t **page = &range->indices[number / READER_PAGE];
        if (!*page) *page = arena_array(&reader->scratch, uint32_t, READER_PAGE);
        uint32_t *known = &(*page)[number % READER_PAGE];
        if (!*known) *known = 1 + add_registers(reader, range, name);
        *index = *known - 1;
        *vector = range->vector;
        return true;
    }
    if (!symbol || symbol->kind != SYMBOL_REGISTER) return false;
    if (symbol->index == READER_NO_INDEX) symbol->index = add_registers(reader, symbol, name);
    *index = symbol->index;
    *vector = symbol->vector;
    return true;
}

// ---- labels

bool reader_add_target(PtxReader *reader, TargetKind kind, Name name, uint32_t index) {
    reader->targets = arena_grow(&reader->scratch, reader->targets, reader->target_count, &reader->target_capacity,
                                 sizeof *reader->targets);
    reader->targets[reader->target_count++] =
        (Target){.name = name, .kind = kind, .scope = reader->scope, .index = index, .line = reader->token_line};
    return true;
}

void reader_use_target(PtxReader *reader, TargetUse use) {
    use.scope = reader->scope;
    use.line = reader->token_line;
    reader->uses =
        arena_grow(&reader->scratch, reader->uses, reader->use_count, &reader->use_capacity, sizeof *reader->uses);
    reader->uses[reader->use_count++] = use;
}

static uint32_t scoped_hash(Name name, uint32_t scope) {
    return (name_hash(name) ^ scope * 0x9e3779b1u) * 0x85ebca6bu;
}

static Target *find_target(const PtxReader *reader, const uint32_t *buckets, size_t count, Name name, uint32_t scope) {
    const uint32_t hash = scoped_hash(name, scope);
    for (uint32_t i = buckets[hash & (count - 1)]; i; i = reader->targets[i - 1].next) {
        Target *target = &reader->targets[i - 1];
        if (target->hash == hash && target->scope == scope && target->name.length == name.length &&
            !memcmp(target->name.at, name.at, name.length))
            return target;
    }
    return NULL;
}

static bool fill_targets(PtxReader *reader, uint32_t *buckets, size_t count) {
    for (size_t i = 0; i < reader->target_count; i++) {
        Target *target = &reader->targets[i];
        if (find_target(reader, buckets, count, target->name, target->scope))
            return reader_fail_line(reader, target->line, E_VERIFY, "label '%.*s' stands twice in its block",
                                    NAME_SHOWN(target->name));
        target->hash = scoped_hash(target->name, target->scope);
        target->next = buckets[target->hash & (count - 1)];
        buckets[target->hash & (count - 1)] = (uint32_t)i + 1;
    }
    return true;
}

static bool fits(const TargetUse *use, const Target *target) {
    return use->any ? target->kind != TARGET_LABEL : target->kind == use->kind;
}

static bool resolve_use(PtxReader *reader, const uint32_t *buckets, size_t count, const TargetUse *use) {
    static const char *const wanted[] = {"label", "table (.branchtargets)", "prototype"};
    static const PtxOperandKind kinds[] = {PTX_LABEL, PTX_TABLE, PTX_PROTOTYPE};
    for (uint32_t scope = use->scope;; scope = reader->function->scopes[scope].parent) {
        const Target *target = find_target(reader, buckets, count, use->name, scope);
        if (target && fits(use, target)) {
            if (use->number) *use->number = target->index;
            if (use->operand) *use->operand = (PtxOperand){.kind = kinds[target->kind], .index = target->index};
            return true;
        }
        if (!scope)
            return reader_fail_line(reader, use->line, E_VERIFY, "there is no %s '%.*s' here", wanted[use->kind],
                                    NAME_SHOWN(use->name));
    }
}

bool reader_resolve_targets(PtxReader *reader) {
    size_t count = 16;
    while (count < reader->target_count * 2) count *= 2;
    uint32_t *buckets = arena_array(&reader->scratch, uint32_t, count);
    bool good = fill_targets(reader, buckets, count);
    for (size_t i = 0; good && i < reader->use_count; i++) good = resolve_use(reader, buckets, count, &reader->uses[i]);
    reader->target_count = reader->use_count = 0;
    return good;
}
