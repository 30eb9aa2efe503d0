// SPDX-License-Identifier: Apache-2.0
// Runs the variants of a case: every variant in every mode starts from the same initial buffers; each module is
// compiled once per mode.
//
// Which compared elements were never written is found exactly, without watching stores. An element that ends with other
// bits than it began with was written. If some did not change, the variant runs once more with just those elements
// begun differently (their bits inverted): what now ends as it began was not written, for a store of a value that does
// not depend on the element's old contents cannot match both beginnings. A kernel that reads an element and stores that
// very value back both times counts as not writing it.
#include "diff/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a buffer held when a run began.
typedef struct Standing {
    const uint8_t *contents;
    const Tower *tower; // of the run
    bool drawn;         // payloads are
    uint64_t renewals;  // RtBuffer.renewals
    bool stands;        // it still holds that: no launch of the run may have written there
} Standing;

typedef struct Matrix {
    Diagnostics *diagnostics;
    Arena *arena;
    FpdMachine *machine;
    FpdPrograms *programs;
    const FpdCase *cas;
    Arena beginnings;             // of `initial`
    uint8_t *const *initial;      // per buffer
    RtBuffer **buffers;           // per buffer
    Standing *standing;           // per buffer
    const TowerMeaning *meanings; // profile tower
    const FpdSettings *settings;
    bool keeps_uses;              // of unspecified values, and what the census counts
    bool overlaps, begins_inside; // fpd_has_overlaps, fpd_begins_inside
    bool looks_for_races;
    FpdRaceSearch *search; // of the run; NULL: races are not looked for
} Matrix;

// ---- progress: one line on the terminal, overwritten ----------------------------------------------------------------

static void show_progress(const FpdMachine *machine, const char *text) {
    if (machine->progress) fprintf(stderr, "\r\033[K%s", text);
}

// ---- compiling ------------------------------------------------------------------------------------------------------

// Second runs that would share the code of plain ones, if those had no census, share it.
static bool takes_census(const Matrix *x, const FpdArithmetic *arithmetic) {
    const FpdSettings *settings = x->settings;
    if (x->machine->target != FPD_TARGET_host || settings->flips || settings->origins || settings->decisions ||
        settings->degrees || settings->signed_roots || settings->masks)
        return false;
    if (arithmetic->payloads == FPD_PAYLOADS_BESIDE) return x->machine->census != FPD_CENSUS_NONE;
    return x->machine->census == FPD_CENSUS_ALL && arithmetic->numeric == COMPILE_IEEE;
}

static CompileOptions compile_options(const Matrix *x, FpdMode mode, uint32_t build) {
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
                              // Code of degrees is for second runs only, which look for no races.
                              .races =
                                  x->machine->races && x->machine->target == FPD_TARGET_host && !x->settings->degrees};
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
static bool compile_build(Matrix *x, FpdMode mode, uint32_t build, uint32_t run_count, FpdRun *const *runs) {
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
    show_progress(x->machine, arena_format(x->arena, "compiling %u modules (%s)", count, name));
    const FpdCompileWork work = {modules, count, mode, build, &options};
    return fpd_compile_modules(x->diagnostics, x->arena, x->machine, &work);
}

static bool compile_runs(Matrix *x, FpdMode mode, uint32_t run_count, FpdRun *const *runs) {
    bool good = true;
    for (uint32_t build = 0; build <= x->cas->build_count && good; build++)
        good = compile_build(x, mode, build, run_count, runs);
    return good;
}

