// SPDX-License-Identifier: Apache-2.0
// Runs fpdiff over the case files of the corpus, once for each algebra, and prints what each finds (`make verdicts`).
//
//   verdicts [--jobs N] [--fpdiff PROGRAM] [--details] [--accuracy] [--seeds N] FAMILY/NAME.yaml...
//
// PAIR.yaml is a pair of kernels that agree: a divergence is a false alarm. PAIR.MUTANT.yaml is a mutant of the pair's
// variant: a divergence is a find, but one that tells nothing where the right pair diverges as well. A mutant that
// `expect: equal` marks as equal in algebra is for the IEEE column alone. Where no field of the tower is left to
// compare the verdict is unknown: the case fails, so it counts as a divergence does, and is told below the table. A
// case with parameters diverges if one of its combinations does: a pair has to agree in all, a mutant is found in some.
// Exit status: 0; 1 where the tower has a false alarm or misses a mutant, or where the corpus is wrong (a pair whose
// IEEE results differ, a mutant that is equal in algebra and in IEEE arithmetic); 3 where a case could not run for
// another reason than that an operation is not supported. With --seeds all runs again in the first algebra with seeds 2
// to N.
//
// Pairs run once more with --accuracy, at their first sizes: those that findings.json names have to be found less
// accurate, or near the edge of a range, and no other may be less accurate (findings.h). Else the status is 1. With
// --accuracy that is all that is run, at all sizes.
#include "findings.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_RUN, EQUAL, UNKNOWN, DIVERGED }; // of several the highest is that of all

// The algebras: a column of the table each, and the arguments that choose it.
static const struct {
    const char *name, *meaning;
    const char *arguments[5];
} algebras[] = {
    {"tower", "the default profile", {"--profile", "tower", NULL}},
    {"ring", "triton-3.9, default casts", {"--profile", "triton-3.9", "--casts", "mix", NULL}},
    {"ring, hom.", "triton-3.9, homomorphic casts", {"--profile", "triton-3.9", "--casts", "homomorphic", NULL}},
    {"accuracy", "no column: the tower, and how accurate", {"--profile", "tower", "--accuracy", NULL}},
};
enum {
    ACCURACY = sizeof algebras / sizeof *algebras - 1,
    ALGEBRAS = ACCURACY,
    COLUMNS = ALGEBRAS + 1,
    IEEE = ALGEBRAS,
    BATCH = 16,
    WIDTH = 11
};
static const char ieee_name[] = "allclose";

typedef struct {
    const char *path;
    char *family, *pair; // texts between the last slashes; up to the first dot
    const char *mutant;  // behind that dot, NULL for a pair
    bool unseen;         // a mutant that is equal in algebra
    int verdict[COLUMNS];
    char *refused; // why it could not run, NULL where it ran
    bool unsupported;
    const json_t *expected; // of a pair: its finding (findings.h)
    Finding *finding;       // where its accuracy is measured
} Case;

typedef struct {
    pid_t process;
    FILE *report;
    size_t first, count;
    int algebra;
    long seeds; // 0: that of each file; else 2 to this
} Work;

static char *duplicate(const char *text, size_t length) {
    char *copy = strndup(text, length);
    if (copy == NULL) {
        fprintf(stderr, "verdicts: out of memory\n");
        exit(3);
    }
    return copy;
}

// "verdicts/attention/flash.sign.yaml": family attention, pair flash, mutant sign
static bool name_case(Case *c, const char *path) {
    const char *file = strrchr(path, '/');
    size_t length = strlen(path);
    if (file == NULL || length < 5 || strcmp(path + length - 5, ".yaml") != 0) {
        fprintf(stderr, "verdicts: not FAMILY/NAME.yaml: %s\n", path);
        return false;
    }
    const char *family = file;
    while (family > path && family[-1] != '/') family--;
    file++;
    const char *dot = strchr(file, '.');
    *c = (Case){.path = path};
    c->family = duplicate(family, (size_t)(file - 1 - family));
    c->pair = duplicate(file, (size_t)(dot - file));
    if (dot[1] != '\0' && strcmp(dot, ".yaml") != 0) c->mutant = duplicate(dot + 1, strlen(dot + 1) - 5);
    return true;
}

// What runs the cases: fpdiff with seeds 2 to `seeds` (0: the case's own), so many at once.
typedef struct Runner {
    const char *program;
    long seeds;
    size_t jobs;
    int first, algebras; // from the first one to before the other
    bool quick;          // at the first sizes only
} Runner;

