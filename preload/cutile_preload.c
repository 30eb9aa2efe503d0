// SPDX-License-Identifier: Apache-2.0
// A library to preload (LD_PRELOAD) into programs that launch kernels as NVIDIA's tileiras makes them: by blocks of
// 1 x 1 x 1, the number of threads being the driver's business. Kernels that this project's tileiras made say how many
// threads they want (base/gpu_abi.h): their launches get that block, its dynamic shared memory, and scratch. Whatever
// else the program launches passes untouched.
//
// It replaces the driver's functions where programs look them up: dlsym and cuGetProcAddress.
#include "base/gpu_abi.h"
#include "preload/driver.h"
#include "runtime/cubin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { SCRATCH_ALIGNMENT = 256, INVALID_VALUE = 1 };

// A kernel of one of our cubins, as it is called by handles.
typedef struct Kernel {
    char *name;
    CudaHandle kernel, function; // NULL: nobody has asked for it
    uint32_t threads;
    size_t shared_bytes, scratch_bytes;
    struct Library *library;
    struct Kernel *next;
} Kernel;

// What has been done for a library in a context.
typedef struct Prepared {
    CudaHandle context;
    uint64_t scratch; // 0: none
    struct Prepared *next;
} Prepared;

typedef struct Library {
    CudaHandle handle;
    Kernel *kernels;
    Prepared *prepared;
    struct Library *next;
} Library;

// State of the process: a library that stands between a program and its driver has nobody to keep it for.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // guards the lists
static Library *libraries;
static PreloadDriver driver;
static bool driver_found;
static pthread_once_t driver_once = PTHREAD_ONCE_INIT;

// ---- the driver

typedef void *SymbolFinder(void *library, const char *name);

// dlsym itself, which cannot be asked for by its own name here.
static SymbolFinder *real_dlsym(void) {
    static SymbolFinder *finder; // the same for every thread
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    for (size_t i = 0; !finder && i < BASE_COUNT(versions); i++)
        *(void **)&finder = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    if (!finder) abort();
    return finder;
}

static void find_driver(void) {
    static const struct {
        size_t offset;
        const char *symbol;
    } rows[] = {
#define REPLACED(name, asked, symbol, least, ours, parameters) {offsetof(PreloadDriver, name), symbol},
#define USED(name, symbol, parameters)                         {offsetof(PreloadDriver, name), symbol},
#include "preload/functions.def"
#undef REPLACED
#undef USED
    };
    void *library = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    driver_found = library;
    for (size_t i = 0; driver_found && i < BASE_COUNT(rows); i++) {
        void *function = real_dlsym()(library, rows[i].symbol);
        memcpy((char *)&driver + rows[i].offset, &function, sizeof function);
        driver_found = function;
    }
}

// False: there is none that this library can replace functions of. It then leaves the program alone.
static bool have_driver(void) {
    pthread_once(&driver_once, find_driver);
    return driver_found;
}

// ---- libraries and kernels; the mutex is held

static Library **find_library(CudaHandle handle) {
    Library **link = &libraries;
    while (*link && (*link)->handle != handle) link = &(*link)->next;
    return link;
}

// By the handle of the kernel, or of the function that it is in a context.
static Kernel *find_kernel(CudaHandle handle) {
    for (Library *library = handle ? libraries : NULL; library; library = library->next)
        for (Kernel *kernel = library->kernels; kernel; kernel = kernel->next)
            if (kernel->kernel == handle || kernel->function == handle) return kernel;
    return NULL;
}

typedef struct ImageReader {
    const void *image;
    size_t size;
    Library *library;
} ImageReader;

