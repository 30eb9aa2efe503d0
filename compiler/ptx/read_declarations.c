// SPDX-License-Identifier: Apache-2.0
// Declarations of PTX: registers, variables, parameters.
#include "compiler/ptx/reader.h"

#include <string.h>

// ---- words of a declaration: ".align 16 .v2 .b32"

static bool find_type(Name word, PtxType *type) {
    *type = ptx_word_type(ptx_find_word(word.at, word.length));
    return *type != PTX_TYPE_COUNT;
}

static bool take_alignment(PtxReader *reader, uint32_t *alignment) {
    if (!reader_count(reader, 1, READER_ALIGNMENT_MAX, "an alignment", alignment)) return false;
    return (*alignment & (*alignment - 1)) == 0 ||
           reader_fail(reader, E_VERIFY, "alignment %u is no power of two", *alignment);
}

// .attribute(.managed), .attribute(.unified(0, 1))
static bool take_attribute(PtxReader *reader, PtxVariable *variable) {
    Name word;
    if (!reader_need(reader, '(')) return false;
    if (!reader_dot_word(reader, &word)) return reader_fail(reader, E_TEXT, "expected an attribute");
    if (!name_is(word, "managed"))
        return reader_fail(reader, E_UNSUPPORTED, "attribute '.%.*s' is not supported", NAME_SHOWN(word));
    variable->managed = true;
    return reader_need(reader, ')');
}

// Behind .ptr: .global .align 16
static bool take_pointer_word(PtxReader *reader, Name word, PtxVariable *variable, bool *taken) {
    static const struct {
        const char *name;
        PtxSpace space;
    } spaces[] = {{"global", PTX_GLOBAL}, {"const", PTX_CONSTANT}, {"local", PTX_LOCAL}, {"shared", PTX_SHARED}};
    *taken = true;
    if (name_is(word, "align")) return take_alignment(reader, &variable->pointer_alignment);
    for (size_t i = 0; i < BASE_COUNT(spaces); i++) {
        if (!name_is(word, spaces[i].name)) continue;
        variable->pointer_space = spaces[i].space;
        return true;
    }
    *taken = false;
    return true;
}

static bool take_word(PtxReader *reader, Name word, PtxVariable *variable) {
    bool taken = false;
    if (variable->pointer && !take_pointer_word(reader, word, variable, &taken)) return false;
    if (taken) return true;
    if (name_is(word, "ptr")) {
        variable->pointer = true;
        return true;
    }
    if (name_is(word, "align")) return take_alignment(reader, &variable->alignment);
    if (name_is(word, "attribute")) return take_attribute(reader, variable);
    if (name_is(word, "v2") || name_is(word, "v4") || name_is(word, "v8")) {
        variable->vector = (uint8_t)(word.at[1] - '0');
        return true;
    }
    if (variable->type == PTX_TYPE_COUNT && find_type(word, &variable->type)) return true;
    return reader_fail(reader, E_UNSUPPORTED, "unknown word '.%.*s' in a declaration", NAME_SHOWN(word));
}

// Types of memory have whole bytes.
static bool check_type(PtxReader *reader, const PtxVariable *variable) {
    if (variable->type == PTX_TYPE_COUNT) return reader_fail(reader, E_TEXT, "a declaration without a type");
    const PtxTypeInfo *info = ptx_type_info(variable->type);
    if (info->kind == PTX_OPAQUE ? variable->space == PTX_GLOBAL || variable->space == PTX_PARAMETER
                                 : info->bits % 8 == 0 && info->bits <= 128)
        return true;
    return reader_fail(reader, E_VERIFY, "variables of type .%s", info->name);
}

static bool read_words(PtxReader *reader, PtxVariable *variable) {
    Name word;
    variable->type = PTX_TYPE_COUNT;
    variable->vector = 1;
    while (reader_dot_word(reader, &word))
        if (!take_word(reader, word, variable)) return false;
    return check_type(reader, variable);
}

