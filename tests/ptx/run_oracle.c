// SPDX-License-Identifier: Apache-2.0
// Runs kernels of PTX whose results the real Triton FpSan has computed: ptx_oracle FOLDER [--part I/N] [--dump DIR]
// [NAME...]
//
// FOLDER has expected.txt and NAME.yaml (make_oracle.py, README.md). Variant fpsan of each case is Triton's own FpSan
// build, integers only: in mode ieee it gives the expected bits. Variant normal is the normal build: its payloads are
// the expected bits, unless the case is one of those that lose something on the way to PTX: then they must not be.
#include "tests/ptx/opened_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096, PATH_LENGTH = 4096 };

// ---- expected.txt: a line for each output of a case: case, row of losses, - or sums, buffer, element type, bytes, and
// the CRC-32 of each CHUNK bytes

typedef struct Expected {
    char *line; // what the other texts are in
    const char *name, *lost, *buffer, *kind;
    size_t bytes, count;
    uint32_t sums[];
} Expected;

typedef struct Results {
    size_t count, capacity;
    Expected **items;
} Results;

static Expected *parse_line(char *line) {
    char *rest = line;
    const char *words[5];
    for (int i = 0; i < 5; i++)
        if (!(words[i] = strtok_r(i ? NULL : line, " \n", &rest))) return NULL;
    size_t bytes = strtoull(words[4], NULL, 10), count = (bytes + CHUNK - 1) / CHUNK;
    Expected *expected = calloc(1, sizeof *expected + count * sizeof *expected->sums);
    if (!expected) return NULL;
    *expected = (Expected){line, words[0], words[1], words[2], words[3], bytes, count};
    for (size_t i = 0; i < count; i++) {
        const char *word = strtok_r(NULL, " \n", &rest);
        expected->sums[i] = word ? (uint32_t)strtoul(word, NULL, 16) : 0;
    }
    return expected;
}

static bool read_expected(const char *folder, Results *results) {
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/expected.txt", folder);
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    bool good = file;
    while (good && getline(&line, &size, file) > 0) {
        if (results->count == results->capacity) {
            results->capacity = 2 * results->capacity + 64;
            Expected **items = realloc(results->items, results->capacity * sizeof *items);
            if (!items) abort();
            results->items = items;
        }
        Expected *expected = parse_line(line);
        good = expected;
        if (good) results->items[results->count++] = expected;
        line = good ? NULL : line;
    }
    free(line);
    if (!good) printf("%s: cannot be read\n", path);
    if (file) fclose(file);
    return good;
}

static void free_results(Results *results) {
    for (size_t i = 0; i < results->count; i++) {
        free(results->items[i]->line);
        free(results->items[i]);
    }
    free(results->items);
}

// ---- comparing

static uint32_t crc32_of(const uint8_t *data, size_t size) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

// Whether something is lost on the way to this variant.
static bool is_lost(const Expected *expected, const char *variant) {
    return *expected->lost == 'L' && !strcmp(variant, "normal");
}

// Losses that reports have to name (base/losses.def), by row. Of other kernels they name none, but for x + x, which
// sources say as well.
static const struct {
    const char *row;
    KernelLossKind kind;
} named[] = {
    {"L4", KERNEL_LOSS_doubled},
    {"L12", KERNEL_LOSS_sum},
    {"sums", KERNEL_LOSS_sum},
    {"L16", KERNEL_LOSS_bits},
};

static bool names_losses(const Expected *expected, const FpdRun *run) {
    uint32_t wanted = 0, found = fpd_told_losses(run, run, true);
    for (size_t i = 0; i < BASE_COUNT(named); i++)
        if (!strcmp(expected->lost, named[i].row)) wanted = 1u << named[i].kind;
    found &= ~(1u << KERNEL_LOSS_doubled & ~wanted);
    for (uint32_t kind = 0; kind < KERNEL_LOSS_KINDS; kind++)
        if ((wanted ^ found) >> kind & 1)
            printf("%s: the loss '%s' is %s\n", expected->name, kernel_loss_info((KernelLossKind)kind)->name,
                   found >> kind & 1 ? "named" : "not named");
    return wanted == found;
}

// Sums in memory are not payloads but what the hardware makes of them (sums, L12), which has NaNs of its own.
static void merge_nans(const Expected *expected, uint8_t *bytes) {
    if (strcmp(expected->kind, "f32") || (strcmp(expected->lost, "L12") && strcmp(expected->lost, "sums"))) return;
    for (size_t i = 0; i < expected->bytes; i += 4) {
        uint32_t bits;
        memcpy(&bits, bytes + i, sizeof bits);
        if ((bits & 0x7fffffff) > 0x7f800000) bits = 0x7fffffff;
        memcpy(bytes + i, &bits, sizeof bits);
    }
}

// How many chunks differ, and the first of them.
static size_t count_wrong(const Expected *expected, uint8_t *bytes, size_t *first) {
    size_t wrong = 0;
    merge_nans(expected, bytes);
    for (size_t i = 0; i < expected->count; i++) {
        size_t left = expected->bytes - i * CHUNK, size = left < CHUNK ? left : CHUNK;
        if (crc32_of(bytes + i * CHUNK, size) == expected->sums[i]) continue;
        if (!wrong++) *first = i;
    }
    return wrong;
}

