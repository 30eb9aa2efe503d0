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
#include <string.h>
#include <time.h>

typedef struct Matrix {
    Diagnostics *diagnostics;
    Arena *arena;
    FpdMachine *machine;
    FpdProgram *program;
    const FpdCase *cas;
    uint8_t **initial;            // per buffer
    RtBuffer **buffers;           // per buffer
    const TowerMeaning *meanings; // profile tower
    const FpdSettings *settings;
    FpdRun *run; // whose uses of unspecified values are wanted, or NULL
    bool looks_for_races;
    FpdRaceSearch *search; // of the variant that runs; NULL: races are not looked for
} Matrix;

// Whether runs in the mode have payloads beside the numbers.
static bool is_shadow(const Matrix *x, FpdMode mode) {
    return x->cas->tower && fpd_mode_is_payload(mode);
}

static double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// ---- progress: one line on the terminal, overwritten

static void show_progress(const FpdMachine *machine, const char *text) {
    if (machine->progress) fprintf(stderr, "\r\033[K%s", text);
}

// ---- compiling

static const CompileNumeric mode_numerics[FPD_MODE_COUNT] = {
#define MODE(name, numeric, payload, meaning) numeric,
#include "diff/modes.def"
#undef MODE
};

static CompileOptions compile_options(const Matrix *x, FpdMode mode) {
    CompileOptions options = {.numeric = mode_numerics[mode],
                              .cpu = x->machine->cpu,
                              .gpu = x->machine->gpu,
                              .simt = x->machine->target == FPD_TARGET_simt,
                              .optimize = x->machine->optimize,
                              .rounds = x->machine->rounds,
                              .check_assume = x->machine->check_assume,
                              .outside_tiles = x->machine->outside_tiles,
                              .unspecified = x->settings->unspecified,
                              .poison = x->machine->poison && !x->cas->allow_unspecified,
                              .races = x->machine->races && x->machine->target == FPD_TARGET_host};
    if (is_shadow(x, mode)) {
        options.numeric = COMPILE_SHADOW;
        options.chain = x->cas->chain;
        options.flips = x->settings->flips;
        options.meanings = x->meanings;
        options.meaning_count = x->cas->meaning_count;
        options.masks = x->settings->masks;
        options.origins = x->settings->origins;
    } else {
        options.instrumentation =
            (FpsanInstrumentation){.enabled = fpd_mode_is_payload(mode), .algebra = x->cas->algebra};
    }
    return options;
}

// The modules of the variants that are not compiled in that mode yet, each once.
static bool compile_variants(Matrix *x, FpdMode mode, const bool *variants) {
    CompileOptions options = compile_options(x, mode);
    FpdModule **modules = arena_array(x->arena, FpdModule *, x->program->module_count + 1u);
    bool *wanted = arena_array(x->arena, bool, x->program->module_count + 1u);
    uint32_t count = 0;
    for (uint32_t v = 0; v < x->cas->variant_count; v++)
        for (uint32_t i = 0; i < x->cas->variants[v].launch_count; i++)
            if (variants[v]) wanted[x->program->launches[v][i].module] = true;
    for (uint32_t m = 0; m < x->program->module_count; m++)
        if (wanted[m] && !x->program->modules[m].compiled[mode]) modules[count++] = &x->program->modules[m];
    show_progress(x->machine, arena_format(x->arena, "compiling %u modules (%s)", count, fpd_mode_name(mode)));
    return fpd_compile_modules(x->diagnostics, x->arena, x->machine, modules, count, mode, &options);
}

