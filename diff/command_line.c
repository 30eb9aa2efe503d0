// SPDX-License-Identifier: Apache-2.0
// The command line of fpdiff, from the table options.def.
#include "diff/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef enum OptionName {
#define OPTION(id, ...) OPTION_##id,
#include "diff/options.def"
#undef OPTION
    OPTION_COUNT
} OptionName;

enum {
#define COMMAND(name, ...) name = 1 << FPD_##name,
#include "diff/commands.def"
#undef COMMAND
    CASES = COMPARE | RUN | SHOW | SUGGEST | MUTATE | EXPLAIN, // commands that take cases
    ALL = (1 << FPD_COMMAND_COUNT) - 1
};
static const struct CommandRow {
    const char *word, *text, *usage, *help;
} command_rows[FPD_COMMAND_COUNT] = {
#define COMMAND(name, function, word, text, usage, help) {word, text, usage, help},
#include "diff/commands.def"
#undef COMMAND
};
static const struct OptionRow {
    const char *name;
    char letter;
    const char *value;
    unsigned commands;
    const char *help;
} option_rows[OPTION_COUNT] = {
#define OPTION(id, name, letter, value, commands, help) {name, letter, value, commands, help},
#include "diff/options.def"
#undef OPTION
};

typedef struct LineReader {
    Diagnostics *diagnostics;
    Arena *arena;
    FpdOptions *options;
    size_t capacity;
    bool given[OPTION_COUNT];
} LineReader;

#define SET_IS         "--set is '%s', expected values of parameters, as in N=64,D=32 or N=64:96"
#define misuse(r, ...) diag_fail((r)->diagnostics, (Location){0}, E_USAGE, __VA_ARGS__)

// "N", or "A..B": both and all between them.
static bool read_seeds(LineReader *r, const char *value) {
    enum { SEEDS_MAX = 4096 };
    FpdOptions *o = r->options;
    char *end = (char *)value;
    uint64_t bounds[2];
    bool good = true;
    for (int i = 0; i < 2; i++) {
        const char *digits = end;
        errno = 0;
        bounds[i] = strtoull(digits, &end, 10);
        good = good && *digits >= '0' && *digits <= '9' && !errno;
        if (i == 0 && !strncmp(end, "..", 2))
            end += 2;
        else if (i == 0) {
            bounds[1] = bounds[0];
            break;
        }
    }
    if (!good || *end)
        return misuse(r, "--seed is '%s', expected a number from 0 to 18446744073709551615, or two as in 1..8", value);
    if (bounds[1] < bounds[0] || bounds[1] - bounds[0] >= SEEDS_MAX)
        return misuse(r, "--seed is '%s', expected at most %d seeds, the lower first", value, SEEDS_MAX);
    o->seed = bounds[0];
    o->seed_count = bounds[1] - bounds[0] + 1;
    o->has_seed = true;
    return true;
}

// "fpsan,ieee".
static bool read_modes(LineReader *r, const char *value) {
    unsigned compared = 0;
    r->options->modes = 0;
    for (const char *at = value, *end;; at = end + 1) {
        end = at + strcspn(at, ",");
        FpdMode mode;
        const char *name = arena_text(r->arena, at, (size_t)(end - at));
        if (!fpd_mode_by_name(name, &mode))
            return misuse(r, "--modes names '%s', expected some of: fpsan, ieee, wide, wider", name);
        if (r->options->modes >> mode & 1) return misuse(r, "--modes names '%s' twice", name);
        r->options->modes |= 1u << mode;
        compared += fpd_mode_is_compared(mode);
        if (!*end) break;
    }
    return compared || misuse(r, "--modes is '%s', expected fpsan or ieee, which are compared, among them", value);
}

