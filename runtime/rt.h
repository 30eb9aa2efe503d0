// SPDX-License-Identifier: Apache-2.0
// Running compiled kernels: devices of three kinds (host, simt, cuda), their buffers, launches over a grid. Knows
// neither the compiler nor LLVM.
#ifndef CONGRUENT_RT_H
#define CONGRUENT_RT_H

#include "base/base.h"
#include "base/kernel_info.h"

typedef struct RtDevice RtDevice;

// A buffer of a device. It lives until rt_free or rt_close.
typedef struct RtBuffer {
    uint64_t address; // on the device; of kinds host and simt it is an address of this process
    size_t size;      // bytes
    uint32_t widths;  // of which there may be valid records (bit k: 2^k bytes), and HOST_MAY_BE_UNSPECIFIED
    bool unfilled;    // rt_leave_unfilled, and `origin` as given there
    uint32_t origin;
    struct RtBuffer *next;
    const char *name; // for messages, may be NULL. The caller of rt_alloc sets it and keeps the text
} RtBuffer;

typedef struct RtArgument {
    uint64_t bits;    // pointer (an address inside `buffer`), zero-extended integer, or bits of a float
    RtBuffer *buffer; // of a pointer, else NULL
} RtArgument;

typedef struct RtDeviceOptions {
    unsigned jobs; // threads; 0: one per processor of this process
    // Bytes of address space for all buffers. 0: 64 GiB, or less where the system does not give as much.
    size_t address_range;
    unsigned index;     // of kind cuda: which GPU, from 0 on
    size_t print_bytes; // of kinds simt and cuda: room for what the blocks of a launch print; 0: 64 MiB
    // Kernels with shadow memory can be launched. Reserves 61 times as much address space again; it takes memory only
    // where records are written.
    bool shadow;
} RtDeviceOptions;

// Opens the host as a device. NULL and E_RUNTIME on failure. rt_close(NULL) is fine.
RtDevice *rt_open_host(Diagnostics *diagnostics, const RtDeviceOptions *options);
// Opens a GPU through NVIDIA's driver, which is looked for at run time. NULL and E_DEVICE if the driver or the GPU is
// missing; NULL and E_RUNTIME, with the driver's name of the error, if the driver fails.
RtDevice *rt_open_cuda(Diagnostics *diagnostics, const RtDeviceOptions *options);
// Opens the emulator: the host runs code made for GPUs and checks what its threads do (docs/gpu.md). Buffers are memory
// of the host. Refuses `shadow`.
RtDevice *rt_open_simt(Diagnostics *diagnostics, const RtDeviceOptions *options);
void rt_close(RtDevice *device);
const char *rt_name(const RtDevice *device); // of its kind: "host", "simt", "cuda"
// Of kind cuda, NULL for other kinds: the name to compile for ("sm_90"); which GPU and driver it is, for people.
const char *rt_gpu_name(const RtDevice *device);
const char *rt_description(const RtDevice *device);
// Of kind cuda, which keeps every cubin loaded that it has launched: this one is not needed any more.
void rt_unload(RtDevice *device, const void *image, size_t size);
// How many threads of this process are worth using at the same time: RtDeviceOptions.jobs, which are one per processor
// if that was 0.
unsigned rt_jobs(const RtDevice *device);

// A buffer of `size` zeros. NULL and E_RUNTIME if there is no room. In memory of the host it is aligned to 64 bytes and
// lies between unmapped pages; its end is as near to the next one as the alignment allows.
RtBuffer *rt_alloc(RtDevice *device, Diagnostics *diagnostics, size_t size);
void rt_free(RtDevice *device, RtBuffer *buffer);
// Copy `size` bytes at `offset`, which must lie in the buffer (asserted). Copying in invalidates the records of these
// bytes. False and E_RUNTIME only where the driver of a GPU fails.
bool rt_copy_in(RtDevice *device, Diagnostics *diagnostics, RtBuffer *buffer, size_t offset, const void *bytes,
                size_t size);
bool rt_copy_out(RtDevice *device, Diagnostics *diagnostics, const RtBuffer *buffer, size_t offset, void *bytes,
                 size_t size);

// Receives the text that kernels print, piece by piece, one call at a time. The pieces of a block come in the order of
// its prints, and those of a block before those of a block with a higher linear id; none come of blocks above one that
// failed. (If more than 64 MiB wait for a lower block to end, they come before it has ended.) On GPUs and the emulator
// the text comes after the launch; if there was too little room, some is missing and the launch gives E_LIMIT.
typedef void RtPrint(void *data, const char *text, size_t size);
// From here on kernels print to `print`. NULL: prints do nothing, as with a new device.
void rt_print_to(RtDevice *device, RtPrint *print, void *data);

