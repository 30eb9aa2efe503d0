// SPDX-License-Identifier: Apache-2.0
// The function of an entry on GPUs: what it knows of its launch, its slot of device memory, and how its threads end.
#include "compiler/lower/kernel.h"
#include "compiler/lower/nest.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { SHARED_ALIGNMENT = 128 };
#define SHARED_NAME "congruent_shared"
#define FAULT_NAME  "congruent.fault"

// ---- what a thread knows of itself ----------------------------------------------------------------------------------

static LLVMValueRef special(Emit *e, MachineInstruction instruction) {
    return vector_intrinsic_of(&e->cx, machine_instruction(instruction), NULL, 0, NULL, 0);
}

static LLVMValueRef gpu_grid(Emit *e, unsigned axis) {
    return special(e, MACHINE_GRID_X + axis);
}

// Of the block.
LLVMValueRef gpu_linear_id(Emit *e) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef id = LLVMBuildZExt(builder, special(e, MACHINE_BLOCK_Z), i64, "");
    for (unsigned axis = 2; axis-- > 0;) {
        id = LLVMBuildMul(builder, id, LLVMBuildZExt(builder, gpu_grid(e, axis), i64, ""), "");
        LLVMValueRef own = special(e, MACHINE_BLOCK_X + axis);
        id = LLVMBuildAdd(builder, id, LLVMBuildZExt(builder, own, i64, ""), "");
    }
    return id;
}

// ---- the launch -----------------------------------------------------------------------------------------------------

static size_t gpu_launch_offset(size_t host_offset) {
    static const struct {
        size_t host, gpu;
    } fields[] = {
        {offsetof(HostLaunch, argument_ranges), offsetof(GpuLaunch, argument_ranges)},
        {offsetof(HostLaunch, buffers), offsetof(GpuLaunch, buffers)},
        {offsetof(HostLaunch, buffer_count), offsetof(GpuLaunch, buffer_count)},
        {offsetof(HostLaunch, globals), offsetof(GpuLaunch, globals)},
    };
    size_t i = 0;
    while (fields[i].host != host_offset) {
        i++;
        assert(i < BASE_COUNT(fields));
    }
    return fields[i].gpu;
}

LLVMValueRef gpu_launch_field(Emit *e, size_t offset) {
    LLVMValueRef at =
        code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), e->launch, code_i64(&e->cx, (int64_t)offset));
    return code_load(&e->cx, code_integer_type(&e->cx, 64), at, 8);
}

// A variable of the module as a plain pointer; others set it before the launch.
static LLVMValueRef variable(Emit *e, const char *name, LLVMTypeRef type, unsigned space) {
    LLVMValueRef global = LLVMGetNamedGlobal(e->cx.module, name);
    if (!global) {
        global = LLVMAddGlobalInAddressSpace(e->cx.module, type, name, space);
        LLVMSetAlignment(global, space == EMIT_SHARED ? SHARED_ALIGNMENT : 8);
        if (space == EMIT_GLOBAL) {
            LLVMSetInitializer(global, LLVMConstNull(type));
            LLVMSetExternallyInitialized(global, true);
        }
    }
    return LLVMConstAddrSpaceCast(global, LLVMPointerTypeInContext(e->cx.context, 0));
}

static LLVMValueRef gpu_raw_parameter(Emit *e, uint32_t index) {
    LLVMValueRef parameter = LLVMGetParam(e->cx.function, index);
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    return LLVMTypeOf(parameter) == i64 ? parameter : LLVMBuildZExt(e->cx.builder, parameter, i64, "");
}

// ---- faults ---------------------------------------------------------------------------------------------------------

LLVMValueRef gpu_field_pointer(Emit *e, LLVMValueRef base, size_t offset) {
    return code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), base, code_i64(&e->cx, (int64_t)offset));
}

