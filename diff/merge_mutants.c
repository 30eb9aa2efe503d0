// SPDX-License-Identifier: Apache-2.0
// Joins the reports of mutants of the shards of a run. Every mutant has a number, which is the same in all shards.
#include "diff/command.h"
#include "diff/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { MUTANTS_MAX = 1 << 22 };

typedef struct Slot { // of a mutant of the run
    json_t *mutant;   // NULL: there is none yet
    const char *file;
    bool without_line;
} Slot;

typedef struct Join {
    FpdSession *session;
    Diagnostics *diagnostics;
    Arena arena;
    json_t *report;  // of all parts
    json_t *sources; // by file: "language" and "source"
    Slot *slots;
    uint64_t count;
    int status;
} Join;

// ---- reading a part -------------------------------------------------------------------------------------------------

typedef struct Reading {
    Diagnostics *diagnostics;
    const char *path;
    uint64_t mutants; // of the run
} Reading;

static bool refuse(const Reading *r, const char *why) {
    return diag_fail(r->diagnostics, (Location){.file = r->path}, E_REPORT, "is no report of mutants of fpdiff: %s",
                     why);
}

static bool is_number(const json_t *value, json_int_t low, json_int_t high) {
    return json_is_integer(value) && json_integer_value(value) >= low && json_integer_value(value) <= high;
}

static bool is_text_or_null(const json_t *value) {
    return json_is_string(value) || json_is_null(value);
}

static bool are_texts(const json_t *list) {
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item) {
        if (!json_is_string(item)) return false;
    }
    return json_is_array(list);
}

// The mutants of all variants are those of the run.
static bool are_variants(const json_t *variants, uint64_t mutants) {
    size_t index;
    json_t *item;
    uint64_t sum = 0;
    json_array_foreach(variants, index, item) {
        const json_t *count = json_object_get(item, "mutants");
        if (!json_is_string(json_object_get(item, "name")) || !is_number(count, 0, MUTANTS_MAX)) return false;
        sum += (uint64_t)json_integer_value(count);
    }
    return json_is_array(variants) && sum == mutants;
}

static bool are_numbers_of_mutants(const json_t *list, uint64_t mutants) {
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item) {
        if (!is_number(item, 0, (json_int_t)mutants - 1)) return false;
    }
    return json_is_array(list);
}

static bool check_config(Reading *r, const json_t *config) {
    static const char *const texts[] = {"case", "seed", "key", "list"}, *const maybe[] = {"title", "interruption"};
    const json_t *mutants = json_object_get(config, "mutants"), *expected = json_object_get(config, "asExpected"),
                 *threshold = json_object_get(config, "threshold"), *data = json_object_get(config, "data");
    if (!is_number(mutants, 0, MUTANTS_MAX)) return refuse(r, "\"mutants\" of \"config\" is missing or wrong");
    r->mutants = (uint64_t)json_integer_value(mutants);
    bool good = is_number(json_object_get(config, "status"), 0, REPORT_STATUS_INTERRUPTED) &&
                (json_is_boolean(expected) || json_is_null(expected)) && json_is_number(threshold) &&
                json_number_value(threshold) >= 0 && json_number_value(threshold) <= 100 &&
                are_variants(json_object_get(config, "variants"), r->mutants) &&
                are_texts(json_object_get(config, "buildsLeftOut")) && (json_is_null(data) || are_texts(data)) &&
                are_numbers_of_mutants(json_object_get(config, "withoutLine"), r->mutants) &&
                json_is_object(json_object_get(config, "versions"));
    for (size_t i = 0; i < BASE_COUNT(texts); i++) good = good && json_is_string(json_object_get(config, texts[i]));
    for (size_t i = 0; i < BASE_COUNT(maybe); i++) good = good && is_text_or_null(json_object_get(config, maybe[i]));
    return good || refuse(r, "a value of \"config\" is missing or wrong");
}

// False: it is none of the run.
static bool read_id(const json_t *mutant, uint64_t mutants, uint64_t *id) {
    const char *text = json_string_value(json_object_get(mutant, "id"));
    char *end;
    if (!text || *text < '0' || *text > '9' || (*text == '0' && text[1])) return false;
    *id = strtoull(text, &end, 10);
    return !*end && *id < mutants;
}

static bool is_position(const json_t *at) {
    return is_number(json_object_get(at, "line"), 1, INT32_MAX) &&
           is_number(json_object_get(at, "column"), 1, INT32_MAX);
}

