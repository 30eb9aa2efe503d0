// SPDX-License-Identifier: Apache-2.0
// Clocks and medians.
#include "bench/bench_internal.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_seconds(void) {
    return read_clock(CLOCK_MONOTONIC);
}

BenchTime bench_now(void) {
    return (BenchTime){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count) {
    if (!count) return NAN;
    qsort(values, count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
