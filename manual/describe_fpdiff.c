// SPDX-License-Identifier: Apache-2.0
#include "diff/options.h"
#include "manual/manual.h"

enum {
#define COMMAND(name, ...) name = 1 << FPD_##name,
#include "diff/commands.def"
#undef COMMAND
    CASES = COMPARE | RUN | SHOW | SUGGEST | MUTATE | EXPLAIN, // as in command_line.c
    ALL = (1 << FPD_COMMAND_COUNT) - 1
};

static const ManualCommand commands[] = {
#define COMMAND(name, function, word, text, usage, help) {word, usage, help},
#include "diff/commands.def"
#undef COMMAND
};
static const ManualRow statuses[] = {
#define STATUS(number, text) {number, text},
    FPD_STATUSES(STATUS)
#undef STATUS
        {NULL, NULL}};
static const ManualRow environment[] = {
    {"CONGRUENT_CACHE", "the folder for compiled code; off: none is kept; default: $XDG_CACHE_HOME/congruent, else "
                        "~/.cache/congruent"},
    {"NO_COLOR", "if it is not empty, the report has no colors"},
    {"CUDA_HOME, CUDA_PATH", "a CUDA toolkit, for ptxas and libdevice; others are found on the PATH and in packages of "
                             "Python"},
    {"GITHUB_ACTIONS, GITHUB_STEP_SUMMARY", "of GitHub's runners: see --annotations"},
    {NULL, NULL}};
static const ManualRow examples[] = {
    {"fpdiff attention.yaml", "compares the variants of a case, prints a report"},
    {"fpdiff --seed 1..8 --json report.json kernels/*.yaml", "with eight seeds, and with a report for programs"},
    {"fpdiff mutate attention.yaml", "would the case notice mistakes in its kernels?"},
    {"fpdiff explain attention.yaml", "which line makes the variants differ?"},
    {NULL, NULL}};
static const ManualSection sections[] = {
    {"EXIT STATUS", statuses}, {"ENVIRONMENT", environment}, {"EXAMPLES", examples}};

void manual_of_fpdiff(Arena *arena, Manual *manual) {
    static const struct {
        const char *name;
        char letter;
        const char *value;
        unsigned commands;
        const char *help;
    } rows[] = {
#define OPTION(id, name, letter, value, commands, help) {name, letter, value, commands, help},
#include "diff/options.def"
#undef OPTION
    };
    const char *profiles = "";
    for (const char *at = fpd_profile_list(arena); *at; at++)
        if (*at != ',') profiles = arena_format(arena, "%s%c", profiles, *at);
    const ManualValue named[] = {
#define MODE(name, ...) " " #name
        {
            "MODE",
#include "diff/modes.def"
        },
        {
            "MODE,...",
#include "diff/modes.def"
        },
        {
            "MATH,...",
#include "compiler/math/modes.def"
        },
#undef MODE
        {
            "TARGET",
#define TARGET(name, ...) " " #name
#include "diff/targets.def"
#undef TARGET
        },
        {
            "GPU",
#define GPU(name, ...) " " name
#include "compiler/target/gpus.def"
        },
        {
            "CPU",
#define PROCESSOR(architecture, name, ...) " " name
#include "compiler/target/processors.def"
        },
        {"PROFILE", profiles},
        {NULL, NULL}};
    ManualOption *options = arena_array(arena, ManualOption, BASE_COUNT(rows));
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        options[i] = (ManualOption){.name = rows[i].name,
                                    .alias = rows[i].letter ? arena_text(arena, &rows[i].letter, 1) : NULL,
                                    .value = rows[i].value,
                                    .help = rows[i].help,
                                    .commands = rows[i].commands};
    *manual = (Manual){
        .program = "fpdiff",
        .summary = "compare GPU kernels as formulas and as numbers",
        .about = FPD_ABOUT "\nA case file lists buffers, variants that compute the same results from them, and what to "
                           "compare: docs/fpdiff.md describes it. Kernels are CUDA Tile IR, Triton IR or PTX. No GPU "
                           "is needed.\nThe value of an option may follow as a word of its own or behind =. The word "
                           "-- ends the options.",
        .commands = commands,
        .command_count = BASE_COUNT(commands),
        .options = options,
        .option_count = BASE_COUNT(rows),
        .values = manual_keep_values(arena, named),
        .sections = sections,
        .section_count = BASE_COUNT(sections),
        .see_also = "tileiras",
    };
}
