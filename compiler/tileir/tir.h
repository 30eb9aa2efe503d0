// SPDX-License-Identifier: Apache-2.0
// Tile IR as data: the op table, types, modules; reading, writing, parsing, printing and verifying them. No LLVM here.
//
// A TirModule owns everything in it, in its arena; tir_module_close frees it. Types are interned: equal types have
// equal TirType numbers. A TirValue is an index into its function's table of values.
#ifndef CONGRUENT_TIR_H
#define CONGRUENT_TIR_H

#include "base/base.h"
#include "compiler/math/math_settings.h"
#include "compiler/program.h"
#include "sanitizer/format/format.h"

// ---- types (types.c) -----------------------------------------------------------------------------------------------

// The kinds of types (tile-ir.md section 2), a row of types.def each.
typedef enum TirTypeKind {
#define TYPE(name, ...) TIR_TYPE_##name,
#include "compiler/tileir/types.def"
#undef TYPE
    TIR_TYPE_COUNT
} TirTypeKind;

typedef enum TirTypeClass { TIR_CLASS_INTEGER, TIR_CLASS_FLOAT, TIR_CLASS_COMPOUND } TirTypeClass;

typedef struct TirTypeRow {
    const char *name; // as printed: "i32", "f8E4M3FN", "tile", ...
    TirTypeClass class;
    uint16_t tag, since;   // encoding tag, TIR_NO_TAG: only text has the type; 1301 = 13.1
    ElementType element;   // of a number; ELEMENT_TYPE_COUNT for compounds
    uint8_t bits;          // width of a number (tf32: 19), 0 for compounds (ptr: 64)
    uint8_t storage_bytes; // bytes of one element in memory (f4E2M1FN: 1, holds two), 0 for compounds (ptr: 8)
} TirTypeRow;
enum { TIR_NO_TAG = UINT16_MAX };
extern const TirTypeRow tir_type_rows[TIR_TYPE_COUNT];
static inline FpsanFormat tir_float_format(TirTypeKind kind) { // FPSAN_FORMAT_COUNT: not a float
    return element_format(tir_type_rows[kind].element);
}

typedef uint32_t TirType; // index into TirModule.types
#define TIR_NO_TYPE UINT32_MAX
#define TIR_DYNAMIC INT64_MIN // a dynamic extent or stride of a tensor view
enum { TIR_RANK_MAX = 32, TIR_TILE_ELEMENTS_MAX = 1 << 24 };

typedef enum TirPadding {
    TIR_PAD_zero,
    TIR_PAD_neg_zero,
    TIR_PAD_nan,
    TIR_PAD_pos_inf,
    TIR_PAD_neg_inf,
    TIR_PAD_none
} TirPadding;

typedef struct TirTypeInfo {
    TirTypeKind kind;
    TirType element;                        // tile, ptr, tensor_view: element or pointee; views: their tensor_view
    uint32_t rank;                          // tile, tensor_view, views: length of shape
    const int64_t *shape;                   // tile: sizes; tensor_view: sizes or TIR_DYNAMIC; views: the tile shape
    const int64_t *strides;                 // tensor_view: strides or TIR_DYNAMIC; strided_view: traversal strides
    const int32_t *dim_map;                 // partition_view, strided_view: tensor dimension of each tile dimension
    uint32_t sparse_dim;                    // gather_scatter_view
    TirPadding padding;                     // views
    int32_t ptr_attr;                       // ptr, tensor_view: attribute (13.4), -1 = none
    uint32_t parameter_count, result_count; // function
    const TirType *parameters, *results;    // function
} TirTypeInfo;

typedef struct TirModule TirModule;
typedef struct TirFunction TirFunction;
typedef struct TirOp TirOp;
typedef struct TirBlock TirBlock;
typedef struct TirRegion TirRegion;

