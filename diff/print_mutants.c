// SPDX-License-Identifier: Apache-2.0
// What a report of mutants comes to: the score, and the text for people. Both are made from the JSON, so that a report
// that was joined from several is as any other.
#include "diff/mutate.h"

#include <stdlib.h>
#include <string.h>

typedef struct MutantRow {
    uint32_t id;
    const char *file;
    const json_t *mutant;
    FpdMutantClass class;
    const char *reason; // NULL: none
    bool without_line;  // its "line" stands for nothing
} MutantRow;

// ---- rows -----------------------------------------------------------------------------------------------------------

bool fpd_mutant_class_read(const char *text, FpdMutantClass *class, const char **reason) {
    for (int c = 0; text && c < FPD_MUTANT_COUNT; c++) {
        const FpdMutantClassInfo *info = fpd_mutant_class_info((FpdMutantClass)c);
        const size_t length = strlen(info->word), meaning = info->meaning ? strlen(info->meaning) : 0;
        if (strncmp(text, info->word, length) || (text[length] && text[length] != ':')) continue;
        const char *rest = text + length;
        if (!strncmp(rest, ": ", 2)) rest += 2;
        if (meaning && !strncmp(rest, info->meaning, meaning)) rest += meaning;
        if (meaning && !strncmp(rest, "; ", 2)) rest += 2;
        *class = (FpdMutantClass)c;
        *reason = *rest ? rest : NULL;
        return true;
    }
    return false;
}

static int by_id(const void *a, const void *b) {
    const MutantRow *one = a, *other = b;
    return (one->id > other->id) - (one->id < other->id);
}

static void mark_without_line(const json_t *report, MutantRow *rows, size_t count) {
    size_t index;
    json_t *id;
    json_array_foreach(json_object_get(json_object_get(report, "config"), "withoutLine"), index, id) {
        const MutantRow key = {.id = (uint32_t)json_integer_value(id)};
        MutantRow *row = count ? bsearch(&key, rows, count, sizeof *rows, by_id) : NULL;
        if (row) row->without_line = true;
    }
}

// The mutants of all files by number. The rows are in the arena, texts the report's.
static MutantRow *mutant_rows(Arena *arena, const json_t *report, size_t *count) {
    const char *path;
    json_t *file, *mutant;
    size_t index, capacity = 0;
    MutantRow *rows = arena_grow(arena, NULL, 0, &capacity, sizeof *rows);
    *count = 0;
    json_object_foreach(json_object_get(report, "files"), path, file) {
        json_array_foreach(json_object_get(file, "mutants"), index, mutant) {
            MutantRow row = {.file = path, .mutant = mutant};
            row.id = (uint32_t)strtoul(json_string_value(json_object_get(mutant, "id")), NULL, 10);
            fpd_mutant_class_read(json_string_value(json_object_get(mutant, "statusReason")), &row.class, &row.reason);
            rows = arena_grow(arena, rows, *count, &capacity, sizeof *rows);
            rows[(*count)++] = row;
        }
    }
    qsort(rows, *count, sizeof *rows, by_id);
    mark_without_line(report, rows, *count);
    return rows;
}

// ---- the score ------------------------------------------------------------------------------------------------------

static uint32_t sum(const uint32_t *counts) {
    uint32_t all = 0;
    for (int c = 0; c < FPD_MUTANT_COUNT; c++) all += counts[c];
    return all;
}

void fpd_set_mutation_score(json_t *report) {
    Arena arena = {0};
    size_t count;
    uint32_t counts[FPD_MUTANT_COUNT] = {0};
    json_t *config = json_object_get(report, "config");
    const MutantRow *rows = mutant_rows(&arena, report, &count);
    for (size_t i = 0; i < count; i++) counts[rows[i].class]++;
    const uint32_t killed = counts[FPD_MUTANT_ERROR] + counts[FPD_MUTANT_ROUNDS] + counts[FPD_MUTANT_PAYLOAD] +
                            counts[FPD_MUTANT_TOLERANCE],
                   counted = killed + counts[FPD_MUTANT_SURVIVED] + counts[FPD_MUTANT_UNDECIDED];
    const int low = (int)json_number_value(json_object_get(config, "threshold"));
    json_object_set_new(config, "score", counted ? json_real(100.0 * killed / counted) : json_null());
    json_object_set_new(report, "thresholds", json_pack("{s:i, s:i}", "high", low < 80 ? 80 : 100, "low", low));
    arena_reset(&arena);
}

bool fpd_is_weak(const json_t *report) {
    const json_t *config = json_object_get(report, "config"), *score = json_object_get(config, "score");
    return json_is_real(score) && json_real_value(score) < json_number_value(json_object_get(config, "threshold"));
}

// ---- the text -------------------------------------------------------------------------------------------------------

typedef struct Printer {
    Buffer *out;
    const json_t *config;
    const MutantRow *rows;
    size_t count;
    uint32_t counts[FPD_MUTANT_COUNT];
} Printer;

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "?";
}

