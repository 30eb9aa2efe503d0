// SPDX-License-Identifier: Apache-2.0
// Texts of kernels of one op each; see op_programs.h.
#include "tests/lower/op_programs.h"
#include "tests/ops_table/program_text.h"

#include <stdio.h>
#include <string.h>

static const ProgramRow rows[] = {
#define ROW(op, text, sink) {TIR_OP_##op, text, sink},
#include "tests/ops_table/rows.def"
#undef ROW
#define ROW(op, text, sink) {TIR_OP_##op, text, sink},
#include "tests/lower/op_rows.def"
};

// Instead of constants: tiles that are loaded from a parameter, from element `start` on.
typedef struct Loaded {
    const char *name, *type; // $T, $U or the type itself
    unsigned parameter, start, rank;
    unsigned shape[2];
} Loaded;
static const Loaded loaded[] = {
    {"a", "$T", OP_TYPED, 0, 1, {4}},           {"b", "$T", OP_TYPED, 4, 1, {4}},
    {"g", "$T", OP_TYPED, 0, 2, {4, 4}},        {"h", "$T", OP_TYPED, 16, 2, {4, 4}},
    {"wide", "$T", OP_TYPED, 32, 1, {16}},      {"left", "$T", OP_TYPED, 0, 2, {4, 32}},
    {"right", "$T", OP_TYPED, 128, 2, {32, 4}}, {"u", "$U", OP_OTHER, 0, 1, {4}},
    {"rows1", "$U", OP_OTHER, 0, 2, {4, 1}},    {"rows2", "$U", OP_OTHER, 0, 2, {4, 2}},
    {"columns1", "$U", OP_OTHER, 8, 2, {1, 4}}, {"columns2", "$U", OP_OTHER, 8, 2, {2, 4}},
    {"acc", "$U", OP_OTHER, 32, 2, {4, 4}},     {"sums", "f32", OP_SUMS, 0, 2, {4, 4}},
    {"bytes", "i8", OP_BYTES, 0, 1, {16}},      {"m", "i1", OP_BYTES, 16, 1, {4}},
};
static const char *const parameters[OP_PARAMETERS] = {"p", "q", "other", "more", "raw", "out"};

static const Loaded *loaded_of(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(loaded); i++)
        if (!strcmp(loaded[i].name, name)) return &loaded[i];
    return NULL;
}

static bool has_nibbles(int kind) {
    return kind >= 0 && tir_type_rows[kind].bits == 4;
}

static const char *shape_text(Arena *arena, const Loaded *value) {
    return value->rank == 1 ? arena_format(arena, "%u", value->shape[0])
                            : arena_format(arena, "%ux%u", value->shape[0], value->shape[1]);
}

// %NAME_at: pointers to `count` elements of a parameter.
static void append_pointers(Buffer *out, const char *name, const char *parameter, const char *type, unsigned count,
                            unsigned start) {
    buffer_print(out,
                 "%%%s_one = reshape %%%s : tile<ptr<%s>> -> tile<1xptr<%s>>\n"
                 "%%%s_all = broadcast %%%s_one : tile<1xptr<%s>> -> tile<%uxptr<%s>>\n"
                 "%%%s_index = iota : tile<%uxi32>\n%%%s_start = constant <i32: %u> : tile<%uxi32>\n"
                 "%%%s_from = addi %%%s_index, %%%s_start : tile<%uxi32>\n"
                 "%%%s_at = offset %%%s_all, %%%s_from : tile<%uxptr<%s>>, tile<%uxi32> -> tile<%uxptr<%s>>\n",
                 name, parameter, type, type, name, name, type, count, type, name, count, name, start, count, name,
                 name, name, count, name, name, name, count, type, count, count, type);
}

