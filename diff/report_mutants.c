// SPDX-License-Identifier: Apache-2.0
// Reports of mutants: for people, and in the fields of the mutation testing report schema of Stryker.
#include "diff/mutate.h"

#include <string.h>

// ---- for people -----------------------------------------------------------------------------------------------------

static void print_place(const FpdMutant *mutant, Buffer *out) {
    const Location *at = &mutant->edit->at;
    if (at->file && at->line)
        buffer_print(out, "%s:%u", at->file, at->line);
    else if (at->has_offset)
        buffer_print(out, "%s: offset 0x%llx", at->file ? at->file : "module", (unsigned long long)at->offset);
    else
        buffer_print(out, "op %u", mutant->edit->op);
}

static void print_class(const FpdMutation *mutation, FpdMutantClass class, Buffer *out) {
    const FpdMutantClassInfo *info = fpd_mutant_class_info(class);
    if (!mutation->counts[class]) return;
    buffer_print(out, "  %s: %s\n", info->word, info->meaning);
    for (uint32_t i = 0; i < mutation->mutants->count; i++) {
        const FpdMutant *mutant = &mutation->mutants->items[i];
        const FpdMutantResult *result = &mutation->results[i];
        if (!result->tried || result->class != class) continue;
        buffer_print(out, "    ");
        print_place(mutant, out);
        buffer_print(out, ": %s, %s: %s: %s", mutation->cas->variants[mutant->variant].name, mutant->kernel,
                     mutant->edit->mnemonic, mutant->edit->words);
        if (result->reason) buffer_print(out, " (%s)", result->reason);
        buffer_print(out, "\n");
    }
}

static void print_counts(const FpdMutation *mutation, const char *name, const uint32_t *counts, Buffer *out) {
    uint32_t all = 0;
    (void)mutation;
    for (int c = 0; c < FPD_MUTANT_COUNT; c++) all += counts[c];
    buffer_print(out, "  %-20s %8u", name, all);
    for (int c = 0; c < FPD_MUTANT_COUNT; c++)
        buffer_print(out, " %*u", (int)strlen(fpd_mutant_class_info((FpdMutantClass)c)->word) + 1, counts[c]);
    buffer_print(out, "\n");
}

static void print_table(const FpdMutation *mutation, Buffer *out) {
    buffer_print(out, "  %-20s %8s", "variant", "mutants");
    for (int c = 0; c < FPD_MUTANT_COUNT; c++)
        buffer_print(out, "  %s", fpd_mutant_class_info((FpdMutantClass)c)->word);
    buffer_print(out, "\n");
    for (uint32_t v = 0; v < mutation->cas->variant_count; v++) {
        uint32_t counts[FPD_MUTANT_COUNT] = {0};
        for (uint32_t i = 0; i < mutation->mutants->count; i++)
            if (mutation->results[i].tried && mutation->mutants->items[i].variant == v)
                counts[mutation->results[i].class]++;
        print_counts(mutation, mutation->cas->variants[v].name, counts, out);
    }
    print_counts(mutation, "all", mutation->counts, out);
}

void fpd_print_mutation(const FpdMutation *mutation, Buffer *out) {
    const FpdCase *cas = mutation->cas;
    buffer_print(out, "%s%s%s\n", cas->path, cas->title ? ": " : "", cas->title ? cas->title : "");
    if (!mutation->as_expected) {
        buffer_print(out, "  without any mutant the case is not as expected: compare it first\n");
        return;
    }
    print_table(mutation, out);
    for (uint32_t d = 1; d < mutation->data_count; d++)
        buffer_print(out, "%s%s%s", d > 1 ? ", " : "  survivors ran again with ", mutation->data_names[d],
                     d + 1 < mutation->data_count ? "" : "\n");
    print_class(mutation, FPD_MUTANT_SURVIVED, out);
    print_class(mutation, FPD_MUTANT_UNDECIDED, out);
    print_class(mutation, FPD_MUTANT_EQUIVALENT, out);
    print_class(mutation, FPD_MUTANT_REFUSED, out);
    buffer_print(out, "  score: %.1f %% of the mutants that are not equivalent were killed\n",
                 fpd_mutation_score(mutation));
}

