// SPDX-License-Identifier: Apache-2.0
// Running kernels: devices of several kinds, their buffers, arguments, launches over a grid. Knows neither the compiler
// nor LLVM.
#ifndef CONGRUENT_RT_H
#define CONGRUENT_RT_H

#include "base/base.h"
#include "base/gpu_abi.h"
#include "base/host_abi.h"
#include "base/simt_abi.h"

typedef struct RtDevice RtDevice;

// A kernel as the runtime needs it; the strings and arrays belong to whoever compiled it and must outlive the launch.
typedef struct RtSite {
    HostSiteKind kind;
    const char *op, *message;
    Location at;
} RtSite;
// An op that touches memory or waits for others.
typedef struct RtPlace {
    const char *op;
    Location at;
} RtPlace;
// An op that tells what it accesses (HostAccess.op).
typedef struct RtAccess {
    const char *op;
    Location at;
    uint32_t kind; // HOST_ACCESS_*
} RtAccess;
struct RtRaces;
typedef struct RtKernel {
    const char *name; // for messages
    HostEntry *entry; // of devices of kind host
    size_t scratch_bytes;
    uint32_t parameter_count, global_count; // launches take an argument for each parameter, then one for each global
    uint32_t site_count;
    const RtSite *sites;
    bool sequential, prints, has_locals;
    // Of kernels with shadow memory: the widths (bit k: 2^k bytes) of the floats stored through each parameter and each
    // global, and through pointers of unknown origin. NULL for others: no record in their buffers is valid any more.
    const uint32_t *stored_widths;
    uint32_t stored_widths_unknown;
    // Of one launch of such a kernel: what records say beside the number of the kernel's store, and for each argument
    // the record of a float (all zero: it has none; NULL: none has).
    uint32_t store_base;
    const HostRecord *argument_records;
    uint64_t *uses; // HostLaunch.uses; the caller's, or NULL
    // Of kernels that tell what they access (CompiledKernel has the same), and what one launch of such a kernel looks
    // for in it (NULL: nothing).
    uint32_t access_count;
    const RtAccess *accesses;
    const uint8_t *stores_through; // NULL: the kernel does not tell
    bool stores_unknown, looks, waits;
    struct RtRaces *races;
    // Of kernels for GPUs.
    uint32_t threads;             // of a block
    size_t shared_bytes;          // dynamic shared memory of a block
    const HostPrint *print_forms; // of its prints, by the numbers that records give (GpuPrintRecord); their values have
    uint32_t print_form_count;    // no elements
    // Devices of kind simt: one thread; the module's variable GPU_LAUNCH_NAME, the pointer it reads the emulator's
    // functions from, and the ops that these are told of. They belong to the module: one launch of it at a time.
    SimtEntry *simt;
    GpuLaunch *launch;
    const SimtOps **simt_ops;
    uint32_t place_count;
    const RtPlace *places;
    // Devices of kind cuda: the cubin that the kernel is in, and what it is called there.
    const void *image;
    size_t image_size;
    const char *symbol;
} RtKernel;

// A buffer of a device: `address` is what kernels get (of the host's memory only on host and simt). Freed with
// rt_buffer_free or with its device.
typedef struct RtBuffer {
    uint64_t address;
    size_t size;     // bytes
    uint32_t widths; // of which there may be valid records in its shadow (bit k: 2^k bytes); HOST_MAY_BE_UNSPECIFIED
    bool unfilled;   // rt_leave_unfilled
    uint32_t origin;
    struct RtBuffer *next;
    const char *name; // for messages; set by who allocates, who keeps the text; NULL: messages name the argument alone
} RtBuffer;

typedef struct RtArgument {
    uint64_t bits;    // pointer (an address inside `buffer`), zero-extended integer, or bits of a float
    RtBuffer *buffer; // of a pointer, else NULL
} RtArgument;

typedef struct RtDeviceOptions {
    unsigned jobs; // threads; 0: one per processor of this process
    size_t
        address_range;  // bytes to reserve for all buffers; 0: 64 GiB, less where less can be had (address space only)
    unsigned index;     // of kind cuda: which GPU, from 0 on
    size_t print_bytes; // of kinds simt and cuda: room for what the blocks of a launch print; 0: 64 MiB
    bool shadow; // kernels with shadow memory can be launched; costs 61 times the addresses more, memory only where
                 // records are written
} RtDeviceOptions;

// Opens the host device: its thread pool and address range. NULL and E_RUNTIME on failure. rt_close(NULL) is fine.
RtDevice *rt_open_host(Diagnostics *diagnostics, const RtDeviceOptions *options);
// Opens a GPU through NVIDIA's driver, which is looked for at run time. NULL and E_DEVICE where it or the GPU is
// missing, E_RUNTIME where the driver fails; the message gives the driver's own name for it.
RtDevice *rt_open_cuda(Diagnostics *diagnostics, const RtDeviceOptions *options);
// Opens the emulator: kernels compiled for GPUs run on the host, which checks what their threads do (docs/gpu.md). Its
// memory is the host's, `shadow` is refused.
RtDevice *rt_open_simt(Diagnostics *diagnostics, const RtDeviceOptions *options);
void rt_close(RtDevice *device);
const char *rt_name(const RtDevice *device); // of its kind: "host", "simt", "cuda"
// Of kind cuda: "sm_90", what to compile for; and which GPU and driver it is, for people. NULL for other kinds.
const char *rt_gpu_name(const RtDevice *device);
const char *rt_description(const RtDevice *device);
// Of kind cuda: the cubin is not needed any more; the device had kept it loaded.
void rt_unload(RtDevice *device, const void *image, size_t size);
// Threads that the device uses, or of a GPU those of this process: how much is worth doing at the same time.
unsigned rt_jobs(const RtDevice *device);

