// SPDX-License-Identifier: Apache-2.0
// pack and unpack: a tile's bits as bytes, and back. Both sides are one array in memory; floats go in and out by their
// real bits, as in a bitcast.
#include "compiler/lower/emit.h"

#include <assert.h>

// What an element is in the array of bytes.
typedef struct Packed {
    EmitElement element;
    unsigned bits;
} Packed;

static Packed packed_of(const Emit *e, TirType tile) {
    Packed packed = {.element = emit_element(e, tile)};
    packed.bits =
        packed.element.is_float ? fpsan_format_info(packed.element.format)->storage_bits : packed.element.bits;
    return packed;
}

// Smaller elements have a byte each until they share one.
static LLVMTypeRef lane_type(const Emit *e, const Packed *packed) {
    return emit_integer_type(e, packed->bits < 8 ? 8 : packed->bits);
}

static LLVMValueRef to_bits(Emit *e, const void *data, const NumericValue *lanes) {
    const Packed *packed = data;
    LLVMValueRef bits = lanes->parts[0];
    if (packed->element.is_float) bits = e->cx.numeric->to_bits(&e->cx, packed->element.format, lanes);
    LLVMTypeRef type = vector_type_like(lane_type(e, packed), bits);
    return LLVMTypeOf(bits) == type ? bits : LLVMBuildZExt(e->cx.builder, bits, type, "");
}

static NumericValue from_bits(Emit *e, const Packed *packed, LLVMValueRef bits) {
    if (packed->element.is_float) return e->cx.numeric->from_bits(&e->cx, packed->element.format, bits);
    LLVMTypeRef type = vector_type_like(emit_integer_type(e, packed->element.bits), bits);
    if (LLVMTypeOf(bits) != type) bits = LLVMBuildTrunc(e->cx.builder, bits, type, "");
    return emit_unmarked(e, packed->element, bits);
}

static LLVMValueRef integer_like(LLVMValueRef like, uint64_t value) {
    return vector_integer_like(like, LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(like))), value);
}

// Elements of four bits or one share bytes, the first in the lowest bits. What fills a byte stands in a wider integer
// with a byte for each of them: two as i16, eight as i64.

static LLVMValueRef join_halves(Emit *e, LLVMValueRef pair) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef high = LLVMBuildLShr(builder, pair, integer_like(pair, 4), "");
    LLVMTypeRef byte = vector_type_like(emit_integer_type(e, 8), pair);
    return LLVMBuildTrunc(builder, LLVMBuildOr(builder, pair, high, ""), byte, "");
}

static LLVMValueRef split_halves(Emit *e, LLVMValueRef byte) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef pair = LLVMBuildZExt(builder, byte, vector_type_like(emit_integer_type(e, 16), byte), "");
    pair = LLVMBuildOr(builder, pair, LLVMBuildShl(builder, pair, integer_like(pair, 4), ""), "");
    return LLVMBuildAnd(builder, pair, integer_like(pair, 0x0f0f), "");
}

// Byte i comes to bit i of the product's highest byte, and no two terms meet in one bit.
static LLVMValueRef join_bits(Emit *e, LLVMValueRef eight) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef product = LLVMBuildMul(builder, eight, integer_like(eight, UINT64_C(0x0102040810204080)), "");
    LLVMTypeRef byte = vector_type_like(emit_integer_type(e, 8), eight);
    return LLVMBuildTrunc(builder, LLVMBuildLShr(builder, product, integer_like(eight, 56), ""), byte, "");
}

