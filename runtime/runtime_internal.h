// SPDX-License-Identifier: Apache-2.0
// What the files of the runtime share: the device, its address range and its thread pool.
#ifndef CONGRUENT_RUNTIME_INTERNAL_H
#define CONGRUENT_RUNTIME_INTERNAL_H

#include "runtime/rt.h"

// ---- address_range.c: one reserved range of addresses, pages mapped on demand
// ------------------------------------------

typedef struct RtRange {
    uint8_t *base;     // NULL: not reserved
    size_t plane_size; // bytes of one plane; plane p begins at base + p * plane_size
    unsigned planes;   // 1 or 2
    size_t page;       // bytes of a page
    RtBuffer *buffers; // sorted by address
} RtRange;

// Reserves `planes` planes in `size` bytes all together. On failure false, and a diagnostic; rt_range_close is fine in
// any state.
bool rt_range_open(RtRange *range, Diagnostics *diagnostics, size_t size, unsigned planes);
void rt_range_close(RtRange *range);
RtBuffer *rt_range_alloc(RtRange *range, Diagnostics *diagnostics, size_t size);
void rt_range_free(RtRange *range, RtBuffer *buffer);

// ---- pool.c: threads that walk a grid
// -----------------------------------------------------------------------------------

typedef struct RtPool RtPool;

// One launch, as all threads see it.
typedef struct RtWork {
    HostEntry *entry;
    const HostLaunch *launch;
    uint64_t block_count;
    size_t scratch_bytes;
    bool sequential;
} RtWork;
typedef struct RtFault {
    uint32_t site;  // 0: no fault, else 1 + number of the site
    uint64_t block; // linear id
    HostFault fault;
} RtFault;

// `jobs` threads in all, the one that calls rt_pool_run counted. NULL and E_RUNTIME on failure. rt_pool_close(NULL) is
// fine.
RtPool *rt_pool_open(Diagnostics *diagnostics, unsigned jobs);
void rt_pool_close(RtPool *pool);
unsigned rt_pool_jobs(const RtPool *pool);
// Runs every block in increasing id and waits; of the faults it gives the one of the lowest id. Blocks above a known
// fault may be left out. False: no memory for scratch.
bool rt_pool_run(RtPool *pool, const RtWork *work, RtFault *fault);

// ---- fault_message.c
// ------------------------------------------------------------------------------------------------------

// What rt_launch knows when a block has failed.
typedef struct RtFaultContext {
    const RtDevice *device;
    const char *label;
    const RtKernel *kernel;
    const RtArgument *arguments;
    const uint32_t *grid;
} RtFaultContext;

// Records the fault as a diagnostic; always false.
bool rt_report_fault(const RtFaultContext *context, Diagnostics *diagnostics, const RtFault *fault);

struct RtDevice {
    RtRange range;
    RtPool *pool;
};

#endif
