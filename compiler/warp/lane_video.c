// SPDX-License-Identifier: Apache-2.0
// Instructions that compute on the bytes or halves of a register: dot products of a few of them, and the video
// instructions.
#include "compiler/warp/lane_integer.h"

#include <assert.h>

// A job whose operands are whole registers; the types of its operands differ.
static IntegerJob register_job(LaneCode *code, const PtxInstruction *instruction, uint32_t operands) {
    IntegerJob job = {.code = code, .instruction = instruction, .builder = code->cx.builder, .bits = 32};
    LLVMValueRef *values[] = {&job.a, &job.b, &job.c};
    for (uint32_t i = 0; i < operands; i++) *values[i] = lane_read_type(code, &instruction->operands[i + 1], PTX_b32);
    return job;
}

static bool is_signed_type(const PtxInstruction *instruction, unsigned type) {
    return ptx_type_info(instruction->types[type])->kind == PTX_SIGNED;
}

// Piece number `index` of `bits` bits, extended.
static LLVMValueRef piece_of(const IntegerJob *job, LLVMValueRef value, unsigned index, unsigned bits, bool sign) {
    value = LLVMBuildShl(job->builder, value, integer_constant(job, 32 - bits * (index + 1)), "");
    LLVMValueRef down = integer_constant(job, 32 - bits);
    return sign ? LLVMBuildAShr(job->builder, value, down, "") : LLVMBuildLShr(job->builder, value, down, "");
}

// ---- dot products: c + sum of a's pieces times bytes of b

static bool emit_dot(LaneCode *code, const PtxInstruction *instruction, unsigned pieces, unsigned first) {
    const IntegerJob job = register_job(code, instruction, 3);
    LLVMValueRef sum = job.c;
    for (unsigned i = 0; i < pieces; i++) {
        LLVMValueRef a = piece_of(&job, job.a, i, 32 / pieces, is_signed_type(instruction, 0));
        LLVMValueRef b = piece_of(&job, job.b, first + i, 8, is_signed_type(instruction, 1));
        sum = LLVMBuildAdd(job.builder, sum, LLVMBuildMul(job.builder, a, b, ""), "");
    }
    lane_write(code, &instruction->operands[0], sum, PTX_b32);
    return true;
}

bool lane_emit_dp4a(LaneCode *code, const PtxInstruction *instruction) {
    return emit_dot(code, instruction, 4, 0);
}

bool lane_emit_dp2a(LaneCode *code, const PtxInstruction *instruction) {
    return emit_dot(code, instruction, 2, ptx_has(instruction, PTX_WORD_hi) ? 2 : 0);
}

// ---- what video instructions do with two numbers, whose results fit the lanes

typedef LLVMValueRef VideoFunction(const IntegerJob *job, LLVMValueRef a, LLVMValueRef b);

static LLVMValueRef video_add(const IntegerJob *job, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildAdd(job->builder, a, b, "");
}

static LLVMValueRef video_sub(const IntegerJob *job, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSub(job->builder, a, b, "");
}

static LLVMValueRef video_min(const IntegerJob *job, LLVMValueRef a, LLVMValueRef b) {
    return integer_call(job, "llvm.smin", a, b);
}

static LLVMValueRef video_max(const IntegerJob *job, LLVMValueRef a, LLVMValueRef b) {
    return integer_call(job, "llvm.smax", a, b);
}

static LLVMValueRef video_difference(const IntegerJob *job, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSub(job->builder, video_max(job, a, b), video_min(job, a, b), "");
}

// (a + b + 1) >> 1, of negative sums (a + b) >> 1
static LLVMValueRef video_average(const IntegerJob *job, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef sum = LLVMBuildAdd(job->builder, a, b, ""), one = integer_constant(job, 1);
    LLVMValueRef negative = integer_compare(job, LLVMIntSLT, sum, integer_constant(job, 0));
    LLVMValueRef round = integer_choose(job, negative, integer_constant(job, 0), one);
    return LLVMBuildAShr(job->builder, LLVMBuildAdd(job->builder, sum, round, ""), one, "");
}

static LLVMValueRef video_saturate(const IntegerJob *job, LLVMValueRef value, unsigned bits) {
    const int64_t one = 1;
    if (!ptx_has(job->instruction, PTX_WORD_sat)) return value;
    if (is_signed_type(job->instruction, 0))
        return integer_clamp(job, value, -(one << (bits - 1)), (one << (bits - 1)) - 1);
    return integer_clamp(job, value, 0, (one << bits) - 1);
}

// ---- on whole registers, with a second operation

