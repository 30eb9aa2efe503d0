// SPDX-License-Identifier: Apache-2.0
// The modules of a case: each file is read and verified once; each launch finds its entry and its argument values.
#include "diff/programs.h"

#include <stdlib.h>
#include <string.h>

typedef struct ProgramLoader {
    Diagnostics *diagnostics;
    Arena *arena;
    FpdPrograms *programs;
    Map paths;
    size_t capacity;
} ProgramLoader;

static bool load_module(ProgramLoader *l, const FpdLaunch *launch, uint32_t *index) {
    uint64_t known;
    if (map_find(&l->paths, launch->path, &known)) {
        *index = (uint32_t)known;
        return true;
    }
    FpdPrograms *programs = l->programs;
    const Program *read = program_read(l->diagnostics, launch->path);
    if (!read) return false;
    programs->modules =
        arena_grow(l->arena, programs->modules, programs->module_count, &l->capacity, sizeof *programs->modules);
    *index = programs->module_count++;
    programs->modules[*index] = (FpdModule){
        .path = launch->path, .program = read, .launched = arena_array(l->arena, bool, read->kernel_count + 1u)};
    map_insert(&l->paths, l->arena, launch->path, *index);
    return true;
}

// "f" of "_Z1fPKf", as C++ mangles names; NULL: the name is no such one.
static const char *name_in_cpp(Arena *arena, const char *full) {
    char *name;
    if (strncmp(full, "_Z", 2)) return NULL;
    const unsigned long length = strtoul(full + 2, &name, 10);
    return length && length <= strlen(name) ? arena_text(arena, name, length) : NULL;
}

// The name of an entry before the mangling. False: that cannot be told.
static bool plain_name(Arena *arena, const ProgramKernel *kernel, const char **plain) {
    FpdEntryName name;
    const char *problem;
    *plain = kernel->threads ? name_in_cpp(arena, kernel->name) : NULL;
    if (!kernel->threads && fpd_read_entry_name(arena, kernel->name, &name, &problem)) *plain = name.name;
    return *plain;
}

// The name of an entry before the mangling; in full where that cannot be told or another entry has it too.
static const char *short_name(ProgramLoader *l, const Program *module, uint32_t kernel) {
    const char *name, *other, *full = module->kernels[kernel].name;
    if (!plain_name(l->arena, &module->kernels[kernel], &name)) return full;
    for (uint32_t k = 0; k < module->kernel_count; k++)
        if (k != kernel && plain_name(l->arena, &module->kernels[k], &other) && !strcmp(other, name)) return full;
    return name;
}

static const char *entry_list(ProgramLoader *l, const Program *module) {
    const char *list = "none";
    for (uint32_t k = 0; k < module->kernel_count && k < 20; k++) {
        const char *text = short_name(l, module, k);
        list = k ? arena_format(l->arena, "%s, %s", list, text) : text;
    }
    return list;
}

static bool is_triton(const ProgramKernel *kernel) {
    return !kernel->threads && kernel->parameter_count && kernel->parameters[0].name;
}

// The entry called launch->kernel (in full, or before the mangling), or the only one. NULL and a diagnostic.
static const ProgramKernel *find_entry(ProgramLoader *l, const FpdLaunch *launch, const Program *module) {
    const ProgramKernel *exact = NULL, *last = NULL;
    const char *asked = launch->kernel ? launch->kernel : module->main_kernel;
    const size_t length = asked ? strlen(asked) : 0;
    uint32_t plain = 0;
    if (!launch->kernel && module->kernel_count == 1) return module->kernels;
    for (uint32_t k = 0; k < module->kernel_count && asked; k++) {
        const ProgramKernel *kernel = &module->kernels[k];
        const char *name;
        if (!strcmp(kernel->name, asked))
            exact = kernel;
        else if (plain_name(l->arena, kernel, &name) && !strcmp(name, asked))
            plain++, last = kernel;
        else if (is_triton(kernel) && !strncmp(kernel->name, asked, length) && kernel->name[length] == '_')
            plain++, last = kernel; // older versions say what it was specialised for: softmax_0d1d2
    }
    if (exact) return exact;
    if (plain == 1) return last;
    if (launch->kernel)
        diag_fail(l->diagnostics, launch->kernel_at, E_CASE, "%s entry '%s' in module %s, expected one of: %s",
                  plain ? "more than one" : "no", launch->kernel, launch->path, entry_list(l, module));
    else
        diag_fail(l->diagnostics, launch->module_at, E_CASE,
                  "module %s has %u entries, expected one, or the key kernel with one of: %s", launch->path,
                  module->kernel_count, entry_list(l, module));
    return NULL;
}

