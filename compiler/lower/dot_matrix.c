// SPDX-License-Identifier: Apache-2.0
// Dots on the matrix units of GPUs (mma.sync). All of them multiply 16 rows by 8 columns and 32 bytes of depth, and
// find operands and sums in the same registers whatever the operands are. Integers wider than a byte are multiplied
// byte by byte: products of one weight are summed, and weights are taken from the highest down, each sum being shifted
// by a byte before the next is added to it.
#include "compiler/lower/dot_internal.h"
#include "compiler/lower/kernel.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>

enum {
    TILE_SUMS = 4,
    A_WORDS = 4,
    B_WORDS = 2,
    TILES_MAX = DOT_SUMS_MAX / 4,
    EXACT_STEPS = 1 << 15 >> DOT_STEP_BYTES_BITS, // 2^15 products of bytes are less than 2^31
};

typedef struct MatrixDot {
    const DotKernel *kernel;
    unsigned rows, columns;        // tiles of a warp's fragment
    unsigned depth_bytes_bits;     // of a packed row
    LLVMValueRef a, b;             // i64: bytes from the beginning of the arrays to this thread's row or column
    LLVMValueRef chunk_a, chunk_b; // i64: which half of the step this thread loads (shared memory), or 0
    LLVMValueRef key;              // i64: what its row's chunks are xored with
    LLVMValueRef within;           // i64: bytes within a chunk (other memory)
} MatrixDot;

static LLVMValueRef shifted(Emit *e, LLVMValueRef value, unsigned bits) {
    return bits ? LLVMBuildShl(e->cx.builder, value, code_i64(&e->cx, bits), "") : value;
}

static LLVMValueRef bits_of(Emit *e, LLVMValueRef value, unsigned first, unsigned count) {
    if (first) value = LLVMBuildLShr(e->cx.builder, value, code_i64(&e->cx, first), "");
    return LLVMBuildAnd(e->cx.builder, value, code_i64(&e->cx, (1 << count) - 1), "");
}

static LLVMValueRef add(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildAdd(e->cx.builder, a, b, "");
}

// ---- loading operands -----------------------------------------------------------------------------------------------

// Where the thread loads. In shared memory ldmatrix gives 8 x 16 bytes that eight lanes point to: of A lanes 0 to 15
// point to the rows' first halves and the others to their second; of B lanes 0 to 7 and 8 to 15 to both halves of one
// tile's columns, the others to those of the next tile. Elsewhere each lane loads what it needs: row g, byte 4 t.
static MatrixDot open_matrix(Emit *e, const DotKernel *kernel, const DotFragment *fragment, const DotPlace *place) {
    MatrixDot dot = {.kernel = kernel,
                     .rows = 1u << fragment->row_bits,
                     .columns = 1u << fragment->column_bits,
                     .depth_bytes_bits = kernel->depth_bits + map_log2(code_type_bits(kernel->plan.operand_type) / 8)};
    assert(dot.rows * dot.columns <= TILES_MAX);
    DotSwizzle swizzle = dot_swizzle(kernel);
    LLVMValueRef lane = bits_of(e, e->threads.index, 0, EMIT_WARP_BITS), row, column, low;
    if (kernel->is_shared) {
        low = bits_of(e, lane, 0, 3);
        row = bits_of(e, lane, 0, 4);
        column = add(e, low, shifted(e, bits_of(e, lane, 4, 1), DOT_MATRIX_COLUMN_BITS));
        if (dot.columns == 1) column = low;
        dot.chunk_a = bits_of(e, lane, 4, 1);
        dot.chunk_b = bits_of(e, lane, 3, 1);
        dot.within = code_i64(&e->cx, 0);
    } else {
        row = column = low = bits_of(e, lane, 2, 3);
        dot.chunk_a = dot.chunk_b = code_i64(&e->cx, 0);
        dot.within = shifted(e, bits_of(e, lane, 0, 2), 2);
    }
    row = add(e, add(e, place->row, row), shifted(e, place->batch, kernel->row_bits));
    column = add(e, add(e, place->column, column), shifted(e, place->batch, kernel->column_bits));
    dot.a = shifted(e, row, dot.depth_bytes_bits);
    dot.b = shifted(e, column, dot.depth_bytes_bits);
    dot.key = bits_of(e, low, swizzle.from - dot.depth_bytes_bits, swizzle.count);
    return dot;
}

