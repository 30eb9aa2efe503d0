// SPDX-License-Identifier: Apache-2.0
// Bad input at random, the same on every run: mutate [options] FILE... (bytecode, text *.mlir, or cases whose modules
// are taken). Exit status 1 if anything went wrong. Mutant number n is made of file n modulo the number of files, by
// changing its bytes, its text, or the module that was read. The work is done in child processes, so that a
// crash is one line of the report:
//   --mutants=N       how many (1000)             --first=N    the number of the first one (0)
//   --seed=N          of all random choices (1)   --jobs=N     processes (1)
//   --compile=N       of the valid ones, one in N is compiled and run; 0: none (1)
//   --batch=N         mutants per process (500): leaks are looked for at its end
//   --slow=SECONDS    processor time a stage may take (1)
//   --run=SECONDS     after which a running kernel is stopped, which is no defect (0.5)
//   --save=FOLDER     keeps the bytes of mutants with a defect
//   --print           shows the text of mutants and why they were refused; with --mutants=1
#include "tests/robustness/robustness.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WALL_SECONDS_MAX = 120, JOBS_MAX = 64 };

typedef struct Options {
    uint64_t mutants, first, seed, jobs, batch;
    PipelineOptions pipeline;
    const char *save;
} Options;

typedef struct Worker {
    pid_t process;         // 0: idle
    uint64_t next, end;    // mutants this one still has to do: next, next + jobs, ... below end
    uint64_t defects_seen; // of its progress
    Progress *progress, last;
    time_t changed;
} Worker;

// ---- in the worker --------------------------------------------------------------------------------------------------

static void save_bytes(const char *path, const uint8_t *bytes, size_t size) {
    Diagnostics diagnostics = {0};
    file_write(&diagnostics, path, bytes, size);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
}

static bool is_text(const CorpusFile *file) {
    return file->size && file->bytes[0] != 0x7f;
}

// A file as text, with and without locations.
static const char *text_of(Arena *arena, const CorpusFile *file, bool locations, size_t *size) {
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    *size = file->size;
    if (is_text(file)) return (const char *)file->bytes;
    TirModule *module = tir_read_bytecode(&diagnostics, file->path, file->bytes, file->size);
    if (module) tir_print(module, locations, &out);
    const char *text = arena_text(arena, out.data ? out.data : "", out.size);
    *size = out.size;
    tir_module_close(module);
    buffer_free(&out);
    diagnostics_close(&diagnostics);
    return text;
}

static const uint8_t *make_bytes(Arena *arena, Random *random, MutantKind kind, const CorpusFile *file,
                                 const CorpusFile *other, size_t *size) {
    size_t text_size, other_size;
    *size = file->size;
    if (kind == MUTANT_module) return file->bytes;
    if (kind == MUTANT_bytes) return mutate_bytes(arena, random, file, other, size);
    bool locations = random_below(random, 2);
    const char *text = text_of(arena, file, locations, &text_size),
               *other_text = text_of(arena, other, locations, &other_size);
    return (const uint8_t *)mutate_text(arena, random, text, text_size, other_text, other_size, size);
}

static const char *const kind_names[] = {"bytes", "module", "text"};

static void do_mutant(Pipeline *pipeline, const Corpus *corpus, const Options *options, uint64_t number) {
    Arena arena = {0};
    const CorpusFile *file = &corpus->files[number % corpus->count];
    const char *path = short_path(file->path);
    Random random = random_of_mutant(path, options->seed, number / corpus->count);
    const CorpusFile *other = &corpus->files[random_below(&random, corpus->count)];
    MutantKind kind = is_text(file)
                          ? MUTANT_text
                          : (MutantKind)((number % corpus->count + number / corpus->count) % MUTANT_KIND_COUNT);
    uint64_t defects = pipeline->progress->defects;
    size_t size;
    pipeline->progress->number = number;
    pipeline->progress->stage = STAGE_mutate;
    pipeline->what = arena_format(&arena, "mutant %llu of %s (%s)", (unsigned long long)number, path, kind_names[kind]);
    pipeline->progress->kinds[kind]++;
    const uint8_t *bytes = make_bytes(&arena, &random, kind, file, other, &size);
    const char *saved = NULL; // before anything goes wrong, so that it is there if the process dies
    if (options->save && kind != MUTANT_module)
        saved = arena_format(&arena, "%s/%llu.%s", options->save, (unsigned long long)number,
                             kind == MUTANT_text ? "mlir" : "tileirbc");
    if (saved) save_bytes(saved, bytes, size);
    pipeline_run(pipeline, file, kind, bytes, size, &random);
    if (saved && defects == pipeline->progress->defects) unlink(saved);
    arena_reset(&arena);
}

