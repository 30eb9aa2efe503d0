// SPDX-License-Identifier: Apache-2.0
// What the files of this room share: values, the state of a lowering, and the table of ops.
//
// A tile of 2^n elements is walked in its flat (row-major) order, in a Nest (nest.h). An element-wise op makes no code
// by itself: its value is EMIT_LAZY and is evaluated, lanes at a time, in the nest of whoever needs it. A tile becomes
// memory (EMIT_MEMORY, in the block's scratch; tiles.h) only where it must.
//
// Other headers: code.h (LLVM), tile_map.h, nest.h, tiles.h, kernel.h (the function of an entry), records.h,
// memory_internal.h (ops on memory), dot_internal.h (matrix products). lower.h is for other rooms.
#ifndef CONGRUENT_EMIT_H
#define CONGRUENT_EMIT_H

#include "base/host_abi.h"
#include "compiler/lower/code.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/tile_map.h"
#include "compiler/numeric/numeric_dot.h"
#include "compiler/target/target.h"

// What a tile's elements are.
typedef struct EmitElement {
    bool is_float, is_pointer;
    bool points_to_halves; // pointers to elements of four bits are twice the address, and 1 more for a byte's high half
    FpsanFormat format;    // floats
    unsigned bits;         // integers (i1: 1); pointers: 64
    unsigned parts;        // LLVM values per element; of integers the second are marks (numeric.h)
} EmitElement;

// A tensor view, or a partition view of one, at run time. Sizes and strides are i64, in elements.
typedef struct EmitView {
    LLVMValueRef base;  // address, i64
    LLVMValueRef first; // number of the first element from there on (i64): of elements of four bits it may be 1
    int origin;         // argument the address came from, -1 unknown
    LLVMValueRef sizes[TIR_RANK_MAX], strides[TIR_RANK_MAX];
} EmitView;

typedef enum EmitKind {
    EMIT_NONE,   // tokens
    EMIT_SCALAR, // one element: parts are LLVM scalars
    EMIT_MEMORY, // a tile in memory: parts are addresses (ptr) of arrays; flat index bit i is bit layout.to[i] of the
                 // array index
    EMIT_REGISTERS, // a tile of GPUs: parts are vectors of 2^register_bits lanes, or scalars, of each thread; bit i of
                    // lane and then thread is flat index bit layout.to[i]
    EMIT_LAZY,      // a tile evaluated where it is used
    EMIT_VIEW,
} EmitKind;
typedef struct EmitVal {
    EmitKind kind;
    NumericValue value;
    TileMap layout;
    unsigned register_bits;
    int origin; // pointers (scalars and tiles): argument they came from, -1 unknown
    const EmitView *view;
    const struct ViewAccess *load; // EMIT_LAZY: of a load_view_tko that reads when it is evaluated; else NULL
} EmitVal;

// How much memory is in use: shared memory (of GPUs), and other.
typedef struct EmitScratch {
    size_t shared, memory;
} EmitScratch;

typedef struct EmitLoop EmitLoop;   // control.c
typedef struct EmitPlan EmitPlan;   // plan.c
typedef struct EmitLocal EmitLocal; // own_memory.c
typedef struct EmitDot EmitDot;     // dot_kernel.c
typedef struct EmitTarget EmitTarget;
typedef struct EmitFloatOfBits EmitFloatOfBits;

