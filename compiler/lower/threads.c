// SPDX-License-Identifier: Apache-2.0
// The threads of a block on GPUs: where they have to meet, and how one tells the others.
#include "compiler/lower/kernel.h"

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

unsigned emit_thread_bits(const Emit *e) {
    return e->threads.alone ? 0 : e->threads.bits;
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
    if (!emit_thread_bits(e)) return;
    if ((reads & threads->written) || (writes & (threads->read | threads->written))) {
        call(e, machine_instruction(MACHINE_BARRIER), code_i32(&e->cx, 0));
        threads->read = threads->written = 0;
    }
    threads->read |= (uint8_t)reads;
    threads->written |= (uint8_t)writes;
}

void emit_forget_order(Emit *e) {
    if (!e->threads.alone) e->threads.read = e->threads.written = EMIT_TILES | EMIT_BUFFERS;
}

// ---- one thread -----------------------------------------------------------------------------------------------------

CodeGuard emit_first_thread_open(Emit *e) {
    if (!emit_thread_bits(e)) return (CodeGuard){0};
    return code_guard_open(&e->cx, LLVMBuildICmp(e->cx.builder, LLVMIntEQ, e->threads.index, code_i64(&e->cx, 0), ""));
}

CodeGuard emit_some_threads_open(Emit *e, unsigned bits) {
    LLVMValueRef idle = LLVMBuildLShr(e->cx.builder, e->threads.index, code_i64(&e->cx, bits), "");
    return code_guard_open(&e->cx, LLVMBuildICmp(e->cx.builder, LLVMIntEQ, idle, code_i64(&e->cx, 0), ""));
}

void emit_first_thread_close(Emit *e, const CodeGuard *guard) {
    if (guard->join) code_guard_close(&e->cx, guard, 0, NULL);
}

EmitVal emit_element_value(Emit *e, EmitElement element, const EmitVal *tile) {
    EmitVal value = {.kind = EMIT_SCALAR, .origin = tile->origin};
    emit_order(e, EMIT_TILES, 0);
    for (unsigned p = 0; p < element.parts; p++) {
        LLVMTypeRef memory = emit_memory_type(e, element, p), type = emit_register_type(e, element, p);
        LLVMValueRef part = code_load(&e->cx, memory, tile->value.parts[p], code_type_bits(memory) / 8);
        value.value.parts[p] = memory == type ? part : LLVMBuildTrunc(e->cx.builder, part, type, "");
    }
    return value;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

void emit_fill(Emit *e, LLVMValueRef pointer, uint64_t bytes, uint8_t value) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef byte = code_integer_type(&e->cx, 8);
    LLVMValueRef filler = LLVMConstInt(byte, value, false);
    if (!emit_thread_bits(e)) {
        LLVMBuildMemSet(builder, pointer, filler, code_i64(&e->cx, (int64_t)bytes), 1);
        return;
    }
    unsigned bits = e->threads.bits;
    CodeLoop loop = code_loop_open(&e->cx, code_i64(&e->cx, (int64_t)((bytes >> bits) + 1)));
    LLVMValueRef at = LLVMBuildShl(builder, loop.index, code_i64(&e->cx, bits), "");
    at = LLVMBuildAdd(builder, at, e->threads.index, "");
    CodeGuard guard =
        code_guard_open(&e->cx, LLVMBuildICmp(builder, LLVMIntULT, at, code_i64(&e->cx, (int64_t)bytes), ""));
    code_store(&e->cx, filler, code_pointer_at(&e->cx, byte, pointer, at), 1);
    code_guard_close(&e->cx, &guard, 0, NULL);
    code_loop_close(&e->cx, &loop);
}

static LLVMValueRef exchange_word(Emit *e, LLVMValueRef word, unsigned mask) {
    LLVMValueRef operands[] = {code_i32(&e->cx, -1), word, code_i32(&e->cx, (int32_t)mask),
                               code_i32(&e->cx, (1 << EMIT_WARP_BITS) - 1)};
    return vector_intrinsic_of(&e->cx, machine_instruction(MACHINE_EXCHANGE), NULL, 0, operands, BASE_COUNT(operands));
}

// One lane, as words of 32 bits.
static LLVMValueRef exchange_one(Emit *e, LLVMValueRef value, unsigned mask) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef type = LLVMTypeOf(value), word = code_integer_type(&e->cx, 32);
    unsigned bits = code_type_bits(type);
    LLVMValueRef integer = LLVMBuildBitCast(builder, value, code_integer_type(&e->cx, bits), "");
    if (bits == 64) {
        LLVMTypeRef pair = LLVMVectorType(word, 2);
        LLVMValueRef halves = LLVMBuildBitCast(builder, integer, pair, "");
        for (int i = 0; i < 2; i++) {
            LLVMValueRef half = LLVMBuildExtractElement(builder, halves, code_i32(&e->cx, i), "");
            halves = LLVMBuildInsertElement(builder, halves, exchange_word(e, half, mask), code_i32(&e->cx, i), "");
        }
        return LLVMBuildBitCast(builder, halves, type, "");
    }
    if (bits < 32) integer = LLVMBuildZExt(builder, integer, word, "");
    integer = exchange_word(e, integer, mask);
    if (bits < 32) integer = LLVMBuildTrunc(builder, integer, code_integer_type(&e->cx, bits), "");
    return LLVMBuildBitCast(builder, integer, type, "");
}

LLVMValueRef emit_exchange(Emit *e, LLVMValueRef value, unsigned mask) {
    unsigned lanes = vector_lanes(value);
    assert(mask && mask < 1u << EMIT_WARP_BITS);
    if (!lanes) return exchange_one(e, value, mask);
    LLVMValueRef result = LLVMGetUndef(LLVMTypeOf(value));
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef lane = code_i32(&e->cx, (int32_t)i);
        LLVMValueRef one = exchange_one(e, LLVMBuildExtractElement(e->cx.builder, value, lane, ""), mask);
        result = LLVMBuildInsertElement(e->cx.builder, result, one, lane, "");
    }
    return result;
}
