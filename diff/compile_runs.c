// SPDX-License-Identifier: Apache-2.0
// The code of the runs of a case: what it is compiled with, and what it says about who stores what.
#include "diff/matrix.h"

#include <stdlib.h>
#include <string.h>

// ---- compiling ------------------------------------------------------------------------------------------------------

// Second runs that would share the code of plain ones, if those had no census, share it.
static bool takes_census(const FpdMatrix *x, const FpdArithmetic *arithmetic) {
    const FpdSettings *settings = x->settings;
    if (x->machine->target != FPD_TARGET_host || settings->flips || settings->origins || settings->decisions ||
        settings->degrees || settings->signed_roots || settings->masks)
        return false;
    if (arithmetic->payloads == FPD_PAYLOADS_BESIDE) return x->machine->census != FPD_CENSUS_NONE;
    return x->machine->census == FPD_CENSUS_ALL && arithmetic->numeric == COMPILE_IEEE;
}

static CompileOptions compile_options(const FpdMatrix *x, FpdMode mode, uint32_t build) {
    const FpdArithmetic *arithmetic = fpd_arithmetic(x->cas->family, mode);
    CompileOptions options = {.numeric = arithmetic->numeric,
                              .cpu = x->machine->cpu,
                              .gpu = x->machine->gpu,
                              .simt = x->machine->target == FPD_TARGET_simt,
                              .optimize = x->settings->quickly ? 0 : x->machine->optimize,
                              .iterations = x->machine->iterations,
                              .check_assume = x->machine->check_assume || x->begins_inside,
                              .check_hints = x->machine->check_assume,
                              .outside_tiles = x->machine->outside_tiles,
                              .overlaps = x->overlaps,
                              .apart = !x->overlaps,
                              .by_element = x->machine->by_element,
                              .unspecified = x->settings->unspecified,
                              .masked_zeros = x->machine->unspecified == COMPILE_ZEROS,
                              .poison = x->machine->poison && !x->cas->allow_unspecified,
                              .census = takes_census(x, arithmetic),
                              .replaced = x->settings->replaced,
                              // Those of degrees look for none, but kernels whose blocks look at each other need
                              // their order: a block that waits has no other thread where it has an alloca.
                              .races = x->machine->races && x->machine->target == FPD_TARGET_host};
    if (build < x->cas->build_count) options.math = &x->cas->builds[build].settings;
    if (arithmetic->payloads == FPD_PAYLOADS_BESIDE) {
        options.chain = x->cas->chain;
        options.flips = x->settings->flips;
        options.meanings = x->meanings;
        options.meaning_count = x->cas->meaning_count;
        options.masks = x->settings->masks;
        options.origins = x->settings->origins;
        options.decisions = x->settings->decisions;
    } else {
        options.instrumentation = (FpsanInstrumentation){.enabled = arithmetic->payloads == FPD_PAYLOADS_IN_PLACE,
                                                         .algebra = x->cas->algebra};
    }
    return options;
}

static uint32_t build_of(const FpdCase *cas, const FpdRun *run, uint32_t launch) {
    const uint32_t own = cas->variants[run->variant].launches[launch].build;
    return own ? own - 1 : run->build;
}

// The modules of these runs that are in that mode and build and not compiled yet, each once.
static bool compile_build(FpdMatrix *x, FpdMode mode, uint32_t build, uint32_t run_count, FpdRun *const *runs) {
    CompileOptions options = compile_options(x, mode, build);
    FpdModule **modules = arena_array(x->arena, FpdModule *, x->programs->module_count + 1u);
    bool *wanted = arena_array(x->arena, bool, x->programs->module_count + 1u);
    uint32_t count = 0;
    for (uint32_t r = 0; r < run_count; r++)
        for (uint32_t i = 0; i < x->cas->variants[runs[r]->variant].launch_count; i++)
            if (runs[r]->mode == mode && build_of(x->cas, runs[r], i) == build)
                wanted[x->programs->launches[runs[r]->variant][i].module] = true;
    for (uint32_t m = 0; m < x->programs->module_count; m++)
        if (wanted[m] && !x->programs->modules[m].compiled[build][mode]) modules[count++] = &x->programs->modules[m];
    if (!count) return true;
    const char *name = fpd_mode_name(mode);
    if (x->cas->build_count > 1) name = arena_format(x->arena, "%s, %s", name, fpd_build_name(x->cas, build));
    fpd_show_progress(x->machine, arena_format(x->arena, "compiling %u modules (%s)", count, name));
    const FpdCompileWork work = {modules, count, mode, build, &options};
    return fpd_compile_modules(x->diagnostics, x->arena, x->machine, &work);
}

bool fpd_compile_runs(FpdMatrix *x, FpdMode mode, uint32_t run_count, FpdRun *const *runs) {
    bool good = true;
    for (uint32_t build = 0; build <= x->cas->build_count && good; build++)
        good = compile_build(x, mode, build, run_count, runs);
    return good;
}

