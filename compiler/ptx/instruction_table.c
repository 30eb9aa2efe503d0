// SPDX-License-Identifier: Apache-2.0
// The tables: instructions.def parsed at first use, words, types, special registers, and what an instruction can be
// asked by them.
#include "compiler/ptx/reader.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- types, words, special registers

static const PtxTypeInfo type_rows[PTX_TYPE_COUNT] = {
#define TYPE(name, bits, kind, format, elements) {#name, bits, PTX_##kind, FPSAN_##format, elements},
#include "compiler/ptx/types.def"
#undef TYPE
};

const PtxTypeInfo *ptx_type_info(PtxType type) {
    return &type_rows[type];
}

typedef struct WordRow {
    const char *text;
    uint8_t set, since;
    const char *target;
} WordRow;
static const WordRow word_rows[PTX_WORD_COUNT] = {
    [PTX_WORD_NONE] = {"", PTX_SET_none, 0, ""},
#define MODIFIER(id, text, set, since, target) [PTX_WORD_##id] = {text, PTX_SET_##set, since, target},
#include "compiler/ptx/modifiers.def"
#undef MODIFIER
};
static const uint16_t word_of_type[PTX_TYPE_COUNT] = {
#define TYPE(name, ...) PTX_WORD_##name,
#include "compiler/ptx/types.def"
#undef TYPE
};

static const char *const set_names[PTX_SET_COUNT] = {
#define SET(id) #id,
#include "compiler/ptx/sets.def"
#undef SET
};
static const struct {
    const char *name, *words;
} group_rows[] = {
#define GROUP(name, words) {#name, words},
#include "compiler/ptx/groups.def"
#undef GROUP
};

static const PtxSpecialInfo special_rows[PTX_SPECIAL_COUNT] = {
#define SPECIAL(id, text, type, since, target) {text, PTX_##type, since, target},
#include "compiler/ptx/specials.def"
#undef SPECIAL
};

const PtxSpecialInfo *ptx_special_info(PtxSpecial special) {
    return &special_rows[special];
}

const char *ptx_word_text(PtxWord word) {
    return word_rows[word].text;
}

PtxSet ptx_word_set(PtxWord word) {
    return (PtxSet)word_rows[word].set;
}

unsigned ptx_word_since(PtxWord word) {
    return word_rows[word].since;
}

const char *ptx_word_target(PtxWord word) {
    return word_rows[word].target;
}

// ---- the rows of instructions.def

typedef struct FormRow {
    PtxOp op;
    const char *modifiers, *operands;
    unsigned since;
    const char *target;
} FormRow;
static const FormRow form_rows[] = {
#define INSTRUCTION(id, name, class, ...) {PTX_OP_##id, __VA_ARGS__},
#define FORM(id, ...)                     {PTX_OP_##id, __VA_ARGS__},
#include "compiler/ptx/instructions.def"
#undef INSTRUCTION
#undef FORM
};
static const struct {
    const char *id, *name;
    PtxClass class;
} op_rows[PTX_OP_COUNT] = {
#define INSTRUCTION(id, name, class, ...) {#id, name, PTX_CLASS_##class},
#include "compiler/ptx/instructions.def"
#undef INSTRUCTION
};

// ---- the table, constant once fill_table has run

enum { FORM_COUNT = BASE_COUNT(form_rows), SLOTS_MAX = 8 * FORM_COUNT, RULES_MAX = 6 * FORM_COUNT };
static struct {
    PtxOpInfo infos[PTX_OP_COUNT];
    PtxForm forms[FORM_COUNT];
    struct PtxSlot slots[SLOTS_MAX];
    PtxOperandRule rules[RULES_MAX];
    size_t slot_count, rule_count;
    uint16_t by_text[PTX_WORD_COUNT]; // words in the order of their texts
    uint8_t types[PTX_WORD_COUNT];    // of words that are types
} table;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

typedef struct Part { // of a row's text
    const char *at, *end;
} Part;

static Part next_part(const char **text, const char *stops) {
    const char *at = *text + strspn(*text, " ");
    const char *end = at + strcspn(at, stops);
    *text = end;
    return (Part){at, end};
}

static bool part_is(Part part, const char *text) {
    const size_t length = (size_t)(part.end - part.at);
    return strlen(text) == length && !memcmp(text, part.at, length);
}

