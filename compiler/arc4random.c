// SPDX-License-Identifier: Apache-2.0
// Of builds with CONGRUENT_STATIC=ON, which shall run with C libraries older than the one they are built with: LLVM's
// archives call arc4random, which the C library has since 2.36. LLVM wants it for names of temporary files.
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void) {
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort(); // of so few bytes it gives all
    return number;
}