const TirTypeInfo *tir_type(const TirModule *module, TirType type);
// The interned type equal to *info, whose arrays are copied. Fields that the kind does not have are ignored. "None" is
// -1 in ptr_attr and TIR_PAD_none in padding, not 0. Pointers that tir_type has given stay valid.
TirType tir_type_intern(TirModule *module, const TirTypeInfo *info);
// What is wrong with such a type (ranks, sizes, elements), as a text in the module's arena; NULL: nothing.
const char *tir_type_problem(TirModule *module, const TirTypeInfo *info);
TirType tir_type_scalar(TirModule *module, TirTypeKind kind);
TirType tir_type_tile(TirModule *module, TirType element, uint32_t rank, const int64_t *shape);
bool tir_type_is_float(const TirModule *module, TirType type); // the number type itself, not a tile of it
bool tir_type_is_integer(const TirModule *module, TirType type);
// Of tile types: the kind of the element (TIR_TYPE_ptr for pointers); the number of elements (1 for rank 0).
TirTypeKind tir_tile_element_kind(const TirModule *module, TirType tile);
int64_t tir_tile_elements(const TirModule *module, TirType tile);
// Appends the type as tileirdisasm prints it.
void tir_type_print(const TirModule *module, TirType type, Buffer *out);

// ---- the op table (ops.def, op_table.c) ----------------------------------------------------------------------------

typedef enum TirOpKind {
#define OP(name, ...) TIR_OP_##name,
#include "compiler/tileir/ops.def"
#undef OP
    TIR_OP_COUNT
} TirOpKind;

typedef enum TirAttributeKind {
    TIR_ATTR_UNIT, // a flag
    TIR_ATTR_BOOL,
    TIR_ATTR_ENUM, // a word of TirAttributeInfo.enumeration
    TIR_ATTR_I32,
    TIR_ATTR_I64,
    TIR_ATTR_STRING, // string and symbol
    TIR_ATTR_I32_ARRAY,
    TIR_ATTR_BOOL_ARRAY,
    TIR_ATTR_ARRAY,    // array of tagged attributes
    TIR_ATTR_HINTS,    // dictionary of dictionaries
    TIR_ATTR_CONSTANT, // dense elements; its type is that of result 0
    TIR_ATTR_TAGGED,   // assume's predicate
} TirAttributeKind;

enum { TIR_OPERANDS_MAX = 5, TIR_ATTRIBUTES_MAX = 6, TIR_RESULTS_MAX = 3, TIR_RELATIONS_MAX = 2, TIR_NAME_MAX = 32 };

