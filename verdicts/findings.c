// SPDX-License-Identifier: Apache-2.0
// What fpdiff says of accuracy and range, against what is expected.
#include "findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *findings_beside(const char *path, bool *wrong) {
    static const char name[] = "findings.json";
    const char *file = strrchr(path, '/');
    const size_t folder = file ? (size_t)(file + 1 - path) : 0;
    char *text = malloc(folder + sizeof name);
    json_error_t error;
    *wrong = text == NULL;
    if (text == NULL) return NULL;
    memcpy(text, path, folder);
    memcpy(text + folder, name, sizeof name);
    FILE *found = fopen(text, "r");
    json_t *object = found ? json_loadf(found, 0, &error) : NULL;
    if (found) fclose(found);
    *wrong = found != NULL && !json_is_object(object);
    if (*wrong) fprintf(stderr, "verdicts: %s is no object of JSON\n", text);
    free(text);
    return object;
}

static bool same_text(const json_t *a, const json_t *b, const char *key) {
    const char *x = json_string_value(json_object_get(a, key)), *y = json_string_value(json_object_get(b, key));
    return x != NULL && y != NULL && strcmp(x, y) == 0;
}

static double doublings(const json_t *line, const char *key) {
    const json_t *number = json_object_get(line, key);
    return number ? json_number_value(number) : INFINITY;
}

static bool is_near(const json_t *line) {
    const char *result = json_object_get(line, "own") ? "own_to_overflow" : "to_overflow";
    return fmin(doublings(line, result), doublings(line, "argument_to_overflow")) < 1;
}

// `expected`: {"variant", "what", "type", "line"}; `range`: what the report says of a variant.
static bool is_named(const json_t *expected, const json_t *range) {
    const char *what = json_string_value(json_object_get(expected, "what"));
    const bool made = what != NULL && strcmp(what, "made") == 0;
    const json_t *line = json_object_get(range, made ? "first_made" : "nearest");
    if (line == NULL || !same_text(expected, range, "variant") || !same_text(expected, line, "type")) return false;
    if (json_integer_value(json_object_get(expected, "line")) != json_integer_value(json_object_get(line, "line")))
        return false;
    return made || is_near(line);
}

void finding_take(Finding *finding, const json_t *entry) {
    const json_t *pair, *range;
    const json_t *expected = json_object_get(finding->expected, "range");
    size_t i;
    finding->ran = true;
    json_array_foreach(json_object_get(entry, "pairs"), i, pair) {
        if (json_is_true(json_object_get(json_object_get(pair, "accuracy"), "less_accurate"))) finding->worse = true;
        if (json_object_get(pair, "far_apart") != NULL) finding->far_apart = true;
    }
    json_array_foreach(json_object_get(entry, "range"), i, range) {
        finding->ranges_known = true;
        const json_t *nearest = json_object_get(range, "nearest");
        if (json_object_get(range, "first_made") != NULL || (nearest != NULL && is_near(nearest)))
            finding->at_edge = true;
        if (expected != NULL && is_named(expected, range)) finding->in_range = true;
    }
}

static bool is_expected(const Finding *finding, const char *what) {
    return json_object_get(finding->expected, what) != NULL;
}

bool finding_check(const Finding *finding) {
    bool good = true;
    if (is_expected(finding, "less_accurate") && !finding->worse) {
        fprintf(stderr, "verdicts: %s: not called less accurate\n", finding->path);
        good = false;
    }
    if (finding->expected == NULL && (finding->worse || finding->far_apart)) {
        fprintf(stderr, "verdicts: %s: called %s\n", finding->path, finding->worse ? "less accurate" : "far apart");
        good = false;
    }
    if (is_expected(finding, "range") && finding->ranges_known && !finding->in_range) {
        fprintf(stderr, "verdicts: %s: what is near the edge of its range is not named\n", finding->path);
        good = false;
    }
    return good;
}

void findings_print(const Finding *findings, size_t count) {
    size_t worse = 0, worse_found = 0, far_apart = 0, range = 0, range_found = 0, right = 0, called = 0, apart = 0,
           edge = 0;
    bool known = false;
    for (size_t i = 0; i < count; i++) {
        const Finding *f = &findings[i];
        if (!f->ran) continue;
        known |= f->ranges_known;
        worse += is_expected(f, "less_accurate");
        worse_found += is_expected(f, "less_accurate") && f->worse;
        far_apart += is_expected(f, "less_accurate") && f->far_apart;
        range += is_expected(f, "range");
        range_found += is_expected(f, "range") && f->in_range;
        right += f->expected == NULL;
        called += f->expected == NULL && f->worse;
        apart += f->expected == NULL && f->far_apart;
        edge += f->expected == NULL && f->at_edge;
    }
    printf(
        "\nPairs that are equal as formulas and not as good in numbers, as findings.json expects; and all others:\n\n"
        "| what is said                    |  found | of pairs | of %4zu others |\n|---|--:|--:|--:|\n",
        right);
    printf("| LESS ACCURATE, with --accuracy  | %6zu | %8zu | %14zu |\n", worse_found, worse, called);
    printf("| numbers far apart, in any run   | %6zu | %8zu | %14zu |\n", far_apart, worse, apart);
    if (known)
        printf("| the op at the edge of its range | %6zu | %8zu | %14zu |\n", range_found, range, edge);
    else if (range > 0)
        printf("\n%zu findings of ranges were not looked for: this fpdiff does not count them.\n", range);
}
