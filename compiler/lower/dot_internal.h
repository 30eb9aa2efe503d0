// SPDX-License-Identifier: Apache-2.0
// Dots: matrix products of tiles, for files dot*.c. dot.c packs the operands of each part of a float, and has the sums
// made by micro-kernels (dot_kernel.c), in AMX tiles (dot_tiles.c) or by the threads of a GPU's block (dot_threads.c).
#ifndef CONGRUENT_DOT_INTERNAL_H
#define CONGRUENT_DOT_INTERNAL_H

#include "compiler/lower/tiles.h"

// One part of a dot on packed operands:
// result[batch][row][column] = start[batch][row][column] + sum over depths of
// a[batch][row][depth] * b[batch][depth][column]. Extents are powers of two; their exponents are given.
typedef struct DotKernel {
    const Numeric *numeric; // its `dots` compute
    NumericDot plan;
    unsigned batch_bits, row_bits, column_bits, depth_bits;
    unsigned panel_bits; // columns that are computed at once: the same for all parts, so that all are packed alike
    // The packed operands, an array of plan.operand_type for each piece (plan.pieces):
    LLVMValueRef a[NUMERIC_PIECES]; // [batch][row][depth], in the order of dot_packing
    LLVMValueRef b[NUMERIC_PIECES]; // [batch][depth][column], in the order of dot_packing
    LLVMTypeRef memory;             // scalar type of accumulators in tile memory
    LLVMValueRef start;             // [batch][row][column] of `memory`; may be the result; NULL: start_part everywhere
    LLVMValueRef start_part;        // a scalar
    LLVMValueRef result;            // [batch][row][column] of `memory`
    LLVMValueRef sums;              // with AMX tiles: memory for the sums of a block of them
    LLVMValueRef parameter;         // inside the function of a shared kernel: NumericDots.parameter
    bool is_unsigned[2];            // operands of integers: lhs and rhs
    bool is_shared;                 // the packed operands lie in shared memory
    LLVMValueRef seen;              // of the part of states: a cell for the OR of both operands' words; else NULL
    // Of part 0 where the census counts: a cell for it, and the format in which operands are multiplied. Else NULL.
    LLVMValueRef census;
    FpsanFormat multiplied;
} DotKernel;

struct DotFragment;

// The marks of a dot of integers (dot_marks.c).
typedef struct DotMarks {
    LLVMValueRef seen;        // a cell: the marks of both operands, united
    LLVMValueRef operands[2]; // arrays of the marks of lhs and rhs, in the order of dot_packing
    LLVMValueRef flipped;     // the result of dot_open_flipped's kernel; NULL: there is none
} DotMarks;

// ---- dot.c ----------------------------------------------------------------------------------------------------------

// On GPUs: how the threads hold the result of a dot in registers. False if they do not, or the op is no dot.
bool dot_registers(Emit *e, const TirOp *op, struct DotFragment *fragment);

// ---- dot_kernel.c ---------------------------------------------------------------------------------------------------

// The panel_bits that suit a plan: of the first part, for all parts.
unsigned dot_panel_bits(const Emit *e, const DotKernel *kernel);
// The order of a packed side (0: lhs, 1: rhs): from array index bits to flat index bits of the operand's tile. For
// vector kernels lhs keeps its order, and rhs is [batch][panel][step][column of the panel][depth of the step].
TileMap dot_packing(const Emit *e, const DotKernel *kernel, unsigned side);
// Pointers to each piece of an operand, `index` << `bits` elements behind `from`.
void dot_advance(Emit *e, const DotKernel *kernel, const LLVMValueRef *from, LLVMValueRef index, unsigned bits,
                 LLVMValueRef *to);
// A loop of `trips` iterations that carries sums. In the body `sums` are those so far; the body replaces them before
// dot_close_sums, behind which they are the last ones.
enum { DOT_SUMS_MAX = 64 };
typedef struct DotSums {
    CodeLoop loop;
    LLVMValueRef phis[DOT_SUMS_MAX], latch; // latch: the branch to the next iteration, once the loop is closed
} DotSums;
void dot_open_sums(Emit *e, DotSums *sum, unsigned trips, LLVMValueRef *sums, unsigned count);
void dot_close_sums(Emit *e, DotSums *sum, LLVMValueRef *sums, unsigned count);
// Emits the dot as its plan says. False if scratch runs out.
bool dot_kernel_emit(Emit *e, const DotKernel *kernel);

// Emits `body`; in a function with several dots, a call of a function that dots alike share and that `body` fills when
// it is new.
typedef void DotBody(Emit *e, const DotKernel *kernel);
void dot_call(Emit *e, const DotKernel *kernel, DotBody *body);

// ---- dot_tiles.c: products of bytes in AMX tiles --------------------------------------------------------------------

