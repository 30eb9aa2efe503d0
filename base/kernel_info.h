// SPDX-License-Identifier: Apache-2.0
// KernelInfo, the one description of a compiled kernel. The lowering fills it in, the compiler gives it out with the
// code, the runtime launches it. Cubins are read into it as well (runtime/cubin.h).
#ifndef CONGRUENT_KERNEL_INFO_H
#define CONGRUENT_KERNEL_INFO_H

#include "base/base.h"
#include "base/gpu_abi.h"
#include "base/host_abi.h"
#include "base/range_census.h"
#include "base/simt_abi.h"
#include "base/warp_abi.h"

// A place that can fail. Faults name it by its number among KernelInfo.sites.
typedef struct KernelSite {
    HostSiteKind kind;
    const char *op;      // mnemonic
    const char *message; // of an assertion; else what the access is ("load of tile (1x64x64)"), or NULL
    Location at;
} KernelSite;

// An op that stores floats, or an op that makes, passes on or depends on unspecified values, or one that decides.
typedef struct KernelStore {
    const char *op; // mnemonic
    Location at;
    const char *unspecified; // NULL: the op stores. Else what is unspecified: "elements outside the tensor, .."
    bool passed_on;          // the op did not make the unspecified value: it passes it on, or depends on it
    bool decides;            // the op asks a HostDecider (CompileOptions.decisions); `unspecified` is then no NULL
} KernelStore;

// An op whose accesses are logged. Accesses name it by its number (HostAccess.op).
typedef struct KernelAccess {
    const char *op; // mnemonic
    Location at;
    uint32_t kind; // HOST_ACCESS_*
} KernelAccess;

// An op that accesses memory or waits for other threads. Calls of the emulator name it by its number (SimtOps).
typedef struct KernelPlace {
    const char *op; // mnemonic
    Location at;
    uint32_t
        losses; // of kernels of threads in payload arithmetic, bit k: what it stores may depend on a loss of kind k
} KernelPlace;

// What PTX may have lost of its source, in a way that payloads show.
typedef enum KernelLossKind {
#define LOSS(id, ...) KERNEL_LOSS_##id,
#include "base/losses.def"
#undef LOSS
    KERNEL_LOSS_KINDS
} KernelLossKind;
typedef enum KernelLossTold {
    KERNEL_LOSS_TOLD_ALONE,
    KERNEL_LOSS_TOLD_DIVERGED,
    KERNEL_LOSS_TOLD_ALWAYS
} KernelLossTold;
typedef struct KernelLossInfo { // a row of losses.def
    const char *name;
    KernelLossTold told; // when
    const char *meaning;
} KernelLossInfo;
const KernelLossInfo *kernel_loss_info(KernelLossKind kind);
typedef struct KernelLoss {
    KernelLossKind kind;
    const char *op; // mnemonic
    Location at;
} KernelLoss;

// An instruction of threads that may read what nobody has written: a register, or a parameter or result of a call.
typedef struct KernelUnwritten {
    const char *what, *op; // its name; mnemonic
    Location at;
    bool certain; // no way there writes it, and a product adds to it: the kernel is refused
} KernelUnwritten;

// A parameter of a kernel whose parameters are a block of bytes.
typedef struct KernelParameter {
    uint32_t offset, size, alignment; // bytes
} KernelParameter;

// A function that runs beside a kernel, or carries out an asynchronous operation of it (base/block_abi.h). Its sites,
// stores, accesses and places are among those of the kernel.
typedef struct KernelPart {
    const char *symbol;
    uint32_t parameter_count; // without the last one, the block's memory
    const bool *pointers;     // for each parameter whether it is one
    size_t scratch_bytes;
    HostEntry *entry; // code for processors
} KernelPart;