// Elements of less than a byte are bytes in memory.
static void append_loaded(Arena *arena, const Loaded *value, const int *types, Buffer *out) {
    int kind = *value->type == '$' ? types[value->type[1] == 'U'] : -1;
    bool nibbles = has_nibbles(kind), truth = !strcmp(value->type, "i1");
    Loaded sized = *value;
    if (value->rank == 1 && value->shape[0] == 4) sized.shape[0] = (unsigned)types[2];
    unsigned count = sized.shape[0] * (value->rank == 1 ? 1 : value->shape[1]), in_memory = nibbles ? count / 2 : count;
    const char *type = kind >= 0 ? tir_type_rows[kind].name : value->type, *memory = nibbles || truth ? "i8" : type;
    append_pointers(out, value->name, nibbles ? parameters[OP_BYTES] : parameters[value->parameter], memory, in_memory,
                    nibbles ? value->start / 2 : value->start);
    buffer_print(out, "%%%s_flat%s, %%%s_token = load_ptr_tko weak %%%s_at : tile<%uxptr<%s>> -> tile<%ux%s>, token\n",
                 value->name, nibbles || truth ? "8" : "", value->name, value->name, in_memory, memory, in_memory,
                 memory);
    if (nibbles)
        buffer_print(out, "%%%s_flat = unpack %%%s_flat8 : tile<%uxi8> -> tile<%ux%s>\n", value->name, value->name,
                     in_memory, count, type);
    if (truth)
        buffer_print(out, "%%%s_flat = trunci %%%s_flat8 : tile<%uxi8> -> tile<%uxi1>\n", value->name, value->name,
                     count, count);
    buffer_print(out, "%%%s = reshape %%%s_flat : tile<%ux%s> -> tile<%sx%s>\n", value->name, value->name, count, type,
                 shape_text(arena, &sized), type);
}

// Tiles of `size` elements instead of 4.
static const char *resized(Arena *arena, const char *text, unsigned size) {
    Buffer out = {0};
    for (const char *at = text; *at; at++)
        if (!strncmp(at, "<4x", 3)) {
            buffer_print(&out, "<%ux", size);
            at += 2;
        } else {
            buffer_append(&out, at, 1);
        }
    const char *result = arena_text(arena, out.data, out.size);
    buffer_free(&out);
    return result;
}

// Those of prelude.def; where they are loaded, their texts only say which types they have.
static const ProgramValue values[] = {
#define VALUE(name, text) {#name, text},
#include "tests/ops_table/prelude.def"
#undef VALUE
};

static const char *constant_text(const char *name) {
    size_t i = 0;
    while (strcmp(values[i].name, name)) i++;
    return values[i].text;
}

// types[2]: how many elements tiles of 4 have; types[3]: whether operands are constants.
static void append_value(Arena *arena, const ProgramValue *value, const int *types, Buffer *out) {
    const Loaded *from = loaded_of(value->name);
    if (from && !types[3]) {
        append_loaded(arena, from, types, out);
        return;
    }
    const char *text = from ? constant_text(value->name) : value->text;
    program_append_typed(arena, resized(arena, text, (unsigned)types[2]), types, out);
    buffer_print(out, "\n");
}

static ProgramValues prelude_of(ProgramValue *items) {
    for (size_t i = 0; i < BASE_COUNT(values); i++) {
        const Loaded *from = loaded_of(values[i].name);
        items[i] = values[i];
        if (from) items[i].text = from->type;
    }
    return (ProgramValues){items, BASE_COUNT(values), append_value};
}

// ---- results --------------------------------------------------------------------------------------------------------

// What is in memory for elements that cannot be there.
static const char *stored_as(const char *element) {
    if (!strcmp(element, "f4E2M1FN")) return "f8E4M3FN";
    return !strcmp(element, "i1") || !strcmp(element, "i4") ? "i8" : element;
}

static TirTypeKind kind_of(const char *name) {
    for (int kind = 0; kind < TIR_TYPE_COUNT; kind++)
        if (!strcmp(tir_type_rows[kind].name, name)) return (TirTypeKind)kind;
    return TIR_TYPE_i8;
}

// "tile<4x32xf16>": the number of elements, and where their type begins; 0: it is no tile of numbers.
static unsigned count_of(const char *type, char *element, size_t size) {
    unsigned count = 1, extent;
    int length;
    const char *at = type;
    if (strncmp(at, "tile<", 5) || strstr(type, "ptr<")) return 0;
    for (at += 5; sscanf(at, "%ux%n", &extent, &length) == 1 && at[length - 1] == 'x'; at += length) count *= extent;
    snprintf(element, size, "%.*s", (int)strcspn(at, ">"), at);
    return count;
}

