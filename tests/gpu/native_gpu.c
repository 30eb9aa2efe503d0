// SPDX-License-Identifier: Apache-2.0
// Loads PTX by the driver and launches its kernels with the arguments of a case.
#include "runtime/cuda.h"
#include "tests/gpu/native.h"

#include <dlfcn.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG_BYTES = 4096, MAP_FILL_NAN = 1 };
enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6 };
enum { NO_COMPILER = 221, OLD_DRIVER = 222 }; // the latter: the PTX is of a newer version than the driver

// Functions of newer drivers than the rest needs.
typedef CudaStatus LoadWithOptions(CudaHandle *module, const void *image, unsigned count, const int *options,
                                   void **values);
typedef CudaStatus EncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dimension,
                               const uint64_t *stride, const uint32_t *box, const uint32_t *element_stride,
                               int interleave, int swizzle, int promotion, int fill);

struct NativeGpu {
    Diagnostics diagnostics; // of the device
    RtDevice *device;
    CudaDevice *cuda;
    unsigned capability; // 90
    LoadWithOptions *load;
    EncodeTiled *encode; // NULL: the driver has none
    bool stopped;
};

// A run of a variant.
typedef struct Native {
    NativeGpu *gpu;
    Arena *arena;
    const FpdPrograms *programs;
    RtBuffer **buffers;  // of the case
    CudaHandle *modules; // of the programs; NULL: not loaded
    const char *reason;
} Native;

static void *function_of(const CudaDevice *cuda, const char *symbol) {
    return dlsym(cuda->driver.library, symbol);
}

NativeGpu *native_open(Diagnostics *diagnostics) {
    const RtDeviceOptions options = {.jobs = 1};
    NativeGpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) abort(); // as arenas do
    gpu->device = rt_open_cuda(diagnostics, &options);
    if (!gpu->device) {
        native_close(gpu);
        return NULL;
    }
    gpu->cuda = cuda_device(gpu->device);
    gpu->capability = (unsigned)strtoul(gpu->cuda->gpu + 3, NULL, 10); // "sm_90"
    void *load = function_of(gpu->cuda, "cuModuleLoadDataEx"),
         *encode = function_of(gpu->cuda, "cuTensorMapEncodeTiled");
    memcpy(&gpu->load, &load, sizeof load);
    memcpy(&gpu->encode, &encode, sizeof encode);
    return gpu;
}

void native_close(NativeGpu *gpu) {
    if (!gpu) return;
    rt_close(gpu->device);
    diagnostics_close(&gpu->diagnostics);
    free(gpu);
}

const char *native_description(const NativeGpu *gpu) {
    return rt_description(gpu->device);
}

bool native_is_stopped(const NativeGpu *gpu) {
    return gpu->stopped;
}

// ---- modules --------------------------------------------------------------------------------------------------------

// Whether the GPU runs what is for `.target sm_NUMBER[af]`: an `a` is for that GPU alone, an `f` for its family.
static bool is_for(const NativeGpu *gpu, const char *text) {
    const char *word = strstr(text, ".target");
    word = word ? strstr(word, "sm_") : NULL;
    if (!word) return true; // the driver says what it lacks
    char *end;
    const unsigned number = (unsigned)strtoul(word + 3, &end, 10);
    if (*end == 'a') return number == gpu->capability;
    return number <= gpu->capability && (*end != 'f' || number / 10 == gpu->capability / 10);
}

static NativeOutcome fail(Native *x, NativeOutcome outcome, CudaStatus status, const char *what) {
    x->reason = arena_format(x->arena, "%s: %s", what, cuda_status_text(&x->gpu->cuda->driver, x->arena, status));
    return outcome;
}

// Where the driver comes without its compiler: by the ptxas on PATH.
static CudaStatus load_assembled(Native *x, const char *path, CudaHandle *module) {
    const char *cubin = arena_format(x->arena, "/tmp/native_ptx.%ld.cubin", (long)getpid());
    const char *arch = arena_format(x->arena, "-arch=%s%s", x->gpu->cuda->gpu, x->gpu->capability >= 90 ? "a" : "");
    char *words[] = {"ptxas", (char *)arch, "-o", (char *)cubin, (char *)path, NULL};
    Diagnostics diagnostics = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    pid_t process;
    int status = 1;
    if (posix_spawnp(&process, words[0], NULL, NULL, words, environ) || waitpid(process, &status, 0) != process ||
        status)
        return NO_COMPILER;
    const bool read = file_read(&diagnostics, x->arena, cubin, &bytes, &size);
    diagnostics_close(&diagnostics);
    unlink(cubin);
    return read ? x->gpu->cuda->driver.module_load(module, bytes) : NO_COMPILER;
}

static CudaStatus load_text(Native *x, const char *text, char log[LOG_BYTES], CudaHandle *module) {
    const int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)LOG_BYTES};
    return x->gpu->load ? x->gpu->load(module, text, BASE_COUNT(options), options, values)
                        : x->gpu->cuda->driver.module_load(module, text);
}