// A pointer into an operand: `row` bytes on, in chunk number `chunk` of the row.
static LLVMValueRef operand_pointer(Emit *e, const MatrixDot *dot, LLVMValueRef base, LLVMValueRef row,
                                    LLVMValueRef chunk) {
    chunk = LLVMBuildXor(e->cx.builder, chunk, dot->key, "");
    LLVMValueRef offset = add(e, add(e, row, shifted(e, chunk, DOT_CHUNK_BITS)), dot->within);
    return code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), base, offset);
}

static void load_matrices(Emit *e, LLVMValueRef pointer, unsigned count, LLVMValueRef *words) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef type = LLVMPointerTypeInContext(e->cx.context, EMIT_SHARED);
    const char *name = machine_instruction(MACHINE_LOAD_MATRIX + map_log2(count));
    LLVMValueRef row = LLVMBuildAddrSpaceCast(builder, pointer, type, "");
    LLVMValueRef loaded = vector_intrinsic_of(&e->cx, name, &type, 1, &row, 1);
    for (unsigned i = 0; i < count; i++) words[i] = LLVMBuildExtractValue(builder, loaded, i, "");
}

// Words of one operand: of A rows g and g + 8 of the first half of the step, then of the second; of B column g.
static void load_words(Emit *e, const MatrixDot *dot, LLVMValueRef base, LLVMValueRef row, LLVMValueRef chunk,
                       unsigned rows, LLVMValueRef *words) {
    for (unsigned half = 0; half < 2; half++)
        for (unsigned r = 0; r < rows; r++) {
            LLVMValueRef at = add(e, row, code_i64(&e->cx, (int64_t)r << 3 << dot->depth_bytes_bits));
            LLVMValueRef pointer = operand_pointer(e, dot, base, at, add(e, chunk, code_i64(&e->cx, half)));
            *words++ = code_load(&e->cx, code_integer_type(&e->cx, 32), pointer, 4);
        }
}

// Both operands of all tiles for one step. `step`: its number.
static void load_a(Emit *e, const MatrixDot *dot, LLVMValueRef base, LLVMValueRef step, LLVMValueRef (*a)[A_WORDS]) {
    LLVMValueRef chunk = add(e, shifted(e, step, 1), dot->chunk_a);
    for (unsigned i = 0; i < dot->rows; i++) {
        LLVMValueRef row = add(e, dot->a, code_i64(&e->cx, (int64_t)i << DOT_MATRIX_ROW_BITS << dot->depth_bytes_bits));
        if (dot->kernel->is_shared)
            load_matrices(e, operand_pointer(e, dot, base, row, chunk), A_WORDS, a[i]);
        else
            load_words(e, dot, base, row, chunk, 2, a[i]);
    }
}

static void load_b(Emit *e, const MatrixDot *dot, LLVMValueRef base, LLVMValueRef step, LLVMValueRef (*b)[B_WORDS]) {
    LLVMValueRef chunk = add(e, shifted(e, step, 1), dot->chunk_b);
    unsigned together = dot->kernel->is_shared && dot->columns > 1 ? 2 : 1;
    for (unsigned i = 0; i < dot->columns; i += together) {
        LLVMValueRef row =
            add(e, dot->b, code_i64(&e->cx, (int64_t)i << DOT_MATRIX_COLUMN_BITS << dot->depth_bytes_bits));
        if (dot->kernel->is_shared)
            load_matrices(e, operand_pointer(e, dot, base, row, chunk), B_WORDS * together, b[i]);
        else
            load_words(e, dot, base, row, chunk, 1, b[i]);
    }
}

// ---- products -------------------------------------------------------------------------------------------------------

static bool is_signed(const DotKernel *kernel, unsigned side, unsigned piece) {
    return piece == kernel->plan.pieces - 1 && !kernel->is_unsigned[side];
}

