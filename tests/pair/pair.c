// SPDX-License-Identifier: Apache-2.0
// Runs every variant of the given cases once with the numeric `pair`, which carries IEEE values and payloads side by
// side, and checks that each half ends as the numeric of its own does: pair CASE.yaml... (exit status 1 if one does
// not).
#include "diff/fpd.h"

#include <stdio.h>
#include <string.h>

typedef struct Pair {
    Diagnostics *diagnostics;
    Arena *arena;
    Compiler *compiler;
    RtDevice *device; // with a shadow plane
    const FpdCase *cas;
    FpdProgram *program;
    RtBuffer **buffers;
} Pair;

static const CompiledKernel *find_kernel(const CompiledModule *module, const char *name) {
    for (uint32_t k = 0; k < module->kernel_count; k++)
        if (!strcmp(module->kernels[k].name, name)) return &module->kernels[k];
    return NULL;
}

static bool run_launch(Pair *x, uint32_t variant, uint32_t index) {
    const FpdResolvedLaunch *launch = &x->program->launches[variant][index];
    FpdModule *module = &x->program->modules[launch->module];
    CompileOptions options = {.numeric = COMPILE_PAIR, .optimize = 1};
    options.instrumentation = (FpsanInstrumentation){.enabled = true, .algebra = x->cas->algebra};
    CompiledModule *compiled = compiler_load(x->compiler, x->diagnostics, module->tir, &options);
    if (!compiled) return false;
    const CompiledKernel *found = find_kernel(compiled, module->tir->functions[launch->function].name);
    RtKernel kernel = {found->name, found->entry, found->scratch_bytes, found->parameter_count,
                       0,           NULL,         found->sequential};
    RtSite *sites = arena_array(x->arena, RtSite, found->site_count + 1);
    for (uint32_t s = 0; s < found->site_count; s++)
        sites[s] = (RtSite){found->sites[s].kind, found->sites[s].op, found->sites[s].message, found->sites[s].at};
    kernel.sites = sites;
    kernel.site_count = found->site_count;
    RtArgument *arguments = arena_array(x->arena, RtArgument, launch->value_count + 1);
    for (uint32_t a = 0; a < launch->value_count; a++) {
        const FpdValue *value = &launch->values[a];
        RtBuffer *buffer = value->pointer ? x->buffers[value->buffer] : NULL;
        arguments[a] = (RtArgument){buffer ? buffer->address : value->bits, buffer};
    }
    const uint32_t *grid = x->cas->variants[variant].launches[index].grid;
    bool good = rt_launch(x->device, x->diagnostics, x->cas->variants[variant].name, &kernel, grid, arguments);
    compiled_module_close(x->compiler, compiled);
    return good;
}

// Compares a plane of the compared buffers with what the mode alone computed; prints the first difference.
static bool check_plane(Pair *x, uint32_t variant, FpdMode mode, unsigned plane, const FpdRuns *runs) {
    bool equal = true;
    for (uint32_t c = 0; c < x->cas->compare_count; c++) {
        const FpdBuffer *buffer = &x->cas->buffers[x->cas->compare[c]];
        uint8_t *bytes = arena_alloc(x->arena, buffer->bytes), *expected = runs->runs[mode][variant].bytes[c];
        unsigned from = fpd_type_is_float(buffer->type) ? plane : 0; // integers have one plane
        rt_copy_out(x->device, x->buffers[x->cas->compare[c]], from, 0, bytes, buffer->bytes);
        for (uint64_t i = 0; i < buffer->elements && equal; i++) {
            uint64_t found = fpd_element_bits(buffer->type, bytes, i),
                     wanted = fpd_element_bits(buffer->type, expected, i);
            if (found == wanted) continue;
            printf("%s: variant %s, %s[%llu]: pair has 0x%llx, %s alone 0x%llx\n", x->cas->path,
                   x->cas->variants[variant].name, buffer->name, (unsigned long long)i, (unsigned long long)found,
                   fpd_mode_name(mode), (unsigned long long)wanted);
            equal = false;
        }
    }
    return equal;
}

static bool run_variant(Pair *x, uint32_t variant, uint8_t **initial) {
    for (uint32_t b = 0; b < x->cas->buffer_count; b++)
        rt_copy_in(x->device, x->buffers[b], 0, initial[b], x->cas->buffers[b].bytes);
    for (uint32_t i = 0; i < x->cas->variants[variant].launch_count; i++)
        if (!run_launch(x, variant, i)) return false;
    return true;
}

static bool check_case(Diagnostics *diagnostics, FpdMachine *machine, RtDevice *device, const char *path) {
    Arena arena = {0};
    FpdCase *cas = fpd_load_case(diagnostics, &arena, path);
    FpdProgram *program = cas ? fpd_load_program(diagnostics, &arena, cas) : NULL;
    bool good = program;
    FpdRuns runs = {0};
    if (good) {
        cas->mode_count = 2;
        cas->modes[0] = FPD_MODE_fpsan;
        cas->modes[1] = FPD_MODE_ieee;
        good = fpd_run_case(diagnostics, &arena, machine, program, ~0u, -1, false, &runs);
    }
    if (good) {
        Pair x = {diagnostics,
                  &arena,
                  machine->compiler,
                  device,
                  cas,
                  program,
                  arena_array(&arena, RtBuffer *, cas->buffer_count)};
        uint8_t **initial = arena_array(&arena, uint8_t *, cas->buffer_count);
        for (uint32_t b = 0; b < cas->buffer_count && good; b++) {
            initial[b] = arena_alloc(&arena, cas->buffers[b].bytes);
            x.buffers[b] = rt_alloc(device, diagnostics, cas->buffers[b].bytes);
            good = x.buffers[b] && fpd_fill_buffer(diagnostics, &cas->buffers[b], cas->seed, 1, initial[b]);
        }
        for (uint32_t v = 0; v < cas->variant_count && good; v++)
            good = run_variant(&x, v, initial) && check_plane(&x, v, FPD_MODE_ieee, 0, &runs) &&
                   check_plane(&x, v, FPD_MODE_fpsan, 1, &runs);
        for (uint32_t b = 0; b < cas->buffer_count; b++)
            if (x.buffers[b]) rt_free(device, x.buffers[b]);
    }
    fpd_program_close(program);
    arena_reset(&arena);
    return good;
}

int main(int count, char **paths) {
    Diagnostics diagnostics = {0};
    FpdMachine machine = {0};
    RtDevice *shadow = rt_open_host(&diagnostics, &(RtDeviceOptions){.shadow = true});
    int passed = 0, failed = 0;
    if (shadow && fpd_machine_open(&diagnostics, 0, &machine))
        for (int i = 1; i < count; i++) {
            if (check_case(&diagnostics, &machine, shadow, paths[i]))
                passed++;
            else
                failed++;
        }
    diagnostics_print(&diagnostics);
    bool broken = diagnostics.count;
    rt_close(shadow);
    fpd_machine_close(&machine);
    diagnostics_close(&diagnostics);
    printf("pair: %d cases agree, %d do not\n", passed, failed);
    return failed || broken || !passed;
}
