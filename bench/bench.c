// SPDX-License-Identifier: Apache-2.0
// bench [OPTION...] [FILE...]: times the front end, matrix products, kernels with shadow memory, kernels against numpy
// and PyTorch, kernels with and without the search for races and the range census, and with numbers without rounding
// beside their floats, kernels of Triton beside cuTile's and of Gluon
// beside Triton's, then running every variant of the cases and compiling the
// bytecode among the files; on demand the memory of large cases. Numbers are medians. Exit status 1 if something
// failed; a goal that is not reached is no failure.
#include "bench/bench_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Options {
    int64_t runs, size;
    const char *peers, *report, *only, *products, *tileir_tools;
    bool without_tiles, triton;
} Options;

static const struct {
    const char *name;
    bool (*run)(Bench *bench);
    bool alone; // runs only where --only asks for it
} sections[] = {
    {"front-end", bench_front_end, false},
    {"matmul", bench_matmuls, false},
    {"shadow", bench_shadow, false},
    {"verdict", bench_verdicts, false},
    {"kernels", bench_kernels, false},
    {"races", bench_races, false},
    {"census", bench_census, false},
    {"math", bench_math, false},
    {"wide", bench_wide, false},
    {"triton", bench_triton, false},
    {"gluon", bench_gluon, false},
    {"examples", bench_cases, false},
    {"ptx", bench_ptx, false},
    {"compile", bench_compile, false},
    {"gpu", bench_gpu, false},
    {"memory", bench_memory, true},
};

static bool has_ending(const char *path, const char *ending) {
    size_t length = strlen(path), more = strlen(ending);
    return length >= more && !strcmp(path + length - more, ending);
}

char **bench_files(const Bench *bench, Arena *arena, const char *ending, size_t *count) {
    char **files = arena_array(arena, char *, bench->file_count + 1);
    *count = 0;
    for (size_t i = 0; i < bench->file_count; i++)
        if (has_ending(bench->files[i], ending)) files[(*count)++] = bench->files[i];
    return files;
}

// The command line, and where it is read.
typedef struct Words {
    char **words;
    int count, at;
} Words;

static const char *value_of(Words *line, const char *option) {
    if (strcmp(line->words[line->at], option)) return NULL;
    if (line->at + 1 >= line->count) {
        fprintf(stderr, "bench: %s needs a value\n", option);
        exit(1);
    }
    line->at += 2;
    return line->words[line->at - 1];
}

static bool read_number(Words *line, const char *option, int64_t low, int64_t high, int64_t *number) {
    const char *text = value_of(line, option);
    if (!text) return false;
    char *end;
    *number = strtoll(text, &end, 10);
    if (end == text || *end || *number < low || *number > high) {
        fprintf(stderr, "bench: %s needs a number from %lld to %lld\n", option, (long long)low, (long long)high);
        exit(1);
    }
    return true;
}

static bool read_text(Words *line, const char *option, const char **text) {
    const char *value = value_of(line, option);
    if (value) *text = value;
    return value;
}

static bool read_flag(Words *line, const char *option, bool *flag) {
    if (line->at >= line->count || strcmp(line->words[line->at], option)) return false;
    line->at++;
    return *flag = true;
}

static void print_usage(void) {
    printf("usage: bench [OPTION...] [FILE...]      files: cases (.yaml) to run, bytecode (.tileirbc) to compile\n"
           "  --runs N         how often everything is timed (5); medians are printed\n"
           "  --size N         rows and columns of the matrices (1024); other arrays in proportion\n"
           "  --peers PYTHON   a Python with numpy, and PyTorch if there, to compare with\n"
           "  --tileir-tools DIR  NVIDIA's tileiras is DIR/bin/tileiras, to compare with\n"
           "  --triton         the Python of --peers has Triton 3.9, to compare with\n"
           "  --report FILE    writes tables and goals as Markdown\n"
           "  --only SECTION   of");
    for (size_t i = 0; i < BASE_COUNT(sections); i++)
        printf(" %s%s", sections[i].name, sections[i].alone ? " (not without --only)" : "");
    printf("\n  --products TEXT  only matrix products with TEXT in their label; of shadow nothing else\n"
           "  --without-tiles  matrix products in vectors alone, on a processor with AMX\n");
}

static bool run_sections(Bench *bench, const char *only) {
    bool good = true;
    for (size_t i = 0; i < BASE_COUNT(sections) && good; i++)
        if (only ? !strcmp(only, sections[i].name) : !sections[i].alone) good = sections[i].run(bench);
    return good;
}

static bool is_section(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(sections); i++)
        if (!strcmp(name, sections[i].name)) return true;
    return false;
}

int main(int count, char **words) {
    Options options = {.runs = 5, .size = 1024};
    Words line = {words, count, 1};
    if (count > 1 && !strcmp(words[1], "--help")) {
        print_usage();
        return 0;
    }
    while (line.at < count &&
           (read_number(&line, "--runs", 1, BENCH_RUNS_MAX, &options.runs) ||
            read_number(&line, "--size", 1, 8192, &options.size) || read_text(&line, "--peers", &options.peers) ||
            read_text(&line, "--report", &options.report) || read_text(&line, "--only", &options.only) ||
            read_text(&line, "--tileir-tools", &options.tileir_tools) ||
            read_flag(&line, "--triton", &options.triton) ||
            read_flag(&line, "--without-tiles", &options.without_tiles) ||
            read_text(&line, "--products", &options.products))) {
    }
    if ((line.at < count && words[line.at][0] == '-') || (options.only && !is_section(options.only))) {
        fprintf(stderr, "bench: unknown %s %s\n", line.at < count && words[line.at][0] == '-' ? "option" : "section",
                line.at < count && words[line.at][0] == '-' ? words[line.at] : options.only);
        return 1;
    }
    for (int i = line.at; i < count; i++)
        if (!has_ending(words[i], ".yaml") && !has_ending(words[i], ".tileirbc")) {
            fprintf(stderr, "bench: %s is neither a case (.yaml) nor bytecode (.tileirbc)\n", words[i]);
            return 1;
        }
    Bench bench = {.runs = (unsigned)options.runs,
                   .size = options.size,
                   .products = options.products,
                   .without_tiles = options.without_tiles,
                   .tileir_tools = options.tileir_tools,
                   .triton = options.triton && options.peers,
                   .files = words + line.at,
                   .file_count = (size_t)(count - line.at)};
    bench.machine.optimize = FPD_OPTIMIZE;
    bool good = fpd_machine_open(&bench.diagnostics, 1, &bench.machine) && bench_peers_open(&bench, options.peers);
    if (good) {
        printf("%s, LLVM %s, medians of %u\n", compiler_host_cpu(bench.machine.compiler),
               compiler_llvm_version(bench.machine.compiler), bench.runs);
        printf("numpy %s, PyTorch %s%s\n", bench.peers.version[BENCH_NUMPY], bench.peers.version[BENCH_TORCH],
               options.peers ? "" : " (no --peers)");
    }
    good = good && run_sections(&bench, options.only);
    good = good && bench_report(&bench, options.report);
    diagnostics_print(&bench.diagnostics);
    bench_peers_close(&bench);
    fpd_machine_close(&bench.machine);
    buffer_free(&bench.report);
    buffer_free(&bench.goals);
    diagnostics_close(&bench.diagnostics);
    return good ? 0 : 1;
}

// ---- time -----------------------------------------------------------------------------------------------------------

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_seconds(void) {
    return read_clock(CLOCK_MONOTONIC);
}

BenchTime bench_now(void) {
    return (BenchTime){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count) {
    if (!count) return NAN;
    qsort(values, count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
