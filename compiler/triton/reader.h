// SPDX-License-Identifier: Apache-2.0
// Triton's text as it was read, TTIR or TTGIR: functions, blocks, ops, values, locations; and the reader, its functions
// by file.
//
// All of it lives in the reader's scratch arena, and is gone when the module is made. Types are those of the module:
// a tensor is a tile, a scalar is a tile of rank 0.
#ifndef CONGRUENT_TRITON_READER_H
#define CONGRUENT_TRITON_READER_H

#include "compiler/mlir/mlir.h"
#include "compiler/triton/triton.h"

// ---- the op table (table.c) ----------------------------------------------------------------------------------------

typedef struct TriTranslation TriTranslation;
typedef struct TriOp TriOp;
typedef bool (*TriHook)(TriTranslation *t, const TriOp *op);

typedef struct TriWord {
    const char *word;
    uint64_t number;
} TriWord;
typedef struct TriEnum {
    const char *name;
    size_t count;
    const TriWord *words;
} TriEnum;
// Numbers of words: TRI_precision_tf32, ...
#define TRI_WORD(enumeration, word, number) TRI_##enumeration##_##word = number,
#define TRI_ENUM(name, words)               enum { words };
#include "compiler/triton/attributes.def"
#undef TRI_WORD

typedef enum TriAttributeKind {
    TRI_INT,
    TRI_NATURAL, // an int that is not negative
    TRI_POSITIVE,
    TRI_BOOL,
    TRI_FLAG,
    TRI_STRING,
    TRI_INTS,
    TRI_CONSTANT,
    TRI_SYMBOL,
    TRI_OPAQUE,
    TRI_HINT_KIND,
    TRI_ENUMERATION,
} TriAttributeKind;

enum { TRI_OPERANDS_MAX = 10, TRI_ATTRIBUTES_MAX = 8, TRI_RESULTS_MAX = 3, TRI_REGIONS_MAX = 2, TRI_BODY_MAX = 64 };
// What an operand or result has to be, where a row says it; TRI_ANY: it does not. Scalars of a kind are its name.
typedef enum TriConstraint {
    TRI_ANY,
    TRI_A_MEMORY,
    TRI_A_TOKEN,
    TRI_A_TENSOR,
    TRI_A_DESCRIPTOR,
    TRI_A_WIDE,
    TRI_A_SCALAR,
} TriConstraint;
typedef struct TriNamed { // of an operand or result
    char name[16];
    TirArity arity;
    TriConstraint constraint;
    TirTypeKind kind; // of TRI_A_SCALAR
    char rule;        // of a result: 0, '=', '!', '>' or '.'
    char of[16];      // the operand of its rule
} TriNamed;
typedef struct TriAttributeInfo {
    char name[24];
    TriAttributeKind kind;
    const TriEnum *enumeration;
    bool optional, in_form;
} TriAttributeInfo;
typedef struct TriRow {
    const char *name; // tt.load
    const char *operands, *attributes, *results, *text;
    TirOpKind kind; // of SAME and MAP
    const char *words;
    TriHook hook; // NULL: SAME or MAP
} TriRow;
typedef struct TriOpInfo {
    const TriRow *row;
    const char *name;
    uint32_t operand_count, attribute_count, result_count;
    bool variadic_results;
    bool objects; // its operands and results may be memory objects and tokens
    TriNamed operands[TRI_OPERANDS_MAX], results[TRI_RESULTS_MAX];
    TriAttributeInfo attributes[TRI_ATTRIBUTES_MAX];
} TriOpInfo;
extern const TriRow tri_rows[]; // translate_table.c
extern const size_t tri_row_count;
// Parses all rows into the arena.
const TriOpInfo *tri_parse_rows(Arena *arena);
bool tri_is_hint(const char *name);
const char *tri_constraint_text(const TriNamed *named); // "a token", i32

// ---- what was read -------------------------------------------------------------------------------------------------

