// SPDX-License-Identifier: Apache-2.0
// What the text parsers of MLIR's dialects share: tokens, values by name, numbers, constants, dictionaries. Each makes
// a TirModule: Tile IR's own text (compiler/tileir) and Triton's (compiler/triton).
//
// A parser goes over the text once, with one token of lookahead. The first error ends it: a function that returns bool
// is false after it has recorded a diagnostic. What a comment shows in grammar is taken from the current token on.
#ifndef CONGRUENT_MLIR_H
#define CONGRUENT_MLIR_H

#include "compiler/tileir/tir.h"

#include <string.h>

// ---- tokens (parse_tokens.c) ---------------------------------------------------------------------------------------

typedef enum TokenKind { // punctuation is its own character
    TOKEN_END = 0,
    TOKEN_ERROR = 256, // what the lexer cannot read; Parser.lexer_error says why
    TOKEN_WORD,        // for, cuda_tile.addf, f32
    TOKEN_VALUE,       // %0
    TOKEN_SYMBOL,      // @name, @"name"
    TOKEN_HASH,        // #loc, #cuda_tile.div_by, #0
    TOKEN_BANG,        // !cuda_tile.tile
    TOKEN_BLOCK,       // ^bb0
    TOKEN_INTEGER,     // 12, 0x1F
    TOKEN_FLOAT,       // 1.5, 1.0e-3
    TOKEN_STRING,      // "text", with its quotes
    TOKEN_ARROW,       // ->
} TokenKind;

typedef struct Token {
    const char *start;
    size_t length;
    uint32_t kind; // TokenKind or a character
    uint32_t line, column;
} Token;

typedef struct NamedValue NamedValue;
typedef struct ValueScope { // the values that can be named in a function
    NamedValue *slots;      // a hash table
    size_t capacity, used;
    uint32_t *open; // slots of the names defined so far, in their order: a region's end removes its own
    size_t open_count, open_capacity;
} ValueScope;

typedef struct Operand { // a use of a value
    TirValue value;
    Token at;
} Operand;

typedef struct ParsePlace { // a position in the text to come back to
    const char *at, *line_start;
    uint32_t line;
    Token token;
} ParsePlace;
typedef struct Parser {
    Diagnostics *diagnostics;
    TirModule *module;
    const char *text, *end;
    const char *at;         // behind the current token
    uint32_t line;          // of `at`
    const char *line_start; // of `line`
    Token token;            // the current one
    Token previous;         // where the one before ended
    const char *lexer_error;
    const char *prefix; // of words of the dialect, which token_name leaves out; NULL: none
    char name[64];      // what token_name gives
    Arena scratch;
    uint32_t depth; // see parse_enter
    ValueScope *scope;
    Operand *operands; // a stack of the uses that were parsed
    size_t operand_count, operand_capacity;
} Parser;

void parse_start(Parser *p);   // p->text, p->end: the first token becomes the current one
void parse_advance(Parser *p); // to the next token
ParsePlace parse_place_here(const Parser *p);
void parse_return_to(Parser *p, const ParsePlace *place);
Location parse_location(const Parser *p, const Token *at); // of a token
// Records E_TEXT (or `code`) at a token. Always false.
bool parse_fail(Parser *p, const Token *at, const char *format, ...) BASE_PRINTF(3, 4);
bool parse_fail_with(Parser *p, const Token *at, ErrorCode code, const char *format, ...) BASE_PRINTF(4, 5);
// "found X, expected WHAT" at the current token.
bool parse_expected(Parser *p, const char *what);

