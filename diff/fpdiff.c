// SPDX-License-Identifier: Apache-2.0
// The program fpdiff: compares the variants of cases, runs one, or shows what would run.
#include "diff/options.h"
#include "diff/report.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

typedef struct Session {
    FpdOptions options;
    FpdMachine machine; // opened by the first case that runs
    bool color;
    Arena arena; // of the command line
    FpdOutcome *outcomes;
    Arena *arenas; // one per comparison
    Diagnostics *errors;
} Session;

static int worse(int a, int b) {
    return a > b ? a : b;
}

static void print_out(const Buffer *text) {
    if (text->size) fwrite(text->data, 1, text->size, stdout);
    fflush(stdout); // so that errors come after what they follow
}

static bool has_payloads_beside(const FpdCase *cas) {
    for (uint32_t m = 0; m < cas->mode_count; m++)
        if (fpd_arithmetic(cas->family, cas->modes[m])->payloads == FPD_PAYLOADS_BESIDE) return true;
    return false;
}

static bool open_machine(Session *s, Diagnostics *diagnostics, const FpdCase *cas) {
    if (s->machine.device) return true;
    s->machine.target = s->options.target;
    s->machine.gpu = s->options.gpu;
    s->machine.device_index = s->options.device;
    if (!s->options.no_cache && s->options.target == FPD_TARGET_cuda) s->machine.cache.folder = cache_folder(&s->arena);
    s->machine.shadow = cas && has_payloads_beside(cas) && s->options.target == FPD_TARGET_host;
    s->machine.output = s->options.json && !strcmp(s->options.json, "-") ? stderr : stdout; // apart from the report
    s->machine.cpu = s->options.cpu;
    s->machine.optimize = s->options.has_optimize ? s->options.optimize : FPD_OPTIMIZE;
    s->machine.iterations = s->options.iterations;
    s->machine.check_assume = s->options.check_assume;
    s->machine.schedule = s->options.schedule;
    s->machine.check_fences = s->options.check_fences;
    s->machine.outside_tiles = s->options.outside_tiles;
    s->machine.poison = s->options.command == FPD_COMPARE;
    s->machine.unspecified = s->options.has_unspecified ? s->options.unspecified
                             : s->machine.poison        ? COMPILE_NAN
                                                        : COMPILE_ZEROS;
    s->machine.races = !s->options.no_races;
    s->machine.progress = isatty(STDERR_FILENO) && !s->options.quiet;
    if (s->machine.compiler)
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME, "the device of target %s could not be opened",
                         fpd_target_name(s->machine.target));
    if (!fpd_machine_open(diagnostics, s->options.jobs, &s->machine)) return false;
    s->machine.kept = fpd_kept_open(s->machine.compiler);
    return true;
}

// The case and its program; flags of the command line win over the file.
static FpdPrograms *load_all(Session *s, Diagnostics *diagnostics, Arena *arena, const char *path, uint64_t nth_seed,
                             FpdCase **cas) {
    *cas = fpd_load_case(diagnostics, arena, path);
    if (*cas && s->options.has_seed) (*cas)->seed = s->options.seed + nth_seed;
    if (!*cas) return NULL;
    if (!fpd_override_profile(diagnostics, *cas, &s->options) ||
        (s->options.math && !fpd_override_math(diagnostics, arena, *cas, s->options.math)))
        return NULL;
    return fpd_load_programs(diagnostics, arena, *cas);
}

// On what cases run, for people; NULL: the host.
static const char *describe_target(const Session *s, Arena *arena) {
    const FpdMachine *m = &s->machine;
    if (!m->device || m->target == FPD_TARGET_host) return NULL;
    const char *device = rt_description(m->device);
    return arena_format(arena, "%s: %s", fpd_target_name(m->target),
                        device ? device : arena_format(arena, "code for %s on the host", m->gpu));
}

static void print_warnings(const FpdCase *cas, const FpdRuns *runs) {
    Buffer text = {0};
    fpd_print_warnings(cas, runs, &text);
    if (text.size) fwrite(text.data, 1, text.size, stderr);
    buffer_free(&text);
}

