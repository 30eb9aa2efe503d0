// SPDX-License-Identifier: Apache-2.0
// PTX as data: modules of functions, which are lists of typed instructions. This room reads, verifies and prints them
// and describes them as a Program; it knows no LLVM and runs nothing (compiler/warp does).
//
// A PtxModule is an arena: everything in it is freed at once. Instructions keep the order of the text. Names are
// resolved when the text is read: operands hold indices of registers, variables, functions and labels. What an
// instruction may say is a row of instructions.def; its spelling is kept as a list of words (modifiers.def), so nothing
// that was read is forgotten.
#ifndef CONGRUENT_PTX_H
#define CONGRUENT_PTX_H

#include "base/base.h"
#include "compiler/program.h"
#include "sanitizer/format/format.h"

// ---- types ----------------------------------------------------------------------------------------------------------

typedef enum PtxType {
#define TYPE(name, ...) PTX_##name,
#include "compiler/ptx/types.def"
#undef TYPE
    PTX_TYPE_COUNT // "no type"
} PtxType;
typedef enum PtxTypeKind {
    PTX_BITS,
    PTX_UNSIGNED,
    PTX_SIGNED,
    PTX_FLOAT,
    PTX_PREDICATE,
    PTX_OPAQUE,
} PtxTypeKind;
typedef struct PtxTypeInfo { // a row of types.def
    const char *name;
    unsigned bits;
    PtxTypeKind kind;
    FpsanFormat format;
    unsigned elements;
} PtxTypeInfo;
const PtxTypeInfo *ptx_type_info(PtxType type);

typedef enum PtxSpace {
    PTX_GENERIC, // no space is named
    PTX_REGISTERS,
    PTX_GLOBAL,
    PTX_SHARED, // also .shared::cta
    PTX_SHARED_CLUSTER,
    PTX_LOCAL,
    PTX_CONSTANT,
    PTX_PARAMETER, // .param, .param::entry, .param::func
    PTX_SPACE_COUNT
} PtxSpace;

// ---- instructions ---------------------------------------------------------------------------------------------------

// A row of instructions.def: a family of instructions that differ in modifiers and types only.
typedef enum PtxOp {
#define INSTRUCTION(id, ...) PTX_OP_##id,
#include "compiler/ptx/instructions.def"
#undef INSTRUCTION
    PTX_OP_COUNT
} PtxOp;

// A word between the dots of an opcode: "rn", "ftz", "global", "m16n8k16", "kind::f16", "f32". Words that name types
// are among them (PTX_WORD_f32).
typedef enum PtxWord {
    PTX_WORD_NONE,
#define MODIFIER(id, ...) PTX_WORD_##id,
#include "compiler/ptx/modifiers.def"
#undef MODIFIER
    PTX_WORD_COUNT
} PtxWord;
// The sets that modifiers are alternatives of: rounding, comparison, space, scope, shape, ...
typedef enum PtxSet {
#define SET(id) PTX_SET_##id,
#include "compiler/ptx/sets.def"
#undef SET
    PTX_SET_COUNT
} PtxSet;

enum { PTX_WORDS_MAX = 16, PTX_INSTRUCTION_TYPES_MAX = 6 };

typedef enum PtxOperandKind {
    PTX_NONE,     // an operand of the row that may be left out, and is
    PTX_REGISTER, // index: of the function's registers
    PTX_SPECIAL,  // a special register: index is a PtxSpecial
    PTX_INTEGER,  // bits: a literal, sign-extended to 64 bits
    PTX_FLOAT32,  // bits: a literal 0f..
    PTX_FLOAT64,  // bits: a literal 0d.., or a decimal one
    PTX_VARIABLE, // the address of a variable, plus offset. index: of the function's variables, or, if `global`, of the
                  // module's
    PTX_FUNCTION, // index: of the module's functions
    PTX_LABEL,    // index: of the function's labels
    PTX_TABLE,    // index: of the function's tables (.branchtargets, .calltargets) or prototypes
    PTX_PROTOTYPE, //
    PTX_ADDRESS,   // [items[0] + offset]; items[1], if there, is what follows a comma: coordinates (a PTX_LIST)
    PTX_LIST,      // {items...}, or the (items...) of a call
    PTX_PAIR,      // items[0] | items[1]: two results
    PTX_SINK,      // _
    PTX_TEXT,      // a string, of .pragma
} PtxOperandKind;

