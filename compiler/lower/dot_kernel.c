// SPDX-License-Identifier: Apache-2.0
// The micro-kernel of dots: a block of rows times some vectors of columns in registers, all depths in one loop.
// The loop is not unrolled: the block has enough sums to keep the multipliers busy, and LLVM splits vpdpwssd of chained
// steps into two instructions.
#include "compiler/lower/dot_internal.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

#include <assert.h>
#include <string.h>

enum { VECTORS_MAX = 4, SUMS_MAX = 24 };

// Extents of the register block and of one step along the depth.
typedef struct DotBlock {
    unsigned lanes_bits, vectors, rows;
    unsigned group;  // depths that a step combines
    unsigned filled; // of them: how many exist (a depth of 1 leaves half of a pair empty)
    unsigned steps;
} DotBlock;

static unsigned scalar_bits(LLVMTypeRef type) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMDoubleTypeKind ? 64 : kind == LLVMFloatTypeKind ? 32 : LLVMGetIntTypeWidth(type);
}

static unsigned at_most(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static unsigned lanes_bits_of(const Emit *e, const DotKernel *kernel) {
    return map_log2(e->cx.machine.vector_bits / scalar_bits(kernel->plan.accumulator_type));
}

// Whether a block may take most of the registers. It is more code, which pays where no other part has its own, and
// where the sums are not converted.
static bool is_roomy(const Emit *e, const DotKernel *kernel) {
    return e->cx.machine.vector_registers >= 32 && e->cx.numeric->part_count == 1 &&
           kernel->memory == kernel->plan.accumulator_type;
}

unsigned dot_panel_bits(const Emit *e, const DotKernel *kernel) {
    if (kernel->plan.tiles) return DOT_TILE_BITS;
    return at_most(lanes_bits_of(e, kernel) + (is_roomy(e, kernel) ? 2 : 1), kernel->column_bits);
}

// Sums: 8 of 16 registers, 16 or 24 of 32; enough to cover the latency of a multiply-add. The others hold a row of rhs,
// and an element of lhs. 6 rows times 4 vectors read each operand less often than 8 times 2.
static DotBlock choose_block(const Emit *e, const DotKernel *kernel) {
    DotBlock block = {.group = kernel->plan.group};
    block.lanes_bits = at_most(lanes_bits_of(e, kernel), kernel->panel_bits);
    block.vectors = 1u << (kernel->panel_bits - block.lanes_bits);
    assert(block.vectors <= VECTORS_MAX);
    const bool roomy = is_roomy(e, kernel);
    const unsigned sums = roomy ? SUMS_MAX : at_most(e->cx.machine.vector_registers / 2, 16);
    const unsigned rows_max = at_most(roomy ? 16 : sums / 2, sums / block.vectors);
    block.rows = at_most(rows_max, 1u << kernel->row_bits);
    unsigned depth = 1u << kernel->depth_bits;
    block.filled = at_most(block.group, depth);
    block.steps = depth / block.filled;
    return block;
}

static unsigned column_block_bits(const DotBlock *block) {
    return block->lanes_bits + map_log2(block->vectors);
}

TileMap dot_packing(const Emit *e, const DotKernel *kernel, unsigned side) {
    if (kernel->plan.merged) return dot_merged_packing(kernel, side);
    if (kernel->plan.matrix) return dot_matrix_packing(kernel, side);
    if (e->threads.bits)
        return map_identity(kernel->batch_bits + kernel->depth_bits + (side ? kernel->column_bits : kernel->row_bits));
    if (!side) return map_identity(kernel->batch_bits + kernel->row_bits + kernel->depth_bits);
    DotBlock block = choose_block(e, kernel);
    unsigned columns = kernel->column_bits, depths = kernel->depth_bits;
    unsigned in_group = map_log2(block.filled), in_panel = column_block_bits(&block);
    TileMap map = {0};
    for (unsigned i = 0; i < in_group; i++) map.to[map.bits++] = (int8_t)(columns + i);
    for (unsigned i = 0; i < in_panel; i++) map.to[map.bits++] = (int8_t)i;
    for (unsigned i = in_group; i < depths; i++) map.to[map.bits++] = (int8_t)(columns + i);
    for (unsigned i = in_panel; i < columns; i++) map.to[map.bits++] = (int8_t)i;
    for (unsigned i = 0; i < kernel->batch_bits; i++) map.to[map.bits++] = (int8_t)(columns + depths + i);
    return map;
}

// ---- one step -------------------------------------------------------------------------------------------------------

static unsigned lanes_of(const DotBlock *block) {
    return block->lanes_bits ? 1u << block->lanes_bits : 0;
}

// `filled` neighbours of the operand type as one scalar per lane (lanes 0: one alone), spread over `group` elements:
// what is missing is zero. The first element is the low one, as in memory.
static LLVMValueRef load_group(Emit *e, const DotKernel *kernel, const DotBlock *block, LLVMValueRef pointer,
                               unsigned lanes, unsigned align) {
    LLVMTypeRef operand = kernel->plan.operand_type;
    if (block->group == 1) return code_load(&e->cx, vector_type(operand, lanes), pointer, align);
    unsigned bits = scalar_bits(operand);
    LLVMTypeRef filled = vector_type(code_integer_type(&e->cx, bits * block->filled), lanes);
    LLVMTypeRef whole = vector_type(code_integer_type(&e->cx, bits * block->group), lanes);
    LLVMValueRef loaded = code_load(&e->cx, filled, pointer, align);
    return block->filled == block->group ? loaded : LLVMBuildZExt(e->cx.builder, loaded, whole, "");
}

static LLVMValueRef as_operands(Emit *e, const DotKernel *kernel, const DotBlock *block, LLVMValueRef groups) {
    if (block->group == 1) return groups;
    unsigned lanes = vector_lanes(groups);
    LLVMTypeRef type = LLVMVectorType(kernel->plan.operand_type, (lanes ? lanes : 1) * block->group);
    return LLVMBuildBitCast(e->cx.builder, groups, type, "");
}

static unsigned alignment(unsigned bits) {
    return at_most(64, bits / 8);
}

// The sums of a block in registers.
typedef struct BlockSums {
    const DotKernel *kernel;
    const DotBlock *block;
    unsigned count;
    LLVMValueRef sums[SUMS_MAX];
} BlockSums;

// sums += a[rows][step] * b[step][columns]; depth: the step's first.
static void emit_step(Emit *e, BlockSums *in, LLVMValueRef a, LLVMValueRef b, LLVMValueRef depth) {
    const DotKernel *kernel = in->kernel;
    const DotBlock *block = in->block;
    LLVMValueRef *sums = in->sums;
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef operand = kernel->plan.operand_type;
    unsigned rows = block->rows, lanes = lanes_of(block), group_bits = scalar_bits(operand) * block->filled;
    LLVMValueRef columns[VECTORS_MAX];
    LLVMValueRef panel = LLVMBuildShl(builder, depth, code_i64(&e->cx, column_block_bits(block)), "");
    for (unsigned v = 0; v < block->vectors; v++) {
        LLVMValueRef offset = code_i64(&e->cx, (int64_t)v << block->lanes_bits << map_log2(block->filled));
        LLVMValueRef pointer = code_pointer_at(&e->cx, operand, code_pointer_at(&e->cx, operand, b, panel), offset);
        columns[v] = as_operands(
            e, kernel, block, load_group(e, kernel, block, pointer, lanes, alignment(group_bits << block->lanes_bits)));
    }
    for (unsigned r = 0; r < rows; r++) {
        LLVMValueRef row = code_pointer_at(&e->cx, operand, code_pointer_at(&e->cx, operand, a, depth),
                                           code_i64(&e->cx, (int64_t)r << kernel->depth_bits));
        LLVMValueRef group = load_group(e, kernel, block, row, 0, alignment(group_bits));
        LLVMValueRef spread = as_operands(e, kernel, block, vector_splat(builder, group, lanes));
        for (unsigned v = 0; v < block->vectors; v++) {
            LLVMValueRef *sum = &sums[r * block->vectors + v];
            *sum = kernel->numeric->dots->step(&e->cx, &kernel->plan, *sum, spread, columns[v]);
        }
    }
}

// ---- one register block ---------------------------------------------------------------------------------------------

static LLVMValueRef block_pointer(Emit *e, const DotKernel *kernel, const DotBlock *block, LLVMValueRef base,
                                  unsigned r, unsigned v) {
    int64_t offset = ((int64_t)r << kernel->column_bits) + ((int64_t)v << block->lanes_bits);
    return code_pointer_at(&e->cx, kernel->memory, base, code_i64(&e->cx, offset));
}

static LLVMValueRef begin_sum(Emit *e, const DotKernel *kernel, const DotBlock *block, LLVMValueRef index, unsigned r,
                              unsigned v) {
    unsigned lanes = lanes_of(block);
    LLVMValueRef part;
    if (kernel->plan.shared) return LLVMConstNull(vector_type(kernel->plan.accumulator_type, lanes));
    if (kernel->start) {
        LLVMValueRef pointer =
            block_pointer(e, kernel, block, code_pointer_at(&e->cx, kernel->memory, kernel->start, index), r, v);
        part = code_load(&e->cx, vector_type(kernel->memory, lanes), pointer,
                         alignment(scalar_bits(kernel->memory) << block->lanes_bits));
    } else {
        part = vector_splat(e->cx.builder, kernel->start_part, lanes);
    }
    return kernel->numeric->dots->begin(&e->cx, &kernel->plan, part);
}

void dot_open_sums(Emit *e, DotSums *sum, unsigned trips, LLVMValueRef *sums, unsigned count) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->cx.builder);
    sum->loop = code_loop_open(&e->cx, code_i64(&e->cx, trips));
    for (unsigned i = 0; i < count; i++) {
        sum->phis[i] = LLVMBuildPhi(e->cx.builder, LLVMTypeOf(sums[i]), "sum");
        LLVMAddIncoming(sum->phis[i], &sums[i], &before, 1);
        sums[i] = sum->phis[i];
    }
}

