// SPDX-License-Identifier: Apache-2.0
// What the files of this room share: values, the state of a lowering, and the table of ops.
//
// An element-wise op makes no code where it stands. Its value is EMIT_LAZY, and is evaluated, some lanes at a time, in
// the loop nest (nest.h) of the op that needs it. A tile becomes memory (EMIT_MEMORY, in the block's scratch; tiles.h)
// only where it must. The flat index of an element is its row-major number in the tile.
//
// Other headers: code.h (LLVM), tile_map.h, nest.h, tiles.h, kernel.h (the function of an entry), records.h,
// memory_internal.h (ops on memory), dot_internal.h (dots). lower.h is for other rooms.
#ifndef CONGRUENT_EMIT_H
#define CONGRUENT_EMIT_H

#include "base/host_abi.h"
#include "compiler/lower/code.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/tile_map.h"
#include "compiler/numeric/numeric_dot.h"
#include "compiler/target/target.h"

// The type of a tile's elements.
typedef struct EmitElement {
    bool is_float, is_pointer;
    bool points_to_halves; // elements of four bits: the pointer is twice the address, plus 1 for a byte's high half
    FpsanFormat format;    // floats
    unsigned bits;         // integers (i1: 1); pointers: 64
    unsigned parts;        // LLVM values per element; an integer's second part is its marks (numeric.h)
    bool kept;             // in memory: its parts are there as they are in registers (numeric_keeps)
} EmitElement;

// A tensor view, or a view of tiles of one, at run time. Sizes and strides are i64, in elements.
typedef struct EmitView {
    LLVMValueRef base;  // address, i64
    LLVMValueRef first; // how many elements behind `base` the tensor begins (i64): 0, or 1 for elements of four bits
    int origin;         // of `base`, as EmitVal.origin
    LLVMValueRef sizes[TIR_RANK_MAX], strides[TIR_RANK_MAX];
} EmitView;

typedef enum EmitKind {
    EMIT_NONE,      // tokens
    EMIT_SCALAR,    // one element: parts are LLVM scalars
    EMIT_MEMORY,    // a tile in memory: parts are addresses (ptr) of arrays
    EMIT_REGISTERS, // a tile of GPUs: parts are each thread's, vectors of 2^register_bits lanes, or scalars
    EMIT_LAZY,      // a tile evaluated where it is used
    EMIT_VIEW,
} EmitKind;
typedef struct EmitVal {
    EmitKind kind;
    NumericValue value;
    // EMIT_MEMORY: from flat index bits to array index bits. EMIT_REGISTERS, the other way: from bits of the lane, and
    // above them of the thread, to flat index bits.
    TileMap layout;
    unsigned register_bits;
    // Pointers (scalars and tiles): what they point into. A parameter, then a global, by its number; from
    // Emit.local_origin on an alloca; -1: not known.
    int origin;
    const EmitView *view;
    const struct ViewAccess *load; // EMIT_LAZY: the load_view_tko that reads when it is evaluated; NULL: none does
    const struct EmitMoved *moved; // EMIT_LAZY: what a loop carries as another tile plus a number; NULL: it does not
} EmitVal;
// A tile of integers or pointers without marks: each element is that of `from` plus `by` (of pointers in their units in
// registers).
typedef struct EmitMoved {
    TirValue from;
    LLVMValueRef by;
} EmitMoved;

// Bytes of scratch in use: in shared memory (of GPUs), and in other memory.
typedef struct EmitScratch {
    size_t shared, memory;
} EmitScratch;

typedef struct EmitLoop EmitLoop;   // control.c
typedef struct EmitPlan EmitPlan;   // plan.c
typedef struct EmitLocal EmitLocal; // own_memory.c
typedef struct EmitDot EmitDot;     // dot_kernel.c
typedef struct EmitTarget EmitTarget;
typedef struct EmitFloatOfBits EmitFloatOfBits;

// Which lanes of a step the range census counts: those of `lanes`, if `scalar` holds. NULL: it holds.
typedef struct CensusMask {
    LLVMValueRef scalar; // i1
    LLVMValueRef lanes;  // a vector of i1
    LLVMValueRef all;    // i1: false if not all lanes hold; NULL where `lanes` is
} CensusMask;