typedef struct PtxOperand PtxOperand;
struct PtxOperand {
    PtxOperandKind kind;
    bool negated; // !p; of an integer or float that was written with "-" the bits are already negated
    bool global;  // of PTX_VARIABLE
    uint32_t index;
    int64_t offset; // of PTX_VARIABLE and PTX_ADDRESS
    uint64_t bits;
    uint32_t count; // items
    PtxOperand *items;
    const char *text; // of PTX_TEXT
};

typedef enum PtxSpecial {
#define SPECIAL(id, ...) PTX_SPECIAL_##id,
#include "compiler/ptx/specials.def"
#undef SPECIAL
    PTX_SPECIAL_COUNT
} PtxSpecial;
typedef struct PtxSpecialInfo {
    const char *name; // "%tid.x"
    PtxType type;
    unsigned since;     // first version: 78 is 7.8
    const char *target; // as in instructions.def
} PtxSpecialInfo;
const PtxSpecialInfo *ptx_special_info(PtxSpecial special);

// Where an instruction comes from: its line of the PTX text, and what .loc said last.
typedef struct PtxPlace {
    uint32_t line; // of the PTX file, from 1 on
    uint32_t file; // 1 + index of the module's files; 0: there was no .loc
    uint32_t source_line, source_column;
    uint32_t inlined; // 1 + the number of PtxFunction.inlined; 0: the place itself
} PtxPlace;
// The place that inlined code was inlined at, with the function it came from.
typedef struct PtxInlined {
    PtxPlace at;
    const char *function_name; // from .debug_str; "": not known
} PtxInlined;

typedef struct PtxInstruction {
    PtxOp op;
    uint8_t word_count, type_count, operand_count;
    uint16_t form;                 // of the op's row, which says what the operands are: PtxOpInfo.forms[form]
    uint16_t words[PTX_WORDS_MAX]; // PtxWord, in the order of the text, types too
    uint8_t types[PTX_INSTRUCTION_TYPES_MAX]; // PtxType, those of `words` that are types, in order
    PtxOperand *operands; // in the order of the text. As many as the form has: what was left out is PTX_NONE
    PtxOperand guard;     // @p or @!p: a PTX_REGISTER, `negated`; PTX_NONE: none
    PtxPlace place;
} PtxInstruction;

// ---- functions and modules ------------------------------------------------------------------------------------------

typedef struct PtxRegister {
    const char *name; // with its percent sign, as written; "%r12" of ".reg .b32 %r<20>"
    PtxType type;
    uint8_t vector; // of the first register of a vector: 2 or 4, which are neighbours: "%v.x", "%v.y", ...; else 1
    uint32_t scope; // number of the block { } that declares it; 0: the function's body
} PtxRegister;

// A block { } of the text. Registers, labels and variables that it declares are known in it only.
typedef struct PtxScope {
    uint32_t parent;     // scope 0 is the function's body
    uint32_t begin, end; // its instructions
} PtxScope;

typedef enum PtxLinkage { PTX_LOCAL_LINKAGE, PTX_EXTERN, PTX_VISIBLE, PTX_WEAK, PTX_COMMON } PtxLinkage;

// A part of an initial value that is an address.
typedef struct PtxRelocation {
    uint64_t at;    // byte offset
    uint32_t bytes; // 4 or 8 (or 1, with `mask`: 0xFF(..) forms are refused)
    bool function;  // of a function; else of a module variable
    bool generic;   // generic(name)
    uint32_t index;
    int64_t offset;
} PtxRelocation;