void dot_close_sums(Emit *e, DotSums *sum, LLVMValueRef *sums, unsigned count) {
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->cx.builder);
    for (unsigned i = 0; i < count; i++) LLVMAddIncoming(sum->phis[i], &sums[i], &latch, 1);
    code_loop_close(&e->cx, &sum->loop);
    sum->latch = LLVMGetBasicBlockTerminator(latch);
}

// `steps` steps from number `first` (NULL: 0) on.
static void emit_steps(Emit *e, BlockSums *in, LLVMValueRef a, LLVMValueRef b, LLVMValueRef first, unsigned steps) {
    DotSums loop;
    dot_open_sums(e, &loop, steps, in->sums, in->count);
    LLVMValueRef step = first ? LLVMBuildAdd(e->cx.builder, first, loop.loop.index, "") : loop.loop.index;
    step = LLVMBuildShl(e->cx.builder, step, code_i64(&e->cx, map_log2(in->block->filled)), "");
    emit_step(e, in, a, b, step);
    dot_close_sums(e, &loop, in->sums, in->count);
}

static void begin_sums(Emit *e, const DotKernel *kernel, const DotBlock *block, LLVMValueRef index, LLVMValueRef *sums,
                       unsigned count) {
    for (unsigned i = 0; i < count; i++)
        sums[i] = begin_sum(e, kernel, block, index, i / block->vectors, i % block->vectors);
}

