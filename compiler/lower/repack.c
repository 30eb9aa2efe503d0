// SPDX-License-Identifier: Apache-2.0
// pack and unpack: a tile's bits as bytes, and back. Both sides are one array in memory; floats go in and out by their
// real bits, as in a bitcast.
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

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
    return code_integer_type(&e->cx, packed->bits < 8 ? 8 : packed->bits);
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
    LLVMTypeRef type = vector_type_like(code_integer_type(&e->cx, packed->element.bits), bits);
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
    LLVMTypeRef byte = vector_type_like(code_integer_type(&e->cx, 8), pair);
    return LLVMBuildTrunc(builder, LLVMBuildOr(builder, pair, high, ""), byte, "");
}

static LLVMValueRef split_halves(Emit *e, LLVMValueRef byte) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef pair = LLVMBuildZExt(builder, byte, vector_type_like(code_integer_type(&e->cx, 16), byte), "");
    pair = LLVMBuildOr(builder, pair, LLVMBuildShl(builder, pair, integer_like(pair, 4), ""), "");
    return LLVMBuildAnd(builder, pair, integer_like(pair, 0x0f0f), "");
}

// Byte i comes to bit i of the product's highest byte, and no two terms meet in one bit.
static LLVMValueRef join_bits(Emit *e, LLVMValueRef eight) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef product = LLVMBuildMul(builder, eight, integer_like(eight, UINT64_C(0x0102040810204080)), "");
    LLVMTypeRef byte = vector_type_like(code_integer_type(&e->cx, 8), eight);
    return LLVMBuildTrunc(builder, LLVMBuildLShr(builder, product, integer_like(eight, 56), ""), byte, "");
}

// Bit i is left alone in byte i; the sum carries into its top bit unless it is 0.
static LLVMValueRef split_bits(Emit *e, LLVMValueRef byte) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef all = LLVMBuildZExt(builder, byte, vector_type_like(code_integer_type(&e->cx, 64), byte), "");
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

typedef struct ScalarArray {
    LLVMTypeRef type; // of an element
    LLVMValueRef base;
} ScalarArray;

// to[i] = convert(from[i]) for 2^bits elements.
static void convert_array(Emit *e, unsigned bits, ScalarArray from, ScalarArray to,
                          LLVMValueRef (*convert)(Emit *e, LLVMValueRef lanes)) {
    Nest nest;
    TileMap map = map_identity(bits);
    nest_init(&nest, bits);
    nest_need_memory(&nest, code_type_bits(from.type), &map);
    nest_need_memory(&nest, code_type_bits(to.type), &map);
    nest_touch(&nest, EMIT_TILES, EMIT_TILES);
    nest_open(e, &nest, bits);
    nest_store(e, &nest, to.type, to.base, &map, convert(e, nest_load(e, &nest, from.type, from.base, &map)));
    nest_close(e, &nest);
}

// ---- marks ----------------------------------------------------------------------------------------------------------

// What else an integer would be says nothing about its bytes.
static LLVMValueRef without_flips(Emit *e, LLVMValueRef marks) {
    return numeric_without_step(&e->cx, marks);
}

static LLVMValueRef to_marks(Emit *e, const void *data, const NumericValue *lanes) {
    const Packed *packed = data;
    if (packed->element.is_float) return e->cx.numeric->marks(&e->cx, lanes);
    return without_flips(e, lanes->parts[1]);
}

static NumericValue with_marks(Emit *e, const Packed *packed, const NumericValue *value, LLVMValueRef marks) {
    NumericValue result = *value;
    marks = without_flips(e, marks);
    if (packed->element.is_float) return e->cx.numeric->mark(&e->cx, value, marks);
    result.parts[1] = marks;
    return result;
}