static const KernelInfo *find_kernel(const Matrix *x, const FpdResolvedLaunch *launch, FpdMode mode) {
    const FpdModule *module = &x->program->modules[launch->module];
    const CompiledModule *compiled = module->compiled[mode];
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
static bool collect_stores(Matrix *x, uint32_t variant, FpdMode mode, FpdRun *run) {
    const FpdVariant *owner = &x->cas->variants[variant];
    size_t capacity = 0;
    FpdStore *stores = NULL;
    for (uint32_t i = 0; i < owner->launch_count; i++) {
        const FpdResolvedLaunch *launch = &x->program->launches[variant][i];
        const KernelInfo *kernel = find_kernel(x, launch, mode);
        if (!kernel) return false;
        for (uint32_t s = 0; s < kernel->store_count; s++) {
            FpdStore store = {.op = arena_keep(x->arena, kernel->stores[s].op),
                              .at = location_keep(x->arena, kernel->stores[s].at),
                              .unspecified = arena_keep(x->arena, kernel->stores[s].unspecified),
                              .passed_on = kernel->stores[s].passed_on,
                              .launch = i,
                              .kernel = launch->kernel};
            stores = arena_grow(x->arena, stores, run->store_count, &capacity, sizeof store);
            stores[run->store_count++] = store;
        }
    }
    run->stores = stores;
    return true;
}

// ---- running

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

// What the launch notes about ops that unspecified values decide about.
static uint64_t *open_uses(Matrix *x, uint32_t count) {
    if (!x->run || !x->run->uses) return NULL;
    uint64_t *uses = arena_array(x->arena, uint64_t, count + 1u);
    memset(uses, 0xff, (count + 1u) * sizeof *uses);
    return uses;
}

static void keep_uses(Matrix *x, const uint64_t *uses, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; uses && i < count; i++) {
        if (uses[i] == UINT64_MAX) continue;
        x->run->uses[first + i] = (uses[i] >> HOST_USE_ORIGIN_BITS) + 1;
        x->run->use_origins[first + i] = (uint32_t)(uses[i] & ((1u << HOST_USE_ORIGIN_BITS) - 1));
    }
}

static bool run_launch(Matrix *x, Diagnostics *diagnostics, uint32_t variant, uint32_t index, FpdMode mode,
                       uint32_t *store_base) {
    const FpdResolvedLaunch *resolved = &x->program->launches[variant][index];
    const FpdVariant *owner = &x->cas->variants[variant];
    const KernelInfo *kernel = find_kernel(x, resolved, mode);
    if (!kernel) return false;
    RtArgument *arguments =
        arena_array(x->arena, RtArgument, (size_t)resolved->entry->parameter_count + kernel->global_count + 1);
    for (uint32_t a = 0; a < resolved->entry->parameter_count; a++) {
        const FpdValue *value = &resolved->values[a];
        RtBuffer *buffer = value->pointer ? x->buffers[value->buffer] : NULL;
        arguments[a] = (RtArgument){buffer ? buffer->address : value->bits, buffer};
    }
    for (uint32_t g = 0; g < kernel->global_count; g++) {
        RtBuffer *memory = x->program->modules[resolved->module].globals[g].memory;
        arguments[resolved->entry->parameter_count + g] = (RtArgument){memory->address, memory};
    }
    const char *label = arena_format(x->arena, "%s: variant %s (%s), launch %u of %u", x->cas->path, owner->name,
                                     fpd_mode_name(mode), index + 1, owner->launch_count);
    const uint32_t *grid = owner->launches[index].grid;
    RtLaunch launch = {.label = label,
                       .kernel = kernel,
                       .name = resolved->kernel,
                       .grid = {grid[0], grid[1], grid[2]},
                       .arguments = arguments,
                       .store_base = *store_base};
    if (is_shadow(x, mode)) {
        launch.argument_records = argument_records(x, resolved);
        launch.uses = open_uses(x, kernel->store_count);
        launch.in_order = x->settings->origins; // of several origins the same one, however many threads there are
        *store_base += kernel->store_count;
    }
    show_progress(x->machine, label);
    FpdKernelOutput output;
    RtRaces races;
    fpd_races_before(x->search, resolved, &launch, &races);
    fpd_output_open(&output, x->machine, label);
    bool good = rt_launch(x->machine->device, diagnostics, &launch);
    keep_uses(x, launch.uses, launch.store_base, kernel->store_count);
    fpd_output_close(&output);
    if (good && x->search) fpd_races_after(x->search, index, &launch, x->buffers);
    return good;
}

// Runs all launches as the settings say, and fetches the compared buffers. What an earlier variant left is gone:
// copying in makes records invalid.
static bool run_variant(Matrix *x, Diagnostics *diagnostics, uint32_t variant, FpdMode mode, uint8_t **results,
                        double *seconds) {
    RtDevice *device = x->machine->device;
    uint8_t *const *contents = x->settings->contents ? x->settings->contents : x->initial;
    uint32_t store_base = 0;
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
        const FpdBuffer *buffer = &x->cas->buffers[b];
        if (!rt_copy_in(device, diagnostics, x->buffers[b], 0, contents[b], buffer->bytes)) return false;
        if (is_shadow(x, mode) && fpd_leaves_unfilled(x->machine, x->cas, b))
            rt_leave_unfilled(device, x->buffers[b], FPD_ORIGIN_BUFFER + b);
        if (is_shadow(x, mode) && buffer->literal)
            fpd_put_literals(x->cas, x->meanings, buffer, device, x->buffers[b], contents[b]);
    }
    if (!fpd_fill_globals(diagnostics, device, x->program, x->meanings, is_shadow(x, mode))) return false;
    double start = clock_seconds();
    for (uint32_t i = 0; i < x->cas->variants[variant].launch_count; i++)
        if (!run_launch(x, diagnostics, variant, i, mode, &store_base)) return false;
    *seconds = clock_seconds() - start;
    for (uint32_t c = 0; c < x->cas->compare_count; c++) {
        uint32_t b = x->cas->compare[c];
        if (!rt_copy_out(device, diagnostics, x->buffers[b], 0, results[c], x->cas->buffers[b].bytes)) return false;
    }
    return true;
}

