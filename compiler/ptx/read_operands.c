// SPDX-License-Identifier: Apache-2.0
// Operands of instructions: registers, literals, addresses, lists, pairs of results, labels, and those of calls.
#include "compiler/ptx/reader.h"

#include <string.h>

// ---- names

static bool read_special(PtxReader *reader, Name name, PtxOperand *operand) {
    char text[64];
    if (name.length >= sizeof text - 2) return false;
    size_t length = name.length;
    memcpy(text, name.at, length);
    if (reader->end - reader->at > 1 && *reader->at == '.') { // %tid.x
        memcpy(text + length, reader->at, 2);
        length += 2;
    }
    text[length] = 0;
    for (unsigned i = 0; i < PTX_SPECIAL_COUNT; i++) {
        if (strcmp(ptx_special_info((PtxSpecial)i)->name, text)) continue;
        reader->at += length - name.length;
        *operand = (PtxOperand){.kind = PTX_SPECIAL, .index = i};
        return true;
    }
    return false;
}

static bool check_special(PtxReader *reader, PtxSpecial special) {
    const PtxSpecialInfo *info = ptx_special_info(special);
    const PtxModule *module = reader->module;
    if (info->since > module->version)
        return reader_fail(reader, E_VERSION, "'%s' needs PTX %u.%u, the file says %u.%u", info->name, info->since / 10,
                           info->since % 10, module->version / 10, module->version % 10);
    if (!ptx_target_has(module, info->target))
        return reader_fail(reader, E_VERSION, "'%s' needs target sm_%s, the file says sm_%u", info->name, info->target,
                           module->sm);
    return true;
}

// Behind the name of a vector: one of its registers, or all as a list.
static bool read_element(PtxReader *reader, uint8_t vector, PtxOperand *operand) {
    static const char letters[] = "xyzwrgba";
    const uint32_t first = operand->index;
    if (reader->end - reader->at > 1 && *reader->at == '.') {
        const char *letter = memchr(letters, reader->at[1], sizeof letters - 1);
        const uint32_t element = letter ? (uint32_t)(letter - letters) % 4 : 4;
        if (element >= vector) return reader_fail(reader, E_TEXT, "a vector of %u has no such element", vector);
        reader->at += 2;
        operand->index = first + element;
        return true;
    }
    *operand = (PtxOperand){.kind = PTX_LIST, .count = vector};
    operand->items = arena_array(reader->arena, PtxOperand, vector);
    for (uint32_t i = 0; i < vector; i++) operand->items[i] = (PtxOperand){.kind = PTX_REGISTER, .index = first + i};
    return true;
}

// +8 or -8 behind a name.
static bool read_offset(PtxReader *reader, int64_t *offset) {
    *offset = 0;
    const char c = reader_peek(reader);
    if (c != '+' && c != '-') return true;
    if (c == '+') reader->at++;
    return reader_integer(reader, offset);
}

static bool read_named(PtxReader *reader, Name name, PtxOperand *operand) {
    uint8_t vector;
    *operand = (PtxOperand){.kind = PTX_REGISTER};
    if (reader_find_register(reader, name, &operand->index, &vector)) {
        if (vector > 1) return read_element(reader, vector, operand);
        if (reader->at < reader->end && *reader->at == '.')
            return reader_fail(reader, E_UNSUPPORTED, "parts of a register ('%.*s.') are not supported",
                               NAME_SHOWN(name));
        return true;
    }
    const Symbol *symbol = reader_find(reader, name);
    if (!symbol) {
        if (name_is(name, "_")) {
            operand->kind = PTX_SINK;
            return true;
        }
        if (read_special(reader, name, operand)) return check_special(reader, (PtxSpecial)operand->index);
        return reader_fail(reader, E_VERIFY, "'%.*s' is not declared", NAME_SHOWN(name));
    }
    operand->index = symbol->index;
    operand->kind = symbol->kind == SYMBOL_FUNCTION ? PTX_FUNCTION : PTX_VARIABLE;
    operand->global = symbol->kind == SYMBOL_GLOBAL;
    return true;
}

