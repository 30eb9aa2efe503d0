// SPDX-License-Identifier: Apache-2.0
// The function of an entry: its parameters, what it reads of its launch, and how it ends. On processors it is a
// HostEntry (host_abi.h); entry_gpu.c has that of GPUs.
#include "compiler/lower/census.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/nest.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// ---- the launch -----------------------------------------------------------------------------------------------------

LLVMValueRef emit_launch_field(Emit *e, size_t offset, LLVMTypeRef type) {
    return code_launch_field(&e->cx, e->launch, e->target->launch_offset(offset), type);
}

LLVMValueRef emit_grid(Emit *e, unsigned axis) {
    return e->target->grid(e, axis);
}

LLVMValueRef emit_raw_parameter(Emit *e, uint32_t index) {
    return e->target->raw_parameter(e, index);
}

void emit_parameter_range(Emit *e, uint32_t index) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64), pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef ranges = emit_launch_field(e, offsetof(HostLaunch, argument_ranges), pointer),
                 *range = &e->argument_ranges[2 * index];
    CodeGuard guard = {0};
    if (!e->target->knows_buffers) guard = code_guard_open(&e->cx, LLVMBuildIsNotNull(e->cx.builder, ranges, ""));
    for (int end = 0; end < 2; end++)
        range[end] =
            code_load(&e->cx, i64, code_pointer_at(&e->cx, i64, ranges, code_i64(&e->cx, 2 * (int64_t)index + end)), 8);
    if (e->target->knows_buffers) return;
    code_guard_close(&e->cx, &guard, 2, range);
    range[1] = emit_unknown_end(e, ranges, range[1]);
}

LLVMValueRef emit_unknown_end(Emit *e, LLVMValueRef ranges, LLVMValueRef end) {
    if (e->target->knows_buffers) return end;
    LLVMValueRef known = LLVMBuildIsNotNull(e->cx.builder, ranges, "");
    return LLVMBuildSelect(e->cx.builder, known, end, code_i64(&e->cx, -1), "");
}

// ---- the end --------------------------------------------------------------------------------------------------------

void emit_return(Emit *e) {
    e->target->end_block(e);
}

// The blocks that failed checks jump to: one fills the fault, the other finds it filled and returns the site.
static void open_fail_blocks(Emit *e) {
    LLVMTypeRef i32 = code_integer_type(&e->cx, 32), i64 = code_integer_type(&e->cx, 64);
    e->faults.block = code_block(&e->cx, "fail");
    e->faults.stored_block = code_block(&e->cx, "stored");
    LLVMPositionBuilderAtEnd(e->cx.builder, e->faults.stored_block);
    e->faults.stored_phi = LLVMBuildPhi(e->cx.builder, i32, "");
    LLVMPositionBuilderAtEnd(e->cx.builder, e->faults.block);
    for (int i = 0; i < 4; i++) e->faults.phi[i] = LLVMBuildPhi(e->cx.builder, i ? i64 : i32, "");
    emit_store_fault(e, e->fault, &e->faults.phi[1]);
    LLVMBuildBr(e->cx.builder, e->faults.stored_block);
    LLVMAddIncoming(e->faults.stored_phi, &e->faults.phi[0], &e->faults.block, 1);
    LLVMPositionBuilderAtEnd(e->cx.builder, e->faults.stored_block);
    e->target->end_with_fault(e, e->faults.stored_phi);
}

// ---- the function ---------------------------------------------------------------------------------------------------

void emit_open_kernel(Emit *e, const char *symbol) {
    LLVMSetCurrentDebugLocation2(e->cx.builder, NULL); // of the kernel before
    e->target->open_kernel(e, symbol);
    debug_function(e->debug, e->cx.builder, e->cx.function, e->function->at);
    open_fail_blocks(e);
}

void emit_close_kernel(Emit *e, LLVMBasicBlockRef first) {
    e->kernel->scratch_bytes = e->scratch_bytes.memory;
    census_close(e);
    e->target->close_kernel(e, first);
}

// ---- processors -----------------------------------------------------------------------------------------------------

static LLVMTypeRef entry_type(const Emit *e) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), i32 = code_integer_type(&e->cx, 32);
    LLVMTypeRef parameters[] = {pointer, pointer, i32, i32, i32, pointer};
    return LLVMFunctionType(i32, parameters, BASE_COUNT(parameters), false);
}

