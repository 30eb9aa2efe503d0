// SPDX-License-Identifier: Apache-2.0
// Holds the text parser and the verifier against the test suite of NVIDIA/cuda-tile: conformance [--failures] DIR.
//
// Each .mlir of test/Dialect/CudaTile and test/Bytecode, with the folders of the latter, is cut into parts at
// "// -----". A part with expected-error lines must be refused at each of these lines (what the message says is not
// compared); a part without must parse and verify, or be refused if the file's RUN lines say `not` (then the message is
// compared there, and the line is not known). Bytecode that RUN lines read must be valid, or refused in the same way.
// Without DIR nothing is checked, and a line says so.
#include "tests/conformance/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is known to differ, and why: a line of a file. One that does not differ any more must go.
typedef struct Exception {
    const char *name;
    uint32_t line;
    const char *reason;
} Exception;
static const Exception exceptions[] = {
#define EXCEPTION(name, line, reason) {name, line, reason},
#include "tests/conformance/exceptions.def"
#undef EXCEPTION
};

static const char pinned_commit[] = "e01244d89cd38e81dde50d60fbfee07ac6d7be22";

typedef struct Score {
    uint32_t valid, valid_all;     // parts that must be accepted
    uint32_t errors, errors_all;   // expected-error lines
    uint32_t refused, refused_all; // parts that must be refused, somewhere
} Score;

typedef struct Run {
    bool failures; // list each failure
    Arena arena;
    Score total;
    uint32_t unexpected; // failures that are no exceptions
    bool seen[BASE_COUNT(exceptions)];
} Run;

static void note_failure(Run *run, const char *name, uint32_t line) {
    for (size_t i = 0; i < BASE_COUNT(exceptions); i++)
        if (exceptions[i].line == line && !strcmp(exceptions[i].name, name)) {
            run->seen[i] = true;
            return;
        }
    run->unexpected++;
}

// ---- the checkout ---------------------------------------------------------------------------------------------------

// The first line of a file, NULL if there is none.
static char *first_line(Arena *arena, const char *path) {
    Diagnostics ignored = {0};
    uint8_t *text;
    size_t size;
    bool ok = file_read(&ignored, arena, path, &text, &size);
    diagnostics_close(&ignored);
    if (!ok) return NULL;
    text[strcspn((char *)text, "\n")] = 0;
    return (char *)text;
}

// Says so if the checkout is at another commit than the pinned one; a folder that git knows nothing of is taken as it
// is.
static void check_commit(Run *run, const char *folder) {
    static const char reference[] = "ref: ";
    const char *head = first_line(&run->arena, arena_format(&run->arena, "%s/.git/HEAD", folder));
    if (head && !strncmp(head, reference, sizeof reference - 1))
        head = first_line(&run->arena, arena_format(&run->arena, "%s/.git/%s", folder, head + sizeof reference - 1));
    if (!head)
        printf("conformance: the commit of %s is not known, expected %s\n", folder, pinned_commit);
    else if (strcmp(head, pinned_commit) != 0)
        printf("conformance: %s is at commit %s, expected %s\n", folder, head, pinned_commit);
}

// ---- what a file expects --------------------------------------------------------------------------------------------

typedef struct Expectations { // lines of the file, from 1
    uint32_t *lines;
    size_t count, capacity;
} Expectations;

typedef struct Line {
    const char *text;
    size_t length;
} Line;

static bool line_has(const Line *line, const char *word) {
    return memmem(line->text, line->length, word, strlen(word)) != NULL;
}

static bool line_is_split(const Line *line) {
    return line->length >= 8 && !memcmp(line->text, "// -----", 8);
}

// expected-note, -warning and -remark lines stand between an expected-error and its line, too.
static bool line_is_expectation(const Line *line) {
    return line_has(line, "// expected-");
}

enum { ANY_LINE = 0 };

// Where the expectation at `at` (behind "expected-error") points, from the line `number` on.
static uint32_t expected_line(const Line *lines, uint32_t count, uint32_t number, const char *at) {
    at += strspn(at, " ");
    if (*at != '@') return number;
    at++;
    at += strspn(at, " ");
    if (!strncmp(at, "unknown", 7)) return ANY_LINE;
    if (*at == '+') return number + (uint32_t)strtoul(at + 1, NULL, 10);
    if (*at == '-') return number - (uint32_t)strtoul(at + 1, NULL, 10);
    bool below = !strncmp(at, "below", 5);
    do number += below ? 1 : (uint32_t)-1;
    while (number && number <= count && line_is_expectation(&lines[number - 1]));
    return number;
}

static void collect_expectations(Run *run, const Line *lines, uint32_t count, uint32_t first, uint32_t end,
                                 Expectations *expected) {
    static const char word[] = "expected-error";
    for (uint32_t i = first; i < end; i++) {
        const char *at = lines[i].text, *stop = at + lines[i].length;
        while ((at = memmem(at, (size_t)(stop - at), word, sizeof word - 1))) {
            at += sizeof word - 1;
            if (*at == '-') at += strcspn(at, "@ {");
            expected->lines =
                arena_grow(&run->arena, expected->lines, expected->count, &expected->capacity, sizeof *expected->lines);
            expected->lines[expected->count++] = expected_line(lines, count, i + 1, at);
        }
    }
}

