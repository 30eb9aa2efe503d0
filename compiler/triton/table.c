// SPDX-License-Identifier: Apache-2.0
// The rows of ops.def with their columns parsed, and attributes.def.
#include "compiler/triton/reader.h"

#include <assert.h>
#include <stdlib.h>

#define TRI_WORD(enumeration, word, number) {#word, number},
#define TRI_ENUM(name, words)               static const TriWord words_##name[] = {words};
#include "compiler/triton/attributes.def"
#undef TRI_WORD
static const TriEnum enums[] = {
#define TRI_ENUM(name, words) {#name, BASE_COUNT(words_##name), words_##name},
#include "compiler/triton/attributes.def"
};
static const char *const hints[] = {
#define TRI_HINT(name) #name,
#include "compiler/triton/attributes.def"
};
static const struct {
    const char *name;
    TriAttributeKind kind;
} kinds[] = {{"int", TRI_INT},       {"natural", TRI_NATURAL}, {"positive", TRI_POSITIVE}, {"bool", TRI_BOOL},
             {"flag", TRI_FLAG},     {"string", TRI_STRING},   {"ints", TRI_INTS},         {"constant", TRI_CONSTANT},
             {"symbol", TRI_SYMBOL}, {"opaque", TRI_OPAQUE},   {"hint", TRI_HINT_KIND}};

// Loops say it of their carried values: tt.divisibility_arg1.
bool tri_is_hint(const char *name) {
    const char *argument = strstr(name, "_arg");
    const size_t length = argument && strspn(argument + 4, "0123456789") == strlen(argument + 4)
                              ? (size_t)(argument - name)
                              : strlen(name);
    for (size_t i = 0; i < BASE_COUNT(hints); i++)
        if (strlen(hints[i]) == length && !memcmp(hints[i], name, length)) return true;
    return false;
}

// The next word of a column; false at its end.
static bool take_word(const char **at, char *word, size_t size) {
    while (**at == ' ') ++*at;
    size_t length = strcspn(*at, " ");
    if (length >= size) abort(); // a row that nobody could have tested
    memcpy(word, *at, length);
    word[length] = 0;
    *at += length;
    return length;
}

static TirArity take_arity(char *word) {
    const TirArity arity = *word == '?' ? TIR_OPTIONAL : *word == '*' ? TIR_VARIADIC : TIR_ONE;
    if (arity != TIR_ONE) memmove(word, word + 1, strlen(word));
    return arity;
}

// The type behind a colon, which is cut off.
static const struct {
    const char *word, *text;
    TriConstraint constraint;
    TirTypeKind kind;
} types[] = {{"memory", "memory", TRI_A_MEMORY, 0},
             {"token", "a token", TRI_A_TOKEN, 0},
             {"tensor", "a tensor", TRI_A_TENSOR, 0},
             {"descriptor", "a descriptor", TRI_A_DESCRIPTOR, 0},
             {"i128", "i128", TRI_A_WIDE, 0},
             {"i1", "i1", TRI_A_SCALAR, TIR_TYPE_i1},
             {"i16", "i16", TRI_A_SCALAR, TIR_TYPE_i16},
             {"i32", "i32", TRI_A_SCALAR, TIR_TYPE_i32},
             {"i64", "i64", TRI_A_SCALAR, TIR_TYPE_i64}};

static void take_constraint(char *word, TriNamed *named) {
    char *colon = strchr(word, ':');
    if (!colon) return;
    *colon = 0;
    size_t i = 0;
    while (i < BASE_COUNT(types) && strcmp(types[i].word, colon + 1) != 0) i++;
    if (i == BASE_COUNT(types)) abort(); // a row that nobody could have tested
    named->constraint = types[i].constraint;
    named->kind = types[i].kind;
}

const char *tri_constraint_text(const TriNamed *named) {
    for (size_t i = 0; i < BASE_COUNT(types); i++)
        if (types[i].constraint == named->constraint && types[i].kind == named->kind) return types[i].text;
    return "anything";
}

static void copy_name(char *to, size_t size, const char *from) {
    if (strlen(from) >= size) abort();
    strcpy(to, from);
}

static void parse_attribute_column(TriOpInfo *info, char *word) {
    TriAttributeInfo *attribute = &info->attributes[info->attribute_count++];
    assert(info->attribute_count <= TRI_ATTRIBUTES_MAX);
    attribute->optional = take_arity(word) == TIR_OPTIONAL;
    char *colon = strchr(word, ':');
    *colon = 0;
    copy_name(attribute->name, sizeof attribute->name, word);
    char marked[32] = "#";
    strcat(marked, word);
    attribute->in_form = strstr(info->row->text, marked);
    attribute->kind = TRI_ENUMERATION;
    for (size_t i = 0; i < BASE_COUNT(kinds); i++)
        if (!strcmp(kinds[i].name, colon + 1)) attribute->kind = kinds[i].kind;
    for (size_t i = 0; i < BASE_COUNT(enums); i++)
        if (!strcmp(enums[i].name, colon + 1)) attribute->enumeration = &enums[i];
    assert(attribute->kind != TRI_ENUMERATION || attribute->enumeration);
}

// Ops whose operands and results may be memory objects and tokens.
static bool takes_objects(const char *name) {
    static const char *const dialects[] = {"ttg.",    "ttng.",     "scf.",         "cf.",
                                           "tt.call", "tt.return", "arith.select", "ub."};
    for (size_t i = 0; i < BASE_COUNT(dialects); i++)
        if (!strncmp(name, dialects[i], strlen(dialects[i]))) return true;
    return false;
}

static void parse_row(const TriRow *row, TriOpInfo *info) {
    char word[64];
    info->row = row;
    info->name = row->name;
    info->objects = takes_objects(row->name);
    for (const char *at = row->operands; take_word(&at, word, sizeof word);) {
        TriNamed *operand = &info->operands[info->operand_count++];
        assert(info->operand_count <= TRI_OPERANDS_MAX);
        operand->arity = take_arity(word);
        take_constraint(word, operand);
        copy_name(operand->name, sizeof operand->name, word);
    }
    for (const char *at = row->attributes; take_word(&at, word, sizeof word);) parse_attribute_column(info, word);
    for (const char *at = row->results; take_word(&at, word, sizeof word);) {
        TriNamed *result = &info->results[info->result_count++];
        assert(info->result_count <= TRI_RESULTS_MAX);
        result->arity = take_arity(word);
        info->variadic_results |= result->arity == TIR_VARIADIC;
        const size_t length = strcspn(word, "=!>.&");
        if (word[length]) {
            result->rule = word[length];
            copy_name(result->of, sizeof result->of, word + length + 1);
            word[length] = 0;
        }
        take_constraint(word, result);
        copy_name(result->name, sizeof result->name, word);
    }
}

const TriOpInfo *tri_parse_rows(Arena *arena) {
    TriOpInfo *infos = arena_array(arena, TriOpInfo, tri_row_count);
    for (size_t i = 0; i < tri_row_count; i++) parse_row(&tri_rows[i], &infos[i]);
    return infos;
}
