// SPDX-License-Identifier: Apache-2.0
// Shared by the files that make host code of PTX. A warp is one function, its registers are vectors with a lane for
// each of the 32 threads.
//
// Control flow. A PTX function becomes numbered blocks in the order of its text. Lanes may be in different blocks: `pc`
// has the block that each lane is to run next, `active` the lanes that run now. Where all lanes go the same way, and
// none waits elsewhere, one block jumps to the next directly. Otherwise the dispatcher takes the lowest block that a
// lane waits for and runs all lanes that wait for it, so that lanes that separated meet again. Before an instruction
// that lanes carry out together (.sync) lanes are parked until all that it names are there.
//
// Shapes. Instructions that differ only in which registers they name, in offsets of addresses and in their place share
// a function, and the code of a block is mostly calls of such functions. So LLVM compiles each shape once, and calls
// fast.
//
// Registers live in the frame, memory on the stack: instructions read them there and store what they write. A register
// that is only used within one block, and is written there before it is read, is local: its place is another's before
// and behind. Writes change active lanes only, and of instructions with a guard those that it holds for.
//
// Forms. A register holds bits, or, where the numeric computes with something else and the register is mostly used by
// float instructions of one format, what the numeric has in registers for floats of that format (payloads). Both are
// bijective, so the choice is only about speed.
#ifndef CONGRUENT_LANES_H
#define CONGRUENT_LANES_H

#include "base/kernel_info.h"
#include "compiler/compiler.h"
#include "compiler/lower/code.h"
#include "compiler/numeric/numeric.h"
#include "compiler/ptx/ptx.h"

// What lanes must be there before an instruction: see lowering.def.
typedef enum LaneSync {
    LANE_ANY,    // each lane for itself
    LANE_WARP,   // all lanes of the warp that have not ended (.aligned)
    LANE_MASK,   // those of its operand membermask
    LANE_BLOCKS, // each lane for itself, but it may have to wait: the instruction is tried again
} LaneSync;

typedef struct LaneCode LaneCode;
// Emits one instruction. False, with a diagnostic at code->cx.at, if it cannot.
typedef bool LaneEmitter(LaneCode *code, const PtxInstruction *instruction);
typedef struct LaneLowering { // a row of lowering.def
    LaneEmitter *emit;
    LaneSync sync;
    uint8_t mask_operand; // of LANE_MASK: the number of the operand, counted from the end: 1 is the last
    bool ends;            // control may go on elsewhere than behind it
    const char *reason;   // why it is refused, if it is
} LaneLowering;
const LaneLowering *lane_lowering(PtxOp op);

// ---- plan_lanes.c: blocks and registers of a function ---------------------------------------------------------------

typedef struct LaneBlock {
    uint32_t first, count; // instructions
    LLVMBasicBlockRef code;
    uint32_t place; // of its first instruction
} LaneBlock;

typedef struct LaneRegister {
    bool local;         // all its uses are in one block, and begin with a write of all active lanes
    FpsanFormat form;   // FPSAN_FORMAT_COUNT: bits
    uint32_t offset;    // in the frame
    uint32_t word;      // of the words of a shape, the one that has `offset`; 0: none
    LLVMValueRef value; // in the instruction that is being emitted; NULL: not known yet
    uint32_t writer;    // 1 + number of the instruction that alone writes it, without a guard; 0: there are others
    bool unwritten;     // it may be read without having been written
    bool is_literal;    // nothing writes it but one `mov` of a literal, whose bits are `literal`
    uint64_t literal;
} LaneRegister;

// What the frame begins with: the state of control flow, 32-bit words but for LANE_PC, which is 32 of them.
enum {
    LANE_PC = 0,
    LANE_ACTIVE = 128,  // lanes that run; the others are bits of lanes, too
    LANE_INSIDE = 132,  // lanes that have come into the function and have neither returned nor ended
    LANE_PARKED = 136,  // lanes that wait for others at an instruction of their warp
    LANE_BLOCKED = 140, // lanes that try an instruction again when others have run
    LANE_YIELDED = 144, // lanes that let others go first, because they iterate
    LANE_SPINS = 148,   // iterations of lanes that run without the others
    LANE_CARRY = 152,   // lanes whose carry is set: CC.CF
    LANE_TOKENS = 192,  // for each lane, 64 bits: at the barrier that it waits at, what it arrived with; else 0
    LANE_FRAME_FIXED = 448
};
typedef struct LanePlan {
    LaneBlock *blocks;
    uint32_t block_count;
    uint32_t *block_of_label;
    LaneRegister *registers;
    uint32_t *parameter_offsets; // in the frame, of variables in .param space; UINT32_MAX: of others
    uint32_t *local_offsets;     // in local memory, of .local variables; UINT32_MAX: of others
    const bool *read;            // of registers: lane_find_read
    uint32_t frame_bytes, local_bytes;
} LanePlan;
// Plans code->function. False and E_LIMIT if the frame would be too large.
bool lane_plan(LaneCode *code, Arena *arena);