const KernelInfo *fpd_find_kernel(const FpdMatrix *x, const FpdRun *run, uint32_t index) {
    const FpdResolvedLaunch *launch = &x->programs->launches[run->variant][index];
    const FpdModule *module = &x->programs->modules[launch->module];
    const CompiledModule *compiled = module->compiled[build_of(x->cas, run, index)][run->mode];
    const char *name = launch->entry->name;
    const KernelInfo *found = NULL;
    for (uint32_t k = 0; k < compiled->kernel_count; k++)
        if (!strcmp(compiled->kernels[k].name, name)) found = &compiled->kernels[k];
    if (found && found->parameter_count == launch->entry->parameter_count) return found;
    diag_fail(x->diagnostics, (Location){.file = module->path}, E_RUNTIME,
              "the compiled module lacks entry %s as the module has it", name);
    return NULL;
}

// The stores of all launches of the variant, one after the other, as records count them. Texts are copied: modules are
// closed before the case.
bool fpd_collect_stores(FpdMatrix *x, FpdRun *run) {
    const FpdVariant *owner = &x->cas->variants[run->variant];
    size_t capacity = 0;
    FpdStore *stores = NULL;
    for (uint32_t i = 0; i < owner->launch_count; i++) {
        const FpdResolvedLaunch *launch = &x->programs->launches[run->variant][i];
        const KernelInfo *kernel = fpd_find_kernel(x, run, i);
        if (!kernel) return false;
        for (uint32_t s = 0; s < kernel->store_count; s++) {
            KernelStore by = kernel->stores[s];
            by.op = arena_keep(x->arena, by.op);
            by.at = location_keep(x->arena, by.at);
            by.unspecified = arena_keep(x->arena, by.unspecified);
            stores = arena_grow(x->arena, stores, run->store_count, &capacity, sizeof *stores);
            stores[run->store_count++] = (FpdStore){by, i, launch->kernel};
        }
    }
    run->stores = stores;
    return true;
}

// Those of all launches of the variant, as their kernels number them. Texts are copied.
bool fpd_open_census(FpdMatrix *x, FpdRun *run) {
    size_t capacity = 0;
    if (!takes_census(x, run->arithmetic)) return true;
    run->census = arena_new(x->arena, FpdCensusSite);
    for (uint32_t i = 0; i < x->cas->variants[run->variant].launch_count; i++) {
        const KernelInfo *kernel = fpd_find_kernel(x, run, i);
        if (!kernel) return false;
        for (uint32_t s = 0; kernel->census_sites && s < kernel->census_site_count; s++) {
            FpdCensusSite site = {.by = kernel->census_sites[s], .launch = i};
            site.kernel = x->programs->launches[run->variant][i].kernel;
            site.by.op = arena_keep(x->arena, site.by.op);
            site.by.at = location_keep(x->arena, site.by.at);
            run->census = arena_grow(x->arena, run->census, run->census_count, &capacity, sizeof *run->census);
            run->census[run->census_count++] = site;
        }
    }
    return true;
}

void fpd_keep_census(const FpdRun *run, uint32_t launch, const KernelCensusCount *counts) {
    uint32_t first = 0;
    while (first < run->census_count && run->census[first].launch < launch) first++;
    for (uint32_t i = first; i < run->census_count && run->census[i].launch == launch; i++)
        run->census[i].count = counts[i - first];
}

static int compare_sites(const void *left, const void *right) {
    const FpdCensusSite *a = left, *b = right;
    if (a->launch != b->launch) return a->launch < b->launch ? -1 : 1;
    return a->by.order < b->by.order ? -1 : a->by.order > b->by.order;
}

void fpd_sort_census(FpdRun *run) {
    if (run->census_count) qsort(run->census, run->census_count, sizeof *run->census, compare_sites);
}

// Who stores to each compared buffer, as the code says: integers have no records.
const FpdStore *fpd_collect_writers(const FpdMatrix *x, uint32_t variant) {
    FpdStore *writers = arena_array(x->arena, FpdStore, x->cas->compare_count);
    for (uint32_t c = 0; c < x->cas->compare_count; c++) {
        const int64_t last = fpd_last_store(x->programs, variant, x->cas->compare[c]);
        if (last < 0) continue;
        const ProgramUse use = fpd_launch_use(x->programs, variant, (uint32_t)last, x->cas->compare[c]);
        writers[c] =
            (FpdStore){.by = {.op = arena_keep(x->arena, use.stored_by), .at = location_keep(x->arena, use.stored_at)},
                       .launch = (uint32_t)last,
                       .kernel = x->programs->launches[variant][last].kernel};
    }
    return writers;
}

// The kernels of the run whose fma ops its builds split unasked, each once.
const char *fpd_collect_split(const FpdMatrix *x, const FpdRun *run) {
    const FpdResolvedLaunch *launches = x->programs->launches[run->variant];
    const char *list = NULL;
    for (uint32_t i = 0; i < x->cas->variants[run->variant].launch_count; i++) {
        const uint32_t build = build_of(x->cas, run, i);
        bool known = build >= x->cas->build_count;
        for (uint32_t k = 0; k < i && !known; k++) known = launches[k].entry == launches[i].entry;
        if (known || !compiler_splits_kernel(x->programs->modules[launches[i].module].program, launches[i].entry->name,
                                             &x->cas->builds[build].settings))
            continue;
        list = list ? arena_format(x->arena, "%s, %s", list, launches[i].kernel) : launches[i].kernel;
    }
    return list;
}