static bool emit_scalar(LaneCode *code, const PtxInstruction *instruction, VideoFunction *compute) {
    const PtxOperand *operands = instruction->operands;
    const IntegerJob narrow = register_job(code, instruction, 2);
    IntegerJob job = narrow;
    job.bits = 64;
    job.a = integer_resize(&narrow, narrow.a, 64, is_signed_type(instruction, 1));
    job.b = integer_resize(&narrow, narrow.b, 64, is_signed_type(instruction, 2));
    LLVMValueRef value = video_saturate(&job, compute(&job, job.a, job.b), 32);
    value = integer_resize(&job, value, 32, false);
    const PtxWord second = ptx_find(instruction, PTX_SET_operation);
    if (second != PTX_WORD_NONE) {
        const bool sign = is_signed_type(instruction, 0);
        LLVMValueRef c = lane_read_type(code, &operands[3], instruction->types[0]);
        if (second == PTX_WORD_add)
            value = LLVMBuildAdd(job.builder, value, c, "");
        else if (second == PTX_WORD_min)
            value = integer_call(&narrow, sign ? "llvm.smin" : "llvm.umin", value, c);
        else
            value = integer_call(&narrow, sign ? "llvm.smax" : "llvm.umax", value, c);
    }
    lane_write(code, &operands[0], value, instruction->types[0]);
    return true;
}

bool lane_emit_vadd(LaneCode *code, const PtxInstruction *instruction) {
    return emit_scalar(code, instruction, video_add);
}

bool lane_emit_vsub(LaneCode *code, const PtxInstruction *instruction) {
    return emit_scalar(code, instruction, video_sub);
}

bool lane_emit_vabsdiff(LaneCode *code, const PtxInstruction *instruction) {
    return emit_scalar(code, instruction, video_difference);
}

bool lane_emit_vmin(LaneCode *code, const PtxInstruction *instruction) {
    return emit_scalar(code, instruction, video_min);
}

bool lane_emit_vmax(LaneCode *code, const PtxInstruction *instruction) {
    return emit_scalar(code, instruction, video_max);
}

// ---- on each half or byte

// The results side by side, or, with .add, their sum and c.
typedef struct VideoResult {
    const IntegerJob *job;
    unsigned bits; // of a piece
    bool adds;
    LLVMValueRef value;
} VideoResult;

static VideoResult open_result(const IntegerJob *job, unsigned pieces) {
    const bool adds = ptx_has(job->instruction, PTX_WORD_add);
    return (VideoResult){job, 32 / pieces, adds, adds ? job->c : integer_constant(job, 0)};
}

static void add_piece(VideoResult *result, unsigned index, LLVMValueRef piece) {
    const IntegerJob *job = result->job;
    if (result->adds) {
        result->value = LLVMBuildAdd(job->builder, result->value, piece, "");
        return;
    }
    const uint64_t mask = (UINT64_C(1) << result->bits) - 1;
    piece = LLVMBuildAnd(job->builder, piece, integer_constant(job, mask), "");
    piece = LLVMBuildShl(job->builder, piece, integer_constant(job, result->bits * index), "");
    result->value = LLVMBuildOr(job->builder, result->value, piece, "");
}

static bool emit_pieces(LaneCode *code, const PtxInstruction *instruction, unsigned pieces, VideoFunction *compute) {
    const IntegerJob job = register_job(code, instruction, 3);
    VideoResult result = open_result(&job, pieces);
    for (unsigned i = 0; i < pieces; i++) {
        LLVMValueRef a = piece_of(&job, job.a, i, result.bits, is_signed_type(instruction, 1));
        LLVMValueRef b = piece_of(&job, job.b, i, result.bits, is_signed_type(instruction, 2));
        add_piece(&result, i, video_saturate(&job, compute(&job, a, b), result.bits));
    }
    lane_write(code, &instruction->operands[0], result.value, instruction->types[0]);
    return true;
}

#define VIDEO_EMITTERS(name, compute)                                                                                  \
    bool lane_emit_##name##2(LaneCode * code, const PtxInstruction *instruction) {                                     \
        return emit_pieces(code, instruction, 2, compute);                                                             \
    }                                                                                                                  \
    bool lane_emit_##name##4(LaneCode * code, const PtxInstruction *instruction) {                                     \
        return emit_pieces(code, instruction, 4, compute);                                                             \
    }
VIDEO_EMITTERS(vadd, video_add)
VIDEO_EMITTERS(vsub, video_sub)
VIDEO_EMITTERS(vavrg, video_average)
VIDEO_EMITTERS(vabsdiff, video_difference)
VIDEO_EMITTERS(vmin, video_min)
VIDEO_EMITTERS(vmax, video_max)

// 1 where the comparison holds. Pieces have been extended to numbers of one kind, which are compared as signed ones.
static bool emit_set_pieces(LaneCode *code, const PtxInstruction *instruction, unsigned pieces) {
    const IntegerJob job = register_job(code, instruction, 3);
    VideoResult result = open_result(&job, pieces);
    for (unsigned i = 0; i < pieces; i++) {
        LLVMValueRef a = piece_of(&job, job.a, i, result.bits, is_signed_type(instruction, 0));
        LLVMValueRef b = piece_of(&job, job.b, i, result.bits, is_signed_type(instruction, 1));
        LLVMValueRef holds = lane_compare_integers(code, instruction, true, a, b);
        if (!holds) return false;
        add_piece(&result, i, integer_resize(&job, holds, 32, false));
    }
    lane_write(code, &instruction->operands[0], result.value, PTX_b32);
    return true;
}

bool lane_emit_vset2(LaneCode *code, const PtxInstruction *instruction) {
    return emit_set_pieces(code, instruction, 2);
}

bool lane_emit_vset4(LaneCode *code, const PtxInstruction *instruction) {
    return emit_set_pieces(code, instruction, 4);
}