static void end_sums(Emit *e, const DotKernel *kernel, const DotBlock *block, LLVMValueRef index, LLVMValueRef *sums,
                     unsigned count) {
    LLVMValueRef result = code_pointer_at(&e->cx, kernel->memory, kernel->result, index);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef part = kernel->plan.shared ? sums[i] : kernel->numeric->dots->end(&e->cx, &kernel->plan, sums[i]);
        code_store(&e->cx, part, block_pointer(e, kernel, block, result, i / block->vectors, i % block->vectors),
                   alignment(scalar_bits(kernel->memory) << block->lanes_bits));
    }
}

// The products of different halves in one loop each: LLVM splits vpdpwssd of chained steps.
static void emit_halves(Emit *e, BlockSums *in, const LLVMValueRef *a, const LLVMValueRef *b, LLVMValueRef index) {
    const DotKernel *kernel = in->kernel;
    LLVMValueRef starts[SUMS_MAX];
    for (unsigned i = 0; i < in->count; i++)
        in->sums[i] = LLVMConstNull(vector_type(kernel->plan.accumulator_type, lanes_of(in->block)));
    for (unsigned half = 0; half < 2; half++) emit_steps(e, in, a[half], b[1 - half], NULL, in->block->steps);
    begin_sums(e, kernel, in->block, index, starts, in->count);
    for (unsigned i = 0; i < in->count; i++) in->sums[i] = kernel->numeric->dots->carry(&e->cx, in->sums[i], starts[i]);
    emit_steps(e, in, a[0], b[0], NULL, in->block->steps);
}

