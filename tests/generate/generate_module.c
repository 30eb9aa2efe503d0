// SPDX-License-Identifier: Apache-2.0
// A whole module: globals, entries with hints, debug information.
#include "base/block_abi.h"
#include "tests/generate/generate.h"

#include <stdio.h>
#include <string.h>

enum { LOCATIONS_MAX = 8, OPS_MAX = 40 };
// Names are symbols of the module, all different.
static const char *symbol(Generator *g, const char *prefix, uint32_t index) {
    return arena_format(&g->module->arena, "%s%s%u", prefix, random_name(g), index);
}

// ---- globals --------------------------------------------------------------------------------------------------------

static void add_globals(Generator *g) {
    TirModule *module = g->module;
    uint32_t count = (uint32_t)below(g, 4);
    for (uint32_t i = 0; i < count; i++) {
        TirTypeKind kind = random_kind(g, KINDS_NUMBER);
        Shape shape = kind == TIR_TYPE_f4E2M1FN ? random_even_shape(g, 1) : random_shape(g, 1);
        TirGlobal *global = tir_global_add(module);
        global->name = symbol(g, "g", i);
        global->type = number_tile(g, kind, &shape);
        global->value = random_constant(g, global->type);
        global->alignment = one_in(g, 2) ? UINT64_C(1) << below(g, 9) : 0;
        if (module->version < 1303) continue;
        global->is_private = one_in(g, 3);
        global->constant = one_in(g, 3);
    }
}

// ---- debug information ----------------------------------------------------------------------------------------------

static uint64_t add_row(Generator *g, TirDebug row) {
    return tir_debug_add(g->module, &row);
}

static uint64_t add_location(Generator *g, uint64_t scope) {
    return add_row(g, (TirDebug){.tag = TIR_DEBUG_LOCATION,
                                 .refs = {scope},
                                 .name = one_in(g, 2) ? "kernel.py" : random_name(g),
                                 .line = below(g, 400),
                                 .column = below(g, 100)});
}

static uint64_t add_subprogram(Generator *g, uint64_t file, uint64_t unit, const char *linkage_name) {
    return add_row(g, (TirDebug){.tag = TIR_DEBUG_SUBPROGRAM,
                                 .refs = {file, unit},
                                 .name = random_name(g),
                                 .linkage_name = linkage_name,
                                 .line = below(g, 300),
                                 .scope_line = below(g, 300),
                                 .declaration = g->module->version >= 1305 && one_in(g, 8)});
}

// A location of the subprogram, maybe in a block in a block of it.
static uint64_t add_scoped_location(Generator *g, uint64_t file, uint64_t subprogram) {
    uint64_t scope = subprogram;
    while (one_in(g, 3))
        scope = add_row(g, (TirDebug){.tag = TIR_DEBUG_LEXICAL_BLOCK,
                                      .refs = {scope, file},
                                      .line = below(g, 300),
                                      .column = below(g, 3)});
    return add_location(g, scope);
}

// Locations of the function's own, and calls inlined there, of each other too; 0 is the unknown one.
static void add_debug(Generator *g) {
    uint64_t file = add_row(g, (TirDebug){.tag = TIR_DEBUG_FILE, .name = random_name(g), .linkage_name = "/a folder"}),
             unit = add_row(g, (TirDebug){.tag = TIR_DEBUG_COMPILE_UNIT, .refs = {file}}),
             own = add_subprogram(g, file, unit, g->function->name),
             inlined = add_subprogram(g, file, unit, one_in(g, 2) ? random_name(g) : "");
    g->function->debug = add_location(g, own);
    g->locations[g->location_count++] = 0;
    while (g->location_count < LOCATIONS_MAX) {
        uint64_t at = add_scoped_location(g, file, own);
        while (one_in(g, 2))
            at =
                add_row(g, (TirDebug){.tag = TIR_DEBUG_CALL_SITE, .refs = {add_scoped_location(g, file, inlined), at}});
        g->locations[g->location_count++] = at;
    }
}

