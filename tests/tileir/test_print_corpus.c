// SPDX-License-Identifier: Apache-2.0
// The text of every file of print/ equals what NVIDIA's disassembler printed for it (print/NAME.txt, with -g
// print/NAME.g.txt), byte for byte; the corpus holds every op and type that can be read; and the verifier has nothing
// against any bytecode of the repository.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORPUS SOURCE_DIR "/tests/tileir/print"

static bool ends_with_text(const char *text, const char *end) {
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && !strcmp(text + length - wanted, end);
}

// Calls `visit` for each file of a folder and, with `deep`, of the folders in it, whose name ends with `suffix`;
// returns how many.
static size_t visit_files(const char *folder, const char *suffix, bool deep,
                          void (*visit)(const char *path, void *context), void *context) {
    size_t count = 0;
    DIR *handle = opendir(folder);
    if (!handle) return 0;
    for (struct dirent *entry; (entry = readdir(handle));) {
        char *path = NULL;
        cr_assert_gt(asprintf(&path, "%s/%s", folder, entry->d_name), 0);
        if (entry->d_type == DT_DIR && deep && entry->d_name[0] != '.')
            count += visit_files(path, suffix, deep, visit, context);
        if (entry->d_type == DT_REG && ends_with_text(entry->d_name, suffix)) {
            visit(path, context);
            count++;
        }
        free(path);
    }
    closedir(handle);
    return count;
}

static TirModule *read_and_verify(const char *path) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_file(&diagnostics, path);
    cr_assert(module, "%s: %s", path, diagnostics.count ? diagnostics.items[0].message : "no module, no diagnostic");
    bool valid = tir_verify(&diagnostics, module);
    cr_assert(valid && !diagnostics.count, "%s: %s", path,
              diagnostics.count ? diagnostics.items[0].message : "refused without a diagnostic");
    diagnostics_close(&diagnostics);
    return module;
}

static size_t first_difference(const char *a, size_t a_size, const char *b, size_t b_size) {
    size_t at = 0;
    while (at < a_size && at < b_size && a[at] == b[at]) at++;
    return at;
}

// Fails with the line where the text differs from the file's.
static void expect_text(const char *path, const TirModule *module, bool locations, const char *expected_path) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    uint8_t *expected;
    size_t expected_size;
    cr_assert(file_read(&diagnostics, &arena, expected_path, &expected, &expected_size), "%s", expected_path);
    Buffer out = {0};
    tir_print(module, locations, &out);
    size_t at = first_difference(out.data, out.size, (char *)expected, expected_size);
    if (at < out.size || at < expected_size) {
        size_t line = 1, begin = 0;
        for (size_t i = 0; i < at; i++)
            if (out.data[i] == '\n') line++, begin = i + 1;
        cr_assert_fail("%s line %zu:\n  printed  %.200s\n  expected %.200s", path, line, out.data + begin,
                       (char *)expected + begin);
    }
    buffer_free(&out);
    arena_reset(&arena);
}

static char *beside(const char *path, const char *suffix) {
    char *other = NULL;
    cr_assert_gt(asprintf(&other, "%.*s%s", (int)(strlen(path) - strlen(".tileirbc")), path, suffix), 0);
    return other;
}

static void compare_file(const char *path, void *with_locations) {
    TirModule *module = read_and_verify(path);
    char *text = beside(path, ".txt"), *located = beside(path, ".g.txt");
    expect_text(path, module, false, text);
    FILE *file = fopen(located, "r");
    if (file) {
        fclose(file);
        expect_text(path, module, true, located);
        ++*(size_t *)with_locations;
    }
    free(text);
    free(located);
    tir_module_close(module);
}

Test(print_corpus, equals_the_disassembler) {
    size_t with_locations = 0;
    cr_assert_geq(visit_files(CORPUS, ".tileirbc", false, compare_file, &with_locations), 55);
    cr_assert_geq(with_locations, 17);
}

