// SPDX-License-Identifier: Apache-2.0
// fpdiff show: what would run.
#include "diff/command.h"

static void show(FpdSession *s, const FpdTask *task, Arena *arena, FpdPrograms *programs, Buffer *out) {
    (void)arena;
    if (s->options.quiet) return;
    if (task->number) buffer_print(out, "\n");
    fpd_print_programs(programs, out);
}

int fpd_command_show(FpdSession *session) {
    return fpd_print_cases(session, show);
}
