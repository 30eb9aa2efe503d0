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
    uint64_t address;    // on the device; of kinds host and simt it is an address of this process
    size_t size;         // bytes
    uint32_t widths;     // of which there may be valid records (bit k: 2^k bytes), and HOST_MAY_BE_UNSPECIFIED
    bool deep;           // there may be records with all components (KernelInfo.deep_records)
    HostRecords records; // what the records are of. The caller of rt_put_record sets it where they are not of towers
    bool unfilled;       // rt_leave_unfilled, and `origin` as given there
    uint32_t origin;
    uint32_t kept_widths; // of which there is memory for records, though none may be valid (rt_renew)
    size_t kept_bytes;    // of that memory
    bool aside;           // rt_set_aside
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
// As rt_free, but the memory of the buffer and of its records may be kept for rt_take_aside, up to 64 MiB of each.
// rt_alloc gives it back where it needs the addresses.
void rt_set_aside(RtDevice *device, RtBuffer *buffer);
// Buffers of these sizes as rt_alloc gives them, but with any contents, if exactly such were set aside and lie in that
// order. Else false: all memory that was kept is given back. So buffers lie where they would without any of this.
bool rt_take_aside(RtDevice *device, uint32_t count, const size_t *sizes, RtBuffer **taken);
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
// Says that floats of `width` bytes will get records; `deep`: with all components.
void rt_expect_records(RtDevice *device, RtBuffer *buffer, unsigned width, bool deep);
// As rt_put_record for `count` floats that follow one another, the first at `offset`; the buffer expects their records.
// Those without HOST_RECORD_VALID are left out. Threads may call it at the same time for different floats.
void rt_put_records(RtDevice *device, RtBuffer *buffer, size_t offset, unsigned width, size_t count,
                    const HostRecord *records);
// Likewise as rt_get_record. The result is how many records are valid.
size_t rt_get_records(const RtDevice *device, const RtBuffer *buffer, size_t offset, unsigned width, size_t count,
                      HostRecord *records);
// Calls `work` with each part from 0 to parts - 1, on the threads of the device, and waits.
void rt_share_out(RtDevice *device, uint32_t parts, void (*work)(void *data, uint32_t part), void *data);
// Makes all records of the buffer invalid, as copying in does, but keeps some of their memory for those to come.
void rt_renew(RtDevice *device, RtBuffer *buffer);
// Bytes that the record of a float of `width` bytes takes; `deep`: with all components.
unsigned rt_record_bytes(unsigned width, bool deep);
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

// Who has written elements of a buffer: for each the place (1 + number in KernelInfo.places) plus `base` of the last
// instruction that stored to it; 0: none has. The caller's.
typedef struct RtWriters {
    uint64_t address, bytes;
    uint32_t element; // bytes of an element
    uint32_t *places;
} RtWriters;

// The threads of a launch of a kernel of threads (KernelInfo.warp).
// Memory that a launch has read although nobody wrote it. Places: 1 + the number of an instruction that did among
// KernelInfo.places, in the lowest block in which there is one; 0: nothing was.
typedef struct RtUnwritten {
    uint32_t shared, local;
    uint64_t rounds; // as many as RtThreads.rounds must allow
} RtUnwritten;

typedef struct RtThreads {
    uint32_t block[3];         // threads of a block
    uint32_t cluster[3];       // blocks of a cluster: 1, 1, 1
    uint32_t shared_bytes;     // dynamic shared memory
    const uint8_t *parameters; // KernelInfo.parameter_bytes of them
    // The buffers that the parameters point to: with the globals' these are what the kernel may access.
    RtBuffer *const *buffers;
    uint32_t buffer_count;
    bool reverse;      // schedule: the highest warp first, asynchronous operations as late as they may be
    uint64_t rounds;   // backward branches that all warps of a block together may make; 0: any number
    bool check_fences; // warn of tcgen05.fence that is missing
    const RtWriters *writers;
    uint32_t writer_count, writer_base; // RtWriters
    // What registers, local and shared memory hold that nobody has written: numbers of this seed; 0: zeros.
    uint32_t unspecified;
    RtUnwritten *unwritten; // receives what the launch has read of it; NULL: not asked
} RtThreads;

// ---- kernels whose blocks have parts (base/block_abi.h): what is wrong with how they work together

typedef enum RtFindingKind {
#define BLOCK_FINDING(id, ...) RT_FINDING_##id,
#include "runtime/block_findings.def"
#undef BLOCK_FINDING
    RT_FINDING_KINDS
} RtFindingKind;

// Something that is wrong although the launch goes on.
typedef struct RtFinding {
    const char *message; // a sentence that names both places, but not the block
    Location at, other;  // where it showed; where the other one of two is, or nowhere
    uint64_t block;      // linear id of the lowest block that has it
    RtFindingKind kind;
} RtFinding;
enum { RT_FINDINGS_MAX = 16 };
typedef struct RtFindings {
    Arena *arena; // the caller's, for the messages; places are the kernel's
    uint32_t count;
    RtFinding items[RT_FINDINGS_MAX]; // those of the lowest blocks, each pair of places once
    bool more;                        // there were more than RT_FINDINGS_MAX
} RtFindings;
const char *rt_finding_name(RtFindingKind kind); // "pending_write"

// ---- tensor maps: how copy engines see an array in global memory (tensor_map.c)

