// SPDX-License-Identifier: Apache-2.0
// The program fpdiff: compares the variants of cases, and more (commands.def).
#include "diff/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wants_color(const FpdOptions *options) {
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (options->color != FPD_COLOR_AUTO) return options->color == FPD_COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb");
}

static int run_command(FpdSession *session) {
    static int (*const commands[])(FpdSession *) = {
#define COMMAND(name, function, ...) [FPD_##name] = function,
#include "diff/commands.def"
#undef COMMAND
    };
    return commands[session->options.command](session);
}

int main(int count, char **words) {
    FpdSession s = {0};
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    int status = 0;
    setvbuf(stdout, NULL, _IOLBF, 0); // what a kernel printed is there although it is stopped
    if (!fpd_read_command_line(&diagnostics, &s.arena, count, words, &s.options)) {
        status = fpd_exit_status(&diagnostics);
    } else if (s.options.help) {
        fpd_print_help(&text);
    } else if (s.options.version) {
        buffer_print(&text, "fpdiff %s (congruent)\n", CONGRUENT_VERSION);
    } else {
        s.color = wants_color(&s.options);
        status = run_command(&s);
    }
    fpd_put(&text);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    return fpd_session_close(&s, status);
}
