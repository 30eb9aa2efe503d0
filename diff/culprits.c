// SPDX-License-Identifier: Apache-2.0
// Which single licence of a build changes results: the variant runs again with each of them alone, on top of the first
// build of the case, where the build has it: in all ops, or in those of a scope.
#include "diff/judge.h"

#include <string.h>

// Something that a build may allow beyond the first one.
typedef struct Licence {
    enum {
        FLAG,
        FMAD,
        CARVED_CONTRACT, // that of precise
        WRITTEN,         // flags that the first build clears
        FAST_FUNCTIONS,
        FLUSH,
        DIVISIONS,
        ROOTS,
        SPLIT,
        FMA_KEPT,
        KEY,
        BOUND,
        APPROXIMATE
    } kind;
    unsigned which;   // of FLAG the bit, of KEY the key
    const char *name; // NULL: that of the key
} Licence;

static const Licence licences[] = {
#define FLAG(name, bit) {FLAG, bit, #name},
#include "compiler/math/flags.def"
#undef FLAG
    {FMAD, 0, "fmad"},
    {CARVED_CONTRACT, 0, "contract, as in precise"},
    {WRITTEN, 0, "flags as written"},
    {FAST_FUNCTIONS, 0, "afn on functions"},
    {FLUSH, 0, "ftz"},
    {DIVISIONS, 0, "prec-div=false"},
    {ROOTS, 0, "prec-sqrt=false"},
    {SPLIT, 0, "split-fma"},
    {FMA_KEPT, 0, "fma kept"},
#define KEY(name, option) {KEY, MATH_KEY_##name, NULL},
#include "compiler/math/keys.def"
#undef KEY
    {BOUND, 0, "max-error"},
    {APPROXIMATE, 0, "rounding<approx> and <full>"},
};

static const MathOpName any_op = {"", ""};

// What a build says of a place: of all ops, or of those of a scope.
typedef struct Place {
    MathState state;
    const MathLayer *said;
    const MathScope *scope; // NULL: all ops
    bool splits;            // fma ops of the variant, unasked; of all ops only
} Place;

static bool grants(const Place *place, const Place *first, const Licence *licence) {
    const MathState *state = &place->state, *before = &first->state;
    const MathModeInfo *mode = &math_modes[state->mode];
    switch (licence->kind) {
    case FLAG: return (math_flags_of_mode(state) | state->added) & ~state->removed & licence->which;
    case FMAD: return state->fmad == MATH_ON;
    case CARVED_CONTRACT: return mode->contracts && state->fmad != MATH_OFF;
    case WRITTEN: return mode->keeps;
    case FAST_FUNCTIONS: return state->fast_functions;
    case FLUSH: return state->denormals == MATH_DENORMALS_PRESERVE_SIGN;
    case DIVISIONS: return state->prec_div == MATH_OFF;
    case ROOTS: return state->prec_sqrt == MATH_OFF;
    case SPLIT: return state->split_fma == MATH_ON || (place->splits && !first->splits && before->split_fma != MATH_ON);
    case FMA_KEPT: return !place->scope && place != first && first->splits && !place->splits;
    case KEY:
        return licence->which != MATH_KEY_FTZ && licence->which != MATH_KEY_ARCH &&
               state->reflect[licence->which] == MATH_OFF && (place == first || math_key(before, licence->which));
    case BOUND: // which no mode of a scope takes back
        return place != first && (state->max_error != before->max_error || place->said->op_bound_count);
    case APPROXIMATE: return mode->approximates;
    }
    return false;
}

