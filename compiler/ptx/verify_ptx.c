// SPDX-License-Identifier: Apache-2.0
// The rules of PTX that its form does not say: types of operands, lengths of lists, ranges, what addresses and calls
// may be.
#include "compiler/ptx/verify.h"

#include <string.h>

bool verifier_fail(Verifier *verifier, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *why = arena_vformat(&verifier->arena, format, args);
    va_end(args);
    const Location at = {.file = verifier->module->path, .line = verifier->instruction->place.line};
    return diag_fail(verifier->diagnostics, at, E_VERIFY, "'%s': %s",
                     ptx_spelling(&verifier->arena, verifier->instruction), why);
}

// ---- registers

// Registers of bits take any type of their size; integers each other; floats their own format.
static bool register_fits(PtxType reg, PtxType type, bool wider) {
    const PtxTypeInfo *have = ptx_type_info(reg), *want = ptx_type_info(type);
    if ((reg == PTX_pred) != (type == PTX_pred)) return false;
    if (have->bits != want->bits && !(wider && have->bits > want->bits)) return false;
    if (reg == type || have->kind == PTX_BITS || want->kind == PTX_BITS) return true;
    const bool integers = (have->kind == PTX_UNSIGNED || have->kind == PTX_SIGNED) &&
                          (want->kind == PTX_UNSIGNED || want->kind == PTX_SIGNED);
    return integers && have->elements == want->elements;
}

static bool check_register(Verifier *verifier, uint32_t index, PtxType type, bool wider) {
    const PtxRegister *reg = &verifier->function->registers[index];
    if (register_fits(reg->type, type, wider)) return true;
    return verifier_fail(verifier, "%s is a register of type .%s, not .%s", reg->name, ptx_type_info(reg->type)->name,
                         ptx_type_info(type)->name);
}

// ---- literals, special registers, addresses of variables

static bool is_plain_float(PtxType type) {
    return type == PTX_f32 || type == PTX_f64;
}

static bool check_float(Verifier *verifier, const PtxOperand *operand, PtxType type) {
    const unsigned bits = operand->kind == PTX_FLOAT32 ? 32 : 64;
    const PtxTypeInfo *want = ptx_type_info(type);
    if (is_plain_float(type) || (want->kind == PTX_BITS && want->bits == bits)) return true;
    return verifier_fail(verifier, "a float literal where .%s is wanted", want->name);
}

static bool check_special(Verifier *verifier, PtxSpecial special, PtxType type) {
    const PtxSpecialInfo *info = ptx_special_info(special);
    const PtxTypeInfo *have = ptx_type_info(info->type), *want = ptx_type_info(type);
    const bool narrow = want->bits == 16 && have->bits == 32; // the low half
    const bool fits = (info->type == PTX_pred) == (type == PTX_pred) && want->kind != PTX_FLOAT;
    if (fits && (have->bits == want->bits || narrow)) return true;
    return verifier_fail(verifier, "%s has type .%s, not .%s", info->name, have->name, want->name);
}

static bool check_name(Verifier *verifier, PtxType type) {
    const PtxTypeInfo *want = ptx_type_info(type);
    if (ptx_op_info(verifier->instruction->op)->class != PTX_CLASS_MOVE)
        return verifier_fail(verifier, "the name of a variable or function stands where a value is wanted");
    if ((want->bits == 32 || want->bits == 64) && want->kind != PTX_FLOAT) return true;
    return verifier_fail(verifier, "an address where .%s is wanted", want->name);
}

bool verify_value(Verifier *verifier, const PtxOperand *operand, PtxType type, bool wider) {
    switch (operand->kind) {
    case PTX_REGISTER: return check_register(verifier, operand->index, type, wider);
    case PTX_SPECIAL: return check_special(verifier, (PtxSpecial)operand->index, type);
    case PTX_INTEGER:
        if (ptx_type_info(type)->kind != PTX_FLOAT) return true;
        return verifier_fail(verifier, "an integer literal where .%s is wanted", ptx_type_info(type)->name);
    case PTX_FLOAT32:
    case PTX_FLOAT64: return check_float(verifier, operand, type);
    case PTX_VARIABLE:
    case PTX_FUNCTION: return check_name(verifier, type);
    case PTX_SINK: return true;
    default: return verifier_fail(verifier, "a value is wanted");
    }
}