static const KernelInfo *find_kernel(const Matrix *x, const FpdRun *run, uint32_t index) {
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
static bool collect_stores(Matrix *x, FpdRun *run) {
    const FpdVariant *owner = &x->cas->variants[run->variant];
    size_t capacity = 0;
    FpdStore *stores = NULL;
    for (uint32_t i = 0; i < owner->launch_count; i++) {
        const FpdResolvedLaunch *launch = &x->programs->launches[run->variant][i];
        const KernelInfo *kernel = find_kernel(x, run, i);
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
static bool open_census(Matrix *x, FpdRun *run) {
    size_t capacity = 0;
    if (!takes_census(x, run->arithmetic)) return true;
    run->census = arena_new(x->arena, FpdCensusSite);
    for (uint32_t i = 0; i < x->cas->variants[run->variant].launch_count; i++) {
        const KernelInfo *kernel = find_kernel(x, run, i);
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

static void keep_census(const FpdRun *run, uint32_t launch, const KernelCensusCount *counts) {
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

// Who stores to each compared buffer, as the code says: integers have no records.
static const FpdStore *collect_writers(const Matrix *x, uint32_t variant) {
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
static const char *collect_split(const Matrix *x, const FpdRun *run) {
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

// ---- what kernels print ---------------------------------------------------------------------------------------------

// What one launch prints (print_tko), under a line that names the launch. Between open and close the device prints to
// the machine's output.
typedef struct KernelOutput {
    const FpdMachine *machine;
    const char *label;
    char last; // character; 0: nothing was printed
} KernelOutput;

static void write_kernel_text(void *data, const char *text, size_t size) {
    KernelOutput *output = data;
    if (!output->last) { // the first of this launch
        if (output->machine->progress) fprintf(stderr, "\r\033[K");
        fprintf(output->machine->output, "%s, prints:\n", output->label);
    }
    fwrite(text, 1, size, output->machine->output);
    output->last = text[size - 1] ? text[size - 1] : ' ';
}

static void open_output(KernelOutput *output, const FpdMachine *machine, const char *label) {
    *output = (KernelOutput){machine, label, 0};
    if (machine->output) rt_print_to(machine->device, write_kernel_text, output);
}

static void close_output(KernelOutput *output) {
    rt_print_to(output->machine->device, NULL, NULL);
    if (output->last && output->last != '\n') fputc('\n', output->machine->output);
    if (output->last) fflush(output->machine->output); // so that errors come after it
}

// ---- running --------------------------------------------------------------------------------------------------------

// The records of the float arguments.
static const HostRecord *argument_records(Matrix *x, const FpdResolvedLaunch *resolved) {
    HostRecord *records = arena_array(x->arena, HostRecord, resolved->entry->parameter_count + 1);
    for (uint32_t a = 0; a < resolved->entry->parameter_count; a++) {
        const ProgramParameter *parameter = &resolved->entry->parameters[a];
        if (!parameter->pointer && element_is_float(parameter->type))
            records[a] = fpd_literal_record(x->cas, x->meanings, parameter->type, resolved->values[a].bits);
    }
    return records;
}

// What the launch notes about ops that unspecified values decide about, and what ops that decide ask.
static uint64_t *open_uses(Matrix *x, const FpdRun *run, uint32_t launch, const KernelInfo *kernel) {
    FpdDecisions *decisions = x->settings->decisions;
    if (!decisions && (!x->keeps_uses || !run->uses)) return NULL;
    uint64_t *uses = arena_array(x->arena, uint64_t, kernel->store_count + 1u);
    memset(uses, 0xff, (kernel->store_count + 1u) * sizeof *uses);
    for (uint32_t i = 0; decisions && i < kernel->store_count; i++) {
        const FpdStore op = {kernel->stores[i], launch, x->programs->launches[run->variant][launch].kernel};
        if (op.by.decides) uses[i] = (uintptr_t)fpd_decider(decisions, &op);
    }
    return uses;
}

static void keep_uses(const FpdRun *run, const KernelInfo *kernel, const uint64_t *uses, uint32_t first) {
    for (uint32_t i = 0; uses && run->uses && i < kernel->store_count; i++) {
        if (uses[i] == UINT64_MAX || kernel->stores[i].decides) continue;
        run->uses[first + i] = (uses[i] >> HOST_USE_ORIGIN_BITS) + 1;
        run->use_origins[first + i] = (uint32_t)(uses[i] & ((1u << HOST_USE_ORIGIN_BITS) - 1));
    }
}

// One for each parameter, except of kernels of threads, then one for each global.
// `table`: the tables of its lists, in order.
static const RtArgument *launch_arguments(Matrix *x, const FpdResolvedLaunch *resolved, const KernelInfo *kernel,
                                          RtBuffer **table) {
    const uint32_t count = resolved->threads ? 0 : resolved->entry->parameter_count;
    RtArgument *arguments = arena_array(x->arena, RtArgument, (size_t)count + kernel->global_count + 1);
    for (uint32_t a = 0; a < count; a++) {
        const FpdValue *value = &resolved->values[a];
        RtBuffer *buffer = value->list ? *table++ : value->pointer ? x->buffers[value->buffer] : NULL;
        arguments[a] = (RtArgument){buffer ? buffer->address + value->offset : value->bits, buffer};
    }
    for (uint32_t g = 0; g < kernel->global_count; g++) {
        RtBuffer *memory = x->programs->modules[resolved->module].globals[g].memory;
        arguments[count + g] = (RtArgument){memory->address, memory};
    }
    return arguments;
}

static const char *const *parameter_names(Matrix *x, const FpdResolvedLaunch *resolved) {
    const char **names = arena_array(x->arena, const char *, resolved->entry->parameter_count + 1u);
    for (uint32_t a = 0; a < resolved->entry->parameter_count; a++) names[a] = resolved->entry->parameters[a].name;
    return names;
}

static const char *launch_label(const Matrix *x, const FpdRun *run, uint32_t index) {
    const bool builds = fpd_run_builds(x->cas) > 1;
    const FpdVariant *owner = &x->cas->variants[run->variant];
    const bool reverse = x->programs->launches[run->variant][index].threads && x->settings->reverse;
    return arena_format(x->arena, "%s: variant %s (%s%s%s%s), launch %u of %u", x->cas->path, owner->name,
                        fpd_mode_name(run->mode), builds ? ", " : "", builds ? fpd_build_name(x->cas, run->build) : "",
                        reverse ? ", schedule reverse" : "", index + 1, owner->launch_count);
}

// A launch of a kernel of threads is one with threads beside it.
static bool launch_threads(Matrix *x, Diagnostics *diagnostics, const FpdRun *run, uint32_t index, RtLaunch *launch) {
    const FpdResolvedLaunch *resolved = &x->programs->launches[run->variant][index];
    FpdThreadLaunch opened;
    Diagnostics warnings = {0};
    RtUnwritten unwritten = {0};
    bool good = fpd_open_threads(&opened, diagnostics, x->machine->device, resolved, launch->kernel, x->buffers);
    opened.threads.reverse = x->settings->reverse;
    opened.threads.rounds = x->machine->iterations;
    opened.threads.check_fences = x->machine->check_fences;
    opened.threads.unspecified = x->settings->unspecified >= COMPILE_RANDOM ? 1 + x->settings->other_values : 0;
    opened.threads.unwritten = &unwritten;
    if (run->trace)
        fpd_trace_launch(run->trace, launch->kernel, launch->name ? launch->name : launch->kernel->name, index,
                         &opened.threads);
    launch->threads = &opened.threads;
    launch->warnings = &warnings;
    good = good && rt_launch(x->machine->device, diagnostics, launch);
    fpd_keep_warnings(x->arena, launch->label, index, &warnings, run->warnings);
    if (good) fpd_keep_unwritten(x->arena, launch->kernel, resolved->kernel, index, &unwritten, run->unwritten_reads);
    diagnostics_close(&warnings);
    fpd_close_threads(&opened);
    return good;
}

static bool run_launch(Matrix *x, Diagnostics *diagnostics, const FpdRun *run, uint32_t index, uint32_t *store_base) {
    const FpdResolvedLaunch *resolved = &x->programs->launches[run->variant][index];
    const FpdVariant *owner = &x->cas->variants[run->variant];
    const KernelInfo *kernel = find_kernel(x, run, index);
    if (!kernel) return false;
    const FpdAddresses addresses = {x->arena, x->machine->device, x->cas, x->buffers};
    RtBuffer **tables = fpd_open_tables(&addresses, diagnostics, resolved);
    if (!tables) return false;
    const char *label = launch_label(x, run, index);
    const uint32_t *grid = owner->launches[index].grid;
    RtLaunch launch = {.label = label,
                       .kernel = kernel,
                       .name = resolved->kernel,
                       .grid = {grid[0], grid[1], grid[2]},
                       .arguments = launch_arguments(x, resolved, kernel, tables),
                       .parameter_names = parameter_names(x, resolved),
                       .reached = fpd_reached_buffers(&addresses, resolved),
                       .reached_count = resolved->threads ? 0 : resolved->reached_count,
                       .store_base = *store_base};
    if (run->tower) {
        launch.argument_records = argument_records(x, resolved);
        launch.uses = open_uses(x, run, index, kernel);
        // Of several origins the same one, and decisions in the same order, however many threads there are.
        launch.in_order = x->settings->origins || x->settings->decisions;
        *store_base += kernel->store_count;
    }
    KernelCensusCount *counts = NULL;
    if (run->census && x->keeps_uses && kernel->census_sites)
        launch.census = counts = arena_array(x->arena, KernelCensusCount, kernel->census_site_count + 1u);
    show_progress(x->machine, label);
    KernelOutput output;
    RtRaces races;
    fpd_races_before(x->search, resolved, &launch, &races);
    open_output(&output, x->machine, label);
    if (run->trace && !resolved->threads) fpd_trace_clear(run->trace);
    bool good = resolved->threads ? launch_threads(x, diagnostics, run, index, &launch)
                                  : rt_launch(x->machine->device, diagnostics, &launch);
    keep_uses(run, kernel, launch.uses, launch.store_base);
    if (counts) keep_census(run, index, counts);
    close_output(&output);
    if (good && x->search) fpd_races_after(x->search, index, &launch, x->buffers);
    fpd_close_tables(&addresses, tables);
    return good;
}

typedef struct LaunchTimes {
    double wall, processor; // seconds; `processor` of all threads
} LaunchTimes;

static Standing beginning_of(const Matrix *x, const FpdRun *run, uint32_t b) {
    uint8_t *const *contents = x->settings->contents ? x->settings->contents : x->initial;
    const bool drawn = run->tower && x->settings->drawn && x->settings->drawn[b];
    return (Standing){contents[b], run->tower, drawn, x->buffers[b]->renewals, false};
}

static bool holds_already(const Matrix *x, const FpdRun *run, uint32_t b) {
    const Standing wanted = beginning_of(x, run, b), *is = &x->standing[b];
    return is->stands && is->contents == wanted.contents && is->tower == wanted.tower && is->drawn == wanted.drawn &&
           is->renewals == wanted.renewals;
}

static bool begin_buffer(const Matrix *x, Diagnostics *diagnostics, const FpdRun *run, uint32_t b) {
    RtDevice *device = x->machine->device;
    const FpdAddresses addresses = {x->arena, device, x->cas, x->buffers};
    const FpdBuffer *buffer = &x->cas->buffers[b];
    const Standing begins = beginning_of(x, run, b);
    rt_renew(device, x->buffers[b]);
    if (!rt_copy_in(device, diagnostics, x->buffers[b], 0, begins.contents, buffer->bytes) ||
        !fpd_put_addresses(&addresses, diagnostics, b))
        return false;
    if (run->tower && fpd_leaves_unfilled(x->machine, x->cas, b))
        rt_leave_unfilled(device, x->buffers[b], FPD_ORIGIN_BUFFER + b);
    if (run->tower && buffer->literal)
        fpd_put_literals(x->cas, x->meanings, buffer, device, x->buffers[b], begins.contents);
    if (begins.drawn) fpd_put_drawn(x->cas, b, run->tower, device, x->buffers[b], begins.contents);
    return true;
}

// What an earlier run left is gone, unless it is what this one begins with.
static bool begin_buffers(const Matrix *x, Diagnostics *diagnostics, const FpdRun *run) {
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
        const bool holds = holds_already(x, run, b);
        x->standing[b].stands = false;
        if (!holds && !begin_buffer(x, diagnostics, run, b)) return false;
        x->standing[b] = beginning_of(x, run, b);
    }
    return true;
}

// After the launches of a run, none of which failed. Contents that are not those of the case do not last.
static void note_standing(const Matrix *x, const FpdRun *run) {
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
        Standing *is = &x->standing[b];
        is->stands = is->contents == x->initial[b] && is->renewals == x->buffers[b]->renewals &&
                     !fpd_leaves_unfilled(x->machine, x->cas, b);
        for (uint32_t i = 0; i < x->cas->variants[run->variant].launch_count && is->stands; i++)
            is->stands = !fpd_launch_use(x->programs, run->variant, i, b).writes;
    }
}

// Runs all launches as the settings say, and fetches the compared buffers.
static bool run_launches(Matrix *x, Diagnostics *diagnostics, const FpdRun *run, uint8_t **results,
                         LaunchTimes *times) {
    RtDevice *device = x->machine->device;
    uint32_t store_base = 0;
    if (run->trace) fpd_trace_begin(run->trace);
    if (!begin_buffers(x, diagnostics, run)) return false;
    if (!fpd_fill_globals(diagnostics, device, x->programs, x->meanings, run->tower)) return false;
    const LaunchTimes start = {clock_wall_seconds(), clock_process_seconds()};
    for (uint32_t i = 0; i < x->cas->variants[run->variant].launch_count; i++)
        if (!run_launch(x, diagnostics, run, i, &store_base)) return false;
    *times = (LaunchTimes){clock_wall_seconds() - start.wall, clock_process_seconds() - start.processor};
    note_standing(x, run);
    if (run->trace) fpd_trace_end(run->trace);
    for (uint32_t c = 0; c < x->cas->compare_count; c++) {
        uint32_t b = x->cas->compare[c];
        if (!rt_copy_out(device, diagnostics, x->buffers[b], 0, results[c], x->cas->buffers[b].bytes)) return false;
    }
    return true;
}

// The same with other settings, which the compiled code does not depend on. Silent: what kernels print was shown the
// first time.
static bool run_otherwise(Matrix *x, Diagnostics *diagnostics, const FpdSettings *settings, const FpdRun *run,
                          uint8_t **results) {
    const FpdSettings *before = x->settings;
    LaunchTimes times;
    x->keeps_uses = false;
    FILE *output = x->machine->output;
    x->settings = settings;
    x->machine->output = NULL;
    bool good = run_launches(x, diagnostics, run, results, &times);
    x->settings = before;
    x->keeps_uses = true;
    x->machine->output = output;
    return good;
}

static void fetch_records(Matrix *x, FpdRun *run) {
    run->records = arena_array(x->arena, HostRecord *, x->cas->compare_count);
    for (uint32_t c = 0; c < x->cas->compare_count; c++) {
        uint32_t b = x->cas->compare[c];
        if (fpd_has_records(x->cas->buffers[b].type) || x->machine->poison)
            run->records[c] = fpd_get_records(x->arena, &x->cas->buffers[b], x->machine->device, x->buffers[b]);
    }
    run->shadow_bytes = rt_shadow_bytes(x->machine->device);
}

// Copies `before` to `to` with the bits of every element inverted that is the same in `after` and has no record (which
// may be NULL) of a store; returns how many.
static uint64_t invert_unchanged(const FpdBuffer *buffer, const uint8_t *before, const uint8_t *after,
                                 const HostRecord *records, uint8_t *to) {
    uint64_t count = 0, used = element_info(buffer->type)->used;
    memcpy(to, before, buffer->bytes);
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t bits = fpd_element_bits(buffer->type, before, i);
        if (bits != fpd_element_bits(buffer->type, after, i) || (records && fpd_was_stored(&records[i]))) continue;
        fpd_element_set(buffer->type, to, i, bits ^ used);
        count++;
    }
    return count;
}

// What a buffer holds before and after a run.
typedef struct Contents {
    const uint8_t *before, *after; // after: NULL where it failed
} Contents;

static bool is_unchanged(const FpdBuffer *buffer, Contents contents, uint64_t index) {
    return contents.after && fpd_element_bits(buffer->type, contents.before, index) ==
                                 fpd_element_bits(buffer->type, contents.after, index);
}

static void count_unwritten(const FpdBuffer *buffer, Contents plain, Contents again, uint32_t c, FpdRun *run) {
    const HostRecord *records = run->records ? run->records[c] : NULL;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        if (!is_unchanged(buffer, plain, i) || (records && fpd_was_stored(&records[i]))) continue;
        if (again.after && !is_unchanged(buffer, again, i)) continue;
        if (!run->unwritten[c]++) run->first_unwritten[c] = i;
    }
}

// If the second run fails (the kernel used the element to address memory), elements that did not change count as not
// written.
static void find_unwritten(Matrix *x, FpdRun *run) {
    const FpdCase *cas = x->cas;
    Arena scratch = {0};
    Diagnostics ignored = {0};
    uint64_t unchanged = 0;
    uint8_t **contents = arena_array(&scratch, uint8_t *, cas->buffer_count),
            **results = arena_array(&scratch, uint8_t *, cas->compare_count);
    for (uint32_t b = 0; b < cas->buffer_count; b++) contents[b] = x->initial[b];
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        contents[cas->compare[c]] = arena_alloc(&scratch, buffer->bytes);
        results[c] = arena_alloc(&scratch, buffer->bytes);
        if (run->tower && fpd_leaves_unfilled(x->machine, cas, cas->compare[c])) {
            memcpy(contents[cas->compare[c]], x->initial[cas->compare[c]], buffer->bytes);
            continue; // what was not written is unspecified
        }
        unchanged += invert_unchanged(buffer, x->initial[cas->compare[c]], run->bytes[c],
                                      run->records ? run->records[c] : NULL, contents[cas->compare[c]]);
    }
    if (unchanged) {
        FpdSettings settings = *x->settings;
        settings.contents = contents;
        bool ran = run_otherwise(x, &ignored, &settings, run, results);
        for (uint32_t c = 0; c < cas->compare_count; c++) {
            uint32_t b = cas->compare[c];
            if (run->tower && fpd_leaves_unfilled(x->machine, cas, b)) continue; // it is unspecified
            const Contents plain = {x->initial[b], run->bytes[c]}, again = {contents[b], ran ? results[c] : NULL};
            count_unwritten(&cas->buffers[b], plain, again, c, run);
        }
    }
    diagnostics_close(&ignored);
    arena_reset(&scratch);
}

// Where launches turn out to need an order for their blocks, the variant runs again; each time there are more of them.
// Those that may race in another order only run in that one before.
static bool run_to_the_end(Matrix *x, FpdRun *run) {
    FpdRaceSearch search = {.arena = x->arena, .programs = x->programs, .run = run};
    FILE *output = x->machine->output;
    Diagnostics ignored = {0};
    LaunchTimes times;
    bool good;
    if (x->looks_for_races) x->search = &search;
    do {
        search.again = search.back = false;
        fpd_races_forget(&search);
        good = run_launches(x, x->diagnostics, run, run->bytes, &times);
        x->machine->output = NULL; // what kernels print was shown the first time
    } while (good && search.again);
    if (good) run->seconds = times.wall;
    if (good) run->processor_seconds = times.processor;
    if (good && search.back) { // and what was found first stays
        search.backwards = true;
        run_launches(x, &ignored, run, run->bytes, &times);
        search.backwards = false;
        x->search = NULL;
        good = run_launches(x, x->diagnostics, run, run->bytes, &times);
    }
    diagnostics_close(&ignored);
    x->machine->output = output;
    x->search = NULL;
    return good;
}

// A run whose modules are compiled.
static bool run_and_fetch(Matrix *x, FpdRun *run) {
    const FpdCase *cas = x->cas;
    run->bytes = arena_array(x->arena, uint8_t *, cas->compare_count);
    run->warnings = arena_new(x->arena, FpdWarnings);
    run->unwritten_reads = arena_new(x->arena, FpdUnwritten);
    if (fpd_has_threads(x->programs, run->variant)) run->trace = fpd_open_trace(x->arena, cas, x->buffers);
    run->unwritten = arena_array(x->arena, uint64_t, cas->compare_count);
    run->first_unwritten = arena_array(x->arena, uint64_t, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++)
        run->bytes[c] = arena_alloc(x->arena, cas->buffers[cas->compare[c]].bytes);
    if ((run->tower && !collect_stores(x, run)) || !open_census(x, run)) return false;
    run->last_stores = collect_writers(x, run->variant);
    if (x->cas->build_count) { // reports name lines and kernels of builds only
        run->writers = run->last_stores;
        run->split = collect_split(x, run);
    }
    run->uses = x->machine->poison ? arena_array(x->arena, uint64_t, run->store_count + 1u) : NULL;
    run->use_origins = x->machine->poison ? arena_array(x->arena, uint32_t, run->store_count + 1u) : NULL;
    const FpdAddresses addresses = {x->arena, x->machine->device, cas, x->buffers};
    if (!run_to_the_end(x, run) ||
        !fpd_check_addresses(&addresses, x->diagnostics, x->programs, run->variant, run->bytes))
        return false;
    if (run->census_count) qsort(run->census, run->census_count, sizeof *run->census, compare_sites);
    if (run->has_records) fetch_records(x, run);
    return true;
}

static bool run_mode(Matrix *x, FpdMode mode, bool judge, FpdRuns *runs) {
    const double start = clock_wall_seconds();
    FpdRun **own = arena_array(x->arena, FpdRun *, runs->run_count + 1u);
    uint32_t count = 0;
    for (uint32_t r = 0; r < runs->run_count; r++)
        if (runs->runs[r].mode == mode && !runs->runs[r].numbers_of) own[count++] = &runs->runs[r];
    if (!count) return true;
    if (!compile_runs(x, mode, count, own)) return false;
    runs->compile_seconds[mode] = clock_wall_seconds() - start;
    for (uint32_t r = 0; r < count; r++) {
        if (!run_and_fetch(x, own[r])) return false;
        if (judge && fpd_is_judged(x->cas, own[r]->arithmetic->question)) find_unwritten(x, own[r]);
    }
    return true;
}

static bool fill_initial(Matrix *x, Arena *arena) {
    uint8_t **initial = arena_array(arena, uint8_t *, x->cas->buffer_count);
    x->initial = initial;
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
        initial[b] = arena_alloc(arena, x->cas->buffers[b].bytes);
        if (!fpd_fill_initial(x->diagnostics, x->machine, x->cas, b, x->settings->unspecified, initial[b]))
            return false;
    }
    return true;
}

// The same for second runs, if it takes little memory.
static bool fill_and_keep(Matrix *x, uint32_t count, FpdRun *const *runs) {
    const uint64_t bytes_max = 64 << 20;
    uint64_t bytes = 0;
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) bytes += x->cas->buffers[b].bytes;
    if (bytes > bytes_max) return fill_initial(x, &x->beginnings);
    FpdBeginnings *kept = arena_new(x->arena, FpdBeginnings);
    if (!fill_initial(x, x->arena)) return false;
    *kept = (FpdBeginnings){x->cas, x->settings->unspecified, x->initial};
    for (uint32_t r = 0; r < count; r++) runs[r]->beginnings = kept;
    return true;
}

static bool begin_as(Matrix *x, const FpdCase *cas, const FpdBeginnings *kept) {
    if (!kept || kept->cas != cas || kept->unspecified != x->settings->unspecified)
        return fill_initial(x, &x->beginnings);
    x->initial = kept->bytes;
    return true;
}

static bool prepare_buffers(Matrix *x) {
    x->buffers = arena_array(x->arena, RtBuffer *, x->cas->buffer_count);
    x->standing = arena_array(x->arena, Standing, x->cas->buffer_count + 1u);
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
        const FpdBuffer *buffer = &x->cas->buffers[b];
        x->buffers[b] = rt_take(x->machine->device, x->diagnostics, buffer->bytes);
        if (!x->buffers[b]) return false;
        x->buffers[b]->name = buffer->name; // for messages
    }
    rt_free_aside(x->machine->device); // those of another case
    return true;
}

