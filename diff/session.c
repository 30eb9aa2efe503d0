// SPDX-License-Identifier: Apache-2.0
// What the commands of fpdiff share.
#include "diff/command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

static bool has_payloads_beside(const FpdCase *cas) {
    for (uint32_t m = 0; m < cas->mode_count; m++)
        if (fpd_arithmetic(cas->family, cas->modes[m])->payloads == FPD_PAYLOADS_BESIDE) return true;
    return false;
}

bool fpd_session_open(FpdSession *s, Diagnostics *diagnostics, const FpdCase *cas) {
    if (s->machine.device) return true;
    s->machine.target = s->options.target;
    s->machine.gpu = s->options.gpu;
    s->machine.device_index = s->options.device;
    // Mutants are compiled once.
    if (!s->options.no_cache && (s->options.command == FPD_COMPARE || s->options.command == FPD_RUN))
        s->machine.cache.folder = cache_folder(&s->arena);
    s->machine.shadow = cas && has_payloads_beside(cas) && s->options.target == FPD_TARGET_host;
    s->machine.output = fpd_reports_to_output(&s->options) ? stderr : stdout; // apart from the report
    s->machine.cpu = s->options.cpu;
    s->machine.optimize = s->options.has_optimize ? s->options.optimize : FPD_OPTIMIZE;
    s->machine.iterations = s->options.iterations;
    s->machine.check_assume = s->options.check_assume;
    s->machine.schedule = s->options.schedule;
    s->machine.check_fences = s->options.check_fences;
    s->machine.outside_tiles = s->options.outside_tiles;
    s->machine.poison = s->options.command != FPD_RUN;
    s->machine.unspecified = s->options.has_unspecified ? s->options.unspecified
                             : s->machine.poison        ? COMPILE_NAN
                                                        : COMPILE_ZEROS;
    s->machine.races = !s->options.no_races;
    s->machine.memory = s->options.memory << 20;
    if (s->options.command == FPD_COMPARE) s->machine.census = s->options.range ? FPD_CENSUS_ALL : FPD_CENSUS_BESIDE;
    s->machine.progress = isatty(STDERR_FILENO) && !s->options.quiet;
    s->unopened++;
    if (s->machine.compiler)
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME, "the device of target %s could not be opened",
                         fpd_target_name(s->machine.target));
    if (!fpd_machine_open(diagnostics, s->options.jobs, &s->machine)) return false;
    s->unopened = 0;
    s->machine.kept = fpd_kept_open(s->machine.compiler);
    return true;
}

void fpd_put_errors(const FpdSession *s, uint32_t unopened, const Diagnostics *errors) {
    if (!unopened || s->unopened == unopened) diagnostics_print(errors);
}

FpdPrograms *fpd_session_load(FpdSession *s, Diagnostics *diagnostics, Arena *arena, const FpdTask *task, FpdCase **cas,
                              FpdParameters *parameters) {
    FpdCombination combination = {.index = task->combination, .set = s->options.set};
    *cas = fpd_load_combination(diagnostics, arena, task->path, &combination);
    if (parameters) *parameters = combination.parameters;
    if (*cas && s->options.has_seed) (*cas)->seed = s->options.seed + task->nth_seed;
    if (!*cas) return NULL;
    if (!fpd_override_profile(diagnostics, *cas, &s->options) ||
        (s->options.math && !fpd_override_math(diagnostics, arena, *cas, s->options.math)))
        return NULL;
    return fpd_load_programs(diagnostics, arena, *cas);
}

json_t *fpd_session_head(const FpdSession *s) {
    char tower[12];
    snprintf(tower, sizeof tower, "%d", fpd_family_info(FPD_FAMILY_tower)->version);
    FpdVersions versions = {.congruent = CONGRUENT_VERSION,
                            .libyaml = yaml_get_version_string(),
                            .jansson = jansson_version_str(),
                            .tower = tower,
                            .target = fpd_target_name(s->options.target),
                            .gpu = s->machine.gpu};
    if (s->machine.device) versions.device = rt_description(s->machine.device);
    if (s->machine.compiler) {
        versions.llvm = compiler_llvm_version(s->machine.compiler);
        versions.cpu = s->options.cpu ? s->options.cpu : compiler_host_cpu(s->machine.compiler);
    }
    return fpd_json_head(&versions);
}

static int flush_output(int status) {
    Diagnostics diagnostics = {0};
    fflush(stdout);
    if (ferror(stdout)) {
        diag_fail(&diagnostics, (Location){0}, E_FILE, "cannot write to standard output");
        status = fpd_worse(status, 2);
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    return status;
}

int fpd_session_close(FpdSession *s, int status) {
    status = flush_output(status);
    fpd_machine_close(&s->machine);
    arena_reset(&s->arena);
    return status;
}

// Sanitizers look at what is left when a process ends. Others need not close all that the system then frees at once.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLOSES_ALL 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CLOSES_ALL 1
#endif
#endif
#ifndef CLOSES_ALL
#define CLOSES_ALL 0
#endif

_Noreturn void fpd_session_exit(FpdSession *s, int status) {
    if (CLOSES_ALL || s->options.target == FPD_TARGET_cuda) exit(fpd_session_close(s, status));
    _exit(flush_output(status));
}

void fpd_put(const Buffer *text) {
    if (text->size) fwrite(text->data, 1, text->size, stdout);
    fflush(stdout); // so that errors come after what they follow
}

void fpd_put_warnings(const FpdCase *cas, const FpdRuns *runs) {
    Buffer text = {0};
    fpd_print_warnings(cas, runs, &text);
    if (text.size) fwrite(text.data, 1, text.size, stderr);
    buffer_free(&text);
}

int fpd_print_cases(FpdSession *s, FpdPrintCase *print) {
    int status = 0;
    for (size_t i = 0; i < s->options.case_count; i++) {
        Diagnostics diagnostics = {0};
        Arena arena = {0};
        Buffer text = {0};
        FpdCase *cas;
        const FpdTask task = {.path = s->options.cases[i], .number = i};
        FpdPrograms *programs = fpd_session_load(s, &diagnostics, &arena, &task, &cas, NULL);
        if (programs) print(s, &task, &arena, programs, &text);
        fpd_put(&text);
        fpd_programs_close(programs);
        diagnostics_print(&diagnostics);
        status = fpd_worse(status, fpd_exit_status(&diagnostics));
        diagnostics_close(&diagnostics);
        buffer_free(&text);
        arena_reset(&arena);
    }
    return status;
}
