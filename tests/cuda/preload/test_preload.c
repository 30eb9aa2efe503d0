// SPDX-License-Identifier: Apache-2.0
// The preload library, by a program that does what cuTile does: every function comes from cuGetProcAddress_v2, which
// comes from dlsym, and kernels are launched by blocks of 1 x 1 x 1. PRELOADED says whether the library is there.
#include "preload/driver.h"
#include "tests/cuda/image.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct Api {
    FakeDriver fake;
    CudaStatus (*get_address)(const char *, void **, int, uint64_t, int *);
    CudaStatus (*retain)(CudaHandle *, int), (*release)(int), (*push)(CudaHandle), (*pop)(CudaHandle *);
    CudaStatus (*device_get)(int *, int), (*synchronize)(void);
    CudaStatus (*load)(CudaHandle *, const void *, void *, void *, unsigned, void *, void *, unsigned);
    CudaStatus (*unload)(CudaHandle), (*get_kernel)(CudaHandle *, CudaHandle, const char *);
    CudaStatus (*get_function)(CudaHandle *, CudaHandle);
    CudaStatus (*launch)(CudaHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CudaHandle,
                         void **, void **);
    CudaStatus (*launch_ex)(const LaunchConfig *, CudaHandle, void **, void **);
    CudaStatus (*add_node)(CudaHandle *, CudaHandle, const CudaHandle *, size_t, const KernelNode *);
    int device;
} Api;

static bool preloaded(void) {
    return getenv("PRELOADED");
}

static void *address(const Api *api, const char *name, int version, uint64_t flags) {
    void *function = NULL;
    cr_assert_eq(api->get_address(name, &function, version, flags, NULL), 0, "%s", name);
    return function;
}

