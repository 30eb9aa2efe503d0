// SPDX-License-Identifier: Apache-2.0
// Types of elements, scalars, checks and counted loops: the small pieces of LLVM that every other file here uses.
#include "compiler/lower/emit.h"

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
    debug_at(e->debug, e->cx.builder, e->places ? (Location){.file = EMIT_PLACES, .line = place.number} : place.at);
    return outer;
}

EmitPlace emit_enter(Emit *e, const TirOp *op) {
    EmitPlace place = {op->at, tir_op_info(op->kind)->name, e->first_place + op->number};
    if (e->places) e->places[op->number] = (KernelPlace){place.op_name, place.at};
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
        if (e->marks_integers && e->poison) element.parts = e->cx.numeric->integer_parts;
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

LLVMTypeRef emit_integer_type(const Emit *e, unsigned bits) {
    return LLVMIntTypeInContext(e->cx.context, bits);
}

LLVMTypeRef emit_mark_type(const Emit *e) {
    return emit_integer_type(e, numeric_mark_bits(&e->cx));
}

LLVMTypeRef emit_register_type(const Emit *e, EmitElement element, unsigned part) {
    if (element.is_float) return e->cx.numeric->part_type(&e->cx, element.format, part);
    return part ? emit_mark_type(e) : emit_integer_type(e, element.bits);
}

LLVMTypeRef emit_memory_type(const Emit *e, EmitElement element, unsigned part) {
    if (!element.is_float && !part && element.bits < 8) return emit_integer_type(e, 8);
    return emit_register_type(e, element, part);
}

unsigned emit_storage_bytes(EmitElement element) {
    unsigned bits = element.is_float ? fpsan_format_info(element.format)->storage_bits : element.bits;
    return bits < 8 ? 1 : bits / 8;
}

LLVMValueRef emit_i64(const Emit *e, int64_t value) {
    return LLVMConstInt(emit_integer_type(e, 64), (uint64_t)value, true);
}
LLVMValueRef emit_i32(const Emit *e, int32_t value) {
    return LLVMConstInt(emit_integer_type(e, 32), (uint64_t)(int64_t)value, true);
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
    LLVMTypeRef i64 = emit_integer_type(e, 64);
    if (LLVMTypeOf(scalar) == i64) return scalar;
    return is_signed ? LLVMBuildSExt(e->cx.builder, scalar, i64, "") : LLVMBuildZExt(e->cx.builder, scalar, i64, "");
}

LLVMValueRef emit_alloca(Emit *e, LLVMTypeRef type, const char *name) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->cx.builder);
    LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(e->cx.builder); // which another position changes
    LLVMValueRef first = LLVMGetFirstInstruction(e->entry_block);
    if (first)
        LLVMPositionBuilderBefore(e->cx.builder, first);
    else
        LLVMPositionBuilderAtEnd(e->cx.builder, e->entry_block);
    LLVMValueRef slot = LLVMBuildAlloca(e->cx.builder, type, name);
    LLVMPositionBuilderAtEnd(e->cx.builder, here);
    LLVMSetCurrentDebugLocation2(e->cx.builder, line);
    return slot;
}

LLVMBasicBlockRef emit_block(Emit *e, const char *name) {
    return LLVMAppendBasicBlockInContext(e->cx.context, e->kernel, name);
}

LLVMValueRef emit_pointer_at(Emit *e, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef index) {
    return LLVMBuildInBoundsGEP2(e->cx.builder, element, base, &index, 1, "");
}

LLVMValueRef emit_lanes(Emit *e, LLVMValueRef vector, unsigned first, unsigned count) {
    enum { LANES_MAX = 64 };
    LLVMValueRef order[LANES_MAX];
    assert(count <= LANES_MAX);
    if (!vector_lanes(vector)) return vector;
    if (count == 1) return LLVMBuildExtractElement(e->cx.builder, vector, emit_i32(e, (int32_t)first), "");
    for (unsigned i = 0; i < count; i++) order[i] = emit_i32(e, (int32_t)(first + i));
    LLVMValueRef all = LLVMConstVector(order, count);
    return LLVMBuildShuffleVector(e->cx.builder, vector, LLVMGetUndef(LLVMTypeOf(vector)), all, "");
}

LLVMValueRef emit_load(Emit *e, LLVMTypeRef type, LLVMValueRef pointer, unsigned align) {
    LLVMValueRef load = LLVMBuildLoad2(e->cx.builder, type, pointer, "");
    LLVMSetAlignment(load, align);
    return load;
}

