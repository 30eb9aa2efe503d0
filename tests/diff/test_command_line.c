// SPDX-License-Identifier: Apache-2.0
// The command line: what each word means, and what is refused.
#include "diff/judge.h"
#include "diff/options.h"

#include <criterion/criterion.h>
#include <string.h>

static bool read_words(Arena *arena, Diagnostics *diagnostics, FpdOptions *options, const char *line) {
    char *words[32] = {"fpdiff"};
    int count = 1;
    for (char *word = strtok(arena_text(arena, line, strlen(line)), " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    return fpd_read_command_line(diagnostics, arena, count, words, options);
}

// The words of an option stand in options.def as their enumeration has them.
Test(command_line, words_are_in_the_order_of_their_enumeration) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdOptions o;
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --unspecified zero") && o.unspecified == COMPILE_ZEROS);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --unspecified nan") && o.unspecified == COMPILE_NAN);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --unspecified random") && o.unspecified == COMPILE_RANDOM);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --color auto") && o.color == FPD_COLOR_AUTO);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --color always") && o.color == FPD_COLOR_ALWAYS);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --color never") && o.color == FPD_COLOR_NEVER);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --outside-tiles error") && !o.outside_tiles);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --outside-tiles padding") && o.outside_tiles);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --casts mix") && o.casts == FPSAN_CASTS_MIX);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml -O 3") && o.optimize == 3);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --quiet") && o.schedule == FPD_SCHEDULE_FORWARD);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --schedule forward") && o.schedule == FPD_SCHEDULE_FORWARD);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --schedule reverse") && o.schedule == FPD_SCHEDULE_REVERSE);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --schedule both") && o.schedule == FPD_SCHEDULE_BOTH);
    cr_assert(!o.check_fences);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --check-fences") && o.check_fences);
    arena_reset(&arena);
    diagnostics_close(&diagnostics);
}

Test(command_line, compare) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdOptions o;
    cr_assert(read_words(&arena, &diagnostics, &o,
                         "a.yaml --jobs 3 b.yaml --json=r.json --quiet --color never --casts homomorphic --profile "
                         "triton-3.9 --target host"));
    cr_assert(o.command == FPD_COMPARE && o.case_count == 2 && o.jobs == 3 && o.quiet && o.color == FPD_COLOR_NEVER);
    cr_assert_str_eq(o.cases[1], "b.yaml");
    cr_assert_str_eq(o.reports[REPORT_json], "r.json");
    cr_assert(o.has_casts && o.casts == FPSAN_CASTS_HOMOMORPHIC && o.has_profile);
    cr_assert(o.profile.family == FPD_FAMILY_ring && o.profile.ring == fpsan_profile_at(0) && !o.reroll && !o.payload);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --profile tower --reroll"));
    cr_assert(o.has_profile && o.profile.family == FPD_FAMILY_tower && o.reroll);
    cr_assert(read_words(&arena, &diagnostics, &o, "run a.yaml -v x -m fpsan -o d --payload --profile tower"));
    cr_assert(o.payload);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --target cuda --device 3 --no-cache"));
    cr_assert(o.target == FPD_TARGET_cuda && o.device == 3 && o.no_cache);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --target simt --gpu sm_80 --profile triton-3.9"));
    cr_assert(o.target == FPD_TARGET_simt && !strcmp(o.gpu, "sm_80"));
    cr_assert(read_words(&arena, &diagnostics, &o, "-- run --jobs"));
    cr_assert(o.command == FPD_COMPARE && o.case_count == 2 && !strcmp(o.cases[1], "--jobs") && o.jobs == 0);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --seed 7") && o.has_seed && o.seed == 7 &&
              o.seed_count == 1);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --seed 18446744073709551613..18446744073709551615"));
    cr_assert(o.has_seed && o.seed == UINT64_MAX - 2 && o.seed_count == 3);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml") && !o.has_seed && !o.has_optimize);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml -O 0") && o.has_optimize && o.optimize == 0);
    cr_assert(read_words(&arena, &diagnostics, &o, "run a.yaml -v x -m ieee -o d --optimize=2") && o.optimize == 2);
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --json -") && o.quiet &&
              !strcmp(o.reports[REPORT_json], "-"));
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --junit - --sarif s --source-root ..") && o.quiet);
    cr_assert(!strcmp(o.reports[REPORT_junit], "-") && !strcmp(o.reports[REPORT_sarif], "s") &&
              !o.reports[REPORT_json]);
    cr_assert(fpd_reports_to_output(&o) && !strcmp(o.source_root, ".."));
    cr_assert(read_words(&arena, &diagnostics, &o, "merge a.json --markdown m --annotations none"));
    cr_assert(o.annotations == FPD_ANNOTATIONS_NONE && !fpd_reports_to_output(&o));
    cr_assert(read_words(&arena, &diagnostics, &o, "a.yaml --set N=64:-3,D=32"));
    cr_assert(o.set.count == 3 && o.set.items[1].value == -3 && !strcmp(o.set.items[1].name, "N"));
    cr_assert(o.set.items[2].value == 32 && !strcmp(o.set.items[2].name, "D"));
    cr_assert_eq(diagnostics.count, 0);
    arena_reset(&arena);
}

