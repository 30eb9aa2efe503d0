// SPDX-License-Identifier: Apache-2.0
// What the files of the runtime share: devices and their kinds, the address range, the thread pool.
#ifndef CONGRUENT_RUNTIME_INTERNAL_H
#define CONGRUENT_RUNTIME_INTERNAL_H

#include "runtime/rt.h"

// ---- shadow.c: records of the floats in buffers, mapped on demand ---------------------------------------------------

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
void rt_shadow_invalidate(const RtShadow *shadow, const RtBuffer *buffer, size_t offset, size_t size);

// ---- address_range.c: one reserved range of addresses, pages mapped on demand ---------------------------------------

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
// Those of its buffers that were left unfilled, sorted; how many.
uint64_t rt_range_unfilled(const RtRange *range, Arena *arena, HostUnfilled **list);

// ---- printer.c: what the blocks of a launch print, in their order ---------------------------------------------------

typedef struct RtPrinter RtPrinter;

// NULL: no memory. rt_printer_close(NULL) is fine.
RtPrinter *rt_printer_open(RtPrint *print, void *data);
void rt_printer_close(RtPrinter *printer);
// HostLaunch.print, with the printer as HostLaunch.printer.
void rt_printer_print(const HostLaunch *launch, uint32_t x, uint32_t y, uint32_t z, const HostPrint *print);
// The text of one print, with nothing in between.
void rt_print_one(RtPrint *print, void *data, const HostPrint *printed);
// To be called once for each block, by its linear id; blocks begin in that order.
void rt_printer_end(RtPrinter *printer, uint64_t block, bool failed);

// ---- pool.c: threads that walk a grid -------------------------------------------------------------------------------

typedef struct RtPool RtPool;

// In front of the memory that a block gets as scratch are so many bytes: at their end a pointer to what its thread puts
// down about accesses (races.h).
enum { RT_SCRATCH_HEAD = 64 };

struct RaceRun;
struct RaceThread;

