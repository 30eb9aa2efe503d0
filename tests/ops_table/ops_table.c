// SPDX-License-Identifier: Apache-2.0
// Prints op x element type x arithmetic: runs, or why it is refused. Asks the compiler and the runtime themselves: each
// row of rows.def becomes programs with every element type and every modifier; what the verifier accepts is compiled in
// each arithmetic and run. `ops_table OP...` asks for these ops only, --programs only for
// the programs. Exit status 1 if an op has no program, or
// a kernel fails when it runs.
#include "tests/ops_table/ops_table.h"

#include <stdio.h>
#include <string.h>

static const ProgramRow rows[] = {
#define ROW(op, text, sink) {TIR_OP_##op, text, sink},
#include "tests/ops_table/rows.def"
#undef ROW
};

static const char *const mode_names[] = {"ieee", "payload", "tower"};
_Static_assert(BASE_COUNT(mode_names) == MODE_COUNT, "a name for each mode");

// ---- asking ---------------------------------------------------------------------------------------------------------

// Formats and drops what kernels print, so that what they compute is needed.
static void drop_text(void *data, const char *text, size_t size) {
    (void)text;
    *(size_t *)data += size;
}

static bool run_kernel(Table *table, const KernelInfo *kernel, Diagnostics *diagnostics) {
    RtBuffer *buffers[2 + GLOBALS_MAX] = {0};
    RtArgument arguments[2 + GLOBALS_MAX];
    uint32_t count = kernel->parameter_count + kernel->global_count;
    bool good = count <= BASE_COUNT(arguments);
    for (uint32_t i = 0; good && i < count; i++) {
        buffers[i] = rt_alloc(table->device, diagnostics, BUFFER_BYTES);
        good = buffers[i];
        if (good) arguments[i] = (RtArgument){buffers[i]->address, buffers[i]};
    }
    good =
        good && rt_launch(table->device, diagnostics,
                          &(RtLaunch){.label = "table", .kernel = kernel, .grid = {1, 1, 1}, .arguments = arguments});
    for (uint32_t i = 0; i < BASE_COUNT(buffers); i++) rt_free(table->device, buffers[i]);
    return good;
}

// Compiles the module in the mode and runs its kernels. NULL: all is well; else the first message.
static const char *ask(Table *table, TirModule *module, unsigned mode) {
    static const CompileNumeric numerics[MODE_COUNT] = {COMPILE_IEEE, COMPILE_PAYLOAD, COMPILE_SHADOW};
    Diagnostics diagnostics = {0};
    CompileOptions options = {.numeric = numerics[mode]};
    if (mode == MODE_PAYLOAD)
        options.instrumentation =
            (FpsanInstrumentation){.enabled = true, .algebra = {.profile = fpsan_profile_by_name("triton-3.9")}};
    CompiledModule *compiled = compiler_load(table->compiler, &diagnostics, tir_program(module), &options);
    const char *problem = NULL;
    for (uint32_t k = 0; compiled && k < compiled->kernel_count && !diagnostics.count; k++)
        if (!run_kernel(table, &compiled->kernels[k], &diagnostics)) table->faults++;
    compiled_module_close(table->compiler, compiled);
    if (diagnostics.count) {
        const char *message = diagnostics.items[0].message, *end = *message == '\'' ? strstr(message, "': ") : NULL;
        problem = arena_format(&table->arena, "%s", end ? end + 3 : message);
    }
    diagnostics_close(&diagnostics);
    return problem;
}

// All programs of a cell together; one by one if they do not compile.
static void ask_cell(Table *table, const Programs *programs, Cell *cell) {
    TirModule *all = program_module(table, programs, 0, programs->count);
    for (unsigned mode = 0; mode < MODE_COUNT; mode++) {
        cell->problem[mode] = all ? ask(table, all, mode) : "more programs than a module may have";
        if (!cell->problem[mode]) continue;
        for (uint32_t i = 0; i < programs->count && programs->count > 1; i++) {
            TirModule *one = program_module(table, programs, i, 1);
            const char *problem = ask(table, one, mode);
            tir_module_close(one);
            if (!problem) cell->runs[mode]++;
            if (problem) cell->problem[mode] = problem;
        }
    }
    tir_module_close(all);
}

// ---- the table ------------------------------------------------------------------------------------------------------

static Cell *cell_of(Table *table, TirOpKind op, int t, int u) {
    for (size_t i = 0; i < table->cell_count; i++) {
        Cell *cell = &table->cells[i];
        if (cell->op == op && cell->types[0] == t && cell->types[1] == u) return cell;
    }
    table->cells =
        arena_grow(&table->arena, table->cells, table->cell_count, &table->cell_capacity, sizeof *table->cells);
    table->cells[table->cell_count] = (Cell){.op = op, .types = {t, u}};
    return &table->cells[table->cell_count++];
}

static bool is_number(int kind) {
    return tir_type_rows[kind].class != TIR_CLASS_COMPOUND;
}

// The programs of one op with $T and $U (-1: it has none).
static void fill_cell(Table *table, TirOpKind op, int t, int u) {
    Programs programs = {.types = {t, u}};
    for (size_t r = 0; r < BASE_COUNT(rows); r++) {
        if (rows[r].op == op) program_expand(table, &rows[r], &programs);
    }
    if (!programs.count) return;
    Cell *cell = cell_of(table, op, t, u);
    cell->programs = programs.count;
    if (!table->programs_only) ask_cell(table, &programs, cell);
}