// "N=64,D=32"; "N=64:96,D=32" with two values of N.
static bool read_set(LineReader *r, const char *value) {
    enum { VALUES_MAX = FPD_COMBINATIONS_MAX };
    FpdParameters *set = &r->options->set;
    FpdParameter *items = NULL;
    size_t capacity = 0;
    *set = (FpdParameters){0};
    for (const char *at = value;; at++) {
        const size_t length = strcspn(at, "=,:");
        const char *name = arena_text(r->arena, at, length);
        const uint32_t first = set->count;
        if (!length || at[length] != '=') return misuse(r, SET_IS, value);
        for (uint32_t i = 0; i < first; i++)
            if (!strcmp(items[i].name, name)) return misuse(r, "--set names %s twice", name);
        for (at += length;;) { // at '=' or ':'
            char *end;
            errno = 0;
            const int64_t number = strtoll(at + 1, &end, 10);
            const bool digits = (at[1] >= '0' && at[1] <= '9') || at[1] == '-';
            if (!digits || end == at + 1 || errno || (*end && *end != ',' && *end != ':'))
                return misuse(r, SET_IS, value);
            for (uint32_t i = first; i < set->count; i++)
                if (items[i].value == number)
                    return misuse(r, "--set gives %s the value %" PRId64 " twice", name, number);
            if (set->count == VALUES_MAX) return misuse(r, "--set has more than %d values", VALUES_MAX);
            set->items = items = arena_grow(r->arena, items, set->count, &capacity, sizeof *items);
            items[set->count++] = (FpdParameter){.name = name, .value = number};
            at = end;
            if (*at != ':') break;
        }
        if (!*at) return true;
    }
}

// The number of the word among those of the option's row: of "error|padding" 0 or 1.
static bool read_word(LineReader *r, OptionName option, const char *value, unsigned *number) {
    const char *expected = "", *words = option_rows[option].value;
    for (unsigned i = 0; *words; i++) {
        const size_t length = strcspn(words, "|");
        if (strlen(value) == length && !memcmp(words, value, length)) {
            *number = i;
            return true;
        }
        const bool last = !words[length];
        expected = arena_format(r->arena, "%s%s%.*s", expected, i == 0 ? "" : last ? " or " : ", ", (int)length, words);
        words += length + !last;
    }
    return misuse(r, "--%s is '%s', expected %s", option_rows[option].name, value, expected);
}

static bool read_number(LineReader *r, OptionName option, const char *value, const uint64_t bounds[2],
                        uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(value, &end, 10);
    if (!*end && *value >= '0' && *value <= '9' && !errno && *number >= bounds[0] && *number <= bounds[1]) return true;
    return misuse(r, "--%s is '%s', expected a number from %" PRIu64 " to %" PRIu64, option_rows[option].name, value,
                  bounds[0], bounds[1]);
}

// "I/N"
static bool read_shard(LineReader *r, const char *value) {
    enum { SHARDS_MAX = 1 << 20 };
    FpdOptions *o = r->options;
    char *middle, *end = NULL;
    o->shard = strtoull(value, &middle, 10);
    if (*middle == '/') o->shard_count = strtoull(middle + 1, &end, 10);
    if (*value >= '0' && *value <= '9' && end && middle[1] >= '0' && middle[1] <= '9' && !*end && o->shard >= 1 &&
        o->shard <= o->shard_count && o->shard_count <= SHARDS_MAX)
        return true;
    return misuse(r, "--shard is '%s', expected I/N, such as 2/4, with I from 1 to N and N at most %d", value,
                  SHARDS_MAX);
}

static bool read_seconds(LineReader *r, OptionName option, const char *value, double *seconds) {
    char *end;
    *seconds = strtod(value, &end);
    if (*value >= '0' && *value <= '9' && !*end && *seconds > 0 && *seconds <= 1e9) return true;
    return misuse(r, "--%s is '%s', expected seconds, such as 60, at most 1e9", option_rows[option].name, value);
}

bool fpd_reports_to_output(const FpdOptions *options) {
    for (int f = 0; f < REPORT_FORMAT_COUNT; f++)
        if (options->reports[f] && !strcmp(options->reports[f], "-")) return true;
    return false;
}

// Two reports cannot be in one file.
static bool take_report(LineReader *r, ReportFormat format, const char *path) {
    FpdOptions *o = r->options;
    for (int f = 0; f < REPORT_FORMAT_COUNT; f++)
        if (o->reports[f] && !strcmp(o->reports[f], path))
            return misuse(r, "two reports are to be written to %s", strcmp(path, "-") ? path : "standard output");
    o->reports[format] = path;
    if (!strcmp(path, "-")) o->quiet = true;
    return true;
}

static bool is_folder(const char *path) {
    struct stat facts;
    return !stat(path, &facts) && S_ISDIR(facts.st_mode);
}

