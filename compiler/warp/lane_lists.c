// SPDX-License-Identifier: Apache-2.0
// Lists of registers that operations read and write. They are long, and code for each register takes long to compile: a
// loop copies them from their places in the frame to the slot of the operation, and back.
#include "compiler/warp/lane_floats.h"

#include <stdio.h>

bool lane_has_home(const LaneOperation *operation, uint32_t i) {
    return operation->homes && operation->homes[i].word;
}

// The data that has a home with that conversion, as a constant of pairs: the home's word, the number in the list.
static uint32_t list_homes(LaneCode *code, const LaneOperation *operation, uint32_t end, FpsanFormat form,
                           LLVMValueRef *table) {
    NumericContext *cx = &code->cx;
    LLVMValueRef *words = arena_array(code->module->arena, LLVMValueRef, 2 * (size_t)end + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < end; i++) {
        if (!lane_has_home(operation, i) || operation->homes[i].form != form) continue;
        words[count++] = code_i32(cx, (int32_t)operation->homes[i].word);
        words[count++] = code_i32(cx, (int32_t)i);
    }
    if (count) *table = lane_constant_words(code, words, count);
    return count / 2;
}

// ---- the loop

enum { FRAME, WORDS, SLOT, PAIRS, COUNT, LANES, PARAMETERS };

static LLVMTypeRef copy_type(const LaneCode *code) {
    LLVMContextRef context = code->cx.context;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef types[PARAMETERS] = {
        pointer, pointer, pointer, pointer, LLVMInt64TypeInContext(context), LLVMInt32TypeInContext(context)};
    return LLVMFunctionType(LLVMVoidTypeInContext(context), types, PARAMETERS, false);
}

static LLVMValueRef word_of(const LaneCode *code, LLVMValueRef words, LLVMValueRef index) {
    LLVMTypeRef word = code_integer_type(&code->cx, 32);
    LLVMValueRef value = code_load(&code->cx, word, code_pointer_at(&code->cx, word, words, index), 4);
    return LLVMBuildZExt(code->cx.builder, value, code_integer_type(&code->cx, 64), "");
}

static void build_copy(LaneCode *code, LLVMValueRef function, bool to_frame, FpsanFormat form) {
    NumericContext *cx = &code->cx;
    LLVMTypeRef vector = lane_type(code, 32);
    LLVMValueRef lanes = lane_mask_of_bits(code, LLVMGetParam(function, LANES));
    CodeLoop loop = code_loop_open(cx, LLVMGetParam(function, COUNT));
    LLVMValueRef first = LLVMBuildShl(cx->builder, loop.index, code_i64(cx, 1), ""),
                 pairs = LLVMGetParam(function, PAIRS);
    LLVMValueRef offset = word_of(code, LLVMGetParam(function, WORDS), word_of(code, pairs, first));
    LLVMValueRef number = word_of(code, pairs, LLVMBuildOr(cx->builder, first, code_i64(cx, 1), ""));
    LLVMValueRef home = code_pointer_at(cx, code_integer_type(cx, 8), LLVMGetParam(function, FRAME), offset);
    LLVMValueRef place = code_pointer_at(cx, vector, LLVMGetParam(function, SLOT), number);
    LLVMValueRef value = code_load(cx, vector, to_frame ? place : home, 64);
    if (form != FPSAN_FORMAT_COUNT)
        value = to_frame ? lane_keep_bits(code, value, form) : lane_bits_of_kept(code, value, form);
    if (to_frame) value = LLVMBuildSelect(cx->builder, lanes, value, code_load(cx, vector, home, 64), "");
    code_store(cx, value, to_frame ? home : place, 64);
    code_loop_close(cx, &loop);
    LLVMBuildRetVoid(cx->builder);
}

// Copies registers from their places in the frame to a slot, or the other way the lanes of a mask. What is kept in a
// form is bits in the slot.
static LLVMValueRef copy_function(LaneCode *code, bool to_frame, FpsanFormat form) {
    char name[64];
    CodeShared shared;
    snprintf(name, sizeof name, "congruent.registers.%s.%s", to_frame ? "write" : "read",
             form == FPSAN_FORMAT_COUNT ? "" : fpsan_format_info(form)->name);
    if (code_shared_open(&code->cx, name, copy_type(code), &shared)) {
        build_copy(code, shared.function, to_frame, form);
        code_shared_close(&code->cx, &shared);
    }
    return shared.function;
}

void lane_copy_homes(LaneCode *code, const LaneOperation *operation, bool to_frame) {
    NumericContext *cx = &code->cx;
    for (FpsanFormat form = 0; form <= FPSAN_FORMAT_COUNT; form++) {
        LLVMValueRef table;
        const uint32_t end = to_frame ? operation->written : operation->data_count;
        const uint32_t count = list_homes(code, operation, end, form, &table);
        if (!count) continue;
        LLVMValueRef arguments[PARAMETERS] = {code->frame, code->words,         operation->slot,
                                              table,       code_i64(cx, count), code->mask_bits};
        LLVMBuildCall2(cx->builder, copy_type(code), copy_function(code, to_frame, form), arguments, PARAMETERS, "");
    }
}
