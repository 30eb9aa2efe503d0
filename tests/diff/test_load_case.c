// SPDX-License-Identifier: Apache-2.0
// Case files: a good one field by field; and a table of wrong ones, each with the line, column and text of its one
// error.
#include "diff/judge.h"
#include "diff/options.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A folder with a module (never read here) and a file of 8 bytes.
static const char *case_folder(Arena *arena) {
    char folder[] = "/tmp/congruent-case-XXXXXX";
    Diagnostics diagnostics = {0};
    cr_assert(mkdtemp(folder));
    cr_assert(file_write(&diagnostics, arena_format(arena, "%s/m.tileirbc", folder), "x", 1));
    cr_assert(file_write(&diagnostics, arena_format(arena, "%s/w.bin", folder), "12345678", 8));
    return arena_text(arena, folder, strlen(folder));
}

static void drop_folder(Arena *arena, const char *folder) {
    static const char *const names[] = {"m.tileirbc", "w.bin", "case.yaml"};
    for (size_t i = 0; i < BASE_COUNT(names); i++) unlink(arena_format(arena, "%s/%s", folder, names[i]));
    rmdir(folder);
}

static FpdCase *load_text(Arena *arena, Diagnostics *diagnostics, const char *folder, const char *text, size_t size) {
    const char *path = arena_format(arena, "%s/case.yaml", folder);
    cr_assert(file_write(diagnostics, path, text, size));
    return fpd_load_case(diagnostics, arena, path);
}

static const char *const good_case =
    "title: 'all: of it'\n"
    "buffers:\n"
    "  y: {type: f16, shape: [2, 256, 64], fill: {normal: {mean: 0.5, std: 2}}}\n"
    "  no: {type: i32, shape: [7], fill: {integers: {low: -3, high: 9}}}\n"
    "  W: {type: i8, shape: [8], fill: {file: w.bin}}\n"
    "  C: {type: bf16, shape: [], fill: {constant: -1.5}}\n"
    "  N: {type: f4e2m1fn, shape: [3, 2], fill: bits}\n"
    "variants:\n"
    "  one:\n"
    "    - {module: m.tileirbc, grid: [4, 2], args: [y, no, f32 0.125, i1 true, y.shape.1, y.stride.0, y.ptr]}\n"
    "    - {module: m.tileirbc, kernel: second, grid: [1, 1, 16777215], args: []}\n"
    "  two:\n"
    "    - {module: m.tileirbc, grid: [1], args: [i64 -1]}\n"
    "compare: [y, W]\n"
    "modes: [ieee, fpsan]\n"
    "profile: triton-3.9\n"
    "casts: homomorphic\n"
    "seed: 18446744073709551615\n"
    "tolerance: {ieee: {rtol: 1.0e-2}}\n"
    "expect: diverge\n"
    "allow: [vacuous]\n";