// Marks of 2^to_bits elements from those of 2^from_bits that hold the same bits: of each that the element is a part of,
// or is made from.
static LLVMValueRef move_marks(Emit *e, LLVMValueRef from, unsigned from_bits, unsigned to_bits) {
    LLVMTypeRef type = emit_mark_type(e);
    if (from_bits == to_bits) return from;
    LLVMValueRef to = emit_mark_scratch(e, to_bits), all = NULL;
    if (!to) return NULL;
    Nest nest;
    TileMap map = map_identity(to_bits), at = map;
    for (unsigned i = 0; i < to_bits; i++) {
        const int bit = (int)i + (int)from_bits - (int)to_bits;
        at.to[i] = (int8_t)(bit < 0 ? -1 : bit);
    }
    const unsigned parts = from_bits > to_bits ? 1u << (from_bits - to_bits) : 1;
    nest_init(&nest, to_bits);
    nest_need_memory(&nest, numeric_mark_bits(&e->cx), &map);
    nest_need_memory(&nest, numeric_mark_bits(&e->cx), &at);
    nest_open(e, &nest, to_bits);
    for (unsigned i = 0; i < parts; i++) {
        LLVMValueRef some = nest_load(e, &nest, type, code_pointer_at(&e->cx, type, from, code_i64(&e->cx, i)), &at);
        all = all ? numeric_unite_marks(&e->cx, all, some) : some;
    }
    nest_store(e, &nest, type, to, &map, all);
    nest_close(e, &nest);
    return to;
}

// ---- ops ------------------------------------------------------------------------------------------------------------

// A tile of bytes that is an array at `memory`; `marks`: where theirs are, if it has some.
static void bind_array(Emit *e, TirValue result, LLVMValueRef memory, LLVMValueRef marks) {
    TirType type = emit_type_of(e, result);
    EmitElement element = emit_element(e, type);
    EmitVal *val = emit_val(e, result);
    if (emit_is_scalar(e, result)) {
        emit_barrier(e, EMIT_TILES, 0);
        emit_bind_scalar(e, result, code_load(&e->cx, code_integer_type(&e->cx, element.bits), memory, 1));
        if (marks) val->value.parts[1] = code_load(&e->cx, emit_mark_type(e), marks, 1);
        return;
    }
    *val = (EmitVal){.kind = EMIT_MEMORY, .layout = map_identity(emit_tile_bits(e, type)), .origin = -1};
    val->value.parts[0] = memory;
    val->value.parts[1] = marks;
}

bool lower_pack(Emit *e, const TirOp *op) {
    TirValue source = op->operands[0];
    TirType type = emit_type_of(e, source);
    Packed packed = packed_of(e, type);
    unsigned bits = emit_tile_bits(e, type);
    const struct Sharing *sharing = sharing_of(&packed);
    if (!emit_materialise(e, source)) return false; // for an unpack that gives it back
    LLVMValueRef memory = emit_scratch(e, (size_t)code_type_bits(lane_type(e, &packed)) / 8 << bits);
    if (!memory) return false;
    EmitSource from = {.values = {source}, .maps = {map_identity(bits)}};
    EmitPacked to[2] = {{.type = lane_type(e, &packed), .base = memory, .convert = to_bits, .data = &packed}};
    TirType bytes = emit_type_of(e, tir_result(op, 0));
    const bool marked = emit_element(e, bytes).parts > 1;
    if (marked) {
        LLVMValueRef marks = emit_mark_scratch(e, bits);
        if (!marks) return false;
        to[1] = (EmitPacked){.type = emit_mark_type(e), .base = marks, .convert = to_marks, .data = &packed};
    }
    if (!emit_pack(e, &from, to, marked ? 2 : 1)) return false;
    // In place, unless threads would overwrite what others have yet to read.
    LLVMValueRef joined = sharing && e->threads.bits ? emit_scratch(e, (size_t)1 << (bits - sharing->shift)) : memory;
    if (!joined) return false;
    if (sharing)
        convert_array(e, bits - sharing->shift, (ScalarArray){code_integer_type(&e->cx, 8u << sharing->shift), memory},
                      (ScalarArray){code_integer_type(&e->cx, 8), joined}, sharing->join);
    LLVMValueRef marks = marked ? move_marks(e, to[1].base, bits, emit_tile_bits(e, bytes)) : NULL;
    if (marked && !marks) return false;
    bind_array(e, tir_result(op, 0), joined, marks);
    return true;
}

