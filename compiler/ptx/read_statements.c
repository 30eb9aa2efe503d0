// SPDX-License-Identifier: Apache-2.0
// Bodies of functions: blocks, labels, declarations, instructions.
#include "compiler/ptx/reader.h"

#include <string.h>

bool reader_pragma(PtxReader *reader, const char **text) {
    Name name;
    if (!reader_text(reader, &name)) return false;
    *text = reader_keep(reader, name);
    return true;
}

// ---- instructions

static PtxInstruction *add_instruction(PtxReader *reader) {
    PtxFunction *function = reader->function;
    if (function->instruction_count == READER_INSTRUCTIONS_MAX) {
        reader_fail(reader, E_LIMIT, "more than %u instructions in a function", READER_INSTRUCTIONS_MAX);
        return NULL;
    }
    function->instructions = arena_grow(reader->arena, function->instructions, function->instruction_count,
                                        &reader->instruction_capacity, sizeof *function->instructions);
    PtxInstruction *instruction = &function->instructions[function->instruction_count];
    *instruction = (PtxInstruction){.guard = {.kind = PTX_NONE}, .place = reader_place(reader)};
    return instruction;
}

// @p or @!p
static bool read_guard(PtxReader *reader, PtxOperand *guard) {
    Name name;
    uint8_t vector;
    *guard = (PtxOperand){.kind = PTX_REGISTER, .negated = reader_take(reader, '!')};
    if (!reader_need_name(reader, "a predicate", &name)) return false;
    if (!reader_find_register(reader, name, &guard->index, &vector) || vector > 1)
        return reader_fail(reader, E_VERIFY, "'%.*s' is no predicate", NAME_SHOWN(name));
    return true;
}

// The whole opcode, of which `name` has been taken.
static Name opcode_text(PtxReader *reader, Name name) {
    const char *at = reader->at;
    while (at < reader->end && ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') ||
                                (*at >= 'A' && *at <= 'Z') || *at == '_' || *at == '.' || *at == ':'))
        at++;
    reader->at = at;
    return (Name){name.at, (uint32_t)(at - name.at)};
}

static bool read_instruction(PtxReader *reader, Name text, const PtxOperand *guard) {
    PtxOperand operands[PTX_OPERANDS_MAX];
    unsigned count;
    PtxInstruction *instruction = add_instruction(reader);
    if (!instruction) return false;
    instruction->place.line = reader->token_line;
    instruction->guard = *guard;
    const Opcode *opcode = reader_opcode(reader, text);
    if (!opcode) return false;
    instruction->word_count = opcode->word_count;
    instruction->type_count = opcode->type_count;
    memcpy(instruction->words, opcode->words, sizeof opcode->words);
    memcpy(instruction->types, opcode->types, sizeof opcode->types);
    if (!reader_operands(reader, opcode, operands, &count)) return false;
    if (!reader_need(reader, ';')) return false;
    reader->token_line = instruction->place.line; // what is wrong from here on is so of the whole instruction
    reader->token = NULL;
    if (!reader_fit_operands(reader, opcode, operands, count, instruction)) return false;
    reader_use_targets(reader, instruction);
    reader->function->instruction_count++;
    return true;
}

static bool read_guarded(PtxReader *reader) {
    PtxOperand guard;
    Name name;
    return read_guard(reader, &guard) && reader_need_name(reader, "an instruction", &name) &&
           read_instruction(reader, opcode_text(reader, name), &guard);
}

// ---- labels, tables, prototypes

static bool add_label(PtxReader *reader, Name name) {
    PtxFunction *function = reader->function;
    function->labels = arena_grow(reader->arena, function->labels, function->label_count, &reader->label_capacity,
                                  sizeof *function->labels);
    function->labels[function->label_count] =
        (PtxLabel){reader_keep(reader, name), reader->scope, function->instruction_count};
    return reader_add_target(reader, TARGET_LABEL, name, function->label_count++);
}

// Names behind .branchtargets or .calltargets. The numbers of labels are known at the end of the function.
static bool read_table_items(PtxReader *reader, PtxTable *table) {
    Name *names = NULL;
    size_t capacity = 0;
    do {
        names = arena_grow(&reader->scratch, names, table->count, &capacity, sizeof *names);
        if (!reader_need_name(reader, "a name", &names[table->count++])) return false;
    } while (reader_take(reader, ','));
    uint32_t *targets = arena_array(reader->arena, uint32_t, table->count);
    for (uint32_t i = 0; i < table->count; i++) {
        const Symbol *symbol = table->calls ? reader_find(reader, names[i]) : NULL;
        if (!table->calls)
            reader_use_target(reader, (TargetUse){.name = names[i], .number = &targets[i], .kind = TARGET_LABEL});
        else if (!symbol || symbol->kind != SYMBOL_FUNCTION)
            return reader_fail(reader, E_VERIFY, "'%.*s' is no function", NAME_SHOWN(names[i]));
        else
            targets[i] = symbol->index;
    }
    table->targets = targets;
    return reader_need(reader, ';');
}

