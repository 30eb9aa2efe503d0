// SPDX-License-Identifier: Apache-2.0
// Triton's text as a front end.
#include "compiler/triton/translate.h"

#include <ctype.h>

// ---- whose text it is -----------------------------------------------------------------------------------------------

typedef struct Line {
    const char *at, *end;
} Line;

static bool take_line(const char **at, const char *end, Line *line) {
    if (*at >= end) return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    line->at = *at;
    line->end = stop ? stop : end;
    *at = stop ? stop + 1 : end;
    while (line->at < line->end && isspace((unsigned char)*line->at)) line->at++;
    return true;
}

static bool begins(const Line *line, const char *text) {
    const size_t length = strlen(text);
    return (size_t)(line->end - line->at) >= length && !memcmp(line->at, text, length);
}

// #loc3 = loc(..), or a layout: #blocked = #ttg.blocked<..>
static bool is_alias(const Line *line) {
    const char *at = line->at + 1;
    while (at < line->end && (isalnum((unsigned char)*at) || *at == '_')) at++;
    if (at == line->at + 1) return false;
    while (at < line->end && *at == ' ') at++;
    if (at == line->end || *at != '=') return false;
    for (at++; at < line->end && *at == ' ';) at++;
    const Line value = {at, line->end};
    return begins(&value, "loc(") || begins(&value, "#tt") || begins(&value, "#gluon.") || begins(&value, "#triton_");
}

// The first line that is no comment says it: an alias, `module` alone, with attributes or a name, or tt.func. Tile IR's
// module has its dialect's name before it, or holds cuda_tile ops.
static bool recognises(const char *path, const uint8_t *bytes, size_t size) {
    const char *at = (const char *)bytes, *end = at + size;
    Line line;
    (void)path;
    while (take_line(&at, end, &line)) {
        if (line.at == line.end || begins(&line, "//")) continue;
        if (*line.at == '#') return is_alias(&line);
        if (begins(&line, "tt.func")) return true;
        if (!begins(&line, "module")) return false;
        while (take_line(&at, end, &line)) {
            if (line.at == line.end || begins(&line, "//")) continue;
            return begins(&line, "tt.") || begins(&line, "ttg.");
        }
        return false;
    }
    return false;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool translate_functions(TriReader *reader) {
    Parser *p = &reader->base;
    uint32_t entries = 0;
    for (size_t i = 0; i < reader->function_count; i++) entries += reader->functions[i].is_public;
    if (!entries) return diag_fail(p->diagnostics, (Location){.file = p->module->path}, E_TEXT, "no public function");
    reader->kernel_count = entries;
    reader->function_room = entries;
    for (size_t i = 0; i < reader->function_count; i++)
        reader->function_room += tri_count_parts(&reader->functions[i].body);
    tir_functions_reserve(p->module, reader->function_room);
    for (size_t i = 0; i < reader->function_count; i++)
        if (reader->functions[i].is_public && !tri_translate(reader, &reader->functions[i])) return false;
    return true;
}

static TirModule *read_text(Diagnostics *diagnostics, TirModule *module, const char *text, size_t size) {
    module->triton = true;
    TriReader reader = {.base = {.diagnostics = diagnostics, .module = module, .text = text, .end = text + size}};
    if (!size) reader.base.text = reader.base.end = "";
    const bool ok = tri_parse_module(&reader.base) && translate_functions(&reader);
    arena_reset(&reader.base.scratch);
    if (ok) return module;
    tir_module_close(module);
    return NULL;
}

TirModule *tri_read(Diagnostics *diagnostics, const char *path, const char *text, size_t size) {
    return read_text(diagnostics, tir_module_open(path), text, size);
}

static const Program *read_program(Diagnostics *diagnostics, const char *path, const uint8_t *bytes, size_t size) {
    TirModule *module = tir_module_open(path);
    if (!tri_read_metadata(diagnostics, &module->arena, path, &module->origin)) {
        tir_module_close(module);
        return NULL;
    }
    module = read_text(diagnostics, module, (const char *)bytes, size);
    if (module && tir_verify(diagnostics, module)) return tir_program(module);
    tir_module_close(module);
    return NULL;
}

const FrontEnd tri_front_end = {"Triton IR", recognises, read_program};
