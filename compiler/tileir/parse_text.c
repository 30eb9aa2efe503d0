// SPDX-License-Identifier: Apache-2.0
// The text parser: a file is declarations, aliases and, in tests of the dialect, ops outside functions.
#include "compiler/tileir/parse_internal.h"

// ---- ops outside functions ------------------------------------------------------------------------------------------

// The nameless function that holds the ops which stand directly in the file or in one module.
static TirFunction *open_loose_function(Parser *p, ValueScope *scope) {
    TirType type = tir_type_intern(p->module, &(TirTypeInfo){.kind = TIR_TYPE_function});
    TirFunction *function = tir_function_add(p->module, "", type, false);
    function->at = parse_location(p, &p->token);
    p->module->testing = true;
    *scope = (ValueScope){0};
    return function;
}

bool parse_items(Parser *p, bool of_file) {
    TirFunction *loose = NULL, *function = tile_parser(p)->function;
    ValueScope scope, *outside = p->scope;
    while (!parse_at(p, of_file ? TOKEN_END : '}')) {
        bool taken;
        if (of_file && (parse_at(p, TOKEN_HASH) || parse_at(p, TOKEN_BANG))) {
            if (!parse_alias_definition(p)) return false;
            continue;
        }
        if (!parse_declaration(p, &taken)) return false;
        if (taken) continue;
        if (!parse_at(p, TOKEN_WORD) && !parse_at(p, TOKEN_VALUE) && !parse_at(p, TOKEN_STRING))
            return parse_expected(p, of_file ? "a declaration or an op" : "a declaration, an op or '}'");
        if (!loose) loose = open_loose_function(p, &scope);
        tile_parser(p)->function = loose;
        p->scope = &scope;
        if (!parse_op(p, loose->body.first)) return false;
        tile_parser(p)->function = function;
        p->scope = outside;
    }
    return true;
}

// ---- the file -------------------------------------------------------------------------------------------------------

static uint32_t count_word(const Parser *p, const char *word) {
    size_t length = strlen(word);
    uint32_t count = 0;
    for (const char *at = p->text; (at = memmem(at, (size_t)(p->end - at), word, length)); at += length) count++;
    return count;
}

// Functions do not move once they are there, so as many are reserved as the text can hold.
static void reserve_functions(Parser *p) {
    tir_functions_reserve(p->module, count_word(p, "entry") + count_word(p, "part") + count_word(p, "$func") +
                                         count_word(p, "module") + 1);
}

static void name_ops(Parser *p) {
    static const struct {
        const char *name;
        TirOpKind kind;
    } old_names[] = {{"print", TIR_OP_print_tko}}; // of 13.1
    for (uint32_t kind = 0; kind < TIR_OP_COUNT; kind++) {
        if (kind == TIR_OP_entry || kind == TIR_OP_global || kind == TIR_OP_module) continue;
        const TirOpInfo *info = tir_op_info((TirOpKind)kind);
        map_insert(&tile_parser(p)->op_names, &p->scratch, info->text_name, kind);
        map_insert(&tile_parser(p)->op_names, &p->scratch, info->name, kind);
    }
    for (size_t i = 0; i < BASE_COUNT(old_names); i++)
        map_insert(&tile_parser(p)->op_names, &p->scratch, old_names[i].name, old_names[i].kind);
}

// tileirdisasm says in a comment on the first line what made the bytecode.
static void take_producer(Parser *p) {
    static const char begin[] = "// Producer: ";
    const size_t length = sizeof begin - 1;
    if ((size_t)(p->end - p->text) < length || memcmp(p->text, begin, length) != 0) return;
    const char *name = p->text + length, *end = memchr(name, '\n', (size_t)(p->end - name));
    if (!end) end = p->end;
    if (!memchr(name, 0, (size_t)(end - name)))
        p->module->producer = arena_text(&p->module->arena, name, (size_t)(end - name));
}

TirModule *tir_parse_text(Diagnostics *diagnostics, const char *path, const char *text, size_t size) {
    TirModule *module = tir_module_open(path);
    TileParser parser = {
        .base = {
            .diagnostics = diagnostics, .module = module, .text = text, .end = text + size, .prefix = "cuda_tile."}};
    Parser *p = &parser.base;
    if (!size) p->text = p->end = "";
    take_producer(p);
    name_ops(p);
    reserve_functions(p);
    parse_start(p);
    bool ok = parse_items(p, true) && resolve_pending_locations(p);
    arena_reset(&p->scratch);
    if (ok) return module;
    tir_module_close(module);
    return NULL;
}

bool tir_is_self_contained(Diagnostics *diagnostics, const TirModule *module) {
    if (module->odd_location.line)
        return diag_fail(diagnostics, module->odd_location, E_TEXT,
                         "a fused or named location, expected a place in a file, di_loc or callsite");
    if (!module->testing) return true;
    Location at = module->at;
    for (uint32_t i = module->function_count; !at.line && i-- > 0;)
        if (!module->functions[i].entry) at = module->functions[i].at;
    if (!at.file) at.file = module->path;
    return diag_fail(diagnostics, at, E_TEXT,
                     "the module holds more than entries and globals of Tile IR: other functions, ops outside them and "
                     "ops of other dialects are for tests");
}
