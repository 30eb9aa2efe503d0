// SPDX-License-Identifier: Apache-2.0
// Which row of instructions.def an instruction is: its opcode is matched with the slots of the forms, then its operands
// with their rules.
#include "compiler/ptx/reader.h"

#include <string.h>

// ---- targets

static bool target_word_fits(const PtxModule *module, const char *word) {
    unsigned sm = 0;
    for (; *word >= '0' && *word <= '9'; word++) sm = sm * 10 + (unsigned)(*word - '0');
    if (*word == 'a') return module->sm == sm && module->suffix == 'a';
    if (*word != 'f') return module->sm >= sm;
    const unsigned family = ptx_target_info(module->sm, 0)->family;
    return module->suffix && family == ptx_target_info(sm, 0)->family && (module->sm >= sm || family == 110);
}

bool ptx_target_has(const PtxModule *module, const char *target) {
    if (!*target) return true;
    while (*target) {
        if (target_word_fits(module, target)) return true;
        target += strcspn(target, " ");
        target += strspn(target, " ");
    }
    return false;
}

// ---- words

// The part of the opcode that is the op's name; 0: it does not begin with it.
static uint32_t name_length(PtxOp op, Name text) {
    const char *name = ptx_op_name(op);
    const uint32_t length = (uint32_t)strlen(name);
    if (text.length < length || memcmp(name, text.at, length)) return 0;
    return text.length == length || text.at[length] == '.' ? length : 0;
}

static bool check_word(PtxReader *reader, PtxWord word) {
    const PtxModule *module = reader->module;
    const unsigned since = ptx_word_since(word);
    if (since > module->version)
        return reader_fail(reader, E_VERSION, "'.%s' needs PTX %u.%u, the file says %u.%u", ptx_word_text(word),
                           since / 10, since % 10, module->version / 10, module->version % 10);
    if (ptx_target_has(module, ptx_word_target(word))) return true;
    return reader_fail(reader, E_VERSION, "'.%s' needs target sm_%s, the file says sm_%u", ptx_word_text(word),
                       ptx_word_target(word), module->sm);
}

static bool split_words(PtxReader *reader, Opcode *opcode, uint32_t name) {
    const Name text = opcode->text;
    for (uint32_t at = name; at < text.length;) {
        const uint32_t first = ++at;
        while (at < text.length && text.at[at] != '.') at++;
        const PtxWord word = ptx_find_word(text.at + first, at - first);
        const Name shown = {text.at + first, at - first};
        if (word == PTX_WORD_NONE)
            return reader_fail(reader, E_UNSUPPORTED, "unknown modifier '.%.*s' of '%.*s'", NAME_SHOWN(shown),
                               (int)name, text.at);
        if (opcode->word_count == PTX_WORDS_MAX)
            return reader_fail(reader, E_UNSUPPORTED, "more than %u modifiers", PTX_WORDS_MAX);
        if (!check_word(reader, word)) return false;
        opcode->words[opcode->word_count++] = (uint16_t)word;
        const PtxType type = ptx_word_type(word);
        if (type == PTX_TYPE_COUNT) continue;
        if (opcode->type_count == PTX_INSTRUCTION_TYPES_MAX)
            return reader_fail(reader, E_UNSUPPORTED, "more than %u types", PTX_INSTRUCTION_TYPES_MAX);
        opcode->types[opcode->type_count++] = (uint8_t)type;
    }
    return true;
}

// ---- slots

typedef struct Match {
    unsigned taken;  // words that found a slot
    int lacks;       // the first slot that is not optional and has no word; -1: none
    unsigned since;  // of the slots that have a word
    uint16_t misfit; // the word that found no slot
} Match;

static bool slot_has(const struct PtxSlot *slot, unsigned word) {
    return slot->words[word / 64] >> word % 64 & 1;
}

// Types are taken in the order of the slots: one that may be left out is skipped, another one ends the search.
static int find_slot(const PtxForm *form, uint32_t filled, unsigned word) {
    const bool type = ptx_word_set((PtxWord)word) == PTX_SET_type;
    for (unsigned i = 0; i < form->slot_count; i++) {
        if (filled >> i & 1) continue;
        if (slot_has(&form->slots[i], word)) return (int)i;
        if (type && form->slots[i].types && !form->slots[i].optional) return -1;
    }
    return -1;
}

