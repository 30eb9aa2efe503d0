// SPDX-License-Identifier: Apache-2.0
// Running edited variants as any other: an edit is claimed only if it makes all compared elements equal.
#include "diff/locate.h"

#include <string.h>

// Two variants, the reference and an edited one, in payload modes.
typedef struct Edited {
    FpdCase cas;
    FpdPrograms programs;
    FpdVariant variants[2];
    FpdResolvedLaunch *launches[2];
    const Program *program; // the edited one; NULL: an edit of a launch
} Edited;

static void copy_launches(Arena *arena, const FpdPrograms *from, uint32_t variant, Edited *e) {
    const FpdVariant *of = &from->cas->variants[variant];
    FpdLaunch *launches = arena_array(arena, FpdLaunch, of->launch_count + 1u);
    e->launches[0] = from->launches[0];
    e->launches[1] = arena_array(arena, FpdResolvedLaunch, of->launch_count + 1u);
    memcpy(launches, of->launches, of->launch_count * sizeof *launches);
    memcpy(e->launches[1], from->launches[variant], of->launch_count * sizeof *e->launches[1]);
    e->variants[0] = from->cas->variants[0];
    e->variants[1] = *of;
    e->variants[1].launches = launches;
}

static void edit_launch(Arena *arena, const RepairEdit *edit, Edited *e) {
    FpdResolvedLaunch *launch = &e->launches[1][edit->launch];
    if (edit->kind == REPAIR_launch_grid) {
        e->variants[1].launches[edit->launch].grid[edit->operand] = (uint32_t)edit->bits;
        return;
    }
    FpdValue *values = arena_array(arena, FpdValue, launch->entry->parameter_count + 1u);
    memcpy(values, launch->values, launch->entry->parameter_count * sizeof *values);
    if (edit->kind == REPAIR_launch_swap) {
        values[edit->operand] = launch->values[edit->dimension];
        values[edit->dimension] = launch->values[edit->operand];
    } else if (edit->kind == REPAIR_launch_buffer)
        values[edit->operand].buffer = (uint32_t)edit->bits;
    else
        values[edit->operand].bits = edit->bits;
    launch->values = values;
}

// The edited program is one module more, which only the edited launch has.
static bool edit_module(Arena *arena, const FpdPrograms *from, const Repair *repair, const RepairEdit *edit,
                        Edited *e) {
    FpdResolvedLaunch *launch = &e->launches[1][edit->launch];
    const FpdModule *old = &from->modules[launch->module];
    e->program = repair_program(repair, edit);
    if (!e->program) return false;
    FpdModule *modules = arena_array(arena, FpdModule, from->module_count + 1u);
    memcpy(modules, from->modules, from->module_count * sizeof *modules);
    FpdModule *added = &modules[from->module_count];
    *added = (FpdModule){.path = old->path, .program = e->program};
    added->launched = arena_array(arena, bool, e->program->kernel_count + 1u);
    const uint32_t kernel = (uint32_t)(launch->entry - old->program->kernels);
    added->launched[kernel] = true;
    fpd_module_reserve(arena, from->cas, added);
    const uint32_t module = launch->module;
    const ProgramKernel *entry = launch->entry;
    for (uint32_t i = 0; i < e->variants[1].launch_count; i++) { // all launches of the kernel have the edit
        FpdResolvedLaunch *alike = &e->launches[1][i];
        if (alike->module != module || alike->entry != entry) continue;
        alike->module = from->module_count;
        alike->entry = &e->program->kernels[kernel];
    }
    e->programs.modules = modules;
    e->programs.module_count = from->module_count + 1;
    return true;
}

// `edit` NULL: the variant as it is.
static bool open_edited(Arena *arena, const FpdPrograms *from, uint32_t variant, const Repair *repair,
                        const RepairEdit *edit, Edited *e) {
    *e = (Edited){.cas = *from->cas, .programs = *from};
    copy_launches(arena, from, variant, e);
    e->cas.variants = e->variants;
    e->cas.variant_count = 2;
    e->cas.expect_diverge = false;
    e->programs.cas = &e->cas;
    e->programs.launches = e->launches;
    if (!edit) return true;
    if (repair_is_of_launch(edit)) {
        edit_launch(arena, edit, e);
        return true;
    }
    return edit_module(arena, from, repair, edit, e);
}