// The format in which the instruction reads or writes its operand as a float; FPSAN_FORMAT_COUNT: as bits.
FpsanFormat lane_operand_form(const PtxInstruction *instruction, uint32_t operand);

// ---- the code of a module -------------------------------------------------------------------------------------------

typedef struct LaneCheck LaneCheck;
typedef struct LaneModule {
    Arena *arena;  // until the module is done
    Arena *result; // of what is left then
    const PtxModule *ptx;
    const CompileOptions *options;
    LLVMValueRef *functions;  // for each function of the module; NULL: it has no body or is not called
    uint64_t *shared_offsets; // of module variables in shared memory; UINT64_MAX: dynamic
    uint32_t *global_numbers; // of module variables in global or constant memory: of WarpState.globals
    const LaneCheck *checks;  // see lane_find_checks
    KernelPlace *places;
    size_t place_count, place_capacity;
    struct LaneShapes { // lane_shape.c
        Map numbers;    // of shapes, by their text
        LLVMValueRef *functions;
        size_t function_count, function_capacity;
        uint32_t *words; // of all instructions that have a shape
        size_t word_count, word_capacity;
        LLVMValueRef function_table, word_table; // stand for both until they are whole
        Buffer key;                              // of the shape that is looked up
    } shapes;
    // What functions may read without having written it, one function after the other.
    KernelUnwritten *unwritten;
    size_t unwritten_count, unwritten_capacity;
    // What is lost in PTX, one function after the other; which part is of which function.
    KernelLoss *losses;
    size_t loss_count, loss_capacity;
    struct LaneLosses {
        size_t begin, end; // among `losses`
    } *function_losses, *function_unwritten; // .. and among `unwritten`
} LaneModule;

struct LaneCode {
    NumericContext cx;
    LaneModule *module;
    const PtxFunction *function;
    LanePlan plan;
    uint64_t *shared_offsets;             // of variables of the function
    const uint32_t *dependences;          // of each instruction: KernelPlace.losses; NULL: not asked
    const bool *validated;                // see lane_find_validated
    LLVMValueRef state;                   // WarpState *
    LLVMValueRef frame;                   // i8 *
    LLVMValueRef local_base;              // i32: where the function's local memory begins
    LLVMValueRef caller_lanes, arguments; // of functions that are called: i32, and an array of pointers to parameters
    LLVMValueRef slots;                   // memory for operands of calls, see lane_slot
    uint32_t slots_used, slots_bytes;
    LLVMBasicBlockRef dispatch, leave;
    uint32_t block;           // being built
    LLVMValueRef active_bits; // i32, in this block
    // Of the instruction being emitted: active lanes for which its guard holds, as i32 and as <32 x i1>.
    LLVMValueRef mask_bits, mask;
    const PtxInstruction *instruction;
    uint32_t place;
    // In the function of a shape: the words of the instruction that calls it, a pointer, and which of them have
    // literals and offsets of addresses, 64 bits each. Elsewhere NULL.
    LLVMValueRef words;
    struct LaneNumber {
        const PtxOperand *operand;
        uint32_t word;
    } *numbers;
    uint32_t number_count;
    size_t run_first; // the first word of instructions that are to be run here; they end with the words that are there
    // Registers that have a value.
    uint32_t *known;
    size_t known_count, known_capacity;
    bool ended; // the block has a terminator
};

// ---- lane_shape.c: functions of instructions ------------------------------------------------------------------------

