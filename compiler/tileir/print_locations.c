// SPDX-License-Identifier: Apache-2.0
// Debug locations: each distinct location and scope gets an alias (#loc7, #di_file), defined after the module.
//
// Aliases are numbered as MLIR does it: things are visited in the order of the text, each before what it refers to;
// then they are sorted by depth (1 + the deepest thing referred to), by kind of alias, and last by that order.
#include "compiler/tileir/format.h"
#include "compiler/tileir/print_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum AliasKind {
    ALIAS_UNKNOWN,
    ALIAS_LINE,
    ALIAS_SCOPED,
    ALIAS_CALL_SITE,
    ALIAS_FILE,
    ALIAS_UNIT,
    ALIAS_SUBPROGRAM,
    ALIAS_BLOCK
} AliasKind;
typedef struct Alias {
    AliasKind kind;
    const TirDebug *row;  // NULL: unknown
    uint32_t children[2]; // aliases it refers to
    uint32_t depth, order, number;
} Alias;

struct LocationPrinter {
    const TirModule *module;
    Arena *arena;
    Map lines; // alias of each "file:line:column"
    Alias *aliases;
    size_t count, capacity;
    Map rows_by_content;
    uint32_t *first_equal; // reference of the first row that says the same as each row, 0 = not looked for
    uint32_t *by_row;      // alias + 1 of each first row, 0 = not visited
    uint32_t unknown;      // alias + 1
    uint32_t *sorted;      // aliases in the order of their definitions
};

static const char *alias_prefix(AliasKind kind) {
    switch (kind) {
    case ALIAS_FILE: return "di_file";
    case ALIAS_UNIT: return "di_compile_unit";
    case ALIAS_SUBPROGRAM: return "di_subprogram";
    case ALIAS_BLOCK: return "di_lexical_block";
    case ALIAS_UNKNOWN:
    case ALIAS_LINE:
    case ALIAS_SCOPED:
    case ALIAS_CALL_SITE: break;
    }
    return "loc";
}

// ---- equal rows -----------------------------------------------------------------------------------------------------

static const char *text_of(const char *text) {
    return text ? text : "";
}

static bool row_is_known(const LocationPrinter *p, uint64_t reference) {
    if (!reference || reference > p->module->debug_count) return false;
    uint32_t tag = p->module->debug[reference - 1].tag;
    return tag != TIR_DEBUG_UNKNOWN && tag <= TIR_DEBUG_CALL_SITE;
}

// The first row that says the same, 0 for the unknown one. A row that refers to itself is only equal to itself.
static uint64_t first_equal_row(LocationPrinter *p, uint64_t reference, uint32_t nesting) {
    if (!row_is_known(p, reference)) return 0;
    uint32_t *known = &p->first_equal[reference - 1];
    if (*known || nesting > DEBUG_NESTING_MAX) return *known ? *known : reference;
    *known = (uint32_t)reference; // what it refers to may lead back here
    const TirDebug *row = &p->module->debug[reference - 1];
    bool one = row->tag == TIR_DEBUG_COMPILE_UNIT || row->tag == TIR_DEBUG_LOCATION, none = row->tag == TIR_DEBUG_FILE;
    uint64_t refs[2] = {none ? 0 : first_equal_row(p, row->refs[0], nesting + 1),
                        none || one ? 0 : first_equal_row(p, row->refs[1], nesting + 1)};
    const char *key = arena_format(
        p->arena, "%" PRIu32 " %s\x01%s\x01%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
        row->tag, text_of(row->name), text_of(row->linkage_name), row->line, row->column, row->scope_line,
        row->declaration, refs[0], refs[1]);
    uint64_t first = reference;
    if (map_find(&p->rows_by_content, key, &first))
        *known = (uint32_t)first;
    else
        map_insert(&p->rows_by_content, p->arena, key, reference);
    return *known;
}

// ---- visiting -------------------------------------------------------------------------------------------------------

static uint32_t visit_reference(LocationPrinter *p, uint64_t reference, uint32_t nesting);

static uint32_t add_alias(LocationPrinter *p, AliasKind kind, const TirDebug *row) {
    p->aliases = arena_grow(p->arena, p->aliases, p->count, &p->capacity, sizeof *p->aliases);
    p->aliases[p->count] = (Alias){.kind = kind, .row = row, .depth = 1, .order = (uint32_t)p->count};
    return (uint32_t)p->count++;
}