// Keys of launches that are for kernels of the other kind.
static bool check_keys(const ProgramLoader *l, const FpdLaunch *launch, const ProgramKernel *entry) {
    const struct {
        const char *key;
        bool given;
        Location at;
    } keys[] = {{"block", launch->block[0], launch->block_at},
                {"cluster", launch->cluster[0], launch->cluster_at},
                {"shared", launch->shared_given, launch->shared_at}};
    if (entry->threads)
        return !launch->build || diag_fail(l->diagnostics, launch->math_at, E_CASE,
                                           "math is for launches of Tile IR, module %s is PTX, which says itself how "
                                           "it computes",
                                           launch->path);
    for (size_t i = 0; i < BASE_COUNT(keys); i++)
        if (keys[i].given)
            return diag_fail(l->diagnostics, keys[i].at, E_CASE, "%s is for launches of PTX, module %s is Tile IR",
                             keys[i].key, launch->path);
    return true;
}

static bool match_launch(ProgramLoader *l, const FpdLaunch *launch, FpdResolvedLaunch *resolved) {
    const FpdCase *cas = l->programs->cas;
    const ProgramKernel *entry = resolved->entry;
    if (!check_keys(l, launch, entry)) return false;
    if (!entry->threads)
        return fpd_check_parameters(l->diagnostics, entry) &&
               fpd_match_arguments(l->diagnostics, l->arena, cas, launch, entry, &resolved->values);
    if (!fpd_family_info(cas->family)->threads)
        return diag_fail(l->diagnostics, launch->module_at, E_CASE,
                         "module %s is PTX, which this case would run in profile %s: say `profile: %s`", launch->path,
                         fpd_profile_name(cas), fpsan_profile_at(0)->name);
    return fpd_match_threads(l->diagnostics, l->arena, cas, launch, resolved);
}

static bool resolve_launch(ProgramLoader *l, const FpdLaunch *launch, FpdResolvedLaunch *resolved) {
    const char *name;
    if (!load_module(l, launch, &resolved->module)) return false;
    const FpdModule *module = &l->programs->modules[resolved->module];
    const ProgramKernel *entry = find_entry(l, launch, module->program);
    resolved->entry = entry;
    if (!entry) return false;
    module->launched[entry - module->program->kernels] = true;
    const char *text = plain_name(l->arena, entry, &name) ? name : entry->name;
    char *kernel = arena_text(l->arena, text, strlen(text));
    for (char *c = kernel; *c; c++) // names in bytecode may be any bytes; this one goes to terminals
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    resolved->kernel = kernel;
    return match_launch(l, launch, resolved);
}

// Each scope of a build is for some op of the kernels, and bounds are of ops that have some.
static bool check_builds(const ProgramLoader *l) {
    const FpdCase *cas = l->programs->cas;
    const Program **programs = arena_array(l->arena, const Program *, l->programs->module_count + 1u);
    for (uint32_t m = 0; m < l->programs->module_count; m++) programs[m] = l->programs->modules[m].program;
    for (uint32_t b = 0; b < cas->build_count; b++)
        if (!compiler_check_math(l->diagnostics, cas->builds[b].at, E_CASE, &cas->builds[b].settings,
                                 l->programs->module_count, programs))
            return false;
    return true;
}

void fpd_module_reserve(Arena *arena, const FpdCase *cas, FpdModule *module) {
    module->compiled = arena_alloc_array(arena, cas->build_count + 1u, sizeof *module->compiled);
}

FpdPrograms *fpd_load_programs(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas) {
    ProgramLoader l = {.diagnostics = diagnostics, .arena = arena, .programs = arena_new(arena, FpdPrograms)};
    l.programs->cas = cas;
    l.programs->launches = arena_array(arena, FpdResolvedLaunch *, cas->variant_count);
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        const FpdVariant *variant = &cas->variants[v];
        FpdResolvedLaunch *launches = l.programs->launches[v] =
            arena_array(arena, FpdResolvedLaunch, variant->launch_count);
        for (uint32_t i = 0; i < variant->launch_count; i++)
            if (!resolve_launch(&l, &variant->launches[i], &launches[i])) {
                fpd_programs_close(l.programs);
                return NULL;
            }
        fpd_trace_addresses(arena, l.programs, v);
    }
    for (uint32_t m = 0; m < l.programs->module_count; m++) fpd_module_reserve(arena, cas, &l.programs->modules[m]);
    if (!fpd_check_meanings(diagnostics, l.programs) || !check_builds(&l)) {
        fpd_programs_close(l.programs);
        return NULL;
    }
    return l.programs;
}