// ---- the type that a row asks for

static PtxType wide_type(PtxType type) {
    switch (type) {
    case PTX_u16: return PTX_u32;
    case PTX_s16: return PTX_s32;
    case PTX_u32: return PTX_u64;
    default: return PTX_s64;
    }
}

static PtxType wanted_type(const PtxInstruction *instruction, const PtxOperandRule *rule) {
    if (!rule->type_of) return (PtxType)rule->type;
    if (rule->type_of == PTX_WIDE) return wide_type((PtxType)instruction->types[0]);
    return rule->type_of <= instruction->type_count ? (PtxType)instruction->types[rule->type_of - 1] : PTX_TYPE_COUNT;
}

static bool check_value(Verifier *verifier, const PtxOperandRule *rule, const PtxOperand *operand) {
    const PtxType type = wanted_type(verifier->instruction, rule);
    if (operand->kind == PTX_PAIR)
        return check_value(verifier, rule, &operand->items[0]) &&
               verify_value(verifier, &operand->items[1], PTX_pred, false);
    return type == PTX_TYPE_COUNT || verify_value(verifier, operand, type, rule->wider);
}

// ---- lists

static bool check_items(Verifier *verifier, const PtxOperand *list, PtxType type, bool wider) {
    for (uint32_t i = 0; i < list->count; i++)
        if (!verify_value(verifier, &list->items[i], type, wider)) return false;
    return true;
}

static bool check_results(Verifier *verifier, const PtxOperand *list) {
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].kind != PTX_REGISTER && list->items[i].kind != PTX_SINK)
            return verifier_fail(verifier, "a result that is no register");
    return true;
}

static bool check_count(Verifier *verifier, const PtxOperandRule *rule, uint32_t have, uint32_t want) {
    if (have == want) return true;
    return verifier_fail(verifier, "list %s has %u registers, not %u", rule->name, have, want);
}

static bool check_list(Verifier *verifier, const PtxOperandRule *rule, const PtxOperand *list) {
    const PtxListShape shape = ptx_list_shape(verifier->instruction, rule->name);
    if (rule->result && !check_results(verifier, list)) return false;
    if (shape.count == PTX_ANY_LIST) return true;
    if (shape.count == PTX_NO_LIST) return verifier_fail(verifier, "list %s does not belong there", rule->name);
    return check_count(verifier, rule, list->count, shape.count) && check_items(verifier, list, shape.type, false);
}

static unsigned vector_of(const PtxInstruction *instruction) {
    switch (ptx_find(instruction, PTX_SET_vector)) {
    case PTX_WORD_v2: return 2;
    case PTX_WORD_v4: return 4;
    case PTX_WORD_v8: return 8;
    default: return 1;
    }
}

static bool check_vector(Verifier *verifier, const PtxOperandRule *rule, const PtxOperand *operand) {
    if (operand->kind != PTX_LIST) return check_value(verifier, rule, operand);
    return (!rule->result || check_results(verifier, operand)) &&
           check_count(verifier, rule, operand->count, vector_of(verifier->instruction)) &&
           check_items(verifier, operand, wanted_type(verifier->instruction, rule), rule->wider);
}

// ---- addresses

static bool check_base(Verifier *verifier, const PtxOperand *base) {
    if (base->kind != PTX_REGISTER) return true;
    const PtxRegister *reg = &verifier->function->registers[base->index];
    const PtxTypeInfo *info = ptx_type_info(reg->type);
    if ((info->bits == 32 || info->bits == 64) && info->kind != PTX_FLOAT && info->elements == 1) return true;
    return verifier_fail(verifier, "%s of type .%s is no address", reg->name, info->name);
}

