// SPDX-License-Identifier: Apache-2.0
// Instructions made from the rows of instructions.def: words from the slots, operands from the rules.
#include "tests/ptx/sample.h"
#include "compiler/ptx/reader.h"
#include "compiler/ptx/verify.h"

#include <stdlib.h>
#include <string.h>

static const PtxForm *form_of(const Sample *sample) {
    return &ptx_op_info(sample->op)->forms[sample->form];
}

unsigned sample_alternatives(const struct PtxSlot *slot) {
    unsigned count = 0;
    for (unsigned word = 0; word < PTX_WORD_COUNT; word++) count += slot->words[word / 64] >> word % 64 & 1;
    return count;
}

static PtxWord alternative(const struct PtxSlot *slot, int choice) {
    for (unsigned word = 0; word < PTX_WORD_COUNT; word++)
        if (slot->words[word / 64] >> word % 64 & 1 && !choice--) return (PtxWord)word;
    return PTX_WORD_NONE;
}

Sample sample_plain(PtxOp op, unsigned form) {
    Sample sample = {.op = op, .form = form};
    for (unsigned i = 0; i < PTX_SLOTS_MAX; i++) sample.choices[i] = -1;
    for (unsigned i = 0; i < form_of(&sample)->slot_count; i++)
        sample.choices[i] = form_of(&sample)->slots[i].optional ? -1 : 0;
    return sample;
}

bool sample_is_possible(PtxOp op, unsigned form) {
    const PtxForm *f = &ptx_op_info(op)->forms[form];
    return !f->rule_count || f->rules[0].kind < PTX_RULE_LABEL || f->rules[0].kind > PTX_RULE_ANY
               ? !(f->rule_count > 1 && f->rules[1].kind == PTX_RULE_TABLE)
               : false;
}

// ---- words

static PtxInstruction instruction_of(const Sample *sample) {
    const PtxForm *form = form_of(sample);
    PtxInstruction instruction = {.op = sample->op, .form = (uint16_t)sample->form};
    for (unsigned i = 0; i < form->slot_count; i++) {
        int choice = sample->choices[i];
        if (form->slots[i].with_previous) choice = sample->choices[i - 1] < 0 ? -1 : choice < 0 ? 0 : choice;
        if (choice < 0) continue;
        const PtxWord word = alternative(&form->slots[i], choice);
        instruction.words[instruction.word_count++] = (uint16_t)word;
        const PtxType type = ptx_word_type(word);
        if (type != PTX_TYPE_COUNT) instruction.types[instruction.type_count++] = (uint8_t)type;
    }
    return instruction;
}

unsigned sample_version(const Sample *sample) {
    const PtxForm *form = form_of(sample);
    unsigned version = form->since;
    for (unsigned i = 0; i < form->slot_count; i++)
        if (sample->choices[i] >= 0) {
            const unsigned word = ptx_word_since(alternative(&form->slots[i], sample->choices[i]));
            if (form->slots[i].since > version) version = form->slots[i].since;
            if (word > version) version = word;
        }
    const PtxTargetInfo *target = sample_target(sample);
    return target->since > version ? target->since : version;
}

const PtxTargetInfo *sample_target(const Sample *sample) {
    const PtxForm *form = form_of(sample);
    const char *text = form->target;
    for (unsigned i = 0; !*text && i < form->slot_count; i++)
        if (sample->choices[i] >= 0) text = ptx_word_target(alternative(&form->slots[i], sample->choices[i]));
    char *end = (char *)text;
    const unsigned sm = *text ? (unsigned)strtoul(text, &end, 10) : 80;
    return ptx_target_info(sm, *end == 'a' || *end == 'f' ? 'a' : 0);
}

// ---- operands

static void print_type_register(PtxType type, unsigned number, Buffer *out) {
    const unsigned bits = type == PTX_TYPE_COUNT ? 32 : ptx_type_info(type)->bits;
    const char *names = bits == 1    ? "p"
                        : bits <= 8  ? "c"
                        : bits == 16 ? "h"
                        : bits == 32 ? "r"
                        : bits == 64 ? "d"
                                     : "q";
    buffer_print(out, "%%%s%u", names, number);
}

static PtxType wide(PtxType type) {
    return ptx_type_info(type)->bits == 16 ? PTX_b32 : PTX_b64;
}

static PtxType type_of_rule(const PtxInstruction *instruction, const PtxOperandRule *rule) {
    if (!rule->type_of) return rule->type == PTX_TYPE_COUNT ? PTX_b64 : (PtxType)rule->type;
    if (rule->type_of == PTX_WIDE) return wide((PtxType)instruction->types[0]);
    return rule->type_of <= instruction->type_count ? (PtxType)instruction->types[rule->type_of - 1] : PTX_b32;
}

static unsigned vector_count(const PtxInstruction *instruction) {
    const PtxWord word = ptx_find(instruction, PTX_SET_vector);
    return word == PTX_WORD_NONE ? 1 : (unsigned)(ptx_word_text(word)[1] - '0');
}

static void print_list(PtxType type, unsigned count, unsigned *next, Buffer *out) {
    buffer_print(out, "{");
    for (unsigned i = 0; i < count; i++) {
        if (i) buffer_print(out, ", ");
        print_type_register(type, ++*next, out);
    }
    buffer_print(out, "}");
}

