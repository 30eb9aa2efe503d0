// SPDX-License-Identifier: Apache-2.0
// Modules that must be refused: FOLDER/refused/*.mlir, cut at "// -----". The first line of a part says what the
// verifier must answer, "// refused: WORDS"; tileirdisasm must refuse its bytecode, too, or, with "// refused here
// alone: WORDS", take it.
#include "tests/conformance/corpus.h"

#include <stdio.h>
#include <string.h>

typedef struct Part {
    const char *file;
    uint32_t line;
    const char *words; // of the message
    bool alone;        // the tool takes it
    Buffer bytecode;
    const char *problem; // NULL: none so far
} Part;

typedef struct Parts {
    Part *items;
    size_t count, capacity;
} Parts;

// What the verifier says of a part; its bytecode if that can be written.
static void judge_part(Corpus *corpus, Part *part, const char *text, size_t size) {
    Diagnostics diagnostics = {0}, written = {0};
    TirModule *module = tir_parse_text(&diagnostics, part->file, text, size);
    bool accepted = module && tir_verify(&diagnostics, module), found = false;
    for (size_t i = 0; i < diagnostics.count; i++) found |= strstr(diagnostics.items[i].message, part->words) != NULL;
    if (accepted || !found)
        part->problem = arena_format(&corpus->arena, "%s, expected: %s",
                                     accepted ? "accepted" : diagnostics.items[0].message, part->words);
    else if (!module)
        part->problem = "refused by the parser, expected the verifier";
    else if (!tir_write_bytecode(&written, module, module->version, &part->bytecode))
        part->problem = arena_format(&corpus->arena, "not written: %s", written.items[0].message);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    diagnostics_close(&written);
}

static void add_part(Corpus *corpus, Parts *parts, const char *file, uint32_t line, const char *text, size_t size) {
    static const char both[] = "// refused: ", alone[] = "// refused here alone: ";
    parts->items = arena_grow(&corpus->arena, parts->items, parts->count, &parts->capacity, sizeof *parts->items);
    Part *part = &parts->items[parts->count++];
    *part = (Part){.file = file, .line = line, .alone = !strncmp(text, alone, sizeof alone - 1)};
    size_t skip = part->alone ? sizeof alone - 1 : sizeof both - 1, length = strcspn(text, "\n");
    if (length <= skip || (!part->alone && strncmp(text, both, skip) != 0)) {
        part->problem = "does not begin with // refused: WORDS";
        return;
    }
    part->words = arena_text(&corpus->arena, text + skip, length - skip);
    judge_part(corpus, part, text, size);
}

static bool add_file(Corpus *corpus, Parts *parts, const char *name) {
    static const char cut[] = "// -----\n";
    Diagnostics diagnostics = {0};
    uint8_t *data;
    size_t size;
    const char *path = arena_format(&corpus->arena, "%s/refused/%s", corpus->folder, name);
    bool ok = file_read(&diagnostics, &corpus->arena, path, &data, &size);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    uint32_t line = 1;
    for (const char *at = (char *)data, *next; ok && *at; at = next) {
        const char *end = strstr(at, cut);
        next = end ? end + sizeof cut - 1 : (char *)data + size;
        add_part(corpus, parts, name, line, at, (size_t)((end ? end : next) - at));
        for (const char *c = at; c < next; c++) line += *c == '\n';
    }
    return ok;
}

static bool ask_tool(Corpus *corpus, Parts *parts) {
    ToolRun *runs = arena_array(&corpus->arena, ToolRun, parts->count + 1);
    for (size_t i = 0; i < parts->count; i++)
        runs[i] = (ToolRun){.input = (uint8_t *)parts->items[i].bytecode.data, .size = parts->items[i].bytecode.size};
    if (!run_tools(&corpus->arena, corpus->tools, runs, parts->count)) return false;
    for (size_t i = 0; i < parts->count; i++)
        if (runs[i].input && runs[i].ok != parts->items[i].alone)
            parts->items[i].problem = runs[i].ok ? "tileirdisasm takes it" : "tileirdisasm refuses it, too";
    return true;
}

bool check_refused(Corpus *corpus, bool list) {
    Parts parts = {0};
    size_t files, passed = 0, alone = 0;
    char **names =
        list_files(&corpus->arena, arena_format(&corpus->arena, "%s/refused", corpus->folder), ".mlir", &files);
    bool ok = true;
    for (size_t i = 0; i < files; i++) ok &= add_file(corpus, &parts, names[i]);
    if (corpus->tools) ok &= ask_tool(corpus, &parts);
    for (size_t i = 0; i < parts.count; i++) {
        Part *part = &parts.items[i];
        passed += !part->problem;
        alone += part->alone;
        if (part->problem && list) printf("refused/%s:%u: %s\n", part->file, part->line, part->problem);
        buffer_free(&part->bytecode);
    }
    printf("modules to be refused: %zu/%zu, of them %zu by us alone\n", passed, parts.count, alone);
    return ok && passed == parts.count;
}
