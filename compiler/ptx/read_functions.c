// SPDX-License-Identifier: Apache-2.0
// Functions of PTX: their names, parameters and directives. Declarations and definition of a function are one.
#include "compiler/ptx/reader.h"

#include <string.h>

// ---- directives

#define NUMBERS(name, field, numbers, least, most)                                                                     \
    { name, offsetof(PtxFunction, field), numbers, least, most }
const DirectiveRow ptx_directives[DIRECTIVE_COUNT] = {
    NUMBERS("maxntid", maxntid, 3, 1, 1 << 30),
    NUMBERS("reqntid", reqntid, 3, 1, 1 << 30),
    NUMBERS("reqnctapercluster", reqnctapercluster, 3, 0, 1 << 30),
    NUMBERS("maxnreg", maxnreg, 1, 0, 1 << 20),
    NUMBERS("minnctapersm", minnctapersm, 1, 0, 1 << 20),
    NUMBERS("maxnctapersm", maxnctapersm, 1, 0, 1 << 20),
    NUMBERS("maxclusterrank", maxclusterrank, 1, 0, 1 << 20),
    NUMBERS("abi_preserve", abi_preserve, 1, 0, 1 << 20),
    NUMBERS("abi_preserve_control", abi_preserve_control, 1, 0, 1 << 20),
    NUMBERS("explicitcluster", explicit_cluster, 0, 0, 0),
    NUMBERS("blocksareclusters", blocks_are_clusters, 0, 0, 0),
    NUMBERS("noreturn", noreturn, 0, 0, 0),
};

static bool read_directive_numbers(PtxReader *reader, const DirectiveRow *row, uint32_t *numbers) {
    for (uint32_t i = 0; i < row->numbers; i++) numbers[i] = row->numbers == 1 ? 0 : 1;
    for (uint32_t i = 0; i < row->numbers; i++) {
        if (!reader_count(reader, row->least, row->most, row->name, &numbers[i])) return false;
        if (i + 1 == row->numbers || !reader_take(reader, ',')) break;
    }
    return true;
}

static bool read_function_pragma(PtxReader *reader, PtxFunction *function, size_t *capacity) {
    function->pragmas =
        arena_grow(reader->arena, function->pragmas, function->pragma_count, capacity, sizeof *function->pragmas);
    return reader_pragma(reader, &function->pragmas[function->pragma_count++]) && reader_need(reader, ';');
}

static bool read_directives(PtxReader *reader, PtxFunction *function) {
    Name word;
    size_t pragma_capacity = 0;
    while (reader_dot_word(reader, &word)) {
        size_t i = 0;
        if (name_is(word, "pragma")) {
            if (!read_function_pragma(reader, function, &pragma_capacity)) return false;
            continue;
        }
        while (i < DIRECTIVE_COUNT && !name_is(word, ptx_directives[i].name)) i++;
        if (i == DIRECTIVE_COUNT)
            return reader_fail(reader, E_UNSUPPORTED, "unknown directive '.%.*s' of a function", NAME_SHOWN(word));
        void *field = (char *)function + ptx_directives[i].offset;
        if (!ptx_directives[i].most)
            *(bool *)field = true;
        else if (!read_directive_numbers(reader, &ptx_directives[i], field))
            return false;
    }
    return true;
}

// ---- forms: (results) name (parameters)

static void keep_form(PtxReader *reader, const Variables *parameters, const Variables *results, PtxFunction *form) {
    form->parameter_count = parameters->count;
    form->result_count = results->count;
    form->variable_count = parameters->count + results->count;
    form->variables = arena_array(reader->arena, PtxVariable, form->variable_count);
    if (parameters->count) memcpy(form->variables, parameters->items, parameters->count * sizeof *form->variables);
    if (results->count)
        memcpy(form->variables + parameters->count, results->items, results->count * sizeof *form->variables);
}

bool reader_form(PtxReader *reader, bool named, PtxFunction *form, Name *name) {
    Variables parameters = {0}, results = {0};
    if (reader_peek(reader) == '(' && !reader_parameters(reader, named, &results)) return false;
    if (!reader_need_name(reader, "the name of a function", name)) return false;
    form->at = reader_location(reader, reader->token_line, reader->token);
    if (reader_peek(reader) == '(' && !reader_parameters(reader, named, &parameters)) return false;
    keep_form(reader, &parameters, &results, form);
    return true;
}

static bool same_variable(const PtxVariable *a, const PtxVariable *b) {
    return a->space == b->space && a->size == b->size && a->alignment == b->alignment;
}

