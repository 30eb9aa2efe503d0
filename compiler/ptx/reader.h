// SPDX-License-Identifier: Apache-2.0
// Shared by the files that read PTX. One pass over the text; names are resolved on the way but for labels, which are
// resolved at the end of their function. The first error ends the reading.
#ifndef CONGRUENT_PTX_READER_H
#define CONGRUENT_PTX_READER_H

#include "compiler/ptx/ptx.h"

// What a text may have at most. Everything else grows with the text only.
enum {
    READER_NAME_MAX = 4096,            // bytes
    READER_DEPTH_MAX = 200,            // of { } and of parentheses
    READER_RANGE_MAX = 1 << 20,        // registers of one ".reg .b32 %r<20>"
    READER_RANGES_MAX = 1 << 22,       // of all of a module
    READER_BYTES_MAX = 1 << 26,        // of initial values of a module
    READER_ITEMS_MAX = 256,            // of a list { }
    READER_ALIGNMENT_MAX = 1 << 16,    // bytes
    READER_PARAMETERS_MAX = 4096,      // of a function
    READER_RANK_MAX = 4,               // of a variable
    READER_INSTRUCTIONS_MAX = 1 << 24, // of a function
};
#define READER_SIZE_MAX (UINT64_C(1) << 40) // bytes of a variable

typedef struct Name { // in the text; `at` is NULL: none
    const char *at;
    uint32_t length;
} Name;
// For "%.*s", cut if it is long.
#define NAME_SHOWN(name) (int)((name).length < 100 ? (name).length : 100), (name).at

// ---- read_names.c: what names stand for -----------------------------------------------------------------------------

typedef enum SymbolKind {
    SYMBOL_NONE,
    SYMBOL_REGISTER, // index: of the function's registers, once there is an instruction that names it
    SYMBOL_RANGE,    // ".reg .b32 %r<20>": of the prefix
    SYMBOL_VARIABLE, // of the function
    SYMBOL_GLOBAL,   // of the module
    SYMBOL_FUNCTION,
} SymbolKind;
enum { READER_NO_INDEX = UINT32_MAX, READER_PAGE = 256 };

typedef struct Symbol {
    Name name;
    uint32_t hash, next; // next: 1 + number of the symbol behind it in its bucket
    SymbolKind kind;
    uint8_t type, vector; // of registers
    uint32_t scope, index, count;
    uint32_t **indices; // of a range: 1 + index of each register that is named, in pages that are there once needed
} Symbol;

// Symbols are a stack: those of a block { } are taken off at its end.
typedef struct Symbols {
    Symbol *items;
    size_t count, capacity;
    uint32_t *buckets;
    size_t bucket_count;
} Symbols;

// What a name in a branch or call stands for is known at the end of the function.
typedef enum TargetKind { TARGET_LABEL, TARGET_TABLE, TARGET_PROTOTYPE } TargetKind;
typedef struct Target { // a label in the widest sense
    Name name;
    TargetKind kind;
    uint32_t hash, next, scope, index, line;
} Target;
typedef struct TargetUse {
    Name name;
    PtxOperand *operand; // or, in a table,
    uint32_t *number;
    bool any; // of calls: a table or a prototype
    TargetKind kind;
    uint32_t scope, line;
} TargetUse;

// ---- read_opcodes.c -------------------------------------------------------------------------------------------------

enum { OPCODE_FORMS_MAX = 6 };
// An opcode with its modifiers, and the forms that it may be: the operands decide.
typedef struct Opcode {
    Name text;
    uint32_t hash;
    struct Opcode *next;
    uint8_t word_count, type_count, form_count;
    uint16_t words[PTX_WORDS_MAX];
    uint8_t types[PTX_INSTRUCTION_TYPES_MAX];
    struct {
        uint16_t op, form;
    } forms[OPCODE_FORMS_MAX];
} Opcode;

// ---- the reader -----------------------------------------------------------------------------------------------------

enum { OPCODE_BUCKETS = 512 };
typedef struct PtxReader {
    Diagnostics *diagnostics;
    PtxModule *module;
    Arena *arena;  // the module's
    Arena scratch; // until the text is read
    const char *at, *end;
    uint32_t line;
    const char *line_start; // of `line`
    // Of the token that was read last, for messages.
    uint32_t token_line;
    const char *token;
    Location open_comment; // where a comment without an end begins; line 0: there is none
    Symbols symbols;
    Opcode *opcodes[OPCODE_BUCKETS];
    size_t function_capacity, variable_capacity, file_capacity, pragma_capacity;
    uint64_t initial_bytes;
    uint32_t range_registers;
    // Of the function being read.
    PtxFunction *function;
    uint32_t scope;      // number of the innermost block
    size_t *scope_marks; // for each open block the number of symbols at its beginning
    size_t depth, mark_capacity;
    size_t register_capacity, local_capacity, label_capacity, table_capacity, prototype_capacity, inlined_capacity,
        instruction_capacity, scope_capacity;
    Target *targets;
    size_t target_count, target_capacity;
    TargetUse *uses;
    size_t use_count, use_capacity;
    PtxPlace place;     // what .loc said last
    PtxInlined inlined; // of it; its function_name is a label until the end
    bool is_inlined;    // and no instruction has used it yet
    // .debug_str: the bytes of labels begin where the map says.
    Map debug_labels; // in `scratch`
    char *debug_text;
    size_t debug_size, debug_capacity;
} PtxReader;

// ---- read_tokens.c

