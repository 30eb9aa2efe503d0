// SPDX-License-Identifier: Apache-2.0
// A module as PTX text. Everything stands where it stood, so that what is read from it is the same list.
#include "compiler/ptx/reader.h"

#include <inttypes.h>
#include <string.h>

typedef struct Printer {
    const PtxModule *module;
    const PtxFunction *function;
    Buffer *out;
    bool places;
    PtxPlace last;                                     // of .loc
    uint32_t variable, label, table, prototype, scope; // the next to be printed
    Arena arena;
    Map names; // of inlined functions
    const char **name_texts;
    size_t name_capacity;
} Printer;

static void put(Printer *printer, const char *text) {
    buffer_append(printer->out, text, strlen(text));
}

// ---- operands

static void print_operand(Printer *printer, const PtxOperand *operand);

static void print_items(Printer *printer, const char *open, const PtxOperand *list, const char *close) {
    put(printer, open);
    for (uint32_t i = 0; i < list->count; i++) {
        if (i) put(printer, ", ");
        print_operand(printer, &list->items[i]);
    }
    put(printer, close);
}

static void print_offset(Printer *printer, int64_t offset) {
    if (offset) buffer_print(printer->out, "+%" PRId64, offset);
}

static void print_address(Printer *printer, const PtxOperand *address) {
    put(printer, "[");
    print_operand(printer, &address->items[0]);
    print_offset(printer, address->offset);
    for (uint32_t i = 1; i < address->count; i++) {
        put(printer, ", ");
        print_operand(printer, &address->items[i]);
    }
    put(printer, "]");
}

static const PtxVariable *variable_of(const Printer *printer, const PtxOperand *operand) {
    return operand->global ? &printer->module->variables[operand->index]
                           : &printer->function->variables[operand->index];
}

static void print_operand(Printer *printer, const PtxOperand *operand) {
    const PtxFunction *function = printer->function;
    if (operand->negated && operand->kind == PTX_REGISTER) put(printer, "!");
    switch (operand->kind) {
    case PTX_NONE: return;
    case PTX_REGISTER: put(printer, function->registers[operand->index].name); return;
    case PTX_SPECIAL: put(printer, ptx_special_info((PtxSpecial)operand->index)->name); return;
    case PTX_INTEGER: buffer_print(printer->out, "%" PRId64, (int64_t)operand->bits); return;
    case PTX_FLOAT32: buffer_print(printer->out, "0f%08" PRIX64, operand->bits); return;
    case PTX_FLOAT64: buffer_print(printer->out, "0d%016" PRIX64, operand->bits); return;
    case PTX_VARIABLE:
        put(printer, variable_of(printer, operand)->name);
        print_offset(printer, operand->offset);
        return;
    case PTX_FUNCTION: put(printer, printer->module->functions[operand->index].name); return;
    case PTX_LABEL: put(printer, function->labels[operand->index].name); return;
    case PTX_TABLE: put(printer, function->tables[operand->index].name); return;
    case PTX_PROTOTYPE: put(printer, function->prototypes[operand->index].name); return;
    case PTX_ADDRESS: print_address(printer, operand); return;
    case PTX_LIST: print_items(printer, "{", operand, "}"); return;
    case PTX_PAIR:
        print_operand(printer, &operand->items[0]);
        put(printer, "|");
        print_operand(printer, &operand->items[1]);
        return;
    case PTX_SINK: put(printer, "_"); return;
    case PTX_TEXT: buffer_print(printer->out, "\"%s\"", operand->text); return;
    }
}

static void print_call(Printer *printer, const PtxOperand *operands) {
    if (operands[0].kind == PTX_LIST) print_items(printer, "(", &operands[0], "), ");
    print_operand(printer, &operands[1]);
    if (operands[2].kind == PTX_LIST) print_items(printer, ", (", &operands[2], ")");
    if (operands[3].kind == PTX_NONE) return;
    put(printer, ", ");
    print_operand(printer, &operands[3]);
}

static void print_instruction(Printer *printer, const PtxInstruction *instruction) {
    put(printer, ptx_op_name(instruction->op));
    for (unsigned i = 0; i < instruction->word_count; i++) {
        put(printer, ".");
        put(printer, ptx_word_text((PtxWord)instruction->words[i]));
    }
    const char *separator = " ";
    if (instruction->op == PTX_OP_call) put(printer, separator);
    if (instruction->op == PTX_OP_call) print_call(printer, instruction->operands);
    for (unsigned i = 0; instruction->op != PTX_OP_call && i < instruction->operand_count; i++) {
        if (instruction->operands[i].kind == PTX_NONE) continue;
        put(printer, separator);
        print_operand(printer, &instruction->operands[i]);
        separator = ", ";
    }
}