// ---- values

static bool read_value(PtxReader *reader, PtxOperand *operand) {
    Name name;
    if (reader_starts_number(reader_peek(reader))) return reader_number(reader, operand);
    if (reader_peek(reader) == '!' && reader->end - reader->at > 1) {
        const char next = reader->at[1];
        if (reader_starts_number(next)) return reader_number(reader, operand);
        reader->at++;
        if (!reader_need_name(reader, "a predicate", &name) || !read_named(reader, name, operand)) return false;
        if (operand->kind != PTX_REGISTER) return reader_fail(reader, E_TEXT, "'!' stands before registers");
        operand->negated = true;
        return true;
    }
    if (!reader_need_name(reader, "an operand", &name)) return false;
    if (name_is(name, "WARP_SZ")) {
        *operand = (PtxOperand){.kind = PTX_INTEGER, .bits = 32};
        return true;
    }
    if (!read_named(reader, name, operand)) return false;
    return operand->kind != PTX_VARIABLE || read_offset(reader, &operand->offset);
}

// Items up to `end`, which is taken.
static bool read_items(PtxReader *reader, char end, PtxOperand *list) {
    PtxOperand *items = NULL;
    size_t capacity = 0;
    *list = (PtxOperand){.kind = PTX_LIST};
    if (!reader_take(reader, end)) {
        do {
            if (list->count == READER_ITEMS_MAX)
                return reader_fail(reader, E_LIMIT, "a list of more than %u", READER_ITEMS_MAX);
            items = arena_grow(&reader->scratch, items, list->count, &capacity, sizeof *items);
            if (!read_value(reader, &items[list->count])) return false;
            if (items[list->count++].kind == PTX_LIST) return reader_fail(reader, E_TEXT, "a vector in a list");
        } while (reader_take(reader, ','));
        if (!reader_need(reader, end)) return false;
    }
    list->items = arena_array(reader->arena, PtxOperand, list->count);
    if (list->count) memcpy(list->items, items, list->count * sizeof *items);
    return true;
}

// ---- addresses

enum { ADDRESS_ITEMS_MAX = 3 };

static bool read_base(PtxReader *reader, PtxOperand *address, PtxOperand *base) {
    Name name;
    if (reader_starts_number(reader_peek(reader))) return reader_number(reader, base);
    if (!reader_need_name(reader, "an address", &name) || !read_named(reader, name, base)) return false;
    if (base->kind != PTX_REGISTER && base->kind != PTX_VARIABLE)
        return reader_fail(reader, E_TEXT, "'%.*s' is no address", NAME_SHOWN(name));
    return read_offset(reader, &address->offset);
}

// [base + offset], [base, {coordinates}]
static bool read_address(PtxReader *reader, PtxOperand *address) {
    PtxOperand items[ADDRESS_ITEMS_MAX];
    *address = (PtxOperand){.kind = PTX_ADDRESS, .count = 1};
    if (!read_base(reader, address, &items[0])) return false;
    while (reader_take(reader, ',')) {
        if (address->count == ADDRESS_ITEMS_MAX) return reader_fail(reader, E_TEXT, "an address of too many parts");
        PtxOperand *item = &items[address->count++];
        if (!(reader_take(reader, '{') ? read_items(reader, '}', item) : read_value(reader, item))) return false;
    }
    if (!reader_need(reader, ']')) return false;
    address->items = arena_array(reader->arena, PtxOperand, address->count);
    memcpy(address->items, items, address->count * sizeof *items);
    return true;
}

// ---- whole operands