static void add_attribute(Emit *e, LLVMAttributeIndex at, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(e->cx.function, at, LLVMCreateEnumAttribute(e->cx.context, kind, 0));
}

static void host_open_kernel(Emit *e, const char *symbol) {
    LLVMValueRef entry = LLVMAddFunction(e->cx.module, symbol, entry_type(e));
    e->cx.function = entry;
    if (e->cx.flushes_operands) {
        e->cx.function = LLVMAddFunction(e->cx.module, arena_format(e->arena, "%s.flushing", symbol), entry_type(e));
        LLVMSetLinkage(e->cx.function, LLVMInternalLinkage);
        emit_set_flushing(e, e->cx.function, true);
        emit_call_with_flushing(e, entry, e->cx.function, true);
    }
    add_attribute(e, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    add_attribute(e, 2, "noalias"); // scratch
    LLVMValueRef parameters[6];
    LLVMGetParams(e->cx.function, parameters);
    e->launch = parameters[0];
    e->scratch = parameters[1];
    memcpy(e->block_id, parameters + 2, sizeof e->block_id);
    e->fault = parameters[5];
    e->cx.entry_block = code_block(&e->cx, "allocas");
}

static void host_close_kernel(Emit *e, LLVMBasicBlockRef first) {
    LLVMPositionBuilderAtEnd(e->cx.builder, e->cx.entry_block);
    LLVMBuildBr(e->cx.builder, first);
}

static size_t host_launch_offset(size_t host_offset) {
    return host_offset;
}

static LLVMValueRef host_grid(Emit *e, unsigned axis) {
    LLVMTypeRef i32 = code_integer_type(&e->cx, 32);
    LLVMValueRef at = code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), e->launch,
                                      code_i64(&e->cx, (int64_t)(offsetof(HostLaunch, grid) + 4 * axis)));
    return code_load(&e->cx, i32, at, 4);
}

static LLVMValueRef host_raw_parameter(Emit *e, uint32_t index) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64), pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef arguments = emit_launch_field(e, offsetof(HostLaunch, arguments), pointer);
    return code_load(&e->cx, i64, code_pointer_at(&e->cx, i64, arguments, code_i64(&e->cx, index)), 8);
}

static void host_end_block(Emit *e) {
    LLVMBuildRet(e->cx.builder, code_i32(&e->cx, 0));
}

static void host_end_with_fault(Emit *e, LLVMValueRef site) {
    LLVMBuildRet(e->cx.builder, site);
}

static LLVMValueRef host_scratch(Emit *e) {
    return e->scratch;
}

// The launch learns that the block waits, and may end it.
static void host_next_iteration(Emit *e, bool waits, LLVMBasicBlockRef next) {
    (void)waits; // else nothing is asked
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMTypeRef type = LLVMFunctionType(code_integer_type(&e->cx, 32), &pointer, 1, false);
    LLVMBasicBlockRef call = code_block(&e->cx, "loop.wait"), stop = code_block(&e->cx, "loop.stop");
    LLVMValueRef function = emit_launch_field(e, offsetof(HostLaunch, wait), pointer);
    LLVMBuildCondBr(builder, LLVMBuildIsNotNull(builder, function, ""), call, next);
    LLVMPositionBuilderAtEnd(builder, call);
    LLVMValueRef stops = LLVMBuildCall2(builder, type, function, &e->launch, 1, "");
    LLVMBuildCondBr(builder, LLVMBuildIsNotNull(builder, stops, ""), stop, next);
    LLVMPositionBuilderAtEnd(builder, stop);
    emit_return(e);
}

const EmitTarget emit_on_host = {
    .open_kernel = host_open_kernel,
    .close_kernel = host_close_kernel,
    .launch_offset = host_launch_offset,
    .grid = host_grid,
    .raw_parameter = host_raw_parameter,
    .end_block = host_end_block,
    .end_with_fault = host_end_with_fault,
    .next_iteration = host_next_iteration,
    .scratch = host_scratch,
    .print = emit_print_on_host,
    .knows_buffers = true,
    .ends_failed_blocks = false,
    .buffer_space = EMIT_GENERIC,
    .pointer_lanes_bits = EMIT_POINTER_LANES_BITS_MAX,
};