// ---- declarations

static const char *const space_words[PTX_SPACE_COUNT] = {
    [PTX_GENERIC] = "",        [PTX_REGISTERS] = ".reg", [PTX_GLOBAL] = ".global",  [PTX_SHARED] = ".shared",
    [PTX_SHARED_CLUSTER] = "", [PTX_LOCAL] = ".local",   [PTX_CONSTANT] = ".const", [PTX_PARAMETER] = ".param",
};
static const char *const linkage_words[] = {[PTX_LOCAL_LINKAGE] = "",
                                            [PTX_EXTERN] = ".extern ",
                                            [PTX_VISIBLE] = ".visible ",
                                            [PTX_WEAK] = ".weak ",
                                            [PTX_COMMON] = ".common "};

static void print_pointer(Printer *printer, const PtxVariable *variable) {
    put(printer, " .ptr");
    if (variable->pointer_space != PTX_GENERIC) buffer_print(printer->out, " %s", space_words[variable->pointer_space]);
    if (variable->pointer_alignment) buffer_print(printer->out, " .align %u", variable->pointer_alignment);
}

static void print_variable(Printer *printer, const PtxVariable *variable) {
    const PtxTypeInfo *info = ptx_type_info(variable->type);
    buffer_print(printer->out, "%s%s", linkage_words[variable->linkage], space_words[variable->space]);
    if (variable->managed) put(printer, " .attribute(.managed)");
    if (variable->space != PTX_REGISTERS && info->kind != PTX_OPAQUE && !variable->pointer)
        buffer_print(printer->out, " .align %u", variable->alignment);
    if (variable->vector > 1) buffer_print(printer->out, " .v%u", variable->vector);
    buffer_print(printer->out, " .%s", info->name);
    if (variable->pointer) print_pointer(printer, variable);
    buffer_print(printer->out, " %s", variable->name);
    for (unsigned i = 0; i < variable->rank; i++) {
        const bool sized = i || !variable->unsized;
        buffer_print(printer->out, sized ? "[%" PRIu64 "]" : "[]", variable->dimensions[i]);
    }
}

static void print_relocation(Printer *printer, const PtxRelocation *relocation) {
    const PtxModule *module = printer->module;
    const char *name =
        relocation->function ? module->functions[relocation->index].name : module->variables[relocation->index].name;
    buffer_print(printer->out, relocation->generic ? "generic(%s)" : "%s", name);
    print_offset(printer, relocation->offset);
}

static void print_value(Printer *printer, const PtxVariable *variable, uint64_t at, unsigned bytes) {
    const uint64_t left = at < variable->byte_count ? variable->byte_count - at : 0;
    uint64_t bits = 0;
    if (left) memcpy(&bits, variable->bytes + at, left < bytes ? left : bytes);
    if (variable->type == PTX_f32)
        buffer_print(printer->out, "0f%08" PRIX64, bits);
    else if (variable->type == PTX_f64)
        buffer_print(printer->out, "0d%016" PRIX64, bits);
    else
        buffer_print(printer->out, "%" PRIu64, bits);
}

// Zeros at the end of a list need not be written, but those of a vector must be.
static uint64_t printed_elements(const PtxVariable *variable, unsigned level, uint64_t at, uint64_t step) {
    if (level == variable->rank) return variable->vector;
    const uint64_t left = at < variable->byte_count ? variable->byte_count - at : 0;
    const uint64_t written = step ? (left + step - 1) / step : 0, count = variable->dimensions[level];
    return written < count ? written : count;
}

// The list of values from byte `at` on that is `level` braces deep.
static void print_values(Printer *printer, const PtxVariable *variable, unsigned level, uint64_t at, uint32_t *next) {
    const unsigned bytes = ptx_type_info(variable->type)->bits / 8;
    const unsigned levels = variable->rank + (variable->vector > 1);
    if (level == levels) {
        const bool address = *next < variable->relocation_count && variable->relocations[*next].at == at;
        if (address)
            print_relocation(printer, &variable->relocations[(*next)++]);
        else
            print_value(printer, variable, at, bytes);
        return;
    }
    const uint64_t step = ptx_element_bytes(variable, level + 1);
    const uint64_t printed = printed_elements(variable, level, at, step);
    put(printer, "{");
    for (uint64_t i = 0; i < printed; i++) {
        if (i) put(printer, ", ");
        print_values(printer, variable, level + 1, at + i * step, next);
    }
    put(printer, "}");
}

