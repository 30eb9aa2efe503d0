// SPDX-License-Identifier: Apache-2.0
// Report: what fpdiff found in the cases of a run, as the JSON of docs/fpdiff.md. All formats are written from it, so a
// report that was read from a file and one that was just made are the same to them. Needs base and jansson only.
#ifndef CONGRUENT_REPORT_H
#define CONGRUENT_REPORT_H

#include "base/base.h"

#include <jansson.h>

enum { REPORT_STATUS_INTERRUPTED = 130 }; // of a run that a signal ended
#define REPORT_NOT_CHECKED "not checked"  // "result" of a case that was not run

// A report of zeros is valid and empty. Cases are kept as text, so that many take little memory.
typedef struct Report {
    json_t *head; // the root without "status" and "cases"; NULL: an empty one
    int status;   // the highest of all cases, or REPORT_STATUS_INTERRUPTED
    Buffer texts; // one JSON object after the other, each with a zero byte behind it
    Arena arena;
    size_t *begins; // of each case: where its text begins
    size_t case_count, begin_capacity;
} Report;

void report_close(Report *report);
// Adds a case, whose reference is taken over. Its "status" raises that of the report.
void report_add(Report *report, json_t *cas);
// A new reference to case `index`, read from its text; the caller releases it.
json_t *report_case(const Report *report, size_t index);
// A name for each case: its file, then parameters and seed where other cases have the same file. No two are alike.
const char **report_case_names(const Report *report, Arena *arena);

// ---- formats (formats.def): write_NAME.c ----------------------------------------------------------------------------

typedef struct ReportSettings {
    const char *source_root; // where source files are searched; NULL: in the work tree of each case
    size_t size_max;         // of Markdown: bytes; 0: any number. What does not fit is left out, and that is said
} ReportSettings;
// Appends the report in a format, ending in a newline.
typedef void ReportPrint(const Report *report, const ReportSettings *settings, Buffer *out);
typedef enum ReportFormat {
#define FORMAT(name, print) REPORT_##name,
#include "report/formats.def"
#undef FORMAT
    REPORT_FORMAT_COUNT
} ReportFormat;
ReportPrint *report_printer(ReportFormat format);
#define FORMAT(name, print) ReportPrint print;
#include "report/formats.def"
#undef FORMAT
// Workflow commands of GitHub, as many as it shows of a step (write_annotations.c).
ReportPrint report_print_annotations;

// ---- plane.c: bytes in a report

// The bytes as text: packed with zlib, in base 64. The caller frees it.
char *report_plane(const void *bytes, size_t size);

// ---- excerpts.c: lines of source files

// Adds to a case the lines of source that it names, with those around them, as far as the files are found below `root`
// (NULL: the work tree of the case): "sources" of docs/fpdiff.md.
void report_add_sources(json_t *cas, const char *root);

// ---- report.c

// Appends a line for each case that is not "ok", and one that counts them all.
void report_print_summary(const Report *report, Buffer *out);
// Reads a report that fpdiff has written. False and E_FILE if the file cannot be read, E_REPORT if it is no report of
// this version.
bool report_read(Diagnostics *diagnostics, const char *path, Report *report);
// Whether the root of the JSON in a file has the key, as far as it can be seen without reading it all: quick where it
// is large, and what is no JSON may have it, too. False and E_FILE if the file cannot be read.
bool report_has_key(Diagnostics *diagnostics, const char *path, const char *key, bool *found);

#endif