static bool take(Part *part, char c) {
    if (part->at == part->end || *part->at != c) return false;
    part->at++;
    return true;
}

static bool take_last(Part *part, char c) {
    if (part->at == part->end || part->end[-1] != c) return false;
    part->end--;
    return true;
}

static Part take_until(Part *part, const char *stops) {
    Part taken = *part;
    while (part->at < part->end && !strchr(stops, *part->at)) part->at++;
    taken.end = part->at;
    return taken;
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(word_rows[*(const uint16_t *)a].text, word_rows[*(const uint16_t *)b].text);
}

static void fill_words(void) {
    for (unsigned i = 0; i < PTX_WORD_COUNT; i++) {
        table.by_text[i] = (uint16_t)i;
        table.types[i] = PTX_TYPE_COUNT;
    }
    qsort(table.by_text, PTX_WORD_COUNT, sizeof *table.by_text, compare_texts);
    for (unsigned type = 0; type < PTX_TYPE_COUNT; type++) table.types[word_of_type[type]] = (uint8_t)type;
}

static PtxWord find_word(const char *text, size_t length) {
    size_t low = 0, high = PTX_WORD_COUNT;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const char *other = word_rows[table.by_text[middle]].text;
        int order = strncmp(other, text, length);
        if (!order && other[length]) order = 1;
        if (!order) return (PtxWord)table.by_text[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return PTX_WORD_NONE;
}

// ---- slots

static void add_word(struct PtxSlot *slot, PtxWord word) {
    slot->words[word / 64] |= UINT64_C(1) << word % 64;
    slot->types |= word_rows[word].set == PTX_SET_type;
}

static void add_alternative(struct PtxSlot *slot, Part part) {
    const PtxWord word = find_word(part.at, (size_t)(part.end - part.at));
    if (word != PTX_WORD_NONE) {
        add_word(slot, word);
        return;
    }
    for (unsigned set = 0; set < PTX_SET_COUNT; set++) {
        if (!part_is(part, set_names[set])) continue;
        for (unsigned w = 1; w < PTX_WORD_COUNT; w++)
            if (word_rows[w].set == set) add_word(slot, (PtxWord)w);
        return;
    }
    for (size_t g = 0; g < BASE_COUNT(group_rows); g++) {
        if (!part_is(part, group_rows[g].name)) continue;
        for (const char *words = group_rows[g].words; *words; words += *words == '|')
            add_alternative(slot, next_part(&words, "|"));
        return;
    }
    assert(!"a row names a word that there is not");
}

static void fill_slots(PtxForm *form) {
    const char *text = form->modifiers;
    form->slots = &table.slots[table.slot_count];
    while (*text) {
        Part part = next_part(&text, " ");
        assert(table.slot_count < SLOTS_MAX && form->slot_count < PTX_SLOTS_MAX);
        struct PtxSlot *slot = &table.slots[table.slot_count++];
        form->slot_count++;
        slot->with_previous = take_last(&part, '*');
        slot->optional = take_last(&part, '?') || slot->with_previous;
        for (;;) {
            add_alternative(slot, take_until(&part, "|@"));
            if (take(&part, '@')) slot->since = (unsigned)strtoul(take_until(&part, "|").at, NULL, 10);
            if (!take(&part, '|')) break;
        }
    }
}

// ---- operands

static void name_rule(PtxOperandRule *rule, Part name) {
    const size_t length = (size_t)(name.end - name.at);
    assert(length && length < sizeof rule->name);
    memcpy(rule->name, name.at, length);
}

static void read_type(PtxOperandRule *rule, Part *part) {
    rule->type_of = 1;
    rule->type = PTX_TYPE_COUNT;
    if (!take(part, '=')) return;
    Part type = take_until(part, "+|}");
    rule->type_of = 0;
    if (part_is(type, "w"))
        rule->type_of = PTX_WIDE;
    else if (*type.at >= '0' && *type.at <= '9')
        rule->type_of = (uint8_t)(*type.at - '0');
    else if (!part_is(type, "*"))
        rule->type = table.types[find_word(type.at, (size_t)(type.end - type.at))];
    rule->wider = take(part, '+');
}

static void read_pair(PtxOperandRule *rule, Part *part) {
    while (take(part, '|')) rule->pair++;
    if (rule->pair) take_until(part, "");
}

static void read_kind(PtxOperandRule *rule, Part *part) {
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {{"label", PTX_RULE_LABEL},
                 {"table", PTX_RULE_TABLE},
                 {"call", PTX_RULE_CALL},
                 {"text", PTX_RULE_TEXT},
                 {"any", PTX_RULE_ANY}};
    const Part name = take_until(part, "");
    for (size_t i = 0; i < BASE_COUNT(kinds); i++)
        if (part_is(name, kinds[i].name)) rule->kind = kinds[i].kind;
    assert(rule->kind != PTX_RULE_VALUE);
    name_rule(rule, name);
}

static void read_range(PtxOperandRule *rule, Part *part) {
    rule->kind = PTX_RULE_NUMBER;
    rule->low = INT32_MIN;
    rule->high = INT32_MAX;
    name_rule(rule, take_until(part, ":"));
    if (!take(part, ':')) return;
    rule->low = (int32_t)strtol(take_until(part, ":").at, NULL, 10);
    take(part, ':');
    rule->high = (int32_t)strtol(take_until(part, "").at, NULL, 10);
}

static void read_rule(PtxOperandRule *rule, Part part) {
    if (take(&part, '%')) {
        read_kind(rule, &part);
    } else if (take(&part, '#')) {
        read_range(rule, &part);
    } else if (take(&part, '[')) {
        rule->kind = PTX_RULE_ADDRESS;
        name_rule(rule, take_until(&part, ",]"));
        rule->tensor = take(&part, ',');
    } else {
        rule->kind = take(&part, '{') ? PTX_RULE_VECTOR : PTX_RULE_VALUE;
        if (*part.at >= 'A' && *part.at <= 'Z') rule->kind = PTX_RULE_LIST;
        name_rule(rule, take_until(&part, "=|}"));
        rule->result = strchr("dDE_", *rule->name) != NULL;
        read_type(rule, &part);
        read_pair(rule, &part);
    }
}

// ~WORD or ~SET at the end of an operand.
static PtxOperandRule take_condition(Part *part) {
    PtxOperandRule rule = {.if_word = PTX_WORD_NONE};
    Part condition = *part;
    take_until(&condition, "~");
    if (!take(&condition, '~')) return rule;
    part->end = condition.at - 1;
    rule.if_word = (uint16_t)find_word(condition.at, (size_t)(condition.end - condition.at));
    for (unsigned set = 0; set < PTX_SET_COUNT; set++)
        if (part_is(condition, set_names[set])) rule.if_set = (uint16_t)(set + 1);
    assert(rule.if_word != PTX_WORD_NONE || rule.if_set);
    return rule;
}

static void fill_rules(PtxForm *form) {
    const char *text = form->operands;
    form->rules = &table.rules[table.rule_count];
    while (*text) {
        Part part = next_part(&text, " ");
        const PtxOperandRule condition = take_condition(&part);
        const bool optional = take_last(&part, '?');
        do {
            assert(table.rule_count < RULES_MAX);
            PtxOperandRule *rule = &table.rules[table.rule_count++];
            form->rule_count++;
            rule->optional = optional;
            rule->if_word = condition.if_word;
            rule->if_set = condition.if_set;
            rule->negatable = take(&part, '!');
            read_rule(rule, take_until(&part, "/"));
            rule->or_next = take(&part, '/');
            if (!rule->or_next) form->operand_count++;
        } while (part.at < part.end);
    }
    assert(form->operand_count <= PTX_OPERANDS_MAX);
}

static void fill_table(void) {
    fill_words();
    for (size_t f = 0; f < FORM_COUNT; f++) {
        const FormRow *row = &form_rows[f];
        PtxOpInfo *info = &table.infos[row->op];
        PtxForm *form = &table.forms[f];
        *form = (PtxForm){
            .modifiers = row->modifiers, .operands = row->operands, .target = row->target, .since = row->since};
        if (!info->form_count++) {
            info->id = op_rows[row->op].id;
            info->name = op_rows[row->op].name;
            info->class = op_rows[row->op].class;
            info->forms = form;
        }
        assert(form == info->forms + info->form_count - 1 && "forms stand behind their instruction");
        fill_slots(form);
        fill_rules(form);
    }
}

const PtxOpInfo *ptx_op_info(PtxOp op) {
    pthread_once(&table_once, fill_table);
    return &table.infos[op];
}

PtxWord ptx_find_word(const char *text, size_t length) {
    pthread_once(&table_once, fill_table);
    return find_word(text, length);
}

PtxType ptx_word_type(PtxWord word) {
    pthread_once(&table_once, fill_table);
    return (PtxType)table.types[word];
}

// ---- what an instruction says

const char *ptx_op_name(PtxOp op) {
    return op_rows[op].name;
}

PtxWord ptx_find_next(const PtxInstruction *instruction, PtxSet set, unsigned count) {
    for (unsigned i = 0; i < instruction->word_count; i++)
        if (word_rows[instruction->words[i]].set == set && !count--) return (PtxWord)instruction->words[i];
    return PTX_WORD_NONE;
}

PtxWord ptx_find(const PtxInstruction *instruction, PtxSet set) {
    return ptx_find_next(instruction, set, 0);
}

bool ptx_has(const PtxInstruction *instruction, PtxWord word) {
    for (unsigned i = 0; i < instruction->word_count; i++)
        if (instruction->words[i] == word) return true;
    return false;
}

const PtxOperand *ptx_operand(const PtxInstruction *instruction, const char *name) {
    const PtxForm *form = &ptx_op_info(instruction->op)->forms[instruction->form];
    for (unsigned i = 0, operand = 0; i < form->rule_count; i++) {
        if (!strcmp(form->rules[i].name, name) && operand < instruction->operand_count)
            return instruction->operands[operand].kind == PTX_NONE ? NULL : &instruction->operands[operand];
        operand += !form->rules[i].or_next;
    }
    return NULL;
}

const PtxOperandRule *ptx_operand_rule(const PtxInstruction *instruction, unsigned operand) {
    const PtxForm *form = &ptx_op_info(instruction->op)->forms[instruction->form];
    if (form->rule_count == 1 && (form->rules->kind == PTX_RULE_CALL || form->rules->kind == PTX_RULE_ANY)) return NULL;
    for (unsigned i = 0; i < form->rule_count; i++) {
        if (!operand) return &form->rules[i];
        while (form->rules[i].or_next) i++;
        operand--;
    }
    return NULL;
}

bool ptx_writes(const PtxInstruction *instruction, unsigned operand) {
    const PtxOperandRule *rule = ptx_operand_rule(instruction, operand);
    if (rule) return rule->result;
    return !operand && (instruction->op == PTX_OP_call || instruction->operands[0].kind == PTX_LIST);
}

PtxSpace ptx_space(const PtxInstruction *instruction, unsigned count) {
    switch (ptx_find_next(instruction, PTX_SET_space, count)) {
    case PTX_WORD_global: return PTX_GLOBAL;
    case PTX_WORD_shared:
    case PTX_WORD_shared_cta: return PTX_SHARED;
    case PTX_WORD_shared_cluster: return PTX_SHARED_CLUSTER;
    case PTX_WORD_local: return PTX_LOCAL;
    case PTX_WORD_const: return PTX_CONSTANT;
    case PTX_WORD_param:
    case PTX_WORD_param_entry:
    case PTX_WORD_param_func: return PTX_PARAMETER;
    default: return PTX_GENERIC;
    }
}

const char *ptx_spelling(Arena *arena, const PtxInstruction *instruction) {
    char text[64 + 40 * PTX_WORDS_MAX];
    size_t size = 0;
    const char *part = ptx_op_name(instruction->op);
    for (unsigned i = 0;; i++) {
        const size_t length = strlen(part);
        memcpy(text + size, part, length);
        size += length;
        if (i == instruction->word_count) break;
        text[size++] = '.';
        part = word_rows[instruction->words[i]].text;
    }
    return arena_text(arena, text, size);
}

Location ptx_location(const PtxModule *module, PtxPlace place) {
    if (place.file && place.source_line) // line 0: code that is of no line
        return (Location){
            .file = module->files[place.file - 1].path, .line = place.source_line, .column = place.source_column};
    return (Location){.file = module->path, .line = place.line};
}