static bool match_words(const Opcode *opcode, const PtxForm *form, Match *match) {
    uint32_t filled = 0;
    *match = (Match){.lacks = -1, .since = form->since};
    for (; match->taken < opcode->word_count; match->taken++) {
        const int slot = find_slot(form, filled, opcode->words[match->taken]);
        match->misfit = opcode->words[match->taken];
        if (slot < 0) return false;
        filled |= 1u << slot;
        if (form->slots[slot].since > match->since) match->since = form->slots[slot].since;
    }
    for (int i = 0; i < form->slot_count && match->lacks < 0; i++) {
        const bool full = filled >> i & 1, before = i && (filled >> (i - 1) & 1);
        if (form->slots[i].with_previous ? full != before : !full && !form->slots[i].optional) match->lacks = i;
    }
    return match->lacks < 0;
}

// The modifiers fit no form: says what is wrong with the one that they fit best.
static bool refuse_words(PtxReader *reader, const Opcode *opcode, const PtxForm *form, const Match *match) {
    const char *text = form->modifiers;
    if (match->taken < opcode->word_count)
        return reader_fail(reader, E_UNSUPPORTED, "modifier '.%s' does not fit '%.*s'",
                           ptx_word_text((PtxWord)match->misfit), NAME_SHOWN(opcode->text));
    for (int i = 0; i < match->lacks; i++) text += strcspn(text, " ") + 1;
    return reader_fail(reader, E_UNSUPPORTED, "'%.*s' lacks a modifier: %.*s", NAME_SHOWN(opcode->text),
                       (int)strcspn(text, " "), text);
}

static bool refuse_newer(PtxReader *reader, const Opcode *opcode, const PtxForm *form, unsigned since) {
    const PtxModule *module = reader->module;
    if (since > module->version)
        return reader_fail(reader, E_VERSION, "'%.*s' needs PTX %u.%u, the file says %u.%u", NAME_SHOWN(opcode->text),
                           since / 10, since % 10, module->version / 10, module->version % 10);
    char suffix[2] = {module->suffix, 0};
    return reader_fail(reader, E_VERSION, "'%.*s' needs target %s, the file says sm_%u%s", NAME_SHOWN(opcode->text),
                       form->target, module->sm, suffix);
}

// All forms of the ops whose name is `name` bytes of the opcode.
static bool match_forms(PtxReader *reader, Opcode *opcode, uint32_t name) {
    const PtxForm *best = NULL, *newer = NULL;
    Match match, best_match = {0}, newer_match = {0};
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        if (name_length((PtxOp)op, opcode->text) != name || !name) continue;
        const PtxOpInfo *info = ptx_op_info((PtxOp)op);
        for (unsigned f = 0; f < info->form_count; f++) {
            const PtxForm *form = &info->forms[f];
            const bool good = match_words(opcode, form, &match);
            if (good && match.since <= reader->module->version && ptx_target_has(reader->module, form->target)) {
                if (opcode->form_count == OPCODE_FORMS_MAX) continue;
                opcode->forms[opcode->form_count].op = (uint16_t)op;
                opcode->forms[opcode->form_count++].form = (uint16_t)f;
            } else if (good && !newer) {
                newer = form;
                newer_match = match;
            } else if (!good && (!best || match.taken > best_match.taken)) {
                best = form;
                best_match = match;
            }
        }
    }
    if (opcode->form_count) return true;
    if (newer) return refuse_newer(reader, opcode, newer, newer_match.since);
    return refuse_words(reader, opcode, best, &best_match);
}

static bool fill_opcode(PtxReader *reader, Opcode *opcode) {
    uint32_t name = 0;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        const uint32_t length = name_length((PtxOp)op, opcode->text);
        if (length > name) name = length;
    }
    if (!name) return reader_fail(reader, E_UNSUPPORTED, "unknown instruction '%.*s'", NAME_SHOWN(opcode->text));
    return split_words(reader, opcode, name) && match_forms(reader, opcode, name);
}

