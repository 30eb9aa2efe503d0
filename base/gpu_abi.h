// SPDX-License-Identifier: Apache-2.0
// How kernels compiled for GPUs are launched (docs/gpu.md). The kernel takes the parameters of the Tile IR entry, each
// by itself: pointers, integers and floats of their own width. Everything else that a launch says to the kernel is in a
// variable of the module, a GpuLaunch. It may stay all zero, which is enough for most kernels. Plain C, usable alone.
#ifndef CONGRUENT_GPU_ABI_H
#define CONGRUENT_GPU_ABI_H

#include "base/host_abi.h"

#include <stdint.h>

// Where a block failed. The launch begins with zeros; the first thread of a block that fails fills it in, unless a
// lower block has.
typedef struct GpuFault {
    uint32_t lock;  // 1 while a thread writes
    uint32_t site;  // 0: no block has failed, else 1 + the number of the site
    uint64_t block; // linear id
    HostFault fault;
} GpuFault;

// The module's variable GPU_LAUNCH_NAME. Fields but the counts are addresses on the device; 0: there is no such thing.
typedef struct GpuLaunch {
    // HostRange[], one for each parameter of the kernel, as in HostLaunch. 0: pointers are not checked.
    uint64_t argument_ranges;
    // HostRange[], sorted by begin, not overlapping: where pointers of unknown origin may point. 0 if and only if
    // argument_ranges is 0.
    uint64_t buffers;
    uint64_t buffer_count;
    // HostRange[], one for each global of the module. 0: the module's own data are the globals.
    uint64_t globals;
    // A GpuFault. 0: a block that fails traps, which ends the launch with an error of the driver.
    uint64_t fault;
    // Scratch: scratch_slots slots of KERNEL_scratch_bytes bytes each, aligned to 256 bytes.
    uint64_t scratch;
    // u32[], a lock for each slot, 0 while the slot is free. A block takes a slot for as long as it runs.
    uint64_t scratch_locks;
    uint64_t scratch_slots; // at least 1 for kernels that need scratch
    // A GpuPrints. 0: the kernel prints nothing.
    uint64_t prints;
} GpuLaunch;

// What the blocks of a launch print (print_tko). Room for records, all zero at first, begins GPU_PRINT_ALIGNMENT bytes
// behind the beginning of this head, which is aligned to as much. A block takes room for a record by adding to `used`;
// if the record ends beyond `size`, the block does not write it.
typedef struct GpuPrints {
    uint64_t used; // bytes of all records, of those that found no room too
    uint64_t size; // bytes of room
} GpuPrints;

// The head of one print's record. The elements of its values follow in row-major order, each value at a multiple of
// GPU_PRINT_ALIGNMENT. The records of one block come in the order of its prints.
typedef struct GpuPrintRecord {
    uint64_t block; // linear id
    uint64_t form;  // 1 + the number of the print in the kernel; 0: the block failed before it had written all
    uint64_t size;  // bytes of the record with its head, a multiple of GPU_PRINT_ALIGNMENT
} GpuPrintRecord;
enum { GPU_PRINT_ALIGNMENT = 64 };

#define GPU_LAUNCH_NAME "congruent_launch"

// A module has these constants of 64 bits in global memory for each kernel KERNEL:
//   KERNEL_block_threads  threads of a block, all along x; the grid is that of Tile IR
//   KERNEL_shared_bytes   bytes of dynamic shared memory of a block
//   KERNEL_scratch_bytes  bytes of GpuLaunch.scratch that each running block takes; 0: none
//   KERNEL_site_count     how many sites it has; the text KERNEL_sites has a line for each (docs/host-abi.md)
//   KERNEL_print_count    how many prints it has, if any; the words KERNEL_prints describe them (docs/gpu-abi.md)

#endif