// Whether the instruction is emitted in a function of its shape, not in that of the kernel.
bool lane_has_shape(const LaneCode *code, const PtxInstruction *instruction);
// Adds the instruction to those that are to be run, and builds the function if the module has none yet.
bool lane_add_shape(LaneCode *code, const PtxInstruction *instruction);
// Emits the call that runs what was added, for code->active_bits.
void lane_run_shapes(LaneCode *code);
// Before the first function of the module, and behind the last one. Whoever lowers the module frees shapes.key, also
// where it is refused.
void lane_open_shapes(LaneCode *code);
void lane_close_shapes(LaneCode *code);
// A word of the calling instruction, i32; code->words is there.
LLVMValueRef lane_word(const LaneCode *code, uint32_t word);
// The place of the instruction, i32.
LLVMValueRef lane_place_word(const LaneCode *code);
// The literal, or the offset of the address, as an integer of up to 64 bits, where the shape does not say it; else
// NULL.
LLVMValueRef lane_number(const LaneCode *code, const PtxOperand *operand, unsigned bits);

// ---- lower_threads.c ------------------------------------------------------------------------------------------------

// The place number of an instruction, for messages at run time: 1 + its number in KernelInfo.places.
uint32_t lane_place(LaneCode *code, const PtxInstruction *instruction);
// Records E_UNSUPPORTED for the instruction being emitted: "'add.rz.f16x2': ...". Always false.
bool lane_refuse(LaneCode *code, const char *format, ...) BASE_PRINTF(2, 3);

// ---- lane_losses.c --------------------------------------------------------------------------------------------------

// Finds what the function may have lost of its source (base/losses.def), and which instructions may depend on it.
void lane_find_losses(LaneCode *code);

// ---- lane_writers.c ------------------------------------------------------------------------------------------------

// Those of register r are instructions[begin[r]] to instructions[begin[r + 1] - 1], in the order of the text.
typedef struct LaneWriters {
    const uint32_t *begin, *instructions;
} LaneWriters;
LaneWriters lane_find_writers(const PtxFunction *function, Arena *arena); // kept in the arena
// Behind the last writer of the register that stands before the instruction: an index of LaneWriters.instructions;
// begin[index] if there is none.
uint32_t lane_writers_before(const LaneWriters *writers, uint32_t index, uint32_t instruction);
// Of each register whether something may depend on it: false if nothing reads it, or only what computes such registers.
const bool *lane_find_read(const PtxFunction *function, Arena *arena); // in the arena
// The registers of an operand that moves or is moved: itself, or its parts. 0: it has none.
uint32_t lane_part_count(const PtxOperand *operand);
const PtxOperand *lane_part_of(const PtxOperand *operand, uint32_t part);
// Of an instruction that waits: whether something may depend on the predicate that says that the wait is over.
bool lane_is_wait_read(const LaneCode *code, const PtxInstruction *wait);

// ---- lane_unwritten.c ----------------------------------------------------------------------------------------------

// Finds what the function may read without having written it: registers of the plan, whose LaneRegister.unwritten is
// set, and all that LaneModule.unwritten has.
void lane_find_unwritten(LaneCode *code);

// ---- lane_validate.c ------------------------------------------------------------------------------------------------

// A function compares memory at an address that it gets with a value that it gets, as atomicCAS does.
struct LaneCheck {
    uint32_t address, value; // parameters
    uint64_t offset;         // from the address on
    unsigned bits;           // 0: it does not
};
// For each function of the module; NULL: no atom.cas is in it. Kept in the arena.
LaneCheck *lane_find_checks(const PtxModule *module, Arena *arena);
// Of each instruction: whether it is a load that an atom.cas of the same address checks, here or in a function that is
// called, so that it may read what others change with atomics. NULL: none is. Kept in the arena.
const bool *lane_find_validated(const PtxFunction *function, const LaneCheck *checks, Arena *arena);
// Whether the instruction, of the function that the code is of, is such a load.
bool lane_is_validated(const LaneCode *code, const PtxInstruction *load);

// ---- lane_order.c ---------------------------------------------------------------------------------------------------

// Whether what the functions of a kernel compute may depend on the order in which its blocks run.
bool lane_depends_on_order(const PtxReach *reach, const Numeric *numeric);

// ---- lane_control.c: blocks, branches, waiting ----------------------------------------------------------------------

