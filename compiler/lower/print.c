// SPDX-License-Identifier: Apache-2.0
// print_tko: the tiles that are printed become arrays of what a reader sees, which a function of the launch formats.
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

#include <assert.h>
#include <stddef.h>

// What the elements of a tile are printed as.
typedef struct Printed {
    EmitElement element;
    HostPrintKind kind;
    unsigned bits;
} Printed;

static Printed print_printed(const Emit *e, TirType tile) {
    Printed printed = {.element = emit_element(e, tile)};
    if (!printed.element.is_float) {
        printed.kind = printed.element.is_pointer ? HOST_PRINT_POINTER : HOST_PRINT_INTEGER;
        printed.bits = printed.element.bits;
    } else if (e->cx.numeric->prints_payloads) {
        printed.kind = HOST_PRINT_PAYLOAD;
        const FpsanFormatInfo *info = fpsan_format_info(printed.element.format);
        printed.bits = info->storage_bits < 8 ? info->storage_bits : info->lane_bits;
    } else {
        printed.kind = HOST_PRINT_FLOAT;
        printed.bits = printed.element.format == FPSAN_F64 ? 64 : 32;
    }
    return printed;
}

static LLVMTypeRef print_lane_type(const Emit *e, const Printed *printed) {
    return code_integer_type(&e->cx, printed->bits < 8 ? 8 : printed->bits);
}

// Every format but f64 is exact in f32.
static LLVMValueRef print_lanes(Emit *e, const void *data, const NumericValue *lanes) {
    const Printed *printed = data;
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef part = lanes->parts[0];
    if (printed->kind == HOST_PRINT_FLOAT) {
        const NumericContext *cx = &e->cx;
        NumericValue wide = *lanes;
        FpsanFormat to = printed->bits == 64 ? FPSAN_F64 : FPSAN_F32;
        const FloatOp widening = float_conversion(printed->element.format, to);
        if (printed->element.format != to) cx->numeric->convert(cx, &widening, lanes, &wide);
        part = cx->numeric->to_bits(cx, to, &wide);
    }
    if (printed->kind == HOST_PRINT_POINTER) part = emit_address_of_pointer(e, printed->element, part);
    LLVMTypeRef type = vector_type_like(print_lane_type(e, printed), part);
    return LLVMTypeOf(part) == type ? part : LLVMBuildZExt(builder, part, type, "");
}

// A constant in memory of its own.
static LLVMValueRef constant_memory(Emit *e, LLVMValueRef value) {
    LLVMValueRef global = LLVMAddGlobal(e->cx.module, LLVMTypeOf(value), "congruent.print");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetAlignment(global, 8);
    return global;
}

static LLVMValueRef shape_of(Emit *e, const TirTypeInfo *tile) {
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef sizes[TIR_RANK_MAX];
    if (!tile->rank) return LLVMConstNull(LLVMPointerTypeInContext(e->cx.context, 0));
    for (uint32_t d = 0; d < tile->rank; d++) sizes[d] = code_i64(&e->cx, tile->shape[d]);
    return constant_memory(e, LLVMConstArray2(i64, sizes, tile->rank));
}

static void store_field(Emit *e, LLVMValueRef base, size_t offset, LLVMValueRef value) {
    LLVMValueRef at = code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), base, code_i64(&e->cx, (int64_t)offset));
    code_store(&e->cx, value, at, 4);
}

// Fills the HostPrintValue at `base`.
static bool describe_value(Emit *e, TirValue value, LLVMValueRef base) {
    TirType type = emit_type_of(e, value);
    Printed printed = print_printed(e, type);
    LLVMTypeRef lane = print_lane_type(e, &printed);
    unsigned bits = emit_tile_bits(e, type);
    LLVMValueRef elements = emit_scratch(e, (size_t)code_type_bits(lane) / 8 << bits);
    if (!elements) return false;
    EmitSource source = {.values = {value}, .maps = {map_identity(bits)}};
    EmitPacked packed = {.type = lane, .base = elements, .convert = print_lanes, .data = &printed};
    if (!emit_pack(e, &source, &packed, 1)) return false;
    store_field(e, base, offsetof(HostPrintValue, kind), code_i32(&e->cx, printed.kind));
    store_field(e, base, offsetof(HostPrintValue, bits), code_i32(&e->cx, (int32_t)printed.bits));
    store_field(e, base, offsetof(HostPrintValue, rank), code_i32(&e->cx, (int32_t)tir_type(e->module, type)->rank));
    store_field(e, base, offsetof(HostPrintValue, shape), shape_of(e, tir_type(e->module, type)));
    store_field(e, base, offsetof(HostPrintValue, elements), elements);
    return true;
}