bool token_is_word(const Token *token, const char *word);
static inline bool parse_at(const Parser *p, uint32_t kind) {
    return p->token.kind == kind;
}
static inline bool parse_at_word(const Parser *p, const char *word) {
    return token_is_word(&p->token, word);
}
// Take the current token if it is this one. False, without a diagnostic, if not.
bool parse_take(Parser *p, uint32_t kind);
bool parse_take_word(Parser *p, const char *word);
// Take the current token, which must be this one.
bool parse_need(Parser *p, uint32_t kind, const char *what);
bool parse_need_word(Parser *p, const char *word);
// The token's text without its sign (%, @, #, !, ^) and without the prefix; good until the next call.
const char *token_name(Parser *p, const Token *token);
// The token's text, zero-terminated, in the scratch arena.
const char *token_text(Parser *p, const Token *token);
// The bytes of a string token (or of the quoted name of a symbol), in the module's arena.
bool parse_string(Parser *p, const Token *token, const char **text, size_t *length);
// 4x?x: dimensions, each with an x behind it. `last`: the last one has none (4x?). `dynamic`: ? is allowed.
bool parse_dimensions(Parser *p, bool dynamic, bool last, uint32_t *rank, int64_t *sizes);
// 4 x 8 x: the same, each size and its x with or without blanks around the x; sizes are fixed.
bool parse_spaced_dimensions(Parser *p, uint32_t *rank, int64_t *sizes);
// Around what nests (regions, attributes, types); an error beyond TIR_NESTING_MAX.
bool parse_enter(Parser *p);
static inline void parse_leave(Parser *p) {
    p->depth--;
}

// ---- numbers (parse_numbers.c) -------------------------------------------------------------------------------------

// [-]INTEGER that fits in 64 bits with a sign; INTEGER that fits without. `what`: what is expected, in errors.
bool parse_integer(Parser *p, int64_t *value, const char *what);
bool parse_unsigned(Parser *p, uint64_t *value, const char *what);
// A literal of a number type: an integer in its range; true or false for i1; a float with a dot, or its bits in
// hexadecimal.
bool parse_number(Parser *p, TirTypeKind kind, uint64_t *bits);

// ---- values (parse_values.c) ---------------------------------------------------------------------------------------

// Makes `scope` the current one, and empty; *outer is the one before, which the caller sets again (p->scope).
void scope_begin(Parser *p, ValueScope *scope, ValueScope **outer);
// Defines a name for `count` values from `first` on.
bool scope_define(Parser *p, const Token *name, TirValue first, uint32_t count);
// Around a region: its names end with it.
size_t scope_open(const Parser *p);
void scope_close(Parser *p, size_t mark);
// %name or %name#1: pushed onto p->operands.
bool parse_use(Parser *p);
bool parse_use_list(Parser *p, uint32_t *count); // %a, %b, ...

// ---- words and dictionaries (parse_dictionary.c) --------------------------------------------------------------------

// A word of the enumeration. `what`: what is expected, in errors.
bool parse_enum_word(Parser *p, const TirEnum *enumeration, const char *what, uint64_t *value);
// {name = value, name}, between the tokens `open` and `close`: calls `take` for each entry. It parses the value behind
// the equals sign (has_value), and refuses names that it does not know.
typedef bool (*TakeEntry)(Parser *p, const char *name, const Token *at, bool has_value, void *context);
bool parse_dictionary(Parser *p, uint32_t open, uint32_t close, TakeEntry take, void *context);

// ---- constants (parse_constants.c) ----------------------------------------------------------------------------------

const char *type_text(Parser *p, TirType type); // for messages, in the scratch arena
typedef struct ConstantLiteral {                // the literal of a constant, before its tile is known
    TirTypeKind kind;
    uint32_t rank; // 0: one number
    int64_t shape[TIR_RANK_MAX];
    uint64_t *numbers; // bits
    size_t count, capacity;
    bool is_bytes; // "0x..": the numbers are the bytes of all elements, as they lie in memory; there is no shape
} ConstantLiteral;
// [1.0, 2.0], of numbers of literal->kind; the same between < and >.
bool parse_constant_numbers(Parser *p, ConstantLiteral *literal);
bool parse_constant_elements(Parser *p, ConstantLiteral *literal);
// The literal as a constant of the tile type, which the text says at `at`.
bool constant_for_tile(Parser *p, const ConstantLiteral *literal, TirType tile, const Token *at, TirConstant *constant);

#endif