// Stores %r, a tile of this type.
static void append_result(OpProgram *program, const char *type, Buffer *out) {
    char element[32];
    unsigned count = count_of(type, element, sizeof element);
    if (!count) return;
    const char *stored = stored_as(element);
    buffer_print(out, "%%r_flat = reshape %%r : %s -> tile<%ux%s>\n", type, count, element);
    if (strcmp(stored, element))
        buffer_print(out, "%%r_stored = %s %%r_flat%s : tile<%ux%s> -> tile<%ux%s>\n",
                     *element == 'f' ? "ftof" : "exti", *element == 'f' ? "" : " unsigned", count, element, count,
                     stored);
    append_pointers(out, "r", parameters[OP_RESULT], stored, count, 0);
    buffer_print(out, "%%r_token = store_ptr_tko weak %%r_at, %%r_%s : tile<%uxptr<%s>>, tile<%ux%s> -> token\n",
                 strcmp(stored, element) ? "stored" : "flat", count, stored, count, stored);
    program->kinds[OP_RESULT] = kind_of(stored);
    program->results = count;
}

// ---- which ops have floats -----------------------------------------------------------------------------------------

static bool is_float_tile(const TirModule *module, const TirFunction *function, TirValue value) {
    TirType type = tir_value_type(function, value);
    return tir_type(module, type)->kind == TIR_TYPE_tile &&
           tir_type_rows[tir_tile_element_kind(module, type)].class == TIR_CLASS_FLOAT;
}

bool op_takes_floats(const TirModule *module, const TirFunction *function, TirOpKind kind) {
    bool found = false;
    for (const TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op)) {
        if (op->kind != kind && kind != TIR_OP_COUNT) continue;
        for (uint32_t i = 0; i < op->operand_count; i++) found |= is_float_tile(module, function, op->operands[i]);
        for (uint32_t i = 0; i < op->result_count; i++) found |= is_float_tile(module, function, tir_result(op, i));
    }
    return found;
}

// ---- programs -------------------------------------------------------------------------------------------------------

TirModule *op_programs_module(const OpProgram *const *programs, size_t count) {
    Buffer text = {0};
    Diagnostics diagnostics = {0};
    buffer_print(&text, "cuda_tile.module @kernels {\n");
    for (size_t i = 0; i < count; i++) {
        buffer_print(&text, "entry @e%zu(", i);
        for (unsigned k = 0; k < OP_PARAMETERS; k++)
            buffer_print(&text, "%s%%%s: tile<ptr<%s>>", k ? ", " : "", parameters[k],
                         tir_type_rows[programs[i]->kinds[k]].name);
        buffer_print(&text, ") {\n%s}\n", programs[i]->text);
    }
    buffer_print(&text, "}\n");
    TirModule *module = tir_parse_text(&diagnostics, "program", text.data, text.size);
    if (module && !tir_verify(&diagnostics, module)) {
        tir_module_close(module);
        module = NULL;
    }
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    return module;
}

typedef struct Expansion {
    OpPrograms *programs;
    const ProgramValues *prelude;
    const ProgramRow *row;
    int types[2];
    unsigned choices; // that were accepted
} Expansion;

static bool add_program(const Expansion *expansion, const char *text, unsigned size, bool constants) {
    OpPrograms *programs = expansion->programs;
    const int types[4] = {expansion->types[0], expansion->types[1], (int)size, constants};
    text = resized(&programs->arena, text, size);
    OpProgram program = {.op = expansion->row->op,
                         .types = {types[0], types[1]},
                         .is_first = expansion->choices == 0 && size == 4 && !constants};
    program.choice = expansion->choices;
    for (unsigned k = 0; k < OP_PARAMETERS; k++) program.kinds[k] = TIR_TYPE_i8;
    program.kinds[OP_INDICES] = TIR_TYPE_i32;
    program.kinds[OP_SUMS] = TIR_TYPE_f32;
    if (types[0] >= 0 && types[0] != TIR_TYPE_i4) program.kinds[OP_TYPED] = (TirTypeKind)types[0];
    if (types[1] >= 0 && types[1] != TIR_TYPE_i4) program.kinds[OP_OTHER] = (TirTypeKind)types[1];
    Buffer out = {0};
    program_append_values(expansion->prelude, &programs->arena, text, types, &out);
    program_append_typed(&programs->arena, text, types, &out);
    buffer_print(&out, "\n");
    if (expansion->row->sink) {
        Buffer sink = {0};
        program_append_typed(&programs->arena, resized(&programs->arena, expansion->row->sink, size), types, &sink);
        append_result(&program, arena_text(&programs->arena, sink.data, sink.size), &out);
        buffer_free(&sink);
    }
    buffer_print(&out, "return\n");
    program.text = arena_text(&programs->arena, out.data, out.size);
    buffer_free(&out);
    TirModule *module = op_programs_module((const OpProgram *[]){&program}, 1);
    bool good = module && op_takes_floats(module, &module->functions[0], TIR_OP_COUNT);
    tir_module_close(module);
    if (!good) return false;
    programs->items =
        arena_grow(&programs->arena, programs->items, programs->count, &programs->capacity, sizeof *programs->items);
    programs->items[programs->count++] = program;
    return true;
}