static void fill_op(Table *table, TirOpKind op) {
    fill_cell(table, op, -1, -1);
    for (int t = 0; t < TIR_TYPE_COUNT; t++) {
        if (!is_number(t)) continue;
        fill_cell(table, op, t, -1);
        for (int u = 0; u < TIR_TYPE_COUNT; u++)
            if (is_number(u)) fill_cell(table, op, t, u);
    }
}

// ---- printing -------------------------------------------------------------------------------------------------------

static const char *outcome_text(Table *table, const Cell *cell, unsigned mode) {
    if (!cell->problem[mode]) return "runs";
    if (!cell->runs[mode]) return arena_format(&table->arena, "refused: %s", cell->problem[mode]);
    return arena_format(&table->arena, "%u of %u run, refused: %s", cell->runs[mode], cell->programs,
                        cell->problem[mode]);
}

// The outcomes of all modes, shortly where they agree.
static const char *cell_text(Table *table, const Cell *cell) {
    const char *texts[MODE_COUNT];
    bool same = true;
    for (unsigned mode = 0; mode < MODE_COUNT; mode++) {
        texts[mode] = outcome_text(table, cell, mode);
        same &= !strcmp(texts[mode], texts[0]);
    }
    if (same) return texts[0];
    const char *text = "";
    for (unsigned mode = 0; mode < MODE_COUNT; mode++)
        text = arena_format(&table->arena, "%s%s%s %s", text, mode ? "; " : "", mode_names[mode], texts[mode]);
    return text;
}

static const char *add_word(Table *table, const char *list, const char *word) {
    return arena_format(&table->arena, "%s%s%s", list, *list ? " " : "", word);
}

typedef struct Line {
    const char *types, *others, *outcome; // $T, $U, what happens
} Line;

// The cells of the op with one $T, put together where $U does not matter.
static size_t lines_of_type(Table *table, TirOpKind op, int t, Line *lines) {
    size_t count = 0;
    for (size_t i = 0; i < table->cell_count; i++) {
        const Cell *cell = &table->cells[i];
        if (cell->op != op || cell->types[0] != t) continue;
        const char *outcome = cell_text(table, cell),
                   *other = cell->types[1] < 0 ? "" : tir_type_rows[cell->types[1]].name;
        size_t at = 0;
        while (at < count && (strcmp(lines[at].outcome, outcome) || !*lines[at].others != !*other)) at++;
        if (at == count) lines[count++] = (Line){t < 0 ? "-" : tir_type_rows[t].name, "", outcome};
        lines[at].others = add_word(table, lines[at].others, other);
    }
    return count;
}

static void print_op(Table *table, TirOpKind op) {
    Line lines[TIR_TYPE_COUNT * TIR_TYPE_COUNT], some[TIR_TYPE_COUNT * 2];
    size_t count = 0;
    for (int t = -1; t < TIR_TYPE_COUNT; t++) {
        size_t more = lines_of_type(table, op, t, some);
        for (size_t i = 0; i < more; i++) {
            size_t at = 0;
            while (at < count &&
                   (strcmp(lines[at].outcome, some[i].outcome) || strcmp(lines[at].others, some[i].others)))
                at++;
            if (at < count)
                lines[at].types = add_word(table, lines[at].types, some[i].types);
            else
                lines[count++] = some[i];
        }
    }
    for (size_t i = 0; i < count; i++)
        printf("| %s | %s%s%s | %s |\n", i ? "" : tir_op_info(op)->text_name, lines[i].types,
               *lines[i].others ? " with " : "", lines[i].others, lines[i].outcome);
}

static bool open_table(Table *table) {
    table->compiler = compiler_open(&table->diagnostics);
    table->device =
        table->compiler ? rt_open_host(&table->diagnostics, &(RtDeviceOptions){.jobs = 1, .shadow = true}) : NULL;
    if (table->device) rt_print_to(table->device, drop_text, &table->printed);
    return table->device;
}

// Ops that no file of a version that is read can hold in a body, and what only a block with parts does.
static bool has_programs(TirOpKind op) {
    const TirOpInfo *info = tir_op_info(op);
    if (op == TIR_OP_block_operation) return false;
    return info->since <= TIR_VERSION_MAX && op != TIR_OP_entry && op != TIR_OP_global && op != TIR_OP_module;
}

static bool is_asked(int op, int count, char **words) {
    bool found = count < 2;
    if (count == 2 && !strcmp(words[1], "--programs")) found = true;
    for (int i = 1; i < count; i++) found |= !strcmp(words[i], tir_op_info((TirOpKind)op)->text_name);
    return found && has_programs((TirOpKind)op);
}

int main(int count, char **words) {
    Table table = {0};
    unsigned missing = 0;
    table.programs_only = count == 2 && !strcmp(words[1], "--programs");
    bool good = table.programs_only || open_table(&table);
    if (good && !table.programs_only) printf("| op | element types | in ieee, payload and tower |\n|---|---|---|\n");
    for (int op = 0; good && op < TIR_OP_COUNT; op++) {
        if (!is_asked(op, count, words)) continue;
        size_t before = table.cell_count;
        fill_op(&table, (TirOpKind)op);
        if (table.cell_count == before) {
            fprintf(stderr, "ops_table: %s has no program\n", tir_op_info((TirOpKind)op)->name);
            missing++;
        }
        if (!table.programs_only) print_op(&table, (TirOpKind)op);
    }
    if (table.faults) fprintf(stderr, "ops_table: %u kernels fail when they run\n", table.faults);
    diagnostics_print(&table.diagnostics);
    diagnostics_close(&table.diagnostics);
    rt_close(table.device);
    compiler_close(table.compiler);
    arena_reset(&table.arena);
    return !good || missing || table.faults;
}