// Begins with the cases that `work` says.
static bool start(Work *work, const Runner *runner, const Case *cases) {
    const char *arguments[BATCH + 16] = {runner->program, "--json", "-", "--jobs", "1", "-O", "0"};
    char seed[32];
    size_t n = 7;
    snprintf(seed, sizeof seed, "2..%ld", runner->seeds);
    for (size_t i = 0; algebras[work->algebra].arguments[i] != NULL; i++)
        arguments[n++] = algebras[work->algebra].arguments[i];
    if (runner->quick) arguments[n++] = "--quick";
    if (runner->seeds) arguments[n++] = "--seed", arguments[n++] = seed;
    arguments[n++] = "--";
    for (size_t i = 0; i < work->count; i++) arguments[n++] = cases[work->first + i].path;
    arguments[n] = NULL;
    FILE *report = tmpfile(); // a pipe would fill up while this program waits for another process
    if (report == NULL) return false;
    pid_t process = fork();
    if (process < 0) {
        fclose(report);
        return false;
    }
    if (process == 0) {
        int nothing = open("/dev/null", O_WRONLY); // errors are in the report
        dup2(fileno(report), STDOUT_FILENO);
        if (nothing >= 0) dup2(nothing, STDERR_FILENO);
        execvp(runner->program, (char *const *)arguments);
        _exit(127);
    }
    work->process = process;
    work->report = report;
    return true;
}

static int verdict_of(const char *text) {
    return strcmp(text, "equal") == 0 ? EQUAL : strcmp(text, "unknown") == 0 ? UNKNOWN : DIVERGED;
}

// Reads one case of a report: a combination of parameters, added to what is known of the case.
static void take_case(Case *c, int algebra, const json_t *entry) {
    const char *expect = json_string_value(json_object_get(entry, "expect"));
    const json_t *error = json_array_get(json_object_get(entry, "errors"), 0), *pair;
    size_t i;
    if (error != NULL) {
        const char *message = json_string_value(json_object_get(error, "message"));
        const char *name = json_string_value(json_object_get(error, "name"));
        free(c->refused);
        c->refused = duplicate(message ? message : "error", message ? strlen(message) : 5);
        c->unsupported = name != NULL && strcmp(name, "UNSUPPORTED") == 0;
        return;
    }
    if (algebra == ACCURACY) {
        finding_take(c->finding, entry);
        return;
    }
    if (c->mutant != NULL && expect != NULL) c->unseen = strcmp(expect, "equal") == 0;
    json_array_foreach(json_object_get(entry, "pairs"), i, pair) {
        const char *mode = json_string_value(json_object_get(pair, "mode"));
        const char *verdict = json_string_value(json_object_get(pair, "verdict"));
        if (mode == NULL || verdict == NULL || strcmp(verdict, "measured") == 0) continue;
        int *known = &c->verdict[strcmp(mode, "ieee") == 0 ? IEEE : algebra], found = verdict_of(verdict);
        if (found > *known) *known = found;
    }
}

// What the corpus promises of each case in IEEE arithmetic.
static bool check_numbers(const Case *c) {
    if (c->refused != NULL || (c->mutant != NULL && !c->unseen)) return true;
    if (c->expected != NULL && c->verdict[IEEE] == NOT_RUN) return true; // it has no tolerance
    if (c->verdict[IEEE] == (c->unseen ? DIVERGED : EQUAL)) return true;
    fprintf(stderr, "verdicts: %s: %s in IEEE arithmetic\n", c->path, c->unseen ? "no difference" : "not equal");
    return false;
}

// What the project promises of the first algebra: no false alarm, every mutant found.
static bool check_algebra(const Case *c) {
    if (c->refused != NULL || c->unseen) return true;
    bool diverged = c->verdict[0] != EQUAL;
    if (diverged == (c->mutant != NULL)) return true;
    fprintf(stderr, "verdicts: %s: %s by %s\n", c->path, diverged ? "a false alarm" : "not found", algebras[0].name);
    return false;
}

static const char *text_of(const json_t *entry, const char *key) {
    const char *text = json_string_value(json_object_get(entry, key));
    return text ? text : "";
}

