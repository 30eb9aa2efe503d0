// SPDX-License-Identifier: Apache-2.0
// Random valid modules: each is verified, printed and parsed, written and read in every version. Exit status 1 if
// anything differs. generate [options]:
//   --seeds=N        how many modules (250)       --first=N   the seed of the first one (0)
//   --all-ops        every op that can be written must have been made
//   --counts         how many of each
//   --print          their text
//   --write=FOLDER   SEED.tileirbc, and its text in SEED.txt and SEED.g.txt
#include "tests/fuzz/round_trip.h"
#include "tests/generate/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Options {
    uint64_t seeds, first;
    bool all_ops, counts, print;
    const char *folder;
} Options;

typedef struct Report {
    uint64_t counts[TIR_OP_COUNT], written, refused, wrong;
} Report;

static const char *check_module(Arena *arena, const TirModule *module, Report *report) {
    Diagnostics diagnostics = {0};
    const char *problem = NULL;
    if (!tir_verify(&diagnostics, module)) {
        Buffer out = {0};
        diag_print(&diagnostics.items[0], &out);
        problem = arena_format(arena, "is not valid: %s", out.data);
        buffer_free(&out);
    }
    diagnostics_close(&diagnostics);
    for (int locations = 0; locations < 2 && !problem; locations++) problem = round_trip_text(arena, module, locations);
    for (uint16_t version = TIR_VERSION_MIN; version <= TIR_VERSION_MAX && !problem; version++) {
        bool written;
        problem = round_trip_bytes(arena, module, version, &written);
        if (version != module->version) *(written ? &report->written : &report->refused) += 1;
    }
    return problem;
}

static bool write_file(const Options *options, uint64_t seed, const char *suffix, const Buffer *data) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *path = arena_format(&arena, "%s/%llu%s", options->folder, (unsigned long long)seed, suffix);
    bool good = file_write(&diagnostics, path, data->data ? data->data : "", data->size);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return good;
}

static bool write_module(const Options *options, uint64_t seed, const TirModule *module) {
    Diagnostics diagnostics = {0};
    Buffer bytes = {0}, text = {0}, located = {0};
    tir_print(module, false, &text);
    tir_print(module, true, &located);
    if (options->print && text.size) fwrite(text.data, 1, text.size, stdout);
    bool good =
        !options->folder || (tir_write_bytecode(&diagnostics, module, module->version, &bytes) &&
                             write_file(options, seed, ".tileirbc", &bytes) &&
                             write_file(options, seed, ".txt", &text) && write_file(options, seed, ".g.txt", &located));
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    buffer_free(&bytes);
    buffer_free(&text);
    buffer_free(&located);
    return good;
}

static bool do_seed(const Options *options, uint64_t seed, Report *report) {
    Arena arena = {0};
    TirModule *module = generate_module(seed, report->counts);
    const char *problem = check_module(&arena, module, report);
    if (problem) {
        printf("seed %llu: %s\n", (unsigned long long)seed, problem);
        report->wrong++;
    }
    bool good = write_module(options, seed, module);
    tir_module_close(module);
    arena_reset(&arena);
    return good;
}

static bool read_number(const char *argument, const char *name, uint64_t *number) {
    size_t length = strlen(name);
    char *end;
    if (strncmp(argument, name, length)) return false;
    *number = strtoull(argument + length, &end, 10);
    return end != argument + length && !*end;
}

static bool read_option(const char *argument, Options *options) {
    static const char write[] = "--write=";
    if (!strcmp(argument, "--all-ops")) return options->all_ops = true;
    if (!strcmp(argument, "--counts")) return options->counts = true;
    if (!strcmp(argument, "--print")) return options->print = true;
    if (!strncmp(argument, write, strlen(write))) return *(options->folder = argument + strlen(write)) != 0;
    return read_number(argument, "--seeds=", &options->seeds) || read_number(argument, "--first=", &options->first);
}

int main(int argc, char **argv) {
    Options options = {.seeds = 250};
    Report report = {0};
    for (int i = 1; i < argc; i++)
        if (!read_option(argv[i], &options)) {
            fprintf(stderr, "generate: unknown option %s; see the head of tests/generate/generate.c\n", argv[i]);
            return 2;
        }
    for (uint64_t i = 0; i < options.seeds; i++)
        if (!do_seed(&options, options.first + i, &report)) return 1;
    uint64_t ops = 0;
    for (uint32_t kind = 0; kind < TIR_OP_COUNT; kind++) {
        ops += report.counts[kind];
        if (options.counts && generate_has_kind(kind))
            printf("%7llu %s\n", (unsigned long long)report.counts[kind], tir_op_info(kind)->name);
        if (report.counts[kind] || !options.all_ops || !generate_has_kind(kind)) continue;
        printf("no %s was made\n", tir_op_info(kind)->name);
        report.wrong++;
    }
    printf("%llu modules, %llu ops; written in other versions %llu, too new for %llu; wrong %llu\n",
           (unsigned long long)options.seeds, (unsigned long long)ops, (unsigned long long)report.written,
           (unsigned long long)report.refused, (unsigned long long)report.wrong);
    return report.wrong > 0;
}
