// SPDX-License-Identifier: Apache-2.0
// Literals of the text form: strings, symbols, constants, tagged attributes, hints.
#include "compiler/tileir/print_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- strings --------------------------------------------------------------------------------------------------------

void tir_print_quoted(const char *text, size_t length, Buffer *out) {
    buffer_append(out, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        uint8_t c = (uint8_t)text[i];
        if (c == '\\')
            buffer_append(out, "\\\\", 2);
        else if (c < 0x20 || c > 0x7E || c == '"')
            buffer_print(out, "\\%02X", c);
        else
            buffer_append(out, &text[i], 1);
    }
    buffer_append(out, "\"", 1);
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_identifier(const char *name) {
    if (!is_letter(*name)) return false;
    for (; *name; name++)
        if (!is_letter(*name) && !(*name >= '0' && *name <= '9') && *name != '$' && *name != '.') return false;
    return true;
}

static void print_identifier(const char *name, Buffer *out) {
    if (is_identifier(name))
        buffer_print(out, "%s", name);
    else
        tir_print_quoted(name, strlen(name), out);
}

void tir_print_symbol(const char *name, Buffer *out) {
    buffer_append(out, "@", 1);
    print_identifier(name, out);
}

// ---- constants ------------------------------------------------------------------------------------------------------

bool tir_constant_has_elements(const TirModule *module, TirType tile, const TirConstant *constant) {
    const TirTypeInfo *type = tir_type(module, tile);
    if (type->kind != TIR_TYPE_tile || !constant->size) return false;
    if (tir_type_rows[tir_tile_element_kind(module, tile)].class == TIR_CLASS_COMPOUND) return false;
    int64_t count = 1;
    for (uint32_t d = 0; d < type->rank; d++)
        if (type->shape[d] <= 0 || __builtin_mul_overflow(count, type->shape[d], &count) ||
            count > TIR_TILE_ELEMENTS_MAX)
            return false;
    // A text not much longer than what there is: an element takes one bit or more.
    size_t width = (tir_type_rows[tir_tile_element_kind(module, tile)].bits + 7u) / 8u;
    return constant->size == width || (uint64_t)count / 8 <= constant->size;
}

enum { LISTED_ELEMENTS_MAX = 100 }; // more are printed as bytes

static void print_nested_elements(const TirModule *module, TirType tile, const TirConstant *constant, Buffer *out) {
    const TirTypeInfo *type = tir_type(module, tile);
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    int64_t count = tir_tile_elements(module, tile);
    for (int64_t i = 0; i < count; i++) {
        uint32_t opened = 0, closed = 0; // how many dimensions begin or end with this element
        int64_t inner = 1;
        for (uint32_t d = type->rank; d-- > 0;) {
            inner *= type->shape[d];
            opened += i % inner == 0;
            closed += (i + 1) % inner == 0;
        }
        if (i) buffer_append(out, ", ", 2);
        for (uint32_t d = 0; d < opened; d++) buffer_append(out, "[", 1);
        tir_print_literal(kind, tir_constant_bits(module, tile, constant, i), out);
        for (uint32_t d = 0; d < closed; d++) buffer_append(out, "]", 1);
    }
}

// "0x0000803F..": the bytes of the elements in memory, one for a bool.
static void print_element_bytes(const TirModule *module, TirType tile, const TirConstant *constant, Buffer *out) {
    static const char digits[] = "0123456789ABCDEF";
    size_t width = (tir_type_rows[tir_tile_element_kind(module, tile)].bits + 7u) / 8u;
    int64_t count = tir_tile_elements(module, tile);
    buffer_append(out, "\"0x", 3);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = tir_constant_bits(module, tile, constant, i);
        for (size_t b = 0; b < width; b++, bits >>= 8)
            buffer_append(out, (char[]){digits[bits >> 4 & 15], digits[bits & 15]}, 2);
    }
    buffer_append(out, "\"", 1);
}

void tir_print_constant(const TirModule *module, TirType tile, const TirConstant *constant, Buffer *out) {
    if (!tir_constant_has_elements(module, tile, constant)) {
        buffer_append(out, "<?>", 3);
        return;
    }
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    buffer_print(out, "<%s: ", tir_type_rows[kind].name);
    if (tir_constant_is_splat(module, tile, constant))
        tir_print_literal(kind, tir_constant_bits(module, tile, constant, 0), out);
    else if (tir_tile_elements(module, tile) > LISTED_ELEMENTS_MAX)
        print_element_bytes(module, tile, constant, out);
    else
        print_nested_elements(module, tile, constant, out);
    buffer_append(out, ">", 1);
}

