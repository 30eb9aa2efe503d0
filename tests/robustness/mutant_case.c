// SPDX-License-Identifier: Apache-2.0
// One mutant of a kernel of PTX, and what must hold at each stage.
#include "tests/robustness/mutant_case.h"
#include "tests/robustness/robustness.h"

#include "compiler/ptx/ptx.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum {
    STAGE_SECONDS = 60,    // of processor time, then the process is stopped
    SEED_BYTES_MAX = 1 << 20, // of all buffers of a case
    GRID_BLOCKS = 2,
    READ_FACTOR = 400, READ_BASE = 1 << 20, // bytes of memory for a byte of text, and for none
    RUN_BYTES = 1 << 29,
};

static const char *const stage_names[] = {
#define STAGE(name) #name,
    KERNEL_STAGES(STAGE)
#undef STAGE
};
const char *kernel_stage_name(KernelStage stage) {
    return stage_names[stage];
}

static void defect(const KernelMutant *mutant, const char *format, ...) BASE_PRINTF(2, 3);
static void defect(const KernelMutant *mutant, const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("DEFECT mutant %llu of %s: %s: ", (unsigned long long)mutant->progress->number,
           short_path(mutant->seed->path), stage_names[mutant->progress->stage]);
    vprintf(format, args);
    printf("\n");
    fflush(stdout);
    va_end(args);
    mutant->progress->defects++;
}

// ---- seeds ----------------------------------------------------------------------------------------------------------

static bool is_known(const KernelSeeds *seeds, const KernelSeed *seed) {
    for (size_t i = 0; i < seeds->count; i++)
        if (seeds->items[i].size == seed->size && !memcmp(seeds->items[i].text, seed->text, seed->size)) return true;
    return false;
}

static void add_case(KernelSeeds *seeds, const char *path, size_t largest) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    uint64_t bytes = 0;
    const FpdCase *cas = fpd_load_case(&diagnostics, &arena, path); // bad cases have no seeds
    for (uint32_t b = 0; cas && b < cas->buffer_count; b++) bytes += cas->buffers[b].bytes;
    for (uint32_t v = 0; cas && bytes < SEED_BYTES_MAX && v < cas->variant_count; v++)
        for (uint32_t l = 0; l < cas->variants[v].launch_count; l++) {
            KernelSeed seed = {arena_text(&seeds->arena, path, strlen(path)), v, l, NULL, 0};
            const char *module = cas->variants[v].launches[l].path;
            uint8_t *text;
            if (strlen(module) < 4 || strcmp(module + strlen(module) - 4, ".ptx")) continue;
            if (!file_read(&diagnostics, &seeds->arena, module, &text, &seed.size) || seed.size > largest) continue;
            seed.text = (const char *)text;
            if (is_known(seeds, &seed)) continue;
            seeds->items = arena_grow(&seeds->arena, seeds->items, seeds->count, &seeds->capacity, sizeof seed);
            seeds->items[seeds->count++] = seed;
        }
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
}

void kernel_seeds_add(KernelSeeds *seeds, const char *path, size_t largest) {
    struct dirent **entries;
    Arena arena = {0};
    const int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) add_case(seeds, path, largest);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        const size_t length = strlen(name);
        if (length > 5 && !strcmp(name + length - 5, ".yaml"))
            add_case(seeds, arena_format(&arena, "%s/%s", path, name), largest);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    arena_reset(&arena);
}

// ---- stages ---------------------------------------------------------------------------------------------------------

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double enter(const KernelMutant *mutant, KernelStage stage, size_t *memory) {
    const struct itimerval timer = {.it_value = {STAGE_SECONDS, 0}};
    mutant->progress->stage = stage;
    setitimer(ITIMER_PROF, &timer, NULL);
    *memory = memory_watch();
    return processor_seconds();
}

static void leave(const KernelMutant *mutant, double begin, size_t memory, size_t limit) {
    KernelProgress *progress = mutant->progress;
    const double seconds = processor_seconds() - begin;
    // Memory that the backend took, which nobody counts, may be given back here.
    const size_t peak = memory_peak(), taken = peak > memory && peak - memory <= SIZE_MAX / 2 ? peak - memory : 0;
    setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
    if (taken > limit) defect(mutant, "%zu bytes of memory for a text of %zu", taken, mutant->size);
    if (seconds > progress->slowest[progress->stage]) {
        progress->slowest[progress->stage] = seconds;
        progress->slowest_number[progress->stage] = progress->number;
    }
}

