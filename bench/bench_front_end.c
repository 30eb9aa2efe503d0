// SPDX-License-Identifier: Apache-2.0
// Megabytes per second of processor time in the front end: a module of many kernels, the examples again and again under
// other names, read, verified, written, printed and parsed; and lines of Triton IR per second.
#include "bench/bench_internal.h"
#include "compiler/tileir/tir.h"
#include "compiler/triton/triton.h"

#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { MODULE_BYTES = 1 << 20 }; // of bytecode, at least

static const char *const kernels[] = {
    "attention/flash", "attention/scores", "attention/softmax", "attention/pv",        "gelu/linear_gelu",
    "gelu/matmul",     "norm/layer_norm",  "norm/rms_norm",     "softmax/softmax_exp", "softmax/softmax_online",
    "splitk/splitk",
};

typedef struct FrontEndTurns {
    Bench *bench;
    bool locations; // with debug information, as cuTile writes it
    Buffer text, bytes;
    TirModule *module; // of `bytes`, while a step that needs it is timed
    uint32_t entries;
} FrontEndTurns;

// ---- the module -----------------------------------------------------------------------------------------------------

static size_t word_length(const char *text) {
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
}

// The text of an entry, "entry @NAME(...", and its debug information with names of its own: the entry's is its linkage
// name, too, and locations and scopes have aliases, #loc7 or #di_file.
static void append_entry(Buffer *out, const char *text, uint32_t number) {
    const char *name = strchr(text, '@') + 1;
    size_t length = word_length(name);
    for (const char *at = text; *at;) {
        bool own = !strncmp(at, "#loc", 4) || !strncmp(at, "#di_", 4) ||
                   ((*at == '@' || *at == '"') && word_length(at + 1) == length && !strncmp(at + 1, name, length));
        size_t taken = own ? 1 + word_length(at + 1) : 1 + strcspn(at + 1, "#@\"");
        buffer_append(out, at, taken);
        if (own) buffer_print(out, "_%u", number);
        at += taken;
    }
    buffer_append(out, "\n", 1);
}

static bool print_kernel(Bench *bench, const char *name, bool locations, Buffer *text) {
    Arena scratch = {0};
    TirModule *module =
        tir_read_file(&bench->diagnostics, arena_format(&scratch, "%s/../examples/%s.tileirbc", BENCH_DIR, name));
    if (module) tir_print(module, locations, text);
    buffer_append(text, "", 1); // ends here
    tir_module_close(module);
    arena_reset(&scratch);
    return module;
}

static TirModule *parse(FrontEndTurns *f) {
    return tir_parse_text(&f->bench->diagnostics, "front_end.mlir", f->text.data, f->text.size);
}

static bool write_module(FrontEndTurns *f, const TirModule *module) {
    f->bytes.size = 0;
    return tir_write_bytecode(&f->bench->diagnostics, module, TIR_VERSION_MIN, &f->bytes);
}

// Rounds of all kernels, as many as `rounds` says.
static bool make_module(FrontEndTurns *f, const Buffer *texts, uint32_t rounds) {
    f->text.size = 0;
    f->entries = 0;
    for (uint32_t i = 0; i < rounds; i++)
        for (size_t k = 0; k < BASE_COUNT(kernels); k++) append_entry(&f->text, texts[k].data, f->entries++);
    TirModule *module = parse(f);
    bool good = module && write_module(f, module);
    tir_module_close(module);
    return good;
}

static bool make_modules(FrontEndTurns *f) {
    Buffer texts[BASE_COUNT(kernels)] = {0};
    bool good = true;
    for (size_t k = 0; good && k < BASE_COUNT(kernels); k++)
        good = print_kernel(f->bench, kernels[k], f->locations, &texts[k]);
    good = good && make_module(f, texts, 10);
    if (good) good = make_module(f, texts, (uint32_t)(MODULE_BYTES / (f->bytes.size / 10)) + 1);
    for (size_t k = 0; k < BASE_COUNT(kernels); k++) buffer_free(&texts[k]);
    return good;
}

// ---- the steps ------------------------------------------------------------------------------------------------------

static bool step_read(FrontEndTurns *f) {
    tir_module_close(f->module);
    f->module =
        tir_read_bytecode(&f->bench->diagnostics, "front_end.tileirbc", (const uint8_t *)f->bytes.data, f->bytes.size);
    return f->module;
}

static bool step_verify(FrontEndTurns *f) {
    return tir_verify(&f->bench->diagnostics, f->module);
}

static bool step_read_and_verify(FrontEndTurns *f) {
    return step_read(f) && step_verify(f);
}

static bool step_write(FrontEndTurns *f) {
    return write_module(f, f->module);
}

static bool step_print(FrontEndTurns *f) {
    Buffer text = {0};
    tir_print(f->module, f->locations, &text);
    f->text.size = 0;
    buffer_append(&f->text, text.data, text.size);
    buffer_free(&text);
    return true;
}

static bool step_parse(FrontEndTurns *f) {
    TirModule *module = parse(f);
    tir_module_close(module);
    return module;
}

static const struct {
    const char *label;
    bool (*run)(FrontEndTurns *f);
    bool of_text; // the rate is that of the text
} steps[] = {
    {"read bytecode", step_read, false},
    {"verify", step_verify, false},
    {"read and verify", step_read_and_verify, false},
    {"write bytecode", step_write, false},
    {"print text", step_print, true},
    {"parse text", step_parse, true},
};

