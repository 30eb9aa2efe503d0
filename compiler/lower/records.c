// SPDX-License-Identifier: Apache-2.0
// The records of floats in memory (host_abi.h): they are loaded and stored beside the floats, and those that a store
// overwrites become invalid.
#include "compiler/lower/records.h"

#include <stddef.h>

enum { LANES_MAX = 64 };

static LLVMTypeRef i32_type(const NumericContext *cx) {
    return code_integer_type(cx, 32);
}

// HostLaunch.shadow, and a field of it.
static LLVMValueRef shadow_of(const NumericContext *cx, LLVMValueRef launch) {
    return code_launch_field(cx, launch, offsetof(HostLaunch, shadow), LLVMPointerTypeInContext(cx->context, 0));
}

static LLVMValueRef shadow_field(const NumericContext *cx, LLVMValueRef launch, size_t offset, LLVMTypeRef type) {
    LLVMValueRef shadow = shadow_of(cx, launch);
    LLVMValueRef at = code_pointer_at(cx, code_integer_type(cx, 8), shadow, code_i64(cx, (int64_t)offset));
    return code_load(cx, type, at, 8);
}

void record_open(const NumericContext *cx, FpsanFormat format, RecordPlace *place) {
    LLVMTypeRef i64 = code_integer_type(cx, 64);
    place->is_float = true;
    place->format = format;
    place->planes = numeric_planes(cx->numeric, format);
    LLVMValueRef bytes = shadow_field(cx, place->launch, offsetof(HostShadow, plane_bytes), i64);
    place->arrays = shadow_field(cx, place->launch, offsetof(HostShadow, planes) + 8 * place->width, i64);
    place->distance = LLVMBuildLShr(cx->builder, bytes, code_i64(cx, place->width), "");
}

// How far behind the first word of a plane those of the addresses lie, in bytes.
static LLVMValueRef word_offsets(const NumericContext *cx, const RecordPlace *place, LLVMValueRef addresses) {
    LLVMBuilderRef b = cx->builder;
    unsigned lanes = vector_lanes(addresses);
    LLVMValueRef index = LLVMBuildLShr(b, addresses, vector_splat(b, code_i64(cx, place->width), lanes), "");
    return LLVMBuildShl(b, index, vector_splat(b, code_i64(cx, 2), lanes), "");
}

// Pointers to a word of the records.
static LLVMValueRef word_pointer(const NumericContext *cx, const RecordPlace *place, LLVMValueRef offsets,
                                 unsigned plane) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef base = place->arrays, planes = code_i64(cx, plane - 1);
    if (plane > 1) base = LLVMBuildAdd(b, base, LLVMBuildMul(b, place->distance, planes, ""), "");
    return code_pointer_of(cx, LLVMBuildAdd(b, vector_splat(b, base, vector_lanes(offsets)), offsets, ""));
}

LLVMValueRef record_words(const NumericContext *cx, const RecordPlace *place, LLVMValueRef address, unsigned part) {
    return word_pointer(cx, place, word_offsets(cx, place, address), cx->numeric->plane_of_part(part));
}

// i1 or a vector of them: addresses that are multiples of the width; others have no records. Of neighbours the first
// answers for all.
static LLVMValueRef is_aligned(const NumericContext *cx, const RecordPlace *place, LLVMValueRef addresses) {
    LLVMBuilderRef b = cx->builder;
    unsigned lanes = vector_lanes(addresses);
    LLVMValueRef low =
        LLVMBuildAnd(b, addresses, vector_splat(b, code_i64(cx, ((int64_t)1 << place->width) - 1), lanes), "");
    return LLVMBuildICmp(b, LLVMIntEQ, low, LLVMConstNull(LLVMTypeOf(low)), "");
}

static LLVMValueRef where_aligned(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes,
                                  LLVMValueRef state) {
    LLVMValueRef aligned = is_aligned(cx, place, lanes->addresses); // a scalar selects whole vectors
    return LLVMBuildSelect(cx->builder, aligned, state, LLVMConstNull(LLVMTypeOf(state)), "");
}

