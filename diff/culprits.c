// SPDX-License-Identifier: Apache-2.0
// Which single licence of a build changes results: the variant runs again with each of them alone, on top of the first
// build of the case.
#include "diff/judge.h"

#include <string.h>

enum { LICENCES_MAX = 24 };

// The licences that a build has beyond the first one, each as a build of its own. What scopes say is not taken apart.
typedef struct Licences {
    uint32_t count;
    FpdBuild builds[LICENCES_MAX];
} Licences;

static FpdBuild *add_licence(Licences *licences, const FpdBuild *first, const char *name) {
    FpdBuild *build = &licences->builds[licences->count++];
    *build = (FpdBuild){.name = name};
    if (first) build->settings = first->settings;
    return build;
}

static void allow(MathLayer *layer, uint8_t flags) {
    layer->added |= flags;
    layer->removed &= (uint8_t)~flags;
}

// `splits`, `split`: the build, the first one, splits fma ops of the variant unasked.
static Licences find_licences(const FpdBuild *first, const FpdBuild *build, bool splits, bool split) {
    static const struct {
        const char *name;
        uint8_t bit;
    } flags[] = {
#define FLAG(name, bit) {#name, bit},
#include "compiler/math/flags.def"
#undef FLAG
    };
    const MathOpName any = {"", ""};
    const MathState before = math_state(&first->settings, &any), after = math_state(&build->settings, &any);
    const MathModeInfo *old = &math_modes[before.mode], *new = &math_modes[after.mode];
    const uint8_t had = (uint8_t)((old->adds | before.added) & ~before.removed),
                  has = (uint8_t)((new->adds | after.added) & ~after.removed);
    Licences licences = {0};
    for (size_t i = 0; i < BASE_COUNT(flags); i++)
        if (has & ~had & flags[i].bit)
            allow(&add_licence(&licences, first, flags[i].name)->settings.command, flags[i].bit);
    if (after.fmad && !before.fmad) add_licence(&licences, first, "fmad")->settings.command.fmad = MATH_ON;
    if (new->contracts && !old->contracts)
        add_licence(&licences, first, "contract, as in precise")->settings.command.mode = MATH_precise + 1;
    if (after.fast_functions && !before.fast_functions)
        allow(&add_licence(&licences, first, "afn on functions")->settings.command, MATH_FLAG_afn);
    if (after.denormals == MATH_DENORMALS_PRESERVE_SIGN && before.denormals != after.denormals)
        add_licence(&licences, first, "ftz")->settings.command.denormals = MATH_DENORMALS_PRESERVE_SIGN;
    if (before.prec_div && !after.prec_div)
        add_licence(&licences, first, "prec-div=false")->settings.command.prec_div = MATH_OFF;
    if (before.prec_sqrt && !after.prec_sqrt)
        add_licence(&licences, first, "prec-sqrt=false")->settings.command.prec_sqrt = MATH_OFF;
    if (((splits && !split) || after.split_fma == MATH_ON) && before.split_fma != MATH_ON)
        add_licence(&licences, first, "split-fma")->settings.command.split_fma = MATH_ON;
    if (split && !splits) add_licence(&licences, first, "fma kept")->settings.command.split_fma = MATH_OFF;
    for (int key = 0; key < MATH_KEY_COUNT; key++)
        if (key != MATH_KEY_FTZ && key != MATH_KEY_ARCH && after.reflect[key] == MATH_OFF && math_key(&before, key))
            add_licence(&licences, first, math_key_names[key])->settings.command.reflect[key] = MATH_OFF;
    const MathLayer *said = &build->settings.command;
    if (said->max_error != first->settings.command.max_error || said->op_bound_count) {
        MathLayer *layer = &add_licence(&licences, first, "max-error")->settings.command;
        layer->max_error = said->max_error;
        layer->op_bounds = said->op_bounds;
        layer->op_bound_count = said->op_bound_count;
    }
    if (new->approximates && !old->approximates) { // the mode without its flags and without flushing
        MathLayer *layer = &add_licence(&licences, first, "rounding<approx> and <full>")->settings.command;
        *layer = (MathLayer){.mode = MATH_fast + 1,
                             .none = true,
                             .denormals = MATH_DENORMALS_IEEE,
                             .split_fma = split ? MATH_ON : MATH_UNSAID};
    }
    return licences;
}

// Runs the variant of the comparison in the build with each licence.
static bool run_licences(const FpdRunner *runner, const ProgramUse *tiles, const Licences *licences,
                         FpdComparison *comparison) {
    const FpdCase *cas = runner->programs->cas;
    FpdCase more = *cas; // the builds of the case keep their numbers, which launches may have
    FpdPrograms programs = *runner->programs;
    const FpdRunner again = {runner->diagnostics, runner->arena, runner->machine, &programs};
    FpdCulprit *culprits = arena_array(runner->arena, FpdCulprit, licences->count);
    FpdRun **runs = arena_array(runner->arena, FpdRun *, licences->count);
    programs.cas = &more;
    more.build_count += licences->count;
    more.builds = arena_array(runner->arena, FpdBuild, more.build_count);
    memcpy(more.builds, cas->builds, cas->build_count * sizeof *cas->builds);
    memcpy(more.builds + cas->build_count, licences->builds, licences->count * sizeof *licences->builds);
    for (uint32_t i = 0; i < licences->count; i++) {
        runs[i] = fpd_plan_again(runner->arena, comparison->left, &comparison->left->settings);
        runs[i]->build = cas->build_count + i;
    }
    if (!fpd_run_again(&again, licences->count, runs)) return false;
    for (uint32_t i = 0; i < licences->count; i++) {
        FpdComparison *alone = arena_new(runner->arena, FpdComparison);
        *alone = (FpdComparison){.left = comparison->left, .right = runs[i], .question = FPD_QUESTION_builds};
        fpd_find_turns(&again, comparison->left, runs[i]);
        fpd_judge_build(runner->arena, cas, tiles, alone);
        culprits[i] = (FpdCulprit){arena_keep(runner->arena, licences->builds[i].name), alone};
    }
    comparison->culprits = culprits;
    comparison->culprit_count = licences->count;
    return true;
}

bool fpd_find_culprits(const FpdRunner *runner, FpdOutcome *outcome) {
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        FpdComparison *comparison = &outcome->comparisons[i];
        if (!comparison->fails || comparison->verdict == FPD_VERDICT_RACE ||
            comparison->verdict == FPD_VERDICT_DIVERGED)
            continue;
        const FpdBuild *builds = outcome->cas->builds;
        const Licences licences = find_licences(&builds[0], &builds[comparison->right->build], comparison->right->split,
                                                comparison->left->split);
        if (licences.count && !run_licences(runner, outcome->runs->tiles, &licences, comparison)) return false;
    }
    return true;
}