// Adds the licence to what a layer says. `place`: of the build.
static void give(MathLayer *layer, const Licence *licence, const Place *place, const Place *first) {
    switch (licence->kind) {
    case FLAG:
        layer->added |= (uint8_t)licence->which;
        layer->removed &= (uint8_t)~licence->which;
        break;
    case FMAD: layer->fmad = MATH_ON; break;
    case CARVED_CONTRACT: layer->mode = MATH_precise + 1; break;
    case WRITTEN:
        layer->mode = MATH_ieee + 1;
        layer->split_fma = first->splits ? MATH_ON : MATH_UNSAID;
        break;
    case FAST_FUNCTIONS:
        layer->added |= MATH_FLAG_afn;
        layer->removed &= (uint8_t)~MATH_FLAG_afn;
        break;
    case FLUSH: layer->denormals = MATH_DENORMALS_PRESERVE_SIGN; break;
    case DIVISIONS: layer->prec_div = MATH_OFF; break;
    case ROOTS: layer->prec_sqrt = MATH_OFF; break;
    case SPLIT: layer->split_fma = MATH_ON; break;
    case FMA_KEPT: layer->split_fma = MATH_OFF; break;
    case KEY: layer->reflect[licence->which] = MATH_OFF; break;
    case BOUND:
        layer->max_error = place->said->max_error;
        layer->op_bounds = place->said->op_bounds;
        layer->op_bound_count = place->said->op_bound_count;
        break;
    case APPROXIMATE: // the mode without its flags and without flushing
        *layer = (MathLayer){.mode = MATH_fast + 1,
                             .none = true,
                             .denormals = MATH_DENORMALS_IEEE,
                             .split_fma = first->splits ? MATH_ON : MATH_UNSAID};
        break;
    }
}

// The builds to be tried.
typedef struct Trials {
    Arena *arena;
    const FpdBuild *first;
    uint32_t count;
    size_t capacity;
    FpdBuild *builds;
} Trials;

// The first build under another name.
static FpdBuild *add_trial(Trials *t, const char *name) {
    t->builds = arena_grow(t->arena, t->builds, t->count, &t->capacity, sizeof *t->builds);
    FpdBuild *build = &t->builds[t->count++];
    *build = (FpdBuild){.name = name, .settings = t->first->settings};
    return build;
}

// For the same ops as the scope. `text`: what it says; compiled code is told apart by it.
static MathLayer *add_scope(Trials *t, FpdBuild *build, const MathScope *scope, const char *text) {
    MathSettings *settings = &build->settings;
    MathScope *scopes = arena_array(t->arena, MathScope, settings->scope_count + 1u);
    for (uint32_t i = 0; i < settings->scope_count; i++) scopes[i] = settings->scopes[i];
    settings->scopes = scopes;
    MathScope *added = &scopes[settings->scope_count++];
    *added = *scope;
    added->text = text;
    return &added->layer;
}

// A scope in which everything is as in the first build: naming a mode, it begins anew.
static void add_plain_scope(Trials *t, FpdBuild *build, const MathScope *scope) {
    MathLayer *plain = add_scope(t, build, scope, arena_format(t->arena, "%s: as in the first build", scope->selected));
    *plain = t->first->settings.command;
    if (!plain->mode) plain->mode = MATH_ieee + 1;
}

static void try_licence(Trials *t, const Place *first, const Place *places, uint32_t count, uint32_t at,
                        const Licence *licence) {
    const Place *place = &places[at];
    const char *name = licence->name ? licence->name : math_key_names[licence->which];
    if (place->scope) name = arena_format(t->arena, "%s in %s", name, place->scope->selected);
    FpdBuild *build = add_trial(t, name);
    MathLayer *layer = &build->settings.command;
    if (place->scope) {
        layer = add_scope(t, build, place->scope, name);
        *layer = (MathLayer){0};
    }
    give(layer, licence, place, first);
    for (uint32_t i = at + 1; i < count; i++) // only where the build has it
        if (!grants(&places[i], first, licence)) add_plain_scope(t, build, places[i].scope);
}

static bool has_own_bound(const Place *place, const Place *all, const Licence *licence) {
    return licence->kind == BOUND && place->state.max_error != all->state.max_error;
}

static bool in_first(const FpdBuild *first, const MathScope *scope) {
    for (uint32_t i = 0; i < first->settings.scope_count; i++)
        if (!strcmp(first->settings.scopes[i].text, scope->text)) return true;
    return false;
}