Test(command_line, run_and_show) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdOptions o;
    cr_assert(read_words(&arena, &diagnostics, &o, "run a.yaml -v fused -m fpsan -o out"));
    cr_assert(o.command == FPD_RUN && o.mode == FPD_MODE_fpsan && !strcmp(o.variant, "fused") &&
              !strcmp(o.output, "out"));
    cr_assert(read_words(&arena, &diagnostics, &o, "run --output=out --variant=run --mode=ieee a.yaml"));
    cr_assert(o.mode == FPD_MODE_ieee && !strcmp(o.variant, "run"));
    cr_assert(read_words(&arena, &diagnostics, &o, "show a.yaml show"));
    cr_assert(o.command == FPD_SHOW && o.case_count == 2);
    cr_assert(read_words(&arena, &diagnostics, &o, "--help") && o.help);
    cr_assert(read_words(&arena, &diagnostics, &o, "--version") && o.version);
    arena_reset(&arena);
}

Test(command_line, refused) {
    static const struct {
        const char *line, *message;
    } lines[] = {
        {"", "no case file is given"},
        {"show", "no case file is given"},
        {"--seeds 4 a.yaml",
         "unknown option '--seeds', expected one of: --variant --mode --modes --math --output --payload --target"},
        {"--seed 0x a.yaml", "--seed is '0x', expected a number from 0 to 18446744073709551615, or two as in 1..8"},
        {"--seed 1.. a.yaml", "--seed is '1..', expected a number"},
        {"--seed ..3 a.yaml", "--seed is '..3', expected a number"},
        {"--seed 1..2..3 a.yaml", "--seed is '1..2..3', expected a number"},
        {"--seed 1...3 a.yaml", "--seed is '1...3', expected a number"},
        {"--seed -1..3 a.yaml", "--seed is '-1..3', expected a number"},
        {"--seed 1..18446744073709551616 a.yaml", "--seed is '1..18446744073709551616', expected a number"},
        {"--seed 8..1 a.yaml", "--seed is '8..1', expected at most 4096 seeds, the lower first"},
        {"--seed 0..4096 a.yaml", "--seed is '0..4096', expected at most 4096 seeds, the lower first"},
        {"show --seed 1..2 a.yaml", "show takes one seed, not several"},
        {"run --seed 1..2 a.yaml -v x -m ieee -o d", "run takes one seed, not several"},
        {"-O 4 a.yaml", "--optimize is '4', expected 0, 1, 2 or 3"},
        {"--optimize 10 a.yaml", "--optimize is '10', expected 0, 1, 2 or 3"},
        {"--junits=x a.yaml", "unknown option '--junits'"},
        {"--pdf x a.yaml", "unknown option '--pdf'"},
        {"--json x --junit x a.yaml", "two reports are to be written to x"},
        {"--sarif - a.yaml --markdown -", "two reports are to be written to standard output"},
        {"--annotations gitlab a.yaml", "--annotations is 'gitlab', expected auto, github or none"},
        {"show --sarif x a.yaml", "--sarif does not go with show"},
        {"--source-root /no/such/folder a.yaml", "--source-root is '/no/such/folder', which is no folder"},
        {"-x a.yaml", "unknown option '-x'"},
        {"-vfused a.yaml", "unknown option '-vfused'"},
        {"--job 3 a.yaml", "unknown option '--job'"},
        {"run --target simt -v a -m wide -o d a.yaml", "mode wide is for the host, found --target simt"},
        {"run --target cuda -v a -m wider -o d a.yaml", "mode wider is for the host, found --target cuda"},
        {"--target rocm a.yaml", "unknown target 'rocm', expected host, simt or cuda"},
        {"--target cuda --gpu sm_90 a.yaml", "--gpu is for --target simt, found cuda"},
        {"--gpu sm_90 a.yaml", "--gpu is for --target simt, found host"},
        {"--target simt --device 1 a.yaml", "--device is for --target cuda, found simt"},
        {"--target simt --cpu x86-64 a.yaml", "--cpu is for --target host, found simt"},
        {"--target cuda --device -1 a.yaml", "--device is '-1', expected a number from 0 to 1023"},
        {"--target cuda --device 0x a.yaml", "--device is '0x', expected a number from 0 to 1023"},
        {"--target cuda --profile tower a.yaml", "profile tower runs on --target host only, found cuda"},
        {"--profile exact a.yaml", "unknown profile 'exact', expected one of: tower, triton-3.9"},
        {"--profile tower --casts mix a.yaml", "--casts is for profile triton-3.9, but --profile is tower"},
        {"a.yaml --payload", "--payload does not go with comparing"},
        {"run a.yaml -v x -m fpsan -o d --reroll", "--reroll does not go with run"},
        {"show a.yaml --reroll", "--reroll does not go with show"},
        {"run a.yaml -v x -m ieee -o d --payload", "--payload is for mode fpsan, found -m ieee"},
        {"run a.yaml -v x -m fpsan -o d --payload --profile triton-3.9", "--payload is for profile tower"},
        {"run a.yaml -v x -m fpsan -o d --payload --casts mix", "--payload is for profile tower"},
        {"--casts exact a.yaml", "--casts is 'exact', expected mix or homomorphic"},
        {"--jobs 0 a.yaml", "--jobs is '0', expected a number from 1 to 1024"},
        {"--jobs 1025 a.yaml", "expected a number from 1 to 1024"},
        {"--jobs -1 a.yaml", "expected a number from 1 to 1024"},
        {"--jobs 4x a.yaml", "expected a number from 1 to 1024"},
        {"--color blue a.yaml", "--color is 'blue', expected auto, always or never"},
        {"--quiet=1 a.yaml", "--quiet takes no value"},
        {"a.yaml --json", "--json needs a value: FILE"},
        {"--jobs 1 --jobs 2 a.yaml", "--jobs is given twice"},
        {"a.yaml -v x", "--variant does not go with comparing"},
        {"show a.yaml --json x", "--json does not go with show"},
        {"run a.yaml -v x -m ieee -o d --json x", "--json does not go with run"},
        {"run a.yaml b.yaml -v x -m ieee -o d", "run takes one case file, found 2"},
        {"run a.yaml -m ieee -o d", "run needs -v VARIANT"},
        {"run a.yaml -v x -o d", "run needs -m MODE"},
        {"run a.yaml -v x -m ieee -o d --schedule both", "run takes one schedule, forward or reverse"},
        {"a.yaml --schedule backward", "--schedule is 'backward', expected forward, reverse or both"},
        {"show a.yaml --schedule both", "--schedule does not go with show"},
        {"a.yaml --set N", "--set is 'N', expected values of parameters"},
        {"a.yaml --set N=1:", "--set is 'N=1:', expected values of parameters"},
        {"a.yaml --set N=1,=2", "--set is 'N=1,=2', expected values of parameters"},
        {"a.yaml --set N=1:1", "--set gives N the value 1 twice"},
        {"a.yaml --set N=1,N=2", "--set names N twice"},
        {"a.yaml --modes fast", "--modes names 'fast', expected some of: fpsan, ieee, wide, wider"},
        {"a.yaml --modes fpsan,", "--modes names '', expected some of: fpsan, ieee, wide, wider"},
        {"a.yaml --modes ieee,ieee", "--modes names 'ieee' twice"},
        {"a.yaml --modes wide", "--modes is 'wide', expected fpsan or ieee, which are compared, among them"},
        {"run a.yaml -v x -m fast -o d", "unknown mode 'fast', expected fpsan, ieee, wide or wider"},
    };
    for (size_t i = 0; i < BASE_COUNT(lines); i++) {
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        FpdOptions o;
        cr_expect_not(read_words(&arena, &diagnostics, &o, lines[i].line), "%s", lines[i].line);
        cr_assert_eq(diagnostics.count, 1);
        cr_expect(strstr(diagnostics.items[0].message, lines[i].message), "%s: '%s'", lines[i].line,
                  diagnostics.items[0].message);
        cr_expect_eq(fpd_exit_status(&diagnostics), 2);
        diagnostics_close(&diagnostics);
        arena_reset(&arena);
    }
}

Test(command_line, help_names_every_option) {
    static const char *const names[] = {
#define OPTION(id, name, ...) "--" name,
#include "diff/options.def"
#undef OPTION
    };
    Buffer text = {0};
    fpd_print_help(&text);
    for (size_t i = 0; i < BASE_COUNT(names); i++) cr_expect(strstr(text.data, names[i]), "%s", names[i]);
    for (const char *line = text.data; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        cr_expect_leq(strcspn(line, "\n"), 120);
    buffer_free(&text);
}
