// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: how a broken property ends the process.
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 4000 };

void fuzz_require_none(const char *problem) {
    if (!problem) return;
    fprintf(stderr, "fuzz: %s\n", problem);
    abort();
}

void fuzz_check_messages(const Diagnostics *diagnostics, bool good, bool single) {
    if (good) fuzz_require_none(diagnostics->count ? diagnostics->items[0].message : NULL);
    if (!good && !diagnostics->count) fuzz_require_none("refused without a message");
    if (!good && single && diagnostics->count != 1) fuzz_require_none("refused with several messages");
    for (size_t i = 0; i < diagnostics->count; i++) {
        const char *message = diagnostics->items[i].message;
        if (!*message || strchr(message, '\n') || strlen(message) > MESSAGE_MAX)
            fuzz_require_none("a message that is empty, long or not one line");
    }
}