typedef struct PtxVariable {
    const char *name;
    PtxSpace space;
    PtxType type; // of an element
    PtxLinkage linkage;
    uint32_t alignment; // bytes, a power of two
    uint8_t vector;     // .v2, .v4: 2, 4; else 1
    uint8_t rank;       // dimensions written behind the name
    bool unsized;       // name[]: dynamic shared memory, or an extern
    uint64_t dimensions[4];
    uint64_t size; // bytes
    // Parameters of kernels: `.ptr .global .align 16`.
    bool pointer;
    PtxSpace pointer_space;
    uint32_t pointer_alignment;
    // Initial value: its first byte_count bytes, of which the last is not 0 or part of an address, and zeros; NULL: none.
    const uint8_t *bytes;
    uint64_t byte_count;
    uint32_t relocation_count;
    const PtxRelocation *relocations;
    bool managed; // .attribute(.managed)
    // Where it is declared. Of a body: in which block, before which instruction; of the module: before which function.
    uint32_t scope, before;
    uint32_t number; // of a parameter in a register: that of the function's register
    Location at;
} PtxVariable;

typedef struct PtxLabel {
    const char *name;
    uint32_t scope;
    uint32_t instruction; // what it stands before; instruction_count: the end
} PtxLabel;

// .branchtargets and .calltargets
typedef struct PtxTable {
    const char *name; // its label
    bool calls;       // indices are functions; else labels
    uint32_t count;
    const uint32_t *targets;
    uint32_t scope, instruction; // where it stands
} PtxTable;

typedef struct PtxFunction PtxFunction;
// .callprototype: parameters and results of a call through a register.
typedef struct PtxPrototype {
    const char *name;
    const PtxFunction *form; // without a body
    uint32_t scope, instruction;
} PtxPrototype;

struct PtxFunction {
    const char *name;
    bool entry, has_body, noreturn;
    bool forward;     // it is declared before it is defined:
    uint32_t defined; // where so many functions were known
    PtxLinkage linkage;
    // Variables: first parameter_count parameters, then result_count results (of .func), then those of the body.
    uint32_t parameter_count, result_count, variable_count, register_count, label_count, table_count, prototype_count,
        instruction_count, inlined_count;
    PtxVariable *variables; // spaces: parameters PTX_PARAMETER or PTX_REGISTERS (of .func); body: shared, local, param,
                            // global, const
    PtxRegister *registers; // those that instructions name, in the order in which they do
    PtxLabel *labels;
    PtxTable *tables;
    PtxPrototype *prototypes;
    PtxInlined *inlined;
    PtxInstruction *instructions;
    uint32_t scope_count, pragma_count;
    PtxScope *scopes;
    const char **pragmas; // those before the body; others are instructions
    // Directives; 0: not given.
    uint32_t maxntid[3], reqntid[3], reqnctapercluster[3];
    uint32_t maxnreg, minnctapersm, maxnctapersm, maxclusterrank, abi_preserve, abi_preserve_control;
    bool explicit_cluster, blocks_are_clusters;
    const char *alias; // .alias: of this function; NULL
    PtxPlace place;
    Location at;
};

typedef struct PtxFile { // .file
    uint32_t number;
    const char *path;
} PtxFile;

typedef struct PtxModule {
    Arena arena;
    const char *path; // of the text
    const char *text; // of programs, else NULL: what was read
    size_t text_size;
    unsigned version;                // 10 * major + minor: 94
    unsigned sm;                     // 80, 90, 100, ...
    char suffix;                     // of the target: 'a', 'f' or 0
    bool debug, texmode_independent; // other words of .target
    unsigned address_size;           // 64
    uint32_t function_count, variable_count, file_count, pragma_count;
    const char **pragmas;   // those outside functions
    PtxFunction *functions; // those that are declared and defined are one
    PtxVariable *variables; // of the module
    PtxFile *files;
    Map names; // of functions and variables of the module
} PtxModule;

// ---- instruction_table.c: what the tables say -----------------------------------------------------------------------

enum { PTX_SLOTS_MAX = 16, PTX_OPERANDS_MAX = 12 };

