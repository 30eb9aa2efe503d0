// SPDX-License-Identifier: Apache-2.0
// What a mutant is known by.
#include "tests/robustness/mutation.h"

#include <string.h>

static uint64_t hash_text(const char *text) {
    uint64_t hash = 0xcbf29ce484222325;
    while (*text) hash = (hash ^ (uint8_t)*text++) * 0x100000001b3;
    return hash;
}

const char *short_path(const char *path) {
    const char *examples = strstr(path, "examples/"), *tests = strstr(path, "tests/");
    return examples ? examples : tests ? tests : path;
}

Random random_of_mutant(const char *path, uint64_t seed, uint64_t number) {
    return (Random){hash_text(short_path(path)) ^ seed * 0x2545F4914F6CDD1D ^ number << 20};
}