// The same with other settings, which the compiled code does not depend on. Silent: what kernels print was shown the
// first time.
static bool run_otherwise(Matrix *x, Diagnostics *diagnostics, const FpdSettings *settings, uint32_t variant,
                          FpdMode mode, uint8_t **results, double *seconds) {
    const FpdSettings *before = x->settings;
    FpdRun *run = x->run;
    x->run = NULL;
    FILE *output = x->machine->output;
    x->settings = settings;
    x->machine->output = NULL;
    bool good = run_variant(x, diagnostics, variant, mode, results, seconds);
    x->settings = before;
    x->run = run;
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

static void count_unwritten(const FpdBuffer *buffer, const uint8_t *before, const uint8_t *after,
                            const HostRecord *records, const uint8_t *other_before, const uint8_t *other_after,
                            uint64_t *count, uint64_t *first) {
    for (uint64_t i = 0; i < buffer->elements; i++) {
        if (fpd_element_bits(buffer->type, before, i) != fpd_element_bits(buffer->type, after, i)) continue;
        if (records && fpd_was_stored(&records[i])) continue;
        if (other_after &&
            fpd_element_bits(buffer->type, other_before, i) != fpd_element_bits(buffer->type, other_after, i))
            continue;
        if (!(*count)++) *first = i;
    }
}

// If the second run fails (the kernel used the element to address memory), elements that did not change count as not
// written.
static void find_unwritten(Matrix *x, uint32_t variant, FpdMode mode, FpdRun *run) {
    const FpdCase *cas = x->cas;
    Arena scratch = {0};
    Diagnostics ignored = {0};
    uint64_t unchanged = 0;
    double seconds;
    uint8_t **contents = arena_array(&scratch, uint8_t *, cas->buffer_count),
            **results = arena_array(&scratch, uint8_t *, cas->compare_count);
    for (uint32_t b = 0; b < cas->buffer_count; b++) contents[b] = x->initial[b];
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        contents[cas->compare[c]] = arena_alloc(&scratch, buffer->bytes);
        results[c] = arena_alloc(&scratch, buffer->bytes);
        if (is_shadow(x, mode) && fpd_leaves_unfilled(x->machine, cas, cas->compare[c])) {
            memcpy(contents[cas->compare[c]], x->initial[cas->compare[c]], buffer->bytes);
            continue; // what was not written is unspecified
        }
        unchanged += invert_unchanged(buffer, x->initial[cas->compare[c]], run->bytes[c],
                                      run->records ? run->records[c] : NULL, contents[cas->compare[c]]);
    }
    if (unchanged) {
        FpdSettings settings = *x->settings;
        settings.contents = contents;
        bool ran = run_otherwise(x, &ignored, &settings, variant, mode, results, &seconds);
        for (uint32_t c = 0; c < cas->compare_count; c++) {
            uint32_t b = cas->compare[c];
            if (is_shadow(x, mode) && fpd_leaves_unfilled(x->machine, cas, b)) continue; // it is unspecified
            count_unwritten(&cas->buffers[b], x->initial[b], run->bytes[c], run->records ? run->records[c] : NULL,
                            contents[b], ran ? results[c] : NULL, &run->unwritten[c], &run->first_unwritten[c]);
        }
    }
    diagnostics_close(&ignored);
    arena_reset(&scratch);
}

// Mode ieee of profile tower: the numbers of the run in mode fpsan, which took no time of its own.
static void share_runs(Matrix *x, FpdMode mode, FpdRuns *runs) {
    runs->runs[mode] = arena_array(x->arena, FpdRun, x->cas->variant_count);
    for (uint32_t v = 0; v < x->cas->variant_count; v++) {
        const FpdRun *run = &runs->runs[FPD_MODE_fpsan][v];
        runs->runs[mode][v] = (FpdRun){.bytes = run->bytes,
                                       .unwritten = run->unwritten,
                                       .first_unwritten = run->first_unwritten,
                                       .race_count = run->race_count,
                                       .races = run->races,
                                       .races_incomplete = run->races_incomplete};
    }
}

