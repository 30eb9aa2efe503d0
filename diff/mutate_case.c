// SPDX-License-Identifier: Apache-2.0
// All mutants of a case: which are tried, with which data, on which thread. A thread takes a group of mutants, which
// share compiled code.
#include "diff/try_mutant.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static const FpdMutantClassInfo class_rows[] = {
#define CLASS(name, word, status, meaning) {word, status, meaning},
#include "diff/mutant_classes.def"
#undef CLASS
};

const FpdMutantClassInfo *fpd_mutant_class_info(FpdMutantClass class) {
    return &class_rows[class];
}

enum { FRESH = 4 };         // sets of fresh data that survivors run with, one of each level (fresh.def)
enum { ROUNDS_FACTOR = 4 }; // a mutant may make so many times the rounds that the plain kernels may make

typedef struct Mutating {
    const FpdRunner *runner;
    const FpdMutationOptions *options;
    const FpdMutationListener *listener; // may be NULL
    FpdMutation *mutation;
    FpdMutationData *data; // that of the case first
    uint64_t given_rounds; // --rounds; 0: the plain kernels say
    atomic_uint next, done;
} Mutating;

// ---- plain runs -----------------------------------------------------------------------------------------------------

// A limit of rounds that the plain kernels keep: the case is run with growing ones. False and diagnostics if it fails
// whatever the limit is.
static bool run_with_limit(const FpdRunner *runner, FpdMutationData *data) {
    static const uint64_t limits[] = {256, 1 << 14, 1 << 20, UINT64_C(1) << 40};
    const bool given = runner->machine->iterations;
    for (size_t i = 0; i < BASE_COUNT(limits); i++) {
        Diagnostics ignored = {0};
        FpdRunner attempt = *runner;
        const bool last = given || i + 1 == BASE_COUNT(limits);
        if (!given) runner->machine->iterations = limits[i];
        if (!last) attempt.diagnostics = &ignored;
        const bool good = fpd_run_plain(&attempt, data);
        diagnostics_close(&ignored);
        data->outcome.errors = runner->diagnostics;
        if (good || last) return good;
        fpd_close_compiled(runner->machine, &data->programs);
    }
    return false;
}

// Keeps data that is as expected without a mutant; other data tells nothing.
static void add_data(Mutating *m, const FpdMutationData *data) {
    FpdMutation *mutation = m->mutation;
    Diagnostics ignored = {0};
    FpdRunner runner = *m->runner;
    FpdMutationData *added = &m->data[mutation->data_count];
    runner.diagnostics = &ignored;
    *added = *data;
    const bool good = fpd_run_plain(&runner, added) && !added->outcome.status;
    diagnostics_close(&ignored);
    added->outcome.errors = NULL;
    if (good) mutation->data_names[mutation->data_count] = added->name;
    mutation->data_count += good;
    mutation->size_count += good && added->other_sizes;
}

// Data that are no others than those of the level below are left out, but for a second seed.
static void add_fresh(Mutating *m) {
    static const FpdFresh levels[FRESH] = {FPD_FRESH_SEED, FPD_FRESH_VARIED, FPD_FRESH_LARGER, FPD_FRESH_SIGNS};
    for (uint64_t i = 0; i < FRESH; i++) {
        Diagnostics ignored = {0};
        FpdMutationData data = {.cas = m->data[0].cas, .programs = m->data[0].programs};
        const FpdFresh level = levels[i];
        const bool differs = fpd_fresh_differs(&data.cas, level);
        const char *what = differs ? fpd_fresh_info(level)->data : NULL;
        data.cas.seed += i + 1;
        data.name = arena_format(m->runner->arena, "seed %llu%s", (unsigned long long)data.cas.seed, what ? what : "");
        if ((differs || level < FPD_FRESH_SIGNS) && fpd_make_fresh(&ignored, m->runner->arena, level, &data.cas))
            add_data(m, &data);
        diagnostics_close(&ignored);
    }
    for (uint32_t i = 0; i < m->options->other_count; i++) {
        const FpdMutationOther *other = &m->options->others[i];
        const FpdMutationData data = {.cas = fpd_case_as_written(m->runner->arena, other->programs->cas),
                                      .programs = *other->programs,
                                      .name = other->name,
                                      .other_sizes = true};
        add_data(m, &data);
    }
}