static bool read_kernel(void *data, const char *name) {
    ImageReader *reader = data;
    uint64_t threads, shared, scratch;
    if (!cubin_constant(reader->image, reader->size, name, "block_threads", &threads) ||
        !cubin_constant(reader->image, reader->size, name, "shared_bytes", &shared) ||
        !cubin_constant(reader->image, reader->size, name, "scratch_bytes", &scratch))
        return true;
    Kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel || !(kernel->name = strdup(name))) abort();
    kernel->threads = (uint32_t)threads;
    kernel->shared_bytes = shared;
    kernel->scratch_bytes = scratch;
    kernel->library = reader->library;
    kernel->next = reader->library->kernels;
    reader->library->kernels = kernel;
    return true;
}

static void free_library(Library *library) {
    for (Kernel *next, *kernel = library->kernels; kernel; kernel = next) {
        next = kernel->next;
        free(kernel->name);
        free(kernel);
    }
    for (Prepared *next, *prepared = library->prepared; prepared; prepared = next) {
        next = prepared->next;
        free(prepared);
    }
    free(library);
}

static CudaStatus load_library(CudaHandle *handle, const void *code, void *a, void *b, unsigned c, void *d, void *e,
                               unsigned f) {
    CudaStatus status = driver.cuLibraryLoadData(handle, code, a, b, c, d, e, f);
    if (status) return status;
    Library *library = calloc(1, sizeof *library);
    if (!library) abort();
    ImageReader reader = {code, cubin_extent(code), library};
    library->handle = *handle;
    if (reader.size) cubin_functions(code, reader.size, read_kernel, &reader);
    if (!library->kernels) { // none of ours
        free(library);
        return status;
    }
    pthread_mutex_lock(&mutex);
    library->next = libraries;
    libraries = library;
    pthread_mutex_unlock(&mutex);
    return status;
}

static CudaStatus unload_library(CudaHandle handle) {
    pthread_mutex_lock(&mutex);
    Library **link = find_library(handle), *library = *link;
    if (library) *link = library->next;
    pthread_mutex_unlock(&mutex);
    CudaStatus status = driver.cuLibraryUnload(handle);
    for (Prepared *prepared = library ? library->prepared : NULL; prepared; prepared = prepared->next)
        if (prepared->scratch) driver.memory_free(prepared->scratch);
    if (library) free_library(library);
    return status;
}

static CudaStatus get_kernel(CudaHandle *handle, CudaHandle library, const char *name) {
    CudaStatus status = driver.cuLibraryGetKernel(handle, library, name);
    if (status) return status;
    pthread_mutex_lock(&mutex);
    Library *found = *find_library(library);
    for (Kernel *kernel = found ? found->kernels : NULL; kernel; kernel = kernel->next)
        if (!strcmp(kernel->name, name)) kernel->kernel = *handle;
    pthread_mutex_unlock(&mutex);
    return status;
}

static CudaStatus get_function(CudaHandle *function, CudaHandle handle) {
    CudaStatus status = driver.cuKernelGetFunction(function, handle);
    if (status) return status;
    pthread_mutex_lock(&mutex);
    Kernel *kernel = find_kernel(handle);
    if (kernel) kernel->function = *function;
    pthread_mutex_unlock(&mutex);
    return status;
}

// ---- what a kernel needs in a context, once; the mutex is held

// The bytes of scratch of a block, of the only kernel that has some: slots are of one size.
static CudaStatus need_of_library(const Library *library, const Kernel **found) {
    *found = NULL;
    for (const Kernel *kernel = library->kernels; kernel; kernel = kernel->next) {
        if (!kernel->scratch_bytes) continue;
        if (*found) {
            fprintf(stderr, "congruent: %s and %s are in one cubin and both need scratch, which is not supported\n",
                    kernel->name, (*found)->name);
            return CUDA_NOT_SUPPORTED;
        }
        *found = kernel;
    }
    return CUDA_SUCCESS;
}

static CudaStatus count_slots(const Kernel *kernel, int device, uint64_t *slots) {
    CudaHandle function;
    int resident = 0, multiprocessors = 0;
    CudaStatus status = driver.cuKernelGetFunction(&function, kernel->kernel);
    if (!status) status = driver.occupancy(&resident, function, (int)kernel->threads, kernel->shared_bytes);
    if (!status) status = driver.device_attribute(&multiprocessors, CUDA_MULTIPROCESSORS, device);
    *slots = (uint64_t)(resident > 0 ? resident : 1) * (uint64_t)(multiprocessors > 0 ? multiprocessors : 1);
    return status;
}