// ---- Stryker's schema -----------------------------------------------------------------------------------------------

enum { SOURCE_MAX = 16 << 20 };

static const char *language_of(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".py") ? "python" : dot && !strcmp(dot, ".mlir") ? "mlir" : "text";
}

// The text of a file, empty where it cannot be read or is no text.
static json_t *source_of(const char *path) {
    Arena arena = {0};
    Diagnostics ignored = {0};
    uint8_t *bytes;
    size_t size;
    json_t *text = NULL;
    if (file_read(&ignored, &arena, path, &bytes, &size) && size <= SOURCE_MAX)
        text = json_stringn((const char *)bytes, size); // NULL: it is not UTF-8
    diagnostics_close(&ignored);
    arena_reset(&arena);
    return text ? text : json_string("");
}

// How many characters a line has.
static uint32_t line_length(const char *source, uint32_t line) {
    for (; line > 1 && source; line--) {
        source = strchr(source, '\n');
        if (source) source++;
    }
    return source ? (uint32_t)strcspn(source, "\n") : 0;
}

static json_t *position(uint32_t line, uint32_t column) {
    return json_pack("{s:i, s:i}", "line", (int)line, "column", (int)column);
}

static json_t *location_of(const Location *at, const char *source) {
    const uint32_t line = at->line ? at->line : 1, column = at->line && at->column ? at->column : 1,
                   length = line_length(source, line);
    return json_pack("{s:o, s:o}", "start", position(line, column), "end",
                     position(line, length >= column ? length + 1 : column + 1));
}

static json_t *mutant_json(const FpdMutation *mutation, uint32_t index, const char *source) {
    const FpdMutant *mutant = &mutation->mutants->items[index];
    const FpdMutantResult *result = &mutation->results[index];
    const FpdMutantClassInfo *info = fpd_mutant_class_info(result->class);
    Arena arena = {0};
    const char *reason = result->reason ? result->reason : info->meaning;
    if (result->reason && info->meaning) reason = arena_format(&arena, "%s; %s", info->meaning, result->reason);
    json_t *object =
        json_pack("{s:o, s:s, s:s, s:s, s:o, s:s, s:s}", "id", json_sprintf("%u", index), "mutatorName",
                  tile_operator_info(mutant->edit->operator)->name, "replacement", mutant->edit->words, "description",
                  arena_format(&arena, "%s, %s: %s: %s", mutation->cas->variants[mutant->variant].name, mutant->kernel,
                               mutant->edit->mnemonic, mutant->edit->words),
                  "location", location_of(&mutant->edit->at, source), "status", info->status, "statusReason",
                  arena_format(&arena, "%s%s%s", info->word, reason ? ": " : "", reason ? reason : ""));
    arena_reset(&arena);
    return object;
}

static const char *file_of(const FpdMutant *mutant, const FpdCase *cas) {
    return mutant->edit->at.file ? mutant->edit->at.file : cas->path;
}

static json_t *files_json(const FpdMutation *mutation) {
    json_t *files = json_object();
    for (uint32_t i = 0; mutation->as_expected && i < mutation->mutants->count; i++) {
        const char *path = file_of(&mutation->mutants->items[i], mutation->cas);
        json_t *file = json_object_get(files, path);
        if (!mutation->results[i].tried) continue;
        if (!file) {
            file = json_pack("{s:s, s:o, s:[]}", "language", language_of(path), "source", source_of(path), "mutants");
            json_object_set_new(files, path, file);
        }
        json_array_append_new(json_object_get(file, "mutants"),
                              mutant_json(mutation, i, json_string_value(json_object_get(file, "source"))));
    }
    return files;
}

json_t *fpd_json_mutation(const FpdMutation *mutation, double threshold) {
    const int low = (int)threshold, high = low < 80 ? 80 : 100;
    return json_pack("{s:s, s:{s:i, s:i}, s:o, s:{s:s, s:s}}", "schemaVersion", "2", "thresholds", "high", high, "low",
                     low, "files", files_json(mutation), "framework", "name", "congruent fpdiff", "version",
                     CONGRUENT_VERSION);
}
