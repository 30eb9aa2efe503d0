// SPDX-License-Identifier: Apache-2.0
// The program fpdiff: compares the variants of cases, and more (commands.def).
#include "diff/command.h"

#include <stdio.h>

int main(int count, char **words) {
    FpdSession s = {.out = stdout, .err = stderr};
    setvbuf(stdout, NULL, _IOLBF, 0); // what a kernel printed is there although it is stopped
    const int status = fpd_run_words(&s, count, words);
    return fpd_session_close(&s, status);
}
