// SPDX-License-Identifier: Apache-2.0
// Mutants of cases: with the switch at 0 kernels compute what the plain ones do, bit for bit and payload for payload,
// and a mutant gets the same class through the switch as one that is built alone.
#include "diff/try_mutant.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <string.h>

typedef struct Lab {
    Arena arena;
    Diagnostics diagnostics;
    FpdMachine machine;
    const FpdCase *cas;
    FpdPrograms *programs;
} Lab;

static FpdRunner open_lab(Lab *lab, const char *path) {
    *lab = (Lab){.machine = {.target = FPD_TARGET_host,
                             .shadow = true,
                             .optimize = 0,
                             .poison = true,
                             .unspecified = COMPILE_NAN,
                             .races = true}};
    lab->cas = fpd_load_case(&lab->diagnostics, &lab->arena, path);
    lab->programs = lab->cas ? fpd_load_programs(&lab->diagnostics, &lab->arena, lab->cas) : NULL;
    cr_assert(lab->programs, "%s cannot be read", path);
    cr_assert(fpd_machine_open(&lab->diagnostics, 2, &lab->machine));
    lab->machine.kept = fpd_kept_open(lab->machine.compiler);
    return (FpdRunner){&lab->diagnostics, &lab->arena, &lab->machine, lab->programs};
}

static void close_lab(Lab *lab, FpdMutants *mutants) {
    fpd_close_mutants(&lab->machine, mutants);
    fpd_close_compiled(&lab->machine, lab->programs);
    fpd_programs_close(lab->programs);
    fpd_machine_close(&lab->machine);
    diagnostics_close(&lab->diagnostics);
    arena_reset(&lab->arena);
}

// ---- the switch at 0 ------------------------------------------------------------------------------------------------

static void check_same_run(const FpdCase *cas, const FpdRun *plain, const FpdRun *run, uint32_t group) {
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        cr_assert(!memcmp(plain->bytes[c], run->bytes[c], buffer->bytes), "%s: group %u: other bits in %s", cas->path,
                  group, buffer->name);
        for (uint64_t i = 0; plain->records && plain->records[c] && i < buffer->elements; i++) {
            const HostRecord *a = &plain->records[c][i], *b = &run->records[c][i];
            cr_assert(a->state == b->state && (a->state & HOST_RECORD_POISON || // component 0 says who made it
                                               !memcmp(a->component, b->component, sizeof a->component)),
                      "%s: group %u: another payload in %s", cas->path, group, buffer->name);
        }
    }
}

static void check_group(const FpdRunner *runner, FpdMutants *mutants, const FpdRuns *plain, uint32_t index) {
    Arena arena = {0};
    const FpdMutant *mutant = &mutants->items[index];
    const FpdCase *cas = mutants->programs->cas;
    const FpdRunner off = {runner->diagnostics, &arena, runner->machine,
                           fpd_mutant_programs(&arena, mutants, mutants->programs, index, false)};
    FpdRuns runs = fpd_plan_runs(&arena, cas, FPD_ALL_MODES, (int)mutant->variant);
    cr_assert(fpd_run_case(&off, false, &runs), "%s: %s", cas->path,
              runner->diagnostics->count ? runner->diagnostics->items[0].message : "");
    for (uint32_t r = 0; r < runs.run_count; r++)
        check_same_run(cas, fpd_find_build_run(plain, runs.runs[r].mode, mutant->variant, runs.runs[r].build),
                       &runs.runs[r], mutant->group);
    fpd_close_mutant_group(runner->machine, mutants, mutant->group);
    arena_reset(&arena);
}