static void print_module_variable(Printer *printer, const PtxVariable *variable) {
    uint32_t next = 0;
    print_variable(printer, variable);
    if (variable->bytes) {
        put(printer, " = ");
        print_values(printer, variable, 0, 0, &next);
    }
    put(printer, ";\n");
}

// ---- bodies

enum { NAMES_ON_A_LINE = 12 };

// "%v" of the register "%v.x"
static int name_length(const PtxRegister *reg) {
    return (int)strlen(reg->name) - (reg->vector > 1 ? 2 : 0);
}

// Whether the second can be declared in the line of the first.
static bool alike(const PtxRegister *a, const PtxRegister *b) {
    return a->type == b->type && a->vector == b->vector && a->scope == b->scope;
}

static bool is_parameter(const PtxFunction *function, uint32_t number) {
    for (uint32_t i = 0; i < function->parameter_count + function->result_count; i++)
        if (function->variables[i].space == PTX_REGISTERS && function->variables[i].number == number) return true;
    return false;
}

typedef struct Names {
    const PtxRegister *last;
    unsigned count;
} Names;

static void print_register(Printer *printer, const PtxRegister *reg, Names *names) {
    if (names->last && alike(names->last, reg) && names->count < NAMES_ON_A_LINE) {
        buffer_print(printer->out, ", %.*s", name_length(reg), reg->name);
    } else {
        if (names->last) put(printer, ";\n");
        put(printer, "\t.reg");
        if (reg->vector > 1) buffer_print(printer->out, " .v%u", reg->vector);
        buffer_print(printer->out, " .%s %.*s", ptx_type_info(reg->type)->name, name_length(reg), reg->name);
        names->count = 0;
    }
    names->last = reg;
    names->count++;
}

// Registers of each block, in the order of their numbers: `first` and `next` are lists by block.
typedef struct RegisterLists {
    uint32_t *first, *next; // 1 + number; 0: the end
} RegisterLists;

static void print_registers(Printer *printer, const RegisterLists *lists, uint32_t scope) {
    const PtxFunction *function = printer->function;
    Names names = {0};
    for (uint32_t i = lists->first[scope]; i; i = lists->next[i - 1])
        print_register(printer, &function->registers[i - 1], &names);
    if (names.last) put(printer, ";\n");
}

static RegisterLists list_registers(Arena *arena, const PtxFunction *function) {
    RegisterLists lists = {arena_array(arena, uint32_t, function->scope_count + 1),
                           arena_array(arena, uint32_t, function->register_count + 1)};
    uint32_t parameters = function->register_count; // registers of parameters come first
    for (uint32_t i = 0; i < function->register_count && parameters == function->register_count; i++)
        if (!is_parameter(function, i)) parameters = i;
    for (uint32_t i = function->register_count; i-- > parameters;) {
        const PtxRegister *reg = &function->registers[i];
        if (reg->vector == 1 && strchr(reg->name, '.')) continue; // of the vector before it
        lists.next[i] = lists.first[reg->scope];
        lists.first[reg->scope] = i + 1;
    }
    return lists;
}

static void print_form(Printer *printer, const PtxFunction *form);

static void print_table(Printer *printer, const PtxTable *table) {
    const PtxFunction *function = printer->function;
    buffer_print(printer->out, "%s: .%s ", table->name, table->calls ? "calltargets" : "branchtargets");
    for (uint32_t i = 0; i < table->count; i++) {
        const uint32_t target = table->targets[i];
        const char *name = table->calls ? printer->module->functions[target].name : function->labels[target].name;
        buffer_print(printer->out, "%s%s", i ? ", " : "", name);
    }
    put(printer, ";\n");
}

static void print_prototype(Printer *printer, const PtxPrototype *prototype) {
    buffer_print(printer->out, "%s: .callprototype ", prototype->name);
    print_form(printer, prototype->form);
    if (prototype->form->noreturn) put(printer, " .noreturn");
    put(printer, ";\n");
}

// What stands before instruction `at` in block `scope`, but for blocks.
static void print_declarations(Printer *printer, uint32_t at, uint32_t scope) {
    const PtxFunction *function = printer->function;
    for (; printer->variable < function->variable_count; printer->variable++) {
        const PtxVariable *variable = &function->variables[printer->variable];
        if (variable->before != at || variable->scope != scope) break;
        put(printer, "\t");
        print_variable(printer, variable);
        put(printer, ";\n");
    }
    for (; printer->table < function->table_count; printer->table++) {
        const PtxTable *table = &function->tables[printer->table];
        if (table->instruction != at || table->scope != scope) break;
        print_table(printer, table);
    }
    for (; printer->prototype < function->prototype_count; printer->prototype++) {
        const PtxPrototype *prototype = &function->prototypes[printer->prototype];
        if (prototype->instruction != at || prototype->scope != scope) break;
        print_prototype(printer, prototype);
    }
    for (; printer->label < function->label_count; printer->label++) {
        const PtxLabel *label = &function->labels[printer->label];
        if (label->instruction != at || label->scope != scope) break;
        buffer_print(printer->out, "%s:\n", label->name);
    }
}

