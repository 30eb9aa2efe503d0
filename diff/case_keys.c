// SPDX-License-Identifier: Apache-2.0
// Nodes of a case file: their kinds, the keys of mappings, names, numbers, files.
#include "diff/case_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct KeyRow {
    KeyMapping mapping;
    const char *name;
    bool needed;
    KeyValue value;
} key_rows[KEY_COUNT] = {
#define KEY(mapping, name, needed, value, meaning) {IN_##mapping, #name, needed, VALUE_##value},
#include "diff/keys.def"
#undef KEY
};
static const char *const mapping_names[] = {
#define MAPPING(name, text) text,
    KEY_MAPPINGS(MAPPING)
#undef MAPPING
};

static const char *node_kind(const FpdNode *node) {
    if (node->kind == FPD_LIST) return "a list";
    if (node->kind == FPD_MAPPING) return "a mapping";
    return *node->text ? "a word" : "nothing";
}

bool case_expect_kind(CaseReader *r, const FpdNode *node, KeyValue kind, const char *what) {
    static const char *const kinds[] = {
#define VALUE(name, text) text,
        KEY_VALUES(VALUE)
#undef VALUE
    };
    bool good = kind == VALUE_ANY || (kind == VALUE_LIST && node->kind == FPD_LIST) ||
                (kind == VALUE_MAPPING && node->kind == FPD_MAPPING) ||
                (kind == VALUE_SCALAR && node->kind == FPD_SCALAR && *node->text);
    return good || case_wrong(r, node->at, "%s is %s, expected %s", what, node_kind(node), kinds[kind]);
}

static const char *known_keys(CaseReader *r, KeyMapping mapping) {
    const char *list = NULL;
    for (int k = 0; k < KEY_COUNT; k++)
        if (key_rows[k].mapping == mapping)
            list = list ? arena_format(r->arena, "%s, %s", list, key_rows[k].name) : key_rows[k].name;
    return list;
}

bool case_read_keys(CaseReader *r, const FpdNode *node, KeyMapping mapping, KeyNodes found) {
    const char *what = mapping_names[mapping];
    if (!case_expect_kind(r, node, VALUE_MAPPING, what)) return false;
    for (uint32_t i = 0; i < node->count; i++) {
        int k = 0;
        while (k < KEY_COUNT && (key_rows[k].mapping != mapping || strcmp(key_rows[k].name, node->keys[i].text))) k++;
        if (k == KEY_COUNT)
            return case_wrong(r, node->keys[i].at, "unknown key '%s' in %s, expected one of: %s", node->keys[i].text,
                              what, known_keys(r, mapping));
        if (!case_expect_kind(r, &node->items[i], key_rows[k].value, key_rows[k].name)) return false;
        found[k] = &node->items[i];
    }
    for (int k = 0; k < KEY_COUNT; k++)
        if (key_rows[k].mapping == mapping && key_rows[k].needed && !found[k])
            return case_wrong(r, node->at, "key '%s' is missing in %s", key_rows[k].name, what);
    return true;
}

static bool is_name(const char *text) {
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return length && !text[length] && length <= 128 && !strchr("0123456789-", text[0]);
}

bool case_expect_name(CaseReader *r, const FpdNode *key, const char *what) {
    return is_name(key->text) ||
           case_wrong(r, key->at,
                      "'%s' cannot be the name of %s, expected letters, digits, _ and -, first a letter or _",
                      key->text, what);
}

// ---- numbers

static const char *combination(CaseReader *r) {
    const char *text = fpd_parameters_text(r->arena, &r->cas->parameters);
    return *text ? arena_format(r->arena, ", with %s", text) : "";
}

// Evaluates an expression, which is an end of the node's text. Messages call it `what`.
static bool evaluate(CaseReader *r, const FpdNode *node, const char *what, const char *text, int64_t *value) {
    const FpdEvaluated found = fpd_evaluate(r->arena, text, &r->cas->parameters);
    Location at = node->at;
    r->used |= found.used;
    *value = found.value;
    if (!found.problem) return true;
    if (node->column) at.column = node->column + (uint32_t)(strlen(node->text) - strlen(text) + found.offset);
    return case_wrong(r, at, "%s: %s%s", what, found.problem, combination(r));
}

bool case_read_real(CaseReader *r, const FpdNode *node, const char *what, double *value) {
    char *end;
    int64_t integer;
    if (!case_expect_kind(r, node, VALUE_SCALAR, what)) return false;
    *value = strtod(node->text, &end);
    if (*end && fpd_is_expression(node->text, &r->cas->parameters)) {
        const bool good = evaluate(r, node, what, node->text, &integer);
        *value = (double)integer;
        return good;
    }
    bool good = !*end && !strpbrk(node->text, " \t\n\v\f\r") && isfinite(*value);
    return good || case_wrong(r, node->at, "%s is '%s', expected a finite number", what, node->text);
}

bool case_read_integer(CaseReader *r, const FpdNode *node, const char *what, int64_t low, int64_t high,
                       int64_t *value) {
    char *end;
    if (!case_expect_kind(r, node, VALUE_SCALAR, what)) return false;
    errno = 0;
    *value = strtoll(node->text, &end, 10);
    if (*end && fpd_is_expression(node->text, &r->cas->parameters)) {
        if (!evaluate(r, node, what, node->text, value)) return false;
        return (*value >= low && *value <= high) ||
               case_wrong(r, node->at, "%s is %.60s = %lld, expected an integer from %lld to %lld%s", what, node->text,
                          (long long)*value, (long long)low, (long long)high, combination(r));
    }
    bool good = !*end && !errno && !strpbrk(node->text, " \t\n\v\f\r") && *value >= low && *value <= high;
    return good || case_wrong(r, node->at, "%s is '%s', expected an integer from %lld to %lld", what, node->text,
                              (long long)low, (long long)high);
}

bool case_read_element(CaseReader *r, const FpdNode *node, const char *what, ElementType type, const char *text,
                       uint64_t *bits) {
    const char *expected, *number = text;
    int64_t value;
    if (fpd_element_parse(type, text, bits, &expected)) return true;
    if (fpd_is_expression(text, &r->cas->parameters)) {
        if (!evaluate(r, node, what, text, &value)) return false;
        number = arena_format(r->arena, "%lld", (long long)value);
        if (fpd_element_parse(type, number, bits, &expected)) return true;
        return case_wrong(r, node->at, "%s is %.60s = %s, expected %s (%s)%s", what, text, number, expected,
                          element_info(type)->name, combination(r));
    }
    return case_wrong(r, node->at, "%s is '%s', expected %s (%s)", what, text, expected, element_info(type)->name);
}

// ---- files

bool case_read_path(CaseReader *r, const FpdNode *node, const char *what, const char **path) {
    struct stat status;
    *path = file_beside(r->arena, r->cas->path, node->text);
    if (stat(*path, &status))
        return diag_fail(r->diagnostics, node->at, E_FILE, "%s %s: %s", what, *path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return diag_fail(r->diagnostics, node->at, E_FILE, "%s %s is a folder, expected a file", what, *path);
    return true;
}