typedef enum PtxClass {
    PTX_CLASS_INTEGER,
    PTX_CLASS_FLOAT,
    PTX_CLASS_MOVE,
    PTX_CLASS_MEMORY,
    PTX_CLASS_ATOMIC,
    PTX_CLASS_MATRIX,
    PTX_CLASS_TENSOR,
    PTX_CLASS_WARP,
    PTX_CLASS_BARRIER,
    PTX_CLASS_ASYNC,
    PTX_CLASS_CONTROL,
    PTX_CLASS_VIDEO,
    PTX_CLASS_HINT,    // no effect on values
    PTX_CLASS_TEXTURE, // running it is refused
} PtxClass;

// What a row says about an operand; see instructions.def.
typedef struct PtxOperandRule {
    enum {
        PTX_RULE_VALUE,
        PTX_RULE_LIST,    // of a capital letter
        PTX_RULE_VECTOR,  // a list of as many as v2, v4, v8 say, or a value
        PTX_RULE_ADDRESS, // with a list behind a comma if `tensor`
        PTX_RULE_NUMBER,  // a literal integer, low to high
        PTX_RULE_LABEL,
        PTX_RULE_TABLE,
        PTX_RULE_CALL, // results (a PTX_LIST), function or register, arguments (a PTX_LIST), prototype or table
        PTX_RULE_TEXT,
        PTX_RULE_ANY, // all operands of a texture instruction
    } kind;
    char name[12];  // "a"
    bool result;    // written, not read
    bool negatable; // !p
    bool optional;  // may be left out
    bool wider;     // registers may be wider than the type
    bool tensor;
    bool or_next;      // the next rule is an alternative to this one
    uint8_t type_of;   // 1 + number of the instruction's type; 0: `type`; PTX_WIDE: twice as wide as its first type
    uint8_t type;      // PtxType; PTX_TYPE_COUNT: any
    uint8_t pair;      // 0; 1: a second result, a predicate, may follow; 2: has to
    uint16_t if_word;  // PtxWord: it is there exactly if the instruction has the word
    uint16_t if_set;   // 1 + PtxSet: likewise, with a word of the set
    int32_t low, high; // of PTX_RULE_NUMBER
} PtxOperandRule;
enum { PTX_WIDE = 255 };

typedef struct PtxForm {
    const char *modifiers, *operands, *target; // as in the row
    unsigned since;                            // first version: 78 is 7.8
    uint8_t slot_count, rule_count, operand_count;
    struct PtxSlot {
        uint64_t words[(PTX_WORD_COUNT + 63) / 64]; // bits: by PtxWord
        unsigned since;
        bool optional, types;
        bool with_previous; // filled exactly if the slot before is
    } const *slots;
    const PtxOperandRule *rules; // alternatives are neighbours
} PtxForm;

typedef struct PtxOpInfo { // a row of instructions.def
    const char *id, *name; // "add_float", "add"
    PtxClass class;
    uint32_t form_count;
    const PtxForm *forms;
} PtxOpInfo;
const PtxOpInfo *ptx_op_info(PtxOp op);
const char *ptx_op_name(PtxOp op);       // "add"
const char *ptx_word_text(PtxWord word); // without the dot
PtxSet ptx_word_set(PtxWord word);
PtxType ptx_word_type(PtxWord word); // PTX_TYPE_COUNT: the word is no type
// The first of the instruction's words that is in the set; PTX_WORD_NONE: none is. ptx_find_next: the one after
// `count` such words ("cp.async.bulk.global.shared::cta" has two spaces: 0 and 1).
PtxWord ptx_find(const PtxInstruction *instruction, PtxSet set);
PtxWord ptx_find_next(const PtxInstruction *instruction, PtxSet set, unsigned count);
bool ptx_has(const PtxInstruction *instruction, PtxWord word);
// The operand that the row calls so; NULL: it has none of that name, or it was left out.
const PtxOperand *ptx_operand(const PtxInstruction *instruction, const char *name);
// What the row says about an operand: the first of the rules that are alternatives. NULL: of calls and of textures.
const PtxOperandRule *ptx_operand_rule(const PtxInstruction *instruction, unsigned operand);
// Whether the registers of an operand are results: written, not read.
bool ptx_writes(const PtxInstruction *instruction, unsigned operand);
// The state space that an instruction's `count`-th space word names; PTX_GENERIC: none.
PtxSpace ptx_space(const PtxInstruction *instruction, unsigned count);
// The opcode as written: "add.rn.f32". In the arena.
const char *ptx_spelling(Arena *arena, const PtxInstruction *instruction);
// The place as people look for it: file and line of the source if the text has .loc, else of the PTX text.
Location ptx_location(const PtxModule *module, PtxPlace place);

