// SPDX-License-Identifier: Apache-2.0
// The command line of fpdiff. What it says takes precedence over the case file.
#ifndef CONGRUENT_FPD_OPTIONS_H
#define CONGRUENT_FPD_OPTIONS_H

#include "diff/machine.h"
#include "report/report.h"

// What --help and the man page say. STATUS(number, when)
#define FPD_ABOUT                                                                                                      \
    "Runs kernels in payload arithmetic and in IEEE arithmetic and tells whether they compute the same thing."
#define FPD_STATUSES(STATUS)                                                                                           \
    STATUS("0", "all as expected")                                                                                     \
    STATUS("1", "a divergence, a build that changes too much, or a case that could not have failed")                   \
    STATUS("2", "wrong usage or case file")                                                                            \
    STATUS("3", "something could not be compiled or run")                                                              \
    STATUS("130", "a signal ended it")

// ---- command_line.c -------------------------------------------------------------------------------------------------

// What fpdiff can do.
typedef enum FpdCommand {
#define COMMAND(name, ...) FPD_##name,
#include "diff/commands.def"
#undef COMMAND
    FPD_COMMAND_COUNT
} FpdCommand;
typedef struct FpdOptions {
    FpdCommand command;
    const char **cases;
    size_t case_count;
    const char *variant, *output; // of run
    const char *math;             // names with commas between them; NULL: what the case says
    bool has_mode, has_casts, quiet, help, version, reroll, payload, accuracy, range;
    FpdMode mode;
    unsigned modes; // --modes: a bit for each; 0: what the case says
    bool has_profile;
    FpdProfile profile;
    FpsanCasts casts;
    FpdTarget target;
    const char *cpu; // NULL: this machine's
    bool has_optimize;
    unsigned optimize;
    const char *gpu; // of simt; NULL: FPD_SIMT_GPU
    unsigned device; // of cuda
    bool no_cache;
    uint64_t iterations;       // --rounds; 0: any number
    uint64_t seed, seed_count; // the first seed, and how many follow each other from there
    bool has_seed;
    FpdParameters set;  // --set
    uint32_t run_count; // --runs
    bool quick;
    FpdScheduleKind schedule;
    bool check_assume, check_fences, outside_tiles, no_races, async_early;
    bool has_unspecified;
    CompileUnspecified unspecified;
    unsigned jobs;                            // 0: one per processor
    uint64_t memory;                          // MiB; 0: what the machine has
    const char *reports[REPORT_FORMAT_COUNT]; // paths, "-" for standard output; NULL: not asked for
    const char *source_root;                  // NULL: the work tree of each case
    enum { FPD_ANNOTATIONS_AUTO, FPD_ANNOTATIONS_GITHUB, FPD_ANNOTATIONS_NONE } annotations;
    bool maps;
    uint64_t shard, shard_count; // 1 of 1: all tasks
    double timeout;              // seconds for each case; 0: any
    double seconds;              // of explain: for the search; 0: the default
    bool partial;
    bool has_threshold;
    double threshold; // percent
    enum { FPD_COLOR_AUTO, FPD_COLOR_ALWAYS, FPD_COLOR_NEVER } color;
} FpdOptions;

// Reads the command line. `options` points into `words` and the arena. False and E_USAGE if it is wrong; the message
// says what would be right.
bool fpd_read_command_line(Diagnostics *diagnostics, Arena *arena, int count, char **words, FpdOptions *options);
void fpd_print_help(Buffer *out);
// Whether a report, instead of text, goes to standard output.
bool fpd_reports_to_output(const FpdOptions *options);

// ---- profile.c: which profile a case runs in ------------------------------------------------------------------------

// Replaces profile and casts of the case by --profile and --casts, if given. False and E_USAGE if --casts is given and
// the case is in the tower.
bool fpd_override_profile(Diagnostics *diagnostics, FpdCase *cas, const FpdOptions *options);

// Replaces the modes of the case by those of --modes, if given. False and E_USAGE if the case then asks for something
// that none of them tells.
bool fpd_override_modes(Diagnostics *diagnostics, FpdCase *cas, const FpdOptions *options);

#endif