// How a tensor lies in shared or tensor memory. Those of tensors in registers say nothing about values: they are
// checked by name and forgotten.
typedef enum TriLayoutKind {
    TRI_LAYOUT_NVMMA,    // #ttg.nvmma_shared
    TRI_LAYOUT_SWIZZLED, // #ttg.swizzled_shared
    TRI_LAYOUT_LINEAR,   // #ttg.shared_linear
    TRI_LAYOUT_TENSOR,   // #ttng.tensor_memory_encoding
    TRI_LAYOUT_SCALES,   // #ttng.tensor_memory_scales_encoding
} TriLayoutKind;
typedef struct TriBases { // where the bits of a number lead, in elements or blocks of each dimension
    uint32_t count, rank;
    const int64_t *numbers; // count * rank; NULL: none
} TriBases;
static inline const int64_t *tri_basis(const TriBases *bases, uint32_t bit) {
    return bases->numbers + (size_t)bit * bases->rank;
}
static inline bool tri_basis_is_zero(const TriBases *bases, uint32_t bit) {
    for (uint32_t d = 0; d < bases->rank; d++)
        if (tri_basis(bases, bit)[d]) return false;
    return true;
}
typedef struct TriLayout {
    TriLayoutKind kind;
    bool transposed, fp4_padded, two_ctas;
    bool is_split;                            // over the blocks of a cluster
    uint32_t swizzle, element_bits;           // NVMMA: bytes; bits
    uint32_t vec, per_phase, max_phase;       // SWIZZLED
    uint32_t order[TIR_RANK_MAX], rank;       // SWIZZLED: the fastest dimension first; rank of NVMMA: 0: not said
    uint32_t block_m, block_n, column_stride; // TENSOR
    bool k_first;                             // SCALES: blockRepOrder is kThenMn
    TriBases offsets;                         // LINEAR: of the offset, in elements
    uint32_t alignment;                       // LINEAR: bytes
    // Of the number of a block in its cluster: which part of the whole it has, in blocks (of LINEAR in elements). Where
    // a basis is zero, both blocks have the same. None: it is not said, there is one block.
    TriBases blocks;
} TriLayout;
typedef struct TriMemory { // !ttg.memdesc: what is there, in sizes that are any positive ones, and where
    const TriLayout *layout;
    TirTypeKind kind;  // of elements
    TirTypeInfo shape; // rank and sizes alone
    int64_t sizes[TIR_RANK_MAX];
    bool tensor; // in tensor memory, else shared
    bool is_mutable;
    uint32_t whole_rank; // of what it is a slice of, the last number of the type; its shape if none is said
    int64_t whole[TIR_RANK_MAX];
} TriMemory;
typedef struct TriCluster { // what attributes of the module say; 0: not said
    uint64_t blocks, warps;
    bool two_ctas;
} TriCluster;
// What an attribute that begins with # stands for: #blocked, #ttg.nvmma_shared<..>, #smem.
typedef enum TriEncodingKind { TRI_REGISTERS, TRI_MEMORY, TRI_SHARED_SPACE, TRI_TENSOR_SPACE } TriEncodingKind;
typedef struct TriEncoding {
    TriEncodingKind kind;
    const TriLayout *layout; // of MEMORY
} TriEncoding;

typedef struct TriType {
    // A scalar or tensor; the block of a descriptor; of a block pointer the tile of pointers; of a memory object the
    // i64 that says where it is.
    TirType tile;
    bool descriptor;         // !tt.tensordesc
    bool block;              // !tt.ptr<tensor<..>>, of older versions
    bool is_unsigned;        // of a descriptor: its elements are ui8, ...
    bool token;              // !ttg.async.token; tile: an i1 that nobody looks at
    bool wide;               // i128, what ttng.clc_load_result gives; tile: an i64 that nobody looks at
    const TriMemory *memory; // !ttg.memdesc; else NULL
    const TriLayout *shared; // of a descriptor: how its block lies in shared memory, or NULL
} TriType;
typedef uint32_t TriValue;
#define TRI_NO_VALUE UINT32_MAX

typedef struct TriPlace { // a location; its alias or text is gone
    Location at;          // innermost outside installed Python packages; line 0: not known
    bool foreign;         // all of it lies in such packages
    const char *name;     // of the Python variable, or NULL
    uint64_t debug;       // the row of the module: a line, or a call site with where it was called; 0: none
} TriPlace;

typedef struct TriAttribute {
    bool present;
    uint64_t integer; // int, bool, flag, enumeration
    const char *text; // string, symbol
    size_t length;    // of text or numbers
    const int64_t *numbers;
    TirConstant constant;
} TriAttribute;

typedef enum TriHintKind { TRI_DIVISIBILITY, TRI_CONTIGUITY, TRI_CONSTANCY, TRI_HINT_KINDS } TriHintKind;
typedef struct TriHint { // tl.multiple_of, tl.max_contiguous, tl.max_constancy of a result
    size_t count;        // 0: not said; 1: of all dimensions
    const int64_t *numbers;
} TriHint;