static const char *instruction(const DotKernel *kernel, unsigned piece_a, unsigned piece_b) {
    static const MachineInstruction bytes[2][2] = {{MACHINE_MATRIX_U8_U8, MACHINE_MATRIX_U8_S8},
                                                   {MACHINE_MATRIX_S8_U8, MACHINE_MATRIX_S8_S8}};
    if (kernel->plan.matrix == NUMERIC_MATRIX_FLOATS) return kernel->plan.matrix_instruction;
    return machine_instruction(bytes[is_signed(kernel, 0, piece_a)][is_signed(kernel, 1, piece_b)]);
}

// sums of one tile += a * b
static void multiply(Emit *e, const DotKernel *kernel, const char *name, const LLVMValueRef *a, const LLVMValueRef *b,
                     LLVMValueRef *sums) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef operands[A_WORDS + B_WORDS + TILE_SUMS];
    LLVMTypeRef halves = LLVMVectorType(LLVMHalfTypeInContext(e->cx.context), 2);
    const bool of_halves = kernel->plan.matrix == NUMERIC_MATRIX_FLOATS && kernel->plan.matrix_format == FPSAN_F16;
    for (unsigned i = 0; i < A_WORDS + B_WORDS; i++) {
        operands[i] = i < A_WORDS ? a[i] : b[i - A_WORDS];
        if (of_halves) operands[i] = LLVMBuildBitCast(builder, operands[i], halves, "");
    }
    for (unsigned i = 0; i < TILE_SUMS; i++) operands[A_WORDS + B_WORDS + i] = sums[i];
    LLVMValueRef result = vector_intrinsic_of(&e->cx, name, NULL, 0, operands, BASE_COUNT(operands));
    for (unsigned i = 0; i < TILE_SUMS; i++) sums[i] = LLVMBuildExtractValue(builder, result, i, "");
}

// ptxas would unroll the loops of all weights, whose bodies are long, and take most of its time for that.
static void keep_rolled(Emit *e, const DotSums *loop) {
    static const char name[] = "llvm.loop.unroll.disable";
    LLVMContextRef context = e->cx.context;
    LLVMMetadataRef text = LLVMMDStringInContext2(context, name, sizeof name - 1);
    LLVMMetadataRef property = LLVMMDNodeInContext2(context, &text, 1), self = LLVMTemporaryMDNode(context, NULL, 0);
    LLVMMetadataRef parts[] = {self, property};
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, parts, BASE_COUNT(parts)); // whose first part is itself
    LLVMMetadataReplaceAllUsesWith(self, node);
    LLVMSetMetadata(loop->latch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9), LLVMMetadataAsValue(context, node));
}

// The products of some pairs of pieces, `first_a` up to `last_a` of A with those of B that make the weight, over
// `steps` steps from number `first` on.
static void add_products(Emit *e, const MatrixDot *dot, unsigned weight, unsigned first_a, unsigned last_a,
                         LLVMValueRef first, unsigned steps, LLVMValueRef *sums) {
    const DotKernel *kernel = dot->kernel;
    unsigned count = dot->rows * dot->columns * TILE_SUMS;
    DotSums loop;
    LLVMValueRef a[TILES_MAX][A_WORDS], b[TILES_MAX][B_WORDS];
    dot_open_sums(e, &loop, steps, sums, count);
    LLVMValueRef step = first ? add(e, first, loop.loop.index) : loop.loop.index;
    for (unsigned piece = first_a; piece <= last_a; piece++) {
        load_a(e, dot, kernel->a[piece], step, a);
        load_b(e, dot, kernel->b[weight - piece], step, b);
        const char *name = instruction(kernel, piece, weight - piece);
        for (unsigned c = 0; c < dot->columns; c++)
            for (unsigned r = 0; r < dot->rows; r++)
                multiply(e, kernel, name, a[r], b[c], &sums[(c * dot->rows + r) * TILE_SUMS]);
    }
    dot_close_sums(e, &loop, sums, count);
    if (kernel->plan.pieces > 1) keep_rolled(e, &loop);
}

// ---- weights --------------------------------------------------------------------------------------------------------

