// SPDX-License-Identifier: Apache-2.0
// The JSON report of outcomes, as text.
#ifndef CONGRUENT_TESTS_REPORT_TEXT_H
#define CONGRUENT_TESTS_REPORT_TEXT_H

#include "diff/report.h"

static inline void print_report(const FpdOutcome *outcomes, size_t count, const FpdVersions *versions, Buffer *out) {
    Report report = {.head = fpd_json_head(versions)};
    for (size_t i = 0; i < count; i++) report_add(&report, fpd_json_case(&outcomes[i]));
    report_print_json(&report, &(ReportSettings){0}, out);
    report_close(&report);
}

#endif