static LLVMValueRef mask_of(const NumericContext *cx, const RecordLanes *lanes) {
    LLVMValueRef all = LLVMConstAllOnes(code_integer_type(cx, 1));
    return lanes->mask ? lanes->mask : vector_splat(cx->builder, all, lanes->count);
}

// ---- invalidation ---------------------------------------------------------------------------------------------------

// The addresses of all lanes.
static LLVMValueRef every_address(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes) {
    unsigned count = lanes->count;
    if (!count || vector_lanes(lanes->addresses)) return lanes->addresses;
    LLVMValueRef offsets[LANES_MAX];
    for (unsigned i = 0; i < count; i++) offsets[i] = code_i64(cx, (int64_t)i << place->width);
    return LLVMBuildAdd(cx->builder, vector_splat(cx->builder, lanes->addresses, count),
                        LLVMConstVector(offsets, count), "");
}

// The mask as bits of an i64.
static LLVMValueRef mask_bits(const NumericContext *cx, const RecordLanes *lanes) {
    LLVMValueRef mask = mask_of(cx, lanes);
    if (lanes->count) mask = LLVMBuildBitCast(cx->builder, mask, code_integer_type(cx, lanes->count), "");
    return LLVMGetIntTypeWidth(LLVMTypeOf(mask)) == 64
               ? mask
               : LLVMBuildZExt(cx->builder, mask, code_integer_type(cx, 64), "");
}

// Arguments of the functions of HostShadow: the lanes of `mask` (bits of an i64) among `count` addresses.
typedef struct ShadowCall {
    LLVMValueRef launch, addresses, mask;
    unsigned count;
    uint64_t bytes; // of each
    LLVMValueRef widths;
} ShadowCall;

static ShadowCall one_piece(const NumericContext *cx, const RecordPiece *piece) {
    return (ShadowCall){.launch = piece->launch,
                        .addresses = piece->address,
                        .mask = code_i64(cx, 1),
                        .count = 1,
                        .bytes = piece->bytes,
                        .widths = code_i32(cx, (int32_t)piece->widths)};
}

// The lanes whose bits are set in `mask`; NULL: those of their mask.
static ShadowCall of_lanes(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes,
                           LLVMValueRef mask) {
    ShadowCall call = {.launch = place->launch,
                       .count = lanes->count ? lanes->count : 1,
                       .bytes = UINT64_C(1) << place->width,
                       .widths = place->widths};
    call.mask = mask ? mask : mask_bits(cx, lanes);
    call.addresses = every_address(cx, place, lanes);
    return call;
}

// HostShadow.forget.
static void call_forget(const NumericContext *cx, const ShadowCall *call) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(cx->context, 0), i32 = i32_type(cx), i64 = code_integer_type(cx, 64);
    LLVMTypeRef parameters[] = {pointer, i32, i32, i32, pointer, i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cx->context), parameters, BASE_COUNT(parameters), false);
    LLVMValueRef slot = code_spill(cx, call->addresses, 0);
    LLVMValueRef arguments[] = {shadow_of(cx, call->launch),        call->widths, code_i32(cx, (int32_t)call->bytes),
                                code_i32(cx, (int32_t)call->count), slot,         call->mask};
    LLVMBuildCall2(cx->builder, type, shadow_field(cx, call->launch, offsetof(HostShadow, forget), pointer), arguments,
                   BASE_COUNT(arguments), "");
}

void record_invalidate(const NumericContext *cx, const RecordPiece *piece) {
    if (!cx->numeric->has_records || !piece->widths || !piece->bytes) return;
    const ShadowCall call = one_piece(cx, piece);
    call_forget(cx, &call);
}

// HostShadow.spoil; `origins` has the lanes of the addresses.
static void call_spoil(const NumericContext *cx, const ShadowCall *call, LLVMValueRef origins) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(cx->context, 0), i32 = i32_type(cx), i64 = code_integer_type(cx, 64);
    LLVMTypeRef parameters[] = {pointer, i32, i64, i32, pointer, i64, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cx->context), parameters, BASE_COUNT(parameters), false);
    LLVMValueRef arguments[] = {shadow_of(cx, call->launch),        call->widths,
                                code_i64(cx, (int64_t)call->bytes), code_i32(cx, (int32_t)call->count),
                                code_spill(cx, call->addresses, 0), call->mask,
                                code_spill(cx, origins, 1)};
    LLVMBuildCall2(cx->builder, type, shadow_field(cx, call->launch, offsetof(HostShadow, spoil), pointer), arguments,
                   BASE_COUNT(arguments), "");
}