// The lowering of one entry.
typedef struct Emit {
    NumericContext cx;
    CodeSlots slots; // of cx
    Arena *arena;
    const TirModule *module;
    const TirFunction *function;
    const CompileOptions *options;
    const EmitTarget *target;
    bool own_globals, races; // LowerRequest.own_globals; accesses are logged (race_log.c)

    // The function: its parameters, and where it goes when a check fails.
    LLVMValueRef launch, scratch, block_id[3], fault;
    LLVMBasicBlockRef exit_block; // of GPUs: where a block ends that did not fail
    struct EmitFaults {
        LLVMBasicBlockRef block;        // fills the fault
        LLVMValueRef phi[4];            // site, address, found, limit
        LLVMBasicBlockRef stored_block; // where checks go that have stored the fault themselves
        LLVMValueRef stored_phi;        // site
    } faults;
    struct EmitThreads {       // threads.c; of processors all zero
        unsigned bits;         // log2 of the threads of a block
        LLVMValueRef index;    // number of this thread, i64
        LLVMValueRef shared;   // the block's shared memory
        unsigned alone;        // not 0: each thread runs the code for itself, and some threads may not come to it
        uint8_t read, written; // EMIT_TILES, EMIT_BUFFERS: by any thread since the last barrier
    } threads;

    // Values, and where pointers come from.
    EmitVal *values; // by TirValue
    EmitFloatOfBits *
        *float_of_bits; // by TirValue: the float kept beside an integer that is its bits, or NULL (float_bits.c)
    const EmitPlan *plan;
    bool *escapes;       // by TirValue: a float whose readers see whether it is subnormal (operand_flushing.c), or NULL
    bool marks_integers; // integers of more than one bit have marks, as some are made from floats
    LLVMValueRef *argument_ranges; // by origin: begin, end (i64), or NULL
    EmitLocal *locals;             // alloca ops; origins local_origin and up
    uint32_t local_count;
    int local_origin;
    EmitScratch scratch_top, scratch_bytes;
    unsigned temporary; // not 0: scratch that is taken now is given back before the op ends

    // Where the lowering stands.
    const TirBlock *block;      // whose ops are being lowered
    EmitLoop *loop;             // innermost loop or if
    LLVMValueRef iterations;    // how many all loops made so far: an alloca (i64); NULL: any number will do
    const EmitVal *destination; // where the op's tile result should go: a loop's carried tile (control.c), or NULL
    const TirOp *kept_store;    // the last one that is asked for a place beforehand (kept_memory.c), and the place
    LLVMValueRef kept_place;
    const EmitDot *dots;         // list of functions that dots share (dot_kernel.c)
    bool many_dots;              // the function has more than one dot
    DebugLines *debug;           // NULL: no source lines in the output
    uint32_t first_place, place; // 1 + the number of the function's first place; of the op being lowered

    // What goes into the KernelInfo, and its arrays as they grow.
    KernelInfo *kernel;
    KernelSite *sites;
    KernelStore *stores;
    KernelAccess *accesses;
    HostPrint *print_forms;
    size_t site_capacity, store_capacity, access_capacity, print_form_capacity;
    uint32_t *stored_widths;
    uint8_t *stores_through;
    KernelPlace *places;                    // by numbers of ops; NULL: not wanted
    LLVMValueRef access_slot, run_slots[2]; // allocas of race_log.c
    LLVMValueRef words;                     // alloca of block_operation.c
    bool gives_unknown;                     // to parts of the block: a pointer of unknown origin
    struct EmitCensus {                     // census.c; of code without a census all zero
        bool on, by_calls;                  // by_calls: functions count; else code in line, which calls them seldom
        uint32_t *site_of;                  // by TirValue: 1 + the number of its site; 0: it has none yet
        KernelCensusSite *sites;
        LLVMValueRef *results; // by sites: slots (i64), how many floats were made; not by_calls
        size_t site_capacity, result_capacity;
        LLVMValueRef base;                  // of the sites' states
        CensusMask mask;                    // of the op being lowered
        bool *bounded;                      // by TirValue: it comes of a load through a view, or with a mask
        const struct CensusLoad **loads;    // by TirValue: such a load, if it may stick out of its tensor
        const struct CensusMasked **masked; // by TirValue: a tile loaded through pointers with a mask
    } census;
} Emit;
typedef struct EmitCensus EmitCensus;