static bool check_mutant(const Reading *r, const json_t *mutant) {
    const json_t *at = json_object_get(mutant, "location");
    const char *status = json_string_value(json_object_get(mutant, "status")), *reason;
    uint64_t id;
    FpdMutantClass class;
    if (!read_id(mutant, r->mutants, &id)) return refuse(r, "a mutant whose \"id\" is missing or wrong");
    const bool classed =
        fpd_mutant_class_read(json_string_value(json_object_get(mutant, "statusReason")), &class, &reason);
    if (!classed || !status || strcmp(status, fpd_mutant_class_info(class)->status))
        return refuse(r, "a mutant whose \"status\" or \"statusReason\" is missing or wrong");
    return (json_is_string(json_object_get(mutant, "mutatorName")) &&
            json_is_string(json_object_get(mutant, "replacement")) &&
            json_is_string(json_object_get(mutant, "description")) && is_position(json_object_get(at, "start")) &&
            is_position(json_object_get(at, "end"))) ||
           refuse(r, "a mutant of which something is missing or wrong");
}

static bool check_files(const Reading *r, const json_t *files) {
    const char *path;
    json_t *file, *mutant;
    size_t index;
    if (!json_is_object(files)) return refuse(r, "\"files\" is missing");
    json_object_foreach((json_t *)files, path, file) {
        const json_t *mutants = json_object_get(file, "mutants");
        if (!json_is_array(mutants) || !json_is_string(json_object_get(file, "source")) ||
            !json_is_string(json_object_get(file, "language")))
            return refuse(r, "a file without \"language\", \"source\" or \"mutants\"");
        json_array_foreach(mutants, index, mutant) {
            if (!check_mutant(r, mutant)) return false;
        }
    }
    return true;
}

static bool check_part(Reading *r, const json_t *root) {
    const char *version = json_string_value(json_object_get(root, "schemaVersion")),
               *name = json_string_value(json_object_get(json_object_get(root, "framework"), "name"));
    if (!version || strcmp(version, FPD_MUTATION_SCHEMA)) return refuse(r, "\"schemaVersion\" is not that of fpdiff");
    if (!name || strcmp(name, FPD_MUTATION_FRAMEWORK)) return refuse(r, "another program has written it");
    return check_config(r, json_object_get(root, "config")) && check_files(r, json_object_get(root, "files"));
}

// A report that fpdiff mutate has written, which the caller releases. NULL and E_FILE or E_REPORT.
static json_t *read_part(Diagnostics *diagnostics, const char *path) {
    Arena scratch = {0};
    Reading reading = {diagnostics, path, 0};
    uint8_t *bytes;
    size_t size;
    json_error_t error;
    json_t *root = NULL;
    if (file_read(diagnostics, &scratch, path, &bytes, &size)) {
        root = json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, &error);
        const bool good = root ? check_part(&reading, root) : refuse(&reading, error.text);
        if (!good) json_decref(root), root = NULL;
    }
    arena_reset(&scratch);
    return root;
}

// ---- joining --------------------------------------------------------------------------------------------------------

static bool is_untried(const json_t *mutant) {
    const char *status = json_string_value(json_object_get(mutant, "status"));
    return !strcmp(status, fpd_mutant_class_info(FPD_MUTANT_UNTRIED)->status);
}

// With --partial what was tried is kept before what was not, else what came first.
static bool add_mutant(Join *j, const char *path, const char *file, json_t *mutant) {
    uint64_t id = 0;
    read_id(mutant, j->count, &id);
    Slot *slot = &j->slots[id];
    if (slot->mutant && !j->session->options.partial)
        return diag_fail(j->diagnostics, (Location){.file = path}, E_REPORT,
                         "has mutant %llu, which another report has, too; --partial takes one of them",
                         (unsigned long long)id);
    if (slot->mutant && (!is_untried(slot->mutant) || is_untried(mutant))) return true;
    json_decref(slot->mutant);
    slot->mutant = json_incref(mutant);
    slot->file = arena_keep(&j->arena, file);
    return true;
}

// The source of a file is in some parts, if its machine had it. Lines of another one would be others.
static bool add_source(Join *j, const char *path, const char *name, const json_t *file) {
    const char *source = json_string_value(json_object_get(file, "source"));
    json_t *known = json_object_get(j->sources, name);
    const char *before = known ? json_string_value(json_object_get(known, "source")) : "";
    if (*source && *before && strcmp(source, before))
        return diag_fail(j->diagnostics, (Location){.file = path}, E_REPORT,
                         "has another text of %s than a report before it", name);
    if (known && (*before || !*source)) return true;
    known = json_object();
    json_object_set(known, "language", json_object_get(file, "language"));
    json_object_set(known, "source", json_object_get(file, "source"));
    json_object_set_new(j->sources, name, known);
    return true;
}

static void mark_without_line(Join *j, const json_t *part) {
    size_t index;
    json_t *id;
    json_array_foreach(json_object_get(json_object_get(part, "config"), "withoutLine"), index, id) {
        j->slots[json_integer_value(id)].without_line = true;
    }
}

static void open_join(Join *j, const json_t *part) {
    if (j->report) return;
    j->report = json_deep_copy(part);
    j->sources = json_object();
    j->count = (uint64_t)json_integer_value(json_object_get(json_object_get(part, "config"), "mutants"));
    j->slots = arena_array(&j->arena, Slot, j->count + 1);
}

