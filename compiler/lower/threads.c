// SPDX-License-Identifier: Apache-2.0
// The threads of a block on GPUs: where they have to meet, and how one tells the others.
#include "compiler/lower/emit.h"

#include <assert.h>

// A block has as many threads as give each four elements of its largest tile, within these bounds.
enum { THREAD_BITS_MIN = EMIT_WARP_BITS, THREAD_BITS_MAX = 8, ELEMENTS_BITS = 2 };

static unsigned largest_tile_bits(const Emit *e) {
    unsigned largest = 0;
    for (TirValue value = 0; value < e->function->value_count; value++) {
        TirType type = tir_value_type(e->function, value);
        if (tir_type(e->module, type)->kind != TIR_TYPE_tile) continue;
        unsigned bits = emit_tile_bits(e, type);
        if (bits > largest) largest = bits;
    }
    return largest;
}

bool emit_is_gpu(const Emit *e) {
    return e->cx.machine.gpu;
}

void emit_open_threads(Emit *e) {
    unsigned bits = largest_tile_bits(e);
    bits = bits > ELEMENTS_BITS ? bits - ELEMENTS_BITS : 0;
    e->threads.bits = bits < THREAD_BITS_MIN ? THREAD_BITS_MIN : bits > THREAD_BITS_MAX ? THREAD_BITS_MAX : bits;
}

// ---- meeting --------------------------------------------------------------------------------------------------------

static void call(Emit *e, const char *name, LLVMValueRef operand) {
    vector_intrinsic_of(&e->cx, name, NULL, 0, &operand, 1);
}

void emit_order(Emit *e, unsigned reads, unsigned writes) {
    struct EmitThreads *threads = &e->threads;
    if (!emit_is_gpu(e) || threads->alone) return;
    if ((reads & threads->written) || (writes & (threads->read | threads->written))) {
        call(e, "llvm.nvvm.barrier.cta.sync.aligned.all", emit_i32(e, 0));
        threads->read = threads->written = 0;
    }
    threads->read |= (uint8_t)reads;
    threads->written |= (uint8_t)writes;
}

void emit_forget_order(Emit *e) {
    if (!e->threads.alone) e->threads.read = e->threads.written = EMIT_TILES | EMIT_BUFFERS;
}

// ---- one thread -----------------------------------------------------------------------------------------------------

EmitGuard emit_first_thread_open(Emit *e) {
    if (!emit_is_gpu(e) || e->threads.alone) return (EmitGuard){0};
    return emit_guard_open(e, LLVMBuildICmp(e->cx.builder, LLVMIntEQ, e->threads.index, emit_i64(e, 0), ""));
}

EmitGuard emit_some_threads_open(Emit *e, unsigned bits) {
    LLVMValueRef idle = LLVMBuildLShr(e->cx.builder, e->threads.index, emit_i64(e, bits), "");
    return emit_guard_open(e, LLVMBuildICmp(e->cx.builder, LLVMIntEQ, idle, emit_i64(e, 0), ""));
}

void emit_first_thread_close(Emit *e, const EmitGuard *guard) {
    if (guard->join) emit_guard_close(e, guard, 0, NULL);
}

EmitVal emit_element_value(Emit *e, EmitElement element, const EmitVal *tile) {
    EmitVal value = {.kind = EMIT_SCALAR, .origin = tile->origin};
    emit_order(e, EMIT_TILES, 0);
    for (unsigned p = 0; p < element.parts; p++) {
        LLVMTypeRef memory = emit_memory_type(e, element, p), type = emit_register_type(e, element, p);
        LLVMValueRef part = emit_load(e, memory, tile->value.parts[p], emit_type_bits(memory) / 8);
        value.value.parts[p] = memory == type ? part : LLVMBuildTrunc(e->cx.builder, part, type, "");
    }
    return value;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

void emit_fill(Emit *e, LLVMValueRef pointer, uint64_t bytes, uint8_t value) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef byte = emit_integer_type(e, 8);
    LLVMValueRef filler = LLVMConstInt(byte, value, false);
    if (!emit_is_gpu(e) || e->threads.alone) {
        LLVMBuildMemSet(builder, pointer, filler, emit_i64(e, (int64_t)bytes), 1);
        return;
    }
    unsigned bits = e->threads.bits;
    EmitCount loop = emit_count_open(e, emit_i64(e, (int64_t)((bytes >> bits) + 1)));
    LLVMValueRef at = LLVMBuildShl(builder, loop.index, emit_i64(e, bits), "");
    at = LLVMBuildAdd(builder, at, e->threads.index, "");
    EmitGuard guard = emit_guard_open(e, LLVMBuildICmp(builder, LLVMIntULT, at, emit_i64(e, (int64_t)bytes), ""));
    emit_store(e, filler, emit_pointer_at(e, byte, pointer, at), 1);
    emit_guard_close(e, &guard, 0, NULL);
    emit_count_close(e, &loop);
}

static LLVMValueRef exchange_word(Emit *e, LLVMValueRef word, unsigned mask) {
    LLVMValueRef operands[] = {emit_i32(e, -1), word, emit_i32(e, (int32_t)mask),
                               emit_i32(e, (1 << EMIT_WARP_BITS) - 1)};
    return vector_intrinsic_of(&e->cx, "llvm.nvvm.shfl.sync.bfly.i32", NULL, 0, operands, BASE_COUNT(operands));
}

// One lane, as words of 32 bits.
static LLVMValueRef exchange_one(Emit *e, LLVMValueRef value, unsigned mask) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef type = LLVMTypeOf(value), word = emit_integer_type(e, 32);
    unsigned bits = emit_type_bits(type);
    LLVMValueRef integer = LLVMBuildBitCast(builder, value, emit_integer_type(e, bits), "");
    if (bits == 64) {
        LLVMTypeRef pair = LLVMVectorType(word, 2);
        LLVMValueRef halves = LLVMBuildBitCast(builder, integer, pair, "");
        for (int i = 0; i < 2; i++) {
            LLVMValueRef half = LLVMBuildExtractElement(builder, halves, emit_i32(e, i), "");
            halves = LLVMBuildInsertElement(builder, halves, exchange_word(e, half, mask), emit_i32(e, i), "");
        }
        return LLVMBuildBitCast(builder, halves, type, "");
    }
    if (bits < 32) integer = LLVMBuildZExt(builder, integer, word, "");
    integer = exchange_word(e, integer, mask);
    if (bits < 32) integer = LLVMBuildTrunc(builder, integer, emit_integer_type(e, bits), "");
    return LLVMBuildBitCast(builder, integer, type, "");
}

LLVMValueRef emit_exchange(Emit *e, LLVMValueRef value, unsigned mask) {
    unsigned lanes = vector_lanes(value);
    assert(mask && mask < 1u << EMIT_WARP_BITS);
    if (!lanes) return exchange_one(e, value, mask);
    LLVMValueRef result = LLVMGetUndef(LLVMTypeOf(value));
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef lane = emit_i32(e, (int32_t)i);
        LLVMValueRef one = exchange_one(e, LLVMBuildExtractElement(e->cx.builder, value, lane, ""), mask);
        result = LLVMBuildInsertElement(e->cx.builder, result, one, lane, "");
    }
    return result;
}