// a|p: two results
static bool read_second(PtxReader *reader, PtxOperand *operand) {
    PtxOperand *items = arena_array(reader->arena, PtxOperand, 2);
    items[0] = *operand;
    if (!read_value(reader, &items[1])) return false;
    for (int i = 0; i < 2; i++)
        if (items[i].kind != PTX_REGISTER && items[i].kind != PTX_SINK)
            return reader_fail(reader, E_TEXT, "'|' stands between registers");
    *operand = (PtxOperand){.kind = PTX_PAIR, .count = 2, .items = items};
    return true;
}

static bool read_operand(PtxReader *reader, PtxOperand *operand) {
    if (reader_take(reader, '[')) return read_address(reader, operand);
    if (reader_take(reader, '{')) return read_items(reader, '}', operand);
    return read_value(reader, operand) && (!reader_take(reader, '|') || read_second(reader, operand));
}

static bool read_target(PtxReader *reader, PtxOperandKind kind, PtxOperand *operand) {
    Name name;
    if (!reader_need_name(reader, kind == PTX_LABEL ? "a label" : "the name of a table", &name)) return false;
    *operand = (PtxOperand){.kind = kind, .text = name.at, .count = name.length};
    return true;
}

static bool read_pragma_text(PtxReader *reader, PtxOperand *operand) {
    *operand = (PtxOperand){.kind = PTX_TEXT};
    return reader_pragma(reader, &operand->text);
}

// (results), callee, (parameters), table or prototype: four operands, of which the callee is there always.
static bool read_call(PtxReader *reader, PtxOperand *operands, unsigned *count) {
    for (*count = 0; *count < 4; ++*count) operands[*count] = (PtxOperand){.kind = PTX_NONE};
    if (reader_take(reader, '(') && (!read_items(reader, ')', &operands[0]) || !reader_need(reader, ','))) return false;
    if (!read_value(reader, &operands[1])) return false;
    if (operands[1].kind != PTX_FUNCTION && operands[1].kind != PTX_REGISTER)
        return reader_fail(reader, E_VERIFY, "a call of what is neither a function nor a register");
    if (!reader_take(reader, ',')) return true;
    if (reader_take(reader, '(')) {
        if (!read_items(reader, ')', &operands[2])) return false;
        if (!reader_take(reader, ',')) return true;
    }
    return read_target(reader, PTX_TABLE, &operands[3]);
}

bool reader_operands(PtxReader *reader, const Opcode *opcode, PtxOperand *operands, unsigned *count) {
    const PtxForm *form = &ptx_op_info((PtxOp)opcode->forms[0].op)->forms[opcode->forms[0].form];
    *count = 0;
    if (form->rule_count && form->rules[0].kind == PTX_RULE_CALL) return read_call(reader, operands, count);
    if (reader_peek(reader) == ';') return true;
    do {
        if (*count == PTX_OPERANDS_MAX) return reader_fail(reader, E_VERIFY, "more than %u operands", PTX_OPERANDS_MAX);
        const int kind = *count < form->rule_count ? (int)form->rules[*count].kind : PTX_RULE_ANY;
        PtxOperand *operand = &operands[*count];
        const bool good = kind == PTX_RULE_LABEL   ? read_target(reader, PTX_LABEL, operand)
                          : kind == PTX_RULE_TABLE ? read_target(reader, PTX_TABLE, operand)
                          : kind == PTX_RULE_TEXT  ? read_pragma_text(reader, operand)
                                                   : read_operand(reader, operand);
        if (!good) return false;
        ++*count;
    } while (reader_take(reader, ','));
    return true;
}

void reader_use_targets(PtxReader *reader, PtxInstruction *instruction) {
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        PtxOperand *operand = &instruction->operands[i];
        if (operand->kind != PTX_LABEL && operand->kind != PTX_TABLE) continue;
        TargetUse use = {.name = {operand->text, operand->count}, .operand = operand};
        use.kind = operand->kind == PTX_LABEL ? TARGET_LABEL : TARGET_TABLE;
        use.any = instruction->op == PTX_OP_call;
        *operand = (PtxOperand){.kind = operand->kind};
        reader_use_target(reader, use);
    }
}