// Where launches turn out to need an order for their blocks, the variant runs again; each time there are more of them.
// Those that may race in another order only run in that one before.
static bool run_to_the_end(Matrix *x, uint32_t variant, FpdMode mode, FpdRun *run) {
    FpdRaceSearch search = {.arena = x->arena, .program = x->program, .variant = variant, .run = run};
    FILE *output = x->machine->output;
    Diagnostics ignored = {0};
    bool good;
    if (x->looks_for_races) x->search = &search;
    do {
        search.again = search.back = false;
        fpd_races_forget(&search);
        good = run_variant(x, x->diagnostics, variant, mode, run->bytes, &run->seconds);
        x->machine->output = NULL; // what kernels print was shown the first time
    } while (good && search.again);
    if (good && search.back) { // and what was found first stays
        double seconds;
        search.backwards = true;
        run_variant(x, &ignored, variant, mode, run->bytes, &seconds);
        search.backwards = false;
        x->search = NULL;
        good = run_variant(x, x->diagnostics, variant, mode, run->bytes, &seconds);
    }
    diagnostics_close(&ignored);
    x->machine->output = output;
    x->search = NULL;
    return good;
}

// One variant in one mode, whose modules are compiled.
static bool run_and_fetch(Matrix *x, uint32_t variant, FpdMode mode, FpdRun *run) {
    const FpdCase *cas = x->cas;
    run->bytes = arena_array(x->arena, uint8_t *, cas->compare_count);
    run->unwritten = arena_array(x->arena, uint64_t, cas->compare_count);
    run->first_unwritten = arena_array(x->arena, uint64_t, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++)
        run->bytes[c] = arena_alloc(x->arena, cas->buffers[cas->compare[c]].bytes);
    if (is_shadow(x, mode) && !collect_stores(x, variant, mode, run)) return false;
    run->uses = x->machine->poison ? arena_array(x->arena, uint64_t, run->store_count + 1u) : NULL;
    run->use_origins = x->machine->poison ? arena_array(x->arena, uint32_t, run->store_count + 1u) : NULL;
    x->run = run;
    if (!run_to_the_end(x, variant, mode, run)) return false;
    if (is_shadow(x, mode)) fetch_records(x, run);
    return true;
}

static bool run_mode(Matrix *x, FpdMode mode, int only_variant, bool judge, FpdRuns *runs) {
    const FpdCase *cas = x->cas;
    double start = clock_seconds();
    bool *wanted = arena_array(x->arena, bool, cas->variant_count);
    for (uint32_t v = 0; v < cas->variant_count; v++) wanted[v] = only_variant < 0 || (uint32_t)only_variant == v;
    if (!compile_variants(x, mode, wanted)) return false;
    runs->compile_seconds[mode] = clock_seconds() - start;
    runs->runs[mode] = arena_array(x->arena, FpdRun, cas->variant_count);
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        FpdRun *run = &runs->runs[mode][v];
        if (!wanted[v]) continue;
        if (!run_and_fetch(x, v, mode, run)) return false;
        if (judge && (fpd_mode_is_payload(mode) || cas->tolerance.given)) find_unwritten(x, v, mode, run);
    }
    return true;
}

static bool prepare_buffers(Matrix *x) {
    x->initial = arena_array(x->arena, uint8_t *, x->cas->buffer_count);
    x->buffers = arena_array(x->arena, RtBuffer *, x->cas->buffer_count);
    for (uint32_t b = 0; b < x->cas->buffer_count; b++) {
        const FpdBuffer *buffer = &x->cas->buffers[b];
        x->initial[b] = arena_alloc(x->arena, buffer->bytes);
        if (!fpd_fill_buffer(x->diagnostics, buffer, x->cas->seed, rt_jobs(x->machine->device), x->initial[b]))
            return false;
        if (fpd_leaves_unfilled(x->machine, x->cas, b))
            fpd_fill_unspecified(buffer, x->settings->unspecified, x->initial[b]);
        x->buffers[b] = rt_alloc(x->machine->device, x->diagnostics, buffer->bytes);
        if (!x->buffers[b]) return false;
        x->buffers[b]->name = buffer->name; // for messages
    }
    return true;
}