static LLVMValueRef swap_word(Emit *e, LLVMValueRef pointer, int32_t expected, int32_t wanted) {
    LLVMValueRef swap =
        LLVMBuildAtomicCmpXchg(e->cx.builder, pointer, code_i32(&e->cx, expected), code_i32(&e->cx, wanted),
                               LLVMAtomicOrderingAcquireRelease, LLVMAtomicOrderingAcquire, false);
    return LLVMBuildExtractValue(e->cx.builder, swap, 1, "");
}

static void set_word(Emit *e, LLVMValueRef pointer, int32_t value) {
    LLVMBuildAtomicRMW(e->cx.builder, LLVMAtomicRMWBinOpXchg, pointer, code_i32(&e->cx, value),
                       LLVMAtomicOrderingAcquireRelease, false);
}

static void pause(Emit *e) {
    LLVMValueRef nanoseconds = code_i32(&e->cx, 100);
    vector_intrinsic_of(&e->cx, machine_instruction(MACHINE_PAUSE), NULL, 0, &nanoseconds, 1);
}

static void end_thread(Emit *e, MachineInstruction instruction) {
    vector_intrinsic_of(&e->cx, machine_instruction(instruction), NULL, 0, NULL, 0);
    LLVMBuildUnreachable(e->cx.builder);
}

// Locks a GpuFault; returns what to set to 0 again.
static LLVMValueRef lock_fault(Emit *e, LLVMValueRef record) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMBasicBlockRef lock = code_block(&e->cx, "lock"), wait = code_block(&e->cx, "wait"),
                      locked = code_block(&e->cx, "locked");
    LLVMValueRef mutex = gpu_field_pointer(e, record, offsetof(GpuFault, lock));
    LLVMBuildBr(builder, lock);
    LLVMPositionBuilderAtEnd(builder, lock);
    LLVMBuildCondBr(builder, swap_word(e, mutex, 0, 1), locked, wait);
    LLVMPositionBuilderAtEnd(builder, wait);
    pause(e);
    LLVMBuildBr(builder, lock);
    LLVMPositionBuilderAtEnd(builder, locked);
    return mutex;
}

static void store_ordered(Emit *e, LLVMValueRef value, LLVMValueRef pointer, unsigned align,
                          LLVMAtomicOrdering ordering) {
    LLVMValueRef store = LLVMBuildStore(e->cx.builder, value, pointer);
    LLVMSetAlignment(store, align);
    LLVMSetOrdering(store, ordering);
}

// FAULT_NAME(record, site, fault, block): the record keeps the first fault of the lowest block.
static void emit_fault_body(Emit *e, LLVMValueRef function) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i32 = code_integer_type(&e->cx, 32), i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef record = LLVMGetParam(function, 0), site = LLVMGetParam(function, 1),
                 fault = LLVMGetParam(function, 2), block = LLVMGetParam(function, 3);
    LLVMBasicBlockRef nobody = code_block(&e->cx, "nobody"), somebody = code_block(&e->cx, "somebody");
    LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, record, ""), nobody, somebody);
    LLVMPositionBuilderAtEnd(builder, nobody);
    end_thread(e, MACHINE_TRAP);
    LLVMPositionBuilderAtEnd(builder, somebody);
    LLVMValueRef mutex = lock_fault(e, record);
    LLVMValueRef to_site = gpu_field_pointer(e, record, offsetof(GpuFault, site)),
                 to_block = gpu_field_pointer(e, record, offsetof(GpuFault, block));
    LLVMValueRef none = LLVMBuildIsNull(builder, code_load(&e->cx, i32, to_site, 4), "");
    LLVMValueRef lower = LLVMBuildICmp(builder, LLVMIntULT, block, code_load(&e->cx, i64, to_block, 8), "");
    CodeGuard guard = code_guard_open(&e->cx, LLVMBuildOr(builder, none, lower, ""));
    store_ordered(e, block, to_block, 8, LLVMAtomicOrderingMonotonic);
    store_ordered(e, site, to_site, 4, LLVMAtomicOrderingRelease); // which block_failed asks for first
    for (unsigned word = 0; word < sizeof(HostFault) / 8; word++)
        code_store(&e->cx, code_load(&e->cx, i64, gpu_field_pointer(e, fault, 8 * word), 8),
                   gpu_field_pointer(e, record, offsetof(GpuFault, fault) + 8 * word), 8);
    code_guard_close(&e->cx, &guard, 0, NULL);
    set_word(e, mutex, 0);
    end_thread(e, MACHINE_EXIT);
}