// One of further seeds: says what is not as it should be. `entries` has all combinations with all seeds.
static bool check_seed(const Case *c, int algebra, long seed, json_t *const *entries, size_t count) {
    char name[32];
    Case again = {.path = c->path, .mutant = c->mutant};
    snprintf(name, sizeof name, "%ld", seed);
    for (size_t i = 0; i < count; i++)
        if (strcmp(text_of(entries[i], "seed"), name) == 0) take_case(&again, algebra, entries[i]);
    bool good = check_algebra(&again);
    if (again.refused != NULL && !again.unsupported) {
        fprintf(stderr, "verdicts: %s: %s\n", c->path, again.refused);
        good = false;
    }
    if (!good) fprintf(stderr, "verdicts: that was seed %ld\n", seed);
    free(again.refused);
    return good;
}

// Takes the entries of a report that are of a case, each a combination with a seed.
static void take_entries(const Work *work, Case *c, json_t *const *entries, size_t count, bool *right) {
    for (long seed = 2; seed <= work->seeds; seed++)
        *right = check_seed(c, work->algebra, seed, entries, count) && *right;
    for (size_t i = 0; i < count && !work->seeds; i++) take_case(c, work->algebra, entries[i]);
}

static bool finish(Work *work, Case *cases, bool *right) {
    json_error_t error;
    rewind(work->report);
    json_t *report = json_loadf(work->report, JSON_DISABLE_EOF_CHECK, &error);
    fclose(work->report);
    const json_t *list = json_object_get(report, "cases");
    const size_t count = json_array_size(list);
    json_t **entries = calloc(count + 1, sizeof *entries);
    bool good = entries != NULL;
    size_t first = 0;
    for (size_t i = 0; good && i < count; i++) entries[i] = json_array_get(list, i);
    for (size_t i = 0; good && i < work->count; i++) { // the entries of a file follow each other
        Case *c = &cases[work->first + i];
        size_t end = first;
        while (end < count && strcmp(text_of(entries[end], "file"), c->path) == 0) end++;
        good = end > first;
        if (good)
            take_entries(work, c, &entries[first], end - first, right);
        else
            fprintf(stderr, "verdicts: no report for %s\n", c->path);
        first = end;
    }
    free(entries);
    json_decref(report);
    return good && first == count;
}

// In the algebras that `runner` says, with the seed of each file; or with seeds 2 to `seeds`, where *right becomes
// false if a verdict is not what the project promises.
static bool run_all(const Runner *runner, Case *cases, size_t count, bool *right) {
    const int last = runner->algebras;
    Work *running = calloc(runner->jobs, sizeof *running);
    bool good = running != NULL;
    size_t active = 0, first = 0;
    int algebra = runner->first;
    while (good && (active > 0 || algebra < last)) {
        while (good && active < runner->jobs && algebra < last) {
            size_t batch = count - first < BATCH ? count - first : BATCH;
            running[active] = (Work){.first = first, .count = batch, .algebra = algebra, .seeds = runner->seeds};
            good = start(&running[active], runner, cases);
            active += good;
            first += batch;
            if (first == count) first = 0, algebra++;
        }
        pid_t ended = active > 0 ? wait(NULL) : 0;
        for (size_t i = 0; i < active; i++) {
            if (running[i].process != ended) continue;
            good = finish(&running[i], cases, right) && good;
            running[i] = running[--active];
            break;
        }
        if (ended < 0 && errno != EINTR) good = false;
    }
    for (size_t i = 0; i < active; i++) {
        waitpid(running[i].process, NULL, 0);
        fclose(running[i].report);
    }
    free(running);
    return good;
}

// The pair that a mutant is one of; NULL where its file was not given.
static const Case *pair_of(const Case *mutant, const Case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (cases[i].mutant == NULL && !strcmp(cases[i].family, mutant->family) && !strcmp(cases[i].pair, mutant->pair))
            return &cases[i];
    return NULL;
}

typedef struct {
    size_t pairs, alarms[COLUMNS], mutants, found[COLUMNS], told[COLUMNS], unknown[COLUMNS], unseen, seen[COLUMNS];
    size_t unsupported, failed;
} Counts;