// ---- names and sizes: "x[4][8]"

static bool read_dimension(PtxReader *reader, PtxVariable *variable) {
    int64_t size = 0;
    if (variable->rank == READER_RANK_MAX)
        return reader_fail(reader, E_LIMIT, "an array of more than %u dimensions", READER_RANK_MAX);
    if (reader_peek(reader) == ']' && !variable->rank) {
        variable->unsized = true;
    } else {
        if (!reader_integer(reader, &size)) return false;
        if (size < 0 || (uint64_t)size > READER_SIZE_MAX)
            return reader_fail(reader, E_LIMIT, "the size of an array is not within 0 and %llu",
                               (unsigned long long)READER_SIZE_MAX);
    }
    variable->dimensions[variable->rank++] = (uint64_t)size;
    return reader_need(reader, ']');
}

static bool set_size(PtxReader *reader, PtxVariable *variable) {
    const PtxTypeInfo *info = ptx_type_info(variable->type);
    uint64_t size = info->kind == PTX_OPAQUE ? 8 : (uint64_t)info->bits / 8 * variable->vector;
    if (!variable->alignment) variable->alignment = (uint32_t)size;
    for (unsigned i = 0; i < variable->rank; i++)
        if (__builtin_mul_overflow(size, variable->dimensions[i], &size) || size > READER_SIZE_MAX)
            return reader_fail(reader, E_LIMIT, "variable '%s' is too large", variable->name);
    variable->size = size;
    return true;
}

static bool read_name(PtxReader *reader, PtxVariable *variable, Name *name) {
    if (!reader_need_name(reader, "a name", name)) return false;
    variable->name = reader_keep(reader, *name);
    variable->at = reader_location(reader, reader->token_line, reader->token);
    while (reader_take(reader, '['))
        if (!read_dimension(reader, variable)) return false;
    return set_size(reader, variable);
}

// ---- variables

static bool keep_local(PtxReader *reader, const PtxVariable *variable, Name name) {
    PtxFunction *function = reader->function;
    function->variables = arena_grow(reader->arena, function->variables, function->variable_count,
                                     &reader->local_capacity, sizeof *function->variables);
    function->variables[function->variable_count] = *variable;
    return reader_declare(reader, (Symbol){.name = name, .kind = SYMBOL_VARIABLE, .index = function->variable_count++});
}

// A variable of the module may be declared several times; one declaration at most is not ".extern".
static bool merge_global(PtxReader *reader, const PtxVariable *variable, PtxVariable *other) {
    if (other->type != variable->type || other->space != variable->space)
        return reader_fail(reader, E_VERIFY, "'%s' is declared with another type", variable->name);
    if (other->linkage != PTX_EXTERN && variable->linkage != PTX_EXTERN)
        return reader_fail(reader, E_VERIFY, "'%s' is declared twice", variable->name);
    if (other->linkage == PTX_EXTERN) *other = *variable;
    return true;
}

static bool keep_global(PtxReader *reader, const PtxVariable *variable, Name name) {
    PtxModule *module = reader->module;
    const Symbol *symbol = reader_find(reader, name);
    if (symbol && symbol->kind == SYMBOL_GLOBAL)
        return merge_global(reader, variable, &module->variables[symbol->index]);
    module->variables = arena_grow(reader->arena, module->variables, module->variable_count, &reader->variable_capacity,
                                   sizeof *module->variables);
    module->variables[module->variable_count] = *variable;
    map_insert(&module->names, reader->arena, variable->name, module->variable_count);
    return reader_declare(reader, (Symbol){.name = name, .kind = SYMBOL_GLOBAL, .index = module->variable_count++});
}