static void set_child(LocationPrinter *p, uint32_t alias, uint32_t which, uint32_t child) {
    Alias *parent = &p->aliases[alias];
    parent->children[which] = child;
    if (p->aliases[child].depth >= parent->depth) parent->depth = p->aliases[child].depth + 1;
}

static uint32_t visit_unknown(LocationPrinter *p) {
    if (!p->unknown) p->unknown = add_alias(p, ALIAS_UNKNOWN, NULL) + 1;
    return p->unknown - 1;
}

static uint32_t visit_line(LocationPrinter *p, const TirDebug *row) {
    const char *key = arena_format(p->arena, "%s:%" PRIu64 ":%" PRIu64, row->name, row->line, row->column);
    uint64_t alias;
    if (map_find(&p->lines, key, &alias)) return (uint32_t)alias;
    alias = add_alias(p, ALIAS_LINE, row);
    map_insert(&p->lines, p->arena, key, alias);
    return (uint32_t)alias;
}

static void visit_children(LocationPrinter *p, const TirDebug *row, uint32_t alias, uint32_t nesting) {
    if (row->tag == TIR_DEBUG_FILE) return;
    if (row->tag == TIR_DEBUG_LOCATION) {
        set_child(p, alias, 0, visit_line(p, row));
        set_child(p, alias, 1, visit_reference(p, row->refs[0], nesting));
        return;
    }
    set_child(p, alias, 0, visit_reference(p, row->refs[0], nesting));
    if (row->tag != TIR_DEBUG_COMPILE_UNIT) set_child(p, alias, 1, visit_reference(p, row->refs[1], nesting));
}

// The alias of a reference; what refers to itself or beyond the table is unknown.
static uint32_t visit_reference(LocationPrinter *p, uint64_t reference, uint32_t nesting) {
    static const AliasKind kinds[] = {ALIAS_UNKNOWN, ALIAS_UNIT,       ALIAS_FILE,     ALIAS_BLOCK,
                                      ALIAS_SCOPED,  ALIAS_SUBPROGRAM, ALIAS_CALL_SITE};
    uint64_t first = first_equal_row(p, reference, 0);
    if (!first || nesting > DEBUG_NESTING_MAX) return visit_unknown(p);
    if (p->by_row[first - 1]) return p->by_row[first - 1] - 1;
    const TirDebug *row = &p->module->debug[first - 1];
    uint32_t alias = add_alias(p, kinds[row->tag], row);
    p->by_row[first - 1] = alias + 1; // what it refers to may lead back here
    visit_children(p, row, alias, nesting + 1);
    return alias;
}

// Terminators that the text leaves out are not visited.
static void visit_region(LocationPrinter *p, const TirRegion *region) {
    for (const TirBlock *block = region->first; block; block = block->next)
        for (const TirOp *op = block->first; op; op = op->next) {
            if (tir_terminator_is_omitted(op)) continue;
            visit_reference(p, op->debug, 0);
            for (uint32_t r = 0; r < op->region_count; r++) visit_region(p, &op->regions[r]);
        }
}

// ---- numbering ------------------------------------------------------------------------------------------------------

static int compare_aliases(const void *a, const void *b, void *context) {
    const LocationPrinter *p = context;
    const Alias *left = &p->aliases[*(const uint32_t *)a], *right = &p->aliases[*(const uint32_t *)b];
    if (left->depth != right->depth) return left->depth < right->depth ? -1 : 1;
    int names = strcmp(alias_prefix(left->kind), alias_prefix(right->kind));
    return names ? names : left->order < right->order ? -1 : 1;
}