// Bit i is left alone in byte i; the sum carries into its top bit unless it is 0.
static LLVMValueRef split_bits(Emit *e, LLVMValueRef byte) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef all = LLVMBuildZExt(builder, byte, vector_type_like(emit_integer_type(e, 64), byte), "");
    all = LLVMBuildMul(builder, all, integer_like(all, UINT64_C(0x0101010101010101)), "");
    all = LLVMBuildAnd(builder, all, integer_like(all, UINT64_C(0x8040201008040201)), "");
    all = LLVMBuildAdd(builder, all, integer_like(all, UINT64_C(0x7f7f7f7f7f7f7f7f)), "");
    all = LLVMBuildLShr(builder, all, integer_like(all, 7), "");
    return LLVMBuildAnd(builder, all, integer_like(all, UINT64_C(0x0101010101010101)), "");
}

static const struct Sharing {
    unsigned bits, shift; // of an element; log2 of how many share a byte
    LLVMValueRef (*join)(Emit *e, LLVMValueRef wide);
    LLVMValueRef (*split)(Emit *e, LLVMValueRef byte);
} sharings[] = {{1, 3, join_bits, split_bits}, {4, 1, join_halves, split_halves}};

// NULL: elements have bytes of their own.
static const struct Sharing *sharing_of(const Packed *packed) {
    for (size_t i = 0; i < BASE_COUNT(sharings); i++)
        if (sharings[i].bits == packed->bits) return &sharings[i];
    return NULL;
}

// to[i] = convert(from[i]) for 2^bits elements of the scalar types.
static void convert_array(Emit *e, unsigned bits, LLVMTypeRef from_type, LLVMValueRef from, LLVMTypeRef to_type,
                          LLVMValueRef to, LLVMValueRef (*convert)(Emit *e, LLVMValueRef lanes)) {
    Nest nest;
    TileMap map = map_identity(bits);
    nest_init(&nest, bits);
    nest_need_memory(&nest, emit_type_bits(from_type), &map);
    nest_need_memory(&nest, emit_type_bits(to_type), &map);
    nest_touch(&nest, EMIT_TILES, EMIT_TILES);
    nest_open(e, &nest, bits);
    nest_store(e, &nest, to_type, to, &map, convert(e, nest_load(e, &nest, from_type, from, &map)));
    nest_close(e, &nest);
}

// An integer tile whose first part is an array at `memory`, made from no float.
static bool bind_array(Emit *e, TirValue result, LLVMValueRef memory) {
    TirType type = emit_type_of(e, result);
    EmitElement element = emit_element(e, type);
    LLVMTypeRef integer = emit_integer_type(e, element.bits);
    if (emit_is_scalar(e, result)) {
        emit_order(e, EMIT_TILES, 0);
        emit_bind_scalar(e, result, emit_load(e, integer, memory, 1));
        return true;
    }
    EmitVal *val = emit_val(e, result);
    *val = (EmitVal){.kind = EMIT_MEMORY, .layout = map_identity(emit_tile_bits(e, type)), .origin = -1};
    val->value.parts[0] = memory;
    for (unsigned p = 1; p < element.parts; p++) {
        size_t bytes = (size_t)1 << emit_tile_bits(e, type);
        val->value.parts[p] = emit_scratch(e, bytes);
        if (!val->value.parts[p]) return false;
        emit_fill(e, val->value.parts[p], bytes, 0);
    }
    return true;
}

bool lower_pack(Emit *e, const TirOp *op) {
    TirValue source = op->operands[0];
    TirType type = emit_type_of(e, source);
    Packed packed = packed_of(e, type);
    unsigned bits = emit_tile_bits(e, type);
    const struct Sharing *sharing = sharing_of(&packed);
    if (!emit_materialise(e, source)) return false; // for an unpack that gives it back
    LLVMValueRef memory = emit_scratch(e, (size_t)emit_type_bits(lane_type(e, &packed)) / 8 << bits);
    if (!memory) return false;
    EmitSource from = {.values = {source}, .maps = {map_identity(bits)}};
    EmitPacked to = {.type = lane_type(e, &packed), .base = memory, .convert = to_bits, .data = &packed};
    if (!emit_pack(e, &from, &to, 1)) return false;
    // In place, unless threads would overwrite what others have yet to read.
    LLVMValueRef joined = sharing && emit_is_gpu(e) ? emit_scratch(e, (size_t)1 << (bits - sharing->shift)) : memory;
    if (!joined) return false;
    if (sharing)
        convert_array(e, bits - sharing->shift, emit_integer_type(e, 8u << sharing->shift), memory,
                      emit_integer_type(e, 8), joined, sharing->join);
    return bind_array(e, tir_result(op, 0), joined);
}