// What the RUN lines of a file say.
typedef struct Command {
    bool must_fail;   // `not`: the tool must fail
    uint32_t version; // of the bytecode that is written (1301), 0 = none is; what cannot be written is an error, too
    bool hints;       // so are unknown hints
} Command;

// -bytecode-version=13.1, else the newest
static uint32_t version_of(const Line *line) {
    static const char option[] = "-bytecode-version=";
    const char *at = memmem(line->text, line->length, option, sizeof option - 1);
    if (!at) return TIR_VERSION_MAX;
    char *minor;
    uint32_t major = (uint32_t)strtoul(at + sizeof option - 1, &minor, 10);
    return major * 100 + (*minor == '.' ? (uint32_t)strtoul(minor + 1, NULL, 10) : 0);
}

static Command find_command(const Line *lines, uint32_t count) {
    Command command = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (!line_has(&lines[i], "// RUN: ")) continue;
        command.must_fail |= line_has(&lines[i], "RUN: not ");
        command.hints |= line_has(&lines[i], "-Werr-hints");
        if (line_has(&lines[i], "-mlir-to-cudatilebc")) command.version = version_of(&lines[i]);
    }
    return command;
}

// ---- a part ---------------------------------------------------------------------------------------------------------

typedef struct Part {
    const char *name;
    const char *text;
    size_t size;
    uint32_t first_line; // of the file, from 0
} Part;

static void check_errors(Run *run, const Part *part, const Expectations *expected, const Diagnostics *diagnostics,
                         Score *score) {
    for (size_t i = 0; i < expected->count; i++) {
        bool found = false;
        for (size_t d = 0; d < diagnostics->count; d++)
            found |= expected->lines[i] == ANY_LINE ||
                     diagnostics->items[d].at.line + part->first_line == expected->lines[i];
        score->errors += found;
        score->errors_all++;
        if (found) continue;
        note_failure(run, part->name, expected->lines[i]);
        if (run->failures) printf("%s:%u: no error, expected one\n", part->name, expected->lines[i]);
    }
    for (size_t d = 0; run->failures && d < diagnostics->count; d++) {
        const Diagnostic *diagnostic = &diagnostics->items[d];
        bool found = false;
        for (size_t i = 0; i < expected->count; i++)
            found |= diagnostic->at.line + part->first_line == expected->lines[i];
        if (!found)
            printf("%s:%u:%u: beside the expected ones: %s\n", part->name, diagnostic->at.line + part->first_line,
                   diagnostic->at.column, diagnostic->message);
    }
}

static bool can_be_written(Diagnostics *diagnostics, const TirModule *module, uint32_t version) {
    if (version < TIR_VERSION_MIN || version > TIR_VERSION_MAX) return false;
    Buffer bytecode = {0};
    bool ok = tir_is_self_contained(diagnostics, module) &&
              tir_write_bytecode(diagnostics, module, (uint16_t)version, &bytecode);
    buffer_free(&bytecode);
    return ok;
}

static void check_part(Run *run, const Part *part, const Expectations *expected, Command command, Score *score) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, part->name, part->text, part->size);
    bool accepted = module && tir_verify(&diagnostics, module);
    if (accepted && command.version) accepted = can_be_written(&diagnostics, module, command.version);
    if (accepted && command.hints) accepted = tir_verify_hints(&diagnostics, module);
    if (expected->count) {
        check_errors(run, part, expected, &diagnostics, score);
    } else if (command.must_fail) {
        score->refused += !accepted;
        score->refused_all++;
        if (accepted) note_failure(run, part->name, part->first_line + 1);
        if (accepted && run->failures) printf("%s:%u: accepted, expected an error\n", part->name, part->first_line + 1);
    } else {
        score->valid += accepted;
        score->valid_all++;
        if (!accepted) note_failure(run, part->name, part->first_line + 1);
        for (size_t d = 0; run->failures && d < diagnostics.count; d++)
            printf("%s:%u:%u: not valid: %s\n", part->name, diagnostics.items[d].at.line + part->first_line,
                   diagnostics.items[d].at.column, diagnostics.items[d].message);
    }
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}

static bool part_is_empty(const Line *lines, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        size_t blanks = strspn(lines[i].text, " \t\r");
        if (blanks < lines[i].length && strncmp(lines[i].text + blanks, "//", 2) != 0) return false;
    }
    return true;
}

// ---- files ----------------------------------------------------------------------------------------------------------

static Line *cut_lines(Run *run, const char *text, size_t size, uint32_t *count) {
    Line *lines = NULL;
    size_t found = 0, capacity = 0;
    for (const char *at = text, *end = text + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        lines = arena_grow(&run->arena, lines, found, &capacity, sizeof *lines);
        lines[found++] = (Line){at, (size_t)(stop - at)};
        at = stop + 1;
    }
    *count = (uint32_t)found;
    return lines;
}