// Device memory, meanings and initial contents for runs of the case; close_matrix is due also where it fails.
static bool open_matrix(Matrix *x, bool shadow) {
    x->meanings = x->cas->tower ? fpd_chain_meanings(x->arena, x->cas) : NULL;
    return (!shadow || fpd_open_shadow(x->diagnostics, x->machine)) && prepare_buffers(x) &&
           fpd_open_globals(x->diagnostics, x->arena, x->machine->device, x->program);
}

static void close_matrix(Matrix *x) {
    show_progress(x->machine, "");
    for (uint32_t b = 0; x->buffers && b < x->cas->buffer_count; b++)
        if (x->buffers[b]) rt_free(x->machine->device, x->buffers[b]);
    fpd_close_globals(x->machine->device, x->program);
    if (!x->machine->keep_compiled) fpd_close_compiled(x->machine, x->program);
}

FpdSettings fpd_plain_settings(const FpdMachine *machine, const FpdCase *cas) {
    return (FpdSettings){.chain = cas->chain,
                         .unspecified = cas->allow_unspecified ? COMPILE_ZEROS : machine->unspecified};
}

bool fpd_run_case(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, FpdProgram *program, uint32_t modes,
                  int only_variant, bool judge, FpdRuns *runs) {
    const FpdCase *cas = program->cas;
    FpdSettings settings = fpd_plain_settings(machine, cas);
    Matrix x = {.diagnostics = diagnostics,
                .arena = arena,
                .machine = machine,
                .program = program,
                .cas = cas,
                .settings = &settings};
    x.looks_for_races = runs->races_checked = judge && machine->races && machine->target == FPD_TARGET_host;
    bool shadow = false;
    for (uint32_t m = 0; m < cas->mode_count; m++) shadow |= modes >> cas->modes[m] & 1 && is_shadow(&x, cas->modes[m]);
    bool good = fpd_check_target(diagnostics, machine, cas);
    good = good && (!shadow || fpd_check_records(diagnostics, cas, only_variant < 0 ? cas->variant_count : 1));
    double start = clock_seconds();
    good = good && open_matrix(&x, shadow);
    runs->fill_seconds = clock_seconds() - start;
    runs->tiles = arena_array(arena, ProgramUse, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++) runs->tiles[c] = fpd_stored_tile(program, 0, cas->compare[c]);
    for (uint32_t m = 0; m < cas->mode_count && good; m++) {
        bool numbers_of_shadow = shadow && !fpd_mode_is_payload(cas->modes[m]);
        if (modes >> cas->modes[m] & 1 && !numbers_of_shadow)
            good = run_mode(&x, cas->modes[m], only_variant, judge, runs);
    }
    for (uint32_t m = 0; m < cas->mode_count && good && shadow; m++)
        if (modes >> cas->modes[m] & 1 && !fpd_mode_is_payload(cas->modes[m])) share_runs(&x, cas->modes[m], runs);
    close_matrix(&x);
    return good;
}

bool fpd_run_again(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, const FpdProgram *program, FpdMode mode,
                   const FpdSettings *settings, const bool *variants, FpdRun *runs) {
    FpdCase cas = *program->cas;
    FpdProgram again = *program;
    FpdMachine silent = *machine;
    cas.chain = settings->chain + (settings->signed_roots ? TOWER_CHAINS : 0);
    again.cas = &cas;
    again.modules = arena_array(arena, FpdModule, program->module_count + 1u); // compiled anew
    for (uint32_t m = 0; m < program->module_count; m++)
        again.modules[m] = (FpdModule){.path = program->modules[m].path, .program = program->modules[m].program};
    silent.output = NULL; // what kernels print was shown the first time
    silent.keep_compiled = false;
    if (!silent.rounds) silent.rounds = settings->rounds;
    Matrix x = {.diagnostics = diagnostics,
                .arena = arena,
                .machine = &silent,
                .program = &again,
                .cas = &cas,
                .settings = settings};
    uint32_t count = 0;
    for (uint32_t v = 0; v < cas.variant_count; v++) count += variants[v];
    bool good = fpd_check_target(diagnostics, machine, &cas) &&
                (!is_shadow(&x, mode) || fpd_check_records(diagnostics, &cas, count)) &&
                open_matrix(&x, is_shadow(&x, mode)) && compile_variants(&x, mode, variants);
    for (uint32_t v = 0; v < cas.variant_count && good; v++)
        if (variants[v]) good = run_and_fetch(&x, v, mode, &runs[v]);
    close_matrix(&x);
    machine->device = silent.device; // opened anew where it lacked shadow memory
    machine->shadow = silent.shadow;
    return good;
}