// Comparison `index`: of each case one for each seed.
static int compare_case(Session *s, size_t index, uint64_t seed_count) {
    const char *path = s->options.cases[index / seed_count];
    FpdOutcome *outcome = &s->outcomes[index];
    Arena *arena = &s->arenas[index];
    Diagnostics *errors = &s->errors[index];
    FpdCase *cas;
    FpdRuns *runs = arena_new(arena, FpdRuns);
    const FpdRunner runner = {errors, arena, &s->machine, load_all(s, errors, arena, path, index % seed_count, &cas)};
    *outcome = (FpdOutcome){.cas = cas, .path = path, .errors = errors, .several_seeds = seed_count > 1};
    bool good = runner.programs && open_machine(s, errors, cas);
    if (good) {
        fpd_see_forms(runner.programs, outcome);
        *runs = fpd_plan_runs(arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
        fpd_plan_comparisons(arena, cas, runs, outcome);
        good = fpd_run_case(&runner, true, runs);
    }
    outcome->target = describe_target(s, arena);
    if (good) fpd_find_unspecified(&runner, runs);
    good = good && fpd_run_second(&runner, runs, outcome);
    if (good) fpd_judge(arena, outcome);
    if (good) fpd_explain(&runner, outcome);
    if (good && outcome->builds_failed) good = fpd_find_culprits(&runner, outcome);
    if (good && s->options.reroll) good = fpd_reroll(&runner, outcome);
    if (!good) outcome->status = worse(outcome->status, fpd_exit_status(errors));
    fpd_programs_close(runner.programs);
    if (!s->options.quiet) {
        Buffer text = {0};
        if (index) buffer_print(&text, "\n");
        fpd_print_outcome(outcome, s->color, &text);
        print_out(&text);
        buffer_free(&text);
    }
    if (cas) print_warnings(cas, runs);
    diagnostics_print(errors);
    return outcome->status;
}

static void close_case(Session *s, size_t index) {
    arena_reset(&s->arenas[index]);
    diagnostics_close(&s->errors[index]);
}

static int write_json(Session *s, size_t count, int status) {
    FpdVersions versions = {.congruent = CONGRUENT_VERSION,
                            .libyaml = yaml_get_version_string(),
                            .jansson = jansson_version_str(),
                            .target = fpd_target_name(s->options.target),
                            .gpu = s->machine.gpu};
    if (s->machine.device) versions.device = rt_description(s->machine.device);
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    if (s->machine.compiler) {
        versions.llvm = compiler_llvm_version(s->machine.compiler);
        versions.cpu = s->options.cpu ? s->options.cpu : compiler_host_cpu(s->machine.compiler);
    }
    fpd_print_json(s->outcomes, count, status, &versions, &text);
    if (!strcmp(s->options.json, "-"))
        print_out(&text);
    else if (!file_write(&diagnostics, s->options.json, text.data, text.size))
        status = worse(status, fpd_exit_status(&diagnostics));
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    return status;
}

static int compare_cases(Session *s) {
    const uint64_t seed_count = s->options.seed_count;
    const size_t count = s->options.case_count * seed_count;
    int status = 0;
    s->outcomes = arena_array(&s->arena, FpdOutcome, count);
    s->arenas = arena_array(&s->arena, Arena, count);
    s->errors = arena_array(&s->arena, Diagnostics, count);
    for (size_t i = 0; i < count; i++) {
        status = worse(status, compare_case(s, i, seed_count));
        if (!s->options.json) close_case(s, i); // else kept for the report at the end
    }
    if (!s->options.json) return status;
    status = write_json(s, count, status);
    for (size_t i = 0; i < count; i++) close_case(s, i);
    return status;
}

static bool find_variant(Session *s, Diagnostics *diagnostics, const FpdCase *cas, int *variant) {
    const char *list = "";
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        *variant = (int)v;
        if (!strcmp(cas->variants[v].name, s->options.variant)) return true;
        list = arena_format(&s->arena, "%s%s%s", list, v ? ", " : "", cas->variants[v].name);
    }
    return diag_fail(diagnostics, (Location){0}, E_USAGE, "case %s has no variant '%s', expected one of: %s", cas->path,
                     s->options.variant, list);
}

static bool has_payload_file(const Session *s, const FpdBuffer *buffer) {
    return s->options.payload && element_is_float(buffer->type);
}

static bool write_buffers(Session *s, Diagnostics *diagnostics, const FpdCase *cas, const FpdRun *run) {
    const char *folder = s->options.output;
    struct stat status;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return diag_fail(diagnostics, (Location){.file = folder}, E_FILE, "cannot make this folder: %s",
                         strerror(errno));
    if (stat(folder, &status) || !S_ISDIR(status.st_mode))
        return diag_fail(diagnostics, (Location){.file = folder}, E_FILE, "is a file, expected a folder");
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        if (!file_write(diagnostics, arena_format(&s->arena, "%s/%s.bin", folder, buffer->name), run->bytes[c],
                        buffer->bytes))
            return false;
        if (!has_payload_file(s, buffer)) continue;
        Buffer payloads = {0};
        fpd_print_payloads(cas, buffer, run->bytes[c], run->records[c], &payloads);
        bool good = file_write(diagnostics, arena_format(&s->arena, "%s/%s.payload.bin", folder, buffer->name),
                               payloads.data, payloads.size);
        buffer_free(&payloads);
        if (!good) return false;
    }
    return true;
}