// ---- entries --------------------------------------------------------------------------------------------------------

static TirType random_parameter(Generator *g) {
    TirTypeKind kind = random_kind(g, (KINDS_NUMBER & ~KIND(f4E2M1FN)) | KIND(i4) | KIND(ptr));
    return kind == TIR_TYPE_ptr ? pointer_tile(g, random_kind(g, KINDS_NUMBER), &(Shape){0}) : scalar_of(g, kind);
}

// A part of `owner`, or an entry (NULL).
static void add_entry(Generator *g, uint32_t index, const TirFunction *owner) {
    enum { PARAMETERS = 4 };
    TirType parameters[PARAMETERS + 1];
    TirTypeInfo signature = {.kind = TIR_TYPE_function, .parameters = parameters, .ptr_attr = -1};
    const bool has_memory = owner || (g->text_only && one_in(g, 2));
    signature.parameter_count = (uint32_t)below(g, PARAMETERS + 1);
    for (uint32_t i = 0; i < signature.parameter_count; i++)
        parameters[i] = owner ? scalar_of(g, random_kind(g, KINDS_INTEGER)) : random_parameter(g);
    if (has_memory) parameters[signature.parameter_count++] = pointer_tile(g, TIR_TYPE_i8, &(Shape){0});
    g->function =
        tir_function_add(g->module, symbol(g, owner ? "p" : "e", index), tir_type_intern(g->module, &signature), true);
    if (owner) g->function->owner = (uint32_t)(owner - g->module->functions) + 1;
    if (has_memory) g->function->memory_bytes = owner ? owner->memory_bytes : 1 + below(g, BLOCK_MEMORY_MAX);
    if (has_memory) g->function->uniform_memory = owner ? owner->uniform_memory : one_in(g, 2);
    g->function->at = (Location){.file = g->module->path};
    g->block = g->function->body.first;
    g->visible_count = g->location_count = g->depth = 0;
    g->loop = NULL;
    g->pure = false;
    g->may_return = true;
    g->budget = 4 + (uint32_t)below(g, OPS_MAX);
    if (one_in(g, 2)) add_debug(g);
    if (one_in(g, 3)) random_hints(g, &g->function->hints, true);
    if (g->module->version >= 1305 && one_in(g, 3))
        random_argument_attributes(g, &g->function->argument_attributes, signature.parameter_count);
    see_values(g, g->block->first_argument, signature.parameter_count);
    add_random_ops(g, g->budget);
    add_op(g, TIR_OP_return, 0, NULL, NULL, 0, NULL);
}

TirModule *generate_module(uint64_t seed, uint64_t counts[TIR_OP_COUNT]) {
    uint64_t locations[LOCATIONS_MAX];
    char path[32];
    snprintf(path, sizeof path, "seed-%llu", (unsigned long long)seed);
    Generator g = {.random = {seed * 0x2545F4914F6CDD1D},
                   .module = tir_module_open(path),
                   .locations = locations,
                   .counts = counts};
    g.text_only = seed % 7 == 6;
    g.module->version = (uint16_t)(TIR_VERSION_MIN + seed % (TIR_VERSION_MAX - TIR_VERSION_MIN + 1));
    if (g.module->version >= 1303 && one_in(&g, 2))
        g.module->producer = arena_format(&g.module->arena, "generate %d", (int)below(&g, 100));
    add_globals(&g);
    uint32_t entries = one_in(&g, 30) ? 0 : 1 + (uint32_t)below(&g, 3);
    for (uint32_t i = 0; i < entries; i++) add_entry(&g, i, NULL);
    for (uint32_t i = 0; i < entries; i++)
        while (g.module->functions[i].memory_bytes && one_in(&g, 2))
            add_entry(&g, g.module->function_count, &g.module->functions[i]);
    arena_reset(&g.scratch);
    return g.module;
}
