// SPDX-License-Identifier: Apache-2.0
// What the files of the text parser share: tokens, the parser, and its functions by file.
//
// The parser goes over the text once, with one token of lookahead. The first error ends it: a function that returns
// bool is false after it has recorded a diagnostic. What a comment shows in grammar is taken from the current token on.
#ifndef CONGRUENT_TIR_PARSE_INTERNAL_H
#define CONGRUENT_TIR_PARSE_INTERNAL_H

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

typedef struct ResultName { // %x:2 before the equals sign
    Token name;
    uint32_t count;
} ResultName;

typedef struct PendingLocation PendingLocation;
typedef struct ParsePlace { // a position in the text to come back to
    const char *at, *line_start;
    uint32_t line;
    Token token;
} ParsePlace;
typedef struct Skip { // a list of regions in parentheses: where it opens, and the position behind it
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
    Token previous;         // where the one before ended
    const char *lexer_error;
    char name[64]; // what token_name gives
    Arena scratch;
    uint32_t depth; // see parse_enter
    Map op_names, type_aliases;
    Map attribute_aliases; // from names to indices into `aliases`
    struct Alias *aliases;
    size_t alias_count, alias_capacity;
    PendingLocation *pending; // locations named before their alias is defined
    size_t pending_count, pending_capacity;
    TirFunction *function;          // the one whose body is parsed
    const TirMathBlock *math_block; // the block math<> {} that is parsed, the innermost
    ValueScope *scope;
    // Stacks for the parts of an op while it is parsed. Functions push onto them; ops inside the op's regions do so
    // above.
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
// The token's text without its sign (%, @, #, !, ^) and without "cuda_tile."; good until the next call.
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

// ---- types (parse_types.c) -----------------------------------------------------------------------------------------

bool parse_type(Parser *p, TirType *type);
bool parse_at_type(const Parser *p); // whether a type begins here
// A, B, ...: pushed onto p->types.
bool parse_type_list(Parser *p, uint32_t *count);
bool parse_push_type(Parser *p, TirType type);
// (A, B) -> (C), or A -> C: one type needs no parentheses. The parameters and then the results are pushed.
bool parse_function_type(Parser *p, uint32_t *parameters, uint32_t *results);
// (), (A, B) or A: pushed.
bool parse_result_types(Parser *p, uint32_t *count);
const char *type_text(Parser *p, TirType type); // for messages, in the scratch arena

// ---- attributes (parse_attributes.c, parse_constants.c, parse_locations.c) -----------------------------------------

// A tagged attribute: 12 : i32, [1.0, true], {a = 1}, "text", #cuda_tile.div_by<16>, ...
bool parse_tagged(Parser *p, TirAttribute *attribute);
// <arch = {name = value}>
bool parse_hints(Parser *p, TirAttribute *attribute);
// div_by<16>, with or without #cuda_tile.
bool parse_predicate(Parser *p, TirAttribute *attribute);
// #name: the attribute that it is an alias of. False, without a diagnostic, if there is none.
bool parse_attribute_alias(Parser *p, TirAttribute *attribute);
// [1, 2], or with `bools` [true, false].
bool parse_number_array(Parser *p, bool bools, TirAttribute *attribute);
// A word of the enumeration. `what`: what is expected, in errors.
bool parse_enum_word(Parser *p, const TirEnum *enumeration, const char *what, uint64_t *value);
// {name = value, name}, between the tokens `open` and `close`: calls `take` for each entry. It parses the value behind
// the equals sign (has_value), and refuses names that it does not know.
typedef bool (*TakeEntry)(Parser *p, const char *name, const Token *at, bool has_value, void *context);
bool parse_dictionary(Parser *p, uint32_t open, uint32_t close, TakeEntry take, void *context);

typedef struct ConstantLiteral { // the literal of a constant, before its tile is known
    TirTypeKind kind;
    uint32_t rank; // 0: one number
    int64_t shape[TIR_RANK_MAX];
    uint64_t *numbers; // bits
    size_t count, capacity;
    bool is_bytes; // "0x..": the numbers are the bytes of all elements, as they lie in memory; there is no shape
} ConstantLiteral;
// <f32: [1.0, 2.0]>
bool parse_constant(Parser *p, ConstantLiteral *literal);
// <[1.0, 2.0]>, of numbers of literal->kind.
bool parse_constant_elements(Parser *p, ConstantLiteral *literal);
// The literal as a constant of the tile type, which the text says at `at`.
bool constant_for_tile(Parser *p, const ConstantLiteral *literal, TirType tile, const Token *at, TirConstant *constant);

// ---- locations and aliases (parse_locations.c) ---------------------------------------------------------------------

// [loc(...)]: *debug becomes 1 + a row of TirModule.debug, 0 = none; *at its source line, if it has one. If it is an
// alias that is not defined yet, both pointers are kept, and set by resolve_pending_locations. They may be NULL.
bool parse_optional_location(Parser *p, uint64_t *debug, Location *at);
bool parse_unscoped_location(Parser *p); // of a global: it is not kept, and a scope is an error
// #name = ... or !name = ...
bool parse_alias_definition(Parser *p);
// At the end of the text: fills in the locations that were used before their alias was defined.
bool resolve_pending_locations(Parser *p);

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

// ---- ops (parse_ops.c, parse_hooks.c, parse_generic.c) -------------------------------------------------------------

typedef struct Slice { // a part of one of the parser's stacks
    uint32_t first, count;
    bool given; // the text has it
} Slice;

typedef struct ParsedOp {
    TirOpKind kind;
    const TirOpInfo *info;
    Token name;
    uint32_t first_name, name_count; // on p->results
    uint32_t result_count;           // how many values the names bind
    Slice operands[TIR_OPERANDS_MAX];
    Slice operand_types[TIR_OPERANDS_MAX];
    Slice result_types[TIR_RESULTS_MAX];
    TirAttribute attributes[TIR_ATTRIBUTES_MAX];
    ConstantLiteral *constant;
    TirMath math;
    Token type_at; // where the last type began
    TirOp *op;     // NULL until it is made
} ParsedOp;

// An op, which is appended to the block.
bool parse_op(Parser *p, TirBlock *block);
// nv_tileaa.NAME ..., from the operands on; the name is parsed->name. (parse_tileaa.c)
bool parse_tileaa_op(Parser *p, ParsedOp *parsed, TirBlock *block);
// Whether the token is a word that begins with nv_tileaa.
bool token_is_tileaa(const Token *token);
// Makes the op of what was parsed, and checks its operands' types.
bool make_op(Parser *p, ParsedOp *parsed, TirBlock *block);
// Pushes a type of declared operand `operand`; parses its uses ($x).
bool push_operand_type(Parser *p, ParsedOp *parsed, uint32_t operand, TirType type);
bool parse_operand(Parser *p, ParsedOp *parsed, uint32_t operand);
// The piece @name of a text form. One that makes the op is the last piece of its form.
bool parse_hook(Parser *p, ParsedOp *parsed, TirBlock *block, const char *name, size_t length);
// Makes the op, whose result types are on p->types from first_type on.
bool make_op_with_types(Parser *p, ParsedOp *parsed, TirBlock *block, uint32_t first_type, uint32_t result_count);
// { ops }: the arguments of the first block have these names (on p->results) and types (on p->types). If the last op is
// no terminator, an op of kind `end` is added (TIR_OP_COUNT: none is).
bool parse_region(Parser *p, TirRegion *region, Slice names, Slice types, TirOpKind end);
// The same for a block that exists.
bool parse_body(Parser *p, TirBlock *block, uint32_t first_name, TirOpKind end);
bool parse_block(Parser *p, TirBlock *block, uint32_t first_name); // its ops, up to the closing brace
// %a: TYPE, ... ): names and types are pushed.
bool parse_arguments(Parser *p, uint32_t *count);
// "cuda_tile.addf"(%a, %b) <{...}> ({...}) {...} : (...) -> ...
bool parse_generic_op(Parser *p, ParsedOp *parsed, TirBlock *block);
// ({...}, {...}): moves behind it.
bool skip_regions(Parser *p);
// The op of that name in text; TIR_OP_COUNT if there is none.
TirOpKind op_by_text(const Parser *p, const char *name);

// ---- numeric modes (parse_math.c) ----------------------------------------------------------------------------------

// fastmath<contract, nsz> max_error<2.5>, both optional, in any order, each once.
bool parse_op_math(Parser *p, TirMath *math);
// <contract, nsz> or <fast>: adds to *flags.
bool parse_math_flags(Parser *p, uint8_t *flags);
// math<SETTINGS>, at its first word, with the blocks around it as `outer`.
bool parse_math(Parser *p, const TirMathBlock *outer, const TirMathBlock **math);

// ---- declarations and the file (parse_declarations.c, parse_text.c) ------------------------------------------------

// entry, testing$func, global or module, in the usual or the generic form. *taken: whether it is one of these; if not,
// nothing is taken.
bool parse_declaration(Parser *p, bool *taken);
// Declarations and ops up to the end of the file, or else of the module.
bool parse_items(Parser *p, bool of_file);

#endif