Test(load_case, every_field) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *folder = case_folder(&arena);
    FpdCase *cas = load_text(&arena, &diagnostics, folder, good_case, strlen(good_case));
    cr_assert(cas, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    cr_assert_str_eq(cas->title, "all: of it");
    cr_assert_eq(cas->buffer_count, 5);
    const FpdBuffer *y = &cas->buffers[0], *no = &cas->buffers[1], *w = &cas->buffers[2], *c = &cas->buffers[3],
                    *n = &cas->buffers[4];
    cr_assert_str_eq(y->name, "y");
    cr_assert(y->type == ELEMENT_F16 && y->rank == 3 && y->shape[1] == 256 && y->elements == 32768 &&
              y->bytes == 65536);
    cr_assert(y->fill.kind == FPD_FILL_normal && y->fill.low == 0.5 && y->fill.high == 2 && y->fill.given);
    cr_assert_str_eq(no->name, "no");
    cr_assert(no->fill.kind == FPD_FILL_integers && no->fill.first == -3 && no->fill.last == 9);
    cr_assert_str_eq(w->fill.file, arena_format(&arena, "%s/w.bin", folder));
    cr_assert(c->rank == 0 && c->elements == 1 && c->fill.constant == 0xbfc0);
    cr_assert(n->elements == 6 && n->bytes == 3 && n->fill.kind == FPD_FILL_bits);
    cr_assert_eq(cas->variant_count, 2);
    const FpdLaunch *first = &cas->variants[0].launches[0], *second = &cas->variants[0].launches[1];
    cr_assert(cas->variants[0].launch_count == 2 && !first->kernel && first->argument_count == 7);
    cr_assert(first->grid[0] == 4 && first->grid[1] == 2 && first->grid[2] == 1);
    cr_assert_str_eq(first->path, arena_format(&arena, "%s/m.tileirbc", folder));
    cr_assert(first->arguments[0].kind == FPD_ARGUMENT_BUFFER && first->arguments[1].buffer == 1);
    cr_assert(first->arguments[2].kind == FPD_ARGUMENT_VALUE && first->arguments[2].type == ELEMENT_F32 &&
              first->arguments[2].bits == 0x3e000000);
    cr_assert(first->arguments[3].type == ELEMENT_I1 && first->arguments[3].bits == 1);
    cr_assert(first->arguments[4].kind == FPD_ARGUMENT_SHAPE && first->arguments[4].dimension == 1);
    cr_assert(first->arguments[5].kind == FPD_ARGUMENT_STRIDE && first->arguments[6].kind == FPD_ARGUMENT_POINTER);
    cr_assert_str_eq(second->kernel, "second");
    cr_assert(second->grid[2] == 16777215 && second->argument_count == 0);
    cr_assert_eq(cas->variants[1].launches[0].arguments[0].bits, UINT64_MAX);
    cr_assert(cas->compare_count == 2 && cas->compare[0] == 0 && cas->compare[1] == 2);
    cr_assert(cas->mode_count == 2 && cas->modes[0] == FPD_MODE_ieee && cas->modes[1] == FPD_MODE_fpsan);
    cr_assert_str_eq(cas->algebra.profile->name, "triton-3.9");
    cr_assert(cas->algebra.casts == FPSAN_CASTS_HOMOMORPHIC && cas->seed == UINT64_MAX);
    cr_assert(cas->tolerance.given && cas->tolerance.rtol == 0.01 && cas->tolerance.atol == 0);
    cr_assert(cas->expect_diverge && cas->allow_vacuous);
    cr_assert_eq(diagnostics.count, 0);
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

#define HEAD "buffers: {X: {type: f32, shape: [4]}}\n"
#define TAIL "variants: {a: [{module: m.tileirbc, grid: [1], args: [X]}]}\ncompare: [X]\n"

Test(load_case, defaults) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *folder = case_folder(&arena);
    FpdCase *cas = load_text(&arena, &diagnostics, folder, HEAD TAIL, strlen(HEAD TAIL));
    cr_assert(cas);
    cr_assert(cas->mode_count == 2 && cas->modes[0] == FPD_MODE_fpsan && cas->modes[1] == FPD_MODE_ieee);
    cr_assert(cas->seed == 1 && !cas->title && !cas->tolerance.given && !cas->expect_diverge && !cas->allow_vacuous);
    cr_assert(cas->family == FPD_FAMILY_tower && cas->chain == 0 && !cas->profile_given && !cas->meaning_count &&
              !cas->allow_roots);
    cr_assert(cas->algebra.casts == FPSAN_CASTS_MIX && cas->algebra.profile == fpsan_profile_at(0));
    cr_assert(cas->buffers[0].fill.kind == FPD_FILL_zeros && !cas->buffers[0].fill.given);
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

// What a case says about its profile, then what the command line says over it.
Test(load_case, profiles) {
    static const struct {
        const char *text, *flags;
        bool tower;
        FpsanCasts casts;
        const char *refused;
    } rows[] = {
        {"", "", true, 0, NULL},
        {"profile: tower\n", "", true, 0, NULL},
        {"profile: triton-3.9\n", "", false, FPSAN_CASTS_MIX, NULL},
        {"casts: homomorphic\n", "", false, FPSAN_CASTS_HOMOMORPHIC, NULL},
        {"casts: mix\nprofile: triton-3.9\n", "", false, FPSAN_CASTS_MIX, NULL},
        {"", "--profile triton-3.9", false, FPSAN_CASTS_MIX, NULL},
        {"", "--casts homomorphic", false, FPSAN_CASTS_HOMOMORPHIC, NULL},
        {"casts: homomorphic\n", "--casts mix", false, FPSAN_CASTS_MIX, NULL},
        {"casts: homomorphic\n", "--profile triton-3.9", false, FPSAN_CASTS_HOMOMORPHIC, NULL},
        {"casts: homomorphic\n", "--profile tower", true, 0, NULL},
        {"profile: triton-3.9\n", "--profile tower", true, 0, NULL},
        {"profile: tower\n", "--profile triton-3.9 --casts homomorphic", false, FPSAN_CASTS_HOMOMORPHIC, NULL},
        {"profile: tower\nmeans: {0.5: 1/2}\nallow: [roots]\n", "--profile triton-3.9", false, 0, NULL},
        {"profile: tower\n", "--casts mix", true, 0,
         "--casts is for profile triton-3.9, this case says profile: tower"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        FpdOptions options;
        const char *folder = case_folder(&arena), *text = arena_format(&arena, HEAD TAIL "%s", rows[i].text);
        char *words[16] = {"fpdiff", "case.yaml"}, *line = arena_text(&arena, rows[i].flags, strlen(rows[i].flags));
        int count = 2;
        for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) words[count++] = word;
        cr_assert(fpd_read_command_line(&diagnostics, &arena, count, words, &options));
        FpdCase *cas = load_text(&arena, &diagnostics, folder, text, strlen(text));
        cr_assert(cas, "row %zu: %s", i, diagnostics.count ? diagnostics.items[0].message : "");
        bool good = fpd_override_profile(&diagnostics, cas, &options);
        cr_expect_eq(good, !rows[i].refused, "row %zu", i);
        if (!good) cr_expect(strstr(diagnostics.items[0].message, rows[i].refused));
        cr_expect_eq(cas->family == FPD_FAMILY_tower, rows[i].tower, "row %zu", i);
        if (!rows[i].tower) {
            cr_expect_eq(cas->algebra.casts, rows[i].casts, "row %zu", i);
            cr_expect_str_eq(cas->algebra.profile->name, "triton-3.9");
        }
        cr_expect_eq(fpd_exit_status(&diagnostics), good ? 0 : 2);
        diagnostics_close(&diagnostics);
        drop_folder(&arena, folder);
        arena_reset(&arena);
    }
}

// Each key of `math`, as the settings that it stands for.
Test(load_case, builds) {
    static const struct {
        const char *math, *name, *settings;
    } rows[] = {
        {"[fast]", "fast", "math=fast"},
        {"[fast-reassoc]", "fast-reassoc", "math=fast fast-math-flags=-reassoc"},
        {"[ieee+contract+ftz]", "ieee+contract+ftz",
         "math=ieee fast-math-flags=contract denormal-fp-math=preserve-sign"},
        {"{x: {}}", "x", "math=ieee"},
        {"{x: {mode: strict}}", "x", "math=strict"},
        {"{x: {flags: [nsz, -contract]}}", "x", "fast-math-flags=nsz,-contract"},
        {"{x: {ftz: true}}", "x", "denormal-fp-math=preserve-sign"},
        {"{x: {denormal_fp_math: positive-zero}}", "x", "denormal-fp-math=positive-zero"},
        {"{x: {prec_div: false}}", "x", "prec-div=false"},
        {"{x: {prec_sqrt: false}}", "x", "prec-sqrt=false"},
        {"{x: {fmad: true}}", "x", "fmad=true"},
        {"{x: {split_fma: true}}", "x", "split-fma=true"},
        {"{x: {use_fast_math: true}}", "x", "use_fast_math=true"},
        {"{x: {max_error: 4}}", "x", "max-error=4"},
        {"{x: {max_error: [4, '2:exp,sin']}}", "x", "max-error=4 max-error=2:exp max-error=2:sin"},
        {"{x: {reflect: {__CUDA_PREC_LOG: 0}}}", "x", "reflect=__CUDA_PREC_LOG=0"},
        {"{x: {mode: fast, scopes: [{entry: k, func: det, line: 'a.py:3-4', op: exp, mode: strict, flags: [nsz, "
         "-arcp], "
         "ftz: true, max_error: 2}]}}",
         "x", "math=fast math-scope=entry=k&func=det&line=a.py:3-4&op=exp:strict,max-error=2,+nsz,-arcp,ftz"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        Buffer settings = {0};
        const char *folder = case_folder(&arena), *text = arena_format(&arena, HEAD TAIL "math: %s\n", rows[i].math);
        FpdCase *cas = load_text(&arena, &diagnostics, folder, text, strlen(text));
        cr_assert(cas, "%s: %s", rows[i].math, diagnostics.count ? diagnostics.items[0].message : "");
        cr_expect(cas->build_count == 1 && cas->run_build_count == 1);
        cr_expect_str_eq(fpd_build_name(cas, 0), rows[i].name);
        math_print_settings(&cas->builds[0].settings, &settings);
        cr_expect_str_eq(settings.data, rows[i].settings);
        buffer_free(&settings);
        drop_folder(&arena, folder);
        arena_reset(&arena);
    }
}

#define OWN_BUILDS                                                                                                     \
    HEAD "variants:\n  a:\n    - {module: m.tileirbc, grid: [1], args: [X]}\n"                                         \
         "    - {module: m.tileirbc, grid: [1], args: [X], math: own}\n"                                               \
         "    - {module: m.tileirbc, grid: [1], args: [X], math: strict}\ncompare: [X]\n"                              \
         "math: {plain: {mode: ieee}, own: {mode: fast, ftz: false}}\n"

// What a launch says stays, whatever the command line says. "plain own | strict": builds that variants run in, and
// those that only launches have; `own`, `strict`: the builds of the second and the third launch.
Test(load_case, math_of_the_command_line) {
    static const struct {
        const char *list, *builds, *message;
    } rows[] = {
        {NULL, "plain own | strict", NULL},
        {"fast", "fast | own strict", NULL},
        {"own", "own | strict", NULL},
        {"strict,own,plain", "strict own plain |", NULL},
        {"ieee+ftz,fast-afn", "ieee+ftz fast-afn | own strict", NULL},
        {"ieee,ieee", NULL, "--math names 'ieee' twice"},
        {"ieee,,fast", NULL, "--math names '', expected some of: ieee, strict, precise, fast, plain, own"},
        {"slow", NULL, "--math names 'slow', expected some of: ieee, strict, precise, fast, plain, own"},
        {"", NULL, "--math names ''"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        Buffer found = {0};
        const char *folder = case_folder(&arena);
        FpdCase *cas = load_text(&arena, &diagnostics, folder, OWN_BUILDS, strlen(OWN_BUILDS));
        cr_assert(cas, "%s", diagnostics.count ? diagnostics.items[0].message : "");
        const bool good = !rows[i].list || fpd_override_math(&diagnostics, &arena, cas, rows[i].list);
        cr_expect_eq(good, !rows[i].message, "row %zu", i);
        if (!good) {
            cr_expect(strstr(diagnostics.items[0].message, rows[i].message), "%s", diagnostics.items[0].message);
            cr_expect_eq(fpd_exit_status(&diagnostics), 2);
        } else {
            for (uint32_t b = 0; b < cas->build_count; b++)
                buffer_print(&found, "%s%s%s",
                             b == cas->run_build_count ? " | "
                             : b                       ? " "
                                                       : "",
                             fpd_build_name(cas, b), b + 1 == cas->build_count && b < cas->run_build_count ? " |" : "");
            cr_expect_str_eq(found.data, rows[i].builds);
            const FpdLaunch *launches = cas->variants[0].launches;
            cr_expect_eq(launches[0].build, 0);
            cr_expect_str_eq(fpd_build_name(cas, launches[1].build - 1), "own");
            cr_expect_str_eq(fpd_build_name(cas, launches[2].build - 1), "strict");
        }
        buffer_free(&found);
        diagnostics_close(&diagnostics);
        drop_folder(&arena, folder);
        arena_reset(&arena);
    }
}

static const char *const trouble_case =
    "parameters: {N: [8]}\n"
    "buffers:\n  X: {type: f32, shape: [4, N], fill: correlated}\n"
    "  C: {type: f16, shape: [4, 8], fill: {correlated: {correlation: 0.75, std: N, axis: 1}}}\n"
    "  O: {type: f16, shape: [4, 8], fill: offset}\n"
    "  P: {type: f64, shape: [4, 8], fill: {offset: {mean: 16 * N, std: 0.5}}}\n"
    "  L: {type: bf16, shape: [4, 8], fill: {log_uniform: {high: N}}}\n"
    "  E: {type: f8e8m0fnu, shape: [4, 8], fill: near_overflow}\n"
    "  V: {type: f8e4m3fn, shape: [4, 8], fill: {near_overflow: {doublings: N // 8, signs: false}}}\n" TAIL;

Test(load_case, fills_for_numeric_trouble) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *folder = case_folder(&arena);
    FpdCase *cas = load_text(&arena, &diagnostics, folder, trouble_case, strlen(trouble_case));
    cr_assert(cas, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    static const struct {
        FpdFillKind kind;
        double low, high;
        int64_t first;
        bool positive;
    } expected[] = {{FPD_FILL_correlated, 0.99, 1, 0, false},     {FPD_FILL_correlated, 0.75, 8, 1, false},
                    {FPD_FILL_normal, 64, 1, 0, false},           {FPD_FILL_normal, 128, 0.5, 0, false},
                    {FPD_FILL_log_uniform, 0x1p-63, 8, 0, false}, {FPD_FILL_log_uniform, 0x1p125, 0x1p127, 0, true},
                    {FPD_FILL_log_uniform, 224, 448, 0, true}};
    cr_assert_eq(cas->buffer_count, BASE_COUNT(expected));
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        const FpdFill *fill = &cas->buffers[b].fill;
        cr_expect(fill->kind == expected[b].kind && fill->low == expected[b].low && fill->high == expected[b].high &&
                      fill->first == expected[b].first && fill->positive == expected[b].positive,
                  "%s: %d, %g to %g, %d", cas->buffers[b].name, (int)fill->kind, fill->low, fill->high,
                  (int)fill->positive);
    }
    diagnostics_close(&diagnostics);
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

static const char *const tower_case =
    "buffers:\n  X: {type: f32, shape: [4, 8], literal: true, fill: {constant: 0.125}}\n"
    "  Y: {type: f16, shape: [4, 8], literal: false, fill: adversarial}\n"
    "  Z: {type: bf16, shape: [2, 4, 8], fill: {adversarial: {std: 0.5, axis: 2}}}\n" TAIL
    "allow: [roots]\nmeans: {0.18033688: log2e/8, -0.3465736: '-ln2/2'}\n";

Test(load_case, keys_of_the_tower) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *folder = case_folder(&arena);
    FpdCase *cas = load_text(&arena, &diagnostics, folder, tower_case, strlen(tower_case));
    cr_assert(cas, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    cr_expect(cas->family == FPD_FAMILY_tower && cas->allow_roots && !cas->allow_vacuous && cas->meaning_count == 2);
    cr_expect(cas->buffers[0].literal && !cas->buffers[1].literal);
    const FpdFill *plain = &cas->buffers[1].fill, *full = &cas->buffers[2].fill;
    cr_expect(plain->kind == FPD_FILL_adversarial && plain->high == 1 && plain->first == 0);
    cr_expect(full->kind == FPD_FILL_adversarial && full->high == 0.5 && full->first == 2);
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

static const char *const views_case =
    "parameters: {N: 6}\n"
    "buffers:\n"
    "  P: {type: i64, shape: [3, 2], fill: {addresses: [X.ptr, {view: X, offset: N}, N // 2, P, 0x1F, -0x10]}}\n"
    "  X: {type: f32, shape: [N, 4]}\n"
    "  E: {type: f16, shape: [3, 0, 5], fill: iota}\n"
    "variants:\n"
    "  one:\n"
    "    - module: m.tileirbc\n"
    "      grid: [1]\n"
    "      args: [{view: X}, {view: X, offset: 23, shape: [2, N], strides: [-12, -2]}, {view: X, type: i16, offset: "
    "40},\n"
    "             [], [X, {view: X, shape: [0, 4]}, E], {view: X, offset: 24}, {view: X, shape: []}]\n"
    "compare: [X, E]\n";

Test(load_case, views_lists_and_addresses) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *folder = case_folder(&arena);
    FpdCase *cas = load_text(&arena, &diagnostics, folder, views_case, strlen(views_case));
    cr_assert(cas, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    const FpdArgument *p = cas->buffers[0].fill.addresses;
    cr_expect(p[0].kind == FPD_ARGUMENT_BUFFER && p[0].buffer == 1 && !p[0].view);
    cr_expect(p[1].kind == FPD_ARGUMENT_VIEW && p[1].buffer == 1 && p[1].view->offset == 24);
    cr_expect(p[2].kind == FPD_ARGUMENT_VALUE && p[2].bits == 3 && p[3].buffer == 0);
    cr_expect(p[4].kind == FPD_ARGUMENT_VALUE && p[4].bits == 31 && (int64_t)p[5].bits == -16);
    cr_expect(cas->buffers[2].elements == 0 && cas->buffers[2].bytes == 0 && cas->buffers[2].rank == 3);
    const FpdArgument *a = cas->variants[0].launches[0].arguments;
    const FpdView whole = fpd_argument_view(cas, &a[0]), *back = a[1].view, *halves = a[2].view;
    cr_expect(whole.rank == 2 && whole.shape[0] == 6 && whole.shape[1] == 4 && whole.stride[0] == 4 &&
              whole.stride[1] == 1 && whole.offset == 0);
    cr_expect(back->rank == 2 && back->shape[1] == 6 && back->stride[0] == -12 && back->stride[1] == -2 &&
              back->offset == 92);
    cr_expect_str_eq(a[1].text, "view of X at 23: [2, 6], strides [-12, -2]");
    cr_expect(halves->type == ELEMENT_I16 && halves->rank == 1 && halves->shape[0] == 8 && halves->offset == 80);
    cr_expect_str_eq(a[2].text, "view of X at 40: [8] of i16");
    cr_expect(a[3].kind == FPD_ARGUMENT_LIST && a[3].item_count == 0);
    cr_expect_str_eq(a[3].text, "list of 0 arrays");
    cr_expect(a[4].kind == FPD_ARGUMENT_LIST && a[4].item_count == 3 && a[4].items[1].view->shape[0] == 0);
    cr_expect_str_eq(a[4].text, "list of 3 arrays: X; view of X: [0, 4]; E");
    const FpdView empty = fpd_argument_view(cas, &a[4].items[2]);
    cr_expect(empty.stride[0] == 5 && empty.stride[1] == 5 && empty.stride[2] == 1);
    cr_expect(a[5].view->shape[0] == 0 && a[5].view->offset == 96); // nothing is left
    cr_expect(a[6].view->rank == 0);
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

#define BUFFER(text)      "buffers:\n  X: {" text "}\n" TAIL
#define FILL32(text)      BUFFER("type: f32, shape: [4], fill: " text)
#define LAUNCH(text)      HEAD "variants:\n  a:\n    - {" text "}\ncompare: [X]\n"
#define ARGUMENT(text)    LAUNCH("module: m.tileirbc, grid: [1], args: [" text "]")
#define ADDRESSES(text)   "buffers:\n  X: {type: f32, shape: [4]}\n  P: {type: i64, shape: [2], fill: {" text "}}\n" TAIL
#define BARE_LAUNCH(text) HEAD "variants:\n  a:\n    - ~{" text "}\ncompare: [X]\n"
#define REST(text)        HEAD TAIL text "\n"

// ~ marks the place of the error; it is taken out before the text is read.
static const struct WrongCase {
    const char *marked, *message;
} wrong_cases[] = {
    // YAML
    {"~", "the file is empty"},
    {"~# only a comment\n", "the file is empty"},
    {"buffers: [\n~", "not valid YAML"},
    {"a: b~: c\n", "not valid YAML"},
    {"~\tx: 1\n", "not valid YAML"},
    {"x: \"~\\q\"\n", "not valid YAML"},
    {HEAD TAIL "~---\n" HEAD TAIL, "several documents"},
    {"buffers: ~&b {X: {type: f32, shape: [4]}}\n" TAIL, "anchors (&name) are not used"},
    {"buffers: {X: ~*b}\n" TAIL, "aliases (*name) are not used"},
    {"buffers: ~!!map {X: {type: f32, shape: [4]}}\n" TAIL, "tags (!name) are not used"},
    {"title: ~!!str x\n" HEAD TAIL, "tags (!name) are not used"},
    {"title: ~\"a\\0b\"\n" HEAD TAIL, "a zero byte"},
    {"title: [[[[[[[[[[[~[[[1]]]]]]]]]]]]]]\n" HEAD TAIL, "nested deeper than any case"},
    {"~{a: b}: c\n", "a key is a word"},
    {"~just words\n", "a case is a word, expected a mapping"},
    {"~[1, 2]\n", "a case is a list, expected a mapping"},
    // keys
    {REST("~sed: 4"), "unknown key 'sed' in a case, expected one of: title, buffers, variants, compare"},
    {REST("seed: 4\n~seed: 5"), "key 'seed' is here a second time, the first is in line 4"},
    {"~" HEAD "compare: [X]\n", "key 'variants' is missing in a case"},
    {"buffers: ~{}\n" TAIL, "buffers is empty"},
    {"buffers: ~[X]\n" TAIL, "buffers is a list, expected a mapping"},
    {"buffers:~\n" TAIL, "buffers is nothing, expected a mapping"},
    {"buffers: {X: {type: f32, shape: [4]}, ~X: {type: f32, shape: [4]}}\n" TAIL, "key 'X' is here a second time"},
    // buffers
    {"buffers: {~1X: {type: f32, shape: [4]}}\n" TAIL, "'1X' cannot be the name of a buffer"},
    {"buffers: {~../X: {type: f32, shape: [4]}}\n" TAIL, "'../X' cannot be the name of a buffer"},
    {"buffers:\n  X: ~{shape: [4]}\n" TAIL, "key 'type' is missing in a buffer"},
    {"buffers:\n  X: ~{type: f32}\n" TAIL, "key 'shape' is missing in a buffer"},
    {BUFFER("type: ~float32, shape: [4]"), "unknown type 'float32', expected one of: f64 f32 tf32 f16"},
    {BUFFER("type: f32, shape: ~4"), "shape is a word, expected a list"},
    {BUFFER("type: f32, shape: [~-4]"), "size 0 of buffer X is '-4', expected an integer from 0 to"},
    {BUFFER("type: f32, shape: ~[0, 1099511627776]"), "buffer X is larger than the limit of 4294967296 bytes"},
    {BUFFER("type: f32, shape: [~4.5]"), "size 0 of buffer X is '4.5'"},
    {BUFFER("type: f32, shape: [~99999999999999999999]"), "size 0 of buffer X is '99999999999999999999'"},
    {BUFFER("type: f32, shape: [~[4]]"), "size 0 of buffer X is a list, expected a word or number"},
    {BUFFER("type: f32, shape: ~[1, 1, 1, 1, 1, 1, 1, 1, 1]"), "buffer X has 9 dimensions, the limit is 8"},
    {BUFFER("type: f32, shape: ~[1000000000000]"), "buffer X is larger than the limit of 4294967296 bytes"},
    {BUFFER("type: i8, shape: ~[1048576, 1048576, 1048576, 1048576]"), "buffer X is larger than the limit"},
    {"buffers:\n  ~X: {type: f64, shape: [1073741824]}\n" TAIL, "buffer X brings all buffers to more than the limit"},
    {"buffers:\n  X: {type: i8, shape: [4294967296]}\n  ~Y: {type: i8, shape: [1]}\n" TAIL,
     "buffer Y brings all buffers to more"},
    {BUFFER("type: f4e2m1fn, shape: ~[3]"), "expected an even number: two share a byte"},
    // builds
    {REST("math: ~fast"), "math is a word, expected a list or a mapping"},
    {REST("math: ~[]"), "math is empty, expected at least one build"},
    {REST("math: ~{}"), "math is empty, expected at least one build"},
    {REST("math: [~fats]"), "'fats' is no mode, expected ieee, strict, precise or fast, and after it + or - with "
                            "reassoc, nnan, ninf, nsz, arcp, contract, afn, or ftz, each once"},
    {REST("math: [ieee+contract-nsz, ~ieee+]"), "'ieee+' is no mode"},
    {REST("math: [~fast+fma]"), "'fast+fma' is no mode"},
    {REST("math: [~+contract]"), "'+contract' is no mode"},
    {REST("math: [~ieee+contract-contract]"), "'ieee+contract-contract' is no mode"},
    {REST("math: [~fast-nsz-nsz]"), "'fast-nsz-nsz' is no mode"},
    {REST("math: [~ieee+ftz-ftz]"), "'ieee+ftz-ftz' is no mode"},
    {REST("math: [ieee, ~ieee]"), "build 'ieee' is here twice"},
    {REST("math: [~[ieee]]"), "a build is a list, expected a word or number"},
    {REST("math: {~1x: {}}"), "'1x' cannot be the name of a build"},
    {REST("math: {x: ~fast}"), "a build is a word, expected a mapping"},
    {REST("math: {x: {~fast: true}}"), "unknown key 'fast' in a build, expected one of: mode, flags, ftz"},
    {REST("math: {x: {mode: ~slow}}"), "mode: 'slow' is no mode; expected ieee, strict, precise or fast"},
    {REST("math: {x: {ftz: ~yes}}"), "ftz: 'yes': expected true or false"},
    {REST("math: {x: {fmad: ~on}}"), "fmad: 'on': expected true or false"},
    {REST("math: {x: {prec_div: ~[true]}}"), "prec_div is a list, expected a word or number"},
    {REST("math: {x: {denormal_fp_math: ~flush}}"), "denormal_fp_math: 'flush' is no treatment of subnormals"},
    {REST("math: {x: {ftz: true, denormal_fp_math: ~ieee}}"), "contradict each other"},
    {REST("math: {x: {flags: ~[contrat]}}"), "flags: 'contrat' is no flag"},
    {REST("math: {x: {flags: ~[]}}"), "flags is an empty list"},
    {REST("math: {x: {flags: [~[nsz]]}}"), "flags is a list, expected a word or number"},
    {REST("math: {x: {max_error: ~0.25}}"), "no result is nearer than 0.5"},
    {REST("math: {x: {max_error: ~{exp: 1}}}"), "max_error is a mapping, expected N or a list"},
    {REST("math: {x: {max_error: [1, ~2]}}"), "max_error: two bounds for all ops"},
    {REST("math: {x: {max_error: [~[2]]}}"), "max_error is a list, expected a word or number"},
    {REST("math: {x: {reflect: {__CUDA_FAST: ~1}}}"), "reflect: '__CUDA_FAST' is no key; keys are __CUDA_FTZ"},
    {REST("math: {x: {reflect: {__CUDA_ARCH: ~900}}}"), "reflect: __CUDA_ARCH is ten times the compute capability"},
    {REST("math: {x: {reflect: {__CUDA_FTZ: ~2}}}"), "__CUDA_FTZ=2: expected 0 or 1"},
    {REST("math: {x: {prec_sqrt: true, reflect: {__CUDA_PREC_SQRT: ~0}}}"),
     "__CUDA_PREC_SQRT is 0 and prec_sqrt is true"},
    {REST("math: {x: {scopes: [~{mode: strict}]}}"), "a scope has none of entry, func, line and op"},
    {REST("math: {x: {scopes: [~{op: exp}]}}"), "there are no settings"},
    {REST("math: {x: {scopes: [{op: exp, ftz: ~maybe}]}}"), "ftz: 'maybe': expected true or false"},
    {REST("math: {x: {scopes: [{line: ~3, mode: strict}]}}"), "line: '3': expected FILE:A-B, lines counted from 1"},
    {REST("math: {x: {scopes: [{op: exp, mode: ~slow}]}}"), "mode: 'slow' is no mode"},
    {REST("math: {x: {scopes: [{op: exp, mode: ~+nsz}]}}"), "mode: '+nsz' is no mode"},
    {REST("math: {x: {scopes: [{op: exp, mode: ~'fast,-afn'}]}}"), "mode: 'fast,-afn' is no mode"},
    {REST("math: {x: {scopes: [{op: exp, max_error: ~'4,+afn'}]}}"), "max_error: '"},
    {REST("math: {x: {scopes: [{op: exp, ~flag: [nsz]}]}}"), "unknown key 'flag' in a scope"},
    {REST("math: {x: {scopes: ~{op: exp, mode: strict}}}"), "scopes is a mapping, expected a list"},
    {LAUNCH("module: m.tileirbc, grid: [1], args: [X], math: ~slow"),
     "math is 'slow', expected one of: ieee, strict, precise, fast"},
    // views, lists, addresses
    {ARGUMENT("{view: ~Z}"), "a view is of 'Z', which is no buffer, expected one of: X"},
    {ARGUMENT("{view: ~[X]}"), "view is a list, expected a word or number"},
    {ARGUMENT("{view: X, ~size: [4]}"),
     "unknown key 'size' in a view, expected one of: view, offset, shape, strides, type"},
    {ARGUMENT("{view: X, ~map: {buffer: X, box: [1]}}"), "unknown key 'map' in a view"},
    {ARGUMENT("~{view: X, offset: 1, shape: [4]}"),
     "the view of shape [4], strides [1] at offset 1 reaches to element 4 of buffer X, which has elements 0 to 3"},
    {ARGUMENT("~{view: X, offset: 2, shape: [4], strides: [-1]}"), "at offset 2 reaches to element -1 of buffer X"},
    {ARGUMENT("~{view: X, shape: [2, 2], strides: [3, 2]}"), "strides [3, 2] at offset 0 reaches to element 5 of"},
    {ARGUMENT("~{view: X, shape: [1099511627776, 1099511627776, 2], strides: [1099511627776, 1, 1]}"),
     "reaches to element beyond 9223372036854775807 of buffer X"},
    {ARGUMENT("~{view: X, shape: [2, 1099511627776], strides: [-1099511627776, -1099511627776]}"),
     "reaches to element beyond -9223372036854775807 of buffer X"},
    {ARGUMENT("~{view: X, shape: [1, 1099511627776, 1099511627776]}"),
     "the view is larger than buffer X, which has 16 bytes"},
    {ARGUMENT("{view: X, offset: ~5}"), "the view begins at element 5 of buffer X, which has 4"},
    {ARGUMENT("{view: X, offset: ~-1}"), "the view begins at element -1 of buffer X, which has 4"},
    {ARGUMENT("{view: X, offset: 9223372036854775807 ~+ 1}"), "offset: 9223372036854775807 + 1 is beyond 64 bits"},
    {ARGUMENT("{view: X, offset: ~1.5}"), "offset is '1.5', expected an integer"},
    {ARGUMENT("{view: X, type: f64, offset: ~3}"), "the view begins at element 3 of buffer X, which has 2"},
    {ARGUMENT("~{view: X, type: f64, shape: [3]}"),
     "reaches to element 2 of buffer X, which has elements 0 to 1 of type f64"},
    {"buffers:\n  X: {type: f32, shape: [4]}\n  E: {type: f32, shape: [0]}\nvariants:\n  a:\n    - {module: "
     "m.tileirbc, grid: [1], args: [~{view: E, shape: [1]}]}\ncompare: [X]\n",
     "at offset 0 reaches to element 0 of buffer E, which has no element"},
    {ARGUMENT("{view: X, type: f4e2m1fn, offset: ~3}"), "offset 3 of f4e2m1fn lies within a byte"},
    {ARGUMENT("{view: X, type: ~f33}"), "unknown type 'f33', expected one of: f64 f32"},
    {ARGUMENT("{view: X, shape: [~-1]}"), "a number of shape is '-1', expected an integer from 0 to 1099511627776"},
    {ARGUMENT("{view: X, shape: ~4}"), "shape is a word, expected a list"},
    {ARGUMENT("{view: X, shape: ~[1, 1, 1, 1, 1, 1, 1, 1, 1]}"), "a view of 9 dimensions, the limit is 8"},
    {ARGUMENT("{view: X, strides: ~[1]}"), "a view with strides needs a shape, which they are of"},
    {ARGUMENT("{view: X, shape: [4], strides: ~[1, 1]}"), "strides has 2 numbers, shape 1"},
    {ARGUMENT("{view: X, shape: [4], strides: [~1099511627777]}"), "a number of strides is '1099511627777'"},
    {ARGUMENT("[X, ~f32 1]"), "'f32 1' in a list of arrays, expected buffers and views"},
    {ARGUMENT("[X, ~X.ptr]"), "'X.ptr' in a list of arrays, expected buffers and views"},
    {ARGUMENT("[~[X]]"), "a list in a list, expected buffers and views"},
    {ARGUMENT("[{view: ~Z}]"), "a view is of 'Z', which is no buffer"},
    {ADDRESSES("addresses: ~X"), "addresses is a word, expected a list"},
    {ADDRESSES("addresses: ~[X]"), "1 addresses for the 2 elements of buffer P"},
    {ADDRESSES("addresses: [X, ~Z]"), "'Z' is no buffer (X P), no view and no integer"},
    {ADDRESSES("addresses: [X, ~[X]]"), "an address is a list, expected a word or number"},
    {ADDRESSES("addresses: [X, ~Z.ptr]"), "'Z.ptr' is no buffer (X P), no view and no integer"},
    {ADDRESSES("addresses: [X, ~X.shape.0]"), "'X.shape.0' is no buffer (X P), no view and no integer"},
    {ADDRESSES("addresses: [X, ~0x1g]"), "an item of addresses: '0x1g' is no integer"},
    {ADDRESSES("addresses: [X, 2 * ~N]"), "an item of addresses: unknown name 'N'"},
    {ADDRESSES("addresses: [X, {view: X, offset: ~5}]"), "the view begins at element 5 of buffer X, which has 4"},
    {FILL32("{~addresses: [X, X, X, X]}"), "fill addresses is for i64, buffer X has f32"},
    // fills
    {FILL32("~random"), "unknown fill 'random', expected one of: zeros constant uniform"},
    {FILL32("~[zeros]"), "fill is a list, expected one fill"},
    {FILL32("{~zeros: 1}"), "fill zeros takes no value"},
    {FILL32("~normal"), "fill normal needs a value"},
    {FILL32("~{constant: 1, bits: 2}"), "fill is a mapping of several keys or none"},
    {FILL32("{constant: ~x}"), "constant is 'x', expected a number (f32)"},
    {FILL32("{constant: ~1e39}"), "constant is '1e39', expected a number of the type's range (f32)"},
    {FILL32("{constant: ~1e999}"), "constant is '1e999', expected a number of the type's range (f32)"},
    {FILL32("{uniform: ~{low: 0}}"), "key 'high' is missing in fill uniform"},
    {FILL32("{uniform: {low: 1, high: ~0}}"), "high is less than low"},
    {FILL32("{uniform: {low: ~nan, high: 0}}"), "low is 'nan', expected a finite number"},
    {FILL32("{normal: {mean: 0, std: ~-1}}"), "std is '-1', expected 0 or more"},
    {FILL32("{normal: {mean: 0, ~sd: 1}}"), "unknown key 'sd' in fill normal, expected one of: mean, std"},
    {FILL32("{integers: {low: 5, high: ~4}}"), "high is less than low"},
    {FILL32("{file: ~absent.bin}"), "absent.bin: No such file or directory"},
    {FILL32("{file: ~.}"), "is a folder, expected a file"},
    {FILL32("{adversarial: ~1}"), "fill adversarial is a word, expected a mapping"},
    {FILL32("{adversarial: {std: ~0}}"), "std is '0', expected more than 0"},
    {FILL32("{adversarial: {axis: ~1}}"), "axis is '1', expected an integer from 0 to 0"},
    {FILL32("{adversarial: {~mean: 1}}"), "unknown key 'mean' in fill adversarial, expected one of: std, axis"},
    {BUFFER("type: i32, shape: [4], fill: ~adversarial"), "fill adversarial is for floats"},
    {BUFFER("type: f8e8m0fnu, shape: [4], fill: ~adversarial"), "fill adversarial has negative numbers"},
    {FILL32("{correlated: ~0.99}"), "fill correlated is a word, expected a mapping"},
    {FILL32("{correlated: {correlation: ~1.5}}"), "correlation is '1.5', expected a number from 0 to 1"},
    {FILL32("{correlated: {correlation: ~-0.1}}"), "correlation is '-0.1', expected a number from 0 to 1"},
    {FILL32("{correlated: {correlation: ~1}}"),
     "correlation is '1', which makes all rows of f32 the same, and a wrong row the right one; expected at most 1 - "
     "2^-52"},
    {BUFFER("type: f16, shape: [4, 4], fill: {correlated: {correlation: ~0.99999999}}"),
     "correlation is '0.99999999', which makes all rows of f16 the same, and a wrong row the right one; expected at "
     "most 1 - 2^-26"},
    {FILL32("{correlated: {correlation: ~nan}}"), "correlation is 'nan', expected a finite number"},
    {FILL32("{correlated: {std: ~0}}"), "std is '0', expected more than 0"},
    {FILL32("{correlated: {axis: ~1}}"), "axis is '1', expected an integer from 0 to 0"},
    {FILL32("{correlated: {~mean: 1}}"), "unknown key 'mean' in fill correlated, expected one of: correlation, std"},
    {BUFFER("type: i8, shape: [4], fill: ~correlated"), "fill correlated is for floats"},
    {BUFFER("type: f8e8m0fnu, shape: [4], fill: ~correlated"), "fill correlated has negative numbers"},
    {BUFFER("type: f32, shape: [], fill: ~correlated"), "fill correlated needs a dimension along which rows are"},
    {FILL32("{offset: ~[1]}"), "fill offset is a list, expected a mapping"},
    {FILL32("{offset: {mean: ~1e39}}"), "mean is '1e39', expected a number of the type's range (f32)"},
    {FILL32("{offset: {std: ~-1}}"), "std is '-1', expected more than 0"},
    {FILL32("{offset: {std: ~0, mean: 3}}"), "std is '0', expected more than 0"},
    {FILL32("{offset: {std: ~1e36}}"), "the mean, std times 4096, is beyond the range of f32"},
    {BUFFER("type: f8e8m0fnu, shape: [4], fill: ~offset"), "fill offset has negative numbers"},
    {BUFFER("type: i32, shape: [4], fill: ~offset"), "fill offset is for floats"},
    {FILL32("{log_uniform: {low: ~0}}"), "low is '0', expected a positive number that f32 does not round to 0"},
    {FILL32("{log_uniform: {low: ~-1}}"), "low is '-1', expected a positive number"},
    {FILL32("{log_uniform: {low: ~1e-46}}"), "low is '1e-46', expected a positive number that f32 does not round"},
    {FILL32("{log_uniform: {high: ~inf}}"), "high is 'inf', expected a finite number"},
    {FILL32("{log_uniform: {high: ~1e39}}"), "high is '1e39', expected a number of the type's range (f32)"},
    {FILL32("{log_uniform: {low: 2, high: ~1}}"), "high is 1, less than low, 2"},
    {FILL32("{log_uniform: {low: 8, high: ~8}}"), "low and high are the same number of f32, expected a range"},
    {BUFFER("type: f4e2m1fn, shape: [4], fill: {log_uniform: {low: 1, high: ~1.1}}"),
     "low and high are the same number of f4e2m1fn, expected a range; one value is `constant`"},
    {FILL32("{log_uniform: {low: ~1e30}}"), "high is 9.22337e+18, less than low, 1e+30"},
    {FILL32("{log_uniform: {signs: ~1}}"), "signs is '1', expected true or false"},
    {BUFFER("type: f8e8m0fnu, shape: [4], fill: {log_uniform: {signs: ~true}}"), "f8e8m0fnu has no negative numbers"},
    {BUFFER("type: i1, shape: [4], fill: ~log_uniform"), "fill log_uniform is for floats"},
    {FILL32("{near_overflow: ~2}"), "fill near_overflow is a word, expected a mapping"},
    {FILL32("{near_overflow: {doublings: ~0}}"), "doublings is '0', expected an integer from 1 to 253"},
    {FILL32("{near_overflow: {doublings: ~254}}"), "doublings is '254', expected an integer from 1 to 253"},
    {FILL32("{near_overflow: {doublings: ~1.5}}"), "doublings is '1.5', expected an integer"},
    {BUFFER("type: f4e2m1fn, shape: [4], fill: {near_overflow: {doublings: ~3}}"), "an integer from 1 to 2"},
    {BUFFER("type: i64, shape: [4], fill: ~near_overflow"), "fill near_overflow is for floats"},
    {BUFFER("type: f32, shape: [], fill: ~adversarial"), "fill adversarial needs a dimension along which rows ascend"},
    {BUFFER("type: i8, shape: [4], fill: {~uniform: {low: 0, high: 1}}"), "fill uniform is for floats"},
    {BUFFER("type: i8, shape: [4], fill: {integers: {low: 0, high: ~256}}"),
     "high is '256', expected an integer of the type's range (i8)"},
    {BUFFER("type: i1, shape: [4], fill: {constant: ~2}"), "constant is '2', expected 0, 1, true or false (i1)"},
    {BUFFER("type: f8e4m3fn, shape: [4], fill: {constant: ~inf}"), "the type has no infinity"},
    {BUFFER("type: f4e2m1fn, shape: [4], fill: {constant: ~nan}"), "the type has no NaN"},
    {BUFFER("type: f8e8m0fnu, shape: [4], fill: {constant: ~0}"),
     "constant is '0', expected a number of the type's range"},
    {BUFFER("type: f8e8m0fnu, shape: [4], fill: {~normal: {mean: 0, std: 1}}"), "fill normal has negative numbers"},
    {BUFFER("type: f16, shape: [70000], fill: ~iota"), "iota of 70000 elements ends beyond the range of f16"},
    {BUFFER("type: i8, shape: [300], fill: ~iota"), "iota of 300 elements ends beyond the range of i8"},
    // launches
    {HEAD "variants: ~{}\ncompare: [X]\n", "variants is empty"},
    {HEAD "variants: {a: ~[]}\ncompare: [X]\n", "variant a has no launches"},
    {HEAD "variants: {a: ~{module: m.tileirbc}}\ncompare: [X]\n", "variant a is a mapping, expected a list"},
    {HEAD "variants: {~'a b': []}\ncompare: [X]\n", "'a b' cannot be the name of a variant"},
    {BARE_LAUNCH("grid: [1], args: [X]"), "key 'module' is missing in a launch"},
    {BARE_LAUNCH("module: m.tileirbc, args: [X]"), "key 'grid' is missing in a launch"},
    {BARE_LAUNCH("module: m.tileirbc, grid: [1]"), "key 'args' is missing in a launch"},
    {LAUNCH("module: ~absent.tileirbc, grid: [1], args: [X]"), "absent.tileirbc: No such file or directory"},
    {LAUNCH("module: m.tileirbc, grid: ~[], args: [X]"), "grid has 0 numbers, expected one to three"},
    {LAUNCH("module: m.tileirbc, grid: ~[1, 1, 1, 1], args: [X]"), "grid has 4 numbers, expected one to three"},
    {LAUNCH("module: m.tileirbc, grid: [~0], args: [X]"),
     "a number of blocks of grid is '0', expected an integer from 1 to 16777215"},
    {LAUNCH("module: m.tileirbc, grid: [~16777216], args: [X]"), "a number of blocks of grid is '16777216'"},
    {LAUNCH("module: m.tileirbc, grid: ~4, args: [X]"), "grid is a word, expected a list"},
    {LAUNCH("module: m.tileirbc, grid: [1], args: [~Y]"),
     "argument 'Y' is no buffer (X) and no scalar, which is written TYPE VALUE"},
    {LAUNCH("module: m.tileirbc, grid: [1], args: [~0.125]"), "argument '0.125' is no buffer"},
    {LAUNCH("module: m.tileirbc, grid: [1], args: [~f32 one]"), "argument 'f32 one': 'one' is not a number"},
    {LAUNCH("module: m.tileirbc, grid: [1], args: [~float 1]"), "argument 'float 1': unknown type 'float'"},
    {LAUNCH("module: m.tileirbc, grid: [1], args: [~i8 300]"),
     "argument 'i8 300': '300' is not an integer of the type's range"},
    {LAUNCH("module: m.tileirbc, grid: [1], args: [~i8 -129]"), "'-129' is not an integer of the type's range"},
    {LAUNCH("module: m.tileirbc, grid: [1], args: [~X.size]"),
     "'size' is no part of a buffer, expected ptr, shape.N or stride.N"},
    {LAUNCH("module: m.tileirbc, grid: [1], args: [~X.shape.1]"), "buffer X has 1 dimensions, counted from 0"},
    {LAUNCH("module: m.tileirbc, grid: [1], args: [~X.shape.x]"), "'shape.x' is no part of a buffer"},
    // the rest
    {HEAD "variants: {a: [{module: m.tileirbc, grid: [1], args: [X]}]}\ncompare: ~[]\n", "compare is empty"},
    {HEAD "variants: {a: [{module: m.tileirbc, grid: [1], args: [X]}]}\ncompare: [~Z]\n",
     "compare names 'Z', which is no buffer, expected one of: X"},
    {HEAD "variants: {a: [{module: m.tileirbc, grid: [1], args: [X]}]}\ncompare: [X, ~X]\n",
     "compare names 'X' a second time"},
    {HEAD "variants: {a: [{module: m.tileirbc, grid: [1], args: [X]}]}\ncompare: ~X\n",
     "compare is a word, expected a list"},
    {REST("modes: [~precise]"), "unknown mode 'precise', expected fpsan, ieee or wide"},
    {REST("modes: ~[]"), "modes is empty"},
    {REST("modes: [ieee, ~ieee]"), "mode 'ieee' is here a second time"},
    {REST("profile: ~exact"), "unknown profile 'exact', expected one of: tower, triton-3.9"},
    {REST("casts: ~exact"), "casts is 'exact', expected mix or homomorphic"},
    {REST("profile: tower\ncasts: ~mix"), "casts is for profile triton-3.9, this case says profile: tower"},
    {REST("profile: triton-3.9\nmeans: ~{0.5: 1/2}"), "means is for profile tower, this case is for triton-3.9"},
    {REST("casts: mix\nmeans: ~{0.5: 1/2}"),
     "means is for profile tower, this case is for triton-3.9, which `casts` selects"},
    {REST("profile: triton-3.9\nallow: [~roots]"), "allow: [roots] is for profile tower, this case is for triton-3.9"},
    {"buffers:\n  ~X: {type: f32, shape: [4], fill: iota, literal: true}\n" TAIL "casts: mix\n",
     "literal is for profile tower, this case is for triton-3.9, which `casts` selects"},
    {BUFFER("type: f32, shape: [4], fill: iota, literal: ~yes"), "literal is 'yes', expected true or false"},
    {BUFFER("type: f32, shape: [4], literal: ~true"), "literal is for inputs: buffer X has no fill"},
    {BUFFER("type: i32, shape: [4], fill: iota, literal: ~true"), "literal is for floats of at least a byte"},
    {BUFFER("type: f4e2m1fn, shape: [4], fill: iota, literal: ~true"), "buffer X has f4e2m1fn"},
    {REST("seed: ~-1"), "seed is '-1', expected an integer from 0"},
    {REST("seed: ~18446744073709551616"), "seed is '18446744073709551616'"},
    {REST("tolerance: {~fpsan: {rtol: 1}}"), "unknown key 'fpsan' in tolerance, expected one of: ieee"},
    {REST("tolerance: {ieee: {rtol: ~-1}}"), "rtol is '-1', expected 0 or more"},
    {REST("tolerance: {ieee: {atol: ~inf}}"), "atol is 'inf', expected a finite number"},
    {REST("modes: [fpsan]\ntolerance: ~{ieee: {rtol: 1}}"), "a tolerance is given, but modes does not list ieee"},
    {REST("expect: ~same"), "expect is 'same', expected equal or diverge"},
    {REST("expect: ~diverge\nmodes: [ieee]"), "expect: diverge is about payload modes"},
    {REST("allow: [~ties]"), "allow names 'ties', expected roots, unspecified, unwritten or vacuous"},
    {REST("allow: ~vacuous"), "allow is a word, expected a list"},
    {HEAD TAIL "title: ~\"a\\nb\"\n", "title has control characters, expected one line"},
    {HEAD TAIL "title: ~\"a\\eb\"\n", "title has control characters, expected one line"},
    {HEAD TAIL "title:~\n", "title is nothing, expected a word or number"},
// parameters and expressions
#define SIZED(parameters, shape, argument)                                                                             \
    "parameters: {" parameters "}\nbuffers: {X: {type: f32, shape: [" shape "]}}\n"                                    \
    "variants: {a: [{module: m.tileirbc, grid: [1], args: [" argument "]}]}\ncompare: [X]\n"
    {SIZED("~N: 4", "4", "X"), "parameter N is used nowhere, so its values would all be the same case"},
    {SIZED("N: ~[]", "N", "X"), "parameter N has no values"},
    {SIZED("N: [4, 5, ~4]", "N", "X"), "parameter N has the value 4 twice"},
    {SIZED("N: [4, ~M]", "N", "X"), "a value of parameter N is 'M', expected an integer"},
    {SIZED("N: [~1.5]", "N", "X"), "a value of parameter N is '1.5', expected an integer"},
    {SIZED("N: [~9223372036854775808]", "N", "X"), "is '9223372036854775808', expected an integer"},
    {SIZED("N: 4, ~N: 5", "N", "X"), "key 'N' is here a second time"},
    {SIZED("~X: 4", "4", "X"), "parameter 'X' has the name of a buffer, in line 2"},
    {SIZED("~f32: 4", "4", "X"), "parameter 'f32' has the name of a type"},
    {SIZED("~cdiv: 4", "4", "X"), "'cdiv' cannot be the name of a parameter, it has a meaning of its own"},
    {SIZED("~N-1: 4", "4", "X"), "'N-1' cannot be the name of a parameter: '-' is an operator"},
    {SIZED("~1N: 4", "4", "X"), "'1N' cannot be the name of a parameter"},
    {SIZED("N: [4, 0]", "~N - 5", "X"), "size 0 of buffer X is N - 5 = -1, expected an integer from 0 to"},
    {SIZED("N: 4", "N + ~M", "X"), "size 0 of buffer X: unknown name 'M', expected N, min, max or cdiv, with N = 4"},
    {SIZED("N: 4", "2 * N ~// (N - 4)", "X"), "size 0 of buffer X: division by zero, with N = 4"},
    {SIZED("N: 4294967296", "4 * (N ~* N)", "X"), "size 0 of buffer X: 4294967296 * 4294967296 is beyond 64 bits"},
    {SIZED("N: 4", "min(N,  4) ~/ 2", "X"), "size 0 of buffer X: '/' would be no integer"},
    {SIZED("N: 4", "8, max(N, min(2, 3), ~K)", "X"), "size 1 of buffer X: unknown name 'K'"},
    {SIZED("N: 4", "min(N, 4~", "X"), "size 0 of buffer X: the expression ends, expected ')'"},
    {BUFFER("fill: {integers: {low: min(1, 2), ~low: 3}}, type: i32, shape: [4]"), "key 'low' is here a second time"},
    {SIZED("N: 4", "N ~/ 2", "X"), "'/' would be no integer, '//' rounds down"},
    {SIZED("N: 4", "N", "~N"), "argument 'N' is a parameter of the case, a scalar is written TYPE VALUE: i32 N"},
    {SIZED("N: 4", "N", "f32 1 ~/ N"), "argument 'f32 1 / N': '/' would be no integer"},
    {SIZED("N: 400", "N", "~i8 N + 1"), "argument 'i8 N + 1' is N + 1 = 401, expected an integer of the type's range"},
    {SIZED("N: 4", "N", "i32 ~M"), "argument 'i32 M': unknown name 'M'"},
    {BUFFER("type: f32, shape: [4 * ~M]"), "size 0 of buffer X: unknown name 'M', expected min, max or cdiv"},
};

Test(load_case, wrong_ones) {
    Arena arena = {0};
    const char *folder = case_folder(&arena);
    for (size_t i = 0; i < BASE_COUNT(wrong_cases); i++) {
        const struct WrongCase *wrong = &wrong_cases[i];
        Diagnostics diagnostics = {0};
        unsigned line = 1, column = 1;
        char text[1024];
        const char *mark = strchr(wrong->marked, '~');
        cr_assert(mark, "case %zu has no mark", i);
        for (const char *c = wrong->marked; c < mark; c++) {
            column = *c == '\n' ? 1 : column + 1;
            line += *c == '\n';
        }
        snprintf(text, sizeof text, "%.*s%s", (int)(mark - wrong->marked), wrong->marked, mark + 1);
        cr_expect_null(load_text(&arena, &diagnostics, folder, text, strlen(text)), "case %zu was accepted:\n%s", i,
                       text);
        cr_assert_eq(diagnostics.count, 1, "case %zu has %zu errors:\n%s", i, diagnostics.count, text);
        const Diagnostic *error = &diagnostics.items[0];
        cr_expect(strstr(error->message, wrong->message), "case %zu: '%s' lacks '%s'\n%s", i, error->message,
                  wrong->message, text);
        cr_expect(error->at.line == line && error->at.column == column, "case %zu: error at %u:%u, expected %u:%u\n%s",
                  i, error->at.line, error->at.column, line, column, text);
        cr_expect_eq(fpd_exit_status(&diagnostics), 2, "case %zu", i);
        diagnostics_close(&diagnostics);
    }
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

Test(load_case, bytes_that_are_no_text) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *folder = case_folder(&arena);
    cr_assert_null(load_text(&arena, &diagnostics, folder, "title: \xff\xfe\n", 10));
    cr_assert(diagnostics.count == 1 && diagnostics.items[0].at.has_offset && diagnostics.items[0].at.offset == 7);
    cr_assert(strstr(diagnostics.items[0].message, "not valid YAML"));
    diagnostics_close(&diagnostics);
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

// Every prefix of a good case, and every prefix with one byte turned: never a crash, and never silence where nothing
// came back.
static void damage(const char *good) {
    Arena arena = {0};
    const char *folder = case_folder(&arena);
    size_t length = strlen(good);
    char *text = malloc(length);
    unsigned state = 1;
    for (size_t round = 0; round < 2 * length; round++) {
        Diagnostics diagnostics = {0};
        Arena one = {0};
        memcpy(text, good, length);
        size_t size = round < length ? round : length;
        if (round >= length) { // one bit turned
            state = state * 1103515245 + 12345;
            text[(state >> 8) % length] ^= (char)(1 << (state >> 28 & 7));
        }
        FpdCase *cas = load_text(&one, &diagnostics, folder, text, size);
        cr_expect((cas != NULL) == (diagnostics.count == 0), "round %zu", round);
        diagnostics_close(&diagnostics);
        arena_reset(&one);
    }
    free(text);
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

Test(load_case, damaged_ones) {
    damage(good_case);
    damage(tower_case);
}

Test(load_case, too_large_or_missing) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *folder = case_folder(&arena);
    char *big = malloc(FPD_CASE_SIZE_MAX + 1);
    memset(big, '\n', FPD_CASE_SIZE_MAX + 1);
    cr_assert_null(load_text(&arena, &diagnostics, folder, big, FPD_CASE_SIZE_MAX + 1));
    cr_assert(strstr(diagnostics.items[0].message, "a case file of 1048577 bytes, the limit is 1048576"));
    cr_assert_null(fpd_load_case(&diagnostics, &arena, "/nowhere/case.yaml"));
    cr_assert_eq(diagnostics.items[1].code, E_FILE);
    free(big);
    diagnostics_close(&diagnostics);
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

Test(load_case, too_many_entries) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    const char *folder = case_folder(&arena);
    buffer_print(&text, HEAD "variants: {a: [{module: m.tileirbc, grid: [1], args: [X]}]}\ncompare: [");
    for (int i = 0; i <= FPD_ITEMS_MAX; i++) buffer_print(&text, "X,");
    buffer_print(&text, "]\n");
    cr_assert_null(load_text(&arena, &diagnostics, folder, text.data, text.size));
    cr_assert(strstr(diagnostics.items[0].message, "more than 4096 entries"));
    buffer_free(&text);
    diagnostics_close(&diagnostics);
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

// ---- parameters -----------------------------------------------------------------------------------------------------

static const char *const sized_case =
    "parameters: {N: [64, 96, 100], D: 32, M: [1, 2]}\n"
    "buffers:\n"
    "  X: {type: f32, shape: [N, 2 * D], fill: {uniform: {low: -N, high: N // M}}}\n"
    "  I: {type: i32, shape: [cdiv(N, 64) * 64], fill: {integers: {low: -max(N - 1, 2), high: min(N, N % 7)}}}\n"
    "  C: {type: f16, shape: [M], fill: {constant: N - 36}}\n"
    "variants:\n"
    "  one:\n"
    "    - {module: m.tileirbc, grid: [cdiv(N, 64), M], args: [X, i32 N * D, i64 -N, f32 D, f32 0.5]}\n"
    "    - {module: m.tileirbc, grid: [1], block: [D * M], shared: N * 4,\n"
    "       args: [{scratch: N * M}, {map: {buffer: X, box: [min(N, 16), D]}}, {struct: [i32 N, i8 M]}]}\n"
    "compare: [X]\nprofile: triton-3.9\n";

Test(load_case, combinations) {
    static const int64_t values[6][2] = {{64, 1}, {64, 2}, {96, 1}, {96, 2}, {100, 1}, {100, 2}};
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *folder = case_folder(&arena), *path = arena_format(&arena, "%s/case.yaml", folder);
    cr_assert(file_write(&diagnostics, path, sized_case, strlen(sized_case)));
    for (uint32_t k = 0; k < 6; k++) {
        FpdCombination combination = {.index = k};
        const int64_t n = values[k][0], m = values[k][1], d = 32;
        FpdCase *cas = fpd_load_combination(&diagnostics, &arena, path, &combination);
        cr_assert(cas, "%s", diagnostics.count ? diagnostics.items[0].message : "");
        cr_assert_eq(combination.count, 6);
        cr_expect_str_eq(fpd_parameters_text(&arena, &cas->parameters),
                         arena_format(&arena, "N = %d, D = 32, M = %d", (int)n, (int)m));
        const FpdBuffer *x = &cas->buffers[0], *i = &cas->buffers[1], *c = &cas->buffers[2];
        cr_expect(x->shape[0] == n && x->shape[1] == 2 * d && x->fill.low == (double)-n);
        cr_expect(x->fill.high == (double)(n / m));
        cr_expect(i->shape[0] == (n + 63) / 64 * 64 && i->fill.first == 1 - n && i->fill.last == n % 7);
        cr_expect(c->shape[0] == m && c->fill.constant == fpsan_encode_nearest(FPSAN_F16, (double)(n - 36)));
        const FpdLaunch *first = &cas->variants[0].launches[0], *second = first + 1;
        cr_expect(first->grid[0] == (n + 63) / 64 && first->grid[1] == m && first->grid[2] == 1);
        cr_expect(first->arguments[1].bits == (uint64_t)(n * d) && first->arguments[2].bits == (uint64_t)-n);
        cr_expect(first->arguments[3].bits == fpsan_encode_nearest(FPSAN_F32, 32));
        cr_expect(first->arguments[4].bits == fpsan_encode_nearest(FPSAN_F32, 0.5));
        cr_expect(second->block[0] == d * m && second->shared == n * 4);
        cr_expect(second->arguments[0].size == (uint64_t)(n * m));
        cr_expect(second->arguments[1].map->box[0] == d && second->arguments[1].map->box[1] == 16);
        cr_expect(second->arguments[2].items[0].bits == (uint64_t)n &&
                  second->arguments[2].items[1].bits == (uint64_t)m);
    }
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

// --set N=7:8,M=3 in place of the file's values.
Test(load_case, combinations_of_values_that_are_set) {
    static const FpdParameter set[] = {{.name = "N", .value = 7}, {.name = "N", .value = 8}, {.name = "M", .value = 3}};
    static const int64_t values[2] = {7, 8};
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *folder = case_folder(&arena), *path = arena_format(&arena, "%s/case.yaml", folder);
    cr_assert(file_write(&diagnostics, path, sized_case, strlen(sized_case)));
    const FpdParameters all = {BASE_COUNT(set), set};
    cr_expect_eq(fpd_count_combinations(path, &all), 2);
    for (uint32_t k = 0; k < 2; k++) {
        FpdCombination combination = {.index = k, .set = all};
        FpdCase *cas = fpd_load_combination(&diagnostics, &arena, path, &combination);
        cr_assert(cas, "%s", diagnostics.count ? diagnostics.items[0].message : "");
        cr_expect_str_eq(fpd_parameters_text(&arena, &cas->parameters),
                         arena_format(&arena, "N = %d, D = 32, M = 3", (int)values[k]));
    }
    drop_folder(&arena, folder);
    arena_reset(&arena);
}

Test(load_case, how_many_combinations) {
    Arena arena = {0};
    const char *folder = case_folder(&arena);
    static const struct {
        unsigned lists, values;
        uint32_t count; // 0: refused
    } rows[] = {{1, 1, 1}, {1, 4096, 4096}, {12, 2, 4096}, {13, 2, 0}, {2, 65, 0}, {32, 1, 1}, {33, 1, 0}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Diagnostics diagnostics = {0};
        FpdCombination combination = {.index = rows[i].count - 1};
        const char *lists = "", *sum = "1", *values = "1";
        for (unsigned v = 2; v <= rows[i].values; v++) values = arena_format(&arena, "%s, %u", values, v);
        for (unsigned p = 0; p < rows[i].lists; p++) {
            lists = arena_format(&arena, "%sP%u: [%s], ", lists, p, values);
            sum = arena_format(&arena, "%s + P%u", sum, p);
        }
        const char *text = arena_format(&arena,
                                        "parameters: {%s}\nbuffers: {X: {type: f32, shape: ['%s']}}\n"
                                        "variants: {a: [{module: m.tileirbc, grid: [1], args: [X]}]}\ncompare: [X]\n",
                                        lists, sum);
        const char *path = arena_format(&arena, "%s/case.yaml", folder);
        cr_assert(file_write(&diagnostics, path, text, strlen(text)));
        FpdCase *cas = fpd_load_combination(&diagnostics, &arena, path, &combination);
        const char *said = diagnostics.count ? diagnostics.items[0].message : "";
        if (!rows[i].count)
            cr_expect(!cas && strstr(said, rows[i].lists > 32 ? "33 parameters, the limit is 32"
                                                              : "more than 4096 combinations"),
                      "row %zu: %s", i, said);
        else
            cr_expect(cas && combination.count == rows[i].count, "row %zu: %u, %s", i, combination.count, said);
        diagnostics_close(&diagnostics);
    }
    drop_folder(&arena, folder);
    arena_reset(&arena);
}
