// SPDX-License-Identifier: Apache-2.0
// print_tko: the tiles that are printed become arrays of what a reader sees, which a function of the launch formats.
#include "compiler/lower/print_internal.h"

#include <stddef.h>

Printed print_printed(const Emit *e, TirType tile) {
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

LLVMTypeRef print_lane_type(const Emit *e, const Printed *printed) {
    return code_integer_type(&e->cx, printed->bits < 8 ? 8 : printed->bits);
}

// Every format but f64 is exact in f32.
LLVMValueRef print_lanes(Emit *e, const void *data, const NumericValue *lanes) {
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

static bool print_on_host(Emit *e, const TirOp *op) {
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

bool lower_print(Emit *e, const TirOp *op) {
    e->prints = true;
    for (uint32_t i = 0; i < op->result_count; i++) *emit_val(e, tir_result(op, i)) = (EmitVal){.kind = EMIT_NONE};
    return emit_is_gpu(e) ? print_on_gpu(e, op) : print_on_host(e, op);
}
