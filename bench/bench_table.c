// SPDX-License-Identifier: Apache-2.0
// Tables on standard output, and the same as Markdown for the report.
#include "bench/bench_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