// A zeroed buffer of `size` bytes; in the host's memory unmapped pages lie on both sides, and its END is as close to
// the following unmapped page as 64-byte alignment of its start allows. NULL and E_RUNTIME if there is no room.
RtBuffer *rt_alloc(RtDevice *device, Diagnostics *diagnostics, size_t size);
void rt_free(RtDevice *device, RtBuffer *buffer);
// Copies; `offset + size` must lie inside the buffer (asserted). Records of bytes that are written become invalid.
// False and E_RUNTIME only where the device is a GPU and its driver fails.
bool rt_copy_in(RtDevice *device, Diagnostics *diagnostics, RtBuffer *buffer, size_t offset, const void *bytes,
                size_t size);
bool rt_copy_out(RtDevice *device, Diagnostics *diagnostics, const RtBuffer *buffer, size_t offset, void *bytes,
                 size_t size);

// Where the text goes that kernels print: `print` gets it piece by piece, never two at a time, the pieces of a block in
// the order of its prints, those of a lower block (linear id) before those of a higher one, and none of blocks above
// one that failed. NULL: nowhere, as after rt_open_host. (Where more than 64 MiB wait for a lower block to end they are
// printed before it has.) On GPUs and the emulator it comes after the launch, and what found no room there is missing;
// that is E_LIMIT.
typedef void RtPrint(void *data, const char *text, size_t size);
void rt_print_to(RtDevice *device, RtPrint *print, void *data);

// ---- shadow memory (devices opened with `shadow`)

// The record of the float of `width` bytes (1, 2, 4 or 8) at `offset`, a multiple of the width (asserted). False, and
// zeros, if there is none that is valid and belongs to the bits in memory.
bool rt_get_record(const RtDevice *device, const RtBuffer *buffer, size_t offset, unsigned width, HostRecord *record);
// What no kernel writes into the buffer is unspecified from here on, and was made by `origin`; until it is filled by
// rt_copy_in. What it holds stays. Of devices without shadow memory: nothing.
void rt_leave_unfilled(RtDevice *device, RtBuffer *buffer, uint32_t origin);
// Whether some of the `size` bytes at `offset` are unspecified; and who made them, 0 where nobody knows.
bool rt_is_unspecified(const RtDevice *device, const RtBuffer *buffer, size_t offset, unsigned size, uint32_t *origin);
// Sets it; the record's bits and HOST_RECORD_VALID are taken from memory. Kernels then read the payload with the float.
void rt_put_record(RtDevice *device, RtBuffer *buffer, size_t offset, unsigned width, const HostRecord *record);
// Bytes of memory that hold records now: whole pages in which there is a valid one.
size_t rt_shadow_bytes(const RtDevice *device);

// ---- races between blocks (devices of kind host, kernels that tell what they access)

typedef enum RtRaceSearch {
    RT_RACES_LOOK,  // finds out whether there may be any, which RT_RACES_JUDGE then has to decide; quick
    RT_RACES_ORDER, // looks for nothing; the blocks run in the order of RT_RACES_JUDGE
    RT_RACES_JUDGE, // runs the blocks one at a time, in an order that is always the same, and finds all races in it
    RT_RACES_JUDGE_BACK, // the same from the last block to the first
} RtRaceSearch;
// Whether what acquires order may be another one in another order of the blocks, so that RT_RACES_JUDGE_BACK may find
// more. Not of kernels that wait: blocks may wait for those before them.
bool rt_races_depend_on_order(const RtKernel *kernel);

// One of two accesses that race.
typedef struct RtRaceSide {
    uint64_t block;  // linear id
    uint32_t access; // number of the kernel's op (RtKernel.accesses)
} RtRaceSide;

// All races in a buffer of one launch between the same two ops. Places are in half bytes, from the buffer's beginning.
typedef struct RtRace {
    RtBuffer *buffer;
    RtRaceSide sides[2]; // those of the first element, in the order in which they came
    uint64_t first;      // where it begins; of the elements that change, if there are some
    uint64_t changing,
        equal; // half bytes: where the order changes what memory holds or what is read, where it does not
} RtRace;
enum { RT_RACES_MAX = 64 };
typedef struct RtRaces {
    RtRaceSearch search;
    bool suspicious; // RT_RACES_LOOK: blocks touch the same elements; whether in order is not known
    bool incomplete; // RT_RACES_JUDGE: there was too little room to know all
    uint32_t count;
    RtRace races[RT_RACES_MAX]; // beyond them none are kept: `more`
    bool more;
} RtRaces;

// Runs every block of the grid and waits. Arguments of globals are buffers, all of which the global may be used to
// touch. `label` names the launch in messages ("fused, launch 1 of 3"). On a fault the message names launch, block, op
// and source line; it is the fault of the lowest linear block id, for every thread count. False and E_BOUNDS, E_ASSERT
// or E_RUNTIME. Grid dimensions: 1 .. 2^24 - 1 each, else E_ARGUMENT.
bool rt_launch(RtDevice *device, Diagnostics *diagnostics, const char *label, const RtKernel *kernel,
               const uint32_t grid[3], const RtArgument *arguments);

#endif
