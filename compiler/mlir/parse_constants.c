// SPDX-License-Identifier: Apache-2.0
// Dense constants of the text form: <f32: 1.0>, <i32: [[1, 2], [3, 4]]>.
#include "compiler/mlir/mlir.h"

#include <ctype.h>
#include <stdlib.h>

const char *type_text(Parser *p, TirType type) {
    Buffer buffer = {0};
    tir_type_print(p->module, type, &buffer);
    const char *text = arena_text(&p->scratch, buffer.data, buffer.size);
    buffer_free(&buffer);
    return text;
}

// ---- the literal ----------------------------------------------------------------------------------------------------

static bool parse_element(Parser *p, ConstantLiteral *literal, uint32_t level, bool first) {
    Token at = p->token;
    if (first)
        literal->rank = level;
    else if (literal->rank != level)
        return parse_fail(p, &at, "a number %u lists deep, others are %u deep", level, literal->rank);
    literal->numbers =
        arena_grow(&p->scratch, literal->numbers, literal->count, &literal->capacity, sizeof *literal->numbers);
    return parse_number(p, literal->kind, &literal->numbers[literal->count++]);
}

// A number or a list at `level` lists deep. The first list of each level says how long the others are.
static bool parse_elements(Parser *p, ConstantLiteral *literal, uint32_t level) {
    if (!parse_at(p, '[')) return parse_element(p, literal, level, !literal->count);
    Token at = p->token;
    if (level == TIR_RANK_MAX) return parse_fail_with(p, &at, E_LIMIT, "more than %d dimensions", TIR_RANK_MAX);
    int64_t length = 0;
    parse_advance(p);
    do {
        if (!parse_elements(p, literal, level + 1)) return false;
        length++;
    } while (parse_take(p, ','));
    if (!parse_need(p, ']', "',' or ']'")) return false;
    if (!literal->shape[level]) literal->shape[level] = length;
    if (literal->shape[level] == length) return true;
    return parse_fail(p, &at, "a list of %lld, but one beside it has %lld", (long long)length,
                      (long long)literal->shape[level]);
}

// "0x0000803F"
static bool parse_bytes(Parser *p, ConstantLiteral *literal) {
    Token at = p->token;
    const char *text;
    size_t length;
    if (!parse_string(p, &at, &text, &length)) return false;
    bool good = length > 2 && length % 2 == 0 && text[0] == '0' && text[1] == 'x';
    for (size_t i = 2; good && i < length; i++) good = isxdigit((unsigned char)text[i]);
    if (!good) return parse_fail(p, &at, "a string that is not 0x and the bytes of the elements in hexadecimal");
    literal->is_bytes = true;
    literal->count = length / 2 - 1;
    literal->numbers = arena_array(&p->scratch, uint64_t, literal->count);
    for (size_t i = 0; i < literal->count; i++) {
        char digits[3] = {text[2 * i + 2], text[2 * i + 3], 0};
        literal->numbers[i] = strtoul(digits, NULL, 16);
    }
    parse_advance(p);
    return true;
}

bool parse_constant_numbers(Parser *p, ConstantLiteral *literal) {
    return parse_at(p, TOKEN_STRING) ? parse_bytes(p, literal) : parse_elements(p, literal, 0);
}

bool parse_constant_elements(Parser *p, ConstantLiteral *literal) {
    return parse_need(p, '<', "'<'") && parse_constant_numbers(p, literal) && parse_need(p, '>', "'>'");
}

// ---- its bytes ------------------------------------------------------------------------------------------------------

static bool all_equal(const ConstantLiteral *literal) {
    for (size_t i = 1; i < literal->count; i++)
        if (literal->numbers[i] != literal->numbers[0]) return false;
    return true;
}

// tile-ir.md section 2, Constant payloads: one element if all are equal, else all; i1 is packed, and all its bits are
// set where all elements are.
static void pack_elements(Parser *p, const ConstantLiteral *literal, TirConstant *constant) {
    bool splat = all_equal(literal), bits = literal->kind == TIR_TYPE_i1;
    size_t width = (tir_type_rows[literal->kind].bits + 7u) / 8u, count = splat ? 1 : literal->count;
    size_t size = bits ? (count + 7) / 8 : count * width;
    uint8_t *bytes = arena_alloc(&p->module->arena, size);
    for (size_t i = 0; i < count; i++) {
        uint64_t number = literal->numbers[i];
        if (bits)
            bytes[i / 8] |= (uint8_t)((splat && number ? 0xFF : number) << (i % 8));
        else
            for (size_t b = 0; b < width; b++) bytes[i * width + b] = (uint8_t)(number >> (8 * b));
    }
    *constant = (TirConstant){.bytes = bytes, .size = size};
}

// Of bytes numbers, as many as the tile has elements or one. Bits that the kind does not use are kept, as those of
// bytecode are; a bool has none.
static bool join_bytes(Parser *p, const ConstantLiteral *literal, TirType tile, const Token *at,
                       ConstantLiteral *joined) {
    unsigned bits = tir_type_rows[literal->kind].bits;
    size_t width = (bits + 7u) / 8u, elements = (size_t)tir_tile_elements(p->module, tile);
    if (literal->count != width && literal->count != elements * width)
        return parse_fail(p, at, "%zu bytes, but %s has %zu elements of %zu bytes", literal->count, type_text(p, tile),
                          elements, width);
    *joined = (ConstantLiteral){.kind = literal->kind, .count = literal->count / width};
    joined->numbers = arena_array(&p->scratch, uint64_t, joined->count);
    for (size_t i = 0; i < joined->count; i++) {
        for (size_t b = width; b-- > 0;) joined->numbers[i] = joined->numbers[i] << 8 | literal->numbers[i * width + b];
        if (bits == 1 && joined->numbers[i] > 1)
            return parse_fail(p, at, "element %zu of a constant of bools is neither 00 nor 01", i);
    }
    return true;
}

static const char *shape_text(Parser *p, const int64_t *shape, uint32_t rank) {
    const char *text = "";
    for (uint32_t i = 0; i < rank; i++)
        text = arena_format(&p->scratch, "%s%s%lld", text, i ? "x" : "", (long long)shape[i]);
    return text;
}

bool constant_for_tile(Parser *p, const ConstantLiteral *literal, TirType tile, const Token *at,
                       TirConstant *constant) {
    const TirTypeInfo *info = tir_type(p->module, tile);
    if (info->kind != TIR_TYPE_tile)
        return parse_fail(p, at, "a constant of type %s, expected a tile", type_text(p, tile));
    TirTypeKind element = tir_tile_element_kind(p->module, tile);
    if (element != literal->kind)
        return parse_fail(p, at, "the numbers are %s, but the type is %s", tir_type_rows[literal->kind].name,
                          type_text(p, tile));
    ConstantLiteral joined;
    if (literal->is_bytes) {
        if (!join_bytes(p, literal, tile, at, &joined)) return false;
        literal = &joined;
    }
    bool fits = !literal->rank || literal->rank == info->rank;
    for (uint32_t i = 0; fits && i < literal->rank; i++) fits = literal->shape[i] == info->shape[i];
    if (!fits)
        return parse_fail(p, at, "the lists have the shape %s, but the type is %s",
                          shape_text(p, literal->shape, literal->rank), type_text(p, tile));
    pack_elements(p, literal, constant);
    return true;
}