static void gpu_end_with_fault(Emit *e, LLVMValueRef site) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), i64 = code_integer_type(&e->cx, 64);
    LLVMTypeRef types[] = {pointer, code_integer_type(&e->cx, 32), pointer, i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), types, BASE_COUNT(types), false);
    CodeShared shared;
    LLVMValueRef block = gpu_linear_id(e);
    if (code_shared_open(&e->cx, FAULT_NAME, type, &shared)) {
        emit_fault_body(e, shared.function);
        code_shared_close(&e->cx, &shared);
    }
    LLVMValueRef record =
        LLVMBuildIntToPtr(e->cx.builder, gpu_launch_field(e, offsetof(GpuLaunch, fault)), pointer, "");
    LLVMValueRef arguments[] = {record, site, e->fault, block};
    LLVMBuildCall2(e->cx.builder, type, shared.function, arguments, BASE_COUNT(arguments), "");
    LLVMBuildUnreachable(e->cx.builder);
}

// i1: whether the record says now that this block has failed, or one below it; `any`: or any other.
static LLVMValueRef block_failed(Emit *e, bool any) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    LLVMValueRef record = LLVMBuildIntToPtr(builder, gpu_launch_field(e, offsetof(GpuLaunch, fault)), pointer, "");
    CodeGuard guard = code_guard_open(&e->cx, LLVMBuildIsNotNull(builder, record, ""));
    LLVMValueRef site =
        code_load(&e->cx, code_integer_type(&e->cx, 32), gpu_field_pointer(e, record, offsetof(GpuFault, site)), 4);
    LLVMSetOrdering(site, LLVMAtomicOrderingAcquire); // its block is there, too
    LLVMValueRef failed = LLVMBuildIsNotNull(builder, site, "");
    if (!any) {
        LLVMValueRef to_block = gpu_field_pointer(e, record, offsetof(GpuFault, block));
        LLVMValueRef block = code_load(&e->cx, code_integer_type(&e->cx, 64), to_block, 8);
        LLVMSetOrdering(block, LLVMAtomicOrderingMonotonic);
        LLVMValueRef not_above = LLVMBuildICmp(builder, LLVMIntULE, block, gpu_linear_id(e), "");
        failed = LLVMBuildAnd(builder, failed, not_above, "");
    }
    code_guard_close(&e->cx, &guard, 1, &failed);
    return failed;
}

LLVMValueRef gpu_has_failed(Emit *e) {
    return block_failed(e, false);
}

// A thread that fails ends, and what it would have broadcast never comes: a loop might go on for ever.
static void gpu_next_iteration(Emit *e, bool waits, LLVMBasicBlockRef next) {
    LLVMBasicBlockRef stop = code_block(&e->cx, "loop.stop");
    if (waits) pause(e);
    LLVMBuildCondBr(e->cx.builder, block_failed(e, waits), stop, next);
    LLVMPositionBuilderAtEnd(e->cx.builder, stop);
    end_thread(e, MACHINE_EXIT);
}

// ---- device memory of a block ---------------------------------------------------------------------------------------

// The lock of the slot that the block has.
static LLVMValueRef lock_pointer(Emit *e, LLVMValueRef slot) {
    LLVMValueRef locks = gpu_launch_field(e, offsetof(GpuLaunch, scratch_locks));
    LLVMValueRef at = LLVMBuildShl(e->cx.builder, slot, code_i64(&e->cx, 2), "");
    return LLVMBuildIntToPtr(e->cx.builder, LLVMBuildAdd(e->cx.builder, locks, at, ""),
                             LLVMPointerTypeInContext(e->cx.context, 0), "");
}

