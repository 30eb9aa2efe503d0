// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a case file of fpdiff is read. Its tree, written as YAML in another style, is the same case or wrong for
// the same reason.
#include "diff/case.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

// What a case names lies beside the bad cases.
static const char case_path[] = SOURCE_DIR "/tests/bad/fuzz.yaml";

// ---- writing a tree -------------------------------------------------------------------------------------------------

// One character of UTF-8 (the reader let no other text through); *at moves behind it.
static uint32_t next_character(const char **at) {
    const uint8_t *bytes = (const uint8_t *)*at;
    unsigned more = bytes[0] < 0x80 ? 0 : bytes[0] < 0xe0 ? 1 : bytes[0] < 0xf0 ? 2 : 3;
    uint32_t character = more ? bytes[0] & 0x3fu >> more : bytes[0];
    for (unsigned i = 1; i <= more; i++) character = character << 6 | (bytes[i] & 0x3f);
    *at += 1 + more;
    return character;
}

static void write_scalar(Buffer *out, const char *text) {
    buffer_print(out, "\"");
    while (*text) {
        uint32_t character = next_character(&text);
        bool plain = character >= 0x20 && character < 0x7f && character != '"' && character != '\\';
        if (plain)
            buffer_print(out, "%c", (char)character);
        else
            buffer_print(out, "\\U%08X", character);
    }
    buffer_print(out, "\"");
}

static void write_node(Buffer *out, const FpdNode *node) {
    if (node->kind == FPD_SCALAR) {
        write_scalar(out, node->text);
        return;
    }
    bool mapping = node->kind == FPD_MAPPING;
    buffer_print(out, mapping ? "{" : "[");
    for (uint32_t i = 0; i < node->count; i++) {
        if (i) buffer_print(out, ",\n ");
        if (mapping) {
            buffer_print(out, "? "); // a key may be long
            write_scalar(out, node->keys[i].text);
            buffer_print(out, " : ");
        }
        write_node(out, &node->items[i]);
    }
    buffer_print(out, mapping ? "}" : "]");
}

// ---- cases ----------------------------------------------------------------------------------------------------------

// All elements of a view lie in its buffer.
static void check_array(const FpdCase *cas, const FpdArgument *argument) {
    if (argument->buffer >= cas->buffer_count) fuzz_require_none("passes a buffer that is not there");
    const FpdBuffer *buffer = &cas->buffers[argument->buffer];
    const FpdView *view = argument->view;
    if (!view) return;
    const int64_t bits = element_info(view->type)->storage_bits;
    __int128 low = (__int128)view->offset * 8, high = low;
    bool empty = false;
    for (uint32_t d = 0; d < view->rank; d++) {
        *(view->stride[d] < 0 ? &low : &high) += (__int128)(view->shape[d] - 1) * view->stride[d] * bits;
        empty |= !view->shape[d];
    }
    if (low < 0 && !empty) fuzz_require_none("a view that begins before its buffer");
    if (view->offset > buffer->bytes || (!empty && high + bits > (__int128)buffer->bytes * 8))
        fuzz_require_none("a view that ends behind its buffer");
}

static void check_case(const FpdCase *cas) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < cas->buffer_count; i++) bytes += cas->buffers[i].bytes;
    if (bytes > FPD_BYTES_MAX) fuzz_require_none("buffers of more than the limit");
    if (!cas->variant_count || !cas->compare_count || !cas->mode_count) fuzz_require_none("a case without parts");
    for (uint32_t i = 0; i < cas->compare_count; i++)
        if (cas->compare[i] >= cas->buffer_count) fuzz_require_none("compares a buffer that is not there");
    for (uint32_t i = 0; i < cas->variant_count; i++)
        for (uint32_t l = 0; l < cas->variants[i].launch_count; l++)
            for (uint32_t a = 0; a < cas->variants[i].launches[l].argument_count; a++) {
                const FpdArgument *argument = &cas->variants[i].launches[l].arguments[a];
                if (argument->kind != FPD_ARGUMENT_VALUE) check_array(cas, argument);
                for (uint32_t k = 0; argument->kind == FPD_ARGUMENT_LIST && k < argument->item_count; k++)
                    check_array(cas, &argument->items[k]);
            }
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        for (uint64_t i = 0; cas->buffers[b].fill.addresses && i < cas->buffers[b].elements; i++)
            check_array(cas, &cas->buffers[b].fill.addresses[i]);
}

// NULL if the case was read, else why not.
static const char *load(Arena *arena, const uint8_t *text, size_t size) {
    Diagnostics diagnostics = {0};
    const FpdCase *cas = fpd_parse_case(&diagnostics, arena, case_path, text, size);
    fuzz_check_messages(&diagnostics, cas, true);
    if (cas) check_case(cas);
    const char *why = cas ? NULL : arena_format(arena, "%s", diagnostics.items[0].message);
    diagnostics_close(&diagnostics);
    return why;
}

// Whether two messages are the same but for numbers of lines.
static bool same_message(const char *a, const char *b) {
    static const char line[] = "line ";
    while (*a && *a == *b) {
        bool number = !strncmp(a, line, strlen(line)) && !strncmp(b, line, strlen(line));
        a += number ? strlen(line) : 1;
        b += number ? strlen(line) : 1;
        if (number) a += strspn(a, "0123456789"), b += strspn(b, "0123456789");
    }
    return *a == *b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const FpdNode *root = fpd_parse_nodes(&diagnostics, &arena, case_path, data, size);
    fuzz_check_messages(&diagnostics, root, true);
    const char *why = load(&arena, data, size);
    if (!root && !why) fuzz_require_none("a case without a tree");
    if (root) {
        Buffer again = {0};
        write_node(&again, root);
        if (again.size <= FPD_CASE_SIZE_MAX) {
            const char *why_again = load(&arena, (const uint8_t *)again.data, again.size);
            if (!why != !why_again || (why && !same_message(why, why_again)))
                fuzz_require_none(arena_format(&arena, "first '%s', written anew '%s':\n%s", why ? why : "good",
                                               why_again ? why_again : "good", again.data));
        }
        buffer_free(&again);
    }
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return 0;
}
