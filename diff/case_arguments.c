// SPDX-License-Identifier: Apache-2.0
// Arguments of launches in a case file: words for buffers, their parts and scalars; lists of arrays; mappings for views
// (case_views.c) and for what only kernels of threads take.
#include "diff/case_internal.h"

#include <string.h>

// "NAME.ptr", "NAME.shape.0", "NAME.stride.0" after the name.
static bool read_part(CaseReader *r, const FpdNode *node, const char *part, FpdArgument *argument) {
    const FpdBuffer *buffer = &r->cas->buffers[argument->buffer];
    bool shape = !strncmp(part, "shape.", 6), stride = !strncmp(part, "stride.", 7);
    if (!strcmp(part, "ptr")) {
        argument->kind = FPD_ARGUMENT_POINTER;
        return true;
    }
    const char *digit = part + (shape ? 6 : 7);
    if ((!shape && !stride) || digit[0] < '0' || digit[0] > '9' || digit[1])
        return case_wrong(r, node->at, "argument '%s': '%s' is no part of a buffer, expected ptr, shape.N or stride.N",
                          node->text, part);
    argument->kind = shape ? FPD_ARGUMENT_SHAPE : FPD_ARGUMENT_STRIDE;
    argument->dimension = (uint32_t)(*digit - '0');
    return argument->dimension < buffer->rank ||
           case_wrong(r, node->at, "argument '%s': buffer %s has %u dimensions, counted from 0", node->text,
                      buffer->name, buffer->rank);
}

static bool is_parameter(const FpdCase *cas, const char *text) {
    for (uint32_t i = 0; i < cas->parameters.count; i++)
        if (!strcmp(cas->parameters.items[i].name, text)) return true;
    return false;
}

static bool read_word_argument(CaseReader *r, const FpdNode *node, FpdArgument *argument) {
    const char *text = node->text, *space = strchr(text, ' '), *dot = strchr(text, '.'), *expected;
    argument->text = text;
    if (space) {
        const char *word = arena_text(r->arena, text, (size_t)(space - text)), *value = space + strspn(space, " ");
        argument->kind = FPD_ARGUMENT_VALUE;
        if (!element_by_name(word, &argument->type))
            return case_wrong(r, node->at, "argument '%s': unknown type '%s', expected one of: %s", text, word,
                              case_type_names(r->arena));
        if (fpd_element_parse(argument->type, value, &argument->bits, &expected)) return true;
        if (!fpd_is_expression(value, &r->cas->parameters))
            return case_wrong(r, node->at, "argument '%s': '%s' is not %s", text, value, expected);
        return case_read_element(r, node, arena_format(r->arena, "argument '%s'", text), argument->type, value,
                                 &argument->bits);
    }
    if (is_parameter(r->cas, text))
        return case_wrong(r, node->at,
                          "argument '%s' is a parameter of the case, a scalar is written TYPE VALUE: i32 %s", text,
                          text);
    argument->kind = FPD_ARGUMENT_BUFFER;
    if (!case_find_buffer(r->cas, text, dot ? (size_t)(dot - text) : strlen(text), &argument->buffer))
        return case_wrong(r, node->at, "argument '%s' is no buffer (%s) and no scalar, which is written TYPE VALUE",
                          text, case_buffer_names(r));
    return !dot || read_part(r, node, dot + 1, argument);
}

// ---- arguments of kernels of threads

static bool read_scratch(CaseReader *r, const FpdNode *node, FpdArgument *argument) {
    int64_t bytes;
    argument->kind = FPD_ARGUMENT_SCRATCH;
    if (!case_read_integer(r, node, "scratch", 0, (int64_t)FPD_BYTES_MAX, &bytes)) return false;
    argument->size = (uint64_t)bytes;
    argument->text = bytes ? arena_format(r->arena, "scratch, %lld bytes for each block", (long long)bytes)
                           : "scratch of no bytes, a null pointer";
    return true;
}

static int hex_digit(char c) {
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool read_bytes(CaseReader *r, const FpdNode *node, FpdArgument *argument) {
    const size_t digits = strlen(node->text);
    uint8_t *bytes = arena_alloc(r->arena, digits / 2 + 1);
    bool good = digits % 2 == 0 && digits / 2 <= WARP_PARAMETERS_MAX;
    for (size_t i = 0; i < digits && good; i++) {
        const int digit = hex_digit(node->text[i]);
        good = digit >= 0;
        bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | (digit & 15));
    }
    if (!good)
        return case_wrong(r, node->at, "bytes are '%.40s%s', expected two hexadecimal digits for each of at most %d",
                          node->text, digits > 40 ? "..." : "", WARP_PARAMETERS_MAX);
    argument->kind = FPD_ARGUMENT_BYTES;
    argument->size = digits / 2;
    argument->bytes = bytes;
    argument->text = arena_format(r->arena, "%zu bytes", digits / 2);
    return true;
}

static bool read_struct(CaseReader *r, const FpdNode *node, FpdArgument *argument) {
    const char *text = "struct {";
    FpdArgument *items = arena_array(r->arena, FpdArgument, node->count + 1u);
    if (!node->count) return case_wrong(r, node->at, "a struct has no fields, expected at least one");
    for (uint32_t i = 0; i < node->count; i++) {
        if (!case_read_argument(r, &node->items[i], &items[i])) return false;
        if (i < 8) text = arena_format(r->arena, "%s%s%s", text, i ? "; " : "", items[i].text);
    }
    argument->kind = FPD_ARGUMENT_STRUCT;
    argument->item_count = node->count;
    argument->items = items;
    argument->text = arena_format(r->arena, "%s%s}", text, node->count > 8 ? "; ..." : "");
    return true;
}

// A view is its own mapping: it has more keys than one.
static bool is_view(const FpdNode *node) {
    for (uint32_t i = 0; i < node->count; i++)
        if (!strcmp(node->keys[i].text, "view")) return true;
    return false;
}

static const struct ArgumentRow {
    KeyName key;
    bool (*read)(CaseReader *r, const FpdNode *node, FpdArgument *argument);
} argument_rows[] = {{KEY_ARGUMENT_map, case_read_map},
                     {KEY_ARGUMENT_scratch, read_scratch},
                     {KEY_ARGUMENT_bytes, read_bytes},
                     {KEY_ARGUMENT_struct, read_struct}};

bool case_read_argument(CaseReader *r, const FpdNode *node, FpdArgument *argument) {
    KeyNodes keys = {0};
    argument->at = node->at;
    if (node->kind == FPD_LIST) return case_read_list(r, node, argument);
    if (node->kind == FPD_MAPPING && is_view(node)) return case_read_view(r, node, argument);
    if (node->kind != FPD_MAPPING)
        return case_expect_kind(r, node, VALUE_SCALAR, "an argument") && read_word_argument(r, node, argument);
    if (!case_read_keys(r, node, IN_ARGUMENT, keys)) return false;
    if (node->count != 1)
        return case_wrong(r, node->at,
                          "an argument has %u keys, expected those of a view, or one: map, scratch, bytes or struct",
                          node->count);
    for (size_t i = 0; i < BASE_COUNT(argument_rows); i++)
        if (keys[argument_rows[i].key]) return argument_rows[i].read(r, keys[argument_rows[i].key], argument);
    return false;
}
