// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

ReportPrint *report_printer(ReportFormat format) {
    static ReportPrint *const printers[REPORT_FORMAT_COUNT] = {
#define FORMAT(name, print) print,
#include "report/formats.def"
#undef FORMAT
    };
    return printers[format];
}
