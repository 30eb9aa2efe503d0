// SPDX-License-Identifier: Apache-2.0
// Round trips of modules, see round_trip.h.
#include "tests/fuzz/round_trip.h"

#include "compiler/tileir/text_form.h"

#include <string.h>

// ---- telling what differs -------------------------------------------------------------------------------------------

// The first lines that differ, NULL if none do.
static const char *text_difference(Arena *arena, const char *what, const Buffer *found, const Buffer *expected) {
    size_t at = 0, line = 1, begin = 0;
    while (at < found->size && at < expected->size && found->data[at] == expected->data[at]) at++;
    if (at == found->size && at == expected->size) return NULL;
    for (size_t i = 0; i < at; i++)
        if (found->data[i] == '\n') line++, begin = i + 1;
    return arena_format(arena, "%s: line %zu is\n  %.*s\nbut was\n  %.*s", what, line,
                        (int)strcspn(found->data + begin, "\n"), found->data + begin,
                        (int)strcspn(expected->data + begin, "\n"), expected->data + begin);
}

static const char *byte_difference(Arena *arena, const char *what, const Buffer *found, const Buffer *expected) {
    size_t at = 0;
    while (at < found->size && at < expected->size && found->data[at] == expected->data[at]) at++;
    if (at == found->size && at == expected->size) return NULL;
    return arena_format(arena, "%s: differs at byte %zu of %zu, before there were %zu", what, at, found->size,
                        expected->size);
}

static const char *first_message(Arena *arena, const char *what, const Diagnostics *diagnostics) {
    if (!diagnostics->count) return arena_format(arena, "%s: refused without a message", what);
    Buffer out = {0};
    diag_print(&diagnostics->items[0], &out);
    const char *text = arena_format(arena, "%s: %s", what, out.data);
    buffer_free(&out);
    return text;
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

// Of what an older version lacks only the producer may be left out.
static const char *compare_texts(Arena *arena, const TirModule *found, const TirModule *expected) {
    for (int locations = 0; locations < 2; locations++) {
        Buffer a = {0}, b = {0};
        tir_print(found, locations, &a);
        tir_print(expected, locations, &b);
        buffer_print(&a, "%s", "");
        buffer_print(&b, "%s", "");
        if (expected->producer && !found->producer && found->version < 1303) {
            char *line_end = strchr(b.data, '\n');
            b.size -= (size_t)(line_end + 1 - b.data);
            memmove(b.data, line_end + 1, b.size + 1);
        }
        const char *problem = text_difference(arena, "the text of what was read", &a, &b);
        buffer_free(&a);
        buffer_free(&b);
        if (problem) return problem;
    }
    return NULL;
}

static const char *write_again(Arena *arena, Diagnostics *diagnostics, const TirModule *module, uint16_t version,
                               const Buffer *bytes) {
    Buffer again = {0};
    const char *problem;
    if (!tir_write_bytecode(diagnostics, module, version, &again))
        problem = first_message(arena, "writing what was read", diagnostics);
    else
        problem = byte_difference(arena, "writing what was read", &again, bytes);
    buffer_free(&again);
    return problem;
}

static const char *read_again(Arena *arena, Diagnostics *diagnostics, const TirModule *module, uint16_t version,
                              const Buffer *bytes, bool verified) {
    TirModule *other = tir_read_bytecode(diagnostics, "written", (const uint8_t *)bytes->data, bytes->size);
    const char *problem = NULL;
    if (!other || diagnostics->count || (verified && !tir_verify(diagnostics, other)))
        problem = first_message(arena, "reading what was written", diagnostics);
    else if (other->version != version)
        problem = "the version that was written is not the one that is read";
    if (!problem) problem = write_again(arena, diagnostics, other, version, bytes);
    if (!problem && verified) problem = compare_texts(arena, other, module);
    tir_module_close(other);
    return problem;
}

static const char *check_refusal(Arena *arena, const TirModule *module, uint16_t version,
                                 const Diagnostics *diagnostics) {
    const Diagnostic *item = &diagnostics->items[0];
    const bool no_place = diagnostics->count && strstr(item->message, "bytecode has no place for"); // in any version
    if (diagnostics->count != 1 || item->code != E_VERSION || (version >= module->version && !no_place))
        return first_message(arena, "writing", diagnostics);
    if (!no_place && !strstr(item->message, "needs version 13.")) return arena_format(arena, "does not say what: %s", item->message);
    return item->at.file ? NULL : arena_format(arena, "does not say where: %s", item->message);
}

const char *round_trip_bytes(Arena *arena, const TirModule *module, uint16_t version, bool *written) {
    Diagnostics diagnostics = {0};
    Buffer bytes = {0};
    bool good = tir_write_bytecode(&diagnostics, module, version, &bytes);
    const char *problem;
    if (good)
        problem = read_again(arena, &diagnostics, module, version, &bytes, true);
    else
        problem = check_refusal(arena, module, version, &diagnostics);
    if (!good && bytes.size) problem = "bytes were left of what was refused";
    if (problem)
        problem = arena_format(arena, "version %u.%u to %u.%u: %s", module->version / 100, module->version % 100,
                               version / 100, version % 100, problem);
    if (written) *written = good;
    buffer_free(&bytes);
    diagnostics_close(&diagnostics);
    return problem;
}

const char *round_trip_unverified(Arena *arena, const TirModule *module) {
    Diagnostics diagnostics = {0};
    Buffer bytes = {0};
    const char *problem = NULL;
    if (tir_write_bytecode(&diagnostics, module, module->version, &bytes))
        problem = read_again(arena, &diagnostics, module, module->version, &bytes, false);
    else if (diagnostics.count != 1)
        problem = "a module that cannot be written is refused with one message";
    buffer_free(&bytes);
    diagnostics_close(&diagnostics);
    return problem;
}

// ---- text -----------------------------------------------------------------------------------------------------------

// The text of hints says neither the type of a float nor, of a name that is no word, where it ends.
static bool text_says_hints(const TirAttribute *hints) {
    for (size_t i = 0; hints->present && i < hints->length; i++) {
        const TirAttribute *value = &hints->entries[i].value;
        const char *name = hints->entries[i].name;
        if (value->tag == TIR_TAG_FLOAT || !tir_is_name_char(*name)) return false;
        while (tir_is_name_char(*name) || *name == '.' || *name == '$') name++;
        if (*name || ((value->tag == TIR_TAG_DICTIONARY || value->tag == TIR_TAG_HINTS) && !text_says_hints(value)))
            return false;
    }
    return true;
}

// Of the extents of a tensor or view text gives one type.
static bool text_says_results(const TirOp *op) {
    const TirFunction *function = tir_op_function(op);
    bool one_type = strstr(tir_op_info(op->kind)->text, "^1");
    for (uint32_t i = 1; one_type && i < op->result_count; i++)
        if (tir_value_type(function, op->first_result + i) != tir_value_type(function, op->first_result)) return false;
    return true;
}

static bool text_says_region(const TirRegion *region) {
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op)) {
        const TirOpInfo *info = tir_op_info(op->kind);
        if (!text_says_results(op)) return false;
        for (uint32_t i = 0; i < info->attribute_count; i++)
            if (info->attributes[i].kind == TIR_ATTR_HINTS && !text_says_hints(&op->attributes[i])) return false;
    }
    return true;
}

