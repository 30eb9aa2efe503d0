// SPDX-License-Identifier: Apache-2.0
// Globals of the module: the launch says where they are; in an object file they may be its own data.
#include "compiler/lower/emit.h"

#include <stddef.h>
#include <string.h>

// Of own data: larger ones would make LLVM slow.
enum { OWN_BYTES_MAX = 1 << 26 };

static int global_origin(const Emit *e, uint32_t index) {
    return (int)(tir_type(e->module, e->function->type)->parameter_count + index);
}

static uint64_t global_bytes(const Emit *e, const TirGlobal *global) {
    TirTypeKind kind = tir_tile_element_kind(e->module, global->type);
    return tir_memory_bytes(kind, (uint64_t)tir_tile_elements(e->module, global->type));
}

// The data of the object for the global, made once for all entries.
static LLVMValueRef own_data(Emit *e, uint32_t index) {
    const TirGlobal *global = &e->module->globals[index];
    const char *name = arena_format(e->arena, EMIT_GLOBAL_NAME, index);
    LLVMValueRef data = LLVMGetNamedGlobal(e->cx.module, name);
    if (data) return data;
    uint64_t bytes = global_bytes(e, global);
    if (bytes > OWN_BYTES_MAX) {
        emit_fail(e, E_LIMIT, "global @%s has %llu bytes, in an object file at most %d are possible", global->name,
                  (unsigned long long)bytes, OWN_BYTES_MAX);
        return NULL;
    }
    uint8_t *memory = arena_alloc(e->arena, bytes + 1);
    tir_constant_memory(e->module, global->type, &global->value, memory);
    LLVMValueRef contents = LLVMConstStringInContext2(e->cx.context, (const char *)memory, bytes, true);
    data = LLVMAddGlobal(e->cx.module, LLVMTypeOf(contents), name);
    LLVMSetInitializer(data, contents);
    LLVMSetLinkage(data, LLVMInternalLinkage);
    LLVMSetAlignment(data, global->alignment > 64 ? (unsigned)global->alignment : 64);
    return data;
}

// Where the global is: [begin, end) as i64.
static bool place_global(Emit *e, uint32_t index, LLVMValueRef places, LLVMValueRef is_given) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i64 = emit_integer_type(e, 64);
    LLVMValueRef *range = &e->argument_ranges[2 * global_origin(e, index)];
    if (!is_given) {
        for (unsigned end = 0; end < 2; end++)
            range[end] = emit_load(e, i64, emit_pointer_at(e, i64, places, emit_i64(e, 2 * (int64_t)index + end)), 8);
        return true;
    }
    LLVMValueRef own = own_data(e, index), given[2];
    if (!own) return false;
    EmitGuard guard = emit_guard_open(e, is_given);
    for (unsigned end = 0; end < 2; end++)
        given[end] = emit_load(e, i64, emit_pointer_at(e, i64, places, emit_i64(e, 2 * (int64_t)index + end)), 8);
    emit_guard_close(e, &guard, 2, given);
    LLVMValueRef first = LLVMBuildPtrToInt(builder, own, i64, "");
    LLVMValueRef bytes = emit_i64(e, (int64_t)global_bytes(e, &e->module->globals[index]));
    range[0] = LLVMBuildSelect(builder, is_given, given[0], first, "");
    range[1] = LLVMBuildSelect(builder, is_given, given[1], LLVMBuildAdd(builder, first, bytes, ""), "");
    return true;
}

bool emit_place_globals(Emit *e) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef places = emit_launch_field(e, offsetof(HostLaunch, globals), pointer);
    LLVMValueRef is_given = e->own_globals ? LLVMBuildIsNotNull(e->cx.builder, places, "") : NULL;
    for (uint32_t i = 0; i < e->module->global_count; i++) {
        uint64_t alignment = e->module->globals[i].alignment;
        if (alignment > PROGRAM_GLOBAL_ALIGNMENT_MAX)
            return emit_fail(e, E_LIMIT, "global @%s has alignment %llu, at most %d is possible",
                             e->module->globals[i].name, (unsigned long long)alignment, PROGRAM_GLOBAL_ALIGNMENT_MAX);
        if (!place_global(e, i, places, is_given)) return false;
    }
    return true;
}

bool lower_get_global(Emit *e, const TirOp *op) {
    uint32_t index = 0;
    while (strcmp(e->module->globals[index].name, tir_attribute(op, "name")->text)) index++; // the verifier saw it
    int origin = global_origin(e, index);
    emit_bind_address(e, tir_result(op, 0), e->argument_ranges[2 * origin], origin);
    return true;
}