bool op_is_elementwise(TirOpKind op) {
    switch (op) {
#define ELEMENT(op, function) case TIR_OP_##op:
#define INDEX(op)
#define MAP(op, function)
#define CODE(op, function)
#define NO_CODE(name)
#include "compiler/lower/lowering.def"
#undef ELEMENT
#undef INDEX
#undef MAP
#undef CODE
#undef NO_CODE
        return true;
    default: return false;
    }
}

// The first choice of an element-wise op that is accepted for tiles of every size and on constants,
// the others for tiles of one size. Elements
// of four bits come in pairs.
static void add_choice(void *data, const char *text) {
    static const unsigned sizes[] = {4, 1, 64};
    Expansion *expansion = data;
    unsigned choice = expansion->choices;
    bool pairs = has_nibbles(expansion->types[0]) || has_nibbles(expansion->types[1]), good = false;
    for (unsigned i = 0; i < BASE_COUNT(sizes); i++) {
        bool asked = op_is_elementwise(expansion->row->op) ? choice == 0 || choice % BASE_COUNT(sizes) == i : i == 0;
        if (pairs && sizes[i] == 1) continue;
        if (asked) good |= add_program(expansion, text, sizes[i], false);
    }
    bool has_lists = expansion->types[0] != TIR_TYPE_i4 && expansion->types[1] != TIR_TYPE_i4;
    if (choice == 0 && good && has_lists && op_is_elementwise(expansion->row->op))
        add_program(expansion, text, 4, true);
    expansion->choices += good;
}

static bool is_number(int kind) {
    return tir_type_rows[kind].class != TIR_CLASS_COMPOUND && kind != TIR_TYPE_fnv8E5M3FNU;
}

static bool is_float(int kind) {
    return kind >= 0 && tir_type_rows[kind].class == TIR_CLASS_FLOAT;
}

// Pointers are no floats and do not point to elements of four bits; globals have parameters of their own.
static bool is_asked(const ProgramRow *row, int t) {
    if (has_nibbles(t) && strstr(row->text, "%ptrs")) return false;
    return !strstr(row->text, "@values") && !(row->sink && strstr(row->sink, "ptr<"));
}

static void add_types(OpPrograms *programs, const ProgramValues *prelude, int t, int u) {
    if (!is_float(t) && !is_float(u)) return;
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        bool has_t = program_mentions(prelude, rows[i].text, rows[i].sink, 'T'),
             has_u = program_mentions(prelude, rows[i].text, rows[i].sink, 'U');
        Expansion expansion = {programs, prelude, &rows[i], {t, u}, 0};
        if (is_asked(&rows[i], t) && has_t == (t >= 0) && has_u == (u >= 0))
            program_choices(&programs->arena, rows[i].text, add_choice, &expansion);
    }
}

void op_programs_open(OpPrograms *programs) {
    ProgramValue items[BASE_COUNT(values)];
    ProgramValues prelude = prelude_of(items);
    *programs = (OpPrograms){0};
    for (int t = 0; t < TIR_TYPE_COUNT; t++) {
        if (!is_number(t)) continue;
        add_types(programs, &prelude, t, -1);
        for (int u = 0; u < TIR_TYPE_COUNT; u++)
            if (is_number(u)) add_types(programs, &prelude, t, u);
    }
}

void op_programs_close(OpPrograms *programs) {
    arena_reset(&programs->arena);
}
