// SPDX-License-Identifier: Apache-2.0
// The fake CUDA driver: see fake_cuda.h.
#include "tests/cuda/fake_internal.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_MAX = 64 };

struct Allocation {
    uint8_t *bytes;
    size_t size;
    bool is_global; // of a module
    struct Allocation *next;
};

struct Module {
    char tag[8]; // "module"
    bool is_library;
    uint8_t *image; // a copy
    struct Variable {
        char *name;
        Allocation *memory;
        struct Variable *next;
    } * variables;
    Function *functions;
    struct Module *next;
};

static struct {
    FakeCuda state;
    Allocation *allocations;
    Module *modules;
    struct {
        char *name;
        FakeKernel *function;
    } kernels[KERNELS_MAX];
    unsigned kernel_count;
    CudaStatus pending; // what the next synchronization gives
    char misuse[200];
    int context;
} fake = {.state = {.device_count = 1,
                    .capability = 90,
                    .version = 13000,
                    .multiprocessors = 4,
                    .shared_bytes_max = 227 << 10,
                    .memory_max = (size_t)1 << 30}};

EXPORT void fake_cuda_kernel(const char *name, FakeKernel *function);
EXPORT void fake_cuda_reset(void);

FakeCuda *fake_cuda(void) {
    return &fake.state;
}

CudaHandle fake_context(void) {
    return &fake.context;
}

void fake_cuda_kernel(const char *name, FakeKernel *function) {
    if (fake.kernel_count == KERNELS_MAX || !(fake.kernels[fake.kernel_count].name = strdup(name))) abort();
    fake.kernels[fake.kernel_count++].function = function;
}

CudaStatus fake_misuse(CudaStatus status, const char *format, ...) {
    if (fake.state.misuse) return status;
    va_list values;
    va_start(values, format);
    vsnprintf(fake.misuse, sizeof fake.misuse, format, values);
    va_end(values);
    fake.state.misuse = fake.misuse;
    return status;
}

CudaStatus fake_begin(const char *name, bool in_context) {
    fake.state.calls++;
    if (in_context && fake.state.pushed <= 0) return fake_misuse(INVALID_CONTEXT, "%s without a context", name);
    if (fake.state.fail_at && !--fake.state.fail_at) return fake.state.fail_with;
    return in_context && fake.state.stopped ? 719 : CUDA_SUCCESS;
}

// ---- memory

static Allocation *new_allocation(size_t size, bool is_global) {
    Allocation *allocation = calloc(1, sizeof *allocation);
    if (!allocation || !(allocation->bytes = aligned_alloc(512, (size + 511) / 512 * 512))) abort();
    memset(allocation->bytes, 0xA5, size);
    allocation->size = size;
    allocation->is_global = is_global;
    allocation->next = fake.allocations;
    fake.allocations = allocation;
    return allocation;
}

static void drop_allocation(Allocation *allocation) {
    Allocation **link = &fake.allocations;
    while (*link != allocation) link = &(*link)->next;
    *link = allocation->next;
    free(allocation->bytes);
    free(allocation);
}

Allocation *fake_find_allocation(uint64_t address, size_t size) {
    for (Allocation *a = fake.allocations; a; a = a->next) {
        uint64_t begin = (uint64_t)(uintptr_t)a->bytes + FAKE_BASE;
        if (address >= begin && address - begin <= a->size && size <= a->size - (address - begin)) return a;
    }
    return NULL;
}