static int work(const Corpus *corpus, const Options *options, Worker *worker, Compiler *compiler) {
    Diagnostics diagnostics = {0};
    Pipeline pipeline = {
        .options = options->pipeline, .progress = worker->progress, .what = "the start", .compiler = compiler};
    pipeline.device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = 1, .shadow = true});
    if (!pipeline.device) pipeline_defect(&pipeline, "%s", diagnostics.items[0].message);
    for (uint64_t number = worker->next, done = 0; pipeline.device && number < worker->end && done < options->batch;
         number += options->jobs, done++)
        do_mutant(&pipeline, corpus, options, number);
    worker->progress->stage = STAGE_COUNT; // the end was reached
    pipeline_close(&pipeline);
    diagnostics_close(&diagnostics);
    return 0;
}

// ---- watching -------------------------------------------------------------------------------------------------------

static bool start(const Corpus *corpus, const Options *options, Worker *worker, Compiler *compiler) {
    fflush(stdout);
    worker->changed = time(NULL);
    worker->progress->stage = STAGE_mutate;
    worker->progress->number = worker->next;
    worker->process = fork();
    if (worker->process) return worker->process > 0;
    exit(work(corpus, options, worker, compiler));
}

static void report_end(const Corpus *corpus, Worker *worker, int status) {
    Progress *progress = worker->progress;
    const char *path = short_path(corpus->files[progress->number % corpus->count].path);
    unsigned long long number = (unsigned long long)progress->number;
    if (progress->stage == STAGE_run && WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) {
        progress->counts[OUTCOME_unfinished]++;
        return;
    }
    progress->defects++;
    if (progress->stage == STAGE_COUNT)
        printf("DEFECT up to mutant %llu of %s: the process ends with status %d (a leak?)\n", number, path,
               WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        printf("DEFECT mutant %llu of %s: %s (numeric %d, -O%u): %s\n", number, path, stage_name(progress->stage),
               progress->numeric, progress->optimize,
               WTERMSIG(status) == SIGPROF ? "does not end" : strsignal(WTERMSIG(status)));
    else
        printf("DEFECT mutant %llu of %s: %s (numeric %d, -O%u): the process ended with status %d\n", number, path,
               stage_name(progress->stage), progress->numeric, progress->optimize, WEXITSTATUS(status));
}

// Whether the worker is busy. One that ended goes on behind the mutant it ended at.
static bool watch(const Corpus *corpus, const Options *options, Worker *worker, Compiler *compiler) {
    int status;
    if (worker->process) {
        pid_t ended = waitpid(worker->process, &status, WNOHANG);
        if (!ended) {
            bool moved = memcmp(&worker->last, worker->progress, sizeof worker->last) != 0;
            if (moved) worker->changed = time(NULL);
            worker->last = *worker->progress;
            if (time(NULL) - worker->changed > WALL_SECONDS_MAX) kill(worker->process, SIGKILL);
            return true;
        }
        worker->process = 0;
        bool complete = worker->progress->stage == STAGE_COUNT;
        if (!complete || !WIFEXITED(status) || WEXITSTATUS(status)) report_end(corpus, worker, status);
        worker->next = worker->progress->number + options->jobs;
    }
    return worker->next < worker->end && start(corpus, options, worker, compiler);
}

// ---- the report -----------------------------------------------------------------------------------------------------

static bool report(const Options *options, Worker *workers) {
    static const char *const names[] = {
#define OUTCOME(name) #name,
        OUTCOMES(OUTCOME)
#undef OUTCOME
    };
    Progress sum = {0};
    for (uint64_t w = 0; w < options->jobs; w++) {
        const Progress *progress = workers[w].progress;
        sum.defects += progress->defects;
        for (int i = 0; i < OUTCOME_COUNT; i++) sum.counts[i] += progress->counts[i];
        for (int i = 0; i < MUTANT_KIND_COUNT; i++) sum.kinds[i] += progress->kinds[i];
        for (int i = 0; i < STAGE_COUNT; i++)
            if (progress->slowest[i] > sum.slowest[i]) {
                sum.slowest[i] = progress->slowest[i];
                sum.slowest_number[i] = progress->slowest_number[i];
            }
        for (int i = 0; i < STAGE_COUNT; i++)
            if (progress->memory[i] > sum.memory[i]) {
                sum.memory[i] = progress->memory[i];
                sum.memory_number[i] = progress->memory_number[i];
            }
    }
    printf("%llu mutants (", (unsigned long long)options->mutants);
    for (int i = 0; i < MUTANT_KIND_COUNT; i++)
        printf("%s%s %llu", i ? ", " : "", kind_names[i], (unsigned long long)sum.kinds[i]);
    printf("):");
    for (int i = 0; i < OUTCOME_COUNT; i++)
        printf(" %llu %s%s", (unsigned long long)sum.counts[i], names[i], i + 1 < OUTCOME_COUNT ? "," : "\n");
    printf("slowest (ms, mutant):");
    for (int i = 1; i < STAGE_COUNT; i++)
        printf(" %s %.1f (%llu)", stage_name((Stage)i), sum.slowest[i] * 1e3,
               (unsigned long long)sum.slowest_number[i]);
    printf("\nmost memory (bytes for a byte, mutant):");
    for (int i = STAGE_read; i < STAGE_describe; i++)
        printf(" %s %.1f (%llu)", stage_name((Stage)i), sum.memory[i], (unsigned long long)sum.memory_number[i]);
    printf("\n%llu defects\n", (unsigned long long)sum.defects);
    return !sum.defects;
}

static bool run_all(const Corpus *corpus, const Options *options, Compiler *compiler) {
    Worker workers[JOBS_MAX] = {0};
    for (uint64_t w = 0; w < options->jobs; w++) {
        workers[w].progress = mmap(NULL, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (workers[w].progress == MAP_FAILED) return false;
        workers[w].next = options->first + w;
        workers[w].end = options->first + options->mutants;
    }
    for (bool busy = true; busy;) {
        busy = false;
        for (uint64_t w = 0; w < options->jobs; w++) busy |= watch(corpus, options, &workers[w], compiler);
        usleep(2000);
    }
    return report(options, workers);
}

// ---- the command line -----------------------------------------------------------------------------------------------

static bool take_option(const char *text, Options *options) {
    const struct {
        const char *name;
        uint64_t *number;
        double *seconds;
    } rows[] = {{"--mutants=", &options->mutants, NULL},
                {"--first=", &options->first, NULL},
                {"--seed=", &options->seed, NULL},
                {"--jobs=", &options->jobs, NULL},
                {"--batch=", &options->batch, NULL},
                {"--slow=", NULL, &options->pipeline.stage_seconds},
                {"--run=", NULL, &options->pipeline.run_seconds}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (!strncmp(text, rows[i].name, strlen(rows[i].name))) {
            const char *value = text + strlen(rows[i].name);
            if (rows[i].number)
                *rows[i].number = strtoull(value, NULL, 10);
            else
                *rows[i].seconds = strtod(value, NULL);
            return true;
        }
    if (!strncmp(text, "--compile=", 10))
        options->pipeline.compile_one_in = (unsigned)atoi(text + 10);
    else if (!strncmp(text, "--save=", 7))
        options->save = text + 7;
    else if (!strcmp(text, "--print"))
        options->pipeline.print = true;
    else
        return false;
    return true;
}

int main(int count, char **texts) {
    Corpus corpus = {0};
    Options options = {.mutants = 1000, .seed = 1, .jobs = 1, .batch = 500, .pipeline = {1, 0.5, 1, false}};
    Diagnostics diagnostics = {0};
    for (int i = 1; i < count; i++) {
        if (!strncmp(texts[i], "--", 2) ? take_option(texts[i], &options) : corpus_add(&corpus, texts[i])) continue;
        fprintf(stderr, "mutate: cannot use '%s'\n", texts[i]);
        return 2;
    }
    if (!corpus.count || !options.jobs || options.jobs > JOBS_MAX || !options.batch) {
        fprintf(stderr, "usage: mutate [options] FILE... (see the head of mutate.c)\n");
        return 2;
    }
    const bool compiles = options.pipeline.compile_one_in;
    Compiler *compiler = compiles ? compiler_open(&diagnostics) : NULL;
    diagnostics_print(&diagnostics);
    bool good = (compiler || !compiles) && run_all(&corpus, &options, compiler);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
    arena_reset(&corpus.arena);
    return !good;
}
