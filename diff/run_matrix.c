// SPDX-License-Identifier: Apache-2.0
// Runs the variants of a case: every variant in every mode starts from the same initial buffers; each module is
// compiled once per mode.
//
// Which compared elements were never written is found exactly, without watching stores. An element that ends with other
// bits than it began with was written. If some did not change, the variant runs once more with just those elements
// begun differently (their bits inverted): what now ends as it began was not written, for a store of a value that does
// not depend on the element's old contents cannot match both beginnings. A kernel that reads an element and stores that
// very value back both times counts as not writing it.
#include "diff/fpd.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Matrix {
    Diagnostics *diagnostics;
    Arena *arena;
    FpdMachine *machine;
    FpdProgram *program;
    const FpdCase *cas;
    uint8_t **initial;  // per buffer
    RtBuffer **buffers; // per buffer
} Matrix;

static double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool fpd_machine_open(Diagnostics *diagnostics, unsigned jobs, FpdMachine *machine) {
    machine->compiler = compiler_open(diagnostics);
    machine->device = machine->compiler ? rt_open_host(diagnostics, &(RtDeviceOptions){.jobs = jobs}) : NULL;
    return machine->device;
}

void fpd_machine_close(FpdMachine *machine) {
    rt_close(machine->device);
    compiler_close(machine->compiler);
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

static bool compile_module(Matrix *x, FpdModule *module, FpdMode mode) {
    CompileOptions options = {.numeric = mode_numerics[mode], .optimize = 3};
    options.instrumentation = (FpsanInstrumentation){.enabled = fpd_mode_is_payload(mode), .algebra = x->cas->algebra};
    if (module->compiled[mode]) return true;
    show_progress(x->machine, arena_format(x->arena, "compiling %s (%s)", module->path, fpd_mode_name(mode)));
    module->compiled[mode] = compiler_load(x->machine->compiler, x->diagnostics, module->tir, &options);
    return module->compiled[mode];
}

static bool compile_variants(Matrix *x, FpdMode mode, int only_variant) {
    for (uint32_t v = 0; v < x->cas->variant_count; v++) {
        if (only_variant >= 0 && (uint32_t)only_variant != v) continue;
        for (uint32_t i = 0; i < x->cas->variants[v].launch_count; i++)
            if (!compile_module(x, &x->program->modules[x->program->launches[v][i].module], mode)) return false;
    }
    return true;
}

// The kernel of a launch as the runtime wants it.
static bool launch_kernel(Matrix *x, const FpdResolvedLaunch *launch, FpdMode mode, RtKernel *kernel) {
    const FpdModule *module = &x->program->modules[launch->module];
    const CompiledModule *compiled = module->compiled[mode];
    const char *name = module->tir->functions[launch->function].name;
    const CompiledKernel *found = NULL;
    for (uint32_t k = 0; k < compiled->kernel_count; k++)
        if (!strcmp(compiled->kernels[k].name, name)) found = &compiled->kernels[k];
    if (!found || found->parameter_count != launch->value_count)
        return diag_fail(x->diagnostics, (Location){.file = module->path}, E_RUNTIME,
                         "the compiled module lacks entry %s as the module has it", name);
    RtSite *sites = arena_array(x->arena, RtSite, found->site_count + 1);
    for (uint32_t s = 0; s < found->site_count; s++)
        sites[s] = (RtSite){found->sites[s].kind, found->sites[s].op, found->sites[s].message, found->sites[s].at};
    *kernel = (RtKernel){.name = launch->kernel,
                         .entry = found->entry,
                         .scratch_bytes = found->scratch_bytes,
                         .parameter_count = found->parameter_count,
                         .site_count = found->site_count,
                         .sites = sites,
                         .sequential = found->sequential,
                         .stored_widths = found->stored_widths,
                         .stored_widths_unknown = found->stored_widths_unknown};
    return true;
}

// ---- running

static bool run_launch(Matrix *x, Diagnostics *diagnostics, uint32_t variant, uint32_t index, FpdMode mode) {
    const FpdResolvedLaunch *resolved = &x->program->launches[variant][index];
    const FpdVariant *owner = &x->cas->variants[variant];
    RtArgument *arguments = arena_array(x->arena, RtArgument, resolved->value_count + 1);
    RtKernel kernel;
    if (!launch_kernel(x, resolved, mode, &kernel)) return false;
    for (uint32_t a = 0; a < resolved->value_count; a++) {
        const FpdValue *value = &resolved->values[a];
        RtBuffer *buffer = value->pointer ? x->buffers[value->buffer] : NULL;
        arguments[a] = (RtArgument){buffer ? buffer->address : value->bits, buffer};
    }
    const char *label = arena_format(x->arena, "%s: variant %s (%s), launch %u of %u", x->cas->path, owner->name,
                                     fpd_mode_name(mode), index + 1, owner->launch_count);
    show_progress(x->machine, label);
    return rt_launch(x->machine->device, diagnostics, label, &kernel, owner->launches[index].grid, arguments);
}

// Runs all launches from the contents given per buffer, and fetches the compared buffers.
static bool run_variant(Matrix *x, Diagnostics *diagnostics, uint32_t variant, FpdMode mode, uint8_t *const *contents,
                        uint8_t **results, double *seconds) {
    for (uint32_t b = 0; b < x->cas->buffer_count; b++)
        rt_copy_in(x->machine->device, x->buffers[b], 0, contents[b], x->cas->buffers[b].bytes);
    double start = clock_seconds();
    for (uint32_t i = 0; i < x->cas->variants[variant].launch_count; i++)
        if (!run_launch(x, diagnostics, variant, i, mode)) return false;
    *seconds = clock_seconds() - start;
    for (uint32_t c = 0; c < x->cas->compare_count; c++) {
        uint32_t b = x->cas->compare[c];
        rt_copy_out(x->machine->device, x->buffers[b], 0, results[c], x->cas->buffers[b].bytes);
    }
    return true;
}

// Copies `from` to `to` with the bits of every element inverted that is the same in `before` and `after`; returns how
// many.
static uint64_t invert_unchanged(const FpdBuffer *buffer, const uint8_t *before, const uint8_t *after, uint8_t *to) {
    uint64_t count = 0, used = fpd_type_info(buffer->type)->used;
    memcpy(to, before, buffer->bytes);
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t bits = fpd_element_bits(buffer->type, before, i);
        if (bits != fpd_element_bits(buffer->type, after, i)) continue;
        fpd_element_set(buffer->type, to, i, bits ^ used);
        count++;
    }
    return count;
}