static void emit_folds(Emit *e, BlockSums *in, LLVMValueRef a, LLVMValueRef b) {
    const DotKernel *kernel = in->kernel;
    unsigned fold = kernel->plan.fold_every;
    DotSums outer;
    dot_open_sums(e, &outer, in->block->steps / fold, in->sums, in->count);
    LLVMValueRef first = LLVMBuildMul(e->cx.builder, outer.loop.index, code_i64(&e->cx, fold), "");
    emit_steps(e, in, a, b, first, fold);
    for (unsigned i = 0; i < in->count; i++)
        in->sums[i] = kernel->numeric->dots->fold(&e->cx, kernel->parameter, in->sums[i]);
    dot_close_sums(e, &outer, in->sums, in->count);
}

// a: first row of the block; b: its panel; index: of its first element in the result.
static void emit_register_block(Emit *e, const DotKernel *kernel, const DotBlock *block, const LLVMValueRef *a,
                                const LLVMValueRef *b, LLVMValueRef index) {
    BlockSums in = {.kernel = kernel, .block = block, .count = block->rows * block->vectors};
    const unsigned fold = kernel->plan.fold_every;
    if (kernel->plan.pieces) {
        emit_halves(e, &in, a, b, index);
    } else {
        begin_sums(e, kernel, block, index, in.sums, in.count);
        if (fold && block->steps > fold)
            emit_folds(e, &in, a[0], b[0]);
        else
            emit_steps(e, &in, a[0], b[0], NULL, block->steps);
    }
    end_sums(e, kernel, block, index, in.sums, in.count);
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static LLVMValueRef shifted(Emit *e, LLVMValueRef index, unsigned bits) {
    return LLVMBuildShl(e->cx.builder, index, code_i64(&e->cx, bits), "");
}

void dot_advance(Emit *e, const DotKernel *kernel, const LLVMValueRef *from, LLVMValueRef index, unsigned bits,
                 LLVMValueRef *to) {
    for (unsigned h = 0; h == 0 || h < kernel->plan.pieces; h++)
        to[h] = code_pointer_at(&e->cx, kernel->plan.operand_type, from[h], shifted(e, index, bits));
}

// The rows `row` .. of a panel: a and b of its batch and panel, and the index in the result of the panel's first
// element.
static void emit_row_block(Emit *e, const DotKernel *kernel, const DotBlock *block, const LLVMValueRef *a,
                           const LLVMValueRef *b, LLVMValueRef index, LLVMValueRef row) {
    LLVMValueRef block_a[NUMERIC_PIECES];
    dot_advance(e, kernel, a, row, kernel->depth_bits, block_a);
    index = LLVMBuildAdd(e->cx.builder, index, shifted(e, row, kernel->column_bits), "");
    emit_register_block(e, kernel, block, block_a, b, index);
}

static void emit_loops(Emit *e, const DotKernel *kernel) {
    LLVMBuilderRef builder = e->cx.builder;
    DotBlock block = choose_block(e, kernel), rest = block;
    unsigned rows = kernel->row_bits, columns = kernel->column_bits, depths = kernel->depth_bits,
             panel_bits = column_block_bits(&block), blocks = (1u << rows) / block.rows;
    rest.rows = (1u << rows) % block.rows;
    assert(block.filled == block.group || LLVMGetTypeKind(kernel->plan.operand_type) == LLVMIntegerTypeKind);
    CodeLoop batch = code_loop_open(&e->cx, code_i64(&e->cx, (int64_t)1 << kernel->batch_bits));
    LLVMValueRef a[NUMERIC_PIECES], b[NUMERIC_PIECES], panel_b[NUMERIC_PIECES];
    dot_advance(e, kernel, kernel->a, batch.index, rows + depths, a);
    dot_advance(e, kernel, kernel->b, batch.index, columns + depths, b);
    CodeLoop panel = code_loop_open(&e->cx, code_i64(&e->cx, (int64_t)1 << (columns - panel_bits)));
    dot_advance(e, kernel, b, panel.index, panel_bits + depths, panel_b);
    LLVMValueRef index =
        LLVMBuildAdd(builder, shifted(e, batch.index, rows + columns), shifted(e, panel.index, panel_bits), "");
    CodeLoop row = code_loop_open(&e->cx, code_i64(&e->cx, blocks));
    LLVMValueRef first = LLVMBuildMul(builder, row.index, code_i64(&e->cx, block.rows), "");
    emit_row_block(e, kernel, &block, a, panel_b, index, first);
    code_loop_close(&e->cx, &row);
    if (rest.rows) emit_row_block(e, kernel, &rest, a, panel_b, index, code_i64(&e->cx, blocks * block.rows));
    code_loop_close(&e->cx, &panel);
    code_loop_close(&e->cx, &batch);
}

// ---- shared kernels -------------------------------------------------------------------------------------------------

// The function void(a, b, result, parameter) of the kernel's shape, made when first needed.
static LLVMValueRef shared_kernel(Emit *e, const DotKernel *kernel) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), sum = kernel->plan.accumulator_type;
    const char *name = arena_format(e->arena, "congruent.dot.%u.%u.%u.%u.%u.%u.%u.%u", kernel->plan.kind,
                                    scalar_bits(kernel->plan.operand_type), scalar_bits(sum), kernel->panel_bits,
                                    kernel->batch_bits, kernel->row_bits, kernel->column_bits, kernel->depth_bits);
    LLVMValueRef function = LLVMGetNamedFunction(e->cx.module, name);
    if (function) return function;
    LLVMTypeRef parameters[] = {pointer, pointer, pointer, sum};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), parameters, BASE_COUNT(parameters), false);
    function = LLVMAddFunction(e->cx.module, name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->cx.builder);
    LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(e->cx.builder);
    LLVMValueRef caller = e->cx.function;
    DotKernel inside = *kernel;
    inside.a[0] = LLVMGetParam(function, 0);
    inside.b[0] = LLVMGetParam(function, 1);
    inside.result = LLVMGetParam(function, 2);
    inside.parameter = LLVMGetParam(function, 3);
    inside.memory = sum;
    e->cx.function = function;
    LLVMSetCurrentDebugLocation2(e->cx.builder, NULL); // it belongs to no line
    LLVMPositionBuilderAtEnd(e->cx.builder, code_block(&e->cx, "entry"));
    emit_loops(e, &inside);
    LLVMBuildRetVoid(e->cx.builder);
    e->cx.function = caller;
    LLVMPositionBuilderAtEnd(e->cx.builder, here);
    LLVMSetCurrentDebugLocation2(e->cx.builder, line);
    return function;
}

