// SPDX-License-Identifier: Apache-2.0
// Which ops a scope is for: its entry, the functions and lines of its debug information, its kind.
#include "compiler/rewrite/rewrite_internal.h"

#include <string.h>

enum { ROWS_MAX = 256 }; // of debug information that are looked at for one op

// Calls `matches` for each row of debug information that the op's refers to: lines, functions around them, and those
// that they were inlined into. True: one did.
typedef bool MatchesRow(const TirDebug *row, const MathSelector *selector);
static bool any_row(const TirModule *module, uint64_t reference, MatchesRow *matches, const MathSelector *selector) {
    uint64_t pending[ROWS_MAX + 2];
    unsigned count = 0, seen = 0;
    pending[count++] = reference;
    while (count && seen++ < ROWS_MAX) {
        const uint64_t at = pending[--count];
        if (!at) continue;
        const TirDebug *row = &module->debug[at - 1];
        if (matches(row, selector)) return true;
        for (unsigned i = 0; i < 2 && count < ROWS_MAX; i++) pending[count++] = row->refs[i];
    }
    return false;
}

static bool is_function(const TirDebug *row, const MathSelector *selector) {
    return row->tag == TIR_DEBUG_SUBPROGRAM && row->name && !strcmp(row->name, selector->function);
}

// The whole path, or the end of it behind a slash.
static bool is_file(const char *path, const char *wanted) {
    const size_t length = strlen(path), tail = strlen(wanted);
    return tail <= length && !strcmp(path + length - tail, wanted) &&
           (tail == length || path[length - tail - 1] == '/');
}

static bool is_line(const TirDebug *row, const MathSelector *selector) {
    return row->tag == TIR_DEBUG_LOCATION && row->name && is_file(row->name, selector->file) &&
           row->line >= selector->first_line && row->line <= selector->last_line;
}

// The name of the entry that the function is, or is a part of.
static const char *entry_name(const TirFunction *function) {
    return function->owner ? function->module->functions[function->owner - 1].name : function->name;
}

bool rewrite_scope_has(const MathScope *scope, const TirOp *op) {
    const MathSelector *selector = &scope->selector;
    const TirFunction *function = tir_op_function(op);
    const TirModule *module = function->module;
    const char *entry = entry_name(function), *mangling = program_cutile_mangling(entry);
    const MathOpName name = rewrite_op_name(op->kind);
    if (selector->op && !math_is_op(&name, selector->op)) return false;
    if (selector->entry && strcmp(selector->entry, entry)) {
        // cuTile's entries are known by the name of the Python function, too.
        const size_t length = mangling ? (size_t)(mangling - entry) : 0;
        if (!mangling || strlen(selector->entry) != length || strncmp(selector->entry, entry, length)) return false;
    }
    if (selector->function && !any_row(module, op->debug, is_function, selector)) return false;
    if (selector->file && !any_row(module, op->debug, is_line, selector)) {
        // Text without debug information has places of its own.
        const Location at = op->at;
        if (op->debug || !at.file || !is_file(at.file, selector->file) || at.line < selector->first_line ||
            at.line > selector->last_line)
            return false;
    }
    return true;
}

void rewrite_match_scopes(const TirModule *module, const MathSettings *settings, bool *matched) {
    for (uint32_t f = 0; f < module->function_count; f++) {
        const TirRegion *body = &module->functions[f].body;
        for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
            for (uint32_t i = 0; i < settings->scope_count; i++)
                if (!matched[i]) matched[i] = rewrite_scope_has(&settings->scopes[i], op);
    }
}

// Where a setting was said: a line of a case; else what it is for.
static Location place_of(Location said, Location at) {
    return said.line ? said : at;
}

bool rewrite_check_scopes(Diagnostics *diagnostics, Location at, ErrorCode code, const MathSettings *settings,
                          const bool *matched, bool debug) {
    for (uint32_t i = 0; i < settings->scope_count; i++) {
        const MathScope *scope = &settings->scopes[i];
        if (matched[i]) continue;
        const bool blind = !debug && (scope->selector.function || scope->selector.file);
        return diag_fail(diagnostics, place_of(scope->at, at), code, "%s: '%s' matches no op%s", scope->from,
                         scope->selected,
                         blind ? ": there is no debug information, which has functions and lines" : "");
    }
    return true;
}

static TirOpKind op_named(const char *said) {
    for (int kind = 0; kind < TIR_OP_COUNT; kind++) {
        const MathOpName name = rewrite_op_name((TirOpKind)kind);
        if (math_is_op(&name, said)) return (TirOpKind)kind;
    }
    return TIR_OP_COUNT;
}

static bool check_layer_bounds(Diagnostics *diagnostics, Location at, ErrorCode code, const MathLayer *layer) {
    for (uint32_t i = 0; i < layer->op_bound_count; i++) {
        const char *name = layer->op_bounds[i].op, *from = layer->op_bounds[i].from;
        const Location place = place_of(layer->op_bounds[i].at, at);
        const TirOpKind kind = op_named(name);
        if (kind == TIR_OP_COUNT) return diag_fail(diagnostics, place, code, "%s: there is no op '%s'", from, name);
        if (tir_op_info(kind)->rule == FPSAN_RULE_COUNT)
            return diag_fail(diagnostics, place, code, "%s: '%s' has no error; bounds are for %s", from, name,
                             "arithmetic and functions of floats");
    }
    return true;
}

bool rewrite_check_bounds(Diagnostics *diagnostics, Location at, ErrorCode code, const MathSettings *settings) {
    return check_layer_bounds(diagnostics, at, code, &settings->environment) &&
           check_layer_bounds(diagnostics, at, code, &settings->command);
}
