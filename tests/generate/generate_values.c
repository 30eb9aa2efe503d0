// SPDX-License-Identifier: Apache-2.0
// Values of a wanted type, and random constants, numbers, texts and hints.
#include "tests/generate/generate.h"

#include <assert.h>
#include <string.h>

// ---- adding ops -----------------------------------------------------------------------------------------------------

void see_values(Generator *g, TirValue first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        g->visible = arena_grow(&g->scratch, g->visible, g->visible_count, &g->visible_capacity, sizeof *g->visible);
        g->visible[g->visible_count++] = first + i;
    }
}

TirOp *add_op(Generator *g, TirOpKind kind, uint32_t operand_count, const TirValue *operands, const uint32_t *segments,
              uint32_t result_count, const TirType *results) {
    TirOp *op = tir_op_add(g->block, &(TirNewOp){.kind = kind,
                                                 .operand_count = operand_count,
                                                 .operands = operands,
                                                 .segments = segments,
                                                 .result_count = result_count,
                                                 .results = results});
    op->at = (Location){.file = g->module->path, .line = op->number + 1};
    if (g->location_count) op->debug = g->locations[below(g, g->location_count)];
    if (!op->region_count) see_values(g, op->first_result, result_count);
    g->counts[kind]++;
    return op;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

uint64_t random_bits(Generator *g, TirTypeKind kind) {
    unsigned bits = tir_type_rows[kind].bits;
    uint64_t number = one_in(g, 2) ? random_edge(&g->random) : random_next(&g->random);
    // Exponents about that of 1, so that many numbers have a short text.
    static const uint64_t ones[TIR_TYPE_COUNT] = {
        [TIR_TYPE_f16] = 0x3c00,
        [TIR_TYPE_bf16] = 0x3f80,
        [TIR_TYPE_f32] = 0x3f800000,
        [TIR_TYPE_tf32] = 0x1fc00,
        [TIR_TYPE_f64] = 0x3ff0000000000000,
    };
    if (ones[kind] && one_in(g, 3)) number = ones[kind] + (below(g, 8) << (bits - 8)) - (below(g, 4) << (bits / 2));
    // NVIDIA's disassembler ends with SIGILL on fnv8E5M3FNU with the top bit set, except NaN.
    if (kind == TIR_TYPE_fnv8E5M3FNU && (number & 0xff) != 0xff) number &= 0x7f;
    return bits == 64 ? number : number & ((UINT64_C(1) << bits) - 1);
}

static uint8_t *put_bits(uint8_t *at, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; i++, bits >>= 8) *at++ = (uint8_t)bits;
    return at;
}

static TirConstant random_bools(Generator *g, int64_t elements) {
    size_t size = one_in(g, 2) ? 1 : (size_t)(elements + 7) / 8;
    uint8_t *bytes = arena_alloc(&g->module->arena, size);
    for (size_t i = 0; i < size; i++) bytes[i] = one_in(g, 3) ? 0xff : one_in(g, 2) ? 0 : (uint8_t)below(g, 256);
    // What is left of the last byte is zero, as writers leave it, and the byte of a splat full or empty.
    if (size == 1 && elements > 8)
        bytes[0] = one_in(g, 2) ? 0xff : 0;
    else if (elements % 8)
        bytes[size - 1] &= (uint8_t)((1u << elements % 8) - 1);
    return (TirConstant){.bytes = bytes, .size = size};
}

TirConstant random_constant(Generator *g, TirType tile) {
    TirTypeKind kind = tir_tile_element_kind(g->module, tile);
    int64_t elements = tir_tile_elements(g->module, tile);
    if (kind == TIR_TYPE_i1) return random_bools(g, elements);
    size_t width = (tir_type_rows[kind].bits + 7u) / 8u;
    size_t count = one_in(g, 2) ? 1 : (size_t)elements;
    uint64_t bits = random_bits(g, kind);
    uint8_t *bytes = arena_alloc(&g->module->arena, count * width), *at = bytes;
    bool equal = one_in(g, 8);
    for (size_t i = 0; i < count; i++) at = put_bits(at, equal ? bits : random_bits(g, kind), width);
    return (TirConstant){.bytes = bytes, .size = count * width};
}

TirAttribute random_number(Generator *g, TirTypeKind kind) {
    bool is_float = tir_type_rows[kind].class == TIR_CLASS_FLOAT;
    TirAttribute number = {.present = true,
                           .tag = is_float                              ? TIR_TAG_FLOAT
                                  : kind == TIR_TYPE_i1 && one_in(g, 2) ? TIR_TAG_BOOL
                                                                        : TIR_TAG_INTEGER,
                           .integer = random_bits(g, kind)};
    if (number.tag != TIR_TAG_BOOL) number.type = tir_type_scalar(g->module, kind);
    return number;
}