// Up to instruction `at`: opens and closes blocks. Gives the block that the instruction is in.
static uint32_t print_blocks(Printer *printer, const RegisterLists *lists, uint32_t at, uint32_t scope) {
    const PtxFunction *function = printer->function;
    for (;;) {
        print_declarations(printer, at, scope);
        const PtxScope *next = &function->scopes[printer->scope];
        if (printer->scope < function->scope_count && next->begin == at && next->parent == scope) {
            scope = printer->scope++;
            put(printer, "\t{\n");
            print_registers(printer, lists, scope);
        } else if (scope && function->scopes[scope].end == at) {
            scope = function->scopes[scope].parent;
            put(printer, "\t}\n");
        } else {
            return scope;
        }
    }
}

// Names of inlined functions are numbered in the order in which they come.
static unsigned number_of_name(Printer *printer, const char *name) {
    uint64_t number = printer->names.count;
    if (map_find(&printer->names, name, &number)) return (unsigned)number;
    map_insert(&printer->names, &printer->arena, name, number);
    printer->name_texts =
        arena_grow(&printer->arena, printer->name_texts, number, &printer->name_capacity, sizeof *printer->name_texts);
    printer->name_texts[number] = name;
    return (unsigned)number;
}

static void print_names(Printer *printer) {
    if (!printer->names.count) return;
    put(printer, ".section .debug_str {\n");
    for (size_t i = 0; i < printer->names.count; i++) {
        buffer_print(printer->out, "$L__name_%zu:\n.b8 ", i);
        for (const char *at = printer->name_texts[i]; *at; at++) buffer_print(printer->out, "%u, ", (uint8_t)*at);
        put(printer, "0\n");
    }
    put(printer, "}\n");
}

static void print_place(Printer *printer, const PtxPlace *place) {
    const uint32_t file = printer->module->files[place->file - 1].number;
    buffer_print(printer->out, "\t.loc %u %u %u", file, place->source_line, place->source_column);
}

// The place that code was inlined at has to have a .loc of its own before.
static void print_loc(Printer *printer, const PtxPlace *place) {
    PtxPlace *last = &printer->last;
    if (!printer->places || !place->file) return;
    if (last->file == place->file && last->source_line == place->source_line &&
        last->source_column == place->source_column && last->inlined == place->inlined)
        return;
    *last = *place;
    const PtxInlined *inlined = place->inlined ? &printer->function->inlined[place->inlined - 1] : NULL;
    if (inlined) {
        print_place(printer, &inlined->at);
        put(printer, "\n");
    }
    print_place(printer, place);
    if (inlined) {
        buffer_print(printer->out, ", function_name $L__name_%u", number_of_name(printer, inlined->function_name));
        buffer_print(printer->out, ", inlined_at %u %u %u", printer->module->files[inlined->at.file - 1].number,
                     inlined->at.source_line, inlined->at.source_column);
    }
    put(printer, "\n");
}

static void print_statement(Printer *printer, const PtxInstruction *instruction) {
    print_loc(printer, &instruction->place);
    put(printer, "\t");
    if (instruction->guard.kind != PTX_NONE) {
        put(printer, "@");
        print_operand(printer, &instruction->guard);
        put(printer, " ");
    }
    print_instruction(printer, instruction);
    put(printer, ";\n");
}

static void print_body(Printer *printer) {
    const PtxFunction *function = printer->function;
    Arena arena = {0};
    const RegisterLists lists = list_registers(&arena, function);
    uint32_t scope = 0;
    printer->variable = function->parameter_count + function->result_count;
    printer->label = printer->table = printer->prototype = 0;
    printer->scope = 1;
    printer->last = (PtxPlace){0};
    put(printer, "{\n");
    print_registers(printer, &lists, 0);
    for (uint32_t i = 0; i <= function->instruction_count; i++) {
        scope = print_blocks(printer, &lists, i, scope);
        if (i < function->instruction_count) print_statement(printer, &function->instructions[i]);
    }
    put(printer, "}\n");
    arena_reset(&arena);
}

// ---- functions