static bool read_table(PtxReader *reader, Name label, bool calls) {
    PtxFunction *function = reader->function;
    PtxTable table = {.name = reader_keep(reader, label),
                      .calls = calls,
                      .scope = reader->scope,
                      .instruction = function->instruction_count};
    if (!read_table_items(reader, &table)) return false;
    function->tables = arena_grow(reader->arena, function->tables, function->table_count, &reader->table_capacity,
                                  sizeof *function->tables);
    function->tables[function->table_count] = table;
    return reader_add_target(reader, TARGET_TABLE, label, function->table_count++);
}

static bool read_prototype(PtxReader *reader, Name label) {
    PtxFunction *function = reader->function, *form = arena_new(reader->arena, PtxFunction);
    Name name, word;
    if (!reader_form(reader, false, form, &name)) return false;
    form->name = reader_keep(reader, name);
    while (reader_dot_word(reader, &word)) {
        if (!name_is(word, "noreturn"))
            return reader_fail(reader, E_UNSUPPORTED, "unknown word '.%.*s' of a prototype", NAME_SHOWN(word));
        form->noreturn = true;
    }
    function->prototypes = arena_grow(reader->arena, function->prototypes, function->prototype_count,
                                      &reader->prototype_capacity, sizeof *function->prototypes);
    function->prototypes[function->prototype_count] =
        (PtxPrototype){reader_keep(reader, label), form, reader->scope, function->instruction_count};
    return reader_need(reader, ';') && reader_add_target(reader, TARGET_PROTOTYPE, label, function->prototype_count++);
}

// Behind "name:".
static bool read_labelled(PtxReader *reader, Name label, uint32_t line) {
    const char *at = reader->at;
    Name word;
    if (reader_peek(reader) == '.') {
        at = reader->at;
        if (!reader_dot_word(reader, &word)) return false;
        if (name_is(word, "branchtargets")) return read_table(reader, label, false);
        if (name_is(word, "calltargets")) return read_table(reader, label, true);
        if (name_is(word, "callprototype")) return read_prototype(reader, label);
        reader->at = at;
    }
    reader->token_line = line;
    return add_label(reader, label);
}

// ---- declarations

static bool read_pragma_statement(PtxReader *reader) {
    const Name text = {".pragma", 7};
    return read_instruction(reader, text, &(PtxOperand){.kind = PTX_NONE});
}

static bool read_declaration(PtxReader *reader) {
    static const struct {
        const char *name;
        PtxSpace space;
    } spaces[] = {{"param", PTX_PARAMETER},
                  {"shared", PTX_SHARED},
                  {"local", PTX_LOCAL},
                  {"global", PTX_GLOBAL},
                  {"const", PTX_CONSTANT}};
    Name word;
    if (!reader_dot_word(reader, &word)) return false;
    if (name_is(word, "loc")) return reader_loc(reader);
    if (name_is(word, "reg")) return reader_registers(reader);
    if (name_is(word, "pragma")) return read_pragma_statement(reader);
    if (name_is(word, "file")) return reader_file_directive(reader);
    for (size_t i = 0; i < BASE_COUNT(spaces); i++)
        if (name_is(word, spaces[i].name)) return reader_variables(reader, spaces[i].space, PTX_LOCAL_LINKAGE);
    return reader_fail(reader, E_UNSUPPORTED, "unknown directive '.%.*s' in a function", NAME_SHOWN(word));
}

// ---- bodies

static bool read_named_statement(PtxReader *reader) {
    Name name;
    if (!reader_need_name(reader, "an instruction", &name)) return false;
    const bool dotted = reader->at < reader->end && *reader->at == '.';
    const uint32_t line = reader->token_line;
    if (!dotted && reader_take(reader, ':')) return read_labelled(reader, name, line);
    reader->token_line = line;
    return read_instruction(reader, dotted ? opcode_text(reader, name) : name, &(PtxOperand){.kind = PTX_NONE});
}

static bool read_statement(PtxReader *reader) {
    switch (reader_peek(reader)) {
    case 0: return reader_fail(reader, E_TEXT, "the text ends in a function");
    case '{': reader->at++; return reader_open_scope(reader);
    case '}': reader->at++; return reader_close_scope(reader);
    case '.': return read_declaration(reader);
    case '@': reader->at++; return read_guarded(reader);
    case ';': reader->at++; return true;
    default: return read_named_statement(reader);
    }
}

bool reader_body(PtxReader *reader) {
    while (reader->depth)
        if (!read_statement(reader)) return false;
    return true;
}