// The lowering of one entry.
typedef struct Emit {
    NumericContext cx;
    CodeSlots slots; // of cx
    Arena *arena;
    const TirModule *module;
    const TirFunction *function;
    const CompileOptions *options;
    const EmitTarget *target;
    bool own_globals, races; // `races`: accesses are reported to the launch (race_log.c)

    // The function: its parameters, and where it goes when a check fails.
    LLVMValueRef launch, scratch, block_id[3], fault;
    LLVMBasicBlockRef exit_block; // of GPUs: where a block ends that did not fail
    struct EmitFaults {
        LLVMBasicBlockRef block;        // fills the fault
        LLVMValueRef phi[4];            // site, address, found, limit
        LLVMBasicBlockRef stored_block; // of checks that stored the fault themselves
        LLVMValueRef stored_phi;        // site
    } faults;
    struct EmitThreads {       // threads.c; of processors all zero
        unsigned bits;         // log2 of the threads of a block
        LLVMValueRef index;    // number of this thread, i64
        LLVMValueRef shared;   // the block's shared memory
        unsigned alone;        // not 0: the code is each thread's own, others need not come to it
        uint8_t read, written; // EMIT_TILES, EMIT_BUFFERS: by any thread since the last barrier
    } threads;

    // Values, and where pointers come from.
    EmitVal *values; // by TirValue
    EmitFloatOfBits *
        *float_of_bits; // by TirValue: what is loaded or in memory and known as the bits of a float, or NULL
    const EmitPlan *plan;
    bool marks_integers;           // integers of more than one bit have marks: some are made from floats
    LLVMValueRef *argument_ranges; // per origin (parameters, globals, allocas): begin, end (i64), or NULL
    EmitLocal *locals;             // alloca ops; origins local_origin and up
    uint32_t local_count;
    int local_origin;
    EmitScratch scratch_top, scratch_bytes;
    unsigned temporary; // not 0: scratch that is taken now is given back before the op ends

    // Where the lowering stands.
    const TirBlock *block;       // whose ops are being lowered
    EmitLoop *loop;              // innermost loop or if
    LLVMValueRef iterations;     // how many there were so far: an alloca; NULL: they are not limited
    const EmitVal *destination;  // where the op's tile result should go: a loop's carried tile (control.c), or NULL
    const EmitDot *dots;         // functions of dots
    bool many_dots;              // more than one
    DebugLines *debug;           // NULL: no source lines in the output
    uint32_t first_place, place; // 1 + the number of the function's first place; of the op being lowered

    // The description of the kernel, and its arrays as they grow.
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
} Emit;

// ---- emit_value.c: errors, types and values -------------------------------------------------------------------------

// Records E_UNSUPPORTED (or `code`) at the op being lowered: "'exp2' ...". Always false.
bool emit_fail(Emit *e, ErrorCode code, const char *format, ...) BASE_PRINTF(3, 4);

// The op that errors, checks and source lines name from here on; emit_leave goes back to the one before.
typedef struct EmitPlace {
    Location at;
    const char *op_name;
    uint32_t number; // of the module's places
} EmitPlace;
EmitPlace emit_enter(Emit *e, const TirOp *op);
void emit_leave(Emit *e, EmitPlace outer);

EmitElement emit_element(const Emit *e, TirType tile);
LLVMTypeRef emit_mark_type(const Emit *e);                                         // of an integer's marks
LLVMTypeRef emit_register_type(const Emit *e, EmitElement element, unsigned part); // scalar type in registers
LLVMTypeRef emit_memory_type(const Emit *e, EmitElement element, unsigned part);   // in scratch arrays: i1 is i8
unsigned emit_storage_bytes(EmitElement element);                                  // in buffers, per element
TirType emit_type_of(const Emit *e, TirValue value);
unsigned emit_tile_bits(const Emit *e, TirType tile); // log2 of the number of elements
bool emit_is_scalar(const Emit *e, TirValue value);   // one element
EmitVal *emit_val(Emit *e, TirValue value);
// Binds a one-element integer or pointer that is made from no float.
void emit_bind_scalar(Emit *e, TirValue value, LLVMValueRef scalar);
// An address (i64, or a vector) as a pointer in registers, and back: of a half of a byte, the byte's address.
LLVMValueRef emit_pointer_from_address(Emit *e, EmitElement pointer, LLVMValueRef address);
LLVMValueRef emit_address_of_pointer(Emit *e, EmitElement pointer, LLVMValueRef value);
// Binds a pointer to memory that begins at the address.
void emit_bind_address(Emit *e, TirValue value, LLVMValueRef address, int origin);
// The value with the marks of an integer made from no float, if integers of the type have marks.
NumericValue emit_unmarked(const Emit *e, EmitElement element, LLVMValueRef integer);
// parts[0] of a one-element integer or pointer; an integer sign- or zero-extended to i64.
LLVMValueRef emit_scalar(Emit *e, TirValue value);
LLVMValueRef emit_scalar_i64(Emit *e, TirValue value, bool is_signed);

// ---- unspecified.c: values that nobody specified --------------------------------------------------------------------