typedef struct TriBlock TriBlock;
typedef struct TriSuccessor {
    Token name;
    TriBlock *block;
    uint32_t count;
    TriValue *values;
} TriSuccessor;
typedef struct TriRegion {
    TriBlock *first, *last;
    uint32_t warps; // of a partition: that run it; else 0
} TriRegion;
struct TriOp {
    const TriOpInfo *info;
    Location at;    // source line if known, else that of a user, else the place in the text
    bool unplaced;  // it says no source line
    uint64_t debug; // as of its place
    uint32_t operand_count, segments[TRI_OPERANDS_MAX];
    TriValue *operands;
    uint32_t result_count;
    uint8_t results[TRI_RESULTS_MAX]; // of each declared one whether it is there; variadic ones: 1
    TriValue first_result;
    TriAttribute attributes[TRI_ATTRIBUTES_MAX];
    TriHint *hints; // TRI_HINT_KINDS of them; NULL: none
    uint32_t region_count;
    TriRegion *regions; // of ttg.warp_specialize: the default one, then the partitions, whose arguments are operands
    uint32_t successor_count;
    TriSuccessor *successors; // of cf.br and cf.cond_br
    TriOp *next;
};
struct TriBlock {
    Token name; // length 0: the entry
    uint32_t argument_count;
    TriValue first_argument;
    TriOp *first, *last;
    TriBlock *next;
    uint32_t number; // in its region
};
typedef struct TriArgument {
    uint64_t divisor; // of the number or address, which the launcher promises; 0: none
    Location at;
} TriArgument;
typedef struct TriFunction {
    const char *name;
    bool is_public;
    Location at;
    uint32_t argument_count, result_count;
    TriValue first_argument;
    const TriType *results;
    const char **argument_names;
    TriArgument *arguments;
    TriRegion body;
    TriValue first_value, value_count; // its values are first_value and the next ones
} TriFunction;

typedef struct TriReader {
    Parser base;
    uint32_t kernel_count;  // public functions
    uint32_t function_room; // of the module: functions that it may have
    const TriOpInfo *infos;
    Map op_names, place_names, function_names, layouts;
    TriEncoding *encodings; // that `layouts` names
    size_t encoding_count, encoding_capacity;
    TriCluster cluster;
    TriPlace *places;
    size_t place_count, place_capacity;
    TriType *types; // of values
    size_t value_count, value_capacity;
    TriFunction *functions;
    size_t function_count, function_capacity;
    // Stacks for the parts of an op, as Parser.operands is one.
    TriType *type_stack;
    size_t type_count, type_capacity;
    struct TriResultName *names;
    size_t name_count, name_capacity;
} TriReader;
static inline TriReader *tri_reader(const Parser *p) { // no parser is constant, some functions only look at it
    return (TriReader *)p;
}

// ---- the reader (parse_module.c) -----------------------------------------------------------------------------------

bool tri_parse_module(Parser *p);
TriValue tri_new_value(Parser *p, TriType type);
bool tri_fail_unsupported(Parser *p, const Token *at, const char *format, ...) BASE_PRINTF(3, 4);
// The same with what to do instead.
bool tri_fail_advised(Parser *p, const Token *at, const char *advice, const char *format, ...) BASE_PRINTF(4, 5);
extern const char tri_export_newer[], tri_export_ttgir[], tri_export_plain[], tri_export_nvidia[]; // such advice
const char *tri_made_by(Parser *p); // " (made by Triton 3.9.0)", or nothing

// ---- the file beside the text (read_metadata.c) --------------------------------------------------------------------

// What NAME.json says of NAME.ttir, if it is there and Triton's; kept in the arena. False and a diagnostic if it is
// damaged.
bool tri_read_metadata(Diagnostics *diagnostics, Arena *arena, const char *path, TirOrigin *origin);

// ---- types (parse_types.c) -----------------------------------------------------------------------------------------