void fpd_programs_close(FpdPrograms *programs) {
    for (uint32_t m = 0; programs && m < programs->module_count; m++) {
        program_close(programs->modules[m].program);
        programs->modules[m].program = NULL;
    }
}

static bool is_reached(const FpdResolvedLaunch *launch, uint32_t buffer) {
    bool reached = false;
    for (uint32_t i = 0; i < launch->reached_count; i++) reached |= launch->reached[i] == buffer;
    return reached;
}

// Whatever a kernel of threads gets a pointer to, or a map of, it may read and write.
static ProgramUse threads_use(const FpdResolvedLaunch *launch, uint32_t buffer) {
    const FpdThreads *threads = launch->threads;
    bool given = is_reached(launch, buffer);
    for (uint32_t p = 0; p < threads->placed_count; p++)
        given |= threads->placed[p].kind != FPD_ARGUMENT_SCRATCH && threads->placed[p].buffer == buffer;
    return (ProgramUse){.reads = given, .writes = given, .unknown = given};
}

// What a launch of a kernel of tiles does through a parameter. Addresses that it loads may lead to the parameter's
// buffer where they come from that buffer's pointers: from this launch, or from memory.
static ProgramUse parameter_use(const FpdResolvedLaunch *launch, uint32_t parameter) {
    ProgramUse use = launch->entry->parameters[parameter].use;
    if (launch->addresses.made || is_reached(launch, launch->values[parameter].buffer)) return use;
    use.reads = use.reads_own;
    use.writes = use.writes_own;
    return use;
}

ProgramUse fpd_stored_tile(const FpdPrograms *programs, uint32_t variant, uint32_t buffer) {
    ProgramUse use = {0};
    for (uint32_t i = 0; i < programs->cas->variants[variant].launch_count; i++) {
        const FpdResolvedLaunch *launch = &programs->launches[variant][i];
        if (launch->threads && threads_use(launch, buffer).writes) use = (ProgramUse){0};
        if (!launch->threads && is_reached(launch, buffer) && launch->addresses.followed.writes) use = (ProgramUse){0};
        for (uint32_t v = 0; v < launch->entry->parameter_count; v++) {
            const FpdValue *value = &launch->values[v];
            if (!value->pointer || value->buffer != buffer || !parameter_use(launch, v).writes) continue;
            use = launch->entry->parameters[v].use;
            if (value->view) use.tile_rank = 0; // tiles of another array
        }
    }
    if (use.tile_rank != programs->cas->buffers[buffer].rank) use.tile_rank = 0;
    return use;
}

// What is known of one read is known of all.
static void add_use(const ProgramUse *use, ProgramUse *all) {
    all->unknown = all->reads ? all->unknown && (use->unknown || !use->reads) : use->unknown;
    all->reads |= use->reads;
    all->writes |= use->writes;
    all->reads_own |= use->reads_own;
    all->writes_own |= use->writes_own;
    if (!use->writes) return;
    all->stored_by = use->stored_by;
    all->stored_at = use->stored_at;
}

ProgramUse fpd_launch_use(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer) {
    const FpdResolvedLaunch *resolved = &programs->launches[variant][launch];
    ProgramUse all = {0};
    if (resolved->threads) return threads_use(resolved, buffer);
    if (is_reached(resolved, buffer)) add_use(&resolved->addresses.followed, &all);
    for (uint32_t v = 0; v < resolved->entry->parameter_count; v++)
        if (resolved->values[v].pointer && resolved->values[v].buffer == buffer) {
            const ProgramUse use = parameter_use(resolved, v);
            add_use(&use, &all);
        }
    return all;
}

int64_t fpd_last_store(const FpdPrograms *programs, uint32_t variant, uint32_t buffer) {
    int64_t last = programs->cas->variants[variant].launch_count;
    while (--last >= 0 && !fpd_launch_use(programs, variant, (uint32_t)last, buffer).writes) {
    }
    return last;
}