// Writes another version of the ISA over the text's own, which has as many digits. False: the text has an older one.
static bool set_version(char *text, const char *version) {
    static const char word[] = ".version ";
    char *at = strstr(text, word);
    if (!at || strncmp(at += strlen(word), version, strlen(version)) <= 0) return false;
    memcpy(at, version, strlen(version));
    return true;
}

static NativeOutcome load_module(Native *x, uint32_t index) {
    const FpdModule *module = &x->programs->modules[index];
    Diagnostics diagnostics = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    const bool read = file_read(&diagnostics, x->arena, module->path, &bytes, &size);
    diagnostics_close(&diagnostics);
    if (!read) {
        x->reason = "the file cannot be read";
        return NATIVE_impossible;
    }
    char *log = arena_alloc(x->arena, LOG_BYTES);
    char *text = (char *)bytes;
    if (!is_for(x->gpu, text)) return NATIVE_other_gpu;
    static const char *const versions[] = {"9.0", "8.0"};
    CudaStatus status = load_text(x, text, log, &x->modules[index]);
    // Most texts of a version that the driver does not know need nothing of it.
    for (size_t i = 0; i < BASE_COUNT(versions) && status == OLD_DRIVER; i++)
        if (set_version(text, versions[i])) status = load_text(x, text, log, &x->modules[index]);
    if (status == NO_COMPILER) status = load_assembled(x, module->path, &x->modules[index]);
    if (!status) return NATIVE_same;
    x->modules[index] = NULL;
    log[LOG_BYTES - 1] = 0;
    for (char *c = log; *c; c++)
        if (*c == '\n') *c = ' ';
    const bool other = status == OLD_DRIVER || status == CUDA_NO_BINARY_FOR_GPU;
    return fail(x, other ? NATIVE_other_gpu : NATIVE_refused, status, *log ? log : "no log");
}

static void unload_modules(Native *x) {
    for (uint32_t m = 0; m < x->programs->module_count; m++)
        if (x->modules[m]) x->gpu->cuda->driver.module_unload(x->modules[m]);
}

// ---- arguments ------------------------------------------------------------------------------------------------------

// Writes the 128 bytes of the driver's own form.
static NativeOutcome encode_map(Native *x, const RtMap *map, uint64_t address, uint8_t bytes[RT_MAP_BYTES]) {
    _Alignas(RT_MAP_ALIGNMENT) uint8_t made[RT_MAP_BYTES];
    if (!x->gpu->encode) {
        x->reason = "the driver has no cuTensorMapEncodeTiled";
        return NATIVE_impossible;
    }
    const CudaStatus status = x->gpu->encode(
        made, (int)map->type, map->rank, (void *)(uintptr_t)address, map->dimension, map->stride + 1, map->box,
        map->element_stride, (int)map->interleave, (int)map->swizzle, 0, map->fill_nan ? MAP_FILL_NAN : 0);
    if (status) return fail(x, NATIVE_refused, status, "cuTensorMapEncodeTiled");
    memcpy(bytes, made, sizeof made);
    return NATIVE_same;
}

// Memory of zeros that the launch has for itself; it is freed with the device's. 0: there is none.
static RtBuffer *own_memory(Native *x, size_t size) {
    RtBuffer *buffer = rt_alloc(x->gpu->device, &x->gpu->diagnostics, size);
    if (!buffer) x->reason = "no memory on the GPU";
    return buffer;
}

static NativeOutcome place_map(Native *x, const FpdPlaced *placed, uint8_t *at) {
    uint8_t bytes[RT_MAP_BYTES];
    const NativeOutcome outcome =
        encode_map(x, placed->map, x->buffers[placed->buffer]->address + placed->begin, bytes);
    if (outcome) return outcome;
    if (!placed->by_address) {
        memcpy(at, bytes, sizeof bytes);
        return NATIVE_same;
    }
    RtBuffer *memory = own_memory(x, sizeof bytes);
    if (!memory || !rt_copy_in(x->gpu->device, &x->gpu->diagnostics, memory, 0, bytes, sizeof bytes))
        return NATIVE_failed;
    memcpy(at, &memory->address, sizeof memory->address);
    return NATIVE_same;
}

static NativeOutcome place(Native *x, const FpdPlaced *placed, uint8_t *at) {
    uint64_t address = 0;
    if (placed->kind == FPD_ARGUMENT_MAP) return place_map(x, placed, at);
    if (placed->kind == FPD_ARGUMENT_BUFFER) address = x->buffers[placed->buffer]->address + placed->begin;
    if (placed->kind == FPD_ARGUMENT_SCRATCH && placed->size) {
        const RtBuffer *memory = own_memory(x, placed->size);
        if (!memory) return NATIVE_failed;
        address = memory->address;
    }
    memcpy(at, &address, sizeof address);
    return NATIVE_same;
}

