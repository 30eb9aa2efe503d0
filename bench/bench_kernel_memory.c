// SPDX-License-Identifier: Apache-2.0
// The memory that a launch takes beside its buffers: how far the resident memory of a process of its own grows.
#include "bench/bench_kernel_internal.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A line "NAME:  123 kB" of Linux's description of this process, in bytes; NAN where there is none.
static double process_bytes(const char *name) {
    char line[256];
    double kilobytes = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
            kilobytes = strtod(line + strlen(name) + 1, NULL);
    if (file) fclose(file);
    return kilobytes * 1024;
}

// From here on the peak counts anew.
static bool forget_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    bool good = file && fputs("5", file) >= 0;
    return file && !fclose(file) && good;
}

static double growth(BenchKernel *kernel, unsigned numeric, unsigned threads) {
    BenchTime time;
    RtDevice *device = rt_open_host(&kernel->bench->diagnostics, &(RtDeviceOptions){.jobs = threads});
    malloc_trim(0); // what the launch allocates has to come from the system
    if (!device || !forget_peak()) return NAN;
    double before = process_bytes("VmRSS");
    if (!bench_kernel_run(kernel, numeric, device, &time)) return NAN;
    return process_bytes("VmHWM") - before;
}

double bench_kernel_memory(BenchKernel *kernel, unsigned numeric, unsigned threads) {
    double bytes = NAN;
    int ends[2];
    fflush(NULL);
    if (pipe(ends)) return NAN;
    pid_t child = fork(); // the buffers are shared and stay as resident as they are; the pool of threads is not
    if (!child) {
        bytes = growth(kernel, numeric, threads);
        _exit(write(ends[1], &bytes, sizeof bytes) != sizeof bytes);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &bytes, sizeof bytes) != sizeof bytes) bytes = NAN;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return bytes;
}