// The licences that a build has beyond the first one, each as a build of its own: those of all ops, then of each scope
// as a whole, if it has not just one, and the licences that it alone has.
static Trials find_trials(Arena *arena, const FpdBuild *first, const FpdBuild *build, bool splits, bool split) {
    const Place before = {math_state(&first->settings, &any_op), &first->settings.command, NULL, split};
    Trials trials = {.arena = arena, .first = first};
    Place *places = arena_array(arena, Place, build->settings.scope_count + 1u);
    uint32_t count = 1;
    places[0] = (Place){math_state(&build->settings, &any_op), &build->settings.command, NULL, splits};
    for (uint32_t i = 0; i < build->settings.scope_count; i++) {
        const MathScope *scope = &build->settings.scopes[i];
        if (in_first(first, scope)) continue;
        places[count] = (Place){places[0].state, &scope->layer, scope, false};
        math_apply(&places[count++].state, &scope->layer, &any_op);
    }
    for (uint32_t p = 0; p < count; p++) {
        const Place *place = &places[p];
        Licence own[BASE_COUNT(licences)];
        uint32_t owns = 0;
        for (size_t i = 0; i < BASE_COUNT(licences); i++)
            if (grants(place, &before, &licences[i]) && !grants(&before, &before, &licences[i]) &&
                (!p || !grants(&places[0], &before, &licences[i]) || has_own_bound(place, &places[0], &licences[i])))
                own[owns++] = licences[i];
        if (place->scope && owns != 1)
            add_scope(&trials, add_trial(&trials, arena_format(arena, "all of %s", place->scope->selected)),
                      place->scope, place->scope->text);
        for (uint32_t i = 0; i < owns; i++) try_licence(&trials, &before, places, count, p, &own[i]);
    }
    return trials;
}

// Runs the variant of the comparison in the build with each of them.
static bool run_trials(const FpdRunner *runner, const ProgramUse *tiles, const Trials *trials,
                       FpdComparison *comparison) {
    const FpdCase *cas = runner->programs->cas;
    FpdCase more = *cas; // the builds of the case keep their numbers, which launches may have
    FpdPrograms programs = *runner->programs;
    const FpdRunner again = {runner->diagnostics, runner->arena, runner->machine, &programs};
    FpdCulprit *culprits = arena_array(runner->arena, FpdCulprit, trials->count);
    FpdRun **runs = arena_array(runner->arena, FpdRun *, trials->count);
    programs.cas = &more;
    more.build_count += trials->count;
    more.builds = arena_array(runner->arena, FpdBuild, more.build_count);
    memcpy(more.builds, cas->builds, cas->build_count * sizeof *cas->builds);
    memcpy(more.builds + cas->build_count, trials->builds, trials->count * sizeof *trials->builds);
    for (uint32_t i = 0; i < trials->count; i++) {
        runs[i] = fpd_plan_again(runner->arena, comparison->left, &comparison->left->settings);
        runs[i]->build = cas->build_count + i;
    }
    if (!fpd_run_again(&again, trials->count, runs)) return false;
    for (uint32_t i = 0; i < trials->count; i++) {
        FpdComparison *alone = arena_new(runner->arena, FpdComparison);
        *alone = (FpdComparison){.left = comparison->left, .right = runs[i], .question = FPD_QUESTION_builds};
        fpd_find_turns(&again, comparison->left, runs[i]);
        fpd_judge_build(runner->arena, cas, tiles, alone);
        culprits[i] = (FpdCulprit){arena_keep(runner->arena, trials->builds[i].name), alone};
    }
    comparison->culprits = culprits;
    comparison->culprit_count = trials->count;
    runner->programs->results = programs.results;
    return true;
}

bool fpd_find_culprits(const FpdRunner *runner, FpdOutcome *outcome) {
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        FpdComparison *comparison = &outcome->comparisons[i];
        if (!comparison->fails || comparison->verdict == FPD_VERDICT_RACE ||
            comparison->verdict == FPD_VERDICT_MISUSE || comparison->verdict == FPD_VERDICT_DIVERGED)
            continue;
        const FpdBuild *builds = outcome->cas->builds;
        const Trials trials = find_trials(runner->arena, &builds[0], &builds[comparison->right->build],
                                          comparison->right->split, comparison->left->split);
        if (trials.count && !run_trials(runner, outcome->runs->tiles, &trials, comparison)) return false;
    }
    return true;
}
