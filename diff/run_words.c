// SPDX-License-Identifier: Apache-2.0
// A command line of fpdiff, carried out.
#include "diff/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wants_color(const FpdSession *s) {
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (s->options.color != FPD_COLOR_AUTO) return s->options.color == FPD_COLOR_ALWAYS;
    return !s->host && isatty(STDOUT_FILENO) && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb");
}

static int run_command(FpdSession *session) {
    static int (*const commands[])(FpdSession *) = {
#define COMMAND(name, function, ...) [FPD_##name] = function,
#include "diff/commands.def"
#undef COMMAND
    };
    return commands[session->options.command](session);
}

int fpd_run_words(FpdSession *s, int count, char **words) {
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    int status = 0;
    if (!fpd_read_command_line(&diagnostics, &s->arena, count, words, &s->options)) {
        status = fpd_exit_status(&diagnostics);
    } else if (s->options.help) {
        fpd_print_help(&text);
    } else if (s->options.version) {
        buffer_print(&text, "fpdiff %s (congruent)\n", CONGRUENT_VERSION);
    } else {
        s->color = wants_color(s);
        status = run_command(s);
    }
    fpd_put(s, &text);
    fpd_put_diagnostics(s, &diagnostics);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    return status;
}