static void call_print(Emit *e, LLVMValueRef function, LLVMValueRef print) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), i32 = code_integer_type(&e->cx, 32);
    LLVMTypeRef parameters[] = {pointer, i32, i32, i32, pointer};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), parameters, BASE_COUNT(parameters), false);
    LLVMValueRef arguments[] = {e->launch, e->block_id[0], e->block_id[1], e->block_id[2], print};
    LLVMBuildCall2(e->cx.builder, type, function, arguments, BASE_COUNT(arguments), "");
}

bool emit_print_on_host(Emit *e, const TirOp *op) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), i8 = code_integer_type(&e->cx, 8);
    const TirAttribute *text = tir_attribute(op, "str");
    const TirValue *values;
    uint32_t count = tir_operands(op, "args", &values);
    EmitScratch mark = e->scratch_top;
    LLVMValueRef function = emit_launch_field(e, offsetof(HostLaunch, print), pointer);
    CodeGuard guard = code_guard_open(&e->cx, LLVMBuildIsNotNull(e->cx.builder, function, ""));
    LLVMValueRef array = emit_scratch(e, count * sizeof(HostPrintValue) + sizeof(HostPrint));
    if (!array) return false;
    LLVMValueRef print =
        code_pointer_at(&e->cx, i8, array, code_i64(&e->cx, (int64_t)(count * sizeof(HostPrintValue))));
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef at = code_pointer_at(&e->cx, i8, array, code_i64(&e->cx, (int64_t)(i * sizeof(HostPrintValue))));
        if (!describe_value(e, values[i], at)) return false;
    }
    LLVMValueRef format = LLVMConstStringInContext2(e->cx.context, text->text, text->length, true);
    store_field(e, print, offsetof(HostPrint, format), constant_memory(e, format));
    store_field(e, print, offsetof(HostPrint, length), code_i64(&e->cx, (int64_t)text->length));
    store_field(e, print, offsetof(HostPrint, values), array);
    store_field(e, print, offsetof(HostPrint, value_count), code_i64(&e->cx, count));
    call_print(e, function, print);
    code_guard_close(&e->cx, &guard, 0, NULL);
    e->scratch_top = mark;
    return true;
}

// ---- GPUs: the block takes room for a record in memory of the launch, and its threads write the elements there; who
// launched the kernel formats them

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
    const uint32_t number = e->kernel->print_form_count++;
    e->kernel->print_forms = e->print_forms =
        arena_grow(e->arena, e->print_forms, number, &e->print_form_capacity, sizeof *e->print_forms);
    e->print_forms[number] =
        (HostPrint){.format = text->text, .length = text->length, .values = values, .value_count = count};
    return number;
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

// The same for all threads, which go through a barrier. Any thread of a block that failed may have ended before: those
// left must not believe what stands in shared memory then.
static LLVMValueRef open_record(Emit *e, LLVMValueRef prints, size_t size, LLVMValueRef *writes) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef cell = emit_scratch(e, sizeof(uint64_t));
    if (!cell) return NULL;
    emit_assume_hazards(e);
    emit_barrier(e, 0, EMIT_TILES);
    CodeGuard first = emit_first_thread_open(e);
    CodeGuard good = code_guard_open(&e->cx, LLVMBuildNot(builder, gpu_has_failed(e), ""));
    LLVMValueRef address = take_room(e, prints, size);
    code_guard_close(&e->cx, &good, 1, &address);
    code_store(&e->cx, address, cell, 8);
    emit_first_thread_close(e, &first);
    emit_barrier(e, EMIT_TILES, 0);
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
    emit_assume_hazards(e);
    emit_barrier(e, EMIT_TILES, 0);
    CodeGuard first = emit_first_thread_open(e);
    LLVMValueRef good = LLVMBuildAnd(builder, writes, LLVMBuildNot(builder, gpu_has_failed(e), ""), "");
    CodeGuard guard = code_guard_open(&e->cx, good);
    store_word(e, record, offsetof(GpuPrintRecord, form), code_i64(&e->cx, (int64_t)form + 1));
    code_guard_close(&e->cx, &guard, 0, NULL);
    emit_first_thread_close(e, &first);
    emit_assume_hazards(e);
}

// What has to become memory for it does so here, whether or not anybody prints.
static bool prepare_value(Emit *e, const PrintedValue *value) {
    Nest nest;
    TileMap map = map_identity(value->bits);
    nest_init(&nest, value->bits);
    return nest_need(e, &nest, value->value, &map);
}

bool emit_print_on_gpu(Emit *e, const TirOp *op) {
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

// ---- the op ---------------------------------------------------------------------------------------------------------

bool lower_print(Emit *e, const TirOp *op) {
    e->kernel->prints = true;
    for (uint32_t i = 0; i < op->result_count; i++) *emit_val(e, tir_result(op, i)) = (EmitVal){.kind = EMIT_NONE};
    return e->target->print(e, op);
}