// All it points to belongs to whoever made it: a CompiledModule, or the arena and the image that cubin_kernel was
// given.
//
//   code           field                                    devices that launch it
//   of processors  entry                                    host
//   of GPUs        simt, launch, simt_ops, places; threads  simt
//   of GPUs        image, symbol; threads                   cuda
//   of threads     warp, warp_functions, parameter_layout,  host, simt
//                  places
typedef struct KernelInfo {
    const char *name;
    const char *symbol; // of its code: in the LLVM module, or in the cubin
    // A launch takes an argument for each parameter, then one for each global. The latter count is 0 if the kernel uses
    // no globals.
    uint32_t parameter_count, global_count;
    size_t scratch_bytes; // of a block
    uint32_t site_count;
    const KernelSite *sites;
    bool sequential; // blocks must run one at a time, in order (float atomics in an IEEE mode; of kernels of threads
                     // those that tell each other something, too)
    bool prints;     // some of its ops print
    bool has_locals; // it has an alloca: with shadow memory its scratch must be memory that can have records
    bool heedless;   // its blocks do not heed each other: nobody sees in which order they run
    bool grouped;    // that, and they have products: they run in the order of groups
    bool cancels;    // a block may take the place of one that has not begun (BLOCK_TRY_CANCEL): they run in order
    // Of kernels with a memory of the block's own: its bytes, without staging memory; 0: there is none. Its address is
    // an argument behind all others, which is not counted among the parameters.
    size_t memory_bytes;
    uint32_t part_count; // parts 1, 2, ..; the kernel is part 0
    const KernelPart *parts;
    uint32_t memory_widths; // with shadow memory: the widths of floats that are stored in it
    bool keeps_words;       // with shadow memory: floats of four bytes are kept there as parts, in the words of records
                            // for the state and the components; they are always valid

    // With shadow memory. HostRecord.store says by its number among `stores` which op stored the float. The origin of
    // an unspecified value (tower_origin) is the number of the op that made it, plus 1.
    uint32_t store_count;
    const KernelStore *stores;
    // For each parameter, then each global: the widths of the floats that are stored through it (bit k: 2^k bytes).
    // NULL: the kernel keeps no records, so a launch invalidates those of all its buffers.
    const uint32_t *stored_widths;
    HostRecords records;            // what its records are of
    bool deep_records;              // they have all components of HostRecord
    uint32_t stored_widths_unknown; // the widths stored through pointers of unknown origin

    // With a log of accesses (CompileOptions.races).
    uint32_t access_count;
    const KernelAccess *accesses;
    const uint8_t *stores_through; // for each parameter, then each global: 1 if an op may store through it; NULL: the
                                   // kernel does not log
    bool stores_unknown;           // an op may store through a pointer of unknown origin
    bool looks;                    // what a block does may depend on blocks that run at the same time: it reads what
                                   // they write by atomics
    bool waits;                    // a block may wait for other blocks in a loop

    // With a census (CompileOptions.census).
    uint32_t census_site_count;
    const KernelCensusSite *census_sites; // NULL: nothing is counted
    size_t census_offset;                 // of their states in the block's scratch

    // For GPUs.
    uint32_t threads;             // of a block
    size_t shared_bytes;          // dynamic shared memory of a block
    uint32_t print_form_count;    // its prints, by the numbers in GpuPrintRecord.form
    const HostPrint *print_forms; // their values have no elements

    // Code for processors.
    HostEntry *entry;
    // Code for GPUs that the processor runs. `launch` and `simt_ops` are variables of the module, so there can be one
    // launch of the module at a time.
    SimtEntry *simt;          // one thread
    GpuLaunch *launch;        // GPU_LAUNCH_NAME
    const SimtOps **simt_ops; // the emulator stores the address of its functions here
    uint32_t place_count;
    const KernelPlace *places;
    // Code of threads, PTX, that the processor runs a warp at a time. The launch says how many threads a block has and
    // gives the parameters as a block of bytes.
    WarpEntry *warp;
    const WarpFunctions *warp_functions;
    uint32_t parameter_bytes;
    const KernelParameter *parameter_layout;           // `parameter_count` of them
    uint32_t static_shared, shared_alignment;          // bytes; dynamic shared memory follows, aligned like that
    uint32_t required_threads[3], required_cluster[3]; // 0: not said
    uint32_t threads_max;                              // of a block; 0: not said
    uint32_t local_bytes;                              // local memory of a thread that the kernel itself uses
    uint32_t loss_count;
    const KernelLoss *losses; // in payload arithmetic; of the kernel and of functions that it may call
    uint32_t unwritten_count;
    const KernelUnwritten *unwritten; // likewise; a function names some of those that it has
    // Code for GPUs: the cubin.
    const void *image;
    size_t image_size;
} KernelInfo;

// ---- kernel_info.c

// The word for a kind of sites in the text KERNEL_sites (base/gpu_abi.h).
const char *kernel_site_kind(HostSiteKind kind);

// ---- kernel_image.c: descriptions as bytes

// The kernels of a module, and the places that those of threads and of the emulator share.
typedef struct KernelImage {
    uint32_t kernel_count, place_count;
    KernelInfo *kernels;
    const KernelPlace *places;
} KernelImage;

// Appends the descriptions as bytes, for kernel_image_read of the same build of this program. Code and cubins are not
// among them.
void kernel_image_write(const KernelImage *image, Buffer *out);
// Reads them from the beginning of the bytes, everything in the arena, with the places given to every kernel. *used:
// how many bytes they took. False: they are damaged.
bool kernel_image_read(Arena *arena, const uint8_t *bytes, size_t size, KernelImage *image, size_t *used);

#endif
