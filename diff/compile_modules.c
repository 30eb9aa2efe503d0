// SPDX-License-Identifier: Apache-2.0
// Compiling the modules of a case, several at a time, each by one thread; what was compiled before is found by its key:
// code for the host in this process, all code on disk.
#include "diff/machine.h"
#include "runtime/cubin.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ---- keys: all that tells one compilation from another --------------------------------------------------------------

bool fpd_compile_key(const FpdMachine *machine, const Program *program, const CompileOptions *options, CacheKey *key) {
    Diagnostics ignored = {0};
    Arena arena = {0};
    Buffer identity = {0}, asked = {0}, toolchain = {0};
    uint8_t *file;
    size_t size;
    bool good = program_print_identity(program, &identity);
    if (good) {
        // What makes the code stays the same in a process; on disk it may be another's.
        if (machine->cache.folder)
            compiler_toolchain(machine->compiler, machine->target == FPD_TARGET_cuda, &toolchain);
        CacheParts *parts = cache_parts_open();
        cache_part_text(parts, fpd_target_name(machine->target));
        cache_part(parts, toolchain.data, toolchain.size);
        cache_part_text(parts, compiler_llvm_version(machine->compiler));
        cache_part(parts, identity.data, identity.size);
        // Places in messages are those of the file, which may be text.
        cache_part_text(parts, program->path);
        if (program->path && file_read(&ignored, &arena, program->path, &file, &size)) cache_part(parts, file, size);
        compile_options_identity(options, &asked);
        cache_part(parts, asked.data, asked.size);
        *key = cache_parts_close(parts);
    }
    diagnostics_close(&ignored);
    arena_reset(&arena);
    buffer_free(&identity);
    buffer_free(&asked);
    buffer_free(&toolchain);
    return good;
}

// ---- code for the host ----------------------------------------------------------------------------------------------
// The same kernels run for several seeds, in second runs and as the reference of several cases.

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

// ---- cubins, and what they say about their kernels ------------------------------------------------------------------

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

static void close_cubin(const FpdMachine *machine, CompiledModule *module) {
    CubinModule *made = (CubinModule *)module;
    if (made->image) rt_unload(machine->device, made->image, made->image_size);
    arena_reset(&made->arena);
    free(made);
}

static CompiledModule *load_from_cubin(Diagnostics *diagnostics, const FpdMachine *machine, const Program *program,
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
    close_cubin(machine, &made->module);
    return NULL;
}

// ---- modules of a case ----------------------------------------------------------------------------------------------

typedef struct SharedWork { // of several threads
    const FpdMachine *machine;
    const FpdCompileWork *work;
    Diagnostics *diagnostics; // per module
    const uint32_t *order;    // the longest modules first, so that no thread begins with one when the others are done
    atomic_uint next;
} SharedWork;

// From disk, if it is there and what it calls is here.
static CompiledModule *load_kept_code(const FpdMachine *machine, CacheKey key) {
    Buffer code = {0};
    Diagnostics ignored = {0};
    CompiledModule *module = NULL;
    if (cache_get(&machine->cache, key, &code))
        module = compiler_load_made(machine->compiler, &ignored, code.data, code.size);
    diagnostics_close(&ignored);
    buffer_free(&code);
    return module;
}

// Compiles the program for this machine, and keeps the code on disk.
static CompiledModule *make_code(const FpdMachine *machine, Diagnostics *diagnostics, const Program *program,
                                 const CompileOptions *options, CacheKey key) {
    Buffer code = {0};
    CompiledModule *module = NULL;
    if (compiler_make(machine->compiler, diagnostics, program, options, &code))
        module = compiler_load_made(machine->compiler, diagnostics, code.data, code.size);
    if (module) cache_put(&machine->cache, key, code.data, code.size);
    buffer_free(&code);
    return module;
}

// `key` NULL: of a program that has none.
static CompiledModule *load_code(const FpdMachine *machine, Diagnostics *diagnostics, const Program *program,
                                 const CompileOptions *options, const CacheKey *key) {
    if (!machine->cache.folder || !key) return compiler_load(machine->compiler, diagnostics, program, options);
    CompiledModule *module = load_kept_code(machine, *key);
    return module ? module : make_code(machine, diagnostics, program, options, *key);
}

// Code for the host, which keeps nothing of a run in itself, is loaded once for a process.
static CompiledModule *load_for_host(const FpdMachine *machine, Diagnostics *diagnostics, const Program *program,
                                     const CompileOptions *options) {
    CacheKey key;
    const bool known = (machine->kept || machine->cache.folder) && fpd_compile_key(machine, program, options, &key);
    const bool kept = known && machine->kept;
    CompiledModule *module = kept ? fpd_kept_find(machine->kept, key) : NULL;
    if (module) return module;
    module = load_code(machine, diagnostics, program, options, known ? &key : NULL);
    if (module && kept) fpd_kept_add(machine->kept, key, module);
    return module;
}

// Code for the emulator of GPUs keeps a launch in itself: each run has its own.
static CompiledModule *load_emulated(const FpdMachine *machine, Diagnostics *diagnostics, const Program *program,
                                     const CompileOptions *options) {
    CacheKey key;
    const bool known = machine->cache.folder && fpd_compile_key(machine, program, options, &key);
    return load_code(machine, diagnostics, program, options, known ? &key : NULL);
}

