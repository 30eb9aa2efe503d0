// SPDX-License-Identifier: Apache-2.0
// Source lines as debug information: which line of which file each instruction comes from. No variables, no types.
#include "compiler/target/target.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIVES_ONLY = 3 }; // llvm::DICompileUnit::DebugDirectivesOnly

struct DebugLines {
    LLVMContextRef context;
    LLVMDIBuilderRef builder;
    LLVMMetadataRef unit, function, function_file;
    Arena arena;
    Map scopes; // file name to index: the scopes of the function, one per file its instructions come from
    LLVMMetadataRef *scope_items;
    size_t scope_count, scope_capacity;
};

static LLVMMetadataRef make_file(DebugLines *lines, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t folder = slash ? (size_t)(slash - path) : 0;
    return LLVMDIBuilderCreateFile(lines->builder, name, strlen(name), path, folder);
}

static void add_flag(LLVMModuleRef module, const char *name, unsigned value) {
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(LLVMConstInt(word, value, false)));
}

DebugLines *debug_open(LLVMModuleRef module, const char *path, bool debugger) {
    static const char producer[] = "congruent";
    DebugLines *lines = calloc(1, sizeof *lines);
    if (!lines) abort(); // as arenas do
    lines->context = LLVMGetModuleContext(module);
    lines->builder = LLVMCreateDIBuilder(module);
    // For GPUs sections of debug information switch optimisation off; lines alone are directives (a kind that LLVM-C
    // passes on, but has no name for).
    bool gpu = !strncmp(LLVMGetTarget(module), "nvptx", 5);
    LLVMDWARFEmissionKind kind =
        gpu && !debugger ? (LLVMDWARFEmissionKind)DIRECTIVES_ONLY : LLVMDWARFEmissionLineTablesOnly;
    lines->unit = LLVMDIBuilderCreateCompileUnit(lines->builder, LLVMDWARFSourceLanguagePython,
                                                 make_file(lines, path ? path : "-"), producer, sizeof producer - 1,
                                                 true, NULL, 0, 0, NULL, 0, kind, 0, false, false, NULL, 0, NULL, 0);
    add_flag(module, "Debug Info Version", LLVMDebugMetadataVersion());
    add_flag(module, "Dwarf Version", 4);
    return lines;
}

void debug_function(DebugLines *lines, LLVMBuilderRef builder, LLVMValueRef function, Location at) {
    if (!lines) return;
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    LLVMMetadataRef file = make_file(lines, at.file ? at.file : "-");
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(lines->builder, file, NULL, 0, LLVMDIFlagZero);
    lines->function = LLVMDIBuilderCreateFunction(lines->builder, file, name, length, name, length, file, at.line, type,
                                                  false, true, at.line, LLVMDIFlagZero, true);
    LLVMSetSubprogram(function, lines->function);
    arena_reset(&lines->arena); // scopes are those of one function
    lines->scopes = (Map){0};
    lines->scope_items = NULL;
    lines->scope_count = lines->scope_capacity = 0;
    debug_at(lines, builder, at);
}

// The function, seen as in the file: a kernel may have inlined code of other files.
static LLVMMetadataRef scope_in(DebugLines *lines, const char *path) {
    uint64_t index;
    if (map_find(&lines->scopes, path, &index)) return lines->scope_items[index];
    LLVMMetadataRef scope =
        LLVMDIBuilderCreateLexicalBlockFile(lines->builder, lines->function, make_file(lines, path), 0);
    lines->scope_items =
        arena_grow(&lines->arena, lines->scope_items, lines->scope_count, &lines->scope_capacity, sizeof scope);
    map_insert(&lines->scopes, &lines->arena, path, lines->scope_count);
    lines->scope_items[lines->scope_count++] = scope;
    return scope;
}

void debug_at(DebugLines *lines, LLVMBuilderRef builder, Location at) {
    if (!lines || !lines->function) return;
    bool known = at.file && at.line;
    LLVMMetadataRef scope = known ? scope_in(lines, at.file) : lines->function;
    LLVMMetadataRef place =
        LLVMDIBuilderCreateDebugLocation(lines->context, known ? at.line : 0, known ? at.column : 0, scope, NULL);
    LLVMSetCurrentDebugLocation2(builder, place);
}

void debug_close(DebugLines *lines, LLVMBuilderRef builder) {
    if (!lines) return;
    LLVMSetCurrentDebugLocation2(builder, NULL);
    LLVMDIBuilderFinalize(lines->builder);
    LLVMDisposeDIBuilder(lines->builder);
    arena_reset(&lines->arena);
    free(lines);
}