EXPORT CudaStatus cuMemAlloc_v2(uint64_t *address, size_t size);
CudaStatus cuMemAlloc_v2(uint64_t *address, size_t size) {
    BEGIN("cuMemAlloc", true);
    if (fake.state.capturing && fake.state.capture_mode != CUDA_CAPTURE_RELAXED)
        return fake_misuse(900, "cuMemAlloc while a stream is captured");
    if (!size) return fake_misuse(INVALID_VALUE, "cuMemAlloc of nothing");
    if (size > fake.state.memory_max || fake.state.allocated > fake.state.memory_max - size) return CUDA_OUT_OF_MEMORY;
    Allocation *allocation = new_allocation(size, false);
    fake.state.allocations++;
    fake.state.allocated += size;
    *address = (uint64_t)(uintptr_t)allocation->bytes + FAKE_BASE;
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuMemFree_v2(uint64_t address);
CudaStatus cuMemFree_v2(uint64_t address) {
    Allocation *allocation = fake_find_allocation(address, 0);
    if (!allocation || allocation->is_global || fake_at(address) != allocation->bytes)
        return fake_misuse(INVALID_VALUE, "cuMemFree of what is no allocation");
    CudaStatus status =
        fake_begin("cuMemFree", true); // what was told to fail has freed all the same, as a GPU that stopped
    fake.state.allocations--;
    fake.state.allocated -= allocation->size;
    drop_allocation(allocation);
    return status;
}

EXPORT CudaStatus cuMemsetD8_v2(uint64_t address, unsigned char value, size_t size);
CudaStatus cuMemsetD8_v2(uint64_t address, unsigned char value, size_t size) {
    BEGIN("cuMemsetD8", true);
    if (fake.state.capturing) return fake_misuse(900, "cuMemsetD8 while a stream is captured");
    if (!fake_find_allocation(address, size)) return fake_misuse(INVALID_VALUE, "cuMemsetD8 outside an allocation");
    memset(fake_at(address), value, size);
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size);
CudaStatus cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
    BEGIN("cuMemcpyHtoD", true);
    if (fake.state.capturing) return fake_misuse(900, "cuMemcpyHtoD while a stream is captured");
    if (!size || !fake_find_allocation(to, size))
        return fake_misuse(INVALID_VALUE, "cuMemcpyHtoD outside an allocation");
    memcpy(fake_at(to), from, size);
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size);
CudaStatus cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
    BEGIN("cuMemcpyDtoH", true);
    if (!size || !fake_find_allocation(from, size))
        return fake_misuse(INVALID_VALUE, "cuMemcpyDtoH outside an allocation");
    memcpy(to, fake_at(from), size);
    return CUDA_SUCCESS;
}

// ---- the driver, devices, contexts

CudaStatus cuInit(unsigned flags) {
    BEGIN("cuInit", false);
    if (flags) return fake_misuse(INVALID_VALUE, "cuInit with flags");
    const char *path = getenv("FAKE_CUDA_KERNELS");
    void *library = path && !fake.kernel_count ? dlopen(path, RTLD_NOW) : NULL;
    void (*kernels)(FakeCudaKernel *) = NULL;
    if (library) *(void **)&kernels = dlsym(library, "fake_cuda_kernels");
    if (kernels) kernels(fake_cuda_kernel);
    return fake.state.init_status;
}

EXPORT CudaStatus cuDriverGetVersion(int *version);
CudaStatus cuDriverGetVersion(int *version) {
    BEGIN("cuDriverGetVersion", false);
    *version = fake.state.version;
    return CUDA_SUCCESS;
}

