// SPDX-License-Identifier: Apache-2.0
// What dot.c and dot_kernel.c share: one part of a dot product on packed operands.
#ifndef CONGRUENT_DOT_INTERNAL_H
#define CONGRUENT_DOT_INTERNAL_H

#include "compiler/lower/tiles.h"

// result[b][m][n] = start[b][m][n] + sum over k of a[b][m][k] * b[b][k][n]; extents are powers of two, given as
// exponents.
typedef struct DotKernel {
    const Numeric *numeric; // whose dot_begin, dot_step and dot_end are meant
    NumericDot plan;
    unsigned batch_bits, row_bits, column_bits, depth_bits;
    unsigned panel_bits; // columns that are computed at once: the same for all parts, so that all are packed alike
    // Of each piece of the operands (plan.pieces):
    LLVMValueRef a[NUMERIC_PIECES]; // dot_packing of [batch][row][depth] of plan.operand_type
    LLVMValueRef b[NUMERIC_PIECES]; // and of [batch][depth][column]
    LLVMTypeRef memory;             // scalar type of accumulators in tile memory
    LLVMValueRef start;             // [batch][row][column] of `memory`; may be the result; NULL: start_part everywhere
    LLVMValueRef start_part;
    LLVMValueRef result;    // [batch][row][column] of `memory`
    LLVMValueRef sums;      // of tile registers: memory for the sums of a block
    LLVMValueRef parameter; // of a shared kernel, inside of it
    bool is_unsigned[2];    // operands of integers: lhs and rhs
    bool is_shared;         // the packed operands lie in shared memory
    LLVMValueRef seen;      // of a part of states: memory where the words of both operands are ORed; else NULL
} DotKernel;

struct DotFragment;

// Of a dot of integers that have marks (dot_marks.c).
typedef struct DotMarks {
    LLVMValueRef seen;        // a cell: those of both operands, united
    LLVMValueRef operands[2]; // of each side, i8, as dot_packing has them
    LLVMValueRef flipped;     // the result of dot_open_flipped's kernel; NULL: there is none
} DotMarks;

// ---- dot.c ----------------------------------------------------------------------------------------------------------

// How the result of an op that is a dot lies in registers; false: it does not, or is none.
bool dot_registers(Emit *e, const TirOp *op, struct DotFragment *fragment);

// ---- dot_kernel.c ---------------------------------------------------------------------------------------------------

// panel_bits by the first part's plan.
unsigned dot_panel_bits(const Emit *e, const DotKernel *kernel);
// Where a packed side (0: lhs) keeps its elements: array index bits to flat index bits of the tile. lhs as it is; of
// rhs panels of as many columns as the kernel computes at once, in each all depths, in each of those the columns, in
// each of those the depths of one step.
TileMap dot_packing(const Emit *e, const DotKernel *kernel, unsigned side);
// The same place in each piece of an operand, `index` << `bits` elements further.
void dot_advance(Emit *e, const DotKernel *kernel, const LLVMValueRef *from, LLVMValueRef index, unsigned bits,
                 LLVMValueRef *to);
// A loop that goes round `trips` times and carries sums, which become those of the round; at its end the sums are those
// that leave it.
enum { DOT_SUMS_MAX = 64 };
typedef struct DotSums {
    CodeLoop loop;
    LLVMValueRef phis[DOT_SUMS_MAX], latch; // latch: the branch to the next round, once the loop is closed
} DotSums;
void dot_open_sums(Emit *e, DotSums *sum, unsigned trips, LLVMValueRef *sums, unsigned count);
void dot_close_sums(Emit *e, DotSums *sum, LLVMValueRef *sums, unsigned count);
// Emits the loops, or calls a function of them where the plan is to share it. False if scratch runs out.
bool dot_kernel_emit(Emit *e, const DotKernel *kernel);

// Emits code of a kernel that has several dots: a call of a function, which `body` fills if no dot alike made it.
typedef void DotBody(Emit *e, const DotKernel *kernel);
void dot_call(Emit *e, const DotKernel *kernel, DotBody *body);

// ---- dot_tiles.c: products of bytes in tile registers (AMX) ---------------------------------------------------------

