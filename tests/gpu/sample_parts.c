// SPDX-License-Identifier: Apache-2.0
// What an instruction has: words, operands, the type of its result.
#include "tests/gpu/samples.h"

#include <ctype.h>
#include <string.h>

bool has_word(const Taken *taken, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = taken->opcode; (at = strchr(at, '.')); at++)
        if (!strncmp(at + 1, word, length) && (!at[length + 1] || at[length + 1] == '.')) return true;
    return false;
}

static void take_results(Taken *taken) {
    if (!taken->form->rules[0].result) return;
    for (const char *at = taken->operands[0].text; (at = strchr(at, '%')); at++) {
        char name[8];
        size_t length = 1;
        while (isalnum((unsigned char)at[length]) && length < sizeof name - 1) length++;
        memcpy(name, at, length);
        name[length] = 0;
        if (!strcmp(name, "%p0"))
            taken->has_predicate = true;
        else if (taken->result_count < REGISTERS)
            strcpy(taken->results[taken->result_count++], name);
    }
}

bool take_apart(const Sample *sample, const char *text, Taken *taken) {
    const char *at = strchr(text, ' ');
    unsigned depth = 0;
    size_t length = 0;
    *taken = (Taken){.info = ptx_op_info(sample->op), .form = &ptx_op_info(sample->op)->forms[sample->form]};
    if (!at || (size_t)(at - text) >= sizeof taken->opcode) return false;
    memcpy(taken->opcode, text, (size_t)(at - text));
    for (at++; *at; at++) {
        Operand *operand = &taken->operands[taken->count];
        if (taken->count == OPERANDS || length + 1 == sizeof operand->text) return false;
        depth += *at == '{';
        depth -= *at == '}';
        const bool end = *at == ';' || (*at == ',' && !depth);
        if (!end && (length || *at != ' ')) operand->text[length++] = *at;
        if (!end) continue;
        length = 0;
        taken->count++;
    }
    for (unsigned i = 0; taken->count == taken->form->rule_count && i < taken->count; i++)
        taken->operands[i].rule = &taken->form->rules[i];
    take_results(taken);
    return true;
}

bool is_named(const Operand *operand, const char *name) {
    return operand->rule && !strcmp(operand->rule->name, name);
}

bool is_wgmma(const Taken *taken) {
    return !strncmp(taken->info->id, "wgmma", 5);
}

bool has_memory(const Taken *taken) {
    for (unsigned i = 0; i < taken->count; i++)
        if (*taken->operands[i].text == '[') return true;
    return false;
}

bool has_shared(const Taken *taken) {
    return has_memory(taken) && (taken->info->class == PTX_CLASS_MATRIX || strstr(taken->opcode, ".shared"));
}

bool is_approximate(const Taken *taken) {
    return has_word(taken, "approx") || has_word(taken, "full");
}

// ---- the type of the result -----------------------------------------------------------------------------------------

const char *first_type(const Taken *taken) {
    static const char *const floats[] = {"f16x2", "bf16x2", "f16", "bf16", "f32", "f64", "tf32"};
    const char *at = taken->opcode;
    while ((at = strchr(at, '.'))) {
        at++;
        for (unsigned t = 0; t < PTX_TYPE_COUNT; t++) {
            const char *name = ptx_type_info((PtxType)t)->name;
            const size_t length = strlen(name);
            if (strncmp(at, name, length) || (at[length] && at[length] != '.')) continue;
            for (size_t i = 0; i < BASE_COUNT(floats); i++)
                if (!strcmp(floats[i], name)) return floats[i];
            return "";
        }
    }
    return "";
}

Result result_of(const Taken *taken) {
    const char *type = first_type(taken);
    const char letter = taken->result_count ? taken->results[0][1] : 'r';
    const bool half = !strncmp(type, "f16", 3), bhalf = !strncmp(type, "bf16", 4);
    switch (letter) {
    case 'p': return (Result){"i32", 32, 'p'};
    case 'c': return (Result){"i8", 8, 'c'};
    case 'h': return (Result){half ? "f16" : bhalf ? "bf16" : "i16", 16, 'h'};
    case 'd': return (Result){!strcmp(type, "f64") ? "f64" : "i64", 64, 'd'};
    default: return (Result){half ? "f16" : bhalf ? "bf16" : strstr(type, "f32") ? "f32" : "i32", 32, 'r'};
    }
}