// How many results of the reference a comparison tells of: finite floats, integers; not those of a buffer that is the
// same all over.
static uint64_t count_told(const FpdCase *cas, const FpdComparison *comparison) {
    uint64_t told = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        const FpdRun *run = comparison->left;
        if (fpd_is_constant(buffer, run->arithmetic->payloads != FPD_PAYLOADS_IN_PLACE, run->bytes[c])) continue;
        const bool floats = run->tower && element_is_float(buffer->type);
        for (uint64_t i = 0; i < buffer->elements; i++)
            told += !floats || fpd_is_finite(fpd_element_of(cas, run, c, i).payload);
    }
    return told;
}

// Whether all comparisons of payloads are equal. *told: what they tell of.
static bool is_equal(const FpdOutcome *outcome, uint64_t *told) {
    bool formulas = false;
    *told = 0;
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *comparison = &outcome->comparisons[i];
        if (comparison->question != FPD_QUESTION_formula) continue;
        if (comparison->verdict != FPD_VERDICT_EQUAL || comparison->lost[0] || comparison->lost[1]) return false;
        *told += count_told(outcome->cas, comparison);
        formulas = true;
    }
    return formulas;
}

// Runs both variants once and judges them, in the arena and on the machine of `again`, which is a copy of `machine`.
static bool run_both(const FpdRunner *again, FpdMachine *machine, Edited *e, FpdOutcome *outcome) {
    FpdRuns *runs = arena_new(again->arena, FpdRuns);
    *outcome = (FpdOutcome){.cas = &e->cas, .path = e->cas.path, .errors = again->diagnostics};
    again->machine->progress = false;
    again->machine->output = NULL;
    *runs = fpd_plan_runs(again->arena, &e->cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
    fpd_plan_comparisons(again->arena, &e->cas, runs, outcome);
    bool good = fpd_run_case(again, true, runs); // an edit that makes blocks race is none
    machine->device = again->machine->device;    // it may have been opened anew
    machine->shadow = again->machine->shadow;
    if (good) fpd_find_unspecified(again, runs);
    good = good && fpd_run_second(again, runs, outcome);
    if (good) fpd_judge(again->arena, outcome);
    return good;
}

// Runs both variants once and compares.
static bool runs_equal(const FpdRunner *runner, Edited *e, uint64_t *told) {
    Diagnostics ignored = {0};
    Arena arena = {0};
    FpdMachine machine = *runner->machine;
    const FpdRunner again = {&ignored, &arena, &machine, &e->programs};
    FpdOutcome outcome;
    const bool good = run_both(&again, runner->machine, e, &outcome) && is_equal(&outcome, told);
    diagnostics_close(&ignored);
    arena_reset(&arena);
    return good;
}

// Makes the data fresh, and chooses another chain.
static bool make_fresh(Diagnostics *diagnostics, Arena *arena, FpdFresh level, Edited *e) {
    e->cas.seed += 0x9e3779b9;
    e->cas.chain = (e->cas.chain + 1) % TOWER_CHAINS;
    return fpd_make_fresh(diagnostics, arena, level, &e->cas);
}

// The same with fresh data of a level, in another chain. `own`: results that the case's data tell of. Data that leave
// too few of them, such as roots of negative numbers, show nothing.
static bool is_shown(const FpdRunner *runner, const Edited *edited, FpdFresh level, uint64_t own) {
    enum { LEAST = 4 }; // one result in so many
    Diagnostics ignored = {0};
    Arena arena = {0};
    Edited e = *edited;
    uint64_t told = 0;
    e.programs.cas = &e.cas;
    e.cas.variants = e.variants;
    e.programs.launches = e.launches;
    const bool shown =
        make_fresh(&ignored, &arena, level, &e) && runs_equal(runner, &e, &told) && told && told * LEAST >= own;
    diagnostics_close(&ignored);
    arena_reset(&arena);
    return shown;
}

// The strongest level of data that shows the edit to be right. What is right with the case's data alone is an accident
// of them, unless they have nothing that could vary.
static FpdFresh strongest_shown(const FpdRunner *runner, const Edited *e, uint64_t own) {
    const FpdCase *cas = &e->cas;
    if (!fpd_fresh_differs(cas, FPD_FRESH_SEED) && !fpd_fresh_differs(cas, FPD_FRESH_VARIED))
        return own && is_shown(runner, e, FPD_FRESH_OWN, own) ? FPD_FRESH_OWN : FPD_FRESH_COUNT;
    FpdFresh level = FPD_FRESH_COUNT;
    while (level > FPD_FRESH_VARIED) {
        const FpdFresh best = --level; // data of the levels down to `level` are the same
        while (level > FPD_FRESH_VARIED && !fpd_fresh_differs(cas, level)) level--;
        if (is_shown(runner, e, level, own)) return best;
    }
    return FPD_FRESH_COUNT;
}

bool fpd_proves(const FpdRunner *runner, uint32_t variant, const Repair *repair, const RepairEdit *edit,
                FpdFresh *level) {
    Arena arena = {0};
    Edited e;
    uint64_t own;
    *level = FPD_FRESH_COUNT;
    if (open_edited(&arena, runner->programs, variant, repair, edit, &e) && runs_equal(runner, &e, &own))
        *level = strongest_shown(runner, &e, own);
    program_close(e.program);
    arena_reset(&arena);
    return *level < FPD_FRESH_COUNT;
}

// ---- relations ------------------------------------------------------------------------------------------------------

static bool has_alike(const FpdLocated *located, const FpdRelation *wanted) {
    for (uint32_t i = 0; i < located->relation_count; i++) {
        const FpdRelation *r = &located->relations[i];
        if (r->kind == wanted->kind && r->buffer == wanted->buffer && !strcmp(r->what, wanted->what)) return true;
    }
    return false;
}

static const FpdComparison *diverging_formula(const FpdOutcome *outcome) {
    for (uint32_t i = 0; i < outcome->comparison_count; i++)
        if (outcome->comparisons[i].question == FPD_QUESTION_formula &&
            outcome->comparisons[i].verdict == FPD_VERDICT_DIVERGED)
            return &outcome->comparisons[i];
    return NULL;
}

// What of `located` is looked for with other data.
static void find_again(const FpdRunner *again, const FpdComparison *comparison, const FpdLocated *located,
                       FpdLocated *found) {
    fpd_find_relations(again->arena, again->programs->cas, comparison, found);
    for (uint32_t i = 0; i < located->relation_count; i++)
        if (located->relations[i].kind == FPD_RELATION_partial && !has_alike(found, &located->relations[i]))
            fpd_try_partial(again, comparison, &located->relations[i].part, found);
}

// Whether another relation says more: it holds for all wrong elements of the buffer, and this one does not; or it is of
// the same kind, and in front.
static bool is_outdone(const FpdLocated *located, uint32_t number) {
    const FpdRelation *r = &located->relations[number];
    for (uint32_t i = 0; i < located->relation_count; i++) {
        const FpdRelation *other = &located->relations[i];
        if (other->buffer != r->buffer) continue;
        if ((other->count == other->of && r->count < r->of) || (i < number && other->kind == r->kind)) return true;
    }
    return false;
}

static void keep_relations(const FpdLocated *found, FpdLocated *located) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < located->relation_count; i++)
        if (!found || located->relations[i].kind == FPD_RELATION_unwritten || has_alike(found, &located->relations[i]))
            located->relations[kept++] = located->relations[i];
    located->relation_count = kept;
    for (uint32_t i = kept; i-- > 0;) // those in front are still there
        if (is_outdone(located, i)) {
            located->relation_count--;
            memmove(&located->relations[i], &located->relations[i + 1],
                    (located->relation_count - i) * sizeof *located->relations);
        }
}

void fpd_confirm_relations(const FpdRunner *runner, uint32_t variant, FpdLocated *located) {
    Diagnostics ignored = {0};
    Arena arena = {0};
    FpdMachine machine = *runner->machine;
    Edited e;
    FpdOutcome outcome;
    FpdLocated found = {0};
    const FpdRunner again = {&ignored, &arena, &machine, &e.programs};
    const FpdCase *cas = runner->programs->cas;
    if (!located->relation_count) return;
    if (!fpd_fresh_differs(cas, FPD_FRESH_SEED) && !fpd_fresh_differs(cas, FPD_FRESH_VARIED)) {
        keep_relations(NULL, located);
        return;
    }
    if (open_edited(&arena, runner->programs, variant, NULL, NULL, &e) &&
        make_fresh(&ignored, &arena, FPD_FRESH_VARIED, &e) && run_both(&again, runner->machine, &e, &outcome)) {
        const FpdComparison *comparison = diverging_formula(&outcome);
        if (comparison) find_again(&again, comparison, located, &found);
        runner->machine->device = machine.device;
        runner->machine->shadow = machine.shadow;
    }
    keep_relations(&found, located);
    diagnostics_close(&ignored);
    arena_reset(&arena);
}
