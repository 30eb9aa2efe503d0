// SPDX-License-Identifier: Apache-2.0
// Running kernels: devices of several kinds, their buffers, arguments, launches over a grid. Knows neither the compiler
// nor LLVM.
#ifndef CONGRUENT_RT_H
#define CONGRUENT_RT_H

#include "base/base.h"
#include "base/kernel_info.h"

typedef struct RtDevice RtDevice;

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
    bool shadow; // kernels with shadow memory can be launched; reserves 61 times as much address space again, and uses
                 // memory only where records are written
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

// ---- races between blocks (devices of kind host, kernels that log what they access)

typedef enum RtRaceSearch {
    RT_RACES_LOOK,  // finds out whether there may be any, which RT_RACES_JUDGE then has to decide; quick
    RT_RACES_ORDER, // looks for nothing; the blocks run in the order of RT_RACES_JUDGE
    RT_RACES_JUDGE, // runs the blocks one at a time, in an order that is always the same, and finds all races in it
    RT_RACES_JUDGE_BACK, // the same from the last block to the first
} RtRaceSearch;
// Whether an acquire may see another release if the blocks run in another order, so that RT_RACES_JUDGE_BACK may find
// more. Not of kernels that wait: blocks may wait for those before them.
bool rt_races_depend_on_order(const KernelInfo *kernel);

// One of two accesses that race.
typedef struct RtRaceSide {
    uint64_t block;  // linear id
    uint32_t access; // number of the kernel's op (KernelInfo.accesses)
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

// A launch of a kernel. Zeros are fine for all that is not said to be needed.
typedef struct RtLaunch {
    const char *label;        // names it in messages ("fused, launch 1 of 3")
    const KernelInfo *kernel; // which the device can run: host needs `entry`, simt `simt`, cuda `image`
    const char *name;         // of the kernel in messages; NULL: kernel->name
    uint32_t grid[3];         // 1 .. 2^24 - 1 each
    // One for each parameter, then one for each global: a buffer, all of which the global may be used to touch.
    const RtArgument *arguments;
    bool in_order; // blocks run one after the other, though the kernel does not need it
    // Of kernels with shadow memory: what records say beside the number of the kernel's store; for each argument the
    // record of a float (all zero: it has none; NULL: none has); HostLaunch.uses, the caller's, or NULL.
    uint32_t store_base;
    const HostRecord *argument_records;
    uint64_t *uses;
    // Of kernels that log what they access: what is looked for in it (NULL: nothing), and what was found.
    RtRaces *races;
} RtLaunch;

// Runs every block of the grid and waits. On a fault the message names launch, block, op and source line; it is the
// fault of the lowest linear block id, for every thread count. False and E_BOUNDS, E_ASSERT or E_RUNTIME, E_ARGUMENT of
// a grid that is not allowed.
bool rt_launch(RtDevice *device, Diagnostics *diagnostics, const RtLaunch *launch);

#endif