// The part's result from what a shared kernel left in `sums`.
static void finish(Emit *e, const DotKernel *kernel, LLVMValueRef sums) {
    Nest nest;
    TileMap map = map_identity(kernel->batch_bits + kernel->row_bits + kernel->column_bits);
    nest_init(&nest, map.bits);
    nest_need_memory(&nest, scalar_bits(kernel->plan.accumulator_type), &map);
    nest_open(e, &nest, map.bits);
    unsigned lanes = nest.vector_bits ? 1u << nest.vector_bits : 0;
    LLVMValueRef start = kernel->start ? nest_load(e, &nest, kernel->memory, kernel->start, &map)
                                       : vector_splat(e->cx.builder, kernel->start_part, lanes);
    LLVMValueRef sum = nest_load(e, &nest, kernel->plan.accumulator_type, sums, &map);
    nest_store(e, &nest, kernel->memory, kernel->result, &map,
               kernel->numeric->dots->finish(&e->cx, &kernel->plan, sum, start));
    nest_close(e, &nest);
}

bool dot_kernel_emit(Emit *e, const DotKernel *kernel) {
    if (kernel->plan.tiles) return dot_tiles_emit(e, kernel);
    if (!kernel->plan.shared) {
        dot_call(e, kernel, emit_loops);
        return true;
    }
    unsigned bits = kernel->batch_bits + kernel->row_bits + kernel->column_bits;
    EmitScratch mark = e->scratch_top;
    LLVMValueRef sums = emit_scratch(e, (size_t)scalar_bits(kernel->plan.accumulator_type) / 8 << bits);
    if (!sums) return false;
    LLVMValueRef function = shared_kernel(e, kernel);
    LLVMValueRef arguments[] = {kernel->a[0], kernel->b[0], sums,
                                kernel->numeric->dots->parameter(&e->cx, &kernel->plan)};
    LLVMBuildCall2(e->cx.builder, LLVMGlobalGetValueType(function), function, arguments, BASE_COUNT(arguments), "");
    finish(e, kernel, sums);
    e->scratch_top = mark;
    return true;
}

// ---- shared functions -----------------------------------------------------------------------------------------------

// Dots of one kernel that are alike share a function: most of what a kernel with many of them takes to compile.

