// SPDX-License-Identifier: Apache-2.0
// What the files of the text parser share: tokens, the parser, and one section per file.
//
// Everything is one pass over the text with one token of lookahead; the first error ends it. A function that returns
// bool is false after it has recorded a diagnostic.
#ifndef CONGRUENT_TIR_PARSE_INTERNAL_H
#define CONGRUENT_TIR_PARSE_INTERNAL_H

#include "compiler/tileir/tir.h"

#include <string.h>

// ---- tokens (parse_tokens.c) ----------------------------------------------------------------------------------------

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
    NamedValue *slots;      // open addressing
    size_t capacity, used;
    uint32_t *open; // slots in the order of definition, to close a region's names
    size_t open_count, open_capacity;
} ValueScope;

typedef struct Operand { // a use of a value
    TirValue value;
    Token at;
} Operand;

typedef struct ResultName { // %x:2 before the equals sign
    Token name;
    uint32_t count;
} ResultName;

typedef struct PendingLocation PendingLocation;
typedef struct ParsePlace { // a place in the text, to come back to
    const char *at, *line_start;
    uint32_t line;
    Token token;
} ParsePlace;
typedef struct Skip { // a parenthesised list of regions: where it opens, and what stands behind it
    const char *open;
    ParsePlace behind;
} Skip;

typedef struct Parser {
    Diagnostics *diagnostics;
    TirModule *module;
    const char *text, *end;
    const char *at;         // behind the current token
    uint32_t line;          // of `at`
    const char *line_start; // of `line`
    Token token;            // the current one
    Token previous;         // the end of the one before
    const char *lexer_error;
    char name[64]; // of token_name
    Arena scratch;
    uint32_t depth; // of regions, and of what else nests
    Map op_names, type_aliases;
    Map attribute_aliases; // to alias_rows
    struct Alias *aliases;
    size_t alias_count, alias_capacity;
    PendingLocation *pending; // locations named before their alias is defined
    size_t pending_count, pending_capacity;
    TirFunction *function; // whose body is parsed
    ValueScope *scope;
    // Stacks of what one op holds while it is parsed.
    Operand *operands;
    size_t operand_count, operand_capacity;
    TirType *types;
    size_t type_count, type_capacity;
    ResultName *results;
    size_t result_count, result_capacity;
    TirValue *values; // of the op that is made
    size_t value_capacity;
    Skip *skips; // in the order of the text, up to skipped_to
    size_t skip_count, skip_capacity;
    const char *skipped_to;
} Parser;

void parse_start(Parser *p);
void parse_advance(Parser *p);
ParsePlace parse_place_here(const Parser *p);
void parse_return_to(Parser *p, const ParsePlace *place);
Location parse_location(const Parser *p, const Token *at);
// Records E_TEXT at a token and is false.
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
// Takes the current token if it is this one.
bool parse_take(Parser *p, uint32_t kind);
bool parse_take_word(Parser *p, const char *word);
// The same, but it must be there.
bool parse_need(Parser *p, uint32_t kind, const char *what);
bool parse_need_word(Parser *p, const char *word);
// The token's text without the sign before it and without a leading "cuda_tile."; valid until the next call.
const char *token_name(Parser *p, const Token *token);
// Text in the scratch arena, zero-terminated.
const char *token_text(Parser *p, const Token *token);
// The bytes of a string (or of the quoted name of a symbol), in the module's arena.
bool parse_string(Parser *p, const Token *token, const char **text, size_t *length);
// Dimensions: 4x?x, from the current token on, each followed by an x, or with `last` the last one not.
bool parse_dimensions(Parser *p, bool dynamic, bool last, uint32_t *rank, int64_t *sizes);
// Nesting of regions, attributes and types: at most TIR_NESTING_MAX.
bool parse_enter(Parser *p);
static inline void parse_leave(Parser *p) {
    p->depth--;
}

// ---- numbers (parse_numbers.c) --------------------------------------------------------------------------------------

// [-]INTEGER that fits in 64 bits with a sign.
bool parse_integer(Parser *p, int64_t *value, const char *what);
bool parse_unsigned(Parser *p, uint64_t *value, const char *what);
// A literal of a number type: for an integer a number in range or, for i1, true and false; for a float one with a dot,
// or the bits in hexadecimal.
bool parse_number(Parser *p, TirTypeKind kind, uint64_t *bits);

// ---- types (parse_types.c) ------------------------------------------------------------------------------------------

bool parse_type(Parser *p, TirType *type);
bool parse_at_type(const Parser *p);
// A, B, ... onto the stack of types.
bool parse_type_list(Parser *p, uint32_t *count);
bool parse_push_type(Parser *p, TirType type);
// (A, B) -> (C), A -> ..., of which the parentheses may be absent around one type. Both lists are pushed.
bool parse_function_type(Parser *p, uint32_t *parameters, uint32_t *results);
// () or (A, B) or, where one is enough, A.
bool parse_result_types(Parser *p, uint32_t *count);
const char *type_text(Parser *p, TirType type);

// ---- attributes (parse_attributes.c, parse_constants.c) -------------------------------------------------------------

