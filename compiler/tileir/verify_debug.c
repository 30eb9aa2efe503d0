// SPDX-License-Identifier: Apache-2.0
// Checks of debug information: the locations of a function and of its ops are in one subprogram, which has the
// function's name.
#include "compiler/tileir/format.h"
#include "compiler/tileir/verify_internal.h"

#include <inttypes.h>
#include <string.h>

static const TirDebug *debug_row(const Verifier *v, uint64_t reference) {
    return reference && reference <= v->module->debug_count ? &v->module->debug[reference - 1] : NULL;
}

// The location that counts: at a call site that of the caller.
static const TirDebug *scoped_location(const Verifier *v, uint64_t reference) {
    const TirDebug *row = debug_row(v, reference);
    for (uint32_t steps = 0; row && row->tag == TIR_DEBUG_CALL_SITE && steps < DEBUG_NESTING_MAX; steps++)
        row = debug_row(v, row->refs[1]);
    return row && row->tag == TIR_DEBUG_LOCATION ? row : NULL;
}

// The subprogram around a location, NULL if it has none.
static const TirDebug *subprogram_of(const Verifier *v, uint64_t reference) {
    const TirDebug *row = scoped_location(v, reference);
    if (row) row = debug_row(v, row->refs[0]);
    for (uint32_t steps = 0; row && row->tag == TIR_DEBUG_LEXICAL_BLOCK && steps < DEBUG_NESTING_MAX; steps++)
        row = debug_row(v, row->refs[0]);
    return row && row->tag == TIR_DEBUG_SUBPROGRAM ? row : NULL;
}

static bool same_text(const char *a, const char *b) {
    return !strcmp(a ? a : "", b ? b : "");
}

// A table may hold a row twice. Files refer to nothing, compile units to files, subprograms to both.
static bool same_row(const Verifier *v, const TirDebug *a, const TirDebug *b, uint32_t depth) {
    if (a == b || !a || !b || depth > 2) return a == b; // depth: the rows of who builds a module may be any
    if (a->tag != b->tag || !same_text(a->name, b->name) || !same_text(a->linkage_name, b->linkage_name)) return false;
    if (a->tag == TIR_DEBUG_FILE) return true;
    if (!same_row(v, debug_row(v, a->refs[0]), debug_row(v, b->refs[0]), depth + 1)) return false;
    if (a->tag != TIR_DEBUG_SUBPROGRAM) return a->tag == TIR_DEBUG_COMPILE_UNIT;
    return same_row(v, debug_row(v, a->refs[1]), debug_row(v, b->refs[1]), depth + 1) && a->line == b->line &&
           a->scope_line == b->scope_line && a->declaration == b->declaration;
}

static const char circle[] = "that leads back to itself, or more than 1000 steps away";
_Static_assert(DEBUG_NESTING_MAX == 1000, "the text says so");

// Whether what a row refers to ends somewhere. Rows of one kind may lead to each other: calls and scopes.
static bool debug_ends(Verifier *v, uint64_t reference, uint32_t nesting) {
    enum { OPEN = 1, GOOD };
    const TirDebug *row = debug_row(v, reference);
    if (!row || row->tag >= TIR_DEBUG_TAG_COUNT) return true;
    uint8_t *state = &v->debug_states[reference - 1];
    if (*state || nesting > DEBUG_NESTING_MAX) return *state == GOOD;
    *state = OPEN;
    for (const uint8_t *field = debug_fields[row->tag]; *field; field++)
        if (*field <= FIELD_REF1 && !debug_ends(v, row->refs[*field - FIELD_REF0], nesting + 1)) return false;
    *state = GOOD;
    return true;
}

static bool verify_op_scopes(Verifier *v, const TirRegion *region, const TirDebug *subprogram) {
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op)) {
        if ((uint32_t)op->kind >= TIR_OP_COUNT) return false;
        if (op->debug > v->module->debug_count)
            return verify_fail(v, op, "has debug reference %" PRIu64 ", but there are %" PRIu32, op->debug,
                               v->module->debug_count);
        if (!debug_ends(v, op->debug, 0)) return verify_fail(v, op, "has a location %s", circle);
        const TirDebug *own = subprogram_of(v, op->debug);
        if (own && !subprogram)
            return verify_fail(v, op, "has a location in subprogram \"%s\", but its entry has none",
                               own->name ? own->name : "");
        if (own && !same_row(v, own, subprogram, 0))
            return verify_fail(v, op, "has a location in subprogram \"%s\", expected that of its entry, \"%s\"",
                               own->name ? own->name : "", subprogram->name ? subprogram->name : "");
    }
    return true;
}

bool verify_debug(Verifier *v) {
    const TirFunction *function = v->function;
    const TirDebug *row = debug_row(v, function->debug);
    if (function->debug > v->module->debug_count)
        return diag_fail(v->diagnostics, function->at, E_VERIFY,
                         "entry @%s has debug reference %" PRIu64 ", but there are %" PRIu32, function->name,
                         function->debug, v->module->debug_count);
    if (row && row->tag == TIR_DEBUG_CALL_SITE)
        return diag_fail(v->diagnostics, function->at, E_VERIFY, "entry @%s has a call site as location",
                         function->name);
    if (!v->debug_states) v->debug_states = arena_alloc(&v->scratch, v->module->debug_count);
    if (!debug_ends(v, function->debug, 0))
        return diag_fail(v->diagnostics, function->at, E_VERIFY, "entry @%s has a location %s", function->name, circle);
    const TirDebug *subprogram = NULL;
    if (row && row->tag == TIR_DEBUG_LOCATION) {
        subprogram = debug_row(v, row->refs[0]);
        if (!subprogram || subprogram->tag != TIR_DEBUG_SUBPROGRAM)
            return diag_fail(v->diagnostics, function->at, E_VERIFY,
                             "entry @%s has a location whose scope is no subprogram", function->name);
        if (!same_text(subprogram->linkage_name, function->name))
            return diag_fail(v->diagnostics, function->at, E_VERIFY,
                             "entry @%s has a location in a subprogram with the linkage name \"%s\"", function->name,
                             subprogram->linkage_name ? subprogram->linkage_name : "");
    }
    return verify_op_scopes(v, &function->body, subprogram);
}