// ---- read_ptx.c -----------------------------------------------------------------------------------------------------

typedef struct PtxTargetInfo { // a row of targets.def
    unsigned sm;
    char suffix;         // 'a', 'f' or 0
    unsigned family;     // sm_100 and sm_103 are of one
    unsigned since;      // first version of PTX: 78 is 7.8
    unsigned shared_max; // bytes of shared memory of a block
} PtxTargetInfo;
// NULL: there is no such target.
const PtxTargetInfo *ptx_target_info(unsigned sm, char suffix);

// Reads a text. NULL and diagnostics (E_TEXT, E_UNSUPPORTED, E_VERSION, with file and line) on failure. `text` is not
// kept. What is returned is verified.
PtxModule *ptx_read(Diagnostics *diagnostics, const char *path, const char *text, size_t size);
void ptx_module_close(PtxModule *module); // ptx_module_close(NULL) is fine

// ---- verify_ptx.c ---------------------------------------------------------------------------------------------------

// What the form cannot say: types of operands, vector lengths, ranges of immediates, alignments, that control does not
// leave a function at its end, calls that fit what they call.
bool ptx_verify(Diagnostics *diagnostics, const PtxModule *module);

// ---- print_ptx.c ----------------------------------------------------------------------------------------------------

// Appends the text of the module. What is read from it is the same list. `places`: with .file and .loc.
void ptx_print(const PtxModule *module, bool places, Buffer *out);

// ---- lay_out_shared.c -----------------------------------------------------------------------------------------------

#define PTX_DYNAMIC UINT64_MAX // the offset of dynamic shared memory, which is known at launch
enum { PTX_SHARED_MAX = 227 << 10 };
typedef struct PtxSharedEnd {
    uint64_t bytes;
    uint32_t alignment; // of dynamic shared memory, which follows
} PtxSharedEnd;
// Byte offsets in shared memory, from 0 on.
typedef struct PtxSharedLayout {
    uint64_t *module;     // of the module's variables
    uint64_t **functions; // of the variables of each function
    PtxSharedEnd *ends;   // of each kernel
} PtxSharedLayout;
// In the arena. False and E_LIMIT if there is too much.
bool ptx_lay_out_shared(Diagnostics *diagnostics, Arena *arena, const PtxModule *module, PtxSharedLayout *layout);

// ---- reach_functions.c ----------------------------------------------------------------------------------------------

// The functions that kernels may come to: themselves, and what they may call. Lives in the arena.
typedef struct PtxReach {
    const PtxModule *module;
    bool *reached; // per function
    uint32_t *list, count;
    uint32_t *taken, taken_count; // those whose address something in the module takes
} PtxReach;
PtxReach ptx_reach_open(Arena *arena, const PtxModule *module); // of no kernel
void ptx_reach_add(PtxReach *reach, uint32_t kernel);
void ptx_reach_clear(PtxReach *reach);

// ---- dynamic_shared.c -----------------------------------------------------------------------------------------------

// Whether one of the functions names dynamic shared memory.
bool ptx_uses_dynamic_shared(const PtxReach *reach);

// ---- describe_ptx.c -------------------------------------------------------------------------------------------------

extern const FrontEnd ptx_front_end;
// Rows of program.c for PROGRAM_PTX. A program is in the arena of its module.
void ptx_program_close(const Program *program);
void ptx_program_fill_global(const Program *program, uint32_t global, uint8_t *bytes);
bool ptx_program_print_identity(const Program *program, Buffer *out);
// Whether a variable of the module is a global of the program; they are numbered in the order of the text.
bool ptx_is_global(const PtxVariable *variable);
// What a register holds that has the address of a function: in a window of its own (base/warp_abi.h).
enum { PTX_FUNCTION_WINDOW = 15 };
uint64_t ptx_function_address(uint32_t function);

#endif
