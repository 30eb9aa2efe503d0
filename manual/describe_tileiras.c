// SPDX-License-Identifier: Apache-2.0
#include "compiler/tileir/tir.h"
#include "compiler/tileiras.h"
#include "manual/manual.h"

static const ManualCommand commands[] = {{NULL, "FILE", ""}};
static const ManualRow statuses[] = {
#define STATUS(number, text) {number, text},
    TILEIRAS_STATUSES(STATUS)
#undef STATUS
        {NULL, NULL}};
static const ManualRow environment[] = {
    {"TILEIRAS_INSTRUMENTATION", "what --instrument says if it is not given"},
    {"TILEIRAS_MATH", "options about floats, without dashes, before those of the command line"},
    {"CUDA_HOME, CUDA_PATH", "a CUDA toolkit, for ptxas and libdevice; others are found on the PATH and in packages of "
                             "Python"},
    {NULL, NULL}};
static const ManualRow examples[] = {{"tileiras -o kernel.o kernel.tileirbc", "an object file for this machine"},
                                     {"tileiras --emit=tileir kernel.tileirbc", "the kernel as text"},
                                     {"tileiras --gpu-name=sm_90 --instrument=fpsan -o kernel.cubin kernel.tileirbc",
                                      "for a GPU, in payload arithmetic"},
                                     {NULL, NULL}};
static const ManualSection sections[] = {
    {"EXIT STATUS", statuses}, {"ENVIRONMENT", environment}, {"EXAMPLES", examples}};

void manual_of_tileiras(Arena *arena, Manual *manual) {
    static const struct {
        const char *name, *alias;
        OptionKind kind;
        const char *value, *help;
    } rows[] = {
#define OPTION(id, name, alias, kind, argument, help) {name, alias, kind, argument, help},
#include "compiler/options.def"
#undef OPTION
    };
    const char *versions = "";
    for (int version = TIR_VERSION_MIN; version <= TIR_VERSION_MAX; version++)
        versions = arena_format(arena, "%s %d.%d", versions, version / 100, version % 100);
#define EMIT_WORD(id, name, ...) " " name
    const ManualValue named[] = {{"KIND", EMIT_KINDS(EMIT_WORD)},
                                 {"GPU", " host"
#define GPU(name, ...) " " name
#include "compiler/target/gpus.def"
                                 },
                                 {
                                     "CPU",
#define PROCESSOR(architecture, name, ...) " " name
#include "compiler/target/processors.def"
                                 },
                                 {
                                     "MODE",
#define MODE(name, ...) " " #name
#include "compiler/math/modes.def"
#undef MODE
                                 },
                                 {"LIST", " fast none"
#define FLAG(name, ...) " " #name
#include "compiler/math/flags.def"
#undef FLAG
                                 },
                                 {"VERSION", versions},
                                 {"LEVEL", "0 1 2 3"},
                                 {"BOOL", "true false"},
                                 {"TEXT", "fpsan none"},
                                 {NULL, NULL}};
    ManualOption *options = arena_array(arena, ManualOption, BASE_COUNT(rows));
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        options[i] = (ManualOption){.name = rows[i].name,
                                    .alias = rows[i].alias,
                                    .value = rows[i].value,
                                    .help = rows[i].help,
                                    .commands = 1,
                                    .form = rows[i].kind == OPTION_ARGUMENT ? MANUAL_EQUALS : MANUAL_JOINED};
    *manual = (Manual){
        .program = "tileiras",
        .summary = "compile CUDA Tile IR for processors and GPUs",
        .about = TILEIRAS_ABOUT "\nThe command line is that of NVIDIA's compiler of the same name, with more options. "
                                "Names of options may have one dash or two.",
        .commands = commands,
        .command_count = BASE_COUNT(commands),
        .options = options,
        .option_count = BASE_COUNT(rows),
        .values = manual_keep_values(arena, named),
        .sections = sections,
        .section_count = BASE_COUNT(sections),
        .see_also = "fpdiff",
    };
}
