// SPDX-License-Identifier: Apache-2.0
// The goals, and the report: docs/performance.md.
#include "bench/bench_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- goals ----------------------------------------------------------------------------------------------------------

BenchVerdict bench_verdict(double figure, BenchSense sense, double goal) {
    if (isnan(figure)) return BENCH_NOT_MEASURED;
    return (sense == BENCH_AT_MOST ? figure <= goal : figure >= goal) ? BENCH_REACHED : BENCH_MISSED;
}

BenchVerdict bench_speed_up_verdict(double figure, double peer) {
    if (!(peer >= BENCH_SPEED_UP)) return BENCH_NOT_MEASURED;
    return bench_verdict(figure, BENCH_AT_LEAST, BENCH_SPEED_UP);
}

void bench_goal_text(Bench *bench, const char *what, const char *figure, const char *goal, BenchVerdict verdict) {
    const char *word = "";
    switch (verdict) {
    case BENCH_REACHED: word = "yes"; break;
    case BENCH_NOT_MEASURED: word = "not measured"; break;
    case BENCH_MISSED: word = "no"; break;
    }
    buffer_print(&bench->goals, "%s\t%s\t%s\t%s\n", what, figure, goal, word);
    bench->goals_of[verdict]++;
}

void bench_goal(Bench *bench, const char *what, double figure, const char *unit, BenchSense sense, double goal) {
    char text[2][64];
    snprintf(text[0], sizeof text[0], "%.3g", figure);
    snprintf(text[1], sizeof text[1], "%s %.4g%s", sense == BENCH_AT_MOST ? "<=" : ">=", goal, unit);
    bench_goal_text(bench, what, text[0], text[1], bench_verdict(figure, sense, goal));
}

void bench_goals_of_kernels(Bench *bench, const char *what, size_t count, double *figures, double median,
                            double worst) {
    Arena arena = {0};
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, figures[i]);
    bench_goal(bench, arena_format(&arena, "%s, median of kernels", what), bench_median(figures, count), "",
               BENCH_AT_MOST, median);
    bench_goal(bench, arena_format(&arena, "%s, worst kernel", what), largest, "", BENCH_AT_MOST, worst);
    arena_reset(&arena);
}

// The table of goals goes before the others; on standard output it has those that are missed or not measured.
static void print_goals(Bench *bench) {
    Buffer tables = bench->report;
    bench->report = (Buffer){0};
    bench->report_only = true;
    bench_table(bench, "Goals", "what\tfigure\tgoal\treached");
    bench->report_only = false;
    bench->wide = true;
    printf("\nGoals that are missed or not measured\n");
    for (char *line = bench->goals.data, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        bench->report_only = end - line > 4 && !strncmp(end - 4, "\tyes", 4);
        bench_row(bench, "%.*s", (int)(end - line), line);
    }
    bench->report_only = false;
    const unsigned reached = bench->goals_of[BENCH_REACHED], missing = bench->goals_of[BENCH_NOT_MEASURED];
    char not_measured[64] = "";
    if (missing) snprintf(not_measured, sizeof not_measured, ", %u not measured", missing);
    bench_note(bench, "%u of %u reached%s. Figures without a unit are ratios of times or speeds.", reached,
               reached + bench->goals_of[BENCH_MISSED] + missing, not_measured);
    buffer_append(&bench->report, tables.data, tables.size);
    buffer_free(&tables);
}

// ---- the report -----------------------------------------------------------------------------------------------------

// The processor as Linux names it.
static void read_machine(char *name, size_t size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file) fclose(file);
}