LocationPrinter *tir_number_locations(Arena *arena, const TirModule *module) {
    LocationPrinter *p = arena_new(arena, LocationPrinter);
    *p = (LocationPrinter){.module = module, .arena = arena};
    p->by_row = arena_array(arena, uint32_t, module->debug_count);
    p->first_equal = arena_array(arena, uint32_t, module->debug_count);
    if (module->global_count || !module->function_count) visit_unknown(p);
    for (uint32_t f = 0; f < module->function_count; f++) {
        visit_reference(p, module->functions[f].debug, 0);
        visit_region(p, &module->functions[f].body);
    }
    p->sorted = arena_array(arena, uint32_t, p->count);
    for (uint32_t i = 0; i < p->count; i++) p->sorted[i] = i;
    qsort_r(p->sorted, p->count, sizeof *p->sorted, compare_aliases, p);
    uint32_t next[ALIAS_BLOCK + 1] = {0};
    for (size_t i = 0; i < p->count; i++) {
        Alias *alias = &p->aliases[p->sorted[i]];
        alias->number = next[alias->kind < ALIAS_FILE ? ALIAS_UNKNOWN : alias->kind]++;
    }
    return p;
}

// ---- printing -------------------------------------------------------------------------------------------------------

static void print_alias(const LocationPrinter *p, uint32_t index, Buffer *out) {
    const Alias *alias = &p->aliases[index];
    buffer_print(out, "#%s", alias_prefix(alias->kind));
    if (alias->number) buffer_print(out, "%" PRIu32, alias->number);
}

void tir_print_location(const LocationPrinter *p, uint64_t reference, Buffer *out) {
    uint64_t first = row_is_known(p, reference) ? p->first_equal[reference - 1] : 0;
    bool known = first && p->by_row[first - 1];
    buffer_print(out, " loc(");
    print_alias(p, (known ? p->by_row[first - 1] : p->unknown) - 1, out);
    buffer_print(out, ")");
}

static void print_text(const char *before, const char *text, const char *after, Buffer *out) {
    buffer_print(out, "%s", before);
    tir_print_quoted(text_of(text), strlen(text_of(text)), out);
    buffer_print(out, "%s", after);
}

static void print_child(const LocationPrinter *p, const char *before, const Alias *alias, uint32_t which, Buffer *out) {
    buffer_print(out, "%s", before);
    print_alias(p, alias->children[which], out);
}

static void print_definition(const LocationPrinter *p, const Alias *alias, Buffer *out) {
    const TirDebug *row = alias->row;
    switch (alias->kind) {
    case ALIAS_UNKNOWN: buffer_print(out, "loc(unknown)"); return;
    case ALIAS_LINE:
        print_text("loc(", row->name, ":", out);
        buffer_print(out, "%" PRIu64 ":%" PRIu64 ")", row->line, row->column);
        return;
    case ALIAS_SCOPED:
        print_child(p, "#cuda_tile.di_loc<", alias, 0, out);
        print_child(p, " in ", alias, 1, out);
        break;
    case ALIAS_CALL_SITE:
        print_child(p, "loc(callsite(", alias, 0, out);
        print_child(p, " at ", alias, 1, out);
        buffer_print(out, "))");
        return;
    case ALIAS_FILE:
        print_text("#cuda_tile.di_file<", row->name, " in ", out);
        print_text("", row->linkage_name, "", out);
        break;
    case ALIAS_UNIT: print_child(p, "#cuda_tile.di_compile_unit<file = ", alias, 0, out); break;
    case ALIAS_SUBPROGRAM:
        print_child(p, "#cuda_tile.di_subprogram<file = ", alias, 0, out);
        buffer_print(out, ", line = %" PRIu64, row->line);
        print_text(", name = ", row->name, "", out);
        print_text(", linkageName = ", row->linkage_name, "", out);
        print_child(p, ", compileUnit = ", alias, 1, out);
        if (row->scope_line) buffer_print(out, ", scopeLine = %" PRIu64, row->scope_line);
        if (row->declaration) buffer_print(out, ", flags = declaration");
        break;
    case ALIAS_BLOCK:
        print_child(p, "#cuda_tile.di_lexical_block<scope = ", alias, 0, out);
        print_child(p, ", file = ", alias, 1, out);
        buffer_print(out, ", line = %" PRIu64, row->line);
        if (row->column) buffer_print(out, ", column = %" PRIu64, row->column);
        break;
    }
    buffer_print(out, ">");
}

void tir_print_location_aliases(const LocationPrinter *p, Buffer *out) {
    for (size_t i = 0; i < p->count; i++) {
        print_alias(p, p->sorted[i], out);
        buffer_print(out, " = ");
        print_definition(p, &p->aliases[p->sorted[i]], out);
        buffer_print(out, "\n");
    }
}