// ---- launches -------------------------------------------------------------------------------------------------------

static NativeOutcome start(Native *x, const FpdLaunch *launch, const FpdResolvedLaunch *resolved, uint8_t *parameters) {
    const CudaDriver *driver = &x->gpu->cuda->driver;
    const FpdThreads *threads = resolved->threads;
    // One by one: the driver knows where the kernel has them. Before an aligned parameter there may be a gap.
    void **values = arena_array(x->arena, void *, resolved->entry->parameter_count + 1u);
    for (uint32_t p = 0; p < resolved->entry->parameter_count; p++) values[p] = parameters + threads->offsets[p];
    CudaHandle function = NULL;
    CudaStatus status = driver->module_function(&function, x->modules[resolved->module], resolved->entry->name);
    if (status) return fail(x, NATIVE_refused, status, resolved->entry->name);
    if (threads->launch.shared_bytes) // also where static shared memory and this are more than usual
        status =
            driver->function_attribute(function, CUDA_FUNCTION_DYNAMIC_SHARED_BYTES, (int)threads->launch.shared_bytes);
    if (status) return fail(x, NATIVE_refused, status, "dynamic shared memory");
    const uint32_t *grid = launch->grid, *block = threads->launch.block;
    status = driver->launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                            threads->launch.shared_bytes, NULL, values, NULL);
    if (status) return fail(x, NATIVE_refused, status, "the launch");
    status = driver->synchronize();
    if (!status) return NATIVE_same;
    x->gpu->stopped = true;
    return fail(x, NATIVE_failed, status, resolved->kernel);
}

static NativeOutcome launch(Native *x, uint32_t variant, uint32_t index) {
    const FpdResolvedLaunch *resolved = &x->programs->launches[variant][index];
    const FpdThreads *threads = resolved->threads;
    NativeOutcome outcome = x->modules[resolved->module] ? NATIVE_same : load_module(x, resolved->module);
    uint8_t *parameters = arena_alloc(x->arena, threads->parameter_bytes + 1u);
    memcpy(parameters, threads->parameters, threads->parameter_bytes);
    for (uint32_t p = 0; p < threads->placed_count && !outcome; p++)
        outcome = place(x, &threads->placed[p], parameters + threads->placed[p].offset);
    return outcome ? outcome : start(x, &x->programs->cas->variants[variant].launches[index], resolved, parameters);
}

static bool open_buffers(Native *x, uint8_t *const *contents) {
    const FpdCase *cas = x->programs->cas;
    RtDevice *device = x->gpu->device;
    const FpdAddresses addresses = {x->arena, device, cas, x->buffers};
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        if (!(x->buffers[b] = own_memory(x, cas->buffers[b].bytes)) ||
            !rt_copy_in(device, &x->gpu->diagnostics, x->buffers[b], 0, contents[b], cas->buffers[b].bytes))
            return false;
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        if (!fpd_put_addresses(&addresses, &x->gpu->diagnostics, b)) return false;
    return true;
}

static NativeOutcome fetch(Native *x, uint8_t **results) {
    const FpdCase *cas = x->programs->cas;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        results[c] = arena_alloc(x->arena, buffer->bytes + 1);
        if (!rt_copy_out(x->gpu->device, &x->gpu->diagnostics, x->buffers[cas->compare[c]], 0, results[c],
                         buffer->bytes)) {
            x->reason = "results cannot be fetched";
            return NATIVE_failed;
        }
    }
    return NATIVE_same;
}

NativeOutcome native_run(NativeGpu *gpu, Arena *arena, const FpdPrograms *programs, uint32_t variant,
                         uint8_t *const *contents, uint8_t **results, const char **reason) {
    const FpdCase *cas = programs->cas;
    Native x = {.gpu = gpu, .arena = arena, .programs = programs};
    NativeOutcome outcome = NATIVE_same;
    x.buffers = arena_array(arena, RtBuffer *, cas->buffer_count + 1u);
    x.modules = arena_array(arena, CudaHandle, programs->module_count + 1u);
    const bool entered = cuda_enter(gpu->cuda, &gpu->diagnostics, "the GPU");
    if (!entered || !open_buffers(&x, contents)) outcome = NATIVE_failed;
    for (uint32_t i = 0; i < cas->variants[variant].launch_count && !outcome; i++) outcome = launch(&x, variant, i);
    if (!outcome) outcome = fetch(&x, results);
    if (entered) unload_modules(&x);
    while (gpu->cuda->buffers) rt_free(gpu->device, gpu->cuda->buffers);
    if (entered) cuda_leave(gpu->cuda);
    if (outcome && !x.reason && gpu->diagnostics.count) x.reason = arena_keep(arena, gpu->diagnostics.items[0].message);
    diagnostics_close(&gpu->diagnostics);
    gpu->diagnostics = (Diagnostics){0};
    *reason = x.reason;
    return outcome;
}
