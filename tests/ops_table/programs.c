// SPDX-License-Identifier: Apache-2.0
// From a row of rows.def to programs: alternatives, types, the tiles it uses.
#include "tests/ops_table/ops_table.h"

#include <string.h>

static const struct Value {
    const char *name, *text;
} values[] = {
#define VALUE(name, text) {#name, text},
#include "tests/ops_table/prelude.def"
#undef VALUE
};

// ---- names
// ----------------------------------------------------------------------------------------------------------

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
static void find_needed(const char *text, bool *needed) {
    for (size_t v = BASE_COUNT(values); v-- > 0;) {
        bool used = names_value(text, values[v].name);
        for (size_t later = v + 1; later < BASE_COUNT(values); later++)
            used |= needed[later] && names_value(values[later].text, values[v].name);
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

bool program_mentions(const char *text, const char *sink, char letter) {
    bool needed[BASE_COUNT(values)];
    find_needed(text, needed);
    bool found = has_letter(text, letter) || has_letter(sink, letter);
    for (size_t v = 0; v < BASE_COUNT(values); v++) found |= needed[v] && has_letter(values[v].text, letter);
    return found || (letter == 'T' && names_value(text, "p"));
}

// ---- types
// ----------------------------------------------------------------------------------------------------------

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

static void append_text(Buffer *out, const char *text) {
    buffer_append(out, text, strlen(text));
}

// The text with its $WORDs replaced.
static void append_typed(Arena *arena, const char *text, const int *types, Buffer *out) {
    while (*text) {
        if (*text != '$') {
            buffer_append(out, text++, 1);
            continue;
        }
        char word[16] = "";
        size_t length = 0;
        for (text++; length + 1 < sizeof word && (continues_name(*text) && *text < 'a'); text++) word[length++] = *text;
        append_text(out, word_of(arena, word, types));
    }
}

// i4 has no constants.
static void append_value(Arena *arena, const struct Value *value, const int *types, Buffer *out) {
    int kind = !strcmp(value->name, "u") ? types[1] : types[0];
    bool constant = strlen(value->name) == 1 && strchr("abu", *value->name);
    if (constant && kind == TIR_TYPE_i4)
        buffer_print(out,
                     "%%%s8 = constant <i8: [%d, 21]> : tile<2xi8>\n%%%s = unpack %%%s8 : tile<2xi8> -> tile<4xi4>\n",
                     value->name, *value->name == 'b' ? 18 : 33, value->name, value->name);
    else {
        append_typed(arena, value->text, types, out);
        append_text(out, "\n");
    }
}

// ---- programs
// -------------------------------------------------------------------------------------------------------

static const char *entry_body(Arena *arena, const char *text, const char *sink, const int *types) {
    bool needed[BASE_COUNT(values)];
    Buffer out = {0};
    find_needed(text, needed);
    for (size_t v = 0; v < BASE_COUNT(values); v++)
        if (needed[v]) append_value(arena, &values[v], types, &out);
    append_typed(arena, text, types, &out);
    if (sink) {
        append_text(&out, "\n%looked_at = print_tko \"%d\", %r : ");
        append_typed(arena, sink, types, &out);
        append_text(&out, " -> token");
    }
    if (!strstr(text, "return")) append_text(&out, "\nreturn");
    const char *body = arena_text(arena, out.data, out.size);
    buffer_free(&out);
    return body;
}

static TirModule *module_of(Arena *arena, const int *types, const char *const *bodies, uint32_t count) {
    Buffer text = {0};
    Diagnostics diagnostics = {0};
    bool pointee = types[0] >= 0 && types[0] != TIR_TYPE_i4;
    append_text(&text, "cuda_tile.module @kernels {\n");
    if (pointee) {
        append_text(&text, "global @values ");
        append_typed(arena, "$LIST : tile<4x$T>\n", types, &text);
    }
    for (uint32_t i = 0; i < count; i++) {
        buffer_print(&text, "entry @e%u(%%p: tile<ptr<%s>>, %%q: tile<ptr<i32>>) {\n", i,
                     pointee ? tir_type_rows[types[0]].name : "i8");
        append_text(&text, bodies[i]);
        append_text(&text, "\n}\n");
    }
    append_text(&text, "}\n");
    TirModule *module = tir_parse_text(&diagnostics, "program", text.data, text.size);
    if (module && !tir_verify(&diagnostics, module)) {
        tir_module_close(module);
        module = NULL;
    }
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    return module;
}

TirModule *program_module(Table *table, const Programs *programs, uint32_t first, uint32_t count) {
    return module_of(&table->arena, programs->types, programs->bodies + first, count);
}

static void add_program(Table *table, const char *text, const char *sink, Programs *programs) {
    const char *body = entry_body(&table->arena, text, sink, programs->types);
    TirModule *module = module_of(&table->arena, programs->types, &body, 1);
    if (!module) return;
    tir_module_close(module);
    programs->bodies =
        arena_grow(&table->arena, programs->bodies, programs->count, &programs->capacity, sizeof *programs->bodies);
    programs->bodies[programs->count++] = body;
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

void program_expand(Table *table, const char *text, const char *sink, Programs *programs) {
    const char *open, *close;
    if (!find_choice(text, &open, &close)) {
        add_program(table, text, sink, programs);
        return;
    }
    for (const char *from = open + 1; from <= close;) {
        const char *to = from;
        while (to < close && *to != '|') to++;
        program_expand(
            table,
            arena_format(&table->arena, "%.*s%.*s%s", (int)(open - text), text, (int)(to - from), from, close + 1),
            sink, programs);
        from = to + 1;
    }
}
