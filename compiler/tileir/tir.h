// SPDX-License-Identifier: Apache-2.0
// Tile IR: the op table, types, modules in an arena, bytecode reader and writer, verifier, text printer. No LLVM here.
//
// A TirModule owns everything in it; tir_module_close frees it. Types are interned: equal types have equal TirType
// values. Values are dense indices into their function's value table.
#ifndef CONGRUENT_TIR_H
#define CONGRUENT_TIR_H

#include "base/base.h"
#include "compiler/program.h"
#include "sanitizer/format/format.h"

// ---- types (types.c) ----------------------------------------

// Kinds and the encoding tags of tile-ir.md section 2; types.def has a row for each.
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
    uint16_t tag, since;   // encoding tag; 1301 = 13.1
    ElementType element;   // of a number; ELEMENT_TYPE_COUNT for compounds
    uint8_t bits;          // width of a number (tf32: 19), 0 for compounds (ptr: 64)
    uint8_t storage_bytes; // bytes of one element in memory (f4E2M1FN: 1, holds two), 0 for compounds (ptr: 8)
} TirTypeRow;
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
    TirType element;        // tile, ptr, tensor_view: element or pointee; the three views: their tensor_view
    uint32_t rank;          // tile, tensor_view, views: length of shape
    const int64_t *shape;   // tile: sizes; tensor_view: sizes or TIR_DYNAMIC; views: the tile shape
    const int64_t *strides; // tensor_view: strides or TIR_DYNAMIC; strided_view: traversal strides
    const int32_t *dim_map; // partition_view, strided_view: tensor dimension of each tile dimension
    uint32_t sparse_dim;    // gather_scatter_view
    TirPadding padding;     // views
    int32_t ptr_attr;       // ptr, tensor_view: attribute (13.4), -1 = none
    uint32_t parameter_count, result_count; // function
    const TirType *parameters, *results;    // function
} TirTypeInfo;

typedef struct TirModule TirModule;
typedef struct TirFunction TirFunction;
typedef struct TirOp TirOp;
typedef struct TirBlock TirBlock;
typedef struct TirRegion TirRegion;

const TirTypeInfo *tir_type(const TirModule *module, TirType type);
// The interned type equal to *info (arrays are copied). Fields that the kind does not have are ignored; ptr and
// tensor_view need ptr_attr = -1, views without padding need TIR_PAD_none. Pointers from tir_type stay valid.
TirType tir_type_intern(TirModule *module, const TirTypeInfo *info);
// What is wrong with a type of these parts (ranks, sizes, elements), NULL if nothing; the text lives in the module's
// arena.
const char *tir_type_problem(TirModule *module, const TirTypeInfo *info);
TirType tir_type_scalar(TirModule *module, TirTypeKind kind);
TirType tir_type_tile(TirModule *module, TirType element, uint32_t rank, const int64_t *shape);
bool tir_type_is_float(const TirModule *module, TirType type); // the number type itself, not a tile of it
bool tir_type_is_integer(const TirModule *module, TirType type);
// Tile types: kind of the element (TIR_TYPE_ptr for pointers), number of elements (1 for rank 0).
TirTypeKind tir_tile_element_kind(const TirModule *module, TirType tile);
int64_t tir_tile_elements(const TirModule *module, TirType tile);
// Appends the type as tileirdisasm prints it.
void tir_type_print(const TirModule *module, TirType type, Buffer *out);

// ---- the op table (ops.def, op_table.c) ----------------------------------------

typedef enum TirOpKind {
#define OP(name, ...) TIR_OP_##name,
#include "compiler/tileir/ops.def"
#undef OP
    TIR_OP_COUNT
} TirOpKind;

