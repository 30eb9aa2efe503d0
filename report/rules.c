// SPDX-License-Identifier: Apache-2.0
#include "report/report_internal.h"

#include <string.h>

static const ReportRuleInfo rule_infos[REPORT_RULE_COUNT] = {
#define RULE(id, name, level, short_text, help) {name, REPORT_##level, short_text, help},
#include "report/rules.def"
#undef RULE
#define ERROR(name, number, exit_status, meaning)                                                                      \
    {"error-" #name, REPORT_ERROR, "Error: " meaning ".", "The case could not be run: " meaning "."},
#include "base/errors.def"
#undef ERROR
};

const ReportRuleInfo *report_rule_info(ReportRule rule) {
    return &rule_infos[rule];
}

ReportRule report_rule_by_name(const char *name) {
    int rule = 0;
    while (rule < REPORT_RULE_COUNT && strcmp(rule_infos[rule].name, name)) rule++;
    return (ReportRule)rule;
}

bool report_rule_is_error(ReportRule rule) {
    return rule >= REPORT_RULE_error_NONE;
}
