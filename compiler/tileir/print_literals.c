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
    return true;
}

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

void tir_print_constant(const TirModule *module, TirType tile, const TirConstant *constant, Buffer *out) {
    if (!tir_constant_has_elements(module, tile, constant)) {
        buffer_append(out, "<?>", 3);
        return;
    }
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    buffer_print(out, "<%s: ", tir_type_rows[kind].name);
    if (tir_constant_is_splat(module, tile, constant))
        tir_print_literal(kind, tir_constant_bits(module, tile, constant, 0), out);
    else
        print_nested_elements(module, tile, constant, out);
    buffer_append(out, ">", 1);
}

// ---- tagged attributes ----------------------------------------------------------------------------------------------

// `12 : i32`; the types that a literal has by itself stay away: i1, i64, and f64 in decimal.
static void print_typed_number(const TirModule *module, const TirAttribute *attribute, Buffer *out) {
    TirTypeKind kind = tir_type(module, attribute->type)->kind;
    bool hexadecimal = tir_print_literal(kind, attribute->integer, out);
    bool implied = kind == TIR_TYPE_i1 || kind == TIR_TYPE_i64 || (kind == TIR_TYPE_f64 && !hexadecimal);
    if (!implied) buffer_print(out, " : %s", tir_type_rows[kind].name);
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

// key = value, ... with sorted keys, as they are, and numbers without their type: only hints have dictionaries.
static void print_dictionary(const TirModule *module, const TirAttribute *dictionary, Buffer *out) {
    Arena scratch = {0};
    const TirNamedAttribute **entries = arena_array(&scratch, const TirNamedAttribute *, dictionary->length);
    for (size_t i = 0; i < dictionary->length; i++) entries[i] = &dictionary->entries[i];
    qsort(entries, dictionary->length, sizeof *entries, compare_entries);
    for (size_t i = 0; i < dictionary->length; i++) {
        const TirAttribute *value = &entries[i]->value;
        if (i) buffer_append(out, ", ", 2);
        buffer_print(out, "%s = ", entries[i]->name);
        if (value->tag == TIR_TAG_INTEGER || value->tag == TIR_TAG_FLOAT)
            tir_print_literal(tir_type(module, value->type)->kind, value->integer, out);
        else
            tir_print_tagged(module, value, out);
    }
    arena_reset(&scratch);
}

void tir_print_tagged(const TirModule *module, const TirAttribute *attribute, Buffer *out) {
    switch (attribute->tag) {
    case TIR_TAG_INTEGER:
    case TIR_TAG_FLOAT: print_typed_number(module, attribute, out); return;
    case TIR_TAG_BOOL: buffer_print(out, "%s", attribute->integer ? "true" : "false"); return;
    case TIR_TAG_TYPE: tir_type_print(module, attribute->type, out); return;
    case TIR_TAG_STRING: tir_print_quoted(attribute->text, attribute->length, out); return;
    case TIR_TAG_ARRAY:
        buffer_append(out, "[", 1);
        for (size_t i = 0; i < attribute->length; i++) {
            if (i) buffer_append(out, ", ", 2);
            tir_print_tagged(module, &attribute->items[i], out);
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
    case TIR_TAG_DICTIONARY:
        buffer_append(out, "{", 1);
        print_dictionary(module, attribute, out);
        buffer_append(out, "}", 1);
        return;
    case TIR_TAG_HINTS: tir_print_hints(module, attribute, out); return;
    case TIR_TAG_DENSE:
    case TIR_TAG_NONE: buffer_append(out, "unit", 4); return;
    }
}

void tir_print_hints(const TirModule *module, const TirAttribute *hints, Buffer *out) {
    buffer_append(out, "<", 1);
    print_dictionary(module, hints, out);
    buffer_append(out, ">", 1);
}