// A failure must say why, in lines with a place, and a success must say nothing.
static void check_messages(const KernelMutant *mutant, const Diagnostics *diagnostics, bool good) {
    if (good != !diagnostics->count)
        defect(mutant, "%s with %zu messages", good ? "success" : "failure", diagnostics->count);
    for (size_t i = 0; i < diagnostics->count; i++) {
        const Diagnostic *item = &diagnostics->items[i];
        if (!*item->message || strchr(item->message, '\n') || strlen(item->message) > 4000)
            defect(mutant, "message: '%s'", item->message);
        if (item->code == E_LLVM) defect(mutant, "%s", item->message);
        if (!item->at.file || !item->at.line) defect(mutant, "no place: %s", item->message);
    }
    if (mutant->show) diagnostics_print(diagnostics);
}

// Whether it is valid. Then it can be printed, and what is read from that prints the same text.
static bool read_mutant(const KernelMutant *mutant) {
    Diagnostics diagnostics = {0};
    Buffer text = {0}, again = {0};
    size_t memory;
    double begin = enter(mutant, KERNEL_STAGE_read, &memory);
    PtxModule *module = ptx_read(&diagnostics, mutant->file, mutant->text, mutant->size);
    leave(mutant, begin, memory, READ_BASE + READ_FACTOR * mutant->size);
    check_messages(mutant, &diagnostics, module);
    if (!module && diagnostics.count > 1) defect(mutant, "%zu messages", diagnostics.count);
    const bool valid = module;
    if (module) {
        begin = enter(mutant, KERNEL_STAGE_print, &memory);
        ptx_print(module, true, &text);
        PtxModule *other = ptx_read(&diagnostics, "printed", text.data, text.size);
        if (!other) defect(mutant, "printed and read again: %s", diagnostics.items[0].message);
        if (other) ptx_print(other, true, &again);
        if (other && (text.size != again.size || memcmp(text.data, again.data, text.size)))
            defect(mutant, "printed and read again it prints another text");
        leave(mutant, begin, memory, READ_BASE + 4 * READ_FACTOR * mutant->size);
        ptx_module_close(other);
    }
    ptx_module_close(module);
    buffer_free(&text);
    buffer_free(&again);
    diagnostics_close(&diagnostics);
    return valid;
}

// The case with this launch alone, of the mutant.
static FpdCase *load_case(const KernelMutant *mutant, Diagnostics *diagnostics, Arena *arena) {
    FpdCase *cas = fpd_load_case(diagnostics, arena, mutant->seed->path);
    if (!cas) return NULL;
    FpdVariant *variant = &cas->variants[mutant->seed->variant];
    FpdLaunch *launch = &variant->launches[mutant->seed->launch];
    launch->module = launch->path = mutant->file;
    for (int i = 0; i < 3; i++)
        if (launch->grid[i] > (i ? 1 : GRID_BLOCKS)) launch->grid[i] = i ? 1 : GRID_BLOCKS;
    variant->launches = launch;
    variant->launch_count = 1;
    cas->variants[0] = *variant;
    cas->variant_count = 1;
    cas->modes[0] = mutant->mode;
    cas->mode_count = 1;
    return cas;
}

static KernelOutcome run_case(const KernelMutant *mutant, Diagnostics *diagnostics, Arena *arena) {
    FpdCase *cas = load_case(mutant, diagnostics, arena);
    FpdPrograms *programs = cas ? fpd_load_programs(diagnostics, arena, cas) : NULL;
    KernelOutcome outcome = programs ? KERNEL_OUTCOME_ran : KERNEL_OUTCOME_unfit;
    if (programs) {
        const FpdRunner runner = {diagnostics, arena, mutant->machine, programs};
        FpdRuns runs = fpd_plan_runs(arena, cas, FPD_ALL_MODES, 0);
        if (!fpd_run_case(&runner, false, &runs)) {
            const bool refused = diagnostics->count && diagnostics->items[0].code == E_UNSUPPORTED;
            outcome = refused ? KERNEL_OUTCOME_unsupported : KERNEL_OUTCOME_faulted;
        }
    }
    mutant->progress->stage = KERNEL_STAGE_close;
    if (programs) fpd_close_compiled(mutant->machine, programs);
    fpd_programs_close(programs);
    return outcome;
}

static KernelOutcome run_mutant(const KernelMutant *mutant) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    size_t memory;
    if (!file_write(&diagnostics, mutant->file, mutant->text, mutant->size)) defect(mutant, "cannot be written");
    const double begin = enter(mutant, KERNEL_STAGE_run, &memory);
    const KernelOutcome outcome = run_case(mutant, &diagnostics, &arena);
    mutant->progress->stage = KERNEL_STAGE_run;
    leave(mutant, begin, memory, RUN_BYTES);
    check_messages(mutant, &diagnostics, outcome == KERNEL_OUTCOME_ran);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return outcome;
}

void kernel_mutant_run(const KernelMutant *mutant) {
    KernelOutcome outcome = read_mutant(mutant) ? KERNEL_OUTCOME_valid : KERNEL_OUTCOME_unreadable;
    if (outcome == KERNEL_OUTCOME_valid && mutant->run) outcome = run_mutant(mutant);
    mutant->progress->counts[outcome]++;
}