static void print_number(const PtxOperandRule *rule, Buffer *out) {
    const bool sign = rule->low == -1 && rule->high == 1;
    const int value = sign || !strcmp(rule->name, "half") ? 1
                      : !strcmp(rule->name, "bytes")      ? 16
                      : rule->low == INT32_MIN            ? 0
                                                          : rule->low;
    buffer_print(out, "%d", value);
}

static void print_address(const PtxInstruction *instruction, const PtxOperandRule *rule, unsigned *next, Buffer *out) {
    const bool tensor_memory = ptx_op_info(instruction->op)->class == PTX_CLASS_TENSOR && strcmp(rule->name, "barrier");
    buffer_print(out, "[");
    print_type_register(tensor_memory ? PTX_b32 : PTX_b64, ++*next, out);
    if (rule->tensor) {
        buffer_print(out, ", ");
        print_list(PTX_b32, ptx_coordinate_count(instruction), next, out);
    }
    buffer_print(out, "]");
}

static void print_rule_list(const PtxInstruction *instruction, const PtxOperandRule *rule, unsigned *next,
                            Buffer *out) {
    const PtxListShape shape = ptx_list_shape(instruction, rule->name);
    if (shape.count == PTX_ANY_LIST) { // packing: halves
        const unsigned bits = ptx_type_info((PtxType)instruction->types[0])->bits / 2;
        print_list(bits == 64 ? PTX_b64 : bits == 32 ? PTX_b32 : bits == 16 ? PTX_b16 : PTX_b8, 2, next, out);
    } else {
        print_list(shape.type, shape.count == PTX_NO_LIST ? 1 : shape.count, next, out);
    }
}

static void print_rule(const PtxInstruction *instruction, const PtxOperandRule *rule, unsigned *next, Buffer *out) {
    const PtxType type = type_of_rule(instruction, rule);
    switch (rule->kind) {
    case PTX_RULE_VECTOR:
        if (vector_count(instruction) > 1) {
            print_list(type, vector_count(instruction), next, out);
            return;
        }
        print_type_register(type, ++*next, out);
        return;
    case PTX_RULE_LIST: print_rule_list(instruction, rule, next, out); return;
    case PTX_RULE_ADDRESS: print_address(instruction, rule, next, out); return;
    case PTX_RULE_NUMBER: print_number(rule, out); return;
    default:
        if (*rule->name == '_') {
            buffer_print(out, "_");
            return;
        }
        print_type_register(type, ++*next, out);
        if (rule->pair > 1) buffer_print(out, "|%%p0");
        return;
    }
}

static bool is_there(const PtxInstruction *instruction, const PtxOperandRule *rule, bool optional) {
    if (rule->if_word != PTX_WORD_NONE) return ptx_has(instruction, (PtxWord)rule->if_word);
    if (rule->if_set) return ptx_find(instruction, (PtxSet)(rule->if_set - 1)) != PTX_WORD_NONE;
    if (!rule->optional) return true;
    if (rule->kind == PTX_RULE_LIST && ptx_list_shape(instruction, rule->name).count == PTX_NO_LIST) return false;
    // Offsets of im2col are there with it only.
    const bool offsets = !strcmp(rule->name, "O");
    return optional || offsets;
}

void sample_print_instruction(const Sample *sample, Buffer *out) {
    const PtxForm *form = form_of(sample);
    const PtxInstruction instruction = instruction_of(sample);
    const char *separator = " ";
    unsigned next = 0;
    buffer_print(out, "%s", ptx_op_name(sample->op));
    for (unsigned i = 0; i < instruction.word_count; i++)
        buffer_print(out, ".%s", ptx_word_text((PtxWord)instruction.words[i]));
    for (unsigned i = 0; i < form->rule_count; i++) {
        const PtxOperandRule *rule = &form->rules[i];
        const bool there = is_there(&instruction, rule, sample->optional);
        if (sample->second && rule->or_next) rule++;
        if (there) {
            buffer_print(out, "%s", separator);
            print_rule(&instruction, rule, &next, out);
            separator = ", ";
        }
        while (form->rules[i].or_next) i++;
    }
    buffer_print(out, ";");
}

void sample_print(const Sample *sample, unsigned version, const PtxTargetInfo *target, Buffer *out) {
    const char suffix[2] = {target->suffix, 0};
    buffer_print(out, ".version %u.%u\n.target sm_%u%s\n.address_size 64\n", version / 10, version % 10, target->sm,
                 suffix);
    buffer_print(out, ".visible .entry sample()\n{\n");
    buffer_print(out, ".reg .pred %%p<600>;\n.reg .b16 %%h<600>;\n.reg .b32 %%r<600>;\n.reg .b64 %%d<600>;\n");
    if (version >= 83) buffer_print(out, ".reg .b128 %%q<20>;\n");
    buffer_print(out, ".reg .b8 %%c<20>;\n");
    // Products that run later need it before them.
    if (!strncmp(ptx_op_name(sample->op), "wgmma.mma_async", 15)) buffer_print(out, "wgmma.fence.sync.aligned;\n");
    sample_print_instruction(sample, out);
    buffer_print(out, "\nret;\n}\n");
}