// Kernels that no launch names need no code.
static const CompileKernels *launched_kernels(const FpdModule *module, CompileKernels *kernels) {
    *kernels = (CompileKernels){module->launched, module->program->kernel_count};
    return module->launched ? kernels : NULL;
}

static CompiledModule *load_tiles(const FpdMachine *machine, Diagnostics *diagnostics, const FpdModule *module,
                                  const CompileOptions *asked) {
    CompileKernels kernels;
    CompileOptions options = *asked;
    options.kernels = launched_kernels(module, &kernels);
    return load_for_host(machine, diagnostics, module->program, &options);
}

static bool has_threads(const Program *program) {
    return program->kernel_count && program->kernels[0].threads;
}

// Kernels of threads are for the emulator, whatever the target; and PTX says itself how it computes. So of the options
// these count, and one compilation serves all builds and second runs.
static CompiledModule *load_threads(const FpdMachine *machine, Diagnostics *diagnostics, const FpdModule *module,
                                    const CompileOptions *asked) {
    CompileKernels kernels;
    const CompileOptions options = {.numeric = asked->numeric,
                                    .instrumentation = asked->instrumentation,
                                    .cpu = asked->cpu,
                                    .kernels = launched_kernels(module, &kernels),
                                    .optimize = asked->optimize};
    return load_for_host(machine, diagnostics, module->program, &options);
}

static CompiledModule *compile_module(const FpdMachine *machine, Diagnostics *diagnostics, const FpdModule *module,
                                      const CompileOptions *options) {
    const Program *program = module->program;
    if (has_threads(program)) return load_threads(machine, diagnostics, module, options);
    switch (machine->target) {
    case FPD_TARGET_cuda: return load_from_cubin(diagnostics, machine, program, options);
    case FPD_TARGET_host: return load_tiles(machine, diagnostics, module, options);
    default: return load_emulated(machine, diagnostics, program, options);
    }
}

static void close_module(const FpdMachine *machine, CompiledModule *module) {
    if (!module) return;
    if (machine->target == FPD_TARGET_cuda)
        close_cubin(machine, module);
    else if (!machine->kept || !fpd_kept_release(machine->kept, module))
        compiled_module_close(machine->compiler, module);
}

static void *compile_some(void *argument) {
    SharedWork *shared = argument;
    const FpdCompileWork *work = shared->work;
    for (uint32_t next; (next = atomic_fetch_add(&shared->next, 1)) < work->count;) {
        const uint32_t i = shared->order[next];
        work->modules[i]->compiled[work->build][work->mode] =
            compile_module(shared->machine, &shared->diagnostics[i], work->modules[i], work->options);
    }
    return NULL;
}

typedef struct SizedModule {
    uint32_t index;
    size_t size;
} SizedModule;

static int compare_sizes(const void *left, const void *right) {
    const SizedModule *a = left, *b = right;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

// The modules in the order in which they are compiled. How long each takes is guessed by how long it is.
static const uint32_t *order_by_size(Arena *arena, const FpdCompileWork *work) {
    SizedModule *sized = arena_array(arena, SizedModule, work->count + 1u);
    uint32_t *order = arena_array(arena, uint32_t, work->count + 1u);
    for (uint32_t i = 0; i < work->count; i++) {
        Buffer identity = {0};
        program_print_identity(work->modules[i]->program, &identity);
        sized[i] = (SizedModule){i, identity.size};
        buffer_free(&identity);
    }
    qsort(sized, work->count, sizeof *sized, compare_sizes);
    for (uint32_t i = 0; i < work->count; i++) order[i] = sized[i].index;
    return order;
}

// The errors of the first module that has some, as if the modules had been compiled in order.
static bool report_first(Diagnostics *diagnostics, const SharedWork *shared) {
    for (uint32_t i = 0; i < shared->work->count; i++) {
        const Diagnostics *found = &shared->diagnostics[i];
        for (size_t k = 0; k < found->count; k++)
            diag_fail(diagnostics, found->items[k].at, found->items[k].code, "%s", found->items[k].message);
        if (!shared->work->modules[i]->compiled[shared->work->build][shared->work->mode]) return false;
    }
    return true;
}

void fpd_close_compiled(const FpdMachine *machine, FpdPrograms *programs) {
    for (uint32_t m = 0; m < programs->module_count; m++)
        for (uint32_t build = 0; build <= programs->cas->build_count; build++)
            for (int mode = 0; mode < FPD_MODE_COUNT; mode++) {
                CompiledModule **compiled = &programs->modules[m].compiled[build][mode];
                close_module(machine, *compiled);
                *compiled = NULL;
            }
}

bool fpd_compile_modules(Diagnostics *diagnostics, Arena *arena, const FpdMachine *machine,
                         const FpdCompileWork *work) {
    enum { THREADS_MAX = 64 };
    pthread_t threads[THREADS_MAX];
    SharedWork shared = {.machine = machine,
                         .work = work,
                         .diagnostics = arena_array(arena, Diagnostics, work->count + 1u),
                         .order = order_by_size(arena, work)};
    uint32_t wanted = rt_jobs(machine->device) < work->count ? rt_jobs(machine->device) : work->count, started = 0;
    // What gets no thread of its own is done here.
    while (started + 1 < wanted && started < THREADS_MAX &&
           !pthread_create(&threads[started], NULL, compile_some, &shared))
        started++;
    compile_some(&shared);
    for (uint32_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    bool good = report_first(diagnostics, &shared);
    for (uint32_t i = 0; i < work->count; i++) diagnostics_close(&shared.diagnostics[i]);
    return good;
}