// ---- texts ----------------------------------------------------------------------------------------------------------

static const char *const syllables[] = {"a",    "_x9",  "loop", "Z",    "0",        ".",  "$",           " ",  "-",
                                        "\"",   "\\",   "\n",   "\t",   "\xc3\xa9", "//", "\xff",        "%d", "tile",
                                        "cst_", "loc(", "\x01", "true", "%",        "'",  "\xe2\x82\xac"};

static const char *join_syllables(Generator *g, size_t plain, size_t *length) {
    char text[128];
    size_t count = 1 + below(g, 6), limit = one_in(g, 3) ? BASE_COUNT(syllables) : plain;
    *length = 0;
    for (size_t i = 0; i < count; i++) {
        const char *syllable = syllables[below(g, limit)];
        memcpy(text + *length, syllable, strlen(syllable));
        *length += strlen(syllable);
    }
    return arena_text(&g->module->arena, text, *length);
}

const char *random_name(Generator *g) {
    size_t length;
    return join_syllables(g, 4, &length);
}

const char *random_text(Generator *g, size_t *length) {
    char *text = (char *)join_syllables(g, BASE_COUNT(syllables), length);
    if (one_in(g, 10)) text[below(g, *length)] = 0;
    for (size_t i = 0; i < *length; i++)
        if (text[i] == '%') text[i] = '#'; // of print: its conversions are counted
    if (one_in(g, 20)) *length = 0;
    return text;
}

// ---- hints ----------------------------------------------------------------------------------------------------------