static const struct StatusRow {
    CudaStatus status;
    const char *name, *text;
} status_rows[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

static const struct StatusRow *find_status(CudaStatus status) {
    for (size_t i = 0; i < BASE_COUNT(status_rows); i++)
        if (status_rows[i].status == status) return &status_rows[i];
    return NULL;
}

EXPORT CudaStatus cuGetErrorName(CudaStatus status, const char **text);
CudaStatus cuGetErrorName(CudaStatus status, const char **text) {
    const struct StatusRow *row = find_status(status);
    *text = row ? row->name : NULL;
    return row ? CUDA_SUCCESS : INVALID_VALUE;
}

EXPORT CudaStatus cuGetErrorString(CudaStatus status, const char **text);
CudaStatus cuGetErrorString(CudaStatus status, const char **text) {
    const struct StatusRow *row = find_status(status);
    *text = row ? row->text : NULL;
    return row ? CUDA_SUCCESS : INVALID_VALUE;
}

EXPORT CudaStatus cuDeviceGetCount(int *count);
CudaStatus cuDeviceGetCount(int *count) {
    BEGIN("cuDeviceGetCount", false);
    *count = fake.state.device_count;
    return CUDA_SUCCESS;
}

CudaStatus cuDeviceGet(int *device, int index) {
    BEGIN("cuDeviceGet", false);
    if (index < 0 || index >= fake.state.device_count) return fake_misuse(INVALID_DEVICE, "cuDeviceGet of %d", index);
    *device = FAKE_DEVICE + index;
    return CUDA_SUCCESS;
}

bool fake_is_device(int device) {
    return device >= FAKE_DEVICE && device < FAKE_DEVICE + fake.state.device_count;
}

EXPORT CudaStatus cuDeviceGetName(char *text, int size, int device);
CudaStatus cuDeviceGetName(char *text, int size, int device) {
    BEGIN("cuDeviceGetName", false);
    if (!fake_is_device(device)) return fake_misuse(INVALID_DEVICE, "cuDeviceGetName of %d", device);
    snprintf(text, (size_t)size, "Fake GPU %d", device - FAKE_DEVICE);
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuDeviceGetAttribute(int *value, int attribute, int device);
CudaStatus cuDeviceGetAttribute(int *value, int attribute, int device) {
    BEGIN("cuDeviceGetAttribute", false);
    if (!fake_is_device(device)) return fake_misuse(INVALID_DEVICE, "cuDeviceGetAttribute of %d", device);
    switch (attribute) {
    case CUDA_GRID_X_MAX: *value = 2147483647; break;
    case CUDA_GRID_Y_MAX: *value = 65535; break;
    case CUDA_GRID_Z_MAX: *value = 65535; break;
    case CUDA_MULTIPROCESSORS: *value = fake.state.multiprocessors; break;
    case CUDA_CAPABILITY_MAJOR: *value = fake.state.capability / 10; break;
    case CUDA_CAPABILITY_MINOR: *value = fake.state.capability % 10; break;
    case CUDA_SHARED_BYTES_MAX: *value = fake.state.shared_bytes_max; break;
    default: return fake_misuse(INVALID_VALUE, "cuDeviceGetAttribute %d", attribute);
    }
    return CUDA_SUCCESS;
}

CudaStatus cuDevicePrimaryCtxRetain(CudaHandle *context, int device) {
    BEGIN("cuDevicePrimaryCtxRetain", false);
    if (!fake_is_device(device)) return fake_misuse(INVALID_DEVICE, "cuDevicePrimaryCtxRetain of %d", device);
    fake.state.retained++;
    *context = &fake.context;
    return CUDA_SUCCESS;
}

CudaStatus cuDevicePrimaryCtxRelease_v2(int device) {
    if (!fake_is_device(device) || !fake.state.retained)
        return fake_misuse(INVALID_CONTEXT, "cuDevicePrimaryCtxRelease");
    if (!--fake.state.retained) {
        fake.state.leaked = fake.state.allocations + fake.state.modules;
        for (Module *next, *module = fake.modules; module; module = next) {
            next = module->next;
            if (!module->is_library) fake_unload(module);
        }
        for (Allocation *next, *allocation = fake.allocations; allocation; allocation = next) {
            next = allocation->next;
            if (!allocation->is_global) drop_allocation(allocation);
        }
        fake.state.allocations = 0;
        fake.state.allocated = 0;
    }
    return fake_begin("cuDevicePrimaryCtxRelease", false);
}

CudaStatus cuCtxPushCurrent_v2(CudaHandle context) {
    CudaStatus failed = fake_begin("cuCtxPushCurrent", false);
    fake.state.push_failed |= failed;
    if (failed) return failed;
    if (context != &fake.context || !fake.state.retained) return fake_misuse(INVALID_CONTEXT, "cuCtxPushCurrent");
    fake.state.pushed++;
    return CUDA_SUCCESS;
}

CudaStatus cuCtxPopCurrent_v2(CudaHandle *context) {
    if (fake.state.pushed <= 0) return fake_misuse(INVALID_CONTEXT, "cuCtxPopCurrent without a context");
    fake.state.pushed--;
    *context = &fake.context;
    return fake_begin("cuCtxPopCurrent", false);
}

CudaStatus cuCtxSynchronize(void) {
    BEGIN("cuCtxSynchronize", true);
    CudaStatus status = fake.pending;
    fake.pending = CUDA_SUCCESS;
    fake.state.stopped = status;
    return status;
}

// ---- modules: ELF files with the symbols that count, or PTX

static void add_function(Module *module, const char *name, size_t length) {
    Function *function = calloc(1, sizeof *function);
    if (!function || !(function->name = strndup(name, length))) abort();
    function->shared_bytes = CUDA_SHARED_BYTES_USUAL;
    function->module = module;
    function->next = module->functions;
    module->functions = function;
}

static void add_symbols(Module *module, const uint8_t *image) {
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + header.e_shoff);
    for (unsigned s = 0; s < header.e_shnum; s++) {
        if (sections[s].sh_type != SHT_SYMTAB) continue;
        const char *names = (const char *)image + sections[sections[s].sh_link].sh_offset;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(image + sections[s].sh_offset);
        for (size_t i = 0; i < sections[s].sh_size / sizeof *symbols; i++) {
            const int type = ELF64_ST_TYPE(symbols[i].st_info);
            const unsigned at = symbols[i].st_shndx;
            if (at == SHN_UNDEF || at >= header.e_shnum) continue;
            if (type == STT_FUNC) {
                add_function(module, names + symbols[i].st_name, strlen(names + symbols[i].st_name));
            } else if (type == STT_OBJECT) {
                struct Variable *variable = calloc(1, sizeof *variable);
                if (!variable || !(variable->name = strdup(names + symbols[i].st_name))) abort();
                variable->memory = new_allocation(symbols[i].st_size, true);
                memset(variable->memory->bytes, 0, symbols[i].st_size);
                if (sections[at].sh_type != SHT_NOBITS)
                    memcpy(variable->memory->bytes, image + sections[at].sh_offset + symbols[i].st_value,
                           symbols[i].st_size);
                variable->next = module->variables;
                module->variables = variable;
            }
        }
    }
}

static Module *new_module(bool is_library) {
    Module *module = calloc(1, sizeof *module);
    if (!module) abort();
    strcpy(module->tag, "module");
    module->is_library = is_library;
    module->next = fake.modules;
    fake.modules = module;
    *(is_library ? &fake.state.libraries : &fake.state.modules) += 1;
    return module;
}

CudaStatus fake_load(Module **loaded, const void *image, bool is_library) {
    if (memcmp(image, ELFMAG, SELFMAG)) return INVALID_IMAGE;
    *loaded = new_module(is_library);
    add_symbols(*loaded, image);
    return CUDA_SUCCESS;
}

CudaStatus fake_load_text(Module **loaded, const char *text) {
    static const char entry[] = ".entry ";
    if (!strstr(text, ".version")) return INVALID_IMAGE;
    *loaded = new_module(false);
    for (const char *at = text; (at = strstr(at, entry)); at++)
        add_function(*loaded, at + strlen(entry), strcspn(at + strlen(entry), "( \n"));
    return CUDA_SUCCESS;
}

Module *fake_find_module(CudaHandle handle, bool is_library) {
    Module *module = fake.modules;
    while (module && (module != handle || module->is_library != is_library)) module = module->next;
    return module;
}

void fake_unload(Module *module) {
    Module **link = &fake.modules;
    while (*link != module) link = &(*link)->next;
    *link = module->next;
    *(module->is_library ? &fake.state.libraries : &fake.state.modules) -= 1;
    for (struct Variable *next, *v = module->variables; v; v = next) {
        next = v->next;
        drop_allocation(v->memory);
        free(v->name);
        free(v);
    }
    for (Function *next, *f = module->functions; f; f = next) {
        next = f->next;
        free(f->name);
        free(f);
    }
    free(module);
}

CudaStatus fake_find_variable(uint64_t *address, size_t *size, Module *module, const char *name) {
    struct Variable *variable = module->variables;
    while (variable && strcmp(variable->name, name)) variable = variable->next;
    if (!variable) return CUDA_NOT_FOUND;
    if (address) *address = (uint64_t)(uintptr_t)variable->memory->bytes + FAKE_BASE;
    if (size) *size = variable->memory->size;
    return CUDA_SUCCESS;
}

CudaStatus fake_find_function(CudaHandle *function, Module *module, const char *name) {
    Function *found = module->functions;
    while (found && strcmp(found->name, name)) found = found->next;
    *function = found;
    return found ? CUDA_SUCCESS : CUDA_NOT_FOUND;
}

EXPORT CudaStatus cuModuleLoadData(CudaHandle *module, const void *image);
CudaStatus cuModuleLoadData(CudaHandle *module, const void *image) {
    BEGIN("cuModuleLoadData", true);
    return fake_load((Module **)module, image, false);
}

EXPORT CudaStatus cuModuleUnload(CudaHandle module);
CudaStatus cuModuleUnload(CudaHandle handle) {
    Module *module = fake_find_module(handle, false);
    if (!module) return fake_misuse(INVALID_HANDLE, "cuModuleUnload of what is no module");
    CudaStatus status = fake_begin("cuModuleUnload", false);
    fake_unload(module);
    return status;
}

EXPORT CudaStatus cuModuleGetFunction(CudaHandle *function, CudaHandle module, const char *name);
CudaStatus cuModuleGetFunction(CudaHandle *function, CudaHandle module, const char *name) {
    BEGIN("cuModuleGetFunction", true);
    if (!fake_find_module(module, false))
        return fake_misuse(INVALID_HANDLE, "cuModuleGetFunction of what is no module");
    return fake_find_function(function, module, name);
}

EXPORT CudaStatus cuModuleGetGlobal_v2(uint64_t *address, size_t *size, CudaHandle module, const char *name);
CudaStatus cuModuleGetGlobal_v2(uint64_t *address, size_t *size, CudaHandle module, const char *name) {
    BEGIN("cuModuleGetGlobal", true);
    if (!fake_find_module(module, false)) return fake_misuse(INVALID_HANDLE, "cuModuleGetGlobal of what is no module");
    return fake_find_variable(address, size, module, name);
}

Function *fake_function(CudaHandle handle) {
    for (Module *module = fake.modules; module; module = module->next)
        for (Function *function = module->functions; function; function = function->next)
            if (function == handle || (uint8_t *)function + 1 == handle) return function;
    return NULL;
}

EXPORT CudaStatus cuFuncSetAttribute(CudaHandle handle, int attribute, int value);
CudaStatus cuFuncSetAttribute(CudaHandle handle, int attribute, int value) {
    BEGIN("cuFuncSetAttribute", true);
    Function *function = fake_function(handle);
    if (!function) return fake_misuse(INVALID_HANDLE, "cuFuncSetAttribute of what is no function");
    if (attribute != CUDA_FUNCTION_DYNAMIC_SHARED_BYTES || value < 0 || value > fake.state.shared_bytes_max)
        return fake_misuse(INVALID_VALUE, "cuFuncSetAttribute %d to %d", attribute, value);
    function->shared_bytes = value;
    return CUDA_SUCCESS;
}

EXPORT CudaStatus cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CudaHandle handle, int threads,
                                                              size_t shared_bytes);