// Records an error at the token that was read last. Always false.
bool reader_fail(PtxReader *reader, ErrorCode code, const char *format, ...) BASE_PRINTF(3, 4);
// The same at a line.
bool reader_fail_line(PtxReader *reader, uint32_t line, ErrorCode code, const char *format, ...) BASE_PRINTF(4, 5);
// Goes on to the next token, over blanks and comments, and gives its first character; 0: there is none.
char reader_peek(PtxReader *reader);
bool reader_take(PtxReader *reader, char c); // if it is next
bool reader_need(PtxReader *reader, char c); // fails if it is not
// A name: letters, digits, _ and $, not beginning with a digit, or % and such.
bool reader_name(PtxReader *reader, Name *name);
bool reader_need_name(PtxReader *reader, const char *what, Name *name);
// A directive or type with its dot: ".reg". `name` without the dot.
bool reader_dot_word(PtxReader *reader, Name *name);
bool reader_text(PtxReader *reader, Name *text); // "..."
bool name_is(Name name, const char *text);
uint32_t name_hash(Name name);
const char *reader_keep(PtxReader *reader, Name name); // in the module's arena
Location reader_location(const PtxReader *reader, uint32_t line, const char *at);

// ---- read_numbers.c

// A constant expression of integers, or a float literal: fills in kind and bits of the operand.
bool reader_number(PtxReader *reader, PtxOperand *operand);
bool reader_starts_number(char c);
bool reader_integer(PtxReader *reader, int64_t *value); // a constant expression
// A number alone: what is behind it may be '>'.
bool reader_count(PtxReader *reader, uint32_t low, uint32_t high, const char *what, uint32_t *value);
// The bits of a literal as a value of the type. False: the type holds no such literal.
bool reader_literal_bits(const PtxOperand *literal, PtxType type, uint64_t *bits);

// ---- read_names.c

const Symbol *reader_find(const PtxReader *reader, Name name);
// Fails if the innermost block has the name already.
bool reader_declare(PtxReader *reader, Symbol symbol);
// The function's register of that name; false: there is none. *vector: of registers of vectors, else 1.
bool reader_find_register(PtxReader *reader, Name name, uint32_t *index, uint8_t *vector);
bool reader_open_scope(PtxReader *reader);
bool reader_close_scope(PtxReader *reader);
bool reader_add_target(PtxReader *reader, TargetKind kind, Name name, uint32_t index);
void reader_use_target(PtxReader *reader, TargetUse use);
bool reader_resolve_targets(PtxReader *reader);

// ---- read_opcodes.c

// NULL and an error: there is no such instruction.
const Opcode *reader_opcode(PtxReader *reader, Name text);
// The form that the operands fit, and the operands in its order. False and an error: none.
bool reader_fit_operands(PtxReader *reader, const Opcode *opcode, const PtxOperand *operands, unsigned count,
                         PtxInstruction *instruction);
// Whether the module's target has what `target` of a row asks for.
bool ptx_target_has(const PtxModule *module, const char *target);

// ---- read_operands.c

// Operands up to a semicolon, which is not taken: PTX_OPERANDS_MAX at most. Labels and such have the length of their
// name in `count` and `text` points to it, until reader_use_targets.
bool reader_operands(PtxReader *reader, const Opcode *opcode, PtxOperand *operands, unsigned *count);
void reader_use_targets(PtxReader *reader, PtxInstruction *instruction);

// ---- read_declarations.c

typedef struct Variables {
    PtxVariable *items;
    uint32_t count;
    size_t capacity;
} Variables;
// Declarations behind ".global" and such, up to their semicolon. `list`: where they go.
bool reader_variables(PtxReader *reader, PtxSpace space, PtxLinkage linkage);
bool reader_registers(PtxReader *reader); // behind ".reg"
// (...) of a function; `named`: not of a prototype.
bool reader_parameters(PtxReader *reader, bool named, Variables *list);
// read_initial_values.c
bool reader_initial_value(PtxReader *reader, PtxVariable *variable);
// Bytes of an element of the variable that is `level` braces deep in its initial value.
uint64_t ptx_element_bytes(const PtxVariable *variable, unsigned level);

// ---- read_functions.c

bool reader_function(PtxReader *reader, bool entry, PtxLinkage linkage);        // behind ".func", ".entry"
bool reader_form(PtxReader *reader, bool named, PtxFunction *form, Name *name); // (results) name (parameters)

// Directives behind a function's parameters: ".maxntid 128, 1, 1".
typedef struct DirectiveRow {
    const char *name;
    size_t offset;    // in PtxFunction: of numbers, or, if `most` is 0, of a bool
    uint32_t numbers; // uint32_t each
    uint32_t least, most; // least: as ptxas has it
} DirectiveRow;
enum { DIRECTIVE_COUNT = 12 };
extern const DirectiveRow ptx_directives[DIRECTIVE_COUNT];

// ---- read_statements.c

bool reader_body(PtxReader *reader); // behind "{"
bool reader_pragma(PtxReader *reader, const char **text);

// ---- read_lines.c: .file, .loc, .section

bool reader_file_directive(PtxReader *reader);
bool reader_loc(PtxReader *reader);
PtxPlace reader_place(PtxReader *reader); // of an instruction that is read now
bool reader_skip_section(PtxReader *reader);
bool reader_resolve_files(PtxReader *reader); // what .loc names is known at the end of the text

// ---- instruction_table.c

PtxWord ptx_find_word(const char *text, size_t length); // PTX_WORD_NONE: there is no such word
unsigned ptx_word_since(PtxWord word);                  // columns of modifiers.def
const char *ptx_word_target(PtxWord word);

#endif