static size_t random_entries(Generator *g, const char *const *names, size_t count, TirNamedAttribute **entries) {
    *entries = arena_array(&g->module->arena, TirNamedAttribute, count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (one_in(g, 3)) (*entries)[found++].name = names[i];
    return found;
}

static TirAttribute random_hint_number(Generator *g) {
    static const TirTypeKind kinds[] = {TIR_TYPE_i32, TIR_TYPE_i64, TIR_TYPE_i1,
                                        TIR_TYPE_i8,  TIR_TYPE_f32, TIR_TYPE_f64};
    TirAttribute number = random_number(g, one_in(g, 4) ? kinds[below(g, BASE_COUNT(kinds))] : TIR_TYPE_i64);
    if (number.tag == TIR_TAG_INTEGER && !one_in(g, 8))
        number.integer = tir_type(g->module, number.type)->kind == TIR_TYPE_i1 ? 1 : below(g, 8) + 1;
    return number;
}

static TirAttribute random_hint(Generator *g, uint32_t depth) {
    static const char *const names[] = {"_9", "a", "a b", "b", "tile"};
    TirAttribute hint = {.present = true, .tag = TIR_TAG_STRING};
    TirNamedAttribute *entries;
    TirAttribute *items;
    switch (below(g, depth ? 40 : 12)) { // mostly numbers
    case 0: hint.text = random_text(g, &hint.length); return hint;
    case 1:
        hint.tag = TIR_TAG_TYPE;
        hint.type = random_carried(g);
        return hint;
    case 2:
        hint.tag = TIR_TAG_ARRAY;
        hint.length = below(g, 4);
        items = arena_array(&g->module->arena, TirAttribute, hint.length);
        for (size_t i = 0; i < hint.length; i++)
            items[i] = one_in(g, 6) ? random_hint(g, depth + 1) : random_hint_number(g);
        hint.items = items;
        return hint;
    case 3:
        hint.tag = TIR_TAG_DICTIONARY;
        hint.length = random_entries(g, names, BASE_COUNT(names), &entries);
        hint.entries = entries;
        for (size_t i = 0; i < hint.length; i++) entries[i].value = random_hint(g, depth + 1);
        return hint;
    default: return random_hint_number(g);
    }
}

// Sorted: text does not keep the order.
void random_hints(Generator *g, TirAttribute *hints, bool of_entry) {
    static const char *const targets[] = {"default", "sm_100", "sm_120", "sm_80"};
    static const char *const of_entries[] = {"num_cta_in_cga", "num_worker_warps_per_cta", "occupancy"};
    static const char *const of_ops[] = {"allow_tma", "latency", "other"};
    TirNamedAttribute *entries, *inner;
    hints->present = true;
    hints->tag = TIR_TAG_HINTS;
    hints->length = random_entries(g, targets, BASE_COUNT(targets), &entries);
    hints->entries = entries;
    for (size_t i = 0; i < hints->length; i++) {
        TirAttribute *dictionary = &entries[i].value;
        *dictionary = (TirAttribute){.present = true, .tag = TIR_TAG_DICTIONARY};
        dictionary->length = random_entries(g, of_entry ? of_entries : of_ops, 3, &inner);
        dictionary->entries = inner;
        for (size_t k = 0; k < dictionary->length; k++) inner[k].value = random_hint(g, 0);
    }
}

void random_argument_attributes(Generator *g, TirAttribute *attributes, uint32_t count) {
    static const char *const names[] = {".x", "a.b c", "cuda_tile.div_by", "llvm.noalias"};
    TirAttribute *items = arena_array(&g->module->arena, TirAttribute, count);
    *attributes = (TirAttribute){.tag = TIR_TAG_ARRAY, .items = items, .length = count};
    for (uint32_t i = 0; i < count; i++) {
        TirNamedAttribute *entries;
        items[i] = (TirAttribute){.present = true, .tag = TIR_TAG_DICTIONARY};
        items[i].length = random_entries(g, names, BASE_COUNT(names), &entries);
        items[i].entries = entries;
        for (size_t k = 0; k < items[i].length; k++) entries[k].value = random_hint(g, 0);
        attributes->present |= items[i].length > 0;
    }
}

// ---- values ---------------------------------------------------------------------------------------------------------

static TirValue result_of(Generator *g, TirOpKind kind, uint32_t count, const TirValue *operands, TirType type) {
    return add_op(g, kind, count, operands, NULL, 1, &type)->first_result;
}

static TirValue constant_of(Generator *g, TirType type) {
    TirValue value = result_of(g, TIR_OP_constant, 0, NULL, type);
    tir_op_set(tir_value(g->function, value)->definition, "value")->constant = random_constant(g, type);
    return value;
}

static TirValue make_tile(Generator *g, TirType type) {
    TirTypeKind kind = tir_tile_element_kind(g->module, type);
    Shape shape = shape_of(g, type);
    if (kind == TIR_TYPE_ptr) {
        TirValue address = value_of(g, number_tile(g, TIR_TYPE_i64, &shape));
        return result_of(g, TIR_OP_int_to_ptr, 1, &address, type);
    }
    if (kind != TIR_TYPE_i4) return constant_of(g, type);
    TirValue wide = value_of(g, number_tile(g, TIR_TYPE_i8, &shape)),
             value = result_of(g, TIR_OP_trunci, 1, &wide, type);
    tir_op_set(tir_value(g->function, value)->definition, "overflow")->integer = TIR_overflow_none;
    return value;
}

static TirValue make_tensor(Generator *g, TirType type) {
    const TirTypeInfo info = *tir_type(g->module, type);
    TirValue operands[1 + 2 * SHAPE_RANK_MAX];
    uint32_t segments[TIR_OPERANDS_MAX] = {1}, count = 1;
    TirType extent = scalar_of(g, random_kind(g, KINDS_INTEGER));
    operands[0] = value_of(g, tile_of(g, pointer_to(g, info.element, info.ptr_attr), &(Shape){0}));
    for (uint32_t i = 0; i < info.rank; i++)
        if (info.shape[i] == TIR_DYNAMIC) operands[count++] = value_of(g, extent), segments[1]++;
    for (uint32_t i = 0; i < info.rank; i++)
        if (info.strides[i] == TIR_DYNAMIC) operands[count++] = value_of(g, extent), segments[2]++;
    return add_op(g, TIR_OP_make_tensor_view, count, operands, segments, 1, &type)->first_result;
}

static TirValue make_value(Generator *g, TirType type) {
    static const TirOpKind view_makers[TIR_TYPE_COUNT] = {
        [TIR_TYPE_partition_view] = TIR_OP_make_partition_view,
        [TIR_TYPE_strided_view] = TIR_OP_make_strided_view,
        [TIR_TYPE_gather_scatter_view] = TIR_OP_make_gather_scatter_view,
    };
    const TirTypeInfo *info = tir_type(g->module, type);
    switch (info->kind) {
    case TIR_TYPE_tile: return make_tile(g, type);
    case TIR_TYPE_token: return result_of(g, TIR_OP_make_token, 0, NULL, type);
    case TIR_TYPE_tensor_view: return make_tensor(g, type);
    default: break;
    }
    assert(view_makers[info->kind]);
    TirOpKind maker = view_makers[info->kind];
    TirValue tensor = value_of(g, info->element);
    return result_of(g, maker, 1, &tensor, type);
}

TirValue value_of(Generator *g, TirType type) {
    TirValue found = TIR_NO_VALUE;
    uint64_t count = 0;
    for (uint32_t i = 0; i < g->visible_count; i++)
        if (tir_value_type(g->function, g->visible[i]) == type && one_in(g, ++count)) found = g->visible[i];
    return found == TIR_NO_VALUE || one_in(g, 4) ? make_value(g, type) : found;
}
