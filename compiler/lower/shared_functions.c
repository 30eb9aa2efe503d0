// SPDX-License-Identifier: Apache-2.0
// Functions that kernels share (code_shared_open), each made alone: for code that is made beforehand.
#include "compiler/lower/census_internal.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/memory_internal.h"

static const struct CensusRow {
    FpsanFormat format;
    CensusOwn own;
    bool adds;
    unsigned operands;
    FpsanFormat operand;
} census_rows[] = {
#define PRECOMPILED_CENSUS(format, own, adds, operands, operand)                                                       \
    {FPSAN_##format, CENSUS_OWN_##own, adds, operands, FPSAN_##operand},
#include "compiler/target/precompiled.def"
#undef PRECOMPILED_CENSUS
};

static const struct ViewRow {
    unsigned rank, bytes;
} view_rows[] = {
#define PRECOMPILED_VIEW(rank, bytes) {rank, bytes},
#include "compiler/target/precompiled.def"
#undef PRECOMPILED_VIEW
};

static LLVMValueRef bits_of(Emit *e, FpsanFormat format) {
    return LLVMConstNull(code_integer_type(&e->cx, fpsan_format_info(format)->lane_bits));
}

static void emit_census(Emit *e, const struct CensusRow *row) {
    CensusStep step = {.format = row->format,
                       .own = row->own,
                       .bits = bits_of(e, row->format),
                       .adds = row->adds,
                       .operand_count = row->operands};
    census_layout(row->format, &step.layout);
    for (unsigned i = 0; i < row->operands; i++) {
        step.formats[i] = row->operand;
        step.operands[i] = bits_of(e, row->operand);
    }
    census_look(e, &step, LLVMConstNull(LLVMPointerTypeInContext(e->cx.context, 0)), code_i64(&e->cx, 0));
}

void lower_shared_functions(const NumericContext *cx, Arena *arena) {
    Emit e = {.cx = *cx, .arena = arena, .slots = {.arena = arena}};
    e.cx.slots = &e.slots;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cx->context), NULL, 0, false);
    LLVMValueRef caller = e.cx.function = LLVMAddFunction(cx->module, "caller", type);
    e.cx.entry_block = code_block(&e.cx, "allocas");
    LLVMPositionBuilderAtEnd(cx->builder, code_block(&e.cx, "begin"));
    for (unsigned by_calls = 0; by_calls < 2; by_calls++) {
        e.census.by_calls = by_calls;
        for (size_t i = 0; i < BASE_COUNT(census_rows); i++) emit_census(&e, &census_rows[i]);
    }
    for (size_t i = 0; i < BASE_COUNT(view_rows); i++) emit_view_function(&e, view_rows[i].rank, view_rows[i].bytes);
    LLVMDeleteFunction(caller);
}
