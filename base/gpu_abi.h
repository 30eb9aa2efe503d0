// SPDX-License-Identifier: Apache-2.0
// How kernels compiled for GPUs are launched (docs/gpu.md). The entry has the parameters of the Tile IR entry, each by
// itself: pointers, integers and floats of their own width. What a launch knows beyond them stands in a variable of
// the module; while it is zero nothing is known, which is enough for most kernels. Plain C, usable alone.
#ifndef CONGRUENT_GPU_ABI_H
#define CONGRUENT_GPU_ABI_H

#include "base/host_abi.h"

#include <stdint.h>

// Where a block failed: filled by the first thread of the lowest block that fails. All fields begin as zero.
typedef struct GpuFault {
    uint32_t lock;  // 1 while somebody writes
    uint32_t site;  // 0: no block has failed, else 1 + the number of the site
    uint64_t block; // linear id
    HostFault fault;
} GpuFault;

// The module's variable GPU_LAUNCH_NAME. Addresses are those of the device.
typedef struct GpuLaunch {
    uint64_t argument_ranges; // of an array of HostRange, one for each parameter of the kernel (HostLaunch); 0:
                              // pointers are not checked
    uint64_t buffers; // of an array of HostRange, sorted by begin, not overlapping: where pointers of unknown origin
                      // may point; 0 as argument_ranges is
    uint64_t buffer_count;
    uint64_t globals; // of an array of HostRange, one for each global of the module; 0: they are the module's own data
    uint64_t fault;   // of a GpuFault; 0: a block that fails traps, which ends the launch with an error of the driver
    uint64_t scratch; // of scratch_slots times KERNEL_scratch_bytes bytes, aligned to 256
    uint64_t scratch_locks; // of an array of u32, one for each slot, all zero; a block takes one, and with it its slot
    uint64_t scratch_slots; // at least 1 for kernels that need scratch
    uint64_t prints;        // of a GpuPrints; 0: kernels print nothing
} GpuLaunch;

// What the blocks of a launch print (print_tko): this, and from GPU_PRINT_ALIGNMENT on, which it is aligned to, room
// for records, all zero. A block takes its room by adding to `used`; where that is beyond `size` it writes nothing.
typedef struct GpuPrints {
    uint64_t used; // bytes of all records, with those that found no room
    uint64_t size; // bytes of room
} GpuPrints;

// One print, followed by the elements of its values in row-major order, each value at a multiple of
// GPU_PRINT_ALIGNMENT. Those of a block follow each other in the order of its prints.
typedef struct GpuPrintRecord {
    uint64_t block; // linear id
    uint64_t form;  // 1 + the number of the print in the kernel; 0: the block has failed before all was written
    uint64_t size;  // bytes of it all, a multiple of GPU_PRINT_ALIGNMENT
} GpuPrintRecord;
enum { GPU_PRINT_ALIGNMENT = 64 };

#define GPU_LAUNCH_NAME "congruent_launch"

// Beside the entry KERNEL a module has, as constants of 64 bits in global memory:
//   KERNEL_block_threads  threads of a block, all along x; the grid is that of Tile IR
//   KERNEL_shared_bytes   dynamic shared memory of a block
//   KERNEL_scratch_bytes  device memory that each running block takes from GpuLaunch.scratch; 0: none
//   KERNEL_site_count     places that can fail, and KERNEL_sites, a text with a line for each (docs/host-abi.md)
//   KERNEL_print_count    prints, if it has any, and KERNEL_prints, words that describe them (docs/gpu-abi.md)

#endif
