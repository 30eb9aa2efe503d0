// SPDX-License-Identifier: Apache-2.0
// make_manual FOLDER VERSION DATE: writes man pages and completions into the folder, as they are installed below share.
#include "manual/manual.h"

#include <stdio.h>

static const struct Program {
    const char *name;
    void (*describe)(Arena *, Manual *);
} programs[] = {{"fpdiff", manual_of_fpdiff}, {"tileiras", manual_of_tileiras}};
static const struct Output {
    const char *before, *behind; // the name of the program
    ManualWriter *write;
} outputs[] = {{"man/man1/", ".1", manual_write_page},
               {"bash-completion/completions/", "", manual_write_bash},
               {"zsh/site-functions/_", "", manual_write_zsh},
               {"fish/vendor_completions.d/", ".fish", manual_write_fish}};

int main(int count, char **words) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    if (count != 4) {
        fprintf(stderr, "usage: make_manual FOLDER VERSION DATE\n");
        return 1;
    }
    const ManualEdition edition = {words[2], words[3]};
    for (size_t p = 0; p < BASE_COUNT(programs); p++) {
        Manual manual;
        programs[p].describe(&arena, &manual);
        for (size_t i = 0; i < BASE_COUNT(outputs); i++) {
            Buffer text = {0};
            const char *path =
                arena_format(&arena, "%s/%s%s%s", words[1], outputs[i].before, programs[p].name, outputs[i].behind);
            outputs[i].write(&arena, &manual, &edition, &text);
            file_write(&diagnostics, path, text.data, text.size);
            buffer_free(&text);
        }
    }
    diagnostics_print(&diagnostics);
    const int status = diagnostics_exit_status(&diagnostics);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return status;
}
