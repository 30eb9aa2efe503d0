// SPDX-License-Identifier: Apache-2.0
// fpdiff run: one variant in one mode, whose results are written to files.
#include "diff/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool find_variant(FpdSession *s, Diagnostics *diagnostics, const FpdCase *cas, int *variant) {
    const char *list = "";
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        *variant = (int)v;
        if (!strcmp(cas->variants[v].name, s->options.variant)) return true;
        list = arena_format(&s->arena, "%s%s%s", list, v ? ", " : "", cas->variants[v].name);
    }
    return diag_fail(diagnostics, (Location){0}, E_USAGE, "case %s has no variant '%s', expected one of: %s", cas->path,
                     s->options.variant, list);
}

static bool has_payload_file(const FpdSession *s, const FpdBuffer *buffer) {
    return s->options.payload && element_is_float(buffer->type);
}

static bool has_number_file(const FpdSession *s, const FpdBuffer *buffer) {
    return !fpd_mode_is_compared(s->options.mode) && fpd_has_records(buffer->type);
}

// A host gets the results in memory, and need not name a folder.
static bool check_output(const FpdSession *s, Diagnostics *diagnostics) {
    return s->options.output || s->host || diag_fail(diagnostics, (Location){0}, E_USAGE, "run needs -o DIR");
}

static bool write_buffers(FpdSession *s, Diagnostics *diagnostics, const FpdCase *cas, const FpdRun *run) {
    const char *folder = s->options.output;
    struct stat status;
    if (!folder) return true;
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
        if (has_number_file(s, buffer)) {
            Buffer numbers = {0};
            fpd_print_numbers(cas, run, c, &numbers);
            const bool written =
                file_write(diagnostics, arena_format(&s->arena, "%s/%s.wide.bin", folder, buffer->name), numbers.data,
                           numbers.size);
            buffer_free(&numbers);
            if (!written) return false;
        }
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

static bool check_payload(const FpdSession *s, Diagnostics *diagnostics, const FpdCase *cas) {
    return !s->options.payload || fpd_arithmetic(cas->family, s->options.mode)->payloads == FPD_PAYLOADS_BESIDE ||
           diag_fail(diagnostics, (Location){.file = cas->path}, E_USAGE,
                     "--payload is for profile tower, this case is for %s; --profile tower runs it in the other",
                     fpd_profile_name(cas));
}

int fpd_command_run(FpdSession *s) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    FpdRuns runs = {0};
    FpdCase *cas = NULL;
    int variant = 0;
    const FpdTask task = {.path = s->options.cases[0]};
    const FpdRunner runner = {
        &diagnostics, &arena, &s->machine,
        check_output(s, &diagnostics) ? fpd_session_load(s, &diagnostics, &arena, &task, &cas, NULL) : NULL};
    bool good = runner.programs && find_variant(s, &diagnostics, cas, &variant) &&
                check_payload(s, &diagnostics, cas) && fpd_session_open(s, &diagnostics, cas);
    if (good) {
        cas->modes[0] = s->options.mode; // also one that the case does not list
        cas->mode_count = 1;
        if (cas->build_count) cas->run_build_count = 1;
        runs = fpd_plan_runs(&arena, cas, FPD_ALL_MODES, variant);
        good = fpd_run_case(&runner, false, &runs) && write_buffers(s, &diagnostics, cas, &runs.runs[0]);
        if (good && s->host && s->host->see_run) s->host->see_run(s->host->data, cas, &runs.runs[0]);
    }
    for (uint32_t c = 0; good && s->options.output && !s->options.quiet && c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        fprintf(s->out, "%s/%s.bin\n", s->options.output, buffer->name);
        if (has_number_file(s, buffer)) fprintf(s->out, "%s/%s.wide.bin\n", s->options.output, buffer->name);
        if (has_payload_file(s, buffer)) fprintf(s->out, "%s/%s.payload.bin\n", s->options.output, buffer->name);
    }
    fpd_programs_close(runner.programs);
    if (cas) fpd_put_warnings(s, cas, &runs);
    if (cas) fpd_put_findings(s, cas, &runs);
    fpd_put_diagnostics(s, &diagnostics);
    int status = fpd_exit_status(&diagnostics);
    if (good && fpd_has_findings(&runs.runs[0])) status = fpd_worse(status, 1);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return status;
}