static const PtxVariable *base_variable(const Verifier *verifier, const PtxOperand *base) {
    if (base->kind != PTX_VARIABLE) return NULL;
    return base->global ? &verifier->module->variables[base->index] : &verifier->function->variables[base->index];
}

// Loads, stores and atomics name the space of their address, or none for any but parameters.
static bool check_space(Verifier *verifier, const PtxOperand *base) {
    const PtxClass class = ptx_op_info(verifier->instruction->op)->class;
    const PtxSpace space = ptx_space(verifier->instruction, 0);
    const PtxVariable *variable = base_variable(verifier, base);
    if (class != PTX_CLASS_MEMORY && class != PTX_CLASS_ATOMIC) return true;
    if (base->kind == PTX_REGISTER && (space == PTX_GENERIC || space == PTX_GLOBAL) &&
        ptx_type_info(verifier->function->registers[base->index].type)->bits != 64)
        return verifier_fail(verifier, "an address of 32 bits; 64 are wanted");
    if (!variable || variable->space == space) return true;
    if (space == PTX_GENERIC && variable->space != PTX_PARAMETER) return true;
    if (space == PTX_SHARED_CLUSTER && variable->space == PTX_SHARED) return true;
    return verifier_fail(verifier, "variable %s is in another state space", variable->name);
}

static bool check_address(Verifier *verifier, const PtxOperandRule *rule, const PtxOperand *address) {
    if (!check_base(verifier, &address->items[0]) || !check_space(verifier, &address->items[0])) return false;
    if (!rule->tensor) return true;
    const PtxOperand *list = &address->items[1];
    const unsigned count = ptx_coordinate_count(verifier->instruction);
    if (list->kind != PTX_LIST || address->count != 2) return verifier_fail(verifier, "coordinates are a list");
    if (list->count != count) return verifier_fail(verifier, "%u coordinates, not %u", list->count, count);
    return check_items(verifier, list, PTX_s32, false);
}

static bool check_number(Verifier *verifier, const PtxOperandRule *rule, const PtxOperand *operand) {
    const int64_t value = (int64_t)operand->bits;
    if (value >= rule->low && value <= rule->high) return true;
    return verifier_fail(verifier, "%s is %lld, not %d to %d", rule->name, (long long)value, rule->low, rule->high);
}

// ---- operands

static bool rule_fits(const PtxOperandRule *rule, const PtxOperand *operand) {
    switch (rule->kind) {
    case PTX_RULE_LIST: return operand->kind == PTX_LIST;
    case PTX_RULE_ADDRESS: return operand->kind == PTX_ADDRESS;
    case PTX_RULE_NUMBER: return operand->kind == PTX_INTEGER;
    case PTX_RULE_VALUE: return operand->kind != PTX_LIST && operand->kind != PTX_ADDRESS;
    default: return true;
    }
}

static bool check_rule(Verifier *verifier, const PtxOperandRule *rule, const PtxOperand *operand) {
    switch (rule->kind) {
    case PTX_RULE_VALUE: return check_value(verifier, rule, operand);
    case PTX_RULE_LIST: return check_list(verifier, rule, operand);
    case PTX_RULE_VECTOR: return check_vector(verifier, rule, operand);
    case PTX_RULE_ADDRESS: return check_address(verifier, rule, operand);
    case PTX_RULE_NUMBER: return check_number(verifier, rule, operand);
    default: return true; // names that the reader has found
    }
}

static const PtxOperandRule *choose_rule(const PtxOperandRule *rule, const PtxOperand *operand) {
    while (rule->or_next && !rule_fits(rule, operand)) rule++;
    return rule;
}

