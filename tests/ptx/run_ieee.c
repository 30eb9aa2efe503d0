// SPDX-License-Identifier: Apache-2.0
// Compares what kernels of PTX compute in IEEE arithmetic with what numpy has computed in f64: ptx_ieee FOLDER
// [NAME...]
//
// FOLDER/ieee/expected.txt has a line for each output of a case: case (FOLDER/CASE.yaml), variant, the file under
// FOLDER that it needs or -, buffer, element type, and for some elements INDEX:NUMBER:BOUND. Cases whose file is
// missing, because there is no CUDA here, are counted.
#include "tests/ptx/opened_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LENGTH = 4096, FIELDS = 5 };

typedef struct Check {
    Diagnostics *diagnostics;
    FpdMachine machine;
    const char *folder;
    OpenedCase opened;
    char name[PATH_LENGTH]; // of the case that is open
    const FpdRun *run;      // of it; NULL: it failed
    unsigned right, wrong, missing;
    double worst; // error over bound, of all elements
} Check;

// False: the element is beyond its bound.
static bool check_element(Check *x, const FpdBuffer *buffer, const uint8_t *bytes, const char *word) {
    char *rest;
    const uint64_t index = strtoull(word, &rest, 10);
    const double wanted = strtod(rest + 1, &rest), bound = strtod(rest + 1, NULL);
    if (index >= buffer->elements) return false;
    const double found = fpd_element_value(buffer->type, fpd_element_bits(buffer->type, bytes, index));
    const double error = fabs(found - wanted);
    if (error > 0 && error / bound > x->worst && error <= bound) x->worst = error / bound;
    if (error <= bound) return true;
    printf("%s: %s[%llu] is %.9g, numpy has %.9g, the bound is %.3g\n", x->name, buffer->name,
           (unsigned long long)index, found, wanted, bound);
    return false;
}

static bool check_elements(Check *x, const char *name, char *rest) {
    const FpdBuffer *buffer = NULL;
    const uint8_t *bytes = x->run ? opened_case_output(&x->opened, x->run, name, &buffer) : NULL;
    for (char *word = bytes ? strtok_r(NULL, " \n", &rest) : NULL; word; word = strtok_r(NULL, " \n", &rest))
        if (!check_element(x, buffer, bytes, word)) return false;
    return bytes;
}

static void close_case(Check *x) {
    if (*x->name) opened_case_close(&x->opened);
    *x->name = 0;
    x->run = NULL;
}

static void open_case(Check *x, const char *name, const char *variant) {
    char path[PATH_LENGTH];
    close_case(x);
    snprintf(x->name, sizeof x->name, "%s", name);
    snprintf(path, sizeof path, "%s/%s.yaml", x->folder, name);
    x->opened = (OpenedCase){.diagnostics = x->diagnostics, .machine = &x->machine};
    if (!opened_case_load(&x->opened, path)) return;
    const int found = opened_case_variant(&x->opened, variant);
    if (found >= 0) x->run = opened_case_run(&x->opened, (uint32_t)found, FPD_MODE_ieee);
}

static bool is_there(const Check *x, const char *file) {
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/%s", x->folder, file);
    return !strcmp(file, "-") || !access(path, R_OK);
}

static bool is_wanted(const char *name, int count, char *const *names) {
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name)) return true;
    return !count;
}

static void check_line(Check *x, char *line, int count, char *const *names) {
    char *rest = line, *words[FIELDS];
    for (int i = 0; i < FIELDS; i++)
        if (!(words[i] = strtok_r(i ? NULL : line, " \n", &rest))) return;
    if (!is_wanted(words[0], count, names)) return;
    if (!is_there(x, words[2])) {
        x->missing++;
        return;
    }
    if (strcmp(words[0], x->name)) open_case(x, words[0], words[1]);
    const bool good = check_elements(x, words[3], rest);
    if (!good) printf("%s: %s is wrong\n", words[0], words[3]);
    *(good ? &x->right : &x->wrong) += 1;
}

static int check_lines(Check *x, int count, char *const *names) {
    char path[PATH_LENGTH], *line = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/ieee/expected.txt", x->folder);
    FILE *file = fopen(path, "r");
    while (file && getline(&line, &size, file) > 0) check_line(x, line, count, names);
    close_case(x);
    free(line);
    if (file) fclose(file);
    printf("%u outputs are within their bounds (%.2g of it at most), %u are not; %u need CUDA, which is missing\n",
           x->right, x->worst, x->wrong, x->missing);
    return x->wrong || !x->right;
}

int main(int count, char **words) {
    Diagnostics diagnostics = {0};
    static Check check;
    check.diagnostics = &diagnostics;
    check.machine = (FpdMachine){.target = FPD_TARGET_host, .optimize = 1, .keep_compiled = true};
    int status = 2;
    if (count > 1 && fpd_machine_open(&diagnostics, 1, &check.machine)) {
        check.folder = words[1];
        check.machine.kept = fpd_kept_open(check.machine.compiler); // many cases are of one file
        status = check_lines(&check, count - 2, words + 2);
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    fpd_machine_close(&check.machine);
    return status;
}