const Opcode *reader_opcode(PtxReader *reader, Name text) {
    const uint32_t hash = name_hash(text);
    Opcode **bucket = &reader->opcodes[hash % OPCODE_BUCKETS];
    for (Opcode *opcode = *bucket; opcode; opcode = opcode->next)
        if (opcode->hash == hash && opcode->text.length == text.length &&
            !memcmp(opcode->text.at, text.at, text.length))
            return opcode;
    Opcode *opcode = arena_new(&reader->scratch, Opcode);
    *opcode = (Opcode){.text = text, .hash = hash, .next = *bucket};
    if (!fill_opcode(reader, opcode)) return NULL;
    *bucket = opcode;
    return opcode;
}

// ---- operands

static bool opcode_has(const Opcode *opcode, unsigned word) {
    for (unsigned i = 0; i < opcode->word_count; i++)
        if (opcode->words[i] == word) return true;
    return false;
}

static bool opcode_has_set(const Opcode *opcode, unsigned set) {
    for (unsigned i = 0; set && i < opcode->word_count; i++)
        if (ptx_word_set((PtxWord)opcode->words[i]) == set - 1) return true;
    return false;
}

static bool opcode_has_vector(const Opcode *opcode) {
    return opcode_has(opcode, PTX_WORD_v2) || opcode_has(opcode, PTX_WORD_v4) || opcode_has(opcode, PTX_WORD_v8);
}

// Predicates and other registers are told apart here, because optional operands differ by that.
static bool register_fits(const PtxReader *reader, const Opcode *opcode, const PtxOperandRule *rule, uint32_t index) {
    const bool predicate = reader->function->registers[index].type == PTX_pred;
    unsigned type = rule->type;
    if (rule->type_of) type = rule->type_of <= opcode->type_count ? opcode->types[rule->type_of - 1] : PTX_b32;
    return type == PTX_TYPE_COUNT || (type == PTX_pred) == predicate;
}

static bool value_fits(const PtxReader *reader, const Opcode *opcode, const PtxOperandRule *rule,
                       const PtxOperand *operand) {
    if (operand->negated && !rule->negatable) return false;
    if (*rule->name == '_') return operand->kind == PTX_SINK;
    switch (operand->kind) {
    case PTX_REGISTER: return rule->pair < 2 && register_fits(reader, opcode, rule, operand->index);
    case PTX_SINK: return rule->result && rule->pair < 2;
    case PTX_PAIR: return rule->pair > 0;
    case PTX_SPECIAL:
    case PTX_INTEGER:
    case PTX_FLOAT32:
    case PTX_FLOAT64:
    case PTX_VARIABLE:
    case PTX_FUNCTION: return !rule->result;
    default: return false;
    }
}

static bool kind_fits(const PtxReader *reader, const Opcode *opcode, const PtxOperandRule *rule,
                      const PtxOperand *operand) {
    switch (rule->kind) {
    case PTX_RULE_VALUE: return value_fits(reader, opcode, rule, operand);
    case PTX_RULE_LIST: return operand->kind == PTX_LIST || (operand->kind == PTX_REGISTER && !rule->or_next);
    case PTX_RULE_VECTOR:
        if (opcode_has_vector(opcode)) return operand->kind == PTX_LIST;
        if (operand->kind == PTX_LIST && operand->count == 1) operand = operand->items;
        return value_fits(reader, opcode, rule, operand);
    case PTX_RULE_ADDRESS: return operand->kind == PTX_ADDRESS && (operand->count > 1) == rule->tensor;
    case PTX_RULE_NUMBER: return operand->kind == PTX_INTEGER;
    case PTX_RULE_LABEL: return operand->kind == PTX_LABEL;
    case PTX_RULE_TABLE: return operand->kind == PTX_TABLE;
    case PTX_RULE_TEXT: return operand->kind == PTX_TEXT;
    default: return false;
    }
}

