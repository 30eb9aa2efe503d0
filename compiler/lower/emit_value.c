// SPDX-License-Identifier: Apache-2.0
// Types of elements, scalars, checks and counted loops: the small pieces of LLVM that every other file here uses.
#include "compiler/lower/kernel.h"

#include <assert.h>
#include <string.h>

bool emit_fail(Emit *e, ErrorCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = arena_vformat(e->arena, format, args);
    va_end(args);
    return diag_fail(e->cx.diagnostics, e->cx.at, code, "'%s': %s", e->cx.op_name, text);
}

static EmitPlace go_to(Emit *e, EmitPlace place) {
    EmitPlace outer = {e->cx.at, e->cx.op_name, e->place};
    e->cx.at = place.at;
    e->cx.op_name = place.op_name;
    e->place = place.number;
    llvm_now(place.op_name, place.at);
    debug_at(e->debug, e->cx.builder,
             e->options->simt ? (Location){.file = EMIT_PLACES, .line = place.number} : place.at);
    return outer;
}

EmitPlace emit_enter(Emit *e, const TirOp *op) {
    EmitPlace place = {op->at, tir_op_name(op), e->first_place + op->number};
    if (e->places) e->places[op->number] = (KernelPlace){.op = place.op_name, .at = place.at};
    return go_to(e, place);
}
void emit_leave(Emit *e, EmitPlace outer) {
    go_to(e, outer);
}

EmitElement emit_element(const Emit *e, TirType tile) {
    TirTypeKind kind = tir_tile_element_kind(e->module, tile);
    EmitElement element = {.parts = 1, .format = tir_float_format(kind)};
    if (kind == TIR_TYPE_ptr) {
        TirType pointer = tir_type(e->module, tile)->element;
        TirTypeKind pointee = tir_type(e->module, tir_type(e->module, pointer)->element)->kind;
        element.is_pointer = true;
        if (e->marks_integers && e->cx.poison) element.parts = e->cx.numeric->integer_parts;
        element.points_to_halves = tir_type_rows[pointee].bits == 4;
        element.bits = 64;
    } else if (element.format != FPSAN_FORMAT_COUNT) {
        element.is_float = true;
        element.parts = e->cx.numeric->part_count;
    } else {
        element.bits = tir_type_rows[kind].bits;
        if (element.bits == 1 || e->marks_integers) element.parts = e->cx.numeric->integer_parts;
    }
    return element;
}

LLVMTypeRef emit_mark_type(const Emit *e) {
    return code_integer_type(&e->cx, numeric_mark_bits(&e->cx));
}

LLVMTypeRef emit_register_type(const Emit *e, EmitElement element, unsigned part) {
    if (element.is_float) return e->cx.numeric->part_type(&e->cx, element.format, part);
    return part ? emit_mark_type(e) : code_integer_type(&e->cx, element.bits);
}

LLVMTypeRef emit_memory_type(const Emit *e, EmitElement element, unsigned part) {
    if (!element.is_float && !part && element.bits < 8) return code_integer_type(&e->cx, 8);
    return emit_register_type(e, element, part);
}

unsigned emit_storage_bytes(EmitElement element) {
    unsigned bits = element.is_float ? fpsan_format_info(element.format)->storage_bits : element.bits;
    return bits < 8 ? 1 : bits / 8;
}

TirType emit_type_of(const Emit *e, TirValue value) {
    return tir_value_type(e->function, value);
}
unsigned emit_tile_bits(const Emit *e, TirType tile) {
    return map_log2(tir_tile_elements(e->module, tile));
}

bool emit_is_scalar(const Emit *e, TirValue value) {
    TirType type = emit_type_of(e, value);
    return tir_type(e->module, type)->kind == TIR_TYPE_tile && tir_tile_elements(e->module, type) == 1;
}

EmitVal *emit_val(Emit *e, TirValue value) {
    assert(value < e->function->value_count);
    return &e->values[value];
}

NumericValue emit_unmarked(const Emit *e, EmitElement element, LLVMValueRef integer) {
    NumericValue value = {.parts = {integer}};
    if (element.parts > 1) value.parts[1] = LLVMConstNull(vector_type_like(emit_register_type(e, element, 1), integer));
    return value;
}

