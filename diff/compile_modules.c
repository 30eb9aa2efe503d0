// SPDX-License-Identifier: Apache-2.0
// Compiling the modules of a case, several at a time: each is compiled by one thread.
#include "diff/run.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct CompileWork {
    const FpdMachine *machine;
    FpdModule **modules;
    Diagnostics *diagnostics; // per module
    uint32_t count;
    FpdMode mode;
    const CompileOptions *options;
    atomic_uint next;
} CompileWork;

// Code for the host, which keeps nothing of a run in itself, is compiled once for a process.
static CompiledModule *load_for_host(const FpdMachine *machine, Diagnostics *diagnostics, const Program *program,
                                     const CompileOptions *options) {
    CacheKey key;
    const bool known = machine->kept && fpd_compile_key(machine, program, options, &key);
    CompiledModule *module = known ? fpd_kept_find(machine->kept, key) : NULL;
    if (module) return module;
    module = compiler_load(machine->compiler, diagnostics, program, options);
    if (module && known) fpd_kept_add(machine->kept, key, module);
    return module;
}

static CompiledModule *compile_module(const FpdMachine *machine, Diagnostics *diagnostics, const Program *program,
                                      const CompileOptions *options) {
    switch (machine->target) {
    case FPD_TARGET_cuda: return fpd_cubin_load(diagnostics, machine, program, options);
    case FPD_TARGET_host: return load_for_host(machine, diagnostics, program, options);
    default: return compiler_load(machine->compiler, diagnostics, program, options);
    }
}

static void close_module(const FpdMachine *machine, CompiledModule *module) {
    if (!module) return;
    if (machine->target == FPD_TARGET_cuda)
        fpd_cubin_close(machine, module);
    else if (!machine->kept || !fpd_kept_release(machine->kept, module))
        compiled_module_close(machine->compiler, module);
}

static void *compile_some(void *argument) {
    CompileWork *work = argument;
    for (uint32_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;)
        work->modules[i]->compiled[work->mode] =
            compile_module(work->machine, &work->diagnostics[i], work->modules[i]->program, work->options);
    return NULL;
}

// The errors of the first module that has some, as if the modules had been compiled in order.
static bool report_first(Diagnostics *diagnostics, const CompileWork *work) {
    for (uint32_t i = 0; i < work->count; i++) {
        const Diagnostics *found = &work->diagnostics[i];
        for (size_t k = 0; k < found->count; k++)
            diag_fail(diagnostics, found->items[k].at, found->items[k].code, "%s", found->items[k].message);
        if (!work->modules[i]->compiled[work->mode]) return false;
    }
    return true;
}

void fpd_close_compiled(const FpdMachine *machine, FpdProgram *program) {
    for (uint32_t m = 0; m < program->module_count; m++)
        for (int mode = 0; mode < FPD_MODE_COUNT; mode++) {
            close_module(machine, program->modules[m].compiled[mode]);
            program->modules[m].compiled[mode] = NULL;
        }
}

bool fpd_compile_modules(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, FpdModule **modules,
                         uint32_t count, FpdMode mode, const CompileOptions *options) {
    enum { THREADS_MAX = 64 };
    pthread_t threads[THREADS_MAX];
    CompileWork work = {.machine = machine,
                        .modules = modules,
                        .diagnostics = arena_array(arena, Diagnostics, count + 1u),
                        .count = count,
                        .mode = mode,
                        .options = options};
    uint32_t wanted = rt_jobs(machine->device) < count ? rt_jobs(machine->device) : count, started = 0;
    // What gets no thread of its own is done here.
    while (started + 1 < wanted && started < THREADS_MAX &&
           !pthread_create(&threads[started], NULL, compile_some, &work))
        started++;
    compile_some(&work);
    for (uint32_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    bool good = report_first(diagnostics, &work);
    for (uint32_t i = 0; i < count; i++) diagnostics_close(&work.diagnostics[i]);
    return good;
}