static bool read_percent(LineReader *r, const char *value) {
    char *end;
    r->options->threshold = strtod(value, &end);
    r->options->has_threshold = true;
    if (*value >= '0' && *value <= '9' && !*end && r->options->threshold <= 100) return true;
    return misuse(r, "--threshold is '%s', expected percent, 0 to 100", value);
}

static bool take_option(LineReader *r, OptionName option, const char *value) {
    static const uint64_t devices[] = {0, 1023}, threads[] = {1, 1024}, iterations[] = {1, INT64_MAX},
                          runs[] = {1, 4096}, mebibytes[] = {1, UINT64_C(1) << 40};
    FpdOptions *o = r->options;
    unsigned word = 0;
    uint64_t number = 0;
    switch (option) {
    case OPTION_variant: o->variant = value; break;
    case OPTION_output: o->output = value; break;
    case OPTION_math: o->math = value; break;
    case OPTION_modes: return read_modes(r, value);
#define FORMAT(name, ...)                                                                                              \
    case OPTION_##name:                                                                                                \
        return take_report(r, REPORT_##name, value);
#include "report/formats.def"
#undef FORMAT
    case OPTION_source_root:
        if (!is_folder(value)) return misuse(r, "--source-root is '%s', which is no folder", value);
        o->source_root = value;
        break;
    case OPTION_annotations:
        if (!read_word(r, option, value, &word)) return false;
        o->annotations = word;
        break;
    case OPTION_maps: o->maps = true; break;
    case OPTION_reroll: o->reroll = true; break;
    case OPTION_accuracy: o->accuracy = true; break;
    case OPTION_range: o->range = true; break;
    case OPTION_payload: o->payload = true; break;
    case OPTION_quiet: o->quiet = true; break;
    case OPTION_help: o->help = true; break;
    case OPTION_version: o->version = true; break;
    case OPTION_no_cache: o->no_cache = true; break;
    case OPTION_check_assume: o->check_assume = true; break;
    case OPTION_check_fences: o->check_fences = true; break;
    case OPTION_no_races: o->no_races = true; break;
    case OPTION_gpu: o->gpu = value; break;
    case OPTION_cpu: o->cpu = value; break;
    case OPTION_mode:
        if (!fpd_mode_by_name(value, &o->mode))
            return misuse(r, "unknown mode '%s', expected fpsan, ieee, wide or wider", value);
        break;
    case OPTION_target:
        if (!fpd_target_by_name(value, &o->target))
            return misuse(r, "unknown target '%s', expected host, simt or cuda", value);
        break;
    case OPTION_device:
        if (!read_number(r, option, value, devices, &number)) return false;
        o->device = (unsigned)number;
        break;
    case OPTION_jobs:
        if (!read_number(r, option, value, threads, &number)) return false;
        o->jobs = (unsigned)number;
        break;
    case OPTION_memory: return read_number(r, option, value, mebibytes, &o->memory);
    case OPTION_rounds: return read_number(r, option, value, iterations, &o->iterations);
    case OPTION_seed: return read_seeds(r, value);
    case OPTION_runs:
        if (!read_number(r, option, value, runs, &number)) return false;
        o->run_count = (uint32_t)number;
        break;
    case OPTION_set: return read_set(r, value);
    case OPTION_quick: o->quick = true; break;
    case OPTION_shard: return read_shard(r, value);
    case OPTION_timeout: return read_seconds(r, option, value, &o->timeout);
    case OPTION_seconds: return read_seconds(r, option, value, &o->seconds);
    case OPTION_threshold: return read_percent(r, value);
    case OPTION_partial: o->partial = true; break;
    case OPTION_optimize: o->has_optimize = true; return read_word(r, option, value, &o->optimize);
    case OPTION_outside_tiles:
        if (!read_word(r, option, value, &word)) return false;
        o->outside_tiles = word;
        break;
    case OPTION_async:
        if (!read_word(r, option, value, &word)) return false;
        o->async_early = word;
        break;
    case OPTION_schedule:
        if (!read_word(r, option, value, &word)) return false;
        o->schedule = (FpdScheduleKind)word;
        break;
    case OPTION_unspecified:
        if (!read_word(r, option, value, &word)) return false;
        o->unspecified = (CompileUnspecified)word;
        o->has_unspecified = true;
        break;
    case OPTION_color:
        if (!read_word(r, option, value, &word)) return false;
        o->color = word;
        break;
    case OPTION_casts:
        if (!read_word(r, option, value, &word)) return false;
        fpsan_casts_by_name(value, &o->casts);
        o->has_casts = true;
        break;
    case OPTION_profile:
        o->has_profile = fpd_profile_by_name(value, &o->profile);
        if (!o->has_profile)
            return misuse(r, "unknown profile '%s', expected one of: %s", value, fpd_profile_list(r->arena));
        break;
    case OPTION_COUNT: break;
    }
    return true;
}

static const char *option_list(Arena *arena) {
    const char *list = arena_format(arena, "--%s", option_rows[0].name);
    for (int i = 1; i < OPTION_COUNT; i++) list = arena_format(arena, "%s --%s", list, option_rows[i].name);
    return list;
}

// "--name", "--name=value", "-x"; the value may also be the next word.
static bool read_option(LineReader *r, int count, char **words, int *at) {
    const char *word = words[*at], *equals = word[1] == '-' ? strchr(word, '=') : NULL,
               *value = equals ? equals + 1 : NULL;
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    int i = 0;
    for (; i < OPTION_COUNT; i++) {
        const struct OptionRow *row = &option_rows[i];
        bool by_name = word[1] == '-' && length == strlen(row->name) + 2 && !memcmp(word + 2, row->name, length - 2);
        if (by_name || (row->letter && word[1] == row->letter && !word[2])) break;
    }
    if (i == OPTION_COUNT)
        return misuse(r, "unknown option '%.*s', expected one of: %s", (int)length, word, option_list(r->arena));
    if (r->given[i]) return misuse(r, "--%s is given twice", option_rows[i].name);
    if (!option_rows[i].value && value) return misuse(r, "--%s takes no value", option_rows[i].name);
    if (option_rows[i].value && !value) {
        if (*at + 1 == count) return misuse(r, "--%s needs a value: %s", option_rows[i].name, option_rows[i].value);
        value = words[++*at];
    }
    r->given[i] = true;
    return take_option(r, (OptionName)i, value);
}

// Options that only one target understands, and the tower, which is the host's.
static bool check_target(LineReader *r) {
    static const struct {
        OptionName option;
        FpdTarget target;
    } rows[] = {{OPTION_cpu, FPD_TARGET_host}, {OPTION_gpu, FPD_TARGET_simt}, {OPTION_device, FPD_TARGET_cuda}};
    const FpdOptions *o = r->options;
    const FpdFamilyInfo *profile = fpd_family_info(o->profile.family);
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (r->given[rows[i].option] && rows[i].target != o->target)
            return misuse(r, "--%s is for --target %s, found %s", option_rows[rows[i].option].name,
                          fpd_target_name(rows[i].target), fpd_target_name(o->target));
    return o->target == FPD_TARGET_host || !o->has_profile || profile->everywhere ||
           misuse(r, "profile %s runs on --target %s only, found %s", profile->profile,
                  fpd_target_name(FPD_TARGET_host), fpd_target_name(o->target));
}

static bool check_mutate(LineReader *r) {
    const FpdOptions *o = r->options;
    if (o->case_count > 1) return misuse(r, "mutate takes one case file, found %zu", o->case_count);
    return o->target == FPD_TARGET_host || misuse(r, "mutate is for --target %s, found %s",
                                                  fpd_target_name(FPD_TARGET_host), fpd_target_name(o->target));
}

static bool check_command_line(LineReader *r) {
    FpdOptions *o = r->options;
    const FpdFamilyInfo *profile = fpd_family_info(o->profile.family);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (r->given[i] && !(option_rows[i].commands >> o->command & 1))
            return misuse(r, "--%s does not go with %s", option_rows[i].name, command_rows[o->command].text);
    if (o->help || o->version) return true;
    if (!check_target(r)) return false;
    if (o->has_casts && o->has_profile && !profile->casts)
        return misuse(r, "--casts is for profile %s, but --profile is %s", fpsan_profile_at(0)->name, profile->profile);
    if (o->payload && (o->has_casts || (o->has_profile && !profile->meanings)))
        return misuse(r, "--payload is for profile tower");
    if (o->payload && r->given[OPTION_mode] &&
        fpd_arithmetic(FPD_FAMILY_tower, o->mode)->payloads != FPD_PAYLOADS_BESIDE)
        return misuse(r, "--payload is for mode fpsan, found -m %s", fpd_mode_name(o->mode));
    if (o->accuracy && o->target != FPD_TARGET_host)
        return misuse(r, "--accuracy is for the host, found --target %s", fpd_target_name(o->target));
    if (o->range && o->target != FPD_TARGET_host)
        return misuse(r, "--range is for the host, found --target %s", fpd_target_name(o->target));
    if (!o->case_count)
        return misuse(r, "no %s is given; fpdiff --help tells more", o->command == FPD_MERGE ? "report" : "case file");
    if (o->seed_count > 1 && o->command != FPD_COMPARE)
        return misuse(r, "%s takes one seed, not several", command_rows[o->command].text);
    if (o->command == FPD_MUTATE) return check_mutate(r);
    if (o->command != FPD_RUN) return true;
    if (o->case_count > 1) return misuse(r, "run takes one case file, found %zu", o->case_count);
    if (!o->variant) return misuse(r, "run needs -v VARIANT");
    if (o->schedule == FPD_SCHEDULE_BOTH) return misuse(r, "run takes one schedule, forward or reverse");
    if (!r->given[OPTION_mode]) return misuse(r, "run needs -m MODE: fpsan, ieee, wide or wider");
    return fpd_mode_is_compared(o->mode) || o->target == FPD_TARGET_host ||
           misuse(r, "mode %s is for the host, found --target %s", fpd_mode_name(o->mode), fpd_target_name(o->target));
}

static bool find_command(const char *word, FpdCommand *command) {
    for (int i = 0; i < FPD_COMMAND_COUNT; i++) {
        if (!command_rows[i].word || strcmp(word, command_rows[i].word)) continue;
        *command = (FpdCommand)i;
        return true;
    }
    return false;
}

bool fpd_read_command_line(Diagnostics *diagnostics, Arena *arena, int count, char **words, FpdOptions *options) {
    LineReader r = {.diagnostics = diagnostics, .arena = arena, .options = options};
    bool only_names = false, first = true;
    *options = (FpdOptions){.command = FPD_COMPARE, .seed_count = 1, .run_count = 1, .shard = 1, .shard_count = 1};
    for (int i = 1; i < count; i++) {
        if (!only_names && !strcmp(words[i], "--"))
            only_names = true;
        else if (!only_names && words[i][0] == '-' && words[i][1]) {
            if (!read_option(&r, count, words, &i)) return false;
        } else if (first && !only_names && find_command(words[i], &options->command)) {
            first = false;
        } else {
            options->cases =
                arena_grow(arena, options->cases, options->case_count, &r.capacity, sizeof *options->cases);
            options->cases[options->case_count++] = words[i];
            first = false;
        }
    }
    return check_command_line(&r);
}

void fpd_print_help(Buffer *out) {
    for (int i = 0; i < FPD_COMMAND_COUNT; i++) {
        const struct CommandRow *row = &command_rows[i];
        const char *word = row->word ? row->word : "", *space = row->word ? " " : "";
        buffer_print(out, "%s fpdiff %s%s%-*s %s\n", i ? "      " : "usage:", word, space,
                     (int)(54 - strlen(word) - strlen(space)), row->usage, row->help);
    }
    buffer_print(out, "\n" FPD_ABOUT "\n\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct OptionRow *row = &option_rows[i];
        char letter[8] = {' ', ' ', ' ', ' '};
        Buffer left = {0};
        if (row->letter) memcpy(letter, (char[]){'-', row->letter, ',', ' '}, 4);
        buffer_print(&left, "%s--%s%s%s", letter, row->name, row->value ? " " : "", row->value ? row->value : "");
        buffer_print(out, "  %-30s %s\n", left.data, row->help);
        buffer_free(&left);
    }
    buffer_print(out, "\nExit status, over several cases the highest:\n");
#define STATUS(number, text) "  " number " " text "\n"
    buffer_print(out, "%s",
                 FPD_STATUSES(STATUS) "docs/fpdiff.md describes case files, docs/numeric-modes.md builds.\n");
#undef STATUS
}
