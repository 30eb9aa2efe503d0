// SPDX-License-Identifier: Apache-2.0
// Changes to text: characters, words, lines, and parts of other texts.
#include "tests/robustness/mutation.h"

#include <stdio.h>
#include <string.h>

typedef struct Piece {
    const char *text;
    size_t size;
} Piece;
typedef struct Pieces {
    Piece *items;
    size_t count, capacity;
} Pieces;

// ---- cutting --------------------------------------------------------------------------------------------------------

static void add_piece(Arena *arena, Pieces *pieces, const char *text, size_t size) {
    pieces->items = arena_grow(arena, pieces->items, pieces->count, &pieces->capacity, sizeof *pieces->items);
    pieces->items[pieces->count++] = (Piece){text, size};
}

static bool in_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("_$.%@#!", c);
}

// Words, blanks, and single other characters.
static Pieces cut_words(Arena *arena, Piece text) {
    Pieces pieces = {0};
    for (size_t at = 0, end; at < text.size; at = end) {
        end = at + 1;
        bool word = in_word(text.text[at]), blank = text.text[at] == ' ';
        while ((word || blank) && end < text.size &&
               (word ? text.text[end] && in_word(text.text[end]) : text.text[end] == ' '))
            end++;
        add_piece(arena, &pieces, text.text + at, end - at);
    }
    return pieces;
}

static Pieces cut_lines(Arena *arena, Piece text) {
    Pieces pieces = {0};
    for (size_t at = 0, end; at < text.size; at = end) {
        const char *stop = memchr(text.text + at, '\n', text.size - at);
        end = stop ? (size_t)(stop - text.text) + 1 : text.size;
        add_piece(arena, &pieces, text.text + at, end - at);
    }
    return pieces;
}

static Piece join(Arena *arena, const Pieces *pieces) {
    size_t size = 0;
    for (size_t i = 0; i < pieces->count; i++) size += pieces->items[i].size;
    char *text = arena_alloc(arena, size + 1), *at = text;
    for (size_t i = 0; i < pieces->count; i++) {
        memcpy(at, pieces->items[i].text, pieces->items[i].size);
        at += pieces->items[i].size;
    }
    return (Piece){text, size};
}

// ---- words that the language has ------------------------------------------------------------------------------------

static const char *const language_words[] = {
#define TIR_ENUM(name, words)       words
#define TIR_WORD(enumeration, word) #word,
#include "compiler/tileir/enums.def"
#undef TIR_WORD
#undef TIR_ENUM
    "entry",
    "global",
    "cuda_tile.module",
    "testing$func",
    "iter_values",
    "to",
    "in",
    "step",
    "else",
    "rounding",
    "optimization_hints",
    "strides",
    "tile=(4x4)",
    "dim_map",
    "padding_value",
    "loc",
    "dense",
    "true",
    "->",
    "%0#1",
};

static Piece language_word(Arena *arena, Random *random) {
    const char *word;
    switch (random_below(random, 4)) {
    case 0: word = tir_op_info((TirOpKind)random_below(random, TIR_OP_COUNT))->text_name; break;
    case 1: word = tir_type_rows[random_below(random, TIR_TYPE_COUNT)].name; break;
    case 2: word = arena_format(arena, "%lld", (long long)random_edge(random)); break;
    default: word = language_words[random_below(random, BASE_COUNT(language_words))];
    }
    return (Piece){word, strlen(word)};
}

// ---- changes --------------------------------------------------------------------------------------------------------

static bool is_blank(Piece piece) {
    return *piece.text == ' ' || *piece.text == '\n';
}

// A piece that is not blank, in most cases.
static size_t pick(Random *random, const Pieces *pieces) {
    size_t at = random_below(random, pieces->count);
    for (int tries = 0; tries < 4 && is_blank(pieces->items[at]); tries++) at = random_below(random, pieces->count);
    return at;
}

// One piece is dropped, doubled, swapped with another one, or replaced by one of another text.
static void change_pieces(Arena *arena, Random *random, Pieces *pieces, const Pieces *others, bool words) {
    if (!pieces->count) return;
    size_t at = pick(random, pieces), with = pick(random, pieces);
    Piece piece = pieces->items[at];
    switch (random_below(random, words ? 6 : 4)) {
    case 0:
        memmove(pieces->items + at, pieces->items + at + 1, (pieces->count - at - 1) * sizeof *pieces->items);
        pieces->count--;
        break;
    case 1:
        add_piece(arena, pieces, "", 0);
        memmove(pieces->items + at + 1, pieces->items + at, (pieces->count - at - 1) * sizeof *pieces->items);
        break;
    case 2:
        pieces->items[at] = pieces->items[with];
        pieces->items[with] = piece;
        break;
    case 3:
        if (others->count) pieces->items[at] = others->items[pick(random, others)];
        break;
    default: pieces->items[at] = language_word(arena, random);
    }
}

static Piece change_characters(Arena *arena, Random *random, Piece text) {
    static const char odd[] = "<>(){}[]%@#!:,=\"\\/-?x0\n\t~";
    char *copy = arena_alloc(arena, text.size + 2);
    size_t at = random_below(random, text.size + 1);
    memcpy(copy, text.text, text.size);
    switch (random_below(random, 4)) {
    case 0: // another character
        if (at < text.size) copy[at] ^= (char)(1u << random_below(random, 8));
        return (Piece){copy, text.size};
    case 1: // one that means something
        if (at < text.size) copy[at] = odd[random_below(random, sizeof odd - 1)];
        return (Piece){copy, text.size};
    case 2: // one more
        memmove(copy + at + 1, copy + at, text.size - at);
        copy[at] = random_below(random, 4) ? odd[random_below(random, sizeof odd - 1)] : (char)random_next(random);
        return (Piece){copy, text.size + 1};
    default: // one less
        if (at < text.size) memmove(copy + at, copy + at + 1, text.size - at - 1);
        return (Piece){copy, text.size - (at < text.size)};
    }
}

// The beginning of one text and the end of another one, or a range of the other one within.
static Piece splice(Arena *arena, Random *random, Piece text, Piece other) {
    size_t at = random_below(random, text.size + 1), from = random_below(random, other.size + 1);
    size_t size = random_below(random, other.size - from + 1), behind = text.size - at;
    if (random_below(random, 2)) size = other.size - from, behind = 0;
    char *joined = arena_alloc(arena, at + size + behind + 1);
    memcpy(joined, text.text, at);
    memcpy(joined + at, other.text + from, size);
    memcpy(joined + at + size, text.text + at, behind);
    return (Piece){joined, at + size + behind};
}

char *mutate_text(Arena *arena, Random *random, const char *text, size_t text_size, const char *other,
                  size_t other_size, size_t *size) {
    Piece changed = {text_size ? text : "", text_size}, donor = {other_size ? other : "", other_size};
    for (uint64_t changes = 1 + random_below(random, 4); changes; changes--) {
        uint64_t what = random_below(random, 16);
        if (what == 0) {
            changed.size = random_below(random, changed.size + 1);
        } else if (what == 1) {
            changed = splice(arena, random, changed, donor);
        } else if (what < 5) {
            changed = change_characters(arena, random, changed);
        } else {
            Pieces (*cut)(Arena *, Piece) = what < 12 ? cut_words : cut_lines;
            Pieces pieces = cut(arena, changed), others = cut(arena, donor);
            change_pieces(arena, random, &pieces, &others, cut == cut_words);
            changed = join(arena, &pieces);
        }
    }
    char *copy = arena_text(arena, changed.text, changed.size);
    *size = changed.size;
    return copy;
}
