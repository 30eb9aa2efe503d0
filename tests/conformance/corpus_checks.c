// SPDX-License-Identifier: Apache-2.0
// The checks of a sample that need no tool.
#include "tests/conformance/corpus.h"

#include <string.h>

void note_check(Sample *sample, Check check, const char *problem) {
    sample->checked[check] = true;
    if (!problem || sample->failed[check]) return;
    sample->failed[check] = true;
    sample->problem[check] = problem;
}

const char *text_difference(Arena *arena, const char *found, size_t found_size, const char *wanted,
                            size_t wanted_size) {
    size_t at = 0, begin = 0, line = 1;
    for (; at < found_size && at < wanted_size && found[at] == wanted[at]; at++)
        if (found[at] == '\n') begin = at + 1, line++;
    if (at == found_size && at == wanted_size) return NULL;
    size_t found_length = 0, wanted_length = 0;
    while (begin + found_length < found_size && found[begin + found_length] != '\n') found_length++;
    while (begin + wanted_length < wanted_size && wanted[begin + wanted_length] != '\n') wanted_length++;
    return arena_format(arena, "line %zu:\n    found    %.*s\n    expected %.*s", line, (int)found_length,
                        found + begin, (int)wanted_length, wanted + begin);
}

static const char *first_message(Arena *arena, const Diagnostics *diagnostics) {
    const char *message = diagnostics->count ? diagnostics->items[0].message : "no diagnostic";
    return arena_text(arena, message, strlen(message));
}

static const char *bytes_difference(Arena *arena, const Buffer *found, const uint8_t *wanted, size_t size) {
    size_t at = 0;
    while (at < found->size && at < size && (uint8_t)found->data[at] == wanted[at]) at++;
    if (at == found->size && at == size) return NULL;
    return arena_format(arena, "byte %zu of %zu differs, %zu are written", at, size, found->size);
}

static void check_read_write(Corpus *corpus, Sample *sample, const TirModule *module) {
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    bool ok = tir_write_bytecode(&diagnostics, module, module->version, &out);
    note_check(sample, CHECK_READ_WRITE,
               ok ? bytes_difference(&corpus->arena, &out, sample->bytes, sample->size)
                  : first_message(&corpus->arena, &diagnostics));
    buffer_free(&out);
    diagnostics_close(&diagnostics);
}

// Bytecode of the text, in the sample's version; what is wrong with it, or NULL.
static const char *write_text(Arena *arena, Sample *sample, const Buffer *text, Buffer *out) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, sample->name, text->data, text->size);
    bool ok = module && tir_is_self_contained(&diagnostics, module) && tir_verify(&diagnostics, module) &&
              tir_write_bytecode(&diagnostics, module, sample->version, out);
    const char *problem = ok ? NULL : first_message(arena, &diagnostics);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return problem;
}

// What is printed is parsed, written, read and printed the same.
static void check_parse_write(Corpus *corpus, Sample *sample, bool located) {
    Diagnostics diagnostics = {0};
    Buffer *out = &sample->again[located];
    const char *problem = write_text(&corpus->arena, sample, &sample->text[located], out);
    if (!problem) {
        TirModule *module = tir_read_bytecode(&diagnostics, sample->name, (const uint8_t *)out->data, out->size);
        Buffer text = {0};
        if (module) tir_print(module, located, &text);
        problem = module ? text_difference(&corpus->arena, text.data, text.size, sample->text[located].data,
                                           sample->text[located].size)
                         : first_message(&corpus->arena, &diagnostics);
        buffer_free(&text);
        tir_module_close(module);
    }
    note_check(sample, CHECK_PARSE_WRITE, problem);
    diagnostics_close(&diagnostics);
}

static void check_golden(Corpus *corpus, Sample *sample, bool located) {
    if (!sample->golden[located]) return;
    Diagnostics diagnostics = {0};
    uint8_t *golden;
    size_t size;
    bool ok = file_read(&diagnostics, &corpus->arena, sample->golden[located], &golden, &size);
    note_check(sample, located ? CHECK_LOCATED : CHECK_TEXT,
               ok ? text_difference(&corpus->arena, sample->text[located].data, sample->text[located].size,
                                    (char *)golden, size)
                  : first_message(&corpus->arena, &diagnostics));
    diagnostics_close(&diagnostics);
}

// ---- what decides whether a target compiles it ----------------------------------------------------------------------

static bool region_adds_bf16(const TirRegion *region) {
    bool found = false;
    for (const TirBlock *block = region->first; block; block = block->next)
        for (const TirOp *op = block->first; op; op = op->next) {
            const TirFunction *function = region->function;
            const char *operand = op->kind == TIR_OP_atomic_rmw_tko        ? "arg"
                                  : op->kind == TIR_OP_atomic_red_view_tko ? "value"
                                                                           : NULL;
            found |= operand && tir_attribute_integer(op, "mode") == TIR_atomic_mode_addf &&
                     tir_tile_element_kind(function->module, tir_value_type(function, tir_operand(op, operand))) ==
                         TIR_TYPE_bf16;
            for (uint32_t i = 0; i < op->region_count; i++) found |= region_adds_bf16(&op->regions[i]);
        }
    return found;
}

static void note_needs(Sample *sample, const TirModule *module) {
    for (uint32_t i = 0; i < module->type_count; i++) {
        sample->types |= 1u << tir_type(module, i)->kind;
        sample->reaches_devices |= tir_type(module, i)->ptr_attr > TIR_pointer_attribute_none;
    }
    for (uint32_t i = 0; i < module->function_count; i++)
        sample->adds_bf16 |= region_adds_bf16(&module->functions[i].body);
}

// ---- all of them ----------------------------------------------------------------------------------------------------

void check_sample(Corpus *corpus, Sample *sample) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_bytecode(&diagnostics, sample->name, sample->bytes, sample->size);
    sample->accepted = module && tir_verify(&diagnostics, module);
    note_check(sample, CHECK_VERDICT, sample->accepted ? NULL : first_message(&corpus->arena, &diagnostics));
    if (module) {
        coverage_note(corpus->coverage, module);
        note_needs(sample, module);
        sample->entries = module->function_count;
        check_read_write(corpus, sample, module);
        for (int located = 0; located < 2; located++) {
            tir_print(module, located, &sample->text[located]);
            check_parse_write(corpus, sample, located);
            check_golden(corpus, sample, located);
        }
    }
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}