// ---- emit_value.c: errors, types and values -------------------------------------------------------------------------

// Records E_UNSUPPORTED (or `code`) at the op being lowered: "'exp2' ...". Always false.
bool emit_fail(Emit *e, ErrorCode code, const char *format, ...) BASE_PRINTF(3, 4);

// The op that errors, checks and source lines name from here on; emit_leave goes back to the one before.
typedef struct EmitPlace {
    Location at;
    const char *op_name;
    uint32_t number; // 1 + its index in LoweredModule.places
} EmitPlace;
EmitPlace emit_enter(Emit *e, const TirOp *op);
void emit_leave(Emit *e, EmitPlace outer);

EmitElement emit_element(const Emit *e, TirType tile);
bool emit_keeps_words(const Emit *e); // whether floats of four bytes are kept in the block's memory (numeric_keeps)
LLVMTypeRef emit_mark_type(const Emit *e);                                         // of an integer's marks
LLVMTypeRef emit_register_type(const Emit *e, EmitElement element, unsigned part); // scalar type in registers
LLVMTypeRef emit_memory_type(const Emit *e, EmitElement element, unsigned part);   // in scratch arrays: i1 is i8
unsigned emit_storage_bytes(EmitElement element);                                  // of an element in buffers
TirType emit_type_of(const Emit *e, TirValue value);
unsigned emit_tile_bits(const Emit *e, TirType tile); // log2 of the number of elements
bool emit_is_scalar(const Emit *e, TirValue value);   // whether it has one element
EmitVal *emit_val(Emit *e, TirValue value);
// Makes `scalar` the value of a one-element integer or pointer, without marks.
void emit_bind_scalar(Emit *e, TirValue value, LLVMValueRef scalar);
// An address (i64, or a vector of them) as a pointer in registers, and back. They differ for pointers to halves of
// bytes: the address is that of the byte.
LLVMValueRef emit_pointer_from_address(Emit *e, EmitElement pointer, LLVMValueRef address);
LLVMValueRef emit_address_of_pointer(Emit *e, EmitElement pointer, LLVMValueRef value);
// Makes a pointer to `address` (i64) the value, which is one element.
void emit_bind_address(Emit *e, TirValue value, LLVMValueRef address, int origin);
// The integer as a value, with no marks set where integers of the type have marks.
NumericValue emit_unmarked(const Emit *e, EmitElement element, LLVMValueRef integer);
// parts[0] of a one-element integer or pointer. The second, for integers: sign- or zero-extended to i64.
LLVMValueRef emit_scalar(Emit *e, TirValue value);
LLVMValueRef emit_scalar_i64(Emit *e, TirValue value, bool is_signed);

// ---- unspecified.c: values that nobody specified --------------------------------------------------------------------

// An unspecified value in `lanes` lanes (0: a scalar). `what` says what is unspecified (KernelStore.unspecified).
NumericValue emit_unspecified(Emit *e, EmitElement element, unsigned lanes, const char *what);
// What each byte of unspecified memory holds, if its elements have that type.
uint8_t emit_unspecified_byte(const Emit *e, TirTypeKind kind);
// `value` where `mask` (i1, or a vector of them) holds, and an unspecified value elsewhere. `mask` NULL: it holds
// nowhere. If nobody asks for unspecified values (no `poison`, COMPILE_ZEROS), `value` everywhere.
NumericValue emit_specified_where(Emit *e, EmitElement element, LLVMValueRef mask, const NumericValue *value,
                                  const char *what);
// For an op that an integer decides (a condition, a pointer): code that notes in HostLaunch.uses when the integer is
// unspecified by its `marks`, in a lane of `mask` (i1, or a vector of them; NULL: all). Nothing for `marks` NULL.
void emit_note_use(Emit *e, LLVMValueRef marks, LLVMValueRef mask, const char *what);
// The origin (i32; tower_origin) of values that the op being lowered makes. `what` and `passed_on` are KernelStore's.
LLVMValueRef emit_origin(Emit *e, const char *what, bool passed_on);
// NumericContext.decide.
LLVMValueRef emit_decided(Emit *e, LLVMValueRef inputs, LLVMValueRef outcomes);
// Adds it to the kernel's stores; its number there.
uint32_t emit_add_store(Emit *e, KernelStore store);