// Device memory and meanings for these runs of the case; close_matrix is due also where it fails.
static bool open_matrix(Matrix *x, bool again, uint32_t count, FpdRun *const *runs) {
    bool with_records = false;
    for (uint32_t r = 0; r < count; r++) with_records |= runs[r]->has_records;
    x->meanings = with_records ? fpd_chain_meanings(x->arena, x->cas) : NULL;
    x->overlaps = fpd_has_overlaps(x->programs);
    x->begins_inside = fpd_begins_inside(x->cas);
    return fpd_check_target(x->diagnostics, x->machine, x->cas) &&
           fpd_check_modules(x->diagnostics, x->machine, x->programs) &&
           fpd_check_memory(x->diagnostics, x->machine, x->programs, again, count, runs) &&
           (!with_records || fpd_open_shadow(x->diagnostics, x->machine)) && prepare_buffers(x) &&
           fpd_open_globals(x->diagnostics, x->arena, x->machine->device, x->programs);
}

static void close_matrix(Matrix *x) {
    show_progress(x->machine, "");
    for (uint32_t b = 0; x->buffers && b < x->cas->buffer_count; b++)
        if (x->buffers[b]) rt_set_aside(x->machine->device, x->buffers[b]);
    fpd_close_globals(x->machine->device, x->programs);
    arena_reset(&x->beginnings);
    if (!x->machine->keep_compiled) fpd_close_compiled(x->machine, x->programs);
}

