// SPDX-License-Identifier: Apache-2.0
// Texts of programs: the values that a text names, types in place of $T and $U, alternatives in braces.
#include "tests/ops_table/program_text.h"

#include <string.h>

// ---- names ----------------------------------------------------------------------------------------------------------

static bool continues_name(char letter) {
    return letter == '_' || (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z');
}

// Whether the text uses %name; what it defines itself comes first, as in "%name =".
static bool names_value(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = strchr(text, '%'); at; at = strchr(at + 1, '%'))
        if (!strncmp(at + 1, name, length) && !continues_name(at[1 + length])) return true;
    return false;
}

// Which values the text needs, those that values need included.
static void find_needed(const ProgramValues *values, const char *text, bool *needed) {
    for (size_t v = values->count; v-- > 0;) {
        bool used = names_value(text, values->items[v].name);
        for (size_t later = v + 1; later < values->count; later++)
            used |= needed[later] && names_value(values->items[later].text, values->items[v].name);
        needed[v] = used;
    }
}

static bool has_letter(const char *text, char letter) {
    for (const char *at = text ? strchr(text, '$') : NULL; at; at = strchr(at + 1, '$')) {
        bool of_u = !strncmp(at, "$LIST_OF_U", 10) || (at[1] == 'U' && !continues_name(at[2]));
        bool of_t = !of_u && (!strncmp(at, "$LIST", 5) || !strncmp(at, "$OTHER", 6) || !strncmp(at, "$ONE", 4) ||
                              !strncmp(at, "$ZERO", 5) || !strncmp(at, "$IDENTITY", 9) ||
                              (at[1] == 'T' && !continues_name(at[2])));
        if (letter == 'U' ? of_u : of_t) return true;
    }
    return false;
}

bool program_mentions(const ProgramValues *values, const char *text, const char *sink, char letter) {
    bool needed[PROGRAM_TEXT_VALUES];
    find_needed(values, text, needed);
    bool found = has_letter(text, letter) || has_letter(sink, letter);
    for (size_t v = 0; v < values->count; v++) found |= needed[v] && has_letter(values->items[v].text, letter);
    return found || (letter == 'T' && names_value(text, "p"));
}

// ---- types ----------------------------------------------------------------------------------------------------------

// <T: [..]> of four numbers that every float format has; the second list is another.
static const char *list_of(Arena *arena, int kind, bool other) {
    const char *name = tir_type_rows[kind].name, *numbers = other ? "[2, 1, 1, 3]" : "[1, 2, 3, 1]";
    if (kind == TIR_TYPE_i1) numbers = other ? "[true, true, false, true]" : "[true, false, true, true]";
    if (tir_type_rows[kind].class == TIR_CLASS_FLOAT) numbers = other ? "[2.0, 1.0, 1.0, 0.5]" : "[1.0, 2.0, 0.5, 1.0]";
    return arena_format(arena, "<%s: %s>", name, numbers);
}

static const char *word_of(Arena *arena, const char *word, const int *types) {
    if (!strcmp(word, "T")) return tir_type_rows[types[0]].name;
    if (!strcmp(word, "U")) return tir_type_rows[types[1]].name;
    bool is_float = types[0] >= 0 && tir_type_rows[types[0]].class == TIR_CLASS_FLOAT;
    if (!strcmp(word, "ZERO")) return types[0] == TIR_TYPE_i1 ? "false" : is_float ? "0.0" : "0";
    if (!strcmp(word, "ONE")) return types[0] == TIR_TYPE_i1 ? "true" : is_float ? "1.0" : "1";
    if (!strcmp(word, "IDENTITY"))
        return types[0] == TIR_TYPE_i1
                   ? "true"
                   : arena_format(arena, "%s : %s", is_float ? "1.0" : "1", tir_type_rows[types[0]].name);
    if (!strcmp(word, "LIST_OF_U")) return list_of(arena, types[1], false);
    return list_of(arena, types[0], !strcmp(word, "OTHER"));
}

// The text with its $WORDs replaced.
void program_append_typed(Arena *arena, const char *text, const int *types, Buffer *out) {
    while (*text) {
        if (*text != '$') {
            buffer_append(out, text++, 1);
            continue;
        }
        char word[16] = "";
        size_t length = 0;
        for (text++; length + 1 < sizeof word && (continues_name(*text) && *text < 'a'); text++) word[length++] = *text;
        buffer_print(out, "%s", word_of(arena, word, types));
    }
}

// ---- programs -------------------------------------------------------------------------------------------------------

void program_append_values(const ProgramValues *values, Arena *arena, const char *text, const int *types, Buffer *out) {
    bool needed[PROGRAM_TEXT_VALUES];
    find_needed(values, text, needed);
    for (size_t v = 0; v < values->count; v++)
        if (needed[v]) values->append(arena, &values->items[v], types, out);
}

// The first {x|y} of the text: its braces; blocks in braces have none of these bars.
static bool find_choice(const char *text, const char **open, const char **close) {
    for (*open = strchr(text, '{'); *open; *open = strchr(*open + 1, '{')) {
        *close = strpbrk(*open + 1, "{}");
        const char *bar = strchr(*open, '|');
        if (*close && **close == '}' && bar && bar < *close) return true;
    }
    return false;
}

void program_choices(Arena *arena, const char *text, void (*visit)(void *data, const char *text), void *data) {
    const char *open, *close;
    if (!find_choice(text, &open, &close)) {
        visit(data, text);
        return;
    }
    for (const char *from = open + 1; from <= close;) {
        const char *to = from;
        while (to < close && *to != '|') to++;
        program_choices(arena,
                        arena_format(arena, "%.*s%.*s%s", (int)(open - text), text, (int)(to - from), from, close + 1),
                        visit, data);
        from = to + 1;
    }
}
