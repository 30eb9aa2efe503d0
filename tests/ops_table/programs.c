// SPDX-License-Identifier: Apache-2.0
// From a row of rows.def to modules.
#include "tests/ops_table/ops_table.h"

#include <string.h>

static const ProgramValue values[] = {
#define VALUE(name, text) {#name, text},
#include "tests/ops_table/prelude.def"
#undef VALUE
};

// i4 has no constants.
static void append_value(Arena *arena, const ProgramValue *value, const int *types, Buffer *out) {
    int kind = !strcmp(value->name, "u") ? types[1] : types[0];
    bool constant = strlen(value->name) == 1 && strchr("abu", *value->name);
    if (constant && kind == TIR_TYPE_i4)
        buffer_print(out,
                     "%%%s8 = constant <i8: [%d, 21]> : tile<2xi8>\n%%%s = unpack %%%s8 : tile<2xi8> -> tile<4xi4>\n",
                     value->name, *value->name == 'b' ? 18 : 33, value->name, value->name);
    else {
        program_append_typed(arena, value->text, types, out);
        buffer_print(out, "\n");
    }
}

static const ProgramValues prelude = {values, BASE_COUNT(values), append_value};

static void append_text(Buffer *out, const char *text) {
    buffer_append(out, text, strlen(text));
}

// ---- programs -------------------------------------------------------------------------------------------------------

static const char *entry_body(Arena *arena, const char *text, const char *sink, const int *types) {
    Buffer out = {0};
    program_append_values(&prelude, arena, text, types, &out);
    program_append_typed(arena, text, types, &out);
    if (sink) {
        append_text(&out, "\n%looked_at = print_tko \"%d\", %r : ");
        program_append_typed(arena, sink, types, &out);
        append_text(&out, " -> token");
    }
    if (!strstr(text, "return")) append_text(&out, "\nreturn");
    const char *body = arena_text(arena, out.data, out.size);
    buffer_free(&out);
    return body;
}

static TirModule *module_of(Arena *arena, const int *types, const char *const *bodies, uint32_t count) {
    Buffer text = {0};
    Diagnostics diagnostics = {0};
    bool pointee = types[0] >= 0 && types[0] != TIR_TYPE_i4;
    append_text(&text, "cuda_tile.module @kernels {\n");
    if (pointee) {
        append_text(&text, "global @values ");
        program_append_typed(arena, "$LIST : tile<4x$T>\n", types, &text);
    }
    for (uint32_t i = 0; i < count; i++) {
        buffer_print(&text, "entry @e%u(%%p: tile<ptr<%s>>, %%q: tile<ptr<i32>>) {\n", i,
                     pointee ? tir_type_rows[types[0]].name : "i8");
        append_text(&text, bodies[i]);
        append_text(&text, "\n}\n");
    }
    append_text(&text, "}\n");
    TirModule *module = tir_parse_text(&diagnostics, "program", text.data, text.size);
    if (module && !tir_verify(&diagnostics, module)) {
        tir_module_close(module);
        module = NULL;
    }
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    return module;
}

TirModule *program_module(Table *table, const Programs *programs, uint32_t first, uint32_t count) {
    return module_of(&table->arena, programs->types, programs->bodies + first, count);
}

typedef struct Expansion {
    Table *table;
    const char *sink;
    Programs *programs;
} Expansion;

static void add_program(void *data, const char *text) {
    const Expansion *expansion = data;
    Table *table = expansion->table;
    Programs *programs = expansion->programs;
    const char *body = entry_body(&table->arena, text, expansion->sink, programs->types);
    TirModule *module = module_of(&table->arena, programs->types, &body, 1);
    if (!module) return;
    tir_module_close(module);
    programs->bodies =
        arena_grow(&table->arena, programs->bodies, programs->count, &programs->capacity, sizeof *programs->bodies);
    programs->bodies[programs->count++] = body;
}

void program_expand(Table *table, const ProgramRow *row, Programs *programs) {
    bool has_t = program_mentions(&prelude, row->text, row->sink, 'T'),
         has_u = program_mentions(&prelude, row->text, row->sink, 'U');
    Expansion expansion = {table, row->sink, programs};
    if (has_t == (programs->types[0] >= 0) && has_u == (programs->types[1] >= 0))
        program_choices(&table->arena, row->text, add_program, &expansion);
}