typedef enum TirArity { TIR_ONE, TIR_OPTIONAL, TIR_VARIADIC } TirArity;
// What TYPE of ops.def says: a RELATION, and all of it.
typedef struct TirRelation {
    char relation;  // '=' type, '~' shape, '^' element, '%' rank, '&' tile of pointers to its elements
    bool of_result; // to a result; else to an operand
    uint8_t index;  // of that declared operand or result
} TirRelation;
typedef struct TirTypeRule {
    uint32_t kinds;    // bit per TirTypeKind: the kinds that are allowed
    uint32_t elements; // bit per TirTypeKind: the elements that are allowed, if it is a tile
    int8_t rank;       // -1 = any
    uint8_t relation_count;
    TirRelation relations[TIR_RELATIONS_MAX];
} TirTypeRule;
typedef struct TirOperandInfo { // of operands and of results
    const char *name;
    TirArity arity;
    uint16_t since;
    int8_t flag; // bit in the op's flags field that says whether it is present, -1 = none
    TirTypeRule type;
} TirOperandInfo;
typedef struct TirAttributeInfo {
    const char *name;
    TirAttributeKind kind;
    bool optional;
    bool symbol; // a string that is a symbol name
    bool has_default;
    int8_t flag; // bit in the op's flags field that says whether it is present, -1 = none
    uint16_t since;
    const struct TirEnum *enumeration;
    uint64_t default_value; // in files too old to have the attribute
} TirAttributeInfo;
// The words of the column `effects` of ops.def.
typedef enum TirEffect {
    TIR_READS = 1,
    TIR_WRITES = 2,
    TIR_ATOMIC = 4,
    TIR_WAITS = 8,
    TIR_ORDERS = 16,
    TIR_MAKES = 32,
    TIR_PASSES = 64,
    TIR_UNSPECIFIED = 128,
} TirEffect;
typedef struct TirOpInfo {
    const char *name; // mnemonic
    uint32_t opcode;
    uint16_t since;
    uint8_t operand_count, attribute_count, region_count;
    int8_t result_count;   // declared results; -1 = variadic
    bool counted_results;  // a result count is written
    bool segmented;        // operand segments ("S" in tile-ir.md)
    bool counted_operands; // one total count is written
    bool pure;             // no side effect
    bool pure_body;        // no side effect if the ops of its regions have none
    bool terminator;
    bool text_only;   // bytecode has no such op
    bool licensed;    // has flags and bounds (TirMath): its rule is one of floats, or its row says so
    uint16_t effects; // bits of TirEffect
    int8_t address;   // declared operand that points to the memory it reads or writes; -1 = it does not, or any memory
    uint8_t passed;   // bit per declared operand: its results point where that operand does
    FpsanRule rule;   // FPSAN_RULE_COUNT: none
    uint16_t flags_since; // first version in which the op has a flags field, UINT16_MAX = never
    TirOperandInfo operands[TIR_OPERANDS_MAX];
    TirAttributeInfo attributes[TIR_ATTRIBUTES_MAX];
    TirOperandInfo results[TIR_RESULTS_MAX]; // declared ones: result_count of them, or 1 if that is -1
    const char *result_names;                // space separated, for printing
    const char *text_name;                   // mnemonic in text: fpowf for pow
    const char *text;                        // text form without a leading =word
} TirOpInfo;
// The row of an op. The first call, in any thread, parses ops.def; the table is constant afterwards.
const TirOpInfo *tir_op_info(TirOpKind kind);
// The op with this opcode, TIR_OP_COUNT if there is none.
TirOpKind tir_op_by_opcode(uint64_t opcode);

// ---- attributes ----------------------------------------------------------------------------------------------------

typedef enum TirTag { // what a tagged attribute is: its tag in the file
    TIR_TAG_NONE,
    TIR_TAG_INTEGER = 1,
    TIR_TAG_FLOAT,
    TIR_TAG_BOOL,
    TIR_TAG_TYPE,
    TIR_TAG_STRING,
    TIR_TAG_ARRAY,
    TIR_TAG_DENSE,
    TIR_TAG_DIV_BY,
    TIR_TAG_SAME_ELEMENTS,
    TIR_TAG_DICTIONARY,
    TIR_TAG_HINTS,
    TIR_TAG_BOUNDED,
    TIR_TAG_REDUCTION // a word of multimem_reduction; since 13.5
} TirTag;

enum { TIR_ASSUMES_FIRST = 4 }; // in flags of DIV_BY: of each group its first element alone. No text says it

typedef struct TirConstant { // dense elements: `size` raw bytes; a splat holds one element (tile-ir.md section 2)
    const uint8_t *bytes;
    size_t size;
    uint32_t index; // in the file's constant table
} TirConstant;

typedef struct TirAttribute TirAttribute;
typedef struct TirNamedAttribute TirNamedAttribute;
struct TirAttribute {
    bool present;     // false: optional and absent, or newer than the file (`integer` then holds the default)
    uint8_t flags;    // div_by: 1 has every, 2 has along; bounded: 1 has lb, 2 has ub; float: FLOAT_LONG (format.h)
    TirTag tag;       // of tagged attributes
    TirType type;     // of a tagged integer, float or type
    uint64_t integer; // unit, bool, enum, i32, i64, tagged integer (zero-extended), float bits (low 64)
    size_t length;    // of text, numbers, items or entries
    union {
        const char *text; // strings
        // Arrays of i32 and bool; same_elements; div_by: divisor, every or -1, along or -1; bounded: lb, ub.
        const int64_t *numbers;
        const TirAttribute *items;        // arrays
        const TirNamedAttribute *entries; // dictionaries, hints, in file order
        TirConstant constant;
    };
};
struct TirNamedAttribute {
    const char *name;
    TirAttribute value;
};

