// SPDX-License-Identifier: Apache-2.0
// Parameters of a case file: `parameters: {N: [64, 96], D: 64}`, and the combinations of their values.
#include "diff/case_internal.h"

#include <inttypes.h>
#include <string.h>

// Words that mean something else where expressions and arguments stand.
static const char *const other_words[] = {"min", "max", "cdiv", "inf", "infinity", "nan", "true", "false"};

static bool check_parameter_name(CaseReader *r, const FpdNode *key, const FpdNode *buffers) {
    const char *name = key->text;
    ElementType type;
    if (!case_expect_name(r, key, "a parameter")) return false;
    if (strchr(name, '-'))
        return case_wrong(r, key->at, "'%s' cannot be the name of a parameter: '-' is an operator", name);
    for (size_t i = 0; i < BASE_COUNT(other_words); i++)
        if (!strcmp(other_words[i], name))
            return case_wrong(r, key->at, "'%s' cannot be the name of a parameter, it has a meaning of its own", name);
    if (element_by_name(name, &type)) return case_wrong(r, key->at, "parameter '%s' has the name of a type", name);
    for (uint32_t b = 0; b < buffers->count; b++)
        if (!strcmp(buffers->keys[b].text, name))
            return case_wrong(r, key->at, "parameter '%s' has the name of a buffer, in line %u", name,
                              buffers->keys[b].at.line);
    return true;
}

// Value `which` of a parameter; all are checked.
static bool read_value(CaseReader *r, const FpdNode *key, const FpdNode *list, uint32_t which, int64_t *value) {
    const uint32_t count = list->kind == FPD_LIST ? list->count : 1;
    const char *what = arena_format(r->arena, "a value of parameter %s", key->text);
    int64_t *values = arena_array(r->arena, int64_t, count + 1u);
    if (!count) return case_wrong(r, list->at, "parameter %s has no values, expected at least one", key->text);
    for (uint32_t i = 0; i < count; i++) {
        const FpdNode *node = list->kind == FPD_LIST ? &list->items[i] : list;
        if (!case_read_integer(r, node, what, INT64_MIN, INT64_MAX, &values[i])) return false;
        for (uint32_t k = 0; k < i; k++)
            if (values[k] == values[i])
                return case_wrong(r, node->at, "parameter %s has the value %" PRId64 " twice", key->text, values[i]);
    }
    *value = values[which];
    return true;
}

// How many values --set gives a parameter; *value: number `which` of them, if there are so many.
static uint32_t find_set(const FpdParameters *set, const char *name, uint32_t which, int64_t *value) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        if (strcmp(set->items[i].name, name)) continue;
        if (count++ == which) *value = set->items[i].value;
    }
    return count;
}

static bool check_set(CaseReader *r, const FpdNode *node, const FpdParameters *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        bool known = false;
        for (uint32_t k = 0; node && k < node->count; k++) known |= !strcmp(node->keys[k].text, set->items[i].name);
        if (!known)
            return diag_fail(r->diagnostics, (Location){.file = r->cas->path}, E_USAGE,
                             "the case has no parameter '%s', which --set gives a value", set->items[i].name);
    }
    return true;
}

bool case_read_parameters(CaseReader *r, const FpdNode *node, const FpdNode *buffers, FpdCombination *combination) {
    uint64_t all = 1;
    uint32_t index = combination->index;
    if (!check_set(r, node, &combination->set)) return false;
    if (!node) return true;
    if (node->count > FPD_PARAMETERS_MAX)
        return case_wrong(r, node->at, "%u parameters, the limit is %d", node->count, FPD_PARAMETERS_MAX);
    uint32_t *values = arena_array(r->arena, uint32_t, node->count + 1u);
    for (uint32_t i = 0; i < node->count; i++) {
        const FpdNode *list = &node->items[i];
        if (!check_parameter_name(r, &node->keys[i], buffers)) return false;
        int64_t unused;
        const uint32_t set = find_set(&combination->set, node->keys[i].text, 0, &unused);
        values[i] = set ? set : list->kind == FPD_LIST && list->count ? list->count : 1;
        all *= values[i];
        if (all > FPD_COMBINATIONS_MAX)
            return case_wrong(r, node->at, "the parameters have more than %d combinations", FPD_COMBINATIONS_MAX);
    }
    FpdParameter *parameters = arena_array(r->arena, FpdParameter, node->count + 1u);
    for (uint32_t i = node->count; i-- > 0;) { // the last one varies fastest
        const char *name = node->keys[i].text;
        const uint32_t which = index % values[i];
        int64_t value;
        const bool set = find_set(&combination->set, name, which, &value);
        parameters[i] = (FpdParameter){.name = name, .at = node->keys[i].at};
        if (!read_value(r, &node->keys[i], &node->items[i], set ? 0 : which, &parameters[i].value)) return false;
        if (set) parameters[i].value = value;
        index /= values[i];
    }
    r->cas->parameters = (FpdParameters){node->count, parameters}; // from here on expressions know them
    combination->parameters = r->cas->parameters;
    combination->count = (uint32_t)all;
    return true;
}

bool case_check_parameters(CaseReader *r) {
    for (uint32_t i = 0; i < r->cas->parameters.count; i++)
        if (!(r->used >> i & 1))
            return case_wrong(r, r->cas->parameters.items[i].at,
                              "parameter %s is used nowhere, so its values would all be the same case",
                              r->cas->parameters.items[i].name);
    return true;
}

const char *fpd_parameters_text(Arena *arena, const FpdParameters *parameters) {
    const char *text = "";
    for (uint32_t i = 0; i < parameters->count; i++)
        text = arena_format(arena, "%s%s%s = %" PRId64, text, i ? ", " : "", parameters->items[i].name,
                            parameters->items[i].value);
    return text;
}