// A list of one and its item are written for each other: the form says which it is.
static PtxOperand shaped(PtxReader *reader, const Opcode *opcode, const PtxOperandRule *rule, PtxOperand operand) {
    if (rule->kind == PTX_RULE_VECTOR && operand.kind == PTX_LIST && !opcode_has_vector(opcode)) return *operand.items;
    if (rule->kind != PTX_RULE_LIST || operand.kind != PTX_REGISTER) return operand;
    PtxOperand list = {.kind = PTX_LIST, .count = 1, .items = arena_new(reader->arena, PtxOperand)};
    *list.items = operand;
    return list;
}

typedef struct Fit {
    PtxReader *reader;
    const Opcode *opcode;
    const PtxForm *form;
    const PtxOperand *operands;
    unsigned count, furthest; // furthest: operands that fitted
    PtxOperand *fitted;       // in the order of the form
} Fit;

// Rules from number `rule` on, and operands from `operand` on; `slot` is the number of the next operand of the form.
static bool fit_from(Fit *fit, unsigned rule, unsigned operand, unsigned slot) {
    if (operand > fit->furthest) fit->furthest = operand;
    if (rule == fit->form->rule_count) return operand == fit->count;
    const PtxOperandRule *rules = &fit->form->rules[rule];
    unsigned next = rule;
    bool fits = false;
    do
        fits |= operand < fit->count &&
                kind_fits(fit->reader, fit->opcode, &fit->form->rules[next], &fit->operands[operand]);
    while (fit->form->rules[next++].or_next);
    const bool conditional = rules->if_word != PTX_WORD_NONE || rules->if_set;
    const bool there =
        !conditional || opcode_has(fit->opcode, rules->if_word) || opcode_has_set(fit->opcode, rules->if_set);
    if (fits && there) {
        fit->fitted[slot] = shaped(fit->reader, fit->opcode, rules, fit->operands[operand]);
        if (fit_from(fit, next, operand + 1, slot + 1)) return true;
    }
    if (!rules->optional && !(conditional && !there)) return false;
    fit->fitted[slot] = (PtxOperand){.kind = PTX_NONE};
    return fit_from(fit, next, operand, slot + 1);
}

static bool refuse_operands(PtxReader *reader, const Opcode *opcode, unsigned furthest, unsigned count) {
    const PtxForm *form = &ptx_op_info((PtxOp)opcode->forms[0].op)->forms[opcode->forms[0].form];
    if (furthest < count)
        return reader_fail(reader, E_VERIFY, "operand %u of '%.*s' does not fit: its operands are %s", furthest + 1,
                           NAME_SHOWN(opcode->text), *form->operands ? form->operands : "none");
    return reader_fail(reader, E_VERIFY, "'%.*s' has too few operands: they are %s", NAME_SHOWN(opcode->text),
                       form->operands);
}

bool reader_fit_operands(PtxReader *reader, const Opcode *opcode, const PtxOperand *operands, unsigned count,
                         PtxInstruction *instruction) {
    PtxOperand fitted[PTX_OPERANDS_MAX];
    unsigned furthest = 0;
    for (unsigned i = 0; i < opcode->form_count; i++) {
        const PtxForm *form = &ptx_op_info((PtxOp)opcode->forms[i].op)->forms[opcode->forms[i].form];
        const bool any = form->rule_count == 1 && form->rules[0].kind == PTX_RULE_ANY;
        const bool call = form->rule_count == 1 && form->rules[0].kind == PTX_RULE_CALL;
        Fit fit = {reader, opcode, form, operands, count, 0, fitted};
        if (!any && !call && !fit_from(&fit, 0, 0, 0)) {
            if (fit.furthest > furthest) furthest = fit.furthest;
            continue;
        }
        const unsigned wanted = any || call ? count : form->operand_count;
        instruction->op = (PtxOp)opcode->forms[i].op;
        instruction->form = opcode->forms[i].form;
        instruction->operand_count = (uint8_t)wanted;
        instruction->operands = arena_array(reader->arena, PtxOperand, wanted);
        if (wanted) memcpy(instruction->operands, any || call ? operands : fitted, wanted * sizeof *operands);
        return true;
    }
    return refuse_operands(reader, opcode, furthest, count);
}