static void count_case(Counts *sum, const Case *c, const Case *cases, size_t count) {
    if (c->refused != NULL) {
        sum->unsupported += c->unsupported;
        sum->failed += !c->unsupported;
        return;
    }
    const Case *right = c->mutant != NULL ? pair_of(c, cases, count) : NULL;
    sum->pairs += c->mutant == NULL;
    sum->unseen += c->mutant != NULL && c->unseen;
    sum->mutants += c->mutant != NULL && !c->unseen;
    for (int i = 0; i < COLUMNS; i++) {
        bool diverged = c->verdict[i] == DIVERGED || c->verdict[i] == UNKNOWN;
        sum->unknown[i] += c->verdict[i] == UNKNOWN;
        if (c->mutant == NULL)
            sum->alarms[i] += diverged;
        else if (c->unseen)
            sum->seen[i] += diverged;
        else {
            sum->found[i] += diverged;
            sum->told[i] += diverged && (right == NULL || right->verdict[i] == EQUAL);
        }
    }
}

static const char *column_name(int i) {
    return i == IEEE ? ieee_name : algebras[i].name;
}

static const char *sign_of(int verdict) {
    static const char *const signs[] = {"-", "equal", "unknown", "differ"};
    return signs[verdict];
}

static void print_details(const Case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (cases[i].refused != NULL) continue;
        printf("%-12s%-26s%-24s", cases[i].family, cases[i].pair, cases[i].mutant ? cases[i].mutant : "");
        for (int k = 0; k < COLUMNS; k++) printf("  %-7s", sign_of(cases[i].verdict[k]));
        printf("%s\n", cases[i].unseen ? "  equal in algebra" : "");
    }
    printf("\n");
}

static void print_row(const char *name, const Counts *sum) {
    printf("| %-12s | %5zu |", name, sum->pairs);
    for (int i = 0; i < COLUMNS; i++) printf(" %*zu |", WIDTH, sum->alarms[i]);
    printf(" %7zu |", sum->mutants);
    for (int i = 0; i < COLUMNS; i++) {
        char text[48];
        snprintf(text, sizeof text, "%zu (%zu)", sum->told[i], sum->found[i]);
        printf(" %*s |", WIDTH, text);
    }
    printf("\n");
}

static void print_table(const Case *cases, size_t count) {
    Counts all = {0};
    printf("False alarms on pairs that agree, then mutants found; in brackets with those whose right pair differs as\n"
           "well, where the divergence tells nothing.");
    for (int i = 0; i < ALGEBRAS; i++) printf(" %s: %s;", algebras[i].name, algebras[i].meaning);
    printf("\n%s: IEEE results within rtol 1e-2, atol 1e-2.\n\n| family       | pairs |", ieee_name);
    for (int i = 0; i < COLUMNS; i++) printf(" %*s |", WIDTH, column_name(i));
    printf(" mutants |");
    for (int i = 0; i < COLUMNS; i++) printf(" %*s |", WIDTH, column_name(i));
    printf("\n|---|--:|");
    for (int i = 0; i < COLUMNS; i++) printf("--:|");
    printf("--:|");
    for (int i = 0; i < COLUMNS; i++) printf("--:|");
    printf("\n");
    for (size_t i = 0; i < count;) {
        Counts family = {0};
        size_t k = i;
        for (; k < count && strcmp(cases[k].family, cases[i].family) == 0; k++) {
            count_case(&family, &cases[k], cases, count);
            count_case(&all, &cases[k], cases, count);
        }
        print_row(cases[i].family, &family);
        i = k;
    }
    print_row("all", &all);
    if (all.unseen > 0) {
        printf("\n%zu mutants are equal in algebra and wrong in IEEE arithmetic only. Differ in:", all.unseen);
        for (int i = 0; i < COLUMNS; i++)
            printf(" %s %zu%s", column_name(i), all.seen[i], i + 1 < COLUMNS ? ";" : ".\n");
    }
    for (int i = 0; i < COLUMNS; i++)
        if (all.unknown[i] > 0)
            printf("\n%zu of the verdicts of %s counted as a divergence are unknown: nothing is left to compare.\n",
                   all.unknown[i], column_name(i));
    if (all.unsupported > 0) printf("\nNot counted, because they use what is not supported yet:\n");
    for (size_t i = 0; i < count; i++)
        if (cases[i].refused != NULL && cases[i].unsupported) printf("  %s: %s\n", cases[i].path, cases[i].refused);
}

static bool check_case(const Case *c) {
    bool numbers = check_numbers(c);
    return check_algebra(c) && numbers;
}

// Says which cases could not run though nothing they use is unsupported; false if there are any.
static bool all_ran(const Case *cases, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        if (cases[i].refused == NULL || cases[i].unsupported) continue;
        fprintf(stderr, "verdicts: %s: %s\n", cases[i].path, cases[i].refused);
        good = false;
    }
    return good;
}

