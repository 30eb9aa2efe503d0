// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the runtime: devices and their kinds, the address range, shadow memory, the thread pool.
#ifndef CONGRUENT_RUNTIME_INTERNAL_H
#define CONGRUENT_RUNTIME_INTERNAL_H

#include "runtime/rt.h"

#include <pthread.h>

// ---- shadow.c: records of the floats in buffers, mapped on demand ---------------------------------------------------

typedef struct RtShadow {
    HostShadow abi;    // what kernels see
    uint8_t *base;     // NULL: there is none
    size_t size, page; // bytes of address space, and of a page
    size_t kept;       // bytes of RtBuffer.kept_bytes, of all buffers
} RtShadow;

// Reserves address space for the records of all floats in [begin, begin + size); `size` is a multiple of 8 pages. False
// if there is too little; errno says why.
bool rt_shadow_open(RtShadow *shadow, const uint8_t *begin, size_t size, size_t page);
void rt_shadow_close(RtShadow *shadow);
// Records of these widths may be stored in the buffer from now on.
void rt_shadow_expect(const RtShadow *shadow, RtBuffer *buffer, uint32_t widths);
// Invalidates all records of the buffer and gives their memory back to the system.
void rt_shadow_clear(const RtShadow *shadow, RtBuffer *buffer);
// Invalidates all records of the buffer and keeps some of their memory; leaves all of its memory.
void rt_shadow_renew(RtShadow *shadow, RtBuffer *buffer);
void rt_shadow_leave(RtShadow *shadow, RtBuffer *buffer);
// Invalidates the records that share a byte with [offset, offset + size) of the buffer.
void rt_shadow_invalidate(const RtShadow *shadow, const RtBuffer *buffer, size_t offset, size_t size);
// Makes these bytes of a buffer that one thread uses unspecified, of unknown origin.
void rt_shadow_spoil(const RtShadow *shadow, const RtBuffer *buffer, size_t offset, size_t size, bool keeps_words);

// ---- address_range.c: one reserved range of addresses, pages mapped on demand ---------------------------------------

typedef struct RtRange {
    uint8_t *base;     // NULL: not reserved
    size_t size;       // bytes for buffers
    size_t page;       // bytes of a page
    RtBuffer *buffers; // sorted by address
    size_t aside;      // bytes of those that are set aside
} RtRange;

// Reserves `size` bytes for buffers, RtDeviceOptions.address_range, and shadow memory for them if `shadow` is not NULL.
// False and E_RUNTIME on failure. The range may be closed in any state.
bool rt_range_open(RtRange *range, RtShadow *shadow, Diagnostics *diagnostics, size_t size);
void rt_range_close(RtRange *range);
bool rt_range_has_room(RtRange *range, size_t size);
RtBuffer *rt_range_alloc(RtRange *range, Diagnostics *diagnostics, size_t size); // as rt_alloc
void rt_range_free(RtRange *range, RtBuffer *buffer);
// Lists the buffers that were left unfilled, sorted by address, in the arena; returns how many there are.
uint64_t rt_range_unfilled(const RtRange *range, Arena *arena, HostUnfilled **list);

// ---- printer.c: what the blocks of a launch print, in their order ---------------------------------------------------

typedef struct RtPrinter RtPrinter;

// NULL: no memory. rt_printer_close(NULL) is fine.
RtPrinter *rt_printer_open(RtPrint *print, void *data);
void rt_printer_close(RtPrinter *printer);
// HostLaunch.print of launches whose HostLaunch.printer is the printer.
void rt_printer_print(const HostLaunch *launch, uint32_t x, uint32_t y, uint32_t z, const HostPrint *print);
// The same for a text of a block.
void rt_printer_text(RtPrinter *printer, uint64_t block, const char *text, size_t size);
// Gives the text of one print to `print` at once.
void rt_print_one(RtPrint *print, void *data, const HostPrint *printed);
// To be called once for each block (by its linear id), when it has ended.
void rt_printer_end(RtPrinter *printer, uint64_t block, bool failed);

// ---- pool.c: threads that walk a grid -------------------------------------------------------------------------------

typedef struct RtPool RtPool;

// So many bytes precede the scratch of a block. The last of them are a pointer to the RaceThread that logs what the
// block accesses (races.h).
enum { RT_SCRATCH_HEAD = 64 };

struct RaceRun;
struct RaceThread;