struct EmitDot {
    DotKernel kernel;
    LLVMTypeRef start; // of the start parameter
    LLVMValueRef function;
    const EmitDot *next;
};

// Parameters of the function; behind them the operands' pieces.
enum { RESULT, START, SUMS, OPERANDS };
enum { PIECES = BASE_COUNT(((DotKernel *)0)->a), PARAMETERS = OPERANDS + 2 * PIECES };

static bool is_alike(const DotKernel *a, const DotKernel *b) {
    return a->numeric == b->numeric && !memcmp(&a->plan, &b->plan, sizeof a->plan) && a->batch_bits == b->batch_bits &&
           a->row_bits == b->row_bits && a->column_bits == b->column_bits && a->depth_bits == b->depth_bits &&
           a->panel_bits == b->panel_bits && a->memory == b->memory && !a->start == !b->start &&
           a->is_unsigned[0] == b->is_unsigned[0] && a->is_unsigned[1] == b->is_unsigned[1];
}

static void fill_function(Emit *e, const DotKernel *kernel, LLVMValueRef function, DotBody *body) {
    LLVMValueRef parameters[PARAMETERS];
    LLVMGetParams(function, parameters);
    DotKernel inside = *kernel;
    inside.result = parameters[RESULT];
    if (kernel->start)
        inside.start = parameters[START];
    else
        inside.start_part = parameters[START];
    if (kernel->sums) inside.sums = parameters[SUMS];
    memcpy(inside.a, parameters + OPERANDS, sizeof inside.a);
    memcpy(inside.b, parameters + OPERANDS + PIECES, sizeof inside.b);
    body(e, &inside);
    LLVMBuildRetVoid(e->cx.builder);
}

// The function as one that products may be computed by in a kernel whose instructions flush operands: those of products
// are not flushed.
static LLVMValueRef without_flushing(Emit *e, LLVMValueRef function) {
    const char *name = arena_format(e->arena, "%s.keeping", LLVMGetValueName(function));
    LLVMValueRef outer = LLVMAddFunction(e->cx.module, name, LLVMGlobalGetValueType(function));
    LLVMSetLinkage(outer, LLVMInternalLinkage);
    emit_set_flushing(e, outer, false);
    emit_set_flushing(e, function, false);
    emit_call_with_flushing(e, outer, function, false);
    return outer;
}

static const EmitDot *function_for(Emit *e, const DotKernel *kernel, LLVMTypeRef start, DotBody *body) {
    for (const EmitDot *dot = e->dots; dot; dot = dot->next)
        if (dot->start == start && is_alike(&dot->kernel, kernel)) return dot;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), types[PARAMETERS];
    for (unsigned i = 0; i < PARAMETERS; i++) types[i] = i == START ? start : pointer;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), types, PARAMETERS, false);
    CodeShared shared;
    for (unsigned number = 0;; number++)
        if (code_shared_open(&e->cx, arena_format(e->arena, "congruent.product.%u", number), type, &shared)) break;
    fill_function(e, kernel, shared.function, body);
    code_shared_close(&e->cx, &shared);
    EmitDot *dot = arena_new(e->arena, EmitDot);
    *dot = (EmitDot){*kernel, start, shared.function, e->dots};
    if (e->cx.flushes_operands) dot->function = without_flushing(e, shared.function);
    return e->dots = dot;
}

void dot_call(Emit *e, const DotKernel *kernel, DotBody *body) {
    if (!e->many_dots && !e->cx.flushes_operands) {
        body(e, kernel);
        return;
    }
    LLVMValueRef none = LLVMConstNull(LLVMPointerTypeInContext(e->cx.context, 0));
    LLVMValueRef arguments[PARAMETERS] = {[RESULT] = kernel->result,
                                          [START] = kernel->start ? kernel->start : kernel->start_part,
                                          [SUMS] = kernel->sums ? kernel->sums : none};
    for (unsigned i = 0; i < PIECES; i++) {
        arguments[OPERANDS + i] = kernel->a[i] ? kernel->a[i] : none;
        arguments[OPERANDS + PIECES + i] = kernel->b[i] ? kernel->b[i] : none;
    }
    LLVMValueRef function = function_for(e, kernel, LLVMTypeOf(arguments[START]), body)->function;
    LLVMBuildCall2(e->cx.builder, LLVMGlobalGetValueType(function), function, arguments, PARAMETERS, "");
}
