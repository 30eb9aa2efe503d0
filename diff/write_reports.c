// SPDX-License-Identifier: Apache-2.0
// The reports that the command line asks for, all from the same Report.
#include "diff/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// What GitHub takes of the summary of a step, all that is in its file together.
enum { STEP_SUMMARY_MAX = 1024 * 1024 };

bool fpd_write_text(const FpdSession *session, Diagnostics *diagnostics, const char *path, const Buffer *text) {
    if (strcmp(path, "-")) return file_write(diagnostics, path, text->data, text->size);
    fpd_put(session, text); // fpd_session_close sees whether that failed
    return true;
}

static bool append(Diagnostics *diagnostics, const char *path, const Buffer *text) {
    FILE *file = fopen(path, "ab");
    bool good = file && (!text->size || fwrite(text->data, 1, text->size, file) == text->size);
    if (file && fclose(file)) good = false;
    return good || diag_fail(diagnostics, (Location){.file = path}, E_FILE, "cannot be written: %s", strerror(errno));
}

// Appends the report to the file that the variable of the environment names, if there is one.
static bool write_step_summary(const FpdSession *session, Diagnostics *diagnostics, ReportSettings settings,
                               const Report *report) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    struct stat facts = {0};
    Buffer text = {0};
    if (!path || !*path) return true;
    if (stat(path, &facts)) facts.st_size = 0;
    if (facts.st_size >= STEP_SUMMARY_MAX) { // GitHub takes nothing of it any more
        fprintf(session->err,
                "fpdiff: %s: the summary of this step has 1 MiB already, so that of the report is left out\n", path);
        return true;
    }
    settings.size_max = (size_t)(STEP_SUMMARY_MAX - facts.st_size);
    report_print_markdown(report, &settings, &text);
    const bool good = append(diagnostics, path, &text);
    buffer_free(&text);
    return good;
}

static bool wants_annotations(const FpdOptions *options) {
    const char *actions = getenv("GITHUB_ACTIONS");
    if (options->annotations == FPD_ANNOTATIONS_AUTO) return actions && *actions;
    return options->annotations == FPD_ANNOTATIONS_GITHUB;
}

static void annotate(Diagnostics *diagnostics, const FpdSession *session, const ReportSettings *settings,
                     const Report *report) {
    Buffer text = {0};
    report_print_annotations(report, settings, &text);
    // GitHub reads both. A report in standard output stays whole.
    if (text.size)
        fwrite(text.data, 1, text.size, fpd_reports_to_output(&session->options) ? session->err : session->out);
    fflush(session->out);
    buffer_free(&text);
    write_step_summary(session, diagnostics, *settings, report);
}

// Whether a report that is already written is in that file, under whatever name.
static bool is_taken(const FpdOptions *options, int format) {
    struct stat own, other;
    const char *path = options->reports[format];
    if (!strcmp(path, "-") || stat(path, &own) || !S_ISREG(own.st_mode)) return false;
    for (int f = 0; f < format; f++)
        if (options->reports[f] && strcmp(options->reports[f], "-") && !stat(options->reports[f], &other) &&
            own.st_dev == other.st_dev && own.st_ino == other.st_ino)
            return true;
    return false;
}

int fpd_write_reports(const FpdSession *session, const Report *report) {
    const ReportSettings settings = {.source_root = session->options.source_root};
    Diagnostics diagnostics = {0};
    for (int f = 0; f < REPORT_FORMAT_COUNT; f++) {
        Buffer text = {0};
        if (!session->options.reports[f]) continue;
        if (is_taken(&session->options, f)) {
            diag_fail(&diagnostics, (Location){.file = session->options.reports[f]}, E_USAGE,
                      "two reports are to be written to this file; it has the first one");
            continue;
        }
        report_printer((ReportFormat)f)(report, &settings, &text);
        fpd_write_text(session, &diagnostics, session->options.reports[f], &text);
        buffer_free(&text);
    }
    if (wants_annotations(&session->options)) annotate(&diagnostics, session, &settings, report);
    fpd_put_diagnostics(session, &diagnostics);
    const int status = fpd_exit_status(&diagnostics);
    diagnostics_close(&diagnostics);
    return status;
}