// One launch, as all threads see it.
typedef struct RtWork {
    HostEntry *entry;
    const HostLaunch *launch;
    uint64_t block_count;
    size_t scratch_bytes;
    bool sequential;
    uint32_t threads_max;  // that may run it, helpers counted; 0: as many as the pool likes
    RtPrinter *printer;    // NULL: nothing is printed
    struct RaceRun *races; // NULL: kernels log nothing
    uint8_t *all_scratch;  // of all threads, head and scratch_bytes (a multiple of 64) each; NULL: the pool has its own
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
// Runs one block on memory for scratch, which has a head.
void rt_run_block(const RtWork *work, struct RaceThread *races, uint8_t *memory, uint64_t block, RtFault *fault);
// HostLaunch.wait, with the pool as HostLaunch.waiter: where no block ends, the launch gets more threads, so that the
// block comes to run that others wait for. Blocks that wait in vain stop once some block has failed.
uint32_t rt_pool_wait(const HostLaunch *launch);

// ---- device.c: what devices of all kinds have in common -------------------------------------------------------------

// A launch that rt_launch has checked: the grid is allowed, arguments are collected.
typedef struct RtCheckedLaunch {
    const RtLaunch *asked;
    const char *label, *name; // as RtLaunch has them; the name is not NULL
    const KernelInfo *kernel;
    bool sequential; // blocks run on one thread, in order
    const uint32_t *grid;
    uint64_t block_count;
    const RtArgument *arguments;
    uint32_t argument_count; // of parameters, then of globals; so many are in each of these:
    const uint64_t *bits;
    const HostRange *ranges;  // as HostLaunch.argument_ranges
    const HostRange *buffers; // as HostLaunch.buffers
    uint64_t buffer_count;
    Arena *arena; // freed after the launch
} RtCheckedLaunch;

// One kind of devices: a row of functions.
typedef struct RtDeviceKind {
    const char *name;
    void (*close)(RtDevice *device); // frees what the kind has opened, as far as it is open; rt_close frees the device
    RtBuffer *(*alloc)(RtDevice *device, Diagnostics *diagnostics, size_t size);
    void (*free)(RtDevice *device, RtBuffer *buffer); // not NULL
    // size > 0, inside the buffer.
    bool (*copy_in)(RtDevice *device, Diagnostics *diagnostics, RtBuffer *buffer, size_t offset, const void *bytes,
                    size_t size);
    bool (*copy_out)(RtDevice *device, Diagnostics *diagnostics, const RtBuffer *buffer, size_t offset, void *bytes,
                     size_t size);
    // Runs all blocks and waits; fault->site is 0 before. False and a diagnostic if they could not be run; a block that
    // fails sets `fault`, which rt_launch reports.
    bool (*launch)(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch, RtFault *fault);
} RtDeviceKind;

struct RtDevice {
    const RtDeviceKind *kind;
    unsigned jobs;
    HostRange near; // messages give addresses in it as offsets into the nearest buffer
    RtPrint *print; // where kernels print; NULL: nowhere
    void *print_data;
    size_t print_bytes; // RtDeviceOptions
    // Of kinds host and simt.
    RtRange range;
    RtShadow shadow; // of kind host
    RtPool *pool;
    void *own; // of the kind
};

extern const RtDeviceKind rt_host_kind;

// A device of which nothing is open yet; NULL and E_RUNTIME. `jobs` 0: the processors of this process.
RtDevice *rt_device_new(Diagnostics *diagnostics, const RtDeviceKind *kind, unsigned jobs);
// Opens the pool and the address range of a device whose memory is the host's. False and E_RUNTIME.
bool rt_device_open_host_memory(RtDevice *device, Diagnostics *diagnostics, const RtDeviceOptions *options);
// Functions of RtDeviceKind for it.
void rt_host_close(RtDevice *device);
RtBuffer *rt_host_alloc(RtDevice *device, Diagnostics *diagnostics, size_t size);
void rt_host_free(RtDevice *device, RtBuffer *buffer);
bool rt_host_copy_in(RtDevice *device, Diagnostics *diagnostics, RtBuffer *buffer, size_t offset, const void *bytes,
                     size_t size);
bool rt_host_copy_out(RtDevice *device, Diagnostics *diagnostics, const RtBuffer *buffer, size_t offset, void *bytes,
                      size_t size);

// ---- gpu_prints.c: what the blocks of a launch on a GPU have printed, as records (gpu_abi.h) ------------------------

// Bytes of memory, all zero but for the head, that the launch needs for prints of its blocks; 0: nothing is printed.
size_t rt_gpu_prints_bytes(const RtDevice *device, const KernelInfo *kernel);
GpuPrints rt_gpu_prints_head(size_t bytes);
// How many bytes of that memory have been used.
size_t rt_gpu_prints_used(const GpuPrints *head, size_t bytes);
// Prints it in the order of the blocks, up to the one that failed. `memory` holds rt_gpu_prints_used bytes. False and
// E_LIMIT if there was too little room for all of it, E_RUNTIME if it cannot be read.
bool rt_gpu_prints_write(const RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch,
                         const void *memory, size_t bytes, const RtFault *fault);

// ---- fault_message.c ------------------------------------------------------------------------------------------------

// Records the fault as a diagnostic; always false.
bool rt_report_fault(const RtDevice *device, const RtCheckedLaunch *launch, Diagnostics *diagnostics,
                     const RtFault *fault);
// How all messages about a block begin: launch, kernel and block, by its linear id.
void rt_print_block(const RtCheckedLaunch *launch, uint64_t block, Buffer *out);
// "byte 12 of buffer a (argument 0, 64 bytes)", or that it is in none.
void rt_print_address(const RtDevice *device, const RtCheckedLaunch *launch, uint64_t address, Buffer *out);

#endif
