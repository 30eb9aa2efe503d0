// SPDX-License-Identifier: Apache-2.0
// Compares modules of PTX field by field.
#include "tests/ptx/compare_ptx.h"

#include <string.h>

typedef struct Comparison {
    Arena *arena;
    const PtxModule *a, *b;
    const PtxFunction *f, *g;
    const char *difference;
} Comparison;

static bool differ(Comparison *c, const char *what, uint64_t number) {
    if (!c->difference)
        c->difference = arena_format(c->arena, "%s %llu of %s", what, (unsigned long long)number,
                                     c->f ? c->f->name : "the module");
    return false;
}

#define SAME(what, number, x, y) ((x) == (y) || differ(c, what, number))

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

// ---- instructions

static bool same_operand(const PtxOperand *a, const PtxOperand *b) {
    if (a->kind != b->kind || a->negated != b->negated || a->global != b->global || a->index != b->index ||
        a->offset != b->offset || a->bits != b->bits || a->count != b->count || !same_text(a->text, b->text))
        return false;
    for (uint32_t i = 0; a->items && i < a->count; i++)
        if (!same_operand(&a->items[i], &b->items[i])) return false;
    return true;
}

static bool same_place(const PtxPlace *a, const PtxPlace *b) {
    return a->file == b->file && a->source_line == b->source_line && a->source_column == b->source_column &&
           a->inlined == b->inlined;
}

static bool same_instruction(const PtxInstruction *a, const PtxInstruction *b) {
    if (a->op != b->op || a->form != b->form || a->word_count != b->word_count || a->type_count != b->type_count ||
        a->operand_count != b->operand_count || !same_operand(&a->guard, &b->guard) || !same_place(&a->place, &b->place))
        return false;
    for (unsigned i = 0; i < a->word_count; i++)
        if (a->words[i] != b->words[i]) return false;
    for (unsigned i = 0; i < a->type_count; i++)
        if (a->types[i] != b->types[i]) return false;
    for (unsigned i = 0; i < a->operand_count; i++)
        if (!same_operand(&a->operands[i], &b->operands[i])) return false;
    return true;
}

// ---- variables

static bool same_relocation(const PtxRelocation *a, const PtxRelocation *b) {
    return a->at == b->at && a->bytes == b->bytes && a->function == b->function && a->generic == b->generic &&
           a->index == b->index && a->offset == b->offset;
}

static bool same_values(const PtxVariable *a, const PtxVariable *b) {
    if (!a->bytes != !b->bytes || a->relocation_count != b->relocation_count) return false;
    if (a->byte_count != b->byte_count || (a->byte_count && memcmp(a->bytes, b->bytes, a->byte_count))) return false;
    for (uint32_t i = 0; i < a->relocation_count; i++)
        if (!same_relocation(&a->relocations[i], &b->relocations[i])) return false;
    return true;
}

static bool same_variable(const PtxVariable *a, const PtxVariable *b) {
    return same_text(a->name, b->name) && a->space == b->space && a->type == b->type && a->linkage == b->linkage &&
           a->alignment == b->alignment && a->vector == b->vector && a->rank == b->rank && a->unsized == b->unsized &&
           !memcmp(a->dimensions, b->dimensions, sizeof a->dimensions) && a->size == b->size &&
           a->pointer == b->pointer && a->pointer_space == b->pointer_space &&
           a->pointer_alignment == b->pointer_alignment && a->managed == b->managed && a->scope == b->scope &&
           a->before == b->before && a->number == b->number && same_values(a, b);
}

static bool same_variables(Comparison *c, const PtxVariable *a, const PtxVariable *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!same_variable(&a[i], &b[i])) return differ(c, "variable", i);
    return true;
}

// ---- functions

static bool same_form(Comparison *c, const PtxFunction *a, const PtxFunction *b) {
    if (!same_text(a->name, b->name) || a->parameter_count != b->parameter_count || a->result_count != b->result_count ||
        a->variable_count != b->variable_count || a->noreturn != b->noreturn)
        return differ(c, "form", 0);
    return same_variables(c, a->variables, b->variables, a->variable_count);
}

static bool same_directives(Comparison *c, const PtxFunction *a, const PtxFunction *b) {
    const bool same = !memcmp(a->maxntid, b->maxntid, sizeof a->maxntid) &&
                      !memcmp(a->reqntid, b->reqntid, sizeof a->reqntid) &&
                      !memcmp(a->reqnctapercluster, b->reqnctapercluster, sizeof a->reqnctapercluster) &&
                      a->maxnreg == b->maxnreg && a->minnctapersm == b->minnctapersm &&
                      a->maxnctapersm == b->maxnctapersm && a->maxclusterrank == b->maxclusterrank &&
                      a->abi_preserve == b->abi_preserve && a->abi_preserve_control == b->abi_preserve_control &&
                      a->explicit_cluster == b->explicit_cluster && a->blocks_are_clusters == b->blocks_are_clusters &&
                      same_text(a->alias, b->alias) && a->pragma_count == b->pragma_count;
    if (!same) return differ(c, "directive", 0);
    for (uint32_t i = 0; i < a->pragma_count; i++)
        if (!same_text(a->pragmas[i], b->pragmas[i])) return differ(c, "pragma", i);
    return true;
}