FpdSettings fpd_plain_settings(const FpdMachine *machine, const FpdCase *cas) {
    return (FpdSettings){.chain = cas->chain,
                         .unspecified = cas->allow_unspecified ? COMPILE_ZEROS : machine->unspecified,
                         .reverse = machine->schedule == FPD_SCHEDULE_REVERSE};
}

unsigned fpd_deep_chain(unsigned chain) {
    return chain % TOWER_DEEP_CHAINS;
}

// ---- runs -----------------------------------------------------------------------------------------------------------

static unsigned chain_of(const FpdSettings *settings) {
    if (settings->degrees) return TOWER_DEGREES;
    if (settings->deep) return TOWER_DEEP + fpd_deep_chain(settings->chain);
    return settings->chain + (settings->signed_roots ? TOWER_CHAINS : 0);
}

// A run like `run`: its variant, build and mode.
static FpdRun planned_run(const FpdRun *run, const FpdArithmetic *arithmetic, const FpdSettings *settings) {
    const bool beside = arithmetic->payloads == FPD_PAYLOADS_BESIDE;
    return (FpdRun){.variant = run->variant,
                    .build = run->build,
                    .mode = run->mode,
                    .arithmetic = arithmetic,
                    .settings = *settings,
                    .tower = beside ? tower_chain(chain_of(settings)) : NULL,
                    .has_records = beside || !fpd_mode_is_compared(run->mode)};
}