static bool time_step(FrontEndTurns *f, size_t step) {
    Arena scratch = {0};
    double *seconds = arena_array(&scratch, double, f->bench->runs);
    bool good = true;
    for (unsigned r = 0; good && r < f->bench->runs; r++) {
        double start = clock_thread_seconds();
        good = steps[step].run(f);
        seconds[r] = clock_thread_seconds() - start;
    }
    double median = bench_median(seconds, f->bench->runs);
    size_t size = steps[step].of_text ? f->text.size : f->bytes.size;
    if (good) printf("  %-48s %9.1f %9.1f\n", steps[step].label, median * 1e3, (double)size / median * 1e-6);
    arena_reset(&scratch);
    return good;
}

static bool time_module(Bench *bench, bool locations) {
    FrontEndTurns f = {.bench = bench, .locations = locations};
    bool good = make_modules(&f);
    if (good)
        printf("\nfront end: %u kernels, %-11s %5.2f MB bytecode, %5.2f text     ms      MB/s\n", f.entries,
               locations ? "with lines:" : "no lines:", (double)f.bytes.size * 1e-6, (double)f.text.size * 1e-6);
    for (size_t i = 0; good && i < BASE_COUNT(steps); i++) good = time_step(&f, i);
    tir_module_close(f.module);
    buffer_free(&f.text);
    buffer_free(&f.bytes);
    return good;
}

// ---- a bad file -----------------------------------------------------------------------------------------------------

// Runs tileiras once; false unless it ends with the exit status of bytecode that is not valid.
static bool refuse(char *path) {
    extern char **environ;
    enum { BYTECODE_IS_WRONG = 3 };
    char *words[] = {"tileiras", path, NULL};
    pid_t process;
    int status;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool good = !posix_spawn(&process, TILEIRAS, &actions, NULL, words, environ) &&
                waitpid(process, &status, 0) == process && WIFEXITED(status) &&
                WEXITSTATUS(status) == BYTECODE_IS_WRONG;
    posix_spawn_file_actions_destroy(&actions);
    return good;
}

static bool time_refusal(Bench *bench) {
    enum { STARTS = 101 };
    double seconds[STARTS];
    for (int i = 0; i < STARTS; i++) {
        double start = bench_seconds();
        if (!refuse(BENCH_DIR "/../tests/bad/truncated.tileirbc"))
            return diag_fail(&bench->diagnostics, (Location){.file = TILEIRAS}, E_RUNTIME,
                             "does not refuse a truncated file");
        seconds[i] = bench_seconds() - start;
    }
    printf("  %-48s %9.1f\n", "tileiras refuses a bad file, start to end", bench_median(seconds, STARTS) * 1e3);
    return true;
}

// ---- Triton's text --------------------------------------------------------------------------------------------------

typedef struct TritonTexts {
    Arena arena;
    char **paths;
    uint8_t **texts;
    size_t *sizes, count;
    uint64_t lines;
} TritonTexts;

static bool read_triton_texts(Bench *bench, TritonTexts *t) {
    glob_t found;
    bool good = !glob(TTIR_KERNELS "/*.ttir", 0, NULL, &found);
    if (!good) return diag_fail(&bench->diagnostics, (Location){.file = TTIR_KERNELS}, E_FILE, "has no Triton IR");
    t->texts = arena_array(&t->arena, uint8_t *, found.gl_pathc);
    t->paths = arena_array(&t->arena, char *, found.gl_pathc);
    t->sizes = arena_array(&t->arena, size_t, found.gl_pathc);
    for (size_t i = 0; good && i < found.gl_pathc; i++, t->count++) {
        t->paths[i] = arena_text(&t->arena, found.gl_pathv[i], strlen(found.gl_pathv[i]));
        good = file_read(&bench->diagnostics, &t->arena, t->paths[i], &t->texts[i], &t->sizes[i]);
        for (size_t b = 0; good && b < t->sizes[i]; b++) t->lines += t->texts[i][b] == '\n';
    }
    globfree(&found);
    return good;
}

// Reads and translates each text; with `verify` also what makes a program of it.
static bool read_all(Bench *bench, const TritonTexts *t, bool verify) {
    bool good = true;
    for (size_t i = 0; good && i < t->count; i++) {
        TirModule *module = tri_read(&bench->diagnostics, t->paths[i], (const char *)t->texts[i], t->sizes[i]);
        good = module && (!verify || tir_verify(&bench->diagnostics, module));
        tir_module_close(module);
    }
    return good;
}

static bool time_triton(Bench *bench) {
    TritonTexts t = {0};
    bool good = read_triton_texts(bench, &t);
    if (good)
        printf("\nTriton IR: %zu kernels, %llu lines %31s klines/s\n", t.count, (unsigned long long)t.lines, "ms");
    for (int verify = 0; good && verify < 2; verify++) {
        double *seconds = arena_array(&t.arena, double, bench->runs);
        for (unsigned r = 0; good && r < bench->runs; r++) {
            const double start = clock_thread_seconds();
            good = read_all(bench, &t, verify);
            seconds[r] = clock_thread_seconds() - start;
        }
        const double median = bench_median(seconds, bench->runs);
        if (good)
            printf("  %-48s %9.1f %9.1f\n", verify ? "read, translate and verify" : "read and translate", median * 1e3,
                   (double)t.lines / median * 1e-3);
    }
    arena_reset(&t.arena);
    return good;
}

bool bench_front_end(Bench *bench) {
    return time_module(bench, true) && time_module(bench, false) && time_triton(bench) && time_refusal(bench);
}
