// SPDX-License-Identifier: Apache-2.0
// NVIDIA's tileirdisasm and tileiras on the samples: their print is ours, and what they accept we do.
#include "tests/conformance/corpus.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MAX = 300 }; // of one run

// ---- running --------------------------------------------------------------------------------------------------------

static void redirect(int to, const char *path) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, to) < 0) _exit(126);
    close(file);
}

// In the child: the environment that the tools want, which find their parts by their own place.
static _Noreturn void become_tool(Arena *arena, const char *tools, const ToolRun *run, const char *base) {
    char *input = arena_format(arena, "%s.tileirbc", base);
    const char *old = getenv("PATH");
    setenv("PATH", arena_format(arena, "%s/bin:%s", tools, old ? old : ""), 1);
    setenv("LD_LIBRARY_PATH", arena_format(arena, "%s/lib", tools), 1);
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    redirect(STDOUT_FILENO, arena_format(arena, "%s.out", base));
    redirect(STDERR_FILENO, arena_format(arena, "%s.err", base));
    alarm(SECONDS_MAX);
    if (run->gpu_name)
        execl(arena_format(arena, "%s/bin/tileiras", tools), "tileiras", "--gpu-name", run->gpu_name, input, "-o",
              arena_format(arena, "%s.cubin", base), (char *)NULL);
    else
        execl(arena_format(arena, "%s/bin/tileirdisasm", tools), "tileirdisasm", input, run->located ? "-g" : NULL,
              (char *)NULL);
    _exit(127);
}

static void take_output(Arena *arena, ToolRun *run, const char *path) {
    Diagnostics diagnostics = {0};
    uint8_t *data;
    if (file_read(&diagnostics, arena, path, &data, &run->output_size)) run->output = (char *)data;
    diagnostics_close(&diagnostics);
}

static void finish(Arena *arena, ToolRun *run, const char *base, int status) {
    static const char *const suffixes[] = {".tileirbc", ".out", ".err", ".cubin"};
    run->ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    take_output(arena, run, arena_format(arena, "%s%s", base, run->ok ? ".out" : ".err"));
    if (!run->output) run->output = "", run->output_size = 0;
    for (size_t i = 0; i < BASE_COUNT(suffixes); i++) unlink(arena_format(arena, "%s%s", base, suffixes[i]));
}

static pid_t start(Arena *arena, const char *tools, const ToolRun *run, const char *base) {
    Diagnostics diagnostics = {0};
    bool ok = file_write(&diagnostics, arena_format(arena, "%s.tileirbc", base), run->input, run->size);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    if (!ok) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) become_tool(arena, tools, run, base);
    return child;
}

// Waits for one of the children; its place in `children`, which is emptied.
static size_t wait_for_one(pid_t *children, size_t count, int *status) {
    for (;;) {
        pid_t child = wait(status);
        if (child < 0 && errno != EINTR) return count;
        for (size_t i = 0; i < count; i++)
            if (child > 0 && children[i] == child) {
                children[i] = 0;
                return i;
            }
    }
}

static bool run_in(Arena *arena, const char *tools, const char *folder, ToolRun *runs, size_t count) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t limit = processors > 0 ? (size_t)processors : 1, running = 0;
    pid_t *children = arena_array(arena, pid_t, count + 1);
    bool ok = true;
    for (size_t next = 0; next < count || running;) {
        if (next < count && !runs[next].input) {
            next++;
            continue;
        }
        if (ok && next < count && running < limit) {
            children[next] = start(arena, tools, &runs[next], arena_format(arena, "%s/%zu", folder, next));
            ok = children[next] > 0;
            running += ok;
            next++;
            continue;
        }
        if (!running) break;
        int status;
        size_t done = wait_for_one(children, next, &status);
        if (done == next) return false;
        finish(arena, &runs[done], arena_format(arena, "%s/%zu", folder, done), status);
        running--;
    }
    return ok;
}

bool run_tools(Arena *arena, const char *tools, ToolRun *runs, size_t count) {
    const char *temporary = getenv("TMPDIR");
    char *folder = arena_format(arena, "%s/corpus.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (access(arena_format(arena, "%s/bin/tileirdisasm", tools), X_OK) != 0) {
        fprintf(stderr, "corpus: %s/bin/tileirdisasm cannot be run: %s\n", tools, strerror(errno));
        return false;
    }
    if (!mkdtemp(folder)) {
        fprintf(stderr, "corpus: no folder %s: %s\n", folder, strerror(errno));
        return false;
    }
    bool ok = run_in(arena, tools, folder, runs, count);
    if (!ok) fprintf(stderr, "corpus: the tools of %s cannot be run\n", tools);
    rmdir(folder);
    return ok;
}

// ---- the checks -----------------------------------------------------------------------------------------------------

// Of a sample: its bytecode, plain and with -g, and the two bytecodes of what was parsed.
enum { RUNS_OF_SAMPLE = 4 };

// Bytecode of the parsed text that is the sample's own needs no run.
static bool needs_run(const Sample *sample, const Buffer *again) {
    return again->size && (again->size != sample->size || memcmp(again->data, sample->bytes, sample->size) != 0);
}