// The first thread takes a slot, from that of the block's number on. Where a block has failed nobody may be there to
// give one back: then the others give up.
static LLVMValueRef take_slot(Emit *e) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef slots = gpu_launch_field(e, offsetof(GpuLaunch, scratch_slots));
    LLVMValueRef first = LLVMBuildURem(builder, gpu_linear_id(e), slots, "");
    CodeGuard guard = emit_first_thread_open(e);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), attempt = code_block(&e->cx, "attempt"),
                      taken = code_block(&e->cx, "taken"), next = code_block(&e->cx, "next"),
                      stop = code_block(&e->cx, "stop");
    LLVMBuildBr(builder, attempt);
    LLVMPositionBuilderAtEnd(builder, attempt);
    LLVMValueRef slot = LLVMBuildPhi(builder, i64, "slot");
    LLVMBuildCondBr(builder, swap_word(e, lock_pointer(e, slot), 0, 1), taken, next);
    LLVMPositionBuilderAtEnd(builder, next);
    pause(e);
    LLVMValueRef further = LLVMBuildURem(builder, LLVMBuildAdd(builder, slot, code_i64(&e->cx, 1), ""), slots, "");
    LLVMValueRef failed = block_failed(e, true);
    LLVMBasicBlockRef asked = LLVMGetInsertBlock(builder);
    LLVMBuildCondBr(builder, failed, stop, attempt);
    LLVMAddIncoming(slot, (LLVMValueRef[]){first, further}, (LLVMBasicBlockRef[]){before, asked}, 2);
    LLVMPositionBuilderAtEnd(builder, stop);
    code_store(&e->cx, code_i64(&e->cx, -1), e->threads.shared, 8);
    LLVMBuildBr(builder, guard.join);
    LLVMPositionBuilderAtEnd(builder, taken);
    code_store(&e->cx, slot, e->threads.shared, 8);
    emit_first_thread_close(e, &guard);
    emit_assume_hazards(e);
    emit_barrier(e, EMIT_TILES, 0);
    slot = code_load(&e->cx, i64, e->threads.shared, 8);
    emit_assume_hazards(e);
    emit_barrier(e, EMIT_TILES, 0); // before somebody writes there
    LLVMBasicBlockRef good = code_block(&e->cx, "slot.good"), bad = code_block(&e->cx, "slot.none");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, slot, code_i64(&e->cx, -1), ""), good, bad);
    LLVMPositionBuilderAtEnd(builder, bad);
    end_thread(e, MACHINE_EXIT);
    LLVMPositionBuilderAtEnd(builder, good);
    return slot;
}

static void give_slot_back(Emit *e, LLVMValueRef slot) {
    emit_assume_hazards(e);
    emit_barrier(e, EMIT_TILES, 0);
    CodeGuard guard = emit_first_thread_open(e);
    set_word(e, lock_pointer(e, slot), 0);
    emit_first_thread_close(e, &guard);
}

// ---- all of it ------------------------------------------------------------------------------------------------------

static LLVMTypeRef parameter_type(const Emit *e, TirType type) {
    const TirTypeInfo *tile = tir_type(e->module, type);
    if (tile->kind != TIR_TYPE_tile) return code_integer_type(&e->cx, 64); // refused later
    EmitElement element = emit_element(e, type);
    return code_integer_type(&e->cx, element.is_pointer ? 64 : 8 * emit_storage_bytes(element));
}

