// SPDX-License-Identifier: Apache-2.0
// Cubins and their kernels: each is loaded once, and known by the hash of its bytes.
#include "runtime/cuda.h"

#include <stdlib.h>
#include <string.h>

static void close_module(CudaDevice *cuda, CudaModule *module) {
    for (CudaFunction *next, *function = module->functions; function; function = next) {
        next = function->next;
        free(function->symbol);
        free(function);
    }
    if (module->handle) cuda->driver.module_unload(module->handle);
    free(module);
}

void cuda_unload_all(CudaDevice *cuda) {
    for (CudaModule *next, *module = cuda->modules; module; module = next) {
        next = module->next;
        close_module(cuda, module);
    }
    cuda->modules = NULL;
}

// The link to the module of these bytes; to NULL if there is none.
static CudaModule **find_module(CudaDevice *cuda, const void *image, size_t size, XXH128_hash_t *hash) {
    CudaModule **link = &cuda->modules;
    *hash = XXH3_128bits(image, size);
    while (*link && ((*link)->size != size || !XXH128_isEqual((*link)->hash, *hash))) link = &(*link)->next;
    return link;
}

void cuda_unload(CudaDevice *cuda, const void *image, size_t size) {
    XXH128_hash_t hash;
    CudaModule **link = find_module(cuda, image, size, &hash), *module = *link;
    if (!module) return;
    *link = module->next;
    close_module(cuda, module);
}

// The module's variable that kernels read what the launch knows from; modules that need nothing of it may lack it.
static bool find_launch_variable(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch,
                                 CudaModule *module) {
    size_t size = 0;
    CudaStatus status = cuda->driver.module_global(&module->launch, &size, module->handle, GPU_LAUNCH_NAME);
    if (status == CUDA_NOT_FOUND) {
        module->launch = 0;
        return true;
    }
    if (status)
        return cuda_fail(cuda, diagnostics, status, "%s: kernel %s: cannot find " GPU_LAUNCH_NAME " in its cubin",
                         launch->label, launch->name);
    return size == sizeof(GpuLaunch) ||
           diag_fail(diagnostics, (Location){0}, E_RUNTIME,
                     "%s: kernel %s: " GPU_LAUNCH_NAME " of its cubin has %zu bytes, expected %zu", launch->label,
                     launch->name, size, sizeof(GpuLaunch));
}

static CudaModule *need_module(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch) {
    const KernelInfo *kernel = launch->kernel;
    XXH128_hash_t hash;
    CudaModule *module = *find_module(cuda, kernel->image, kernel->image_size, &hash);
    if (module) return module;
    module = calloc(1, sizeof *module);
    if (!module) abort(); // as arenas do
    module->hash = hash;
    module->size = kernel->image_size;
    CudaStatus status = cuda->driver.module_load(&module->handle, kernel->image);
    if (status) {
        module->handle = NULL;
        cuda_fail(cuda, diagnostics, status, "%s: kernel %s: cannot load its cubin on %s", launch->label, launch->name,
                  cuda->description);
    }
    if (status || !find_launch_variable(cuda, diagnostics, launch, module)) {
        close_module(cuda, module);
        return NULL;
    }
    module->next = cuda->modules;
    return cuda->modules = module;
}

static CudaFunction *need_function(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch,
                                   CudaModule *module) {
    const KernelInfo *kernel = launch->kernel;
    for (CudaFunction *function = module->functions; function; function = function->next)
        if (!strcmp(function->symbol, kernel->symbol)) return function;
    CudaHandle handle = NULL;
    CudaStatus status = cuda->driver.module_function(&handle, module->handle, kernel->symbol);
    if (status) {
        cuda_fail(cuda, diagnostics, status, "%s: kernel %s: its cubin has no such function", launch->label,
                  launch->name);
        return NULL;
    }
    CudaFunction *function = calloc(1, sizeof *function);
    if (!function || !(function->symbol = strdup(kernel->symbol))) abort(); // as arenas do
    function->handle = handle;
    function->shared_bytes = CUDA_SHARED_BYTES_USUAL;
    function->next = module->functions;
    return module->functions = function;
}

bool cuda_find_function(CudaDevice *cuda, Diagnostics *diagnostics, const RtCheckedLaunch *launch, CudaModule **module,
                        CudaFunction **function) {
    const KernelInfo *kernel = launch->kernel;
    if (kernel->shared_bytes > (size_t)cuda->shared_bytes_max)
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME,
                         "%s: kernel %s needs %zu bytes of shared memory for each block, %s has %d", launch->label,
                         launch->name, kernel->shared_bytes, cuda->description, cuda->shared_bytes_max);
    *module = need_module(cuda, diagnostics, launch);
    *function = *module ? need_function(cuda, diagnostics, launch, *module) : NULL;
    if (!*function) return false;
    if (kernel->shared_bytes <= (*function)->shared_bytes) return true;
    CudaStatus status = cuda->driver.function_attribute((*function)->handle, CUDA_FUNCTION_DYNAMIC_SHARED_BYTES,
                                                        (int)kernel->shared_bytes);
    if (status)
        return cuda_fail(cuda, diagnostics, status, "%s: kernel %s: no %zu bytes of shared memory for each block on %s",
                         launch->label, launch->name, kernel->shared_bytes, cuda->description);
    (*function)->shared_bytes = kernel->shared_bytes;
    return true;
}