static bool check_operands(Verifier *verifier) {
    const PtxInstruction *instruction = verifier->instruction;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const PtxOperandRule *rule = ptx_operand_rule(instruction, i);
        const PtxOperand *operand = &instruction->operands[i];
        if (rule && operand->kind != PTX_NONE && !check_rule(verifier, choose_rule(rule, operand), operand))
            return false;
    }
    return true;
}

// ---- calls

static const PtxFunction *callee_form(const Verifier *verifier) {
    const PtxOperand *operands = verifier->instruction->operands;
    if (operands[1].kind == PTX_FUNCTION) return &verifier->module->functions[operands[1].index];
    if (operands[3].kind == PTX_PROTOTYPE) return verifier->function->prototypes[operands[3].index].form;
    if (operands[3].kind != PTX_TABLE) return NULL;
    const PtxTable *table = &verifier->function->tables[operands[3].index];
    return table->calls && table->count ? &verifier->module->functions[table->targets[0]] : NULL;
}

// Variables of parameters are as large as what they stand for; registers and literals are of its type.
static bool check_argument(Verifier *verifier, const PtxOperand *actual, const PtxVariable *formal, bool result) {
    if (actual->kind == PTX_SINK && result) return true;
    if (actual->kind == PTX_VARIABLE) {
        const PtxVariable *variable = base_variable(verifier, actual);
        if (variable->space == PTX_PARAMETER && (formal->unsized || variable->size == formal->size)) return true;
        return verifier_fail(verifier, "%s is no parameter of %llu bytes", variable->name,
                             (unsigned long long)formal->size);
    }
    if (formal->rank) return verifier_fail(verifier, "an array is passed in a register");
    if (result && actual->kind != PTX_REGISTER) return verifier_fail(verifier, "a result that is no register");
    return verify_value(verifier, actual, formal->type, false);
}

static bool check_arguments(Verifier *verifier, const PtxOperand *list, const PtxVariable *formals, uint32_t count,
                            bool result) {
    const uint32_t given = list->kind == PTX_LIST ? list->count : 0;
    const char *what = result ? "results" : "parameters";
    if (given != count && !(result && !given))
        return verifier_fail(verifier, "%u %s; the function has %u", given, what, count);
    for (uint32_t i = 0; i < given; i++)
        if (!check_argument(verifier, &list->items[i], &formals[i], result)) return false;
    return true;
}

static bool check_call(Verifier *verifier) {
    const PtxOperand *operands = verifier->instruction->operands;
    const PtxFunction *form = callee_form(verifier);
    if (!form) return verifier_fail(verifier, "a call through a register needs a prototype");
    if (form->entry) return verifier_fail(verifier, "%s is a kernel", form->name);
    if (operands[1].kind == PTX_REGISTER && !check_base(verifier, &operands[1])) return false;
    return check_arguments(verifier, &operands[2], form->variables, form->parameter_count, false) &&
           check_arguments(verifier, &operands[0], form->variables + form->parameter_count, form->result_count, true);
}

// ---- functions

static bool check_instruction(Verifier *verifier, const PtxInstruction *instruction) {
    verifier->instruction = instruction;
    const PtxOperand *guard = &instruction->guard;
    if (guard->kind == PTX_REGISTER && verifier->function->registers[guard->index].type != PTX_pred)
        return verifier_fail(verifier, "%s is no predicate", verifier->function->registers[guard->index].name);
    if (instruction->op == PTX_OP_call) return check_call(verifier);
    return check_operands(verifier) && verify_instruction(verifier);
}

bool ptx_verify(Diagnostics *diagnostics, const PtxModule *module) {
    Verifier verifier = {.diagnostics = diagnostics, .module = module};
    bool good = true;
    for (uint32_t f = 0; good && f < module->function_count; f++) {
        verifier.function = &module->functions[f];
        for (uint32_t i = 0; good && i < verifier.function->instruction_count; i++)
            good = check_instruction(&verifier, &verifier.function->instructions[i]);
    }
    arena_reset(&verifier.arena);
    return good;
}