// ---- the elements of constants (build_module.c) --------------------------------------------------------------------

// The bits of element `index` of a tile with this constant, whose size fits the tile.
uint64_t tir_constant_bits(const TirModule *module, TirType tile, const TirConstant *constant, int64_t index);
// Whether all its elements are the same.
bool tir_constant_is_splat(const TirModule *module, TirType tile, const TirConstant *constant);
// The bytes that so many elements take in memory. Two elements of four bits share a byte, the first in the low half.
uint64_t tir_memory_bytes(TirTypeKind kind, uint64_t elements);
// Writes the constant as it lies in memory: tir_memory_bytes of its elements.
void tir_constant_memory(const TirModule *module, TirType tile, const TirConstant *constant, uint8_t *memory);

// ---- debug info ----------------------------------------------------------------------------------------------------

typedef enum TirDebugTag { // kinds of debug attributes, by their tag in the file
    TIR_DEBUG_UNKNOWN,
    TIR_DEBUG_COMPILE_UNIT,
    TIR_DEBUG_FILE,
    TIR_DEBUG_LEXICAL_BLOCK,
    TIR_DEBUG_LOCATION,
    TIR_DEBUG_SUBPROGRAM,
    TIR_DEBUG_CALL_SITE,
    TIR_DEBUG_TAG_COUNT
} TirDebugTag;

typedef struct TirDebug {            // a row of TirModule.debug
    uint32_t tag;                    // TirDebugTag
    uint64_t refs[2];                // 1 + a row, 0 = none: scope and file; callee and caller; file and compile unit
    const char *name, *linkage_name; // file: name, directory; subprogram: name, linkage name; location: file name
    uint64_t line, column, scope_line;
    uint64_t declaration; // subprogram: 1 if it is one (13.5)
} TirDebug;

// ---- modules (build_module.c) --------------------------------------------------------------------------------------

typedef uint32_t TirValue; // index into TirFunction.values
#define TIR_NO_VALUE UINT32_MAX

typedef struct TirValueInfo {
    TirType type;
    uint32_t index;    // result or argument number
    TirOp *definition; // NULL for block arguments
    TirBlock *block;   // of a block argument, else the block of `definition`
} TirValueInfo;

// What an op is in Triton's own algebra, where that sees more of it than its meaning: a product of f32 that tensor
// cores compute as several of narrower parts (Triton's input precisions); a quotient 1 / x, or a conversion from f32 to
// tf32 and back, that is TirMath.assembly of x; an op that belongs to such a one, and is its first operand there.
typedef enum TirSplit {
    TIR_SPLIT_NONE,
    TIR_SPLIT_TF32X3,
    TIR_SPLIT_BF16X3,
    TIR_SPLIT_BF16X6,
    TIR_SPLIT_ASSEMBLY,
    TIR_SPLIT_OPERAND
} TirSplit;

// How the floats of an op may be computed (docs/numeric-modes.md). As read: what the text says. In a module that
// compiler/rewrite made: what holds.
typedef struct TirMath {
    uint8_t flags;          // bits of MathFlag: licences. Rewrites only ever remove some
    uint8_t implementation; // FloatImplementation (compiler/implementation.h): chosen last
    uint8_t mode;           // MathMode
    uint8_t cleared_keys;   // bit per MathKey whose value is 0, but for FTZ and ARCH
    bool flush;             // f32 operands and results are flushed, as an attribute `ftz` says, for any op
    uint8_t split;          // TirSplit: what the op is in Triton's algebra
    bool below_zero;        // of absf that was select(x < 0, -x, x): payloads are negated only where x < 0
    MathBound max_error;    // 0: none
    const char *assembly;   // of function, ftof and cast: the inline assembly that it was, in Triton's algebra a hash
} TirMath;
// A block math<SETTINGS> { } of the text. It is syntax only: the values of its ops are visible behind it.
typedef struct TirMathBlock TirMathBlock;
struct TirMathBlock {
    const TirMathBlock *outer;
    const char *settings; // what stands between < and >
    MathLayer layer;
};