FpdRuns fpd_plan_runs(Arena *arena, const FpdCase *cas, uint32_t modes, int variant) {
    const FpdSettings settings = {.chain = cas->chain}; // the machine says the rest
    const uint32_t builds = fpd_run_builds(cas), each = builds * cas->variant_count;
    FpdRuns runs = {.runs = arena_array(arena, FpdRun, (size_t)cas->mode_count * each + 1u)};
    for (uint32_t m = 0; m < cas->mode_count; m++)
        for (uint32_t i = 0; i < each; i++) {
            const FpdRun run = {
                .variant = i % cas->variant_count, .build = i / cas->variant_count, .mode = cas->modes[m]};
            if (modes >> run.mode & 1 && (variant == FPD_ALL_VARIANTS || (uint32_t)variant == run.variant))
                runs.runs[runs.run_count++] = planned_run(&run, fpd_arithmetic(cas->family, run.mode), &settings);
        }
    for (uint32_t r = 0; r < runs.run_count; r++) {
        FpdRun *run = &runs.runs[r];
        if (run->arithmetic->numbers_of != run->mode)
            run->numbers_of = fpd_find_build_run(&runs, run->arithmetic->numbers_of, run->variant, run->build);
    }
    return runs;
}

FpdRun *fpd_find_build_run(const FpdRuns *runs, FpdMode mode, uint32_t variant, uint32_t build) {
    for (uint32_t r = 0; r < runs->run_count; r++) {
        FpdRun *run = &runs->runs[r];
        if (run->mode == mode && run->variant == variant && run->build == build) return run;
    }
    return NULL;
}