// ---- mutants --------------------------------------------------------------------------------------------------------

typedef struct Worker {
    Mutating *m;
    FpdMachine machine; // with a device of its own
    Arena arena;        // of reasons
    uint32_t refused;   // 1 + the group that could not be compiled
    bool open;
} Worker;

static FpdMutantResult try_built(Worker *w, uint32_t index, const FpdMutationData *data, bool built_alone) {
    const FpdMutants *mutants = w->m->mutation->mutants;
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const Program *alone = NULL;
    FpdRunner runner = {.diagnostics = &diagnostics, .arena = &arena, .machine = &w->machine};
    FpdMutantResult result = {.class = FPD_MUTANT_REFUSED};
    runner.programs = built_alone ? fpd_mutant_alone(&diagnostics, &arena, mutants, &data->programs, index, &alone)
                                  : fpd_mutant_programs(&arena, mutants, &data->programs, index, true);
    if (runner.programs) result = fpd_try_programs(&runner, &w->arena, data, mutants->items[index].variant);
    if (alone) {
        FpdPrograms last = *runner.programs;
        last.modules += last.module_count - 1;
        last.module_count = 1;
        fpd_close_compiled(&w->machine, &last);
        program_close(alone);
    }
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return result;
}

// Where a group cannot be compiled, that is the fault of some of its mutants: they are built alone.
static FpdMutantResult try_with(Worker *w, uint32_t index, const FpdMutationData *data) {
    const uint32_t group = w->m->mutation->mutants->items[index].group;
    if (!w->m->options->alone && w->refused != group + 1) {
        const FpdMutantResult result = try_built(w, index, data, false);
        if (result.class != FPD_MUTANT_REFUSED) return result;
        w->refused = group + 1;
    }
    return try_built(w, index, data, true);
}

// What survives one set of data may be killed by another: then the first one cannot tell.
static void try_mutant(Worker *w, uint32_t index) {
    FpdMutation *mutation = w->m->mutation;
    FpdMutantResult *result = &mutation->results[index];
    *result = try_with(w, index, &w->m->data[0]);
    if (result->class != FPD_MUTANT_SURVIVED) return;
    result->class = mutation->size_count ? FPD_MUTANT_EQUIVALENT : FPD_MUTANT_UNDECIDED;
    for (uint32_t d = 1; d < mutation->data_count; d++) {
        const FpdMutantResult again = try_with(w, index, &w->m->data[d]);
        if (again.class == FPD_MUTANT_SURVIVED) continue;
        result->class = FPD_MUTANT_SURVIVED;
        result->reason =
            arena_format(&w->arena, "%s can: %s", w->m->data[d].name, again.reason ? again.reason : "it fails");
        return;
    }
}

static void show_progress(Mutating *m) {
    if (!m->runner->machine->progress) return;
    fprintf(stderr, "\r\033[K%u of %u mutants", atomic_load(&m->done), m->mutation->chosen_count);
}

static void try_group(Worker *w, uint32_t group) {
    FpdMutation *mutation = w->m->mutation;
    const FpdMutationListener *listener = w->m->listener;
    for (uint32_t i = 0; i < mutation->mutants->count; i++) {
        if (mutation->mutants->items[i].group != group || !mutation->chosen[i]) continue;
        try_mutant(w, i);
        if (listener) listener->has_tried(listener->context, i, &mutation->results[i]);
        atomic_fetch_add(&w->m->done, 1);
        show_progress(w->m);
    }
    fpd_close_mutant_group(&w->machine, mutation->mutants, group);
}

static void *work(void *argument) {
    Worker *w = argument;
    for (uint32_t g; (g = atomic_fetch_add(&w->m->next, 1)) < w->m->mutation->mutants->group_count;) try_group(w, g);
    return NULL;
}

static bool open_worker(Diagnostics *diagnostics, Mutating *m, Worker *w) {
    const FpdMachine *machine = m->runner->machine;
    *w = (Worker){.m = m, .machine = *machine};
    w->machine.output = NULL;
    w->machine.progress = false;
    w->machine.keep_compiled = true;
    w->machine.iterations = m->given_rounds ? m->given_rounds : machine->iterations * ROUNDS_FACTOR;
    w->open = fpd_open_device(diagnostics, 1, &w->machine);
    return w->open;
}

