// SPDX-License-Identifier: Apache-2.0
// Prints the words of a language as a dictionary of libFuzzer, taken from the tables: make_dictionary text|case
#include "compiler/tileir/tir.h"
#include "compiler/tileir/text_form.h"

#include <stdio.h>
#include <string.h>

typedef struct Dictionary {
    Map known; // words printed already
    Arena arena;
} Dictionary;

static void add_word(Dictionary *dictionary, const char *word, size_t length) {
    const char *text = arena_text(&dictionary->arena, word, length);
    if (!length || !map_insert(&dictionary->known, &dictionary->arena, text, 0)) return;
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    printf("\"\n");
}

static void add_text(Dictionary *dictionary, const char *word) {
    add_word(dictionary, word, strlen(word));
}

// ---- text of Tile IR ------------------------------------------------------------------------------------------------

// What stands in a text form as it is, word by word.
static void add_text_form(Dictionary *dictionary, const char *form) {
    while (*form) {
        const char *begin = form;
        if (strchr("$#^@", *form)) {
            tir_take_marker(&form);
        } else if (strchr(" {}", *form)) {
            form++;
        } else {
            while (*form && !strchr(" {}$#^@", *form)) form++;
            add_word(dictionary, begin, (size_t)(form - begin));
        }
    }
}

static void add_tile_ir(Dictionary *dictionary) {
    // What belongs to no table.
    static const char *const others[] = {"cuda_tile.",
                                         "!cuda_tile.",
                                         "#cuda_tile.",
                                         "testing$func",
                                         "%arg0",
                                         "%0",
                                         "%0#1",
                                         "@name",
                                         "#loc",
                                         "loc(unknown)",
                                         "loc(callsite(",
                                         " at ",
                                         "di_file<\"a\" in \"b\">",
                                         "di_loc<",
                                         "di_subprogram<",
                                         "di_lexical_block<",
                                         "di_compile_unit<",
                                         "iter_values(",
                                         "in (",
                                         " to ",
                                         "step ",
                                         "else {",
                                         "strides=[",
                                         "tile=(",
                                         "dim_map=[",
                                         "padding_value = ",
                                         "traversal_strides=[",
                                         "sparse_dim=",
                                         "div_by<16>",
                                         "same_elements<[1]>",
                                         "bounded<0, 7>",
                                         "every 2 along 0",
                                         "optimization_hints=<",
                                         "sm_100 = {",
                                         "occupancy = 2",
                                         "alignment = 16",
                                         "private ",
                                         "constant @",
                                         "tile<",
                                         "4x8x",
                                         "?x",
                                         "true",
                                         "false",
                                         "0x7F800000",
                                         "1.5",
                                         "-1",
                                         "({",
                                         "})",
                                         "<{",
                                         "}>",
                                         "^bb0",
                                         "-> (",
                                         " : ",
                                         "// ",
                                         "loc(\"f\":1:2)",
                                         "sym_visibility = \"private\"",
                                         "{-#",
                                         "#-}"};
    for (uint32_t kind = 0; kind < TIR_OP_COUNT; kind++) {
        const TirOpInfo *info = tir_op_info(kind);
        add_text(dictionary, info->name);
        add_text(dictionary, info->text_name);
        add_text_form(dictionary, info->text);
        for (uint32_t i = 0; i < info->attribute_count; i++) add_text(dictionary, info->attributes[i].name);
    }
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++) add_text(dictionary, tir_type_rows[kind].name);
#define TIR_WORD(enumeration, word) add_text(dictionary, #word);
#define TIR_ENUM(name, words)       words
#include "compiler/tileir/enums.def"
#undef TIR_ENUM
#undef TIR_WORD
    for (size_t i = 0; i < BASE_COUNT(others); i++) add_text(dictionary, others[i]);
}

// ---- cases of fpdiff ------------------------------------------------------------------------------------------------

static void add_case(Dictionary *dictionary) {
    static const char *const words[] = {
#define KEY(mapping, key, ...) #key,
#include "diff/keys.def"
#undef KEY
#define FILL(name, ...) #name,
#include "diff/fills.def"
#undef FILL
#define MODE(name, ...) #name,
#include "diff/modes.def"
#undef MODE
        // What belongs to no table.
        "copy_size_64.tileirbc",
        ".ptr",
        ".shape.0",
        ".stride.0",
        "f32 1.5",
        "i32 64",
        "tower",
        "triton-3.9",
        "mix",
        "homomorphic",
        "equal",
        "diverge",
        "roots",
        "vacuous",
        "unwritten",
        "inf",
        "nan",
        "-0x1p-3",
        "log2(e)",
        "sqrt(2)",
        "1/3",
        "true",
        "false",
        "{",
        "}",
        "[",
        "]",
        ": ",
        ", ",
        "- ",
        "? ",
        "\\x00",
        "|",
        ">-",
        "---",
        "...",
        "&a",
        "*a",
        "!!str",
        "# ",
        "'"};
    for (size_t i = 0; i < BASE_COUNT(words); i++) add_text(dictionary, words[i]);
    for (unsigned type = 0; type < ELEMENT_TYPE_COUNT; type++) add_text(dictionary, element_info((ElementType)type)->name);
}

int main(int argc, char **argv) {
    Dictionary dictionary = {0};
    bool text = argc == 2 && !strcmp(argv[1], "text"), cases = argc == 2 && !strcmp(argv[1], "case");
    if (text) add_tile_ir(&dictionary);
    if (cases) add_case(&dictionary);
    arena_reset(&dictionary.arena);
    return text || cases ? 0 : 2;
}