static bool same_form(const PtxFunction *a, const PtxFunction *b) {
    if (a->entry != b->entry || a->parameter_count != b->parameter_count || a->result_count != b->result_count)
        return false;
    for (uint32_t i = 0; i < a->parameter_count + a->result_count; i++)
        if (!same_variable(&a->variables[i], &b->variables[i])) return false;
    return true;
}

// ---- functions

static bool add_function(PtxReader *reader, const PtxFunction *function, Name name) {
    PtxModule *module = reader->module;
    module->functions = arena_grow(reader->arena, module->functions, module->function_count, &reader->function_capacity,
                                   sizeof *module->functions);
    module->functions[module->function_count] = *function;
    map_insert(&module->names, reader->arena, function->name, module->function_count);
    return reader_declare(reader, (Symbol){.name = name, .kind = SYMBOL_FUNCTION, .index = module->function_count++});
}

// What a declaration has said holds for the definition as well.
static bool merge_function(PtxReader *reader, const PtxFunction *function, PtxFunction *other, bool body) {
    if (!same_form(function, other))
        return reader_fail_line(reader, function->at.line, E_VERIFY, "'%s' is declared with other parameters",
                                function->name);
    if (other->has_body && body)
        return reader_fail_line(reader, function->at.line, E_VERIFY, "'%s' is defined twice", function->name);
    if (!body) return true;
    const bool noreturn = other->noreturn;
    const char *alias = other->alias;
    *other = *function;
    other->noreturn |= noreturn;
    other->alias = alias;
    other->forward = true;
    return true;
}

static bool declare_parameters(PtxReader *reader, PtxFunction *function) {
    for (uint32_t i = 0; i < function->variable_count; i++) {
        PtxVariable *variable = &function->variables[i];
        const Name name = {variable->name, (uint32_t)strlen(variable->name)};
        Symbol symbol = {.name = name, .kind = SYMBOL_VARIABLE, .index = i};
        if (name_is(name, "_")) continue;
        if (variable->space == PTX_REGISTERS) {
            symbol.kind = SYMBOL_REGISTER;
            symbol.index = READER_NO_INDEX;
            symbol.type = (uint8_t)variable->type;
            symbol.vector = 1;
        }
        if (!reader_declare(reader, symbol)) return false;
        uint8_t vector;
        if (variable->space == PTX_REGISTERS && !reader_find_register(reader, name, &variable->number, &vector))
            return false;
    }
    return true;
}

static void begin_function(PtxReader *reader, PtxFunction *function) {
    reader->function = function;
    reader->scope = 0;
    reader->place = (PtxPlace){0};
    reader->is_inlined = false;
    reader->register_capacity = reader->label_capacity = reader->table_capacity = reader->prototype_capacity = 0;
    reader->inlined_capacity = reader->instruction_capacity = reader->scope_capacity = 0;
    reader->local_capacity = function->variable_count;
}

static bool read_definition(PtxReader *reader, PtxFunction *function) {
    function->has_body = true;
    function->defined = reader->module->function_count;
    begin_function(reader, function);
    const bool good = reader_open_scope(reader) && declare_parameters(reader, function) && reader_body(reader) &&
                      reader_resolve_targets(reader);
    reader->function = NULL;
    reader->scope = 0;
    return good;
}

bool reader_function(PtxReader *reader, bool entry, PtxLinkage linkage) {
    PtxFunction form = {.entry = entry, .linkage = linkage};
    PtxModule *module = reader->module;
    Name name, word;
    while (reader_peek(reader) == '.') { // .noreturn and such may stand before the name
        if (!reader_dot_word(reader, &word) || !name_is(word, "noreturn"))
            return reader_fail(reader, E_UNSUPPORTED, "unknown word '.%.*s' before a function", NAME_SHOWN(word));
        form.noreturn = true;
    }
    if (!reader_form(reader, true, &form, &name)) return false;
    form.name = reader_keep(reader, name);
    if (!read_directives(reader, &form)) return false;
    const bool body = reader_take(reader, '{');
    if (!body && !reader_need(reader, ';')) return false;
    const Symbol *symbol = reader_find(reader, name);
    if (!symbol && !add_function(reader, &form, name)) return false;
    if (symbol && symbol->kind != SYMBOL_FUNCTION)
        return reader_fail_line(reader, form.at.line, E_VERIFY, "'%s' is declared twice", form.name);
    const uint32_t index = symbol ? symbol->index : module->function_count - 1;
    if (symbol && !merge_function(reader, &form, &module->functions[index], body)) return false;
    return !body || read_definition(reader, &module->functions[index]);
}
