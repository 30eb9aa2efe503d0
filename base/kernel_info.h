// SPDX-License-Identifier: Apache-2.0
// A compiled kernel: the one description that lowering fills in, the compiler gives out with the code, and the runtime
// launches. Cubins are read into it as well.
#ifndef CONGRUENT_KERNEL_INFO_H
#define CONGRUENT_KERNEL_INFO_H

#include "base/base.h"
#include "base/gpu_abi.h"
#include "base/host_abi.h"
#include "base/simt_abi.h"

// A place that can fail, by the number that faults give (HostFault).
typedef struct KernelSite {
    HostSiteKind kind;
    const char *op;      // mnemonic
    const char *message; // of an assertion; what the access is otherwise ("load of tile (1x64x64)"), or NULL
    Location at;
} KernelSite;

// An op that stores floats, or one that makes values that nobody specified.
typedef struct KernelStore {
    const char *op; // mnemonic
    Location at;
    const char *unspecified; // NULL: a store. Else what is unspecified: "elements outside the tensor, .."
    bool passed_on;          // but it was made elsewhere: the op passes it on, or depends on it
} KernelStore;

// An op whose accesses are logged (HostAccess.op).
typedef struct KernelAccess {
    const char *op; // mnemonic
    Location at;
    uint32_t kind; // HOST_ACCESS_*
} KernelAccess;

// An op that touches memory or waits for others.
typedef struct KernelPlace {
    const char *op; // mnemonic
    Location at;
} KernelPlace;

// Arrays and texts belong to whoever made it: a CompiledModule, or the arena that cubin_kernel was given.
//
//   code           field                                    devices that launch it
//   of processors  entry                                    host
//   of GPUs        simt, launch, simt_ops, places; threads  simt
//   of GPUs        image, symbol; threads                   cuda
typedef struct KernelInfo {
    const char *name;
    const char *symbol; // of its code: in the LLVM module, or in the cubin
    // A launch takes an argument for each parameter, then one for each global (0 if the kernel uses none).
    uint32_t parameter_count, global_count;
    size_t scratch_bytes; // of a block
    uint32_t site_count;
    const KernelSite *sites;
    bool sequential; // blocks must run on one thread, in order (float atomics in an IEEE mode)
    bool prints;     // some of its ops print
    bool has_locals; // alloca: with shadow memory, the scratch must be memory that may have records

    // With shadow memory. A record names the op that stored its float by its number among `stores`
    // (HostRecord.store); an unspecified value names who made it by its number there plus 1 (tower_origin).
    uint32_t store_count;
    const KernelStore *stores;
    // For each parameter, then each global: the widths of the floats that are stored through it (bit k: 2^k bytes).
    // NULL: the kernel keeps no records, and invalidates all of its buffers.
    const uint32_t *stored_widths;
    uint32_t stored_widths_unknown; // the same of pointers of unknown origin

    // With a log of accesses (CompileOptions.races).
    uint32_t access_count;
    const KernelAccess *accesses;
    const uint8_t *stores_through; // for each parameter, then each global: whether an op may store through it; NULL:
                                   // the kernel does not log
    bool stores_unknown;           // through pointers of unknown origin
    bool looks;                    // a block may depend on others that run at the same time: it reads their atomics
    bool waits;                    // it may wait for them in a loop

    // Of GPUs: threads and dynamic shared memory of a block; the kernel's prints, by the numbers that records give
    // (GpuPrintRecord), whose values have no elements.
    uint32_t threads;
    size_t shared_bytes;
    uint32_t print_form_count;
    const HostPrint *print_forms;

    // Code, of one kind. Of processors:
    HostEntry *entry;
    // Of GPUs, run by the processor: one thread; the module's variable GPU_LAUNCH_NAME, the pointer that it reads the
    // emulator's functions from, and the ops that calls of these name by number. They belong to the module: one launch
    // of it at a time.
    SimtEntry *simt;
    GpuLaunch *launch;
    const SimtOps **simt_ops;
    uint32_t place_count;
    const KernelPlace *places;
    // Of GPUs: the cubin.
    const void *image;
    size_t image_size;
} KernelInfo;

// ---- kernel_info.c

// What a kind of sites is called in the text KERNEL_sites of an artifact.
const char *kernel_site_kind(HostSiteKind kind);
// A copy whose texts and arrays are in the arena. Code and places are those of the kernel.
KernelInfo kernel_copy(Arena *arena, const KernelInfo *kernel);
const KernelPlace *kernel_copy_places(Arena *arena, const KernelPlace *places, uint32_t count);

#endif