static bool agrees(const Join *j, const char *path, const json_t *part) {
    static const char *const keys[] = {"versions", "case",     "title",         "seed",       "key", "mutants",
                                       "list",     "variants", "buildsLeftOut", "asExpected", "data"};
    const json_t *first = json_object_get(j->report, "config"), *config = json_object_get(part, "config");
    for (size_t i = 0; i < BASE_COUNT(keys); i++)
        if (!fpd_parts_agree(j->diagnostics, path, first, config, keys[i])) return false;
    return j->session->options.has_threshold || fpd_parts_agree(j->diagnostics, path, first, config, "threshold");
}

static bool add_part(Join *j, const char *path, const json_t *part) {
    const char *name;
    json_t *file, *mutant;
    size_t index;
    open_join(j, part);
    if (!agrees(j, path, part)) return false;
    json_object_foreach(json_object_get(part, "files"), name, file) {
        if (!add_source(j, path, name, file)) return false;
        json_array_foreach(json_object_get(file, "mutants"), index, mutant) {
            if (!add_mutant(j, path, name, mutant)) return false;
        }
    }
    const json_t *config = json_object_get(part, "config");
    mark_without_line(j, part);
    fpd_complete_part(json_object_get(j->report, "config"), config);
    j->status = fpd_worse(j->status, (int)json_integer_value(json_object_get(config, "status")));
    return true;
}

// Files in the order of their first mutants, as one run has them.
static void put_in_order(Join *j, json_t *files, json_t *without_line, json_t *missing) {
    for (uint64_t i = 0; i < j->count; i++) {
        const Slot *slot = &j->slots[i];
        if (!slot->mutant) {
            json_array_append_new(missing, json_integer((json_int_t)i));
            continue;
        }
        json_t *file = json_object_get(files, slot->file);
        if (!file) {
            file = json_copy(json_object_get(j->sources, slot->file));
            json_object_set_new(file, "mutants", json_array());
            json_object_set_new(files, slot->file, file);
        }
        json_array_append(json_object_get(file, "mutants"), slot->mutant);
        if (slot->without_line) json_array_append_new(without_line, json_integer((json_int_t)i));
    }
}

// A case that is not as expected has no mutants that were tried.
static bool finish(Join *j) {
    json_t *config = json_object_get(j->report, "config"), *files = json_object(), *without_line = json_array(),
           *missing = json_array();
    put_in_order(j, files, without_line, missing);
    json_object_set_new(j->report, "files", files);
    json_object_set_new(config, "withoutLine", without_line);
    json_object_del(config, "shard");
    json_object_set_new(config, "status", json_integer(j->status));
    if (j->session->options.has_threshold)
        json_object_set_new(config, "threshold", json_real(j->session->options.threshold));
    const size_t count = json_is_false(json_object_get(config, "asExpected")) ? 0 : json_array_size(missing);
    if (count) json_object_set(config, "missing", missing);
    json_decref(missing);
    fpd_set_mutation_score(j->report);
    if (!count || j->session->options.partial) return true;
    return diag_fail(j->diagnostics, (Location){0}, E_REPORT,
                     "%zu of %llu mutants are in none of the reports; --partial joins what there is", count,
                     (unsigned long long)j->count);
}

// There are no other formats of these reports.
static bool check_options(const FpdOptions *options, Diagnostics *diagnostics) {
    static const char *const names[] = {
#define FORMAT(name, ...) [REPORT_##name] = #name,
#include "report/formats.def"
#undef FORMAT
    };
    const char *wrong = options->source_root ? "source-root" : NULL;
    for (int f = 0; f < REPORT_FORMAT_COUNT; f++)
        if (f != REPORT_json && options->reports[f]) wrong = names[f];
    if (options->annotations == FPD_ANNOTATIONS_GITHUB) wrong = "annotations";
    return !wrong || diag_fail(diagnostics, (Location){0}, E_USAGE, "--%s does not go with reports of mutants", wrong);
}

int fpd_merge_mutations(FpdSession *s, Diagnostics *diagnostics) {
    Join j = {.session = s, .diagnostics = diagnostics};
    bool good = check_options(&s->options, diagnostics);
    for (size_t i = 0; good && i < s->options.case_count; i++) {
        json_t *part = read_part(diagnostics, s->options.cases[i]);
        good = part && add_part(&j, s->options.cases[i], part);
        json_decref(part);
    }
    const int status = good && finish(&j) ? fpd_put_mutation(s, diagnostics, j.report) : 0;
    for (uint64_t i = 0; i < j.count; i++) json_decref(j.slots[i].mutant);
    json_decref(j.report);
    json_decref(j.sources);
    arena_reset(&j.arena);
    return status;
}
