// SPDX-License-Identifier: Apache-2.0
// Constants, and what moves elements by more than an index map: cat, extract and insert.
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

enum { CONSTANT_ELEMENTS_MAX = 1 << 20 }; // LLVM takes some hundred bytes for each that is not a splat

// ---- constant
// -----------------------------------------------------------------------------------------------------------------------

// The scalar parts of one element. tf32 constants are 19 bits, carried in the upper bits of an f32.
static NumericValue element_parts(Emit *e, EmitElement element, uint64_t bits) {
    if (element.is_float)
        return e->cx.numeric->constant(&e->cx, element.format, element.format == FPSAN_TF32 ? bits << 13 : bits);
    return emit_unmarked(e, element, LLVMConstInt(code_integer_type(&e->cx, element.bits), bits, false));
}

bool emit_constant_splat(Emit *e, const TirOp *op, NumericValue *value) {
    TirType type = emit_type_of(e, tir_result(op, 0));
    const TirConstant *constant = &tir_attribute(op, "value")->constant;
    if (!tir_constant_is_splat(e->module, type, constant)) return false;
    *value = element_parts(e, emit_element(e, type), tir_constant_bits(e->module, type, constant, 0));
    return true;
}

// A constant array per part.
static void constant_tile(Emit *e, TirType type, const TirConstant *constant, EmitVal *val) {
    EmitElement element = emit_element(e, type);
    uint64_t count = (uint64_t)tir_tile_elements(e->module, type);
    *val = (EmitVal){.kind = EMIT_MEMORY, .layout = map_identity(emit_tile_bits(e, type)), .origin = -1};
    LLVMValueRef *items = arena_array(e->arena, LLVMValueRef, count);
    for (unsigned p = 0; p < element.parts; p++) {
        LLVMTypeRef memory = emit_memory_type(e, element, p);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t bits = tir_constant_bits(e->module, type, constant, (int64_t)i);
            items[i] = memory == emit_register_type(e, element, p) ? element_parts(e, element, bits).parts[p]
                                                                   : LLVMConstInt(memory, bits, false);
        }
        LLVMValueRef array = LLVMConstArray2(memory, items, count);
        LLVMValueRef global = LLVMAddGlobal(e->cx.module, LLVMTypeOf(array), "congruent.constant");
        LLVMSetInitializer(global, array);
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMPrivateLinkage);
        LLVMSetAlignment(global, 64);
        val->value.parts[p] = global;
    }
}

bool lower_constant(Emit *e, const TirOp *op) {
    EmitVal *val = emit_val(e, tir_result(op, 0));
    TirType type = emit_type_of(e, tir_result(op, 0));
    *val = (EmitVal){.kind = EMIT_SCALAR, .origin = -1};
    if (emit_constant_splat(e, op, &val->value)) return true;
    if (tir_tile_elements(e->module, type) > CONSTANT_ELEMENTS_MAX)
        return emit_fail(e, E_LIMIT, "a constant of more than %d elements that differ", CONSTANT_ELEMENTS_MAX);
    constant_tile(e, type, &tir_attribute(op, "value")->constant, val);
    return true;
}

// ---- copies of parts of tiles
// ---------------------------------------------------------------------------------------------------------

// Bits of dimension d of `part` are bits of dimension d of `whole`.
static TileMap part_map(const TirTypeInfo *part, const TirTypeInfo *whole) {
    TileMap map = {0};
    for (uint32_t d = part->rank; d-- > 0;)
        for (unsigned i = 0; i < map_log2(part->shape[d]); i++)
            map.to[map.bits++] = (int8_t)(map_dimension_bit(whole, d) + i);
    return map;
}

static void shift_bases(Emit *e, EmitElement element, EmitVal *tile, LLVMValueRef elements) {
    for (unsigned p = 0; p < element.parts; p++)
        tile->value.parts[p] = code_pointer_at(&e->cx, emit_memory_type(e, element, p), tile->value.parts[p], elements);
}

// Writes the elements of `value` into part of the memory of `whole`, from element `offset` on, under a map to its index
// bits.
static bool write_part(Emit *e, TirValue value, const EmitVal *whole, const TileMap *to, LLVMValueRef offset) {
    EmitElement element = emit_element(e, emit_type_of(e, value));
    EmitVal target = *whole;
    shift_bases(e, element, &target, offset);
    Nest nest;
    nest_init(&nest, to->bits);
    TileMap from = map_identity(to->bits);
    if (!nest_need(e, &nest, value, &from)) return false;
    nest_need_memory(&nest, 8, to);
    nest_touch(&nest, 0, EMIT_TILES);
    nest_open(e, &nest, nest.bits);
    NumericValue lanes;
    if (!nest_eval(e, &nest, value, &from, &lanes)) return false;
    emit_store_tile(e, &nest, element, to, &target, &lanes);
    nest_close(e, &nest);
    return true;
}