// ---- ops: lowering.def names for each op its class and function -----------------------------------------------------

// Element-wise ops: operands and result are lanes or scalars.
typedef bool EmitElementOp(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result);
// Where elements of the result come from: flat index bits of the result to those of operand 0.
typedef TileMap EmitMapOp(const Emit *e, const TirOp *op);
// All others.
typedef bool EmitOp(Emit *e, const TirOp *op);
typedef enum EmitClass { // lowering.def: NO_CODE, ELEMENT, INDEX, MAP, CODE
    EMIT_CLASS_NONE,
    EMIT_CLASS_ELEMENT,
    EMIT_CLASS_INDEX,
    EMIT_CLASS_MAP,
    EMIT_CLASS_OP,
} EmitClass;
typedef struct EmitRow {
    EmitClass class;
    EmitElementOp *element;
    EmitMapOp *map;
    EmitOp *op;
} EmitRow;
const EmitRow *emit_row(TirOpKind kind);
// The map at which operand 0 of a MAP op has to be evaluated to have its result at `map`.
TileMap emit_operand_map(const Emit *e, const TirOp *op, const TileMap *map);
bool emit_region(Emit *e, const TirRegion *region);
bool emit_op(Emit *e, const TirOp *op); // of e->block
// The carried tile of the enclosing loop that the op may write its result into at once, or NULL (control.c).
const EmitVal *emit_carried_destination(Emit *e, const TirOp *op);
static inline bool emit_is_dot(const TirOp *op) { // of floats
    return op->kind == TIR_OP_mmaf || op->kind == TIR_OP_mmaf_scaled || op->kind == TIR_OP_dot;
}
// Where the op's result is stored in memory that keeps floats, and may be made: that memory as a tile; else NULL
// (kept_memory.c).
const EmitVal *emit_kept_destination(Emit *e, const TirOp *op);
// The body of a reduce or scan, on lanes: from its arguments to the values it yields (combine.c).
bool emit_combine(Emit *e, const TirRegion *region, const NumericValue *arguments, NumericValue *results);
// Whether such a body gives the same result if the two values that it combines change places. May be false if it does.
bool emit_commutes(const Emit *e, const TirRegion *region);
// Whether all ops of such a body are element-wise, on one element; nothing in it can fail then.
bool emit_is_lanewise(const Emit *e, const TirRegion *region);
// The element of a constant op as scalars, if all its elements are the same; else false.
bool emit_constant_splat(Emit *e, const TirOp *op, NumericValue *value);
// How many ops of the kind are in the region and in regions inside it.
uint32_t emit_count_ops(const TirRegion *region, TirOpKind kind);
// If the op casts bits to a float that a bitcast has just made of a float of the same type: that float, which still has
// its payload. TIR_NO_VALUE for other ops, and if the integer between is a tile in memory.
TirValue emit_restored(const Emit *e, const TirOp *op);
// The result of a select of floats. `condition` has marks where booleans have them.
void emit_select_float(Emit *e, const NumericValue *condition, const NumericValue *a, const NumericValue *b,
                       NumericValue *result);
// What is said about an op on floats (float_op.c). False, with a diagnostic, where an attribute is not known.
bool emit_float_op(Emit *e, const TirOp *op, FloatOp *f);
// Numeric.flipped: what the integer would be if close calls had fallen otherwise. NULL: nothing is flipped.
LLVMValueRef emit_flipped(const Emit *e, const NumericValue *integer);
// The result of an element-wise op, marks included.
bool emit_call_element(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result);

#define ELEMENT(name, function)                                                                                        \
    bool function(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result);
#define INDEX(name)
#define MAP(name, function)  TileMap function(const Emit *e, const TirOp *op);
#define CODE(name, function) bool function(Emit *e, const TirOp *op);
#define NO_CODE(name)
#include "compiler/lower/lowering.def"
#undef ELEMENT
#undef INDEX
#undef MAP
#undef CODE
#undef NO_CODE

#endif