static void count_unwritten(const FpdBuffer *buffer, const uint8_t *before, const uint8_t *after,
                            const uint8_t *other_before, const uint8_t *other_after, uint64_t *count, uint64_t *first) {
    for (uint64_t i = 0; i < buffer->elements; i++) {
        if (fpd_element_bits(buffer->type, before, i) != fpd_element_bits(buffer->type, after, i)) continue;
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
        unchanged += invert_unchanged(buffer, x->initial[cas->compare[c]], run->bytes[c], contents[cas->compare[c]]);
    }
    if (unchanged) {
        bool ran = run_variant(x, &ignored, variant, mode, contents, results, &seconds);
        for (uint32_t c = 0; c < cas->compare_count; c++) {
            uint32_t b = cas->compare[c];
            count_unwritten(&cas->buffers[b], x->initial[b], run->bytes[c], contents[b], ran ? results[c] : NULL,
                            &run->unwritten[c], &run->first_unwritten[c]);
        }
    }
    diagnostics_close(&ignored);
    arena_reset(&scratch);
}

static bool run_mode(Matrix *x, FpdMode mode, int only_variant, bool judge, FpdRuns *runs) {
    const FpdCase *cas = x->cas;
    double start = clock_seconds();
    if (!compile_variants(x, mode, only_variant)) return false;
    runs->compile_seconds[mode] = clock_seconds() - start;
    runs->runs[mode] = arena_array(x->arena, FpdRun, cas->variant_count);
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        if (only_variant >= 0 && (uint32_t)only_variant != v) continue;
        FpdRun *run = &runs->runs[mode][v];
        run->bytes = arena_array(x->arena, uint8_t *, cas->compare_count);
        run->unwritten = arena_array(x->arena, uint64_t, cas->compare_count);
        run->first_unwritten = arena_array(x->arena, uint64_t, cas->compare_count);
        for (uint32_t c = 0; c < cas->compare_count; c++)
            run->bytes[c] = arena_alloc(x->arena, cas->buffers[cas->compare[c]].bytes);
        if (!run_variant(x, x->diagnostics, v, mode, x->initial, run->bytes, &run->seconds)) return false;
        if (judge && (fpd_mode_is_payload(mode) || cas->has_tolerance)) find_unwritten(x, v, mode, run);
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
        x->buffers[b] = rt_alloc(x->machine->device, x->diagnostics, buffer->bytes);
        if (!x->buffers[b]) return false;
        x->buffers[b]->name = buffer->name; // for messages
    }
    return true;
}

bool fpd_run_case(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, FpdProgram *program, uint32_t modes,
                  int only_variant, bool judge, FpdRuns *runs) {
    const FpdCase *cas = program->cas;
    Matrix x = {diagnostics, arena, machine, program, cas, NULL, NULL};
    double start = clock_seconds();
    bool good = prepare_buffers(&x);
    runs->fill_seconds = clock_seconds() - start;
    runs->tiles = arena_array(arena, FpdUse, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++) runs->tiles[c] = fpd_stored_tile(program, 0, cas->compare[c]);
    for (uint32_t m = 0; m < cas->mode_count && good; m++)
        if (modes >> cas->modes[m] & 1) good = run_mode(&x, cas->modes[m], only_variant, judge, runs);
    show_progress(machine, "");
    for (uint32_t b = 0; x.buffers && b < cas->buffer_count; b++)
        if (x.buffers[b]) rt_free(machine->device, x.buffers[b]);
    for (uint32_t m = 0; m < program->module_count; m++)
        for (int mode = 0; mode < FPD_MODE_COUNT; mode++) {
            if (program->modules[m].compiled[mode])
                compiled_module_close(machine->compiler, program->modules[m].compiled[mode]);
            program->modules[m].compiled[mode] = NULL;
        }
    return good;
}