typedef enum TirAttributeKind {
    TIR_ATTR_UNIT, // flag
    TIR_ATTR_BOOL,
    TIR_ATTR_ENUM, // value in integer, `enumeration` names the table
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
// Which types a column of ops.def allows, see there.
typedef struct TirRelation {
    char relation; // '=' type, '~' shape, '^' element, '%' rank, '&' tile of pointers to its elements
    bool of_result;
    uint8_t index; // of the declared operand or result it relates to
} TirRelation;
typedef struct TirTypeRule {
    uint32_t kinds;    // bit per TirTypeKind: what the type itself may be
    uint32_t elements; // bit per TirTypeKind: what the elements may be, if it is a tile
    int8_t rank;       // -1 = any
    uint8_t relation_count;
    TirRelation relations[TIR_RELATIONS_MAX];
} TirTypeRule;
typedef struct TirOperandInfo { // of operands and of results
    const char *name;
    TirArity arity;
    uint16_t since;
    int8_t flag; // bit in the op's flags field that says it is there, -1 = none
    TirTypeRule type;
} TirOperandInfo;
typedef struct TirAttributeInfo {
    const char *name;
    TirAttributeKind kind;
    bool optional;
    bool symbol; // a string that is a symbol name
    bool has_default;
    int8_t flag; // bit in the op's flags field that says it is there, -1 = none
    uint16_t since;
    const struct TirEnum *enumeration;
    uint64_t default_value; // of an attribute absent because the file is older
} TirAttributeInfo;
// Column `effects` of ops.def, which says what the words mean.
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
    uint8_t effects;      // of TirEffect
    int8_t address;       // declared operand where it reads or writes, -1 = none, or anywhere
    uint8_t passed;       // bit per declared operand: its results point where that operand does
    FpsanRule rule;       // that a numeric applies to its operands; FPSAN_RULE_COUNT: none
    uint16_t flags_since; // first version in which the op has a flags field, UINT16_MAX = never
    TirOperandInfo operands[TIR_OPERANDS_MAX];
    TirAttributeInfo attributes[TIR_ATTRIBUTES_MAX];
    TirOperandInfo results[TIR_RESULTS_MAX]; // declared ones; how many: result_count, or 1 if that is -1
    const char *result_names;                // space separated, for printing
    const char *text_name;                   // mnemonic as printed: fpowf for pow
    const char *text;                        // text form without a leading =word
} TirOpInfo;
// The table, parsed once from ops.def; constant afterwards. (op_table.c fills it from strings at first use,
// thread-safe.)
const TirOpInfo *tir_op_info(TirOpKind kind);
// The op with this opcode, TIR_OP_COUNT if there is none.
TirOpKind tir_op_by_opcode(uint64_t opcode);

// ---- attributes ----------------------------------------

typedef enum TirTag { // tags of tagged attributes in the file
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
    TIR_TAG_BOUNDED
} TirTag;

typedef struct TirConstant { // dense elements: `size` raw bytes; a splat holds one element (tile-ir.md section 2)
    const uint8_t *bytes;
    size_t size;
    uint32_t index; // in the file's constant table
} TirConstant;

