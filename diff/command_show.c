// SPDX-License-Identifier: Apache-2.0
// fpdiff show: what would run.
#include "diff/command.h"

int fpd_command_show(FpdSession *s) {
    int status = 0;
    for (size_t i = 0; i < s->options.case_count; i++) {
        Diagnostics diagnostics = {0};
        Arena arena = {0};
        Buffer text = {0};
        FpdCase *cas;
        FpdPrograms *programs =
            fpd_session_load(s, &diagnostics, &arena, &(FpdTask){.path = s->options.cases[i]}, &cas, NULL);
        if (programs && !s->options.quiet) {
            if (i) buffer_print(&text, "\n");
            fpd_print_programs(programs, &text);
            fpd_put(&text);
        }
        fpd_programs_close(programs);
        diagnostics_print(&diagnostics);
        status = fpd_worse(status, fpd_exit_status(&diagnostics));
        diagnostics_close(&diagnostics);
        buffer_free(&text);
        arena_reset(&arena);
    }
    return status;
}