// ---- tagged attributes ----------------------------------------------------------------------------------------------

typedef enum NumberStyle {
    NUMBER_CLEAR,   // 12 : i32; the types that a literal has by itself stay away: i1, i64, and f64 in decimal
    NUMBER_UNTYPED, // in hints
    NUMBER_TYPED,   // in dictionaries in hints
} NumberStyle;

static void print_number(const TirModule *module, const TirAttribute *attribute, NumberStyle style, Buffer *out) {
    TirTypeKind kind = tir_type(module, attribute->type)->kind;
    bool hexadecimal = tir_print_literal(kind, attribute->integer, out);
    bool clear = kind == TIR_TYPE_i64 || (kind == TIR_TYPE_f64 && !hexadecimal);
    if (style == NUMBER_UNTYPED || kind == TIR_TYPE_i1 || (style == NUMBER_CLEAR && clear)) return;
    buffer_print(out, " : %s", tir_type_rows[kind].name);
}

static void print_number_list(const int64_t *numbers, size_t count, Buffer *out) {
    buffer_append(out, "[", 1);
    for (size_t i = 0; i < count; i++) buffer_print(out, "%s%" PRId64, i ? ", " : "", numbers[i]);
    buffer_append(out, "]", 1);
}

static void print_bound(const TirAttribute *bounded, uint32_t which, Buffer *out) {
    if (bounded->flags >> which & 1)
        buffer_print(out, "%" PRId64, bounded->numbers[which]);
    else
        buffer_append(out, "?", 1);
}

static void print_div_by(const TirAttribute *attribute, Buffer *out) {
    buffer_print(out, "div_by<%" PRIu64, (uint64_t)attribute->numbers[0]);
    if (attribute->flags & 1) buffer_print(out, ", every %" PRId64, attribute->numbers[1]);
    if (attribute->flags & 2)
        buffer_print(out, "%s along %" PRId64, attribute->flags & 1 ? "" : ",", attribute->numbers[2]);
    buffer_append(out, ">", 1);
}