// ---- running --------------------------------------------------------------------------------------------------------

typedef struct Check {
    Diagnostics *diagnostics;
    FpdMachine machine;
    const char *folder, *dump;
    size_t output_count;
    Expected *const *outputs; // of the case
} Check;

static bool dump_output(const Check *x, OpenedCase *opened, const char *variant, const Expected *expected,
                        const uint8_t *bytes) {
    return !x->dump || file_write(x->diagnostics,
                                  arena_format(&opened->arena, "%s/%s.%s.%s.bin", x->dump, expected->name, variant,
                                               expected->buffer),
                                  bytes, expected->bytes);
}

// False if there is no such output.
static bool check_output(const Check *x, OpenedCase *opened, const FpdRun *run, const Expected *expected,
                         size_t *wrong) {
    const char *variant = opened->cas->variants[run->variant].name;
    const FpdBuffer *buffer;
    uint8_t *bytes = opened_case_output(opened, run, expected->buffer, &buffer);
    if (!bytes || buffer->bytes != expected->bytes || !dump_output(x, opened, variant, expected, bytes)) return false;
    size_t first = 0, chunks = count_wrong(expected, bytes, &first);
    *wrong += chunks;
    if (chunks && !is_lost(expected, variant))
        printf("%s, %s: %s has other bits in %zu of %zu parts of %d bytes, part %zu first\n", expected->name, variant,
               expected->buffer, chunks, expected->count, CHUNK, first);
    return true;
}

static bool check_variant(const Check *x, OpenedCase *opened, uint32_t v) {
    const char *variant = opened->cas->variants[v].name;
    const bool lost = is_lost(x->outputs[0], variant);
    const FpdRun *run = opened_case_run(opened, v, strcmp(variant, "fpsan") ? FPD_MODE_fpsan : FPD_MODE_ieee);
    size_t wrong = 0;
    bool good = run;
    for (size_t i = 0; good && i < x->output_count; i++) good = check_output(x, opened, run, x->outputs[i], &wrong);
    if (good && lost && !wrong)
        printf("%s, %s: has the expected bits, but is listed as %s\n", x->outputs[0]->name, variant,
               x->outputs[0]->lost);
    if (good && !strcmp(variant, "normal")) good = names_losses(x->outputs[0], run);
    return good && (lost ? wrong : !wrong);
}

static bool check_case(Check *x) {
    OpenedCase opened = {.diagnostics = x->diagnostics, .machine = &x->machine};
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/%s.yaml", x->folder, x->outputs[0]->name);
    bool good = opened_case_load(&opened, path);
    for (uint32_t v = 0; good && v < opened.cas->variant_count; v++) good = check_variant(x, &opened, v);
    if (!good) printf("%s: failed\n", x->outputs[0]->name);
    opened_case_close(&opened);
    return good;
}

// ---- the command line

typedef struct Choice {
    unsigned part, parts; // of the cases
    int name_count;
    char *const *names; // none: all
} Choice;

static bool is_chosen(const Choice *choice, const char *name, size_t number, size_t count) {
    for (int i = 0; i < choice->name_count; i++)
        if (!strcmp(choice->names[i], name)) return true;
    return !choice->name_count && number * choice->parts / count == choice->part;
}

static size_t lines_of_case(const Results *results, size_t at) {
    size_t count = 1;
    while (at + count < results->count && !strcmp(results->items[at]->name, results->items[at + count]->name)) count++;
    return count;
}

static int check_cases(Check *x, const Results *results, const Choice *choice) {
    unsigned passed = 0, failed = 0;
    for (size_t i = 0; i < results->count; i += x->output_count) {
        x->outputs = &results->items[i];
        x->output_count = lines_of_case(results, i);
        if (!is_chosen(choice, results->items[i]->name, i, results->count)) continue;
        if (check_case(x))
            passed++;
        else
            failed++;
    }
    printf("%u cases have the bits of Triton, %u have not\n", passed, failed);
    return failed || !passed;
}

int main(int count, char **words) {
    Diagnostics diagnostics = {0};
    Choice choice = {0, 1, 0, NULL};
    Check check = {.diagnostics = &diagnostics,
                   .machine = {.target = FPD_TARGET_host, .optimize = 1, .keep_compiled = true}};
    int at = 2;
    if (count > 1) check.folder = words[1];
    for (; at + 1 < count && words[at][0] == '-'; at += 2) {
        if (!strcmp(words[at], "--dump")) check.dump = words[at + 1];
        if (!strcmp(words[at], "--part") &&
            (sscanf(words[at + 1], "%u/%u", &choice.part, &choice.parts) != 2 || !choice.parts))
            return 2;
    }
    choice.names = words + at;
    choice.name_count = count > at ? count - at : 0;
    Results results = {0};
    int status = 2;
    if (check.folder && read_expected(check.folder, &results) && fpd_machine_open(&diagnostics, 1, &check.machine)) {
        check.machine.kept = fpd_kept_open(check.machine.compiler); // several cases are of one file
        status = check_cases(&check, &results, &choice);
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    fpd_machine_close(&check.machine);
    free_results(&results);
    return status;
}