void record_spoil(const NumericContext *cx, const RecordPiece *piece, const char *what) {
    if (!piece->bytes) return;
    const ShadowCall call = one_piece(cx, piece);
    call_spoil(cx, &call, cx->origin(cx->owner, what, false));
}

// Code for where some bit of `bits` (i64) is set.
static CodeGuard open_where_any(const NumericContext *cx, LLVMValueRef bits) {
    return code_guard_open(cx, LLVMBuildICmp(cx->builder, LLVMIntNE, bits, code_i64(cx, 0), ""));
}

// i1 lanes as bits of an i64, and back.
static LLVMValueRef bits_of(const NumericContext *cx, LLVMValueRef lanes) {
    unsigned count = vector_lanes(lanes);
    if (count) lanes = LLVMBuildBitCast(cx->builder, lanes, code_integer_type(cx, count), "");
    return count == 64 ? lanes : LLVMBuildZExt(cx->builder, lanes, code_integer_type(cx, 64), "");
}

static LLVMValueRef lanes_of(const NumericContext *cx, LLVMValueRef bits, unsigned count) {
    LLVMTypeRef type = code_integer_type(cx, count ? count : 1);
    if (count != 64) bits = LLVMBuildTrunc(cx->builder, bits, type, "");
    return count ? LLVMBuildBitCast(cx->builder, bits, LLVMVectorType(code_integer_type(cx, 1), count), "") : bits;
}

// Integers whose marks say that they are unspecified, and that were just stored.
static void spoil_marked(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes,
                         LLVMValueRef marks) {
    LLVMBuilderRef b = cx->builder;
    if (LLVMIsConstant(marks) && LLVMIsNull(marks)) return;
    LLVMValueRef poison = numeric_has_mark(cx, marks, NUMERIC_MARK_POISON);
    LLVMValueRef bits = bits_of(cx, LLVMBuildAnd(b, poison, mask_of(cx, lanes), ""));
    CodeGuard guard = open_where_any(cx, bits);
    LLVMValueRef origins;
    if (cx->origins)
        origins = numeric_mark_origins(cx, marks);
    else
        origins =
            vector_splat(b, cx->origin(cx->owner, "integers that depend on something unspecified", true), lanes->count);
    const ShadowCall call = of_lanes(cx, place, lanes, bits);
    call_spoil(cx, &call, origins);
    code_guard_close(cx, &guard, 0, NULL);
}

// HostShadow.unspecified of the lanes of `mask` (bits); *origins: i32 lanes.
static LLVMValueRef ask_unspecified(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes,
                                    LLVMValueRef mask, LLVMValueRef *origins) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(cx->context, 0), i32 = i32_type(cx), i64 = code_integer_type(cx, 64);
    LLVMTypeRef parameters[] = {pointer, i32, i32, i32, pointer, i64, pointer};
    LLVMTypeRef type = LLVMFunctionType(i64, parameters, BASE_COUNT(parameters), false);
    LLVMTypeRef words = lanes->count ? LLVMVectorType(i32, lanes->count) : i32;
    LLVMValueRef slot = code_spill(cx, LLVMConstNull(words), 0);
    LLVMValueRef arguments[] = {shadow_of(cx, place->launch),
                                place->widths,
                                code_i32(cx, 1 << place->width),
                                code_i32(cx, lanes->count ? (int32_t)lanes->count : 1),
                                code_spill(cx, every_address(cx, place, lanes), 0),
                                mask,
                                slot};
    LLVMValueRef found =
        LLVMBuildCall2(cx->builder, type, shadow_field(cx, place->launch, offsetof(HostShadow, unspecified), pointer),
                       arguments, BASE_COUNT(arguments), "");
    *origins = LLVMBuildLoad2(cx->builder, words, slot, "");
    // What has no known origin counts as made where it is loaded.
    LLVMValueRef none = LLVMBuildICmp(cx->builder, LLVMIntEQ, *origins, LLVMConstNull(words), "");
    LLVMValueRef own = vector_splat(
        cx->builder, cx->origin(cx->owner, "memory that was not written, or holds something unspecified", false),
        lanes->count);
    *origins = LLVMBuildSelect(cx->builder, none, own, *origins, "");
    return found;
}