// A type. `bare`: what <..> without a name before it is: 'p' a pointer, 'd' a descriptor, 'm' a memory object, 0 an
// error.
bool tri_parse_type(Parser *p, char bare, TriType *type);
bool tri_push_type(Parser *p, TriType type);
// A, B: pushed. (), (A) or A: pushed.
bool tri_parse_type_list(Parser *p, uint32_t *count);
bool tri_parse_type_or_list(Parser *p, uint32_t *count);
const char *tri_type_text(Parser *p, TriType type);                             // for messages, in the scratch arena
bool tri_same_type(TriType a, TriType b);                                       // but for layouts of registers
TirType tri_tile(TirModule *module, TirType element, const TirTypeInfo *shape); // of the shape of a tile
TirType tri_scalar(TirModule *module, TirTypeKind kind);                        // a tile of rank 0

// ---- layouts (parse_layouts.c) -------------------------------------------------------------------------------------

bool tri_parse_register_layout(Parser *p);                         // of a tensor
bool tri_parse_memory_layout(Parser *p, const TriLayout **layout); // of a memory object or descriptor
bool tri_same_layout(const TriLayout *a, const TriLayout *b);
uint32_t tri_layout_rank(const TriLayout *layout); // at least so many dimensions memory of it has
bool tri_parse_space(Parser *p, bool *tensor);
// #shared = #ttg.nvmma_shared<{..}>, of which the name is the current token.
bool tri_parse_layout_alias(Parser *p);

// ---- attributes (parse_attributes.c) -------------------------------------------------------------------------------

// The value behind an equals sign, for an attribute of this kind.
bool tri_parse_attribute(Parser *p, const TriAttributeInfo *info, TriAttribute *attribute);
// Whether its number is one that the kind allows.
bool tri_check_integer(Parser *p, const Token *at, const TriAttributeInfo *info, const TriAttribute *attribute);
// {..} of an op: hints of other things than its result are skipped, other attributes must be the op's.
bool tri_parse_op_dictionary(Parser *p, uint32_t open, uint32_t close, TriOp *op);
// {..} of what has only hints: arguments, functions, modules.
bool tri_parse_hints(Parser *p);
bool tri_parse_module_attributes(Parser *p);
// The same of an argument. *divisor: its tt.divisibility; 0: none.
bool tri_parse_argument_hints(Parser *p, uint64_t *divisor);
bool tri_skip_value(Parser *p);  // of an attribute: up to a comma or a closing bracket
bool tri_skip_angles(Parser *p); // <..>
// dense<..> : TYPE, or NUMBER : TYPE, or true.
bool tri_parse_constant(Parser *p, TriAttribute *attribute, TriType *type);

// ---- locations (parse_locations.c) ---------------------------------------------------------------------------------

// Reads all lines that begin with #loc.
bool tri_collect_places(Parser *p);
// [loc(..)]: *place is an index into places, UINT32_MAX without one.
bool tri_parse_place(Parser *p, uint32_t *place);
// Gives the ops of a function that say no source line, such as constants, that of their first user.
void tri_place_ops(Parser *p, const TriFunction *function);

// ---- ops (parse_ops.c, parse_forms.c, parse_control.c) -------------------------------------------------------------

typedef struct TriResultName {
    Token name;
    uint32_t count;
} TriResultName;
typedef struct TriParsed { // an op while it is parsed
    TriOp *op;
    Token at;
    uint32_t first_name, name_count, named;                                     // on names; how many results they are
    uint32_t first_operand[TRI_OPERANDS_MAX], operand_counts[TRI_OPERANDS_MAX]; // on Parser.operands
    TriType result_types[TRI_RESULTS_MAX];
    bool has_result_type[TRI_RESULTS_MAX];
    uint32_t first_type, type_count; // on type_stack: of all results, where has_types
    bool has_types;
} TriParsed;
// Behind the opening brace, up to and with the closing one. `first`: the first block, whose arguments are there.
bool tri_parse_region(Parser *p, TriRegion *region, TriBlock *first);
TriBlock *tri_add_block(Parser *p, TriRegion *region);
bool tri_parse_form(Parser *p, TriParsed *parsed);
bool tri_parse_operands(Parser *p, TriParsed *parsed, uint32_t operand);
bool tri_parse_generic(Parser *p, TriParsed *parsed);
bool tri_parse_functional(Parser *p, TriParsed *parsed); // (types) -> types
bool tri_check_type(Parser *p, const Token *at, TriValue value, TriType type);
TriType tri_value_type(const Parser *p, TriValue value);
bool tri_parse_form_hook(Parser *p, TriParsed *parsed, const char *name, size_t length);
uint32_t tri_operand_index(const TriOpInfo *info, const char *name, size_t length); // UINT32_MAX: none

#endif
