// SPDX-License-Identifier: Apache-2.0
// print_tko on GPUs: the block takes room for a record in memory of the launch, and its threads write the elements
// there; who launched the kernel formats them.
#include "compiler/lower/entry_internal.h"
#include "compiler/lower/print_internal.h"

#include <assert.h>
#include <stddef.h>

static size_t aligned(size_t bytes) {
    return (bytes + GPU_PRINT_ALIGNMENT - 1) / GPU_PRINT_ALIGNMENT * GPU_PRINT_ALIGNMENT;
}

// A value as it lies in records.
typedef struct PrintedValue {
    TirValue value;
    Printed printed;
    LLVMTypeRef lane;
    unsigned bits; // of the tile
    size_t at;     // in the record
} PrintedValue;

// Where the values of the op lie; returns the size of its record.
static size_t place_values(Emit *e, const TirValue *values, uint32_t count, PrintedValue *placed) {
    size_t at = aligned(sizeof(GpuPrintRecord));
    for (uint32_t i = 0; i < count; i++) {
        TirType type = emit_type_of(e, values[i]);
        placed[i] = (PrintedValue){
            .value = values[i], .printed = print_printed(e, type), .bits = emit_tile_bits(e, type), .at = at};
        placed[i].lane = print_lane_type(e, &placed[i].printed);
        at += aligned((size_t)code_type_bits(placed[i].lane) / 8 << placed[i].bits);
    }
    return at;
}

// The number of a new form.
static uint64_t add_form(Emit *e, const TirOp *op, const PrintedValue *placed, uint32_t count) {
    const TirAttribute *text = tir_attribute(op, "str");
    HostPrintValue *values = arena_array(e->arena, HostPrintValue, count + 1u);
    for (uint32_t i = 0; i < count; i++) {
        const TirTypeInfo *tile = tir_type(e->module, emit_type_of(e, placed[i].value));
        values[i] = (HostPrintValue){
            .kind = placed[i].printed.kind, .bits = placed[i].printed.bits, .rank = tile->rank, .shape = tile->shape};
    }
    e->print_forms =
        arena_grow(e->arena, e->print_forms, e->print_form_count, &e->print_form_capacity, sizeof *e->print_forms);
    e->print_forms[e->print_form_count] =
        (HostPrint){.format = text->text, .length = text->length, .values = values, .value_count = count};
    return e->print_form_count++;
}

static void store_word(Emit *e, LLVMValueRef record, size_t offset, LLVMValueRef value) {
    code_store(&e->cx, value, gpu_field_pointer(e, record, offset), 8);
}

static LLVMValueRef pointer_of(Emit *e, LLVMValueRef address) {
    return LLVMBuildIntToPtr(e->cx.builder, address, LLVMPointerTypeInContext(e->cx.context, 0), "");
}

// The address of a new record, 0 if there is no room. Code of one thread.
static LLVMValueRef take_room(Emit *e, LLVMValueRef prints, size_t size) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef head = pointer_of(e, prints), bytes = code_i64(&e->cx, (int64_t)size);
    LLVMValueRef used =
        LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpAdd, gpu_field_pointer(e, head, offsetof(GpuPrints, used)), bytes,
                           LLVMAtomicOrderingMonotonic, false);
    LLVMValueRef room = code_load(&e->cx, i64, gpu_field_pointer(e, head, offsetof(GpuPrints, size)), 8);
    LLVMValueRef end = LLVMBuildAdd(builder, used, bytes, "");
    CodeGuard guard = code_guard_open(&e->cx, LLVMBuildICmp(builder, LLVMIntULE, end, room, ""));
    LLVMValueRef address = LLVMBuildAdd(builder, prints, code_i64(&e->cx, GPU_PRINT_ALIGNMENT), "");
    address = LLVMBuildAdd(builder, address, used, "");
    LLVMValueRef record = pointer_of(e, address);
    store_word(e, record, offsetof(GpuPrintRecord, block), gpu_linear_id(e));
    store_word(e, record, offsetof(GpuPrintRecord, size), bytes);
    code_guard_close(&e->cx, &guard, 1, &address);
    return address;
}