// The tile that was packed, if it is still there: its bits alone would lose a float's payload.
static const EmitVal *packed_tile(Emit *e, const TirOp *op) {
    const TirOp *first = tir_value(e->function, op->operands[0])->definition;
    if (!first || first->kind != TIR_OP_pack) return NULL;
    if (emit_type_of(e, first->operands[0]) != emit_type_of(e, tir_result(op, 0))) return NULL;
    const EmitVal *tile = emit_val(e, first->operands[0]);
    return tile->kind == EMIT_MEMORY || tile->kind == EMIT_SCALAR ? tile : NULL;
}

// The bytes of the source, one after the other, and their marks.
static bool bytes_of(Emit *e, TirValue source, EmitVal *bytes) {
    TirType type = emit_type_of(e, source);
    EmitElement element = emit_element(e, type);
    if (emit_is_scalar(e, source)) {
        if (!emit_tile_alloc(e, type, NULL, bytes)) return false;
        emit_barrier(e, 0, EMIT_TILES);
        CodeGuard guard = emit_first_thread_open(e);
        for (unsigned p = 0; p < element.parts; p++)
            code_store(&e->cx, emit_val(e, source)->value.parts[p], bytes->value.parts[p], 1);
        emit_first_thread_close(e, &guard);
        return true;
    }
    const EmitVal *tile = emit_materialise(e, source);
    if (!tile) return false;
    *bytes = *tile;
    if (map_is_identity(&tile->layout)) return true;
    return emit_tile_alloc(e, type, NULL, bytes) && emit_materialise_to(e, source, bytes);
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
    EmitVal bytes;
    if (!bytes_of(e, op->operands[0], &bytes)) return false;
    LLVMValueRef memory = bytes.value.parts[0], marks = NULL;
    if (sharing) {
        LLVMValueRef apart = emit_scratch(e, (size_t)1 << bits);
        if (!apart) return false;
        convert_array(e, bits - sharing->shift, (ScalarArray){code_integer_type(&e->cx, 8), memory},
                      (ScalarArray){code_integer_type(&e->cx, 8u << sharing->shift), apart}, sharing->split);
        memory = apart;
    }
    TirType byte_type = emit_type_of(e, op->operands[0]);
    const bool marked = emit_element(e, byte_type).parts > 1 && packed.element.parts > 1;
    if (marked && !(marks = move_marks(e, bytes.value.parts[1], emit_tile_bits(e, byte_type), bits))) return false;
    EmitVal tile = {.kind = EMIT_SCALAR, .origin = -1};
    bool scalar = emit_is_scalar(e, result);
    if (!scalar && !emit_tile_alloc(e, type, NULL, &tile)) return false;
    Nest nest;
    TileMap map = map_identity(bits);
    nest_init(&nest, bits);
    nest_need_memory(&nest, code_type_bits(lane), &map);
    for (unsigned p = 0; p < packed.element.parts; p++)
        nest_need_memory(&nest, code_type_bits(emit_memory_type(e, packed.element, p)), &map);
    nest_touch(&nest, EMIT_TILES, scalar ? 0 : EMIT_TILES);
    nest_open(e, &nest, bits);
    NumericValue value = from_bits(e, &packed, nest_load(e, &nest, lane, memory, &map));
    if (marked) value = with_marks(e, &packed, &value, nest_load(e, &nest, emit_mark_type(e), marks, &map));
    if (scalar)
        tile.value = value;
    else
        emit_store_tile(e, &nest, packed.element, &map, &tile, &value);
    nest_close(e, &nest);
    *emit_val(e, result) = tile;
    return true;
}
