// SPDX-License-Identifier: Apache-2.0
// Memory of the kernel's own. An alloca is a part of the block's scratch, at its beginning: each op has its place for
// the whole kernel, which is unspecified again each time the op is reached. Globals belong to the module: the launch
// says where they are; in an object file they may be its own data.
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_internal.h"
#include "compiler/lower/tiles.h"

#include <stddef.h>
#include <string.h>

// ---- allocas --------------------------------------------------------------------------------------------------------

enum { SCRATCH_ALIGNMENT = 64, ALL_WIDTHS = (1 << HOST_SHADOW_WIDTHS) - 1 };

struct EmitLocal {
    const TirOp *op;
    uint64_t bytes;
    uint32_t widths; // of the records that there may be in it
};

static TirTypeKind pointee_of(const Emit *e, const TirOp *op) {
    const TirTypeInfo *tile = tir_type(e->module, emit_type_of(e, tir_result(op, 0)));
    return tir_type(e->module, tir_type(e->module, tile->element)->element)->kind;
}

// Floats of the pointee's width; of any, if pointers change their type.
static uint32_t widths_in(const Emit *e, const TirOp *op, bool other_types) {
    TirTypeKind kind = pointee_of(e, op);
    if (other_types) return ALL_WIDTHS;
    return tir_type_rows[kind].class == TIR_CLASS_FLOAT ? 1u << map_log2(tir_type_rows[kind].storage_bytes) : 0;
}

static bool place_local(Emit *e, const TirOp *op, bool other_types) {
    uint64_t count = tir_attribute_integer(op, "num_elem"), alignment = tir_attribute_integer(op, "alignment");
    LLVMBuilderRef builder = e->cx.builder;
    EmitPlace outer = emit_enter(e, op);
    // Both are below 2^63: what is beyond the limit stays beyond it.
    uint64_t bytes = count > EMIT_SCRATCH_MAX ? EMIT_SCRATCH_MAX + 1u : tir_memory_bytes(pointee_of(e, op), count);
    uint64_t room = alignment > EMIT_SCRATCH_MAX    ? EMIT_SCRATCH_MAX + 1u
                    : alignment > SCRATCH_ALIGNMENT ? bytes + alignment - SCRATCH_ALIGNMENT
                                                    : bytes;
    LLVMValueRef memory = emit_scratch(e, room);
    if (!memory) return false;
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef begin = LLVMBuildPtrToInt(builder, memory, i64, "");
    if (alignment > SCRATCH_ALIGNMENT) {
        begin = LLVMBuildAdd(builder, begin, code_i64(&e->cx, (int64_t)alignment - 1), "");
        begin = LLVMBuildAnd(builder, begin, code_i64(&e->cx, -(int64_t)alignment), "");
    }
    LLVMValueRef *range = &e->argument_ranges[2 * (e->local_origin + e->local_count)];
    range[0] = begin;
    range[1] = LLVMBuildAdd(builder, begin, code_i64(&e->cx, (int64_t)bytes), "");
    e->locals[e->local_count++] = (EmitLocal){op, bytes, widths_in(e, op, other_types)};
    emit_leave(e, outer);
    return true;
}

bool emit_place_locals(Emit *e, uint32_t count) {
    const TirRegion *body = &e->function->body;
    bool other_types = emit_count_ops(body, TIR_OP_ptr_to_ptr) || emit_count_ops(body, TIR_OP_int_to_ptr);
    e->locals = arena_array(e->arena, EmitLocal, count);
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
        if (op->kind == TIR_OP_alloca && !place_local(e, op, other_types)) return false;
    return true;
}

bool emit_is_local(const Emit *e, int origin) {
    return origin >= e->local_origin;
}

LLVMValueRef emit_local_range(Emit *e, unsigned end) {
    return e->argument_ranges[end ? 2 * (e->local_origin + (int)e->local_count - 1) + 1 : 2 * e->local_origin];
}

uint32_t emit_local_widths(const Emit *e, int origin) {
    uint32_t widths = 0;
    for (uint32_t i = 0; i < e->local_count; i++)
        if (origin < 0 || origin == e->local_origin + (int)i)
            widths |= e->locals[i].widths | (e->cx.poison ? HOST_MAY_BE_UNSPECIFIED : 0);
    return widths;
}

bool lower_alloca(Emit *e, const TirOp *op) {
    uint32_t index = 0;
    while (e->locals[index].op != op) index++;
    int origin = e->local_origin + (int)index;
    LLVMValueRef begin = e->argument_ranges[2 * origin];
    emit_order(e, 0, EMIT_BUFFERS);
    emit_fill(e, emit_pointer_of(e, begin), e->locals[index].bytes, emit_unspecified_byte(e, pointee_of(e, op)));
    const RecordPiece piece = {e->launch, begin, e->locals[index].bytes, e->locals[index].widths};
    if (e->cx.poison)
        record_spoil(&e->cx, &piece, "memory of an alloca that nothing wrote");
    else
        record_invalidate(&e->cx, &piece);
    emit_bind_address(e, tir_result(op, 0), begin, origin);
    return true;
}

// ---- globals of the module ------------------------------------------------------------------------------------------

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
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef *range = &e->argument_ranges[2 * global_origin(e, index)];
    if (!is_given) {
        for (unsigned end = 0; end < 2; end++)
            range[end] = code_load(&e->cx, i64,
                                   code_pointer_at(&e->cx, i64, places, code_i64(&e->cx, 2 * (int64_t)index + end)), 8);
        return true;
    }
    LLVMValueRef own = own_data(e, index), given[2];
    if (!own) return false;
    CodeGuard guard = code_guard_open(&e->cx, is_given);
    for (unsigned end = 0; end < 2; end++)
        given[end] =
            code_load(&e->cx, i64, code_pointer_at(&e->cx, i64, places, code_i64(&e->cx, 2 * (int64_t)index + end)), 8);
    code_guard_close(&e->cx, &guard, 2, given);
    LLVMValueRef first = LLVMBuildPtrToInt(builder, own, i64, "");
    LLVMValueRef bytes = code_i64(&e->cx, (int64_t)global_bytes(e, &e->module->globals[index]));
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