bool reader_variables(PtxReader *reader, PtxSpace space, PtxLinkage linkage) {
    PtxVariable common = {.space = space, .linkage = linkage, .scope = reader->scope};
    common.before = reader->function ? reader->function->instruction_count : reader->module->function_count;
    if (!read_words(reader, &common)) return false;
    do {
        PtxVariable variable = common;
        Name name;
        if (!read_name(reader, &variable, &name)) return false;
        if (reader_take(reader, '=') && !reader_initial_value(reader, &variable)) return false;
        if (!(reader->function ? keep_local : keep_global)(reader, &variable, name)) return false;
    } while (reader_take(reader, ','));
    return reader_need(reader, ';');
}

// ---- parameters

static bool read_parameter(PtxReader *reader, bool named, PtxVariable *parameter) {
    Name word, name;
    if (!reader_dot_word(reader, &word) || !(name_is(word, "param") || name_is(word, "reg")))
        return reader_fail(reader, E_TEXT, "expected .param or .reg");
    *parameter = (PtxVariable){.space = *word.at == 'p' ? PTX_PARAMETER : PTX_REGISTERS};
    if (!read_words(reader, parameter) || !read_name(reader, parameter, &name)) return false;
    if (!named) parameter->name = "_";
    return true;
}

bool reader_parameters(PtxReader *reader, bool named, Variables *list) {
    if (!reader_need(reader, '(')) return false;
    if (reader_take(reader, ')')) return true;
    do {
        if (list->count == READER_PARAMETERS_MAX)
            return reader_fail(reader, E_LIMIT, "more than %u parameters", READER_PARAMETERS_MAX);
        list->items = arena_grow(&reader->scratch, list->items, list->count, &list->capacity, sizeof *list->items);
        if (!read_parameter(reader, named, &list->items[list->count])) return false;
        list->count++;
    } while (reader_take(reader, ','));
    return reader_need(reader, ')');
}

// ---- registers

static bool read_register_words(PtxReader *reader, Symbol *symbol) {
    Name word;
    PtxType type = PTX_TYPE_COUNT;
    symbol->vector = 1;
    while (reader_dot_word(reader, &word)) {
        if (name_is(word, "v2") || name_is(word, "v4"))
            symbol->vector = (uint8_t)(word.at[1] - '0');
        else if (type != PTX_TYPE_COUNT || !find_type(word, &type))
            return reader_fail(reader, E_UNSUPPORTED, "unknown word '.%.*s' in a declaration", NAME_SHOWN(word));
    }
    if (type == PTX_TYPE_COUNT) return reader_fail(reader, E_TEXT, "a declaration without a type");
    const PtxTypeInfo *info = ptx_type_info(type);
    if (info->kind == PTX_OPAQUE || (info->bits < 8 && type != PTX_pred) || info->bits > 128)
        return reader_fail(reader, E_VERIFY, "registers of type .%s", info->name);
    symbol->type = (uint8_t)type;
    return true;
}

static bool read_range(PtxReader *reader, Symbol *symbol) {
    if (!reader_count(reader, 0, READER_RANGE_MAX, "the number of registers", &symbol->count)) return false;
    if (symbol->count > READER_RANGES_MAX - reader->range_registers)
        return reader_fail(reader, E_LIMIT, "more than %u registers", READER_RANGES_MAX);
    reader->range_registers += symbol->count;
    symbol->kind = SYMBOL_RANGE;
    symbol->indices = arena_array(&reader->scratch, uint32_t *, symbol->count / READER_PAGE + 1);
    return reader_need(reader, '>');
}

bool reader_registers(PtxReader *reader) {
    Symbol common = {.kind = SYMBOL_REGISTER, .index = READER_NO_INDEX};
    if (!read_register_words(reader, &common)) return false;
    do {
        Symbol symbol = common;
        if (!reader_need_name(reader, "a name", &symbol.name)) return false;
        if (reader_take(reader, '<') && !read_range(reader, &symbol)) return false;
        if (!reader_declare(reader, symbol)) return false;
    } while (reader_take(reader, ','));
    return reader_need(reader, ';');
}