static void print_parameters(Printer *printer, const PtxVariable *variables, uint32_t count) {
    put(printer, "(");
    for (uint32_t i = 0; i < count; i++) {
        if (i) put(printer, ", ");
        print_variable(printer, &variables[i]);
    }
    put(printer, ")");
}

static void print_form(Printer *printer, const PtxFunction *form) {
    if (form->result_count) {
        print_parameters(printer, form->variables + form->parameter_count, form->result_count);
        put(printer, " ");
    }
    put(printer, form->name);
    print_parameters(printer, form->variables, form->parameter_count);
}

static void print_directives(Printer *printer, const PtxFunction *function) {
    for (size_t i = 0; i < DIRECTIVE_COUNT; i++) {
        const DirectiveRow *row = &ptx_directives[i];
        const void *field = (const char *)function + row->offset;
        const uint32_t *numbers = field;
        if (row->most ? !numbers[0] : !*(const bool *)field) continue;
        buffer_print(printer->out, "\n.%s", row->name);
        for (uint32_t n = 0; n < row->numbers; n++) buffer_print(printer->out, "%s%u", n ? ", " : " ", numbers[n]);
    }
    for (uint32_t i = 0; i < function->pragma_count; i++)
        buffer_print(printer->out, "\n.pragma \"%s\";", function->pragmas[i]);
}

static void print_function(Printer *printer, const PtxFunction *function, bool body) {
    printer->function = function;
    buffer_print(printer->out, "%s%s ", linkage_words[function->linkage], function->entry ? ".entry" : ".func");
    print_form(printer, function);
    print_directives(printer, function);
    if (body) {
        put(printer, "\n");
        print_body(printer);
    } else {
        put(printer, ";\n");
    }
}

static void print_module_variables(Printer *printer, uint32_t *next, uint32_t before) {
    const PtxModule *module = printer->module;
    for (; *next < module->variable_count && module->variables[*next].before <= before; ++*next)
        print_module_variable(printer, &module->variables[*next]);
}

// The functions whose definition stands where `known` functions are known, by a list of 1 + number.
typedef struct Definitions {
    uint32_t *first, *next;
} Definitions;

static Definitions list_definitions(Arena *arena, const PtxModule *module) {
    Definitions lists = {arena_array(arena, uint32_t, module->function_count + 1),
                         arena_array(arena, uint32_t, module->function_count + 1)};
    for (uint32_t i = module->function_count; i-- > 0;) {
        const PtxFunction *function = &module->functions[i];
        if (!function->has_body || !function->forward) continue;
        lists.next[i] = lists.first[function->defined];
        lists.first[function->defined] = i + 1;
    }
    return lists;
}

static void print_functions(Printer *printer) {
    const PtxModule *module = printer->module;
    Arena arena = {0};
    const Definitions lists = list_definitions(&arena, module);
    uint32_t variable = 0;
    print_module_variables(printer, &variable, 0);
    for (uint32_t i = 0; i < module->function_count; i++) {
        const PtxFunction *function = &module->functions[i];
        print_function(printer, function, function->has_body && !function->forward);
        print_module_variables(printer, &variable, i + 1);
        for (uint32_t f = lists.first[i + 1]; f; f = lists.next[f - 1])
            print_function(printer, &module->functions[f - 1], true);
    }
    for (uint32_t i = 0; i < module->function_count; i++)
        if (module->functions[i].alias)
            buffer_print(printer->out, ".alias %s, %s;\n", module->functions[i].name, module->functions[i].alias);
    arena_reset(&arena);
}

static void print_head(Printer *printer) {
    const PtxModule *module = printer->module;
    const char suffix[2] = {module->suffix, 0};
    buffer_print(printer->out, ".version %u.%u\n.target sm_%u%s", module->version / 10, module->version % 10,
                 module->sm, suffix);
    if (module->texmode_independent) put(printer, ", texmode_independent");
    if (module->debug) put(printer, ", debug");
    buffer_print(printer->out, "\n.address_size %u\n", module->address_size);
    for (uint32_t i = 0; i < module->pragma_count; i++)
        buffer_print(printer->out, ".pragma \"%s\";\n", module->pragmas[i]);
    for (uint32_t i = 0; printer->places && i < module->file_count; i++)
        buffer_print(printer->out, ".file %u \"%s\"\n", module->files[i].number, module->files[i].path);
}

void ptx_print(const PtxModule *module, bool places, Buffer *out) {
    Printer printer = {.module = module, .out = out, .places = places};
    print_head(&printer);
    print_functions(&printer);
    print_names(&printer);
    arena_reset(&printer.arena);
}