bool lower_cat(Emit *e, const TirOp *op) {
    TirType type = emit_type_of(e, tir_result(op, 0));
    const TirTypeInfo *whole = tir_type(e->module, type);
    uint32_t dimension = (uint32_t)tir_attribute_integer(op, "dim");
    EmitVal result;
    if (!emit_tile_alloc(e, type, NULL, &result)) return false;
    int64_t start = 0;
    for (int side = 0; side < 2; side++) {
        const TirTypeInfo *part = tir_type(e->module, emit_type_of(e, op->operands[side]));
        TileMap to = part_map(part, whole);
        LLVMValueRef offset = code_i64(&e->cx, start << map_dimension_bit(whole, dimension));
        start += part->shape[dimension];
        if (!write_part(e, op->operands[side], &result, &to, offset)) return false;
    }
    *emit_val(e, tir_result(op, 0)) = result;
    return true;
}

// Checks the indices of a slice; the offset of its first element.
static LLVMValueRef slice_offset(Emit *e, const TirValue *indices, const TirTypeInfo *part, const TirTypeInfo *whole) {
    LLVMValueRef offset = code_i64(&e->cx, 0);
    for (uint32_t d = 0; d < part->rank; d++) {
        LLVMValueRef index = emit_scalar_i64(e, indices[d], false),
                     limit = code_i64(&e->cx, whole->shape[d] / part->shape[d]);
        emit_check(e, LLVMBuildICmp(e->cx.builder, LLVMIntULT, index, limit, ""), HOST_SITE_SLICE, NULL, NULL, index,
                   limit);
        unsigned shift = map_dimension_bit(whole, d) + map_log2(part->shape[d]);
        offset =
            LLVMBuildAdd(e->cx.builder, offset, LLVMBuildShl(e->cx.builder, index, code_i64(&e->cx, shift), ""), "");
    }
    return offset;
}

bool lower_extract(Emit *e, const TirOp *op) {
    TirType type = emit_type_of(e, tir_result(op, 0)), source_type = emit_type_of(e, op->operands[0]);
    const TirTypeInfo *part = tir_type(e->module, type), *whole = tir_type(e->module, source_type);
    EmitElement element = emit_element(e, type);
    LLVMValueRef offset = slice_offset(e, op->operands + 1, part, whole);
    const EmitVal *source = emit_val(e, op->operands[0]);
    if (source->kind == EMIT_SCALAR) { // a splat, or a tile of one element
        *emit_val(e, tir_result(op, 0)) = *source;
        return true;
    }
    source = emit_materialise(e, op->operands[0]);
    if (!source) return false;
    EmitVal plain = *source;
    if (!map_is_identity(&source->layout) &&
        (!emit_tile_alloc(e, source_type, NULL, &plain) || !emit_materialise_to(e, op->operands[0], &plain)))
        return false;
    shift_bases(e, element, &plain, offset);
    EmitVal *result = emit_val(e, tir_result(op, 0));
    bool scalar = tir_tile_elements(e->module, type) == 1;
    *result = (EmitVal){.kind = EMIT_SCALAR, .origin = source->origin};
    if (!scalar && !emit_tile_alloc(e, type, NULL, result)) return false;
    Nest nest;
    TileMap from = part_map(part, whole), to = map_identity(from.bits);
    nest_init(&nest, from.bits);
    for (unsigned p = 0; p < element.parts; p++) {
        LLVMTypeRef memory = emit_memory_type(e, element, p);
        nest_need_memory(&nest, code_type_bits(memory), &from);
    }
    nest_touch(&nest, EMIT_TILES, scalar ? 0 : EMIT_TILES);
    nest_open(e, &nest, nest.bits);
    for (unsigned p = 0; p < element.parts; p++) {
        LLVMTypeRef memory = emit_memory_type(e, element, p), type_in_register = emit_register_type(e, element, p);
        LLVMValueRef lanes = nest_load(e, &nest, memory, plain.value.parts[p], &from);
        if (!scalar)
            nest_store(e, &nest, memory, result->value.parts[p], &to, lanes);
        else if (memory != type_in_register)
            result->value.parts[p] = LLVMBuildTrunc(e->cx.builder, lanes, type_in_register, "");
        else
            result->value.parts[p] = lanes;
    }
    nest_close(e, &nest);
    return true;
}

// Whether the carried tile that the result may go to can take it: nothing that is still to be read is overwritten.
static bool inserts_in_place(Emit *e, TirValue source, TirValue destination) {
    bool in_place;
    if (!e->destination || !map_is_identity(&e->destination->layout)) return false;
    if (plan_reads_memory(e, source, e->destination, &in_place)) return false;
    return !plan_reads_memory(e, destination, e->destination, &in_place) || in_place;
}

bool lower_insert(Emit *e, const TirOp *op) {
    TirValue source = op->operands[0], destination = op->operands[1];
    TirType type = emit_type_of(e, destination);
    const TirTypeInfo *part = tir_type(e->module, emit_type_of(e, source)), *whole = tir_type(e->module, type);
    LLVMValueRef offset = slice_offset(e, op->operands + 2, part, whole);
    EmitVal result = *emit_val(e, source);
    int origin = result.origin == emit_val(e, destination)->origin ? result.origin : -1;
    if (!emit_is_scalar(e, destination)) { // else the source is all of it
        TileMap to = part_map(part, whole);
        if (inserts_in_place(e, source, destination))
            result = *e->destination;
        else if (!emit_tile_alloc(e, type, NULL, &result))
            return false;
        if (!emit_materialise_to(e, destination, &result) || !write_part(e, source, &result, &to, offset)) return false;
    }
    result.origin = origin;
    *emit_val(e, tir_result(op, 0)) = result;
    return true;
}