// One launch, as all threads see it.
typedef struct RtWork {
    HostEntry *entry;
    const HostLaunch *launch;
    uint64_t block_count;
    size_t scratch_bytes;
    bool sequential;       // blocks run on one thread, in order
    bool heedless;         // threads may take several blocks at once
    bool grouped;          // blocks begin in the order of groups
    uint32_t threads_max;  // how many threads may run it, helpers included; 0: the pool decides
    RtPrinter *printer;    // NULL: nothing is printed
    struct RaceRun *races; // NULL: kernels log nothing
    // For each thread RT_SCRATCH_HEAD bytes and its scratch, of scratch_bytes (a multiple of 64). NULL: the pool
    // allocates scratch itself.
    uint8_t *all_scratch;
    // What threads count in their scratch is added to these counts, one for each of the kernel's census_sites. NULL:
    // nobody asks.
    const KernelInfo *kernel;
    KernelCensusCount *census;
} RtWork;
typedef struct RtFault {
    uint32_t site;  // 0: no fault, else 1 + number of the site
    uint64_t block; // linear id
    HostFault fault;
} RtFault;

// A pool of `jobs` threads, of which the caller of rt_pool_run is one. NULL and E_RUNTIME on failure.
// rt_pool_close(NULL) is fine.
RtPool *rt_pool_open(Diagnostics *diagnostics, unsigned jobs);
void rt_pool_close(RtPool *pool);
unsigned rt_pool_jobs(const RtPool *pool);
// Runs every block, begun in the order of their ids or of groups, and waits. *fault is the fault of the lowest block
// that failed; blocks above it may be left out. False if there is no memory for scratch.
bool rt_pool_run(RtPool *pool, const RtWork *work, RtFault *fault);
// Runs one block. `memory`: RT_SCRATCH_HEAD bytes, then its scratch. Around all blocks that a thread runs of a launch
// stand rt_begin_blocks and rt_end_blocks.
void rt_begin_blocks(const RtWork *work, uint8_t *memory);
void rt_end_blocks(const RtWork *work, uint8_t *memory);
void rt_run_block(const RtWork *work, struct RaceThread *races, uint8_t *memory, uint64_t block, RtFault *fault);
// ---- census.c: the range census (base/range_census.h)
// Clears the counts in a thread's scratch; adds them to those of its launch. Threads may add at the same time.
void rt_census_clear(const KernelInfo *kernel, uint8_t *scratch);
void rt_census_add(const KernelInfo *kernel, uint8_t *scratch, KernelCensusCount *counts);

// HostLaunch.wait of launches whose HostLaunch.waiter is the pool. If no block ends, the launch gets more threads, so
// that the block runs that the others wait for. Once a block has failed, blocks that wait in vain stop.
uint32_t rt_pool_wait(const HostLaunch *launch);

// ---- idle.c: state of running blocks, as many as run at the same time -----------------------------------------------

typedef struct RtIdleItem { // what such a state begins with
    struct RtIdleItem *next;
} RtIdleItem;
typedef struct RtIdleKind {
    RtIdleItem *(*open)(const void *launch); // NULL: no memory
    void (*close)(RtIdleItem *item);
    bool (*fits)(const RtIdleItem *item, const void *launch); // that of an earlier launch
} RtIdleKind;
typedef struct RtIdle {
    const RtIdleKind *kind;
    const void *launch;
    uint32_t limit;        // of items
    pthread_mutex_t mutex; // guards what follows
    pthread_cond_t given;  // signals that an item is free
    RtIdleItem *free;      // that no thread uses
    uint32_t count;        // of items that exist
} RtIdle;
// `items` are of earlier launches; those that do not fit are closed.
void rt_idle_open(RtIdle *idle, const RtIdleKind *kind, const void *launch, uint32_t limit, RtIdleItem *items);
// When no thread uses an item any more: all of them, for launches to come.
RtIdleItem *rt_idle_close(RtIdle *idle);
// Waits for an item, or opens one; NULL: no memory. Threads may call these two at the same time.
RtIdleItem *rt_idle_take(RtIdle *idle);
void rt_idle_give(RtIdle *idle, RtIdleItem *item);
void rt_idle_close_items(const RtIdleKind *kind, RtIdleItem *items);

// ---- device.c: what devices of all kinds have in common -------------------------------------------------------------

// A launch that rt_launch has checked: the grid is allowed, arguments are collected.
typedef struct RtCheckedLaunch {
    const RtLaunch *asked;
    const char *label, *name; // as RtLaunch has them; the name is not NULL
    const KernelInfo *kernel;
    bool sequential; // blocks run on one thread, in order
    const uint32_t *grid;
    uint64_t block_count;
    // Of parameters, then of globals, then the reached buffers. Of a kernel of threads: its buffers, then globals.
    const RtArgument *arguments;
    uint32_t parameter_count; // how many of them come before the globals
    uint32_t known_count;     // how many come before the reached buffers: those that the kernel has facts about
    uint32_t argument_count;  // of `arguments`, `bits` and `ranges`
    const uint64_t *bits;     // as HostLaunch.arguments
    const HostRange *ranges;  // as HostLaunch.argument_ranges
    const HostRange *buffers; // as HostLaunch.buffers
    uint64_t buffer_count;
    Arena *arena; // freed after the launch
} RtCheckedLaunch;

