// SPDX-License-Identifier: Apache-2.0
// Runs the variants of a case: every variant in every mode starts from the same initial buffers; each module is
// compiled once per mode.
//
// Which compared elements were never written is found exactly, without watching stores. An element that ends with other
// bits than it began with was written. If some did not change, the variant runs once more with just those elements
// begun differently (their bits inverted): what now ends as it began was not written, for a store of a value that does
// not depend on the element's old contents cannot match both beginnings. A kernel that reads an element and stores that
// very value back both times counts as not writing it.
#include "diff/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- progress: one line on the terminal, overwritten ----------------------------------------------------------------

void fpd_show_progress(const FpdMachine *machine, const char *text) {
    if (machine->progress) fprintf(stderr, "\r\033[K%s", text);
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
static const HostRecord *argument_records(FpdMatrix *x, const FpdResolvedLaunch *resolved) {
    HostRecord *records = arena_array(x->arena, HostRecord, resolved->entry->parameter_count + 1);
    for (uint32_t a = 0; a < resolved->entry->parameter_count; a++) {
        const ProgramParameter *parameter = &resolved->entry->parameters[a];
        if (!parameter->pointer && element_is_float(parameter->type))
            records[a] = fpd_literal_record(x->cas, x->meanings, parameter->type, resolved->values[a].bits);
    }
    return records;
}

// What the launch notes about ops that unspecified values decide about, and what ops that decide ask.
static uint64_t *open_uses(FpdMatrix *x, const FpdRun *run, uint32_t launch, const KernelInfo *kernel) {
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
static const RtArgument *launch_arguments(FpdMatrix *x, const FpdResolvedLaunch *resolved, const KernelInfo *kernel,
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

static const char *const *parameter_names(FpdMatrix *x, const FpdResolvedLaunch *resolved) {
    const char **names = arena_array(x->arena, const char *, resolved->entry->parameter_count + 1u);
    for (uint32_t a = 0; a < resolved->entry->parameter_count; a++) names[a] = resolved->entry->parameters[a].name;
    return names;
}

static const uint32_t *parameter_arguments(FpdMatrix *x, const FpdResolvedLaunch *resolved) {
    uint32_t *numbers = arena_array(x->arena, uint32_t, resolved->entry->parameter_count + 1u);
    for (uint32_t a = 0; a < resolved->entry->parameter_count; a++) numbers[a] = resolved->values[a].argument;
    return numbers;
}

static const char *launch_label(const FpdMatrix *x, const FpdRun *run, uint32_t index) {
    const bool builds = fpd_run_builds(x->cas) > 1;
    const FpdVariant *owner = &x->cas->variants[run->variant];
    const bool reverse = x->programs->launches[run->variant][index].threads && x->settings->reverse;
    return arena_format(x->arena, "%s: variant %s (%s%s%s%s), launch %u of %u", x->cas->path, owner->name,
                        fpd_mode_name(run->mode), builds ? ", " : "", builds ? fpd_build_name(x->cas, run->build) : "",
                        reverse ? ", schedule reverse" : "", index + 1, owner->launch_count);
}

// A launch of a kernel of threads is one with threads beside it.
static bool launch_threads(FpdMatrix *x, Diagnostics *diagnostics, const FpdRun *run, uint32_t index,
                           RtLaunch *launch) {
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

static bool run_launch(FpdMatrix *x, Diagnostics *diagnostics, const FpdRun *run, uint32_t index,
                       uint32_t *store_base) {
    const FpdResolvedLaunch *resolved = &x->programs->launches[run->variant][index];
    const FpdVariant *owner = &x->cas->variants[run->variant];
    const KernelInfo *kernel = fpd_find_kernel(x, run, index);
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
                       .parameter_arguments = parameter_arguments(x, resolved),
                       .reached = fpd_reached_buffers(&addresses, resolved),
                       .reached_count = resolved->threads ? 0 : resolved->reached_count,
                       .store_base = *store_base,
                       .async_early = x->machine->async_early};
    RtFindings findings = {.arena = x->arena};
    if (kernel->memory_bytes && x->checks_parts && x->keeps_uses) launch.findings = &findings;
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
    fpd_show_progress(x->machine, label);
    KernelOutput output;
    RtRaces races;
    fpd_races_before(x->search, resolved, &launch, &races);
    open_output(&output, x->machine, label);
    if (run->trace && !resolved->threads) fpd_trace_clear(run->trace);
    bool good = resolved->threads ? launch_threads(x, diagnostics, run, index, &launch)
                                  : rt_launch(x->machine->device, diagnostics, &launch);
    keep_uses(run, kernel, launch.uses, launch.store_base);
    if (counts) fpd_keep_census(run, index, counts);
    if (launch.findings) fpd_keep_findings(x->arena, &launch, index, run->findings);
    close_output(&output);
    if (good && x->search) fpd_races_after(x->search, index, &launch, x->buffers);
    fpd_close_tables(&addresses, tables);
    return good;
}

typedef struct LaunchTimes {
    double wall, processor; // seconds; `processor` of all threads
} LaunchTimes;

// Runs all launches as the settings say, and fetches the compared buffers.
static bool run_launches(FpdMatrix *x, Diagnostics *diagnostics, const FpdRun *run, uint8_t **results,
                         LaunchTimes *times) {
    RtDevice *device = x->machine->device;
    uint32_t store_base = 0;
    if (run->trace) fpd_trace_begin(run->trace);
    if (x->keeps_uses) *run->findings = (FpdFindings){0}; // of an earlier run
    if (!fpd_begin_buffers(x, diagnostics, run)) return false;
    if (!fpd_fill_globals(diagnostics, device, x->programs, x->meanings, run->tower)) return false;
    const LaunchTimes start = {clock_wall_seconds(), clock_process_seconds()};
    for (uint32_t i = 0; i < x->cas->variants[run->variant].launch_count; i++)
        if (!run_launch(x, diagnostics, run, i, &store_base)) return false;
    *times = (LaunchTimes){clock_wall_seconds() - start.wall, clock_process_seconds() - start.processor};
    if (run->trace) fpd_trace_end(run->trace);
    for (uint32_t c = 0; c < x->cas->compare_count; c++) {
        uint32_t b = x->cas->compare[c];
        if (!rt_copy_out(device, diagnostics, x->buffers[b], 0, results[c], x->cas->buffers[b].bytes)) return false;
    }
    return true;
}

// The same with other settings, which the compiled code does not depend on. Silent: what kernels print was shown the
// first time.
static bool run_otherwise(FpdMatrix *x, Diagnostics *diagnostics, const FpdSettings *settings, const FpdRun *run,
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

static void fetch_records(FpdMatrix *x, FpdRun *run) {
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
static void find_unwritten(FpdMatrix *x, FpdRun *run) {
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
static bool run_to_the_end(FpdMatrix *x, FpdRun *run) {
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
static bool run_and_fetch(FpdMatrix *x, FpdRun *run) {
    const FpdCase *cas = x->cas;
    run->bytes = arena_array(x->arena, uint8_t *, cas->compare_count);
    run->warnings = arena_new(x->arena, FpdWarnings);
    run->unwritten_reads = arena_new(x->arena, FpdUnwritten);
    run->findings = arena_new(x->arena, FpdFindings);
    if (fpd_has_threads(x->programs, run->variant)) run->trace = fpd_open_trace(x->arena, cas, x->buffers);
    run->unwritten = arena_array(x->arena, uint64_t, cas->compare_count);
    run->first_unwritten = arena_array(x->arena, uint64_t, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++)
        run->bytes[c] = arena_alloc(x->arena, cas->buffers[cas->compare[c]].bytes);
    if ((run->tower && !fpd_collect_stores(x, run)) || !fpd_open_census(x, run)) return false;
    run->last_stores = fpd_collect_writers(x, run->variant);
    if (x->cas->build_count) { // reports name lines and kernels of builds only
        run->writers = run->last_stores;
        run->split = fpd_collect_split(x, run);
    }
    run->uses = x->machine->poison ? arena_array(x->arena, uint64_t, run->store_count + 1u) : NULL;
    run->use_origins = x->machine->poison ? arena_array(x->arena, uint32_t, run->store_count + 1u) : NULL;
    const FpdAddresses addresses = {x->arena, x->machine->device, cas, x->buffers};
    if (!run_to_the_end(x, run) ||
        !fpd_check_addresses(&addresses, x->diagnostics, x->programs, run->variant, run->bytes))
        return false;
    fpd_sort_census(run);
    if (run->has_records) fetch_records(x, run);
    return true;
}

static bool run_mode(FpdMatrix *x, FpdMode mode, bool judge, FpdRuns *runs) {
    const double start = clock_wall_seconds();
    FpdRun **own = arena_array(x->arena, FpdRun *, runs->run_count + 1u);
    uint32_t count = 0;
    for (uint32_t r = 0; r < runs->run_count; r++)
        if (runs->runs[r].mode == mode && !runs->runs[r].numbers_of) own[count++] = &runs->runs[r];
    if (!count) return true;
    if (!fpd_compile_runs(x, mode, count, own)) return false;
    runs->compile_seconds[mode] = clock_wall_seconds() - start;
    for (uint32_t r = 0; r < count; r++) {
        if (!run_and_fetch(x, own[r])) return false;
        if (judge && fpd_is_judged(x->cas, own[r]->arithmetic->question)) find_unwritten(x, own[r]);
    }
    return true;
}

// Device memory and meanings for these runs of the case; close_matrix is due also where it fails.
static bool open_matrix(FpdMatrix *x, bool again, uint32_t count, FpdRun *const *runs) {
    bool with_records = false;
    for (uint32_t r = 0; r < count; r++) with_records |= runs[r]->has_records;
    x->meanings = with_records ? fpd_chain_meanings(x->arena, x->cas) : NULL;
    x->overlaps = fpd_has_overlaps(x->programs);
    x->begins_inside = fpd_begins_inside(x->cas);
    return fpd_check_target(x->diagnostics, x->machine, x->cas) &&
           fpd_check_modules(x->diagnostics, x->machine, x->programs) &&
           fpd_check_memory(x->diagnostics, x->machine, x->programs, again, count, runs) &&
           (!with_records || fpd_open_shadow(x->diagnostics, x->machine)) && fpd_prepare_buffers(x) &&
           fpd_open_globals(x->diagnostics, x->arena, x->machine->device, x->programs);
}

static void close_matrix(FpdMatrix *x) {
    fpd_show_progress(x->machine, "");
    for (uint32_t b = 0; x->buffers && b < x->cas->buffer_count; b++)
        if (x->buffers[b]) rt_set_aside(x->machine->device, x->buffers[b]);
    fpd_close_globals(x->machine->device, x->programs);
    arena_reset(&x->beginnings);
    if (!x->machine->keep_compiled) fpd_close_compiled(x->machine, x->programs);
}

// ---- runs -----------------------------------------------------------------------------------------------------------

bool fpd_run_case(const FpdRunner *runner, bool judge, FpdRuns *runs) {
    const FpdCase *cas = runner->programs->cas;
    FpdMachine *machine = runner->machine;
    FpdSettings settings = fpd_plain_settings(machine, cas);
    FpdMatrix x = {.diagnostics = runner->diagnostics,
                   .arena = runner->arena,
                   .machine = machine,
                   .programs = runner->programs,
                   .cas = cas,
                   .settings = &settings,
                   .keeps_uses = true,
                   .checks_parts = true};
    x.looks_for_races = runs->races_checked = judge && machine->races && machine->target == FPD_TARGET_host;
    FpdRun **all = arena_array(x.arena, FpdRun *, runs->run_count + 1u);
    for (uint32_t r = 0; r < runs->run_count; r++) {
        runs->runs[r].settings = settings;
        all[r] = &runs->runs[r];
    }
    double start = clock_wall_seconds();
    x.programs->results = 0;
    bool good = open_matrix(&x, false, runs->run_count, all) && fpd_fill_and_keep(&x, runs->run_count, all);
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

bool fpd_run_again(const FpdRunner *runner, uint32_t count, FpdRun *const *runs) {
    const FpdSettings *settings = &runs[0]->settings;
    FpdMachine *machine = runner->machine;
    FpdCase cas = *runner->programs->cas;
    FpdPrograms again = *runner->programs;
    FpdMachine silent = *machine;
    cas.chain = fpd_run_chain(settings);
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
    FpdMatrix x = {.diagnostics = runner->diagnostics,
                   .arena = runner->arena,
                   .machine = &silent,
                   .programs = &again,
                   .cas = &cas,
                   .settings = settings,
                   .keeps_uses = true};
    bool good = open_matrix(&x, true, count, runs) && fpd_begin_as(&x, runner->programs->cas, runs[0]->beginnings);
    if (good) runner->programs->results += fpd_result_bytes(&cas, count, runs);
    for (int mode = 0; mode < FPD_MODE_COUNT && good; mode++) good = fpd_compile_runs(&x, (FpdMode)mode, count, runs);
    for (uint32_t r = 0; r < count && good; r++) good = run_and_fetch(&x, runs[r]);
    close_matrix(&x);
    machine->device = silent.device; // opened anew where it lacked shadow memory
    machine->shadow = silent.shadow;
    return good;
}