// The tile that was packed, if it is still there: its bits alone would lose a float's payload.
static const EmitVal *packed_tile(Emit *e, const TirOp *op) {
    const TirOp *first = tir_value(e->function, op->operands[0])->definition;
    if (!first || first->kind != TIR_OP_pack) return NULL;
    if (emit_type_of(e, first->operands[0]) != emit_type_of(e, tir_result(op, 0))) return NULL;
    const EmitVal *tile = emit_val(e, first->operands[0]);
    return tile->kind == EMIT_MEMORY || tile->kind == EMIT_SCALAR ? tile : NULL;
}

// The bytes of the source, one after the other.
static LLVMValueRef bytes_of(Emit *e, TirValue source) {
    EmitVal bytes;
    TirType type = emit_type_of(e, source);
    if (emit_is_scalar(e, source)) {
        LLVMValueRef memory = emit_scratch(e, 1);
        if (!memory) return NULL;
        emit_order(e, 0, EMIT_TILES);
        EmitGuard guard = emit_first_thread_open(e);
        emit_store(e, emit_val(e, source)->value.parts[0], memory, 1);
        emit_first_thread_close(e, &guard);
        return memory;
    }
    const EmitVal *tile = emit_materialise(e, source);
    if (!tile) return NULL;
    if (map_is_identity(&tile->layout)) return tile->value.parts[0];
    return emit_tile_alloc(e, type, NULL, &bytes) && emit_materialise_to(e, source, &bytes) ? bytes.value.parts[0]
                                                                                            : NULL;
}

bool lower_unpack(Emit *e, const TirOp *op) {
    TirValue result = tir_result(op, 0);
    TirType type = emit_type_of(e, result);
    Packed packed = packed_of(e, type);
    const struct Sharing *sharing = sharing_of(&packed);
    LLVMTypeRef lane = lane_type(e, &packed);
    const EmitVal *restored = packed_tile(e, op);
    if (restored) {
        *emit_val(e, result) = *restored;
        return true;
    }
    unsigned bits = emit_tile_bits(e, type);
    LLVMValueRef memory = bytes_of(e, op->operands[0]);
    if (memory && sharing) {
        LLVMValueRef apart = emit_scratch(e, (size_t)1 << bits);
        if (apart)
            convert_array(e, bits - sharing->shift, emit_integer_type(e, 8), memory,
                          emit_integer_type(e, 8u << sharing->shift), apart, sharing->split);
        memory = apart;
    }
    if (!memory) return false;
    EmitVal tile = {.kind = EMIT_SCALAR, .origin = -1};
    bool scalar = emit_is_scalar(e, result);
    if (!scalar && !emit_tile_alloc(e, type, NULL, &tile)) return false;
    Nest nest;
    TileMap map = map_identity(bits);
    nest_init(&nest, bits);
    nest_need_memory(&nest, emit_type_bits(lane), &map);
    for (unsigned p = 0; p < packed.element.parts; p++)
        nest_need_memory(&nest, emit_type_bits(emit_memory_type(e, packed.element, p)), &map);
    nest_touch(&nest, EMIT_TILES, scalar ? 0 : EMIT_TILES);
    nest_open(e, &nest, bits);
    NumericValue value = from_bits(e, &packed, nest_load(e, &nest, lane, memory, &map));
    if (scalar)
        tile.value = value;
    else
        emit_store_tile(e, &nest, packed.element, &map, &tile, &value);
    nest_close(e, &nest);
    *emit_val(e, result) = tile;
    return true;
}