// Emits the function's body.
bool lane_emit_body(LaneCode *code);
// The emission goes on in a new LLVM block in which only lanes of `bits` (i32, not 0) are to be served; between open
// and close code->mask and mask_bits are these. If none is, the code between is skipped.
typedef struct LaneGuard {
    LLVMBasicBlockRef join, before;
    LLVMValueRef mask, mask_bits;
} LaneGuard;
LaneGuard lane_guard_open(LaneCode *code);
// `count` values that the code made: behind it 0 where it was skipped.
void lane_guard_close(LaneCode *code, const LaneGuard *guard, unsigned count, LLVMValueRef *values);
// A word of the frame: LANE_*.
LLVMValueRef lane_frame_word(const LaneCode *code, uint32_t offset);
void lane_set_frame_word(const LaneCode *code, uint32_t offset, LLVMValueRef value);
// Lanes of `done` (i32) go on behind the instruction, the other active ones try it again when other lanes or warps have
// run. Ends the block.
void lane_try_again(LaneCode *code, LLVMValueRef done);
// After a call: lanes that ended in it are no longer here.
void lane_drop_ended(LaneCode *code);
// Emitters of lowering.def.
LaneEmitter lane_emit_branch, lane_emit_branch_table, lane_emit_return, lane_emit_exit, lane_emit_trap;

// ---- lane_registers.c: operands -------------------------------------------------------------------------------------

LLVMTypeRef lane_type(const LaneCode *code, unsigned bits); // <32 x iN>
LLVMValueRef lane_splat(const LaneCode *code, LLVMValueRef scalar);
LLVMValueRef lane_constant(const LaneCode *code, unsigned bits, uint64_t value);
LLVMValueRef lane_numbers(const LaneCode *code);                          // <32 x i32>: 0, 1, .. 31
LLVMValueRef lane_bits_of_mask(const LaneCode *code, LLVMValueRef lanes); // <32 x i1> to i32
LLVMValueRef lane_mask_of_bits(const LaneCode *code, LLVMValueRef bits);  // and back
// The value of the lowest lane of code->mask, a scalar.
LLVMValueRef lane_first(LaneCode *code, LLVMValueRef lanes);

uint32_t lane_parameter_offset(const PtxFunction *function, uint32_t parameter); // of kernels: bytes

// The operand as integers of `bits` bits: the low bits of a wider register; of a narrower one extended by `sign` or
// zeros. Literals, special registers and addresses of variables, too. Floats give their bits.
LLVMValueRef lane_read(LaneCode *code, const PtxOperand *operand, unsigned bits, bool sign);
// The bits of a literal, cut to the type; float literals of another width are converted. False: it is none.
bool lane_literal_bits(const PtxOperand *operand, PtxType type, uint64_t *bits);
// As an instruction of that type reads it.
LLVMValueRef lane_read_type(LaneCode *code, const PtxOperand *operand, PtxType type);
LLVMValueRef lane_read_predicate(LaneCode *code, const PtxOperand *operand); // <32 x i1>
// Writes lanes of code->mask of a register; PTX_SINK takes anything. Integers that are narrower than the register are
// extended as `type` says (sign or zeros), wider ones cut.
void lane_write(LaneCode *code, const PtxOperand *operand, LLVMValueRef bits, PtxType type);
void lane_write_predicate(LaneCode *code, const PtxOperand *operand, LLVMValueRef predicate);
// Floats: 32 * elements lanes of the numeric's parts for a register that packs `elements` floats; element e of lane l
// is lane l * elements + e.
NumericValue lane_read_float(LaneCode *code, const PtxOperand *operand, FpsanFormat format, unsigned elements);
void lane_write_float(LaneCode *code, const PtxOperand *operand, FpsanFormat format, unsigned elements,
                      const NumericValue *value);
// Lanes where a predicate holds, negated if the operand is, as i32.
LLVMValueRef lane_read_guard(LaneCode *code, const PtxOperand *operand);
// The instruction is done: registers are in the frame alone.
void lane_forget_registers(LaneCode *code);

// The address that a PTX_ADDRESS (or a register, a variable) names, as 64 bits in the space of the access.
LLVMValueRef lane_address(LaneCode *code, const PtxOperand *operand, PtxSpace space);

// ---- lane_forms.c: operands that are moved, not computed with -------------------------------------------------------