// An unspecified value in `lanes` lanes (0: a scalar); `what` is KernelStore.unspecified.
NumericValue emit_unspecified(Emit *e, EmitElement element, unsigned lanes, const char *what);
// Each byte of memory that is unspecified, of elements of that type.
uint8_t emit_unspecified_byte(const Emit *e, TirTypeKind kind);
// `value`, and such a value in the lanes where `mask` (i1, or a vector of them; NULL: everywhere) does not hold.
NumericValue emit_specified_where(Emit *e, EmitElement element, LLVMValueRef mask, const NumericValue *value,
                                  const char *what);
// Tells the launch where a lane of `mask` (i1, or a vector of them; NULL: all) whose marks say that it is unspecified
// decides what the op being lowered does; `what` as above. `marks` NULL: nothing is unspecified.
void emit_note_use(Emit *e, LLVMValueRef marks, LLVMValueRef mask, const char *what);
// The number (i32) by which values know that the op being lowered has made them: tower_origin. `what` and `passed_on`
// are KernelStore's.
LLVMValueRef emit_origin(Emit *e, const char *what, bool passed_on);
// Adds it to the kernel's stores; its number there.
uint32_t emit_add_store(Emit *e, KernelStore store);

// ---- ops: lowering.def names for each op its class and function -----------------------------------------------------

// Element-wise ops: operands and result are lanes or scalars.
typedef bool EmitElementOp(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result);
// Where the elements of an op's result are in its operand 0: flat index bits of the one to those of the other.
typedef TileMap EmitMapOp(const Emit *e, const TirOp *op);
// All others.
typedef bool EmitOp(Emit *e, const TirOp *op);
typedef enum EmitClass {
    EMIT_CLASS_NONE,    // no lowering: refused by name
    EMIT_CLASS_ELEMENT, // element by element, no side effect
    EMIT_CLASS_INDEX,   // each element is its index
    EMIT_CLASS_MAP,     // moves elements: evaluated lazily through an index map
    EMIT_CLASS_OP,      // code where it stands
} EmitClass;
typedef struct EmitRow {
    EmitClass class;
    EmitElementOp *element;
    EmitMapOp *map;
    EmitOp *op;
} EmitRow;
const EmitRow *emit_row(TirOpKind kind);
// The map at which operand 0 of a MAP op is evaluated where its result is at `map`.
TileMap emit_operand_map(const Emit *e, const TirOp *op, const TileMap *map);
bool emit_region(Emit *e, const TirRegion *region);
bool emit_op(Emit *e, const TirOp *op); // of e->block
// The carried tile of the enclosing loop that the op's result may be written into at once, or NULL (control.c).
const EmitVal *emit_carried_destination(Emit *e, const TirOp *op);
// The body of a reduce or scan on lanes: arguments -> yielded values (combine.c).
bool emit_combine(Emit *e, const TirRegion *region, const NumericValue *arguments, NumericValue *results);
// Whether such a body gives the same if the two values that it combines change places. False is always safe.
bool emit_commutes(const Emit *e, const TirRegion *region);
// Whether all ops of such a body are element-wise, on one element: then nothing in it can fail.
bool emit_is_lanewise(const Emit *e, const TirRegion *region);
// The value of a constant op: splat (or one element) as scalars; false if its elements differ.
bool emit_constant_splat(Emit *e, const TirOp *op, NumericValue *value);
// How many ops of the kind are in the region and inside its ops.
uint32_t emit_count_ops(const TirRegion *region, TirOpKind kind);
// The float that a bitcast of a bitcast gives back: bits alone would lose its payload. TIR_NO_VALUE if the op is no
// such one, or the integer between is a tile in memory.
TirValue emit_restored(const Emit *e, const TirOp *op);
// Of a select.
void emit_select_float(Emit *e, const NumericValue *condition, const NumericValue *a, const NumericValue *b,
                       NumericValue *result);
// What is said about an op on floats (float_op.c). False, with a diagnostic, where an attribute is not known.
bool emit_float_op(Emit *e, const TirOp *op, FloatOp *f);
// The integer with what its marks say it would be if close calls had fallen otherwise; NULL unless code asks for that
// (NumericContext.flips).
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
