// SPDX-License-Identifier: Apache-2.0
// The reports that the command line asks for, all from the same Report.
#include "diff/command.h"

#include <string.h>

static int write_report(const char *path, const Buffer *text) {
    Diagnostics diagnostics = {0};
    if (!strcmp(path, "-"))
        fpd_put(text);
    else
        file_write(&diagnostics, path, text->data, text->size);
    diagnostics_print(&diagnostics);
    const int status = fpd_exit_status(&diagnostics);
    diagnostics_close(&diagnostics);
    return status;
}

int fpd_write_reports(const FpdSession *session, const Report *report) {
    const char *path = session->options.json;
    Buffer text = {0};
    if (!path) return 0;
    report_print_json(report, &text);
    const int status = write_report(path, &text);
    buffer_free(&text);
    return status;
}