// Memory for scratch and its locks, and the word of it to the kernel, on a stream of our own: the program's may be
// captured.
static CudaStatus give_scratch(const Kernel *kernel, int device, uint64_t *memory) {
    uint64_t variable, slots;
    size_t size;
    CudaHandle stream = NULL;
    const size_t slot = (kernel->scratch_bytes + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
    CudaStatus status = count_slots(kernel, device, &slots);
    if (!status) status = driver.library_global(&variable, &size, kernel->library->handle, GPU_LAUNCH_NAME);
    if (!status && size != sizeof(GpuLaunch)) status = INVALID_VALUE;
    if (status) return status;
    size_t locks = 0;
    do { // fewer slots where memory is short: blocks then wait for one
        locks = (slots * sizeof(uint32_t) + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
        status = driver.memory_alloc(memory, locks + slots * slot);
    } while (status == CUDA_OUT_OF_MEMORY && (slots /= 2));
    if (status) return status;
    const GpuLaunch launch = {.scratch = *memory + locks, .scratch_locks = *memory, .scratch_slots = slots};
    status = driver.stream_create(&stream, CUDA_STREAM_NON_BLOCKING);
    if (!status) status = driver.memory_set(*memory, 0, locks, stream);
    if (!status) status = driver.copy_in(variable, &launch, sizeof launch, stream);
    if (!status) status = driver.stream_synchronize(stream);
    if (stream) driver.stream_destroy(stream);
    if (status) driver.memory_free(*memory);
    return status;
}

static CudaStatus prepare(Library *library, CudaHandle context) {
    for (Prepared *prepared = library->prepared; prepared; prepared = prepared->next)
        if (prepared->context == context) return CUDA_SUCCESS;
    const Kernel *with_scratch;
    uint64_t scratch = 0;
    int device, mode = CUDA_CAPTURE_RELAXED;
    CudaStatus status = need_of_library(library, &with_scratch);
    if (!status) status = driver.context_device(&device);
    if (!status) status = driver.capture_mode(&mode);
    if (status) return status;
    for (Kernel *kernel = library->kernels; kernel && !status; kernel = kernel->next) {
        if (!kernel->kernel) status = driver.cuLibraryGetKernel(&kernel->kernel, library->handle, kernel->name);
        if (!status && kernel->shared_bytes > CUDA_SHARED_BYTES_USUAL)
            status = driver.kernel_attribute(CUDA_FUNCTION_DYNAMIC_SHARED_BYTES, (int)kernel->shared_bytes,
                                             kernel->kernel, device);
    }
    if (!status && with_scratch) status = give_scratch(with_scratch, device, &scratch);
    driver.capture_mode(&mode);
    if (status) return status;
    Prepared *prepared = calloc(1, sizeof *prepared);
    if (!prepared) abort();
    *prepared = (Prepared){context, scratch, library->prepared};
    library->prepared = prepared;
    return CUDA_SUCCESS;
}

// Changes block and shared memory of a launch of 1 x 1 x 1 threads of one of our kernels.
static CudaStatus change_launch(CudaHandle handle, CudaHandle context, unsigned block[3], unsigned *shared_bytes) {
    if (block[0] != 1 || block[1] != 1 || block[2] != 1) return CUDA_SUCCESS;
    CudaStatus status = CUDA_SUCCESS;
    pthread_mutex_lock(&mutex);
    Kernel *kernel = find_kernel(handle);
    if (kernel) {
        if (!context) status = driver.context_current(&context);
        if (!status) status = prepare(kernel->library, context);
        block[0] = kernel->threads;
        *shared_bytes = (unsigned)kernel->shared_bytes;
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

// ---- launches

static CudaStatus launch_kernel(CudaHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                CudaHandle stream, void **parameters, void **extra) {
    unsigned block[3] = {block_x, block_y, block_z};
    CudaStatus status = change_launch(function, NULL, block, &shared_bytes);
    return status ? status
                  : driver.cuLaunchKernel(function, grid_x, grid_y, grid_z, block[0], block[1], block[2], shared_bytes,
                                          stream, parameters, extra);
}

static CudaStatus launch_kernel_ex(const LaunchConfig *config, CudaHandle function, void **parameters, void **extra) {
    if (!config) return driver.cuLaunchKernelEx(config, function, parameters, extra);
    LaunchConfig changed = *config;
    CudaStatus status = change_launch(function, NULL, changed.block, &changed.shared_bytes);
    return status ? status : driver.cuLaunchKernelEx(&changed, function, parameters, extra);
}

static CudaStatus add_kernel_node(CudaHandle *node, CudaHandle graph, const CudaHandle *before, size_t count,
                                  const KernelNode *kernel) {
    if (!kernel) return driver.cuGraphAddKernelNode(node, graph, before, count, kernel);
    KernelNode changed = *kernel;
    CudaStatus status = change_launch(kernel->function ? kernel->function : kernel->kernel, kernel->context,
                                      changed.block, &changed.shared_bytes);
    return status ? status : driver.cuGraphAddKernelNode(node, graph, before, count, &changed);
}

// ---- where programs get functions from

// By what `name` is, at `version`; by what libcuda exports where that is 0. NULL: it is left alone.
static void *find_replacement(const char *name, int version);

static CudaStatus get_address(const char *symbol, void **function, int version, uint64_t flags) {
    CudaStatus status = driver.cuGetProcAddress(symbol, function, version, flags);
    void *ours = status || !*function || flags & CUDA_PER_THREAD_STREAM ? NULL : find_replacement(symbol, version);
    if (ours) *function = ours;
    return status;
}

static CudaStatus get_address_v2(const char *symbol, void **function, int version, uint64_t flags, int *result) {
    CudaStatus status = driver.cuGetProcAddress_v2(symbol, function, version, flags, result);
    void *ours = status || !*function || flags & CUDA_PER_THREAD_STREAM ? NULL : find_replacement(symbol, version);
    if (ours) *function = ours;
    return status;
}

static void *find_replacement(const char *name, int version) {
    static const struct {
        const char *name, *symbol;
        int least;
        void *ours;
    } rows[] = {
#define REPLACED(name, asked, symbol, least, ours, parameters) {asked, symbol, least, (void *)ours},
#define USED(name, symbol, parameters)
#include "preload/functions.def"
#undef REPLACED
#undef USED
    };
    void *found = NULL;
    for (size_t i = 0; i < BASE_COUNT(rows); i++) { // later rows of a name are of later versions
        if (version ? version >= rows[i].least && !strcmp(name, rows[i].name) : !strcmp(name, rows[i].symbol))
            found = rows[i].ours;
    }
    return found && have_driver() ? found : NULL;
}

static bool is_replaced(const char *name) {
    static const char *const symbols[] = {
#define REPLACED(name, asked, symbol, least, ours, parameters) symbol,
#define USED(name, symbol, parameters)
#include "preload/functions.def"
#undef REPLACED
#undef USED
    };
    if (name[0] != 'c' || name[1] != 'u') return false; // sanitizers ask while strcmp does not work yet
    for (size_t i = 0; i < BASE_COUNT(symbols); i++)
        if (!strcmp(name, symbols[i])) return true;
    return false;
}

// For all other names the call of the real one is the last thing, a jump: it has to see its caller, for RTLD_NEXT asks
// who that is.
EXPORT void *dlsym(void *restrict library, const char *restrict name) {
    if (!is_replaced(name)) return real_dlsym()(library, name);
    void *found = real_dlsym()(library, name), *ours = found ? find_replacement(name, 0) : NULL;
    return ours ? ours : found;
}