static unsigned lowest_piece(const DotKernel *kernel, unsigned weight) {
    return weight < kernel->plan.pieces ? 0 : weight - kernel->plan.pieces + 1;
}

static unsigned highest_piece(const DotKernel *kernel, unsigned weight) {
    return weight < kernel->plan.pieces ? weight : kernel->plan.pieces - 1;
}

// How many weights leave something in an accumulator of that many bits.
static unsigned weight_count(const DotKernel *kernel, unsigned bits) {
    unsigned weights = 2 * kernel->plan.pieces - 1;
    return weights < bits / 8 ? weights : bits / 8;
}

static LLVMValueRef resized(Emit *e, LLVMValueRef value, LLVMTypeRef type) {
    return LLVMBuildIntCast2(e->cx.builder, value, type, true, "");
}

// Mod 2^32 and below: sums may wrap.
static void add_weights(Emit *e, const MatrixDot *dot, unsigned steps, LLVMValueRef *totals) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef type = LLVMTypeOf(totals[0]), word = code_integer_type(&e->cx, 32);
    unsigned count = dot->rows * dot->columns * TILE_SUMS;
    LLVMValueRef sums[DOT_SUMS_MAX];
    for (unsigned i = 0; i < count; i++) sums[i] = LLVMConstNull(word);
    for (unsigned weight = weight_count(dot->kernel, LLVMGetIntTypeWidth(type)); weight-- > 0;) {
        add_products(e, dot, weight, lowest_piece(dot->kernel, weight), highest_piece(dot->kernel, weight), NULL, steps,
                     sums);
        for (unsigned i = 0; weight && i < count; i++)
            sums[i] = LLVMBuildShl(builder, sums[i], code_i32(&e->cx, 8), "");
    }
    for (unsigned i = 0; i < count; i++) totals[i] = LLVMBuildAdd(builder, totals[i], resized(e, sums[i], type), "");
}

// Mod 2^64: sums of 32 bits that do not wrap are widened, of one pair of bytes after the other.
static void add_wide_weights(Emit *e, const MatrixDot *dot, unsigned steps, LLVMValueRef *totals) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef type = LLVMTypeOf(totals[0]), word = code_integer_type(&e->cx, 32);
    unsigned count = dot->rows * dot->columns * TILE_SUMS, together = steps < EXACT_STEPS ? steps : EXACT_STEPS;
    DotSums loop;
    dot_open_sums(e, &loop, steps / together, totals, count);
    LLVMValueRef first = LLVMBuildMul(builder, loop.loop.index, code_i64(&e->cx, together), "");
    for (unsigned weight = 0; weight < weight_count(dot->kernel, LLVMGetIntTypeWidth(type)); weight++)
        for (unsigned a = lowest_piece(dot->kernel, weight); a <= highest_piece(dot->kernel, weight); a++) {
            LLVMValueRef sums[DOT_SUMS_MAX];
            for (unsigned i = 0; i < count; i++) sums[i] = LLVMConstNull(word);
            add_products(e, dot, weight, a, a, first, together, sums);
            for (unsigned i = 0; i < count; i++) {
                LLVMValueRef sum = shifted(e, resized(e, sums[i], type), 8 * weight);
                totals[i] = LLVMBuildAdd(builder, totals[i], sum, "");
            }
        }
    dot_close_sums(e, &loop, totals, count);
}

void dot_matrix_emit(Emit *e, const DotKernel *kernel, const DotFragment *fragment, const DotPlace *place,
                     LLVMValueRef *sums) {
    MatrixDot dot = open_matrix(e, kernel, fragment, place);
    unsigned steps = 1u << (dot.depth_bytes_bits - DOT_STEP_BYTES_BITS);
    if (kernel->plan.matrix != NUMERIC_MATRIX_BYTES)
        add_products(e, &dot, 0, 0, 0, NULL, steps, sums);
    else if (LLVMGetIntTypeWidth(LLVMTypeOf(sums[0])) > 32)
        add_wide_weights(e, &dot, steps, sums);
    else
        add_weights(e, &dot, steps, sums);
}
