// SPDX-License-Identifier: Apache-2.0
// Initial values of variables: numbers and addresses in nested braces. Missing ones are zeros.
#include "compiler/ptx/reader.h"

#include <string.h>

typedef struct Filling {
    PtxReader *reader;
    PtxVariable *variable;
    uint8_t *bytes;
    size_t capacity; // of `bytes`, of variables that get their size from here
    uint64_t size, limit;
    PtxRelocation *relocations;
    uint32_t relocation_count;
    size_t relocation_capacity;
} Filling;

// Bytes of values reach to here: a list may end before all of its elements, and what is not written takes no memory.
static bool reach(Filling *filling, uint64_t size) {
    if (size > filling->limit) return reader_fail(filling->reader, E_VERIFY, "more initial values than elements");
    if (size > filling->size) filling->size = size;
    return true;
}

static bool reserve(Filling *filling, uint64_t size) {
    if (!reach(filling, size)) return false;
    while (size > filling->capacity) {
        const size_t capacity = filling->capacity ? filling->capacity * 2 : 64;
        uint8_t *bytes = arena_alloc(&filling->reader->scratch, capacity);
        if (filling->capacity) memcpy(bytes, filling->bytes, filling->capacity);
        filling->bytes = bytes;
        filling->capacity = capacity;
    }
    return true;
}

// ---- one value

static bool fill_address(Filling *filling, Name name, uint64_t at, unsigned bytes, bool generic) {
    PtxReader *reader = filling->reader;
    const Symbol *symbol = reader_find(reader, name);
    if (!symbol || (symbol->kind != SYMBOL_GLOBAL && symbol->kind != SYMBOL_FUNCTION))
        return reader_fail(reader, E_VERIFY, "'%.*s' is no variable or function of the module", NAME_SHOWN(name));
    if (bytes != 4 && bytes != 8) return reader_fail(reader, E_UNSUPPORTED, "an address in %u bytes", bytes);
    PtxRelocation relocation = {.at = at,
                                .bytes = bytes,
                                .function = symbol->kind == SYMBOL_FUNCTION,
                                .generic = generic,
                                .index = symbol->index};
    if (generic && !reader_need(reader, ')')) return false;
    const char c = reader_peek(reader);
    if (c == '+') reader->at++;
    if ((c == '+' || c == '-') && !reader_integer(reader, &relocation.offset)) return false;
    filling->relocations = arena_grow(reader->arena, filling->relocations, filling->relocation_count,
                                      &filling->relocation_capacity, sizeof *filling->relocations);
    filling->relocations[filling->relocation_count++] = relocation;
    return true;
}

static bool fill_value(Filling *filling, uint64_t at, unsigned bytes) {
    PtxReader *reader = filling->reader;
    Name name;
    PtxOperand literal;
    uint64_t bits;
    if (!reserve(filling, at + bytes)) return false;
    if (reader_name(reader, &name)) {
        const bool generic = name_is(name, "generic") && reader_take(reader, '(');
        return (!generic || reader_need_name(reader, "a name", &name)) &&
               fill_address(filling, name, at, bytes, generic);
    }
    if (!reader_number(reader, &literal)) return false;
    if (reader_peek(reader) == '(')
        return reader_fail(reader, E_UNSUPPORTED, "parts of addresses as initial values are not supported");
    if (!reader_literal_bits(&literal, filling->variable->type, &bits))
        return reader_fail(reader, E_VERIFY, "a value of another type than .%s",
                           ptx_type_info(filling->variable->type)->name);
    memcpy(filling->bytes + at, &bits, bytes < 8 ? bytes : 8);
    return true;
}

// ---- lists

uint64_t ptx_element_bytes(const PtxVariable *variable, unsigned level) {
    uint64_t bytes = ptx_type_info(variable->type)->bits / 8;
    if (level <= variable->rank) bytes *= variable->vector;
    for (unsigned i = 0; i < READER_RANK_MAX; i++)
        if (i >= level && i < variable->rank) bytes *= variable->dimensions[i];
    return bytes;
}

// Behind a brace: values from byte `at` on, up to `end`.
static bool fill_list(Filling *filling, unsigned level, uint64_t at, uint64_t end) {
    PtxReader *reader = filling->reader;
    const PtxVariable *variable = filling->variable;
    const unsigned bytes = ptx_type_info(variable->type)->bits / 8;
    const unsigned levels = variable->rank + (variable->vector > 1);
    if (reader_take(reader, '}')) return true;
    do {
        const bool list = reader_take(reader, '{');
        if (list && level == levels) return reader_fail(reader, E_TEXT, "too many braces");
        const uint64_t size = list ? ptx_element_bytes(variable, level) : bytes;
        if (at + size > end) return reader_fail(reader, E_VERIFY, "more initial values than elements");
        if (!(list ? fill_list(filling, level + 1, at, at + size) : fill_value(filling, at, bytes))) return false;
        at += size;
        if (list && !reach(filling, at)) return false;
    } while (reader_take(reader, ','));
    return reader_need(reader, '}');
}

// The number of elements of name[] is that of its values.
static void set_count(Filling *filling) {
    PtxVariable *variable = filling->variable;
    const uint64_t bytes = ptx_element_bytes(variable, 1);
    variable->dimensions[0] = bytes ? (filling->size + bytes - 1) / bytes : 0;
    variable->size = variable->dimensions[0] * bytes;
    variable->unsized = false;
}

// Without the zeros at the end.
static uint64_t used_bytes(const Filling *filling) {
    uint64_t size = filling->capacity, addresses = 0;
    for (uint32_t i = 0; i < filling->relocation_count; i++) {
        const uint64_t end = filling->relocations[i].at + filling->relocations[i].bytes;
        if (end > addresses) addresses = end;
    }
    while (size > addresses && !filling->bytes[size - 1]) size--;
    return size;
}

bool reader_initial_value(PtxReader *reader, PtxVariable *variable) {
    const PtxTypeInfo *info = ptx_type_info(variable->type);
    if (reader->function || (variable->space != PTX_GLOBAL && variable->space != PTX_CONSTANT))
        return reader_fail(reader, E_VERIFY, "an initial value of what is neither .global nor .const");
    if (info->bits % 8 || !info->bits) return reader_fail(reader, E_UNSUPPORTED, "an initial value of .%s", info->name);
    const uint64_t left = READER_BYTES_MAX - reader->initial_bytes;
    if (!variable->unsized && variable->size > left)
        return reader_fail(reader, E_LIMIT, "more than %u bytes of initial values", READER_BYTES_MAX);
    Filling filling = {.reader = reader, .variable = variable, .limit = variable->unsized ? left : variable->size};
    const unsigned bytes = info->bits / 8;
    if (!(reader_take(reader, '{') ? fill_list(&filling, 1, 0, filling.limit) : fill_value(&filling, 0, bytes)))
        return false;
    if (variable->unsized) set_count(&filling);
    const uint64_t used = used_bytes(&filling);
    uint8_t *copy = arena_alloc(reader->arena, used + 1);
    if (used) memcpy(copy, filling.bytes, used);
    variable->bytes = copy;
    variable->byte_count = used;
    variable->relocations = filling.relocations;
    variable->relocation_count = filling.relocation_count;
    reader->initial_bytes += variable->size;
    return true;
}