static void gpu_open_kernel(Emit *e, const char *symbol) {
    enum { PTX_KERNEL = 71 }; // LLVM's number of the calling convention
    emit_open_threads(e);
    const TirTypeInfo *body = tir_type(e->module, e->function->type);
    LLVMTypeRef *types = arena_array(e->arena, LLVMTypeRef, body->parameter_count + 1u);
    for (uint32_t i = 0; i < body->parameter_count; i++) types[i] = parameter_type(e, body->parameters[i]);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), types, body->parameter_count, false);
    e->cx.function = LLVMAddFunction(e->cx.module, symbol, type);
    LLVMSetFunctionCallConv(e->cx.function, PTX_KERNEL);
    LLVMAddTargetDependentFunctionAttr(e->cx.function, "nvvm.reqntid",
                                       arena_format(e->arena, "%u,1,1", 1u << e->threads.bits));
    e->cx.entry_block = code_block(&e->cx, "allocas");
    e->exit_block = code_block(&e->cx, "exit");
    LLVMPositionBuilderAtEnd(e->cx.builder, e->cx.entry_block);
    LLVMTypeRef byte = code_integer_type(&e->cx, 8);
    e->launch = variable(e, GPU_LAUNCH_NAME, LLVMArrayType2(byte, sizeof(GpuLaunch)), EMIT_GLOBAL);
    e->threads.shared = variable(e, SHARED_NAME, LLVMArrayType2(byte, 0), EMIT_SHARED);
    e->threads.index = LLVMBuildZExt(e->cx.builder, special(e, MACHINE_THREAD), code_integer_type(&e->cx, 64), "");
    for (unsigned axis = 0; axis < 3; axis++) e->block_id[axis] = special(e, MACHINE_BLOCK_X + axis);
    e->fault = code_alloca(&e->cx, LLVMArrayType2(code_integer_type(&e->cx, 64), sizeof(HostFault) / 8), "fault");
    e->scratch = code_alloca(&e->cx, LLVMPointerTypeInContext(e->cx.context, 0), "scratch");
}

static void gpu_close_kernel(Emit *e, LLVMBasicBlockRef first) {
    KernelInfo *kernel = e->kernel;
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef slot = NULL;
    LLVMPositionBuilderAtEnd(builder, e->cx.entry_block);
    if (kernel->scratch_bytes) {
        if (!e->scratch_bytes.shared) e->scratch_bytes.shared = 8;
        slot = take_slot(e);
        LLVMValueRef start = LLVMBuildMul(builder, slot, code_i64(&e->cx, (int64_t)kernel->scratch_bytes), "");
        start = LLVMBuildAdd(builder, gpu_launch_field(e, offsetof(GpuLaunch, scratch)), start, "");
        LLVMBuildStore(builder, LLVMBuildIntToPtr(builder, start, LLVMPointerTypeInContext(e->cx.context, 0), ""),
                       e->scratch);
    }
    LLVMBuildBr(builder, first);
    LLVMPositionBuilderAtEnd(builder, e->exit_block);
    if (slot) give_slot_back(e, slot);
    LLVMBuildRetVoid(builder);
    kernel->threads = 1u << e->threads.bits;
    kernel->shared_bytes = e->scratch_bytes.shared;
}

static void gpu_end_block(Emit *e) {
    LLVMBuildBr(e->cx.builder, e->exit_block);
}

static LLVMValueRef gpu_scratch(Emit *e) {
    return LLVMBuildLoad2(e->cx.builder, LLVMPointerTypeInContext(e->cx.context, 0), e->scratch, "");
}

const EmitTarget emit_on_gpu = {
    .open_kernel = gpu_open_kernel,
    .close_kernel = gpu_close_kernel,
    .launch_offset = gpu_launch_offset,
    .grid = gpu_grid,
    .raw_parameter = gpu_raw_parameter,
    .end_block = gpu_end_block,
    .end_with_fault = gpu_end_with_fault,
    .next_iteration = gpu_next_iteration,
    .scratch = gpu_scratch,
    .print = emit_print_on_gpu,
    .knows_buffers = false,
    .ends_failed_blocks = true,
    .buffer_space = EMIT_GLOBAL,
    .pointer_lanes_bits = 0,
};
