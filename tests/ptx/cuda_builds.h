// SPDX-License-Identifier: Apache-2.0
// Tests of what make_cuda.sh makes of kernels.cu: a case in memory for each build, whose variants are functions.
#ifndef CONGRUENT_TESTS_CUDA_BUILDS_H
#define CONGRUENT_TESTS_CUDA_BUILDS_H

#include "diff/run.h"

typedef struct CudaBuild {
    const char *name; // of the file, without `kernels.` and `.ptx`
    unsigned kind;    // what the test wants to know of it
} CudaBuild;

typedef struct CudaTest CudaTest;
struct CudaTest {
    // Given.
    const char *name, *right_are, *wrong_are; // "payloads", "have the payloads of the algebra", "have not"
    const CudaBuild *builds;
    size_t build_count;
    char *(*write_case)(const CudaBuild *build, size_t *size); // a case file, which is freed
    // Counts what is right or wrong. False and diagnostics: it could not be told.
    bool (*check_run)(CudaTest *test, Arena *arena, const FpdCase *cas, const FpdRun *run);
    void *owner;
    // While it runs.
    Diagnostics diagnostics;
    FpdMachine machine;
    const char *folder;
    const CudaBuild *build;
    unsigned right, wrong;
};
// Runs the builds of the folder that are there and, if any is named, are. The exit status of the program: 0, 1: a
// result is wrong, 77: there are no builds.
int cuda_builds_test(CudaTest *test, const char *folder, int name_count, char *const *names);

#endif