typedef struct TirAttribute TirAttribute;
typedef struct TirNamedAttribute TirNamedAttribute;
struct TirAttribute {
    bool present;     // false: optional and absent, or newer than the file (integer then holds the default)
    uint8_t flags;    // div_by: 1 every, 2 along; bounded: 1 lb, 2 ub; float: 1 written with 65 bits (format.h)
    TirTag tag;       // of tagged attributes
    TirType type;     // tagged integer, float, type
    uint64_t integer; // unit, bool, enum, i32, i64, tagged integer (zero-extended), float bits (low 64)
    size_t length;    // of text, numbers, items or entries
    // By kind or tag. numbers: i32 and bool arrays; same_elements; div_by: divisor, every or -1, along or -1; bounded:
    // lb, ub.
    union {
        const char *text; // strings
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

// ---- the elements of constants (build_module.c) ----------------------------------------

// The bits of one element of a tile with this constant, which fits it; and whether all elements are the same.
uint64_t tir_constant_bits(const TirModule *module, TirType tile, const TirConstant *constant, int64_t index);
bool tir_constant_is_splat(const TirModule *module, TirType tile, const TirConstant *constant);
// Bytes of so many elements in memory: two of four bits share a byte, the first in the low half.
uint64_t tir_memory_bytes(TirTypeKind kind, uint64_t elements);
// The constant as it lies in memory, tir_memory_bytes of it.
void tir_constant_memory(const TirModule *module, TirType tile, const TirConstant *constant, uint8_t *memory);

// ---- debug info ----------------------------------------

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

typedef struct TirDebug {            // a row of the debug attribute table; refs are 1-based, 0 = none
    uint32_t tag;                    // TirDebugTag
    uint64_t refs[2];                // scope and file; or callee and caller; or file and compile unit
    const char *name, *linkage_name; // file: name, directory; subprogram: name, linkage name; location: file name
    uint64_t line, column, scope_line;
} TirDebug;

// ---- modules ----------------------------------------

typedef uint32_t TirValue; // index into TirFunction.values
#define TIR_NO_VALUE UINT32_MAX

typedef struct TirValueInfo {
    TirType type;
    uint32_t index;    // result or argument number
    TirOp *definition; // NULL for block arguments
    TirBlock *block;   // of a block argument, else the block of `definition`
} TirValueInfo;

struct TirOp {
    TirOpKind kind;
    uint32_t number; // position in its function, pre-order, from 0
    Location at;     // source line if debug info has one, else byte offset
    uint64_t debug;  // ref into TirModule.debug, 0 = none
    TirBlock *block;
    TirOp *next, *previous; // in the block
    uint32_t operand_count, result_count, region_count;
    TirValue *operands;                  // all, in declaration order
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
    TirRegion body;
    TirValueInfo *values;
    uint32_t value_count, value_capacity;
    uint32_t op_count;
};
typedef struct TirGlobal {
    const char *name;
    TirType type;
    TirConstant value;
    uint64_t alignment; // 0 = none
    bool is_private, constant;
    Location at; // of text; bytecode says none
} TirGlobal;

struct TirModule {
    Arena arena;
    const char *path;              // as given to the reader
    uint16_t version, version_tag; // 1301 = 13.1
    const char *producer;          // or NULL
    // Of text. `testing`: it holds what only the dialect's own tests have, functions that are no entries, ops outside
    // functions or of other dialects. odd_location: the first fused or named location, which bytecode does not have.
    bool testing;
    Location at, odd_location;
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
        *tables; // what the writer needs to give back the very bytes: section order, table order (reader's)
    struct TirInterner *interner; // types.c
};

// An operand, attribute or result by its name in ops.def (TIR_NO_VALUE / NULL if absent; asserts that the name exists).
TirValue tir_operand(const TirOp *op, const char *name);
const TirAttribute *tir_attribute(const TirOp *op, const char *name);
uint64_t tir_attribute_integer(const TirOp *op, const char *name);
// The variadic operand `name`: its first value in *values (may be NULL), returns how many.
uint32_t tir_operands(const TirOp *op, const char *name, const TirValue **values);
static inline TirValue tir_result(const TirOp *op, uint32_t index) {
    return op->first_result + index;
}
// The ops of a region and of all regions inside it, in pre-order (an op, then those of its regions): the first one, and
// the one behind `op`. NULL: there is none.
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

// ---- what an op does with memory and pointers (op_table.c) ----------------------------------------

// Whether the op has any of these effects (TirEffect). Of an op with regions: itself, not the ops in them.
static inline bool tir_op_does(const TirOp *op, unsigned effects) {
    return tir_op_info(op->kind)->effects & effects;
}
// The pointers or the view at which the op reads or writes. TIR_NO_VALUE: it does neither, or does it anywhere.
TirValue tir_op_address(const TirOp *op);
// Whether the op's results point where this operand (of op->operands) does.
bool tir_op_passes(const TirOp *op, uint32_t operand);
// The one operand of which that is true, TIR_NO_VALUE if there are none or several.
TirValue tir_op_passed(const TirOp *op);
// Whether the ordering of an access is weak: nobody else stores what it reads, or reads what it stores, meanwhile.
bool tir_op_is_weak(const TirOp *op);
// Whether a loop with this op may wait for what others store.
static inline bool tir_op_waits(const TirOp *op) {
    return tir_op_does(op, TIR_WAITS) && !tir_op_is_weak(op);
}

// ---- building (build_module.c) ----------------------------------------

// An empty module; everything below lives in its arena. tir_module_close(NULL) is fine.
TirModule *tir_module_open(const char *path);
void tir_module_close(TirModule *module);
// A function with the given function type; its body gets one block whose arguments are the parameters. At most
// TIR_FUNCTIONS_MAX, unless tir_functions_reserve made room for more before the first one (functions never move).
enum { TIR_FUNCTIONS_MAX = 64 };
void tir_functions_reserve(TirModule *module, uint32_t count);
TirFunction *tir_function_add(TirModule *module, const char *name, TirType type, bool entry);
// A public global of no name, type and value yet, for the caller to fill in. The pointer is good until the next one.
TirGlobal *tir_global_add(TirModule *module);
// Elements as raw bytes, little endian (a splat: one element), for a global or an op `constant`. They are copied.
TirConstant tir_constant(TirModule *module, const void *bytes, size_t size);
TirBlock *tir_block_add(TirRegion *region, uint32_t argument_count, const TirType *arguments);
typedef struct TirNewOp {
    TirOpKind kind;
    uint32_t operand_count;
    const TirValue *operands; // in declaration order
    // How many of them each declared operand has; NULL: one each, a single optional or variadic one takes the rest.
    const uint32_t *segments;
    uint32_t result_count;
    const TirType *results;
} TirNewOp;
// Appends an op: all attributes are absent or at their default, its regions are empty.
TirOp *tir_op_add(TirBlock *block, const TirNewOp *added);
// Marks the attribute of this name present and returns it to be filled in: the fields that TirAttribute names for its
// kind. What it points to (text, numbers, items, entries) is not copied: take it from the module's arena, or keep it
// until the module is closed. `hints` of a TirFunction is filled in the same way, with the tag TIR_TAG_HINTS.
TirAttribute *tir_op_set(TirOp *op, const char *name);
// Appends a row of debug info (its strings are not copied either) and returns the reference to it: for refs of other
// rows, and for `debug` of functions and ops. Of an op that is located the function must be, too (tile-ir.md 1.7).
uint64_t tir_debug_add(TirModule *module, const TirDebug *row);

// ---- reading (read_bytecode.c, parse_text.c and their parts) ----------------------------------------

// Nesting: of regions; attribute depth: of arrays and dictionaries in dictionaries.
enum { TIR_VERSION_MIN = 1301, TIR_VERSION_MAX = 1304, TIR_NESTING_MAX = 256, TIR_ATTRIBUTE_DEPTH_MAX = 16 };
// Reads bytecode; NULL and a diagnostic (E_BYTECODE, E_VERSION, E_LIMIT with byte offset and section) if it is not
// valid. `data` is not kept. What is checked is the encoding, the types and the sizes of constants; tir_verify checks
// the ops. An op's `at` is the innermost source line of its debug info outside installed Python packages, else its byte
// offset.
TirModule *tir_read_bytecode(Diagnostics *diagnostics, const char *path, const uint8_t *data, size_t size);
// Parses text: what tileirdisasm prints, with -g too, and what the dialect's tests write (tile-ir.md section 4). NULL
// and a diagnostic (E_TEXT, E_LIMIT with line and column) if it is not valid. `text` is not kept. The module has the
// newest version; functions that are no entries (testing$func; of ops outside functions, with an empty name) make it
// `testing`. An op's `at` is the source line of its loc(...), else its place in the text.
TirModule *tir_parse_text(Diagnostics *diagnostics, const char *path, const char *text, size_t size);
// False, and E_TEXT, for a `testing` module or one with an odd location: it can be parsed, printed and verified, but
// neither compiled nor written as bytecode.
bool tir_is_self_contained(Diagnostics *diagnostics, const TirModule *module);
// Reads bytecode or text, as the magic says; the module is self-contained. And a file: also E_FILE.
TirModule *tir_read_bytes(Diagnostics *diagnostics, const char *path, const uint8_t *data, size_t size);
TirModule *tir_read_file(Diagnostics *diagnostics, const char *path);

// ---- writing (write_bytecode.c and its parts) ----------------------------------------

// Appends the module as bytecode of `version` (TIR_VERSION_MIN to TIR_VERSION_MAX). False and a diagnostic E_VERSION
// that names the op, operand, attribute or type which the version does not have, at the op's place (E_VERIFY, E_LIMIT:
// a module that tir_verify refuses). A module that was read is written back byte for byte in its own version, unless
// the file said something in a longer way than needed, or has strings at wrong offsets. Of what an older version lacks
// only the producer is left out.
bool tir_write_bytecode(Diagnostics *diagnostics, const TirModule *module, uint16_t version, Buffer *out);

// ---- checking (verify.c, verify_*.c) ----------------------------------------

// Checks every rule of the dialect; false and diagnostics E_VERIFY naming op, operand, what was found and what is
// allowed.
bool tir_verify(Diagnostics *diagnostics, const TirModule *module);
// Of a verified module: false and E_VERIFY for each optimization hint of an unknown target, name or value. tir_verify
// lets them pass, as NVIDIA's tools do. (verify_hints.c)
bool tir_verify_hints(Diagnostics *diagnostics, const TirModule *module);

// ---- as a program (describe_program.c, trace_memory.c) ----------------------------------------

// The verified module as a program, which lives in the module's arena and ends with it.
const Program *tir_program(TirModule *module);
extern const FrontEnd tir_front_end;
// The functions of program.h for PROGRAM_TILES. tir_program_close closes the module.
void tir_program_close(const Program *program);
void tir_program_fill_global(const Program *program, uint32_t global, uint8_t *bytes);
bool tir_program_print_identity(const Program *program, Buffer *out);

// ---- printing (print_text.c) ----------------------------------------

// Appends the module as tileirdisasm prints it; with `locations` the debug information too.
void tir_print(const TirModule *module, bool locations, Buffer *out);

#endif
