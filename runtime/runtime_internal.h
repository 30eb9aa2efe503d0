// SPDX-License-Identifier: Apache-2.0
// What the files of the runtime share: the device, its address range and its thread pool.
#ifndef CONGRUENT_RUNTIME_INTERNAL_H
#define CONGRUENT_RUNTIME_INTERNAL_H

#include "runtime/rt.h"

// ---- shadow.c: records of the floats in buffers, mapped on demand
// ------------------------------------------------------------------------------------------------------------

typedef struct RtShadow {
    HostShadow abi; // first: what kernels see, and pass back to `forget`
    uint8_t *base;  // NULL: there is none
    size_t size, page;
} RtShadow;

// Address space for the records of all floats in [begin, begin + size), a multiple of 8 pages. False where there is not
// so much of it; errno says why.
bool rt_shadow_open(RtShadow *shadow, const uint8_t *begin, size_t size, size_t page);
void rt_shadow_close(RtShadow *shadow);
// No record of the buffer is valid any more; their memory goes back to the system.
void rt_shadow_clear(const RtShadow *shadow, RtBuffer *buffer);
// The records that share a byte with [offset, offset + size) are not.
void rt_shadow_forget(const RtShadow *shadow, const RtBuffer *buffer, size_t offset, size_t size);
// Bytes of memory that hold records of the buffer: the pages in which there is a valid one.
size_t rt_shadow_memory(const RtShadow *shadow, const RtBuffer *buffer);

// ---- address_range.c: one reserved range of addresses, pages mapped on demand
// ------------------------------------------

typedef struct RtRange {
    uint8_t *base;     // NULL: not reserved
    size_t size;       // bytes for buffers
    size_t page;       // bytes of a page
    RtBuffer *buffers; // sorted by address
} RtRange;

// Reserves `size` bytes (0: DEFAULT_RANGE, less where less can be had) for buffers, and shadow memory for them where
// `shadow` is not NULL. On failure false, and a diagnostic; rt_range_close is fine in any state.
bool rt_range_open(RtRange *range, RtShadow *shadow, Diagnostics *diagnostics, size_t size);
void rt_range_close(RtRange *range);
RtBuffer *rt_range_alloc(RtRange *range, Diagnostics *diagnostics, size_t size);
void rt_range_free(RtRange *range, RtBuffer *buffer);

// ---- printer.c: what the blocks of a launch print, in their order
// ------------------------------------------------------------------------------------------------------------

typedef struct RtPrinter RtPrinter;

// NULL: no memory. rt_printer_close(NULL) is fine.
RtPrinter *rt_printer_open(RtPrint *print, void *data);
void rt_printer_close(RtPrinter *printer);
// HostLaunch.print, with the printer as HostLaunch.printer.
void rt_printer_print(const HostLaunch *launch, uint32_t x, uint32_t y, uint32_t z, const HostPrint *print);
// To be called once for each block, by its linear id; blocks begin in that order.
void rt_printer_end(RtPrinter *printer, uint64_t block, bool failed);

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
    RtPrinter *printer;   // NULL: nothing is printed
    uint8_t *all_scratch; // of all threads, scratch_bytes (a multiple of 64) each; NULL: the pool has its own
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
// HostLaunch.wait, with the pool as HostLaunch.waiter: where no block ends, the launch gets more threads, so that the
// block comes to run that others wait for. Blocks that wait in vain stop once some block has failed.
uint32_t rt_pool_wait(const HostLaunch *launch);

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
    RtShadow shadow;
    RtPool *pool;
    RtPrint *print; // where kernels print; NULL: nowhere
    void *print_data;
};

#endif
