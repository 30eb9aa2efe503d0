// SPDX-License-Identifier: Apache-2.0
// Changed texts of Triton IR, read, translated, verified and described: mutate_ttir [--mutants=N] [--seed=N] FILE...
// Whatever the text is, the reader gives a module or one message, in less than a second. What is wrong ends the
// process.
#include "compiler/triton/triton.h"
#include "tests/fuzz/fuzz.h"
#include "tests/robustness/mutation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_MAX = 10 }; // with sanitizers

typedef struct Texts {
    const char **paths;
    uint8_t **texts;
    size_t *sizes;
    size_t count;
} Texts;

// Whether it was read and verified.
static bool check_text(const char *text, size_t size) {
    Diagnostics diagnostics = {0};
    char *copy = malloc(size ? size : 1); // of just that size, so that a sanitizer sees what is read behind it
    if (!copy) abort();
    memcpy(copy, text, size);
    TirModule *module = tri_read(&diagnostics, "mutant.ttir", copy, size);
    free(copy);
    fuzz_check_messages(&diagnostics, module, true);
    bool valid = module && tir_verify(&diagnostics, module);
    if (module) fuzz_check_messages(&diagnostics, valid, false);
    if (valid) {
        Buffer printed = {0};
        tir_print(module, false, &printed);
        buffer_free(&printed);
        tir_program_close(tir_program(module));
    } else {
        tir_module_close(module);
    }
    diagnostics_close(&diagnostics);
    return valid;
}

// The text without locations, of which most of it is made: changes then meet ops. The rest of a line goes with them.
static size_t strip_locations(uint8_t *to, const uint8_t *from, size_t size) {
    size_t left = 0;
    for (size_t at = 0, end; at < size; at = end) {
        const uint8_t *stop = memchr(from + at, '\n', size - at);
        end = stop ? (size_t)(stop - from) + 1 : size;
        if (end - at > 4 && !memcmp(from + at, "#loc", 4)) continue;
        for (size_t i = at; i < end; i++) {
            if (end - i <= 5 || memcmp(from + i, " loc(", 5) != 0) {
                to[left++] = from[i];
                continue;
            }
            unsigned depth = 0;
            for (i += 4; i < end; i++) {
                depth += from[i] == '(';
                if (from[i] == ')' && !--depth) break;
            }
        }
    }
    return left;
}

static bool read_texts(Arena *arena, int argc, char **argv, Texts *texts) {
    Diagnostics diagnostics = {0};
    bool good = true;
    texts->paths = arena_array(arena, const char *, 2 * (size_t)argc);
    texts->texts = arena_array(arena, uint8_t *, 2 * (size_t)argc);
    texts->sizes = arena_array(arena, size_t, 2 * (size_t)argc);
    for (int i = 1; i < argc && good; i++) {
        if (!strncmp(argv[i], "--", 2)) continue;
        texts->paths[texts->count] = argv[i];
        uint8_t **text = &texts->texts[texts->count];
        size_t *size = &texts->sizes[texts->count];
        good = file_read(&diagnostics, arena, argv[i], text, size);
        if (!good) break;
        texts->paths[texts->count + 1] = argv[i];
        text[1] = arena_alloc(arena, *size + 1);
        size[1] = strip_locations(text[1], *text, *size);
        texts->count += 2;
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    return good && texts->count;
}

int main(int argc, char **argv) {
    unsigned long mutants = 1000, seed = 1, valid = 0;
    Arena arena = {0};
    Texts texts = {0};
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--mutants=", 10)) mutants = strtoul(argv[i] + 10, NULL, 10);
        if (!strncmp(argv[i], "--seed=", 7)) seed = strtoul(argv[i] + 7, NULL, 10);
    }
    if (!read_texts(&arena, argc, argv, &texts)) return 2;
    for (unsigned long m = 0; m < mutants; m++) {
        Arena scratch = {0};
        const size_t at = m % texts.count;
        Random random = random_of_mutant(texts.paths[at], seed, m);
        const size_t other = random_below(&random, texts.count);
        size_t size;
        const char *text = mutate_text(&scratch, &random, (const char *)texts.texts[at], texts.sizes[at],
                                       (const char *)texts.texts[other], texts.sizes[other], &size);
        FILE *last = getenv("MUTATE_LAST") ? fopen(getenv("MUTATE_LAST"), "wb") : NULL; // what a crash was made of
        if (last) {
            fwrite(text, 1, size, last);
            fclose(last);
        }
        const double start = clock_thread_seconds();
        valid += check_text(text, size);
        if (clock_thread_seconds() - start > SECONDS_MAX) fuzz_require_none("a text that takes too long");
        arena_reset(&scratch);
    }
    printf("%lu mutants, %lu of them valid\n", mutants, valid);
    arena_reset(&arena);
    return 0;
}
