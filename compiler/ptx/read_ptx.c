// SPDX-License-Identifier: Apache-2.0
// PTX text to a module: what stands outside functions.
#include "compiler/ptx/reader.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION_FIRST = 70, VERSION_LAST = 94 };

static const PtxTargetInfo targets[] = {
#define TARGET(sm, suffix, family, since, shared) {sm, suffix, family, since, (shared) << 10},
#include "compiler/ptx/targets.def"
#undef TARGET
};

const PtxTargetInfo *ptx_target_info(unsigned sm, char suffix) {
    for (size_t i = 0; i < BASE_COUNT(targets); i++)
        if (targets[i].sm == sm && targets[i].suffix == suffix) return &targets[i];
    return NULL;
}

// ---- the head: .version, .target, .address_size

static bool read_version(PtxReader *reader) {
    PtxModule *module = reader->module;
    unsigned parts[2] = {0, 0};
    Name word;
    if (!reader_dot_word(reader, &word) || !name_is(word, "version"))
        return reader_fail(reader, E_TEXT, "PTX begins with .version");
    reader_peek(reader);
    for (int i = 0; i < 2; i++) {
        const char *first = reader->at;
        while (reader->at < reader->end && (uint8_t)(*reader->at - '0') < 10 && reader->at - first < 3)
            parts[i] = parts[i] * 10 + (unsigned)(*reader->at++ - '0');
        if (reader->at == first) return reader_fail(reader, E_TEXT, "expected a version");
        if (!i && (reader->at == reader->end || *reader->at++ != '.'))
            return reader_fail(reader, E_TEXT, "expected a version");
    }
    module->version = parts[0] * 10 + parts[1];
    if (parts[1] < 10 && module->version >= VERSION_FIRST && module->version <= VERSION_LAST) return true;
    return reader_fail(reader, E_VERSION, "PTX %u.%u; versions %u.%u to %u.%u are supported", parts[0], parts[1],
                       VERSION_FIRST / 10, VERSION_FIRST % 10, VERSION_LAST / 10, VERSION_LAST % 10);
}

static bool read_sm(PtxReader *reader, Name word) {
    PtxModule *module = reader->module;
    uint32_t at = 3;
    unsigned sm = 0;
    char suffix = 0;
    while (at < word.length && at < 7 && (uint8_t)(word.at[at] - '0') < 10)
        sm = sm * 10 + (unsigned)(word.at[at++] - '0');
    if (at + 1 == word.length) suffix = word.at[at++];
    const PtxTargetInfo *info = at == word.length ? ptx_target_info(sm, suffix) : NULL;
    if (!info)
        return reader_fail(reader, E_UNSUPPORTED, "target '%.*s'; sm_80 to sm_121 are supported", NAME_SHOWN(word));
    if (info->since > module->version)
        return reader_fail(reader, E_VERSION, "target '%.*s' needs PTX %u.%u, the file says %u.%u", NAME_SHOWN(word),
                           info->since / 10, info->since % 10, module->version / 10, module->version % 10);
    module->sm = sm;
    module->suffix = suffix;
    return true;
}

static bool read_target_word(PtxReader *reader) {
    PtxModule *module = reader->module;
    Name word;
    if (!reader_need_name(reader, "a target", &word)) return false;
    if (word.length > 3 && !memcmp(word.at, "sm_", 3)) return read_sm(reader, word);
    if (name_is(word, "debug"))
        module->debug = true;
    else if (name_is(word, "texmode_independent"))
        module->texmode_independent = true;
    else if (!name_is(word, "texmode_unified")) // which is what holds where nothing is said
        return reader_fail(reader, E_UNSUPPORTED, "target '%.*s' is not supported", NAME_SHOWN(word));
    return true;
}

static bool read_target(PtxReader *reader) {
    Name word;
    if (!reader_dot_word(reader, &word) || !name_is(word, "target"))
        return reader_fail(reader, E_TEXT, "expected .target");
    do
        if (!read_target_word(reader)) return false;
    while (reader_take(reader, ','));
    return reader->module->sm || reader_fail(reader, E_TEXT, ".target names no sm");
}

static bool read_address_size(PtxReader *reader) {
    uint32_t size;
    if (!reader_count(reader, 32, 64, "the size of addresses", &size)) return false;
    if (size != 64) return reader_fail(reader, E_UNSUPPORTED, "addresses of %u bits; 64 are supported", size);
    reader->module->address_size = size;
    return true;
}

// ---- what follows