static Api open_api(void) {
    Api api = {.fake = fake_driver()};
    void *library = dlopen(FAKE_LIBRARY, RTLD_NOW);
    *(void **)&api.get_address = dlsym(library, "cuGetProcAddress_v2");
    const struct {
        const char *name;
        int version;
        void *to;
    } rows[] = {
        {"cuDevicePrimaryCtxRetain", 7000, &api.retain}, {"cuDevicePrimaryCtxRelease", 7000, &api.release},
        {"cuCtxPushCurrent", 4000, &api.push},           {"cuCtxPopCurrent", 4000, &api.pop},
        {"cuDeviceGet", 2000, &api.device_get},          {"cuCtxSynchronize", 2000, &api.synchronize},
        {"cuLibraryLoadData", 12000, &api.load},         {"cuLibraryUnload", 12000, &api.unload},
        {"cuLibraryGetKernel", 12000, &api.get_kernel},  {"cuKernelGetFunction", 12000, &api.get_function},
        {"cuLaunchKernel", 7000, &api.launch},           {"cuLaunchKernelEx", 11060, &api.launch_ex},
        {"cuGraphAddKernelNode", 12000, &api.add_node},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        *(void **)rows[i].to = address(&api, rows[i].name, rows[i].version, 0);
    CudaHandle context;
    cr_assert_eq(api.device_get(&api.device, 0), 0);
    cr_assert_eq(api.retain(&context, api.device), 0);
    cr_assert_eq(api.push(context), 0);
    return api;
}

static void close_api(Api *api) {
    CudaHandle context;
    api->pop(&context);
    api->release(api->device);
    cr_assert_null(api->fake.state->misuse, "%s", api->fake.state->misuse);
    cr_assert_eq(api->fake.state->leaked + api->fake.state->libraries + api->fake.state->streams, 0);
}

// Launches once in each way; with `block` threads along x.
static CudaStatus launch_all(Api *api, CudaHandle kernel, unsigned block, void (*check)(const FakeLaunch *)) {
    CudaHandle node, function;
    cr_assert_eq(api->get_function(&function, kernel), 0);
    const LaunchConfig config = {.grid = {3, 2, 1}, .block = {block, 1, 1}, .shared_bytes = 8};
    const KernelNode nodes[] = {{.kernel = kernel, .grid = {3, 2, 1}, .block = {block, 1, 1}},
                                {.function = function, .grid = {3, 2, 1}, .block = {block, 1, 1}}};
    for (int way = 0; way < 6; way++) {
        const unsigned before = api->fake.state->launches;
        CudaStatus status = way == 0   ? api->launch(kernel, 3, 2, 1, block, 1, 1, 8, NULL, NULL, NULL)
                            : way == 1 ? api->launch(function, 3, 2, 1, block, 1, 1, 8, NULL, NULL, NULL)
                            : way == 2 ? api->launch_ex(&config, kernel, NULL, NULL)
                            : way == 3 ? api->launch_ex(&config, function, NULL, NULL)
                                       : api->add_node(&node, NULL, NULL, 0, &nodes[way - 4]);
        if (status) return status;
        cr_assert_eq(api->fake.state->launches, before + 1);
        cr_assert(api->fake.state->last.grid[0] == 3 && api->fake.state->last.grid[1] == 2);
        if (check) check(&api->fake.state->last);
    }
    return CUDA_SUCCESS;
}

static void check_ours(const FakeLaunch *launch) {
    cr_assert_eq(launch->block[0], preloaded() ? 128 : 1);
    cr_assert_eq(launch->block[1] * launch->block[2], 1);
    if (preloaded()) cr_assert_eq(launch->shared_bytes, 4000);
}

static void check_untouched(const FakeLaunch *launch) {
    cr_assert_leq(launch->block[0], 64);
    cr_assert_leq(launch->shared_bytes, 8);
}

static CudaHandle load(Api *api, const Buffer *image, const char *name, CudaHandle *library) {
    CudaHandle kernel;
    cr_assert_eq(api->load(library, image->data, NULL, NULL, 0, NULL, NULL, 0), 0);
    cr_assert_eq(api->get_kernel(&kernel, *library, name), 0);
    return kernel;
}

Test(preload, block) {
    Api api = open_api();
    CudaHandle library, other, kernel, foreign;
    Buffer image = image_make(&(ImageKernel){.name = "k", .threads = 128, .shared_bytes = 4000});
    Buffer stranger = image_make(&(ImageKernel){.name = "k", .threads = 128, .shared_bytes = 4000, .foreign = true});
    kernel = load(&api, &image, "k", &library);
    foreign = load(&api, &stranger, "k", &other);
    cr_assert_eq(launch_all(&api, kernel, 1, check_ours), 0);
    cr_assert_eq(launch_all(&api, kernel, 64, check_untouched), 0); // who says how many threads is obeyed
    cr_assert_eq(launch_all(&api, foreign, 1, check_untouched), 0);
    cr_assert_eq(api.unload(other), 0);
    cr_assert_eq(api.unload(library), 0);
    buffer_free(&image);
    buffer_free(&stranger);
    close_api(&api);
}

// More than 48 KiB have to be asked for.
Test(preload, shared_memory) {
    if (!preloaded()) cr_skip();
    Api api = open_api();
    CudaHandle library;
    Buffer image = image_make(&(ImageKernel){.name = "k", .threads = 128, .shared_bytes = 100000});
    CudaHandle kernel = load(&api, &image, "k", &library);
    cr_assert_eq(launch_all(&api, kernel, 1, NULL), 0);
    cr_assert_eq(api.fake.state->last.shared_bytes, 100000);
    cr_assert_eq(api.unload(library), 0);
    buffer_free(&image);
    close_api(&api);
}

static void check_scratch(const FakeLaunch *launch) {
    const GpuLaunch *l = launch->launch;
    const uint32_t *locks = fake_at(l->scratch_locks);
    cr_assert_eq(l->scratch_slots, 4 * 16); // of 4 multiprocessors with 16 blocks of 128 threads
    cr_assert_eq(l->scratch % 256, 0);
    for (uint64_t s = 0; s < l->scratch_slots; s++) {
        cr_assert_eq(locks[s], 0);
        memset((uint8_t *)fake_at(l->scratch) + s * 1000, 7, 1000);
    }
    cr_assert(l->fault == 0 && l->argument_ranges == 0 && l->buffers == 0 && l->globals == 0);
}

// Scratch is there from the first launch on, also where that is captured, and goes with the library.
Test(preload, scratch) {
    if (!preloaded()) cr_skip();
    for (int capturing = 0; capturing < 2; capturing++) {
        Api api = open_api();
        CudaHandle library;
        Buffer image = image_make(&(ImageKernel){.name = "k", .threads = 128, .scratch_bytes = 1000});
        api.fake.state->capturing = capturing;
        CudaHandle kernel = load(&api, &image, "k", &library);
        cr_assert_eq(launch_all(&api, kernel, 1, check_scratch), 0);
        cr_assert_eq(api.fake.state->allocations, 1);
        cr_assert_eq(api.fake.state->capture_mode, 0); // as it was
        cr_assert_eq(api.unload(library), 0);
        cr_assert_eq(api.fake.state->allocations, 0);
        buffer_free(&image);
        close_api(&api);
    }
}

// Where preparing fails the launch does, with the driver's status, and nothing is left.
Test(preload, every_call_fails_once) {
    if (!preloaded()) cr_skip();
    unsigned failed = 0;
    for (unsigned call = 1;; call++) {
        Api api = open_api();
        CudaHandle library;
        Buffer image =
            image_make(&(ImageKernel){.name = "k", .threads = 128, .shared_bytes = 50000, .scratch_bytes = 1000});
        CudaHandle kernel = load(&api, &image, "k", &library);
        api.fake.state->fail_at = call;
        api.fake.state->fail_with = 77;
        CudaStatus status = api.launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
        const bool finished = api.fake.state->fail_at;
        cr_assert(status == 0 || status == 77);
        failed += status == 77;
        api.fake.state->fail_at = 0;
        cr_assert_eq(api.launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0); // it may be tried again
        cr_assert_eq(api.unload(library), 0);
        buffer_free(&image);
        close_api(&api);
        if (finished) break;
    }
    cr_assert_geq(failed, 12);
}

// RTLD_NEXT means what comes after its caller, which is this program: the library itself, where it is there.
Test(preload, next) {
    void *first = dlsym(RTLD_DEFAULT, "dlsym"), *next = dlsym(RTLD_NEXT, "dlsym");
    Dl_info info;
    cr_assert_not_null(first);
    cr_assert_eq(first, next);
    cr_assert(dladdr(next, &info));
    cr_assert_eq(strstr(info.dli_fname, "libcongruent_cutile.so") != NULL, preloaded());
}

// With the default streams of threads functions are others, which are left alone.
Test(preload, other_streams) {
    Api api = open_api();
    void *library = dlopen(FAKE_LIBRARY, RTLD_NOW),
         *real = address(&api, "cuLaunchKernel", 7000, CUDA_PER_THREAD_STREAM);
    Dl_info info;
    cr_assert(dladdr(real, &info) && strstr(info.dli_fname, FAKE_LIBRARY), "%s", info.dli_fname);
    cr_assert(dladdr((void *)api.launch, &info));
    cr_assert_eq(strstr(info.dli_fname, FAKE_LIBRARY) == NULL, preloaded());
    cr_assert(dladdr(dlsym(library, "cuLaunchKernelEx"), &info));
    cr_assert_eq(strstr(info.dli_fname, FAKE_LIBRARY) == NULL, preloaded());
    CudaHandle context;
    api.pop(&context);
    api.release(api.device);
}
