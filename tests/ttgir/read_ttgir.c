// SPDX-License-Identifier: Apache-2.0
// Reads texts of Triton IR without translating them: read_ttgir FILE... Every one must be read.
#include "compiler/triton/triton.h"

#include <stdio.h>

int main(int argc, char **argv) {
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        uint8_t *text;
        size_t size;
        const bool read = file_read(&diagnostics, &arena, argv[i], &text, &size) &&
                          tri_front_end.recognises(argv[i], text, size) &&
                          tri_check_text(&diagnostics, argv[i], (const char *)text, size);
        if (!read) printf("%s: not read\n", argv[i]);
        diagnostics_print(&diagnostics);
        diagnostics_close(&diagnostics);
        arena_reset(&arena);
        failed += !read;
    }
    printf("%d texts, %d of them not read\n", argc - 1, failed);
    return failed || argc < 2;
}