enum { DOT_TILE_BITS = 4 }; // rows and columns of a tile register, of 32 bits
// Makes the plan one of tile registers, if that pays.
bool dot_choose_tiles(Emit *e, DotKernel *kernel, TirValue rhs);
// Of a merged plan: lanes that are merged at once, and dot_packing, which has the elements in the order in which they
// are.
enum { DOT_MERGED_BITS = DOT_TILE_BITS + 2 };
TileMap dot_merged_packing(const DotKernel *kernel, unsigned side);
// The kernel's loops. False if scratch runs out.
bool dot_tiles_emit(Emit *e, const DotKernel *kernel);

// ---- dot_fragment.c: which elements of the result each thread of a GPU's block computes -----------------------------

// log2 of what a matrix unit multiplies at once: rows, columns and bytes of the depth; and of the bytes of an operand's
// row that stay neighbours.
enum { DOT_MATRIX_ROW_BITS = 4, DOT_MATRIX_COLUMN_BITS = 3, DOT_STEP_BYTES_BITS = 5, DOT_CHUNK_BITS = 4 };

typedef struct DotFragment {
    TileMap layout; // iteration bits: registers, threads, steps -> flat index bits of the result
    unsigned register_bits, thread_bits, step_bits;
    unsigned row_bits, column_bits; // of the registers: rows and columns (of matrix units: their tiles)
} DotFragment;
// Makes the plan one of matrix units, if they can compute it.
void dot_choose_matrix(Emit *e, DotKernel *kernel);
DotFragment dot_fragment(const Emit *e, const DotKernel *kernel);
// Of matrix units: how an operand is packed, in which order, 2^DOT_PACK_BITS lanes at once, and where its elements are.
enum { DOT_PACK_BITS = 2 };
TileMap dot_matrix_packing(const DotKernel *kernel, unsigned side);
TileMap dot_pack_order(const DotKernel *kernel, unsigned side);
typedef struct DotSwizzle { // as in EmitPacked, but of the numbers of bytes
    unsigned from, to, count;
} DotSwizzle;
DotSwizzle dot_swizzle(const DotKernel *kernel);
void dot_swizzle_array(const DotKernel *kernel, EmitPacked *array);

// ---- dot_threads.c: the kernel of GPUs
// -------------------------------------------------------------------------------

// The sum of the accumulator and the products of the packed operands: into `result`, which is in memory if the fragment
// has steps. False if the accumulator cannot be evaluated.
bool dot_threads_emit(Emit *e, const DotKernel *kernel, const DotFragment *fragment, TirValue accumulator,
                      EmitVal *result);

// ---- dot_matrix.c: what matrix units do of it -----------------------------------------------------------------------

// Adds products to the sums of a thread's fragment (scalars of plan.accumulator_type, or 64 bits).
typedef struct DotPlace { // i64, the same for all lanes of a warp
    LLVMValueRef batch, row, column;
} DotPlace;
void dot_matrix_emit(Emit *e, const DotKernel *kernel, const DotFragment *fragment, const DotPlace *place,
                     LLVMValueRef *sums);

// ---- dot_states.c: numerics whose last part is a state (numeric.h) --------------------------------------------------

// A cell that is 0, and ORing lanes into it, or uniting it with marks.
LLVMValueRef dot_open_seen(Emit *e, LLVMTypeRef type);
void dot_see(Emit *e, LLVMValueRef seen, LLVMValueRef lanes);
void dot_see_marks(Emit *e, LLVMValueRef seen, LLVMValueRef marks);
// All parts: with kernels where those will do, product by product where not.
bool dot_states_emit(Emit *e, const DotKernel *kernels, unsigned count);

// ---- dot_marks.c: marks of integer dots, on the host
// ----------------------------------------------------------------

void dot_open_marks(Emit *e, DotMarks *marks);
// An array of the marks of an operand, for emit_pack. False if scratch runs out.
bool dot_pack_marks(Emit *e, DotMarks *marks, unsigned side, const TileMap *packing, EmitPacked *array);
// Where close calls flip: a kernel of the operands that there would be, with the same accumulator, and its code, which
// runs only where some operand has a mark. False if scratch runs out.
bool dot_open_flipped(Emit *e, const DotKernel *kernel, DotMarks *marks, DotKernel *flipped);
bool dot_emit_flipped(Emit *e, const DotKernel *flipped, const DotMarks *marks);
// The marks of the result (EMIT_MEMORY), which the kernel has computed; `start` is where those of the accumulator are.
// False if scratch runs out.
bool dot_mark_result(Emit *e, const DotKernel *kernel, const DotMarks *marks, const EmitVal *start,
                     const EmitVal *result);

#endif
