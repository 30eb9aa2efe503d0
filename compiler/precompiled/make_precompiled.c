// SPDX-License-Identifier: Apache-2.0
// make_precompiled NUMBER FILE: writes an object file with the functions of set NUMBER of precompiled.def, emitted by
// what emits them into modules, and a table of them. The backend is linked with it.
#include "compiler/lower/lower.h"
#include "compiler/numeric/shadow.h"
#include "compiler/target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL = 3, ROWS_MAX = 1024 };

enum {
#define PRECOMPILED_SET(id, cpu) SET_##id,
#include "compiler/target/precompiled.def"
#undef PRECOMPILED_SET
};

static const struct Rules {
    unsigned set, tower, lanes;
} rules[] = {
#define PRECOMPILED_RULES(set, tower, lanes) {SET_##set, tower, lanes},
#include "compiler/target/precompiled.def"
#undef PRECOMPILED_RULES
};

static const FpsanFormat embedded[] = {
#define PRECOMPILED_EMBED(format) FPSAN_##format,
#include "compiler/target/precompiled.def"
#undef PRECOMPILED_EMBED
};
enum { EMBEDDED = BASE_COUNT(embedded) };

// ---- the functions --------------------------------------------------------------------------------------------------

// They are made as code that needs them makes them: in a function, which is not kept.
static void emit_rules(NumericContext *cx, const struct Rules *row) {
    LLVMTypeRef types[EMBEDDED];
    for (unsigned i = 0; i < EMBEDDED; i++)
        types[i] = LLVMIntTypeInContext(cx->context, fpsan_format_info(embedded[i])->lane_bits);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cx->context), types, EMBEDDED, false);
    LLVMValueRef caller = LLVMAddFunction(cx->module, "caller", type);
    LLVMPositionBuilderAtEnd(cx->builder, LLVMAppendBasicBlockInContext(cx->context, caller, ""));
    cx->tower = tower_chain(row->tower);
    const TowerEmit e = shadow_emit(cx);
    tower_emit_private(&e, row->lanes);
    for (unsigned i = 0; i < EMBEDDED; i++) tower_emit_embed(&e, embedded[i], LLVMGetParam(caller, i));
    LLVMBuildRetVoid(cx->builder);
    LLVMDeleteFunction(caller);
}

// ---- their table ----------------------------------------------------------------------------------------------------

static LLVMValueRef text_constant(LLVMModuleRef module, const char *text) {
    LLVMValueRef bytes = LLVMConstStringInContext2(LLVMGetModuleContext(module), text, strlen(text), false);
    LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(bytes), "");
    LLVMSetInitializer(global, bytes);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

// MachineFunctions.
static void add_table(LLVMModuleRef module, const char *name) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0),
                row = LLVMStructTypeInContext(context, (LLVMTypeRef[]){pointer, pointer}, 2, false);
    LLVMValueRef rows[ROWS_MAX];
    unsigned count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && count + 1 < ROWS_MAX; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        LLVMValueRef fields[] = {text_constant(module, LLVMGetValueName(f)), f};
        rows[count++] = LLVMConstStructInContext(context, fields, 2, false);
    }
    rows[count++] = LLVMConstNull(row);
    LLVMValueRef table = LLVMAddGlobal(module, LLVMArrayType2(row, count), name);
    LLVMSetInitializer(table, LLVMConstArray2(row, rows, count));
    LLVMSetGlobalConstant(table, true);
    LLVMSetVisibility(table, LLVMHiddenVisibility);
}

// ---- the object -----------------------------------------------------------------------------------------------------

static bool make_object(Diagnostics *diagnostics, const Target *target, size_t set, Buffer *object) {
    Arena arena = {0};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("precompiled", context);
    NumericContext cx = {.context = context,
                         .module = module,
                         .builder = LLVMCreateBuilderInContext(context),
                         .machine = *target_machine(target),
                         .diagnostics = diagnostics};
    target_prepare(target, diagnostics, module);
    for (size_t i = 0; i < BASE_COUNT(rules); i++)
        if (rules[i].set == set) emit_rules(&cx, &rules[i]);
    lower_shared_functions(&cx, &arena);
    add_table(module, precompiled_set(set)->table);
    const bool good = target_optimize(target, diagnostics, module) &&
                      target_emit(target, diagnostics, module, COMPILE_OBJECT, object);
    LLVMDisposeBuilder(cx.builder);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    arena_reset(&arena);
    return good;
}

static bool write_file(const char *path, const Buffer *bytes) {
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
    if (file && fclose(file)) good = false;
    return good;
}

int main(int argc, char **argv) {
    const size_t number = argc == 3 ? strtoul(argv[1], NULL, 10) : SIZE_MAX;
    const PrecompiledSet *set = precompiled_set(number);
    Diagnostics diagnostics = {0};
    Buffer object = {0};
    if (!set) return fputs("usage: make_precompiled NUMBER FILE\n", stderr), 2;
    Target *target = target_open(&diagnostics, set->cpu, LEVEL);
    const bool made = target && make_object(&diagnostics, target, number, &object),
               good = made && write_file(argv[2], &object);
    diagnostics_print(&diagnostics);
    if (made && !good) perror(argv[2]);
    target_close(target);
    buffer_free(&object);
    diagnostics_close(&diagnostics);
    return good ? 0 : 1;
}
