// SPDX-License-Identifier: Apache-2.0
// bench [--runs N] [--size N] [--without-tiles] [--products TEXT] [CASE.yaml...]: times the front end, matrix products,
// kernels with shadow memory, then compiling and running every variant of the cases, all on one thread. Numbers are
// medians. Exit status 1 if something failed.
#include "bench/bench_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(int count, char **words, int *at, const char *option, int64_t low, int64_t high,
                        int64_t *number) {
    if (strcmp(words[*at], option)) return false;
    char *end = NULL;
    *number = *at + 1 < count ? strtoll(words[*at + 1], &end, 10) : 0;
    if (!end || *end || *number < low || *number > high) {
        fprintf(stderr, "bench: %s needs a number from %lld to %lld\n", option, (long long)low, (long long)high);
        exit(1);
    }
    *at += 2;
    return true;
}

static void print_usage(void) {
    printf("usage: bench [--runs N] [--size N] [--without-tiles] [--products TEXT] [CASE.yaml...]\n"
           "  --runs N   how often everything is timed (5); medians are printed\n"
           "  --size N   rows and columns of the matrices (1024)\n"
           "  --without-tiles   matrix products in vectors alone (on processors with AMX)\n"
           "  --products TEXT   matrix products with TEXT in their label, and nothing else\n");
}

int main(int count, char **words) {
    Bench bench = {.runs = 5, .size = 1024};
    int64_t runs = 5;
    int first = 1;
    if (count > 1 && !strcmp(words[1], "--help")) {
        print_usage();
        return 0;
    }
    while (first < count && (read_number(count, words, &first, "--runs", 1, 1000, &runs) ||
                             read_number(count, words, &first, "--size", 1, 8192, &bench.size))) {
    }
    if (first < count && !strcmp(words[first], "--without-tiles")) {
        bench.without_tiles = true;
        first++;
    }
    if (first + 1 < count && !strcmp(words[first], "--products")) {
        bench.only = words[first + 1];
        first = count;
    }
    if (first < count && words[first][0] == '-') {
        fprintf(stderr, "bench: unknown option %s\n", words[first]);
        return 1;
    }
    bench.runs = (unsigned)runs;
    bool good = fpd_machine_open(&bench.diagnostics, 1, &bench.machine);
    if (good)
        printf("%s, LLVM %s, one thread, medians of %u\n", compiler_host_cpu(bench.machine.compiler),
               compiler_llvm_version(bench.machine.compiler), bench.runs);
    if (bench.only)
        good = good && bench_matmuls(&bench);
    else
        good = good && bench_front_end(&bench) && bench_matmuls(&bench) && bench_shadow(&bench);
    if (good && first < count)
        printf("\n%-50s %19s %19s\n  %-48s %9s %9s %9s %9s %9s\n", "", "compile ms", "run ms", "case: variant", "ieee",
               "fpsan", "ieee", "fpsan", "ratio");
    for (int i = first; good && i < count; i++) good = bench_case(&bench, words[i]);
    diagnostics_print(&bench.diagnostics);
    fpd_machine_close(&bench.machine);
    diagnostics_close(&bench.diagnostics);
    return good ? 0 : 1;
}