static bool same_registers(Comparison *c, const PtxFunction *a, const PtxFunction *b) {
    for (uint32_t i = 0; i < a->register_count; i++) {
        const PtxRegister *x = &a->registers[i], *y = &b->registers[i];
        if (!same_text(x->name, y->name) || x->type != y->type || x->vector != y->vector || x->scope != y->scope)
            return differ(c, "register", i);
    }
    for (uint32_t i = 0; i < a->scope_count; i++) {
        const PtxScope *x = &a->scopes[i], *y = &b->scopes[i];
        if (x->parent != y->parent || x->begin != y->begin || x->end != y->end) return differ(c, "block", i);
    }
    return true;
}

static bool same_labels(Comparison *c, const PtxFunction *a, const PtxFunction *b) {
    for (uint32_t i = 0; i < a->label_count; i++) {
        const PtxLabel *x = &a->labels[i], *y = &b->labels[i];
        if (!same_text(x->name, y->name) || x->scope != y->scope || x->instruction != y->instruction)
            return differ(c, "label", i);
    }
    for (uint32_t i = 0; i < a->table_count; i++) {
        const PtxTable *x = &a->tables[i], *y = &b->tables[i];
        if (!same_text(x->name, y->name) || x->calls != y->calls || x->count != y->count || x->scope != y->scope ||
            x->instruction != y->instruction || memcmp(x->targets, y->targets, x->count * sizeof *x->targets))
            return differ(c, "table", i);
    }
    for (uint32_t i = 0; i < a->prototype_count; i++) {
        const PtxPrototype *x = &a->prototypes[i], *y = &b->prototypes[i];
        if (!same_text(x->name, y->name) || x->scope != y->scope || x->instruction != y->instruction)
            return differ(c, "prototype", i);
        if (!same_form(c, x->form, y->form)) return false;
    }
    return true;
}

static bool same_instructions(Comparison *c, const PtxFunction *a, const PtxFunction *b) {
    for (uint32_t i = 0; i < a->instruction_count; i++)
        if (!same_instruction(&a->instructions[i], &b->instructions[i])) return differ(c, "instruction", i);
    for (uint32_t i = 0; i < a->inlined_count; i++)
        if (!same_place(&a->inlined[i].at, &b->inlined[i].at) ||
            !same_text(a->inlined[i].function_name, b->inlined[i].function_name))
            return differ(c, "inlined", i);
    return true;
}

static bool same_function(Comparison *c) {
    const PtxFunction *a = c->f, *b = c->g;
    if (a->entry != b->entry || a->has_body != b->has_body || a->linkage != b->linkage || a->forward != b->forward ||
        a->defined != b->defined || a->register_count != b->register_count || a->label_count != b->label_count ||
        a->table_count != b->table_count || a->prototype_count != b->prototype_count ||
        a->instruction_count != b->instruction_count || a->inlined_count != b->inlined_count ||
        a->scope_count != b->scope_count)
        return differ(c, "counts", 0);
    return same_form(c, a, b) && same_directives(c, a, b) && same_registers(c, a, b) && same_labels(c, a, b) &&
           same_instructions(c, a, b);
}

// ---- modules

static bool same_module(Comparison *c) {
    const PtxModule *a = c->a, *b = c->b;
    if (a->version != b->version || a->sm != b->sm || a->suffix != b->suffix || a->debug != b->debug ||
        a->texmode_independent != b->texmode_independent || a->address_size != b->address_size ||
        a->function_count != b->function_count || a->variable_count != b->variable_count ||
        a->file_count != b->file_count || a->pragma_count != b->pragma_count)
        return differ(c, "the head", 0);
    for (uint32_t i = 0; i < a->pragma_count; i++)
        if (!same_text(a->pragmas[i], b->pragmas[i])) return differ(c, "pragma", i);
    for (uint32_t i = 0; i < a->file_count; i++)
        if (a->files[i].number != b->files[i].number || !same_text(a->files[i].path, b->files[i].path))
            return differ(c, "file", i);
    if (!same_variables(c, a->variables, b->variables, a->variable_count)) return false;
    for (uint32_t i = 0; i < a->function_count; i++) {
        c->f = &a->functions[i];
        c->g = &b->functions[i];
        if (!same_function(c)) return false;
    }
    return true;
}

const char *ptx_difference(Arena *arena, const PtxModule *a, const PtxModule *b) {
    Comparison c = {.arena = arena, .a = a, .b = b};
    same_module(&c);
    return c.difference;
}

const char *ptx_round_trip(Arena *arena, const PtxModule *module) {
    Diagnostics diagnostics = {0};
    Buffer first = {0}, second = {0};
    const char *problem = NULL;
    ptx_print(module, true, &first);
    PtxModule *again = ptx_read(&diagnostics, "printed", first.data, first.size);
    if (!again) {
        const Diagnostic *item = &diagnostics.items[0];
        problem = arena_format(arena, "what is printed is refused at line %u: %s", item->at.line, item->message);
    } else {
        problem = ptx_difference(arena, module, again);
        ptx_print(again, true, &second);
        if (!problem && (first.size != second.size || memcmp(first.data, second.data, first.size)))
            problem = "printed again it is another text";
    }
    ptx_module_close(again);
    buffer_free(&first);
    buffer_free(&second);
    diagnostics_close(&diagnostics);
    return problem;
}