static int compare_entries(const void *a, const void *b) {
    const TirNamedAttribute *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

static const TirNamedAttribute **sort_entries(Arena *arena, const TirAttribute *dictionary) {
    const TirNamedAttribute **entries = arena_array(arena, const TirNamedAttribute *, dictionary->length);
    for (size_t i = 0; i < dictionary->length; i++) entries[i] = &dictionary->entries[i];
    qsort(entries, dictionary->length, sizeof *entries, compare_entries);
    return entries;
}

static void print_hint(const TirModule *module, const TirAttribute *value, NumberStyle style, Buffer *out);

// key = value, ... with sorted keys. Those of hints stand as they are, and numbers there have no types.
static void print_entries(const TirModule *module, const TirAttribute *dictionary, bool of_hints, Buffer *out) {
    Arena scratch = {0};
    const TirNamedAttribute **entries = sort_entries(&scratch, dictionary);
    for (size_t i = 0; i < dictionary->length; i++) {
        if (i) buffer_append(out, ", ", 2);
        if (of_hints)
            buffer_print(out, "%s", entries[i]->name);
        else
            print_identifier(entries[i]->name, out);
        buffer_append(out, " = ", 3);
        print_hint(module, &entries[i]->value, of_hints ? NUMBER_UNTYPED : NUMBER_TYPED, out);
    }
    arena_reset(&scratch);
}

static void print_hint_type(const TirModule *module, TirType type, Buffer *out);

static void print_hint_types(const TirModule *module, const TirType *types, uint32_t count, Buffer *out) {
    buffer_append(out, "(", 1);
    for (uint32_t i = 0; i < count; i++) {
        if (i) buffer_append(out, ", ", 2);
        print_hint_type(module, types[i], out);
    }
    buffer_append(out, ")", 1);
}

// A function type has no functions in it.
static void print_hint_type(const TirModule *module, TirType type, Buffer *out) {
    const TirTypeInfo *info = tir_type(module, type);
    if (info->kind == TIR_TYPE_function) {
        print_hint_types(module, info->parameters, info->parameter_count, out);
        buffer_append(out, " -> ", 4);
        if (info->result_count == 1)
            print_hint_type(module, info->results[0], out);
        else
            print_hint_types(module, info->results, info->result_count, out);
        return;
    }
    if (tir_type_rows[info->kind].class == TIR_CLASS_COMPOUND) buffer_print(out, "!cuda_tile.");
    tir_type_print(module, type, out);
}

// In hints what belongs to the dialect says so.
static void print_hint(const TirModule *module, const TirAttribute *value, NumberStyle style, Buffer *out) {
    switch (value->tag) {
    case TIR_TAG_INTEGER:
    case TIR_TAG_FLOAT: print_number(module, value, style, out); return;
    case TIR_TAG_TYPE: print_hint_type(module, value->type, out); return;
    case TIR_TAG_DIV_BY:
    case TIR_TAG_SAME_ELEMENTS:
    case TIR_TAG_BOUNDED:
    case TIR_TAG_REDUCTION:
        buffer_print(out, "#cuda_tile.");
        tir_print_tagged(module, value, out);
        return;
    case TIR_TAG_HINTS:
        buffer_print(out, "#cuda_tile.optimization_hints");
        tir_print_hints(module, value, out);
        return;
    default: tir_print_tagged(module, value, out);
    }
}

void tir_print_tagged(const TirModule *module, const TirAttribute *attribute, Buffer *out) {
    switch (attribute->tag) {
    case TIR_TAG_INTEGER:
    case TIR_TAG_FLOAT: print_number(module, attribute, NUMBER_CLEAR, out); return;
    case TIR_TAG_BOOL: buffer_print(out, "%s", attribute->integer ? "true" : "false"); return;
    case TIR_TAG_TYPE: tir_type_print(module, attribute->type, out); return;
    case TIR_TAG_STRING: tir_print_quoted(attribute->text, attribute->length, out); return;
    case TIR_TAG_ARRAY:
        buffer_append(out, "[", 1);
        for (size_t i = 0; i < attribute->length; i++) {
            if (i) buffer_append(out, ", ", 2);
            print_hint(module, &attribute->items[i], NUMBER_CLEAR, out);
        }
        buffer_append(out, "]", 1);
        return;
    case TIR_TAG_DIV_BY: print_div_by(attribute, out); return;
    case TIR_TAG_SAME_ELEMENTS:
        buffer_append(out, "same_elements<", 14);
        print_number_list(attribute->numbers, attribute->length, out);
        buffer_append(out, ">", 1);
        return;
    case TIR_TAG_BOUNDED:
        buffer_append(out, "bounded<", 8);
        print_bound(attribute, 0, out);
        buffer_append(out, ", ", 2);
        print_bound(attribute, 1, out);
        buffer_append(out, ">", 1);
        return;
    case TIR_TAG_REDUCTION:
        buffer_print(out, "multimem_reduction_kind<%s>",
                     tir_enum_word(&tir_enum_multimem_reduction, attribute->integer));
        return;
    case TIR_TAG_DICTIONARY:
        buffer_append(out, "{", 1);
        print_entries(module, attribute, false, out);
        buffer_append(out, "}", 1);
        return;
    case TIR_TAG_HINTS: tir_print_hints(module, attribute, out); return;
    case TIR_TAG_DENSE:
    case TIR_TAG_NONE: buffer_append(out, "unit", 4); return;
    }
}

// <target = {name = value, ...}, ...>
void tir_print_hints(const TirModule *module, const TirAttribute *hints, Buffer *out) {
    Arena scratch = {0};
    const TirNamedAttribute **targets = sort_entries(&scratch, hints);
    buffer_append(out, "<", 1);
    for (size_t i = 0; i < hints->length; i++) {
        const TirAttribute *value = &targets[i]->value;
        buffer_print(out, "%s%s = ", i ? ", " : "", targets[i]->name);
        if (value->tag != TIR_TAG_DICTIONARY) {
            print_hint(module, value, NUMBER_UNTYPED, out);
            continue;
        }
        buffer_append(out, "{", 1);
        print_entries(module, value, true, out);
        buffer_append(out, "}", 1);
    }
    buffer_append(out, ">", 1);
    arena_reset(&scratch);
}
