// SPDX-License-Identifier: Apache-2.0
// Mutants of modules: every one is a valid module, alone and behind a switch, and differs from the plain one.
#include "compiler/mutate/tile_mutants.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <string.h>

enum { TOGETHER = 64 };

static void check_printed(const TirModule *plain, const TirModule *mutated, const TileMutant *mutant) {
    Buffer a = {0}, b = {0};
    tir_print(plain, false, &a);
    tir_print(mutated, false, &b);
    cr_expect(a.size != b.size || memcmp(a.data, b.data, a.size), "%s:%u: %s: %s changes nothing", plain->path,
              mutant->at.line, mutant->mnemonic, mutant->words);
    buffer_free(&a);
    buffer_free(&b);
}

static void check_function(const TirModule *module, uint32_t function, bool alone, uint32_t *seen) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    TileMutants mutants = {0};
    TirModule *plain = tir_module_copy_function(module, function);
    tile_list_mutants(&arena, module, function, &mutants);
    for (uint32_t i = 0; i < mutants.count; i++) {
        const TileMutant *mutant = &mutants.items[i];
        seen[mutant->operator]++;
        cr_expect(mutant->words && *mutant->words);
        if (!alone) continue;
        TirModule *made = tile_mutant_alone(&diagnostics, module, mutant);
        cr_assert(made, "%s: op %u, %s: %s: %s", module->path, mutant->op, mutant->mnemonic, mutant->words,
                  diagnostics.count ? diagnostics.items[0].message : "");
        check_printed(plain, made, mutant);
        tir_module_close(made);
    }
    for (uint32_t i = 0; i < mutants.count; i += TOGETHER) {
        const uint32_t count = mutants.count - i < TOGETHER ? mutants.count - i : TOGETHER;
        TirModule *made = tile_mutants_switched(&diagnostics, module, &mutants.items[i], count);
        cr_assert(made, "%s: mutants %u to %u: %s", module->path, i, i + count,
                  diagnostics.count ? diagnostics.items[0].message : "");
        const TirTypeInfo *type = tir_type(made, made->functions[0].type),
                          *before = tir_type(module, module->functions[function].type);
        cr_expect_eq(type->parameter_count, before->parameter_count + 1);
        tir_module_close(made);
    }
    tir_module_close(plain);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
}

static void check_files(const char *pattern, bool alone, uint32_t *seen) {
    glob_t files = {0};
    cr_assert_eq(glob(pattern, 0, NULL, &files), 0, "no files %s", pattern);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        Diagnostics diagnostics = {0};
        TirModule *module = tir_read_file(&diagnostics, files.gl_pathv[i]);
        if (module && tir_verify(&diagnostics, module))
            for (uint32_t f = 0; f < module->function_count; f++)
                if (module->functions[f].entry) check_function(module, f, alone, seen);
        tir_module_close(module);
        diagnostics_close(&diagnostics);
    }
    globfree(&files);
}

Test(modules, examples) {
    uint32_t seen[TILE_OPERATOR_COUNT] = {0};
    check_files(SOURCE_DIR "/examples/*/*.tileirbc", true, seen);
    cr_expect(seen[TILE_OPERATOR_swap_operands] && seen[TILE_OPERATOR_carried] && seen[TILE_OPERATOR_loop_bounds]);
}

Test(modules, corpus) {
    uint32_t seen[TILE_OPERATOR_COUNT] = {0};
    check_files(SOURCE_DIR "/tests/corpus/text/*", true, seen);
    check_files(SOURCE_DIR "/tests/corpus/cutile/*", false, seen);
    for (int o = 0; o < TILE_OPERATOR_COUNT; o++)
        cr_expect(seen[o], "no mutant of operator %s", tile_operator_info((TileOperator)o)->name);
}

// ---- the page -------------------------------------------------------------------------------------------------------

// The page with single blanks for all white space.
static const char *read_page(Arena *arena) {
    Diagnostics diagnostics = {0};
    uint8_t *bytes;
    size_t size, length = 0;
    cr_assert(file_read(&diagnostics, arena, SOURCE_DIR "/docs/mutants.md", &bytes, &size));
    char *page = arena_alloc(arena, size + 1);
    for (size_t i = 0; i < size; i++) {
        const bool blank = bytes[i] == ' ' || bytes[i] == '\n';
        if (!blank || (length && page[length - 1] != ' ')) page[length++] = blank ? ' ' : (char)bytes[i];
    }
    return page;
}

Test(page, has_all_operators) {
    Arena arena = {0};
    const char *page = read_page(&arena);
    for (int o = 0; o < TILE_OPERATOR_COUNT; o++) {
        const TileOperatorInfo *info = tile_operator_info((TileOperator)o);
        char *line = arena_format(&arena, "- `%s`: %s. %s.", info->name, info->ops, info->changes),
             *first = line + strlen(info->name) + strlen(info->ops) + 8;
        if (*first >= 'a' && *first <= 'z') *first += 'A' - 'a';
        cr_expect(strstr(page, line), "docs/mutants.md lacks: %s", line);
    }
    arena_reset(&arena);
}

Test(page, has_all_replacements) {
    static const char *const pairs[][2] = {
#define REPLACE(from, to) {#from, #to},
#include "compiler/mutate/replacements.def"
#undef REPLACE
    };
    Arena arena = {0};
    const char *page = strstr(read_page(&arena), "(`replacements.def`):");
    cr_assert(page);
    for (size_t i = 0; i < BASE_COUNT(pairs); i++) {
        const char *line = strstr(page, arena_format(&arena, " %s: ", pairs[i][0])),
                   *to = line ? strstr(line, pairs[i][1]) : NULL, *end = line ? strpbrk(line, ",.") : NULL;
        cr_expect(to && end && to < end, "docs/mutants.md lacks %s: %s", pairs[i][0], pairs[i][1]);
    }
    arena_reset(&arena);
}