// ---- shadow memory (devices opened with `shadow`)

// Gives the record of the float of `width` bytes (1, 2, 4 or 8) at `offset`, a multiple of the width (asserted). False,
// and a record of zeros, if none is valid for the bits in memory.
bool rt_get_record(const RtDevice *device, const RtBuffer *buffer, size_t offset, unsigned width, HostRecord *record);
// Makes the whole buffer unspecified, with this origin, until kernels or rt_copy_in write it. Its bytes stay. Does
// nothing on devices without shadow memory.
void rt_leave_unfilled(RtDevice *device, RtBuffer *buffer, uint32_t origin);
// Whether some of the `size` bytes at `offset` are unspecified. *origin: who made them; 0 if nobody knows.
bool rt_is_unspecified(const RtDevice *device, const RtBuffer *buffer, size_t offset, unsigned size, uint32_t *origin);
// Gives the float in memory the state, components and store of `record`. Kernels then load them with the float.
void rt_put_record(RtDevice *device, RtBuffer *buffer, size_t offset, unsigned width, const HostRecord *record);
// Bytes of memory in use for records: the pages that hold a valid one.
size_t rt_shadow_bytes(const RtDevice *device);

// ---- races between blocks (devices of kind host, kernels that log what they access)

typedef enum RtRaceSearch {
    RT_RACES_LOOK,       // quick: finds whether there may be races; if so, RT_RACES_JUDGE has to decide
    RT_RACES_ORDER,      // looks for nothing, but runs the blocks in the order of RT_RACES_JUDGE
    RT_RACES_JUDGE,      // runs the blocks one at a time, always in the same order, and finds all races
    RT_RACES_JUDGE_BACK, // the same, from the last block to the first
} RtRaceSearch;
// Whether an acquire may see another release if the blocks run in another order; then RT_RACES_JUDGE_BACK may find more
// races. Always false for kernels that wait, because their blocks may wait for lower ones.
bool rt_races_depend_on_order(const KernelInfo *kernel);

// One of two accesses that race.
typedef struct RtRaceSide {
    uint64_t block;  // linear id
    uint32_t access; // number of the kernel's op (KernelInfo.accesses)
} RtRaceSide;

// All races in a buffer of one launch between the same two ops. A race is harmless where memory ends the same and the
// same is read in either order.
typedef struct RtRace {
    RtBuffer *buffer;
    RtRaceSide sides[2];      // at `first`, in the order in which they came
    uint64_t first;           // half bytes from the buffer's beginning to the first element, one that changes if any do
    uint64_t changing, equal; // how many half bytes race: so that it changes something, and harmlessly
} RtRace;
enum { RT_RACES_MAX = 64 };
typedef struct RtRaces {
    RtRaceSearch search;
    bool suspicious; // RT_RACES_LOOK: blocks access the same elements; whether in an order is not known
    bool incomplete; // RT_RACES_JUDGE: there was too little memory to know all
    uint32_t count;
    RtRace races[RT_RACES_MAX];
    bool more; // there were more than RT_RACES_MAX
} RtRaces;

// A launch of a kernel. Kernel, label, grid and arguments are needed; the rest may be zero. All it points to is the
// caller's, and is used only until rt_launch returns.
typedef struct RtLaunch {
    const char *label;        // names it in messages ("fused, launch 1 of 3")
    const KernelInfo *kernel; // one that the device can run: host needs `entry`, simt `simt`, cuda `image`
    const char *name;         // of the kernel in messages; NULL: kernel->name
    uint32_t grid[3];         // 1 .. 2^24 - 1 each
    // One for each parameter, then one for each global, which is a whole buffer.
    const RtArgument *arguments;
    bool in_order; // blocks run one after the other, though the kernel does not need it
    // For kernels with shadow memory.
    uint32_t store_base;                // added to the number of the kernel's store in HostRecord.store
    const HostRecord *argument_records; // for each argument the record of its float, all zero if none; NULL: no records
    uint64_t *uses;                     // HostLaunch.uses
    // For kernels that log accesses: what to search for, and what was found. NULL: nothing.
    RtRaces *races;
} RtLaunch;

// Runs every block of the grid and waits. If blocks fail, the message names launch, block, op and source line of the
// failed block with the lowest linear id, whatever the number of threads. False and E_BOUNDS, E_ASSERT, E_RUNTIME or
// E_LIMIT; E_ARGUMENT if the device cannot run the kernel or the grid.
bool rt_launch(RtDevice *device, Diagnostics *diagnostics, const RtLaunch *launch);

#endif
