// SPDX-License-Identifier: Apache-2.0
// fpdiff merge: one report from those of the shards of a run.
#include "diff/command.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS_MAX = 1 << 26 };

typedef struct Merge {
    Diagnostics *diagnostics;
    const FpdOptions *options;
    Report report; // of the cases of all parts
    uint64_t tasks;
    json_t *case_files; // of the first part: the hashes of all cases of the run; NULL: it has none
    json_t *files;      // that parts were made from, with their hashes
    size_t *cases;      // of each task: 1 + the index of its case in `report`; 0: there is none yet
    int status;
} Merge;

static bool refuse(Merge *m, const char *path, const char *why) {
    return diag_fail(m->diagnostics, (Location){.file = path}, E_REPORT, "%s", why);
}

// A part in which nothing ran does not know all versions: those are null.
static bool are_alike(const json_t *a, const json_t *b) {
    const char *key;
    json_t *value;
    if (!json_is_object(a) || !json_is_object(b)) return json_is_null(a) || json_is_null(b) || json_equal(a, b);
    json_object_foreach((json_t *)a, key, value) {
        if (!are_alike(value, json_object_get(b, key))) return false;
    }
    return json_object_size(a) == json_object_size(b);
}

void fpd_complete_part(json_t *one, const json_t *other) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)other, key, value) {
        json_t *own = json_object_get(one, key);
        if (json_is_object(own))
            fpd_complete_part(own, value);
        else if (json_is_null(own))
            json_object_set(one, key, value);
    }
}

bool fpd_parts_agree(Diagnostics *diagnostics, const char *path, const json_t *first, const json_t *part,
                     const char *key) {
    const json_t *one = json_object_get(first, key), *other = json_object_get(part, key);
    if (are_alike(one, other)) return true;
    char *a = json_dumps(one, JSON_ENCODE_ANY | JSON_COMPACT), *b = json_dumps(other, JSON_ENCODE_ANY | JSON_COMPACT);
    diag_fail(diagnostics, (Location){.file = path}, E_REPORT, "\"%s\" is %s, that of the first report %s", key,
              b ? b : "missing", a ? a : "missing");
    free(a);
    free(b);
    return false;
}

// Whether no file has another hash than in the reports before; those are in `known`.
static bool check_files(Merge *m, const char *path, const json_t *known, json_t *files) {
    const char *file;
    json_t *hash;
    json_object_foreach(files, file, hash) {
        const json_t *other = json_object_get(known, file);
        if (other && !json_equal(other, hash))
            return diag_fail(m->diagnostics, (Location){.file = path}, E_REPORT,
                             "was made from another %s than a report before it", file);
    }
    return true;
}

// Of the files of this part's cases. In one run a file may change, too: what it was for the first case counts.
static bool check_contents(Merge *m, const char *path, const Report *part) {
    json_t *campaign = json_object_get(part->head, "campaign"), *files = json_object();
    bool good = check_files(m, path, m->case_files, json_object_get(campaign, "contents"));
    if (good) json_object_del(campaign, "contents"); // where one part has more of them, its key differs, too
    for (size_t i = 0; good && i < part->case_count; i++) {
        json_t *cas = report_case(part, i), *contents = json_object_get(cas, "contents");
        if (json_is_object(contents)) json_object_update_missing(files, contents);
        json_decref(cas);
    }
    good = good && check_files(m, path, m->files, files);
    json_object_update_missing(m->files, files);
    json_decref(files);
    return good;
}

static bool is_unchecked(const json_t *cas) {
    const char *result = json_string_value(json_object_get(cas, "result"));
    return result && !strcmp(result, REPORT_NOT_CHECKED);
}

// With --partial, what was checked is kept before what was not, else what came first.
static bool add_case(Merge *m, const char *path, json_t *cas) {
    const json_t *task = json_object_get(cas, "task");
    const uint64_t number = (uint64_t)json_integer_value(task);
    if (!json_is_integer(task) || number >= m->tasks)
        return refuse(m, path, "a case whose \"task\" is missing or wrong");
    if (!m->cases[number]) {
        report_add(&m->report, json_incref(cas));
        m->cases[number] = m->report.case_count;
        return true;
    }
    if (!m->options->partial)
        return diag_fail(m->diagnostics, (Location){.file = path}, E_REPORT,
                         "has task %llu (%s), which another report has, too; --partial takes one of them",
                         (unsigned long long)number, json_string_value(json_object_get(cas, "file")));
    json_t *first = report_case(&m->report, m->cases[number] - 1);
    if (is_unchecked(first) && !is_unchecked(cas)) {
        report_add(&m->report, json_incref(cas));
        m->cases[number] = m->report.case_count;
    }
    json_decref(first);
    return true;
}

