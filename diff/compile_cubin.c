// SPDX-License-Identifier: Apache-2.0
// Modules compiled for a GPU of CUDA: the cubin, from the cache where it was made before, and what it says about its
// kernels.
#include "diff/machine.h"
#include "runtime/cubin.h"

#include <stdlib.h>
#include <string.h>

typedef struct CubinModule {
    CompiledModule module; // first: what callers see
    Arena arena;
} CubinModule;

static bool make_cubin(Diagnostics *diagnostics, const FpdMachine *machine, const TirModule *tir,
                       const CompileOptions *options, Buffer *cubin) {
    CacheKey key;
    const bool kept = machine->cache.folder && fpd_compile_key(machine, tir, options, &key);
    if (kept && cache_get(&machine->cache, key, cubin)) return true;
    if (!compiler_emit(machine->compiler, diagnostics, tir, options, COMPILE_OBJECT, cubin)) return false;
    if (kept) cache_put(&machine->cache, key, cubin->data, cubin->size);
    return true;
}

static bool read_kernel(Diagnostics *diagnostics, CubinModule *made, const TirModule *tir, const TirFunction *entry,
                        CompiledKernel *to) {
    RtKernel kernel = {0};
    if (!cubin_kernel(diagnostics, &made->arena, made->module.image, made->module.image_size, entry->name, &kernel))
        return false;
    CompiledSite *sites = arena_array(&made->arena, CompiledSite, kernel.site_count + 1u);
    for (uint32_t s = 0; s < kernel.site_count; s++)
        sites[s] =
            (CompiledSite){kernel.sites[s].kind, kernel.sites[s].op, kernel.sites[s].message, kernel.sites[s].at};
    *to = (CompiledKernel){.name = kernel.symbol,
                           .threads = kernel.threads,
                           .shared_bytes = kernel.shared_bytes,
                           .scratch_bytes = kernel.scratch_bytes,
                           .global_count = tir->global_count,
                           .prints = kernel.prints,
                           .print_forms = kernel.print_forms,
                           .print_form_count = kernel.print_form_count,
                           .site_count = kernel.site_count,
                           .sites = sites};
    FpdParameter *parameters;
    if (!fpd_entry_parameters(diagnostics, &made->arena, entry, &to->parameter_count, &parameters)) return false;
    return true;
}

CompiledModule *fpd_cubin_load(Diagnostics *diagnostics, const FpdMachine *machine, const TirModule *tir,
                               const CompileOptions *options) {
    Buffer cubin = {0};
    CubinModule *made = calloc(1, sizeof *made);
    if (!made) abort(); // as arenas do
    bool good = make_cubin(diagnostics, machine, tir, options, &cubin);
    if (good) {
        CompiledKernel *kernels = arena_array(&made->arena, CompiledKernel, tir->function_count + 1u);
        made->module.kernels = kernels;
        made->module.image = arena_text(&made->arena, cubin.data, cubin.size);
        made->module.image_size = cubin.size;
        for (uint32_t f = 0; f < tir->function_count && good; f++)
            if (tir->functions[f].entry)
                good = read_kernel(diagnostics, made, tir, &tir->functions[f], &kernels[made->module.kernel_count++]);
    }
    buffer_free(&cubin);
    if (good) return &made->module;
    fpd_cubin_close(machine, &made->module);
    return NULL;
}

void fpd_cubin_close(const FpdMachine *machine, CompiledModule *module) {
    CubinModule *made = (CubinModule *)module;
    if (module->image) rt_unload(machine->device, module->image, module->image_size);
    arena_reset(&made->arena);
    free(made);
}