// The register in `form` as it is kept, converted if need be: for data of operations. Writing back likewise.
LLVMValueRef lane_read_form(LaneCode *code, const PtxOperand *operand, FpsanFormat form);
void lane_write_form(LaneCode *code, const PtxOperand *operand, LLVMValueRef value, FpsanFormat form);
// The form that all registers among the operands are kept in, if they have the same width; FPSAN_FORMAT_COUNT: bits.
FpsanFormat lane_common_form(const LaneCode *code, const PtxOperand *const *operands, unsigned count);
// The operand in that form, as <32 x iN> of the type's width whatever it means; writing it likewise.
LLVMValueRef lane_read_moved(LaneCode *code, const PtxOperand *operand, PtxType type, FpsanFormat form);
void lane_write_moved(LaneCode *code, const PtxOperand *operand, LLVMValueRef value, PtxType type, FpsanFormat form);
// <32 x i32>: what a register of 32 bits in a form keeps for bits, and its bits.
LLVMValueRef lane_keep_bits(LaneCode *code, LLVMValueRef bits, FpsanFormat form);
LLVMValueRef lane_bits_of_kept(LaneCode *code, LLVMValueRef kept, FpsanFormat form);
// Where a register of 32 bits lies, so that an operation can read it in the frame, or read and write it (then no value
// of it is known any more).
typedef struct LaneHome {
    uint32_t
        word; // of code->words, which has its place; 0: it has to be read with lane_read and written with lane_write
    FpsanFormat form; // in which it is kept, while the operation has its bits; FPSAN_FORMAT_COUNT: both are alike
} LaneHome;
// `form`: in which the operation has it; FPSAN_FORMAT_COUNT: bits.
LaneHome lane_register_home(LaneCode *code, const PtxOperand *operand, FpsanFormat form, bool writes);

// ---- lane_choice.c: comparisons -------------------------------------------------------------------------------------

// Lanes where the instruction's comparison holds. NULL and a diagnostic: integers do not have it.
LLVMValueRef lane_compare_integers(LaneCode *code, const PtxInstruction *instruction, bool sign, LLVMValueRef a,
                                   LLVMValueRef b);

// ---- lane_operation.c: calls of WarpOps -----------------------------------------------------------------------------

LLVMValueRef lane_state_pointer(const LaneCode *code, size_t offset);           // of a field of WarpState
LLVMValueRef lane_state_field(LaneCode *code, size_t offset, LLVMTypeRef type); // loaded
void lane_set_state_field(LaneCode *code, size_t offset, LLVMValueRef value);
// Memory in the frame for this call: <32 x iN> values one after the other. Slots are used anew by each instruction.
// lane_open_slots: where a function begins; lane_close_slots: when it is whole.
void lane_open_slots(LaneCode *code);
void lane_close_slots(LaneCode *code);
LLVMValueRef lane_slot(LaneCode *code, uint32_t bytes);
void lane_slot_release(LaneCode *code);
// WarpOps.load and store for code->mask: `count` vectors of access->bytes * 8 bits.
void lane_load(LaneCode *code, const WarpAccess *access, LLVMValueRef addresses, LLVMValueRef *values);
void lane_store(LaneCode *code, const WarpAccess *access, LLVMValueRef addresses, const LLVMValueRef *values);
// WarpOps.atomic; combine: a WarpCombine. `swap` may be NULL; `old` NULL: not wanted.
void lane_atomic(LaneCode *code, const WarpAccess *access, LLVMValueRef combine, LLVMValueRef addresses,
                 const LLVMValueRef *operands, const LLVMValueRef *swap, LLVMValueRef *old);
// WarpOps.operate. Operands are vectors of up to 64 bits, zero-extended. `data`: vectors of 32 bits, which are read,
// and the first `written` of which are replaced by what is there afterwards.
typedef struct LaneOperation {
    WarpKind kind;
    uint32_t detail[WARP_DETAILS];
    LLVMValueRef function; // WarpCombine or WarpProduct, or NULL
    uint32_t operand_count, data_count;
    LLVMValueRef operands[WARP_OPERANDS_MAX];
    LLVMValueRef *data;
    const LaneHome *homes; // NULL, or for each of `data`; those that have one are not in `data`
    bool reads_data;
    uint32_t written;
    LLVMValueRef slot;   // of `data`, while the operation is written
    LLVMValueRef result; // out, the first operand as it is afterwards, i64
    LLVMValueRef done;   // out, i32: what the call returned
} LaneOperation;
void lane_operate(LaneCode *code, LaneOperation *operation);
// A constant of the module: i32.
LLVMValueRef lane_constant_words(LaneCode *code, LLVMValueRef *words, uint32_t count);
// The launch ends if there is a lane in `where`: <32 x i1>, or i32.
void lane_trap_where(LaneCode *code, LLVMValueRef where, WarpTrap kind);
void lane_trap_lanes(LaneCode *code, LLVMValueRef where, WarpTrap kind);
void lane_trap_at(LaneCode *code, LLVMValueRef where, WarpTrap kind, LLVMValueRef place); // i32 both
// The other functions of WarpOps.
void lane_call_loop(LaneCode *code, uint32_t place);
void lane_call_yield(LaneCode *code);
void lane_call_enter(LaneCode *code, LLVMValueRef frame, uint32_t bytes, uint32_t local);
void lane_call_exit(LaneCode *code);                                             // lanes of code->mask
void lane_call_stuck(LaneCode *code, LLVMValueRef waiting, LLVMValueRef blocks); // lanes, and the block of each

