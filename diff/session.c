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

// What the command line says of how kernels are compiled and run.
static void set_machine(FpdSession *s) {
    // Mutants are compiled once.
    const bool caches = !s->options.no_cache && (s->options.command == FPD_COMPARE || s->options.command == FPD_RUN);
    s->machine.cache.folder = caches ? cache_folder(&s->arena) : NULL;
    s->machine.output = fpd_reports_to_output(&s->options) ? s->err : s->out; // apart from the report
    s->machine.cpu = s->options.cpu;
    if (s->options.target == FPD_TARGET_simt) s->machine.gpu = s->options.gpu ? s->options.gpu : FPD_SIMT_GPU;
    s->machine.optimize = s->options.has_optimize ? s->options.optimize : FPD_OPTIMIZE;
    s->machine.iterations = s->options.iterations;
    s->machine.check_assume = s->options.check_assume;
    s->machine.schedule = s->options.schedule;
    s->machine.check_fences = s->options.check_fences;
    s->machine.async_early = s->options.async_early;
    s->machine.outside_tiles = s->options.outside_tiles;
    s->machine.poison = s->options.command != FPD_RUN;
    s->machine.unspecified = s->options.has_unspecified ? s->options.unspecified
                             : s->machine.poison        ? COMPILE_NAN
                                                        : COMPILE_ZEROS;
    s->machine.races = !s->options.no_races;
    s->machine.memory = s->options.memory << 20;
    s->machine.census = s->options.command != FPD_COMPARE ? FPD_CENSUS_NONE
                        : s->options.range                ? FPD_CENSUS_ALL
                                                          : FPD_CENSUS_BESIDE;
    s->machine.progress = !s->host && isatty(STDERR_FILENO) && !s->options.quiet;
}

void fpd_session_close_machine(FpdSession *s) {
    fpd_machine_close(&s->machine);
    s->machine = (FpdMachine){0};
    s->unopened = 0;
}

// Whether the open device is the one that the command line asks for. With a host it may be of another command line.
static bool has_device(const FpdSession *s) {
    const FpdMachine *m = &s->machine;
    return m->target == s->options.target && m->jobs == s->options.jobs && m->device_index == s->options.device;
}

bool fpd_session_open(FpdSession *s, Diagnostics *diagnostics, const FpdCase *cas) {
    if (s->machine.device && !has_device(s)) fpd_session_close_machine(s);
    set_machine(s);
    if (s->machine.device) return true;
    s->machine.target = s->options.target;
    s->machine.device_index = s->options.device;
    s->machine.shadow = cas && has_payloads_beside(cas) && s->options.target == FPD_TARGET_host;
    s->unopened++;
    if (s->machine.compiler)
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME, "the device of target %s could not be opened",
                         fpd_target_name(s->machine.target));
    if (!fpd_machine_open(diagnostics, s->options.jobs, &s->machine)) return false;
    s->unopened = 0;
    s->machine.kept = fpd_kept_open(s->machine.compiler);
    return true;
}

void fpd_put_diagnostics(const FpdSession *s, const Diagnostics *diagnostics) {
    Buffer text = {0};
    diagnostics_text(diagnostics, &text);
    if (text.size) fwrite(text.data, 1, text.size, s->err);
    buffer_free(&text);
}

void fpd_put_errors(const FpdSession *s, uint32_t unopened, const Diagnostics *errors) {
    if (!unopened || s->unopened == unopened) fpd_put_diagnostics(s, errors);
}

static FpdBuffer *find_buffer(const FpdCase *cas, const char *name) {
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        if (!strcmp(cas->buffers[b].name, name)) return &cas->buffers[b];
    return NULL;
}

// Buffers begin with what the host gives.
static bool set_contents(const FpdSession *s, Diagnostics *diagnostics, FpdCase *cas) {
    const FpdHost *host = s->host;
    const Location at = {.file = cas->path};
    if (host->content_count && s->options.command == FPD_EXPLAIN) // which tries other data, of the case's fills
        return diag_fail(diagnostics, at, E_USAGE, "explain takes no contents in place of those of the case");
    for (size_t i = 0; i < host->content_count; i++) {
        const FpdContents *given = &host->contents[i];
        FpdBuffer *buffer = find_buffer(cas, given->buffer);
        if (!buffer)
            return diag_fail(diagnostics, at, E_USAGE, "there are contents for buffer %s, which this case has not",
                             given->buffer);
        if (given->size != buffer->bytes || buffer->fill.kind == FPD_FILL_addresses)
            return diag_fail(diagnostics, buffer->at, E_USAGE, "buffer %s has %s%llu bytes, its contents %zu",
                             buffer->name, buffer->fill.kind == FPD_FILL_addresses ? "addresses, " : "",
                             (unsigned long long)buffer->bytes, given->size);
        if (buffer->fill.contents)
            return diag_fail(diagnostics, at, E_USAGE, "there are two contents for buffer %s", buffer->name);
        buffer->fill.given = true;
        buffer->fill.contents = given->bytes;
    }
    return true;
}

FpdPrograms *fpd_session_load(FpdSession *s, Diagnostics *diagnostics, Arena *arena, const FpdTask *task, FpdCase **cas,
                              FpdParameters *parameters) {
    FpdCombination combination = {.index = task->combination, .set = s->options.set};
    *cas = fpd_load_combination(diagnostics, arena, task->path, &combination);
    if (parameters) *parameters = combination.parameters;
    if (*cas && s->options.has_seed) (*cas)->seed = s->options.seed + task->nth_seed;
    if (!*cas) return NULL;
    if ((s->host && !set_contents(s, diagnostics, *cas)) || !fpd_override_profile(diagnostics, *cas, &s->options) ||
        !fpd_override_modes(diagnostics, *cas, &s->options) ||
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

static int flush_output(const FpdSession *s, int status) {
    Diagnostics diagnostics = {0};
    fflush(s->out);
    if (ferror(s->out)) {
        diag_fail(&diagnostics, (Location){0}, E_FILE, "cannot write to standard output");
        status = fpd_worse(status, 2);
    }
    fpd_put_diagnostics(s, &diagnostics);
    diagnostics_close(&diagnostics);
    return status;
}

int fpd_session_close(FpdSession *s, int status) {
    status = flush_output(s, status);
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
    _exit(flush_output(s, status));
}

void fpd_put(const FpdSession *s, const Buffer *text) {
    if (text->size) fwrite(text->data, 1, text->size, s->out);
    fflush(s->out); // so that errors come after what they follow
}

void fpd_put_warnings(const FpdSession *s, const FpdCase *cas, const FpdRuns *runs) {
    Buffer text = {0};
    fpd_print_warnings(cas, runs, &text);
    if (text.size) fwrite(text.data, 1, text.size, s->err);
    buffer_free(&text);
}

void fpd_put_findings(const FpdSession *s, const FpdCase *cas, const FpdRuns *runs) {
    Buffer text = {0};
    fpd_print_findings(cas, runs, "", &text);
    if (text.size) fwrite(text.data, 1, text.size, s->err);
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
        fpd_put(s, &text);
        fpd_programs_close(programs);
        fpd_put_diagnostics(s, &diagnostics);
        status = fpd_worse(status, fpd_exit_status(&diagnostics));
        diagnostics_close(&diagnostics);
        buffer_free(&text);
        arena_reset(&arena);
    }
    return status;
}
