// SPDX-License-Identifier: Apache-2.0
// The tables of rules and roundings.
#include "sanitizer/format/format.h"

#include <string.h>

static const FpsanRuleInfo rule_table[FPSAN_RULE_COUNT] = {
#define RULE(name, text, operands, kind, tag) {text, operands, FPSAN_KIND_##kind},
#include "sanitizer/format/rules.def"
#undef RULE
};
static const char *const rounding_names[FPSAN_ROUNDING_COUNT] = {
#define ROUNDING(name, text, ...) text,
#include "sanitizer/format/roundings.def"
#undef ROUNDING
};

const FpsanRuleInfo *fpsan_rule_info(FpsanRule rule) {
    return &rule_table[rule];
}

bool fpsan_rule_by_name(const char *name, FpsanRule *rule) {
    for (unsigned i = 0; i < FPSAN_RULE_COUNT; i++)
        if (!strcmp(rule_table[i].name, name)) {
            *rule = (FpsanRule)i;
            return true;
        }
    return false;
}

const char *fpsan_rounding_name(FpsanRounding rounding) {
    return rounding_names[rounding];
}