static bool run_workers(Mutating *m) {
    enum { WORKERS_MAX = 64 };
    Worker workers[WORKERS_MAX];
    pthread_t threads[WORKERS_MAX];
    uint32_t wanted = rt_jobs(m->runner->machine->device), opened = 0, started = 0;
    bool good = true;
    if (wanted > WORKERS_MAX) wanted = WORKERS_MAX;
    for (; opened < wanted && good; opened++) good = open_worker(m->runner->diagnostics, m, &workers[opened]);
    while (good && started + 1 < opened && !pthread_create(&threads[started], NULL, work, &workers[started + 1]))
        started++;
    if (good) work(&workers[0]); // what gets no thread of its own is done here
    for (uint32_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < m->mutation->mutants->count; i++)
        m->mutation->results[i].reason = arena_keep(m->runner->arena, m->mutation->results[i].reason);
    for (uint32_t i = 0; i < opened; i++) {
        if (workers[i].open) rt_close(workers[i].machine.device);
        arena_reset(&workers[i].arena);
    }
    if (m->runner->machine->progress) fprintf(stderr, "\r\033[K");
    return good;
}

// ---- the case -------------------------------------------------------------------------------------------------------

// A shard is a piece of the list, so that it shares few groups with others.
static bool *choose(Arena *arena, const FpdMutationOptions *options, uint32_t count, uint32_t *chosen_count) {
    bool *chosen = arena_array(arena, bool, count + 1u);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t shard = i * options->shard_count / count;
        chosen[i] = shard == options->shard - 1 && (!options->chosen || options->chosen[i]);
        *chosen_count += chosen[i];
    }
    return chosen;
}

bool fpd_plan_mutation(Diagnostics *diagnostics, Arena *arena, FpdPrograms *programs, const FpdMutationOptions *options,
                       FpdMutation *mutation) {
    FpdCase *cas = arena_new(arena, FpdCase);
    *cas = fpd_case_as_written(arena, programs->cas);
    *mutation = (FpdMutation){.cas = cas};
    if (cas->expect_diverge)
        return diag_fail(diagnostics, (Location){.file = cas->path}, E_CASE,
                         "this case expects its variants to diverge; mutants are of cases whose variants are equal");
    FpdMutants *mutants = mutation->mutants = fpd_open_mutants(diagnostics, arena, programs, FPD_MUTATE_ALL);
    if (!mutants) return false;
    mutation->chosen = choose(arena, options, mutants->count, &mutation->chosen_count);
    mutation->results = arena_array(arena, FpdMutantResult, mutants->count + 1u);
    for (uint32_t i = 0; i < mutants->count; i++) mutation->results[i].class = FPD_MUTANT_UNTRIED;
    mutation->data_names = arena_array(arena, const char *, 1u + FRESH + options->other_count);
    mutation->data_count = 1;
    return true;
}

bool fpd_try_mutants(const FpdRunner *given, const FpdMutationOptions *options, const FpdMutationListener *listener,
                     FpdMutation *mutation) {
    FpdMachine *machine = given->machine;
    Mutating *m = arena_new(given->arena, Mutating);
    const bool kept = machine->keep_compiled;
    const uint64_t iterations = machine->iterations;
    *m = (Mutating){
        .runner = given, .options = options, .listener = listener, .mutation = mutation, .given_rounds = iterations};
    m->data = arena_array(given->arena, FpdMutationData, 1u + FRESH + options->other_count);
    m->data[0] = (FpdMutationData){.cas = *mutation->cas, .programs = *given->programs};
    machine->keep_compiled = true;
    bool good = run_with_limit(given, &m->data[0]);
    mutation->as_expected = good && !m->data[0].outcome.status;
    if (mutation->as_expected) add_fresh(m);
    mutation->has_run = good;
    if (good && listener) listener->has_run(listener->context, mutation);
    if (mutation->as_expected && mutation->chosen_count) good = run_workers(m);
    mutation->tried_count = atomic_load(&m->done);
    machine->keep_compiled = kept;
    machine->iterations = iterations;
    for (uint32_t d = 0; d < mutation->data_count; d++) fpd_close_compiled(machine, &m->data[d].programs);
    return good;
}