// Every group of every variant. Returns how many there are; 0: the case is not of Tile IR, or
// of kernels whose blocks have parts.
static uint32_t check_switch(const char *path, uint32_t stride) {
    Lab lab;
    const FpdRunner runner = open_lab(&lab, path);
    const FpdCase written = fpd_case_as_written(&lab.arena, lab.cas);
    lab.programs->cas = lab.cas = &written;
    FpdMutants *mutants = fpd_open_mutants(&lab.diagnostics, &lab.arena, lab.programs, FPD_MUTATE_ALL);
    uint32_t groups = 0, seen = 0;
    if (!mutants) {
        cr_expect_eq(lab.diagnostics.items[0].code, E_UNSUPPORTED);
        const char *message = lab.diagnostics.items[0].message;
        cr_expect(strstr(message, "no Tile IR") || strstr(message, "have parts"), "%s: %s", path, message);
    } else {
        FpdRuns plain = fpd_plan_runs(&lab.arena, lab.cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
        lab.machine.keep_compiled = true;
        const bool ran = fpd_run_case(&runner, false, &plain); // not where processors cannot keep a bound
        cr_expect(ran || lab.diagnostics.items[0].code == E_UNSUPPORTED);
        for (uint32_t i = 0; i < mutants->count && ran; i++) {
            const FpdMutant *mutant = &mutants->items[i];
            if (mutant->number != 1 || seen++ % stride) continue;
            check_group(&runner, mutants, &plain, i);
            groups++;
        }
    }
    close_lab(&lab, mutants);
    return groups;
}

Test(switch_at_0, some_examples) {
    cr_expect_gt(check_switch(SOURCE_DIR "/examples/softmax/softmax.yaml", 5), 1);
    cr_expect_gt(check_switch(SOURCE_DIR "/tests/cases/tower/adversarial.yaml", 4), 0);
    cr_expect_eq(check_switch(SOURCE_DIR "/examples/ptx/softmax.yaml", 1), 0);
}

Test(switch_at_0, all_examples) {
    glob_t files = {0};
    uint32_t groups = 0;
    cr_assert_eq(glob(SOURCE_DIR "/examples/*/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) groups += check_switch(files.gl_pathv[i], 1);
    cr_expect_gt(groups, 100);
    globfree(&files);
}

// ---- built alone ----------------------------------------------------------------------------------------------------

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void try_mutants(const FpdRunner *runner, const FpdMutationOptions *options, FpdMutation *mutation) {
    cr_assert(fpd_plan_mutation(runner->diagnostics, runner->arena, runner->programs, options, mutation));
    cr_assert(fpd_try_mutants(runner, options, NULL, mutation) && mutation->as_expected);
}

static void check_alone(const char *path, uint32_t count) {
    Lab lab;
    const FpdRunner runner = open_lab(&lab, path);
    FpdMutation through = {0}, alone = {0};
    FpdMutants *mutants = fpd_open_mutants(&lab.diagnostics, &lab.arena, lab.programs, FPD_MUTATE_ALL);
    cr_assert(mutants);
    bool *chosen = arena_array(&lab.arena, bool, mutants->count);
    uint32_t state = 18, tried = 0;
    for (uint32_t i = 0; i < count; i++) chosen[next_random(&state) % mutants->count] = true;
    FpdMutationOptions options = {.shard = 1, .shard_count = 1, .chosen = chosen};
    try_mutants(&runner, &options, &through);
    options.alone = true;
    try_mutants(&runner, &options, &alone);
    for (uint32_t i = 0; i < mutants->count; i++) {
        const FpdMutantResult *a = &through.results[i], *b = &alone.results[i];
        const TileMutant *edit = through.mutants->items[i].edit;
        cr_expect_eq(a->class != FPD_MUTANT_UNTRIED, chosen[i]);
        tried += chosen[i];
        cr_expect_eq(a->class, b->class, "%s: mutant %u, line %u, %s: %s: %s (%s), alone %s (%s)", path, i,
                     edit->at.line, edit->mnemonic, edit->words, fpd_mutant_class_info(a->class)->word,
                     a->reason ? a->reason : "", fpd_mutant_class_info(b->class)->word, b->reason ? b->reason : "");
    }
    cr_expect_gt(tried, count / 2);
    fpd_close_mutants(&lab.machine, through.mutants);
    fpd_close_mutants(&lab.machine, alone.mutants);
    close_lab(&lab, mutants);
}

Test(alone, some_of_softmax) {
    check_alone(SOURCE_DIR "/examples/softmax/softmax.yaml", 12);
}

Test(alone, two_hundred) {
    check_alone(SOURCE_DIR "/examples/attention/attention.yaml", 120);
    check_alone(SOURCE_DIR "/examples/attention/causal.yaml", 40);
    check_alone(SOURCE_DIR "/examples/norm/layer_norm.yaml", 40);
    check_alone(SOURCE_DIR "/examples/softmax/softmax.yaml", 40);
}