struct TirOp {
    TirOpKind kind;
    uint32_t number;         // position in its function, pre-order, from 0
    Location at;             // source line if debug info has one, else the place in the file
    uint64_t debug;          // 1 + a row of TirModule.debug, 0 = none
    const char *source_name; // what it is part of, in the words of another language: tt.load; NULL: Tile IR's own
    TirMath math;
    const TirMathBlock *math_block; // the innermost, or NULL
    TirBlock *block;
    TirOp *next, *previous; // in the block
    uint32_t operand_count, result_count, region_count;
    TirValue *operands;                  // in declaration order
    uint32_t segments[TIR_OPERANDS_MAX]; // how many operands each declared operand has
    TirValue first_result;               // results are first_result .. + result_count - 1
    TirAttribute *attributes;            // one per declared attribute of the row, in its order
    TirRegion *regions;
};
struct TirBlock {
    TirRegion *region;
    TirBlock *next;
    uint32_t argument_count;
    TirValue first_argument;
    TirOp *first, *last;
    uint32_t op_count;
};
struct TirRegion {
    TirOp *owner; // NULL: a function's body
    TirFunction *function;
    TirBlock *first; // NULL: no block
    TirBlock *last;
    uint32_t block_count;
};
struct TirFunction {
    TirModule *module;
    const char *name;
    TirType type;
    bool entry, is_private;
    Location at;
    uint64_t debug;
    TirAttribute hints;
    TirAttribute argument_attributes; // an array with a dictionary for each parameter, if one is not empty (13.5)
    const TirMathBlock *math;         // math<SETTINGS> of the entry, or NULL
    TirRegion body;
    TirValueInfo *values;
    uint32_t value_count, value_capacity;
    uint32_t op_count;
    // Of Triton's kernels: what Python calls the parameters, and of a descriptor its rank, else 0; or NULL.
    const char *const *parameter_names;
    const uint32_t *descriptor_ranks;
    // Of one behind them that no argument is for, i32: 1 + the parameter of the descriptor whose padding it says (0:
    // zero, 1: NaN); else 0.
    const uint32_t *padding_of;
    // Of kernels that have a memory of the block's own (base/block_abi.h), and of their parts: the bytes of that
    // memory; the last parameter, a pointer to i8, is its address. Else 0.
    uint64_t memory_bytes;
    bool uniform_memory; // each place in it holds values of one type for good
    // Of a part: 1 + the number of the function whose part it is, its parts being numbered 1, 2, .. in the order of the
    // module; else 0. Parts stand behind all entries.
    uint32_t owner;
};
typedef struct TirGlobal {
    const char *name;
    TirType type;
    TirConstant value;
    uint64_t alignment; // 0 = none
    bool is_private, constant;
    Location at; // of text; bytecode says none
} TirGlobal;

typedef struct TirOrigin { // what the file beside Triton's text says; NULL: nothing
    const char *producer;  // "Triton 3.9.0"
    const char *text;      // for the user: producer, target, settings
    const char *kernel;    // the name of the one that is launched
} TirOrigin;

struct TirModule {
    Arena arena;
    const char *path;     // as given to the reader
    uint16_t version;     // 1301 = 13.1
    const char *producer; // or NULL
    // Of text. `testing`: the module has what only tests of the dialect have: functions that are no entries, ops
    // outside functions, ops of other dialects. `at`: where it says `module`, if it does. odd_location: the first fused
    // or named location, which bytecode does not have.
    bool testing;
    Location at, odd_location;
    TirOrigin origin;
    bool triton; // made of Triton's text: what nobody specified is zero in Triton's own algebra
    TirTypeInfo *types;
    uint32_t type_count;
    size_t type_capacity;
    TirFunction *functions;
    uint32_t function_count, function_capacity;
    TirGlobal *globals;
    uint32_t global_count;
    size_t global_capacity;
    TirDebug *debug; // row r is reference r + 1
    uint32_t debug_count;
    size_t debug_capacity;
    struct TirReadTables
        *tables; // of a module that was read: the order of sections and tables, so that it is written back the same
    struct TirInterner *interner; // types.c
};