FpdRun *fpd_find_run(const FpdRuns *runs, FpdMode mode, uint32_t variant) {
    return fpd_find_build_run(runs, mode, variant, 0);
}

// It took no time of its own.
void fpd_share_numbers(FpdRun *run) {
    const FpdRun *from = run->numbers_of;
    run->bytes = from->bytes;
    run->unwritten = from->unwritten;
    run->first_unwritten = from->first_unwritten;
    run->race_count = from->race_count;
    run->races = from->races;
    run->races_incomplete = from->races_incomplete;
    run->writers = from->writers;
    run->last_stores = from->last_stores;
    run->split = from->split;
}

bool fpd_run_case(const FpdRunner *runner, bool judge, FpdRuns *runs) {
    const FpdCase *cas = runner->programs->cas;
    FpdMachine *machine = runner->machine;
    FpdSettings settings = fpd_plain_settings(machine, cas);
    Matrix x = {.diagnostics = runner->diagnostics,
                .arena = runner->arena,
                .machine = machine,
                .programs = runner->programs,
                .cas = cas,
                .settings = &settings,
                .keeps_uses = true};
    x.looks_for_races = runs->races_checked = judge && machine->races && machine->target == FPD_TARGET_host;
    FpdRun **all = arena_array(x.arena, FpdRun *, runs->run_count + 1u);
    for (uint32_t r = 0; r < runs->run_count; r++) {
        runs->runs[r].settings = settings;
        all[r] = &runs->runs[r];
    }
    double start = clock_wall_seconds();
    x.programs->results = 0;
    bool good = open_matrix(&x, false, runs->run_count, all) && fill_and_keep(&x, runs->run_count, all);
    runs->fill_seconds = clock_wall_seconds() - start;
    x.programs->results = fpd_result_bytes(cas, runs->run_count, all);
    runs->tiles = arena_array(x.arena, ProgramUse, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++) runs->tiles[c] = fpd_stored_tile(x.programs, 0, cas->compare[c]);
    for (uint32_t m = 0; m < cas->mode_count && good; m++) good = run_mode(&x, cas->modes[m], judge, runs);
    for (uint32_t r = 0; r < runs->run_count && good; r++)
        if (runs->runs[r].numbers_of) fpd_share_numbers(&runs->runs[r]);
    close_matrix(&x);
    return good;
}

