// SPDX-License-Identifier: Apache-2.0
// Changes to texts of PTX that many of them survive: registers, labels, numbers, words of opcodes and types are
// replaced by others of their kind.
#include "tests/robustness/mutation.h"

#include "compiler/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

typedef struct Text {
    Arena *arena;
    Random *random;
    const char *bytes;
    size_t size;
} Text;
typedef struct Range {
    size_t at, size;
} Range;

static bool in_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The word at or behind a random position; of size 0 if there is none. Dots end words.
static Range pick_word(const Text *text) {
    size_t at = random_below(text->random, text->size + 1);
    while (at && at < text->size && in_word(text->bytes[at]) && in_word(text->bytes[at - 1])) at--;
    while (at < text->size && !in_word(text->bytes[at])) at++;
    size_t end = at;
    while (end < text->size && in_word(text->bytes[end])) end++;
    return (Range){at, end - at};
}

// Letters at the beginning tell kinds apart: "%rd", "$L__BB", "sm_"; numbers have none.
static size_t kind_length(const Text *text, Range word) {
    size_t length = 0;
    while (length < word.size && !is_digit(text->bytes[word.at + length])) length++;
    return length;
}

// Another word that is of its kind, in most texts; the word itself if none was found.
static Range pick_like(const Text *text, Range word) {
    const size_t length = kind_length(text, word);
    for (int tries = 0; tries < 60; tries++) {
        const Range other = pick_word(text);
        const bool like =
            kind_length(text, other) == length && !memcmp(text->bytes + other.at, text->bytes + word.at, length);
        const bool same = other.size == word.size && !memcmp(text->bytes + other.at, text->bytes + word.at, word.size);
        if (other.size && like && !same) return other;
    }
    return word;
}

static void replace(Text *text, Range range, const char *with, size_t size) {
    char *changed = arena_alloc(text->arena, text->size - range.size + size + 1);
    memcpy(changed, text->bytes, range.at);
    memcpy(changed + range.at, with, size);
    memcpy(changed + range.at + size, text->bytes + range.at + range.size, text->size - range.at - range.size);
    text->bytes = changed;
    text->size = text->size - range.size + size;
}

static void replace_by_number(Text *text, Range word) {
    const uint64_t number = random_below(text->random, 3) ? random_below(text->random, 600) : random_edge(text->random);
    const char *form = random_below(text->random, 4) ? "%lld" : random_below(text->random, 2) ? "0x%llx" : "0f%08llx";
    const char *digits = arena_format(text->arena, form, (long long)number);
    replace(text, word, digits, strlen(digits));
}

static void replace_by_language(Text *text, Range word) {
    static const char *const words[] = {
        "reg", "shared", "local", "param", "extern", "visible", "entry", "func", "align", "reqntid", "maxntid", "loc",
        "file", "section", "branchtargets", "callprototype", "weak", "const", "global", "generic", "pragma", "alias",
    };
    const char *with;
    switch (random_below(text->random, 4)) {
    case 0: with = ptx_op_name((PtxOp)random_below(text->random, PTX_OP_COUNT)); break;
    case 1: with = words[random_below(text->random, BASE_COUNT(words))]; break;
    case 2: with = ptx_special_info((PtxSpecial)random_below(text->random, PTX_SPECIAL_COUNT))->name; break;
    default: with = ptx_word_text((PtxWord)(1 + random_below(text->random, PTX_WORD_COUNT - 1)));
    }
    replace(text, word, with, strlen(with));
}

// The line around a position, with its end.
static Range line_at(const Text *text, size_t at) {
    size_t begin = at, end = at;
    while (begin && text->bytes[begin - 1] != '\n') begin--;
    while (end < text->size && text->bytes[end] != '\n') end++;
    return (Range){begin, end - begin + (end < text->size)};
}

// A line is taken away, doubled or moved elsewhere.
static void change_line(Text *text) {
    const Range line = line_at(text, random_below(text->random, text->size));
    const char *copy = arena_text(text->arena, text->bytes + line.at, line.size);
    const uint64_t what = random_below(text->random, 3);
    if (what != 1) replace(text, line, "", 0);
    if (what == 0) return;
    const Range there = line_at(text, random_below(text->random, text->size));
    replace(text, (Range){there.at, 0}, copy, line.size);
}

// Two words of a line change places: operands, types, modifiers.
static void swap_words(Text *text) {
    const Range first = pick_word(text);
    size_t at = first.at + first.size;
    while (at < text->size && text->bytes[at] != '\n' && !in_word(text->bytes[at])) at++;
    size_t end = at;
    while (end < text->size && in_word(text->bytes[end])) end++;
    const char *a = arena_text(text->arena, text->bytes + first.at, first.size);
    const char *b = arena_text(text->arena, text->bytes + at, end - at);
    replace(text, (Range){at, end - at}, a, first.size);
    replace(text, first, b, end - at);
}

static void change(Text *text) {
    const uint64_t what = random_below(text->random, 16);
    const Range word = pick_word(text);
    if (what < 7) {
        const Range like = pick_like(text, word);
        replace(text, word, arena_text(text->arena, text->bytes + like.at, like.size), like.size);
    } else if (what < 10 || (word.size && is_digit(text->bytes[word.at]))) {
        replace_by_number(text, word);
    } else if (what < 12) {
        change_line(text);
    } else if (what < 14) {
        swap_words(text);
    } else {
        replace_by_language(text, word);
    }
}

char *mutate_ptx(Arena *arena, Random *random, const char *bytes, size_t size, const char *other, size_t other_size,
                 size_t *new_size) {
    if (!size || !random_below(random, 4)) return mutate_text(arena, random, bytes, size, other, other_size, new_size);
    Text text = {arena, random, bytes, size};
    for (uint64_t changes = 1 + random_below(random, 3); changes; changes--) change(&text);
    *new_size = text.size;
    return arena_text(arena, text.bytes, text.size);
}