static LLVMValueRef may_be_unspecified(const NumericContext *cx, const RecordPlace *place) {
    LLVMValueRef bit = LLVMBuildAnd(cx->builder, place->widths, code_i32(cx, (int32_t)HOST_MAY_BE_UNSPECIFIED), "");
    return LLVMBuildICmp(cx->builder, LLVMIntNE, bit, code_i32(cx, 0), "");
}

// Lanes without a valid record may be unspecified: then they get one that says so.
static void add_poison(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes,
                       LLVMValueRef *planes) {
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(planes[1]));
    LLVMValueRef lacking = LLVMBuildICmp(b, LLVMIntSGE, planes[1], zero, "");
    lacking = bits_of(cx, LLVMBuildAnd(b, lacking, mask_of(cx, lanes), ""));
    lacking = LLVMBuildSelect(b, may_be_unspecified(cx, place), lacking, code_i64(cx, 0), "");
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b), code_block(cx, "no_record")}, join = code_block(cx, "recorded");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, lacking, code_i64(cx, 0), ""), from[1], join);
    LLVMPositionBuilderAtEnd(b, from[1]);
    LLVMValueRef origins, found = lanes_of(cx, ask_unspecified(cx, place, lanes, lacking, &origins), lanes->count);
    LLVMValueRef poison[NUMERIC_PLANES_MAX];
    cx->numeric->poison_planes(cx, planes[0], origins, poison);
    for (unsigned p = 1; p < place->planes; p++)
        if (numeric_has_plane(cx->numeric, p)) poison[p] = LLVMBuildSelect(b, found, poison[p], planes[p], "");
    from[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, join);
    LLVMPositionBuilderAtEnd(b, join);
    for (unsigned p = 1; p < place->planes; p++) {
        if (!numeric_has_plane(cx->numeric, p)) continue;
        LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(planes[p]), "");
        LLVMAddIncoming(phi, (LLVMValueRef[]){planes[p], poison[p]}, from, 2);
        planes[p] = phi;
    }
}

// Marks of integers.
static LLVMValueRef load_marks(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes) {
    CodeGuard guard = code_guard_open(cx, may_be_unspecified(cx, place));
    LLVMValueRef origins,
        found = lanes_of(cx, ask_unspecified(cx, place, lanes, mask_bits(cx, lanes), &origins), lanes->count);
    LLVMValueRef marks = numeric_poison_marks(cx, found, origins);
    code_guard_close(cx, &guard, 1, &marks);
    return marks;
}

static void load_words(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes,
                       LLVMValueRef *planes) {
    LLVMValueRef mask = mask_of(cx, lanes), offsets = word_offsets(cx, place, lanes->addresses);
    for (unsigned p = 1; p < place->planes; p++)
        if (numeric_has_plane(cx->numeric, p))
            planes[p] = code_masked_load(cx, i32_type(cx), word_pointer(cx, place, offsets, p), mask, 4);
}

