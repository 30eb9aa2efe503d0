// SPDX-License-Identifier: Apache-2.0
// The function of an entry: its parameters, what it reads of its launch, and how it ends. On processors it is a
// HostEntry (host_abi.h); entry_gpu.c has that of GPUs.
#include "compiler/lower/entry_internal.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// ---- the launch -----------------------------------------------------------------------------------------------------

LLVMValueRef emit_launch_field(Emit *e, size_t offset, LLVMTypeRef type) {
    if (emit_is_gpu(e)) offset = gpu_launch_offset(offset);
    LLVMValueRef at = emit_pointer_at(e, emit_integer_type(e, 8), e->launch, emit_i64(e, (int64_t)offset));
    LLVMValueRef load = emit_load(e, type, at, 8);
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(e->cx.context, "invariant.load", 14),
                    LLVMMetadataAsValue(e->cx.context, LLVMMDNodeInContext2(e->cx.context, NULL, 0)));
    return load;
}

LLVMValueRef emit_grid(Emit *e, unsigned axis) {
    if (emit_is_gpu(e)) return gpu_grid(e, axis);
    LLVMTypeRef i32 = emit_integer_type(e, 32);
    LLVMValueRef at = emit_pointer_at(e, emit_integer_type(e, 8), e->launch,
                                      emit_i64(e, (int64_t)(offsetof(HostLaunch, grid) + 4 * axis)));
    return emit_load(e, i32, at, 4);
}

LLVMValueRef emit_raw_parameter(Emit *e, uint32_t index) {
    if (emit_is_gpu(e)) return gpu_raw_parameter(e, index);
    LLVMTypeRef i64 = emit_integer_type(e, 64), pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef arguments = emit_launch_field(e, offsetof(HostLaunch, arguments), pointer);
    return emit_load(e, i64, emit_pointer_at(e, i64, arguments, emit_i64(e, index)), 8);
}

void emit_parameter_range(Emit *e, uint32_t index) {
    LLVMTypeRef i64 = emit_integer_type(e, 64), pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef ranges = emit_launch_field(e, offsetof(HostLaunch, argument_ranges), pointer),
                 *range = &e->argument_ranges[2 * index];
    EmitGuard guard = {0};
    if (emit_is_gpu(e)) guard = emit_guard_open(e, LLVMBuildIsNotNull(e->cx.builder, ranges, ""));
    for (int end = 0; end < 2; end++)
        range[end] = emit_load(e, i64, emit_pointer_at(e, i64, ranges, emit_i64(e, 2 * (int64_t)index + end)), 8);
    if (!emit_is_gpu(e)) return;
    emit_guard_close(e, &guard, 2, range);
    range[1] = emit_unknown_end(e, ranges, range[1]);
}

LLVMValueRef emit_unknown_end(Emit *e, LLVMValueRef ranges, LLVMValueRef end) {
    if (!emit_is_gpu(e)) return end;
    LLVMValueRef known = LLVMBuildIsNotNull(e->cx.builder, ranges, "");
    return LLVMBuildSelect(e->cx.builder, known, end, emit_i64(e, -1), "");
}

// ---- the end --------------------------------------------------------------------------------------------------------

void emit_return(Emit *e) {
    if (emit_is_gpu(e))
        LLVMBuildBr(e->cx.builder, e->exit_block);
    else
        LLVMBuildRet(e->cx.builder, emit_i32(e, 0));
}

// The blocks that failed checks jump to: one fills the fault, the other finds it filled and returns the site.
static void open_fail_blocks(Emit *e) {
    LLVMTypeRef i32 = emit_integer_type(e, 32), i64 = emit_integer_type(e, 64);
    e->fail_block = emit_block(e, "fail");
    e->told_block = emit_block(e, "told");
    LLVMPositionBuilderAtEnd(e->cx.builder, e->told_block);
    e->told_phi = LLVMBuildPhi(e->cx.builder, i32, "");
    LLVMPositionBuilderAtEnd(e->cx.builder, e->fail_block);
    for (int i = 0; i < 4; i++) e->fail_phi[i] = LLVMBuildPhi(e->cx.builder, i ? i64 : i32, "");
    emit_store_fault(e, e->fault, &e->fail_phi[1]);
    LLVMBuildBr(e->cx.builder, e->told_block);
    LLVMAddIncoming(e->told_phi, &e->fail_phi[0], &e->fail_block, 1);
    LLVMPositionBuilderAtEnd(e->cx.builder, e->told_block);
    if (emit_is_gpu(e))
        gpu_end_with_fault(e, e->told_phi);
    else
        LLVMBuildRet(e->cx.builder, e->told_phi);
}

// ---- all of it ------------------------------------------------------------------------------------------------------

static LLVMTypeRef entry_type(const Emit *e) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), i32 = emit_integer_type(e, 32);
    LLVMTypeRef parameters[] = {pointer, pointer, i32, i32, i32, pointer};
    return LLVMFunctionType(i32, parameters, BASE_COUNT(parameters), false);
}

static void add_attribute(Emit *e, LLVMAttributeIndex at, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(e->kernel, at, LLVMCreateEnumAttribute(e->cx.context, kind, 0));
}

static void open_host_kernel(Emit *e, const char *symbol) {
    e->kernel = LLVMAddFunction(e->cx.module, symbol, entry_type(e));
    add_attribute(e, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    add_attribute(e, 2, "noalias"); // scratch
    LLVMValueRef parameters[6];
    LLVMGetParams(e->kernel, parameters);
    e->launch = parameters[0];
    e->scratch = parameters[1];
    memcpy(e->block_id, parameters + 2, sizeof e->block_id);
    e->fault = parameters[5];
    e->entry_block = emit_block(e, "allocas");
}

void emit_open_kernel(Emit *e, const char *symbol) {
    LLVMSetCurrentDebugLocation2(e->cx.builder, NULL); // of the kernel before
    (emit_is_gpu(e) ? gpu_open_kernel : open_host_kernel)(e, symbol);
    debug_function(e->debug, e->cx.builder, e->kernel, e->function->at);
    open_fail_blocks(e);
}

void emit_close_kernel(Emit *e, LLVMBasicBlockRef first, KernelInfo *kernel) {
    kernel->scratch_bytes = e->scratch_bytes.memory;
    if (emit_is_gpu(e)) {
        gpu_close_kernel(e, first, kernel);
        return;
    }
    LLVMPositionBuilderAtEnd(e->cx.builder, e->entry_block);
    LLVMBuildBr(e->cx.builder, first);
}
