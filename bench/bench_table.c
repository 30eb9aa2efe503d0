// SPDX-License-Identifier: Apache-2.0
// Tables on standard output, and the same as Markdown for the report; the goals, and the report itself.
#include "bench/bench_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 9 };

// Cells are separated by tabs.
static void print_cells(int first_width, const char *cells) {
    for (unsigned column = 0;; column++) {
        int length = (int)strcspn(cells, "\t");
        printf(column ? " %*.*s" : "  %-*.*s", column ? WIDTH : first_width, length, cells);
        if (!cells[length]) break;
        cells += length + 1;
    }
    printf("\n");
    fflush(stdout);
}

static void report_cells(Buffer *out, const char *cells) {
    buffer_print(out, "| ");
    for (; *cells; cells++) {
        if (*cells == '\t')
            buffer_print(out, " | ");
        else
            buffer_append(out, cells, 1);
    }
    buffer_print(out, " |\n");
}

void bench_table(Bench *bench, const char *title, const char *heads) {
    if (!bench->first_width) bench->first_width = 48; // of other tables
    printf("\n%s\n", title);
    print_cells(bench->first_width, heads);
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
    print_cells(bench->first_width, cells);
    report_cells(&bench->report, cells);
}

void bench_note(Bench *bench, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("  %s\n", text);
    buffer_print(&bench->report, "\n%s\n", text);
}

// ---- goals ----------------------------------------------------------------------------------------------------------

void bench_goal(Bench *bench, const char *what, double figure, const char *unit, BenchSense sense, double goal) {
    const char *sign = sense == BENCH_AT_MOST ? "<=" : ">=";
    bool reached = sense == BENCH_AT_MOST ? figure <= goal : figure >= goal;
    bench->goal_count += !isnan(figure);
    bench->reached_count += reached;
    buffer_print(&bench->goals, "%s\t%.3g\t%s %.4g%s\t%s\n", what, figure, sign, goal, unit,
                 isnan(figure) ? "-"
                 : reached     ? "yes"
                               : "no");
}

static void print_goals(Bench *bench) {
    Buffer tables = bench->report;
    bench->report = (Buffer){0};
    bench->first_width = 72;
    bench_table(bench, "Goals", "what\tfigure\tgoal\treached");
    for (char *line = bench->goals.data, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        bench_row(bench, "%.*s", (int)(end - line), line);
    }
    bench_note(bench, "%u of %u reached", bench->reached_count, bench->goal_count);
    buffer_append(&bench->report, tables.data, tables.size);
    buffer_free(&tables);
}

bool bench_report(Bench *bench, const char *path) {
    if (bench->size != 1024) return true; // goals and labels are for whole sizes
    if (bench->goals.size) print_goals(bench);
    return !path;
}