static void print_head(Bench *bench, Buffer *out) {
    char machine[256];
    read_machine(machine, sizeof machine);
    const char *numpy = bench->peers.version[BENCH_NUMPY], *torch = bench->peers.version[BENCH_TORCH],
               *blas = bench_blas_version();
    buffer_print(out,
                 "# Performance\n\n"
                 "`make bench PYTHON=FILE CUTILE_SRC=DIR` (bench/) writes this page and prints it. FILE is a Python\n"
                 "with numpy and PyTorch, DIR a checkout of NVIDIA/cutile-python, whose sample kernels are compiled\n"
                 "as well. Without them the figures that need them are `-` and their goals are not measured.\n\n"
                 "What is compared runs in turn in the same run. Figures are medians of %u turns or more; ratios are\n"
                 "medians of the ratios within a turn. On one thread times are processor time, on two wall-clock\n"
                 "time. Results that are timed are also checked. [speed.md](speed.md) says what limits the figures.\n\n"
                 "| | |\n|---|---|\n",
                 bench->runs);
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    buffer_print(out, "| machine | %s (LLVM: %s) |\n| processors | %ld", machine,
                 compiler_host_cpu(bench->machine.compiler), sysconf(_SC_NPROCESSORS_ONLN));
    if (cache > 0) buffer_print(out, ", %ld MiB of third-level cache", cache >> 20);
    buffer_print(out, " |\n");
    buffer_print(out, "| LLVM | %s |\n", compiler_llvm_version(bench->machine.compiler));
    buffer_print(out, "| OpenBLAS | %s |\n| numpy | %s |\n| PyTorch | %s |\n", blas ? blas : "not there",
                 strcmp(numpy, "-") ? numpy : "not there", strcmp(torch, "-") ? torch : "not there");
}

bool bench_report(Bench *bench, const char *path) {
    if (bench->size != 1024) return true; // goals and labels are for whole sizes
    if (bench->goals.size) print_goals(bench);
    if (!path) return true;
    Buffer out = {0};
    print_head(bench, &out);
    buffer_append(&out, bench->report.data, bench->report.size);
    bool good = file_write(&bench->diagnostics, path, out.data, out.size);
    buffer_free(&out);
    return good;
}

// ---- tables ---------------------------------------------------------------------------------------------------------

// Cells are separated by tabs.
static void print_cells(const Bench *bench, const char *cells) {
    const int first_width = bench->wide ? 76 : 40, width = bench->wide ? 22 : 10;
    for (unsigned column = 0;; column++) {
        int length = (int)strcspn(cells, "\t");
        printf(column ? " %*.*s" : "  %-*.*s", column ? width : first_width, length, cells);
        if (!cells[length]) break;
        cells += length + 1;
    }
    printf("\n");
    fflush(stdout);
}

static void report_cells(Buffer *out, const char *cells) {
    buffer_print(out, "| ");
    for (;; cells++) {
        cells += strspn(cells, " ");
        size_t length = strcspn(cells, "\t");
        buffer_append(out, cells, length);
        cells += length;
        if (!*cells) break;
        buffer_print(out, " | ");
    }
    buffer_print(out, " |\n");
}

void bench_table(Bench *bench, const char *title, const char *heads) {
    if (!bench->report_only) {
        printf("\n%s\n", title);
        print_cells(bench, heads);
    }
    buffer_print(&bench->report, "\n## %s\n\n", title);
    report_cells(&bench->report, heads);
    buffer_print(&bench->report, "|---|");
    for (; (heads = strchr(heads, '\t')); heads++) buffer_print(&bench->report, "--:|");
    buffer_print(&bench->report, "\n");
}

void bench_row(Bench *bench, const char *format, ...) {
    char cells[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(cells, sizeof cells, format, list);
    va_end(list);
    for (char *nan; (nan = strstr(cells, "nan"));) memcpy(nan, "  -", 3); // what there is none of
    if (!bench->report_only) print_cells(bench, cells);
    report_cells(&bench->report, cells);
}

// In the report a note is a paragraph of lines of at most 100 columns.
static void print_paragraph(Buffer *out, const char *text) {
    enum { COLUMNS = 100 };
    buffer_print(out, "\n");
    while (strlen(text) > COLUMNS) {
        int end = COLUMNS;
        while (end > 0 && text[end] != ' ') end--;
        if (!end) break; // one word
        buffer_print(out, "%.*s\n", end, text);
        text += end + 1;
    }
    buffer_print(out, "%s\n", text);
}

void bench_note(Bench *bench, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!bench->report_only) printf("  %s\n", text);
    print_paragraph(&bench->report, text);
}