static void prepare(const Sample *sample, ToolRun *runs) {
    for (int located = 0; located < 2; located++) {
        runs[located] = (ToolRun){.input = sample->bytes, .size = sample->size, .located = located};
        const Buffer *again = &sample->again[located];
        if (needs_run(sample, again))
            runs[2 + located] =
                (ToolRun){.input = (const uint8_t *)again->data, .size = again->size, .located = located};
    }
}

static void check_printed(Corpus *corpus, Sample *sample, const ToolRun *runs) {
    Arena *arena = &corpus->arena;
    if (runs[0].ok != sample->accepted)
        note_check(sample, CHECK_VERDICT,
                   arena_format(arena, "tileirdisasm: %s%.300s",
                                runs[0].ok ? "accepted" : "refused: ", runs[0].ok ? "" : runs[0].output));
    for (int located = 0; runs[0].ok && runs[1].ok && located < 2; located++) {
        const ToolRun *own = &runs[located], *again = &runs[2 + located];
        const Buffer *text = &sample->text[located];
        note_check(sample, located ? CHECK_LOCATED : CHECK_TEXT,
                   text_difference(arena, text->data, text->size, own->output, own->output_size));
        if (!again->input) continue;
        note_check(sample, CHECK_PARSE_WRITE,
                   again->ok ? text_difference(arena, again->output, again->output_size, own->output, own->output_size)
                             : arena_format(arena, "tileirdisasm refuses what is written: %.300s", again->output));
    }
}

static ToolRun *run_disassembler(Corpus *corpus) {
    ToolRun *runs = arena_array(&corpus->arena, ToolRun, corpus->count * RUNS_OF_SAMPLE + 1);
    for (size_t i = 0; i < corpus->count; i++) prepare(&corpus->samples[i], runs + i * RUNS_OF_SAMPLE);
    return run_tools(&corpus->arena, corpus->tools, runs, corpus->count * RUNS_OF_SAMPLE) ? runs : NULL;
}

static const struct Uncompiled {
    const char *pattern, *reason;
} uncompiled[] = {
#define UNCOMPILED(pattern, reason) {pattern, reason},
#include "tests/conformance/uncompiled.def"
#undef UNCOMPILED
};

static bool is_uncompiled(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(uncompiled); i++)
        if (fnmatch(uncompiled[i].pattern, name, 0) == 0) return true;
    return false;
}

static const struct Gpu {
    const char *name;
    uint32_t lacking; // a bit per kind of type
    bool adds_bf16, reaches_devices;
} gpus[] = {
#define GPU(name, lacking, adds_bf16, reaches_devices) {name, lacking, adds_bf16, reaches_devices},
#include "tests/conformance/gpus.def"
#undef GPU
};

static const char *compiled_problem(Arena *arena, const Sample *sample, const struct Gpu *gpu, const ToolRun *run) {
    bool expected = !(sample->types & gpu->lacking) && (gpu->adds_bf16 || !sample->adds_bf16) &&
                    (gpu->reaches_devices || !sample->reaches_devices) && !is_uncompiled(sample->name);
    if (run->ok == expected) return NULL;
    return arena_format(arena, "tileiras for %s: %.300s", gpu->name,
                        run->ok ? "compiled, expected a refusal (gpus.def, uncompiled.def)" : run->output);
}

// Gives one of so many files, in its newest version, to the compiler: each to the next target.
static bool check_compiled(Corpus *corpus) {
    ToolRun *runs = arena_array(&corpus->arena, ToolRun, corpus->count + 1);
    const struct Gpu **targets = arena_array(&corpus->arena, const struct Gpu *, corpus->count + 1);
    uint32_t file = 0, taken = 0;
    for (size_t i = 0; i < corpus->count; i++) {
        const Sample *sample = &corpus->samples[i];
        if (i + 1 < corpus->count && is_same_kernel(sample, sample + 1)) continue;
        if (file++ % corpus->compile_every) continue;
        targets[i] = &gpus[taken++ % BASE_COUNT(gpus)];
        runs[i] = (ToolRun){.input = sample->bytes, .size = sample->size, .gpu_name = targets[i]->name};
    }
    if (!run_tools(&corpus->arena, corpus->tools, runs, corpus->count)) return false;
    for (size_t i = 0; i < corpus->count; i++)
        if (runs[i].input)
            note_check(&corpus->samples[i], CHECK_COMPILED,
                       compiled_problem(&corpus->arena, &corpus->samples[i], targets[i], &runs[i]));
    return true;
}

bool check_with_tools(Corpus *corpus) {
    ToolRun *runs = run_disassembler(corpus);
    for (size_t i = 0; runs && i < corpus->count; i++)
        check_printed(corpus, &corpus->samples[i], runs + i * RUNS_OF_SAMPLE);
    return runs && (!corpus->compile_every || check_compiled(corpus));
}

// ---- goldens --------------------------------------------------------------------------------------------------------

bool update_goldens(Corpus *corpus) {
    ToolRun *runs = run_disassembler(corpus);
    Diagnostics diagnostics = {0};
    for (size_t i = 0; runs && i < corpus->count; i++) {
        const Sample *sample = &corpus->samples[i];
        for (int located = 0; located < 2; located++) {
            const ToolRun *run = &runs[i * RUNS_OF_SAMPLE + (size_t)located];
            if (!strcmp(sample->half, "text") && run->ok && sample->golden[located])
                file_write(&diagnostics, sample->golden[located], run->output, run->output_size);
        }
    }
    bool ok = runs && !diagnostics.count;
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    return ok;
}