static bool read_alias(PtxReader *reader) {
    Name name, of;
    if (!reader_need_name(reader, "a function", &name) || !reader_need(reader, ',') ||
        !reader_need_name(reader, "a function", &of))
        return false;
    const Symbol *symbol = reader_find(reader, name), *aliased = reader_find(reader, of);
    if (!symbol || symbol->kind != SYMBOL_FUNCTION || !aliased || aliased->kind != SYMBOL_FUNCTION)
        return reader_fail(reader, E_VERIFY, ".alias of what is no function");
    PtxFunction *function = &reader->module->functions[symbol->index];
    const PtxFunction *target = &reader->module->functions[aliased->index];
    if (function->has_body || function->entry || !target->has_body || target->entry || symbol == aliased)
        return reader_fail(reader, E_VERIFY, ".alias gives a function without a body that of another one");
    function->alias = target->name;
    return reader_need(reader, ';');
}

static bool read_module_pragma(PtxReader *reader) {
    PtxModule *module = reader->module;
    module->pragmas = arena_grow(reader->arena, module->pragmas, module->pragma_count, &reader->pragma_capacity,
                                 sizeof *module->pragmas);
    return reader_pragma(reader, &module->pragmas[module->pragma_count++]) && reader_need(reader, ';');
}

static const struct {
    const char *name;
    PtxLinkage linkage;
} linkages[] = {{"extern", PTX_EXTERN}, {"visible", PTX_VISIBLE}, {"weak", PTX_WEAK}, {"common", PTX_COMMON}};
static const struct {
    const char *name;
    PtxSpace space;
} spaces[] = {{"global", PTX_GLOBAL}, {"const", PTX_CONSTANT}, {"shared", PTX_SHARED}};

static bool read_declared(PtxReader *reader, Name word) {
    PtxLinkage linkage = PTX_LOCAL_LINKAGE;
    for (size_t i = 0; i < BASE_COUNT(linkages); i++)
        if (name_is(word, linkages[i].name)) linkage = linkages[i].linkage;
    if (linkage != PTX_LOCAL_LINKAGE && !reader_dot_word(reader, &word))
        return reader_fail(reader, E_TEXT, "expected a declaration");
    if (name_is(word, "func") || name_is(word, "entry")) return reader_function(reader, *word.at == 'e', linkage);
    for (size_t i = 0; i < BASE_COUNT(spaces); i++)
        if (name_is(word, spaces[i].name)) return reader_variables(reader, spaces[i].space, linkage);
    return reader_fail(reader, E_UNSUPPORTED, "unknown directive '.%.*s'", NAME_SHOWN(word));
}

static bool read_directive(PtxReader *reader) {
    static const struct {
        const char *name;
        bool (*read)(PtxReader *reader);
    } rows[] = {{"file", reader_file_directive},
                {"section", reader_skip_section},
                {"alias", read_alias},
                {"pragma", read_module_pragma},
                {"address_size", read_address_size}};
    Name word;
    if (!reader_dot_word(reader, &word)) {
        Name name = {reader->at, 1};
        reader_name(reader, &name);
        return reader_fail(reader, E_TEXT, "expected a directive, found '%.*s'", NAME_SHOWN(name));
    }
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (name_is(word, rows[i].name)) return rows[i].read(reader);
    return read_declared(reader, word);
}

static bool read_module(PtxReader *reader) {
    if (!read_version(reader) || !read_target(reader)) return false;
    while (reader_peek(reader) || reader->at != reader->end)
        if (!reader_take(reader, ';') && !read_directive(reader)) return false;
    if (reader->open_comment.line) return reader_fail(reader, E_TEXT, "a comment without an end");
    return reader_resolve_files(reader);
}

PtxModule *ptx_read(Diagnostics *diagnostics, const char *path, const char *text, size_t size) {
    PtxModule *module = calloc(1, sizeof *module);
    PtxReader *reader = calloc(1, sizeof *reader);
    bool good = module && reader;
    if (good) {
        module->path = arena_keep(&module->arena, path);
        module->address_size = 64;
        *reader = (PtxReader){.diagnostics = diagnostics,
                              .module = module,
                              .arena = &module->arena,
                              .at = text,
                              .end = text + size,
                              .line = 1,
                              .line_start = text,
                              .token_line = 1,
                              .token = text};
        good = read_module(reader) && ptx_verify(diagnostics, module);
        arena_reset(&reader->scratch);
    }
    free(reader);
    if (good) return module;
    ptx_module_close(module);
    return NULL;
}

void ptx_module_close(PtxModule *module) {
    if (!module) return;
    arena_reset(&module->arena);
    free(module);
}