// A tagged attribute: 12 : i32, [1.0, true], {a = 1}, "text", #cuda_tile.div_by<16>, ...
bool parse_tagged(Parser *p, TirAttribute *attribute);
// <arch = {name = value}>
bool parse_hints(Parser *p, TirAttribute *attribute);
// div_by<16>, with or without #cuda_tile.
bool parse_predicate(Parser *p, TirAttribute *attribute);
// The attribute that #name stands for; false, and nothing is taken or recorded, if there is none.
bool parse_attribute_alias(Parser *p, TirAttribute *attribute);
bool parse_number_array(Parser *p, bool bools, TirAttribute *attribute);
bool parse_enum_word(Parser *p, const TirEnum *enumeration, const char *what, uint64_t *value);
// {name = value, name}: calls `take` for each; it parses what follows the equals sign (has_value) and may be given
// names that it refuses.
typedef bool (*TakeEntry)(Parser *p, const char *name, const Token *at, bool has_value, void *context);
bool parse_dictionary(Parser *p, uint32_t open, uint32_t close, TakeEntry take, void *context);

typedef struct ConstantLiteral { // what <f32: [1.0, 2.0]> says, before its tile is known
    TirTypeKind kind;
    uint32_t rank; // 0: one number
    int64_t shape[TIR_RANK_MAX];
    uint64_t *numbers;
    size_t count, capacity;
    bool is_bytes; // "0x..", the bytes of all elements in memory: the numbers are bytes, the shape is not said
} ConstantLiteral;
bool parse_constant(Parser *p, ConstantLiteral *literal);
// <[1.0, 2.0]>, where the kind of the numbers is known.
bool parse_constant_elements(Parser *p, ConstantLiteral *literal);
// The literal as elements of the tile type, which was written at `at`.
bool constant_for_tile(Parser *p, const ConstantLiteral *literal, TirType tile, const Token *at, TirConstant *constant);

// ---- locations and aliases (parse_locations.c) ----------------------------------------------------------------------

// A location as it is used: a reference into the debug table, 0 = none.
bool parse_optional_location(Parser *p, uint64_t *debug, Location *at);
bool parse_unscoped_location(Parser *p); // of a global
bool parse_alias_definition(Parser *p);
bool resolve_pending_locations(Parser *p);

// ---- values (parse_values.c) ----------------------------------------------------------------------------------------

// Starts with an empty scope and gives back the one around it.
void scope_begin(Parser *p, ValueScope *scope, ValueScope **outer);
bool scope_define(Parser *p, const Token *name, TirValue first, uint32_t count);
// A region's names end with it.
size_t scope_open(const Parser *p);
void scope_close(Parser *p, size_t mark);
// %name or %name#1, pushed onto the stack of operands.
bool parse_use(Parser *p);
bool parse_use_list(Parser *p, uint32_t *count);

// ---- ops (parse_ops.c, parse_hooks.c, parse_generic.c) --------------------------------------------------------------

typedef struct Slice { // of a stack of the parser
    uint32_t first, count;
    bool given; // written in the text
} Slice;

typedef struct ParsedOp {
    TirOpKind kind;
    const TirOpInfo *info;
    Token name;
    uint32_t first_name, name_count; // of ResultName
    uint32_t result_count;           // values that the names bind
    Slice operands[TIR_OPERANDS_MAX];
    Slice operand_types[TIR_OPERANDS_MAX];
    Slice result_types[TIR_RESULTS_MAX];
    TirAttribute attributes[TIR_ATTRIBUTES_MAX];
    ConstantLiteral *constant;
    Token type_at; // where the last type began
    TirOp *op;     // once it is made
} ParsedOp;

bool parse_op(Parser *p, TirBlock *block);
// Makes the op from what was parsed, checks its operands' types.
bool make_op(Parser *p, ParsedOp *parsed, TirBlock *block);
bool push_operand_type(Parser *p, ParsedOp *parsed, uint32_t operand, TirType type);
bool parse_operand(Parser *p, ParsedOp *parsed, uint32_t operand);
// A hook of a text form. Those that make the op are the last piece of their form.
bool parse_hook(Parser *p, ParsedOp *parsed, TirBlock *block, const char *name, size_t length);
// The op of result types that stand on the stack of types.
bool make_op_with_types(Parser *p, ParsedOp *parsed, TirBlock *block, uint32_t first_type, uint32_t result_count);
// { ops } with arguments: a slice of the stack of names and one of the stack of types. An op of kind `end` is added
// where none ends the block (TIR_OP_COUNT: none is).
bool parse_region(Parser *p, TirRegion *region, Slice names, Slice types, TirOpKind end);
// The same of a body whose block exists.
bool parse_body(Parser *p, TirBlock *block, uint32_t first_name, TirOpKind end);
bool parse_block(Parser *p, TirBlock *block, uint32_t first_name); // up to the closing brace
// %a: TYPE, ... ) onto the stacks of names and types.
bool parse_arguments(Parser *p, uint32_t *count);
// "cuda_tile.addf"(%a, %b) <{...}> ({...}) {...} : (...) -> ...; the current token is the string.
bool parse_generic_op(Parser *p, ParsedOp *parsed, TirBlock *block);
// Moves behind the list of regions that begins at the current token, a parenthesis.
bool skip_regions(Parser *p);
// TIR_OP_COUNT if no op has this name.
TirOpKind op_by_text(const Parser *p, const char *name);

// ---- declarations and the file (parse_declarations.c, parse_text.c) -------------------------------------------------

// entry, testing$func, global and module, in both forms; *taken is false, and nothing is, if it is none of these.
bool parse_declaration(Parser *p, bool *taken);
// Declarations and ops up to the end of the text or of the module.
bool parse_items(Parser *p, bool of_file);

#endif