static void print_row(const Printer *p, const MutantRow *row) {
    const json_t *start = json_object_get(json_object_get(row->mutant, "location"), "start");
    buffer_print(p->out, "    %s:", row->file);
    if (!row->without_line)
        buffer_print(p->out, "%" JSON_INTEGER_FORMAT ":", json_integer_value(json_object_get(start, "line")));
    buffer_print(p->out, " %s", text_of(row->mutant, "description"));
    if (row->reason) buffer_print(p->out, " (%s)", row->reason);
    buffer_print(p->out, "\n");
}

static void print_class(const Printer *p, FpdMutantClass class) {
    const FpdMutantClassInfo *info = fpd_mutant_class_info(class);
    if (!p->counts[class]) return;
    buffer_print(p->out, "  %s: %s\n", info->word, info->meaning);
    for (size_t i = 0; i < p->count; i++)
        if (p->rows[i].class == class) print_row(p, &p->rows[i]);
}

// Columns are those of classes that say something: nearly always all mutants are tried.
static bool has_column(const Printer *p, int class) {
    return class != FPD_MUTANT_UNTRIED || p->counts[class];
}

static void print_counts(const Printer *p, const char *name, const uint32_t *counts) {
    buffer_print(p->out, "  %-20s %8u", name, sum(counts));
    for (int c = 0; c < FPD_MUTANT_COUNT; c++)
        if (has_column(p, c))
            buffer_print(p->out, " %*u", (int)strlen(fpd_mutant_class_info((FpdMutantClass)c)->word) + 1, counts[c]);
    buffer_print(p->out, "\n");
}

// Mutants are numbered variant by variant.
static void print_table(const Printer *p) {
    size_t index, row = 0;
    json_t *variant;
    json_int_t end = 0;
    buffer_print(p->out, "  %-20s %8s", "variant", "mutants");
    for (int c = 0; c < FPD_MUTANT_COUNT; c++)
        if (has_column(p, c)) buffer_print(p->out, "  %s", fpd_mutant_class_info((FpdMutantClass)c)->word);
    buffer_print(p->out, "\n");
    json_array_foreach(json_object_get(p->config, "variants"), index, variant) {
        uint32_t counts[FPD_MUTANT_COUNT] = {0};
        end += json_integer_value(json_object_get(variant, "mutants"));
        for (; row < p->count && p->rows[row].id < end; row++) counts[p->rows[row].class]++;
        print_counts(p, text_of(variant, "name"), counts);
    }
    print_counts(p, "all", p->counts);
}

static void print_list(const Printer *p, const char *key, const char *before) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(p->config, key), index, item) {
        const char *text = json_string_value(item);
        buffer_print(p->out, "%s%s", index ? ", " : before, text ? text : "?");
    }
    if (json_array_size(json_object_get(p->config, key))) buffer_print(p->out, "\n");
}

static void print_score(const Printer *p) {
    const json_t *score = json_object_get(p->config, "score");
    const bool all = json_integer_value(json_object_get(p->config, "mutants")) == (json_int_t)p->count;
    if (p->counts[FPD_MUTANT_UNTRIED])
        buffer_print(p->out, "  %u mutants were not tried: %s\n", p->counts[FPD_MUTANT_UNTRIED],
                     text_of(p->config, "interruption"));
    if (json_is_real(score))
        buffer_print(p->out, "  score: %.1f %% of the mutants that are not equivalent were killed%s\n",
                     json_real_value(score), p->counts[FPD_MUTANT_UNTRIED] ? ", of those that were tried" : "");
    else if (p->count)
        buffer_print(p->out, "  no score: no mutant %s\n",
                     p->counts[FPD_MUTANT_UNTRIED] ? "that was tried counts" : "counts");
    else
        buffer_print(p->out, "  no mutants%s\n", all ? "" : " in this part");
}

void fpd_print_mutation(const json_t *report, Buffer *out) {
    Arena arena = {0};
    Printer p = {.out = out, .config = json_object_get(report, "config")};
    const char *title = json_string_value(json_object_get(p.config, "title"));
    p.rows = mutant_rows(&arena, report, &p.count);
    for (size_t i = 0; i < p.count; i++) p.counts[p.rows[i].class]++;
    buffer_print(out, "%s%s%s\n", text_of(p.config, "case"), title ? ": " : "", title ? title : "");
    if (json_is_false(json_object_get(p.config, "asExpected"))) {
        buffer_print(out, "  without any mutant the case is not as expected: compare it first\n");
    } else {
        print_list(&p, "buildsLeftOut", "  kernels are compiled as they are written, not in the builds of the case: ");
        if (p.count) print_table(&p);
        print_list(&p, "data", "  survivors ran again with ");
        print_class(&p, FPD_MUTANT_SURVIVED);
        print_class(&p, FPD_MUTANT_UNDECIDED);
        print_class(&p, FPD_MUTANT_EQUIVALENT);
        print_class(&p, FPD_MUTANT_REFUSED);
        if (json_array_size(json_object_get(p.config, "missing")))
            buffer_print(out, "  %zu mutants are in none of the reports\n",
                         json_array_size(json_object_get(p.config, "missing")));
        print_score(&p);
    }
    arena_reset(&arena);
}