void record_load(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef *planes) {
    if (place->planes == 1) {
        planes[1] = place->marked ? load_marks(cx, place, lanes) : NULL;
        return;
    }
    if (place->kept) {
        load_words(cx, place, lanes, planes);
        return;
    }
    LLVMBuilderRef b = cx->builder;
    uint32_t asked = 1u << place->width | (cx->poison ? HOST_MAY_BE_UNSPECIFIED : 0);
    LLVMValueRef here = LLVMBuildAnd(b, place->widths, code_i32(cx, (int32_t)asked), "");
    LLVMValueRef may_have = LLVMBuildICmp(b, LLVMIntNE, here, code_i32(cx, 0), "");
    CodeGuard guard = code_guard_open(cx, may_have);
    LLVMValueRef used[NUMERIC_PLANES_MAX];
    unsigned count = 0;
    load_words(cx, place, lanes, planes);
    numeric_unpack_planes(cx, planes);
    planes[1] = where_aligned(cx, place, lanes, planes[1]);
    if (cx->poison) add_poison(cx, place, lanes, planes);
    for (unsigned p = 1; p < place->planes; p++)
        if (numeric_has_plane(cx->numeric, p)) used[count++] = planes[p];
    code_guard_close(cx, &guard, count, used);
    for (unsigned p = place->planes - 1; p; p--)
        if (numeric_has_plane(cx->numeric, p)) planes[p] = used[--count];
}

// Records of other widths, and all where an address is no multiple of the width.
static LLVMValueRef widths_to_forget(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes) {
    LLVMBuilderRef b = cx->builder;
    if (!place->is_float) return place->widths;
    LLVMValueRef aligned = is_aligned(cx, place, lanes->addresses);
    if (vector_lanes(aligned)) {
        LLVMValueRef ignored = LLVMBuildOr(b, aligned, LLVMBuildNot(b, mask_of(cx, lanes), ""), "");
        aligned = vector_intrinsic(cx, "llvm.vector.reduce.and", &ignored, 1);
    }
    uint32_t own = 1u << place->width | HOST_MAY_BE_UNSPECIFIED; // a valid record says that something was written
    LLVMValueRef others = LLVMBuildAnd(b, place->widths, code_i32(cx, (int32_t)~own), "");
    return LLVMBuildSelect(b, aligned, others, place->widths, "");
}

// Asks for the words that a later step stores. A processor waits for each line that it stores to and does not have, and
// looks no further than a few dozen stores.
static void ask_ahead(const NumericContext *cx, const RecordPlace *place, LLVMValueRef pointer) {
    pointer = code_pointer_at(cx, code_integer_type(cx, 8), pointer, code_i64(cx, place->ahead));
    code_prefetch(cx, pointer, CODE_PREFETCH_WRITE, CODE_FIRST_LEVEL);
}

// Stores the words; `asks`: and asks for those ahead.
static void store_words(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes, bool asks,
                        const LLVMValueRef *words) {
    LLVMValueRef mask = mask_of(cx, lanes), offsets = word_offsets(cx, place, lanes->addresses);
    for (unsigned p = 1; p < place->planes; p++) {
        if (!numeric_has_plane(cx->numeric, p)) continue;
        LLVMValueRef pointer = word_pointer(cx, place, offsets, p);
        if (asks) ask_ahead(cx, place, pointer);
        code_masked_store(cx, words[p], pointer, mask, 4);
    }
}

void record_store(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef *planes) {
    if (!place->widths) return;
    if (place->kept) {
        store_words(cx, place, lanes, false, planes);
        return;
    }
    LLVMBuilderRef b = cx->builder;
    LLVMValueRef widths = widths_to_forget(cx, place, lanes);
    CodeGuard guard = code_guard_open(cx, LLVMBuildICmp(b, LLVMIntNE, widths, code_i32(cx, 0), ""));
    ShadowCall call = of_lanes(cx, place, lanes, NULL);
    call.widths = widths;
    call_forget(cx, &call);
    code_guard_close(cx, &guard, 0, NULL);
    if (place->marked && planes && planes[1]) spoil_marked(cx, place, lanes, planes[1]);
    if (place->planes == 1) return;
    const bool asks = place->ahead && lanes->count && !vector_lanes(lanes->addresses);
    LLVMValueRef words[NUMERIC_PLANES_MAX];
    for (unsigned p = 1; p < place->planes; p++)
        if (numeric_has_plane(cx->numeric, p)) words[p] = planes[p];
    numeric_pack_planes(cx, place->store, words);
    words[1] = where_aligned(cx, place, lanes, words[1]);
    if (asks) ask_ahead(cx, place, code_pointer_of(cx, lanes->addresses));
    store_words(cx, place, lanes, asks, words);
}