// The same for all threads, which meet. A thread of a block that failed may have gone before, the first one, too: those
// left must not believe what stands in shared memory then.
static LLVMValueRef open_record(Emit *e, LLVMValueRef prints, size_t size, LLVMValueRef *writes) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef cell = emit_scratch(e, sizeof(uint64_t));
    if (!cell) return NULL;
    emit_forget_order(e);
    emit_order(e, 0, EMIT_TILES);
    CodeGuard first = emit_first_thread_open(e);
    CodeGuard good = code_guard_open(&e->cx, LLVMBuildNot(builder, gpu_has_failed(e), ""));
    LLVMValueRef address = take_room(e, prints, size);
    code_guard_close(&e->cx, &good, 1, &address);
    code_store(&e->cx, address, cell, 8);
    emit_first_thread_close(e, &first);
    emit_order(e, EMIT_TILES, 0);
    address = code_load(&e->cx, code_integer_type(&e->cx, 64), cell, 8);
    LLVMValueRef lost = LLVMBuildOr(builder, LLVMBuildIsNull(builder, address, ""), gpu_has_failed(e), "");
    *writes = LLVMBuildNot(builder, lost, "");
    return pointer_of(e, address);
}

// All threads come through the nest, as it may have barriers; those write that may.
static bool write_value(Emit *e, const PrintedValue *value, LLVMValueRef record, LLVMValueRef writes) {
    Nest nest;
    NumericValue lanes;
    TileMap map = map_identity(value->bits);
    nest_init(&nest, value->bits);
    if (!nest_need(e, &nest, value->value, &map)) return false;
    nest_need_memory(&nest, code_type_bits(value->lane), &map);
    nest_touch(&nest, 0, EMIT_BUFFERS);
    nest_open(e, &nest, nest.bits);
    if (!nest_eval(e, &nest, value->value, &map, &lanes)) return false;
    LLVMValueRef elements = print_lanes(e, &value->printed, &lanes);
    CodeGuard guard = code_guard_open(&e->cx, writes);
    nest_store(e, &nest, value->lane, gpu_field_pointer(e, record, value->at), &map, elements);
    code_guard_close(&e->cx, &guard, 0, NULL);
    nest_close(e, &nest);
    return true;
}

// All elements are there, unless a thread failed on its way to them.
static void close_record(Emit *e, LLVMValueRef record, LLVMValueRef writes, uint64_t form) {
    LLVMBuilderRef builder = e->cx.builder;
    emit_forget_order(e);
    emit_order(e, EMIT_TILES, 0);
    CodeGuard first = emit_first_thread_open(e);
    LLVMValueRef good = LLVMBuildAnd(builder, writes, LLVMBuildNot(builder, gpu_has_failed(e), ""), "");
    CodeGuard guard = code_guard_open(&e->cx, good);
    store_word(e, record, offsetof(GpuPrintRecord, form), code_i64(&e->cx, (int64_t)form + 1));
    code_guard_close(&e->cx, &guard, 0, NULL);
    emit_first_thread_close(e, &first);
    emit_forget_order(e);
}

// What has to become memory for it does so here, whether or not anybody prints.
static bool prepare_value(Emit *e, const PrintedValue *value) {
    Nest nest;
    TileMap map = map_identity(value->bits);
    nest_init(&nest, value->bits);
    return nest_need(e, &nest, value->value, &map);
}

bool print_on_gpu(Emit *e, const TirOp *op) {
    assert(!e->threads.alone); // bodies of reductions have no side effects
    const TirValue *values;
    uint32_t count = tir_operands(op, "args", &values);
    PrintedValue *placed = arena_array(e->arena, PrintedValue, count + 1u);
    const size_t size = place_values(e, values, count, placed);
    const uint64_t form = add_form(e, op, placed, count);
    for (uint32_t i = 0; i < count; i++)
        if (!prepare_value(e, &placed[i])) return false;
    EmitScratch mark = e->scratch_top;
    LLVMValueRef prints = gpu_launch_field(e, offsetof(GpuLaunch, prints)), writes;
    CodeGuard guard = code_guard_open(&e->cx, LLVMBuildICmp(e->cx.builder, LLVMIntNE, prints, code_i64(&e->cx, 0), ""));
    LLVMValueRef record = open_record(e, prints, size, &writes);
    if (!record) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!write_value(e, &placed[i], record, writes)) return false;
    close_record(e, record, writes, form);
    code_guard_close(&e->cx, &guard, 0, NULL);
    e->scratch_top = mark;
    return true;
}