// A RUN line that reads a file of bytecode, `%S/NAME`: with `not` it must be refused, else be valid.
static void check_bytecode(Run *run, const char *folder, const char *name, const Line *line, uint32_t number,
                           Score *score) {
    static const char option[] = "-cudatilebc-to-mlir", mark[] = "%S/";
    const char *at = memmem(line->text, line->length, mark, sizeof mark - 1);
    if (!line_has(line, "// RUN: ") || !line_has(line, option) || !at) return;
    at += sizeof mark - 1;
    int length = (int)strcspn(at, " \n");
    Diagnostics diagnostics = {0};
    const char *beside = file_beside(&run->arena, arena_format(&run->arena, "%s/%s", folder, name),
                                     arena_format(&run->arena, "%.*s", length, at));
    TirModule *module = tir_read_file(&diagnostics, beside);
    bool accepted = module && tir_verify(&diagnostics, module), refused = line_has(line, "RUN: not ");
    bool missing = !module && diagnostics.count && diagnostics.items[0].code == E_FILE;
    *(refused ? &score->refused : &score->valid) += accepted != refused && !missing;
    *(refused ? &score->refused_all : &score->valid_all) += 1;
    if (accepted == refused || missing) note_failure(run, name, number);
    if ((accepted == refused || missing) && run->failures)
        printf("%s:%u: %s: %s\n", name, number, beside,
               diagnostics.count ? diagnostics.items[0].message : "accepted, expected an error");
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}

static void print_score(const char *name, const Score *score) {
    printf("%-60s %4u / %-4u %6u / %-4u %6u / %-4u\n", name, score->valid, score->valid_all, score->errors,
           score->errors_all, score->refused, score->refused_all);
}

static bool check_file(Run *run, const char *folder, const char *name) {
    Diagnostics diagnostics = {0};
    uint8_t *text;
    size_t size;
    if (!file_read(&diagnostics, &run->arena, arena_format(&run->arena, "%s/%s", folder, name), &text, &size)) {
        diagnostics_print(&diagnostics);
        diagnostics_close(&diagnostics);
        return false;
    }
    uint32_t count;
    const Line *lines = cut_lines(run, (const char *)text, size, &count);
    Command command = find_command(lines, count);
    Score score = {0};
    for (uint32_t i = 0; i < count; i++) check_bytecode(run, folder, name, &lines[i], i + 1, &score);
    for (uint32_t first = 0, end; first < count; first = end + 1) {
        for (end = first; end < count && !line_is_split(&lines[end]);) end++;
        Expectations expected = {0};
        collect_expectations(run, lines, count, first, end, &expected);
        const char *stop = end < count ? lines[end].text : (const char *)text + size;
        Part part = {.name = name, .text = lines[first].text, .first_line = first};
        part.size = (size_t)(stop - part.text);
        if (expected.count || !part_is_empty(lines, first, end)) check_part(run, &part, &expected, command, &score);
    }
    print_score(name, &score);
    run->total.valid += score.valid, run->total.valid_all += score.valid_all;
    run->total.errors += score.errors, run->total.errors_all += score.errors_all;
    run->total.refused += score.refused, run->total.refused_all += score.refused_all;
    return true;
}

static bool check_folder(Run *run, const char *source, const char *folder) {
    const char *path = arena_format(&run->arena, "%s/test/%s", source, folder);
    size_t count;
    char **names = list_files(&run->arena, path, ".mlir", &count);
    bool ok = count > 0;
    if (!ok) fprintf(stderr, "conformance: no .mlir files in %s\n", path);
    for (size_t i = 0; i < count; i++)
        ok &= check_file(run, arena_format(&run->arena, "%s/test", source),
                         arena_format(&run->arena, "%s/%s", folder, names[i]));
    return ok;
}

int main(int count, char **arguments) {
    Run run = {0};
    const char *source = NULL;
    for (int i = 1; i < count; i++) {
        if (!strcmp(arguments[i], "--failures"))
            run.failures = true;
        else
            source = arguments[i];
    }
    if (!source || !*source) {
        printf(
            "conformance: cuda-tile's test suite is skipped: CUDA_TILE_SRC=DIR names no checkout of NVIDIA/cuda-tile "
            "(commit %s)\n",
            pinned_commit);
        return 0;
    }
    check_commit(&run, source);
    printf("%-60s %11s %13s %13s\n", "file", "valid parts", "error lines", "refused parts");
    static const char *const folders[] = {"Dialect/CudaTile", "Bytecode", "Bytecode/invalid", "Bytecode/versioning"};
    bool ok = true;
    for (size_t i = 0; i < BASE_COUNT(folders); i++) ok &= check_folder(&run, source, folders[i]);
    print_score("total", &run.total);
    for (size_t i = 0; i < BASE_COUNT(exceptions); i++) {
        const Exception *exception = &exceptions[i];
        printf("%s %s:%u: %s\n", run.seen[i] ? "exception" : "no exception any more:", exception->name, exception->line,
               exception->reason);
        ok &= run.seen[i];
    }
    if (run.unexpected) printf("%u differences are no exceptions; FAILURES=1 lists them\n", run.unexpected);
    arena_reset(&run.arena);
    return ok && !run.unexpected ? 0 : 1;
}