static bool text_says_all(const TirModule *module) {
    for (uint32_t i = 0; i < module->function_count; i++)
        if (!text_says_hints(&module->functions[i].hints) || !text_says_region(&module->functions[i].body))
            return false;
    return true;
}

static const char *parse_again(Arena *arena, Diagnostics *diagnostics, const Buffer *text, bool locations) {
    const char *what = locations ? "parsing what was printed with locations" : "parsing what was printed";
    TirModule *module = tir_parse_text(diagnostics, "printed", text->data, text->size);
    const char *problem = NULL;
    if (!module || !tir_verify(diagnostics, module) || diagnostics->count) {
        problem = first_message(arena, what, diagnostics);
    } else {
        Buffer again = {0};
        tir_print(module, locations, &again);
        problem = text_difference(arena, what, &again, text);
        buffer_free(&again);
        if (!problem && locations && tir_is_self_contained(diagnostics, module))
            problem = round_trip_bytes(arena, module, TIR_VERSION_MAX, NULL);
    }
    tir_module_close(module);
    return problem;
}

const char *round_trip_text(Arena *arena, const TirModule *module, bool locations) {
    if (!text_says_all(module)) return NULL;
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    tir_print(module, locations, &text);
    buffer_print(&text, "%s", ""); // an empty module prints nothing
    const char *problem = parse_again(arena, &diagnostics, &text, locations);
    buffer_free(&text);
    diagnostics_close(&diagnostics);
    return problem;
}