enum { RT_MAP_BYTES = 128, RT_MAP_ALIGNMENT = 64, RT_MAP_RANK_MAX = 5 };
// Numbers of these three are those of the driver's functions.
typedef enum RtMapType {
    RT_MAP_U8,
    RT_MAP_U16,
    RT_MAP_U32,
    RT_MAP_I32,
    RT_MAP_U64,
    RT_MAP_I64,
    RT_MAP_F16,
    RT_MAP_F32,
    RT_MAP_F64,
    RT_MAP_BF16,
    RT_MAP_F32_FTZ,
    RT_MAP_TF32,
    RT_MAP_TF32_FTZ,
    RT_MAP_16U4_ALIGN8B,
    RT_MAP_16U4_ALIGN16B,
    RT_MAP_16U6_ALIGN16B,
    RT_MAP_TYPES
} RtMapType;
typedef enum RtMapInterleave { RT_MAP_LINEAR, RT_MAP_INTERLEAVE_16B, RT_MAP_INTERLEAVE_32B } RtMapInterleave;
typedef enum RtMapSwizzle {
    RT_MAP_NO_SWIZZLE,
    RT_MAP_SWIZZLE_32B,
    RT_MAP_SWIZZLE_64B,
    RT_MAP_SWIZZLE_128B,
    RT_MAP_SWIZZLE_128B_ATOM_32B,
    RT_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    RT_MAP_SWIZZLE_128B_ATOM_64B
} RtMapSwizzle;
// A map of tiles. Arrays have the innermost dimension first.
typedef struct RtMap {
    RtMapType type;
    uint32_t rank;    // 1 .. RT_MAP_RANK_MAX
    uint64_t address; // of the array on the device
    uint64_t dimension[RT_MAP_RANK_MAX];
    uint64_t stride[RT_MAP_RANK_MAX]; // bytes from one index to the next; that of dimension 0 is not looked at
    uint32_t box[RT_MAP_RANK_MAX], element_stride[RT_MAP_RANK_MAX];
    RtMapInterleave interleave;
    RtMapSwizzle swizzle;
    bool fill_nan; // elements outside are NaN, else zero
} RtMap;
// Writes the map as kernels get it: 128 bytes of a form of our own. False and E_ARGUMENT with `at` if the rules of
// cuTensorMapEncodeTiled do not allow it, E_UNSUPPORTED if they do, but nobody has confirmed what the map means; the
// message has the number that is wrong and what is allowed.
bool rt_encode_map(Diagnostics *diagnostics, Location at, const RtMap *map, uint8_t bytes[RT_MAP_BYTES]);
// Bytes from the map's address to the end of the last element. For maps that rt_encode_map allows.
uint64_t rt_map_extent(const RtMap *map);

// A launch of a kernel. Kernel, label, grid and arguments are needed; the rest may be zero. All it points to is the
// caller's, and is used only until rt_launch returns.
typedef struct RtLaunch {
    const char *label;        // names it in messages ("fused, launch 1 of 3")
    const KernelInfo *kernel; // one that the device can run: host needs `entry`, simt `simt`, cuda `image`
    const char *name;         // of the kernel in messages; NULL: kernel->name
    uint32_t grid[3];         // 1 .. 2^24 - 1 each
    // One for each parameter, then one for each global, which is a whole buffer.
    const RtArgument *arguments;
    const char *const *parameter_names; // of each parameter, for messages, NULL: it has none. NULL: none has
    const uint32_t *parameter_arguments; // which argument, from 0, each parameter is a part of. NULL: one is one
    // Buffers that the kernel may access too, if it finds their addresses in memory.
    RtBuffer *const *reached;
    uint32_t reached_count;
    bool in_order; // blocks run one after the other, though the kernel does not need it
    // For kernels with shadow memory.
    uint32_t store_base;                // added to the number of the kernel's store in HostRecord.store
    const HostRecord *argument_records; // for each argument the record of its float, all zero if none; NULL: no records
    uint64_t *uses;                     // HostLaunch.uses
    KernelCensusCount *census; // for kernels with a census: what the launch counts is added, site by site. NULL: it is
                               // not asked
    const RtThreads *threads;  // of kernels of threads; else NULL. Such a launch has arguments for the globals only
    // For kernels that log accesses: what to search for, and what was found. NULL: nothing.
    RtRaces *races;
    // Of kernels whose blocks have parts: asynchronous operations are done at once, not as late as possible; receives
    // what is wrong (its arena is set, the rest is overwritten). NULL: nobody asks, and nothing is checked but what
    // keeps a block from going on.
    bool async_early;
    bool unchecked; // as if `findings` were NULL
    RtFindings *findings;
    // Of kernels of threads: receives what is no error, but may be one on a GPU, each instruction once. NULL: nothing
    // is kept.
    Diagnostics *warnings;
} RtLaunch;

// In the message of a block that made more rounds than CompileOptions.iterations allows.
#define RT_ROUNDS_TEXT "rounds of loops in this block"

// Runs every block of the grid and waits. If blocks fail, the message names launch, block, op and source line of the
// failed block with the lowest linear id, whatever the number of threads. False and E_BOUNDS, E_ASSERT, E_RUNTIME or
// E_LIMIT; E_ARGUMENT if the device cannot run the kernel or the grid.
bool rt_launch(RtDevice *device, Diagnostics *diagnostics, const RtLaunch *launch);

#endif