CudaStatus cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CudaHandle handle, int threads,
                                                       size_t shared_bytes) {
    BEGIN("cuOccupancyMaxActiveBlocksPerMultiprocessor", true);
    const Function *function = fake_function(handle);
    if (!function || threads < 1 || threads > 1024 || shared_bytes > (size_t)function->shared_bytes)
        return fake_misuse(INVALID_VALUE, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    *blocks = 2048 / threads;
    return CUDA_SUCCESS;
}

CudaStatus fake_launch(Function *function, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
                       void **parameters, void **extra) {
    if (!function) return fake_misuse(INVALID_HANDLE, "a launch of what is no function");
    const unsigned threads = block[0] * block[1] * block[2];
    if (!grid[0] || !grid[1] || !grid[2] || grid[1] > 65535 || grid[2] > 65535 || !threads || threads > 1024 || extra)
        return fake_misuse(INVALID_VALUE, "a launch of a grid of %u x %u x %u with %u threads", grid[0], grid[1],
                           grid[2], threads);
    if (shared_bytes > (unsigned)function->shared_bytes)
        return fake_misuse(INVALID_VALUE, "a launch with %u bytes of shared memory, allowed are %d", shared_bytes,
                           function->shared_bytes);
    uint64_t variable = 0;
    fake_find_variable(&variable, NULL, function->module, GPU_LAUNCH_NAME);
    fake.state.launches++;
    FakeLaunch launched = {.kernel = function->name,
                           .grid = {grid[0], grid[1], grid[2]},
                           .block = {block[0], block[1], block[2]},
                           .shared_bytes = shared_bytes,
                           .parameters = parameters,
                           .launch = variable ? fake_at(variable) : NULL};
    fake.state.last = launched;
    for (unsigned k = fake.kernel_count; k--;) {
        if (strcmp(fake.kernels[k].name, function->name)) continue;
        CudaStatus status = fake.kernels[k].function(&launched);
        if (!fake.pending) fake.pending = status;
        break;
    }
    return CUDA_SUCCESS;
}

CudaStatus cuLaunchKernel(CudaHandle handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, CudaHandle stream,
                          void **parameters, void **extra) {
    BEGIN("cuLaunchKernel", true);
    (void)stream;
    return fake_launch(fake_function(handle), (unsigned[]){grid_x, grid_y, grid_z},
                       (unsigned[]){block_x, block_y, block_z}, shared_bytes, parameters, extra);
}

void fake_cuda_reset(void) {
    const FakeCuda usual = {.device_count = 1,
                            .capability = 90,
                            .version = 13000,
                            .multiprocessors = 4,
                            .shared_bytes_max = 227 << 10,
                            .memory_max = (size_t)1 << 30};
    while (fake.modules) fake_unload(fake.modules);
    while (fake.allocations) drop_allocation(fake.allocations);
    while (fake.kernel_count) free(fake.kernels[--fake.kernel_count].name);
    fake.state = usual;
    fake.pending = CUDA_SUCCESS;
}
