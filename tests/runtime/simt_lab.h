// SPDX-License-Identifier: Apache-2.0
// Kernels for the emulator without a compiler: C functions that call the emulator as compiled code does.
#ifndef CONGRUENT_TEST_SIMT_LAB_H
#define CONGRUENT_TEST_SIMT_LAB_H

#include "runtime/rt.h"

#include <stdio.h>
#include <string.h>

enum { LAB_BUFFERS = 2, LAB_BUFFER_BYTES = 1 << 16, LAB_PLACES = 8 };

// The variables and tables of a compiled module.
static const SimtOps *lab_ops;
static GpuLaunch lab_launch;
static const KernelPlace lab_places[LAB_PLACES] = {
    {.op = "load_a", .at = {.file = "k.py", .line = 1}},    {.op = "store_a", .at = {.file = "k.py", .line = 2}},
    {.op = "load_b", .at = {.file = "k.py", .line = 3}},    {.op = "store_b", .at = {.file = "k.py", .line = 4}},
    {.op = "atomic", .at = {.file = "k.py", .line = 5}},    {.op = "barrier_a", .at = {.file = "k.py", .line = 6}},
    {.op = "barrier_b", .at = {.file = "k.py", .line = 7}}, {.op = "warp_op", .at = {.file = "k.py", .line = 8}},
};
enum { AT_LOAD_A = 1, AT_STORE_A, AT_LOAD_B, AT_STORE_B, AT_ATOMIC, AT_BARRIER_A, AT_BARRIER_B, AT_WARP };
static const KernelSite lab_sites[] = {{HOST_SITE_ASSERT, "assert", "of the lab", {.file = "k.py", .line = 9}}};

typedef struct Lab {
    RtDevice *device;
    Diagnostics diagnostics;
    RtBuffer *buffers[LAB_BUFFERS]; // a and b: arguments 0 and 1; argument 2 is a number
    KernelInfo kernel;
    uint32_t grid[3];
    char text[1000]; // what went wrong in the last launch
} Lab;

static inline Lab lab_open(unsigned jobs, SimtEntry *entry, uint32_t threads, size_t shared_bytes) {
    static const char *const names[] = {"a", "b"};
    Lab lab = {.kernel = {.name = "lab",
                          .simt = entry,
                          .threads = threads,
                          .shared_bytes = shared_bytes,
                          .launch = &lab_launch,
                          .simt_ops = &lab_ops,
                          .parameter_count = LAB_BUFFERS + 1,
                          .site_count = 1,
                          .sites = lab_sites,
                          .place_count = LAB_PLACES,
                          .places = lab_places},
               .grid = {1, 1, 1}};
    lab.device = rt_open_simt(&lab.diagnostics, &(RtDeviceOptions){.jobs = jobs, .address_range = (size_t)1 << 28});
    for (int i = 0; i < LAB_BUFFERS && lab.device; i++) {
        lab.buffers[i] = rt_alloc(lab.device, &lab.diagnostics, LAB_BUFFER_BYTES);
        lab.buffers[i]->name = names[i];
    }
    return lab;
}

static inline void lab_close(Lab *lab) {
    rt_close(lab->device);
    diagnostics_close(&lab->diagnostics);
}

static inline bool lab_run(Lab *lab, uint64_t number) {
    RtArgument arguments[LAB_BUFFERS + 1] = {{number, NULL}, {number, NULL}, {number, NULL}};
    for (int i = 0; i < LAB_BUFFERS; i++) arguments[i] = (RtArgument){lab->buffers[i]->address, lab->buffers[i]};
    diagnostics_close(&lab->diagnostics);
    const bool good = rt_launch(lab->device, &lab->diagnostics,
                                &(RtLaunch){.label = "test",
                                            .kernel = &lab->kernel,
                                            .grid = {lab->grid[0], lab->grid[1], lab->grid[2]},
                                            .arguments = arguments});
    Buffer out = {0};
    for (size_t i = 0; i < lab->diagnostics.count; i++) diag_print(&lab->diagnostics.items[i], &out);
    snprintf(lab->text, sizeof lab->text, "%s", out.data ? out.data : "");
    buffer_free(&out);
    return good;
}

// The contents of a buffer, as words.
static inline void lab_words(Lab *lab, int buffer, uint32_t *words, size_t count) {
    rt_copy_out(lab->device, &lab->diagnostics, lab->buffers[buffer], 0, words, count * 4);
}

// ---- what kernels are made of

static inline uint32_t lab_thread(void) {
    return lab_ops->special(SIMT_TID_X);
}
static inline uint32_t *lab_shared(void) {
    return lab_ops->shared();
}
static inline uint32_t lab_load(const uint32_t *at, uint32_t place) {
    lab_ops->access(at, 4, SIMT_READ, place);
    return *at;
}
static inline void lab_store(uint32_t *at, uint32_t value, uint32_t place) {
    lab_ops->access(at, 4, SIMT_WRITE, place);
    *at = value;
}
static inline uint32_t lab_add(uint32_t *at, uint32_t value, uint32_t place) {
    lab_ops->access(at, 4, SIMT_READ | SIMT_WRITE | SIMT_ATOMIC, place);
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
static inline uint32_t *lab_pointer(uint64_t argument) {
    return (uint32_t *)(uintptr_t)argument;
}

// Ends the thread as compiled code does where a check fails.
static inline void lab_fail(uint64_t block, int64_t found) {
    GpuFault *fault = (GpuFault *)(uintptr_t)lab_launch.fault;
    while (__atomic_exchange_n(&fault->lock, 1, __ATOMIC_ACQUIRE)) lab_ops->pause();
    if (!fault->site || block < fault->block) {
        fault->site = 1;
        fault->block = block;
        fault->fault = (HostFault){.found = found};
    }
    __atomic_store_n(&fault->lock, 0, __ATOMIC_RELEASE);
    lab_ops->exit();
}

#endif