// ---- accuracy -------------------------------------------------------------------------------------------------------

// What is expected of pairs. Returns an array of findings.json, which the caller owns; NULL if one cannot be read.
static json_t *expect_findings(Case *cases, size_t count) {
    json_t *all = json_array(), *family = NULL;
    bool wrong = all == NULL;
    for (size_t i = 0; !wrong && i < count; i++) {
        if (i == 0 || strcmp(cases[i].family, cases[i - 1].family) != 0) {
            family = findings_beside(cases[i].path, &wrong);
            if (family != NULL && json_array_append_new(all, family) != 0) wrong = true;
        }
        if (!wrong && cases[i].mutant == NULL) cases[i].expected = json_object_get(family, cases[i].pair);
    }
    if (!wrong) return all;
    json_decref(all);
    return NULL;
}

// Runs the pairs again and measures. *right becomes false if what is said is not what is expected.
static bool check_findings(const Runner *runner, const Case *cases, size_t count, bool *right) {
    Case *pairs = calloc(count, sizeof *pairs);
    Finding *findings = calloc(count, sizeof *findings);
    size_t found = 0;
    bool good = pairs != NULL && findings != NULL;
    for (size_t i = 0; good && i < count; i++) {
        if (cases[i].mutant != NULL || cases[i].refused != NULL) continue;
        findings[found] = (Finding){.path = cases[i].path, .expected = cases[i].expected};
        pairs[found] = (Case){.path = cases[i].path, .finding = &findings[found]};
        found++;
    }
    good = good && (found == 0 || run_all(runner, pairs, found, NULL));
    good = all_ran(pairs, good ? found : 0) && good;
    for (size_t i = 0; good && i < found; i++) *right = finding_check(&findings[i]) && *right;
    if (good && found > 0) findings_print(findings, found);
    for (size_t i = 0; i < found; i++) free(pairs[i].refused);
    free(findings);
    free(pairs);
    return good;
}

int main(int argc, char **argv) {
    const char *program = "fpdiff";
    size_t count = 0;
    long jobs = sysconf(_SC_NPROCESSORS_ONLN);
    long seeds = 1;
    bool details = false, accuracy = false, good = true;
    Case *cases = calloc((size_t)argc, sizeof *cases);
    json_t *expected = NULL;
    if (cases == NULL) return 3;
    for (int i = 1; i < argc && good; i++) {
        if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc)
            jobs = strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--fpdiff") == 0 && i + 1 < argc)
            program = argv[++i];
        else if (strcmp(argv[i], "--seeds") == 0 && i + 1 < argc)
            seeds = strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--details") == 0)
            details = true;
        else if (strcmp(argv[i], "--accuracy") == 0)
            accuracy = true;
        else
            good = name_case(&cases[count], argv[i]) && ++count;
    }
    if (!good || count == 0 || jobs < 1 || jobs > 256 || seeds < 1) {
        fprintf(stderr, "usage: verdicts [--jobs N] [--fpdiff PROGRAM] [--details] [--accuracy] [--seeds N] "
                        "FAMILY/NAME.yaml...\n");
        good = false;
    } else {
        expected = expect_findings(cases, count);
        good = expected != NULL;
        if (good && !accuracy)
            good = run_all(&(Runner){program, 0, (size_t)jobs, 0, ALGEBRAS, false}, cases, count, NULL);
    }
    good = all_ran(cases, count) && good;
    bool right = true;
    for (size_t i = 0; good && !accuracy && i < count; i++) right = check_case(&cases[i]) && right;
    if (good) {
        if (details && !accuracy) print_details(cases, count);
        if (!accuracy) print_table(cases, count);
        good = check_findings(&(Runner){program, 0, (size_t)jobs, ACCURACY, ACCURACY + 1, !accuracy}, cases, count,
                              &right);
        if (good && seeds > 1) good = run_all(&(Runner){program, seeds, (size_t)jobs, 0, 1}, cases, count, &right);
    }
    for (size_t i = 0; i < count; i++) {
        free(cases[i].family);
        free(cases[i].pair);
        free((char *)cases[i].mutant);
        free(cases[i].refused);
    }
    free(cases);
    json_decref(expected);
    return !good ? 3 : right ? 0 : 1;
}