enum { DOT_TILE_BITS = 4 }; // log2 of the rows of an AMX tile, and of its columns of 32 bits
// Changes the plan to AMX tiles if that pays. False if scratch runs out.
bool dot_choose_tiles(Emit *e, DotKernel *kernel, TirValue rhs);
// For a plan that is `merged`: log2 of the lanes that `operand` takes at once, and the dot_packing.
enum { DOT_MERGED_BITS = DOT_TILE_BITS + 2 };
TileMap dot_merged_packing(const DotKernel *kernel, unsigned side);
// Emits the dot. False if scratch runs out.
bool dot_tiles_emit(Emit *e, const DotKernel *kernel);

// ---- dot_fragment.c: which elements of the result each thread of a GPU's block computes -----------------------------

// log2 of what a matrix unit multiplies at once: rows, columns and bytes of the depth. And log2 of the bytes of an
// operand's row that a swizzle leaves together.
enum { DOT_MATRIX_ROW_BITS = 4, DOT_MATRIX_COLUMN_BITS = 3, DOT_STEP_BYTES_BITS = 5, DOT_CHUNK_BITS = 4 };

// Which elements of the result a thread has in its registers in each step.
typedef struct DotFragment {
    TileMap layout; // from bits of the register, then of the thread, then of the step, to flat index bits of the result
    unsigned register_bits, thread_bits, step_bits;
    // log2 of the rows and columns that a thread's registers are; on matrix units, of the tiles that a warp's are.
    unsigned row_bits, column_bits;
} DotFragment;
// Changes the plan to matrix units if they can compute it.
void dot_choose_matrix(Emit *e, DotKernel *kernel);
DotFragment dot_fragment(const Emit *e, const DotKernel *kernel);
// Operands of matrix units: the dot_packing, and the order (EmitSource.order) in which steps of 2^DOT_PACK_BITS lanes
// pack them.
enum { DOT_PACK_BITS = 2 };
TileMap dot_matrix_packing(const DotKernel *kernel, unsigned side);
TileMap dot_pack_order(const DotKernel *kernel, unsigned side);
// Where packed elements lie, so that a warp's loads do not meet in a bank: EmitPacked's swizzle, but of bytes.
typedef struct DotSwizzle {
    unsigned from, to, count;
} DotSwizzle;
DotSwizzle dot_swizzle(const DotKernel *kernel);
void dot_swizzle_array(const DotKernel *kernel, EmitPacked *array);

// ---- dot_threads.c: the kernel of GPUs ------------------------------------------------------------------------------

// Emits the dot. `result` is EMIT_REGISTERS; EMIT_MEMORY if the fragment has steps. False if the accumulator cannot be
// evaluated.
bool dot_threads_emit(Emit *e, const DotKernel *kernel, const DotFragment *fragment, TirValue accumulator,
                      EmitVal *result);

// ---- dot_matrix.c: the sums of matrix units -------------------------------------------------------------------------

// Where a warp's part of the result begins: i64, the same for all its threads.
typedef struct DotPlace {
    LLVMValueRef batch, row, column;
} DotPlace;
// Adds the products over all depths to the sums of a thread's fragment: scalars of plan.accumulator_type, or of 64
// bits.
void dot_matrix_emit(Emit *e, const DotKernel *kernel, const DotFragment *fragment, const DotPlace *place,
                     LLVMValueRef *sums);

// ---- dot_states.c: numerics with a part that is a state (numeric.h) -------------------------------------------------

// A cell (an alloca) that is 0 at first.
LLVMValueRef dot_open_seen(Emit *e, LLVMTypeRef type);
// A cell for dot_see.
LLVMValueRef dot_open_seen_states(Emit *e);
// ORs lanes of states into the cell; unites the cell with the marks of lanes.
void dot_see(Emit *e, LLVMValueRef seen, LLVMValueRef lanes);
void dot_see_marks(Emit *e, LLVMValueRef seen, LLVMValueRef marks);
// Emits all parts. At run time each has its kernel, or they are added product by product, as NumericDots.values says.
// False if scratch runs out.
bool dot_states_emit(Emit *e, const DotKernel *kernels, unsigned count);
// Emits part 0 by its kernel and the others product by product (NumericDots.value_step). False if scratch runs out.
bool dot_values_emit(Emit *e, const DotKernel *kernels, unsigned count);

// ---- dot_marks.c: marks of integer dots, on the host ----------------------------------------------------------------

void dot_open_marks(Emit *e, DotMarks *marks);
// The array of an operand's marks, for emit_pack. False if scratch runs out.
bool dot_pack_marks(Emit *e, DotMarks *marks, unsigned side, const TileMap *packing, EmitPacked *array);
// Where close calls flip: a second kernel with a result of its own. The caller gives it the flipped operands
// (emit_flipped). False if scratch runs out.
bool dot_open_flipped(Emit *e, const DotKernel *kernel, DotMarks *marks, DotKernel *flipped);
// Emits it as code that runs only if some operand has a mark. False if scratch runs out.
bool dot_emit_flipped(Emit *e, const DotKernel *flipped, const DotMarks *marks);
// Behind the kernel: stores the marks of the result (EMIT_MEMORY). `start`: the accumulator, with its marks. False if
// scratch runs out.
bool dot_mark_result(Emit *e, const DotKernel *kernel, const DotMarks *marks, const EmitVal *start,
                     const EmitVal *result);

#endif