// An operand or attribute by its name in ops.def, which must be one of the row. Absent: TIR_NO_VALUE, NULL.
TirValue tir_operand(const TirOp *op, const char *name);
const TirAttribute *tir_attribute(const TirOp *op, const char *name);
uint64_t tir_attribute_integer(const TirOp *op, const char *name); // TirAttribute.integer
// How many values the variadic operand `name` has; *values points to them (`values` may be NULL).
uint32_t tir_operands(const TirOp *op, const char *name, const TirValue **values);
static inline TirValue tir_result(const TirOp *op, uint32_t index) {
    return op->first_result + index;
}
// Whether it is a division of Triton's by a tile whose elements differ: some may be padding, and have no quotient,
// which is an unspecified value then. Any other division without a quotient is an error.
bool tir_divides_elements(const TirOp *op);
// Walk the ops of a region and of all regions inside it in pre-order (an op, then those of its regions): the first one;
// the one behind `op`. NULL: no more.
TirOp *tir_first_op(const TirRegion *region);
TirOp *tir_next_op(const TirRegion *region, const TirOp *op);
const TirValueInfo *tir_value(const TirFunction *function, TirValue value);
TirType tir_value_type(const TirFunction *function, TirValue value);
static inline const TirFunction *tir_op_function(const TirOp *op) {
    return op->block->region->function;
}
// Enum values: TIR_signedness_signed, TIR_rounding_nearest_even, ... (enums.def).
#define TIR_ENUM(name, words)       enum { words TIR_##name##_COUNT };
#define TIR_WORD(enumeration, word) TIR_##enumeration##_##word,
#include "compiler/tileir/enums.def"
#undef TIR_WORD
#undef TIR_ENUM
// Enum values to words and back ("signed", "nearest_even", ...).
typedef struct TirEnum {
    const char *name;
    uint32_t count;
    const char *const *words;
} TirEnum;
#define TIR_ENUM(name, ...) extern const TirEnum tir_enum_##name;
#include "compiler/tileir/enums.def"
#undef TIR_ENUM
const char *tir_enum_word(const TirEnum *enumeration, uint64_t value); // NULL if out of range
uint16_t tir_enum_since(const TirEnum *enumeration, uint64_t value);   // the word's first version

// ---- what an op does with memory and pointers (op_table.c) ---------------------------------------------------------

// Whether the op has any of these effects (TirEffect). Of an op with regions: itself, not the ops in them.
static inline bool tir_op_does(const TirOp *op, unsigned effects) {
    return tir_op_info(op->kind)->effects & effects;
}
// For messages: what the op is called where it was written, tt.load or load_ptr_tko.
static inline const char *tir_op_name(const TirOp *op) {
    if (op->source_name) return op->source_name;
    return op->kind == TIR_OP_block_operation ? tir_attribute(op, "op")->text : tir_op_info(op->kind)->name;
}
// The operand (pointers or a view) that points to the memory the op reads or writes. TIR_NO_VALUE: it does neither, or
// to any memory.
TirValue tir_op_address(const TirOp *op);
// Whether the op's results point where this operand (of op->operands) does.
bool tir_op_passes(const TirOp *op, uint32_t operand);
// The only operand of which that is true; TIR_NO_VALUE if it is true of none or of several.
TirValue tir_op_passed(const TirOp *op);
// Whether an access is weak: it promises that no other thread accesses the memory meanwhile in conflict with it.
bool tir_op_is_weak(const TirOp *op);
// What an atomic op but a swap computes (a word of atomic_mode); of multimem_reduce_view_tko, too.
uint64_t tir_atomic_mode(const TirOp *op);
// Whether a loop with this op may wait for what others store.
static inline bool tir_op_waits(const TirOp *op) {
    return tir_op_does(op, TIR_WAITS) && !tir_op_is_weak(op);
}

