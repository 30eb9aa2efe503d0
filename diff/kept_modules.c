// SPDX-License-Identifier: Apache-2.0
// What this process has compiled for the host, found again by its key: the same kernels run for several seeds, in
// second runs and as the reference of several cases.
#include "diff/machine.h"

#include <pthread.h>
#include <stdlib.h>

// Of those that nobody uses, the ones used last are kept.
enum { IDLE_MAX = 64 };

typedef struct KeptModule {
    CacheKey key;
    CompiledModule *module;
    uint32_t users;
    uint64_t last_use;
} KeptModule;

struct FpdKept {
    Compiler *compiler;
    pthread_mutex_t lock;
    KeptModule *modules;
    size_t count, capacity;
    uint64_t clock;
};

FpdKept *fpd_kept_open(Compiler *compiler) {
    FpdKept *kept = calloc(1, sizeof *kept);
    if (!kept) abort(); // as arenas do
    kept->compiler = compiler;
    pthread_mutex_init(&kept->lock, NULL);
    return kept;
}

void fpd_kept_close(FpdKept *kept) {
    if (!kept) return;
    for (size_t i = 0; i < kept->count; i++) compiled_module_close(kept->compiler, kept->modules[i].module);
    pthread_mutex_destroy(&kept->lock);
    free(kept->modules);
    free(kept);
}

CompiledModule *fpd_kept_find(FpdKept *kept, CacheKey key) {
    CompiledModule *found = NULL;
    pthread_mutex_lock(&kept->lock);
    for (size_t i = 0; i < kept->count && !found; i++) {
        KeptModule *module = &kept->modules[i];
        if (module->key.low != key.low || module->key.high != key.high) continue;
        module->users++;
        module->last_use = ++kept->clock;
        found = module->module;
    }
    pthread_mutex_unlock(&kept->lock);
    return found;
}

void fpd_kept_add(FpdKept *kept, CacheKey key, CompiledModule *module) {
    pthread_mutex_lock(&kept->lock);
    if (kept->count == kept->capacity) {
        kept->capacity = kept->capacity ? 2 * kept->capacity : IDLE_MAX;
        kept->modules = realloc(kept->modules, kept->capacity * sizeof *kept->modules);
        if (!kept->modules) abort();
    }
    kept->modules[kept->count++] = (KeptModule){key, module, 1, ++kept->clock};
    pthread_mutex_unlock(&kept->lock);
}

static void drop_oldest(FpdKept *kept) {
    size_t idle = 0, oldest = kept->count;
    for (size_t i = 0; i < kept->count; i++) {
        if (kept->modules[i].users) continue;
        idle++;
        if (oldest == kept->count || kept->modules[i].last_use < kept->modules[oldest].last_use) oldest = i;
    }
    if (idle <= IDLE_MAX) return;
    compiled_module_close(kept->compiler, kept->modules[oldest].module);
    kept->modules[oldest] = kept->modules[--kept->count];
}

bool fpd_kept_release(FpdKept *kept, const CompiledModule *module) {
    bool found = false;
    pthread_mutex_lock(&kept->lock);
    for (size_t i = 0; i < kept->count && !found; i++) {
        if (kept->modules[i].module != module) continue;
        found = true;
        kept->modules[i].users--;
        drop_oldest(kept);
    }
    pthread_mutex_unlock(&kept->lock);
    return found;
}