static bool open_merge(Merge *m, const char *path, const Report *part) {
    const json_t *campaign = json_object_get(part->head, "campaign"), *tasks = json_object_get(campaign, "tasks");
    if (!json_is_integer(tasks) || !json_is_string(json_object_get(campaign, "key")) || json_integer_value(tasks) < 0 ||
        json_integer_value(tasks) > TASKS_MAX)
        return refuse(m, path, "does not say of which run it is a part: \"campaign\" is missing or wrong");
    if (m->report.head) return true;
    m->report.head = json_deep_copy(part->head);
    json_object_del(json_object_get(m->report.head, "campaign"), "shard");
    m->case_files = json_incref(json_object_get(json_object_get(m->report.head, "campaign"), "contents"));
    json_object_del(json_object_get(m->report.head, "campaign"), "contents");
    m->files = json_object();
    m->tasks = (uint64_t)json_integer_value(tasks);
    m->cases = arena_array(&m->report.arena, size_t, m->tasks + 1);
    return true;
}

static bool add_part(Merge *m, const char *path) {
    static const char *const keys[] = {"versions", "target", "gpu", "campaign"};
    Report part;
    if (!report_read(m->diagnostics, path, &part)) return false;
    bool good = open_merge(m, path, &part);
    if (good) json_object_del(json_object_get(part.head, "campaign"), "shard");
    good = good && check_contents(m, path, &part);
    for (size_t i = 0; good && i < BASE_COUNT(keys); i++)
        good = fpd_parts_agree(m->diagnostics, path, m->report.head, part.head, keys[i]);
    for (size_t i = 0; good && i < part.case_count; i++) {
        json_t *cas = report_case(&part, i);
        good = add_case(m, path, cas);
        json_decref(cas);
    }
    if (good) fpd_complete_part(m->report.head, part.head);
    m->status = fpd_worse(m->status, part.status);
    report_close(&part);
    return good;
}

// The cases in the order of their tasks.
static bool put_in_order(Merge *m, Report *ordered) {
    json_t *missing = json_array();
    ordered->head = json_incref(m->report.head);
    if (m->case_files) json_object_set(json_object_get(ordered->head, "campaign"), "contents", m->case_files);
    for (uint64_t i = 0; i < m->tasks; i++) {
        if (m->cases[i])
            report_add(ordered, report_case(&m->report, m->cases[i] - 1));
        else
            json_array_append_new(missing, json_integer((json_int_t)i));
    }
    ordered->status = m->status;
    const size_t count = json_array_size(missing);
    if (count) json_object_set(json_object_get(ordered->head, "campaign"), "missing", missing);
    json_decref(missing);
    if (!count || m->options->partial) return true;
    return diag_fail(m->diagnostics, (Location){0}, E_REPORT,
                     "%zu of %llu cases are in none of the reports; --partial joins what there is", count,
                     (unsigned long long)m->tasks);
}

static int merge_comparisons(FpdSession *s, Diagnostics *diagnostics) {
    Merge m = {.diagnostics = diagnostics, .options = &s->options};
    Report ordered = {0};
    bool good = true;
    for (size_t i = 0; good && i < s->options.case_count; i++) good = add_part(&m, s->options.cases[i]);
    if (good) good = put_in_order(&m, &ordered);
    const int status = good ? fpd_worse(ordered.status, fpd_write_reports(s, &ordered)) : 0;
    if (good && !s->options.quiet) {
        Buffer text = {0};
        report_print_summary(&ordered, &text);
        fpd_put(s, &text);
        buffer_free(&text);
    }
    report_close(&ordered);
    report_close(&m.report);
    json_decref(m.case_files);
    json_decref(m.files);
    return status;
}

// Whether all reports are of mutants, or none is. False and a diagnostic.
static bool find_kind(const FpdOptions *options, Diagnostics *diagnostics, bool *of_mutants) {
    for (size_t i = 0; i < options->case_count; i++) {
        bool is;
        if (!report_has_key(diagnostics, options->cases[i], "schemaVersion", &is)) return false;
        if (i && is != *of_mutants)
            return diag_fail(diagnostics, (Location){.file = options->cases[i]}, E_REPORT,
                             is ? "is a report of mutants, and %s is none; they cannot be joined"
                                : "is no report of mutants, and %s is one; they cannot be joined",
                             options->cases[0]);
        *of_mutants = is;
    }
    return !options->has_threshold || *of_mutants ||
           diag_fail(diagnostics, (Location){0}, E_USAGE, "--threshold is for reports of mutants");
}

int fpd_command_merge(FpdSession *s) {
    Diagnostics diagnostics = {0};
    bool of_mutants = false;
    int status = 0;
    if (find_kind(&s->options, &diagnostics, &of_mutants))
        status = of_mutants ? fpd_merge_mutations(s, &diagnostics) : merge_comparisons(s, &diagnostics);
    fpd_put_diagnostics(s, &diagnostics);
    status = fpd_worse(status, fpd_exit_status(&diagnostics));
    diagnostics_close(&diagnostics);
    return status;
}
