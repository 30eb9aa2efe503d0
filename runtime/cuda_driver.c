// SPDX-License-Identifier: Apache-2.0
// Opening the CUDA driver's library, and its words for errors.
#include "runtime/cuda_driver.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

// Where each function goes, and its name in the library.
static const struct FunctionRow {
    size_t offset;
    const char *symbol;
} function_rows[] = {
#define FUNCTION(name, symbol, parameters) {offsetof(CudaDriver, name), symbol},
#include "runtime/cuda_functions.def"
#undef FUNCTION
};

// The library stays mapped after dlclose: drivers have threads and handlers of their own.
bool cuda_driver_open(CudaDriver *driver, Diagnostics *diagnostics) {
    *driver = (CudaDriver){.library = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (!driver->library)
        return diag_fail(diagnostics, (Location){0}, E_DEVICE,
                         "no CUDA driver: " CUDA_LIBRARY ", which NVIDIA's driver for GPUs installs, cannot be opened "
                         "(%s)",
                         dlerror());
    for (size_t i = 0; i < BASE_COUNT(function_rows); i++) {
        void *function = dlsym(driver->library, function_rows[i].symbol);
        if (!function)
            return diag_fail(diagnostics, (Location){0}, E_DEVICE,
                             "the CUDA driver is too old: " CUDA_LIBRARY " has no function %s",
                             function_rows[i].symbol);
        memcpy((char *)driver + function_rows[i].offset, &function, sizeof function);
    }
    CudaStatus status = driver->init(0);
    if (!status) return true;
    Arena arena = {0};
    diag_fail(diagnostics, (Location){0}, E_DEVICE, "the CUDA driver does not start: %s",
              cuda_status_text(driver, &arena, status));
    arena_reset(&arena);
    return false;
}

void cuda_driver_close(CudaDriver *driver) {
    if (driver->library) dlclose(driver->library);
    *driver = (CudaDriver){0};
}

const char *cuda_status_text(const CudaDriver *driver, Arena *arena, CudaStatus status) {
    const char *name = NULL, *description = NULL;
    if (driver->error_name(status, &name) || !name) return arena_format(arena, "CUDA error %d", status);
    if (driver->error_string(status, &description) || !description) return arena_format(arena, "%s", name);
    return arena_format(arena, "%s (%s)", name, description);
}