// lane_operate for an instruction that may have a guard: without lanes nothing is called, and what the call gives is 0.
void lane_operate_guarded(LaneCode *code, LaneOperation *operation);
// The number that the instruction's first word of the set stands for, for details of operations; 0: it has none.
uint32_t lane_word_value(const PtxInstruction *instruction, PtxSet set);

// ---- lane_lists.c: lists of registers of operations -----------------------------------------------------------------

// Whether `data[i]` lies in the frame.
bool lane_has_home(const LaneOperation *operation, uint32_t i);
// From their places in the frame to the slot; or, for the lanes of code->mask, those that are written back to there.
void lane_copy_homes(LaneCode *code, const LaneOperation *operation, bool to_frame);

// ---- check_wgmma.c --------------------------------------------------------------------------------------------------

// Finds registers of asynchronous products that a function touches too early. False and E_RUNTIME, with the places of
// both instructions, if there are some.
bool lane_check_wgmma(Diagnostics *diagnostics, const PtxModule *module, const PtxFunction *function);
bool lane_is_wgmma(const PtxInstruction *instruction); // an asynchronous product: its sums are read and written in one list

// ---- lane_product.c: products of matrices ---------------------------------------------------------------------------

// What is multiplied. Of tcgen05.mma the job (WarpProductJob) says formats, and the types are PTX_TYPE_COUNT.
typedef struct LaneProduct {
    PtxType a, b, d;     // of elements
    bool tensor;         // tcgen05.mma
    WarpTensorKind kind; // of that
    bool saturate;       // integers
} LaneProduct;
// The function (WarpProduct) that multiplies, made when it is first asked for. NULL and a diagnostic: it is refused.
LLVMValueRef lane_product_function(LaneCode *code, const LaneProduct *product);

// ---- lane_call.c: functions -----------------------------------------------------------------------------------------

// At the beginning of the code, before the frame is used: takes local memory for the lanes (i32).
void lane_enter_function(LaneCode *code, LLVMValueRef lanes);
void lane_leave_function(LaneCode *code); // at its end: gives it back
LaneEmitter lane_emit_call;
// The LLVM type of functions that are called.
LLVMTypeRef lane_function_type(const LaneModule *module, LLVMContextRef context);
// Memory of a parameter or result of a function, of its own or of one that it calls: for each lane `size` bytes.
LLVMValueRef lane_parameter_memory(LaneCode *code, uint32_t variable);

// ---- lane_function.c: functions that are known by name --------------------------------------------------------------

// Whether calls of the function are an operation on floats, whatever body it has.
bool lane_is_known(const LaneModule *module, const PtxFunction *function);
// Emits a call of such a function; *known is false, and nothing is emitted, of all others.
bool lane_call_known(LaneCode *code, const PtxInstruction *instruction, const PtxFunction *function,
                     const PtxOperand *results, const PtxOperand *parameters, bool *known);

// ---- lane_memory.c: loads, stores, atomics --------------------------------------------------------------------------

LaneEmitter lane_emit_load, lane_emit_store;
// What the words of the instruction say of its access. `type`: of an element.
WarpAccess lane_access(LaneCode *code, const PtxInstruction *instruction, PtxType type);
PtxSpace lane_space(const PtxInstruction *instruction); // the first that it names; PTX_GENERIC: none

// ---- lane_table.c
// ----------------------------------------------------------------------------------------------------

// Adds the module's WarpFunctions, behind all functions.
bool lane_emit_table(LaneCode *code);

// ---- lane_atomics.c -------------------------------------------------------------------------------------------------

typedef struct LaneCombine {
    PtxWord operation; // add, min, .., exch, cas
    PtxType type;      // of an element
    unsigned count;    // elements of the access, 1 to 8
    bool flushes;      // subnormal f32 are zeros
    bool magnitudes;   // of min and max of floats: of |x|
    bool propagates;   // of min and max of floats: NaN wins
} LaneCombine;
// The function (WarpCombine) that does it, made when it is first asked for; the builder has to stand somewhere. NULL
// and a diagnostic: the numeric refuses it.
LLVMValueRef lane_combine_function(NumericContext *cx, const LaneCombine *what);

#endif
