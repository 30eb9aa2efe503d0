// SPDX-License-Identifier: Apache-2.0
// Holds reader, writer, parser, printer and verifier against the corpus of kernels in tests/corpus and, where they are
// at hand, NVIDIA's tools: corpus [--failures] [--update] [--tools=DIR] [--compile=N] FOLDER.
//
// FOLDER/cutile holds bytecode and FOLDER/text text, which is written as bytecode in each version that can say it; what
// tileirdisasm prints for NAME.* stands in NAME.txt, with -g in NAME.g.txt. FOLDER/text_only holds text that no
// bytecode can say; what is printed of it must be what is printed of that. --tools names the folder with
// bin/tileirdisasm and bin/tileiras; one of N files, by default of 8, is given to tileiras, too. --update writes the
// golden files of the text half.
#include "tests/conformance/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const check_names[CHECK_COUNT] = {"read-write", "parse-write", "text",
                                                     "text -g",    "verdict",     "tileiras"};

// ---- samples --------------------------------------------------------------------------------------------------------

static Sample *add_sample(Corpus *corpus, const char *half, const char *file, uint16_t version) {
    corpus->samples =
        arena_grow(&corpus->arena, corpus->samples, corpus->count, &corpus->capacity, sizeof *corpus->samples);
    Sample *sample = &corpus->samples[corpus->count++];
    const char *path = arena_format(&corpus->arena, "%s/%s/%s", corpus->folder, half, file);
    int stem = (int)(strrchr(path, '.') - path);
    *sample = (Sample){.name = arena_format(&corpus->arena, "%s/%s", half, file), .half = half, .version = version};
    sample->golden[0] = arena_format(&corpus->arena, "%.*s.txt", stem, path);
    sample->golden[1] = arena_format(&corpus->arena, "%.*s.g.txt", stem, path);
    return sample;
}