// ---- building (build_module.c) -------------------------------------------------------------------------------------

// An empty module; all that the functions below make lives in its arena. `path` is copied. tir_module_close(NULL) is
// fine.
TirModule *tir_module_open(const char *path);
void tir_module_close(TirModule *module);
// Adds a function with that function type. Its body has one block, whose arguments are the parameters. Functions never
// move, so there are at most TIR_FUNCTIONS_MAX, unless tir_functions_reserve made room for more before the first one.
enum { TIR_FUNCTIONS_MAX = 64 };
void tir_functions_reserve(TirModule *module, uint32_t count);
TirFunction *tir_function_add(TirModule *module, const char *name, TirType type, bool entry);
// Adds a public global; the caller fills in its name, type and value. The pointer is good until the next one is added.
TirGlobal *tir_global_add(TirModule *module);
// A constant for a global or an op `constant`: the bytes of its elements, little endian; of a splat one element. They
// are copied.
TirConstant tir_constant(TirModule *module, const void *bytes, size_t size);
TirBlock *tir_block_add(TirRegion *region, uint32_t argument_count, const TirType *arguments);
typedef struct TirNewOp {
    TirOpKind kind;
    uint32_t operand_count;
    const TirValue *operands; // in declaration order
    // How many operands each declared one has. NULL: one each; if one is optional or variadic, it has the rest.
    const uint32_t *segments;
    uint32_t result_count;
    const TirType *results;
} TirNewOp;
// Appends an op. Its attributes are absent or have their default, its regions are empty.
TirOp *tir_op_add(TirBlock *block, const TirNewOp *added);
// The same, before `next`, which is in a block.
TirOp *tir_op_insert(TirOp *next, const TirNewOp *added);
// Takes an op whose results have no use out of its block.
void tir_op_remove(TirOp *op);
// A copy that can be changed while the module stays as it is, types included. It uses the module's types, texts and
// debug information, so the module must outlive it. tir_module_close frees it.
TirModule *tir_module_copy(const TirModule *module);
// The same with one function alone. Values, and ops by their numbers, are those of the original.
TirModule *tir_module_copy_function(const TirModule *module, uint32_t function);
// A copy of an op of the same function, with all in it and results of its own, before `next` in `block`, or at its end
// (NULL). values[v]: what is put in place of value v, for all values of the function before; the copy's are filled in.
TirOp *tir_op_clone(TirBlock *block, TirOp *next, const TirOp *from, TirValue *values);
// Moves an op to the end of a block of the same function.
void tir_op_move(TirOp *op, TirBlock *block);
// Numbers the ops of all functions again (TirOp.number), after some were inserted or removed.
void tir_number_ops(TirModule *module);
// Whether an op, an entry or a block says something about how floats are computed, which bytecode has no place for.
bool tir_has_math(const TirModule *module);
// Forgets all of that.
void tir_drop_math(TirModule *module);
// Marks an attribute present and gives it to be filled in: the fields that TirAttribute has for its kind. Text,
// numbers, items and entries are not copied: they must live as long as the module. TirFunction.hints is filled in the
// same way, with the tag TIR_TAG_HINTS; argument_attributes with TIR_TAG_ARRAY.
TirAttribute *tir_op_set(TirOp *op, const char *name);
// Appends a row of debug info, whose strings are not copied either, and returns 1 + its index: for refs of other rows,
// and for `debug` of functions and ops. If an op has debug info its function must have some (tile-ir.md 1.7).
uint64_t tir_debug_add(TirModule *module, const TirDebug *row);

// ---- reading (read_bytecode.c, parse_text.c and their parts) -------------------------------------------------------