// ---- coverage -------------------------------------------------------------------------------------------------------

typedef struct Coverage {
    bool ops[TIR_OP_COUNT], types[TIR_TYPE_COUNT];
    uint64_t words[TIR_OP_COUNT][TIR_ATTRIBUTES_MAX]; // enumeration values seen
} Coverage;

static void cover_region(const TirRegion *region, Coverage *coverage) {
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op)) {
        const TirOpInfo *info = tir_op_info(op->kind);
        coverage->ops[op->kind] = true;
        for (uint32_t i = 0; i < info->attribute_count; i++)
            if (op->attributes[i].present)
                coverage->words[op->kind][i] |= UINT64_C(1) << op->attributes[i].integer % 64;
    }
}

static void cover_file(const char *path, void *context) {
    Coverage *coverage = context;
    TirModule *module = read_and_verify(path);
    for (uint32_t i = 0; i < module->type_count; i++) coverage->types[tir_type(module, i)->kind] = true;
    for (uint32_t i = 0; i < module->function_count; i++) cover_region(&module->functions[i].body, coverage);
    tir_module_close(module);
}

Test(print_corpus, holds_every_op_and_type) {
    Coverage *coverage = calloc(1, sizeof *coverage);
    visit_files(CORPUS, ".tileirbc", false, cover_file, coverage);
    for (uint32_t kind = 0; kind < TIR_OP_COUNT; kind++) {
        const TirOpInfo *info = tir_op_info(kind);
        bool declaration = kind == TIR_OP_entry || kind == TIR_OP_global || kind == TIR_OP_module;
        if (info->since <= TIR_VERSION_MAX && !declaration && !info->text_only)
            cr_expect(coverage->ops[kind], "no %s in the corpus", info->name);
    }
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++)
        if (tir_type_rows[kind].since <= TIR_VERSION_MAX && tir_type_rows[kind].tag != TIR_NO_TAG)
            cr_expect(coverage->types[kind], "no %s in the corpus", tir_type_rows[kind].name);
    free(coverage);
}

// Every word of these enumerations is printed somewhere.
Test(print_corpus, holds_every_word) {
    static const struct {
        TirOpKind kind;
        const char *attribute;
        uint32_t count;
    } full[] = {
        {TIR_OP_cmpf, "predicate", 6}, {TIR_OP_cmpf, "ordering", 2},        {TIR_OP_cmpi, "signedness", 2},
        {TIR_OP_addi, "overflow", 4},  {TIR_OP_atomic_rmw_tko, "mode", 10}, {TIR_OP_atomic_rmw_tko, "scope", 3},
        {TIR_OP_divf, "rounding", 6},
    };
    Coverage *coverage = calloc(1, sizeof *coverage);
    visit_files(CORPUS, ".tileirbc", false, cover_file, coverage);
    for (size_t i = 0; i < BASE_COUNT(full); i++) {
        const TirOpInfo *info = tir_op_info(full[i].kind);
        uint32_t index = 0;
        while (strcmp(info->attributes[index].name, full[i].attribute)) index++;
        cr_expect_eq(coverage->words[full[i].kind][index], (UINT64_C(1) << full[i].count) - 1, "%s of %s",
                     full[i].attribute, info->name);
    }
    free(coverage);
}

// ---- no false refusals ----------------------------------------------------------------------------------------------

static void close_verified(const char *path, void *context) {
    (void)context;
    tir_module_close(read_and_verify(path));
}

Test(verify_corpus, accepts_every_exported_kernel) {
    size_t count = visit_files(SOURCE_DIR "/examples", ".tileirbc", true, close_verified, NULL);
    count += visit_files(SOURCE_DIR "/tests/cases", ".tileirbc", true, close_verified, NULL);
    count += visit_files(SOURCE_DIR "/tests/triton", ".tileirbc", true, close_verified, NULL);
    cr_assert_geq(count, 150);
}