static bool add_bytecode(Corpus *corpus, const char *half, const char *file) {
    Diagnostics diagnostics = {0};
    uint8_t *bytes;
    size_t size;
    const char *path = arena_format(&corpus->arena, "%s/%s/%s", corpus->folder, half, file);
    bool ok = file_read(&diagnostics, &corpus->arena, path, &bytes, &size);
    if (ok) {
        Sample *sample = add_sample(corpus, half, file, size > 9 ? (uint16_t)(bytes[8] * 100 + bytes[9]) : 0);
        sample->bytes = bytes, sample->size = size;
        if (access(sample->golden[1], R_OK) != 0) sample->golden[1] = NULL;
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    return ok;
}

// The text as bytecode of each version that has what is in it. Only a text with locations has a golden of them.
static bool add_text(Corpus *corpus, const char *half, const char *file) {
    Diagnostics diagnostics = {0};
    const char *path = arena_format(&corpus->arena, "%s/%s/%s", corpus->folder, half, file);
    TirModule *module = tir_read_file(&diagnostics, path);
    bool ok = module && tir_verify(&diagnostics, module);
    uint32_t written = 0;
    for (uint16_t version = TIR_VERSION_MIN; ok && version <= TIR_VERSION_MAX; version++) {
        Diagnostics newer = {0};
        Buffer out = {0};
        if (tir_write_bytecode(&newer, module, version, &out)) {
            Sample *sample = add_sample(corpus, half, file, version);
            uint8_t *bytes = arena_alloc(&corpus->arena, out.size);
            memcpy(bytes, out.data, out.size);
            sample->bytes = bytes, sample->size = out.size;
            if (!module->debug_count) sample->golden[1] = NULL;
            written++;
        } else if (version == TIR_VERSION_MAX || newer.items[0].code != E_VERSION) {
            diagnostics_print(&newer);
        }
        buffer_free(&out);
        diagnostics_close(&newer);
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    tir_module_close(module);
    return written > 0;
}

// Whether a module that bytecode has no place for is refused by the writer, and printed and parsed as the same.
static const char *text_only_problem(Arena *arena, const TirModule *module) {
    Diagnostics refused = {0}, diagnostics = {0};
    Buffer bytes = {0}, text = {0}, again = {0};
    const char *problem = NULL;
    bool written = tir_write_bytecode(&refused, module, TIR_VERSION_MAX, &bytes);
    if (written || refused.items[0].code != E_VERSION || !strstr(refused.items[0].message, "bytecode has no place for"))
        problem = "is not refused as bytecode";
    tir_print(module, false, &text);
    TirModule *parsed = tir_parse_text(&diagnostics, "printed", text.data, text.size);
    if (!parsed || !tir_verify(&diagnostics, parsed))
        problem = arena_format(arena, "what is printed is refused: %s", diagnostics.items[0].message);
    else
        tir_print(parsed, false, &again);
    if (!problem && (text.size != again.size || memcmp(text.data, again.data, text.size)))
        problem = "what is printed prints in another way";
    tir_module_close(parsed);
    buffer_free(&bytes);
    buffer_free(&text);
    buffer_free(&again);
    diagnostics_close(&refused);
    diagnostics_close(&diagnostics);
    return problem;
}

static bool add_text_only(Corpus *corpus, const char *half, const char *file) {
    Diagnostics diagnostics = {0};
    TirModule *module =
        tir_read_file(&diagnostics, arena_format(&corpus->arena, "%s/%s/%s", corpus->folder, half, file));
    bool ok = module && tir_verify(&diagnostics, module);
    const char *problem = ok ? text_only_problem(&corpus->arena, module) : NULL;
    if (problem) printf("%s/%s: %s\n", half, file, problem);
    if (ok) coverage_note(corpus->coverage, module);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    tir_module_close(module);
    return ok && !problem;
}

static size_t add_half(Corpus *corpus, const char *half, const char *suffix,
                       bool (*add)(Corpus *corpus, const char *half, const char *file)) {
    size_t count, files = 0;
    char **names =
        list_files(&corpus->arena, arena_format(&corpus->arena, "%s/%s", corpus->folder, half), suffix, &count);
    for (size_t i = 0; i < count; i++) files += add(corpus, half, names[i]);
    printf("corpus: %zu of %zu files of %s/%s can be read\n", files, count, corpus->folder, half);
    return count - files;
}

bool is_same_kernel(const Sample *a, const Sample *b) {
    const char *version = strstr(a->name, "-13.");
    return version ? !strncmp(a->name, b->name, (size_t)(version - a->name) + 4) : !strcmp(a->name, b->name);
}

// ---- the table ------------------------------------------------------------------------------------------------------

// One row: the samples of a half in a version; 0: in all versions. NULL: of both halves.
static void print_row(const Corpus *corpus, const char *half, uint16_t version) {
    uint32_t samples = 0, done[CHECK_COUNT] = {0}, passed[CHECK_COUNT] = {0};
    for (size_t i = 0; i < corpus->count; i++) {
        const Sample *sample = &corpus->samples[i];
        if ((half && strcmp(sample->half, half) != 0) || (version && sample->version != version)) continue;
        samples++;
        for (int check = 0; check < CHECK_COUNT; check++) {
            done[check] += sample->checked[check];
            passed[check] += sample->checked[check] && !sample->failed[check];
        }
    }
    if (version)
        printf("%-8s 13.%-5u %6u", half, version % 100u, samples);
    else
        printf("%-8s %-8s %6u", half ? half : "total", half ? "all" : "", samples);
    for (int check = 0; check < CHECK_COUNT; check++) {
        if (done[check])
            printf("%14s", arena_format((Arena *)&corpus->arena, "%u/%u", passed[check], done[check]));
        else
            printf("%14s", "-");
    }
    printf("\n");
}

// Files and entries of a half, each in its newest version.
static void print_kernels(const Corpus *corpus, const char *half) {
    uint32_t files = 0, entries = 0;
    for (size_t i = 0; i < corpus->count; i++) {
        const Sample *sample = &corpus->samples[i];
        if (strcmp(sample->half, half) != 0 || (i + 1 < corpus->count && is_same_kernel(sample, sample + 1))) continue;
        files++;
        entries += sample->entries;
    }
    printf("%s: %u kernels with %u entries\n", half, files, entries);
}

static void print_table(const Corpus *corpus) {
    static const char *const halves[] = {"cutile", "text"};
    printf("%-8s %-8s %6s", "half", "version", "files");
    for (int check = 0; check < CHECK_COUNT; check++) printf("%14s", check_names[check]);
    printf("\n");
    for (size_t half = 0; half < BASE_COUNT(halves); half++)
        for (uint16_t version = TIR_VERSION_MIN; version <= TIR_VERSION_MAX; version++)
            print_row(corpus, halves[half], version);
    print_row(corpus, NULL, 0);
    for (size_t half = 0; half < BASE_COUNT(halves); half++) print_kernels(corpus, halves[half]);
}

static size_t count_failures(const Corpus *corpus, bool list) {
    size_t failures = 0;
    for (size_t i = 0; i < corpus->count; i++)
        for (int check = 0; check < CHECK_COUNT; check++) {
            const Sample *sample = &corpus->samples[i];
            failures += sample->failed[check];
            if (sample->failed[check] && list)
                printf("%s 13.%u: %s: %s\n", sample->name, sample->version % 100u, check_names[check],
                       sample->problem[check]);
        }
    return failures;
}

// ---- the command line -----------------------------------------------------------------------------------------------

typedef struct Options {
    bool failures, update;
} Options;

static bool take_option(Corpus *corpus, Options *options, const char *word) {
    static const char tools[] = "--tools=", compile[] = "--compile=";
    if (!strcmp(word, "--failures"))
        options->failures = true;
    else if (!strcmp(word, "--update"))
        options->update = true;
    else if (!strncmp(word, tools, sizeof tools - 1))
        corpus->tools = word[sizeof tools - 1] ? word + sizeof tools - 1 : NULL;
    else if (!strncmp(word, compile, sizeof compile - 1))
        corpus->compile_every = (uint32_t)strtoul(word + sizeof compile - 1, NULL, 10);
    else if (word[0] != '-' && !corpus->folder)
        corpus->folder = word;
    else
        return false;
    return true;
}

static void close_corpus(Corpus *corpus) {
    for (size_t i = 0; i < corpus->count; i++)
        for (int located = 0; located < 2; located++) {
            buffer_free(&corpus->samples[i].text[located]);
            buffer_free(&corpus->samples[i].again[located]);
        }
    arena_reset(&corpus->arena);
}

static bool check_corpus(Corpus *corpus, const Options *options) {
    size_t unread = add_half(corpus, "cutile", ".tileirbc", add_bytecode) +
                    add_half(corpus, "text", ".mlir", add_text) + add_half(corpus, "text_only", ".mlir", add_text_only);
    bool ok = true;
    for (size_t i = 0; i < corpus->count; i++) check_sample(corpus, &corpus->samples[i]);
    if (options->update) return corpus->tools && update_goldens(corpus);
    if (corpus->tools)
        ok = check_with_tools(corpus);
    else
        printf("corpus: tileirdisasm and tileiras are not run: TILEIR_TOOLS=DIR names no folder of theirs; what "
               "tileirdisasm printed stands beside the files\n");
    print_table(corpus);
    size_t failures = count_failures(corpus, options->failures);
    if (failures) printf("%zu checks fail%s\n", failures, options->failures ? "" : "; FAILURES=1 lists them");
    ok &= check_refused(corpus, options->failures);
    ok &= coverage_report(corpus->coverage, options->failures);
    return ok && !failures && !unread && corpus->count;
}

int main(int count, char **arguments) {
    Corpus corpus = {.compile_every = 8};
    Options options = {0};
    for (int i = 1; i < count; i++)
        if (!take_option(&corpus, &options, arguments[i])) {
            fprintf(stderr, "corpus: unexpected argument '%s'\n", arguments[i]);
            return 2;
        }
    if (!corpus.folder) {
        fprintf(stderr, "usage: corpus [--failures] [--update] [--tools=DIR] [--compile=N] FOLDER\n");
        return 2;
    }
    corpus.coverage = coverage_open(&corpus.arena);
    bool ok = check_corpus(&corpus, &options);
    close_corpus(&corpus);
    return ok ? 0 : 1;
}