// A kind of devices: what rt.h does on them.
typedef struct RtDeviceKind {
    const char *name;
    void (*close)(RtDevice *device); // closes what the kind has opened of the device, which rt_close then frees
    RtBuffer *(*alloc)(RtDevice *device, Diagnostics *diagnostics, size_t size);
    void (*free)(RtDevice *device, RtBuffer *buffer); // the buffer is not NULL
    // `size` is not 0, and the bytes lie in the buffer.
    bool (*copy_in)(RtDevice *device, Diagnostics *diagnostics, RtBuffer *buffer, size_t offset, const void *bytes,
                    size_t size);
    bool (*copy_out)(RtDevice *device, Diagnostics *diagnostics, const RtBuffer *buffer, size_t offset, void *bytes,
                     size_t size);
    // Runs all blocks and waits. False and a diagnostic if they cannot be run. If a block fails, sets *fault, whose
    // site is 0 before, and rt_launch reports it.
    bool (*launch)(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch, RtFault *fault);
} RtDeviceKind;

struct RtDevice {
    const RtDeviceKind *kind;
    unsigned jobs;
    HostRange near; // messages give addresses in it as offsets from the nearest buffer
    RtPrint *print; // rt_print_to
    void *print_data;
    size_t print_bytes; // RtDeviceOptions
    // Of kinds host and simt:
    RtRange range;
    RtShadow shadow; // of kind host alone
    RtPool *pool;
    RtIdleItem *warp_blocks; // warp_device.c keeps them
    void *own;               // what the kind keeps
};

extern const RtDeviceKind rt_host_kind;

// A device of the kind of which nothing is open yet. `jobs` 0: one per processor of this process. NULL and E_RUNTIME on
// failure.
RtDevice *rt_device_new(Diagnostics *diagnostics, const RtDeviceKind *kind, unsigned jobs);
// Opens the pool and the address range of a device whose buffers are memory of the host. False and E_RUNTIME on
// failure.
bool rt_device_open_host_memory(RtDevice *device, Diagnostics *diagnostics, const RtDeviceOptions *options);
// Functions of RtDeviceKind for such devices.
void rt_host_close(RtDevice *device);
RtBuffer *rt_host_alloc(RtDevice *device, Diagnostics *diagnostics, size_t size);
void rt_host_free(RtDevice *device, RtBuffer *buffer);
bool rt_host_copy_in(RtDevice *device, Diagnostics *diagnostics, RtBuffer *buffer, size_t offset, const void *bytes,
                     size_t size);
bool rt_host_copy_out(RtDevice *device, Diagnostics *diagnostics, const RtBuffer *buffer, size_t offset, void *bytes,
                      size_t size);

// ---- warp_device.c: kernels of threads (warp.h) ---------------------------------------------------------------------

// RtDeviceKind.launch of such kernels, for devices whose buffers are memory of the host.
bool warp_launch(RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *checked, RtFault *fault);
void warp_close_blocks(RtDevice *device);

// ---- gpu_prints.c: what the blocks of a launch on a GPU have printed, as records (gpu_abi.h) ------------------------

// The bytes that a launch needs for GpuPrints and its records; 0: nothing is printed. They are zeros but for the head.
size_t rt_gpu_prints_bytes(const RtDevice *device, const KernelInfo *kernel);
GpuPrints rt_gpu_prints_head(size_t bytes);
// After the launch: how many of these bytes have been used.
size_t rt_gpu_prints_used(const GpuPrints *head, size_t bytes);
// Prints the records in the order of the blocks, up to the block that failed. `memory` holds rt_gpu_prints_used bytes.
// False and E_LIMIT if some records found no room, E_RUNTIME if they are damaged.
bool rt_gpu_prints_write(const RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch,
                         const void *memory, size_t bytes, const RtFault *fault);

// ---- fault_message.c ------------------------------------------------------------------------------------------------

// Records the fault as a diagnostic. Always false.
bool rt_report_fault(const RtDevice *device, const RtCheckedLaunch *launch, Diagnostics *diagnostics,
                     const RtFault *fault);
// Appends "LAUNCH: kernel NAME: block (x, y, z): ", with which all messages about a block begin.
void rt_print_block(const RtCheckedLaunch *launch, uint64_t block, Buffer *out);
// Appends "byte 12 of buffer a (argument 0, 64 bytes)", or that the address is in no buffer.
void rt_print_address(const RtDevice *device, const RtCheckedLaunch *launch, uint64_t address, Buffer *out);

#endif
