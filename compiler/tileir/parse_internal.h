// SPDX-License-Identifier: Apache-2.0
// What the files of Tile IR's text parser share, beyond what all text parsers do (compiler/mlir): the parser, and its
// functions by file.
#ifndef CONGRUENT_TIR_PARSE_INTERNAL_H
#define CONGRUENT_TIR_PARSE_INTERNAL_H

#include "compiler/mlir/mlir.h"

typedef struct ResultName { // %x:2 before the equals sign
    Token name;
    uint32_t count;
} ResultName;

typedef struct PendingLocation PendingLocation;
typedef struct Skip { // a list of regions in parentheses: where it opens, and the position behind it
    const char *open;
    ParsePlace behind;
} Skip;

typedef struct TileParser {
    Parser base;
    Map op_names, type_aliases;
    Map attribute_aliases; // from names to indices into `aliases`
    struct Alias *aliases;
    size_t alias_count, alias_capacity;
    PendingLocation *pending; // locations named before their alias is defined
    size_t pending_count, pending_capacity;
    TirFunction *function;          // the one whose body is parsed
    const TirMathBlock *math_block; // the block math<> {} that is parsed, the innermost
    // Stacks for the parts of an op while it is parsed, as Parser.operands is one. Functions push onto them; ops inside
    // the op's regions do so above.
    TirType *types;
    size_t type_count, type_capacity;
    ResultName *results;
    size_t result_count, result_capacity;
    TirValue *values; // of the op that is made
    size_t value_capacity;
    Skip *skips; // in the order of the text, up to skipped_to
    size_t skip_count, skip_capacity;
    const char *skipped_to;
} TileParser;
static inline TileParser *tile_parser(const Parser *p) { // no parser is constant, some functions only look at it
    return (TileParser *)p;
}

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
// <f32: [1.0, 2.0]>
bool parse_constant(Parser *p, ConstantLiteral *literal);

// ---- locations and aliases (parse_locations.c) ---------------------------------------------------------------------

// [loc(...)]: *debug becomes 1 + a row of TirModule.debug, 0 = none; *at its source line, if it has one. If it is an
// alias that is not defined yet, both pointers are kept, and set by resolve_pending_locations. They may be NULL.
bool parse_optional_location(Parser *p, uint64_t *debug, Location *at);
bool parse_unscoped_location(Parser *p); // of a global: it is not kept, and a scope is an error
// #name = ... or !name = ...
bool parse_alias_definition(Parser *p);
// At the end of the text: fills in the locations that were used before their alias was defined.
bool resolve_pending_locations(Parser *p);

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
// %a: TYPE, ... ): names and types are pushed. `attributes`: an array of their dictionaries; NULL: they may have none.
bool parse_arguments(Parser *p, uint32_t *count, TirAttribute *attributes);
// "cuda_tile.addf"(%a, %b) <{...}> ({...}) {...} : (...) -> ...
bool parse_generic_op(Parser *p, ParsedOp *parsed, TirBlock *block);
// {name = value}: attributes of the op as the generic form has them.
bool parse_generic_attributes(Parser *p, ParsedOp *parsed);
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