static bool check_payload(const Session *s, Diagnostics *diagnostics, const FpdCase *cas) {
    return !s->options.payload || fpd_arithmetic(cas->family, s->options.mode)->payloads == FPD_PAYLOADS_BESIDE ||
           diag_fail(diagnostics, (Location){.file = cas->path}, E_USAGE,
                     "--payload is for profile tower, this case is for %s; --profile tower runs it in the other",
                     fpd_profile_name(cas));
}

static int run_one(Session *s) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    FpdRuns runs = {0};
    FpdCase *cas;
    int variant = 0;
    const FpdRunner runner = {&diagnostics, &arena, &s->machine,
                              load_all(s, &diagnostics, &arena, s->options.cases[0], 0, &cas)};
    bool good = runner.programs && find_variant(s, &diagnostics, cas, &variant) &&
                check_payload(s, &diagnostics, cas) && open_machine(s, &diagnostics, cas);
    if (good) {
        cas->modes[0] = s->options.mode; // also one that the case does not list
        cas->mode_count = 1;
        if (cas->build_count) cas->run_build_count = 1;
        runs = fpd_plan_runs(&arena, cas, FPD_ALL_MODES, variant);
        good = fpd_run_case(&runner, false, &runs) && write_buffers(s, &diagnostics, cas, &runs.runs[0]);
    }
    for (uint32_t c = 0; good && !s->options.quiet && c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        printf("%s/%s.bin\n", s->options.output, buffer->name);
        if (has_payload_file(s, buffer)) printf("%s/%s.payload.bin\n", s->options.output, buffer->name);
    }
    fpd_programs_close(runner.programs);
    if (cas) print_warnings(cas, &runs);
    diagnostics_print(&diagnostics);
    int status = fpd_exit_status(&diagnostics);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return status;
}

static int show_cases(Session *s) {
    int status = 0;
    for (size_t i = 0; i < s->options.case_count; i++) {
        Diagnostics diagnostics = {0};
        Arena arena = {0};
        Buffer text = {0};
        FpdCase *cas;
        FpdPrograms *programs = load_all(s, &diagnostics, &arena, s->options.cases[i], 0, &cas);
        if (programs && !s->options.quiet) {
            if (i) buffer_print(&text, "\n");
            fpd_print_programs(programs, &text);
            print_out(&text);
        }
        fpd_programs_close(programs);
        diagnostics_print(&diagnostics);
        status = worse(status, fpd_exit_status(&diagnostics));
        diagnostics_close(&diagnostics);
        buffer_free(&text);
        arena_reset(&arena);
    }
    return status;
}

static bool wants_color(const FpdOptions *options) {
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (options->color != FPD_COLOR_AUTO) return options->color == FPD_COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb");
}

int main(int count, char **words) {
    Session s = {0};
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    int status = 0;
    if (!fpd_read_command_line(&diagnostics, &s.arena, count, words, &s.options)) {
        status = fpd_exit_status(&diagnostics);
    } else if (s.options.help) {
        fpd_print_help(&text);
    } else if (s.options.version) {
        buffer_print(&text, "fpdiff %s (congruent)\n", CONGRUENT_VERSION);
    } else {
        s.color = wants_color(&s.options);
        // Without a GPU there is one error, not one for each case.
        bool absent = s.options.target == FPD_TARGET_cuda && s.options.command != FPD_SHOW &&
                      !open_machine(&s, &diagnostics, NULL);
        status = absent                          ? fpd_exit_status(&diagnostics)
                 : s.options.command == FPD_RUN  ? run_one(&s)
                 : s.options.command == FPD_SHOW ? show_cases(&s)
                                                 : compare_cases(&s);
    }
    print_out(&text);
    if (ferror(stdout)) {
        diag_fail(&diagnostics, (Location){0}, E_FILE, "cannot write to standard output");
        status = worse(status, 2);
    }
    diagnostics_print(&diagnostics);
    fpd_machine_close(&s.machine);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    arena_reset(&s.arena);
    return status;
}