void emit_store(Emit *e, LLVMValueRef value, LLVMValueRef pointer, unsigned align) {
    LLVMSetAlignment(LLVMBuildStore(e->cx.builder, value, pointer), align);
}

// The number of a new site: 1 and up.
static LLVMValueRef add_site(Emit *e, HostSiteKind kind, const char *message) {
    e->sites = arena_grow(e->arena, e->sites, e->site_count, &e->site_capacity, sizeof *e->sites);
    e->sites[e->site_count++] = (KernelSite){.kind = kind, .op = e->cx.op_name, .message = message, .at = e->cx.at};
    return emit_i32(e, (int32_t)e->site_count);
}

// Goes on where the check was good, else to the block.
static void branch_on_check(Emit *e, LLVMValueRef good, LLVMBasicBlockRef failed) {
    LLVMBasicBlockRef next = emit_block(e, "checked");
    LLVMBuildCondBr(e->cx.builder, good, next, failed);
    LLVMPositionBuilderAtEnd(e->cx.builder, next);
}

void emit_check(Emit *e, LLVMValueRef good, HostSiteKind kind, const char *message, LLVMValueRef address,
                LLVMValueRef found, LLVMValueRef limit) {
    if (LLVMIsConstant(good) && LLVMIsAConstantInt(good) && LLVMConstIntGetZExtValue(good)) return;
    LLVMValueRef zero = emit_i64(e, 0);
    LLVMValueRef incoming[4] = {add_site(e, kind, message), address ? address : zero, found ? found : zero,
                                limit ? limit : zero};
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->cx.builder);
    for (int i = 0; i < 4; i++) LLVMAddIncoming(e->fail_phi[i], &incoming[i], &here, 1);
    branch_on_check(e, good, e->fail_block);
}

void emit_check_told(Emit *e, LLVMValueRef good, HostSiteKind kind, const char *message) {
    LLVMValueRef site = add_site(e, kind, message);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->cx.builder);
    LLVMAddIncoming(e->told_phi, &site, &here, 1);
    branch_on_check(e, good, e->told_block);
}

void emit_store_fault(Emit *e, LLVMValueRef fault, const LLVMValueRef *values) {
    for (int i = 0; i < 3; i++)
        emit_store(e, values[i], emit_pointer_at(e, emit_integer_type(e, 64), fault, emit_i64(e, i)), 8);
}

EmitCount emit_count_open(Emit *e, LLVMValueRef count) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder);
    EmitCount loop = {.body = emit_block(e, "loop"), .count = count};
    LLVMBuildBr(builder, loop.body);
    LLVMPositionBuilderAtEnd(builder, loop.body);
    loop.index = LLVMBuildPhi(builder, emit_integer_type(e, 64), "i");
    LLVMValueRef zero = emit_i64(e, 0);
    LLVMAddIncoming(loop.index, &zero, &before, 1);
    return loop;
}

void emit_count_close(Emit *e, const EmitCount *loop) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef next = LLVMBuildNUWAdd(builder, loop->index, emit_i64(e, 1), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(builder), after = emit_block(e, "done");
    LLVMAddIncoming(loop->index, &next, &latch, 1);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULT, next, loop->count, ""), loop->body, after);
    LLVMPositionBuilderAtEnd(builder, after);
}

EmitGuard emit_guard_open(Emit *e, LLVMValueRef condition) {
    EmitGuard guard = {LLVMGetInsertBlock(e->cx.builder), emit_block(e, "guard.join")};
    LLVMBasicBlockRef inside = emit_block(e, "guarded");
    LLVMBuildCondBr(e->cx.builder, condition, inside, guard.join);
    LLVMPositionBuilderAtEnd(e->cx.builder, inside);
    return guard;
}

void emit_guard_close(Emit *e, const EmitGuard *guard, unsigned count, LLVMValueRef *values) {
    LLVMBasicBlockRef from[2] = {guard->before, LLVMGetInsertBlock(e->cx.builder)};
    LLVMBuildBr(e->cx.builder, guard->join);
    LLVMPositionBuilderAtEnd(e->cx.builder, guard->join);
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef type = LLVMTypeOf(values[i]);
        LLVMValueRef phi = LLVMBuildPhi(e->cx.builder, type, "");
        LLVMAddIncoming(phi, (LLVMValueRef[]){LLVMConstNull(type), values[i]}, from, 2);
        values[i] = phi;
    }
}
