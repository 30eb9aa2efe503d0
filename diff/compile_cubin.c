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
    const void *image;
    size_t image_size;
} CubinModule;

static bool make_cubin(Diagnostics *diagnostics, const FpdMachine *machine, const Program *program,
                       const CompileOptions *options, Buffer *cubin) {
    CacheKey key;
    const bool kept = machine->cache.folder && fpd_compile_key(machine, program, options, &key);
    if (kept && cache_get(&machine->cache, key, cubin)) return true;
    if (!compiler_emit(machine->compiler, diagnostics, program, options, COMPILE_OBJECT, cubin)) return false;
    if (kept) cache_put(&machine->cache, key, cubin->data, cubin->size);
    return true;
}

static bool read_kernel(Diagnostics *diagnostics, CubinModule *made, const Program *program, const ProgramKernel *entry,
                        KernelInfo *kernel) {
    if (!cubin_kernel(diagnostics, &made->arena, made->image, made->image_size, entry->name, kernel)) return false;
    kernel->name = kernel->symbol;
    kernel->parameter_count = entry->parameter_count;
    kernel->global_count = program->global_count;
    return fpd_check_parameters(diagnostics, entry);
}

CompiledModule *fpd_cubin_load(Diagnostics *diagnostics, const FpdMachine *machine, const Program *program,
                               const CompileOptions *options) {
    Buffer cubin = {0};
    CubinModule *made = calloc(1, sizeof *made);
    if (!made) abort(); // as arenas do
    bool good = make_cubin(diagnostics, machine, program, options, &cubin);
    if (good) {
        KernelInfo *kernels = arena_array(&made->arena, KernelInfo, program->kernel_count + 1u);
        made->module.kernels = kernels;
        made->image = arena_text(&made->arena, cubin.data, cubin.size);
        made->image_size = cubin.size;
        for (uint32_t k = 0; k < program->kernel_count && good; k++)
            good = read_kernel(diagnostics, made, program, &program->kernels[k], &kernels[made->module.kernel_count++]);
    }
    buffer_free(&cubin);
    if (good) return &made->module;
    fpd_cubin_close(machine, &made->module);
    return NULL;
}

void fpd_cubin_close(const FpdMachine *machine, CompiledModule *module) {
    CubinModule *made = (CubinModule *)module;
    if (made->image) rt_unload(machine->device, made->image, made->image_size);
    arena_reset(&made->arena);
    free(made);
}