void emit_bind_scalar(Emit *e, TirValue value, LLVMValueRef scalar) {
    EmitElement element = emit_element(e, emit_type_of(e, value));
    *emit_val(e, value) = (EmitVal){.kind = EMIT_SCALAR, .value = emit_unmarked(e, element, scalar), .origin = -1};
}

LLVMValueRef emit_pointer_from_address(Emit *e, EmitElement pointer, LLVMValueRef address) {
    if (!pointer.points_to_halves) return address;
    return LLVMBuildShl(e->cx.builder, address, vector_integer_like(address, 64, 1), "");
}

LLVMValueRef emit_address_of_pointer(Emit *e, EmitElement pointer, LLVMValueRef value) {
    if (!pointer.points_to_halves) return value;
    return LLVMBuildAShr(e->cx.builder, value, vector_integer_like(value, 64, 1), "");
}

void emit_bind_address(Emit *e, TirValue value, LLVMValueRef address, int origin) {
    EmitElement element = emit_element(e, emit_type_of(e, value));
    emit_bind_scalar(e, value, emit_pointer_from_address(e, element, address));
    emit_val(e, value)->origin = origin;
}

LLVMValueRef emit_scalar(Emit *e, TirValue value) {
    assert(emit_val(e, value)->kind == EMIT_SCALAR);
    emit_note_use(e, emit_val(e, value)->value.parts[1], NULL,
                  "what it does depends on an unspecified integer or condition");
    return emit_val(e, value)->value.parts[0];
}

LLVMValueRef emit_scalar_i64(Emit *e, TirValue value, bool is_signed) {
    LLVMValueRef scalar = emit_scalar(e, value);
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    if (LLVMTypeOf(scalar) == i64) return scalar;
    return is_signed ? LLVMBuildSExt(e->cx.builder, scalar, i64, "") : LLVMBuildZExt(e->cx.builder, scalar, i64, "");
}

// The number of a new site: 1 and up.
static LLVMValueRef add_site(Emit *e, HostSiteKind kind, const char *message) {
    uint32_t *count = &e->kernel->site_count;
    e->kernel->sites = e->sites = arena_grow(e->arena, e->sites, *count, &e->site_capacity, sizeof *e->sites);
    e->sites[(*count)++] = (KernelSite){.kind = kind, .op = e->cx.op_name, .message = message, .at = e->cx.at};
    return code_i32(&e->cx, (int32_t)*count);
}

// Goes on where the check was good, else to the block.
static void branch_on_check(Emit *e, LLVMValueRef good, LLVMBasicBlockRef failed) {
    LLVMBasicBlockRef next = code_block(&e->cx, "checked");
    LLVMBuildCondBr(e->cx.builder, good, next, failed);
    LLVMPositionBuilderAtEnd(e->cx.builder, next);
}

void emit_check(Emit *e, LLVMValueRef good, const EmitFault *fault) {
    if (LLVMIsConstant(good) && LLVMIsAConstantInt(good) && LLVMConstIntGetZExtValue(good)) return;
    const LLVMValueRef values[] = {fault->address, fault->found, fault->limit};
    LLVMValueRef incoming[4] = {add_site(e, fault->kind, fault->message)};
    for (int i = 0; i < 3; i++) incoming[1 + i] = values[i] ? values[i] : code_i64(&e->cx, 0);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->cx.builder);
    for (int i = 0; i < 4; i++) LLVMAddIncoming(e->faults.phi[i], &incoming[i], &here, 1);
    branch_on_check(e, good, e->faults.block);
}

void emit_check_stored(Emit *e, LLVMValueRef good, HostSiteKind kind, const char *message) {
    LLVMValueRef site = add_site(e, kind, message);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->cx.builder);
    LLVMAddIncoming(e->faults.stored_phi, &site, &here, 1);
    branch_on_check(e, good, e->faults.stored_block);
}

void emit_store_fault(Emit *e, LLVMValueRef fault, const LLVMValueRef *values) {
    for (int i = 0; i < 3; i++)
        code_store(&e->cx, values[i],
                   code_pointer_at(&e->cx, code_integer_type(&e->cx, 64), fault, code_i64(&e->cx, i)), 8);
}