FpdRun *fpd_plan_again(Arena *arena, const FpdRun *plain, const FpdSettings *settings) {
    FpdRun *run = arena_new(arena, FpdRun);
    *run = planned_run(plain, plain->arithmetic, settings);
    run->beginnings = plain->beginnings;
    return run;
}

bool fpd_run_again(const FpdRunner *runner, uint32_t count, FpdRun *const *runs) {
    const FpdSettings *settings = &runs[0]->settings;
    FpdMachine *machine = runner->machine;
    FpdCase cas = *runner->programs->cas;
    FpdPrograms again = *runner->programs;
    FpdMachine silent = *machine;
    cas.chain = chain_of(settings);
    again.cas = &cas;
    again.modules = arena_array(runner->arena, FpdModule, again.module_count + 1u); // compiled anew
    for (uint32_t m = 0; m < again.module_count; m++) {
        const FpdModule *module = &runner->programs->modules[m];
        again.modules[m] = (FpdModule){.path = module->path, .program = module->program, .launched = module->launched};
        fpd_module_reserve(runner->arena, &cas, &again.modules[m]);
    }
    silent.output = NULL; // what kernels print was shown the first time
    silent.keep_compiled = false;
    if (!silent.iterations) silent.iterations = settings->iterations;
    Matrix x = {.diagnostics = runner->diagnostics,
                .arena = runner->arena,
                .machine = &silent,
                .programs = &again,
                .cas = &cas,
                .settings = settings,
                .keeps_uses = true};
    bool good = open_matrix(&x, true, count, runs) && begin_as(&x, runner->programs->cas, runs[0]->beginnings);
    if (good) runner->programs->results += fpd_result_bytes(&cas, count, runs);
    for (int mode = 0; mode < FPD_MODE_COUNT && good; mode++) good = compile_runs(&x, (FpdMode)mode, count, runs);
    for (uint32_t r = 0; r < count && good; r++) good = run_and_fetch(&x, runs[r]);
    close_matrix(&x);
    machine->device = silent.device; // opened anew where it lacked shadow memory
    machine->shadow = silent.shadow;
    return good;
}