// TIR_NESTING_MAX: how deep regions may nest; TIR_ATTRIBUTE_DEPTH_MAX: arrays and dictionaries.
enum { TIR_VERSION_MIN = 1301, TIR_VERSION_MAX = 1305, TIR_NESTING_MAX = 256, TIR_ATTRIBUTE_DEPTH_MAX = 16 };
// Reads bytecode, and checks the encoding, the types and the sizes of constants; tir_verify checks the ops. If
// something is not valid, NULL and a diagnostic with byte offset and section: E_BYTECODE; E_VERSION if the version, or
// something newer than it, is not supported; E_LIMIT. `data` is not kept. An op's `at` is the innermost source line of
// its debug info outside installed Python packages, else its byte offset.
TirModule *tir_read_bytecode(Diagnostics *diagnostics, const char *path, const uint8_t *data, size_t size);
// Whether a source file belongs to an installed Python package, which nobody's own kernel does (read_debug.c).
bool tir_is_installed(const char *file);
// Parses text: what tileirdisasm prints, with -g too, and what the dialect's tests write (tile-ir.md section 4). If it
// is not valid, NULL and a diagnostic with line and column: E_TEXT or E_LIMIT. `text` is not kept. The module has the
// newest version. Ops outside functions go into a function with an empty name. An op's `at` is the source line of its
// loc(...), else its place in the text.
TirModule *tir_parse_text(Diagnostics *diagnostics, const char *path, const char *text, size_t size);
// False, and E_TEXT, for a module that is `testing` or has an odd location: it can be parsed, printed and verified, but
// neither compiled nor written as bytecode.
bool tir_is_self_contained(Diagnostics *diagnostics, const TirModule *module);
// Read bytecode or text, as the first bytes say, from memory or from a file (also E_FILE). The module is
// self-contained.
TirModule *tir_read_bytes(Diagnostics *diagnostics, const char *path, const uint8_t *data, size_t size);
TirModule *tir_read_file(Diagnostics *diagnostics, const char *path);

// ---- writing (write_bytecode.c and its parts) ----------------------------------------------------------------------

// Appends the module as bytecode of `version` (TIR_VERSION_MIN to TIR_VERSION_MAX). False and E_VERSION, at the op's
// place, if the version lacks an op, operand, attribute or type, which is named; only the producer is left out instead.
// False and E_VERIFY or E_LIMIT for a module that tir_verify refuses, or that has math (tir_has_math). A module that
// was read is written back byte for byte in its own version, unless the file said something in a longer way than
// needed, or has strings at wrong offsets.
bool tir_write_bytecode(Diagnostics *diagnostics, const TirModule *module, uint16_t version, Buffer *out);

// ---- checking (verify.c, verify_*.c) -------------------------------------------------------------------------------

// Checks every rule of the dialect. False and diagnostics E_VERIFY, which name the op and operand, what was found and
// what is allowed.
bool tir_verify(Diagnostics *diagnostics, const TirModule *module);
// Checks the optimization hints of a verified module: false and E_VERIFY for each unknown target, name or value.
// tir_verify lets these pass, as NVIDIA's tools do. (verify_hints.c)
bool tir_verify_hints(Diagnostics *diagnostics, const TirModule *module);

// ---- as a program (describe_program.c, trace_memory.c) -------------------------------------------------------------

// Describes the verified module as a program. It lives in the module's arena; program_close frees both.
const Program *tir_program(TirModule *module);
extern const FrontEnd tir_front_end;
// The functions of program.h for PROGRAM_TILES. tir_program_close closes the module.
void tir_program_close(const Program *program);
void tir_program_fill_global(const Program *program, uint32_t global, uint8_t *bytes);
bool tir_program_print_identity(const Program *program, Buffer *out);

// ---- printing (print_text.c) ---------------------------------------------------------------------------------------

// Appends the module as tileirdisasm prints it; with `locations` the debug information too.
void tir_print(const TirModule *module, bool locations, Buffer *out);

#endif
