// SPDX-License-Identifier: Apache-2.0
// The report of mutants in the fields of the mutation testing report schema of Stryker.
#include "diff/mutate.h"
#include "diff/report.h"
#include "report/sources.h"

#include <string.h>
#include <xxhash.h>

enum { SOURCE_MAX = 16 << 20 };

typedef struct Writer {
    const FpdMutation *mutation;
    Arena arena;
    ReportSources sources;
    json_t *files, *without_line;
} Writer;

// ---- files ----------------------------------------------------------------------------------------------------------

static const char *language_of(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".py") ? "python" : dot && !strcmp(dot, ".mlir") ? "mlir" : "text";
}

// The text of a file, empty where it cannot be read or is no text.
static json_t *read_source(const char *path) {
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

static json_t *source_of(const ReportSpot *spot, const char *path) {
    size_t size;
    if (!spot->mapped) return read_source(path);
    const char *bytes = spot->source ? report_source_text(spot->source, &size) : NULL;
    json_t *text = bytes ? json_stringn(bytes, size) : NULL;
    return text ? text : json_string("");
}

// The entry of a mutant's file: that of the work tree, else the one that its module names, else the case.
static json_t *file_of(Writer *w, const Location *at) {
    const char *case_file = w->mutation->cas->path;
    const ReportSpot spot = at->line
                                ? report_spot(&w->sources, case_file, (ReportPlace){.file = at->file, .line = at->line})
                                : (ReportSpot){0};
    const char *path = spot.mapped ? spot.path : at->file ? at->file : case_file;
    json_t *name = fpd_json_text(path), *file = json_object_get(w->files, json_string_value(name));
    if (!file) {
        file =
            json_pack("{s:s, s:o, s:[]}", "language", language_of(path), "source", source_of(&spot, path), "mutants");
        json_object_set_new(w->files, json_string_value(name), file);
    }
    json_decref(name);
    return file;
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

// ---- mutants --------------------------------------------------------------------------------------------------------

// What stands in place of a line.
static const char *place_of(Arena *arena, const FpdMutant *mutant) {
    const Location *at = &mutant->edit->at;
    if (at->line && at->file) return "";
    if (at->has_offset) return arena_format(arena, "offset 0x%llx: ", (unsigned long long)at->offset);
    return arena_format(arena, "op %u: ", mutant->edit->op);
}

static void add_mutant(Writer *w, uint32_t index) {
    const FpdMutant *mutant = &w->mutation->mutants->items[index];
    const FpdMutantResult *result = &w->mutation->results[index];
    const FpdMutantClassInfo *info = fpd_mutant_class_info(result->class);
    const TileMutant *edit = mutant->edit;
    const char *reason = result->reason ? result->reason : info->meaning, *place = place_of(&w->arena, mutant);
    if (result->reason && info->meaning) reason = arena_format(&w->arena, "%s; %s", info->meaning, result->reason);
    json_t *file = file_of(w, &edit->at), *object = json_object();
    json_object_set_new(object, "id", json_sprintf("%u", index));
    json_object_set_new(object, "mutatorName", json_string(tile_operator_info(edit->operator)->name));
    json_object_set_new(object, "replacement", fpd_json_text(edit->words));
    json_object_set_new(object, "description",
                        fpd_json_text(arena_format(&w->arena, "%s%s, %s: %s: %s", place,
                                                   w->mutation->cas->variants[mutant->variant].name, mutant->kernel,
                                                   edit->mnemonic, edit->words)));
    json_object_set_new(object, "location", location_of(&edit->at, json_string_value(json_object_get(file, "source"))));
    json_object_set_new(object, "status", json_string(info->status));
    json_object_set_new(
        object, "statusReason",
        fpd_json_text(arena_format(&w->arena, "%s%s%s", info->word, reason ? ": " : "", reason ? reason : "")));
    json_array_append_new(json_object_get(file, "mutants"), object);
    if (*place) json_array_append_new(w->without_line, json_integer(index));
}

// ---- what the schema has no field for -------------------------------------------------------------------------------

static json_t *variants_json(const FpdMutation *mutation) {
    json_t *list = json_array();
    for (uint32_t v = 0; v < mutation->cas->variant_count; v++) {
        json_int_t count = 0;
        for (uint32_t i = 0; i < mutation->mutants->count; i++) count += mutation->mutants->items[i].variant == v;
        json_t *variant = json_object();
        json_object_set_new(variant, "name", fpd_json_text(mutation->cas->variants[v].name));
        json_object_set_new(variant, "mutants", json_integer(count));
        json_array_append_new(list, variant);
    }
    return list;
}

// Builds of the case file, in which no kernel is compiled.
static json_t *builds_json(const FpdMutation *mutation) {
    const FpdCase *given = mutation->mutants->programs->cas;
    json_t *list = json_array();
    for (uint32_t b = 0; b < given->build_count; b++) json_array_append_new(list, fpd_json_text(given->builds[b].name));
    return list;
}

static json_t *data_json(const FpdMutation *mutation) {
    json_t *list = json_array();
    for (uint32_t d = 1; d < mutation->data_count; d++)
        json_array_append_new(list, fpd_json_text(mutation->data_names[d]));
    return list;
}

// Equal where two runs have the same list of mutants.
static json_t *list_json(const FpdMutants *mutants) {
    XXH3_state_t *key = XXH3_createState();
    XXH3_64bits_reset(key);
    for (uint32_t i = 0; i < mutants->count; i++) {
        const FpdMutant *mutant = &mutants->items[i];
        XXH3_64bits_update(key, &mutant->edit->op, sizeof mutant->edit->op);
        XXH3_64bits_update(key, mutant->kernel, strlen(mutant->kernel) + 1);
        XXH3_64bits_update(key, mutant->edit->words, strlen(mutant->edit->words) + 1);
    }
    json_t *text = json_sprintf("%016llx", (unsigned long long)XXH3_64bits_digest(key));
    XXH3_freeState(key);
    return text;
}

static json_t *config_json(const FpdMutation *mutation, const FpdMutationRun *run) {
    json_t *config = json_object();
    json_object_set_new(config, "case", fpd_json_text(mutation->cas->path));
    json_object_set_new(config, "title", fpd_json_text(mutation->cas->title));
    json_object_set_new(config, "seed", json_sprintf("%llu", (unsigned long long)mutation->cas->seed));
    json_object_set_new(config, "key", json_string(run->key));
    json_object_set_new(config, "mutants", json_integer(mutation->mutants->count));
    json_object_set_new(config, "list", list_json(mutation->mutants));
    json_object_set_new(config, "shard", json_pack("[I, I]", (json_int_t)run->shard, (json_int_t)run->shard_count));
    json_object_set_new(config, "threshold", json_real(run->threshold));
    json_object_set_new(config, "asExpected", mutation->has_run ? json_boolean(mutation->as_expected) : json_null());
    json_object_set_new(config, "data", mutation->has_run ? data_json(mutation) : json_null());
    json_object_set_new(config, "variants", variants_json(mutation));
    json_object_set_new(config, "buildsLeftOut", builds_json(mutation));
    json_object_set(config, "versions", json_object_get(run->head, "versions"));
    json_object_set_new(config, "interruption", fpd_json_text(run->interruption));
    json_object_set_new(config, "status", json_integer(run->status));
    return config;
}

// `files` and `config` become its own.
static json_t *report_of(json_t *files, json_t *config) {
    json_t *root = json_object();
    json_object_set_new(root, "schemaVersion", json_string(FPD_MUTATION_SCHEMA));
    json_object_set_new(root, "thresholds", json_object());
    json_object_set_new(root, "files", files);
    json_object_set_new(root, "framework",
                        json_pack("{s:s, s:s}", "name", FPD_MUTATION_FRAMEWORK, "version", CONGRUENT_VERSION));
    json_object_set_new(root, "config", config);
    fpd_set_mutation_score(root);
    return root;
}

json_t *fpd_json_mutation(const FpdMutation *mutation, const FpdMutationRun *run) {
    Writer w = {.mutation = mutation, .files = json_object(), .without_line = json_array()};
    json_t *config = config_json(mutation, run);
    w.sources = (ReportSources){.arena = &w.arena, .root = run->source_root};
    const bool lists = !mutation->has_run || mutation->as_expected;
    for (uint32_t i = 0; lists && i < mutation->mutants->count; i++)
        if (mutation->chosen[i]) add_mutant(&w, i);
    json_object_set_new(config, "withoutLine", w.without_line);
    arena_reset(&w.arena);
    return report_of(w.files, config);
}

json_t *fpd_json_no_mutation(const char *case_file, const FpdMutationRun *run) {
    json_t *config = json_object();
    json_object_set_new(config, "case", fpd_json_text(case_file));
    json_object_set_new(config, "shard", json_pack("[I, I]", (json_int_t)run->shard, (json_int_t)run->shard_count));
    json_object_set_new(config, "threshold", json_real(run->threshold));
    json_object_set_new(config, "interruption", fpd_json_text(run->interruption));
    json_object_set_new(config, "status", json_integer(run->status));
    return report_of(json_object(), config);
}
